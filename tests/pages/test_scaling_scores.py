"""Random scores: what is measured is what theory predicts and what the tutorials' settings are known to give."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.model.normal import normal_tail
from attention_explorer.model.score_draws import EntryDistribution, ScoreSetting, ScoreSource
from attention_explorer.model.softmax import entropy, softmax
from attention_explorer.model.softmax_slope import softmax_jacobian
from attention_explorer.pages.lab.score_rows import (
    Measure,
    draws_possible,
    read_rows,
    score_pieces,
    summary,
)
from attention_explorer.pages.lab.scores import (
    bin_edges,
    is_quick,
    predicted_density,
    scores_numbers,
    scores_picture,
    scores_stream,
)
from attention_explorer.pages.lab.scores_state import GainRule, ScalingState

PROJECTED, EMBEDDINGS = ScoreSource.PROJECTED, ScoreSource.EMBEDDINGS
IID = ScalingState(draws=40_000)
FIXED = ScalingState(source=PROJECTED, d_model=8, draws=3000)
TOGETHER = ScalingState(source=PROJECTED, follows=True, draws=3000)
NORMALISED = replace(TOGETHER, rule=GainRule.NORMALISED)
WIDE = ScalingState(source=PROJECTED, d_model=64, draws=3000)
SELF = ScalingState(source=EMBEDDINGS, draws=4000)

# (settings, scaled, d_k, std, mean largest weight, entropy ÷ ln 6), drawn by another program.
TABLE = (
    (IID, True, 2, 0.998, 0.383, 0.844),
    (IID, True, 64, 1.001, 0.419, 0.819),
    (IID, False, 2, 1.41, 0.458, 0.756),
    (IID, False, 64, 8.01, 0.889, 0.156),
    (FIXED, True, 2, 0.723, 0.313, 0.911),
    (FIXED, True, 64, 0.737, 0.337, 0.898),
    (FIXED, False, 2, 1.02, 0.372, 0.851),
    (FIXED, False, 64, 5.77, 0.811, 0.271),
    (TOGETHER, True, 2, 0.197, 0.197, 0.992),
    (TOGETHER, True, 64, 5.77, 0.844, 0.222),
    (NORMALISED, True, 2, 1.07, 0.330, 0.881),
    (NORMALISED, True, 64, 1.00, 0.417, 0.820),
    (WIDE, True, 2, 5.81, 0.775, 0.323),
    (WIDE, True, 64, 5.78, 0.841, 0.226),
    (SELF, True, 2, 1.18, 0.415, 0.799),
    (SELF, True, 64, 3.17, 0.994, 0.022),
)


def assert_agrees(measure: Measure, known: float, digits: int) -> None:
    """Two samples of one size differ by √2 standard errors; four times that is one in 15 000, besides rounding."""
    assert abs(measure.value - known) < 4 * math.sqrt(2) * measure.error + 0.5 * 10.0**-digits


@pytest.mark.parametrize(("state", "scaled", "d_k", "std", "largest", "entropy"), TABLE)
def test_the_settings_of_the_tutorials_give_their_known_numbers(
    state: ScalingState, scaled: bool, d_k: int, std: float, largest: float, entropy: float
) -> None:
    found = scores_picture(replace(state, d_k=d_k)).of(scaled).summary
    assert_agrees(found.std, std, 2 if std > 1.001 or std == 1.0 else 3)
    assert_agrees(found.largest, largest, 3)
    assert_agrees(found.entropy, entropy, 3)
    assert found.std.error < 0.03 * std


def test_with_q_k_and_x_the_same_the_weight_is_on_oneself() -> None:
    for d_k, known in ((2, 0.367), (64, 0.994)):
        own = scores_picture(replace(SELF, d_k=d_k)).scaled.summary.own
        assert own is not None
        assert_agrees(own, known, 3)
    assert scores_picture(ScalingState(draws=100)).scaled.summary.own is None


@pytest.mark.parametrize("d_k", [1, 2, 4, 8, 16, 64, 512])
@pytest.mark.parametrize("distribution", list(EntryDistribution))
def test_the_variance_is_d_k_and_1_after_scaling(d_k: int, distribution: EntryDistribution) -> None:
    picture = scores_picture(ScalingState(d_k=d_k, distribution=distribution, draws=4000))
    raw, scaled = picture.raw.summary.std, picture.scaled.summary.std
    assert abs(raw.value - math.sqrt(d_k)) <= 4.5 * raw.error + 1e-12
    assert abs(scaled.value - 1.0) <= 4.5 * scaled.error + 1e-12
    assert scaled.value == pytest.approx(raw.value / math.sqrt(d_k), rel=1e-12)


@pytest.mark.parametrize("distribution", list(EntryDistribution))
@pytest.mark.parametrize("source", [PROJECTED, EMBEDDINGS])
@pytest.mark.parametrize("keys", [1, 3, 16])
def test_measured_and_predicted_spread_agree(distribution: EntryDistribution, source: ScoreSource, keys: int) -> None:
    state = ScalingState(source=source, distribution=distribution, d_k=16, d_model=12, keys=keys, draws=3000)
    picture = scores_picture(state)
    for scaled in (False, True):
        part = picture.of(scaled)
        assert abs(part.summary.std.value - part.predicted_std) <= 4.5 * part.summary.std.error + 1e-12


@pytest.mark.parametrize("held", [0, 2, 64])
def test_scores_of_tokens_with_themselves_are_on_the_axis_also_where_it_is_held(held) -> None:
    state = ScalingState(source=EMBEDDINGS, draws=50, d_k=512, axis_d_k=held)
    picture = scores_picture(state)
    assert picture.axis_ends(False)[1] > 512
    assert picture.beyond(False) == 0.0
    small = scores_picture(replace(state, d_k=2, axis_d_k=64))
    assert small.axis_ends(False) == scores_picture(replace(state, d_k=64, axis_d_k=64)).axis_ends(False)


def test_at_512_dimensions_nearly_a_fifth_lies_beyond_30() -> None:
    picture = scores_picture(ScalingState(d_k=512, draws=8000))
    predicted = normal_tail(30.0, math.sqrt(512))
    assert predicted == pytest.approx(0.185, abs=5e-4)
    tail = picture.raw.summary.tail
    assert abs(tail.value - predicted) < 4 * tail.error
    assert tail.error < 0.004
    assert picture.scaled.summary.tail == Measure(0.0, 0.0)


def test_at_512_dimensions_and_10_keys_raw_rows_are_saturated() -> None:
    picture = scores_picture(ScalingState(d_k=512, keys=10, draws=8000))
    raw, scaled = picture.raw.summary, picture.scaled.summary
    assert_agrees(raw.saturated, 0.72, 2)
    assert scaled.saturated.value == 0.0
    assert_agrees(scaled.slope, 0.208, 3)
    assert raw.slope.value == pytest.approx(9.2e-5, abs=4 * math.sqrt(2) * raw.slope.error)
    few = scores_picture(ScalingState(d_k=512, draws=8000))
    assert_agrees(few.raw.summary.largest, 0.960, 3)
    assert_agrees(few.scaled.summary.largest, 0.421, 3)


def test_at_64_dimensions_and_10_keys_the_gradient_is_a_fifth() -> None:
    picture = scores_picture(ScalingState(d_k=64, keys=10, draws=8000))
    assert_agrees(picture.raw.summary.slope, 0.042, 3)
    assert_agrees(picture.scaled.summary.slope, 0.206, 3)


def test_a_gain_of_1_saturates_in_spite_of_the_scaling() -> None:
    picture = scores_picture(ScalingState(source=PROJECTED, d_k=8, d_model=8, gain=1.0, draws=3000))
    assert_agrees(picture.scaled.summary.std, 8.10, 2)
    assert_agrees(picture.scaled.summary.largest, 0.856, 3)


def test_he_initialisation_doubles_the_spread() -> None:
    picture = scores_picture(ScalingState(source=PROJECTED, d_k=64, d_model=512, keys=10, rule=GainRule.HE, draws=60))
    assert picture.scaled.predicted_std == pytest.approx(2.0, rel=1e-3)
    assert abs(picture.scaled.summary.std.value - 2.0) < 4 * picture.scaled.summary.std.error
    assert abs(picture.scaled.summary.std.value - 1.0) > 20 * picture.scaled.summary.std.error


# ---- Measuring ----


def test_all_is_measured_as_row_by_row() -> None:
    scores = np.random.default_rng(7).standard_normal((300, 5, 5)) * 2.5
    found, rows = summary(read_rows(scores, has_own=True)), scores.reshape(-1, 5)
    weights = softmax(rows)
    largest = weights.max(axis=1)
    assert found.rows == 1500
    for name, value in (
        ("std", scores.std()),
        ("largest", largest.mean()),
        ("saturated", np.count_nonzero(largest > 0.99) / 1500),
        ("entropy", entropy(weights).mean() / math.log(5)),
        ("gradient", np.mean([np.linalg.norm(softmax_jacobian(row)) for row in rows])),
        ("slope", np.median(largest * (1 - largest))),
        ("own", np.mean([weights[row, row % 5] for row in range(1500)])),
    ):
        assert getattr(found, name).value == pytest.approx(value, rel=1e-12)
    assert found.saturated.value > 0


def test_errors_are_the_spread_from_sample_to_sample() -> None:
    state = ScalingState(source=PROJECTED, d_k=8, d_model=8, draws=400)
    for name in ("std", "largest", "entropy", "gradient"):
        samples = [getattr(scores_picture(replace(state, seed=seed)).scaled.summary, name) for seed in range(40)]
        spread = np.std([sample.value for sample in samples], ddof=1)
        claimed = np.mean([sample.error for sample in samples])
        assert spread == pytest.approx(claimed, rel=0.45)  # the spread of 40 is itself known to 11 %


def test_a_single_draw_has_no_error() -> None:
    part = scores_picture(ScalingState(draws=1, keys=3)).raw.summary
    assert math.isnan(part.largest.error)
    assert part.rows == 1


def test_one_key_takes_all() -> None:
    part = scores_picture(ScalingState(draws=50, keys=1)).scaled.summary
    assert (part.largest.value, part.saturated.value, part.entropy.value, part.gradient.value) == (1.0, 1.0, 0.0, 0.0)


def test_a_gain_of_0_leaves_nothing_but_uniform_weights() -> None:
    picture = scores_picture(ScalingState(source=PROJECTED, gain=0.0, draws=20, d_k=4, d_model=4))
    assert picture.scaled.summary.std == Measure(0.0, 0.0)
    assert picture.scaled.summary.largest.value == pytest.approx(1 / 6)
    assert picture.counts.sum() == picture.scores


# ---- Drawing ----


def test_the_same_seed_has_the_same_first_draws() -> None:
    setting = ScoreSetting(d_k=5)
    few = np.concatenate(list(score_pieces(setting, 50, 3)))
    many = np.concatenate(list(score_pieces(setting, 700, 3)))
    assert len(few) == 50
    assert len(many) == 700
    np.testing.assert_array_equal(many[:50], few)
    other = np.concatenate(list(score_pieces(setting, 50, 4)))
    assert not np.any(other == few)


def test_a_stream_grows_to_the_whole_picture() -> None:
    state = ScalingState(d_k=32, draws=3000, seed=11)
    steps = list(scores_stream(state))
    pictures = [picture for _, picture in steps if picture is not None]
    assert [share for share, _ in steps] == sorted(share for share, _ in steps)
    assert steps[-1][0] == 1.0
    assert pictures[0].raw.summary.draws <= 64
    assert not pictures[0].is_complete
    whole = scores_picture(replace(state, shared_axis=False))
    assert pictures[-1].raw.summary == whole.raw.summary
    np.testing.assert_array_equal(pictures[-1].counts, whole.counts)
    assert not whole.state.shared_axis


def test_what_has_been_drawn_is_not_drawn_again() -> None:
    state = ScalingState(d_k=33, draws=5000, seed=12)
    assert not is_quick(state)
    list(scores_stream(state))
    assert is_quick(replace(state, scaled=False))
    assert is_quick(ScalingState(draws=100))


def test_draws_are_limited_by_what_one_takes() -> None:
    signs = EntryDistribution.SIGNS
    setting = ScoreSetting(ScoreSource.PROJECTED, d_k=512, d_model=512, keys=6, distribution=signs)
    assert setting.numbers_of_a_draw == 512 * (6 + 2 * 512)
    assert replace(setting, distribution=EntryDistribution.NORMAL).numbers_of_a_draw == 6 * (512 + 2 * 512)
    assert draws_possible(setting, 100_000, 2**27) == 2**27 // setting.numbers_of_a_draw
    assert draws_possible(setting, 3, 2**27) == 3
    assert draws_possible(setting, 3, 10) == 1


# ---- Histograms and curves ----


@pytest.mark.parametrize("source", list(ScoreSource))
@pytest.mark.parametrize("distribution", list(EntryDistribution))
@pytest.mark.parametrize("d_k", [1, 7, 64])
def test_histogram_and_curve_are_densities(source: ScoreSource, distribution: EntryDistribution, d_k: int) -> None:
    state = ScalingState(source=source, distribution=distribution, d_k=d_k, d_model=9, draws=400)
    picture = scores_picture(state)
    raw = np.concatenate(list(score_pieces(picture.setting, picture.draws, state.seed)))
    outside = float(np.mean((raw < picture.edges[0]) | (raw > picture.edges[-1])))
    assert outside < 0.03
    for scaled in (False, True):
        edges = picture.bin_edges(scaled)
        held = float((picture.densities(scaled) * np.diff(edges)).sum())
        assert held == pytest.approx(1.0 - outside, abs=1e-12)
        xs = np.linspace(3 * edges[0], 3 * edges[-1], 200_001)
        area = np.trapezoid(predicted_density(picture.setting, scaled, xs), xs)
        assert area == pytest.approx(1.0, abs=1e-3)


def test_bins_of_signs_hold_one_sum_each() -> None:
    setting = ScoreSetting(d_k=6, distribution=EntryDistribution.SIGNS)
    edges = bin_edges(setting)
    middles = 0.5 * (edges[1:] + edges[:-1])
    assert set(np.diff(edges)) == {2.0}
    assert set(range(-6, 7, 2)) <= set(middles)


@pytest.mark.parametrize("distribution", [EntryDistribution.NORMAL, EntryDistribution.SIGNS])
@pytest.mark.parametrize("scaled", [False, True])
def test_the_tail_of_two_humps_is_that_of_the_curve(distribution: EntryDistribution, scaled: bool) -> None:
    picture = scores_picture(ScalingState(source=EMBEDDINGS, d_k=40, distribution=distribution))
    xs = np.linspace(-400.0, 400.0, 800_001)
    density = predicted_density(picture.setting, scaled, xs)
    beyond = np.trapezoid(np.where(np.abs(xs) > 30, density, 0.0), xs)
    assert beyond > 0.14 or scaled
    assert picture.of(scaled).summary.tail.value == pytest.approx(beyond, abs=2e-3)


def test_numbers_to_take_away_are_those_of_the_picture() -> None:
    picture = scores_picture(ScalingState(draws=300))
    numbers = scores_numbers(picture)
    assert next(iter(numbers)) == "histogram"
    np.testing.assert_array_equal(numbers["histogram"][:, 2], picture.counts)
    np.testing.assert_array_equal(
        numbers["std_scaled"], (picture.scaled.summary.std.value, picture.scaled.summary.std.error)
    )
    assert float(numbers["predicted_std_raw"]) == 8.0
    assert numbers["rows_by_largest_weight_raw"].sum() == 300


def test_the_standard_error_of_two_draws() -> None:
    """Largest weights 0.6 and 0.8: mean 0.7, standard deviation 0.2 ÷ √2 (one is taken off the two), ÷ √2 of it."""
    scores = np.log(np.array([[[0.6, 0.4]], [[0.2, 0.8]]]))
    found = summary(read_rows(scores, has_own=False)).largest
    assert (found.value, found.error) == (pytest.approx(0.7), pytest.approx(0.1))


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(("held", "d_k"), [(64, 512), (64, 2), (2, 512)])
def test_what_the_held_axis_leaves_out_is_counted(held: int, d_k: int, shared: bool) -> None:
    state = ScalingState(draws=300, d_k=d_k, axis_d_k=held, shared_axis=shared)
    picture = scores_picture(state)
    raw = np.concatenate(list(score_pieces(picture.setting, picture.draws, state.seed)))
    for scaled, scores in ((False, raw), (True, raw / d_k**0.5)):
        end = picture.axis_ends(scaled)[1]
        assert end == pytest.approx(4.5 if scaled and not shared else 4.5 * held**0.5)
        assert picture.beyond(scaled) == pytest.approx(np.mean(np.abs(scores) > end), abs=0.01)
