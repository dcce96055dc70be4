"""The file that keeps what is finished (JSON lines), so that a long run can go on where it ended."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Any

from squadbuilder.errors import ErrorCode, InputError, Where

Entry = dict[str, Any]


def fingerprint(*facts: object) -> str:
    """What tells two runs apart: everything that their figures depend on."""
    asked = json.dumps(_plain(facts))
    return sha256(asked.encode()).hexdigest()[:16]


def _plain(value: object) -> object:
    """A value as JSON that is the same in every process."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return [_plain(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, Mapping):
        return sorted(([_plain(k), _plain(v)] for k, v in value.items()), key=json.dumps)
    if isinstance(value, frozenset):
        return sorted(map(_plain, value), key=json.dumps)
    return list(map(_plain, value)) if isinstance(value, tuple) else value


class Ledger:
    """The entries by fingerprint, those of earlier runs if wanted, and the file that keeps them.

    The file is not touched before the first new entry.
    """

    def __init__(self, path: str | None, resume: bool) -> None:
        self.path = None if path is None else Path(path)
        self.entries: dict[str, Entry] = {}
        self.seed: int | None = None
        self._mode = "w"
        if self.path is not None and resume and self.path.exists():
            self._read(self.path)
            self._mode = "a"

    def _read(self, path: Path) -> None:
        """Take the finished lines; one that was being written when a run broke off is cut off."""
        try:
            text = path.read_text("utf-8")
        except (OSError, ValueError):
            raise InputError(ErrorCode.FILE_UNREADABLE, Where(file=str(path))) from None
        whole = text[: text.rfind("\n") + 1]
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                entry = json.loads(line)
                self.entries[entry.pop("key")] = entry
                self.seed = entry["seed"] if self.seed is None else self.seed
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                where = Where(file=str(path), line=number)
                raise InputError(ErrorCode.SYNTAX, where, problem=str(error)) from None
        if whole != text:
            self._write(whole, "w")

    def add(self, key: str, entry: Entry) -> None:
        """Keep an entry at once, so that nothing finished is lost."""
        self.entries[key] = entry
        if self.path is not None:
            line = json.dumps({"key": key, **entry}, ensure_ascii=False)
            self._write(line + "\n", self._mode)
            self._mode = "a"

    def _write(self, text: str, mode: str) -> None:
        try:
            with Path(str(self.path)).open(mode, encoding="utf-8") as file:
                file.write(text)
        except (OSError, ValueError):
            raise InputError(ErrorCode.FILE_UNWRITABLE, Where(file=str(self.path))) from None
