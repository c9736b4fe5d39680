"""The descent: the queries that steps downhill have left behind, so that the way can be gone back."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from attention_explorer.pages.lookup.frame import descended, lookup_frame
from attention_explorer.pages.lookup.numbers import FloatArray
from attention_explorer.pages.lookup.state import LONGEST_DESCENT, LookupState


def place_in(state: LookupState) -> int | None:
    """Return which of the queries of the descent is the present one; None if q is nowhere on its way."""
    last = len(state.descent) - 1
    return next((last - i for i, query in enumerate(reversed(state.descent)) if query == state.query), None)


def stepped(state: LookupState) -> LookupState:
    """Return the state one step further downhill; what lay ahead of q is forgotten.

    A descent has at most `LONGEST_DESCENT` queries, of which the oldest are forgotten.
    """
    place, new = place_in(state), descended(state)
    way = (state.query,) if place is None else state.descent[: place + 1]
    return replace(new, descent=(*way, new.query)[-LONGEST_DESCENT:])


def gone_to(state: LookupState, place: int) -> LookupState:
    """Return the state with q where it was at one of the steps, held within the descent."""
    return replace(state, query=state.descent[min(max(place, 0), len(state.descent) - 1)])


def kept_by(old: LookupState, new: LookupState) -> LookupState:
    """Return ``new`` without the descent of ``old`` if that is none any more.

    It ends where q is moved elsewhere, and where anything is changed that the loss depends on: the losses of its
    steps would be others than those it went down.
    """
    if new.descent != old.descent or not new.descent:
        return new
    same = replace(new.without_view(), query=old.query, rate=old.rate, overlays=old.overlays, speed=old.speed)
    return new if same == old.without_view() and place_in(new) is not None else replace(new, descent=())


def losses(state: LookupState) -> FloatArray:
    """Return the loss ½‖o − t‖² at every query of the descent, (steps + 1,)."""
    here = replace(state.without_view(), overlays=frozenset())
    return np.asarray([_loss(replace(here, query=query)) for query in state.descent])


@lru_cache(maxsize=2 * LONGEST_DESCENT)
def _loss(state: LookupState) -> float:
    return lookup_frame(state).loss
