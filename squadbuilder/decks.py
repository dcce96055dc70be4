"""Decks: are they legal to play, what are they made of, and what do they deal."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from typing import TypeVar

from squadbuilder.cards import Card, Catalogue
from squadbuilder.deal import Deal
from squadbuilder.deck import Entry
from squadbuilder.ruleset import Ruleset
from squadbuilder.terms import CardType, Player

Thing = TypeVar("Thing")


class Fault(str, Enum):
    """What may be wrong with a deck; each value is a message."""

    CARD_UNKNOWN = "deck_card_unknown"
    TOO_SMALL = "deck_too_small"
    COPIES = "deck_copies"
    HORDE_COPIES = "deck_horde_copies"
    BANNED = "deck_banned"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a deck: `need` would be right, `have` is there."""

    fault: Fault
    cards: tuple[str, ...]
    need: int
    have: int
    suggestions: tuple[str, ...] = ()


def check_deck(entries: Iterable[Entry], cards: Catalogue, rules: Ruleset) -> list[Problem]:
    """Everything that is wrong with a deck (колода); copies count over all lines and printings."""
    problems: list[Problem] = []
    copies: Counter[Card] = Counter()
    size = 0
    for entry in entries:
        size += entry.count
        card = cards.get(entry.name)
        if card is None:
            near = cards.unknown(entry.name, entry.where).suggestions
            problems.append(Problem(Fault.CARD_UNKNOWN, (entry.name,), 0, entry.count, near))
        else:
            copies[card] += entry.count
    if size < rules.deck_size:
        problems.append(Problem(Fault.TOO_SMALL, (), rules.deck_size, size))
    for card, number in sorted(copies.items(), key=lambda pair: pair[0].key):
        most = rules.horde_copies if card.horde else rules.copies
        if number > most:
            fault = Fault.HORDE_COPIES if card.horde else Fault.COPIES
            problems.append(Problem(fault, (card.name,), most, number))
        if card.key in rules.banned:
            problems.append(Problem(Fault.BANNED, (card.name,), 0, number))
    return problems


@dataclass(frozen=True, slots=True)
class Profile:
    """What a deck is made of. The curve counts cards by printed cost, ordinary and elite apart."""

    cards: int
    ordinary: dict[int, int]
    elite: dict[int, int]
    elements: dict[str, int]
    types: dict[str, int]
    unique: int
    horde: int
    flyers_worth: int


NEUTRAL = "neutral"


def profile(cards: Sequence[Card]) -> Profile:
    """Count a deck's cards; a card of several elements counts for each of them."""
    flyers = [card.cost for card in cards if card.type is CardType.FLYER]
    elements = Counter(
        element for card in cards for element in ([e.value for e in card.elements] or [NEUTRAL])
    )
    return Profile(
        cards=len(cards),
        ordinary=_counted(card.cost for card in cards if not card.elite),
        elite=_counted(card.cost for card in cards if card.elite),
        elements=dict(sorted(elements.items())),
        types=dict(sorted(Counter(card.type.value for card in cards).items())),
        unique=sum(card.unique for card in cards),
        horde=sum(card.horde for card in cards),
        flyers_worth=sum(flyers),
    )


def _counted(costs: Iterable[int]) -> dict[int, int]:
    return dict(sorted(Counter(costs).items()))


def draw(
    deck: Sequence[Card], seed: int, rules: Ruleset, player: Player, mulligans: int, index: int = 0
) -> Deal:
    """The deal that a deck gives after so many mulligans (402.2 to 402.4).

    The same on every machine and in any order of the deck's lines. The empty deal asks for its size.
    """
    bare = Deal((), rules, player, mulligans, deck=tuple(sorted(deck, key=lambda card: card.key)))
    cards = bare.deck or ()
    dealt = dealt_places(names_of(cards), len(cards), bare.size, seed, mulligans, index)
    return Deal(
        tuple(sorted((cards[place] for place in dealt), key=lambda card: card.key)),
        rules,
        player,
        mulligans,
        deck=bare.deck,
    )


def names_of(cards: Iterable[Card]) -> str:
    """The names of a sorted deck, which with seed and index decide its deals."""
    return "\n".join(card.key for card in cards)


def stream_of(names: str, seed: int, mulligans: int, index: int, use: str = "") -> random.Random:
    """One random stream a deal, from the seed, the deck's cards, the mulligans and the deal's index."""
    digest = sha256(f"{seed}|{index}|{mulligans}|{names}{use}".encode()).digest()
    return random.Random(int.from_bytes(digest, "big"))


def dealt_places(
    names: str, cards: int, size: int, seed: int, mulligans: int, index: int
) -> list[int]:
    """Which places of the sorted deck are dealt."""
    return shuffled(range(cards), stream_of(names, seed, mulligans, index))[:size]


def shuffled(cards: Sequence[Thing], stream: random.Random) -> list[Thing]:
    """The cards or places in random order, by the one generator call whose sequence Python guarantees."""
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        other = int(stream.random() * (last + 1))
        order[last], order[other] = order[other], order[last]
    return order
