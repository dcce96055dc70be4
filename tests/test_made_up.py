"""Made-up cards show that every word of docs/effects.md does what a player reads there.

Each of the ten cards of ``made_up/cards.yaml`` has a test of what happens and of what does not;
whole small deals are compared with a check of every subset, and malformed effects must be told
with file, line and key.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from squadbuilder.cli import main

CARDS = Path(__file__).parent / "made_up" / "cards.yaml"

ACCOUNTANT = "Счетовод тумана"
ENVOY = "Двуликий посол"
MASKS = "Торговка масками"
MOURNER = "Плакальщица поражений"
LENDER = "Ростовщик теней"
BELL = "Колокол зари"
HERMIT = "Отшельник трясины"
KEEPER = "Хранитель печати"
BANNER = "Знамя ничьих"
TOWER = "Осадная вежа"
HERDSMAN = "Пастух равнин"
GUARD = "Горный страж"
VAGRANT = "Ничейный бродяга"
BRIDGE = "Старый мост"
DOG = "Верный пёс"
LEECH = "Пиявка"
MIRE = "Гиблая топь"
KIKIMORA = "Кикимора сумрака"
QUEEN = "Королева полуночи"
HILL_KNIGHT = "Рыцарь двух холмов"
POOL_KNIGHT = "Рыцарь омута"
SQUIRE = "Оруженосец холмов"
RINGER = "Старший звонарь"


@dataclass
class Tool:
    """Runs the program in this process with the made-up cards and reads its JSON."""

    capture: pytest.CaptureFixture[bytes]
    folder: Path

    def raw(self, arguments: Sequence[str]) -> tuple[int, dict[str, Any]]:
        """The exit code and the one JSON document on stdout."""
        self.capture.readouterr()
        code = main([*arguments, "--json"])
        out = self.capture.readouterr().out
        document = json.loads(out.decode("utf-8"))
        assert isinstance(document, dict)
        return code, document

    def deal(self, cards: Sequence[str], **settings: object) -> Path:
        """A deal file with these cards and settings."""
        path = self.folder / "deal.yaml"
        content = {**settings, "deal": list(cards)}
        path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
        return path

    def run(self, command: str, deal: Path, *more: str) -> tuple[int, dict[str, Any]]:
        """One command over a deal of any size."""
        return self.raw([command, str(deal), *more, "--any-size", "--cards", str(CARDS)])

    def ordered(self, *names: str, **settings: object) -> tuple[int, dict[str, Any]]:
        """Recruits the names in this order from a deal of just these cards."""
        deal = self.deal([name.split(" [")[0] for name in names], **settings)
        return self.run("check", deal, *names, "--ordered")

    def together(self, *names: str, **settings: object) -> tuple[int, dict[str, Any]]:
        """Whether any order and choices recruit the names."""
        deal = self.deal(names, **settings)
        return self.run("check", deal, *names)

    def last(self, *names: str, **settings: object) -> dict[str, Any]:
        """The last step of a legal recruitment in this order."""
        code, answer = self.ordered(*names, **settings)
        assert code == 0, answer
        assert answer["legal"] is True
        step = answer["squad"]["steps"][-1]
        assert isinstance(step, dict)
        assert step["card"]["name"] == names[-1].split(" [")[0]
        return step

    def price(self, *names: str, **settings: object) -> tuple[int, int]:
        """Gold and silver paid for the last card, without its penalty."""
        paid = self.last(*names, **settings)["paid"]
        return paid["gold"], paid["silver"]

    def left(self, *names: str, **settings: object) -> tuple[int, int]:
        """Gold and silver left after the last card."""
        left = self.last(*names, **settings)["left"]
        return left["gold"], left["silver"]

    def refused(self, *names: str, **settings: object) -> tuple[int, set[str]]:
        """The first illegal step of this order and the codes of the limits it breaks."""
        code, answer = self.ordered(*names, **settings)
        assert code == 1, answer
        assert answer["legal"] is False
        step = answer["step"]
        assert isinstance(step, int)
        return step, {violation["code"] for violation in answer["violations"]}

    def impossible(self, *names: str, **settings: object) -> set[str]:
        """The codes that say why no order of the names is legal."""
        code, answer = self.together(*names, **settings)
        assert code == 1, answer
        assert answer["legal"] is False
        return {violation["code"] for violation in answer["violations"]}

    def options(self, card: str, deal: Path, *squad: str) -> list[dict[str, Any]]:
        """What ``next`` offers for a card after a squad."""
        code, answer = self.run("next", deal, *squad)
        assert code == 0, answer
        (move,) = [move for move in answer["moves"] if move["card"]["name"] == card]
        assert move["legal"] is True, move
        options = move["options"]
        assert isinstance(options, list)
        return options


@pytest.fixture
def tool(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> Tool:
    return Tool(capfdbinary, tmp_path)


def mentions(answer: dict[str, Any], name: str) -> bool:
    """Whether a note of the answer names the card."""
    return any(name in json.dumps(note, ensure_ascii=False) for note in answer["notes"])


# ---------------------------------------------------------------------------- the ten cards


def test_accountant_rules_apply_from_top_to_bottom(tool: Tool) -> None:
    # 5 - 6 stops at 0, then 2 more: not 5 - 6 + 2 = 1.
    assert tool.price(VAGRANT, BRIDGE, ACCOUNTANT) == (0, 2)
    # Two elements: the second rule is silent, the card is free; its own element is no condition.
    assert tool.price(HERDSMAN, GUARD, BRIDGE, ACCOUNTANT) == (0, 0)
    assert tool.last(HERDSMAN, GUARD, BRIDGE, ACCOUNTANT)["penalty"] == 1
    # A card of two elements is enough for that.
    assert tool.price(KIKIMORA, BRIDGE, ACCOUNTANT) == (0, 0)


def test_accountant_without_a_terrain_or_with_it_too_late(tool: Tool) -> None:
    assert tool.price(VAGRANT, ACCOUNTANT) == (0, 7)
    assert tool.price(HERDSMAN, GUARD, ACCOUNTANT) == (0, 5)
    code, answer = tool.ordered(VAGRANT, ACCOUNTANT, BRIDGE)
    assert code == 0
    assert answer["squad"]["steps"][1]["paid"] == {"gold": 0, "silver": 7}
    # An artifact is no creature either.
    assert tool.price(VAGRANT, BELL, ACCOUNTANT) == (0, 2)


def test_envoy_may_cost_one(tool: Tool) -> None:
    assert tool.price(DOG, LEECH, ENVOY) == (1, 0)
    assert tool.price(DOG, LEECH, f"{ENVOY} [bonus=yes]") == (1, 0)
    assert tool.price(DOG, LEECH, f"{ENVOY} [bonus=no]") == (9, 0)
    # A card of cost 5 does not disturb "exactly two of cost 2 or 3".
    assert tool.price(DOG, LEECH, GUARD, ENVOY) == (1, 0)
    deal = tool.deal([DOG, LEECH, ENVOY])
    offered = {
        (option["paid"]["gold"], option["choices"]["bonus"])
        for option in tool.options(ENVOY, deal, DOG, LEECH)
    }
    assert len(offered) == 2
    assert {gold for gold, _ in offered} == {1, 9}


def test_envoy_pays_in_full(tool: Tool) -> None:
    assert tool.price(ENVOY) == (9, 0)
    assert tool.price(LEECH, ENVOY) == (9, 0), "one card of cost 2 or 3"
    assert tool.price(DOG, LEECH, VAGRANT, ENVOY) == (9, 0), "three cards of cost 2 or 3"
    assert tool.price(HERDSMAN, VAGRANT, ENVOY) == (9, 0), "no companion or parasite"
    assert tool.price(DOG, LEECH, POOL_KNIGHT, ENVOY) == (9, 0), "an elite card"
    assert tool.price(QUEEN, DOG, LEECH, ENVOY) == (10, 0), "the queen"
    # A price of 9 has no choice.
    deal = tool.deal([DOG, VAGRANT, LEECH, ENVOY])
    assert len(tool.options(ENVOY, deal, DOG, LEECH, VAGRANT)) == 1


def test_masks_choose_x(tool: Tool) -> None:
    for x in (1, 2, 3):
        step = tool.last(f"{MASKS} [x={x}]")
        assert step["paid"] == {"gold": 4 + x, "silver": 0}
        assert step["choices"]["x"] == x
    deal = tool.deal([MASKS])
    options = tool.options(MASKS, deal)
    assert sorted(option["paid"]["gold"] for option in options) == [5, 6, 7]
    code, _ = tool.ordered(f"{MASKS} [x=0]")
    assert code != 0, "X is at least 1"
    code, _ = tool.ordered(f"{MASKS} [x=4]")
    assert code != 0, "X is at most 3"


def test_masks_paid_as_ordinary(tool: Tool) -> None:
    step = tool.last(LEECH, f"{MASKS} [x=2, paid=ordinary]")
    assert step["paid"] == {"gold": 0, "silver": 6}
    assert step["penalty"] == 1
    assert tool.price(LEECH, f"{MASKS} [x=2, paid=elite]") == (6, 0)
    deal = tool.deal([LEECH, MASKS])
    assert len(tool.options(MASKS, deal, LEECH)) == 6
    # A second copy sees the dark first one.
    assert tool.price(f"{MASKS} [x=1]", f"{MASKS} [x=1, paid=ordinary]") == (0, 5)


def test_masks_stay_elite(tool: Tool) -> None:
    code, _ = tool.ordered(HERDSMAN, f"{MASKS} [x=1, paid=ordinary]")
    assert code != 0, "neither dark nor swamp in the squad"
    code, _ = tool.ordered(f"{MASKS} [x=1, paid=ordinary]", LEECH)
    assert code != 0, "the leech comes too late, and the card itself is dark but not counted"
    # The envoy still sees an elite card.
    assert tool.price(LEECH, f"{MASKS} [x=1, paid=ordinary]", DOG, ENVOY) == (9, 0)
    assert tool.price(LEECH, DOG, ENVOY) == (1, 0)
    code, answer = tool.ordered(LEECH, f"{MASKS} [x=1, paid=ordinary]")
    assert code == 0
    assert answer["squad"]["values"]["elite"] == 4


@pytest.mark.parametrize(
    ("mine", "theirs", "silver"),
    [
        (0, 0, 6),
        (0, 1, 4),
        (0, 2, 2),
        (0, 3, 3),  # "exactly three": set after the others
        (0, 4, 0),  # not below 0, and four is not three
        (1, 0, 7),
        (2, 0, 8),
        (3, 0, 6),  # three mulligans of mine: that rule is silent
        (1, 3, 1),  # I took one: not 3, but 6 - 6 + 1
        (1, 4, 1),  # 0, then one more
    ],
)
def test_mourner_counts_mulligans(tool: Tool, mine: int, theirs: int, silver: int) -> None:
    assert tool.price(MOURNER, mulligans=mine, opponent_mulligans=theirs) == (0, silver)


def test_mourner_flyers_count_what_was_paid(tool: Tool) -> None:
    assert tool.ordered(MOURNER, MOURNER, MOURNER, opponent_mulligans=1)[0] == 0
    step, codes = tool.refused(MOURNER, MOURNER, MOURNER)
    assert step == 3
    assert "flyer_cap" in codes
    assert "flyer_cap" in tool.impossible(MOURNER, MOURNER, MOURNER)


def test_mourner_is_told_to_be_unmodelled(tool: Tool) -> None:
    code, answer = tool.ordered(MOURNER)
    assert code == 0
    assert mentions(answer, MOURNER), answer["notes"]
    for command in ("solve", "list"):
        code, answer = tool.run(command, tool.deal([MOURNER]))
        assert code == 0
        assert mentions(answer, MOURNER), answer["notes"]
    code, answer = tool.ordered(ACCOUNTANT)
    assert code == 0
    assert not mentions(answer, MOURNER)
    assert not mentions(answer, ACCOUNTANT)


def test_lender_gains(tool: Tool) -> None:
    # 24 gold, 22 silver; 3 and 5 silver, a gold for the second element.
    assert tool.left(HERDSMAN, GUARD) == (23, 14)
    # gains 3 gold and 1 silver, pays 5 silver and a gold for the third element.
    assert tool.left(HERDSMAN, GUARD, f"{LENDER} [bonus=yes]") == (25, 10)
    assert tool.left(HERDSMAN, GUARD, f"{LENDER} [bonus=no]") == (22, 9)
    assert tool.left(SQUIRE, VAGRANT, f"{LENDER} [bonus=yes]") == (25, 13)


def test_lender_gains_nothing(tool: Tool) -> None:
    assert tool.left(HERDSMAN, LENDER) == (23, 14), "one element, one other card"
    assert tool.left(HERDSMAN, VAGRANT, LENDER) == (23, 12), "one element"
    assert tool.left(SQUIRE, LENDER) == (22, 14), "two elements, but one card that is not unique"
    assert tool.last(SQUIRE, LENDER)["gained"] == 0
    deal = tool.deal([SQUIRE, LENDER])
    assert len(tool.options(LENDER, deal, SQUIRE)) == 1


def test_lender_gain_pays_for_the_card_itself(tool: Tool) -> None:
    # The second player's 25 gold: 4 * 6 and 1 for the first knight's second element.
    knights = [HILL_KNIGHT] * 4
    assert tool.left(*knights, player="second") == (0, 23)
    assert tool.left(*knights, f"{LENDER} [bonus=yes]", player="second") == (2, 19)
    step, codes = tool.refused(*knights, f"{LENDER} [bonus=no]", player="second")
    assert (step, codes) == (5, {"crystals"})
    assert tool.ordered(*knights, LENDER, player="second")[0] == 0


def test_lender_promise(tool: Tool) -> None:
    step, codes = tool.refused(HERDSMAN, GUARD, f"{LENDER} [bonus=yes]", QUEEN)
    assert (step, codes) == (4, {"quota"})
    assert tool.ordered(HERDSMAN, GUARD, f"{LENDER} [bonus=no]", QUEEN)[0] == 0
    assert tool.ordered(HERDSMAN, GUARD, LENDER, QUEEN)[0] == 0, "declining is free"
    # The card's own step is included: the queen and the lender are two unique cards.
    step, codes = tool.refused(QUEEN, HERDSMAN, GUARD, f"{LENDER} [bonus=yes]")
    assert (step, codes) == (4, {"quota"})
    code, answer = tool.ordered(QUEEN, HERDSMAN, GUARD, LENDER)
    assert code == 0
    assert answer["squad"]["steps"][-1]["gained"] == 0
    # Cards that are not unique are free to come.
    assert tool.ordered(HERDSMAN, GUARD, f"{LENDER} [bonus=yes]", VAGRANT, TOWER)[0] == 0


def test_bell_discounts_what_follows(tool: Tool) -> None:
    assert tool.price(VAGRANT, BELL, HERDSMAN) == (0, 2)
    assert tool.price(VAGRANT, BELL, BELL, HERDSMAN) == (0, 1)
    assert tool.price(VAGRANT, BELL, BELL, BELL, BELL, HERDSMAN) == (0, 0)
    code, answer = tool.together(VAGRANT, BELL, HERDSMAN)
    assert code == 0
    assert answer["squad"]["values"]["crystals_left"] == 24 + 22 - 2 - 1 - 2
    assert answer["squad"]["values"]["cost"] == 6, "printed costs"


def test_bell_does_not_discount(tool: Tool) -> None:
    assert tool.price(VAGRANT, HERDSMAN) == (0, 3)
    code, answer = tool.ordered(HERDSMAN, BELL)
    assert code == 0
    assert answer["squad"]["steps"][0]["paid"] == {"gold": 0, "silver": 3}, "never retroactively"
    assert tool.price(VAGRANT, BELL, GUARD) == (0, 5), "another class"
    assert tool.price(VAGRANT, BELL, RINGER) == (7, 0), "an elite card"
    step, codes = tool.refused(BELL, HERDSMAN)
    assert (step, codes) == (1, {"no_creature"})
    code, answer = tool.ordered(BELL, HERDSMAN)
    assert sorted(answer["order"]) == sorted([BELL, HERDSMAN])
    assert answer["order"][0] == HERDSMAN


def test_hermit_lives_with_others(tool: Tool) -> None:
    assert tool.ordered(HERDSMAN, HERMIT)[0] == 0
    assert tool.ordered(HERMIT)[0] == 0, "it does not bar itself"
    assert tool.ordered(HERMIT, MIRE)[0] == 0, "a terrain is no creature"
    assert tool.ordered(VAGRANT, MIRE, HERMIT)[0] == 0


@pytest.mark.parametrize("other", [LEECH, KIKIMORA, MOURNER, POOL_KNIGHT, HERMIT])
def test_hermit_bars_swamp_creatures(tool: Tool, other: str) -> None:
    assert tool.refused(HERMIT, other) == (2, {"forbidden_with"})
    assert tool.refused(other, HERMIT) == (2, {"forbidden_with"})
    assert tool.impossible(HERMIT, other) == {"forbidden_with"}


def test_hermit_is_told_to_be_unmodelled(tool: Tool) -> None:
    code, answer = tool.ordered(HERMIT)
    assert code == 0
    assert mentions(answer, HERMIT), answer["notes"]
    code, answer = tool.ordered(LEECH)
    assert code == 0
    assert not mentions(answer, HERMIT)


def test_keeper_gains_silver(tool: Tool) -> None:
    assert tool.left(KEEPER) == (24, 18)
    assert tool.last(KEEPER)["gained"] == 2
    deal = tool.deal([KEEPER])
    assert len(tool.options(KEEPER, deal)) == 1, "no choice"
    # Also when the gain is needed for the card: 20 silver gone, then 2 left, 2 gained, 2 gold.
    four = [GUARD] * 4
    assert tool.left(*four) == (24, 2)
    assert tool.price(*four, KEEPER) == (2, 4)


def test_keeper_allows_two_expensive_cards(tool: Tool) -> None:
    assert tool.ordered(KEEPER, QUEEN, GUARD, HERDSMAN)[0] == 0
    assert tool.ordered(QUEEN, KEEPER)[0] == 0
    assert tool.refused(KEEPER, QUEEN, HILL_KNIGHT) == (3, {"quota"})
    assert tool.refused(QUEEN, HILL_KNIGHT, KEEPER) == (3, {"quota"})
    assert tool.impossible(KEEPER, QUEEN, HILL_KNIGHT) == {"quota"}
    # Without the keeper nobody minds: three cards of cost 6 or more.
    assert tool.ordered(QUEEN, HILL_KNIGHT, RINGER)[0] == 0


def test_keeper_blocks_own_cells(tool: Tool) -> None:
    assert tool.together(KEEPER, blocked_cells=11)[0] == 0, "15 - 11 - 3 = 1"
    assert tool.together(KEEPER, BRIDGE, BELL, blocked_cells=11)[0] == 0
    assert tool.impossible(KEEPER, GUARD, blocked_cells=11) == {"cells"}
    assert tool.impossible(KEEPER, blocked_cells=12) == {"cells"}
    assert tool.together(GUARD, HERDSMAN, VAGRANT, blocked_cells=12)[0] == 0
    assert tool.refused(GUARD, KEEPER, blocked_cells=11) == (2, {"cells"})
    assert tool.refused(KEEPER, GUARD, blocked_cells=11) == (2, {"cells"})


def test_banner_makes_knights_neutral(tool: Tool) -> None:
    code, answer = tool.ordered(VAGRANT, BANNER, HILL_KNIGHT)
    assert code == 0
    assert answer["squad"]["steps"][-1]["penalty"] == 0
    assert answer["squad"]["elements"] == []
    code, answer = tool.ordered(VAGRANT, HILL_KNIGHT)
    assert code == 0
    assert answer["squad"]["steps"][-1]["penalty"] == 1
    assert sorted(answer["squad"]["elements"]) == ["mountain", "steppe"]


def test_banner_after_the_knight(tool: Tool) -> None:
    # The penalty once paid stays paid; the squad has no element, so the next one is the first.
    code, answer = tool.ordered(HILL_KNIGHT, BANNER, LEECH)
    assert code == 0
    assert [step["penalty"] for step in answer["squad"]["steps"]] == [1, 0, 0]
    assert answer["squad"]["elements"] == ["swamp"]
    # Left by the knight and brought in again: new again.
    code, answer = tool.ordered(HERDSMAN, HILL_KNIGHT, BANNER, GUARD)
    assert code == 0
    assert [step["penalty"] for step in answer["squad"]["steps"]] == [0, 1, 0, 1]


def test_banner_leaves_others_alone(tool: Tool) -> None:
    assert tool.last(VAGRANT, BANNER, SQUIRE)["penalty"] == 1, "an ordinary knight"
    assert tool.last(HERDSMAN, BANNER, RINGER)["penalty"] == 0
    assert tool.last(GUARD, BANNER, RINGER)["penalty"] == 1, "no knight"


def test_banner_lets_the_hermit_live_with_a_knight(tool: Tool) -> None:
    assert tool.ordered(HERMIT, BANNER, POOL_KNIGHT)[0] == 0
    assert tool.ordered(POOL_KNIGHT, BANNER, HERMIT)[0] == 0
    code, answer = tool.ordered(HERMIT, POOL_KNIGHT, BANNER)
    assert code == 1
    assert answer["step"] == 2
    assert sorted(answer["order"]) == sorted([HERMIT, BANNER, POOL_KNIGHT])
    assert answer["order"].index(BANNER) == 1
    # Free orders find that.
    assert tool.together(HERMIT, POOL_KNIGHT, BANNER)[0] == 0


def test_tower_counts_neutral_creatures(tool: Tool) -> None:
    assert tool.price(VAGRANT, TOWER) == (5, 0)
    assert tool.price(VAGRANT, VAGRANT, TOWER) == (3, 0)
    # A knight under the banner is a neutral creature; without it, it is not.
    assert tool.price(VAGRANT, BANNER, HILL_KNIGHT, TOWER) == (3, 0)
    assert tool.price(VAGRANT, HILL_KNIGHT, BANNER, TOWER) == (3, 0)
    assert tool.price(VAGRANT, HILL_KNIGHT, TOWER) == (5, 0)
    # Neutral, but no creature.
    assert tool.price(VAGRANT, BRIDGE, BELL, TOWER) == (5, 0)


def test_tower_other_prices(tool: Tool) -> None:
    assert tool.price(GUARD, TOWER) == (4, 0)
    assert tool.price(KEEPER, TOWER) == (5, 0), "a guard, but of cost 6"
    assert tool.price(GUARD, HERDSMAN, LEECH, TOWER) == (5, 0), "one more, one less"
    assert tool.price(HERDSMAN, DOG, LEECH, TOWER) == (6, 0)
    # The banner takes the knight's elements and so the third card that has one.
    assert tool.price(HERDSMAN, DOG, POOL_KNIGHT, TOWER) == (6, 0)
    assert tool.price(HERDSMAN, DOG, BANNER, POOL_KNIGHT, TOWER) == (5, 0)
    assert tool.price(VAGRANT, VAGRANT, GUARD, TOWER) == (2, 0)


def test_tower_blocks_the_opponents_cells_only(tool: Tool) -> None:
    code, answer = tool.ordered(VAGRANT, HERDSMAN, TOWER, blocked_cells=13)
    assert code == 0, "my two cells are still mine"
    assert mentions(answer, TOWER), answer["notes"]
    assert any("2" in json.dumps(note) for note in answer["notes"])
    code, answer = tool.ordered(VAGRANT, HERDSMAN, blocked_cells=13)
    assert code == 0
    assert not mentions(answer, TOWER)
    assert tool.impossible(VAGRANT, HERDSMAN, DOG, blocked_cells=13) == {"cells"}


# ---------------------------------------------------------------------------- whole deals

DEALS: list[tuple[dict[str, object], list[str]]] = [
    (
        {"rules": "tournament", "mulligans": 10},  # 14 gold are left
        [ACCOUNTANT, ENVOY, MASKS, LENDER, LEECH, BRIDGE, QUEEN, QUEEN],
    ),
    (
        {"mulligans": 1, "opponent_mulligans": 1, "blocked_cells": 10},
        [MOURNER, BELL, BELL, KEEPER, HERDSMAN, RINGER, HILL_KNIGHT, TOWER],
    ),
    (
        {"player": "second", "blocked_cells": 11},
        [BANNER, HILL_KNIGHT, POOL_KNIGHT, HERMIT, HERMIT, TOWER, LENDER, ENVOY],
    ),
]


def subsets(cards: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every non-empty sub-multiset once, in the order of its sorted names."""
    for size in range(1, len(cards) + 1):
        yield from sorted(set(itertools.combinations(sorted(cards), size)))


def test_the_deals_show_all_ten() -> None:
    database = yaml.safe_load(CARDS.read_text(encoding="utf-8"))["cards"]
    ten = {card["name"] for card in database if "effect" in card}
    assert len(ten) == 10
    assert ten <= {name for _, cards in DEALS for name in cards}
    assert all(len(cards) <= 8 for _, cards in DEALS)


@pytest.mark.parametrize(("settings", "cards"), DEALS)
def test_solve_and_list_agree_with_every_subset(
    tool: Tool, settings: dict[str, object], cards: list[str]
) -> None:
    deal = tool.deal(cards, **settings)
    legal: list[tuple[str, ...]] = []
    costs: list[int] = []
    broken: Counter[str] = Counter()
    for squad in subsets(cards):
        code, answer = tool.run("check", deal, *squad)
        assert code == (0 if answer["legal"] else 1)
        if answer["legal"]:
            legal.append(squad)
            costs.append(answer["squad"]["values"]["cost"])
            assert sorted(card["name"] for card in answer["squad"]["cards"]) == list(squad)
        else:
            broken.update({violation["code"] for violation in answer["violations"]})
    assert legal
    assert len(broken) >= 2, "the deal shows several limits"

    code, answer = tool.run("list", deal, "--count")
    assert code == 0
    assert answer["count"] == len(legal)
    assert answer["complete"] is True

    code, answer = tool.run("list", deal)
    assert code == 0
    assert sorted(tuple(sorted(squad)) for squad in answer["squads"]) == sorted(legal)

    code, answer = tool.run("solve", deal, "--maximize", "cost")
    assert code == 0
    assert answer["status"] == "optimal"
    assert answer["squads"][0]["values"]["cost"] == max(costs)
    names = tuple(sorted(card["name"] for card in answer["squads"][0]["cards"]))
    best = [squad for squad, cost in zip(legal, costs, strict=True) if cost == max(costs)]
    assert names in best


# ---------------------------------------------------------------------------- the vocabulary


def words(value: object) -> Iterator[str]:
    """Every key of a value and of what is in it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from words(inner)


def test_the_cards_use_every_word() -> None:
    database = yaml.safe_load(CARDS.read_text(encoding="utf-8"))["cards"]
    effects = [card["effect"] for card in database if "effect" in card]
    text = json.dumps(effects, ensure_ascii=False)
    used = set(words(effects))
    expected = """note price gain discount not_with at_most neutral blocked_cells unmodelled
    set less more more_x pay_as_ordinary when optional per squad elements my_mulligans
    opponent_mulligans at_least exactly gold silver promise number cards side type creature class
    class_begins element elite unique cost name"""
    assert set(expected.split()) <= used
    for value in ("my_mulligans", "opponent_mulligans", "own", "opponent", "text"):
        assert f'"{value}"' in text


# ---------------------------------------------------------------------------- malformed effects

HEAD = """\
cards:
  - id: 90501
    name: Пробный чудак
    cost: 4
    type: creature
    effect:
"""

NOTE = "note: Something odd.\n"
ODD = "Пробный чудак"

# What is wrong; the effect's text; the lines (1 is the effect's first) and keys that may be told.
MALFORMED: list[tuple[str, str, set[int], set[str]]] = [
    ("unknown word", NOTE + "prise: 1\n", {2}, {"prise"}),
    ("unknown price word", NOTE + "price:\n  - sett: 1\n", {3}, {"sett"}),
    (
        "unknown condition",
        NOTE + "price:\n  - set: 1\n    when:\n      - deal: {}\n",
        {5},
        {"deal"},
    ),
    (
        "unknown filter word",
        NOTE + "not_with:\n  creature: true\n  klass: Орк\n",
        {4},
        {"klass"},
    ),
    ("unknown element", NOTE + "not_with:\n  element: fire\n", {3}, {"element"}),
    ("unknown type", NOTE + "not_with:\n  type: [terrain, dragon]\n", {3}, {"type"}),
    ("unknown side", NOTE + "blocked_cells:\n  side: mine\n  number: 2\n", {3}, {"side"}),
    ("unknown unmodelled", NOTE + "unmodelled: perhaps\n", {2}, {"unmodelled"}),
    ("unknown per", NOTE + "price:\n  - less: 1\n    per: cards\n", {4}, {"per"}),
    (
        "two change words",
        NOTE + "price:\n  - set: 1\n    less: 2\n",
        {2, 3, 4},
        {"price", "set", "less"},
    ),
    (
        "no change word",
        NOTE + "price:\n  - optional: true\n",
        {2, 3},
        {"price", "optional"},
    ),
    (
        "per beside set",
        NOTE + "price:\n  - set: 1\n    per: my_mulligans\n",
        {3, 4},
        {"per", "set"},
    ),
    ("number as text", NOTE + 'price:\n  - less: "2"\n', {3}, {"less"}),
    ("gain as text", NOTE + "gain:\n  gold: two\n", {3}, {"gold"}),
    ("optional no", NOTE + "price:\n  - set: 1\n    optional: no\n", {4}, {"optional"}),
    ("class no", NOTE + "not_with:\n  class: no\n", {3}, {"class"}),
    ("number 010", NOTE + "price:\n  - set: 010\n", {3}, {"set"}),
    ("number 1:30", NOTE + "price:\n  - set: 1:30\n", {3}, {"set"}),
    ("class 1:30", NOTE + "not_with:\n  class: 1:30\n", {3}, {"class"}),
    (
        "repeated key",
        NOTE + "not_with: {elite: true}\nnot_with: {elite: false}\n",
        {3},
        {"not_with"},
    ),
    ("repeated filter key", NOTE + "not_with:\n  cost: 4\n  cost: 5\n", {4}, {"cost"}),
    ("missing note", "not_with: {elite: true}\n", {0, 1}, {"note", "effect"}),
    (
        "element in neutral",
        NOTE + "neutral: {class: Орк, element: dark}\n",
        {2},
        {"element", "neutral"},
    ),
    (
        "neutral in neutral",
        NOTE + "neutral: {class: Орк, neutral: false}\n",
        {2},
        {"neutral"},
    ),
    (
        "two counts",
        NOTE + "price:\n  - set: 1\n    when:\n      - elements: 2\n        my_mulligans: 1\n",
        {5, 6},
        {"when", "elements", "my_mulligans"},
    ),
]

# The same where the value stands on lines of its own: the line must be that of the word.
MALFORMED_BLOCKS: list[tuple[str, str, set[int], set[str]]] = [
    ("unknown word block", NOTE + "prise:\n  - set: 1\n", {2}, {"prise"}),
    (
        "unknown gain word block",
        NOTE + "gain:\n  gold: 1\n  promised:\n    number: 1\n",
        {4},
        {"promised"},
    ),
    (
        "element in neutral block",
        NOTE + "neutral:\n  class: Орк\n  element: dark\n",
        {4},
        {"element"},
    ),
    (
        "neutral in neutral block",
        NOTE + "neutral:\n  class: Орк\n  neutral: false\n",
        {4},
        {"neutral"},
    ),
]


def effect_lines(effect: str) -> str:
    """The effect's text at its depth in the database."""
    return "".join(f"      {line}\n" for line in effect.splitlines())


def check_told(tool: Tool, effect: str, lines: set[int], keys: set[str]) -> None:
    """The effect is refused with its file, line and key."""
    path = tool.folder / "wrong.yaml"
    path.write_text(HEAD + effect_lines(effect), encoding="utf-8")
    deal = tool.deal([ODD])
    for command in (["solve", str(deal)], ["check", str(deal), ODD]):
        code, answer = tool.raw([*command, "--any-size", "--cards", str(path)])
        assert code == 2
        error = answer["error"]
        assert error["message"]
        where = error["where"]
        assert Path(where["file"]).name == "wrong.yaml"
        assert where["line"] - HEAD.count("\n") in lines, error
        # A key may be told with the way to it.
        last = str(where["key"]).replace("/", ".").split(".")[-1].split("[")[0]
        assert last in keys, error


@pytest.mark.parametrize(
    ("effect", "lines", "keys"),
    [row[1:] for row in MALFORMED],
    ids=[row[0].replace(" ", "-") for row in MALFORMED],
)
def test_malformed_effects_are_told(
    tool: Tool, effect: str, lines: set[int], keys: set[str]
) -> None:
    check_told(tool, effect, lines, keys)


@pytest.mark.parametrize(
    ("effect", "lines", "keys"),
    [row[1:] for row in MALFORMED_BLOCKS],
    ids=[row[0].replace(" ", "-") for row in MALFORMED_BLOCKS],
)
def test_malformed_blocks_are_told(
    tool: Tool, effect: str, lines: set[int], keys: set[str]
) -> None:
    check_told(tool, effect, lines, keys)


def test_the_same_effect_well_formed_is_taken(tool: Tool) -> None:
    """The malformed ones fail for what is wrong in them, not for where they stand."""
    effect = (
        NOTE
        + "price:\n  - set: 1\n    optional: true\n    when:\n      - elements: 0\n"
        + 'not_with:\n  class: ["no", "010", "1:30"]\n'
    )
    path = odd_database(tool, effect)
    deal = tool.deal([ODD])
    code, answer = tool.raw(
        ["check", str(deal), f"{ODD} [bonus=yes]", "--ordered", "--any-size", "--cards", str(path)]
    )
    assert code == 0, answer
    assert answer["squad"]["steps"][0]["paid"] == {"gold": 0, "silver": 1}


# ---------------------------------------------------------------------------- further readings


def odd_database(tool: Tool, effect: str, more: str = "") -> Path:
    """A database of one card with this effect, and of more cards."""
    path = tool.folder / "odd.yaml"
    path.write_text(HEAD + effect_lines(effect) + more, encoding="utf-8")
    return path


def test_one_bonus_covers_all_optional_parts(tool: Tool) -> None:
    """Taken or declined together; what is not optional happens either way."""
    effect = (
        NOTE
        + "price:\n  - set: 1\n    optional: true\n  - more: 1\n"
        + "gain:\n  gold: 2\n  optional: true\n"
    )
    path = odd_database(tool, effect)
    deal = tool.deal([ODD])
    code, answer = tool.raw(["next", str(deal), "--any-size", "--cards", str(path)])
    assert code == 0
    (move,) = answer["moves"]
    options = [(option["paid"]["silver"], option["gained"]) for option in move["options"]]
    assert sorted(options) == [(2, 2), (5, 0)]


def test_a_changed_database_is_read_again(tool: Tool) -> None:
    """`main` may be called any number of times: a file edited in between counts."""
    deal = tool.deal([ODD])
    paid = []
    for price in ("5", "13"):
        path = odd_database(tool, NOTE + f"price:\n  - set: {price}\n")
        code, answer = tool.raw(["check", str(deal), ODD, "--any-size", "--cards", str(path)])
        assert code == 0
        paid.append(answer["squad"]["steps"][0]["paid"]["silver"])
    assert paid == [5, 13]


STANDARD_BEARER = """\
  - id: 90601
    name: Пробное знамя
    cost: 1
    type: creature
    elements: [steppe]
    effect:
      note: Knights are neutral.
      neutral: {class: Рыцарь}
  - id: 90602
    name: Пробный рыцарь
    cost: 2
    type: creature
    elements: [mountain]
    classes: [Рыцарь]
"""


@pytest.mark.parametrize(
    ("effect", "legal"),
    [
        # With the bearer in it, the squad holds a neutral card beside the one that bars them.
        ("not_with: {neutral: true}\n", False),
        # With the bearer in it, the bearer is the only card that has an element.
        ("at_most: {number: 1, cards: {neutral: false}}\n", True),
    ],
)
def test_the_squad_is_judged_with_the_neutralising_card_in_it(
    tool: Tool, effect: str, legal: bool
) -> None:
    path = odd_database(tool, NOTE + effect, STANDARD_BEARER)
    names = ["Пробный рыцарь", ODD, "Пробное знамя"]
    deal = tool.deal(names)
    arguments = [str(deal), *names, "--ordered", "--any-size", "--cards", str(path)]
    code, answer = tool.raw(["check", *arguments])
    assert answer["legal"] is legal
    assert code == (0 if legal else 1)
