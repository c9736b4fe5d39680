"""View → Count from 0: all that is on show is numbered as papers and code do, and nothing else changes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.core.counting import Count
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import Picture
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice

STATE = ExplorerState(
    heads=heads_preset("minilm").state, positions=PositionsState(PositionKind.ALIBI, head=2, preset="alibi")
)


@pytest.fixture
def window(make_window):
    return shown(make_window(STATE, Settings(theme=ThemeChoice.LIGHT, page="heads")))


def shown(window):
    window.page.settle()
    QApplication.processEvents()
    return window


def toggle(window) -> None:
    """Choose “Count from 0” in the View menu."""
    (action,) = (each for each in window._menus["&View"].actions() if each.text() == "&Count from 0")
    action.trigger()
    shown(window)


def setup_of(window):
    setup = window.session.state.heads.setup
    return setup.layer, setup.head


def test_the_menu_renumbers_what_is_on_show_and_that_is_no_step_of_undo(window):
    titles = []
    for _ in range(3):
        titles.append(window.page.title.text())
        toggle(window)
    assert [re.findall(r"\d+", title)[:2] for title in titles] == [["4", "2"], ["3", "1"], ["4", "2"]]
    assert not window.session.can_undo
    assert not window.isWindowModified()


def test_typed_names_count_in_the_same_way(window):
    toggle(window)
    wall = window.page.wall
    wall.setFocus()
    QTest.keyClicks(wall, "L5H11")
    assert setup_of(window) == (5, 11)
    QTest.keyClicks(wall, "L0H0")
    assert setup_of(window) == (0, 0)
    QTest.keyClicks(wall, "L6H1")
    assert window._readout.text() == "There is no L6H1: layers and heads count from 0."
    assert setup_of(window) == (0, 0)
    assert window.session.back_text == "Show layer 0, head 0"


def test_steps_of_before_are_undone_as_they_are_counted_now(window):
    wall = window.page.wall
    wall.setFocus()
    QTest.keyClicks(wall, "L2H3")
    toggle(window)
    window.session.go_back()
    shown(window)
    assert setup_of(window) == (3, 1)
    assert window.page.title.text().startswith("layer 3, head 1")
    window.session.go_forward()
    shown(window)
    assert window.page.title.text().startswith("layer 1, head 2")


def test_the_status_bar_counts_as_the_menu_says(window, hand):
    canvas = window.page.canvas
    for query, key in ((8, 3), (7, 2)):
        hand(canvas).move(canvas.cell_box(7, 2).center())
        assert re.findall(r"” \((\d+)\)", window._readout.text()) == [str(query), str(key)]
        toggle(window)


def test_numbers_that_are_chosen_in_boxes_begin_at_the_first(make_window):
    window = shown(make_window(STATE, Settings(page="positions")))
    window.page.open_drawer(True)
    box = window.page.drawer.form.controls["head_number"]
    assert (box.minimum(), box.value(), box.maximum()) == (1, 3, 8)
    toggle(window)
    assert (box.minimum(), box.value(), box.maximum()) == (0, 2, 7)
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "0")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert window.session.state.positions.head == 0
    window.show_page("layer")
    page = shown(window).page
    page.open_drawer(True)
    head = page.drawer.form.controls["head_number"]
    assert (head.minimum(), head.value()) == (0, 0)


def test_the_choice_is_kept_and_states_from_elsewhere_are_shown_in_it(make_window, settings_path):
    window = make_window(STATE, Settings(page="heads"))
    toggle(window)
    window.close()
    assert SettingsStore(settings_path).load().from_zero
    window.session.restart(STATE)
    assert window.session.state == STATE.counted(Count.FROM_ZERO)
    window.session.apply(replace(STATE, heads=heads_preset("smollm2").state), "Load it")
    assert window.session.state.heads.setup.count is Count.FROM_ZERO
    assert window.session.state.heads.other.count is Count.FROM_ZERO


def test_both_sides_of_a_comparison_count_alike(window):
    window.session.apply(
        replace(window.session.state, heads=window.session.state.heads.with_view(picture=Picture.COMPARE)), "Compare"
    )
    toggle(window)
    a, b = window.page.canvas.picture.picture.frames
    assert a.count is b.count is Count.FROM_ZERO
