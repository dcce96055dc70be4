"""The commands on cards: find, show, import."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Annotated, Any

import typer

from squadbuilder.card_data import import_cards
from squadbuilder.card_pages import CardPages
from squadbuilder.card_search import (
    Query,
    as_csv,
    facts,
    read_cost,
    read_keyword,
    read_set,
    search,
)
from squadbuilder.cards import Catalogue, catalogue
from squadbuilder.console import COMMON, NO, YES, Call, Force, deliver, with_options
from squadbuilder.errors import Where
from squadbuilder.reading import read_text
from squadbuilder.terms import CardType, Element

cards_app = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="help_cards_app")


class _Shape(str, Enum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class _Colour(str, Enum):
    ELITE = "elite"
    ORDINARY = "ordinary"


class _Desk:
    """What every command on cards starts from."""

    def __init__(self, call: Call, given: Mapping[str, Any]) -> None:
        self.call = call
        self.cards: Catalogue = catalogue(given["cards_file"])
        self.pages = CardPages(call.speaker, call.plain)


def _on_cards(function: Callable[..., int]) -> Callable[..., int]:
    return with_options(function, COMMON, _Desk)


Words = Annotated[list[str] | None, typer.Argument(metavar="WORD", help="help_find_words")]
Elements = Annotated[list[Element] | None, typer.Option("--element", help="help_find_element")]
Types = Annotated[list[CardType] | None, typer.Option("--type", help="help_find_type")]
Texts = list[str] | None


@cards_app.command("find", help="help_cards_find")
@_on_cards
def find(
    desk: _Desk,
    words: Words = None,
    element: Elements = None,
    neutral: Annotated[bool, typer.Option("--neutral", help="help_find_neutral")] = False,
    cost: Annotated[str | None, typer.Option("--cost", help="help_find_cost")] = None,
    colour: Annotated[_Colour | None, typer.Option("--colour", help="help_find_colour")] = None,
    unique: Annotated[bool, typer.Option("--unique", help="help_find_unique")] = False,
    kind: Types = None,
    class_: Annotated[Texts, typer.Option("--class", help="help_find_class")] = None,
    keyword: Annotated[Texts, typer.Option("--keyword", help="help_find_keyword")] = None,
    set_: Annotated[Texts, typer.Option("--set", help="help_find_set")] = None,
    shape: Annotated[_Shape, typer.Option("--format", help="help_find_format")] = _Shape.TABLE,
) -> int:
    """Find cards by words of their names and by printed facts."""
    query = Query(
        words=tuple(words or ()),
        elements=frozenset(element or ()),
        neutral=neutral,
        cost=read_cost(cost) if cost is not None else None,
        elite=None if colour is None else colour is _Colour.ELITE,
        unique=True if unique else None,
        types=frozenset(kind or ()),
        classes=tuple(class_ or ()),
        keywords=tuple(map(read_keyword, keyword or ())),
        sets=tuple(read_set(text, desk.cards) for text in set_ or ()),
    )
    found = search(desk.cards, query)
    if desk.call.json or shape is _Shape.JSON:
        desk.call.answer(count=len(found), cards=[facts(card) for card in found])
    elif shape is _Shape.CSV:
        desk.pages.print(as_csv(found).rstrip("\n"))
    else:
        desk.pages.cards(found)
    return YES if found else NO


@cards_app.command("show", help="help_cards_show")
@_on_cards
def show(
    desk: _Desk, name: Annotated[str, typer.Argument(metavar="NAME", help="help_show_name")]
) -> int:
    """Show a card's facts and how its text is read."""
    card = desk.cards.find(name, Where())
    if desk.call.json:
        desk.call.answer(
            card=facts(card),
            modelled=not card.effect.unmodelled,
            reading=desk.pages.reading(card),
        )
    else:
        desk.pages.card(card)
    return YES


@cards_app.command("import", help="help_cards_import")
@_on_cards
def import_(
    desk: _Desk,
    file: Annotated[str, typer.Argument(metavar="FILE", help="help_import_file")],
    out: Annotated[str | None, typer.Option("--out", metavar="FILE", help="help_out")] = None,
    force: Force = False,
) -> int:
    """Turn card data into a database file for --cards."""
    text = import_cards(read_text(file), desk.cards)
    call = desk.call
    told = call.speaker.say("cards_written", file=out)
    deliver(call, text, out, force, told, text=text)
    return YES
