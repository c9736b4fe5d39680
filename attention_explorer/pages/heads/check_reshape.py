"""The reshape trick: all heads in one product, rightly and wrongly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.colour_scale import FloatArray
from attention_explorer.core.numerals import grouped, size_text
from attention_explorer.errors import ExplorerError
from attention_explorer.model import MultiHeadAttention, QueryKeyMap
from attention_explorer.pages.heads.check_report import CheckReport, CheckTable, Form, require_size, whole_layer
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.state import HeadsSetup

ROUNDING = 1e-9
"""Differences below this share of the largest output are rounding."""

_NO_PROJECTIONS = "Hand-made heads have no projections to reshape: choose random heads."


@dataclass(frozen=True, slots=True)
class ReshapeCheck:
    """How far three ways to compute all heads are apart; the loop over heads is the yardstick."""

    heads: int
    reshaped: float  # max |difference| of the outputs of one product, then (n, heads, d) with heads and n swapped
    buggy: float  # of one product cut as (heads, n, d) without swapping
    largest: float  # the largest output, for comparison
    multiplications: int  # of the projections to queries, keys and values, the same in all three


def reshape_check(frame: HeadsFrame) -> ReshapeCheck:
    """Compute the layer's heads one by one, by reshape and transpose, and by a reshape that forgets to transpose.

    Raises
    ------
    ExplorerError
        The heads have no projections, or there are too many tokens.
    """
    require_size(frame)
    if frame.layers[frame.layer].attention is None:
        raise ExplorerError(_NO_PROJECTIONS)
    return _reshape_check(frame.setup)


@kept
def _reshape_check(setup: HeadsSetup) -> ReshapeCheck:
    frame = heads_frame(setup)
    layer = frame.layers[frame.layer]
    attention = layer.attention
    if attention is None:
        raise ExplorerError(_NO_PROJECTIONS)
    x, context = layer.inputs
    sources = (x, context, context)
    looped = _output(frame, attention, _by_loop(attention, sources))
    q, k, v = attention.project(x, context)
    reshaped = _output(frame, attention, (q, k, v))
    buggy = _output(frame, attention, _by_bug(attention, sources))
    return ReshapeCheck(
        attention.heads,
        float(np.abs(reshaped - looped).max()),
        float(np.abs(buggy - looped).max()),
        float(np.abs(looped).max()),
        sum(len(x) * w.size for x, (w, _) in zip(sources, _affine(attention), strict=True)),
    )


def _affine(attention: MultiHeadAttention) -> tuple[tuple[FloatArray, FloatArray], ...]:
    """Return matrix and bias of queries, keys and values; zeros where there is no bias."""
    pairs = ((attention.w_q, attention.b_q), (attention.w_k, attention.b_k), (attention.w_v, attention.b_v))
    return tuple((w, np.zeros(w.shape[1]) if b is None else b) for w, b in pairs)


def _by_loop(attention: MultiHeadAttention, sources: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    """Project head by head with the columns that it owns: (heads, n, d) each."""
    heads = attention.heads
    return tuple(
        np.stack([x @ columns + own for columns, own in zip(np.split(w, heads, 1), np.split(b, heads), strict=True)])
        for x, (w, b) in zip(sources, _affine(attention), strict=True)
    )


def _by_bug(attention: MultiHeadAttention, sources: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    """Project all at once and cut (n, heads·d) into (heads, n, d) without a transpose: heads mix up the tokens."""
    return tuple(
        (x @ w + b).reshape(attention.heads, len(x), w.shape[1] // attention.heads)
        for x, (w, b) in zip(sources, _affine(attention), strict=True)
    )


def _output(frame: HeadsFrame, attention: MultiHeadAttention, parts: tuple[FloatArray, ...]) -> FloatArray:
    setup = frame.setup
    scale = None if setup.scaled else 1.0
    found = [
        QueryKeyMap(q, k, mask=frame.mask, scale=scale, temperature=setup.temperature, hard=setup.hard).output(v)
        for q, k, v in zip(*parts, strict=True)
    ]
    return attention.project_output(np.stack(found))


def reshape_report(frame: HeadsFrame) -> CheckReport:
    """Compare the three ways and say which are the same."""
    check = reshape_check(frame)
    rows: tuple[tuple[str, float], ...] = (
        ("loop over heads", 0.0),
        ("reshape, then transpose", check.reshaped),
        ("reshape(h, n, d) alone", check.buggy),
    )
    table = CheckTable((("", Form.TEXT), ("max diff.", Form.SIZE)), rows, "From the loop over heads", 2)
    note = (
        f"This compares {whole_layer(frame)}, whose largest number is {size_text(check.largest)}. All three ways take "
        f"{grouped(check.multiplications)} multiplications for queries, keys and values: reshaping saves calls, not "
        "arithmetic."
    )
    return CheckReport(_result(check), (table,), (note,))


def _result(check: ReshapeCheck) -> str:
    if check.heads == 1:
        return "With one head there is nothing to mix up: all three are the same. Choose more heads."
    same = "no difference" if check.reshaped == 0 else f"difference {size_text(check.reshaped)}, rounding"
    if check.buggy <= ROUNDING * max(1.0, check.largest):
        return f"Reshape and transpose do what the loop does ({same}); here even the faulty reshape does."
    return (
        f"Reshape and transpose do what the loop over heads does ({same}). Without the transpose the output is "
        f"wrong by {size_text(check.buggy)}, without an error message."
    )
