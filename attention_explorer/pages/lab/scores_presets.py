"""Ready-made states of the pictures of scores: what to look for in each, and what is true of what tutorials say."""

from __future__ import annotations

from dataclasses import dataclass

from attention_explorer.core.preset import Preset
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.lab.precision import Precision
from attention_explorer.pages.lab.scores_state import BenchState, GainRule, ScalingPicture, ScalingState

SENTENCE = (
    "“… drop d_k to 2 and notice the weights become nearly uniform …” "
    "“Increase d_k to 64 and watch the weights sharpen …”"
)
"""What one tutorial says of its scaled attention, though it also says that √d_k makes the variance 1 at every d_k."""


@dataclass(frozen=True, slots=True)
class ScalingPreset(Preset[ScalingState]):
    """A starting point with its name, what to look for in it, and what is true of a sentence about it."""

    claim: str
    """What a tutorial says, in its own words between quotation marks; or what one might think, without them."""
    verdict: str
    """Whether that holds, in a word or two."""
    truth: str
    """What does."""

    @property
    def truths(self) -> tuple[str, ...]:
        """The sentence, and whether it holds."""
        return self.claim, f"{self.verdict}.", self.truth


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
        "Raw scores spread by √d_k = 8, scaled ones by 1. Move d_k: the axes of the scores hold still, the raw "
        "histogram gets wider or narrower, and the scaled one keeps its width. At d_k = 2 it is more peaked.",
        _scores("variance"),
        "“If the entries of Q and K are roughly standard normal (mean 0, variance 1), then their dot product has "
        "variance d_k.”",
        "TRUE",
        "If the entries are independent, with mean 0 and variance 1, the variance of q·k is exactly d_k, and they need "
        "not be normal: try uniform, or ±1. Dividing by √d_k makes the variance 1 at every d_k.",
    ),
    ScalingPreset(
        "thirty",
        "d_k = 512: beyond ±30",
        "Look at the shaded tails of the raw scores. No scaled score gets that far.",
        _scores("thirty", d_k=512, scaled=False),
        "“With d_k = 512, dot products can easily reach ±30 or higher.”",
        "TRUE",
        "Their standard deviation is √512 = 22.63, and 18.5 % of them lie beyond ±30. For scaled scores, ±30 is 30 "
        "standard deviations away.",
    ),
    ScalingPreset(
        "saturated",
        "d_k = 512: saturated rows",
        "Look at the twelve rows of weights: as they come, one key takes nearly all of most rows.",
        _scores("saturated", d_k=512, keys=10, scaled=False),
        "“When you feed numbers that large into softmax, you get outputs that are essentially 0 or 1 — the softmax has "
        "saturated, and its gradients vanish.”",
        "MOSTLY TRUE",
        "With 10 keys, 72 % of the raw rows have a weight above 0.99, and none of the scaled rows. The median p(1 − p) "
        "of the largest weight, which is the gradient that is left, is about 1·10⁻⁴ raw and 0.21 scaled. Whether "
        "training would stall is not measured here.",
    ),
    ScalingPreset(
        "iid",
        "Curves: q, k drawn, scaled",
        "The solid curve is nearly flat: from d_k = 2 to 64 the largest weight goes from 0.384 to 0.417.",
        _growth("iid"),
        SENTENCE,
        "FALSE",
        "Scaled, the standard deviation is 1 at d_k = 2 and at 64. The mean largest weight is 0.384 and 0.417; uniform "
        "would be 0.167. The small change comes from heavier tails at small d_k (excess kurtosis 6/d_k). Nor are dot "
        "products tiny at d_k = 2: their standard deviation is √2 = 1.41.",
    ),
    ScalingPreset(
        "iid-raw",
        "Curves: q, k drawn, not scaled",
        "Look at the dashed curve: from d_k = 2 to 64 the largest weight goes from 0.458 to 0.887. Point at it for the "
        "entropy, which goes from 0.755 to 0.157.",
        _growth("iid-raw", scaled=False),
        SENTENCE,
        "HALF TRUE",
        "Without the scaling the weights do sharpen: the mean largest weight is 0.458 at d_k = 2 and 0.887 at 64. But "
        "0.458 is far from uniform, which would be 0.167.",
    ),
    ScalingPreset(
        "fixed",
        "Curves: x·W, 8 features, scaled",
        "W·0.3, as in one tutorial’s code. The solid curve is flat again; the standard deviation "
        "is now about d_model·σ_w² = 0.72.",
        _growth("fixed", source=_PROJECTED, d_model=8, draws=3000),
        SENTENCE,
        "FALSE",
        "With the tutorial’s own settings, 8 features and W·0.3, the scaled scores spread by 0.72 to 0.74 at every "
        "d_k, and from 2 to 64 the mean largest weight only goes from 0.314 to 0.336.",
    ),
    ScalingPreset(
        "fixed-raw",
        "Curves: x·W, 8 features, not scaled",
        "Look at the dashed curves: the standard deviation goes from 1.02 to 5.92, the largest weight from 0.370 to "
        "0.814.",
        _growth("fixed-raw", source=_PROJECTED, d_model=8, draws=3000, scaled=False),
        SENTENCE,
        "HALF TRUE",
        "Without the scaling the weights sharpen: the mean largest weight is 0.370 at d_k = 2 and 0.814 at 64. But "
        "they are nowhere near uniform, which would be 0.167.",
    ),
    ScalingPreset(
        "together",
        "Curves: d_model = d_k, W·0.3",
        "Now even the scaled scores grow, from 0.198 to 5.77: σ_w stays 0.3 while d_model grows.",
        _growth("together", source=_PROJECTED, follows=True, draws=3000),
        SENTENCE,
        "TRUE, for another reason",
        "Scaled, the mean largest weight is 0.197 at d_k = 2 and 0.843 at 64. But the cause is the gain: the scaled "
        "scores spread by about d_model·σ_w² = 0.09·d_model, because W·0.3 does not shrink as d_model grows. The "
        "number of terms in the dot product is not the cause: the next preset has as many.",
    ),
    ScalingPreset(
        "together-normalised",
        "Curves: d_model = d_k, W/√d_model",
        "With σ_w = 1/√d_model the solid curve hardly rises: from d_k = 2 to 64 the largest weight goes from 0.332 to "
        "0.416.",
        _growth("together-normalised", source=_PROJECTED, follows=True, rule=GainRule.NORMALISED, draws=3000),
        SENTENCE,
        "FALSE",
        "With σ_w = 1/√d_model the scaled scores spread by 1.10 at d_k = 2 and by 1.00 at 64. The mean largest weight "
        "is 0.332 and 0.416.",
    ),
    ScalingPreset(
        "wide",
        "Curves: x·W, 64 features, scaled",
        "Saturated at every d_k, in spite of √d_k: the scaled scores spread by about 64·0.09 = 5.76 throughout.",
        _growth("wide", source=_PROJECTED, d_model=64, draws=3000),
        SENTENCE,
        "FALSE",
        "The mean largest weight is 0.773 at d_k = 2 and 0.843 at 64: sharp everywhere. √d_k makes up for d_k, but "
        "nothing here makes up for d_model·σ_w² = 5.76.",
    ),
    ScalingPreset(
        "self",
        "Curves: Q = K = X",
        "Scaled, and yet the weights get sharper. Look at Scores for the second hump: each token with itself.",
        _growth("self", source=_EMBEDDINGS),
        SENTENCE,
        "TRUE, for another reason",
        "Each token attends to itself: x·x = ‖x‖² ≈ d_k, so its scaled score with itself is about √d_k. From d_k = 2 "
        "to 64 the mean weight on itself goes from 0.370 to 0.994, and the mean largest weight from 0.418 to 0.994. "
        "Independent queries and keys do not do that.",
    ),
    ScalingPreset(
        "gain",
        "Saturated in spite of √d_k: σ_w = 1",
        "With σ_w = 1 and 8 features the scaled scores spread by about d_model·σ_w² = 8.",
        _scores("gain", source=_PROJECTED, d_k=8, d_model=8, gain=1.0, draws=3000),
        "“Dividing by √d_k keeps the scores in a sane range regardless of dimension.”",
        "ONLY IF q and k have variance 1",
        "Here they do not: entries of x·W have variance d_model·σ_w² = 8. The scaled scores spread by about 8.2, and "
        "the mean largest weight of 6 keys is 0.85: saturated in spite of √d_k. Choose 1/√d_model for σ_w, and it is "
        "not.",
    ),
    ScalingPreset(
        "he",
        "He initialisation: W·√(2/d_model)",
        "Scaled scores spread by about 2 at every d_model: d_model·σ_w² = 2.",
        _scores("he", source=_PROJECTED, d_k=64, d_model=512, keys=10, rule=GainRule.HE, draws=400),
        "You might think that W·√(2/d_model) keeps the scaled scores at a spread of 1.",
        "IT GIVES 2",
        "He et al. derived √(2/d_in) for layers followed by ReLU. In front of a dot product it gives scaled scores "
        "with a standard deviation of 2, not 1. d_k is 64 here, as in the first transformer (512 features, 8 heads) "
        "and in GPT-2 small (768 features, 12 heads).",
    ),
    ScalingPreset(
        "gap",
        "Bench: a gap of 10",
        "Look at the curve beside the bars: at a gap of 10, p(1 − p) is 4.54·10⁻⁵. Drag the lower bar up to the other, "
        "and watch it come back.",
        _bench("gap", BenchState(((10.0, 0.0),))),
        "“Large scores push softmax into a corner where one weight is ~1 and the rest are ~0, and its gradient "
        "vanishes …”",
        "TRUE OF LARGE GAPS between scores",
        "p(1 − p) at gaps 0, 1, 2, 5, 10, 20 is 0.25, 0.197, 0.105, 6.65·10⁻³, 4.54·10⁻⁵, 2.06·10⁻⁹. Beyond a few "
        "units, each unit more divides it by e.",
    ),
    ScalingPreset(
        "constant",
        "Bench: add a constant",
        "Move “add”: all scores shift, and no weight changes. Only differences within a row matter.",
        _bench("constant", BenchState(((2.0, 1.0, 0.0, -1.0),), shift=5.0)),
        "“High score = high relevance.”",
        "TRUE WITHIN A ROW",
        "A score only means something beside the other scores of its row: 7, 6, 5, 4 give the same weights as 2, 1, 0, "
        "−1. That is also why the largest score may be subtracted first.",
    ),
    ScalingPreset(
        "overflow",
        "Bench: overflow to NaN",
        "In float64 exp(1000) overflows to ∞, and ∞ ÷ ∞ is NaN. Switch “subtract max” on: you get the "
        "weights of 0, 1, 2.",
        _bench("overflow", BenchState(((1000.0, 1001.0, 1002.0),), subtract_max=False)),
        '“Skip it and big logits give you inf. This single line is the difference between "works" and "NaN."”',
        "TRUE, BUT INCOMPLETE",
        "exp overflows above 709.78 in float64, 88.72 in float32 and 11.09 in float16. There are two more failures: "
        "−800, −801 give NaN too (0 ÷ 0), and the next preset fails without any NaN.",
    ),
    ScalingPreset(
        "silent",
        "Bench: all weights 0, no NaN",
        "No NaN anywhere: each exponential is finite, their sum is not, and both weights become 0.",
        _bench("silent", BenchState(((709.5, 709.4),), subtract_max=False)),
        "You might think that an overflow always shows as NaN.",
        "NOT ALWAYS",
        "exp(709.5) and exp(709.4) are finite, their sum overflows to ∞, and anything finite divided by ∞ is 0. "
        "The row attends to nothing, its gradient is 0, and nothing says so.",
    ),
    ScalingPreset(
        "half",
        "Bench: overflow in float16",
        "In float16 a score of 12 is enough to overflow. Try float32, or switch “subtract max” on.",
        _bench("half", BenchState(((12.0, 9.0, 4.0),), precision=Precision.FLOAT16, subtract_max=False)),
        "You might think that only absurdly large scores overflow.",
        "FALSE in float16",
        "float16 ends at 65504, so exp overflows above 11.09. Raw scores at d_k = 512 spread by 22.63, and 31 % of "
        "them are larger than that.",
    ),
    ScalingPreset(
        "axis",
        "Bench: the wrong axis",
        "Every column sums to 1, and no row does. Switch to “over keys”, and it is the other way round.",
        _bench(
            "axis",
            BenchState(
                ((0.13, -0.13, 0.64, 0.10), (-0.54, 0.36, 1.30, 0.95), (-0.70, -1.27, -0.62, 0.04)), over_queries=True
            ),
        ),
        "“We normalize along the last axis, so each query's weights over the keys sum to 1.”",
        "TRUE",
        "Along the other axis the code runs just as well, but the rows sum to 1.40, 1.96 and 0.64: queries compete for "
        "a key instead of keys for a query. Check the row sums.",
    ),
)
