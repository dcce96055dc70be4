"""All legal squads of a deal: the model's squads, each settled by the search for an order."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from ortools.sat.python import cp_model

from squadbuilder.deal import Deal
from squadbuilder.model import build
from squadbuilder.objective import DEFAULT, Objective
from squadbuilder.orders import Orders
from squadbuilder.ranking import Rank, rank
from squadbuilder.recruit import Recruitment
from squadbuilder.solve import BestFirst, Watch
from squadbuilder.solver import new_solver, run
from squadbuilder.squad import Counts
from squadbuilder.squad_model import SquadModel
from squadbuilder.wishes import Wishes


@dataclass(frozen=True, slots=True)
class Listing:
    """Legal squads, best first; `complete` says that there are no more."""

    squads: tuple[Counts, ...]
    complete: bool
    interrupted: bool = False


def list_all(
    deal: Deal,
    objective: Objective = DEFAULT,
    wanted: Wishes = (),
    maximal: bool = False,
    limit: int | None = None,
    watch: Watch | None = None,
) -> Listing:
    """Every legal squad that fulfils the wishes; with `maximal` only those no legal squad contains.

    All are collected and sorted, so this is for deals of 15 cards. Ctrl-C ends the search and
    keeps what was found; but then no squad is known to be maximal, so none is listed.
    """
    found, interrupted = _collect(build(deal, () if maximal else wanted))
    orders = Orders(Recruitment(deal), objective)
    ranked: list[tuple[Rank, Counts]] = []
    try:
        for squad in found:
            value = orders.value(squad)
            if value is not None:
                ranked.append((rank(orders.cards, squad, value), squad))
                if watch is not None:
                    watch(len(ranked))
    except KeyboardInterrupt:
        interrupted = True
    squads = [squad for _, squad in sorted(ranked)]
    if maximal:
        contained = set(squads) if interrupted else parts(squads)
        squads = [squad for squad in squads if squad not in contained]
        squads = [squad for squad in squads if all(wish.met(squad) for wish in wanted)]
    cut = limit is not None and len(squads) > limit
    return Listing(tuple(squads[:limit]), not cut and not interrupted, interrupted)


def list_best(
    deal: Deal,
    limit: int,
    objective: Objective = DEFAULT,
    wanted: Wishes = (),
    watch: Watch | None = None,
) -> Listing:
    """The first squads of the list, one after another: for deals too large to collect."""
    search = BestFirst(deal, objective, wanted)
    found: list[Counts] = []
    try:
        for squad in islice(search.squads(), limit + 1):
            found.append(squad)
            if watch is not None:
                watch(len(found))
    except KeyboardInterrupt:
        search.interrupted = True
    complete = len(found) <= limit and not search.interrupted
    return Listing(tuple(found[:limit]), complete, search.interrupted)


def parts(squads: Iterable[Counts]) -> set[Counts]:
    """Every squad that is properly contained in one of these."""
    found: set[Counts] = set()
    edge = set(squads)
    while edge:
        smaller: set[Counts] = set()
        for squad in edge:
            for kind, count in enumerate(squad):
                if count:
                    smaller.add((*squad[:kind], count - 1, *squad[kind + 1 :]))
        edge = smaller - found
        found |= edge
    return found


def _collect(model: SquadModel) -> tuple[list[Counts], bool]:
    """The model's squads, each once; and whether Ctrl-C cut the search short."""
    found: dict[Counts, None] = {}

    class Collector(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found[model.squad(self.value)] = None

    solver = new_solver()
    solver.parameters.linearization_level = 0
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.search_branching = cp_model.FIXED_SEARCH
    model.cp.add_decision_strategy(
        [literal for copies in model.taken for literal in copies],
        cp_model.CHOOSE_FIRST,
        cp_model.SELECT_MIN_VALUE,
    )
    interrupted = run(solver, model.cp, Collector()).interrupted
    return list(found), interrupted
