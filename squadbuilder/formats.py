"""Deck files that players have: reading by content, writing by choice.

Text list, `.brsd` (ids for names), share code, Tabletop Simulator save, the JSON deck of a game client,
and the project's own YAML.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from squadbuilder.cards import Card, Catalogue
from squadbuilder.deck import MOST_COPIES, Entry, find_cards, read_entry, read_lines
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.reading import Node, Term, Text, parse, read_text, write_yaml


class Format(str, Enum):
    """The formats, by the names that `--format` takes."""

    TEXT = "text"
    BRSD = "brsd"
    CODE = "code"
    TTS = "tts"
    JSON = "json"
    YAML = "yaml"


ENDINGS: Mapping[str, Format] = {
    ".code.txt": Format.CODE,
    ".code": Format.CODE,
    ".tts.json": Format.TTS,
    ".txt": Format.TEXT,
    ".brsd": Format.BRSD,
    ".json": Format.JSON,
    ".yaml": Format.YAML,
    ".yml": Format.YAML,
}
"""The format that a file's ending asks for; longer endings first."""


@dataclass(frozen=True, slots=True)
class DeckList:
    """A list of cards as a file holds it: the deck's name, if it has one, and the entries."""

    name: str
    entries: tuple[Entry, ...]


def format_of(path: str) -> Format:
    """The format that the ending of a path asks for."""
    for ending, found in ENDINGS.items():
        if path.lower().endswith(ending):
            return found
    raise InputError(ErrorCode.FORMAT_UNKNOWN, Where(file=path), ENDINGS)


# Reading

_CODE = re.compile(r"#(?:[A-Za-z0-9_-]{3})+")
_DOCUMENT = re.compile(r"""[{["'%?&*!]|---|- |-$|[^#]*:(\s|$)|[\w-]+:""")
_DECK_KEYS = ("name", "deck")


def read_deck(path: str, cards: Catalogue) -> tuple[Card, ...]:
    """The cards of a deck (колода) in any of the formats."""
    return find_cards(read_list(read_text(path)).entries, cards)


def read_list(source: Text) -> DeckList:
    """A deck list in any of the formats, told apart by what is in it."""
    root = document(source)
    return read_plain(source) if root is None else read_node(root)


def document(source: Text) -> Node | None:
    """The YAML or JSON document that the text is; None for a text list or a share code."""
    text = source.text.strip()
    lines = (line.strip() for line in text.split("\n"))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    if text and not _DOCUMENT.match(first):
        return None
    root = parse(source)
    return None if isinstance(root.value, str) else root


def read_plain(source: Text) -> DeckList:
    """A share code, a text list or a `.brsd`: the name in a first comment, then `COUNT CARD`."""
    text = source.text.strip()
    if _CODE.fullmatch(text):
        return DeckList("", tuple(_read_code(text, source.file)))
    first = text.split("\n", 1)[0]
    name = first.removeprefix("#").replace("<br>", "").strip() if first.startswith("#") else ""
    return DeckList(name, tuple(read_lines(source)))


def read_node(root: Node) -> DeckList:
    """A deck list from a parsed document: a plain list, YAML, a JSON deck or a saved table."""
    if isinstance(root.value, tuple):
        return DeckList("", tuple(listed(root)))
    entries = root.entries()
    if "ObjectStates" in entries:
        return _read_save(entries["ObjectStates"])
    name = _name(entries["name"]) if "name" in entries else ""
    if "cards" in entries:
        counted = root.mapping(("name", "cards"))["cards"].items()
        return DeckList(name, tuple(map(_counted, counted)))
    return DeckList(name, tuple(listed(root.mapping(_DECK_KEYS, required=["deck"])["deck"])))


def listed(node: Node) -> list[Entry]:
    """The entries of a YAML or JSON list of cards."""
    if node.value == ():
        raise node.error(ErrorCode.FILE_EMPTY)
    entries = [read_entry(item.entry_text(), item.where) for item in node.items()]
    return [replace(entry, flow=True) for entry in entries] if node.flow else entries


def _name(node: Node) -> str:
    return node.value if isinstance(node.value, str) else ""


def _counted(node: Node) -> Entry:
    """An entry of a JSON deck: `{"name": ..., "count": ...}`; other keys are the client's own."""
    entry = node.entries()
    for key in ("name", "count"):
        if key not in entry:
            raise node.error(ErrorCode.KEY_MISSING, key=key)
    count = entry["count"].integer(1, MOST_COPIES)
    return Entry(entry["name"].entry_text(), count, entry["name"].where)


def _read_save(states: Node) -> DeckList:
    """A Tabletop Simulator save: an object a copy, the card's name as its nickname."""
    state = states.items()[0].entries()
    if "ContainedObjects" not in state:
        raise states.error(ErrorCode.KEY_MISSING, key="ContainedObjects")
    entries: list[Entry] = []
    for item in state["ContainedObjects"].items():
        card = item.entries()
        if "Nickname" not in card:
            raise item.error(ErrorCode.KEY_MISSING, key="Nickname")
        entries.append(Entry(card["Nickname"].entry_text().strip(), 1, card["Nickname"].where))
    return DeckList(_name(state["Nickname"]) if "Nickname" in state else "", tuple(entries))


# The share code: `#`, then three letters a card, 18 bits: count (3), set (7), number in the set (8)

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_SETS = ("10", "20", "21", "22", "30", "40", "50", "60")
_MOST_IN_CODE = 7
_MOST_NUMBER = 255


def _read_code(code: str, file: str) -> Iterable[Entry]:
    for place in range(1, len(code), 3):
        letters = code[place : place + 3]
        value = 0
        for letter in letters:
            value = value * len(_ALPHABET) + _ALPHABET.index(letter)
        count, set_index, number = value >> 15, value >> 8 & 127, value & 255
        where = Where(file=file, line=1, key=letters)
        if not count or set_index >= len(_SETS):
            raise InputError(ErrorCode.CODE_MALFORMED, where, found=letters)
        yield Entry(f"{_SETS[set_index]}{number:03d}", count, where)


def _write_code(name: str, counted: Mapping[Card, int]) -> str:
    code = "#"
    for card, count in counted.items():
        if count > _MOST_IN_CODE:
            raise _cannot_hold(Format.CODE, card, "count_over_seven")
        digits = card.id if card.id.isascii() and card.id.isdigit() else ""
        if digits[:-3] not in _SETS or int(digits[-3:]) > _MOST_NUMBER:
            raise _cannot_hold(Format.CODE, card, "set_outside_code")
        value = count << 15 | _SETS.index(digits[:-3]) << 8 | int(digits[-3:])
        code += "".join(_ALPHABET[value >> shift & 63] for shift in (12, 6, 0))
    return code + "\n"


def _cannot_hold(form: Format, card: Card, reason: str) -> InputError:
    return InputError(
        ErrorCode.FORMAT_CANNOT_HOLD,
        Where(),
        format=form.value,
        card=card.name,
        reason=Term(reason),
    )


# Writing


def write_list(name: str, cards: Iterable[Card], form: Format) -> str:
    """The deck in a format; a format that cannot hold it refuses and says why."""
    counted = Counter(sorted(cards, key=lambda card: card.key))
    return _WRITERS[form](name, counted)


def _write_text(name: str, counted: Mapping[Card, int]) -> str:
    return _lines(name, {card.name: count for card, count in counted.items()})


def _write_brsd(name: str, counted: Mapping[Card, int]) -> str:
    return _lines(name, {card.id: count for card, count in counted.items()})


def _lines(name: str, counts: Mapping[str, int]) -> str:
    title = f"# {name}\n" if name else ""
    return title + "".join(f"{count} {word}\n" for word, count in counts.items())


def _write_tts(name: str, counted: Mapping[Card, int]) -> str:
    objects: list[dict[str, object]] = []
    for card, count in counted.items():
        if not (card.id.isascii() and card.id.isdigit()):
            raise _cannot_hold(Format.TTS, card, "id_no_number")
        tags = ["Card", f"Cost_{card.cost}"]
        one = {"Name": "Card", "Nickname": card.name, "Tags": tags, "CardID": int(card.id)}
        objects += [one] * count
    state = {"Name": "Deck", "Nickname": name, "DeckIDs": [], "ContainedObjects": objects}
    return _json({"SaveName": "", "GameMode": "", "ObjectStates": [state]})


def _write_json(name: str, counted: Mapping[Card, int]) -> str:
    cards = [{"name": card.name, "count": count} for card, count in counted.items()]
    return _json({"name": name, "cards": cards})


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _write_yaml(name: str, counted: Mapping[Card, int]) -> str:
    cards = [f"{count} {card.name}" if count > 1 else card.name for card, count in counted.items()]
    return write_yaml({"name": name, "deck": cards} if name else {"deck": cards})


_WRITERS: Mapping[Format, Callable[[str, Mapping[Card, int]], str]] = {
    Format.TEXT: _write_text,
    Format.BRSD: _write_brsd,
    Format.CODE: _write_code,
    Format.TTS: _write_tts,
    Format.JSON: _write_json,
    Format.YAML: _write_yaml,
}
