"""The map being learned as a film: GIF and APNG, a picture for each of some steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from attention_explorer.core.numbers_files import Report
from attention_explorer.core.numerals import grouped
from attention_explorer.kit.controls.whole_number_box import WholeNumberBox
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.training.files import Contents, check_kind
from attention_explorer.pages.training.moment import Moment, MomentRequest, moment_at, trained
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.pages.training.ui.views import training_figure

if TYPE_CHECKING:
    from PIL.Image import Image

ANIMATIONS = {".gif": "Animated GIF", ".png": "Animated PNG"}
"""Kinds of files by their endings, the usual one first."""
FEWEST, USUAL, MOST = 2, 40, 60
"""Pictures of an animation. Until it is written all of them are in memory, up to twice 1.7 MB each."""
EACH_MS, LAST_MS = 100, 2000
"""How long a picture is seen, and the last one, before it begins anew."""
WAIT_SECONDS = 0.05


def steps_shown(last: int, count: int) -> tuple[int, ...]:
    """Return up to so many steps from 0 to the last one, evenly spread, each once."""
    return tuple(sorted({round(step) for step in np.linspace(0, last, count).tolist()}))


def _at(state: TrainingState, step: int) -> TrainingState:
    """Return the state as it was when it had learned so far."""
    return replace(state, step=step, learned=0)


def painted_frame(state: TrainingState, moment: Moment, size: QSize | None = None) -> QImage:
    """Paint what the page's figure shows of a step, as large as the figure, or of a size with the same corner."""
    figure = training_figure(_at(state, moment.request.step), moment)
    image = QImage(figure.size if size is None else size, QImage.Format.Format_RGB32)
    image.fill(colour_of(figure.style.look.theme.card))
    with QPainter(image) as painter:
        figure.paint(painter)
    return image


class FramePainter(QObject):
    """Paints on the GUI thread, where items are at home, what a worker asks for. It is made on the GUI thread.

    Parameters
    ----------
    state : TrainingState
        What is shown, at whatever step.
    """

    _asked = Signal(object)

    def __init__(self, state: TrainingState) -> None:
        super().__init__()
        self._state = state
        self._size: QSize | None = None
        self._painted: SimpleQueue[QImage | Exception] = SimpleQueue()
        self._asked.connect(self._paint, Qt.ConnectionType.QueuedConnection)

    def frame(self, moment: Moment, check: Callable[[], object]) -> QImage:
        """Return the picture of a moment, as large as the first one; on the worker.

        ``check`` is called while it waits; what that raises ends it.
        """
        self._asked.emit(moment)
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
    def _paint(self, moment: Moment) -> None:
        try:
            image = painted_frame(self._state, moment, self._size)
        except Exception as error:  # noqa: BLE001 - the worker waits for an answer, and tells
            self._painted.put(error)
            return
        self._size = image.size()
        self._painted.put(image)


def animation_file(state: TrainingState, count: int, path: Path) -> Contents:
    """Return what writes the map being learned up to the step of a state, in so many pictures.

    It is called on the GUI thread, which goes on painting while what is returned writes on a worker.
    """
    painter, steps = FramePainter(state), steps_shown(state.step, count)

    def write(file: IO[bytes], report: Report) -> None:
        check_kind(path, ANIMATIONS)
        trained(state.setup, state.step, lambda _fraction: report(0.0))

        def images() -> Iterator[Image]:
            for done, step in enumerate(steps):
                check = partial(report, done / len(steps))
                check()
                yield _image(painter.frame(moment_at(MomentRequest.of(_at(state, step))), check))

        watched = _Watched(file, partial(report, 1 - 1 / len(steps)))
        _write_film(watched, path.suffix.lower(), images(), len(steps))

    return write


def _write_film(file: _Watched, ending: str, images: Iterator[Image], count: int) -> None:
    is_gif = ending == ".gif"
    # 256 colours are few, but cells and letters need no more.
    first, *others = (image.quantize(256) if is_gif else image for image in images)
    first.save(
        file,  # type: ignore[arg-type] # all that is asked of it is `write`
        "GIF" if is_gif else "PNG",
        save_all=True,
        append_images=others,
        duration=[*[EACH_MS] * (count - 1), LAST_MS],
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


class AnimationDialog(QDialog):
    """Asks how many pictures an animation is to have."""

    def __init__(self, parent: QWidget, look: Look, state: TrainingState) -> None:
        super().__init__(parent)
        self.setWindowTitle("Animation")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._last = state.step
        self.box = WholeNumberBox(FEWEST, MOST, "Pictures")
        self.box.setToolTip(f"How many steps are shown\n{FEWEST} to {MOST}")
        self.box.setValue(min(USUAL, max(state.step + 1, FEWEST)))
        self.says = QLabel()
        self.says.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.save = buttons.addButton("&Save…", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        row = QHBoxLayout()
        label = QLabel("pictures")
        label.setBuddy(self.box)
        row.addWidget(label)
        row.addWidget(self.box)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.addLayout(row)
        column.addWidget(self.says)
        column.addWidget(buttons)
        self.setMinimumWidth(look.px(380))
        self.box.valueChanged.connect(self._show)
        self.box.refused.connect(self.says.setText)
        self._show()

    @property
    def count(self) -> int:
        """How many pictures are wanted."""
        self.box.interpretText()  # what was typed, and not yet entered, counts
        return round(self.box.value())

    def _show(self) -> None:
        count = len(steps_shown(self._last, self.count))
        seconds = (EACH_MS * (count - 1) + LAST_MS) / 1000
        said = (
            f"{count} pictures from step 0 to step {grouped(self._last)}, {seconds:.3g} seconds; then it starts again."
        )
        self.says.setText(said)
