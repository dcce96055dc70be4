"""Answers as one page for a browser, made from the very documents that `--json` writes."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from squadbuilder import plots
from squadbuilder.answers import counted
from squadbuilder.deck_report import ranked
from squadbuilder.messages import Speaker
from squadbuilder.plots import Bar, Label
from squadbuilder.reading import data_folder

Document = Mapping[str, Any]
MOST_BYTES = 2_000_000
MOST_SQUADS = 24
"""Squads that stand side by side at most."""


def decks_page(
    speaker: Speaker,
    document: Document,
    facts: Mapping[str, Document],
    ends: Sequence[Document],
) -> str:
    """The page of `evaluate`: `facts` of its cards by name; `ends`, the worst and the best deal of
    each entry. If all would be too much for one page, the decks at the end have no section."""
    drawing = _Drawing(speaker)
    entries: list[Document] = list(document["decks"])
    pairs = list(zip(entries, ends, strict=True))
    decks = [
        drawing.deck(number, list(group))
        for number, (_, group) in enumerate(groupby(pairs, key=lambda pair: pair[0]["deck"]))
    ]
    view = {
        "document": document,
        "facts": facts,
        "ranking": ranked(entries),
        "seats": sorted({entry["player"] for entry in entries}),
        "figures": drawing.comparison(entries),
    }

    def page(full: int) -> str:
        return _render(
            speaker, "evaluate.html", **view, decks=decks[:full], hidden=len(decks[full:])
        )

    return _fitting(page, len(decks))


def squads_page(
    speaker: Speaker, document: Document, deal: Document, advice: str | None = None
) -> str:
    """The page of `solve`: the deal, its best squads side by side, and what each card cost;
    `advice` is what to do about a mulligan, if that was asked."""
    squads: list[Document] = list(document["squads"])
    figure = _Drawing(speaker).prices(squads[0], deal) if squads else ""

    def page(full: int) -> str:
        shown = squads[:full]
        return _render(
            speaker,
            "solve.html",
            document=document,
            deal=deal,
            advice=advice,
            squads=shown,
            bills=[_bill(squad) for squad in shown],
            names=_names(shown, deal),
            figure=figure,
            hidden=len(squads[full:]),
        )

    return _fitting(page, min(len(squads), MOST_SQUADS))


def _fitting(page: Callable[[int], str], most: int) -> str:
    """The fullest page that is not too large."""
    text = page(most)
    while most and len(text.encode()) > MOST_BYTES:
        most = min(most - 1, most * MOST_BYTES // len(text.encode()))
        text = page(most)
    return text


def _bill(squad: Document) -> dict[str, list[Document]]:
    """What the copies of each card cost, by name."""
    found: dict[str, list[Document]] = {}
    for step in _bought(squad):
        found.setdefault(step["card"]["name"], []).append(step)
    return found


def _bought(squad: Document) -> list[Document]:
    """The steps that brought a card: not those of a card that went to the graveyard itself."""
    return [step for step in squad["steps"] if step["card"]["name"] not in step["to_graveyard"]]


def _names(squads: Sequence[Document], deal: Document) -> list[str]:
    """The deal's cards, and those that joined squads from elsewhere."""
    dealt = [card["name"] for card in deal["cards"]]
    later = {card["name"] for squad in squads for card in squad["cards"]} - set(dealt)
    return [*dealt, *sorted(later)]


class _Drawing:
    """The figures of a page in one language."""

    def __init__(self, speaker: Speaker) -> None:
        self.say = speaker.say

    def deck(self, number: int, pairs: Sequence[tuple[Document, Document]]) -> dict[str, Any]:
        """A deck with its seats, and the figures of its values and mulligans."""
        entries = [entry for entry, _ in pairs]
        found: dict[str, Any] = {
            "key": f"d{number}",
            "name": entries[0]["name"],
            "seats": [{"entry": entry, "ends": ends} for entry, ends in pairs],
            "values": "",
            "curve": "",
        }
        name, key = found["name"], found["key"]
        histograms = {
            self.say(f"seat_{entry['player']}"): {int(v): n for v, n in entry["histogram"].items()}
            for entry in entries
            if entry["histogram"]
        }
        if histograms:
            label = self._label("values", self._measure(entries[0]), name)
            found["values"] = Markup(plots.counts(histograms, label, f"{key}v"))
        curves = {
            self.say(f"seat_{entry['player']}"): entry["mulligan"]["threshold"]
            for entry in entries
            if entry["mulligan"] and entry["mulligan"]["threshold"]
        }
        if curves:
            label = self._label("curve", self.say("html_mulligans_taken"), name)
            found["curve"] = Markup(plots.lines(curves, label, f"{key}m"))
        return found

    def comparison(self, entries: Sequence[Document]) -> dict[str, Markup]:
        """The means of all decks by seat, and what the swaps change, with intervals."""
        found: dict[str, Markup] = {}
        for seat in sorted({entry["player"] for entry in entries}):
            mine = [e for _, e in ranked(entries) if e["player"] == seat and e["best"]["ci95"]]
            bars = [Bar(e["name"], e["best"]["mean"], *e["best"]["ci95"]) for e in mine]
            if len(bars) > 1:
                label = self._label("means", self._measure(mine[0]), self.say(f"seat_{seat}"))
                found[seat] = Markup(plots.intervals(bars, label, f"means-{seat}"))
        swaps = [
            Bar(self._swapped(entry, swap, entries), swap["difference"], *swap["ci95"])
            for entry in entries
            for swap in entry["swaps"]
            if swap["ci95"]
        ]
        if swaps:
            label = self._label("swaps", self._measure(entries[0]), "")
            found["swaps"] = Markup(plots.intervals(swaps, label, "swaps", zero=True))
        return found

    def prices(self, squad: Document, deal: Document) -> Markup:
        """What each card of a squad cost beside what is printed on it."""
        printed = {card["name"]: card["cost"] for card in deal["known"]}
        steps = _bought(squad)
        names = [step["card"]["name"] for step in steps]
        series = {
            self.say("html_printed"): [printed[name] for name in names],
            self.say("html_paid"): [sum(step["paid"].values()) + step["penalty"] for step in steps],
        }
        return Markup(plots.prices(names, series, self._label("prices", "", ""), "prices"))

    def _swapped(self, entry: Document, swap: Document, entries: Sequence[Document]) -> str:
        if len(entries) == 1:
            return str(swap["swap"])
        seat = self.say(f"seat_{entry['player']}")
        return f"{swap['swap']}, {entry['name']}, {seat}"

    def _label(self, kind: str, across: str, name: str) -> Label:
        up = {"values": "html_up_values", "curve": "html_up_curve"}.get(kind)
        title, told = _TOLD[kind]
        across = self.say("html_up_prices") if kind == "prices" else across
        return Label(
            self.say(title, name=name),
            self.say(told),
            across,
            self.say(up) if up is not None else "",
        )

    def _measure(self, entry: Document) -> str:
        return self.say(f"measure_{entry['objective'][0].lstrip('-')}")


_TOLD = {
    "values": ("html_figure_values", "html_told_values"),
    "curve": ("html_figure_curve", "html_told_curve"),
    "means": ("html_figure_means", "html_told_means"),
    "swaps": ("html_figure_swaps", "html_told_swaps"),
    "prices": ("html_figure_prices", "html_told_prices"),
}
"""What a figure is called, and what it shows."""


def _render(speaker: Speaker, template: str, **view: object) -> str:
    shelf = FileSystemLoader(data_folder() / "report")
    room = Environment(
        loader=shelf,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    room.globals |= {
        "say": speaker.say,
        "language": speaker.language.value,
        "column": lambda code: speaker.say(f"column_{code}"),
        "crystals": lambda gold, silver: _crystals(speaker, gold, silver),
    }
    room.filters |= {
        "aim": lambda goal: _aim(speaker, goal),
        "step_words": lambda step: _step_words(speaker, step),
        "say": speaker.say,
        "percent": lambda part: f"{100 * part:.0f}%",
        "two": lambda number: f"{number:.2f}",
        "signed": lambda number: f"{number:+.2f}",
    }
    return re.sub(r"\n\s+", "\n", room.get_template(template).render(view)) + "\n"


def _aim(speaker: Speaker, goal: str) -> str:
    """A goal in words; `-` before it wants little."""
    measure = speaker.say(f"measure_{goal.removeprefix('-')}")
    return speaker.say("html_little", measure=measure) if goal.startswith("-") else measure


def _crystals(speaker: Speaker, gold: int, silver: int) -> str:
    """Crystals in short: 3g 2s."""
    parts = [speaker.say("gold_short", n=gold)] * bool(gold)
    parts += [speaker.say("silver_short", n=silver)] * bool(silver)
    return " ".join(parts) or speaker.say("free")


def _step_words(speaker: Speaker, step: Document) -> str:
    """The choices of a step, and what an ability used before recruitment did."""
    words: list[str] = []
    choices = step["choices"]
    if choices["bonus"] is not None:
        words.append(speaker.say("choice_bonus_yes" if choices["bonus"] else "choice_bonus_no"))
    if choices["x"] is not None:
        words.append(speaker.say("choice_x", x=choices["x"]))
    if choices["paid"] is not None:
        ordinary = choices["paid"] == "ordinary"
        words.append(speaker.say("choice_paid_ordinary" if ordinary else "choice_paid_elite"))
    if step["phase"] == "before":
        words.append(speaker.say("told_before"))
    for key in ("shown", "found", "to_graveyard", "exiled"):
        if step[key]:
            words.append(speaker.say(f"told_{key}", cards=counted(step[key])))
    return ", ".join(words)
