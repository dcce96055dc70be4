"""What all commands share: the call, its notes and answer, options, and how options are added."""

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from squadbuilder import answers, pages
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.messages import Speaker
from squadbuilder.reading import STDIN
from squadbuilder.terms import Player

YES, NO, BAD_INPUT, CRASH, INTERRUPTED = 0, 1, 2, 70, 130

PlayerOption = Annotated[Player | None, typer.Option("--player", help="help_player")]
Mulligans = Annotated[int | None, typer.Option("--mulligans", min=0, max=99, help="help_mulligans")]
Rules = Annotated[str | None, typer.Option("--rules", help="help_ruleset")]
CardsFile = Annotated[str | None, typer.Option("--cards", metavar="FILE", help="help_cards")]
Json = Annotated[bool, typer.Option("--json", help="help_json")]
Plain = Annotated[bool, typer.Option("--plain", help="help_plain")]
Lang = Annotated[str | None, typer.Option("--lang", metavar="ru|en", help="help_lang")]

Maximize = Annotated[str | None, typer.Option("--maximize", metavar="LIST", help="help_maximize")]
RatingsFile = Annotated[str | None, typer.Option("--ratings", metavar="FILE", help="help_ratings")]
OpponentDeck = Annotated[
    str | None, typer.Option("--opponent-deck", metavar="FILE", help="help_opponent_deck")
]
Html = Annotated[str | None, typer.Option("--html", metavar="FILE", help="help_html")]
Force = Annotated[bool, typer.Option("--force", help="help_force")]

Options = Mapping[str, tuple[Any, object]]
COMMON: Options = {
    "cards_file": (CardsFile, None),
    "json": (Json, False),
    "plain": (Plain, False),
    "lang": (Lang, None),
}
"""The options of every command: annotation and default."""


@dataclass
class Call:
    """One call of the command line: its language, the form of its answer, the notes gathered."""

    speaker: Speaker
    json: bool
    command: str | None = None
    plain: bool = False
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Keep a note for the answer; a person sees it at once."""
        if text not in self.notes:
            self.notes.append(text)
            if not self.json:
                pages.note(text)

    def echo(self, text: str, name: str) -> None:
        """Tell how a shortened name was read."""
        self.note(self.speaker.say("note_resolved", text=text, name=name))

    def answer(self, **fields: object) -> None:
        """Write the JSON document of the answer, if that is the form wanted."""
        pages.write_json(answers.document(str(self.command), self.notes, **fields))


def with_options(
    function: Callable[..., int],
    options: Options,
    prepare: Callable[[Call, Mapping[str, Any]], Any],
) -> Callable[..., int]:
    """A command: its own options and these; it is called with what `prepare` makes of them."""
    own = list(signature(function).parameters.values())[1:]

    def command(context: typer.Context, **given: Any) -> int:
        call: Call = context.obj
        call.plain = given["plain"]
        prepared = prepare(call, given)
        try:
            return function(prepared, **{option.name: given[option.name] for option in own})
        except BrokenPipeError:
            raise PipeClosedError from None

    keyword = Parameter.KEYWORD_ONLY
    added = [
        Parameter(name, keyword, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
    ]
    parameters = [
        Parameter("context", keyword, annotation=typer.Context),
        *(option for option in added if option.default is Parameter.empty),
        *(option.replace(kind=keyword) for option in own),
        *(option for option in added if option.default is not Parameter.empty),
    ]
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {option.name: option.annotation for option in parameters}
    return command


class PipeClosedError(Exception):
    """Whoever read the answer has stopped reading."""


def usage(kind: str, suggestions: Sequence[str] = (), **params: object) -> InputError:
    """A mistake in the command line; `kind` is its message."""
    return InputError(ErrorCode.USAGE, Where(), suggestions, kind=kind, **params)


@contextmanager
def solver_needed() -> Iterator[None]:
    """Imports inside need OR-Tools; say so where it is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "ortools":
            raise
        raise InputError(ErrorCode.SOLVER_MISSING) from None


def new_file(path: str, force: bool) -> None:
    """Refuse a file that is there already, or cannot be written, before work that would be in vain."""
    target = Path(path)
    try:
        there = target.exists()
        able = os.access(target if there else target.parent, os.W_OK) and not target.is_dir()
    except (OSError, ValueError):
        there = able = False
    if there and not force:
        raise InputError(ErrorCode.FILE_EXISTS, Where(file=path))
    if path == STDIN or not able:
        raise InputError(ErrorCode.FILE_UNWRITABLE, Where(file=path))


def new_files(force: bool, *, resume: bool = False, **options: str | None) -> None:
    """Refuse the files of these options where one could not be written, or would replace another.

    With `resume`, that of `--out` may be there.
    """
    taken: dict[Path, str] = {}
    for option, path in options.items():
        if path is not None:
            new_file(path, force or (resume and option == "out"))
            other = taken.setdefault(Path(path).resolve(), option)
            if other != option:
                raise usage("usage_same_file", one=f"--{other}", other=f"--{option}")
    if options.get("html") is not None and not (find_spec("jinja2") and find_spec("matplotlib")):
        raise InputError(ErrorCode.REPORT_MISSING, Where(key="--html"))


def number_asked(option: str, number: float | None, expected: str) -> None:
    """Refuse what Python takes for a number but a player would not: nan."""
    if number is not None and math.isnan(number):
        raise usage("usage_number", name=option, expected=expected)


def deliver(
    call: Call, text: str, /, out: str | None, force: bool, told: str, **fields: object
) -> None:
    """Put a text into a file, which `told` tells, or on standard output; or answer with the fields."""
    to_file = out not in (None, STDIN)
    if out is not None and to_file:
        write_file(out, text, force)
        call.note(told)
    if call.json:
        call.answer(**fields)
    elif not to_file:
        pages.say(text.rstrip("\n"))


def write_file(path: str, text: str, force: bool) -> None:
    """Write a new file; one that is there already is only replaced if that is wanted."""
    new_file(path, force)
    try:
        Path(path).write_text(text, "utf-8")
    except (OSError, ValueError):
        raise InputError(ErrorCode.FILE_UNWRITABLE, Where(file=path)) from None
