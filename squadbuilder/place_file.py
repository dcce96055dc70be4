"""The file of `place`: the squad, the seat, blocked cells, cards on cells, wishes, and the log."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from squadbuilder.after_placement import Due, LogEntry, due_of
from squadbuilder.cards import Card, Catalogue
from squadbuilder.deal import Deal, check_deal, path_beside, ruleset_beside
from squadbuilder.deck import find_cards
from squadbuilder.effects import MANY
from squadbuilder.errors import ErrorCode, InputError, Where, suggest
from squadbuilder.formats import listed
from squadbuilder.naming import named
from squadbuilder.placement import CELLS, Cell, Placing, read_cell
from squadbuilder.reading import STDIN, Node, parse, read_text
from squadbuilder.recruit import Paid, Reveal
from squadbuilder.stated import Named
from squadbuilder.terms import Player

PASS = "pass"


class Depth(str, Enum):
    """A row as a player calls it: front is row 1, which faces the enemy."""

    FRONT = "front"
    MIDDLE = "middle"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class LineUpWishes:
    """What a player wants of a line-up: rows for cards, pairs side by side, cards on cells."""

    prefer: Mapping[Card, Depth]
    beside: tuple[tuple[Card, Card], ...]
    pin: Mapping[Cell, Card]


@dataclass(frozen=True, slots=True)
class Squad:
    """A squad as recruited: its cards, with the choices stated, and the reveals that they make due.

    `ordered` tells that the cards stand in the order of recruitment and all choices are stated.
    """

    cards: tuple[Named, ...]
    due: tuple[Due, ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class PlaceFile:
    """All that `place` is told. `deal` holds the squad's cards alone, with the seat and the rules.

    `log` is what both players did after placement (404.2).
    """

    deal: Deal
    squad: Squad
    blocked: frozenset[Cell]
    placings: tuple[Placing, ...]
    wishes: LineUpWishes
    log: tuple[LogEntry, ...]


_KEYS = (
    "player",
    "rules",
    "mulligans",
    "opponent_mulligans",
    "squad",
    "blocked",
    "cells",
    "prefer",
    "beside",
    "pin",
    "after_placement",
)
_SOLVED = "squads"
_BRACKETS = re.compile(r"\s*\[.*\]\s*$")


def read_place_file(path: str, cards: Catalogue, player: Player | None = None) -> PlaceFile:
    """Read the file of `place`, or the JSON of `solve`, whose first squad is taken.

    A stated `player` outranks the file.
    """
    root = parse(read_text(path))
    entries = root.entries()
    if _SOLVED in entries:
        return _build({}, entries, root, cards, player)
    entry = root.mapping(_KEYS, required=["squad"])
    solved = _solved_beside(entry["squad"])
    return _build(entry, solved.entries() if solved else None, solved or root, cards, player)


def _solved_beside(node: Node) -> Node | None:
    """The JSON of `solve` that `squad` names by a path beside this file; None for a list of cards."""
    if not isinstance(node.value, str):
        return None
    path = path_beside(node)
    if path == STDIN:
        raise node.wrong_type("a_path")
    root = parse(read_text(path))
    if _SOLVED not in root.entries():
        raise root.error(ErrorCode.KEY_MISSING, key=_SOLVED)
    return root


def _build(
    entry: Mapping[str, Node],
    solved: Mapping[str, Node] | None,
    source: Node,
    cards: Catalogue,
    player: Player | None,
) -> PlaceFile:
    squad = _listed_squad(entry["squad"], cards) if solved is None else _solved_squad(solved, cards)
    blocked = frozenset(_cell(node) for node in _members(entry.get("blocked")))
    return PlaceFile(
        deal=_deal({**(solved or {}), **entry}, squad, blocked, source.where, player),
        squad=squad,
        blocked=blocked,
        placings=tuple(
            Placing(cell, _member(node.entry_text(), node.where, squad, cards))
            for cell, node in _pairs(entry.get("cells"))
        ),
        wishes=_wishes(entry, squad, cards),
        log=tuple(
            _log_entry(name, node, cards) for name, node in _pairs(entry.get("after_placement"))
        ),
    )


def _deal(
    known: Mapping[str, Node],
    squad: Squad,
    blocked: Collection[Cell],
    where: Where,
    player: Player | None,
) -> Deal:
    """The squad's cards as a deal of their own, by which the squad is judged again."""

    def number(key: str) -> int:
        return known[key].integer(0, MANY) if key in known else 0

    rules = known.get("rules")
    stated = known["player"].choice(Player) if "player" in known else Player.FIRST
    deal = Deal(
        cards=tuple(sorted((one.card for one in squad.cards), key=lambda card: card.key)),
        rules=ruleset_beside(rules),
        player=player or stated,
        mulligans=number("mulligans"),
        opponent_mulligans=number("opponent_mulligans"),
        blocked_cells=len(blocked),
    )
    check_deal(deal, where, any_size=True)
    return deal


def _members(node: Node | None) -> Sequence[Node]:
    """The members of a list that may be left out or empty."""
    return () if node is None or node.value == () else node.items()


def _pairs(node: Node | None) -> list[tuple[str, Node]]:
    """The entries of a mapping in their order, or of a list of mappings with one entry each."""
    if node is None or node.value == ():
        return []
    if isinstance(node.value, Mapping):
        return list(node.value.items())
    found: list[tuple[str, Node]] = []
    for member in node.items():
        entries = list(member.entries().items())
        if len(entries) != 1:
            raise member.wrong_type("a_pair")
        found += entries
    return found


def _entries(entry: Mapping[str, Node], key: str) -> Collection[tuple[str, Node]]:
    """The entries of a mapping that may be left out."""
    return entry[key].entries().items() if key in entry else ()


def _cell(node: Node) -> Cell:
    return _known_cell(node.text(), node.where)


def _known_cell(text: str, where: Where) -> Cell:
    cell = read_cell(text)
    if cell is None:
        near = [one for one in CELLS if set(one) & set(text.lower())]
        raise InputError(ErrorCode.VALUE_UNKNOWN, where, near or CELLS, found=text)
    return cell


# The squad


def _listed_squad(node: Node, cards: Catalogue) -> Squad:
    """A squad as a list of cards, with the choices that the player states in brackets."""
    entries = listed(node)

    def find(name: str, where: Where) -> Card:
        if cards.get(name) is None:  # the list as a whole tells whether a comma has split a name
            find_cards([replace(one, name=_BRACKETS.sub("", one.name)) for one in entries], cards)
        return cards.find(name, where)

    found: list[Named] = []
    for entry in entries:
        where = entry.where
        one = named(entry.name, lambda name, at=where: find(name, at), where)  # type: ignore[misc]
        found += [one] * entry.count
    due = (due_of(one) for one in found)
    return Squad(tuple(found), tuple(one for one in due if one is not None), ordered=False)


def _solved_squad(solved: Mapping[str, Node], cards: Catalogue) -> Squad:
    """The first squad of the JSON of `solve`: its steps tell how each card was paid."""
    squads = solved[_SOLVED]
    if squads.value == ():
        raise squads.error(ErrorCode.FILE_EMPTY)
    squad = squads.items()[0]
    entry = _with_keys(squad, "steps", "reveals")
    steps = [_step(step, cards) for step in entry["steps"].items()]
    told = Counter(
        cards.find(reveal["card"].entry_text(), reveal["card"].where)
        for node in _members(entry["reveals"])
        for reveal in [_with_keys(node, "card")]
    )
    due: list[Due] = []
    for one, paid in sorted(steps, key=lambda step: step[1]):
        if told[one.card] and one.paid is not Paid.ELITE:
            told[one.card] -= 1
            due.append(_due_of_step(one, paid))
    order = [one.card.key for one, _ in steps]
    due.sort(key=lambda one: order.index(one.card.key))
    return Squad(tuple(one for one, _ in steps), tuple(due), ordered=True)


def _step(node: Node, cards: Catalogue) -> tuple[Named, int]:
    """A step of the ledger: the card with its choices, and the crystals paid for it."""
    entry = _with_keys(node, "card", "paid", "choices")
    name = _with_keys(entry["card"], "name")["name"]
    choices = _with_keys(entry["choices"], "bonus", "x", "paid")
    paid = _with_keys(entry["paid"], "gold", "silver")
    one = Named(
        cards.find(name.entry_text(), name.where),
        bonus=None if _null(choices["bonus"]) else choices["bonus"].boolean(),
        x=None if _null(choices["x"]) else choices["x"].integer(0, MANY),
        paid=None if _null(choices["paid"]) else choices["paid"].choice(Paid),
    )
    return one, sum(paid[colour].integer(0, MANY) for colour in ("gold", "silver"))


def _due_of_step(one: Named, paid: int) -> Due:
    if one.x is not None:
        return Due(one.card, Reveal.X, x=one.x)
    if one.paid is Paid.ORDINARY:
        return Due(one.card, Reveal.ORDINARY)
    return Due(one.card, Reveal.PRICE, paid=paid)


def _with_keys(node: Node, *keys: str) -> Mapping[str, Node]:
    """The entries of a mapping that must hold these keys and may hold others."""
    entries = node.entries()
    for key in keys:
        if key not in entries:
            raise node.error(ErrorCode.KEY_MISSING, key=key)
    return entries


def _null(node: Node) -> bool:
    return node.value == "null" and not node.quoted


def _member(name: str, where: Where, squad: Squad, cards: Catalogue) -> Card:
    """A card of this name; if there is none, the squad's names come first as suggestions."""
    card = cards.get(name)
    if card is None:
        error = cards.unknown(name, where)
        error.suggestions = (
            suggest(name, (one.card.name for one in squad.cards)) or error.suggestions
        )
        raise error
    return card


# Wishes and the log


def _wishes(entry: Mapping[str, Node], squad: Squad, cards: Catalogue) -> LineUpWishes:
    copies = Counter(one.card for one in squad.cards)

    def member(name: str, where: Where, need: int = 1) -> Card:
        card = _member(name, where, squad, cards)
        if copies[card] < need:
            raise InputError(
                ErrorCode.CARD_NOT_IN_SQUAD,
                where,
                card=card.name,
                need=need,
                have=copies[card],
            )
        return card

    prefer = {
        member(name, node.where): node.choice(Depth) for name, node in _entries(entry, "prefer")
    }
    beside: list[tuple[Card, Card]] = []
    for pair in _members(entry.get("beside")):
        names = pair.items()
        if len(names) != 2:
            raise pair.wrong_type("two_cards")
        first = member(names[0].entry_text(), names[0].where)
        again = cards.get(names[1].entry_text()) is first
        beside.append((first, member(names[1].entry_text(), names[1].where, 2 if again else 1)))
    pin: dict[Cell, Card] = {}
    for text, node in _entries(entry, "pin"):
        cell = _known_cell(text, node.where)
        if cell in pin:
            raise node.error(ErrorCode.KEY_REPEATED, key=text)
        card = _member(node.entry_text(), node.where, squad, cards)
        need = list(pin.values()).count(card) + 1
        pin[cell] = member(node.entry_text(), node.where, need)
    return LineUpWishes(prefer, tuple(beside), pin)


def _log_entry(player: str, node: Node, cards: Catalogue) -> LogEntry:
    """`first: CARD` or `second: pass`."""
    names = [one.value for one in Player]
    if player not in names:
        raise node.error(ErrorCode.KEY_UNKNOWN, suggest(player, names) or names, key=player)
    text = node.entry_text()
    if text == PASS:
        return LogEntry(Player(player), None)
    return LogEntry(
        Player(player), named(text, lambda name: cards.find(name, node.where), node.where)
    )
