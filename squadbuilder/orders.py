"""The exact search for a recruit order: can this squad be built, how well, and in which order.

Few cards make order matter (see `plan`). Everything else can wait until the core cards are in the
squad: its price is fixed, limits only tighten, and crystals kept longer never hurt. So the search runs
over the core and support cards alone, and a first creature.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import le, mul, sub
from typing import NamedTuple

from squadbuilder.before import BeforeStep, Beginnings, Position
from squadbuilder.effects import Limit
from squadbuilder.limits import Code
from squadbuilder.objective import PURSE_MEASURES, Goal, Objective, thrifty
from squadbuilder.plan import Planner, Task, terms_of
from squadbuilder.recruit import NO_CHOICE, Offer, Paid, Recruitment, State, Step
from squadbuilder.ruleset import CreatureRequired
from squadbuilder.squad import Counts
from squadbuilder.terms import CardType

MOST_CRYSTALS = 10_000


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


class Aim(Enum):
    """What makes one end better than another: the objective's value, flyers paid, or nothing."""

    VALUE = "value"
    FEWEST_FOR_FLYERS = "fewest_for_flyers"
    ANY = "any"


class Orders:
    """Searches orders and choices for the squads of one recruitment, under one objective."""

    def __init__(
        self,
        recruitment: Recruitment,
        objective: Objective,
        aim: Aim = Aim.VALUE,
        begun: BeforeStep | None = None,
    ) -> None:
        """`begun`: where recruitment stands already, if not at its start."""
        self.aim = aim
        self.recruitment = recruitment
        self.cards = recruitment.cards
        self.objective = objective
        self._purse_goals = [goal for goal in objective if goal.measure in PURSE_MEASURES]
        self._thrifty = thrifty(objective)
        rules = recruitment.deal.rules
        self._lift_crystals = Code.CRYSTALS in recruitment.lifted
        lift_cap = Code.FLYER_CAP in recruitment.lifted
        self._flyer_cap = MOST_CRYSTALS if lift_cap else rules.flyer_cap
        self._flyers = tuple(card.type is CardType.FLYER for card in self.cards.kinds)
        self._final_check = rules.creature_required is CreatureRequired.FINAL
        self._card_worth = [
            [goal.sign * goal.of_card(card) for card in self.cards.kinds] for goal in objective
        ]
        step = begun or BeforeStep(recruitment)
        self.planner = Planner(recruitment, self._thrifty, step.start.state.squad)
        self.beginnings = Beginnings(step, thrifty=self._thrifty)

    # What one squad is worth

    def best(self, squad: Counts) -> Outcome | None:
        """The best end that some order and choices reach; None if the squad is illegal."""
        return self._best_of(self.planner.task(squad))

    def value(self, squad: Counts) -> tuple[int, ...] | None:
        """The squad's best value by the objective's goals (greater is better); None if illegal."""
        outcome = self.best(squad)
        return None if outcome is None else self._full_value(squad, outcome)

    def _full_value(self, squad: Counts, outcome: Outcome) -> tuple[int, ...]:
        worth = iter(outcome.worth)
        return tuple(
            next(worth)
            if goal.measure in PURSE_MEASURES
            else sum(map(mul, squad, of_cards)) + self._of_pairs(goal, squad)
            for goal, of_cards in zip(self.objective, self._card_worth, strict=True)
        )

    def _of_pairs(self, goal: Goal, squad: Counts) -> int:
        if not goal.pairs:
            return 0
        return sum(
            goal.sign * points
            for pair, points in goal.pairs.items()
            if self.cards.hold_pair(pair, squad)
        )

    def line(self, squad: Counts) -> Line | None:
        """The line to show: best value, least penalty, smallest names, then the plainest choices."""
        task = self.planner.task(squad)
        outcome = self._best_of(task)
        if outcome is None:
            return None
        begun = self._reaching(task, outcome)
        order = self._first_order(task, outcome, begun)
        steps, end = self._plainest(order, outcome, begun)
        return Line(squad, steps, end, self._full_value(squad, outcome))

    def best_of_lines(self, lines: Iterable[tuple[State, tuple[Step, ...]]]) -> Line:
        """Of finished lines in one order: best value, least penalty, then the plainest choices."""
        end, steps = min(
            lines,
            key=lambda line: (_descending(self._outcome(line[0])), _plainness(line[1])),
        )
        return Line(end.squad, steps, end, self._full_value(end.squad, self._outcome(end)))

    # The order to show

    def _reaching(self, task: Task, target: Outcome) -> list[Position]:
        """The beginnings from which the target can be reached."""
        failed: _Seen = {}
        return [
            position
            for position in self.beginnings.every(task.squad)
            if self._reaches(task, position.state, target, failed)
        ]

    def _first_order(self, task: Task, target: Outcome, begun: Sequence[Position]) -> list[int]:
        """The order with the smallest names: card by card, as long as the target stays in reach."""
        if not task.plan.core and not any(position.steps for position in begun):
            return self._by_name(task.squad)
        order: list[int] = []
        states: list[State] = []
        failed: _Seen = {}
        for place in range(sum(task.squad)):
            states += [p.state for p in begun if len(p.order) == place]
            begun = [position for position in begun if len(position.order) > place]
            there = self.cards.counts(self.cards.kinds[kind] for kind in order)
            for kind in self._missing(task.squad, there):
                going_on = [position for position in begun if position.order[place] == kind]
                after = [
                    taken[0]
                    for state in states
                    for offer in self.recruitment.offers(state.squad, kind)
                    if (taken := self.recruitment.take(state, kind, offer))
                ]
                alive = [s for s in dict.fromkeys(after) if self._reaches(task, s, target, failed)]
                if alive or going_on:
                    order.append(kind)
                    states, begun = alive, going_on
                    break
        return order

    def _reaches(self, task: Task, state: State, target: Outcome, failed: "_Seen") -> bool:
        return self._search(task, state, _Reach(target), failed)

    def _by_name(self, squad: Counts) -> list[int]:
        """Any order will do: by name, but for the first creature where the rules want one."""
        order = self.cards.members(squad)
        first = next((kind for kind in order if self.cards.kinds[kind].creature), None)
        if first is not None and not self._final_check:
            order.remove(first)
            order.insert(0, first)
        return order

    def _plainest(
        self, order: list[int], target: Outcome, begun: Sequence[Position]
    ) -> tuple[tuple[Step, ...], State]:
        """In this order: the steps that reach the target with no bonus, small x, elite payment."""
        ends: list[tuple[tuple[Step, ...], State]] = []
        for position in begun:
            done = len(position.order)
            if position.order != tuple(order[:done]):
                continue
            lines: Lines = {position.state: position.steps}
            for kind in order[done:]:
                lines = plainest_lines(
                    (taken[0], (*steps, taken[1]))
                    for state, steps in lines.items()
                    for offer in self.recruitment.offers(state.squad, kind)
                    if (taken := self.recruitment.take(state, kind, offer))
                )
            ends += [(steps, end) for end, steps in lines.items() if self._outcome(end) >= target]
        return min(ends, key=lambda end: _plainness(end[0]))

    # The search

    def _best_of(self, task: Task) -> Outcome | None:
        starts = [position.state for position in self.beginnings.best(task.squad)]
        if not task.plan.core:
            ends = [end for state in starts if (end := self._finish(task, state)) is not None]
            return max(map(self._outcome, ends), default=None)
        bare = self.recruitment.start._replace(squad=task.squad)
        if self.recruitment.illegal(bare, self._final_check):
            return None
        bounds = [bound for state in starts if (bound := self._bound(task, state)) is not None]
        if not bounds:
            return None
        climb = _Climb(max(bounds) if self._thrifty else None)
        for state in task.plan.ends:
            if self._fits(state, task.squad) and self._ends_well(task, state, climb):
                return climb.best
        seen: _Seen = {}
        for state in starts:
            if self._search(task, state, climb, seen):
                break
        return climb.best

    def _fits(self, state: State, squad: Counts) -> bool:
        """Can the squad still come of this state?"""
        return all(map(le, state.squad, squad)) and all(map(le, squad, state.pool))

    def _search(self, task: Task, state: State, aim: "_Climb | _Reach", seen: "_Seen") -> bool:
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

    def _ends_well(self, task: Task, state: State, aim: "_Climb | _Reach") -> bool:
        end = self._finish(task, state)
        return end is not None and aim.met(self._outcome(end))

    def _moves(self, task: Task, state: State) -> list[tuple[int, Offer]]:
        """What to recruit next, most promising first: core cards on their best terms lead."""
        ready: list[tuple[int, Offer]] = []
        late: list[tuple[int, Offer]] = []
        plan = task.plan
        for kind in plan.core:
            if state.squad[kind] < task.squad[kind]:
                best = plan.best[kind][state.squad[kind]]
                for offer in reversed(self.recruitment.offers(state.squad, kind)):
                    (ready if terms_of(offer) == best else late).append((kind, offer))
        others = plan.support if any(state.squad) else (*plan.support, *self._starters(task))
        support = [
            (kind, offer)
            for kind in others
            if state.squad[kind] < task.squad[kind]
            for offer in self.recruitment.offers(state.squad, kind)
        ]
        return ready + support + late

    def _starters(self, task: Task) -> list[int]:
        """Creatures that may come first although nothing else about them matters."""
        return [
            kind
            for kind, count in enumerate(task.squad)
            if count
            and self.cards.kinds[kind].creature
            and kind not in task.plan.core
            and kind not in task.plan.support
        ]

    def _as_good(self, state: State, other: State) -> bool:
        """With the same squad and promises: is everything that `other` can reach in reach here?"""
        if not self._thrifty:
            return state == other
        if state.flyer_spent > other.flyer_spent:
            return False
        if self._lift_crystals and self.aim is not Aim.VALUE:
            return True
        return (
            state.gold >= other.gold
            and state.gold + state.silver >= other.gold + other.silver
            and state.penalty <= other.penalty
        )

    def _finish(self, task: Task, state: State) -> State | None:
        """All core cards are in: the rest has fixed prices, so it is recruited in one sum."""
        missing = tuple(map(sub, task.squad, state.squad))
        gold_only, any_crystal, flyers = (
            sum(map(mul, missing, prices)) for prices in self.planner.prices
        )
        there = self.cards.elements(state.squad)
        new = len(self.cards.elements(task.squad) - there)
        penalty = new - 1 if new and not there else new
        from_silver = min(any_crystal, max(0, state.silver))
        end = State(
            task.squad,
            state.pool,
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
        return self._worth(end.gold, end.silver, end.penalty, end.flyer_spent)

    def _worth(self, gold: int, silver: int, penalty: int, flyer_spent: int) -> Outcome:
        if self.aim is not Aim.VALUE:
            flyers = self.aim is Aim.FEWEST_FOR_FLYERS
            return Outcome((-flyer_spent,) if flyers else (), 0)
        worth = tuple(goal.sign * goal.of_purse(gold, silver) for goal in self._purse_goals)
        return Outcome(worth, -penalty)

    def _bound(self, task: Task, state: State) -> Outcome | None:
        """What no end from here can exceed; None if nothing legal can follow."""
        missing = tuple(map(sub, task.squad, state.squad))
        gold_only, any_crystal, flyers = (
            sum(map(mul, missing, prices)) for prices in task.plan.rest
        )
        flyers += state.flyer_spent
        gain_gold = gain_silver = 0
        penalty = max(state.penalty + self._penalty_ahead(task, state), task.least_penalty)
        best = task.plan.best
        hopeless = task.broken_promises | task.plan.not_worth(penalty)
        for kind in task.plan.core:
            for terms in best[kind][state.squad[kind] :]:
                gold_only += terms.gold_only
                any_crystal += terms.any_crystal
                flyers += (terms.gold_only + terms.any_crystal) * self._flyers[kind]
                if kind not in hopeless:
                    gain_gold += terms.gain_gold
                    gain_silver += terms.gain_silver
        silver = state.silver + gain_silver
        short = max(0, any_crystal - silver)
        gold = state.gold + gain_gold - gold_only - short - (penalty - state.penalty)
        if (gold < 0 and not self._lift_crystals) or flyers > self._flyer_cap:
            return None
        return self._worth(gold, max(0, silver - any_crystal), penalty, flyers)

    def _penalty_ahead(self, task: Task, state: State) -> int:
        """Elements of the finished squad that are not there yet; the first of all may be free."""
        ahead = len(self.cards.elements(task.squad) - self.cards.elements(state.squad))
        if ahead and not self.planner.keeps_an_element(state.squad):
            ahead -= 1
        return ahead

    def _missing(self, squad: Counts, there: Counts) -> list[int]:
        return [kind for kind, count in enumerate(squad) if there[kind] < count]


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


Lines = dict[State, tuple[Step, ...]]
"""Where the same cards in the same order can lead, and the plainest steps to get there."""


def plainest_lines(reached: Iterable[tuple[State, tuple[Step, ...]]]) -> Lines:
    """Of all steps that lead to one state, the plainest; what follows cannot tell them apart."""
    found: Lines = {}
    for state, steps in reached:
        known = found.get(state)
        if known is None or _plainness(steps) < _plainness(known):
            found[state] = steps
    return found


def _descending(outcome: Outcome) -> tuple[int, ...]:
    return tuple(-number for number in (*outcome.worth, outcome.thrift))


def _plainness(
    steps: tuple[Step, ...],
) -> tuple[list[bool], list[bool], list[int], list[bool]]:
    chosen = [step.choices for step in steps if step.choices != NO_CHOICE]
    return (
        [step.use is not None for step in steps],
        [bool(choices.bonus) for choices in chosen],
        [choices.x or 0 for choices in chosen],
        [choices.paid is Paid.ORDINARY for choices in chosen],
    )
