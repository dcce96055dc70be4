"""The step before recruitment (403.1): abilities used from the deal, one after another.

`BeforeStep.uses` is the rule itself: every way to use an ability now. `Beginnings` looks ahead with it:
where recruitment of a given squad can begin once abilities were used.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from copy import copy
from itertools import combinations, combinations_with_replacement
from operator import le, mul
from typing import NamedTuple

from squadbuilder.cards import Card
from squadbuilder.effects import (
    Before,
    Differ,
    Exile,
    Fetch,
    Filter,
    Look,
    Partner,
    Show,
    Source,
    Then,
)
from squadbuilder.limits import Code, Crystal
from squadbuilder.recruit import NO_CHOICE, Offer, Recruitment, Reveal, State, Step, Use
from squadbuilder.squad import Counts, fits

RULE = "403.1"


class Position(NamedTuple):
    """Where the step before recruitment stands: the deck, unique abilities spent, the ledger so far.

    `repeats` tells that the last use did no more than recruiting the same card would have done.
    """

    state: State
    deck: Counts
    spent: frozenset[int] = frozenset()
    steps: tuple[Step, ...] = ()
    repeats: bool = False

    @property
    def order(self) -> tuple[int, ...]:
        """The cards that joined so far, in order."""
        return tuple(step.kind for step in self.steps if step.joins)


class BeforeStep:
    """The abilities that the cards of one deal may use before recruitment."""

    def __init__(self, recruitment: Recruitment) -> None:
        self.recruitment = recruitment
        self.cards = recruitment.cards
        deal = recruitment.deal
        self.abilities: dict[int, Before] = {
            kind: ability
            for kind, card in enumerate(self.cards.kinds)
            if (ability := card.effect.before) is not None
            and (deal.deck is not None or not ability.searches)
        }
        left = Counter(deal.deck or ()) - Counter(deal.cards)
        self.deck_cards: tuple[Card, ...] = tuple(sorted(left, key=lambda card: card.key))
        self.start = Position(recruitment.start, tuple(left[card] for card in self.deck_cards))
        self._kind_of = [self.cards.index.get(card.key) for card in self.deck_cards]

    def resumed(self, position: Position, open_: bool) -> "BeforeStep":
        """The same step from a later position; once it is closed, nothing more can be used."""
        other = copy(self)
        other.start = position._replace(repeats=False)
        other.abilities = self.abilities if open_ else {}
        return other

    def most(self) -> Counts:
        """How many copies of each card the squad could come to hold, by deal and deck."""
        found = list(self.start.state.pool)
        for count, kind in zip(self.start.deck, self._kind_of, strict=True):
            if kind is not None and self.abilities:
                found[kind] += count
        return tuple(map(min, found, self.cards.copies))

    def uses(self, position: Position, wanted: Counts | None = None) -> Iterator[Position]:
        """Every way to use an ability now, fully executed (403.1.2); only taking cards `wanted`."""
        for kind in self.abilities:
            if not self._in_deal(position, kind) or kind in position.spent:
                continue
            if self.abilities[kind].pay is not None:
                yield from self._pay(position, kind)
            elif wanted is None or position.state.squad[kind] < wanted[kind]:
                yield from self._take(position, kind, wanted)

    def findable(self, position: Position) -> Counts:
        """What is left of the deck, as far as abilities can bring it."""
        return tuple(
            count
            for count, kind in zip(position.deck, self._kind_of, strict=True)
            if kind is not None
        )

    def _in_deal(self, position: Position, kind: int) -> int:
        return position.state.pool[kind] - position.state.squad[kind]

    def _spent(self, position: Position, kind: int) -> frozenset[int]:
        """403.1.3: the use of a unique card also spends the ability of its namesakes."""
        return position.spent | {kind} if self.cards.kinds[kind].unique else position.spent

    def _pay(self, position: Position, kind: int) -> Iterator[Position]:
        """The card goes from the deal to the graveyard for gold."""
        state, price = position.state, self.abilities[kind].pay or 0
        if state.gold < price and Code.CRYSTALS not in self.recruitment.lifted:
            return
        use = Use(kind, to_graveyard=(self.cards.kinds[kind].name,))
        gold = state.gold - price
        step = Step(
            kind, NO_CHOICE, price, 0, 0, 0, 0, gold, state.silver, None, (RULE,), use, joins=False
        )
        state = state._replace(gold=gold, pool=_less(state.pool, kind))
        yield Position(state, position.deck, self._spent(position, kind), (*position.steps, step))

    def _take(self, position: Position, kind: int, wanted: Counts | None) -> Iterator[Position]:
        """The card joins the squad, alone or with a partner; then its text goes on."""
        ability = self.abilities[kind]
        position = position._replace(spent=self._spent(position, kind))
        if ability.partner is not None:
            yield from self._with_partner(position, kind, ability.partner, ability.show, wanted)
            return
        for offer in self.recruitment.offers(position.state.squad, kind):
            changed = self._looked(kind, ability.look, offer)
            taken = self.recruitment.take(position.state, kind, changed)
            if taken is None:
                continue
            joined = position._replace(state=taken[0])
            for use, after, step in self._rest(joined, kind, ability, taken[1]):
                yield after._replace(
                    steps=(*position.steps, _before(step, use)),
                    repeats=after.state == taken[0] and changed == offer,
                )

    def _rest(
        self, position: Position, kind: int, ability: Before, step: Step
    ) -> Iterator[tuple[Use, Position, Step]]:
        """What a text does once its card is in the squad: a gain, a deck search, exile."""
        if ability.fetch is not None:
            for use, after in self._fetch(position, kind, ability.fetch, ability.show):
                yield use, after, step
        elif ability.bury is not None:
            for use, after in self._bury(position, kind, ability.bury):
                yield use, after, step
        elif ability.exile is not None:
            yield from self._exile(position, kind, ability.exile, step)
        elif ability.look is not None and ability.look.then is Then.GOLD:
            gained = self._seen(kind)
            state = position.state._replace(gold=position.state.gold + gained)
            step = step._replace(gained_gold=step.gained_gold + gained, left_gold=state.gold)
            yield Use(kind), position._replace(state=state), step
        else:
            yield Use(kind), position, step

    def _looked(self, kind: int, look: Look | None, offer: Offer) -> Offer:
        """The offer, cheaper by what was seen if the text says so."""
        if look is None or look.then is not Then.LESS:
            return offer
        return offer._replace(price=max(0, offer.price - self._seen(kind)))

    def _seen(self, kind: int) -> int:
        """The stated outcome of a look at hidden cards; the worst one if none is (403.2.3.3)."""
        return self.recruitment.deal.outcomes.get(self.cards.kinds[kind].key, 0)

    # Shows and deck searches

    def _fetch(
        self, position: Position, kind: int, fetch: Fetch, show: Show | None
    ) -> Iterator[tuple[Use, Position]]:
        """Up to so many cards move from the deck to the deal."""
        for shown in self._shown(position, show):
            places = [
                place
                for place, card in enumerate(self.deck_cards)
                if position.deck[place]
                and fits(fetch.cards, card, card.elements)
                and (not fetch.name_shown or card.key == self.cards.kinds[shown[0]].key)
            ]
            for chosen in _up_to(fetch.number, places, position.deck):
                after = position
                for place in chosen:
                    after = self._moved(after, place)
                names = tuple(self.deck_cards[place].name for place in chosen)
                yield Use(kind, self._names(shown), names), after

    def _bury(self, position: Position, kind: int, cards: Filter) -> Iterator[tuple[Use, Position]]:
        """One card goes from the deck to the graveyard."""
        for place, card in enumerate(self.deck_cards):
            if position.deck[place] and fits(cards, card, card.elements):
                after = position._replace(deck=_less(position.deck, place))
                yield Use(kind, to_graveyard=(card.name,)), after

    def _moved(self, position: Position, place: int) -> Position:
        """A card of the deck is in the deal now."""
        state, kind = position.state, self._kind_of[place]
        assert kind is not None
        pool = (*state.pool[:kind], state.pool[kind] + 1, *state.pool[kind + 1 :])
        return position._replace(state=state._replace(pool=pool), deck=_less(position.deck, place))

    def _shown(
        self, position: Position, show: Show | None, own: int | None = None
    ) -> Iterator[tuple[int, ...]]:
        """The cards of the deal that may be shown together: one example for each difference.

        A card is shown beside the one whose ability it is (`own`, while that lies in the deal).
        """
        if show is None:
            yield ()
            return
        now = self.cards.elements_now(self.cards.active_neutralisers(position.state.squad))
        fitting = [
            kind
            for kind, card in enumerate(self.cards.kinds)
            if self._in_deal(position, kind) > (kind == own) and fits(show.cards, card, now[kind])
        ]
        if show.differ is None:
            yield from ((kind,) for kind in fitting)
            return
        by_marks: dict[frozenset[object], int] = {}
        for kind in fitting:
            cost = {self.cards.kinds[kind].cost}
            marks = frozenset[object](now[kind] if show.differ is Differ.ELEMENT else cost)
            by_marks.setdefault(marks, kind)
        for chosen in combinations(by_marks, show.number):
            if sum(map(len, chosen)) == len(frozenset[object]().union(*chosen)):
                yield tuple(by_marks[marks] for marks in chosen)

    def _names(self, kinds: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.cards.kinds[kind].name for kind in kinds)

    # A second card that is taken with the first

    def _with_partner(
        self,
        position: Position,
        kind: int,
        partner: Partner,
        show: Show | None,
        wanted: Counts | None,
    ) -> Iterator[Position]:
        found = partner.source is Source.DECK
        for shown, other, after in self._partners(position, kind, partner, show):
            if wanted is not None and after.state.squad[other] >= wanted[other]:
                continue
            use = Use(kind, self._names(shown), self._names((other,) if found else ()))
            for order in ((kind, other), (other, kind)):
                for state, steps in self._both(after.state, order, kind, partner):
                    ledger = tuple(
                        _before(step, use if step.kind == kind else Use(kind)) for step in steps
                    )
                    yield after._replace(state=state, steps=(*position.steps, *ledger))

    def _partners(
        self, position: Position, kind: int, partner: Partner, show: Show | None
    ) -> Iterator[tuple[tuple[int, ...], int, Position]]:
        """Each card that may come along, with the cards shown for it, and where it then lies."""
        shows = list(self._shown(position, show, kind))
        if partner.source is Source.DECK:
            candidates = [
                (other, card, card.elements, self._moved(position, place))
                for place, card in enumerate(self.deck_cards)
                if position.deck[place] and (other := self._kind_of[place]) is not None
            ]
        else:
            now = self.cards.elements_now(self.cards.active_neutralisers(position.state.squad))
            candidates = [
                (other, card, now[other], position)
                for other, card in enumerate(self.cards.kinds)
                if self._in_deal(position, other)
            ]
        for other, card, elements, after in candidates:
            if other != kind and fits(partner.cards, card, elements):
                for shown in shows:
                    if not partner.unlike_shown or self._unlike(card, shown, show):
                        yield shown, other, after
                        break

    def _unlike(self, card: Card, shown: tuple[int, ...], show: Show | None) -> bool:
        """Has the card an element, or the cost, that no shown card has?"""
        others = [self.cards.kinds[kind] for kind in shown]
        if show is not None and show.differ is Differ.COST:
            return all(card.cost != other.cost for other in others)
        return bool(card.elements.difference(*(other.elements for other in others)))

    def _both(
        self, state: State, order: tuple[int, int], kind: int, partner: Partner
    ) -> Iterator[tuple[State, tuple[Step, Step]]]:
        """Both cards join in this order; section 3 holds after each (403.1.1)."""
        first, second = order
        for offer in self._offers(state, first, kind, partner):
            taken = self.recruitment.take(state, first, offer)
            if taken is None:
                continue
            for other in self._offers(taken[0], second, kind, partner):
                following = self.recruitment.take(taken[0], second, other)
                if following is not None:
                    yield following[0], (taken[1], following[1])

    def _offers(self, state: State, kind: int, owner: int, partner: Partner) -> Iterable[Offer]:
        offers = self.recruitment.offers(state.squad, kind)
        return offers if kind == owner else (_as_partner(offer, partner) for offer in offers)

    # Exile

    def _exile(
        self, position: Position, kind: int, text: Exile, step: Step
    ) -> Iterator[tuple[Use, Position, Step]]:
        """Up to so many cards of the deal are exiled, each paid like an ordinary card."""
        state = position.state
        now = self.cards.elements_now(self.cards.active_neutralisers(state.squad))
        fitting = [k for k, card in enumerate(self.cards.kinds) if fits(text.cards, card, now[k])]
        there = tuple(have - used for have, used in zip(state.pool, state.squad, strict=True))
        for chosen in _up_to(text.number, fitting, there):
            cost = sum(max(0, self.cards.kinds[one].cost - text.less) for one in chosen)
            in_silver = min(cost, max(0, state.silver))
            gold, silver = state.gold - (cost - in_silver), state.silver - in_silver
            if gold < 0 and Code.CRYSTALS not in self.recruitment.lifted:
                continue
            pool = state.pool
            for one in chosen:
                pool = _less(pool, one)
            after = position._replace(state=state._replace(pool=pool, gold=gold, silver=silver))
            paid = step._replace(
                gold=step.gold + cost - in_silver,
                silver=step.silver + in_silver,
                left_gold=gold,
                left_silver=silver,
            )
            yield Use(kind, exiled=self._names(chosen)), after, paid


class Beginnings:
    """Where the recruitment of a squad can begin: after no ability, or after some that fit the squad.

    A thrifty player uses no ability that only costs crystals and cards.
    """

    def __init__(self, step: BeforeStep, thrifty: bool) -> None:
        self.step = step
        self._thrifty = thrifty
        self._plain = (self.step.start,)
        kinds = step.cards.kinds
        abilities = step.abilities
        partners = [ability.partner for ability in abilities.values() if ability.partner]
        self._involved: Counts = tuple(
            int(
                kind in abilities
                or any(fits(partner.cards, card, card.elements) for partner in partners)
                or (bool(card.elements) and any(p.cards.neutral is not None for p in partners))
            )
            for kind, card in enumerate(kinds)
        )
        self._known: dict[Counts, tuple[Position, ...]] = {}
        self._best: dict[Counts, tuple[Position, ...]] = {}

    def every(self, squad: Counts) -> tuple[Position, ...]:
        """All of them, each with the smallest names and plainest choices that lead to it."""
        if not self.step.abilities:
            return self._plain
        involved = tuple(map(mul, squad, self._involved))
        if involved not in self._known:
            self._known[involved] = self._look_ahead(involved)
        return tuple(p for p in self._known[involved] if all(map(le, squad, p.state.pool)))

    def best(self, squad: Counts) -> tuple[Position, ...]:
        """For a thrifty player only those that no other one surpasses, else all."""
        if not self.step.abilities:
            return self._plain
        involved = tuple(map(mul, squad, self._involved))
        if involved not in self._best:
            found = self._known.get(involved) or self._look_ahead(involved)
            self._known[involved] = found
            self._best[involved] = _unsurpassed(found) if self._thrifty else found
        return tuple(p for p in self._best[involved] if all(map(le, squad, p.state.pool)))

    def _look_ahead(self, wanted: Counts) -> tuple[Position, ...]:
        """All positions that take only wanted cards, those aside that recruiting reaches as well."""
        start = self.step.start
        found = {self._key(start): start}
        edge = [start]
        while edge:
            following: dict[object, Position] = {}
            for position in edge:
                for after in self.step.uses(position, wanted):
                    if self._thrifty and self._wasteful(after.steps[-1]):
                        continue
                    key = self._key(after)
                    known = following.get(key) or found.get(key)
                    if known is None or _plainer(after, known):
                        following[key] = after
            found |= following
            edge = list(following.values())
        return tuple(position for position in found.values() if not position.repeats)

    def _key(self, position: Position) -> object:
        return position.state, self.step.findable(position), position.spent, position.repeats

    def _wasteful(self, step: Step) -> bool:
        use = step.use
        return not step.joins or bool(use is not None and use.exiled)


def _unsurpassed(positions: tuple[Position, ...]) -> tuple[Position, ...]:
    states = [position.state for position in positions]
    return tuple(
        position
        for position in positions
        if not any(
            _surpasses(other, position.state) for other in states if other is not position.state
        )
    )


def _surpasses(one: State, other: State) -> bool:
    """Is everything that the other state can reach in reach of the one, at least as cheaply?"""
    return (
        one.squad == other.squad
        and one.promises == other.promises
        and one.gold >= other.gold
        and one.gold + one.silver >= other.gold + other.silver
        and one.flyer_spent <= other.flyer_spent
        and one.penalty <= other.penalty
        and all(map(le, other.pool, one.pool))
        and one != other
    )


def _plainer(one: Position, other: Position) -> bool:
    return (one.order, _choices(one)) < (other.order, _choices(other))


def _choices(position: Position) -> list[tuple[bool, int, str]]:
    return [
        (bool(step.choices.bonus), step.choices.x or 0, step.choices.paid or "")
        for step in position.steps
    ]


def _as_partner(offer: Offer, partner: Partner) -> Offer:
    """The offer as the ability changes it: lower, or payable as an ordinary price."""
    if partner.as_ordinary:
        offer = offer._replace(crystal=Crystal.ANY)
    if partner.less:
        price = max(0, offer.price - partner.less)
        offer = offer._replace(price=price, reveal=offer.reveal or Reveal.PRICE)
    return offer


def _before(step: Step, use: Use) -> Step:
    return step._replace(use=use, rules=(RULE, *step.rules))


def _less(counts: Counts, place: int) -> Counts:
    return (*counts[:place], counts[place] - 1, *counts[place + 1 :])


def _up_to(number: int, places: list[int], have: Counts) -> Iterator[tuple[int, ...]]:
    """Every choice of at most so many of these, as far as they are there; the fewest first."""
    for size in range(number + 1):
        for chosen in combinations_with_replacement(places, size):
            if all(count <= have[place] for place, count in Counter(chosen).items()):
                yield chosen
