"""The best squads of a deal, from the model, each settled by the search for an order.

The model's squads come in falling order of their most favourable value. The order search gives each
its true value, which may be lower; a squad is certain to be next once its true value is no lower than
the favourable value of the squad that the model has just found.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from heapq import heappop, heappush
from math import floor

from ortools.sat.python import cp_model

from squadbuilder.before import BeforeStep
from squadbuilder.deal import Deal
from squadbuilder.model import build, measure
from squadbuilder.objective import DEFAULT, Objective, thrifty
from squadbuilder.orders import Line, Orders
from squadbuilder.ranking import Rank, packed, rank
from squadbuilder.recruit import Recruitment
from squadbuilder.referee import judge_order
from squadbuilder.solver import new_solver, run
from squadbuilder.squad import Counts
from squadbuilder.squad_model import Begun
from squadbuilder.stated import named_as
from squadbuilder.wishes import Wishes

_QUICKLY = 0.3

Watch = Callable[[int], None]
"""Told now and then how many squads were found."""


class Status(str, Enum):
    """How sure an answer is: proved best, best found in the time given, proved none, or not known."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Answer:
    """The best squads, best first.

    `bound` is what the first goal (with its sign) was proved not to exceed, if the search was cut
    short; `solves` and `cuts` tell what the search took.
    """

    status: Status
    lines: tuple[Line, ...]
    bound: int | None = None
    interrupted: bool = False
    solves: int = 0
    cuts: int = 0

    @property
    def cut(self) -> bool:
        """Whether the search ended before it was sure."""
        return self.status in (Status.FEASIBLE, Status.UNKNOWN)


class DisagreementError(Exception):
    """The model and the referee do not agree on a squad: a bug in one of them, never an answer."""


def solve(
    deal: Deal,
    objective: Objective = DEFAULT,
    top: int = 1,
    wanted: Wishes = (),
    differ: int = 1,
    time_limit: float | None = None,
    watch: Watch | None = None,
    begun: BeforeStep | None = None,
) -> Answer:
    """The `top` best squads of a deal under the objective, ties in order of names.

    `begun`: where recruitment stands already; the squads go on from there (403.2.4).
    Of squads that differ by fewer than `differ` cards only the best is kept. Ctrl-C ends the search
    and keeps what was found.
    """
    search = BestFirst(deal, objective, wanted, differ, time_limit, begun)
    lines: list[Line] = []
    try:
        for found in search.squads():
            lines.append(search.shown(found))
            if watch is not None:
                watch(len(lines))
            if len(lines) == top:
                break
    except KeyboardInterrupt:
        search.interrupted = True
    bound: int | None = None
    if search.interrupted or search.out_of_time:
        lines += map(search.shown, search.listed[len(lines) :])
        bound = lines[0].value[0] if lines else search.first_goal_bound()
        while len(lines) < top and (squad := search.pending()) is not None:
            lines.append(search.shown(squad))
        status = Status.FEASIBLE if lines else Status.UNKNOWN
    else:
        status = Status.OPTIMAL if lines else Status.INFEASIBLE
    return Answer(status, tuple(lines), bound, search.interrupted, search.solves, search.cuts)


class BestFirst:
    """One model, solved again and again without the squads already found."""

    def __init__(
        self,
        deal: Deal,
        objective: Objective,
        wanted: Wishes = (),
        differ: int = 1,
        time_limit: float | None = None,
        begun: BeforeStep | None = None,
    ) -> None:
        self.objective = objective
        self.differ = differ
        self.deadline = None if time_limit is None else time.monotonic() + time_limit
        self.begun = begun is not None
        started = None if begun is None else _begun(begun)
        self.model = build(deal, wanted, begun=started, thrifty=thrifty(objective))
        self.recruitment = Recruitment(deal)
        self.orders = Orders(self.recruitment, objective, begun=begun)
        self.goals = [measure(self.model, goal) for goal in objective]
        self.out_of_time = False
        self.interrupted = False
        self.solves = 0
        self.cuts = 0
        self._packed = packed(self.model, objective, self.goals)
        self._waiting: list[tuple[Rank, Counts]] = []
        self.listed: list[Counts] = []

    def squads(self) -> Iterator[Counts]:
        """Every legal squad, best first."""
        cards = self.recruitment.cards
        while (found := self._next()) is not None:
            squad, favourable = found
            value = self.orders.value(squad)
            if value is not None:
                if value > favourable:
                    raise DisagreementError(f"the model undervalues {self._names(squad)}")
                heappush(self._waiting, (rank(cards, squad, value), squad))
            if value != favourable:
                self.cuts += 1
            self.model.forbid(squad)
            certain = rank(cards, squad, favourable)
            while self._waiting and self._waiting[0][0] <= certain:
                if (following := self.pending()) is not None:
                    yield following
        if not (self.out_of_time or self.interrupted):
            while (following := self.pending()) is not None:
                yield following

    def pending(self) -> Counts | None:
        """The best of the squads found but not yet listed, if it differs enough from those."""
        while self._waiting:
            squad = heappop(self._waiting)[1]
            if all(distance(squad, other) >= self.differ for other in self.listed):
                self.listed.append(squad)
                self._keep_away_from(squad)
                return squad
        return None

    def shown(self, squad: Counts) -> Line:
        """The squad's line, replayed by the referee before anyone sees it."""
        line = self.orders.line(squad)
        if line is None:
            raise DisagreementError(f"no order builds {self._names(squad)}")
        replay(self.recruitment, line, self.objective, self.begun)
        return line

    def _next(self) -> tuple[Counts, tuple[int, ...]] | None:
        """The model's next squad and its favourable value."""
        cp = self.model.cp if len(self._packed) == 1 else self.model.cp.clone()
        solver = new_solver()
        for goal in self._packed:
            if not _set_time(solver, self.deadline):
                self.out_of_time = True
                return None
            cp.maximize(goal)
            status, interrupted = run(solver, cp)
            self.solves += 1
            if interrupted or status not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
                self.interrupted = interrupted
                self.out_of_time = not interrupted
                self._keep_best(solver, status)
                return None
            if status == cp_model.INFEASIBLE:
                return None
            if goal is not self._packed[-1]:
                cp.add(goal == solver.value(goal))
        return self.model.squad(solver.value), tuple(int(solver.value(g)) for g in self.goals)

    def _keep_best(self, solver: cp_model.CpSolver, status: object) -> None:
        """The solver stopped early, out of time or by Ctrl-C: its best squad may still count."""
        if status == cp_model.MODEL_INVALID:
            raise DisagreementError(self.model.cp.validate())
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            squad = self.model.squad(solver.value)
            if (value := self.orders.value(squad)) is not None:
                heappush(self._waiting, (rank(self.recruitment.cards, squad, value), squad))

    def first_goal_bound(self) -> int | None:
        """What the first goal cannot exceed, as far as that is proved quickly.

        The squads that wait are forbidden in the model, so it cannot speak for them.
        """
        solver = new_solver()
        solver.parameters.max_time_in_seconds = _QUICKLY
        cp = self.model.cp.clone()
        cp.maximize(self.goals[0])
        bounds = [-place.value[0] for place, _ in self._waiting[:1]]
        status = run(solver, cp).status
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            bounds.append(floor(solver.best_objective_bound + 1e-6))
        elif status != cp_model.INFEASIBLE:
            return None
        return max(bounds, default=None)

    def _keep_away_from(self, squad: Counts) -> None:
        """The following squads add, or leave out, at least `differ` cards."""
        if self.differ > 1:
            within = [
                literal
                for kind, copies in enumerate(self.model.taken)
                for literal in copies[: squad[kind]]
            ]
            beyond = [
                literal
                for kind, copies in enumerate(self.model.taken)
                for literal in copies[squad[kind] :]
            ]
            adds = self.model.cp.new_bool_var("adds")
            self.model.cp.add(sum(beyond) >= self.differ).only_enforce_if(adds)
            self.model.cp.add(len(within) - sum(within) >= self.differ).only_enforce_if(
                adds.negated()
            )

    def _names(self, squad: Counts) -> str:
        cards = self.recruitment.cards
        return ", ".join(cards.kinds[kind].name for kind in cards.members(squad))


def _begun(step: BeforeStep) -> Begun:
    """A position as the model sees it."""
    state = step.start.state
    return Begun(
        state.squad,
        step.most(),
        state.gold,
        state.silver,
        state.flyer_spent,
        state.promises,
        bool(step.abilities),
    )


def distance(one: Counts, other: Counts) -> int:
    """By how many cards two squads differ: the larger side of their multiset difference."""
    more = sum(max(0, a - b) for a, b in zip(one, other, strict=True))
    less = sum(max(0, b - a) for a, b in zip(one, other, strict=True))
    return max(more, less)


def replay(recruitment: Recruitment, line: Line, objective: Objective, begun: bool = False) -> None:
    """Let the referee follow a line step by step; a difference is a `DisagreementError`.

    In a recruitment that has `begun`, an ability may have been used for less than it can do: stated by
    names it is free again, and the referee may find more.
    """
    order = [named_as(recruitment, step) for step in line.steps]
    verdict = judge_order(recruitment, order, objective)
    found = verdict.line.value if verdict.line is not None else None
    if found is None or found < line.value or (found > line.value and not begun):
        raise DisagreementError(f"the referee rejects {[named.card.name for named in order]}")


def _set_time(solver: cp_model.CpSolver, deadline: float | None) -> bool:
    """Give the solver the time that is left; False if there is none."""
    if deadline is None:
        return True
    left = deadline - time.monotonic()
    solver.parameters.max_time_in_seconds = max(left, 0)
    return left > 0
