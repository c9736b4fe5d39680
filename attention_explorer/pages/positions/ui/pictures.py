"""The five pictures of the Positions page in one table, so that the page treats them alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, Qt

from attention_explorer.kit.pictures.drawing import Change, Layers, PictureDrawing
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.pages.positions.state import PositionKind, PositionsPicture, PositionsState

if TYPE_CHECKING:
    from attention_explorer.pages.positions.encoding import EncodingPicture
    from attention_explorer.pages.positions.ui.encoding_picture import EncodingLayout

QUICK_NUMBERS = 2**17
"""An encoding of so many numbers, 512 × 256, takes less than about 15 ms; larger ones are computed on the worker."""
FEW_NUMBERS = 2**15
"""The same for pictures that multiply all rows by all rows."""
PAGE_STEP = 10

Drawing = PictureDrawing[PositionsState, Any, Any]
Changed = Change[PositionsState] | None


@lru_cache(maxsize=8)
def drawing_of(picture: PositionsPicture) -> Drawing:
    """Return how a picture is drawn. Loaded when it is first shown."""
    return _DRAWINGS[picture]()


def _has_few(state: PositionsState, most: int = QUICK_NUMBERS) -> bool:
    """Whether an encoding has too few numbers to trouble the worker with it."""
    return state.length * state.d_model <= most


def _has_few_or_is_sampled(state: PositionsState) -> bool:
    """Whether the same holds, or only samples are drawn: a learned encoding alone has to be drawn whole."""
    return state.kind is not PositionKind.LEARNED or _has_few(state)


def _is_step(shown: PositionsState, wanted: PositionsState) -> bool:
    """Whether only the position has moved: what takes long is kept from the time before."""
    return replace(shown, position=wanted.position) == wanted


def _on_key(state: PositionsState, _picture: object, key: int) -> Changed:
    """Move the position."""
    here = state.position_shown
    targets: dict[int, int] = {
        Qt.Key.Key_Left: here - 1,
        Qt.Key.Key_Up: here - 1,
        Qt.Key.Key_Right: here + 1,
        Qt.Key.Key_Down: here + 1,
        Qt.Key.Key_PageUp: here - PAGE_STEP,
        Qt.Key.Key_PageDown: here + PAGE_STEP,
        Qt.Key.Key_Home: 0,
        Qt.Key.Key_End: state.length - 1,
    }
    target = targets.get(key)
    return None if target is None else Change(state.with_position(target), "Move the position", "position")


def _at_spot(
    spot_at: Callable[[Any, Any, QPointF], Spot], click: Callable[[PositionsState, Spot], Changed]
) -> Callable[[PositionsState, Any, Any, QPointF], Changed]:
    """Return a click on a place for a click on a spot, where the spot says all."""
    return lambda state, picture, layout, place: click(state, spot_at(picture, layout, place))


# ---- The five ----


def _encoding() -> Drawing:
    from attention_explorer.pages.positions.encoding import encoding_picture
    from attention_explorer.pages.positions.ui import encoding_picture as ui

    return PictureDrawing(
        encoding_picture,
        ui.encoding_layout,
        ui.paint_encoding,
        ui.mark_encoding,
        ui.encoding_spot,
        ui.encoding_words,
        ui.encoding_notes,
        _on_encoding_clicked,
        press=_on_key,
        is_quick=_has_few_or_is_sampled,
        is_step=_is_step,
        layers=Layers(ui.encoding_ground_key, ui.paint_encoding_ground, ui.paint_encoding_front),
        height=ui.encoding_height,
        parts=ui.encoding_parts,
    )


def _on_encoding_clicked(
    state: PositionsState, picture: EncodingPicture, layout: EncodingLayout, place: QPointF
) -> Changed:
    from attention_explorer.pages.positions.ui.encoding_picture import encoding_spot, is_on_waves

    spot = encoding_spot(picture, layout, place)
    if state.kind is PositionKind.ALIBI:
        if spot.row is None or spot.column is not None:
            return None
        return Change(replace(state, head=spot.row), f"Show {state.count.head(spot.row)}")
    if spot.row is not None and (spot.column is None or is_on_waves(layout, place)):
        return Change(state.with_position(spot.row), "Move the position")
    if spot.column is None:
        return None
    drawn = spot.column in state.dimensions
    return Change(state.with_dimension(spot.column), f"{'Hide' if drawn else 'Draw'} dimension {spot.column}")


def _clocks() -> Drawing:
    from attention_explorer.pages.positions.clocks import clocks_picture
    from attention_explorer.pages.positions.ui import clocks_picture as ui

    return PictureDrawing(
        clocks_picture,
        ui.clocks_layout,
        ui.paint_clocks,
        ui.mark_clocks,
        ui.clocks_spot,
        ui.clocks_words,
        ui.clocks_notes,
        press=_on_key,
        is_quick=_has_few_or_is_sampled,
        is_step=_is_step,
        layers=Layers(ui.clocks_ground_key, ui.paint_clocks_ground, ui.paint_clocks_front),
        parts=lambda _picture: ("Angles", "Turns", "Wavelengths", "R"),
        paint_given=ui.paint_given_clocks,
    )


def _similarity() -> Drawing:
    from attention_explorer.pages.positions.similarity import similarity_numbers, similarity_picture
    from attention_explorer.pages.positions.ui import similarity_picture as ui

    return PictureDrawing(
        similarity_picture,
        ui.similarity_layout,
        ui.paint_similarity,
        ui.mark_similarity,
        ui.similarity_spot,
        ui.similarity_words,
        ui.similarity_notes,
        _at_spot(ui.similarity_spot, _on_similarity_clicked),
        press=_on_key,
        is_quick=partial(_has_few, most=FEW_NUMBERS),
        is_step=_is_step,
        numbers=similarity_numbers,
        parts=lambda picture: (*picture.titles, picture.curve_title),
    )


def _on_similarity_clicked(state: PositionsState, spot: Spot) -> Changed:
    return None if spot.row is None else Change(state.with_position(spot.row), "Move the position")


def _attention() -> Drawing:
    from attention_explorer.pages.positions.attention import position_attention_numbers, position_attention_picture
    from attention_explorer.pages.positions.ui import attention_picture as ui
    from attention_explorer.pages.positions.ui.notes import titles_of

    return PictureDrawing(
        position_attention_picture,
        ui.position_attention_layout,
        ui.paint_position_attention,
        ui.mark_position_attention,
        ui.position_attention_spot,
        ui.position_attention_words,
        ui.position_attention_notes,
        _at_spot(ui.position_attention_spot, _on_attention_clicked),
        press=_on_key,
        is_quick=_has_few,
        is_step=_is_step_of_attention,
        layers=Layers(ui.attention_ground_key, ui.paint_attention_ground, ui.paint_attention_front),
        numbers=position_attention_numbers,
        parts=lambda picture: (*(f"Scores: {title}" for title in titles_of(picture).values()), "Weights of the keys"),
    )


def _is_step_of_attention(shown: PositionsState, wanted: PositionsState) -> bool:
    """Whether at most key and query have moved: lines of other queries are kept, and waves are quickly summed."""
    return _has_few_or_is_sampled(wanted) and _is_step(replace(shown, query_position=wanted.query_position), wanted)


def _on_attention_clicked(state: PositionsState, spot: Spot) -> Changed:
    if spot.column is None:
        return None
    # A place without a row is a distance from the query, counted from the furthest key after it.
    query = min(state.query_position, state.length - 1)
    key = spot.column if spot.row is not None else query - (spot.column - state.length + 1)
    return Change(state.with_position(key), "Move the key") if 0 <= key < state.length else None


def _order() -> Drawing:
    from attention_explorer.pages.positions.order import order_numbers, order_picture
    from attention_explorer.pages.positions.ui import order_picture as ui

    return PictureDrawing(
        order_picture,
        ui.order_layout,
        ui.paint_order,
        ui.mark_order,
        ui.order_spot,
        ui.order_words,
        ui.order_notes,
        _at_spot(ui.order_spot, _on_order_clicked),
        is_quick=_has_few,
        is_step=_is_step,
        numbers=order_numbers,
        parts=lambda _picture: ("What comes out",),
        paint_given=ui.paint_given_order,
    )


def _on_order_clicked(state: PositionsState, spot: Spot) -> Changed:
    from attention_explorer.pages.positions.order import KINDS

    if spot.row is None or spot.column is not None:
        return None
    kind, causal = KINDS[spot.row // 2], spot.row % 2 == 1
    return Change(replace(state, kind=kind, causal=causal), f"Shuffle with {kind.value}{', causal' if causal else ''}")


_DRAWINGS: dict[PositionsPicture, Callable[[], Drawing]] = {
    PositionsPicture.ENCODING: _encoding,
    PositionsPicture.CLOCKS: _clocks,
    PositionsPicture.SIMILARITY: _similarity,
    PositionsPicture.ATTENTION: _attention,
    PositionsPicture.ORDER: _order,
}
