"""Many deals of a deck: what their best squads are worth and made of, as sums that add up.

Each deal follows from the deck, the seed, the mulligans and its index alone, and what is kept of it
are whole numbers in sums and counts. So any split of the work, over jobs or machines, gives the same
figures, and the memory does not grow with the number of deals.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from squadbuilder.cards import Card
from squadbuilder.deal import Deal
from squadbuilder.decks import dealt_places, names_of, stream_of
from squadbuilder.effects import NO_EFFECT
from squadbuilder.engine import settle
from squadbuilder.estimates import Moments, moments
from squadbuilder.hidden import draw_outcomes
from squadbuilder.objective import Objective
from squadbuilder.ruleset import Ruleset
from squadbuilder.sweep import fit_together
from squadbuilder.tableau import Numbers, Settled, tableau, takes
from squadbuilder.terms import CardType, Element, Player

CHUNK = 100
"""Deals that are settled, and counted, at a time."""


@dataclass(frozen=True, slots=True)
class Question:
    """A deck to evaluate on one seat. `played` stands place by place for the cards of the sorted `deck`,
    whose shuffles are used; `together` are cards, by key, that should fit one squad; the opponent's
    deck, if not stated the unchanged one, is where hidden cards come from; their mulligans and the
    blocked cells hold for every deal."""

    deck: tuple[Card, ...]
    played: tuple[Card, ...]
    seed: int
    rules: Ruleset
    player: Player
    objective: Objective
    together: tuple[str, ...] = ()
    opponent: tuple[Card, ...] = ()
    opponent_mulligans: int = 0
    blocked_cells: int = 0

    def with_cards(self, played: tuple[Card, ...]) -> "Question":
        """The same with other cards in the places of the deck."""
        return replace(self, played=played)

    def bare(self, mulligans: int) -> Deal:
        """The seat after so many mulligans, without cards."""
        return Deal(
            (), self.rules, self.player, mulligans, self.opponent_mulligans, self.blocked_cells
        )

    def deal(self, mulligans: int, index: int) -> Deal:
        """One deal of the run, as `draw` draws it from an unchanged deck."""
        bare, names = self.bare(mulligans), names_of(self.deck)
        places = dealt_places(names, len(self.deck), bare.size, self.seed, mulligans, index)
        cards = tuple(sorted((self.played[place] for place in places), key=lambda card: card.key))
        stream = stream_of(names, self.seed, mulligans, index, "|hidden")
        outcomes = draw_outcomes(cards, self.opponent or self.deck, stream)
        deck = tuple(sorted(self.played, key=lambda card: card.key))
        return replace(bare, cards=cards, deck=deck, outcomes=outcomes)

    def kinds(self) -> list[Card]:
        """The distinct cards, sorted by name."""
        return sorted(set(self.played), key=lambda card: card.key)

    def places(self, mulligans: int, start: int, stop: int) -> Numbers:
        """Which places of the deck are dealt from index `start` up to but not `stop`: a row a deal."""
        names, size = names_of(self.deck), self.bare(mulligans).size
        dealt = [
            dealt_places(names, len(self.deck), size, self.seed, mulligans, index)
            for index in range(start, stop)
        ]
        return np.array(dealt, np.int64).reshape(-1, size)

    def copies(self, places: Numbers) -> Numbers:
        """The deals of these places of the deck: a row of copies by kind each."""
        column = {card: place for place, card in enumerate(self.kinds())}
        kinds = np.array([column[card] for card in self.played])
        found = np.zeros((len(places), len(column)), np.int64)
        np.add.at(found, (np.arange(len(places))[:, None], kinds[places]), 1)
        return found

    def dealt(self, mulligans: int, start: int, stop: int) -> Numbers:
        """The deals from `start` up to but not including `stop`: a row of copies by kind each."""
        return self.copies(self.places(mulligans, start, stop))


class Answers(NamedTuple):
    """Some deals, what was found, and which of them the engine could not settle."""

    dealt: Numbers
    found: Settled
    by_search: list[int]


def _answer(question: Question, mulligans: int, start: int, stop: int, telling: bool) -> Answers:
    dealt = question.dealt(mulligans, start, stop)
    return answer(question, mulligans, range(start, stop), dealt, telling)


def answer(
    question: Question, mulligans: int, indices: Sequence[int], dealt: Numbers, telling: bool
) -> Answers:
    """The best squads of the deals with these indices, each a row of copies by kind."""
    kinds = question.kinds()
    bare = question.bare(mulligans)
    settled = _settled(question, kinds, dealt, bare)
    table = tableau(kinds, bare, question.objective)
    found = settle(table, np.where(settled[:, None], dealt, 0), telling)
    by_search = [int(row) for row in np.flatnonzero(~settled)]
    if by_search:
        from squadbuilder.by_model import best_of

        column = {card.key: place for place, card in enumerate(kinds)}
        for row in by_search:
            best = best_of(question.deal(mulligans, indices[row]), question.objective, telling)
            if best is not None:
                found.first[row] = best.first
                found.gold_left[row], found.silver_left[row] = best.gold_left, best.silver_left
                for key, number in best.chosen.items():
                    found.chosen[row, column[key]] = number
                found.some[row, [column[key] for key in best.some]] = 1
                found.every[row, [column[key] for key in best.every]] = 1
    return Answers(dealt, found, by_search)


def _settled(question: Question, kinds: Sequence[Card], dealt: Numbers, bare: Deal) -> Numbers:
    """Which deals the engine settles; it depends on the cards with a text that were dealt."""
    copies = Counter(question.played)
    plain = {card: copies[card] for card in kinds if card.effect == NO_EFFECT}
    special = [place for place, card in enumerate(kinds) if card.effect != NO_EFFECT]
    if not special:
        return np.full(len(dealt), takes(plain, bare, question.objective))
    sets, which = np.unique(dealt[:, special] > 0, axis=0, return_inverse=True)
    taken: list[bool] = []
    for present in sets:
        cards = [kinds[place] for place, there in zip(special, present, strict=True) if there]
        known = plain | {card: copies[card] for card in cards}
        taken.append(takes(known, bare, question.objective))
    return np.array(taken, bool)[which.reshape(-1)]


def values(question: Question, mulligans: int, start: int, stop: int) -> Counter[int]:
    """How often a deal after so many mulligans is worth a value of the first goal, by its sign."""
    found = _answer(question, mulligans, start, stop, telling=False).found
    return Counter(found.first.tolist())


@dataclass(frozen=True, slots=True)
class Use:
    """How a kind of card fared: deals that held it, its copies, and the worth of those deals."""

    deals: int = 0
    copies: int = 0
    recruited: int = 0
    in_all: int = 0
    in_some: int = 0
    worth: Moments = Moments()

    def __add__(self, other: "Use") -> "Use":
        return Use(
            self.deals + other.deals,
            self.copies + other.copies,
            self.recruited + other.recruited,
            self.in_all + other.in_all,
            self.in_some + other.in_some,
            self.worth + other.worth,
        )


@dataclass(slots=True)
class Tally:
    """What is kept of many deals. Tallies of different deals add up, in any order.

    Values are of the first goal, as a player reads them; a deal without a legal squad counts 0.
    `gold_left` to `flyers` count what the best squads (ties by the other goals, then in order of
    names) leave and hold. `lowest` and `highest` are a value and the index of the first such deal.
    """

    deals: int = 0
    by_search: int = 0
    no_squad: int = 0
    spends_all: int = 0
    values: Counter[int] = field(default_factory=Counter)
    gold_left: Counter[int] = field(default_factory=Counter)
    silver_left: Counter[int] = field(default_factory=Counter)
    elements: Counter[str] = field(default_factory=Counter)
    creatures: Counter[int] = field(default_factory=Counter)
    flyers: Counter[int] = field(default_factory=Counter)
    cards: Counter[int] = field(default_factory=Counter)
    uses: dict[str, Use] = field(default_factory=dict)
    dealt_together: int = 0
    fit_together: int = 0
    gain: Moments = Moments()
    lowest: tuple[int, int] | None = None
    highest: tuple[int, int] | None = None

    def add(self, other: "Tally") -> None:
        """Count other deals in."""
        self.deals += other.deals
        self.by_search += other.by_search
        self.no_squad += other.no_squad
        self.spends_all += other.spends_all
        for name in ("values", "gold_left", "silver_left", "elements", "creatures", "flyers"):
            getattr(self, name).update(getattr(other, name))
        self.cards.update(other.cards)
        for key, use in other.uses.items():
            self.uses[key] = self.uses.get(key, Use()) + use
        self.dealt_together += other.dealt_together
        self.fit_together += other.fit_together
        self.gain += other.gain
        self.lowest = min(found for found in (self.lowest, other.lowest) if found is not None)
        self.highest = min(
            (found for found in (self.highest, other.highest) if found is not None),
            key=lambda found: (-found[0], found[1]),
        )

    @property
    def worth(self) -> Moments:
        """The moments of the values."""
        return moments(self.values)


def tally(question: Question, start: int, stop: int, base: Question | None = None) -> Tally:
    """The deals with these indices, as dealt first. With `base`, a deck on the same shuffles, `gain`
    counts by how much each deal is worth more than there."""
    answers = _answer(question, 0, start, stop, telling=True)
    found = _count(question, answers, start)
    if base is not None:
        before = _answer(base, 0, start, stop, telling=False).found.first
        sign = question.objective[0].sign
        found.gain = moments(Counter((sign * (answers.found.first - before)).tolist()))
    return found


def _count(question: Question, answers: Answers, start: int) -> Tally:
    kinds = question.kinds()
    dealt, found = answers.dealt, answers.found
    worth = found.first * question.objective[0].sign
    built = found.chosen.any(axis=1)
    chosen = found.chosen[built]
    left = found.gold_left[built] + found.silver_left[built]
    low, high = int(worth.argmin()), int(worth.argmax())
    together = _together(question, answers, start)
    return Tally(
        deals=len(dealt),
        by_search=len(answers.by_search),
        no_squad=int((~built).sum()),
        spends_all=int((left == 0).sum()),
        values=Counter(worth.tolist()),
        gold_left=Counter(found.gold_left[built].tolist()),
        silver_left=Counter(found.silver_left[built].tolist()),
        elements=Counter(
            {element.value: _with_element(chosen, kinds, element) for element in Element}
        ),
        creatures=_counted(chosen, [card.creature for card in kinds]),
        flyers=_counted(chosen, [card.type is CardType.FLYER for card in kinds]),
        cards=_counted(chosen, [True] * len(kinds)),
        uses={
            card.key: _use(dealt[:, place], answers, place, worth)
            for place, card in enumerate(kinds)
        },
        dealt_together=together[0],
        fit_together=together[1],
        lowest=(int(worth[low]), start + low),
        highest=(int(worth[high]), start + high),
    )


def _use(copies: Numbers, answers: Answers, place: int, worth: Numbers) -> Use:
    there = copies > 0
    return Use(
        deals=int(there.sum()),
        copies=int(copies.sum()),
        recruited=int(np.minimum(answers.found.chosen[:, place], copies).sum()),
        in_all=int(answers.found.every[there, place].sum()),
        in_some=int(answers.found.some[there, place].sum()),
        worth=moments(Counter(worth[there].tolist())),
    )


def _with_element(chosen: Numbers, kinds: Sequence[Card], element: Element) -> int:
    """How many squads have a card with this printed element."""
    places = [place for place, card in enumerate(kinds) if element in card.elements]
    return int(chosen[:, places].any(axis=1).sum())


def _counted(chosen: Numbers, wanted: Iterable[bool]) -> Counter[int]:
    return Counter((chosen @ np.fromiter(wanted, np.int64)).tolist())


def _together(question: Question, answers: Answers, start: int) -> tuple[int, int]:
    """In how many deals are the cards named all there, and in how many do they fit one squad?"""
    if not question.together:
        return 0, 0
    kinds = question.kinds()
    wanted = Counter(question.together)
    row = np.array([wanted.pop(card.key, 0) for card in kinds])
    if wanted:
        return 0, 0
    there = np.flatnonzero((answers.dealt >= row).all(axis=1))
    table = tableau(kinds, question.bare(0), question.objective)
    fitting = 0
    for deal in map(int, there):
        if deal in answers.by_search:
            from squadbuilder.by_model import fits

            fitting += fits(question.deal(0, start + deal), Counter(question.together))
        else:
            fitting += fit_together(table, answers.dealt[deal], row)
    return len(there), fitting
