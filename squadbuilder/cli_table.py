"""The command at the table after recruitment: placement."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Annotated, Any

import typer

from squadbuilder import answers, place_answers
from squadbuilder.after_placement import Log, has_ability, judge_log
from squadbuilder.cards import Card, catalogue
from squadbuilder.console import (
    COMMON,
    INTERRUPTED,
    NO,
    YES,
    Call,
    Options,
    PlayerOption,
    solver_needed,
    usage,
    with_options,
)
from squadbuilder.line_up import LineUp, score_table
from squadbuilder.place_file import PlaceFile, read_place_file
from squadbuilder.place_pages import PlacePages
from squadbuilder.placement import Placement, filling_orders, place
from squadbuilder.report import Report
from squadbuilder.returned import Rest, judge_rest


@dataclass(frozen=True, slots=True)
class _Field:
    """What the command starts from: the file, and its placement judged."""

    call: Call
    told: PlaceFile
    placement: Placement
    rest: Rest | None
    log: Log

    @property
    def legal(self) -> bool:
        """Is everything as the rules want: placement, log, and the squad without returned cards?"""
        squad = self.rest is None or self.rest.verdict.legal
        return squad and not self.placement.violations and not self.log.violations

    def usable(self) -> Counter[str]:
        """The cards whose ability may still be used after placement (404.2), by name."""
        able = Counter(card.name for card in self.placement.squad if has_ability(card))
        owner = self.told.deal.player
        return able - Counter(card.name for player, card in self.log.spent if player is owner)

    def fits(self, kept: Sequence[Card]) -> bool:
        """May these cards be the squad if the others find no cell (404.1)?"""
        return judge_rest(self.told, kept).verdict.legal


_OPTIONS: Options = {
    "file": (
        Annotated[str, typer.Argument(metavar="FILE", help="help_place_file")],
        Parameter.empty,
    ),
    "player": (PlayerOption, None),
    **COMMON,
}


def _on_field(function: Callable[..., int]) -> Callable[..., int]:
    return with_options(function, _OPTIONS, _lay_out)


def _lay_out(call: Call, given: Mapping[str, Any]) -> _Field:
    """Read the file and judge what it tells: placement first, then what follows it."""
    told = read_place_file(given["file"], catalogue(given["cards_file"]), given["player"])
    deal = told.deal
    squad = [one.card for one in told.squad.cards]
    placement = place(filling_orders()[deal.player], squad, told.blocked, told.placings)
    for text in answers.notes_on(told.deal, call.speaker, planned=bool(placement.returned)):
        call.note(text)
    rest = judge_rest(told, placement.squad) if placement.returned else None
    log = judge_log(
        told.log,
        deal.player,
        placement.squad,
        rest.due if rest is not None else told.squad.due,
        deal.rules,
        finished=not told.placings or not placement.left,
    )
    return _Field(call, told, placement, rest, log)


@_on_field
def place_cards(
    field: _Field,
    next_: Annotated[bool, typer.Option("--next", help="help_place_next")] = False,
    suggest: Annotated[bool, typer.Option("--suggest", help="help_suggest")] = False,
    top: Annotated[
        int | None, typer.Option("--top", min=1, max=100, help="help_top_line_ups")
    ] = None,
) -> int:
    """Judge a placement, tell the open cells, suggest a line-up."""
    if top is not None and not suggest:
        raise usage("usage_belongs", name="--top", other="--suggest")
    call = field.call
    found: tuple[LineUp, ...] | None = None
    interrupted = False
    if suggest:
        found, interrupted = _suggest(field, top or 1) if field.legal else ((), False)
    if call.json:
        call.answer(**_fields(field, found))
    else:
        _say(field, next_, found)
    if interrupted:
        return INTERRUPTED
    return YES if field.legal and found != () else NO


def _suggest(field: _Field, top: int) -> tuple[tuple[LineUp, ...], bool]:
    """The best line-ups; a note names the pins that stand in the way of all."""
    call = field.call
    with solver_needed():
        from squadbuilder.line_up_model import suggest
    answer = suggest(field.placement, field.told.wishes, score_table(), top, field.fits)
    if answer.unmet:
        pins = ", ".join(f"{cell}: {field.told.wishes.pin[cell].name}" for cell in answer.unmet)
        call.note(call.speaker.say("note_pins", pins=pins))
    if answer.refused and len(answer.line_ups) < top:
        call.note(call.speaker.say("note_refused", n=answer.refused))
    if answer.interrupted:
        call.note(call.speaker.say("note_interrupted"))
    return answer.line_ups, answer.interrupted


def _fields(field: _Field, found: tuple[LineUp, ...] | None) -> Mapping[str, object]:
    speaker = field.call.speaker
    due = field.rest.due if field.rest is not None else field.told.squad.due
    fields: dict[str, object] = {
        "player": field.told.deal.player.value,
        "legal": field.legal,
        **place_answers.placement_fields(field.placement, due, field.log, speaker),
    }
    if field.rest is not None:
        cards = field.rest.recruitment.cards
        fields["squad"] = dict(answers.verdict_fields(cards, field.rest.verdict, speaker))
    if found is not None:
        fields["suggestions"] = [place_answers.line_up_document(one, speaker) for one in found]
        fields["table"] = place_answers.table_document(score_table())
    return fields


def _say(field: _Field, next_: bool, found: tuple[LineUp, ...] | None) -> None:
    speaker = field.call.speaker
    human = PlacePages(speaker, field.call.plain)
    human.print(speaker.say(field.told.deal.player.value))
    due = field.rest.due if field.rest is not None else field.told.squad.due
    if found is None or field.placement.board:
        human.field(field.placement.board, field.told.blocked, field.placement.open)
    human.placement(field.placement, due, field.log)
    if usable := list(field.usable().elements()):
        human.print(speaker.say("place_usable", cards=answers.counted(usable)))
    if field.rest is not None:
        human.print(speaker.say("place_rest"))
        report = Report(speaker, field.rest.recruitment.cards, plain=field.call.plain)
        report.verdict(field.rest.verdict, ordered=False, last_card=None)
    if next_:
        human.next(field.placement)
    if found:
        human.line_ups(found, field.told.blocked, score_table())
    elif found is not None:
        human.print(speaker.say("line_up_none"))
