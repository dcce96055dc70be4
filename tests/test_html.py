"""Pages for a browser: their figures are those of --json, their tables are sound, nothing is lost."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from dealing import DECKS

from squadbuilder import plots
from squadbuilder.cards import catalogue
from squadbuilder.cli import main
from squadbuilder.deal import Overrides, read_deal
from squadbuilder.html_report import MOST_BYTES, decks_page
from squadbuilder.messages import Language, Speaker
from squadbuilder.reading import data_folder
from squadbuilder.terms import fold

FARRO = str(next(path for path in DECKS if path.stem == "04-farro"))
ORCS = str(next(path for path in DECKS if path.stem == "27-lesnye-orki"))
DEAL = str(data_folder() / "deals" / "farro-mirage.yaml")
VOID = {"meta", "link", "br", "input", "path", "use", "rect"}


@dataclass
class Row:
    """A row of a table: its attributes, and each cell's figures (as the answer has them) and text."""

    attributes: dict[str, str | None]
    figures: list[list[Any]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


class PageReader(HTMLParser):
    """Tables by id with their column keys and rows; headings, ids, and what is never closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.columns: dict[str, list[str | None]] = {}
        self.rows: dict[str, list[Row]] = {}
        self.captions: list[str] = []
        self.headings: list[int] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.drawings = 0
        self.lists: dict[str, list[str]] = {}
        self.figures: list[tuple[list[Any], str]] = []
        self._table = self._list = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in VOID:
            self._open.append(tag)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        self.links += [str(given[name]) for name in ("href", "src", "xlink:href") if name in given]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        elif tag == "ul":
            self._list = given.get("id") or ""
            self.lists[self._list] = []
        elif tag == "svg":
            self.drawings += 1
            assert given["role"] == "img" and given["aria-label"]
        elif tag == "table":
            self._table = str(given["id"])
            self.columns[self._table], self.rows[self._table] = [], []
        elif tag == "tr" and "thead" not in self._open:
            self.rows[self._table].append(Row(given))
        elif tag in ("td", "th") and "thead" in self._open:
            self.columns[self._table].append(given.get("data-key"))
            assert tag == "td" or given["scope"] == "col"
        elif tag in ("td", "th"):
            assert tag == "td" or given["scope"] == "row"
            self.rows[self._table][-1].figures.append([])
            self.rows[self._table][-1].texts.append("")
        elif tag == "data":
            numbers = [json.loads(word) for word in str(given["value"]).split()]
            cell = numbers[0] if len(numbers) == 1 else numbers
            self.figures.append((numbers, ""))
            self.rows[self._table][-1].figures[-1].append(cell)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-2:] == ["caption", "span"]:
            self.captions.append(data)
        if self._open and self._open[-1] == "data":
            numbers, text = self.figures[-1]
            self.figures[-1] = numbers, text + data
        if self._open and self._open[-1] == "li":
            self.lists[self._list].append(data)
        if "tbody" in self._open and {"td", "th"} & set(self._open):
            self.rows[self._table][-1].texts[-1] += data.strip("\n")

    def dicts(self, table: str) -> Iterator[tuple[Row, dict[str | None, list[Any]]]]:
        """The rows of a table, each with its figures by column."""
        for row in self.rows[table]:
            yield row, dict(zip(self.columns[table], row.figures, strict=True))


def only(*values: Any) -> list[Any]:
    return [value for value in values if value is not None]


@dataclass(frozen=True)
class Made:
    """A page with the answer given in the same run."""

    answer: dict[str, Any]
    text: str
    page: PageReader


def made(folder: Path, *arguments: str) -> Made:
    target = folder / "page.html"
    command = [sys.executable, "-m", "squadbuilder", *arguments, "--html", str(target), "--json"]
    run = subprocess.run(command, capture_output=True, check=True)
    text = target.read_text("utf-8")
    return Made(json.loads(run.stdout), text, PageReader(text))


EVALUATE = ("--deals", "60", "--seed", "7", "--swap", "Фарро=Мираж", "--together", "Мираж")


@pytest.fixture(scope="module", params=["ru", "en"])
def decks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made(tmp_path_factory.mktemp("p"), "evaluate", FARRO, *EVALUATE, "--lang", request.param)


@pytest.fixture(scope="module", params=["ru", "en"])
def squads(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("p")
    return made(folder, "solve", DEAL, "--top", "3", "--lang", request.param)


def entry_of(found: Made, row: Row) -> dict[str, Any]:
    wanted = row.attributes["data-deck"], row.attributes["data-player"]
    return next(e for e in found.answer["decks"] if (e["deck"], e["player"]) == wanted)


def test_the_comparison_equals_the_answer(decks: Made) -> None:
    rows = list(decks.page.dicts("comparison"))
    assert len(rows) == len(decks.answer["decks"]) == 2
    for row, cells in rows:
        entry = entry_of(decks, row)
        for key in ("mean", "ci95", "min", "p10", "median", "p90", "max"):
            assert cells[key] == [entry["best"][key]], key
        assert cells["deals"] == [entry["deals"]]
        assert cells["spends_all"] == [entry["spends_all"]["share"]]
        assert cells["threshold"] == [entry["mulligan"]["threshold"][0]]
        assert cells["rate"] == [entry["mulligan"]["rate"]]
        assert cells["adds"] == [entry["mulligan"]["adds"]]


def test_swaps_and_cards_together_equal_the_answer(decks: Made) -> None:
    assert len(decks.page.rows["swaps"]) == len(decks.page.rows["together"]) == 2
    for row, cells in decks.page.dicts("swaps"):
        swap = entry_of(decks, row)["swaps"][0]
        for key in ("deals", "mean", "difference", "ci95"):
            assert cells[key] == [swap[key]], key
    for row, cells in decks.page.dicts("together"):
        together = entry_of(decks, row)["together"]
        for key in ("dealt", "fit", "share", "ci95"):
            assert cells[key] == [together[key]], key


def test_values_mulligans_and_cards_equal_the_answer(decks: Made) -> None:
    page = decks.page
    for entry in decks.answer["decks"]:
        key = f"d0-{entry['player']}"
        values = {row.texts[0]: row.figures[1][0] for row in page.rows[f"{key}-values"]}
        assert values == entry["histogram"]
        (curve,) = page.rows[f"{key}-curve"]
        assert [cell[0] for cell in curve.figures[1:]] == entry["mulligan"]["threshold"]
        figures = {row.attributes["data-key"]: row.figures for row in page.rows[f"{key}-squads"]}
        for name in ("gold_left", "silver_left", "squad_cards", "creatures", "flyers"):
            wanted = [[entry[name][part]] for part in ("mean", "p10", "median", "p90")]
            assert figures[name][1:] == wanted, name
        cards = list(page.dicts(f"{key}-cards"))
        for (row, cells), use in zip(cards, entry["card_use"], strict=True):
            assert row.texts[0] == use["name"]
            assert cells["copies"] == [use["copies"]]
            assert cells["dealt_share"] == [use["dealt_share"]]
            assert cells["in_all_best"] == only(use["in_all_best"], use["in_all_ci95"])
            assert cells["in_some_best"] == only(use["in_some_best"], use["ci95"])
            assert cells["in_hand"] == only(use["in_hand"])
            worth = use["worth"] or {"difference": None, "ci95": None}
            assert cells["worth"] == only(worth["difference"], worth["ci95"])


def ledger(page: PageReader, table: str, squad: dict[str, Any]) -> None:
    rows = list(page.dicts(table))
    for (row, cells), step in zip(rows, squad["steps"], strict=True):
        assert row.texts[1] == step["card"]["name"]
        assert cells["paid"] == [[step["paid"]["gold"], step["paid"]["silver"]]]
        assert cells["left"] == [[step["left"]["gold"], step["left"]["silver"]]]
        assert cells.get("penalty", []) == only(step["penalty"] or None)
        assert cells.get("gained", []) == only(step["gained"] or None)


def test_the_deals_at_both_ends_are_those_that_draw_and_solve_show(
    decks: Made, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for entry in decks.answer["decks"]:
        for end in ("lowest", "highest"):
            deal, index = str(tmp_path / "deal.yaml"), str(entry[end]["index"])
            seat = ("--player", entry["player"], "--seed", "7", "--index", index)
            assert main(["draw", FARRO, *seat, "--out", deal, "--json"]) == 0
            Path(deal).rename(tmp_path / "again.yaml")
            capfdbinary.readouterr()
            assert main(["solve", str(tmp_path / "again.yaml"), "--json"]) == 0
            (squad,) = json.loads(capfdbinary.readouterr().out)["squads"]
            key = f"d0-{entry['player']}-{end}"
            dealt = Counter(
                card.name
                for card in read_deal(str(tmp_path / "again.yaml"), catalogue(), Overrides()).cards
            )
            assert dealt == dict(map(counted, decks.page.lists[f"{key}-deal"]))
            assert squad["values"]["cost"] == entry[end]["value"]
            ledger(decks.page, f"{key}-squad", squad)


def counted(line: str) -> tuple[str, int]:
    count, space, name = line.partition(" ")
    return (name, int(count)) if space and count.isdigit() else (line, 1)


def test_squads_side_by_side_equal_the_answer(squads: Made) -> None:
    assert len(squads.answer["squads"]) == 3
    side_by_side(squads.page, squads.answer["squads"])


def side_by_side(page: PageReader, found: list[dict[str, Any]]) -> None:
    for row in page.rows["squads"]:
        measure = row.attributes.get("data-measure")
        for squad, cell in zip(found, row.figures[1:], strict=True):
            if measure is not None:
                assert cell == [squad["values"][measure]]
            else:
                steps = [s for s in squad["steps"] if s["card"]["name"] == row.texts[0]]
                paid = [[s["paid"]["gold"] + s["penalty"], s["paid"]["silver"]] for s in steps]
                assert cell == paid
                assert len(paid) == sum(c["name"] == row.texts[0] for c in squad["cards"])
    for squad in found:
        bought = {
            row.texts[0] for row in page.rows["squads"] if "data-measure" not in row.attributes
        }
        assert {card["name"] for card in squad["cards"]} <= bought
    for number, squad in enumerate(found, start=1):
        ledger(page, f"squad-{number}", squad)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """What is drawn, by kind of drawing."""
    found: dict[str, list[Any]] = {}

    def watched(kind: str) -> Callable[..., str]:
        draw: Callable[..., str] = getattr(plots, kind)

        def watching(*facts: Any, **more: Any) -> str:
            found.setdefault(kind, []).append(facts)
            return draw(*facts, **more)

        return watching

    for kind in ("counts", "lines", "intervals", "prices"):
        monkeypatch.setattr(plots, kind, watched(kind))
    return found


def test_drawings_show_the_answer_on_decks(
    drawn: dict[str, list[Any]], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = [*EVALUATE, "--lang", "en", "--json", "--html", str(tmp_path / "page.html")]
    assert main(["evaluate", FARRO, *asked]) == 0
    first, second = json.loads(capfd.readouterr().out)["decks"]
    seats = {"first": first, "second": second}
    (series, *_), *others = drawn["counts"]
    assert not others
    assert {s: {str(v): n for v, n in found.items()} for s, found in series.items()} == {
        seat: entry["histogram"] for seat, entry in seats.items()
    }
    ((curves, *_),) = drawn["lines"]
    assert curves == {seat: entry["mulligan"]["threshold"] for seat, entry in seats.items()}
    ((swaps, *_),) = drawn["intervals"]
    changes = [entry["swaps"][0] for entry in (first, second)]
    assert [bar[1:] for bar in swaps] == [(s["difference"], *s["ci95"]) for s in changes]


def test_the_means_of_decks_are_drawn_by_seat(
    drawn: dict[str, list[Any]], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = ["--deals", "20", "--seed", "7", "--json", "--html", str(tmp_path / "page.html")]
    assert main(["evaluate", FARRO, ORCS, *asked]) == 0
    entries = json.loads(capfd.readouterr().out)["decks"]
    for (bars, *_), seat in zip(drawn["intervals"], ("first", "second"), strict=True):
        assert {tuple(bar) for bar in bars} == {
            (entry["name"], entry["best"]["mean"], *entry["best"]["ci95"])
            for entry in entries
            if entry["player"] == seat
        }


ABILITIES = {
    "recruiter": """
player: second
deal: [Рекрутер Храма, Скелет, Кровавый шаман, Бешеный орк]
deck: [2 Рекрутер Храма, 3 Скелет, 3 Кровавый шаман, 3 Бешеный орк, 4 Мираж]
""",
    "enslaver": """
deal: [Поработитель Ордена, Бешеный орк]
deck: [Поработитель Ордена, Бешеный орк, 2 Элементаль молний]
""",
    "linnet": """
deal: [Линнет, Ахтар, Бешеный орк]
""",
}


@pytest.mark.parametrize("kind", ABILITIES)
def test_cards_that_abilities_bring_stand_in_the_squads(
    drawn: dict[str, list[Any]], tmp_path: Path, capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    deal, target = tmp_path / "deal.yaml", tmp_path / "page.html"
    deal.write_text(ABILITIES[kind], "utf-8")
    asked = ["--any-size", "--maximize", "cards,gold_left", "--top", "2", "--lang", "en", "--json"]
    assert main(["solve", str(deal), *asked, "--html", str(target)]) == 0
    found = json.loads(capfd.readouterr().out)["squads"]
    assert any(step["phase"] == "before" for squad in found for step in squad["steps"])
    side_by_side(PageReader(target.read_text("utf-8")), found)
    ((names, series, *_),) = drawn["prices"]
    known = {card.key: card.cost for card in catalogue().by_key.values()}
    assert names == [card["name"] for card in found[0]["cards"]]
    assert series["printed"] == [known[fold(name)] for name in names]
    steps = [s for s in found[0]["steps"] if s["card"]["name"] not in s["to_graveyard"]]
    assert series["paid"] == [sum(s["paid"].values()) + s["penalty"] for s in steps]


@pytest.mark.parametrize("name", ["$\\frac$ x", "$5 and $6", "Дракон 🐉", "long " * 60, "a\x07b"])
def test_any_name_can_be_drawn(recwarn: pytest.WarningsRecorder, name: str) -> None:
    label = plots.Label(name, "told", "cost")
    bars = [plots.Bar(name, 1, 0, 2), plots.Bar("plain", 2, 1, 3)]
    for svg in (
        plots.intervals(bars, label, "k"),
        plots.prices([name, "plain"], {name: [1, 2]}, label, "k"),
    ):
        PageReader(svg)
        words = [part.text or "" for part in fromstring(svg).iter() if part.tag == "text"]
        shown = name if len(name) <= 40 else name[:39] + "…"
        assert shown.replace("\x07", "\N{REPLACEMENT CHARACTER}") in words
    assert not recwarn.list


def test_what_is_read_about_decks_is_the_figure(decks: Made) -> None:
    read_as_figures(decks)


def test_what_is_read_about_squads_is_the_figure(squads: Made) -> None:
    read_as_figures(squads)


def read_as_figures(found: Made) -> None:
    for numbers, text in found.page.figures:
        scale = (
            100 if "%" in text or (numbers != [0, 1] and re.fullmatch(r"\[\d+…\d+\]", text)) else 1
        )
        read = re.findall(r"[+-]?\d+(?:\.\d+)?", text)
        wanted = numbers if len(read) == len(numbers) else [n for n in numbers if n]
        assert len(read) == len(wanted), (numbers, text)
        for word, number in zip(read, wanted, strict=True):
            digits = len(word.partition(".")[2])
            assert abs(float(word) - scale * number) <= 0.5001 * 10**-digits, (numbers, text)


def test_the_page_of_decks_is_sound_and_needs_nothing_else(decks: Made) -> None:
    sound(decks)


def test_the_page_of_squads_is_sound_and_needs_nothing_else(squads: Made) -> None:
    sound(squads)


def sound(found: Made) -> None:
    page = found.page
    assert page.headings.count(1) == 1 and page.headings[0] == 1
    steps = zip(page.headings, page.headings[1:], strict=False)
    assert all(later <= earlier + 1 for earlier, later in steps)
    assert len(page.ids) == len(set(page.ids))
    assert len(page.captions) == len(page.rows) and all(page.captions)
    assert page.drawings >= 1
    for link in page.links:
        assert link == "data:," or (link[0] == "#" and link[1:] in page.ids), link
    assert not re.search(r"@import|url\((?!#)", found.text)
    assert len(found.text.encode()) < MOST_BYTES


def test_names_are_text_never_markup(decks: Made) -> None:
    entry = {**decks.answer["decks"][0], "name": "<b>&\"'"}
    document = {**decks.answer, "decks": [entry], "notes": ["<script>alert(1)</script>"]}
    blank = {"cost": 1, "elite": False, "elements": [], "type": "creature", "classes": ["<i>"]}
    facts = {use["name"]: {**blank, "name": use["name"]} for use in entry["card_use"]}
    ends = [{"lowest": None, "highest": None}]
    text = decks_page(Speaker(Language.EN), document, facts, ends)
    PageReader(text)
    assert "<b>" not in text and "<i>" not in text and "<script>alert" not in text


def test_a_page_that_would_be_too_large_leaves_out_sections(
    decks: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = decks.answer["decks"][0]
    document = {**decks.answer, "decks": [{**entry, "deck": str(n)} for n in range(4)]}
    blank = {"cost": 1, "elite": False, "elements": [], "type": "creature", "classes": []}
    facts = {use["name"]: {**blank, "name": use["name"]} for use in entry["card_use"]}
    ends = [{"lowest": None, "highest": None}] * 4
    whole = len(decks_page(Speaker(Language.EN), document, facts, ends).encode())
    monkeypatch.setattr("squadbuilder.html_report.MOST_BYTES", whole - 1)
    text = decks_page(Speaker(Language.EN), document, facts, ends)
    assert len(text.encode()) < whole
    page = PageReader(text)
    assert len(page.rows["comparison"]) == 4 and "d2-first-cards" in page.rows
    assert "d3-first-cards" not in page.rows and "1 deck has no section" in text


def test_a_file_is_never_overwritten_and_refused_at_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "page.html"
    target.write_text("mine", "utf-8")
    for command in (["solve", DEAL], ["evaluate", FARRO, "--deals", "10000000"]):
        assert main([*command, "--html", str(target), "--lang", "en"]) == 2
        assert "--force" in capfd.readouterr().err
    assert target.read_text("utf-8") == "mine"
    assert main(["solve", DEAL, "--html", str(target), "--force"]) == 0
    assert target.read_text("utf-8").startswith("<!doctype html>")


def test_what_cannot_be_written_is_refused_at_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for target in (tmp_path, tmp_path / "missing" / "page.html"):
        for option in ("--html", "--csv"):
            asked = [option, str(target), "--force", "--lang", "en"]
            assert main(["evaluate", FARRO, "--deals", "10000000", *asked]) == 2
            assert "cannot be written" in capfd.readouterr().err
        assert main(["solve", DEAL, "--html", str(target), "--force", "--lang", "en"]) == 2
        assert "cannot be written" in capfd.readouterr().err


def test_ctrl_c_while_the_page_is_made_keeps_the_answer(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("squadbuilder.showcase.solve", pressed)
    target = tmp_path / "page.html"
    asked = ["--deals", "20", "--seed", "7", "--html", str(target), "--json", "--lang", "en"]
    assert main(["evaluate", FARRO, *asked]) == 130
    answer = json.loads(capfd.readouterr().out)
    assert len(answer["decks"]) == 2 and any(
        note.startswith("interrupted") for note in answer["notes"]
    )
    assert not target.exists()


def test_a_page_goes_with_a_table_and_with_what_was_kept(tmp_path: Path) -> None:
    kept, first, again = (str(tmp_path / name) for name in ("kept.jsonl", "1.html", "2.html"))
    table = str(tmp_path / "table.csv")
    asked = ["evaluate", FARRO, ORCS, "--deals", "20", "--seed", "7", "--player", "second"]
    assert main([*asked, "--out", kept, "--html", first, "--csv", table]) == 0
    assert main([*asked, "--out", kept, "--html", again, "--resume"]) == 0
    pages = [PageReader(Path(page).read_text("utf-8")) for page in (first, again)]
    assert pages[0].rows == pages[1].rows
    assert len(Path(table).read_text("utf-8").splitlines()) == 3


def test_an_aim_for_little_has_a_page(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "page.html"
    aim = ["--deals", "3", "--player", "first", "--maximize", "-gold_left"]
    asked = [*aim, "--seed", "7", "--lang", "en", "--json", "--html", str(target)]
    assert main(["evaluate", FARRO, *asked]) == 0
    (first,) = json.loads(capfd.readouterr().out)["decks"]
    page = PageReader(target.read_text("utf-8"))
    (curve,) = page.rows["d0-first-curve"]
    assert curve.texts[0] == "Worst kept"
    assert [cell[0] for cell in curve.figures[1:]] == first["mulligan"]["threshold"]


def test_advice_stands_on_the_page(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    asked = ["--deck", FARRO, "--mulligan", "--lang", "en"]
    assert main(["solve", DEAL, *asked, "--html", str(target)]) == 0
    assert "<strong>Keep this deal" in target.read_text("utf-8")


def test_abilities_and_ratings_stand_on_the_page(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    deal, ratings, target = (tmp_path / name for name in ("deal.yaml", "points.csv", "page.html"))
    deal.write_text(ABILITIES["recruiter"], "utf-8")
    ratings.write_text("Скелет,5\n", "utf-8")
    asked = ["--maximize", "rating,cost", "--ratings", str(ratings), "--any-size"]
    assert main(["solve", str(deal), *asked, "--html", str(target), "--json", "--lang", "en"]) == 0
    answer = json.loads(capfd.readouterr().out)
    (squad,) = answer["squads"]
    page = PageReader(target.read_text("utf-8"))
    assert squad["steps"][0]["phase"] == "before" and squad["values"]["rating"] == 15
    assert "from the deck: 2 Скелет" in page.rows["squad-1"][0].texts[-2]
    ledger(page, "squad-1", squad)
    measures = {row.attributes.get("data-measure"): row.figures[1:] for row in page.rows["squads"]}
    assert measures["rating"] == [[squad["values"]["rating"]]]


@pytest.mark.deep
@pytest.mark.parametrize("lang", ["ru", "en"])
def test_all_decks_have_room_on_one_page(tmp_path: Path, lang: str) -> None:
    asked = [*map(str, DECKS), "--deals", "100", "--seed", "7", "--lang", lang]
    found = made(tmp_path, "evaluate", *asked)
    sound(found)
    assert {f"d{number}" for number in range(36)} <= set(found.page.ids)


def test_a_deal_without_a_squad_has_a_page(tmp_path: Path) -> None:
    deal, target = tmp_path / "deal.txt", tmp_path / "page.html"
    deal.write_text("Топи Зенды\n", "utf-8")
    asked = ["--with", "Топи", "--lang", "en"]
    assert main(["solve", str(deal), "--any-size", "--html", str(target), *asked]) == 1
    page = PageReader(target.read_text("utf-8"))
    assert list(page.rows) == ["deal"] and not page.drawings


BLOCKED = """
import sys
sys.modules |= dict.fromkeys(("jinja2", "matplotlib"))
from squadbuilder.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_without_the_extra_only_pages_are_refused(tmp_path: Path) -> None:
    def run(*more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", BLOCKED, "solve", DEAL, "--lang", "en", *more]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run().returncode == 0
    refused = run("--html", str(tmp_path / "page.html"))
    assert refused.returncode == 2 and "squadbuilder[report]" in refused.stderr
    assert "Traceback" not in refused.stderr and not list(tmp_path.iterdir())
