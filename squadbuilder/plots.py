"""Drawings of figures as SVG inside a page: text stays text, colours follow the page."""

import io
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

_INK = "#010203"
_COLOURS = ("#010210", "#010220", "#010230")
_PAGE = {_INK: "currentColor"} | {
    colour: f"var(--plot-{number})" for number, colour in enumerate(_COLOURS, start=1)
}
"""Stand-ins in the drawing, and what the page puts in their place in dark and light."""

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "squadbuilder",
    "svg.image_inline": True,
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": _INK,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
}


class Label(NamedTuple):
    """How a drawing is told to those who do not see it, and the words at its axes."""

    title: str
    description: str
    across: str
    up: str = ""


class Bar(NamedTuple):
    """A figure with its interval, by name."""

    name: str
    value: float
    low: float
    high: float


def counts(series: Mapping[str, Mapping[int, int]], label: Label, key: str) -> str:
    """How often each whole number occurs, a step line a series."""
    with matplotlib.rc_context(_STYLE):
        figure, axes = _paper(4.6, 2.6)
        low = min(min(found) for found in series.values())
        high = max(max(found) for found in series.values())
        edges = [value - 0.5 for value in range(low, high + 2)]
        for place, (name, found) in enumerate(series.items()):
            total = sum(found.values())
            shares = [100 * found.get(value, 0) / total for value in range(low, high + 1)]
            colour = _COLOURS[place]
            axes.stairs(shares, edges, fill=True, color=colour, alpha=0.35)
            axes.stairs(
                shares, edges, color=colour, linewidth=2, label=name, linestyle=_LINES[place]
            )
        return _svg(figure, label, key, legend=len(series) > 1)


def lines(series: Mapping[str, Sequence[float]], label: Label, key: str) -> str:
    """Numbers in their order, counted from 0, a line a series."""
    with matplotlib.rc_context(_STYLE):
        figure, axes = _paper(4.6, 2.6)
        for place, (name, found) in enumerate(series.items()):
            axes.plot(
                range(len(found)),
                found,
                color=_COLOURS[place],
                marker=_MARKS[place],
                linestyle=_LINES[place],
                label=name,
            )
        return _svg(figure, label, key, legend=len(series) > 1)


def intervals(bars: Sequence[Bar], label: Label, key: str, zero: bool = False) -> str:
    """Figures one below the other, each with its interval; `zero` marks where nothing changes."""
    with matplotlib.rc_context(_STYLE):
        figure, axes = _paper(4.6, 0.8 + 0.28 * len(bars))
        if zero:
            axes.axvline(0, color=_INK, linewidth=1, linestyle=":")
        places = list(range(len(bars), 0, -1))
        axes.errorbar(
            [bar.value for bar in bars],
            places,
            xerr=[[bar.value - bar.low for bar in bars], [bar.high - bar.value for bar in bars]],
            fmt="o",
            color=_COLOURS[0],
            elinewidth=2,
            markersize=4,
        )
        axes.set_yticks(places, [bar.name for bar in bars])
        axes.set_ylim(0.4, len(bars) + 0.6)
        return _svg(figure, label, key)


def prices(
    names: Sequence[str], series: Mapping[str, Sequence[float]], label: Label, key: str
) -> str:
    """Numbers of several cards side by side, a bar a series."""
    with matplotlib.rc_context(_STYLE):
        figure, axes = _paper(4.6, 1 + 0.36 * len(names))
        thick = 0.8 / len(series)
        for place, (name, found) in enumerate(series.items()):
            at = [
                len(names) - row - (place - (len(series) - 1) / 2) * thick
                for row in range(len(names))
            ]
            axes.barh(at, found, thick * 0.9, color=_COLOURS[place], label=name)
        axes.set_yticks(range(len(names), 0, -1), list(names))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        return _svg(figure, label, key, legend=len(series) > 1)


_LINES = ("-", "--", ":")
_MARKS = ("o", "s", "^")


def _paper(width: float, height: float) -> tuple[Figure, matplotlib.axes.Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(figure)
    return figure, figure.add_subplot()


def _svg(figure: Figure, label: Label, key: str, legend: bool = False) -> str:
    axes = figure.axes[0]
    axes.set_xlabel(label.across)
    axes.set_ylabel(label.up)
    if not axes.get_yticklabels() or label.up:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if legend:
        figure.legend(loc="outside upper right", ncols=3, frameon=False, labelcolor=_INK)
    written = io.StringIO()
    figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    return _inline(written.getvalue(), label, key)


def _inline(svg: str, label: Label, key: str) -> str:
    """The drawing alone, with names that no other drawing of the page has."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    for name in re.findall(r' id="([^"]*)"', svg):
        if f"#{name}" not in svg:
            svg = svg.replace(f' id="{name}"', "")
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{key}-", svg)
    svg = re.sub(r"font: 11px [^;\"]*", "font: 11px system-ui, sans-serif", svg)
    svg = re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", svg)
    for stand_in, colour in _PAGE.items():
        svg = svg.replace(stand_in, colour)
    svg = re.sub(r"\s*\n\s*", "\n", svg)
    box = re.search(r'viewBox="[^"]*"', svg)
    told = f"<title>{escape(label.title)}</title><desc>{escape(label.description)}</desc>"
    begin = (
        f'<svg {box[0] if box else ""} role="img" aria-label="{escape(label.title)}" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink">{told}'
    )
    return begin + svg[svg.index(">") + 1 :]
