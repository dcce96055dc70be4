"""The order and the choices shown for a squad, against all orders and choices."""

import oracle
import pytest
from dealing import order_sensitive, table

from squadbuilder.listing import list_all
from squadbuilder.objective import PURSE_MEASURES, read_objective
from squadbuilder.orders import Orders
from squadbuilder.recruit import Paid, Recruitment


@pytest.mark.parametrize("text", ["cost,elite,gold_left", "cost", "-gold_left", "crystals_left"])
@pytest.mark.parametrize("seed", range(10))
def test_the_line_shown_is_the_plainest_of_the_best(seed: int, text: str) -> None:
    deal = order_sensitive(seed, 6)
    objective = read_objective(text)
    recruitment = Recruitment(deal)
    orders = Orders(recruitment, objective)
    kinds = recruitment.cards.kinds
    purse_goals = [goal for goal in objective if goal.measure in PURSE_MEASURES]
    for squad in list_all(deal).squads[:12]:
        line = orders.line(squad)
        assert line is not None
        expected = oracle.best_line(
            deal.cards,
            table(deal),
            [kinds[kind].key for kind in recruitment.cards.members(squad)],
            lambda gold, silver: tuple(g.sign * g.of_purse(gold, silver) for g in purse_goals),
        )
        assert expected is not None
        shown = [
            (
                kinds[step.kind].key,
                step.gold,
                step.silver,
                step.penalty,
                step.left_gold,
                step.left_silver,
                step.choices.bonus,
                step.choices.x,
                None if step.choices.paid is None else step.choices.paid is Paid.ORDINARY,
            )
            for step in line.steps
        ]
        assert shown == [
            (
                step.key,
                step.gold,
                step.silver,
                step.penalty,
                step.left_gold,
                step.left_silver,
                step.bonus,
                step.x,
                step.ordinary,
            )
            for step in expected
        ]
