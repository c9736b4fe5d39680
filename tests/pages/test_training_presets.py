"""The ready-made runs: what their hints say comes true, with room for what another processor learns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attention_explorer.core.preset import preset_of
from attention_explorer.pages.training.moment import accuracy_at, answer_at
from attention_explorer.pages.training.presets import TRAINING_PRESETS
from attention_explorer.pages.training.state import WHOLE, Broken, TrainingState
from attention_explorer.sources.learned.setup import LearningSetup


def state_of(name: str) -> TrainingState:
    return preset_of(TRAINING_PRESETS, name).state


def looks_at(setup: LearningSetup) -> list[str]:
    """Return which English word each place looks at most in the end: start, la, voiture, rouge."""
    answer = answer_at(setup, state_of("translation").task.steps, "the red car", WHOLE)
    return [answer.context_tokens[best] for best in answer.weights[0][0].argmax(axis=-1)]


def right(setup: LearningSetup, broken: Broken = WHOLE) -> float:
    return accuracy_at(setup, state_of(setup.task).task.steps, broken)


def test_with_mixed_words_the_weights_lie_elsewhere_and_the_answers_are_nearly_as_right() -> None:
    mixed = state_of("translation-mixed").setup
    assert mixed.encoder_layers == 1
    assert looks_at(state_of("translation").setup)[1:3] == ["car", "red"]
    assert looks_at(mixed)[2] != "red"
    assert looks_at(replace(mixed, seed=0))[:3] == ["the", "car", "red"], "another seed finds the plain order"
    assert right(mixed) > 0.95


def test_without_positions_the_previous_word_is_found_four_times_in_ten() -> None:
    setup = state_of("previous").setup
    assert right(setup) > 0.95
    assert right(replace(setup, positions=False)) == pytest.approx(0.42, abs=0.05)


def test_without_the_first_head_a_fifth_of_what_is_repeated_is_still_right() -> None:
    setup = state_of("repeat").setup
    assert right(setup) > 0.95
    assert right(setup, Broken(off=frozenset({(0, 0)}))) == pytest.approx(0.22, abs=0.06)
