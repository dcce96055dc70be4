"""What may happen at the table, as values: declarations, taking cards, what texts do; and the answers.

The scenario states what is declared and what a text says; the rules are in `payment` and `taking`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from squadbuilder.table_state import Cell, Counters, Place, Resource, Resources, Table, Zone
from squadbuilder.terms import Player


@dataclass(frozen=True, slots=True)
class Traits:
    """What a card must be or have, for a target or a lasting ability (501.10)."""

    open: bool | None = None
    revealed: bool | None = None
    movement: int = 0
    counters: Counters = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AbilityText:
    """What the text of an ability says that bears on its declaration.

    `cost` stands before the colon (None: what is paid is right); `targets` is how many it needs;
    `deferred` marks a target that cannot be named yet (501.2); `different` names a series of actions
    that must choose different targets; `per_turn` and `per_battle` limit the uses of `ability`.
    """

    cost: Resources | None = None
    targets: int = 0
    deferred: bool = False
    range: int | None = None
    target: Traits = Traits()
    different: str | None = None
    ability: str = ""
    per_turn: int | None = None
    per_battle: int | None = None


class Side(str, Enum):
    """Whose deck, graveyard or control, seen from the player who takes the card."""

    OWN = "own"
    OPPONENT = "opponent"
    ANY = "any"


class Where(str, Enum):
    """Which cells a text allows."""

    BESIDE = "beside"
    THIRD_ROW = "third_row"
    OWN_HALF = "own_half"
    ANYWHERE = "anywhere"


@dataclass(frozen=True, slots=True)
class Terms:
    """The seven defaults of a way to take a card, in the order of the rules; a text may change each."""

    source: Side
    where: Where
    open: bool
    revealed: bool
    free: bool = True
    per_cell: int = 1
    control: Side = Side.OWN


class Way(str, Enum):
    """Вызов, возрождение, инкарнация: ways to take a card into the squad in battle (532.1)."""

    SUMMON = "summon"
    REVIVE = "revive"
    INCARNATE = "incarnate"


@dataclass(frozen=True, slots=True)
class Taken:
    """A card to be taken and the cell declared for it (532.6)."""

    card: str
    cell: Cell | None


@dataclass(frozen=True, slots=True)
class Take:
    """Cards taken from deck or graveyard. Empty `cards` are a search that found nothing (532.3.1).

    `by` uses the ability (an incarnating card its own). `open`, `revealed` and `control` are what the
    player wants; None is what `terms`, the defaults with the text's changes, say. `player` takes, if
    that was settled by an earlier declaration; else who controls `by`.
    """

    way: Way
    by: str
    cards: tuple[Taken, ...]
    terms: Terms
    triggered: bool = False
    skip: bool = False
    open: bool | None = None
    revealed: bool | None = None
    control: Side | None = None
    player: Player | None = None


@dataclass(frozen=True, slots=True)
class Declare:
    """Заявка (501.1): source, targets and the resources to be spent; perhaps cards to be taken."""

    name: str
    source: str
    player: Player | None
    targets: tuple[str, ...]
    pay: Resources
    text: AbilityText
    take: Take | None = None


@dataclass(frozen=True, slots=True)
class Begin:
    """Execution begins: the step that checks legality, prepays and reserves (501.9, 501.14)."""

    action: str


@dataclass(frozen=True, slots=True)
class Finish:
    """Payment and effect; `blocking` tells whether execution got as far as that step (501.4)."""

    action: str
    blocking: bool = True


@dataclass(frozen=True, slots=True)
class Redirect:
    """A text turns an action, or with `payment` its payment, towards another card."""

    action: str
    to: str
    payment: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """A question: does the card count as such now (501.10)?"""

    card: str
    traits: Traits


@dataclass(frozen=True, slots=True)
class Close:
    """A text closes a card."""

    card: str


@dataclass(frozen=True, slots=True)
class Open:
    """A text, or a new turn, opens a card."""

    card: str


@dataclass(frozen=True, slots=True)
class Add:
    """A text puts counters or movement markers on a card."""

    card: str
    counters: Counters
    movement: int = 0


@dataclass(frozen=True, slots=True)
class Remove:
    """A text takes counters or movement markers off a card."""

    card: str
    counters: Counters
    movement: int = 0


@dataclass(frozen=True, slots=True)
class Wound:
    """A card is wounded by so much."""

    card: str
    wounds: int


@dataclass(frozen=True, slots=True)
class Put:
    """A text or a move puts a card elsewhere."""

    card: str
    to: Place


@dataclass(frozen=True, slots=True)
class Turn:
    """A player's turn begins."""

    player: Player


@dataclass(frozen=True, slots=True)
class TakeControl:
    """A text gives a player control of a card (532.7)."""

    card: str
    player: Player


@dataclass(frozen=True, slots=True)
class LoseControl:
    """An effect takes control of a card away from its controller (532.7)."""

    card: str


Step = (
    Declare
    | Begin
    | Finish
    | Redirect
    | Take
    | Counts
    | Close
    | Open
    | Add
    | Remove
    | Wound
    | Put
    | Turn
    | TakeControl
    | LoseControl
)


class BreachCode(str, Enum):
    """What may stand against a step; each has a message `breach_...`."""

    NOT_CONTROLLED = "not_controlled"
    TARGET_MISSING = "target_missing"
    TARGET_TOO_EARLY = "target_too_early"
    WRONG_PRICE = "wrong_price"
    USES_SPENT = "uses_spent"
    PLEDGED = "pledged"
    NOT_ENOUGH = "not_enough"
    CARD_PLEDGED = "card_pledged"
    MOVING = "moving"
    NOT_RESERVED = "not_reserved"
    NOT_SUCH = "not_such"
    MARKERS_FULL = "markers_full"
    MARKERS_RESERVED = "markers_reserved"
    NOT_BEGUN = "not_begun"
    BEGUN_TWICE = "begun_twice"
    ENDED = "ended"
    PREPAYMENT_GONE = "prepayment_gone"
    DIED_PAYING = "died_paying"
    PAYMENT_NO_TARGET = "payment_no_target"
    OUT_OF_RANGE = "out_of_range"
    CHOSEN_BEFORE = "chosen_before"
    NO_WAY_IN = "no_way_in"
    NOT_IN_DECK = "not_in_deck"
    NOT_IN_GRAVEYARD = "not_in_graveyard"
    WRONG_OWNER = "wrong_owner"
    WRONG_CELL = "wrong_cell"
    WRONG_TURN = "wrong_turn"
    WRONG_FACE = "wrong_face"
    CELL_TAKEN = "cell_taken"
    CELL_SHARED = "cell_shared"
    WRONG_CONTROL = "wrong_control"
    NOT_TRIGGERED = "not_triggered"
    NO_INCARNATION = "no_incarnation"
    COUNTERS_SHORT = "counters_short"
    INCARNATED = "incarnated"
    NO_FREE_CELL = "no_free_cell"
    CELL_MISSING = "cell_missing"
    CELL_NEEDLESS = "cell_needless"
    NOT_IN_PLAY = "not_in_play"
    CONTROLLED_ALREADY = "controlled_already"
    BARRED = "barred"


@dataclass(frozen=True, slots=True)
class Breach:
    """Why a step is not allowed: the rule's number, its item if it has a list, what is at fault."""

    code: BreachCode
    rule: str
    cards: tuple[str, ...] = ()
    need: int | None = None
    have: int | None = None
    item: int | None = None
    resource: Resource | None = None


class Outcome(str, Enum):
    """What came of a step; each has a message `outcome_...`."""

    DONE = "done"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    WAITS = "waits"
    STAYS = "stays"
    FAILS = "fails"


@dataclass(frozen=True, slots=True)
class Change:
    """A card that another place or player has now."""

    card: str
    before: str
    now: str


@dataclass(frozen=True, slots=True)
class Result:
    """What a rule makes of a step: the table after it, why not, and what happened to resources."""

    table: Table
    outcome: Outcome
    rules: tuple[str, ...]
    breaches: tuple[Breach, ...] = ()
    declared: Resources = ()
    reserved: Resources = ()
    prepaid: Resources = ()
    paid: Resources = ()
    unpaid: Resources = ()
    freed: Resources = ()
    shuffled: tuple[Player, ...] = ()
    active_zone: Zone | None = None


STORES = ("declared", "reserved", "prepaid", "paid", "unpaid", "freed")
"""The parts of a result that are resources."""


def refused(table: Table, *breaches: Breach) -> Result:
    """The step does not happen."""
    rules = tuple(dict.fromkeys(breach.rule for breach in breaches))
    return Result(table, Outcome.REFUSED, rules, breaches)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judge's word on one step, with what moved, and which cards must or cannot yet incarnate."""

    result: Result
    moved: tuple[Change, ...]
    control: tuple[Change, ...]
    due: tuple[str, ...]
    waiting: Mapping[str, tuple[Breach, ...]]

    @property
    def allowed(self) -> bool:
        """Does nothing stand against the step?"""
        return not self.result.breaches
