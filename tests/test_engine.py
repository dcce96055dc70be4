"""The engine finds what the model finds, compiled or not, and takes only what it can settle."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import oracle
import pytest
from dealing import ABLE, from_deck, order_sensitive, table

from squadbuilder.by_model import best_of, fits
from squadbuilder.cards import Card, catalogue
from squadbuilder.deal import Deal
from squadbuilder.effects import NO_EFFECT, Effect, Gain
from squadbuilder.engine import settle
from squadbuilder.objective import DEFAULT, Goal, Measure, Objective, Ratings
from squadbuilder.ruleset import CreatureRequired, GainTime, ruleset
from squadbuilder.sweep import fit_together, sweep
from squadbuilder.tableau import Settled, Tableau, tableau, takes, takes_deal
from squadbuilder.terms import Player, fold

OBJECTIVES = [
    DEFAULT,
    (Goal(Measure.LIFE), Goal(Measure.CARDS, -1)),
    (Goal(Measure.STRIKE),),
    (Goal(Measure.ELITE), Goal(Measure.CRYSTALS_LEFT)),
    (Goal(Measure.GOLD_LEFT), Goal(Measure.CREATURES)),
    (Goal(Measure.CRYSTALS_LEFT, -1), Goal(Measure.CARDS)),
    (Goal(Measure.GOLD_LEFT, -1), Goal(Measure.COST, -1)),
    (Goal(Measure.COST, -1),),
]


def card(name: str) -> Card:
    return catalogue().by_key[fold(name)]


def numbers(
    deal: Deal, objective: Objective
) -> tuple[Tableau, "np.ndarray[tuple[int, int], np.dtype[np.int64]]"]:
    copies = Counter(deal.cards)
    kinds = sorted(copies, key=lambda card: card.key)
    return tableau(kinds, deal, objective), np.array([[copies[card] for card in kinds]], np.int64)


def told(deal: Deal, found: Settled) -> object:
    """What the engine tells of a single deal, as `by_model` tells it."""
    keys = sorted({card.key for card in deal.cards})
    if not found.chosen.any():
        return None
    chosen = Counter({key: int(n) for key, n in zip(keys, found.chosen[0], strict=True) if n})
    some, every = (
        frozenset(key for key, n in zip(keys, row[0], strict=True) if n)
        for row in (found.some, found.every)
    )
    left = int(found.gold_left[0]), int(found.silver_left[0])
    return (int(found.first[0]), *left, chosen, some, every)


def from_model(deal: Deal, objective: Objective) -> object:
    found = best_of(deal, objective)
    if found is None:
        return None
    left = (found.gold_left, found.silver_left)
    return (found.first, *left, found.chosen, found.some, found.every)


def same(one: Settled, other: Settled) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def agree(deal: Deal, objective: Objective) -> bool:
    """Is the deal settled? If so, engine, sweep and model must agree on it."""
    if not takes_deal(deal, objective):
        return False
    t, row = numbers(deal, objective)
    found = settle(t, row)
    assert same(found, sweep(t, row))
    assert told(deal, found) == from_model(deal, objective), [c.name for c in deal.cards]
    return True


def with_an_objective(seed: int, deal: Deal) -> Objective:
    if seed % 3:
        return DEFAULT
    rng = random.Random(seed)
    keys = sorted({card.key for card in deal.cards})
    rated = (Goal(Measure.RATING, 1, Ratings({key: rng.randint(-3, 9) for key in keys})),)
    return rng.choice([*OBJECTIVES, rated])


@pytest.mark.parametrize("block", range(8))
def test_the_engine_agrees_with_the_model_on_deals_of_the_decks(block: int) -> None:
    for seed in range(block * 12, block * 12 + 12):
        deal = from_deck(seed)
        agree(deal, with_an_objective(seed, deal))


@pytest.mark.parametrize("block", range(8))
def test_the_engine_agrees_with_one_solve_on_a_thousand_deals(block: int) -> None:
    compare(range(125 * block, 125 * block + 125))


@pytest.mark.deep
@pytest.mark.parametrize("block", range(1, 20))
def test_the_engine_agrees_with_one_solve_on_twenty_thousand_deals(block: int) -> None:
    compare(range(1000 * block, 1000 * block + 1000))


def compare(seeds: Sequence[int]) -> None:
    """Best squad and crystals left of deals over all decks, without what is in other best squads."""
    settled = 0
    for seed in seeds:
        deal = from_deck(seed)
        if takes_deal(deal, DEFAULT):
            t, row = numbers(deal, DEFAULT)
            found = told(deal, settle(t, row, telling=False))
            best = best_of(deal, DEFAULT, telling=False)
            left = None if best is None else (best.first, best.gold_left, best.silver_left)
            assert found == (left if best is None else (*left, best.chosen, best.some, best.every))  # type: ignore[misc]
            settled += 1
    assert settled > 0.9 * len(seeds)


def mixes(seeds: Sequence[int]) -> int:
    deals = [order_sensitive(seed, 9) for seed in seeds]
    return sum(agree(deal, with_an_objective(n, deal)) for n, deal in enumerate(deals))


def test_made_up_mixes_are_settled_rightly_or_left_to_the_search() -> None:
    assert mixes(range(60)) >= 4


@pytest.mark.deep
def test_many_made_up_mixes() -> None:
    assert mixes(range(60, 800)) >= 60


def small(seed: int) -> Deal:
    rng = random.Random(seed)
    names = [
        "Мираж",
        "Мираж",
        "Аль-Джамия",
        "Аль-Джамия",
        "Мародёр",
        "Храм вольных",
        "Падшая Линнет",
    ]
    names += [
        "Ведьмак",
        "Капитан Тич",
        "Присягнувшая",
        "Абордажник",
        "Топи Зенды",
        "Алый пламевержец",
    ]
    cards = [card(name) for name in rng.sample(names, 6)]
    cards += [c for c in from_deck(seed).cards if c.effect == NO_EFFECT][:3]
    rules = replace(
        ruleset(rng.choice(("comprehensive", "tournament"))),
        creature_required=rng.choice(tuple(CreatureRequired)),
        on_recruit_gain=rng.choice(tuple(GainTime)),
        gold={player: rng.choice((8, 14, 24)) for player in Player},
        silver={player: rng.choice((3, 10, 22)) for player in Player},
    )
    return Deal(
        tuple(sorted(cards, key=lambda c: c.key)),
        rules,
        rng.choice(tuple(Player)),
        rng.choice((0, 1, 2)),
        rng.choice((0, 1)),
        rng.choice((0, 0, 13)),
    )


def texts(seeds: Sequence[int]) -> int:
    return sum(agree(small(seed), with_an_objective(seed, small(seed))) for seed in seeds)


def test_texts_in_one_deal() -> None:
    """Discounts, sure gains, prices by mulligans, bars, quotas, short purses, every switch."""
    assert texts(range(30)) > 12


@pytest.mark.deep
@pytest.mark.parametrize("block", range(10))
def test_texts_in_many_deals(block: int) -> None:
    assert texts(range(30 + 100 * block, 130 + 100 * block)) > 45


def test_the_best_value_is_that_of_the_exhaustive_walk() -> None:
    for seed in range(24):
        deal = from_deck(seed, 9)
        t, row = numbers(deal, DEFAULT)
        assert takes_deal(deal, DEFAULT)
        worth = {c.key: c.cost for c in deal.cards}
        squads = oracle.squads(deal.cards, table(deal))
        best = max((sum(map(worth.__getitem__, squad)) for squad in squads), default=0)
        assert settle(t, row).first[0] == best


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (["Мираж", "Аль-Джамия", "Орк"], True),
        (["Мародёр", "Орк"], True),
        (["Ведьмак", "Храм вольных", "Падшая Линнет"], True),
        (["Присягнувшая", "Абордажник"], True),
        (["Тич", "Орк"], False),
        (["Райская птица"], False),
        (["Ведающий запасами"], False),
        (["Линдвурм"], False),
        (["Алтарь Хигарта"], False),
        (["Вольный воитель"], False),
        (["Ахтар"], False),
    ],
)
def test_what_the_engine_takes(names: list[str], taken: bool) -> None:
    deal = Deal(tuple(map(card, names)))
    assert takes_deal(deal, DEFAULT) is taken


def test_what_makes_a_leader_too_much() -> None:
    plain = Deal((card("Мираж"), card("Мародёр"), card("Аль-Джамия")))
    assert takes_deal(plain, DEFAULT)
    assert not takes_deal(plain, (Goal(Measure.GOLD_LEFT, -1),))
    pair = Ratings(pairs={("мираж", "фарро"): 1})
    assert not takes_deal(plain, (Goal(Measure.RATING, 1, pair),))
    huge = Ratings({"мираж": 10**6})
    goals = tuple(Goal(Measure.RATING, 1, huge) for _ in range(3))
    assert not takes_deal(plain, goals)
    poor = replace(ruleset(), gold=dict.fromkeys(Player, 1))
    poor = replace(poor, silver=dict.fromkeys(Player, 1))
    assert not takes_deal(replace(plain, rules=poor), DEFAULT)
    gives_itself = replace(card("Мираж"), effect=_discount_for("creature"))
    assert not takes({gives_itself: 1, card("Орк"): 1}, plain, DEFAULT)
    lifeless = replace(card("Аль-Джамия"), effect=Effect(gain=Gain(gold=1)))
    assert not takes({lifeless: 1}, plain, DEFAULT)
    final = replace(ruleset(), creature_required=CreatureRequired.FINAL)
    assert takes({lifeless: 1}, replace(plain, rules=final), DEFAULT)
    promised = replace(card("Орк"), effect=replace(card("Тич").effect, price=()))
    assert not takes({promised: 1}, plain, DEFAULT)


def _discount_for(kind: str) -> Effect:
    from squadbuilder.effects import Discount, Filter
    from squadbuilder.terms import CardType

    return Effect(discount=Discount(Filter(types=frozenset({CardType(kind)})), 1))


def test_an_effect_of_a_later_vocabulary_is_not_taken() -> None:
    """Whatever field an effect has beside those known here, the deal goes to the search."""
    known = {"price", "gain", "discount", "not_with", "at_most", "blocked_cells"}
    known |= {"before", "unmodelled", "note"}
    assert set(Effect.__slots__) > known
    for name in set(Effect.__slots__) - known:
        stated: dict[str, Any] = {name: object()}
        effect = replace(NO_EFFECT, **stated)
        assert not takes({replace(card("Орк"), effect=effect): 1}, Deal(()), DEFAULT), name


HARMLESS = ("Упырёныш", "Элементаль праха", "Орвас", "Гробовщик", "Солдаты удачи")


def test_only_abilities_before_recruitment_that_could_help_go_to_the_search() -> None:
    for ability in ABLE:
        taken = takes({ability: 1, card("Орк"): 2}, Deal(()), DEFAULT)
        assert taken == (ability.name in HARMLESS), ability.name
    wasteful = (Goal(Measure.GOLD_LEFT, -1),)
    assert not takes({card("Упырёныш"): 1}, Deal(()), wasteful)


@pytest.mark.parametrize("seed", range(30))
def test_abilities_that_cannot_help_change_nothing(seed: int) -> None:
    rng = random.Random(seed)
    names = rng.sample(HARMLESS, 3)
    plain = [c for c in from_deck(seed).cards if c.effect == NO_EFFECT][: 15 - len(names)]
    dealt = sorted([*plain, *map(card, names)], key=lambda c: c.key)
    more = sorted([*dealt, card("Орк"), card("Велит")], key=lambda c: c.key)
    deal = Deal(tuple(dealt), deck=tuple(more))
    assert takes_deal(deal, DEFAULT) and agree(deal, DEFAULT)


def test_cards_that_fit_one_squad() -> None:
    fitting = 0
    for seed in range(60):
        deal = from_deck(seed)
        wanted = Counter(c.key for c in random.Random(seed).sample(deal.cards, 5))
        t, row = numbers(deal, DEFAULT)
        kinds = sorted({c.key for c in deal.cards})
        asked = np.array([wanted[key] for key in kinds])
        found = fit_together(t, row[0], asked)
        assert found == fits(deal, wanted)
        fitting += found
    assert 10 < fitting < 60


def test_a_leader_or_an_opening_creature_helps_cards_to_fit() -> None:
    poor = replace(ruleset(), gold=dict.fromkeys(Player, 4))
    poor = replace(poor, silver=dict.fromkeys(Player, 3))
    deal = Deal(tuple(map(card, ["Аль-Джамия", "Аль-Джамия", "Мираж"])), poor)
    t, row = numbers(deal, DEFAULT)
    assert [c.name for c in sorted(set(deal.cards), key=lambda c: c.key)] == ["Аль-Джамия", "Мираж"]
    assert fit_together(t, row[0], np.array([2, 0]))
    alone = Deal(tuple(map(card, ["Аль-Джамия", "Аль-Джамия"])), poor)
    t, row = numbers(alone, DEFAULT)
    assert not fit_together(t, row[0], np.array([1]))
    assert not fit_together(t, row[0], np.array([3]))
