"""Declaration, reserve and payment (заявка, резерв, оплата: 501), one function a paragraph.

A declaration is checked by `DECLARATION`; execution begins with `begin`, and `finish` pays.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from squadbuilder.table_state import (
    ALWAYS_PREPAID,
    GIVEN_UP,
    USES,
    Kind,
    Pending,
    Piece,
    Resource,
    Resources,
    Table,
    Zone,
    added,
    merged,
    spend,
)
from squadbuilder.table_steps import (
    Add,
    Begin,
    Breach,
    BreachCode,
    Close,
    Counts,
    Declare,
    Finish,
    Outcome,
    Put,
    Redirect,
    Remove,
    Result,
    Traits,
    refused,
)
from squadbuilder.terms import CardType, Player

Check = Callable[[Table, Declare], Iterator[Breach]]


def prepaid(resource: Resource, source: str) -> bool:
    """501.4: life, extra lives, whole cards, and whatever another card gives are prepaid."""
    return resource.kind in ALWAYS_PREPAID or resource.card != source


def uses(step: Declare) -> Resources:
    """501.4: a limit on uses counts as a reservable resource of the source: one mark a use."""
    text = step.text
    limits = ((Kind.USE_THIS_TURN, text.per_turn), (Kind.USE_THIS_BATTLE, text.per_battle))
    return tuple(Resource(step.source, kind, 1, text.ability) for kind, most in limits if most)


def controller(table: Table, step: Declare) -> Iterator[Breach]:
    """532.2, 532.3 to 532.5, 532.7: who declares for a card must control it."""
    source = table.pieces[step.source]
    if step.player not in (None, source.controller):
        yield Breach(BreachCode.NOT_CONTROLLED, source.joined, (source.handle,))


def target_named(table: Table, step: Declare) -> Iterator[Breach]:
    """501.1: a declaration names its targets."""
    need, have = step.text.targets, len(step.targets)
    if not step.text.deferred and have < need:
        yield Breach(BreachCode.TARGET_MISSING, "501.1", need=need, have=have)


def target_deferred(table: Table, step: Declare) -> Iterator[Breach]:
    """501.2: where the target cannot be named yet, only source and resources are."""
    if step.text.deferred and step.targets:
        yield Breach(BreachCode.TARGET_TOO_EARLY, "501.2", step.targets)


def price_of_the_text(table: Table, step: Declare) -> Iterator[Breach]:
    """501.3: what is paid is what stands before the colon."""
    asked = step.text.cost
    if asked is None:
        return
    paid = {one.same: one.amount for one in step.pay}
    wanted = {one.same: one.amount for one in asked}
    for one in (*asked, *step.pay):
        need, have = wanted.get(one.same, 0), paid.get(one.same, 0)
        if need != have and (one in asked or one.same not in wanted):
            yield Breach(
                BreachCode.WRONG_PRICE, "501.3", (one.card,), need=need, have=have, resource=one
            )


def uses_left(table: Table, step: Declare) -> Iterator[Breach]:
    """501.4, 501.5: no more uses than the limit; uses declared but not marked yet count too."""
    source = table.pieces[step.source]
    for mark in uses(step):
        turn = mark.kind is Kind.USE_THIS_TURN
        most = (step.text.per_turn if turn else step.text.per_battle) or 0
        marks = source.used_this_turn if turn else source.used_this_battle
        spent = marks.get(mark.name, 0)
        free = most - spent - table.pledged(mark)
        if spent >= most:
            code, rule, need, have = BreachCode.USES_SPENT, "501.4", spent + 1, most
        elif free <= 0:
            code, rule, need, have = BreachCode.PLEDGED, "501.5", 1, free
        else:
            continue
        yield Breach(code, rule, (source.handle,), need=need, have=have, resource=mark)


def not_pledged_elsewhere(table: Table, step: Declare) -> Iterator[Breach]:
    """501.5: what is declared for one ability serves no other, whoever declares it."""
    for one in step.pay:
        owned = table.owned(one)
        free = None if owned is None else owned - table.pledged(one)
        if owned is not None and free is not None and free < one.amount <= owned:
            yield Breach(
                BreachCode.PLEDGED, "501.5", (one.card,), need=one.amount, have=free, resource=one
            )


def not_more_than_owned(table: Table, step: Declare) -> Iterator[Breach]:
    """501.6: no more than there is now; not more wounds than life left. 501.11: marker limits."""
    payer = table.pieces[step.source].controller
    for n, one in enumerate(step.pay):
        owned = _at_disposal(table, one, step.source, payer)
        if one.kind in GIVEN_UP and _given_up(one.card, step.pay[:n]):
            owned = 0
        if owned is not None and one.amount > owned:
            limit = one.kind is Kind.ADDED_COUNTERS
            code = BreachCode.MARKERS_FULL if limit else BreachCode.NOT_ENOUGH
            rule = "501.11" if limit else "501.6"
            yield Breach(code, rule, (one.card,), need=one.amount, have=owned, resource=one)


def _at_disposal(table: Table, one: Resource, source: str, payer: Player) -> int | None:
    """501.6: what there is of a resource for the payer; nothing of what the opponent controls."""
    theirs = one.card != source and table.pieces[one.card].controller is not payer
    return 0 if theirs else table.owned(one)


def _given_up(card: str, resources: Resources) -> bool:
    """Is the whole card among these resources?"""
    return any(one.card == card and one.kind in GIVEN_UP for one in resources)


def nothing_pledged_on_it(table: Table, step: Declare) -> Iterator[Breach]:
    """501.7: a card of which something is pledged elsewhere gives no prepaid resource."""
    pledged = {one.card for action in table.pending.values() for one in action.pledged}
    for one in step.pay:
        if prepaid(one, step.source) and one.card in pledged:
            yield Breach(BreachCode.CARD_PLEDGED, "501.7", (one.card,), resource=one)


def no_action_while_moving(table: Table, step: Declare) -> Iterator[Breach]:
    """501.8: who has declared a movement declares no action until it is carried out."""
    for one in step.pay:
        if one.kind is Kind.ACTION and table.moving(one.card):
            yield Breach(BreachCode.MOVING, "501.8", (one.card,), resource=one)


def targets_fit(table: Table, step: Declare) -> Iterator[Breach]:
    """501.10: what is reserved still counts when a target is chosen."""
    for handle in step.targets:
        yield from _lacking(table.pieces[handle], step.text.target, "501.10")


def targets_in_range(table: Table, step: Declare) -> Iterator[Breach]:
    """501.17: range and way of use limit the choice of the target."""
    yield from _out_of_range(table, step.source, step.targets, step.text.range)
    if step.text.different is not None:
        before = table.chosen.get(step.text.different, ())
        for n, handle in enumerate(step.targets):
            if handle in (*before, *step.targets[:n]):
                yield Breach(BreachCode.CHOSEN_BEFORE, "501.17", (handle,))


DECLARATION: dict[str, Check] = {
    "532.2": controller,
    "501.1": target_named,
    "501.2": target_deferred,
    "501.3": price_of_the_text,
    "501.4": uses_left,
    "501.5": not_pledged_elsewhere,
    "501.6": not_more_than_owned,
    "501.7": nothing_pledged_on_it,
    "501.8": no_action_while_moving,
    "501.10": targets_fit,
    "501.17": targets_in_range,
}
"""What a declaration is checked by."""


def declare(table: Table, step: Declare) -> Result:
    """501.1: the declaration stands, and its resources are spoken for (501.5)."""
    breaches = [breach for check in DECLARATION.values() for breach in check(table, step)]
    if breaches:
        return refused(table, *breaches)
    pledged = merged((*step.pay, *uses(step)))
    player = table.pieces[step.source].controller
    action = Pending(step.name, step.source, player, pledged, step.targets)
    chosen = dict(table.chosen)
    if step.text.different is not None:
        series = step.text.different
        chosen[series] = (*chosen.get(series, ()), *step.targets)
    after = replace(table, pending={**table.pending, step.name: action}, chosen=chosen)
    rules = ("501.1", "501.2") if step.text.deferred else ("501.1",)
    return Result(after, Outcome.DONE, rules, declared=pledged)


def begin(table: Table, step: Begin, declared: Declare) -> Result:
    """Execution begins: the target again, then prepayment and reserve (501.17, 501.14, 501.9)."""
    if step.action not in table.pending:
        return _ended(table, step.action)
    action = table.pending[step.action]
    if action.begun:
        return refused(table, Breach(BreachCode.BEGUN_TWICE, "501.9"))
    if waiting := tuple(_closing_while_moving(table, action)):
        return refused(table, *waiting)
    breaches = [
        *_out_of_range(table, action.source, action.targets, declared.text.range),
        *_not_fit_any_more(table, action, declared.text.target),
        *_not_there_any_more(table, action),
    ]
    if breaches:
        rules = tuple(dict.fromkeys(breach.rule for breach in breaches))
        after = table.end(action.name, rules[0])
        freed = action.pledged
        return Result(after, Outcome.CANCELLED, rules, tuple(breaches), freed=freed)
    return _prepay_and_reserve(table, action)


def _closing_while_moving(table: Table, action: Pending) -> Iterator[Breach]:
    """501.8: who is carrying out a movement is not closed, not even to pay for something else."""
    others = replace(
        table, pending={name: one for name, one in table.pending.items() if name != action.name}
    )
    for one in action.pledged:
        if one.kind is Kind.ACTION and others.moving(one.card, begun=True):
            yield Breach(BreachCode.MOVING, "501.8", (one.card,), resource=one)


def _not_fit_any_more(table: Table, action: Pending, wanted: Traits) -> Iterator[Breach]:
    """501.17: what limits the choice of the target is checked again."""
    for handle in action.targets:
        yield from _lacking(table.pieces[handle], wanted, "501.17")


def _not_there_any_more(table: Table, action: Pending) -> Iterator[Breach]:
    """501.9, 501.14: what was declared but is gone can be neither reserved nor prepaid."""
    for one in action.pledged:
        if one.kind in USES:
            continue
        owned = _at_disposal(table, one, action.source, action.player)
        if owned is None or (owned := owned - table.pledged(one, begun=True)) >= one.amount:
            continue
        early = prepaid(one, action.source)
        code = BreachCode.PREPAYMENT_GONE if early else BreachCode.NOT_RESERVED
        rule = "501.14" if early else "501.9"
        yield Breach(code, rule, (one.card,), need=one.amount, have=owned, resource=one)


def _prepay_and_reserve(table: Table, action: Pending) -> Result:
    """501.14: prepaid resources come off now. 501.15: who dies of it does not act, unless given up."""
    early = tuple(one for one in action.pledged if prepaid(one, action.source))
    reserved = tuple(one for one in action.pledged if one not in early)
    after = table
    died = []
    for one in last_things_last(early):
        piece = spend(after.pieces[one.card], one)
        after = after.put(piece)
        if one.kind is Kind.WOUNDS and not piece.in_play:
            died.append(one.card)
    if died:
        breach = Breach(BreachCode.DIED_PAYING, "501.15", tuple(died))
        ended = after.end(action.name, "501.15")
        return Result(
            ended, Outcome.CANCELLED, ("501.15",), (breach,), prepaid=early, freed=reserved
        )
    zone = _active_zone(early, action.source)
    held = _held_while_moving(table, reserved)
    begun = replace(action, pledged=reserved, begun=True, held=held, active_zone=zone)
    rules = (
        *(("501.14",) if early else ()),
        *(("501.15.1",) if zone is not None else ()),
        *(("501.9",) if reserved else ()),
        *(("501.8",) if held else ()),
    )
    return Result(
        replace(after, pending={**after.pending, action.name: begun}),
        Outcome.DONE,
        rules or ("501.9",),
        reserved=(*reserved, *held),
        prepaid=early,
        active_zone=zone,
    )


def last_things_last(resources: Resources) -> Resources:
    """The order in which one price is taken: closing costs all movement, so it comes after it."""
    return tuple(sorted(resources, key=lambda one: (one.kind in GIVEN_UP, one.kind is Kind.ACTION)))


def _held_while_moving(table: Table, reserved: Resources) -> Resources:
    """501.8: who moves keeps its action in reserve too, and gets it back without paying it."""
    acting = {one.card for one in reserved if one.kind is Kind.ACTION}
    moving = [one.card for one in reserved if one.kind is Kind.MOVEMENT and one.card not in acting]
    return tuple(Resource(card, Kind.ACTION, 1) for card in moving if table.pieces[card].open)


def _active_zone(early: Resources, source: str) -> Zone | None:
    """501.15.1: a source given up as prepayment acts from the zone it went to."""
    zones = [GIVEN_UP[one.kind] for one in early if one.kind in GIVEN_UP and one.card == source]
    return zones[0] if zones else None


def finish(table: Table, step: Finish) -> Result:
    """501.13: what was reserved is paid as far as it is left, and nothing else depends on that."""
    if step.action not in table.pending:
        return _ended(table, step.action)
    action = table.pending[step.action]
    if not action.begun:
        return refused(table, Breach(BreachCode.NOT_BEGUN, "501.13"))
    if waiting := tuple(_closing_while_moving(table, action)):
        return refused(table, *waiting)
    after = table
    paid: list[Resource] = []
    unpaid: list[Resource] = []
    freed: list[Resource] = list(action.held)
    for one in last_things_last(action.pledged):
        if one.kind in USES and not step.blocking:
            freed.append(one)
            continue
        left = _payable(after, one)
        if left:
            paid.append(replace(one, amount=left))
            after = after.put(spend(after.pieces[one.card], paid[-1]))
        if left < one.amount:
            unpaid.append(replace(one, amount=one.amount - left))
    marked = any(one.kind in USES for one in paid)
    dead = marked and not table.pieces[action.source].in_play
    rules = (
        "501.13",
        *(("501.13.1",) if dead else ()),
        *(("501.4",) if any(one.kind in USES for one in action.pledged) else ()),
        *(("501.8",) if action.held else ()),
    )
    return Result(
        after.end(action.name, "501.13"),
        Outcome.DONE,
        rules,
        paid=tuple(paid),
        unpaid=tuple(unpaid),
        freed=tuple(freed),
        active_zone=action.active_zone,
    )


def _payable(table: Table, one: Resource) -> int:
    """501.13, 501.13.1: as much as is left; marks of uses go on the card wherever it is."""
    if one.kind in USES:
        return one.amount
    if not table.pieces[one.card].in_play:
        return 0
    owned = table.owned(one)
    return one.amount if owned is None else max(0, min(one.amount, owned))


def redirect(table: Table, step: Redirect) -> Result:
    """501.17: an action turned elsewhere is not bound to its range. 501.16: a payment has no target."""
    if step.action not in table.pending:
        return _ended(table, step.action)
    if step.payment:
        return refused(table, Breach(BreachCode.PAYMENT_NO_TARGET, "501.16"))
    return Result(table, Outcome.DONE, ("501.17",))


def counts(table: Table, step: Counts) -> Result:
    """501.10: a card has what is reserved until it is paid."""
    breaches = tuple(_lacking(table.pieces[step.card], step.traits, "501.10"))
    return refused(table, *breaches) if breaches else Result(table, Outcome.DONE, ("501.10",))


def close(table: Table, step: Close) -> Result:
    """501.11: who closes to pay, or is closed, cannot be closed. 501.8: nor can who is moving."""
    piece = table.pieces[step.card]
    turned = Resource(step.card, Kind.ACTION, 1)
    if (gone := out_of_play(piece)) is not None:
        return refused(table, gone)
    if table.moving(step.card, begun=True):
        return refused(table, Breach(BreachCode.MOVING, "501.8", (step.card,), resource=turned))
    if not piece.open or table.pledged(turned, begun=True):
        full = Breach(BreachCode.MARKERS_FULL, "501.11", (step.card,), 1, 0, resource=turned)
        return refused(table, full)
    return Result(table.put(piece.closed_now()), Outcome.DONE, ("501.8",))


def add(table: Table, step: Add) -> Result:
    """501.11: markers up to their limit, less those that a reserve will put on the card."""
    piece = table.pieces[step.card]
    if step.movement and (gone := out_of_play(piece)) is not None:
        return refused(table, gone)
    breaches = []
    counters = piece.counters
    for name, amount in step.counters.items():
        marker = Resource(step.card, Kind.ADDED_COUNTERS, amount, name)
        room = table.owned(marker)
        if room is not None and amount > (room := room - table.pledged(marker, begun=True)):
            full = BreachCode.MARKERS_FULL
            breaches.append(
                Breach(full, "501.11", (step.card,), need=amount, have=room, resource=marker)
            )
        counters = added(counters, name, amount)
    if breaches:
        return refused(table, *breaches)
    more = replace(piece, counters=counters, movement=piece.movement + step.movement)
    return Result(table.put(more), Outcome.DONE, ("501.11",))


def remove(table: Table, step: Remove) -> Result:
    """501.12: reserved markers cannot be taken off."""
    piece = table.pieces[step.card]
    stated = [Resource(step.card, Kind.COUNTERS, n, name) for name, n in step.counters.items()]
    if step.movement:
        stated.append(Resource(step.card, Kind.MOVEMENT, step.movement))
    breaches = []
    for marker in stated:
        owned = table.owned(marker) or 0
        off = min(marker.amount, owned)
        free = owned - table.pledged(marker, begun=True)
        if off > free:
            held = BreachCode.MARKERS_RESERVED
            breaches.append(
                Breach(held, "501.12", (step.card,), need=off, have=max(0, free), resource=marker)
            )
        elif off:
            piece = spend(piece, replace(marker, amount=off))
    if breaches:
        return refused(table, *breaches)
    return Result(table.put(piece), Outcome.DONE, ("501.12",))


def place_elsewhere(table: Table, step: Put) -> Result:
    """501.13: what leaves the play zones loses its markers; 532.1 decides about coming in."""
    piece = table.pieces[step.card]
    if step.to.zone in (Zone.FIELD, Zone.AUXILIARY):
        return Result(table.put(replace(piece, place=step.to)), Outcome.DONE, ())
    return Result(table.put(piece.gone(step.to.zone)), Outcome.DONE, ("501.13",))


def out_of_play(piece: Piece) -> Breach | None:
    """501.13, its example: a card that has left the field cannot close and has no markers."""
    if piece.in_play:
        return None
    return Breach(BreachCode.NOT_IN_PLAY, "501.13", (piece.handle,))


def _ended(table: Table, name: str) -> Result:
    """A declaration that is no more can do nothing; the rule that ended it says why."""
    return refused(table, Breach(BreachCode.ENDED, table.ended.get(name, "501.1")))


def _lacking(piece: Piece, traits: Traits, rule: str) -> Iterator[Breach]:
    """What the card lacks of these traits; what is reserved it still has (501.10)."""
    marks = [Resource(piece.handle, Kind.COUNTERS, n, name) for name, n in traits.counters.items()]
    facts = (
        (traits.open in (None, piece.open), None),
        (traits.revealed in (None, piece.revealed), None),
        (
            piece.movement >= traits.movement,
            Resource(piece.handle, Kind.MOVEMENT, traits.movement),
        ),
        *((piece.counters.get(mark.name, 0) >= mark.amount, mark) for mark in marks),
    )
    for holds, resource in facts:
        if not holds:
            yield Breach(BreachCode.NOT_SUCH, rule, (piece.handle,), resource=resource)


def _out_of_range(
    table: Table, source: str, targets: tuple[str, ...], most: int | None
) -> Iterator[Breach]:
    """501.17, example 1: within the range, or a flyer in the auxiliary zone.

    From the auxiliary zone every cell is in range, from out of play nothing is.
    """
    if most is None:
        return
    here = table.pieces[source].place.cell
    in_play = table.pieces[source].in_play
    for handle in targets:
        target = table.pieces[handle]
        there = target.place.cell
        flyer = target.place.zone is Zone.AUXILIARY and target.card.type is CardType.FLYER
        if in_play and flyer:
            continue
        distance = here.distance(there) if here is not None and there is not None else None
        if not in_play or there is None or (distance is not None and distance > most):
            yield Breach(BreachCode.OUT_OF_RANGE, "501.17", (handle,), need=distance, have=most)
