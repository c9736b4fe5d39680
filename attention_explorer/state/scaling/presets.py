"""Ready-made states of the Scaling page: what to look for in each, and what is true of what tutorials say."""

from __future__ import annotations

from dataclasses import dataclass

from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.state.preset import Preset
from attention_explorer.state.scaling.state import BenchState, GainRule, Precision, ScalingPicture, ScalingState

SENTENCE = "“Drop d_k to 2: weights nearly uniform. Raise it to 64: weights sharpen.”"
"""What one tutorial says of its scaled attention, though it also says that √d_k makes the variance 1 at every d_k."""


@dataclass(frozen=True, slots=True)
class ScalingPreset(Preset[ScalingState]):
    """A starting point with its name, what to look for in it, and what is true of a sentence about it."""

    claim: str
    """What is often said."""
    verdict: str
    """Whether that holds, in a word or two."""
    truth: str
    """What does."""


def _scores(preset: str, **settings: object) -> ScalingState:
    return ScalingState(preset=preset, **settings)  # type: ignore[arg-type]


def _growth(preset: str, **settings: object) -> ScalingState:
    return ScalingState(preset=preset, picture=ScalingPicture.GROWTH, **settings)  # type: ignore[arg-type]


def _bench(preset: str, bench: BenchState) -> ScalingState:
    return ScalingState(preset=preset, picture=ScalingPicture.BENCH, bench=bench)


_PROJECTED, _EMBEDDINGS = ScoreSource.PROJECTED, ScoreSource.EMBEDDINGS

SCALING_PRESETS: tuple[ScalingPreset, ...] = (
    ScalingPreset(
        "variance",
        "Var(q·k) = d_k",
        "Raw scores spread with √d_k = 8, scaled ones with 1. Move d_k: the raw histogram grows, the scaled one stays.",
        _scores("variance"),
        "“More dimensions, larger dot products; dividing by √d_k brings the variance back to 1.”",
        "TRUE",
        "For independent entries of mean 0 and variance 1 the variance of q·k is exactly d_k, whatever their "
        "distribution: try uniform, or ±1. Divided by √d_k it is 1 at every d_k.",
    ),
    ScalingPreset(
        "thirty",
        "d_k = 512: beyond ±30",
        "The shaded tails of the raw scores. No scaled one gets there.",
        _scores("thirty", d_k=512, scaled=False),
        "“At d_k = 512, dot products easily reach ±30 or higher.”",
        "TRUE",
        "Their standard deviation is √512 = 22.63, and 18.5 % of them lie beyond ±30. Scaled, ±30 would be 30 standard "
        "deviations away.",
    ),
    ScalingPreset(
        "saturated",
        "d_k = 512: saturated",
        "The rows by their largest weight: raw ones pile up at 1. Compare one row of weights below it.",
        _scores("saturated", d_k=512, keys=10, scaled=False),
        "“Unscaled, the softmax puts out essentially 0 or 1, and gradients vanish.”",
        "MOSTLY TRUE",
        "With 10 keys 72 % of the raw rows have a weight above 0.99, of the scaled ones none. The median p(1 − p) of "
        "the largest weight is about 1·10⁻⁴ raw and 0.21 scaled: that much gradient is left. Whether training would "
        "stall is not measured here.",
    ),
    ScalingPreset(
        "iid",
        "(a) q, k drawn, scaled",
        "The solid curves are nearly flat: from d_k = 2 to 64 the largest weight goes from 0.384 to 0.417.",
        _growth("iid"),
        SENTENCE,
        "FALSE",
        "Scaled, the standard deviation is 1 at d_k = 2 and at 64, the mean largest weight 0.384 and 0.417; uniform "
        "would be 0.167. What little it moves comes from heavier tails at small d_k (excess kurtosis 6/d_k). Nor are "
        "dot products tiny at d_k = 2: their standard deviation is √2 = 1.41.",
    ),
    ScalingPreset(
        "iid-raw",
        "(a′) q, k drawn, not scaled",
        "The dashed curves: the largest weight goes from 0.458 to 0.887, the entropy from 0.755 to 0.157.",
        _growth("iid-raw", scaled=False),
        SENTENCE,
        "HALF TRUE",
        "Without the scaling weights do sharpen: mean largest weight 0.458 at d_k = 2, 0.887 at 64. But 0.458 is far "
        "from uniform, which would be 0.167.",
    ),
    ScalingPreset(
        "fixed",
        "(b) x·W, d_model = 8",
        "W·0.3 as in that tutorial’s code. The solid curves are flat again, now at about σ_w²·d_model = 0.72.",
        _growth("fixed", source=_PROJECTED, d_model=8, draws=3000),
        SENTENCE,
        "FALSE",
        "With the tutorial’s own code, 8 features and weights of size 0.3, the scaled scores spread by 0.72 to 0.74 "
        "at every d_k, and from 2 to 64 the mean largest weight goes from 0.314 to 0.336 only.",
    ),
    ScalingPreset(
        "fixed-raw",
        "(b′) x·W, d_model = 8, not scaled",
        "The dashed curves: standard deviation 1.02 → 5.92, largest weight 0.370 → 0.814.",
        _growth("fixed-raw", source=_PROJECTED, d_model=8, draws=3000, scaled=False),
        SENTENCE,
        "HALF TRUE",
        "Unscaled, weights sharpen: mean largest weight 0.370 at d_k = 2, 0.814 at 64. “Nearly uniform” they are "
        "nowhere.",
    ),
    ScalingPreset(
        "together",
        "(c) d_model = d_k, W·0.3",
        "Now even the scaled scores grow: 0.198 → 5.77. Watch σ_w: 0.3 is kept while d_model grows.",
        _growth("together", source=_PROJECTED, follows=True, draws=3000),
        SENTENCE,
        "TRUE, for another reason",
        "Mean largest weight 0.197 at 2 and 0.843 at 64, scaled. But the cause is the gain: the scaled spread is about "
        "d_model·σ_w² = 0.09·d_model, because W·0.3 is not made smaller as d_model grows. The number of terms in the "
        "dot product has nothing to do with it; see (c′).",
    ),
    ScalingPreset(
        "together-normalised",
        "(c′) d_model = d_k, W/√d_model",
        "The same with σ_w = 1/√d_model: flat again.",
        _growth("together-normalised", source=_PROJECTED, follows=True, rule=GainRule.NORMALISED, draws=3000),
        SENTENCE,
        "FALSE",
        "With weights normalised by 1/√d_model the scaled spread is 1.10 at d_k = 2 and 1.00 at 64, the mean largest "
        "weight 0.332 and 0.416.",
    ),
    ScalingPreset(
        "wide",
        "(d) x·W, d_model = 64",
        "Saturated at every d_k, in spite of √d_k: the scaled spread is about 64·0.09 = 5.76 throughout.",
        _growth("wide", source=_PROJECTED, d_model=64, draws=3000),
        SENTENCE,
        "FALSE",
        "At d_k = 2 the mean largest weight is 0.773 already, at 64 it is 0.843: sharp everywhere. √d_k takes care of "
        "d_k; nothing here takes care of d_model·σ_w² = 5.76.",
    ),
    ScalingPreset(
        "self",
        "(e) Q = K = X",
        "Scaled and yet sharper and sharper: look at Scores for the second hump, each token with itself.",
        _growth("self", source=_EMBEDDINGS),
        SENTENCE,
        "TRUE, for another reason",
        "Each token attends to itself: x·x = ‖x‖² ≈ d_k, so the scaled diagonal is √d_k. The mean weight on oneself "
        "goes from 0.370 to 0.994, and the mean largest weight from 0.418 with it. Independent queries and keys do not "
        "do that.",
    ),
    ScalingPreset(
        "gain",
        "√d_k and yet saturated: gain 1",
        "W of size 1 and 8 features: the scaled scores spread by about 8, as d_model·σ_w² says.",
        _scores("gain", source=_PROJECTED, d_k=8, d_model=8, gain=1.0, draws=3000),
        "“√d_k keeps the scores in a sane range, regardless of dimension.”",
        "ONLY IF q and k have variance 1",
        "Here they do not: entries of x·W have variance d_model·σ_w² = 8. The scaled scores spread by 8.2, the mean "
        "largest weight of 6 keys is 0.85: saturated in spite of √d_k. Choose σ_w = 1/√d_model and it is cured.",
    ),
    ScalingPreset(
        "he",
        "He initialisation: W·√(2/d_model)",
        "Scaled scores spread by 2, at any size: d_model·σ_w² = 2.",
        _scores("he", source=_PROJECTED, d_k=64, d_model=512, keys=10, rule=GainRule.HE, draws=400),
        "“W · √(2/d_model) is a good start for W_q and W_k.”",
        "NOT 1, BUT 2",
        "He et al. made √(2/d_in) for layers followed by ReLU. In front of a dot product it gives scaled scores with a "
        "standard deviation of 2, not 1. 64 is what the first transformer (512 features, 8 heads) and GPT-2 small "
        "(768, 12) have for d_k; other models have others.",
    ),
    ScalingPreset(
        "gap",
        "Bench: a gap of 10",
        "The curve below the maps: at a gap of 10, p(1 − p) is 4.54·10⁻⁵. Drag a bar and watch the Jacobian go pale.",
        _bench("gap", BenchState(((10.0, 0.0),))),
        "“Once one score stands out, the softmax saturates and its gradient vanishes.”",
        "TRUE",
        "p(1 − p) at gaps 0, 1, 2, 5, 10, 20 is 0.25, 0.197, 0.105, 6.65·10⁻³, 4.54·10⁻⁵, 2.06·10⁻⁹: beyond a few "
        "units it falls by a factor e for every 1.",
    ),
    ScalingPreset(
        "constant",
        "Bench: add a constant",
        "Move “add”: all scores rise, no weight moves. Only differences within a row count.",
        _bench("constant", BenchState(((2.0, 1.0, 0.0, -1.0),), shift=5.0)),
        "“A high score means high relevance.”",
        "TRUE WITHIN A ROW",
        "A score means something next to the other scores of its row only: 7, 6, 5, 4 gives the weights of 2, 1, 0, "
        "−1. That is also why the largest score may be taken away first.",
    ),
    ScalingPreset(
        "overflow",
        "Bench: overflow to NaN",
        "exp(1000) is infinite, ∞/∞ is NaN. Switch “subtract max” on: the same weights as for 0, 1, 2.",
        _bench("overflow", BenchState(((1000.0, 1001.0, 1002.0),), subtract_max=False)),
        "“Skip the max subtraction and big logits give inf, then NaN.”",
        "TRUE, BUT INCOMPLETE",
        "exp overflows above 709.78 in float64, 88.72 in float32, 11.09 in float16. There are two more failures: "
        "−800, −801 gives NaN too (0/0), and the next preset fails without any NaN.",
    ),
    ScalingPreset(
        "silent",
        "Bench: the silent [0, 0]",
        "No NaN anywhere: each exponential is finite, their sum is not, and both weights become 0.",
        _bench("silent", BenchState(((709.5, 709.4),), subtract_max=False)),
        "“Without max subtraction you would notice: you get NaN.”",
        "NOT ALWAYS",
        "exp(709.5) and exp(709.4) are finite, their sum is infinite, and anything finite divided by ∞ is 0. The row "
        "attends to nothing, its gradient is 0, and nothing says so.",
    ),
    ScalingPreset(
        "half",
        "Bench: float16 ends at 11.09",
        "A score of 12 is enough in float16. Try float32, or subtract the largest.",
        _bench("half", BenchState(((12.0, 9.0, 4.0),), precision=Precision.HALF, subtract_max=False)),
        "“Only absurdly large scores overflow.”",
        "FALSE in float16",
        "float16 ends at 65504, so exp overflows above 11.09: of the raw scores at d_k = 512, which spread by 22.63, "
        "31 % are larger.",
    ),
    ScalingPreset(
        "axis",
        "Bench: the wrong axis",
        "Every column sums to 1 and no row does. Switch to “over keys”: the other way round.",
        _bench(
            "axis",
            BenchState(
                ((0.13, -0.13, 0.64, 0.10), (-0.54, 0.36, 1.30, 0.95), (-0.70, -1.27, -0.62, 0.04)), over_queries=True
            ),
        ),
        "“Softmax along the last axis: each query’s weights over the keys sum to 1.”",
        "TRUE",
        "Along the other axis the code runs just as well, but the rows sum to 1.40, 1.96 and 0.64: queries compete for "
        "a key instead of keys for a query. Row sums are the test.",
    ),
)


def scaling_preset(identifier: str) -> ScalingPreset:
    """Return the preset with this id, or the first if there is none."""
    return next((ready for ready in SCALING_PRESETS if ready.id == identifier), SCALING_PRESETS[0])
