"""The table in battle as a value: cards with their zones and markers, and what has been declared."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from squadbuilder.cards import Card
from squadbuilder.terms import COLUMNS, ROWS, CardType, Player


class Zone(str, Enum):
    """Where a card is: колода, поле боя, вспомогательная зона, кладбище, изгнание."""

    DECK = "deck"
    FIELD = "field"
    AUXILIARY = "auxiliary"
    GRAVEYARD = "graveyard"
    EXILE = "exile"


IN_PLAY = frozenset({Zone.FIELD, Zone.AUXILIARY})
"""The play zones (игровые зоны): only cards there belong to a squad."""

AUXILIARY_TYPES = frozenset({CardType.FLYER, CardType.TERRAIN})
"""Cards of these types lie in the auxiliary zone whatever their text says (532.3 to 532.5)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell (клетка) of a player's half. Row 1 faces the enemy, row 3 is the third row.

    Columns run a to e across both halves, so that `first c1` and `second c1` touch.
    """

    half: Player
    column: int
    row: int

    def __str__(self) -> str:
        return f"{self.half.value} {COLUMNS[self.column]}{self.row}"

    def distance(self, other: "Cell") -> int:
        """Steps between two cells; diagonal neighbours stand beside one another (distance 1)."""
        return max(abs(self.column - other.column), abs(self._line - other._line))

    @property
    def _line(self) -> int:
        """Lines run from the first player's third row, 0, to the second player's, 5."""
        rows = len(ROWS)
        return rows - self.row if self.half is Player.FIRST else rows - 1 + self.row


CELLS = {
    str(cell): cell
    for half in Player
    for row in ROWS
    for cell in (Cell(half, column, row) for column in range(len(COLUMNS)))
}
"""All thirty cells by the name that scenarios use."""


@dataclass(frozen=True, slots=True)
class Place:
    """A zone, and the cell if the zone is the field."""

    zone: Zone
    cell: Cell | None = None

    def __str__(self) -> str:
        return str(self.cell) if self.cell is not None else self.zone.value


Counters = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Piece:
    """A card on the table. `joined` is the number of the rule that gave its controller control.

    `limits` are the most markers of a name that it may carry; `incarnation` are the values X of its
    abilities "incarnation X", with `incarnation_counters` collected and `incarnated` once used.
    """

    handle: str
    card: Card
    owner: Player
    controller: Player
    place: Place
    joined: str = "532.2"
    open: bool = True
    revealed: bool = True
    life: int = 0
    wounds: int = 0
    extra_lives: int = 0
    movement: int = 0
    counters: Counters = field(default_factory=dict)
    limits: Counters = field(default_factory=dict)
    used_this_turn: Counters = field(default_factory=dict)
    used_this_battle: Counters = field(default_factory=dict)
    incarnation: tuple[int, ...] = ()
    incarnation_counters: int = 0
    incarnated: bool = False
    text_auxiliary: bool = False

    @property
    def in_play(self) -> bool:
        """Is it in a play zone, and so in its controller's squad?"""
        return self.place.zone in IN_PLAY

    @property
    def auxiliary(self) -> bool:
        """Does it lie in the auxiliary zone and never on a cell (532.3 to 532.6)?"""
        return self.text_auxiliary or self.card.type in AUXILIARY_TYPES

    @property
    def life_left(self) -> int:
        """Current life (текущие жизни)."""
        return self.life - self.wounds

    def closed_now(self) -> "Piece":
        """The card turned; whoever is closed has no movement left (501.8)."""
        return replace(self, open=False, movement=0)

    def gone(self, zone: Zone) -> "Piece":
        """The card taken out of play: what lay on it is gone, marks of uses stay (501.13.1)."""
        return replace(
            self,
            place=Place(zone),
            controller=self.owner,
            open=True,
            revealed=True,
            wounds=0,
            extra_lives=0,
            movement=0,
            counters={},
            incarnation_counters=0,
        )


class Kind(str, Enum):
    """Kinds of resources that a text asks for before its colon (501.3)."""

    ACTION = "action"
    MOVEMENT = "movement"
    COUNTERS = "counters"
    ADDED_COUNTERS = "add_counters"
    WOUNDS = "wounds"
    EXTRA_LIVES = "extra_lives"
    DESTROY = "destroy"
    TO_DECK = "to_deck"
    USE_THIS_TURN = "use_this_turn"
    USE_THIS_BATTLE = "use_this_battle"


USES = frozenset({Kind.USE_THIS_TURN, Kind.USE_THIS_BATTLE})
GIVEN_UP = {Kind.DESTROY: Zone.GRAVEYARD, Kind.TO_DECK: Zone.DECK}
"""Resources that are the card itself, and the zone that it goes to."""

ALWAYS_PREPAID = frozenset({Kind.WOUNDS, Kind.EXTRA_LIVES, *GIVEN_UP})


@dataclass(frozen=True, slots=True)
class Resource:
    """So much of a resource of a card. `name` is that of the counter, or of the ability used."""

    card: str
    kind: Kind
    amount: int
    name: str = ""

    @property
    def same(self) -> tuple[str, Kind, str]:
        """What two resources share that are drawn from one store."""
        return self.card, self.kind, self.name


Resources = tuple[Resource, ...]


@dataclass(frozen=True, slots=True)
class Pending:
    """A declaration that has not ended. Once begun, `pledged` is what is reserved (501.9).

    `player` declared it, whoever controls the source later.
    `held` is the action that a movement keeps in reserve without ever paying it (501.8).
    """

    name: str
    source: str
    player: Player
    pledged: Resources
    targets: tuple[str, ...] = ()
    begun: bool = False
    held: Resources = ()
    active_zone: Zone | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """All that lies on the table. `ended` tells by which rule a declaration has come to its end.

    `chosen` are the first targets of abilities that must take different ones (501.17).
    """

    pieces: Mapping[str, Piece]
    pending: Mapping[str, Pending] = field(default_factory=dict)
    ended: Mapping[str, str] = field(default_factory=dict)
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def put(self, *changed: Piece) -> "Table":
        """The table with these cards as they are now."""
        return replace(self, pieces={**self.pieces, **{p.handle: p for p in changed}})

    def squad(self, player: Player) -> list[Piece]:
        """The cards in play that a player controls."""
        return [p for p in self.pieces.values() if p.in_play and p.controller is player]

    def standing_on(self, cell: Cell) -> list[Piece]:
        """The cards on a cell."""
        return [p for p in self.pieces.values() if p.place.cell == cell]

    def owned(self, wanted: Resource) -> int | None:
        """How much of a resource the card has, reserved or not (501.10); None is without limit."""
        piece = self.pieces[wanted.card]
        if wanted.kind is Kind.COUNTERS:
            return piece.counters.get(wanted.name, 0)
        if wanted.kind is Kind.ADDED_COUNTERS:
            most = piece.limits.get(wanted.name)
            return None if most is None else most - piece.counters.get(wanted.name, 0)
        if not piece.in_play:
            return 0
        return {
            Kind.ACTION: int(piece.open),
            Kind.MOVEMENT: piece.movement,
            Kind.WOUNDS: piece.life_left,
            Kind.EXTRA_LIVES: piece.extra_lives,
        }.get(wanted.kind, 1)

    def pledged(self, wanted: Resource, begun: bool = False) -> int:
        """How much of a resource is declared, or with `begun` reserved, for declarations."""
        return sum(
            one.amount
            for action in self.pending.values()
            for one in action.pledged
            if one.same == wanted.same and (action.begun or not begun)
        )

    def moving(self, card: str, begun: bool = False) -> bool:
        """Has the card declared a movement of its own, or with `begun` is it carrying one out?"""
        return any(
            one.card == card and one.kind is Kind.MOVEMENT and (action.begun or not begun)
            for action in self.pending.values()
            if action.source == card
            for one in action.pledged
        )

    def end(self, name: str, rule: str) -> "Table":
        """The table without this declaration."""
        rest = {key: action for key, action in self.pending.items() if key != name}
        return replace(self, pending=rest, ended={**self.ended, name: rule})

    def enter(self, piece: Piece, cell: Cell | None, player: Player, rule: str) -> "Table":
        """A card comes into play under a player's control."""
        place = Place(Zone.AUXILIARY) if cell is None else Place(Zone.FIELD, cell)
        movement = piece.card.move if piece.open else 0
        return self.put(
            replace(piece, place=place, controller=player, joined=rule, movement=movement)
        )


def added(counters: Counters, name: str, amount: int) -> Counters:
    """Counters with more (or fewer) of one name; a name with none left is dropped."""
    changed = {**counters, name: counters.get(name, 0) + amount}
    return {key: count for key, count in changed.items() if count}


def spend(piece: Piece, spent: Resource) -> Piece:
    """A card after it has given up a resource; the dead and the destroyed go to the graveyard."""
    if spent.kind in GIVEN_UP:
        return piece.gone(GIVEN_UP[spent.kind])
    if spent.kind is Kind.ACTION:
        return piece.closed_now()
    if spent.kind is Kind.MOVEMENT:
        return replace(piece, movement=piece.movement - spent.amount)
    if spent.kind is Kind.EXTRA_LIVES:
        return replace(piece, extra_lives=piece.extra_lives - spent.amount)
    if spent.kind is Kind.WOUNDS:
        return wounded(piece, spent.amount)
    if spent.kind is Kind.USE_THIS_TURN:
        marks = added(piece.used_this_turn, spent.name, spent.amount)
        return replace(piece, used_this_turn=marks)
    if spent.kind is Kind.USE_THIS_BATTLE:
        marks = added(piece.used_this_battle, spent.name, spent.amount)
        return replace(piece, used_this_battle=marks)
    sign = 1 if spent.kind is Kind.ADDED_COUNTERS else -1
    return replace(piece, counters=added(piece.counters, spent.name, sign * spent.amount))


def wounded(piece: Piece, wounds: int) -> Piece:
    """A card with more wounds; without life left it dies."""
    hurt = replace(piece, wounds=piece.wounds + wounds)
    return hurt.gone(Zone.GRAVEYARD) if hurt.life_left <= 0 else hurt


def merged(resources: Iterable[Resource]) -> Resources:
    """Resources with amounts of one store added up, in their first order."""
    total: dict[tuple[str, Kind, str], Resource] = {}
    for one in resources:
        before = total.get(one.same)
        total[one.same] = one if before is None else replace(one, amount=one.amount + before.amount)
    return tuple(total.values())
