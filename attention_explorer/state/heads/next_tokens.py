"""What a model expects at a place: what comes next, or what was masked."""

from __future__ import annotations

import numpy as np

from attention_explorer.byte_cache import kept
from attention_explorer.numerals import percent
from attention_explorer.state.heads.frame import frame_to_show
from attention_explorer.state.heads.reading import Reading
from attention_explorer.state.heads.state import HeadsSetup
from attention_explorer.state.heads.wording import query_name

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
    hidden = np.zeros(count, np.bool_)
    return Reading(row, False, title, found.tokens, found.probabilities, hidden, tuple(range(count)), note, frame.count)
