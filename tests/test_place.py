"""The command `place` as a player meets it: its answers, its file, and the field as it is drawn.

The drawings are transcripts: `tests/transcripts/place.txt` holds commands and, below each, what they
print. `python tests/test_place.py` writes what they print now; read the diff.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from test_architecture import run_without_solver
from test_schema import SCHEMAS, validate

from squadbuilder.after_placement import LogFault
from squadbuilder.cli import main
from squadbuilder.line_up import ROW_REASONS, Reason
from squadbuilder.placement import CELLS, Fault
from squadbuilder.reading import data_folder

DEALS = sorted((data_folder() / "deals").iterdir())
TRANSCRIPTS = Path(__file__).parent / "transcripts" / "place.txt"
CENTRE = ("b1", "c1", "d1", "b2", "c2", "d2", "b3", "c3", "d3")

Capture = pytest.CaptureFixture[bytes]


def write(folder: Path, content: object, name: str = "squad.yaml") -> str:
    path = folder / name
    path.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), "utf-8")
    return str(path)


def answer(capture: Capture, path: str, *options: str) -> tuple[int, Any]:
    """The answer of `place`, which fits its schema."""
    code = main(["place", path, *options, "--json", "--lang", "en"])
    found = json.loads(capture.readouterr().out.decode("utf-8"))
    validate("error" if code == 2 else "place", found)
    return code, found


def accepted(content: object) -> object:
    """A file that the schema of the file knows too."""
    Draft202012Validator(SCHEMAS["place-file"]).validate(content)
    return content


FULL = {
    "player": "second",
    "rules": "tournament",
    "mulligans": 1,
    "opponent_mulligans": 0,
    "squad": ["Следопыт", "Вольный воитель [x=3]", "2 Скелет", 60022, "Щитоносец", "Арбалетчик"],
    "blocked": ["e1", "C3"],
    "cells": {"c2": "Скелет", "а1": 60022},
    "prefer": {"Следопыт": "back"},
    "beside": [["Щитоносец", "Скелет"]],
    "pin": {"d1": "Арбалетчик"},
    "after_placement": [],
}


def test_every_key_of_the_file(capfdbinary: Capture, tmp_path: Path) -> None:
    code, found = answer(capfdbinary, write(tmp_path, accepted(FULL)), "--suggest", "--top", "2")
    assert code == 0 and found["legal"] and found["player"] == "second"
    assert found["board"] == {"c2": "Скелет", "a1": "Аль-Джамия"}
    assert found["open"] == ["b1", "c1", "d1", "b2", "d2", "b3", "d3"]
    assert found["reveals"] == [
        {"card": "Вольный воитель", "rule": "404.2.1", "say": "reveal it and say X = 3"}
    ]
    best = found["suggestions"][0]
    assert best["cells"]["d1"] == "Арбалетчик" and best["stays_out"] == []
    assert list(best["cells"])[:2] == ["c2", "a1"]
    assert [place["cell"] for place in best["places"]] == list(best["cells"])
    points = sum(place["points"] for place in best["places"])
    assert points == best["score"] >= found["suggestions"][1]["score"]
    assert {"reason": "tough", "times": "life", "front": 2, "middle": 1, "back": 0} in found[
        "table"
    ]


def test_a_suggestion_is_a_placement(capfdbinary: Capture, tmp_path: Path) -> None:
    """What is suggested may be written into the file as it stands."""
    plain = {key: FULL[key] for key in ("player", "squad", "blocked")}
    _, found = answer(capfdbinary, write(tmp_path, plain), "--suggest")
    cells = found["suggestions"][0]["cells"]
    code, again = answer(capfdbinary, write(tmp_path, accepted({**plain, "cells": cells})))
    assert code == 0 and again["board"] == cells and again["left"] == again["open"] == []


@pytest.mark.parametrize("form", [dict, list], ids=["mapping", "list"])
def test_both_forms_of_cells(capfdbinary: Capture, tmp_path: Path, form: type) -> None:
    steps = [("c2", "Скелет"), ("c1", "Скелет")]
    cells = dict(steps) if form is dict else [{cell: name} for cell, name in steps]
    path = write(tmp_path, accepted({"squad": ["2 Скелет"], "cells": cells}))
    code, found = answer(capfdbinary, path)
    assert code == 0 and list(found["board"].items()) == steps


@pytest.mark.parametrize("deal", DEALS, ids=lambda path: path.name)
def test_the_answer_of_solve_is_a_file(capfdbinary: Capture, tmp_path: Path, deal: Path) -> None:
    main(["solve", str(deal), "--json", "--lang", "en"])
    solved = tmp_path / "best.json"
    solved.write_bytes(capfdbinary.readouterr().out)
    squad = json.loads(solved.read_text("utf-8"))["squads"][0]
    code, found = answer(capfdbinary, str(solved), "--suggest")
    assert code == 0
    assert sorted(found["left"]) == sorted(card["name"] for card in squad["cards"])
    told = [{key: reveal[key] for key in ("card", "say")} for reveal in found["reveals"]]
    by_name = sorted(squad["reveals"], key=lambda reveal: (reveal["card"], reveal["say"]))
    assert sorted(told, key=lambda reveal: (reveal["card"], reveal["say"])) == by_name
    path = write(tmp_path, accepted({"squad": "best.json", "blocked": ["c2"]}))
    code, beside = answer(capfdbinary, path)
    assert code == 0 and beside["reveals"] == found["reveals"] and "c2" not in beside["open"]


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["Ахтар [paid=ordinary]", "Ахтар [paid=elite]"], ["paid as an ordinary card"]),
        (["Вольный воитель [x=2]"], ["X = 2"]),
        (["Линдвурм", "Линдвурм", "Линдвурм"], ["5 crystals paid", "6 crystals paid"]),
        (["Ури", "Аммах"], []),
    ],
)
def test_reveals_come_from_the_steps_of_solve(
    capfdbinary: Capture, tmp_path: Path, names: list[str], says: list[str]
) -> None:
    """The ledger of `check` has the steps that the answer of `solve` has."""
    deal = write(tmp_path, {"deal": [name.partition(" [")[0] for name in names]}, "deal.yaml")
    main(["check", deal, "--any-size", "--ordered", *names, "--json"])
    squad = json.loads(capfdbinary.readouterr().out)["squad"]
    solved = write(tmp_path, {"player": "first", "squads": [squad]}, "solved.json")
    code, found = answer(capfdbinary, solved)
    assert code == 0
    told = sorted(reveal["say"] for reveal in found["reveals"])
    assert len(told) == len(says) and all(word in say for word, say in zip(says, told, strict=True))


def solved_file(capture: Capture, folder: Path, names: list[str], cells: list[str]) -> str:
    """A file that places all but the last card recruited on these cells; the rest is blocked."""
    deal = write(folder, {"deal": [name.partition(" [")[0] for name in names]}, "deal.yaml")
    main(["check", deal, "--any-size", "--ordered", *names, "--json"])
    squad = json.loads(capture.readouterr().out)["squad"]
    write(folder, {"player": "first", "squads": [squad]}, "solved.json")
    placed = [name.partition(" [")[0] for name in names[1:]]
    content = {
        "squad": "solved.json",
        "blocked": [cell for cell in CELLS if cell not in cells],
        "cells": dict(zip(cells, placed, strict=True)),
    }
    return write(folder, accepted(content))


def test_the_squad_without_a_returned_card_keeps_its_choices(
    capfdbinary: Capture, tmp_path: Path
) -> None:
    names = ["Линдвурм", "Линдвурм", "Ахтар [paid=elite]"]
    path = solved_file(capfdbinary, tmp_path, names, ["b1", "c1"])
    code, found = answer(capfdbinary, path)
    assert code == 0 and found["returned"] == ["Линдвурм"] and found["reveals"] == []
    steps = found["squad"]["squad"]["steps"]
    assert [(step["card"]["name"], step["paid"]["gold"]) for step in steps] == [
        *(("Линдвурм", 7), ("Ахтар", 8)),
    ]
    assert steps[1]["choices"]["paid"] == "elite"


def test_a_choice_that_a_returned_card_made_possible_is_gone(
    capfdbinary: Capture, tmp_path: Path
) -> None:
    """Without the card of cost 3 the last one is not free any more: it is paid, and reveals nothing."""
    names = ["Кочевник", "Волхв", "Орк", "Арбалетчик", "Щитоносец", "Скелос"]
    path = solved_file(
        *(capfdbinary, tmp_path, [*names, "Ведающий запасами [bonus=yes]"]),
        ["b1", "c1", "d1", "b2", "c2", "d2"],
    )
    code, found = answer(capfdbinary, path)
    assert found["returned"] == ["Кочевник"] and found["reveals"] == []
    assert code == 0 and found["squad"]["legal"] is True
    last = next(s for s in found["squad"]["squad"]["steps"] if s["card"]["name"].startswith("Вед"))
    assert last["paid"] == {"gold": 0, "silver": 4} and last["choices"]["bonus"] is None


def test_the_seat_on_the_command_line_outranks_the_file(
    capfdbinary: Capture, tmp_path: Path
) -> None:
    path = write(tmp_path, {"player": "first", "squad": ["Скелет"], "cells": {"a1": "Скелет"}})
    assert answer(capfdbinary, path)[0] == 1
    assert answer(capfdbinary, path, "--player", "second")[0] == 0


def test_nothing_is_suggested_after_a_violation(capfdbinary: Capture, tmp_path: Path) -> None:
    path = write(tmp_path, {"squad": ["2 Скелет"], "cells": {"a1": "Скелет"}})
    code, found = answer(capfdbinary, path, "--suggest")
    assert code == 1 and found["suggestions"] == [] and found["violations"]


def test_pins_in_the_way_are_told(capfdbinary: Capture, tmp_path: Path) -> None:
    path = write(tmp_path, {"squad": ["Скелет", "Мираж"], "pin": {"c1": "Мираж", "a1": "Скелет"}})
    code, found = answer(capfdbinary, path, "--suggest")
    assert code == 1 and found["suggestions"] == [] and found["legal"] is True
    assert found["notes"] == ["no line-up has all of these: a1: Скелет"]


def test_the_answer_does_not_depend_on_the_order_of_the_squad(
    capfdbinary: Capture, tmp_path: Path
) -> None:
    squad = ["Щитоносец", "2 Скелет", "Арбалетчик", "Морраг", "Мираж"]
    found = [
        answer(capfdbinary, write(tmp_path, {"squad": order}), "--suggest", "--top", "3")[1]
        for order in (squad, squad[::-1])
    ]
    assert found[0]["suggestions"] == found[1]["suggestions"]


def test_the_schema_knows_every_code() -> None:
    fields = SCHEMAS["place"]["properties"]
    codes = fields["violations"]["items"]["properties"]["code"]["enum"]
    assert codes == [fault.value for fault in Fault]
    codes = fields["log_violations"]["items"]["properties"]["code"]["enum"]
    assert codes == [fault.value.removeprefix("log_") for fault in LogFault]
    by_row, others = (entry["properties"] for entry in fields["table"]["items"]["oneOf"])
    words = [*by_row["reason"]["enum"], *others["reason"]["enum"], "pin", "placed"]
    assert set(words) == {reason.value.removeprefix("line_up_") for reason in Reason}
    assert by_row["reason"]["enum"] == [r.value.removeprefix("line_up_") for r in ROW_REASONS]


def test_only_suggest_needs_the_solver(tmp_path: Path) -> None:
    path = write(tmp_path, {"squad": ["Скелет"]})
    assert run_without_solver("place", path, "--next").returncode == 0
    refused = run_without_solver("place", path, "--suggest", "--lang", "en")
    assert refused.returncode == 2
    assert "OR-Tools" in refused.stderr and "Traceback" not in refused.stderr


def run(
    *arguments: str,
    folder: Path | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    variables = {**os.environ, "PYTHONUTF8": "1", "COLUMNS": "80", **environment}
    command = [sys.executable, "-m", "squadbuilder", *arguments]
    done = subprocess.run(command, capture_output=True, check=False, env=variables, cwd=folder)
    assert b"Traceback" not in done.stderr and b"\x1b" not in done.stdout
    return done.stdout + done.stderr


@pytest.mark.parametrize("encoding", ["cp1251", "cp866", "ascii"])
def test_old_consoles(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path, FULL)
    old = {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
    for language in ("ru", "en"):
        text = run("place", path, "--suggest", "--lang", language, environment=old)
        assert b"+--" in text
        shown = text.decode(encoding)
        assert encoding == "ascii" or ("Скелет" in shown and "?" not in shown)


@pytest.mark.parametrize("width", [30, 40, 60, 80])
def test_the_field_fits_the_terminal(tmp_path: Path, width: int) -> None:
    text = run("place", write(tmp_path, FULL), environment={"COLUMNS": str(width)}).decode()
    field = [line for line in text.split("\n") if line.startswith(("  +", "1 |", "2 |", "3 |"))]
    assert len(field) >= 7 and max(map(len, field)) <= width


# Drawings


def blocks() -> list[tuple[str, list[str]]]:
    """The commands of the transcripts, each with the lines that it prints."""
    found: list[tuple[str, list[str]]] = []
    for line in TRANSCRIPTS.read_text("utf-8").rstrip("\n").split("\n"):
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        elif found:
            found[-1][1].append(line)
    return found


FILES = {
    "empty.yaml": "squad: [9 Скелет]\n",
    "begun.yaml": "squad: [Морраг, Дозорный Аль-Джамии, Щитоносец, Лучник Захры]\n"
    "blocked: [b1, e1]\n"
    "cells: {c1: Морраг, c2: Щитоносец, d3: Дозорный Аль-Джамии}\n",
    "wrong.yaml": "player: second\nsquad: [2 Скелет, Мираж]\nblocked: [e1]\n"
    "cells: [e1: Скелет, a3: Мираж, a3: Скелет, c9: Скелет, c1: Орк]\n",
    "alike.yaml": "squad: [Скелет, Скелетный червь, Скелетный кот, Скелет-маг, Скелет-лучник]\n"
    "cells: {b1: Скелет, c1: Скелетный червь, d1: Скелетный кот, b2: Скелет-маг, c2: Скелет-лучник}\n",
    "returned.yaml": "squad: [Мираж, Скелос, Следопыт, Аль-Джамия]\n"
    "blocked: [a1, e1, a2, b2, c2, d2, e2, a3, b3, c3, d3, e3]\n"
    "cells: {b1: Скелос, c1: Следопыт, d1: Аль-Джамия}\n"
    "after_placement: [first: Следопыт, second: pass, first: Следопыт]\n",
    "wishes.yaml": "squad: [Морраг, Скелет, Щитоносец, Арбалетчик, Скелос]\n"
    "prefer: {Морраг: back}\nbeside: [[Скелет, Морраг]]\npin: {c2: Скелос}\n",
}


def shown(command: str) -> list[str]:
    """What a command of the transcripts prints; words with `=` before it are its environment."""
    words = command.split()
    environment = dict(word.split("=") for word in words if "=" in word)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            (Path(folder) / name).write_text(text, "utf-8")
        arguments = [word for word in words if "=" not in word]
        text = run(*arguments, folder=Path(folder), environment=environment).decode("utf-8")
    return [line.rstrip() for line in text.split("\n")][:-1]


@pytest.mark.parametrize(("command", "lines"), blocks(), ids=[command for command, _ in blocks()])
def test_transcript(command: str, lines: list[str]) -> None:
    assert shown(command) == lines


def test_every_file_is_drawn() -> None:
    commands = [command for command, _ in blocks()]
    assert all(any(name in command for command in commands) for name in FILES)


if __name__ == "__main__":
    TRANSCRIPTS.write_text(
        "".join("\n".join([f"$ {command}", *shown(command)]) + "\n" for command, _ in blocks()),
        "utf-8",
    )
