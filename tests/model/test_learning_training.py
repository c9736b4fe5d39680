"""Adam against the paper's loop in plain Python; training: its memory, and learning that explodes."""

import collections
import math

import numpy as np
import pytest

from attention_explorer.errors import ArrayError
from attention_explorer.model.checkpoint import watched
from attention_explorer.model.learning import (
    AdamSetting,
    AdamState,
    Batch,
    ExplodedError,
    NormalDraws,
    Parameters,
    SequenceNetwork,
    SequenceSetting,
    Training,
    adam_step,
    clipped,
    measure,
)
from attention_explorer.model.one_core import one_core, thread_switch


def test_adam_as_in_the_paper() -> None:
    setting = AdamSetting(rate=0.1, warm_up=4, clip=5.0)
    vector = np.array([1.0, -2.0, 3.0])
    state, plain = AdamState.start(vector), vector.tolist()
    m, v = [0.0] * 3, [0.0] * 3
    for step in range(1, 12):
        gradient = [math.sin(step + at) for at in range(3)]
        adam_step(vector, np.array(gradient), state, setting)
        rate = 0.1 * min(step / 4, math.sqrt(4 / step))
        for at, g in enumerate(gradient):
            m[at] = 0.9 * m[at] + 0.1 * g
            v[at] = 0.99 * v[at] + 0.01 * g * g
            plain[at] -= rate * (m[at] / (1 - 0.9**step)) / (math.sqrt(v[at] / (1 - 0.99**step)) + 1e-8)
        np.testing.assert_allclose(vector, plain, rtol=1e-12)


def test_a_long_gradient_is_shortened_and_keeps_its_direction() -> None:
    gradient = np.array([3.0, 4.0])
    assert clipped(gradient, 5.0) is gradient
    np.testing.assert_allclose(clipped(gradient, 1.0), [0.6, 0.8])
    huge = np.array([3e30, 4e30], np.float32)  # their squares are beyond float32
    np.testing.assert_allclose(clipped(huge, 1.0), [0.6, 0.8], rtol=1e-6)


def training(rate: float = 0.01, room: int = 2**24) -> Training:
    """A network that learns to name the token at the other end of a row of three."""
    setting = SequenceSetting(vocabulary=4, answers=4, places=3, d_model=8)
    first = SequenceNetwork.first_parameters(setting, NormalDraws(np.random.RandomState(1)))

    def batch_at(step: int) -> Batch:
        tokens = np.random.RandomState(100 + step).randint(0, 4, (8, 3))
        return Batch(tokens, tokens[:, ::-1])

    return Training(SequenceNetwork(setting, Parameters(first)), batch_at, AdamSetting(rate=rate), room=room)


def test_every_step_can_be_had_again() -> None:
    """Also where there is room for few of them: the others are computed again, bit by bit the same."""
    whole = training()
    vectors = [whole.network.parameters.vector.copy()]
    first = whole.advance()
    vectors.append(whole.network.parameters.vector.copy())
    for _ in range(19):
        last = whole.advance()
        vectors.append(whole.network.parameters.vector.copy())
    assert last.loss < first.loss

    room = 5 * 3 * vectors[0].nbytes
    forgetful = training(room=room)
    for _ in range(20):
        forgetful.advance()
    assert forgetful.kept_bytes <= room < whole.kept_bytes
    for step, vector in enumerate(vectors):
        for each in (whole, forgetful):
            np.testing.assert_array_equal(each.network_at(step).parameters.vector, vector)
    np.testing.assert_array_equal(forgetful.network.parameters.vector, vectors[-1])
    with pytest.raises(ArrayError, match="no step 21: steps 0 to 20"):
        whole.network_at(21)


def test_of_two_trainings_only_the_later_keeps_its_answers_and_both_go_on_as_they_would_alone() -> None:
    alone, first, second = training(), training(), training(rate=0.02)
    for _ in range(3):
        alone.advance()
        first.advance()
        second.advance()
        assert first._asked is None
        assert second._asked is not None
    np.testing.assert_array_equal(first.network.parameters.vector, alone.network.parameters.vector)


def test_learning_that_explodes_goes_back_to_the_last_good_step() -> None:
    exploding = training(rate=1e30)
    with pytest.raises(ExplodedError, match=r"Learning has exploded at step [0-9]+ with a rate of 1e\+30"):
        collections.deque(iter(exploding.advance, None), maxlen=0)
    step = exploding.step
    assert np.isfinite(measure(exploding.network_at(step), Batch(*[np.zeros((1, 3), np.intp)] * 2))[1].loss)
    np.testing.assert_array_equal(exploding.network_at(step).parameters.vector, exploding.network.parameters.vector)


def test_each_step_passes_a_checkpoint() -> None:
    passed = []
    with watched(lambda: passed.append(1)):
        each = training()
        each.advance()
        each.advance()
    assert len(passed) >= 2


def test_products_use_one_core_until_all_are_done() -> None:
    threads = thread_switch()
    if threads is None:
        pytest.skip("NumPy's matrix products are not OpenBLAS's here")
    read, write = threads
    before = read()
    try:
        write(2)
        with one_core():
            assert read() == 1
            with one_core():
                pass
            assert read() == 1
        assert read() == 2
    finally:
        write(before)
