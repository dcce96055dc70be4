"""A squad as counts of the deal's cards, and how its cards count now: elements, classes, cells."""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from squadbuilder.cards import Card
from squadbuilder.deal import Deal
from squadbuilder.effects import Before, Condition, Filter, Limit, Side, Source, Subject
from squadbuilder.terms import Element

Counts = tuple[int, ...]
"""A multiset of cards: how many copies of each of `Cards.kinds`, in that order."""

NO_ELEMENTS: frozenset[Element] = frozenset()
_BIT = {element: 1 << place for place, element in enumerate(Element)}
_SETS = tuple(
    frozenset(element for element, bit in _BIT.items() if bits & bit)
    for bits in range(2 ** len(_BIT))
)
"""Every set of elements, at the place that its bits add up to."""


def fits(cards: Filter, card: Card, elements: frozenset[Element]) -> bool:
    """Does the text speak of this card, when `elements` are those it counts as having now?"""
    return (
        card.type in cards.types
        and card.cost in cards.cost
        and (cards.elite is None or cards.elite is card.elite)
        and (cards.unique is None or cards.unique is card.unique)
        and (cards.magic is None or cards.magic is card.magic)
        and (cards.key is None or cards.key == card.key)
        and (cards.neutral is None or cards.neutral is not bool(elements))
        and (cards.elements is None or not cards.elements.isdisjoint(elements))
        and (cards.classes is None or not cards.classes.isdisjoint(card.classes))
        and (
            cards.class_begins is None
            or any(name.startswith(cards.class_begins) for name in card.classes)
        )
    )


def may_come(deal: Deal) -> Counter[Card]:
    """Cards of the deck that abilities used before recruitment could bring into deal or squad (403.1)."""
    found: Counter[Card] = Counter()
    if not deal.deck or not any(card.effect.before for card in deal.cards):
        return found
    left = Counter(deal.deck) - Counter(deal.cards)
    while True:
        pool = Counter(deal.cards) + found
        most: Counter[Card] = Counter()
        for giver, copies in pool.items():
            ability = giver.effect.before
            if ability is not None:
                for card in left:
                    most[card] += copies * _brings(ability, card, pool)
        now = Counter({card: min(number, left[card]) for card, number in most.items()})
        if +now == +found:
            return +found
        found = now


def _brings(ability: Before, card: Card, pool: Iterable[Card]) -> int:
    """How many copies of a deck card one use of the ability could bring at most."""
    fetch, partner = ability.fetch, ability.partner
    number = 0
    if fetch is not None and fits(fetch.cards, card, card.elements):
        shown = ability.show is not None and any(
            other.key == card.key and fits(ability.show.cards, other, other.elements)
            for other in pool
        )
        number += fetch.number if shown or not fetch.name_shown else 0
    if partner is not None and partner.source is Source.DECK:
        number += fits(partner.cards, card, card.elements)
    return number


class Cards:
    """The distinct cards of a deal (one per name, sorted by it) and squads made of them.

    `dealt` counts the copies in the deal, `copies` also those that abilities could bring.
    """

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        dealt = Counter(card.key for card in deal.cards)
        coming = may_come(deal)
        by_key = {card.key: card for card in (*coming, *deal.cards)}
        self.kinds: tuple[Card, ...] = tuple(by_key[key] for key in sorted(by_key))
        self.dealt: Counts = tuple(dealt[card.key] for card in self.kinds)
        self.copies: Counts = tuple(
            number + coming[card] for number, card in zip(self.dealt, self.kinds, strict=True)
        )
        self.index = {card.key: kind for kind, card in enumerate(self.kinds)}
        self.empty: Counts = (0,) * len(self.kinds)
        self._creature: Counts = tuple(int(card.creature) for card in self.kinds)
        self._blocks_own: Counts = tuple(
            cells.number if (cells := card.effect.blocked_cells) and cells.side is Side.OWN else 0
            for card in self.kinds
        )
        self._neutralisers = [k for k, card in enumerate(self.kinds) if card.effect.neutral]
        self._matches: dict[tuple[Filter, tuple[int, ...]], tuple[int, ...]] = {}
        self.elements_now = lru_cache(maxsize=None)(self._elements_now)
        self._bits_now = lru_cache(maxsize=None)(self._element_bits)

    def counts(self, cards: Iterable[Card]) -> Counts:
        """The multiset of these cards, all of which are in the deal."""
        found = Counter(card.key for card in cards)
        return tuple(found[card.key] for card in self.kinds)

    def members(self, squad: Counts) -> list[int]:
        """The kinds in the squad, a copy each, in order of name."""
        return [kind for kind, count in enumerate(squad) for _ in range(count)]

    def active_neutralisers(self, squad: Counts) -> tuple[int, ...]:
        """The kinds in the squad that make other cards neutral."""
        if not self._neutralisers:
            return ()
        return tuple(kind for kind in self._neutralisers if squad[kind])

    def _elements_now(self, active: tuple[int, ...]) -> tuple[frozenset[Element], ...]:
        """The elements that each kind counts as having while these neutralisers are in the squad."""
        texts = [self.kinds[kind].effect.neutral for kind in active]
        return tuple(
            NO_ELEMENTS
            if any(text is not None and fits(text, card, card.elements) for text in texts)
            else card.elements
            for card in self.kinds
        )

    def matching(self, cards: Filter, active: tuple[int, ...]) -> tuple[int, ...]:
        """The kinds that a text speaks of while these neutralisers are in the squad."""
        found = self._matches.get((cards, active))
        if found is None:
            now = self.elements_now(active)
            found = tuple(
                kind for kind, card in enumerate(self.kinds) if fits(cards, card, now[kind])
            )
            self._matches[cards, active] = found
        return found

    def number(self, cards: Filter, squad: Counts) -> int:
        """How many cards of the squad a text speaks of."""
        return sum(squad[kind] for kind in self.matching(cards, self.active_neutralisers(squad)))

    def _element_bits(self, active: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(
            sum(_BIT[element] for element in elements) for elements in self.elements_now(active)
        )

    def elements(self, squad: Counts) -> frozenset[Element]:
        """The squad's elements as its cards count now."""
        bits = 0
        for count, own in zip(squad, self._bits_now(self.active_neutralisers(squad)), strict=True):
            if count:
                bits |= own
        return _SETS[bits]

    def hold_pair(self, pair: tuple[str, str], squad: Counts) -> bool:
        """Do both cards (two copies, if it is one name) stand in the squad?"""
        kinds = [self.index.get(key) for key in pair]
        need = 2 if pair[0] == pair[1] else 1
        return all(kind is not None and squad[kind] >= need for kind in kinds)

    def creatures(self, squad: Counts) -> int:
        """How many creatures, of all four types, the squad holds."""
        return sum(map(int.__mul__, squad, self._creature))

    def free_cells(self, squad: Counts) -> int:
        """Cells for placement: the ruleset's, less those blocked by the deal or by own cards."""
        blocked = self.deal.blocked_cells + sum(map(int.__mul__, squad, self._blocks_own))
        return max(0, self.deal.rules.cells - blocked)

    def holds(self, condition: Condition, squad: Counts) -> bool:
        """Is the condition met, seen from this squad?"""
        if condition.subject is Subject.SQUAD:
            return self.number(condition.cards, squad) in condition.number
        if condition.subject is Subject.ELEMENTS:
            return len(self.elements(squad)) in condition.number
        return self.mulligans(condition.subject) in condition.number

    def mulligans(self, subject: Subject) -> int:
        """How many mulligans the player, or the opponent, took."""
        if subject is Subject.MY_MULLIGANS:
            return self.deal.mulligans
        return self.deal.opponent_mulligans

    def over(self, limit: Limit, kind: int | None, squad: Counts) -> int:
        """How many cards exceed a limit that card `kind` puts on the squad (0: it is kept)."""
        found = self.number(limit.cards, squad)
        if limit.others and kind is not None:
            active = self.active_neutralisers(squad)
            found -= kind in self.matching(limit.cards, active)
        return max(0, found - limit.at_most)
