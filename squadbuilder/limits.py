"""Legality of a squad (403.2.3): one function a limit, and the table that lists them all."""

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from squadbuilder.effects import Limit
from squadbuilder.ruleset import CreatureRequired
from squadbuilder.squad import Cards, Counts
from squadbuilder.terms import CREATURE_TYPES, CardType


class Code(str, Enum):
    """What may be wrong with a squad, in the order in which ties between violations are settled."""

    NOT_IN_DEAL = "not_in_deal"
    CRYSTALS = "crystals"
    UNIQUE = "unique"
    FLYER_CAP = "flyer_cap"
    NO_CREATURE = "no_creature"
    CELLS = "cells"
    FORBIDDEN_WITH = "forbidden_with"
    QUOTA = "quota"
    TERRAIN_LIMIT = "terrain_limit"
    BEFORE_ABILITY = "before_ability"


CODES = tuple(Code)
LIFTABLE = tuple(code for code in CODES if code not in (Code.NOT_IN_DEAL, Code.BEFORE_ABILITY))
"""The limits of section 3, which can be lifted to see what they are worth."""


class Crystal(str, Enum):
    """What a price may be paid with: gold only, or silver and gold alike (403.2.1)."""

    GOLD = "gold"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Violation:
    """A limit that is broken: the squad needs `need` of something of which the rules leave `have`."""

    code: Code
    rule: str
    cards: tuple[str, ...]
    need: int
    have: int
    crystal: Crystal | None = None


class Standing(NamedTuple):
    """A squad as section 3 looks at it: its cards, what was paid for flyers, the promises made."""

    squad: Counts
    flyer_spent: int
    promises: tuple[Limit, ...]
    finished: bool


Check = Callable[[Cards, Standing], Iterable[Violation]]


def unique(cards: Cards, standing: Standing) -> Iterable[Violation]:
    """403.2.3: at most one card of a name if it is unique (дублирующиеся карты)."""
    for card, count in zip(cards.kinds, standing.squad, strict=True):
        if card.unique and count > 1:
            yield Violation(Code.UNIQUE, "403.2.3", (card.name,), need=count, have=1)


def flyer_cap(cards: Cards, standing: Standing) -> Iterable[Violation]:
    """403.2.3: crystals actually paid for flyers, penalties not counted, add up to 15 at most."""
    cap = cards.deal.rules.flyer_cap
    if standing.flyer_spent > cap:
        flyers = _names(cards, standing.squad, _of_type(cards, CardType.FLYER))
        yield Violation(Code.FLYER_CAP, "403.2.3", flyers, need=standing.flyer_spent, have=cap)


def no_creature(cards: Cards, standing: Standing) -> Iterable[Violation]:
    """403.2.3: at least one creature, after each card or in the finished squad (ruleset switch)."""
    each_step = cards.deal.rules.creature_required is CreatureRequired.EACH_STEP
    asked = any(standing.squad) and (each_step or standing.finished)
    if asked and not cards.creatures(standing.squad):
        names = _names(cards, standing.squad, range(len(standing.squad)))
        yield Violation(Code.NO_CREATURE, "403.2.3", names, need=1, have=0)


def cells(cards: Cards, standing: Standing) -> Iterable[Violation]:
    """403.2.3: creatures of all four types at most the cells available for placement (404)."""
    creatures, free = cards.creatures(standing.squad), cards.free_cells(standing.squad)
    if creatures > free:
        names = _names(cards, standing.squad, _of_type(cards, *CREATURE_TYPES))
        yield Violation(Code.CELLS, "403.2.3", names, need=creatures, have=free)


def forbidden_with(cards: Cards, standing: Standing) -> Iterable[Violation]:
    """403.2.3, 532.8: "not with" of a card in the squad, whichever of the two came first."""
    active = cards.active_neutralisers(standing.squad)
    for kind, count in enumerate(standing.squad):
        text = cards.kinds[kind].effect.not_with
        if count and text is not None and (over := cards.over(text, kind, standing.squad)):
            barred = cards.matching(text.cards, active)
            own = cards.kinds[kind].name
            others = _names(cards, standing.squad, set(barred) - {kind})
            names = (own,) * (2 if kind in barred and count > 1 else 1) + others
            yield Violation(Code.FORBIDDEN_WITH, "403.2.3", names, need=over, have=0)


def quota(cards: Cards, standing: Standing) -> Iterable[Violation]:
    """403.2.3: "at most so many" of a card in the squad, or of a promise made when recruiting."""
    texts = [
        (kind, card.effect.at_most)
        for kind, card in enumerate(cards.kinds)
        if standing.squad[kind] and card.effect.at_most is not None
    ]
    promised: list[tuple[int | None, Limit]] = [(None, text) for text in standing.promises]
    active = cards.active_neutralisers(standing.squad)
    for kind, text in [*texts, *promised]:
        if over := cards.over(text, kind, standing.squad):
            matching = cards.matching(text.cards, active)
            names = _names(cards, standing.squad, matching)
            yield Violation(
                Code.QUOTA, "403.2.3", names, need=text.at_most + over, have=text.at_most
            )


def terrain_limit(cards: Cards, standing: Standing) -> Iterable[Violation]:
    """The ruleset's limit on terrain cards in a squad (`terrain_limit`), if it has one."""
    most = cards.deal.rules.terrain_limit
    if most is not None:
        terrains = _names(cards, standing.squad, _of_type(cards, CardType.TERRAIN))
        if len(terrains) > most:
            yield Violation(Code.TERRAIN_LIMIT, "403.2.3", terrains, need=len(terrains), have=most)


LIMITS: dict[Code, Check] = {
    Code.UNIQUE: unique,
    Code.FLYER_CAP: flyer_cap,
    Code.NO_CREATURE: no_creature,
    Code.CELLS: cells,
    Code.FORBIDDEN_WITH: forbidden_with,
    Code.QUOTA: quota,
    Code.TERRAIN_LIMIT: terrain_limit,
}
"""Every limit but the crystals themselves, which the payment settles (403.2.1)."""


def relevant(cards: Cards) -> tuple[Check, ...]:
    """The limits that some squad of this deal could break."""
    rules = cards.deal.rules
    creatures = cards.creatures(cards.copies)
    effects = [card.effect for card in cards.kinds]
    promises = any(effect.gain and effect.gain.promise for effect in effects)
    repeated = any(card.unique and n > 1 for card, n in zip(cards.kinds, cards.copies, strict=True))
    possible = {
        Code.UNIQUE: repeated,
        Code.FLYER_CAP: True,
        Code.NO_CREATURE: True,
        Code.CELLS: creatures > cards.free_cells(cards.copies),
        Code.FORBIDDEN_WITH: any(effect.not_with for effect in effects),
        Code.QUOTA: promises or any(effect.at_most for effect in effects),
        Code.TERRAIN_LIMIT: rules.terrain_limit is not None,
    }
    return tuple(check for code, check in LIMITS.items() if possible[code])


def broken(cards: Cards, checks: Iterable[Check], standing: Standing) -> list[Violation]:
    """Every limit among these that the squad breaks, in the order of the codes."""
    return [violation for check in checks for violation in check(cards, standing)]


def _names(cards: Cards, squad: Counts, wanted: Container[int]) -> tuple[str, ...]:
    return tuple(cards.kinds[kind].name for kind in cards.members(squad) if kind in wanted)


def _of_type(cards: Cards, *types: CardType) -> set[int]:
    return {kind for kind, card in enumerate(cards.kinds) if card.type in types}
