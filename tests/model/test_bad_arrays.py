"""Arrays that no one should give: a result that is finite, or an ArrayError. No warning, no other error, for any."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import attention_explorer.model as model
from attention_explorer.errors import ArrayError
from attention_explorer.model import MultiHeadAttention, Norm

quick = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))

FILLINGS: tuple[Callable[[tuple[int, ...]], Any], ...] = (
    lambda shape: np.full(shape, 1.5, object),
    lambda shape: np.full(shape, None),
    lambda shape: np.full(shape, "a"),
    lambda shape: np.full(shape, b"a"),
    lambda shape: np.full(shape, 1 + 2j),
    lambda shape: np.full(shape, np.datetime64("2020-01-01")),
    lambda shape: np.full(shape, np.nan),
    lambda shape: np.full(shape, np.inf),
    lambda shape: np.full(shape, -np.inf),
    lambda shape: np.full(shape, np.finfo(np.float64).max),
    lambda shape: np.full(shape, -np.finfo(np.float32).max, np.float32),
    lambda shape: np.full(shape, 5e-324),
    lambda shape: np.full(shape, 60_000, np.float16),
    lambda shape: np.full(shape, 2**64 - 1, np.uint64),
    lambda shape: np.full(shape, -128, np.int8),
    lambda shape: np.full(shape, 1.0, np.longdouble),
    lambda shape: np.zeros(shape, np.bool_),
    lambda shape: np.zeros(shape).tolist(),
    lambda shape: np.linspace(-1, 1, int(np.prod(shape))).reshape(shape).astype(np.float32),
    lambda shape: np.linspace(-3, 3, int(np.prod(shape))).reshape(shape),
)
SHAPES = [(), (0,), (1,), (4,), (0, 4), (4, 0), (1, 4), (4, 4), (2, 3), (3, 2), (2, 4, 4), (2, 2, 3, 4)]

odd_arrays = st.one_of(
    st.builds(lambda fill, shape: fill(shape), st.sampled_from(FILLINGS), st.sampled_from(SHAPES)),
    st.sampled_from([None, "abc", b"x", 3, True, [1, [2, 3]], [[1, 2], [3]], {}, object(), float("nan"), 10**400, []]),
)
odd_numbers = st.sampled_from(
    [0, 1, 2, 4, -1, 0.5, 1e-320, 1e308, float("nan"), float("inf"), None, "1", True, 10**400, np.float32(2), 1j, []]
)
odd_sizes = st.sampled_from([0, 1, 2, 3, 4, -1, 1.0, float("nan"), None, "2", True, np.int64(3), -(10**30), []])
odd_words = st.sampled_from(["relu", "half", "zz", "", "0.3", "minus infinity", None, 3, float("nan"), []])

# What is about other classes of the package, or shows what becomes of numbers that overflow.
NOT_ARRAYS = {"attend_with_cache", "attention_reverse", "draw_scores", "random_layer", "random_stack", "survey_depth"}
FAULTS_ARE_SHOWN = {"softmax_in_precision", "filled_weights"}
FUNCTIONS = [name for name in model.__all__ if inspect.isfunction(getattr(model, name)) and name not in NOT_ARRAYS]


def argument(parameter: inspect.Parameter) -> st.SearchStrategy[Any]:
    """Return what may be given by mistake for a parameter, by its annotation; flags are left as they are."""
    kind = str(parameter.annotation)
    if parameter.name == "dtype":
        chosen = st.sampled_from([np.float64, np.float32, np.float16, int, "zz", None, object])
    elif "Sequence" in kind:
        chosen = st.lists(odd_arrays, max_size=2) | odd_arrays
    elif "ArrayLike" in kind or "Floats" in kind:
        chosen = odd_arrays
    elif "bool" in kind:
        chosen = st.booleans()
    elif "SupportsIndex" in kind or "int" in kind:
        chosen = odd_sizes
    elif "float" in kind:
        chosen = odd_numbers
    else:
        chosen = odd_words
    return chosen if parameter.default is inspect.Parameter.empty else st.just(parameter.default) | chosen


def has_nan(found: Any) -> bool:
    if isinstance(found, tuple):
        return any(map(has_nan, found))
    return isinstance(found, np.ndarray | float) and bool(np.isnan(found).any())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_argument_leads_to_another_error_or_to_nan(name: str) -> None:
    function = getattr(model, name)
    parameters = inspect.signature(function).parameters.values()

    @quick
    @given(st.fixed_dictionaries({parameter.name: argument(parameter) for parameter in parameters}))
    def attempt(given_: dict[str, Any]) -> None:
        try:
            found = function(**given_)
        except ArrayError:
            return
        floats = [np.asarray(value) for value in given_.values() if isinstance(value, np.ndarray | float)]
        given_nan = any(has_nan(array) for array in floats if array.dtype.kind == "f")
        assert name in FAULTS_ARE_SHOWN or given_nan or not has_nan(found)

    attempt()


BEYOND = np.finfo(np.float64).max


@pytest.mark.parametrize(
    "compute",
    [
        lambda: model.layer_norm([0.0, 0.0, 1.0], gain=[BEYOND] * 3),
        lambda: model.rms_norm([0.0, 1.0], gain=[BEYOND, BEYOND]),
        lambda: model.rollout([np.full((2, 2), BEYOND)] * 2),
        lambda: model.softmax_reverse(np.full(2, BEYOND), np.array([BEYOND, -BEYOND])),
        lambda: model.softmax_reverse(np.ones(2), np.ones(3)),
        lambda: Norm().reverse(np.array([1.0, 2.0]), np.array([BEYOND, -BEYOND])),
        lambda: Norm().reverse(np.ones(2), np.ones(3)),
        lambda: model.padding_mask([1, [2, 3]], 4),
        lambda: model.tile_bounds(2**63, 4),
        lambda: model.initial_gain("0.4", 4, 4),
        lambda: model.initial_gain(np.ones(3), 4, 4),
        lambda: model.rotary(np.ones((1, 2)), [0], layout=np.ones(2)),
        lambda: model.ModelSize(1, None, 1),
        lambda: model.QueryKeyMap(np.eye(2), np.eye(2)).weights(slice("a")),
        lambda: model.QueryKeyMap(np.eye(2), np.eye(2)).weights([0, [1]]),
        lambda: model.filled_weights(np.eye(2), np.ones((2, 2), bool), "nothing"),
    ],
)
def test_what_cannot_be_computed_is_refused(compute: Callable[[], object]) -> None:
    with pytest.raises(ArrayError):
        compute()


def test_derivatives_of_attention_are_finite_or_refused() -> None:
    attention = MultiHeadAttention(*[np.eye(4)] * 4, 2)
    trace = attention(np.ones((3, 4)))
    assert np.isfinite(model.attention_reverse(attention, trace, np.ones((3, 4))).x).all()
    for wrong in (np.ones((2, 4)), np.full((3, 4), np.nan), np.full((3, 4), BEYOND), np.full((3, 4), "a"), None):
        with pytest.raises(ArrayError):
            model.attention_reverse(attention, trace, wrong)
    feed_forward = model.FeedForward(np.eye(4), None, np.full((4, 4), 1e200), None)
    passed = feed_forward(np.ones((3, 4)))
    for wrong in (np.ones((2, 4)), np.full((3, 4), 1e200)):
        with pytest.raises(ArrayError):
            feed_forward.reverse(passed, wrong)


def test_means_and_slopes_at_the_ends_of_the_range() -> None:
    heads = np.full((3, 2, 2), BEYOND)
    assert np.isfinite(model.mean_of_heads(heads)).all()
    assert not np.isnan(model.softmax_jacobian(np.array([1.0, 2.0], np.float32), 1e-320)).any()
    np.testing.assert_array_equal(model.softmax_gradient_norm([5.0, 1.0], 1e-320), 0.0)
    np.testing.assert_array_equal(model.normal_density(np.zeros(1, np.float16), 1e-320), np.inf)
    assert (model.rms_norm(np.ones((1, 2), np.float32), eps=1e308) == 0).all()
