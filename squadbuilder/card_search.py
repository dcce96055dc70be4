"""Looking cards up: by words of their names and by what is printed on them."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from squadbuilder.cards import Card, Catalogue
from squadbuilder.effects import Range
from squadbuilder.errors import ErrorCode, InputError, Where, suggest
from squadbuilder.reading import Term, data_folder, read_text
from squadbuilder.terms import CardType, Element, fold

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of a card, by printed facts; what is left out fits every card.

    A card has all of the words, classes and keywords, and one of the elements, types and sets.
    With `neutral`, a card without an element (нейтральная) fits beside those of the elements.
    """

    words: tuple[str, ...] = ()
    elements: frozenset[Element] = frozenset()
    neutral: bool = False
    cost: Range | None = None
    elite: bool | None = None
    unique: bool | None = None
    types: frozenset[CardType] = frozenset()
    classes: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    sets: tuple[int, ...] = ()


def search(cards: Catalogue, query: Query) -> list[Card]:
    """The cards that fit, by name; words that no name holds find the cards of near names."""
    found = (card for card in _named(query.words, cards) if _fits(card, query))
    return sorted(found, key=lambda card: card.key)


def _named(words: Sequence[str], cards: Catalogue) -> list[Card]:
    """The cards whose names hold all the words, else those of names near to them."""
    parts = [fold(word) for word in words]
    every = cards.by_key.values()
    found = [card for card in every if all(part in card.key for part in parts)]
    if found:
        return found
    near = suggest(" ".join(words), (card.name for card in every))
    return [card for card in every if card.name in near]


def _fits(card: Card, query: Query) -> bool:
    classes = {fold(name) for name in card.classes}
    keywords = {code for code, _ in card.keywords}
    return (
        _has_element(card, query)
        and (query.cost is None or card.cost in query.cost)
        and query.elite in (None, card.elite)
        and query.unique in (None, card.unique)
        and (not query.types or card.type in query.types)
        and all(fold(name) in classes for name in query.classes)
        and keywords.issuperset(query.keywords)
        and (not query.sets or card.set_id in query.sets)
    )


def _has_element(card: Card, query: Query) -> bool:
    if not card.elements:
        return query.neutral or not query.elements
    return not card.elements.isdisjoint(query.elements) or not (query.elements or query.neutral)


_NUMBER = r"\s*([0-9]{1,2})\s*"
_BOUND = re.compile(rf"\s*(<=|>=|){_NUMBER}")
_BOUNDS = re.compile(rf"{_NUMBER}[-–]{_NUMBER}")


def read_cost(text: str) -> Range:
    """`3`, `3-5`, `<=4` or `>=6`: which printed costs are wanted."""
    where = Where(key="--cost")
    if found := _BOUNDS.fullmatch(text):
        low, high = map(int, found.groups())
        if low > high:
            raise InputError(ErrorCode.OUT_OF_RANGE, where, found=low, low=0, high=high)
        return Range(low, high)
    if not (found := _BOUND.fullmatch(text)):
        raise InputError(ErrorCode.WRONG_TYPE, where, expected=Term("a_cost"), found=text)
    number = int(found[2])
    if found[1]:
        return Range(at_most=number) if found[1] == "<=" else Range(at_least=number)
    return Range(number, number)


def read_keyword(text: str) -> str:
    """The code of a keyword (особенность): its code or name in either language, or a beginning."""
    names = {code: (code, english, russian) for code, (russian, english) in keyword_names().items()}
    return _one_of(names, text, str.startswith, Where(key="--keyword"))


def read_set(text: str, cards: Catalogue | None = None) -> int:
    """The number of a set (набор): its number, or a part of its name.

    Sets that only `cards` know (a database was added) have no names; their numbers will do.
    """
    printed = {card.set_id for card in cards.by_key.values()} if cards else set()
    names = {number: (str(number),) for number in sorted(printed)} | {
        number: (str(number), name) for number, name in set_names().items()
    }
    return _one_of(names, text, _holds, Where(key="--set"))


def _holds(name: str, part: str) -> bool:
    return part in name and not name.isdigit()


def _one_of(
    names: Mapping[Key, Sequence[str]], text: str, fits: Callable[[str, str], bool], where: Where
) -> Key:
    """The one whose name `text` is, or the only one whose name it fits."""
    word = fold(text)
    found: dict[Key, str] = {}
    for alike in (str.__eq__, fits):
        found = {
            key: name
            for key, known in names.items()
            for name in known
            if word and alike(fold(name), word)
        }
        if len(found) == 1:
            return next(iter(found))
    every = [name for known in names.values() for name in known]
    near = found.values() or suggest(text, every) or [known[-1] for known in names.values()]
    raise InputError(ErrorCode.VALUE_UNKNOWN, where, near, found=text)


@cache
def set_names() -> Mapping[int, str]:
    """The sets (наборы): number and name."""
    return {int(row["set"]): row["name"] for row in _rows("sets.csv")}


@cache
def keyword_names() -> Mapping[str, tuple[str, str]]:
    """The keywords (особенности): code, then the Russian and the English name."""
    return {row["code"]: (row["russian"], row["english"]) for row in _rows("keywords.csv")}


def _rows(name: str) -> Iterable[dict[str, str]]:
    return csv.DictReader(read_text(data_folder() / name).text.splitlines())


_FACTS: Mapping[str, Callable[[Card], object]] = {
    "id": lambda card: card.id,
    "name": lambda card: card.name,
    "set": lambda card: card.set_id,
    "number": lambda card: card.number,
    "rarity": lambda card: card.rarity,
    "cost": lambda card: card.cost,
    "elite": lambda card: card.elite,
    "unique": lambda card: card.unique,
    "elements": lambda card: [item.value for item in Element if item in card.elements],
    "type": lambda card: card.type.value,
    "classes": lambda card: sorted(card.classes),
    "life": lambda card: card.life,
    "move": lambda card: card.move,
    "strike": lambda card: "-".join(map(str, card.strike)),
    "horde": lambda card: card.horde,
    "magic": lambda card: card.magic,
    "keywords": lambda card: [":".join(filter(None, keyword)) for keyword in card.keywords],
}


def facts(card: Card) -> dict[str, object]:
    """What is printed on a card, ready for JSON."""
    return {name: fact(card) for name, fact in _FACTS.items()}


def as_csv(cards: Sequence[Card]) -> str:
    """The cards as a table with the columns of `cards.csv`."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_FACTS)
    table.writerows([_cell(fact) for fact in facts(card).values()] for card in cards)
    return text.getvalue()


def _cell(fact: object) -> str:
    if isinstance(fact, list):
        return "|".join(fact)
    return str(int(fact)) if isinstance(fact, bool) else str(fact)
