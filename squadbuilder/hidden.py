"""What a look at the opponent's hidden cards may bring (403.2.3.3): its outcomes and their chances.

An ability looks at two random cards of the opponent's deal, and a random card of a random deal is a
random card of the deck.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from random import Random

from squadbuilder.cards import Card
from squadbuilder.deal import MOST_OUTCOME, Deal
from squadbuilder.effects import Look
from squadbuilder.squad import Cards, fits


@dataclass(frozen=True, slots=True)
class Outcome:
    """One outcome of a card's look that is not known yet: the deal if it comes true, its chance."""

    card: Card
    number: int
    deal: Deal
    chance: Fraction | None


def unknown_looks(deal: Deal) -> list[Card]:
    """The cards whose look at hidden cards has no stated outcome: planned for the worst, 0."""
    return [
        card
        for card in Cards(deal).kinds
        if card.effect.look is not None and card.key not in deal.outcomes
    ]


def better_outcomes(deal: Deal, opponent: Sequence[Card]) -> Iterator[Outcome]:
    """Each outcome better than the worst, of each such card; no chance without the opponent's deck."""
    for card in unknown_looks(deal):
        for number in range(1, MOST_OUTCOME + 1):
            known = replace(deal, outcomes={**deal.outcomes, card.key: number})
            look = card.effect.look
            odds = chance(look, opponent, number) if look is not None and opponent else None
            yield Outcome(card, number, known, odds)


def chance(look: Look, opponent: Sequence[Card], number: int) -> Fraction:
    """How likely so many of two random cards of the opponent's deck are such cards (hypergeometric)."""
    size, seen = len(opponent), min(MOST_OUTCOME, len(opponent))
    if number > seen:
        return Fraction(0)
    fitting = sum(fits(look.cards, card, card.elements) for card in opponent)
    ways = comb(fitting, number) * comb(size - fitting, seen - number)
    return Fraction(ways, comb(size, seen))


def draw_outcomes(
    cards: Iterable[Card], opponent: Sequence[Card], stream: Random
) -> dict[str, int]:
    """For each card that looks at hidden cards, by key: how many of two random ones count."""
    looks = {card.key: card.effect.look for card in cards if card.effect.look is not None}
    found: dict[str, int] = {}
    for key, look in sorted(looks.items()):
        left = list(opponent)
        seen = [
            left.pop(int(stream.random() * len(left))) for _ in range(min(MOST_OUTCOME, len(left)))
        ]
        found[key] = sum(fits(look.cards, card, card.elements) for card in seen)
    return found
