"""The oracle against golden cases, against a naive permutation search, and on directed examples."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from oracle import (
    Step,
    Table,
    _deal,
    _lines,
    best_gold_in_order,
    best_line,
    finals,
    judge_order,
    load_cards,
    maximal,
    purse,
    smallest_limits,
    squads,
)

from squadbuilder.cards import Card
from squadbuilder.terms import fold

CASES = Path(__file__).parent / "cases"
CATALOGUE = load_cards(Path(__file__).parents[1] / "data" / "cards.csv")


def keys(names: Sequence[str]) -> list[str]:
    return [fold(name) for name in names]


def deal(*names: str) -> list[Card]:
    return [CATALOGUE[key] for key in keys(names)]


def case_files() -> list[Path]:
    """Golden cases, without those of the step before recruitment (not played by the oracle)."""
    return [
        path
        for path in sorted(CASES.glob("*.json"))
        if not json.loads(path.read_text(encoding="utf-8"))["name"].startswith("before recruit")
    ]


@pytest.mark.parametrize("path", case_files(), ids=lambda path: path.stem)
def test_golden_case(path: Path) -> None:
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    cards = deal(*case["deal"]["deal"])
    table = Table(**{name: value for name, value in case["deal"].items() if name != "deal"})
    legal = squads(cards, table)

    ranks = []
    for squad, ends in legal.items():
        costs = [CATALOGUE[key].cost for key in squad]
        elite = [CATALOGUE[key].cost for key in squad if CATALOGUE[key].elite]
        ranks.append((sum(costs), sum(elite), max(gold for gold, _ in ends)))
    best = max(ranks)
    expect = case["expect"]
    assert len(legal) == expect["legal_squads"]
    assert dict(zip(("cost", "elite", "gold_left"), best, strict=True)) == expect["best"]
    assert sum(rank[0] == best[0] for rank in ranks) == expect["squads_with_best_cost"]

    for check in case["checks"]:
        squad = tuple(sorted(keys(check["squad"])))
        ends3 = finals(cards, table, squad)
        assert {end[:2] for end in ends3} == legal.get(squad, frozenset())
        if check["legal"]:
            assert max(gold for gold, _, _ in ends3) == check["gold_left"]
        else:
            assert not ends3
            limits = smallest_limits(cards, table, squad)
            assert [list(codes) for codes in limits] == check["limits"]
            for codes in limits:
                assert squad in squads(cards, table, frozenset(codes))

    for check in case["orders"]:
        order = keys(check["order"])
        assert judge_order(cards, table, order) == check.get("step")
        assert best_gold_in_order(cards, table, order) == check.get("gold_left")


# ---------------------------------------------------------------- best_line and maximal


Value = Callable[[int, int], tuple[int, ...]]


def gold_first(gold: int, silver: int) -> tuple[int, ...]:
    return gold, silver


def silver_only(gold: int, silver: int) -> tuple[int, ...]:
    return (silver,)


@pytest.mark.parametrize("value", [gold_first, silver_only])
@pytest.mark.parametrize(
    "names",
    [
        ("Тич", "Вольный воитель", "Ахтар", "Мародер"),
        ("Алтарь Хигарта", "Джилла", "Драккарх", "Анволд", "Саламандра"),
        ("Ахтар", "Ахтар", "Линдвурм", "Линдвурм"),
        ("Мираж", "Аль-Джамия", "Мираж", "Аль-Джамия", "Райская птица"),
    ],
)
def test_best_line_is_the_best_of_all_orders(names: tuple[str, ...], value: Value) -> None:
    cards = deal(*names)
    table = Table()
    squad = keys(names)
    line = best_line(cards, table, squad, value)
    assert line is not None
    assert line == naive_best_line(cards, table, squad, value)
    assert (line[-1].left_gold, line[-1].left_silver, total_penalty(line)) in finals(
        cards, table, squad
    )
    check_books(line, table)


def naive_best_line(
    cards: Sequence[Card], table: Table, squad: Sequence[str], value: Value
) -> list[Step]:
    """Write down every line of every order, and take the first."""

    def rank(steps: Sequence[Step]) -> tuple[Any, ...]:
        end = value(steps[-1].left_gold, steps[-1].left_silver)
        return (
            [-part for part in end],
            total_penalty(steps),
            [step.key for step in steps],
            [bool(step.bonus) for step in steps],
            [step.x or 0 for step in steps],
            [bool(step.ordinary) for step in steps],
        )

    everything: list[list[Step]] = []
    for order in set(permutations(squad)):
        done, lines = _lines(_deal(cards, table), order)
        if done == len(order):
            everything += [list(line.steps) for line in lines]
    return min(everything, key=rank)


def total_penalty(steps: Sequence[Step]) -> int:
    return sum(step.penalty for step in steps)


def check_books(line: Sequence[Step], table: Table) -> None:
    """Every step's purse follows from the one before."""
    gold, silver = purse(table)
    for step in line:
        gold += step.gained - step.gold - step.penalty
        silver -= step.silver
        assert (gold, silver) == (step.left_gold, step.left_silver)


def test_best_line_breaks_ties_by_order_and_choices() -> None:
    names = ("Тич", "Ахтар", "Вольный воитель")
    line = best_line(deal(*names), Table(), keys(names), lambda gold, silver: ())
    assert line is not None
    assert [step.key for step in line] == keys(("Ахтар", "Вольный воитель", "Тич"))
    assert [step.bonus for step in line] == [None, None, False]
    assert [step.x for step in line] == [None, 0, None]
    assert [step.ordinary for step in line] == [False, None, None]


def test_best_line_of_an_illegal_squad() -> None:
    names = ("Ведьмак", "Саламандра", "Нетопырь")
    assert best_line(deal(*names), Table(), keys(names), gold_first) is None


def naive_maximal(given: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    for small in given:
        if not any(
            len(big) > len(small) and all(big.count(key) >= small.count(key) for key in small)
            for big in given
        ):
            yield small


def test_maximal() -> None:
    given = [("a",), ("a", "a"), ("a", "b"), ("b", "c", "c"), ("c",), ("d",), ("a", "b", "e")]
    assert maximal(given) == {("a", "a"), ("b", "c", "c"), ("d",), ("a", "b", "e")}
    assert maximal(given) == set(naive_maximal(given))
    assert maximal([]) == set()


# ---------------------------------------------------------------- directed examples of the rulings


def test_purse() -> None:
    assert purse(Table()) == (24, 22)
    assert purse(Table(player="second", mulligans=2)) == (25, 23)
    assert purse(Table(player="second", mulligans=2, rules="tournament")) == (23, 23)


def test_gain_before_and_after_payment() -> None:
    """Тич's two gold pay for himself only before payment (403.2.3.1, 403.2.2)."""
    cards = deal("Тич")
    assert squads(cards, Table(rules="tournament", mulligans=19)) == {
        ("тич",): frozenset({(0, 22)})
    }
    table = Table(rules="tournament", mulligans=19, on_recruit_gain="after_payment")
    assert squads(cards, table) == {}
    assert smallest_limits(cards, table, ["тич"]) == [("crystals",)]


def test_creature_each_step_or_final() -> None:
    cards = deal("Алтарь Хигарта", "Велит")
    order = keys(("Алтарь Хигарта", "Велит"))
    final = Table(creature_required="final")
    assert judge_order(cards, Table(), order) == 1
    assert judge_order(cards, final, order) is None
    assert judge_order(cards, final, order[:1]) == 1
    assert smallest_limits(cards, final, order[:1]) == [("no_creature",)]
    assert set(squads(cards, final)) == {("велит",), tuple(sorted(order))}
    lifted = squads(cards, final, frozenset({"no_creature"}))
    assert set(lifted) == {("алтарь хигарта",), ("велит",), tuple(sorted(order))}


def test_altar_makes_a_paid_element_new_and_a_first_one_free_again() -> None:
    """Анволд, altar: nothing is left of the elements, so the next element is the first one."""
    names = ("Анволд", "Алтарь Хигарта", "Топи Зенды")
    cards = deal(*names, "Велит")
    squad = keys(names)
    free = finals(cards, Table(), squad)
    assert {penalty for _, _, penalty in free} == {0, 1}  # 1: the swamp before the altar
    most = max(gold for gold, _, _ in free)
    assert best_gold_in_order(cards, Table(), squad) == most
    assert best_gold_in_order(cards, Table(), [*squad, "велит"]) == most - 1  # steppe is second


def test_two_printings_are_one_card() -> None:
    cards = deal("Мародер", "Мародёр")
    assert set(squads(cards, Table())) == {("мародер",)}
    assert smallest_limits(cards, Table(), ["мародер", "мародер"]) == [("unique",)]


def test_squads_outside_the_deal() -> None:
    cards = deal("Велит")
    assert finals(cards, Table(), ["велит", "велит"]) == frozenset()
    assert smallest_limits(cards, Table(), ["велит", "велит"]) == []
    assert judge_order(cards, Table(), ["велит", "велит"]) == 2
    assert smallest_limits(cards, Table(), ["велит"]) == [()]
