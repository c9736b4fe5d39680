"""The views of the Layer page: which picture, which fields stand around it, what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from attention_explorer.kit.form import Written
from attention_explorer.kit.frame.view import Part, Try, View, view_named
from attention_explorer.kit.picture import Picture
from attention_explorer.kit.pictures.figure import figure_of
from attention_explorer.pages.layer.ui.cache import Cache
from attention_explorer.pages.layer.ui.future import Future
from attention_explorer.pages.layer.ui.layer import Layer
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.stack.typed import TYPED, parsed_rows, rows_text
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import LayerPart

if TYPE_CHECKING:
    from attention_explorer.kit.export.figure import Figure
    from attention_explorer.pages.explorer import ExplorerState

Tries: TypeAlias = tuple[Try[BlockState], ...]

_ROWS = dict.fromkeys(TYPED, Written(rows_text, parsed_rows))
PART = Part("block", BlockState, preset_list("block"), BlockState.with_field, _ROWS)
_STACK = (
    *("d_model", "heads", "d_ff", "layers", "seed", "embedding_scale", "initialiser", "gain", "norm", "norm_kind"),
    *("eps", "eps_inside_sqrt", "gains", "biases", "residual", "feed_forward", "activation", "causal", "encoding"),
)
_LEARNED = ("model_biases", "model_gains")
_DROPOUT = ("dropout", "dropout_rate", "dropout_seed")


def views() -> tuple[View[Any], ...]:
    """Return the views, in their order."""
    layer: Tries = (
        Try("Follow a token", lambda state: state.token is not None, chosen=lambda state: state.token),
        Try("Grow the weights: click softmax", lambda state: state.box == "weights"),
        Try(
            "Cut the first +",
            lambda state: not state.has_part(LayerPart.RESIDUAL),
            fits=lambda state: state.learned is None and (state.model is None or source_of(state.model).can_be_cut),
        ),
    )
    future: Tries = (
        Try("Replace the first token", lambda state: state.changed_token == 0, "replaced_number"),
        Try("Go through 6 layers", lambda state: state.layers >= 6, "layers", fits=lambda state: state.model is None),
    )
    cache: Tries = (
        Try("Decode all tokens", lambda state: state.decoded >= state.token_count, "decoded"),
        Try("Write a longer sentence", lambda state: state.token_count >= 9, "text"),
    )
    return (
        _view(
            BlockPicture.LAYER,
            "Layer",
            "The layer as a diagram: every box with its numbers",
            Layer(),
            "layer_number",
            ("text", "norm", "causal", "residual", "feed_forward", "layer_residual", "layer_network"),
            (*_STACK, *TYPED, "mask_kind", "mask_size", *_DROPOUT, *_LEARNED, "head_number", "batch"),
            layer,
        ),
        _view(
            BlockPicture.FUTURE,
            "Future",
            "Replace a token, and see which rows of the output change",
            Future(),
            "replaced_number",
            ("text", "layers"),
            _STACK,
            future,
        ),
        _view(
            BlockPicture.CACHE,
            "Cache",
            "Decode token by token with a KV cache",
            Cache(),
            "decoded",
            ("text", "layer_number", "head_number"),
            _STACK,
            cache,
        ),
    )


def _view(
    name: BlockPicture,
    title: str,
    tip: str,
    picture: Picture[BlockState, Any],
    main: str,
    fields: tuple[str, ...],
    more: tuple[str, ...],
    tries: Tries,
) -> View[Any]:
    # What the numbers are made of is told by the picture: a stack has more of it than a caption has room for.
    left = tuple(each for each in more if each not in fields and (each != "causal" or name is BlockPicture.LAYER))
    return View(name, title, tip, PART, name, picture, main, fields, left, tries, made_with=("picture",))


def view_of(name: BlockPicture) -> View[Any]:
    """Return a view by its name."""
    return view_named(views(), name)


def drawn(state: ExplorerState, _what: str) -> Figure:
    """Return what the page shows large."""
    view = view_of(state.block.picture_shown)
    return figure_of(view, view.of(state.block), "Layer")
