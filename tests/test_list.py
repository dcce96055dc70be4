"""`list`, `--maximal`, `--require`, `--differ` and ratings against their definitions, by brute force."""

import random
from collections.abc import Callable, Sequence

import oracle
import pytest
from dealing import from_deck, order_sensitive, table

from squadbuilder.cards import Card
from squadbuilder.deal import Deal
from squadbuilder.listing import list_all, list_best, parts
from squadbuilder.objective import DEFAULT, Goal, Measure, Objective, Ratings, read_objective
from squadbuilder.recruit import Recruitment
from squadbuilder.solve import distance, solve
from squadbuilder.squad import Counts
from squadbuilder.wishes import read_wishes

Names = tuple[str, ...]


def keys(recruitment: Recruitment, squad: Counts) -> Names:
    cards = recruitment.cards
    return tuple(cards.kinds[kind].key for kind in cards.members(squad))


def points(goal: Goal, squad: Names, by_key: dict[str, Card], purse: tuple[int, int]) -> int:
    gold, silver = purse
    total = goal.of_purse(gold, silver) + sum(goal.of_card(by_key[key]) for key in squad)
    for (one, other), bonus in goal.pairs.items():
        both = squad.count(one) >= 2 if one == other else one in squad and other in squad
        total += bonus * both
    return goal.sign * total


def ranked(deal: Deal, objective: Objective) -> list[Names]:
    """The oracle's squads by value, ties by their sorted names."""
    by_key = {card.key: card for card in deal.cards}
    found = oracle.squads(deal.cards, table(deal))
    values = {
        squad: max(
            tuple(points(goal, squad, by_key, purse) for goal in objective) for purse in purses
        )
        for squad, purses in found.items()
    }
    return sorted(values, key=lambda squad: ([-number for number in values[squad]], squad))


def deal_for(seed: int) -> Deal:
    return order_sensitive(seed, 8) if seed % 3 else from_deck(seed, 9)


@pytest.mark.parametrize("seed", range(50))
def test_the_list_is_the_oracles_list_in_order(seed: int) -> None:
    deal = deal_for(seed)
    recruitment = Recruitment(deal)
    expected = ranked(deal, DEFAULT)
    found = list_all(deal)
    assert [keys(recruitment, squad) for squad in found.squads] == expected
    assert found.complete
    limit = max(1, len(expected) // 2)
    few = list_all(deal, limit=limit)
    assert few.squads == found.squads[:limit]
    assert few.complete is (len(expected) <= limit)
    if seed % 5 == 0 and expected:
        assert list_best(deal, 12).squads == found.squads[:12]


@pytest.mark.parametrize("seed", range(20))
def test_maximal_squads_are_those_that_no_legal_squad_contains(seed: int) -> None:
    deal = deal_for(seed)
    everything = list_all(deal).squads
    expected = [
        squad
        for squad in everything
        if not any(
            squad != other and all(a <= b for a, b in zip(squad, other, strict=True))
            for other in everything
        )
    ]
    assert list(list_all(deal, maximal=True).squads) == expected


def test_parts_are_all_proper_parts() -> None:
    assert parts([(1, 2)]) == {(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)}


CONDITIONS: dict[str, Callable[[list[Card]], bool]] = {
    "type=flyer<=1": lambda cards: sum(c.type.value == "flyer" for c in cards) <= 1,
    "cost<=4>=2": lambda cards: sum(c.cost <= 4 for c in cards) >= 2,
    "cost=5=1": lambda cards: sum(c.cost == 5 for c in cards) == 1,
    "element=dark>=1": lambda cards: sum("dark" in c.elements for c in cards) >= 1,
    "elite<=2": lambda cards: sum(c.elite for c in cards) <= 2,
    "unique>=1": lambda cards: sum(c.unique for c in cards) >= 1,
    "class=Герой-маг>=1": lambda cards: sum("Герой-маг" in c.classes for c in cards) >= 1,
    "keyword=ova>=1": lambda cards: sum(any(k == "ova" for k, _ in c.keywords) for c in cards) >= 1,
}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("condition", CONDITIONS)
def test_required_conditions_hold_and_nothing_else_is_lost(condition: str, seed: int) -> None:
    deal = deal_for(seed)
    recruitment = Recruitment(deal)
    wanted = read_wishes(recruitment.cards, conditions=[condition])

    def fits(squad: Counts) -> bool:
        return CONDITIONS[condition](
            [recruitment.cards.kinds[kind] for kind in recruitment.cards.members(squad)]
        )

    expected = [squad for squad in list_all(deal).squads if fits(squad)]
    assert list(list_all(deal, wanted=wanted).squads) == expected
    best = solve(deal, wanted=wanted).lines
    assert [line.squad for line in best] == expected[:1]
    maximal = [squad for squad in list_all(deal, maximal=True).squads if fits(squad)]
    assert list(list_all(deal, wanted=wanted, maximal=True).squads) == maximal


def far_apart(squads: Sequence[Counts], differ: int, top: int) -> list[Counts]:
    found: list[Counts] = []
    for squad in squads:
        if len(found) < top and all(distance(squad, other) >= differ for other in found):
            found.append(squad)
    return found


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("differ", [2, 3])
def test_listed_squads_differ_enough(seed: int, differ: int) -> None:
    deal = deal_for(seed)
    expected = far_apart(list_all(deal).squads, differ, 5)
    assert [line.squad for line in solve(deal, top=5, differ=differ).lines] == expected


def test_the_distance_is_the_larger_side_of_the_difference() -> None:
    assert distance((2, 0, 1), (0, 1, 1)) == 2
    assert distance((1, 1), (1, 1)) == 0
    assert distance((0, 0, 0), (1, 1, 1)) == 3


def random_ratings(seed: int, deal: Deal, size: int) -> Ratings:
    rng = random.Random(seed)
    names = sorted({card.key for card in deal.cards})
    pairs = [tuple(sorted(rng.choices(names, k=2))) for _ in range(4)]
    return Ratings(
        {name: rng.randint(-size, size) for name in names},
        {(one, other): rng.randint(-size, size) for one, other in pairs},
    )


@pytest.mark.parametrize("size", [9, 1_000_000])
@pytest.mark.parametrize(
    "text",
    ["rating", "-rating,cost", "elite,rating,-gold_left", "strike,life,rating,crystals_left,cost"],
)
@pytest.mark.parametrize("seed", range(4))
def test_any_objective_with_ratings_and_pairs(seed: int, text: str, size: int) -> None:
    deal = deal_for(seed)
    objective = read_objective(text, random_ratings(seed, deal, size))
    recruitment = Recruitment(deal)
    expected = ranked(deal, objective)[:6]
    found = [keys(recruitment, line.squad) for line in solve(deal, objective, top=6).lines]
    assert found == expected


def test_goals_too_large_for_one_number_are_solved_in_passes() -> None:
    deal = from_deck(3, 12)
    ratings = random_ratings(3, deal, 1_000_000)
    every = "rating,life,strike,cost,elite,cards,creatures,crystals_left,gold_left"
    objective = read_objective(every, ratings)
    answer = solve(deal, objective, top=3)
    assert answer.solves > 3
    recruitment = Recruitment(deal)
    assert [keys(recruitment, line.squad) for line in answer.lines] == ranked(deal, objective)[:3]


@pytest.mark.parametrize(
    "text", ["gold_left", "-gold_left", "crystals_left", "-cards", "creatures"]
)
@pytest.mark.parametrize("seed", range(6))
def test_single_objectives_with_their_ties(seed: int, text: str) -> None:
    deal = order_sensitive(seed + 50, 7)
    objective = (*read_objective(text),)
    recruitment = Recruitment(deal)
    found = [keys(recruitment, line.squad) for line in solve(deal, objective, top=8).lines]
    assert found == ranked(deal, objective)[:8]
    assert objective[0].measure in Measure
