"""Lists of cards as players write them: `COUNT NAME`, `NAME xCOUNT`, a name or an id."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from squadbuilder.cards import Card, Catalogue
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.reading import Text

MOST_COPIES = 30
_SPACES = re.compile(r"[\s\u200b\ufeff]+")
_COUNT_FIRST = re.compile(r"([-+]?[0-9]+)\s?[xх×*]?\s(.+)", re.IGNORECASE)
_COUNT_LAST = re.compile(r"(.+?)\s[xх×*]\s?([-+]?[0-9]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a list: a card as it was written, how many copies, and where it stands.

    `flow` tells that it stood between brackets, where a comma could have split its name.
    """

    name: str
    count: int
    where: Where
    flow: bool = False


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


def find_cards(entries: Sequence[Entry], cards: Catalogue) -> tuple[Card, ...]:
    """The cards that the entries name, a copy each, sorted by name."""
    found: list[Card] = []
    for place, entry in enumerate(entries):
        card = cards.get(entry.name)
        if card is None:
            raise _unknown(entries, place, cards)
        found += [card] * entry.count
    return tuple(sorted(found, key=lambda card: card.key))


def _unknown(entries: Sequence[Entry], place: int, cards: Catalogue) -> InputError:
    entry = entries[place]
    for left in (place - 1, place):
        if entry.flow and 0 <= left < len(entries) - 1:
            whole = cards.get(f"{entries[left].name}, {entries[left + 1].name}")
            if whole is not None:
                return InputError(
                    ErrorCode.CARD_SPLIT_BY_COMMA,
                    entry.where,
                    [f'"{whole.name}"'],
                    card=entry.name,
                )
    return cards.unknown(entry.name, entry.where)
