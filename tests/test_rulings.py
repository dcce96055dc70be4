"""The rulings: examples of every rule that recruitment enforces, judged by the command line.

A file `tests/rulings/<rule number>.yaml` is a list of entries. What they expect comes from the rules
alone. An entry has

    why            what the example shows, with the rule's number (required)
    deal           keys of a deal file; `deal` left out is exactly the cards of `names`
    rules_changed  keys of a copy of the comprehensive ruleset that the deal is judged by
    cards          made-up cards for `--cards`
    any_size       false: without `--any-size`, so that the size of the deal is judged
    command        check (if left out), next or place
    file           the file of place, instead of a deal and names
    names          the names after DEAL, with their choices in brackets
    ordered        true: check with `--ordered`
    expect         what the answer must say; every key is compared, unknown keys are errors

`expect` knows

    legal, error                        the verdict; `error: true` is bad input
    gold_left, silver_left              of the squad, or of the purse before the next card
    step, other_order                   first illegal step; whether another order is legal
    codes, violations                   all of them in order; a violation's `short` is need - have
    paid, gained                        a step's [gold, silver, penalty]; its gained crystals
    reveals, says                       names; card to words that its reveal must mention
    elements, flyer_spent               of the squad
    moves, move_codes, options          of next, by card; an option is [gold, silver, penalty, gained]
    notes_mention                       words that the notes together must mention

and of place

    codes                               of placement, log and squad without returned cards, in this order
    faults, allowed                     of the placement: [rule, step, cell]; the cells allowed instead
    entries                             of the log: [rule, step]
    open, board, returned, rest         as answered; is the squad without the returned cards legal?
    uses, rules                         [player, card] of the log; the rules of the reveals
"""

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from squadbuilder.cli import main

Entry = dict[str, Any]
Answer = dict[str, Any]

FOLDER = Path(__file__).parent / "rulings"
RULESETS = Path(__file__).parents[1] / "data" / "rulesets"
ENTRY_KEYS = {
    *("why", "deal", "rules_changed", "cards", "any_size", "command", "names", "ordered", "expect"),
    "file",
}
RULE_NUMBERS = {
    *(
        "402.1",
        "402.4",
        "403.2.1",
        "403.2.2",
        "403.2.3",
        "403.2.3.1",
        "403.2.3.2",
        "404.1",
        "404.1.1",
        "404.1.2",
        "404.1.3",
        "403.1.1",
        "403.1.2",
        "403.1.3",
        "403.2.3.3",
        "403.2.4",
        "404.2",
        "404.2.1",
        "404.2.2",
        "532.8",
    ),
}
NINETEEN = (
    *("Мародер", "Тич", "Райская птица", "Ведающий запасами", "Эрманд", "Линдвурм", "Аммах"),
    *("Мираж", "Присягнувшая", "Абордажник", "Вольный воитель", "Ужас Исхара", "Ахтар"),
    *("Ведьмак", "Гном-отступник", "Храм вольных", "Капитан Тич", "Падшая Линнет"),
    "Алтарь Хигарта",
)
"""The cards of rulings section 4."""


def entries() -> dict[str, list[Entry]]:
    """The entries of every file by the rule's number."""
    files = sorted(FOLDER.glob("*.yaml"))
    return {file.stem: yaml.safe_load(file.read_text("utf-8")) for file in files}


ENTRIES = entries()
CASES = [
    pytest.param(entry, id=f"{rule}-{number}")
    for rule, group in ENTRIES.items()
    for number, entry in enumerate(group, 1)
]


def folded(name: str) -> str:
    """A name as names are compared (rulings section 3)."""
    text = unicodedata.normalize("NFC", name).casefold().replace("ё", "е")
    return " ".join(text.split())


def without_choices(name: str) -> str:
    """A name without the choices in brackets."""
    return re.sub(r"\s*\[.*\]$", "", name)


# What the answer says about a key of `expect`, in the form in which the key states it.


def _steps(answer: Answer) -> list[Answer]:
    steps: list[Answer] = answer["squad"]["steps"]
    return steps


def _purse(answer: Answer, colour: str) -> object:
    return answer[colour] if answer["command"] == "next" else answer["squad"][f"{colour}_left"]


def _codes(answer: Answer) -> list[str]:
    told: list[Answer] = answer.get("violations", []) + answer.get("log_violations", [])
    if answer["command"] == "place":
        told += answer.get("squad", {}).get("violations", [])
    return [violation["code"] for violation in told]


def _reveals(answer: Answer) -> list[Answer]:
    squad: Answer = answer if answer["command"] == "place" else answer["squad"]
    found: list[Answer] = squad["reveals"]
    return found


def _violations(answer: Answer, wanted: list[Entry]) -> list[Entry]:
    told: list[Answer] = answer["violations"]
    if len(told) != len(wanted):
        return told
    return [
        {
            key: violation["need"] - violation["have"] if key == "short" else violation[key]
            for key in keys
        }
        for violation, keys in zip(told, wanted, strict=True)
    ]


def _moves(answer: Answer, wanted: Entry) -> dict[str, list[Answer]]:
    """The moves of each card of `wanted`, several if the answer has a line for every copy."""
    told: list[Answer] = answer["moves"]
    return {
        name: [move for move in told if folded(move["card"]["name"]) == folded(name)]
        for name in wanted
    }


def _same(values: list[Any]) -> object:
    """The value that all copies of a card agree on."""
    return values[0] if values and all(value == values[0] for value in values) else values


def _options(move: Answer) -> list[list[int]]:
    return sorted(
        [option["paid"]["gold"], option["paid"]["silver"], option["penalty"], option["gained"]]
        for option in move["options"]
    )


def _missing(words: list[str], texts: list[str]) -> list[str]:
    return [word for word in words if word not in "\n".join(texts)]


def _says(answer: Answer, wanted: dict[str, list[str]]) -> dict[str, list[str]]:
    reveals = _reveals(answer)
    said = {
        name: [told["say"] for told in reveals if folded(_card(told)) == folded(name)]
        for name in wanted
    }
    return {
        name: [word for word in words if word not in _missing([word], said[name])]
        for name, words in wanted.items()
    }


def _card(reveal: Answer) -> str:
    card: str | Answer = reveal["card"]
    return card if isinstance(card, str) else str(card["name"])


def _notes(answer: Answer, wanted: list[str]) -> list[str]:
    lacking = _missing(wanted, answer["notes"])
    return [word for word in wanted if word not in lacking]


SAYS: dict[str, Callable[[Answer, Any], object]] = {
    "legal": lambda answer, _: answer["legal"],
    "error": lambda answer, _: "error" in answer,
    "gold_left": lambda answer, _: _purse(answer, "gold"),
    "silver_left": lambda answer, _: _purse(answer, "silver"),
    "step": lambda answer, _: answer["step"],
    "other_order": lambda answer, _: "order" in answer,
    "codes": lambda answer, _: _codes(answer),
    "violations": _violations,
    "paid": lambda answer, _: [
        [step["paid"]["gold"], step["paid"]["silver"], step["penalty"]] for step in _steps(answer)
    ],
    "gained": lambda answer, _: [step["gained"] for step in _steps(answer)],
    "reveals": lambda answer, _: [_card(reveal) for reveal in _reveals(answer)],
    "says": _says,
    "elements": lambda answer, wanted: (
        sorted(answer["squad"]["elements"], key=wanted.index)
        if set(answer["squad"]["elements"]) == set(wanted)
        else answer["squad"]["elements"]
    ),
    "flyer_spent": lambda answer, _: answer["squad"]["flyer_spent"],
    "moves": lambda answer, wanted: {
        name: _same([move["legal"] for move in moves])
        for name, moves in _moves(answer, wanted).items()
    },
    "move_codes": lambda answer, wanted: {
        name: _same([[told["code"] for told in move["violations"]] for move in moves])
        for name, moves in _moves(answer, wanted).items()
    },
    "options": lambda answer, wanted: {
        name: _same([_options(move) for move in moves])
        for name, moves in _moves(answer, wanted).items()
    },
    "notes_mention": _notes,
    "faults": lambda answer, _: [
        [found["rule"], found["step"], found["cell"]] for found in answer["violations"]
    ],
    "allowed": lambda answer, _: [found["allowed"] for found in answer["violations"]],
    "entries": lambda answer, _: [
        [found["rule"], found["step"]] for found in answer["log_violations"]
    ],
    "open": lambda answer, _: answer["open"],
    "board": lambda answer, _: answer["board"],
    "returned": lambda answer, _: answer["returned"],
    "rest": lambda answer, _: answer["squad"]["legal"],
    "uses": lambda answer, _: [
        [used["player"], used["card"]] for used in answer["after_placement"]
    ],
    "rules": lambda answer, _: [reveal["rule"] for reveal in answer["reveals"]],
}


def write(path: Path, content: object) -> str:
    """Write a file as YAML and return its path."""
    path.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), "utf-8")
    return str(path)


def command_line(entry: Entry, folder: Path) -> list[str]:
    """The files that an entry needs, written, and the arguments that judge it."""
    if entry.get("command") == "place":
        return ["place", write(folder / "squad.yaml", entry["file"]), "--json", "--lang", "en"]
    names: list[str] = entry.get("names", [])
    deal: Entry = {"deal": [without_choices(name) for name in names], **entry.get("deal", {})}
    if "rules_changed" in entry:
        rules = yaml.safe_load((RULESETS / "comprehensive.yaml").read_text("utf-8"))
        deal["rules"] = write(folder / "changed.yaml", {**rules, **entry["rules_changed"]})
    arguments = [entry.get("command", "check"), write(folder / "deal.yaml", deal), *names]
    if "cards" in entry:
        arguments += ["--cards", write(folder / "cards.yaml", {"cards": entry["cards"]})]
    if entry.get("ordered"):
        arguments.append("--ordered")
    if entry.get("any_size", True):
        arguments.append("--any-size")
    return [*arguments, "--json"]


def exit_code(entry: Entry) -> int:
    """0 legal, 1 illegal, 2 bad input; asking for the next cards has no verdict."""
    expect: Entry = entry["expect"]
    if expect.get("error"):
        return 2
    return 0 if entry.get("command") == "next" or expect["legal"] else 1


@pytest.mark.parametrize("entry", CASES)
def test_ruling(entry: Entry, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The answer says everything that the entry expects."""
    code = main(command_line(entry, tmp_path))
    out, _ = capfdbinary.readouterr()
    answer: Answer = json.loads(out.decode("utf-8"))
    expect: Entry = entry["expect"]
    assert (answer["schema"], answer["command"]) == (1, entry.get("command", "check"))
    try:
        told = {key: SAYS[key](answer, wanted) for key, wanted in expect.items()}
    except (KeyError, TypeError) as missing:
        pytest.fail(f"{entry['why']}\nthe answer has no {missing}:\n{out.decode('utf-8')}")
    assert told == expect, entry["why"]
    assert code == exit_code(entry), entry["why"]


@pytest.mark.parametrize("entry", CASES)
def test_entry_is_well_formed(entry: Entry) -> None:
    """Every entry cites a rule and uses known keys only."""
    assert set(entry) <= ENTRY_KEYS
    assert set(entry["expect"]) <= set(SAYS)
    assert re.search(r"\b(40[234]|532)\.\d|\brulings section \d", entry["why"])
    if entry.get("command", "check") == "check":
        assert "legal" in entry["expect"] or "error" in entry["expect"]
    if entry["expect"].get("legal") is False:
        assert entry["expect"]["codes"], "a failing example names the violation"
    else:
        assert entry["expect"], "an example expects something"
    assert all(int(card["id"]) >= 90000 for card in entry.get("cards", []))


def test_every_rule_has_a_file() -> None:
    """Each rule that recruitment enforces has its file."""
    assert set(ENTRIES) >= RULE_NUMBERS


@pytest.mark.parametrize("rule", ENTRIES)
def test_file_has_both_verdicts(rule: str) -> None:
    """Each file has a passing and a failing example, and no example twice."""
    group = ENTRIES[rule]
    assert {entry["expect"]["legal"] for entry in group if "legal" in entry["expect"]} == {
        True,
        False,
    }
    assert len({entry["why"] for entry in group}) == len(group)


@pytest.mark.parametrize("name", NINETEEN)
def test_card_has_both_verdicts(name: str) -> None:
    """Each card of rulings section 4 is recruited in a passing and in a failing example."""
    verdicts = {
        entry["expect"]["legal"]
        for group in ENTRIES.values()
        for entry in group
        if "legal" in entry["expect"]
        and folded(name) in {folded(without_choices(one)) for one in entry.get("names", [])}
    }
    assert verdicts == {True, False}
