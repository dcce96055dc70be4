"""Perft: how many ways there are to recruit so many cards of each sample deal, one after another."""

import oracle
import pytest
from dealing import table

from squadbuilder.cards import catalogue
from squadbuilder.deal import Deal, read_deal
from squadbuilder.reading import data_folder
from squadbuilder.recruit import Recruitment, State

COUNTS = {
    "altar.yaml": (11, 132, 1458, 14754),
    "blessings.txt": (13, 169, 2028, 22308),
    "coven-tournament.yaml": (12, 133, 1353, 12540),
    "demons.json": (10, 100, 910, 7470),
    "farro-mirage.yaml": (10, 102, 968, 8496),
    "morrag.yaml": (8, 82, 775, 6721),
}


def sample(name: str) -> Deal:
    return read_deal(str(data_folder() / "deals" / name), catalogue())


def perft(recruitment: Recruitment, states: frozenset[State], depth: int) -> int:
    """Orders of `depth` cards, by name, that are legal with some choices."""
    if depth == 0:
        return 1
    total = 0
    for kind, copies in enumerate(recruitment.cards.copies):
        after = frozenset(
            taken[0]
            for state in states
            if state.squad[kind] < copies
            for offer in recruitment.offers(state.squad, kind)
            if (taken := recruitment.take(state, kind, offer))
        )
        if after:
            total += perft(recruitment, after, depth - 1)
    return total


def oracle_perft(deal: Deal, order: tuple[str, ...], depth: int) -> int:
    if order and oracle.judge_order(deal.cards, table(deal), order) is not None:
        return 0
    if len(order) == depth:
        return 1
    keys = [card.key for card in deal.cards]
    return sum(
        oracle_perft(deal, (*order, key), depth)
        for key in sorted(set(keys))
        if order.count(key) < keys.count(key)
    )


@pytest.mark.parametrize("name", COUNTS)
def test_perft(name: str) -> None:
    recruitment = Recruitment(sample(name))
    start = frozenset({recruitment.start})
    assert tuple(perft(recruitment, start, depth) for depth in (1, 2, 3, 4)) == COUNTS[name]


@pytest.mark.parametrize("name", COUNTS)
def test_the_oracle_counts_the_same(name: str) -> None:
    deal = sample(name)
    assert tuple(oracle_perft(deal, (), depth) for depth in (1, 2)) == COUNTS[name][:2]


@pytest.mark.deep
@pytest.mark.parametrize("name", COUNTS)
def test_the_oracle_counts_the_same_to_depth_three(name: str) -> None:
    assert oracle_perft(sample(name), (), 3) == COUNTS[name][2]
