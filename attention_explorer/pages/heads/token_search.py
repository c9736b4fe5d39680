"""Looking for tokens of a sentence by a part of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attention_explorer.core.numerals import counted
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.shown_map import listed_tokens
from attention_explorer.pages.heads.state import HeadsView, Hidden


class Place(NamedTuple):
    """A query or a key, counted from 0; the other one is None."""

    row: int | None
    column: int | None


@dataclass(frozen=True, slots=True)
class Found:
    """The tokens that hold what was looked for, in order."""

    places: tuple[Place, ...] = ()
    """Queries, and behind them the keys of a second sentence."""
    keys: frozenset[str] = frozenset()
    """The tokens among them that are keys, each once."""

    def next_of(self, view: HeadsView, step: int) -> Place | None:
        """Return the place after (step 1) or before (−1) what is pinned, or that itself (0) if it was found."""
        if not self.places:
            return None
        now, count = _pinned(view), len(self.places)
        at = bisect_left(self.places, _order(now), key=_order) if now is not None else 0
        is_there = at < count and self.places[at] == now
        moved = at - 1 if step < 0 else at + (step and is_there)
        return self.places[moved % count]

    def number_of(self, view: HeadsView) -> int:
        """Return which of them is pinned, from 1; 0 if none is."""
        now = _pinned(view)
        return self.places.index(now) + 1 if now in self.places else 0


def _pinned(view: HeadsView) -> Place | None:
    """Return the token that is pinned, of a cell its query."""
    if view.row is not None:
        return Place(view.row, None)
    return None if view.column is None else Place(None, view.column)


def _order(place: Place) -> tuple[bool, int]:
    return place.row is None, place.row if place.row is not None else place.column or 0


def find_tokens(frame: HeadsFrame, text: str) -> Found:
    """Return the tokens of a frame that hold a text, in capital letters or small ones; none for no text."""
    wanted = text.strip().casefold()
    if not wanted:
        return Found()
    columns = _places(frame.keys, wanted)
    places = [Place(row, None) for row in _places(frame.queries, wanted)]
    if frame.is_cross:
        places += [Place(None, column) for column in columns]
    return Found(tuple(places), frozenset(frame.keys[column] for column in columns))


def _places(tokens: Sequence[str], wanted: str) -> list[int]:
    return [place for place, token in enumerate(tokens) if wanted in token.casefold()]


def with_hidden(view: HeadsView, tokens: frozenset[str], *, hide: bool) -> dict[str, object]:
    """Return what changes of a view when tokens are hidden as keys, or shown again.

    What is hidden by name takes the place of a first token or of punctuation without which rows are renormalised.
    """
    if not hide:
        return {"hidden_tokens": view.hidden_tokens - tokens}
    return {"hidden_tokens": view.hidden_tokens | tokens, "hidden": Hidden.NOTHING}


def found_words(found: Found, view: HeadsView) -> str:
    """Say how many tokens were found, and which of them is pinned."""
    number = found.number_of(view)
    if number:
        return f"{number} of {len(found.places)}"
    return counted(len(found.places), "token") if found.places else "no such token"


def named(tokens: frozenset[str]) -> str:
    """Return some tokens by name."""
    return listed_tokens(tuple(sorted(tokens)))
