"""What the engine tells of a deal, from the CP-SAT model: for deals whose order takes a search."""

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass

from squadbuilder.deal import Deal
from squadbuilder.effects import Range
from squadbuilder.objective import PURSE_MEASURES, Goal, Measure, Objective, Ratings
from squadbuilder.orders import Line, Orders
from squadbuilder.recruit import Recruitment
from squadbuilder.solve import solve
from squadbuilder.squad import Cards
from squadbuilder.wishes import Wish, Wishes


@dataclass(frozen=True, slots=True)
class Found:
    """The best squad of a deal by card keys; kinds in some and every squad best by the first goal."""

    first: int
    gold_left: int
    silver_left: int
    chosen: Counter[str]
    some: frozenset[str]
    every: frozenset[str]


def best_of(deal: Deal, objective: Objective, telling: bool = True) -> Found | None:
    """The best squad of a deal; None if no squad is legal."""
    line = _best(deal, objective)
    if line is None:
        return None
    cards = Cards(deal)
    chosen = _keys(cards, line)
    goal, first = objective[0], line.value[0]
    some, every = set(chosen), set(chosen)
    if telling:
        while new := _keys(cards, _with_new(deal, goal, cards, some)).keys() - some:
            some |= new
        for key in sorted(every):
            if key in every:
                other = _best(deal, (goal,), _wishes(cards, {key: Range(0, 0)}))
                if other is not None and other.value[0] == first:
                    every &= _keys(cards, other).keys()
    gold, silver = _left(deal, objective, line)
    return Found(first, gold, silver, chosen, frozenset(some), frozenset(every))


def fits(deal: Deal, wanted: Counter[str]) -> bool:
    """Does some legal squad hold so many copies of these cards?"""
    numbers = {key: Range(at_least=number) for key, number in wanted.items()}
    return _best(deal, (Goal(Measure.CARDS, -1),), _wishes(Cards(deal), numbers)) is not None


def _best(deal: Deal, objective: Objective, wanted: Wishes = ()) -> Line | None:
    answer = solve(deal, objective, wanted=wanted)
    if answer.interrupted:
        raise KeyboardInterrupt
    return answer.lines[0] if answer.lines else None


def _keys(cards: Cards, line: Line) -> Counter[str]:
    return Counter(cards.kinds[kind].key for kind in cards.members(line.squad))


def _wishes(cards: Cards, wanted: Mapping[str, Range]) -> Wishes:
    return tuple(
        Wish(key, tuple(int(card.key == key) for card in cards.kinds), number)
        for key, number in wanted.items()
    )


def _with_new(deal: Deal, goal: Goal, cards: Cards, known: Set[str]) -> Line:
    """Of the squads that are best by a goal, one with the most cards that are not known yet."""
    new = {card.key: 1 for card in cards.kinds if card.key not in known}
    line = _best(deal, (goal, Goal(Measure.RATING, 1, Ratings(new))))
    if line is None:
        raise AssertionError("there was a best squad")
    return line


def _left(deal: Deal, objective: Objective, line: Line) -> tuple[int, int]:
    """Gold and silver left by the squad's best order: after the objective, as much as can be."""
    stated = {goal.measure: goal.sign for goal in objective if goal.measure in PURSE_MEASURES}
    signs = stated | {measure: 1 for measure in PURSE_MEASURES if measure not in stated}
    goals = tuple(Goal(measure, sign) for measure, sign in signs.items())
    outcome = Orders(Recruitment(deal), goals).best(line.squad)
    if outcome is None:
        raise AssertionError("the best squad is legal")
    left = {
        goal.measure: goal.sign * worth for goal, worth in zip(goals, outcome.worth, strict=True)
    }
    gold = left[Measure.GOLD_LEFT]
    return gold, left[Measure.CRYSTALS_LEFT] - gold
