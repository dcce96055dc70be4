"""Keep this deal, or mulligan (402.4)? From deals simulated with the rest of the rules' mulligans."""

from dataclasses import dataclass

from squadbuilder.cards import Card
from squadbuilder.crew import Crew
from squadbuilder.deal import Deal
from squadbuilder.evaluation import Question
from squadbuilder.mulligan import most_mulligans
from squadbuilder.objective import Objective
from squadbuilder.trial import best_policy

DEALS = 1000
SEED = 0


@dataclass(frozen=True, slots=True)
class Advice:
    """Whether to keep a deal worth `value`, when another one promises `promise` on average.

    Worth by the first goal as a player reads it; no promise if the rules leave no mulligan.
    """

    keep: bool
    value: int
    threshold: int | None
    promise: float | None
    deals: int


def advise(deal: Deal, objective: Objective, value: int, opponent: tuple[Card, ...] = ()) -> Advice:
    """Advice on a deal of a known deck; `value` is that of its best squad by the goal's sign.

    The opponent's deck is taken to be the player's own if it is not known.
    """
    sign = objective[0].sign
    deck = tuple(sorted(deal.deck or (), key=lambda card: card.key))
    question = Question(
        deck,
        deck,
        SEED,
        deal.rules,
        deal.player,
        objective,
        opponent=opponent,
        opponent_mulligans=deal.opponent_mulligans,
        blocked_cells=deal.blocked_cells,
    )
    following = deal.mulligans + 1
    if following > most_mulligans(deal.rules, deal.player):
        return Advice(True, sign * value, None, None, 0)
    settled: list[int] = []
    with Crew() as crew:
        found = best_policy(question, DEALS, crew, settled.append, mulligans=following)
    promise = found.worth[0]
    return Advice(
        keep=value >= promise,
        value=sign * value,
        threshold=sign * -(-promise.numerator // promise.denominator),
        promise=sign * float(promise),
        deals=sum(settled),
    )
