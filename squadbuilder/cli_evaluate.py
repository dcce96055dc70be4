"""The command that evaluates decks: many deals of each, one entry a deck and seat, nothing done twice."""

import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from squadbuilder import answers, pages
from squadbuilder.cards import Card, Catalogue, catalogue
from squadbuilder.console import (
    COMMON,
    INTERRUPTED,
    NO,
    YES,
    Call,
    Force,
    Html,
    Maximize,
    OpponentDeck,
    Options,
    RatingsFile,
    Rules,
    new_files,
    number_asked,
    solver_needed,
    usage,
    with_options,
    write_file,
)
from squadbuilder.deal import Deal, check_drawn
from squadbuilder.deck import find_cards, read_entry
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.formats import DeckList, read_deck, read_list
from squadbuilder.ledger import Ledger, fingerprint
from squadbuilder.objective import Objective, read_aims
from squadbuilder.reading import read_text
from squadbuilder.ruleset import DEFAULT as DEFAULT_RULES
from squadbuilder.ruleset import Ruleset, ruleset
from squadbuilder.terms import Player

if TYPE_CHECKING:
    from squadbuilder.crew import Crew
    from squadbuilder.deck_answers import Entry
    from squadbuilder.evaluation import Question
    from squadbuilder.trial import Amount

DEALS = 2000


class Seats(str, Enum):
    """Which seats a deck is evaluated on."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"

    @property
    def players(self) -> tuple[Player, ...]:
        """The seats one by one."""
        return tuple(Player) if self is Seats.BOTH else (Player(self.value),)


Decks = Annotated[list[str], typer.Argument(metavar="DECK...", help="help_decks")]
DealsOption = Annotated[
    int | None, typer.Option("--deals", min=2, max=10_000_000, help="help_deals")
]
Until = Annotated[
    float | None, typer.Option("--until", metavar="WIDTH", min=0.001, help="help_until")
]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="help_evaluate_seed")]
SeatsOption = Annotated[Seats, typer.Option("--player", help="help_seats")]
Swaps = Annotated[list[str] | None, typer.Option("--swap", metavar="A=B", help="help_swap")]
Together = Annotated[
    list[str] | None, typer.Option("--together", metavar="NAME", help="help_together")
]
Jobs = Annotated[int, typer.Option("--jobs", min=1, max=1024, help="help_jobs")]
Cluster = Annotated[str | None, typer.Option("--cluster", metavar="ADDRESS", help="help_cluster")]
Out = Annotated[str | None, typer.Option("--out", metavar="FILE", help="help_evaluate_out")]
Resume = Annotated[bool, typer.Option("--resume", help="help_resume_run")]
Csv = Annotated[str | None, typer.Option("--csv", metavar="FILE", help="help_csv")]


def crew_of(jobs: int, cluster: str | None) -> "Crew":
    """Who does the work: processes of this machine, or a cluster."""
    from squadbuilder.crew import Crew

    if cluster is not None and jobs != 1:
        raise usage("usage_not_both", one="--jobs", other="--cluster")
    return Crew(jobs, cluster)


@dataclass(frozen=True, slots=True)
class _Bench:
    """What the command starts from."""

    call: Call
    cards: Catalogue
    decks: Sequence[str]
    rules: Ruleset


def _prepare(call: Call, given: Mapping[str, Any]) -> _Bench:
    rules = ruleset(given["rules"] or DEFAULT_RULES, Where(key="--rules"))
    return _Bench(call, catalogue(given["cards_file"]), given["decks"], rules)


_OPTIONS: Options = {"decks": (Decks, Parameter.empty), "rules": (Rules, None), **COMMON}


@dataclass(frozen=True, slots=True)
class _Swap:
    """So many copies of one card for as many of another, as it was put."""

    text: str
    count: int
    out: Card
    into: Card

    def made(self, deck: Sequence[Card]) -> tuple[Card, ...]:
        """The deck with the change: the new cards stand where the first of the old ones stood."""
        places = [place for place, card in enumerate(deck) if card.key == self.out.key]
        if len(places) < self.count:
            where = Where(key="--swap")
            raise InputError(
                ErrorCode.SWAP_NOT_IN_DECK,
                where,
                card=self.out.name,
                want=self.count,
                have=len(places),
            )
        changed = list(deck)
        for place in places[: self.count]:
            changed[place] = self.into
        return tuple(changed)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is asked of every deck."""

    seats: tuple[Player, ...]
    seed: int
    objective: Objective
    amount: "Amount"
    swaps: tuple[_Swap, ...]
    together: tuple[str, ...]
    opponent: tuple[Card, ...]


def _evaluate(
    bench: _Bench,
    deals: DealsOption = None,
    until: Until = None,
    seed: Seed = None,
    player: SeatsOption = Seats.BOTH,
    maximize: Maximize = None,
    ratings: RatingsFile = None,
    swap: Swaps = None,
    together: Together = None,
    opponent_deck: OpponentDeck = None,
    jobs: Jobs = 1,
    cluster: Cluster = None,
    out: Out = None,
    resume: Resume = False,
    csv: Csv = None,
    html: Html = None,
    force: Force = False,
) -> int:
    """Evaluate decks and tell what was found."""
    from squadbuilder.engine import COMPILED
    from squadbuilder.trial import Amount

    call, cards = bench.call, bench.cards
    if deals is not None and until is not None:
        raise usage("usage_not_both", one="--deals", other="--until")
    if resume and out is None:
        raise usage("usage_needs", name="--resume", needs="--out")
    number_asked("--until", until, "0.001…")
    new_files(force, resume=resume, out=out, csv=csv, html=html)
    objective, _ = read_aims(maximize, ratings, cards)
    crew = crew_of(jobs, cluster)
    ledger = Ledger(out, resume)
    wanted = _Wanted(
        seats=player.players,
        seed=next((s for s in (seed, ledger.seed) if s is not None), secrets.randbelow(10**6)),
        objective=objective,
        amount=Amount(None if until is not None else deals or DEALS, until),
        swaps=tuple(_read_swap(text, cards) for text in swap or ()),
        together=tuple(cards.find(name, Where(key="--together")).key for name in together or ()),
        opponent=read_deck(opponent_deck, cards) if opponent_deck is not None else (),
    )
    if not COMPILED:
        call.note(call.speaker.say("note_slow"))
    found = _Found([], [], [], False)
    ready = _read_decks(bench, wanted, found)
    with solver_needed(), crew:
        _play(bench, wanted, ready, ledger, crew, found)
    if found.interrupted:
        call.note(call.speaker.say("note_interrupted"))
    _tell(bench, wanted, found, _Files(csv, html, force))
    if found.interrupted:
        return INTERRUPTED
    return NO if found.failed else YES


evaluate = with_options(_evaluate, _OPTIONS, _prepare)


@dataclass(slots=True)
class _Found:
    """Entries so far with what they answer, and the decks that could not be evaluated."""

    entries: "list[Entry]"
    questions: "list[Question]"
    failed: list[tuple[str, InputError]]
    interrupted: bool


@dataclass(frozen=True, slots=True)
class _Ready:
    """A deck on a seat, ready to be evaluated."""

    path: str
    name: str
    question: "Question"
    swapped: "tuple[Question, ...]"


def _read_swap(text: str, cards: Catalogue) -> _Swap:
    where = Where(key="--swap")
    old, equals, new = text.partition("=")
    if not (equals and old.strip() and new.strip()):
        raise InputError(ErrorCode.SWAP_MALFORMED, where, found=text)
    entry = read_entry(old, where)
    return _Swap(text, entry.count, cards.find(entry.name, where), cards.find(new.strip(), where))


def _read_decks(bench: _Bench, wanted: _Wanted, found: _Found) -> list[_Ready]:
    """Every deck on every seat; a bad deck among many is kept for its row."""
    ready: list[_Ready] = []
    for path in bench.decks:
        try:
            ready += _read_deck(bench, wanted, path)
        except InputError as error:
            if len(bench.decks) == 1:
                raise
            found.failed.append((path, error))
    return ready


def _read_deck(bench: _Bench, wanted: _Wanted, path: str) -> list[_Ready]:
    from squadbuilder.evaluation import Question

    source = read_text(path)
    listed: DeckList = read_list(source)
    deck = find_cards(listed.entries, bench.cards)
    speaker = bench.call.speaker
    drawn = {card.key: 0 for card in deck}
    for text in answers.notes_on(Deal(deck, deck=deck, outcomes=drawn), speaker):
        bench.call.note(text)
    if not wanted.opponent and any(card.effect.look for card in deck):
        bench.call.note(speaker.say("note_hidden_prior"))
    ready: list[_Ready] = []
    for player in wanted.seats:
        question = Question(
            deck,
            deck,
            wanted.seed,
            bench.rules,
            player,
            wanted.objective,
            wanted.together,
            wanted.opponent,
        )
        bare = question.bare(0)
        check_drawn(Deal(deck[: bare.size], bench.rules, player), Where(file=source.file))
        swapped = tuple(question.with_cards(swap.made(deck)) for swap in wanted.swaps)
        ready.append(_Ready(path, listed.name or Path(path).stem, question, swapped))
    return ready


def _play(
    bench: _Bench,
    wanted: _Wanted,
    ready: Sequence[_Ready],
    ledger: Ledger,
    crew: "Crew",
    found: _Found,
) -> None:
    """Evaluate what is not in the ledger yet; Ctrl-C ends it with what is done."""
    from squadbuilder import deck_answers, trial

    asked = [(fingerprint(each.question, each.swapped, wanted.amount), each) for each in ready]
    known = [
        trial.expected(wanted.amount, each.question, len(each.swapped))
        for key, each in dict(asked).items()
        if key not in ledger.entries
    ]
    total = sum(known) if all(number is not None for number in known) else None  # type: ignore[arg-type]
    texts = [swap.text for swap in wanted.swaps]
    with pages.DealProgress(bench.call.speaker, total) as progress:
        for key, each in asked:
            entry = ledger.entries.get(key)
            if entry is None:
                done = trial.run(each.question, each.swapped, wanted.amount, crew, progress)
                found.interrupted = not done.complete
                if found.interrupted and not done.tally.deals:
                    return
                entry = deck_answers.entry(each.path, each.name, texts, done)
                if done.complete:
                    ledger.add(key, entry)
            found.entries.append({**entry, "deck": each.path, "name": each.name})
            found.questions.append(each.question)
            if found.interrupted:
                return


@dataclass(frozen=True, slots=True)
class _Files:
    """Where the answer goes beside the terminal."""

    csv: str | None
    html: str | None
    force: bool


def _tell(bench: _Bench, wanted: _Wanted, found: _Found, files: _Files) -> None:
    from squadbuilder.deck_report import DeckReport, as_csv

    call = bench.call
    fields = {
        "seed": wanted.seed,
        "rules": bench.rules.name,
        "objective": [goal.name for goal in wanted.objective],
        "decks": found.entries,
        "failed": [
            {"deck": path, "error": answers.error_fields(error, call.speaker)}
            for path, error in found.failed
        ],
    }
    if files.html is not None and not _write_page(call, fields, found.questions, files):
        found.interrupted = True
        call.note(call.speaker.say("note_interrupted"))
    if files.csv is not None:
        write_file(files.csv, as_csv(found.entries), files.force)
        call.note(call.speaker.say("evaluate_written", file=files.csv))
    stream = sys.stderr if call.json else sys.stdout
    report = DeckReport(call.speaker, call.plain, stream)
    failed = [
        (path, call.speaker.say(error.message, **error.params)) for path, error in found.failed
    ]
    report.decks(found.entries, failed, in_full=len(bench.decks) == 1)
    if call.json:
        call.answer(**fields)


def _write_page(
    call: Call, fields: Mapping[str, Any], questions: "Sequence[Question]", files: _Files
) -> bool:
    """Write the page; not if Ctrl-C comes before it is made."""
    with solver_needed():
        from squadbuilder import html_report, showcase

    entries = fields["decks"]
    ends = []
    try:
        with pages.Progress(call.speaker, "progress_page", total=len(entries)) as progress:
            for question, entry in zip(questions, entries, strict=True):
                ends.append(showcase.extremes(question, entry, call.speaker))
                progress(len(ends))
            document = {**fields, "notes": list(call.notes)}
            facts = showcase.facts_of(questions)
            page = html_report.decks_page(call.speaker, document, facts, ends)
    except KeyboardInterrupt:
        return False
    write_file(str(files.html), page, files.force)
    call.note(call.speaker.say("html_written", file=files.html))
    return True
