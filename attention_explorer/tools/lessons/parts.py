"""What `light` names: the controls and pictures that a step needs, and what they are called on their pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.state import LookupView
from attention_explorer.pages.training.state import TrainingView

PARTS: Mapping[str, tuple[str, ...]] = {
    "lookup.plane": ("Plane of queries and keys",),
    "lookup.table": ("Numbers of the lookup",),
    "lookup.weights": ("At a glance",),
    "lookup.sum": ("What is computed",),
    "lookup.hard": ("lookup",),
    "lookup.temperature": ("Temperature", "Temperature, exact"),
    "lookup.scaled": ("÷√d_k",),
    "lookup.values": ("values",),
    "lookup.gradient": ("Way downhill", "At a glance"),
    "lookup.words": ("Large picture",),
    "lookup.sentence": ("sentence",),
    "lookup.share": ("Share of o", "Share of o, exact"),
    "lookup.heads": ("Two heads",),
    "heads.sentence": ("Sentence",),
    "heads.guess": ("Guess",),
    "heads.picture": ("View", "Attention map"),
    "heads.map": ("Attention map",),
    "heads.wall": ("All heads",),
    "heads.mask": ("mask", "n of the mask"),
    "heads.stage": ("stage",),
    "heads.reading": ("At a glance",),
    "heads.gain": ("gain",),
    "heads.hidden": ("hidden keys",),
    "positions.picture": ("Large picture",),
    "positions.position": ("Position p", "Position p, exact"),
    "positions.kind": ("encoding",),
    "block.picture": ("Large picture",),
    "block.norm": ("norm",),
    "block.residual": ("residual",),
    "scaling.picture": ("Large picture",),
    "scaling.d_k": ("d_k", "d_k, exact"),
    "scaling.scaled": ("÷ √d_k",),
    "cost.picture": ("Large picture",),
    "training.map": ("What the picture shows", "Large picture"),
    "training.play": ("Play", "Step"),
    "training.curves": ("Loss and right answers",),
    "training.ask": ("sentence",),
    "training.break": ("Large picture",),
    "circuits.picture": ("Large picture",),
    "circuits.find": ("Find the circuit",),
}
"""By dotted name: what a page calls its parts for screen readers, which stays when the page is built anew."""
_OF_A_RUN = TrainingView.WATCH, TrainingView.MAP, TrainingView.BREAK
_VIEWS: Mapping[str, tuple[LookupView, ...] | tuple[TrainingView, ...]] = {
    "lookup.plane": (LookupView.PLANE, LookupView.GRADIENT),
    "lookup.sum": (LookupView.PLANE,),
    "lookup.gradient": (LookupView.GRADIENT,),
    "lookup.words": (LookupView.WORDS,),
    **dict.fromkeys(("lookup.sentence", "lookup.share", "lookup.heads"), (LookupView.WORDS,)),
    **dict.fromkeys(("training.map", "training.play", "training.curves", "training.ask"), _OF_A_RUN),
    "training.break": (TrainingView.BREAK,),
}
"""Of what is not seen in every view: where it is."""


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


def in_sight(light: tuple[str, ...], state: ExplorerState) -> ExplorerState:
    """Return the state in a view that has what a step needs."""
    # What is in the fewest views first: the others stand there too.
    for name in sorted(filter(_VIEWS.__contains__, light), key=lambda name: len(_VIEWS[name])):
        page = name.partition(".")[0]
        shown: Any = getattr(state, page)
        if shown.view not in _VIEWS[name]:
            state = replace(state, **{page: replace(shown, view=_VIEWS[name][0])})
    return state


def way_back(light: tuple[str, ...], state: ExplorerState) -> tuple[str, ...]:
    """Return the name of the button that shows the plane as it was, where that is lit and was moved or zoomed."""
    is_away = state.lookup.camera is not None and set(PARTS["lookup.plane"]) <= set(light)
    return ("Home view",) if is_away else ()
