"""Why wishes cannot be met: the wishes at fault, and the limits that bar them.

Found by leaving things out and solving again: first wishes that are not needed for the "no", then
limits, fewest first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ortools.sat.python import cp_model

from squadbuilder.deal import Deal
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.limits import CODES, LIFTABLE, Code, Violation
from squadbuilder.model import build, measure
from squadbuilder.objective import Goal, Measure
from squadbuilder.orders import Aim, Orders
from squadbuilder.recruit import Recruitment
from squadbuilder.referee import shortfall
from squadbuilder.solver import new_solver, run
from squadbuilder.squad import Counts
from squadbuilder.wishes import Wish, Wishes

RULES = {
    Code.CRYSTALS: ("crystals",),
    Code.UNIQUE: ("unique",),
    Code.FLYER_CAP: ("flyer_cap",),
    Code.NO_CREATURE: ("creature_required",),
    Code.CELLS: ("cells",),
    Code.FORBIDDEN_WITH: ("forbidden_with",),
    Code.QUOTA: ("quota",),
    Code.TERRAIN_LIMIT: ("terrain_limit",),
}
"""The rules of the model that lifting a limit leaves out."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """Wishes that cannot be met together, and the smallest set of limits that bars them."""

    wishes: Wishes
    violations: tuple[Violation, ...]


def why_not(deal: Deal, wanted: Wishes) -> Reasons:
    """Explain that no legal squad fulfils the wishes. Wishes that no squad at all could fulfil
    together are bad input; a wish for more cards than were dealt is told as such."""
    recruitment = Recruitment(deal)
    guilty = _needed(recruitment, wanted)
    short = [violation for wish in guilty if (violation := _more_than_dealt(recruitment, wish))]
    if short:
        return Reasons(guilty, tuple(short[:1]))
    everything = frozenset(LIFTABLE)
    if _cheapest(recruitment, guilty, everything) is None:
        absent = [found for wish in guilty if (found := _more_than_dealt(recruitment, wish, True))]
        if absent:
            return Reasons(guilty, tuple(absent[:1]))
        raise InputError(
            ErrorCode.WISHES_CONTRADICT,
            Where(),
            wishes=", ".join(wish.text for wish in guilty),
        )
    for size in range(1, len(LIFTABLE) + 1):
        for codes in combinations(LIFTABLE, size):
            lifted = frozenset(codes)
            squad = _cheapest(recruitment, guilty, lifted)
            if squad is not None:
                return Reasons(guilty, _violations(recruitment, squad, lifted))
    raise AssertionError("a squad is legal when every limit is lifted")


def _needed(recruitment: Recruitment, wanted: Wishes) -> Wishes:
    """Only those wishes without which the others could be met."""
    kept: Sequence[Wish] = wanted
    for wish in wanted:
        fewer = tuple(other for other in kept if other is not wish)
        if _cheapest(recruitment, fewer, frozenset()) is None:
            kept = fewer
    return tuple(kept)


def _more_than_dealt(
    recruitment: Recruitment, wish: Wish, at_first: bool = False
) -> Violation | None:
    """Are there fewer such cards, those that abilities may bring counted unless `at_first`?"""
    cards = recruitment.cards
    dealt = sum(map(int.__mul__, cards.dealt if at_first else cards.copies, wish.kinds))
    if dealt >= wish.number.at_least:
        return None
    names = tuple(
        card.name
        for card, wanted in zip(recruitment.cards.kinds, wish.kinds, strict=True)
        if wanted
    )
    names = names or (wish.text,)
    return Violation(Code.NOT_IN_DEAL, "403.2.1", names, need=wish.number.at_least, have=dealt)


def _cheapest(recruitment: Recruitment, wanted: Wishes, lifted: frozenset[Code]) -> Counts | None:
    """The cheapest squad that fulfils the wishes when these limits are lifted, if there is one."""
    leave_out = [rule for code in lifted for rule in RULES[code]]
    model = build(recruitment.deal, wanted, leave_out)
    model.cp.add_bool_or(literal for copies in model.taken for literal in copies)
    cost, cards = Goal(Measure.COST, -1), Goal(Measure.CARDS, -1)
    model.cp.maximize(1000 * measure(model, cost) + measure(model, cards))
    orders = Orders(recruitment.without(lifted), (), Aim.ANY)
    while True:
        solver = new_solver()
        status, interrupted = run(solver, model.cp)
        if interrupted:
            raise KeyboardInterrupt
        if status != cp_model.OPTIMAL:
            return None
        squad = model.squad(solver.value)
        if orders.best(squad) is not None:
            return squad
        model.forbid(squad)


def _violations(
    recruitment: Recruitment, squad: Counts, lifted: frozenset[Code]
) -> tuple[Violation, ...]:
    return tuple(shortfall(recruitment, squad, lifted, code) for code in CODES if code in lifted)
