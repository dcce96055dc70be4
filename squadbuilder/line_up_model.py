"""The best line-ups: where cards may stand (404.1) and what that is worth, as a CP-SAT model."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ortools.sat.python import cp_model

from squadbuilder.cards import Card
from squadbuilder.line_up import LineUp, ScoreTable, depth, line_up
from squadbuilder.place_file import LineUpWishes
from squadbuilder.placement import CELLS, Cell, Placement, neighbours
from squadbuilder.solver import new_solver, run
from squadbuilder.terms import ROWS

Fits = Callable[[Sequence[Card]], bool]
"""May these cards be a squad? Asked only when some cards find no cell."""


MOST_REFUSED = 50
"""So many ways to leave cards out are tried before the search gives up."""


@dataclass(frozen=True, slots=True)
class Suggestions:
    """The best line-ups, best first; without any, the pins that stand in the way.

    `refused` counts the ways to leave cards out that would not have left a legal squad.
    """

    line_ups: tuple[LineUp, ...]
    unmet: tuple[Cell, ...] = ()
    interrupted: bool = False
    refused: int = 0


def suggest(
    position: Placement, wishes: LineUpWishes, table: ScoreTable, top: int, fits: Fits
) -> Suggestions:
    """The `top` best line-ups that begin with the cards placed already.

    Any two of them have some card in another row. Ties fall to the smallest names, read row by row from
    the front, an empty cell last.
    """
    model = LineUpModel(position, wishes, table)
    found: list[LineUp] = []
    refused = 0
    while len(found) < top and refused < MOST_REFUSED:
        best, interrupted = model.best()
        if best is None:
            pins = not found and not refused and not interrupted
            unmet = _unmet(position, wishes, table) if pins else ()
            interrupted |= unmet is None
            return Suggestions(tuple(found), unmet or (), interrupted, refused)
        if best.stays_out and not fits(tuple(best.board.values())):
            model.forbid_outside(best.stays_out)
            refused += 1
        else:
            found.append(best)
            model.forbid(best.board)
    return Suggestions(tuple(found), refused=refused)


def _unmet(position: Placement, wishes: LineUpWishes, table: ScoreTable) -> tuple[Cell, ...] | None:
    """Pins that cannot all be met, none of which could be left out of the list; None after Ctrl-C."""
    needed = dict(wishes.pin)
    for cell in sorted(wishes.pin):
        fewer = {other: card for other, card in needed.items() if other != cell}
        best, interrupted = LineUpModel(position, replace(wishes, pin=fewer), table).best()
        if interrupted:
            return None
        if best is None:
            needed = fewer
    return tuple(needed)


class LineUpModel:
    """One board, cell by cell; `best` may be asked again after boards were forbidden."""

    def __init__(self, position: Placement, wishes: LineUpWishes, table: ScoreTable) -> None:
        self.position = position
        self.wishes = wishes
        self.table = table
        squad = (*position.squad, *position.returned)
        self.copies = Counter(sorted(squad, key=lambda card: card.key))
        self.cells = [cell for cell in CELLS if cell not in position.blocked]
        self.size = min(len(squad), len(self.cells))
        self.cp = cp_model.CpModel()
        self.on = {
            (card, cell): self.cp.new_bool_var("") for card in self.copies for cell in self.cells
        }
        self.filled = {
            cell: sum(self.on[card, cell] for card in self.copies) for cell in self.cells
        }
        for rule in (one_card_a_cell, every_card, order_of_filling, placed_already, pins):
            rule(self)
        terms = (row_points, formation_points, beside_points, outside_points)
        self.score: cp_model.LinearExprT = sum(term for make in terms for term in make(self))

    def best(self) -> tuple[LineUp | None, bool]:
        """The best board that is left, and whether the player stopped the search."""
        cp = self.cp.clone()
        solver = new_solver()
        solver.parameters.cp_model_presolve = True
        solver.parameters.linearization_level = 2
        for goal in (self.score, *(self._names(row) for row in ROWS)):
            cp.maximize(goal)
            status, interrupted = run(solver, cp)
            if interrupted or status != cp_model.OPTIMAL:
                return None, interrupted
            cp.add(goal == solver.value(goal))
        board = {cell: card for (card, cell), var in self.on.items() if solver.boolean_value(var)}
        outside = tuple((self.copies - Counter(board.values())).elements())
        found = line_up(self.position, board, outside, self.wishes, self.table)
        assert found.score == solver.value(self.score), "the model and the table disagree"
        return found, False

    def _names(self, row: int) -> cp_model.LinearExprT:
        """The names in a row as a number: greater for smaller names further left, least for gaps."""
        in_row = [cell for cell in self.cells if cell.endswith(str(row))]
        worth = {card: len(self.copies) - place for place, card in enumerate(self.copies)}
        base = len(self.copies) + 1
        weight = {cell: base**place for place, cell in enumerate(reversed(in_row))}
        return cp_model.LinearExpr.sum(
            [
                weight[cell] * worth[card] * self.on[card, cell]
                for cell in in_row
                for card in self.copies
            ]
        )

    def forbid(self, board: Mapping[Cell, Card]) -> None:
        """Some card must stand in another row than on this board."""
        rows = Counter((card, cell[1]) for cell, card in board.items())
        self._fewer(
            (sum(self.on[card, cell] for cell in self.cells if cell[1] == row), copies)
            for (card, row), copies in rows.items()
        )

    def forbid_outside(self, cards: Iterable[Card]) -> None:
        """Some of these cards must find a cell."""
        self._fewer((self.outside(card), copies) for card, copies in Counter(cards).items())

    def _fewer(self, counts: Iterable[tuple[cp_model.LinearExprT, int]]) -> None:
        """One of these counts must be less than the number beside it."""
        fewer: list[cp_model.IntVar] = []
        for count, number in counts:
            literal = self.cp.new_bool_var("")
            self.cp.add(count < number).only_enforce_if(literal)
            fewer.append(literal)
        self.cp.add_bool_or(fewer)

    def outside(self, card: Card) -> cp_model.LinearExprT:
        """How many copies of the card find no cell."""
        return self.copies[card] - sum(self.on[card, cell] for cell in self.cells)


# Rules, a function each


def one_card_a_cell(model: LineUpModel) -> None:
    """404.1.1: one card a cell."""
    for cell in model.cells:
        model.cp.add(model.filled[cell] <= 1)


def every_card(model: LineUpModel) -> None:
    """404.1.1, 404.1: every card is placed while there is a cell for it."""
    for card in model.copies:
        model.cp.add(model.outside(card) >= 0)
    model.cp.add(sum(model.filled.values()) == model.size)


def order_of_filling(model: LineUpModel) -> None:
    """404.1.2, 404.1.3: a cell of a later zone is used only if the earlier zones are full."""
    earlier: list[Cell] = []
    for zone in model.position.seat.zones:
        free = [cell for cell in zone if cell in model.filled]
        for cell in free:
            for before in earlier:
                model.cp.add(model.filled[cell] <= model.filled[before])
        earlier += free


def placed_already(model: LineUpModel) -> None:
    """Cards that lie on the field stay there."""
    for cell, card in model.position.board.items():
        model.cp.add(model.on[card, cell] == 1)


def pins(model: LineUpModel) -> None:
    """The player's wish: this card on this cell; on a blocked cell nothing can stand."""
    for cell, card in model.wishes.pin.items():
        model.cp.add(sum(var for place, var in model.on.items() if place == (card, cell)) == 1)


# Points, a function an entry of the table


def row_points(model: LineUpModel) -> Iterable[cp_model.LinearExprT]:
    """Points of each card for its row, the rows wished for among them."""
    for (card, cell), var in model.on.items():
        points = sum(row.of(card, cell) for row in model.table.rows)
        if model.wishes.prefer.get(card) is depth(cell):
            points += model.table.prefer
        yield points * var


def formation_points(model: LineUpModel) -> Iterable[cp_model.LinearExprT]:
    """Points of both cards of each two neighbours with formation."""
    fellows = [card for card in model.copies if model.table.in_formation(card)]
    if sum(model.copies[card] for card in fellows) < 2:
        return
    in_formation = {cell: sum(model.on[card, cell] for card in fellows) for cell in model.cells}
    for cell, other in _edges(model.cells):
        if cell < other:
            both = model.cp.new_bool_var("")
            model.cp.add(both <= in_formation[cell])
            model.cp.add(both <= in_formation[other])
            model.cp.add(both >= in_formation[cell] + in_formation[other] - 1)
            yield 2 * model.table.formation * both


def beside_points(model: LineUpModel) -> Iterable[cp_model.LinearExprT]:
    """Points of both cards of each pair that the player wants side by side."""
    for first, second in model.wishes.beside:
        pairs: list[cp_model.IntVar] = []
        for cell, other in _edges(model.cells):
            both = model.cp.new_bool_var("")
            model.cp.add_implication(both, model.on[first, cell])
            model.cp.add_implication(both, model.on[second, other])
            pairs.append(both)
        wished = model.cp.new_bool_var("")
        model.cp.add(wished <= sum(pairs))
        yield 2 * model.table.beside * wished


def outside_points(model: LineUpModel) -> Iterable[cp_model.LinearExprT]:
    """Points lost for cards that find no cell."""
    if model.size < model.copies.total():
        for card in model.copies:
            yield model.table.lost(card) * model.outside(card)


def _edges(cells: Iterable[Cell]) -> list[tuple[Cell, Cell]]:
    """Every two neighbours, in both orders."""
    there = list(cells)
    return [(cell, other) for cell in there for other in neighbours(cell) if other in there]
