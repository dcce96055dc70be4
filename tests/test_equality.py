"""Three readings of the rules agree: the model's squads, the referee's, and the oracle's, as sets."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import oracle
import pytest
from dealing import from_deck, model_squads, order_sensitive, table, walk, with_abilities

from squadbuilder.cards import catalogue
from squadbuilder.deal import Deal
from squadbuilder.errors import Where
from squadbuilder.hidden import better_outcomes, chance
from squadbuilder.listing import list_all
from squadbuilder.model import build
from squadbuilder.objective import Goal, Measure, Objective, read_objective
from squadbuilder.orders import Orders
from squadbuilder.recruit import Recruitment
from squadbuilder.ruleset import CreatureRequired, GainTime
from squadbuilder.solve import solve
from squadbuilder.squad import Counts

Purses = dict[tuple[str, ...], set[tuple[int, int]]]
GOLD: Objective = (Goal(Measure.GOLD_LEFT),)


def referee_walk(deal: Deal) -> Purses:
    """Every squad that the referee's recruitment step reaches, with every purse it can end with."""
    recruitment = Recruitment(deal)
    found: Purses = {}
    for state in walk(recruitment):
        if any(state.squad) and not recruitment.illegal(state, finished=True):
            keys = names(recruitment, state.squad)
            found.setdefault(keys, set()).add((state.gold, state.silver))
    return found


def names(recruitment: Recruitment, squad: Counts) -> tuple[str, ...]:
    cards = recruitment.cards
    return tuple(cards.kinds[kind].key for kind in cards.members(squad))


def assert_readings_agree(deal: Deal) -> int:
    """Compare the three; the number of legal squads."""
    expected = {
        squad: set(purses) for squad, purses in oracle.squads(deal.cards, table(deal)).items()
    }
    assert referee_walk(deal) == expected
    recruitment = Recruitment(deal)
    for goals in (GOLD, (Goal(Measure.CRYSTALS_LEFT),), (Goal(Measure.GOLD_LEFT, -1),)):
        orders = Orders(recruitment, goals)
        settled = {
            names(recruitment, squad): orders.value(squad) for squad in list_all(deal, goals).squads
        }
        assert settled == {
            squad: max(worth(purse, goals) for purse in purses)
            for squad, purses in expected.items()
        }
    return len(expected)


def worth(purse: tuple[int, int], goals: Iterable[Goal]) -> tuple[int, ...]:
    gold, silver = purse
    return tuple(
        goal.sign * (gold if goal.measure is Measure.GOLD_LEFT else gold + silver) for goal in goals
    )


def with_switches(deal: Deal, seed: int) -> Deal:
    """Now and then the other value of each switch of the ruleset."""
    rules = deal.rules
    if seed % 7 == 3:
        rules = replace(rules, creature_required=CreatureRequired.FINAL)
    if seed % 7 == 5:
        rules = replace(rules, on_recruit_gain=GainTime.AFTER_PAYMENT)
    return replace(deal, rules=rules)


def deal_for(seed: int, size: int) -> Deal:
    deal = order_sensitive(seed, size) if seed % 4 else from_deck(seed, size)
    return with_switches(deal, seed)


@pytest.mark.parametrize("seed", range(30))
def test_thirty_deals(seed: int) -> None:
    assert_readings_agree(deal_for(seed, 8 if seed % 4 else 10))


@pytest.mark.parametrize("seed", range(40))
def test_deals_with_abilities_before_recruitment(seed: int) -> None:
    assert_readings_agree(with_switches(with_abilities(seed, 7 if seed % 3 else 8, 2), seed))


PURSES = [
    "-gold_left",
    "-crystals_left",
    "crystals_left",
    "-gold_left,crystals_left",
    "crystals_left,-gold_left",
]


@pytest.mark.parametrize("text", PURSES)
@pytest.mark.parametrize("seed", range(16))
def test_the_best_purse_of_a_deal_with_abilities(seed: int, text: str) -> None:
    """Whoever wants to spend may also pay for what brings nothing."""
    assert_the_best_purse(with_abilities(seed, 7, 1 + seed % 3), text)


@pytest.mark.parametrize("text", PURSES)
def test_the_best_purse_where_cards_may_be_exiled(text: str) -> None:
    deals = [with_abilities(seed, 7, 3) for seed in range(120)]
    exiling = [d for d in deals if any(c.effect.before and c.effect.before.exile for c in d.cards)]
    assert len(exiling) >= 10
    for deal in exiling[:10]:
        assert_the_best_purse(deal, text)


def assert_the_best_purse(deal: Deal, text: str) -> None:
    goals = read_objective(text)
    purses = [purse for ends in referee_walk(deal).values() for purse in ends]
    expected = [max(worth(purse, goals) for purse in purses)]
    assert [line.value for line in solve(deal, goals).lines] == expected


@pytest.mark.parametrize("text", ["cost,elite,gold_left", "cards"])
@pytest.mark.parametrize("seed", [5, 9, 13, 43, 45])
def test_the_model_knows_what_searches_can_bring(seed: int, text: str) -> None:
    """Only cards in the deal can be shown, and a neutral card has no element to differ by."""
    answer = solve(with_abilities(seed, 15, 3), read_objective(text))
    assert answer.lines and answer.solves <= 3


@pytest.mark.parametrize("text", ["-gold_left", "-crystals_left"])
@pytest.mark.parametrize(
    "number, seed", [(1, 8), (2, 11), (2, 27), (3, 1), (3, 3), (3, 5), (3, 43)]
)
def test_the_model_knows_what_abilities_can_waste(number: int, seed: int, text: str) -> None:
    """Its first squads are the best: none is only thought to spend more than it can."""
    answer = solve(with_abilities(seed, 15, number), read_objective(text))
    assert answer.lines and answer.solves <= 3


@pytest.mark.parametrize("text", ["-gold_left", "-crystals_left"])
def test_the_model_knows_what_exile_can_cost(text: str) -> None:
    names = [
        *("Витязь Адрелиана", "Гробовщик", "Громобой", "Дружинник", "Защитник Тайги", "Крондак"),
        *("Линнет", "Лорд Сулу", "Лучник Седвина", "Обрекающий", "Орвас", "Помойный крыс"),
        *("Рагнар", "Шаггон", "Ягуар"),
    ]
    dealt = tuple(catalogue().find(name, Where()) for name in names)
    deal = Deal(dealt, deck=dealt, mulligans=2, opponent_mulligans=1, blocked_cells=10)
    answer = solve(deal, read_objective(text))
    assert answer.lines and answer.solves <= 3


@pytest.mark.deep
@pytest.mark.parametrize("block", range(20))
def test_the_best_purses_of_two_hundred_deals_with_abilities(block: int) -> None:
    for seed in range(2000 + 10 * block, 2010 + 10 * block):
        deal = with_switches(with_abilities(seed, 7, 1 + seed % 3), seed)
        for text in PURSES:
            assert_the_best_purse(deal, text)


@pytest.mark.parametrize(
    "looking, chances", [("Лазутчица", (1, 8, 6)), ("Отец-дознаватель", (15, 0, 0))]
)
def test_chances_of_looks_at_hidden_cards(looking: str, chances: tuple[int, ...]) -> None:
    """Two of six cards, four of them elite, none with a magic ability: 15 pairs."""
    known = catalogue()
    elite = [card for card in known.by_key.values() if card.elite and not card.magic][:4]
    plain = [card for card in known.by_key.values() if not card.elite and not card.magic][:2]
    card = known.find(looking, Where())
    assert card.effect.look is not None
    found = [chance(card.effect.look, [*elite, *plain], number) for number in range(3)]
    assert found == [Fraction(ways, 15) for ways in chances]
    better = list(better_outcomes(Deal((card,)), [*elite, *plain]))
    assert [(one.number, one.chance) for one in better] == [(1, found[1]), (2, found[2])]
    assert [one.deal.outcomes for one in better] == [{card.key: 1}, {card.key: 2}]
    assert not list(better_outcomes(Deal((card,), outcomes={card.key: 0}), []))


@pytest.mark.deep
@pytest.mark.parametrize("block", range(40))
def test_four_hundred_deals_with_abilities(block: int) -> None:
    for seed in range(1000 + 10 * block, 1010 + 10 * block):
        deal = with_abilities(seed, 8 + seed % 2, 2 + seed % 2)
        assert_readings_agree(with_switches(deal, seed))


@pytest.mark.deep
@pytest.mark.parametrize("block", range(50))
def test_five_hundred_deals(block: int) -> None:
    for seed in range(1000 + 10 * block, 1010 + 10 * block):
        assert_readings_agree(deal_for(seed, 9 + seed % 3))


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(5000, 5006))
def test_whole_deals(seed: int) -> None:
    deal = from_deck(seed) if seed % 2 else order_sensitive(seed, 14)
    assert assert_readings_agree(deal)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_every_helper_variable_is_determined_by_the_squad(seed: int) -> None:
    found = model_squads(build(order_sensitive(seed, 9).without_abilities()))
    assert len(found) == len(set(found))
