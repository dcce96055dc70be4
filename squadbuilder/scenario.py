"""The scenario file: a table and steps, read strictly (docs/scenarios.md explains every key)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from squadbuilder.cards import Catalogue
from squadbuilder.effects import MANY
from squadbuilder.errors import ErrorCode, suggest
from squadbuilder.reading import Node, Text, parse
from squadbuilder.scenario_table import (
    flag,
    number,
    read_cell,
    read_counters,
    read_pieces,
    read_place,
    read_uses,
)
from squadbuilder.table_state import (
    USES,
    Counters,
    Kind,
    Piece,
    Resource,
    Resources,
    Table,
    Zone,
    merged,
)
from squadbuilder.table_steps import (
    AbilityText,
    Add,
    Begin,
    Close,
    Counts,
    Declare,
    Finish,
    LoseControl,
    Open,
    Outcome,
    Put,
    Redirect,
    Remove,
    Side,
    Step,
    Take,
    TakeControl,
    Taken,
    Terms,
    Traits,
    Turn,
    Way,
    Where,
    Wound,
)
from squadbuilder.taking import DEFAULTS
from squadbuilder.terms import Player, fold


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a step is expected to give; None says nothing about it."""

    outcome: Outcome | None = None
    allowed: bool | None = None
    rules: tuple[str, ...] | None = None
    reserved: Resources | None = None
    prepaid: Resources | None = None
    paid: Resources | None = None
    unpaid: Resources | None = None
    freed: Resources | None = None
    moved: Mapping[str, str] | None = None
    control: Mapping[str, str] | None = None
    due: tuple[str, ...] | None = None
    waiting: tuple[str, ...] | None = None
    shuffled: tuple[str, ...] | None = None
    active_zone: str | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A step of a scenario: the word for it, its line in the file, and what is expected."""

    verb: str
    step: Step
    line: int | None
    note: str
    expect: Expectation | None


@dataclass(frozen=True, slots=True)
class Scenario:
    """A table in battle and the steps that are to be judged."""

    title: str
    table: Table
    lines: tuple[Line, ...]


def read_scenario(source: Text, cards: Catalogue) -> Scenario:
    """Read a scenario; whatever is not understood is an error with its file, line and key."""
    root = parse(source)
    entry = root.mapping(("title", "cards", "steps"), required=["cards", "steps"])
    pieces = read_pieces(entry["cards"], cards)
    reader = _Steps(pieces)
    lines = tuple(reader.line(node) for node in entry["steps"].items())
    title = entry["title"].text() if "title" in entry else ""
    return Scenario(title, Table(pieces), lines)


ALL_KINDS = tuple(Kind)
PAYABLE = tuple(kind for kind in Kind if kind not in USES)
"""What a text may ask for; marks of uses come from its limits (501.4)."""


class _Steps:
    """Reads steps about the cards of one scenario, and remembers what has been declared."""

    def __init__(self, pieces: Mapping[str, Piece]) -> None:
        self.handles = {fold(handle): handle for handle in pieces}
        self.actions: list[str] = []

    def line(self, node: Node) -> Line:
        """A step: one verb, and what is expected of it."""
        entry = node.mapping((*VERBS, "expect", "note"))
        stated = [verb for verb in VERBS if verb in entry]
        if len(stated) != 1:
            raise node.error(ErrorCode.KEYS_ONE_OF, key=", ".join(VERBS))
        verb = stated[0]
        step = VERBS[verb](self, entry[verb])
        expect = self.expectation(entry["expect"]) if "expect" in entry else None
        note = entry["note"].text() if "note" in entry else ""
        return Line(verb, step, entry[verb].where.line, note, expect)

    def card(self, node: Node) -> str:
        """A card of the table, by its name in the scenario."""
        name = node.text()
        if fold(name) not in self.handles:
            near = suggest(name, self.handles.values())
            raise node.error(ErrorCode.CARD_NOT_ON_TABLE, near, card=name)
        return self.handles[fold(name)]

    def cards(self, node: Node) -> tuple[str, ...]:
        return tuple(self.card(item) for item in node.items_or_one())

    def action(self, node: Node) -> str:
        """A declaration made in an earlier step."""
        name = node.text()
        if name not in self.actions:
            near = suggest(name, self.actions) or self.actions
            raise node.error(ErrorCode.ACTION_UNKNOWN, near, action=name)
        return name

    def declare(self, node: Node) -> Declare:
        keys = ("as", "source", "player", "target", "pay", "text", "summon", "revive")
        entry = node.mapping(keys, required=["as", "source"])
        name = entry["as"].text()
        if name in self.actions:
            raise entry["as"].error(ErrorCode.ACTION_REPEATED, action=name)
        source = self.card(entry["source"])
        text = self.text(entry["text"], source) if "text" in entry else AbilityText()
        pay = self.cost(entry["pay"], source) if "pay" in entry else text.cost or ()
        ways = [way for way in (Way.SUMMON, Way.REVIVE) if way.value in entry]
        if len(ways) > 1:
            raise node.error(ErrorCode.KEYS_ONE_OF, key=", ".join(way.value for way in ways))
        taken = self.take(entry[ways[0].value], ways[0], source) if ways else None
        self.actions.append(name)
        return Declare(
            name=name,
            source=source,
            player=entry["player"].choice(Player) if "player" in entry else None,
            targets=self.cards(entry["target"]) if "target" in entry else (),
            pay=pay,
            text=text,
            take=taken,
        )

    def text(self, node: Node, source: str) -> AbilityText:
        """What the ability's text says."""
        keys = ("cost", "targets", "deferred", "range", "target", "different", "ability")
        entry = node.mapping((*keys, "per_turn", "per_battle"))
        return AbilityText(
            cost=self.cost(entry["cost"], source) if "cost" in entry else None,
            targets=number(entry, "targets", 0),
            deferred=flag(entry, "deferred", False),
            range=number(entry, "range", 0) if "range" in entry else None,
            target=self.traits(entry["target"]) if "target" in entry else Traits(),
            different=entry["different"].text() if "different" in entry else None,
            ability=entry["ability"].text() if "ability" in entry else "",
            per_turn=number(entry, "per_turn", 0, low=1) or None,
            per_battle=number(entry, "per_battle", 0, low=1) or None,
        )

    def traits(self, node: Node, more: tuple[str, ...] = ()) -> Traits:
        """What a card must be or have."""
        entry = node.mapping(("open", "revealed", "movement", "counters", *more))
        return Traits(
            open=entry["open"].boolean() if "open" in entry else None,
            revealed=entry["revealed"].boolean() if "revealed" in entry else None,
            movement=number(entry, "movement", 0),
            counters=read_counters(entry, "counters"),
        )

    def cost(self, node: Node, source: str) -> Resources:
        """Resources of the source, and under `others` those of other cards."""
        entry = node.mapping((*(kind.value for kind in PAYABLE), "others"))
        plain = {key: value for key, value in entry.items() if key != "others"}
        found = [*self.resources(replace(node, value=plain), source, PAYABLE)]
        if "others" in entry:
            for card, resources in self.by_card(entry["others"], PAYABLE).items():
                if card == source:
                    raise entry["others"].error(ErrorCode.KEY_MISPLACED, key=card)
                found += resources
        return merged(found)

    def by_card(self, node: Node, kinds: Sequence[Kind] = ALL_KINDS) -> Mapping[str, Resources]:
        """Resources by the card that they belong to."""
        found: dict[str, Resources] = {}
        for name, value in node.entries().items():
            card = self.card(replace(value, value=name, quoted=True))
            found[card] = self.resources(value, card, kinds)
        return found

    def resources(self, node: Node, card: str, kinds: Sequence[Kind]) -> Resources:
        """Resources of one card."""
        entry = node.mapping(kind.value for kind in kinds)
        found: list[Resource] = []
        for kind in Kind:
            if kind.value not in entry:
                continue
            value = entry[kind.value]
            if kind in (Kind.ACTION, Kind.DESTROY, Kind.TO_DECK):
                if not value.boolean():
                    raise value.wrong_type("true_only")
                found.append(Resource(card, kind, 1))
            elif kind in (Kind.MOVEMENT, Kind.WOUNDS, Kind.EXTRA_LIVES):
                found.append(Resource(card, kind, value.integer(1, MANY)))
            else:
                named = (read_uses if kind in USES else read_counters)(entry, kind.value)
                found += [Resource(card, kind, n, name) for name, n in named.items()]
        return tuple(found)

    def finish(self, node: Node) -> Finish:
        if isinstance(node.value, str):
            return Finish(self.action(node))
        entry = node.mapping(("action", "blocking"), required=["action"])
        return Finish(self.action(entry["action"]), flag(entry, "blocking", True))

    def redirect(self, node: Node) -> Redirect:
        entry = node.mapping(("action", "to", "payment"), required=["action", "to"])
        payment = flag(entry, "payment", False)
        return Redirect(self.action(entry["action"]), self.card(entry["to"]), payment)

    def take(self, node: Node, way: Way, source: str | None = None) -> Take:
        """Cards to be summoned, revived or incarnated; `source` if it is part of a declaration."""
        alone = way is not Way.INCARNATE and source is None
        one_of = ["card", "cards"]
        if way is Way.SUMMON:
            one_of.append("found")
        if alone:
            one_of.append("skip")
        keys = [*one_of, "cell", "open", "revealed", "control", "text"]
        needed = ["by"] if alone else []
        entry = node.mapping([*keys, *needed, *(["triggered"] if alone else [])], needed)
        if sum(key in entry for key in one_of) != 1:
            raise node.error(ErrorCode.KEYS_ONE_OF, key=", ".join(one_of))
        if "cell" in entry and "card" not in entry:
            raise entry["cell"].error(ErrorCode.KEY_MISPLACED, key="cell")
        cards = self.taken(entry)
        for key, wanted in (("found", False), ("skip", True)):
            if key in entry and entry[key].boolean() is not wanted:
                raise entry[key].error(ErrorCode.KEY_MISPLACED, key=key)
        by = source or (self.card(entry["by"]) if "by" in entry else cards[0].card)
        return Take(
            way=way,
            by=by,
            cards=cards,
            terms=_terms(entry["text"], DEFAULTS[way]) if "text" in entry else DEFAULTS[way],
            triggered=flag(entry, "triggered", False),
            skip="skip" in entry,
            open=entry["open"].boolean() if "open" in entry else None,
            revealed=entry["revealed"].boolean() if "revealed" in entry else None,
            control=entry["control"].choice(Side) if "control" in entry else None,
        )

    def taken(self, entry: Mapping[str, Node]) -> tuple[Taken, ...]:
        if "card" in entry:
            cell = read_cell(entry["cell"]) if "cell" in entry else None
            return (Taken(self.card(entry["card"]), cell),)
        found: list[Taken] = []
        for node in entry["cards"].items() if "cards" in entry else ():
            one = node.mapping(("card", "cell"), required=["card"])
            card = self.card(one["card"])
            if any(card == before.card for before in found):
                raise one["card"].error(ErrorCode.KEY_REPEATED, key=card)
            found.append(Taken(card, read_cell(one["cell"]) if "cell" in one else None))
        return tuple(found)

    def take_control(self, node: Node) -> TakeControl:
        entry = node.mapping(("card", "player"), required=["card", "player"])
        return TakeControl(self.card(entry["card"]), entry["player"].choice(Player))

    def counts(self, node: Node) -> Counts:
        entry = node.mapping(
            ("card", "open", "revealed", "movement", "counters"), required=["card"]
        )
        return Counts(self.card(entry["card"]), self.traits(node, ("card",)))

    def markers(self, node: Node) -> tuple[str, Counters, int]:
        entry = node.mapping(("card", "counters", "movement"), required=["card"])
        if len(entry) == 1:
            raise node.error(ErrorCode.KEY_MISSING, key="counters")
        counters = read_counters(entry, "counters")
        return self.card(entry["card"]), counters, number(entry, "movement", 0, low=1)

    def wound(self, node: Node) -> Wound:
        entry = node.mapping(("card", "by"), required=["card", "by"])
        return Wound(self.card(entry["card"]), entry["by"].integer(1, MANY))

    def put(self, node: Node) -> Put:
        entry = node.mapping(("card", "to"), required=["card", "to"])
        return Put(self.card(entry["card"]), read_place(entry["to"]))

    def expectation(self, node: Node) -> Expectation:
        """What is expected: a word for the outcome, or keys of the answer."""
        if isinstance(node.value, str):
            return Expectation(outcome=node.choice(Outcome))
        entry = node.mapping(Expectation.__slots__)
        if not entry:
            raise node.wrong_type("a_mapping")

        def stores(key: str) -> Resources | None:
            if key not in entry:
                return None
            return tuple(one for some in self.by_card(entry[key]).values() for one in some)

        def texts(key: str, read: Callable[[Node], str]) -> tuple[str, ...] | None:
            if key not in entry:
                return None
            listed = entry[key]
            return () if listed.value == () else tuple(map(read, listed.items_or_one()))

        def changes(key: str, read: Callable[[Node], str]) -> Mapping[str, str] | None:
            if key not in entry:
                return None
            return {
                self.card(replace(value, value=name, quoted=True)): read(value)
                for name, value in entry[key].entries().items()
            }

        return Expectation(
            outcome=entry["outcome"].choice(Outcome) if "outcome" in entry else None,
            allowed=entry["allowed"].boolean() if "allowed" in entry else None,
            rules=texts("rules", Node.text),
            reserved=stores("reserved"),
            prepaid=stores("prepaid"),
            paid=stores("paid"),
            unpaid=stores("unpaid"),
            freed=stores("freed"),
            moved=changes("moved", lambda value: str(read_place(value))),
            control=changes("control", lambda value: value.choice(Player).value),
            due=texts("due", self.card),
            waiting=texts("waiting", self.card),
            shuffled=texts("shuffled", lambda value: value.choice(Player).value),
            active_zone=entry["active_zone"].choice(Zone).value if "active_zone" in entry else None,
        )


def _terms(node: Node, default: Terms) -> Terms:
    """The defaults with what the text says instead."""
    entry = node.mapping(("from", "where", "open", "revealed", "free", "per_cell", "control"))
    return Terms(
        source=entry["from"].choice(Side) if "from" in entry else default.source,
        where=entry["where"].choice(Where) if "where" in entry else default.where,
        open=flag(entry, "open", default.open),
        revealed=flag(entry, "revealed", default.revealed),
        free=flag(entry, "free", default.free),
        per_cell=number(entry, "per_cell", default.per_cell, low=1),
        control=entry["control"].choice(Side) if "control" in entry else default.control,
    )


VERBS: Mapping[str, Callable[[_Steps, Node], Step]] = {
    "declare": _Steps.declare,
    "begin": lambda steps, node: Begin(steps.action(node)),
    "finish": _Steps.finish,
    "redirect": _Steps.redirect,
    "summon": lambda steps, node: steps.take(node, Way.SUMMON),
    "revive": lambda steps, node: steps.take(node, Way.REVIVE),
    "incarnate": lambda steps, node: steps.take(node, Way.INCARNATE),
    "take_control": _Steps.take_control,
    "lose_control": lambda steps, node: LoseControl(steps.card(node)),
    "turn": lambda _, node: Turn(node.choice(Player)),
    "counts": _Steps.counts,
    "close": lambda steps, node: Close(steps.card(node)),
    "open": lambda steps, node: Open(steps.card(node)),
    "add": lambda steps, node: Add(*steps.markers(node)),
    "remove": lambda steps, node: Remove(*steps.markers(node)),
    "wound": _Steps.wound,
    "put": _Steps.put,
}
"""The words for steps, and what reads each."""
