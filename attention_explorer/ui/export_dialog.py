"""The question where to save, and what becomes of the answer."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.ui.figure import EXPORT_FORMATS, PIXELS_PER_INCH, Figure, picture_fits, write_figure

LAST_FOLDER = "last_export_folder"
PNG_SCALES = (1, 2, 3, 4, 6, 8)


def file_filters() -> str:
    """Return the formats as a file dialog lists them."""
    return ";;".join(f"{known.title} (*{known.suffix})" for known in EXPORT_FORMATS)


def export_with_dialog(parent: QWidget, figure: Figure) -> str:
    """Ask for a file, write the figure to it and return what to say about it; empty if the question was cancelled."""
    start = str(_first_folder(parent) / f"{figure.file_stem}.png")
    name, chosen = QFileDialog.getSaveFileName(parent, f"Export the {figure.title}", start, file_filters())
    if not name:
        return ""
    path = with_suffix(Path(name), chosen)
    asks_size = path.suffix.lower() == ".png" and path.parent.is_dir()  # else it fails, and says why
    scale = _asked_scale(parent, figure) if asks_size else 1.0
    parent.window().setProperty(LAST_FOLDER, str(path.parent))
    return "" if scale is None else export_or_explain(parent, figure, path, scale)


def _first_folder(parent: QWidget) -> Path:
    """Return the folder of the last export from the same window, or the one for pictures, or home."""
    pictures = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.PicturesLocation)
    for folder in (parent.window().property(LAST_FOLDER), pictures):
        if folder and Path(folder).is_dir():
            return Path(folder)
    return Path.home()


def with_suffix(path: Path, chosen_filter: str) -> Path:
    """Return the path with the suffix of the chosen filter if it has none of its own."""
    if path.suffix:
        return path
    suffix = next((known.suffix for known in EXPORT_FORMATS if f"(*{known.suffix})" in chosen_filter), ".png")
    return path.with_name(path.name + suffix)


def png_sizes(figure: Figure) -> dict[str, float]:
    """Return the scales at which a picture of the figure is not too large, by the words that offer them."""
    sizes = {scale: figure.size * scale for scale in PNG_SCALES if picture_fits(figure, scale)}
    return {
        f"{scale}× — {size.width()} × {size.height()} px, {scale * PIXELS_PER_INCH} dpi": float(scale)
        for scale, size in sizes.items()
    }


def _asked_scale(parent: QWidget, figure: Figure) -> float | None:
    """Ask how large the picture is to be, and return its scale; none if the question was cancelled."""
    sizes = png_sizes(figure)
    if not sizes:
        return 1.0  # too large at any scale: there is nothing to ask, and writing it says why
    text, accepted = QInputDialog.getItem(
        parent,
        "Size of the picture",
        "Resolution (2× or more for print):",
        list(sizes),
        min(1, len(sizes) - 1),
        False,
    )
    return sizes[text] if accepted else None


def export_or_explain(parent: QWidget, figure: Figure, path: Path, scale: float = 1.0) -> str:
    """Write the figure; where that fails, say why in a box. Return what to say in the status bar."""
    try:
        write_figure(figure, path, scale)
    except ExplorerError as error:
        QMessageBox.warning(parent, "Not exported", str(error))
        return ""
    return f"Saved {path}"
