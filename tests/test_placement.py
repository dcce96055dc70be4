"""Placement (404.1) against a reading of its own: the rule's words turned into a test of one cell."""

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import permutations
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squadbuilder.cards import Card, catalogue
from squadbuilder.placement import (
    CELLS,
    Fault,
    Placement,
    Placing,
    filling_orders,
    neighbours,
    place,
    read_cell,
)
from squadbuilder.terms import Player

NAMES = [f"{column}{row}" for column in "abcde" for row in (1, 2, 3)]
CARDS: Sequence[Card] = sorted(catalogue().by_key.values(), key=lambda card: card.key)


def allowed(player: Player, filled: Iterable[str]) -> set[str]:
    """Where the next card may lie; blocked cells are among the filled ones (404.1).

    First player: the central 3x3, after it the rest of rows 2 and 3, last the rest of row 1. Second
    player: the central 3x3 and the ends of row 1, last the ends of rows 2 and 3.
    """
    free = set(NAMES) - set(filled)
    centre = {name for name in free if name[0] in "bcd"}
    ends = free - centre
    first_row = {name for name in ends if name[1] == "1"}
    if player is Player.FIRST:
        return centre or (ends - first_row) or first_row
    return (centre | first_row) or ends


def judged(
    player: Player, squad: Sequence[Card], blocked: Iterable[str], cells: Sequence[str]
) -> Placement:
    placings = [Placing(cell, card) for cell, card in zip(cells, squad, strict=False)]
    return place(filling_orders()[player], squad, frozenset(blocked), placings)


def orders(player: Player, blocked: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    """Every order of so many cells, wherever they are, that the brute reading allows."""
    for cells in permutations(NAMES, length):
        if all(
            cell in allowed(player, (*blocked, *cells[:step])) for step, cell in enumerate(cells)
        ):
            yield cells


HALVES = [
    [],
    ["a1", "e1"],
    ["c2"],
    ["b1", "c1", "d1", "b2", "d2", "b3", "c3"],
    ["b1", "c1", "d1", "b2", "c2", "d2", "b3", "c3", "d3"],
    ["a2", "e2", "a3", "e3", "b1"],
]


@pytest.mark.parametrize("player", Player)
@pytest.mark.parametrize("blocked", HALVES, ids=len)
def test_the_legal_orders_of_three_cards(player: Player, blocked: list[str]) -> None:
    """All ways to put three cards anywhere: 2730 sequences, the legal ones as a set."""
    squad = CARDS[:3]
    found = {
        cells
        for cells in permutations(NAMES, 3)
        if not judged(player, squad, blocked, cells).violations
    }
    expected = set(orders(player, blocked, 3))
    assert found == expected and expected


@pytest.mark.parametrize("player", Player)
@pytest.mark.parametrize("seed", range(4))
def test_the_legal_orders_until_the_half_is_full(player: Player, seed: int) -> None:
    """Six free cells: all 720 orders, with a seventh card that finds no cell."""
    free = random.Random(seed).sample(NAMES, 6)
    blocked = [name for name in NAMES if name not in free]
    squad = CARDS[:7]
    found = set()
    for cells in permutations(free):
        placement = judged(player, squad, blocked, cells)
        assert placement.returned == (squad[6],) and not placement.left
        if not placement.violations:
            found.add(cells)
    expected = {
        cells
        for cells in permutations(free)
        if all(
            cell in allowed(player, (*blocked, *cells[:step])) for step, cell in enumerate(cells)
        )
    }
    assert found == expected and 0 < len(found) <= factorial(6)


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        (Player.FIRST, factorial(9) * factorial(4) * factorial(2)),
        (Player.SECOND, factorial(11) * factorial(4)),
    ],
)
def test_the_number_of_orders_that_fill_the_half(player: Player, expected: int) -> None:
    """Counted over every set of filled cells that can be reached (as perft counts)."""

    @cache
    def count(filled: frozenset[str]) -> int:
        cells = filling_orders()[player].open_cells(filled)
        assert set(cells) == allowed(player, filled)
        return sum(count(filled | {cell}) for cell in cells) if cells else 1

    assert count(frozenset()) == expected


cells_of_any_kind = st.sampled_from([*NAMES, "c4", "f1", "", "C2", "с2"])


@settings(max_examples=300, deadline=None)
@given(
    player=st.sampled_from(Player),
    blocked=st.sets(st.sampled_from(NAMES), max_size=15),
    squad=st.lists(st.sampled_from(CARDS[:6]), min_size=1, max_size=17),
    steps=st.lists(st.tuples(cells_of_any_kind, st.sampled_from(CARDS[:7])), max_size=17),
)
def test_any_steps_are_judged_one_by_one(
    player: Player, blocked: set[str], squad: list[Card], steps: list[tuple[str, Card]]
) -> None:
    """The same faults, board and rest as a plain walk over the steps."""
    left, board = list(squad), dict[str, Card]()
    expected: list[tuple[int, Fault, set[str]]] = []
    for number, (text, card) in enumerate(steps, start=1):
        name = text.lower().replace("с", "c")
        may = allowed(player, (*blocked, *board))
        if card not in left:
            expected.append((number, Fault.NOT_IN_SQUAD, may))
        if name not in NAMES:
            expected.append((number, Fault.CELL_UNKNOWN, may))
        elif name in blocked:
            expected.append((number, Fault.CELL_BLOCKED, may))
        elif name in board:
            expected.append((number, Fault.CELL_TAKEN, may))
        elif name not in may:
            expected.append((number, Fault.CELL_ORDER, may))
        if card in left and name in NAMES and name not in blocked and name not in board:
            left.remove(card)
            board[name] = card
    placings = [Placing(cell, card) for cell, card in steps]
    found = place(filling_orders()[player], squad, frozenset(blocked), placings)
    assert [(v.step, v.fault, set(v.allowed)) for v in found.violations] == expected
    assert list(found.board.items()) == list(board.items())
    full = len(board) + len(blocked) == len(NAMES)
    names = sorted(card.key for card in left)
    assert sorted(card.key for card in found.returned) == (names if full else [])
    assert sorted(card.key for card in found.left) == ([] if full else names)
    assert set(found.open) == (allowed(player, (*blocked, *board)) if found.left else set())
    free = len(NAMES) - len(board) - len(blocked)
    assert found.too_many == (max(0, len(left) - free) if not full else 0)
    assert sorted(card.key for card in (*found.squad, *found.returned)) == sorted(
        card.key for card in squad
    )


def test_neighbours_share_an_edge() -> None:
    assert set(neighbours("a1")) == {"b1", "a2"}
    assert set(neighbours("c2")) == {"c1", "c3", "b2", "d2"}
    assert set(neighbours("e3")) == {"d3", "e2"}
    for cell in CELLS:
        for other in neighbours(cell):
            assert cell in neighbours(other)


def test_cells_are_read_in_either_case_and_with_the_russian_letters_that_look_alike() -> None:
    assert sorted(CELLS) == sorted(NAMES)
    assert [read_cell(text) for text in ("C2", " e3 ", "А1", "с2", "Е1")] == [
        *("c2", "e3", "a1", "c2", "e1"),
    ]
    for text in ("", "c", "c0", "c4", "f1", "2c", "в1", "cc2", "c22"):
        assert read_cell(text) is None


@pytest.mark.parametrize("player", Player)
@pytest.mark.parametrize("blocked", [[], ["a1", "e1"], ["c2", "e3", "a2"]], ids=len)
@pytest.mark.parametrize("seed", range(5))
def test_sixteen_cards(player: Player, blocked: list[str], seed: int) -> None:
    """A random legal order until no cell is left, and the same order with two steps exchanged."""
    stream = random.Random(seed)
    squad = stream.sample(CARDS, 16)
    cells: list[str] = []
    while may := allowed(player, (*blocked, *cells)):
        cells.append(stream.choice(sorted(may)))
    found = judged(player, squad, blocked, cells)
    size = len(NAMES) - len(blocked)
    assert not found.violations and len(found.board) == size
    assert found.returned == tuple(squad[size:]) and not found.left and not found.open
    cells[0], cells[-1] = cells[-1], cells[0]
    wrong = judged(player, squad, blocked, cells)
    assert (wrong.violations[0].step, wrong.violations[0].fault) == (1, Fault.CELL_ORDER)
    assert wrong.returned == found.returned
