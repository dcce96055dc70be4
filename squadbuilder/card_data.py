"""Card data as other programs keep it (a JSON list), turned into a card database for `--cards`.

Facts are taken over. Texts are looked at for what they say of recruitment, and never written.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from squadbuilder.card_search import keyword_names
from squadbuilder.cards import Catalogue
from squadbuilder.effects import MANY, NO_EFFECT, Unmodelled
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.reading import Node, Term, Text, parse, write_yaml
from squadbuilder.terms import CardType, Element, fold

_REQUIRED = ("id", "name", "cost", "elite", "uniq", "color", "type")
_NUMBERS = ("set_id", "number", "rarity")
_KEYS = (
    *_REQUIRED,
    *_NUMBERS,
    "class",
    "life",
    "move",
    "hit",
    "icons",
    "text",
    "prints",
    "alts",
    "alt",
    "altto",
)
_COLOURS = {
    Element.STEPPE: 1,
    Element.MOUNTAIN: 2,
    Element.FOREST: 4,
    Element.SWAMP: 8,
    Element.DARK: 16,
}
_NEUTRAL = 32
_TYPES = (
    CardType.CREATURE,
    CardType.FLYER,
    CardType.COMPANION,
    CardType.PARASITE,
    CardType.ARTIFACT,
    CardType.TERRAIN,
)
_MAGIC = frozenset({"dsc", "mht", "spl"})
"""A discharge (разряд), a magic strike or a spell makes a card magic."""

_MOST_DIGITS = 9
_NO_TEXT = "nan"
_HORDE = re.compile(r"\s*Орда\b")
_RECRUITMENT = re.compile(
    r"\bнаб(ор|ир|ра[влнт]|ер[еиу])|кристалл|пересда"
    r"|\bне мо[жг]\w* (\w+ ){0,2}взят|\bнельзя (\w+ )?взят"
)
"""Words of a folded text that touches recruitment: набор, кристалл, пересдача, не может быть взята."""

_NOTE = "Its text touches recruitment; what it does is not written down here yet."


def import_cards(source: Text, known: Catalogue) -> str:
    """The cards of a JSON list as the text of a database file, in the order of their ids."""
    cards: dict[str, dict[str, object]] = {}
    for place, node in enumerate(parse(source).items(), start=1):
        try:
            entry = node.mapping(_KEYS, required=_REQUIRED)
            if not _other_printing(entry):
                _add(_card(entry, known), entry["id"], cards, known)
        except InputError as error:
            key = ".".join(filter(None, (_label(node, place), error.where.key)))
            error.where = replace(error.where, key=key)
            raise
    if not cards:
        raise InputError(ErrorCode.FILE_EMPTY, Where(file=source.file))
    return write_yaml({"cards": [cards[id] for id in sorted(cards, key=lambda id: (len(id), id))]})


def _label(node: Node, place: int) -> str:
    """What an error calls a card: its id, or its place in the list if the id cannot be read."""
    try:
        return _identity(node.entries()["id"])
    except (InputError, KeyError):
        return f"#{place}"


def _add(
    card: dict[str, object], node: Node, cards: dict[str, dict[str, object]], known: Catalogue
) -> None:
    identity = str(card["id"])
    if identity in cards or identity in known.by_id:
        raise node.error(ErrorCode.CARD_REPEATED, card=identity)
    cards[identity] = card


def _other_printing(entry: Mapping[str, Node]) -> bool:
    """Is it only another picture of a card?"""
    alt = _stated(entry, "alt")
    return alt is not None and bool(alt.text().strip())


def _card(entry: Mapping[str, Node], known: Catalogue) -> dict[str, object]:
    """A card as a database holds it; what it does not have is left out."""
    for key in _NUMBERS:
        _number(entry, key, 10**_MOST_DIGITS - 1)
    name = _plain(entry["name"], entry["name"].text())
    icons = _icons(entry)
    text = _text(entry)
    card = {
        "id": _identity(entry["id"]),
        "name": name,
        "cost": entry["cost"].integer(0, MANY),
        "type": _TYPES[entry["type"].integer(0, len(_TYPES) - 1)].value,
        "elite": entry["elite"].boolean() or None,
        "unique": entry["uniq"].boolean() or None,
        "elements": _elements(entry["color"]) or None,
        "classes": _classes(entry) or None,
        "life": _number(entry, "life", MANY),
        "move": _number(entry, "move", MANY),
        "strike": _strike(entry),
        "horde": _HORDE.match(text) is not None or None,
        "magic": not _MAGIC.isdisjoint(icons) or None,
        "keywords": [f"{code}:{value}" if value else code for code, value in icons.items()] or None,
        "effect": _effect(name, text, known),
    }
    return {key: value for key, value in card.items() if value is not None}


def _stated(entry: Mapping[str, Node], key: str) -> Node | None:
    """The value of a key, unless it is left out or null."""
    node = entry.get(key)
    return None if node is None or (node.value == "null" and not node.quoted) else node


def _number(entry: Mapping[str, Node], key: str, high: int) -> int | None:
    node = _stated(entry, key)
    return None if node is None else node.integer(0, high)


def _plain(node: Node, text: str) -> str:
    """A name as it may stand in a database: one line of printable characters, and not blank."""
    plain = " ".join(text.split())
    if not plain:
        raise node.wrong_type("a_text")
    if not plain.isprintable():
        raise node.error(ErrorCode.SYNTAX, problem=Term("problem_control"))
    return plain


def _identity(node: Node) -> str:
    identity = _plain(node, node.entry_text())
    if identity.isdigit() and len(identity) > _MOST_DIGITS:
        high = 10**_MOST_DIGITS - 1
        raise node.error(ErrorCode.OUT_OF_RANGE, found=identity, low=0, high=high)
    return identity


def _elements(node: Node) -> list[str]:
    """The elements of a colour mask: a bit each, or the neutral bit alone."""
    mask = node.integer(1, _NEUTRAL)
    return [element.value for element, bit in _COLOURS.items() if mask & bit]


def _classes(entry: Mapping[str, Node]) -> list[str]:
    node = _stated(entry, "class")
    if node is None or node.value == ():
        return []
    stated = [(item, item.text()) for item in node.items()]
    return list(dict.fromkeys(_plain(item, text) for item, text in stated if text.strip()))


def _strike(entry: Mapping[str, Node]) -> list[int] | None:
    node = _stated(entry, "hit")
    if node is None:
        return None
    strike = [item.integer(0, MANY) for item in node.items()]
    if len(strike) != 3:
        raise node.wrong_type("three_numbers")
    return strike


def _icons(entry: Mapping[str, Node]) -> dict[str, int]:
    """The keywords by code, each with its value; 0 is a keyword without one."""
    node = _stated(entry, "icons")
    if node is None:
        return {}
    return {code: value.integer(0, MANY) for code, value in node.mapping(keyword_names()).items()}


def _text(entry: Mapping[str, Node]) -> str:
    node = _stated(entry, "text")
    text = "" if node is None else node.text()
    return "" if fold(text) == _NO_TEXT else text


def _effect(name: str, text: str, known: Catalogue) -> dict[str, object] | None:
    """What is said of a text that touches recruitment; a known name keeps the effect it has."""
    namesake = known.by_key.get(fold(name))
    kept = namesake is not None and namesake.effect != NO_EFFECT
    if kept or not _RECRUITMENT.search(fold(text)):
        return None
    return {"note": _NOTE, "unmodelled": Unmodelled.TEXT.value}
