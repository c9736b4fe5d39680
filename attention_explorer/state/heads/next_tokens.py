"""What a model makes of a sentence: what comes next or was masked, and how near another sentence is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.byte_cache import kept
from attention_explorer.numerals import percent, plain
from attention_explorer.state.heads.frame import frame_to_show
from attention_explorer.state.heads.reading import Reading
from attention_explorer.state.heads.state import HeadsSetup
from attention_explorer.state.heads.wording import query_name
from attention_explorer.state.heads.writing import Writing

MOST = 30
"""Tokens that are listed."""


@kept
def expected_tokens(setup: HeadsSetup, row: int) -> Reading | None:
    """Return the most probable tokens at a query as bars; None where the source predicts nothing.

    Raises
    ------
    ExplorerError
        The model cannot be run; the message says why.
    """
    frame = frame_to_show(setup)
    row = min(row, len(frame.queries) - 1)
    found = frame.source.predictions(frame.layers, row, MOST)
    if found is None:
        return None
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
