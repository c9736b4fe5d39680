"""Who wrote it: a number that is linear in a residual, split into what every part below has added to that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.norm import NormKind
from attention_explorer.model.norms import centred_rows, norm_divisor
from attention_explorer.model.transformer import Attention, AttentionRun, FastNorm, LayerRun, Linear
from attention_explorer.model.transformer.layer import Layer
from attention_explorer.model.transformer.spec import QkNorm
from attention_explorer.model.transformer.stack import StackRun
from attention_explorer.sources.circuits.metric import head_of, place_of, word_id
from attention_explorer.sources.circuits.result import Result, Results

if TYPE_CHECKING:
    from attention_explorer.sources.models.trace import Trace


@dataclass(frozen=True, repr=False, eq=False)
class Contributions(Results):
    """What each part has written of a number: together they sum to it."""

    heads: Result
    """(layers, heads), of the attention of the tokens to each other, without biases."""
    networks: Result
    """(layers,), with their biases."""
    embedding: float
    rest: float
    """Biases, of attentions, norms and the last matrix."""
    total: float
    """The number itself, as the model computed it."""
    cross: Result | None = None
    """(layers, heads), of a decoder's look at its encoder."""

    def sum(self) -> float:
        """Return the sum of all parts."""
        parts = [self.heads, self.networks, *([] if self.cross is None else [self.cross])]
        return float(sum(np.asarray(part, np.float64).sum() for part in parts) + self.embedding + self.rest)


@dataclass(frozen=True, repr=False, eq=False)
class Writers(Results):
    """What each part below has written of a score: once by what it wrote at the key, once at the query."""

    key: Contributions
    """q · k split by who wrote the residual of which the key is made; the query is taken as it is."""
    query: Contributions
    """The same of the query, with the key as it is."""

    def arrays(self) -> dict[str, Result]:
        """Return all of them by name."""
        return {
            f"{side}_{name}": array for side in ("key", "query") for name, array in getattr(self, side).arrays().items()
        }


class _Frozen:
    """A norm as the linear map that it is while what it divides by stays as it was at one row."""

    def __init__(self, norm: FastNorm | None, row: Floats) -> None:
        self._norm = norm
        if norm is not None:
            rows = centred_rows(row.astype(np.float64)) if norm.kind is NormKind.LAYER else row.astype(np.float64)
            self._divisor = float(norm_divisor(np.square(rows).mean(), norm.eps, eps_inside_sqrt=True))

    def pulled(self, way: Floats) -> tuple[Floats, float]:
        """Return the direction by which what enters the norm counts, and what its bias adds."""
        norm = self._norm
        if norm is None:
            return way, 0.0
        back = way * norm.gain / self._divisor
        bias = 0.0 if norm.bias is None else float(norm.bias @ way)
        return (centred_rows(back) if norm.kind is NormKind.LAYER else back), bias


class _Split:
    """Takes a direction down through the layers, and notes what each part has written along it."""

    def __init__(self, run: StackRun, place: int, position: int, way: Floats, rest: float, total: float) -> None:
        layers, heads = len(run.stack.layers), run.stack.spec.heads
        self.heads, self.cross = np.zeros((layers, heads)), np.zeros((layers, heads))
        self.networks, self.rest, self._at = np.zeros(layers), rest, position
        self._crosses = run.stack.layers[0].cross is not None if layers else False
        self._total = total
        for layer in reversed(range(place)):
            way = self._layer(run.stack.layers[layer], run.layer(layer), layer, way)
        self.embedding = float(run.hidden[0][position] @ way)

    def _layer(self, layer: Layer, run: LayerRun, place: int, way: Floats) -> Floats:
        at, norms = self._at, layer.network.norms
        way = self._past(norms.after, run.between[at] + layer.added(norms, run.network.output[at]), way)
        self.networks[place] = layer.added(norms, run.network.output[at]) @ way
        if layer.cross is not None and run.cross is not None:
            before = layer.joined(layer.attention.norms, run.residual, run.attention.output)[at]
            way = self._attention(layer, layer.cross, run.cross, before, way, self.cross[place])
        return self._attention(layer, layer.attention, run.attention, run.residual[at], way, self.heads[place])

    def _attention(
        self, layer: Layer, part: Attention, run: AttentionRun, before: Floats, way: Floats, into: Floats
    ) -> Floats:
        output = run.output[self._at]
        way = self._past(part.norms.after, before + layer.added(part.norms, output), way)
        inner, bias = _Frozen(part.norms.inner, output).pulled(way)
        scale = layer.spec.residual_scale
        own = part.output.bias
        self.rest += scale * (bias + (0.0 if own is None else float(own @ inner)))
        by_head = (part.output.weight @ inner).reshape(len(into), -1)
        into[:] = scale * np.einsum("hd,hd->h", run.mixed[:, self._at], by_head)
        return way

    def _past(self, norm: FastNorm | None, row: Floats, way: Floats) -> Floats:
        way, bias = _Frozen(norm, row).pulled(way)
        self.rest += bias
        return way

    def contributions(self) -> Contributions:
        """Return what was noted."""
        axes = ("layer", "head")
        cross = Result(self.cross, axes) if self._crosses else None
        heads, networks = Result(self.heads, axes), Result(self.networks, ("layer",))
        return Contributions(heads, networks, self.embedding, self.rest, self._total, cross)


def contributions(trace: Trace, answer: object, against: object = None, position: int = -1) -> Contributions:
    """Split a logit, or a difference of two: see `Trace.contributions`."""
    head = head_of(trace)()
    if trace.run.is_altered:
        raise ArrayError("contributions are of a run without changes: run the text without them")
    if head.activation or (head.transform is not None and head.norm is not None):
        raise ExplorerError(
            "This model fills in words through a network of its own, so logits are no sum of what parts wrote: ask a "
            "decoder."
        )
    if head.cap is not None:
        raise ExplorerError(
            f"The logits of this model are capped at ±{head.cap:g}, so they are no sum of what parts wrote: ask a "
            "model without a cap."
        )
    run, at = trace.run.main, place_of(trace, position)
    ids = [word_id(trace, each) for each in (answer, against) if each is not None]
    signs = np.array((1.0, -1.0)[: len(ids)])
    weight = head.decode.weight[:, ids].astype(np.float64)
    rest = 0.0 if head.decode.bias is None else float(head.decode.bias[ids] @ signs)
    way = weight @ signs
    if head.transform is not None:  # a matrix alone, as in OPT, whose word vectors are narrower
        rest += 0.0 if head.transform.bias is None else float(head.transform.bias @ way)
        way = head.transform.weight.astype(np.float64) @ way
    last = run.layer(run.count - 1).output[at]
    found = float(run.hidden[-1][at].astype(np.float64) @ way * head.scale + rest)
    way, bias = _Frozen(run.stack.final_norm, last).pulled(way * head.scale)
    return _Split(run, run.count, at, way, rest + bias, found).contributions()


def writers(trace: Trace, layer: int, head: int, query: int, key: int) -> Writers:
    """Split a score by who wrote it: see `Trace.writers`."""
    run = trace.run.main
    spec = run.stack.spec
    if trace.run.is_altered:
        raise ArrayError("writers are of a run without changes: run the text without them")
    for name, value, count in (("layer", layer, run.count), ("head", head, spec.heads)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value < count:
            raise ArrayError(f"there is no {name} {value!r:.40}: there are {count}, from 0")
    at = (
        place_of(trace, query) if query != -1 else len(trace.ids) - 1,
        place_of(trace, key) if key != -1 else len(trace.ids) - 1,
    )
    found, attention = run.layer(layer), run.stack.layers[layer].attention
    q, k = found.attention.q[head], found.attention.k[head * spec.kv_heads // spec.heads]
    total = float(q[at[0]].astype(np.float64) @ k[at[1]]) * attention.scale
    sides = []
    for which, other, place in ((1, q[at[0]], at[1]), (0, k[at[1]], at[0])):
        way, rest = _back_to_residual(run, layer, head, which, place, other.astype(np.float64) * attention.scale)
        sides.append(_Split(run, layer, place, way, rest, total).contributions())
    return Writers(*sides)


def _back_to_residual(
    run: StackRun, layer: int, head: int, which: int, position: int, way: Floats
) -> tuple[Floats, float]:
    """Pull a direction by queries (0) or keys (1) of a head back to what enters the layer, and what biases add."""
    attention, row = run.stack.layers[layer].attention, run.layer(layer).residual[position]
    turn = run.surroundings(layer).turn
    if turn is not None:
        one = turn._replace(cos=turn.cos[position], sin=turn.sin[position])
        way = one.reverse(way[None])[0]
    norm = attention.norms.before
    part, way, rest = _before_own_norm(attention, head, which, row if norm is None else norm(row), way)
    rest += 0.0 if part.bias is None else float(part.bias @ way)
    way, bias = _Frozen(norm, row).pulled(part.weight @ way)
    return way, rest + bias


def _before_own_norm(
    attention: Attention, head: int, which: int, entering: Floats, way: Floats
) -> tuple[Linear, Floats, float]:
    """Return the matrix of queries (0) or keys (1) of a head, or where these are normalised together of all heads.

    With it comes the direction by what it makes, past the norm of these, which divides as it did, and what that adds.
    """
    spec, width = attention.spec, attention.spec.head_width
    first, count = (0, spec.heads) if which == 0 else (spec.heads * width, spec.kv_heads)
    own = slice((head * count // spec.heads) * width, (head * count // spec.heads + 1) * width)
    norm = None if attention.qk_norms is None else attention.qk_norms[which]
    if spec.qk_norm is QkNorm.WHOLE:
        part, whole = attention.project.part(first, first + count * width), np.zeros(count * width)
        whole[own] = way
        return part, *_Frozen(norm, part(entering)).pulled(whole)
    part = attention.project.part(first + own.start, first + own.stop)
    return part, *_Frozen(norm, part(entering)).pulled(way)
