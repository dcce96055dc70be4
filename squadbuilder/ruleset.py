"""Rulesets: the constants of the rules and the switches for every disputed reading, read from YAML."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from squadbuilder.effects import MANY
from squadbuilder.errors import ErrorCode, InputError, Where, suggest
from squadbuilder.reading import Node, data_folder, parse, read_text
from squadbuilder.terms import Player, fold

DEFAULT = "comprehensive"


class MulliganCost(Enum):
    """What a mulligan (пересдача, 402.4) costs: a card of the next deal, or a gold crystal."""

    CARD = "card"
    GOLD = "gold"


class CreatureRequired(Enum):
    """When the squad must hold a creature (403.2.3)."""

    EACH_STEP = "each_step"
    FINAL = "final"


class GainTime(Enum):
    """Whether crystals gained in step b may pay in step c (403.2.3.1)."""

    BEFORE_PAYMENT = "before_payment"
    AFTER_PAYMENT = "after_payment"


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A set of rules as constants and switches; `terrain_limit` None means no limit.

    `banned` holds the folded names of cards that no deck may contain.
    """

    name: str
    gold: Mapping[Player, int]
    silver: Mapping[Player, int]
    deal_size: int
    mulligan_costs: MulliganCost
    flyer_cap: int
    cells: int
    terrain_limit: int | None
    creature_required: CreatureRequired
    on_recruit_gain: GainTime
    deck_size: int
    copies: int
    horde_copies: int
    banned: frozenset[str]


def ruleset(name: str = DEFAULT, where: Where = Where(), path: str | None = None) -> Ruleset:
    """The ruleset of this name in the project's data, else of the file at `path` (the name itself).

    `where` it is asked for. A word that is neither known nor a file is a misspelt name.
    """
    known = _own_rulesets()
    if name in known:
        return known[name]
    path = path or name
    like_path = Path(name).name != name or name.endswith((".yaml", ".yml", ".json"))
    if not (like_path or _is_file(path)):
        near = suggest(name, known) or known
        raise InputError(ErrorCode.VALUE_UNKNOWN, where, near, found=name)
    return _read(path, parse(read_text(path)))


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except OSError:  # too long for a name
        return False


@cache
def _own_rulesets() -> Mapping[str, Ruleset]:
    paths = sorted((data_folder() / "rulesets").glob("*.yaml"))
    return {path.stem: _read(path.stem, parse(read_text(path))) for path in paths}


_OPTIONAL = ("terrain_limit", "banned")


def _read(name: str, root: Node) -> Ruleset:
    required = [key for key in Ruleset.__slots__ if key not in ("name", *_OPTIONAL)]
    entry = root.mapping([*required, *_OPTIONAL], required)
    return Ruleset(
        name=name,
        gold=_by_player(entry["gold"]),
        silver=_by_player(entry["silver"]),
        deal_size=entry["deal_size"].integer(1, MANY),
        mulligan_costs=entry["mulligan_costs"].choice(MulliganCost),
        flyer_cap=entry["flyer_cap"].integer(0, MANY),
        cells=entry["cells"].integer(0, MANY),
        terrain_limit=entry["terrain_limit"].integer(0, MANY) if "terrain_limit" in entry else None,
        creature_required=entry["creature_required"].choice(CreatureRequired),
        on_recruit_gain=entry["on_recruit_gain"].choice(GainTime),
        deck_size=entry["deck_size"].integer(1, MANY),
        copies=entry["copies"].integer(1, MANY),
        horde_copies=entry["horde_copies"].integer(1, MANY),
        banned=frozenset(fold(item.text()) for item in entry["banned"].items())
        if "banned" in entry
        else frozenset(),
    )


def _by_player(node: Node) -> Mapping[Player, int]:
    names = [player.value for player in Player]
    entry = node.mapping(names, required=names)
    return {player: entry[player.value].integer(0, MANY) for player in Player}
