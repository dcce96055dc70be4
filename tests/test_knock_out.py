"""Without any one rule, some answer changes: each constraint of the model and each limit is needed."""

from collections.abc import Iterator, Sequence

import pytest
from dealing import COMPANY, model_squads, order_sensitive, walk

from squadbuilder import limits
from squadbuilder.cards import catalogue
from squadbuilder.deal import Deal
from squadbuilder.errors import Where
from squadbuilder.limits import LIMITS, Code
from squadbuilder.listing import list_all
from squadbuilder.model import CONSTRAINTS, build
from squadbuilder.objective import read_objective
from squadbuilder.recruit import Recruitment
from squadbuilder.ruleset import ruleset
from squadbuilder.solve import DisagreementError, solve
from squadbuilder.squad import Cards, Counts
from squadbuilder.squad_model import Begun
from squadbuilder.wishes import read_wishes

DEALS: dict[str, tuple[str, Sequence[str]]] = {
    "copies_in_order": ("comprehensive", ["Орк", "Орк", "Кочевник"]),
    "unique": ("comprehensive", ["Мародёр", "Мародёр"]),
    "creature_required": ("comprehensive", ["Топи Зенды", "Орк"]),
    "cells": ("comprehensive", ["Орк", "Орк", "Кочевник"]),
    "forbidden_with": ("comprehensive", ["Ведьмак", "Дракон-зомби"]),
    "quota": ("comprehensive", ["Падшая Линнет", "Тич", "Анволд"]),
    "terrain_limit": ("tournament", ["Орк", "Топи Зенды", "Храм вольных"]),
    "prices": ("comprehensive", ["Анволд", "Тич", "Ахтар", "Ужас Исхара", "Аммах", "Линдвурм"]),
    "flyer_cap": ("comprehensive", ["Мантикора", "Валькирия", "Пустынный кондор", "Грифон"]),
    "gains": ("tournament", ["Тич", "Линдвурм", "Мародёр", "Анволд", "Аммах"]),
    "penalties": ("tournament", ["Анволд", "Линдвурм", "Аммах", "Топи Зенды", "Мантикора"]),
    "crystals": ("comprehensive", ["Линдвурм", "Линдвурм", "Линдвурм", "Тич", "Аммах"]),
    "wishes": ("comprehensive", ["Орк", "Кочевник"]),
    "begun": ("comprehensive", ["Орк", "Кочевник"]),
    "brought": ("comprehensive", ["Поработитель Ордена", "Орк"]),
    "discarded": ("comprehensive", ["Упырёныш", "Упырёныш"]),
    "partners": ("tournament", ["Линнет", "Анволд", "Орк"]),
    "looks": ("tournament", ["Отец-дознаватель", "Анволд", "Орк"]),
}


def deal(name: str) -> Deal:
    rules, names = DEALS[name]
    cards = [catalogue().find(word, Where()) for word in names]
    poor = {"gains": 14, "penalties": 5, "partners": 22, "looks": 18}.get(name, 0)
    elemental = catalogue().find("Элементаль праха", Where())
    return Deal(
        cards=tuple(sorted(cards, key=lambda card: card.key)),
        rules=ruleset(rules),
        mulligans=poor,
        blocked_cells=13 if name == "cells" else 0,
        deck=(*cards, elemental) if name == "brought" else None,
        outcomes={cards[0].key: 2} if name == "looks" else {},
    )


def squads(name: str, leave_out: Sequence[str] = ()) -> list[Counts]:
    dealt = deal(name)
    cards = Cards(dealt)
    wanted = read_wishes(cards, [cards.kinds[0]]) if name == "wishes" else ()
    begun = Begun((1, 0), (1, 1), gold=24, silver=19) if name == "begun" else None
    return model_squads(build(dealt, wanted, leave_out, begun, thrifty=name != "discarded"))


def test_every_constraint_has_a_deal() -> None:
    assert set(DEALS) == set(CONSTRAINTS)


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_without_a_constraint_the_model_finds_other_squads(name: str) -> None:
    assert squads(name, [name]) != squads(name)


def test_without_what_is_discarded_the_model_undervalues_spending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dealt, spending = deal("discarded"), read_objective("-gold_left")
    assert solve(dealt, spending).lines
    monkeypatch.setitem(CONSTRAINTS, "discarded", lambda _: None)
    with pytest.raises(DisagreementError, match="undervalues"):
        solve(dealt, spending)


def reachable(dealt: Deal) -> set[Counts]:
    return {state.squad for state in walk(Recruitment(dealt))} - {Cards(dealt).empty}


RULE_OF_LIMIT = {
    Code.UNIQUE: "unique",
    Code.FLYER_CAP: "flyer_cap",
    Code.NO_CREATURE: "creature_required",
    Code.CELLS: "cells",
    Code.FORBIDDEN_WITH: "forbidden_with",
    Code.QUOTA: "quota",
    Code.TERRAIN_LIMIT: "terrain_limit",
}


@pytest.fixture(params=LIMITS)
def knocked_out(request: pytest.FixtureRequest) -> Iterator[Code]:
    code: Code = request.param
    kept = limits.LIMITS.pop(code)
    yield code
    limits.LIMITS[code] = kept


def test_without_a_limit_the_referee_reaches_other_squads(knocked_out: Code) -> None:
    dealt = deal(RULE_OF_LIMIT[knocked_out])
    without = reachable(dealt)
    recruitment = Recruitment(dealt)
    limited = {squad for squad in without if _legal_by_model(recruitment, squad)}
    assert without != limited


def _legal_by_model(recruitment: Recruitment, squad: Counts) -> bool:
    return squad in set(list_all(recruitment.deal).squads)


def test_deals_for_tests_mix_cards_with_their_company() -> None:
    names = {card.key for seed in range(40) for card in order_sensitive(seed, 12).cards}
    assert set(COMPANY) <= names
