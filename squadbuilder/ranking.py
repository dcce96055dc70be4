"""The order of squads: by value, then by their sorted names; as a sort key and as CP-SAT objectives."""

from typing import NamedTuple

from squadbuilder.objective import PURSE_MEASURES, Goal, Measure, Objective
from squadbuilder.squad import Cards, Counts
from squadbuilder.squad_model import Linear, SquadModel

MOST_PACKED = 2**62


class Rank(NamedTuple):
    """A squad's place: greater values first (held negated), then smaller names."""

    value: tuple[int, ...]
    names: tuple[int, ...]


def rank(cards: Cards, squad: Counts, value: tuple[int, ...]) -> Rank:
    """The place of a squad of this value."""
    return Rank(tuple(-number for number in value), tuple(cards.members(squad)))


def packed(model: SquadModel, objective: Objective, goals: list[Linear]) -> list[Linear]:
    """All goals and the names in as few expressions as fit into 62 bits, the weightiest first.

    Within an expression each part outweighs everything after it; a part from 0 to n spans n + 1.
    """
    parts = [
        (expression, span(model, goal) + 1)
        for goal, expression in zip(objective, goals, strict=True)
    ]
    parts += _by_names(model, objective)
    total: list[Linear] = []
    weight = 1
    found: list[Linear] = []
    for expression, size in reversed(parts):
        if weight * size >= MOST_PACKED:
            found.insert(0, sum(total))
            total, weight = [], 1
        total.append(weight * expression)
        weight *= size
    return [sum(total), *found]


def span(model: SquadModel, goal: Goal) -> int:
    """The most by which a goal can differ between two squads."""
    cards = [model.cards.kinds[kind] for kind in model.cards.members(model.cards.copies)]
    if goal.measure in PURSE_MEASURES:
        gains = [card.effect.gain for card in cards if card.effect.gain]
        gained = sum(gain.gold + gain.silver for gain in gains)
        seen = sum(model.deal.outcomes.values()) * len(cards)
        return model.deal.gold + model.deal.silver + gained + seen
    points = [goal.of_card(card) for card in cards]
    return sum(map(abs, [*points, *goal.pairs.values()]))


def _by_names(model: SquadModel, objective: Objective) -> list[tuple[Linear, int]]:
    """Parts that are greater for the squad whose sorted names come first.

    Read as a row of digits, a copy each in order of name, the greater row has the earlier names. A
    list that ends is smaller than one that goes on; that matters only where no goal tells a squad
    from a part of it.
    """
    copies = [literal for literals in model.taken for literal in literals]
    free = any(card.cost == 0 for card in model.cards.kinds)
    telling = (Measure.CARDS,) if free else (Measure.COST, Measure.CARDS)
    if any(goal.measure in telling for goal in objective):
        return [(literal, 2) for literal in copies]
    ended: list[Linear] = []
    nothing_after: Linear = True
    for literal in reversed(copies):
        nothing_after = model.both(nothing_after, literal.negated())
        ended.append(nothing_after)
    digits = [literal + over for literal, over in zip(copies, reversed(ended), strict=True)]
    return [*((digit, 2) for digit in digits), (len(copies) - sum(copies), len(copies) + 1)]
