"""The command `judge`: its examples, its answers in both languages, and its exit codes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from test_judge_rulings import CASES, PARAGRAPHS, Scene
from test_readme import listed
from test_schema import validate

from squadbuilder.cards import catalogue
from squadbuilder.cli import main
from squadbuilder.reading import Text, data_folder, parse
from squadbuilder.scenario import PAYABLE, VERBS, Expectation
from squadbuilder.scenario_table import PIECE_KEYS, read_pieces
from squadbuilder.table_state import CELLS, Kind
from squadbuilder.table_steps import BreachCode, Outcome

SCENARIOS = sorted((data_folder() / "scenarios").glob("*.yaml"))
RULES = data_folder() / "rules" / "battle.yaml"
PIECE_KEYS_AS_EXPLAINED = (
    *("owner", "at", "card", "controller", "open", "revealed", "life", "wounds", "extra_lives"),
    *("movement", "counters", "limits", "used_this_turn", "used_this_battle"),
    *("incarnation", "incarnation_counters", "incarnated", "auxiliary"),
)
TABLE = "cards:\n  Борг: {owner: first, at: first c1}\n  Орк: {owner: second, at: second c1}\n"


def answer(capture: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[int, Any]:
    code = main(["judge", *arguments, "--json"])
    return code, json.loads(capture.readouterr().out.decode("utf-8"))


def judged(
    capture: pytest.CaptureFixture[bytes], folder: Path, steps: str, *arguments: str
) -> tuple[int, Any]:
    path = folder / "scenario.yaml"
    path.write_text(TABLE + "steps:\n" + steps, "utf-8")
    return answer(capture, str(path), *arguments)


def test_there_are_ten_worked_examples() -> None:
    assert len(SCENARIOS) >= 10


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
@pytest.mark.parametrize("language", ["ru", "en"])
def test_a_worked_example_comes_out_as_it_says(
    path: Path, language: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    code, found = answer(capfdbinary, str(path), "--lang", language)
    validate("judge", found)
    assert code == 0 and found["as_expected"], [s for s in found["steps"] if s["unmet"]]
    validate("scenario", yaml.safe_load(path.read_text("utf-8")))
    stated = yaml.safe_load(path.read_text("utf-8"))["steps"]
    assert sum("expect" in step for step in stated) >= 3
    assert main(["judge", str(path), "--lang", language]) == 0
    out, err = capfdbinary.readouterr()
    text = out.decode("utf-8")
    assert err == b"" and "None" not in text
    for step in found["steps"]:
        assert f"{step['number']}. " in text
        for breach in step["breaches"]:
            assert breach["message"] in text and breach["rule"] in text


def test_the_examples_show_every_outcome() -> None:
    outcomes = set()
    for path in SCENARIOS:
        for step in yaml.safe_load(path.read_text("utf-8"))["steps"]:
            expected = step.get("expect", {})
            outcomes.add(expected if isinstance(expected, str) else expected.get("outcome"))
    assert outcomes >= {outcome.value for outcome in Outcome} - {Outcome.FAILS.value}


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_worked_example_depends_on_its_expectations(
    path: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """With an outcome turned into another the example is not as expected, and exits 1."""
    content = yaml.safe_load(path.read_text("utf-8"))
    for number, step in enumerate(content["steps"]):
        expected = step.get("expect")
        if expected is None:
            continue
        outcome = expected if isinstance(expected, str) else expected.get("outcome", "done")
        wrong = "refused" if outcome != "refused" else "done"
        steps = [*content["steps"]]
        steps[number] = {**step, "expect": wrong}
        changed = tmp_path / "changed.yaml"
        changed.write_text(yaml.safe_dump({**content, "steps": steps}, allow_unicode=True), "utf-8")
        code, found = answer(capfdbinary, str(changed))
        assert code == 1 and not found["as_expected"]
        assert [s["number"] for s in found["steps"] if s["unmet"]] == [number + 1]


@pytest.mark.parametrize(("rule", "scene"), CASES)
def test_scenes_and_answers_fit_the_schemas(
    rule: str, scene: Scene, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    content = {"cards": scene["cards"], "steps": scene["steps"]}
    validate("scenario", content)
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    _, found = answer(capfdbinary, str(path))
    validate("judge", found)


@pytest.mark.parametrize("language", ["ru", "en"])
def test_every_kind_of_breach_is_said_in_both_languages(
    language: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    seen: dict[str, str] = {}
    for parameters in CASES:
        scene: Any = parameters.values[1]
        path = tmp_path / "scene.json"
        path.write_text(json.dumps({"cards": scene["cards"], "steps": scene["steps"]}), "utf-8")
        _, found = answer(capfdbinary, str(path), "--lang", language)
        for step in found["steps"]:
            waiting = [one for wait in step["waiting"] for one in wait["breaches"]]
            seen |= {one["code"]: one["message"] for one in (*step["breaches"], *waiting)}
    assert set(seen) == {code.value for code in BreachCode}
    assert not any("None" in text or "{" in text for text in seen.values())


def test_exit_codes(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """0 if all comes as expected; a step without `expect` is expected to be allowed."""
    fine = "  - declare: {as: а, source: Борг, pay: {action: true}}\n"
    wrong = "  - declare: {as: б, source: Борг, pay: {action: true}}\n"
    code, found = judged(capfdbinary, tmp_path, fine)
    assert (code, found["allowed"], found["as_expected"]) == (0, True, True)
    code, found = judged(capfdbinary, tmp_path, fine + wrong)
    assert (code, found["allowed"], found["as_expected"]) == (1, False, False)
    assert found["steps"][1]["unmet"] == ["allowed"]
    code, found = judged(capfdbinary, tmp_path, fine + wrong + "    expect: refused\n")
    assert (code, found["allowed"], found["as_expected"]) == (0, False, True)
    code, found = judged(capfdbinary, tmp_path, fine + "    expect: refused\n")
    assert (code, found["allowed"], found["as_expected"]) == (1, True, False)


@pytest.mark.parametrize(
    ("expect", "met"),
    [
        ("{allowed: true}", True),
        ("{allowed: false}", False),
        ('{rules: ["501.9"]}', True),
        ('{rules: ["501.9", "501.14"]}', False),
        ("{rules: []}", False),
        ("{reserved: {Борг: {action: true}}}", True),
        ("{reserved: {Борг: {movement: 1}}}", False),
        ("{reserved: {}}", False),
        ("{paid: {}, prepaid: {}, unpaid: {}, freed: {}}", True),
        ("{paid: {Борг: {action: true}}}", False),
        ("{moved: {}, control: {}, due: [], waiting: [], shuffled: []}", True),
        ("{moved: {Борг: first c2}}", False),
        ("{control: {Борг: second}}", False),
        ("{due: Борг}", False),
        ("{waiting: [Борг]}", False),
        ("{shuffled: first}", False),
        ("{active_zone: graveyard}", False),
    ],
)
def test_each_key_of_an_expectation_can_fail(
    expect: str, met: bool, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    steps = "  - declare: {as: а, source: Борг, target: Орк, pay: {action: true}}\n"
    steps += f"  - begin: а\n    expect: {expect}\n"
    code, found = judged(capfdbinary, tmp_path, steps)
    assert code == (0 if met else 1)
    assert bool(found["steps"][1]["unmet"]) is not met


def test_the_end_of_the_table_is_told(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    steps = "  - add: {card: Борг, counters: {фишка: 2}}\n  - wound: {card: Орк, by: 3}\n"
    steps += "  - take_control: {card: Орк, player: first}\n  - close: Борг\n"
    code, found = judged(capfdbinary, tmp_path, steps)
    assert code == 0
    borg, orc = found["end"]
    assert borg["counters"] == {"фишка": 2} and not borg["open"] and borg["movement"] == 0
    assert (orc["wounds"], orc["owner"], orc["controller"]) == (3, "second", "first")
    assert (orc["at"], orc["card"]["name"], orc["life"]) == ("second c1", "Орк", 10)


def test_a_card_of_an_unmodelled_text_is_told(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    cards = tmp_path / "cards.yaml"
    cards.write_text(
        "cards: [{id: 90001, name: Проба, cost: 3, type: creature, life: 4,"
        " effect: {note: test, unmodelled: text}}]\n",
        "utf-8",
    )
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(
        "cards: {Проба: {owner: first, at: deck}}\nsteps: [{turn: first}]\n", "utf-8"
    )
    code, found = answer(capfdbinary, str(scenario), "--cards", str(cards), "--lang", "en")
    assert code == 0 and len(found["notes"]) == 1 and "Проба" in found["notes"][0]


def test_title_and_notes_are_shown(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(f"title: Спор\n{TABLE}steps: [{{turn: first, note: ход}}]\n", "utf-8")
    assert main(["judge", str(scenario), "--lang", "ru"]) == 0
    lines = capfdbinary.readouterr().out.decode("utf-8").splitlines()
    assert lines[0] == "Спор" and "   ход" in lines
    assert answer(capfdbinary, str(scenario))[1]["title"] == "Спор"


def run(*arguments: str, text: str | None = None, **variables: str) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "squadbuilder", "judge", *arguments],
        input=text.encode() if text is not None else None,
        capture_output=True,
        env={**os.environ, **variables},
        check=False,
    )


def test_a_scenario_comes_from_standard_input() -> None:
    done = run("-", "--json", text=SCENARIOS[0].read_text("utf-8"))
    assert done.returncode == 0 and json.loads(done.stdout)["as_expected"]


@pytest.mark.parametrize("encoding", ["cp1251", "cp866", "ascii"])
def test_old_consoles_get_substitutes(encoding: str) -> None:
    done = run(str(SCENARIOS[0]), PYTHONIOENCODING=encoding, COLUMNS="40", NO_COLOR="1")
    assert done.returncode == 0 and b"Traceback" not in done.stderr and b"\x1b" not in done.stdout


BLOCKED = """
import sys
for name in ("ortools", "numpy", "pandas"):
    sys.modules[name] = None
from squadbuilder.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_judging_needs_no_solver() -> None:
    arguments = [sys.executable, "-c", BLOCKED, "judge", str(SCENARIOS[0])]
    assert subprocess.run(arguments, capture_output=True, check=False).returncode == 0


def test_the_list_of_rules_has_every_paragraph() -> None:
    listed = yaml.safe_load(RULES.read_text("utf-8"))
    assert list(listed) == list(PARAGRAPHS)
    for number, entry in listed.items():
        assert set(entry) <= {"enforced", "deferred", "broken"} and entry, number
        for texts in entry.values():
            assert set(texts) == {"ru", "en"} and all(text.strip() for text in texts.values())


def test_the_format_is_explained() -> None:
    assert listed("docs/scenarios.md", "The file") == list(PIECE_KEYS_AS_EXPLAINED)
    assert set(PIECE_KEYS_AS_EXPLAINED) == set(PIECE_KEYS)
    words = [word.value for word in (*Outcome, *BreachCode)]
    assert listed("docs/scenarios.md", "What a step gives") == words
    page = (data_folder().parent / "docs" / "scenarios.md").read_text("utf-8")
    for verb in VERBS:
        assert f"`{verb}: " in page, verb
    for key in (*Expectation.__slots__, *(kind.value for kind in Kind)):
        assert re.search(rf"`{key}\b", page), key


def test_figures_of_uses_say_what_is_free_and_what_is_the_limit(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = "text: {per_turn: 2, ability: дар}"
    steps = [f"  - declare: {{as: д{n}, source: Борг, {text}}}\n" for n in range(4)]
    code, found = judged(
        capfdbinary,
        tmp_path,
        "".join(
            [*steps[:3], "  - begin: д0\n  - finish: д0\n  - begin: д1\n  - finish: д1\n", steps[3]]
        ),
    )
    assert code == 1
    figures = [(b["code"], b["need"], b["have"]) for s in found["steps"] for b in s["breaches"]]
    assert figures == [("pledged", 1, 0), ("uses_spent", 3, 2)]


@pytest.mark.parametrize("cell", ["first c1", "First  C1", "first \N{CYRILLIC SMALL LETTER ES}1"])
def test_cells_are_read_as_players_type_them(cell: str) -> None:
    table = parse(Text("scenario.yaml", TABLE.replace("first c1", cell))).entries()
    pieces = read_pieces(table["cards"], catalogue())
    assert any(piece.place.cell == CELLS["first c1"] for piece in pieces.values())


def test_cells_and_distances() -> None:
    """Both halves share their columns; rows 1 face each other; diagonals are one step."""
    assert len(CELLS) == 30
    assert CELLS["first c1"].distance(CELLS["second c1"]) == 1
    assert CELLS["first c1"].distance(CELLS["second d1"]) == 1
    assert CELLS["first c3"].distance(CELLS["second c3"]) == 5
    assert CELLS["first a3"].distance(CELLS["first e1"]) == 4
    assert CELLS["second b2"].distance(CELLS["second b2"]) == 0
    around = [cell for cell in CELLS.values() if CELLS["first c2"].distance(cell) == 1]
    assert len(around) == 8


def test_kinds_of_resources_are_words_of_the_format() -> None:
    assert {kind.value for kind in PAYABLE} == {
        *("action", "movement", "counters", "add_counters"),
        *("wounds", "extra_lives", "destroy", "to_deck"),
    }
    assert set(Kind) - set(PAYABLE) == {Kind.USE_THIS_TURN, Kind.USE_THIS_BATTLE}
