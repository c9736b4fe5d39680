"""The large map of the Heads page: the stage, the contrast and the hidden keys its view asks for."""

from __future__ import annotations

import unicodedata

import numpy as np

from attention_explorer.model import AttentionMap, RenormalisedMap, Stage
from attention_explorer.model.pooling import Pooled
from attention_explorer.state.colour_scale import BoolArray, ColourScale, score_scale, weight_scale
from attention_explorer.state.heads.frame import HeadsFrame
from attention_explorer.state.heads.state import HeadsView, Hidden
from attention_explorer.state.map_picture import MapPicture, Window

STAGE_TITLES = {
    Stage.SCORES: "raw score q·k",
    Stage.SCALED: "scaled score q·k ÷ √d_k",
    Stage.MASKED: "masked score",
    Stage.WEIGHTS: "weight",
}


def map_picture(
    frame: HeadsFrame, view: HeadsView, window: Window | None = None, tiles: tuple[int, int] = (4096, 4096)
) -> MapPicture:
    """Return the large picture of a frame: the stage, contrast and hidden keys of the view.

    Parameters
    ----------
    frame, view
        What to show and how.
    window
        The part in view; everything if not given.
    tiles
        The most rows and columns to compute: pixels. Where tokens are more, a tile shows its largest number.
    """
    seen = Window.whole(frame.shape) if window is None else window.held_within(frame.shape)
    stage = stage_shown(frame, view)
    map_ = shown_map(frame, view)
    pooled = map_.pooled(stage, *tiles, seen.rows, seen.columns)
    hidden = hidden_keys(frame, view.hidden)[seen.columns]
    in_view = "" if seen == Window.whole(frame.shape) else " in view"
    masked, word, scale = scaled(frame, view, pooled, hidden, in_view)
    sums = tuple(map_.row_summary(seen.rows).total.tolist()) if view.row_sums and stage is Stage.WEIGHTS else ()
    return MapPicture(
        pooled.values,
        masked,
        scale,
        view.colour_map,
        frame.queries[seen.rows],
        frame.keys[seen.columns],
        seen.top,
        seen.left,
        sums,
        masked_word=word,
    )


def scaled(
    frame: HeadsFrame, view: HeadsView, pooled: Pooled, hidden: BoolArray, in_view: str = ""
) -> tuple[BoolArray, str, ColourScale]:
    """Return of what was pooled which tiles are masked or belong to a hidden column, what to call that, and the scale.

    ``hidden`` says which columns (n,) are, of the map and not of the tiles.
    """
    stage, masked, word = stage_shown(frame, view), pooled.masked, "masked"
    if stage is not Stage.WEIGHTS:
        return masked, word, score_scale(pooled.values, stage_title(frame, stage))
    if hidden.any() and pooled.values.shape[1] == len(hidden):
        masked, word = masked | hidden, "masked or hidden" if masked.any() else "hidden"
    return masked, word, weight_scale(view.contrast, pooled.values, masked, in_view)


def stage_shown(frame: HeadsFrame, view: HeadsView) -> Stage:
    """Return the stage in the picture; several heads in one have weights only."""
    return view.stage if frame.map.has_scores else Stage.WEIGHTS


def stage_title(frame: HeadsFrame, stage: Stage) -> str:
    """Return what the numbers of a stage are called."""
    if stage is not Stage.SCORES and stage is not Stage.WEIGHTS and not frame.setup.scaled:
        return {Stage.SCALED: "score, not scaled", Stage.MASKED: "masked score, not scaled"}[stage]
    return STAGE_TITLES[stage]


def shown_map(frame: HeadsFrame, view: HeadsView) -> AttentionMap:
    """Return the map in the picture: without its hidden keys, the rest of each row renormalised."""
    return RenormalisedMap(frame.map, ~hidden_keys(frame, view.hidden)) if is_renormalised(frame, view) else frame.map


def is_renormalised(frame: HeadsFrame, view: HeadsView) -> bool:
    """Whether the map in the picture is without some keys, and so does not have the raw weights."""
    return stage_shown(frame, view) is Stage.WEIGHTS and bool(hidden_keys(frame, view.hidden).any())


def hiding_words(hidden: Hidden) -> str:
    """Return what a map without these keys shows."""
    what = {Hidden.FIRST: "first token", Hidden.PUNCTUATION: "punctuation"}[hidden]
    return f"{what} hidden, rows renormalised"


def hidden_keys(frame: HeadsFrame, hidden: Hidden) -> BoolArray:
    """Return which keys (n_k,) are taken out of the picture."""
    result = np.zeros(len(frame.keys), np.bool_)
    if hidden is Hidden.FIRST:
        result[:1] = True
    elif hidden is Hidden.PUNCTUATION:
        result[:] = [is_punctuation(token) for token in frame.keys]
    return result


def is_punctuation(token: str) -> bool:
    """Whether a token is made of punctuation only."""
    return bool(token) and all(unicodedata.category(letter)[0] == "P" for letter in token)
