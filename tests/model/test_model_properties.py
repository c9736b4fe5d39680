"""Properties that hold for all scores, masks and values."""

from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_explorer.model import (
    entropy,
    hard_weights,
    lookup,
    lookup_field,
    lookup_gradient,
    scaled_dot_product_attention,
    softmax,
    tied,
)

Array = np.ndarray
quick = settings(max_examples=150, deadline=None)


def arrays(shape: tuple[int, ...], low: Any = -50.0, high: Any = 50.0) -> st.SearchStrategy[Array]:
    return hnp.arrays(np.float64, shape, elements=st.floats(low, high))


any_logits = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=1, max_dims=3, max_side=5),
    elements=st.floats(allow_nan=False, max_value=1.7976931348623157e308)
    | st.sampled_from([1e308, -1e308, 1.79e308, -1.79e308, -np.inf]),
)
temperatures = st.floats(min_value=5e-324, max_value=1.79e308)


@quick
@given(any_logits, temperatures)
def test_rows_sum_to_one_and_hidden_weights_are_zero(scores: Array, temperature: float) -> None:
    visible = (scores > -np.inf).any(axis=-1)
    for weights in (softmax(scores, temperature=temperature), hard_weights(scores)):
        np.testing.assert_allclose(weights.sum(axis=-1), visible.astype(float), rtol=1e-12)
        assert (weights[np.isneginf(scores)] == 0).all()
        assert ((weights >= 0) & (weights <= 1)).all()


@quick
@given(any_logits)
def test_the_hard_choice_is_the_first_of_the_tied(scores: Array) -> None:
    weights, ties = hard_weights(scores), tied(scores)
    np.testing.assert_array_equal(weights.any(axis=-1), ties.any(axis=-1))
    np.testing.assert_array_equal(weights.argmax(axis=-1), ties.argmax(axis=-1))
    assert (scores[ties] == np.broadcast_to(scores.max(axis=-1, keepdims=True), scores.shape)[ties]).all()


@quick
@given(arrays((3, 4)), st.floats(-1e3, 1e3))
def test_a_constant_added_to_a_row_changes_nothing(scores: Array, constant: float) -> None:
    np.testing.assert_allclose(softmax(scores + constant), softmax(scores), rtol=1e-9, atol=1e-12)


@quick
@given(arrays((2, 5)), st.permutations(range(5)))
def test_the_order_of_the_keys_does_not_matter(scores: Array, order: list[int]) -> None:
    np.testing.assert_allclose(softmax(scores[:, order]), softmax(scores)[:, order], rtol=1e-12)


@quick
@given(arrays((4,), -5, 5))
def test_temperature_zero_is_the_hard_choice(scores: Array) -> None:
    first, second = np.sort(scores)[::-1][:2]
    assume(first - second > 1e-3)
    np.testing.assert_allclose(softmax(scores, temperature=1e-5), hard_weights(scores), atol=1e-12)
    np.testing.assert_allclose(softmax(scores, temperature=1e9), np.full(4, 0.25), atol=1e-6)


@quick
@given(arrays((6,), -20, 20), st.floats(0.05, 20), st.floats(1.01, 5))
def test_entropy_grows_with_temperature(scores: Array, temperature: float, factor: float) -> None:
    cooler, warmer = (entropy(softmax(scores, temperature=t)) for t in (temperature, temperature * factor))
    assert -1e-12 <= cooler <= warmer + 1e-9
    assert warmer <= np.log(6) + 1e-12


@quick
@given(arrays((3, 2)), arrays((4, 2)), arrays((4, 3)), hnp.arrays(np.bool_, (3, 4)), st.booleans())
def test_masked_keys_have_no_influence(q: Array, k: Array, v: Array, mask: Array, hard: bool) -> None:
    found = scaled_dot_product_attention(q, k, v, mask=mask, hard=hard)
    assert (found.weights[~mask] == 0).all()
    np.testing.assert_allclose(found.weights.sum(axis=-1), mask.any(axis=-1).astype(float))
    for i in range(3):
        seen = mask[i]
        alone = scaled_dot_product_attention(q[i : i + 1], k[seen], v[seen], hard=hard)
        if hard and tied(found.masked[i], tolerance=1e-9).sum() > 1:
            continue  # computed alone, a product may round the other way and break the tie
        np.testing.assert_allclose(found.weights[i, seen], alone.weights[0], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.output[i], alone.output[0], rtol=1e-9, atol=1e-10)


@quick
@given(arrays((2,)), arrays((5, 2)), arrays((5, 3), -1e6, 1e6), st.booleans())
def test_the_output_stays_among_the_values(q: Array, keys: Array, values: Array, hard: bool) -> None:
    output = lookup(q, keys, values, hard=hard).output
    slack = 1e-12 * np.abs(values).max() + 1e-322  # halves of the smallest floats round to nothing
    assert (output >= values.min(axis=0) - slack).all()
    assert (output <= values.max(axis=0) + slack).all()


@quick
@given(arrays((2,), -2, 2), arrays((4, 2), -2, 2), arrays((4, 3), -2, 2), st.floats(0.3, 5), st.booleans())
def test_the_gradient_is_the_slope(q: Array, keys: Array, values: Array, temperature: float, scaled: bool) -> None:
    options = {"temperature": temperature, "scaled": scaled}
    gradient = lookup_gradient(q, keys, values, **options)
    step = 1e-5
    for i, move in enumerate(np.eye(2) * step):
        ahead, behind = lookup(q + move, keys, values, **options), lookup(q - move, keys, values, **options)
        np.testing.assert_allclose(
            gradient.output[:, i], (ahead.output - behind.output) / (2 * step), rtol=1e-5, atol=1e-7
        )
        np.testing.assert_allclose(
            gradient.weights[:, i], (ahead.weights - behind.weights) / (2 * step), rtol=1e-5, atol=1e-7
        )
    np.testing.assert_allclose(gradient.weights.sum(axis=0), 0, atol=1e-12)  # the weights go on summing to 1


@quick
@given(arrays((2,)), arrays((4, 2)))
def test_with_keys_as_values_the_gradient_is_a_covariance(q: Array, keys: Array) -> None:
    gradient = lookup_gradient(q, keys, keys).output
    np.testing.assert_allclose(gradient, gradient.T, rtol=1e-9, atol=1e-9)
    assert np.linalg.eigvalsh(gradient).min() > -1e-9 * max(1.0, np.abs(gradient).max())


@quick
@given(arrays((3,)), arrays((4,)), arrays((3, 2)), arrays((3, 2)), st.booleans(), st.floats(0.1, 10))
def test_the_field_is_a_lookup_at_each_point(
    x: Array, y: Array, keys: Array, values: Array, hard: bool, temperature: float
) -> None:
    field = lookup_field(x, y, keys, values, hard=hard, temperature=temperature)
    grid = np.array([[(a, b) for a in x] for b in y])
    points = lookup(grid, keys, values, hard=hard, temperature=temperature)
    np.testing.assert_allclose(field.weights, points.weights, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(field.output, points.output, rtol=1e-10, atol=1e-10)


@quick
@given(arrays((3, 4)), arrays((5, 4)), arrays((5, 2)), st.permutations(range(3)))
def test_permuting_queries_permutes_outputs(q: Array, k: Array, v: Array, order: list[int]) -> None:
    found = scaled_dot_product_attention(q, k, v).output
    again = scaled_dot_product_attention(q[order], k, v).output
    np.testing.assert_allclose(again, found[order], rtol=1e-9, atol=1e-10)
