"""Gradients by every parameter against finite differences, in parts and in whole networks."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import DecoderLayer, EncoderLayer, EncoderStack, FeedForward, MultiHeadAttention, Norm
from attention_explorer.model.learning import (
    Batch,
    Network,
    Parameters,
    PlaneNetwork,
    PlaneSetting,
    SequenceNetwork,
    SequenceSetting,
    TranslationNetwork,
    TranslationSetting,
    attention_gradient,
    cross_entropy,
    cross_entropy_reverse,
    decoder_gradient,
    encoder_gradient,
    feed_forward_gradient,
    measure,
    norm_gradient,
    parameters_of,
    stack_gradient,
)

Array = np.ndarray
D, WIDE = 6, 5
NEAR = 1e-6


def random(*shape: int) -> Array:
    return np.random.default_rng([3, *shape]).normal(size=shape) * 0.6


def differences(loss: Callable[[], float], array: Array) -> Array:
    """Central differences of a loss by each entry of an array that it is computed from."""
    found, step = np.zeros(array.shape), 1e-5
    for place in np.ndindex(array.shape):
        before = array[place]
        array[place] = before + step
        above = loss()
        array[place] = before - step
        found[place] = (above - loss()) / (2 * step)
        array[place] = before
    return found


def assert_by_every_parameter(given: dict[str, Array], found: dict[str, Array], loss: Callable[[], float]) -> None:
    assert set(given) == set(found)
    for name, array in given.items():
        np.testing.assert_allclose(found[name], differences(loss, array), atol=NEAR, err_msg=name)


def arrays_of_a_layer(*, norms: int = 2, biases: bool = True, gated: bool = False) -> dict[str, Array]:
    found = {name: random(D, D) + 0.1 * at for at, name in enumerate(("w_q", "w_k", "w_v", "w_o"))}
    found |= {"w1": random(D, WIDE), "b1": random(WIDE), "w2": random(WIDE, D), "b2": random(D)}
    if gated:
        found |= {"w3": random(D, WIDE) + 0.2, "b3": random(WIDE) + 0.3}
    if biases:
        found |= {name: random(D) + 0.1 * at for at, name in enumerate(("b_q", "b_k", "b_v", "b_o"))}
    for number in range(1, norms + 1):
        found |= {f"gain{number}": 1.0 + random(D), f"bias{number}": random(D) + number}
    return found


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("crossed", [False, True])
def test_attention(heads: int, crossed: bool) -> None:
    arrays = {name: array for name, array in arrays_of_a_layer(norms=0).items() if name[1] == "_"}
    attention = MultiHeadAttention(**arrays, heads=heads)
    x, context, d = random(2, 3, D), random(2, 4, D), random(2, 3, D) + 0.1

    def trace() -> Any:
        return attention(x, context if crossed else None)

    def loss() -> float:
        return float((trace().output * d).sum())

    found = attention_gradient(attention, trace(), d)
    assert_by_every_parameter(arrays, found.parameters, loss)
    np.testing.assert_allclose(found.x, differences(loss, x), atol=NEAR)
    if crossed:
        np.testing.assert_allclose(found.context, differences(loss, context), atol=NEAR)


def test_through_a_hard_lookup_nothing_goes_to_queries_and_keys() -> None:
    arrays = {name: array for name, array in arrays_of_a_layer(norms=0).items() if name[1] == "_"}
    attention = MultiHeadAttention(**arrays, heads=2)
    x, d = random(2, 3, D), random(2, 3, D)
    found = attention_gradient(attention, attention(x, hard=True), d)
    for name in ("w_q", "w_k", "b_q", "b_k"):
        assert not found.parameters[name].any()
    assert_by_every_parameter(arrays, found.parameters, lambda: float((attention(x, hard=True).output * d).sum()))


@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu_tanh", "silu_gated"])
def test_feed_forward(activation: str) -> None:
    every = arrays_of_a_layer(norms=0, biases=False, gated=activation == "silu_gated")
    arrays = {name: array for name, array in every.items() if name[1] != "_"}
    network, x, d = FeedForward(**arrays, activation=activation), random(2, 3, D), random(2, 3, D) + 0.1

    def loss() -> float:
        return float((network(x).output * d).sum())

    found = feed_forward_gradient(network, network(x), d)
    assert_by_every_parameter(arrays, found.parameters, loss)
    np.testing.assert_allclose(found.x, differences(loss, x), atol=NEAR)


@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_norm(kind: str) -> None:
    arrays = {"gain": 1.0 + random(D)} | ({"bias": random(D)} if kind == "layer" else {})
    norm, x, d = Norm(kind, **arrays), random(2, 3, D), random(2, 3, D) + 0.1
    assert_by_every_parameter(arrays, norm_gradient(norm, x, d), lambda: float((norm(x) * d).sum()))


@pytest.mark.parametrize("norm", ["pre", "post", "none"])
@pytest.mark.parametrize("residual", [True, False])
def test_encoder_layers_and_stacks(norm: str, residual: bool) -> None:
    arrays = arrays_of_a_layer(norms=0 if norm == "none" else 2)
    layer = EncoderLayer(**arrays, heads=2, norm=norm, residual=residual)
    other = EncoderLayer(**{name: array * 0.9 for name, array in arrays.items()}, heads=3, norm=norm, residual=residual)
    x, d = random(2, 3, D), random(2, 3, D) + 0.1
    found = encoder_gradient(layer, layer(x), d)
    assert_by_every_parameter(arrays, found.parameters, lambda: float((layer(x).output * d).sum()))

    stack = EncoderStack([other, layer])
    whole = stack_gradient(stack, stack(x), d)
    assert set(whole.parameters) == set(parameters_of(stack))

    def loss() -> float:
        return float((stack(x).output * d).sum())

    np.testing.assert_allclose(whole.x, differences(loss, x), atol=NEAR)
    above = {name.removeprefix("1."): array for name, array in whole.parameters.items() if name.startswith("1.")}
    assert_by_every_parameter(arrays, above, loss)


@pytest.mark.parametrize("norm", ["pre", "post", "none"])
def test_decoder_layer(norm: str) -> None:
    every = arrays_of_a_layer(norms=0)
    of_attention = {name: array for name, array in every.items() if name[1] == "_"}
    crossed = {name: array * 1.1 for name, array in of_attention.items()}
    network = {name: array for name, array in every.items() if name[1] != "_"}
    attentions = [MultiHeadAttention(**arrays, heads=2) for arrays in (of_attention, crossed)]
    layer = DecoderLayer(*attentions, FeedForward(**network), norm=norm)
    x, context, d = random(2, 3, D), random(2, 4, D), random(2, 3, D) + 0.1

    def loss() -> float:
        return float((layer(x, context).output * d).sum())

    found = decoder_gradient(layer, layer(x, context), d)
    given = {f"self.{name}": array for name, array in of_attention.items()}
    given |= {f"cross.{name}": array for name, array in crossed.items()} | network
    assert_by_every_parameter(given, found.parameters, loss)
    np.testing.assert_allclose(found.x, differences(loss, x), atol=NEAR)
    np.testing.assert_allclose(found.context, differences(loss, context), atol=NEAR)


NUMBERS = np.random.RandomState(4)
TOKENS, TARGETS = NUMBERS.randint(0, 5, (3, 4)), NUMBERS.randint(-1, 5, (3, 4))
CONTEXT = NUMBERS.randint(0, 6, (3, 3))
SEQUENCES = [
    {"layers": 0},
    {"layers": 2, "heads": 2},
    {"layers": 2, "heads": 2, "d_ff": 7, "causal": True, "norm": "pre"},
    {"d_ff": 7, "norm": "post", "scaled": False, "positions": False},
    {"residual": False},
]
TRANSLATIONS = [{"encoder_layers": 0}, {"encoder_layers": 1, "layers": 2, "d_ff": 5}, {"positions": False}]


def sequence_network(dtype: type = np.float64, **options: Any) -> SequenceNetwork:
    setting = SequenceSetting(vocabulary=5, answers=5, places=4, **({"d_model": D} | options))
    return SequenceNetwork(setting, Parameters(SequenceNetwork.first_parameters(setting, NUMBERS), dtype))


def translation_network(**options: Any) -> TranslationNetwork:
    sizes = {"heads": 2, "d_model": D, "context_vocabulary": 6, "context_places": 3}
    setting = TranslationSetting(vocabulary=5, answers=5, places=4, **sizes, **options)
    return TranslationNetwork(setting, Parameters(TranslationNetwork.first_parameters(setting, NUMBERS), np.float64))


def plane_network(**options: Any) -> PlaneNetwork:
    setting = PlaneSetting(5, **options)
    return PlaneNetwork(setting, Parameters(PlaneNetwork.first_parameters(setting, NUMBERS), np.float64))


@pytest.mark.parametrize(
    ("network", "batch"),
    [
        *((sequence_network(**options), Batch(TOKENS, TARGETS)) for options in SEQUENCES),
        *((translation_network(**options), Batch(TOKENS, TARGETS, CONTEXT)) for options in TRANSLATIONS),
        *((plane_network(scaled=scaled), Batch(TOKENS, TOKENS)) for scaled in (False, True)),
    ],
)
def test_the_loss_of_a_network_by_every_parameter(network: Network, batch: Batch) -> None:
    def loss() -> float:
        return measure(network, batch)[1].loss

    trace, measured = measure(network, batch)
    found = network.gradient(trace, cross_entropy_reverse(measured))
    assert_by_every_parameter(network.parameters.arrays, found, loss)


def test_float32_stays_float32_and_near_float64() -> None:
    exact = sequence_network(layers=2, d_ff=7, norm="pre")
    near = exact.over(Parameters(exact.parameters.arrays, np.float32))
    rows = []
    for network in (exact, near):
        trace, measured = measure(network, Batch(TOKENS, TARGETS))
        gradients = network.gradient(trace, cross_entropy_reverse(measured))
        assert {array.dtype for array in gradients.values()} == {network.parameters.vector.dtype}
        rows.append(network.parameters.row(gradients))
    np.testing.assert_allclose(rows[1], rows[0], atol=2e-6)


@pytest.mark.parametrize("network", [sequence_network(layers=1, heads=2), translation_network(), plane_network()])
def test_a_head_that_is_off_no_longer_tells_anything(network: Network) -> None:
    """A later layer sees only what was there before; with uniform weights a dictionary knows nothing."""
    context = CONTEXT if isinstance(network, TranslationNetwork) else None
    batch = Batch(TOKENS, TOKENS, context)
    heads = network(batch).weights[0].shape[1]
    network = network.over(network.parameters.copy())
    for head in range(heads):
        network.head_rows(0, head)[:] = 0.0
    found = network(batch)
    if isinstance(network, PlaneNetwork):
        np.testing.assert_allclose(found.weights[0], 1 / 5)
        return
    other = np.roll(TOKENS if context is None else CONTEXT, 1, axis=1)
    changed = Batch(TOKENS, TOKENS, other) if context is not None else Batch(np.c_[TOKENS[:, :3], other[:, 3:]], TOKENS)
    kept = np.arange(12).reshape(3, 4)[:, :3].ravel()  # the last place was given another token
    np.testing.assert_allclose(network(changed).logits[kept], found.logits[kept], atol=1e-12)


def test_cross_entropy_against_plain_logarithms() -> None:
    logits, right = random(2, 3, 4) * 5, np.array([[0, 3, 2], [1, 1, 0]])
    measured = cross_entropy(logits, right)
    exponentials = np.exp(logits)
    chosen = [exponentials[at][right[at]] / exponentials[at].sum() for at in np.ndindex(2, 3)]
    assert measured.loss == pytest.approx(-np.mean(np.log(chosen)))
    assert measured.accuracy == np.mean(exponentials.argmax(axis=-1) == right)
    by_logits = differences(lambda: cross_entropy(logits, right).loss, logits)
    np.testing.assert_allclose(cross_entropy_reverse(measured), by_logits, atol=NEAR)
    assert np.isfinite(cross_entropy(np.array([[0.0, 5000.0]]), np.array([0])).loss)


@pytest.mark.parametrize("right", [[4], [-1], [0.0], [[0]], []])
def test_answers_that_there_are_not(right: list[Any]) -> None:
    with pytest.raises(ArrayError, match="targets of shape"):
        cross_entropy(np.zeros((len(right), 4)), np.array(right, dtype=None if right else np.intp))


@pytest.mark.parametrize("tokens", [[[0, 5]], [[-1, 0]], [[0.0]], [[0] * 5]])
def test_sentences_that_do_not_fit(tokens: Any) -> None:
    with pytest.raises(ArrayError, match="token"):
        sequence_network()(Batch(np.array(tokens), np.zeros(np.shape(tokens), np.intp)))


@pytest.mark.parametrize("options", [{"heads": 4}, {"layers": -1}, {"d_model": 0}])
def test_sizes_of_which_no_network_can_be_made(options: dict[str, int]) -> None:
    with pytest.raises(ArrayError, match=next(iter(options)).removesuffix("s")):
        sequence_network(**options)
