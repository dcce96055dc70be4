"""The exact search for a recruit order: can this squad be built, how well, and in which order.

Few cards make order matter. `core` cards gain crystals, have a price that depends on the squad, leave
the player a choice, or change what other cards cost or count as; `support` cards are those that a
condition of a core card looks at. Everything else can wait until the core cards are in the squad: its
price is fixed, limits only tighten, and crystals kept longer never hurt. So the search runs over the
core and support cards alone, and a first creature.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import le, mul
from typing import NamedTuple

from squadbuilder.effects import Change, Condition, Filter, Limit, PriceRule, Subject
from squadbuilder.limits import Code, Crystal
from squadbuilder.objective import PURSE_MEASURES, Objective, of_card, of_purse
from squadbuilder.recruit import NO_CHOICE, Offer, Paid, Recruitment, State, Step
from squadbuilder.ruleset import CreatureRequired
from squadbuilder.squad import NO_ELEMENTS, Counts, fits
from squadbuilder.terms import CardType

_WITH_ELEMENT = Filter(neutral=False)


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


class _Terms(NamedTuple):
    """What a copy of a card costs, by crystal, and what it gains."""

    gold_only: int
    any_crystal: int
    gain_gold: int
    gain_silver: int


@dataclass(frozen=True, slots=True)
class _Plan:
    """The cards whose order matters, the same for all squads that agree on them.

    `best` holds, for each core card, the most favourable terms of each copy in turn; `ends` the
    states with all core cards in that led to the best end before, to be tried first.
    """

    core: tuple[int, ...]
    support: tuple[int, ...]
    best: dict[int, tuple[_Terms, ...]]
    ends: list[State]


class _Task(NamedTuple):
    """One squad to search: its plan, the penalty it must pay, the gains whose promise it breaks."""

    squad: Counts
    plan: _Plan
    least_penalty: int
    broken_promises: frozenset[int]


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
        kinds = range(len(self.cards.kinds))
        self._card_worth = [
            [goal.sign * of_card(goal.measure, card) for card in self.cards.kinds]
            for goal in objective
        ]
        everyone = self.cards.active_neutralisers(self.cards.copies)
        now = self.cards.elements_now(everyone)
        self._may_be_neutral = frozenset(
            kind for kind, card in enumerate(self.cards.kinds) if card.elements and not now[kind]
        )
        self._fitting: dict[Filter, frozenset[int]] = {}
        self._sensitive = tuple(kind for kind in kinds if self._may_matter(kind))
        self._discounts = [
            (kind, text.less, self._may_fit(text.cards))
            for kind, card in enumerate(self.cards.kinds)
            if (text := card.effect.discount) is not None
        ]
        self._relevant = self._relevance()
        self._plans: dict[Counts, _Plan] = {}
        self._plain = [_terms(recruitment.offers(self.cards.empty, kind)[0]) for kind in kinds]
        self._flyer_price = [
            self._plain[kind].gold_only + self._plain[kind].any_crystal
            if self.cards.kinds[kind].type is CardType.FLYER
            else 0
            for kind in kinds
        ]

    # What one squad is worth

    def best(self, squad: Counts) -> Outcome | None:
        """The best end that some order and choices reach; None if the squad is illegal."""
        return self._best_of(self._task(squad))

    def value(self, squad: Counts) -> tuple[int, ...] | None:
        """The squad's best value by the objective's goals (greater is better); None if illegal."""
        outcome = self.best(squad)
        return None if outcome is None else self._full_value(squad, outcome)

    def _full_value(self, squad: Counts, outcome: Outcome) -> tuple[int, ...]:
        worth = iter(outcome.worth)
        return tuple(
            next(worth) if goal.measure in PURSE_MEASURES else sum(map(mul, squad, of_cards))
            for goal, of_cards in zip(self.objective, self._card_worth, strict=True)
        )

    def line(self, squad: Counts) -> Line | None:
        """The line to show: best value, least penalty, smallest names, then the plainest choices."""
        task = self._task(squad)
        outcome = self._best_of(task)
        if outcome is None:
            return None
        order = self._first_order(task, outcome)
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

    def _first_order(self, task: _Task, target: Outcome) -> list[int]:
        if not task.plan.core:
            return self._by_name(task.squad)
        order: list[int] = []
        states = [self.recruitment.start]
        failed: _Seen = {}
        for _ in range(sum(task.squad)):
            for kind in self._missing(task.squad, states[0].squad):
                after = [
                    taken[0]
                    for state in states
                    for offer in self.recruitment.offers(state.squad, kind)
                    if (taken := self.recruitment.take(state, kind, offer))
                ]
                alive = [s for s in after if self._search(task, s, _Reach(target), failed)]
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

    def _best_of(self, task: _Task) -> Outcome | None:
        start = self.recruitment.start
        if self.recruitment.illegal(State(task.squad, 0, 0), self._final_check):
            return None
        if not task.plan.core:
            end = self._finish(task, start)
            return None if end is None else self._outcome(end)
        limit = self._bound(task, start)
        if limit is None:
            return None
        climb = _Climb(limit if self._thrifty else None)
        for state in task.plan.ends:
            if self._within(state.squad, task.squad) and self._ends_well(task, state, climb):
                return climb.best
        self._search(task, start, climb, {})
        return climb.best

    def _search(self, task: _Task, state: State, aim: "_Climb | _Reach", seen: "_Seen") -> bool:
        """Depth first; True as soon as the aim is met. `seen` keeps what led nowhere."""
        if self._thrifty:
            bound = self._bound(task, state)
            if bound is None or not aim.worth_trying(bound):
                return False
        known = seen.setdefault((state.squad, state.promises), [])
        if any(self._as_good(other, state) for other in known):
            return False
        if all(state.squad[kind] == task.squad[kind] for kind in task.plan.core):
            if self._ends_well(task, state, aim):
                if state not in task.plan.ends:
                    task.plan.ends.insert(0, state)
                return True
        else:
            for kind, offer in self._moves(task, state):
                taken = self.recruitment.take(state, kind, offer)
                if taken is not None and self._search(task, taken[0], aim, seen):
                    return True
        known.append(state)
        return False

    def _ends_well(self, task: _Task, state: State, aim: "_Climb | _Reach") -> bool:
        end = self._finish(task, state)
        return end is not None and aim.met(self._outcome(end))

    def _moves(self, task: _Task, state: State) -> list[tuple[int, Offer]]:
        """What to recruit next, most promising first: core cards on their best terms lead."""
        ready: list[tuple[int, Offer]] = []
        late: list[tuple[int, Offer]] = []
        plan = task.plan
        for kind in plan.core:
            if state.squad[kind] < task.squad[kind]:
                best = plan.best[kind][state.squad[kind]]
                for offer in reversed(self.recruitment.offers(state.squad, kind)):
                    (ready if _terms(offer) == best else late).append((kind, offer))
        others = plan.support if any(state.squad) else (*plan.support, *self._starters(task))
        support = [
            (kind, offer)
            for kind in others
            if state.squad[kind] < task.squad[kind]
            for offer in self.recruitment.offers(state.squad, kind)
        ]
        return ready + support + late

    def _starters(self, task: _Task) -> list[int]:
        """Creatures that may come first although nothing else about them matters."""
        return [
            kind
            for kind, count in enumerate(task.squad)
            if count
            and self.cards.kinds[kind].creature
            and kind not in task.plan.core
            and kind not in task.plan.support
        ]

    def _within(self, part: Counts, squad: Counts) -> bool:
        return all(map(le, part, squad))

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

    def _finish(self, task: _Task, state: State) -> State | None:
        """All core cards are in: the rest has fixed prices, so it is recruited in one sum."""
        gold_only = any_crystal = flyers = 0
        for count, there_already, plain, flyer in zip(
            task.squad, state.squad, self._plain, self._flyer_price, strict=True
        ):
            if missing := count - there_already:
                gold_only += missing * plain.gold_only
                any_crystal += missing * plain.any_crystal
                flyers += missing * flyer
        there = self.cards.elements(state.squad)
        new = len(self.cards.elements(task.squad) - there)
        penalty = new - 1 if new and not there else new
        from_silver = min(any_crystal, max(0, state.silver))
        end = State(
            task.squad,
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

    def _bound(self, task: _Task, state: State) -> Outcome | None:
        """What no end from here can exceed; None if the crystals cannot suffice."""
        gold_only = any_crystal = gain_gold = gain_silver = 0
        best = task.plan.best
        for kind, count in enumerate(task.squad):
            there = state.squad[kind]
            if there == count:
                continue
            if kind in best:
                for terms in best[kind][there:]:
                    gold_only += terms.gold_only
                    any_crystal += terms.any_crystal
                    if kind not in task.broken_promises:
                        gain_gold += terms.gain_gold
                        gain_silver += terms.gain_silver
            else:
                gold_only += (count - there) * self._plain[kind].gold_only
                any_crystal += (count - there) * self._plain[kind].any_crystal
        penalty = max(state.penalty, task.least_penalty)
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

    def _task(self, squad: Counts) -> _Task:
        relevant = tuple(map(mul, squad, self._relevant))
        plan = self._plans.get(relevant)
        if plan is None:
            plan = self._plans[relevant] = self._plan(relevant)
        if not plan.core:
            return _Task(squad, plan, 0, frozenset())
        promises = [
            (kind, gain.promise)
            for kind in plan.core
            if (gain := self.cards.kinds[kind].effect.gain) is not None and gain.promise
        ]
        return _Task(
            squad,
            plan,
            max(0, len(self.cards.elements(squad)) - 1),
            frozenset(kind for kind, promise in promises if self.cards.over(promise, None, squad)),
        )

    def _plan(self, squad: Counts) -> _Plan:
        core = [kind for kind in self._sensitive if squad[kind] and self._matters(kind, squad)]
        core += [
            kind
            for giver, _, fitting in self._discounts
            if giver in core
            for kind in sorted(fitting)
            if squad[kind]
        ]
        core = list(dict.fromkeys(core))
        looked_at: set[int] = set()
        for kind in core:
            looked_at |= self._looked_at(kind)
        return _Plan(
            core=tuple(core),
            support=tuple(k for k in sorted(looked_at) if squad[k] and k not in core),
            best={
                kind: tuple(self._best_terms(kind, copy, squad) for copy in range(squad[kind]))
                for kind in core
            },
            ends=[],
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

    def _looked_at(self, kind: int) -> set[int]:
        """The kinds that may have to come before this core card: those that its conditions count.

        Where the player wants to spend, also every element that a neutralising card could forget.
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
        if effect.neutral is not None and not self._thrifty:
            found |= self._may_fit(_WITH_ELEMENT)
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

    def _best_terms(self, kind: int, copies: int, squad: Counts) -> _Terms:
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
        for giver, less, fitting in self._discounts:
            if kind in fitting:
                price -= less * (copies if giver == kind else squad[giver])
        gain = card.effect.gain
        if gain is not None and not self._may_hold(gain.when, kind, copies, squad):
            gain = None
        return _Terms(
            gold_only=0 if ordinary else max(0, price),
            any_crystal=max(0, price) if ordinary else 0,
            gain_gold=gain.gold if gain else 0,
            gain_silver=gain.silver if gain else 0,
        )


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


def _can_vary(rule: PriceRule) -> bool:
    """Does the rule leave a choice, or depend on the squad?"""
    return (
        rule.optional
        or rule.change is Change.MORE_X
        or any(when.subject in (Subject.SQUAD, Subject.ELEMENTS) for when in rule.when)
    )


def _terms(offer: Offer) -> _Terms:
    gold_only = offer.crystal is Crystal.GOLD
    return _Terms(
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
