"""The searches cut short, and what they do when readings disagree."""

import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from dealing import from_deck, order_sensitive, with_abilities
from ortools.sat.python import cp_model

from squadbuilder import explain as explaining
from squadbuilder import solve as solving
from squadbuilder.cards import Card, catalogue
from squadbuilder.deal import Deal
from squadbuilder.effects import Effect, Filter, Gain, Limit, Range
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.explain import why_not
from squadbuilder.limits import Code
from squadbuilder.listing import list_all, list_best
from squadbuilder.model import build
from squadbuilder.objective import read_objective
from squadbuilder.orders import Line, Orders
from squadbuilder.recruit import Recruitment
from squadbuilder.referee import judge, judge_order, moves, smallest_limits
from squadbuilder.ruleset import CreatureRequired
from squadbuilder.solve import BestFirst, DisagreementError, Status, solve
from squadbuilder.solver import Run, new_solver, run
from squadbuilder.squad import Counts
from squadbuilder.stated import Named
from squadbuilder.wishes import Wish, read_wishes


def card(name: str) -> Card:
    return catalogue().find(name, Where())


def dealt(*cards: Card) -> Deal:
    return Deal(cards=tuple(sorted(cards, key=lambda c: c.key)))


def stop_after(search_next: object, number: int) -> object:
    """`BestFirst._next` that the player interrupts."""
    calls: Iterator[int] = iter(range(number))

    def wrapped(self: BestFirst) -> object:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return search_next(self)  # type: ignore[operator]

    return wrapped


@pytest.mark.parametrize("number", [0, 2])
def test_an_interrupted_search_keeps_its_squads(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    deal = from_deck(5)
    whole = solve(deal, top=2)
    told: list[int] = []
    monkeypatch.setattr(BestFirst, "_next", stop_after(BestFirst._next, number))
    answer = solve(deal, top=5, watch=told.append)
    assert answer.interrupted
    assert answer.status is (Status.FEASIBLE if number else Status.UNKNOWN)
    assert [line.squad for line in answer.lines] == [line.squad for line in whole.lines][:number]
    assert answer.bound == whole.lines[0].value[0] and told == list(range(1, number + 1))


def out_of_time_after(search_next: object, number: int) -> object:
    """`BestFirst._next` that finds no time left after so many solves."""
    calls: Iterator[int] = iter(range(number))

    def wrapped(self: BestFirst) -> object:
        if next(calls, None) is None:
            self.out_of_time = True
            return None
        return search_next(self)  # type: ignore[operator]

    return wrapped


WAITING = (
    (115, 7, "-crystals_left", 1),
    (115, 7, "-gold_left", 8),
    (126, 8, "-crystals_left", 2),
    (3, 9, "-crystals_left", 2),
)
"""Seed, cards and goal of deals with abilities where after so many solves the best squad waits."""


def test_no_bound_contradicts_the_best_squad(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the search is cut."""
    goals = [read_objective(text) for text in ("cost", "-crystals_left", "gold_left", "-cards")]
    search_next = BestFirst._next
    cut = 0
    for seed, goal in product(range(8), goals):
        deal = order_sensitive(seed, 7)
        best = solve(deal, goal).lines
        for number, stop in product(range(4), (out_of_time_after, stop_after)):
            with monkeypatch.context() as patch:
                patch.setattr(BestFirst, "_next", stop(search_next, number))
                found = solve(deal, goal, top=1)
            if best and found.status is not Status.OPTIMAL:
                assert found.bound is not None and found.bound >= best[0].value[0]
                cut += 1
    assert cut


@pytest.mark.parametrize(("seed", "size", "goal", "solves"), WAITING)
def test_a_squad_that_waits_is_within_the_bound(
    monkeypatch: pytest.MonkeyPatch, seed: int, size: int, goal: str, solves: int
) -> None:
    """Squads that wait are no longer in the model."""
    deal, objective = with_abilities(seed, size), read_objective(goal)
    best = solve(deal, objective).lines[0].value[0]
    monkeypatch.setattr(BestFirst, "_next", out_of_time_after(BestFirst._next, solves))
    found = solve(deal, objective)
    assert found.status is Status.FEASIBLE
    assert found.bound is not None and found.bound >= best >= found.lines[0].value[0]


def test_a_solver_stopped_at_once_has_proved_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "_QUICKLY", 0)
    assert solve(from_deck(4), time_limit=0).bound is None


def test_a_squad_interrupted_while_its_order_is_sought_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deal = from_deck(5)
    best = solve(deal).lines[0]
    original = BestFirst.shown
    calls: Iterator[int] = iter(range(1))

    def shown(self: BestFirst, squad: Counts) -> Line:
        if next(calls, None) is not None:
            raise KeyboardInterrupt
        return original(self, squad)

    monkeypatch.setattr(BestFirst, "shown", shown)
    found = solve(deal)
    assert found.interrupted and found.lines == (best,) and found.bound == best.value[0]


def test_an_interrupted_list_of_a_large_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = from_deck(5)
    monkeypatch.setattr(BestFirst, "_next", stop_after(BestFirst._next, 3))
    told: list[int] = []
    found = list_best(deal, 9, watch=told.append)
    assert found.interrupted and not found.complete and len(found.squads) == 3
    assert told == [1, 2, 3]


def test_an_interrupted_list(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Counts] = []

    def value(self: Orders, squad: Counts) -> tuple[int, ...]:
        seen.append(squad)
        if len(seen) > 5:
            raise KeyboardInterrupt
        return (1,)

    monkeypatch.setattr(Orders, "value", value)
    found = list_all(from_deck(5))
    assert found.interrupted and not found.complete and len(found.squads) == 5
    seen.clear()
    found = list_all(from_deck(5), maximal=True)
    assert found.interrupted and not found.complete and found.squads == ()


def test_a_squad_worth_more_than_the_model_allows_is_a_crash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Orders, "value", lambda *_: (999, 0, 0))
    with pytest.raises(DisagreementError, match="undervalues"):
        solve(from_deck(1))


def test_a_squad_that_no_order_builds_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Orders, "line", lambda *_: None)
    with pytest.raises(DisagreementError, match="no order"):
        solve(from_deck(1))


def test_a_line_that_the_referee_rejects_is_a_crash() -> None:
    deal = from_deck(1)
    line = solve(deal).lines[0]
    with pytest.raises(DisagreementError, match="rejects"):
        solving.replay(Recruitment(deal), replace(line, value=(0, 0, 0)), ())


def promising(number: int) -> Card:
    """A made-up card whose gain forces a promise about cards with an element."""
    promise = Limit(number, Filter(neutral=False))
    effect = Effect(gain=Gain(gold=1, promise=promise), note="Made up for a test.")
    return replace(card("Мародёр"), id="90001", name="Обет", key="обет", effect=effect)


def test_a_promise_that_must_be_made_bars_what_it_speaks_of() -> None:
    recruitment = Recruitment(dealt(promising(0), card("Орк")))
    verdict = judge(recruitment, recruitment.deal.cards)
    assert [(v.code, v.need, v.have) for v in verdict.violations] == [(Code.QUOTA, 1, 0)]
    assert verdict.violations[0].cards == ("Орк",)


def test_not_in_the_deal_at_its_step() -> None:
    recruitment = Recruitment(dealt(card("Орк"), card("Тич")))
    verdict = judge_order(recruitment, [Named(card("Орк")), Named(card("Орк"))])
    assert verdict.step == 2 and verdict.violations[0].code is Code.NOT_IN_DEAL
    verdict = judge_order(recruitment, [Named(card("Кочевник"))])
    assert verdict.step == 1 and (verdict.violations[0].need, verdict.violations[0].have) == (1, 0)


def test_a_legal_squad_has_no_limits_to_lift() -> None:
    recruitment = Recruitment(dealt(card("Орк")))
    assert smallest_limits(recruitment, (1,)) == ()


def test_wishes_for_more_than_was_dealt() -> None:
    deal = dealt(card("Орк"), card("Тич"))
    wanted = read_wishes(Recruitment(deal).cards, conditions=["class=Орк>=2", "elite>=1"])
    assert solve(deal, wanted=wanted).status is Status.INFEASIBLE
    reasons = why_not(deal, wanted)
    assert [wish.text for wish in reasons.wishes] == ["--require class=Орк>=2"]
    assert [(v.code, v.need, v.have) for v in reasons.violations] == [(Code.NOT_IN_DEAL, 2, 1)]


def test_wishes_that_contradict_each_other_are_bad_input() -> None:
    deal = dealt(card("Орк"), card("Тич"))
    wanted = read_wishes(Recruitment(deal).cards, [card("Тич")], conditions=["elite<=0"])
    with pytest.raises(InputError) as told:
        why_not(deal, wanted)
    assert told.value.code is ErrorCode.WISHES_CONTRADICT
    assert told.value.params["wishes"] == "--with Тич, --require elite<=0"


def test_a_deal_without_any_legal_squad() -> None:
    deal = dealt(card("Топи Зенды"))
    assert solve(deal).status is Status.INFEASIBLE
    reasons = why_not(deal, ())
    assert reasons.wishes == () and reasons.violations[0].code is Code.NO_CREATURE


def test_reasons_look_past_squads_that_no_order_builds() -> None:
    """The cheapest squad of the relaxed model may have no order; the next one must be tried."""
    altar = card("Алтарь Хигарта")
    deal = dealt(altar, card("Ведьмак"), card("Топи Зенды"))
    wanted = read_wishes(Recruitment(deal).cards, [altar], [card("Ведьмак")])
    reasons = why_not(deal, wanted)
    assert [violation.code for violation in reasons.violations] == [Code.NO_CREATURE]


def test_a_wish_for_no_kind_at_all() -> None:
    deal = dealt(card("Орк"))
    nothing = Wish("nothing", (0,), Range(at_least=1))
    assert solve(deal, wanted=(nothing,)).status is Status.INFEASIBLE
    assert solve(deal, wanted=(replace(nothing, number=Range()),)).status is Status.OPTIMAL


def test_a_ruleset_file_of_ones_own(tmp_path: Path) -> None:
    from squadbuilder.reading import data_folder
    from squadbuilder.ruleset import ruleset

    text = (data_folder() / "rulesets" / "comprehensive.yaml").read_text("utf-8")
    path = tmp_path / "poor.yaml"
    path.write_text(text.replace("first: 24", "first: 4"), "utf-8")
    deal = replace(dealt(card("Тич"), card("Орк")), rules=ruleset(str(path)))
    assert [line.value[0] for line in solve(deal).lines] == [5]


def test_a_solver_that_stops_early_still_gives_its_squad(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = from_deck(4)
    best = solve(deal).lines[0]
    original = run

    def late(solver: Any, model: Any) -> Run:
        original(solver, model)
        return Run(cp_model.FEASIBLE, False)

    monkeypatch.setattr(solving, "run", late)
    answer = solve(deal)
    assert answer.status is Status.FEASIBLE and not answer.interrupted
    assert [line.squad for line in answer.lines] == [best.squad]
    assert answer.bound == best.value[0]


def test_an_unknown_end_has_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "run", lambda *_: Run(cp_model.INFEASIBLE, True))
    answer = solve(from_deck(4))
    assert (answer.status, answer.bound, answer.interrupted) == (Status.UNKNOWN, None, True)


def test_an_invalid_model_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "run", lambda *_: Run(cp_model.MODEL_INVALID, False))
    with pytest.raises(DisagreementError):
        solve(from_deck(4))


def test_an_error_in_the_solver_thread_reaches_the_caller() -> None:
    class Failing(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        run(new_solver(), build(from_deck(4)).cp, Failing())


def test_ctrl_c_while_explaining(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "run", lambda *_: Run(cp_model.UNKNOWN, True))
    with pytest.raises(KeyboardInterrupt):
        why_not(dealt(card("Топи Зенды")), ())


def test_reasons_try_the_next_squad_where_no_order_builds_the_cheapest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deal = dealt(card("Топи Зенды"), card("Храм вольных"))
    original = Orders.best
    refused: list[Counts] = []

    def best(self: Orders, squad: Counts) -> object:
        if not refused:
            refused.append(squad)
            return None
        return original(self, squad)

    monkeypatch.setattr(Orders, "best", best)
    reasons = why_not(deal, ())
    assert refused and [v.code for v in reasons.violations] == [Code.NO_CREATURE]


def named(*names: str) -> list[Card]:
    return [card(name) for name in names]


def test_what_is_known_but_not_dealt_is_an_honest_demand() -> None:
    cards = Recruitment(dealt(*named("Орк", "Анволд"))).cards
    conditions = ["class=герой-маг>=1", "keyword=sht>=1", "name=фарро>=1"]
    wanted = read_wishes(cards, conditions=conditions)
    assert [wish.kinds for wish in wanted] == [(0, 0)] * 3


def test_lifting_a_quota_frees_the_bonus_that_it_bars() -> None:
    """Тич's two gold come back as soon as his promise is lifted: crystals are not what is short."""
    squad = named("Падшая Линнет", "Тич", "Посвященный Дзара", "Пиромант Дзара", "Глорм", "Риала")
    verdict = judge(Recruitment(dealt(*squad)), squad)
    assert [violation.code for violation in verdict.violations] == [Code.QUOTA]


def altar_deal() -> Recruitment:
    return Recruitment(dealt(*named("Тич", "Ахтар", "Ахтар", "Орк", "Анволд", "Мантикора")))


def test_choices_that_stand_in_the_way_are_not_blamed_on_the_order() -> None:
    recruitment = altar_deal()
    order = [Named(c) for c in named("Анволд", "Ахтар", "Ахтар", "Орк")]
    verdict = judge_order(recruitment, [*order, Named(card("Тич"), bonus=True)])
    assert (verdict.legal, verdict.other_order, verdict.no_order) == (False, None, False)
    early = [Named(card("Анволд")), Named(card("Тич"), bonus=True), *order[1:]]
    verdict = judge_order(recruitment, early)
    assert (verdict.legal, verdict.other_order, verdict.no_order) == (False, None, False)
    verdict = judge_order(recruitment, [Named(c) for c in named("Тич", "Орк", "Орк")])
    assert not verdict.no_order


def test_next_offers_what_other_choices_before_would_allow() -> None:
    recruitment = altar_deal()
    taken = [Named(c) for c in named("Тич", "Ахтар", "Ахтар", "Орк")]
    verdict, found = moves(recruitment, taken)
    assert verdict.legal
    by_name = {recruitment.cards.kinds[move.kind].name: move for move in found}
    assert by_name["Мантикора"].options and by_name["Мантикора"].other_choices
    assert judge_order(recruitment, [*taken, Named(card("Мантикора"))]).legal


def test_next_does_not_ask_for_the_creature_that_only_a_finished_squad_needs() -> None:
    rules = replace(dealt().rules, creature_required=CreatureRequired.FINAL)
    recruitment = Recruitment(replace(dealt(*named("Топи Зенды", "Орк")), rules=rules))
    verdict, found = moves(recruitment, [Named(card("Топи Зенды"))])
    assert verdict.legal and [bool(move.options) for move in found] == [True]
    assert not judge_order(recruitment, [Named(card("Топи Зенды"))]).legal


def test_many_equal_choices_do_not_multiply() -> None:
    free = replace(card("Вольный воитель"), unique=False)
    squad = [free] * 6 + named("Ахтар", "Ахтар", "Ужас Исхара")
    recruitment = Recruitment(dealt(*squad))
    start = time.perf_counter()
    assert judge(recruitment, squad[:4]).legal
    judge_order(recruitment, [Named(c) for c in squad])
    assert time.perf_counter() - start < 2
