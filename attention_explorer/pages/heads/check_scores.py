"""What scores say: whether attention is mutual, and that a softmax looks at differences only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.colour_scale import BoolArray, FloatArray
from attention_explorer.core.numerals import signed, size_text, weight_text
from attention_explorer.core.shuffle import rounding_of
from attention_explorer.errors import ExplorerError
from attention_explorer.model import QueryKeyMap, Stage, hard_weights, softmax
from attention_explorer.pages.heads.check_report import (
    CheckReport,
    CheckTable,
    Form,
    left_out,
    listed_rows,
    require_size,
    within,
)
from attention_explorer.pages.heads.frame import HeadsFrame, head_name, heads_frame
from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.pages.heads.wording import one, query_name

# ---- S and Sᵀ ----

ROUNDING = 1e-12
"""Differences below this share of the largest score are rounding."""

LONGEST_NAME = 12
"""Letters of a token that are shown where two of them stand in one line."""

SAME = 5e-4
"""Weights closer than this are written the same."""


@dataclass(frozen=True, slots=True)
class SymmetryCheck:
    """How far a head is from mutual, and how far it would be if its keys were its queries (W_k = W_q)."""

    pair: tuple[int, int]
    scores: tuple[float, float]  # scaled, of the pair and of the way back
    weights: tuple[float, float]
    score_gap: float  # max |S − Sᵀ| of the scaled scores
    weight_gap: float  # max |A − Aᵀ|
    tied_score_gap: float
    tied_weight_gap: float
    is_symmetric: bool  # the scores, but for rounding


def symmetry_check(frame: HeadsFrame, row: int | None = None) -> SymmetryCheck:
    """Compare the scores and weights of the chosen head with their transposes.

    The example is a row and the key it attends to most, other than itself.

    Raises
    ------
    ExplorerError
        There are two sentences, fewer than two tokens, or too many.
    """
    require_size(frame)
    if frame.is_cross:
        raise ExplorerError(
            "S and Sᵀ can only be compared in self-attention, where queries and keys belong to the same tokens. Remove "
            "the second sentence."
        )
    if len(frame.queries) < 2:
        raise ExplorerError("It takes two tokens to compare: type a longer sentence.")
    return _symmetry_check(frame.setup, within(row, len(frame.queries)))


@kept
def _symmetry_check(setup: HeadsSetup, row: int | None) -> SymmetryCheck:
    frame = heads_frame(setup)
    map_ = frame.query_key_map
    tied = QueryKeyMap(
        map_.q, map_.q, mask=frame.mask, scale=map_.scale, temperature=setup.temperature, hard=setup.hard
    )
    scores, weights = map_.scores(stage=Stage.SCALED), map_.weights()
    tied_weights = tied.weights()
    there = _example(weights, row)
    back = there[::-1]
    gap = map_.asymmetry()
    return SymmetryCheck(
        there,
        (float(scores[there]), float(scores[back])),
        (float(weights[there]), float(weights[back])),
        gap,
        float(np.abs(weights - weights.T).max()),
        tied.asymmetry(),
        float(np.abs(tied_weights - tied_weights.T).max()),
        gap <= rounding_of(scores, ROUNDING) * max(1.0, float(np.abs(scores).max())),
    )


def _example(weights: FloatArray, row: int | None) -> tuple[int, int]:
    """Return a row and its favourite among the others; if none is given, the first row where the way back differs."""
    away = np.where(np.eye(len(weights), dtype=np.bool_), -1.0, weights)
    favourites = away.argmax(axis=1)
    if row is not None:
        return row, int(favourites[row])
    rows = np.arange(len(weights))
    there, back = away[rows, favourites], away[favourites, rows]
    telling = np.flatnonzero((there > 0.0) & (np.abs(there - back) > SAME))
    first = int(telling[0]) if telling.size else 0
    return first, int(favourites[first])


def symmetry_report(frame: HeadsFrame, row: int | None = None) -> CheckReport:
    """Compare S with Sᵀ and say what that means."""
    check = symmetry_check(frame, row)
    note = f"Shown: {head_name(frame, frame.layer, frame.head)}. {_why(frame, check)}"
    return CheckReport(
        _symmetry_in_words(frame, check),
        (_pair_table(frame, check), _gap_table(frame, check)),
        (note, *_mask_note(frame)),
    )


def _why(frame: HeadsFrame, check: SymmetryCheck) -> str:
    own = "an arg max" if frame.setup.hard else "a softmax"
    because = f"every row has {own} of its own"
    if check.is_symmetric:
        reason = frame.source.symmetric_by
        reason = f", as {reason}" if reason else ""
        return f"Here q₁·k₂ is the same number as q₂·k₁ for every pair{reason}. Weights need not be: {because}."
    tied = f"With {frame.source.tie} the scores would be the same both ways"
    if check.tied_weight_gap > ROUNDING:
        tied += f", but the weights would still differ: {because}"
    return f"A token asks with its query and is found by its key, so q₁·k₂ and q₂·k₁ are two numbers. {tied}."


def _symmetry_in_words(frame: HeadsFrame, check: SymmetryCheck) -> str:
    there, back = _names(frame, check)
    pair = f"{there} {weight_text(check.weights[0], 3)}, {back} {weight_text(check.weights[1], 3)}"
    if check.is_symmetric:
        if check.weight_gap <= ROUNDING:
            return f"S is symmetric, and the weights are too: {pair}."
        if abs(check.weights[0] - check.weights[1]) > SAME:
            return f"S is symmetric, but the weights differ: {pair}."
        gap = size_text(check.weight_gap)
        return f"S is symmetric; the weights differ by up to {gap}, though not those of this pair: {pair}."
    if abs(check.weights[0] - check.weights[1]) <= SAME:
        return f"max |S − Sᵀ| = {size_text(check.score_gap)}, though this pair weighs the same both ways: {pair}."
    return f"max |S − Sᵀ| = {size_text(check.score_gap)}, so attention is not mutual. For example {pair}."


def _mask_note(frame: HeadsFrame) -> tuple[str, ...]:
    if frame.mask is None or np.array_equal(frame.mask, frame.mask.T):
        return ()
    return ("The mask hides some pairs one way only, so their weights are 0 one way. S is compared before the mask.",)


def _names(frame: HeadsFrame, check: SymmetryCheck) -> tuple[str, str]:
    first, second = (_shortened(frame.queries[index]) for index in check.pair)
    if first == second:
        first, second = (f"{first} ({frame.count.number(index)})" for index in check.pair)
    return f"{first} → {second}", f"{second} → {first}"


def _shortened(token: str) -> str:
    return token if len(token) <= LONGEST_NAME else f"{token[: LONGEST_NAME - 1]}…"


def _pair_table(frame: HeadsFrame, check: SymmetryCheck) -> CheckTable:
    names = _names(frame, check)
    rows = tuple((name, check.scores[way], check.weights[way]) for way, name in enumerate(names))
    columns = (("query → key", Form.TEXT), ("scaled score", Form.SIGNED), ("weight", Form.WEIGHT))
    return CheckTable(columns, rows, "One pair, both ways")


def _gap_table(frame: HeadsFrame, check: SymmetryCheck) -> CheckTable:
    rows = (
        ("scores, max |S − Sᵀ|", check.score_gap, check.tied_score_gap),
        ("weights, max |A − Aᵀ|", check.weight_gap, check.tied_weight_gap),
    )
    columns = (("", Form.TEXT), ("as it is", Form.SIZE), (frame.source.tie, Form.SIZE))
    return CheckTable(columns, rows, "All pairs")


# ---- Add a constant to every score of a row: no weight moves ----


@dataclass(frozen=True, slots=True, eq=False)
class ConstantCheck:
    """One row of scores and its weights, before and after a constant was added."""

    row: int
    constant: float
    scores: FloatArray  # scaled, (n_k,)
    visible: BoolArray  # (n_k,)
    before: FloatArray  # weights, (n_k,)
    after: FloatArray  # weights of scores + constant, (n_k,)

    @property
    def gap(self) -> float:
        """How far any weight moved."""
        return float(np.abs(self.after - self.before).max())


def constant_check(frame: HeadsFrame, row: int | None, constant: float) -> ConstantCheck:
    """Add a constant to the scaled scores of a query of the chosen head; the last query, if none is given.

    Raises
    ------
    ExplorerError
        There are too many tokens, or none.
    """
    require_size(frame)
    asked = within(row, len(frame.queries))
    chosen = len(frame.queries) - 1 if asked is None else asked
    scores = frame.head_map.scores(one(chosen), stage=Stage.SCALED)[0]
    visible = np.ones(len(scores), np.bool_) if frame.mask is None else frame.mask[chosen]
    shifted = np.where(visible, scores + constant, -np.inf)
    after = hard_weights(shifted) if frame.setup.hard else softmax(shifted, temperature=frame.setup.temperature)
    return ConstantCheck(chosen, constant, scores, visible, frame.head_map.weights(one(chosen))[0], after)


def constant_report(frame: HeadsFrame, row: int | None, constant: float) -> CheckReport:
    """Add a constant to a row and say that the weights stay."""
    check = constant_check(frame, row, constant)
    name = query_name(frame, check.row)
    note = (
        "Only the differences between the scores of a row become weights. So a high score alone does not mean high "
        "relevance."
    )
    return CheckReport(_constant_in_words(check, name), (_constant_table(frame, check),), (note,))


def _constant_in_words(check: ConstantCheck, name: str) -> str:
    done = f"{signed(check.constant, 1)} on every score of {name}"
    if not check.visible.any():
        return f"{name} may attend to nothing: there is no weight to move."
    if check.gap < rounding_of(check.after, ROUNDING):
        return f"{done} moves no weight: what may differ is rounding."
    bits = np.finfo(check.after.dtype).nmant + 1
    return f"{done} moves a weight by {size_text(check.gap)}, as the sums are rounded to {bits} bits."


def _constant_table(frame: HeadsFrame, check: ConstantCheck) -> CheckTable:
    shown = listed_rows(len(check.scores), check.row)
    rows = tuple(
        (
            frame.count.listed(frame.keys, key),
            *(
                (float(check.scores[key]), float(check.scores[key] + check.constant))
                if check.visible[key]
                else ("masked", "masked")
            ),
            float(check.before[key]),
            float(check.after[key]),
        )
        for key in shown
    )
    columns = (
        ("key", Form.TEXT),
        ("score", Form.SIGNED),
        ("+ constant", Form.SIGNED),
        ("weight", Form.WEIGHT),
        ("after", Form.WEIGHT),
    )
    return CheckTable(columns, rows, more=left_out(len(check.scores) - len(shown), "keys"))
