"""Cards as players name them after a deal: prefixes, choices in brackets, files of names."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from squadbuilder.cards import Card, Catalogue
from squadbuilder.deal import Deal
from squadbuilder.deck import read_lines
from squadbuilder.errors import ErrorCode, InputError, Where, suggest
from squadbuilder.reading import read_text
from squadbuilder.recruit import Paid
from squadbuilder.referee import Named
from squadbuilder.terms import fold

Echo = Callable[[str, str], None]
"""Told how a shortened name was read: what was written, the card's name."""

Value = TypeVar("Value")

_BRACKETS = re.compile(r"(.*?)\s*\[(.*)\]\s*")
_CHOICES = ("bonus", "x", "paid", "before", "with")


def find_in_deal(text: str, deal: Deal, cards: Catalogue, where: Where, echo: Echo) -> Card:
    """A card of the deal by id, name, or a prefix of its name or of one of its words.

    A whole name or id that the deal lacks and nothing in it begins with is still that card: the
    referee says that it is not dealt.
    """
    exact = cards.get(text)
    if exact is not None and exact in deal.cards:
        return exact
    dealt = sorted({card.key: card for card in deal.cards}.values(), key=lambda card: card.key)
    start = fold(text)
    fitting = [
        card
        for card in dealt
        if start
        and (card.key.startswith(start) or any(w.startswith(start) for w in card.key.split()))
    ]
    if len(fitting) == 1:
        echo(text, fitting[0].name)
        return fitting[0]
    if exact is not None:
        return exact
    names = [card.name for card in fitting]
    if names:
        raise InputError(ErrorCode.CARD_AMBIGUOUS, where, names, card=text)
    error = cards.unknown(text, where)
    error.suggestions = suggest(text, (card.name for card in dealt)) or error.suggestions
    raise error


def read_names(
    texts: Sequence[str], file: str | None, deal: Deal, cards: Catalogue, echo: Echo
) -> list[Named]:
    """The cards named on the command line, then those of a file, where nothing is guessed."""
    found = [
        named(text, lambda name: find_in_deal(name, deal, cards, Where(), echo), Where())
        for text in texts
    ]
    if file is not None:
        for entry in read_lines(read_text(file)):
            where = entry.where
            one = named(entry.name, lambda name, at=where: cards.find(name, at), where)  # type: ignore[misc]
            found += [one] * entry.count
    return found


def named(text: str, find: Callable[[str], Card], where: Where) -> Named:
    """A card with the choices that stand in brackets behind its name; `find` knows the names."""
    brackets = _BRACKETS.fullmatch(text)
    if brackets is None:
        if "[" in text or "]" in text:
            raise InputError(ErrorCode.CHOICE_MALFORMED, where, found=text)
        return Named(find(text))
    name, inside = brackets.groups()
    bonus: bool | None = None
    x: int | None = None
    paid: Paid | None = None
    before = False
    stated: set[str] = set()
    for part in _parts(inside, text, where):
        key, _, value = (word.strip() for word in part.partition("="))
        if key in stated:
            raise InputError(ErrorCode.CHOICE_MALFORMED, where, found=text)
        stated.add(key)
        if key not in _CHOICES:
            raise InputError(
                ErrorCode.CHOICE_UNKNOWN, where, suggest(key, _CHOICES) or _CHOICES, found=part
            )
        if key == "bonus":
            bonus = _one_of(value, {"yes": True, "no": False}, where)
        elif key == "paid":
            paid = _one_of(value, {paid.value: paid for paid in Paid}, where)
        elif key == "x":
            x = _one_of(value, {str(number): number for number in range(100)}, where)
        else:
            before = True
    return Named(find(name), bonus, x, paid, before)


def _parts(inside: str, text: str, where: Where) -> Iterable[str]:
    parts = [part.strip() for part in inside.split(",")]
    if not all(parts):
        raise InputError(ErrorCode.CHOICE_MALFORMED, where, found=text)
    return parts


def _one_of(word: str, values: dict[str, Value], where: Where) -> Value:
    if word not in values:
        raise InputError(ErrorCode.CHOICE_UNKNOWN, where, list(values), found=word)
    return values[word]
