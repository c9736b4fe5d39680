"""Curves with numeric axes: pyqtgraph's plot in our colours, with a line across it that can be dragged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attention_explorer.kit.accessible import CHART, tell_changed
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.theme import Look

NOISY_FROM = 400
"""Points of a curve from which it is drawn piece by piece: a wide antialiased line through noise is slow otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One curve.

    Attributes
    ----------
    name : str
        What it is, for a screen reader.
    x, y : ndarray, (n,)
        Its points; x rises.
    colour : str
        A field of `Theme`.
    is_right : bool
        Whether it belongs to the axis at the right.
    is_faint : bool
        Whether it is a thin line behind the others.
    style : Qt.PenStyle
        Solid, dashed or dotted.
    """

    name: str
    x: npt.NDArray[Any]
    y: npt.NDArray[Any]
    colour: str = "text"
    is_right: bool = False
    is_faint: bool = False
    style: Qt.PenStyle = Qt.PenStyle.SolidLine


class Chart(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph has no types
    """Curves over one axis, with up to two scales, and a line across them at one of its numbers.

    Parameters
    ----------
    name : str
        What it is called by a screen reader.
    titles : (str, str, str)
        Of the axes: below, left, right; an empty one at the right leaves that axis out.

    inks : (str, str)
        Fields of `Theme` for the words of the axes at the left and the right.

    Signals
    -------
    dragged : float
        The line is dragged to a number of the axis below, or sent there by a key.
    released
        The drag has ended.
    """

    accessible_role = CHART
    dragged = Signal(float)
    released = Signal()

    def __init__(
        self,
        look: Look,
        name: str,
        titles: tuple[str, str, str],
        inks: tuple[str, str] = ("muted", "muted"),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._titles, self._inks = titles, inks
        self._look = look
        self._words = ""
        self._curves: list[tuple[Curve, pg.PlotDataItem]] = []
        self._stops: npt.NDArray[Any] = np.empty(0)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMenuEnabled(False)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.scene().minDragTime = 0.0  # a quick drag is one too
        self._right = pg.ViewBox(enableMenu=False)
        self._right.setMouseEnabled(x=False, y=False)
        if titles[2]:
            self.showAxis("right")
            self.scene().addItem(self._right)
            self.getAxis("right").linkToView(self._right)
            self._right.setXLink(self.plotItem)
            self.plotItem.vb.sigResized.connect(self._follow)
        self.line = pg.InfiniteLine(angle=90, movable=True)
        self.line.sigDragged.connect(lambda line: self.dragged.emit(float(line.value())))
        self.line.sigPositionChangeFinished.connect(lambda _line: self.released.emit())
        self.addItem(self.line)
        self.set_look(look)

    def _follow(self) -> None:
        """Lay the curves of the right axis where the others are."""
        self._right.setGeometry(self.plotItem.vb.sceneBoundingRect())
        self._right.linkedViewChanged(self.plotItem.vb, pg.ViewBox.XAxis)

    def sizeHint(self) -> QSize:
        return QSize(self._look.px(300), self._look.px(150))  # not that of its scene: a page says how large it is

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look, theme = look, look.theme
        self.setBackground(theme.card)
        inks = ("muted", *self._inks)
        for side, title, ink in zip(("bottom", "left", "right"), self._titles, inks, strict=True):
            axis = self.getAxis(side)
            axis.setPen(theme.axis)
            axis.setTextPen(getattr(theme, ink))
            axis.setTickFont(look.font(11))
            axis.setStyle(hideOverlappingLabels=True, tickLength=-look.px(4))
            axis.setLabel(title, **{"font-size": f"{look.px(12)}px", "color": getattr(theme, ink)})
        self.line.setPen(pg.mkPen(theme.text, width=2 * look.zoom))
        self.line.setHoverPen(pg.mkPen(theme.text, width=4 * look.zoom))
        for curve, item in self._curves:
            item.setPen(self._pen(curve))

    def _pen(self, curve: Curve) -> object:
        colour = colour_of(getattr(self._look.theme, curve.colour), 0.4 if curve.is_faint else 1.0)
        return pg.mkPen(colour, width=(1 if curve.is_faint else 2) * self._look.zoom, style=curve.style)

    def show_curves(
        self,
        curves: Sequence[Curve],
        across: tuple[float, float],
        up: tuple[float, float],
        right: tuple[float, float] = (0.0, 1.0),
        words: str = "",
        stops: npt.NDArray[Any] | None = None,
    ) -> None:
        """Draw curves.

        Parameters
        ----------
        curves : sequence of Curve
            As many as before keep their items, so that nothing flickers.
        across, up, right : (float, float)
            What the axes go from and to.
        words : str
            What is drawn, for a screen reader.
        stops : ndarray, optional
            Where keys send the line, ascending; to the points of the longest curve if not given.
        """
        longest: npt.NDArray[Any] = max((curve.x for curve in curves), key=len, default=np.empty(0))
        self._stops = longest if stops is None else stops
        if [self._kind(curve) for curve in curves] != [self._kind(curve) for curve, _ in self._curves]:
            self._make_items(curves)
        self._curves = [(curve, item) for curve, (_, item) in zip(curves, self._curves, strict=True)]
        for curve, item in self._curves:
            item.setData(curve.x, curve.y)
            item.curve.setSegmentedLineMode("on" if len(curve.x) >= NOISY_FROM else "auto")
        self.setXRange(*across, padding=0.01)
        self.setYRange(*up, padding=0.04)
        self._right.setYRange(*right, padding=0.04)
        self.line.setBounds(across)
        self._words = words
        tell_changed(self)

    @staticmethod
    def _kind(curve: Curve) -> tuple[object, ...]:
        return curve.colour, curve.style, curve.is_right, curve.is_faint

    def _make_items(self, curves: Sequence[Curve]) -> None:
        for curve, item in self._curves:
            (self._right if curve.is_right else self).removeItem(item)
        self._curves = []
        for curve in curves:
            item = pg.PlotDataItem(antialias=True, pen=self._pen(curve), connect="finite")
            (self._right if curve.is_right else self).addItem(item)
            self._curves.append((curve, item))

    def show_line(self, at: float | None) -> None:
        """Move the line, or hide it, without telling anybody."""
        self.line.setVisible(at is not None)
        if at is not None and not self.line.moving:
            with QSignalBlocker(self.line):
                self.line.setValue(at)

    def spoken(self) -> str:
        """Return what is drawn in words."""
        return self._words

    # ---- By keys ----

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk along the curves: to the next stop and the one before, to the first and the last."""
        places = self._stops
        if len(places) and self.line.isVisible() and event.key() in _STEPS:
            now = int(np.searchsorted(places, self.line.value()))
            wanted = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: len(places) - 1}.get(
                Qt.Key(event.key()), now + _STEPS[Qt.Key(event.key())]
            )
            self.dragged.emit(float(places[min(max(wanted, 0), len(places) - 1)]))
            self.released.emit()
        else:
            event.ignore()  # the page has keys of its own


_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Home: 0, Qt.Key.Key_End: 0}
