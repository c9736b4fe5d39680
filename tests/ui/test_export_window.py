"""The export window with real keys and clicks: what is chosen is what is shown, copied and written."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QFileDialog
from written_numbers import csv_text

from attention_explorer.core.figure_options import Cells, FigureOptions, FigureTheme, Length, LengthUnit
from attention_explorer.kit.export import dialog as export_dialog
from attention_explorer.kit.export.dialog import ExportDialog
from attention_explorer.kit.export.figure import figure_bytes, rendered
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.ui.figure import HeadsFigure
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.lookup.ui.figure import LookupFigure

REAL_EXEC = ExportDialog.exec


@pytest.fixture
def figure(qapp):
    return HeadsFigure(HeadsState())


@pytest.fixture
def dialog(make_window, figure):
    dialog = ExportDialog(make_window(), figure)
    dialog.show()
    QTest.qWaitForWindowExposed(dialog)
    yield dialog
    dialog.close()
    dialog.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def pick(box, text: str) -> None:
    """Choose an entry of a combo box with the keyboard, as one does without its list open."""
    box.setFocus()
    for _ in range(box.count()):
        QTest.keyClick(box, Qt.Key.Key_Up)
    while box.currentText() != text:
        before = box.currentIndex()
        QTest.keyClick(box, Qt.Key.Key_Down)
        assert box.currentIndex() != before, f"there is no {text}"


def type_into(box, text: str) -> None:
    edit = box.lineEdit()
    edit.setFocus()
    edit.selectAll()
    QTest.keyClicks(edit, text)
    QTest.keyClick(edit, Qt.Key.Key_Delete)  # what a completion adds behind


def settle(dialog) -> None:
    QTest.qWait(export_dialog.PREVIEW_DELAY + 60)


def test_the_window_opens_with_what_is_usual(dialog):
    assert dialog.options == FigureOptions(".png")
    assert dialog.windowTitle() == "Export: head 1 of 8"
    assert "1504 × " in dialog.form.says.text()
    assert "at 192 dpi" in dialog.form.says.text()


def test_every_control_changes_its_option(dialog):
    form = dialog.form
    pick(form.format, "SVG drawing (.svg)")
    pick(form.theme, "Screen, dark")
    pick(form.cells, "An image")
    type_into(form.width_box, "120 mm")
    for box in form.parts.values():
        QTest.keyClick(box, Qt.Key.Key_Space)
    expected = FigureOptions(
        ".svg",
        width=Length(120),
        theme=FigureTheme.DARK,
        title=False,
        axis_names=False,
        colour_bar=False,
        caption=False,
        cells=Cells.IMAGE,
        token_labels=False,
    )
    assert dialog.options == expected
    settle(dialog)
    assert form.says.text().startswith("120 × ")


@pytest.mark.parametrize(
    ("drawn", "part", "said"),
    [
        (HeadsFigure(HeadsState()), "title", False),
        (LookupFigure(LookupState()), "title", True),
        (LookupFigure(LookupState()), "caption", False),
    ],
)
def test_what_a_picture_has_not_is_said_when_it_is_to_be_left_out(make_window, drawn, part, said):
    dialog = ExportDialog(make_window(), drawn)
    box = dialog.form.parts[part]
    words = f"Not in this picture: {part}. "
    for is_off in (True, False):
        QTest.keyClick(box, Qt.Key.Key_Space)
        settle(dialog)
        assert box.isChecked() is not is_off
        assert dialog.form.says.text().startswith(words) is (said and is_off)
        assert "pixels" in dialog.form.says.text()


@pytest.mark.parametrize(
    ("typed", "width"),
    [
        ("120 mm", Length(120)),
        ("12cm", Length(120)),
        ("3.25 in", Length(3.25, LengthUnit.INCH)),
        ("1200px", Length(1200, LengthUnit.PX)),
        ("natural", None),
    ],
)
def test_a_width_can_be_typed(dialog, typed, width):
    type_into(dialog.form.width_box, typed)
    assert dialog.options.width == width


def test_a_common_width_can_be_picked(dialog):
    pick(dialog.form.width_box, "One column, 89 mm")
    assert dialog.options.width == Length(89)
    settle(dialog)
    assert "89 × " in dialog.form.says.text()


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("width_box", "89 furlongs", "“89 furlongs” is no width"),
        ("width_box", "0 mm", "width above 0"),
        ("width_box", "1 mm", "out of reach"),
        ("dpi_box", "many", "“many” is not a resolution"),
        ("dpi_box", "5 dpi", "24 to 2400 dpi"),
        ("dpi_box", "1e9", "not a resolution"),
    ],
)
def test_what_cannot_be_is_explained_and_not_saved(dialog, name, typed, said):
    before = dialog.options
    box = getattr(dialog.form, name)
    type_into(box, typed)
    settle(dialog)
    assert said in dialog.form.says.text()
    assert not dialog.save.isEnabled()
    assert not dialog.copy.isEnabled()
    type_into(box, "natural" if name == "width_box" else "192")
    settle(dialog)
    assert dialog.save.isEnabled()
    assert dialog.options == before


def test_what_makes_no_difference_is_grey(dialog):
    form = dialog.form
    assert form.dpi_box.isEnabled()
    assert not form.cells.isEnabled()
    pick(form.format, "PDF page (.pdf)")
    assert not form.dpi_box.isEnabled()
    assert form.cells.isEnabled()
    pick(form.format, "CSV numbers (.csv)")
    assert not any(control.isEnabled() for control in (form.width_box, form.theme, *form.parts.values()))


def test_the_preview_is_what_is_written(dialog, figure):
    def ground() -> str:
        image = dialog.preview.grab().toImage()
        place = dialog.preview.paper.topLeft().toPoint()
        return image.pixelColor(place.x() + 4, place.y() + 4).name()

    assert ground() == "#ffffff"
    pick(dialog.form.theme, "Screen, dark")
    settle(dialog)
    assert ground() == rendered(figure, dialog.options).pixelColor(3, 3).name() != "#ffffff"


def test_the_preview_has_the_shape_of_the_figure(dialog, figure):
    for width in ("89 mm", "natural"):
        type_into(dialog.form.width_box, width)
        settle(dialog)
        image, paper = rendered(figure, dialog.options), dialog.preview.paper
        assert paper.width() / paper.height() == pytest.approx(image.width() / image.height(), rel=0.01)


def test_a_hard_to_read_figure_is_called_so(make_window):
    class Rigid:
        size, title, description, file_stem = QSize(2000, 500), "banner", "a banner", "banner"

        def paint(self, painter):
            painter.fillRect(0, 0, 2000, 500, "#0072b2")

        def numbers(self):
            raise AssertionError

    dialog = ExportDialog(make_window(), Rigid())
    type_into(dialog.form.width_box, "89 mm")
    dialog._show()
    assert "hard to read on paper" in dialog.form.says.text()
    assert not dialog.form.theme.isEnabled(), "it wears no theme"
    dialog.deleteLater()


def test_copy_puts_image_and_drawing_on_the_clipboard(dialog, figure):
    pick(dialog.form.format, "SVG drawing (.svg)")
    settle(dialog)
    QTest.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    data = QGuiApplication.clipboard().mimeData()
    assert bytes(data.data("image/svg+xml").data()) == figure_bytes(figure, FigureOptions(".svg"))
    assert QImage(data.imageData()).size() == rendered(figure, FigureOptions()).size()
    assert dialog.said == dialog.form.says.text() == "The figure is on the clipboard."


def test_copy_of_numbers_is_text(dialog, figure):
    pick(dialog.form.format, "CSV numbers (.csv)")
    settle(dialog)  # the preview has words of its own
    QTest.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    assert dialog.copier.jobs.wait(60)
    assert dialog.said == dialog.form.says.text() == "The numbers are on the clipboard, as CSV."
    assert QGuiApplication.clipboard().text() == csv_text(figure.numbers())


def test_every_control_has_a_name_and_a_tip(dialog):
    form = dialog.form
    for control in (form.format, form.width_box, form.dpi_box, form.theme, form.cells):
        assert control.accessibleName()
        assert len(control.toolTip()) > 8
    assert all(len(box.toolTip()) > 8 for box in form.parts.values())
    assert dialog.preview.accessibleDescription().startswith("Heads page.")


# ---- From the page to the file ----


def press_in_dialog(button: str, seen: list[FigureOptions], width: str = ""):
    """Press a button of the export window as soon as it is open."""

    def press():
        dialog = QApplication.activeModalWidget()
        if width:
            type_into(dialog.form.width_box, width)
        seen.append(dialog.options)
        cancel = dialog.buttons.button(QDialogButtonBox.StandardButton.Cancel)
        QTest.mouseClick(dialog.save if button == "save" else cancel, Qt.MouseButton.LeftButton)

    QTimer.singleShot(50, press)


def test_the_whole_way_and_the_next_time(open_heads, monkeypatch, tmp_path):
    monkeypatch.setattr(ExportDialog, "exec", REAL_EXEC)
    page, seen = open_heads().page, []
    path = tmp_path / "figure.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    press_in_dialog("save", seen, "89 mm")
    page.export()
    assert path.read_bytes() == figure_bytes(page.figure(), FigureOptions(".png", width=Length(89)))
    press_in_dialog("cancel", seen)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: pytest.fail("nobody asked for a file"))
    page.export()
    assert seen[1].width == Length(89), "as it was the last time"


def test_a_cancelled_window_writes_nothing_and_forgets_its_choices(open_heads, monkeypatch):
    monkeypatch.setattr(ExportDialog, "exec", REAL_EXEC)
    page, seen = open_heads().page, []
    press_in_dialog("cancel", seen, "89 mm")
    page.export()
    press_in_dialog("cancel", seen)
    page.export()
    assert [options.width for options in seen] == [Length(89), None]


def test_window_clipboard_and_file_give_the_same_picture(open_heads, tmp_path):
    page = open_heads().page
    page.copy_picture()
    copied = QGuiApplication.clipboard().image()
    assert copied == rendered(page.figure(), FigureOptions()).convertToFormat(copied.format())
    assert (
        QImage.fromData(figure_bytes(page.figure(), FigureOptions(".png"))).convertToFormat(copied.format()) == copied
    )
