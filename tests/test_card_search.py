"""Cards are found by name and by what is printed on them."""

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squadbuilder.card_search import (
    Query,
    as_csv,
    facts,
    keyword_names,
    read_cost,
    read_keyword,
    read_set,
    search,
    set_names,
)
from squadbuilder.cards import Card, Catalogue, catalogue
from squadbuilder.effects import Range
from squadbuilder.errors import ErrorCode, InputError
from squadbuilder.reading import data_folder
from squadbuilder.terms import CardType, Element


@pytest.fixture(scope="module")
def cards() -> Catalogue:
    return catalogue()


def names(found: list[Card]) -> list[str]:
    return [card.name for card in found]


def test_an_empty_query_finds_every_card_in_order(cards: Catalogue) -> None:
    found = search(cards, Query())
    assert [card.key for card in found] == sorted(cards.by_key)


def test_words_are_parts_of_the_name(cards: Catalogue) -> None:
    assert names(search(cards, Query(words=("ДЖАМИ",)))) == ["Аль-Джамия", "Дозорный Аль-Джамии"]
    assert names(search(cards, Query(words=("джами", "дозор")))) == ["Дозорный Аль-Джамии"]
    assert names(search(cards, Query(words=("мародер",)))) == ["Мародёр"]


def test_near_names_stand_in_for_words_that_no_name_holds(cards: Catalogue) -> None:
    assert "Эндор Флем" in names(search(cards, Query(words=("Эндор", "Флэм"))))
    assert "Мародёр" in names(search(cards, Query(words=("моредёр",))))
    assert search(cards, Query(words=("qqqqqqqq",))) == []
    elite = search(cards, Query(words=("джами",), elite=True))
    assert names(elite) == ["Аль-Джамия"]
    assert search(cards, Query(words=("дозор", "джами"), elite=True)) == []


def test_every_fact_narrows_the_search(cards: Catalogue) -> None:
    every = list(cards.by_key.values())

    def same(query: Query, wanted: list[Card]) -> None:
        assert {card.key for card in search(cards, query)} == {card.key for card in wanted}
        assert 0 < len(wanted) < len(every)

    dark, swamp = Element.DARK, Element.SWAMP
    same(Query(elements=frozenset({dark})), [c for c in every if dark in c.elements])
    same(Query(elements=frozenset({dark, swamp})), [c for c in every if c.elements & {dark, swamp}])
    same(Query(neutral=True), [c for c in every if not c.elements])
    same(
        Query(elements=frozenset({dark}), neutral=True),
        [c for c in every if not c.elements or dark in c.elements],
    )
    same(Query(cost=Range(3, 5)), [c for c in every if 3 <= c.cost <= 5])
    same(Query(elite=True), [c for c in every if c.elite])
    same(Query(elite=False), [c for c in every if not c.elite])
    same(Query(unique=True), [c for c in every if c.unique])
    same(Query(unique=False), [c for c in every if not c.unique])
    flying = frozenset({CardType.FLYER, CardType.TERRAIN})
    same(Query(types=flying), [c for c in every if c.type in flying])
    same(Query(classes=("орк",)), [c for c in every if "Орк" in c.classes])
    same(
        Query(classes=("Орк", "Пират")),
        [c for c in every if {"Орк", "Пират"} <= c.classes],
    )
    same(Query(keywords=("sht",)), [c for c in every if "sht" in dict(c.keywords)])
    same(
        Query(keywords=("sht", "frm")), [c for c in every if {"sht", "frm"} <= {*dict(c.keywords)}]
    )
    same(Query(sets=(10, 60)), [c for c in every if c.set_id in (10, 60)])
    same(
        Query(words=("дра",), elite=True, types=frozenset({CardType.FLYER})),
        [c for c in every if "дра" in c.key and c.elite and c.type is CardType.FLYER],
    )


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("3", Range(3, 3)),
        ("3-5", Range(3, 5)),
        (" 3 – 5 ", Range(3, 5)),
        ("<=4", Range(0, 4)),
        (">= 6", Range(6, 99)),
        ("0", Range(0, 0)),
    ],
)
def test_costs(text: str, cost: Range) -> None:
    assert read_cost(text) == cost


@pytest.mark.parametrize("text", ["", "x", "3-", "-3", "<4", "=4", "<=3-5", "100", "٣", "3.5"])
def test_what_is_no_cost(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_cost(text)
    assert caught.value.code is ErrorCode.WRONG_TYPE and caught.value.where.key == "--cost"


def test_a_cost_the_wrong_way_round() -> None:
    with pytest.raises(InputError) as caught:
        read_cost("5-3")
    assert caught.value.code is ErrorCode.OUT_OF_RANGE


@pytest.mark.parametrize("text", ["sht", "SHT", "Выстрел", "выстр", "shot"])
def test_a_keyword_by_code_name_or_beginning(text: str) -> None:
    assert read_keyword(text) == "sht"


def test_every_keyword_is_found_by_its_code_and_names() -> None:
    for code, names in keyword_names().items():
        assert {read_keyword(text) for text in (code, *names)} == {code}


@pytest.mark.parametrize(
    ("text", "near"),
    [("Защита", "Защита от выстрелов"), ("выстрле", "Выстрел"), ("magik strike", "magic strike")],
)
def test_a_keyword_that_is_not_clear(text: str, near: str) -> None:
    with pytest.raises(InputError) as caught:
        read_keyword(text)
    error = caught.value
    assert error.code is ErrorCode.VALUE_UNKNOWN and error.where.key == "--keyword"
    assert near in error.suggestions


@pytest.mark.parametrize("text", ["10", "Война стихий", "ВОЙНА", "стихий"])
def test_a_set_by_number_or_part_of_its_name(text: str) -> None:
    assert read_set(text) == 10


@pytest.mark.parametrize(
    ("text", "near"),
    [("Вайна", "Война стихий"), ("1", ""), ("70", ""), ("и", "Ложные боги"), (" ", "")],
)
def test_a_set_that_is_not_clear(text: str, near: str) -> None:
    with pytest.raises(InputError) as caught:
        read_set(text)
    error = caught.value
    assert error.code is ErrorCode.VALUE_UNKNOWN and error.where.key == "--set"
    assert error.suggestions and (not near or near in error.suggestions)


def test_a_set_of_an_added_database_is_known_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    path.write_text("cards: [{id: 70001, name: Пробный, cost: 1, type: creature}]", "utf-8")
    known = catalogue(str(path))
    assert read_set("70", known) == 70 and read_set("Война", known) == 10
    assert names(search(known, Query(sets=(70,)))) == ["Пробный"]


def test_the_lists_of_sets_and_keywords_are_whole(cards: Catalogue) -> None:
    assert set_names().keys() == {card.set_id for card in cards.by_key.values()}
    used = {code for card in cards.by_key.values() for code, _ in card.keywords}
    assert used <= keyword_names().keys()
    assert all(all(pair) for pair in keyword_names().values())


def test_facts_are_ready_for_json(cards: Catalogue) -> None:
    for card in cards.by_key.values():
        assert json.loads(json.dumps(facts(card))) == facts(card)


def test_a_table_has_the_columns_of_the_card_file(cards: Catalogue) -> None:
    own = (data_folder() / "cards.csv").read_text("utf-8").splitlines()
    found = as_csv(search(cards, Query())).splitlines()
    assert found[0] == own[0] == as_csv([]).strip()
    unlike = {"classes": "order", "life": "0", "move": "0", "strike": "0-0-0"}
    rows = {row["id"]: row for row in csv.DictReader(own)}
    for row in csv.DictReader(found):
        printed = rows[row["id"]]
        assert row.keys() == printed.keys()
        for column, text in row.items():
            if column == "classes":
                assert sorted(text.split("|")) == sorted(printed[column].split("|"))
            else:
                assert text == (printed[column] or unlike.get(column, ""))


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(text=st.one_of(st.text(max_size=8), st.sampled_from(("\udcff", "9" * 5000, "²", "а" * 500))))
def test_any_option_text(text: str) -> None:
    for read in (read_cost, read_keyword, read_set):
        try:
            read(text)
        except InputError as error:
            assert len(error.suggestions) <= 5
    assert search(catalogue(), Query(words=(text,))) is not None
