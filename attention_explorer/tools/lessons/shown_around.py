"""What lessons can ask of the pages of what is around attention: Positions, Layer and Lab, besides their fields."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.tools.lessons.expression import Chooser, ExpressionError, Group, Member, Members, Shown

# What other pages compute is imported where it is asked for: the lessons are loaded with the window.
if TYPE_CHECKING:
    from attention_explorer.model import ModelSize
    from attention_explorer.pages.lab.bench import BenchPicture
    from attention_explorer.pages.lab.cost_state import CostState
    from attention_explorer.pages.lab.scores_state import ScalingState
    from attention_explorer.pages.layer.boxes import Box
    from attention_explorer.pages.layer.diagram import DiagramPicture
    from attention_explorer.pages.positions.clocks import ClocksPicture
    from attention_explorer.pages.positions.state import PositionsState
    from attention_explorer.pages.stack.state import BlockState

T = TypeVar("T")


def scaling_members(state: ScalingState) -> Members:
    """Return what is known of the scores that are drawn, and of the softmax bench."""
    from attention_explorer.pages.lab.bench import bench_picture
    from attention_explorer.pages.lab.scores import scores_picture

    def drawn(what: str, words: str, *, scaled: bool) -> Callable[[], Member]:
        kind = "scaled" if scaled else "raw"
        return lambda: Shown(getattr(scores_picture(state).of(scaled).summary, what).value, words.format(kind))

    def bench(read: Callable[[BenchPicture], Any], name: str | Callable[..., str]) -> Callable[[], Member]:
        return lambda: Shown(read(bench_picture(state.bench)), name)

    numbers: Members = {}
    for scaled, kind in ((False, "raw"), (True, "scaled")):
        numbers[f"{kind}_std"] = partial(_predicted_std, state, scaled=scaled)
        numbers[f"{kind}_largest"] = drawn("largest", "the mean largest weight of {} scores", scaled=scaled)
        numbers[f"{kind}_saturated"] = drawn("saturated", "the share of sharp rows of {} scores", scaled=scaled)
    return {
        **numbers,
        "bench_scores": bench(lambda b: b.scores[b.row], lambda *i: f"score {_number(i)}".strip()),
        "bench_weights": bench(lambda b: b.weights[b.row].astype(float), lambda *i: f"weight {_number(i)}".strip()),
        "bench_largest": bench(lambda b: b.weights.astype(float).max(axis=1), lambda *i: f"row {_number(i)}".strip()),
        "bench_gap": bench(lambda b: b.gap, "the largest score minus the second"),
        "bench_slope": bench(lambda b: b.slope, "p (1 − p) of the largest weight p"),
        "bench_fault": bench(lambda b: b.fault.value, "sound | NaN | all zero"),
    }


def _predicted_std(state: ScalingState, *, scaled: bool) -> Shown:
    words = f"the predicted standard deviation of {'scaled' if scaled else 'raw'} scores"
    return Shown(state.setting.predicted_std(scaled), words)


def _number(indices: tuple[int, ...]) -> str:
    return str(indices[0] + 1) if indices else ""


def positions_members(state: PositionsState) -> Members:
    """Return what is known of the encoding on show."""
    from attention_explorer.model import alibi_slopes
    from attention_explorer.pages.positions.clocks import clocks_picture
    from attention_explorer.pages.positions.order import order_picture
    from attention_explorer.pages.positions.similarity import similarity_picture

    def hands() -> ClocksPicture:
        picture = clocks_picture(state, (0, 0))
        if picture.reason:
            raise ExpressionError(picture.reason)
        return picture

    def clocks(read: Callable[[ClocksPicture], Any], words: str) -> Callable[[], Member]:
        return lambda: Shown(read(hands()), lambda *i: f"{words} {_number(i)}".strip())

    def slope() -> float:
        return float(alibi_slopes(state.heads)[state.head_shown])

    def curve() -> Shown:
        found = similarity_picture(state).curve
        if found is None:
            raise ExpressionError("this kind of encoding has no vectors to compare")
        return Shown(found, lambda *i: f"how alike two positions are that are {i[0]} apart" if i else "how alike")

    return {
        "angles": clocks(lambda c: c.angles, "the angle at the position, in radians, of hand"),
        "advances": clocks(lambda c: c.advances, "what the shift adds to the angle, in radians, of hand"),
        "wavelengths": clocks(lambda c: c.lengths, "after how many positions it is round, hand"),
        "alike": curve,
        "is_equivariant": lambda: Shown(
            (lambda picture: picture.outcomes[picture.shown].is_equivariant)(order_picture(state)),
            "whether shuffled words give the same outputs, shuffled",
        ),
        "slope": lambda: Shown(slope(), "what ALiBi takes off a score for each position"),
        "penalty": lambda: Shown(slope() * state.shift_shown, "what ALiBi takes off so far away"),
    }


def block_members(state: BlockState) -> Members:
    """Return the arrays of the layer, and what they do to the tokens."""
    from attention_explorer.model.depth import mean_token_cosine
    from attention_explorer.pages.layer.diagram import diagram_picture

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


def cost_members(state: CostState) -> Members:
    """Return what is counted, and how it grows."""
    from attention_explorer.pages.lab.cost_layer import layer_picture

    def counted(read: Callable[[ModelSize], float], words: str) -> Callable[[], Member]:
        return lambda: Shown(read(sizes()), words)

    def sizes() -> ModelSize:
        cost = layer_picture(state).cost
        if cost is None:
            raise ExpressionError(f"Cost on the page Lab refuses its settings: {layer_picture(state).reason}")
        return cost

    def growth(read: Callable[[ModelSize], float], words: str) -> Callable[[], Member]:
        return counted(lambda size: read(size.at(2 * size.tokens)) / read(size), f"{words} when n doubles")

    return {
        "matrix": counted(lambda size: size.matrix_elements, "how many weights the map of one head has"),
        "matrix_bytes": counted(lambda size: size.matrix_bytes, "the bytes of one map"),
        "cache": counted(lambda size: size.cache_elements, "how many numbers the KV cache has"),
        "parameters": counted(lambda size: size.parameters, "how many numbers are learned"),
        "matrix_growth": growth(lambda size: size.matrix_elements, "how much larger a map gets"),
        "layer_growth": growth(_layer_operations, "how much more a layer computes"),
    }


def _layer_operations(size: ModelSize) -> float:
    return size.projection_flops + size.score_flops + size.weighted_value_flops + size.feed_forward_flops
