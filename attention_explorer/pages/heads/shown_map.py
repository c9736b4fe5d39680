"""The large map of the Heads page: the stage, the contrast, the hidden keys and the lengths its view asks for."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import (
    BoolArray,
    ColourScale,
    Contrast,
    MapPicture,
    ScaleKind,
    Window,
    end_text,
    length_scale,
    score_scale,
    weight_scale,
)
from attention_explorer.core.numerals import counted
from attention_explorer.errors import ExplorerError
from attention_explorer.model import AttentionMap, RenormalisedMap, Stage
from attention_explorer.model.hidden_keys_map import HiddenKeysMap
from attention_explorer.model.pooling import Pooled
from attention_explorer.model.value_weighted import ValueWeightedMap, output_rows
from attention_explorer.pages.heads.frame import HeadsFrame, head_name, heads_frame
from attention_explorer.pages.heads.state import Aggregate, HeadsView, Hidden, Picture
from attention_explorer.sources.source import Ability

SOURCE = "Kobayashi et al. 2020"
WEIGHED = (Picture.HEATMAP, Picture.MARKED)
"""The pictures in which weights can be multiplied by their values."""


def lengths_shown(frame: HeadsFrame, view: HeadsView) -> ValueWeightedMap | None:
    """Return the lengths ‖α·v·W_O‖ that a view shows in place of weights; None if it shows weights or scores."""
    if not view.value_weighted or view.picture not in WEIGHED:
        return None
    found = _lengths_of(frame)
    return found if isinstance(found, ValueWeightedMap) else None


def why_not_weighted(frame: HeadsFrame) -> str:
    """Return why there are no lengths of what is large, as a sentence; empty if there are."""
    found = _lengths_of(frame)
    return found if isinstance(found, str) else ""


def why_without_values(frame: HeadsFrame) -> str:
    """Return why there can be no lengths of what is large; empty if there can be. Nothing is computed."""
    if not frame.is_one_head:
        return "Several heads in one have no values: choose one head."
    lacks = frame.source.traits.reason_against(Ability.VALUES)
    return lacks or ("The values are not known." if frame.layers[frame.layer].values is None else "")


@kept
def _lengths_of(frame: HeadsFrame) -> ValueWeightedMap | str:
    """Return the lengths of the head on show, with W_O where it is known, or why there are none."""
    if reason := why_without_values(frame):
        return reason
    layer = frame.layers[frame.layer]
    try:
        w_o = None if layer.attention is None else output_rows(layer.attention.w_o, len(layer.maps), frame.head)
        return ValueWeightedMap(frame.head_map, layer.v[frame.head], w_o)
    except ExplorerError as error:
        return f"The values cannot be weighed: {error}."


def lengths_words(lengths: ValueWeightedMap) -> str:
    """Return what the numbers of a value-weighted map are."""
    known = "" if lengths.is_projected else ", W_O is not known"
    return f"{lengths.symbol}, how long what each key adds to the output is ({SOURCE}{known}): rows do not sum to 1"


MOST_NAMED = 4
"""Hidden tokens, up to which they are named."""
MOST_SUMS = 512
"""Rows up to which their sums are shown unasked where keys are hidden: they take as long again as the map."""
HIDING = (Picture.HEATMAP, Picture.LINES, Picture.MARKED)
"""The pictures that leave chosen tokens out."""
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
    hidden = keys_not_drawn(frame, view)[seen.columns]
    in_view = "" if seen == Window.whole(frame.shape) else " in view"
    masked, word, scale = scaled(frame, view, pooled, hidden, in_view)
    lengths = lengths_shown(frame, view) if stage is Stage.WEIGHTS else None
    if lengths is not None:
        scale = length_scale(view.contrast, pooled.values, masked, lengths.symbol)
    differ = keys_left_out(frame, view).any() and seen.bottom - seen.top <= MOST_SUMS
    has_sums = stage is Stage.WEIGHTS and lengths is None and (view.row_sums or differ)
    sums = tuple(map_.row_summary(seen.rows).total.tolist()) if has_sums else ()
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
    """Return the map in the picture: its weights, or what they add to the output, without the hidden keys.

    Without the first token or punctuation the rest of each row is renormalised, without chosen tokens it is not.
    """
    if stage_shown(frame, view) is not Stage.WEIGHTS:
        return frame.map
    lengths = lengths_shown(frame, view)
    map_ = frame.map if lengths is None else lengths
    if is_renormalised(frame, view):
        map_ = RenormalisedMap(map_, ~hidden_keys(frame, view.hidden))
    left_out = keys_left_out(frame, view)
    return HiddenKeysMap(map_, ~left_out) if left_out.any() else map_


def is_renormalised(frame: HeadsFrame, view: HeadsView) -> bool:
    """Whether the map in the picture is without some keys, the rest of its rows renormalised."""
    if stage_shown(frame, view) is not Stage.WEIGHTS or lengths_shown(frame, view) is not None:
        return False
    return bool(hidden_keys(frame, view.hidden).any())


def keys_left_out(frame: HeadsFrame, view: HeadsView) -> BoolArray:
    """Return which keys (n_k,) are taken out of the picture without the rest of the rows being renormalised."""
    if view.picture not in HIDING or stage_shown(frame, view) is not Stage.WEIGHTS:
        return np.zeros(len(frame.keys), np.bool_)
    chosen: BoolArray = np.array([token in view.hidden_tokens for token in frame.keys], np.bool_)
    # Lengths are no shares of a whole that could be shared out anew.
    return chosen if lengths_shown(frame, view) is None else chosen | hidden_keys(frame, view.hidden)


def keys_not_drawn(frame: HeadsFrame, view: HeadsView) -> BoolArray:
    """Return all keys (n_k,) that a picture of weights is without."""
    return hidden_keys(frame, view.hidden) | keys_left_out(frame, view)


def shown_as(frame: HeadsFrame, view: HeadsView) -> tuple[str, ...]:
    """Return what to know of the weights in the picture, where they are not those of the head; nothing if they are."""
    if stage_shown(frame, view) is not Stage.WEIGHTS:
        return ()
    lengths, left_out = lengths_shown(frame, view), keys_left_out(frame, view)
    said = [] if lengths is None else [lengths_words(lengths)]
    if is_renormalised(frame, view):
        said.append(f"not the raw weights: {hiding_words(view.hidden)}")
    if left_out.any():
        hidden = sorted({frame.keys[at] for at in np.flatnonzero(left_out)})
        what = listed_tokens(tuple(hidden))
        said.append(f"{what} hidden" if lengths is not None else f"{what} hidden: rows sum to what is left")
    return tuple(said)


def listed_tokens(tokens: tuple[str, ...]) -> str:
    """Return some tokens by name, and how many more."""
    named = " ".join(f"“{token}”" for token in tokens[:MOST_NAMED])
    return f"{named} and {len(tokens) - MOST_NAMED} more" if len(tokens) > MOST_NAMED else named


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


# ---- The marked heads side by side ----


MOST_MARKED = 12
"""Heads that are drawn at a time: of more, each would be too small to be compared."""


@dataclass(frozen=True, slots=True, eq=False)
class MarkedHeads:
    """Maps of several heads under one colour scale."""

    frames: tuple[HeadsFrame, ...]
    """One a head that is drawn, in order of number."""
    pictures: tuple[MapPicture, ...]
    left_out: int
    """How many more are marked."""

    @property
    def titles(self) -> tuple[str, ...]:
        """One a picture."""
        return tuple(head_name(frame, frame.layer, frame.head) for frame in self.frames)

    @property
    def title(self) -> str:
        """What is drawn, and of how many."""
        if len(self.frames) == 1:
            return self.titles[0]
        drawn = marked_title(len(self.frames))
        return f"{drawn}, of {len(self.frames) + self.left_out} marked" if self.left_out else drawn


def marked_title(count: int) -> str:
    """Return what a picture of so many heads shows."""
    return f"{counted(count, 'head')} side by side"


def marked_frames(frame: HeadsFrame, view: HeadsView) -> tuple[HeadsFrame, ...]:
    """Return the frames of the marked heads that there are, in order of number; of none, that of the head on show."""
    places = sorted(view.marked.intersection(frame.places)) or [(frame.layer, frame.head)]
    return tuple(
        heads_frame(replace(frame.setup, layer=layer, head=head, aggregate=Aggregate.ONE)) for layer, head in places
    )


def marked_heads(frame: HeadsFrame, view: HeadsView, tiles: tuple[int, int] = (1024, 1024)) -> MarkedHeads:
    """Return the maps of the first marked heads, each of at most so many tiles, under one scale."""
    frames = marked_frames(frame, view)
    drawn = frames[:MOST_MARKED]
    pictures = tuple(map_picture(each, view, tiles=tiles) for each in drawn)
    scale = _shared_scale(view, pictures)
    return MarkedHeads(drawn, tuple(replace(each, scale=scale) for each in pictures), len(frames) - len(drawn))


def _shared_scale(view: HeadsView, pictures: tuple[MapPicture, ...]) -> ColourScale:
    """Return one scale for all maps: up to the largest end of them."""
    if len(pictures) == 1:
        return pictures[0].scale
    scales = [picture.scale for picture in pictures]
    if view.contrast is Contrast.ROW and not scales[0].is_diverging:
        # Rows that are scaled each to its own largest weight cannot be compared.
        scales = [weight_scale(Contrast.MAX, picture.values, picture.masked) for picture in pictures]
    scale = max(scales, key=lambda each: each.high)
    if scale.kind is not ScaleKind.LINEAR or not scale.badge:
        return scale
    return replace(scale, badge=f"colours end at {end_text(scale.high)}, the largest end of these heads")
