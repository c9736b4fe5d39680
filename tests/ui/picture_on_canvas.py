"""A picture on a shown canvas, with what it changes kept as its state: without the window round it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
from heads_driver import painted_texts, pixels
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtTest import QTest
from svg_reader import overlaps, text_places
from writing_driver import cut_texts, svg_by, written_by, written_over

from attention_explorer.kit.export.figure import FigureStyle
from attention_explorer.kit.export.svg_file import svg_bytes
from attention_explorer.kit.items.columns import Placed
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.picture import Laid, Picture
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.pictures.figure import PicturesFigure
from attention_explorer.kit.theme import LIGHT, Look


class PictureOnCanvas:
    """A hand and an eye for one picture."""

    def __init__(self, qtbot, hand, picture: Picture[Any, Any], state: Any, size: tuple[int, int] = (800, 540)) -> None:
        self.picture, self.state = picture, state
        self.before = state
        self.labels: list[str] = []
        self.canvas = PicturesCanvas(Look(LIGHT), "Picture", lambda: self.state)
        self.mouse = hand(self.canvas)
        self.canvas.changed.connect(self._apply)
        self.canvas.dragged.connect(self._preview)
        self.canvas.dropped.connect(self._drop)
        qtbot.addWidget(self.canvas)
        self.canvas.resize(*size)
        self.show()
        self.canvas.show()
        qtbot.waitExposed(self.canvas)

    def show(self, state: Any = None) -> None:
        """Compute and show the picture of the state, or of another one."""
        self.state = self.state if state is None else state
        self.canvas.show_picture(self.picture, self.picture.compute(self.state, (0, 0)))

    def _apply(self, change) -> None:
        self.before = change.state
        self._preview(change)

    def _preview(self, change) -> None:
        self.labels.append(change.label)
        self.show(change.state)

    def _drop(self, kept: bool) -> None:
        if kept:
            self.before = self.state
        else:
            self.show(self.before)

    # ---- The eye ----

    @property
    def laid(self) -> Laid:
        return self.canvas.picture_layout

    @property
    def item(self) -> Any:
        """What the picture is made of."""
        return self.laid.item

    @property
    def layout(self) -> Any:
        """Where everything of the picture is."""
        return self.laid.layout

    def placed(self, name: str) -> Placed:
        """Return an item of the picture with its layout."""
        if self.laid.item.name == name:
            return Placed(self.laid.item, self.laid.layout)
        found, rest = None, list(self.laid.layout)
        while found is None:
            each = rest.pop()
            found = each if each.item.name == name else None
            rest += each.layout if isinstance(each.layout, tuple) else ()
        return found

    @property
    def said(self) -> str:
        return self.canvas.words().replace("\N{NO-BREAK SPACE}", " ")

    @property
    def numbers(self) -> Any:
        return self.canvas.picture

    def texts(self) -> list[str]:
        """What is written in the picture, without its marks."""
        return painted_texts(self.canvas.paint_picture)

    def pixels(self) -> np.ndarray:
        """What is on the screen, with its marks."""
        return pixels(self.canvas.grab().toImage()).copy()

    def badly_written(self, wide: int, high: int) -> list[str]:
        """Return what is cut off, or written over something else, in a canvas of some size."""
        self.canvas.resize(wide, high)
        lines = written_by(self.canvas.paint_picture, QRectF(self.canvas.rect()))
        assert len(lines) > 4
        return written_over(self.canvas, lines) + cut_texts(self.canvas, lines)

    def words_beside(self) -> int:
        """Return how many words stand above and beside the picture."""
        panel = self.picture.panel(self.numbers)
        return len(f"{self.picture.headline(self.numbers)} {panel.title} {panel.sentence}".split())

    def figure(self) -> PicturesFigure:
        """Return it as a figure for paper, 89 mm wide."""
        drawing, no_numbers = cast(Any, self.picture), cast(Any, None)
        figure = PicturesFigure(self.state, drawing, "Title", "Summary.", "Caption.", no_numbers)
        return figure.styled(FigureStyle(width=336.0))

    def figure_texts(self) -> list[str]:
        """Return what is written in a figure in which nothing is an image."""
        figure, space = self.figure(), "{http://www.w3.org/2000/svg}"
        root = svg_by(figure.paint, figure.size)
        assert not list(root.iter(f"{space}image"))
        return ["".join(text.itertext()).strip() for text in root.iter(f"{space}text")]

    # ---- The hand ----

    def point_at(self, place: QPointF) -> str:
        self.mouse.move(place)
        return self.said

    def click(self, place: QPointF) -> None:
        self.mouse.press(place)
        self.mouse.release()

    def key(self, key: Qt.Key) -> None:
        QTest.keyClick(self.canvas, key)


def says(cell: str, number: float) -> bool:
    """Whether a cell of a table, like 8.2, 0.140 or 40.7 %, is a number to as many digits as it has."""
    found = cell.replace("\N{NO-BREAK SPACE}", " ").removesuffix(" %")
    scale = 100.0 if "%" in cell else 1.0
    return abs(float(found) - scale * number) <= 0.5001 * 10.0 ** -len(found.partition(".")[2])


def panel_words(picture: Picture[Any, Any], numbers: object, item: str, part: object) -> str:
    """Return what is said of a part of an item that stands beside a picture."""
    return picture.words(numbers, Hit(item, part)).replace("\N{NO-BREAK SPACE}", " ")


def drawing_of(picture: Picture[Any, Any], numbers: object, size: tuple[int, int]) -> bytes:
    """Return a picture as an SVG, still and without a frame."""
    look = replace(Look(LIGHT), still=True)

    def paint(painter) -> None:
        laid = picture.layout(numbers, look, QRectF(0, 0, *size))
        picture.paint(painter, numbers, laid, look, vector=True)

    return svg_bytes(paint, QSize(*size), 1.0, "picture", "")


def faults_of(drawing: bytes, size: tuple[int, int]) -> list[object]:
    """Return what is wrong with a drawing: images in it, words on words, and words that are cut."""
    places = text_places(drawing)
    room = QRectF(0, 0, *size).adjusted(-1, -1, 1, 1)
    outside = [text for text, place in places if not room.contains(place.boundingRect())]
    cut = [text for text, _ in places if text.endswith("…") and not text.endswith(" …")]  # “attends to …” is whole
    images = ["image"] if b"<image" in drawing else []
    return [*images, *overlaps(places), *outside, *cut]
