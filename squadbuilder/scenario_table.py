"""The table of a scenario file: its cards, where they lie and what lies on them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from squadbuilder.cards import Card, Catalogue
from squadbuilder.effects import MANY
from squadbuilder.errors import ErrorCode, suggest
from squadbuilder.reading import Node
from squadbuilder.table_state import CELLS, Cell, Counters, Piece, Place, Zone
from squadbuilder.terms import CardType, Player, cell_word, fold

INCARNATION = "icr"
"""The keyword code whose value is X of a printed "incarnation X"."""

SYMBIOTES = frozenset({CardType.COMPANION, CardType.PARASITE})

PIECE_KEYS = (
    "card",
    "owner",
    "at",
    "controller",
    "open",
    "revealed",
    "life",
    "wounds",
    "extra_lives",
    "movement",
    "counters",
    "limits",
    "used_this_turn",
    "used_this_battle",
    "incarnation",
    "incarnation_counters",
    "incarnated",
    "auxiliary",
)
_ONLY_IN_PLAY = ("controller", "open", "revealed", "wounds", "extra_lives", "movement")


def read_pieces(node: Node, cards: Catalogue) -> Mapping[str, Piece]:
    """The cards on the table by their names in the scenario."""
    found: dict[str, Piece] = {}
    for handle, entry in node.entries().items():
        if any(fold(handle) == fold(known) for known in found):
            raise entry.error(ErrorCode.KEY_REPEATED, key=handle)
        found[handle] = piece = _piece(handle, entry, cards)
        _check_cell(piece, found.values(), entry)
    if not found:
        raise node.error(ErrorCode.FILE_EMPTY)
    return found


def _piece(handle: str, node: Node, cards: Catalogue) -> Piece:
    entry = node.mapping(PIECE_KEYS, required=["owner", "at"])
    name = entry["card"].entry_text() if "card" in entry else handle
    card = cards.find(name, entry["card"].where if "card" in entry else node.where)
    owner = entry["owner"].choice(Player)
    place = read_place(entry["at"])
    piece = Piece(handle, card, owner, owner, place)
    if not piece.in_play:
        for key in _ONLY_IN_PLAY:
            if key in entry:
                raise entry[key].error(ErrorCode.KEY_MISPLACED, key=key)
    open_ = flag(entry, "open", True)
    life = number(entry, "life", card.life, low=1)
    incarnation = _incarnation(entry, card)
    for key in ("incarnation_counters", "incarnated"):
        if key in entry and not incarnation:
            raise entry[key].error(ErrorCode.KEY_MISPLACED, key=key)
    limits = read_counters(entry, "limits")
    counters = read_counters(entry, "counters", limits)
    return replace(
        piece,
        controller=entry["controller"].choice(Player) if "controller" in entry else owner,
        open=open_,
        revealed=flag(entry, "revealed", True),
        life=life,
        wounds=number(entry, "wounds", 0, high=max(0, life - 1)),
        extra_lives=number(entry, "extra_lives", 0),
        movement=number(entry, "movement", card.move if open_ and piece.in_play else 0),
        counters=counters,
        limits=limits,
        used_this_turn=read_uses(entry, "used_this_turn"),
        used_this_battle=read_uses(entry, "used_this_battle"),
        incarnation=incarnation,
        incarnation_counters=number(entry, "incarnation_counters", 0),
        incarnated=flag(entry, "incarnated", False),
        text_auxiliary=flag(entry, "auxiliary", False),
    )


def _check_cell(piece: Piece, placed: Iterable[Piece], node: Node) -> None:
    """One card a cell, beside symbiotes (симбиоты), which stand with their host."""
    if piece.place.cell is None or piece.card.type in SYMBIOTES:
        return
    for rival in placed:
        if rival is not piece and rival.place == piece.place and rival.card.type not in SYMBIOTES:
            where = node.entries()["at"]
            cell = str(piece.place.cell)
            raise where.error(ErrorCode.CELL_OCCUPIED, cell=cell, card=rival.handle)


def _incarnation(entry: Mapping[str, Node], card: Card) -> tuple[int, ...]:
    """The values X: stated, or those printed."""
    if "incarnation" in entry:
        return tuple(item.integer(1, MANY) for item in entry["incarnation"].items_or_one())
    return tuple(
        int(value) for code, value in card.keywords if code == INCARNATION and value.isdigit()
    )


def read_place(node: Node) -> Place:
    """A cell such as `first c2`, or a zone."""
    word = cell_word(node.text())
    zones = [zone.value for zone in Zone if zone is not Zone.FIELD]
    if word in CELLS:
        return Place(Zone.FIELD, CELLS[word])
    if word in zones:
        return Place(Zone(word))
    known = [*CELLS, *zones]
    raise node.error(ErrorCode.VALUE_UNKNOWN, suggest(word, known) or zones, found=word)


def read_cell(node: Node) -> Cell:
    """A cell such as `first c2`."""
    word = cell_word(node.text())
    if word not in CELLS:
        raise node.error(ErrorCode.VALUE_UNKNOWN, suggest(word, CELLS) or (), found=word)
    return CELLS[word]


def flag(entry: Mapping[str, Node], key: str, default: bool) -> bool:
    """`true` or `false`, or the default where the key is left out."""
    return entry[key].boolean() if key in entry else default


def number(
    entry: Mapping[str, Node], key: str, default: int, low: int = 0, high: int = MANY
) -> int:
    """A number in bounds, or the default where the key is left out."""
    return entry[key].integer(low, high) if key in entry else default


def read_counters(
    entry: Mapping[str, Node], key: str, limits: Mapping[str, int] | None = None
) -> Counters:
    """Counters by name, each from one up to its limit."""
    if key not in entry:
        return {}
    found = entry[key].entries()
    if not found:
        raise entry[key].wrong_type("a_mapping")
    most = limits or {}
    low = 0 if key == "limits" else 1
    return {name: node.integer(low, most.get(name, MANY)) for name, node in found.items()}


def read_uses(entry: Mapping[str, Node], key: str) -> Counters:
    """Uses by the name of the ability; a plain number is about the one without a name."""
    if key in entry and isinstance(entry[key].value, str):
        return {"": entry[key].integer(1, MANY)}
    return read_counters(entry, key)
