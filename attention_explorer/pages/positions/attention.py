"""What an encoding does to attention: the score against the distance, the weights of one query, and the terms."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import FloatArray
from attention_explorer.model import alibi_slopes, softmax
from attention_explorer.pages.positions.kinds.registry import KINDS, PositionKind, kind_of
from attention_explorer.pages.positions.state import PositionsState
from attention_explorer.pages.positions.table import (
    contents,
    encoding_at,
    head_width,
    projections,
    reason_without_table,
)


def is_added(kind: PositionKind) -> bool:
    """Whether a kind adds a vector to each token."""
    return KINDS[kind].adds


def query_width(state: PositionsState, kind: PositionKind, *, projected: bool = True) -> int:
    """Return how many features a query has."""
    width = head_width(state.d_model) if projected else state.d_model
    return 2 * width if state.concatenated and is_added(kind) else width


def projected_contents(state: PositionsState) -> tuple[FloatArray, FloatArray]:
    """Return query and key of the contents, (d_k,) each, without their positions."""
    (query, key), (w_q, w_k) = contents(state, state.embedding_scale), projections(state)
    return query @ w_q, key @ w_k


def of_kind(state: PositionsState, kind: PositionKind) -> PositionsState:
    """Return a state of another kind whose encoding has the same numbers."""
    return PositionsState(kind=kind, length=state.length, d_model=state.d_model, seed=state.seed, base=state.base)


def relative_scores(state: PositionsState, kind: PositionKind, first: int, count: int) -> FloatArray:
    """Return scores that depend on the distance alone, without ALiBi's bias."""
    query, key = projected_contents(state)
    return KINDS[kind].products(state, query, key, first, count) / math.sqrt(len(query))


def slope_text(slope: float) -> str:
    """Return a slope as the paper writes it, 1/4, or with three digits."""
    inverse = 1 / slope
    return f"1/{inverse:.0f}" if abs(inverse - round(inverse)) < 1e-9 * inverse else f"{slope:.3g}"


def added_scores(state: PositionsState, kind: PositionKind, query: int) -> tuple[FloatArray, FloatArray]:
    """Return the scores (length,) of all keys for a query at a position: without W_q and W_k, and with them."""
    place = encoding_row(state, kind, query)
    asking = [_asking(state, kind, place, projected=projected) for projected in (False, True)]
    bare, own = _products(state, kind, np.stack([vector for _, vector in asking]))
    return asking[0][0] + bare, asking[1][0] + own


def encoding_row(state: PositionsState, kind: PositionKind, position: int) -> FloatArray:
    """Return the encoding of a position, (d_model,)."""
    return np.asarray(encoding_at(of_kind(state, kind), np.asarray([position]), np.arange(state.d_model))[0])


def _asking(
    state: PositionsState, kind: PositionKind, place: FloatArray, *, projected: bool
) -> tuple[float, FloatArray]:
    """Return c and u, (d_model,): the scaled score of a query at a place and a key at position j is c + u · PE(j)."""
    q, k = contents(state, state.embedding_scale)
    root = math.sqrt(query_width(state, kind, projected=projected))
    if not projected:
        asked = place if state.concatenated else q + place
        return float((q if state.concatenated else asked) @ k) / root, asked / root
    w_q, w_k = projections(state)
    if state.concatenated:  # the position has projections of its own
        of_place, for_place = projections(state, "position")
        return float((q @ w_q) @ (k @ w_k)) / root, for_place @ (place @ of_place) / root
    asked = (q + place) @ w_q
    return float(asked @ (k @ w_k)) / root, w_k @ asked / root


def _products(state: PositionsState, kind: PositionKind, vectors: FloatArray) -> FloatArray:
    """Return the products of vectors (m, d_model) with the encodings of all positions, (m, length)."""
    return KINDS[kind].products_with_rows(state, vectors)


MOST_LINES = 8
"""Heads of ALiBi with a line of their own."""
MOST_BESIDE = 2**19
"""Numbers of a learned encoding that are drawn for its line beside those of another kind."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreLine:
    """Scores against the distance i − j, one for each distance from ``first`` on."""

    first: int
    scores: FloatArray
    label: str
    is_main: bool = True
    """Whether it is the line of the chosen query; others are drawn faintly."""
    is_dashed: bool = False

    def at(self, distance: int) -> float | None:
        """Return the score at a distance, if there is a key so far away."""
        index = distance - self.first
        return float(self.scores[index]) if 0 <= index < len(self.scores) else None


@dataclass(frozen=True, slots=True, eq=False)
class KindScores:
    """The lines of one kind of encoding."""

    kind: PositionKind
    lines: tuple[ScoreLine, ...]
    is_shown: bool
    reason: str = ""
    """Why there are no lines; else empty."""
    scores: FloatArray = field(default_factory=partial(np.zeros, 0))
    """Those of the chosen query and every key, (length,), also of keys that a causal mask hides."""

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest score."""
        found = [line.scores for line in self.lines if len(line.scores)]
        if not found:
            return 0.0, 0.0
        return min(float(scores.min()) for scores in found), max(float(scores.max()) for scores in found)


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a score."""

    name: str
    number: float


@dataclass(frozen=True, slots=True, eq=False)
class PositionAttentionPicture:
    """Scores under every kind, and what comes of them under the kind of the state."""

    state: PositionsState
    query: int
    """The position of the chosen query."""
    key: int
    """And that of the key of the terms."""
    kinds: tuple[KindScores, ...]
    distances: tuple[int, int]
    """The lowest and the highest distance on the axes."""
    weights: FloatArray  # (length,) of the keys; exactly 0 where the causal mask hides
    scores: FloatArray  # (length,)
    terms: tuple[Term, ...]
    norms: tuple[Term, ...]
    width: int
    """Features of a query: scores are divided by its root."""
    reason: str = ""
    """Why there are no weights; else empty."""

    @property
    def shown(self) -> KindScores:
        """The lines of the state's kind."""
        return next(kind for kind in self.kinds if kind.is_shown)

    @property
    def visible(self) -> int:
        """How many keys the query may attend to: from 0 on."""
        return self.query + 1 if self.state.causal else self.state.length


def position_attention_picture(
    state: PositionsState, tiles: tuple[int, int] = (1024, 1024)
) -> PositionAttentionPicture:
    """Return scores and weights of a state, for every distance and key; the painting leaves out what no pixel shows."""
    return _picture(_deciding(state))


@kept
def _picture(state: PositionsState) -> PositionAttentionPicture:
    query, key = state.query_shown, state.position_shown
    kinds, scores, weights, reason = _lines(replace(state, position=0), query)
    furthest = state.length - 1
    return PositionAttentionPicture(
        state,
        query,
        key,
        kinds,
        (0 if state.causal else -furthest, furthest),
        weights,
        scores,
        () if reason else _terms(state, query, key),
        _norms(state, query),
        query_width(state, state.kind),
        reason,
    )


@kept
def _lines(state: PositionsState, query: int) -> tuple[tuple[KindScores, ...], FloatArray, FloatArray, str]:
    """Return the lines of all kinds, scores and weights of the query, and why there are none: the same for any key."""
    kinds = tuple(_kind_scores(state, kind, query) for kind in PositionKind)
    shown = next(kind for kind in kinds if kind.is_shown)
    visible = query + 1 if state.causal else state.length
    weights = np.zeros(len(shown.scores))
    weights[:visible] = softmax(shown.scores[:visible])
    return kinds, shown.scores, weights, shown.reason


def _deciding(state: PositionsState) -> PositionsState:
    """Return the state with only that which decides the picture."""
    names = ("kind", "length", "d_model", "base", "seed", "layout", "heads", "head", "position", "query_position")
    more = ("causal", "concatenated", "embedding_scale")
    return PositionsState(**{name: getattr(state, name) for name in (*names, *more)})


def position_attention_numbers(picture: PositionAttentionPicture) -> dict[str, np.typing.NDArray[Any]]:
    """Return the numbers behind the picture: the weights first, then the lines, kind by kind."""
    arrays: dict[str, np.typing.NDArray[Any]] = {"weights": picture.weights, "scores": picture.scores}
    for kind in picture.kinds:
        name = kind.kind.value.replace(" ", "_")
        for number, line in enumerate(kind.lines):
            arrays[f"{name}_{number}_distances"] = line.first + np.arange(len(line.scores))
            arrays[f"{name}_{number}_scores"] = line.scores
    arrays["terms"] = np.asarray([term.number for term in picture.terms])
    arrays["norms"] = np.asarray([norm.number for norm in picture.norms])
    return arrays


# ---- Scores ----


def _kind_scores(state: PositionsState, kind: PositionKind, query: int) -> KindScores:
    is_shown = state.kind is kind
    if KINDS[kind].needs_even and state.d_model % 2:
        return KindScores(kind, (), is_shown, reason_without_table(of_kind(state, kind)))
    if KINDS[kind].is_drawn and not is_shown and state.length * state.d_model > MOST_BESIDE:
        words = f"{state.length} × {state.d_model} random numbers are needed: choose “learned” to see them."
        return KindScores(kind, (), is_shown, words)
    any_query = replace(state, query_position=0, position=0)
    if is_added(kind):
        ends = [_end_line(any_query, kind, end) for end in sorted({0, state.length - 1} - {query})]
        bare, own = added_scores(state, kind, query)
        dashed = _line(state, query, bare, "without W", is_main=False, is_dashed=True)
        return KindScores(kind, (*ends, dashed, _line(state, query, own, f"query {query}")), is_shown, scores=own)
    lines = _relative_lines(any_query, kind)
    scores = next(line.scores for line in lines if line.is_main)[query : query + state.length][::-1]
    if state.causal:
        lines = tuple(replace(line, first=0, scores=line.scores[-line.first :]) for line in lines)
    return KindScores(kind, lines, is_shown, scores=scores)


@kept
def _relative_lines(state: PositionsState, kind: PositionKind) -> tuple[ScoreLine, ...]:
    """Return the lines, over all distances, of a kind whose scores depend on them alone; for ALiBi of some heads."""
    first, count = 1 - state.length, 2 * state.length - 1
    scores = relative_scores(state, kind, first, count)
    if not KINDS[kind].has_slopes:
        return (ScoreLine(first, scores, "any query"),)
    slopes = alibi_slopes(state.heads)
    heads = np.unique(np.linspace(0, state.heads - 1, min(state.heads, MOST_LINES)).round().astype(int)).tolist()
    if state.head_shown not in heads:
        heads = sorted({*heads[:-1], state.head_shown})
    distances = np.abs(first + np.arange(count))
    return tuple(
        ScoreLine(first, scores - slopes[head] * distances, slope_text(float(slopes[head])), head == state.head_shown)
        for head in heads
    )


@kept
def _end_line(state: PositionsState, kind: PositionKind, end: int) -> ScoreLine:
    """Return the line of the first or the last query, which stays while the chosen one moves."""
    return _line(state, end, added_scores(state, kind, end)[-1], f"query {end}", is_main=False)


def _line(
    state: PositionsState,
    query: int,
    scores: FloatArray,
    label: str,
    *,
    is_main: bool = True,
    is_dashed: bool = False,
) -> ScoreLine:
    """Turn scores by key into scores by distance i − j, which grows as j falls."""
    seen = scores[: query + 1] if state.causal else scores
    return ScoreLine(query - len(seen) + 1, seen[::-1], label, is_main, is_dashed)


# ---- Terms and norms ----


def _terms(state: PositionsState, query: int, key: int) -> tuple[Term, ...]:
    """Split the score of a pair into what adds up to it."""
    q, k = projected_contents(state)
    root = math.sqrt(query_width(state, state.kind))
    content = Term("content · content", float(q @ k) / root)
    kind = kind_of(state)
    if not kind.adds:
        turned = float(relative_scores(state, state.kind, query - key, 1)[0])
        turning = (Term("change by turning", turned - content.number),) if kind.turns else ()
        slope = kind.slope(state)
        bias = (Term(f"−{slope_text(slope)} · distance", -slope * abs(query - key)),) if kind.has_slopes else ()
        return content, *turning, *bias
    w_q, w_k = projections(state, "position" if state.concatenated else "content")
    asking, asked = encoding_row(state, state.kind, query) @ w_q, encoding_row(state, state.kind, key) @ w_k
    position = Term("position · position", float(asking @ asked) / root)
    if state.concatenated:
        return content, position
    return (
        content,
        Term("content · position", float(q @ asked) / root),
        Term("position · content", float(asking @ k) / root),
        position,
    )


def _norms(state: PositionsState, query: int) -> tuple[Term, ...]:
    """Return the lengths of what is added: two tokens, and the encoding."""
    tokens = contents(state, state.embedding_scale)
    found = [Term(f"{name} token", float(np.linalg.norm(x))) for name, x in zip(("query", "key"), tokens, strict=True)]
    if is_added(state.kind):
        found.append(Term(f"PE({query})", float(np.linalg.norm(encoding_row(state, state.kind, query)))))
    return tuple(found)
