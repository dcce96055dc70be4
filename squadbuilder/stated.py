"""What a player states: cards with their choices, and an order that keeps to all of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from squadbuilder.before import BeforeStep, Position
from squadbuilder.cards import Card
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.limits import Code, Violation
from squadbuilder.recruit import Choices, Offer, Paid, Recruitment, State, Step

MOST_TRIED = 5000


@dataclass(frozen=True, slots=True)
class Named:
    """A card as a player names it, with the choices stated in brackets (None leaves one free).

    `before`: by its ability used before recruitment, or plainly (False); `involving`: the cards that
    the ability takes, finds, buries or exiles.
    """

    card: Card
    bonus: bool | None = None
    x: int | None = None
    paid: Paid | None = None
    before: bool | None = None
    involving: tuple[Card, ...] = ()

    @property
    def stated(self) -> bool:
        """Does the player state anything but the name?"""
        return (self.before, self.bonus, self.x, self.paid) != (None, None, None, None)

    def allows(self, choices: Choices) -> bool:
        """Do these choices keep to what is stated?"""
        return (
            self.bonus in (None, choices.bonus)
            and self.x in (None, choices.x)
            and self.paid in (None, choices.paid)
        )


def owner_of(steps: Sequence[Step]) -> int:
    """Whose ability these steps are."""
    use = steps[0].use
    assert use is not None
    return use.kind


def as_stated(recruitment: Recruitment, steps: Sequence[Step], stated: Sequence[Named]) -> bool:
    """Is this use of an ability what the player says? A card is only buried if that is stated."""
    kinds = recruitment.cards.kinds
    owner = owner_of(steps)
    involved = {kinds[step.kind].name for step in steps if step.kind != owner}
    for step in steps:
        if step.use is not None:
            involved.update(step.use.found, step.use.to_graveyard, step.use.exiled)
    return all(
        named.card.key == kinds[step.kind].key
        and named.allows(step.choices)
        and named.before in ((None, True) if step.kind == owner else (None, False))
        and (step.joins or named.before)
        and involved.issuperset(card.name for card in named.involving)
        for step, named in zip(steps, stated, strict=True)
    )


def named_as(recruitment: Recruitment, step: Step) -> Named:
    """A step of a ledger as a player would state it."""
    cards = recruitment.cards
    own = step.use if step.use is not None and step.use.kind == step.kind else None
    names = own.found + own.exiled + own.to_graveyard * step.joins if own is not None else ()
    named = recruitment.deal.cards + (recruitment.deal.deck or ())
    involving = tuple(next(card for card in named if card.name == name) for name in names)
    card = cards.kinds[step.kind]
    before = None if card.effect.before is None else own is not None
    return Named(card, step.choices.bonus, step.choices.x, step.choices.paid, before, involving)


def unable(recruitment: Recruitment, state: State, named: Named) -> Violation | None:
    """Why the card cannot even be tried: it is not (or no longer) dealt, or its ability is not there."""
    kind = recruitment.cards.index.get(named.card.key)
    have = state.pool[kind] if kind is not None else 0
    need = (state.squad[kind] if kind is not None else 0) + 1
    if need > have:
        return Violation(Code.NOT_IN_DEAL, "403.2.1", (named.card.name,), need=need, have=have)
    if named.before:
        return Violation(Code.BEFORE_ABILITY, "403.1.2", (named.card.name,), need=1, have=0)
    return None


def stated_offers(recruitment: Recruitment, state: State, named: Named) -> list[Offer]:
    """The ways to recruit the card that keep to the choices stated; an error if it has no such choice."""
    kind = recruitment.cards.index[named.card.key]
    offers = recruitment.offers(state.squad, kind)
    stated = [offer for offer in offers if named.allows(offer.choices)]
    if not stated:
        raise InputError(ErrorCode.CHOICE_NOT_OFFERED, Where(key=named.card.name))
    return stated


def order_as_stated(
    recruitment: Recruitment, order: Sequence[Named], weighty: set[int]
) -> tuple[int, ...] | None:
    """An order that keeps to all that is stated: uses of abilities, `weighty` cards, then the rest.

    The search is given up after `MOST_TRIED` places; then no order is claimed.
    """
    index = recruitment.cards.index
    weighty = weighty | {index[name.card.key] for name in order if name.stated}
    rest = sorted(order, key=lambda name: (index[name.card.key] not in weighty, name.card.key))
    step = BeforeStep(recruitment)
    todo = [_Rest(step, step.start, tuple(rest))]
    seen: set[object] = set()
    while todo and len(seen) < MOST_TRIED:
        place = todo.pop()
        if not place.left and not recruitment.illegal(place.position.state, finished=True):
            return place.order
        known = (place.position._replace(steps=()), place.left, place.open)
        if known not in seen:
            seen.add(known)
            todo += reversed(list(place.further(weighty)))
    return None


@dataclass(frozen=True, slots=True)
class _Rest:
    """An order half made: the cards left, those in it, and whether abilities may still be used."""

    step: BeforeStep
    position: Position
    left: tuple[Named, ...]
    order: tuple[int, ...] = ()
    open: bool = True

    def then(self, position: Position, names: Iterable[Named], open_: bool) -> "_Rest":
        """These cards came next, and led there."""
        left = list(self.left)
        for name in names:
            left.remove(name)
        index = self.step.cards.index
        order = (*self.order, *(index[name.card.key] for name in names))
        return replace(self, position=position, left=tuple(left), order=order, open=open_)

    def further(self, weighty: set[int]) -> Iterator["_Rest"]:
        """Every card or use that may come next; light cards wait, and then come as they stand."""
        recruitment, state = self.step.recruitment, self.position.state
        index = recruitment.cards.index
        names = dict.fromkeys(self.left)
        next_ = [name for name in names if index[name.card.key] in weighty] or list(names)[:1]
        if not any(state.squad):
            next_ += [name for name in names if name.card.creature and name not in next_]
        for name in next_ if not any(name.before for name in names) else ():
            kind = index[name.card.key]
            if unable(recruitment, state, name) is None:
                for offer in recruitment.offers(state.squad, kind):
                    if name.allows(offer.choices) and (
                        took := recruitment.take(state, kind, offer)
                    ):
                        yield self.then(Position(took[0], ()), (name,), False)
        for after in self.step.uses(self.position) if self.open else ():
            new = after.steps[len(self.position.steps) :]
            alike = [[n for n in names if index[n.card.key] == step.kind] for step in new]
            for stated in product(*alike):
                if as_stated(recruitment, new, stated):
                    yield self.then(after, stated, True)
