"""The judge at the table: steps one after another, each with its verdict (501, 532)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from squadbuilder import payment, taking
from squadbuilder.table_state import Piece, Table, wounded
from squadbuilder.table_steps import (
    Add,
    Begin,
    Change,
    Close,
    Counts,
    Declare,
    Finish,
    LoseControl,
    Open,
    Outcome,
    Put,
    Redirect,
    Remove,
    Result,
    Step,
    Take,
    TakeControl,
    Turn,
    Verdict,
    Wound,
    refused,
)


@dataclass(frozen=True, slots=True)
class Battle:
    """The table, and the declarations made so far by name."""

    table: Table
    declared: Mapping[str, Declare]


def judge_steps(table: Table, steps: Iterable[Step]) -> Iterator[Verdict]:
    """The verdict on each step in turn; a step that is refused leaves the table as it was."""
    battle = Battle(table, {})
    for step in steps:
        battle, verdict = judge_step(battle, step)
        yield verdict


def judge_step(battle: Battle, step: Step) -> tuple[Battle, Verdict]:
    """One step: what the rules make of it, and what has changed on the table."""
    result = _result(battle, step)
    declared = battle.declared
    if isinstance(step, Declare):
        declared = {**declared, step.name: step}
    before, after = battle.table, result.table
    moved = _changes(before, after, lambda piece: str(piece.place))
    control = _changes(before, after, lambda piece: piece.controller.value)
    ready = {piece.handle: taking.hindrances(after, piece) for piece in taking.ready(after)}
    due = tuple(handle for handle, why in ready.items() if not why)
    waiting = {handle: why for handle, why in ready.items() if why}
    return Battle(after, declared), Verdict(result, moved, control, due, waiting)


def _result(battle: Battle, step: Step) -> Result:
    """Every step has its rule; what a text does beyond the rules at hand simply happens."""
    table = battle.table
    match step:
        case Declare():
            return _declare(table, step)
        case Begin():
            return payment.begin(table, step, battle.declared[step.action])
        case Finish():
            return _finish(table, step, battle.declared[step.action])
        case Redirect():
            return payment.redirect(table, step)
        case Take():
            return taking.take(table, step)
        case TakeControl():
            return taking.take_control(table, step)
        case LoseControl():
            return taking.lose_control(table, step)
        case Turn():
            return taking.start_turn(table, step)
        case Counts():
            return payment.counts(table, step)
        case Close():
            return payment.close(table, step)
        case Add():
            return payment.add(table, step)
        case Remove():
            return payment.remove(table, step)
        case Put():
            return taking.way_in(table, step) or payment.place_elsewhere(table, step)
        case Open():
            return _happens(table, step.card, lambda piece: replace(piece, open=True))
        case Wound():
            return _happens(table, step.card, lambda piece: wounded(piece, step.wounds))


def _happens(table: Table, card: str, change: Callable[[Piece], Piece]) -> Result:
    """What a text does to a card in play."""
    piece = table.pieces[card]
    gone = payment.out_of_play(piece)
    if gone is not None:
        return refused(table, gone)
    return Result(table.put(change(piece)), Outcome.DONE, ())


def _declare(table: Table, step: Declare) -> Result:
    """501.1, with the search and the cells of a taking as part of it (532.3.1, 532.6)."""
    result = payment.declare(table, step)
    if step.take is None:
        return result
    trial = taking.take(table, step.take)
    breaches = (*result.breaches, *trial.breaches)
    if breaches:
        return refused(table, *breaches)
    if trial.outcome is Outcome.CANCELLED:
        gone = table.end(step.name, trial.rules[0])
        return replace(trial, table=gone, freed=result.declared)
    return result


def _finish(table: Table, step: Finish, declared: Declare) -> Result:
    """501.13, then the taking that was declared; what cannot come any more does not."""
    result = payment.finish(table, step)
    if result.breaches or declared.take is None or not step.blocking:
        return result
    player = table.pending[step.action].player
    taken = taking.take(result.table, replace(declared.take, player=player))
    outcome = Outcome.FAILS if taken.breaches else Outcome.DONE
    rules = (*result.rules, *taken.rules)
    return replace(result, table=taken.table, outcome=outcome, rules=rules, breaches=taken.breaches)


def _changes(before: Table, after: Table, what: Callable[[Piece], str]) -> tuple[Change, ...]:
    """The cards of which something is not what it was."""
    return tuple(
        Change(handle, what(before.pieces[handle]), what(piece))
        for handle, piece in after.pieces.items()
        if what(before.pieces[handle]) != what(piece)
    )
