"""The referee: is this squad legal, in this order, and what may be recruited next."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from squadbuilder.before import BeforeStep, Position
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
    """A card as a player names it, with the choices stated in brackets (None leaves one free).

    `before`: by its ability used before recruitment, or plainly (False); `involving`: the cards that
    the ability takes, finds, buries or exiles.
    """

    card: Card
    bonus: bool | None = None
    x: int | None = None
    paid: Paid | None = None
    before: bool | None = None
    involving: tuple[Card, ...] = ()

    @property
    def stated(self) -> bool:
        """Does the player state anything but the name?"""
        return (self.before, self.bonus, self.x, self.paid) != (None, None, None, None)

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

    `uses` are the ways to use its ability before recruitment now, each with its steps.
    `other_choices` tells that it takes other choices before than those assumed.
    """

    kind: int
    options: tuple[Step, ...]
    violations: tuple[Violation, ...]
    uses: tuple[tuple[Step, ...], ...] = ()
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
    """The cards that the squad wants more copies of than deal and abilities have."""
    cards = recruitment.cards
    copies = {card.key: n for card, n in zip(cards.kinds, cards.copies, strict=True)}
    wanted = Counter(card.key for card in chosen)
    if all(wanted[key] <= copies.get(key, 0) for key in wanted):
        return None
    return _more_than_dealt(recruitment, chosen)


def _more_than_dealt(recruitment: Recruitment, chosen: Iterable[Card]) -> Violation:
    """The cards of the squad that were not dealt."""
    dealt = Counter(card.key for card in recruitment.deal.cards)
    wanted = Counter(card.key for card in chosen)
    names = {card.key: card.name for card in chosen}
    lacking = [key for key in sorted(wanted) if wanted[key] > dealt[key]]
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
    followed = _follow(recruitment, order, finished)
    lines = followed.lines
    if followed.wrong is None:
        orders = Orders(recruitment, objective)
        return Verdict(orders.best_of_lines(lines.items()))
    index, bars = followed.wrong
    named = order[index]
    best: tuple[tuple[Step, ...], tuple[Violation, ...]] = ((), bars)
    if not bars:
        best = min(
            (
                (steps, barred(recruitment, state, named, len(order) == index + 1))
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
    joined = [step.kind for step in line.steps if step.joins]
    for kind in joined:
        again.append(next(n for n in left if n.card is recruitment.cards.kinds[kind]))
        left.remove(again[-1])
    wrong = _follow(recruitment, again).wrong if any(name.stated for name in order) else None
    return (None if wrong is not None else tuple(joined)), False


def moves(recruitment: Recruitment, taken: Sequence[Named]) -> tuple[Verdict, tuple[Move, ...]]:
    """What may be recruited after these cards (taken in this order), and at what price.

    Choices that are not stated are those that leave the most gold; a card that only other choices
    allow is offered on their terms.
    """
    verdict = judge_order(recruitment, taken, MOST_GOLD, finished=False)
    if verdict.line is None:
        return verdict, ()
    first = verdict.line.end
    followed = _follow(recruitment, taken, finished=False)
    states = [first, *(state for state in followed.lines if state != first)]
    return verdict, moves_from(recruitment, states, followed.open)


def moves_from(
    recruitment: Recruitment, states: Sequence[State], open_: Iterable[Position]
) -> tuple[Move, ...]:
    """What may be recruited in the first of these states (else in the others, with other choices).

    `open_` are the positions of the step before recruitment in which abilities may still be used.
    """
    first = states[0]
    step = BeforeStep(recruitment)
    uses: dict[int, dict[object, tuple[Step, ...]]] = {}
    for position in open_:
        if position.state == first:
            for after in step.uses(position):
                new = after.steps[len(position.steps) :]
                _keep_better(uses.setdefault(owner_of(new), {}), new)
    return tuple(
        _move(recruitment, states, kind, tuple(uses.get(kind, {}).values()))
        for kind, copies in enumerate(first.pool)
        if first.squad[kind] < copies
    )


def _keep_better(known: dict[object, tuple[Step, ...]], steps: tuple[Step, ...]) -> None:
    """Of uses that do the same with other choices or in another order, the one that leaves more."""
    joined = sorted((step.kind, step.choices) for step in steps)
    key = (
        tuple(joined),
        *((s.use.found, s.use.to_graveyard, s.use.exiled) for s in steps if s.use),
    )
    rival = known.get(key)
    if rival is None or _left(steps) > _left(rival):
        known[key] = steps


def _left(steps: tuple[Step, ...]) -> tuple[int, int]:
    return steps[-1].left_gold, steps[-1].left_silver


def owner_of(steps: Sequence[Step]) -> int:
    """Whose ability these steps are."""
    use = steps[0].use
    assert use is not None
    return use.kind


def _move(
    recruitment: Recruitment,
    states: Sequence[State],
    kind: int,
    uses: tuple[tuple[Step, ...], ...],
) -> Move:
    for state in states:
        offers = recruitment.offers(state.squad, kind)
        taken = [recruitment.take(state, kind, offer) for offer in offers]
        options = tuple(took[1] for took in taken if took is not None)
        if options:
            return Move(kind, options, (), uses, other_choices=state is not states[0])
    named = Named(recruitment.cards.kinds[kind])
    return Move(kind, (), barred(recruitment, states[0], named, False), uses)


@dataclass(frozen=True, slots=True)
class _Followed:
    """All ways to follow an order as far as possible: where they end, and why they end there.

    `wrong` is the index of the card that ends them, with what bars it unless that is for the limits
    to say; `open` are the ways that used abilities only, after which others may be used.
    """

    lines: Lines
    open: tuple[Position, ...] = ()
    wrong: tuple[int, tuple[Violation, ...]] | None = None


def _follow(recruitment: Recruitment, order: Sequence[Named], finished: bool = True) -> _Followed:
    opened = _openings(recruitment, order)
    lines: Lines = {}
    for index in range(len(order) + 1):
        begun = [(position.state, position.steps) for position in opened.get(index, ())]
        lines = plainest_lines([*lines.items(), *begun])
        if index == len(order):
            break
        named = order[index]
        after = plainest_lines(
            (took[0], (*steps, took[1]))
            for state, steps in lines.items()
            if unable(recruitment, state, named) is None
            for offer in stated_offers(recruitment, state, named)
            if (took := recruitment.take(state, recruitment.cards.index[named.card.key], offer))
        )
        last = finished and index == len(order) - 1
        if last:
            over = [state for state in after if recruitment.illegal(state, finished=True)]
            after = {state: steps for state, steps in after.items() if state not in over}
        if not after and max(opened) <= index:
            missing = [unable(recruitment, state, named) for state in lines]
            bars = () if None in missing else tuple(v for v in missing[:1] if v is not None)
            return _Followed(lines, wrong=(index, bars))
        lines = after
    return _Followed(lines, tuple(opened.get(len(order), ())))


def _openings(recruitment: Recruitment, order: Sequence[Named]) -> dict[int, list[Position]]:
    """By how many cards of the order they cover: the ways to follow it by abilities alone (403.1)."""
    step = BeforeStep(recruitment)
    opened = {0: [step.start]}
    for index in range(len(order)):
        for position in opened.get(index, ()):
            for after in step.uses(position):
                new = after.steps[len(position.steps) :]
                stated = order[index : index + len(new)]
                if len(stated) == len(new) and _as_stated(recruitment, new, stated):
                    opened.setdefault(index + len(new), []).append(after)
    return opened


def _as_stated(recruitment: Recruitment, steps: Sequence[Step], stated: Sequence[Named]) -> bool:
    """Is this use of an ability what the player says? A card is only buried if that is stated."""
    kinds = recruitment.cards.kinds
    owner = owner_of(steps)
    involved = {kinds[step.kind].name for step in steps if step.kind != owner}
    for step in steps:
        if step.use is not None:
            involved.update(step.use.found, step.use.to_graveyard, step.use.exiled)
    return all(
        named.card.key == kinds[step.kind].key
        and named.allows(step.choices)
        and named.before in ((None, True) if step.kind == owner else (None, False))
        and (step.joins or named.before)
        and involved.issuperset(card.name for card in named.involving)
        for step, named in zip(steps, stated, strict=True)
    )


def named_as(recruitment: Recruitment, step: Step) -> Named:
    """A step of a ledger as a player would state it."""
    cards = recruitment.cards
    own = step.use if step.use is not None and step.use.kind == step.kind else None
    names = own.found + own.exiled + own.to_graveyard * step.joins if own is not None else ()
    named = recruitment.deal.cards + (recruitment.deal.deck or ())
    involving = tuple(next(card for card in named if card.name == name) for name in names)
    card = cards.kinds[step.kind]
    before = None if card.effect.before is None else own is not None
    return Named(card, step.choices.bonus, step.choices.x, step.choices.paid, before, involving)


def unable(recruitment: Recruitment, state: State, named: Named) -> Violation | None:
    """Why the card cannot even be tried: it is not (or no longer) dealt, or its ability is not there."""
    kind = recruitment.cards.index.get(named.card.key)
    have = state.pool[kind] if kind is not None else 0
    need = (state.squad[kind] if kind is not None else 0) + 1
    if need > have:
        return Violation(Code.NOT_IN_DEAL, "403.2.1", (named.card.name,), need=need, have=have)
    if named.before:
        return Violation(Code.BEFORE_ABILITY, "403.1.2", (named.card.name,), need=1, have=0)
    return None


def stated_offers(recruitment: Recruitment, state: State, named: Named) -> list[Offer]:
    """The ways to recruit the card that keep to the choices stated; an error if it has no such choice."""
    kind = recruitment.cards.index[named.card.key]
    offers = recruitment.offers(state.squad, kind)
    stated = [offer for offer in offers if named.allows(offer.choices)]
    if not stated:
        raise InputError(ErrorCode.CHOICE_NOT_OFFERED, Where(key=named.card.name))
    return stated


def barred(
    recruitment: Recruitment, state: State, named: Named, last: bool
) -> tuple[Violation, ...]:
    """Every limit that recruiting the card now breaks, by the choices that break the fewest."""
    unlimited = recruitment.without(frozenset({Code.CRYSTALS}))
    kind = recruitment.cards.index[named.card.key]
    found: list[tuple[Violation, ...]] = []
    for offer in stated_offers(recruitment, state, named):
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

    A limit that bars the squad even when all others are lifted is in every such set. Where no ability
    brings a card that was not dealt, that alone is told.
    """
    everything = frozenset(LIFTABLE)
    if not _feasible(recruitment, squad, everything):
        chosen = [recruitment.cards.kinds[kind] for kind in recruitment.cards.members(squad)]
        return (_more_than_dealt(recruitment, chosen),)
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
    found = variant.illegal(variant.start._replace(squad=squad), finished=True)
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
        if not step.joins:
            continue
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
    spent = variant.start._replace(squad=squad, flyer_spent=-outcome.worth[0])
    found = recruitment.illegal(spent)
    return next(violation for violation in found if violation.code is Code.FLYER_CAP)
