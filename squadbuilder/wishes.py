"""What a player demands of a squad beside its legality."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from squadbuilder.card_search import keyword_names
from squadbuilder.cards import Card, Catalogue, catalogue
from squadbuilder.effects import Range
from squadbuilder.errors import ErrorCode, InputError, Where, suggest
from squadbuilder.squad import Cards, Counts
from squadbuilder.terms import CardType, Element, fold


@dataclass(frozen=True, slots=True)
class Wish:
    """One demand: so many of these kinds (1 in `kinds`) in the squad; `text` is how it was put."""

    text: str
    kinds: Counts
    number: Range

    def met(self, squad: Counts) -> bool:
        """Does the squad fulfil it?"""
        return sum(map(int.__mul__, squad, self.kinds)) in self.number


Wishes = tuple[Wish, ...]


def read_wishes(
    cards: Cards,
    wanted: Sequence[Card] = (),
    unwanted: Sequence[Card] = (),
    conditions: Sequence[str] = (),
    known: Catalogue | None = None,
) -> Wishes:
    """The demands of `--with` (a copy each), `--without` (all copies) and `--require`.

    `known` are all cards there are, those of the project if left out.
    """
    every = (known or catalogue()).by_key.values()
    number = Counter(card.key for card in wanted)
    for card in (*wanted, *unwanted):
        key = "--with" if card in wanted else "--without"
        have = cards.copies[cards.index[card.key]] if card.key in cards.index else 0
        if not have:
            raise InputError(ErrorCode.CARD_NOT_IN_DEAL, Where(key=key), card=card.name)
        if card in wanted and card in unwanted:
            raise InputError(ErrorCode.WISH_CONFLICT, Where(key="--without"), card=card.name)
        if card.unique and number[card.key] > 1:
            raise InputError(ErrorCode.WISH_UNIQUE_TWICE, Where(key=key), card=card.name)
        if number[card.key] > have:
            raise InputError(
                ErrorCode.WISH_TOO_MANY,
                Where(key=key),
                card=card.name,
                want=number[card.key],
                have=have,
            )
    return (
        *(_wish(cards, _with(c, number[c.key]), c, Range(number[c.key])) for c in _once(wanted)),
        *(_wish(cards, f"--without {c.name}", c, Range(0, 0)) for c in _once(unwanted)),
        *(read_condition(text, cards, every) for text in conditions),
    )


def _with(card: Card, number: int) -> str:
    return f"--with {number} {card.name}" if number > 1 else f"--with {card.name}"


def _once(cards: Sequence[Card]) -> list[Card]:
    return list({card.key: card for card in cards}.values())


def _wish(cards: Cards, text: str, wanted: Card, number: Range) -> Wish:
    return Wish(text, tuple(int(card is wanted) for card in cards.kinds), number)


_PROPERTIES: dict[str, Callable[[Card], Iterable[str]]] = {
    "class": lambda card: card.classes,
    "keyword": lambda card: (code for code, _ in card.keywords),
    "type": lambda card: (card.type.value,),
    "element": lambda card: (element.value for element in card.elements),
    "name": lambda card: (card.name,),
}
_FLAGS: dict[str, Callable[[Card], bool]] = {
    "elite": lambda card: card.elite,
    "unique": lambda card: card.unique,
    "creature": lambda card: card.creature,
    "neutral": lambda card: not card.elements,
    "magic": lambda card: card.magic,
}
_CLOSED = {
    "type": [kind.value for kind in CardType],
    "element": [element.value for element in Element],
}
_FOLDED = ("class", "name")
_WHERE = Where(key="--require")
_CONDITION = re.compile(r"(\w+)\s*(?:(<=|>=|=)\s*(.*?))?\s*(<=|>=|=)\s*(\d{1,2})")


def read_condition(text: str, cards: Cards, every: Iterable[Card]) -> Wish:
    """`class=Орк>=3`, `cost<=4>=2`, `elite<=1`: a property by printed facts, and how many of it.

    What no card of `every` has is a mistake; what only the deal lacks is an honest demand.
    """
    found = _CONDITION.fullmatch(text.strip())
    if found is None:
        raise InputError(ErrorCode.CONDITION_MALFORMED, _WHERE, found=text)
    name, relation, word, compare, digits = found.groups()
    known = [*_PROPERTIES, *_FLAGS, "cost"]
    if name not in known:
        raise InputError(
            ErrorCode.CONDITION_UNKNOWN, _WHERE, suggest(name, known) or known, found=name
        )
    fits = _fits(name, relation, word, text, every)
    kinds = tuple(int(fits(card)) for card in cards.kinds)
    return Wish(f"--require {text.strip()}", kinds, _range(compare, int(digits)))


def _fits(
    name: str, relation: str | None, word: str | None, text: str, every: Iterable[Card]
) -> Callable[[Card], bool]:
    if name in _FLAGS and relation is None:
        return _FLAGS[name]
    if name == "cost" and relation and word and re.fullmatch(r"\d{1,2}", word):
        costs = _range(relation, int(word))
        return lambda card: card.cost in costs
    if name in _PROPERTIES and relation == "=" and word:
        words, alike = _PROPERTIES[name], fold if name in _FOLDED else str
        known = _CLOSED.get(name) or {found for card in every for found in words(card)}
        if alike(word) not in map(alike, known):
            near = _near(name, word, known)
            raise InputError(ErrorCode.CONDITION_UNKNOWN, _WHERE, near, found=word)
        return lambda card: alike(word) in map(alike, words(card))
    raise InputError(ErrorCode.CONDITION_MALFORMED, _WHERE, found=text)


def _near(name: str, word: str, known: Iterable[str]) -> Iterable[str]:
    """What may have been meant: a keyword may go by its name in either language."""
    if name == "keyword":
        codes = {told: code for code, names in keyword_names().items() for told in (code, *names)}
        return dict.fromkeys(codes[told] for told in suggest(word, codes))
    return suggest(word, known) or _CLOSED.get(name, ())


def _range(compare: str, number: int) -> Range:
    if compare == ">=":
        return Range(at_least=number)
    return Range(at_most=number) if compare == "<=" else Range(number, number)
