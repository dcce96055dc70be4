"""Looks at the opponent's hidden cards in a simulation (403.2.3.3): what is seen is drawn.

An ability looks at two random cards of the opponent's deal, and a random card of a random deal is a
random card of the deck; so two cards of his deck are drawn.
"""

from collections.abc import Callable, Sequence
from random import Random

from squadbuilder.cards import Card

SEEN = 2

Predicate = Callable[[Card], bool]


def counted_by(card: Card) -> Predicate:
    """What an ability that looks at hidden cards counts among them: elite cards."""
    return lambda seen: seen.elite


def draw_outcomes(
    cards: Sequence[Card],
    opponent: Sequence[Card],
    stream: Random,
    counted: Callable[[Card], Predicate] = counted_by,
) -> dict[str, int]:
    """For each card of a deal that looks at hidden cards, by key: how many of those seen count."""
    looking = {card.key: card for card in cards if card.effect.outcome}
    found: dict[str, int] = {}
    for key, card in sorted(looking.items()):
        left = list(opponent)
        seen = [left.pop(int(stream.random() * len(left))) for _ in range(min(SEEN, len(left)))]
        found[key] = sum(map(counted(card), seen))
    return found
