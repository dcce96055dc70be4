"""Tuning a deck: swaps compared deal by deal, the race for the best, intervals that keep their word."""

import csv
import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_evaluate import FARRO, card, question, toy, when_begun
from test_schema import validate

from squadbuilder.cards import Card, catalogue
from squadbuilder.cli import main
from squadbuilder.crew import Crew
from squadbuilder.estimates import mean, moments, student
from squadbuilder.evaluation import Question, answer
from squadbuilder.formats import read_deck
from squadbuilder.objective import DEFAULT
from squadbuilder.race import Book, Plan, Race, least_budget, plan, run, usual_budget
from squadbuilder.reading import data_folder
from squadbuilder.ruleset import ruleset
from squadbuilder.swaps import Compared, Swap, compare, legal_swaps
from squadbuilder.terms import Player
from squadbuilder.tune_answers import tune_fields

NO_BOOK = Book(lambda *_: None, lambda *_: None)


def race_of(asked: Question, swaps: Sequence[Swap], rounds: Plan, jobs: int = 1) -> Race:
    return run(asked, swaps, rounds, Crew(jobs), lambda _: None, NO_BOOK)


# Swaps


@pytest.mark.parametrize(
    ("named", "deals"),
    [
        (["Шулер"], 40),
        (["Рекрутер Храма", "Тич"], 6),
        (["Лазутчица"], 6),
        (["Вербовщик", "Поработитель Ордена"], 6),
    ],
)
def test_gains_are_differences_deal_by_deal(named: list[str], deals: int) -> None:
    """All deals of both decks one beside the other, searches of the deck and hidden cards included."""
    deck = tuple(sorted((*map(card, named), *question().deck[len(named) :]), key=lambda c: c.key))
    asked = question(deck=deck, played=deck, opponent=deck)
    swaps = [Swap(card("Фарро"), card("Орк")), Swap(card(named[0]), card("Мираж"))]
    span = range(3, 3 + deals)

    def worth(question: Question) -> Any:
        dealt = question.dealt(0, span.start, span.stop)
        return answer(question, 0, span, dealt, telling=False).found.first

    before = worth(asked)
    found = compare(asked, swaps, span.start, span.stop)
    assert found.worth == moments(Counter(before.tolist()))
    for swap, gain in zip(swaps, found.gains, strict=True):
        changed = asked.with_cards(swap.made(deck))
        assert gain == moments(Counter((worth(changed) - before).tolist()))
        assert Counter(changed.played) + Counter([swap.out]) == Counter(deck) + Counter([swap.into])


def test_a_card_that_stays_in_the_deck_counts_where_the_deck_is_searched() -> None:
    """Of three copies that a Рекрутер Храма could bring, one is swapped for another card."""
    names = ["Рекрутер Храма", *["Алый пламевержец"] * 3, *["Мираж"] * 3, *["Орк"] * 3]
    deck = tuple(sorted(map(card, names), key=lambda c: c.key))
    rules = replace(ruleset(), deal_size=5)
    asked = question(deck=deck, played=deck, rules=rules, opponent=deck)
    swap = Swap(card("Орк"), card("Скелет"))
    dealt = (asked.places(0, 0, 40) == swap.place(deck)).any(axis=1)
    unlike = [compare(asked, [swap], index, index + 1).gains[0].total for index in range(40)]
    assert any(unlike[index] for index in np.flatnonzero(~dealt))
    assert compare(asked, [swap], 0, 40).gains[0].total == sum(unlike)


def test_legal_swaps_are_all_that_the_rules_of_decks_allow() -> None:
    deck = question().deck
    full = next(c for c, n in Counter(deck).items() if n == 3)
    horde = next(c for c in catalogue().by_key.values() if c.horde and c not in deck)
    rules = replace(ruleset(), banned=frozenset({"орк"}))
    pool = [full, horde, card("Орк"), card("Скелет"), card("Скелет")]
    found = legal_swaps(deck, pool, catalogue(), rules)
    assert {swap.into for swap in found} == {horde, card("Скелет")}
    assert len(found) == 2 * len(set(deck))
    assert legal_swaps(deck[:-1], pool, catalogue(), replace(rules, deck_size=len(deck))) == []
    four = (*deck[:-1], full) if deck[-1] is not full else (full, *deck[1:])
    cured = legal_swaps(four, pool, catalogue(), rules)
    assert {swap.out for swap in cured} == {full}


# The race


@given(st.integers(1, 30_000), st.integers(1, 20), st.integers(0, 10**6))
def test_a_plan_keeps_its_promises(swaps: int, top: int, more: int) -> None:
    budget = least_budget(swaps, top) + more
    rounds = plan(swaps, top, budget)
    assert rounds.compared <= budget
    assert rounds.judging.swaps == min(swaps, top)
    assert rounds.judging.stop - rounds.judging.start >= 100
    following = [*(each.swaps for each in rounds.race[1:]), rounds.judging.swaps]
    for each, after in zip(rounds.race, following, strict=False):
        assert after == max(min(swaps, top), -(-each.swaps // 2))
    for number, each in enumerate(rounds.race):
        assert each.stop == rounds.race[0].stop * 2**number >= 10
        assert each.start == (0 if number == 0 else rounds.race[number - 1].stop)
    assert rounds.judging.start == (rounds.race[-1].stop if rounds.race else 0)
    assert least_budget(swaps, top) < usual_budget(swaps, top)


def toy_question(seed: int = 0) -> Question:
    rules, deck = toy()
    return Question(deck, deck, seed, rules, Player.FIRST, DEFAULT, opponent=deck)


POOL = (
    *("Маг пустоты", "Баалит", "Глорм", "Медуза Горгона", "Ост", "Раб Фарро", "Гвеор", "Пурш"),
    *("Гнилохвост", "Бабр", "Вестник смерти", "Осквернённый аббат", "Сжёгший душу", "Ратник хирда"),
)


def toy_gains() -> dict[Swap, float]:
    """By how much each swap of the toy deck changes the mean of all its deals."""
    asked = toy_question()
    places = np.array(list(combinations(range(len(asked.deck)), 3)))

    def truth(question: Question) -> float:
        deals = range(len(places))
        found = answer(question, 0, deals, question.copies(places), telling=False)
        return float(found.found.first.mean())

    swaps = [Swap(out, card(name)) for out in asked.deck for name in POOL]
    return {swap: truth(asked.with_cards(swap.made(asked.deck))) - truth(asked) for swap in swaps}


def misses(runs: int) -> tuple[int, int, int]:
    """In how many races of swaps that are no gain a gain was reported; would have been reported
    from the deals that chose; and in how many races of all swaps an interval missed the truth."""
    truth = toy_gains()
    idle = [swap for swap, gain in truth.items() if -0.12 < gain < 1e-9]
    sold = naive = missed = 0
    for seed in range(runs):
        race = race_of(toy_question(seed), idle, plan(len(idle), 5, 2400))
        sold += any(swap["verdict"] == "gain" for swap in tune_fields(race)["swaps"])
        choosing = [mean(race.raced[swap]) for swap in race.running]
        naive += any(found is not None and found.low > 0 for found in choosing)
        race = race_of(toy_question(seed), list(truth), plan(len(truth), 5, 9000))
        missed += any(
            found.estimate is None
            or not found.estimate.low <= truth[found.swap] <= found.estimate.high
            for found in race.standings()
        )
    return sold, naive, missed


def test_chance_winners_are_not_sold() -> None:
    sold, _, missed = misses(12)
    assert sold <= 2 and missed <= 3


@pytest.mark.deep
def test_all_intervals_hold_together_and_the_choosing_deals_would_deceive() -> None:
    sold, naive, missed = misses(300)
    assert sold <= 22 and missed <= 26
    assert naive > 2 * sold + 10


def test_a_race_finds_the_best_swap_whoever_works() -> None:
    truth = toy_gains()
    best = max(truth.values())
    rounds = plan(len(truth), 5, 20_000)
    race = race_of(toy_question(), list(truth), rounds)
    assert race.complete and race.fresh and len(race.standings()) == 5
    first = race.standings()[0]
    assert truth[first.swap] == pytest.approx(best, abs=0.1)
    assert first.gain.number == rounds.judging.stop - rounds.judging.start
    assert race.worth.number == first.gain.number
    assert race.level == pytest.approx(1 - 0.05 / 5)
    assert race_of(toy_question(), list(reversed(truth)), rounds, jobs=2).standings() == (
        race.standings()
    )


def test_a_swap_for_its_like_changes_nothing() -> None:
    """Cards that differ in nothing but the name: the deck against itself."""
    asked = question(opponent=question().deck)
    twins = {c: replace(c, name=f"{c.name} 2", key=f"{c.key} 2") for c in set(asked.deck)}
    swaps = [Swap(c, twin) for c, twin in twins.items() if not (c.effect.note or c.unique)]
    race = race_of(asked, swaps, plan(len(swaps), 5, 9000))
    assert all(found.gain.total == found.gain.squares == 0 for found in race.standings())
    assert {swap["verdict"] for swap in tune_fields(race)["swaps"]} == {"open"}


def test_an_interrupted_race_tells_where_it_stands() -> None:
    truth = toy_gains()
    swaps = list(truth)
    rounds = plan(len(swaps), 5, 20_000)
    for patience in (1, 3, 12):
        told = 0

        def watch(_: int, patience: int = patience) -> None:
            nonlocal told
            told += 1
            if told == patience:
                raise KeyboardInterrupt

        race = run(toy_question(), swaps, rounds, Crew(), watch, NO_BOOK)
        assert not race.complete and race.standings()
        if not race.fresh:
            assert race.level == pytest.approx(1 - 0.05 / (len(swaps) * len(rounds.race)))
        gains = [found.gain.mean for found in race.standings()]
        assert gains == sorted(gains, reverse=True)


def test_finished_pieces_are_not_done_again() -> None:
    truth = toy_gains()
    rounds = plan(len(truth), 5, 6000)
    pieces: dict[object, Compared] = {}

    def write(swaps: Sequence[Swap], start: int, stop: int, found: Compared) -> None:
        pieces[tuple(swaps), start, stop] = found

    def find(swaps: Sequence[Swap], start: int, stop: int) -> Compared | None:
        return pieces.get((tuple(swaps), start, stop))

    done: list[int] = []
    first = run(toy_question(), list(truth), rounds, Crew(), done.append, Book(find, write))
    assert sum(done) == rounds.compared and len(pieces) == len(rounds.race) + 1
    again = run(toy_question(), list(truth), rounds, Crew(), done.append, Book(find, write))
    assert sum(done) == rounds.compared
    assert again.standings() == first.standings() and again.worth == first.worth


def test_quantiles_of_other_levels() -> None:
    assert student(30, 0.995) == pytest.approx(3.0298, abs=2e-3)
    assert student(10**6, 0.99) == pytest.approx(2.5758, abs=1e-4)


# The command


@pytest.fixture
def toy_files(tmp_path: Path) -> dict[str, str]:
    """A deck of eight cards, its rules, and a pool with a better card among worse ones."""
    _, deck = toy()
    known = (data_folder() / "rulesets" / "comprehensive.yaml").read_text("utf-8")
    small = {"gold": "{first: 6, second: 6}", "silver": "{first: 5, second: 5}"}
    small |= {"deal_size": "3", "deck_size": "8"}
    lines = [
        f"{key}: {small[key]}" if (key := line.partition(":")[0]) in small else line
        for line in known.splitlines()
    ]
    texts = {
        "rules.yaml": "\n".join(lines) + "\n",
        "deck.txt": "".join(f"{c.name}\n" for c in deck),
        "pool.txt": "Матрос Эллиона\n2 Таверна\nЧародейка\nМаг пустоты\n",
        "worse.txt": "Морраг\nТаверна\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    return {name.partition(".")[0]: str(tmp_path / name) for name in texts}


def told(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[int, Any, str]:
    code = main(["tune", *arguments, "--json", "--lang", "en"])
    out, err = capfdbinary.readouterr()
    document = json.loads(out.decode("utf-8"))
    validate("error" if "error" in document else "tune", document)
    return code, document, err.decode("utf-8")


def asked(files: dict[str, str], pool: str = "pool") -> list[str]:
    return [files["deck"], "--pool", files[pool], "--rules", files["rules"], "--seed", "3"]


def test_the_planted_card_is_found(
    capfdbinary: pytest.CaptureFixture[bytes], toy_files: dict[str, str], tmp_path: Path
) -> None:
    sheet = tmp_path / "swaps.csv"
    more = ["--budget", "12000", "--top", "4", "--csv", str(sheet)]
    code, found, page = told(capfdbinary, *asked(toy_files), *more)
    assert code == 0 and found["complete"] and found["fresh"]
    first = found["swaps"][0]
    assert (first["into"], first["verdict"]) == ("Маг пустоты", "gain")
    assert first["interval"][0] > 0
    assert found["candidates"] == 8 * 4 and len(found["swaps"]) == 4
    assert found["rounds"][0]["swaps"] == 32 and found["budget"] <= 12000
    assert found["level"] == pytest.approx(1 - 0.05 / 4)
    assert "Маг пустоты" in page and "fresh deals" in page
    rows = list(csv.DictReader(sheet.read_text("utf-8").splitlines()))
    assert [row["into"] for row in rows] == [swap["into"] for swap in found["swaps"]]
    assert [float(row["low"]) for row in rows] == [s["interval"][0] for s in found["swaps"]]
    code, refused, _ = told(capfdbinary, *asked(toy_files), *more)
    assert code == 2 and refused["error"]["code"] == "file_exists"


def test_less_may_be_better(
    capfdbinary: pytest.CaptureFixture[bytes], toy_files: dict[str, str]
) -> None:
    more = ["--budget", "12000", "--top", "4", "--maximize", "-cost"]
    code, found, _ = told(capfdbinary, *asked(toy_files), *more)
    assert code == 0
    assert found["swaps"][0]["difference"] < 0 and found["swaps"][0]["verdict"] == "gain"
    differences = [swap["difference"] for swap in found["swaps"]]
    assert differences == sorted(differences)


def test_no_gain_is_an_honest_no(
    capfdbinary: pytest.CaptureFixture[bytes], toy_files: dict[str, str]
) -> None:
    ratings = Path(toy_files["rules"]).with_name("ratings.csv")
    ratings.write_text("name,rating\nОрк,1\nТаверна,0\n", "utf-8")
    goal = ["--maximize", "rating", "--ratings", str(ratings), "--budget", "4000", "--top", "3"]
    code, found, page = told(capfdbinary, *asked(toy_files, "worse"), *goal)
    assert code == 1
    assert not any(swap["verdict"] == "gain" for swap in found["swaps"])
    assert "No swap is a sure gain" in page


def test_the_pool_is_what_a_file_and_sets_hold(
    capfdbinary: pytest.CaptureFixture[bytes], toy_files: dict[str, str]
) -> None:
    """Too small a budget tells how many swaps there are."""
    deck = question().deck
    printed = [c for c in catalogue().by_key.values() if c.set_id == 22]
    pool = [*printed, *read_deck(toy_files["pool"], catalogue())]
    number = len(legal_swaps(deck, pool, catalogue(), ruleset()))
    assert number > len(legal_swaps(deck, printed, catalogue(), ruleset())) > 0
    both = ["--set", "22", "--pool", toy_files["pool"], "--budget", "99"]
    code, refused, _ = told(capfdbinary, str(FARRO), *both)
    assert code == 2 and refused["error"]["code"] == "budget_small"
    assert f"{number} swaps need" in refused["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], "usage"),
        (["--pool", "none.txt"], "file_missing"),
        (["--set", "no such set"], "value_unknown"),
        (["--pool", str(FARRO), "--resume"], "usage"),
        (["--pool", str(FARRO), "--top", "0"], "usage"),
        (["--pool", str(FARRO), "--budget", "10"], "budget_small"),
        (["--pool", str(FARRO), "--maximize", "rating"], "ratings_missing"),
        (["--pool", str(FARRO), "--jobs", "2", "--cluster", "tcp://127.0.0.1:1"], "usage"),
        (["--pool", str(FARRO), "--cluster", "nonsense"], "cluster_unreachable"),
        (["--pool", str(FARRO), "--out", "no/such/folder.jsonl"], "file_unwritable"),
    ],
)
def test_bad_input(
    capfdbinary: pytest.CaptureFixture[bytes], arguments: list[str], code: str
) -> None:
    if "cluster_unreachable" in code:
        pytest.importorskip("distributed")
    got, refused, _ = told(capfdbinary, str(FARRO), *arguments)
    assert got == 2 and refused["error"]["code"] == code
    assert main(["tune", str(FARRO), *arguments, "--lang", "ru"]) == 2
    err = capfdbinary.readouterr().err.decode("utf-8")
    assert err.startswith("Ошибка") and "Traceback" not in err


def test_decks_that_no_swap_makes_legal(
    capfdbinary: pytest.CaptureFixture[bytes], toy_files: dict[str, str]
) -> None:
    code, refused, _ = told(capfdbinary, toy_files["deck"], "--pool", toy_files["pool"])
    assert code == 2 and refused["error"]["code"] == "deal_size"
    full = Path(toy_files["deck"]).with_name("few.txt")
    full.write_text("20 Мираж\n", "utf-8")
    code, refused, _ = told(capfdbinary, str(full), "--pool", toy_files["pool"])
    assert code == 2 and refused["error"]["code"] == "swap_none_legal"


def test_a_race_goes_on_where_it_ended(
    capfdbinary: pytest.CaptureFixture[bytes], toy_files: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "race.jsonl"
    few = ["--budget", "6000", "--top", "3"]
    _, plain, _ = told(capfdbinary, *asked(toy_files), *few)
    _, kept, _ = told(capfdbinary, *asked(toy_files), *few, "--out", str(out))
    lines = out.read_text("utf-8").splitlines()
    assert kept == plain and len(lines) == len(plain["rounds"]) + 1
    out.write_text("\n".join(lines[:2]) + '\n{"key": "broken off', "utf-8")
    unseeded = asked(toy_files)[:-2]
    _, found, _ = told(capfdbinary, *unseeded, *few, "--out", str(out), "--resume")
    assert found == plain
    assert out.read_text("utf-8").splitlines() == lines
    _, other, _ = told(
        capfdbinary, *unseeded, *few, "--out", str(out), "--resume", "--maximize", "elite"
    )
    assert other["seed"] == 3 and other["mean"] != plain["mean"]
    code, refused, _ = told(capfdbinary, *asked(toy_files), *few, "--out", str(out))
    assert code == 2 and refused["error"]["code"] == "file_exists"


def test_interrupting_keeps_the_ranking_so_far(tmp_path: Path) -> None:
    out = tmp_path / "race.jsonl"
    command = [sys.executable, "-m", "squadbuilder", "tune", str(FARRO), "--pool", str(FARRO)]
    command += ["--budget", "900000000", "--seed", "5", "--out", str(out), "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        begun = when_begun(process)
        process.send_signal(signal.SIGINT)
        answered, noted = process.communicate(timeout=60)
    noted = begun + noted
    assert process.returncode == 130, noted
    found = json.loads(answered)
    validate("tune", found)
    assert not found["complete"] and found["swaps"]
    assert "deals done" in noted and "Traceback" not in noted


@pytest.mark.parametrize("columns", ["40", "120"])
@pytest.mark.parametrize("language", ["ru", "en"])
def test_the_page_fits_consoles(
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    toy_files: dict[str, str],
    columns: str,
    language: str,
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    few = ["--budget", "6000", "--top", "3", "--lang", language]
    assert main(["tune", *asked(toy_files), *few]) in (0, 1)
    page = capfd.readouterr().out
    assert "Маг пустоты" in page and ("gain" if language == "en" else "лучше") in page


def test_cards_without_dask(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, refused, _ = told(
        capfdbinary, str(FARRO), "--pool", str(FARRO), "--cluster", "tcp://127.0.0.1:1"
    )
    assert code == 2 and refused["error"]["code"] == "cluster_missing"
    assert "squadbuilder[cluster]" in refused["error"]["message"]


def test_texts_of_cards_that_come_in_are_noted(
    capfdbinary: pytest.CaptureFixture[bytes], toy_files: dict[str, str]
) -> None:
    pool = Path(toy_files["pool"])
    looking: Card = card("Лазутчица")
    pool.write_text(f"{looking.name}\n", "utf-8")
    few = ["--budget", "320", "--top", "1"]
    _, found, _ = told(capfdbinary, *asked(toy_files), *few)
    assert any("--opponent-deck" in note for note in found["notes"])
    _, found, _ = told(capfdbinary, *asked(toy_files), *few, "--opponent-deck", toy_files["deck"])
    assert found["notes"] == []
