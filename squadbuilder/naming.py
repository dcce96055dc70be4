"""Cards as players name them after a deal: prefixes, choices in brackets, files of names."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from squadbuilder.cards import Card, Catalogue
from squadbuilder.deal import Deal
from squadbuilder.deck import read_entry, read_lines
from squadbuilder.effects import Change
from squadbuilder.errors import ErrorCode, InputError, Where, suggest
from squadbuilder.messages import Language
from squadbuilder.reading import read_text
from squadbuilder.recruit import Paid
from squadbuilder.squad import Cards
from squadbuilder.stated import Named
from squadbuilder.terms import fold

Echo = Callable[[str, str], None]
"""Told how a shortened name was read: what was written, the card's name."""

Value = TypeVar("Value")

_BRACKETS = re.compile(r"(.*?)\s*\[(.*)\]\s*")
_CHOICES = ("bonus", "x", "paid", "before", "with")
_RUSSIAN = {
    "bonus": "бонус",
    "x": "X",
    "paid": "оплата",
    "before": "до набора",
    "with": "карта",
    "yes": "да",
    "no": "нет",
    "elite": "элитная",
    "ordinary": "рядовая",
}
_ENGLISH = {fold(russian): english for english, russian in _RUSSIAN.items()} | {"х": "x"}


def find_in_deal(
    text: str, dealt: Iterable[Card], cards: Catalogue, where: Where, echo: Echo
) -> Card:
    """A card of those dealt by id, name, or a prefix of its name or of one of its words.

    A whole name or id that is not among them and nothing in them begins with is still that card: the
    referee says that it is not dealt.
    """
    exact = cards.get(text)
    dealt = sorted({card.key: card for card in dealt}.values(), key=lambda card: card.key)
    if exact is not None:
        own = [card for card in dealt if card.key == exact.key]
        if own:
            return own[0]
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
    kinds = Cards(deal).kinds
    beside = (*kinds, *(deal.deck or ()))

    def in_deal(name: str) -> Card:
        return find_in_deal(name, kinds, cards, Where(), echo)

    def in_deck(name: str) -> Card:
        return find_in_deal(name, beside, cards, Where(), echo)

    found: list[Named] = []
    for entry in (read_entry(text, Where()) for text in texts):
        found += [named(entry.name, in_deal, Where(), in_deck)] * entry.count
    if file is not None:
        for entry in read_lines(read_text(file)):
            where = entry.where
            one = named(entry.name, lambda name, at=where: cards.find(name, at), where)  # type: ignore[misc]
            found += [one] * entry.count
    return with_partners(found)


def with_partners(found: Sequence[Named]) -> list[Named]:
    """A partner stated in brackets joins beside its card: right after it, unless it is named there."""
    order: list[Named] = []
    for place, one in enumerate(found):
        order.append(one)
        ability = one.card.effect.before
        if one.before and one.involving and ability is not None and ability.partner is not None:
            beside = [
                other.card for other in (*found[max(0, place - 1) : place], *found[place + 1 :][:1])
            ]
            order += [Named(card) for card in one.involving if card not in beside]
    return order


def named(
    text: str,
    find: Callable[[str], Card],
    where: Where,
    find_involved: Callable[[str], Card] | None = None,
) -> Named:
    """A card with the choices that stand in brackets behind its name; `find` knows the names.

    `find_involved` knows those of cards that its ability may involve, if they are others.
    """
    brackets = _BRACKETS.fullmatch(text)
    if brackets is None:
        if "[" in text or "]" in text:
            raise InputError(ErrorCode.CHOICE_MALFORMED, where, found=text)
        return Named(find(text))
    name, inside = brackets.groups()
    bonus: bool | None = None
    x: int | None = None
    paid: Paid | None = None
    before: bool | None = None
    involving: tuple[Card, ...] = ()
    stated: set[str] = set()
    for part in _parts(inside, text, where):
        written, _, value = (word.strip() for word in part.partition("="))
        key = _key(part)
        if key in stated:
            raise InputError(ErrorCode.CHOICE_MALFORMED, where, found=text)
        stated.add(key)
        if key not in _CHOICES:
            near = suggest(written, _both(_CHOICES)) or _CHOICES
            raise InputError(ErrorCode.CHOICE_UNKNOWN, where, near, found=part)
        if key == "bonus":
            bonus = _one_of(value, {"yes": True, "no": False}, where)
        elif key == "paid":
            paid = _one_of(value, {paid.value: paid for paid in Paid}, where)
        elif key == "x":
            x = _one_of(value, {str(number): number for number in range(100)}, where)
        elif key == "with":
            involving = tuple((find_involved or find)(one.strip()) for one in value.split("+"))
        else:
            before = _one_of(value or "yes", {"yes": True, "no": False}, where)
    if involving and before is False:
        raise InputError(ErrorCode.CHOICE_MALFORMED, where, found=text)
    if involving:
        before = True
    card = find(name)
    _check_x(card, x, where)
    return Named(card, bonus, x, paid, before, involving)


def spelled(named: Named, language: Language = Language.EN) -> str:
    """A card as `named` reads it: the name, then all that is stated, in brackets."""
    stated: list[tuple[str, str]] = []
    if named.before is not None:
        stated.append(("before", "" if named.before else "no"))
    if named.bonus is not None:
        stated.append(("bonus", "yes" if named.bonus else "no"))
    if named.x is not None:
        stated.append(("x", str(named.x)))
    if named.paid is not None:
        stated.append(("paid", named.paid.value))
    if named.involving:
        stated.append(("with", "+".join(card.name for card in named.involving)))
    words = _RUSSIAN if language is Language.RU else {}
    told = ["=".join(words.get(word, word) for word in pair if word) for pair in stated]
    return f"{named.card.name} [{', '.join(told)}]" if told else named.card.name


def _english(written: str) -> str:
    """The word of the contract for a word in brackets, which may be Russian."""
    word = fold(written)
    return _ENGLISH.get(word, word)


def _both(words: Iterable[str]) -> list[str]:
    """These words in both languages."""
    return [one for word in words for one in dict.fromkeys((word, _RUSSIAN.get(word, word)))]


def _check_x(card: Card, x: int | None, where: Where) -> None:
    """An X must be one that the card's text lets a player choose."""
    for rule in card.effect.price:
        if x is not None and rule.change is Change.MORE_X and x not in rule.amount:
            raise InputError(
                ErrorCode.CHOICE_NOT_OFFERED,
                replace(where, key=card.name),
                kind="choice_x_range",
                found=x,
                low=rule.amount.at_least,
                high=rule.amount.at_most,
            )


def _parts(inside: str, text: str, where: Where) -> Iterable[str]:
    parts: list[str] = []
    for part in map(str.strip, inside.split(",")):
        if parts and _key(parts[-1]) == "with" and _key(part) not in _CHOICES:
            parts[-1] += f", {part}"
        else:
            parts.append(part)
    if not all(parts):
        raise InputError(ErrorCode.CHOICE_MALFORMED, where, found=text)
    return parts


def _key(part: str) -> str:
    return _english(part.partition("=")[0])


def _one_of(word: str, values: dict[str, Value], where: Where) -> Value:
    if _english(word) not in values:
        raise InputError(ErrorCode.CHOICE_UNKNOWN, where, _both(values), found=word)
    return values[_english(word)]
