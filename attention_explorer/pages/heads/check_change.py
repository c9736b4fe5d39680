"""Change one token and see which outputs hear of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.core.counting import Count
from attention_explorer.core.numerals import size_text
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.heads.check_function import token_function
from attention_explorer.pages.heads.check_report import (
    CheckReport,
    CheckTable,
    Form,
    left_out,
    listed_rows,
    whole_layer,
)
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.pages.heads.wording import key_name, one

SEED = 0
"""Of the noise: the same experiment gives the same numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class ChangeCheck:
    """What became of every output when one token was changed."""

    token: int
    amount: float
    changes: FloatArray  # (n_q,), max |new − old| of each output row; 0 means bit by bit the same

    @property
    def untouched(self) -> tuple[int, ...]:
        """The rows that did not change at all."""
        return tuple(np.flatnonzero(self.changes == 0.0).tolist())


def change_check(frame: HeadsFrame, token: int, amount: float = 1.0) -> ChangeCheck:
    """Add noise N(0, amount²) to the vector of one token and compute the outputs again.

    In cross-attention the token is one of the second sentence, whose keys and values are attended to.

    Raises
    ------
    ExplorerError
        There is no such token, or there are too many tokens or heads.
    """
    if not 0 <= token < len(frame.keys):
        number, known = frame.count.number(token), frame.count.span(0, len(frame.keys))
        raise ExplorerError(f"There is no token {number}: choose one from {known}.")
    return _change_check(frame.setup, token, amount)


@kept
def _change_check(setup: HeadsSetup, token: int, amount: float) -> ChangeCheck:
    function = token_function(heads_frame(setup))
    before = function.at_present(function.x, function.context)
    vectors = (function.x if function.context is None else function.context).copy()
    vectors[token] += amount * np.random.default_rng(SEED).standard_normal(vectors.shape[1])
    changed = (vectors, None) if function.context is None else (function.x, vectors)
    after = function.at_present(*changed)
    return ChangeCheck(token, amount, np.abs(after - before).max(axis=1))


# ---- In words ----


def change_report(frame: HeadsFrame, token: int, amount: float = 1.0) -> CheckReport:
    """Change a token and say which outputs change."""
    check = change_check(frame, token, amount)
    vector = "vector"
    if not frame.has_projections:
        vector = "key and value" if frame.is_cross else "query, key and value"
    note = (
        f"Noise of standard deviation {amount:g} is added to the {vector} of {key_name(frame, token)}. The bars "
        f"show the largest change in each row of {whole_layer(frame)}."
    )
    return CheckReport(_result(frame, check), (_table(frame, check),), (note,))


def _result(frame: HeadsFrame, check: ChangeCheck) -> str:
    count, still = len(check.changes), check.untouched
    name = key_name(frame, check.token)
    if not still:
        if count == 1:
            return f"The only output changes with {name}, by {size_text(float(check.changes[0]))}."
        least = f", the least by {size_text(float(check.changes.min()))}"
        visible = frame.mask is None or bool(frame.mask[:, check.token].all())
        return f"All {count} outputs change with {name}{least}{': it is visible to all of them' if visible else ''}."
    if len(still) == count:
        if _is_attended(frame, check.token):
            return "No output changes at all (exactly 0), though some queries attend to it: its value adds nothing."
        return f"No output changes at all (exactly 0): no query attends to {name}."
    rows = f"row{'s' * (len(still) > 1)} {_ranges(still, frame.count)}"
    do, rest = "do" if len(still) > 1 else "does", count - len(still)
    others = f"the other {rest} change" if rest > 1 else "the other one changes"
    return f"Of {count} outputs, {rows} {do} not change at all (exactly 0); {others} with {name}."


def _is_attended(frame: HeadsFrame, token: int) -> bool:
    layers = frame.layers[: frame.layer + 1]
    maps = (map_ for layer in layers for map_ in layer.maps) if frame.has_projections else (frame.head_map,)
    return any(map_.weights(cols=one(token)).any() for map_ in maps)


def _ranges(rows: tuple[int, ...], count: Count) -> str:
    """Return 1–3, 5 for the indices 0, 1, 2, 4 counted from 1; of many pieces the first few."""
    pieces: list[list[int]] = []
    for row in rows:
        if pieces and pieces[-1][1] == row - 1:
            pieces[-1][1] = row
        else:
            pieces.append([row, row])
    ends = ((count.number(first), count.number(last)) for first, last in pieces)
    named = [f"{first}" if first == last else f"{first}–{last}" for first, last in ends]
    return ", ".join(named[:4]) + (" …" if len(named) > 4 else "")


def _table(frame: HeadsFrame, check: ChangeCheck) -> CheckTable:
    count = len(check.changes)
    shown = listed_rows(count, None if frame.is_cross else check.token)
    largest = float(check.changes.max()) or 1.0
    rows = tuple((frame.count.listed(frame.queries, row), float(check.changes[row])) for row in shown)
    own = check.token - shown.start if not frame.is_cross else None
    return CheckTable(
        (("output row", Form.TEXT), ("max change", Form.SIZE)),
        rows,
        marked_row=own,
        bars=tuple(float(check.changes[row]) / largest for row in shown),
        more=left_out(count - len(shown), "rows"),
    )
