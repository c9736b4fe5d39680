"""What a screen reader is told: a name for everything, words for every picture, numbers for every slider."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest
from people_driver import (
    catch_up,
    first_state,
    scenes_of,
    show_state,
    views_of_lab,
    views_of_lookup,
    widgets_shown,
    windows_beside,
)
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QScrollArea,
    QSlider,
    QTabWidget,
    QWidget,
)
from writing_driver import name_of

from attention_explorer.kit import accessible
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.frame.panel import TryBox
from attention_explorer.kit.pictures.pointed_picture import PointedPicture
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.state import LookupView
from attention_explorer.pages.registry import PAGE_IDS, find_preset

Role = QAccessible.Role
TOO_MANY = (Role.Cell, Role.ColumnHeader, Role.RowHeader)
"""Parts of tables, which Qt names by what stands in them."""
NAMED = {
    Role.Button,
    Role.ButtonMenu,
    Role.CheckBox,
    Role.Chart,
    Role.ComboBox,
    Role.EditableText,
    Role.Graphic,
    Role.List,
    Role.MenuItem,
    Role.PageTab,
    Role.RadioButton,
    Role.Slider,
    Role.SpinBox,
    Role.Table,
}


def interface_of(widget: QWidget) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(widget)


def said(interface: QAccessibleInterface, kind: QAccessible.Text = QAccessible.Text.Name) -> str:
    return interface.text(kind)


def parts_of(interface: QAccessibleInterface) -> Iterator[QAccessibleInterface]:
    """Yield an interface and all below it that are on show."""
    yield interface
    for index in range(interface.childCount()):
        child = interface.child(index)
        if child is not None and child.isValid() and child.role() not in TOO_MANY and not child.state().invisible:
            yield from parts_of(child)


def unnamed(root: QWidget) -> list[str]:
    """Return what nobody who cannot see it could know."""
    found = []
    for part in parts_of(interface_of(root)):
        widget, role, name = part.object(), part.role(), said(part)
        focusable = isinstance(widget, QWidget) and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        kind = f"{type(widget).__name__} {role} “{name}”"
        if not name.strip() and (focusable or role in NAMED) and not _is_part_of_a_field(widget):
            found.append(f"{kind} has no name")
        if role in (Role.Graphic, Role.Chart) and not said(part, QAccessible.Text.Description).strip():
            found.append(f"{kind} says nothing of what it shows")
        if role is Role.Client and focusable and not isinstance(widget, (QTabWidget, QScrollArea)):
            found.append(f"{kind} does not say what it is")
    return found


def untold(root: QWidget) -> list[str]:
    """Return controls that do not say what they do, by a tip of their own or of what they are in."""
    kinds = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QSlider)
    controls = (widget for widget in widgets_shown(root) if isinstance(widget, kinds))
    alone = (control for control in controls if not _is_part_of_a_field(control) and not isinstance(control, TryBox))
    return [f"{name_of(each)} has no tip" for each in alone if not (each.toolTip() or each.parentWidget().toolTip())]


def _is_part_of_a_field(widget: QWidget) -> bool:
    return widget.objectName().startswith("qt_table") or (
        isinstance(widget, QLineEdit) and isinstance(widget.parentWidget(), (QAbstractSpinBox, QComboBox))
    )


@pytest.mark.parametrize("page", PAGE_IDS)
def test_everything_has_a_name_and_every_picture_words(page_window, page):
    window, faults = page_window(page), []
    for scene in scenes_of(page):
        scene.show(window)
        faults += [f"{scene.name}: {fault}" for fault in (*unnamed(window), *untold(window.page))]
    assert not faults, "\n".join(faults)


def test_so_have_the_windows_beside_the_page(page_window):
    faults = []
    for dialog in windows_beside(page_window("heads")):
        faults += [f"{dialog.windowTitle()}: {fault}" for fault in unnamed(dialog)]
    assert not faults, "\n".join(faults)


def test_menus_name_what_they_do(page_window):
    window = page_window("lookup")
    menus = [action.menu() for action in window.menuBar().actions()]
    entries = [action for menu in menus for action in menu.actions() if not action.isSeparator()]
    assert len(entries) > 15
    assert all(entry.text() and (entry.statusTip() or entry.menu() is not None) for entry in entries)


@pytest.mark.parametrize("page", PAGE_IDS)
def test_the_words_of_the_large_picture_follow_the_state(page_window, page):
    window = page_window(page)
    scenes = {"lab": views_of_lab, "lookup": views_of_lookup}.get(page, partial(scenes_of, page))()
    words = set()
    scenes = [scene for scene in scenes if "drawer" not in scene.name]  # whose picture is that of another scene
    for scene in scenes if page != "heads" else scenes[:1]:
        scene.show(window)
        words.add(said(interface_of(window.page.canvas), QAccessible.Text.Description))
    if page == "lookup":
        state = first_state(page).lookup
        for other in (state.with_temperature(0.25), replace(state, view=LookupView.GRADIENT)):
            show_state(window, replace(first_state(page), lookup=other))
            words.add(said(interface_of(window.page.canvas), QAccessible.Text.Description))
    if page == "heads":
        show_state(window, replace(first_state(page), heads=first_state(page).heads.with_setup(hard=True)))
        words.add(said(interface_of(window.page.canvas), QAccessible.Text.Description))
    assert len(words) >= 2
    assert all(len(text) > 60 for text in words)
    assert len(words) == (2 if page == "heads" else len(scenes) + 2 * (page == "lookup"))


@pytest.mark.parametrize("page", PAGE_IDS)
def test_sliders_and_fields_tell_their_numbers(page_window, page):
    window = page_window(page)
    first, *others = scenes_of(page)
    with_drawer = ("layer", "training", "circuits")
    with_numbers = (scene for scene in others if page in with_drawer and "drawer" in scene.name)
    next(with_numbers, first).show(window)
    controls = [widget for widget in widgets_shown(window) if isinstance(widget, (QSlider, QDoubleSpinBox))]
    assert controls or page == "heads"  # where they are in the setup
    for control in controls:
        told = interface_of(control).valueInterface()
        assert told is not None
        assert float(told.currentValue()) == pytest.approx(control.value())
        assert float(told.maximumValue()) >= float(told.minimumValue())


def test_pictures_are_pictures_and_words_are_words(page_window):
    window = page_window("positions")
    scenes_of("positions")[0].show(window)
    canvas = interface_of(window.page.canvas)
    assert (canvas.role(), said(canvas)) == (Role.Graphic, "Large picture")
    assert said(canvas, QAccessible.Text.Description).startswith("Every position has its own row of waves")
    block = interface_of(window.page.panel.sentence)
    assert block.role() is Role.StaticText
    assert "sin² + cos² = 1" in said(block, QAccessible.Text.Description)


def test_the_pointed_cell_is_among_the_words(page_window, hand):
    window = page_window("positions")
    scenes_of("positions")[0].show(window)
    canvas = window.page.canvas
    before = said(interface_of(canvas), QAccessible.Text.Description)
    hand(canvas).move(QPointF(canvas.width() / 2, canvas.height() / 3))
    assert canvas.words()
    assert said(interface_of(canvas), QAccessible.Text.Description) != before


def test_interfaces_go_with_their_widgets(qapp):
    """A thousand widgets, asked and thrown away: none is asked after it is gone, none says what another said."""
    accessible.install()
    for number in range(300):
        block = TextBlock(Look(), 1, f"block {number}")
        block.set_text(TextLine(f"words {number}"))
        asked = interface_of(block)
        assert (said(asked), said(asked, QAccessible.Text.Description)) == (f"block {number}", f"words {number}")
        del asked
        block.deleteLater()
        QApplication.sendPostedEvents(block, QEvent.Type.DeferredDelete)
        if number % 100 == 0:
            gc.collect()


def test_every_kind_of_picture_has_words():
    kinds = [kind for kind in _below(PointedPicture) if kind.__module__.startswith("attention_explorer")]
    assert len(kinds) >= 4
    assert all(kind.spoken is not PointedPicture.spoken for kind in kinds)


def _below(kind: type) -> Iterator[type]:
    for below in kind.__subclasses__():
        yield below
        yield from _below(below)


def test_whoever_listens_is_told_that_a_picture_changed(page_window, monkeypatch):
    told = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: told.append(event.type()))
    window = page_window("positions")
    show_state(window, first_state("positions"))
    told.clear()
    scenes_of("positions")[1].show(window)
    catch_up(window)
    assert QAccessible.Event.DescriptionChanged in told


def test_a_symbol_that_begins_a_name_keeps_its_case(page_window):
    window = page_window("lab")
    for preset in ("variance", "gap"):
        show_state(window, find_preset(preset, "scaling").state)
    names = {slider.accessibleName() for slider in window.page.findChildren(QSlider)}
    assert "d_k" in names
    assert "Multiply by" in names, "a word begins with a capital"
