"""The command line as a player meets it: names, languages, consoles, limits of time, Ctrl-C, pipes."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from squadbuilder import __version__, cli_deals
from squadbuilder import solve as solving
from squadbuilder.__main__ import main as start
from squadbuilder.cards import catalogue
from squadbuilder.cli import main
from squadbuilder.reading import data_folder
from squadbuilder.solve import Answer, Status

DEALS = data_folder() / "deals"
ALTAR = str(DEALS / "altar.yaml")


def run(
    *arguments: str, text: str | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    variables = {**os.environ, "SQUADBUILDER_LANG": "ru", "PYTHONUTF8": "0", **environment}
    return subprocess.run(
        [sys.executable, "-m", "squadbuilder", *arguments],
        capture_output=True,
        check=False,
        env=variables,
        input=None if text is None else text.encode(),
    )


def as_json(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[int, Any]:
    code = main([*arguments, "--json"])
    return code, json.loads(capfdbinary.readouterr().out)


def test_a_prefix_of_a_name_or_a_word_is_read_and_echoed(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    code, found = as_json(capfdbinary, "check", ALTAR, "анв", "птица", "--lang", "ru")
    assert code == 0
    assert found["notes"] == ["«анв» понято как «Анволд»", "«птица» понято как «Райская птица»"]


def test_a_count_may_stand_before_a_name(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    names = tmp_path / "names.txt"
    names.write_text("2 Ахтар\n", "utf-8")
    code, found = as_json(capfdbinary, "check", ALTAR, "2 Орк", "--names", str(names))
    cards = [card["name"] for card in found["squad"]["cards"]]
    assert code == 0 and sorted(cards) == ["Ахтар", "Ахтар", "Орк", "Орк"]
    code, found = as_json(capfdbinary, "solve", ALTAR, "--with", "2 орк")
    cards = [card["name"] for card in found["squads"][0]["cards"]]
    assert code == 0 and cards.count("Орк") == 2


def test_an_ambiguous_prefix_names_all_it_fits(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    code, found = as_json(capfdbinary, "check", ALTAR, "в")
    assert code == 2 and found["error"]["code"] == "card_ambiguous"
    assert found["error"]["suggestions"] == ["Ведьмак", "Вольный воитель"]


def test_names_may_come_from_a_file_where_nothing_is_guessed(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    names = tmp_path / "names.txt"
    names.write_text("Анволд\nТич [bonus=no]\n", "utf-8")
    code, found = as_json(capfdbinary, "check", ALTAR, "--ordered", "--names", str(names))
    assert code == 0 and found["squad"]["steps"][1]["choices"]["bonus"] is False
    names.write_text("Анв\n", "utf-8")
    code, found = as_json(capfdbinary, "check", ALTAR, "--names", str(names))
    assert code == 2 and found["error"]["where"]["line"] == 1


def test_a_deal_comes_from_standard_input() -> None:
    done = run("solve", "-", "--any-size", "--json", text="Орк\nМираж\nТопи Зенды\n")
    assert done.returncode == 0
    assert json.loads(done.stdout)["squads"][0]["values"]["cost"] == 12


def test_options_outrank_the_keys_of_the_file(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    code, found = as_json(capfdbinary, "next", ALTAR, "--player", "second")
    assert code == 0 and (found["gold"], found["silver"]) == (25, 23)
    code, found = as_json(capfdbinary, "next", ALTAR, "--rules", "tournament", "--mulligans", "4")
    assert code == 0 and (found["gold"], found["silver"]) == (20, 22)


def test_the_same_input_gives_the_same_bytes(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    lines = [line for line in Path(ALTAR).read_text("utf-8").split("\n") if line[:3] == "  -"]
    answers = set()
    for seed in range(20):
        random.Random(seed).shuffle(lines)
        deal = tmp_path / "deal.yaml"
        deal.write_text("deal:\n" + "\n".join(lines) + "\n", "utf-8")
        main(["solve", str(deal), "--top", "3", "--json"])
        main(["list", str(deal), "--with", "Ведьмак", "--with", "Эрманд", "--json"])
        answers.add(capfdbinary.readouterr().out)
    assert len(answers) == 1


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("seed", [1, 7])
def test_seeds_and_workers_do_not_matter(
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
    workers: int,
    seed: int,
) -> None:
    from squadbuilder import solve, solver

    main(["solve", ALTAR, "--top", "5", "--json"])
    expected = capfdbinary.readouterr().out
    original = solver.new_solver

    def other() -> Any:
        found = original()
        found.parameters.num_workers = workers
        found.parameters.random_seed = seed
        return found

    monkeypatch.setattr(solve, "new_solver", other)
    main(["solve", ALTAR, "--top", "5", "--json"])
    assert capfdbinary.readouterr().out == expected


@pytest.mark.parametrize("encoding", ["cp1251", "cp866", "ascii"])
@pytest.mark.parametrize("command", ["solve", "next", "check"])
def test_old_consoles_get_substitutes_instead_of_a_crash(encoding: str, command: str) -> None:
    names = ["Топи Зенды", "Ахт"] if command == "check" else []
    done = run(command, ALTAR, *names, PYTHONIOENCODING=encoding)
    assert done.returncode in (0, 1)
    if encoding != "ascii":
        assert "Ахтар" in done.stdout.decode(encoding)
    assert b"Traceback" not in done.stderr


def test_json_is_utf8_whatever_the_console() -> None:
    done = run("solve", ALTAR, "--json", PYTHONIOENCODING="cp1251")
    assert json.loads(done.stdout.decode("utf-8"))["status"] == "optimal"


def test_no_colours_are_written() -> None:
    for variables in ({"NO_COLOR": "1"}, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, {}):
        assert b"\x1b" not in run("solve", ALTAR, **variables).stdout


@pytest.mark.parametrize("width", [30, 40, 60, 100])
def test_tables_fit_the_terminal(width: int) -> None:
    done = run("next", ALTAR, COLUMNS=str(width))
    table = [line for line in done.stdout.decode().split("\n") if "Ахтар" in line]
    assert table and (width < 60 or all(len(line) <= width for line in table))


def test_plain_text_is_made_for_a_chat() -> None:
    text = run("solve", ALTAR, "--plain").stdout.decode()
    assert "1. Анволд: цена 4з, осталось 20з 22с\n" in text
    assert "  " not in text


def test_a_time_limit_of_zero_is_an_honest_no(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    code, found = as_json(capfdbinary, "solve", ALTAR, "--time-limit", "0", "--lang", "en")
    assert code == 1
    assert found["status"] == "unknown" and found["squads"] == []
    assert found["notes"] == ["the time limit was reached", "no squad has a cost above 48"]


@pytest.mark.parametrize(
    ("aim", "told"),
    [("rating", "no squad has a rating above -2"), ("-rating", "no squad has a rating below -18")],
)
def test_a_bound_keeps_its_sign(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, aim: str, told: str
) -> None:
    deal, ratings = tmp_path / "deal.txt", tmp_path / "ratings.csv"
    deal.write_text("Орк\nОрк\nМираж\n", "utf-8")
    ratings.write_text("Орк,-2\nМираж,-14\n", "utf-8")
    asked = ["solve", str(deal), "--any-size", f"--maximize={aim}", "--ratings", str(ratings)]
    _, found = as_json(capfdbinary, *asked, "--time-limit", "0", "--lang", "en")
    assert found["notes"] == ["the time limit was reached", told]


@pytest.fixture
def looking(tmp_path: Path) -> str:
    """A deal with two looks at hidden cards: four outcomes are better than the worst."""
    deal = tmp_path / "looking.txt"
    looks = [card.name for card in catalogue().by_key.values() if card.effect.look][:2]
    deal.write_text("\n".join(["Орк", "Мираж", *looks]), "utf-8")
    return str(deal)


def test_a_card_that_no_ability_can_bring_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    deal = tmp_path / "deal.yaml"
    deal.write_text("deal: [Вербовщик, Орк]\ndeck: [Вербовщик, Орк, Скелет]\n", "utf-8")
    assert main(["solve", str(deal), "--any-size", "--with", "Скелет", "--json"]) == 1
    (reason,) = json.loads(capfd.readouterr().out)["reasons"]
    assert (reason["code"], reason["cards"]) == ("not_in_deal", ["Скелет"])
    assert (reason["need"], reason["have"]) == (1, 0)


Stop = Callable[[Answer], Answer]


def out_of_time(answer: Answer) -> Answer:
    return replace(answer, status=Status.FEASIBLE)


def stopped(answer: Answer) -> Answer:
    return replace(answer, status=Status.FEASIBLE, interrupted=True)


def between_solves(_: Answer) -> Answer:
    raise KeyboardInterrupt


def solves(patch: pytest.MonkeyPatch, stop: Stop | None = None, at: int = 2) -> list[float | None]:
    """The time that each solve is given; the one at this place ends early."""
    limits: list[float | None] = []
    original = solving.solve

    def solve(*asked: Any) -> Answer:
        limits.append(asked[5])
        answer = original(*asked)
        return stop(answer) if stop is not None and len(limits) == at + 1 else answer

    patch.setattr(solving, "solve", solve)
    return limits


def test_a_time_limit_holds_for_all_outcomes_together(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, looking: str
) -> None:
    limits = solves(monkeypatch)
    asked = ("solve", looking, "--any-size", "--time-limit", "60")
    code, found = as_json(capfdbinary, *asked)
    assert code == 0 and len(found["outcomes"]) == 4
    given = [limit for limit in limits if limit is not None]
    assert len(given) == 5 and given == sorted(given, reverse=True) and len(set(given)) == 5


@pytest.mark.parametrize("stop", [out_of_time, stopped, between_solves])
def test_an_outcome_that_is_not_proved_is_not_told(
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    looking: str,
    stop: Stop,
) -> None:
    limits = solves(monkeypatch, stop)
    code, found = as_json(capfdbinary, "solve", looking, "--any-size", "--lang", "en")
    assert len(limits) == 3 and found["status"] == "optimal" and found["squads"]
    assert len(found["outcomes"]) == 1
    told = "the time limit was reached"
    if stop is not out_of_time:
        told = "interrupted: the answer is incomplete"
    assert (code, found["notes"][-1]) == (0 if stop is out_of_time else 130, told)


def large_deal(folder: Path) -> Path:
    """Fifty cards: far too many squads to list."""
    deal = folder / "large.txt"
    names = (data_folder() / "cards.csv").read_text("utf-8").split("\n")[1:51]
    deal.write_text("\n".join(line.split(",")[0] for line in names), "utf-8")
    return deal


def test_a_time_limit_gives_the_best_so_far_and_a_bound(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    code, found = as_json(
        capfdbinary,
        *("solve", str(large_deal(tmp_path)), "--any-size", "--top", "5000"),
        *("--time-limit", "1.5", "--lang", "en"),
    )
    assert code == 0 and found["status"] == "feasible"
    assert 0 < len(found["squads"]) < 5000
    cost = found["squads"][0]["values"]["cost"]
    assert found["notes"] == ["the time limit was reached", f"no squad has a cost above {cost}"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("command", ["solve", "list"])
def test_ctrl_c_keeps_what_was_found(command: str, tmp_path: Path) -> None:
    amount = "--top" if command == "solve" else "--limit"
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "squadbuilder", command, str(large_deal(tmp_path))),
            *("--any-size", amount, "9000", "--json", "--lang", "en"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    told = process.stderr.readline()
    while told and b"squads found" not in told:
        told = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    found = json.loads(out)
    assert found["squads"]
    assert "interrupted: the answer is incomplete" in found["notes"]
    assert b"squads found" in told and b"Traceback" not in err
    if command == "list":
        assert found["complete"] is False and found["count"] == len(found["squads"])


def test_ctrl_c_while_libraries_are_loaded_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    class Loading:
        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "squadbuilder.cli", Loading())
    assert start() == 130


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("command", "lines"), [(f"list {ALTAR}", 1), ("_complete cards show ''", 0)]
)
def test_a_closed_pipe_ends_quietly(command: str, lines: int) -> None:
    piped = f"{sys.executable} -m squadbuilder {command} | head -n {lines}"
    done = subprocess.run(piped, shell=True, capture_output=True, check=False)
    assert done.stdout.count(b"\n") == lines
    assert b"Traceback" not in done.stderr and b"BrokenPipe" not in done.stderr


def test_a_crash_exits_70_with_its_traceback(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fall(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(cli_deals, "read_deal", fall)
    assert main(["check", ALTAR, "Орк"]) == 70
    assert "boom" in capfd.readouterr().err


def test_a_disagreement_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    from squadbuilder import solve
    from squadbuilder.referee import Verdict

    monkeypatch.setattr(solve, "judge_order", lambda *_: Verdict(None))
    assert main(["solve", ALTAR]) == 70


def test_version_and_help(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capfd.readouterr().out == f"squadbuilder {__version__}\n"
    for language, word in (("ru", "Лучшие отряды"), ("en", "The best squads")):
        assert main(["solve", "--lang", language, "--help"]) == 0
        assert word in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["list", ALTAR, "--limit", "3"], "Показано: 3 отряда"),
        (["next", "-", "--any-size"], "Сейчас нельзя взять ни одной карты.\n  Аль-Джамия:"),
        (["draw", "-", "--seed", "1"], "в колоде 1 карта, а для раздачи нужно 15"),
        (["judge", "-"], "Нельзя, ничего не меняется"),
        (["place", "-"], "Расставлено по правилам"),
    ],
)
def test_what_is_told_fits_what_was_asked(arguments: list[str], told: str) -> None:
    texts = {
        "judge": "cards: {Борг: {owner: first, at: first c1}}\nsteps:\n"
        "- declare: {as: a, source: Борг, text: {cost: {action: true}}}\n"
        "- declare: {as: b, source: Борг, text: {cost: {action: true}}}\n",
        "place": "squad: [Лазутчица, Гробовщик]\ncells: {c1: Лазутчица}\n",
    }
    done = run(*arguments, text=texts.get(arguments[0], "Аль-Джамия\n"))
    seen = (done.stdout + done.stderr).decode("utf-8")
    assert told in seen, seen
    for word in ("взять:", "--any-size", "--outcome", "ожидалось", "возможных"):
        assert word not in seen


def test_large_deals_need_a_limit_to_list(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    deal = str(large_deal(tmp_path))
    rules = tmp_path / "large.yaml"
    text = (data_folder() / "rulesets" / "comprehensive.yaml").read_text("utf-8")
    rules.write_text(text.replace("deal_size: 15", "deal_size: 50"), "utf-8")
    for options in ([], ["--rules", str(rules)]):
        code, found = as_json(capfdbinary, "list", deal, "--any-size", *options)
        assert code == 2 and found["error"]["code"] == "list_needs_limit"
    for option in ("--count", "--maximal"):
        for options in ([option], ["--limit", "3", option]):
            code, found = as_json(capfdbinary, "list", deal, "--any-size", *options)
            assert code == 2 and found["error"]["code"] == "list_too_large"
            assert (
                option in found["error"]["message"] and "--limit" not in found["error"]["message"]
            )
    code, found = as_json(capfdbinary, "list", deal, "--any-size", "--limit", "3")
    assert code == 0 and found["count"] == 3 and found["complete"] is False
