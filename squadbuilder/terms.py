"""The words of the game: elements, card types, seats, and how names are compared."""

import re
import unicodedata
from enum import Enum


class Element(str, Enum):
    """Стихия. Neutral is no element: a neutral card has an empty set of elements."""

    STEPPE = "steppe"
    MOUNTAIN = "mountain"
    FOREST = "forest"
    SWAMP = "swamp"
    DARK = "dark"


class CardType(str, Enum):
    """Тип карты: the printed type."""

    CREATURE = "creature"
    FLYER = "flyer"
    COMPANION = "companion"
    PARASITE = "parasite"
    ARTIFACT = "artifact"
    TERRAIN = "terrain"


CREATURE_TYPES = frozenset(
    {CardType.CREATURE, CardType.FLYER, CardType.COMPANION, CardType.PARASITE}
)
"""Существо wherever the rules count creatures (403.2.3): artifact and terrain are none."""


class Player(str, Enum):
    """Первый или второй игрок (402.1): decides the crystals at the start."""

    FIRST = "first"
    SECOND = "second"


def fold(name: str) -> str:
    """The form in which card names are compared: NFC, ё=е, case and white space folded (й stays й)."""
    composed = unicodedata.normalize("NFC", name).casefold().replace("ё", "е")
    return re.sub(r"\s+", " ", composed).strip()


COLUMNS = "abcde"
"""The columns (вертикали) of the field, from left to right."""

ROWS = (1, 2, 3)
"""The rows (ряды) of a half of the field; row 1 faces the enemy."""

_TWINS = str.maketrans("асе", "ace")
"""Russian letters that look exactly like the name of a column."""


def cell_word(text: str) -> str:
    """The form in which cells are named: small Latin letters, white space folded."""
    return " ".join(text.lower().split()).translate(_TWINS)
