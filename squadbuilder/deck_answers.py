"""What was found out about a deck on one seat, as the entry of an answer (docs/evaluation.md)."""

from collections.abc import Mapping, Sequence
from typing import Any

from squadbuilder.cards import Card
from squadbuilder.estimates import Estimate, Moments, difference, mean, moments, quantile, share
from squadbuilder.evaluation import Tally, Use
from squadbuilder.mulligan import Policy
from squadbuilder.trial import Trial

Entry = dict[str, Any]
DIGITS = 4


def entry(deck: str, name: str, swaps: Sequence[str], trial: Trial) -> Entry:
    """A trial as the entry of its deck and seat; figures of an interrupted one are those so far."""
    question, found = trial.question, trial.tally
    built = found.deals - found.no_squad
    return {
        "deck": deck,
        "name": name,
        "cards": len(question.deck),
        "player": question.player.value,
        "seed": question.seed,
        "rules": question.rules.name,
        "objective": [goal.name for goal in question.objective],
        "deals": found.deals,
        "complete": trial.complete,
        "best": {
            "mean": _round(found.worth.mean),
            "ci95": _interval(mean(found.worth)),
            **_spread(found.values, (0, 10, 50, 90, 100)),
        },
        "lowest": _extreme(found.lowest),
        "highest": _extreme(found.highest),
        "no_squad": found.no_squad,
        "gold_left": _figures(found.gold_left),
        "silver_left": _figures(found.silver_left),
        "spends_all": _share(found.spends_all, built),
        "elements": {
            element: _round(number / built) for element, number in sorted(found.elements.items())
        }
        if built
        else {},
        "creatures": _figures(found.creatures),
        "flyers": _figures(found.flyers),
        "squad_cards": _figures(found.cards),
        "card_use": _card_use(question.played, found),
        "together": _together(question.played, question.together, found),
        "swaps": [
            {
                "swap": text,
                "deals": other.deals,
                "mean": _round(other.worth.mean),
                "difference": _round(other.gain.mean),
                "ci95": _interval(mean(other.gain)),
            }
            for text, other in zip(swaps, trial.swaps, strict=False)
        ],
        "mulligan": None
        if trial.policy is None
        else policy_document(trial.policy, found.worth.mean, question.objective[0].sign),
        "fell_back": found.by_search,
        "histogram": {str(value): number for value, number in sorted(found.values.items())},
    }


def policy_document(policy: Policy, first_worth: float, sign: int) -> Entry:
    """When to mulligan; `first_worth` is what deals are worth without any."""
    value = sign * float(policy.worth[0])
    return {
        "threshold": [sign * threshold for threshold in policy.thresholds],
        "rate": _round(float(policy.rate)),
        "mulligans": _round(float(policy.mulligans)),
        "value": _round(value),
        "adds": _round(value - first_worth),
    }


def _card_use(played: Sequence[Card], found: Tally) -> list[Entry]:
    copies: dict[str, list[Card]] = {}
    for card in played:
        copies.setdefault(card.key, []).append(card)
    return [
        _use_document(cards[0].name, len(cards), found.uses.get(key, Use()), found)
        for key, cards in sorted(copies.items())
    ]


def _use_document(name: str, copies: int, use: Use, found: Tally) -> Entry:
    without = found.worth - use.worth if found.deals else Moments()
    effect = difference(use.worth, without)
    every, some = share(use.in_all, use.deals), share(use.in_some, use.deals)
    return {
        "name": name,
        "copies": copies,
        "dealt": use.deals,
        "dealt_share": _round(use.deals / found.deals) if found.deals else 0,
        "in_all_best": None if every is None else _round(every.value),
        "in_all_ci95": _interval(every),
        "in_some_best": None if some is None else _round(some.value),
        "ci95": _interval(some),
        "in_hand": _round(1 - use.recruited / use.copies) if use.copies else None,
        "worth": None
        if effect is None
        else {"difference": _round(effect.value), "ci95": _interval(effect)},
    }


def _together(played: Sequence[Card], keys: Sequence[str], found: Tally) -> Entry | None:
    if not keys:
        return None
    fit = share(found.fit_together, found.deals)
    names = {card.key: card.name for card in played}
    return {
        "cards": [names.get(key, key) for key in keys],
        "dealt": found.dealt_together,
        "fit": found.fit_together,
        "share": None if fit is None else _round(fit.value),
        "ci95": _interval(fit),
    }


def _extreme(found: tuple[int, int] | None) -> Entry | None:
    return None if found is None else {"value": found[0], "index": found[1]}


def _share(hits: int, number: int) -> Entry | None:
    found = share(hits, number)
    if found is None:
        return None
    return {"share": _round(found.value), "ci95": _interval(found)}


_QUANTILES = {0: "min", 10: "p10", 50: "median", 90: "p90", 100: "max"}


def _spread(counts: Mapping[int, int], percents: Sequence[int]) -> Entry:
    if not counts:
        return {_QUANTILES[percent]: None for percent in percents}
    ends = {0: min(counts), 100: max(counts)}
    return {
        _QUANTILES[percent]: ends[percent] if percent in ends else quantile(counts, percent)
        for percent in percents
    }


def _figures(counts: Mapping[int, int]) -> Entry:
    return {"mean": _round(moments(counts).mean), **_spread(counts, (10, 50, 90))}


def _interval(found: Estimate | None) -> list[float] | None:
    return None if found is None else [_round(found.low), _round(found.high)]


def _round(number: float) -> float:
    return round(number, DIGITS)
