"""Golden cases: made by an exhaustive walk elsewhere; ten of them live here, all of them in ../shared."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from squadbuilder.cards import Card, catalogue
from squadbuilder.deal import Deal, Overrides, read_deal
from squadbuilder.errors import Where
from squadbuilder.limits import CODES
from squadbuilder.listing import list_all
from squadbuilder.objective import DEFAULT, Goal, Measure, Objective
from squadbuilder.recruit import Recruitment
from squadbuilder.referee import judge, judge_order
from squadbuilder.solve import solve
from squadbuilder.stated import Named

HERE = Path(__file__).parent / "cases"
SHARED = Path(__file__).parents[2] / "shared" / "cases"
GOLD: Objective = (Goal(Measure.GOLD_LEFT),)


QUICK = sorted(HERE.glob("*.json"))
KNOWN = {path.name for path in QUICK}
ALL = [path for path in sorted(SHARED.glob("*.json")) if path.name not in KNOWN]


def deal_of(case: Mapping[str, Any], folder: Path) -> Deal:
    path = folder / "deal.json"
    path.write_text(json.dumps(case["deal"]), "utf-8")
    return read_deal(str(path), catalogue(), Overrides(any_size=True))


def cards_of(names: list[str]) -> list[Card]:
    return [catalogue().find(name, Where()) for name in names]


def assert_case(path: Path, folder: Path) -> int:
    """Check a case; the number of expectations that it holds."""
    case = json.loads(path.read_text("utf-8"))
    deal = deal_of(case, folder)
    recruitment = Recruitment(deal)
    held = 0

    best = case["expect"]["best"]
    answer = solve(deal)
    assert answer.lines[0].value == (best["cost"], best["elite"], best["gold_left"])
    listing = list_all(deal, (Goal(Measure.COST),))
    assert len(listing.squads) == case["expect"]["legal_squads"]
    costs = [
        sum(recruitment.cards.kinds[kind].cost for kind in recruitment.cards.members(squad))
        for squad in listing.squads
    ]
    assert costs.count(max(costs)) == case["expect"]["squads_with_best_cost"]
    held += 3

    for check in case["checks"]:
        verdict = judge(recruitment, cards_of(check["squad"]), GOLD)
        assert verdict.legal == check["legal"], check
        if verdict.line is not None:
            assert verdict.line.end.gold == check["gold_left"], check
        elif "limits" in check:
            codes = [violation.code for violation in verdict.violations]
            smallest = sorted(
                [
                    [CODES.index(code) for code in CODES if code in limits]
                    for limits in check["limits"]
                ]
            )
            assert [CODES.index(code) for code in codes] == smallest[0], check
        held += 2

    for order in case["orders"]:
        named = [Named(card) for card in cards_of(order["order"])]
        verdict = judge_order(recruitment, named, GOLD)
        assert verdict.legal == order["legal"], order
        if verdict.line is not None:
            assert verdict.line.end.gold == order["gold_left"], order
        else:
            assert verdict.step == order["step"], order
        held += 2
    return held


@pytest.mark.parametrize("path", QUICK, ids=lambda path: path.stem)
def test_golden_case(path: Path, tmp_path: Path) -> None:
    assert assert_case(path, tmp_path)


@pytest.mark.deep
@pytest.mark.skipif(not ALL, reason="the full set of cases is not beside the project")
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_every_golden_case(path: Path, tmp_path: Path) -> None:
    assert assert_case(path, tmp_path)


def test_the_default_objective_is_that_of_the_cases() -> None:
    assert [goal.name for goal in DEFAULT] == ["cost", "elite", "gold_left"]
