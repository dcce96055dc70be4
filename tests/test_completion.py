"""Completion: commands, options, values and card names, quoted right in each shell."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from squadbuilder.cli import COMMANDS, main
from squadbuilder.completion import SCRIPTS, Shell
from squadbuilder.reading import data_folder

DEAL = str(data_folder() / "deals" / "farro-mirage.yaml")


def offered(capfd: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["_complete", *words]) == 0
    return capfd.readouterr().out.split("\n")[:-1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["so"], ["solve"]),
        (["deck", ""], ["check", "convert", "show"]),
        (["solve", DEAL, "--max"], ["--maximize"]),
        (["solve", DEAL, "--maximize", "cr"], ["creatures", "crystals_left"]),
        (["solve", DEAL, "--player", ""], ["first", "second"]),
        (["solve", DEAL, "--with", "Дозор"], ["Дозорный Аль-Джамии"]),
        (["solve", "--top", "3", DEAL, "--without", "эн"], ["Эндор Флем"]),
        (["check", DEAL, "Дозор"], ["Дозорный Аль-Джамии"]),
        (["check", DEAL, "--ordered", "Мираж", "Дозорный\\ Аль"], ["Дозорный Аль-Джамии"]),
        (["check", DEAL, "'Дозорный Аль"], ["Дозорный Аль-Джамии"]),
        (["check", DEAL, '"Дозорный Аль'], ["Дозорный Аль-Джамии"]),
        (["cards", "show", "мародё"], ["Мародёр"]),
        (["check", "data/de"], []),
        (["check", "no-such-deal.yaml", "Капитан Т"], ["Капитан Тич"]),
        (["completion", "z"], ["zsh"]),
        (["nonsense", "x"], []),
        ([], sorted(COMMANDS)),
    ],
)
def test_what_may_follow(
    capfd: pytest.CaptureFixture[str], words: list[str], expected: list[str]
) -> None:
    assert offered(capfd, *words) == expected


def script(shell: Shell, folder: Path) -> Path:
    """The shell's script, with the command bound to this Python."""
    found = folder / f"completion.{shell.value}"
    tool = folder / "squadbuilder"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m squadbuilder "$@"\n', "utf-8")
    tool.chmod(0o755)
    text = subprocess.run(
        [str(tool), "completion", shell.value], capture_output=True, text=True, check=True
    ).stdout
    assert text == SCRIPTS[shell]
    found.write_text(f'export PATH="{folder}:$PATH"\n{text}', "utf-8")
    return found


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("begun", ["Дозор", "Дозорный\\ Аль"])
def test_bash_escapes_the_spaces_of_card_names(tmp_path: Path, begun: str) -> None:
    program = (
        f"source {script(Shell.BASH, tmp_path)}\n"
        f"COMP_WORDS=(squadbuilder check '{DEAL}' '{begun}')\nCOMP_CWORD=3\n_squadbuilder\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\neval printf "%s" "${COMPREPLY[0]}"\n'
    )
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "Дозорный\\ Аль-Джамии\nДозорный Аль-Джамии"


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_leaves_an_open_quotation_to_readline(tmp_path: Path) -> None:
    program = (
        f"source {script(Shell.BASH, tmp_path)}\n"
        f"COMP_WORDS=(squadbuilder check '{DEAL}' \"'Дозорный Аль\")\nCOMP_CWORD=3\n"
        '_squadbuilder\nprintf "%s" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "Дозорный Аль-Джамии"


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_the_zsh_script_is_sound(tmp_path: Path) -> None:
    done = subprocess.run(["zsh", "-n", str(script(Shell.ZSH, tmp_path))], check=False)
    assert done.returncode == 0


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_offers_card_names(tmp_path: Path) -> None:
    text = SCRIPTS[Shell.FISH]
    line = f"squadbuilder check {DEAL} Дозор"
    script(Shell.FISH, tmp_path)
    program = f"set -x PATH {tmp_path} $PATH\n{text}complete -C '{line}'\n"
    done = subprocess.run(["fish", "-c", program], capture_output=True, text=True, check=True)
    assert "Дозорный Аль-Джамии" in done.stdout.replace("\\ ", " ")
