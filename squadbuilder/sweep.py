"""The best squads of deals by looking at every squad, in NumPy: the engine where Numba is missing.

Slow beside the compiled search, yet exact; the two are tested against each other.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from squadbuilder.tableau import NOTHING, Numbers, Settled, Tableau, nothing_settled

MOST_SQUADS = 2**20


def sweep(t: Tableau, deals: Numbers) -> Settled:
    """The best squads of deals, each a row of copies by kind."""
    found = nothing_settled(deals)
    for number, dealt in enumerate(deals):
        _sweep_deal(t, dealt, number, found)
    return found


class _Squads:
    """Many squads at once: for each, sums over its cards."""

    def __init__(self, t: Tableau) -> None:
        zero = np.zeros(1, np.int64)
        self.t = t
        self.gold, self.crystals = zero + t.gold, zero + t.gold + t.silver
        self.elements = self.flyers = self.creatures = self.value = self.first = zero
        self.used = np.zeros((len(t.caps), 1), np.int64)
        self.counts = np.zeros((0, 1), np.int64)

    def add(self, kind: int, price: int, counts: Numbers) -> None:
        """Every squad with each of these numbers of copies of a kind."""
        t = self.t

        def plus(sums: Numbers, each: int) -> Numbers:
            return np.add.outer(sums, each * counts).reshape(*sums.shape[:-1], -1)

        gain = int(t.gain_gold[kind])
        self.gold = plus(self.gold, gain - price * int(t.elite[kind]))
        self.crystals = plus(self.crystals, gain + int(t.gain_silver[kind]) - price)
        self.flyers = plus(self.flyers, price * int(t.flyer[kind]))
        self.creatures = plus(self.creatures, int(t.creature[kind]))
        self.value = plus(self.value, int(t.weights @ t.worth[:, kind]))
        self.first = plus(self.first, int(t.first_worth[kind]))
        brings = t.elements[kind] * (counts > 0)
        self.elements = np.bitwise_or.outer(self.elements, brings).reshape(-1)
        each_row = t.rows[:, kind, None, None] * counts
        self.used = (self.used[:, :, None] + each_row).reshape(len(t.caps), -1)
        before = np.repeat(self.counts, len(counts), axis=1)
        own = np.tile(counts, self.counts.shape[1])
        self.counts = np.concatenate([before, own[None]])

    def legal(self, kinds: list[int]) -> Numbers:
        """The places of the legal squads (403.2.3); the penalty (403.2.1) is taken off first."""
        t = self.t
        number = sum((self.elements >> bit & 1 for bit in range(5)), np.zeros(1, np.int64))
        penalty = np.maximum(0, number - 1)
        self.gold, self.crystals = self.gold - penalty, self.crystals - penalty
        good = (self.gold >= 0) & (self.crystals >= 0) & (self.creatures > 0)
        good &= self.flyers <= t.flyer_cap
        for row, (cap, carrier) in enumerate(zip(t.caps, t.carriers, strict=True)):
            kept = self.used[row] <= cap
            if carrier >= 0 and carrier in kinds:
                kept |= self.counts[kinds.index(carrier)] == 0
            good &= kept if carrier < 0 or carrier in kinds else True
        return np.flatnonzero(good)


def _sweep_deal(t: Tableau, dealt: Numbers, number: int, found: Settled) -> None:
    kinds = [int(kind) for kind in np.flatnonzero(dealt)]
    have = {kind: int(min(dealt[kind], t.most[kind])) for kind in kinds}
    leaders = [kind for kind in kinds if t.leads[kind]]
    others = [kind for kind in kinds if not t.leads[kind]]
    best: tuple[int, tuple[int, ...]] = (NOTHING, ())
    first = NOTHING
    parts: list[tuple[Numbers, Numbers]] = []
    for chosen in product(*(range(have[kind] + 1) for kind in leaders)):
        squads = _Squads(t)
        for kind, count in zip(leaders, chosen, strict=True):
            squads.add(kind, int(t.price[kind]), np.array([count]))
        for kind in others:
            price = _price(t, kind, leaders, chosen)
            squads.add(kind, price, np.arange(have[kind] + 1))
        legal = squads.legal(leaders + others)
        if not len(legal):
            continue
        gold = np.minimum(squads.gold, squads.crystals)[legal]
        crystals = squads.crystals[legal]
        value = squads.value[legal] + t.gold_weight * gold + t.any_weight * crystals
        goal = squads.first[legal]
        if t.first_purse:
            goal = gold if abs(t.first_purse) == 1 else crystals
            goal = goal if t.first_purse > 0 else -goal
        first = max(first, int(goal.max()))
        counts = squads.counts[:, legal]
        parts.append((goal, counts))
        for place in np.flatnonzero(value == value.max()):
            squad = dict(zip(leaders + others, counts[:, place].tolist(), strict=True))
            names = tuple(kind for kind in kinds for _ in range(squad[kind]))
            if value[place] > best[0] or (value[place] == best[0] and names < best[1]):
                best = int(value[place]), names
                found.gold_left[number] = gold[place]
                found.silver_left[number] = crystals[place] - gold[place]
    if not parts:
        return
    found.first[number] = first
    np.add.at(found.chosen[number], list(best[1]), 1)
    reaching = np.concatenate([counts[:, goal == first] for goal, counts in parts], axis=1) > 0
    found.some[number, leaders + others] = reaching.any(axis=1)
    found.every[number, leaders + others] = reaching.all(axis=1)


def fit_together(t: Tableau, dealt: Numbers, wanted: Numbers) -> bool:
    """Does some legal squad of the deal hold so many copies of each kind?

    Leaders may join to help, and one creature to open the squad; nobody else could make it legal.
    """
    have = np.minimum(dealt, t.most)
    if (wanted > have).any():
        return False
    leaders = [int(kind) for kind in np.flatnonzero((dealt > 0) & (t.leads > 0))]
    others = [int(kind) for kind in np.flatnonzero((wanted > 0) & (t.leads == 0))]
    more = [int(k) for k in np.flatnonzero((have > wanted) & (t.creature > 0) & (t.leads == 0))]
    for opener in (None, *more):
        counts = wanted.copy()
        if opener is not None:
            counts[opener] += 1
        joining = others if opener is None or opener in others else [*others, opener]
        for chosen in product(*(range(int(wanted[k]), int(have[k]) + 1) for k in leaders)):
            squads = _Squads(t)
            for kind, count in zip(leaders, chosen, strict=True):
                squads.add(kind, int(t.price[kind]), np.array([count]))
            for kind in joining:
                squads.add(kind, _price(t, kind, leaders, chosen), counts[kind : kind + 1])
            if len(squads.legal(leaders + joining)):
                return True
    return False


def _price(t: Tableau, kind: int, leaders: Sequence[int], chosen: Sequence[int]) -> int:
    """What a card costs once these leaders are there (403.2.2)."""
    less = sum(int(t.less[giver, kind]) * n for giver, n in zip(leaders, chosen, strict=True))
    return max(0, int(t.price[kind]) - less)
