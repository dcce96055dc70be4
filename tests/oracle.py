"""An independent, exhaustive oracle for the recruitment phase of «Берсерк».

It is a second reading of the rules (rules/403-recruitment.txt as ruled by spec/rulings.md), kept
apart from the product on purpose: card names are hard-coded, and every order and choice is walked.

How it works: a *position* is a multiset of recruited cards (counts of the kinds of the deal)
with the set of all *states* in which the orders and choices so far can have left it. Positions
are walked by size; every card still in the deal is recruited from every state by the one step
function `_take` (403.2.3.1). Nothing but exact duplicates of a state is ever dropped.

The step before recruitment (403.1) comes first: `_situations` plays every sequence of abilities
with every choice, and each situation it can end in is a start of the walk. A start is dropped
only if the same squad in the same state starts with a deal that holds all its cards: a card that
stays in the deal forbids nothing. With `plan_before=False` no ability is played; the cards that
have one are recruited plainly.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

from squadbuilder.cards import Card
from squadbuilder.terms import CardType, Element, fold

# ---------------------------------------------------------------- the table


@dataclass(frozen=True)
class Table:
    """Everything about the deal except the cards (402; switches of rulings 1-3)."""

    player: str = "first"
    mulligans: int = 0
    opponent_mulligans: int = 0
    rules: str = "comprehensive"  # or "tournament"
    blocked_cells: int = 0
    creature_required: str = "each_step"  # or "final"
    on_recruit_gain: str = "before_payment"  # or "after_payment"
    deck: tuple[Card, ...] | None = None  # the whole deck, the deal with it; None: not known
    outcomes: Mapping[str, int] = field(default_factory=dict, hash=False)  # by name, 403.2.3.3

    def __post_init__(self) -> None:
        for value, allowed in (
            (self.player, ("first", "second")),
            (self.rules, ("comprehensive", "tournament")),
            (self.creature_required, ("each_step", "final")),
            (self.on_recruit_gain, ("before_payment", "after_payment")),
        ):
            if value not in allowed:
                raise ValueError(f"{value!r} is none of {allowed}")
        for name, outcome in self.outcomes.items():
            if fold(name) not in _LOOKS or outcome not in (0, 1, 2):
                raise ValueError(f"{name}: {outcome} is no outcome")

    def outcome(self, key: str) -> int:
        """What the look at two hidden cards shows; not known: the worst, 0 (403.2.3.3)."""
        return {fold(name): number for name, number in self.outcomes.items()}.get(key, 0)


@dataclass(frozen=True)
class Step:
    """One recruitment of a line: what was paid, gained and chosen (403.2.3.1).

    Also the use of an ability that takes no card: then `taken` is False (403.1).
    """

    key: str
    gold: int  # paid for the card, without the penalty
    silver: int
    penalty: int  # gold lost for new elements (403.2.1)
    gained: int
    left_gold: int
    left_silver: int
    bonus: bool | None  # Тич, Ведающий запасами: took the offer? None: there was none
    x: int | None  # Вольный воитель
    ordinary: bool | None  # Ахтар, Ужас Исхара: paid as an ordinary card?
    by: str | None = None  # whose ability before recruitment did it (403.1)
    taken: bool = True
    lost_gold: int = 0  # for cards that the ability exiled
    lost_silver: int = 0


def purse(table: Table) -> tuple[int, int]:
    """Starting gold and silver (402.1); `tournament`: each mulligan costs 1 gold (rulings 1)."""
    gold, silver = (24, 22) if table.player == "first" else (25, 23)
    if table.rules == "tournament":
        gold -= table.mulligans
    return gold, silver


# ---------------------------------------------------------------- limits and names

LIMITS = (
    "crystals",
    "unique",
    "flyer_cap",
    "no_creature",
    "cells",
    "forbidden_with",
    "quota",
    "terrain_limit",
)
"""The codes of the limits of 403.2.3, in the order in which sets of them are listed."""

_BIT = {code: 1 << place for place, code in enumerate(LIMITS)}
_CRYSTALS = _BIT["crystals"]
_UNIQUE = _BIT["unique"]
_FLYER_CAP = _BIT["flyer_cap"]
_NO_CREATURE = _BIT["no_creature"]
_CELLS = _BIT["cells"]
_FORBIDDEN = _BIT["forbidden_with"]
_QUOTA = _BIT["quota"]
_TERRAINS = _BIT["terrain_limit"]

_MARAUDER = fold("Мародер")
_TEACH = fold("Тич")
_BIRD = fold("Райская птица")
_KEEPER = fold("Ведающий запасами")
_ERMAND = fold("Эрманд")
_LINDWURM = fold("Линдвурм")
_AMMAH = fold("Аммах")
_MIRAGE = fold("Мираж")
_SWORN = fold("Присягнувшая")
_BOARDER = fold("Абордажник")
_FREE_WARRIOR = fold("Вольный воитель")
_EITHER_COLOUR = frozenset({fold("Ужас Исхара"), fold("Ахтар")})
_WITCHER = fold("Ведьмак")
_APOSTATE = fold("Гном-отступник")
_TEMPLE = fold("Храм вольных")
_CAPTAIN_TEACH = fold("Капитан Тич")
_NOT_WITH = frozenset({_WITCHER, _APOSTATE, _TEMPLE, _CAPTAIN_TEACH})
_FALLEN_LINNET = fold("Падшая Линнет")
_ALTAR = fold("Алтарь Хигарта")

_LINNET = fold("Линнет")
_DEMONOLOGIST = fold("Демонолог")
_TEMPLE_RECRUITER = fold("Рекрутер Храма")
_ENSLAVER = fold("Поработитель Ордена")
_ENLISTER = fold("Вербовщик")
_NEYA = fold("Нейя")
_SPY = fold("Лазутчица")
_INQUISITOR = fold("Отец-дознаватель")
_SOLDIERS = fold("Солдаты удачи")
_ORVAS = fold("Орвас")
_UNDERTAKER = fold("Гробовщик")
_GHOUL = fold("Упырёныш")
_ASHES = fold("Элементаль праха")
_LOOKS = frozenset({_SPY, _INQUISITOR})

_ERMAND_ASKS = frozenset({"Герой-маг", "Герой-жрец", "Герой-разбойник", "Герой-воин"})
_CREATURES = frozenset({CardType.CREATURE, CardType.FLYER, CardType.COMPANION, CardType.PARASITE})
_SYMBIOTES = frozenset({CardType.COMPANION, CardType.PARASITE})
_NEUTRAL: frozenset[Element] = frozenset()


# ---------------------------------------------------------------- the deal and its multisets

_Counts = tuple[int, ...]  # how many of each kind of the deal; kinds are sorted by key


class _State(NamedTuple):
    """What the history leaves beside the multiset itself (rulings 2)."""

    gold: int
    silver: int
    flyers: int  # crystals really paid for flyers
    promise: bool  # Тич's bonus was taken
    penalty: int  # penalties so far
    broken: int  # limits broken so far; stays 0 unless breaches are being recorded


@dataclass(frozen=True)
class _Deal:
    table: Table
    kinds: tuple[Card, ...]
    counts: _Counts
    deck: _Counts  # the rest of the deck; of no use if the deck is not known

    def keys(self, counts: _Counts) -> tuple[str, ...]:
        """The squad of these counts as a sorted tuple of keys."""
        return tuple(
            card.key for card, count in zip(self.kinds, counts, strict=True) for _ in range(count)
        )

    def wanted(self, squad: Sequence[str]) -> _Counts | None:
        """The counts of a squad; None if neither deal nor deck knows one of its cards."""
        count = Counter(squad)
        if not count.keys() <= {card.key for card in self.kinds}:
            return None
        return tuple(count[card.key] for card in self.kinds)

    def cut(self, counts: _Counts) -> "tuple[_Deal, Callable[[_Counts], _Counts]]":
        """The deal of just these cards, and what brings counts of this deal into its form."""
        places = [place for place, count in enumerate(counts) if count]

        def project(wide: _Counts) -> _Counts:
            return tuple(wide[place] for place in places)

        kinds = tuple(self.kinds[place] for place in places)
        return _Deal(self.table, kinds, project(counts), (0,) * len(places)), project


def _deal(cards: Iterable[Card], table: Table, plan_before: bool = True) -> _Deal:
    """Group the cards by name: the printings of one name are one card (rulings 3)."""
    dealt = list(cards)
    deck = list(table.deck or dealt) if plan_before else dealt
    chosen: dict[str, Card] = {}
    for card in (*dealt, *deck):
        old = chosen.get(card.key)
        if old is None or (old.set_id, old.number) < (card.set_id, card.number):
            chosen[card.key] = card
    count = Counter(card.key for card in dealt)
    rest = Counter(card.key for card in deck)
    rest.subtract(count)
    if min(rest.values(), default=0) < 0:
        raise ValueError("the deck does not hold the deal")
    keys = sorted(chosen)
    return _Deal(
        table,
        tuple(chosen[key] for key in keys),
        tuple(count[key] for key in keys),
        tuple(rest[key] for key in keys),
    )


@dataclass(slots=True)
class _Facts:
    """What one multiset of cards says, as its cards count now."""

    altar: bool
    elements: frozenset[Element]
    elemental: int
    costs: set[int]
    classes: set[str]
    mirages: int
    symbiote: bool
    creatures: int
    broken: int


def _hero(card: Card) -> bool:
    return any(name.startswith("Герой-") for name in card.classes)


def _elements(card: Card, altar: bool) -> frozenset[Element]:
    """The elements as the card counts now: under Алтарь Хигарта heroes are neutral (rulings 4)."""
    return _NEUTRAL if altar and _hero(card) else card.elements


def _facts(deal: _Deal, counts: _Counts) -> _Facts:
    """Look at a whole multiset, and judge every limit of 403.2.3 that needs no history.

    That the altar is counted here at its own step d already decides nothing: beside its
    own neutrality it can only take breaches away, and those were there a step before.
    """
    table = deal.table
    squad = [card for card, count in zip(deal.kinds, counts, strict=True) for _ in range(count)]
    names = {card.key for card in squad}
    altar = _ALTAR in names
    here = [_elements(card, altar) for card in squad]
    costs: set[int] = set()
    classes: set[str] = set()
    creatures = terrains = elites = mirages = 0
    symbiote = False
    for card in squad:
        costs.add(card.cost)
        classes |= card.classes
        creatures += card.type in _CREATURES
        terrains += card.type is CardType.TERRAIN
        elites += card.elite
        mirages += card.key == _MIRAGE
        symbiote = symbiote or card.type in _SYMBIOTES
    broken = 0
    if any(n > 1 and c.unique for c, n in zip(deal.kinds, counts, strict=True)):
        broken |= _UNIQUE  # 403.2.3: no doubles of a unique name
    if squad and creatures == 0 and table.creature_required == "each_step":
        broken |= _NO_CREATURE  # 403.2.3: at least one creature
    if creatures > 15 - table.blocked_cells:
        broken |= _CELLS  # 403.2.3: no more creatures than cells
    if _forbidden(squad, here):
        broken |= _FORBIDDEN
    if _FALLEN_LINNET in names and elites > 1:
        broken |= _QUOTA
    if table.rules == "tournament" and terrains > 1:
        broken |= _TERRAINS
    return _Facts(
        altar=altar,
        elements=_NEUTRAL.union(*here),
        elemental=sum(map(bool, here)),
        costs=costs,
        classes=classes,
        mirages=mirages,
        symbiote=symbiote,
        creatures=creatures,
        broken=broken,
    )


def _forbidden(squad: Sequence[Card], here: Sequence[frozenset[Element]]) -> bool:
    """Is there a "not with" pair (403.2.3, 532.8)? A copy of the card itself is an other card."""
    for place, holder in enumerate(squad):
        if holder.key not in _NOT_WITH:
            continue
        for other_place, other in enumerate(squad):
            if other_place == place:
                continue
            elements = here[other_place]
            creature = other.type in _CREATURES
            if holder.key == _WITCHER and creature and Element.DARK in elements:
                return True
            if holder.key == _APOSTATE and creature and Element.MOUNTAIN in elements:
                return True
            if holder.key == _TEMPLE and not elements:
                return True
            if holder.key == _CAPTAIN_TEACH and other.cost >= 6:
                return True
    return False


# ---------------------------------------------------------------- one step (403.2.3.1)


class _Offer(NamedTuple):
    """One way to take a card: its price, its colour, its gain and its choices."""

    price: int
    elite: bool  # is the price paid in gold only?
    gain: int = 0
    promise: bool = False
    bonus: bool | None = None
    x: int | None = None
    ordinary: bool | None = None


def _offers(deal: _Deal, card: Card, before: _Facts, copies: int) -> list[_Offer]:
    """Steps a and b: every price and gain, from the squad before the card (403.2.3.2)."""
    key = card.key
    price = card.cost
    if key == _LINDWURM:
        price = 7 - min(copies, 2)
    elif key == _AMMAH and before.symbiote:
        price -= 2
    elif key == _SWORN:
        price -= deal.table.mulligans
    elif key == _BOARDER and deal.table.opponent_mulligans > 0:
        price -= 1
    elif key == _ERMAND and before.classes >= _ERMAND_ASKS:
        price = 0
    if card.type is CardType.TERRAIN:
        price -= before.mirages
    price = max(price, 0)
    if key == _FREE_WARRIOR:
        return [_Offer(2 + x, True, x=x) for x in range(5)]
    if key in _EITHER_COLOUR:
        return [_Offer(price, not ordinary, ordinary=ordinary) for ordinary in (False, True)]
    if key == _TEACH:
        return [
            _Offer(price, card.elite, bonus=False),
            _Offer(price, card.elite, gain=2, promise=True, bonus=True),
        ]
    if key == _KEEPER and before.costs >= {3, 4, 5, 6, 7, 8}:
        return [_Offer(price, card.elite, bonus=False), _Offer(0, card.elite, bonus=True)]
    if key == _MARAUDER or (key == _BIRD and len(before.elements) >= 3):
        return [_Offer(price, card.elite, gain=1)]
    return [_Offer(price, card.elite)]


def _penalty(card: Card, before: _Facts) -> int:
    """Step c: 1 gold for each new element, the squad's first one being free (403.2.1)."""
    new = len(_elements(card, before.altar) - before.elements)
    return new - 1 if new and not before.elements else new


def _take(
    deal: _Deal,
    card: Card,
    offers: Sequence[_Offer],
    penalty: int,
    after: _Facts,
    state: _State,
    lifted: int,
) -> Iterator[tuple[_State, _Offer, int, int]]:
    """Steps b to e from one state: (next state, offer, gold and silver paid) for each offer.

    Outcomes that break a limit outside `lifted` are left out; the others carry in
    `broken` every limit that was broken on the way.
    """
    before_payment = deal.table.on_recruit_gain == "before_payment"
    for offer in offers:
        silver = 0 if offer.elite else min(offer.price, state.silver)  # silver first
        gold = offer.price - silver
        left = state.gold + offer.gain - gold - penalty
        flyers = state.flyers
        if card.type is CardType.FLYER:
            flyers += offer.price
        promise = state.promise or offer.promise
        broken = after.broken
        if (left if before_payment else left - offer.gain) < 0:
            broken |= _CRYSTALS
        if flyers > 15:
            broken |= _FLYER_CAP
        if promise and after.elemental > 3:
            broken |= _QUOTA
        if broken & ~lifted:
            continue
        yield (
            _State(
                left,
                state.silver - silver,
                flyers,
                promise,
                state.penalty + penalty,
                state.broken | broken,
            ),
            offer,
            gold,
            silver,
        )


class _Terms(NamedTuple):
    """How an ability buys a card otherwise than plainly (rulings 5)."""

    less: int = 0  # crystals off the price
    ordinary: bool = False  # paid as an ordinary card, whatever its own colour


_PLAIN = _Terms()


def _plus(counts: _Counts, place: int, number: int = 1) -> _Counts:
    return (*counts[:place], counts[place] + number, *counts[place + 1 :])


def _recruit(
    deal: _Deal, squad: _Counts, place: int, state: _State, terms: _Terms, lifted: int
) -> Iterator[tuple[_State, Step]]:
    """Recruit one card of a kind from one state in every way (403.2.3.1)."""
    card = deal.kinds[place]
    before = _facts(deal, squad)
    offers = _on_terms(_offers(deal, card, before, squad[place]), terms)
    penalty = _penalty(card, before)
    after = _facts(deal, _plus(squad, place))
    for new, offer, gold, silver in _take(deal, card, offers, penalty, after, state, lifted):
        yield (
            new,
            Step(
                card.key,
                gold,
                silver,
                penalty,
                offer.gain,
                new.gold,
                new.silver,
                offer.bonus,
                offer.x,
                offer.ordinary,
            ),
        )


def _on_terms(offers: Sequence[_Offer], terms: _Terms) -> list[_Offer]:
    """The card's own discounts and choices come first; no price goes below 0 (rulings 2, 5)."""
    return [
        offer._replace(
            price=max(offer.price - terms.less, 0), elite=offer.elite and not terms.ordinary
        )
        for offer in offers
    ]


# ---------------------------------------------------------------- before recruitment (403.1)


class _At(NamedTuple):
    """Where a player stands between two uses or recruitments."""

    squad: _Counts
    deal: _Counts  # what is left of the deal
    deck: _Counts  # what is left of the deck
    spent: frozenset[str]  # unique names whose ability was used (403.1.3)
    before: bool  # is it still the step before recruitment?
    state: _State


class _Use(NamedTuple):
    """One way to carry out an ability in full (403.1.2)."""

    takes: tuple[tuple[int, _Terms], ...] = ()  # in this order
    found: tuple[int, ...] = ()  # from the deck to the deal; what is taken may be among them
    buried: tuple[int, ...] = ()  # from the deck to the graveyard
    gone: tuple[int, ...] = ()  # from the deal to the graveyard or into exile
    gold: int = 0  # to pay in gold
    loss: int = 0  # to lose as an ordinary price
    gain: int = 0  # gold that comes after all payments


def _begin(deal: _Deal, plan_before: bool) -> _At:
    """The empty squad with the purses of 402.1."""
    empty = (0,) * len(deal.kinds)
    state = _State(*purse(deal.table), 0, False, 0, 0)
    return _At(empty, deal.counts, deal.deck, frozenset(), plan_before, state)


def _uses(deal: _Deal, at: _At) -> Iterator[tuple[int, _Use]]:
    """Every ability that a card of the deal has left, in every way it may be carried out."""
    for place, card in enumerate(deal.kinds):
        # 403.1: from the deal only, and 403.1.3: once for a unique name. Each use takes its own
        # card out of the deal for good, so "once per card" needs no book-keeping.
        ability = _ABILITIES.get(card.key)
        if ability is None or not at.deal[place] or card.key in at.spent:
            continue
        if deal.table.deck is None and card.key in _SEARCHES:
            continue
        for use in ability(deal, at._replace(deal=_plus(at.deal, place, -1)), place):
            yield place, use


def _play(
    deal: _Deal, at: _At, place: int, use: _Use, lifted: int
) -> Iterator[tuple[_At, tuple[Step, ...]]]:
    """Carry out a use in every legal way; nothing if not all of it is legal (403.1.2)."""
    source = deal.kinds[place]
    rest, deck, squad = at.deal, at.deck, at.squad
    for found in use.found:
        rest, deck = _plus(rest, found), _plus(deck, found, -1)
    for buried in use.buried:
        deck = _plus(deck, buried, -1)
    for gone in use.gone:
        rest = _plus(rest, gone, -1)
    lines: list[tuple[_State, tuple[Step, ...]]] = [(at.state, ())]
    for taken, terms in use.takes:
        lines = [
            (new, (*steps, replace(step, by=source.key)))
            for state, steps in lines
            for new, step in _recruit(deal, squad, taken, state, terms, lifted)
        ]
        rest, squad = _plus(rest, taken, -1), _plus(squad, taken)
    spent = at.spent | {source.key} if source.unique else at.spent
    for state, steps in lines:
        silver = min(use.loss, state.silver)
        gold = use.loss - silver
        left = state.gold - gold - use.gold
        broken = state.broken | (_CRYSTALS if left < 0 else 0)
        if left < 0 and not lifted & _CRYSTALS:
            continue
        state = state._replace(gold=left + use.gain, silver=state.silver - silver, broken=broken)
        if steps:
            last = replace(
                steps[-1],
                gained=steps[-1].gained + use.gain,
                left_gold=state.gold,
                left_silver=state.silver,
                lost_gold=gold,
                lost_silver=silver,
            )
            steps = (*steps[:-1], last)
        else:
            purses = (use.gold, 0, 0, 0, state.gold, state.silver)
            steps = (Step(source.key, *purses, None, None, None, source.key, False),)
        yield _At(squad, rest, deck, spent, True, state), steps


def _some(counts: _Counts) -> Iterator[int]:
    return (place for place, count in enumerate(counts) if count)


def _pair(own: int, other: int, terms: _Terms, found: tuple[int, ...] = ()) -> Iterator[_Use]:
    """Take the ability's own card and another one, in either order."""
    yield _Use(takes=((own, _PLAIN), (other, terms)), found=found)
    yield _Use(takes=((other, terms), (own, _PLAIN)), found=found)


# The abilities; `at.deal` is the deal without the ability's own card, as that is never shown.


def _linnet(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    for place in _some(at.deal):
        card = deal.kinds[place]
        if card.elite and card.type in _CREATURES and card.cost <= 7:
            yield from _pair(own, place, _Terms(ordinary=True))


def _demonologist(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    for place in _some(at.deal):
        card = deal.kinds[place]
        if "Демон" in card.classes and card.type in _CREATURES:
            yield from _pair(own, place, _Terms(less=3))


def _temple_recruiter(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    shown = [place for place in _some(at.deal) if deal.kinds[place].type in _CREATURES]
    finds = {(place,) * number for place in shown for number in range(min(2, at.deck[place]) + 1)}
    for found in sorted(finds):
        yield _Use(takes=((own, _PLAIN),), found=found)


def _enslaver(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    yield _Use(takes=((own, _PLAIN),))
    for place in _some(at.deck):
        if "Элементаль" in deal.kinds[place].classes:
            yield _Use(takes=((own, _PLAIN),), found=(place,))


def _enlister(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    altar = _facts(deal, at.squad).altar
    elements = [
        here
        for place in _some(at.deal)
        for here in [_elements(deal.kinds[place], altar)] * min(at.deal[place], 3)
        if here
    ]
    seen = {
        _NEUTRAL.union(*three)
        for three in combinations(elements, 3)
        if any(len(set(each)) == 3 for each in product(*three))
    }
    for place in _some(at.deck):
        if any(deal.kinds[place].elements - shown for shown in seen):
            yield from _pair(own, place, _PLAIN, found=(place,))


def _neya(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    costs = {deal.kinds[place].cost for place in _some(at.deal)}
    for place in _some(at.deck):
        cost = deal.kinds[place].cost
        if 4 <= cost <= 8 and costs >= {4, 5, 6, 7, 8} - {cost}:
            yield from _pair(own, place, _PLAIN, found=(place,))


def _spy(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    yield _Use(takes=((own, _Terms(less=deal.table.outcome(_SPY))),))


def _inquisitor(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    yield _Use(takes=((own, _PLAIN),), gain=deal.table.outcome(_INQUISITOR))


def _soldiers(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    yield _Use(takes=((own, _PLAIN),))


def _orvas(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    ordinary = [
        place
        for place in _some(at.deal)
        for _ in range(at.deal[place])
        if "Аккениец" in deal.kinds[place].classes and not deal.kinds[place].elite
    ]
    for number in range(4):
        for gone in sorted(set(combinations(ordinary, number))):
            loss = sum(max(deal.kinds[place].cost - 2, 0) for place in gone)
            yield _Use(takes=((own, _PLAIN),), gone=gone, loss=loss)


def _undertaker(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    for place in _some(at.deck):
        card = deal.kinds[place]
        if card.type in _CREATURES and card.cost <= 5:
            yield _Use(takes=((own, _PLAIN),), buried=(place,))


def _ghoul(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    yield _Use(gone=(own,), gold=1)


def _ashes(deal: _Deal, at: _At, own: int) -> Iterator[_Use]:
    yield _Use(gone=(own,), gold=2)


_ABILITIES: Mapping[str, Callable[[_Deal, _At, int], Iterator[_Use]]] = {
    _LINNET: _linnet,
    _DEMONOLOGIST: _demonologist,
    _TEMPLE_RECRUITER: _temple_recruiter,
    _ENSLAVER: _enslaver,
    _ENLISTER: _enlister,
    _NEYA: _neya,
    _SPY: _spy,
    _INQUISITOR: _inquisitor,
    _SOLDIERS: _soldiers,
    _ORVAS: _orvas,
    _UNDERTAKER: _undertaker,
    _GHOUL: _ghoul,
    _ASHES: _ashes,
}
_SEARCHES = frozenset({_TEMPLE_RECRUITER, _ENSLAVER, _ENLISTER, _NEYA, _UNDERTAKER})


def _within(part: _Counts, whole: _Counts) -> bool:
    return all(few <= many for few, many in zip(part, whole, strict=True))


def _situations(
    deal: _Deal, lifted: int, record: int | None, target: _Counts | None
) -> Iterator[_At]:
    """Every way in which the step before recruitment can end: any abilities, in any sequence."""
    searches = [place for place, card in enumerate(deal.kinds) if card.key in _SEARCHES]
    known = set()
    todo = [_begin(deal, True)]
    while todo:
        at = todo.pop()
        state = _noted(at.state, record)
        if state is None or (target is not None and not _within(at.squad, target)):
            continue
        if not any(at.deal[place] for place in searches):
            at = at._replace(deck=(0,) * len(at.deck))  # nobody is left who could search it
        at = at._replace(state=state)
        if at not in known:
            known.add(at)
            yield at
            todo += [
                new
                for place, use in _uses(deal, at)
                for new, _ in _play(deal, at, place, use, lifted)
            ]


def _noted(state: _State, record: int | None) -> _State | None:
    """The state as it is kept: breaches are forgotten or, up to `record` of them, kept."""
    if record is None:
        return state._replace(broken=0) if state.broken else state
    return state if state.broken.bit_count() <= record else None


# ---------------------------------------------------------------- the walk


class _Node(NamedTuple):
    facts: _Facts
    states: set[_State]


_Starts = dict[_Counts, set[_State]]  # the states by squad


def _starts(
    deal: _Deal,
    plan_before: bool,
    lifted: int,
    record: int | None,
    target: _Counts | None,
) -> dict[_Counts, _Starts]:
    """What the recruitment step can begin with, by all cards that a squad may then have.

    With a `target` only its cards count, and only beginnings that can still reach it.
    """
    wholes: dict[tuple[_Counts, _State], set[_Counts]] = {}
    ends: Iterable[_At] = [_begin(deal, False)]
    if plan_before:
        ends = _situations(deal, lifted, record, target)
    for at in ends:
        whole = tuple(map(sum, zip(at.squad, at.deal, strict=True)))
        if target is not None:
            if not _within(target, whole):
                continue
            whole = target
        wholes.setdefault((at.squad, at.state), set()).add(whole)
    starts: dict[_Counts, _Starts] = {}
    for (squad, state), several in wholes.items():
        for whole in several:
            if not any(whole != other and _within(whole, other) for other in several):
                starts.setdefault(whole, {}).setdefault(squad, set()).add(state)
    return starts


def _walk(
    deal: _Deal,
    plan_before: bool,
    lifted: int = 0,
    record: int | None = None,
    target: _Counts | None = None,
) -> Iterator[tuple[tuple[str, ...], _Node]]:
    """Every non-empty legal position with its states, one or more times (403.2.2, 403.2.4).

    `lifted` are limits that may be broken. With `record` the limits broken are kept in the
    state, at most so many different ones; without it they are forgotten. With a `target` only
    that squad comes.
    """
    for whole, starts in _starts(deal, plan_before, lifted, record, target).items():
        cut, project = deal.cut(whole)
        narrow = {project(squad): states for squad, states in starts.items()}
        for counts, node in _walk_deal(cut, narrow, lifted, record):
            if any(counts) and (target is None or counts == cut.counts):
                yield cut.keys(counts), node


def _walk_deal(
    deal: _Deal, starts: _Starts, lifted: int, record: int | None
) -> Iterator[tuple[_Counts, _Node]]:
    """Every legal position, by size, from these starts: one card at a time (403.2.2)."""
    layer: dict[_Counts, _Node] = {}
    for size in range(sum(deal.counts) + 1):
        for squad, states in starts.items():
            if sum(squad) == size:
                if squad not in layer:
                    layer[squad] = _Node(_facts(deal, squad), set())
                layer[squad].states.update(states)
        yield from layer.items()
        following: dict[_Counts, _Node] = {}
        for counts, node in layer.items():
            for place, card in enumerate(deal.kinds):
                if counts[place] == deal.counts[place]:
                    continue
                target = _plus(counts, place)
                after = following.get(target)
                if after is None:
                    after = following[target] = _Node(_facts(deal, target), set())
                if after.facts.broken & ~lifted:
                    continue
                offers = _offers(deal, card, node.facts, counts[place])
                penalty = _penalty(card, node.facts)
                for state in node.states:
                    for new, _, _, _ in _take(
                        deal, card, offers, penalty, after.facts, state, lifted
                    ):
                        noted = _noted(new, record)
                        if noted is not None:
                            after.states.add(noted)
        layer = {counts: node for counts, node in following.items() if node.states}


def _complete(deal: _Deal, facts: _Facts) -> bool:
    """Under `creature_required: final` only the finished squad needs its creature (rulings 3)."""
    return facts.creatures > 0 or deal.table.creature_required == "each_step"


def _mask(codes: Iterable[str]) -> int:
    return sum({_BIT[code] for code in codes})


def squads(
    cards: Sequence[Card],
    table: Table,
    lifted: frozenset[str] = frozenset(),
    *,
    plan_before: bool = True,
) -> dict[tuple[str, ...], frozenset[tuple[int, int]]]:
    """Every legal non-empty squad of the deal with every (gold, silver) it can end with (403).

    A squad is a sorted tuple of keys; it is legal if some abilities before recruitment, some
    order and some choices build it (rulings 3). Limits in `lifted` are not checked; purses may
    then go below zero. With `plan_before=False` no ability is used (403.2 alone).
    """
    deal = _deal(cards, table, plan_before)
    mask = _mask(lifted)
    found: dict[tuple[str, ...], frozenset[tuple[int, int]]] = {}
    for squad, node in _walk(deal, plan_before, mask):
        if _complete(deal, node.facts) or mask & _NO_CREATURE:
            ends = frozenset((s.gold, s.silver) for s in node.states)
            found[squad] = found.get(squad, frozenset()) | ends
    return found


def finals(
    cards: Sequence[Card], table: Table, squad: Sequence[str], *, plan_before: bool = True
) -> frozenset[tuple[int, int, int]]:
    """Every (gold, silver, total penalty) with which exactly this squad can end (403.2.3.1).

    Empty if no abilities, order and choices build it, or if neither deal nor deck has its cards.
    The empty squad ends as the deal begins.
    """
    deal = _deal(cards, table, plan_before)
    target = deal.wanted(squad)
    if target is None:
        return frozenset()
    if not squad:
        return frozenset({(*purse(table), 0)})
    return frozenset(
        (s.gold, s.silver, s.penalty)
        for _, node in _walk(deal, plan_before, target=target)
        if _complete(deal, node.facts)
        for s in node.states
    )


def smallest_limits(
    cards: Sequence[Card], table: Table, squad: Sequence[str], *, plan_before: bool = True
) -> list[tuple[str, ...]]:
    """All smallest sets of limits (403.2.3) whose lifting together makes the squad legal.

    Each set and the list itself are in the order of `LIMITS`. A legal squad gives `[()]`, one
    whose cards the deal does not hold and no ability brings in `[]`. A limit is lifted in the
    step before recruitment as well. One walk with all limits lifted notes on each line which
    limits it breaks: a line is legal with a set lifted iff it breaks nothing outside the set.
    """
    deal = _deal(cards, table, plan_before)
    target = deal.wanted(squad)
    if target is None:
        return []
    if not squad:
        return [()]
    for size in range(len(LIMITS) + 1):
        hit: set[int] = set()
        for _, node in _walk(deal, plan_before, _mask(LIMITS), size, target):
            extra = 0 if _complete(deal, node.facts) else _NO_CREATURE
            hit.update(state.broken | extra for state in node.states)
        sets = [codes for codes in combinations(LIMITS, size) if _mask(codes) in hit]
        if sets:
            return sets
    return []


def maximal(squads: Iterable[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """The squads that no other of these squads properly contains, as multisets (rulings 3)."""
    given = {tuple(sorted(squad)) for squad in squads}
    by_size: dict[int, set[tuple[str, ...]]] = {}
    for squad in given:
        by_size.setdefault(len(squad), set()).add(squad)
    inside: set[tuple[str, ...]] = set()  # everything properly inside a given squad, of one size
    result: set[tuple[str, ...]] = set()
    for size in range(max(by_size, default=0), -1, -1):
        here = by_size.get(size, set())
        result |= here - inside
        inside = {
            squad[:place] + squad[place + 1 :] for squad in here | inside for place in range(size)
        }
    return result


# ---------------------------------------------------------------- orders


@dataclass(frozen=True)
class _Line:
    state: _State
    steps: tuple[Step, ...]


def _moves(deal: _Deal, at: _At) -> Iterator[tuple[_At, tuple[Step, ...]]]:
    """Everything legal that can come next: a whole use of an ability, or one plain recruitment."""
    if at.before:
        for place, use in _uses(deal, at):
            yield from _play(deal, at, place, use, 0)
    nothing = (0,) * len(deal.kinds)
    for place in _some(at.deal):
        squad, rest = _plus(at.squad, place), _plus(at.deal, place, -1)
        for state, step in _recruit(deal, at.squad, place, at.state, _PLAIN, 0):
            yield _At(squad, rest, nothing, frozenset(), False, state), (step,)


def _taken(steps: Iterable[Step]) -> list[str]:
    return [step.key for step in steps if step.taken]


def _lines(deal: _Deal, order: Sequence[str], plan_before: bool = False) -> tuple[int, list[_Line]]:
    """Recruit in this order: how many cards the best choices reach, and all lines that do.

    The two cards that one ability takes are reached together or not at all (403.1.2).
    """
    reached: dict[int, dict[tuple[_At, tuple[Step, ...]], None]]
    reached = {0: {(_begin(deal, plan_before), ()): None}}
    for done in range(len(order) + 1):
        here = list(reached.get(done, {}))
        for at, steps in here:  # grows by the uses that take no card
            for new, more in _moves(deal, at):
                keys = _taken(more)
                if keys == list(order[done : done + len(keys)]):
                    line = (new, (*steps, *more))
                    lines = reached.setdefault(done + len(keys), {})
                    if not keys and line not in lines:
                        here.append(line)
                    lines[line] = None
    done = max(reached)
    return done, [_Line(at.state, steps) for at, steps in reached[done]]


def judge_order(
    cards: Sequence[Card], table: Table, order: Sequence[str], *, plan_before: bool = True
) -> int | None:
    """None: the order is legal with some choices; else the 1-based first illegal step (403.2.3).

    The step is taken over the choices that reach the furthest; cards that an ability takes
    before recruitment come first. A card that the deal does not hold is an illegal step. With
    `creature_required: final` an order without a creature fails at its last step. The empty
    order is legal.
    """
    deal = _deal(cards, table, plan_before)
    done, _ = _lines(deal, order, plan_before)
    if done < len(order):
        return done + 1
    if table.creature_required == "final" and order:
        creatures = {card.key for card in deal.kinds if card.type in _CREATURES}
        if not creatures.intersection(order):
            return len(order)
    return None


def best_gold_in_order(
    cards: Sequence[Card], table: Table, order: Sequence[str], *, plan_before: bool = True
) -> int | None:
    """The most gold that this order can leave, over all choices; None if illegal (403.2.3.1)."""
    if judge_order(cards, table, order, plan_before=plan_before) is not None:
        return None
    lines = _lines(_deal(cards, table, plan_before), order, plan_before)[1]
    return max(line.state.gold for line in lines)


def best_line(
    cards: Sequence[Card],
    table: Table,
    squad: Sequence[str],
    value: Callable[[int, int], tuple[int, ...]],
    *,
    plan_before: bool = True,
) -> list[Step] | None:
    """The best way to recruit this squad, over all abilities, orders and choices (403).

    Best: greatest `value(gold, silver)`; then least total penalty; then the lexicographically
    smallest order of keys; then the smallest vectors of bonus, of x and of ordinary payment,
    each in order of the steps; then the fewest uses of abilities. All ways to end are known from
    `finals`; the first order that ends in a best one is built card by card, asking exhaustively
    whether it still can.
    """
    deal = _deal(cards, table, plan_before)
    target = deal.wanted(squad)
    ends = finals(cards, table, squad, plan_before=plan_before)
    if target is None or not ends:
        return None
    top = max((value(gold, silver), -penalty) for gold, silver, penalty in ends)
    goals = {end for end in ends if (value(end[0], end[1]), -end[2]) == top}
    known: dict[_At, list[tuple[_At, tuple[Step, ...]]]] = {}

    def arrived(at: _At) -> bool:
        state = at.state
        return at.squad == target and (state.gold, state.silver, state.penalty) in goals

    def onward(at: _At) -> list[tuple[_At, tuple[Step, ...]]]:
        """The moves after which a goal can still be reached."""
        if at not in known:
            known[at] = [
                (new, steps)
                for new, steps in _moves(deal, at)
                if _within(new.squad, target) and (arrived(new) or onward(new))
            ]
        return known[at]

    size = sum(target)
    lines: list[tuple[_At, tuple[Step, ...]]] = [(_begin(deal, plan_before), ())]
    for place in range(size):
        longer = dict.fromkeys(line for line in lines if len(_taken(line[1])) > place)
        todo = [line for line in lines if line not in longer]
        while todo:
            at, steps = todo.pop()
            for new, more in onward(at):
                line = (new, (*steps, *more))
                if len(_taken(line[1])) > place:
                    longer[line] = None
                else:
                    todo.append(line)
        smallest = min(_taken(steps)[place] for _, steps in longer)
        lines = [line for line in longer if _taken(line[1])[place] == smallest]
    todo = list(lines)
    whole: list[tuple[Step, ...]] = []
    while todo:
        at, steps = todo.pop()
        if arrived(at):
            whole.append(steps)
        todo += [(new, (*steps, *more)) for new, more in onward(at)]
    best = min(whole, key=_vectors)
    return list(best)


def _vectors(steps: Sequence[Step]) -> tuple[tuple[int, ...], ...]:
    """The choices of a line as they are compared: bonus, x, ordinary, then fewest abilities."""
    taken = [step for step in steps if step.taken]
    return (
        tuple(int(step.bonus or False) for step in taken),
        tuple(step.x or 0 for step in taken),
        tuple(int(step.ordinary or False) for step in taken),
        (sum(step.by is not None for step in steps),),
    )


# ---------------------------------------------------------------- reading cards.csv


def load_cards(path: Path) -> dict[str, Card]:
    """The cards by key; the printing with the highest set id stands for a name (rulings 3)."""
    cards: dict[str, Card] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            card = _card(row)
            old = cards.get(card.key)
            if old is None or (old.set_id, old.number) < (card.set_id, card.number):
                cards[card.key] = card
    return cards


def _card(row: Mapping[str, str]) -> Card:
    strike = tuple(int(part) for part in row["strike"].split("-")) if row["strike"] else (0, 0, 0)
    weak, medium, strong = strike
    pairs = (word.partition(":") for word in row["keywords"].split("|") if word)
    return Card(
        id=row["id"],
        name=row["name"],
        key=fold(row["name"]),
        set_id=int(row["set"]),
        number=int(row["number"]),
        rarity=int(row["rarity"]),
        cost=int(row["cost"]),
        elite=row["elite"] == "1",
        unique=row["unique"] == "1",
        elements=frozenset(Element(word) for word in row["elements"].split("|") if word),
        type=CardType(row["type"]),
        classes=frozenset(word for word in row["classes"].split("|") if word),
        life=int(row["life"] or 0),
        move=int(row["move"] or 0),
        strike=(weak, medium, strong),
        horde=row["horde"] == "1",
        magic=row["magic"] == "1",
        keywords=tuple((code, amount) for code, _, amount in pairs),
    )
