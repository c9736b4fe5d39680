"""Runs: what they reach, that they are the same again, and that others may look while they go on."""

from __future__ import annotations

from dataclasses import replace
from threading import Event, Thread

import numpy as np
import pytest

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model.learning import ExplodedError, Network, Scoring
from attention_explorer.sources.learned.learned_model import LearnedModel, Measured
from attention_explorer.sources.learned.run import Run, run_of
from attention_explorer.sources.learned.tasks import TASKS

IT = TASKS["it"].setup
SMALL = replace(TASKS["reverse"].setup, batch=8, length=4, d_model=8)


def vector(model: LearnedModel) -> np.ndarray:
    return model.network.parameters.vector


def advanced(setup: object = SMALL, steps: int = 20) -> Run:
    run = Run(setup)
    run.advance(steps)
    return run


@pytest.fixture(scope="module")
def it() -> Run:
    """What “it” refers to, learned with a seed whose map can be read."""
    return advanced(replace(IT, seed=1), 200)


@pytest.mark.parametrize("entries", [4, 12])
def test_dictionaries_of_other_sizes(entries: int) -> None:
    run = advanced(replace(TASKS["dictionary"].setup, length=entries), 200)
    assert run.measured().weight >= 0.95
    keys = run.at().network.parameters["k"]
    lengths = np.linalg.norm(keys, axis=1)
    assert lengths.mean() > 1.5 * np.linalg.norm(run.at(0).network.parameters["k"], axis=1).mean()
    angles = np.sort(np.arctan2(*keys.T))
    assert np.diff(np.append(angles, angles[0] + 2 * np.pi)).max() < 2 * 2 * np.pi / entries  # on a ring


def test_translation_without_an_encoder_is_aligned() -> None:
    run = advanced(TASKS["translation"].setup, 200)
    assert run.measured().weight >= 0.7


def test_repeating_needs_both_heads() -> None:
    model = advanced(TASKS["repeat"].setup, 200).at()
    before, followed = model.measured().scores
    assert (before.best, followed.best) == ((0, 0), (1, 0))
    assert model.needed_heads() == ((0, 0), (1, 0))
    assert model.without([(0, 0)]).measured().accuracy < 0.5
    assert model.without([(0, 0)]).measured().scores[1].weight < followed.weight / 2


def test_hard_attention_fails_to_learn_where_to_look() -> None:
    """Nothing goes through the arg max: of where to look only what the words' vectors happen to do changes."""
    hard, soft = (advanced(replace(TASKS["previous"].setup, hard=is_hard), 100) for is_hard in (True, False))
    for name in ("stack.0.w_q", "stack.0.w_k"):
        first, last = (hard.at(step).network.parameters[name] for step in (0, 100))
        np.testing.assert_array_equal(first, last)
        assert not np.array_equal(soft.at(0).network.parameters[name], soft.at().network.parameters[name])
    assert hard.measured().weight < 0.5 < 0.9 < soft.measured().weight


def test_another_adjective_moves_the_answer(it: Run) -> None:
    model = it.at()
    for adjective, noun, place in (("tired", "cat", 1), ("soft", "mat", 5)):
        answer = model.ask(f"The cat sat on the mat because it was {adjective}.")
        assert answer.answers == (noun,) == answer.right
        assert answer.places == (7,)
        assert answer.tokens[7] == "it"
        assert answer.probabilities.shape == (1, len(model.task.answers(IT)))
        assert answer.weights[1][0, 7].argmax() == place
        np.testing.assert_allclose(answer.weights[1].sum(axis=-1), 1.0, rtol=1e-5)
    assert model.ask("the cat sat on the mat because it was tired").answers == ("cat",)
    assert model.without([(0, 0), (1, 0)]).measured().accuracy < 0.2


def test_a_translation_is_answered_word_by_word() -> None:
    answer = advanced(TASKS["translation"].setup, 150).at().ask("the red car")
    assert answer.answers == answer.right == ("la", "voiture", "rouge", "end")
    assert answer.tokens == ("start", "la", "voiture", "rouge")
    assert answer.context_tokens == ("the", "red", "car")
    assert [weights.shape for weights in answer.weights] == [(1, 4, 3)]


def test_what_is_masked_cannot_be_found(it: Run) -> None:
    sentence = "the cat sat on the mat because it was tired"
    hidden = np.ones((10, 10), bool)
    hidden[:, 9] = False  # nobody sees the adjective
    assert it.at().ask(sentence).probabilities.max() > 0.99
    model, scoring = it.at(), Scoring(hidden)
    twin = model.ask(sentence.replace("tired", "soft"), scoring)
    np.testing.assert_allclose(model.ask(sentence, scoring).probabilities, twin.probabilities, atol=1e-6)
    assert not model.ask(sentence, scoring).weights[0][:, :, 9].any()


def test_a_head_at_random_no_longer_knows(it: Run) -> None:
    model = it.at()
    forgotten = model.forgotten([(1, 0)])
    assert forgotten.measured().accuracy < 0.7 < model.measured().accuracy
    first, last = it.at(0).network.parameters, forgotten.network.parameters
    for name, array in last.arrays.items():
        expected = first if name.startswith("stack.1.") else model.network.parameters
        np.testing.assert_array_equal(array, expected[name])


def test_of_two_heads_one_is_forgotten() -> None:
    run = advanced(replace(SMALL, heads=2), 5)
    model, first = run.at(), run.at(0).network.parameters
    changed = model.forgotten([(0, 1)]).network.parameters
    for name in ("w_q", "w_k", "w_v"):
        own, other = changed[f"stack.0.{name}"], model.network.parameters[f"stack.0.{name}"]
        np.testing.assert_array_equal(own[:, :4], other[:, :4])
        np.testing.assert_array_equal(own[:, 4:], first[f"stack.0.{name}"][:, 4:])
    np.testing.assert_array_equal(changed["stack.0.w_o"][:4], model.network.parameters["stack.0.w_o"][:4])
    np.testing.assert_array_equal(changed["stack.0.w_o"][4:], first["stack.0.w_o"][4:])


def test_heads_that_there_are_not(it: Run) -> None:
    with pytest.raises(ExplorerError, match="no head 2 in layer 1"):
        it.at().without([(0, 1)])


def test_the_same_setup_is_the_same_run() -> None:
    whole, parts = advanced(steps=30), Run(SMALL)
    for until in (1, 7, 7, 30):
        parts.advance(until)
    for first, second in zip(whole.curve(), parts.curve(), strict=True):
        np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(vector(whole.at(13)), vector(parts.at(13)))
    np.testing.assert_array_equal(vector(advanced(steps=13).at()), vector(whole.at(13)))
    assert not np.array_equal(vector(advanced(replace(SMALL, seed=1)).at()), vector(whole.at(20)))


def test_the_curve_says_what_was_measured() -> None:
    run = advanced(steps=25)
    curve = run.curve()
    assert curve.steps.tolist() == [0, 10, 20]
    assert curve.training_loss.shape == curve.training_accuracy.shape == (25,)
    for at, step in enumerate(curve.steps):
        measured = run.at(int(step)).measured()
        assert (curve.loss[at], curve.accuracy[at]) == (measured.loss, measured.accuracy)
        assert curve.weight[at] == measured.weight
    assert run.measured(17).loss == run.at(17).measured().loss
    assert np.isnan(advanced(TASKS["die"].setup, 1).curve().weight).all()


def test_baselines() -> None:
    guessing, frequent = Run(TASKS["brackets"].setup).trial.baselines
    assert guessing == 0.25
    assert guessing < frequent < 0.5


def test_steps_that_were_not_made() -> None:
    run = advanced(steps=3)
    assert run.at(-1).step == 3
    assert run.at(-4).step == 0
    for step in (4, -5):
        with pytest.raises(ArrayError, match="there is no step"):
            run.at(step)


def test_a_model_of_a_step_stays_as_it_is_while_the_run_goes_on() -> None:
    run = advanced()
    model = run.at()
    before = vector(model).copy()
    run.advance(30)
    model.without([(0, 0)])
    np.testing.assert_array_equal(vector(model), before)


def test_a_run_ends_when_it_is_told_to() -> None:
    run = Run(SMALL)
    assert run.advance(100, lambda: run.step >= 5) == 5
    assert run.advance(100, lambda: True) == 5
    np.testing.assert_array_equal(vector(run.at()), vector(advanced(steps=5).at()))


def test_others_may_look_while_it_learns() -> None:
    """Steps are looked at, and two threads ask for more of them: nothing of that changes what is learned."""
    run, errors = Run(SMALL), list[BaseException]()

    def advance() -> None:
        try:
            run.advance(300)
        except BaseException as error:  # noqa: BLE001 - shown below, on the thread of the test
            errors.append(error)

    threads = [Thread(target=advance) for _ in range(2)]
    for thread in threads:
        thread.start()
    seen = list[tuple[int, np.ndarray]]()
    while any(thread.is_alive() for thread in threads):
        model, curve = run.at(), run.curve()
        assert curve.steps[-1] <= run.step
        assert len(curve.steps) == len(curve.loss)
        seen.append((model.step, vector(model)))
    for thread in threads:
        thread.join()
    assert not errors
    alone = advanced(steps=300)
    for step, found in seen[:: max(len(seen) // 10, 1)]:
        np.testing.assert_array_equal(found, vector(alone.at(step)))
    np.testing.assert_array_equal(vector(run.at()), vector(alone.at()))


def test_a_step_is_seen_when_it_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    run, waits, is_open = Run(SMALL), Event(), Event()
    every, measure = run.task.every, run.trial.measure

    def gated(network: Network) -> Measured:
        waits.set()
        assert is_open.wait(60)
        return measure(network)

    monkeypatch.setattr(run.trial, "measure", gated)
    thread = Thread(target=run.advance, args=(every,))
    thread.start()
    try:
        assert waits.wait(60)
        curve = run.curve()
        assert (run.step, curve.steps.tolist(), len(curve.training_loss)) == (every - 1, [0], every - 1)
        assert run.at().step == every - 1
        with pytest.raises(ArrayError, match=f"no step {every}"):
            run.at(every)
    finally:
        is_open.set()
        thread.join()
    assert (run.step, run.curve().steps.tolist()) == (every, [0, every])
    early = run.curve(every - 1)
    for first, second in zip(early, curve, strict=True):
        np.testing.assert_array_equal(first, second)


def test_what_was_seen_is_never_taken_back() -> None:
    """Learning that explodes does so before a bad step is seen, whichever step is asked for first."""
    setup = replace(SMALL, rate=1e12, warm_up=1)
    run, seen = Run(setup), list[int]()
    with pytest.raises(ExplodedError) as refusal:
        seen.extend(run.advance(step) for step in range(1, 51))
    assert seen == list(range(1, run.step + 1))
    assert f"exploded at step {run.step + 1} " in str(refusal.value)


def test_a_bad_step_that_only_the_held_out_sentences_show(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(SMALL)

    def overflow(_network: Network) -> Measured:
        raise ArrayError("a number was too large")

    monkeypatch.setattr(run.trial, "measure", overflow)
    last = run.task.every - 1
    with pytest.raises(ExplodedError, match=rf"exploded at step {last + 1} .* \(a number was too large\)"):
        run.advance(50)
    assert (run.step, run.curve().steps.tolist(), len(run.curve().training_loss)) == (last, [0], last)
    np.testing.assert_array_equal(vector(run.at()), vector(advanced(steps=last).at()))


def test_the_memory_of_a_run_is_counted_and_given_back() -> None:
    setup = replace(SMALL, seed=99)
    run = run_of(setup)
    assert run_of(setup) is run
    before = CACHE.other_bytes_used
    run.advance(40)
    grown = CACHE.other_bytes_used - before
    assert grown >= 40 * 3 * vector(run.at()).nbytes
    CACHE.show("a page", run)
    try:
        assert CACHE.other_bytes_used <= before
    finally:
        CACHE.hide("a page")
    CACHE.clear()
    assert run_of(setup) is not run


def test_learning_that_explodes_keeps_the_last_good_step() -> None:
    run = Run(replace(SMALL, rate=1e12, warm_up=1))
    with pytest.raises(ExplodedError, match="Choose a smaller learning rate"):
        run.advance(50)
    step, curve = run.step, run.curve()
    assert 0 <= step < 50
    assert run.exploded
    assert np.isfinite(vector(run.at())).all()
    assert curve.training_loss.shape == (step,)
    assert curve.steps.max() <= step
    with pytest.raises(ExplodedError, match="Choose a smaller learning rate"):
        run.advance(50)
    assert run.step == step
