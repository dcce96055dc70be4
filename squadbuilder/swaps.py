"""Single swaps: one copy of a deck's card out, another card in, compared on the deck's own shuffles."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from squadbuilder.cards import Card, Catalogue
from squadbuilder.deck import Entry
from squadbuilder.decks import check_deck
from squadbuilder.errors import Where
from squadbuilder.estimates import Moments, moments
from squadbuilder.evaluation import Question, answer
from squadbuilder.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Swap:
    """One copy of a card of the deck goes out, another card comes in (замена)."""

    out: Card
    into: Card

    def made(self, deck: Sequence[Card]) -> tuple[Card, ...]:
        """The deck with the change: the new card stands where the first of the old ones stood."""
        place = self.place(deck)
        into = next((card for card in deck if card.key == self.into.key), self.into)
        return (*deck[:place], into, *deck[place + 1 :])

    def place(self, deck: Sequence[Card]) -> int:
        """Where the copy that goes out stands."""
        return [card.key for card in deck].index(self.out.key)


def legal_swaps(
    deck: Sequence[Card], pool: Iterable[Card], cards: Catalogue, rules: Ruleset
) -> list[Swap]:
    """The swaps with a card of the pool after which the deck is legal, by the names of the cards."""
    found: list[Swap] = []
    coming = sorted(set(pool), key=lambda card: card.key)
    for out in sorted(set(deck), key=lambda card: card.key):
        for swap in (Swap(out, into) for into in coming if into.key != out.key):
            copies = Counter(swap.made(deck))
            entries = [Entry(card.name, number, Where()) for card, number in copies.items()]
            if not check_deck(entries, cards, rules):
                found.append(swap)
    return found


@dataclass(frozen=True, slots=True)
class Compared:
    """What some deals are worth to the deck as it is, and how much more with each of some swaps."""

    worth: Moments
    gains: tuple[Moments, ...]


def compare(question: Question, swaps: Sequence[Swap], start: int, stop: int) -> Compared:
    """The deals from `start` up to but not including `stop`, with each swap and without.

    A swap changes a deal only if the swapped copy is dealt, or if a card of the deal searches the
    deck; all other deals differ by nothing.
    """
    sign = question.objective[0].sign
    places = question.places(0, start, stop)
    dealt = question.copies(places)
    indices = range(start, stop)
    before = sign * answer(question, 0, indices, dealt, telling=False).found.first
    seekers = [place for place, card in enumerate(question.kinds()) if _searches(card)]
    seeking = dealt[:, seekers].any(axis=1)
    gains: list[Moments] = []
    for swap in swaps:
        place = swap.place(question.deck)
        rows = np.flatnonzero(seeking | (places == place).any(axis=1))
        other = question.with_cards(swap.made(question.deck))
        changed = [indices[row] for row in rows]
        found = answer(other, 0, changed, other.copies(places[rows]), telling=False).found
        more = sign * found.first - before[rows]
        gains.append(Moments(len(places), int(more.sum()), int((more**2).sum())))
    return Compared(moments(Counter(before.tolist())), tuple(gains))


def _searches(card: Card) -> bool:
    ability = card.effect.before
    return ability is not None and ability.searches
