"""One deck on one seat: so many deals, its swaps on the same shuffles, and its mulligans."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from squadbuilder.crew import Crew
from squadbuilder.estimates import mean
from squadbuilder.evaluation import CHUNK, Question, Tally, tally, values
from squadbuilder.mulligan import Policy, deals_after, most_mulligans, policy

MOST_DEALS = 10_000_000
FEWEST_DEALS = 1000

Watch = Callable[[int], None]
"""Told how many deals were settled since it was last told."""


@dataclass(frozen=True, slots=True)
class Amount:
    """How many deals: a number, or as many as it takes for an interval of the mean this wide."""

    deals: int | None = None
    until: float | None = None


@dataclass(slots=True)
class Trial:
    """What was found; `complete` is False if Ctrl-C cut it short, then `policy` may be missing."""

    question: Question
    tally: Tally = field(default_factory=Tally)
    swaps: list[Tally] = field(default_factory=list)
    policy: Policy | None = None
    complete: bool = False


def expected(amount: Amount, question: Question, swaps: int) -> int | None:
    """How many deals a trial settles, mulligans and swaps counted; None if that is not known."""
    if amount.deals is None:
        return None
    later = range(1, most_mulligans(question.rules, question.player) + 1)
    after = sum(deals_after(amount.deals, mulligans) for mulligans in later)
    return amount.deals * (1 + 2 * swaps) + after


def run(
    question: Question, swapped: Sequence[Question], amount: Amount, crew: Crew, watch: Watch
) -> Trial:
    """Play the trial out; Ctrl-C keeps what was done and is not raised again."""
    trial = Trial(question)
    try:
        _deal(trial, amount, crew, watch)
        for other in swapped:
            trial.swaps.append(_swap(trial, other, crew, watch))
        trial.policy = best_policy(question, trial.tally.deals, crew, watch, trial.tally.values)
        trial.complete = True
    except KeyboardInterrupt:
        pass
    return trial


def _deal(trial: Trial, amount: Amount, crew: Crew, watch: Watch) -> None:
    spans = _spans(MOST_DEALS if amount.deals is None else amount.deals)
    for part in crew.map(tally, ((trial.question, *span) for span in spans)):
        trial.tally.add(part)
        watch(part.deals)
        if amount.until is not None and trial.tally.deals >= FEWEST_DEALS:
            estimate = mean(trial.tally.worth)
            if estimate is not None and estimate.width <= amount.until:
                break


def _swap(trial: Trial, other: Question, crew: Crew, watch: Watch) -> Tally:
    found = Tally()
    spans = _spans(trial.tally.deals)
    for part in crew.map(tally, ((other, *span, trial.question) for span in spans)):
        found.add(part)
        watch(2 * part.deals)
    return found


def _spans(deals: int) -> Iterator[tuple[int, int]]:
    for start in count(0, CHUNK):
        if start >= deals:
            return
        yield start, min(start + CHUNK, deals)


def best_policy(
    question: Question,
    deals: int,
    crew: Crew,
    watch: Watch,
    first: Counter[int] | None = None,
    mulligans: int = 0,
) -> Policy:
    """The best mulligans from `mulligans` on; `first` are the values of the deals there, if known."""
    sign = question.objective[0].sign
    stages = range(mulligans, most_mulligans(question.rules, question.player) + 1)
    numbers = [deals_after(deals, stage - mulligans) for stage in stages]

    def spans() -> Iterator[tuple[int, int, int]]:
        for stage, number in zip(stages, numbers, strict=True):
            if first is None or stage > mulligans:
                yield from ((stage, *span) for span in _spans(number))

    counts = {stage: Counter[int]() for stage in stages}
    if first is not None:
        counts[mulligans] = Counter({sign * value: n for value, n in first.items()})
    parts = crew.map(values, ((question, *span) for span in spans()))
    for (stage, start, stop), part in zip(spans(), parts, strict=True):
        counts[stage].update(part)
        watch(stop - start)
    return policy([counts[stage] for stage in stages])
