"""A constant on every score of a row, and a mask for each sequence without its head axis."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.model import causal_mask
from attention_explorer.pages.heads.check_heads import broadcast_check, broadcast_report
from attention_explorer.pages.heads.check_row import constant_check, constant_report
from attention_explorer.pages.heads.checks import carry_out, essence
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.parts import Check, Experiment
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsSetup, MaskChoice, MaskKind
from attention_explorer.sources.recipe import ToyRecipe


def frame_of(preset: str, **changes: object):
    return heads_frame(replace(heads_preset(preset).state.setup, **changes))


# ---- A constant ----


@pytest.mark.parametrize("constant", [-50.0, -0.5, 0.0, 7.5, 50.0])
@pytest.mark.parametrize("preset", ["five-token", "causal", "hand-made", "translation"])
def test_no_weight_moves(preset, constant):
    frame = frame_of(preset)
    check = constant_check(frame, 1, constant)
    exponentials = [
        math.exp(score + constant) if seen else 0.0
        for score, seen in zip(check.scores.tolist(), check.visible.tolist(), strict=True)
    ]
    by_hand = [number / math.fsum(exponentials) for number in exponentials]
    np.testing.assert_allclose(check.after, by_hand, rtol=0, atol=1e-14)
    assert check.gap < 1e-14
    np.testing.assert_allclose(check.before, frame.head_map.weights()[1], rtol=0, atol=1e-15)


def test_the_constant_is_really_added():
    """Beside 10¹⁸ no score keeps a digit: all become one number, and the weights even."""
    check = constant_check(frame_of("five-token"), 1, 1e18)
    assert check.after.tolist() == [0.2] * 5
    assert check.gap == pytest.approx(np.abs(check.before - 0.2).max())
    assert check.gap > 1e-3


def test_a_temperature_and_hard_lookup_do_not_mind_either():
    for changes in ({"temperature": 0.3}, {"temperature": 20.0}, {"hard": True}, {"scaled": False}):
        assert constant_check(frame_of("five-token", **changes), 2, 11.0).gap < 1e-14


def test_a_row_that_sees_nothing_has_no_weight_to_move():
    frame = frame_of("causal", mask=MaskChoice(MaskKind.STRICT))
    report = constant_report(frame, 0, 5.0)
    assert report.result == "“The” (1) may attend to nothing: there is no weight to move."
    assert constant_check(frame, 0, 5.0).after.tolist() == [0.0] * 11


def test_the_report_says_what_happened_and_lists_the_row():
    report = constant_report(frame_of("causal"), 2, 5.0)
    assert report.result.startswith("+5.0 on every score of “sat” (3) moves no weight")
    (table,) = report.tables
    first, hidden = table.rows[0], table.rows[4]
    assert first[2] == first[1] + 5.0
    assert first[3] == pytest.approx(first[4], abs=1e-15)
    assert hidden[1:] == ("masked", "masked", 0.0, 0.0)
    assert "differences" in report.notes[0]


def test_the_last_row_is_taken_if_none_is_pinned():
    assert constant_check(frame_of("five-token"), None, 1.0).row == 4
    assert constant_check(frame_of("five-token"), 99, 1.0).row == 4
    experiment = Experiment(Check.CONSTANT, seed=3, constant=2.0)
    assert essence(experiment, 1) == (Experiment(Check.CONSTANT, constant=2.0), 1)
    assert carry_out(frame_of("five-token"), experiment, 1) == constant_report(frame_of("five-token"), 1, 2.0)


# ---- A mask for each sequence ----


def test_the_right_mask_hides_and_the_wrong_one_falls_on_the_heads():
    frame = frame_of("multi-head")
    check = broadcast_check(frame)
    assert (check.sequences, check.heads, check.tokens) == (6, 6, 6)
    scores = np.stack([map_.scores(stage="scaled") for map_ in frame.layers[0].maps[:6]])
    for sequence in (0, 1, 5):
        for head in (0, 3):
            for row in range(6):
                moved = [
                    scores[head, (row - sequence) % 6, (column - sequence) % 6] for column in range(6)
                ]  # tokens moved on by as many places
                for weights, mask in (
                    (check.right, check.masks[sequence]),
                    (check.wrong, check.masks[head]),  # matched from the right: sequence axis on head axis
                ):
                    seen = [math.exp(score) if mask[row, i] else 0.0 for i, score in enumerate(moved)]
                    expected = [number / sum(seen) for number in seen]
                    np.testing.assert_allclose(weights[sequence, head, row], expected, atol=1e-13)


def test_hidden_keys_get_nothing_only_with_the_head_axis():
    check = broadcast_check(frame_of("random-words"))
    assert set(check.largest_hidden(check.right)) == {0.0}
    assert min(check.largest_hidden(check.wrong)) > 0.01
    assert np.array_equal(check.masks[0], causal_mask(11))
    assert check.masks[1].sum() == 11 * 10
    assert "could not be broadcast" in check.refusal


def test_one_head_grows_to_two_in_silence():
    check = broadcast_check(frame_of("five-token"))
    assert check.right.shape == (2, 1, 5, 5)
    assert check.wrong.shape == (2, 2, 5, 5)
    assert "grow to (2, 2, 5, 5)" in broadcast_report(frame_of("five-token")).result


def test_the_report_names_shapes_and_numbers():
    report = broadcast_report(frame_of("random-words"))
    check = broadcast_check(frame_of("random-words"))
    assert "without an error message" in report.result
    assert f"{max(check.largest_hidden(check.wrong)):.3f}" in report.result
    assert report.result.endswith("it gets 0.")
    assert "(6, 1, 11, 11)" in report.notes[0]
    assert [row[1] for row in report.tables[0].rows] == list(check.largest_hidden(check.wrong))


def test_what_cannot_be_batched_says_why():
    with pytest.raises(ExplorerError, match="remove the second sentence"):
        broadcast_check(frame_of("translation"))
    with pytest.raises(ExplorerError, match="nothing to hide"):
        broadcast_check(heads_frame(HeadsSetup(ToyRecipe("one", d_model=4, heads=2))))
