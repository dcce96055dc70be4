"""Strict reading of text, YAML and JSON: every value knows its file, line and key.

YAML's own guesses (`no` is false, `010` is eight, `1:30` is ninety, the last of repeated keys wins)
are errors here: a value is what it looks like, or it is refused.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TypeVar

import yaml

from squadbuilder.errors import ErrorCode, InputError, Where, suggest
from squadbuilder.pictures import is_picture, text_of

STDIN = "-"
_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_TRAP = re.compile(
    r"~|null|yes|no|on|off|true|false|y|n|[-+]?[0-9][0-9_]*(:[0-9]+)+|[-+]?0[0-7x][0-9a-f_]*"
    r"|[-+]?([0-9][0-9_]*)?\.[0-9_]*(e[-+]?[0-9]+)?|[-+]?\.(inf|nan)|\d{4}-\d\d?-\d\d?.*",
    re.IGNORECASE,
)
_DEEPEST = 30
_PROBLEMS = {
    "scanning a quoted scalar": "problem_quote",
    "found unexpected end of stream": "problem_quote",
    "expected ',' or": "problem_bracket",
    "mapping values are not allowed": "problem_colon",
    "could not find expected ':'": "problem_colon",
    "nesting": "too_deep",
    "undefined alias": "no_anchors",
    "special characters are not allowed": "problem_control",
    "control characters are not allowed": "problem_control",
}
_CONTROL = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NUMBER_TRAP = re.compile(r"[-+]?(0[0-7x][0-9a-f_]*|[0-9][0-9_]*(:[0-9]+)+)", re.IGNORECASE)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

EnumValue = TypeVar("EnumValue", bound=Enum)


@dataclass(frozen=True, slots=True)
class Text:
    """The decoded text of a file; `file` is the name that messages use."""

    file: str
    text: str


def read_text(path: str | Path) -> Text:
    """Read a file, or standard input for `-`: UTF-8, UTF-16 with BOM, or the text of a QR picture."""
    name = "stdin" if str(path) == STDIN else str(path)
    data = sys.stdin.buffer.read() if str(path) == STDIN else _bytes(Path(path), name)
    if is_picture(data):
        data = text_of(data, name)
    return Text(name, decode(data, name))


def _bytes(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        folder = path.parent
        beside = [str(folder / p.name) for p in folder.iterdir()] if folder.is_dir() else []
        raise InputError(ErrorCode.FILE_MISSING, Where(file=name), suggest(name, beside)) from None
    except IsADirectoryError:
        raise InputError(ErrorCode.FILE_IS_FOLDER, Where(file=name)) from None
    except (OSError, ValueError):
        raise InputError(ErrorCode.FILE_UNREADABLE, Where(file=name)) from None


def decode(data: bytes, file: str) -> str:
    """Bytes to text; anything that is not Unicode is refused rather than guessed."""
    utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(ErrorCode.FILE_ENCODING, Where(file=file, line=line)) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InputError(ErrorCode.FILE_ENCODING, Where(file=file, line=line))
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a document: a mapping, a list or a scalar, with the place it stands at."""

    value: "Mapping[str, Node] | tuple[Node, ...] | str"
    quoted: bool
    flow: bool
    where: Where

    def error(
        self, code: ErrorCode, suggestions: Iterable[str] = (), **params: object
    ) -> InputError:
        """An error about this value."""
        return InputError(code, self.where, suggestions, **params)

    def wrong_type(self, expected: str) -> InputError:
        """The error that this value is not what was expected (`expected` names a message)."""
        return self.error(ErrorCode.WRONG_TYPE, expected=Term(expected), found=self.shown())

    def shown(self) -> object:
        """This value in a few words, for messages."""
        if isinstance(self.value, str):
            return self.value if self.value or self.quoted else Term("nothing")
        return Term("a_list") if isinstance(self.value, tuple) else Term("a_mapping")

    def mapping(self, keys: Iterable[str], required: Iterable[str] = ()) -> Mapping[str, "Node"]:
        """The entries of a mapping that may hold only these keys and must hold the required ones."""
        entries = self.entries()
        known = tuple(keys)
        for key, node in entries.items():
            if key not in known:
                near = suggest(key, known) or known
                raise node.error(ErrorCode.KEY_UNKNOWN, near, key=key)
        for key in required:
            if key not in entries:
                raise self.error(ErrorCode.KEY_MISSING, key=key)
        return entries

    def entries(self) -> Mapping[str, "Node"]:
        """The entries of a mapping with any keys."""
        if not isinstance(self.value, Mapping):
            raise self.wrong_type("a_mapping")
        return self.value

    def items(self) -> tuple["Node", ...]:
        """The members of a list, which must not be empty."""
        if not isinstance(self.value, tuple):
            raise self.wrong_type("a_list")
        if not self.value:
            raise self.error(ErrorCode.WRONG_TYPE, expected=Term("a_list"), found=Term("nothing"))
        return self.value

    def items_or_one(self) -> tuple["Node", ...]:
        """The members of a list; a value that is no list stands for a list of one."""
        return self.items() if isinstance(self.value, tuple) else (self,)

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, written in plain decimal digits."""
        if not isinstance(self.value, str) or self.quoted:
            raise self.wrong_type("a_number")
        if not _INTEGER.fullmatch(self.value):
            if _NUMBER_TRAP.fullmatch(self.value):
                raise self.error(ErrorCode.YAML_TRAP, found=self.value)
            raise self.wrong_type("a_number")
        number = int(self.value) if len(self.value) < 20 else high + 1
        if not low <= number <= high:
            raise self.error(ErrorCode.OUT_OF_RANGE, found=self.value, low=low, high=high)
        return number

    def text(self) -> str:
        """A piece of text; unquoted words that YAML would turn into something else are refused."""
        if not isinstance(self.value, str):
            raise self.wrong_type("a_text")
        if not self.value and not self.quoted:
            raise self.wrong_type("a_text")
        if not self.quoted and (_TRAP.fullmatch(self.value) or _INTEGER.fullmatch(self.value)):
            raise self.error(ErrorCode.YAML_TRAP, found=self.value)
        return self.value

    def entry_text(self) -> str:
        """A piece of text in which a plain number is welcome (card ids)."""
        if isinstance(self.value, str) and _INTEGER.fullmatch(self.value):
            return self.value
        return self.text()

    def boolean(self) -> bool:
        """`true` or `false`, nothing else."""
        if self.value not in ("true", "false") or self.quoted:
            raise self.wrong_type("true_or_false")
        return self.value == "true"

    def choice(self, kind: type[EnumValue]) -> EnumValue:
        """One of the values of an enumeration."""
        values = [str(member.value) for member in kind]
        word = self.text()
        if word not in values:
            raise self.error(ErrorCode.VALUE_UNKNOWN, suggest(word, values) or values, found=word)
        return kind(word)


@dataclass(frozen=True, slots=True)
class Term:
    """A message that stands inside another message, said in the reader's language."""

    code: str


def parse(source: Text) -> Node:
    """Parse YAML or JSON into nodes; an empty document is an error."""
    if not source.text.strip():
        raise InputError(ErrorCode.FILE_EMPTY, Where(file=source.file))
    try:
        return _Builder(source.file).build(yaml.parse(source.text, Loader=_LOADER))
    except yaml.YAMLError as error:
        if source.text.lstrip().startswith(("{", "[")):
            found = _parse_json(source)
            if found is not None:
                return found
        raise _syntax_error(source, error) from None


def _syntax_error(source: Text, error: yaml.YAMLError) -> InputError:
    """The parser's complaint in our words, with the line that it stands at."""
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark is not None else None
    if line is None and (control := _CONTROL.search(source.text)):
        line = source.text[: control.start()].count("\n") + 1
    stated = str(getattr(error, "problem", None) or error)
    known = next((code for part, code in _PROBLEMS.items() if part in stated), "problem_other")
    rows = source.text.split("\n")
    if line is not None and line <= len(rows) and "\t" in rows[line - 1]:
        known = "problem_tab"
    return InputError(ErrorCode.SYNTAX, Where(file=source.file, line=line), problem=Term(known))


def _parse_json(source: Text) -> Node | None:
    """JSON that is no YAML (tabs, some escapes): the same nodes, without lines."""

    def build(value: object, key: str | None) -> Node:
        where = Where(file=source.file, key=key)
        if isinstance(value, _Pairs):
            entries: dict[str, Node] = {}
            for name, member in value.pairs:
                if name in entries:
                    raise InputError(
                        ErrorCode.KEY_REPEATED, Where(file=source.file, key=name), key=name
                    )
                entries[name] = build(member, name)
            return Node(entries, False, True, where)
        if isinstance(value, list):
            return Node(tuple(build(member, key) for member in value), False, True, where)
        if isinstance(value, str):
            return Node(value, True, False, where)
        return Node(json.dumps(value), False, False, where)

    try:
        return build(json.loads(source.text, object_pairs_hook=_Pairs), None)
    except (ValueError, RecursionError):
        return None


@dataclass(frozen=True, slots=True)
class _Pairs:
    pairs: list[tuple[str, object]]


class _Builder:
    """Turns the events of one YAML document into nodes."""

    def __init__(self, file: str) -> None:
        self.file = file

    def build(self, events: Iterator[yaml.Event]) -> Node:
        root: Node | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent) and root is not None:
                raise self._syntax(event, "second_document")
            if not isinstance(
                event,
                (
                    yaml.StreamStartEvent,
                    yaml.StreamEndEvent,
                    yaml.DocumentStartEvent,
                    yaml.DocumentEndEvent,
                ),
            ):
                root = self._node(event, events, None, 0)
        if root is None or (root.value == "" and not root.quoted):
            raise InputError(ErrorCode.FILE_EMPTY, Where(file=self.file))
        return root

    def _syntax(self, event: yaml.Event, problem: str) -> InputError:
        return InputError(
            ErrorCode.SYNTAX, Where(file=self.file, line=_line(event)), problem=Term(problem)
        )

    def _node(
        self, event: yaml.Event, events: Iterator[yaml.Event], key: str | None, depth: int
    ) -> Node:
        if getattr(event, "anchor", None) is not None:
            raise self._syntax(event, "no_anchors")
        if getattr(event, "tag", None) not in (None, "!"):
            raise self._syntax(event, "no_tags")
        if depth > _DEEPEST:
            raise self._syntax(event, "too_deep")
        where = Where(file=self.file, line=_line(event), key=key)
        if isinstance(event, yaml.ScalarEvent):
            return Node(event.value, bool(event.style), False, where)
        flow = bool(getattr(event, "flow_style", False))
        if isinstance(event, yaml.SequenceStartEvent):
            members: list[Node] = []
            while not isinstance(event := next(events), yaml.SequenceEndEvent):
                members.append(self._node(event, events, key, depth + 1))
            return Node(tuple(members), False, flow, where)
        entries: dict[str, Node] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            name = self._node(event, events, key, depth + 1).value
            if not isinstance(name, str):
                raise self._syntax(event, "odd_key")
            if name in entries:
                place = Where(file=self.file, line=_line(event), key=name)
                raise InputError(ErrorCode.KEY_REPEATED, place, key=name)
            value = self._node(next(events), events, name, depth + 1)
            entries[name] = replace(value, where=replace(value.where, line=_line(event)))
        return Node(entries, False, flow, where)


def _line(event: yaml.Event) -> int | None:
    return None if event.start_mark is None else event.start_mark.line + 1


class _Writer(yaml.SafeDumper):
    """Writes what `parse` reads back: a text that looks like something else stands in quotes."""


def _quoted(writer: yaml.SafeDumper, text: str) -> yaml.Node:
    style = '"' if _TRAP.fullmatch(text) else None
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Writer.add_representer(str, _quoted)


def write_yaml(value: object) -> str:
    """A value as YAML text, keys in their order."""
    return yaml.dump(value, Dumper=_Writer, allow_unicode=True, sort_keys=False, width=1000)


def data_folder() -> Path:
    """Where cards, rulesets, effects and messages lie: in the package, else beside it."""
    inside = Path(__file__).parent / "data"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "data"
