"""Scripted conversations, one a rule: what is said in, the exact text that comes out.

A file in tests/conversations holds a deal file, a line `--- LANGUAGE EXIT_CODE`, and the conversation:
lines that begin with `> ` are said by the player. `python tests/test_conversations.py` writes what is
said now into the files; read the difference before you keep it.
"""

import io
import os
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from squadbuilder.cli import main

FOLDER = Path(__file__).parent / "conversations"
FILES = sorted(FOLDER.glob("*.txt"))
RULES = {"403.1", "403.1.1", "403.1.2", "403.1.3", "403.2.3", "403.2.3.3", "403.2.4"}


def held(file: Path, folder: Path) -> str:
    """The file as the program would have it now."""
    deal, _, rest = file.read_text("utf-8").partition("\n--- ")
    head, _, talk = rest.partition("\n")
    said = [line.removeprefix("> ") for line in talk.split("\n") if line.startswith("> ")]
    (folder / "deal.yaml").write_text(deal + "\n", "utf-8")
    (folder / "script.txt").write_text("\n".join(said) + "\n", "utf-8")
    arguments = ["deal.yaml", "--script", "script.txt", "--any-size", "--lang", head.split()[0]]
    out, home = io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with redirect_stdout(out), redirect_stderr(out):
            code = main(["recruit", *arguments])
    finally:
        os.chdir(home)
    lines = "\n".join(line.rstrip() for line in out.getvalue().split("\n"))
    return f"{deal}\n--- {head.split()[0]} {code}\n{lines}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_conversation(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert held(file, tmp_path) == file.read_text("utf-8")


def test_each_rule_has_a_conversation_with_both_outcomes() -> None:
    assert {file.stem for file in FILES} >= RULES
    for rule in RULES:
        talk = (FOLDER / f"{rule}.txt").read_text("utf-8").partition("\n--- ")[2]
        assert "\n1. " in talk, f"{rule}: nothing is allowed"
        assert "\n403." in talk, f"{rule}: nothing is refused"


if __name__ == "__main__":
    for one in FILES:
        with tempfile.TemporaryDirectory() as place:
            one.write_text(held(one, Path(place)), "utf-8")
