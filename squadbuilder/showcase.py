"""What a page shows beside the answer itself: facts of cards, deals, and the deals at both ends."""

from collections import Counter
from collections.abc import Sequence

from squadbuilder.answers import Document, squad_document
from squadbuilder.cards import Card
from squadbuilder.deal import Deal
from squadbuilder.deck_answers import Entry
from squadbuilder.evaluation import Question
from squadbuilder.messages import Speaker
from squadbuilder.objective import Objective, Ratings
from squadbuilder.solve import solve
from squadbuilder.squad import Cards


def card_facts(card: Card) -> Document:
    """What is printed on a card, as far as recruiting looks at it."""
    return {
        "name": card.name,
        "cost": card.cost,
        "elite": card.elite,
        "elements": sorted(element.value for element in card.elements),
        "type": card.type.value,
        "classes": sorted(card.classes),
    }


def deal_document(deal: Deal) -> Document:
    """A deal: the seat, the crystals at the start, the cards with their copies, and all cards `known`
    to it: abilities may bring some from the deck."""
    copies = Counter(deal.cards)
    return {
        "player": deal.player.value,
        "rules": deal.rules.name,
        "mulligans": deal.mulligans,
        "gold": deal.gold,
        "silver": deal.silver,
        "flyer_cap": deal.rules.flyer_cap,
        "cards": [{**card_facts(card), "copies": number} for card, number in copies.items()],
        "known": [card_facts(card) for card in Cards(deal).kinds],
    }


def extremes(question: Question, entry: Entry, speaker: Speaker) -> Document:
    """The worst and the best deal of an evaluation, dealt again, each with its best squad."""
    return {
        end: None if entry[end] is None else _extreme(question, entry[end], speaker)
        for end in ("lowest", "highest")
    }


def _extreme(question: Question, found: Entry, speaker: Speaker) -> Document:
    deal = question.deal(0, found["index"])
    answer = solve(deal, question.objective)
    if answer.interrupted:
        raise KeyboardInterrupt
    ratings = _ratings(question.objective)
    squads = [squad_document(Cards(deal), line, speaker, ratings) for line in answer.lines]
    return {**found, "deal": deal_document(deal), "squad": squads[0] if squads else None}


def _ratings(objective: Objective) -> Ratings | None:
    return next((goal.ratings for goal in objective if goal.ratings.cards), None)


def facts_of(questions: Sequence[Question]) -> dict[str, Document]:
    """The facts of all cards that were played, by name."""
    return {card.name: card_facts(card) for asked in questions for card in asked.kinds()}
