"""What a picture of a map holds: numbers for at most as many tiles as there are pixels, with tokens and scale."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attention_explorer.model import AttentionMap, RenormalisedMap, Stage
from attention_explorer.state.colour_scale import BoolArray, ColourScale, FloatArray, score_scale, weight_scale
from attention_explorer.state.heads.frame import HeadsFrame
from attention_explorer.state.heads.state import HeadsView, Hidden

STAGE_TITLES = {
    Stage.SCORES: "raw score q·k",
    Stage.SCALED: "scaled score q·k ÷ √d_k",
    Stage.MASKED: "masked score",
    Stage.WEIGHTS: "weight",
}


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a map in view: rows and columns, each a half-open range."""

    top: int
    bottom: int
    left: int
    right: int

    @classmethod
    def whole(cls, shape: tuple[int, int]) -> Window:
        """Return the window that shows everything."""
        return cls(0, shape[0], 0, shape[1])

    @property
    def rows(self) -> slice:
        """The rows as a slice."""
        return slice(self.top, self.bottom)

    @property
    def columns(self) -> slice:
        """The columns as a slice."""
        return slice(self.left, self.right)

    def held_within(self, shape: tuple[int, int]) -> Window:
        """Return the window, moved and cut to lie on a map of this shape."""
        height, width = min(self.bottom - self.top, shape[0]), min(self.right - self.left, shape[1])
        top = min(max(self.top, 0), shape[0] - height)
        left = min(max(self.left, 0), shape[1] - width)
        return Window(top, top + height, left, left + width)


@dataclass(frozen=True, eq=False)
class MapPicture:
    """A map ready to be drawn. h × w tiles cover the tokens; while they fit, a tile is a cell."""

    values: FloatArray  # (h, w): what the read-out would say
    masked: BoolArray  # (h, w)
    scale: ColourScale
    colour_map: str
    row_tokens: tuple[str, ...]
    column_tokens: tuple[str, ...]
    first_row: int = 0
    first_column: int = 0
    row_sums: tuple[float, ...] = ()  # one a token, for the margin; empty to leave it out
    row_title: str = "query (row) attends to …"
    column_title: str = "key (column)"
    masked_word: str = "masked"

    @property
    def cells(self) -> tuple[int, int]:
        """Rows and columns of tokens."""
        return len(self.row_tokens), len(self.column_tokens)

    @cached_property
    def positions(self) -> FloatArray:
        """Where each tile stands on the colour bar."""
        return self.scale.positions(self.values)


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
    masked, word = pooled.masked, "masked"
    if stage is Stage.WEIGHTS:
        hidden = hidden_keys(frame, view.hidden)
        if hidden.any() and pooled.values.shape[1] == seen.right - seen.left:
            masked, word = masked | hidden[seen.columns], "masked or hidden" if masked.any() else "hidden"
        in_view = "" if seen == Window.whole(frame.shape) else " in view"
        scale = weight_scale(view.contrast, pooled.values, masked, in_view)
    else:
        scale = score_scale(pooled.values, stage_title(frame, stage))
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
    hidden = hidden_keys(frame, view.hidden)
    if hidden.any() and stage_shown(frame, view) is Stage.WEIGHTS:
        return RenormalisedMap(frame.map, ~hidden)
    return frame.map


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
