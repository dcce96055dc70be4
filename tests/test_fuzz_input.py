"""Whatever bytes a deal file holds: an answer or a refusal, one JSON document, never a crash."""

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from test_bad_input import CARDS

from squadbuilder.cli import main
from squadbuilder.errors import ErrorCode

KEYS = (
    "player",
    "mulligans",
    "opponent_mulligans",
    "rules",
    "blocked_cells",
    "deck",
    "outcomes",
    "deal",
)
HEAD = "player: first\nmulligans: 0\nopponent_mulligans: 1\nrules: comprehensive\noutcomes: {}\n"
YAML = HEAD + "deal:\n" + "".join(f"  - {card}\n" for card in CARDS)
PLAIN = "# A plain list\n" + "".join(f"{card}\n" for card in CARDS)
JSON = json.dumps({"player": "second", "deal": CARDS}, ensure_ascii=False, indent=1)
TEXTS = (YAML, PLAIN, JSON)
CODES = frozenset(code.value for code in ErrorCode)

TOKENS = (
    *("\n", "\r", "\t", "\0", "\x1b", "\u00a0", "\u200b", "\u2028", "\ufeff", "\x85", "\u0301"),
    *(" ", ": ", "- ", "? ", ", ", "#", " #", "&a ", "*a", "!t ", "!!str ", "<<: ", "| ", "> "),
    *("---\n", "...\n", "%YAML 1.1\n", "[", "]", "{", "}", '"', "'", "\\", "\\ud800", "\\u0000"),
    *("0", "-1", "010", "1:30", "1.5", "1e400", ".nan", "null", "~", "no", "true", "9" * 5000, "²"),
    *("x2", "2x ", "х2", "×", "½", "٢", "10013", "Орк", "Oрк", "[bonus=no]", "[red]", "{card}"),
    *(f"\n{key}: " for key in KEYS),
    "[" * 500,
    "{a: " * 500,
    "- " * 500,
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A deal file that something has happened to, in some encoding."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        part = text[start:end]
        new = draw(
            st.one_of(
                st.sampled_from(TOKENS),
                st.text(max_size=6),
                st.just(part + part),
                st.just(""),
                st.just(part[::-1]),
                st.just(part.swapcase()),
                st.just(unicodedata.normalize("NFD", part)),
            )
        )
        text = text[:start] + new + text[end:]
    encoding = draw(
        st.sampled_from(("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1251"))
    )
    data = text.encode(encoding, errors="replace")
    if draw(st.integers(0, 3)) == 0:
        place = draw(st.integers(0, len(data)))
        data = data[:place] + draw(st.binary(max_size=4)) + data[place:]
    return data


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=10),
    st.sampled_from(("first", "second", "tournament", "comprehensive", "Орк", "2 Орк", "Тич")),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=5)), VALUES, max_size=4)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which the program is called; one for all examples of a test."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def no_constants(name: str) -> None:
    """NaN and Infinity are not JSON."""
    raise AssertionError(f"{name} is not JSON")


def ask(capture: pytest.CaptureFixture[bytes], *args: str) -> dict[str, Any]:
    """The one document of an answer, after a look at all that must hold for every answer."""
    capture.readouterr()
    code = main([*args, "--json"])
    out, err = capture.readouterr()
    assert code in {0, 1, 2}, err.decode(errors="replace")
    assert b"Traceback" not in err
    document = json.loads(out.decode("utf-8"), parse_constant=no_constants)
    assert isinstance(document, dict)
    assert document["schema"] == 1
    assert ("error" in document) == (code == 2)
    if code == 2:
        error = document["error"]
        assert set(error) == {"code", "message", "where", "suggestions"}
        assert error["code"] in CODES
        assert set(error["where"]) == {"file", "line", "key"}
        assert len(error["message"]) > 3
    else:
        assert document["command"] == args[0]
        assert document["legal"] is (code == 0)
    return document


def ask_about(data: bytes, capture: pytest.CaptureFixture[bytes]) -> dict[str, Any]:
    """The answer about a file of these bytes; a line that it tells is a line of the file."""
    Path("deal.yaml").write_bytes(data)
    document = ask(capture, "check", "deal.yaml", "Орк")
    line = document.get("error", {}).get("where", {}).get("line")
    if line is not None:
        assert 1 <= line <= data.count(b"\n") + data.count(b"\r") + data.count(b"\x85") + 9
    return document


def fuzz(examples: int) -> settings:
    """The same examples at every run; FUZZ=20 tries twenty times as many, new ones each time."""
    times = int(os.environ.get("FUZZ", "0"))
    return settings(
        max_examples=examples * max(times, 1),
        deadline=None,
        database=None,
        derandomize=not times,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


@fuzz(100)
@given(data=st.binary(max_size=200))
@example(data=b"")
@example(data=b"\0")
@example(data=b"\xff\xfe")
@example(data=b"\xfe\xff\xd8\x00")
@example(data=b"\x1b[31m")
def test_any_bytes(data: bytes, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    ask_about(data, capfdbinary)


@fuzz(60)
@given(text=st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_any_text(text: str, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    ask_about(text.encode(), capfdbinary)


@fuzz(150)
@given(data=mutated())
@example(data=JSON.replace("Тич", "\\ud800").encode())
@example(data=JSON.replace("Тич", "\\u0000").encode())
@example(data=YAML.replace("Тич", '"\\ud800"').encode())
@example(data=YAML.replace("2 Орк", "9" * 5000).encode())
@example(data=YAML.replace("2 Орк", "9" * 5000 + " Орк").encode())
@example(data=YAML.replace("mulligans: 0", "mulligans: " + "9" * 5000).encode())
def test_changed_deals(
    data: bytes, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    ask_about(data, capfdbinary)


@fuzz(100)
@given(value=st.one_of(OBJECTS, st.lists(VALUES, max_size=5), VALUES))
def test_any_json(value: object, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    ask_about(json.dumps(value).encode(), capfdbinary)


@fuzz(60)
@given(
    name=st.one_of(
        st.text(max_size=12),
        st.sampled_from(("Орк", "Тич", "Ахтар", "Вольный воитель", "А", "")),
    ),
    rest=st.one_of(st.just(""), st.from_regex(r" \[(bonus|x|paid|with|before)?=?\w{0,3},?.?\]?")),
    ordered=st.booleans(),
)
@example(name="\udcff", rest="", ordered=False)
@example(name="Вольный воитель", rest=f" [x={'9' * 5000}]", ordered=True)
def test_any_name(
    name: str, rest: str, ordered: bool, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    Path("deal.yaml").write_text(YAML, encoding="utf-8")
    ask(capfdbinary, "check", *["--ordered"] * ordered, "--json", "deal.yaml", "--", name + rest)
