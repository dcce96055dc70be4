"""Recruiting at the table: whatever is done, the ledger is what a fresh referee makes of it."""

import random
from dataclasses import replace
from typing import Any

import pytest
from dealing import order_sensitive, steps_from, uses_from, with_abilities
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from squadbuilder.before import BeforeStep
from squadbuilder.cards import catalogue
from squadbuilder.conversation import Conversation, said
from squadbuilder.deal import Deal
from squadbuilder.errors import InputError
from squadbuilder.messages import Language, Speaker
from squadbuilder.objective import DEFAULT, Objective, read_objective
from squadbuilder.orders import Orders
from squadbuilder.recruit import State, Step, Use
from squadbuilder.referee import MOST_GOLD, judge_order
from squadbuilder.session import Action, Bar, Phase, Refusal, Session, Unclear, Verb, sit_down
from squadbuilder.solve import Status, solve
from squadbuilder.stated import Named


def bare(step: Step) -> Step:
    """A step without what only a player who fetches more than he says could tell apart."""
    return step if step.use is None else step._replace(use=Use(step.use.kind))


def takes(session: Session) -> list[Action]:
    return [
        Action(Verb.TAKE, (Named(session.recruitment.cards.kinds[move.kind], *option.choices),))
        for move in session.moves()
        for option in move.options
    ]


def uses(session: Session) -> list[Action]:
    """Every way to use an ability now, in full."""
    found: list[Action] = []
    for card in session.recruitment.cards.kinds:
        if session.why_not_use(card) is None:
            waiting = [Action(Verb.USE, (Named(card),))]
            while waiting:
                action = waiting.pop()
                after = session.do(action)
                if isinstance(after, Unclear):
                    waiting += after.ways
                elif isinstance(after, Session):
                    found.append(after.actions[-1])
    return found


class AtTheTable(RuleBasedStateMachine):
    """A player who uses abilities, takes cards, takes them back and starts again."""

    @initialize(seed=st.integers(0, 10_000), able=st.booleans())
    def sit_down(self, seed: int, able: bool) -> None:
        self.deal = with_abilities(seed, 9) if able else order_sensitive(seed, 9)
        self.session = sit_down(self.deal)
        self.before = self.session

    def done(self, action: Action) -> None:
        after = self.session.do(action)
        assert isinstance(after, Session), action
        assert after.actions[-1].verb is action.verb
        self.before, self.session = self.session, after

    @precondition(lambda self: bool(takes(self.session)))
    @rule(data=st.data())
    def take(self, data: Any) -> None:
        self.done(data.draw(st.sampled_from(takes(self.session))))
        assert self.session.phase is Phase.RECRUIT
        back = self.session.do(Action(Verb.UNDO))
        assert isinstance(back, Session)
        assert (back.state, back.steps) == (self.before.state, self.before.steps)

    @precondition(lambda self: bool(uses(self.session)))
    @rule(data=st.data())
    def use(self, data: Any) -> None:
        self.done(data.draw(st.sampled_from(uses(self.session))))
        assert self.session.phase is Phase.BEFORE

    @rule(verb=st.sampled_from([Verb.UNDO, Verb.RESTART]))
    def take_back(self, verb: Verb) -> None:
        after = self.session.do(Action(verb))
        if not self.session.taken:
            assert isinstance(after, Refusal)
            assert after.rule in ("403.2.4", "403.2.3.3")
            return
        self.done(Action(verb))
        left = 0 if verb is Verb.RESTART else len(self.before.taken) - 1
        assert self.session.taken == self.before.taken[:left]
        assert self.session.begun == self.before.begun

    @invariant()
    def a_fresh_referee_makes_the_same_ledger(self) -> None:
        if not self.session.steps:
            return
        deal = self.session.recruitment.deal
        fresh = sit_down(deal).recruitment
        verdict = judge_order(fresh, self.session.order, MOST_GOLD, finished=False)
        assert verdict.line is not None
        assert list(map(bare, verdict.line.steps)) == list(map(bare, self.session.steps))
        end, now = verdict.line.end, self.session.state
        assert end._replace(pool=now.pool) == now

    @invariant()
    def its_lines_lead_here_again(self) -> None:
        talk = conversation(self.deal)
        for action in self.session.actions:
            assert not talk.hear(said(action)).refused
        assert talk.session.steps == self.session.steps
        assert (talk.session.state, talk.session.phase) == (self.session.state, self.session.phase)
        assert talk.log() == [said(action) for action in self.session.actions]


AtTheTable.TestCase.settings = settings(max_examples=25, stateful_step_count=10, deadline=None)
TestAtTheTable = AtTheTable.TestCase


def conversation(deal: Deal, language: Language = Language.EN) -> Conversation:
    def nothing(*_: object) -> Any:
        raise AssertionError("nothing is searched or written here")

    return Conversation(deal, catalogue(), Speaker(language), False, nothing, nothing)


def wander(seed: int) -> Session:
    """A session after a few random actions."""
    rng = random.Random(seed)
    session = sit_down(with_abilities(seed, 7) if seed % 2 else order_sensitive(seed, 8))
    for _ in range(rng.randint(0, 4)):
        actions = [*takes(session), *uses(session) * 2]
        if actions:
            after = session.do(rng.choice(actions))
            assert isinstance(after, Session)
            session = after
    return session


def ends(session: Session) -> list[State]:
    """Every legal squad that can still come of it, by an exhaustive walk."""
    recruitment = session.recruitment
    reached = {session.state}
    if session.phase is Phase.BEFORE:
        reached = uses_from(BeforeStep(recruitment), session.begun)
    done = steps_from(recruitment, reached)
    return [s for s in done if any(s.squad) and not recruitment.illegal(s, finished=True)]


def check_best(seed: int, objective: Objective = DEFAULT) -> None:
    session = wander(seed)
    orders = Orders(session.recruitment, objective)
    lines = [orders.best_of_lines([(end, ())]).value for end in ends(session)]
    answer = solve(session.recruitment.deal, objective, begun=session.here())
    if not lines:
        assert answer.status is Status.INFEASIBLE
        return
    assert answer.status is Status.OPTIMAL
    assert answer.lines[0].value == max(lines)
    assert answer.lines[0].steps[: len(session.steps)] == session.steps


@pytest.mark.parametrize("seed", range(40))
def test_the_best_from_here_is_the_best_of_all_that_can_follow(seed: int) -> None:
    check_best(seed)


@pytest.mark.parametrize("text", ["-gold_left", "-gold_left,crystals_left"])
@pytest.mark.parametrize("seed", [*range(10), 271, 421, 427, 431, 479, 609])
def test_the_most_that_can_be_spent_from_here(seed: int, text: str) -> None:
    check_best(seed, read_objective(text))


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(40, 800))
def test_the_best_from_here_on_more_deals(seed: int) -> None:
    check_best(seed)


ALTAR = ("Нейя", "Алтарь Хигарта", "Верховный друид", "Упырёныш")


def test_an_element_is_kept_by_a_card_taken_before_the_terrain_that_takes_it_away() -> None:
    """403.2.1: the hero's element is paid; a second card of it must come before it turns neutral."""
    cards = [catalogue().by_key[name.casefold().replace("ё", "е")] for name in ALTAR]
    talk = conversation(Deal(tuple(sorted(cards, key=lambda card: card.key))))
    for line in ("take Упырёныш", "take Нейя [before=no]"):
        assert not talk.hear(line).refused
    session = talk.session
    (best,) = solve(session.recruitment.deal, DEFAULT, begun=session.here()).lines
    names = [session.recruitment.cards.kinds[step.kind].name for step in best.steps]
    assert names.index("Верховный друид") < names.index("Алтарь Хигарта")
    assert best.end.penalty == 1


def test_every_bar_has_a_rule() -> None:
    assert all(Refusal(bar).rule.startswith("403.") for bar in Bar)


def test_a_later_outcome_is_the_one_that_counts() -> None:
    spy = catalogue().by_key["лазутчица"]
    session = sit_down(Deal((spy,)))
    asked = session.do(Action(Verb.USE, (Named(spy),)))
    assert isinstance(asked, Unclear) and asked.look and len(asked.ways) == 3
    paid = []
    for way in asked.ways:
        after = session.do(way)
        assert isinstance(after, Session)
        paid.append(after.steps[0].silver)
    assert paid == [6, 5, 4]
    known = sit_down(replace(Deal((spy,)), outcomes={spy.key: 2}))
    after = known.do(Action(Verb.USE, (Named(spy),)))
    assert isinstance(after, Session) and after.steps[0].silver == 4


@pytest.mark.parametrize(
    ("line", "code", "suggestion"),
    [
        ("tke Орк", "command_unknown", "take"),
        ("s", "command_unknown", "show"),
        ("take", "line_too_short", None),
        ("undo Орк", "line_too_long", None),
        ("take Орк + Тич", "line_too_long", None),
        ("take Орг", "card_unknown", "Орк"),
        ("take Тич", "action_unclear", "take Тич [bonus=no]"),
        ("take Орк [x=1]", "choice_not_offered", None),
        ("take Орк [y=1]", "choice_unknown", None),
        ("take Орк [", "choice_malformed", None),
        ("use Лазутчица", "outcome_needed", "use Лазутчица [outcome=0]"),
        ("use Лазутчица [outcome=3]", "outcome_malformed", None),
        ("use Линнет [outcome=1]", "outcome_not_asked", None),
        ("use Линнет", "action_unclear", None),
    ],
)
def test_a_line_that_is_not_understood(line: str, code: str, suggestion: str | None) -> None:
    names = ("орк", "тич", "лазутчица", "линнет", "анволд")
    talk = conversation(
        Deal(tuple(sorted((catalogue().by_key[n] for n in names), key=lambda c: c.key)))
    )
    with pytest.raises(InputError) as caught:
        talk.hear(line)
    assert caught.value.code.value == code
    assert suggestion is None or suggestion in caught.value.suggestions
    assert talk.log() == []


@pytest.mark.parametrize(
    ("line", "suggestion"),
    [
        ("взять Тич", "взять Тич [бонус=нет]"),
        ("take Вольный", "взять Вольный воитель [X=0]"),
        ("взять Ахтар", "взять Ахтар [оплата=рядовая]"),
        ("использовать Лазутчица", "использовать Лазутчица [исход=0]"),
        ("взять Тич [бонс=да]", "бонус"),
        ("взять Тич [бонус=может]", "да"),
        ("взять Орк + Тич", None),
    ],
)
def test_a_russian_player_gets_russian_suggestions(line: str, suggestion: str | None) -> None:
    names = ("орк", "тич", "лазутчица", "вольный воитель", "ахтар")
    cards = sorted((catalogue().by_key[n] for n in names), key=lambda c: c.key)
    talk = conversation(Deal(tuple(cards)), Language.RU)
    with pytest.raises(InputError) as caught:
        talk.hear(line)
    assert suggestion is None or suggestion in caught.value.suggestions
    assert caught.value.params.get("word", "взять") == "взять"


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("взять 1 Тич [бонус=да]", "take Тич [bonus=yes]"),
        ("взять Тич [Бонус=НЕТ]", "take Тич [bonus=no]"),
        ("взять Вольный [X=3]", "take Вольный воитель [x=3]"),
        ("взять Вольный [Х=3]", "take Вольный воитель [x=3]"),
        ("взять Ахтар [оплата=рядовая]", "take Ахтар [paid=ordinary]"),
        ("использовать Линнет [карта=Анволд]", "use Линнет [before] + Анволд"),
        ("использовать Лазутчица [Исход=2]", "use Лазутчица [before, outcome=2]"),
    ],
)
def test_brackets_may_be_russian_in_any_case(line: str, kept: str) -> None:
    names = ("линнет", "анволд", "тич", "лазутчица", "вольный воитель", "ахтар")
    cards = sorted((catalogue().by_key[n] for n in names), key=lambda c: c.key)
    talk = conversation(Deal(tuple(cards)))
    talk.hear(line)
    assert talk.log() == [kept]


def test_a_count_takes_so_many_copies() -> None:
    copies = (catalogue().by_key["орк"],) * 3
    talk = conversation(Deal(copies))
    assert not talk.hear("take 2 Орк").refused
    assert talk.log() == ["take Орк"] * 2
    reply = talk.hear("take 2 Орк")
    assert reply.refused and talk.log() == ["take Орк"] * 3
    with pytest.raises(InputError):
        talk.hear("take 0 Орк")


def test_words_are_completed() -> None:
    names = ("орк", "тич", "линнет")
    talk = conversation(
        Deal(tuple(sorted((catalogue().by_key[n] for n in names), key=lambda c: c.key)))
    )
    assert talk.words("вз") == ["взять"]
    assert talk.words("take ор") == ["Орк"]
    assert talk.words("use Линнет + т") == ["Тич"]
    assert talk.words("use ") == ["Линнет", "Орк", "Тич"]
