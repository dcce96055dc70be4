"""The rules as a CP-SAT model: one function a rule, all listed in one table.

The model chooses a squad, not an order. Where order matters it takes the most favourable one: a
condition of a card counts as met when the finished squad could have met it before the card joined,
lasting abilities work for every other card, and gains pay for everything. So its squads include all
legal ones and its values are never too low; the search for an order settles the rest. Every helper
variable is determined by the squad.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ortools.sat.python import cp_model

from squadbuilder.deal import Deal
from squadbuilder.effects import Change, Condition, Filter, Limit, PriceRule, Side, Subject
from squadbuilder.objective import PURSE_MEASURES, Goal, Measure
from squadbuilder.squad import NO_ELEMENTS, Cards, Counts, fits
from squadbuilder.terms import CardType, Element
from squadbuilder.wishes import Wishes

Linear = Any
"""A linear expression, a variable or a number: what OR-Tools adds and compares."""

Lit = cp_model.IntVar | bool
"""A condition: a Boolean variable, or what it is known to be."""

MOST_PRICE = 999
_CHUNK = 7


class SquadModel:
    """The variables of one deal and the expressions that the rules share."""

    def __init__(self, deal: Deal, wishes: Wishes = (), lift_promises: bool = False) -> None:
        self.deal = deal
        self.cards = Cards(deal)
        self.wishes = wishes
        self.lift_promises = lift_promises
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
        self.in_gold: list[Linear] = []
        self.in_any: list[Linear] = []
        self.for_flyers: list[Linear] = []
        self.gained_gold: list[Linear] = []
        self.gained_silver: list[Linear] = []
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
        taken = self.taken[kind][copy]
        if isinstance(price, int):
            return price * taken
        found = self.cp.new_int_var(0, high, "paid")
        self.cp.add(found == price).only_enforce_if(taken)
        self.cp.add(found == 0).only_enforce_if(taken.negated())
        return found

    def paid_as_ordinary(self, paid: Linear, kind: int, copy: int) -> Linear:
        """What of an elite card's payment may come from silver too, because its text allows that."""
        texts = [
            self.holds(rule.when, kind, copy)
            for rule in self.cards.kinds[kind].effect.price
            if rule.change is Change.PAY_AS_ORDINARY
        ]
        open_to = [text for text in texts if text is not False]
        allowed: Lit = any(text is True for text in texts) or self.any_of(
            ("ordinary", kind, copy), open_to
        )
        if isinstance(allowed, bool):
            return paid if allowed else 0
        found = self.cp.new_int_var(0, MOST_PRICE, "ordinary")
        self.cp.add(found == paid).only_enforce_if(allowed)
        self.cp.add(found == 0).only_enforce_if(allowed.negated())
        return found


# The rules, one function each


def copies_in_order(model: SquadModel) -> None:
    """A second copy of a card is taken after the first, so that each squad is found once."""
    for copies in model.taken:
        for earlier, later in pairwise(copies):
            model.cp.add_implication(later, earlier)


def unique(model: SquadModel) -> None:
    """403.2.3: at most one card of a name if it is unique."""
    for card, copies in zip(model.cards.kinds, model.taken, strict=True):
        if card.unique:
            for copy in copies[1:]:
                model.cp.add(copy == 0)


def creature_required(model: SquadModel) -> None:
    """403.2.3: at least one creature, whether at each step or in the finished squad."""
    creatures = [
        copies[0]
        for card, copies in zip(model.cards.kinds, model.taken, strict=True)
        if card.creature
    ]
    model.cp.add_bool_or(creatures)


def cells(model: SquadModel) -> None:
    """403.2.3: creatures at most the cells that the deal and own cards leave."""
    free = model.deal.rules.cells - model.deal.blocked_cells
    used: list[Linear] = []
    most = 0
    for card, number, copies in zip(
        model.cards.kinds, model.number, model.cards.copies, strict=True
    ):
        text = card.effect.blocked_cells
        blocked = text.number if text is not None and text.side is Side.OWN else 0
        if card.creature or blocked:
            used.append((card.creature + blocked) * number)
            most += (card.creature + blocked) * copies
    if most > free:
        model.cp.add(sum(used) <= free)


def forbidden_with(model: SquadModel) -> None:
    """403.2.3, 532.8: "not with" bars every fitting card but the one that carries the text."""
    for kind, card in enumerate(model.cards.kinds):
        text = card.effect.not_with
        if text is not None:
            total = model.count(text.cards)
            itself = model.fits_at_the_end(text.cards, kind)
            if not isinstance(total, int):
                model.cp.add(total <= text.at_most + itself).only_enforce_if(model.taken[kind][0])


def quota(model: SquadModel) -> None:
    """403.2.3: "at most so many" of a card in the squad; promises stand with their gains."""
    for kind, card in enumerate(model.cards.kinds):
        text = card.effect.at_most
        if text is not None:
            total = model.count(text.cards)
            if not isinstance(total, int):
                model.cp.add(total <= text.at_most).only_enforce_if(model.taken[kind][0])


def terrain_limit(model: SquadModel) -> None:
    """The ruleset's limit on terrain cards in a squad."""
    most = model.deal.rules.terrain_limit
    terrains = [
        number
        for card, number in zip(model.cards.kinds, model.number, strict=True)
        if card.type is CardType.TERRAIN
    ]
    if most is not None and terrains:
        model.cp.add(sum(terrains) <= most)


def prices(model: SquadModel) -> None:
    """403.2.1: elite prices in gold, ordinary ones in any crystals; texts change them (403.2.3.1)."""
    for kind, card in enumerate(model.cards.kinds):
        for copy in range(model.cards.copies[kind]):
            paid = model.paid(kind, copy)
            if not card.elite:
                model.in_any.append(paid)
            else:
                as_ordinary = model.paid_as_ordinary(paid, kind, copy)
                model.in_any.append(as_ordinary)
                model.in_gold.append(paid - as_ordinary)
            if card.type is CardType.FLYER:
                model.for_flyers.append(paid)


def flyer_cap(model: SquadModel) -> None:
    """403.2.3: crystals paid for flyers, penalties aside, add up to 15 at most."""
    if model.for_flyers:
        model.cp.add(sum(model.for_flyers) <= model.deal.rules.flyer_cap)


def gains(model: SquadModel) -> None:
    """Step b of 403.2.3.1: crystals gained; an optional gain is taken where its promise can be kept."""
    for kind, card in enumerate(model.cards.kinds):
        gain = card.effect.gain
        if gain is None:
            continue
        for copy, taken in enumerate(model.taken[kind]):
            gained = model.both(taken, model.holds(gain.when, kind, copy))
            if gain.promise is not None and not model.lift_promises:
                avoidable = gain.optional or bool(gain.when)
                gained = _promised(model, gain.promise, gained, avoidable)
            model.gained_gold.append(gain.gold * gained)
            model.gained_silver.append(gain.silver * gained)


def _promised(model: SquadModel, promise: Limit, gained: Linear, avoidable: bool) -> Linear:
    """A gain that is declined, or missed by a clever order, binds nobody; any other must be kept."""
    total = model.count(promise.cards)
    if isinstance(total, int) or isinstance(gained, bool):
        return gained
    if avoidable:
        return model.both(gained, model.at_most(total, promise.at_most))
    model.cp.add(total <= promise.at_most).only_enforce_if(gained)
    return gained


def penalties(model: SquadModel) -> None:
    """403.2.1: a gold crystal for each element of the squad but the first."""
    present = [
        literal for element in Element if (literal := model.present(element, False)) is not False
    ]
    if len(present) > 1:
        model.penalty = sum(present) - model.any_of("elements", present)


def crystals(model: SquadModel) -> None:
    """403.2.3: no purse below 0; silver pays first, gold pays whatever silver cannot."""
    silver = model.deal.silver + sum(model.gained_silver)
    ordinary = sum(model.in_any)
    from_gold = model.cp.new_int_var(0, MOST_PRICE, "from_gold")
    model.cp.add_max_equality(from_gold, [ordinary - silver, 0])
    gold = model.deal.gold + sum(model.gained_gold) - sum(model.in_gold)
    model.gold_left = gold - model.penalty - from_gold
    model.silver_left = silver - ordinary + from_gold
    model.cp.add(model.gold_left >= 0)


def wishes(model: SquadModel) -> None:
    """The player's own demands: so many of certain cards."""
    for wish in model.wishes:
        total = sum(n for n, wanted in zip(model.number, wish.kinds, strict=True) if wanted)
        if isinstance(total, int):
            if total not in wish.number:
                model.cp.add_bool_or([])
        else:
            model.cp.add_linear_constraint(total, wish.number.at_least, wish.number.at_most)


CONSTRAINTS: Mapping[str, Callable[[SquadModel], None]] = {
    rule.__name__: rule
    for rule in (
        copies_in_order,
        unique,
        creature_required,
        cells,
        forbidden_with,
        quota,
        terrain_limit,
        prices,
        flyer_cap,
        gains,
        penalties,
        crystals,
        wishes,
    )
}
"""Every rule of the model, in the order in which they build on each other."""


def build(deal: Deal, wanted: Wishes = (), leave_out: Iterable[str] = ()) -> SquadModel:
    """The model of a deal; `leave_out` names rules to do without, to see what they are worth."""
    leave_out = tuple(leave_out)
    model = SquadModel(deal, wanted, lift_promises=quota.__name__ in leave_out)
    for name, rule in CONSTRAINTS.items():
        if name not in leave_out:
            rule(model)
    return model


def measure(model: SquadModel, goal: Goal) -> Linear:
    """A goal as an expression to maximise, never below its true value."""
    if goal.measure in PURSE_MEASURES:
        left = model.gold_left
        if goal.measure is Measure.CRYSTALS_LEFT:
            left = left + model.silver_left
        return left if goal.sign > 0 else -_least_left(model, left)
    parts = [
        goal.sign * goal.of_card(card) * number
        for card, number in zip(model.cards.kinds, model.number, strict=True)
    ]
    for (one, other), points in goal.pairs.items():
        if model.cards.hold_pair((one, other), model.cards.copies):
            first = model.taken[model.cards.index[one]][0]
            second = model.taken[model.cards.index[other]][1 if one == other else 0]
            parts.append(goal.sign * points * model.both(first, second))
    return sum(parts)


def _least_left(model: SquadModel, left: Linear) -> Linear:
    """The fewest crystals that an unfavourable order and wasteful choices could leave."""
    slack = [_slack(model, kind) * number for kind, number in enumerate(model.number)]
    if not any(_slack(model, kind) for kind in range(len(slack))):
        return left
    least = model.cp.new_int_var(0, MOST_PRICE, "least_left")
    model.cp.add_max_equality(least, [left - sum(slack), 0])
    return least


def _slack(model: SquadModel, kind: int) -> int:
    """By how many crystals a copy's most and least favourable recruitment can differ at most."""
    card = model.cards.kinds[kind]
    varying = 0
    for rule in card.effect.price:
        if rule.change is Change.SET:
            varying += abs(card.cost - rule.amount.at_least)
        elif rule.change is Change.MORE_X:
            varying += rule.amount.at_most
        else:
            varying += rule.amount.at_least * model.times(rule)
    if any(rule.change is Change.PAY_AS_ORDINARY for rule in card.effect.price):
        varying += card.cost + varying
    gain = card.effect.gain
    if gain is not None:
        varying += gain.gold + gain.silver
    for giver, copies in zip(model.cards.kinds, model.cards.copies, strict=True):
        text = giver.effect.discount
        if text is not None and model.may_fit(text.cards, kind):
            varying += text.less * copies
    if any(other.effect.neutral for other in model.cards.kinds):
        varying += len(card.elements)
    return varying
