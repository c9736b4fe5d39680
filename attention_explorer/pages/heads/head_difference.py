"""How much each head of a setup differs from B, the setup kept for comparison."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.numerals import signed
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.model import AttentionMap, Stage
from attention_explorer.model.map_selection import row_blocks
from attention_explorer.model.pooling import Pooled
from attention_explorer.pages.heads.aligned import AlignedAxis, AlignedMap, aligned_axis
from attention_explorer.pages.heads.by_word import by_word
from attention_explorer.pages.heads.compare import Axes, axes_of, difference, what_differs, which_map
from attention_explorer.pages.heads.frame import HeadsFrame, other_frame
from attention_explorer.pages.heads.presets import other_setup
from attention_explorer.pages.heads.resolve import resolved
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, Picture
from attention_explorer.pages.heads.survey import THUMBNAIL_TILES, HeadSurvey, Signed, surveys_of
from attention_explorer.sources.circuits import asking
from attention_explorer.sources.circuits.asking import Effects, Question
from attention_explorer.sources.circuits.effects import last_of
from attention_explorer.sources.registry import source_of, tokens_of

# ---- What an answer changes by without each head ----
# Measured once, for Circuits too.


TWO_TOWERS = (
    "The effect of a head is measured in models of one tower: this one has an encoder and a decoder. Circuits asks it."
)


@dataclass(frozen=True, slots=True)
class Measured:
    """What the colours of the wall mean, or why nothing could be measured."""

    words: str


def question_of(heads: HeadsState) -> Question | None:
    """Return the answer for which all heads are switched off, one by one; None if the wall does not ask for it.

    It is asked at the pinned token, or at the last one.

    Raises
    ------
    ExplorerError
        If the model cannot be opened.
    """
    view, source = heads.view, source_of(heads.setup.recipe)
    if not (view.effect and view.picture is Picture.ALL and source.can_be_asked):
        return None
    plain = by_word(heads, whole=False)
    recipe, row = plain.setup.recipe, plain.view.row
    is_last = row is None or row >= len(tokens_of(recipe)) - 1
    return Question(recipe, view.answer.strip(), "", -1 if is_last or row is None else row)


def effects(question: Question) -> Iterator[tuple[float, Effects]]:
    """Yield which share is measured, and the changes; see `asking.knocked`.

    Raises
    ------
    ExplorerError
        If the model says no words, the answer is not one token, or the model has two towers.
    """
    if asking.model_of(question.recipe).transformer.encoder is not None:
        raise ExplorerError(TWO_TOWERS)
    return asking.knocked(question.recipe, question)


def are_known(question: Question) -> bool:
    """Whether all of it was measured before."""
    return asking.knocked.peek(question.recipe, question) is not None


def with_effects(surveys: tuple[HeadSurvey, ...], found: Effects) -> tuple[HeadSurvey, ...]:
    """Return heads with what the answer changes by without each."""
    return tuple(replace(survey, effect=float(found.effect[survey.place])) for survey in surveys)


def effect_words(setup: HeadsSetup, found: Effects) -> str:
    """Say what was measured, and how much of it."""
    asked = found.answer
    if asked is None:
        return ""
    word, other = map(quoted, asked.words)
    at = quoted(asked.tokens[asked.position].strip())
    what = f"the change of the logit of {word} over {other} at {at}"
    said = f"Each head off alone: {what}, {signed(found.before)} with all on"
    if replace(setup.without_focus, mask=setup.mask) != HeadsSetup(setup.recipe) or setup.switched_off:
        said += " and nothing hidden"
    known = np.count_nonzero(~np.isnan(found.effect))
    return f"{said}. Measured{'' if known == found.effect.size else f' so far: {known} of {found.effect.size}'}."


def effect_said(heads: HeadsState) -> str:
    """Say what the heads of a picture on paper are coloured by; empty where it is their weights."""
    found = effects_on_wall(heads)
    return "" if found is None else effect_words(heads.setup, found)


def effects_on_wall(heads: HeadsState) -> Effects | None:
    """Return all of it for a picture on paper; None where the wall does not ask for it, or nothing can be measured."""
    try:
        question = question_of(heads)
        return None if question is None else last_of(effects(question))[1]
    except ExplorerError:  # the window says why
        return None


_NO_MORE = ": how much moved, not how much it matters"
"""A head may move much with a word, and what the model answers may not depend on it."""


def map_difference(a: AttentionMap, b: AttentionMap, queries: AlignedAxis, keys: AlignedAxis) -> float:
    """Return how much of a query's weight lies elsewhere in another map: ½ Σ |a − b|, the mean over the queries.

    Where both maps have the same tokens and rows that sum to 1, that is the total variation distance of the rows, from
    0 to 1. Of tokens that only one has, nothing is counted; NaN where they have none in common.
    """
    (rows_a, rows_b), (columns_a, columns_b) = (
        (axis.in_a[axis.both], axis.in_b[axis.both]) for axis in (queries, keys)
    )
    if not (len(rows_a) and len(columns_a)):
        return math.nan
    total = 0.0
    for _, block in row_blocks(np.arange(len(rows_a)), max(a.n_k, b.n_k)):
        left, right = a.weights(rows_a[block])[:, columns_a], b.weights(rows_b[block])[:, columns_b]
        total += float(np.abs(left.astype(np.float64) - right).sum())
    return 0.5 * total / len(rows_a)


def compared(a: HeadsFrame, b: HeadsFrame | None, survey: HeadSurvey, *, signed: bool = False) -> HeadSurvey:
    """Return a head of A with how much it differs from B; NaN where B has no such head, or there is no B.

    If ``signed``, with A − B too, where both have the same tokens.

    Where the setups differ in nothing but what is large, that is from what is large in B; else from the same head of B.
    """
    if b is None:
        return replace(survey, difference=math.nan)
    if not survey.is_computed:
        return survey
    found = replace(survey, difference=_difference_of(a, b, *survey.place))
    return replace(found, signed=_signed(a, b, *survey.place)) if signed else found


@kept
def _difference_of(a: HeadsFrame, b: HeadsFrame, layer: int, head: int) -> float:
    other = _other_map(a, b, layer, head)
    if other is None:
        return math.nan
    try:
        return map_difference(a.layers[layer].maps[head], other, *_axes(a, b))
    except ExplorerError:  # weights of B that cannot be read
        return math.nan


@kept
def _signed(a: HeadsFrame, b: HeadsFrame, layer: int, head: int) -> Signed:
    """Return A − B of a head; all masked where B has no such head, other tokens, or weights that cannot be read."""
    other, (rows, columns) = _other_map(a, b, layer, head), _axes(a, b)
    nothing = Signed(Pooled(np.zeros((1, 1)), np.ones((1, 1), np.bool_)), 0.0)
    if other is None or not (rows.is_complete and columns.is_complete):
        return nothing
    first = AlignedMap(a.layers[layer].maps[head], rows.in_a, columns.in_a)
    second = AlignedMap(other, rows.in_b, columns.in_b)
    hidden = np.zeros(a.shape[1], np.bool_)
    try:
        found = difference(first, second, Stage.WEIGHTS, hidden, (THUMBNAIL_TILES, THUMBNAIL_TILES))
    except ExplorerError:
        return nothing
    return Signed(Pooled(found.values, found.masked), found.largest)


def _other_map(a: HeadsFrame, b: HeadsFrame, layer: int, head: int) -> AttentionMap | None:
    """Return the map of B that belongs to a head of A; None if there is none."""
    if _are_same_heads(a.setup, b.setup):
        return b.map
    return b.layers[layer].maps[head] if (layer, head) in b.places else None


@kept
def _axes(a: HeadsFrame, b: HeadsFrame) -> Axes:
    """Match queries with queries and keys with keys, once for all heads."""
    return axes_of(a, b)


def _are_same_heads(a: HeadsSetup, b: HeadsSetup) -> bool:
    """Whether two setups differ in nothing but what is large: then a head and its namesake are the same."""
    return a.without_focus == b.without_focus


def frame_of_b(heads: HeadsState) -> HeadsFrame | None:
    """Return the frame of B; None where nothing is kept or B cannot be computed: Compare gives the reason."""
    if heads.other is None:
        return None
    try:
        return other_frame(heads)
    except ExplorerError:
        return None


def surveys_on_wall(heads: HeadsState, frame: HeadsFrame) -> tuple[HeadSurvey, ...]:
    """Return all heads, with how much each differs from B and does to the answer if they are shown by that."""
    surveys, found = surveys_of(frame), effects_on_wall(heads)
    if found is not None:
        surveys = with_effects(surveys, found)
    if not heads.view.compares_heads:
        return surveys
    b = frame_of_b(heads)
    return tuple(compared(frame, b, survey, signed=heads.view.signed) for survey in surveys)


def compared_with(heads: HeadsState) -> str:
    """Say what the heads of the wall differ from, if they are arranged by that; empty if not. Nothing is computed."""
    other = other_setup(heads)
    if other is None or not heads.view.compares_heads:
        return ""
    a, b = resolved(heads.setup), resolved(other)
    if _are_same_heads(a, b):
        return f"difference of each head from {which_map(b)} (B){_NO_MORE}"
    title = what_differs(*(replace(each.without_focus, count=a.count) for each in (a, b)))[1].removeprefix("B: ")
    said = f"difference of each head from its own in B ({title})"
    of_a, of_b = source_of(a.recipe), source_of(b.recipe)
    pairs = (of_a.tokens, of_b.tokens), (of_a.context_tokens, of_b.context_tokens)
    if all(first == second for first, second in pairs):
        return said + _NO_MORE
    by_place = all(len(x) == len(y) and aligned_axis(x, y).is_complete for x, y in pairs)
    return f"{said}, {'place by place' if by_place else 'on the tokens that both have'}{_NO_MORE}"
