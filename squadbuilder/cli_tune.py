"""The command that looks for the single swaps which raise what a deck is worth most."""

import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from squadbuilder import answers, pages
from squadbuilder.card_search import Query, read_set, search
from squadbuilder.cards import Card, Catalogue, catalogue
from squadbuilder.cli_evaluate import Cluster, Csv, Jobs, Resume, Seed, crew_of
from squadbuilder.console import (
    COMMON,
    INTERRUPTED,
    NO,
    YES,
    Call,
    Force,
    Maximize,
    OpponentDeck,
    Options,
    PlayerOption,
    RatingsFile,
    Rules,
    new_files,
    solver_needed,
    usage,
    with_options,
    write_file,
)
from squadbuilder.deal import Deal, check_drawn
from squadbuilder.deck import find_cards
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.formats import read_deck, read_list
from squadbuilder.ledger import Ledger, fingerprint
from squadbuilder.objective import Objective, read_aims
from squadbuilder.reading import read_text
from squadbuilder.ruleset import DEFAULT as DEFAULT_RULES
from squadbuilder.ruleset import Ruleset, ruleset
from squadbuilder.terms import Player

if TYPE_CHECKING:
    from squadbuilder.crew import Crew
    from squadbuilder.evaluation import Question
    from squadbuilder.race import Book, Plan, Race
    from squadbuilder.swaps import Compared, Swap

TOP = 10

Deck = Annotated[str, typer.Argument(metavar="DECK", help="help_deck_file")]
Pool = Annotated[str | None, typer.Option("--pool", metavar="FILE", help="help_pool")]
Sets = Annotated[list[str] | None, typer.Option("--set", metavar="SET", help="help_tune_set")]
Budget = Annotated[
    int | None,
    typer.Option("--budget", metavar="DEALS", min=1, max=10_000_000_000, help="help_budget"),
]
Top = Annotated[int, typer.Option("--top", min=1, max=100, help="help_tune_top")]
Out = Annotated[str | None, typer.Option("--out", metavar="FILE", help="help_tune_out")]


@dataclass(frozen=True, slots=True)
class _Desk:
    """What the command starts from."""

    call: Call
    cards: Catalogue
    file: str
    name: str
    deck: tuple[Card, ...]
    rules: Ruleset


def _prepare(call: Call, given: Mapping[str, Any]) -> _Desk:
    cards = catalogue(given["cards_file"])
    rules = ruleset(given["rules"] or DEFAULT_RULES, Where(key="--rules"))
    listed = read_list(read_text(given["deck"]))
    deck = find_cards(listed.entries, cards)
    name = listed.name or Path(given["deck"]).stem
    return _Desk(call, cards, given["deck"], name, deck, rules)


_OPTIONS: Options = {"deck": (Deck, Parameter.empty), "rules": (Rules, None), **COMMON}


def _tune(
    desk: _Desk,
    pool: Pool = None,
    sets: Sets = None,
    budget: Budget = None,
    top: Top = TOP,
    seed: Seed = None,
    player: PlayerOption = None,
    maximize: Maximize = None,
    ratings: RatingsFile = None,
    opponent_deck: OpponentDeck = None,
    jobs: Jobs = 1,
    cluster: Cluster = None,
    out: Out = None,
    resume: Resume = False,
    csv: Csv = None,
    force: Force = False,
) -> int:
    """Race the swaps and tell which of them are gains."""
    from squadbuilder.engine import COMPILED

    call, cards = desk.call, desk.cards
    if resume and out is None:
        raise usage("usage_needs", name="--resume", needs="--out")
    new_files(force, resume=resume, out=out, csv=csv)
    objective, _ = read_aims(maximize, ratings, cards)
    seat = player or Player.FIRST
    check_drawn(_first_deal(desk, seat), Where(file=desk.file))
    opponent = read_deck(opponent_deck, cards) if opponent_deck is not None else desk.deck
    coming = _read_pool(desk, pool, sets or ())
    with solver_needed():
        swaps, rounds = _enter(desk, coming, top, budget)
    if not COMPILED:
        call.note(call.speaker.say("note_slow"))
    with solver_needed(), crew_of(jobs, cluster) as crew:
        ledger = Ledger(out, resume)
        chosen = next((s for s in (seed, ledger.seed) if s is not None), secrets.randbelow(10**6))
        race = _run(desk, _Start(seat, chosen, objective, opponent), swaps, rounds, crew, ledger)
    if not race.complete:
        call.note(call.speaker.say("note_interrupted"))
    _note(desk, race, opponent_deck is not None)
    return _tell(desk, race, csv, force)


tune = with_options(_tune, _OPTIONS, _prepare)


def _first_deal(desk: _Desk, seat: Player) -> Deal:
    size = Deal((), desk.rules, seat).size
    return Deal(desk.deck[:size], desk.rules, seat)


def _read_pool(desk: _Desk, pool: str | None, sets: Sequence[str]) -> tuple[Card, ...]:
    """The cards that may come in: those of a file and of sets."""
    if pool is None and not sets:
        raise usage("usage_missing", ("--pool", "--set"), name="--pool")
    found = read_deck(pool, desk.cards) if pool is not None else ()
    if sets:
        wanted = tuple(read_set(text, desk.cards) for text in sets)
        found += tuple(search(desk.cards, Query(sets=wanted)))
    return found


def _enter(
    desk: _Desk, coming: Sequence[Card], top: int, budget: int | None
) -> "tuple[list[Swap], Plan]":
    """The swaps that enter the race, and its rounds."""
    from squadbuilder import race
    from squadbuilder.swaps import legal_swaps

    swaps = legal_swaps(desk.deck, coming, desk.cards, desk.rules)
    if not swaps:
        raise InputError(ErrorCode.SWAP_NONE_LEGAL, Where(file=desk.file), rules=desk.rules.name)
    least = race.least_budget(len(swaps), top)
    deals = race.usual_budget(len(swaps), top) if budget is None else budget
    if deals < least:
        where = Where(key="--budget")
        raise InputError(ErrorCode.BUDGET_SMALL, where, found=deals, least=least, n=len(swaps))
    return swaps, race.plan(len(swaps), top, deals)


@dataclass(frozen=True, slots=True)
class _Start:
    """What deals are worth, and to whom."""

    seat: Player
    seed: int
    objective: Objective
    opponent: tuple[Card, ...]


def _run(
    desk: _Desk,
    start: _Start,
    swaps: "Sequence[Swap]",
    rounds: "Plan",
    crew: "Crew",
    ledger: Ledger,
) -> "Race":
    from squadbuilder import race
    from squadbuilder.evaluation import Question

    deck = desk.deck
    question = Question(
        deck,
        deck,
        start.seed,
        desk.rules,
        start.seat,
        start.objective,
        opponent=start.opponent,
    )
    progress = pages.DealProgress(desk.call.speaker, rounds.compared)
    book = _book(ledger, question, progress)
    with progress:
        return race.run(question, swaps, rounds, crew, progress, book)


def _book(ledger: Ledger, question: "Question", progress: pages.DealProgress) -> "Book":
    """The pieces of the race in the ledger; those of an earlier run are not to be done any more."""
    from squadbuilder.estimates import Moments
    from squadbuilder.race import Book
    from squadbuilder.swaps import Compared

    asked = fingerprint(question)

    def key(swaps: "Sequence[Swap]", start: int, stop: int) -> str:
        cards = tuple((swap.out, swap.into) for swap in swaps)
        return fingerprint(asked, cards, start, stop)

    def find(swaps: "Sequence[Swap]", start: int, stop: int) -> "Compared | None":
        entry = ledger.entries.get(key(swaps, start, stop))
        if entry is None:
            return None
        if progress.total is not None:
            progress.total -= len(swaps) * (stop - start)
        return Compared(Moments(*entry["worth"]), tuple(Moments(*gain) for gain in entry["gains"]))

    def write(swaps: "Sequence[Swap]", start: int, stop: int, found: "Compared") -> None:
        sums = [[gain.number, gain.total, gain.squares] for gain in (found.worth, *found.gains)]
        entry = {"seed": question.seed, "start": start, "stop": stop, "worth": sums[0]}
        ledger.add(key(swaps, start, stop), {**entry, "gains": sums[1:]})

    return Book(find, write)


def _note(desk: _Desk, race: "Race", opponent_known: bool) -> None:
    """What a reader must know of the deck's cards and of those that the swaps left bring in."""
    call = desk.call
    coming = tuple(standing.swap.into for standing in race.standings())
    cards = desk.deck + coming
    drawn = {card.key: 0 for card in cards}
    for text in answers.notes_on(Deal(cards, deck=cards, outcomes=drawn), call.speaker):
        call.note(text)
    if not opponent_known and any(card.effect.look for card in cards):
        call.note(call.speaker.say("note_hidden_prior"))


def _tell(desk: _Desk, race: "Race", csv: str | None, force: bool) -> int:
    from squadbuilder.tune_answers import tune_fields
    from squadbuilder.tune_report import TuneReport, swaps_as_csv

    call = desk.call
    found = {"deck": desk.file, "name": desk.name, **tune_fields(race)}
    if csv is not None:
        write_file(csv, swaps_as_csv(found), force)
        call.note(call.speaker.say("evaluate_written", file=csv))
    TuneReport(call.speaker, call.plain, sys.stderr if call.json else sys.stdout).race(found)
    if call.json:
        call.answer(**found)
    if not race.complete:
        return INTERRUPTED
    return YES if any(swap["verdict"] == "gain" for swap in found["swaps"]) else NO
