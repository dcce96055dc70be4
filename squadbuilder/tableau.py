"""A deck as numbers, and which deals these numbers settle.

In most deals order does not matter, or a simple argument settles it: whoever gains crystals whatever
happens, or makes later cards cheaper, is recruited first (a *leader*). Then a squad is legal exactly
when its sums are, and no other order pays less. `takes` says whether a deal is of that kind. It goes by
the effects alone, and anything that it does not know speaks against the deal.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from squadbuilder.cards import Card
from squadbuilder.deal import Deal
from squadbuilder.effects import NO_EFFECT, Change, Effect, PriceRule, Side, Subject
from squadbuilder.objective import PURSE_MEASURES, Goal, Measure, Objective, thrifty
from squadbuilder.ruleset import CreatureRequired
from squadbuilder.squad import fits
from squadbuilder.terms import CardType, Element

Numbers = npt.NDArray[np.int64]

MOST_SLOTS = 62
MOST_PACKED = 2**61
MOST_LEADING = 4096
_STATIC = (Subject.MY_MULLIGANS, Subject.OPPONENT_MULLIGANS)


class Tableau(NamedTuple):
    """The kinds of card of a deck (sorted by name) as columns of numbers; see `tableau`.

    `rows` are limits on sums: cards weigh `rows[r, kind]` and may weigh `caps[r]` together, if the
    kind `carriers[r]` is in the squad (-1: always). `worth[g]` is what a card adds to the g-th goal
    that counts cards, by its sign, and `first_worth` what it adds to the first goal; `weights` make
    all goals one number. Crystals left count `gold_weight` a gold one and `any_weight` each.
    `first_purse` tells which crystals the first goal counts: 0 none, 1 gold, 2 all, negative if less
    is better. `prefixes` tells that a squad may be worth as much as a part of it.
    """

    gold: int
    silver: int
    flyer_cap: int
    price: Numbers
    elite: Numbers
    gain_gold: Numbers
    gain_silver: Numbers
    leads: Numbers
    less: Numbers
    elements: Numbers
    creature: Numbers
    flyer: Numbers
    most: Numbers
    rows: Numbers
    caps: Numbers
    carriers: Numbers
    worth: Numbers
    first_worth: Numbers
    weights: Numbers
    gold_weight: int
    any_weight: int
    first_purse: int
    prefixes: int


def tableau(kinds: Sequence[Card], dealt: Deal, objective: Objective) -> Tableau:
    """The numbers of these cards under the rules, seat and mulligans of a deal."""
    limits = _limits(kinds, dealt)
    weights = pack(kinds, dealt, objective)
    purse = dict.fromkeys(PURSE_MEASURES, 0)
    for goal, weight in zip(objective, weights, strict=True):
        if goal.measure in PURSE_MEASURES:
            purse[goal.measure] = goal.sign * weight
    first = objective[0]
    first_purse = first.sign * (1 + PURSE_MEASURES.index(first.measure)) if _of_purse(first) else 0
    free = any(card.cost == 0 for card in kinds)
    telling = (Measure.CARDS,) if free else (Measure.COST, Measure.CARDS)
    gains = [card.effect.gain for card in kinds]
    return Tableau(
        gold=dealt.gold,
        silver=dealt.silver,
        flyer_cap=dealt.rules.flyer_cap,
        price=_numbers(static_price(card, dealt) for card in kinds),
        elite=_numbers(card.elite for card in kinds),
        gain_gold=_numbers(gain.gold if gain else 0 for gain in gains),
        gain_silver=_numbers(gain.silver if gain else 0 for gain in gains),
        leads=_numbers(leads(card) for card in kinds),
        less=np.array([_off(giver, kinds) for giver in kinds], np.int64),
        elements=_numbers(_element_bits(card) for card in kinds),
        creature=_numbers(card.creature for card in kinds),
        flyer=_numbers(card.type is CardType.FLYER for card in kinds),
        most=_numbers(1 if card.unique else MOST_SLOTS for card in kinds),
        rows=np.array([weights for weights, _, _ in limits], np.int64).reshape(-1, len(kinds)),
        caps=_numbers(cap for _, cap, _ in limits),
        carriers=_numbers(carrier for _, _, carrier in limits),
        worth=np.array(
            [_worth(goal, kinds) for goal in objective if not _of_purse(goal)], np.int64
        ).reshape(-1, len(kinds)),
        first_worth=np.array(_worth(objective[0], kinds), np.int64),
        weights=_numbers(
            weight for goal, weight in zip(objective, weights, strict=True) if not _of_purse(goal)
        ),
        gold_weight=purse[Measure.GOLD_LEFT],
        any_weight=purse[Measure.CRYSTALS_LEFT],
        first_purse=first_purse,
        prefixes=int(not any(goal.measure in telling for goal in objective)),
    )


def leads(card: Card) -> bool:
    """Does the card gain crystals, or make later cards cheaper?"""
    return card.effect.gain is not None or card.effect.discount is not None


def pack(kinds: Sequence[Card], dealt: Deal, objective: Objective) -> list[int]:
    """For each goal the weight by which one more of it outweighs all goals after it."""
    gains = [card.effect.gain for card in kinds if card.effect.gain]
    purse = dealt.gold + dealt.silver
    purse += MOST_SLOTS * sum(gain.gold + gain.silver for gain in gains)
    weights: list[int] = []
    weight = 1
    for goal in reversed(objective):
        weights.insert(0, weight)
        points = max((abs(goal.of_card(card)) for card in kinds), default=0) * MOST_SLOTS
        weight *= 2 * (purse if _of_purse(goal) else points) + 1
    return weights if weight < MOST_PACKED else [0] * len(weights)


def takes(cards: Mapping[Card, int], dealt: Deal, objective: Objective) -> bool:
    """Are all deals of these cards (and at most so many copies) settled by their numbers?

    `dealt` gives the rules, the seat and the mulligans.
    """
    kinds = list(cards)
    leaders = [card for card in kinds if leads(card)]
    return (
        all(_known(card.effect, dealt) for card in kinds)
        and not any(goal.pairs for goal in objective)
        and (thrifty(objective) or not any(card.effect.before for card in kinds))
        and all(pack(kinds, dealt, objective))
        and (not leaders or _leaders_first(cards, leaders, dealt, objective))
    )


def takes_deal(deal: Deal, objective: Objective) -> bool:
    """Is this deal settled by its numbers?"""
    return takes(Counter(deal.cards), deal, objective)


def _known(effect: Effect, dealt: Deal) -> bool:
    """Nothing in the text but fixed prices and limits, sure gains, and discounts for later cards."""
    rest = replace(
        effect,
        price=(),
        gain=None,
        discount=None,
        not_with=None,
        at_most=None,
        blocked_cells=None,
        before=None,
        unmodelled=None,
        note="",
    )
    gain = effect.gain
    return (
        rest == NO_EFFECT
        and not _promising(effect)
        and all(_fixed(rule, dealt) for rule in effect.price)
        and (gain is None or not (gain.when or gain.optional or gain.promise))
    )


def _promising(effect: Effect) -> bool:
    """Could an ability used before recruitment do better than recruiting the card?

    One that only pays, buries or exiles leaves fewer crystals and cards.
    """
    ability = effect.before
    return ability is not None and bool(ability.partner or ability.fetch or ability.look)


def _fixed(rule: PriceRule, dealt: Deal) -> bool:
    """A price rule that leaves no choice and looks at mulligans only, or one that cannot apply."""
    if any(condition.subject not in _STATIC for condition in rule.when):
        return False
    choice = rule.optional or rule.change in (Change.MORE_X, Change.PAY_AS_ORDINARY)
    return not (choice and _applies(rule, dealt))


def _applies(rule: PriceRule, dealt: Deal) -> bool:
    return all(_mulligans(when.subject, dealt) in when.number for when in rule.when)


def _mulligans(subject: Subject, dealt: Deal) -> int:
    return dealt.mulligans if subject is Subject.MY_MULLIGANS else dealt.opponent_mulligans


def static_price(card: Card, dealt: Deal) -> int:
    """What a card of a known effect costs before discounts (step a of 403.2.3.1)."""
    price = card.cost
    for rule in card.effect.price:
        if all(when.subject in _STATIC for when in rule.when) and _applies(rule, dealt):
            times = 1 if rule.per is None else _mulligans(rule.per, dealt)
            amount = rule.amount.at_least * times
            if rule.change is Change.SET:
                price = amount
            elif rule.change is Change.LESS:
                price = max(0, price - amount)
            elif rule.change is Change.MORE:
                price += amount
    return price


def _leaders_first(
    cards: Mapping[Card, int], leaders: Sequence[Card], dealt: Deal, objective: Objective
) -> bool:
    """May the leaders come first, whichever of them are in the squad, and can nothing be better?

    They may if no discount speaks of a leader, the first of them can open the squad, and those that
    gain could all be paid before their gains. It is best unless crystals left are unwanted.
    """
    each_step = dealt.rules.creature_required is CreatureRequired.EACH_STEP
    ways = 1
    for card in leaders:
        ways *= cards[card] + 1
    return (
        ways <= MOST_LEADING
        and not any(_less(giver, card) for giver in leaders for card in leaders)
        and not (each_step and any(not card.creature for card in leaders))
        and thrifty(objective)
        and (not any(card.effect.gain for card in leaders) or _affordable(cards, leaders, dealt))
    )


def _affordable(cards: Mapping[Card, int], leaders: Sequence[Card], dealt: Deal) -> bool:
    """Could all leaders be paid with their penalties, were there no gains?"""
    gold = sum(static_price(card, dealt) * cards[card] for card in leaders if card.elite)
    either = sum(static_price(card, dealt) * cards[card] for card in leaders if not card.elite)
    penalty = len({element for card in leaders for element in card.elements})
    return gold + penalty + max(0, either - dealt.silver) <= dealt.gold


def _less(giver: Card, card: Card) -> int:
    text = giver.effect.discount
    return text.less if text is not None and fits(text.cards, card, card.elements) else 0


def _off(giver: Card, kinds: Sequence[Card]) -> list[int]:
    if giver.effect.discount is None:
        return [0] * len(kinds)
    return [_less(giver, card) for card in kinds]


_ELEMENTS = tuple(Element)


def _element_bits(card: Card) -> int:
    return sum(1 << bit for bit, element in enumerate(_ELEMENTS) if element in card.elements)


_Row = tuple[list[int], int, int]


def _limits(kinds: Sequence[Card], dealt: Deal) -> list[_Row]:
    """Limits of 403.2.3 on sums of cards: weights, the most they may weigh, whose text it is."""
    blocks = [
        cells.number if (cells := card.effect.blocked_cells) and cells.side is Side.OWN else 0
        for card in kinds
    ]
    used = [card.creature + blocked for card, blocked in zip(kinds, blocks, strict=True)]
    found: list[_Row] = [(used, max(0, dealt.rules.cells - dealt.blocked_cells), -1)]
    if dealt.rules.terrain_limit is not None:
        terrains = [int(card.type is CardType.TERRAIN) for card in kinds]
        found.append((terrains, dealt.rules.terrain_limit, -1))
    for carrier, card in enumerate(kinds):
        for text in (card.effect.not_with, card.effect.at_most):
            if text is not None:
                fitting = [int(fits(text.cards, other, other.elements)) for other in kinds]
                itself = fitting[carrier] if text.others else 0
                found.append((fitting, text.at_most + itself, carrier))
    return found


def _worth(goal: Goal, kinds: Sequence[Card]) -> list[int]:
    return [0 if _of_purse(goal) else goal.sign * goal.of_card(card) for card in kinds]


def _of_purse(goal: Goal) -> bool:
    return goal.measure in PURSE_MEASURES


def _numbers(values: Iterable[int]) -> Numbers:
    return np.fromiter(values, np.int64)


NOTHING = -(2**62)
"""The value of no squad at all."""


class Settled(NamedTuple):
    """What was found, a row a deal; `chosen`, `some` and `every` have a column a kind.

    `chosen` are the copies in the best squad (ties in order of names), all zeros if no squad is legal,
    and the crystals left are those of this squad. `first` is the best value of the first goal, by its
    sign; `some` and `every` tell which kinds are in some, and in every, squad that reaches it.
    """

    first: Numbers
    gold_left: Numbers
    silver_left: Numbers
    chosen: Numbers
    some: Numbers
    every: Numbers


def nothing_settled(deals: Numbers) -> Settled:
    """Zeros for so many deals."""
    row, table = deals.shape[0], deals.shape
    return Settled(*(np.zeros(shape, np.int64) for shape in (row, row, row, table, table, table)))
