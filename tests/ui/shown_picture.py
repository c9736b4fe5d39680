"""A hand and an eye for one picture, shown by itself: what it changes is computed and shown at once."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from heads_driver import painted_texts
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from writing_driver import cut_texts, svg_by, written_by, written_over

from attention_explorer.kit.export.figure import FigureStyle
from attention_explorer.kit.picture import Picture
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.kit.pictures.figure import PicturesFigure
from attention_explorer.kit.theme import Look


class ShownPicture:
    """A picture in a canvas of its own, which acts on its state."""

    def __init__(self, qtbot: Any, hand: Any, picture: Picture[Any, Any], state: Any) -> None:
        self.kind, self._hand = picture, hand
        self.labels: list[str] = []
        self.canvas = PicturesCanvas(Look(), "Picture", lambda: self.state)
        qtbot.addWidget(self.canvas)
        self.canvas.changed.connect(self._change)
        self.canvas.dragged.connect(self._change)
        self.canvas.dropped.connect(self._drop)
        self.canvas.resize(800, 540)
        self.canvas.show()
        qtbot.waitExposed(self.canvas)
        self._before = state
        self.show(state)

    def show(self, state: Any) -> None:
        """Show another state."""
        self.state = state
        self.numbers = self.kind.compute(state, (0, 0))
        self.canvas.show_picture(cast(Any, self.kind), self.numbers)

    def _change(self, change: Change[Any]) -> None:
        self.labels.append(change.label)
        self.show(change.state)

    def _drop(self, is_kept: bool) -> None:
        if is_kept:
            self._before = self.state
        self.show(self._before)

    # ---- What there is ----

    @property
    def laid(self) -> Any:
        return self.canvas.picture_layout

    @property
    def item(self) -> Any:
        """What the picture is made of."""
        return self.laid.item

    @property
    def layout(self) -> Any:
        """Where everything of the picture is."""
        return self.laid.layout

    @property
    def hand(self) -> Any:
        return self._hand(self.canvas)

    def point_at(self, place: QPointF) -> str:
        """Rest the pointer on a place, and return what is said of it."""
        self.hand.move(place)
        return self.canvas.words()

    def click(self, place: QPointF) -> None:
        hand = self.hand
        hand.press(place)
        hand.release()

    def key(self, key: Any) -> None:
        QTest.keyClick(self.canvas, key)

    def texts(self) -> list[str]:
        """What is written in the picture."""
        return painted_texts(self.canvas.paint_picture)

    def badly_written(self, wide: int, high: int) -> list[str]:
        """Return what is cut off, or written over something else, in a canvas of some size."""
        self.canvas.resize(wide, high)
        lines = written_by(self.canvas.paint_picture, QRectF(self.canvas.rect()))
        assert len(lines) > 4
        return written_over(self.canvas, lines) + cut_texts(self.canvas, lines)

    def pixels(self) -> np.ndarray:
        """Return what is on the screen."""
        image = self.canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        return np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width()).copy() & 0xFFFFFF

    def words_beside(self) -> int:
        """Return how many words stand above and beside the picture."""
        panel = self.kind.panel(self.numbers)
        return len(f"{self.kind.headline(self.numbers)} {panel.title} {panel.sentence}".split())

    def figure(self) -> PicturesFigure:
        """Return it as a figure for paper, 89 mm wide."""
        drawing, no_numbers = cast(Any, self.kind), cast(Any, None)
        figure = PicturesFigure(self.state, drawing, "Title", "Summary.", "Caption.", no_numbers)
        return figure.styled(FigureStyle(width=336.0))

    def figure_texts(self) -> list[str]:
        """Return what is written in a figure in which nothing is an image."""
        figure, space = self.figure(), "{http://www.w3.org/2000/svg}"
        root = svg_by(figure.paint, figure.size)
        assert not list(root.iter(f"{space}image"))
        return ["".join(text.itertext()).strip() for text in root.iter(f"{space}text")]
