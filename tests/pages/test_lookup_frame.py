"""Every number of the Lookup page, against the reference and against arithmetic done in plain Python."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.core.preset import Preset
from attention_explorer.core.role import Role
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.lookup.frame import descended, lookup_frame, nearest_key
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.plane import convex_hull
from attention_explorer.pages.lookup.presets import PRESETS, preset
from attention_explorer.pages.lookup.state import QUERY, Entry, LookupState, Part, ValueKind

quick = settings(max_examples=50, deadline=None)
REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference.json").read_text(encoding="utf-8"))
TWO = REFERENCE["soft_lookup_2key"]
EXACT = {"rel": 1e-12, "abs": 1e-14}
DEFAULT = LookupState()
EACH_PRESET = pytest.mark.parametrize("ready", PRESETS, ids=lambda ready: ready.id)

COORDINATES = st.integers(-40, 40).map(lambda i: i / 10)
VECTORS = st.tuples(COORDINATES, COORDINATES)


@st.composite
def states(draw: st.DrawFn, most_keys: int = 12) -> LookupState:
    entries = draw(st.lists(st.builds(Entry, VECTORS, VECTORS, COORDINATES), min_size=1, max_size=most_keys))
    return LookupState(
        query=draw(VECTORS),
        entries=tuple(entries),
        values=draw(st.sampled_from(ValueKind)),
        temperature=draw(st.sampled_from([0.25, 0.5, 1.0, 3.0])),
        scaled=draw(st.booleans()),
        target=draw(VECTORS),
        target_number=draw(COORDINATES),
    )


def entries_of(keys: list[Any], values: list[Any]) -> tuple[Entry, ...]:
    """Return entries with values of two coordinates or one; the other kind of value is filled with nonsense."""
    wide = len(values[0]) == 2
    return tuple(
        Entry(tuple(key), tuple(value) if wide else (99.0, -99.0), -99.0 if wide else value[0])
        for key, value in zip(keys, values, strict=True)
    )


def reference_state(query: list[float], keys: list[Any], values: list[Any], **changes: Any) -> LookupState:
    kind = ValueKind.VECTORS if len(values[0]) == 2 else ValueKind.NUMBERS
    return LookupState(query=tuple(query), entries=entries_of(keys, values), values=kind, **changes)


def by_hand(state: LookupState) -> tuple[list[float], list[float]]:
    """Return weights and output with the arithmetic of the formula, and nothing else."""
    (x, y), rows = state.query, state.value_rows
    scores = [x * kx + y * ky for kx, ky in state.keys]
    if state.hard:
        winner = scores.index(max(scores))
        return [float(i == winner) for i in range(len(scores))], list(rows[winner])
    below = state.temperature * (math.sqrt(2) if state.scaled else 1.0)
    powers = [math.exp((score - max(scores)) / below) for score in scores]
    weights = [power / math.fsum(powers) for power in powers]
    return weights, [math.fsum(w * row[i] for w, row in zip(weights, rows, strict=True)) for i in range(len(rows[0]))]


# ---- The reference ----


@pytest.mark.parametrize("case", REFERENCE["lookup"]["cases"], ids=lambda case: case["name"])
def test_reference_lookups(case: dict[str, Any]) -> None:
    state = reference_state(case["q"], case["K"], case["V"])
    for name, scaled in (("soft_unscaled", False), ("soft_scaled_sqrt_dk", True)):
        frame = lookup_frame(replace(state, scaled=scaled))
        assert frame.attention.scores.tolist() == pytest.approx(case["scores"], **EXACT)
        assert frame.weights.tolist() == pytest.approx(case[name]["weights"], **EXACT)
        assert frame.output.tolist() == pytest.approx(case[name]["output"], **EXACT)
        other = lookup_frame(replace(state, scaled=not scaled)).rescaled
        assert other.weights.tolist() == pytest.approx(case[name]["weights"], **EXACT)
    hard = lookup_frame(replace(state, hard=True))
    assert hard.weights.tolist().index(1.0) == case["hard"]["argmax_first"]
    assert hard.output.tolist() == case["hard"]["output"]
    assert list(hard.winners) == case["hard"]["tied_indices"]
    assert hard.limit.tolist() == pytest.approx(case["hard"]["zero_temperature_limit_output"], **EXACT)


@pytest.mark.parametrize("case", REFERENCE["three_key"]["cases"], ids=lambda case: str(case["q"]))
def test_reference_three_keys(case: dict[str, Any]) -> None:
    keys, values = REFERENCE["three_key"]["K"], REFERENCE["three_key"]["V"]
    frame = lookup_frame(reference_state(case["q"], keys, values, scaled=True))
    assert frame.weights.tolist() == pytest.approx(case["weights"], **EXACT)
    assert frame.output.tolist() == pytest.approx(case["output"], **EXACT)
    typed = lookup_frame(preset("three-keys").state.moved(QUERY, tuple(case["q"])))
    assert typed.output.tolist() == frame.output.tolist(), "the preset is that example"


def test_reference_gradient_of_the_default() -> None:
    frame = lookup_frame(DEFAULT)
    assert frame.gradient.output.tolist() == [pytest.approx(row, **EXACT) for row in TWO["d_output_d_q"]]
    hard = lookup_frame(replace(DEFAULT, hard=True))
    assert hard.gradient.output.tolist() == TWO["hard_d_output_d_q"]
    assert hard.output.tolist() == TWO["hard_output"]
    assert lookup_frame(replace(DEFAULT, scaled=True)).weights.tolist() == pytest.approx(
        TWO["alpha_if_scaled_sqrt2"], **EXACT
    )


# ---- Plain Python ----


@EACH_PRESET
@pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])
@pytest.mark.parametrize("scaled", [False, True], ids=["as is", "scaled"])
@pytest.mark.parametrize("temperature", [0.1, 1.0, 30.0])
def test_every_preset_by_hand(ready: Preset[LookupState], hard: bool, scaled: bool, temperature: float) -> None:
    for kind in ValueKind:
        state = replace(ready.state, hard=hard, scaled=scaled, temperature=temperature, values=kind)
        weights, output = by_hand(state)
        frame = lookup_frame(state)
        assert frame.weights.tolist() == pytest.approx(weights, **EXACT)
        assert frame.output.tolist() == pytest.approx(output, rel=1e-12, abs=1e-13)


@quick
@given(states())
def test_every_lookup_by_hand(state: LookupState) -> None:
    weights, output = by_hand(state)
    frame = lookup_frame(state)
    assert frame.weights.tolist() == pytest.approx(weights, rel=1e-11, abs=1e-14)
    assert frame.output.tolist() == pytest.approx(output, rel=1e-11, abs=1e-12)
    assert float(frame.weights.sum()) == pytest.approx(1, rel=1e-15, abs=4e-16)
    assert frame.contributions.sum(axis=0).tolist() == pytest.approx(frame.output.tolist(), rel=1e-12, abs=1e-13)
    expected_entropy = -math.fsum(w * math.log(w) for w in weights if w > 0)
    assert frame.entropy == pytest.approx(expected_entropy, rel=1e-9, abs=1e-12)
    assert frame.keys_in_effect == pytest.approx(math.exp(expected_entropy), rel=1e-9)
    assert frame.query_length == math.hypot(*state.query)
    assert frame.key_lengths.tolist() == pytest.approx([math.hypot(*key) for key in state.keys], rel=1e-15)
    assert frame.loss == pytest.approx(
        sum((o - t) ** 2 for o, t in zip(output, state.target_row, strict=True)) / 2, rel=1e-9, abs=1e-12
    )


@quick
@given(states())
def test_hard_lookup_delivers_the_first_of_the_best(state: LookupState) -> None:
    frame = lookup_frame(replace(state, hard=True))
    scores = frame.attention.scores.tolist()
    first = scores.index(max(scores))
    assert frame.weights.tolist() == [float(i == first) for i in range(len(scores))]
    assert frame.output.tolist() == list(state.value_rows[first])
    assert frame.entropy == 0


@quick
@given(states())
def test_the_output_never_leaves_the_hull_of_the_values(state: LookupState) -> None:
    x, y = (*lookup_frame(state).output.tolist(), 0.0)[:2]  # a number lies on the number line
    corners = convex_hull(tuple(row if len(row) == 2 else (row[0], 0.0) for row in state.value_rows))
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True):
        assert (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= -1e-10
    assert min(a for a, _ in corners) - 1e-12 <= x <= max(a for a, _ in corners) + 1e-12


# ---- Numbers that must be true ----


def test_the_default_reads_as_the_tutorial_prints_it() -> None:
    frame = lookup_frame(DEFAULT)
    assert frame.attention.scores.tolist() == pytest.approx([2.92, 0.64], **EXACT)
    assert frame.weights.tolist() == pytest.approx([0.907207046882843, 0.092792953117157], **EXACT)
    assert frame.output.tolist() == pytest.approx([1.7772969125188232, 0.3670273156108826], **EXACT)
    # ∂o/∂q = α₁α₂·d·dᵀ with d = k₁ − k₂ of length 3, and the norm of d·dᵀ is |d|² = 9.
    assert frame.gradient_norm == pytest.approx(9 * 0.907207046882843 * 0.092792953117157, rel=1e-12)
    assert f"{frame.gradient_norm:.4f}" == "0.7576"
    assert lookup_frame(replace(DEFAULT, scaled=True)).weights[0] == pytest.approx(0.8337170833111164, **EXACT)


@pytest.mark.parametrize(
    ("times", "weight"), [(0, 0.5), (0.25, 0.639), (0.5, 0.758), (1, 0.907), (2, 0.990), (4, 0.9999)]
)
def test_a_longer_query_is_a_colder_one(times: float, weight: float) -> None:
    digits = 4 if times == 4 else 3
    longer = lookup_frame(DEFAULT.moved(QUERY, (1.4 * times, 0.6 * times))).weights[0]
    assert round(float(longer), digits) == weight
    if times:
        colder = lookup_frame(DEFAULT.with_temperature(1 / times)).weights[0]
        assert colder == pytest.approx(longer, rel=1e-12)


@pytest.mark.parametrize(
    ("gap", "slope"), [(0, 0.25), (1, 0.1966), (2, 0.1050), (5, 6.65e-3), (10, 4.54e-5), (20, 2.06e-9)]
)
def test_the_gradient_fades_as_the_gap_grows(gap: float, slope: float) -> None:
    state = LookupState(query=(float(gap), 0.0), entries=entries_of([[1.0, 0.0], [0.0, 0.0]], [[1.0], [0.0]]))
    frame = lookup_frame(replace(state, values=ValueKind.NUMBERS))
    assert frame.gradient.weights[0, 0] == pytest.approx(slope, rel=2e-3)
    assert frame.gradient.output[0].tolist() == pytest.approx([slope, 0], rel=2e-3, abs=1e-15)


def test_three_keys_hide_a_tie() -> None:
    frame = lookup_frame(preset("three-keys").state)
    assert [f"{w:.6f}" for w in frame.weights] == ["0.401112", "0.197776", "0.401112"]
    assert [f"{x:.6f}" for x in frame.output] == ["6.016681", "3.983319"]
    assert frame.winners == (0, 2)
    assert frame.tie_is_exact
    assert frame.cosines.tolist() == pytest.approx([1, 0, math.sqrt(0.5)], **EXACT)
    assert frame.limit.tolist() == [7.5, 2.5]


def test_a_query_along_k1_never_passes_the_limit() -> None:
    state, before = preset("three-keys").state, 0.0
    for length in (0.0, 0.1, 1.0, 3.0, 10.0, 30.0, 100.0, 1e4, 1e6):
        frame = lookup_frame(state.moved(QUERY, (length, 0.0)))
        x, y = frame.output.tolist()
        assert before <= x <= 7.5
        assert y >= 2.5
        assert x + y == pytest.approx(10)
        before = x
    assert before == pytest.approx(7.5, abs=1e-12)


def test_a_query_that_really_singles_out_k1() -> None:
    state = preset("three-keys").state.moved(QUERY, (10.0, -10.0))
    assert lookup_frame(state).output.tolist() == pytest.approx([9.995749770829683, 0.004250229170317056], rel=1e-12)
    assert lookup_frame(state).limit.tolist() == [10.0, 0.0]
    assert lookup_frame(replace(state, scaled=False)).output[0] == pytest.approx(9.99977, abs=1e-5)


def test_the_quiz_and_its_typical_slip() -> None:
    frame = lookup_frame(preset("quiz").state)
    assert frame.output.tolist() == pytest.approx([12.689414213699951], rel=1e-15)
    assert frame.weights[0] == pytest.approx(math.e / (math.e + 1), rel=1e-15)
    assert frame.rescaled.output.tolist() == pytest.approx([13.30238450673343], rel=1e-15)
    assert frame.rescaled.weights[0] == pytest.approx(0.6697615493266569, rel=1e-14)


def test_equal_scores_give_exactly_a_third_each() -> None:
    state = preset("equal-scores").state
    frame = lookup_frame(state)
    assert frame.weights.tolist() == [1 / 3] * 3
    assert frame.winners == (0, 1, 2)
    assert frame.keys_in_effect == pytest.approx(3)
    assert frame.output.tolist() == pytest.approx([1.0, 0.1], **EXACT), "the mean of the values"
    for temperature in (0.01, 100.0):
        assert lookup_frame(state.with_temperature(temperature)).weights.tolist() == [1 / 3] * 3


@EACH_PRESET
def test_the_query_at_the_origin_prefers_nothing(ready: Preset[LookupState]) -> None:
    frame = lookup_frame(ready.state.moved(QUERY, (0.0, 0.0)))
    count = len(ready.state.entries)
    assert frame.weights.tolist() == [1 / count] * count
    assert frame.winners == tuple(range(count))
    assert frame.output.tolist() == pytest.approx(frame.values.mean(axis=0).tolist(), **EXACT)


def test_the_long_key_beats_the_aligned_one() -> None:
    state = preset("long-key").state
    frame = lookup_frame(state)
    assert [f"{w:.3f}" for w in frame.weights] == ["0.269", "0.731"]
    assert lookup_frame(replace(state, hard=True)).weights.tolist() == [0.0, 1.0]
    assert frame.attention.scores.tolist() == [1.0, 2.0]
    assert frame.cosines.tolist() == pytest.approx([1.0, 0.8], **EXACT)
    assert int(frame.cosines.argmax()) != int(frame.attention.scores.argmax()), "the rankings differ"
    assert frame.key_lengths.tolist() == [1.0, 2.5]


def test_a_dictionary_misses_what_a_lookup_hardly_notices() -> None:
    state = preset("exact-miss").state
    missed = lookup_frame(state)
    assert missed.exact_match is None
    assert {key: i for i, key in enumerate(state.keys)}.get(state.query) is None, "as a real dict says"
    index, distance = nearest_key(state)
    assert index == 0
    assert distance == pytest.approx(1e-7, rel=1e-8)
    typed = state.moved(QUERY, (1.0, 0.0))
    found = lookup_frame(typed)
    assert found.exact_match == 0
    assert nearest_key(typed) == (0, 0.0)
    moved = math.dist(missed.output.tolist(), found.output.tolist())
    assert 0 < moved < 1e-7


def test_a_dictionary_holds_the_value_of_the_last_of_two_equal_keys() -> None:
    state = LookupState(query=(1.0, 2.0), entries=entries_of([[0, 1], [1.0, 2.0], [1.0, 2.0]], [[1], [2], [3]]))
    found = dict(zip(state.keys, range(3), strict=True))[state.query]
    assert lookup_frame(state).exact_match == found == 2
    assert nearest_key(state) == (1, 0.0)


# ---- Hard lookup across the tie ----


def test_a_hard_lookup_jumps_three_units_across_the_tie() -> None:
    outputs = []
    for degrees in (53.1301, 53.1302):
        angle = math.radians(degrees)
        state = replace(DEFAULT, hard=True).moved(QUERY, (1.5 * math.cos(angle), 1.5 * math.sin(angle)))
        outputs.append(lookup_frame(state).output.tolist())
    assert outputs == [list(DEFAULT.keys[0]), list(DEFAULT.keys[1])]
    assert math.dist(*outputs) == pytest.approx(3.0, abs=1e-12)
    soft = [
        lookup_frame(
            DEFAULT.moved(QUERY, (1.5 * math.cos(math.radians(a)), 1.5 * math.sin(math.radians(a))))
        ).output.tolist()
        for a in (53.1301, 53.1302)
    ]
    assert math.dist(*soft) < 1e-4, "while the soft one slides"


@quick
@given(states())
def test_hard_lookups_have_no_slope(state: LookupState) -> None:
    frame = lookup_frame(replace(state, hard=True))
    assert not frame.gradient.output.any()
    assert not frame.gradient.weights.any()
    assert frame.gradient_norm == 0
    assert frame.loss_gradient.tolist() == [0, 0]


def test_but_moving_the_winning_value_moves_the_output() -> None:
    state = replace(DEFAULT, hard=True)
    assert lookup_frame(state.moved(Part(Role.KEY, 0), (2.5, 0.3))).output.tolist() == [2.5, 0.3]


# ---- Ties ----


def test_an_exact_tie() -> None:
    state = LookupState(query=(0.7, 0.7), entries=entries_of([[1.0, 0.0], [0.0, 1.0], [0.5, 0.0]], [[1], [2], [3]]))
    frame = lookup_frame(state)
    assert frame.winners == (0, 1)
    assert frame.tie_is_exact
    assert lookup_frame(replace(state, hard=True)).weights.tolist() == [1.0, 0.0, 0.0]


def test_a_tie_to_within_rounding() -> None:
    # On paper q·k is 0.1·3 = 0.3·1 for both; as floats the scores are neighbours.
    state = LookupState(query=(0.1, 0.3), entries=entries_of([[0.0, 1.0], [3.0, 0.0]], [[1.0], [2.0]]))
    frame = lookup_frame(state)
    first, second = frame.attention.scores.tolist()
    assert first != second
    assert first == pytest.approx(second, rel=1e-15)
    assert frame.winners == (0, 1)
    assert not frame.tie_is_exact
    assert lookup_frame(replace(state, hard=True)).weights.tolist() == [0.0, 1.0], "the last digit decides"


@pytest.mark.parametrize("gap", [1e-3, 1e-7, 1e-12])
def test_a_gap_that_can_be_typed_is_no_tie(gap: float) -> None:
    state = LookupState(query=(1.0, 1.0), entries=entries_of([[1.0, 0.0], [0.0, 1.0 + gap]], [[1], [2]]))
    assert lookup_frame(state).winners == (1,)


@quick
@given(states())
def test_winners_have_the_highest_scores(state: LookupState) -> None:
    frame = lookup_frame(state)
    tenths = [
        round(10 * state.query[0]) * round(10 * x) + round(10 * state.query[1]) * round(10 * y) for x, y in state.keys
    ]
    assert frame.winners == tuple(i for i, score in enumerate(tenths) if score == max(tenths)), "counted in integers"
    mean = np.mean([state.value_rows[i] for i in frame.winners], axis=0)
    assert frame.limit.tolist() == pytest.approx(mean.tolist(), **EXACT)


# ---- Cosines ----


def test_a_zero_query_has_no_angle() -> None:
    assert np.isnan(lookup_frame(DEFAULT.moved(QUERY, (0.0, 0.0))).cosines).all()


def test_a_zero_key_has_no_angle_and_the_others_keep_theirs() -> None:
    frame = lookup_frame(DEFAULT.moved(Part(Role.KEY, 0), (0.0, 0.0)))
    assert math.isnan(frame.cosines[0])
    expected = 0.64 / (math.hypot(1.4, 0.6) * math.hypot(-0.4, 2.0))
    assert frame.cosines[1] == pytest.approx(expected, rel=1e-12)
    assert frame.weights[0] == pytest.approx(1 / (1 + math.exp(0.64)), rel=1e-12), "a zero key still takes part"


@quick
@given(st.floats(-math.pi, math.pi), st.floats(0.001, 1000), st.floats(0.001, 1000))
def test_cosines_of_parallel_vectors_are_one_and_never_more(angle: float, length: float, other: float) -> None:
    x, y = math.cos(angle), math.sin(angle)
    keys = [[other * x, other * y], [-other * x, -other * y], [-other * y, other * x]]
    state = LookupState(query=(length * x, length * y), entries=entries_of(keys, [[1], [2], [3]]))
    cosines = lookup_frame(state).cosines
    assert cosines.tolist() == pytest.approx([1, -1, 0], abs=1e-12)
    assert abs(cosines).max() <= 1


# ---- Gradients against small moves ----


def moved_by(state: LookupState, axis: int, step: float) -> LookupFrame:
    x, y = state.query
    return lookup_frame(state.moved(QUERY, (x + step, y) if axis == 0 else (x, y + step)))


@quick
@given(states(most_keys=5))
def test_gradients_say_what_small_moves_do(state: LookupState) -> None:
    step = 1e-5
    frame = lookup_frame(state)
    for axis in (0, 1):
        ahead, behind = moved_by(state, axis, step), moved_by(state, axis, -step)
        for stage in ("output", "weights"):
            slope = (getattr(ahead, stage) - getattr(behind, stage)) / (2 * step)
            assert getattr(frame.gradient, stage)[:, axis].tolist() == pytest.approx(slope.tolist(), rel=1e-4, abs=1e-5)
        slope = (ahead.loss - behind.loss) / (2 * step)
        assert frame.loss_gradient[axis] == pytest.approx(slope, rel=1e-4, abs=2e-4)


@EACH_PRESET
def test_loss_gradient_of_the_presets(ready: Preset[LookupState]) -> None:
    for kind in ValueKind:
        state = replace(ready.state, values=kind)
        frame, step = lookup_frame(state), 1e-6
        slopes = [
            (moved_by(state, axis, step).loss - moved_by(state, axis, -step).loss) / (2 * step) for axis in (0, 1)
        ]
        assert frame.loss_gradient.tolist() == pytest.approx(slopes, rel=1e-5, abs=1e-6)


# ---- Descent ----


@quick
@given(states(most_keys=6))
def test_a_small_step_downhill_lowers_the_loss(state: LookupState) -> None:
    state = replace(state, temperature=max(state.temperature, 1.0), rate=0.001)
    before = lookup_frame(state)
    after = lookup_frame(descended(state))
    promised = state.rate * float((before.loss_gradient**2).sum())
    assert after.loss <= before.loss + 1e-12
    if promised > 1e-9:
        assert before.loss - after.loss > promised / 4


def test_a_step_is_the_rate_times_the_gradient() -> None:
    state = preset("descent").state.with_rate(0.25)
    dx, dy = lookup_frame(state).loss_gradient.tolist()
    x, y = state.query
    assert descended(state).query == pytest.approx((x - 0.25 * dx, y - 0.25 * dy), **EXACT)
    assert replace(descended(state), query=state.query) == state, "nothing but q has moved"


def descent_of_the_preset(steps: int) -> list[LookupFrame]:
    frames = [lookup_frame(preset("descent").state)]
    for _ in range(steps):
        frames.append(lookup_frame(descended(frames[-1].state)))
    return frames


def test_the_descent_preset_reaches_its_target_and_stays() -> None:
    frames = descent_of_the_preset(500)
    assert frames[0].loss > 0.1
    assert frames[200].loss < 1e-10
    assert frames[500].output.tolist() == pytest.approx(list(frames[0].state.target), abs=1e-9)


def test_the_descent_preset_walks_downhill_as_it_says() -> None:
    losses = [frame.loss for frame in descent_of_the_preset(200)]
    for earlier, later in pairwise(losses):
        assert later <= earlier + 1e-12


@EACH_PRESET
def test_nothing_is_learned_from_a_hard_lookup(ready: Preset[LookupState]) -> None:
    state = replace(ready.state, hard=True)
    assert descended(state) == state


def test_a_step_out_of_the_plane_is_refused_in_words() -> None:
    far = LookupState(
        query=(0.0, 0.0),
        entries=entries_of([[1000.0, 0.0], [-1000.0, 0.0]], [[1000.0, 0.0], [-1000.0, 0.0]]),
        target=(1e6, 0.0),
        rate=100.0,
    )
    with pytest.raises(ExplorerError, match=r"^q "):
        descended(far)


# ---- The frame itself ----


def test_equal_states_share_one_computation() -> None:
    assert lookup_frame(replace(DEFAULT)) is lookup_frame(LookupState())
    assert lookup_frame(DEFAULT).state == DEFAULT


def test_the_shapes_of_a_frame() -> None:
    for kind, width in ((ValueKind.KEYS, 2), (ValueKind.VECTORS, 2), (ValueKind.NUMBERS, 1)):
        frame = lookup_frame(replace(preset("three-keys").state, values=kind))
        assert frame.keys.shape == (3, 2)
        assert frame.values.shape == frame.contributions.shape == (3, width)
        assert frame.weights.shape == frame.cosines.shape == frame.key_lengths.shape == (3,)
        assert frame.output.shape == frame.limit.shape == frame.residual.shape == (width,)
        assert frame.gradient.output.shape == (width, 2)
        assert frame.gradient.weights.shape == (3, 2)
        assert frame.loss_gradient.shape == (2,)


@pytest.mark.parametrize("temperature", [0.01, 1.0, 100.0])
def test_the_largest_numbers_stay_finite(temperature: float) -> None:
    far = 1e6
    keys = [[far, far], [-far, far], [far, -far], [0.0, 0.0]]
    state = LookupState(query=(far, -far), entries=entries_of(keys, keys), temperature=temperature)
    frame = lookup_frame(state)
    for array in (frame.weights, frame.output, frame.gradient.output, frame.contributions, frame.loss_gradient):
        assert np.isfinite(array).all()
    assert frame.weights.tolist() == [0.0, 0.0, 1.0, 0.0]
    assert math.isfinite(frame.loss)
