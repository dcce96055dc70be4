"""Answers from the model: the best squads, or all of them, each settled by the search for an order.

The model's squads come in falling order of their most favourable value. The order search gives each
its true value, which may be lower; a squad is certain to be next once its true value is no lower than
the favourable value of the squad that the model has just found.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from heapq import heappop, heappush
from typing import NamedTuple

from ortools.sat.python import cp_model

from squadbuilder.deal import Deal
from squadbuilder.model import Linear, SquadModel, build, measure
from squadbuilder.objective import DEFAULT, PURSE_MEASURES, Measure, Objective, of_card
from squadbuilder.orders import Line, Orders
from squadbuilder.recruit import Recruitment
from squadbuilder.referee import Named, judge_order
from squadbuilder.squad import Counts
from squadbuilder.wishes import Wishes


class Status(str, Enum):
    """How sure an answer is: proved best, best found in the time given, proved none, or not known."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Answer:
    """The best squads, best first. `solves` and `cuts` tell what they took."""

    status: Status
    lines: tuple[Line, ...]
    solves: int = 0
    cuts: int = 0


@dataclass(frozen=True, slots=True)
class Listing:
    """All legal squads, best first; not `complete` if the time limit or the player ended it."""

    squads: tuple[Counts, ...]
    complete: bool


class DisagreementError(Exception):
    """The model and the referee do not agree on a squad: a bug in one of them, never an answer."""


class _Ranked(NamedTuple):
    """A squad's place: greater values first (held negated), then smaller names."""

    value: tuple[int, ...]
    names: tuple[int, ...]


def solve(
    deal: Deal,
    objective: Objective = DEFAULT,
    top: int = 1,
    wanted: Wishes | None = None,
    time_limit: float | None = None,
) -> Answer:
    """The `top` best squads of a deal under the objective, ties in order of names."""
    search = _Search(deal, objective, wanted, time_limit)
    lines: list[Line] = []
    for squad in search.best_first():
        lines.append(search.shown(squad))
        if len(lines) == top:
            break
    if search.out_of_time:
        lines += [search.shown(squad) for squad in search.pending(top - len(lines))]
        status = Status.FEASIBLE if lines else Status.UNKNOWN
    else:
        status = Status.OPTIMAL if lines else Status.INFEASIBLE
    return Answer(status, tuple(lines), search.solves, search.cuts)


class _Search:
    """One model, solved again and again below the last squad found."""

    def __init__(
        self,
        deal: Deal,
        objective: Objective,
        wanted: Wishes | None,
        time_limit: float | None,
    ) -> None:
        self.deal = deal
        self.objective = objective
        self.deadline = None if time_limit is None else time.monotonic() + time_limit
        self.model = build(deal, wanted)
        self.recruitment = Recruitment(deal)
        self.orders = Orders(self.recruitment, objective)
        self.goals = [measure(self.model, goal) for goal in objective]
        self.out_of_time = False
        self.solves = 0
        self.cuts = 0
        self._ranked: list[tuple[_Ranked, Counts]] = []
        self.model.cp.maximize(_packed(self.model, self.objective, self.goals))

    def best_first(self) -> Iterator[Counts]:
        """Every legal squad, best first."""
        while (found := self._next()) is not None:
            squad, favourable = found
            value = self.orders.value(squad)
            rank = _rank(self.model, squad, favourable)
            if value is not None:
                if value > favourable:
                    raise DisagreementError(f"the model undervalues {self._names(squad)}")
                heappush(self._ranked, (_rank(self.model, squad, value), squad))
            if value != favourable:
                self.cuts += 1
            while self._ranked and self._ranked[0][0] <= rank:
                yield heappop(self._ranked)[1]
            self._forbid(squad)
        if not self.out_of_time:
            yield from self.pending(len(self._ranked))

    def pending(self, most: int) -> list[Counts]:
        """The best of the squads found whose place is not yet certain."""
        return [heappop(self._ranked)[1] for _ in range(min(most, len(self._ranked)))]

    def shown(self, squad: Counts) -> Line:
        """The squad's line, replayed by the referee before anyone sees it."""
        line = self.orders.line(squad)
        if line is None:
            raise DisagreementError(f"no order builds {self._names(squad)}")
        replay(self.recruitment, line, self.objective)
        return line

    def _next(self) -> tuple[Counts, tuple[int, ...]] | None:
        solver = _solver(self.deadline)
        if solver is None:
            self.out_of_time = True
            return None
        status = solver.solve(self.model.cp)
        self.solves += 1
        if status == cp_model.OPTIMAL:
            squad = self.model.squad(solver.value)
            return squad, tuple(int(solver.value(goal)) for goal in self.goals)
        if status == cp_model.MODEL_INVALID:
            raise DisagreementError(self.model.cp.validate())
        if status == cp_model.FEASIBLE:
            squad = self.model.squad(solver.value)
            if (value := self.orders.value(squad)) is not None:
                heappush(self._ranked, (_rank(self.model, squad, value), squad))
        self.out_of_time = status != cp_model.INFEASIBLE
        return None

    def _forbid(self, squad: Counts) -> None:
        """The next squad is another one: some copy more or some copy less."""
        self.model.cp.add_bool_or(
            literal.negated() if copy < squad[kind] else literal
            for kind, copies in enumerate(self.model.taken)
            for copy, literal in enumerate(copies)
            if copy in (squad[kind] - 1, squad[kind])
        )

    def _names(self, squad: Counts) -> str:
        cards = self.recruitment.cards
        return ", ".join(cards.kinds[kind].name for kind in cards.members(squad))


def list_all(
    deal: Deal,
    objective: Objective = DEFAULT,
    wanted: Wishes | None = None,
    time_limit: float | None = None,
) -> Listing:
    """Every legal squad of a deal: the model's squads, each settled by the search for an order."""
    model = build(deal, wanted)
    solver = _solver(None if time_limit is None else time.monotonic() + time_limit)
    if solver is None:
        return Listing((), False)
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.linearization_level = 0
    solver.parameters.search_branching = cp_model.FIXED_SEARCH
    model.cp.add_decision_strategy(
        [literal for copies in model.taken for literal in copies],
        cp_model.CHOOSE_FIRST,
        cp_model.SELECT_MIN_VALUE,
    )
    collector = _Collector(model, Orders(Recruitment(deal), objective))
    status = solver.solve(model.cp, collector)
    complete = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    return Listing(tuple(squad for _, squad in sorted(collector.found)), complete)


class _Collector(cp_model.CpSolverSolutionCallback):
    """Keeps the model's squads that some order builds."""

    def __init__(self, model: SquadModel, orders: Orders) -> None:
        super().__init__()
        self.model = model
        self.orders = orders
        self.found: list[tuple[_Ranked, Counts]] = []

    def on_solution_callback(self) -> None:
        squad = self.model.squad(self.value)
        value = self.orders.value(squad)
        if value is not None:
            self.found.append((_rank(self.model, squad, value), squad))


def replay(recruitment: Recruitment, line: Line, objective: Objective) -> None:
    """Let the referee follow a line step by step; a difference is a `DisagreementError`."""
    kinds = recruitment.cards.kinds
    order = [
        Named(kinds[step.kind], step.choices.bonus, step.choices.x, step.choices.paid)
        for step in line.steps
    ]
    verdict = judge_order(recruitment, order, objective)
    if verdict.line is None or verdict.line.value != line.value:
        raise DisagreementError(f"the referee rejects {[named.card.name for named in order]}")


def _solver(deadline: float | None) -> cp_model.CpSolver | None:
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.num_workers = 1
    parameters.cp_model_presolve = False
    if deadline is not None:
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        parameters.max_time_in_seconds = left
    return solver


def _rank(model: SquadModel, squad: Counts, value: tuple[int, ...]) -> _Ranked:
    return _Ranked(tuple(-number for number in value), tuple(model.cards.members(squad)))


def _packed(model: SquadModel, objective: Objective, goals: list[Linear]) -> Linear:
    """All goals and the names in one expression, each goal outweighing everything after it."""
    names, weight = _by_names(model, objective)
    parts = [names]
    for goal, expression in reversed(list(zip(objective, goals, strict=True))):
        parts.append(weight * expression)
        weight *= _span(model, goal.measure) + 1
    return sum(parts)


def _span(model: SquadModel, measured: Measure) -> int:
    """The most by which a measure can differ between two squads."""
    if measured in PURSE_MEASURES:
        gains = [card.effect.gain for card in model.deal.cards if card.effect.gain]
        gained = sum(gain.gold + gain.silver for gain in gains)
        return model.deal.gold + model.deal.silver + gained
    return sum(of_card(measured, card) for card in model.deal.cards)


def _by_names(model: SquadModel, objective: Objective) -> tuple[Linear, int]:
    """An expression that is greater for the squad whose sorted names come first, and its span.

    Read as a row of digits, a copy each in order of name, the greater row has the earlier names. A
    list that ends is smaller than one that goes on; that matters only where no goal tells a squad
    from a part of it.
    """
    copies = [literal for literals in model.taken for literal in literals]
    digits: list[Linear] = list(copies)
    low: Linear = 0
    weight = 1
    if not any(goal.measure in (Measure.COST, Measure.CARDS) for goal in objective):
        weight = len(copies) + 1
        low = len(copies) - sum(copies)
        ended: list[Linear] = []
        nothing_after: Linear = True
        for literal in reversed(copies):
            over = model.both(nothing_after, literal.negated())
            ended.append(over)
            nothing_after = over
        digits = [literal + over for literal, over in zip(copies, reversed(ended), strict=True)]
    parts = [low]
    for digit in reversed(digits):
        parts.append(weight * digit)
        weight *= 2
    return sum(parts), weight
