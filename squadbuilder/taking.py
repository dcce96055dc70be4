"""Taking cards into the squad in battle (взятие карт в отряд: 532), one function a paragraph."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from squadbuilder.squad import NO_ELEMENTS, fits
from squadbuilder.table_state import CELLS, Cell, Piece, Table, Zone
from squadbuilder.table_steps import (
    Breach,
    BreachCode,
    LoseControl,
    Outcome,
    Put,
    Result,
    Side,
    Take,
    TakeControl,
    Taken,
    Terms,
    Turn,
    Way,
    Where,
    refused,
)
from squadbuilder.terms import ROWS, Element, Player

DEFAULTS: Mapping[Way, Terms] = {
    Way.SUMMON: Terms(Side.OWN, Where.BESIDE, open=True, revealed=True),
    Way.REVIVE: Terms(Side.OWN, Where.BESIDE, open=True, revealed=True),
    Way.INCARNATE: Terms(Side.OWN, Where.THIRD_ROW, open=False, revealed=True),
}
"""532.3, 532.4, 532.5: the seven defaults, item by item; a card's text may change each."""

RULE = {Way.SUMMON: "532.3", Way.REVIVE: "532.4", Way.INCARNATE: "532.5"}
FROM = {Way.SUMMON: Zone.DECK, Way.REVIVE: Zone.GRAVEYARD, Way.INCARNATE: Zone.GRAVEYARD}


def other(player: Player) -> Player:
    """The opponent (противник)."""
    return Player.SECOND if player is Player.FIRST else Player.FIRST


def barring(table: Table, piece: Piece, player: Player) -> tuple[str, ...]:
    """532.8: the cards in a player's squad with which this card says that it may not be taken.

    The same restriction as in recruitment (`not_with`), but it bars only the card that carries it.
    """
    text = piece.card.effect.not_with
    if text is None:
        return ()
    squad = [one for one in table.squad(player) if one.handle != piece.handle]
    found = [one.handle for one in squad if fits(text.cards, one.card, _elements(one, squad))]
    return tuple(found) if len(found) > text.at_most else ()


def _elements(piece: Piece, squad: list[Piece]) -> frozenset[Element]:
    """The elements that a card of the squad counts as having (a text may make cards neutral)."""
    texts = [one.card.effect.neutral for one in squad]
    card = piece.card
    if any(text is not None and fits(text, card, card.elements) for text in texts):
        return NO_ELEMENTS
    return card.elements


# Each check sees one card that is to be taken, on the table as it is when its turn comes.
Check = Callable[[Table, Take, Taken], Iterator[Breach]]


def _taker(table: Table, step: Take) -> Player:
    """The player who takes: who declared it, or the controller of the card that uses the ability."""
    return step.player or table.pieces[step.by].controller


def _side(table: Table, step: Take, side: Side) -> Player:
    taker = _taker(table, step)
    return other(taker) if side is Side.OPPONENT else taker


def _cell(table: Table, taken: Taken) -> Cell | None:
    """The cell that counts: cards of the auxiliary zone come to none (532.3 to 532.5)."""
    return None if table.pieces[taken.card].auxiliary else taken.cell


def from_the_right_zone(table: Table, step: Take, taken: Taken) -> Iterator[Breach]:
    """532.3, 532.4, 532.5: summoned from a deck; revived or incarnated from a graveyard."""
    if table.pieces[taken.card].place.zone is not FROM[step.way]:
        summoned = step.way is Way.SUMMON
        code = BreachCode.NOT_IN_DECK if summoned else BreachCode.NOT_IN_GRAVEYARD
        yield Breach(code, RULE[step.way], (taken.card,))


def from_own(table: Table, step: Take, taken: Taken) -> Iterator[Breach]:
    """Item 1: from one's own deck or graveyard."""
    source = step.terms.source
    if source is not Side.ANY and table.pieces[taken.card].owner is not _side(table, step, source):
        yield Breach(BreachCode.WRONG_OWNER, RULE[step.way], (taken.card,), item=1)


def on_a_right_cell(table: Table, step: Take, taken: Taken) -> Iterator[Breach]:
    """Item 2: beside the card that uses the ability; when incarnating, in the own third row."""
    cell, where = _cell(table, taken), step.terms.where
    if cell is None or where is Where.ANYWHERE:
        return
    if where is Where.BESIDE:
        here = table.pieces[step.by].place.cell
        right = here is not None and here.distance(cell) == 1
    else:
        mine = cell.half is _side(table, step, step.terms.control)
        right = mine and (cell.row == ROWS[-1] or where is Where.OWN_HALF)
    if not right:
        yield Breach(BreachCode.WRONG_CELL, RULE[step.way], (taken.card,), item=2)


def turned_as_said(table: Table, step: Take, taken: Taken) -> Iterator[Breach]:
    """Item 3: open; when incarnating, closed."""
    if step.open not in (None, step.terms.open):
        yield Breach(BreachCode.WRONG_TURN, RULE[step.way], (taken.card,), item=3)


def face_as_said(table: Table, step: Take, taken: Taken) -> Iterator[Breach]:
    """Item 4: revealed."""
    if step.revealed not in (None, step.terms.revealed):
        yield Breach(BreachCode.WRONG_FACE, RULE[step.way], (taken.card,), item=4)


def on_a_free_cell(table: Table, step: Take, taken: Taken) -> Iterator[Breach]:
    """Item 5: on a free cell."""
    together = {one.card for one in step.cards}
    cell = _cell(table, taken)
    if cell is not None and step.terms.free:
        there = [p.handle for p in table.standing_on(cell) if p.handle not in together]
        if there:
            yield Breach(BreachCode.CELL_TAKEN, RULE[step.way], tuple(there), item=5)


def one_a_cell(table: Table, step: Take, taken: Taken) -> Iterator[Breach]:
    """Item 6: of several cards taken together one a cell at most."""
    cell = _cell(table, taken)
    here = [one.card for one in step.cards if cell is not None and _cell(table, one) == cell]
    most = step.terms.per_cell
    if len(here) > most and taken.card == here[0]:
        yield Breach(
            BreachCode.CELL_SHARED, RULE[step.way], tuple(here), len(here), have=most, item=6
        )


def under_own_control(table: Table, step: Take, taken: Taken) -> Iterator[Breach]:
    """Item 7: under one's own control."""
    if step.control not in (None, step.terms.control):
        yield Breach(BreachCode.WRONG_CONTROL, RULE[step.way], (taken.card,), item=7)


def cell_declared(table: Table, step: Take, taken: Taken) -> Iterator[Breach]:
    """532.6: the declaration names the cell, but none for cards of the auxiliary zone."""
    auxiliary = table.pieces[taken.card].auxiliary
    if auxiliary and taken.cell is not None:
        yield Breach(BreachCode.CELL_NEEDLESS, "532.6", (taken.card,))
    if not auxiliary and taken.cell is None:
        yield Breach(BreachCode.CELL_MISSING, "532.6", (taken.card,))


def not_barred(table: Table, step: Take, taken: Taken) -> Iterator[Breach]:
    """532.8: a card is not taken into a squad that holds what its text bars."""
    player = _side(table, step, step.terms.control)
    if found := barring(table, table.pieces[taken.card], player):
        yield Breach(BreachCode.BARRED, "532.8", (taken.card, *found))


def incarnation_ready(table: Table, step: Take, taken: Taken) -> Iterator[Breach]:
    """532.5.1: X counters collected. 532.5.3: once a battle. 532.5.4: the largest X counts."""
    piece = table.pieces[taken.card]
    if step.way is not Way.INCARNATE:
        return
    if not piece.incarnation:
        yield Breach(BreachCode.NO_INCARNATION, "532.5", (taken.card,))
    elif piece.incarnated:
        yield Breach(BreachCode.INCARNATED, "532.5.3", (taken.card,))
    elif (have := piece.incarnation_counters) < (need := x(piece)):
        rule = "532.5.1" if have < min(piece.incarnation) else "532.5.4"
        yield Breach(BreachCode.COUNTERS_SHORT, rule, (taken.card,), need=need, have=have)


CARD: dict[str, Check] = {
    "532.3": from_the_right_zone,
    "532.5.1": incarnation_ready,
    "item 1": from_own,
    "item 2": on_a_right_cell,
    "item 3": turned_as_said,
    "item 4": face_as_said,
    "item 5": on_a_free_cell,
    "item 6": one_a_cell,
    "item 7": under_own_control,
    "532.6": cell_declared,
    "532.8": not_barred,
}
"""What every card that is summoned, revived or incarnated is checked by."""


def x(piece: Piece) -> int:
    """532.5.4: of several abilities "incarnation X" only the one with the largest X works."""
    return max(piece.incarnation)


def search(table: Table, step: Take) -> Result | None:
    """What ends a taking before it starts: a skipped ability (523.3.2), a search in vain (532.3.1)."""
    if step.skip:
        if step.triggered and step.way is Way.SUMMON:
            return Result(table, Outcome.SKIPPED, ("523.3.2",))
        return refused(table, Breach(BreachCode.NOT_TRIGGERED, "523.3.2", (step.by,)))
    if step.cards:
        return None
    side = step.terms.source
    decks = tuple(Player) if side is Side.ANY else (_side(table, step, side),)
    return Result(table, Outcome.CANCELLED, ("532.3.1",), shuffled=decks)


def take(table: Table, step: Take) -> Result:
    """532.3, 532.4, 532.5: cards come into play one after another, or none does."""
    if (ended := search(table, step)) is not None:
        return ended
    after = table
    breaches: list[Breach] = []
    for taken in step.cards:
        found = [breach for check in CARD.values() for breach in check(after, step, taken)]
        breaches += found
        if not found:
            after = _come_in(after, step, taken)
    if breaches:
        waits = step.way is Way.INCARNATE and _will_pass(table, step, breaches)
        rules = tuple(dict.fromkeys(breach.rule for breach in breaches))
        if waits:
            return Result(table, Outcome.WAITS, ("532.5.2", *rules), tuple(breaches))
        return Result(table, Outcome.REFUSED, rules, tuple(breaches))
    rules = (RULE[step.way], *(("532.5.1",) if step.way is Way.INCARNATE else ()))
    return Result(after, Outcome.DONE, rules)


def _will_pass(table: Table, step: Take, breaches: list[Breach]) -> bool:
    """532.5.2: does the incarnation only wait, for a bar to be lifted or a free cell in the third row?"""
    codes = {breach.code for breach in breaches}
    full = not free_third_row(table, _side(table, step, step.terms.control))
    for_cell = {BreachCode.CELL_TAKEN, BreachCode.CELL_MISSING}
    return codes <= {BreachCode.BARRED, *for_cell} and (full or BreachCode.BARRED in codes)


def _come_in(table: Table, step: Take, taken: Taken) -> Table:
    """The card enters play: turned and faced as the terms say, in the auxiliary zone or on its cell."""
    piece = replace(
        table.pieces[taken.card],
        open=step.terms.open,
        revealed=step.terms.revealed,
        incarnation_counters=0,
        incarnated=table.pieces[taken.card].incarnated or step.way is Way.INCARNATE,
    )
    return table.enter(piece, taken.cell, _side(table, step, step.terms.control), RULE[step.way])


def free_third_row(table: Table, player: Player) -> list[str]:
    """532.5.2: the free cells of a player's third row."""
    return [
        name
        for name, cell in CELLS.items()
        if cell.half is player and cell.row == ROWS[-1] and not table.standing_on(cell)
    ]


def start_turn(table: Table, step: Turn) -> Result:
    """532.5.1: at the start of the own turn each card waiting in the graveyard gets a counter.

    Marks of uses "a turn" are of the turn that has ended.
    """
    after = table
    for piece in table.pieces.values():
        fresh = replace(piece, used_this_turn={})
        if _collects(piece) and piece.owner is step.player:
            fresh = replace(fresh, incarnation_counters=piece.incarnation_counters + 1)
        after = after.put(fresh)
    return Result(after, Outcome.DONE, ("532.5.1",))


def _collects(piece: Piece) -> bool:
    unused = bool(piece.incarnation) and not piece.incarnated
    return unused and piece.place.zone is Zone.GRAVEYARD


def hindrances(table: Table, piece: Piece) -> tuple[Breach, ...]:
    """532.5.2: why a card that has its counters must wait in the graveyard."""
    found = []
    if not piece.auxiliary and not free_third_row(table, piece.owner):
        found.append(Breach(BreachCode.NO_FREE_CELL, "532.5.2", (piece.handle,)))
    if cards := barring(table, piece, piece.owner):
        found.append(Breach(BreachCode.BARRED, "532.8", (piece.handle, *cards)))
    return tuple(found)


def ready(table: Table) -> list[Piece]:
    """532.5.1: the cards in graveyards that have collected their X counters."""
    return [
        piece
        for piece in table.pieces.values()
        if _collects(piece) and piece.incarnation_counters >= x(piece)
    ]


def way_in(table: Table, step: Put) -> Result | None:
    """532.1: from deck, graveyard or exile a card joins a squad only by being taken."""
    piece = table.pieces[step.card]
    if step.to.zone in (Zone.FIELD, Zone.AUXILIARY) and not piece.in_play:
        return refused(table, Breach(BreachCode.NO_WAY_IN, "532.1", (step.card,)))
    return None


def take_control(table: Table, step: TakeControl) -> Result:
    """532.7: the player controls the card from now on, the opponent no more."""
    piece = table.pieces[step.card]
    if not piece.in_play:
        return refused(table, Breach(BreachCode.NOT_IN_PLAY, "532.7", (step.card,)))
    if piece.controller is step.player:
        return refused(table, Breach(BreachCode.CONTROLLED_ALREADY, "532.7", (step.card,)))
    if found := barring(table, piece, step.player):
        return refused(table, Breach(BreachCode.BARRED, "532.8", (step.card, *found)))
    return Result(table.put(_under(piece, step.player)), Outcome.DONE, ("532.7",))


def lose_control(table: Table, step: LoseControl) -> Result:
    """532.7: a card that is lost goes to the opponent; 532.7.1: unless he may not have it."""
    piece = table.pieces[step.card]
    if not piece.in_play:
        return refused(table, Breach(BreachCode.NOT_IN_PLAY, "532.7", (step.card,)))
    player = other(piece.controller)
    if found := barring(table, piece, player):
        barred = Breach(BreachCode.BARRED, "532.8", (step.card, *found))
        return Result(table, Outcome.STAYS, ("532.7.1", "532.8"), (barred,))
    return Result(table.put(_under(piece, player)), Outcome.DONE, ("532.7",))


def _under(piece: Piece, player: Player) -> Piece:
    return replace(piece, controller=player, joined="532.7")
