"""The file of `place` seen from outside: a mistake gets one message with its place, in both languages."""

import json
from typing import Any

import pytest
import test_bad_input as bad_input
from test_bad_input import Bad, Player

player = bad_input.player
FILE = "squad.yaml"
SOLVED = json.dumps({"player": "first", "rules": "comprehensive", "squads": []})


def solved(**changes: Any) -> str:
    """An answer of `solve` with one step, some of its keys changed or (None) left out."""
    step: dict[str, Any] = {
        "card": {"id": "10013", "name": "Орк"},
        "paid": {"gold": 0, "silver": 5},
        "choices": {"bonus": None, "x": None, "paid": None},
    }
    squad: dict[str, Any] = {"steps": [step], "reveals": []}
    answer: dict[str, Any] = {"player": "first", "rules": "comprehensive", "squads": [squad]}
    for key, value in changes.items():
        part = next(part for part in (step, squad, answer) if key in part)
        part[key] = value
        if value is None:
            del part[key]
    return json.dumps(answer, ensure_ascii=False, indent=1)


def bad(
    name: str, codes: str, text: str, line: int | str | None = bad_input.ANY, **more: Any
) -> Bad:
    """A row about the file of `place`, which must be named."""
    more.setdefault("file", FILE)
    return Bad(name, codes, data=None, args=("place", FILE), line=line, files={FILE: text}, **more)


def given(name: str, codes: str, *args: str, **more: Any) -> Bad:
    """A row about arguments."""
    files = {FILE: "squad: [Орк]\n"}
    return Bad(name, codes, data=None, args=("place", *args), files=files, **more)


def squad(*lines: str) -> str:
    """A good squad with more lines below it."""
    return "\n".join(["squad: [Орк, Мираж]", *lines]) + "\n"


ROWS = (
    # The file
    bad("empty", "file_empty", ""),
    bad("a text", "wrong_type", "Орк\nМираж\n"),
    bad("a list", "wrong_type", "- Орк\n"),
    bad("not closed", "syntax", "squad: [Орк\n"),
    bad("no squad", "key_missing", "player: first\n", key=None),
    bad("unknown key", "key_unknown", squad("cell: {}"), 2, suggestion="cells"),
    bad("key twice", "key_repeated", squad("blocked: []", "blocked: []"), 3),
    given("no file", "usage"),
    given("missing file", "file_missing", "sqaud.yaml", suggestion=FILE),
    # Seat and rules
    bad("seat", "value_unknown", squad("player: third"), 2, key="player", suggestion="first"),
    given("seat on the line", "usage", FILE, "--player", "third"),
    bad("rules", "value_unknown", squad("rules: turnament"), 2, suggestion="tournament"),
    bad("mulligans", "wrong_type", squad("mulligans: two"), 2),
    bad("gold", "no_gold_left", squad("rules: tournament", "mulligans: 25"), key="mulligans"),
    # The squad
    bad("empty squad", "file_empty", "squad: []\n", 1),
    bad("squad of nothing", "wrong_type", "squad:\n", 1),
    bad("unknown card", "card_unknown", "squad: [Марраг]\n", 1, suggestion="Морраг"),
    bad("two alphabets", "card_two_alphabets", "squad: [Oрк]\n", 1),
    bad(
        *("comma", "card_split_by_comma", "squad: [Дрочеслав, сын Сергея]\n", 1),
        suggestion='"Дрочеслав, сын Сергея"',
    ),
    bad("count", "count_malformed", "squad: [0 Орк]\n", 1),
    bad("too many", "deal_too_large", "squad: [30 Орк, 30 Мираж, Фарро]\n"),
    bad("choice", "choice_unknown", 'squad: ["Ахтар [payd=elite]"]\n', 1),
    bad("choice value", "choice_unknown", 'squad: ["Ахтар [paid=silver]"]\n', 1),
    bad(
        *("X too large", "choice_not_offered", 'squad: ["Вольный воитель [x=7]"]\n', 1),
        key="Вольный воитель",
    ),
    bad("brackets", "choice_malformed", 'squad: ["Ахтар [paid"]\n', 1),
    # Cells
    bad("blocked", "value_unknown", squad("blocked: [a4]"), 2, key="blocked", suggestion="a1"),
    bad("blocked number", "yaml_trap", squad("blocked: [1]"), 2),
    bad("blocked mapping", "wrong_type", squad("blocked: {a1: Орк}"), 2),
    bad("blocked word", "wrong_type", squad("blocked: a1"), 2),
    bad(
        "cells unknown card",
        "card_unknown",
        squad("cells:", "  c2: Орг"),
        3,
        key="c2",
        suggestion="Орк",
    ),
    bad("cells twice", "key_repeated", squad("cells:", "  c2: Орк", "  c2: Мираж"), 4, key="c2"),
    bad("cells list of names", "wrong_type", squad("cells: [Орк]"), 2),
    bad("cells two in one", "wrong_type", squad("cells:", "  - {c1: Орк, c2: Мираж}"), 3),
    bad("cells word", "wrong_type", squad("cells: c2"), 2),
    bad("cells list in a cell", "wrong_type", squad("cells: {c2: [Орк, Мираж]}"), 2),
    bad("cells without a card", "wrong_type", squad("cells: {c2: }"), 2),
    # Wishes
    bad("prefer", "value_unknown", squad("prefer: {Орк: top}"), 2, key="Орк", suggestion="front"),
    bad("prefer another card", "card_not_in_squad", squad("prefer: {Фарро: front}"), 2),
    bad("prefer unknown card", "card_unknown", squad("prefer: {Орг: front}"), 2, suggestion="Орк"),
    bad("prefer list", "wrong_type", squad("prefer: [Орк]"), 2),
    bad("beside three", "wrong_type", squad("beside: [[Орк, Мираж, Орк]]"), 2),
    bad("beside one", "wrong_type", squad("beside: [[Орк]]"), 2),
    bad("beside flat", "wrong_type", squad("beside: [Орк, Мираж]"), 2),
    bad("beside itself", "card_not_in_squad", squad("beside: [[Орк, Орк]]"), 2),
    bad("pin cell", "value_unknown", squad("pin: {c9: Орк}"), 2, key="c9", suggestion="c1"),
    bad("pin another card", "card_not_in_squad", squad("pin: {c1: Фарро}"), 2, key="c1"),
    bad("pin twice the card", "card_not_in_squad", squad("pin: {c1: Орк, c2: Орк}"), 2, key="c2"),
    bad("pin twice the cell", "key_repeated", squad("pin: {c1: Орк, C1: Мираж}"), 2),
    # The log
    bad("log seat", "key_unknown", squad("after_placement: [frst: pass]"), 2, suggestion="first"),
    bad("log card", "card_unknown", squad("after_placement: [first: Следопыт.]"), 2),
    bad("log words", "wrong_type", squad("after_placement: [pass]"), 2),
    bad("log number", "card_unknown", squad("after_placement: [first: 3]"), 2),
    bad("log choice", "choice_unknown", squad('after_placement: [first: "Орк [y=3]"]'), 2),
    # The JSON of solve
    bad("solve without a squad", "file_empty", SOLVED),
    bad("solve without steps", "key_missing", solved(steps=None)),
    bad("solve without reveals", "key_missing", solved(reveals=None)),
    bad("solve without a price", "key_missing", solved(paid=None)),
    bad("solve without choices", "key_missing", solved(choices=None)),
    bad("solve with a card that is none", "card_unknown", solved(card={"name": "Орг"})),
    bad("solve with a wrong price", "wrong_type", solved(paid={"gold": "five", "silver": 0})),
    bad("solve with a wrong seat", "value_unknown", solved(player="third")),
    bad("squad file missing", "file_missing", "squad: squad.jsn\n", file=bad_input.ANY),
    bad("squad file is no answer", "key_missing", "squad: squad.yaml\n", file=bad_input.ANY),
    bad("squad from stdin", "wrong_type", 'squad: "-"\n', 1),
    # The command line
    given("top alone", "usage", FILE, "--top", "2", key=None),
    given("top zero", "usage", FILE, "--suggest", "--top", "0"),
    given("option", "usage", FILE, "--sugest", suggestion="--suggest"),
    given("two files", "usage", FILE, FILE),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_bad_input_as_json(row: Bad, player: Player) -> None:
    bad_input.test_bad_input_as_json(row, player)


@pytest.mark.parametrize("tongue", ["ru", "en"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_bad_input_for_people(row: Bad, tongue: str, player: Player) -> None:
    bad_input.test_bad_input_for_people(row, tongue, player)


def test_every_row_has_a_name_of_its_own() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)
