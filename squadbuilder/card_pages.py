"""Decks and cards as a person reads them."""

from collections.abc import Sequence

from squadbuilder.card_search import keyword_names, set_names
from squadbuilder.cards import Card
from squadbuilder.decks import NEUTRAL, Profile
from squadbuilder.pages import Page


class CardPages(Page):
    """Writes what decks and cards are."""

    def profile(self, name: str, found: Profile) -> None:
        """The make-up of a deck: its curve, elements, types and what its flyers are worth."""
        self.print(self.say("profile_head", name=name or "-", cards=found.cards))
        rows = [
            [str(cost), str(found.ordinary.get(cost, "")), str(found.elite.get(cost, ""))]
            for cost in sorted({*found.ordinary, *found.elite})
        ]
        self.table(["cost", "ordinary", "elite"], rows)
        elements = ", ".join(f"{self.say(element)} {n}" for element, n in found.elements.items())
        self.print(self.say("profile_elements", names=elements))
        types = ", ".join(f"{self.say('type_' + kind)} {n}" for kind, n in found.types.items())
        self.print(self.say("profile_types", names=types))
        self.print(self.say("profile_rest", unique=found.unique, horde=found.horde))
        self.print(self.say("profile_flyers", n=found.flyers_worth))

    def cards(self, cards: Sequence[Card]) -> None:
        """Cards in a table, a line each."""
        rows = [
            [
                card.id,
                card.name,
                self.cost(card),
                self.elements(card),
                self.say(f"type_{card.type.value}"),
                ", ".join(sorted(card.classes)),
            ]
            for card in cards
        ]
        if rows:
            self.table(["id", "card", "cost", "element", "type", "class"], rows)
        self.print(self.say("cards_found", n=len(cards)))

    def card(self, card: Card) -> None:
        """All facts of a card, and how its text is read when a squad is recruited."""
        self.print(card.name)
        kind = self.say(f"type_{card.type.value}")
        self.print(f"{self.cost(card)}, {self.elements(card)}, {kind}")
        if card.classes:
            self.print(self.say("card_classes", names=", ".join(sorted(card.classes))))
        words = [
            self.say(word) for word in ("unique_card", "horde", "magic") if self._has(card, word)
        ]
        if words:
            self.print(", ".join(words))
        if card.creature:
            strike = "-".join(map(str, card.strike))
            self.print(self.say("card_body", life=card.life, move=card.move, strike=strike))
        if card.keywords:
            self.print(self.say("card_keywords", names=", ".join(self._keywords(card))))
        where = set_names().get(card.set_id, str(card.set_id))
        self.print(self.say("card_set", name=where, number=card.number, id=card.id))
        self.print(self.reading(card))

    def reading(self, card: Card) -> str:
        """How the card's text is read, or that it is not modelled and why."""
        if card.effect.unmodelled:
            return self.say(f"unmodelled_{card.effect.unmodelled}")
        if card.effect.note:
            return self.say("card_reading", note=card.effect.note)
        return self.say("card_no_effect")

    def cost(self, card: Card) -> str:
        """The printed cost in short, with the crystals that pay it."""
        return self.say("gold_short" if card.elite else "silver_short", n=card.cost)

    def elements(self, card: Card) -> str:
        """The card's elements, or that it is neutral."""
        return ", ".join(self.say(e.value) for e in sorted(card.elements)) or self.say(NEUTRAL)

    def _has(self, card: Card, word: str) -> bool:
        return {"unique_card": card.unique, "horde": card.horde, "magic": card.magic}[word]

    def _keywords(self, card: Card) -> list[str]:
        names = keyword_names()
        place = 0 if self.speaker.language.value == "ru" else 1
        return [
            f"{names[code][place] if code in names else code} {value}".strip()
            for code, value in card.keywords
        ]
