"""Every JSON answer fits the schema of its command in data/schema."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from squadbuilder.cards import catalogue
from squadbuilder.cli import main
from squadbuilder.decks import Fault
from squadbuilder.errors import ErrorCode
from squadbuilder.formats import Format
from squadbuilder.limits import CODES
from squadbuilder.reading import data_folder

SCHEMAS = {
    path.stem: json.loads(path.read_text("utf-8")) for path in (data_folder() / "schema").iterdir()
}
DEALS = sorted((data_folder() / "deals").iterdir())
ALTAR = str(data_folder() / "deals" / "altar.yaml")
DECKS = sorted((data_folder() / "decks").iterdir())
FARRO = str(data_folder() / "decks" / "04-farro.txt")


def validate(name: str, document: Any) -> None:
    resources = [(key, Resource.from_contents(schema)) for key, schema in SCHEMAS.items()]
    registry: Registry[Any] = Registry().with_resources(
        [(f"{key}.json", resource) for key, resource in resources]
    )
    Draft202012Validator(SCHEMAS[name], registry=registry).validate(document)


def answer(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[int, Any]:
    code = main([*arguments, "--json"])
    return code, json.loads(capfdbinary.readouterr().out.decode("utf-8"))


def test_the_schemas_are_schemas() -> None:
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("deal", DEALS, ids=lambda path: path.name)
@pytest.mark.parametrize("language", ["ru", "en"])
def test_solve(capfdbinary: pytest.CaptureFixture[bytes], deal: Path, language: str) -> None:
    code, found = answer(capfdbinary, "solve", str(deal), "--top", "3", "--lang", language)
    validate("solve", found)
    assert code == 0 and len(found["squads"]) == 3
    for squad in found["squads"]:
        names = [card["name"] for card in squad["cards"]]
        code, checked = answer(capfdbinary, "check", str(deal), *names, "--lang", language)
        validate("check", checked)
        assert code == 0 and checked["squad"]["values"] == squad["values"]


@pytest.mark.parametrize(
    ("command", "code", "arguments"),
    [
        ("check", 0, ["Анволд", "Ведьмак"]),
        ("check", 1, ["Ведьмак", "Дракон-зомби"]),
        ("check", 1, ["Топи Зенды"]),
        ("check", 1, ["Кочевник", "Орк"]),
        ("check", 1, ["--ordered", "Топи Зенды", "Орк"]),
        ("check", 1, ["--ordered", "Ведьмак", "Орк", "Дракон-зомби", "Тич"]),
        ("check", 0, ["--ordered", "Орк", "Тич [bonus=yes]", "Вольный воитель [x=3]"]),
        ("check", 1, ["--ordered", "Тич [before]"]),
        ("next", 0, []),
        ("next", 0, ["Тич [bonus=no]", "Орк"]),
        ("next", 1, ["Топи Зенды"]),
        ("solve", 0, ["--maximize", "-gold_left,life", "--with", "Тич", "--without", "Орк"]),
        ("list", 0, ["--count"]),
        ("list", 0, []),
        ("list", 1, ["--with", "Ведьмак", "--with", "Дракон-зомби"]),
    ],
)
def test_answers(
    capfdbinary: pytest.CaptureFixture[bytes], command: str, code: int, arguments: list[str]
) -> None:
    got, found = answer(capfdbinary, command, ALTAR, *arguments)
    validate(command, found)
    assert got == code


@pytest.mark.parametrize("deck", DECKS, ids=lambda path: path.name)
def test_decks(capfdbinary: pytest.CaptureFixture[bytes], deck: Path) -> None:
    code, checked = answer(capfdbinary, "deck", "check", str(deck))
    validate("deck-check", checked)
    assert code == 0 and checked["legal"]
    code, made_of = answer(capfdbinary, "deck", "show", str(deck))
    validate("deck-show", made_of)
    curve = [*made_of["curve"]["ordinary"].values(), *made_of["curve"]["elite"].values()]
    assert code == 0 and made_of["cards"] == checked["cards"] == sum(curve)
    code, drawn = answer(capfdbinary, "draw", str(deck), "--seed", "7", "--mulligans", "1")
    validate("draw", drawn)
    assert code == 0 and (drawn["seed"], drawn["mulligans"]) == (7, 1)


def test_a_deck_with_every_fault(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    deck, rules = tmp_path / "deck.txt", tmp_path / "rules.yaml"
    deck.write_text("4 Мираж\n7 Скелет\nФарро\nЭндор Флэм\n", "utf-8")
    known = (data_folder() / "rulesets" / "comprehensive.yaml").read_text("utf-8")
    rules.write_text(known + "banned: [Фарро]\n", "utf-8")
    code, found = answer(capfdbinary, "deck", "check", str(deck), "--rules", str(rules))
    validate("deck-check", found)
    assert code == 1 and not found["legal"]
    codes = {problem["code"] for problem in found["problems"]}
    assert codes == {fault.value.removeprefix("deck_") for fault in Fault}
    for command in (["deck", "show"], ["deck", "convert"], ["draw"]):
        more = ["-"] if command[-1] == "convert" else []
        code, refused = answer(capfdbinary, *command, str(deck), *more)
        validate("error", refused)
        assert code == 2 and refused["command"] == " ".join(command)
        assert refused["error"]["code"] == "card_unknown"


@pytest.mark.parametrize("form", Format)
def test_a_deck_in_every_format(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, form: Format
) -> None:
    out = str(tmp_path / "deck")
    wanted = ["deck", "convert", FARRO, out, "--format", form.value]
    code, found = answer(capfdbinary, *wanted)
    validate("deck-convert", found)
    assert code == 0 and found["notes"] and found["text"] == Path(out).read_text("utf-8")
    code, again = answer(capfdbinary, "deck", "convert", out, "-", "--format", "text")
    validate("deck-convert", again)
    assert code == 0 and again["cards"] == found["cards"] == 30
    code, refused = answer(capfdbinary, *wanted)
    validate("error", refused)
    assert code == 2 and refused["error"]["code"] == "file_exists"


def test_cards(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    code, found = answer(capfdbinary, "cards", "find")
    validate("cards-find", found)
    assert code == 0 and found["count"] == len(found["cards"]) == len(catalogue().by_key)
    code, none = answer(capfdbinary, "cards", "find", "Мираж", "--element", "dark")
    validate("cards-find", none)
    assert code == 1 and none["count"] == 0
    for name, modelled in (("Мираж", True), ("Аль-Джамия", True), ("Линнет", True)):
        code, shown = answer(capfdbinary, "cards", "show", name)
        validate("cards-show", shown)
        assert code == 0 and shown["modelled"] == modelled
        assert shown["card"] in found["cards"]
    code, refused = answer(capfdbinary, "cards", "show", "Мирож")
    validate("error", refused)
    assert code == 2 and "Мираж" in refused["error"]["suggestions"]


def test_imported_cards(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    card = {"id": "90001", "name": "Проба", "cost": 3, "elite": False, "uniq": False}
    source, out = tmp_path / "cards.json", str(tmp_path / "cards.yaml")
    source.write_text(json.dumps([card | {"color": 20, "type": 1}]), "utf-8")
    code, found = answer(capfdbinary, "cards", "import", str(source), "--out", out)
    validate("cards-import", found)
    assert code == 0 and found["notes"] and found["text"] == Path(out).read_text("utf-8")
    code, shown = answer(capfdbinary, "cards", "show", "90001", "--cards", out)
    validate("cards-show", shown)
    assert code == 0 and shown["card"]["elements"] == ["forest", "dark"]
    source.write_text(json.dumps([card]), "utf-8")
    code, refused = answer(capfdbinary, "cards", "import", str(source))
    validate("error", refused)
    assert code == 2 and refused["command"] == "cards import"


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["take Анволд", "take Ахтар [paid=ordinary]"], 0),
        (["take Топи Зенды", "take Орк"], 1),
        (["take Орк", "save order.txt", "restart"], 0),
        ([], 0),
    ],
)
def test_recruit(
    capfdbinary: pytest.CaptureFixture[bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lines: list[str],
    code: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "script.txt"
    script.write_text("\n".join(lines) + "\n", "utf-8")
    given, found = answer(capfdbinary, "recruit", ALTAR, "--script", str(script))
    validate("recruit", found)
    assert given == code and len(found["refused"]) == code
    assert found["legal"] is bool(found["cards"])


def test_rules(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for arguments in ([], ["403"], ["402.4.1", "--rules", "tournament"]):
        code, found = answer(capfdbinary, "rules", *arguments)
        validate("rules", found)
        assert code == 0


def test_errors(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    code, found = answer(capfdbinary, "check", ALTAR, "Орг")
    validate("error", found)
    assert code == 2 and found["error"]["suggestions"][0] == "Орк"
    assert found["error"]["code"] in [code.value for code in ErrorCode]


def test_the_schema_knows_every_violation() -> None:
    known = SCHEMAS["common"]["$defs"]["violation"]["properties"]["code"]["enum"]
    assert known == [code.value for code in CODES]


def test_the_schemas_know_every_fault_of_a_deck_and_every_format() -> None:
    problem = SCHEMAS["deck-check"]["properties"]["problems"]["items"]
    known = problem["properties"]["code"]["enum"]
    assert known == [fault.value.removeprefix("deck_") for fault in Fault]
    formats = SCHEMAS["deck-convert"]["properties"]["format"]["enum"]
    assert formats == [form.value for form in Format]


def test_a_schema_is_named_like_its_command() -> None:
    for name, schema in SCHEMAS.items():
        assert schema["$id"] == f"{name}.json"
        command = schema.get("properties", {}).get("command", {}).get("const")
        assert command is None or command.replace(" ", "-") == name
