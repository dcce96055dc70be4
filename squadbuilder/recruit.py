"""One recruitment step, exactly as rule 403.2.3.1 orders it: price, gains, payment, legality, joining."""

from collections.abc import Iterable
from copy import copy
from enum import Enum
from itertools import product
from typing import NamedTuple

from squadbuilder.deal import Deal
from squadbuilder.effects import Change, Condition, Limit, PriceRule
from squadbuilder.limits import Code, Crystal, Standing, Violation, broken, relevant
from squadbuilder.ruleset import GainTime
from squadbuilder.squad import Cards, Counts, fits
from squadbuilder.terms import CardType, Element


class Paid(str, Enum):
    """How a price that a text lets the player choose was paid."""

    ELITE = "elite"
    ORDINARY = "ordinary"


class Choices(NamedTuple):
    """The player's choices when recruiting a card; None where the card leaves no such choice."""

    bonus: bool | None = None
    x: int | None = None
    paid: Paid | None = None


NO_CHOICE = Choices()


class Reveal(str, Enum):
    """What has to be told of a card after placement (404.2.1, 404.2.2)."""

    X = "reveal_x"
    ORDINARY = "reveal_ordinary"
    PRICE = "reveal_price"


class Offer(NamedTuple):
    """One way to recruit a card into a squad: steps a and b, and the penalty of step c."""

    choices: Choices
    price: int
    crystal: Crystal
    penalty: int
    gain_gold: int
    gain_silver: int
    promise: Limit | None
    reveal: Reveal | None
    rules: tuple[str, ...]


class State(NamedTuple):
    """Where recruitment stands: the squad, the purses, and what was paid and promised so far.

    `pool` counts the cards that the deal holds or held: those of the squad are among them.
    """

    squad: Counts
    pool: Counts
    gold: int
    silver: int
    flyer_spent: int = 0
    penalty: int = 0
    promises: tuple[Limit, ...] = ()


class Use(NamedTuple):
    """What a use of an ability before recruitment (403.1) did, by names: for the ledger."""

    kind: int
    shown: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    to_graveyard: tuple[str, ...] = ()
    exiled: tuple[str, ...] = ()


class Step(NamedTuple):
    """A card that joined, and every crystal that moved for it: the ledger entry (403.2.3.1).

    `use` is the ability before recruitment that took it; a card that went to the graveyard instead
    did not join.
    """

    kind: int
    choices: Choices
    gold: int
    silver: int
    penalty: int
    gained_gold: int
    gained_silver: int
    left_gold: int
    left_silver: int
    reveal: Reveal | None
    rules: tuple[str, ...]
    use: Use | None = None
    joins: bool = True


class Recruitment:
    """The recruitment of one deal: what a card costs now, and what happens when it is taken."""

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.cards = Cards(deal)
        self.lifted: frozenset[Code] = frozenset()
        self.start = State(self.cards.empty, self.cards.dealt, deal.gold, deal.silver)
        self._gain_first = deal.rules.on_recruit_gain is GainTime.BEFORE_PAYMENT
        self._flyer_cap = deal.rules.flyer_cap
        self._flyer = tuple(card.type is CardType.FLYER for card in self.cards.kinds)
        self._checks = relevant(self.cards)
        self._offers: dict[tuple[Counts, int], tuple[Offer, ...]] = {}
        self._broken: dict[tuple[Counts, tuple[Limit, ...]], list[Violation]] = {}

    def without(
        self, lifted: frozenset[Code], extra_gold: int = 0, extra_silver: int = 0
    ) -> "Recruitment":
        """The same recruitment without some limits, or with more crystals at the start."""
        other = copy(self)
        other.lifted = lifted
        gold, silver = self.deal.gold + extra_gold, self.deal.silver + extra_silver
        other.start = State(self.cards.empty, self.cards.dealt, gold, silver)
        return other

    def offers(self, squad: Counts, kind: int) -> tuple[Offer, ...]:
        """Every way to recruit the card now, crystals and legality aside."""
        found = self._offers.get((squad, kind))
        if found is None:
            found = tuple(self._make_offers(squad, kind))
            self._offers[squad, kind] = found
        return found

    def _make_offers(self, squad: Counts, kind: int) -> Iterable[Offer]:
        card = self.cards.kinds[kind]
        rules = [rule for rule in card.effect.price if self._applies(rule.when, squad)]
        gain = card.effect.gain
        if gain is not None and not self._applies(gain.when, squad):
            gain = None
        discount = self._discount(squad, kind)
        new = self._new_elements(squad, kind)
        why = ["403.2.1", *(["403.2.2"] if discount else [])]
        why += ["403.2.3.1"] if rules or gain else []
        for choices in self._choices(rules, gain is not None and gain.optional, card.elite):
            price = max(0, self._own_price(card.cost, rules, choices) - discount)
            gold_only = card.elite and choices.paid is not Paid.ORDINARY
            taken = None if gain is None or (gain.optional and not choices.bonus) else gain
            yield Offer(
                choices=choices,
                price=price,
                crystal=Crystal.GOLD if gold_only else Crystal.ANY,
                penalty=new,
                gain_gold=taken.gold if taken else 0,
                gain_silver=taken.silver if taken else 0,
                promise=taken.promise if taken else None,
                reveal=_reveal(rules, choices),
                rules=tuple(why),
            )

    def _applies(self, when: Iterable[Condition], squad: Counts) -> bool:
        return all(self.cards.holds(condition, squad) for condition in when)

    def _choices(
        self, rules: list[PriceRule], optional_gain: bool, elite: bool
    ) -> Iterable[Choices]:
        """All combinations of choices, in the order in which equal ones are preferred."""
        optional = optional_gain or any(
            rule.optional for rule in rules if rule.change is not Change.PAY_AS_ORDINARY
        )
        xs = [rule.amount for rule in rules if rule.change is Change.MORE_X]
        ordinary = elite and any(rule.change is Change.PAY_AS_ORDINARY for rule in rules)
        return (
            Choices(*combination)
            for combination in product(
                (False, True) if optional else (None,),
                range(xs[0].at_least, xs[0].at_most + 1) if xs else (None,),
                tuple(Paid) if ordinary else (None,),
            )
        )

    def _own_price(self, cost: int, rules: list[PriceRule], choices: Choices) -> int:
        """Step a: the printed cost as the card's own text replaces, lowers or raises it."""
        price = cost
        for rule in rules:
            if rule.optional and not choices.bonus:
                continue
            amount = rule.amount.at_least * (self.cards.mulligans(rule.per) if rule.per else 1)
            if rule.change is Change.SET:
                price = amount
            elif rule.change is Change.LESS:
                price = max(0, price - amount)
            elif rule.change is Change.MORE:
                price += amount
            elif rule.change is Change.MORE_X:
                price += choices.x or 0
        return price

    def _discount(self, squad: Counts, kind: int) -> int:
        """403.2.2: what lasting abilities of the squad take off the price, in its own colour."""
        now = self.cards.elements_now(self.cards.active_neutralisers(squad))[kind]
        card = self.cards.kinds[kind]
        return sum(
            count * text.less
            for other, count in zip(self.cards.kinds, squad, strict=True)
            if count and (text := other.effect.discount) and fits(text.cards, card, now)
        )

    def _new_elements(self, squad: Counts, kind: int) -> int:
        """403.2.1: penalty crystals, one for each new element but the squad's first."""
        active = self.cards.active_neutralisers(squad)
        there: frozenset[Element] = self.cards.elements(squad)
        new = len(self.cards.elements_now(active)[kind] - there)
        return new - 1 if new and not there else new

    def pay(self, state: State, kind: int, offer: Offer) -> Step:
        """Steps b and c: gain, then pay silver first; `left_gold` below 0 is what was lacking."""
        gold, silver = state.gold, state.silver
        if self._gain_first:
            gold, silver = gold + offer.gain_gold, silver + offer.gain_silver
        in_silver = 0
        if offer.crystal is Crystal.ANY:
            in_silver = offer.price if offer.price < silver else silver
        in_gold = offer.price - in_silver
        gold, silver = gold - in_gold - offer.penalty, silver - in_silver
        if not self._gain_first and (gold >= 0 or Code.CRYSTALS in self.lifted):
            gold, silver = gold + offer.gain_gold, silver + offer.gain_silver
        return Step(
            kind,
            offer.choices,
            in_gold,
            in_silver,
            offer.penalty,
            offer.gain_gold,
            offer.gain_silver,
            gold,
            silver,
            offer.reveal,
            offer.rules,
        )

    def join(self, state: State, step: Step, promise: Limit | None) -> State:
        """Step e: the squad with the card in it, whether legal or not."""
        kind = step.kind
        squad = (*state.squad[:kind], state.squad[kind] + 1, *state.squad[kind + 1 :])
        spent = step.gold + step.silver if self._flyer[kind] else 0
        return State(
            squad,
            state.pool,
            step.left_gold,
            step.left_silver,
            state.flyer_spent + spent,
            state.penalty + step.penalty,
            state.promises if promise is None else (*state.promises, promise),
        )

    def take(self, state: State, kind: int, offer: Offer) -> tuple[State, Step] | None:
        """The whole step; None if the squad with the card in it would be illegal (403.2.3)."""
        step = self.pay(state, kind, offer)
        if step.left_gold < 0 and Code.CRYSTALS not in self.lifted:
            return None
        after = self.join(state, step, offer.promise)
        return None if self.illegal(after) else (after, step)

    def illegal(self, state: State, finished: bool = False) -> list[Violation]:
        """Step d: the limits of 403.2.3, crystals aside, that the squad breaks and nothing lifts."""
        known = (state.squad, state.promises)
        found = self._broken.get(known)
        if found is None:
            found = broken(
                self.cards, self._checks, Standing(state.squad, 0, state.promises, False)
            )
            self._broken[known] = found
        if finished or state.flyer_spent > self._flyer_cap:
            standing = Standing(state.squad, state.flyer_spent, state.promises, finished)
            found = broken(self.cards, self._checks, standing)
        if not self.lifted:
            return found
        return [violation for violation in found if violation.code not in self.lifted]

    def lacking(self, state: State, kind: int, offer: Offer) -> Violation | None:
        """403.2.3: the crystals that the card needs and the purse does not have, if any."""
        step = self.pay(state, kind, offer)
        if step.left_gold >= 0:
            return None
        gained = (offer.gain_gold, offer.gain_silver) if self._gain_first else (0, 0)
        gold, silver = state.gold + gained[0], state.silver + gained[1]
        need = offer.price + offer.penalty
        by_gold = offer.crystal is Crystal.GOLD or gold + silver >= need
        return Violation(
            Code.CRYSTALS,
            "403.2.3",
            (self.cards.kinds[kind].name,),
            need=(step.gold + offer.penalty) if by_gold else need,
            have=gold if by_gold else gold + silver,
            crystal=Crystal.GOLD if by_gold else Crystal.ANY,
        )


def _reveal(rules: list[PriceRule], choices: Choices) -> Reveal | None:
    """Rulings, section 6: cards whose own text chose or replaced the price that was really paid."""
    if choices.x is not None:
        return Reveal.X
    if choices.paid is Paid.ORDINARY:
        return Reveal.ORDINARY
    replaced = any(
        rule.change is Change.SET and (choices.bonus or not rule.optional) for rule in rules
    )
    return Reveal.PRICE if replaced else None
