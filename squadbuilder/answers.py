"""Answers as JSON documents (the stable surface described by the schemas in data/schema)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from squadbuilder.deal import Deal
from squadbuilder.decks import Problem, Profile
from squadbuilder.effects import Side
from squadbuilder.errors import InputError
from squadbuilder.hidden import Outcome, unknown_looks
from squadbuilder.limits import Code, Crystal, Violation
from squadbuilder.messages import Speaker
from squadbuilder.objective import Goal, Measure, Ratings
from squadbuilder.orders import Line
from squadbuilder.recruit import Choices, Step, Use
from squadbuilder.referee import Move, Verdict
from squadbuilder.squad import Cards

if TYPE_CHECKING:
    from squadbuilder.advice import Advice

SCHEMA = 1
Document = dict[str, object]


def document(command: str, notes: Sequence[str], **fields: object) -> Document:
    """The frame that every answer has."""
    return {"schema": SCHEMA, "command": command, "notes": list(notes), **fields}


def error_document(command: str | None, error: InputError, speaker: Speaker) -> Document:
    """Bad input: what is wrong, where, and what may have been meant."""
    return {"schema": SCHEMA, "command": command, "error": error_fields(error, speaker)}


def error_fields(error: InputError, speaker: Speaker) -> Document:
    """A mistake as a value of an answer."""
    where = error.where
    return {
        "code": error.code.value,
        "message": speaker.say(error.message, **error.params),
        "where": {"file": where.file, "line": where.line, "key": where.key},
        "suggestions": list(error.suggestions),
    }


def notes_on(deal: Deal, speaker: Speaker, planned: bool = True) -> list[str]:
    """What a reader of the answer must know: texts that are not modelled, cells that are blocked, and
    where recruitment is planned, abilities that are not offered and hidden cards."""
    notes: list[str] = []
    for card in Cards(deal).kinds:
        effect = card.effect
        if effect.unmodelled:
            reason = speaker.say(f"unmodelled_{effect.unmodelled}")
            notes.append(speaker.say("note_unmodelled", card=card.name, reason=reason))
        cells = effect.blocked_cells
        if cells is not None and cells.side is Side.OPPONENT:
            notes.append(speaker.say("note_blocks", card=card.name, n=cells.number))
        searches = effect.before is not None and effect.before.searches
        if planned and searches and deal.deck is None:
            notes.append(speaker.say("note_no_deck", card=card.name))
    for card in unknown_looks(deal) if planned else ():
        notes.append(speaker.say("note_worst_outcome", card=card.name))
    return notes


def outcome_note(outcome: Outcome, cards: Cards, line: Line, speaker: Speaker) -> str:
    """What a better outcome of a look at hidden cards would allow."""
    odds = outcome.chance
    chance = "" if odds is None else speaker.say("note_chance", percent=f"{float(100 * odds):.1f}")
    names = counted(cards.kinds[kind].name for kind in cards.members(line.squad))
    values = ", ".join(
        f"{speaker.say('measure_' + key)} {value}"
        for key, value in values_of(cards, line).items()
        if key in ("cost", "elite", "gold_left")
    )
    return speaker.say(
        "note_better_outcome",
        card=outcome.card.name,
        n=outcome.number,
        chance=chance,
        cards=names,
        values=values,
    )


def outcome_document(outcome: Outcome, cards: Cards, line: Line, speaker: Speaker) -> Document:
    """A better outcome of a look at hidden cards: its chance, and the best squad then."""
    odds = outcome.chance
    return {
        "card": outcome.card.name,
        "outcome": outcome.number,
        "chance": None if odds is None else round(float(odds), 6),
        "squad": squad_document(cards, line, speaker),
    }


def values_of(cards: Cards, line: Line, ratings: Ratings | None = None) -> dict[str, int]:
    """Every measure of a squad and of what is left of its crystals."""
    return {
        measure.value: _value(cards, line, Goal(measure, ratings=ratings or Ratings()))
        for measure in Measure
    }


def _value(cards: Cards, line: Line, goal: Goal) -> int:
    return (
        goal.of_purse(line.end.gold, line.end.silver)
        + sum(n * goal.of_card(card) for card, n in zip(cards.kinds, line.squad, strict=True))
        + sum(points for pair, points in goal.pairs.items() if cards.hold_pair(pair, line.squad))
    )


def squad_document(
    cards: Cards, line: Line, speaker: Speaker, ratings: Ratings | None = None
) -> Document:
    """A squad in recruit order with its ledger."""
    return {
        "cards": [card_document(cards, step.kind) for step in line.steps if step.joins],
        "values": values_of(cards, line, ratings),
        "steps": [step_document(cards, step) for step in line.steps],
        "gold_left": line.end.gold,
        "silver_left": line.end.silver,
        "flyer_spent": line.end.flyer_spent,
        "elements": sorted(element.value for element in cards.elements(line.squad)),
        "reveals": [
            {"card": name, "say": say} for name, say in reveals(cards, line.steps, speaker)
        ],
    }


def card_document(cards: Cards, kind: int) -> Document:
    """A card by id and name."""
    card = cards.kinds[kind]
    return {"id": card.id, "name": card.name}


def step_document(cards: Cards, step: Step) -> Document:
    """One step of the ledger; what was paid is told without the penalty."""
    use = step.use or Use(step.kind)
    return {
        "phase": "recruit" if step.use is None else "before",
        "card": card_document(cards, step.kind),
        "paid": {"gold": step.gold, "silver": step.silver},
        "penalty": step.penalty,
        "gained": step.gained_gold + step.gained_silver,
        "left": {"gold": step.left_gold, "silver": step.left_silver},
        "choices": choices_document(step.choices),
        "shown": list(use.shown),
        "found": list(use.found),
        "to_graveyard": list(use.to_graveyard),
        "exiled": list(use.exiled),
        "why": list(step.rules),
    }


def choices_document(choices: Choices) -> Document:
    """The choices made; null where the card left none."""
    return {
        "bonus": choices.bonus,
        "x": choices.x,
        "paid": None if choices.paid is None else choices.paid.value,
    }


def reveals(cards: Cards, steps: Iterable[Step], speaker: Speaker) -> list[tuple[str, str]]:
    """What has to be told after placement (404.2): the card's name, and the words."""
    found: list[tuple[str, str]] = []
    for step in steps:
        if step.reveal is not None:
            card = cards.kinds[step.kind]
            params = {"x": step.choices.x, "paid": step.gold + step.silver, "cost": card.cost}
            found.append((card.name, speaker.say(step.reveal.value, **params)))
    return found


def violation_document(violation: Violation, speaker: Speaker) -> Document:
    """A broken limit with what was needed and what was there."""
    found: Document = {
        "code": violation.code.value,
        "rule": violation.rule,
        "message": violation_text(violation, speaker),
        "cards": list(violation.cards),
        "need": violation.need,
        "have": violation.have,
    }
    if violation.crystal is not None:
        found["crystal"] = violation.crystal.value
    return found


def violation_text(violation: Violation, speaker: Speaker) -> str:
    """A broken limit in words."""
    code = violation.code.value
    if violation.code is Code.CRYSTALS:
        code = "crystals_gold" if violation.crystal is Crystal.GOLD else "crystals_any"
    return speaker.say(
        code, cards=counted(violation.cards), need=violation.need, have=violation.have
    )


def counted_list(names: Iterable[str]) -> list[str]:
    """Names as the entries of a card list: `2 NAME`, or the name alone for one copy."""
    return [f"{n} {name}" if n > 1 else name for name, n in Counter(names).items()]


def counted(names: Iterable[str]) -> str:
    """Names as in a list of cards: copies of a card as one entry with their number."""
    return ", ".join(counted_list(names))


def verdict_fields(cards: Cards, verdict: Verdict, speaker: Speaker) -> Mapping[str, object]:
    """What `check` answers."""
    if verdict.line is not None:
        return {"legal": True, "squad": squad_document(cards, verdict.line, speaker)}
    fields: Document = {
        "legal": False,
        "violations": [violation_document(found, speaker) for found in verdict.violations],
    }
    if verdict.step is not None:
        fields["step"] = verdict.step
        fields["ledger"] = [step_document(cards, step) for step in verdict.ledger]
        if verdict.other_order is not None:
            fields["order"] = [cards.kinds[kind].name for kind in verdict.other_order]
    return fields


def move_document(cards: Cards, move: Move, speaker: Speaker) -> Document:
    """A card that is left in the deal, with the ways to recruit it or what bars it."""
    return {
        "card": card_document(cards, move.kind),
        "legal": bool(move.options or move.uses),
        "options": [
            {
                "paid": {"gold": step.gold, "silver": step.silver},
                "penalty": step.penalty,
                "gained": step.gained_gold + step.gained_silver,
                "choices": choices_document(step.choices),
            }
            for step in move.options
        ],
        "before": [[step_document(cards, step) for step in use] for use in move.uses],
        "violations": [violation_document(found, speaker) for found in move.violations],
    }


def advice_document(advice: "Advice") -> Document:
    """Whether to keep the deal or to mulligan."""
    promise = None if advice.promise is None else round(advice.promise, 4)
    return {
        "keep": advice.keep,
        "value": advice.value,
        "threshold": advice.threshold,
        "promise": promise,
        "deals": advice.deals,
    }


def advice_text(advice: "Advice", speaker: Speaker) -> str:
    """Whether to keep the deal or to mulligan, in words."""
    if advice.promise is None:
        return speaker.say("mulligan_none")
    code = "mulligan_keep" if advice.keep else "mulligan_take"
    facts = {"value": advice.value, "promise": f"{advice.promise:.1f}", "deals": advice.deals}
    return speaker.say(code, **facts)


def problem_document(problem: Problem, speaker: Speaker) -> Document:
    """What is wrong with a deck."""
    return {
        "code": problem.fault.value.removeprefix("deck_"),
        "message": problem_text(problem, speaker),
        "cards": list(problem.cards),
        "need": problem.need,
        "have": problem.have,
        "suggestions": list(problem.suggestions),
    }


def problem_text(problem: Problem, speaker: Speaker) -> str:
    """What is wrong with a deck, in words."""
    names = ", ".join(problem.cards)
    return speaker.say(problem.fault.value, cards=names, need=problem.need, have=problem.have)


def profile_fields(found: Profile) -> Document:
    """What a deck is made of."""
    return {
        "cards": found.cards,
        "curve": {
            "ordinary": {str(cost): n for cost, n in found.ordinary.items()},
            "elite": {str(cost): n for cost, n in found.elite.items()},
        },
        "elements": found.elements,
        "types": found.types,
        "unique": found.unique,
        "horde": found.horde,
        "flyers_worth": found.flyers_worth,
    }
