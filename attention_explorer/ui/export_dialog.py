"""The question where to save, and what becomes of the answer."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from attention_explorer.errors import ExportError
from attention_explorer.ui.figure import EXPORT_FORMATS, Figure, write_figure

LAST_FOLDER = "last_export_folder"
PNG_SCALES = ("1× (96 dpi)", "2× (192 dpi)", "3× (288 dpi)", "4× (384 dpi)", "6× (576 dpi)", "8× (768 dpi)")


def file_filters() -> str:
    """Return the formats as a file dialog lists them."""
    return ";;".join(f"{known.title} (*{known.suffix})" for known in EXPORT_FORMATS)


def export_with_dialog(parent: QWidget, figure: Figure) -> str:
    """Ask for a file, write the figure to it and return what to say about it; empty if the question was cancelled."""
    start = str(_first_folder(parent) / "lookup.png")
    name, chosen = QFileDialog.getSaveFileName(parent, "Export the lookup", start, file_filters())
    if not name:
        return ""
    path = with_suffix(Path(name), chosen)
    asks_size = path.suffix.lower() == ".png" and path.parent.is_dir()  # else it fails, and says why
    scale = _asked_scale(parent) if asks_size else 1.0
    parent.setProperty(LAST_FOLDER, str(path.parent))
    return "" if scale is None else export_or_explain(parent, figure, path, scale)


def _first_folder(parent: QWidget) -> Path:
    """Return the folder of the last export, or the one for pictures, or home."""
    pictures = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
    for folder in (parent.property(LAST_FOLDER), pictures):
        if folder and Path(folder).is_dir():
            return Path(folder)
    return Path.home()


def with_suffix(path: Path, chosen_filter: str) -> Path:
    """Return the path with the suffix of the chosen filter if it has none of its own."""
    if path.suffix:
        return path
    suffix = next((known.suffix for known in EXPORT_FORMATS if known.title in chosen_filter), ".png")
    return path.with_name(path.name + suffix)


def _asked_scale(parent: QWidget) -> float | None:
    text, accepted = QInputDialog.getItem(
        parent, "Size of the picture", "Resolution (2× or more for print):", PNG_SCALES, 1, False
    )
    return float(text.split("×")[0]) if accepted else None


def export_or_explain(parent: QWidget, figure: Figure, path: Path, scale: float = 1.0) -> str:
    """Write the figure; where that fails, say why in a box. Return what to say in the status bar."""
    try:
        write_figure(figure, path, scale)
    except ExportError as error:
        QMessageBox.warning(parent, "Not exported", str(error))
        return ""
    return f"Saved {path}"
