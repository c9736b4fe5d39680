"""Add a constant to every score of a row: the softmax looks at differences only, so no weight moves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.core.colour_scale import BoolArray, FloatArray
from attention_explorer.core.numerals import signed, size_text
from attention_explorer.model import Stage, hard_weights, softmax
from attention_explorer.pages.heads.check_report import (
    CheckReport,
    CheckTable,
    Form,
    left_out,
    listed_rows,
    require_size,
    within,
)
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.wording import one, query_name

ROUNDING = 1e-12
"""Differences of weights below this come from the rounding of score + constant."""


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
    return CheckReport(_result(check, name), (_table(frame, check),), (note,))


def _result(check: ConstantCheck, name: str) -> str:
    done = f"{signed(check.constant, 1)} on every score of {name}"
    if not check.visible.any():
        return f"{name} may attend to nothing: there is no weight to move."
    if check.gap == 0:
        return f"{done} moves no weight: they are the same to the last bit."
    if check.gap < ROUNDING:
        return f"{done} moves no weight: the largest difference, {size_text(check.gap)}, is rounding."
    return f"{done} moves a weight by {size_text(check.gap)}, as the sums are rounded to 53 bits."


def _table(frame: HeadsFrame, check: ConstantCheck) -> CheckTable:
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
