"""When to mulligan (пересдача, 402.4): the best policy, by backward induction over simulated values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from squadbuilder.ruleset import MulliganCost, Ruleset
from squadbuilder.terms import Player

FEWEST = 100


@dataclass(frozen=True, slots=True)
class Policy:
    """Keep a deal whose best squad is worth at least `thresholds[m]` after m mulligans.

    After the last mulligan that the rules leave, anything is kept, so no threshold stands there.
    `worth[m]` is what can be expected after m mulligans; `rate` how often the first deal is given up,
    `mulligans` how many are taken on average.
    """

    thresholds: tuple[int, ...]
    worth: tuple[Fraction, ...]
    rate: Fraction
    mulligans: Fraction

    def keeps(self, value: int, mulligans: int) -> bool:
        """Is a deal of this value to be kept after so many mulligans?"""
        return mulligans >= len(self.thresholds) or value >= self.thresholds[mulligans]


def most_mulligans(rules: Ruleset, player: Player) -> int:
    """How many mulligans can be taken before the game is lost (402.4) or no gold is left."""
    if rules.mulligan_costs is MulliganCost.CARD:
        return rules.deal_size - 1
    return rules.gold[player]


def deals_after(deals: int, mulligans: int) -> int:
    """How many deals to simulate after so many mulligans: the rarer they are, the fewer."""
    return deals if mulligans == 0 else max(deals >> mulligans, min(deals, FEWEST))


def policy(values: Sequence[Mapping[int, int]]) -> Policy:
    """The best policy when `values[m]` counts how often a deal after m mulligans is worth a value.

    Greater values are better. A deal is kept if it is worth no less than another mulligan promises.
    """
    promise: Fraction | None = None
    worth: list[Fraction] = []
    for counts in reversed(values):
        total = sum(
            (value if promise is None else max(Fraction(value), promise)) * number
            for value, number in counts.items()
        )
        promise = Fraction(total) / sum(counts.values())
        worth.insert(0, promise)
    thresholds = tuple(ceil(following) for following in worth[1:])
    going = Fraction(1)
    expected = Fraction(0)
    rates: list[Fraction] = []
    for counts, threshold in zip(values, thresholds, strict=False):
        given_up = sum(number for value, number in counts.items() if value < threshold)
        going *= Fraction(given_up, sum(counts.values()))
        rates.append(going)
        expected += going
    rate = rates[0] if rates else Fraction(0)
    return Policy(thresholds, tuple(worth), rate, expected)
