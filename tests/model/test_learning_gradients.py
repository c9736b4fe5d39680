"""Networks that learn: against the layers of `model`, and their gradients against finite differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model import DecoderLayer, EncoderStack, FeedForward, MultiHeadAttention, causal_mask
from attention_explorer.model.learning import (
    Batch,
    Network,
    NormalDraws,
    Parameters,
    PlaneNetwork,
    PlaneSetting,
    Scoring,
    SequenceNetwork,
    SequenceSetting,
    TranslationNetwork,
    TranslationSetting,
    cross_entropy,
    cross_entropy_reverse,
    measure,
)
from attention_explorer.model.learning.sequence_network import made_stack

Array = np.ndarray
D = 6
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


NUMBERS = np.random.RandomState(4)
TOKENS, TARGETS = NUMBERS.randint(0, 5, (3, 4)), NUMBERS.randint(-1, 5, (3, 4))
CONTEXT = NUMBERS.randint(0, 6, (3, 3))
DRAWS = NormalDraws(NUMBERS)
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
    return SequenceNetwork(setting, Parameters(SequenceNetwork.first_parameters(setting, DRAWS), dtype))


def translation_network(**options: Any) -> TranslationNetwork:
    sizes = {"heads": 2, "d_model": D, "context_vocabulary": 6, "context_places": 3}
    setting = TranslationSetting(vocabulary=5, answers=5, places=4, **sizes, **options)
    return TranslationNetwork(setting, Parameters(TranslationNetwork.first_parameters(setting, DRAWS), np.float64))


def plane_network(**options: Any) -> PlaneNetwork:
    setting = PlaneSetting(5, **options)
    return PlaneNetwork(setting, Parameters(PlaneNetwork.first_parameters(setting, DRAWS), np.float64))


def embedded(parameters: Parameters, tokens: Array, prefix: str = "") -> Array:
    places = parameters.arrays.get(f"{prefix}w_p")
    return parameters[f"{prefix}w_e"][tokens] + (0.0 if places is None else places[: tokens.shape[1]])


def read(parameters: Parameters, output: Array, batch: Batch) -> Array:
    return output.reshape(-1, D)[batch.asked] @ parameters["w_out"] + parameters["b_out"]


@pytest.mark.parametrize("options", SEQUENCES)
def test_a_sequence_network_is_the_encoder_of_the_model(options: dict[str, Any]) -> None:
    network, batch = sequence_network(**options), Batch(TOKENS, TARGETS)
    mask = causal_mask(4) if options.get("causal") else None
    stack: EncoderStack = network.stack
    theirs = stack(embedded(network.parameters, TOKENS), mask=mask, scale=network.setting.scale)
    ours = network(batch)
    np.testing.assert_allclose(ours.logits, read(network.parameters, theirs.output, batch), atol=1e-12)
    for found, expected in zip(ours.weights, theirs.weights, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("options", TRANSLATIONS)
def test_a_translation_network_is_the_decoder_of_the_model(options: dict[str, Any]) -> None:
    network, batch = translation_network(**options), Batch(TOKENS, TARGETS, CONTEXT)
    given, setting = network.parameters, network.setting
    context = made_stack(setting.of_encoder(), given.under("encoder.stack."))(embedded(given, CONTEXT, "encoder."))
    x, weights = embedded(given, TOKENS), []
    for layer in range(setting.layers):
        own, cross = (
            MultiHeadAttention(**given.under(f"{layer}.{kind}."), heads=setting.heads) for kind in ("self", "cross")
        )
        empty = {"w1": np.zeros((D, 0)), "b1": None, "w2": np.zeros((0, D)), "b2": None}
        hidden = {name: given[f"{layer}.{name}"] for name in empty} if setting.d_ff else empty
        trace = DecoderLayer(own, cross, FeedForward(**hidden), norm="none")(x, context.output)
        x = trace.output
        weights.append(trace.cross_weights)
    ours = network(batch)
    np.testing.assert_allclose(ours.logits, read(given, x, batch), atol=1e-12)
    np.testing.assert_allclose(ours.weights, weights, atol=1e-12)


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

    trace, measured = measure(network, batch, is_learning=True)
    found = network.gradient(trace, cross_entropy_reverse(measured))
    assert_by_every_parameter(network.parameters.arrays, found, loss)


@pytest.mark.parametrize("norm", ["pre", "post", "none"])
def test_exact_arithmetic_is_near_all_digits(norm: str) -> None:
    """What is learned in float32 is computed in factors of some twenty bits."""
    plain = sequence_network(layers=2, d_ff=7, norm=norm)
    exact = plain.over(Parameters(plain.parameters.arrays, np.float32))
    rows = []
    for network in (plain, exact):
        trace, measured = measure(network, Batch(TOKENS, TARGETS), is_learning=True)
        gradients = network.gradient(trace, cross_entropy_reverse(measured))
        rows.append(network.parameters.row(gradients))
        assert rows[-1].dtype == network.parameters.vector.dtype
    np.testing.assert_allclose(rows[1], rows[0], atol=1e-5)


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


@pytest.mark.parametrize("network", [sequence_network(), translation_network(), plane_network()])
@pytest.mark.parametrize(
    ("scoring", "said"),
    [
        (Scoring(np.ones((2, 2), bool)), "mask has shape"),
        (Scoring(np.ones((4, 4))), "mask of shape"),
        (Scoring(scale=np.nan), "scale"),
        (Scoring(temperature=0.0), "temperature"),
    ],
)
def test_a_scoring_that_does_not_fit(network: Network, scoring: Scoring, said: str) -> None:
    context = CONTEXT if isinstance(network, TranslationNetwork) else None
    with pytest.raises(ArrayError, match=said):
        network(Batch(TOKENS, TOKENS, context), scoring)


@pytest.mark.parametrize("options", [{"heads": 4}, {"layers": -1}, {"d_model": 0}])
def test_sizes_of_which_no_network_can_be_made(options: dict[str, int]) -> None:
    with pytest.raises(ArrayError, match=next(iter(options)).removesuffix("s")):
        sequence_network(**options)
