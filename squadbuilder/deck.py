"""Lists of cards as players write them: `COUNT NAME`, `NAME xCOUNT`, a name or an id."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from squadbuilder.cards import Card, Catalogue
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.reading import Text, read_text
from squadbuilder.terms import fold

MOST_COPIES = 30
_SPACES = re.compile(r"[\s\u200b\ufeff]+")
_COUNT_FIRST = re.compile(r"([-+]?[0-9]+)\s?[xх×*]?\s(.+)", re.IGNORECASE)
_COUNT_LAST = re.compile(r"(.+?)\s[xх×*]\s?([-+]?[0-9]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a list: a card as it was written, how many copies, and where it stands."""

    name: str
    count: int
    where: Where


def read_entry(text: str, where: Where) -> Entry:
    """Split a line into its count (1 if none is written) and the name or id."""
    line = _SPACES.sub(" ", text).strip()
    name, count = line, "1"
    if found := _COUNT_FIRST.fullmatch(line):
        count, name = found.groups()
    elif found := _COUNT_LAST.fullmatch(line):
        name, count = found.groups()
    if not count.isdigit() or not 1 <= int(count[:9]) <= MOST_COPIES:
        raise InputError(ErrorCode.COUNT_MALFORMED, where, found=count, low=1, high=MOST_COPIES)
    return Entry(name, int(count), where)


def read_lines(source: Text) -> list[Entry]:
    """The entries of a text list: a line each; blank lines and `#` comments are passed over."""
    entries: list[Entry] = []
    for number, raw in enumerate(source.text.split("\n"), start=1):
        line = re.sub(r"(^|\s)#.*", "", raw.replace("<br>", "")).strip()
        if line:
            entries.append(read_entry(line, Where(file=source.file, line=number)))
    if not entries:
        raise InputError(ErrorCode.FILE_EMPTY, Where(file=source.file))
    return entries


def find_cards(entries: Iterable[Entry], cards: Catalogue) -> tuple[Card, ...]:
    """The cards that the entries name, a copy each, sorted by name."""
    found: list[Card] = []
    for entry in entries:
        found += [cards.find(entry.name, entry.where)] * entry.count
    return tuple(sorted(found, key=lambda card: card.key))


def read_deck(path: str, cards: Catalogue) -> tuple[Card, ...]:
    """A deck (колода) from a text list."""
    return find_cards(read_lines(read_text(path)), cards)


def joined_name(entries: list[Entry], index: int, cards: Catalogue) -> str | None:
    """The card whose name a comma has split into this entry and one of its neighbours, if any."""
    names = [entry.name for entry in entries]
    for left in (index - 1, index):
        if left >= 0 and left + 1 < len(names):
            card = cards.by_key.get(fold(f"{names[left]}, {names[left + 1]}"))
            if card is not None:
                return card.name
    return None
