"""Bad input seen from outside: one short message, exit code 2, and the place where the mistake is.

Every row is a file (or arguments) as a player's tools produce them. Rows of GOOD must give the very
answer of the clean file; rows of BAD must be refused by one message that says where and why.
"""

import io
import json
import re
import sys
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from squadbuilder.cli import main
from squadbuilder.errors import ErrorCode, shown
from squadbuilder.reading import data_folder

DEAL = "deal.yaml"
CHECK = ("check", DEAL, "Орк")
ANY = "*"
"""Stands for a place that the row does not state."""
SOME = "+"
"""Stands for a place that must be told, wherever it is."""

CARDS = (
    "Анволд",
    "Алтарь Хигарта",
    "Тич",
    "Райская птица",
    "Мародёр",
    "Ведьмак",
    "2 Ахтар",
    "Эрманд",
    "Топи Зенды",
    "Дракон-зомби",
    "2 Орк",
    "Вольный воитель",
    "Дрочеслав, сын Сергея",
)
HEAD = "player: first\ndeal:\n"
CLEAN = HEAD + "".join(f"  - {card}\n" for card in CARDS)
PLAIN = "".join(f"{card}\n" for card in CARDS)
FLOW = "[" + ", ".join(f'"{card}"' for card in CARDS) + "]"
HOUSE = (data_folder() / "rulesets" / "tournament.yaml").read_text("utf-8")
OBJECT = json.dumps({"player": "first", "deal": list(CARDS)}, ensure_ascii=False, indent=2)
ORC = 13
"""The line of the orcs in CLEAN; in PLAIN it is two less."""


def swap(old: str, new: str, text: str = CLEAN) -> str:
    """The text with a part of it exchanged, once."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def orc(new: str) -> str:
    """The clean deal with another line for the two orcs."""
    return swap("- 2 Орк\n", f"- {new}\n")


def above(line: str) -> str:
    """The clean deal with a line more at its head."""
    return f"{line}\n{CLEAN}"


@dataclass(frozen=True, slots=True)
class Good:
    """Input that means the same as the clean deal (or as `like`)."""

    name: str
    data: str | bytes
    args: tuple[str, ...] = ()
    like: str | None = CLEAN
    files: dict[str, str] = field(default_factory=dict)
    path: str = DEAL


@dataclass(frozen=True, slots=True)
class Bad:
    """Input to be refused; `codes` are the answers that fit, parted by `|`."""

    name: str
    codes: str
    data: str | bytes | None = CLEAN
    args: tuple[str, ...] = CHECK
    line: int | str | None = ANY
    key: str | None = ANY
    file: str | None = ANY
    suggestion: str = ""
    files: dict[str, str] = field(default_factory=dict)
    stdin: bytes | None = None


def bad(name: str, codes: str, data: str | bytes, line: int | str | None = ANY, **more: Any) -> Bad:
    """A row about the deal file, which must be named."""
    return Bad(name, codes, data, line=line, file=DEAL, **more)


def given(name: str, codes: str, *args: str, **more: Any) -> Bad:
    """A row about arguments, which are in no file."""
    more.setdefault("file", None)
    return Bad(f"args: {name}", codes, args=args, **more)


SIXTEEN = swap("- Тич\n", "- Тич\n  - Кочевник\n")
FOURTEEN = swap("  - Тич\n", "")
MANTICORE = swap("Дракон-зомби", "Мантикора")
TWICE_UNIQUE = swap("  - Тич\n  - Райская птица\n", "  - 2 Тич\n")
DEEP = 10_000
LONG = "9" * 5_000

GOOD = (
    Good("clean", CLEAN),
    # Encodings and white space
    Good("bom", b"\xef\xbb\xbf" + CLEAN.encode()),
    Good("bom in a plain list", b"\xef\xbb\xbf" + PLAIN.encode()),
    Good("crlf", CLEAN.replace("\n", "\r\n")),
    Good("crlf in a plain list", PLAIN.replace("\n", "\r\n")),
    Good("cr", CLEAN.replace("\n", "\r")),
    Good("cr in a plain list", PLAIN.replace("\n", "\r")),
    Good("bom and crlf", b"\xef\xbb\xbf" + CLEAN.replace("\n", "\r\n").encode()),
    Good("utf-16 le", b"\xff\xfe" + CLEAN.encode("utf-16-le")),
    Good("utf-16 be", b"\xfe\xff" + CLEAN.encode("utf-16-be")),
    Good("utf-16 crlf plain list", b"\xff\xfe" + PLAIN.replace("\n", "\r\n").encode("utf-16-le")),
    Good("utf-16 json", b"\xff\xfe" + OBJECT.encode("utf-16-le")),
    Good("blank lines", CLEAN.replace("  - Тич\n", "\n\n  - Тич\n   \n")),
    Good("blank lines in a plain list", PLAIN.replace("Тич\n", "\n\nТич\n   \n")),
    Good("no newline at the end", CLEAN.rstrip("\n")),
    Good("no newline at the end of a plain list", PLAIN.rstrip("\n")),
    Good("spaces at line ends", CLEAN.replace("\n", "  \n")),
    Good("tabs at line ends of a plain list", PLAIN.replace("\n", "\t\n")),
    Good("tab after the count in a plain list", PLAIN.replace("2 ", "2\t")),
    Good("nbsp in names", CLEAN.replace("Алтарь Хигарта", "Алтарь\u00a0Хигарта")),
    Good("nbsp after counts", CLEAN.replace("2 ", "2\u00a0")),
    Good("nbsp in a plain list", PLAIN.replace(" ", "\u00a0")),
    Good("nbsp at a line end", orc("2 Орк\u00a0")),
    Good("double spaces", CLEAN.replace("Алтарь Хигарта", "Алтарь  Хигарта")),
    Good("double space after a count", orc("2  Орк")),
    Good("zero width space at a line end", orc("2 Орк\u200b")),
    # Letters
    Good("nfd", unicodedata.normalize("NFD", CLEAN)),
    Good("nfd in a plain list", unicodedata.normalize("NFD", PLAIN)),
    Good("е for ё", CLEAN.replace("ё", "е")),
    Good("ё for е", swap("Ведьмак", "Вёдьмак")),
    Good("capitals", CLEAN.replace("Райская птица", "РАЙСКАЯ ПТИЦА")),
    Good("small letters", PLAIN.lower()),
    # Forms of the file
    Good("plain list", PLAIN),
    Good("plain list named .txt", PLAIN, path="deal.txt"),
    Good("yaml named .json", CLEAN, path="deal.json"),
    Good("json", OBJECT),
    Good("json named .json", OBJECT, path="deal.json"),
    Good("json named .txt", OBJECT, path="deal.txt"),
    Good("json with a bom", b"\xef\xbb\xbf" + OBJECT.encode()),
    Good("json with tabs", OBJECT.replace("  ", "\t")),
    Good("json in one line", json.dumps(json.loads(OBJECT))),
    Good("json list", FLOW),
    Good("quoted flow list", f"deal: {FLOW}\n"),
    Good("flow list over lines", "deal: " + FLOW.replace(", ", ",\n  ") + "\n"),
    Good("list in yaml", CLEAN.removeprefix(HEAD)),
    Good("list not indented", CLEAN.replace("  - ", "- ")),
    Good("document mark", "---\n" + CLEAN),
    Good("document end", CLEAN + "...\n"),
    Good("comments", "# my deal\n" + CLEAN.replace("Тич\n", "Тич   # pirate\n")),
    Good("comments in a plain list", "# my deal\n" + PLAIN.replace("Тич\n", "Тич\n  # rest\n")),
    Good("comment behind a card in a plain list", PLAIN.replace("Тич\n", "Тич   # pirate\n")),
    Good("quotes", CLEAN.replace("Тич", '"Тич"').replace("Эрманд", "'Эрманд'")),
    Good("keys in another order", swap("player: first\n", "") + "player: first\n"),
    Good("all keys", above("mulligans: 0\nopponent_mulligans: 0\nblocked_cells: 0\noutcomes: {}")),
    Good("the rules named", above("rules: comprehensive")),
    Good("other order of cards", HEAD + "".join(f"- {card}\n" for card in reversed(CARDS))),
    # Counts and ids
    Good("2x", orc("2x Орк")),
    Good("2 x", orc("2 x Орк")),
    Good("2х in Cyrillic", orc("2х Орк")),
    Good("2 х in Cyrillic", orc("2 х Орк")),
    Good("2X", orc("2X Орк")),
    Good("2×", orc("2× Орк")),
    Good("x2 behind", orc("Орк x2")),
    Good("х2 in Cyrillic behind", orc("Орк х2")),
    Good("×2 behind", orc("Орк ×2")),
    Good("x2 behind in a plain list", swap("2 Орк\n", "Орк x2\n", PLAIN)),
    Good("1 before every card", PLAIN.replace("Тич\n", "1 Тич\n")),
    Good("on two lines", orc("Орк\n  - Орк")),
    Good("on two lines far apart", swap("  - 2 Орк\n", "  - Орк\n") + "  - 1 Орк\n"),
    Good("ids", orc("10013\n  - 10013")),
    Good("quoted id", orc('"10013"\n  - "10013"')),
    Good("id with a count", orc("2 10013")),
    Good("ids in a plain list", swap("2 Орк\n", "10013\n10013\n", PLAIN)),
    Good("ids in json", OBJECT.replace('"2 Орк"', "10013, 10013")),
    Good("id of an older printing", swap("Дракон-зомби", "10021"), like=MANTICORE),
    # Sizes and options
    Good("14 cards, any size", FOURTEEN, ("--any-size",), None),
    Good("16 cards, any size", SIXTEEN, ("--any-size",), None),
    Good("one card", "Орк", ("--any-size",), None),
    Good("14 cards after a mulligan", f"mulligans: 1\n{FOURTEEN}", like=None),
    Good("14 cards, the mulligan as an option", FOURTEEN, ("--mulligans", "1"), None),
    Good("an option beats a key", above("mulligans: 1"), ("--mulligans", "0")),
    Good("the last gold", above("rules: tournament"), ("--mulligans", "24"), None),
    Good("blocked cells", CLEAN, ("--blocked-cells", "3"), None),
    Good("a longer name beside", swap("Ведьмак", "Орк-ведун"), like=None),
    Good(
        "deck beside the deal",
        above("deck: deck.txt"),
        files={"sub/deck.txt": PLAIN + "3 Кочевник\n", "deck.txt": "Кочевник\n"},
        path="sub/deal.yaml",
    ),
    Good(
        "deck of any name beside the deal",
        above("deck: farro"),
        files={"sub/farro": PLAIN + "3 Кочевник\n"},
        path="sub/deal.yaml",
    ),
    Good(
        "rules of any name beside the deal",
        above("rules: house"),
        like=None,
        files={"sub/house": HOUSE},
        path="sub/deal.yaml",
    ),
    Good("rules of any name", CLEAN, ("--rules", "./house"), None, {"house": HOUSE}),
    Good("deck as a list", above(f"deck: {FLOW[:-1]}, 3 Кочевник]")),
    Good("deck as an option", CLEAN, ("--deck", "deck.txt"), files={"deck.txt": PLAIN}),
)

YAML_VALUES = (
    ("player", "no", "yaml_trap|value_unknown|wrong_type"),
    ("player", "yes", "yaml_trap|value_unknown|wrong_type"),
    ("player", "1", "yaml_trap|value_unknown|wrong_type"),
    ("player", "third", "value_unknown"),
    ("player", "~", "value_unknown|wrong_type|yaml_trap"),
    ("player", "", "value_unknown|wrong_type"),
    ("player", "2014-01-01", "yaml_trap|value_unknown|wrong_type"),
    ("player", "[first]", "wrong_type"),
    ("player", "{first: 1}", "wrong_type"),
    ("mulligans", "010", "yaml_trap"),
    ("mulligans", "1:30", "yaml_trap"),
    ("mulligans", "0x1", "yaml_trap"),
    ("mulligans", "1_0", "yaml_trap|wrong_type"),
    ("mulligans", "1.5", "wrong_type|yaml_trap"),
    ("mulligans", "1.0", "wrong_type|yaml_trap"),
    ("mulligans", "1e1", "wrong_type|yaml_trap"),
    ("mulligans", ".inf", "wrong_type|yaml_trap"),
    ("mulligans", ".nan", "wrong_type|yaml_trap"),
    ("mulligans", '"1"', "wrong_type"),
    ("mulligans", "one", "wrong_type"),
    ("mulligans", "true", "wrong_type|yaml_trap"),
    ("mulligans", "off", "wrong_type|yaml_trap"),
    ("mulligans", "", "wrong_type"),
    ("mulligans", "null", "wrong_type|yaml_trap"),
    ("mulligans", "-1", "out_of_range"),
    ("mulligans", "99999999999999999999", "out_of_range|no_deal_left"),
    ("mulligans", LONG, "out_of_range|no_deal_left|wrong_type"),
    ("mulligans", "[1]", "wrong_type"),
    ("opponent_mulligans", "-1", "out_of_range"),
    ("opponent_mulligans", "1:30", "yaml_trap"),
    ("opponent_mulligans", '"1"', "wrong_type"),
    ("blocked_cells", "-1", "out_of_range"),
    ("blocked_cells", "100", "out_of_range"),
    ("blocked_cells", "1.5", "wrong_type|yaml_trap"),
    ("rules", "no", "yaml_trap|value_unknown|wrong_type"),
    ("rules", "1", "yaml_trap|value_unknown|wrong_type|file_missing"),
    ("rules", "[]", "wrong_type"),
    ("rules", "", "wrong_type|value_unknown"),
    ("deck", "1", "yaml_trap|wrong_type|file_missing"),
    ("deck", "{}", "wrong_type"),
    ("deck", "true", "wrong_type|yaml_trap"),
    ("outcomes", "[]", "wrong_type"),
    ("outcomes", "1", "wrong_type"),
)
NO_CARDS = (
    "no",
    "on",
    "~",
    "null",
    "1.5",
    "0x1F",
    "1:30",
    "2014-01-01",
    "",
    "[]",
    "{}",
    "[Орк, Орк]",
)
COUNTS = ("0 Орк", "-1 Орк", "+2 Орк", "0x Орк", "-2x Орк", "Орк x0", "Орк x-1", f"{LONG} Орк")
ODD_COUNTS = ("² Орк", "٢ Орк", "1.5 Орк", "1,5 Орк", "2.0 Орк", "Орк x1.5", "½ Орк", "два Орк")
"""Nobody writes these for a number of copies; an unknown card with a suggestion will do."""

FILES = (
    bad("empty file", "file_empty", ""),
    bad("only white space", "file_empty", " \n\t\r\n \n"),
    bad("only a bom", "file_empty", b"\xef\xbb\xbf"),
    bad("only a utf-16 bom", "file_empty", b"\xff\xfe"),
    bad("only comments", "file_empty", "# nothing\n# here\n"),
    bad("only a document mark", "file_empty", "---\n"),
    bad("empty list", "file_empty", "[]"),
    bad("empty object", "file_empty|key_missing", "{}"),
    bad("empty deal", "file_empty|deal_size|wrong_type", "player: first\ndeal: []\n"),
    bad("deal is null", "file_empty|wrong_type", "player: first\ndeal:\n", 2, key="deal"),
    bad("deal is a null word", "wrong_type|yaml_trap", "deal: null\n", 1, key="deal"),
    bad("no deal", "key_missing", "player: first\n"),
    bad("14 cards", "deal_size", FOURTEEN, key="deal"),
    bad("16 cards", "deal_size", SIXTEEN, key="deal"),
    bad("14 cards in a plain list", "deal_size", PLAIN.replace("Тич\n", "")),
    bad("15 cards after a mulligan", "deal_size", above("mulligans: 1"), key="deal"),
    bad("very many cards", "deal_size|deal_too_large", "Орк\n" * 20_000),
    bad("too many for any size", "deal_too_large", "Орк\n" * 1_000, args=(*CHECK, "--any-size")),
    # Cards
    bad("unknown card", "card_unknown", orc("Абракадабра"), ORC),
    bad("unknown card in a plain list", "card_unknown", swap("2 Орк\n", "Ыъь\n", PLAIN), ORC - 2),
    bad(
        "line of an unknown card after blank lines and comments",
        "card_unknown",
        "# one\n\n# two\n" + swap("2 Орк\n", "Ыъь\n", PLAIN),
        ORC + 1,
    ),
    bad("unknown card after crlf", "card_unknown", orc("Ыъь").replace("\n", "\r\n"), ORC),
    bad("unknown card in json", "card_unknown", OBJECT.replace("2 Орк", "Ыъь"), 14),
    bad("near miss", "card_unknown", swap("Мародёр", "Мородёр"), 7, suggestion="Мародёр"),
    bad("near miss with a count", "card_unknown", orc("2 Ахтарр"), ORC, suggestion="Ахтар"),
    bad("a beginning is not enough in files", "card_unknown", swap("Мародёр", "Мародё"), 7),
    bad("small misprint", "card_unknown", orc("2 Оркк"), ORC, suggestion="Орк"),
    bad("wrong keyboard layout", "card_unknown", orc("2 Jhr"), ORC),
    bad("latin o", "card_two_alphabets", orc("2 Oрк"), ORC, suggestion="Орк"),
    bad(
        "latin a in a word",
        "card_two_alphabets",
        swap("Мародёр", "Мaродёр"),
        7,
        suggestion="Мародёр",
    ),
    bad(
        "latin o in a plain list",
        "card_two_alphabets",
        swap("2 Орк", "2 Oрк", PLAIN),
        ORC - 2,
        suggestion="Орк",
    ),
    bad("unknown id", "card_unknown", orc("99999"), ORC),
    bad("id with a zero in front", "card_unknown|yaml_trap", orc("010013"), ORC),
    bad("negative id", "card_unknown|count_malformed|wrong_type", orc("-10013"), ORC),
    bad("endless id", "card_unknown|count_malformed|out_of_range|wrong_type", orc(LONG), ORC),
    bad(
        "й without its mark",
        "card_unknown",
        swap("Райская", "Раиская"),
        6,
        suggestion="Райская птица",
    ),
    bad(
        "comma in a flow list",
        "card_split_by_comma",
        "deal: [" + ", ".join(CARDS) + "]\n",
        1,
        suggestion='"Дрочеслав, сын Сергея"',
    ),
    bad(
        "comma in a flow list over lines",
        "card_split_by_comma",
        "deal: [" + ",\n  ".join(CARDS) + "]\n",
        13,
        suggestion='"Дрочеслав, сын Сергея"',
    ),
    bad("comma in a bare flow list", "card_split_by_comma", "[" + ", ".join(CARDS) + "]\n", 1),
    bad("markup in a name", "card_unknown", orc('"[red]Ыъь[/red]"'), ORC),
    bad("braces in a name", "card_unknown", orc('"{card} {0} %s"'), ORC),
    bad("line break in a name", "card_unknown", orc('"Ы\\nъ\\nь"'), ORC),
    bad("lone surrogate in a name", "card_unknown|syntax", OBJECT.replace("2 Орк", "\\ud800"), ANY),
    bad(
        "terminal codes in a name",
        "card_unknown|card_two_alphabets|syntax",
        OBJECT.replace("2 Орк", "\\u001b[31mЫ"),
        14,
    ),
    bad("endless name", "card_unknown", orc("Ы" * 100_000), ORC),
    bad("number at the end of a name", "card_unknown|count_malformed", orc("Орк 2"), ORC),
    *(bad(f"count: {count[:9]}", "count_malformed", orc(count), ORC) for count in COUNTS),
    *(
        bad(f"count: {count}", "count_malformed|card_unknown", orc(count), ORC)
        for count in ODD_COUNTS
    ),
    bad("count: 99 Орк", "count_malformed|deal_size|deal_too_large", orc("99 Орк")),
    bad("count: 2 alone", "card_unknown", orc("2"), ORC),
    bad("count: 2x alone", "card_unknown", orc("2x"), ORC),
    bad("count: two counts", "card_unknown|count_malformed", orc("2 2 Орк"), ORC),
    bad("count in json", "count_malformed", OBJECT.replace("2 Орк", "0 Орк"), 14),
    bad("count in a plain list", "count_malformed", swap("2 Орк", "0 Орк", PLAIN), ORC - 2),
    # Keys and values
    bad(
        "unknown key",
        "key_unknown",
        above("mulligan: 1"),
        1,
        key="mulligan",
        suggestion="mulligans",
    ),
    bad("unknown key, far off", "key_unknown", above("foobar: 1"), 1, key="foobar"),
    bad("key in Russian", "key_unknown", above("пересдачи: 1"), 1, key="пересдачи"),
    bad("key in capitals", "key_unknown", above("Mulligans: 1"), 1, suggestion="mulligans"),
    bad(
        "key with a dash",
        "key_unknown",
        above("opponent-mulligans: 1"),
        1,
        suggestion="opponent_mulligans",
    ),
    bad("key is a number", "key_unknown|syntax", above("1: 1"), 1),
    bad("key is a truth value", "key_unknown|syntax|yaml_trap", above("no: 1"), 1),
    bad("key is a list", "syntax", above("? [a]\n: 1"), 1),
    bad("key is null", "key_unknown|syntax|yaml_trap", above("~: 1"), 1),
    bad("repeated key", "key_repeated", above("mulligans: 0\nmulligans: 0"), 2, key="mulligans"),
    bad("repeated deal", "key_repeated", CLEAN + "deal: []\n", 16, key="deal"),
    *(
        bad(f"value: {key}: {value[:21]}", codes, above(f"{key}: {value}"), 1, key=key)
        for key, value, codes in YAML_VALUES
        if key != "player"
    ),
    *(
        bad(f"value: {key}: {value}", codes, swap("player: first", f"player: {value}"), 1, key=key)
        for key, value, codes in YAML_VALUES
        if key == "player"
    ),
    bad(
        "player misspelt",
        "value_unknown",
        swap("first", "frist"),
        1,
        key="player",
        suggestion="first",
    ),
    bad(
        "unknown rules",
        "value_unknown|file_missing",
        above("rules: turnament"),
        1,
        key="rules",
        suggestion="tournament",
    ),
    bad("mulligans to nothing", "no_deal_left", above("mulligans: 15"), key="mulligans"),
    bad("mulligans beyond nothing", "no_deal_left", above("mulligans: 20"), key="mulligans"),
    bad("no gold left", "no_gold_left", above("rules: tournament\nmulligans: 25"), key="mulligans"),
    Bad("nul in a path", "file_missing|file_unreadable|syntax", above('deck: "a\\0b"')),
    bad("outcomes: unknown card", "card_unknown", above("outcomes: {Ыъь: 2}"), 1),
    bad("outcomes: a text", "outcome_malformed|wrong_type", above("outcomes: {Тич: two}"), 1),
    bad("outcomes: negative", "outcome_malformed|out_of_range", above("outcomes: {Тич: -1}"), 1),
    bad("outcomes: no number", "outcome_malformed|wrong_type", above("outcomes: {Тич}"), 1),
    # Wrong types
    bad("deal is a mapping", "wrong_type", "deal:\n  Орк: 2\n", key="deal"),
    bad("deal is a text", "wrong_type", "deal: Орк\n", 1, key="deal"),
    bad("deal is a number", "wrong_type", "deal: 15\n", 1, key="deal"),
    bad("list of lists", "wrong_type", "- [Орк]\n" * 15, 1),
    bad("list of mappings", "wrong_type", orc("Орк: 2"), ORC),
    bad("list of counted mappings", "wrong_type", orc("2: Орк"), ORC),
    bad("json number", "wrong_type|card_unknown|deal_size", "15"),
    bad("json truth", "wrong_type|yaml_trap|card_unknown", "true"),
    bad("json list of lists", "wrong_type", f"[{FLOW}]"),
    bad(
        "json null as a card",
        "wrong_type|card_unknown|yaml_trap",
        OBJECT.replace('"2 Орк"', "null"),
        14,
    ),
    bad(
        "json truth as a card",
        "wrong_type|card_unknown|yaml_trap",
        OBJECT.replace('"2 Орк"', "true"),
        14,
    ),
    bad(
        "json fraction as a card",
        "wrong_type|card_unknown|yaml_trap",
        OBJECT.replace('"2 Орк"', "1.5"),
        14,
    ),
    bad(
        "json truth as player",
        "yaml_trap|wrong_type|value_unknown",
        OBJECT.replace('"first"', "true"),
        2,
    ),
    bad("json text as mulligans", "wrong_type", OBJECT.replace("{\n", '{\n"mulligans": "1",\n'), 2),
    bad(
        "json nan",
        "wrong_type|syntax|yaml_trap",
        OBJECT.replace("{\n", '{\n"mulligans": NaN,\n'),
        2,
    ),
    bad(
        "json huge",
        "wrong_type|syntax|yaml_trap",
        OBJECT.replace("{\n", '{\n"mulligans": 1e999,\n'),
        2,
    ),
    bad(
        "json endless",
        "out_of_range|wrong_type",
        OBJECT.replace("{\n", f'{{\n"mulligans": {LONG},\n'),
        2,
    ),
    *(
        bad(f"card: {card}", "yaml_trap|wrong_type|card_unknown|count_malformed", orc(card), ORC)
        for card in NO_CARDS
    ),
    # YAML that is not used here
    bad("anchor", "syntax", orc("&a 2 Орк"), ORC),
    bad("alias", "syntax", swap("- Тич\n", "- &a Тич\n") + "  - *a\n", 5),
    bad("alias without anchor", "syntax", orc("*Орк"), ORC),
    bad("tag", "syntax", orc("!card Орк"), ORC),
    bad("python tag", "syntax", orc("!!python/object/apply:os.getcwd []"), ORC),
    bad("plain yaml tag", "syntax", orc("!!str Орк"), ORC),
    bad("merge key", "syntax|key_unknown", above("<<: {mulligans: 0}"), 1),
    bad("two documents", "syntax", CLEAN + "---\n" + CLEAN, 16),
    bad("many anchors", "syntax", CLEAN + "a: &a [x,x]\n" + "b: &a [*a,*a]\n" * 30, 16),
    bad("directive", "syntax", "%YAML 9.9\n---\n" + CLEAN),
    bad("unknown directive in front of a list", "syntax|card_unknown", "%ORC\n" + PLAIN, 1),
    bad("deep list", "syntax", "[" * DEEP),
    bad("deep closed list", "syntax|wrong_type", "[" * DEEP + "]" * DEEP),
    bad("deep deal", "syntax|wrong_type", "deal: " + "[" * DEEP + "]" * DEEP),
    bad("deep mapping", "syntax", "{" * DEEP),
    bad("deep json mapping", "syntax|key_unknown|wrong_type", '{"a":' * DEEP + "1" + "}" * DEEP),
    bad("deep block list", "syntax|wrong_type", "- " * DEEP + "Орк"),
    bad(
        "deep block list in lines",
        "syntax|wrong_type",
        "".join(" " * n + "-\n" for n in range(500)),
    ),
    bad("tab before a card", "syntax", orc("Орк\n\t- Орк"), ORC + 1),
    bad("tabs before all cards", "syntax", CLEAN.replace("  - ", "\t- "), 3),
    bad("tab after the dash", "syntax", CLEAN.replace("- ", "-\t"), 3),
    bad("odd indent", "syntax|card_unknown", orc("Орк\n   - Орк"), SOME),
    bad("quote not closed", "syntax", orc('"Орк'), SOME),
    bad("bracket not closed", "syntax", "deal: [Орк,\n Тич\n"),
    bad("key without a space", "card_unknown|syntax|wrong_type|key_missing", "deal:[Орк]\n"),
    bad("broken json", "syntax", OBJECT[:-5]),
    bad("json with a missing comma", "syntax", OBJECT.replace('"Тич",', '"Тич"'), SOME),
    bad("json and then more", "syntax", OBJECT + "\n" + OBJECT),
    bad(
        "json with a repeated key",
        "key_repeated",
        OBJECT.replace("{\n", '{\n"deal": [],\n'),
        key="deal",
    ),
    bad(
        "json with an unknown key",
        "key_unknown",
        OBJECT.replace('"player"', '"plaier"'),
        2,
        suggestion="player",
    ),
    # Bytes
    bad("cp1251", "file_encoding", CLEAN.encode("cp1251")),
    bad("cp1251 plain list", "file_encoding", PLAIN.encode("cp1251")),
    bad("cp866", "file_encoding", CLEAN.encode("cp866")),
    bad("koi8-r", "file_encoding", PLAIN.encode("koi8-r")),
    bad("utf-16 without a bom", "file_encoding|syntax", CLEAN.encode("utf-16-le")),
    bad("odd utf-16", "file_encoding", b"\xff\xfe" + CLEAN.encode("utf-16-le")[:-1]),
    bad("utf-16 surrogate", "file_encoding", b"\xff\xfe\x00\xd8\x00\x00"),
    bad("cut utf-8", "file_encoding", CLEAN.encode()[:-2]),
    bad("nul byte", "syntax|file_encoding", orc("2 Орк\0")),
    bad(
        "nul byte in a plain list",
        "syntax|file_encoding|card_unknown",
        swap("2 Орк", "2 \0Орк", PLAIN),
    ),
    bad("nul bytes", "syntax|file_encoding|file_empty", b"\0" * 100),
    bad("random bytes", "file_encoding", bytes(range(256))),
    bad("png", "qr_unreadable", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    bad("zip", "file_encoding|syntax|card_unknown", b"PK\x03\x04\x14\0\0\0\x08\0" + bytes(200)),
    bad("escape character", "syntax|card_unknown", orc("2 Орк\x1b[31m"), ORC),
    bad("html", "syntax|card_unknown", "<!DOCTYPE html>\n<html><body>Орк</body></html>\n"),
)

SOLVE = ("solve", DEAL)
ORDERED = ("check", DEAL, "--ordered")
CAPTAIN = "cards:\n  - {id: 90001, name: Пробный, cost: 6, type: creature}\n"

ARGUMENTS = (
    # Files
    given(
        "folder", "file_is_folder", "check", "folder", "Орк", file="folder", files={"folder/a": ""}
    ),
    given("missing", "file_missing", "check", "nothing.txt", "Орк", file="nothing.txt"),
    given(
        "missing, similar",
        "file_missing",
        "check",
        "deal.yml",
        "Орк",
        file="deal.yml",
        suggestion=DEAL,
    ),
    given(
        "missing in no folder", "file_missing", "check", "no/deal.yaml", "Орк", file="no/deal.yaml"
    ),
    given(
        "file as a folder",
        "file_missing|file_unreadable",
        "check",
        f"{DEAL}/x",
        "Орк",
        file=f"{DEAL}/x",
    ),
    given("endless file name", "file_missing|file_unreadable", "check", "d" * 300, "Орк", file=ANY),
    given("a device", "file_empty", "check", "/dev/null", "Орк", file="/dev/null"),
    given("unreadable", "file_unreadable", "check", "/proc/self/mem", "Орк", file="/proc/self/mem"),
    given("empty file name", "file_missing|file_is_folder|usage", "check", "", "Орк", file=ANY),
    given("surrogate in a file name", "file_missing", "check", "\udcff.yaml", "Орк", file=ANY),
    given(
        "markup in a file name", "file_missing", "check", "[red]a.yaml", "Орк", file="[red]a.yaml"
    ),
    Bad("empty standard input", "file_empty", None, ("check", "-", "Орк"), stdin=b""),
    Bad(
        "cp1251 on standard input",
        "file_encoding",
        None,
        ("check", "-", "Орк"),
        stdin=CLEAN.encode("cp1251"),
    ),
    Bad(
        "unknown card on standard input",
        "card_unknown",
        None,
        ("check", "-", "Орк"),
        1,
        stdin="Ыъь".encode(),
    ),
    # Usage
    given("unknown option", "usage", *CHECK, "--orderd", suggestion="--ordered"),
    given("unknown option with a value", "usage", *CHECK, "--mulligan=1", suggestion="--mulligans"),
    given("unknown option of another command", "usage", *CHECK, "--top", "3"),
    given("unknown short option", "usage", *CHECK, "-q"),
    given("option cut short", "usage", *SOLVE, "--maxim", "cost", suggestion="--maximize"),
    given("unknown command", "usage", "chek", DEAL, "Орк", suggestion="check"),
    given("unknown command, far off", "usage", "frobnicate"),
    given("command in Russian", "usage", "проверить", DEAL),
    given("no deal", "usage", "check"),
    given("no deal to solve", "usage", "solve"),
    given("no names", "usage", "check", DEAL),
    given("extra argument", "usage", *SOLVE, "Орк"),
    given("option without its value", "usage", *CHECK, "--player"),
    given("flag with a value", "usage", *CHECK, "--ordered=yes"),
    given("player", "usage", *CHECK, "--player", "third"),
    given("player misspelt", "usage", *CHECK, "--player", "frist", suggestion="first"),
    given("mulligans negative", "usage|out_of_range", *CHECK, "--mulligans", "-1"),
    given("mulligans a text", "usage", *CHECK, "--mulligans", "abc"),
    given("mulligans a fraction", "usage", *CHECK, "--mulligans", "1.5"),
    given("mulligans endless", "usage|out_of_range", *CHECK, "--mulligans", LONG),
    given(
        "mulligans beyond the range",
        "usage|out_of_range|no_deal_left",
        *CHECK,
        "--mulligans",
        "100",
    ),
    given("mulligans to nothing", "no_deal_left", *CHECK, "--mulligans", "15", file=ANY),
    given(
        "no gold left",
        "no_gold_left",
        *CHECK,
        "--rules",
        "tournament",
        "--mulligans",
        "25",
        file=ANY,
    ),
    given(
        "no gold left, second",
        "no_gold_left",
        *CHECK,
        "--player",
        "second",
        "--rules",
        "tournament",
        "--mulligans",
        "26",
        file=ANY,
    ),
    given("blocked cells", "usage|out_of_range", *CHECK, "--blocked-cells", "-1"),
    given("top 0", "usage|out_of_range", *SOLVE, "--top", "0"),
    given("top negative", "usage|out_of_range", *SOLVE, "--top", "-3"),
    given("top a text", "usage", *SOLVE, "--top", "abc"),
    given("top beyond the range", "usage|out_of_range", *SOLVE, "--top", "99999999999999999999"),
    given("time limit a text", "usage", *SOLVE, "--time-limit", "soon"),
    given("time limit negative", "usage|out_of_range", *SOLVE, "--time-limit", "-1"),
    given("time limit nan", "usage|out_of_range", *SOLVE, "--time-limit", "nan"),
    given("language", "usage", *CHECK, "--lang", "xx"),
    given(
        "unknown rules",
        "value_unknown|file_missing",
        *CHECK,
        "--rules",
        "turnament",
        suggestion="tournament",
        file=ANY,
    ),
    given("rules path missing", "file_missing", *CHECK, "--rules", "./myrules", file="./myrules"),
    given("endless rules", "value_unknown", *CHECK, "--rules", "x" * 5000, file=ANY),
    given("empty rules", "value_unknown|file_missing|usage", *CHECK, "--rules", "", file=ANY),
    given(
        "rules file missing",
        "value_unknown|file_missing",
        *CHECK,
        "--rules",
        "no/rules.yaml",
        file=ANY,
    ),
    given(
        "rules file of another kind",
        "key_unknown|key_missing|wrong_type",
        *CHECK,
        "--rules",
        f"./{DEAL}",
        file=ANY,
    ),
    given(
        "rules are a folder",
        "file_is_folder|value_unknown",
        *CHECK,
        "--rules",
        "./folder",
        file=ANY,
        files={"folder/a": ""},
    ),
    # Names
    given("unknown name", "card_unknown", *CHECK, "Ыъь"),
    given("near miss", "card_unknown", "check", DEAL, "Мородёр", suggestion="Мародёр"),
    given("two alphabets", "card_two_alphabets", "check", DEAL, "Oрк", suggestion="Орк"),
    given("ambiguous", "card_ambiguous", "check", DEAL, "А", suggestion="Анволд"),
    given(
        "ambiguous, one of several",
        "card_ambiguous",
        "check",
        DEAL,
        "А",
        suggestion="Алтарь Хигарта",
    ),
    given("empty name", "card_unknown|card_ambiguous|usage", "check", DEAL, ""),
    given("blank name", "card_unknown|card_ambiguous|usage", "check", DEAL, "  "),
    given(
        "markup in a name",
        "card_unknown|choice_without_order|choice_malformed",
        "check",
        DEAL,
        "[red]Ыъь",
    ),
    given("surrogate in a name", "card_unknown", "check", DEAL, "\udcff"),
    given("endless name", "card_unknown", "check", DEAL, "Ы" * 5_000),
    given("names file missing", "file_missing", "check", DEAL, "--names", "no.txt", file="no.txt"),
    given(
        "names file empty",
        "file_empty|usage",
        "check",
        DEAL,
        "--names",
        "n.txt",
        files={"n.txt": ""},
        file=ANY,
    ),
    given(
        "names file, unknown",
        "card_unknown",
        "check",
        DEAL,
        "--names",
        "n.txt",
        files={"n.txt": "Орк\n\nЫъь\n"},
        file="n.txt",
        line=3,
    ),
    given(
        "names file, near miss",
        "card_unknown",
        "check",
        DEAL,
        "--names",
        "n.txt",
        files={"n.txt": "Оркк\n"},
        file="n.txt",
        line=1,
        suggestion="Орк",
    ),
    # Choices
    given("choice without order", "choice_without_order", "check", DEAL, "Тич [bonus=no]"),
    given("choice not closed", "choice_malformed", *ORDERED, "Тич [bonus=no"),
    given("choice without a value", "choice_malformed|choice_unknown", *ORDERED, "Тич [bonus]"),
    given("choice empty", "choice_malformed", *ORDERED, "Тич []"),
    given("choice in front", "choice_malformed|card_unknown", *ORDERED, "[bonus=no] Тич"),
    given(
        "choice with text behind", "choice_malformed|card_unknown", *ORDERED, "Тич [bonus=no] да"
    ),
    given("choice twice", "choice_malformed|choice_unknown", *ORDERED, "Тич [bonus=no, bonus=yes]"),
    given("choice alone", "choice_malformed|card_unknown", *ORDERED, "[bonus=no]"),
    given("choice unknown", "choice_unknown", *ORDERED, "Тич [bonu=no]", suggestion="bonus"),
    given("choice value unknown", "choice_unknown|choice_malformed", *ORDERED, "Тич [bonus=maybe]"),
    given(
        "choice x a text", "choice_malformed|choice_unknown", *ORDERED, "Вольный воитель [x=two]"
    ),
    given(
        "choice x negative",
        "choice_malformed|choice_unknown|choice_not_offered",
        *ORDERED,
        "Вольный воитель [x=-1]",
    ),
    given("choice x too large", "choice_not_offered", *ORDERED, "Вольный воитель [x=5]"),
    given(
        "choice x endless",
        "choice_malformed|choice_unknown|choice_not_offered",
        *ORDERED,
        f"Вольный воитель [x={LONG}]",
    ),
    given("choice not offered", "choice_not_offered", *ORDERED, "Орк [bonus=no]"),
    given("choice paid not offered", "choice_not_offered", *ORDERED, "Орк [paid=ordinary]"),
    given(
        "choice paid unknown", "choice_unknown|choice_malformed", *ORDERED, "Ахтар [paid=silver]"
    ),
    given("choice of an unknown card", "card_unknown", *ORDERED, "Ыъь [bonus=no]"),
    # Wishes
    given("with a card not in the deal", "card_not_in_deal", *SOLVE, "--with", "Кочевник"),
    given("with an unknown card", "card_unknown", *SOLVE, "--with", "Ыъь"),
    given("with a near miss", "card_unknown", *SOLVE, "--with", "Оркк", suggestion="Орк"),
    given("with an ambiguous card", "card_ambiguous", *SOLVE, "--with", "А", suggestion="Ахтар"),
    given("with more than dealt", "wish_too_many", *SOLVE, *("--with", "Орк") * 3),
    given("with more than dealt, counted", "wish_too_many|card_unknown", *SOLVE, "--with", "3 Орк"),
    given(
        "with a unique card twice",
        "wish_unique_twice|wish_too_many",
        *SOLVE,
        *("--with", "Тич") * 2,
    ),
    Bad(
        "with a unique card twice, dealt twice",
        "wish_unique_twice",
        TWICE_UNIQUE,
        (*SOLVE, *("--with", "Тич") * 2),
    ),
    given("with and without", "wish_conflict", *SOLVE, "--with", "Орк", "--without", "Орк"),
    given(
        "with and without by a beginning",
        "wish_conflict",
        *SOLVE,
        "--with",
        "Орк",
        "--without",
        "Ор",
    ),
    given(
        "with and without in list",
        "wish_conflict",
        "list",
        DEAL,
        "--with",
        "Тич",
        "--without",
        "Тич",
    ),
    given("without a card not in the deal", "card_not_in_deal", *SOLVE, "--without", "Кочевник"),
    given("without an unknown card", "card_unknown", *SOLVE, "--without", "Ыъь"),
    # Objectives
    given(
        "objective unknown", "objective_unknown", *SOLVE, "--maximize", "cots", suggestion="cost"
    ),
    given(
        "objective unknown behind another",
        "objective_unknown",
        *SOLVE,
        "--maximize",
        "cost,gold",
        suggestion="gold_left",
    ),
    given("objective twice", "objective_repeated", *SOLVE, "--maximize", "cost,cost"),
    given("objective and its opposite", "objective_repeated", *SOLVE, "--maximize", "cost,-cost"),
    given(
        "objective twice, dash and underscore",
        "objective_repeated",
        *SOLVE,
        "--maximize",
        "gold_left,gold-left",
    ),
    given("objective empty", "objective_unknown|usage", *SOLVE, "--maximize", ""),
    given(
        "objective missing between commas",
        "objective_unknown|usage",
        *SOLVE,
        "--maximize",
        "cost,,elite",
    ),
    given("objective only a minus", "objective_unknown|usage", *SOLVE, "--maximize=-"),
    # Deck and outcomes
    given(
        "deck lacks the deal",
        "deck_lacks_deal",
        *CHECK,
        "--deck",
        "d.txt",
        files={"d.txt": swap("Тич\n", "", PLAIN)},
        file=ANY,
    ),
    given(
        "deck has too few copies",
        "deck_lacks_deal",
        *CHECK,
        "--deck",
        "d.txt",
        files={"d.txt": swap("2 Орк\n", "Орк\n", PLAIN)},
        file=ANY,
    ),
    given("deck missing", "file_missing", *CHECK, "--deck", "d.txt", file="d.txt"),
    given("deck empty", "file_empty", *CHECK, "--deck", "d.txt", files={"d.txt": ""}, file="d.txt"),
    given(
        "deck with an unknown card",
        "card_unknown",
        *CHECK,
        "--deck",
        "d.txt",
        files={"d.txt": PLAIN + "Ыъь\n"},
        file="d.txt",
        line=14,
    ),
    Bad("deck of the file lacks the deal", "deck_lacks_deal", above("deck: [Тич]")),
    Bad("deck of the file missing", "file_missing", above("deck: no.txt")),
    given("outcome without a number", "outcome_malformed", *CHECK, "--outcome", "Тич"),
    given("outcome with nothing", "outcome_malformed", *CHECK, "--outcome", "Тич="),
    given("outcome with a text", "outcome_malformed", *CHECK, "--outcome", "Тич=two"),
    given("outcome negative", "outcome_malformed", *CHECK, "--outcome", "Тич=-1"),
    given("outcome fraction", "outcome_malformed", *CHECK, "--outcome", "Тич=1.5"),
    given("outcome superscript", "outcome_malformed", *CHECK, "--outcome", "Тич=²"),
    given("outcome endless", "outcome_malformed", *CHECK, "--outcome", f"Тич={LONG}"),
    given("outcome without a card", "outcome_malformed|card_unknown", *CHECK, "--outcome", "=2"),
    given("outcome empty", "outcome_malformed", *CHECK, "--outcome", ""),
    given("outcome of an unknown card", "card_unknown", *CHECK, "--outcome", "Ыъь=2"),
    # Card databases
    given("cards missing", "file_missing", *CHECK, "--cards", "c.yaml", file="c.yaml"),
    given(
        "cards empty",
        "file_empty",
        *CHECK,
        "--cards",
        "c.yaml",
        files={"c.yaml": ""},
        file="c.yaml",
    ),
    given(
        "cards: a list",
        "wrong_type",
        *CHECK,
        "--cards",
        "c.yaml",
        files={"c.yaml": "- 1\n"},
        file="c.yaml",
    ),
    given(
        "cards: unknown key",
        "key_unknown",
        *CHECK,
        "--cards",
        "c.yaml",
        files={"c.yaml": CAPTAIN.replace("cost", "cots")},
        file="c.yaml",
        line=2,
        key=ANY,
        suggestion="cost",
    ),
    given(
        "cards: missing key",
        "key_missing",
        *CHECK,
        "--cards",
        "c.yaml",
        files={"c.yaml": CAPTAIN.replace("cost: 6, ", "")},
        file="c.yaml",
        line=2,
    ),
    given(
        "cards: unknown type",
        "value_unknown",
        *CHECK,
        "--cards",
        "c.yaml",
        files={"c.yaml": CAPTAIN.replace("creature", "creatur")},
        file="c.yaml",
        line=2,
        suggestion="creature",
    ),
    given(
        "cards: id taken",
        "card_repeated",
        *CHECK,
        "--cards",
        "c.yaml",
        files={"c.yaml": CAPTAIN.replace("90001", "10013")},
        file="c.yaml",
        line=2,
    ),
    given(
        "cards: unknown effect",
        "key_unknown",
        *CHECK,
        "--cards",
        "c.yaml",
        files={"c.yaml": CAPTAIN.replace("}", ", effect: {note: a, gian: {gold: 1}}}")},
        file="c.yaml",
        line=2,
        suggestion="gain",
    ),
    # Lists
    given(
        "condition on an unknown class",
        "condition_unknown",
        *SOLVE,
        "--require",
        "class=Оркк>=1",
        suggestion="Орк",
        file=ANY,
    ),
    given(
        "condition on an unknown keyword",
        "condition_unknown",
        *SOLVE,
        "--require",
        "keyword=shot>=1",
        suggestion="sht",
        file=ANY,
    ),
    given(
        "condition on an unknown name",
        "condition_unknown",
        *SOLVE,
        "--require",
        "name=Кочевниик<=1",
        suggestion="Кочевник",
        file=ANY,
    ),
    given("rules to show a deck", "usage", "deck", "show", DEAL, "--rules", "tournament"),
    given(
        "condition on an endless cost",
        "condition_malformed",
        *SOLVE,
        "--require",
        f"cost<={'9' * 5000}>=1",
    ),
    given("count with a limit", "usage", "list", DEAL, "--count", "--limit", "3"),
    Bad("list and count of 16", "list_too_large", SIXTEEN, ("list", DEAL, "--any-size", "--count")),
    Bad("list of 16", "list_needs_limit", SIXTEEN, ("list", DEAL, "--any-size")),
)

BAD = FILES + ARGUMENTS


CODES = frozenset(code.value for code in ErrorCode)
WORDS = frozenset({"YAML", "JSON", "UTF", "Windows", "Tools", "pip", "install", "ortools", "true"})
"""Latin words that may stand in a Russian message without quotes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call of the program gave."""

    code: int
    out: str
    err: str


class Player:
    """Runs the program in a folder of its own, as a player does."""

    def __init__(self, capture: pytest.CaptureFixture[bytes], patch: pytest.MonkeyPatch) -> None:
        self.capture = capture
        self.patch = patch

    def write(self, path: str, data: str | bytes) -> None:
        """Put a file into the folder."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(data.encode() if isinstance(data, str) else data)

    def run(self, *args: str, stdin: bytes | None = None) -> Outcome:
        """Call the program once."""
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin or b""), "utf-8"))
        self.capture.readouterr()
        code = main(list(args))
        out, err = self.capture.readouterr()
        return Outcome(code, out.decode("utf-8"), err.decode("utf-8"))


@pytest.fixture
def player(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Player:
    """The program, ready to be called in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Player(capfdbinary, monkeypatch)


def no_constants(name: str) -> None:
    """NaN and Infinity are not JSON."""
    raise AssertionError(f"{name} is not JSON")


def one_document(text: str) -> dict[str, Any]:
    """The one JSON document that the text is."""
    document = json.loads(text, parse_constant=no_constants)
    assert isinstance(document, dict)
    assert document["schema"] == 1
    return document


def prepare(player: Player, row: Bad) -> None:
    """Write the files of a row; skip it where the system lacks what it needs."""
    place = row.args[1] if len(row.args) > 1 else ""
    if place.startswith(("/proc", "/dev")) and not Path(place).exists():
        pytest.skip(f"no {place} here")
    if row.data is not None:
        player.write(DEAL, row.data)
    for path, text in row.files.items():
        player.write(path, text)


def row_run(player: Player, row: Bad, *options: str) -> Outcome:
    """Call the program with the arguments of a row, more options in front of them."""
    command, *rest = row.args
    return player.run(command, *options, *rest, stdin=row.stdin)


answers_as_json: dict[tuple[int, tuple[str, ...]], Outcome] = {}


def row_as_json(player: Player, row: Bad, options: tuple[str, ...]) -> Outcome:
    """The answer of a row as JSON; asked for once."""
    asked = (id(row), options)
    if asked not in answers_as_json:
        answers_as_json[asked] = row_run(player, row, *options, "--json")
    return answers_as_json[asked]


def language(row: Bad, tongue: str) -> tuple[str, ...]:
    """The options that choose a language, unless the row is about them."""
    return () if "--lang" in row.args else ("--lang", tongue)


def check_place(row: Bad, where: dict[str, Any]) -> None:
    """The place told is the place of the row."""
    assert set(where) == {"file", "line", "key"}
    for name, expected in (("file", row.file), ("line", row.line), ("key", row.key)):
        if expected == SOME:
            assert where[name] is not None, f"{name} is not told"
        elif expected != ANY:
            assert where[name] == expected, name


def bare(text: str, error: dict[str, Any], quotes: str) -> str:
    """A message without the parts that are the player's own words or names."""
    for part in (*error["suggestions"], error["where"]["file"], error["where"]["key"]):
        text = text.replace(part or "\0", " ")
    for pattern in (quotes, r"\[[^]]*\]", r"--?[a-z][a-z-]*", r"'[^']*'"):
        text = re.sub(pattern, " ", text, flags=re.DOTALL)
    return text


@pytest.mark.parametrize("row", BAD, ids=lambda row: row.name)
def test_bad_input_as_json(row: Bad, player: Player) -> None:
    prepare(player, row)
    seen = row_as_json(player, row, language(row, "en"))
    assert "Traceback" not in seen.err
    assert seen.code == 2, seen
    assert seen.err == ""
    document = one_document(seen.out)
    assert set(document) == {"schema", "command", "error"}
    if row.args[0] in {"check", "next", "solve", "list"}:
        assert document["command"] == row.args[0]
    error = document["error"]
    assert set(error) == {"code", "message", "where", "suggestions"}
    assert error["code"] in CODES
    assert error["code"] in row.codes.split("|"), error
    assert error["message"].strip()
    assert len(error["suggestions"]) <= 5
    assert len(set(error["suggestions"])) == len(error["suggestions"])
    if row.suggestion:
        assert row.suggestion in error["suggestions"], error
    check_place(row, error["where"])


@pytest.mark.parametrize("tongue", ["ru", "en"])
@pytest.mark.parametrize("row", BAD, ids=lambda row: row.name)
def test_bad_input_for_people(row: Bad, tongue: str, player: Player) -> None:
    prepare(player, row)
    chosen = language(row, tongue)
    seen = row_run(player, row, *chosen)
    assert "Traceback" not in seen.err
    assert seen.code == 2, seen
    assert seen.out == ""
    message = re.sub(r"^.*(?:понято как|is read as).*\n", "", seen.err)
    assert 1 <= len(message.splitlines()) <= 2, message
    assert len(message) <= 600, f"{len(message)} signs"
    assert all(unicodedata.category(sign) != "Cc" for sign in message if sign != "\n"), message
    error = one_document(row_as_json(player, row, chosen).out)["error"]
    where = error["where"]
    assert error["message"].rstrip(".") in message
    assert str(shown(where["file"] or "")) in message
    assert (where["key"] or "") in message
    assert all(name in message for name in error["suggestions"])
    assert not re.search(r"[.?!]\.(\s|$)", message), message
    if not chosen:
        return
    start, line = ("Ошибка: ", "строка") if tongue == "ru" else ("Error: ", "line")
    assert message.startswith(start)
    if where["line"] is not None and where["file"] is not None:
        assert f"{line} {where['line']}" in message
    if tongue == "en":
        rest = bare(error["message"], error, "“.*?”")
        assert not re.search("[А-Яа-яЁё]", rest), rest
    elif error["code"] != "file_unreadable":  # the reason is the system's own text
        rest = bare(error["message"], error, "«.*?»")
        assert set(re.findall("[A-Za-z]{3,}", rest)) <= WORDS, rest


FORMS = (("--json",), ("--lang", "en"), ("--lang", "ru"))
clean_answers: dict[str, list[str]] = {}


def answers(player: Player, row: Good, path: str, *options: str) -> list[Outcome]:
    """What the program says about a deal, in all forms."""
    squad = ("Орк", "Орк", "Мародёр", "Дрочеслав, сын Сергея") if row.like == CLEAN else ("Орк",)
    return [
        player.run(command, path, *names, *options, *form)
        for command, *names in (("check", *squad), ("next",))
        for form in FORMS
    ]


@pytest.mark.parametrize("row", GOOD, ids=lambda row: row.name)
def test_good_input(row: Good, player: Player) -> None:
    for path, text in row.files.items():
        player.write(path, text)
    player.write(row.path, row.data)
    seen = answers(player, row, row.path, *row.args)
    assert {outcome.code for outcome in seen} == {0}, seen[0]
    assert {outcome.err for outcome in seen} == {""}
    assert one_document(seen[0].out)["legal"] is True
    assert one_document(seen[0].out)["notes"] == []
    if row.like is None:
        return
    if row.like not in clean_answers:
        player.write("clean.yaml", row.like)
        clean_answers[row.like] = [outcome.out for outcome in answers(player, row, "clean.yaml")]
    assert [outcome.out for outcome in seen] == clean_answers[row.like]


def test_standard_input(player: Player) -> None:
    player.write(DEAL, CLEAN)
    clean = player.run(*CHECK, "--json")
    for data in (CLEAN.encode(), OBJECT.encode(), b"\xff\xfe" + PLAIN.encode("utf-16-le")):
        assert player.run("check", "-", "Орк", "--json", stdin=data) == clean


@pytest.mark.parametrize(
    ("text", "name"), [("Мар", "Мародёр"), ("вЕд", "Ведьмак"), ("воит", "Вольный воитель")]
)
def test_beginning_is_echoed(text: str, name: str, player: Player) -> None:
    player.write(DEAL, CLEAN)
    seen = player.run("check", DEAL, text, "--json")
    assert seen.code == 0, seen
    document = one_document(seen.out)
    assert [card["name"] for card in document["squad"]["cards"]] == [name]
    assert any(text in note and name in note for note in document["notes"])
    for language in ("ru", "en"):
        seen = player.run("check", DEAL, text, "--lang", language)
        assert seen.code == 0
        assert name in seen.out
        assert any(text in line and name in line for line in (seen.out + seen.err).splitlines())


def test_exact_name_beats_a_beginning(player: Player) -> None:
    player.write(DEAL, swap("Ведьмак", "Орк-ведун"))
    seen = player.run(*CHECK, "--json")
    assert seen.code == 0
    document = one_document(seen.out)
    assert document["squad"]["cards"] == [{"id": "10013", "name": "Орк"}]
    assert document["notes"] == []


def test_list_counts_a_whole_deal(player: Player) -> None:
    """What is refused for 16 cards works for 15 and fewer."""
    player.write(DEAL, "Орк\nАнволд\nТич\n")
    seen = player.run("list", DEAL, "--any-size", "--count", "--json")
    assert seen.code == 0, seen
    document = one_document(seen.out)
    assert document["count"] > 0
    assert "squads" not in document


def test_symbolic_link_to_itself(player: Player) -> None:
    Path(DEAL).symlink_to(DEAL)
    seen = player.run(*CHECK, "--json")
    assert seen.code == 2
    assert one_document(seen.out)["error"]["code"] in {"file_missing", "file_unreadable"}


def test_closed_file(player: Player) -> None:
    """A file without the right to read it; root may read every file."""
    player.write(DEAL, CLEAN)
    Path(DEAL).chmod(0)
    try:
        Path(DEAL).read_bytes()
    except PermissionError:
        seen = player.run(*CHECK, "--json")
        assert seen.code == 2
        assert one_document(seen.out)["error"]["code"] == "file_unreadable"
    else:
        pytest.skip("this user may read every file")


def test_calls_do_not_remember(player: Player) -> None:
    """A refused call leaves nothing behind for the next one."""
    player.write(DEAL, CLEAN)
    clean = player.run(*CHECK, "--json")
    player.write("c.yaml", CAPTAIN)
    player.write("bad.yaml", "[" * DEEP)
    assert player.run("check", "bad.yaml", "Орк", "--json").code == 2
    assert player.run(*CHECK, "--cards", "c.yaml", "--json").code == 0
    assert player.run(*CHECK, "--orderd", "--lang", "ru").code == 2
    assert player.run(*CHECK, "--json") == clean


def test_every_row_has_a_name_of_its_own() -> None:
    for names in ([row.name for row in BAD], [row.name for row in GOOD]):
        assert len(names) == len(set(names)), sorted(n for n in names if names.count(n) > 1)
