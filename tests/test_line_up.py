"""Suggested line-ups: always legal, really the best, and every preference matters."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_placement import CARDS, NAMES, allowed

from squadbuilder import line_up_model
from squadbuilder.cards import Card
from squadbuilder.line_up import (
    ROW_REASONS,
    LineUp,
    Point,
    Reason,
    ScoreTable,
    line_up,
    score_table,
)
from squadbuilder.line_up_model import MOST_REFUSED, Suggestions, suggest
from squadbuilder.place_file import Depth, LineUpWishes
from squadbuilder.placement import Placement, Placing, filling_orders, place
from squadbuilder.solver import Run, run
from squadbuilder.terms import CardType, Player

NO_WISHES = LineUpWishes({}, (), {})


def card(name: str, kind: CardType = CardType.CREATURE, **facts: object) -> Card:
    """A made-up card without any trait but those stated."""
    plain: dict[str, object] = {
        "id": name,
        "name": name,
        "key": name,
        "set_id": 0,
        "number": 0,
        "rarity": 1,
        "cost": 3,
        "elite": False,
        "unique": False,
        "elements": frozenset(),
        "type": kind,
        "classes": frozenset(),
        "life": 0,
        "move": 1,
        "strike": (0, 0, 0),
        "horde": False,
        "magic": False,
    }
    return Card(**{**plain, **facts})  # type: ignore[arg-type]


def keyword(*codes: str) -> tuple[tuple[str, str], ...]:
    return tuple((code, "") for code in codes)


def position(
    squad: Sequence[Card],
    free: Sequence[str] = NAMES,
    player: Player = Player.SECOND,
    placed: Mapping[str, Card] | None = None,
) -> Placement:
    blocked = frozenset(NAMES) - set(free)
    placings = [Placing(cell, one) for cell, one in (placed or {}).items()]
    return place(filling_orders()[player], squad, blocked, placings)


def best(
    where: Placement, wishes: LineUpWishes = NO_WISHES, table: ScoreTable | None = None
) -> dict[str, str]:
    """The best line-up: names by cell."""
    found = suggest(where, wishes, table or score_table(), 1, lambda _: True)
    return {cell: one.name for cell, one in found.line_ups[0].board.items()}


# Every preference of the table, and every wish, flips an answer


PLAIN = card("б")
BY_ROW = {
    Reason.TOUGH: (card("в", life=9), "c1", "c3"),
    Reason.STRONG: (card("в", strike=(2, 3, 4)), "c1", "c3"),
    Reason.SHOOTER: (card("а", keywords=keyword("sht")), "c3", "c1"),
    Reason.THROWER: (card("а", keywords=keyword("thr")), "c3", "c1"),
    Reason.CASTER: (card("а", keywords=keyword("dsc")), "c3", "c1"),
    Reason.NO_FIGHTER: (card("а", CardType.TERRAIN), "c3", "c1"),
}
"""A card with one trait, where it stands for it, and where it stands by its name alone."""


def without(reason: Reason) -> ScoreTable:
    table = score_table()
    return replace(table, rows=tuple(row for row in table.rows if row.reason is not reason))


@pytest.mark.parametrize("reason", BY_ROW)
def test_a_trait_decides_the_row(reason: Reason) -> None:
    one, with_it, by_name = BY_ROW[reason]
    where = position([one, PLAIN], ["c1", "c3"])
    assert best(where)[with_it] == one.name
    assert best(where, table=without(reason))[by_name] == one.name


def test_every_row_of_the_table_has_its_flip() -> None:
    assert set(BY_ROW) == set(ROW_REASONS) == {row.reason for row in score_table().rows}


@pytest.mark.parametrize("code", ["sht", "thr", "dsc", "spl"])
def test_a_tough_shooter_thrower_or_caster_still_stands_behind(code: str) -> None:
    one = card("а", life=14, strike=(2, 3, 4), keywords=keyword(code))
    other = card("б", life=5, strike=(1, 1, 1))
    assert best(position([one, other], ["c1", "c3"])) == {"c1": "б", "c3": "а"}


def test_formation_decides_the_neighbours() -> None:
    squad = [card("а", keywords=keyword("frm")), PLAIN, card("в", keywords=keyword("frm"))]
    where = position(squad, ["a1", "c1", "d1"])
    assert best(where) == {"a1": "б", "c1": "а", "d1": "в"}
    table = replace(score_table(), formation=0)
    assert best(where, table=table) == {"a1": "а", "c1": "б", "d1": "в"}


@pytest.mark.parametrize(("depth", "cell"), [("front", "c1"), ("middle", "c2"), ("back", "c3")])
def test_a_row_wished_for(depth: str, cell: str) -> None:
    squad = [card("а", life=20), card("б", life=5), card("в", keywords=keyword("sht"))]
    where = position(squad, ["c1", "c2", "c3"])
    assert best(where) == {"c1": "а", "c2": "б", "c3": "в"}
    for one in squad:
        wishes = LineUpWishes({one: Depth(depth)}, (), {})
        assert best(where, wishes)[cell] == one.name
        assert best(where, wishes, replace(score_table(), prefer=0)) == best(where)


def test_a_pair_wished_side_by_side() -> None:
    squad = [card("а"), card("б"), card("в")]
    where = position(squad, ["a1", "c1", "d1"])
    wishes = LineUpWishes({}, ((squad[0], squad[2]),), {})
    assert best(where) == {"a1": "а", "c1": "б", "d1": "в"}
    assert best(where, wishes) == {"a1": "б", "c1": "а", "d1": "в"}
    assert best(where, wishes, replace(score_table(), beside=0)) == best(where)


def test_two_copies_wished_side_by_side() -> None:
    twin = card("а", life=20)
    squad = [twin, twin, card("б"), card("в")]
    where = position(squad, ["a1", "c1", "d1", "c3"])
    wishes = LineUpWishes({}, ((twin, twin),), {})
    assert list(best(where).values()).count("а") == 2 and best(where)["a1"] == "а"
    assert {best(where, wishes)[cell] for cell in ("c1", "d1")} == {"а"}


def test_a_pin_outranks_everything() -> None:
    squad = [card("а", life=20), card("в", keywords=keyword("sht"))]
    where = position(squad, ["c1", "c3"])
    assert best(where) == {"c1": "а", "c3": "в"}
    wishes = LineUpWishes({squad[0]: Depth.FRONT}, (), {"c3": squad[0]})
    assert best(where, wishes) == {"c1": "в", "c3": "а"}


def test_the_cheapest_card_stays_out() -> None:
    squad = [card("а", cost=3), card("б", cost=7)]
    assert best(position(squad, ["c1"])) == {"c1": "б"}
    assert best(position(squad, ["c1"]), table=replace(score_table(), stays_out=0)) == {"c1": "а"}


def test_who_stays_out_leaves_a_squad_that_may_be_recruited() -> None:
    squad = [card("а", cost=3), card("б", cost=7)]
    where = position(squad, ["c1"])
    found = suggest(where, NO_WISHES, score_table(), 5, lambda kept: squad[1] not in kept)
    assert [one.board for one in found.line_ups] == [{"c1": squad[0]}]
    assert found.line_ups[0].stays_out == (squad[1],)
    assert suggest(where, NO_WISHES, score_table(), 1, lambda _: False) == Suggestions(
        (), refused=2
    )


def test_the_search_for_a_squad_that_may_be_recruited_ends() -> None:
    squad = [card(name) for name in "абвгдежзик"]
    found = suggest(position(squad, NAMES[:5]), NO_WISHES, score_table(), 1, lambda _: False)
    assert found == Suggestions((), refused=MOST_REFUSED)


# Pins that cannot be met


@pytest.mark.parametrize(
    ("pin", "unmet"),
    [
        ({"a2": 0}, ("a2",)),
        ({"c1": 0, "a2": 1}, ("a2",)),
        ({"c1": 0, "c3": 0}, ("c1", "c3")),
        ({"b3": 0}, ("b3",)),
    ],
)
def test_pins_at_fault_are_named(pin: dict[str, int], unmet: tuple[str, ...]) -> None:
    """The second player fills row 1 and the centre first; b3 is blocked."""
    squad = [card("а"), card("б")]
    where = position(squad, [name for name in NAMES if name != "b3"])
    wishes = LineUpWishes({}, (), {cell: squad[place] for cell, place in pin.items()})
    found = suggest(where, wishes, score_table(), 1, lambda _: True)
    assert found == Suggestions((), unmet)


@pytest.mark.parametrize("solves", range(6))
def test_ctrl_c_blames_no_pin(monkeypatch: pytest.MonkeyPatch, solves: int) -> None:
    """Heard during any solve, even one that ends as if nothing had happened."""
    squad = [card("а"), card("б")]
    wishes = LineUpWishes({}, (), {"c1": squad[0], "a2": squad[1]})
    told: list[Run] = []

    def heard(*solve: Any) -> Run:
        told.append(run(*solve)._replace(interrupted=len(told) == solves))
        return told[-1]

    monkeypatch.setattr(line_up_model, "run", heard)
    found = suggest(position(squad), wishes, score_table(), 1, lambda _: True)
    assert found == Suggestions((), interrupted=True) and len(told) == solves + 1


def test_ctrl_c_keeps_the_line_ups_found(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Run] = []

    def heard(*solve: Any) -> Run:
        told.append(run(*solve)._replace(interrupted=len(told) == 6))
        return told[-1]

    monkeypatch.setattr(line_up_model, "run", heard)
    found = suggest(position([card("а"), card("б")]), NO_WISHES, score_table(), 3, lambda _: True)
    assert found.interrupted and len(found.line_ups) == 1 and len(told) == 7


# Always legal, really the best

SQUADS = st.lists(st.sampled_from(CARDS), min_size=1, max_size=16)


def check_legal(player: Player, where: Placement, found: LineUp, wishes: LineUpWishes) -> None:
    """Every step is allowed by the rule's words, and all cards stand while there is a cell."""
    filled = set(where.blocked)
    for cell in found.board:
        assert cell in allowed(player, filled)
        filled.add(cell)
    assert list(found.board)[: len(where.board)] == list(where.board)
    assert all(found.board[cell] is one for cell, one in where.board.items())
    assert all(found.board[cell] is one for cell, one in wishes.pin.items())
    squad = Counter([*where.squad, *where.returned])
    assert Counter(found.board.values()) + Counter(found.stays_out) == squad
    assert not found.stays_out or len(filled) == len(NAMES)


def suggestions_are_legal(data: st.DataObject) -> None:
    player = data.draw(st.sampled_from(Player))
    squad = data.draw(SQUADS)
    blocked = data.draw(st.sets(st.sampled_from(NAMES), max_size=8))
    placed: dict[str, Card] = {}
    for one in squad[: data.draw(st.integers(0, 3))]:
        may = allowed(player, (*blocked, *placed))
        if may:
            placed[data.draw(st.sampled_from(sorted(may)))] = one
    where = position(squad, [name for name in NAMES if name not in blocked], player, placed)
    members = st.sampled_from(squad)
    wishes = LineUpWishes(
        prefer=data.draw(st.dictionaries(members, st.sampled_from(Depth), max_size=3)),
        beside=tuple(data.draw(st.lists(st.tuples(members, members), max_size=2))),
        pin=dict.fromkeys(data.draw(st.sets(st.sampled_from(NAMES), max_size=1)), squad[-1]),
    )
    found = suggest(where, wishes, score_table(), 2, lambda _: True)
    assert found.line_ups or found.unmet == tuple(wishes.pin)
    for answer in found.line_ups:
        check_legal(player, where, answer, wishes)
    scores = [one.score for one in found.line_ups]
    assert scores == sorted(scores, reverse=True)
    rows = [Counter((one, cell[1]) for cell, one in best.board.items()) for best in found.line_ups]
    assert len(rows) < 2 or rows[0] != rows[1] or found.line_ups[0].stays_out


QUICK = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


@QUICK
@given(data=st.data())
def test_suggestions_are_legal(data: st.DataObject) -> None:
    suggestions_are_legal(data)


@pytest.mark.deep
@settings(QUICK, max_examples=300)
@given(data=st.data())
def test_many_suggestions_are_legal(data: st.DataObject) -> None:
    suggestions_are_legal(data)


FREE = ("b1", "c1", "c2", "c3", "a2", "e1")


@pytest.mark.parametrize("player", Player)
@pytest.mark.parametrize("start", range(0, 600, 100))
def test_suggestions_are_the_best(player: Player, start: int) -> None:
    """All boards of four cards on six cells: none is better, and ties fall as documented."""
    fellows = [one for one in CARDS if ("frm", "") in one.keywords]
    squad = [*CARDS[start : start + 80 : 40], *fellows[start // 20 : start // 20 + 2]]
    where = position(squad, FREE, player)
    wishes = LineUpWishes({squad[0]: Depth.BACK}, ((squad[1], squad[2]),), {})
    table = score_table()
    boards: list[tuple[int, list[int], dict[str, Card]]] = []
    names = sorted({one.key for one in squad})
    for cells in permutations(FREE, len(squad)):
        board = dict(zip(cells, squad, strict=True))
        zones = filling_orders()[player].zones
        order = sorted(board, key=lambda c: [c in zone for zone in zones].index(True))
        filled = set(where.blocked)
        legal = all(
            cell in allowed(player, filled) and not filled.add(cell)  # type: ignore[func-returns-value]
            for cell in order
        )
        if legal:
            score = line_up(where, board, (), wishes, table).score
            tie = [
                names.index(board[cell].key) if cell in board else len(names)
                for cell in sorted(FREE, key=lambda cell: (cell[1], cell[0]))
            ]
            boards.append((-score, tie, board))
    expected = min(boards, key=lambda entry: entry[:2])
    found = suggest(where, wishes, table, 1, lambda _: True).line_ups[0]
    assert (found.score, dict(found.board)) == (-expected[0], expected[2])


def test_more_line_ups_put_some_card_in_another_row() -> None:
    squad = CARDS[:4]
    found = suggest(position(squad), NO_WISHES, score_table(), 6, lambda _: True).line_ups
    rows = [frozenset(Counter((c, cell[1]) for cell, c in f.board.items()).items()) for f in found]
    assert len(set(rows)) == 6


def test_the_order_of_the_squad_does_not_matter() -> None:
    squad = CARDS[40:49]
    answers = {
        str(best(position(order))) for order in (squad, squad[::-1], [*squad[4:], *squad[:4]])
    }
    assert len(answers) == 1


# The reasons


def test_the_reasons_add_up_to_the_score() -> None:
    fighters = [card("а", life=9, strike=(1, 2, 3), keywords=keyword("frm")) for _ in range(1)]
    squad = [*fighters, card("б", keywords=keyword("frm", "sht"))]
    where = position(squad, ["c1", "c2"], placed={"c2": squad[1]})
    wishes = LineUpWishes({squad[0]: Depth.FRONT}, ((squad[1], squad[0]),), {"c1": squad[0]})
    found = line_up(where, {"c1": squad[0], "c2": squad[1]}, (), wishes, score_table())
    assert set(found.points) == {
        Point("c2", Reason.PLACED, 0),
        Point("c1", Reason.PIN, 0),
        Point("c1", Reason.TOUGH, 18),
        Point("c1", Reason.STRONG, 4),
        Point("c2", Reason.SHOOTER, 30),
        Point("c1", Reason.FORMATION, 12, "c2"),
        Point("c2", Reason.FORMATION, 12, "c1"),
        Point("c1", Reason.PREFER, 1000),
        Point("c2", Reason.BESIDE, 500, "c1"),
        Point("c1", Reason.BESIDE, 500, "c2"),
    }
    assert found.score == sum(point.points for point in found.points) == 2076
    assert list(found.board) == ["c2", "c1"]
