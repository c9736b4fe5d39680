"""What people type by mistake into every field for a number: it is read as it must be meant, or refused in words."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from shiboken6 import isValid

from attention_explorer.core.numerals import parsed_number
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.number_box import NumberBox, WholeNumberBox
from attention_explorer.kit.theme import LIGHT
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsState, HeadsView, Picture
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.lookup.sums import Column
from attention_explorer.pages.registry import PAGES
from attention_explorer.session.settings import Settings, ThemeChoice

# What is typed, and what it means: None for nothing that can be used anywhere.
TYPED: tuple[tuple[str, float | None], ...] = (
    ("NaN", None),
    ("inf", None),
    ("−∞", None),
    ("1e400", None),
    ("9" * 400, None),
    ("9" * 5000, None),
    ("", None),
    ("   ", None),
    ("1e", None),
    ("1_000", None),
    ("1.234,5", None),
    ("1,250", None),
    ("1..2", None),
    ("1,2,3", None),
    ("3 4", None),
    ("3\t4", None),
    ("0x10", None),
    ("½", None),
    ("\u202e5", None),
    ("1\x00", None),
    ("x" * 30_000, None),
    ("-0", 0.0),
    ("−3", -3.0),
    ("- 3", -3.0),
    (" 3 ", 3.0),
    ("1,5", 1.5),
    ("٣", 3.0),
    ("٣٫٥", 3.5),
    ("1 048 576", 1_048_576.0),
    ("1\u202f048\u202f576", 1_048_576.0),
    ("1e300", 1e300),
)

PASTED = tuple(each for each in TYPED if "\x00" not in each[0])
"""Of a text with a NUL in it a field takes what stands before."""


@pytest.mark.parametrize(("text", "meant"), TYPED, ids=[ascii(text[:12]) for text, _ in TYPED])
def test_a_number_is_read_as_it_must_be_meant_or_not_at_all(text: str, meant: float | None) -> None:
    if meant is None:
        with pytest.raises(ExplorerError, match=r"Type one such as|type 1250 or 1\.250") as caught:
            parsed_number(text)
        assert len(str(caught.value)) < 130
        assert str(caught.value).isprintable()
    else:
        assert parsed_number(text) == meant
        assert math.copysign(1.0, parsed_number(text)) == (-1.0 if meant < 0 else 1.0), "there is no −0"


def typed(box: NumberBox, text: str) -> list[str]:
    """Put a text into a field as pasting does, leave the field, and return what was refused."""
    refused: list[str] = []
    box.refused.connect(refused.append)
    QApplication.clipboard().setText(text)
    box.selectAll()
    if text:
        box.lineEdit().paste()
    else:
        box.lineEdit().del_()
    box.interpretText()
    box.refused.disconnect(refused.append)
    return refused


def show_numbers(window, page: str) -> None:
    """Open the drawer of a page that has all its numbers there."""
    if page in ("layer", "training", "circuits"):
        window.page.open_drawer(True)


@pytest.mark.parametrize("page", [entry.id for entry in PAGES])
def test_every_field_of_a_page_keeps_its_number_or_takes_what_was_meant(make_window, page: str) -> None:
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page=page))
    said: list[str] = []
    window.page.refused.connect(said.append)
    show_numbers(window, page)
    boxes = window.page.findChildren(NumberBox)
    for box in boxes:
        for text, meant in PASTED:
            if not isValid(box):
                break
            before, state = box.value(), window.session.state
            said.clear()
            refused = typed(box, text)
            where = f"{box.accessibleName()}: {text[:12]!a}"
            usable = (
                meant is not None
                and box.minimum() <= meant <= box.maximum()
                and (not isinstance(box, WholeNumberBox) or meant.is_integer())
            )
            if usable:
                # Heads that cannot share d_model, say: the page says why, and shows what is used.
                assert box.value() == round(meant, box.decimals()) or said, where
            else:
                assert box.value() == before, where
                assert window.session.state == state, where
                assert [len(sentence) < 200 and sentence.endswith(".") for sentence in refused] == [True], where
                assert said == refused, f"{where}: the page passes the sentence on to the status bar"
            window.session.restart(state)
    assert boxes


def test_the_table_of_the_lookup_keeps_its_number_or_takes_what_was_meant(make_window) -> None:
    window = make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="lookup"))
    QTest.mouseClick(window.page.panel.more, Qt.MouseButton.LeftButton)
    assert window.page.table.isVisible()
    numbers = window.page.table.numbers
    cell = numbers.index(1, Column.X)
    for text, meant in TYPED:
        state = window.session.state
        window.statusBar().clearMessage()
        done = numbers.setData(cell, text, Qt.ItemDataRole.EditRole)
        if meant is not None and abs(meant) <= 1e6:
            assert done
            assert numbers.number(1, Column.X) == meant
        else:
            assert not done
            assert window.session.state == state
            assert window.statusBar().currentMessage().endswith(".")
        window.session.restart(state)


@pytest.mark.parametrize("page", [entry.id for entry in PAGES])
def test_enter_in_a_field_gives_the_keyboard_back_to_the_picture(make_window, page: str) -> None:
    with_a_field = ExplorerState(heads=HeadsState(view=HeadsView(picture=Picture.LINES)))
    window = make_window(with_a_field, settings=Settings(theme=ThemeChoice.LIGHT, page=page))
    show_numbers(window, page)
    window.page.focus_first()
    picture = window.focusWidget()
    box = next(box for box in window.page.findChildren(NumberBox) if box.isVisible() and box.isEnabled())
    box.setFocus()
    assert window.focusWidget() is box
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert window.focusWidget() is picture


@pytest.fixture
def refusing(open_lab):
    """The Lab page with a field in which something stands that is no number, and what stood there before."""
    at = open_lab()
    box = at.main.box
    shown = box.text()
    at.type_into(box, "1e")
    return at, box, shown


def is_marked(box: NumberBox) -> bool:
    """Whether a field is painted as one that cannot be used: on the ground of notes."""
    image = box.grab().toImage()
    return bool(image.pixelColor(box.width() // 4, box.height() // 2) == QColor(LIGHT.note))


def test_what_is_refused_stays_and_is_marked_with_the_reason_beside_it(refusing) -> None:
    at, box, shown = refusing
    reason = "“1e” does not fit here: type a whole number from 1 to 16777216."
    assert box.text() == "1e"
    assert is_marked(box)
    assert at.told == reason
    assert box.toolTip().startswith(reason)
    assert box.accessibleDescription() == reason
    QApplication.processEvents()
    assert QToolTip.isVisible()
    assert QToolTip.text() == reason
    assert at.state.n == int(shown)
    assert at.steps == 0


def test_esc_gives_up_what_is_refused_and_nothing_else(refusing) -> None:
    at, box, shown = refusing
    at.page.open_drawer(True)
    box.setFocus()
    at.key(Qt.Key.Key_Escape, widget=box)
    assert box.text() == shown
    assert not is_marked(box)
    assert "does not fit" not in box.toolTip() + box.accessibleDescription()
    assert at.page.is_open
    at.key(Qt.Key.Key_Escape, widget=box)
    assert not at.page.is_open


def test_what_is_refused_is_mended(refusing) -> None:
    at, box, _ = refusing
    QTest.keyClick(box, Qt.Key.Key_End)
    for text, marked in (("1ex", True), ("1e", True), ("1e3", False)):
        QTest.keyClick(box, Qt.Key.Key_Backspace) if len(text) < 3 else QTest.keyClicks(box, text[-1])
        assert box.text() == text
        assert is_marked(box) == marked
    at.key(Qt.Key.Key_Return, widget=box)
    assert at.state.n == 1000
    assert box.text() == "1000"


def test_what_is_refused_stays_while_the_keyboard_is_elsewhere(refusing) -> None:
    at, box, _ = refusing
    at.canvas.setFocus()
    assert box.text() == "1e"
    assert is_marked(box)
    box.setFocus()
    at.key(Qt.Key.Key_Up, widget=box)  # a step goes from the number in use
    assert at.state.n == 1025
    assert box.text() == "1025"
    assert not is_marked(box)


def test_what_is_refused_goes_with_another_number_or_another_view(refusing) -> None:
    at, box, shown = refusing
    at.canvas.setFocus()
    at.drag_slider(at.main.slider, 100.0)
    assert box.text() == str(at.state.n) != shown
    at.type_into(box, "x")
    assert is_marked(box)
    was = at.view.id
    at.show(LabView.NORM)
    at.show(was)
    assert box.text() == str(at.state.n)
    assert not is_marked(box)


def test_nothing_is_no_text_to_mend(refusing, qtbot) -> None:
    at, box, shown = refusing
    QApplication.processEvents()
    assert QToolTip.isVisible()
    box.selectAll()
    QTest.keyClick(box, Qt.Key.Key_Delete)
    at.key(Qt.Key.Key_Return, widget=box)
    qtbot.waitUntil(lambda: not QToolTip.isVisible())  # which spoke of another text
    assert box.text() == shown
    assert not is_marked(box)
    assert "does not fit here" in at.told


def test_undo_in_a_field_gives_up_what_is_refused_first(refusing) -> None:
    at, box, shown = refusing
    at.drag_slider(at.main.slider, 100.0)
    at.type_into(box, "x")
    QTest.keyClick(box, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert box.text() == str(at.state.n) != shown
    QTest.keyClick(box, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert box.text() == shown
