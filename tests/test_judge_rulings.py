"""The rulings of 501 and 532: small scenes at the table, judged by the command line.

A file `tests/rulings/table/<rule number>.yaml` is a list of scenes. A scene has

    why        what it shows, with the rule's number
    cards      the table of a scenario
    steps      its steps; what stands in their `expect` must come true
    passes     is the last step allowed?
    rule       the rule that the last step rests on; for a scene that fails it is the file's own
    codes      for a scene that fails: what stands against the last step
    item       for a scene that fails: the item of the rule that is broken
    outcome    for a scene that fails: the outcome, if it is not `refused` or `cancelled`
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from squadbuilder.cli import main

Scene = dict[str, Any]

FOLDER = Path(__file__).parent / "rulings" / "table"
KEYS = {"why", "cards", "steps", "passes", "rule", "codes", "item", "outcome"}
PAYMENT = (
    *("501.1", "501.2", "501.3", "501.4", "501.5", "501.6", "501.7", "501.8", "501.9"),
    *("501.10", "501.11", "501.12", "501.13", "501.13.1", "501.14", "501.15", "501.15.1"),
    *("501.16", "501.17"),
)
TAKING = (
    *("532.1", "532.2", "532.3", "532.3.1", "523.3.2", "532.4", "532.5", "532.5.1", "532.5.2"),
    *("532.5.3", "532.5.4", "532.6", "532.7", "532.7.1", "532.8"),
)
PARAGRAPHS = (*PAYMENT, *TAKING)
"""Every numbered paragraph of the two rule texts; 523.3.2 is printed so between 532.3.1 and 532.4."""

ELSEWHERE: dict[str, str] = {
    "501.13.1": "it puts marks on cards that are gone, which refuses nothing by itself; "
    "the failing scene is an ability whose uses are spent by such a mark (501.4)",
    "501.15.1": "it says where an ability acts from, which refuses nothing by itself; "
    "the failing scene is a card that cannot come beside a source that is gone (532.3)",
}
"""Paragraphs whose failing scene breaks another rule, and why."""

SCENES: dict[str, list[Scene]] = {
    path.stem: yaml.safe_load(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.yaml"))
}
CASES = [
    pytest.param(rule, scene, id=f"{rule}-{number}")
    for rule, scenes in SCENES.items()
    for number, scene in enumerate(scenes, start=1)
]


@pytest.mark.parametrize(("rule", "scene"), CASES)
def test_ruling(
    rule: str, scene: Scene, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "scene.yaml"
    steps = [*scene["steps"]]
    if not scene["passes"] and "expect" not in steps[-1]:
        steps[-1] = {**steps[-1], "expect": {"allowed": False}}
    content = {"cards": scene["cards"], "steps": steps}
    path.write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), "utf-8")
    code = main(["judge", str(path), "--json"])
    answer = json.loads(capfdbinary.readouterr().out.decode("utf-8"))
    assert "error" not in answer, answer
    missed = [(step["number"], step["unmet"], step) for step in answer["steps"] if step["unmet"]]
    assert code == 0 and not missed, (scene["why"], missed)
    last = answer["steps"][-1]
    assert last["allowed"] is scene["passes"], scene["why"]
    if scene["passes"]:
        assert "rule" not in scene or scene["rule"] in last["rules"], scene["why"]
        return
    cited = scene.get("rule", rule)
    assert [breach["code"] for breach in last["breaches"]] == scene["codes"], scene["why"]
    assert cited in {breach["rule"] for breach in last["breaches"]} | set(last["rules"])
    assert [breach["item"] for breach in last["breaches"]] == [scene.get("item")] * len(
        scene["codes"]
    )
    assert last["outcome"] in (
        [scene["outcome"]] if "outcome" in scene else ["refused", "cancelled", "fails"]
    )


@pytest.mark.parametrize("rule", PARAGRAPHS)
def test_every_paragraph_has_a_passing_and_a_failing_scene(rule: str) -> None:
    scenes = SCENES[rule]
    assert {scene["passes"] for scene in scenes} == {True, False}
    failing = [scene for scene in scenes if not scene["passes"]]
    assert rule in ELSEWHERE or any(scene.get("rule", rule) == rule for scene in failing)


def test_every_file_is_of_a_paragraph() -> None:
    assert set(SCENES) == set(PARAGRAPHS)


@pytest.mark.parametrize(("rule", "scene"), CASES)
def test_a_scene_is_well_formed(rule: str, scene: Scene) -> None:
    assert set(scene) <= KEYS
    assert re.match(rf"{re.escape(rule)}\b", scene["why"])
    assert scene["passes"] or scene["codes"]


def test_no_scene_stands_twice() -> None:
    for scenes in SCENES.values():
        assert len({scene["why"] for scene in scenes}) == len(scenes)
