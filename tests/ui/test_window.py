"""The window around the pages: menus, history, look, what it remembers, and what it does when something breaks."""

from __future__ import annotations

import sys
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QKeySequence
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPlainTextEdit, QPushButton, QWidget

from attention_explorer.app import ErrorReporter
from attention_explorer.core.role import Role
from attention_explorer.errors import FileError
from attention_explorer.kit.theme import DARK, LIGHT, THEMES
from attention_explorer.pages.lookup.state import QUERY, LookupState, Part
from attention_explorer.pages.registry import PAGES
from attention_explorer.session import threads
from attention_explorer.session.settings import ZOOM_STEPS, Settings, SettingsStore, ThemeChoice
from attention_explorer.window.actions import WINDOW_ACTIONS

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(make_window):
    return make_window()


def dialog(window) -> QDialog:
    return next(child for child in window.findChildren(QDialog) if child.isVisible())


def test_undo_and_redo_by_keyboard_and_their_names(window, qtbot):
    canvas = window.page.canvas
    undo = window._actions["undo"]
    assert not undo.isEnabled()
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    assert undo.isEnabled()
    assert undo.text() == "&Undo “Nudge query”"
    qtbot.keyClick(canvas, Qt.Key.Key_Z, CTRL)
    assert window.session.state.lookup == LookupState()
    qtbot.keyClick(canvas, Qt.Key.Key_Z, CTRL | SHIFT)
    assert window.session.state.lookup.query == (1.5, 0.6)
    assert not window._actions["redo"].isEnabled()


def test_no_two_actions_share_a_shortcut(window):
    keys = [QKeySequence(key).toString() for action in WINDOW_ACTIONS for key in action.shortcuts]
    keys += [QKeySequence(action.shortcut).toString() for action in window.page.actions_offered() if action.shortcut]
    assert len(keys) == len(set(keys))
    assert all(keys)


def test_every_action_has_an_id_of_its_own_and_a_tip(window):
    assert len({action.id for action in WINDOW_ACTIONS}) == len(WINDOW_ACTIONS)
    assert all(action.tip for action in WINDOW_ACTIONS)
    assert all(action.tip for action in window.page.actions_offered() if action.text)


def test_the_shortcut_sheet_lists_all_of_them(window):
    window._actions["shortcuts"].trigger()
    shown = {label.text() for label in dialog(window).findChildren(QLabel)}
    for keys, what in (*window.page.keys_offered(), *window.keys_offered()):
        assert keys in shown
        assert what in shown
    assert "H" in shown
    dialog(window).close()


def test_about_names_version_and_licence(window):
    window._actions["about"].trigger()
    text = " ".join(label.text() for label in dialog(window).findChildren(QLabel))
    assert "0.1.0" in text
    assert "MIT" in text
    dialog(window).close()


def test_switching_colours_repaints_everything(window):
    before = window.page.canvas.grab().toImage()
    window._actions["theme-dark"].trigger()
    assert window.look.theme is DARK
    assert window._actions["theme-dark"].isChecked()
    assert not window._actions["theme-light"].isChecked()
    assert window.page.canvas.grab().toImage() != before
    assert QApplication.palette().window().color() == QColor(DARK.window)
    window.switch_theme()
    assert window.look.theme is LIGHT
    assert window.page.canvas.grab().toImage() == before


def test_system_colours_follow_the_desktop(make_window, monkeypatch):
    window = make_window(settings=Settings(theme=ThemeChoice.SYSTEM))
    for dark, theme in ((True, DARK), (False, LIGHT)):
        monkeypatch.setattr("attention_explorer.window.window.system_is_dark", lambda dark=dark: dark)
        QGuiApplication.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Unknown)
        assert window.look.theme is theme
    window.set_theme(ThemeChoice.LIGHT)
    monkeypatch.setattr("attention_explorer.window.window.system_is_dark", lambda: True)
    QGuiApplication.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Unknown)
    assert window.look.theme is LIGHT


def test_a_message_takes_the_place_of_the_read_out_at_every_size_and_leaves_nothing_behind(window, qtbot):
    read_out, screen = window._readout, window.screen()

    def bar() -> QImage:
        """The pixels of the window as they are, for an image of a widget would be painted anew."""
        QApplication.processEvents()
        place = window.statusBar().geometry()
        return screen.grabWindow(window.winId(), place.x(), place.y(), place.width(), place.height()).toImage()

    for zoom in (1.25, 1.5, 1.0):
        window.set_zoom(zoom)
        qtbot.wait(20)
        assert read_out.shown() == f"Size {zoom:.0%}".replace("%", " %")
        message = bar()
        window.switch_theme()
        window.switch_theme()
        assert bar() == message
        window.say("under the pointer")
        assert bar() == message
        window.statusBar().clearMessage()
        window.say("")
        empty = bar()
        assert empty != message
        window.statusBar().repaint()
        assert bar() == empty, "nothing of the message is left"
    assert read_out.shown() == ""


def test_zoom_steps_and_stops_at_both_ends(window, qtbot):
    canvas = window.page.canvas
    qtbot.keyClick(canvas, Qt.Key.Key_Equal, CTRL)
    assert window.look.zoom == ZOOM_STEPS[ZOOM_STEPS.index(1.0) + 1]
    for _ in range(20):
        window.step_zoom(1)
    assert window.look.zoom == ZOOM_STEPS[-1] == 2.0
    for _ in range(20):
        window.step_zoom(-1)
    assert window.look.zoom == ZOOM_STEPS[0]
    qtbot.keyClick(canvas, Qt.Key.Key_0, CTRL)
    assert window.look.zoom == 1.0


def test_what_the_window_looked_like_is_remembered(make_window, settings_path):
    window = make_window(size=(700, 560))
    window.set_theme(ThemeChoice.DARK)
    window.set_zoom(1.25)
    window.close()
    settings = SettingsStore(settings_path).load()
    assert settings.theme is ThemeChoice.DARK
    assert settings.zoom == 1.25
    again = make_window(settings=settings, size=(640, 480))
    assert again.look.theme is DARK
    again.restoreGeometry(settings.geometry)
    assert (again.width(), again.height()) == (700, 560)


def test_a_setting_for_a_page_that_does_not_exist_shows_the_first(make_window):
    window = make_window(settings=Settings(page="no such page"))
    assert window.settings.page == PAGES[0].id


def test_a_refusal_stands_in_the_status_bar(window):
    window.page.refused.emit("That cannot be.")
    assert window.statusBar().currentMessage() == "That cannot be."


def test_hovering_says_what_is_under_the_pointer(window, hand):
    canvas = window.page.canvas
    hand(canvas).move(canvas.scene().place(window.session.state.lookup.parts()[1]))
    assert window._readout.text().startswith("k₁ = (2, 0.2) · q·k₁ = +2.92 · weight 0.907207046882843")


def test_full_screen_and_back(window):
    window.toggle_full_screen()
    assert window.isFullScreen()
    window.toggle_full_screen()
    assert not window.isFullScreen()


# ---- Errors ----


def test_an_uncaught_error_ends_in_a_dialog_with_a_report_to_copy(window, qtbot, monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    reporter = ErrorReporter(window)
    reporter.install()
    try:
        raise ZeroDivisionError("the number of keys is zero")
    except ZeroDivisionError as error:
        sys.excepthook(ZeroDivisionError, error, error.__traceback__)
    shown = dialog(window)
    text = shown.findChild(QPlainTextEdit).toPlainText()
    assert "the number of keys is zero" in text
    assert "Attention Explorer 0.1.0" in text
    assert "ZeroDivisionError" in capsys.readouterr().err
    copy = next(button for button in shown.findChildren(QPushButton) if button.text() == "Copy report")
    qtbot.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == text
    sys.excepthook(ZeroDivisionError, ZeroDivisionError("again"), None)
    assert sum(child.isVisible() for child in window.findChildren(QDialog)) == 1
    shown.close()
    capsys.readouterr()


def test_an_error_on_another_thread_reaches_the_dialog(window, qtbot, monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    reporter = ErrorReporter(window)
    reporter.install()

    def fail() -> None:
        raise RuntimeError("from a worker")

    threads.start(fail, "fails").join()
    qtbot.waitUntil(lambda: any(child.isVisible() for child in window.findChildren(QDialog)))
    assert "from a worker" in dialog(window).findChild(QPlainTextEdit).toPlainText()
    dialog(window).close()
    capsys.readouterr()


def test_a_file_that_is_gone_is_told_and_not_taken_for_an_error_of_the_program(window, monkeypatch, capsys):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    ErrorReporter(window).install()
    sys.excepthook(FileError, FileError("“model.npz” was changed"), None)
    assert window.statusBar().currentMessage() == "“model.npz” was changed"
    assert not [child for child in window.findChildren(QDialog) if child.isVisible()]
    capsys.readouterr()


# ---- Readable and reachable ----


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours as WCAG 2 defines it."""

    def luminance(name: str) -> float:
        channels = (QColor(name).redF(), QColor(name).greenF(), QColor(name).blueF())
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_text_has_enough_contrast_on_everything_it_stands_on(theme):
    inks = ("text", "muted", "query_ink", "key_ink", "value_ink", "output_ink", "loss_ink")
    for ink in inks:
        for ground in ("card", "window", "plane"):
            assert contrast(getattr(theme, ink), getattr(theme, ground)) >= 4.5, (ink, ground)
    for tint in theme.tints:
        for ink in ("text", "muted"):
            assert contrast(getattr(theme, ink), tint) >= 4.4, (ink, tint)
    assert contrast(theme.strong_text, theme.strong) >= 4.5
    assert contrast(theme.text, theme.note) >= 4.5


def test_everything_that_takes_the_keyboard_has_a_name(window):
    for widget in window.findChildren(QWidget):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible():
            named = widget.accessibleName() or getattr(widget, "text", str)()
            inner = widget.objectName().startswith("qt_") or type(widget).__name__ in ("QTabBar", "QScrollArea")
            assert named or inner, widget


@pytest.mark.parametrize("zoom", [0.75, 1.0, 2.0])
@pytest.mark.parametrize("size", [(1280, 800), (2560, 1440)])
def test_buttons_are_never_narrower_than_their_words(make_window, zoom, size):
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, zoom=zoom), size=size)
    for button in window.findChildren(QPushButton):
        if button.isVisible():
            words = button.fontMetrics().horizontalAdvance(button.text())
            assert button.width() >= words, (button.text(), button.width(), words)
    assert (window.width(), window.height()) == size  # nothing forces the window to be larger than the screen
    assert window.page.canvas.height() >= 190


def test_undo_on_another_page_may_take_away_what_is_selected(window, hand):
    canvas = window.page.canvas
    canvas.add_key((1.0, 1.5))
    assert canvas.selected == Part(Role.KEY, 2)
    window.show_page("heads")
    window.session.undo()
    window.show_page("lookup")
    window.activateWindow()
    canvas.setFocus()
    assert canvas.hasFocus()
    assert not canvas.grab().isNull()  # the handles of a selected part are painted where it is
    assert canvas.selected == QUERY


def test_what_was_done_does_not_come_back_later(window):
    """The read-out stands until the pointer moves: a message in it came back when a later one had gone."""
    window.page.done.emit("Saved first.csv")
    assert window.statusBar().currentMessage() == "Saved first.csv"
    window.tell("Saved lesson.attn.json")
    window.statusBar().clearMessage()
    assert "Saved" not in window._readout.text()


@pytest.mark.parametrize("page", ["layer", "lab"])
def test_controls_of_a_line_stand_side_by_side_with_their_middles(make_window, page):
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page=page))
    bar = window.page.bar
    title = next(label for label in bar.findChildren(QLabel) if label.objectName() == "title")
    middles = [part.geometry().center().y() for part in (title, bar.chooser, bar.buttons)]
    assert max(middles) - min(middles) <= 1


def test_what_an_icon_says_loses_its_words_before_the_pages_do(window):
    def without_words() -> set[str]:
        style = Qt.ToolButtonStyle.ToolButtonIconOnly
        return {name for name, button in window.rail.buttons.items() if button.toolButtonStyle() is style}

    lost = []
    for height in range(1000, 500, -20):
        window.resize(1280, height)
        lost.append(without_words())
    assert lost[0] == set()
    assert {"undo", "redo", "back", "theme"} in lost
    assert lost == sorted(lost, key=len)
