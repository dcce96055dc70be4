"""The abilities used before recruitment (403.1) in the CP-SAT model: what they bring, and for less.

Their order, and what they must show, are relaxed like the order of recruitment: an ability counts as
used if its card is in the squad.
"""

from collections.abc import Iterator

from squadbuilder.effects import MANY, Before, Differ, Exile, Show, Source, Then
from squadbuilder.squad import fits
from squadbuilder.squad_model import Linear, SquadModel


def _abilities(model: SquadModel) -> Iterator[tuple[int, Before]]:
    """The kinds that have an ability which may be used: one that searches needs the deck list."""
    if not model.begun.open:
        return
    for kind, card in enumerate(model.cards.kinds):
        ability = card.effect.before
        if ability is not None and (model.deal.deck is not None or not ability.searches):
            yield kind, ability


def brought(model: SquadModel) -> None:
    """403.1: a card that was not dealt is fetched or found by an ability of a card in the squad."""
    if not model.begun.open:
        return
    sources: dict[int, list[Linear]] = {
        kind: [] for kind, dealt in enumerate(model.cards.dealt) if model.cards.copies[kind] > dealt
    }
    for giver, ability in _abilities(model):
        bring = {kind: number for kind in sources if (number := _brings(model, ability, kind))}
        moved: list[Linear] = []
        names: list[Linear] = []
        for kind, number in bring.items():
            most = number * model.cards.copies[giver]
            copies = model.cp.new_int_var(0, most, "brought")
            sources[kind].append(copies)
            moved.append(copies)
            if ability.fetch is not None and ability.fetch.name_shown:
                uses = model.cp.new_int_var(0, model.cards.copies[giver], "shown")
                model.cp.add(copies <= number * uses)
                model.cp.add(uses <= copies)
                names.append(uses)
        each = ability.fetch.number if ability.fetch is not None else 1
        if moved:
            model.cp.add(sum(moved) <= each * model.number[giver])
        if names:
            model.cp.add(sum(names) <= model.number[giver])
    for kind, copies_brought in sources.items():
        if model.thrifty:
            beyond = model.taken[kind][model.cards.dealt[kind] :]
            model.cp.add(sum(beyond) == sum(copies_brought))
        else:
            seen = model.number[kind] + model.gone[kind]
            model.cp.add(seen <= model.cards.dealt[kind] + sum(copies_brought))


def _brings(model: SquadModel, ability: Before, kind: int) -> int:
    """How many copies of a card one use of the ability could bring."""
    card = model.cards.kinds[kind]
    fetch, partner = ability.fetch, ability.partner
    if fetch is not None:
        shown = not fetch.name_shown or _may_lie_in_the_deal(model, kind)
        return fetch.number if shown and fits(fetch.cards, card, card.elements) else 0
    if partner is None or partner.source is not Source.DECK:
        return 0
    able = not partner.unlike_shown or _could_show(model, ability.show, kind)
    return int(able and fits(partner.cards, card, card.elements))


def _could_show(model: SquadModel, show: Show | None, kind: int) -> bool:
    """Are there enough different cards to show that all differ from this one?"""
    if show is None:
        return True
    by_cost = show.differ is Differ.COST
    card = model.cards.kinds[kind]
    marks: set[object] = set()
    for other, shown in enumerate(model.cards.kinds):
        if model.may_fit(show.cards, other) and _may_lie_in_the_deal(model, other):
            marks.update([shown.cost] if by_cost else shown.elements)
    own: set[object] = {card.cost} if by_cost else set(card.elements)
    unlike = len(marks) - (len(own & marks) if len(own) == 1 else 1)
    return bool(own) and unlike >= show.number


def _may_lie_in_the_deal(model: SquadModel, kind: int) -> bool:
    """Was the card dealt, or could a search move it to the deal, of which no copy must be shown?"""
    card = model.cards.kinds[kind]
    searches = [ability.fetch for _, ability in _abilities(model) if ability.fetch is not None]
    return model.cards.dealt[kind] > 0 or any(
        not fetch.name_shown and fits(fetch.cards, card, card.elements) for fetch in searches
    )


def partners(model: SquadModel) -> None:
    """403.1: each ability may make the price of one other card lower, or payable in silver."""
    for giver, ability in _abilities(model):
        partner = ability.partner
        if partner is None or not (partner.less or partner.as_ordinary):
            continue
        chosen: list[Linear] = []
        for kind, copies in enumerate(model.taken):
            if kind != giver and model.may_fit(partner.cards, kind):
                for copy, taken in enumerate(copies):
                    if copy < model.begun.squad[kind]:
                        continue
                    literal = model.cp.new_bool_var("partner")
                    model.cp.add_implication(literal, taken)
                    chosen.append(literal)
                    if partner.less:
                        model.cheaper.setdefault((kind, copy), []).append((partner.less, literal))
                    if partner.as_ordinary:
                        model.ordinary.setdefault((kind, copy), []).append(literal)
        model.cp.add(sum(chosen) <= model.number[giver] - model.begun.squad[giver])
    for giver, ability in _abilities(model):
        if ability.look is not None and ability.look.then is Then.LESS:
            for copy in range(model.cards.copies[giver]):
                model.cheaper.setdefault((giver, copy), []).append((_outcome(model, giver), True))


def looks(model: SquadModel) -> None:
    """403.2.3.3: the gold that a look at hidden cards brings, by its stated outcome."""
    for giver, ability in _abilities(model):
        if ability.look is not None and ability.look.then is Then.GOLD:
            for taken in model.taken[giver][model.begun.squad[giver] :]:
                model.gained_gold.append(_outcome(model, giver) * model.at_will(taken))


def _outcome(model: SquadModel, kind: int) -> int:
    return model.deal.outcomes.get(model.cards.kinds[kind].key, 0)


def discarded(model: SquadModel) -> None:
    """403.1: cards of the deal that go to the graveyard for gold, or into exile for crystals.

    Neither brings anything, so a thrifty player does without.
    """
    if model.thrifty:
        return
    for giver, ability in _abilities(model):
        if ability.pay is not None:
            most = 1 if model.cards.kinds[giver].unique else MANY
            model.in_gold.append(ability.pay * _gone(model, giver, most))
        if ability.exile is not None:
            uses = model.number[giver] - model.begun.squad[giver]
            model.cp.add(_exiled(model, ability.exile) <= ability.exile.number * uses)
    for kind, copies in enumerate(model.gone):
        model.cp.add(model.number[kind] + copies <= model.begun.most[kind])


def _exiled(model: SquadModel, text: Exile) -> Linear:
    """How many cards are exiled, each paid like an ordinary card."""
    total: Linear = 0
    for kind, card in enumerate(model.cards.kinds):
        if model.may_fit(text.cards, kind) and _may_lie_in_the_deal(model, kind):
            copies = _gone(model, kind)
            model.in_any.append(max(0, card.cost - text.less) * copies)
            total += copies
    return total


def _gone(model: SquadModel, kind: int, most: int = MANY) -> Linear:
    """How many copies of a card leave the deal in one way."""
    copies = model.cp.new_int_var(0, min(most, model.begun.most[kind]), "gone")
    model.gone[kind] += copies
    return copies
