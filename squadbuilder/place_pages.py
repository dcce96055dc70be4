"""Placements and line-ups as a person reads them: the field drawn, violations, reasons."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from textwrap import wrap

from squadbuilder.after_placement import Due, Log
from squadbuilder.answers import counted
from squadbuilder.cards import Card
from squadbuilder.line_up import LineUp, RowPoints, ScoreTable
from squadbuilder.pages import Page, width
from squadbuilder.place_answers import due_text, log_text, misplaced_text, reasons_text
from squadbuilder.place_file import Depth
from squadbuilder.placement import Cell, Placement
from squadbuilder.terms import COLUMNS, ROWS

OPEN, CLOSED, BLOCKED = "+", "", "#"
NARROWEST, WIDEST = 3, 16
MOST_LINES = 2


class PlacePages(Page):
    """Writes the answers of `place`."""

    def placement(self, placement: Placement, due: Sequence[Due], log: Log) -> None:
        """What was wrong, which cards found no cell, and what follows the placement."""
        if placement.violations:
            self.print(self.say("place_illegal"))
        elif placement.board:
            self.print(self.say("place_legal"))
        for found in placement.violations:
            self.print(f"  {found.rule}  {misplaced_text(found, self.speaker)}")
        if placement.left:
            names = counted(card.name for card in placement.left)
            self.print(self.say("place_left", cards=names))
            if placement.too_many:
                self.print(self.say("place_too_many", n=placement.too_many))
        if placement.returned:
            names = counted(card.name for card in placement.returned)
            self.print(self.say("place_returned", cards=names))
        told = Counter((one.card.name, due_text(one, self.speaker)) for one in due)
        for (name, words), number in told.items():
            card = f"{number} {name}" if number > 1 else name
            self.print(self.say("reveals", card=card, say=words))
        self.log(log)

    def log(self, log: Log) -> None:
        """What both players used after placement, and what was wrong with it."""
        for player, card in log.uses:
            self.print(self.say("place_used", player=self.say(player.value), card=card.name))
        if log.violations:
            self.print(self.say("place_log_illegal"))
        elif log.uses:
            self.print(self.say("place_log_legal"))
        for found in log.violations:
            self.print(f"  {found.rule}  {log_text(found, self.speaker)}")

    def next(self, placement: Placement) -> None:
        """The cells that are open now."""
        cells = ", ".join(placement.open) or self.say("no_cell")
        self.print(self.say("place_open", cells=cells))

    def field(
        self, board: Mapping[Cell, Card], blocked: Collection[Cell], open_cells: Collection[Cell]
    ) -> None:
        """The own half, row 1 above, where the enemy is."""
        marks = {**dict.fromkeys(blocked, BLOCKED), **dict.fromkeys(open_cells, OPEN)}
        if self.plain:
            self._lines_of_rows(board, marks)
            return
        room = min((width() - len("1 |")) // len(COLUMNS) - 1, WIDEST)
        room = min(room, max((len(card.name) for card in board.values()), default=0))
        room = max(room, NARROWEST)
        short = shortened(board.values(), room)
        self.print("   " + " ".join(column.center(room) for column in COLUMNS).rstrip())
        edge = "  +" + "+".join("-" * room for _ in COLUMNS) + "+"
        for row in ROWS:
            self.print(edge)
            cells = [f"{column}{row}" for column in COLUMNS]
            texts = [
                short[board[cell]] if cell in board else [marks.get(cell, CLOSED).center(room)]
                for cell in cells
            ]
            for line in range(max(map(len, texts))):
                parts = [text[line] if line < len(text) else "" for text in texts]
                head = str(row) if line == 0 else " "
                self.print(f"{head} |" + "|".join(part.ljust(room) for part in parts) + "|")
        self.print(edge)
        self._key(board, marks, short)

    def _key(
        self,
        board: Mapping[Cell, Card],
        marks: Mapping[Cell, str],
        short: Mapping[Card, Sequence[str]],
    ) -> None:
        """What the signs mean, and the full names of cards that had to be shortened."""
        signs = [
            self.say(code, sign=sign)
            for sign, code in ((OPEN, "place_sign_open"), (BLOCKED, "place_sign_blocked"))
            if sign in marks.values()
        ]
        self.print(", ".join([self.say("place_enemy"), *signs]))
        for cell, card in board.items():
            if "".join(short[card]).replace(" ", "") != card.name.replace(" ", ""):
                self.print(f"{cell}: {card.name}")

    def _lines_of_rows(self, board: Mapping[Cell, Card], marks: Mapping[Cell, str]) -> None:
        """The field as lines of text, for chats."""
        for row in ROWS:
            cells = [f"{column}{row}" for column in COLUMNS]
            texts = [
                f"{cell} {board[cell].name if cell in board else marks[cell]}"
                for cell in cells
                if cell in board or cell in marks
            ]
            if texts:
                self.print(", ".join(texts))

    def line_ups(
        self, found: Sequence[LineUp], blocked: Collection[Cell], table: ScoreTable
    ) -> None:
        """Suggested line-ups, best first, then the table of points."""
        for place, one in enumerate(found, start=1):
            if len(found) > 1:
                self.print(self.say("place", n=place))
            self.field(one.board, blocked, ())
            for number, (cell, card) in enumerate(one.board.items(), start=1):
                self.print(f"{number}. {cell} {card.name}: {reasons_text(one, cell, self.speaker)}")
            if one.stays_out:
                names = counted(card.name for card in one.stays_out)
                self.print(self.say("place_returned", cards=names))
            self.print(self.say("line_up_score", n=one.score))
            self.print("")
        self.score_table(table)

    def score_table(self, table: ScoreTable) -> None:
        """What the points of a line-up are given for."""
        self.print(self.say("line_up_table"))
        headings = ["reason", *(depth.value for depth in Depth)]
        self.table(headings, [self._row_points(row) for row in table.rows])
        self.print(
            self.say(
                "line_up_others",
                formation=table.formation,
                prefer=table.prefer,
                beside=table.beside,
                out=table.stays_out,
                fact=self.say(f"fact_{table.stays_out_times.value}"),
            )
        )

    def _row_points(self, row: RowPoints) -> list[str]:
        """A line of the table: 2 per life in front, 1 in the middle."""
        per = "" if row.times is None else self.say(f"fact_{row.times.value}")
        texts = [
            f"{points} {per}".rstrip() if (points := row.points[depth]) else "" for depth in Depth
        ]
        return [self.say(row.reason.value, other=""), *texts]


def shortened(cards: Iterable[Card], room: int) -> dict[Card, list[str]]:
    """Each card's name in at most two lines of so many letters; a cut word ends with a dot.

    Names that would look alike keep a number.
    """
    found: dict[Card, list[str]] = {}
    seen: Counter[str] = Counter()
    for card in sorted(set(cards), key=lambda card: card.key):
        lines = _two_lines(card.name, room)
        alike = seen["".join(lines)]
        seen["".join(lines)] += 1
        if alike:
            number = str(alike + 1)
            lines[-1] = lines[-1][: room - len(number)] + number
        found[card] = lines
    return found


def _two_lines(name: str, room: int) -> list[str]:
    lines = wrap(name, room, break_long_words=False, break_on_hyphens=True)
    cut = [line if len(line) <= room else line[: room - 1] + "." for line in lines]
    return cut[:MOST_LINES]
