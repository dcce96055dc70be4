"""The best squads of many deals at once: a branch and bound over the numbers of a tableau.

Compiled by Numba where it is installed (the extra `fast`); without it the sweep of `sweep` finds the
same in NumPy. Only for deals that `tableau.takes`.

For each choice of leaders (who gain crystals or make others cheaper) all other cards have fixed prices
and are taken or left in turn, the dear ones first. A branch is given up when its goals can reach
nothing better than the best squad so far. That bound puts a price on crystals (`rates`, in 256ths): a
card adds what its crystals are worth and what it is worth beyond them. Any rate is right, a good one
is tight.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from squadbuilder.sweep import sweep
from squadbuilder.tableau import NOTHING, Numbers, Settled, Tableau, nothing_settled

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    import numba

    COMPILED = True
except ModuleNotFoundError:
    COMPILED = False


def _cache_works() -> bool:
    """Can Numba keep compiled code beside this module, or in the user's cache folder?"""

    def probe() -> None:
        pass

    try:
        numba.njit(cache=True)(probe)
    except RuntimeError:
        return False
    return True


_CACHE = COMPILED and _cache_works()


def compiled(function: Function) -> Function:
    """The function compiled, if Numba is there."""
    if not COMPILED:
        return function
    made: Any = numba.njit(cache=_CACHE)(function)
    return made  # type: ignore[no-any-return]


SHIFT = 8
_WIDTH = 64

# All scratch is in a few arrays of whole numbers, whose rows have these names: Numba passes an array
# to a function for nothing, but not a tuple of twenty.

# `line`, a column a depth: leaders first, then the other kinds as they are searched. A copy of a
# card is a bit (a slot), the first name highest; `_LOW` is the lowest of a kind.
(_PLACE, _KIND, _HAVE, _LOW, _PRICE, _IN_GOLD, _COST, _BRINGS, _FLIES, _BREATHES, _ADDS,
 _ADDS_FIRST, _SLOTS_AFTER, _PLACES_AFTER, _LINE) = range(15)  # fmt: skip

# `path`, where the search stands at each depth.
(_COUNT, _GOLD, _CRYSTALS, _ELEMENTS, _FLYERS, _CREATURES, _VALUE, _FIRST, _SLOTS, _MEMBERS,
 _PATH) = range(11)  # fmt: skip

# `best`, the best squad so far; then the kinds in some and in every squad that is best by the first goal.
(_BEST, _BEST_SLOTS, _BEST_FIRST, _SOME, _EVERY, _BEST_GOLD, _BEST_CRYSTALS, _KEPT) = range(8)

# `limits`, the limits on sums that this deal can break, a row each; then the weights by depth.
_CAP, _CARRIER, _WEIGHTS = range(3)

# `plain`, what the innermost loops need of the tableau; then the weights of the goals.
_FLYER_CAP, _PER_GOLD, _PER_ANY, _FIRST_PURSE, _PREFIXES, _WEIGHT = range(6)


class _Scratch(NamedTuple):
    plain: Numbers
    line: Numbers
    path: Numbers
    limits: Numbers
    used: Numbers
    rates: Numbers
    room: Numbers
    best: Numbers


def _scratch(t: Tableau) -> _Scratch:
    goals, rows = len(t.weights), len(t.caps)
    plain = (t.flyer_cap, t.gold_weight, t.any_weight, t.first_purse, t.prefixes, *t.weights)
    shapes = (
        (_LINE, _WIDTH),
        (_PATH, _WIDTH),
        (rows, _WEIGHTS + _WIDTH),
        (rows, _WIDTH),
        (goals, 2),
        (goals, 3, _WIDTH),
        (_KEPT,),
    )
    return _Scratch(np.array(plain, np.int64), *(np.zeros(shape, np.int64) for shape in shapes))


@compiled
def _bits(count: int, have: int, low: int) -> int:
    """The slots of so many copies: the first copies have the higher bits."""
    return ((1 << count) - 1) << (low + have - count)


@compiled
def _gather(t: Tableau, dealt: Numbers, line: Numbers) -> tuple[int, int]:
    """The kinds that are dealt, leaders first: how many kinds, and how many leaders."""
    n = leaders = slots = 0
    for kind in range(len(dealt)):
        if dealt[kind] > 0:
            n += 1
            leaders += t.leads[kind]
            slots += min(dealt[kind], t.most[kind])
    place = leader = 0
    other = leaders
    for kind in range(len(dealt)):
        if dealt[kind] > 0:
            d = leader if t.leads[kind] else other
            leader += t.leads[kind]
            other += 1 - t.leads[kind]
            have = min(dealt[kind], t.most[kind])
            slots -= have
            line[_PLACE, d] = place
            line[_KIND, d] = kind
            line[_HAVE, d] = have
            line[_LOW, d] = slots
            place += 1
    return n, leaders


@compiled
def _price(t: Tableau, line: Numbers, path: Numbers, n: int, leaders: int) -> None:
    """Prices (403.2.1, 403.2.2): with all chosen leaders there, each makes every other cheaper."""
    for d in range(n):
        kind = line[_KIND, d]
        price = t.price[kind]
        if d >= leaders:
            for leader in range(leaders):
                price -= t.less[line[_KIND, leader], kind] * path[_COUNT, leader]
        price = max(0, price)
        line[_PRICE, d] = price
        line[_IN_GOLD, d] = price * t.elite[kind] - t.gain_gold[kind]
        line[_COST, d] = price - t.gain_gold[kind] - t.gain_silver[kind]
        line[_BRINGS, d] = t.elements[kind]
        line[_FLIES, d] = price * t.flyer[kind]
        line[_BREATHES, d] = t.creature[kind]
        line[_ADDS_FIRST, d] = t.first_worth[kind]
        line[_ADDS, d] = 0
        for goal in range(len(t.weights)):
            line[_ADDS, d] += t.weights[goal] * t.worth[goal, kind]


@compiled
def _line_up(
    t: Tableau, line: Numbers, rates: Numbers, room: Numbers, n: int, leaders: int
) -> None:
    """The others in the order of the search, with the bounds of what is to come at each depth."""
    for a in range(leaders + 1, n):
        b = a
        while b > leaders and _sooner(line, b, b - 1):
            for fact in range(_SLOTS_AFTER):
                line[fact, b - 1], line[fact, b] = line[fact, b], line[fact, b - 1]
            b -= 1
    for goal in range(len(t.weights)):
        rates[goal, 0] = _rate(t, line, _COST, n, leaders, goal, t.gold + t.silver)
        rates[goal, 1] = _rate(t, line, _IN_GOLD, n, leaders, goal, t.gold)
        for bound in range(3):
            room[goal, bound, n] = 0
    line[_SLOTS_AFTER, n] = 0
    line[_PLACES_AFTER, n] = 0
    for d in range(n - 1, leaders - 1, -1):
        have = line[_HAVE, d]
        for goal in range(len(t.weights)):
            worth = t.worth[goal, line[_KIND, d]] << SHIFT
            beyond = max(0, worth - rates[goal, 0] * line[_COST, d])
            beyond_gold = max(0, worth - rates[goal, 1] * line[_IN_GOLD, d])
            room[goal, 0, d] = room[goal, 0, d + 1] + max(0, worth) * have
            room[goal, 1, d] = room[goal, 1, d + 1] + beyond * have
            room[goal, 2, d] = room[goal, 2, d + 1] + beyond_gold * have
        slots = _bits(have, have, line[_LOW, d])
        line[_SLOTS_AFTER, d] = line[_SLOTS_AFTER, d + 1] | slots
        line[_PLACES_AFTER, d] = line[_PLACES_AFTER, d + 1] | 1 << line[_PLACE, d]


@compiled
def _sooner(line: Numbers, d: int, e: int) -> bool:
    """Is one kind to be searched before the other: worth more a crystal, dearer, elite?"""
    a = line[_ADDS_FIRST, d] * line[_PRICE, e]
    b = line[_ADDS_FIRST, e] * line[_PRICE, d]
    if a != b:
        return bool(a > b)
    if line[_PRICE, d] != line[_PRICE, e]:
        return bool(line[_PRICE, d] > line[_PRICE, e])
    return bool(line[_IN_GOLD, d] > line[_IN_GOLD, e])


@compiled
def _rate(
    t: Tableau, line: Numbers, use: int, n: int, leaders: int, goal: int, crystals: int
) -> int:
    """What a crystal is worth at the point where they run out, the best buys for them made first."""
    left = crystals
    rate = 1 << 60
    while left > 0:
        best = spent = 0
        for d in range(leaders, n):
            if line[use, d] > 0:
                here = (t.worth[goal, line[_KIND, d]] << SHIFT) // line[use, d]
                if best < here < rate:
                    best = here
                    spent = 0
                if here == best:
                    spent += line[use, d] * line[_HAVE, d]
        if best == 0:
            return 0
        rate = best
        left -= spent
    return rate


@compiled
def _limit(t: Tableau, line: Numbers, limits: Numbers, n: int) -> int:
    """The limits on sums that the deal can break, as weights by depth: how many they are."""
    active = 0
    for row in range(len(t.caps)):
        total = 0
        limits[active, _CAP] = t.caps[row]
        limits[active, _CARRIER] = 0 if t.carriers[row] < 0 else -1
        for d in range(n):
            kind = line[_KIND, d]
            limits[active, _WEIGHTS + d] = t.rows[row, kind]
            total += t.rows[row, kind] * line[_HAVE, d]
            if kind == t.carriers[row]:
                limits[active, _CARRIER] = 1 << line[_PLACE, d]
        if total > t.caps[row] and limits[active, _CARRIER] >= 0:
            active += 1
    return active


@compiled
def _add(
    line: Numbers, path: Numbers, limits: Numbers, used: Numbers, active: int, flyer_cap: int,
    d: int, count: int
) -> bool:  # fmt: skip
    """Take so many copies of the kind at this depth; False if that is illegal (403.2.3)."""
    gold = path[_GOLD, d] - line[_IN_GOLD, d] * count
    crystals = path[_CRYSTALS, d] - line[_COST, d] * count
    elements = path[_ELEMENTS, d]
    members = path[_MEMBERS, d]
    if count:
        members |= 1 << line[_PLACE, d]
        new = line[_BRINGS, d] & ~elements
        if new:
            penalty = 0 if elements else -1
            elements |= new
            while new:
                new &= new - 1
                penalty += 1
            gold -= penalty
            crystals -= penalty
        if gold < 0 or crystals < 0:
            return False
    flyers = path[_FLYERS, d] + line[_FLIES, d] * count
    if flyers > flyer_cap:
        return False
    for row in range(active):
        used[row, d + 1] = used[row, d] + limits[row, _WEIGHTS + d] * count
        if used[row, d + 1] > limits[row, _CAP]:
            carrier = limits[row, _CARRIER]
            if carrier == 0 or members & carrier:
                return False
    path[_GOLD, d + 1] = gold
    path[_CRYSTALS, d + 1] = crystals
    path[_ELEMENTS, d + 1] = elements
    path[_MEMBERS, d + 1] = members
    path[_FLYERS, d + 1] = flyers
    path[_CREATURES, d + 1] = path[_CREATURES, d] + line[_BREATHES, d] * count
    path[_VALUE, d + 1] = path[_VALUE, d] + line[_ADDS, d] * count
    path[_FIRST, d + 1] = path[_FIRST, d] + line[_ADDS_FIRST, d] * count
    path[_SLOTS, d + 1] = path[_SLOTS, d] | _bits(count, line[_HAVE, d], line[_LOW, d])
    return True


@compiled
def _reach(room: Numbers, rates: Numbers, goal: int, d: int, gold: int, crystals: int) -> int:
    """The most that the cards still to come can add to a goal."""
    most = room[goal, 0, d]
    most = min(most, room[goal, 1, d] + rates[goal, 0] * crystals)
    most = min(most, room[goal, 2, d] + rates[goal, 1] * gold)
    return int(most >> SHIFT)


@compiled
def _purse(first_purse: int, gold: int, crystals: int) -> int:
    """What the crystals left add to the first goal: nothing, or gold or all of them by its sign."""
    left = min(gold, crystals) if abs(first_purse) == 1 else crystals
    return left if first_purse > 0 else -left if first_purse < 0 else 0


@compiled
def _hopeless(
    plain: Numbers, line: Numbers, path: Numbers, rates: Numbers, room: Numbers, d: int,
    best: Numbers
) -> bool:  # fmt: skip
    """Can nothing from here on be better than the best squad so far?"""
    gold, crystals = path[_GOLD, d], path[_CRYSTALS, d]
    bound = path[_VALUE, d]
    bound += max(0, plain[_PER_GOLD]) * min(gold, crystals) + max(0, plain[_PER_ANY]) * crystals
    for goal in range(len(rates)):
        bound += plain[_WEIGHT + goal] * _reach(room, rates, goal, d, gold, crystals)
    if bound != best[_BEST]:
        return bool(bound < best[_BEST])
    most = path[_SLOTS, d] | line[_SLOTS_AFTER, d]
    return bool(not plain[_PREFIXES] and most <= best[_BEST_SLOTS])


@compiled
def _tells_nothing(
    first_purse: int, line: Numbers, path: Numbers, rates: Numbers, room: Numbers, d: int,
    best: Numbers
) -> bool:  # fmt: skip
    """Can nothing from here on change which kinds are in some and in every best squad?"""
    members = path[_MEMBERS, d]
    anyway = best[_EVERY] & ~members == 0
    if anyway and (members | line[_PLACES_AFTER, d]) & ~best[_SOME] == 0:
        return True
    if first_purse < 0:
        return False
    gold, crystals = path[_GOLD, d], path[_CRYSTALS, d]
    if first_purse > 0:
        return bool(_purse(first_purse, gold, crystals) < best[_BEST_FIRST])
    return bool(path[_FIRST, d] + _reach(room, rates, 0, d, gold, crystals) < best[_BEST_FIRST])


@compiled
def _earlier(slots: int, others: int) -> bool:
    """Do the sorted names of one squad come before those of another one?"""
    highest = slots ^ others
    while highest & (highest - 1):
        highest &= highest - 1
    if slots & highest:
        return others & (highest - 1) != 0
    return slots & (highest - 1) == 0


@compiled
def _keep(plain: Numbers, path: Numbers, d: int, telling: bool, best: Numbers) -> None:
    """A finished squad: is it the best, or what does it tell about the best by the first goal?"""
    if path[_CREATURES, d] == 0:
        return
    crystals = path[_CRYSTALS, d]
    gold = min(path[_GOLD, d], crystals)
    first = path[_FIRST, d] + _purse(plain[_FIRST_PURSE], gold, crystals)
    if telling:
        if first == best[_BEST_FIRST]:
            best[_SOME] |= path[_MEMBERS, d]
            best[_EVERY] &= path[_MEMBERS, d]
        return
    value = path[_VALUE, d] + plain[_PER_GOLD] * gold + plain[_PER_ANY] * crystals
    slots = path[_SLOTS, d]
    if value > best[_BEST] or (value == best[_BEST] and _earlier(slots, best[_BEST_SLOTS])):
        best[_BEST] = value
        best[_BEST_SLOTS] = slots
        best[_BEST_FIRST] = first
        best[_SOME] = path[_MEMBERS, d]
        best[_EVERY] = path[_MEMBERS, d]
        best[_BEST_GOLD] = gold
        best[_BEST_CRYSTALS] = crystals


@compiled
def _search(t: Tableau, s: _Scratch, n: int, leaders: int, active: int, telling: bool) -> None:
    """All choices of leaders, and for each all ways to take or leave the others."""
    line, path, limits, used = s.line, s.path, s.limits, s.used
    for d in range(leaders):
        path[_COUNT, d] = line[_HAVE, d]
    more = True
    while more:
        _price(t, line, path, n, leaders)
        legal = True
        for d in range(leaders):
            count = path[_COUNT, d]
            legal = legal and _add(line, path, limits, used, active, t.flyer_cap, d, count)
        if legal:
            _line_up(t, line, s.rates, s.room, n, leaders)
            active = _limit(t, line, limits, n)
            _descend(s.plain, line, path, limits, used, s.rates, s.room, n, leaders, active, telling,
                     s.best)  # fmt: skip
        more = False
        for d in range(leaders):
            if not more and path[_COUNT, d] > 0:
                path[_COUNT, d] -= 1
                for before in range(d):
                    path[_COUNT, before] = line[_HAVE, before]
                more = True


@compiled
def _descend(
    plain: Numbers, line: Numbers, path: Numbers, limits: Numbers, used: Numbers, rates: Numbers,
    room: Numbers, n: int, leaders: int, active: int, telling: bool, best: Numbers
) -> None:  # fmt: skip
    """All ways to take or leave the others, given up where the bound says so."""
    d = leaders
    entering = True
    while d >= leaders:
        if entering:
            if d == n:
                _keep(plain, path, d, telling, best)
                path[_COUNT, d] = -1
            else:
                if telling:
                    over = _tells_nothing(plain[_FIRST_PURSE], line, path, rates, room, d, best)
                else:
                    over = _hopeless(plain, line, path, rates, room, d, best)
                path[_COUNT, d] = -1 if over else line[_HAVE, d]
                while path[_COUNT, d] * line[_COST, d] > path[_CRYSTALS, d]:
                    path[_COUNT, d] -= 1
        count = path[_COUNT, d]
        if count < 0:
            d -= 1
            entering = False
        else:
            path[_COUNT, d] = count - 1
            entering = _add(line, path, limits, used, active, plain[_FLYER_CAP], d, count)
            d += entering


@compiled
def _settle(t: Tableau, deals: Numbers, s: _Scratch, found: Settled, telling: bool) -> None:
    best = s.best
    for number in range(len(deals)):
        n, leaders = _gather(t, deals[number], s.line)
        active = _limit(t, s.line, s.limits, n)
        s.path[_GOLD, 0] = t.gold
        s.path[_CRYSTALS, 0] = t.gold + t.silver
        best[:] = 0
        best[_BEST] = NOTHING
        _search(t, s, n, leaders, active, False)
        if best[_BEST] == NOTHING:
            continue
        if telling:
            _search(t, s, n, leaders, active, True)
        found.first[number] = best[_BEST_FIRST]
        found.gold_left[number] = best[_BEST_GOLD]
        found.silver_left[number] = best[_BEST_CRYSTALS] - best[_BEST_GOLD]
        for d in range(n):
            kind, place = s.line[_KIND, d], s.line[_PLACE, d]
            found.some[number, kind] = best[_SOME] >> place & 1
            found.every[number, kind] = best[_EVERY] >> place & 1
            for copy in range(s.line[_HAVE, d]):
                slot = s.line[_LOW, d] + copy
                found.chosen[number, kind] += best[_BEST_SLOTS] >> slot & 1


def settle(t: Tableau, deals: Numbers, telling: bool = True) -> Settled:
    """The best squads of deals, each a row of copies by kind.

    Without `telling`, `some` and `every` hold the best squad alone, and it takes half the time.
    """
    if not COMPILED:
        return sweep(t, deals)
    found = nothing_settled(deals)
    _settle(t, deals, _scratch(t), found, telling)
    return found
