"""Recruiting as a conversation: a line of the player in, lines of text out. No terminal is needed.

Commands are English or Russian; a clear beginning of a command, or of a card's name, is enough.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from squadbuilder.answers import violation_text
from squadbuilder.before import BeforeStep
from squadbuilder.cards import Card, Catalogue
from squadbuilder.deal import Deal
from squadbuilder.deck import read_entry
from squadbuilder.errors import ErrorCode, InputError, Where, suggest
from squadbuilder.messages import Language, Speaker
from squadbuilder.naming import find_in_deal, named, spelled, with_partners
from squadbuilder.objective import DEFAULT, Objective, read_objective
from squadbuilder.orders import Line
from squadbuilder.recruit import Step
from squadbuilder.report import Report
from squadbuilder.session import Action, Bar, Phase, Refusal, Unclear, Verb, sit_down
from squadbuilder.stated import Named
from squadbuilder.terms import fold

Best = Callable[[Deal, Objective, BeforeStep], tuple[str, tuple[Line, ...]]]
"""Finds the best squads from here: how sure that is, and the squads."""

Write = Callable[[str, str], None]
"""Writes a text into a file of this path."""


class Command(Enum):
    """What a line may begin with, in English and Russian."""

    TAKE = ("take", "взять")
    USE = ("use", "использовать")
    UNDO = ("undo", "отменить")
    RESTART = ("restart", "заново")
    WHY = ("why", "почему")
    BEST = ("best", "лучший")
    SHOW = ("show", "показать")
    SAVE = ("save", "сохранить")
    HELP = ("help", "помощь")
    QUIT = ("quit", "выход")

    def word(self, language: Language) -> str:
        """The word for it in this language."""
        english, russian = self.value
        return russian if language is Language.RU else english


WORDS = {word: command for command in Command for word in command.value}
_BARE = {Command.UNDO, Command.RESTART, Command.SHOW, Command.HELP, Command.QUIT}
_OUTCOME = ("outcome", "исход")
_ALONE = ("alone", "никого", "один")


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a line: texts, whether the rules refused, and whether the player has left."""

    lines: tuple[str, ...] = ()
    refused: bool = False
    left: bool = False


class Conversation:
    """One player at the table, with one deal."""

    def __init__(
        self, deal: Deal, cards: Catalogue, speaker: Speaker, plain: bool, best: Best, write: Write
    ) -> None:
        self.session = sit_down(deal)
        self._catalogue = cards
        self._speaker = speaker
        self._plain = plain
        self._best = best
        self._write = write

    def hear(self, text: str) -> Reply:
        """Do what a line says. A line that cannot be understood is an `InputError`."""
        line = text.strip()
        if not line or line.startswith("#"):
            return Reply()
        word, _, rest = line.partition(" ")
        command, rest = _command(word), rest.strip()
        sheet = self._sheet()
        if command in _BARE and rest:
            raise InputError(ErrorCode.LINE_TOO_LONG, Where(), word=word, found=rest)
        if command in (Command.TAKE, Command.USE, Command.WHY, Command.SAVE) and not rest:
            raise InputError(ErrorCode.LINE_TOO_SHORT, Where(), word=word)
        if command is Command.QUIT:
            return Reply(left=True)
        if command is Command.HELP:
            sheet.print(sheet.say("talk_help"))
        elif command is Command.SHOW:
            self._show(sheet)
        elif command is Command.SAVE:
            self._save(sheet, rest)
        elif command is Command.WHY:
            self._why(sheet, rest)
        elif command is Command.BEST:
            self._tell_best(sheet, rest)
        else:
            return self._act(sheet, self._actions(command, rest, sheet))
        return Reply(tuple(sheet.lines))

    def greet(self) -> Reply:
        """What a player sees first."""
        sheet = self._sheet()
        sheet.deal(self.session.recruitment.deal)
        sheet.print(sheet.say("talk_greeting"))
        return Reply(tuple(sheet.lines))

    def log(self) -> list[str]:
        """The lines that lead here again."""
        return [said(action) for action in self.session.actions]

    def words(self, line: str) -> list[str]:
        """What the last word of a line begun may become."""
        word, space, rest = line.lstrip().partition(" ")
        if not space:
            return [known for known in WORDS if known.startswith(fold(word))]
        names = sorted(card.name for card in self._kinds())
        begun = fold(rest.rpartition("+")[2].strip())
        return [name for name in names if fold(name).startswith(begun)]

    def _sheet(self) -> "_Sheet":
        return _Sheet(self._speaker, self.session.recruitment.cards, plain=self._plain)

    def _kinds(self) -> tuple[Card, ...]:
        return self.session.recruitment.cards.kinds

    # Actions

    def _actions(self, command: Command, rest: str, sheet: "_Sheet") -> list[Action]:
        """What the line says to do: once for each copy of its first card."""
        if command in (Command.UNDO, Command.RESTART):
            return [Action(Verb.UNDO if command is Command.UNDO else Verb.RESTART)]
        entries = [read_entry(part, Where()) for part in _split(rest)]
        parts = [_without_extras(entry.name) for entry in entries]
        first = self._named(parts[0][0], sheet)
        ability = first.card.effect.before
        searches = ability is not None and ability.searches
        others: list[Named] = []
        for entry, (part, _, _) in zip(entries[1:], parts[1:], strict=True):
            others += [self._named(part, sheet, searches)] * entry.count
        cards = with_partners([first, *others])
        outcomes = [outcome for _, outcome, _ in parts if outcome is not None]
        alone = any(part[2] for part in parts)
        use = command is Command.USE or outcomes or alone or any(card.before for card in cards)
        if not use and len(cards) > 1:
            word = command.word(self._speaker.language)
            raise InputError(ErrorCode.LINE_TOO_LONG, Where(), word=word, found=rest)
        outcome = outcomes[0] if outcomes else None
        action = Action(Verb.USE if use else Verb.TAKE, tuple(cards), alone, outcome)
        return [action] * entries[0].count

    def _named(self, text: str, sheet: "_Sheet", in_the_deck: bool = False) -> Named:
        kinds = self._kinds()
        beside = (*kinds, *(self.session.recruitment.deal.deck or ()))

        def echo(written: str, name: str) -> None:
            sheet.print(sheet.say("note_resolved", text=written, name=name))

        def in_deal(name: str) -> Card:
            return find_in_deal(name, kinds, self._catalogue, Where(), echo)

        def in_deck(name: str) -> Card:
            return find_in_deal(name, beside, self._catalogue, Where(), echo)

        return named(text, in_deck if in_the_deck else in_deal, Where(), in_deck)

    def _act(self, sheet: "_Sheet", actions: Iterable[Action]) -> Reply:
        """Do one after the other until the rules refuse; what cannot be understood undoes them all."""
        before = self.session
        try:
            refused = any(self._do(sheet, action) for action in actions)
        except InputError:
            self.session = before
            raise
        return Reply(tuple(sheet.lines), refused)

    def _do(self, sheet: "_Sheet", action: Action) -> bool:
        """Do it and tell what came of it; True if the rules refuse it."""
        before = self.session
        after = before.do(action)
        if isinstance(after, Unclear):
            code = ErrorCode.OUTCOME_NEEDED if after.look else ErrorCode.ACTION_UNCLEAR
            ways = [said(way, self._speaker.language) for way in after.ways]
            raise InputError(code, Where(), ways, card=after.card)
        if isinstance(after, Refusal):
            sheet.refusal(after)
            return True
        self.session = after
        if action.verb in (Verb.TAKE, Verb.USE):
            if before.phase is Phase.BEFORE and after.phase is Phase.RECRUIT and before.may_use():
                sheet.print(sheet.say("talk_before_over"))
            for number, step in enumerate(after.steps, start=1):
                if number > len(before.steps):
                    sheet.joined(number, step)
        else:
            back = [step for _, step in before.taken[len(after.taken) :]]
            names = ", ".join(self._kinds()[step.kind].name for step in back)
            sheet.print(sheet.say("talk_back", cards=names))
            if action.verb is Verb.RESTART and after.steps:
                stay = ", ".join(self._kinds()[s.kind].name for s in after.steps if s.joins)
                sheet.print(sheet.say("talk_stay", cards=stay or sheet.say("nothing")))
        sheet.print(sheet.say("left_over", gold=after.state.gold, silver=after.state.silver))
        return False

    # Questions

    def _show(self, sheet: "_Sheet") -> None:
        session = self.session
        sheet.print(sheet.say(f"talk_phase_{session.phase.value}"))
        if session.steps:
            sheet.steps(session.steps)
        sheet.moves(session.state.gold, session.state.silver, session.moves())

    def _why(self, sheet: "_Sheet", text: str) -> None:
        one = self._named(text, sheet)
        found = self.session.why_not(one)
        if found:
            sheet.print(sheet.say("talk_why_not", card=one.card.name))
            sheet.violations(found)
        else:
            kind = self.session.recruitment.cards.index[one.card.key]
            move = next(move for move in self.session.moves() if move.kind == kind)
            prices = [sheet.priced(option) for option in move.options]
            sheet.print(sheet.say("talk_may_take", card=one.card.name, prices="; ".join(prices)))
        if one.card.effect.before is not None:
            refusal = self.session.why_not_use(one.card)
            if refusal is None:
                sheet.print(sheet.say("talk_may_use", card=one.card.name))
            elif refusal.bar is not Bar.LIMITS:
                sheet.refusal(refusal)

    def _tell_best(self, sheet: "_Sheet", text: str) -> None:
        objective = read_objective(text, None) if text else DEFAULT
        answer = _Sheet(self._speaker, self.session.recruitment.cards, objective, plain=self._plain)
        deal = self.session.recruitment.deal
        answer.solution(*self._best(deal, objective, self.session.here()))
        sheet.lines += answer.lines

    def _save(self, sheet: "_Sheet", path: str) -> None:
        """The order as `check --ordered --names FILE` reads it."""
        deal = self.session.recruitment.deal
        looks = [c for c in self._kinds() if c.effect.look is not None and c.key in deal.outcomes]
        outcomes = "".join(f' --outcome "{c.name}={deal.outcomes[c.key]}"' for c in looks)
        begin = f"# squadbuilder check DEAL --ordered --names {path}{outcomes}"
        self._write(path, "\n".join([begin, *map(spelled, self.session.order)]) + "\n")
        sheet.print(sheet.say("talk_saved", file=path))


class _Sheet(Report):
    """Gathers what a report would print."""

    lines: list[str]

    def __init__(self, *arguments: object, **options: object) -> None:
        super().__init__(*arguments, **options)  # type: ignore[arg-type]
        self.lines = []

    def print(self, text: str) -> None:
        self.lines += text.split("\n")

    def refusal(self, refusal: Refusal) -> None:
        """Why something cannot be done, with rule numbers."""
        self.print(f"{refusal.rule}  {self.say(refusal.bar.value, card=refusal.card)}")
        for found in refusal.violations:
            self.print(f"  {found.rule}  {violation_text(found, self.speaker)}")

    def joined(self, number: int, step: Step) -> None:
        """A card that has just joined, or gone to the graveyard."""
        words = [self.priced(step)] + [self.told(step)] * bool(self.told(step))
        name = self.cards.kinds[step.kind].name
        self.print(f"{number}. {name}: {', '.join(words)}")

    def priced(self, step: Step) -> str:
        """What a card costs and brings, in short."""
        parts = [self.crystals(step.gold, step.silver) or self.say("free")]
        if step.penalty:
            parts.append(self.say("talk_penalty", n=self.crystals(step.penalty, 0)))
        gained = self.crystals(step.gained_gold, step.gained_silver)
        if gained:
            parts.append(self.say("talk_gain", n=gained))
        return ", ".join(parts)


def said(action: Action, language: Language = Language.EN) -> str:
    """An action as the line that does it."""
    cards = " + ".join(spelled(named, language) for named in action.cards)
    outcome, alone = (words[language is Language.RU] for words in (_OUTCOME, _ALONE))
    extras = [alone] * action.alone
    extras += [f"{outcome}={action.outcome}"] if action.outcome is not None else []
    if extras:
        inside = ", ".join(extras)
        cards = f"{cards[:-1]}, {inside}]" if cards.endswith("]") else f"{cards} [{inside}]"
    return f"{Command[action.verb.name].word(language)} {cards}".strip()


def _command(word: str) -> Command:
    fitting = {command for known, command in WORDS.items() if known.startswith(fold(word))}
    exact = WORDS.get(fold(word))
    if exact is not None:
        return exact
    if len(fitting) == 1:
        return fitting.pop()
    near = [known for known in WORDS if WORDS[known] in fitting] or suggest(word, WORDS)
    raise InputError(ErrorCode.COMMAND_UNKNOWN, Where(), near or Command.HELP.value, word=word)


def _split(text: str) -> list[str]:
    """Cards that join one after another: parts between plus signs outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == "+" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _without_extras(text: str) -> tuple[str, int | None, bool]:
    """What stands in brackets for the table alone: a look's outcome, and that nothing is brought."""
    name, bracket, inside = text.partition("[")
    if not bracket or not text.endswith("]"):
        return text, None, False
    outcome: int | None = None
    alone = False
    kept: list[str] = []
    for part in inside[:-1].split(","):
        key, _, value = (fold(word) for word in part.partition("="))
        if key in _OUTCOME:
            if value not in ("0", "1", "2"):
                raise InputError(
                    ErrorCode.OUTCOME_MALFORMED,
                    kind="outcome_in_brackets",
                    found=part.strip(),
                    most=2,
                )
            outcome = int(value)
        elif key in _ALONE and not value:
            alone = True
        else:
            kept.append(part)
    left = ",".join(kept).strip()
    return (f"{name.strip()} [{left}]" if left else name.strip()), outcome, alone
