"""The command line: which command is meant, its answer or its mistake, and the exit code."""

import os
import re
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command

from squadbuilder import __version__, answers, pages
from squadbuilder.completion import ASK, SCRIPTS, Shell, candidates
from squadbuilder.console import BAD_INPUT, CRASH, YES, Call, Lang, PipeClosedError, usage
from squadbuilder.errors import InputError, suggest
from squadbuilder.messages import Language, Speaker, language
from squadbuilder.messages import table as messages

COMMANDS = {
    "check": ("cli_deals", "check"),
    "next": ("cli_deals", "next_moves"),
    "solve": ("cli_deals", "solve_deal"),
    "list": ("cli_deals", "list_squads"),
    "recruit": ("cli_deals", "recruit"),
    "rules": ("cli_rules", "rules_command"),
    "draw": ("cli_decks", "draw_deal"),
    "evaluate": ("cli_evaluate", "evaluate"),
    "tune": ("cli_tune", "tune"),
    "place": ("cli_table", "place_cards"),
    "judge": ("cli_judge", "judge_command"),
    "deck": ("cli_decks", "deck_app"),
    "cards": ("cli_cards", "cards_app"),
    "completion": ("cli", "completion_script"),
}
"""Every command with the module that holds it: only the one that is called is loaded."""


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"squadbuilder {__version__}")
        raise typer.Exit


def _everything(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="help_version")
    ] = False,
) -> None:
    pass


def completion_script(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="help_shell")], lang: Lang = None
) -> int:
    """Print the script that teaches a shell to complete commands, options and card names."""
    pages.say(SCRIPTS[shell].rstrip("\n"))
    return YES


def _group(arguments: Sequence[str]) -> Any:
    """The command that these words call, or all commands where they call none."""
    app = typer.Typer(
        add_completion=False, rich_markup_mode=None, no_args_is_help=True, help="help_app"
    )
    app.callback()(_everything)
    called = next((word for word in arguments if not word.startswith("-")), None)
    for name in [called] if called in COMMANDS else COMMANDS:
        module, member = COMMANDS[str(name)]
        command = getattr(import_module(f"squadbuilder.{module}"), member)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name, help=f"help_{name}")(command)
    return get_command(app)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 yes, 1 no, 2 bad input, 130 stopped, 70 a crash."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    pages.prepare_streams()
    if arguments[:1] == [ASK]:
        return _complete(arguments[1:])
    stated = _stated_language(arguments)
    command = _group(arguments)
    named = _command_name(command, arguments)
    call = Call(Speaker(language(stated)), "--json" in arguments, named)
    try:
        if stated is not None and stated not in [word.value for word in Language]:
            raise usage("usage_value", ("ru", "en"), name="--lang")
        return _run(command, arguments, call)
    except InputError as error:
        return _refuse(call, error)
    except (BrokenPipeError, PipeClosedError):
        return _end_quietly()
    except Exception:
        traceback.print_exc()
        pages.note(call.speaker.say("crash"))
        return CRASH


def _complete(words: Sequence[str]) -> int:
    try:
        for name in candidates(_group([]), words):
            pages.say(name)
        sys.stdout.flush()
    except BrokenPipeError:
        return _end_quietly()
    return YES


def _end_quietly() -> int:
    """Nobody reads on: what is left to write goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return YES


def _run(command: Any, arguments: Sequence[str], call: Call) -> int:
    _translate(command, call.speaker)
    try:
        result = command.main(arguments, prog_name="squadbuilder", standalone_mode=False, obj=call)
    except typer.TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            pages.note(str(error))
            return BAD_INPUT
        raise _usage_error(error) from None
    sys.stdout.flush()
    return result if isinstance(result, int) else YES


def _refuse(call: Call, error: InputError) -> int:
    if call.json:
        pages.write_json(answers.error_document(call.command, error, call.speaker))
    else:
        pages.write_error(error, call.speaker)
    return BAD_INPUT


def _command_name(command: Any, arguments: Sequence[str]) -> str | None:
    """The command that the words name, for documents about errors: `check`, `deck show` ..."""
    names: list[str] = []
    for word in arguments:
        if word in getattr(command, "commands", {}):
            command = command.commands[word]
            names.append(word)
    return " ".join(names) or None


def _stated_language(arguments: Sequence[str]) -> str | None:
    for place, word in enumerate(arguments):
        if word == "--lang" and place + 1 < len(arguments):
            return arguments[place + 1]
        if word.startswith("--lang="):
            return word.partition("=")[2]
    return None


_USAGE = {
    r"No such option: (?P<name>\S+)": "usage_option_unknown",
    r"No such command '(?P<name>.*?)'": "usage_command_unknown",
    r"Got unexpected extra arguments?(\(s\))? \((?P<name>.*)\)": "usage_extra",
    r"Option '(?P<name>.*?)' requires": "usage_needs_value",
    r"Option '(?P<name>.*?)' does not take": "usage_no_value",
}


def _usage_error(error: Exception) -> InputError:
    """A mistake in the command line, in our words."""
    message = str(getattr(error, "message", None) or error)
    context = getattr(error, "ctx", None)
    known: list[str] = []
    if context is not None:
        known = [name for param in context.command.params for name in param.opts if "-" in name]
    for pattern, kind in _USAGE.items():
        if found := re.match(pattern, message, re.DOTALL):
            if kind == "usage_command_unknown" and context is not None:
                known = list(context.command.commands)
            near = suggest(found["name"], known) if kind.endswith("unknown") else ()
            return usage(kind, near, name=found["name"])
    parameter = getattr(error, "param", None)
    if parameter is None:
        return usage("usage_other")
    name = next((word for word in parameter.opts if word.startswith("-")), parameter.metavar)
    if type(error).__name__ == "MissingParameter":
        return usage("usage_missing", name=name)
    choices = list(getattr(parameter.type, "choices", None) or ())
    low, high = (getattr(parameter.type, end, None) for end in ("min", "max"))
    if low is not None:
        number = f"{low}…{high}" if high is not None else f"{low}…"
        return usage("usage_number", name=name, expected=number)
    return usage("usage_value", choices, name=name)


def _translate(command: Any, speaker: Speaker) -> None:
    """Put the messages in place of their codes in a command's help."""
    if command.help in messages():
        command.help = speaker.say(command.help)
    for parameter in command.params:
        if getattr(parameter, "help", None) in messages():
            parameter.help = speaker.say(parameter.help)
    for child in getattr(command, "commands", {}).values():
        _translate(child, speaker)
