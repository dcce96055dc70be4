"""The command `rules`: what is enforced of the rules, by number."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from squadbuilder.cards import Catalogue, catalogue
from squadbuilder.console import COMMON, YES, Call, Options, Rules, with_options
from squadbuilder.errors import Where
from squadbuilder.pages import Page
from squadbuilder.rule_book import Rule, rules_under
from squadbuilder.ruleset import DEFAULT, Ruleset, ruleset

_OPTIONS: Options = {"rules": (Rules, None), **COMMON}


class _Shelf:
    """What the command starts from."""

    def __init__(self, call: Call, given: Mapping[str, Any]) -> None:
        self.call = call
        self.cards: Catalogue = catalogue(given["cards_file"])
        self.rules: Ruleset = ruleset(given["rules"] or DEFAULT, Where(key="--rules"))


def show_rules(
    shelf: _Shelf,
    number: Annotated[str | None, typer.Argument(metavar="NUMBER", help="help_rule_number")] = None,
) -> int:
    """Say what is enforced of a rule and of those below it, or of all."""
    found = rules_under(number)
    if shelf.call.json:
        shelf.call.answer(
            ruleset=shelf.rules.name, rules=[_document(shelf, rule) for rule in found]
        )
        return YES
    page = Page(shelf.call.speaker, shelf.call.plain)
    for rule in found:
        _tell(shelf, page, rule, number is not None)
    return YES


rules_command = with_options(show_rules, _OPTIONS, _Shelf)


def _tell(shelf: _Shelf, page: Page, rule: Rule, whole: bool) -> None:
    language = shelf.call.speaker.language
    text = rule.enforced or rule.deferred or rule.broken
    page.print(f"{rule.number}  {text[language] if text is not None else ''}")
    if not whole:
        return
    if rule.enforced is not None and rule.deferred is not None:
        page.print("  " + page.say("rules_deferred", text=rule.deferred[language]))
    if rule.broken is not None and text is not rule.broken:
        page.print("  " + page.say("rules_broken", text=rule.broken[language]))
    if rule.switches:
        values = "; ".join(f"{key}: {value}" for key, value in rule.values(shelf.rules).items())
        page.print("  " + page.say("rules_switches", rules=shelf.rules.name, switches=values))
    names = rule.users(shelf.cards.by_key.values())
    if names:
        page.print("  " + page.say("rules_cards", cards=", ".join(names)))


def _document(shelf: _Shelf, rule: Rule) -> dict[str, object]:
    language = shelf.call.speaker.language
    parts = {"enforced": rule.enforced, "deferred": rule.deferred, "broken": rule.broken}
    return {
        "number": rule.number,
        **{key: None if text is None else text[language] for key, text in parts.items()},
        "switches": rule.values(shelf.rules),
        "cards": rule.users(shelf.cards.by_key.values()),
    }
