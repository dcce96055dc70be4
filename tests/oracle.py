"""An independent, exhaustive oracle for the recruitment phase of «Берсерк».

It is a second reading of the rules (rules/403-recruitment.txt as ruled by spec/rulings.md), kept
apart from the product on purpose: card names are hard-coded, and every order and choice is walked.

How it works: a *position* is a multiset of recruited cards (counts of the kinds of the deal)
with the set of all *states* in which the orders and choices so far can have left it. Positions
are walked by size; every card still in the deal is recruited from every state by the one step
function `_take` (403.2.3.1). Nothing but exact duplicates of a state is ever dropped.

"Before recruitment" abilities (403.1, rulings 5) are not played yet: such cards are recruited
plainly. A before-step can be added by handing `_walk` other starts than `_start(deal)`.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
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

    def __post_init__(self) -> None:
        for value, allowed in (
            (self.player, ("first", "second")),
            (self.rules, ("comprehensive", "tournament")),
            (self.creature_required, ("each_step", "final")),
            (self.on_recruit_gain, ("before_payment", "after_payment")),
        ):
            if value not in allowed:
                raise ValueError(f"{value!r} is none of {allowed}")


@dataclass(frozen=True)
class Step:
    """One recruitment of a line: what was paid, gained and chosen (403.2.3.1)."""

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

    def keys(self, counts: _Counts) -> tuple[str, ...]:
        """The squad of these counts as a sorted tuple of keys."""
        return tuple(
            card.key for card, count in zip(self.kinds, counts, strict=True) for _ in range(count)
        )


def _deal(cards: Iterable[Card], table: Table) -> _Deal:
    """Group the cards by name: the printings of one name are one card (rulings 3)."""
    chosen: dict[str, Card] = {}
    count: Counter[str] = Counter()
    for card in cards:
        count[card.key] += 1
        old = chosen.get(card.key)
        if old is None or (old.set_id, old.number) < (card.set_id, card.number):
            chosen[card.key] = card
    keys = sorted(chosen)
    return _Deal(table, tuple(chosen[key] for key in keys), tuple(count[key] for key in keys))


def _part(cards: Sequence[Card], table: Table, squad: Sequence[str]) -> _Deal | None:
    """The deal cut down to the cards of this squad; None if the deal does not hold them."""
    left: dict[str, list[Card]] = {}
    for card in cards:
        left.setdefault(card.key, []).append(card)
    wanted = Counter(squad)
    if any(count > len(left.get(key, [])) for key, count in wanted.items()):
        return None
    whole = _deal(cards, table)
    return _Deal(
        table,
        tuple(card for card in whole.kinds if card.key in wanted),
        tuple(wanted[card.key] for card in whole.kinds if card.key in wanted),
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


# ---------------------------------------------------------------- the walk


class _Node(NamedTuple):
    facts: _Facts
    states: set[_State]


def _start(deal: _Deal) -> dict[_Counts, _Node]:
    """The empty squad with the purses of 402.1."""
    empty = (0,) * len(deal.kinds)
    gold, silver = purse(deal.table)
    return {empty: _Node(_facts(deal, empty), {_State(gold, silver, 0, False, 0, 0)})}


def _walk(
    deal: _Deal, lifted: int = 0, record: int | None = None
) -> Iterator[tuple[_Counts, _Node]]:
    """Every non-empty legal position with every state, by size (403.2.2: one card at a time).

    `lifted` are limits that may be broken. With `record` the limits broken are kept in the
    state, at most so many different ones; without it they are forgotten.
    """
    layer = _start(deal)
    while layer:
        following: dict[_Counts, _Node] = {}
        for counts, node in layer.items():
            for place, card in enumerate(deal.kinds):
                if counts[place] == deal.counts[place]:
                    continue
                target = (*counts[:place], counts[place] + 1, *counts[place + 1 :])
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
                        if record is None:
                            after.states.add(new._replace(broken=0) if new.broken else new)
                        elif new.broken.bit_count() <= record:
                            after.states.add(new)
        layer = {counts: node for counts, node in following.items() if node.states}
        yield from layer.items()


def _complete(deal: _Deal, facts: _Facts) -> bool:
    """Under `creature_required: final` only the finished squad needs its creature (rulings 3)."""
    return facts.creatures > 0 or deal.table.creature_required == "each_step"


def _mask(codes: Iterable[str]) -> int:
    return sum({_BIT[code] for code in codes})


def squads(
    cards: Sequence[Card], table: Table, lifted: frozenset[str] = frozenset()
) -> dict[tuple[str, ...], frozenset[tuple[int, int]]]:
    """Every legal non-empty squad of the deal with every (gold, silver) it can end with (403.2).

    A squad is a sorted tuple of keys; it is legal if some order and some choices build it
    (rulings 3). Limits in `lifted` are not checked; purses may then go below zero.
    """
    deal = _deal(cards, table)
    mask = _mask(lifted)
    found: dict[tuple[str, ...], frozenset[tuple[int, int]]] = {}
    for counts, node in _walk(deal, mask):
        if _complete(deal, node.facts) or mask & _NO_CREATURE:
            found[deal.keys(counts)] = frozenset((s.gold, s.silver) for s in node.states)
    return found


def finals(
    cards: Sequence[Card], table: Table, squad: Sequence[str]
) -> frozenset[tuple[int, int, int]]:
    """Every (gold, silver, total penalty) with which exactly this squad can end (403.2.3.1).

    Empty if no order and choices build it, or if it is no part of the deal. The empty squad
    ends as the deal begins.
    """
    deal = _part(cards, table, squad)
    if deal is None:
        return frozenset()
    if not deal.counts:
        return frozenset({(*purse(table), 0)})
    for counts, node in _walk(deal):
        if counts == deal.counts and _complete(deal, node.facts):
            return frozenset((s.gold, s.silver, s.penalty) for s in node.states)
    return frozenset()


def smallest_limits(
    cards: Sequence[Card], table: Table, squad: Sequence[str]
) -> list[tuple[str, ...]]:
    """All smallest sets of limits (403.2.3) whose lifting together makes the squad legal.

    Each set and the list itself are in the order of `LIMITS`. A legal squad gives `[()]`, one
    that the deal does not hold `[]`. One walk with all limits lifted notes on each line which
    limits it breaks: a line is legal with a set lifted iff it breaks nothing outside the set.
    """
    deal = _part(cards, table, squad)
    if deal is None:
        return []
    if not deal.counts:
        return [()]
    for size in range(len(LIMITS) + 1):
        hit: set[int] = set()
        for counts, node in _walk(deal, _mask(LIMITS), size):
            if counts != deal.counts:
                continue
            extra = 0 if _complete(deal, node.facts) else _NO_CREATURE
            hit.update(state.broken | extra for state in node.states)
        sets = [codes for codes in combinations(LIMITS, size) if _mask(codes) in hit]
        if sets:
            return sets
    raise AssertionError("with everything lifted every squad of the deal is legal")


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


def _continue(
    deal: _Deal, counts: _Counts, place: int, state: _State
) -> Iterator[tuple[_State, Step]]:
    """Recruit one card of a kind from one state in every legal way (403.2.3.1)."""
    card = deal.kinds[place]
    target = (*counts[:place], counts[place] + 1, *counts[place + 1 :])
    before = _facts(deal, counts)
    offers = _offers(deal, card, before, counts[place])
    penalty = _penalty(card, before)
    for new, offer, gold, silver in _take(
        deal, card, offers, penalty, _facts(deal, target), state, 0
    ):
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


def _lines(deal: _Deal, order: Sequence[str]) -> tuple[int, list[_Line]]:
    """Recruit in this order: how many cards the best choices reach, and all lines that do."""
    index = {card.key: place for place, card in enumerate(deal.kinds)}
    counts: _Counts = (0,) * len(deal.kinds)
    lines = [_Line(_State(*purse(deal.table), 0, False, 0, 0), ())]
    for done, key in enumerate(order):
        place = index.get(key)
        if place is None or counts[place] == deal.counts[place]:
            return done, lines  # not (or no longer) in the deal
        following = [
            _Line(state, (*line.steps, step))
            for line in lines
            for state, step in _continue(deal, counts, place, line.state)
        ]
        if not following:
            return done, lines
        lines = following
        counts = (*counts[:place], counts[place] + 1, *counts[place + 1 :])
    return len(order), lines


def judge_order(cards: Sequence[Card], table: Table, order: Sequence[str]) -> int | None:
    """None: the order is legal with some choices; else the 1-based first illegal step (403.2.3).

    The step is taken over the choices that reach the furthest. A card that the deal does not
    hold is an illegal step. With `creature_required: final` an order without a creature fails
    at its last step. The empty order is legal.
    """
    deal = _deal(cards, table)
    done, _ = _lines(deal, order)
    if done < len(order):
        return done + 1
    if table.creature_required == "final" and order:
        creatures = {card.key for card in deal.kinds if card.type in _CREATURES}
        if not creatures.intersection(order):
            return len(order)
    return None


def best_gold_in_order(cards: Sequence[Card], table: Table, order: Sequence[str]) -> int | None:
    """The most gold that this order can leave, over all choices; None if illegal (403.2.3.1)."""
    if judge_order(cards, table, order) is not None:
        return None
    return max(line.state.gold for line in _lines(_deal(cards, table), order)[1])


def best_line(
    cards: Sequence[Card],
    table: Table,
    squad: Sequence[str],
    value: Callable[[int, int], tuple[int, ...]],
) -> list[Step] | None:
    """The best way to recruit this squad, over all orders and choices (403.2.3.1).

    Best: greatest `value(gold, silver)`; then least total penalty; then the lexicographically
    smallest order of keys; then the smallest vectors of bonus, of x and of ordinary payment,
    each in order of the steps. All ways to end are known from `finals`; the first order that
    ends in a best one is built card by card, asking exhaustively whether it still can.
    """
    deal = _part(cards, table, squad)
    ends = finals(cards, table, squad)
    if deal is None or not ends:
        return None
    top = max((value(gold, silver), -penalty) for gold, silver, penalty in ends)
    goals = {end for end in ends if (value(end[0], end[1]), -end[2]) == top}
    known: dict[tuple[_Counts, _State], bool] = {}

    def step_on(counts: _Counts, place: int) -> _Counts:
        return (*counts[:place], counts[place] + 1, *counts[place + 1 :])

    def reaches(counts: _Counts, state: _State) -> bool:
        if counts == deal.counts:
            return (state.gold, state.silver, state.penalty) in goals
        answer = known.get((counts, state))
        if answer is None:
            answer = known[counts, state] = any(
                reaches(step_on(counts, place), new)
                for place in range(len(counts))
                if counts[place] < deal.counts[place]
                for new, _ in _continue(deal, counts, place, state)
            )
        return answer

    counts: _Counts = (0,) * len(deal.kinds)
    lines = [_Line(_State(*purse(table), 0, False, 0, 0), ())]
    while counts != deal.counts:
        for place in range(len(counts)):  # kinds are sorted: the first that works is smallest
            if counts[place] == deal.counts[place]:
                continue
            target = step_on(counts, place)
            following = [
                _Line(state, (*line.steps, step))
                for line in lines
                for state, step in _continue(deal, counts, place, line.state)
                if reaches(target, state)
            ]
            if following:
                counts, lines = target, following
                break
    return list(min(lines, key=lambda line: _vectors(line.steps)).steps)


def _vectors(steps: Sequence[Step]) -> tuple[tuple[int, ...], ...]:
    """The choices of a line as they are compared: bonus, then x, then ordinary."""
    return (
        tuple(int(step.bonus or False) for step in steps),
        tuple(step.x or 0 for step in steps),
        tuple(int(step.ordinary or False) for step in steps),
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
