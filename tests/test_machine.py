"""Random recruiting: after any steps, the ledger adds up and the squad obeys every limit."""

from typing import Any

from dealing import order_sensitive
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from squadbuilder.objective import Goal, Measure
from squadbuilder.orders import Orders
from squadbuilder.recruit import Recruitment, State, Step
from squadbuilder.referee import Named, judge_order
from squadbuilder.terms import CardType


class Recruiting(RuleBasedStateMachine):
    """A player at the table who takes cards in any order and changes his mind."""

    @initialize(seed=st.integers(0, 10_000))
    def sit_down(self, seed: int) -> None:
        self.recruitment = Recruitment(order_sensitive(seed, 10))
        self.cards = self.recruitment.cards
        self.state: State = self.recruitment.start
        self.steps: list[Step] = []

    def moves(self) -> list[tuple[State, Step]]:
        return [
            taken
            for kind, copies in enumerate(self.cards.copies)
            if self.state.squad[kind] < copies
            for offer in self.recruitment.offers(self.state.squad, kind)
            if (taken := self.recruitment.take(self.state, kind, offer))
        ]

    @precondition(lambda self: bool(self.moves()))
    @rule(data=st.data())
    def take(self, data: Any) -> None:
        self.state, step = data.draw(st.sampled_from(self.moves()))
        self.steps.append(step)

    @rule()
    def start_again(self) -> None:
        self.state, self.steps = self.recruitment.start, []

    @invariant()
    def the_ledger_adds_up(self) -> None:
        deal = self.recruitment.deal
        gold = deal.gold + sum(s.gained_gold - s.gold - s.penalty for s in self.steps)
        silver = deal.silver + sum(s.gained_silver - s.silver for s in self.steps)
        assert (self.state.gold, self.state.silver) == (gold, silver)
        assert gold >= 0 and silver >= 0
        assert self.state.penalty == sum(step.penalty for step in self.steps)

    @invariant()
    def the_squad_obeys_the_limits(self) -> None:
        deal = self.recruitment.deal
        members = [self.cards.kinds[kind] for kind in self.cards.members(self.state.squad)]
        for card in members:
            assert not card.unique or members.count(card) == 1
        assert sum(card.creature for card in members) <= max(0, 15 - deal.blocked_cells)
        paid = sum(
            step.gold + step.silver
            for step in self.steps
            if self.cards.kinds[step.kind].type is CardType.FLYER
        )
        assert paid == self.state.flyer_spent <= 15
        assert not members or any(card.creature for card in members)
        terrains = sum(card.type is CardType.TERRAIN for card in members)
        assert deal.rules.terrain_limit is None or terrains <= deal.rules.terrain_limit

    @invariant()
    def the_judge_and_the_order_search_agree(self) -> None:
        if not self.steps:
            return
        goals = (Goal(Measure.GOLD_LEFT),)
        order = [
            Named(self.cards.kinds[s.kind], s.choices.bonus, s.choices.x, s.choices.paid)
            for s in self.steps
        ]
        verdict = judge_order(self.recruitment, order, goals)
        assert verdict.line is not None and verdict.line.end == self.state
        value = Orders(self.recruitment, goals).value(self.state.squad)
        assert value is not None and value[0] >= self.state.gold


Recruiting.TestCase.settings = settings(max_examples=40, stateful_step_count=12, deadline=None)
TestRecruiting = Recruiting.TestCase
