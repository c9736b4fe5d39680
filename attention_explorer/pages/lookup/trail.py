"""The trail: the outputs that a lookup has had on its way to where it is."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.presets import PRESETS
from attention_explorer.pages.lookup.state import LONGEST_TRAIL, LookupState, Overlay, is_another


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
