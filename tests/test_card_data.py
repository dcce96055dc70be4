"""Card data of other programs becomes a card database that means the same."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from squadbuilder.card_data import import_cards
from squadbuilder.card_search import facts
from squadbuilder.cards import Catalogue, catalogue
from squadbuilder.cli import main
from squadbuilder.effects import NO_EFFECT
from squadbuilder.errors import ErrorCode, InputError
from squadbuilder.reading import Text, decode, parse, write_yaml
from squadbuilder.terms import fold

PLAIN: dict[str, Any] = {
    "id": "70001",
    "name": "Пробный всадник",
    "cost": 4,
    "elite": False,
    "uniq": False,
    "color": 1,
    "type": 0,
}
FULL: dict[str, Any] = {
    **PLAIN,
    "set_id": 70,
    "number": 1,
    "rarity": 1,
    "class": ["Аккениец"],
    "life": 9,
    "move": 2,
    "hit": [1, 2, 3],
    "icons": {"ova": 1, "lep": 0},
    "text": "nan",
    "prints": {},
    "alts": ["pf"],
    "alt": "",
    "altto": None,
}
SERPENT: dict[str, Any] = {
    **FULL,
    "id": "70002",
    "number": 2,
    "name": "Пробный змей ",
    "cost": 7,
    "elite": True,
    "uniq": True,
    "color": 20,
    "class": ["Дракон", ""],
    "type": 1,
    "life": 12,
    "move": None,
    "hit": [2, 3, 5],
    "icons": {"dsc": 0},
    "text": "Орда. Разряд на 2.",
}
LAND: dict[str, Any] = {
    **FULL,
    "id": "70003",
    "number": 3,
    "name": "Пробная местность",
    "cost": 3,
    "color": 32,
    "class": [""],
    "type": 5,
    "life": None,
    "hit": None,
    "icons": {},
    "text": "",
}


def turned(*cards: object) -> str:
    """What the import makes of these objects."""
    return import_cards(Text("cards.json", json.dumps(cards)), catalogue())


def one(**changes: object) -> dict[str, Any]:
    """The entry that a card with these changes becomes."""
    (node,) = parse(Text("", turned({**FULL, **changes}))).entries()["cards"].items()
    return dict(node.entries())


def added(text: str, folder: Path) -> Catalogue:
    """The catalogue with a database of this text."""
    path = folder / "added.yaml"
    path.write_text(text, "utf-8")
    return catalogue(str(path))


def refused(*cards: object) -> InputError:
    """The error about these objects."""
    with pytest.raises(InputError) as caught:
        turned(*cards)
    return caught.value


def test_the_database_says_what_the_file_said(tmp_path: Path) -> None:
    other = {**FULL, "id": "70001pf", "alt": "pf", "altto": "70001"}
    text = turned(LAND, other, FULL, SERPENT)
    assert text == turned(FULL, SERPENT, LAND)
    found = added(text, tmp_path).by_id
    assert facts(found["70001"]) == {
        "id": "70001",
        "name": "Пробный всадник",
        "set": 70,
        "number": 1,
        "rarity": 1,
        "cost": 4,
        "elite": False,
        "unique": False,
        "elements": ["steppe"],
        "type": "creature",
        "classes": ["Аккениец"],
        "life": 9,
        "move": 2,
        "strike": "1-2-3",
        "horde": False,
        "magic": False,
        "keywords": ["ova:1", "lep"],
    }
    serpent = facts(found["70002"])
    assert serpent["name"] == "Пробный змей" and serpent["type"] == "flyer"
    assert serpent["elements"] == ["forest", "dark"] and serpent["classes"] == ["Дракон"]
    assert serpent["horde"] and serpent["magic"] and serpent["elite"] and serpent["unique"]
    land = facts(found["70003"])
    assert land["type"] == "terrain" and land["elements"] == land["classes"] == []
    assert (land["life"], land["move"], land["strike"]) == (0, 2, "0-0-0")
    assert "70001pf" not in found
    assert all(found[id].effect == NO_EFFECT for id in ("70001", "70002", "70003"))


def test_every_known_card_survives_the_way_round(tmp_path: Path) -> None:
    """The catalogue's own cards, written as card data under new ids and names."""
    masks = {"steppe": 1, "mountain": 2, "forest": 4, "swamp": 8, "dark": 16}
    types = ["creature", "flyer", "companion", "parasite", "artifact", "terrain"]
    wanted: dict[str, dict[str, Any]] = {}
    for place, card in enumerate(catalogue().by_key.values(), start=90001):
        name = f"{card.name} {place}"
        new = {"id": str(place), "name": name, "rarity": 1}
        wanted[str(place)] = facts(card) | new | {"set": place // 1000, "number": place % 1000}
    data = [
        {
            "id": item["id"],
            "name": item["name"],
            "cost": item["cost"],
            "elite": item["elite"],
            "uniq": item["unique"],
            "color": sum(masks[element] for element in item["elements"]) or 32,
            "type": types.index(item["type"]),
            "class": item["classes"] or [""],
            "life": item["life"],
            "move": item["move"],
            "hit": [int(part) for part in item["strike"].split("-")],
            "icons": {
                code: int(n or 0) for code, _, n in (k.partition(":") for k in item["keywords"])
            },
            "text": "Орда." if item["horde"] else "nan",
        }
        for item in wanted.values()
    ]
    found = added(turned(*data), tmp_path)
    assert {id: facts(found.by_id[id]) for id in wanted} == wanted


def test_what_a_card_lacks_is_left_out() -> None:
    entry = one(**{"class": [], "life": None, "move": None, "hit": None, "icons": None})
    assert set(entry) == {"id", "name", "cost", "type", "elements"}
    assert turned(PLAIN) == turned({**PLAIN, "text": None, "class": [" "], "icons": {}})


@pytest.mark.parametrize("text", ["nan", "NaN", "", None, "Ордалия.", "Без орды.", "Наброс."])
def test_a_text_that_says_nothing(text: str | None) -> None:
    entry = one(text=text)
    assert "effect" not in entry and "horde" not in entry


def test_an_unquoted_nan_is_no_text() -> None:
    text = json.dumps([{**FULL, "text": float("nan")}])
    assert import_cards(Text("cards.json", text), catalogue()) == turned(FULL)


@pytest.mark.parametrize(
    "text",
    [
        "При НАБОРЕ отряда стоит меньше.",
        "Набор: получите 2 золота.",
        "Когда вы набираете отряд, ...",
        "Если вы наберёте трёх орков, ...",
        "Получите кристаллы.",
        "За каждую вашу пересдачу ...",
        "Не\u00a0может быть взята в отряд с Ангелом.",
        "Не может быть одновременно взят вместе с ...",
        "Его нельзя взять вместе с ...",
    ],
)
def test_a_text_that_touches_recruitment_is_told_and_never_written(text: str) -> None:
    entry = one(text=text)["effect"].entries()
    assert entry["unmodelled"].value == "text"
    assert entry["note"].value.isascii()
    assert text not in turned({**FULL, "text": text})


def test_a_known_name_keeps_its_effect(tmp_path: Path) -> None:
    known = next(card for card in catalogue().by_key.values() if card.effect.price)
    plain = next(card for card in catalogue().by_key.values() if card.effect == NO_EFFECT)
    text = turned(
        {**FULL, "name": known.name.upper(), "text": "Набор: ..."},
        {**FULL, "id": "70002", "name": plain.name, "text": "Набор: ..."},
    )
    found = added(text, tmp_path)
    assert found.by_key[known.key].id == "70001"
    assert found.by_key[known.key].effect == known.effect
    assert found.by_key[plain.key].effect.unmodelled == "text"


@pytest.mark.parametrize(
    ("change", "code", "key"),
    [
        ({"id": ""}, ErrorCode.WRONG_TYPE, "#1.id"),
        ({"id": None}, ErrorCode.YAML_TRAP, "#1.id"),
        ({"id": "9" * 5000}, ErrorCode.OUT_OF_RANGE, "#1.id"),
        ({"id": "10013"}, ErrorCode.CARD_REPEATED, "10013.id"),
        ({"name": " "}, ErrorCode.WRONG_TYPE, "70001.name"),
        ({"name": 5}, ErrorCode.YAML_TRAP, "70001.name"),
        ({"name": "\x1b[31m"}, ErrorCode.SYNTAX, "70001.name"),
        ({"name": "\ud800"}, ErrorCode.SYNTAX, "70001.name"),
        ({"cost": -1}, ErrorCode.OUT_OF_RANGE, "70001.cost"),
        ({"cost": 100}, ErrorCode.OUT_OF_RANGE, "70001.cost"),
        ({"cost": "4"}, ErrorCode.WRONG_TYPE, "70001.cost"),
        ({"cost": None}, ErrorCode.WRONG_TYPE, "70001.cost"),
        ({"elite": 1}, ErrorCode.WRONG_TYPE, "70001.elite"),
        ({"uniq": "true"}, ErrorCode.WRONG_TYPE, "70001.uniq"),
        ({"color": 0}, ErrorCode.OUT_OF_RANGE, "70001.color"),
        ({"color": 33}, ErrorCode.OUT_OF_RANGE, "70001.color"),
        ({"color": 64}, ErrorCode.OUT_OF_RANGE, "70001.color"),
        ({"type": 6}, ErrorCode.OUT_OF_RANGE, "70001.type"),
        ({"class": "Орк"}, ErrorCode.WRONG_TYPE, "70001.class"),
        ({"class": [None]}, ErrorCode.YAML_TRAP, "70001.class"),
        ({"life": 9.5}, ErrorCode.WRONG_TYPE, "70001.life"),
        ({"hit": [1, 2]}, ErrorCode.WRONG_TYPE, "70001.hit"),
        ({"hit": [1, 2, None]}, ErrorCode.WRONG_TYPE, "70001.hit"),
        ({"icons": ["ova"]}, ErrorCode.WRONG_TYPE, "70001.icons"),
        ({"icons": {"ova": -1}}, ErrorCode.OUT_OF_RANGE, "70001.ova"),
        ({"text": 5}, ErrorCode.YAML_TRAP, "70001.text"),
        ({"alt": ["pf"]}, ErrorCode.WRONG_TYPE, "70001.alt"),
        ({"set_id": "x"}, ErrorCode.WRONG_TYPE, "70001.set_id"),
    ],
)
def test_a_mistake_is_placed(change: dict[str, Any], code: ErrorCode, key: str) -> None:
    error = refused({**FULL, **change})
    assert (error.code, error.where.key, error.where.file) == (code, key, "cards.json")


def test_mistakes_suggest_what_was_meant() -> None:
    error = refused({**FULL, "icons": {"armr": 1}})
    assert error.code is ErrorCode.KEY_UNKNOWN and "armor" in error.suggestions
    error = refused({**FULL, "colour": 1})
    assert error.code is ErrorCode.KEY_UNKNOWN and "color" in error.suggestions


@pytest.mark.parametrize("key", PLAIN)
def test_a_missing_key_is_told(key: str) -> None:
    error = refused({name: value for name, value in PLAIN.items() if name != key})
    assert (error.code, error.params) == (ErrorCode.KEY_MISSING, {"key": key})
    assert error.where.key == ("#1" if key == "id" else "70001")


def test_the_line_is_told() -> None:
    text = json.dumps([PLAIN, {**PLAIN, "id": "70002", "cost": "x"}], indent=1)
    with pytest.raises(InputError) as caught:
        import_cards(Text("cards.json", text), catalogue())
    assert caught.value.where.line == 1 + text[: text.index('"x"')].count("\n")


def test_lists_without_cards() -> None:
    assert refused(FULL, FULL).code is ErrorCode.CARD_REPEATED
    assert refused({**FULL, "alt": "pf"}).code is ErrorCode.FILE_EMPTY
    assert refused().code is ErrorCode.WRONG_TYPE
    assert refused("Тич").where.key == "#1"
    with pytest.raises(InputError):
        import_cards(Text("cards.json", "{}"), catalogue())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which the program is called; one for all examples of a test."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(*arguments: str, capture: pytest.CaptureFixture[bytes]) -> dict[str, Any]:
    """The answer of `check --json` about a deal of its own cards."""
    capture.readouterr()
    main(["check", "deal.yaml", "--any-size", "--cards", "new.yaml", "--json", *arguments])
    answer = json.loads(capture.readouterr().out.decode("utf-8"))
    assert isinstance(answer, dict)
    return answer


def test_several_elements_are_paid_for(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    both = {**SERPENT, "id": "70004", "name": "Пробный страж", "type": 0, "color": 3, "cost": 2}
    Path("new.yaml").write_text(turned(FULL, SERPENT, both, LAND), "utf-8")
    names = [FULL["name"], SERPENT["name"].strip(), both["name"], LAND["name"]]
    Path("deal.yaml").write_text(write_yaml({"deal": names}), "utf-8")
    answer = ask("--ordered", *names, capture=capfdbinary)
    assert [step["penalty"] for step in answer["squad"]["steps"]] == [0, 2, 1, 0]
    answer = ask("--ordered", names[2], names[1], names[0], capture=capfdbinary)
    assert [step["penalty"] for step in answer["squad"]["steps"]] == [1, 2, 0]
    assert answer["squad"]["elements"] == ["dark", "forest", "mountain", "steppe"]
    assert answer["notes"] == []


def test_answers_tell_of_a_text_that_is_not_modelled(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    Path("new.yaml").write_text(turned({**FULL, "text": "Получите 2 кристалла."}), "utf-8")
    Path("deal.yaml").write_text(write_yaml({"deal": [FULL["name"]]}), "utf-8")
    answer = ask(FULL["name"], capture=capfdbinary)
    assert answer["legal"]
    assert any(FULL["name"] in note for note in answer["notes"])


NAMES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(("y", "n", ".", "no", "null", "010", "1:30", "2024-1-1 a", "- a", "a: b #c")),
    st.sampled_from(("&a", "*a", "!a", "<<", "=", "[a", "{a", "'", '"', "\\", "%", "😀", "\u2028")),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-2, 101), st.floats(), NAMES)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
OBJECTS = st.builds(
    lambda changes, gone: {key: v for key, v in {**FULL, **changes}.items() if key not in gone},
    st.dictionaries(st.sampled_from([*FULL, "x"]), VALUES, max_size=2),
    st.sets(st.sampled_from(list(FULL)), max_size=2),
)
FUZZ = settings(
    max_examples=100,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def try_import(data: bytes, folder: Path) -> None:
    """Either the data is refused, or what it became can be read."""
    try:
        text = import_cards(Text("cards.json", decode(data, "cards.json")), catalogue())
    except InputError:
        return
    added(text, folder)


@FUZZ
@given(data=st.binary(max_size=100))
@example(data=b"")
@example(data=b"[\0]")
@example(data=b'["\\ud83d\\ude00", ' + b"9" * 5000 + b"]")
@example(data=b"[" * 500)
def test_any_bytes(data: bytes, folder: Path) -> None:
    try_import(data, folder)


@FUZZ
@given(value=st.one_of(st.lists(OBJECTS, max_size=2), VALUES))
def test_any_json(value: object, folder: Path) -> None:
    try_import(json.dumps(value).encode(), folder)


@FUZZ
@given(name=NAMES, kind=NAMES, identity=NAMES)
@example(name="y", kind="n", identity=".")
@example(name="а " * 700, kind="\U0001f600" * 700, identity="2024-1-1")
def test_any_name_is_read_back(name: str, kind: str, identity: str, folder: Path) -> None:
    data = json.dumps([{**FULL, "name": name, "class": [kind], "id": identity}])
    try:
        text = import_cards(Text("cards.json", data), catalogue())
    except InputError:
        return
    card = added(text, folder).by_key[fold(name)]
    assert card.name == " ".join(name.split())
    assert card.classes == frozenset(filter(None, [" ".join(kind.split())]))
