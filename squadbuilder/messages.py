"""The message table: every text that a user sees, by code, in Russian and English."""

import locale
import os
import string
from collections.abc import Mapping
from enum import Enum
from functools import cache

from squadbuilder.reading import Term, data_folder, parse, read_text


class Language(str, Enum):
    """The languages of the message table."""

    RU = "ru"
    EN = "en"


def language(stated: str | None = None) -> Language:
    """The stated language, else SQUADBUILDER_LANG, else that of the locale; English if none fits."""
    for word in (stated, os.environ.get("SQUADBUILDER_LANG")):
        if word in ("ru", "en"):
            return Language(word)
    names = [os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    name = next((name for name in names if name), None) or locale.getlocale()[0] or ""
    return Language.RU if name.lower().startswith(("ru", "russian")) else Language.EN


def plural(count: int, language: Language) -> int:
    """Which form of a word goes with the number, by the plural rules of Unicode CLDR."""
    number = abs(count)
    if language is Language.EN:
        return 0 if number == 1 else 1
    if number % 10 == 1 and number % 100 != 11:
        return 0
    return 1 if number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14) else 2


@cache
def table() -> Mapping[str, Mapping[Language, str]]:
    """All messages: code, then language."""
    root = parse(read_text(data_folder() / "messages.yaml"))
    words = [language.value for language in Language]
    return {
        code: {
            language: node.mapping(words, required=words)[language.value].text()
            for language in Language
        }
        for code, node in root.entries().items()
    }


class Speaker(string.Formatter):
    """Says messages in one language."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def say(self, code: str, **params: object) -> str:
        """The message of this code with its parameters filled in."""
        return self.vformat(table()[code][self.language], (), params)

    def format_field(self, value: object, format_spec: str) -> str:
        if isinstance(value, Term):
            return self.say(value.code)
        if "|" in format_spec and isinstance(value, int):
            return f"{value} {format_spec.split('|')[plural(value, self.language)]}"
        return str(value)
