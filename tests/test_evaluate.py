"""Evaluating decks: figures that add up, intervals that keep their word, mulligans, and the command."""

import csv
import gc
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import oracle
import pytest
from dealing import DECKS, table
from test_schema import validate

from squadbuilder.advice import advise
from squadbuilder.by_model import best_of
from squadbuilder.cards import Card, catalogue
from squadbuilder.cli import main
from squadbuilder.crew import Crew
from squadbuilder.deal import Deal
from squadbuilder.decks import draw
from squadbuilder.errors import Where
from squadbuilder.estimates import (
    Estimate,
    Moments,
    difference,
    mean,
    moments,
    quantile,
    share,
    student,
)
from squadbuilder.evaluation import Question, Tally, tally, values
from squadbuilder.formats import read_deck
from squadbuilder.hidden import chance, draw_outcomes
from squadbuilder.interrupt import listening
from squadbuilder.ledger import fingerprint
from squadbuilder.mulligan import deals_after, most_mulligans, policy
from squadbuilder.objective import DEFAULT, Goal, Measure
from squadbuilder.ruleset import MulliganCost, Ruleset, ruleset
from squadbuilder.solve import solve
from squadbuilder.terms import Player, fold
from squadbuilder.trial import Amount, best_policy, run

FARRO = next(path for path in DECKS if path.stem == "04-farro")
ORCS = next(path for path in DECKS if path.stem == "27-lesnye-orki")


def question(path: Path = FARRO, **changes: Any) -> Question:
    deck = read_deck(str(path), catalogue())
    asked = Question(deck, deck, 7, ruleset(), Player.FIRST, DEFAULT)
    return replace(asked, **changes)


def card(name: str) -> Card:
    return catalogue().by_key[fold(name)]


# Intervals


def covered(estimates: Sequence[Estimate | None], truth: float) -> float:
    return sum(e is not None and e.low <= truth <= e.high for e in estimates) / len(estimates)


@pytest.mark.parametrize("size", [8, 30, 200])
def test_intervals_of_the_mean_and_of_differences_cover_the_truth(size: int) -> None:
    rng = Random(size)

    def sample() -> Moments:
        return moments(Counter(rng.randint(0, 6) + rng.randint(0, 6) for _ in range(size)))

    assert 0.94 <= covered([mean(sample()) for _ in range(3000)], 6) <= 0.96
    gaps = [difference(sample(), sample()) for _ in range(2000)]
    assert 0.935 <= covered(gaps, 0) <= 0.965


@pytest.mark.parametrize(("part", "size"), [(0.5, 40), (0.1, 100), (0.02, 400)])
def test_intervals_of_shares_cover_the_truth(part: float, size: int) -> None:
    """Wilson's interval is right on average; a share's own grid lets it stray a little."""
    rng = Random(size)
    found = [share(sum(rng.random() < part for _ in range(size)), size) for _ in range(3000)]
    assert 0.925 <= covered(found, part) <= 0.98


def test_known_figures() -> None:
    assert student(10) == pytest.approx(2.2281, abs=2e-3)
    assert student(30) == pytest.approx(2.0423, abs=1e-4)
    assert student(10**6) == pytest.approx(1.95996, abs=1e-4)
    found = share(8, 10)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert share(0, 0) is None and mean(Moments(1, 5, 25)) is None
    assert share(0, 9) is not None and share(0, 9).low == 0 and share(9, 9).high == 1  # type: ignore[union-attr]
    counts = Counter({3: 1, 5: 8, 9: 1})
    assert [quantile(counts, percent) for percent in (10, 11, 50, 90, 91)] == [3, 5, 5, 5, 9]
    assert moments(counts) == Moments(10, 52, 290)
    constant = moments(Counter({4: 10}))
    assert difference(constant, constant) == Estimate(0, 0, 0)
    assert difference(constant, Moments()) is None


# Deals


def test_every_deal_of_a_run_is_the_one_that_draw_draws() -> None:
    for mulligans, rules in product((0, 2), ("comprehensive", "tournament")):
        asked = question(rules=ruleset(rules), player=Player.SECOND)
        rows = asked.dealt(mulligans, 3, 9)
        for row, index in zip(rows, range(3, 9), strict=True):
            drawn = draw(asked.deck, 7, asked.rules, Player.SECOND, mulligans, index)
            assert asked.deal(mulligans, index).cards == drawn.cards
            copies = Counter(drawn.cards)
            assert row.tolist() == [copies[kind] for kind in asked.kinds()]


def test_a_swapped_card_stands_where_the_old_one_stood() -> None:
    asked = question()
    place = asked.deck.index(card("Шулер"))
    changed = asked.with_cards((*asked.deck[:place], card("Орк"), *asked.deck[place + 1 :]))
    met = 0
    for index in range(20):
        old, new = asked.deal(0, index).cards, changed.deal(0, index).cards
        swapped = Counter(card("Орк") if c is card("Шулер") else c for c in old)
        assert Counter(new) == swapped
        met += card("Шулер") in old
    assert 0 < met < 20


def test_hidden_cards_are_two_cards_of_the_opponents_deck() -> None:
    """Hypergeometric: of 10 cards, 4 count."""
    looking = next(
        c
        for c in catalogue().by_key.values()
        if (look := c.effect.look) is not None and look.cards.elite
    )
    counting = card("Фарро")
    opponent = [counting] * 4 + [card("Мираж")] * 6
    found = Counter(
        draw_outcomes([looking], opponent, Random(seed))[looking.key] for seed in range(4000)
    )
    look = looking.effect.look
    assert look is not None
    odds = [chance(look, opponent, seen) for seen in range(3)]
    assert odds == [Fraction(15, 45), Fraction(24, 45), Fraction(6, 45)]
    for seen in range(3):
        assert found[seen] / 4000 == pytest.approx(float(odds[seen]), abs=0.03)
    assert draw_outcomes([counting], opponent, Random(1)) == {}
    assert draw_outcomes([looking], [counting], Random(1)) == {looking.key: 1}
    assert [chance(look, [counting], seen) for seen in range(3)] == [0, 1, 0]
    deck = (looking, *question().deck[1:])
    asked = question(deck=deck, played=deck, opponent=tuple(opponent))
    deals = [asked.deal(0, index) for index in range(30)]
    assert all((looking in deal.cards) == (looking.key in deal.outcomes) for deal in deals)
    assert deals == [asked.deal(0, index) for index in range(30)]


# Means and statistics


def test_means_are_those_of_the_exhaustive_walk_over_the_same_deals() -> None:
    for path in (FARRO, ORCS):
        asked = question(path, rules=replace(ruleset(), deal_size=9))
        found = tally(asked, 0, 12)
        best: list[int] = []
        for index in range(12):
            deal = asked.deal(0, index)
            worth = {c.key: c.cost for c in deal.cards}
            squads = oracle.squads(deal.cards, table(deal))
            best.append(max(sum(map(worth.__getitem__, squad)) for squad in squads))
        assert found.values == Counter(best)
        assert found.lowest == (min(best), best.index(min(best)))
        assert found.highest == (max(best), best.index(max(best)))


def test_the_statistics_are_those_of_the_deals_one_by_one() -> None:
    """Card use, crystals left, fits: counted again from the model's answers, searched deals too."""
    for path in (FARRO, DECKS[-1]):
        deck = (card("Тич"), *read_deck(str(path), catalogue())[1:])
        deck = tuple(sorted(deck, key=lambda c: c.key))
        asked = question(deck=deck, played=deck, together=(deck[4].key, "тич"))
        found = tally(asked, 5, 25)
        assert 0 < found.by_search < 20
        answers = [(asked.deal(0, n), best_of(asked.deal(0, n), DEFAULT)) for n in range(5, 25)]
        best = [answer for _, answer in answers if answer is not None]
        assert found.gold_left == Counter(answer.gold_left for answer in best)
        assert found.silver_left == Counter(answer.silver_left for answer in best)
        assert found.spends_all == sum(not (b.gold_left or b.silver_left) for b in best)
        assert found.cards == Counter(b.chosen.total() for b in best)
        for key, use in found.uses.items():
            held = [(deal, b) for deal, b in answers if key in {c.key for c in deal.cards}]
            assert use.deals == len(held)
            assert use.copies == sum(c.key == key for deal, _ in held for c in deal.cards)
            assert use.recruited == sum(b.chosen[key] for _, b in held if b is not None)
            assert use.in_some == sum(key in b.some for _, b in held if b is not None)
            assert use.in_all == sum(key in b.every for _, b in held if b is not None)
            assert use.worth == moments(Counter(b.first for _, b in held if b is not None))
        wanted = set(asked.together)
        there = [deal for deal, _ in answers if wanted <= {c.key for c in deal.cards}]
        assert found.dealt_together == len(there)
        assert 0 < found.fit_together <= len(there)


def test_cards_from_the_deck_are_not_counted_as_dealt() -> None:
    """A search of the deck can bring copies to the squad that the deal did not hold."""
    names = ["Рекрутер Храма", *["Алый пламевержец"] * 3, *["Мираж"] * 3, *["Орк"] * 3]
    deck = tuple(sorted(map(card, names), key=lambda c: c.key))
    asked = question(deck=deck, played=deck, rules=replace(ruleset(), deal_size=5))
    found = tally(asked, 0, 12)
    assert 0 < found.by_search < 12
    brought = 0
    recruited: Counter[str] = Counter()
    for index in range(12):
        deal = asked.deal(0, index)
        best = best_of(deal, DEFAULT)
        assert best is not None
        dealt = Counter(c.key for c in deal.cards)
        recruited += best.chosen & dealt
        brought += (best.chosen - dealt).total()
    assert brought > 0
    assert {key: use.recruited for key, use in found.uses.items()} == recruited
    assert all(use.recruited <= use.copies for use in found.uses.values())


def test_deals_without_a_squad_count_nothing() -> None:
    deck = tuple([card("Топи Зенды")] * 15 + [card("Орк")])
    found = tally(question(deck=deck, played=deck), 0, 60)
    assert 0 < found.no_squad < 60
    assert found.values[0] == found.no_squad
    assert found.gold_left.total() == 60 - found.no_squad


def test_any_split_gives_the_same_tally() -> None:
    asked = question(together=("мираж", "фарро"))
    whole = tally(asked, 0, 90)
    parts = Tally()
    for start, stop in ((40, 90), (0, 1), (1, 40)):
        parts.add(tally(asked, start, stop))
    assert parts == whole


def test_any_number_of_jobs_gives_the_same_figures() -> None:
    asked = question()
    other = asked.with_cards((card("Орк"), *asked.deck[1:]))
    one, two = (
        run(asked, [other], Amount(deals=600), Crew(jobs), lambda _: None) for jobs in (1, 2)
    )
    assert one == two and one.complete and one.tally.deals == 600


def test_paired_gains_are_differences_deal_by_deal() -> None:
    asked = question()
    other = asked.with_cards((card("Орк"), *asked.deck[1:]))
    found = tally(other, 0, 50, asked)
    gains = [
        sum(values(other, 0, n, n + 1).elements()) - sum(values(asked, 0, n, n + 1).elements())
        for n in range(50)
    ]
    assert found.gain == moments(Counter(gains))
    assert tally(asked, 0, 50, asked).gain == Moments(50, 0, 0)


def test_until_the_interval_is_narrow_enough() -> None:
    found = run(question(), [], Amount(until=0.1), Crew(), lambda _: None).tally
    estimate = mean(found.worth)
    assert estimate is not None and estimate.width <= 0.1 and found.deals > 1000


def test_the_mean_of_a_run_is_within_its_interval_of_the_true_mean() -> None:
    """A toy deck whose deals can all be listed: 95 of 100 runs hold its true mean."""
    rules, deck = toy()
    asked = Question(deck, deck, 0, rules, Player.FIRST, DEFAULT)
    exact = toy_values(deck, rules, 0)
    truth = moments(exact).mean
    runs = [tally(replace(asked, seed=seed), 0, 40) for seed in range(400)]
    assert 0.92 <= covered([mean(found.worth) for found in runs], truth) <= 0.98


def test_what_is_kept_does_not_grow_with_the_deals() -> None:
    few, many = (
        len(pickle.dumps(run(question(ORCS), [], Amount(deals=deals), Crew(), lambda _: None)))
        for deals in (1000, 6000)
    )
    assert many < 1.1 * few


@pytest.mark.deep
def test_memory_does_not_grow_with_the_deals() -> None:
    """Not by half a pointer a deal; garbage and Numba make the count of memory inexact."""
    peaks: list[int] = []
    run(question(ORCS), [], Amount(deals=500), Crew(), lambda _: None)
    for deals in (1000, 100_000):
        gc.collect()
        tracemalloc.start()
        run(question(ORCS), [], Amount(deals=deals), Crew(), lambda _: None)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 4 * 100_000


# Mulligans


def toy(**changes: Any) -> tuple[Ruleset, tuple[Card, ...]]:
    rules = replace(
        ruleset(),
        deal_size=3,
        gold=dict.fromkeys(Player, 6),
        silver=dict.fromkeys(Player, 5),
        **changes,
    )
    names = ["Орк", "Фарро", "Аира", "Скелет", "Морраг", "Топи Зенды", "Мираж", "Шулер"]
    return rules, tuple(sorted(map(card, names), key=lambda c: c.key))


def toy_values(deck: Sequence[Card], rules: Ruleset, mulligans: int) -> Counter[int]:
    """The values of all deals after so many mulligans, from the model."""
    size = Deal((), rules, Player.FIRST, mulligans).size
    found: Counter[int] = Counter()
    for cards in combinations(deck, size):
        best = best_of(Deal(cards, rules, Player.FIRST, mulligans), DEFAULT, telling=False)
        found[0 if best is None else best.first] += 1
    return found


@pytest.mark.parametrize("cost", MulliganCost)
def test_the_policy_is_the_best_of_all_policies(cost: MulliganCost) -> None:
    rules, deck = toy(mulligan_costs=cost)
    if cost is MulliganCost.GOLD:
        rules = replace(rules, gold=dict.fromkeys(Player, 3))
    stages = most_mulligans(rules, Player.FIRST) + 1
    exact = [toy_values(deck, rules, stage) for stage in range(stages)]

    def worth(thresholds: Sequence[int]) -> Fraction:
        after = Fraction(0)
        for stage in reversed(range(stages)):
            total = Fraction(0)
            for value, number in exact[stage].items():
                keep = stage == stages - 1 or value >= thresholds[stage]
                total += (value if keep else after) * number
            after = total / exact[stage].total()
        return after

    levels = [[*sorted(counts), max(counts) + 1] for counts in exact[:-1]]
    best = max(map(worth, product(*levels)))
    found = policy(exact)
    assert found.worth[0] == best == worth(found.thresholds)
    assert best > moments(exact[0]).mean
    given_up = sum(n for value, n in exact[0].items() if not found.keeps(value, 0))
    assert found.rate == Fraction(given_up, exact[0].total()) > 0
    assert found.keeps(0, stages - 1)


def test_the_simulated_policy_is_near_the_exact_one() -> None:
    rules, deck = toy()
    exact = policy([toy_values(deck, rules, stage) for stage in range(3)])
    asked = Question(deck, deck, 3, rules, Player.FIRST, DEFAULT)
    found = best_policy(asked, 4000, Crew(), lambda _: None)
    assert float(found.worth[0]) == pytest.approx(float(exact.worth[0]), abs=0.1)
    assert found.thresholds == exact.thresholds


def test_less_may_be_better() -> None:
    asked = question(objective=(Goal(Measure.COST, -1),))
    found = run(asked, [], Amount(deals=200), Crew(), lambda _: None)
    assert found.policy is not None
    assert min(found.tally.values) > 0 and found.tally.gain == Moments()
    assert all(threshold < 0 for threshold in found.policy.thresholds)
    assert -float(found.policy.worth[0]) <= found.tally.worth.mean


def test_how_many_mulligans_and_deals() -> None:
    assert most_mulligans(ruleset(), Player.SECOND) == 14
    assert most_mulligans(ruleset("tournament"), Player.SECOND) == 25
    assert [deals_after(1000, stage) for stage in (0, 1, 3, 9)] == [1000, 500, 125, 100]
    assert deals_after(40, 2) == 40


# The command


def answer(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[int, Any, str]:
    code = main(["evaluate", *arguments, "--json", "--lang", "en"])
    out, err = capfdbinary.readouterr()
    document = json.loads(out.decode("utf-8"))
    validate("error" if "error" in document else "evaluate", document)
    return code, document, err.decode("utf-8")


QUICK = ("--deals", "60", "--seed", "5")


def test_one_deck(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    sheet = tmp_path / "farro.csv"
    more = ["--swap", "Шулер=Орк", "--swap", "2 Фарро=Орк", "--together", "Мираж"]
    more += ["--together", "Фарро", "--csv", str(sheet)]
    code, found, told = answer(capfdbinary, str(FARRO), *QUICK, *more)
    assert code == 0 and not found["failed"] and found["seed"] == 5
    first, second = found["decks"]
    assert [entry["player"] for entry in found["decks"]] == ["first", "second"]
    assert first["best"]["ci95"][0] < first["best"]["mean"] < first["best"]["ci95"][1]
    assert first["best"]["mean"] < second["best"]["mean"]
    assert [swap["swap"] for swap in first["swaps"]] == ["Шулер=Орк", "2 Фарро=Орк"]
    assert len(first["card_use"]) == 17 and len(first["mulligan"]["threshold"]) == 14
    assert sum(first["histogram"].values()) == first["deals"] == 60
    assert "Mulligan in" in told and "Шулер=Орк" in told and "Фарро 04" in told
    rows = list(csv.DictReader(sheet.read_text("utf-8").splitlines()))
    assert [float(row["mean"]) for row in rows] == [e["best"]["mean"] for e in found["decks"]]
    code, refused, _ = answer(capfdbinary, str(FARRO), *QUICK, "--csv", str(sheet))
    assert code == 2 and refused["error"]["code"] == "file_exists"


def test_a_deal_of_the_run_can_be_drawn_again(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    _, found, _ = answer(capfdbinary, str(FARRO), *QUICK, "--player", "second")
    lowest = found["decks"][0]["lowest"]
    drawn = str(tmp_path / "deal.yaml")
    again = ["draw", str(FARRO), "--seed", "5", "--player", "second", "--out", drawn]
    assert main([*again, "--index", str(lowest["index"])]) == 0
    capfdbinary.readouterr()
    assert main(["solve", drawn, "--json"]) == 0
    solved = json.loads(capfdbinary.readouterr().out.decode("utf-8"))
    assert solved["squads"][0]["values"]["cost"] == lowest["value"]


def test_a_bad_deck_among_many_stands_in_its_row(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    bad, small = tmp_path / "bad.txt", tmp_path / "small.txt"
    bad.write_text("3 Мирож\n", "utf-8")
    small.write_text("3 Мираж\n", "utf-8")
    decks = [str(bad), str(FARRO), str(small), str(tmp_path / "none.txt")]
    code, found, told = answer(capfdbinary, *decks, *QUICK)
    assert code == 1
    assert [entry["name"] for entry in found["decks"]] == ["Фарро 04"] * 2
    codes = [failed["error"]["code"] for failed in found["failed"]]
    assert codes == ["card_unknown", "deal_size", "file_missing"]
    assert "Мирож" in told
    code, refused, _ = answer(capfdbinary, str(bad), *QUICK)
    assert code == 2 and refused["error"]["code"] == "card_unknown"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--deals", "60", "--until", "0.1"], "usage"),
        (["--resume"], "usage"),
        (["--deals", "1"], "usage"),
        (["--until", "0"], "usage"),
        (["--jobs", "0"], "usage"),
        (["--player", "third"], "usage"),
        (["--swap", "Шулер"], "swap_malformed"),
        (["--swap", "=Шулер"], "swap_malformed"),
        (["--swap", "Шулер=Мирож"], "card_unknown"),
        (["--swap", "2 Шулер=Орк"], "swap_not_in_deck"),
        (["--together", "Мирож"], "card_unknown"),
        (["--opponent-deck", "none.txt"], "file_missing"),
        (["--maximize", "luck"], "objective_unknown"),
        (["--maximize", "rating"], "ratings_missing"),
        (["--rules", "none"], "value_unknown"),
        (["--out", "no/such/folder.jsonl"], "file_unwritable"),
    ],
)
def test_bad_input(
    capfdbinary: pytest.CaptureFixture[bytes], arguments: list[str], code: str
) -> None:
    got, refused, _ = answer(capfdbinary, str(FARRO), *arguments)
    assert got == 2 and refused["error"]["code"] == code
    assert main(["evaluate", str(FARRO), *arguments, "--lang", "ru"]) == 2
    told = capfdbinary.readouterr().err.decode("utf-8")
    assert told.startswith("Ошибка") and "Traceback" not in told


def test_a_run_goes_on_where_it_ended(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    out = tmp_path / "decks.jsonl"
    _, plain, _ = answer(capfdbinary, str(FARRO), str(ORCS), *QUICK)
    answer(capfdbinary, str(FARRO), *QUICK, "--out", str(out))
    assert len(out.read_text("utf-8").splitlines()) == 2
    with out.open("a", encoding="utf-8") as file:
        file.write('{"key": "broken off')
    kept = out.read_text("utf-8").splitlines()[:2]
    code, refused, _ = answer(capfdbinary, str(FARRO), *QUICK, "--out", str(out))
    assert code == 2 and refused["error"]["code"] == "file_exists"
    decks = [str(FARRO), str(ORCS)]
    _, found, _ = answer(capfdbinary, *decks, "--deals", "60", "--out", str(out), "--resume")
    assert found["decks"] == plain["decks"] and found["seed"] == 5
    lines = out.read_text("utf-8").splitlines()
    assert lines[:2] == kept and len(lines) == 4
    out.write_text(lines[0] + "\n[]\n", "utf-8")
    code, refused, _ = answer(capfdbinary, *decks, "--out", str(out), "--resume")
    assert code == 2 and refused["error"]["where"]["line"] == 2
    answer(capfdbinary, str(FARRO), *QUICK, "--out", str(out), "--force")
    assert [json.loads(line) for line in out.read_text("utf-8").splitlines()] == [
        json.loads(line) for line in kept
    ]


def test_what_is_asked_tells_runs_apart() -> None:
    asked = question()
    same = fingerprint(asked, (), Amount(60))
    assert fingerprint(question(), (), Amount(60)) == same
    others = [
        fingerprint(asked, (), Amount(61)),
        fingerprint(asked, (asked,), Amount(60)),
        *(
            fingerprint(replace(asked, **change), (), Amount(60))
            for change in (
                {"seed": 8},
                {"player": Player.SECOND},
                {"rules": ruleset("tournament")},
                {"objective": DEFAULT[:1]},
                {"together": ("мираж",)},
                {"opponent": asked.deck},
                {"opponent_mulligans": 1},
                {"blocked_cells": 1},
                {"deck": asked.deck[1:], "played": asked.deck[1:]},
            )
        ),
    ]
    assert len({same, *others}) == len(others) + 1
    code = "from test_evaluate import *; print(fingerprint(question(), (), Amount(60)))"
    env = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(Path(__file__).parent)}
    run_again = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True
    )
    assert run_again.stdout.strip() == same


def test_a_run_that_cannot_begin_leaves_its_file_alone(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    out = tmp_path / "kept.jsonl"
    few = ["--deals", "20", "--player", "first", "--seed", "5", "--out", str(out), "--json"]
    assert main(["evaluate", "nofile.txt", *few]) == 2
    assert not out.exists()
    assert main(["evaluate", str(FARRO), *few]) == 0
    kept = out.read_text("utf-8")
    assert main(["evaluate", "nofile.txt", *few, "--force"]) == 2
    assert out.read_text("utf-8") == kept
    assert main(["evaluate", str(ORCS), *few, "--force"]) == 0
    assert len(out.read_text("utf-8").splitlines()) == 1 and out.read_text("utf-8") != kept


def test_the_same_deck_twice_is_played_once(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    out = tmp_path / "kept.jsonl"
    few = ["--deals", "20", "--player", "first", "--seed", "5", "--out", str(out), "--json"]
    assert main(["evaluate", str(FARRO), str(FARRO), *few]) == 0
    first, second = json.loads(capfdbinary.readouterr().out)["decks"]
    assert first == second and len(out.read_text("utf-8").splitlines()) == 1


@pytest.mark.parametrize("command", ["evaluate", "tune"])
def test_files_that_cannot_be_written_are_refused_at_once(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], command: str
) -> None:
    asked = [command, str(FARRO), "--json"]
    asked += ["--pool", str(ORCS)] if command == "tune" else ["--deals", "10000000"]
    one, folder, long = str(tmp_path / "one"), str(tmp_path), str(tmp_path / ("x" * 300))
    for files, code in (
        (["--out", one, "--csv", one], "usage"),
        (["--csv", long], "file_unwritable"),
        (["--out", long], "file_unwritable"),
        (["--out", folder, "--force"], "file_unwritable"),
        (["--csv", "-"], "file_unwritable"),
    ):
        assert main([*asked, *files]) == 2, files
        refused = json.loads(capfdbinary.readouterr().out)
        assert refused["error"]["code"] == code, files
    assert not list(tmp_path.iterdir())


def test_a_page_and_a_table_are_two_files(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    one = str(tmp_path / "one")
    again = str(tmp_path / "folder" / ".." / "one")
    (tmp_path / "folder").mkdir()
    asked = ["evaluate", str(FARRO), "--deals", "10000000", "--json", "--force"]
    assert main([*asked, "--csv", one, "--html", again]) == 2
    assert json.loads(capfdbinary.readouterr().out)["error"]["code"] == "usage"


def test_a_width_must_be_a_number(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["evaluate", str(FARRO), "--until", "nan", "--json"]) == 2
    assert json.loads(capfdbinary.readouterr().out)["error"]["code"] == "usage"


def test_a_swap_does_not_change_the_opponent() -> None:
    seer = catalogue().find("Отец-дознаватель", Where())
    magical = next(card for card in catalogue().by_key.values() if card.magic)
    asked = question()
    plain = asked.with_cards((seer,) * 5 + asked.played[5:])
    other = plain.with_cards(plain.played[:15] + (magical,) * 15)
    for index in range(40):
        found = [each.deal(0, index).outcomes.get(seer.key) for each in (plain, other)]
        if None not in found:
            assert found[0] == found[1], index


def lose_it(number: int) -> int:
    """A piece of work in a library that loses the exception of Ctrl-C, as NumPy can."""
    with suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    return number


def test_ctrl_c_is_never_lost_in_a_library() -> None:
    before = signal.getsignal(signal.SIGINT)
    done: list[int] = []
    with Crew() as crew, pytest.raises(KeyboardInterrupt):
        done.extend(crew.map(lose_it, [(1,), (2,)]))
    assert done == [1] and signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_before_a_solve_stops_it_at_once() -> None:
    deal = question().deal(0, 0)
    with listening() as heard:
        assert not solve(deal, DEFAULT).interrupted
        signal.raise_signal(signal.SIGINT)
        assert heard and solve(deal, DEFAULT).interrupted


def when_begun(process: "subprocess.Popen[str]") -> str:
    """What a run has told when its first deals are done."""
    assert process.stderr is not None
    noted = ""
    while not re.search(r"deals done: [1-9]", noted):
        line = process.stderr.readline()
        assert line, noted
        noted += line
    return noted


def test_interrupting_keeps_what_is_done(tmp_path: Path) -> None:
    out = tmp_path / "decks.jsonl"
    command = [sys.executable, "-m", "squadbuilder", "evaluate", str(FARRO), str(ORCS), "--json"]
    command += ["--deals", "150000", "--player", "first", "--seed", "5", "--out", str(out)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        begun = when_begun(process)
        process.send_signal(signal.SIGINT)
        told, noted = process.communicate(timeout=60)
    noted = begun + noted
    assert process.returncode == 130, noted
    found = json.loads(told)
    validate("evaluate", found)
    *whole, last = found["decks"]
    assert not last["complete"] and 0 < last["deals"] <= 150000
    assert all(entry["complete"] for entry in whole)
    kept = out.read_text("utf-8").splitlines() if out.exists() else []
    assert len(kept) == len(whole)
    assert "deals done" in noted and "Traceback" not in noted


@pytest.mark.parametrize("columns", ["40", "120"])
@pytest.mark.parametrize("language", ["ru", "en"])
def test_the_page_fits_consoles(
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    columns: str,
    language: str,
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["evaluate", str(FARRO), str(ORCS), *QUICK, "--lang", language]) == 0
    told = capfd.readouterr().out
    assert "Фарро 04" in told and "27" in told


def test_keep_or_mulligan(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    for index in (0, 1):
        drawn = str(tmp_path / f"{index}.yaml")
        assert main(["draw", str(FARRO), "--seed", "5", "--index", str(index), "--out", drawn]) == 0
        capfdbinary.readouterr()
        assert main(["solve", drawn, "--mulligan", "--json"]) == 0
        found = json.loads(capfdbinary.readouterr().out.decode("utf-8"))
        validate("solve", found)
        advice = found["mulligan"]
        assert advice["value"] == found["squads"][0]["values"]["cost"]
        assert advice["keep"] == (advice["value"] >= advice["threshold"])
        assert advice["threshold"] - 1 < advice["promise"] <= advice["threshold"]
    last = tmp_path / "last.yaml"
    assert main(["draw", str(FARRO), "--seed", "5", "--mulligans", "14", "--out", str(last)]) == 0
    code = main(["solve", str(last), "--mulligan", "--lang", "en"])
    told = capfdbinary.readouterr().out.decode("utf-8")
    assert code == 0 and "another mulligan would lose" in told
    assert main(["solve", "data/deals/altar.yaml", "--mulligan"]) == 2


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_ctrl_c_during_the_advice_keeps_the_squads(
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    form: list[str],
) -> None:
    drawn = str(tmp_path / "drawn.yaml")
    assert main(["draw", str(FARRO), "--seed", "5", "--out", drawn]) == 0
    assert main(["solve", drawn, "--lang", "en"]) == 0
    squads = capfdbinary.readouterr().out
    asked: list[tuple[object, ...]] = []

    def values_lost(*given: object) -> Counter[int]:
        asked.append(given)
        lose_it(0)
        return Counter({20: 1})

    monkeypatch.setattr("squadbuilder.trial.values", values_lost)
    code = main(["solve", drawn, "--mulligan", "--lang", "en", *form])
    told = capfdbinary.readouterr()
    assert code == 130 and len(asked) == 1
    if form:
        found = json.loads(told.out)
        assert found["squads"] and "mulligan" not in found
        assert found["notes"][-1] == "interrupted: the answer is incomplete"
    else:
        assert told.out == squads and b"interrupted: the answer is incomplete" in told.err


def test_advice_goes_by_the_opponents_hidden_cards_and_the_abilities_planned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Looks at a deck of elite cards promise more than those at ordinary ones; no use, no more."""
    monkeypatch.setattr("squadbuilder.advice.DEALS", 60)
    looking, counting = card("Лазутчица"), card("Фарро")
    deck = (*[looking] * 9, *[counting] * 9)
    gold, silver = dict.fromkeys(Player, 8), dict.fromkeys(Player, 4)
    poor = replace(ruleset(), gold=gold, silver=silver, deal_size=6)
    deal = Deal((*deck[:3], *deck[-3:]), poor, deck=deck)
    seen, unseen = (
        advise(deal, DEFAULT, 0, opponent).promise
        for opponent in ((counting,) * 2, (card("Мираж"),) * 2)
    )
    assert seen is not None and unseen is not None and seen > unseen
    assert advise(deal.without_abilities(), DEFAULT, 0, (counting,) * 2).promise == unseen


def test_advice_compares_deals_of_one_battle() -> None:
    """Cells that are blocked, and mulligans of the opponent, are there after a mulligan too."""
    deck = tuple([card("Орк")] * 30)
    deal = Deal(deck[:15], deck=deck, blocked_cells=12)
    value = solve(deal).lines[0].value[0]
    assert value < solve(replace(deal, blocked_cells=0)).lines[0].value[0]
    assert advise(deal, DEFAULT, value).promise == value


@pytest.mark.parametrize("named", [["Абордажник", "Мираж"], ["Рекрутер Храма", "Абордажник"]])
def test_facts_of_the_battle_reach_every_deal(named: list[str]) -> None:
    """Whether the engine settles a deal or the model does."""
    deck = tuple(sorted([*map(card, named), *question().deck[2:]], key=lambda c: c.key))
    asked = question(deck=deck, played=deck, blocked_cells=13, opponent_mulligans=3)
    bare = asked.bare(2)
    assert (bare.mulligans, bare.opponent_mulligans, bare.blocked_cells) == (2, 3, 13)
    for index in range(12):
        deal = asked.deal(0, index)
        assert (deal.opponent_mulligans, deal.blocked_cells) == (3, 13)
        assert values(asked, 0, index, index + 1) == {solve(deal).lines[0].value[0]: 1}


def test_only_what_is_true_of_an_evaluation_is_noted(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    """Its deck is known, and hidden cards are drawn; so nobody plans for the worst."""
    deck = tmp_path / "deck.txt"
    deck.write_text("3 Рекрутер Храма\n3 Лазутчица\n20 Мираж\n", "utf-8")
    few = ["--deals", "2", "--seed", "1", "--player", "first"]
    assert len(answer(capfdbinary, str(deck), *few)[1]["notes"]) == 1
    assert answer(capfdbinary, str(deck), *few, "--opponent-deck", str(FARRO))[1]["notes"] == []


def test_the_slow_way_is_told_and_gives_the_same(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, fast, _ = answer(capfdbinary, str(FARRO), *QUICK)
    monkeypatch.setattr("squadbuilder.engine.COMPILED", False)
    _, slow, _ = answer(capfdbinary, str(FARRO), *QUICK)
    assert any("Numba" in note for note in slow["notes"])
    assert slow["decks"] == fast["decks"]


@pytest.mark.deep
def test_the_table_of_all_decks_is_what_its_command_prints(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[1] / "docs" / "evaluation.md").read_text("utf-8")
    page = page.partition("## All decks\n")[2]
    command = page.partition("squadbuilder evaluate data/decks/*.txt ")[2].partition("\n")[0]
    table = page.partition("```text\n")[2].partition("```")[0]
    monkeypatch.setenv("COLUMNS", "140")
    monkeypatch.chdir(Path(__file__).parents[1])
    decks = [str(path.relative_to(Path.cwd())) for path in DECKS]
    assert main(["evaluate", *decks, *command.split(), "--lang", "en"]) == 0
    assert capfd.readouterr().out == table
