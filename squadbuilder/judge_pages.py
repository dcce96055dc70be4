"""The judge's rulings as a person reads them."""

from collections.abc import Iterable, Mapping, Sequence

from squadbuilder.expected import unmet
from squadbuilder.judge_answers import breach_text, resource_text
from squadbuilder.pages import Page
from squadbuilder.scenario import Line
from squadbuilder.table_state import Resource
from squadbuilder.table_steps import (
    STORES,
    Add,
    Begin,
    Breach,
    Change,
    Counts,
    Declare,
    Finish,
    Put,
    Redirect,
    Remove,
    Step,
    Take,
    TakeControl,
    Taken,
    Traits,
    Turn,
    Verdict,
    Wound,
)


class JudgePages(Page):
    """Writes what the judge says, step by step."""

    told: tuple[Sequence[str], Mapping[str, tuple[Breach, ...]]] = ((), {})

    def title(self, text: str) -> None:
        """What the scenario is about."""
        if text:
            self.print(text)

    def step(self, number: int, line: Line, verdict: Verdict) -> None:
        """A step: what was to be done, whether it may be, why, and what came of it."""
        result = verdict.result
        self.print(f"{number}. {self.described(line.verb, line.step)}")
        if line.note:
            self.print(f"   {line.note}")
        rules = ", ".join(result.rules)
        told = self.say(f"outcome_{result.outcome.value}")
        self.print("   " + (self.say("step_rules", told=told, rules=rules) if rules else told))
        self._breaches(result.breaches)
        for key in STORES:
            self._resources(key, getattr(result, key))
        self._changes("moved", verdict.moved, {})
        players = {player: self.say(f"table_{player}") for player in ("first", "second")}
        self._changes("control", verdict.control, players)
        for player in result.shuffled:
            self.print("   " + self.say("table_shuffled", player=players[player.value]))
        if result.active_zone is not None:
            zone = self.say(f"zone_{result.active_zone.value}")
            self.print("   " + self.say("table_active_zone", zone=zone))
        self._incarnations(verdict)
        if line.expect is not None and (missed := unmet(verdict, line.expect)):
            self.print("   " + self.say("step_unmet", keys=", ".join(missed)))

    def end(self, as_expected: bool, allowed: bool, expects: bool) -> None:
        """The last line: is all as expected? Where nothing is, all should be allowed."""
        word = "not_as_expected" if expects else "refused"
        self.print(self.say("table_as_expected" if as_expected else f"table_{word}"))
        if as_expected and not allowed:
            self.print(self.say("table_refusals"))

    def described(self, verb: str, step: Step) -> str:
        """What a step is, in words."""
        match step:
            case Declare():
                about = ", ".join(step.targets)
                code = "step_declare_at" if about else "step_declare"
                return self.say(code, action=step.name, card=step.source, cards=about)
            case Begin() | Finish():
                return self.say(f"step_{verb}", action=step.action)
            case Redirect():
                return self.say("step_redirect", action=step.action, card=step.to)
            case Take():
                cards = ", ".join(map(self._taken, step.cards))
                return self.say(f"step_{verb}", card=step.by, cards=cards or self.say("no_card"))
            case Counts():
                return self.say("step_counts", card=step.card, what=self._traits(step.traits))
            case TakeControl():
                player = self.say(f"table_{step.player.value}")
                return self.say("step_take_control", card=step.card, player=player)
            case Turn():
                return self.say("step_turn", player=self.say(f"table_{step.player.value}"))
            case Put():
                return self.say("step_put", card=step.card, place=self._place(str(step.to)))
            case Add() | Remove():
                marks = [f"{name} {n}" for name, n in step.counters.items()]
                if step.movement:
                    marks.append(self.say("resource_movement", n=step.movement))
                return self.say(f"step_{verb}", card=step.card, marks=", ".join(marks))
            case Wound():
                return self.say("step_wound", card=step.card, n=step.wounds)
            case _:
                return self.say(f"step_{verb}", card=step.card)

    def _breaches(self, breaches: Iterable[Breach]) -> None:
        for breach in breaches:
            item = self.say("rule_item", n=breach.item) if breach.item is not None else ""
            self.print(f"     {breach.rule}{item}  {breach_text(breach, self.speaker)}")

    def _incarnations(self, verdict: Verdict) -> None:
        """Who must incarnate now and who waits, told when it is news."""
        if (verdict.due, verdict.waiting) == self.told:
            return
        self.told = verdict.due, verdict.waiting
        if verdict.due:
            self.print("   " + self.say("table_due", cards=", ".join(verdict.due)))
        for card, why in verdict.waiting.items():
            self.print("   " + self.say("table_waiting", card=card))
            self._breaches(why)

    def _resources(self, key: str, resources: Iterable[Resource]) -> None:
        texts = [resource_text(one, self.speaker) for one in resources]
        if texts:
            self.print("   " + self.say(f"table_{key}", what="; ".join(texts)))

    def _changes(self, key: str, changes: Iterable[Change], words: dict[str, str]) -> None:
        for one in changes:
            before = words.get(one.before) or self._place(one.before)
            now = words.get(one.now) or self._place(one.now)
            self.print("   " + self.say(f"table_{key}", card=one.card, before=before, now=now))

    def _taken(self, taken: Taken) -> str:
        """A card to be taken, and where to."""
        return f"{taken.card} ({self._place(str(taken.cell))})" if taken.cell else taken.card

    def _traits(self, traits: Traits) -> str:
        """What a card is asked to be or have."""
        found = []
        if traits.open is not None:
            found.append(self.say("trait_open" if traits.open else "trait_closed"))
        if traits.revealed is not None:
            found.append(self.say("trait_revealed" if traits.revealed else "trait_hidden"))
        if traits.movement:
            found.append(self.say("resource_movement", n=traits.movement))
        return ", ".join([*found, *(f"{name} {n}" for name, n in traits.counters.items())])

    def _place(self, name: str) -> str:
        """A zone in words; a cell keeps its name."""
        half, _, cell = name.partition(" ")
        if cell:
            return self.say(f"half_{half}", cell=cell)
        return self.say(f"zone_{name}")
