"""The CP-SAT solver, set up in one way everywhere: one worker, so that ties fall the same way."""

import threading
from typing import Any, NamedTuple

from ortools.sat.python import cp_model

from squadbuilder.interrupt import listening

_SECONDS = 0.05


class Run(NamedTuple):
    """How a solve ended: the solver's status, and whether the player stopped it."""

    status: Any
    interrupted: bool


def new_solver() -> cp_model.CpSolver:
    """A solver for the small models of this game."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.cp_model_presolve = False
    solver.parameters.catch_sigint_signal = False
    return solver


def run(
    solver: cp_model.CpSolver,
    model: cp_model.CpModel,
    callback: cp_model.CpSolverSolutionCallback | None = None,
) -> Run:
    """Solve; Ctrl-C stops the solver and keeps what it has.

    The solver works in a thread, so that the main one can hear the signal; it is heard by a handler,
    since an exception could strike before the thread is known to run.
    """
    statuses: list[Any] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            statuses.append(solver.solve(model, callback))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    with listening() as heard:
        thread.start()
        while thread.is_alive():
            thread.join(_SECONDS)
            if heard:
                solver.stop_search()
    if failed and not isinstance(failed[0], KeyboardInterrupt):
        raise failed[0]
    return Run(statuses[0] if statuses else cp_model.UNKNOWN, bool(heard or failed))
