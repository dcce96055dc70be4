"""Recruiting at the table as a value: abilities before recruitment, then cards, undo and restart.

A session is what its actions made of the deal; the same actions make the same session. The step before
recruitment (403.1) comes first and ends with the first card of the recruitment step (403.2).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from squadbuilder.before import BeforeStep, Position
from squadbuilder.cards import Card
from squadbuilder.deal import MOST_OUTCOME, Deal
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.limits import Code, Crystal, Violation
from squadbuilder.recruit import Recruitment, State, Step
from squadbuilder.referee import Move, barred, moves_from
from squadbuilder.stated import Named, named_as, owner_of, stated_offers, unable


class Phase(str, Enum):
    """The step of the rules that a session stands in: before recruitment (403.1), recruitment (403.2)."""

    BEFORE = "before"
    RECRUIT = "recruit"


class Verb(str, Enum):
    """What a player does at the table."""

    TAKE = "take"
    USE = "use"
    UNDO = "undo"
    RESTART = "restart"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a player does.

    `cards`: the card to take; or whose ability is used and who comes along, in the order in which they
    join, or what it fetches, buries or exiles. `alone`: the ability brings, buries and exiles nothing.
    `outcome`: what a look at hidden cards has shown.
    """

    verb: Verb
    cards: tuple[Named, ...] = ()
    alone: bool = False
    outcome: int | None = None


class Bar(str, Enum):
    """Why an action is refused; each value is a message, and `RULES` has its rule number."""

    LIMITS = "bar_limits"
    BEFORE_OVER = "bar_before_over"
    NO_ABILITY = "bar_no_ability"
    NO_DECK = "bar_no_deck"
    ALREADY_TAKEN = "bar_already_taken"
    SPENT = "bar_spent"
    NOT_POSSIBLE = "bar_not_possible"
    HIDDEN_SEEN = "bar_hidden_seen"
    BEFORE_STAYS = "bar_before_stays"
    NOTHING_TAKEN = "bar_nothing_taken"


RULES = {
    Bar.LIMITS: "403.2.3",
    Bar.BEFORE_OVER: "403.1",
    Bar.NO_ABILITY: "403.1",
    Bar.NO_DECK: "403.1",
    Bar.ALREADY_TAKEN: "403.1",
    Bar.SPENT: "403.1.3",
    Bar.NOT_POSSIBLE: "403.1.2",
    Bar.HIDDEN_SEEN: "403.2.3.3",
    Bar.BEFORE_STAYS: "403.2.4",
    Bar.NOTHING_TAKEN: "403.2.4",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """The rules do not allow an action: why, and which limits it would break."""

    bar: Bar
    card: str | None = None
    violations: tuple[Violation, ...] = ()

    @property
    def rule(self) -> str:
        """The number of the rule that bars it."""
        return RULES[self.bar]


@dataclass(frozen=True, slots=True)
class Unclear:
    """An action that can be done in several ways: the player has to say which.

    `look` tells that only the result of a look at hidden cards (403.2.3.3) is not known.
    """

    card: str
    ways: tuple[Action, ...]
    look: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """Where recruiting stands after some actions; a new session for each further action."""

    recruitment: Recruitment
    begun: Position
    actions: tuple[Action, ...] = ()
    phase: Phase = Phase.BEFORE
    taken: tuple[tuple[State, Step], ...] = ()

    @property
    def state(self) -> State:
        """The squad and the purses now."""
        return self.taken[-1][0] if self.taken else self.begun.state

    @property
    def steps(self) -> tuple[Step, ...]:
        """The ledger: the steps before recruitment, then the cards recruited."""
        return (*self.begun.steps, *(step for _, step in self.taken))

    @property
    def order(self) -> tuple[Named, ...]:
        """The ledger as a player would state it."""
        return tuple(named_as(self.recruitment, step) for step in self.steps)

    def do(self, action: Action) -> "Session | Refusal | Unclear":
        """The session after this action, or why it cannot be done."""
        if action.verb is Verb.TAKE:
            return self._take(action)
        if action.verb is Verb.USE:
            return self._use(action)
        return self._take_back(action)

    # The recruitment step (403.2)

    def _take(self, action: Action) -> "Session | Refusal | Unclear":
        """403.2.3.1: a card joins. The first one ends the step before recruitment (403.1)."""
        (named,) = action.cards
        found = self.why_not(named)
        if found:
            return Refusal(Bar.LIMITS, named.card.name, found)
        kind = self.recruitment.cards.index[named.card.key]
        ways = [
            taken
            for offer in stated_offers(self.recruitment, self.state, named)
            if (taken := self.recruitment.take(self.state, kind, offer))
        ]
        if len(ways) > 1:
            return Unclear(named.card.name, tuple(self._taking(step) for _, step in ways))
        return replace(
            self,
            actions=(*self.actions, self._taking(ways[0][1])),
            phase=Phase.RECRUIT,
            taken=(*self.taken, ways[0]),
        )

    def _taking(self, step: Step) -> Action:
        return Action(Verb.TAKE, (replace(named_as(self.recruitment, step), before=None),))

    def why_not(self, named: Named) -> tuple[Violation, ...]:
        """What bars taking a card now; nothing if it may be taken."""
        absent = unable(self.recruitment, self.state, replace(named, before=None))
        if absent is not None:
            return (absent,)
        return barred(self.recruitment, self.state, named, False)

    def _take_back(self, action: Action) -> "Session | Refusal":
        """403.2.4: the last card, or all cards, of the recruitment step go back to the deal.

        What was gained with them goes; cards, crystals and effects of the step before stay.
        """
        if not self.taken:
            return self._nothing_to_take_back()
        kept = self.taken[:-1] if action.verb is Verb.UNDO else ()
        return replace(self, actions=(*self.actions, action), taken=kept)

    def _nothing_to_take_back(self) -> Refusal:
        """403.2.3.3, 403.2.4: what was done before stays, above all a look at hidden cards."""
        if not self.begun.steps:
            return Refusal(Bar.NOTHING_TAKEN)
        card = self.recruitment.cards.kinds[self.begun.steps[-1].kind]
        looked = card.effect.look is not None
        return Refusal(Bar.HIDDEN_SEEN if looked else Bar.BEFORE_STAYS, card.name)

    # The step before recruitment (403.1)

    def _use(self, action: Action) -> "Session | Refusal | Unclear":
        """403.1: an ability is used from the deal, fully executed (403.1.2)."""
        owner = _owner(action.cards)
        if owner is None:
            return Refusal(Bar.NO_ABILITY, action.cards[0].card.name)
        refusal = self.why_not_use(owner)
        if refusal is not None:
            return refusal
        known = self._outcome(owner, action)
        if owner.effect.look is not None and known is None:
            seen = range(MOST_OUTCOME + 1)
            ways = tuple(replace(action, outcome=number) for number in seen)
            return Unclear(owner.name, ways, look=True)
        recruitment = self.recruitment if known is None else self._seeing(owner, known)
        found = self._ways(recruitment, action, owner)
        if not found:
            return Refusal(Bar.NOT_POSSIBLE, owner.name, self._lacking(recruitment, owner))
        if len(found) > 1:
            return Unclear(owner.name, tuple(using for using, _ in found))
        using, position = found[0]
        return replace(
            self, recruitment=recruitment, begun=position, actions=(*self.actions, using)
        )

    def why_not_use(self, card: Card) -> Refusal | None:
        """Why the ability of a card cannot be used before recruitment now; None if it can be."""
        kind = self.recruitment.cards.index.get(card.key)
        ability = card.effect.before
        if ability is None:
            return Refusal(Bar.NO_ABILITY, card.name)
        if self.phase is Phase.RECRUIT:
            return Refusal(Bar.BEFORE_OVER, card.name)
        if ability.searches and self.recruitment.deal.deck is None:
            return Refusal(Bar.NO_DECK, card.name)
        if kind in self.begun.spent:
            return Refusal(Bar.SPENT, card.name)
        absent = unable(self.recruitment, self.state, Named(card))
        if absent is not None:
            taken = kind is not None and self.state.squad[kind] > 0
            bar = Bar.ALREADY_TAKEN if taken else Bar.LIMITS
            return Refusal(bar, card.name, () if taken else (absent,))
        if card.effect.look is None and not self._ways(
            self.recruitment, Action(Verb.USE, (Named(card),)), card
        ):
            return Refusal(Bar.NOT_POSSIBLE, card.name, self._lacking(self.recruitment, card))
        return None

    def may_use(self) -> bool:
        """Is there an ability that can be used before recruitment now?"""
        return any(self.why_not_use(card) is None for card in self.recruitment.cards.kinds)

    def _outcome(self, owner: Card, action: Action) -> int | None:
        """403.2.3.3: what the look has shown, as the player says or as the deal file does."""
        if action.outcome is None:
            return self.recruitment.deal.outcomes.get(owner.key)
        if owner.effect.look is None:
            raise InputError(ErrorCode.OUTCOME_NOT_ASKED, Where(key=owner.name), card=owner.name)
        return action.outcome

    def _seeing(self, owner: Card, number: int) -> Recruitment:
        deal = self.recruitment.deal
        return Recruitment(replace(deal, outcomes={**deal.outcomes, owner.key: number}))

    def _ways(
        self, recruitment: Recruitment, action: Action, owner: Card
    ) -> list[tuple[Action, Position]]:
        """The different ways to use the ability as the player says, each spelled out."""
        found: list[tuple[Action, Position]] = []
        done: set[object] = set()
        for after in BeforeStep(recruitment).uses(self.begun):
            new = after.steps[len(self.begun.steps) :]
            if not self._as_said(action, owner, new):
                continue
            choices = tuple(step.choices for step in new)
            does = (after.state, after.deck, after.spent, choices, tuple(s.kind for s in new))
            if does not in done:
                done.add(does)
                found.append((self._using(new, action.outcome), after))
        return _first_orders(found) if len(action.cards) == 1 else found

    def _as_said(self, action: Action, owner: Card, steps: Sequence[Step]) -> bool:
        """Is this use what the player says? Cards named beside are exactly those that it involves."""
        kinds = self.recruitment.cards.kinds
        if kinds[owner_of(steps)].key != owner.key:
            return False
        own = next(step for step in steps if kinds[step.kind].key == owner.key)
        said = action.cards
        if len(said) == 1 or len(steps) == 1:
            stated = next(named for named in said if named.card.key == owner.key)
            fitting = stated.allows(own.choices)
        else:
            fitting = len(said) == len(steps) and all(
                named.card.key == kinds[step.kind].key and named.allows(step.choices)
                for named, step in zip(said, steps, strict=True)
            )
        if not fitting:
            return False
        wanted = Counter(card.name for named in said for card in named.involving)
        wanted |= Counter(named.card.name for named in said if named.card.key != owner.key)
        beside = Counter(kinds[step.kind].name for step in steps if step is not own)
        involved = Counter(_involved(own)) | beside
        return involved == wanted if wanted or action.alone else True

    def _using(self, steps: Sequence[Step], outcome: int | None) -> Action:
        """A use as a player would say it in full."""
        cards = tuple(named_as(self.recruitment, step) for step in steps)
        own = [step for step in steps if step.use is not None and step.use.kind == step.kind]
        ability = self.recruitment.cards.kinds[owner_of(steps)].effect.before
        may_bring = ability is not None and bool(ability.fetch or ability.exile)
        alone = may_bring and not any(_involved(step) for step in own)
        return Action(Verb.USE, cards, alone, outcome)

    def _lacking(self, recruitment: Recruitment, owner: Card) -> tuple[Violation, ...]:
        """The limits that even the card alone would break, as far as they explain a refused use."""
        ability = owner.effect.before
        if ability is not None and ability.pay is not None:
            have = self.state.gold
            short = Violation(
                Code.CRYSTALS, "403.1.2", (owner.name,), ability.pay, have, Crystal.GOLD
            )
            return (short,)
        return barred(recruitment, self.state, Named(owner), False)

    # What comes next

    def moves(self) -> tuple[Move, ...]:
        """What may be taken now and at what price, and the abilities that may be used."""
        positions = (self.begun,) if self.phase is Phase.BEFORE else ()
        return moves_from(self.recruitment, (self.state,), positions)

    def here(self) -> BeforeStep:
        """Where recruitment stands, for a search that goes on from here."""
        position = self.begun._replace(state=self.state, steps=self.steps)
        return BeforeStep(self.recruitment).resumed(position, self.phase is Phase.BEFORE)

    def legal(self) -> bool:
        """Is the squad, as it stands, one that may be played (403.2.3)?"""
        return any(self.state.squad) and not self.recruitment.illegal(self.state, finished=True)


def sit_down(deal: Deal) -> Session:
    """The session before the first action."""
    recruitment = Recruitment(deal)
    return Session(recruitment, BeforeStep(recruitment).start)


def _owner(cards: Sequence[Named]) -> Card | None:
    """Whose ability is used: the card of which that is stated, else the only one that has one."""
    stated = [named.card for named in cards if named.before]
    able = [named.card for named in cards if named.card.effect.before is not None]
    return next(iter([*stated, *able]), None)


def _involved(step: Step) -> tuple[str, ...]:
    """The cards that a use finds, buries or exiles beside its own."""
    use = step.use
    if use is None:
        return ()
    return use.found + use.exiled + (use.to_graveyard if step.joins else ())


def _first_orders(ways: Iterable[tuple[Action, Position]]) -> list[tuple[Action, Position]]:
    """Of two orders of the same two cards the first: the other one can be said card by card."""
    found: dict[object, tuple[Action, Position]] = {}
    for way in ways:
        cards = sorted(_told(named) for named in way[0].cards)
        found.setdefault((*cards, way[0].alone), way)
    return list(found.values())


def _told(named: Named) -> tuple[str, ...]:
    """All that a player states of a card, to tell ways of the same action apart."""
    choices = (named.bonus, named.x, named.paid, named.before)
    return (named.card.key, *map(str, choices), *(card.key for card in named.involving))
