"""Cards as facts, and the catalogue that finds them by id or name."""

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from squadbuilder.effects import NO_EFFECT, Effect, named_cards, read_effect
from squadbuilder.errors import ErrorCode, InputError, Where, suggest
from squadbuilder.reading import Node, Text, data_folder, parse, read_text
from squadbuilder.terms import CREATURE_TYPES, CardType, Element, fold


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """A card (карта) as printed. `key` is the folded name: two printings of one name are one card."""

    id: str
    name: str
    key: str
    set_id: int
    number: int
    rarity: int
    cost: int
    elite: bool
    unique: bool
    elements: frozenset[Element]
    type: CardType
    classes: frozenset[str]
    life: int
    move: int
    strike: tuple[int, int, int]
    horde: bool
    magic: bool
    keywords: tuple[tuple[str, str], ...] = ()
    effect: Effect = NO_EFFECT

    @property
    def creature(self) -> bool:
        """Is it one of the four creature types of 403.2.3?"""
        return self.type in CREATURE_TYPES


class Catalogue:
    """All known cards: one per name (the printing with the highest set id), found by name or id."""

    def __init__(self, cards: Iterable[Card]) -> None:
        by_key: dict[str, Card] = {}
        keys: dict[str, str] = {}
        for card in cards:
            keys[card.id] = card.key
            rival = by_key.get(card.key)
            if rival is None or (rival.set_id, rival.number) < (card.set_id, card.number):
                by_key[card.key] = card
        self.by_key: Mapping[str, Card] = by_key
        self.by_id: Mapping[str, Card] = {id: by_key[key] for id, key in keys.items()}

    def get(self, name: str) -> Card | None:
        """The card of this exact id or folded name."""
        return self.by_id.get(name) or self.by_key.get(fold(name))

    def find(self, name: str, where: Where) -> Card:
        """The card of this id or name; an unknown one is an error with near misses."""
        card = self.get(name)
        if card is None:
            raise self.unknown(name, where)
        return card

    def unknown(self, name: str, where: Where) -> InputError:
        """The error about an unknown card, with the names that may have been meant."""
        near = suggest(name, (card.name for card in self.by_key.values()))
        mixed = any(
            re.search("[A-Za-z]", word) and re.search("[А-Яа-яЁё]", word)
            for word in re.findall(r"[A-Za-zА-Яа-яЁё]+", name)
        )
        code = ErrorCode.CARD_TWO_ALPHABETS if mixed else ErrorCode.CARD_UNKNOWN
        return InputError(code, where, near, card=name)


def catalogue(added: str | None = None) -> Catalogue:
    """The catalogue of the project's data, with the cards of the database file `added` on top."""
    if added is None:
        return _own_catalogue()
    known, effects = _own_cards()
    new = _read_database(parse(read_text(added)), {card.id for card in known}, effects)
    return _checked(Catalogue([*known, *new]), added)


@cache
def _own_catalogue() -> Catalogue:
    return _checked(Catalogue(_own_cards()[0]), "effects")


@cache
def _own_cards() -> tuple[list[Card], Mapping[str, Effect]]:
    folder = data_folder()
    cards = _read_csv(folder / "cards.csv")
    effects: dict[str, Effect] = {}
    for path in sorted((folder / "effects").glob("*.yaml")):
        for name, node in parse(read_text(path)).entries().items():
            if fold(name) in effects:
                raise node.error(ErrorCode.KEY_REPEATED, key=name)
            effects[fold(name)] = read_effect(node)
    unused = effects.keys() - {card.key for card in cards}
    if unused:
        raise InputError(ErrorCode.CARD_UNKNOWN, Where(file="effects"), card=min(unused))
    known = [
        replace(card, effect=effects[card.key]) if card.key in effects else card for card in cards
    ]
    return known, effects


def _checked(cards: Catalogue, file: str) -> Catalogue:
    """A text that speaks of a card by name must name one that exists."""
    for card in cards.by_key.values():
        for key in sorted(named_cards(card.effect)):
            if key not in cards.by_key:
                raise cards.unknown(key, Where(file=file, key=card.name))
    return cards


_COLUMNS = [
    "id",
    "name",
    "set",
    "number",
    "rarity",
    "cost",
    "elite",
    "unique",
    "elements",
    "type",
    "classes",
    "life",
    "move",
    "strike",
    "horde",
    "magic",
    "keywords",
]


def _read_csv(path: Path) -> list[Card]:
    """The facts of `cards.csv`; every column must be there and well-formed."""
    source = read_text(path)
    rows = csv.reader(source.text.splitlines())
    if next(rows, None) != _COLUMNS:
        raise InputError(
            ErrorCode.SYNTAX, Where(file=source.file, line=1), problem=",".join(_COLUMNS)
        )
    return [_card_of_row(row, source, line) for line, row in enumerate(rows, start=2)]


def _card_of_row(row: list[str], source: Text, line: int) -> Card:
    try:
        facts = dict(zip(_COLUMNS, row, strict=True))
        weak, medium, strong = (facts["strike"] or "0-0-0").split("-")
        return Card(
            id=facts["id"],
            name=facts["name"],
            key=fold(facts["name"]),
            set_id=int(facts["set"]),
            number=int(facts["number"]),
            rarity=int(facts["rarity"]),
            cost=int(facts["cost"]),
            elite=_bit(facts["elite"]),
            unique=_bit(facts["unique"]),
            elements=frozenset(map(Element, facts["elements"].split("|")))
            if facts["elements"]
            else frozenset(),
            type=CardType(facts["type"]),
            classes=frozenset(facts["classes"].split("|")) if facts["classes"] else frozenset(),
            life=int(facts["life"] or 0),
            move=int(facts["move"] or 0),
            strike=(int(weak), int(medium), int(strong)),
            horde=_bit(facts["horde"]),
            magic=_bit(facts["magic"]),
            keywords=tuple(map(_keyword, facts["keywords"].split("|")))
            if facts["keywords"]
            else (),
        )
    except ValueError as error:
        where = Where(file=source.file, line=line)
        raise InputError(ErrorCode.SYNTAX, where, problem=str(error)) from None


def _bit(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(f"{text} (0|1)")
    return text == "1"


def _keyword(text: str) -> tuple[str, str]:
    code, _, value = text.partition(":")
    return code, value


_DATABASE_KEYS = (
    "id",
    "name",
    "cost",
    "elite",
    "unique",
    "elements",
    "type",
    "classes",
    "life",
    "move",
    "strike",
    "horde",
    "magic",
    "keywords",
    "effect",
)


def _read_database(root: Node, taken: set[str], effects: Mapping[str, Effect]) -> list[Card]:
    """The cards of a database file (docs/effects.md): a mapping with one list, `cards`.

    A new printing of a known name keeps that name's effect unless it states its own.
    """
    cards: list[Card] = []
    for node in root.mapping(["cards"], required=["cards"])["cards"].items():
        card = _card_of_node(node, effects)
        if card.id in taken:
            raise node.error(ErrorCode.CARD_REPEATED, card=card.id)
        taken.add(card.id)
        cards.append(card)
    return cards


def _card_of_node(node: Node, effects: Mapping[str, Effect]) -> Card:
    entry = node.mapping(_DATABASE_KEYS, required=["id", "name", "cost", "type"])

    def number(key: str) -> int:
        return entry[key].integer(0, 99) if key in entry else 0

    def flag(key: str) -> bool:
        return key in entry and entry[key].boolean()

    def words(key: str) -> list[str]:
        return [item.text() for item in entry[key].items()] if key in entry else []

    strike = (
        [item.integer(0, 99) for item in entry["strike"].items()] if "strike" in entry else [0] * 3
    )
    if len(strike) != 3:
        raise entry["strike"].wrong_type("three_numbers")
    identity = entry["id"].entry_text()
    set_id, number_in_set = _printing(identity)
    key = fold(entry["name"].text())
    return Card(
        id=identity,
        name=entry["name"].text(),
        key=key,
        set_id=set_id,
        number=number_in_set,
        rarity=1,
        cost=entry["cost"].integer(0, 99),
        elite=flag("elite"),
        unique=flag("unique"),
        elements=frozenset(item.choice(Element) for item in entry["elements"].items())
        if "elements" in entry
        else frozenset(),
        type=entry["type"].choice(CardType),
        classes=frozenset(words("classes")),
        life=number("life"),
        move=number("move"),
        strike=(strike[0], strike[1], strike[2]),
        horde=flag("horde"),
        magic=flag("magic"),
        keywords=tuple(map(_keyword, words("keywords"))),
        effect=read_effect(entry["effect"]) if "effect" in entry else effects.get(key, NO_EFFECT),
    )


LONGEST_ID = 9


def _printing(identity: str) -> tuple[int, int]:
    """Set and number from an id (the set's number, then three digits); zeros for other ids."""
    if not (identity.isascii() and identity.isdigit() and len(identity) <= LONGEST_ID):
        return 0, 0
    return int(identity[:-3] or 0), int(identity[-3:])
