"""The rules by number: what is enforced, in our own words, and what is left to rules not at hand."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from squadbuilder.cards import Card
from squadbuilder.effects import Effect
from squadbuilder.errors import ErrorCode, InputError, Where, suggest
from squadbuilder.messages import Language
from squadbuilder.reading import Node, data_folder, parse, read_text
from squadbuilder.ruleset import Ruleset

Text = Mapping[Language, str]

_PARTS = ("enforced", "deferred", "broken")
_LISTS = ("switches", "effects")


@dataclass(frozen=True, slots=True)
class Rule:
    """A numbered paragraph: what is enforced, what it defers, where its text has a gap.

    `switches` are keys of a ruleset that touch it; `effects` words of the effect language that use it.
    """

    number: str
    enforced: Text | None
    deferred: Text | None
    broken: Text | None
    switches: tuple[str, ...]
    effects: tuple[str, ...]

    def values(self, rules: Ruleset) -> dict[str, str]:
        """The switches with their values in a ruleset."""
        return {name: _value(getattr(rules, name)) for name in self.switches}

    def users(self, cards: Iterable[Card]) -> list[str]:
        """The names of the cards whose effects use the rule."""
        return sorted(
            card.name for card in cards if any(_uses(card.effect, e) for e in self.effects)
        )


@cache
def rule_book() -> Mapping[str, Rule]:
    """Every rule known, in order of its number."""
    found: dict[str, Rule] = {}
    for path in sorted((data_folder() / "rules").glob("*.yaml")):
        for number, node in parse(read_text(path)).entries().items():
            if number in found:
                raise node.error(ErrorCode.KEY_REPEATED, key=number)
            found[number] = _rule(number, node)
    return {number: found[number] for number in sorted(found, key=_by_number)}


def rules_under(number: str | None) -> list[Rule]:
    """The rule of this number and all below it; every rule if no number is given."""
    known = rule_book()
    if number is None:
        return list(known.values())
    wanted = number.strip().rstrip(".")
    under = [rule for name, rule in known.items() if f"{name}.".startswith(f"{wanted}.")]
    if not under:
        near = suggest(wanted, known) or tuple(known)
        raise InputError(ErrorCode.RULE_UNKNOWN, Where(), near, number=number)
    return under


def _rule(number: str, node: Node) -> Rule:
    entry = node.mapping((*_PARTS, *_LISTS))
    texts = {part: _text(entry[part]) if part in entry else None for part in _PARTS}
    switches, effects = (
        tuple(_word(item, key) for item in entry[key].items()) if key in entry else ()
        for key in _LISTS
    )
    return Rule(number, texts["enforced"], texts["deferred"], texts["broken"], switches, effects)


_KNOWN = {
    "switches": tuple(Ruleset.__slots__),
    "effects": (*Effect.__slots__, "before.look", "before.partner"),
}


def _word(node: Node, key: str) -> str:
    word = node.text()
    if word not in _KNOWN[key]:
        raise node.error(ErrorCode.VALUE_UNKNOWN, suggest(word, _KNOWN[key]), found=word)
    return word


def _text(node: Node) -> Text:
    words = [language.value for language in Language]
    entry = node.mapping(words, required=words)
    return {language: entry[language.value].text() for language in Language}


def _by_number(number: str) -> list[int]:
    return [int(part) if part.isdigit() else 0 for part in number.split(".")]


def _value(value: object) -> str:
    """A switch's value as the ruleset file states it; `-` where there is no limit."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key.value} {number}" for key, number in value.items())
    if isinstance(value, Enum):
        return str(value.value)
    return "-" if value is None else str(value)


def _uses(effect: Effect, path: str) -> bool:
    found: object = effect
    for name in path.split("."):
        found = getattr(found, name, None)
    return found is not None and found != ()
