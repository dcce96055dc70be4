"""The answer of `place` as a JSON document, and its sentences."""

from collections.abc import Iterable

from squadbuilder.after_placement import Due, Log, LogViolation
from squadbuilder.answers import Document
from squadbuilder.line_up import LineUp, Point, Reason, ScoreTable
from squadbuilder.messages import Speaker
from squadbuilder.place_file import Depth
from squadbuilder.placement import Cell, Misplaced, Placement
from squadbuilder.recruit import Reveal


def placement_fields(
    placement: Placement, due: Iterable[Due], log: Log, speaker: Speaker
) -> Document:
    """Who lies where, what was wrong, what is open, what is revealed and used after placement."""
    return {
        "violations": [
            {
                "code": found.fault.value,
                "rule": found.rule,
                "step": found.step,
                "card": found.card,
                "cell": found.cell,
                "allowed": list(found.allowed),
                "message": misplaced_text(found, speaker),
            }
            for found in placement.violations
        ],
        "open": list(placement.open),
        "board": {cell: card.name for cell, card in placement.board.items()},
        "left": [card.name for card in placement.left],
        "returned": [card.name for card in placement.returned],
        "reveals": [
            {"card": one.card.name, "rule": one.rule, "say": due_text(one, speaker)} for one in due
        ],
        "after_placement": [
            {"card": card.name, "player": player.value} for player, card in log.uses
        ],
        "log_violations": [
            {
                "code": found.fault.value.removeprefix("log_"),
                "rule": found.rule,
                "step": found.step,
                "player": found.player.value,
                "card": found.card,
                "message": log_text(found, speaker),
            }
            for found in log.violations
        ],
    }


def misplaced_text(found: Misplaced, speaker: Speaker) -> str:
    """A step of the placement that breaks a rule, in words."""
    allowed = ", ".join(found.allowed) or speaker.say("no_cell")
    return speaker.say(
        found.fault.value, step=found.step, card=found.card, cell=found.cell, allowed=allowed
    )


def log_text(found: LogViolation, speaker: Speaker) -> str:
    """An entry of the log that breaks a rule, in words."""
    card = found.card if found.card is not None else speaker.say("log_pass")
    player = speaker.say(found.player.value)
    return speaker.say(found.fault.value, step=found.step, player=player, card=card)


def due_text(due: Due, speaker: Speaker) -> str:
    """What has to be told of a card that reveals itself, or on what that depends."""
    code = due.reveal.value
    if due.reveal is Reveal.X and due.x is None:
        code = "reveal_x_open"
    elif due.reveal is Reveal.ORDINARY and not due.certain:
        code = "reveal_if_ordinary"
    elif due.reveal is Reveal.PRICE and due.paid is None:
        code = "reveal_price_open" if due.certain else "reveal_if_price"
    return speaker.say(code, x=due.x, paid=due.paid, cost=due.card.cost)


# Line-ups


def line_up_document(found: LineUp, speaker: Speaker) -> Document:
    """A suggested line-up: cells in an allowed order of filling, and why each card stands there."""
    return {
        "score": found.score,
        "cells": {cell: card.name for cell, card in found.board.items()},
        "places": [
            {
                "cell": cell,
                "card": card.name,
                "points": sum(point.points for point in _points(found, cell)),
                "why": [
                    {
                        "reason": _word(point.reason),
                        "points": point.points,
                        "beside": point.other,
                        "message": point_text(found, point, speaker),
                    }
                    for point in _points(found, cell)
                ],
            }
            for cell, card in found.board.items()
        ],
        "stays_out": [card.name for card in found.stays_out],
    }


def _points(found: LineUp, cell: Cell) -> list[Point]:
    return [point for point in found.points if point.cell == cell]


def _word(reason: Reason) -> str:
    return reason.value.removeprefix("line_up_")


def reasons_text(found: LineUp, cell: Cell, speaker: Speaker) -> str:
    """Why a card stands on its cell, in words."""
    texts = [point_text(found, point, speaker) for point in _points(found, cell)]
    return ", ".join(texts) or speaker.say("line_up_nothing")


def point_text(found: LineUp, point: Point, speaker: Speaker) -> str:
    """One reason with its points: `shooter +60`."""
    other = None if point.other is None else found.board[point.other].name
    text = speaker.say(point.reason.value, other=other)
    return f"{text} {point.points:+d}" if point.points else text


def table_document(table: ScoreTable) -> list[Document]:
    """The table of points, an entry a line."""
    entries: list[Document] = [
        {
            "reason": _word(row.reason),
            "times": None if row.times is None else row.times.value,
            **{depth.value: row.points[depth] for depth in Depth},
        }
        for row in table.rows
    ]
    others = (
        (Reason.FORMATION, None, table.formation),
        (Reason.PREFER, None, table.prefer),
        (Reason.BESIDE, None, table.beside),
        (Reason.STAYS_OUT, table.stays_out_times.value, table.stays_out),
    )
    for reason, times, points in others:
        entries.append({"reason": _word(reason), "times": times, "points": points})
    return entries
