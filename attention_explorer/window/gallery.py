"""Every page with each of its examples as PNG files: what the window would show, where there is no screen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from attention_explorer.core.files import make_folder, write_whole
from attention_explorer.kit.export.figure import png_bytes
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import PAGES, presets_of
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.memory import empty
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
from attention_explorer.window.window import MainWindow


class _Forgetful(SettingsStore):
    """Remembers nothing. With /dev/null for its file QSettings would put a file in the place of the device, as root."""

    def save(self, settings: Settings) -> bool:
        return False


def window_image(state: ExplorerState, page: str, size: QSize, theme: ThemeChoice, zoom: float = 1.0) -> QImage:
    """Return a picture of the whole window showing a page of a state."""
    settings = Settings(theme=theme, zoom=zoom, page=page)
    window = MainWindow(Session(state), _Forgetful(), settings)
    window.resize(size)
    window.show()
    _catch_up()
    window.page.settle()
    _catch_up()  # the panel takes the height of the words that came with the picture
    image = window.grab().toImage()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)  # not before there is an event loop, else
    return image


def _catch_up() -> None:
    """Do what is put off until after a frame: a layout within a layout takes its turn only after the outer one.

    Four turns are needed where new words make the panel below a picture higher, and then the page around both.
    """
    for _ in range(6):
        QApplication.processEvents()


def write_gallery(
    folder: Path, sizes: Iterable[QSize], themes: Iterable[ThemeChoice], only: str = ""
) -> Iterator[Path]:
    """Write a PNG file per page (or only one of them), example, theme and size, yielding each path as it is done."""
    make_folder(folder)
    for page in (page for page in PAGES if only in ("", page.id)):
        for ready in presets_of(page.id):
            for theme in themes:
                for size in sizes:
                    image = window_image(ready.state, page.id, size, theme)
                    path = folder / f"{page.id}-{ready.id}-{theme}-{size.width()}x{size.height()}.png"
                    write_whole(path, png_bytes(image))
                    empty()  # of one picture the next needs nothing
                    yield path
