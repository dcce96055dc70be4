"""What a line-up is worth: the table of points, and the reasons for every card's place."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from squadbuilder.cards import Card
from squadbuilder.place_file import Depth, LineUpWishes
from squadbuilder.placement import CELLS, Cell, Placement, neighbours
from squadbuilder.reading import Node, data_folder, parse, read_text
from squadbuilder.terms import CardType

MOST_POINTS = 10**5


class Reason(str, Enum):
    """Why a card stands where it stands; each value is a message."""

    TOUGH = "line_up_tough"
    STRONG = "line_up_strong"
    SHOOTER = "line_up_shooter"
    THROWER = "line_up_thrower"
    CASTER = "line_up_caster"
    NO_FIGHTER = "line_up_no_fighter"
    FORMATION = "line_up_formation"
    PREFER = "line_up_prefer"
    BESIDE = "line_up_beside"
    PIN = "line_up_pin"
    PLACED = "line_up_placed"
    STAYS_OUT = "line_up_stays_out"


ROW_REASONS = (
    Reason.TOUGH,
    Reason.STRONG,
    Reason.SHOOTER,
    Reason.THROWER,
    Reason.CASTER,
    Reason.NO_FIGHTER,
)


class Fact(str, Enum):
    """A number of the card that multiplies points; the strike is the medium one."""

    LIFE = "life"
    STRIKE = "strike"
    COST = "cost"

    def of(self, card: Card) -> int:
        """The card's number."""
        numbers = {Fact.LIFE: card.life, Fact.STRIKE: card.strike[1], Fact.COST: card.cost}
        return numbers[self]


@dataclass(frozen=True, slots=True)
class RowPoints:
    """Points for a card that has one of the types and, if any are named, one of the keywords."""

    reason: Reason
    types: frozenset[CardType]
    keywords: frozenset[str]
    times: Fact | None
    points: Mapping[Depth, int]

    def of(self, card: Card, cell: Cell) -> int:
        """What the card gains by standing on the cell."""
        if card.type not in self.types:
            return 0
        if self.keywords and self.keywords.isdisjoint(code for code, _ in card.keywords):
            return 0
        return self.points[depth(cell)] * (self.times.of(card) if self.times else 1)


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """The table of points (data/line_up.yaml)."""

    rows: tuple[RowPoints, ...]
    formation_keyword: str
    formation: int
    prefer: int
    beside: int
    stays_out_times: Fact
    stays_out: int

    def in_formation(self, card: Card) -> bool:
        """Has the card formation (строй)?"""
        return any(code == self.formation_keyword for code, _ in card.keywords)

    def lost(self, card: Card) -> int:
        """The points, below zero, for a card that finds no cell."""
        return self.stays_out * self.stays_out_times.of(card)


def depth(cell: Cell) -> Depth:
    """The row of a cell as a player calls it."""
    return tuple(Depth)[int(cell[1]) - 1]


@cache
def score_table() -> ScoreTable:
    """The table of the project's data."""
    keys = ("rows", "formation", "prefer", "beside", "stays_out")
    entry = parse(read_text(data_folder() / "line_up.yaml")).mapping(keys, required=keys)
    names = {reason.value.removeprefix("line_up_"): reason for reason in ROW_REASONS}
    rows = entry["rows"].mapping(names, required=names)
    formation = entry["formation"].mapping(["keyword", "points"], required=["keyword", "points"])
    out = entry["stays_out"].mapping(["times", "points"], required=["times", "points"])
    return ScoreTable(
        rows=tuple(_row_points(reason, rows[name]) for name, reason in names.items()),
        formation_keyword=formation["keyword"].text(),
        formation=_points(formation["points"]),
        prefer=_points(entry["prefer"].mapping(["points"], required=["points"])["points"]),
        beside=_points(entry["beside"].mapping(["points"], required=["points"])["points"]),
        stays_out_times=out["times"].choice(Fact),
        stays_out=_points(out["points"]),
    )


def _row_points(reason: Reason, node: Node) -> RowPoints:
    depths = [one.value for one in Depth]
    entry = node.mapping(["types", "keywords", "times", *depths], required=["types"])
    keywords = entry["keywords"].items() if "keywords" in entry else ()
    return RowPoints(
        reason=reason,
        types=frozenset(item.choice(CardType) for item in entry["types"].items()),
        keywords=frozenset(item.text() for item in keywords),
        times=entry["times"].choice(Fact) if "times" in entry else None,
        points={one: _points(entry[one.value]) if one.value in entry else 0 for one in Depth},
    )


def _points(node: Node) -> int:
    return node.integer(-MOST_POINTS, MOST_POINTS)


@dataclass(frozen=True, slots=True)
class Point:
    """Points for a card on a cell, and why; `other` is the neighbour that matters."""

    cell: Cell
    reason: Reason
    points: int
    other: Cell | None = None


@dataclass(frozen=True, slots=True)
class LineUp:
    """A line-up in an order of filling that the rules allow, with the reasons for each place."""

    board: Mapping[Cell, Card]
    stays_out: tuple[Card, ...]
    points: tuple[Point, ...]
    score: int


def line_up(
    position: Placement,
    board: Mapping[Cell, Card],
    stays_out: Sequence[Card],
    wishes: LineUpWishes,
    table: ScoreTable,
) -> LineUp:
    """The line-up of this board: what lay there already first, then zone by zone."""
    zones = [cell for zone in position.seat.zones for cell in CELLS if cell in zone]
    rest = [cell for cell in zones if cell in board and cell not in position.board]
    points = (
        *_fixed(position, board, wishes),
        *_row_points_of(board, table),
        *_formations(board, table),
        *_preferred(board, wishes, table),
        *_beside(board, wishes, table),
    )
    lost = sum(map(table.lost, stays_out))
    return LineUp(
        board={cell: board[cell] for cell in (*position.board, *rest)},
        stays_out=tuple(stays_out),
        points=points,
        score=sum(point.points for point in points) + lost,
    )


def _fixed(
    position: Placement, board: Mapping[Cell, Card], wishes: LineUpWishes
) -> Iterable[Point]:
    for cell in board:
        if cell in position.board:
            yield Point(cell, Reason.PLACED, 0)
        elif cell in wishes.pin:
            yield Point(cell, Reason.PIN, 0)


def _row_points_of(board: Mapping[Cell, Card], table: ScoreTable) -> Iterable[Point]:
    for cell, card in board.items():
        for row in table.rows:
            if points := row.of(card, cell):
                yield Point(cell, row.reason, points)


def _formations(board: Mapping[Cell, Card], table: ScoreTable) -> Iterable[Point]:
    for cell, card in board.items():
        for other in neighbours(cell):
            if other in board and table.in_formation(card) and table.in_formation(board[other]):
                yield Point(cell, Reason.FORMATION, table.formation, other)


def _preferred(
    board: Mapping[Cell, Card], wishes: LineUpWishes, table: ScoreTable
) -> Iterable[Point]:
    for cell, card in board.items():
        if wishes.prefer.get(card) is depth(cell):
            yield Point(cell, Reason.PREFER, table.prefer)


def _beside(board: Mapping[Cell, Card], wishes: LineUpWishes, table: ScoreTable) -> Iterable[Point]:
    """A pair counts once, however many copies of its cards stand side by side."""
    for first, second in wishes.beside:
        pairs = [
            (cell, other)
            for cell in CELLS
            if board.get(cell) is first
            for other in neighbours(cell)
            if board.get(other) is second
        ]
        for cell, other in pairs[:1]:
            yield Point(cell, Reason.BESIDE, table.beside, other)
            yield Point(other, Reason.BESIDE, table.beside, cell)
