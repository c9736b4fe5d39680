"""A tower computed a second time, number by number in Python's floats, as the papers have it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import QkNorm, Rope, Spec

Row = list[float]
Weights = Mapping[str, np.ndarray]
"""By the number of the layer and the part: "0.attention.q", "0.attention.q.bias", "0.network.before"."""


Hook = Callable[[str, np.ndarray], np.ndarray]
"""Given the name of a part and what it is, (heads, n, …) or (n, d_model), returns what it becomes."""


class Found(NamedTuple):
    """What came out."""

    weights: list[np.ndarray]
    """(heads, n_q, n_k) of each layer."""
    cross: list[np.ndarray]
    hidden: list[np.ndarray]
    """(n, d_model): what enters each layer, and what leaves the last, after the last norm."""
    logits: np.ndarray


class PlainTower:
    """A tower of a `Spec`."""

    def __init__(self, spec: Spec, weights: Weights, hook: Hook = lambda _, part: part) -> None:
        self.spec, self.w, self.hook = spec, weights, hook

    def hooked(self, name: str, rows: list[Row]) -> list[Row]:
        """Have rows altered."""
        found: list[Row] = self.hook(name, np.array(rows)).tolist()
        return found

    def run(self, ids: Sequence[int], types: Sequence[int], context: np.ndarray | None) -> Found:
        """Run on tokens, and on what leaves an encoder."""
        rows = self.embedded(ids, types)
        found = Found([], [], [np.array(rows)], np.array([]))
        for place in range(len(self.spec.layers)):
            rows = self.layer(place, rows, None if context is None else context.tolist(), found)
            found.hidden.append(np.array(rows))
        rows = [self.normed("final", row) for row in rows]
        found.hidden[-1] = np.array(rows)
        scaled = [[value * self.spec.logit_scale for value in row] for row in rows]
        logits = [self.capped(self.times("head", row), self.spec.logit_cap) for row in scaled]
        return found._replace(logits=np.array(logits))

    def embedded(self, ids: Sequence[int], types: Sequence[int]) -> list[Row]:
        """Words, sentences and positions, added."""
        spec, rows, before = self.spec, [], 0
        for place, (index, kind) in enumerate(zip(ids, types, strict=True)):
            row = [value * spec.embedding_scale for value in self.w["words"][index].tolist()]
            if spec.blank is not None:
                there = [each for each in ids if each != spec.blank.id]
                factor = 0.0 if index == spec.blank.id else (1 - spec.blank.share) * len(ids) / len(there)
                row = [value * factor for value in row]
            if spec.kinds:
                row = added(row, self.w["kinds"][kind if spec.kinds > 1 else 0].tolist())
            if spec.places is not None:
                at, padding = spec.places.offset + place, spec.places.padding
                if padding is not None:
                    before += index != padding
                    at = spec.places.offset - 1 + (before if index != padding else 0)
                if not spec.places.is_wide:
                    row = added(row, self.w["places"][at].tolist())
            row = self.normed("embedding", row)
            row = self.times("widen", row) if "widen" in self.w else row
            rows.append(added(row, self.w["places"][at].tolist()) if spec.places and spec.places.is_wide else row)
        return rows

    def layer(self, place: int, x: list[Row], context: list[Row] | None, found: Found) -> list[Row]:
        """One layer; a look at the context stands between its two parts."""
        at, scale = f"{place}.attention", self.spec.layers[place].scale
        x = self.hooked(f"{place}.residual", x)
        weights, output = self.attention(at, [self.normed(f"{at}.before", row) for row in x], None, place, scale)
        found.weights.append(weights)
        y = self.joined(at, self.hooked(f"{place}.around attention", x), output)
        if context is not None:
            at = f"{place}.cross"
            weights, output = self.attention(at, [self.normed(f"{at}.before", row) for row in y], context, place, scale)
            found.cross.append(weights)
            y = self.joined(at, y, output)
        at, y = f"{place}.network", self.hooked(f"{place}.between", y)
        output = [self.network(at, self.normed(f"{at}.before", row)) for row in (x if self.spec.parallel else y)]
        y = self.hooked(f"{place}.around network", y)
        return self.hooked(f"{place}.after", self.joined(at, y, self.hooked(at, output)))

    def joined(self, at: str, x: list[Row], output: list[Row]) -> list[Row]:
        """after(x + factor · inner(output))."""
        inner = [[value * self.spec.residual_scale for value in self.normed(f"{at}.inner", row)] for row in output]
        return [self.normed(f"{at}.after", added(a, b)) for a, b in zip(x, inner, strict=True)]

    def attention(
        self, at: str, x: list[Row], context: list[Row] | None, place: int, scale: float
    ) -> tuple[np.ndarray, list[Row]]:
        """All heads, one after the other."""
        spec, keys_of = self.spec, x if context is None else context
        d, group = spec.head_width, spec.heads // spec.kv_heads
        rope = spec.layers[place].rope if context is None else None
        every = range(spec.heads)
        q = [self.heads(at, "q", row, rope, position) for position, row in enumerate(x)]
        k = [self.heads(at, "k", row, rope, position) for position, row in enumerate(keys_of)]
        v = [cut(self.times(f"{at}.v", row), d) for row in keys_of]
        q = self.hook(f"{at}.q", np.array([[row[head] for row in q] for head in every])).tolist()
        k = self.hook(f"{at}.k", np.array([[row[head // group] for row in k] for head in every])).tolist()
        v = self.hook(f"{at}.v", np.array([[row[head // group] for row in v] for head in every])).tolist()
        scores = np.zeros((spec.heads, len(x), len(keys_of)))
        for head, i, j in np.ndindex(scores.shape):
            (scores[head, i, j],) = self.capped([scale * dot(q[head][i], k[head][j])], spec.soft_cap)
            if spec.buckets is not None and context is None:
                scores[head, i, j] += float(self.w["relative"][self.bucket(j - i), head])
        scores = self.hook(f"{at}.scores", scores)
        weights = np.zeros_like(scores)
        for head, i in np.ndindex(scores.shape[:2]):
            seen = [j for j in range(len(keys_of)) if context is not None or self.sees(place, i, j)]
            seen = [j for j in seen if scores[head, i, j] > -math.inf]
            top = max((scores[head, i, j] for j in seen), default=0.0)
            total = sum(math.exp(scores[head, i, j] - top) for j in seen)
            for j in seen:
                weights[head, i, j] = math.exp(scores[head, i, j] - top) / total
        weights = self.hook(f"{at}.weights", weights)
        mixed = np.zeros((spec.heads, len(x), d))
        for head, i, j in np.ndindex(weights.shape):
            mixed[head, i] += weights[head, i, j] * np.array(v[head][j])
        mixed = self.hook(f"{at}.head", mixed)
        output = [self.times(f"{at}.output", np.concatenate(mixed[:, i]).tolist()) for i in range(len(x))]
        return weights, self.hooked(f"{at}.attention", output)

    def sees(self, place: int, i: int, j: int) -> bool:
        """Whether query i may look at key j."""
        window = self.spec.layers[place].window
        return (j <= i or not self.spec.is_causal) and (window is None or abs(i - j) < window)

    def heads(self, at: str, part: str, row: Row, rope: Rope | None, position: int) -> list[Row]:
        """Queries or keys of a token: projected, normalised, turned."""
        every = self.times(f"{at}.{part}", row)
        if self.spec.qk_norm is QkNorm.WHOLE:
            every = self.normed(f"{at}.{part}_norm", every)
        found = cut(every, self.spec.head_width)
        if self.spec.qk_norm is QkNorm.HEAD:
            found = [self.normed(f"{at}.{part}_norm", head) for head in found]
        return found if rope is None else [turned(head, rope, position) for head in found]

    def bucket(self, offset: int) -> int:
        """Raffel et al. 2020, section 2.1."""
        assert self.spec.buckets is not None
        count, farthest, start = *self.spec.buckets, 0
        if not self.spec.is_causal:
            count //= 2
            start = count if offset > 0 else 0
            offset = -abs(offset)
        distance, exact = max(-offset, 0), count // 2
        if distance < exact:
            return start + distance
        far = exact + int(math.log(distance / exact) / math.log(farthest / exact) * (count - exact))
        return start + min(far, count - 1)

    def network(self, at: str, row: Row) -> Row:
        """Vaswani et al. 2017, eq. 2; Shazeer 2020, eq. 6."""
        up = self.times(f"{at}.up", row)
        if not self.spec.gated:
            return self.times(f"{at}.down", [activated(self.spec.activation, value) for value in up])
        gate = [activated(self.spec.activation, value) for value in self.times(f"{at}.gate", row)]
        return self.times(f"{at}.down", [a * b for a, b in zip(gate, up, strict=True)])

    def normed(self, name: str, row: Row) -> Row:
        """Ba, Kiros & Hinton 2016; Zhang & Sennrich 2019. The row itself where there is no such norm."""
        if name not in self.w:
            return row
        norm = self.spec.norm
        mean = sum(row) / len(row) if norm.kind is NormKind.LAYER else 0.0
        moved = [value - mean for value in row]
        root = math.sqrt(sum(value * value for value in moved) / len(row) + norm.eps)
        found = [value / root * float(gain) for value, gain in zip(moved, self.w[name], strict=True)]
        bias = self.w.get(f"{name}.bias")
        return found if bias is None else added(found, bias.tolist())

    def times(self, name: str, row: Row) -> Row:
        """A matrix and its bias."""
        matrix, bias = self.w[name], self.w.get(f"{name}.bias")
        found = [dot(row, matrix[:, column].tolist()) for column in range(matrix.shape[1])]
        return found if bias is None else added(found, bias.tolist())

    @staticmethod
    def capped(row: Row, cap: float | None) -> Row:
        """Gemma 2: c · tanh(x / c)."""
        return row if cap is None else [cap * math.tanh(value / cap) for value in row]


def turned(head: Row, rope: Rope, position: int) -> Row:
    """Su et al. 2021, eq. 34; features beyond the frequencies stay."""
    frequencies = rope.frequencies(1).tolist()
    found, half = list(head), len(frequencies)
    for pair, frequency in enumerate(frequencies):
        a, b = (2 * pair, 2 * pair + 1) if rope.interleaved else (pair, pair + half)
        cos, sin = math.cos(position * frequency), math.sin(position * frequency)
        found[a], found[b] = head[a] * cos - head[b] * sin, head[a] * sin + head[b] * cos
    return found


def activated(name: str, x: float) -> float:
    """The function between the matrices of a network."""
    if name == "relu":
        return max(x, 0.0)
    if name == "silu":
        return x / (1.0 + math.exp(-x))
    if name == "gelu":
        return 0.5 * x * (1.0 + math.erf(x / math.sqrt(2.0)))
    return 0.5 * x * (1.0 + math.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """Their product."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def added(a: Row, b: Row) -> Row:
    """Their sum."""
    return [x + y for x, y in zip(a, b, strict=True)]


def cut(row: Row, width: int) -> list[Row]:
    """Cut a row into heads."""
    return [row[start : start + width] for start in range(0, len(row), width)]
