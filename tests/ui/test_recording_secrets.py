"""While a question that was recorded is open, nothing in the window tells its answer."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from test_lesson_secrets import leaks, window_texts
from test_recording import Teacher

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import find_preset
from attention_explorer.tools.lessons.names import with_fields
from attention_explorer.tools.lessons.proposing import proposed
from attention_explorer.tools.lessons.recording import Moment, Recording
from attention_explorer.tools.lessons.rehearsing import rehearsed

CASES = {
    "plane": ("two-keys", "lookup", {"lookup.query": [0.7371, 0.4619], "lookup.temperature": 1.3717}),
    "numbers": ("quiz", "lookup", {"lookup.query": [-0.6127, 0.8873]}),
    "map": ("random-words", "heads", {"heads.setup.recipe.seed": 4711}),
    "mask": ("causal", "heads", {"heads.setup.recipe.seed": 4712}),
    "clocks": ("clocks", "positions", {"positions.position": 57, "positions.shift": 23}),
    "alike": ("sinusoidal", "positions", {"positions.picture": "similarity", "positions.base": 737.1}),
    "layer": ("encoder", "block", {"block.seed": 4711}),
    "draws": ("variance", "scaling", {"scaling.d_k": 97}),
    "bench": ("gap", "scaling", {"scaling.bench.rows": [[0.7371, 0.4619, -1.2713]]}),
    "cost": ("gpt2", "cost", {"cost.n": 97}),
    "learned": ("it", "training", {"training.step": 20, "training.setup.seed": 4}),
    "breaks": ("breaks", "circuits", {}),
}
"""By name: the preset, its part of the state, and what is set in it."""


@pytest.mark.parametrize("name", CASES)
def test_no_question_that_is_proposed_has_its_answer_on_show(make_window, hand, name):
    preset, part, changes = CASES[name]
    ready = find_preset(preset, part)
    state = with_fields(ready.state, changes)
    questions = proposed(state, ready.page)
    assert questions
    moments = tuple(Moment(state, ready.page, words="So it is.", question=question) for question in questions)
    learner = Teacher(make_window(ExplorerState()), hand)
    learner.window.tools.lessons.start(rehearsed(Recording(moments, "Secrets")).lesson)
    learner.learned()
    told = 0
    for _ in questions:
        learner.page.settle()
        QApplication.processEvents()
        assert not leaks(learner, window_texts(learner)), learner.place.now.text
        learner.press(learner.card.tell)
        learner.learned()
        learner.page.settle()
        QTest.qWait(50)
        told += len(leaks(learner, window_texts(learner)))
        learner.go_on(learner.card.next)
    assert told or name in ("alike", "breaks", "learned"), "or this test could not find them"
