"""The commands on decks: check, show, convert, and drawing a deal."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Annotated, Any

import typer

from squadbuilder import answers, pages
from squadbuilder.card_pages import CardPages
from squadbuilder.cards import Catalogue, catalogue
from squadbuilder.console import (
    COMMON,
    NO,
    YES,
    Call,
    Force,
    Mulligans,
    Options,
    PlayerOption,
    Rules,
    deliver,
    with_options,
)
from squadbuilder.deal import check_drawn
from squadbuilder.deck import find_cards
from squadbuilder.decks import check_deck, draw, profile
from squadbuilder.errors import Where
from squadbuilder.formats import DeckList, Format, format_of, read_list, write_list
from squadbuilder.reading import STDIN, read_text, write_yaml
from squadbuilder.ruleset import DEFAULT, Ruleset, ruleset
from squadbuilder.terms import Player

deck_app = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="help_deck_app")

DeckArgument = Annotated[str, typer.Argument(metavar="DECK", help="help_deck_file")]


@dataclass(frozen=True, slots=True)
class _Desk:
    """What every command on a deck starts from."""

    call: Call
    cards: Catalogue
    deck: DeckList
    rules: Ruleset
    source: str


_DECK_OPTIONS: Options = {"deck": (DeckArgument, Parameter.empty), **COMMON}
_RULED_OPTIONS: Options = {
    "deck": (DeckArgument, Parameter.empty),
    "rules": (Rules, None),
    **COMMON,
}


def _by_rules(function: Callable[..., int]) -> Callable[..., int]:
    """A command on a deck file whose answer depends on the ruleset."""
    return _on_deck(function, _RULED_OPTIONS)


def _on_deck(function: Callable[..., int], options: Options = _DECK_OPTIONS) -> Callable[..., int]:
    """A command on a deck file, with the options that all of them have."""

    def prepare(call: Call, given: Mapping[str, Any]) -> _Desk:
        cards = catalogue(given["cards_file"])
        rules = ruleset(given.get("rules") or DEFAULT, Where(key="--rules"))
        source = read_text(given["deck"])
        return _Desk(call, cards, read_list(source), rules, source.file)

    return with_options(function, options, prepare)


@deck_app.command("check", help="help_deck_check")
@_by_rules
def check(desk: _Desk) -> int:
    """Say everything that is wrong with a deck."""
    problems = check_deck(desk.deck.entries, desk.cards, desk.rules)
    speaker = desk.call.speaker
    size = sum(entry.count for entry in desk.deck.entries)
    if desk.call.json:
        found = [answers.problem_document(problem, speaker) for problem in problems]
        desk.call.answer(
            name=desk.deck.name,
            rules=desk.rules.name,
            cards=size,
            legal=not problems,
            problems=found,
        )
    else:
        code = "deck_illegal" if problems else "deck_legal"
        pages.say(speaker.say(code, cards=size, rules=desk.rules.name))
        for problem in problems:
            pages.say("  " + answers.problem_text(problem, speaker))
            if problem.suggestions:
                names = ", ".join(problem.suggestions)
                pages.say("    " + speaker.say("suggestions", names=names))
    return NO if problems else YES


@deck_app.command("show", help="help_deck_show")
@_on_deck
def show(desk: _Desk) -> int:
    """Show what a deck is made of."""
    found = profile(find_cards(desk.deck.entries, desk.cards))
    if desk.call.json:
        desk.call.answer(name=desk.deck.name, **answers.profile_fields(found))
    else:
        CardPages(desk.call.speaker, desk.call.plain).profile(desk.deck.name, found)
    return YES


@deck_app.command("convert", help="help_deck_convert")
@_on_deck
def convert(
    desk: _Desk,
    out: Annotated[str, typer.Argument(metavar="OUT", help="help_convert_out")],
    form: Annotated[Format | None, typer.Option("--format", help="help_format")] = None,
    force: Force = False,
) -> int:
    """Write a deck in another format; - writes to standard output."""
    chosen = form or (Format.TEXT if out == STDIN else format_of(out))
    cards = find_cards(desk.deck.entries, desk.cards)
    text = write_list(desk.deck.name, cards, chosen)
    call = desk.call
    told = call.speaker.say("deck_written", file=out, cards=len(cards), format=chosen.value)
    fields = {"name": desk.deck.name, "format": chosen.value, "cards": len(cards), "text": text}
    deliver(call, text, out, force, told, **fields)
    return YES


@_by_rules
def draw_deal(
    desk: _Desk,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="help_seed")] = None,
    player: PlayerOption = None,
    mulligans: Mulligans = None,
    index: Annotated[int, typer.Option("--index", min=0, help="help_index")] = 0,
    out: Annotated[str | None, typer.Option("--out", metavar="FILE", help="help_out")] = None,
    force: Force = False,
) -> int:
    """Draw a deal from a deck and write it as a deal file."""
    call = desk.call
    chosen = secrets.randbelow(10**6) if seed is None else seed
    deck = find_cards(desk.deck.entries, desk.cards)
    seat, taken = player or Player.FIRST, mulligans or 0
    deal = draw(deck, chosen, desk.rules, seat, taken, index)
    check_drawn(deal, Where(file=desk.source, key="--mulligans"))
    fields: dict[str, object] = {
        "player": seat.value,
        "mulligans": taken,
        "rules": desk.rules.name,
        "deal": answers.counted_list(card.name for card in deal.cards),
        "deck": answers.counted_list(card.name for card in deck),
    }
    text = call.speaker.say("draw_comment", seed=chosen, name=desk.deck.name or "-") + "\n"
    text += write_yaml(fields)
    told = call.speaker.say("deal_written", file=out, cards=len(deal.cards), seed=chosen)
    deliver(call, text, out, force, told, seed=chosen, **fields)
    return YES
