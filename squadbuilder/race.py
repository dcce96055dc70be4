"""A race of swaps by successive halving: all begin on a few deals, the better half goes on with twice
as many, and those left at the end are judged on fresh deals, which had no part in choosing them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from squadbuilder.crew import Crew
from squadbuilder.estimates import Estimate, Moments, mean
from squadbuilder.evaluation import Question
from squadbuilder.swaps import Compared, Swap, compare
from squadbuilder.trial import Watch

FEWEST_RACED = 10
FEWEST_JUDGED = 100
USUAL_RACED = 40
USUAL_JUDGED = 10_000
LEVEL = 0.95
GROUP = 64
"""Swaps that are compared in one go."""
SPAN = 250
"""Deals that are compared in one go."""
PIECE = 200_000
"""Deals compared between one saved line and the next."""


class Round(NamedTuple):
    """So many swaps on the deals from `start` up to but not including `stop`."""

    swaps: int
    start: int
    stop: int

    @property
    def compared(self) -> int:
        """How many deals are compared, each swap's counted."""
        return self.swaps * (self.stop - self.start)


@dataclass(frozen=True, slots=True)
class Plan:
    """The rounds of the race, and the last one, which judges."""

    race: tuple[Round, ...]
    judging: Round

    @property
    def compared(self) -> int:
        """How many deals are compared in all."""
        return sum(each.compared for each in (*self.race, self.judging))


def _fields(swaps: int, top: int) -> list[int]:
    """How many swaps run in each round of the race: half of them go on, until so many are left."""
    found: list[int] = []
    while swaps > top:
        found.append(swaps)
        swaps = max(top, -(-swaps // 2))
    return found


def _stretch(number: int) -> int:
    """How many times the first round's deals are new in a round: all deals double each time."""
    return 1 if number == 0 else 2 ** (number - 1)


def _price(fields: Sequence[int], top: int, raced: int, judged: int) -> int:
    """The budget for so many deals in the first round and in the last: half for each."""
    judging = top * judged
    if not fields:
        return judging
    racing = raced * sum(runners * _stretch(n) for n, runners in enumerate(fields))
    return 2 * max(racing, judging)


def least_budget(swaps: int, top: int) -> int:
    """Below this many deals, chance alone would decide the race."""
    return _price(_fields(swaps, top), min(swaps, top), FEWEST_RACED, FEWEST_JUDGED)


def usual_budget(swaps: int, top: int) -> int:
    """The budget if none is stated."""
    return _price(_fields(swaps, top), min(swaps, top), USUAL_RACED, USUAL_JUDGED)


def plan(swaps: int, top: int, budget: int) -> Plan:
    """The rounds that find the best `top` of so many swaps with this budget of compared deals."""
    fields, last = _fields(swaps, top), min(swaps, top)
    judged = (budget // 2 if fields else budget) // last
    unit = sum(runners * _stretch(number) for number, runners in enumerate(fields))
    first = (budget - budget // 2) // unit if fields else 0
    rounds: list[Round] = []
    stop = 0
    for number, runners in enumerate(fields):
        start, stop = stop, stop + first * _stretch(number)
        rounds.append(Round(runners, start, stop))
    return Plan(tuple(rounds), Round(last, stop, stop + judged))


class Standing(NamedTuple):
    """A swap, the deals it was compared on, and by how much it changes the mean."""

    swap: Swap
    gain: Moments
    estimate: Estimate | None


@dataclass(slots=True)
class Race:
    """Where a race stands; `complete` is False if Ctrl-C cut it short.

    The sums of the rounds that chose and those of the fresh deals that judge are kept apart.
    """

    question: Question
    plan: Plan
    running: list[Swap]
    raced: dict[Swap, Moments] = field(default_factory=dict)
    judged: dict[Swap, Moments] = field(default_factory=dict)
    worth_raced: Moments = Moments()
    worth_judged: Moments = Moments()
    entered: int = 0
    complete: bool = False

    @property
    def fresh(self) -> bool:
        """Do fresh deals tell about every swap that is left? They do if nothing had to be chosen."""
        return not self.plan.race or all(
            self.judged.get(swap, Moments()).number > 1 for swap in self.running
        )

    @property
    def level(self) -> float:
        """The level of each interval, so that with 95% all of them hold together (Bonferroni).

        Where the deals that chose must also tell, it counts every swap that entered and every look.
        """
        looks = len(self.running) if self.fresh else self.entered * len(self.plan.race or (1,))
        return 1 - (1 - LEVEL) / looks

    @property
    def worth(self) -> Moments:
        """What the deals that tell are worth to the deck as it is."""
        return self.worth_judged if self.fresh else self.worth_raced

    def standings(self) -> list[Standing]:
        """The swaps that are left, the best first; those that have not run yet are not told."""
        sums = self.judged if self.fresh else self.raced
        ran = [swap for swap in self.running if sums.get(swap, Moments()).number > 1]
        return [
            Standing(swap, sums[swap], mean(sums[swap], self.level))
            for swap in self._best_first(ran, sums)
        ]

    def _best_first(self, swaps: Sequence[Swap], sums: dict[Swap, Moments]) -> list[Swap]:
        sign = self.question.objective[0].sign
        return sorted(
            swaps, key=lambda swap: (-sign * sums[swap].mean, swap.out.key, swap.into.key)
        )

    def keep(self, number: int) -> None:
        """Let the best go on."""
        if number < len(self.running):
            self.running = self._best_first(self.running, self.raced)[:number]

    def add(self, swaps: Sequence[Swap], found: Compared, judging: bool, first: bool) -> None:
        """Count compared deals in; the deck itself is counted with the first swaps of a span."""
        sums = self.judged if judging else self.raced
        for swap, gain in zip(swaps, found.gains, strict=True):
            sums[swap] = sums.get(swap, Moments()) + gain
        if first and judging:
            self.worth_judged += found.worth
        elif first:
            self.worth_raced += found.worth


class Book(NamedTuple):
    """Finished pieces of a race: `find` one of an earlier run, `write` one down."""

    find: Callable[[Sequence[Swap], int, int], Compared | None]
    write: Callable[[Sequence[Swap], int, int, Compared], None]


def run(
    question: Question, swaps: Sequence[Swap], rounds: Plan, crew: Crew, watch: Watch, book: Book
) -> Race:
    """Run the race; Ctrl-C keeps where it stands and is not raised again."""
    race = Race(question, rounds, list(swaps), entered=len(swaps))
    try:
        for each in (*rounds.race, rounds.judging):
            race.keep(each.swaps)
            for start, stop in _pieces(each):
                _piece(race, start, stop, each is rounds.judging, crew, watch, book)
        race.complete = True
    except KeyboardInterrupt:
        pass
    return race


def _pieces(each: Round) -> Iterator[tuple[int, int]]:
    deals = max(1, PIECE // each.swaps // SPAN) * SPAN
    for start in range(each.start, each.stop, deals):
        yield start, min(start + deals, each.stop)


def _piece(
    race: Race, start: int, stop: int, judging: bool, crew: Crew, watch: Watch, book: Book
) -> None:
    running = tuple(race.running)
    known = book.find(running, start, stop)
    if known is not None:
        race.add(running, known, judging, first=True)
        return
    groups = [running[first : first + GROUP] for first in range(0, len(running), GROUP)]
    work = [
        (group, begin, min(begin + SPAN, stop))
        for begin in range(start, stop, SPAN)
        for group in groups
    ]
    whole = {swap: Moments() for swap in running}
    worth = Moments()
    parts = crew.map(compare, ((race.question, *each) for each in work))
    for (group, begin, end), part in zip(work, parts, strict=True):
        first = group is groups[0]
        race.add(group, part, judging, first)
        worth += part.worth if first else Moments()
        whole |= {swap: whole[swap] + gain for swap, gain in zip(group, part.gains, strict=True)}
        watch(len(group) * (end - begin))
    book.write(running, start, stop, Compared(worth, tuple(whole[swap] for swap in running)))
