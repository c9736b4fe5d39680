"""The marked heads side by side: their maps in the same colours."""

from __future__ import annotations

from dataclasses import dataclass, replace

from attention_explorer.core.map_picture import ColourScale, Contrast, MapPicture, ScaleKind, end_text, weight_scale
from attention_explorer.core.numerals import counted
from attention_explorer.pages.heads.frame import HeadsFrame, head_name, heads_frame
from attention_explorer.pages.heads.shown_map import map_picture
from attention_explorer.pages.heads.state import Aggregate, HeadsView

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
