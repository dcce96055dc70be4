"""What a player demands of a squad beside its legality."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from squadbuilder.cards import Card
from squadbuilder.effects import MANY, Range
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
) -> Wishes:
    """The demands of `--with` (a copy each), `--without` (all copies) and `--require`."""
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
        *(read_condition(text, cards) for text in conditions),
    )


def _with(card: Card, number: int) -> str:
    return f"--with {number} {card.name}" if number > 1 else f"--with {card.name}"


def _once(cards: Sequence[Card]) -> list[Card]:
    return list({card.key: card for card in cards}.values())


def _wish(cards: Cards, text: str, wanted: Card, number: Range) -> Wish:
    return Wish(text, tuple(int(card is wanted) for card in cards.kinds), number)


Fits = Callable[[Card, str], bool]
_PROPERTIES: dict[str, Fits] = {
    "class": lambda card, word: fold(word) in map(fold, card.classes),
    "keyword": lambda card, word: any(code == word for code, _ in card.keywords),
    "type": lambda card, word: card.type.value == word,
    "element": lambda card, word: any(element.value == word for element in card.elements),
    "name": lambda card, word: card.key == fold(word),
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
_CONDITION = re.compile(r"(\w+)\s*(?:(<=|>=|=)\s*(.*?))?\s*(<=|>=|=)\s*(\d{1,2})")


def read_condition(text: str, cards: Cards) -> Wish:
    """`class=Орк>=3`, `cost<=4>=2`, `elite<=1`: a property by printed facts, and how many of it."""
    found = _CONDITION.fullmatch(text.strip())
    where = Where(key="--require")
    if found is None:
        raise InputError(ErrorCode.CONDITION_MALFORMED, where, found=text)
    name, relation, word, compare, digits = found.groups()
    known = [*_PROPERTIES, *_FLAGS, "cost"]
    if name not in known:
        raise InputError(
            ErrorCode.CONDITION_UNKNOWN, where, suggest(name, known) or known, found=name
        )
    fits = _fits(name, relation, word, text, where)
    kinds = tuple(int(fits(card)) for card in cards.kinds)
    return Wish(f"--require {text.strip()}", kinds, _range(compare, int(digits)))


def _fits(
    name: str, relation: str | None, word: str | None, text: str, where: Where
) -> Callable[[Card], bool]:
    if name in _FLAGS and relation is None:
        return _FLAGS[name]
    if name == "cost" and relation is not None and word is not None and word.isdecimal():
        costs = _range(relation, int(word))
        return lambda card: card.cost in costs
    if name in _PROPERTIES and relation == "=" and word:
        if name in _CLOSED and word not in _CLOSED[name]:
            near = suggest(word, _CLOSED[name]) or _CLOSED[name]
            raise InputError(ErrorCode.CONDITION_UNKNOWN, where, near, found=word)
        return lambda card: _PROPERTIES[name](card, word)
    raise InputError(ErrorCode.CONDITION_MALFORMED, where, found=text)


def _range(compare: str, number: int) -> Range:
    if compare == ">=":
        return Range(at_least=number)
    return Range(at_most=number) if compare == "<=" else Range(number, min(number, MANY))
