"""The data lint: cards, effects, rulesets, decks and deals are complete and well-formed."""

from collections import Counter
from pathlib import Path

import pytest

from squadbuilder import cards as card_files
from squadbuilder.cards import Catalogue, catalogue
from squadbuilder.deal import read_deal
from squadbuilder.effects import read_effect
from squadbuilder.errors import InputError
from squadbuilder.formats import read_deck
from squadbuilder.reading import data_folder, parse, read_text
from squadbuilder.ruleset import ruleset
from squadbuilder.terms import Player, fold

DATA = data_folder()
MODELLED = """
Мародёр, Тич, Райская птица, Ведающий запасами, Эрманд, Линдвурм, Аммах, Мираж, Присягнувшая,
Абордажник, Вольный воитель, Ужас Исхара, Ахтар, Ведьмак, Гном-отступник, Храм вольных, Капитан Тич,
Падшая Линнет, Алтарь Хигарта
"""
BEFORE = """
Линнет, Демонолог, Рекрутер Храма, Поработитель Ордена, Вербовщик, Нейя, Лазутчица, Отец-дознаватель,
Солдаты удачи, Орвас, Гробовщик, Упырёныш, Элементаль праха
"""


def names(text: str) -> set[str]:
    return {fold(name) for name in text.split(",")}


@pytest.fixture(scope="module")
def cards() -> Catalogue:
    return catalogue()


def test_all_cards_are_there(cards: Catalogue) -> None:
    assert len(cards.by_id) == 1310
    assert len(cards.by_key) == 1286


def test_the_printing_with_the_highest_set_stands_for_a_name(cards: Catalogue) -> None:
    for identity, card in cards.by_id.items():
        assert (card.set_id, card.number) >= (int(identity[:2]), int(identity[2:]))


def test_all_cards_that_touch_recruitment_are_modelled_and_no_others_have_effects(
    cards: Catalogue,
) -> None:
    effects = {card.key: card.effect for card in cards.by_key.values() if card.effect.note}
    before = {key for key, effect in effects.items() if effect.before is not None}
    assert not any(effect.unmodelled for effect in effects.values())
    assert effects.keys() - before == names(MODELLED) and len(names(MODELLED)) == 19
    assert before == names(BEFORE) and len(before) == 13


def test_every_effect_has_a_reading() -> None:
    for path in (DATA / "effects").glob("*.yaml"):
        for name, node in parse(read_text(path)).entries().items():
            assert read_effect(node).note.endswith("."), name


def test_sets_and_keywords_are_known(cards: Catalogue) -> None:
    sets = {line.split(",")[0] for line in (DATA / "sets.csv").read_text("utf-8").splitlines()[1:]}
    words = {
        line.split(",")[0] for line in (DATA / "keywords.csv").read_text("utf-8").splitlines()[1:]
    }
    for card in cards.by_key.values():
        assert str(card.set_id) in sets
        assert {code for code, _ in card.keywords} <= words, card.name
        assert 1 <= card.cost <= 10 and card.name == card.name.strip()


def test_rulesets() -> None:
    comprehensive, tournament = ruleset("comprehensive"), ruleset("tournament")
    assert comprehensive.gold == {Player.FIRST: 24, Player.SECOND: 25}
    assert comprehensive.silver == {Player.FIRST: 22, Player.SECOND: 23}
    assert comprehensive.terrain_limit is None and tournament.terrain_limit == 1


def test_the_36_decks(cards: Catalogue) -> None:
    decks = sorted((DATA / "decks").glob("*.txt"))
    assert len(decks) == 36
    for path in decks:
        deck = read_deck(str(path), cards)
        assert 30 <= len(deck) <= 31
        assert max(Counter(card.key for card in deck).values()) <= 3


@pytest.mark.parametrize("path", sorted((DATA / "deals").iterdir()), ids=lambda path: path.name)
def test_the_sample_deals(cards: Catalogue, path: Path) -> None:
    deal = read_deal(str(path), cards)
    assert len(deal.cards) == deal.size


def test_two_sample_deals_are_sensitive_to_order(cards: Catalogue) -> None:
    for name in ("altar.yaml", "farro-mirage.yaml"):
        deal = read_deal(str(DATA / "deals" / name), cards)
        assert any(card.effect.discount or card.effect.neutral for card in deal.cards)


def test_a_flag_of_the_table_is_0_or_1(tmp_path: Path) -> None:
    head, row, *_ = (data_folder() / "cards.csv").read_text("utf-8").splitlines()
    facts = row.split(",")
    facts[head.split(",").index("elite")] = "2"
    table = tmp_path / "cards.csv"
    table.write_text(f"{head}\n{','.join(facts)}\n", "utf-8")
    with pytest.raises(InputError) as refused:
        card_files._read_csv(table)
    assert refused.value.where.line == 2 and refused.value.params["problem"] == "2 (0|1)"
