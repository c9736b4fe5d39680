"""The jumps: how often the output of a hard lookup has changed from one value to another, and how far."""

from __future__ import annotations

import math
import sys
from dataclasses import replace

from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.state import MOST_JUMPS, LookupState, is_another

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
