"""Drawings of figures as SVG inside a page: text stays text, colours follow the page."""

import io
import re
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from squadbuilder.errors import shown

_INK = "#010203"
_COLOURS = ("#010210", "#010220")
_PAGE = {_INK: "currentColor"} | {
    colour: f"var(--plot-{number})" for number, colour in enumerate(_COLOURS, start=1)
}
"""Stand-ins in the drawing, and what the page puts in their place in dark and light."""

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,
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
        axes.set_yticks(places, [_short(bar.name) for bar in bars])
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
        axes.set_yticks(range(len(names), 0, -1), [_short(name) for name in names])
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        return _svg(figure, label, key, legend=len(series) > 1)


_LINES = ("-", "--")
_MARKS = ("o", "s")


def _paper(width: float, height: float) -> tuple[Figure, matplotlib.axes.Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    for paper in (figure.patch, axes.patch):
        paper.set_visible(False)
    return figure, axes


def _short(name: str) -> str:
    """A name at an axis: of its length and with characters that leave room and sense to the drawing."""
    text = str(shown(name))
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"


_MOST_LETTERS = 40


def _svg(figure: Figure, label: Label, key: str, legend: bool = False) -> str:
    axes = figure.axes[0]
    axes.set_xlabel(label.across)
    axes.set_ylabel(label.up)
    if label.up:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if legend:
        figure.legend(loc="outside upper right", ncols=3, frameon=False, labelcolor=_INK)
    written = io.StringIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        figure.savefig(written, format="svg", metadata={"Date": None})
    return _inline(written.getvalue(), label, key)


def _inline(svg: str, label: Label, key: str) -> str:
    """The drawing alone, small, and with names that no other drawing of the page has."""
    used = set(re.findall(r"#([\w-]+)", svg))
    drawn = fromstring(svg)
    found = Element("svg", viewBox=drawn.attrib["viewBox"], role="img")
    found.set("aria-label", str(shown(label.title)))
    SubElement(found, "title").text = str(shown(label.title))
    SubElement(found, "desc").text = label.description
    found.extend(part for child in drawn for part in _bare(child, used, key))
    return tostring(found, "unicode")


def _bare(element: Element, used: Collection[str], key: str) -> list[Element]:
    """What has to stay of an element: what it draws, without groups and what the page says itself."""
    tag = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
    inside = [part for child in element for part in _bare(child, used, key)]
    attributes = dict(_attributes(element, used, key))
    if tag in ("metadata", "style") or (tag == "defs" and not inside):
        return []
    if tag == "g" and not attributes:
        return inside
    found = Element(tag, attributes)
    found.text = (element.text or "").strip()
    found.extend(inside)
    return [found]


def _attributes(element: Element, used: Collection[str], key: str) -> Iterator[tuple[str, str]]:
    for name, value in element.attrib.items():
        name = name.removeprefix("{http://www.w3.org/1999/xlink}")
        if name == "id" and value in used:
            yield name, f"{key}-{value}"
        elif name == "style":
            parts = [part for part in value.split("; ") if not _is_said(part, element)]
            if parts:
                yield name, _coloured("; ".join(parts)).replace("#", f"#{key}-")
        elif name != "id" and "rotate(-0 " not in value:
            value = re.sub(r"-?\d+\.\d{2,}", lambda number: f"{float(number[0]):.1f}", value)
            yield name, " ".join(value.split()).replace("#", f"#{key}-")


def _is_said(declaration: str, element: Element) -> bool:
    """Whether the page gives all drawings this style, or the part that is used again has it."""
    inherited = element.tag.endswith("use") and declaration.startswith("stroke")
    return inherited or declaration == f"fill: {_INK}" or declaration.startswith("font")


def _coloured(style: str) -> str:
    for stand_in, colour in _PAGE.items():
        style = style.replace(stand_in, colour)
    return style
