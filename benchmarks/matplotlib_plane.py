"""The plane of the Lookup page as one would write it with Matplotlib: the yardstick of the drawing.

The same things are drawn at the same size: field image, grid and axes, tie line, hull, shafts, badges with their names,
the output's arrow. Artists are made once and moved afterwards. Text has no halo, which is in Matplotlib's favour.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_qtagg import FigureCanvasQTAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from PySide6.QtCore import QSize

from attention_explorer.kit.theme import Theme
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.plane import Extent, tie_rays, weight_field

DOTS_PER_INCH = 100.0
NAMES = ("q", "k₁", "k₂", "o")
BADGE_AREA, OUTPUT_AREA = 350.0, 100.0
"""Of the markers, in square points: as large as our badges."""


class MatplotlibPlane:
    """A shown canvas with a lookup of two keys on it, whose values are the keys."""

    def __init__(self, frame: LookupFrame, visible: Extent, size: QSize, field_columns: int, theme: Theme) -> None:
        figure = Figure((size.width() / DOTS_PER_INCH, size.height() / DOTS_PER_INCH), dpi=DOTS_PER_INCH)
        self._axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self._theme = theme
        self._draw_ground(frame, visible, field_columns, round(field_columns * size.height() / size.width()))
        self._make_moving_artists(frame)
        self.canvas = FigureCanvasQTAgg(figure)
        self.canvas.resize(size)
        self.canvas.show()
        self._ground: object = None

    def _draw_ground(self, frame: LookupFrame, visible: Extent, columns: int, rows: int) -> None:
        axes, theme, state = self._axes, self._theme, frame.state
        left, right, bottom, top = visible.left, visible.right, visible.bottom, visible.top
        weights = weight_field(state.keys, state.temperature, state.scaled, visible, columns, rows)
        tints = np.array([to_rgb(tint) for tint in theme.tints[: len(state.keys)]])
        axes.imshow(weights @ tints, extent=(left, right, bottom, top), interpolation="bilinear", aspect="auto")
        axes.set(xlim=(left, right), ylim=(bottom, top))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MultipleLocator(1))
        axes.grid(True, color=theme.grid)
        axes.set_axisbelow(False)
        for side in ("left", "bottom"):
            axes.spines[side].set(position="zero", color=theme.axis)
        for side in ("right", "top"):
            axes.spines[side].set_visible(False)
        reach = 2 * max(visible.width, visible.height)
        for ray in tie_rays(state.keys):
            x, y = ray.direction
            axes.plot([0, reach * x], [0, reach * y], "--", color=theme.text, linewidth=1.6)
        axes.text(-1.9, -1.8, "q·k₁ = q·k₂", color=theme.text)
        axes.text(1.8, -1.2, "k₁ weighs most", color=theme.muted)
        axes.text(-2.6, 1.2, "k₂ weighs most", color=theme.muted)

    def _make_moving_artists(self, frame: LookupFrame) -> None:
        axes, theme = self._axes, self._theme
        colours = (theme.query, theme.key, theme.key)
        (self._hull,) = axes.plot(*np.transpose(frame.values), "--", color=theme.value, linewidth=1.6)
        self._shafts = [axes.plot([0, 0], [0, 0], color=colour, linewidth=3.0)[0] for colour in colours]
        self._output = axes.quiver(0, 0, *frame.output, color=theme.output, angles="xy", scale_units="xy", scale=1)
        self._badges = axes.scatter(
            np.zeros(4),
            np.zeros(4),
            s=[BADGE_AREA] * 3 + [OUTPUT_AREA],
            c=[theme.card] * 3 + [theme.output],
            edgecolors=[*colours, theme.card],
            zorder=3,
        )
        self._names = [axes.text(0, 0, name, ha="center", va="center", weight="bold") for name in NAMES]
        self._move(frame)

    def _move(self, frame: LookupFrame) -> None:
        """Put every artist where a frame has it."""
        places = np.vstack([frame.state.query, frame.keys, frame.output])
        for shaft, (x, y) in zip(self._shafts, places, strict=False):
            shaft.set_data([0, x], [0, y])
        self._hull.set_data(*np.transpose(frame.values))
        self._output.set_UVC(*frame.output)
        self._badges.set_offsets(places)
        for name, place in zip(self._names, places, strict=True):
            name.set_position(place)

    def draw(self, frame: LookupFrame) -> None:
        """Show a frame the plain way: everything is drawn anew."""
        self._move(frame)
        self.canvas.draw()

    def blit(self, frame: LookupFrame) -> None:
        """Show a frame the fast way: what moves is drawn over a copy of what stays."""
        if self._ground is None:
            for artist in self._moving():
                artist.set_animated(True)
            self.canvas.draw()
            self._ground = self.canvas.copy_from_bbox(self._axes.bbox)
        self._move(frame)
        self.canvas.restore_region(self._ground)
        for artist in self._moving():
            self._axes.draw_artist(artist)
        self.canvas.blit(self._axes.bbox)

    def _moving(self) -> Iterable[Artist]:
        return (self._hull, *self._shafts, self._output, self._badges, *self._names)
