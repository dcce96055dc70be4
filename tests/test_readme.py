"""The README and the docs are true: every example prints what stands there, every link leads somewhere.

A ```console block holds commands (lines that begin with `$ `) and, below each, what a terminal shows.
A block with `title=NAME` behind its language is a file; the blocks below it on the page can use it.
`make` lines are not run; their targets must exist. In docs/ the answer to `--json` is compared as JSON,
so that the page can lay it out shorter.

`python tests/test_readme.py` writes what the commands print now into the pages.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from test_architecture import ORDER

from squadbuilder.after_placement import LogFault
from squadbuilder.decks import Fault
from squadbuilder.errors import ErrorCode
from squadbuilder.formats import ENDINGS, Format
from squadbuilder.limits import CODES
from squadbuilder.messages import table
from squadbuilder.placement import Fault as PlaceFault
from squadbuilder.ruleset import Ruleset

ROOT = Path(__file__).parents[1]
READMES = [ROOT / "README.md", ROOT / "README.ru.md"]
PAGES = [*READMES, *sorted((ROOT / "docs").glob("*.md"))]
LOCALES = {"README.ru.md": "ru_RU.UTF-8"}
HOW_IT_WORKS = {"README.md": "How it works", "README.ru.md": "Как это устроено"}
WIDTH = 100
COMMANDS = (
    "check",
    "next",
    "solve",
    "list",
    "recruit",
    "rules",
    "deck check",
    "deck show",
    "deck convert",
    "draw",
    "cards find",
    "cards show",
    "cards import",
    "place",
    "judge",
    "evaluate",
    "tune",
    "completion",
)
PROGRESS = re.compile(
    "|".join(
        re.sub(r"\\{\w+\\}", r"\\d+", re.escape(text))
        for code, texts in table().items()
        if code.startswith("progress")
        for text in texts.values()
    )
)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page: the words behind the fence, its first line (0-based), its lines."""

    page: Path
    info: str
    start: int
    lines: tuple[str, ...]

    @property
    def title(self) -> str | None:
        """The name of the file that the block shows, if it is one."""
        found = re.search(r"\btitle=(\S+)", self.info)
        return found[1] if found else None

    @property
    def console(self) -> bool:
        """Does the block show commands?"""
        return self.info.split(" ")[0] == "console"

    def examples(self) -> list[tuple[str, list[str]]]:
        """The commands, each with the lines that it prints."""
        found: list[tuple[str, list[str]]] = []
        for line in self.lines:
            if line.startswith("$ "):
                found.append((line.removeprefix("$ "), []))
            else:
                assert found, f"{self.page.name}, line {self.start}: a console block begins with $"
                found[-1][1].append(line)
        return found


def blocks(page: Path) -> Iterator[Block]:
    info: str | None = None
    start = 0
    lines = page.read_text("utf-8").split("\n")
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if info is not None:
                yield Block(page, info, start, tuple(lines[start:number]))
            info = line.removeprefix("```") if info is None else None
            start = number + 1
    assert info is None, f"{page.name}: a block is not closed"


def prepare(block: Block, folder: Path) -> None:
    """A folder as the reader has it: the project's data, and the files shown above the block."""
    (folder / "data").symlink_to(ROOT / "data", target_is_directory=True)
    for earlier in blocks(block.page):
        if earlier.title is not None and earlier.start < block.start:
            (folder / earlier.title).write_text("\n".join(earlier.lines) + "\n", "utf-8")


def printed(command: str, page: Path, folder: Path) -> list[str]:
    """What a terminal of 120 columns shows, without spaces at the ends of lines.

    A slow machine may be told how a search goes on; a terminal wipes those lines out again.
    """
    unset = ("LC_", "LANG", "SQUADBUILDER_", "FORCE_COLOR", "NO_COLOR")
    env = {key: value for key, value in os.environ.items() if not key.startswith(unset)}
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env.get("PATH", "")])
    env |= {"COLUMNS": "120", "LANG": LOCALES.get(page.name, "C.UTF-8"), "PYTHONUTF8": "1"}
    run = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    lines = [line.rstrip() for line in run.stdout.decode("utf-8").splitlines()]
    return [line for line in lines if not PROGRESS.fullmatch(line)]


def as_json(command: str, page: Path) -> bool:
    return page not in READMES and "--json" in command


CONSOLES = [block for page in PAGES for block in blocks(page) if block.console]


@pytest.mark.parametrize("page", READMES, ids=lambda page: page.name)
def test_the_page_holds_examples(page: Path) -> None:
    mine = [block for block in CONSOLES if block.page == page]
    commands = [command for block in mine for command, _ in block.examples()]
    for name in COMMANDS:
        assert any(command.startswith(f"squadbuilder {name} ") for command in commands), name


@pytest.mark.parametrize("block", CONSOLES, ids=lambda block: f"{block.page.name}:{block.start}")
def test_an_example_prints_what_stands_there(block: Block, tmp_path: Path) -> None:
    prepare(block, tmp_path)
    for command, expected in block.examples():
        if command.startswith("make "):
            target = command.split()[1]
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
            continue
        found = printed(command, block.page, tmp_path)
        if as_json(command, block.page):
            assert json.loads("\n".join(found)) == json.loads("\n".join(expected)), command
        else:
            assert found == [line.rstrip() for line in expected], command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:|#", link):
            assert (page.parent / link.partition("#")[0]).exists(), link


def listed(page: str, heading: str) -> list[str]:
    """The code words in the first column of the table below a heading."""
    text = (ROOT / page).read_text("utf-8")
    assert f"\n## {heading}\n" in text, f"{page} has no heading “{heading}”"
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    return [word for cell in cells for word in re.findall(r"`(\w+)`", cell)]


def test_every_error_code_is_explained() -> None:
    assert sorted(listed("docs/json.md", "Error codes")) == sorted(code.value for code in ErrorCode)


def test_every_violation_code_is_explained() -> None:
    assert listed("docs/json.md", "Violations") == [code.value for code in CODES]


def test_every_fault_of_a_placement_is_explained() -> None:
    faults = [fault.value for fault in PlaceFault]
    log_faults = [fault.value.removeprefix("log_") for fault in LogFault]
    assert listed("docs/json.md", "place") == [*faults, *log_faults]


def test_every_key_of_the_file_of_place_is_explained() -> None:
    schema = json.loads((ROOT / "data" / "schema" / "place-file.json").read_text("utf-8"))
    assert set(listed("docs/placement.md", "The file")) == set(schema["properties"])


def test_every_key_of_a_ruleset_is_explained() -> None:
    assert set(listed("docs/rulesets.md", "Keys")) == set(Ruleset.__slots__) - {"name"}


def test_every_fault_of_a_deck_is_explained() -> None:
    explained = listed("docs/json.md", "deck check")
    assert explained == [fault.value.removeprefix("deck_") for fault in Fault]


def test_every_answer_is_explained() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "docs/json.md").read_text("utf-8"), re.MULTILINE)
    answers = [name for name in COMMANDS if name != "completion"]
    assert [heading for heading in headings if heading in COMMANDS] == answers


@pytest.mark.parametrize("heading", HOW_IT_WORKS.items(), ids=lambda item: item[0])
def test_the_modules_stand_in_import_order(heading: tuple[str, str]) -> None:
    assert listed(*heading) == " ".join(ORDER).split()


def test_every_deck_format_is_explained() -> None:
    for page, heading in (("README.md", "Decks"), ("README.ru.md", "Колоды")):
        assert listed(page, heading) == [form.value for form in Format]
        text = (ROOT / page).read_text("utf-8")
        assert all(f"`{ending}`" in text for ending in ENDINGS)


def test_both_readmes_hold_the_same_examples() -> None:
    english, russian = (
        [command for block in CONSOLES if block.page == page for command, _ in block.examples()]
        for page in READMES
    )
    assert [command.replace("--lang ru", "--lang en") for command in english] == russian


def test_the_readmes_lead_to_each_other() -> None:
    for page, other in (READMES, READMES[::-1]):
        beginning = page.read_text("utf-8").split("\n")[:3]
        assert any(f"]({other.name})" in line for line in beginning)


def compact(value: object, indent: str = "") -> str:
    """JSON with every list and mapping on one line where it fits."""
    plain = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(plain) <= WIDTH or not isinstance(value, (dict, list)):
        return plain
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [f'{inner}"{key}": {compact(item, inner)}' for key, item in value.items()]
    else:
        parts = [inner + compact(item, inner) for item in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return f"{begin}\n" + ",\n".join(parts) + f"\n{indent}{end}"


def renewed(block: Block) -> list[str]:
    """The lines of a console block with what its commands print now."""
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        prepare(block, Path(folder))
        for command, _ in block.examples():
            lines.append(f"$ {command}")
            if not command.startswith("make "):
                found = printed(command, block.page, Path(folder))
                if as_json(command, block.page):
                    found = compact(json.loads("\n".join(found))).split("\n")
                lines += found
    return lines


def rewrite(page: Path) -> None:
    lines = page.read_text("utf-8").split("\n")
    for block in reversed([block for block in CONSOLES if block.page == page]):
        lines[block.start : block.start + len(block.lines)] = renewed(block)
    page.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    for one in PAGES:
        rewrite(one)
