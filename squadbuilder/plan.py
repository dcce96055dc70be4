"""Which cards make order matter in a squad, and the most favourable terms that they could join on.

`core` cards gain crystals, have a price that depends on the squad, leave the player a choice, or change
what other cards cost or count as; `support` cards are those that a condition of a core card looks at.
All other cards have a fixed price.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import mul
from typing import NamedTuple

from squadbuilder.effects import Change, Condition, Filter, PriceRule, Subject
from squadbuilder.limits import Code, Crystal
from squadbuilder.recruit import Offer, Recruitment, State
from squadbuilder.squad import NO_ELEMENTS, Counts, fits
from squadbuilder.terms import CardType

_NOTHING: frozenset[int] = frozenset()
_WITH_ELEMENT = Filter(neutral=False)


class Terms(NamedTuple):
    """What a copy of a card costs, by crystal, and what it gains."""

    gold_only: int
    any_crystal: int
    gain_gold: int
    gain_silver: int


class Prices(NamedTuple):
    """What each kind costs when its price is fixed, by crystal, and what that adds for flyers."""

    gold_only: Counts
    any_crystal: Counts
    for_flyers: Counts

    def without(self, kinds: Iterable[int]) -> "Prices":
        """The same with nothing for these kinds."""
        left_out = set(kinds)
        return Prices(
            *(
                tuple(0 if kind in left_out else price for kind, price in enumerate(prices))
                for prices in self
            )
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """The cards whose order matters, the same for all squads that agree on them.

    `best` holds, for each core card, the most favourable terms of each copy in turn; `ends` the
    states with all core cards in that led to the best end before, to be tried first;
    `for_elements` the core cards that gain crystals when there are enough elements; `rest` the fixed
    prices of all others.
    """

    core: tuple[int, ...]
    support: tuple[int, ...]
    best: dict[int, tuple[Terms, ...]]
    ends: list[State]
    for_elements: frozenset[int]
    fewest_elements: int
    rest: Prices

    def not_worth(self, penalty: int) -> frozenset[int]:
        """Core cards whose gains want more elements than `penalty` pays for, and are worth no more.

        So many elements in the squad at once cost one crystal less than their number.
        """
        extra = self.fewest_elements - 1 - penalty
        if extra <= 0:
            return _NOTHING
        gains = [terms for kind in self.for_elements for terms in self.best[kind]]
        worth = sum(terms.gain_gold + terms.gain_silver for terms in gains)
        return self.for_elements if worth <= extra else _NOTHING


class Task(NamedTuple):
    """One squad to search: its plan, the penalty it must pay, the gains whose promise it breaks."""

    squad: Counts
    plan: Plan
    least_penalty: int
    broken_promises: frozenset[int]


class Planner:
    """Plans the search for the squads of one recruitment.

    A thrifty player wants to keep crystals; one who wants to spend them may gain from other orders.
    """

    def __init__(
        self, recruitment: Recruitment, thrifty: bool, begun: Counts | None = None
    ) -> None:
        """`begun` is the squad that is there already."""
        self.cards = recruitment.cards
        self._lifted = recruitment.lifted
        self._thrifty = thrifty
        kinds = range(len(self.cards.kinds))
        everyone = self.cards.active_neutralisers(self.cards.copies)
        now = self.cards.elements_now(everyone)
        self._may_be_neutral = frozenset(
            kind for kind, card in enumerate(self.cards.kinds) if card.elements and not now[kind]
        )
        self._lasting = tuple(
            int(bool(card.elements) and kind not in self._may_be_neutral)
            for kind, card in enumerate(self.cards.kinds)
        )
        self._fitting: dict[Filter, frozenset[int]] = {}
        self._sensitive = tuple(kind for kind in kinds if self._may_matter(kind))
        self._discounts = [
            (kind, text.less, self._may_fit(text.cards))
            for kind, card in enumerate(self.cards.kinds)
            if (text := card.effect.discount) is not None
        ]
        may_be_core = {*self._sensitive, *(k for _, _, fitting in self._discounts for k in fitting)}
        able = any(card.effect.before is not None for card in self.cards.kinds)
        self._core_turns_neutral = bool(may_be_core & self._may_be_neutral) or any(
            len(self.cards.kinds[kind].elements) > 1 or able or (begun is not None and begun[kind])
            for kind in self._may_be_neutral
        )
        self._relevant = self._relevance()
        self._plans: dict[Counts, Plan] = {}
        fixed = [terms_of(recruitment.offers(self.cards.empty, kind)[0]) for kind in kinds]
        self.prices = Prices(
            tuple(terms.gold_only for terms in fixed),
            tuple(terms.any_crystal for terms in fixed),
            tuple(
                (terms.gold_only + terms.any_crystal) * (card.type is CardType.FLYER)
                for terms, card in zip(fixed, self.cards.kinds, strict=True)
            ),
        )

    def _may_matter(self, kind: int) -> bool:
        """Could the card be a core card of some squad, by its own text?"""
        effect = self.cards.kinds[kind].effect
        return bool(effect.gain or effect.discount or effect.neutral) or any(
            _can_vary(rule) for rule in effect.price
        )

    def _relevance(self) -> Counts:
        """1 for each kind that could be a core or support card of some squad, 0 for the rest."""
        found = set(self._sensitive)
        for _, _, fitting in self._discounts:
            found |= fitting
        for kind in self._sensitive:
            effect = self.cards.kinds[kind].effect
            found |= self._may_fit(effect.neutral) if effect.neutral is not None else set()
        for kind in tuple(found):
            found |= self._looked_at(kind)
        return tuple(int(kind in found) for kind in range(len(self.cards.kinds)))

    def keeps_an_element(self, squad: Counts) -> bool:
        """Does the squad hold an element that no neutralising card of the deal could take away?"""
        return any(map(mul, squad, self._lasting))

    def task(self, squad: Counts) -> Task:
        """What the search needs to know about the squad."""
        relevant = tuple(map(mul, squad, self._relevant))
        plan = self._plans.get(relevant)
        if plan is None:
            plan = self._plans[relevant] = self._plan(relevant)
        if not plan.core:
            return Task(squad, plan, 0, frozenset())
        promises = [
            (kind, gain.promise)
            for kind in plan.core
            if (gain := self.cards.kinds[kind].effect.gain) is not None and gain.promise
            if Code.QUOTA not in self._lifted
        ]
        return Task(
            squad,
            plan,
            max(0, len(self.cards.elements(squad)) - 1),
            frozenset(kind for kind, promise in promises if self.cards.over(promise, None, squad)),
        )

    def _plan(self, squad: Counts) -> Plan:
        core = [kind for kind in self._sensitive if squad[kind] and self._matters(kind, squad)]
        core += [
            kind
            for giver, _, fitting in self._discounts
            if giver in core
            for kind in sorted(fitting)
            if squad[kind]
        ]
        core = list(dict.fromkeys(core))
        wanted = {kind: self._elements_wanted(kind) for kind in core}
        looked_at: set[int] = set()
        for kind in core:
            looked_at |= self._looked_at(kind)
        return Plan(
            core=tuple(core),
            support=tuple(k for k in sorted(looked_at) if squad[k] and k not in core),
            best={
                kind: tuple(self._best_terms(kind, copy, squad) for copy in range(squad[kind]))
                for kind in core
            },
            ends=[],
            for_elements=frozenset(kind for kind, number in wanted.items() if number),
            fewest_elements=min((number for number in wanted.values() if number), default=0),
            rest=self.prices.without(core),
        )

    def _matters(self, kind: int, squad: Counts) -> bool:
        """Does the card's text matter in this squad, or can its conditions never be met there?"""
        effect = self.cards.kinds[kind].effect
        copies = squad[kind] - 1
        return (
            (effect.gain is not None and self._may_hold(effect.gain.when, kind, copies, squad))
            or any(
                _can_vary(rule) and self._may_hold(rule.when, kind, copies, squad)
                for rule in effect.price
            )
            or (
                effect.discount is not None
                and any(squad[other] for other in self._may_fit(effect.discount.cards))
            )
            or (
                effect.neutral is not None
                and any(
                    squad[other] and self.cards.kinds[other].elements
                    for other in self._may_fit(effect.neutral)
                )
            )
        )

    def _elements_wanted(self, kind: int) -> int:
        """How many elements the squad must hold for the card's gain; 0 if it asks for none."""
        gain = self.cards.kinds[kind].effect.gain
        return max(
            (
                condition.number.at_least
                for condition in (gain.when if gain is not None else ())
                if condition.subject is Subject.ELEMENTS
            ),
            default=0,
        )

    def _looked_at(self, kind: int) -> set[int]:
        """The kinds that may have to come before this core card: those that its conditions count.

        Where a core card, one of several elements, or one that joined early turns neutral, its elements
        are cheapest beside others of the same, so all cards with elements count. Where the player wants
        to spend, so do they, and whatever could cost gold before silver is gained.
        """
        effect = self.cards.kinds[kind].effect
        conditions = [when for rule in effect.price for when in rule.when]
        conditions += effect.gain.when if effect.gain is not None else ()
        found: set[int] = set()
        for condition in conditions:
            if condition.subject is Subject.SQUAD:
                found |= self._may_fit(condition.cards)
            elif condition.subject is Subject.ELEMENTS:
                found |= self._may_fit(_WITH_ELEMENT)
        if effect.neutral is not None and (self._core_turns_neutral or not self._thrifty):
            found |= self._may_fit(_WITH_ELEMENT)
        if effect.gain is not None and effect.gain.silver and not self._thrifty:
            found |= self._may_fit(Filter())
        return found

    def _may_fit(self, cards: Filter) -> frozenset[int]:
        """The kinds that a text speaks of, with their printed elements or as neutral cards."""
        found = self._fitting.get(cards)
        if found is None:
            found = frozenset(
                kind
                for kind, card in enumerate(self.cards.kinds)
                if fits(cards, card, card.elements)
                or (kind in self._may_be_neutral and fits(cards, card, NO_ELEMENTS))
            )
            self._fitting[cards] = found
        return found

    def _may_hold(self, when: Iterable[Condition], kind: int, copies: int, squad: Counts) -> bool:
        """Could the conditions be met before the card joins, at some point of some order?

        `copies` of the card itself may be in the squad by then. Upper bounds are taken as met: the
        card could come early.
        """
        for condition in when:
            if condition.subject is Subject.SQUAD:
                fitting = self._may_fit(condition.cards)
                seen = sum(squad[other] for other in fitting)
                if kind in fitting:
                    seen += copies - squad[kind]
            elif condition.subject is Subject.ELEMENTS:
                others = NO_ELEMENTS.union(
                    *(
                        self.cards.kinds[other].elements
                        for other, count in enumerate(squad)
                        if count and (other != kind or copies)
                    )
                )
                seen = len(others)
            else:
                seen = self.cards.mulligans(condition.subject)
                if seen > condition.number.at_most:
                    return False
            if seen < condition.number.at_least:
                return False
        return True

    def _best_terms(self, kind: int, copies: int, squad: Counts) -> Terms:
        """The most favourable terms for the copy that joins after `copies` of the same card."""
        card = self.cards.kinds[kind]
        price = card.cost
        ordinary = not card.elite
        for rule in card.effect.price:
            if not self._may_hold(rule.when, kind, copies, squad):
                continue
            times = self.cards.mulligans(rule.per) if rule.per else 1
            amount = rule.amount.at_least * times
            if rule.change is Change.SET:
                price = min(price, amount)
            elif rule.change is Change.LESS:
                price = max(0, price - amount)
            elif rule.change is Change.PAY_AS_ORDINARY:
                ordinary = True
            elif not rule.optional and not rule.when:
                price += amount
        for giver, less, fitting in self._discounts:
            if kind in fitting:
                price -= less * (copies if giver == kind else squad[giver])
        gain = card.effect.gain
        if gain is not None and not self._may_hold(gain.when, kind, copies, squad):
            gain = None
        return Terms(
            gold_only=0 if ordinary else max(0, price),
            any_crystal=max(0, price) if ordinary else 0,
            gain_gold=gain.gold if gain else 0,
            gain_silver=gain.silver if gain else 0,
        )


def _can_vary(rule: PriceRule) -> bool:
    """Does the rule leave a choice, or depend on the squad?"""
    return (
        rule.optional
        or rule.change is Change.MORE_X
        or any(when.subject in (Subject.SQUAD, Subject.ELEMENTS) for when in rule.when)
    )


def terms_of(offer: Offer) -> Terms:
    """The terms of an offer."""
    gold_only = offer.crystal is Crystal.GOLD
    return Terms(
        offer.price if gold_only else 0,
        0 if gold_only else offer.price,
        offer.gain_gold,
        offer.gain_silver,
    )
