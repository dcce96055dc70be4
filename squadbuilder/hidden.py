"""What a look at the opponent's hidden cards may bring (403.2.3.3): its outcomes and their chances."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

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


def better_outcomes(deal: Deal, opponent: Sequence[Card] | None) -> Iterator[Outcome]:
    """Each outcome better than the worst, of each such card."""
    for card in unknown_looks(deal):
        for number in range(1, MOST_OUTCOME + 1):
            known = replace(deal, outcomes={**deal.outcomes, card.key: number})
            look = card.effect.look
            odds = chance(look, opponent, number) if look is not None and opponent else None
            yield Outcome(card, number, known, odds)


def chance(look: Look, opponent: Sequence[Card], number: int) -> Fraction:
    """How likely so many of two random cards of the opponent's deck are such cards (hypergeometric)."""
    size = len(opponent)
    fitting = sum(fits(look.cards, card, card.elements) for card in opponent)
    ways = comb(fitting, number) * comb(size - fitting, MOST_OUTCOME - number)
    return Fraction(ways, comb(size, MOST_OUTCOME))
