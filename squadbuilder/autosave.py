"""What was done in a recruitment is kept beside the user's other settings, so that nothing is lost."""

import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from squadbuilder.deal import Deal


def place(deal: Deal) -> Path:
    """The file for a deal: the same cards, seat and rules find it again, wherever the deal file lies."""
    facts: list[object] = [card.key for card in deal.cards]
    facts += [deal.rules.name, deal.player.value, deal.mulligans, deal.opponent_mulligans]
    facts += [deal.blocked_cells, [card.key for card in deal.deck or ()]]
    facts += sorted(deal.outcomes.items())
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()[:20]
    return _folder() / f"{digest}.txt"


def _folder() -> Path:
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    else:
        root = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(root) / "squadbuilder" / "recruit"


def kept(path: Path) -> list[str]:
    """The lines kept there; none if there are none."""
    try:
        return path.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return []


def keep(path: Path, lines: Sequence[str]) -> bool:
    """Put the lines there, all or none of them; False if the folder cannot be written."""
    beside = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        beside.replace(path)
    except OSError:
        return False
    return True
