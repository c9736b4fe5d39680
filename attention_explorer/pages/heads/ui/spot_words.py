"""What the status bar says of a spot on the large picture of the Heads page."""

from __future__ import annotations

from functools import partial

from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.compare_words import compared_token_words, compared_words
from attention_explorer.pages.heads.frame import HeadsFrame, head_name
from attention_explorer.pages.heads.stages import stage_words
from attention_explorer.pages.heads.state import HeadsView
from attention_explorer.pages.heads.ui.map_widget import OneMap
from attention_explorer.pages.heads.wording import cell_words, key_name, query_name


def spot_words(
    frame: HeadsFrame, view: HeadsView, compared: Comparison | None, one: OneMap | None, spot: Spot, *, is_kept: bool
) -> str:
    """Return what a cell is made of, or whose row or column is pointed at; nothing where the map has no such cell.

    ``compared`` is the comparison on show, ``one`` the map of several below the pointer; ``is_kept`` of a spot that
    is pinned.
    """
    if compared is not None and spot.row is not None and spot.column is not None:
        return compared_words(compared, spot.row, spot.column)
    if spot == NOWHERE or (compared is None and not spot.lies_on(frame.shape)):
        return ""  # a picture about to be replaced may be larger than the map
    if spot.row is not None and spot.column is not None:
        if isinstance(one, HeadsFrame):
            return f"{head_name(one, one.layer, one.head)}: {cell_words(one, view, spot.row, spot.column)}"
        say = cell_words if one is None else partial(stage_words, one)
        return say(frame, view, spot.row, spot.column)
    kept = "kept, click again to let go" if is_kept else ""
    is_row, number = spot.row is not None, (spot.column or 0) if spot.row is None else spot.row
    if compared is not None:
        name = compared_token_words(compared, number, is_row=is_row)
    else:
        name = f"query {query_name(frame, number)}" if is_row else f"key {key_name(frame, number)}"
    return f"{name}: {kept or ('click to keep its row' if is_row else 'click to see who attends to it')}"


def asked_words(frame: HeadsFrame, spot: Spot) -> str:
    """Return what a spot is while its numbers are asked for: the tokens that it belongs to."""
    if spot == NOWHERE or not spot.lies_on(frame.shape):
        return ""
    row = "" if spot.row is None else f"query {query_name(frame, spot.row)}"
    column = "" if spot.column is None else f"key {key_name(frame, spot.column)}"
    return f"{', '.join(filter(None, (row, column)))}: ?"
