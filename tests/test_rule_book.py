"""Every numbered paragraph of the rule texts is in the rule book, in our own words."""

import json

import pytest

from squadbuilder.cli import main
from squadbuilder.messages import Language
from squadbuilder.rule_book import rule_book, rules_under
from squadbuilder.ruleset import Ruleset
from squadbuilder.session import RULES

PARAGRAPHS = (
    *("402.1", "402.2", "402.3", "402.4", "402.4.1"),
    *("403.1", "403.1.1", "403.1.2", "403.1.3", "403.2", "403.2.1", "403.2.2", "403.2.3"),
    *("403.2.3.1", "403.2.3.2", "403.2.3.3", "403.2.4"),
    *("404.1", "404.2", "404.2.1", "404.2.2"),
)
"""The numbers that stand in the texts of 402, 403 and 404."""

DECK_SWITCHES = {"name", "deck_size", "copies", "horde_copies", "banned"}
"""Keys of a ruleset that belong to decks, of which these texts do not speak."""


def test_every_paragraph_is_there() -> None:
    own = [number for number in rule_book() if number.startswith(("402", "403", "404"))]
    assert own == list(PARAGRAPHS)


def test_every_rule_that_the_program_names_is_there() -> None:
    assert set(RULES.values()) <= set(rule_book())


@pytest.mark.parametrize("number", PARAGRAPHS)
def test_a_rule_says_something_in_both_languages(number: str) -> None:
    rule = rule_book()[number]
    texts = [text for text in (rule.enforced, rule.deferred, rule.broken) if text is not None]
    assert texts
    for text in texts:
        assert all(len(text[language]) > 20 for language in Language)
        assert text[Language.RU] != text[Language.EN]


def test_every_switch_of_a_ruleset_is_told_somewhere() -> None:
    told = {switch for rule in rule_book().values() for switch in rule.switches}
    assert told == set(Ruleset.__slots__) - DECK_SWITCHES


def test_a_beginning_lists_what_is_below_it() -> None:
    assert [rule.number for rule in rules_under("403.2.3")] == [
        *("403.2.3", "403.2.3.1", "403.2.3.2", "403.2.3.3"),
    ]
    assert [rule.number for rule in rules_under("402.4.")] == ["402.4", "402.4.1"]


def test_an_unknown_rule_is_refused(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["rules", "403.2.9", "--json"]) == 2
    error = json.loads(capfdbinary.readouterr().out.decode())["error"]
    assert error["code"] == "rule_unknown"
    assert "403.2" in error["suggestions"][0]


def test_switches_and_cards_are_those_of_now(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "403.2.3", "--rules", "tournament", "--lang", "en"]) == 0
    told = capsys.readouterr().out
    assert "terrain_limit: 1" in told
    assert "Ведьмак" in told
    assert main(["rules", "403.2.3.3", "--lang", "ru"]) == 0
    told = capsys.readouterr().out
    assert "Лазутчица, Отец-дознаватель" in told
    assert "403.2.5" in told
