"""The weights against the temperature: one slider as a picture."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from attention_explorer.core.numerals import coordinate
from attention_explorer.core.temperature import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE
from attention_explorer.kit.accessible import CHART, sentences
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import MOST_KEYS
from attention_explorer.pages.lookup.wording import description, key_name
from attention_explorer.pages.ui.session import Session

SAMPLES, FEWEST_SAMPLES = 121, 9
MOST_WEIGHTS = 500_000
"""Of all samples together: so many take about 15 ms."""
HIGH = 0.6
"""From this weight on a curve has its name below it."""
HARD = "hard: temperature has no effect; these are the soft weights"
EDGE = 20
"""Pixels that a number may reach over the end of the axis."""
_STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)


@lru_cache(maxsize=2)
def _temperatures(samples: int) -> np.typing.NDArray[np.float64]:
    return np.geomspace(LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE, samples)


class _PlainLogAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """A logarithmic axis that writes 0.01 … 100 instead of powers of ten."""

    def logTickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [coordinate(float(f"{10**value:.6g}")) for value in values]


class TemperatureChart(QWidget):
    """A curve per key: its weight at every temperature, with a line at the current one that can be dragged.

    The keyboard moves the line by the slider of the temperature.
    """

    accessible_role = CHART

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 2, 2, 2)
        self.plot = pg.PlotWidget(axisItems={"bottom": _PlainLogAxis("bottom")})
        self.setAccessibleName("Weights against temperature")
        self.plot.setAccessibleName("Weights against temperature")
        # What it would like to be depends on what it has shown.
        self.plot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        for part in (self.plot, self.plot.viewport()):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot.setMenuEnabled(False)
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.hideButtons()
        self.plot.setLogMode(x=True, y=False)
        low, high = np.log10(LOWEST_TEMPERATURE), np.log10(HIGHEST_TEMPERATURE)
        self.plot.setXRange(low, high, padding=0.02)
        self.plot.setYRange(0, 1, padding=0.06)
        self.plot.getAxis("bottom").setStyle(hideOverlappingLabels=EDGE)
        self.plot.getPlotItem().setContentsMargins(0, 0, EDGE / 2, 0)
        self.plot.setToolTip(
            "Drag the line: towards 0 the highest score takes all the weight, upwards the weights become even."
        )
        self.note = QLabel(HARD)
        self.note.setWordWrap(True)
        self.note.setObjectName("muted")
        column.addWidget(self.note)
        column.addWidget(self.plot, 1)
        self._curves = [self.plot.plot() for _ in range(MOST_KEYS + 1)]  # one is of the rest of a row
        self._names = [pg.TextItem(anchor=(0, 0.5)) for _ in self._curves]
        for name in self._names:
            self.plot.addItem(name)
        self.marker = pg.InfiniteLine(angle=90, movable=True, bounds=(low, high))
        self.marker.sigDragged.connect(self._on_marker_dragged)
        self.marker.sigPositionChangeFinished.connect(self._on_marker_released)
        self.plot.addItem(self.marker)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        theme = look.theme
        self.note.setContentsMargins(look.px(8), look.px(4), look.px(8), 0)
        self.plot.setBackground(theme.card)
        for side, title in (("bottom", "temperature"), ("left", "weight α")):
            axis = self.plot.getAxis(side)
            axis.setPen(theme.axis)
            axis.setTextPen(theme.muted)
            axis.setTickFont(look.font(11))
            axis.setLabel(title, **{"font-size": f"{look.px(12)}px", "color": theme.muted})
        for i, (curve, name) in enumerate(zip(self._curves, self._names, strict=True)):
            curve.setPen(pg.mkPen(theme.key, width=2 * look.zoom, style=_STYLES[i % len(_STYLES)]))
            name.setColor(QColor(theme.key_ink))
            name.setFont(look.font(12, bold=True))
        self.marker.setPen(pg.mkPen(theme.text, width=1.5 * look.zoom))
        self.marker.setHoverPen(pg.mkPen(theme.text, width=3 * look.zoom))

    def show_frame(self, frame: LookupFrame) -> None:
        """Draw the curves for the scores of a lookup."""
        temperatures = _temperatures(min(SAMPLES, max(MOST_WEIGHTS // sum(frame.numbers_of_keys), FEWEST_SAMPLES)))
        weights = frame.weights_at(temperatures)
        for i, (curve, name) in enumerate(zip(self._curves, self._names, strict=True)):
            shown = i < weights.shape[1]
            curve.setVisible(shown)
            name.setVisible(shown)
            if shown:
                curve.setData(temperatures, weights[:, i])
                name.setText(key_name(i))
                # Side by side, so that names of curves that run together do not cover each other.
                at = (4 + 6 * i) * len(temperatures) // SAMPLES
                weight = float(weights[at, i])
                name.setAnchor((0, 0) if weight > HIGH else (0, 1))  # below a high curve, above a low one
                name.setPos(np.log10(temperatures[at]), weight)
        with QSignalBlocker(self.marker):
            self.marker.setValue(np.log10(frame.state.temperature))
        self.marker.setVisible(not frame.state.hard)
        self.note.setVisible(frame.state.hard)

    def spoken(self) -> str:
        """Return what is drawn in words."""
        frame = lookup_frame(self._session.state.lookup)
        now = HARD if frame.state.hard else f"the line is at {frame.state.temperature:g}"
        line = f"One curve per key, from hard to uniform; {now}"
        return sentences(line, description(frame))

    def _on_marker_dragged(self) -> None:
        state = self._session.state
        temperature = float(f"{10 ** self.marker.value():.3g}")
        self._session.preview(replace(state, lookup=state.lookup.with_temperature(temperature)), "Change temperature")

    def _on_marker_released(self) -> None:
        self._session.commit()
