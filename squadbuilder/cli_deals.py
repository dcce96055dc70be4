"""The commands on a deal: check, next, solve, list, recruit."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from squadbuilder import answers, pages
from squadbuilder.cards import Card, Catalogue, catalogue
from squadbuilder.console import (
    COMMON,
    INTERRUPTED,
    NO,
    YES,
    Call,
    Force,
    Html,
    Maximize,
    Mulligans,
    OpponentDeck,
    Options,
    PlayerOption,
    RatingsFile,
    Rules,
    new_files,
    number_asked,
    solver_needed,
    usage,
    with_options,
    write_file,
)
from squadbuilder.deal import Deal, Overrides, read_deal
from squadbuilder.deck import read_entry
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.formats import read_deck
from squadbuilder.hidden import Outcome, better_outcomes
from squadbuilder.naming import find_in_deal, read_names
from squadbuilder.objective import DEFAULT, Goal, Objective, Ratings, read_aims
from squadbuilder.reading import STDIN
from squadbuilder.recruit import NO_CHOICE, Recruitment
from squadbuilder.referee import Verdict, judge, judge_order, moves
from squadbuilder.report import Report
from squadbuilder.stated import Named
from squadbuilder.wishes import Wishes, read_wishes

if TYPE_CHECKING:
    from squadbuilder.advice import Advice
    from squadbuilder.explain import Reasons
    from squadbuilder.orders import Line
    from squadbuilder.solve import Answer

MOST_COLLECTED = 15
"""Cards of a deal whose legal squads, fewer than 2^15, can all be collected whatever the ruleset."""

DealFile = Annotated[str, typer.Argument(metavar="DEAL", help="help_deal")]
Names = Annotated[list[str] | None, typer.Argument(metavar="NAME", help="help_names")]
NamesFile = Annotated[str | None, typer.Option("--names", metavar="FILE", help="help_names_file")]
OpponentMulligans = Annotated[
    int | None, typer.Option("--opponent-mulligans", min=0, max=99, help="help_opponent_mulligans")
]
BlockedCells = Annotated[
    int | None, typer.Option("--blocked-cells", min=0, max=99, help="help_blocked_cells")
]
DeckFile = Annotated[str | None, typer.Option("--deck", metavar="FILE", help="help_deck")]
OutcomeOption = Annotated[
    list[str] | None, typer.Option("--outcome", metavar="CARD=N", help="help_outcome")
]
AnySize = Annotated[bool, typer.Option("--any-size", help="help_any_size")]
With = Annotated[list[str] | None, typer.Option("--with", metavar="NAME", help="help_with")]
Without = Annotated[
    list[str] | None, typer.Option("--without", metavar="NAME", help="help_without")
]
Require = Annotated[
    list[str] | None, typer.Option("--require", metavar="COND", help="help_require")
]
PlanBefore = Annotated[
    bool, typer.Option("--plan-before/--no-plan-before", help="help_plan_before")
]
TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", metavar="S", min=0, help="help_time_limit")
]


@dataclass(frozen=True, slots=True)
class _Table:
    """What every command on a deal starts from."""

    call: Call
    cards: Catalogue
    deal: Deal
    recruitment: Recruitment
    from_stdin: bool

    def report(self, objective: Objective = DEFAULT, ratings: Ratings | None = None) -> Report:
        """The human form of answers on this deal."""
        cards = self.recruitment.cards
        return Report(self.call.speaker, cards, objective, ratings, self.call.plain)

    def find(self, names: Sequence[str] | None) -> list[Card]:
        """Cards of the deal named in an option."""
        kinds = self.recruitment.cards.kinds
        found: list[Card] = []
        for entry in (read_entry(name, Where()) for name in names or ()):
            card = find_in_deal(entry.name, kinds, self.cards, Where(), self.call.echo)
            found += [card] * entry.count
        return found

    def wishes(
        self,
        wanted: Sequence[str] | None,
        unwanted: Sequence[str] | None,
        conditions: Sequence[str] | None,
    ) -> Wishes:
        """The demands of `--with`, `--without` and `--require`."""
        named = self.find(wanted), self.find(unwanted)
        return read_wishes(self.recruitment.cards, *named, conditions or (), self.cards)


_DEAL_OPTIONS: Options = {
    "deal": (DealFile, Parameter.empty),
    "player": (PlayerOption, None),
    "mulligans": (Mulligans, None),
    "opponent_mulligans": (OpponentMulligans, None),
    "rules": (Rules, None),
    "blocked_cells": (BlockedCells, None),
    "deck": (DeckFile, None),
    "outcome": (OutcomeOption, None),
    "any_size": (AnySize, False),
    "plan_before": (PlanBefore, True),
    **COMMON,
}


def _on_deal(function: Callable[..., int]) -> Callable[..., int]:
    """A command on a deal: the options that every such command has beside its own."""
    return with_options(function, _DEAL_OPTIONS, _sit_down)


def _sit_down(call: Call, given: Mapping[str, Any]) -> _Table:
    """Read the deal with the options that outrank its keys."""
    cards = catalogue(given["cards_file"])
    over = Overrides(
        player=given["player"],
        mulligans=given["mulligans"],
        opponent_mulligans=given["opponent_mulligans"],
        rules=given["rules"],
        blocked_cells=given["blocked_cells"],
        deck=given["deck"],
        outcomes=tuple(given["outcome"] or ()),
        any_size=given["any_size"],
    )
    deal = read_deal(given["deal"], cards, over)
    if not given["plan_before"]:
        deal = deal.without_abilities()
    for text in answers.notes_on(deal, call.speaker):
        call.note(text)
    return _Table(call, cards, deal, Recruitment(deal), given["deal"] == STDIN)


@_on_deal
def check(
    table: _Table,
    names: Names = None,
    ordered: Annotated[bool, typer.Option("--ordered", help="help_ordered")] = False,
    names_file: NamesFile = None,
) -> int:
    """Judge a squad in any order, or in the order stated."""
    if not names and names_file is None:
        raise usage("usage_no_names")
    call, recruitment = table.call, table.recruitment
    named = read_names(names or [], names_file, table.deal, table.cards, call.echo)
    if ordered:
        verdict = judge_order(recruitment, named)
    elif any(name.stated for name in named):
        raise InputError(ErrorCode.CHOICE_WITHOUT_ORDER, Where(key="--ordered"))
    else:
        verdict = judge(recruitment, [name.card for name in named])
    _say_verdict(table, verdict, ordered, named)
    return YES if verdict.legal else NO


def _say_verdict(table: _Table, verdict: Verdict, ordered: bool, named: Sequence[Named]) -> None:
    call = table.call
    if call.json:
        call.answer(**answers.verdict_fields(table.recruitment.cards, verdict, call.speaker))
    else:
        wrong = named[verdict.step - 1].card.name if verdict.step else None
        table.report().deal(table.deal)
        table.report().verdict(verdict, ordered, wrong)
        if verdict.step:
            table.report().instead(moves(table.recruitment, named[: verdict.step - 1])[1])


@_on_deal
def next_moves(table: _Table, names: Names = None, names_file: NamesFile = None) -> int:
    """Say what may be recruited after the cards named."""
    call, recruitment = table.call, table.recruitment
    named = read_names(names or [], names_file, table.deal, table.cards, call.echo)
    verdict, found = moves(recruitment, named)
    if verdict.line is None:
        _say_verdict(table, verdict, True, named)
        return NO
    for step, name in zip(verdict.line.steps, named, strict=True):
        if not name.stated and step.choices != NO_CHOICE:
            choice = table.report().choices(step.choices)
            call.note(call.speaker.say("note_assumed", card=name.card.name, choice=choice))
    for move in found:
        if move.other_choices:
            shown = recruitment.cards.kinds[move.kind].name
            call.note(call.speaker.say("note_other_choices", card=shown))
    end = verdict.line.end
    if call.json:
        documents = [answers.move_document(recruitment.cards, m, call.speaker) for m in found]
        call.answer(gold=end.gold, silver=end.silver, moves=documents)
    else:
        table.report().moves(end.gold, end.silver, found)
    return YES if any(move.options or move.uses for move in found) else NO


@_on_deal
def solve_deal(
    table: _Table,
    maximize: Maximize = None,
    top: Annotated[int, typer.Option("--top", min=1, max=10000, help="help_top")] = 1,
    differ: Annotated[int, typer.Option("--differ", min=1, max=99, help="help_differ")] = 1,
    with_: With = None,
    without: Without = None,
    require: Require = None,
    ratings: RatingsFile = None,
    opponent_deck: OpponentDeck = None,
    time_limit: TimeLimit = None,
    mulligan: Annotated[bool, typer.Option("--mulligan", help="help_mulligan")] = False,
    html: Html = None,
    force: Force = False,
) -> int:
    """Find the best squads."""
    call = table.call
    new_files(force, html=html)
    if mulligan and table.deal.deck is None:
        raise InputError(ErrorCode.DECK_NEEDED, Where(key="--mulligan"))
    opponent = read_deck(opponent_deck, table.cards) if opponent_deck is not None else ()
    number_asked("--time-limit", time_limit, "0…")
    objective, points = read_aims(maximize, ratings, table.cards)
    wanted = table.wishes(with_, without, require)
    with solver_needed():
        from squadbuilder.solve import solve
    end = None if time_limit is None else time.monotonic() + time_limit
    with pages.Progress(call.speaker) as progress:
        answer = solve(table.deal, objective, top, wanted, differ, time_limit, progress)
        solved = _Solved(objective, points, answer, answer.interrupted, answer.cut)
        _look_further(table, solved, wanted, opponent, end)
    for outcome, line in solved.better:
        cards = table.recruitment.cards
        call.note(answers.outcome_note(outcome, cards, line, call.speaker))
    if solved.reasons is not None and solved.reasons.wishes:
        texts = ", ".join(wish.text for wish in solved.reasons.wishes)
        call.note(call.speaker.say("note_wishes", wishes=texts))
    if mulligan and answer.lines and not solved.interrupted:
        _advise(table, solved, opponent)
    _note_cut(call, solved.interrupted, solved.cut)
    _note_bound(call, objective[0], answer.bound)
    _write_page(table, solved, html, force)
    _say_solved(table, solved)
    if solved.interrupted:
        return INTERRUPTED
    return YES if answer.lines else NO


def _look_further(
    table: _Table, solved: "_Solved", wanted: Wishes, opponent: tuple[Card, ...], end: float | None
) -> None:
    """Why there is no squad; else what better outcomes of looks would allow, as far as time goes."""
    from squadbuilder.explain import why_not
    from squadbuilder.solve import Status, solve

    try:
        if solved.answer.status is Status.INFEASIBLE:
            solved.reasons = why_not(table.deal, wanted)
        for outcome in better_outcomes(table.deal, opponent):
            if solved.cut:
                break
            left = None if end is None else max(0, end - time.monotonic())
            found = solve(outcome.deal, solved.objective, 1, wanted, 1, left)
            solved.better += [(outcome, line) for line in found.lines if not found.cut]
            solved.interrupted, solved.cut = found.interrupted, found.cut
    except KeyboardInterrupt:
        solved.interrupted = True


def _advise(table: _Table, solved: "_Solved", opponent: tuple[Card, ...]) -> None:
    """Whether to keep the deal; Ctrl-C ends it without an advice."""
    try:
        with solver_needed():
            from squadbuilder.advice import advise

            value = solved.answer.lines[0].value[0]
            solved.advice = advise(table.deal, solved.objective, value, opponent)
    except KeyboardInterrupt:
        solved.interrupted = True


@dataclass(slots=True)
class _Solved:
    """What was asked of a deal and all that was found."""

    objective: Objective
    points: Ratings | None
    answer: "Answer"
    interrupted: bool
    cut: bool
    better: "list[tuple[Outcome, Line]]" = field(default_factory=list)
    reasons: "Reasons | None" = None
    advice: "Advice | None" = None

    def fields(self, table: _Table) -> dict[str, object]:
        """The document of the answer."""
        cards, speaker = table.recruitment.cards, table.call.speaker
        found: dict[str, object] = {
            "status": self.answer.status.value,
            "rules": table.deal.rules.name,
            "player": table.deal.player.value,
            "objective": [goal.name for goal in self.objective],
            "squads": [
                answers.squad_document(cards, line, speaker, self.points)
                for line in self.answer.lines
            ],
        }
        if self.better:
            found["outcomes"] = [
                answers.outcome_document(outcome, cards, line, speaker)
                for outcome, line in self.better
            ]
        if self.reasons is not None:
            found["reasons"] = [
                answers.violation_document(broken, speaker) for broken in self.reasons.violations
            ]
        if self.advice is not None:
            found["mulligan"] = answers.advice_document(self.advice)
        return found

    def advice_text(self, table: _Table) -> str | None:
        """Keep the deal or take a mulligan, in a sentence."""
        return None if self.advice is None else answers.advice_text(self.advice, table.call.speaker)


def _say_solved(table: _Table, solved: _Solved) -> None:
    if table.call.json:
        table.call.answer(**solved.fields(table))
        return
    human = table.report(solved.objective, solved.points)
    human.deal(table.deal)
    human.solution(solved.answer.status.value, solved.answer.lines)
    human.violations(solved.reasons.violations if solved.reasons is not None else ())
    advice = solved.advice_text(table)
    if advice is not None:
        human.print(advice)


def _write_page(table: _Table, solved: _Solved, html: str | None, force: bool) -> None:
    if html is None:
        return
    from squadbuilder import html_report, showcase

    call = table.call
    document = {**solved.fields(table), "notes": list(call.notes)}
    deal, advice = showcase.deal_document(table.deal), solved.advice_text(table)
    write_file(html, html_report.squads_page(call.speaker, document, deal, advice), force)
    call.note(call.speaker.say("html_written", file=html))


def _note_cut(call: Call, interrupted: bool, cut: bool = False) -> None:
    """Tell that a search was cut short, and why."""
    if interrupted:
        call.note(call.speaker.say("note_interrupted"))
    elif cut:
        call.note(call.speaker.say("note_time"))


def _note_bound(call: Call, first: Goal, bound: int | None) -> None:
    """Tell what is proved of the first goal nevertheless."""
    if bound is not None:
        word = call.speaker.say(f"measure_{first.measure.value}")
        code = "note_bound" if first.sign > 0 else "note_bound_below"
        call.note(call.speaker.say(code, measure=word, bound=first.sign * bound))


@_on_deal
def recruit(
    table: _Table,
    script: Annotated[
        str | None, typer.Option("--script", metavar="FILE", help="help_script")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="help_resume")] = False,
    new: Annotated[bool, typer.Option("--new", help="help_new")] = False,
    force: Force = False,
) -> int:
    """Recruit card by card in a conversation."""
    from squadbuilder.cli_recruit import talk

    return talk(table.call, table.deal, table.cards, script, resume, new, force, table.from_stdin)


@_on_deal
def list_squads(
    table: _Table,
    maximal: Annotated[bool, typer.Option("--maximal", help="help_maximal")] = False,
    count: Annotated[bool, typer.Option("--count", help="help_count")] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="help_limit")] = None,
    with_: With = None,
    without: Without = None,
    require: Require = None,
) -> int:
    """List or count all legal squads."""
    large = len(table.deal.cards) > MOST_COLLECTED
    if large and (count or maximal):
        name = "--count" if count else "--maximal"
        raise InputError(ErrorCode.LIST_TOO_LARGE, Where(key=name), name=name, most=MOST_COLLECTED)
    if large and limit is None:
        raise InputError(ErrorCode.LIST_NEEDS_LIMIT, Where(key="--limit"), most=MOST_COLLECTED)
    if count and limit is not None:
        raise usage("usage_not_both", one="--count", other="--limit")
    wanted = table.wishes(with_, without, require)
    with solver_needed():
        from squadbuilder.listing import list_all, list_best
    with pages.Progress(table.call.speaker) as progress:
        if large and limit is not None:
            found = list_best(table.deal, limit, DEFAULT, wanted, progress)
        else:
            found = list_all(table.deal, DEFAULT, wanted, maximal, limit, progress)
    _note_cut(table.call, found.interrupted)
    if table.call.json:
        cards = table.recruitment.cards
        squads = [[cards.kinds[k].name for k in cards.members(squad)] for squad in found.squads]
        fields: dict[str, object] = {} if count else {"squads": squads}
        table.call.answer(count=len(found.squads), complete=found.complete, **fields)
    else:
        table.report().listing(found.squads, count, found.complete)
    if found.interrupted:
        return INTERRUPTED
    return YES if found.squads else NO
