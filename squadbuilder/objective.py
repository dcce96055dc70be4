"""What a squad is worth: measures of its cards and of the crystals left, in lexicographic order."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from squadbuilder.cards import Card
from squadbuilder.errors import ErrorCode, InputError, Where, suggest


class Measure(str, Enum):
    """A number that a player may want much or little of."""

    COST = "cost"
    ELITE = "elite"
    CARDS = "cards"
    CREATURES = "creatures"
    LIFE = "life"
    STRIKE = "strike"
    GOLD_LEFT = "gold_left"
    CRYSTALS_LEFT = "crystals_left"


PURSE_MEASURES = (Measure.GOLD_LEFT, Measure.CRYSTALS_LEFT)
"""The measures that depend on order and choices, not on the cards alone."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A measure and whether more of it is better (sign 1) or less (sign -1)."""

    measure: Measure
    sign: int = 1

    @property
    def name(self) -> str:
        """As it is written on the command line."""
        return self.measure.value if self.sign > 0 else f"-{self.measure.value}"


Objective = tuple[Goal, ...]
DEFAULT: Objective = (Goal(Measure.COST), Goal(Measure.ELITE), Goal(Measure.GOLD_LEFT))


def read_objective(text: str) -> Objective:
    """A comma list of measures, `-` before one for "less is better"; dashes serve as underscores."""
    goals: list[Goal] = []
    names = [measure.value for measure in Measure]
    for word in text.split(","):
        stripped = word.strip()
        sign = -1 if stripped.startswith("-") else 1
        name = stripped.removeprefix("-").strip().replace("-", "_")
        if name not in names:
            near = suggest(name, names) or names
            where = Where(key="--maximize")
            raise InputError(ErrorCode.OBJECTIVE_UNKNOWN, where, near, found=stripped)
        if any(goal.measure.value == name for goal in goals):
            raise InputError(ErrorCode.OBJECTIVE_REPEATED, Where(key="--maximize"), found=name)
        goals.append(Goal(Measure(name), sign))
    return tuple(goals)


def of_card(measure: Measure, card: Card) -> int:
    """What one card adds to a measure; the purse measures are no card's."""
    worth: Mapping[Measure, int] = {
        Measure.COST: card.cost,
        Measure.ELITE: card.cost if card.elite else 0,
        Measure.CARDS: 1,
        Measure.CREATURES: int(card.creature),
        Measure.LIFE: card.life,
        Measure.STRIKE: card.strike[1],
    }
    return worth.get(measure, 0)


def of_purse(measure: Measure, gold: int, silver: int) -> int:
    """What the crystals left add to a measure."""
    if measure is Measure.GOLD_LEFT:
        return gold
    return gold + silver if measure is Measure.CRYSTALS_LEFT else 0
