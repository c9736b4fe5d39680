"""What lessons can ask of the Circuits page besides its fields."""

from __future__ import annotations

from collections.abc import Callable

from attention_explorer.core.named import (
    Members,
    Shown,
)
from attention_explorer.pages.circuits import said, seen
from attention_explorer.pages.circuits.state import CircuitsState
from attention_explorer.sources.circuits.find import Finding


def circuits_members(state: CircuitsState) -> Members:
    """Return what is known of the model; what nobody has measured so far is measured now."""

    def looks() -> seen.LooksSeen:
        return seen.looks_seen(state, (0, 0))

    def breaks() -> seen.BreaksSeen:
        return seen.breaks_seen(state, (0, 0))

    def found() -> Finding:
        return seen.found_seen(state, (0, 0)).finding

    def missed() -> str:
        at = said.worst(breaks())
        return "" if at is None else said.name(state.count, at)

    def heads() -> tuple[str, ...]:
        layers, count = looks().scores.shape
        return tuple(said.name(state.count, (layer, head)) for layer in range(layers) for head in range(count))

    def effect() -> float:
        given = breaks()
        return float(given.effect[given.head])

    losses = {
        "all_on": (lambda: found().all_on, "the loss on the copy"),
        "first": (lambda: found().first, "the loss the first time"),
        "without_back": (lambda: found().without_back, "the loss on the copy without those that look back"),
        "without_copy": (lambda: found().without_copy, "the loss on the copy without those that copy"),
        "score": (lambda: float(looks().scores[looks().head]), "how much of its attention the head gives there"),
        "effect": (effect, "what changes when the head is off"),
        "named": (lambda: len(looks().named), "how many heads are named for it"),
        "idle": (lambda: len(found().idle), "how many named heads are hardly missed alone"),
    }
    numbers = {name: _measured(read, words) for name, (read, words) in losses.items()}
    return {
        **numbers,
        "missed_most": lambda: Shown(missed(), "the head that is missed most"),
        "heads": lambda: Shown(heads(), "head"),
    }


def _measured(read: Callable[[], float], words: str) -> Callable[[], Shown]:
    return lambda: Shown(read(), words)
