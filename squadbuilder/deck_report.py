"""Evaluated decks for people: a ranking, and for each what its best squads are made of; as CSV too."""

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from squadbuilder.deck_answers import Entry
from squadbuilder.messages import Speaker
from squadbuilder.pages import Page
from squadbuilder.terms import Element


class DeckReport(Page):
    """Writes what was found out about decks, on standard output or elsewhere."""

    def __init__(self, speaker: Speaker, plain: bool = False, stream: TextIO | None = None) -> None:
        super().__init__(speaker, plain)
        self.stream = stream

    def print(self, text: str) -> None:
        """One line."""
        print(text, file=self.stream or sys.stdout)

    def decks(
        self, entries: Sequence[Entry], failed: Sequence[tuple[str, str]], in_full: bool
    ) -> None:
        """The ranking with what is wrong with other decks, then each deck; in full with its cards."""
        if entries:
            self._head(entries)
        for deck, problem in failed:
            self.print(self.say("evaluate_failed", deck=deck, problem=problem))
        for entry in entries:
            if in_full or entry["together"] or entry["swaps"] or not entry["complete"]:
                self._deck(entry, in_full)

    def _head(self, entries: Sequence[Entry]) -> None:
        goal = entries[0]["objective"][0].lstrip("-")
        measure = self.say(f"measure_{goal}")
        self.print(
            self.say(
                "evaluated", measure=measure, rules=entries[0]["rules"], seed=entries[0]["seed"]
            )
        )
        self._ranking(entries)

    def _ranking(self, entries: Sequence[Entry]) -> None:
        less = entries[0]["objective"][0].startswith("-")
        rows: list[list[str]] = []
        for place, entry in ranked(entries):
            best, policy = entry["best"], entry["mulligan"]
            spread = [best[name] for name in ("min", "p10", "median", "p90", "max")]
            rows.append(
                [
                    str(place),
                    entry["name"],
                    self.say(f"seat_{entry['player']}"),
                    str(entry["deals"]),
                    _two(best["mean"]),
                    self._interval(best["ci95"]),
                    " ".join("-" if value is None else str(value) for value in spread),
                    f"{self.say('gold_short', n=_one(entry['gold_left']['mean']))} "
                    f"{self.say('silver_short', n=_one(entry['silver_left']['mean']))}",
                    _percent(entry["spends_all"]["share"]) if entry["spends_all"] else "",
                    self._threshold(policy, less),
                    _percent(policy["rate"]) if policy else "",
                ]
            )
        self.table(
            (
                *("number", "deck", "seat", "deals", "mean", "interval"),
                *("spread", "left", "spent", "keep", "given_up"),
            ),
            rows,
        )

    def _threshold(self, policy: Entry | None, less: bool) -> str:
        if not policy or not policy["threshold"]:
            return ""
        return f"{'≤' if less else '≥'} {policy['threshold'][0]}"

    def _deck(self, entry: Entry, in_full: bool) -> None:
        self.print("")
        seat = self.say(f"seat_{entry['player']}")
        self.print(self.say("evaluated_deck", name=entry["name"], seat=seat))
        if not entry["complete"]:
            self.print(self.say("evaluated_partly", n=entry["deals"]))
        if in_full:
            self._squads(entry)
            self._policy(entry)
        if entry["together"]:
            found = entry["together"]
            self.print(
                self.say(
                    "evaluated_together",
                    cards=", ".join(found["cards"]),
                    share=_percent(found["share"] or 0),
                    interval=self._interval(found["ci95"], 100),
                    dealt=found["dealt"],
                    deals=entry["deals"],
                )
            )
        for swap in entry["swaps"]:
            self.print(
                self.say(
                    "evaluated_swap",
                    swap=swap["swap"],
                    difference=f"{swap['difference']:+.2f}",
                    interval=self._interval(swap["ci95"]),
                )
            )
        if in_full:
            self._cards(entry)

    def _squads(self, entry: Entry) -> None:
        named = {element.value: self.say(element.value) for element in Element}
        elements = ", ".join(
            f"{named[element]} {_percent(part)}"
            for element, part in entry["elements"].items()
            if part
        )
        self.print(
            self.say(
                "evaluated_squads",
                cards=_one(entry["squad_cards"]["mean"]),
                creatures=_one(entry["creatures"]["mean"]),
                flyers=_one(entry["flyers"]["mean"]),
                elements=elements or self.say("no_elements"),
            )
        )
        if entry["no_squad"]:
            self.print(self.say("evaluated_none", n=entry["no_squad"]))
        share = _percent(entry["fell_back"] / entry["deals"]) if entry["deals"] else "0%"
        self.print(self.say("evaluated_searched", n=entry["fell_back"], share=share))

    def _policy(self, entry: Entry) -> None:
        policy = entry["mulligan"]
        if policy and policy["threshold"]:
            less = entry["objective"][0].startswith("-")
            self.print(
                self.say(
                    "evaluated_mulligan_less" if less else "evaluated_mulligan",
                    threshold=", ".join(map(str, policy["threshold"][:4])),
                    rate=_percent(policy["rate"]),
                    adds=f"{policy['adds']:+.2f}",
                    value=_two(policy["value"]),
                )
            )

    def _cards(self, entry: Entry) -> None:
        rows = [
            [
                use["name"],
                str(use["copies"]),
                _percent(use["dealt_share"]),
                self._share(use["in_all_best"], use["in_all_ci95"]),
                self._share(use["in_some_best"], use["ci95"]),
                "" if use["in_hand"] is None else _percent(use["in_hand"]),
                f"{use['worth']['difference']:+.2f} {self._interval(use['worth']['ci95'])}"
                if use["worth"]
                else "",
            ]
            for use in sorted(
                entry["card_use"], key=lambda use: (-(use["in_hand"] or 0), use["name"])
            )
        ]
        headings = ("card", "copies", "dealt", "in_all", "in_some", "in_hand", "worth")
        self.table(headings, rows)

    def _share(self, part: float | None, interval: Sequence[float] | None) -> str:
        return "" if part is None else f"{_percent(part)} {self._interval(interval, 100)}"

    def _interval(self, ends: Sequence[float] | None, times: int = 1) -> str:
        if ends is None:
            return ""
        if times == 100:
            return f"[{100 * ends[0]:.0f}…{100 * ends[1]:.0f}]"
        return f"[{ends[0]:.2f}…{ends[1]:.2f}]"


def ranked(entries: Sequence[Mapping[str, Any]]) -> list[tuple[int, Mapping[str, Any]]]:
    """The entries seat by seat, best mean first, each with its place on its seat."""
    found: list[tuple[int, Mapping[str, Any]]] = []
    place, seat = 0, ""
    for entry in sorted(entries, key=_rank):
        place, seat = place + 1 if entry["player"] == seat else 1, entry["player"]
        found.append((place, entry))
    return found


def _rank(entry: Mapping[str, Any]) -> tuple[str, float, str]:
    less = entry["objective"][0].startswith("-")
    return entry["player"], entry["best"]["mean"] * (1 if less else -1), entry["deck"]


def as_csv(entries: Sequence[Entry]) -> str:
    """A line a deck and seat, for spreadsheets."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for entry in entries:
        best, policy = entry["best"], entry["mulligan"] or {}
        low, high = best["ci95"] or ("", "")
        rows.writerow(
            [
                *(entry[name] for name in ("deck", "name", "player", "deals", "seed", "rules")),
                *(best["mean"], low, high),
                *(best[name] for name in ("min", "p10", "median", "p90", "max")),
                entry["gold_left"]["mean"],
                entry["silver_left"]["mean"],
                entry["spends_all"]["share"] if entry["spends_all"] else "",
                (policy.get("threshold") or [""])[0],
                *(policy.get(name, "") for name in ("rate", "value", "adds")),
                entry["fell_back"],
            ]
        )
    return text.getvalue()


_COLUMNS = (
    *("deck", "name", "player", "deals", "seed", "rules", "mean", "low", "high"),
    *("min", "p10", "median", "p90", "max", "gold_left", "silver_left", "spends_all"),
    *("keep_at", "mulligan_rate", "mulligan_value", "mulligan_adds", "fell_back"),
)


def _percent(part: float) -> str:
    return f"{100 * part:.0f}%"


def _one(number: float) -> str:
    return f"{number:.1f}"


def _two(number: float) -> str:
    return f"{number:.2f}"
