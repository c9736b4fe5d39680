"""What `light` names: the controls and pictures that a step needs, and what they are called on their pages."""

from __future__ import annotations

from collections.abc import Mapping

from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.pages.explorer import ExplorerState

PARTS: Mapping[str, tuple[str, ...]] = {
    "lookup.plane": ("Plane of queries and keys",),
    "lookup.table": ("Numbers of the lookup",),
    "lookup.weights": ("Weights",),
    "lookup.sum": ("The sum with its numbers",),
    "lookup.hard": ("Soft lookup", "Hard lookup"),
    "lookup.temperature": ("Temperature", "Temperature, exact"),
    "lookup.scaled": ("Divide the scores by the square root of d_k",),
    "lookup.values": ("Where the values come from",),
    "lookup.gradient": ("Gradient and temperature",),
    "heads.sentence": ("Sentence",),
    "heads.picture": ("Picture", "Attention map", "Lines from queries to keys", "Stages of the head"),
    "heads.map": ("Attention map",),
    "heads.wall": ("All heads",),
    "heads.mask": ("Mask", "Number of the mask"),
    "heads.stage": ("Stage",),
    "heads.reading": ("Reading, setup and checks",),
    "positions.picture": ("Picture of the encoding",),
    "positions.position": ("Position", "Position, exact"),
    "positions.kind": ("Encoding",),
    "block.picture": ("Large picture",),
    "block.norm": ("Norm",),
    "block.residual": ("residual",),
    "scaling.picture": ("Large picture",),
    "scaling.d_k": ("d_k", "d_k, exact"),
    "scaling.scaled": ("÷ √d_k",),
    "cost.picture": ("Large picture",),
    "training.map": ("What the large map shows", "Attention"),
    "training.play": ("Play", "Step"),
    "training.curves": ("Loss and right answers",),
    "training.ask": ("Ask it",),
    "training.break": ("Break it",),
}
"""By dotted name: what a page calls its parts for screen readers, which stays when the page is built anew."""


def names_of(light: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a page calls the parts that a step needs.

    Raises
    ------
    ExplorerError
        A name stands for no part.
    """
    for name in light:
        if name not in PARTS:
            raise ExplorerError(
                f"“light” names {quoted(name)}, which is no part of a page. {did_you_mean(name, PARTS)}"
            )
    return tuple(part for name in light for part in PARTS[name])


def way_back(light: tuple[str, ...], state: ExplorerState) -> tuple[str, ...]:
    """Return the name of the button that shows the plane as it was, where that is lit and was moved or zoomed."""
    is_away = state.lookup.camera is not None and set(PARTS["lookup.plane"]) <= set(light)
    return ("Home view",) if is_away else ()
