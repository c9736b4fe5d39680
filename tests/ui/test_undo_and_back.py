"""Undo takes back what was changed, Back what was looked at: by real keys and buttons on the shown window."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.pages.heads.state import Picture
from attention_explorer.pages.registry import PAGE_IDS
from attention_explorer.session.settings import Settings, ThemeChoice

CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
NONE = Qt.KeyboardModifier.NoModifier


def undo(driver) -> None:
    driver.key(Qt.Key.Key_Z, CTRL, driver.page)


def redo(driver) -> None:
    driver.key(Qt.Key.Key_Z, CTRL | SHIFT, driver.page)


def back(driver) -> None:
    driver.key(Qt.Key.Key_Left, ALT, driver.page)


def forward(driver) -> None:
    driver.key(Qt.Key.Key_Right, ALT, driver.page)


def heat(driver, temperature: str) -> None:
    """Type a temperature on the panel of the Heads page."""
    driver.type_into(driver.controls.temperature_box, temperature)


@pytest.fixture
def at(open_heads):
    return open_heads()


# ---- Undo ----


def test_undo_sets_the_temperature_back_and_keeps_what_is_pinned(at):
    heat(at, "3")
    at.click_cell(4, 2)
    undo(at)
    assert at.heads.setup.temperature == 1.0
    assert at.pin == (4, 2)
    redo(at)
    assert at.heads.setup.temperature == 3.0
    assert at.pin == (4, 2)


def test_what_was_changed_in_another_picture_is_undone_in_that(at):
    at.press(at.controls.pictures.buttons[Picture.STAGES])
    heat(at, "3")
    at.press(at.controls.pictures.buttons[Picture.LINES])
    undo(at)
    assert (at.heads.setup.temperature, at.heads.view.picture) == (1.0, Picture.STAGES)
    assert at.controls.pictures.buttons[Picture.STAGES].isChecked()


def test_undo_goes_to_the_page_of_the_change_and_back_to_where_one_was(at):
    heat(at, "3")
    at.key(Qt.Key.Key_4, ALT)
    undo(at)
    assert at.window.settings.page == "heads"
    assert at.told == "Undone: Change temperature."
    back(at)
    assert at.window.settings.page == "layer"
    assert at.heads.setup.temperature == 1.0


# ---- Back ----


def test_back_and_forward_by_keys_name_what_they_leave_and_show(at):
    actions = at.window._actions
    assert not actions["back"].isEnabled()
    at.click_cell(4, 2)
    at.press(at.controls.pictures.buttons[Picture.LINES])
    heat(at, "3")
    assert actions["back"].text() == "&Back to before “Show Lines”"
    back(at)
    assert at.heads.view.picture is Picture.HEATMAP
    assert at.pin == (4, 2)
    assert actions["forward"].text() == "&Forward to “Show Lines”"
    back(at)
    assert at.pin == (7, None)
    assert (actions["back"].text(), actions["back"].isEnabled()) == ("&Back", False)
    back(at)
    forward(at)
    forward(at)
    assert at.heads.view.picture is Picture.LINES
    assert not actions["forward"].isEnabled()
    assert at.heads.setup.temperature == 3.0, "nothing of it was taken back"


def test_a_button_goes_back_and_says_behind_what(at):
    button = at.window.rail.buttons["back"]
    assert not button.isEnabled()
    assert button.toolTip() == "Look at what was looked at before (Alt+Left)"
    at.press(at.controls.pictures.buttons[Picture.LINES])
    at.press(at.window.rail.buttons["layer"])
    assert button.toolTip() == "Back to before “Show Layer” (Alt+Left)"
    at.press(button)
    assert at.window.settings.page == "heads"
    assert at.told == "Back to before “Show Layer”."
    assert button.toolTip() == "Back to before “Show Lines” (Alt+Left)"
    back(at)
    assert at.heads.view.picture is Picture.HEATMAP
    assert at.told == "Back to before “Show Lines”."
    assert not button.isEnabled()
    forward(at)
    assert at.told == "Forward to “Show Lines”."
    assert button.isEnabled()


def test_where_there_is_nothing_to_go_back_to_nothing_is_said(at):
    at.window.tell("Said before.")
    at.back()
    assert at.told == "Said before."


def test_pages_are_gone_back_to_by_the_buttons_of_the_mouse(at):
    shown = at.window.windowHandle()

    def click(button: Qt.MouseButton) -> str:
        QTest.mouseClick(shown, button, NONE, QPoint(600, 400))
        return at.window.settings.page

    for page in ("positions", "layer"):
        QTest.mouseClick(at.window.rail.buttons[page], Qt.MouseButton.LeftButton)
    before = at.window.session.state
    assert [click(Qt.MouseButton.BackButton) for _ in range(3)] == ["positions", "heads", "heads"]
    assert [click(Qt.MouseButton.ForwardButton) for _ in range(2)] == ["positions", "layer"]
    assert at.window.rail.buttons["layer"].isChecked()
    assert at.window.session.state == before, "no picture took the button for a click"


def test_a_button_of_the_mouse_does_nothing_while_another_drags(at):
    at.click_cell(4, 2)
    shown, place = at.window.windowHandle(), at.canvas.mapTo(at.window, at.cell(3, 3).toPoint())
    QTest.mousePress(shown, Qt.MouseButton.LeftButton, NONE, place)
    QTest.mouseClick(shown, Qt.MouseButton.BackButton, NONE, place)
    assert at.pin != (7, None)
    QTest.mouseRelease(shown, Qt.MouseButton.LeftButton, NONE, place)


def test_a_session_that_is_opened_has_nothing_to_go_back_to(at, tmp_path):
    path = tmp_path / "a.attn.json"
    at.window.files.opened.save(path, "cost")
    at.click_cell(4, 2)
    at.window.files.open(path)
    assert at.window.settings.page == "lab"
    assert not at.window._actions["back"].isEnabled()
    assert not at.window._actions["undo"].isEnabled()


# ---- What counts as a change ----


def test_looking_around_leaves_nothing_to_save(at):
    at.click_cell(4, 2)
    at.press(at.controls.pictures.buttons[Picture.LINES])
    at.key(Qt.Key.Key_4, ALT)
    assert not at.window.isWindowModified()
    back(at)
    heat(at, "3")
    assert at.window.isWindowModified()
    undo(at)
    assert not at.window.isWindowModified()


def test_a_file_that_was_only_looked_at_is_seen_as_it_was_left(make_window, tmp_path):
    path, folder = tmp_path / "a.attn.json", tmp_path / "kept"
    settings = Settings(theme=ThemeChoice.LIGHT, page="heads", goes_on=True)
    for row in (7, 3):
        window = make_window(settings=settings)
        window.files.start(folder)
        if not path.exists():
            window.files.opened.save(path, "heads")
        assert window.files.opened.path == path
        assert window.session.state.heads.view.row == row
        state = window.session.state
        window.session.apply(replace(state, heads=state.heads.with_view(row=3)), "Pin")
        window.close()


# ---- Number fields ----


@pytest.mark.parametrize("page", PAGE_IDS)
def test_five_presses_of_an_arrow_key_on_a_number_are_one_step(make_window, page):
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page=page), size=(1600, 1200))
    session, first = window.session, window.session.state
    session._clock = lambda: 0.0
    if page in ("heads", "layer", "training", "circuits"):  # where all numbers are in the drawer
        window.page.open_drawer(True)
    QApplication.processEvents()
    boxes = [box for box in window.page.findChildren(NumberBox) if box.isVisible() and box.isEnabled()]
    moved = []
    for box in boxes:
        session.restart(first)
        key = Qt.Key.Key_Up if box.value() < box.maximum() else Qt.Key.Key_Down
        for _ in range(5):
            QTest.keyClick(box, key)
        steps = session.history.labels + session.views.labels
        assert len(steps) <= 1, f"{box.accessibleName()}: {steps}"
        moved += steps
    assert moved
