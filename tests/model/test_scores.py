"""Random scores: what scaling by √d_k does and what it does not, against formulas and measured tables."""

import math
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    EntryDistribution,
    Initialiser,
    ScoreSetting,
    ScoreSource,
    draw_scores,
    entropy,
    normal_tail,
    softmax,
    softmax_gradient_norm,
)

DIRECT, PROJECTED, EMBEDDINGS = ScoreSource.DIRECT, ScoreSource.PROJECTED, ScoreSource.EMBEDDINGS


@pytest.mark.parametrize("distribution", list(EntryDistribution))
@pytest.mark.parametrize("source", list(ScoreSource))
def test_predicted_and_measured_deviation(source: ScoreSource, distribution: EntryDistribution) -> None:
    setting = ScoreSetting(source, d_k=12, d_model=8, gain=0.4, keys=4, distribution=distribution)
    scores = draw_scores(setting, 20000, seed=1)
    assert scores.std() == pytest.approx(setting.predicted_std(scaled=False), rel=0.03)
    assert (scores / math.sqrt(12)).std() == pytest.approx(setting.predicted_std(scaled=True), rel=0.03)
    assert scores.shape == (20000, 1 if source is DIRECT else 4, 4)


@pytest.mark.parametrize("distribution", list(EntryDistribution))
def test_entries_have_mean_0_variance_1_and_their_kurtosis(distribution: EntryDistribution) -> None:
    # For one feature the score is the product of two entries: E s² = 1 and E s⁴ = κ².
    scores = draw_scores(ScoreSetting(d_k=1, keys=1, distribution=distribution), 400_000)
    assert scores.mean() == pytest.approx(0.0, abs=0.01)
    assert (scores**2).mean() == pytest.approx(1.0, rel=0.03)
    assert (scores**4).mean() == pytest.approx(distribution.kurtosis**2, rel=0.25)


def test_the_variance_of_the_product_is_d_k_and_scaled_1() -> None:
    for d_k in (1, 2, 4, 8, 16, 64, 512):
        scores = draw_scores(ScoreSetting(d_k=d_k), 8000)
        assert scores.var() == pytest.approx(d_k, rel=0.06)
        assert (scores / math.sqrt(d_k)).std() == pytest.approx(1.0, rel=0.03)


# source, d_model (None: d_k), gain; for d_k 2 and 64: deviation, mean largest weight, entropy / ln 6. Unscaled below.
SCALED = [
    (DIRECT, 64, 0.3, (0.998, 0.383, 0.844), (1.001, 0.419, 0.819)),
    (PROJECTED, 8, 0.3, (0.723, 0.313, 0.911), (0.737, 0.337, 0.898)),
    (PROJECTED, None, 0.3, (0.197, 0.197, 0.992), (5.77, 0.844, 0.222)),
    (PROJECTED, None, Initialiser.NORMALISED, (1.07, 0.330, 0.881), (1.00, 0.417, 0.820)),
    (PROJECTED, 64, 0.3, (5.81, 0.775, 0.323), (5.78, 0.841, 0.226)),
    (EMBEDDINGS, 64, 0.3, (1.18, 0.415, 0.799), (3.17, 0.994, 0.022)),
]
RAW = [
    (DIRECT, 64, 0.3, (1.41, 0.458, 0.756), (8.01, 0.889, 0.156)),
    (PROJECTED, 8, 0.3, (1.02, 0.372, 0.851), (5.77, 0.811, 0.271)),
]


@pytest.mark.parametrize(
    ("case", "scaled"), [*((case, True) for case in SCALED), *((case, False) for case in RAW)], ids=str
)
def test_table_of_d_k_2_and_64(case: Any, scaled: bool) -> None:
    source, d_model, gain, *expected = case
    for d_k, (std, largest, relative) in zip((2, 64), expected, strict=True):
        setting = ScoreSetting(source, d_k, d_model or d_k, gain)
        scores = draw_scores(setting, 12000 if source is DIRECT else 1500, seed=3)
        scores = scores / math.sqrt(d_k) if scaled else scores
        weights = softmax(scores)
        assert scores.std() == pytest.approx(std, rel=0.06)
        assert weights.max(axis=-1).mean() == pytest.approx(largest, abs=0.015)
        assert entropy(weights).mean() / math.log(6) == pytest.approx(relative, abs=0.02)


def test_the_short_way_to_draw_projections_has_the_distribution_of_the_long_one() -> None:
    setting, n, d_model, d_k = ScoreSetting(PROJECTED, 5, 16, 1.0, keys=3), 3, 16, 5
    assert setting.features_drawn == 3
    stream = np.random.default_rng(8)
    x = stream.standard_normal((60_000, n, d_model))
    q, k = (x @ stream.standard_normal((60_000, d_model, d_k)) for _ in range(2))
    long, short = q @ k.swapaxes(1, 2) / d_model, draw_scores(setting, 60_000, seed=9) / d_model

    def moments(s: np.ndarray) -> list[float]:
        """Return what would differ if rows, columns or the diagonal were not tied to one another as they are."""
        own, other, pairs = s[:, 0, 0], s[:, 0, 1], s[:, 1, 0]
        found = [s.std(), (np.abs(other)).mean(), (np.abs(own)).mean(), np.abs(other * pairs).mean()]
        return [*found, np.abs(own * other).mean(), np.abs(own * s[:, 1, 1]).mean(), softmax(s).max(axis=-1).mean()]

    np.testing.assert_allclose(moments(short), moments(long), rtol=0.03)
    assert ScoreSetting(PROJECTED, 5, 2, keys=3).features_drawn == 2
    assert ScoreSetting(PROJECTED, 5, 16, keys=3, distribution=EntryDistribution.SIGNS).features_drawn == 16


def test_without_projections_each_token_attends_to_itself() -> None:
    def own_weight(setting: ScoreSetting) -> float:
        weights = softmax(draw_scores(setting, 3000) / math.sqrt(setting.d_k))
        return float(np.diagonal(weights, axis1=1, axis2=2).mean())

    assert own_weight(ScoreSetting(EMBEDDINGS, 2)) == pytest.approx(0.367, abs=0.015)
    assert own_weight(ScoreSetting(EMBEDDINGS, 64)) == pytest.approx(0.994, abs=0.005)
    assert own_weight(ScoreSetting(PROJECTED, 2, 8)) == pytest.approx(1 / 6, abs=0.015)


def test_512_dimensions() -> None:
    raw = draw_scores(ScoreSetting(d_k=512, keys=10), 8000)
    scaled = raw / math.sqrt(512)
    of_raw, of_scaled = (softmax(scores).max(axis=-1) for scores in (raw, scaled))
    assert (of_raw > 0.99).mean() == pytest.approx(0.72, abs=0.02)
    assert of_scaled.max() < 0.99
    assert np.median(of_scaled * (1 - of_scaled)) == pytest.approx(0.208, abs=0.005)
    assert 3e-5 < np.median(of_raw * (1 - of_raw)) < 3e-4
    assert (np.abs(raw) > 30.0).mean() == pytest.approx(normal_tail(30.0, math.sqrt(512)), abs=0.005)
    assert softmax_gradient_norm(raw).mean() < 0.1 < softmax_gradient_norm(scaled).mean()


def test_draws_are_repeated_by_their_seed_and_reported() -> None:
    setting = ScoreSetting(PROJECTED, 16, 32, keys=3, distribution=EntryDistribution.LAPLACE)
    told: list[float] = []
    draws = draw_scores(setting, 5000, seed=4, report=told.append)
    np.testing.assert_array_equal(draws, draw_scores(setting, 5000, seed=4))
    assert not np.array_equal(draws, draw_scores(setting, 5000, seed=5))
    assert len(told) > 1
    assert told == sorted(told)
    assert told[-1] == 1.0

    def end(_: float) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        draw_scores(setting, 5000, report=end)


@pytest.mark.parametrize(
    ("setting", "draws", "words"),
    [
        (ScoreSetting, 0, "draws must be at least 1, not 0"),
        (lambda: ScoreSetting(d_k=0), 1, "d_k must be at least 1, not 0"),
        (lambda: ScoreSetting(keys=0), 1, "keys must be at least 1, not 0"),
        (lambda: ScoreSetting(gain=-0.3), 1, r"initialiser must be at least 0, not -0\.3"),
        (lambda: ScoreSetting(gain=1e31), 1, "gain must lie between 0 and 1e30"),
        (lambda: ScoreSetting(source="seen"), 1, "source must be 'drawn', 'projected' or 'embeddings', not 'seen'"),
        (lambda: ScoreSetting(distribution="flat"), 1, "distribution must be 'normal', .*, not 'flat'"),
        (lambda: ScoreSetting(keys=1000), 10**6, "1000000 draws make 1000000000 scores, more than"),
    ],
)
def test_draws_that_cannot_be_are_refused(setting: Any, draws: int, words: str) -> None:
    with pytest.raises(ArrayError, match=words):
        draw_scores(setting(), draws)
