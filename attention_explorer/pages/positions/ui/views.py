"""The views of the Positions page: which picture, which fields stand around it, what to try."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from attention_explorer.kit.form import Written
from attention_explorer.kit.frame.view import Part, Try, View, view_named
from attention_explorer.kit.pictures.figure import figure_of
from attention_explorer.pages.positions.clocks import has_clocks
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import (
    Likeness,
    PositionsPicture,
    PositionsState,
    changed,
    dimensions_text,
)
from attention_explorer.pages.positions.table import angle_rates
from attention_explorer.pages.positions.ui.attention import Attention
from attention_explorer.pages.positions.ui.clocks import Clocks
from attention_explorer.pages.positions.ui.encoding import Encoding
from attention_explorer.pages.positions.ui.order import Order
from attention_explorer.pages.positions.ui.similarity import Similarity
from attention_explorer.pages.preset_lists import preset_list

if TYPE_CHECKING:
    from attention_explorer.kit.export.figure import Figure
    from attention_explorer.pages.explorer import ExplorerState

Tries: TypeAlias = tuple[Try[PositionsState], ...]

PART = Part(
    "positions",
    PositionsState,
    preset_list("positions"),
    changed,
    {"dimensions": Written(dimensions_text, str)},
    shown_by="picture",
)
_SIZES = ("length", "d_model", "base", "layout", "heads", "seed")
_MADE_WITH = ("kind", *_SIZES)
_RANDOM = ("causal", "concatenated", "embedding_scale")


def views() -> tuple[View[Any], ...]:
    """Return the views, in their order."""
    encoding: Tries = (
        Try("Draw the wave of dimension 20", lambda state: 20 in state.dimensions),
        Try("Choose learned: waves are gone", lambda state: state.kind is PositionKind.LEARNED, "kind"),
    )
    clocks: Tries = (
        Try("Turn the first hand once round", _has_gone_round),
        Try("Bring clock 1 back to the top", _second_is_up),
        Try("Lower the base: all hands move", lambda state: state.base <= 100, "base"),
    )
    similarity: Tries = (
        Try("Compare by distance", lambda state: state.likeness is Likeness.DISTANCE, "likeness"),
        Try("Choose rotary: W changes nothing", lambda state: state.kind is PositionKind.ROTARY, "kind"),
    )
    attention: Tries = (
        Try("Hide what comes later", lambda state: state.causal, "causal"),
        Try("Choose ALiBi, then the last head", _is_flat_alibi, "kind"),
    )
    order: Tries = (
        Try("Choose none: order is lost", lambda state: _is_none(state) and not state.causal, "kind"),
        Try("Bring it back with a causal mask", lambda state: _is_none(state) and state.causal, "causal"),
    )
    return (
        View(
            PositionsPicture.ENCODING,
            "Map",
            "Position × dimension as a map, and the waves of dimensions",
            PART,
            PositionsPicture.ENCODING,
            Encoding(),
            "position",
            ("kind",),
            (*_SIZES, "head_number", "dimensions"),
            encoding,
            _MADE_WITH,
        ),
        View(
            PositionsPicture.CLOCKS,
            "Clocks",
            "Each pair as a hand that turns; a shift is a rotation",
            PART,
            PositionsPicture.CLOCKS,
            Clocks(),
            "position",
            ("kind", "shift"),
            ("shift", *_SIZES),
            clocks,
            (*_MADE_WITH, "shift"),
        ),
        View(
            PositionsPicture.SIMILARITY,
            "Similarity",
            "How alike two positions are, before and after W_q and W_k",
            PART,
            PositionsPicture.SIMILARITY,
            Similarity(),
            "position",
            ("kind", "likeness"),
            (*_SIZES, "head_number", "likeness"),
            similarity,
            (*_MADE_WITH, "likeness"),
        ),
        View(
            PositionsPicture.ATTENTION,
            "Attention",
            "What the encoding does to scores and weights",
            PART,
            PositionsPicture.ATTENTION,
            Attention(),
            "query_position",
            ("kind", "causal"),
            ("position", *_SIZES, "head_number", *_RANDOM, "scaled_by_root"),
            attention,
            (*_MADE_WITH, *_RANDOM),
        ),
        View(
            PositionsPicture.ORDER,
            "Order",
            "Shuffle the words: are the outputs the same rows in another order?",
            PART,
            PositionsPicture.ORDER,
            Order(),
            "",
            ("kind", "causal", "sentence"),
            ("sentence", "shuffle", *_SIZES, "head_number", *_RANDOM, "scaled_by_root"),
            order,
            ("kind", "base", "layout", "seed", *_RANDOM, "sentence", "shuffle"),
        ),
    )


def view_of(name: PositionsPicture) -> View[Any]:
    """Return a view by its name."""
    return view_named(views(), name)


def drawn(state: ExplorerState, _what: str) -> Figure:
    """Return what the page shows large."""
    return figure_of(view_of(state.positions.picture), state.positions, "Positions")


# ---- Whether something to try is done ----


def _has_gone_round(state: PositionsState) -> bool:
    return has_clocks(state) and state.position_shown >= 2 * math.pi


def _second_is_up(state: PositionsState) -> bool:
    if not has_clocks(state) or state.d_model < 4:
        return False
    turns = float(angle_rates(state)[1]) * state.position_shown / (2 * math.pi)
    return turns > 0.5 and abs(turns - round(turns)) < 0.03


def _is_flat_alibi(state: PositionsState) -> bool:
    return state.kind is PositionKind.ALIBI and state.head_shown == state.heads - 1 > 0


def _is_none(state: PositionsState) -> bool:
    return state.kind is PositionKind.NONE
