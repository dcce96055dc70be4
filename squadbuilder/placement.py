"""Placement (404.1): which cells are open to a seat now, and what is wrong with cards placed so."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from squadbuilder.cards import Card
from squadbuilder.reading import Node, data_folder, parse, read_text
from squadbuilder.terms import COLUMNS, ROWS, Player, cell_word

Cell = str
"""A cell (клетка) of the own half: column a to e, then row 1 to 3; row 1 faces the enemy."""

CELLS: tuple[Cell, ...] = tuple(f"{column}{row}" for row in ROWS for column in COLUMNS)


def read_cell(text: str) -> Cell | None:
    """The cell of this name, in either case; None if there is none."""
    cell = cell_word(text)
    return cell if cell in CELLS else None


def neighbours(cell: Cell) -> tuple[Cell, ...]:
    """The cells that share an edge with this one."""
    column, row = COLUMNS.index(cell[0]), int(cell[1])
    return tuple(
        other
        for other in CELLS
        if abs(COLUMNS.index(other[0]) - column) + abs(int(other[1]) - row) == 1
    )


@dataclass(frozen=True, slots=True)
class FillingOrder:
    """How a seat fills its half: zones in their order, and the rule that says so."""

    rule: str
    zones: tuple[tuple[Cell, ...], ...]

    def open_cells(self, filled: Collection[Cell]) -> tuple[Cell, ...]:
        """404.1.2, 404.1.3: the free cells of the first zone that is not full."""
        for zone in self.zones:
            free = tuple(cell for cell in CELLS if cell in zone and cell not in filled)
            if free:
                return free
        return ()


@cache
def filling_orders() -> Mapping[Player, FillingOrder]:
    """The order of filling of each seat, from the project's data."""
    names = [player.value for player in Player]
    entry = parse(read_text(data_folder() / "placement.yaml")).mapping(names, required=names)
    return {player: _order(entry[player.value]) for player in Player}


def _order(node: Node) -> FillingOrder:
    entry = node.mapping(["rule", "zones"], required=["rule", "zones"])
    zones = tuple(tuple(cell.text() for cell in zone.items()) for zone in entry["zones"].items())
    return FillingOrder(entry["rule"].text(), zones)


class Fault(str, Enum):
    """What may be wrong with one step of a placement."""

    CELL_UNKNOWN = "cell_unknown"
    CELL_BLOCKED = "cell_blocked"
    CELL_TAKEN = "cell_taken"
    CELL_ORDER = "cell_order"
    NOT_IN_SQUAD = "not_in_squad"


BLOCKED_RULE = "404.1"
EVERY_CARD_RULE = "404.1.1"
"""All cards of the squad, face down, on the own half, one a cell."""


@dataclass(frozen=True, slots=True)
class Placing:
    """A step of a placement: a card is put on a cell, which is named as the player wrote it."""

    cell: str
    card: Card


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A step (from 1) that breaks a rule, with the cells that were allowed then."""

    fault: Fault
    rule: str
    step: int
    card: str
    cell: str
    allowed: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """A judged placement: where the cards lie, what was wrong, and how it may go on.

    `left` are cards still to be placed, `open` the cells where one of them may go now; `returned` are
    cards that found no cell: they go back to the deck and count as never recruited (404.1).
    """

    seat: FillingOrder
    blocked: frozenset[Cell]
    board: Mapping[Cell, Card]
    violations: tuple[Misplaced, ...]
    left: tuple[Card, ...]
    returned: tuple[Card, ...]

    @property
    def open(self) -> tuple[Cell, ...]:
        """The cells where the next card may go; none if no card is left."""
        return self.seat.open_cells(self.blocked | self.board.keys()) if self.left else ()

    @property
    def too_many(self) -> int:
        """How many of the cards still to be placed will find no cell."""
        free = len(CELLS) - len(self.blocked) - len(self.board)
        return max(0, len(self.left) - free)

    @property
    def squad(self) -> tuple[Card, ...]:
        """The squad as it counts from now on: without the cards that found no cell."""
        return (*self.board.values(), *self.left)


def place(
    seat: FillingOrder,
    squad: Sequence[Card],
    blocked: frozenset[Cell],
    placings: Iterable[Placing],
) -> Placement:
    """Judge cards placed one after another (404.1). What can lie where it was put lies there.

    A card placed too early lies on its cell all the same, so that later steps are judged from it; a
    card on a cell that is unknown, blocked or taken is still to be placed.
    """
    board: dict[Cell, Card] = {}
    left = Counter(card.key for card in squad)
    found: list[Misplaced] = []
    for step, placing in enumerate(placings, start=1):
        cell = read_cell(placing.cell)
        filled = blocked | board.keys()
        allowed = seat.open_cells(filled)
        faults: list[tuple[Fault, str]] = []
        if not left[placing.card.key]:
            faults.append((Fault.NOT_IN_SQUAD, EVERY_CARD_RULE))
        if cell is None:
            faults.append((Fault.CELL_UNKNOWN, EVERY_CARD_RULE))
        elif cell in blocked:
            faults.append((Fault.CELL_BLOCKED, BLOCKED_RULE))
        elif cell in board:
            faults.append((Fault.CELL_TAKEN, EVERY_CARD_RULE))
        elif cell not in allowed:
            faults.append((Fault.CELL_ORDER, seat.rule))
        found += [
            Misplaced(fault, rule, step, placing.card.name, cell or placing.cell, allowed)
            for fault, rule in faults
        ]
        if cell is not None and cell not in filled and left[placing.card.key]:
            board[cell] = placing.card
            left[placing.card.key] -= 1
    rest = tuple(_rest(squad, board.values()))
    full = not seat.open_cells(blocked | board.keys())
    return Placement(seat, blocked, board, tuple(found), () if full else rest, rest if full else ())


def _rest(squad: Iterable[Card], placed: Iterable[Card]) -> Iterable[Card]:
    """The cards of the squad without those placed, a copy for a copy."""
    there = Counter(card.key for card in placed)
    for card in squad:
        if there[card.key]:
            there[card.key] -= 1
        else:
            yield card
