"""Everything can be reached and used by the keyboard alone, in reading order, and one sees where it is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from heads_driver import pixels
from people_driver import (
    first_state,
    in_window,
    press_tab,
    scenes_of,
    show_state,
    widgets_shown,
    windows_beside,
)
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QPushButton, QVBoxLayout, QWidget
from writing_driver import name_of

from attention_explorer.core.role import Role
from attention_explorer.kit.drawing.colour_maps import GRAPHICS_CONTRAST
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.lookup.state import Part
from attention_explorer.pages.registry import PAGE_IDS
from attention_explorer.session.settings import Settings, ThemeChoice

MOST_TABS = 300


def reachable(root: QWidget) -> set[QWidget]:
    """Return what Tab should reach."""
    return {
        widget
        for widget in widgets_shown(root)
        if widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
    }


def tabbed(window: QWidget, *, back: bool = False) -> list[QWidget]:
    """Press Tab until it comes round, and return who had the keyboard, in order."""
    visited: list[QWidget] = []
    for _ in range(MOST_TABS):
        now = press_tab(window, back)
        assert now is not None
        if visited and now is visited[0] and now is not visited[-1]:
            return visited
        if not visited or now is not visited[-1]:  # a picture may have stations of its own
            visited.append(now)
    raise AssertionError(f"the keyboard is trapped in {name_of(visited[-1])}")


def out_of_order(visited: list[QWidget]) -> list[str]:
    """Return who came before somebody above it, or to the left of it, in the same part of the window."""
    first: dict[QWidget, int] = {}
    for number, widget in enumerate(visited):
        whole: QWidget | None = widget
        while whole is not None and not whole.isWindow():
            first.setdefault(whole, number)
            whole = whole.parentWidget()
    return [
        f"{name_of(one)} {one.geometry().getRect()} before {name_of(other)} {other.geometry().getRect()}"
        for one in first
        for other in first
        if one.parentWidget() is other.parentWidget() and first[one] < first[other] and _is_behind(one, other)
    ]


def _is_behind(one: QWidget, other: QWidget) -> bool:
    """Whether one is read after the other: it stands below it, or in the same line to the right of it."""
    slack = 4
    a, b = one.geometry(), other.geometry()
    is_below, is_above = b.bottom() <= a.top() + slack, a.bottom() <= b.top() + slack
    return is_below or (not is_above and b.right() <= a.left() + slack)


def of_page(window: QWidget, visited: list[QWidget]) -> list[QWidget]:
    """Return those on the page, beginning where the page is entered."""
    inside = [window.page.isAncestorOf(widget) for widget in visited]
    start = next(i for i in range(len(visited)) if inside[i] and not inside[i - 1])
    turned = visited[start:] + visited[:start]
    return [widget for widget in turned if window.page.isAncestorOf(widget)]


@pytest.mark.parametrize("page", PAGE_IDS)
def test_tab_reaches_everything_in_reading_order(page_window, page):
    window, faults = page_window(page), []
    for scene in scenes_of(page):
        scene.show(window)
        window.page.focus_first()
        visited = tabbed(window)
        faults += [f"{scene.name}: {name_of(widget)} is out of reach" for widget in reachable(window) - set(visited)]
        faults += [f"{scene.name}: {fault}" for fault in out_of_order(of_page(window, visited))]
        window.page.focus_first()
        missed = set(visited) - set(tabbed(window, back=True))
        faults += [f"{scene.name}: {name_of(widget)} is out of reach backwards" for widget in missed]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("picture", list(Picture))
def test_heads_open_with_the_keyboard_on_the_picture_shown(make_window, picture):
    state = ExplorerState(heads=HeadsState().with_view(picture=picture))
    window = make_window(state, Settings(theme=ThemeChoice.LIGHT, page="heads"))
    window.page.settle()
    page = window.page
    shown = page.wall if picture is Picture.ALL else page.canvas
    assert shown.isVisible()
    assert QApplication.focusWidget() is shown


def test_tab_reaches_everything_in_the_windows_beside_the_page(page_window):
    faults = []
    for dialog in windows_beside(page_window("heads")):
        dialog.activateWindow()
        QApplication.processEvents()
        if len(reachable(dialog)) > 1:
            visited = tabbed(dialog)
            missed = [
                widget for widget in reachable(dialog) - set(visited) if not _is_reached_by_arrows(widget, visited)
            ]
            faults += [f"{dialog.windowTitle()}: {name_of(widget)} is out of reach" for widget in missed]
    assert not faults, "\n".join(faults)


def _is_reached_by_arrows(widget: QWidget, visited: list[QWidget]) -> bool:
    """Whether it is one of several buttons of which one is pressed: arrow keys go from one to the next."""
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    return group is not None and group.exclusive() and any(button in visited for button in group.buttons())


def test_a_wrong_order_is_found(qtbot):
    whole = QWidget()
    qtbot.addWidget(whole)
    column = QVBoxLayout(whole)
    upper, lower = QPushButton("upper"), QPushButton("lower")
    column.addWidget(upper)
    column.addWidget(lower)
    whole.show()
    assert not out_of_order([upper, lower])
    assert "“lower”" in out_of_order([lower, upper])[0]


# ---- Where the keyboard is ----


def luminances(image: np.ndarray) -> np.ndarray:
    """Return how bright pixels (n,) of 0x00RRGGBB are."""
    parts = np.stack([(image >> 16) & 255, (image >> 8) & 255, image & 255], -1) / 255.0
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def strongly_changed(before: np.ndarray, after: np.ndarray) -> int:
    """Return how many pixels differ by a contrast of 3 or more."""
    differs = before != after
    one, other = luminances(before[differs]) + 0.05, luminances(after[differs]) + 0.05
    return int((np.maximum(one, other) / np.minimum(one, other) >= GRAPHICS_CONTRAST).sum())


def hidden_focus(window: QWidget, seen: set[str]) -> Iterator[str]:
    """Yield what does not show that it has the keyboard, of what was not seen before."""
    for widget in tabbed(window):  # once round: now each scrolls into view as it is reached
        reached = press_tab(window)
        while reached is not widget:
            reached = press_tab(window)
        if name_of(widget) in seen:
            continue
        seen.add(name_of(widget))
        QApplication.processEvents()
        box = in_window(widget).adjusted(-2, -2, 2, 2) & QRect(QPoint(), window.size())
        with_it = pixels(window.grab(box).toImage()).copy()
        widget.clearFocus()
        QApplication.processEvents()
        without = pixels(window.grab(box).toImage()).copy()
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        needed = min(0.6 * 2 * (widget.width() + widget.height()), 250)
        changed = strongly_changed(with_it, without)
        if changed < needed:
            yield f"{name_of(widget)}: {changed} pixels of {needed:.0f}"


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK], ids=str)
@pytest.mark.parametrize("page", PAGE_IDS)
def test_one_sees_who_has_the_keyboard(page_window, page, theme):
    window, seen, faults = page_window(page), set(), []
    window.set_theme(theme)
    for scene in scenes_of(page):
        scene.show(window)
        window.page.focus_first()
        faults += [f"{scene.name}: {fault}" for fault in hidden_focus(window, seen)]
    assert not faults, "\n".join(faults)
    assert len(seen) > 10


@pytest.mark.parametrize("theme", [ThemeChoice.LIGHT, ThemeChoice.DARK], ids=str)
def test_one_sees_it_in_the_windows_beside_the_page(page_window, theme):
    window, seen, faults = page_window("heads"), set(), []
    window.set_theme(theme)
    for dialog in windows_beside(window):
        dialog.activateWindow()
        QApplication.processEvents()
        if len(reachable(dialog)) > 1:
            faults += [f"{dialog.windowTitle()}: {fault}" for fault in hidden_focus(dialog, seen)]
    assert not faults, "\n".join(faults)


# ---- What the mouse can do, keys can do ----


def press(widget: QWidget, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(widget, key)


def test_keys_move_the_view_of_the_plane_where_no_vector_is_selected(page_window):
    window = page_window("lookup")
    show_state(window, first_state("lookup"))
    canvas = window.page.canvas
    canvas.setFocus()
    canvas.show_home()
    before, state = canvas.scene().transform.visible, window.session.state.lookup
    press(canvas, Qt.Key.Key_Escape, Qt.Key.Key_Right, Qt.Key.Key_Up)
    after = canvas.scene().transform.visible
    assert after.left - before.left == pytest.approx(0.1 * before.width)
    assert after.bottom - before.bottom == pytest.approx(0.1 * before.width)
    assert window.session.state.lookup.without_view() == state.without_view(), "no vector moved"
    canvas.show_home()
    canvas.select(Part(Role.QUERY))


def test_keys_keep_a_row_or_a_column_of_the_map(page_window):
    window = page_window("heads")
    show_state(window, first_state("heads"))
    canvas = window.page.canvas
    press(canvas, Qt.Key.Key_Escape, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right)
    assert window.page.pinned == Spot(1, 2)
    press(canvas, Qt.Key.Key_R)
    assert window.page.pinned == Spot(1, None)
    press(canvas, Qt.Key.Key_Down)
    assert window.page.pinned == Spot(2, None)
    press(canvas, Qt.Key.Key_R)
    assert window.page.pinned == Spot(2, 0)
    press(canvas, Qt.Key.Key_Right, Qt.Key.Key_C)
    assert window.page.pinned == Spot(None, 1)


def test_the_view_of_the_map_follows_the_keys(page_window):
    window = page_window("heads")
    show_state(window, first_state("heads"))
    canvas = window.page.canvas
    press(canvas, Qt.Key.Key_Escape, *[Qt.Key.Key_Plus] * 5)
    seen = window.session.state.heads.view.window
    assert seen is not None
    assert seen.bottom < 11
    press(canvas, Qt.Key.Key_Right, *[Qt.Key.Key_Down] * 10, *[Qt.Key.Key_Right] * 10)
    assert window.page.pinned == Spot(10, 10)
    seen = window.session.state.heads.view.window
    assert (seen.bottom, seen.right) == (11, 11)
    canvas.show_all()


def test_the_menu_key_opens_the_menu_of_the_chosen_head(page_window, monkeypatch):
    opened: list[QMenu] = []
    monkeypatch.setattr(QMenu, "popup", lambda menu, _where: opened.append(menu))
    window = page_window("heads")
    show_state(window, first_state("heads"))
    wall = window.page.wall
    wall.choose(0, 2)
    where = wall.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, where, wall.mapToGlobal(where))
    QApplication.sendEvent(wall, event)
    next(action for action in opened[0].actions() if action.text() == "Switch off").trigger()
    assert window.session.state.heads.setup.switched_off == frozenset({(0, 2)})
    opened[0].deleteLater()
