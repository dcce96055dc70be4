"""The oracle against golden cases, against a naive permutation search, and on directed examples."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from oracle import (
    Step,
    Table,
    _begin,
    _deal,
    _lines,
    _moves,
    _uses,
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


def table_of(given: dict[str, Any]) -> Table:
    """The table of a case's deal file."""
    rest = {name: value for name, value in given.items() if name not in ("deal", "deck")}
    return Table(**rest, deck=tuple(deal(*given["deck"])) if "deck" in given else None)


@pytest.mark.parametrize("path", sorted(CASES.glob("*.json")), ids=lambda path: path.stem)
def test_golden_case(path: Path) -> None:
    case: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    cards = deal(*case["deal"]["deal"])
    table = table_of(case["deal"])
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
            if "limits" in check:  # the cases of the step before recruitment have none
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


def rank_of(steps: Sequence[Step], value: Value) -> tuple[Any, ...]:
    """How `best_line` compares lines: the least comes first."""
    end = value(steps[-1].left_gold, steps[-1].left_silver)
    taken = [step for step in steps if step.taken]
    return (
        [-part for part in end],
        total_penalty(steps),
        [step.key for step in taken],
        [bool(step.bonus) for step in taken],
        [step.x or 0 for step in taken],
        [bool(step.ordinary) for step in taken],
        sum(step.by is not None for step in steps),
    )


def naive_best_line(
    cards: Sequence[Card],
    table: Table,
    squad: Sequence[str],
    value: Value,
    plan_before: bool = False,
) -> list[Step]:
    """Write down every line of every order, and take the first."""

    everything: list[list[Step]] = []
    for order in set(permutations(squad)):
        done, lines = _lines(_deal(cards, table, plan_before), order, plan_before)
        if done == len(order):
            everything += [list(line.steps) for line in lines]
    return min(everything, key=lambda steps: rank_of(steps, value))


def total_penalty(steps: Sequence[Step]) -> int:
    return sum(step.penalty for step in steps)


def check_books(line: Sequence[Step], table: Table) -> None:
    """Every step's purse follows from the one before."""
    gold, silver = purse(table)
    for step in line:
        gold += step.gained - step.gold - step.penalty - step.lost_gold
        silver -= step.silver + step.lost_silver
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


# ---------------------------------------------------------------- before recruitment (403.1)


def gold(amount: int, **more: Any) -> Table:
    """A first player with this much gold and 22 silver, one terrain card at most."""
    return Table(rules="tournament", mulligans=24 - amount, **more)


def deck(cards: Sequence[Card], *names: str) -> tuple[Card, ...]:
    """The deal and these cards."""
    return (*cards, *deal(*names))


def of(*names: str) -> tuple[str, ...]:
    return tuple(sorted(keys(names)))


def offered(cards: Sequence[Card], table: Table) -> set[str]:
    """The cards of the deal that have an ability to use at once."""
    whole = _deal(cards, table)
    return {whole.kinds[place].name for place, _ in _uses(whole, _begin(whole, True))}


def by_before(cards: Sequence[Card], table: Table) -> set[tuple[str, ...]]:
    """The squads that only the step before recruitment makes legal."""
    return set(squads(cards, table)) - set(squads(cards, table, plan_before=False))


def test_linnet_pays_an_elite_creature_as_an_ordinary_card() -> None:
    cards = deal("Линнет", "Ифрит")
    assert squads(cards, gold(0)) == {
        of("Линнет"): {(0, 17)},
        of("Линнет", "Ифрит"): {(0, 11)},  # 5 and 6 in silver; the first element is free
    }
    assert by_before(cards, gold(0)) == {of("Линнет", "Ифрит")}
    assert finals(cards, gold(6), of("Линнет", "Ифрит")) == {(6, 11, 0), (0, 17, 0)}
    for order in permutations(keys(("Линнет", "Ифрит"))):
        assert judge_order(cards, gold(0), order) is None
    assert judge_order(cards, gold(0), keys(("Линнет", "Ифрит")), plan_before=False) == 2


@pytest.mark.parametrize("name", ["Молох", "Ахтар", "Скалы Лант-Мора", "Легионер"])
def test_linnet_takes_elite_creatures_of_printed_cost_seven_at_most(name: str) -> None:
    """Молох and Ахтар cost 8, the rocks are a terrain, Легионер is ordinary."""
    cards = deal("Линнет", name)
    assert offered(cards, gold(24)) == set()
    assert by_before(cards, gold(0)) == set()


def test_linnet_leaves_the_creature_its_choices_and_gains() -> None:
    cards = deal("Линнет", "Вольный воитель")
    assert squads(cards, gold(0))[of("Линнет", "Вольный воитель")] == {
        (0, 17 - 2 - x) for x in range(5)
    }
    cards = deal("Линнет", "Тич")
    assert squads(cards, gold(0))[of("Линнет", "Тич")] == {(0, 10), (2, 10)}
    cards = deal("Линнет", "Падшая Линнет", "Ифрит", "Эстри")
    assert smallest_limits(cards, gold(20), of("Линнет", "Падшая Линнет", "Ифрит", "Эстри")) == [
        ("quota",)  # paid in silver, still elite
    ]


def test_demonologist_takes_a_demon_for_three_less() -> None:
    cards = deal("Демонолог", "Эстри")
    assert squads(cards, gold(7)) == {
        of("Демонолог"): {(1, 22)},
        of("Эстри"): {(3, 22)},
        of("Демонолог", "Эстри"): {(0, 22)},  # 6 and 4 - 3, both gold
    }
    assert by_before(cards, gold(7)) == {of("Демонолог", "Эстри")}
    cards = deal("Демонолог", "Бес", "Саламандра", "Нетопырь")
    ends = squads(cards, gold(6))
    assert ends[of("Демонолог", "Бес")] == {(0, 22), (0, 19)}
    assert ends[of("Демонолог", "Саламандра")] == {(0, 22), (0, 19)}  # a companion is a creature
    assert ends[of("Демонолог", "Нетопырь")] == {(0, 20)}  # no demon
    assert ends[of("Демонолог", "Бес", "Саламандра")] == {(0, 19), (0, 16)}  # one of them only


def test_demonologist_s_demon_costs_nothing_at_least() -> None:
    cheap = replace(CATALOGUE["бес"], cost=2)  # no real demon is as cheap
    assert squads([*deal("Демонолог"), cheap], gold(6))[of("Демонолог", "Бес")] == {
        (0, 22),
        (0, 20),
    }


def test_demonologist_s_flyer_counts_with_what_was_paid() -> None:
    """7 and 7 and 4 less 3: exactly 15 crystals for flyers."""
    cards = deal("Демонолог", "Дзингор", "Мерцающий змей", "Эстри")
    squad = of("Демонолог", "Дзингор", "Мерцающий змей", "Эстри")
    assert finals(cards, gold(17), squad) == {(0, 18, 0), (3, 15, 0)}  # the demon: 7 S or 4 G
    assert finals(cards, gold(17), squad, plan_before=False) == frozenset()
    assert smallest_limits(cards, gold(17), squad, plan_before=False) == [("flyer_cap",)]
    assert finals(cards, gold(14), squad) == {(0, 15, 0)}
    assert smallest_limits(cards, gold(13), squad) == [("crystals",)]
    assert smallest_limits(cards, gold(13), squad, plan_before=False) == [("crystals", "flyer_cap")]


def test_temple_recruiter_finds_two_more_of_a_shown_creature() -> None:
    cards = deal("Рекрутер Храма", "Велит")
    table = gold(24, deck=deck(cards, "Велит", "Велит", "Велит", "Шакал", "Шакал"))
    assert squads(cards, table) == {
        of("Рекрутер Храма"): {(24, 17)},
        of("Велит"): {(24, 19)},
        of("Рекрутер Храма", "Велит"): {(24, 14)},
        of("Рекрутер Храма", "Велит", "Велит"): {(24, 11)},
        of("Рекрутер Храма", "Велит", "Велит", "Велит"): {(24, 8)},
    }
    assert offered(cards, gold(24)) == set()  # no deck list, no search
    one = gold(24, deck=deck(cards, "Велит"))
    assert by_before(cards, one) == {of("Рекрутер Храма", "Велит", "Велит")}


def test_temple_recruiter_shows_a_creature_of_the_deal() -> None:
    cards = deal("Рекрутер Храма", "Топи Зенды")
    table = gold(24, deck=deck(cards, "Топи Зенды", "Велит", "Велит"))
    assert offered(cards, table) == set()
    assert by_before(cards, table) == set()


def test_temple_recruiter_s_finds_are_not_recruited_and_may_break_a_limit() -> None:
    cards = deal("Рекрутер Храма", "Джилла")
    table = gold(24, deck=deck(cards, "Джилла", "Джилла"))
    assert by_before(cards, table) == set()
    double = of("Рекрутер Храма", "Джилла", "Джилла")
    assert smallest_limits(cards, table, double) == [("unique",)]
    assert squads(cards, table, frozenset({"unique"}))[double] == {(14, 17)}
    assert smallest_limits(cards, table, of("Джилла", "Джилла")) == []  # he stays in the squad


def test_every_copy_of_the_enslaver_finds_an_elemental() -> None:
    enslaver = "Поработитель Ордена"
    cards = deal(enslaver, enslaver)
    table = gold(24, deck=deck(cards, "Элементаль воды", "Элементаль земли", "Велит"))
    assert squads(cards, table) == {
        of(enslaver): {(19, 22)},
        of(enslaver, enslaver): {(14, 22)},
        of(enslaver, "Элементаль воды"): {(19, 18)},
        of(enslaver, "Элементаль земли"): {(19, 17)},
        of(enslaver, enslaver, "Элементаль воды"): {(14, 18)},
        of(enslaver, enslaver, "Элементаль земли"): {(14, 17)},
        of(enslaver, enslaver, "Элементаль воды", "Элементаль земли"): {(13, 13)},
    }
    assert offered(cards, gold(24)) == set()
    assert offered(cards, gold(24, deck=tuple(cards))) == {
        enslaver
    }  # "may": nothing to find is fine


def test_a_found_card_may_use_its_own_ability() -> None:
    """It is a card of the deal now (403.1)."""
    cards = deal("Поработитель Ордена")
    table = gold(24, deck=deck(cards, "Элементаль праха"))
    assert squads(cards, table)[of("Поработитель Ордена")] == {(19, 22), (17, 22)}
    cards = deal("Рекрутер Храма", "Поработитель Ордена")
    more = ("Поработитель Ордена", "Элементаль воды", "Элементаль земли")
    found = squads(cards, gold(24, deck=deck(cards, *more)))
    assert of("Рекрутер Храма", "Поработитель Ордена", *more) in found
    assert of("Рекрутер Храма", "Поработитель Ордена", *more[1:]) not in found


def test_a_found_card_may_be_shown() -> None:
    """Поработитель finds an elemental, Рекрутер shows it and finds two more."""
    cards = deal("Рекрутер Храма", "Поработитель Ордена")
    three = ["Элементаль воды"] * 3
    squad = of("Рекрутер Храма", "Поработитель Ордена", *three)
    assert finals(cards, gold(5, deck=deck(cards, *three)), squad) == {(0, 5, 0)}
    assert squad not in squads(cards, gold(5, deck=deck(cards, *three[1:])))


def test_enlister_finds_an_element_that_was_not_shown() -> None:
    shown = ("Велит", "Ватажник", "Эльф-лучник")  # steppe, mountain, forest
    cards = deal("Вербовщик", *shown)
    table = gold(24, deck=deck(cards, "Нетопырь", "Щупальце кракена", "Шакал", "Абордажник"))
    found = by_before(cards, table)
    assert of("Вербовщик", "Нетопырь") in found
    assert of("Вербовщик", "Щупальце кракена", *shown) in found  # shown cards stay in the deal
    assert len(found) == 2 * 2**3
    assert all(("нетопырь" in squad) != ("щупальце кракена" in squad) for squad in found)
    assert all("вербовщик" in squad for squad in found)
    assert squads(cards, table)[of("Вербовщик", "Нетопырь")] == {(24, 16)}
    assert squads(cards, table)[of("Вербовщик", "Нетопырь", "Велит")] == {(23, 13)}
    assert offered(cards, gold(24)) == set()


def test_enlister_shows_three_cards_of_three_elements_and_no_more() -> None:
    two = deal("Вербовщик", "Велит", "Ватажник", "Шакал", "Абордажник")
    assert offered(two, gold(24, deck=deck(two, "Нетопырь"))) == set()
    four = deal("Вербовщик", "Велит", "Ватажник", "Эльф-лучник", "Нетопырь")
    table = gold(24, deck=deck(four, "Нетопырь"))
    assert of("Вербовщик", "Нетопырь", "Нетопырь") in by_before(four, table)


def test_enlister_s_card_may_be_of_any_type_but_each_step_is_legal() -> None:
    cards = deal("Вербовщик", "Велит", "Ватажник", "Эльф-лучник")
    table = gold(24, deck=deck(cards, "Топи Зенды"))
    assert judge_order(cards, table, keys(("Вербовщик", "Топи Зенды"))) is None
    assert judge_order(cards, table, keys(("Топи Зенды", "Вербовщик"))) == 1  # no creature yet
    assert finals(cards, table, of("Вербовщик", "Топи Зенды")) == {(24, 14, 0)}
    cards = deal("Вербовщик", "Скалы Лант-Мора", "Велит", "Эльф-лучник")
    table = gold(24, deck=deck(cards, "Топи Зенды"))
    both = of("Вербовщик", "Скалы Лант-Мора", "Топи Зенды")
    assert smallest_limits(cards, table, both) == [("terrain_limit",)]


def test_neya_finds_the_missing_cost() -> None:
    shown = ("Абордажник", "Легионер", "Ифрит", "Тич")  # 4, 5, 6, 7
    cards = deal("Нейя", *shown)
    table = gold(24, deck=deck(cards, "Ахтар", "Щупальце кракена", "Велит"))
    found = by_before(cards, table)
    assert of("Нейя", "Ахтар") in found
    assert all({"нейя", "ахтар"} <= set(squad) for squad in found)
    assert squads(cards, table)[of("Нейя", "Ахтар")] == {(12, 22), (20, 14)}  # 3, 8, an element
    assert offered(deal("Нейя", *shown[:3]), gold(24, deck=table.deck)) == set()
    assert offered(cards, gold(24)) == set()


def test_neya_may_show_all_costs_but_one_of_each() -> None:
    """With all five costs in the deal she may leave any of them unshown."""
    shown = ("Абордажник", "Легионер", "Ифрит", "Тич", "Молох")
    cards = deal("Нейя", *shown)
    table = gold(24, deck=deck(cards, "Щупальце кракена", "Ахтар", "Велит", "Левиафан"))
    found = by_before(cards, table)
    assert of("Нейя", "Ахтар") in found
    assert of("Нейя", "Щупальце кракена") in found
    assert not any("левиафан" in squad for squad in found)  # 9 is no cost of hers
    assert of("Нейя", "Ахтар", "Щупальце кракена") not in found


def test_neya_s_find_keeps_its_choices() -> None:
    shown = ("Абордажник", "Легионер", "Ифрит", "Ахтар")
    cards = deal("Нейя", *shown)
    table = gold(10, deck=deck(cards, "Тич"))
    assert squads(cards, table)[of("Нейя", "Тич")] == {(0, 22), (2, 22)}
    quota = of("Нейя", "Тич", "Абордажник", "Легионер", "Ифрит", "Ахтар")
    assert finals(cards, gold(24, deck=table.deck), quota)  # without the promise
    assert ("quota",) in smallest_limits(cards, gold(18, deck=table.deck), quota)


def test_spy_is_cheaper_by_the_elite_cards_seen() -> None:
    cards = deal("Лазутчица")
    assert squads(cards, Table(outcomes={"Лазутчица": 2})) == {
        of("Лазутчица"): {(24, 18), (24, 16)}  # the outcome forces nothing
    }
    assert squads(cards, Table()) == {of("Лазутчица"): {(24, 16)}}  # not known: the worst


def test_inquisitor_gains_after_his_payment() -> None:
    cards = deal("Отец-дознаватель", "Вольный воитель")
    two = {"Отец-дознаватель": 2}
    pair = of("Отец-дознаватель", "Вольный воитель")
    assert squads(cards, gold(4, outcomes=two))[of("Отец-дознаватель")] == {(0, 22), (2, 22)}
    assert squads(cards, gold(4, outcomes=two))[pair] == {(0, 22)}
    assert of("Отец-дознаватель") not in squads(cards, gold(3, outcomes=two))
    assert by_before(cards, gold(4)) == set()


@pytest.mark.parametrize("outcomes", [{"Лазутчица": 3}, {"Лазутчица": -1}, {"Нейя": 1}])
def test_outcomes_that_cannot_be(outcomes: dict[str, int]) -> None:
    with pytest.raises(ValueError):
        Table(outcomes=outcomes)


def test_soldiers_of_fortune_are_just_taken() -> None:
    cards = deal("Солдаты удачи", "Велит")
    assert offered(cards, Table()) == {"Солдаты удачи"}
    assert squads(cards, Table()) == squads(cards, Table(), plan_before=False)


def test_orvas_exiles_up_to_three_ordinary_akkenians() -> None:
    cards = deal("Орвас", "Велит", "Легионер", "Риала", "Шакал")  # an elite one, and no Akkenian
    ends = squads(cards, Table())
    assert ends[of("Орвас")] == {(17, 22 - loss) for loss in (0, 1, 3, 1 + 3)}
    assert ends[of("Орвас", "Велит")] == {(17, 19), (17, 16)}
    assert by_before(cards, Table()) == set()
    four = deal("Орвас", *["Велит"] * 4)
    assert squads(four, Table())[of("Орвас")] == {(17, 22 - loss) for loss in range(4)}


def test_orvas_loses_gold_when_the_silver_is_gone() -> None:
    """Silver 22 - 5 - 6 - 4 = 7; exiling three cards of cost 7 loses 15: 7 silver and 8 gold."""
    company = ("Рекрутер Храма", "Лазутчица", "Солдаты удачи")
    exiled = ("Щитоносец", "Страж Аккении", "Рыцарь ветра")
    cards = deal("Орвас", *company, *exiled)
    squad = of("Орвас", *company)
    ends = finals(cards, gold(15, deck=tuple(cards)), squad)
    assert ends == {(8, 7, 0), (8, 2, 0), (5, 0, 0), (0, 0, 0)}  # 0, 1, 2, 3 exiled
    ends = finals(cards, gold(14, deck=tuple(cards)), squad)
    assert ends == {(7, 7, 0), (7, 2, 0), (4, 0, 0)}  # 7 gold left do not pay 8
    line = best_line(
        cards, gold(15, deck=tuple(cards)), squad, lambda gold, silver: (-gold, -silver)
    )
    assert line is not None
    assert sum(step.lost_gold + step.lost_silver for step in line) == 15


def test_undertaker_needs_a_creature_of_the_deck() -> None:
    cards = deal("Гробовщик", "Велит")
    assert offered(cards, Table()) == set()
    assert offered(cards, Table(deck=tuple(cards))) == set()
    assert offered(cards, Table(deck=deck(cards, "Ифрит", "Топи Зенды"))) == set()
    table = Table(deck=deck(cards, "Легионер"))
    assert offered(cards, table) == {"Гробовщик"}
    assert squads(cards, table) == squads(cards, table, plan_before=False)


def test_what_is_buried_cannot_be_found() -> None:
    cards = deal("Гробовщик", "Поработитель Ордена")
    table = gold(24, deck=deck(cards, "Элементаль воды"))
    line = best_line(
        cards, table, of("Поработитель Ордена", "Гробовщик", "Элементаль воды"), gold_first
    )
    assert line is not None
    assert [step.by for step in line if step.key == "гробовщик"] == [None]
    orders = {
        "Поработитель Ордена, Гробовщик, Элементаль воды": None,
        "Гробовщик, Поработитель Ордена, Элементаль воды": 3,  # plainly, and the step is over
    }
    for order, step in orders.items():
        assert judge_order(cards, table, keys(order.split(", "))) == step


@pytest.mark.parametrize(("name", "price"), [("Упырёныш", 1), ("Элементаль праха", 2)])
def test_to_the_graveyard_for_gold(name: str, price: int) -> None:
    cards = deal(name, name, "Абордажник")
    for copies in range(3):
        table = gold(price * copies)
        ends = squads(cards, table)[of("Абордажник")]
        assert ends == {(price * use, 18) for use in range(copies + 1)}
        assert by_before(cards, table) == set()
    assert (0, 18) not in squads(cards, gold(3 * price))[of("Абордажник")]
    assert set(squads(cards[:1], gold(24))) == {(fold(name),)}


# ---------------------------------------------------------------- the step as a whole


def test_cards_taken_before_stand_first() -> None:
    cards = deal("Линнет", "Ифрит", "Абордажник", "Солдаты удачи")
    legal = [("Линнет", "Ифрит", "Абордажник"), ("Солдаты удачи", "Ифрит", "Линнет", "Абордажник")]
    for order in legal:
        assert judge_order(cards, gold(0), keys(order)) is None
    assert judge_order(cards, gold(0), keys(("Абордажник", "Линнет", "Ифрит"))) == 3
    assert best_gold_in_order(cards, gold(2), keys(("Абордажник", "Линнет"))) == 2


def test_an_ability_s_two_cards_come_together_or_not_at_all() -> None:
    cards = deal("Демонолог", "Ифрит", "Абордажник")
    assert judge_order(cards, gold(9), keys(("Ифрит", "Демонолог", "Абордажник"))) is None
    assert judge_order(cards, gold(9), keys(("Ифрит", "Абордажник", "Демонолог"))) == 3
    assert judge_order(cards, gold(6), keys(("Ифрит", "Демонолог"))) == 2  # Ифрит plainly
    assert judge_order(cards, gold(5), keys(("Ифрит", "Демонолог"))) == 1  # not for 3 alone


def test_a_card_in_the_squad_has_no_ability_left() -> None:
    cards = deal("Линнет", "Отец-дознаватель")
    table = Table(outcomes={"Отец-дознаватель": 2})
    assert squads(cards, table)[of("Линнет", "Отец-дознаватель")] == {
        (24, 13),  # her pair, he is paid in silver
        (22, 17),  # his own ability
        (20, 17),  # plainly
    }


def test_a_unique_name_uses_its_ability_once() -> None:
    """Even with the limit of uniqueness lifted: 403.1.3 is none of the limits."""
    cards = deal("Лазутчица", "Лазутчица")
    table = Table(outcomes={"Лазутчица": 2})
    lifted = squads(cards, table, frozenset({"unique"}))
    assert lifted[of("Лазутчица", "Лазутчица")] == {(24, 12), (24, 10)}


def test_squads_that_no_ability_brings_in() -> None:
    cards = deal("Рекрутер Храма", "Велит")
    table = gold(24, deck=deck(cards, "Шакал"))
    assert smallest_limits(cards, table, of("Рекрутер Храма", "Шакал")) == []
    assert finals(cards, table, of("Рекрутер Храма", "Шакал")) == frozenset()
    assert judge_order(cards, table, keys(("Рекрутер Храма", "Шакал"))) == 2
    with pytest.raises(ValueError):
        squads(cards, Table(deck=tuple(deal("Велит"))))


def test_limits_of_a_squad_with_and_without_the_step() -> None:
    cards = deal("Линнет", "Ифрит")
    squad = of("Линнет", "Ифрит")
    assert smallest_limits(cards, gold(0), squad) == [()]
    assert smallest_limits(cards, gold(0), squad, plan_before=False) == [("crystals",)]


MIXES = (
    (("Линнет", "Отец-дознаватель", "Вольный воитель", "Упырёныш"), ()),
    (("Демонолог", "Эстри", "Саламандра", "Элементаль праха", "Тич"), ()),
    (("Поработитель Ордена", "Поработитель Ордена", "Гробовщик"), ("Элементаль праха", "Велит")),
    (("Рекрутер Храма", "Упырёныш", "Лазутчица"), ("Упырёныш", "Упырёныш", "Упырёныш")),
    (("Орвас", "Велит", "Велит", "Присягнувшая", "Солдаты удачи"), ()),
    (
        ("Вербовщик", "Анволд", "Гудрун", "Глемсель", "Алтарь Хигарта"),
        ("Упырёныш", "Горуг", "Топи Зенды", "Райская птица"),
    ),
    (
        ("Нейя", "Абордажник", "Легионер", "Ифрит", "Ахтар", "Линнет"),
        ("Тич", "Анволд", "Линдвурм"),
    ),
)


@pytest.mark.parametrize(("names", "more"), MIXES)
@pytest.mark.parametrize("amount", [10, 24])
def test_walk_and_dominance_against_every_line(
    names: Sequence[str], more: Sequence[str], amount: int
) -> None:
    """A plain search through all situations, one by one, finds the same squads and ends."""
    cards = deal(*names)
    table = gold(amount, deck=deck(cards, *more), outcomes={"Отец-дознаватель": 1, "Лазутчица": 1})
    whole = _deal(cards, table)
    start = _begin(whole, True)
    known, todo = {start}, [start]
    ends: dict[tuple[str, ...], set[tuple[int, int, int]]] = {}
    while todo:
        at = todo.pop()
        if any(at.squad):
            end = (at.state.gold, at.state.silver, at.state.penalty)
            ends.setdefault(whole.keys(at.squad), set()).add(end)
        for new, _ in _moves(whole, at):
            if new not in known:
                known.add(new)
                todo.append(new)
    found = squads(cards, table)
    assert found == {squad: {end[:2] for end in each} for squad, each in ends.items()}
    for squad, each in ends.items():
        assert finals(cards, table, squad) == each
    plain = squads(cards, table, plan_before=False)
    assert all(found[squad] >= each for squad, each in plain.items())


def least_gold(gold: int, silver: int) -> tuple[int, ...]:
    return (-gold,)


@pytest.mark.parametrize(("names", "more"), MIXES)
@pytest.mark.parametrize("value", [gold_first, silver_only, least_gold])
def test_best_line_with_the_step(names: Sequence[str], more: Sequence[str], value: Value) -> None:
    cards = deal(*names)
    table = gold(18, deck=deck(cards, *more), outcomes={"Отец-дознаватель": 1, "Лазутчица": 1})
    small = sorted(squad for squad in squads(cards, table) if len(squad) <= 3)
    for squad in small[::7]:
        line = best_line(cards, table, squad, value)
        assert line is not None
        naive = naive_best_line(cards, table, squad, value, plan_before=True)
        assert rank_of(line, value) == rank_of(naive, value)
        check_books(line, table)
