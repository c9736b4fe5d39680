"""Steps that visit everything in a window: pages, presets, controls, pictures, dialogs, sizes and long sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QDialog, QLineEdit, QSlider, QTabWidget, QWidget

from attention_explorer.kit.export.dialog import ExportDialog, export_or_explain
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, Picture
from attention_explorer.pages.heads.ui.page import HeadsPage
from attention_explorer.pages.registry import PAGES, presets_of
from attention_explorer.pages.ui.frame_page import FramePage
from attention_explorer.session.settings import ThemeChoice
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.window.window import MainWindow
from benchmarks.heads_stage import sentence_of
from benchmarks.stage import mouse_event

LENGTHS = (64, 100, 300, 1000, 2048)
FORMATS = (".png", ".svg", ".pdf", ".csv", ".npz")
TYPED = "abc def"
MOVES = 12
MOST_OF_A_BOX = 8
"""Entries of a combo box that are tried."""
NOT_PRESSED = ("…", "Export", "Copy", "Undo", "Redo", "Code", "Share", "Present", "Less")
PRESSED = ("Show…",)
"""Words of buttons that open a list over the page."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something that a person does, and in what words."""

    what: str
    act: Callable[[], object]


def steps(window: MainWindow, folder: Path) -> Iterator[Step]:
    """Yield all steps; each is made when the one before it is over."""
    for entry in PAGES:
        yield Step(f"open {entry.id}", partial(window.show_page, entry.id))
        for ready in presets_of(entry.id):
            yield Step(f"{entry.id}: preset {ready.id}", partial(window.show_preset, ready))
        for step in _page_steps(window, folder):
            yield replace(step, what=f"{entry.id}: {step.what}")
        yield Step(f"{entry.id}: as at the start", partial(window.session.apply, ExplorerState(), "Begin"))
    window.show_page("heads")
    yield from _arrays(window)
    yield from _long_sentences(window)
    yield from _files(window, folder)


def _page_steps(window: MainWindow, folder: Path) -> Iterator[Step]:
    page = window.page
    for view in page.views if isinstance(page, FramePage) else (None,):
        if view is not None:
            yield Step(f"show {view.title}", partial(page.show_view, view))
        yield from _controls(page)
        yield from _pointer(page)
    yield from _looks(window)
    yield from _exports(window, folder)


def _controls(page: QWidget) -> Iterator[Step]:
    for tabs in page.findChildren(QTabWidget):
        for index in range(tabs.count()):
            yield Step(f"tab {tabs.tabText(index)}", partial(tabs.setCurrentIndex, index))
            yield from _controls_on_show(tabs.widget(index), within=tabs)
    yield from _controls_on_show(page)


def _controls_on_show(page: QWidget, within: QTabWidget | None = None) -> Iterator[Step]:
    def usable(widget: QWidget) -> bool:
        is_chooser = widget.accessibleName().startswith("View")  # views are walked one after another
        return _tabs_around(widget) is within and widget.isVisible() and widget.isEnabled() and not is_chooser

    for button in page.findChildren(QAbstractButton):
        words = button.text() or button.accessibleName()
        is_left = any(word in words for word in NOT_PRESSED) and words not in PRESSED
        if usable(button) and not is_left:
            yield Step(f"press {words}", partial(_press, button))
    if (popup := QApplication.activePopupWidget()) is not None:
        yield Step("close the list", popup.close)
    for box in page.findChildren(QComboBox):
        if usable(box):
            for index in range(min(box.count(), MOST_OF_A_BOX)):
                yield Step(f"{box.accessibleName()} {box.itemText(index)}", partial(_take, box, index))
    for slider in page.findChildren(QSlider):
        for value in (slider.minimum(), slider.maximum(), (slider.minimum() + slider.maximum()) // 2):
            if usable(slider):
                yield Step(f"{slider.accessibleName()} at {value}", partial(slider.setValue, value))
    for field in page.findChildren(QLineEdit):
        if field.accessibleName() and usable(field):
            for letter in TYPED:
                yield Step(f"type into {field.accessibleName()}", partial(QTest.keyClicks, field, letter))
            yield Step(f"confirm {field.accessibleName()}", partial(QTest.keyClick, field, Qt.Key.Key_Return))


def _tabs_around(widget: QWidget) -> QTabWidget | None:
    """Return the tabs that a widget is in, if it is in any."""
    around: QObject | None = widget.parent()
    while around is not None and not isinstance(around, QTabWidget):
        around = around.parent()
    return around


def _press(button: QAbstractButton) -> None:
    if button.isVisible():  # what the step before has set going may have put it away meanwhile
        button.click()


def _take(box: QComboBox, index: int) -> None:
    box.setCurrentIndex(index)
    box.activated.emit(index)


def _pointer(page: QWidget) -> Iterator[Step]:
    """Point along the diagonal of the large picture, drag along it, and turn the wheel."""
    canvas: QWidget = page.canvas  # type: ignore[attr-defined] # every page has one
    places = [QPointF(canvas.width() * i / MOVES, canvas.height() * i / MOVES) for i in range(1, MOVES)]
    for place in places:
        yield Step("point", partial(_send, canvas, QEvent.Type.MouseMove, place, pressed=False))
    yield Step("press", partial(_send, canvas, QEvent.Type.MouseButtonPress, places[3]))
    for place in places[4:]:
        yield Step("drag", partial(_send, canvas, QEvent.Type.MouseMove, place))
    yield Step("release", partial(_send, canvas, QEvent.Type.MouseButtonRelease, places[-1]))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Plus, Qt.Key.Key_Home, Qt.Key.Key_Escape):
        yield Step(f"key {key.name}", partial(QTest.keyClick, canvas, key))


def _send(canvas: QWidget, kind: QEvent.Type, at: QPointF, *, pressed: bool = True) -> None:
    QApplication.sendEvent(canvas, mouse_event(canvas, kind, at, pressed=pressed))


def _looks(window: MainWindow) -> Iterator[Step]:
    size = window.size()
    yield Step("dark", partial(window.set_theme, ThemeChoice.DARK))
    yield Step("light", partial(window.set_theme, ThemeChoice.LIGHT))
    for zoom in (2.0, 1.0):
        yield Step(f"zoom {zoom:g}", partial(window.set_zoom, zoom))
    for other in (QSize(1280, 800), QSize(1600, 1000), QSize(2560, 1440), size):
        yield Step(f"resize to {other.width()}", partial(window.resize, other))


def _exports(window: MainWindow, folder: Path) -> Iterator[Step]:
    dialogs: list[ExportDialog] = []

    def open_dialog() -> None:
        dialogs.append(ExportDialog(window.page, window.page.figure()))
        dialogs[-1].open()

    yield Step("open export", open_dialog)
    for box in dialogs[-1].findChildren(QComboBox):
        for index in range(box.count()):
            yield Step(f"export, {box.accessibleName()} {box.itemText(index)}", partial(_take, box, index))
    yield Step("close export", dialogs[-1].reject)
    dialogs[-1].deleteLater()
    for suffix in FORMATS:
        path = folder / f"figure{suffix}"
        yield Step(f"write {suffix}", lambda path=path: export_or_explain(window.page, window.page.figure(), path))
    yield Step("copy picture", window.page.copy_picture)
    yield Step("copy numbers", window.page.copy_numbers)


def _arrays(window: MainWindow) -> Iterator[Step]:
    page = window.page
    if not isinstance(page, HeadsPage):
        raise TypeError("The arrays are behind the Heads page.")
    yield Step("heads: arrays in Layer", page.show_arrays)
    for step in (*_pointer(window.page), *_controls(window.page)):
        yield replace(step, what=f"arrays in Layer: {step.what}")
    yield Step("open heads", partial(window.show_page, "heads"))


def _long_sentences(window: MainWindow) -> Iterator[Step]:
    for tokens in LENGTHS:
        setup = HeadsSetup(ToyRecipe(sentence_of(tokens), d_model=128, heads=8, layers=2))
        for picture in Picture:
            heads = HeadsState(setup).with_view(picture=picture)
            yield Step(f"heads: {tokens} tokens, {picture}", partial(_show, window, heads))
        for aggregate in Aggregate:
            heads = HeadsState(replace(setup, aggregate=aggregate))
            yield Step(f"heads: {tokens} tokens, {aggregate}", partial(_show, window, heads))
        yield Step(f"heads: {tokens} tokens", partial(_show, window, HeadsState(setup)))
        for step in (*_pointer(window.page), *_looks(window)):
            yield replace(step, what=f"heads: {tokens} tokens, {step.what}")
        for step in _arrays(window):
            yield replace(step, what=f"{step.what}, {tokens} tokens")


def _show(window: MainWindow, heads: HeadsState) -> None:
    window.session.apply(replace(window.session.state, heads=heads), "Show")


def _files(window: MainWindow, folder: Path) -> Iterator[Step]:
    path = folder / "lesson.attn.json"
    yield Step("save the session", partial(window.files._save, path, lambda: None))  # noqa: SLF001 - without the dialog
    yield Step("open the session", partial(window.files.open, path))
    yield Step("the keys", window.tools.terms.help)
    yield Step("close them", _close_dialogs)
    yield Step("about", window.show_about)
    yield Step("close it", _close_dialogs)
    for menu in window.menuBar().actions():
        yield Step(f"menu {menu.text()}", partial(menu.menu().popup, window.mapToGlobal(QPoint(100, 40))))
        yield Step("close the menu", menu.menu().close)


def _close_dialogs() -> None:
    for dialog in QApplication.topLevelWidgets():
        if isinstance(dialog, QDialog) and dialog.isVisible():
            dialog.close()
