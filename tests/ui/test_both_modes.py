"""Soft beside hard on the Lookup page: the output of the other mode as a ghost, by key, chip, undo, files and words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from lookup_driver import LookupDriver
from PySide6.QtCore import Qt
from window_driver import copied_numbers

import attention_explorer
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import HEADS_PRESETS
from attention_explorer.pages.lookup.export import lookup_numbers
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.presets import PRESETS
from attention_explorer.pages.lookup.state import LookupState, LookupView, Overlay, ValueKind
from attention_explorer.pages.lookup.wording import description
from attention_explorer.pages.row_as_lookup import as_lookup
from attention_explorer.session.settings import Settings
from attention_explorer.tools.code.programs import program_of


def row_of_a_head() -> LookupState:
    heads = next(ready.state for ready in HEADS_PRESETS if ready.id == "causal")
    return as_lookup(ExplorerState(heads=heads), heads_frame(heads.setup), 6).lookup


STATES = [ready.state for ready in PRESETS] + [
    replace(LookupState(), scaled=True, temperature=0.3, query=(-0.2, 1.1)),
    replace(LookupState(), values=ValueKind.NUMBERS),
]


@pytest.mark.parametrize("hard", [True, False])
@pytest.mark.parametrize("make", [*(lambda state=state: state for state in STATES), row_of_a_head])
def test_it_is_the_output_of_the_same_lookup_in_the_other_mode(make, hard: bool) -> None:
    state = replace(make(), hard=hard)
    other = lookup_frame(replace(state, hard=not hard))
    assert lookup_frame(state).other_output.tolist() == other.output.tolist()


def test_the_key_draws_it_and_undo_takes_it_away(make_window, hand) -> None:
    at = LookupDriver.open(make_window, hand)
    plain = at.canvas.grab().toImage()
    at.key(Qt.Key.Key_B)
    assert at.lookup.shows(Overlay.OTHER)
    assert at.back_text == "Show both modes"
    assert at.canvas.grab().toImage() != plain
    assert at.sentence.startswith("The hard o of this query is (+2.00, +0.20), ")
    at.back()
    assert not at.lookup.shows(Overlay.OTHER)
    assert at.canvas.grab().toImage() == plain
    assert "The hard o" not in at.sentence
    at.switch(Overlay.OTHER)
    assert at.lookup.shows(Overlay.OTHER)
    at.switch(Overlay.OTHER)
    assert not at.lookup.shows(Overlay.OTHER)


@pytest.mark.parametrize("view", list(LookupView))
def test_the_key_does_it_in_whichever_view_the_window_opens(make_window, hand, view: LookupView) -> None:
    at = LookupDriver.open(make_window, hand, replace(LookupState(), view=view))
    at.key(Qt.Key.Key_B)
    assert at.lookup.shows(Overlay.OTHER)
    at.key(Qt.Key.Key_B)
    assert not at.lookup.shows(Overlay.OTHER)
    assert at.session.views.labels == ["Show both modes", "Hide both modes"]


@pytest.mark.parametrize(("hard", "name"), [(True, "soft"), (False, "hard")])
def test_files_pictures_and_words_have_it(hard: bool, name: str, make_window) -> None:
    state = replace(LookupState(), hard=hard)
    shown = state.with_overlay(Overlay.OTHER, True)
    found = lookup_frame(shown).other_output
    numbers = lookup_numbers(shown)
    assert np.array_equal(numbers.arrays["other_output"], found)
    assert np.array_equal(numbers.document[f"{name}_output"], found)
    assert "other_output" not in lookup_numbers(state).arrays
    assert f"{name} o" in description(lookup_frame(shown))
    svg = attention_explorer.render(shown, format="svg").decode()
    assert svg != attention_explorer.render(state, format="svg").decode()
    assert f">{name} o<" in svg.replace("\n", "")
    assert "Both modes" in svg
    whole = ExplorerState(lookup=shown)
    assert "other_output = " in program_of("lookup", whole).text
    window = make_window(whole, Settings(page="lookup"), (1024, 768))
    assert f"{name} o," in copied_numbers(window.page)
