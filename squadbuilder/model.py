"""The rules as a CP-SAT model: one function a rule, all listed in one table."""

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

from squadbuilder.before_model import brought, discarded, looks, partners
from squadbuilder.deal import Deal
from squadbuilder.effects import Limit, Side
from squadbuilder.objective import PURSE_MEASURES, Goal, Measure
from squadbuilder.squad_model import MOST_PRICE, Begun, Linear, SquadModel
from squadbuilder.terms import CardType, Element
from squadbuilder.wishes import Wishes

# The rules, one function each


def copies_in_order(model: SquadModel) -> None:
    """A second copy of a card is taken after the first, so that each squad is found once."""
    for copies in model.taken:
        for earlier, later in pairwise(copies):
            model.cp.add_implication(later, earlier)


def begun(model: SquadModel) -> None:
    """403.2.4: the cards of a squad that is begun stay, and what has left the deal cannot come."""
    for copies, there, most in zip(model.taken, model.begun.squad, model.begun.most, strict=True):
        for copy, taken in enumerate(copies):
            if copy < there:
                model.cp.add(taken == 1)
            elif copy >= most:
                model.cp.add(taken == 0)


def unique(model: SquadModel) -> None:
    """403.2.3: at most one card of a name if it is unique."""
    for card, copies in zip(model.cards.kinds, model.taken, strict=True):
        if card.unique:
            for copy in copies[1:]:
                model.cp.add(copy == 0)


def creature_required(model: SquadModel) -> None:
    """403.2.3: at least one creature, whether at each step or in the finished squad."""
    creatures = [
        copies[0]
        for card, copies in zip(model.cards.kinds, model.taken, strict=True)
        if card.creature
    ]
    model.cp.add_bool_or(creatures)


def cells(model: SquadModel) -> None:
    """403.2.3: creatures at most the cells that the deal and own cards leave."""
    free = model.deal.rules.cells - model.deal.blocked_cells
    used: list[Linear] = []
    most = 0
    for card, number, copies in zip(
        model.cards.kinds, model.number, model.cards.copies, strict=True
    ):
        text = card.effect.blocked_cells
        blocked = text.number if text is not None and text.side is Side.OWN else 0
        if card.creature or blocked:
            used.append((card.creature + blocked) * number)
            most += (card.creature + blocked) * copies
    if most > free:
        model.cp.add(sum(used) <= free)


def forbidden_with(model: SquadModel) -> None:
    """403.2.3, 532.8: "not with" bars every fitting card but the one that carries the text."""
    for kind, card in enumerate(model.cards.kinds):
        text = card.effect.not_with
        if text is not None:
            total = model.count(text.cards)
            itself = model.fits_at_the_end(text.cards, kind)
            if not isinstance(total, int):
                model.cp.add(total <= text.at_most + itself).only_enforce_if(model.taken[kind][0])


def quota(model: SquadModel) -> None:
    """403.2.3: "at most so many" of a card in the squad; promises stand with their gains."""
    for kind, card in enumerate(model.cards.kinds):
        text = card.effect.at_most
        if text is not None:
            total = model.count(text.cards)
            if not isinstance(total, int):
                model.cp.add(total <= text.at_most).only_enforce_if(model.taken[kind][0])
    for promise in model.begun.promises:
        model.cp.add(model.count(promise.cards) <= promise.at_most)


def terrain_limit(model: SquadModel) -> None:
    """The ruleset's limit on terrain cards in a squad."""
    most = model.deal.rules.terrain_limit
    terrains = [
        number
        for card, number in zip(model.cards.kinds, model.number, strict=True)
        if card.type is CardType.TERRAIN
    ]
    if most is not None and terrains:
        model.cp.add(sum(terrains) <= most)


def prices(model: SquadModel) -> None:
    """403.2.1: elite prices in gold, ordinary ones in any crystals; texts change them (403.2.3.1)."""
    for kind, card in enumerate(model.cards.kinds):
        for copy in range(model.begun.squad[kind], model.cards.copies[kind]):
            paid = model.paid(kind, copy)
            if not card.elite:
                model.in_any.append(paid)
            else:
                as_ordinary = model.paid_as_ordinary(paid, kind, copy)
                model.in_any.append(as_ordinary)
                model.in_gold.append(paid - as_ordinary)
            if card.type is CardType.FLYER:
                model.for_flyers.append(paid)


def flyer_cap(model: SquadModel) -> None:
    """403.2.3: crystals paid for flyers, penalties aside, add up to 15 at most."""
    if model.for_flyers:
        left = model.deal.rules.flyer_cap - model.begun.flyer_spent
        model.cp.add(sum(model.for_flyers) <= left)


def gains(model: SquadModel) -> None:
    """Step b of 403.2.3.1: crystals gained; an optional gain is taken where its promise can be kept."""
    for kind, card in enumerate(model.cards.kinds):
        gain = card.effect.gain
        if gain is None:
            continue
        for copy, taken in enumerate(model.taken[kind]):
            if copy < model.begun.squad[kind]:
                continue
            gained = model.both(taken, model.holds(gain.when, kind, copy))
            avoidable = gain.optional or bool(gain.when)
            if avoidable:
                gained = model.at_will(gained)
            if gain.promise is not None and not model.lift_promises:
                gained = _promised(model, gain.promise, gained, avoidable)
            model.gained_gold.append(gain.gold * gained)
            model.gained_silver.append(gain.silver * gained)


def _promised(model: SquadModel, promise: Limit, gained: Linear, avoidable: bool) -> Linear:
    """A gain that is declined, or missed by a clever order, binds nobody; any other must be kept."""
    total = model.count(promise.cards)
    if isinstance(total, int) or isinstance(gained, bool):
        return gained
    if avoidable:
        return model.both(gained, model.at_most(total, promise.at_most))
    model.cp.add(total <= promise.at_most).only_enforce_if(gained)
    return gained


def penalties(model: SquadModel) -> None:
    """403.2.1: a gold crystal for each new element of the squad but the first.

    Where a card could turn all elements neutral, one of those to come may be the first again.
    """
    there = model.cards.elements(model.begun.squad)
    present = [
        literal
        for element in Element
        if element not in there and (literal := model.present(element, False)) is not False
    ]
    if not there and len(present) > 1:
        model.penalty = sum(present) - model.any_of("elements", present)
    elif there and any(card.effect.neutral for card in model.cards.kinds):
        model.penalty = model.cp.new_int_var(0, len(Element), "penalty")
        model.cp.add_max_equality(model.penalty, [sum(present) - 1, 0])
    elif there:
        model.penalty = sum(present)
    if not model.thrifty:
        model.penalty = _paid_again(model, sum(present), bool(there))


def _paid_again(model: SquadModel, present: Linear, begun: bool) -> Linear:
    """The penalty where cards may bring elements and turn neutral before others bring the same."""
    turned = model.turned_neutral()
    if isinstance(turned, int):
        return present if begun else model.penalty
    printed = [model.present(element, True) for element in Element]
    several = model.reaches("several", sum(printed), len(printed), 2)
    most = turned + present
    if not begun:
        most = most - model.any_of("printed", [one for one in printed if one is not False])
    paid = model.cp.new_int_var(0, MOST_PRICE, "paid_again")
    model.cp.add(paid >= model.penalty)
    model.cp.add(paid <= most).only_enforce_if(several)
    model.cp.add(paid == 0).only_enforce_if(model.negated(several))
    return paid


def crystals(model: SquadModel) -> None:
    """403.2.3: no purse below 0; silver pays first, gold pays whatever silver cannot.

    Who is not thrifty may gain silver too late, when gold has paid already.
    """
    late: Linear = 0
    if model.gained_silver and not model.thrifty:
        late = model.cp.new_int_var(0, MOST_PRICE, "late")
        model.cp.add(late <= sum(model.gained_silver))
    silver = model.begun.silver + sum(model.gained_silver) - late
    ordinary = sum(model.in_any)
    from_gold = model.cp.new_int_var(0, MOST_PRICE, "from_gold")
    model.cp.add_max_equality(from_gold, [ordinary - silver, 0])
    gold = model.begun.gold + sum(model.gained_gold) - sum(model.in_gold)
    model.gold_left = gold - model.penalty - from_gold
    model.silver_left = silver + late - ordinary + from_gold
    model.cp.add(model.gold_left >= 0)


def wishes(model: SquadModel) -> None:
    """The player's own demands: so many of certain cards."""
    for wish in model.wishes:
        total = sum(n for n, wanted in zip(model.number, wish.kinds, strict=True) if wanted)
        if isinstance(total, int):
            if total not in wish.number:
                model.cp.add_bool_or([])
        else:
            model.cp.add_linear_constraint(total, wish.number.at_least, wish.number.at_most)


CONSTRAINTS: Mapping[str, Callable[[SquadModel], None]] = {
    rule.__name__: rule
    for rule in (
        copies_in_order,
        begun,
        discarded,
        brought,
        partners,
        unique,
        creature_required,
        cells,
        forbidden_with,
        quota,
        terrain_limit,
        prices,
        flyer_cap,
        gains,
        looks,
        penalties,
        crystals,
        wishes,
    )
}
"""Every rule of the model, in the order in which they build on each other."""


def build(
    deal: Deal,
    wanted: Wishes = (),
    leave_out: Iterable[str] = (),
    begun: Begun | None = None,
    thrifty: bool = True,
) -> SquadModel:
    """The model of a deal; `leave_out` names rules to do without, to see what they are worth.

    `begun` is the recruitment that the squads must go on from, if it is not at its start. Goals that
    want fewer crystals left need a model that is not `thrifty`.
    """
    leave_out = tuple(leave_out)
    model = SquadModel(deal, wanted, quota.__name__ in leave_out, begun, thrifty)
    for name, rule in CONSTRAINTS.items():
        if name not in leave_out:
            rule(model)
    return model


def measure(model: SquadModel, goal: Goal) -> Linear:
    """A goal as an expression to maximise, never below its true value."""
    if goal.measure in PURSE_MEASURES:
        left = model.gold_left
        if goal.measure is Measure.CRYSTALS_LEFT:
            left = left + model.silver_left
        return goal.sign * left
    parts = [
        goal.sign * goal.of_card(card) * number
        for card, number in zip(model.cards.kinds, model.number, strict=True)
    ]
    for (one, other), points in goal.pairs.items():
        if model.cards.hold_pair((one, other), model.cards.copies):
            first = model.taken[model.cards.index[one]][0]
            second = model.taken[model.cards.index[other]][1 if one == other else 0]
            parts.append(goal.sign * points * model.both(first, second))
    return sum(parts)
