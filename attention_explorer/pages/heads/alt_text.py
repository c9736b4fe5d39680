"""A picture of the Heads page in words that go into files: for those who cannot see it, and to find it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import FloatArray, Window
from attention_explorer.core.numerals import plain, signed
from attention_explorer.core.words import capital
from attention_explorer.model import AttentionMap, Stage
from attention_explorer.model.map_selection import rows_of_a_block
from attention_explorer.pages.heads.frame import HeadsFrame, head_name, heads_frame, other_frame
from attention_explorer.pages.heads.head_difference import effect_said, surveys_on_wall
from attention_explorer.pages.heads.large_picture import MOST_LINE_ROWS, part_shown
from attention_explorer.pages.heads.shown_map import (
    MOST_MARKED,
    lengths_shown,
    marked_frames,
    marked_title,
    shown_as,
    shown_map,
    stage_shown,
    stage_title,
)
from attention_explorer.pages.heads.state import HeadsState, HeadsView, Picture
from attention_explorer.pages.heads.survey import in_order
from attention_explorer.pages.heads.wording import (
    isolated,
    key_name,
    map_title,
    part_words,
    query_name,
    source_words,
    weight_text,
)

MOST_TOKENS = 40
"""Tokens that are listed; of more, the first and the last ones."""
MOST_CELLS = 1024 * 1024
"""In a larger map the strongest weights are not searched for: a file should not take that long."""
MOST_HEADS = 16
STRONGEST = 3

Found = tuple[float, int, int]
"""A weight with its query and its key."""

KINDS = {
    Picture.HEATMAP: "A map",
    Picture.LINES: "Lines from queries to keys",
    Picture.STAGES: "Four maps: raw scores, scaled, masked, weights",
    Picture.COMPARE: "Two maps and their difference",
    Picture.MARKED: "Maps",
    Picture.ROW: "One row, step by step",
    Picture.CHECK: "Experiments with a map",
}


def alt_text(heads: HeadsState, *, is_wall: bool = False, most_line_rows: int = MOST_LINE_ROWS) -> str:
    """Return a picture in words: the page, what is drawn, tokens, mask, source, and the three strongest weights.

    ``most_line_rows`` is how many queries are drawn as lines at once: fewer on the screen than in a figure.
    """
    frame = heads_frame(heads.setup)
    if is_wall or heads.view.picture is Picture.ALL:
        said = _wall(heads, frame)
    else:
        said = _picture(heads, frame, part_shown(heads.view, frame.shape, most_line_rows))
    return " ".join(("Heads page.", *said, f"Layers, heads and tokens are {frame.count.words}."))


def given_text(frame: HeadsFrame) -> str:
    """Return the map of a frame in words whose numbers are asked for: its tokens, and no more."""
    return " ".join(("Heads page. A map whose weights are asked for.", *_tokens(frame.queries, frame.keys)))


def _picture(heads: HeadsState, frame: HeadsFrame, seen: Window) -> Iterator[str]:
    if heads.view.picture is Picture.MARKED:
        yield from _marked(heads, frame)
        return
    n_q, n_k = seen.bottom - seen.top, seen.right - seen.left
    queries, keys = "query (row)" if n_q == 1 else "queries (rows)", "key (column)" if n_k == 1 else "keys (columns)"
    yield f"{KINDS[heads.view.picture]}, {map_title(frame)}: attention of {n_q} {queries} to {n_k} {keys}."
    is_part = seen != Window.whole(frame.shape) and heads.view.picture is not Picture.ROW
    if is_part:
        yield f"In view: {part_words(seen, frame)}."
    if heads.view.picture is Picture.HEATMAP and (stage := stage_shown(frame, heads.view)) is not Stage.WEIGHTS:
        yield f"Colours show the {stage_title(frame, stage)}."
    listed = seen if is_part else Window.whole(frame.shape)
    yield from _tokens(frame.queries[listed.rows], frame.keys[listed.columns])
    yield _made_with(frame)
    yield _strongest_words(heads, frame, seen)
    if heads.view.picture is Picture.COMPARE:
        other = other_frame(heads)
        yield f"Compared with {map_title(other)}. {_made_with(other)}"
        yield _strongest_words(heads, other, Window.whole(other.shape))


def _marked(heads: HeadsState, frame: HeadsFrame) -> Iterator[str]:
    frames = marked_frames(frame, heads.view)[:MOST_MARKED]
    yield f"{KINDS[Picture.MARKED]}, {marked_title(len(frames))}: one row per query, one column per key."
    yield from _tokens(frame.queries, frame.keys)
    yield _made_with(frame)
    for each in frames:
        name = capital(head_name(each, each.layer, each.head))
        yield f"{name}: {_strongest_words(heads, each, Window.whole(each.shape))}"


def _wall(heads: HeadsState, frame: HeadsFrame) -> Iterator[str]:
    surveys = in_order(surveys_on_wall(heads, frame), heads.view.sort, reverse=heads.view.reverse)
    maps = "one head as a small map" if len(surveys) == 1 else f"{len(surveys)} heads as small maps"
    said = effect_said(heads)
    if said:
        yield said
        most = max(surveys, key=lambda survey: abs(survey.effect or 0.0))
        yield f"The largest change is without {most.name}: {signed(most.effect or 0.0)}."
        return
    yield f"The weights of {maps}, one row per query, one column per key."
    yield from _tokens(frame.queries, frame.keys)
    yield _made_with(frame)
    # The largest weight of a tile is that of its cells: no map is computed a second time.
    tops = [(float(survey.pooled.values.max(initial=0.0)), survey.name) for survey in surveys]
    listed = [f"{name} {plain(top, 3)}" for top, name in tops[:MOST_HEADS]]
    more = f"; and {len(tops) - MOST_HEADS} more" if len(tops) > MOST_HEADS else ""
    yield f"Largest weight of each: {'; '.join(listed)}{more}."


def _tokens(queries: tuple[str, ...], keys: tuple[str, ...]) -> Iterator[str]:
    if queries == keys:
        yield f"Tokens: {_listed(queries)}."
    else:
        yield f"Queries: {_listed(queries)}. Keys: {_listed(keys)}."


def _listed(tokens: tuple[str, ...]) -> str:
    shown = [f"“{isolated(token)}”" for token in tokens]
    if len(shown) > MOST_TOKENS:
        half = MOST_TOKENS // 2
        shown = [*shown[:half], f"… {len(shown) - MOST_TOKENS} more …", *shown[-half:]]
    return " ".join(shown) if shown else "none"


def _made_with(frame: HeadsFrame) -> str:
    mask = f"; mask: {frame.mask_words}" if frame.mask is not None else ""
    return f"{capital(source_words(frame))}{mask}."


def _strongest_words(heads: HeadsState, frame: HeadsFrame, seen: Window) -> str:
    if (seen.bottom - seen.top) * (seen.right - seen.left) > MOST_CELLS:
        return "There are too many weights to name the strongest."
    found = strongest(heads, frame, seen)
    has_hidden = _map_drawn(heads, frame) is not frame.map
    if not found:
        why = "All that any query attends to is hidden" if has_hidden else "No query may attend to any key"
        return f"{why}: all weights are 0."
    view = _view_drawn(heads)
    notes = shown_as(frame, view) if has_hidden else ()
    what = "".join(f", {note.removeprefix('not the raw weights: ')}" for note in notes)
    lengths = lengths_shown(frame, view)
    entry = f"weight{'s' * (len(found) != 1)}" if lengths is None else lengths.symbol
    pairs = (
        f"{query_name(frame, row)} to {key_name(frame, column)} {weight_text(weight)}" for weight, row, column in found
    )
    return f"{'Strongest' if lengths is None else 'Largest'} {entry}{what}: {'; '.join(pairs)}."


@kept
def strongest(heads: HeadsState, frame: HeadsFrame, seen: Window) -> tuple[Found, ...]:
    """Return the three largest weights that are drawn, the largest first; fewer where fewer are above 0."""
    map_ = _map_drawn(heads, frame)
    best, step = list[Found](), rows_of_a_block(frame.shape[1])
    for top in range(seen.top, seen.bottom, step):
        weights = map_.weights(slice(top, min(top + step, seen.bottom)), seen.columns)
        for flat in _largest(weights.ravel()):
            row, column = divmod(flat, weights.shape[1])
            best.append((float(weights[row, column]), top + row, seen.left + column))
    found = (entry for entry in best if entry[0] > 0)
    return tuple(sorted(found, key=lambda entry: (-entry[0], entry[1:]))[:STRONGEST])


def _map_drawn(heads: HeadsState, frame: HeadsFrame) -> AttentionMap:
    """Return the map that is drawn: the stages show it whole, also where keys are hidden in the other pictures."""
    return frame.map if heads.view.picture is Picture.STAGES else shown_map(frame, _view_drawn(heads))


def _view_drawn(heads: HeadsState) -> HeadsView:
    """Return the view that is drawn: lines are of weights, whatever the stage."""
    return replace(heads.view, stage=Stage.WEIGHTS) if heads.view.picture is Picture.LINES else heads.view


def _largest(weights: FloatArray) -> list[int]:
    """Return the places of the three largest of some weights (m,), of equal ones the first: the same each time."""
    count = min(STRONGEST, len(weights))
    if not count:
        return []
    least = np.partition(weights, -count)[-count]
    above, equal = np.flatnonzero(weights > least), np.flatnonzero(weights == least)
    return [*above.tolist(), *equal[: count - len(above)].tolist()]
