"""Pages in a real browser (Debian's Chromium, driven by playwright).

Skipped where there is no browser, unless SQUADBUILDER_BROWSER=required says that there must be one.
`python tests/test_browser.py` makes the pictures of the README.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from dealing import DECKS

from squadbuilder.cli import main
from squadbuilder.reading import data_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[1]
CHROMIUM = shutil.which("chromium")
REQUIRED = os.environ.get("SQUADBUILDER_BROWSER") == "required"
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
FARRO, ORCS = (
    str(next(path for path in DECKS if path.stem == stem))
    for stem in ("04-farro", "27-lesnye-orki")
)
DEAL = str(data_folder() / "deals" / "farro-mirage.yaml")
PAGES = {
    "evaluate": ["evaluate", FARRO, ORCS, "--deals", "300", "--seed", "7"],
    "solve": ["solve", DEAL, "--top", "4"],
}


def launched(driver: Any) -> "Browser":
    browser: Browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
    return browser


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        if REQUIRED:
            raise
        pytest.skip("playwright is not installed")
    if CHROMIUM is None:
        assert not REQUIRED, "there must be a browser here"
        pytest.skip("there is no Chromium")
    with sync_playwright() as driver:
        found = launched(driver)
        yield found
        found.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for name, command in PAGES.items():
        assert main([*command, "--html", str(folder / f"{name}.html"), "--lang", "en"]) == 0
    return folder


def opened(browser: "Browser", file: Path, width: int, scheme: Any, troubles: list[str]) -> "Page":
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda request: troubles.append(request.url))
    page.goto(file.as_uri())
    assert troubles.pop(0) == file.as_uri()
    return page


CONTRAST = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map((part) => {
      const c = part / 255;
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!colour.endsWith(", 0)")) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  let worst = 21;
  for (const element of document.querySelectorAll("main *")) {
    const text = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!text || element.closest("svg")) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
    worst = Math.min(worst, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return worst;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_readable_on_phones_and_desks(
    browser: "Browser", written: Path, name: str, width: int, scheme: str
) -> None:
    troubles: list[str] = []
    page = opened(browser, written / f"{name}.html", width, scheme, troubles)
    for details in page.query_selector_all("details"):
        details.evaluate("one => { one.open = true }")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CONTRAST) >= 4.5
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    assert colours(page) > 20
    assert not troubles
    page.close()


def colours(page: "Page") -> int:
    """How many colours the picture of a page has: a blank one has 1."""
    from io import BytesIO

    from PIL import Image

    with Image.open(BytesIO(page.screenshot())) as picture:
        return len(picture.convert("RGB").getcolors(2**24) or ())


@pytest.mark.parametrize("column", [0, 4, 7])
def test_sorting(browser: "Browser", written: Path, column: int) -> None:
    troubles: list[str] = []
    page = opened(browser, written / "evaluate.html", 1200, "light", troubles)
    head = page.locator("#d0-first-cards thead th").nth(column)

    def shown() -> list[str]:
        read = (
            f"rows => rows.map(row => {{ const cell = row.cells[{column}];"
            "const data = cell.querySelector('data'); return data ? data.value : cell.textContent })"
        )
        found: list[str] = page.locator("#d0-first-cards tbody tr").evaluate_all(read)
        return found

    before = shown()
    for order in ("ascending", "descending"):
        head.locator("button").focus()
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == order
        found = shown()
        assert sorted(found) == sorted(before)
        values: list[Any] = found if column == 0 else [float(value) for value in found]
        assert values == sorted(values, reverse=order == "descending")
    assert page.locator("#d0-first-cards th[aria-sort]").count() == 1
    assert not troubles
    page.close()


@pytest.mark.parametrize(("label", "column"), [("Element", 1), ("Type", 2), ("Class", 3)])
def test_filtering(browser: "Browser", written: Path, label: str, column: int) -> None:
    troubles: list[str] = []
    page = opened(browser, written / "evaluate.html", 1200, "light", troubles)
    filters = page.locator(".filters:has(+ .box > #d0-first-cards)")
    select = filters.get_by_label(label, exact=True)
    words = select.locator("option").all_text_contents()
    rows = page.locator("#d0-first-cards tbody tr")
    cells = rows.evaluate_all(f"rows => rows.map(row => row.cells[{column}].textContent.trim())")
    assert words[0] == "all" and len(words) > 2
    for word in words[1:]:
        select.select_option(label=word)
        fitting = [cell for cell in cells if word in cell.split(", ")]
        visible = [row for row in rows.all() if row.is_visible()]
        found = [row.locator("th, td").nth(column).inner_text().strip() for row in visible]
        assert found == fitting and fitting
        assert filters.locator("output").inner_text() == f"{len(fitting)} of {len(cells)} rows"
    select.select_option(label="all")
    assert all(row.is_visible() for row in rows.all())
    assert not troubles
    page.close()


def test_without_scripts_all_is_there(browser: "Browser", written: Path) -> None:
    room = browser.new_context(java_script_enabled=False)
    page = room.new_page()
    page.goto((written / "evaluate.html").as_uri())
    assert page.locator(".filters").count() == 0
    assert page.locator("#d0-first-cards tbody tr").count() > 10
    assert page.locator("#d0-first-cards tbody tr").last.is_visible()
    room.close()


def take_pictures() -> None:
    """The pictures of the README."""
    from tempfile import TemporaryDirectory

    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as name, sync_playwright() as driver:
        browser = launched(driver)
        for kind, place in (("evaluate", "#d0"), ("solve", "#squads")):
            file = Path(name) / f"{kind}.html"
            main([*PAGES[kind], "--html", str(file), "--lang", "en"])
            page = opened(browser, file, 760, "light", [])
            page.locator(place).evaluate("one => one.scrollIntoView()")
            page.screenshot(path=ROOT / "docs" / f"page-{kind}.png")
        browser.close()


if __name__ == "__main__":
    take_pictures()
