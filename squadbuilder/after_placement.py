"""After placement (404.2): cards that reveal themselves, what has to be told, and a judged log."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from squadbuilder.cards import Card
from squadbuilder.effects import Change
from squadbuilder.reading import data_folder, parse, read_text
from squadbuilder.recruit import Paid, Reveal
from squadbuilder.ruleset import Ruleset
from squadbuilder.stated import Named
from squadbuilder.terms import Player, fold

TURNS_RULE = "404.2"
REVEAL_RULES = {
    Reveal.X: "404.2.1",
    Reveal.ORDINARY: "404.2.2",
    Reveal.PRICE: "404.2.2",
}


@dataclass(frozen=True, slots=True)
class Due:
    """A card that reveals itself after placement (404.2.1, 404.2.2) and what its owner has to tell.

    `x` and `paid` (crystals) are None where they are not known; a reveal that is not `certain` is due
    only if the card was paid like that.
    """

    card: Card
    reveal: Reveal
    x: int | None = None
    paid: int | None = None
    certain: bool = True

    @property
    def rule(self) -> str:
        """The number of the rule that makes the card reveal itself."""
        return REVEAL_RULES[self.reveal]


def due_of(named: Named) -> Due | None:
    """What a card has to reveal as far as its text and the choices stated for it tell."""
    changes = {rule.change: rule for rule in named.card.effect.price}
    if Change.MORE_X in changes:
        return Due(named.card, Reveal.X, x=named.x)
    if Change.PAY_AS_ORDINARY in changes and named.paid is not Paid.ELITE:
        return Due(named.card, Reveal.ORDINARY, certain=named.paid is Paid.ORDINARY)
    if Change.SET in changes and named.bonus is not False:
        return Due(named.card, Reveal.PRICE, certain=bool(named.bonus))
    return None


def has_ability(card: Card) -> bool:
    """Has the card an ability that its owner may use after placement (404.2)?"""
    return card.key in _able()


@cache
def _able() -> frozenset[str]:
    entries = parse(read_text(data_folder() / "after_placement.yaml")).entries()
    return frozenset(map(fold, entries))


class LogFault(str, Enum):
    """What may be wrong with an entry of the log; each has a message of the same name."""

    TOO_EARLY = "log_too_early"
    AFTER_PASS = "log_after_pass"
    WRONG_TURN = "log_wrong_turn"
    NO_ABILITY = "log_no_ability"
    NOT_PLACED = "log_not_placed"
    USED_AGAIN = "log_used_again"
    TOLD_WRONG = "log_told_wrong"
    NOT_REVEALED = "log_not_revealed"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """What a player did in his turn: used a card, with what he told in brackets, or passed (None)."""

    player: Player
    named: Named | None


@dataclass(frozen=True, slots=True)
class LogViolation:
    """An entry of the log (from 1) that breaks a rule; `card` is None for a pass."""

    fault: LogFault
    rule: str
    step: int
    player: Player
    card: str | None


@dataclass(frozen=True, slots=True)
class Log:
    """A judged log: the uses that keep to the rules, in their order, and what was wrong.

    `spent` holds the uses that count as such: those, and the ones in turn with a fault of their own.
    """

    uses: tuple[tuple[Player, Card], ...]
    violations: tuple[LogViolation, ...]
    spent: tuple[tuple[Player, Card], ...] = ()


def judge_log(
    entries: Sequence[LogEntry],
    owner: Player,
    placed: Sequence[Card],
    due: Sequence[Due],
    rules: Ruleset,
    finished: bool = True,
) -> Log:
    """404.2: judge what both players did in turn; `placed` and `due` are those of the file's `owner`.

    An entry out of turn neither uses a card nor is a pass, but the turn goes on from it. The opponent's
    squad is not known: his cards must have an ability, and no more copies than a deck may hold.
    `finished` tells that all cards of the owner are placed.
    """
    if entries and not finished:
        return Log((), (_violation(LogFault.TOO_EARLY, TURNS_RULE, 1, entries[0]),))
    state = _State(owner, placed, list(due), rules)
    uses: list[tuple[Player, Card]] = []
    spent: list[tuple[Player, Card]] = []
    violations: list[LogViolation] = []
    for step, entry in enumerate(entries, start=1):
        out_of_turn = list(state.turn_faults(entry))
        faults = [*out_of_turn, *state.faults(entry)]
        violations += [_violation(fault, rule, step, entry) for fault, rule in faults]
        if entry.named is not None and not out_of_turn:
            spent.append((entry.player, entry.named.card))
            uses += [] if faults else spent[-1:]
        if not out_of_turn:
            state.count(entry)
        state.pass_turn(entry.player)
    return Log(tuple(uses), tuple(violations), tuple(spent))


def _violation(fault: LogFault, rule: str, step: int, entry: LogEntry) -> LogViolation:
    name = None if entry.named is None else entry.named.card.name
    return LogViolation(fault, rule, step, entry.player, name)


class _State:
    """Where the step after placement stands: whose turn it is, what was used, what is still due."""

    def __init__(
        self, owner: Player, placed: Sequence[Card], due: list[Due], rules: Ruleset
    ) -> None:
        self.owner = owner
        self.rules = rules
        self.placed = {card.key for card in placed}
        self.able = Counter(card.key for card in placed if has_ability(card))
        self.able.update(one.card.key for one in due)
        self.due = due
        self.turn = Player.FIRST
        self.passed: set[Player] = set()
        self.used: Counter[tuple[Player, str]] = Counter()

    def turn_faults(self, entry: LogEntry) -> Iterable[tuple[LogFault, str]]:
        """The first player begins, the players alternate, and who has passed is out."""
        if entry.player in self.passed:
            yield LogFault.AFTER_PASS, TURNS_RULE
        elif entry.player is not self.turn:
            yield LogFault.WRONG_TURN, TURNS_RULE

    def faults(self, entry: LogEntry) -> Iterable[tuple[LogFault, str]]:
        """What is wrong with using this card, or with passing, whosever turn it is."""
        own = entry.player is self.owner
        if entry.named is None:
            if own and (missed := next((due for due in self.due if due.certain), None)):
                yield LogFault.NOT_REVEALED, missed.rule
            return
        card = entry.named.card
        able = self.able[card.key] if own else self._copies(card)
        if own and card.key not in self.placed:
            yield LogFault.NOT_PLACED, TURNS_RULE
        elif not able:
            yield LogFault.NO_ABILITY, TURNS_RULE
        elif self.used[entry.player, card.key] >= able:
            yield LogFault.USED_AGAIN, TURNS_RULE
        elif own and entry.named.stated and self._fulfils(entry.named) is None:
            due = self._due(card)
            yield LogFault.TOLD_WRONG, due[0].rule if due else TURNS_RULE

    def _copies(self, card: Card) -> int:
        """How many copies of a card the opponent may have used."""
        if not has_ability(card) and due_of(Named(card)) is None:
            return 0
        if card.unique:
            return 1
        return self.rules.horde_copies if card.horde else self.rules.copies

    def _fulfils(self, named: Named) -> Due | None:
        """The reveal that a use fulfils: the first of the card that agrees with what was told."""
        return next((due for due in self._due(named.card) if _agrees(due, named)), None)

    def _due(self, card: Card) -> list[Due]:
        return [due for due in self.due if due.card is card]

    def count(self, entry: LogEntry) -> None:
        """Take down an entry in turn, right or wrong."""
        if entry.named is None:
            self.passed.add(entry.player)
        else:
            card = entry.named.card
            self.used[entry.player, card.key] += 1
            if entry.player is self.owner and (due := self._due(card)):
                self.due.remove(self._fulfils(entry.named) or due[0])

    def pass_turn(self, player: Player) -> None:
        """After this player it is the turn of the other one, if he is still in."""
        other = Player.SECOND if player is Player.FIRST else Player.FIRST
        self.turn = player if other in self.passed else other


def _agrees(due: Due, named: Named) -> bool:
    """Does what the owner told agree with how the card was paid?"""
    if due.reveal is Reveal.X:
        return (named.bonus, named.paid) == (None, None) and (
            due.x is None or named.x in (None, due.x)
        )
    if due.reveal is Reveal.ORDINARY:
        return (named.bonus, named.x) == (None, None) and named.paid is not Paid.ELITE
    return (named.x, named.paid) == (None, None) and named.bonus is not False
