"""The Heads page in words: what a cell says, the arithmetic behind it, and what a picture does not show as it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.map_picture import BoolArray, FloatArray, MapPicture, Window
from attention_explorer.core.numerals import (
    MINUS,
    compact,
    coordinate,
    counted,
    exact,
    listed,
    plain,
    readable,
    scientific,
    signed,
    subscript,
)
from attention_explorer.core.words import capital
from attention_explorer.model import Stage
from attention_explorer.pages.heads.frame import HeadsFrame, head_name, heads_on, heads_run_without
from attention_explorer.pages.heads.lines import LinePicture
from attention_explorer.pages.heads.shown_map import (
    WEIGHED,
    MarkedHeads,
    is_renormalised,
    keys_left_out,
    lengths_shown,
    shown_as,
    shown_map,
    stage_shown,
    why_not_weighted,
)
from attention_explorer.pages.heads.state import Aggregate, HeadsView
from attention_explorer.sources.source import AS_RECORDED, Made
from attention_explorer.sources.token_names import isolated as isolated

SHORT_SUM = 0.99
"""Recorded rows that sum to less than this were altered after the softmax: rounding to 8 bits takes less away."""

LARGEST_PLAIN_EXPONENT = 30.0
"""Up to this score the arithmetic shows exp(score); beyond it, relative to the row's largest, as it is computed."""


LAST_DIGIT = 1e-14
"""Closer than this, as a share, a weight is the short number that it would be without rounding: 0.08, not 0.0800."""


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the arithmetic: what is done, what comes out, and whether that is the end."""

    name: str
    value: str
    is_result: bool = False


def query_name(frame: HeadsFrame, row: int) -> str:
    """Return “it” (8): the token of a query with its place, as the same word may come twice."""
    return frame.count.token(isolated(frame.queries[row]), row)


def key_name(frame: HeadsFrame, column: int) -> str:
    """Return the token of a key with its place."""
    return frame.count.token(isolated(frame.keys[column]), column)


def pair_name(frame: HeadsFrame, row: int, column: int) -> str:
    """Return a query and a key: query “it” (8) → key “cat” (2)."""
    return f"query {query_name(frame, row)} → key {key_name(frame, column)}"


def part_words(part: Window, frame: HeadsFrame) -> str:
    """Return which part of the map of a frame is meant: “queries 3 to 9 of 30, keys 1 to 7 of 30”."""
    (n_q, n_k), span = frame.shape, frame.count.span
    return f"queries {span(part.top, part.bottom)} of {n_q}, keys {span(part.left, part.right)} of {n_k}"


def source_words(frame: HeadsFrame) -> str:
    """Return what the numbers come from, with the settings that made them."""
    setup, parts = frame.setup, [*frame.source.caption()]
    if setup.hard:
        parts.append("hard lookup")
    elif setup.temperature != 1.0:
        parts.append(f"temperature {setup.temperature:g}")
    if not setup.scaled:
        parts.append("not divided by √d_k")
    without = len(heads_run_without(setup))
    if without:
        parts.append(f"run without {counted(without, 'head')}")
    return ", ".join(parts)


def one(index: int) -> slice:
    """Select a single row or column of a map."""
    return slice(index, index + 1)


def map_title(frame: HeadsFrame) -> str:
    """Return what the large picture shows: head 4 of 8, or the mean of some heads."""
    setup = frame.setup
    if frame.is_one_head:
        name, own = head_name(frame, frame.layer, frame.head), frame.source.head_name(frame.layer, frame.head)
        return f"{name} of {frame.heads}" if not own and frame.heads > 1 else name
    if frame.aggregate is Aggregate.ROLLOUT:
        identity = "with" if setup.identity else "without"
        return f"rollout over {counted(len(frame.layers), 'layer')}, {identity} identity"
    count = len(heads_on(setup, frame.heads, frame.layer))
    where = f" of {frame.count.layer(frame.layer)}" if len(frame.layers) > 1 else ""
    word = "mean" if frame.aggregate is Aggregate.MEAN else "largest"
    return f"{word} of {counted(count, 'head')}{where}"


def cell_words(frame: HeadsFrame, view: HeadsView, row: int, column: int) -> str:
    """Return a cell in one line for the status bar."""
    cell = one(row), one(column)
    pair = pair_name(frame, row, column)
    if not frame.map.allowed(*cell)[0, 0]:
        return f"{pair}: hidden {frame.what_hides(row, column)}, the query may not attend to this key"
    weight = float(frame.map.weights(*cell)[0, 0])
    stage = stage_shown(frame, view)
    if stage is Stage.WEIGHTS:
        picture = shown_map(frame, view)
        said = f"{pair}: weight {readable(weight)}"
        if picture is frame.map:
            return said
        shown = float(picture.weights(*cell)[0, 0])
        lengths = lengths_shown(frame, view)
        if lengths is not None:
            length = float(lengths.lengths[column])
            product = float(lengths.weights(*cell)[0, 0])
            said = f"{said} × {lengths.symbol.replace('α·', '')} {readable(length)} = {readable(product)}"
        if keys_left_out(frame, view)[column]:
            return f"{said} (hidden in the picture)"
        if not is_renormalised(frame, view):
            return said
        return f"{said} (renormalised in the picture: {readable(shown)})"
    score = float(frame.head_map.scores(*cell, stage=stage)[0, 0])
    return f"{pair}: {number_word(frame, stage)} {readable(score)}, weight {readable(weight)}"


def number_word(frame: HeadsFrame, stage: Stage) -> str:
    """Return what a number of a stage is called in a sentence."""
    if stage is Stage.SCALED and not frame.setup.scaled:
        return "score, not scaled,"
    words = {Stage.SCORES: "raw score", Stage.SCALED: "scaled score", Stage.MASKED: "masked score"}
    return words.get(stage, "weight")


def arithmetic_title(frame: HeadsFrame, row: int, column: int) -> str:
    """Return what the arithmetic of a cell explains: where its weight comes from, or by what it is hidden."""
    pair = f"“{isolated(frame.queries[row])}” → “{isolated(frame.keys[column])}”"
    if not frame.map.allowed(one(row), one(column))[0, 0]:
        return f"{pair}: hidden {frame.what_hides(row, column)}"
    weight = weight_text(float(frame.map.weights(one(row), one(column))[0, 0]))
    if frame.is_one_head and not frame.map.has_scores:
        return f"{pair}: {weight}, {frame.source.weight_words()}"
    return f"{pair}: where {weight} comes from"


def arithmetic(frame: HeadsFrame, row: int, column: int) -> tuple[Step, ...]:
    """Return how a weight came about, with the real numbers: product, scale, mask, exp, share of the row."""
    if not frame.is_one_head:
        return _aggregate_steps(frame, row, column)
    map_, setup, cell = frame.head_map, frame.setup, (one(row), one(column))
    if not map_.has_scores:
        return _recorded_steps(frame, row, column)
    raw, scaled = (float(map_.scores(*cell, stage=stage)[0, 0]) for stage in (Stage.SCORES, Stage.SCALED))
    q, k = (f"{name}{subscript(frame.count.number(place))}" for name, place in (("q", row), ("k", column)))
    steps = [Step(f"{q} · {k}", score_text(raw))]
    if setup.scaled:
        steps.append(Step(f"÷ √{frame.head_width}", score_text(scaled)))
    if frame.mask is not None:
        if not frame.mask[row, column]:
            return (*steps, *_hidden_steps(frame, row, column))
        steps.append(Step("mask", "allowed"))
    weight = float(map_.weights(*cell)[0, 0])
    scores = map_.scores(one(row), stage=Stage.MASKED)[0]
    if setup.hard:
        return (*steps, *_hard_steps(scores, column, weight))
    return (*steps, *_softmax_steps(scores, column, setup.temperature, weight))


def _recorded_steps(frame: HeadsFrame, row: int, column: int) -> tuple[Step, ...]:
    """Return all that is known of a weight without queries and keys."""
    if not frame.map.allowed(one(row), one(column))[0, 0]:
        return (Step(f"hidden {frame.what_hides(row, column)}", "0", is_result=True),)
    weight = float(frame.map.weights(one(row), one(column))[0, 0])
    words = frame.source.weight_words()
    name = "recorded weight" if words == AS_RECORDED else words
    return (Step(name, weight_text(weight), is_result=True),)


def _hidden_steps(frame: HeadsFrame, row: int, column: int) -> tuple[Step, ...]:
    return Step(f"hidden {frame.what_hides(row, column)}", "−∞"), Step("weight", "0", is_result=True)


def score_text(score: float) -> str:
    """Return a score with its sign and no more digits than the eye takes in."""
    if score == 0:
        return "0"
    return compact(score, sign=True) if math.isfinite(score) else signed(score)


def _hard_steps(scores: FloatArray, column: int, weight: float) -> tuple[Step, ...]:
    answer = "yes" if weight else "no"
    if scores[column] == scores.max() and np.count_nonzero(scores == scores[column]) > 1:
        answer = "tied, the first" if weight else "tied, not the first"
    return Step("largest of its row?", answer), Step("weight", plain(weight, 0), is_result=True)


def _softmax_steps(scores: FloatArray, column: int, temperature: float, weight: float) -> tuple[Step, ...]:
    steps = []
    with np.errstate(over="ignore"):
        warm = scores / temperature
    if temperature != 1.0:
        steps.append(Step(f"÷ temperature {coordinate(temperature, 4)}", score_text(float(warm[column]))))
    largest = float(warm.max())
    if not math.isfinite(largest):  # the weight is known all the same: the model keeps such scores apart
        return (*steps, Step("softmax, beyond the float range", weight_text(weight), is_result=True))
    name = "exp"
    if abs(largest) > LARGEST_PLAIN_EXPONENT:
        with np.errstate(over="ignore"):
            name, warm = f"exp(… − {compact(largest)}), the row’s largest", warm - largest
    exponential = math.exp(float(warm[column]))
    with np.errstate(under="ignore"):
        total = float(np.exp(warm).sum())
    steps.append(Step(name, scientific(exponential)))
    steps.append(Step(f"÷ row sum {scientific(total)}", weight_text(weight), is_result=True))
    return tuple(steps)


def _aggregate_steps(frame: HeadsFrame, row: int, column: int) -> tuple[Step, ...]:
    setup, cell = frame.setup, (one(row), one(column))
    weight = float(frame.map.weights(*cell)[0, 0])
    if frame.aggregate is Aggregate.ROLLOUT:
        factor = "½W + ½I" if setup.identity else "W"
        name = f"product of {factor} over the layers"
        return (Step(name, weight_text(weight), is_result=True),)
    if frame.mask is not None and not frame.mask[row, column]:
        return _hidden_steps(frame, row, column)
    maps, heads = frame.layers[frame.layer].maps, heads_on(setup, frame.heads, frame.layer)
    listed = [Step(frame.count.head(head), weight_text(float(maps[head].weights(*cell)[0, 0]))) for head in heads[:8]]
    if len(heads) > 8:
        listed.append(Step(f"… and {len(heads) - 8} more", ""))
    word = "mean" if frame.aggregate is Aggregate.MEAN else "largest"
    return (*listed, Step(word, weight_text(weight), is_result=True))


def weight_text(weight: float) -> str:
    """Return a weight exactly where that is short (0.5, 0), else with four decimals or in powers of ten.

    So zeros at the end say that there are digits behind them; the last binary digit is none.
    """
    if weight in (0.0, 1.0):
        return exact(weight)
    short = round(weight, 4)
    if short < 1.0 and abs(weight - short) < LAST_DIGIT * weight:
        return exact(short)
    return f"{weight:.4f}" if weight >= 1e-4 else scientific(weight)


def products(frame: HeadsFrame, row: int, column: int) -> FloatArray:
    """Return query, key and product of each feature, (d_k, 3): the products sum to the raw score q·k."""
    q, k = frame.query_key_map.q[row], frame.query_key_map.k[column]
    with np.errstate(over="ignore", under="ignore"):
        return np.stack([q, k, q * k], axis=1)


def are_short(sums: FloatArray) -> BoolArray:
    """Tell which rows of weights attend to something, but sum to less than 1."""
    return (sums > 0.0) & (sums < SHORT_SUM)


def _short_rows(frame: HeadsFrame, view: HeadsView, picture: MapPicture | LinePicture | MarkedHeads) -> int:
    """Count the recorded rows that sum to less than 1, in a map of which every cell is drawn as it was recorded."""
    is_raw = stage_shown(frame, view) is Stage.WEIGHTS and not shown_as(frame, view)
    if frame.source.traits.made is not Made.RECORDED or not isinstance(picture, MapPicture) or not is_raw:
        return 0
    is_whole = picture.values.shape == picture.cells == frame.shape
    return int(np.count_nonzero(are_short(picture.values.sum(axis=1, dtype=np.float64)))) if is_whole else 0


def badges(
    frame: HeadsFrame, view: HeadsView, picture: MapPicture | LinePicture | MarkedHeads, *, most: bool = False
) -> tuple[str, ...]:
    """Return what to know before believing a map or lines: what is displayed is not the raw weight, and why.

    ``most`` if the picture may be drawn in fewer tiles than it has.
    """
    found = []
    if isinstance(picture, MarkedHeads):
        frame, picture = picture.frames[0], picture.pictures[0]
    if isinstance(picture, LinePicture):
        view = replace(view, stage=Stage.WEIGHTS)
    elif picture.scale.badge:
        found.append(picture.scale.badge)
    found += shown_as(frame, view)
    if view.value_weighted and view.picture in WEIGHED and (reason := why_not_weighted(frame)):
        found.append(f"weights alone: {reason[:1].lower()}{reason[1:].rstrip('.')}")
    if not frame.rows_are_distributions and not shown_as(frame, view):
        found.append("rows need not sum to 1")
    elif short := _short_rows(frame, view, picture):
        found.append(f"{counted(short, 'row')} {'sums' if short == 1 else 'sum'} to less than 1")
    if isinstance(picture, MapPicture) and picture.values.shape != picture.cells:
        height, width = picture.values.shape
        tiles = f"{'at most ' * most}{height} × {width} tiles"
        found.append(f"{picture.cells[0]} × {picture.cells[1]} cells in {tiles}, each its largest")
    if stage_shown(frame, view) is not view.stage:
        found.append("several heads in one have weights only")
    return tuple(found)


def description(frame: HeadsFrame, view: HeadsView) -> str:
    """Return the page in words, for people who cannot see the picture and for files."""
    n_q, n_k = frame.shape
    queries, keys = "query (row)" if n_q == 1 else "queries (rows)", "key (column)" if n_k == 1 else "keys (columns)"
    text = f"{map_title(frame)}: attention of {n_q} {queries} to {n_k} {keys}."
    if not 0 < n_q * n_k <= 512 * 512:
        return text
    weights = shown_map(frame, view).weights()
    strongest = np.argsort(weights, axis=None)[::-1][:3]
    said = []
    for flat in strongest.tolist():
        row, column = divmod(flat, n_k)
        said.append(f"{query_name(frame, row)} to {key_name(frame, column)} {weights[row, column]:.3f}")
    return f"{text} Strongest: {'; '.join(said)}."


# ---- Why a query scores a key as it does: the largest of the products that add up to q · k ----


MOST_NAMED, MOST_IN_SHORT = 3, 2
"""Products that are named, the others added up; and in the one line that there is room for beside the arithmetic."""
NOTHING = "all products of query and key are 0"


def why_short(frame: HeadsFrame, row: int, column: int) -> str:
    """Return the two largest products of a cell, in a line; empty where nothing is to be told."""
    terms = _terms(frame, row, column)
    if terms is None:
        return ""
    if not terms.any():
        return f"Why? {_sentence([NOTHING])}"
    named = [
        f"{_number(float(terms[feature]), sign=True)} from {'' if place else 'feature '}{frame.count.number(feature)}"
        for place, feature in enumerate(_largest(terms, MOST_IN_SHORT))
    ]
    return f"Why? {', '.join(named)}."


def why(frame: HeadsFrame, row: int, column: int) -> str:
    """Return which features decide the score of a cell, what the others come to, and how many keys it beats.

    Empty where nothing is to be told: several heads in one, weights alone, a hidden cell, products beyond the floats.
    """
    terms = _terms(frame, row, column)
    if terms is None:
        return ""
    parts = _named(frame, terms, MOST_NAMED)
    others = np.delete(terms, _largest(terms, MOST_NAMED))
    if len(others) and terms.any():
        parts.append(_rest(others))
    return f"Why? {_sentence(parts)} {_rank(frame, row, column)}"


def _terms(frame: HeadsFrame, row: int, column: int) -> FloatArray | None:
    """Return the products of a cell (d_k,); None where no products decide it."""
    if not (frame.is_one_head and frame.map.has_scores and frame.map.allowed(one(row), one(column))[0, 0]):
        return None
    terms = products(frame, row, column)[:, 2].astype(np.float64)
    return terms if np.isfinite(terms).all() else None


def _largest(terms: FloatArray, most: int) -> list[int]:
    """Return the features with the largest products, the largest first; those of 0 are no reason for anything."""
    return [int(feature) for feature in np.argsort(-np.abs(terms), kind="stable")[:most] if terms[feature]]


def _named(frame: HeadsFrame, terms: FloatArray, most: int) -> list[str]:
    """Return what the largest products do, those that add before those that take away."""
    if not terms.any():
        return [NOTHING]
    named = _largest(terms, most)
    signs = (("add", "", [f for f in named if terms[f] > 0]), ("take", " away", [f for f in named if terms[f] < 0]))
    return [_said(frame, terms, features, verb, end) for verb, end, features in signs if features]


def _sentence(parts: list[str]) -> str:
    return f"{capital(listed(parts))}."


def _rest(others: FloatArray) -> str:
    """Return what the products without a name come to."""
    is_one = len(others) == 1
    what = "the other product" if is_one else f"the other {len(others)} products"
    if not others.any():
        return f"{what} {'is' if is_one else 'are'} 0"
    return f"{what} {'comes' if is_one else 'come'} to {_number(float(others.sum()), sign=True)}"


def _number(number: float, *, sign: bool = False) -> str:
    size = readable(float(f"{abs(number):.3g}"), 3)
    return f"{MINUS if number < 0 else '+'}{size}" if sign else size


def _said(frame: HeadsFrame, terms: FloatArray, features: list[int], verb: str, end: str) -> str:
    """Return what some features do: features 3 and 7 add 0.42 and 0.33."""
    numbers = listed([str(frame.count.number(feature)) for feature in features])
    sizes = listed([_number(terms[feature]) for feature in features])
    is_one = len(features) == 1
    return f"feature{'s' * (not is_one)} {numbers} {verb}{'s' * is_one} {sizes}{end}"


def _rank(frame: HeadsFrame, row: int, column: int) -> str:
    """Return how many of the other keys that the query sees score less."""
    scores = frame.map.scores(one(row), stage=Stage.MASKED)[0]
    seen = np.flatnonzero(frame.map.allowed(one(row))[0])
    others = len(seen) - 1
    if not others:
        return "It is the only key that this query sees."
    below = int((scores[seen] < scores[column]).sum())
    if below == others:
        return "No other key of the row scores as much."
    return f"Of the {counted(others, 'other key')}, {below or 'none'} score{'s' * (below == 1)} less."
