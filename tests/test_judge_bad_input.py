"""Malformed scenarios seen from outside: one message with file, line and key, and exit code 2."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from squadbuilder.cli import main
from squadbuilder.errors import ErrorCode

FILE = "s.yaml"
CLEAN = """\
title: Проба
cards:
  Борг: {owner: first, at: first c1, counters: {фишка: 2}}
  Орк: {owner: second, at: second c1}
  Второй орк: {card: Орк, owner: second, at: deck}
  Вестник мора: {owner: first, at: graveyard}
steps:
  - declare: {as: удар, source: Борг, target: Орк, pay: {action: true}, text: {targets: 1}}
    expect: {outcome: done, rules: ["501.1"]}
  - begin: удар
  - finish: удар
  - summon: {by: Орк, card: Второй орк, cell: second b1}
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A mistake: a part of the clean scenario exchanged, and the refusal that it must meet."""

    name: str
    code: ErrorCode
    old: str
    new: str
    line: int | None
    key: str | None = None
    suggestion: str = ""


def row(name: str, code: str, old: str, new: str, line: int | None, *more: str) -> Row:
    return Row(name, ErrorCode(code), old, new, line, *more)


CARD = "  Орк: {owner: second, at: second c1}\n"
SUMMON = "summon: {by: Орк, card: Второй орк, cell: second b1}"
DECLARE = "declare: {as: удар, source: Борг, target: Орк, pay: {action: true}, text: {targets: 1}}"
BEGIN = "  - begin: удар\n  - finish: удар\n"


def card(more: str) -> str:
    """The second card with more said of it."""
    return CARD.replace("}", f", {more}}}")


ROWS = (
    # The file
    row("empty", "file_empty", CLEAN, "\n", None),
    row("a list", "wrong_type", CLEAN, "- Орк\n", 1),
    row("a word", "wrong_type", CLEAN, "Орк\n", 1),
    row("not closed", "syntax", '["501.1"]', '["501.1"', 9),
    row(
        "anchors", "syntax", "{owner: first, at: graveyard}", "&x {owner: first, at: graveyard}", 6
    ),
    row("unknown key", "key_unknown", "title:", "titel:", 1, "titel", "title"),
    row("no cards", "key_missing", CLEAN[CLEAN.index("cards:") : CLEAN.index("steps:")], "", 1),
    row("no steps", "key_missing", CLEAN[CLEAN.index("steps:") :], "", 1),
    row("steps empty", "wrong_type", CLEAN[CLEAN.index("steps:") :], "steps: []\n", 7, "steps"),
    row("steps repeated", "key_repeated", "steps:\n", "steps: []\nsteps:\n", 8, "steps"),
    row(
        "cards a list",
        "wrong_type",
        CLEAN[CLEAN.index("cards:") : CLEAN.index("steps:")],
        "cards: [Орк]\n",
        2,
        "cards",
    ),
    row("title a number", "yaml_trap", "Проба", "010", 1, "title"),
    # Cards
    row("unknown card", "card_unknown", "  Орк:", "  Орг:", 4, "Орг", "Борг"),
    row("unknown printed card", "card_unknown", "card: Орк,", "card: Огр,", 5, "card", "Орк"),
    row("a name twice", "key_repeated", "  Второй орк: {", "  ОРК: {", 5, "ОРК"),
    row("no owner", "key_missing", CARD, "  Орк: {at: second c1}\n", 4, "Орк"),
    row("no place", "key_missing", CARD, "  Орк: {owner: second}\n", 4, "Орк"),
    row(
        "a third player",
        "value_unknown",
        "{owner: second, at: second c1}",
        "{owner: third, at: second c1}",
        4,
        "owner",
    ),
    row("a card that is a word", "wrong_type", CARD, "  Орк: второй\n", 4, "Орк"),
    row("unknown key of a card", "key_unknown", CARD, card("wound: 1"), 4, "wound", "wounds"),
    row(
        "a cell without its half", "value_unknown", "at: second c1", "at: c1", 4, "at", "second c1"
    ),
    row("a cell beyond the field", "value_unknown", "at: second c1", "at: second f1", 4, "at"),
    row("a fourth row", "value_unknown", "at: second c1", "at: second c4", 4, "at"),
    row("an unknown zone", "value_unknown", "at: deck", "at: deckk", 5, "at", "deck"),
    row("two cards on a cell", "cell_occupied", "at: second c1", "at: first c1", 4, "at"),
    row("wounded to death", "out_of_range", CARD, card("wounds: 10"), 4, "wounds"),
    row("wounds below zero", "out_of_range", CARD, card("wounds: -1"), 4, "wounds"),
    row("wounds in words", "wrong_type", CARD, card("wounds: two"), 4, "wounds"),
    row("wounds in octal", "yaml_trap", CARD, card("wounds: 010"), 4, "wounds"),
    row("no life", "out_of_range", CARD, card("life: 0"), 4, "life"),
    row("open in Norway", "wrong_type", CARD, card("open: no"), 4, "open"),
    row("open in quotes", "wrong_type", CARD, card('open: "true"'), 4, "open"),
    row(
        "wounds in the deck",
        "key_misplaced",
        "owner: second, at: deck",
        "owner: second, at: deck, wounds: 1",
        5,
        "wounds",
    ),
    row(
        "control in the deck",
        "key_misplaced",
        "owner: second, at: deck",
        "owner: second, at: deck, controller: first",
        5,
        "controller",
    ),
    row(
        "counters are a number", "wrong_type", "counters: {фишка: 2}", "counters: 2", 3, "counters"
    ),
    row("no counters", "wrong_type", "counters: {фишка: 2}", "counters: {}", 3, "counters"),
    row("zero counters", "out_of_range", "фишка: 2", "фишка: 0", 3, "фишка"),
    row(
        "counters over their limit",
        "out_of_range",
        "counters: {фишка: 2}",
        "counters: {фишка: 2}, limits: {фишка: 1}",
        3,
        "фишка",
    ),
    row("incarnation zero", "out_of_range", CARD, card("incarnation: 0"), 4, "incarnation"),
    row(
        "incarnated without incarnation",
        "key_misplaced",
        CARD,
        card("incarnated: true"),
        4,
        "incarnated",
    ),
    # Steps
    row("a step that is a word", "wrong_type", BEGIN, "  - begin\n", 10, "steps"),
    row(
        "an unknown step",
        "key_unknown",
        "  - begin: удар\n",
        "  - beginn: удар\n",
        10,
        "beginn",
        "begin",
    ),
    row("no step", "keys_one_of", BEGIN, "  - note: ничего\n", 10, "steps"),
    row(
        "two steps in one",
        "keys_one_of",
        "  - begin: удар\n",
        "  - begin: удар\n    turn: first\n",
        10,
        "steps",
    ),
    row(
        "a card that is not there",
        "card_not_on_table",
        "source: Борг",
        "source: Боргг",
        8,
        "source",
        "Борг",
    ),
    row(
        "an action never declared",
        "action_unknown",
        "begin: удар",
        "begin: уадр",
        10,
        "begin",
        "удар",
    ),
    row(
        "an action declared later",
        "action_unknown",
        "steps:\n",
        "steps:\n  - begin: удар\n",
        8,
        "begin",
    ),
    row("a name declared twice", "action_repeated", BEGIN, f"  - {DECLARE}\n", 10, "as"),
    row("no name", "key_missing", "as: удар, ", "", 8, "declare"),
    row("no source", "key_missing", "source: Борг, ", "", 8, "declare"),
    row(
        "an unknown resource",
        "key_unknown",
        "{action: true}",
        "{actoin: true}",
        8,
        "actoin",
        "action",
    ),
    row("an action in numbers", "wrong_type", "{action: true}", "{action: 1}", 8, "action"),
    row("an action not taken", "wrong_type", "{action: true}", "{action: false}", 8, "action"),
    row("no movement", "out_of_range", "{action: true}", "{movement: 0}", 8, "movement"),
    row(
        "a mark of use as price",
        "key_unknown",
        "{action: true}",
        "{use_this_turn: 1}",
        8,
        "use_this_turn",
    ),
    row(
        "others that are the source",
        "key_misplaced",
        "{action: true}",
        "{others: {Борг: {wounds: 1}}}",
        8,
        "others",
    ),
    row(
        "others that are not there",
        "card_not_on_table",
        "{action: true}",
        "{others: {Огр: {wounds: 1}}}",
        8,
        "Огр",
    ),
    row("counters without a name", "wrong_type", "{action: true}", "{counters: 1}", 8, "counters"),
    row(
        "an unknown word of the text",
        "key_unknown",
        "{targets: 1}",
        "{target_count: 1}",
        8,
        "target_count",
    ),
    row("a range below zero", "out_of_range", "{targets: 1}", "{range: -1}", 8, "range"),
    row("never a turn", "out_of_range", "{targets: 1}", "{per_turn: 0}", 8, "per_turn"),
    row("an empty list of targets", "wrong_type", "target: Орк", "target: []", 8, "target"),
    row(
        "a player in numbers", "yaml_trap", "source: Борг,", "source: Борг, player: 1,", 8, "player"
    ),
    row(
        "summon and revive at once",
        "keys_one_of",
        "pay: {action: true}",
        "summon: {found: false}, revive: {card: Вестник мора}",
        8,
        "declare",
    ),
    row("found what", "key_misplaced", "pay: {action: true}", "summon: {found: true}", 8, "found"),
    row("a summon by nobody", "key_missing", "by: Орк, ", "", 12, "summon"),
    row(
        "a summon of nothing",
        "keys_one_of",
        "card: Второй орк, cell: second b1",
        "open: true",
        12,
        "summon",
    ),
    row(
        "a cell for nobody",
        "key_misplaced",
        "card: Второй орк, cell: second b1",
        "found: false, cell: second b1",
        12,
        "cell",
    ),
    row("a cell that is a zone", "value_unknown", "cell: second b1", "cell: auxiliary", 12, "cell"),
    row(
        "the same card twice",
        "key_repeated",
        "card: Второй орк, cell: second b1",
        "cards: [{card: Второй орк}, {card: Второй орк}]",
        12,
        "card",
    ),
    row(
        "an unknown place of the text",
        "value_unknown",
        "cell: second b1",
        "cell: second b1, text: {where: besides}",
        12,
        "where",
        "beside",
    ),
    row(
        "skip that is none",
        "key_misplaced",
        "card: Второй орк, cell: second b1",
        "skip: false",
        12,
        "skip",
    ),
    row(
        "an incarnation that is found",
        "key_unknown",
        SUMMON,
        "incarnate: {found: false}",
        12,
        "found",
    ),
    row(
        "control without a player",
        "key_missing",
        SUMMON,
        "take_control: {card: Орк}",
        12,
        "take_control",
    ),
    row("nothing added", "key_missing", SUMMON, "add: {card: Орк}", 12, "add"),
    row("no wound", "out_of_range", SUMMON, "wound: {card: Орк, by: 0}", 12, "by"),
    row("put nowhere", "value_unknown", SUMMON, "put: {card: Орк, to: hand}", 12, "to"),
    row("the turn of nobody", "value_unknown", SUMMON, "turn: nobody", 12, "turn"),
    # Expectations
    row(
        "an unknown outcome",
        "value_unknown",
        "outcome: done",
        "outcome: doen",
        9,
        "outcome",
        "done",
    ),
    row(
        "an outcome alone",
        "value_unknown",
        '{outcome: done, rules: ["501.1"]}',
        "alowed",
        9,
        "expect",
    ),
    row(
        "an empty expectation", "wrong_type", '{outcome: done, rules: ["501.1"]}', "{}", 9, "expect"
    ),
    row("an unknown key expected", "key_unknown", "outcome: done", "result: done", 9, "result"),
    row("a rule as a number", "yaml_trap", '"501.1"', "501.1", 9, "rules"),
    row(
        "a card expected that is not there",
        "card_not_on_table",
        "outcome: done",
        "moved: {Огр: deck}",
        9,
        "Огр",
    ),
    row(
        "a place expected that is none",
        "value_unknown",
        "outcome: done",
        "moved: {Орк: там}",
        9,
        "Орк",
    ),
    row(
        "a resource expected that is none",
        "key_unknown",
        "outcome: done",
        "paid: {Орк: {gold: 1}}",
        9,
        "gold",
    ),
)


def refused(one: Row, capture: pytest.CaptureFixture[bytes], *options: str) -> tuple[int, str, str]:
    assert CLEAN.count(one.old) == 1, one.old
    Path(FILE).write_text(CLEAN.replace(one.old, one.new), "utf-8")
    code = main(["judge", FILE, *options])
    out, err = capture.readouterr()
    return code, out.decode("utf-8"), err.decode("utf-8")


def test_the_clean_scenario_is_judged(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(FILE).write_text(CLEAN, "utf-8")
    assert main(["judge", FILE]) == 0, capfdbinary.readouterr().out.decode("utf-8")


@pytest.mark.parametrize("one", ROWS, ids=lambda one: one.name)
@pytest.mark.parametrize("language", ["ru", "en"])
def test_a_malformed_scenario(
    one: Row,
    language: str,
    capfdbinary: pytest.CaptureFixture[bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = refused(one, capfdbinary, "--lang", language, "--json")
    answer: Any = json.loads(out)
    assert (code, err, answer["command"]) == (2, "", "judge"), answer
    error = answer["error"]
    assert error["code"] == one.code.value, error
    where = {"file": FILE, "line": one.line, "key": one.key}
    assert error["where"] == where, error
    assert not one.suggestion or one.suggestion in error["suggestions"], error
    code, out, err = refused(one, capfdbinary, "--lang", language)
    assert (code, out) == (2, "") and "Traceback" not in err
    start, line = ("Ошибка: ", "строка") if language == "ru" else ("Error: ", "line")
    assert err.startswith(f"{start}{FILE}") and len(err.splitlines()) <= 2 and len(err) < 600
    assert one.line is None or f"{line} {one.line}" in err
    assert one.key is None or one.key in err
    assert error["message"] in err
    quoted = re.sub("“.*?”|«.*?»", "", error["message"])
    assert language == "ru" or not re.search("[А-Яа-яЁё]", quoted)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["no.yaml"], "file_missing"),
        (["."], "file_is_folder"),
        ([], "usage"),
        ([FILE, "more.yaml"], "usage"),
        ([FILE, "--ordered"], "usage"),
        ([FILE, "--cards", "no.yaml"], "file_missing"),
    ],
)
def test_arguments(
    arguments: list[str],
    code: str,
    capfdbinary: pytest.CaptureFixture[bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(FILE).write_text(CLEAN, "utf-8")
    assert main(["judge", *arguments, "--json"]) == 2
    assert json.loads(capfdbinary.readouterr().out)["error"]["code"] == code


def test_every_row_has_a_name_of_its_own() -> None:
    names = [one.name for one in ROWS]
    assert len(names) == len(set(names))
