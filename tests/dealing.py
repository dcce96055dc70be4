"""Deals for tests: drawn from the real decks, or made to mix cards whose order matters."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from oracle import Table
from ortools.sat.python import cp_model

from squadbuilder.before import BeforeStep, Position
from squadbuilder.cards import Card, catalogue
from squadbuilder.deal import Deal
from squadbuilder.formats import read_deck
from squadbuilder.reading import data_folder
from squadbuilder.recruit import Recruitment, State
from squadbuilder.ruleset import MulliganCost, ruleset
from squadbuilder.squad import Counts, fits
from squadbuilder.squad_model import SquadModel
from squadbuilder.terms import Player

SENSITIVE = tuple(
    card for card in catalogue().by_key.values() if card.effect.note and card.effect.before is None
)
ABLE = tuple(card for card in catalogue().by_key.values() if card.effect.before is not None)
DECKS = tuple(sorted((data_folder() / "decks").glob("*.txt")))
COMPANY = {
    "ведающий запасами": "cost",
    "эрманд": "hero",
    "алтарь хигарта": "hero",
    "мираж": "terrain",
    "аммах": "symbiote",
    "храм вольных": "element",
    "райская птица": "element",
}
"""What kind of other cards makes a card's text matter."""


def from_deck(seed: int, size: int | None = None) -> Deal:
    """A deal of a real deck."""
    rng = random.Random(seed)
    deck = read_deck(str(DECKS[seed % len(DECKS)]), catalogue())
    return _deal(rng, rng.sample(deck, size or 15))


def order_sensitive(seed: int, size: int) -> Deal:
    """A made-up deal with up to four cards of the effect files and cards that go with them."""
    rng = random.Random(seed)
    cards: list[Card] = []
    for card in rng.sample(SENSITIVE, rng.randint(1, 4)):
        copies = 1 if card.unique and rng.random() < 0.8 else rng.randint(1, 3)
        cards += [card] * copies
        cards += _company(rng, card)
    everything = list(catalogue().by_key.values())
    while len(cards) < size:
        card = rng.choice(everything)
        cards += [card] * rng.choice((1, 1, 2))
    rng.shuffle(cards)
    return _deal(rng, cards[:size])


def with_abilities(seed: int, size: int, number: int = 2) -> Deal:
    """A deal with so many abilities before recruitment, cards that they speak of, and its deck."""
    rng = random.Random(seed)
    able = rng.sample(ABLE, number)
    cards = [card for card in able for _ in range(1 if card.unique else rng.randint(1, 2))]
    everything = list(catalogue().by_key.values())
    spoken_of = [
        rng.choice([c for c in everything if _fits_any(card, c)])
        for card in able
        for _ in range(2)
        if any(_fits_any(card, c) for c in everything)
    ]
    others = [rng.choice(SENSITIVE), *(rng.choice(everything) for _ in range(size))]
    rng.shuffle(spoken_of)
    dealt = (cards + spoken_of[:number] + others)[:size]
    more = [*spoken_of[number:], *rng.sample(dealt, 2), *(rng.choice(everything) for _ in range(3))]
    deal = _deal(rng, dealt)
    looks = [card for card in dealt if card.effect.look is not None and rng.random() < 0.6]
    return replace(
        deal,
        deck=tuple(sorted(dealt + more, key=lambda card: card.key)) if rng.random() < 0.9 else None,
        outcomes={card.key: rng.randint(0, 2) for card in looks},
    )


def _fits_any(giver: Card, card: Card) -> bool:
    """Does the ability of the giver speak of the card?"""
    ability = giver.effect.before
    assert ability is not None
    parts = (ability.show, ability.partner, ability.fetch, ability.exile)
    filters = [part.cards for part in parts if part is not None] + [ability.bury]
    return any(text is not None and fits(text, card, card.elements) for text in filters)


def walk(recruitment: Recruitment) -> Iterator[State]:
    """Every state that abilities and recruitment steps reach, in every order and with every choice."""
    step = BeforeStep(recruitment)
    yield from steps_from(recruitment, uses_from(step, step.start))


def uses_from(step: BeforeStep, begun: Position) -> set[State]:
    """Every state that abilities reach from there, their use being optional."""
    positions = edge = {begun._replace(steps=())}
    while edge:
        edge = {after._replace(steps=()) for p in edge for after in step.uses(p)} - positions
        positions = positions | edge
    return {position.state for position in positions}


def steps_from(recruitment: Recruitment, reached: set[State]) -> Iterator[State]:
    """These states and all that recruitment steps reach from them."""
    done: set[State] = set()
    while reached:
        yield from reached
        done |= reached
        reached = {
            taken[0]
            for state in reached
            for kind, copies in enumerate(state.pool)
            if state.squad[kind] < copies
            for offer in recruitment.offers(state.squad, kind)
            if (taken := recruitment.take(state, kind, offer))
        } - done


def _company(rng: random.Random, card: Card) -> list[Card]:
    wanted = COMPANY.get(card.key)
    others = list(catalogue().by_key.values())
    if wanted == "cost":
        return [rng.choice([c for c in others if c.cost == cost]) for cost in range(3, 9)]
    if wanted == "hero":
        heroes = ("Герой-маг", "Герой-жрец", "Герой-разбойник", "Герой-воин")
        return [rng.choice([c for c in others if hero in c.classes]) for hero in heroes]
    if wanted == "terrain":
        return rng.sample([c for c in others if c.type.value == "terrain"], 2)
    if wanted == "symbiote":
        return [rng.choice([c for c in others if c.type.value in ("companion", "parasite")])]
    if wanted == "element":
        cheap = [c for c in others if c.elements and c.cost <= 4]
        return rng.sample(cheap, 4)
    return []


def _deal(rng: random.Random, cards: Sequence[Card]) -> Deal:
    rules = ruleset(rng.choice(("comprehensive", "tournament")))
    poor = rules.mulligan_costs is MulliganCost.GOLD and rng.random() < 0.5
    return Deal(
        cards=tuple(sorted(cards, key=lambda card: card.key)),
        rules=rules,
        player=rng.choice(tuple(Player)),
        mulligans=rng.randint(8, 20) if poor else rng.randint(0, 3),
        opponent_mulligans=rng.randint(0, 1),
        blocked_cells=rng.choice((0, 0, 0, 10, 12)),
    )


def table(deal: Deal) -> Table:
    """The same deal as the oracle sees it."""
    return Table(
        player=deal.player.value,
        mulligans=deal.mulligans,
        opponent_mulligans=deal.opponent_mulligans,
        rules=deal.rules.name,
        blocked_cells=deal.blocked_cells,
        creature_required=deal.rules.creature_required.value,
        on_recruit_gain=deal.rules.on_recruit_gain.value,
        deck=deal.deck,
        outcomes=deal.outcomes,
    )


def model_squads(model: SquadModel) -> list[Counts]:
    """Every solution of a model, as squads; one squad twice if a helper variable is left open."""
    found: list[Counts] = []

    class Collector(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            found.append(model.squad(self.value))

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.enumerate_all_solutions = True
    solver.solve(model.cp, Collector())
    return sorted(found)
