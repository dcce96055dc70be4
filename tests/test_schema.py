"""Every JSON answer fits the schema of its command in data/schema."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from squadbuilder.cli import main
from squadbuilder.errors import ErrorCode
from squadbuilder.limits import CODES
from squadbuilder.reading import data_folder

SCHEMAS = {
    path.stem: json.loads(path.read_text("utf-8")) for path in (data_folder() / "schema").iterdir()
}
DEALS = sorted((data_folder() / "deals").iterdir())
ALTAR = str(data_folder() / "deals" / "altar.yaml")


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


def test_errors(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    code, found = answer(capfdbinary, "check", ALTAR, "Орг")
    validate("error", found)
    assert code == 2 and found["error"]["suggestions"][0] == "Орк"
    assert found["error"]["code"] in [code.value for code in ErrorCode]


def test_the_schema_knows_every_violation() -> None:
    known = SCHEMAS["common"]["$defs"]["violation"]["properties"]["code"]["enum"]
    assert known == [code.value for code in CODES]
