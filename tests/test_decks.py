"""Decks checked, shown, converted and dealt from, on the command line."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from squadbuilder.cards import catalogue
from squadbuilder.cli import main
from squadbuilder.decks import draw, profile
from squadbuilder.formats import read_deck
from squadbuilder.reading import data_folder
from squadbuilder.ruleset import ruleset
from squadbuilder.terms import Player

FARRO = str(data_folder() / "decks" / "04-farro.txt")


def answer(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[int, Any]:
    code = main([*arguments, "--json", "--lang", "en"])
    return code, json.loads(capfdbinary.readouterr().out)


def test_the_36_decks_may_be_played(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for path in sorted((data_folder() / "decks").glob("*.txt")):
        code, found = answer(capfdbinary, "deck", "check", str(path))
        assert code == 0 and found["legal"] and found["problems"] == []


def test_everything_wrong_with_a_deck_at_once(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    deck = tmp_path / "deck.txt"
    deck.write_text("2 Мародер\n2 Мародёр\n7 Бес\n1 Миарж\n4 Орк\n1 Тич\n", "utf-8")
    rules = tmp_path / "strict.yaml"
    text = (data_folder() / "rulesets" / "comprehensive.yaml").read_text("utf-8")
    rules.write_text(text + "banned: [тич]\n", "utf-8")
    code, found = answer(capfdbinary, "deck", "check", str(deck), "--rules", str(rules))
    assert code == 1 and found["legal"] is False
    problems = [(p["code"], p["cards"], p["need"], p["have"]) for p in found["problems"]]
    assert problems == [
        ("card_unknown", ["Миарж"], 0, 1),
        ("too_small", [], 30, 17),
        ("horde_copies", ["Бес"], 6, 7),
        ("copies", ["Мародёр"], 3, 4),
        ("copies", ["Орк"], 3, 4),
        ("banned", ["Тич"], 0, 1),
    ]
    assert "Мираж" in found["problems"][0]["suggestions"]


def test_show_counts_a_deck(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    code, found = answer(capfdbinary, "deck", "show", FARRO)
    assert code == 0
    assert found["name"] == "Фарро 04" and found["cards"] == 30
    assert found["curve"] == {
        "ordinary": {"3": 4, "4": 2, "5": 7, "6": 1, "8": 2},
        "elite": {"2": 4, "4": 1, "5": 5, "6": 1, "7": 3},
    }
    assert found["elements"] == {"neutral": 4, "steppe": 26}
    assert found["types"] == {"creature": 21, "flyer": 6, "terrain": 3}
    assert (found["unique"], found["horde"], found["flyers_worth"]) == (18, 0, 30)


def test_convert_writes_a_new_file_and_never_over_another(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    out = tmp_path / "farro.tts.json"
    code, found = answer(capfdbinary, "deck", "convert", FARRO, str(out))
    assert code == 0 and found["format"] == "tts"
    assert read_deck(str(out), catalogue()) == read_deck(FARRO, catalogue())
    before = out.read_bytes()
    code, found = answer(capfdbinary, "deck", "convert", FARRO, str(out), "--format", "json")
    assert code == 2 and found["error"]["code"] == "file_exists" and out.read_bytes() == before
    code, found = answer(
        capfdbinary, "deck", "convert", FARRO, str(out), "--format", "json", "--force"
    )
    assert code == 0 and json.loads(out.read_text("utf-8"))["name"] == "Фарро 04"
    code, found = answer(capfdbinary, "deck", "convert", FARRO, str(tmp_path / "no" / "x.txt"))
    assert code == 2 and found["error"]["code"] == "file_unwritable"
    code, found = answer(capfdbinary, "deck", "convert", FARRO, "deck.odt")
    assert code == 2 and found["error"]["code"] == "format_unknown"


def test_convert_through_a_pipe() -> None:
    command = [sys.executable, "-m", "squadbuilder", "deck", "convert", "-", "-"]
    text = Path(FARRO).read_bytes()
    code = subprocess.run(
        [*command, "--format", "code"], input=text, capture_output=True, check=True
    )
    back = subprocess.run(command, input=code.stdout, capture_output=True, check=True)
    assert Counter(back.stdout.decode().split("\n")) >= Counter(["3 Мираж", "1 Аира"])


DRAWN = [
    "3 Аль-Джамия",
    "Бегущий по лезвию",
    "2 Дозорный Аль-Джамии",
    "2 Змееглав-чародей",
    "Мираж",
    "Погонщик Тоа-Дана",
    "Раб Фарро",
    "Фарро",
    "Эйден",
    "Элементаль огня",
    "Эллион",
]
"""The deal of seed 7: it must stay the same on every machine and in every version."""


def test_the_same_seed_gives_the_same_deal(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    code, found = answer(capfdbinary, "draw", FARRO, "--seed", "7")
    assert code == 0 and found["deal"] == DRAWN
    lines = Path(FARRO).read_text("utf-8").split("\n")
    other = tmp_path / "other.txt"
    other.write_text("\n".join(reversed(lines)), "utf-8")
    code, found = answer(capfdbinary, "draw", str(other), "--seed", "7")
    assert found["deal"] == DRAWN


def test_a_drawn_deal_can_be_solved(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    out = tmp_path / "deal.yaml"
    options = ("--player", "second", "--mulligans", "2", "--rules", "tournament")
    code, found = answer(capfdbinary, "draw", FARRO, "--seed", "3", *options, "--out", str(out))
    assert code == 0 and str(out) in found["notes"][0]
    code, found = answer(capfdbinary, "next", str(out))
    assert code == 0 and (found["gold"], found["silver"]) == (23, 23)
    code, found = answer(capfdbinary, "draw", FARRO, "--seed", "3", "--out", str(out))
    assert code == 2 and found["error"]["code"] == "file_exists"
    code, found = answer(capfdbinary, "draw", FARRO, "--mulligans", "15")
    assert code == 2 and found["error"]["code"] == "no_deal_left"


def test_draws_are_fair() -> None:
    """Each card comes about equally often; each mulligan is a new shuffle."""
    deck = read_deck(FARRO, catalogue())
    rules = ruleset()
    seen: Counter[str] = Counter()
    for seed in range(600):
        deal = draw(deck, seed, rules, Player.FIRST, 0)
        assert not Counter(deal.cards) - Counter(deck) and len(deal.cards) == 15
        seen.update(card.name for card in deal.cards)
    copies = Counter(card.name for card in deck)
    assert all(abs(seen[name] / (600 * n) - 0.5) < 0.1 for name, n in copies.items())
    first, second = (draw(deck, 1, rules, Player.FIRST, taken).cards for taken in (0, 1))
    assert len(second) == 14 and not set(second) <= set(first)


def test_a_card_of_two_elements_counts_for_both() -> None:
    from dataclasses import replace

    from squadbuilder.terms import Element

    both = replace(catalogue().by_key["орк"], elements=frozenset({Element.STEPPE, Element.DARK}))
    assert profile([both]).elements == {"dark": 1, "steppe": 1}


@pytest.mark.parametrize("language", ["ru", "en"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["deck", "show", FARRO],
        ["deck", "check", FARRO],
        ["deck", "convert", FARRO, "-"],
        ["draw", FARRO, "--seed", "1"],
        ["cards", "find", "дракон"],
        ["cards", "show", "Тич"],
    ],
)
def test_people_get_answers_too(
    capfd: pytest.CaptureFixture[str], arguments: list[str], language: str
) -> None:
    assert main([*arguments, "--lang", language]) == 0
    seen = capfd.readouterr()
    assert seen.out.strip() and not seen.err
