"""The controls of the export window: each is a field of `FigureOptions`."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QWidget

from attention_explorer.core.figure_options import (
    COMMON_WIDTHS,
    LEAST_DPI,
    MOST_DPI,
    Cells,
    FigureOptions,
    FigureTheme,
    Length,
    length_from,
)
from attention_explorer.errors import ExportError, quoted
from attention_explorer.kit.controls.choice import Choice, ChoiceBox
from attention_explorer.kit.controls.made import in_column, words
from attention_explorer.kit.export.figure import EXPORT_FORMATS, format_of

RESOLUTIONS = (96, 150, 192, 300, 600, 1200)

THEME_CHOICES: tuple[Choice, ...] = (
    (FigureTheme.PRINT, "Print", "Black words on white, for paper"),
    (FigureTheme.LIGHT, "Screen, light", "The colours of the light window, for slides"),
    (FigureTheme.DARK, "Screen, dark", "The colours of the dark window, for dark slides"),
)
CELL_CHOICES: tuple[Choice, ...] = (
    (Cells.AUTO, "As suits their number", "Rectangles that can be edited; one image for a map of very many cells"),
    (Cells.RECTANGLES, "Rectangles", "Equal neighbours in a row become one rectangle: sharp at any size, larger files"),
    (Cells.IMAGE, "An image", "Each map is one small image: small files, but single cells cannot be edited"),
)
PARTS = (
    ("title", "Title", "The name of the picture, above it"),
    ("axis_names", "Names of the axes", "What rows, columns and the lines of charts are"),
    ("token_labels", "Tokens", "The words along rows and columns of maps, and beside lines"),
    ("colour_bar", "Colour bar", "Which colour stands for which number, in maps"),
    ("caption", "Caption", "What the numbers were made with, below the picture"),
)

OF_MAPS = ("token_labels", "colour_bar")


class ExportForm(QWidget):
    """Shows options and tells when a person changes them.

    Signals
    -------
    changed : FigureOptions
        What is asked for now.
    """

    changed = Signal(object)

    def __init__(
        self, options: FigureOptions, *, is_styled: bool, has_cells: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.options, self._is_styled, self._has_cells = options, is_styled, has_cells
        self.problem = ""
        self.left_out = ""
        """The part that was switched off last, as `FigureOptions` calls it; empty once anything else is chosen."""
        formats = [(kind.suffix, f"{kind.title} ({kind.suffix})", "") for kind in EXPORT_FORMATS]
        self.format = ChoiceBox("Format", "The kind of file", formats, lambda it: self._set(format=it))
        self.width_box = self._text_box(
            "Width",
            "The width of the figure: choose one, or type one like 120 mm, 3.5 in or 1200 px. "
            "The picture is laid out for it, so that words stay readable",
            [title for title, _ in COMMON_WIDTHS],
        )
        self.width_box.editTextChanged.connect(self._set_width)
        self.dpi_box = self._text_box(
            "Resolution", "Pixels per inch of a PNG: 300 or more for print", [f"{dpi} dpi" for dpi in RESOLUTIONS]
        )
        self.dpi_box.editTextChanged.connect(self._set_dpi)
        self.theme = ChoiceBox("Colours", "Paper or screen", THEME_CHOICES, lambda it: self._set(theme=it))
        self.cells = ChoiceBox(
            "Cells", "How the cells of maps are drawn in SVG and PDF", CELL_CHOICES, lambda it: self._set(cells=it)
        )
        self.parts = {field: self._part(field, title, tip) for field, title, tip in PARTS}
        self.says = words("", "muted", wraps=True)
        self._arrange()
        self._show()

    def _text_box(self, name: str, tip: str, texts: list[str]) -> QComboBox:
        box = QComboBox()
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.addItems(texts)
        box.setAccessibleName(name)
        box.setToolTip(tip)
        box.setMinimumContentsLength(24)
        return box

    def _part(self, field: str, title: str, tip: str) -> QCheckBox:
        box = QCheckBox(title)
        box.setToolTip(tip)
        box.toggled.connect(lambda is_on, field=field: self._set(**{field: is_on}))
        return box

    def _arrange(self) -> None:
        rows = QFormLayout()
        for title, control in (
            ("&Format", self.format),
            ("&Width", self.width_box),
            ("&Resolution", self.dpi_box),
            ("C&olours", self.theme),
            ("C&ells", self.cells),
        ):
            rows.addRow(title, control)
        in_column(rows, *self.parts.values(), self.says, None, within=self)

    # ---- Showing ----

    def _show(self) -> None:
        """Make all controls say what the options are; nobody is told."""
        options = self.options
        self.format.show_value(options.format)
        self.theme.show_value(options.theme)
        self.cells.show_value(options.cells)
        for field, box in self.parts.items():
            box.blockSignals(True)
            box.setChecked(getattr(options, field))
            box.blockSignals(False)
        for combo, text in ((self.width_box, width_text(options.width)), (self.dpi_box, f"{options.dpi:g} dpi")):
            combo.blockSignals(True)
            combo.setCurrentText(text)
            combo.blockSignals(False)
        self._enable()

    def _enable(self) -> None:
        """Grey what makes no difference to the chosen kind of file, or to a picture without maps."""
        kind = format_of(self.options.format)
        self.width_box.setEnabled(kind.is_picture)
        self.dpi_box.setEnabled(kind.is_raster)
        self.cells.setEnabled(kind.is_picture and not kind.is_raster and self._is_styled and self._has_cells)
        for box in (self.theme, *self.parts.values()):
            box.setEnabled(kind.is_picture and self._is_styled)
        if not self._has_cells:
            for field in OF_MAPS:
                self.parts[field].setEnabled(False)

    # ---- What people do ----

    def _set(self, **changes: object) -> None:
        self.options = replace(self.options, **changes)  # type: ignore[arg-type]
        self.left_out = next((field for field, is_on in changes.items() if field in self.parts and not is_on), "")
        self._enable()
        self.changed.emit(self.options)

    def _set_width(self, text: str) -> None:
        try:
            found = dict(COMMON_WIDTHS)[text] if text in dict(COMMON_WIDTHS) else length_from(text)
        except ExportError as error:
            self.refuse(str(error))
            return
        self.problem = ""
        self._set(width=found)

    def _set_dpi(self, text: str) -> None:
        number = text.strip().lower().removesuffix("dpi").strip()
        try:
            dpi = float(number.replace(",", "."))
        except ValueError:
            dpi = 0.0
        if not LEAST_DPI <= dpi <= MOST_DPI:
            self.refuse(f"{quoted(text)} is not a resolution. Write {LEAST_DPI:g} to {MOST_DPI:g} dpi, like 300.")
            return
        self.problem = ""
        self._set(dpi=dpi)

    def refuse(self, problem: str) -> None:
        """Say what is wrong with what was typed; the options stay as they were."""
        self.problem = problem
        self.changed.emit(self.options)


def width_text(width: Length | None) -> str:
    """Return a width as its box says it."""
    return next((title for title, known in COMMON_WIDTHS if known == width), str(width))
