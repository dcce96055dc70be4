"""What a squad is worth: measures of its cards and of the crystals left, in lexicographic order."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from squadbuilder.cards import Card, Catalogue
from squadbuilder.errors import ErrorCode, InputError, Where, suggest
from squadbuilder.reading import Term, Text, read_text


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
    RATING = "rating"


PURSE_MEASURES = (Measure.GOLD_LEFT, Measure.CRYSTALS_LEFT)
"""The measures that depend on order and choices, not on the cards alone."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """The player's own points for cards, and for pairs of cards that stand in one squad (by key)."""

    cards: Mapping[str, int] = field(default_factory=dict)
    pairs: Mapping[tuple[str, str], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Goal:
    """A measure and whether more of it is better (sign 1) or less (sign -1)."""

    measure: Measure
    sign: int = 1
    ratings: Ratings = field(default_factory=Ratings, compare=False)

    @property
    def name(self) -> str:
        """As it is written on the command line."""
        return self.measure.value if self.sign > 0 else f"-{self.measure.value}"

    @property
    def pairs(self) -> Mapping[tuple[str, str], int]:
        """Points for pairs; a pair of one name wants two copies."""
        return self.ratings.pairs if self.measure is Measure.RATING else {}

    def of_card(self, card: Card) -> int:
        """What one card adds to the measure; the purse measures are no card's."""
        if self.measure is Measure.RATING:
            return self.ratings.cards.get(card.key, 0)
        return _OF_CARD[self.measure](card)

    def of_purse(self, gold: int, silver: int) -> int:
        """What the crystals left add to the measure."""
        if self.measure is Measure.GOLD_LEFT:
            return gold
        return gold + silver if self.measure is Measure.CRYSTALS_LEFT else 0


_OF_CARD: Mapping[Measure, Callable[[Card], int]] = {
    Measure.COST: lambda card: card.cost,
    Measure.ELITE: lambda card: card.cost if card.elite else 0,
    Measure.CARDS: lambda card: 1,
    Measure.CREATURES: lambda card: int(card.creature),
    Measure.LIFE: lambda card: card.life,
    Measure.STRIKE: lambda card: card.strike[1],
    Measure.GOLD_LEFT: lambda card: 0,
    Measure.CRYSTALS_LEFT: lambda card: 0,
}

Objective = tuple[Goal, ...]
DEFAULT: Objective = (Goal(Measure.COST), Goal(Measure.ELITE), Goal(Measure.GOLD_LEFT))


def thrifty(objective: Objective) -> bool:
    """Does the player never gain from having fewer crystals left?"""
    return all(goal.sign > 0 for goal in objective if goal.measure in PURSE_MEASURES)


def read_aims(
    maximize: str | None, ratings: str | None, cards: Catalogue
) -> tuple[Objective, Ratings | None]:
    """The objective asked for with the points of a file, if there is one; else the best cost."""
    points = read_ratings(read_text(ratings), cards) if ratings is not None else None
    return (read_objective(maximize, points) if maximize is not None else DEFAULT), points


def read_objective(text: str, ratings: Ratings | None = None) -> Objective:
    """A comma list of measures, `-` before one for "less is better"; dashes serve as underscores."""
    goals: list[Goal] = []
    names = [measure.value for measure in Measure]
    where = Where(key="--maximize")
    for word in text.split(","):
        stripped = word.strip()
        sign = -1 if stripped.startswith("-") else 1
        name = stripped.removeprefix("-").strip().replace("-", "_")
        if name not in names:
            raise InputError(
                ErrorCode.OBJECTIVE_UNKNOWN, where, suggest(name, names) or names, found=stripped
            )
        if any(goal.measure.value == name for goal in goals):
            raise InputError(ErrorCode.OBJECTIVE_REPEATED, where, found=name)
        if name == Measure.RATING.value and ratings is None:
            raise InputError(ErrorCode.RATINGS_MISSING, where)
        goals.append(Goal(Measure(name), sign, ratings or Ratings()))
    return tuple(goals)


MOST_RATING = 1_000_000


def read_ratings(source: Text, cards: Catalogue) -> Ratings:
    """Ratings as CSV: `name,rating` a line, or `name,name,points` for a pair; whole numbers."""
    single: dict[str, int] = {}
    pairs: dict[tuple[str, str], int] = {}
    rows = csv.reader(source.text.splitlines())
    for row in rows:
        where = Where(file=source.file, line=rows.line_num)
        words = [word.strip() for word in row]
        if not any(words) or words[0].startswith("#") or words in _HEADINGS:
            continue
        if len(words) not in (2, 3):
            raise InputError(
                ErrorCode.WRONG_TYPE, where, expected=Term("a_rating"), found=",".join(words)
            )
        keys = sorted(cards.find(name, where).key for name in words[:-1])
        points = _points(words[-1], where)
        if keys[0] in single if len(keys) == 1 else (keys[0], keys[1]) in pairs:
            raise InputError(ErrorCode.RATING_REPEATED, where, card=", ".join(words[:-1]))
        if len(keys) == 1:
            single[keys[0]] = points
        else:
            pairs[keys[0], keys[1]] = points
    return Ratings(single, pairs)


_HEADINGS = (["name", "rating"], ["name", "name", "points"], ["nameA", "nameB", "points"])


def _points(text: str, where: Where) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise InputError(ErrorCode.WRONG_TYPE, where, expected=Term("a_number"), found=text)
    if len(digits) > 9 or int(digits) > MOST_RATING:
        raise InputError(
            ErrorCode.OUT_OF_RANGE, where, found=text, low=-MOST_RATING, high=MOST_RATING
        )
    return int(text)
