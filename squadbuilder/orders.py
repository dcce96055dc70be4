"""The exact search for a recruit order: can this squad be built, how well, and in which order.

Few cards make order matter. `core` cards gain crystals, have a price that depends on the squad, leave
the player a choice, or change what other cards cost or count as; `support` cards are those that a
condition of a core card looks at. Everything else can wait until the core cards are in the squad: its
price is fixed, limits only tighten, and crystals kept longer never hurt. So the search runs over the
core and support cards alone, and a first creature.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from squadbuilder.effects import Change, Condition, Filter, Limit, Subject
from squadbuilder.limits import Code, Crystal
from squadbuilder.objective import PURSE_MEASURES, Objective, of_card, of_purse
from squadbuilder.recruit import NO_CHOICE, Offer, Paid, Recruitment, State, Step
from squadbuilder.ruleset import CreatureRequired
from squadbuilder.squad import NO_ELEMENTS, Counts, fits
from squadbuilder.terms import CardType


class Outcome(NamedTuple):
    """How a recruitment ends: what the crystals left are worth, then minus the penalty paid."""

    worth: tuple[int, ...]
    thrift: int


@dataclass(frozen=True, slots=True)
class Line:
    """A squad with the order and the choices that build it; `value` is by the objective's goals."""

    squad: Counts
    steps: tuple[Step, ...]
    end: State
    value: tuple[int, ...]


class _Best(NamedTuple):
    """The most favourable terms that a copy of a card can be recruited on within a squad."""

    gold_only: int
    any_crystal: int
    gain_gold: int
    gain_silver: int


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the search needs to know about one squad."""

    squad: Counts
    core: tuple[int, ...]
    support: frozenset[int]
    starters: tuple[int, ...]
    best: dict[int, tuple[_Best, ...]]
    least_penalty: int


class Orders:
    """Searches orders and choices for the squads of one recruitment, under one objective."""

    def __init__(self, recruitment: Recruitment, objective: Objective) -> None:
        self.recruitment = recruitment
        self.cards = recruitment.cards
        self.objective = objective
        self._purse_goals = [goal for goal in objective if goal.measure in PURSE_MEASURES]
        self._thrifty = all(goal.sign > 0 for goal in self._purse_goals)
        rules = recruitment.deal.rules
        self._lift_crystals = Code.CRYSTALS in recruitment.lifted
        self._final_check = rules.creature_required is CreatureRequired.FINAL
        self._flyers = tuple(card.type is CardType.FLYER for card in self.cards.kinds)
        self._sensitive = tuple(self._may_matter(kind) for kind in range(len(self.cards.kinds)))
        everyone = self.cards.active_neutralisers(self.cards.copies)
        now = self.cards.elements_now(everyone)
        self._may_be_neutral = frozenset(
            kind for kind, card in enumerate(self.cards.kinds) if card.elements and not now[kind]
        )
        self._plain_price: dict[int, _Best] = {}

    # What one squad is worth

    def best(self, squad: Counts) -> Outcome | None:
        """The best end that some order and choices reach; None if the squad is illegal."""
        return self._best_of(self._plan(squad))

    def value(self, squad: Counts) -> tuple[int, ...] | None:
        """The squad's best value by the objective's goals (greater is better); None if illegal."""
        outcome = self.best(squad)
        return None if outcome is None else self._full_value(squad, outcome)

    def _full_value(self, squad: Counts, outcome: Outcome) -> tuple[int, ...]:
        worth = iter(outcome.worth)
        return tuple(
            next(worth)
            if goal.measure in PURSE_MEASURES
            else goal.sign
            * sum(
                count * of_card(goal.measure, card)
                for card, count in zip(self.cards.kinds, squad, strict=True)
                if count
            )
            for goal in self.objective
        )

    def line(self, squad: Counts) -> Line | None:
        """The line to show: best value, least penalty, smallest names, then the plainest choices."""
        plan = self._plan(squad)
        outcome = self._best_of(plan)
        if outcome is None:
            return None
        order = self._first_order(plan, outcome)
        steps, end = self._plainest(order, outcome)
        return Line(squad, steps, end, self._full_value(squad, outcome))

    def best_of_lines(self, lines: Iterable[tuple[State, tuple[Step, ...]]]) -> Line:
        """Of finished lines in one order: best value, least penalty, then the plainest choices."""
        end, steps = min(
            lines,
            key=lambda line: (_descending(self._outcome(line[0])), _plainness(line[1])),
        )
        return Line(end.squad, steps, end, self._full_value(end.squad, self._outcome(end)))

    # The order to show

    def _first_order(self, plan: _Plan, target: Outcome) -> list[int]:
        if not plan.core:
            return self._by_name(plan.squad)
        order: list[int] = []
        states = [self.recruitment.start]
        failed: _Seen = {}
        for _ in range(sum(plan.squad)):
            for kind in self._missing(plan.squad, states[0].squad):
                after = [
                    taken[0]
                    for state in states
                    for offer in self.recruitment.offers(state.squad, kind)
                    if (taken := self.recruitment.take(state, kind, offer))
                ]
                alive = [s for s in after if self._search(plan, s, _Reach(target), failed)]
                if alive:
                    order.append(kind)
                    states = alive
                    break
        return order

    def _by_name(self, squad: Counts) -> list[int]:
        """Any order will do: by name, but for the first creature where the rules want one."""
        order = self.cards.members(squad)
        first = next((kind for kind in order if self.cards.kinds[kind].creature), None)
        if first is not None and not self._final_check:
            order.remove(first)
            order.insert(0, first)
        return order

    def _plainest(self, order: list[int], target: Outcome) -> tuple[tuple[Step, ...], State]:
        """In this order: the steps that reach the target with no bonus, small x, elite payment."""
        lines: list[tuple[State, tuple[Step, ...]]] = [(self.recruitment.start, ())]
        for kind in order:
            lines = [
                (taken[0], (*steps, taken[1]))
                for state, steps in lines
                for offer in self.recruitment.offers(state.squad, kind)
                if (taken := self.recruitment.take(state, kind, offer))
            ]
        ends = [(steps, state) for state, steps in lines if self._outcome(state) >= target]
        return min(ends, key=lambda end: _plainness(end[0]))

    # The search

    def _best_of(self, plan: _Plan) -> Outcome | None:
        if self.recruitment.illegal(self._bare(plan.squad)):
            return None
        limit = self._bound(plan, self.recruitment.start)
        if limit is None:
            return None
        climb = _Climb(limit if self._thrifty else None)
        self._search(plan, self.recruitment.start, climb, {})
        return climb.best

    def _bare(self, squad: Counts) -> State:
        return State(squad, 0, 0)

    def _search(self, plan: _Plan, state: State, aim: "_Climb | _Reach", seen: "_Seen") -> bool:
        """Depth first; True as soon as the aim is met. `seen` keeps what led nowhere."""
        if self._thrifty:
            bound = self._bound(plan, state)
            if bound is None or not aim.worth_trying(bound):
                return False
        known = seen.setdefault((state.squad, state.promises), [])
        if any(self._as_good(other, state) for other in known):
            return False
        if all(state.squad[kind] == plan.squad[kind] for kind in plan.core):
            end = self._finish(plan, state)
            if end is not None and aim.met(self._outcome(end)):
                return True
        else:
            for kind, offer in self._moves(plan, state):
                taken = self.recruitment.take(state, kind, offer)
                if taken is not None and self._search(plan, taken[0], aim, seen):
                    return True
        known.append(state)
        return False

    def _moves(self, plan: _Plan, state: State) -> list[tuple[int, Offer]]:
        """What to recruit next, most promising first: core cards on their best terms lead."""
        ready: list[tuple[int, Offer]] = []
        late: list[tuple[int, Offer]] = []
        other: list[int] = list(plan.support)
        if not any(state.squad):
            other += [kind for kind in plan.starters if kind not in plan.support]
        for kind in plan.core:
            if state.squad[kind] < plan.squad[kind]:
                best = plan.best[kind][state.squad[kind]]
                for offer in reversed(self.recruitment.offers(state.squad, kind)):
                    (ready if _terms(offer) == best else late).append((kind, offer))
        support = [
            (kind, offer)
            for kind in other
            if state.squad[kind] < plan.squad[kind]
            for offer in self.recruitment.offers(state.squad, kind)
        ]
        return ready + support + late

    def _as_good(self, state: State, other: State) -> bool:
        """With the same squad and promises: is everything that `other` can reach in reach here?"""
        if not self._thrifty:
            return state == other
        return (
            state.gold >= other.gold
            and state.gold + state.silver >= other.gold + other.silver
            and state.flyer_spent <= other.flyer_spent
            and state.penalty <= other.penalty
        )

    def _finish(self, plan: _Plan, state: State) -> State | None:
        """All core cards are in: the rest has fixed prices, so it is recruited in one sum."""
        gold_only = any_crystal = flyers = 0
        for kind, count in enumerate(plan.squad):
            if missing := count - state.squad[kind]:
                best = plan.best[kind][0]
                gold_only += missing * best.gold_only
                any_crystal += missing * best.any_crystal
                if self._flyers[kind]:
                    flyers += missing * (best.gold_only + best.any_crystal)
        there = self.cards.elements(state.squad)
        new = len(self.cards.elements(plan.squad) - there)
        penalty = new - 1 if new and not there else new
        from_silver = min(any_crystal, max(0, state.silver))
        end = State(
            plan.squad,
            state.gold - gold_only - penalty - (any_crystal - from_silver),
            state.silver - from_silver,
            state.flyer_spent + flyers,
            state.penalty + penalty,
            state.promises,
        )
        if end.gold < 0 and not self._lift_crystals:
            return None
        return None if self.recruitment.illegal(end, self._final_check) else end

    def _outcome(self, end: State) -> Outcome:
        return self._worth(end.gold, end.silver, end.penalty)

    def _worth(self, gold: int, silver: int, penalty: int) -> Outcome:
        worth = tuple(
            goal.sign * of_purse(goal.measure, gold, silver) for goal in self._purse_goals
        )
        return Outcome(worth, -penalty)

    def _bound(self, plan: _Plan, state: State) -> Outcome | None:
        """What no end from here can exceed; None if the crystals cannot suffice."""
        gold_only = any_crystal = gain_gold = gain_silver = 0
        for kind, terms in plan.best.items():
            for best in terms[state.squad[kind] :]:
                gold_only += best.gold_only
                any_crystal += best.any_crystal
                gain_gold += best.gain_gold
                gain_silver += best.gain_silver
        penalty = max(state.penalty, plan.least_penalty)
        silver = state.silver + gain_silver
        short = max(0, any_crystal - silver)
        gold = state.gold + gain_gold - gold_only - short - (penalty - state.penalty)
        if gold < 0 and not self._lift_crystals:
            return None
        return self._worth(gold, max(0, silver - any_crystal), penalty)

    def _missing(self, squad: Counts, there: Counts) -> list[int]:
        return [kind for kind, count in enumerate(squad) if there[kind] < count]

    # Which cards matter

    def _may_matter(self, kind: int) -> bool:
        """Could the card be a core card of some squad, by its own text?"""
        effect = self.cards.kinds[kind].effect
        return bool(effect.gain or effect.discount or effect.neutral) or any(
            rule.optional
            or rule.change is Change.MORE_X
            or any(_looks_at_squad(condition) for condition in rule.when)
            for rule in effect.price
        )

    def _plan(self, squad: Counts) -> _Plan:
        members = [kind for kind, count in enumerate(squad) if count]
        core = [k for k in members if self._sensitive[k] and self._matters(k, squad, members)]
        core += [k for k in members if k not in core and self._is_discounted(k, core)]
        support = {
            other
            for kind in core
            for condition in self._conditions(kind)
            for other in members
            if other not in core and self._looked_at(condition, other)
        }
        least = len(self.cards.elements(squad)) - 1
        return _Plan(
            squad=squad,
            core=tuple(core),
            support=frozenset(support),
            starters=tuple(k for k in members if self.cards.kinds[k].creature and k not in core),
            best={
                kind: tuple(self._best_terms(kind, copy, squad) for copy in range(squad[kind]))
                if kind in core
                else (self._plain_terms(kind),) * squad[kind]
                for kind in members
            },
            least_penalty=max(0, least),
        )

    def _matters(self, kind: int, squad: Counts, members: list[int]) -> bool:
        """Does the card's text matter in this squad, or can its conditions never be met there?"""
        card = self.cards.kinds[kind]
        effect = card.effect
        copies = squad[kind] - 1
        return (
            (effect.gain is not None and self._may_hold(effect.gain.when, kind, copies, squad))
            or any(
                rule.optional
                or rule.change is Change.MORE_X
                or any(_looks_at_squad(condition) for condition in rule.when)
                for rule in effect.price
                if self._may_hold(rule.when, kind, copies, squad)
            )
            or (
                effect.discount is not None
                and any(self._may_fit(effect.discount.cards, other) for other in members)
            )
            or (
                effect.neutral is not None
                and any(
                    self.cards.kinds[other].elements and self._may_fit(effect.neutral, other)
                    for other in members
                )
            )
        )

    def _is_discounted(self, kind: int, core: list[int]) -> bool:
        return any(
            (text := self.cards.kinds[other].effect.discount) is not None
            and self._may_fit(text.cards, kind)
            for other in core
        )

    def _conditions(self, kind: int) -> Iterable[Condition]:
        effect = self.cards.kinds[kind].effect
        for rule in effect.price:
            yield from rule.when
        if effect.gain is not None:
            yield from effect.gain.when

    def _looked_at(self, condition: Condition, kind: int) -> bool:
        if condition.subject is Subject.SQUAD:
            return self._may_fit(condition.cards, kind)
        return condition.subject is Subject.ELEMENTS and bool(self.cards.kinds[kind].elements)

    def _may_fit(self, cards: Filter, kind: int) -> bool:
        """Does a text speak of the card, with its printed elements or as a neutral card?"""
        card = self.cards.kinds[kind]
        if fits(cards, card, card.elements):
            return True
        return kind in self._may_be_neutral and fits(cards, card, NO_ELEMENTS)

    def _may_hold(self, when: Iterable[Condition], kind: int, copies: int, squad: Counts) -> bool:
        """Could the conditions be met before the card joins, at some point of some order?

        `copies` of the card itself may be in the squad by then. Upper bounds are taken as met: the
        card could come early.
        """
        for condition in when:
            if condition.subject is Subject.SQUAD:
                seen = sum(
                    copies if other == kind else count
                    for other, count in enumerate(squad)
                    if count and self._may_fit(condition.cards, other)
                )
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

    def _best_terms(self, kind: int, copies: int, squad: Counts) -> _Best:
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
            elif rule.change is Change.MORE_X or (
                rule.change is Change.MORE and not rule.optional and not rule.when
            ):
                price += amount
            elif rule.change is Change.PAY_AS_ORDINARY:
                ordinary = True
        price -= sum(
            (copies if other == kind else count) * text.less
            for other, count in enumerate(squad)
            if count
            and (text := self.cards.kinds[other].effect.discount) is not None
            and self._may_fit(text.cards, kind)
        )
        gain = card.effect.gain
        if gain is not None and not self._may_hold(gain.when, kind, copies, squad):
            gain = None
        return _Best(
            gold_only=0 if ordinary else max(0, price),
            any_crystal=max(0, price) if ordinary else 0,
            gain_gold=gain.gold if gain else 0,
            gain_silver=gain.silver if gain else 0,
        )

    def _plain_terms(self, kind: int) -> _Best:
        """The fixed terms of a card whose price no squad changes."""
        found = self._plain_price.get(kind)
        if found is None:
            found = _terms(self.recruitment.offers(self.cards.empty, kind)[0])
            self._plain_price[kind] = found
        return found


_Seen = dict[tuple[Counts, tuple[Limit, ...]], list[State]]


class _Climb:
    """Looks for the best end, and stops at one that reaches the limit (if there is a limit)."""

    def __init__(self, limit: Outcome | None) -> None:
        self.limit = limit
        self.best: Outcome | None = None

    def worth_trying(self, bound: Outcome) -> bool:
        return self.best is None or bound > self.best

    def met(self, outcome: Outcome) -> bool:
        if self.best is None or outcome > self.best:
            self.best = outcome
        return self.limit is not None and self.best >= self.limit


class _Reach:
    """Looks for an end as good as the target."""

    def __init__(self, target: Outcome) -> None:
        self.target = target

    def worth_trying(self, bound: Outcome) -> bool:
        return bound >= self.target

    def met(self, outcome: Outcome) -> bool:
        return outcome >= self.target


def _looks_at_squad(condition: Condition) -> bool:
    return condition.subject in (Subject.SQUAD, Subject.ELEMENTS)


def _terms(offer: Offer) -> _Best:
    gold_only = offer.crystal is Crystal.GOLD
    return _Best(
        offer.price if gold_only else 0,
        0 if gold_only else offer.price,
        offer.gain_gold,
        offer.gain_silver,
    )


def _descending(outcome: Outcome) -> tuple[int, ...]:
    return tuple(-number for number in (*outcome.worth, outcome.thrift))


def _plainness(
    steps: tuple[Step, ...],
) -> tuple[list[bool], list[int], list[bool]]:
    chosen = [step.choices for step in steps if step.choices != NO_CHOICE]
    return (
        [bool(choices.bonus) for choices in chosen],
        [choices.x or 0 for choices in chosen],
        [choices.paid is Paid.ORDINARY for choices in chosen],
    )
