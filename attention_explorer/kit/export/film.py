"""A film of pictures, as GIF and APNG: painted on the GUI thread, where items are at home, and written on a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage, QPainter

from attention_explorer.core.numbers_files import Contents, Report, check_kind
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.pictures.figure import PicturesFigure

if TYPE_CHECKING:
    from PIL.Image import Image

ANIMATIONS = {".gif": "Animated GIF", ".png": "Animated PNG"}
"""Kinds of files by their endings, the usual one first."""
EACH_MS, LAST_MS = 100, 2000
"""How long a picture is seen unless something else is asked for, and the last one, before it begins anew."""
WAIT_SECONDS = 0.05

T = TypeVar("T")


def figure_image(figure: PicturesFigure, size: QSize | None = None) -> QImage:
    """Paint a figure on its ground, as large as it is, or of a size with the same corner."""
    image = QImage(figure.size if size is None else size, QImage.Format.Format_RGB32)
    image.fill(colour_of(figure.style.look.theme.card))
    with QPainter(image) as painter:
        figure.paint(painter)
    return image


class _Asked(QObject):
    """Hands over what is to be painted."""

    wanted = Signal(object)


class FramePainter(QObject, Generic[T]):
    """Paints on the GUI thread what a worker asks for. It is made on the GUI thread.

    Parameters
    ----------
    paint : callable
        (what, size) -> its picture, as large as it is, or of a size.
    """

    def __init__(self, paint: Callable[[T, QSize | None], QImage]) -> None:
        super().__init__()
        self._paint_one = paint
        self._size: QSize | None = None
        self._painted: SimpleQueue[QImage | Exception] = SimpleQueue()
        self._asked = _Asked()
        self._asked.wanted.connect(self._paint, Qt.ConnectionType.QueuedConnection)

    def frame(self, what: T, check: Callable[[], object]) -> QImage:
        """Return the picture of something, as large as the first one; on the worker.

        ``check`` is called while it waits; what that raises ends it.
        """
        self._asked.wanted.emit(what)
        while True:
            check()
            try:
                found = self._painted.get(timeout=WAIT_SECONDS)
            except Empty:
                continue
            if isinstance(found, Exception):
                raise found
            return found

    @Slot(object)
    def _paint(self, what: T) -> None:
        try:
            image = self._paint_one(what, self._size)
        except Exception as error:  # noqa: BLE001 - the worker waits for an answer, and tells
            self._painted.put(error)
            return
        self._size = image.size()
        self._painted.put(image)


def film_file(
    path: Path,
    count: int,
    frames: Callable[[Report], Iterator[T]],
    paint: Callable[[T, QSize | None], QImage],
    each_ms: int = EACH_MS,
) -> Contents:
    """Return what writes a film of so many pictures as GIF or APNG, as the ending of a path says.

    It is called on the GUI thread, which goes on painting while what is returned writes on a worker.

    Parameters
    ----------
    path, count, each_ms
        Its file, how many pictures it has, and how long each is seen but the last.
    frames : callable
        (report) -> what is painted, one after the other; on the worker.
    paint : callable
        As for `FramePainter`; on the GUI thread.
    """
    painter = FramePainter(paint)

    def write(file: IO[bytes], report: Report) -> None:
        check_kind(path, ANIMATIONS)

        def images() -> Iterator[Image]:
            for done, what in enumerate(frames(report)):
                check = partial(report, done / count)
                check()
                yield _image(painter.frame(what, check))

        watched = _Watched(file, partial(report, 1 - 1 / count))
        _write_film(watched, path.suffix.lower(), images(), [*[each_ms] * (count - 1), LAST_MS])

    return write


def _write_film(file: _Watched, ending: str, images: Iterator[Image], durations: list[int]) -> None:
    is_gif = ending == ".gif"
    # 256 colours are few, but cells and letters need no more.
    first, *others = (image.quantize(256) if is_gif else image for image in images)
    first.save(
        file,  # type: ignore[arg-type] # all that is asked of it is `write`
        "GIF" if is_gif else "PNG",
        save_all=True,
        append_images=others,
        duration=durations,
        loop=0,
    )


def _image(painted: QImage) -> Image:
    from PIL import Image  # not before it is wanted: nothing else needs it

    size = painted.width(), painted.height()
    return Image.frombytes("RGB", size, bytes(painted.constBits()), "raw", "BGRX", painted.bytesPerLine())


class _Watched:
    """A file that asks before each piece whether anybody still wants it: compressing takes long."""

    def __init__(self, file: IO[bytes], check: Callable[[], object]) -> None:
        self._file, self._check = file, check

    def write(self, data: bytes) -> int:
        """Write a piece."""
        self._check()
        return self._file.write(data)

    def flush(self) -> None:
        """Leave that to the file's owner."""
