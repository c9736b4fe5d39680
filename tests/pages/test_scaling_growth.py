"""What is measured against d_k."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.model.score_draws import EntryDistribution, ScoreSource
from attention_explorer.pages.lab.scores import scores_picture
from attention_explorer.pages.lab.scores_growth import STOPS, growth_numbers, growth_picture, growth_stream, is_measured
from attention_explorer.pages.lab.scores_state import ScalingPicture, ScalingState

IID = ScalingState(picture=ScalingPicture.GROWTH, draws=600)


@pytest.mark.parametrize(
    "state",
    [
        IID,
        replace(IID, distribution=EntryDistribution.SIGNS),
        replace(IID, source=ScoreSource.PROJECTED, d_model=8, draws=300),
        replace(IID, source=ScoreSource.EMBEDDINGS, draws=300),
    ],
)
def test_the_spread_follows_the_prediction_at_every_d_k(state: ScalingState) -> None:
    picture = growth_picture(state)
    assert [point.d_k for point in picture.points] == list(STOPS)
    for scaled in (False, True):
        predicted = picture.predicted_stds(scaled)
        for measure, std in zip(picture.measures("std", scaled), predicted.tolist(), strict=True):
            assert abs(measure.value - std) <= 5 * measure.error + 1e-12
    np.testing.assert_allclose(
        picture.values("std", False), picture.values("std", True) * np.sqrt(picture.d_ks), rtol=1e-12
    )


def test_raw_weights_sharpen_and_scaled_ones_do_not() -> None:
    picture = growth_picture(IID)
    raw, scaled = picture.values("largest", False), picture.values("largest", True)
    assert raw[-1] > 0.9
    assert np.ptp(scaled) < 0.1
    raw_gradient, scaled_gradient = picture.values("gradient", False), picture.values("gradient", True)
    assert raw_gradient[-1] < 0.2 * scaled_gradient[-1]


def test_it_draws_what_the_picture_of_one_d_k_draws() -> None:
    growth = growth_picture(IID)
    point = growth.points[growth.nearest(48.0)]
    assert point.d_k == 48
    single = scores_picture(replace(IID, d_k=48))
    assert point.raw == single.raw.summary
    assert point.scaled == single.scaled.summary


def test_the_first_picture_has_every_d_k_and_few_draws() -> None:
    uniform = EntryDistribution.UNIFORM
    state = replace(IID, source=ScoreSource.PROJECTED, distribution=uniform, follows=True, draws=2000, seed=5)
    stream = growth_stream(state)
    shares, first = [], None
    for share, picture in stream:
        shares.append(share)
        if picture is not None:
            first = picture
            break
    assert first is not None
    assert len(first.points) == len(STOPS)
    assert max(point.raw.draws for point in first.points) <= 64
    assert not first.is_complete
    assert shares == sorted(shares)
    assert shares[-1] < 0.1


def test_another_d_k_is_only_another_look() -> None:
    state = replace(IID, seed=77, draws=50)
    assert not is_measured(state)
    whole = growth_picture(state)
    assert is_measured(replace(state, d_k=8, scaled=False))
    again = growth_picture(replace(state, d_k=8, scaled=False))
    assert again.points == whole.points
    assert (again.state.d_k, again.state.scaled) == (8, False)


def test_where_one_draw_takes_long_fewer_are_made() -> None:
    state = replace(
        IID, source=ScoreSource.PROJECTED, distribution=EntryDistribution.SIGNS, follows=True, draws=40, keys=2
    )
    picture = growth_picture(state)
    draws = [point.raw.draws for point in picture.points]
    assert draws[0] == 40
    assert draws[-1] == 2**24 // (512 * (2 + 2 * 512)) == 31
    assert picture.is_complete


def test_the_nearest_d_k_is_that_of_a_logarithmic_axis() -> None:
    picture = growth_picture(IID)
    assert STOPS[picture.nearest(90.0)] == 96
    assert STOPS[picture.nearest(0.0)] == 1
    assert STOPS[picture.nearest(5000.0)] == 512


def test_numbers_to_take_away() -> None:
    numbers = growth_numbers(growth_picture(IID))
    assert next(iter(numbers)) == "std_raw"
    assert numbers["std_raw"].shape == (len(STOPS), 2)
    np.testing.assert_array_equal(numbers["d_k"], STOPS)
    np.testing.assert_allclose(numbers["predicted_std_raw"], np.sqrt(STOPS))


def test_what_was_measured_with_one_seed_is_not_shown_for_another() -> None:
    state = replace(IID, draws=4)
    first, second = growth_picture(state), growth_picture(replace(state, seed=state.seed + 1))
    assert not is_measured(replace(state, seed=state.seed + 2))
    assert (first.values("std", False) != second.values("std", False)).all()
    np.testing.assert_array_equal(growth_picture(state).values("std", False), first.values("std", False))
