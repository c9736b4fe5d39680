"""The parts of Lab’s state, and its views: pictures, main quantities, few controls, the drawer, what to try."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from attention_explorer.core.declared import with_value
from attention_explorer.kit.form import Written
from attention_explorer.kit.frame.view import Part, Try, View, view_named
from attention_explorer.kit.picture import Picture
from attention_explorer.model import NormKind, NormPlacement
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.lab.bench import parsed_rows, rows_text
from attention_explorer.pages.lab.cost_layer import cost_of, reason_without_cost
from attention_explorer.pages.lab.cost_state import CostState, Quantity
from attention_explorer.pages.lab.measure import Measurement
from attention_explorer.pages.lab.precision import Precision
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.lab.ui.cost import Cost
from attention_explorer.pages.lab.ui.growth import CostGrowth
from attention_explorer.pages.lab.ui.inputs import Inputs
from attention_explorer.pages.lab.ui.layers import Depth, Linear, NormSize
from attention_explorer.pages.lab.ui.reach import Reach
from attention_explorer.pages.lab.ui.softmax import SoftmaxBench
from attention_explorer.pages.lab.ui.why import AgainstD, Why
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.choices import Initialiser
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.tokens import tokens_in

Tries: TypeAlias = tuple[Try[Any], ...]
_DRAWN = ("source", "distribution", "d_k", "d_model", "follows", "rule", "gain", "keys", "seed", "scaled")
"""How scores are drawn, and which of them the page speaks of."""
FACTOR = "bench.factor"
_SIZES = ("n", "d_model", "heads", "d_k", "d_ff", "layers", "precision", "windowed", "window")
_LAYER = (
    *("d_model", "heads", "d_ff", "seed", "embedding_scale", "initialiser", "gain", "norm", "norm_kind"),
    *("eps", "eps_inside_sqrt", "residual", "feed_forward", "activation", "causal", "encoding"),
)
_PROJECTED: Try[Any] = Try("Make q and k as x·W", lambda state: state.source is ScoreSource.PROJECTED, "source")
_MODEL = ("n", "d_model", "heads", "layers", "d_ff")
_SIZED = (*_MODEL, "window", "context")
"""The sizes of a model; and all that are held within their ranges."""
_ROWS = {"bench.rows": Written(rows_text, parsed_rows)}


def _change_scores(state: ScalingState, name: str, value: Any) -> ScalingState:  # noqa: ANN401 # of the type of its field
    if name == "d_k":
        return state.with_d_k(round(value))
    if name == "holds_axes":
        return replace(state, axis_d_k=state.d_k if value else 0)
    return with_value(state, name, value)


def _change_cost(state: CostState, name: str, value: Any) -> CostState:  # noqa: ANN401 # of the type of its field
    if name == "d_k":
        return state.with_d_k(value)
    return state.with_sizes(**{name: value}) if name in _SIZED else with_value(state, name, value)


PARTS: dict[str, Part[Any]] = {
    "scaling": Part("scaling", ScalingState, preset_list("scaling"), _change_scores, _ROWS),
    "cost": Part("cost", CostState, preset_list("cost"), _change_cost, together=_MODEL),
    "block": Part("block", BlockState, preset_list("block")),
}


def views(measurement: Callable[[], Measurement | None]) -> tuple[View[Any], ...]:
    """Return the views; ``measurement`` gives what was measured here, which is no part of the state."""
    return (*_of_scores(), *_of_cost(measurement), *_of_layers())


def view_of(name: LabView) -> View[Any]:
    """Return a view, without what a machine was measured to take."""
    return view_named(views(lambda: None), name)


def _view(
    name: LabView, title: str, tip: str, picture: Picture[Any, Any], main: str, *stands: tuple[Any, ...]
) -> View[Any]:
    return View(name, title, tip, PARTS[name.part], name.picture, picture, main, *stands)


def _of_scores() -> tuple[View[Any], ...]:
    why: Tries = (
        Try("Move d_k to 512", lambda state: state.d_k == 512, "d_k"),
        Try("Find a d_k with scores within ± 1.5", _is_narrow, "d_k"),
        _PROJECTED,
    )
    against: Tries = _PROJECTED, Try("Let tokens ask themselves: Q = K = X", _asks_itself, "source")
    bench: Tries = (
        Try("Add 5 to all scores", lambda state: state.bench.shift == 5, "bench.shift"),
        Try("Multiply the scores by 10", lambda state: state.bench.factor >= 10, "bench.factor"),
        Try("Make exp overflow in float16", _overflows, "bench.subtract_max"),
    )
    axes, scores = ("shared_axis", "holds_axes"), ("bench.rows", "bench.shift")
    how = ("bench.subtract_max", "bench.precision", "bench.over_queries")
    asks = "Why scores are divided by √d_k"
    grows = "How scores and weights change as d_k grows"
    steps = "Scores, and what a softmax makes of them"
    return (
        _view(LabView.WHY, "Why ÷√d", asks, Why(), "d_k", (), (*_DRAWN, "draws", *axes), why, _DRAWN),
        _view(LabView.AGAINST, "Against d", grows, AgainstD(), "d_k", ("source",), (*_DRAWN, "draws"), against, _DRAWN),
        _view(LabView.SOFTMAX, "Softmax", steps, SoftmaxBench(), FACTOR, scores, (*scores, FACTOR, *how), bench),
    )


def _of_cost(measurement: Callable[[], Measurement | None]) -> tuple[View[Any], ...]:
    cost: Tries = (
        Try("Double the tokens, to n = 2048", lambda state: state.n == 2048, "n"),
        Try("Find n where pairs are half of the work", _is_balanced, "n"),
        Try("Keep it small with a window", lambda state: state.windowed, "windowed"),
    )
    growth: Tries = (
        Try("Move n to 100 000 or more", lambda state: state.n >= 100_000, "n"),
        Try("Draw bytes instead", lambda state: state.quantity is Quantity.BYTES, "quantity"),
    )
    reach: Tries = (
        Try("Keep all of a token: ρ = 1", lambda state: state.decay == 1, "decay"),
        Try("See 20 tokens back", lambda state: state.context >= 20, "context"),
    )
    inputs: Tries = (Try("Make one of them longer", _are_of_two_lengths, "sentence"),)
    window, scope, both = ("windowed", "window"), ("quantity", "scope"), ("sentence", "other_sentence")
    far = ("decay", "context", "n", "d_model", "heads", *window)
    areas = "What attention takes, as areas, and what a layer calculates"
    price = "How the price grows with the number of tokens, and what this machine takes"
    back = "How far back a model sees, and in how many steps"
    same = "Two inputs of one length: the same operations, different weights"
    curves = CostGrowth(measurement)
    return (
        _view(LabView.COST, "Cost", areas, Cost(), "n", window, _SIZES, cost),
        _view(LabView.GROWTH, "Growth", price, curves, "n", scope, (*_SIZES, "longest_measured"), growth),
        _view(LabView.REACH, "Reach", back, Reach(), "decay", ("context",), far, reach),
        _view(LabView.INPUTS, "Inputs", same, Inputs(), "", both, both, inputs),
    )


def _of_layers() -> tuple[View[Any], ...]:
    norm: Tries = (
        Try("Make the row far larger than √ε", _is_far_larger, "norm_scale"),
        Try("Choose RMS norm", lambda state: state.norm_kind is NormKind.RMS, "norm_kind"),
    )
    linear: Tries = (Try("Turn the sign round", lambda state: state.factor < 0, "factor"),)
    depth: Tries = (
        Try("Take the norm away", lambda state: state.norm is NormPlacement.NONE, "norm"),
        Try("Make all weights small: 0.02", _has_small_weights, "initialiser"),
        Try("Then take the residual away too", _is_bare, "residual"),
    )
    eps = ("norm_kind", "eps", "eps_inside_sqrt", "norm_scale", "seed")
    rows = "What a norm does to rows of any size, with ε under the root and beside it"
    scaled = "Scale V, scale X: what follows, and what does not"
    deep = "What becomes of gradient and tokens in a deep stack"
    # Depth draws its own rows, and measures with the network: two fields would change nothing there.
    stack = ("layers", *(name for name in _LAYER if name not in ("embedding_scale", "feed_forward")))
    typed, factor = ("sentence", *_LAYER), ("factor",)
    beside = ("norm", "residual", "initialiser")
    switches = ("norm", "norm_kind", "eps", "eps_inside_sqrt", "residual", "causal", "encoding")
    return (
        _view(LabView.NORM, "Norm", rows, NormSize(), "norm_scale", ("norm_kind",), eps, norm),
        _view(LabView.LINEAR, "Linear", scaled, Linear(), "factor", ("sentence",), typed, linear, factor),
        _view(LabView.DEPTH, "Depth", deep, Depth(), "layers", beside, stack, depth, switches),
    )


# ---- Whether something to try is done ----


def _is_narrow(state: ScalingState) -> bool:
    return state.setting.predicted_std(scaled=False) < 1.5


def _asks_itself(state: ScalingState) -> bool:
    return state.source is ScoreSource.EMBEDDINGS


def _overflows(state: ScalingState) -> bool:
    return state.bench.precision is Precision.FLOAT16 and not state.bench.subtract_max


def _are_of_two_lengths(state: CostState) -> bool:
    return len(tokens_in(state.sentence)) != len(tokens_in(state.other_sentence))


def _is_balanced(state: CostState) -> bool:
    if reason_without_cost(state):
        return False
    found = cost_of(state)
    return abs(found.quadratic_flops / found.layer_flops - 0.5) < 0.02


def _has_small_weights(state: BlockState) -> bool:
    return state.initialiser is Initialiser.NUMBER and state.gain <= 0.02


def _is_bare(state: BlockState) -> bool:
    return state.norm is NormPlacement.NONE and not state.residual and _has_small_weights(state)


def _is_far_larger(state: BlockState) -> bool:
    return state.norm_scale >= 100 * math.sqrt(state.eps)
