"""Random made-up texts in every mix of the vocabulary: the model and the order search against a walk.

The oracle knows the real cards alone; here the referee's own recruitment step, walked through every
order and choice, is what the order search and the model must equal.
"""

import random
from dataclasses import replace

import pytest
from dealing import walk

from squadbuilder.cards import Card, catalogue
from squadbuilder.deal import Deal
from squadbuilder.effects import (
    NO_EFFECT,
    BlockedCells,
    Change,
    Condition,
    Discount,
    Effect,
    Filter,
    Gain,
    Limit,
    PriceRule,
    Range,
    Side,
    Subject,
)
from squadbuilder.listing import list_all
from squadbuilder.objective import read_objective
from squadbuilder.orders import Orders
from squadbuilder.recruit import Recruitment
from squadbuilder.ruleset import CreatureRequired, GainTime, ruleset
from squadbuilder.solve import solve
from squadbuilder.squad import Counts
from squadbuilder.terms import CardType, Element, Player

CARDS = sorted(catalogue().by_key.values(), key=lambda card: card.key)


class Designer:
    """Makes up cards from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def often(self, chance: float) -> bool:
        return self.rng.random() < chance

    def cards(self) -> Filter:
        low, high = self.rng.randint(0, 3), self.rng.randint(3, 6)
        choices = (
            Filter(types=frozenset({self.rng.choice(list(CardType))})),
            Filter(elements=frozenset({self.rng.choice(list(Element))})),
            Filter(neutral=self.often(0.5)),
            Filter(elite=self.often(0.5)),
            Filter(cost=Range(low, high)),
            Filter(),
        )
        return self.rng.choice(choices)

    def condition(self) -> Condition:
        bound = self.rng.randint(0, 2)
        number = self.rng.choice((Range(bound), Range(at_most=bound), Range(bound, bound)))
        subject = self.rng.choice(
            (Subject.SQUAD, Subject.SQUAD, Subject.ELEMENTS, Subject.MY_MULLIGANS)
        )
        return Condition(subject, number, self.cards() if subject is Subject.SQUAD else Filter())

    def conditions(self, most: int) -> tuple[Condition, ...]:
        return tuple(self.condition() for _ in range(self.rng.randint(0, most)))

    def rule(self) -> PriceRule:
        change = self.rng.choice((Change.SET, Change.LESS, Change.MORE, Change.PAY_AS_ORDINARY))
        if change is Change.PAY_AS_ORDINARY:
            return PriceRule(change, when=self.conditions(2), optional=True)
        amount = self.rng.randint(0, 3)
        per = Subject.MY_MULLIGANS if change is not Change.SET and self.often(0.1) else None
        return PriceRule(change, Range(amount, amount), per, self.conditions(2), self.often(0.3))

    def gain(self) -> Gain:
        promise = Limit(self.rng.randint(0, 3), self.cards()) if self.often(0.3) else None
        gold, silver = self.rng.randint(0, 2), self.rng.randint(0, 2)
        return Gain(gold, silver, self.conditions(1), self.often(0.4), promise)

    def effect(self) -> Effect:
        price = tuple(self.rule() for _ in range(self.rng.choice((0, 1, 1, 2))))
        if self.often(0.15):
            low = self.rng.randint(0, 1)
            price += (PriceRule(Change.MORE_X, Range(low, low + 2), when=self.conditions(1)),)
        low, high = self.rng.randint(0, 3), self.rng.randint(3, 6)
        return Effect(
            price=price,
            gain=self.gain() if self.often(0.4) else None,
            discount=Discount(self.cards(), self.rng.randint(1, 2)) if self.often(0.25) else None,
            not_with=Limit(0, self.cards(), others=True) if self.often(0.12) else None,
            at_most=Limit(self.rng.randint(0, 2), self.cards()) if self.often(0.1) else None,
            neutral=Filter(cost=Range(low, high)) if self.often(0.25) else None,
            blocked_cells=BlockedCells(Side.OWN, 7) if self.often(0.05) else None,
            note="Made up.",
        )

    def card(self, number: int) -> Card:
        types = [*list(CardType)[:3] * 3, *CardType]
        elements = self.rng.sample(list(Element), self.rng.choice((0, 1, 1, 1, 2)))
        return replace(
            self.rng.choice(CARDS),
            id=str(90000 + number),
            name=f"К{number}",
            key=f"к{number}",
            cost=self.rng.randint(0, 5),
            elements=frozenset(elements),
            unique=self.often(0.3),
            elite=self.often(0.5),
            type=self.rng.choice(types),
            effect=self.effect() if self.often(0.7) else NO_EFFECT,
        )

    def deal(self) -> Deal:
        cards: list[Card] = []
        for number in range(self.rng.randint(3, 5)):
            cards += [self.card(number)] * self.rng.choice((1, 1, 1, 2))
        rules = replace(
            ruleset(self.rng.choice(("comprehensive", "tournament"))),
            gold={player: self.rng.randint(2, 12) for player in Player},
            silver={player: self.rng.randint(0, 8) for player in Player},
            flyer_cap=self.rng.choice((4, 15)),
            creature_required=self.rng.choice(list(CreatureRequired)),
            on_recruit_gain=self.rng.choice(list(GainTime)),
        )
        chosen = tuple(sorted(cards[:6], key=lambda card: card.key))
        return Deal(chosen, rules, mulligans=self.rng.randint(0, 2))


def ends(recruitment: Recruitment) -> dict[Counts, set[tuple[int, int]]]:
    """Every squad that the recruitment step reaches, with every purse it can end with."""
    found: dict[Counts, set[tuple[int, int]]] = {}
    for state in walk(recruitment):
        if any(state.squad) and not recruitment.illegal(state, finished=True):
            found.setdefault(state.squad, set()).add((state.gold, state.silver))
    return found


def assert_equal_to_the_walk(seed: int) -> None:
    deal = Designer(seed).deal()
    recruitment = Recruitment(deal)
    reached = ends(recruitment)
    for text in ("gold_left", "-gold_left", "crystals_left", "-crystals_left"):
        goals = read_objective(text)
        orders = Orders(recruitment, goals)
        expected = {
            squad: max(goals[0].sign * goals[0].of_purse(*purse) for purse in purses)
            for squad, purses in reached.items()
        }
        listed = list_all(deal, goals).squads
        assert {squad: orders.value(squad) for squad in listed} == {
            squad: (value,) for squad, value in expected.items()
        }, (seed, text)
        best = solve(deal, goals).lines
        assert [line.value for line in best] == [
            (max(expected.values()),) for _ in (1,) if expected
        ]


@pytest.mark.parametrize("block", range(10))
def test_a_hundred_made_up_deals(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        assert_equal_to_the_walk(seed)


@pytest.mark.deep
@pytest.mark.parametrize("block", range(40))
def test_two_thousand_made_up_deals(block: int) -> None:
    for seed in range(1000 + 50 * block, 1050 + 50 * block):
        assert_equal_to_the_walk(seed)
