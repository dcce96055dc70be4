"""Does a verdict say what the scenario expects of the step?"""

from collections.abc import Iterable, Mapping

from squadbuilder.scenario import Expectation
from squadbuilder.table_state import Resource, Resources, merged
from squadbuilder.table_steps import Change, Verdict

ALLOWED = Expectation(allowed=True)
"""A step without `expect` is expected to be allowed."""


def told(verdict: Verdict) -> Mapping[str, object]:
    """What the verdict says, by the keys of an expectation and in a form that can be compared."""
    result = verdict.result
    zone = result.active_zone
    return {
        "outcome": result.outcome,
        "allowed": verdict.allowed,
        "rules": frozenset(result.rules),
        "reserved": _stores(result.reserved),
        "prepaid": _stores(result.prepaid),
        "paid": _stores(result.paid),
        "unpaid": _stores(result.unpaid),
        "freed": _stores(result.freed),
        "moved": _now(verdict.moved),
        "control": _now(verdict.control),
        "due": frozenset(verdict.due),
        "waiting": frozenset(verdict.waiting),
        "shuffled": frozenset(player.value for player in result.shuffled),
        "active_zone": None if zone is None else zone.value,
    }


def unmet(verdict: Verdict, expect: Expectation | None) -> tuple[str, ...]:
    """The keys of the expectation that the verdict does not fulfil."""
    wanted = expect or ALLOWED
    found = told(verdict)
    return tuple(
        key
        for key in Expectation.__slots__
        if (value := getattr(wanted, key)) is not None and _plain(value) != found[key]
    )


def _plain(value: object) -> object:
    """An expected value in the form of `told`."""
    if isinstance(value, tuple):
        resources = [one for one in value if isinstance(one, Resource)]
        return _stores(resources) if resources else frozenset(value)
    return value


def _stores(resources: Iterable[Resource]) -> frozenset[Resource]:
    found: Resources = merged(resources)
    return frozenset(found)


def _now(changes: Iterable[Change]) -> Mapping[str, str]:
    return {change.card: change.now for change in changes}
