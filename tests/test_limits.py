"""Why not: smallest sets of limits by brute force, and needs and haves that are true."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import oracle
import pytest
from dealing import DECKS, from_deck, order_sensitive, table, with_abilities

from squadbuilder import stated
from squadbuilder.cards import Card, catalogue
from squadbuilder.deal import Deal
from squadbuilder.errors import InputError, Where
from squadbuilder.explain import why_not
from squadbuilder.limits import CODES, Code, Crystal, Violation
from squadbuilder.recruit import Recruitment
from squadbuilder.referee import judge, judge_order, smallest_limits
from squadbuilder.solve import Status, solve
from squadbuilder.squad import Counts
from squadbuilder.stated import Named, named_as
from squadbuilder.wishes import read_wishes


def codes(violations: tuple[Violation, ...]) -> list[int]:
    return [CODES.index(violation.code) for violation in violations]


def first_smallest(deal: Deal, squad: list[str]) -> list[int]:
    sets = oracle.smallest_limits(deal.cards, table(deal), squad)
    return min([CODES.index(Code(code)) for code in limits] for limits in sets)


def random_squad(rng: random.Random, deal: Deal, most: int = 15) -> list[Card]:
    return rng.sample(deal.cards, rng.randint(1, min(most, len(deal.cards))))


def assert_smallest(deal: Deal, rng: random.Random, most: int = 15) -> int:
    recruitment = Recruitment(deal)
    squad = random_squad(rng, deal, most)
    verdict = judge(recruitment, squad)
    if verdict.legal:
        return 0
    assert codes(verdict.violations) == first_smallest(deal, [card.key for card in squad])
    assert all(violation.need > violation.have for violation in verdict.violations)
    return 1


@pytest.mark.parametrize("seed", range(60))
def test_the_set_is_a_smallest_one(seed: int) -> None:
    rng = random.Random(seed)
    deal = order_sensitive(seed, 9) if seed % 2 else from_deck(seed, 12)
    for _ in range(4):
        assert_smallest(deal, rng)


@pytest.mark.deep
@pytest.mark.parametrize("block", range(60))
def test_three_thousand_illegal_squads_of_real_decks(block: int) -> None:
    rng = random.Random(block)
    illegal = 0
    while illegal < 50:
        illegal += assert_smallest(from_deck(rng.randrange(100 * len(DECKS))), rng, most=10)


def lowered(deal: Deal, squad: Counts, violation: Violation, others: frozenset[Code]) -> bool:
    """Is the squad legal when this limit gives way by the shortfall and the others are lifted?"""
    missing = violation.need - violation.have
    if violation.code is Code.CRYSTALS:
        gold = missing if violation.crystal is Crystal.GOLD else 0
        variant = Recruitment(deal).without(others, gold, missing - gold)
        return _legal(variant, squad)
    if violation.code is Code.FLYER_CAP:
        rules = replace(deal.rules, flyer_cap=deal.rules.flyer_cap + missing)
        return _legal(Recruitment(replace(deal, rules=rules)).without(others), squad)
    if violation.code is Code.CELLS:
        rules = replace(deal.rules, cells=deal.rules.cells + missing)
        return _legal(Recruitment(replace(deal, rules=rules)).without(others), squad)
    if violation.code is Code.TERRAIN_LIMIT:
        most = deal.rules.terrain_limit
        assert most is not None
        rules = replace(deal.rules, terrain_limit=most + missing)
        return _legal(Recruitment(replace(deal, rules=rules)).without(others), squad)
    return _legal(Recruitment(deal).without(others | {violation.code}), squad)


def _legal(recruitment: Recruitment, squad: Counts) -> bool:
    from squadbuilder.orders import Orders

    return Orders(recruitment, ()).best(squad) is not None


@pytest.mark.parametrize("seed", range(80))
def test_need_and_have_are_true(seed: int) -> None:
    """The shortfall is enough, and one less is not."""
    rng = random.Random(seed)
    deal = order_sensitive(seed, 12) if seed % 2 else from_deck(seed)
    recruitment = Recruitment(deal)
    squad = recruitment.cards.counts(random_squad(rng, deal))
    found = smallest_limits(recruitment, squad)
    lifted = frozenset(violation.code for violation in found)
    exact = (Code.CRYSTALS, Code.FLYER_CAP, Code.CELLS, Code.TERRAIN_LIMIT)
    for violation in found:
        others = lifted - {violation.code}
        assert lowered(deal, squad, violation, others), violation
        if violation.code in exact:
            less = replace(violation, need=violation.need - 1)
            assert not lowered(deal, squad, less, others), violation


@pytest.mark.parametrize("seed", range(40))
def test_the_wrong_step_of_a_stated_order(seed: int) -> None:
    rng = random.Random(seed)
    deal = order_sensitive(seed, 9)
    recruitment = Recruitment(deal)
    order = random_squad(rng, deal)
    verdict = judge_order(recruitment, [Named(card) for card in order])
    expected = oracle.judge_order(deal.cards, table(deal), [card.key for card in order])
    assert verdict.step == expected
    if expected is not None:
        assert len(verdict.ledger) == expected - 1 and verdict.violations
        legal = oracle.finals(deal.cards, table(deal), [card.key for card in order])
        assert (verdict.other_order is not None) == bool(legal)
        if verdict.other_order is not None:
            kinds = recruitment.cards.kinds
            again = judge_order(recruitment, [Named(kinds[kind]) for kind in verdict.other_order])
            assert again.legal


def legal_as_stated(recruitment: Recruitment, order: Sequence[Named]) -> bool:
    """Is the order legal with all that is stated? A choice that is not there yet does not count."""
    try:
        return judge_order(recruitment, order).legal
    except InputError:
        return False


def stated_at_random(rng: random.Random, seed: int) -> tuple[Recruitment, list[Named]]:
    """Cards of a deal with choices and uses stated, in no good order."""
    deal = order_sensitive(seed, 9) if seed % 3 else with_abilities(seed, 6)
    recruitment = Recruitment(deal)
    squads = [rng.sample(deal.cards, 4) for _ in range(9)]
    line = next((verdict.line for s in squads if (verdict := judge(recruitment, s)).legal), None)
    order = [named_as(recruitment, step) for step in line.steps] if line else []
    order = order or [Named(card) for card in squads[0]]
    for place, name in enumerate(order):
        if name.bonus is not None:
            order[place] = replace(name, bonus=rng.choice((None, True, False)))
        elif name.before is not None:
            order[place] = replace(name, before=rng.choice((True, name.before)))
    rng.shuffle(order)
    return recruitment, order


@pytest.mark.parametrize("seed", range(90))
def test_another_order_keeps_what_is_stated(seed: int) -> None:
    recruitment, order = stated_at_random(random.Random(seed), seed)
    try:
        verdict = judge_order(recruitment, order)
    except InputError:
        return
    if not verdict.legal:
        legal = {
            tuple(recruitment.cards.index[name.card.key] for name in other)
            for other in permutations(order)
            if legal_as_stated(recruitment, other)
        }
        kept = verdict.other_order
        assert kept in legal if legal else kept is None


def late_use() -> tuple[Recruitment, list[Named]]:
    orc, linnet, anvold = (catalogue().find(name, Where()) for name in ("Орк", "Линнет", "Анволд"))
    use = Named(linnet, before=True, involving=(anvold,))
    return Recruitment(Deal(cards=(anvold, linnet, orc))), [Named(orc), use, Named(anvold)]


def test_a_use_stated_too_late_is_told_its_place() -> None:
    recruitment, order = late_use()
    kinds = judge_order(recruitment, order).other_order or ()
    names = [recruitment.cards.kinds[kind].name for kind in kinds]
    assert names == ["Линнет", "Анволд", "Орк"]


def test_a_search_given_up_claims_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stated, "MOST_TRIED", 2)
    verdict = judge_order(*late_use())
    assert (verdict.legal, verdict.other_order, verdict.no_order) == (False, None, False)


@pytest.mark.parametrize("seed", range(30))
def test_reasons_for_wishes_that_cannot_be_met(seed: int) -> None:
    """Wishing for exactly a squad gives the reasons that judging it gives, if it is illegal."""
    rng = random.Random(seed)
    deal = order_sensitive(seed, 9) if seed % 2 else from_deck(seed)
    recruitment = Recruitment(deal)
    squad = random_squad(rng, deal)
    kinds = recruitment.cards.kinds
    counts = recruitment.cards.counts(squad)
    if any(kinds[k].unique and n > 1 for k, n in enumerate(counts)):
        return
    unwanted = [kinds[kind] for kind, number in enumerate(counts) if not number]
    wanted = read_wishes(recruitment.cards, squad, unwanted)
    exactly = [
        replace(wish, number=replace(wish.number, at_most=wish.number.at_least)) for wish in wanted
    ]
    answer = solve(deal, wanted=tuple(exactly))
    verdict = judge(recruitment, squad)
    if verdict.legal:
        assert [line.squad for line in answer.lines] == [counts]
        return
    assert answer.status is Status.INFEASIBLE
    reasons = why_not(deal, tuple(exactly))
    assert len(reasons.violations) <= len(verdict.violations)
    assert solve(deal, wanted=reasons.wishes).status is Status.INFEASIBLE
    for wish in reasons.wishes:
        fewer = tuple(other for other in reasons.wishes if other is not wish)
        assert solve(deal, wanted=fewer).status is Status.OPTIMAL
