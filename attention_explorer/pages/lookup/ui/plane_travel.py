"""The way from one example to the next: query, keys and values travel, and what is in view with them.

On the way it is a lookup like any other, with the output that belongs to it: in a hard one that jumps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest

import numpy as np
from PySide6.QtWidgets import QWidget

from attention_explorer.kit.tween import Tween
from attention_explorer.pages.lookup.numbers import FloatArray
from attention_explorer.pages.lookup.plane import Extent, Vector
from attention_explorer.pages.lookup.state import Entry, LookupState

_FROM = Entry((0.0, 0.0), (0.0, 0.0), 0.0)
"""Where a key comes from that was not there before."""


class Travel:
    """A lookup on its way to that of another example; a new one begins where the picture is."""

    def __init__(self, widget: QWidget, moved: Callable[[], object]) -> None:
        self._tween = Tween(widget)
        self._tween.moved.connect(moved)

    def go(self, old: LookupState, seen: Extent, new: LookupState, to: Extent) -> None:
        """Set out from a lookup, of which a part of the plane is seen, to another with values of the same kind.

        Neither is a row of a head.
        """
        if old.values is new.values:
            entries = zip_longest(old.entries[: len(new.entries)], new.entries, fillvalue=_FROM)
            start = replace(old, entries=tuple(before for before, _ in entries))
            self._tween.go(_numbers(start, seen), follows=False)
            self._tween.go(_numbers(new, to), follows=True)

    def end(self) -> None:
        """Be there at once."""
        self._tween.go(np.zeros(0), follows=False)

    def on_the_way(self, state: LookupState) -> LookupState:
        """Return where a lookup is on its way; itself once it is there."""
        if not self._tween.is_under_way:
            return state
        numbers = self._tween.now.tolist()
        camera, query, entries = Extent(*numbers[:4]), (numbers[4], numbers[5]), numbers[6:]
        places = zip(*(iter(entries),) * 5, strict=True)
        travelling = tuple(Entry((a, b), (c, d), number) for a, b, c, d, number in places)
        return replace(state, query=query, entries=travelling, camera=camera)


def _numbers(state: LookupState, seen: Extent) -> FloatArray:
    """Return what is in view, where q is, and each key with its value, one after another."""
    query: Vector = state.query
    entries = (number for entry in state.entries for number in (*entry.key, *entry.value, entry.number))
    return np.array([seen.left, seen.right, seen.bottom, seen.top, *query, *entries])
