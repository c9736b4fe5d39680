"""What lessons can ask of the Layer page besides its fields."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.named import (
    Chooser,
    ExpressionError,
    Group,
    Members,
    Shown,
)
from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.model.depth import mean_token_cosine
from attention_explorer.pages.layer.boxes import Box
from attention_explorer.pages.layer.diagram import DiagramPicture, diagram_picture
from attention_explorer.pages.stack.state import BlockState


def block_members(state: BlockState) -> Members:
    """Return the arrays of the layer, and what they do to the tokens."""

    def picture() -> DiagramPicture:
        try:
            return diagram_picture(state)
        except ExplorerError as error:
            raise ExpressionError(f"the page Layer refuses its settings: {error}") from error

    def array(name: str | int) -> Group:
        boxes = {box.name: box for box in picture().boxes}
        if name not in boxes:
            raise ExpressionError(f"the layer has no array {quoted(str(name))}. {did_you_mean(str(name), boxes)}")
        return _array(boxes[str(name)])

    return {
        "array": lambda: Chooser(array),
        "tokens": lambda: Shown(picture().tokens, "token"),
        "token_count": lambda: Shown(len(picture().tokens), "how many tokens there are"),
        "likeness": lambda: Shown(
            mean_token_cosine(picture().boxes[-1].first), "the mean cosine of two tokens that come out"
        ),
        "norms_before": lambda: Shown(picture().before, "the length of what goes in, token"),
        "norms_after": lambda: Shown(picture().after, "the length of what comes out, token"),
    }


def _array(box: Box) -> Group:
    """Return the shape of an array of the layer, and what its numbers are like."""
    summary, rows = box.summary, np.where(np.isfinite(box.first), box.first, 0.0)
    return Group(
        {
            "shape": lambda: Shown(box.shape, f"the shape of {box.what}, place"),
            "count": lambda: Shown(int(np.prod(box.shape)), f"how many numbers {box.what} has"),
            "mean": lambda: Shown(summary.mean, f"the mean of {box.what}"),
            "std": lambda: Shown(summary.std, f"the standard deviation of {box.what}"),
            "zeros": lambda: Shown(summary.zeros, f"which share of {box.what} is 0"),
            "row_means": lambda: Shown(rows.mean(axis=-1), f"the mean of {box.what}, row"),
            "row_stds": lambda: Shown(rows.std(axis=-1), f"the standard deviation of {box.what}, row"),
        }
    )
