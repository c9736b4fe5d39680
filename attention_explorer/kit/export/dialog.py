"""How a figure is to be written and where: a window with a preview, the question for a file, and what comes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, QStandardPaths, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QMessageBox, QVBoxLayout, QWidget

from attention_explorer.core.figure_options import FigureOptions
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.accessible import PICTURE
from attention_explorer.kit.controls.made import in_row
from attention_explorer.kit.export.figure import (
    EXPORT_FORMATS,
    LARGEST_SIDE,
    Contents,
    Figure,
    Sheet,
    StyledFigure,
    format_of,
    is_raster,
    painted,
    sheet_of,
)
from attention_explorer.kit.export.form import ExportForm
from attention_explorer.kit.export.writing import NumbersCopier, copy_picture, write_awake, write_contents
from attention_explorer.kit.message import replace_question, with_ending
from attention_explorer.kit.theme import LIGHT, Look

MARGIN = 14


MOST_PIXELS = 6_000_000
"""Of a PNG that is painted whole for the preview; a larger one is painted as drawings are."""
TIMES = 2
"""A drawing is painted so many times as large as it is seen, at least."""


class ExportPreview(QWidget):
    """Shows a sheet as the file will have it.

    The picture is painted as in the file and then made smaller in one step, each pixel the mean of those it covers.
    Painted at the size it is seen in, lines between cells would come and go with every size of the window.
    """

    accessible_role = PICTURE

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._sheet: Sheet | None = None
        self._dpi: float | None = None
        self._source, self._image = QImage(), QImage()
        self.setMinimumSize(320, 270)  # also where letters are larger: those of the figure are as the file has them
        self.setAccessibleName("Preview of the figure")

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(560), self._look.px(480))

    def show_sheet(self, sheet: Sheet | None, dpi: float | None = None) -> None:
        """Show another figure, None for none; ``dpi`` are the pixels per inch of a PNG, None for a drawing."""
        self._sheet, self._dpi = sheet, dpi
        self._source, self._image = QImage(), QImage()
        self.setAccessibleDescription("" if sheet is None else sheet.figure.description)
        self.update()

    @property
    def paper(self) -> QRectF:
        """Where the figure is: on whole pixels of the screen, so that it is shown pixel by pixel."""
        if self._sheet is None:
            return QRectF()
        wide, high = self._sheet.figure.size.toTuple()
        scale = min((self.width() - 2 * MARGIN) / wide, (self.height() - 2 * MARGIN) / high)
        ratio = self.devicePixelRatioF()
        size = QSize(max(round(wide * scale * ratio), 1), max(round(high * scale * ratio), 1))
        paper = QRectF(QPointF(), QSizeF(size) / ratio)
        paper.moveCenter(QRectF(self.rect()).center())
        corner = paper.topLeft() * ratio
        paper.moveTopLeft(QPointF(round(corner.x()), round(corner.y())) / ratio)
        return paper

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:  # ended whatever happens
            painter.fillRect(self.rect(), QColor(self._look.theme.track))
            if self._sheet is not None:
                paper = self.paper
                painter.drawImage(paper, self._resampled((paper.size() * self.devicePixelRatioF()).toSize()))

    def _resampled(self, size: QSize) -> QImage:
        """Return the picture with so many pixels."""
        if self._image.size() != size and self._sheet is not None:
            wanted = source_size(self._sheet, self._dpi, size)
            if self._source.size() != wanted:
                self._source = painted(self._sheet, wanted)
            how = Qt.TransformationMode.SmoothTransformation
            self._image = self._source.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, how)
        return self._image


def source_size(sheet: Sheet, dpi: float | None, seen: QSize) -> QSize:
    """Return in how many pixels a sheet is painted that is seen in some: those of the file, if it has pixels.

    A drawing is painted at a whole multiple of its size, so that lines a pixel wide are equally wide everywhere.
    """
    if dpi is not None:
        size = sheet.pixels(dpi)
        if not size.isEmpty() and size.width() * size.height() <= MOST_PIXELS:
            return size
    times = max(1, math.ceil(TIMES * seen.width() / max(sheet.figure.size.width(), 1)))
    return sheet.figure.size * times


LAST_FOLDER = "last_export_folder"
LAST_OPTIONS = "last_export_options"
PREVIEW_DELAY = 40
"""Milliseconds after the last change, so that typing does not wait for pictures."""
READABLE = 5.0
"""Points; smaller words are hardly read on paper. Journals ask for 5 to 7."""
WORDS = 12.0
"""Pixels of the font of most words of a figure."""


def export_with_dialog(parent: QWidget, figure: Figure) -> str:
    """Ask how and where, write the figure and return what to say about it; empty if the question was cancelled."""
    dialog = ExportDialog(parent, figure)
    accepted = dialog.exec() == QDialog.DialogCode.Accepted
    options, said = dialog.options, dialog.said
    dialog.deleteLater()
    if not accepted:
        return said
    parent.window().setProperty(LAST_OPTIONS, options)
    kinds = sorted(EXPORT_FORMATS, key=lambda known: known.suffix != options.format)
    titles = {known.suffix: known.title for known in kinds}
    path = ask_for_file(parent, f"Export: {figure.title}", figure.file_stem, titles)
    return said if path is None else export_or_explain(parent, figure, path, options)


def ask_for_file(parent: QWidget, title: str, stem: str, kinds: Mapping[str, str]) -> Path | None:
    """Ask where a file is to be written.

    Parameters
    ----------
    parent : QWidget
        Whose window remembers the folder.
    title : str
        Of the dialog.
    stem : str
        The name that is proposed, without ending.
    kinds : mapping
        Endings with what such files are; the first is the usual one.

    Returns
    -------
    Path or None
        With an ending; None if the question was cancelled.
    """
    start = str(_first_folder(parent) / f"{stem}{next(iter(kinds))}")
    filters = ";;".join(f"{kind} (*{ending})" for ending, kind in kinds.items())
    name, chosen = QFileDialog.getSaveFileName(parent, title, start, filters)
    if not name:
        return None
    path = with_suffix(Path(name), chosen, kinds)
    parent.window().setProperty(LAST_FOLDER, str(path.parent))
    question = replace_question(Path(name), path)
    yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
    if question and QMessageBox.question(parent, "Replace the file?", question, yes | no, no) != yes:
        return None
    return path


def _first_folder(parent: QWidget) -> Path:
    """Return the folder of the last export from the same window, or the one for pictures, or home."""
    pictures = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
    for folder in (parent.window().property(LAST_FOLDER), pictures):
        if folder and Path(folder).is_dir():
            return Path(folder)
    return Path.home()


def with_suffix(path: Path, chosen_filter: str, endings: Iterable[str]) -> Path:
    """Return the path with the ending of the chosen filter if it has none of its own, or else with the first."""
    usual, *others = endings
    return with_ending(path, next((ending for ending in others if f"(*{ending})" in chosen_filter), usual))


def export_or_explain(parent: QWidget, figure: Figure, path: Path, options: FigureOptions | None = None) -> str:
    """Write the figure; where that fails, say why in a box. Return what to say in the status bar."""
    options = FigureOptions() if options is None else options
    # What is typed in the name of the file is what a person meant last.
    return _written_or_explained(
        parent, path, lambda: write_awake(parent, figure, path, replace(options, format=path.suffix))
    )


def save_or_explain(parent: QWidget, contents: Contents, path: Path) -> str:
    """Write a file on a worker; where that fails, say why in a box. Return what to say in the status bar."""
    return _written_or_explained(parent, path, lambda: write_contents(parent, contents, path))


def _written_or_explained(parent: QWidget, path: Path, write: Callable[[], bool]) -> str:
    try:
        is_written = write()
    except ExplorerError as error:
        QMessageBox.warning(parent, "Not exported", str(error))
        return ""
    return f"Saved {path}" if is_written else "Cancelled: nothing was written."


class ExportDialog(QDialog):
    """Shows the figure as it will be while its options are chosen; the rest is asked by whoever opened it."""

    def __init__(self, parent: QWidget, figure: Figure) -> None:
        super().__init__(parent)
        look = getattr(parent, "look", Look(LIGHT))
        last = parent.window().property(LAST_OPTIONS)
        self.figure, self.said = figure, ""
        self.setWindowTitle(f"Export: {figure.title}")
        self.preview = ExportPreview(look)
        self.form = ExportForm(
            last if isinstance(last, FigureOptions) else FigureOptions(".png"),
            is_styled=isinstance(figure, StyledFigure),
            has_cells=getattr(figure, "has_cells", True),
        )
        self.form.changed.connect(self._wait)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.save = self.buttons.addButton("&Save…", QDialogButtonBox.ButtonRole.AcceptRole)
        self.copy = self.buttons.addButton("&Copy", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.setToolTip("Copy the figure as it is shown here")
        self.save.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.copy.clicked.connect(self._copy)
        self.copier = NumbersCopier(self)
        self.copier.done.connect(self._on_copied)
        for signal in (self.copier.under_way, self.copier.refused):
            signal.connect(self.form.says.setText)
        self._timer = QTimer(self, singleShot=True, interval=PREVIEW_DELAY)
        self._timer.timeout.connect(self._show)
        self._arrange(look)
        self._show()

    def _arrange(self, look: Look) -> None:
        row = in_row((self.preview, 1), self.form)
        self.form.setFixedWidth(look.px(330))
        column = QVBoxLayout(self)
        column.addLayout(row, 1)
        column.addWidget(self.buttons)

    @property
    def options(self) -> FigureOptions:
        """What is asked for."""
        return self.form.options

    # ---- Showing ----

    def _wait(self) -> None:
        self.save.setEnabled(not self.form.problem)
        self.copy.setEnabled(not self.form.problem)
        self._timer.start()

    def _show(self) -> None:
        if self.form.problem:
            self.form.says.setText(self.form.problem)
            return
        try:
            sheet = sheet_of(self.figure, self.options)
            self.preview.show_sheet(sheet, self.options.dpi if is_raster(self.options.format) else None)
            self.form.says.setText(f"{self._words_of_nothing(sheet)}{words_about(sheet, self.options)}")
        except ExplorerError as error:
            self.preview.show_sheet(None)
            self.form.says.setText(str(error))

    def _words_of_nothing(self, sheet: Sheet) -> str:
        """Return what to say where a part was switched off that the picture has not; nothing else would tell."""
        part = self.form.left_out
        if not part:
            return ""
        whole = sheet_of(self.figure, replace(self.options, **{part: True}))  # type: ignore[arg-type] # a switch
        if painted(whole, whole.figure.size) != painted(sheet, sheet.figure.size):
            return ""
        return f"Not in this picture: {self.form.parts[part].text().lower()}. "

    # ---- What people do ----

    def _copy(self) -> None:
        if not format_of(self.options.format).is_picture:
            self.copier.copy(self.figure, self.options.format)
            return
        try:
            copy_picture(self.figure, self.options)
        except ExplorerError as error:
            self.form.says.setText(str(error))
            return
        self._on_copied("The figure is on the clipboard.")

    def _on_copied(self, message: str) -> None:
        self.said = message
        self.form.says.setText(message)


def words_about(sheet: Sheet, options: FigureOptions) -> str:
    """Return how large a figure is, and what to know before it is printed."""
    if not format_of(options.format).is_picture:
        return "All numbers behind the picture, with every digit. Only CSV and NPY come without the settings."
    wide, high = sheet.millimetres
    if not is_raster(options.format):
        text = f"{wide:.4g} × {high:.4g} mm"
    else:
        pixels = sheet.pixels(options.dpi)
        text = f"{pixels.width()} × {pixels.height()} pixels; {wide:.4g} × {high:.4g} mm at {options.dpi:g} dpi"
        if max(pixels.width(), pixels.height()) > LARGEST_SIDE:
            return f"{text}: too large. Choose fewer dots per inch, or SVG or PDF."
    points = WORDS * sheet.scale * 0.75
    text = f"{text}. Words are about {points:.2g} points high."
    return f"{text} That is hard to read on paper: choose a larger width." if points < READABLE else text
