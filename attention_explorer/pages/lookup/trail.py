"""What changes leave behind: the trail of outputs, the count of jumps, and the way of a descent."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from attention_explorer.core.declared import with_value
from attention_explorer.pages.lookup.frame import descended, lookup_frame
from attention_explorer.pages.lookup.numbers import FloatArray
from attention_explorer.pages.lookup.presets import PRESETS
from attention_explorer.pages.lookup.state import (
    LONGEST_DESCENT,
    LONGEST_TRAIL,
    MOST_JUMPS,
    LookupState,
    Overlay,
    is_another,
)


def followed(old: LookupState, new: LookupState) -> LookupState:
    """Return ``new`` with its trail: that of ``old``, and both outputs where the change has moved the output.

    It grows only while it is shown, and to `LONGEST_TRAIL` points, whose oldest are forgotten. Another lookup, as
    `is_another` says, begins without one. A trail that the change itself has set, as clearing it does, stays as it is.
    """
    if is_another(old, new):
        return replace(new, trail=()) if new.trail else new
    if not new.shows(Overlay.TRAIL) or new.trail != old.trail or _is_loaded(new):
        return new
    before, after = _output(old), _output(new)
    if before == after:
        return new
    way = new.trail if new.trail[-1:] == (before,) else (*new.trail, before)
    return replace(new, trail=(*way, after)[-LONGEST_TRAIL:])


def _is_loaded(state: LookupState) -> bool:
    """Return whether a preset has just been chosen: then what was there before is no part of its way."""
    return not state.trail and any(state == ready.state for ready in PRESETS)


def _output(state: LookupState) -> tuple[float, ...]:
    return tuple(lookup_frame(state).output.tolist())


_ROUNDING = 4 * sys.float_info.epsilon


def counted(old: LookupState, new: LookupState) -> LookupState:
    """Return ``new`` with its jumps: those of ``old``, and one more where the change has made the output jump.

    A jump is a change after which another key takes everything and the output is elsewhere, by more than rounding,
    while the lookup is hard and keeps its number of keys. So a drag counts one at each tie line that it crosses, and
    ties between keys of equal values count none. A soft lookup and another one, as `is_another` says, begin anew.
    """
    if not (old.hard and new.hard) or is_another(old, new):
        return replace(new, jumps=0, last_jump=0.0) if new.jumps else new
    if len(new.entries) != len(old.entries):
        return new
    before, after = lookup_frame(old), lookup_frame(new)
    if before.winner == after.winner:
        return new
    length = math.dist(before.output, after.output)
    if length <= _ROUNDING * max(math.hypot(*before.output), math.hypot(*after.output)):
        return new
    return replace(new, jumps=min(new.jumps + 1, MOST_JUMPS), last_jump=length)


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


# ---- What setting a field changes besides it ----


def changed(state: LookupState, name: str, value: Any) -> LookupState:  # noqa: ANN401 # of the type of the field
    """Return the state with another value in a field, held within its range.

    Raises
    ------
    ExplorerError
        It cannot hold that; the message says why.
    """
    match name:
        case "values":
            return state.with_values(value)
        case "temperature":
            return state.with_temperature(value)
        case "rate":
            return state.with_rate(value)
        case "words.w_q" | "words.w_k" | "words.w_v":
            return replace(state, words=state.words.with_matrix(name.removeprefix("words."), value))
    return with_value(state, name, value)
