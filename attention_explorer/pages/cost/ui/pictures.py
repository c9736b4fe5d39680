"""The pictures of the Cost page in one table, so that the page treats them alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QPointF, Qt

from attention_explorer.core.numerals import grouped
from attention_explorer.kit.pictures.drawing import Change, PictureDrawing
from attention_explorer.pages.cost.export import Picture
from attention_explorer.pages.cost.growth import GrowthPicture, growth_picture
from attention_explorer.pages.cost.inputs import inputs_picture
from attention_explorer.pages.cost.layer import LayerPicture, layer_picture
from attention_explorer.pages.cost.measure import Measurement
from attention_explorer.pages.cost.reach import reach_picture
from attention_explorer.pages.cost.state import CostPicture, CostState
from attention_explorer.pages.cost.ui import growth_picture as growth
from attention_explorer.pages.cost.ui import inputs_picture as inputs
from attention_explorer.pages.cost.ui import layer_picture as layer
from attention_explorer.pages.cost.ui import reach_picture as reach

Drawing = PictureDrawing[CostState, Any, Any]

GRIP = 6.0
"""How many pixels from the line at n it can be grabbed."""


def _change_to(state: CostState, n: int) -> Change[CostState] | None:
    new = state.with_sizes(n=n)
    return None if new == state else Change(new, f"Change n to {grouped(new.n)}", "n")


def _on_layer_clicked(
    state: CostState, picture: LayerPicture, layout: layer.LayerLayout, place: QPointF
) -> Change[CostState] | None:
    """Double n where the bar at 2n is clicked."""
    return _change_to(state, 2 * state.n) if picture.cost is not None and layout.bars[1].contains(place) else None


def _on_growth_clicked(
    state: CostState, _picture: GrowthPicture, layout: growth.GrowthLayout, place: QPointF
) -> Change[CostState] | None:
    """Move n to where the curves are clicked."""
    if layout.chart is None or not layout.chart.plot.contains(place):
        return None
    return _change_to(state, growth.length_at(layout.chart, place.x()))


def _grabbed(picture: GrowthPicture, layout: growth.GrowthLayout, place: QPointF) -> object:
    """Return whether the line at n is at a place."""
    chart = layout.chart
    if chart is None or not chart.plot.contains(place):
        return None
    return True if abs(chart.x(picture.state.n) - place.x()) <= GRIP else None


def _on_growth_dragged(
    state: CostState, _picture: GrowthPicture, layout: growth.GrowthLayout, _handle: object, place: QPointF
) -> Change[CostState] | None:
    """Move n along with the pointer."""
    if layout.chart is None:
        return None
    n = growth.length_at(layout.chart, place.x())
    return Change(state.with_sizes(n=n), f"Move n to {grouped(n)}")


def _on_key(state: CostState, _picture: Picture, key: int) -> Change[CostState] | None:
    """Right doubles n, left halves it."""
    if key == Qt.Key.Key_Right:
        return _change_to(state, 2 * state.n)
    if key == Qt.Key.Key_Left:
        return _change_to(state, max(state.n // 2, 1))
    return None


# ---- The four ----

_LAYER: Drawing = PictureDrawing(
    layer_picture,
    layer.cost_layer_layout,
    layer.paint_cost_layer,
    layer.mark_cost_layer,
    layer.cost_layer_spot,
    layer.cost_layer_words,
    layer.cost_layer_notes,
    click=_on_layer_clicked,
    press=_on_key,
    uses_pixels=False,
    parts=layer.cost_layer_parts,
)
_REACH: Drawing = PictureDrawing(
    reach_picture,
    reach.cost_reach_layout,
    reach.paint_cost_reach,
    reach.mark_cost_reach,
    reach.cost_reach_spot,
    reach.cost_reach_words,
    reach.cost_reach_notes,
    press=_on_key,
    uses_pixels=False,
    parts=lambda picture: tuple(f"What gets through: {strip.name}" for strip in picture.strips),
)
_INPUTS: Drawing = PictureDrawing(
    inputs_picture,
    inputs.cost_inputs_layout,
    inputs.paint_cost_inputs,
    inputs.mark_cost_inputs,
    inputs.cost_inputs_spot,
    inputs.cost_inputs_words,
    inputs.cost_inputs_notes,
    uses_pixels=False,
    parts=lambda _picture: ("First input", "Second input", "Operations"),
)


def cost_drawings(measurement: Callable[[], Measurement | None]) -> dict[CostPicture, Drawing]:
    """Return how each picture is drawn; ``measurement`` gives what was measured here, which is no part of the state."""
    return {
        CostPicture.LAYER: _LAYER,
        CostPicture.GROWTH: _growth(measurement),
        CostPicture.REACH: _REACH,
        CostPicture.INPUTS: _INPUTS,
    }


def _growth(measurement: Callable[[], Measurement | None]) -> Drawing:
    def with_points(state: CostState, _tiles: tuple[int, int]) -> GrowthPicture:
        return growth_picture(state, measurement())

    return PictureDrawing(
        with_points,
        growth.cost_growth_layout,
        growth.paint_cost_growth,
        growth.mark_cost_growth,
        growth.cost_growth_spot,
        growth.cost_growth_words,
        growth.cost_growth_notes,
        click=_on_growth_clicked,
        grab=_grabbed,
        drag=_on_growth_dragged,
        press=_on_key,
        uses_pixels=False,
        parts=lambda _picture: ("What grows with n, and how fast",),
    )
