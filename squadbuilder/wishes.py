"""What a player demands of a squad beside its legality."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from squadbuilder.cards import Card
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.squad import Cards, Counts


@dataclass(frozen=True, slots=True)
class Wishes:
    """At least and at most so many copies of each kind in the squad."""

    at_least: Counts
    at_most: Counts


def read_wishes(cards: Cards, wanted: Sequence[Card], unwanted: Sequence[Card]) -> Wishes:
    """The demands of `--with` (a copy each) and `--without` (all copies), checked for sense."""
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
    barred = {card.key for card in unwanted}
    return Wishes(
        at_least=tuple(number[card.key] for card in cards.kinds),
        at_most=tuple(
            0 if card.key in barred else copies
            for card, copies in zip(cards.kinds, cards.copies, strict=True)
        ),
    )
