"""The deal file: 15 cards, the seat, mulligans and the ruleset, checked against each other."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from squadbuilder.cards import Card, Catalogue
from squadbuilder.deck import find_cards
from squadbuilder.effects import MANY
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.formats import document, listed, read_deck, read_node, read_plain
from squadbuilder.reading import STDIN, Node, read_text
from squadbuilder.ruleset import MulliganCost, Ruleset, ruleset
from squadbuilder.terms import Player

MOST_OUTCOME = 2
MOST_CARDS = 60


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal (раздача, 402.3) as dealt: sorted cards, the seat and what the rules need beside them."""

    cards: tuple[Card, ...]
    rules: Ruleset = field(default_factory=ruleset)
    player: Player = Player.FIRST
    mulligans: int = 0
    opponent_mulligans: int = 0
    blocked_cells: int = 0
    deck: tuple[Card, ...] | None = None
    outcomes: Mapping[str, int] = field(default_factory=dict)

    @property
    def gold(self) -> int:
        """Gold crystals at the start (402.1), less those that mulligans cost."""
        lost = self.mulligans if self.rules.mulligan_costs is MulliganCost.GOLD else 0
        return self.rules.gold[self.player] - lost

    @property
    def silver(self) -> int:
        """Silver crystals at the start (402.1)."""
        return self.rules.silver[self.player]

    @property
    def size(self) -> int:
        """How many cards the ruleset deals after these mulligans (402.4)."""
        lost = self.mulligans if self.rules.mulligan_costs is MulliganCost.CARD else 0
        return self.rules.deal_size - lost

    def without_abilities(self) -> "Deal":
        """The same deal and deck for a player who uses no ability before recruitment (403.1)."""
        able = {card for card in (*self.cards, *(self.deck or ())) if card.effect.before}
        plain = {card: replace(card, effect=replace(card.effect, before=None)) for card in able}
        cards = tuple(plain.get(card, card) for card in self.cards)
        deck = None if self.deck is None else tuple(plain.get(card, card) for card in self.deck)
        return replace(self, cards=cards, deck=deck)


@dataclass(frozen=True, slots=True)
class Overrides:
    """Options of the command line that outrank the keys of the deal file; None leaves the key."""

    player: Player | None = None
    mulligans: int | None = None
    opponent_mulligans: int | None = None
    rules: str | None = None
    blocked_cells: int | None = None
    deck: str | None = None
    outcomes: tuple[str, ...] = ()
    any_size: bool = False


_KEYS = (
    "player",
    "mulligans",
    "opponent_mulligans",
    "rules",
    "blocked_cells",
    "deck",
    "outcomes",
    "deal",
)
_LIST_KEYS = {"ObjectStates", "cards", "name"}


def _is_deal(entry: Mapping[str, Node]) -> bool:
    """A deal file rather than a deck: none of a deck's keys, and not a list under `deck` alone."""
    only_deck = "deal" not in entry and "deck" in entry and isinstance(entry["deck"].value, tuple)
    return not only_deck and not _LIST_KEYS & entry.keys()


def read_deal(path: str, cards: Catalogue, over: Overrides = Overrides()) -> Deal:
    """Read a deal file (YAML or JSON), or the cards of a list in any format that decks have."""
    source = read_text(path)
    root = document(source)
    if root is not None and isinstance(root.value, Mapping) and _is_deal(root.value):
        entry = root.mapping(_KEYS, required=["deal"])
        dealt = find_cards(listed(entry["deal"]), cards)
        return _build(entry, dealt, entry["deal"].where, cards, over)
    entries = (read_plain(source) if root is None else read_node(root)).entries
    where = Where(file=source.file) if root is None else root.where
    return _build({}, find_cards(entries, cards), where, cards, over)


def _build(
    entry: Mapping[str, Node],
    dealt: tuple[Card, ...],
    where: Where,
    cards: Catalogue,
    over: Overrides,
) -> Deal:
    def number(key: str, given: int | None) -> int:
        if given is not None:
            return given
        return entry[key].integer(0, MANY) if key in entry else 0

    if over.rules is not None:
        rules = ruleset(over.rules, Where(key="--rules"))
    else:
        rules = ruleset_beside(entry.get("rules"))
    player = over.player or (entry["player"].choice(Player) if "player" in entry else Player.FIRST)
    deal = Deal(
        cards=dealt,
        rules=rules,
        player=player,
        mulligans=number("mulligans", over.mulligans),
        opponent_mulligans=number("opponent_mulligans", over.opponent_mulligans),
        blocked_cells=number("blocked_cells", over.blocked_cells),
        deck=_deck(entry.get("deck"), cards, over.deck),
        outcomes=_outcomes(entry.get("outcomes"), cards, over.outcomes),
    )
    check_deal(deal, where, over.any_size)
    return deal


def check_deal(deal: Deal, where: Where, any_size: bool) -> None:
    """Refuse a deal that the rules could not have dealt after these mulligans (402.4)."""
    if deal.gold < 0:
        raise InputError(
            ErrorCode.NO_GOLD_LEFT,
            Where(file=where.file, key="mulligans"),
            mulligans=deal.mulligans,
            gold=deal.rules.gold[deal.player],
        )
    if not any_size:
        if deal.size < 1:
            raise InputError(
                ErrorCode.NO_DEAL_LEFT,
                Where(file=where.file, key="mulligans"),
                mulligans=deal.mulligans,
            )
        if len(deal.cards) != deal.size:
            raise InputError(ErrorCode.DEAL_SIZE, where, expected=deal.size, found=len(deal.cards))
    if len(deal.cards) > MOST_CARDS:
        raise InputError(ErrorCode.DEAL_TOO_LARGE, where, most=MOST_CARDS, found=len(deal.cards))
    if deal.deck is not None:
        missing = Counter(card.name for card in deal.cards)
        missing.subtract(card.name for card in deal.deck)
        lacking = sorted(name for name, count in missing.items() if count > 0)
        if lacking:
            raise InputError(
                ErrorCode.DECK_LACKS_DEAL, Where(file=where.file, key="deck"), card=lacking[0]
            )


def check_drawn(deal: Deal, where: Where) -> None:
    """Refuse a deal drawn from a deck that is too small, or after mulligans that cannot be."""
    if len(deal.cards) < deal.size:
        raise InputError(
            ErrorCode.DEAL_SIZE,
            Where(file=where.file),
            kind="deck_deals_less",
            expected=deal.size,
            found=len(deal.cards),
        )
    check_deal(deal, where, any_size=False)


def path_beside(node: Node) -> str:
    """A path in a deal file is relative to that file."""
    name = node.text()
    return name if name == STDIN else str(Path(node.where.file or "").parent / name)


def ruleset_beside(node: Node | None) -> Ruleset:
    """The ruleset that a deal file names, or that lies at a path beside it."""
    return ruleset() if node is None else ruleset(node.text(), node.where, path_beside(node))


def _deck(node: Node | None, cards: Catalogue, override: str | None) -> tuple[Card, ...] | None:
    if override is not None:
        return read_deck(override, cards)
    if node is None:
        return None
    if isinstance(node.value, tuple):
        return find_cards(listed(node), cards)
    path = path_beside(node)
    if path == STDIN:
        raise node.wrong_type("a_path")
    return read_deck(path, cards)


def _outcomes(node: Node | None, cards: Catalogue, overrides: Sequence[str]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for name, value in (node.entries() if node is not None else {}).items():
        found[_looking(cards.find(name, value.where), value.where)] = value.integer(0, MOST_OUTCOME)
    for text in overrides:
        name, equals, number = text.rpartition("=")
        if not equals or number.strip() not in {str(n) for n in range(MOST_OUTCOME + 1)}:
            raise InputError(
                ErrorCode.OUTCOME_MALFORMED, Where(key="--outcome"), found=text, most=MOST_OUTCOME
            )
        where = Where(key="--outcome")
        found[_looking(cards.find(name, where), where)] = int(number)
    return found


def _looking(card: Card, where: Where) -> str:
    """The key of a card whose ability looks at hidden cards; any other has no outcome to state."""
    if card.effect.look is None:
        raise InputError(ErrorCode.OUTCOME_NOT_ASKED, where, card=card.name)
    return card.key
