"""The referee: is this squad legal, in this order, and what may be recruited next."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from squadbuilder.cards import Card
from squadbuilder.errors import ErrorCode, InputError, Where
from squadbuilder.limits import CODES, LIFTABLE, Code, Crystal, Violation
from squadbuilder.objective import DEFAULT, Goal, Measure, Objective
from squadbuilder.orders import Aim, Line, Lines, Orders, plainest_lines
from squadbuilder.recruit import Choices, Offer, Paid, Recruitment, State, Step
from squadbuilder.squad import Counts

MOST_GOLD: Objective = (Goal(Measure.GOLD_LEFT),)


@dataclass(frozen=True, slots=True)
class Named:
    """A card as a player names it, with the choices stated in brackets (None leaves one free)."""

    card: Card
    bonus: bool | None = None
    x: int | None = None
    paid: Paid | None = None
    before: bool = False

    @property
    def stated(self) -> bool:
        """Does the player state anything but the name?"""
        return self.before or (self.bonus, self.x, self.paid) != (None, None, None)

    def allows(self, choices: Choices) -> bool:
        """Do these choices keep to what is stated?"""
        return (
            self.bonus in (None, choices.bonus)
            and self.x in (None, choices.x)
            and self.paid in (None, choices.paid)
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the referee says of a squad: a line that builds it, or every limit that bars it.

    With a stated order, `step` is the first illegal recruit (1-based), `ledger` the steps before it,
    and `other_order` a legal order of the same cards; `no_order` says that there is none at all.
    """

    line: Line | None
    violations: tuple[Violation, ...] = ()
    step: int | None = None
    ledger: tuple[Step, ...] = ()
    other_order: tuple[int, ...] | None = None
    no_order: bool = False

    @property
    def legal(self) -> bool:
        """Can the squad be recruited?"""
        return self.line is not None


@dataclass(frozen=True, slots=True)
class Move:
    """A card that is left in the deal: the ways to recruit it now, or what bars it.

    `other_choices` tells that it takes other choices before than those assumed.
    """

    kind: int
    options: tuple[Step, ...]
    violations: tuple[Violation, ...]
    other_choices: bool = False


def judge(
    recruitment: Recruitment, squad: Iterable[Card], objective: Objective = DEFAULT
) -> Verdict:
    """Is the squad legal in some order (403.2.3)? If not: the smallest set of limits to lift."""
    chosen = list(squad)
    absent = not_in_deal(recruitment, chosen)
    if absent is not None:
        return Verdict(None, (absent,))
    counts = recruitment.cards.counts(chosen)
    line = Orders(recruitment, objective).line(counts)
    return Verdict(line) if line else Verdict(None, smallest_limits(recruitment, counts))


def not_in_deal(recruitment: Recruitment, chosen: Iterable[Card]) -> Violation | None:
    """The cards that the squad wants more copies of than were dealt."""
    dealt = Counter(card.key for card in recruitment.deal.cards)
    wanted = Counter(card.key for card in chosen)
    names = {card.key: card.name for card in chosen}
    lacking = [key for key in sorted(wanted) if wanted[key] > dealt[key]]
    if not lacking:
        return None
    return Violation(
        Code.NOT_IN_DEAL,
        "403.2.1",
        tuple(names[key] for key in lacking),
        need=sum(wanted[key] for key in lacking),
        have=sum(dealt[key] for key in lacking),
    )


def judge_order(
    recruitment: Recruitment,
    order: Sequence[Named],
    objective: Objective = DEFAULT,
    finished: bool = True,
) -> Verdict:
    """Is the squad legal in this order? If not: the first wrong step and every limit broken there.

    A squad that is not `finished` may still lack what only the finished one needs.
    """
    lines, wrong = _follow(recruitment, order, finished)
    if wrong is None:
        orders = Orders(recruitment, objective)
        return Verdict(orders.best_of_lines(lines.items()))
    index, barred = wrong
    named = order[index]
    best: tuple[tuple[Step, ...], tuple[Violation, ...]] = ((), barred)
    if not barred:
        best = min(
            (
                (steps, _barred(recruitment, state, named, len(order) == index + 1))
                for state, steps in lines.items()
            ),
            key=lambda pair: _severity(pair[1]),
        )
    other, none = _other_order(recruitment, order, objective)
    return Verdict(None, best[1], index + 1, best[0], other, none)


def _other_order(
    recruitment: Recruitment, order: Sequence[Named], objective: Objective
) -> tuple[tuple[int, ...] | None, bool]:
    """Another order of the same cards that is legal with the choices stated; and is there none?

    The best order with free choices is tried; where the stated choices bar it, nothing is claimed.
    """
    cards = [name.card for name in order]
    if not_in_deal(recruitment, cards) is not None or any(name.before for name in order):
        return None, False
    line = Orders(recruitment, objective).line(recruitment.cards.counts(cards))
    if line is None:
        return None, True
    left = list(order)
    again: list[Named] = []
    for step in line.steps:
        again.append(next(n for n in left if n.card is recruitment.cards.kinds[step.kind]))
        left.remove(again[-1])
    wrong = _follow(recruitment, again)[1] if any(name.stated for name in order) else None
    return (None if wrong is not None else tuple(step.kind for step in line.steps)), False


def moves(recruitment: Recruitment, taken: Sequence[Named]) -> tuple[Verdict, tuple[Move, ...]]:
    """What may be recruited after these cards (taken in this order), and at what price.

    Choices that are not stated are those that leave the most gold; a card that only other choices
    allow is offered on their terms.
    """
    verdict = judge_order(recruitment, taken, MOST_GOLD, finished=False)
    if verdict.line is None:
        return verdict, ()
    first = verdict.line.end
    states = [
        first,
        *(state for state in _follow(recruitment, taken, finished=False)[0] if state != first),
    ]
    return verdict, tuple(
        _move(recruitment, states, kind)
        for kind, copies in enumerate(recruitment.cards.copies)
        if first.squad[kind] < copies
    )


def _move(recruitment: Recruitment, states: Sequence[State], kind: int) -> Move:
    for state in states:
        offers = recruitment.offers(state.squad, kind)
        taken = [recruitment.take(state, kind, offer) for offer in offers]
        options = tuple(took[1] for took in taken if took is not None)
        if options:
            return Move(kind, options, (), other_choices=state is not states[0])
    named = Named(recruitment.cards.kinds[kind])
    return Move(kind, (), _barred(recruitment, states[0], named, False))


def _follow(
    recruitment: Recruitment, order: Sequence[Named], finished: bool = True
) -> tuple[Lines, tuple[int, tuple[Violation, ...]] | None]:
    """All ways to follow the order as far as possible; then the index where it ends, and why."""
    lines: Lines = {recruitment.start: ()}
    for index, named in enumerate(order):
        unable = _unable(recruitment, next(iter(lines)).squad, named)
        if unable is not None:
            return lines, (index, (unable,))
        last = finished and index == len(order) - 1
        kind = recruitment.cards.index[named.card.key]
        after = plainest_lines(
            (took[0], (*steps, took[1]))
            for state, steps in lines.items()
            for offer in _stated(recruitment, state, named)
            if (took := recruitment.take(state, kind, offer))
            and not (last and recruitment.illegal(took[0], finished=True))
        )
        if not after:
            return lines, (index, ())
        lines = after
    return lines, None


def _unable(recruitment: Recruitment, squad: Counts, named: Named) -> Violation | None:
    """Why the card cannot even be tried: it is not (or no longer) dealt, or its ability is not there."""
    kind = recruitment.cards.index.get(named.card.key)
    have = recruitment.cards.copies[kind] if kind is not None else 0
    need = (squad[kind] if kind is not None else 0) + 1
    if need > have:
        return Violation(Code.NOT_IN_DEAL, "403.2.1", (named.card.name,), need=need, have=have)
    if named.before:
        return Violation(Code.BEFORE_ABILITY, "403.1", (named.card.name,), need=1, have=0)
    return None


def _stated(recruitment: Recruitment, state: State, named: Named) -> list[Offer]:
    kind = recruitment.cards.index[named.card.key]
    offers = recruitment.offers(state.squad, kind)
    stated = [offer for offer in offers if named.allows(offer.choices)]
    if not stated:
        raise InputError(
            ErrorCode.CHOICE_NOT_OFFERED, Where(key=named.card.name), card=named.card.name
        )
    return stated


def _barred(
    recruitment: Recruitment, state: State, named: Named, last: bool
) -> tuple[Violation, ...]:
    """Every limit that recruiting the card now breaks, by the choices that break the fewest."""
    unlimited = recruitment.without(frozenset({Code.CRYSTALS}))
    kind = recruitment.cards.index[named.card.key]
    found: list[tuple[Violation, ...]] = []
    for offer in _stated(recruitment, state, named):
        lacking = recruitment.lacking(state, kind, offer)
        after = unlimited.join(state, unlimited.pay(state, kind, offer), offer.promise)
        limits = unlimited.illegal(after, finished=last)
        found.append(merged([*([lacking] if lacking else []), *limits]))
    return min(found, key=_severity)


def _severity(violations: tuple[Violation, ...]) -> tuple[int, list[int], int]:
    """Fewest limits first, ties by the order of the codes, then the least shortfall."""
    codes = [CODES.index(violation.code) for violation in violations]
    return len(codes), codes, sum(violation.need - violation.have for violation in violations)


def merged(violations: Iterable[Violation]) -> tuple[Violation, ...]:
    """One violation a code, in the order of the codes: needs and haves of a kind add up."""
    by_code: dict[Code, Violation] = {}
    for found in violations:
        known = by_code.get(found.code)
        if known is not None:
            names = known.cards + tuple(name for name in found.cards if name not in known.cards)
            found = replace(
                known, cards=names, need=known.need + found.need, have=known.have + found.have
            )
        by_code[found.code] = found
    return tuple(by_code[code] for code in CODES if code in by_code)


def smallest_limits(recruitment: Recruitment, squad: Counts) -> tuple[Violation, ...]:
    """A smallest set of limits whose lifting together makes the squad legal; ties by the codes.

    A limit that bars the squad even when all others are lifted is in every such set.
    """
    everything = frozenset(LIFTABLE)
    always = [code for code in LIFTABLE if not _feasible(recruitment, squad, everything - {code})]
    rest = [code for code in LIFTABLE if code not in always]
    for size in range(len(rest) + 1):
        for extra in sorted(
            combinations(rest, size), key=lambda c: sorted(map(CODES.index, [*always, *c]))
        ):
            lifted = frozenset([*always, *extra])
            if _feasible(recruitment, squad, lifted):
                return tuple(
                    shortfall(recruitment, squad, lifted, code) for code in CODES if code in lifted
                )
    raise AssertionError("a squad is legal when every limit is lifted")


def _feasible(
    recruitment: Recruitment, squad: Counts, lifted: frozenset[Code], gold: int = 0, silver: int = 0
) -> bool:
    variant = recruitment.without(lifted, extra_gold=gold, extra_silver=silver)
    return Orders(variant, (), Aim.ANY).best(squad) is not None


def shortfall(
    recruitment: Recruitment, squad: Counts, lifted: frozenset[Code], code: Code
) -> Violation:
    """One limit of a smallest set: by how little it is missed when the others are lifted."""
    others = lifted - {code}
    if code is Code.CRYSTALS:
        return _crystals_short(recruitment, squad, others)
    if code is Code.FLYER_CAP:
        return _flyers_over(recruitment, squad, others)
    variant = recruitment.without(others)
    found = variant.illegal(State(squad, 0, 0), finished=True)
    of_code = [violation for violation in found if violation.code is code]
    if not of_code:
        line = Orders(recruitment.without(lifted), ()).line(squad)
        assert line is not None
        of_code = _along(variant, line, code)
    return merged(of_code)[0]


def _along(recruitment: Recruitment, line: Line, code: Code) -> list[Violation]:
    """The worst breach of a limit along a line that is only legal without it."""
    worst: list[Violation] = []
    state = recruitment.start
    for step in line.steps:
        offer = next(
            offer
            for offer in recruitment.offers(state.squad, step.kind)
            if offer.choices == step.choices
        )
        state = recruitment.join(state, step, offer.promise)
        found = [v for v in recruitment.illegal(state) if v.code is code]
        if sum(v.need - v.have for v in found) > sum(v.need - v.have for v in worst):
            worst = found
    return worst


def _crystals_short(recruitment: Recruitment, squad: Counts, lifted: frozenset[Code]) -> Violation:
    """The fewest crystals more that would do: any crystals if silver helps as much as gold."""
    low, high = 0, 1
    while not _feasible(recruitment, squad, lifted, gold=high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _feasible(recruitment, squad, lifted, gold=middle):
            high = middle
        else:
            low = middle
    any_crystal = _feasible(recruitment, squad, lifted, silver=high)
    more = {"extra_silver" if any_crystal else "extra_gold": high}
    line = Orders(recruitment.without(lifted, **more), ()).line(squad)
    assert line is not None
    have = recruitment.deal.gold + sum(step.gained_gold for step in line.steps)
    if any_crystal:
        have += recruitment.deal.silver + sum(step.gained_silver for step in line.steps)
    kinds = recruitment.cards.kinds
    names = tuple(
        kinds[kind].name
        for kind in recruitment.cards.members(squad)
        if any_crystal or kinds[kind].elite
    )
    return Violation(
        Code.CRYSTALS,
        "403.2.3",
        names,
        need=have + high,
        have=have,
        crystal=Crystal.ANY if any_crystal else Crystal.GOLD,
    )


def _flyers_over(recruitment: Recruitment, squad: Counts, lifted: frozenset[Code]) -> Violation:
    """The lowest flyer cap that would do."""
    variant = recruitment.without(lifted | {Code.FLYER_CAP})
    outcome = Orders(variant, (), Aim.FEWEST_FOR_FLYERS).best(squad)
    assert outcome is not None
    spent = State(squad, 0, 0, flyer_spent=-outcome.worth[0])
    found = recruitment.illegal(spent)
    return next(violation for violation in found if violation.code is Code.FLYER_CAP)
