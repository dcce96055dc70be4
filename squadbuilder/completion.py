"""Completion for shells: what may follow on the command line, and the scripts that ask for it."""

import shlex
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any

from squadbuilder.cards import Catalogue, catalogue
from squadbuilder.deal import Overrides, read_deal
from squadbuilder.errors import InputError
from squadbuilder.objective import Measure
from squadbuilder.terms import fold

ASK = "_complete"
"""The first word by which a shell's script asks for candidates; the last is the word begun."""


class Shell(str, Enum):
    """Shells that have a script."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


SCRIPTS = {
    Shell.BASH: """\
_squadbuilder() {
    local cur="${COMP_WORDS[COMP_CWORD]}" quoted="" line
    case "$cur" in \\'*|\\"*) quoted=1 ;; esac
    COMPREPLY=()
    while IFS= read -r line; do
        if [ -z "$quoted" ]; then
            line="${line// /\\\\ }"
            line="${line//\\'/\\\\\\'}"
        fi
        COMPREPLY+=("$line")
    done < <(squadbuilder _complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [ ${#COMPREPLY[@]} -eq 0 ]; then compopt -o default 2>/dev/null; fi
}
complete -F _squadbuilder squadbuilder
""",
    Shell.ZSH: """\
#compdef squadbuilder
_squadbuilder() {
    local -a found
    found=("${(@f)$(squadbuilder _complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${found[1]}" ]]; then compadd -U -- "${found[@]}"; else _files; fi
}
compdef _squadbuilder squadbuilder
""",
    Shell.FISH: """\
function __squadbuilder
    set -l before (commandline -opc)
    squadbuilder _complete $before[2..-1] (commandline -ct) 2>/dev/null
end
complete -c squadbuilder -a '(__squadbuilder)'
""",
}
"""What a shell loads. Bash is given names with their spaces escaped; zsh and fish do that themselves."""


def candidates(app: Any, words: Sequence[str]) -> list[str]:
    """What the last word may become; nothing where a file is expected or the rest is not understood."""
    *before, begun = [_unquoted(word) for word in words] or [""]
    command = app
    rest: list[str] = []
    for word in before:
        if not rest and word in getattr(command, "commands", {}):
            command = command.commands[word]
        else:
            rest.append(word)
    known = _offered(command, rest, begun)
    return [name for name in known if fold(name).startswith(fold(begun))]


def _offered(command: Any, rest: Sequence[str], begun: str) -> Iterable[str]:
    if hasattr(command, "commands"):
        return sorted(command.commands)
    options = {name: option for option in command.params for name in option.opts}
    last = options.get(rest[-1]) if rest else None
    if last is not None and rest[-1].startswith("-") and not getattr(last, "is_flag", False):
        return _values(last, rest)
    if begun.startswith("-"):
        return sorted(name for name in options if name.startswith("-"))
    arguments = [option for option in command.params if not option.opts[0].startswith("-")]
    place = len(_positional(rest, options))
    here = arguments[min(place, len(arguments) - 1)] if arguments else None
    return _values(here, rest) if here is not None else []


def _positional(rest: Sequence[str], options: dict[str, Any]) -> list[str]:
    """The words that are neither options nor their values."""
    found: list[str] = []
    skip = False
    for word in rest:
        if skip or word.startswith("-"):
            option = options.get(word)
            skip = not skip and option is not None and not getattr(option, "is_flag", False)
        else:
            found.append(word)
    return found


def _values(option: Any, rest: Sequence[str]) -> Iterable[str]:
    """What an option or argument may hold."""
    choices = getattr(option.type, "choices", None)
    if choices:
        return list(choices)
    if option.metavar == "LIST":
        return [measure.value for measure in Measure]
    if option.metavar == "NAME":
        return _card_names(rest)
    return []


def _card_names(rest: Sequence[str]) -> list[str]:
    """The cards of the deal that was named before, else all cards."""
    cards: Catalogue = catalogue()
    for word in rest:
        try:
            deal = read_deal(word, cards, Overrides(any_size=True)) if word != "-" else None
        except InputError:
            continue
        if deal is not None:
            return sorted({card.name for card in deal.cards})
    return sorted(card.name for card in cards.by_key.values())


def _unquoted(word: str) -> str:
    """A word of the command line as the shell will read it, even if a quotation mark is still open."""
    for closing in ("", "'", '"'):
        try:
            parts = shlex.split(word + closing)
        except ValueError:
            continue
        return " ".join(parts)
    return word
