"""The swaps that a race left, for people and as CSV."""

import csv
import io
from collections.abc import Sequence
from typing import Any

from squadbuilder.deck_report import DeckReport

Fields = dict[str, Any]


class TuneReport(DeckReport):
    """Writes what a race of swaps found."""

    def race(self, found: Fields) -> None:
        """The deck as it is, how the swaps were chosen and judged, and the swaps left."""
        goal = found["objective"][0].lstrip("-")
        measure = self.say(f"measure_{goal}")
        facts = {"measure": measure, "rules": found["rules"], "seed": found["seed"]}
        self.print(self.say("evaluated", **facts))
        seat = self.say(f"seat_{found['player']}")
        self.print(self.say("evaluated_deck", name=found["name"], seat=seat))
        if found["mean"] is not None:
            mean, interval = f"{found['mean']:.2f}", self._interval(found["ci95"])
            self.print(self.say("tuned_mean", mean=mean, interval=interval, deals=found["deals"]))
        self.print(self.say("tuned_swaps", n=found["candidates"]))
        self._told(found)
        if found["swaps"]:
            self._swaps(found["swaps"])

    def _told(self, found: Fields) -> None:
        if not found["complete"]:
            self.print(self.say("tuned_partly"))
        if found["fresh"]:
            self.print(self.say("tuned_fresh", n=len(found["swaps"]), deals=found["deals"]))
        elif found["swaps"]:
            self.print(self.say("tuned_raced"))
        if found["complete"] and not any(swap["verdict"] == "gain" for swap in found["swaps"]):
            self.print(self.say("tuned_none"))

    def _swaps(self, swaps: Sequence[Fields]) -> None:
        rows = [
            [
                str(place),
                swap["out"],
                swap["into"],
                str(swap["deals"]),
                f"{swap['difference']:+.3f}",
                _interval(swap["interval"]),
                self.say(f"verdict_{swap['verdict']}"),
            ]
            for place, swap in enumerate(swaps, start=1)
        ]
        headings = ("number", "out", "into", "deals", "difference", "interval_all", "verdict")
        self.table(headings, rows)


def _interval(ends: Sequence[float] | None) -> str:
    return "" if ends is None else f"[{ends[0]:+.3f}…{ends[1]:+.3f}]"


def swaps_as_csv(found: Fields) -> str:
    """A line a swap, for spreadsheets."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for swap in found["swaps"]:
        low, high = swap["interval"] or ("", "")
        rows.writerow(
            [
                *(found[name] for name in ("deck", "player", "seed", "rules")),
                *(swap[name] for name in ("out", "into", "deals", "difference")),
                *(low, high, swap["verdict"]),
            ]
        )
    return text.getvalue()


_COLUMNS = (
    *("deck", "player", "seed", "rules", "out", "into", "deals", "difference"),
    *("low", "high", "verdict"),
)
