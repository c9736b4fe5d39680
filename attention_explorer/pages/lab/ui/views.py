"""The views of the Lab page: pictures, main quantities, the few controls, what is in the drawer, what to try."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attention_explorer.kit.frame.view import Try, View
from attention_explorer.model import NormKind, NormPlacement
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.lab.cost_layer import cost_of, reason_without_cost
from attention_explorer.pages.lab.cost_state import CostPicture, CostState, Quantity
from attention_explorer.pages.lab.measure import Measurement
from attention_explorer.pages.lab.scores_state import Precision, ScalingPicture, ScalingState
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.lab.ui.against import AgainstD
from attention_explorer.pages.lab.ui.cost import Cost
from attention_explorer.pages.lab.ui.depth import Depth
from attention_explorer.pages.lab.ui.growth import CostGrowth
from attention_explorer.pages.lab.ui.inputs import Inputs
from attention_explorer.pages.lab.ui.linear import Linear
from attention_explorer.pages.lab.ui.norm import NormSize
from attention_explorer.pages.lab.ui.parts import COST, SCORES, STACK
from attention_explorer.pages.lab.ui.reach import Reach
from attention_explorer.pages.lab.ui.softmax import SoftmaxBench
from attention_explorer.pages.lab.ui.why import Why
from attention_explorer.pages.stack.state import BlockPicture, BlockState
from attention_explorer.sources.tokens import tokens_in

_DRAWN = ("source", "distribution", "keys", "d_model", "follows", "rule", "gain", "draws", "seed")
"""How scores are drawn."""
_SIZES = ("n", "d_model", "heads", "d_k", "d_ff", "layers", "precision", "windowed", "window")
_LAYER = (
    *("sentence", "d_model", "heads", "d_ff", "seed", "embedding_scale", "initialiser", "gain", "norm", "norm_kind"),
    *("eps", "eps_inside_sqrt", "residual", "feed_forward", "activation", "causal", "encoding"),
)


def views(measurement: Callable[[], Measurement | None]) -> tuple[View[Any], ...]:
    """Return the views; ``measurement`` gives what was measured here, which is no part of the state."""
    return (*_of_scores(), *_of_cost(measurement), *_of_layers())


def _of_scores() -> tuple[View[ScalingState], ...]:
    return (
        View(
            LabView.WHY,
            "Why ÷√d",
            "Why scores are divided by √d_k",
            SCORES,
            ScalingPicture.SCORES,
            Why(),
            "d_k",
            more=(*_DRAWN, "scaled", "shared_axis", "holds_axes"),
            tries=(
                Try("Move d_k to 512", lambda state: state.d_k == 512, "d_k"),
                Try("Find a d_k with hardly a winner", lambda state: state.d_k <= 2, "d_k"),
                Try("Make q and k as x·W", lambda state: state.source is ScoreSource.PROJECTED, "source"),
            ),
        ),
        View(
            LabView.AGAINST,
            "Against d",
            "How scores and weights change as d_k grows",
            SCORES,
            ScalingPicture.GROWTH,
            AgainstD(),
            "d_k",
            ("source",),
            (*_DRAWN, "scaled"),
            (
                Try("Make q and k as x·W", lambda state: state.source is ScoreSource.PROJECTED, "source"),
                Try(
                    "Let tokens ask themselves: Q = K = X",
                    lambda state: state.source is ScoreSource.EMBEDDINGS,
                    "source",
                ),
            ),
        ),
        View(
            LabView.SOFTMAX,
            "Softmax",
            "Scores, and what a softmax makes of them",
            SCORES,
            ScalingPicture.BENCH,
            SoftmaxBench(),
            "bench.factor",
            ("bench.rows", "bench.shift"),
            (
                "bench.rows",
                "bench.factor",
                "bench.shift",
                "bench.subtract_max",
                "bench.precision",
                "bench.over_queries",
            ),
            (
                Try("Add 5 to all scores", lambda state: state.bench.shift == 5, "bench.shift"),
                Try("Multiply the scores by 10", lambda state: state.bench.factor >= 10, "bench.factor"),
                Try(
                    "Make exp overflow in float16",
                    lambda state: state.bench.precision is Precision.HALF and not state.bench.subtract_max,
                    "bench.subtract_max",
                ),
            ),
        ),
    )


def _of_cost(measurement: Callable[[], Measurement | None]) -> tuple[View[CostState], ...]:
    return (
        View(
            LabView.COST,
            "Cost",
            "What attention takes, as areas, and what a layer calculates",
            COST,
            CostPicture.LAYER,
            Cost(),
            "n",
            ("windowed", "window"),
            _SIZES,
            (
                Try("Double the number of tokens", lambda state: state.n == 2048, "n"),
                Try("Find n where pairs are half of the work", _is_balanced, "n"),
                Try("Keep it small with a window", lambda state: state.windowed, "windowed"),
            ),
        ),
        View(
            LabView.GROWTH,
            "Growth",
            "How the price grows with the number of tokens, and what this machine takes",
            COST,
            CostPicture.GROWTH,
            CostGrowth(measurement),
            "n",
            ("quantity", "scope"),
            (*_SIZES, "longest_measured"),
            (
                Try("Move n to 100 000 or more", lambda state: state.n >= 100_000, "n"),
                Try("Draw bytes instead", lambda state: state.quantity is Quantity.BYTES, "quantity"),
            ),
        ),
        View(
            LabView.REACH,
            "Reach",
            "How far back a model sees, and in how many steps",
            COST,
            CostPicture.REACH,
            Reach(),
            "decay",
            ("context",),
            ("decay", "context", "n", "d_model", "heads", "windowed", "window"),
            (
                Try("Keep all of a token: ρ = 1", lambda state: state.decay == 1, "decay"),
                Try("See 20 tokens back", lambda state: state.context >= 20, "context"),
            ),
        ),
        View(
            LabView.INPUTS,
            "Inputs",
            "Two inputs of one length: the same operations, different weights",
            COST,
            CostPicture.INPUTS,
            Inputs(),
            "",
            ("sentence", "other_sentence"),
            ("sentence", "other_sentence"),
            (Try("Make one of them longer", _are_of_two_lengths, "sentence"),),
        ),
    )


def _are_of_two_lengths(state: CostState) -> bool:
    return len(tokens_in(state.sentence)) != len(tokens_in(state.other_sentence))


def _is_balanced(state: CostState) -> bool:
    if reason_without_cost(state):
        return False
    cost = cost_of(state)
    return abs(cost.quadratic_flops / cost.layer_flops - 0.5) < 0.02


def _of_layers() -> tuple[View[BlockState], ...]:
    return (
        View(
            LabView.NORM,
            "Norm",
            "What a norm does to rows of any size, with ε under the root and beside it",
            STACK,
            BlockPicture.NORM,
            NormSize(),
            "norm_scale",
            ("norm_kind",),
            ("norm_kind", "eps", "eps_inside_sqrt", "norm_scale", "seed"),
            (
                Try(
                    "Make the row far larger than √ε",
                    lambda state: state.norm_scale >= 100 * state.eps**0.5,
                    "norm_scale",
                ),
                Try("Choose RMS norm", lambda state: state.norm_kind is NormKind.RMS, "norm_kind"),
            ),
        ),
        View(
            LabView.LINEAR,
            "Linear",
            "Scale V, scale X: what follows, and what does not",
            STACK,
            BlockPicture.LINEAR,
            Linear(),
            "factor",
            ("sentence",),
            _LAYER,
            (Try("Turn the sign round", lambda state: state.factor < 0, "factor"),),
        ),
        View(
            LabView.DEPTH,
            "Depth",
            "What becomes of gradient and tokens in a deep stack",
            STACK,
            BlockPicture.DEPTH,
            Depth(),
            "layers",
            ("norm", "residual"),
            ("layers", *_LAYER[1:]),
            (
                Try("Take the residual away", lambda state: not state.residual, "residual"),
                Try("Put the norm before", lambda state: state.norm is NormPlacement.PRE, "norm"),
            ),
        ),
    )
