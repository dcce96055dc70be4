"""What a sample tells about all deals: means, differences and shares with 95% intervals, quantiles.

Sums of whole numbers only, so that any split of the work gives the same figures.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import inf, sqrt
from statistics import NormalDist

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Moments:
    """Number, sum and sum of squares of whole numbers; two of them add up."""

    number: int = 0
    total: int = 0
    squares: int = 0

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(
            self.number + other.number, self.total + other.total, self.squares + other.squares
        )

    def __sub__(self, other: "Moments") -> "Moments":
        return Moments(
            self.number - other.number, self.total - other.total, self.squares - other.squares
        )

    @property
    def mean(self) -> float:
        """The mean (среднее); 0 of nothing."""
        return self.total / self.number if self.number else 0.0

    @property
    def variance_of_mean(self) -> float:
        """How uncertain the mean is; infinite for fewer than two numbers."""
        if self.number < 2:
            return inf
        spread = self.squares * self.number - self.total**2
        return spread / (self.number**2 * (self.number - 1))


def moments(counts: Mapping[int, int]) -> Moments:
    """The moments of numbers, each so many times."""
    return Moments(
        sum(counts.values()),
        sum(value * n for value, n in counts.items()),
        sum(value**2 * n for value, n in counts.items()),
    )


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the interval that holds the true one in 95 of 100 samples."""

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """From one end of the interval to the other."""
        return self.high - self.low


@cache
def student(freedom: int, level: float = LEVEL) -> float:
    """The quantile of Student's distribution for a two-sided interval (Cornish-Fisher expansion)."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    n = freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )


def mean(found: Moments, level: float = LEVEL) -> Estimate | None:
    """The mean with Student's interval; None for fewer than two numbers."""
    if found.number < 2:
        return None
    reach = student(found.number - 1, level) * sqrt(found.variance_of_mean)
    return Estimate(found.mean, found.mean - reach, found.mean + reach)


def difference(one: Moments, other: Moments) -> Estimate | None:
    """How much larger the first mean is, with Welch's interval; None if either has too few."""
    if min(one.number, other.number) < 2:
        return None
    a, b = one.variance_of_mean, other.variance_of_mean
    gap = one.mean - other.mean
    if a + b == 0:
        return Estimate(gap, gap, gap)
    freedom = (a + b) ** 2 / (a**2 / (one.number - 1) + b**2 / (other.number - 1))
    reach = student(max(1, int(freedom))) * sqrt(a + b)
    return Estimate(gap, gap - reach, gap + reach)


def share(hits: int, number: int) -> Estimate | None:
    """A share with Wilson's interval; None of nothing."""
    if number == 0:
        return None
    z2 = NormalDist().inv_cdf((1 + LEVEL) / 2) ** 2
    part = hits / number
    centre = (part + z2 / (2 * number)) / (1 + z2 / number)
    reach = sqrt(z2 * (part * (1 - part) / number + z2 / (4 * number**2))) / (1 + z2 / number)
    low = 0.0 if hits == 0 else centre - reach
    high = 1.0 if hits == number else centre + reach
    return Estimate(part, low, high)


def quantile(counts: Mapping[int, int], percent: int) -> int:
    """The least value that so many per cent of the numbers do not exceed."""
    need = -(-sum(counts.values()) * percent // 100)
    below = 0
    for value in sorted(counts):
        below += counts[value]
        if below >= need:
            return value
    raise AssertionError("a quantile of nothing")
