"""Answers on a deal as a person reads them at the table."""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence

from squadbuilder.answers import counted, reveals, values_of, violation_text
from squadbuilder.deal import Deal
from squadbuilder.limits import Violation
from squadbuilder.messages import Speaker
from squadbuilder.objective import DEFAULT, Measure, Objective, Ratings
from squadbuilder.orders import Line
from squadbuilder.pages import Page
from squadbuilder.recruit import Choices, Paid, State, Step
from squadbuilder.referee import Move, Verdict
from squadbuilder.squad import Cards, Counts

MOST_LISTED = 20


class Report(Page):
    """Writes answers on one deal."""

    def __init__(
        self,
        speaker: Speaker,
        cards: Cards,
        objective: Objective = DEFAULT,
        ratings: Ratings | None = None,
        plain: bool = False,
    ) -> None:
        super().__init__(speaker, plain)
        self.ratings = ratings
        self.cards = cards
        self.objective = objective

    def deal(self, deal: Deal) -> None:
        """The seat, the crystals and the rules."""
        self.print(
            self.say(
                "head_deal",
                player=self.say(deal.player.value),
                gold=deal.gold,
                silver=deal.silver,
                rules=deal.rules.name,
                cards=len(deal.cards),
            )
        )

    def verdict(self, verdict: Verdict, ordered: bool, last_card: str | None) -> None:
        """What the referee says of a squad."""
        if verdict.line is not None:
            self.print(self.say("legal_ordered" if ordered else "legal"))
            self.line(verdict.line)
            return
        if verdict.step is None:
            self.print(self.say("illegal"))
            self.violations(verdict.violations)
            return
        if verdict.ledger:
            left = verdict.ledger[-1]
            self.print(self.say("before_step", gold=left.left_gold, silver=left.left_silver))
            self.steps(verdict.ledger)
        self.print(self.say("illegal_step", step=verdict.step, card=last_card))
        self.violations(verdict.violations)
        if verdict.other_order is not None:
            names = ", ".join(self.cards.kinds[kind].name for kind in verdict.other_order)
            self.print(self.say("other_order", cards=names))
        elif verdict.no_order:
            self.print(self.say("no_other_order"))

    def instead(self, moves: Sequence[Move]) -> None:
        """Which cards could have been recruited at the wrong step."""
        names = [self.cards.kinds[move.kind].name for move in moves if move.options]
        if names:
            self.print(self.say("legal_instead", cards=", ".join(names)))

    def violations(self, violations: Iterable[Violation]) -> None:
        """Broken limits, a line each, with their rule numbers."""
        for violation in violations:
            self.print(f"  {violation.rule}  {violation_text(violation, self.speaker)}")

    def line(self, line: Line) -> None:
        """A squad in recruit order, what is left, and what has to be told later."""
        self.steps(line.steps)
        values = values_of(self.cards, line, self.ratings)
        measures = [goal.measure for goal in self.objective]
        measures += [m for m in (Measure.COST, Measure.ELITE) if m not in measures]
        worth = ", ".join(
            f"{self.say('measure_' + measure.value)} {values[measure.value]}"
            for measure in measures
        )
        self.print(worth[:1].upper() + worth[1:] + ".")
        self.print(self.say("left_over", gold=line.end.gold, silver=line.end.silver))
        elements = [self.say(e.value) for e in sorted(self.cards.elements(line.squad))]
        names = ", ".join(elements) or self.say("no_elements")
        self.print(self.say("elements", names=names))
        if line.end.penalty:
            self.print(self.say("penalty_paid", n=line.end.penalty))
        if line.end.flyer_spent:
            cap = self.cards.deal.rules.flyer_cap
            self.print(self.say("flyers_paid", spent=line.end.flyer_spent, cap=cap))
        rest = self._rest(line.end)
        if rest:
            self.print(self.say("in_hand", cards=rest))
        for (name, words), number in Counter(reveals(self.cards, line.steps, self.speaker)).items():
            card = f"{number} {name}" if number > 1 else name
            self.print(self.say("reveals", card=card, say=words))

    def steps(self, steps: Sequence[Step]) -> None:
        """The ledger as a table; columns that would be empty are left out."""
        penalty = any(step.penalty for step in steps)
        gains = any(step.gained_gold or step.gained_silver for step in steps)
        choices = any(self.told(step) for step in steps)
        headings = ["number", "card", "price"]
        headings += ["penalty"] * penalty + ["gain"] * gains + ["left"] + ["choice"] * choices
        rows: list[list[str]] = []
        for number, step in enumerate(steps, start=1):
            row = [
                str(number),
                self.cards.kinds[step.kind].name,
                self.crystals(step.gold, step.silver) or self.say("free"),
            ]
            row += [self.crystals(step.penalty, 0)] * penalty
            gained = self.crystals(step.gained_gold, step.gained_silver)
            row += [f"+{gained}" if gained else ""] * gains
            left = (step.left_gold, step.left_silver)
            row.append(f"{self.gold(left[0])} {self.silver(left[1])}")
            row += [self.told(step)] * choices
            rows.append(row)
        self.table(headings, rows)

    def moves(self, gold: int, silver: int, moves: Sequence[Move]) -> None:
        """What may be recruited now, at what price, and what bars the rest."""
        able = [move for move in moves if move.options]
        if able:
            self.print(self.say("may_take", gold=gold, silver=silver))
        rows: list[list[str]] = []
        for move in able:
            for step in move.options:
                price = self.crystals(step.gold, step.silver) or self.say("free")
                gained = self.crystals(step.gained_gold, step.gained_silver)
                rows.append(
                    [
                        self.cards.kinds[move.kind].name,
                        price,
                        self.crystals(step.penalty, 0),
                        f"+{gained}" if gained else "",
                        f"{self.gold(step.left_gold)} {self.silver(step.left_silver)}",
                        self.choices(step.choices),
                    ]
                )
        if rows:
            names = ("card", "price", "penalty", "gain", "left", "choice")
            self.table(names, rows)
        used = [steps for move in moves for steps in move.uses]
        if used:
            self.print(self.say("may_use"))
            self.table(("card", "price", "penalty", "gain", "left", "choice"), self._uses(used))
        unable = [move for move in moves if not move.options]
        if not able:
            self.print(self.say("nothing_to_take"))
        elif unable:
            self.print(self.say("may_not_take"))
        for move in unable:
            why = "; ".join(violation_text(found, self.speaker) for found in move.violations)
            self.print(f"  {self.cards.kinds[move.kind].name}: {why}")

    def _uses(self, uses: Sequence[Sequence[Step]]) -> list[list[str]]:
        return [
            [
                self.cards.kinds[step.kind].name,
                self.crystals(step.gold, step.silver) or self.say("free"),
                self.crystals(step.penalty, 0),
                self.crystals(step.gained_gold, step.gained_silver),
                f"{self.gold(step.left_gold)} {self.silver(step.left_silver)}",
                self.told(step),
            ]
            for steps in uses
            for step in steps
        ]

    def solution(self, status: str, lines: Sequence[Line]) -> None:
        """The best squads, best first."""
        code = "several" if status == "optimal" and len(lines) > 1 else status
        self.print(self.say(f"status_{code}") + (":" if lines else ""))
        for place, line in enumerate(lines, start=1):
            if len(lines) > 1:
                self.print("")
                self.print(self.say("place", n=place))
            self.line(line)

    def listing(self, squads: Sequence[Counts], count_only: bool, complete: bool) -> None:
        """All legal squads, a line each."""
        if not count_only:
            shown = MOST_LISTED if sys.stdout.isatty() else len(squads)
            for squad in squads[:shown]:
                self.print(self._names(squad))
            if squads[shown:]:
                self.print(self.say("and_more", n=len(squads) - shown))
        self.print(self.say("count_squads" if complete else "squads_shown", n=len(squads)))
        if not complete:
            self.print(self.say("list_incomplete"))

    def crystals(self, gold: int, silver: int) -> str:
        """Crystals in short: 3g 2s; nothing for none."""
        parts = [self.gold(gold)] * bool(gold) + [self.silver(silver)] * bool(silver)
        return " ".join(parts)

    def gold(self, number: int) -> str:
        """Gold crystals in short."""
        return self.say("gold_short", n=number)

    def silver(self, number: int) -> str:
        """Silver crystals in short."""
        return self.say("silver_short", n=number)

    def choices(self, choices: Choices) -> str:
        """The choices of a step in words."""
        words: list[str] = []
        if choices.bonus is not None:
            words.append(self.say("choice_bonus_yes" if choices.bonus else "choice_bonus_no"))
        if choices.x is not None:
            words.append(self.say("choice_x", x=choices.x))
        if choices.paid is not None:
            ordinary = choices.paid is Paid.ORDINARY
            words.append(self.say("choice_paid_ordinary" if ordinary else "choice_paid_elite"))
        return ", ".join(words)

    def told(self, step: Step) -> str:
        """The choices of a step, and what an ability used before recruitment did."""
        words = [self.choices(step.choices)] if self.choices(step.choices) else []
        if step.use is not None:
            words.append(self.say("told_before"))
            use = {
                "told_shown": step.use.shown,
                "told_found": step.use.found,
                "told_to_graveyard": step.use.to_graveyard if step.joins else (),
                "told_exiled": step.use.exiled,
            }
            words += [self.say(code, cards=counted(names)) for code, names in use.items() if names]
            words += [self.say("told_buried")] * (not step.joins)
        return ", ".join(words)

    def _rest(self, end: State) -> str:
        return self._names(
            tuple(there - count for there, count in zip(end.pool, end.squad, strict=True))
        )

    def _names(self, squad: Counts) -> str:
        return counted(self.cards.kinds[kind].name for kind in self.cards.members(squad))
