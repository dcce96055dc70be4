"""Cards that found no cell (404.1) count as never recruited: the squad is judged without them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from squadbuilder.after_placement import Due, due_of
from squadbuilder.cards import Card
from squadbuilder.errors import InputError
from squadbuilder.limits import Code, Violation
from squadbuilder.place_file import PlaceFile
from squadbuilder.recruit import Recruitment, Step
from squadbuilder.referee import Verdict, judge, judge_order
from squadbuilder.stated import Named

NOBODY_LEFT = Verdict(None, (Violation(Code.NO_CREATURE, "403.2.3", (), need=1, have=0),))
"""The empty squad is not legal."""


@dataclass(frozen=True, slots=True)
class Rest:
    """The squad judged again without the cards that found no cell, and the reveals that are due now."""

    recruitment: Recruitment
    verdict: Verdict
    due: tuple[Due, ...]


def judge_rest(told: PlaceFile, kept: Sequence[Card]) -> Rest:
    """Judge the cards that stay in the squad as if the others had never been recruited (404.1).

    Where it is known how the squad was recruited, the cards keep their order and choices if they can;
    else any way to recruit them will do.
    """
    recruitment = Recruitment(
        replace(told.deal, cards=tuple(sorted(kept, key=lambda card: card.key)))
    )
    named = list(_kept(told.squad.cards, kept))
    if not kept:
        return Rest(recruitment, NOBODY_LEFT, ())
    verdict = _as_before(recruitment, named) if told.squad.ordered else None
    if verdict is None:
        verdict = judge(recruitment, kept)
    if told.squad.ordered and verdict.line is not None:
        due = _due_of_steps(recruitment, verdict.line.steps)
    else:
        due = tuple(one for one in map(due_of, named) if one is not None)
    return Rest(recruitment, verdict, due)


def _as_before(recruitment: Recruitment, named: Sequence[Named]) -> Verdict | None:
    """The verdict on the same order and choices, if that is still possible."""
    try:
        verdict = judge_order(recruitment, named)
    except InputError:  # a choice that is no longer offered
        return None
    return verdict if verdict.legal else None


def _kept(squad: Iterable[Named], kept: Iterable[Card]) -> Iterable[Named]:
    left = Counter(kept)
    for one in squad:
        if left[one.card]:
            left[one.card] -= 1
            yield one


def _due_of_steps(recruitment: Recruitment, steps: Iterable[Step]) -> tuple[Due, ...]:
    """The reveals that a new ledger makes due."""
    return tuple(
        Due(
            recruitment.cards.kinds[step.kind],
            step.reveal,
            x=step.choices.x,
            paid=step.gold + step.silver,
        )
        for step in steps
        if step.reveal is not None
    )
