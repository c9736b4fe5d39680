"""What a model makes of a sentence: what comes next or was masked, and how near another sentence is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import percent, plain
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.heads.compare import axes_of
from attention_explorer.pages.heads.frame import HeadsFrame, frame_to_show, heads_run_without
from attention_explorer.pages.heads.guess import without_hidden
from attention_explorer.pages.heads.reading import Reading
from attention_explorer.pages.heads.resolve import resolved
from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.pages.heads.wording import isolated, query_name
from attention_explorer.pages.heads.writing import Writing
from attention_explorer.sources.masked_layers import words_hidden
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Predictions

MOST = 30
"""Tokens that are listed."""


MOST_BEFORE = 3
"""Tokens that are named of what is compared with."""


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """The most probable tokens at a query, and how probable they were before."""

    reading: Reading
    """Probabilities as bars."""
    before: FloatArray | None
    """What each was before, (n,); None where there is nothing to compare with."""
    against: str
    """What they are compared with, in words, and which tokens come first there; empty for nothing."""
    when: str = "before"
    """What stands above what each was."""

    @property
    def change(self) -> FloatArray | None:
        """By how much each grew, (n,)."""
        return None if self.before is None else self.reading.weights - self.before


@kept
def expected_tokens(setup: HeadsSetup, row: int | None, other: HeadsSetup | None = None) -> Expected | None:
    """Return the most probable tokens at a query; None where the source predicts nothing.

    Parameters
    ----------
    setup : HeadsSetup
        Of the model and what it reads.
    row : int or None
        The query; None for the last.
    other : HeadsSetup, optional
        B, if it is compared with that; else, where heads are off or words hidden from all, it is compared with all
        heads on and every word to be seen.

    Raises
    ------
    ExplorerError
        The model cannot be run; the message says why.
    """
    frame = frame_to_show(setup)
    at = len(frame.queries) - 1 if row is None else min(row, len(frame.queries) - 1)
    found = frame.source.predictions(frame.layers, at, MOST)
    if found is None:
        return None
    reading = _reading(frame, at, found)
    name, first = _before(setup) if other is None else ("B", other)
    if not name:
        return Expected(reading, None, "")
    try:
        before = frame_to_show(first)
        place = len(before.queries) - 1 if row is None else axes_of(frame, before)[0].in_each(at)[1]
        top = None if place is None else before.source.predictions(before.layers, place, MOST_BEFORE)
        if place is None or top is None:
            return Expected(reading, None, f"{name} expects no token here")
        same = before.source.predictions(before.layers, place, 0, found.ids) if top.whose == found.whose else None
    except ExplorerError as error:
        return Expected(reading, None, f"{name}: {error}")
    listed = ", ".join(f"“{isolated(token)}” {plain(float(p), 3)}" for token, p in zip(*top[:2], strict=True))
    if same is None:
        return Expected(reading, None, f"{name}: {listed} come first")
    if other is not None:
        return Expected(reading, same.probabilities, f"In B {listed} come first", "in B")
    return Expected(reading, same.probabilities, f"Before, with {name}, {listed} came first")


def _before(setup: HeadsSetup) -> tuple[str, HeadsSetup]:
    """Return a setup with all heads on and every word to be seen, and what is other there; empty for nothing."""
    hidden, said = words_hidden(source_of(setup.recipe), resolved(setup).mask), []
    if heads_run_without(setup):
        said.append("all heads on")
        setup = replace(setup, switched_off=frozenset())
    if hidden:
        said.append("every word to be seen")
        setup = replace(setup, mask=without_hidden(setup, hidden))
    return " and ".join(said), setup


def _reading(frame: HeadsFrame, row: int, found: Predictions) -> Reading:
    place = query_name(frame, row)
    title = f"after {place} the model expects" if found.is_next else f"in place of {place} the model expects"
    count = len(found.tokens)
    note = f"{count} of {found.vocabulary} tokens, together {percent(float(found.probabilities.sum()))}"
    mask = frame.source.mask_token
    if mask and mask not in frame.source.tokens:
        note += f". Type {mask} in place of a word, and click it"
    hidden = np.zeros(count, np.bool_)
    return Reading(row, False, title, found.tokens, found.probabilities, hidden, tuple(range(count)), note, frame.count)


def next_text(setup: HeadsSetup, writing: Writing) -> str:
    """Return what the model writes next, one token; empty where it ends its text.

    Raises
    ------
    ExplorerError
        The model cannot be run; the message says why.
    """
    frame = frame_to_show(setup)
    return frame.source.next_text(frame.layers, writing.temperature, writing.top_k, writing.seed)


@dataclass(frozen=True, slots=True)
class Nearness:
    """What a sentence model makes of two sentences."""

    title: str
    text: str


@kept
def nearness(setup: HeadsSetup) -> Nearness:
    """Return the cosine of the two sentences of a setup in words, or how to get one.

    Raises
    ------
    ExplorerError
        A sentence cannot be read; the message says why.
    """
    found = frame_to_show(setup).source.cosine()
    if found is None:
        return Nearness("How near are two sentences?", "“+ second” adds one: the cosine of the two is shown here.")
    value, how = found
    return Nearness(
        f"cosine {plain(value, 3)}",
        f"Of the two sentences, each read by itself: its vector is {how}. 1 is the same direction, 0 is at right "
        "angles. The maps are of both read as one text.",
    )
