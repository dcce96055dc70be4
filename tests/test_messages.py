"""One message table: nothing missing, nothing unused, the same parameters in both languages."""

import re
import string
from pathlib import Path

import pytest

from squadbuilder.cli import COMMANDS
from squadbuilder.decks import Fault
from squadbuilder.effects import Unmodelled
from squadbuilder.errors import ErrorCode
from squadbuilder.limits import Code
from squadbuilder.line_up import Fact
from squadbuilder.messages import Language, Speaker, language, plural, table
from squadbuilder.objective import Measure
from squadbuilder.place_file import Depth
from squadbuilder.recruit import Reveal
from squadbuilder.scenario import VERBS
from squadbuilder.session import Bar, Phase
from squadbuilder.table_state import Kind, Zone
from squadbuilder.table_steps import STORES, BreachCode, Outcome
from squadbuilder.terms import CardType, Element, Player

PACKAGE = Path(__file__).parents[1] / "squadbuilder"
PAGES = PACKAGE.parent / "data" / "report"
SOURCE = "\n".join(
    path.read_text("utf-8") for path in [*PACKAGE.glob("*.py"), *PAGES.glob("*.html")]
)
LITERALS = set(re.findall(r'"([a-z_]+)"', SOURCE))
BUILT = {
    *(fault.value for fault in Fault),
    *(f"type_{kind.value}" for kind in CardType),
    *(f"column_{w}" for w in ["cost", "ordinary", "elite", "id", "element", "type", "class"]),
    *(code.value for code in ErrorCode if code is not ErrorCode.USAGE),
    *(code.value for code in Code if code is not Code.CRYSTALS),
    *(reveal.value for reveal in Reveal),
    *(element.value for element in Element),
    *(player.value for player in Player),
    *(f"measure_{measure.value}" for measure in Measure),
    *(f"unmodelled_{why.value}" for why in Unmodelled),
    *(f"help_{name}" for name in COMMANDS),
    *(bar.value for bar in Bar),
    *(f"talk_phase_{phase.value}" for phase in Phase),
    *(f"status_{word}" for word in ("optimal", "several", "feasible", "infeasible", "unknown")),
    *(f"column_{w}" for w in ["number", "card", "price", "penalty", "gain", "left", "choice"]),
    *(f"column_{w}" for w in ["reason", *(depth.value for depth in Depth)]),
    *(f"fact_{fact.value}" for fact in Fact),
    *(f"column_{w}" for w in ["deck", "seat", "deals", "mean", "interval", "spread", "spent"]),
    *(f"column_{w}" for w in ["keep", "given_up", "copies", "dealt", "in_all", "in_some"]),
    *(f"column_{w}" for w in ["in_hand", "worth", "copies_dealt"]),
    *(f"column_{w}" for w in ["out", "into", "difference", "interval_all", "verdict"]),
    *(f"verdict_{word}" for word in ("gain", "loss", "open")),
    *(f"seat_{player.value}" for player in Player),
    "crystals_gold",
    "crystals_any",
    *(f"breach_{code.value}" for code in BreachCode),
    *(f"outcome_{outcome.value}" for outcome in Outcome),
    *(f"resource_{kind.value}" for kind in Kind),
    *(f"zone_{zone.value}" for zone in Zone),
    *(f"step_{verb}" for verb in VERBS),
    *(f"{part}_{player.value}" for part in ("table", "half") for player in Player),
    *(f"table_{word}" for word in ("not_as_expected", "refused", "moved", "control")),
    *(f"table_{word}" for word in STORES),
}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_no_message_is_missing() -> None:
    assert set(table()) >= BUILT
    for code in re.findall(r'\bsay\(\s*"([a-z_]+)"', SOURCE):
        assert code in table(), code
    for code in re.findall(r'Term\("([a-z_]+)"\)|wrong_type\("([a-z_]+)"\)', SOURCE):
        assert "".join(code) in table(), code


def test_no_message_is_unused() -> None:
    for code in table():
        assert code in BUILT or code in LITERALS, code


@pytest.mark.parametrize("code", table())
def test_both_languages_say_the_same(code: str) -> None:
    texts = table()[code]
    assert fields(texts[Language.RU]) == fields(texts[Language.EN])
    for word, forms in ((Language.RU, 3), (Language.EN, 2)):
        for _, name, spec, _ in string.Formatter().parse(texts[word]):
            assert not name or not spec or spec.count("|") == forms - 1


def test_russian_numbers_take_the_right_form() -> None:
    forms = {0: 2, 1: 0, 2: 1, 4: 1, 5: 2, 11: 2, 12: 2, 14: 2, 21: 0, 22: 1, 25: 2, 111: 2, 101: 0}
    assert {number: plural(number, Language.RU) for number in forms} == forms
    say = Speaker(Language.RU).say
    assert say("penalty_paid", n=1) == "Штраф: 1 золотой кристалл"
    assert say("penalty_paid", n=3) == "Штраф: 3 золотых кристалла"
    assert say("penalty_paid", n=5) == "Штраф: 5 золотых кристаллов"
    assert say("reveal_price", paid=1, cost=4) == "вскрыть: 1 кристалл потрачен вместо 4"
    assert Speaker(Language.EN).say("penalty_paid", n=1) == "Penalty: 1 gold crystal"


def test_the_language_is_stated_or_set_or_that_of_the_locale(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("SQUADBUILDER_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "ru_RU.UTF-8")
    assert language() is Language.RU
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert language() is Language.EN
    monkeypatch.setenv("SQUADBUILDER_LANG", "ru")
    assert language() is Language.RU
    assert language("en") is Language.EN
