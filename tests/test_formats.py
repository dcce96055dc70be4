"""Deck files: every format holds every deck, is told apart by its content, and refuses politely."""

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squadbuilder.cards import Card, catalogue
from squadbuilder.deal import Overrides, read_deal
from squadbuilder.deck import find_cards
from squadbuilder.errors import ErrorCode, InputError
from squadbuilder.formats import (
    ENDINGS,
    DeckList,
    Format,
    format_of,
    read_deck,
    read_list,
    write_list,
)
from squadbuilder.reading import Text, data_folder, decode, read_text

DECKS = sorted((data_folder() / "decks").glob("*.txt"))
SAMPLES = Path(__file__).parents[2] / "shared" / "formats"
CARDS = sorted(catalogue().by_key.values(), key=lambda card: card.key)


def cards_of(found: DeckList) -> tuple[Card, ...]:
    return find_cards(found.entries, catalogue())


@pytest.mark.parametrize("path", DECKS, ids=lambda path: path.stem)
@pytest.mark.parametrize("form", Format)
def test_the_36_decks_through_every_format(path: Path, form: Format) -> None:
    deck = read_list(read_text(path))
    again = read_list(Text("deck", write_list(deck.name, cards_of(deck), form)))
    assert cards_of(again) == cards_of(deck)
    assert again.name == ("" if form is Format.CODE else deck.name)


@settings(max_examples=60, deadline=None)
@given(
    chosen=st.lists(st.tuples(st.sampled_from(CARDS), st.integers(1, 7)), min_size=1, max_size=20),
    name=st.sampled_from(["", "Колода", "Моя колода 2"]),
    form=st.sampled_from(list(Format)),
)
def test_round_trips_keep_the_cards(
    chosen: list[tuple[Card, int]], name: str, form: Format
) -> None:
    counts = dict(chosen)
    cards = [card for card, number in counts.items() for _ in range(number)]
    again = read_list(Text("deck", write_list(name, cards, form)))
    assert Counter(card.key for card in cards_of(again)) == Counter(card.key for card in cards)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not beside the project")
@pytest.mark.parametrize("ending", [".brsd", ".code.txt", ".tts.json"])
@pytest.mark.parametrize(
    "name", ["01-morrag-s-orkami", "04-farro", "36-proklyatiya-blagosloveniya"]
)
def test_the_samples_hold_the_decks_of_their_names(name: str, ending: str) -> None:
    expected = read_deck(str(data_folder() / "decks" / f"{name}.txt"), catalogue())
    assert read_deck(str(SAMPLES / f"{name}{ending}"), catalogue()) == expected


def test_known_share_codes() -> None:
    """The triple of a card: count 3, set 40, number 3 is 3 << 15 | 4 << 8 ... in 64 digits."""
    code = write_list("", [catalogue().by_key["мираж"]] * 3, Format.CODE)
    assert code == "#YUD\n"
    assert cards_of(read_list(Text("code", "#YUD")))[0].name == "Мираж"


@pytest.mark.parametrize("form", Format)
def test_every_format_is_a_deal_too(form: Format, tmp_path: Path) -> None:
    names = [catalogue().by_key[key] for key in ("орк", "орк", "мираж")]
    deal = tmp_path / "deal.any"
    deal.write_text(write_list("Имя", names, form), "utf-8")
    found = read_deal(str(deal), catalogue(), Overrides(any_size=True))
    assert [card.name for card in found.cards] == ["Мираж", "Орк", "Орк"]


@pytest.mark.parametrize(("ending", "form"), ENDINGS.items())
def test_endings_pick_the_format(ending: str, form: Format) -> None:
    assert format_of(f"deck{ending}") is form
    assert format_of(f"DECK{ending.upper()}") is form


def test_wild_text_lists() -> None:
    text = "\ufeff# Колода<br>\r\n3x\u00a0Мираж<br>\r\n\r\n# середина\r\n"
    text += "2х Орк\r\nМародер x1\r\n1  Орк\r\n"
    found = read_list(Text("deck", decode(text.encode(), "deck")))
    assert found.name == "Колода"
    assert Counter(card.name for card in cards_of(found)) == {"Мираж": 3, "Орк": 3, "Мародёр": 1}


def refused(text: str) -> InputError:
    with pytest.raises(InputError) as told:
        cards_of(read_list(Text("deck", text)))
    return told.value


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", ErrorCode.FILE_EMPTY, None),
        ("# только имя\n", ErrorCode.FILE_EMPTY, None),
        ("2 Орк\n3 Миарж\n", ErrorCode.CARD_UNKNOWN, 2),
        ("0 Орк\n", ErrorCode.COUNT_MALFORMED, 1),
        ("2 99999\n", ErrorCode.CARD_UNKNOWN, 1),
        ("#AUD", ErrorCode.CODE_MALFORMED, 1),
        ("#f__", ErrorCode.CODE_MALFORMED, 1),
        ("#IL_", ErrorCode.CARD_UNKNOWN, 1),
        ('{"ObjectStates": []}', ErrorCode.WRONG_TYPE, 1),
        ('{"ObjectStates": [{}]}', ErrorCode.KEY_MISSING, 1),
        ('{"ObjectStates": [{"ContainedObjects": [{}]}]}', ErrorCode.KEY_MISSING, 1),
        (
            '{"ObjectStates": [{"ContainedObjects": [{"Nickname": "Миарж"}]}]}',
            ErrorCode.CARD_UNKNOWN,
            1,
        ),
        ('{"cards": [{"name": "Орк"}]}', ErrorCode.KEY_MISSING, 1),
        ('{"cards": [{"name": "Орк", "count": 0}]}', ErrorCode.OUT_OF_RANGE, 1),
        ('{"cards": [{"name": "Орк", "count": "2"}]}', ErrorCode.WRONG_TYPE, 1),
        ('{"cards": {"Орк": 2}}', ErrorCode.WRONG_TYPE, 1),
        ('{"name": "Колода"}', ErrorCode.KEY_MISSING, 1),
        ("name: Колода\ndeck: []\n", ErrorCode.FILE_EMPTY, 2),
        ("deck:\n  - 2 Миарж\n", ErrorCode.CARD_UNKNOWN, 2),
        ("deck: [Дрочеслав, сын Сергея]\n", ErrorCode.CARD_SPLIT_BY_COMMA, 1),
    ],
)
def test_bad_decks_are_told_with_their_place(text: str, code: ErrorCode, line: int | None) -> None:
    error = refused(text)
    assert (error.code, error.where.line) == (code, line)
    assert error.where.file == "deck"


def test_what_a_format_cannot_hold_is_refused() -> None:
    orc = catalogue().by_key["орк"]
    with pytest.raises(InputError) as told:
        write_list("", [orc] * 8, Format.CODE)
    assert told.value.code is ErrorCode.FORMAT_CANNOT_HOLD
    assert "count_over_seven" in str(told.value.params["reason"])


def test_a_set_outside_the_table_is_refused(tmp_path: Path) -> None:
    database = tmp_path / "new.yaml"
    cards = [
        {"id": 70001, "name": "Новая", "cost": 1, "type": "creature"},
        {"id": "новая-2", "name": "Вторая", "cost": 1, "type": "creature"},
    ]
    database.write_text(json.dumps({"cards": cards}), "utf-8")
    known = catalogue(str(database))
    for key, form, reason in (
        ("новая", Format.CODE, "set_outside_code"),
        ("вторая", Format.CODE, "set_outside_code"),
        ("вторая", Format.TTS, "id_no_number"),
    ):
        with pytest.raises(InputError) as told:
            write_list("", [known.by_key[key]], form)
        assert reason in str(told.value.params["reason"])


@settings(max_examples=300, deadline=None)
@given(data=st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_only_our_own_errors_come_out_of_arbitrary_bytes(data: bytes) -> None:
    try:
        cards_of(read_list(Text("deck", decode(data, "deck"))))
    except InputError as error:
        assert error.where.file == "deck" or error.code is ErrorCode.CARD_UNKNOWN


WORDS = (
    *("{", "}", "[", "]", ":", ",", "1", "\n", " ", "- ", "#", "YUD", "null", "deck", "Орк"),
    *(
        '"ObjectStates"',
        '"ContainedObjects"',
        '"Nickname"',
        '"cards"',
        '"name"',
        '"count"',
        '"Орк"',
    ),
)
TOKENS = st.lists(st.sampled_from(WORDS), max_size=25).map("".join)


@settings(max_examples=300, deadline=None)
@given(text=TOKENS)
def test_only_our_own_errors_come_out_of_broken_documents(text: str) -> None:
    with suppress(InputError):
        cards_of(read_list(Text("deck", text)))
