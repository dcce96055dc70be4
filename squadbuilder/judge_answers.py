"""The judge's rulings as JSON documents, and the messages that they share with the text for people."""

from collections.abc import Iterable, Mapping, Sequence

from squadbuilder.effects import Unmodelled
from squadbuilder.expected import unmet
from squadbuilder.messages import Speaker
from squadbuilder.reading import Term
from squadbuilder.scenario import Line
from squadbuilder.table_state import Counters, Piece, Resource, Table
from squadbuilder.table_steps import STORES, Breach, Change, Verdict


def resource_text(resource: Resource, speaker: Speaker) -> str:
    """A resource in words, with the card that it belongs to."""
    what = speaker.say(f"resource_{resource.kind.value}", n=resource.amount, name=resource.name)
    return speaker.say("resource_of", card=resource.card, what=what)


def breach_text(breach: Breach, speaker: Speaker) -> str:
    """Why a step is not allowed, in words."""
    what = resource_text(breach.resource, speaker) if breach.resource is not None else ""
    first, *others = breach.cards or ("",)
    return speaker.say(
        f"breach_{breach.code.value}",
        card=first,
        cards=", ".join(others or breach.cards),
        need=breach.need,
        have=breach.have,
        what=what,
    )


def breach_document(breach: Breach, speaker: Speaker) -> dict[str, object]:
    """A breach with its rule, and the item of it if the rule is a list."""
    return {
        "code": breach.code.value,
        "rule": breach.rule,
        "item": breach.item,
        "message": breach_text(breach, speaker),
        "cards": list(breach.cards),
        "need": breach.need,
        "have": breach.have,
        "resource": None if breach.resource is None else resource_document(breach.resource),
    }


def resource_document(resource: Resource) -> dict[str, object]:
    """So much of a resource of a card."""
    return {
        "card": resource.card,
        "kind": resource.kind.value,
        "name": resource.name or None,
        "amount": resource.amount,
    }


def step_document(number: int, line: Line, verdict: Verdict, speaker: Speaker) -> dict[str, object]:
    """One step: allowed or not and why, and what is declared, reserved, paid and moved."""
    result = verdict.result
    missed = unmet(verdict, line.expect)
    stores = {key: [resource_document(one) for one in getattr(result, key)] for key in STORES}
    zone = result.active_zone
    return {
        "number": number,
        "line": line.line,
        "step": line.verb,
        "allowed": verdict.allowed,
        "outcome": result.outcome.value,
        "rules": list(result.rules),
        "breaches": [breach_document(one, speaker) for one in result.breaches],
        **stores,
        "moved": _changes(verdict.moved),
        "control": _changes(verdict.control),
        "shuffled": [player.value for player in result.shuffled],
        "active_zone": None if zone is None else zone.value,
        "due": list(verdict.due),
        "waiting": [
            {"card": card, "breaches": [breach_document(one, speaker) for one in why]}
            for card, why in verdict.waiting.items()
        ],
        "as_expected": not missed,
        "unmet": list(missed),
    }


def _changes(changes: Iterable[Change]) -> list[dict[str, str]]:
    return [{"card": one.card, "from": one.before, "to": one.now} for one in changes]


def piece_document(piece: Piece) -> dict[str, object]:
    """A card at the end, with what lies on it."""
    return {
        "name": piece.handle,
        "card": {"id": piece.card.id, "name": piece.card.name},
        "owner": piece.owner.value,
        "controller": piece.controller.value,
        "at": str(piece.place),
        "open": piece.open,
        "revealed": piece.revealed,
        "life": piece.life,
        "wounds": piece.wounds,
        "extra_lives": piece.extra_lives,
        "movement": piece.movement,
        "counters": dict(piece.counters),
        "used_this_turn": _named(piece.used_this_turn),
        "used_this_battle": _named(piece.used_this_battle),
        "incarnation_counters": piece.incarnation_counters,
        "incarnated": piece.incarnated,
    }


def _named(uses: Counters) -> list[dict[str, object]]:
    return [{"ability": name or None, "uses": count} for name, count in uses.items()]


def ruling_fields(
    title: str, judged: Sequence[tuple[Line, Verdict]], end: Table, speaker: Speaker
) -> Mapping[str, object]:
    """The answer of `judge`: every step, and the table at the end."""
    steps = [
        step_document(number, line, verdict, speaker)
        for number, (line, verdict) in enumerate(judged, start=1)
    ]
    return {
        "title": title,
        "allowed": all(verdict.allowed for _, verdict in judged),
        "as_expected": all(step["as_expected"] for step in steps),
        "steps": steps,
        "end": [piece_document(piece) for piece in end.pieces.values()],
    }


def notes_on(table: Table, speaker: Speaker) -> list[str]:
    """Which cards have a text that is not modelled: what it bars (532.8) is not known."""
    cards = {piece.card.name: piece.card for piece in table.pieces.values()}
    return [
        speaker.say("note_unmodelled", card=name, reason=Term("unmodelled_text"))
        for name, card in sorted(cards.items())
        if card.effect.unmodelled == Unmodelled.TEXT.value
    ]
