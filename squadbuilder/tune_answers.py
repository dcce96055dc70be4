"""What a race of swaps found, as the fields of an answer (docs/evaluation.md)."""

from typing import Any

from squadbuilder.estimates import Estimate, mean
from squadbuilder.race import Race, Standing

Fields = dict[str, Any]
DIGITS = 4


def tune_fields(race: Race) -> Fields:
    """Where a race stands: the rounds planned, what judged the swaps left, and these, best first."""
    question, plan = race.question, race.plan
    return {
        "cards": len(question.deck),
        "player": question.player.value,
        "seed": question.seed,
        "rules": question.rules.name,
        "objective": [goal.name for goal in question.objective],
        "complete": race.complete,
        "candidates": race.entered,
        "budget": plan.compared,
        "rounds": [{"swaps": each.swaps, "deals": each.stop} for each in plan.race],
        "fresh": race.fresh,
        "deals": race.worth.number,
        "level": race.level,
        "mean": round(race.worth.mean, DIGITS) if race.worth.number else None,
        "ci95": _interval(mean(race.worth)),
        "swaps": [_swap(standing, question.objective[0].sign) for standing in race.standings()],
    }


def _swap(standing: Standing, sign: int) -> Fields:
    return {
        "out": standing.swap.out.name,
        "into": standing.swap.into.name,
        "deals": standing.gain.number,
        "difference": round(standing.gain.mean, DIGITS),
        "interval": _interval(standing.estimate),
        "verdict": _verdict(standing.estimate, sign),
    }


def _verdict(found: Estimate | None, sign: int) -> str:
    """A gain or a loss if the whole interval says so."""
    if found is None or found.low <= 0 <= found.high:
        return "open"
    return "gain" if sign * found.value > 0 else "loss"


def _interval(found: Estimate | None) -> list[float] | None:
    return None if found is None else [round(found.low, DIGITS), round(found.high, DIGITS)]
