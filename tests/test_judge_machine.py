"""Random battles: whatever is declared, paid and taken, the table stays a table."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from squadbuilder.battle import Battle, judge_step
from squadbuilder.cards import catalogue
from squadbuilder.reading import Text
from squadbuilder.scenario import read_scenario
from squadbuilder.table_state import CELLS, IN_PLAY, USES, Kind, Piece, Place, Resource, Zone
from squadbuilder.table_steps import (
    AbilityText,
    Add,
    Begin,
    Close,
    Declare,
    Finish,
    LoseControl,
    Open,
    Outcome,
    Put,
    Redirect,
    Remove,
    Side,
    Step,
    Take,
    TakeControl,
    Taken,
    Terms,
    Turn,
    Verdict,
    Way,
    Where,
    Wound,
)
from squadbuilder.taking import DEFAULTS
from squadbuilder.terms import Player

TABLE = """
cards:
  Борг: {owner: first, at: first c1, counters: {фишка: 2}, limits: {фишка: 4}, extra_lives: 1}
  Ведьмак: {owner: first, at: first b2, counters: {жетон: 1}}
  Моровой всадник: {owner: first, at: graveyard}
  Скелет: {owner: first, at: deck}
  Мантикора: {owner: first, at: deck}
  Дракон-зомби: {owner: second, at: second c1, incarnation: 1, limits: {фишка: 1}}
  Орк: {owner: second, at: second c2, counters: {фишка: 3}}
  Вестник мора: {owner: second, at: graveyard, incarnation: 1}
  Тролль: {owner: second, at: exile}
steps: [{turn: first}]
"""
START = read_scenario(Text("table", TABLE), catalogue()).table
NAMES = ("фишка", "жетон")
HANDLES = st.sampled_from(sorted(START.pieces))
CELL = st.sampled_from([None, *CELLS.values()])
COUNTERS = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 3), max_size=2)
PLACES = st.sampled_from(
    [*(Place(zone) for zone in Zone if zone is not Zone.FIELD)]
    + [Place(Zone.FIELD, cell) for cell in CELLS.values()]
)


@st.composite
def prices(draw: st.DrawFn, source: str) -> tuple[Resource, ...]:
    """A price with at most one demand of a kind and name."""
    found: dict[tuple[str, Kind, str], Resource] = {}
    for _ in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from([kind for kind in Kind if kind not in USES]))
        card = draw(st.sampled_from([source, source, draw(HANDLES)]))
        named = kind in (Kind.COUNTERS, Kind.ADDED_COUNTERS)
        name = draw(st.sampled_from(NAMES)) if named else ""
        single = kind in (Kind.ACTION, Kind.DESTROY, Kind.TO_DECK)
        amount = 1 if single else draw(st.integers(1, 4))
        resource = Resource(card, kind, amount, name)
        found[resource.same] = resource
    return tuple(found.values())


@st.composite
def takes(draw: st.DrawFn, way: Way, by: str) -> Take:
    """One or two cards to be taken, by the defaults or with a generous text."""
    handles = draw(st.lists(HANDLES, min_size=1, max_size=2, unique=True))
    generous = Terms(Side.ANY, Where.ANYWHERE, open=True, revealed=True, control=Side.OPPONENT)
    terms = draw(st.sampled_from([DEFAULTS[way], generous]))
    cards = tuple(Taken(handle, draw(CELL)) for handle in handles)
    source = handles[0] if way is Way.INCARNATE else by
    return Take(way, source, cards, terms)


class AtTheTable(RuleBasedStateMachine):
    """Two players who try everything, and texts that do anything."""

    @initialize()
    def sit_down(self) -> None:
        self.battle = Battle(START, {})
        self.begun: list[str] = []
        self.paid: list[str] = []
        self.left: set[str] = set()

    def happens(self, step: Step) -> Verdict:
        """The step, and what must be true of every step."""
        before = self.battle.table
        self.battle, verdict = judge_step(self.battle, step)
        after = self.battle.table
        result = verdict.result
        if result.outcome is Outcome.REFUSED:
            assert after is before and result.breaches
        assert verdict.allowed or result.rules
        reserved = {one.card for act in after.pending.values() if act.begun for one in act.pledged}
        for handle, piece in after.pieces.items():
            if not piece.in_play:
                self.left.add(handle)  # what it had reserved is lost (501.13)
            elif handle not in reserved:
                self.left.discard(handle)
            if before.moving(handle, begun=True) and handle not in self.left:
                assert piece.open or not before.pieces[handle].open, "closed while moving"
            self.nothing_from_nowhere(before.pieces[handle], piece, step, verdict)
        return verdict

    def nothing_from_nowhere(
        self, before: Piece, after: Piece, step: Step, verdict: Verdict
    ) -> None:
        """Counters, extra lives, movement and wounds change by what is paid or said, once."""
        if not (before.in_play and after.in_play):
            return
        spent: dict[tuple[Kind, str], int] = {}
        for one in (*verdict.result.paid, *verdict.result.prepaid):
            if one.card == before.handle:
                assert (one.kind, one.name) not in spent, "paid twice"
                spent[one.kind, one.name] = one.amount
        done = verdict.allowed and isinstance(step, Add | Remove) and step.card == before.handle
        for name in NAMES:
            change = spent.get((Kind.ADDED_COUNTERS, name), 0) - spent.get((Kind.COUNTERS, name), 0)
            if done and isinstance(step, Add):
                change += step.counters.get(name, 0)
            if done and isinstance(step, Remove):
                change -= min(before.counters.get(name, 0), step.counters.get(name, 0))
            assert after.counters.get(name, 0) == before.counters.get(name, 0) + change
        assert after.extra_lives == before.extra_lives - spent.get((Kind.EXTRA_LIVES, ""), 0)
        if (Kind.ACTION, "") in spent:
            assert before.open and not after.open and after.movement == 0
        elif isinstance(step, Begin | Finish):
            assert after.open is before.open
            assert after.movement == before.movement - spent.get((Kind.MOVEMENT, ""), 0)
        if isinstance(step, Begin | Finish):
            assert after.wounds == before.wounds + spent.get((Kind.WOUNDS, ""), 0)

    @rule(data=st.data(), source=HANDLES, aims=st.lists(HANDLES, max_size=2))
    def declare(self, data: Any, source: str, aims: list[str]) -> None:
        name = str(len(self.battle.declared))
        text = AbilityText(
            range=data.draw(st.sampled_from([None, 1, 3])),
            per_turn=data.draw(st.sampled_from([None, 1, 2])),
            per_battle=data.draw(st.sampled_from([None, 1])),
            different=data.draw(st.sampled_from([None, "серия"])),
        )
        taken = None
        if data.draw(st.integers(0, 3)) == 0:
            way = data.draw(st.sampled_from([Way.SUMMON, Way.REVIVE]))
            taken = data.draw(takes(way, source))
        player = data.draw(st.sampled_from([None, *Player]))
        pay = data.draw(prices(source))
        self.happens(Declare(name, source, player, tuple(aims), pay, text, taken))

    def some_action(self, data: Any, live: Mapping[str, object]) -> str | None:
        known = sorted(live) if live and data.draw(st.booleans()) else sorted(self.battle.declared)
        return data.draw(st.sampled_from(known)) if known else None

    @rule(data=st.data())
    def begin(self, data: Any) -> None:
        if (name := self.some_action(data, self.battle.table.pending)) is not None:
            result = self.happens(Begin(name)).result
            if result.outcome is not Outcome.REFUSED:
                assert name not in self.begun, "begun twice"
                self.begun.append(name)

    @rule(data=st.data(), blocking=st.booleans())
    def finish(self, data: Any, blocking: bool) -> None:
        live = {name: one for name, one in self.battle.table.pending.items() if one.begun}
        if (name := self.some_action(data, live)) is not None:
            result = self.happens(Finish(name, blocking)).result
            if result.outcome is not Outcome.REFUSED:
                assert name not in self.paid, "paid twice"
                self.paid.append(name)
                asked = self.battle.declared[name].pay
                for one in result.paid:
                    wanted = [some.amount for some in asked if some.same == one.same]
                    assert one.kind in USES or one.amount <= sum(wanted)

    @rule(data=st.data(), to=HANDLES, payment=st.booleans())
    def redirect(self, data: Any, to: str, payment: bool) -> None:
        if (name := self.some_action(data, self.battle.table.pending)) is not None:
            self.happens(Redirect(name, to, payment))

    @rule(data=st.data(), way=st.sampled_from(Way), by=HANDLES)
    def take(self, data: Any, way: Way, by: str) -> None:
        self.happens(data.draw(takes(way, by)))

    @rule(card=HANDLES, player=st.sampled_from(Player))
    def take_control(self, card: str, player: Player) -> None:
        self.happens(TakeControl(card, player))

    @rule(card=HANDLES)
    def lose_control(self, card: str) -> None:
        self.happens(LoseControl(card))

    @rule(player=st.sampled_from(Player))
    def turn(self, player: Player) -> None:
        self.happens(Turn(player))

    @rule(card=HANDLES)
    def close(self, card: str) -> None:
        self.happens(Close(card))

    @rule(card=HANDLES)
    def open(self, card: str) -> None:
        self.happens(Open(card))

    @rule(card=HANDLES, counters=COUNTERS, movement=st.integers(0, 2))
    def add(self, card: str, counters: dict[str, int], movement: int) -> None:
        self.happens(Add(card, counters, movement))

    @rule(card=HANDLES, counters=COUNTERS, movement=st.integers(0, 2))
    def remove(self, card: str, counters: dict[str, int], movement: int) -> None:
        self.happens(Remove(card, counters, movement))

    @rule(card=HANDLES, wounds=st.integers(1, 9))
    def wound(self, card: str, wounds: int) -> None:
        self.happens(Wound(card, wounds))

    @rule(card=HANDLES, to=PLACES)
    def put(self, card: str, to: Place) -> None:
        self.happens(Put(card, to))

    @invariant()
    def nothing_is_below_zero(self) -> None:
        for piece in self.battle.table.pieces.values():
            assert piece.movement >= 0 and piece.extra_lives >= 0 and piece.wounds >= 0
            assert piece.incarnation_counters >= 0
            assert all(count > 0 for count in piece.counters.values())
            assert not piece.in_play or piece.life == 0 or piece.life_left > 0

    @invariant()
    def every_card_is_in_one_place_under_one_player(self) -> None:
        table = self.battle.table
        assert set(table.pieces) == set(START.pieces)
        for piece in table.pieces.values():
            assert piece.owner is START.pieces[piece.handle].owner
            assert (piece.place.cell is not None) == (piece.place.zone is Zone.FIELD)
            assert (piece.place.zone in IN_PLAY) == piece.in_play
            assert piece.in_play or piece.controller is piece.owner
            squads = [player for player in Player if piece in table.squad(player)]
            assert squads == ([piece.controller] if piece.in_play else [])

    @invariant()
    def what_is_reserved_is_there(self) -> None:
        table = self.battle.table
        for action in table.pending.values():
            for one in action.pledged if action.begun else ():
                owned = table.owned(one)
                if one.kind in USES or owned is None or one.card in self.left:
                    continue
                assert table.pledged(one, begun=True) <= owned

    @invariant()
    def marks_keep_within_their_limits(self) -> None:
        for piece in self.battle.table.pieces.values():
            for name, most in piece.limits.items():
                assert piece.counters.get(name, 0) <= most

    @invariant()
    def who_has_incarnated_gathers_no_counters(self) -> None:
        for piece in self.battle.table.pieces.values():
            assert not (piece.incarnated and piece.incarnation_counters)


AtTheTable.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestAtTheTable = AtTheTable.TestCase


class AtTheTableForLong(AtTheTable):
    """The same for many long battles."""


AtTheTableForLong.TestCase.settings = settings(
    max_examples=1500, stateful_step_count=50, deadline=None
)
TestAtTheTableForLong = pytest.mark.deep(AtTheTableForLong.TestCase)
