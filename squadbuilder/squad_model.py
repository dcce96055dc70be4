"""The variables of the CP-SAT model and the expressions that its rules share.

The model chooses a squad, not an order. Where order matters it takes the most favourable one: a
condition of a card counts as met when the finished squad could have met it before the card joined,
lasting abilities work for every other card, and gains pay for everything. So its squads include all
legal ones and its values are never too low; the search for an order settles the rest. Every helper
variable is determined by the squad, and by what abilities before recruitment bring and whom they take.

For a player who is not thrifty, who may want to spend, each card may also get any worse terms.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from squadbuilder.deal import Deal
from squadbuilder.effects import Change, Condition, Filter, Limit, PriceRule, Subject
from squadbuilder.squad import NO_ELEMENTS, Cards, Counts, fits
from squadbuilder.terms import Element
from squadbuilder.wishes import Wishes

Linear = Any
"""A linear expression, a variable or a number: what OR-Tools adds and compares."""

Lit = cp_model.IntVar | bool
"""A condition: a Boolean variable, or what it is known to be."""

MOST_PRICE = 999
_MULLIGANS = (Subject.MY_MULLIGANS, Subject.OPPONENT_MULLIGANS)
_CHUNK = 7


@dataclass(frozen=True, slots=True)
class Begun:
    """A recruitment that has begun: the squad so far, its purse and promises, what may still come.

    `most` counts the copies that the squad could come to hold; `open` tells that abilities may still
    be used before recruitment.
    """

    squad: Counts
    most: Counts
    gold: int
    silver: int
    flyer_spent: int = 0
    promises: tuple[Limit, ...] = ()
    open: bool = True


class SquadModel:
    """The variables of one deal and the expressions that the rules share."""

    def __init__(
        self,
        deal: Deal,
        wishes: Wishes = (),
        lift_promises: bool = False,
        begun: Begun | None = None,
        thrifty: bool = True,
    ) -> None:
        self.deal = deal
        self.cards = Cards(deal)
        self.begun = begun or Begun(self.cards.empty, self.cards.copies, deal.gold, deal.silver)
        self.wishes = wishes
        self.lift_promises = lift_promises
        self.thrifty = thrifty
        self.cp = cp_model.CpModel()
        kinds = range(len(self.cards.kinds))
        self.taken: list[list[cp_model.IntVar]] = [
            [self.cp.new_bool_var(f"{k}.{copy}") for copy in range(self.cards.copies[k])]
            for k in kinds
        ]
        """`taken[kind][copy]`: is this copy in the squad? Copies are taken in order."""
        self.number: list[Linear] = [sum(copies) for copies in self.taken]
        self._codes = [
            sum(number * 256**place for place, number in enumerate(chunk))
            for chunk in self._chunks(self.number)
        ]
        self._neutral = self._neutralised()
        self._literals: dict[object, Lit] = {}
        self.cheaper: dict[tuple[int, int], list[tuple[int, Lit]]] = {}
        """By kind and copy: crystals that an ability before recruitment may take off its price."""
        self.ordinary: dict[tuple[int, int], list[Lit]] = {}
        """By kind and copy: abilities that may let it be paid as an ordinary card."""
        self.in_gold: list[Linear] = []
        self.in_any: list[Linear] = []
        self.for_flyers: list[Linear] = []
        self.gained_gold: list[Linear] = []
        self.gained_silver: list[Linear] = []
        self.gone: list[Linear] = [0 for _ in kinds]
        """By kind: copies of the deal that go to the graveyard or into exile."""
        self.penalty: Linear = 0
        self.gold_left: Linear = deal.gold
        self.silver_left: Linear = deal.silver

    def squad(self, value: Callable[[Linear], int]) -> Counts:
        """The squad of a solution, whose expressions `value` evaluates: a byte a kind, few calls."""
        counts = b"".join(value(code).to_bytes(_CHUNK, "little") for code in self._codes)
        return tuple(counts[: len(self.number)])

    def forbid(self, squad: Counts) -> None:
        """Another squad than this one: some copy more or some copy less."""
        self.cp.add_bool_or(
            literal.negated() if copy < squad[kind] else literal
            for kind, copies in enumerate(self.taken)
            for copy, literal in enumerate(copies)
            if copy in (squad[kind] - 1, squad[kind])
        )

    def _chunks(self, numbers: list[Linear]) -> list[list[Linear]]:
        return [numbers[start : start + _CHUNK] for start in range(0, len(numbers), _CHUNK)]

    # Expressions that several rules share

    def count(self, cards: Filter) -> Linear:
        """How many cards of the finished squad a text speaks of, as they count there."""
        parts: list[Linear] = []
        for kind in range(len(self.cards.kinds)):
            fitting = self.fits_at_the_end(cards, kind)
            if isinstance(fitting, bool):
                parts.append(self.number[kind] * fitting)
            else:
                parts += [self.both(copy, fitting) for copy in self.taken[kind]]
        return sum(parts)

    def fits_at_the_end(self, cards: Filter, kind: int) -> Linear:
        """Does a text speak of the card as it counts in the finished squad?"""
        card = self.cards.kinds[kind]
        printed = fits(cards, card, card.elements)
        as_neutral = fits(cards, card, NO_ELEMENTS) if self._is_neutralised(kind) else printed
        if printed == as_neutral:
            return printed
        neutral = self._neutral[kind]
        return neutral if as_neutral else self.negated(neutral)

    def negated(self, literal: Lit) -> Linear:
        """The opposite of a condition."""
        return (not literal) if isinstance(literal, bool) else literal.negated()

    def both(self, one: Lit, other: Linear) -> Linear:
        """One literal for two conditions that hold together."""
        if isinstance(one, bool):
            return other if one else False
        if isinstance(other, bool):
            return one if other else False
        key = ("both", one.index, other.index)
        if key not in self._literals:
            literal = self.cp.new_bool_var("both")
            self.cp.add_bool_and(one, other).only_enforce_if(literal)
            self.cp.add_bool_or(one.negated(), other.negated(), literal)
            self._literals[key] = literal
        return self._literals[key]

    def any_of(self, key: object, literals: Sequence[Linear]) -> Lit:
        """One literal that holds exactly when one of these does."""
        if not literals:
            return False
        if len(literals) == 1:
            return literals[0]  # type: ignore[no-any-return]
        if key not in self._literals:
            literal = self.cp.new_bool_var("any")
            self.cp.add_bool_or(literals).only_enforce_if(literal)
            for one in literals:
                self.cp.add_implication(one, literal)
            self._literals[key] = literal
        return self._literals[key]

    def reaches(self, key: object, total: Linear, most: int, need: int) -> Lit:
        """One literal that holds exactly when a count (from 0 to `most`) is at least `need`."""
        if need <= 0 or most < need:
            return need <= 0
        if (key, need) not in self._literals:
            literal = self.cp.new_bool_var("reaches")
            self.cp.add(total >= need).only_enforce_if(literal)
            self.cp.add(total <= need - 1).only_enforce_if(literal.negated())
            self._literals[key, need] = literal
        return self._literals[key, need]

    def at_most(self, total: Linear, number: int) -> Lit:
        """One literal that holds exactly when a count is at most `number`."""
        literal = self.cp.new_bool_var("at_most")
        self.cp.add(total <= number).only_enforce_if(literal)
        self.cp.add(total >= number + 1).only_enforce_if(literal.negated())
        return literal

    def at_will(self, literal: Lit) -> Lit:
        """The literal, which holds if it can; but who is not thrifty may do without."""
        if self.thrifty or literal is False:
            return literal
        chosen = self.cp.new_bool_var("chosen")
        if literal is not True:
            self.cp.add_implication(chosen, literal)
        return chosen

    def present(self, element: Element, printed: bool, without: int | None = None) -> Lit:
        """Is the element in the squad: by the printed elements, or as its cards count at the end?"""
        literals: list[Linear] = []
        for kind, card in enumerate(self.cards.kinds):
            if element in card.elements and kind != without:
                counts: Linear = self.taken[kind][0]
                if not printed and self._is_neutralised(kind):
                    counts = self.both(counts, self.negated(self._neutral[kind]))
                literals.append(counts)
        return self.any_of(("present", element, printed, without), literals)

    # Neutralising texts

    def _neutralised(self) -> list[Lit]:
        """For each kind: does a card of the squad make it neutral?"""
        texts = [
            (kind, card.effect.neutral)
            for kind, card in enumerate(self.cards.kinds)
            if card.effect.neutral is not None
        ]
        found: list[Lit] = []
        self._literals = {}
        for card in self.cards.kinds:
            by = [
                kind
                for kind, text in texts
                if text is not None and card.elements and fits(text, card, card.elements)
            ]
            found.append(self.any_of(("neutral", *by), [self.taken[kind][0] for kind in by]))
        return found

    def turned_neutral(self) -> Linear:
        """How often an element may have been paid for by cards that then turned neutral.

        Of cards that the same texts turn neutral only one pays for an element: it stays until one of
        those texts works, and from then on the others are neutral as they join.
        """
        payers: dict[tuple[int, Element], list[Linear]] = {}
        turning: dict[int, Lit] = {}
        for card, neutral, copies in zip(self.cards.kinds, self._neutral, self.taken, strict=True):
            if not isinstance(neutral, bool):
                turning[neutral.index] = neutral
                for element in card.elements:
                    payers.setdefault((neutral.index, element), []).append(copies[0])
        return sum(
            self.both(turning[by], self.any_of(("turned", by, element), copies))
            for (by, element), copies in payers.items()
        )

    def _is_neutralised(self, kind: int) -> bool:
        return self._neutral[kind] is not False

    # Conditions, as the most favourable order would meet them

    def holds(self, conditions: Iterable[Condition], kind: int, copy: int) -> Lit:
        """Could the conditions be met before this copy of the card joins?"""
        literal: Lit = True
        for condition in conditions:
            literal = self.both(literal, self._could_hold(condition, kind, copy))
        return literal

    def _could_hold(self, condition: Condition, kind: int, copy: int) -> Lit:
        need = condition.number.at_least
        if condition.subject is Subject.SQUAD:
            own = copy if self.may_fit(condition.cards, kind) else 0
            others = [
                other
                for other in range(len(self.cards.kinds))
                if other != kind and self.may_fit(condition.cards, other)
            ]
            most = sum(self.cards.copies[other] for other in others)
            total = sum(self.number[other] for other in others)
            return self.reaches(("cards", *others), total, most, need - own)
        if condition.subject is Subject.ELEMENTS:
            without = kind if copy == 0 else None
            present = [self.present(element, True, without) for element in Element]
            return self.reaches(("elements", without), sum(present), len(present), need)
        mulligans = {
            Subject.MY_MULLIGANS: self.deal.mulligans,
            Subject.OPPONENT_MULLIGANS: self.deal.opponent_mulligans,
        }
        return mulligans[condition.subject] in condition.number

    def may_fit(self, cards: Filter, kind: int) -> bool:
        """Does a text speak of the card, with its printed elements or as a neutral card?"""
        card = self.cards.kinds[kind]
        return fits(cards, card, card.elements) or (
            self._is_neutralised(kind) and fits(cards, card, NO_ELEMENTS)
        )

    # Prices

    def price(self, kind: int, copy: int) -> tuple[Linear, int, int]:
        """The least price of a copy, and the bounds between which it lies."""
        card = self.cards.kinds[kind]
        price, low, high = self._own_price(kind, copy)
        for other, giver in enumerate(self.cards.kinds):
            text = giver.effect.discount
            if text is not None and self.may_fit(text.cards, kind):
                copies = copy if other == kind else self.number[other]
                price = price - text.less * copies
                low -= text.less * (copy if other == kind else self.cards.copies[other])
        for less, literal in self.cheaper.get((kind, copy), ()):
            price, low = price - less * literal, low - less
        if low < 0:
            floored = self.cp.new_int_var(0, max(0, high), card.id)
            self.cp.add_max_equality(floored, [price, 0])
            return floored, 0, max(0, high)
        return price, low, high

    def _own_price(self, kind: int, copy: int) -> tuple[Linear, int, int]:
        card = self.cards.kinds[kind]
        price: Linear = card.cost
        low = high = card.cost
        for rule in card.effect.price:
            holds = self.holds(rule.when, kind, copy)
            amount = rule.amount.at_least * self.times(rule)
            if holds is False or rule.change is Change.PAY_AS_ORDINARY:
                continue
            if rule.change is Change.SET:
                price = self._lesser(price, low, high, amount, holds)
                low, high = min(low, amount), (min(high, amount) if holds is True else high)
            elif rule.change is Change.LESS:
                price, low = price - amount * holds, low - amount
                high -= amount if holds is True else 0
            elif not rule.optional and not rule.when:
                price, low, high = price + amount, low + amount, high + amount
        return price, low, high

    def dearest(self, kind: int, copy: int) -> int:
        """The greatest price of a copy: whatever could be declined, or come too late, does nothing."""
        price = self.cards.kinds[kind].cost
        for rule in self.cards.kinds[kind].effect.price:
            amount = rule.amount.at_least * self.times(rule)
            if self.holds(rule.when, kind, copy) is False:
                continue
            surely = not rule.optional and all(
                self._surely_holds(condition, kind, copy) for condition in rule.when
            )
            if rule.change is Change.SET:
                price = amount if surely else max(price, amount)
            elif rule.change is Change.LESS:
                price = max(0, price - amount) if surely else price
            elif rule.change is Change.MORE:
                price += amount
            elif rule.change is Change.MORE_X:
                price += rule.amount.at_most
        return price

    def _surely_holds(self, condition: Condition, kind: int, copy: int) -> bool:
        """Is a condition that could be met before this copy met in every order?"""
        if condition.subject is not Subject.SQUAD:
            return condition.subject in _MULLIGANS
        only_itself = all(
            self.fits_at_the_end(condition.cards, other) is (other == kind)
            for other in range(len(self.cards.kinds))
        )
        return only_itself and copy in condition.number

    def times(self, rule: PriceRule) -> int:
        """How often a rule's amount counts: once, or once a mulligan."""
        if rule.per is None:
            return 1
        mine = rule.per is Subject.MY_MULLIGANS
        return self.deal.mulligans if mine else self.deal.opponent_mulligans

    def _lesser(self, price: Linear, low: int, high: int, amount: int, holds: Lit) -> Linear:
        """The price, or the amount where it is lower and the condition holds."""
        if isinstance(price, int):
            return price - max(0, price - amount) * holds
        found = self.cp.new_int_var(min(low, amount), max(high, amount), "set")
        self.cp.add_min_equality(found, [price, amount + (high - amount) * (1 - holds)])
        return found

    def paid(self, kind: int, copy: int) -> Linear:
        """What the copy costs if it is taken, and 0 if not."""
        price, _, high = self.price(kind, copy)
        most = high if self.thrifty else max(high, self.dearest(kind, copy))
        taken = self.taken[kind][copy]
        if isinstance(price, int) and price == most:
            return price * taken
        found = self.cp.new_int_var(0, most, "paid")
        fair = found == price if self.thrifty else found >= price
        self.cp.add(fair).only_enforce_if(taken)
        self.cp.add(found == 0).only_enforce_if(taken.negated())
        return found

    def paid_as_ordinary(self, paid: Linear, kind: int, copy: int) -> Linear:
        """What of an elite card's payment may come from silver too, because its text allows that."""
        texts = [
            self.holds(rule.when, kind, copy)
            for rule in self.cards.kinds[kind].effect.price
            if rule.change is Change.PAY_AS_ORDINARY
        ] + self.ordinary.get((kind, copy), [])
        open_to = [text for text in texts if text is not False]
        allowed = self.at_will(
            any(text is True for text in texts) or self.any_of(("ordinary", kind, copy), open_to)
        )
        if isinstance(allowed, bool):
            return paid if allowed else 0
        found = self.cp.new_int_var(0, MOST_PRICE, "ordinary")
        self.cp.add(found == paid).only_enforce_if(allowed)
        self.cp.add(found == 0).only_enforce_if(allowed.negated())
        return found
