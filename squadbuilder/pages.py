"""Writing to the terminal: text, tables, JSON, errors, and the progress of long searches."""

import codecs
import json
import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Sequence

from squadbuilder.errors import InputError, shown
from squadbuilder.messages import Speaker


def width() -> int:
    """Columns of the terminal; plenty where the answer goes to a file."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return shutil.get_terminal_size().columns
    return 120


_SUBSTITUTES = str.maketrans(
    {"“": '"', "”": '"', "«": '"', "»": '"', "…": "...", "—": "-", "’": "'"}
)


def _substitute(error: UnicodeError) -> tuple[str, int]:
    """What a console shows for a letter that it lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    plain = error.object[error.start : error.end].translate(_SUBSTITUTES)
    return "".join(c if c.isascii() else "?" for c in plain), error.end


codecs.register_error("squadbuilder", _substitute)


def prepare_streams() -> None:
    """Consoles that lack a letter get a substitute instead of a crash."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="squadbuilder")


def say(text: str) -> None:
    """One piece of the answer."""
    print(text)


class Progress:
    """Tells on stderr how long a search has run and what it has found, from the first second on.

    A terminal is told every second in one line; a file at 1, 2, 4, 8 ... seconds.
    """

    def __init__(self, speaker: Speaker, code: str = "progress", **facts: object) -> None:
        self.say = speaker.say
        self.code, self.facts = code, facts
        self.found = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._tell, daemon=True)

    def __call__(self, found: int) -> None:
        self.found = found

    def __enter__(self) -> "Progress":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def text(self, seconds: int) -> str:
        """What is told after so many seconds."""
        return self.say(self.code, seconds=seconds, found=self.found, **self.facts)

    def _tell(self) -> None:
        terminal = sys.stderr.isatty()
        seconds = told = 0
        while not self._done.wait(1):
            seconds += 1
            if terminal or seconds >= 2 * told:
                told = seconds
                end = "\r" if terminal else "\n"
                print(self.text(seconds), end=end, file=sys.stderr, flush=True)
        if terminal and told:
            print(" " * 60, end="\r", file=sys.stderr, flush=True)


class DealProgress(Progress):
    """Tells how many deals are settled, how fast, and when all of them will be, if that is known.

    The rate is that of the deals after the first result: what came before was setting up.
    """

    def __init__(self, speaker: Speaker, total: int | None) -> None:
        super().__init__(speaker)
        self.total = total
        self._begun: float | None = None
        self._counted = 0

    def __call__(self, settled: int) -> None:
        self.found += settled
        if self._begun is None:
            self._begun = time.monotonic()
        else:
            self._counted += settled

    def text(self, seconds: int) -> str:
        """Deals so far, and where a rate is known, the rate and the time left."""
        if not self.found:
            return self.say("progress_ready", seconds=seconds)
        spent = time.monotonic() - self._begun if self._begun is not None else 0
        rate = self._counted / spent if spent else 0
        if not rate:
            return self.say("progress_deals", seconds=seconds, done=self.found)
        facts = {"seconds": seconds, "done": self.found, "rate": round(rate)}
        if self.total is None:
            return self.say("progress_rate", **facts)
        left = round(max(0, self.total - self.found) / rate)
        return self.say("progress_left", total=self.total, left=left, **facts)


def write_json(answer: object) -> None:
    """One JSON document in UTF-8, whatever the console's encoding."""
    data = json.dumps(answer, ensure_ascii=False, indent=2) + "\n"
    data = re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", data)
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(data)
    else:
        sys.stdout.flush()
        buffer.write(data.encode("utf-8"))
        buffer.flush()


def write_error(error: InputError, speaker: Speaker) -> None:
    """Bad input in one line, with suggestions on a second."""
    where = error.where
    file, key = shown(where.file), shown(where.key)
    place = ""
    if where.file is not None and where.line is not None:
        place += speaker.say("error_file_line", file=file, line=where.line)
    elif where.file is not None:
        place += speaker.say("error_file", file=file)
    if where.key is not None:
        place += speaker.say("error_key", key=key)
    message = speaker.say(error.message, **error.params)
    note(speaker.say("error_line", where=place, message=message))
    if error.suggestions:
        note(
            speaker.say(
                "suggestions", names=", ".join(str(shown(name)) for name in error.suggestions)
            )
        )


def note(text: str) -> None:
    """A word to the person, apart from the answer."""
    print(text, file=sys.stderr)


class Page:
    """Writes texts and tables in one language; `plain` is for pasting into a chat."""

    def __init__(self, speaker: Speaker, plain: bool = False) -> None:
        self.speaker = speaker
        self.say = speaker.say
        self.plain = plain

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table under these headings, which are codes of messages."""
        headings = [self.say(f"column_{heading}") for heading in headings]
        lines = [headings, *rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        if self.plain or sum(widths) + 2 * len(widths) > width():
            self._lines(headings, rows)
            return
        for line in lines:
            cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            self.print("  ".join(cells).rstrip())

    def _lines(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table as lines of text, for chats and narrow terminals."""
        for row in rows:
            begin = 2 if row[0].isdigit() else 1
            facts = [
                f"{heading.lower()} {cell}"
                for heading, cell in zip(headings[begin:], row[begin:], strict=True)
                if cell
            ]
            self.print(f"{'. '.join(row[:begin])}: {', '.join(facts)}")

    def print(self, text: str) -> None:
        """One line of the answer."""
        print(text)
