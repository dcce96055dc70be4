"""Ratios measured in one run: `make bench`, or some of them: `python tests/bench.py evaluate`.

Each row names its target; times alone mean little here.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import oracle
from dealing import DECKS, from_deck, order_sensitive, table, with_abilities
from ortools.sat.python import cp_model

from squadbuilder.cards import catalogue
from squadbuilder.crew import Crew
from squadbuilder.deal import Deal
from squadbuilder.engine import settle
from squadbuilder.evaluation import Question
from squadbuilder.formats import read_deck
from squadbuilder.listing import list_all
from squadbuilder.model import build, measure
from squadbuilder.objective import DEFAULT
from squadbuilder.ranking import packed
from squadbuilder.recruit import Recruitment
from squadbuilder.referee import judge
from squadbuilder.ruleset import ruleset
from squadbuilder.solve import solve
from squadbuilder.solver import new_solver, run
from squadbuilder.tableau import tableau
from squadbuilder.terms import Player
from squadbuilder.trial import Amount
from squadbuilder.trial import run as play

SAMPLES = Path(__file__).parents[1] / "data" / "deals"


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def percentile(values: Sequence[float], percent: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def row(name: str, value: float, target: float, extra: str = "", least: bool = False) -> None:
    verdict = "ok" if (value >= target if least else value <= target) else "MISSED"
    bound = "at least" if least else "at most"
    print(f"{name:<58} {value:7.2f}  ({bound} {target:g}) {verdict:<7} {extra}", flush=True)


def bare_model(deal: Deal) -> tuple[cp_model.CpModel, cp_model.LinearExprT]:
    """A knapsack of the same cards: gold for elite ones, any crystals for the rest; cost only."""
    model = cp_model.CpModel()
    taken = [model.new_bool_var(str(place)) for place in range(len(deal.cards))]
    pairs = list(zip(deal.cards, taken, strict=True))
    elite = sum(card.cost * literal for card, literal in pairs if card.elite)
    every = sum(card.cost * literal for card, literal in pairs)
    if any(card.elite for card in deal.cards):
        model.add(elite <= deal.gold)
    model.add(every <= deal.gold + deal.silver)
    for (card, one), (following, other) in pairwise(pairs):
        if card.key == following.key:
            model.add_implication(other, one)
    return model, every


def bare_knapsack(deal: Deal) -> None:
    model, every = bare_model(deal)
    model.maximize(every)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.solve(model)


def bare_enumeration(deal: Deal) -> None:
    class Counter(cp_model.CpSolverSolutionCallback):
        found = 0

        def on_solution_callback(self) -> None:
            self.found += 1

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.solve(bare_model(deal)[0], Counter())


def has_effects(deal: Deal) -> bool:
    return any(card.effect.note and not card.effect.unmodelled for card in deal.cards)


def solve_rows() -> None:
    order_free = [deal for seed in range(150) if not has_effects(deal := from_deck(seed))][:60]
    ratios = []
    for deal in order_free:
        bare = statistics.median(seconds(lambda d=deal: bare_knapsack(d)) for _ in range(3))  # type: ignore[misc]
        ours = statistics.median(seconds(lambda d=deal: solve(d)) for _ in range(3))  # type: ignore[misc]
        ratios.append(ours / bare)
    row("solve, order-free deals / bare knapsack, median", statistics.median(ratios), 3)
    ratios, cuts = [], []
    for seed in range(60):
        deal = order_sensitive(seed, 15)
        bare = statistics.median(seconds(lambda d=deal: bare_knapsack(d)) for _ in range(3))  # type: ignore[misc]
        ours = statistics.median(seconds(lambda d=deal: solve(d)) for _ in range(3))  # type: ignore[misc]
        ratios.append(ours / bare)
        cuts.append(solve(deal).cuts)
    extra = f"p90 {percentile(ratios, 90):.1f}"
    row(
        "solve, order-sensitive deals / bare knapsack, median", statistics.median(ratios), 12, extra
    )
    row("cuts a deal, median", statistics.median(cuts), 1, f"most {max(cuts)}")


def ability_rows() -> None:
    """Deals with abilities before recruitment; the decks that they search are known."""
    for number, target in ((1, 20), (3, 60)):
        ratios = []
        for seed in range(40):
            deal = with_abilities(seed, 15, number)
            bare = statistics.median(seconds(lambda d=deal: bare_knapsack(d)) for _ in range(3))  # type: ignore[misc]
            ours = statistics.median(seconds(lambda d=deal: solve(d)) for _ in range(3))  # type: ignore[misc]
            ratios.append(ours / bare)
        name = f"solve, deals with {number} before recruitment / knapsack"
        row(name, statistics.median(ratios), target, f"p90 {percentile(ratios, 90):.1f}")


def list_rows() -> None:
    order_free = [deal for seed in range(80) if not has_effects(deal := from_deck(seed))][:8]
    ratios = [
        seconds(lambda d=deal: list_all(d)) / seconds(lambda d=deal: bare_enumeration(d))  # type: ignore[misc]
        for deal in order_free
    ]
    row("list, order-free deals / bare enumeration, median", statistics.median(ratios), 4)
    ratios = []
    for seed in range(100, 108):
        deal = order_sensitive(seed, 15)
        ours = seconds(lambda d=deal: list_all(d))  # type: ignore[misc]
        ratios.append(ours / seconds(lambda d=deal: oracle.squads(d.cards, table(d))))  # type: ignore[misc]
    row("list, order-sensitive deals / exhaustive walk, median", statistics.median(ratios), 1)


def check_rows() -> None:
    worst = 0.0
    for seed in range(60):
        recruitment = Recruitment(order_sensitive(seed, 15))
        worst = max(worst, seconds(lambda r=recruitment: judge(r, r.deal.cards)))  # type: ignore[misc]
        half = recruitment.deal.cards[::2]
        worst = max(worst, seconds(lambda r=recruitment, c=half: judge(r, c)))  # type: ignore[misc]
    row("illegal order-sensitive check, worst of 120, seconds", worst, 1.5)


def one_solve(deal: Deal) -> None:
    """The model of the deal, built and solved once under the default objective."""
    model = build(deal)
    model.cp.maximize(packed(model, DEFAULT, [measure(model, goal) for goal in DEFAULT])[0])
    run(new_solver(), model.cp)


def evaluate_rows() -> None:
    """Deals of all decks for one seat: the engine, the evaluation with its mulligans, a solve a deal."""
    number, solved = 1000, 6
    engine_time = whole_time = by_model = bare = 0.0
    fell_back = deals = 0
    for path in DECKS:
        deck = read_deck(str(path), catalogue())
        asked = Question(deck, deck, 1, ruleset(), Player.FIRST, DEFAULT)
        rows = asked.dealt(0, 0, number)
        numbers = tableau(asked.kinds(), asked.bare(0), DEFAULT)
        settle(numbers, rows[:1])
        engine_time += seconds(lambda t=numbers, r=rows: settle(t, r))  # type: ignore[misc]
        start = time.perf_counter()
        trial = play(asked, [], Amount(deals=number), Crew(), lambda _: None)
        whole_time += time.perf_counter() - start
        fell_back += trial.tally.by_search
        deals += number
        for index in range(solved):
            deal = asked.deal(0, index)
            by_model += seconds(lambda d=deal: one_solve(d)) / solved  # type: ignore[misc]
            bare += seconds(lambda d=deal: bare_knapsack(d)) / solved  # type: ignore[misc]
    per_deal = engine_time / deals
    solve_time, knapsack = by_model / len(DECKS), bare / len(DECKS)
    extra = f"{1e6 * per_deal:.0f} us a deal, {knapsack / per_deal:.0f} of a bare knapsack"
    row("engine, deals a second / one CP-SAT solve a deal", solve_time / per_deal, 50, extra, True)
    whole = whole_time / deals
    extra = f"{1e6 * whole:.0f} us a deal, {knapsack / whole:.0f} of a bare knapsack"
    row("evaluate, deals a second / one CP-SAT solve a deal", solve_time / whole, 15, extra, True)
    print(f"deals that fell back to the search: {fell_back} of {deals}")


def shell(*command: str) -> float:
    run = [sys.executable, *command]
    times = [
        seconds(lambda: subprocess.run(run, check=True, capture_output=True)) for _ in range(7)
    ]
    return statistics.median(times)


def shell_rows() -> None:
    deal = str(SAMPLES / "farro-mirage.yaml")
    imported = shell("-c", "import ortools.sat.python.cp_model")
    checked = shell("-m", "squadbuilder", "check", deal, "Мираж", "Фарро")
    solved = shell("-m", "squadbuilder", "solve", deal)
    print(f"import of OR-Tools {imported:.2f} s, check {checked:.2f} s, solve {solved:.2f} s")
    row("shell: check / (half the import + 0.15 s)", checked / (imported / 2 + 0.15), 1)
    row("shell: solve - import, seconds", solved - imported, 0.6)


ROWS = {
    "solve": solve_rows,
    "abilities": ability_rows,
    "list": list_rows,
    "check": check_rows,
    "evaluate": evaluate_rows,
    "shell": shell_rows,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or ROWS:
        ROWS[name]()
