"""The hint of a preset: whole, on every page, until it is closed or another preset is chosen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from people_driver import catch_up, in_window, press_tab, show_state
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from window_driver import WindowDriver

from attention_explorer.kit.controls.preset_box import CHANGED
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.pages.heads.state import MaskChoice, MaskKind
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.ready_made import PAGE_IDS, find_preset, preset_ids, presets_of
from attention_explorer.session.settings import Settings, ThemeChoice

# The off-screen platform says this whenever a combo box opens.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

SIZES = ((1280, 800), (1024, 768))
CHANGES = {
    "heads": lambda state: state.with_setup(mask=MaskChoice(MaskKind.CAUSAL)),
}
"""A change on each page with hints such as its first one asks for. Pages in the frame have something to try instead."""


@pytest.fixture
def open_page(make_window, hand):
    def make(page: str, size: tuple[int, int] = (1280, 800), zoom: float = 1.0) -> WindowDriver:
        window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page=page, zoom=zoom), size=size)
        catch_up(window)
        return WindowDriver(window, hand)

    return make


def change(at: WindowDriver, page: str) -> None:
    """Change the settings of a page as one step."""
    state = at.window.session.state
    at.window.session.apply(replace(state, **{page: CHANGES[page](getattr(state, page))}), "Change")
    catch_up(at.window)


def presets_box(at: WindowDriver):
    return (
        at.page.presets
        if hasattr(at.page, "presets")
        else getattr(at.page.bar, "preset_box", None) or (at.page.bar.presets)
    )


def is_whole(at: WindowDriver) -> bool:
    """Whether all of the text of the hint is seen, without scrolling."""
    text = at.page.hint.text
    seen, around = in_window(text), text.parentWidget()
    while around is not None:
        seen &= in_window(around) if around is not at.window else QRect(at.window.rect())
        around = around.parentWidget()
    return seen == in_window(text) and text.height() >= text.heightForWidth(text.width())


@pytest.mark.parametrize("page", CHANGES)
def test_a_hint_stays_while_its_preset_is_changed_and_goes_with_it(open_page, page):
    at = open_page(page)
    hint, (first, second) = at.page.hint, preset_ids(page)[:2]
    assert hint.note.text() == ""
    change(at, page)
    assert hint.isVisible()
    assert hint.text.text() == find_preset(first, page).look_for
    assert presets_box(at).currentText().endswith(CHANGED)
    assert hint.note.text() == "for the preset as it starts"
    at.choose(presets_box(at), second)
    catch_up(at.window)
    assert hint.text.text() == find_preset(second, page).look_for


@pytest.mark.parametrize("page", CHANGES)
def test_a_hint_is_closed_by_the_mouse_until_its_preset_is_chosen_again(open_page, page):
    at = open_page(page)
    hint, first = at.page.hint, preset_ids(page)[0]
    at.press(hint.close_button)
    assert not hint.isVisible()
    assert at.page.isAncestorOf(QApplication.focusWidget())
    assert QApplication.focusWidget() is not presets_box(at), "the keyboard stays where it was"
    change(at, page)
    at.undo()
    catch_up(at.window)
    assert not hint.isVisible()
    at.choose(presets_box(at), first)
    assert hint.isVisible()


@pytest.mark.parametrize("page", CHANGES)
def test_a_hint_is_reached_and_closed_by_keys(open_page, page):
    at = open_page(page)
    button, box = at.page.hint.close_button, presets_box(at)
    reached = press_tab(at.window)
    for _ in range(80):
        if reached is button:
            break
        reached = press_tab(at.window)
    assert reached is button
    assert button.accessibleName() == "Close the hint"
    assert "choose the preset again" in button.toolTip()
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert not at.page.hint.isVisible()
    assert box.hasFocus()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("page", CHANGES)
def test_every_hint_is_seen_whole(page_window, page, size):
    window, cut = page_window(page), []
    window.resize(*size)
    for ready in presets_of(page):
        show_state(window, ready.state)
        if not is_whole(WindowDriver(window, None)):
            cut.append(ready.id)
    assert not cut


IN_THE_FRAME = {
    "lookup": lambda state: replace(state.with_key_added((1.0, -1.0)), words=state.words.moved("question", (0.5, 0.5))),
    "positions": lambda state: state.with_sizes(length=37),
    "layer": lambda state: replace(state, seed=7),
    "lab": lambda state: replace(state, seed=7),
    "training": lambda state: state.with_setup(replace(state.setup, seed=77)),
    "circuits": lambda state: replace(state, seed=7),
}
"""A change after which a page in the frame shows none of its examples any more."""


@pytest.mark.parametrize("page_id", IN_THE_FRAME)
def test_in_the_frame_the_drawer_says_what_to_look_for_until_something_is_changed(page_window, page_id):
    assert {*PAGE_IDS} - {*CHANGES} == {*IN_THE_FRAME}
    window = page_window(page_id)
    window.resize(*SIZES[-1])
    page, text = window.page, window.page.drawer.example
    for ready in presets_of(page_id):
        if ready.state.lab.view is LabView.AGAINST:
            continue  # which takes its time, and is said in the same place
        show_state(window, ready.state)
        page.open_drawer(True)
        catch_up(window)
        assert text.text() == ready.look_for, ready.id
        assert text.height() >= text.heightForWidth(text.width()), ready.id
    page.apply(Change(IN_THE_FRAME[page_id](page.state), "Change"))
    catch_up(window)
    assert not text.text()
    page.open_drawer(False)


def test_a_query_that_is_moved_leaves_the_example_as_it_is(page_window):
    """It is there to be moved."""
    window = page_window("lookup")
    first = next(iter(presets_of("lookup")))
    show_state(window, first.state)
    page = window.page
    page.open_drawer(True)
    page.apply(Change(replace(page.state, query=(3.0, 1.0), hard=True), "Change"))
    catch_up(window)
    assert page.drawer.example.text() == first.look_for
    assert not page.bar.examples[page.view.id].currentText().endswith(CHANGED)
    page.open_drawer(False)
