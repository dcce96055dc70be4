"""The closed vocabulary of recruit-time effects: what a card's text may do while a squad is recruited.

Every word of it is explained in docs/effects.md; `read_effect` accepts these words and no others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from squadbuilder.errors import ErrorCode
from squadbuilder.reading import Node
from squadbuilder.terms import CREATURE_TYPES, CardType, Element, fold

MANY = 99


@dataclass(frozen=True, slots=True)
class Range:
    """Whole numbers from `at_least` to `at_most`, both included."""

    at_least: int = 0
    at_most: int = MANY

    def __contains__(self, number: int) -> bool:
        return self.at_least <= number <= self.at_most


@dataclass(frozen=True, slots=True)
class Filter:
    """Which cards a text speaks of. Every stated property must fit; an empty filter fits any card.

    Costs are printed costs; elements are those the card has as it counts now (rulings, section 4).
    """

    types: frozenset[CardType] = frozenset(CardType)
    classes: frozenset[str] | None = None
    class_begins: str | None = None
    elements: frozenset[Element] | None = None
    neutral: bool | None = None
    elite: bool | None = None
    unique: bool | None = None
    magic: bool | None = None
    cost: Range = Range()
    key: str | None = None


class Subject(Enum):
    """What a condition counts."""

    SQUAD = "squad"
    ELEMENTS = "elements"
    MY_MULLIGANS = "my_mulligans"
    OPPONENT_MULLIGANS = "opponent_mulligans"


@dataclass(frozen=True, slots=True)
class Condition:
    """A count that must lie in a range, seen from the squad before the card joins (403.2.3.2)."""

    subject: Subject
    number: Range
    cards: Filter = Filter()


class Change(Enum):
    """How a price rule changes the price."""

    SET = "set"
    LESS = "less"
    MORE = "more"
    MORE_X = "more_x"
    PAY_AS_ORDINARY = "pay_as_ordinary"


@dataclass(frozen=True, slots=True)
class PriceRule:
    """One change of the card's own price (step a of 403.2.3.1); rules apply in their order."""

    change: Change
    amount: Range = Range()
    per: Subject | None = None
    when: tuple[Condition, ...] = ()
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Limit:
    """At most this many such cards in the squad; with `others`, the card itself is left out."""

    at_most: int
    cards: Filter
    others: bool = False


@dataclass(frozen=True, slots=True)
class Gain:
    """Crystals gained when recruiting (step b of 403.2.3.1), perhaps against a promise."""

    gold: int = 0
    silver: int = 0
    when: tuple[Condition, ...] = ()
    optional: bool = False
    promise: Limit | None = None


@dataclass(frozen=True, slots=True)
class Discount:
    """A lasting ability: later cards that fit cost this many crystals less, in their own colour."""

    cards: Filter
    less: int


class Side(Enum):
    """Whose cells an effect blocks."""

    OWN = "own"
    OPPONENT = "opponent"


@dataclass(frozen=True, slots=True)
class BlockedCells:
    """Cells that may not be used for placement while the card is in the squad."""

    side: Side
    number: int


class Differ(Enum):
    """In what the cards that a text wants to be shown must differ from each other."""

    ELEMENT = "element"
    COST = "cost"


@dataclass(frozen=True, slots=True)
class Show:
    """So many cards of the deal that fit must be shown; they stay in the deal."""

    number: int
    cards: Filter
    differ: Differ | None = None


class Source(Enum):
    """Where a card comes from."""

    DEAL = "deal"
    DECK = "deck"


@dataclass(frozen=True, slots=True)
class Partner:
    """A second card that the ability takes into the squad too, in either order.

    `unlike_shown`: its element or cost is one that no shown card has. Its price may be paid as an
    ordinary one, or be lower by `less` crystals.
    """

    source: Source
    cards: Filter
    unlike_shown: bool = False
    as_ordinary: bool = False
    less: int = 0


@dataclass(frozen=True, slots=True)
class Fetch:
    """Up to `number` cards move from the deck to the deal, perhaps only of the name shown."""

    number: int
    cards: Filter
    name_shown: bool = False


@dataclass(frozen=True, slots=True)
class Exile:
    """Up to `number` cards of the deal are exiled, each at its printed cost less `less` crystals."""

    number: int
    cards: Filter
    less: int


class Then(Enum):
    """What each fitting hidden card that is seen brings."""

    LESS = "less"
    GOLD = "gold"


@dataclass(frozen=True, slots=True)
class Look:
    """A look at two hidden cards of the opponent: how many fit makes the card cheaper, or gives gold."""

    cards: Filter
    then: Then


@dataclass(frozen=True, slots=True)
class Before:
    """An ability used before recruitment (403.1): it takes the card and does one thing beside, if any.

    `pay`: so much gold sends the card to the graveyard instead of into the squad. `bury`: a card of
    the deck goes to the graveyard. `show` belongs to `partner` or `fetch`.
    """

    show: Show | None = None
    pay: int | None = None
    partner: Partner | None = None
    fetch: Fetch | None = None
    bury: Filter | None = None
    exile: Exile | None = None
    look: Look | None = None

    @property
    def searches(self) -> bool:
        """Does it search the deck?"""
        from_deck = self.partner is not None and self.partner.source is Source.DECK
        return bool(from_deck or self.fetch or self.bury)


@dataclass(frozen=True, slots=True)
class Effect:
    """All that a card does to recruitment. `unmodelled` says why a text is not (fully) in here."""

    price: tuple[PriceRule, ...] = ()
    gain: Gain | None = None
    discount: Discount | None = None
    not_with: Limit | None = None
    at_most: Limit | None = None
    neutral: Filter | None = None
    blocked_cells: BlockedCells | None = None
    before: Before | None = None
    unmodelled: str | None = None
    note: str = ""

    @property
    def look(self) -> Look | None:
        """The look at hidden cards whose result a deal file may state, if the text has one."""
        return self.before.look if self.before is not None else None


NO_EFFECT = Effect()


class Unmodelled(str, Enum):
    """Why an effect is not modelled; each value is a message."""

    TEXT = "text"


_EFFECT_KEYS = (
    "note",
    "price",
    "gain",
    "discount",
    "not_with",
    "at_most",
    "neutral",
    "blocked_cells",
    "before",
    "unmodelled",
)
_FILTER_KEYS = (
    "type",
    "creature",
    "class",
    "class_begins",
    "element",
    "neutral",
    "elite",
    "unique",
    "magic",
    "cost",
    "name",
)
_RANGE_KEYS = ("at_least", "at_most", "exactly")
_CHANGES = tuple(change.value for change in Change)


def read_effect(node: Node) -> Effect:
    """Read one card's effect; a word outside the vocabulary is an error with its line and key."""
    entry = node.mapping(_EFFECT_KEYS, required=["note"])
    if not entry["note"].text().strip():
        raise entry["note"].wrong_type("a_text")
    return Effect(
        price=_price(entry["price"]) if "price" in entry else (),
        gain=_gain(entry["gain"]) if "gain" in entry else None,
        discount=_discount(entry["discount"]) if "discount" in entry else None,
        not_with=Limit(0, _filter(entry["not_with"]), others=True) if "not_with" in entry else None,
        at_most=_limit(entry["at_most"]) if "at_most" in entry else None,
        neutral=_printed_filter(entry["neutral"]) if "neutral" in entry else None,
        blocked_cells=_blocked_cells(entry["blocked_cells"]) if "blocked_cells" in entry else None,
        unmodelled=entry["unmodelled"].choice(Unmodelled).value if "unmodelled" in entry else None,
        before=_before(entry["before"]) if "before" in entry else None,
        note=entry["note"].text(),
    )


def _price(node: Node) -> tuple[PriceRule, ...]:
    rules = tuple(map(_price_rule, node.items()))
    if sum(rule.change is Change.MORE_X for rule in rules) > 1:
        raise node.error(ErrorCode.KEY_REPEATED, key=Change.MORE_X.value)
    return rules


def _price_rule(node: Node) -> PriceRule:
    entry = node.mapping((*_CHANGES, "per", "when", "optional"))
    stated = [change for change in Change if change.value in entry]
    if len(stated) != 1:
        raise node.error(ErrorCode.KEYS_ONE_OF, key=", ".join(_CHANGES))
    change = stated[0]
    value = entry[change.value]
    optional = _flag(entry, "optional")
    per: Subject | None = None
    if "per" in entry:
        per = entry["per"].choice(Subject)
        if per in (Subject.SQUAD, Subject.ELEMENTS) or change not in (Change.LESS, Change.MORE):
            raise entry["per"].error(ErrorCode.KEY_MISPLACED, key="per")
    if change is Change.MORE_X:
        if "optional" in entry:
            raise entry["optional"].error(ErrorCode.KEY_MISPLACED, key="optional")
        amount = _range(value, MANY)
    elif change is Change.PAY_AS_ORDINARY:
        if not value.boolean():
            raise value.wrong_type("true_only")
        amount, optional = Range(), True
    else:
        number = value.integer(0, MANY)
        amount = Range(number, number)
    return PriceRule(change, amount, per, _conditions(entry), optional)


def _gain(node: Node) -> Gain:
    entry = node.mapping(("gold", "silver", "when", "optional", "promise"))
    if "gold" not in entry and "silver" not in entry:
        raise node.error(ErrorCode.KEY_MISSING, key="gold")
    return Gain(
        gold=entry["gold"].integer(0, MANY) if "gold" in entry else 0,
        silver=entry["silver"].integer(0, MANY) if "silver" in entry else 0,
        when=_conditions(entry),
        optional=_flag(entry, "optional"),
        promise=_limit(entry["promise"]) if "promise" in entry else None,
    )


def _discount(node: Node) -> Discount:
    entry = node.mapping(("cards", "less"), required=["cards", "less"])
    return Discount(_filter(entry["cards"]), entry["less"].integer(1, MANY))


def _limit(node: Node) -> Limit:
    entry = node.mapping(("number", "cards"), required=["number", "cards"])
    return Limit(entry["number"].integer(0, MANY), _filter(entry["cards"]))


def _blocked_cells(node: Node) -> BlockedCells:
    entry = node.mapping(("side", "number"), required=["side", "number"])
    return BlockedCells(entry["side"].choice(Side), entry["number"].integer(1, MANY))


_ACTS = ("pay", "with", "fetch", "bury", "exile", "look")


def _before(node: Node) -> Before:
    entry = node.mapping(("show", *_ACTS))
    if sum(act in entry for act in _ACTS) > 1:
        raise node.error(ErrorCode.KEYS_ONE_OF, key=", ".join(_ACTS))
    if "show" in entry and not {"with", "fetch"} & entry.keys():
        raise entry["show"].error(ErrorCode.KEY_MISPLACED, key="show")
    show = _show(entry["show"]) if "show" in entry else None
    return Before(
        show=show,
        pay=entry["pay"].integer(0, MANY) if "pay" in entry else None,
        partner=_partner(entry["with"], show) if "with" in entry else None,
        fetch=_fetch(entry["fetch"], show) if "fetch" in entry else None,
        bury=_filter(entry["bury"]) if "bury" in entry else None,
        exile=_exile(entry["exile"]) if "exile" in entry else None,
        look=_look(entry["look"]) if "look" in entry else None,
    )


def _show(node: Node) -> Show:
    entry = node.mapping(("number", "cards", "differ"), required=["number", "cards"])
    number = entry["number"].integer(1, MANY)
    if number > 1 and "differ" not in entry:
        raise node.error(ErrorCode.KEY_MISSING, key="differ")
    differ = entry["differ"].choice(Differ) if "differ" in entry else None
    return Show(number, _filter(entry["cards"]), differ)


def _partner(node: Node, show: Show | None) -> Partner:
    entry = node.mapping(
        ("from", "cards", "unlike_shown", "as_ordinary", "less"), required=["from", "cards"]
    )
    if "unlike_shown" in entry and (show is None or show.differ is None):
        raise entry["unlike_shown"].error(ErrorCode.KEY_MISPLACED, key="unlike_shown")
    return Partner(
        source=entry["from"].choice(Source),
        cards=_filter(entry["cards"]),
        unlike_shown=_flag(entry, "unlike_shown"),
        as_ordinary=_flag(entry, "as_ordinary"),
        less=entry["less"].integer(1, MANY) if "less" in entry else 0,
    )


def _fetch(node: Node, show: Show | None) -> Fetch:
    entry = node.mapping(("number", "cards", "name_shown"), required=["number"])
    if "name_shown" in entry and (show is None or show.number > 1):
        raise entry["name_shown"].error(ErrorCode.KEY_MISPLACED, key="name_shown")
    cards = _filter(entry["cards"]) if "cards" in entry else Filter()
    return Fetch(entry["number"].integer(1, MANY), cards, _flag(entry, "name_shown"))


def _exile(node: Node) -> Exile:
    keys = ("number", "cards", "less")
    entry = node.mapping(keys, required=keys)
    return Exile(
        entry["number"].integer(1, MANY), _filter(entry["cards"]), entry["less"].integer(0, MANY)
    )


def _look(node: Node) -> Look:
    entry = node.mapping(("cards", "then"), required=["cards", "then"])
    return Look(_filter(entry["cards"]), entry["then"].choice(Then))


def _conditions(entry: Mapping[str, Node]) -> tuple[Condition, ...]:
    return tuple(map(_condition, entry["when"].items())) if "when" in entry else ()


def _condition(node: Node) -> Condition:
    subjects = tuple(subject.value for subject in Subject)
    entry = node.mapping((*subjects, *_RANGE_KEYS))
    stated = [subject for subject in Subject if subject.value in entry]
    if len(stated) != 1:
        raise node.error(ErrorCode.KEYS_ONE_OF, key=", ".join(subjects))
    subject = stated[0]
    if subject is Subject.SQUAD:
        bounds = {key: value for key, value in entry.items() if key in _RANGE_KEYS}
        number = _bounds(node, bounds, MANY) if bounds else Range(at_least=1)
        return Condition(subject, number, _filter(entry[subject.value]))
    for key in entry.keys() & set(_RANGE_KEYS):
        raise entry[key].error(ErrorCode.KEY_MISPLACED, key=key)
    return Condition(subject, _range(entry[subject.value], MANY))


def _filter(node: Node) -> Filter:
    entry = node.mapping(_FILTER_KEYS)
    types = frozenset(CardType)
    if "type" in entry:
        types = frozenset(item.choice(CardType) for item in entry["type"].items_or_one())
    if "creature" in entry:
        types &= CREATURE_TYPES if entry["creature"].boolean() else types - CREATURE_TYPES
    return Filter(
        types=types,
        classes=frozenset(item.text() for item in entry["class"].items_or_one())
        if "class" in entry
        else None,
        class_begins=entry["class_begins"].text() if "class_begins" in entry else None,
        elements=frozenset(item.choice(Element) for item in entry["element"].items_or_one())
        if "element" in entry
        else None,
        neutral=entry["neutral"].boolean() if "neutral" in entry else None,
        elite=entry["elite"].boolean() if "elite" in entry else None,
        unique=entry["unique"].boolean() if "unique" in entry else None,
        magic=entry["magic"].boolean() if "magic" in entry else None,
        cost=_range(entry["cost"], MANY) if "cost" in entry else Range(),
        key=fold(entry["name"].text()) if "name" in entry else None,
    )


def _printed_filter(node: Node) -> Filter:
    """A filter that may not look at elements: it decides itself which elements count."""
    for key in node.mapping(_FILTER_KEYS).keys() & {"element", "neutral"}:
        raise node.entries()[key].error(ErrorCode.KEY_MISPLACED, key=key)
    return _filter(node)


def _range(node: Node, high: int) -> Range:
    """A number, or a mapping of at_least, at_most, exactly."""
    if isinstance(node.value, str):
        number = node.integer(0, high)
        return Range(number, number)
    return _bounds(node, node.mapping(_RANGE_KEYS), high)


def _bounds(node: Node, entry: Mapping[str, Node], high: int) -> Range:
    numbers = {key: value.integer(0, high) for key, value in entry.items()}
    if not numbers or ("exactly" in numbers and len(numbers) > 1):
        raise node.error(ErrorCode.KEYS_ONE_OF, key=", ".join(_RANGE_KEYS))
    if "exactly" in numbers:
        return Range(numbers["exactly"], numbers["exactly"])
    found = Range(numbers.get("at_least", 0), numbers.get("at_most", MANY))
    if found.at_least > found.at_most:
        raise node.error(ErrorCode.OUT_OF_RANGE, found=found.at_least, low=0, high=found.at_most)
    return found


def _flag(entry: Mapping[str, Node], key: str) -> bool:
    return key in entry and entry[key].boolean()


def named_cards(effect: Effect) -> set[str]:
    """The folded names of other cards that an effect speaks of."""
    conditions = [when for rule in effect.price for when in rule.when]
    limits = [effect.not_with, effect.at_most]
    filters = [effect.neutral, effect.discount.cards if effect.discount else None]
    if effect.gain is not None:
        conditions += effect.gain.when
        limits.append(effect.gain.promise)
    if (before := effect.before) is not None:
        parts = (before.show, before.partner, before.fetch, before.exile, before.look)
        filters += [part.cards for part in parts if part is not None]
        filters.append(before.bury)
    filters += [when.cards for when in conditions]
    filters += [limit.cards for limit in limits if limit is not None]
    return {cards.key for cards in filters if cards is not None and cards.key is not None}
