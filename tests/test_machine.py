"""Random recruiting: after any steps, the ledger adds up and the squad obeys every limit."""

from typing import Any

from dealing import order_sensitive, with_abilities
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from squadbuilder.before import BeforeStep, Position
from squadbuilder.objective import Goal, Measure
from squadbuilder.orders import Orders
from squadbuilder.recruit import Recruitment, State, Step
from squadbuilder.referee import judge_order
from squadbuilder.stated import named_as
from squadbuilder.terms import CardType


class Recruiting(RuleBasedStateMachine):
    """A player at the table who takes cards in any order and changes his mind."""

    @initialize(seed=st.integers(0, 10_000))
    def sit_down(self, seed: int) -> None:
        able = seed % 2
        self.recruitment = Recruitment(
            with_abilities(seed, 8) if able else order_sensitive(seed, 10)
        )
        self.cards = self.recruitment.cards
        self.before = BeforeStep(self.recruitment)
        self.start_over()

    def start_over(self) -> None:
        self.position: Position | None = self.before.start
        self.state: State = self.recruitment.start
        self.steps: list[Step] = []

    def uses(self) -> list[Position]:
        return list(self.before.uses(self.position)) if self.position is not None else []

    def moves(self) -> list[tuple[State, Step]]:
        return [
            taken
            for kind, copies in enumerate(self.state.pool)
            if self.state.squad[kind] < copies
            for offer in self.recruitment.offers(self.state.squad, kind)
            if (taken := self.recruitment.take(self.state, kind, offer))
        ]

    @precondition(lambda self: bool(self.moves()))
    @rule(data=st.data())
    def take(self, data: Any) -> None:
        self.state, step = data.draw(st.sampled_from(self.moves()))
        self.steps.append(step)
        self.position = None

    @precondition(lambda self: bool(self.uses()))
    @rule(data=st.data())
    def use(self, data: Any) -> None:
        self.position = data.draw(st.sampled_from(self.uses()))
        self.state, self.steps = self.position.state, list(self.position.steps)

    @rule()
    def start_again(self) -> None:
        self.start_over()

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
            if step.joins and self.cards.kinds[step.kind].type is CardType.FLYER
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
        order = [named_as(self.recruitment, step) for step in self.steps]
        verdict = judge_order(self.recruitment, order, goals)
        assert verdict.line is not None and verdict.line.end.squad == self.state.squad
        if self.position is None or self.steps[-1].use is None:
            assert verdict.line.end.gold >= self.state.gold
        if any(self.state.squad):
            value = Orders(self.recruitment, goals).value(self.state.squad)
            assert value is not None and value[0] >= verdict.line.end.gold


Recruiting.TestCase.settings = settings(max_examples=40, stateful_step_count=12, deadline=None)
TestRecruiting = Recruiting.TestCase
