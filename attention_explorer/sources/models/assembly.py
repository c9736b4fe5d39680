"""A transformer made of what its family says: every tensor is checked at once, and read when its layer is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_explorer.errors import FileError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer import (
    Attention,
    Buckets,
    Embedding,
    FastNorm,
    Head,
    Layer,
    LayerSpec,
    Linear,
    Network,
    Norms,
    Places,
    QkNorm,
    RelativePositions,
    Spec,
    Stack,
    Transformer,
)
from attention_explorer.sources.models.family import AttentionNames, Family, HeadNames, NetworkNames, TowerNames
from attention_explorer.sources.models.lazy_layers import LazyLayers
from attention_explorer.sources.models.refusals import check_asked
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import StoredLinear, Tensors, Words
from attention_explorer.sources.models.waves import waves

LANGUAGE = ("LMHead", "CausalLM", "ConditionalGeneration", "MTModel")
"""Marks of the classes that predict words, among those that a configuration names."""


def assembled(family: Family, said: Settings, tensors: Tensors, room: int) -> Transformer:
    """Return a model, of which layers take ``room`` bytes of memory at most.

    Raises
    ------
    FileError
        If something is missing, left over or does not fit, or if something is asked for that is not computed.
    """
    _refuse_one_tower(family, tensors)
    specs = [tower.spec(said) for tower in family.towers]
    check_asked(said, is_causal=specs[-1].is_causal)
    words = _Tables(family, said, tensors, specs[-1])
    stacks = [
        _Reader(tensors, spec, tower.names, tower.at).stack(words.of(tower.at + tower.names.words), room // len(specs))
        for tower, spec in zip(family.towers, specs, strict=True)
    ]
    head = _head(family.head, said, tensors, words, specs[-1])
    tensors.check_rest(*family.unused)
    return Transformer(stacks[-1], stacks[0] if len(stacks) > 1 else None, head)


def _refuse_one_tower(family: Family, tensors: Tensors) -> None:
    places = [tower.at for tower in family.towers]
    for at, other in zip(places, places[::-1], strict=True):
        if tensors.has_any(at) and not tensors.has_any(other):
            kept, lost = at.rstrip("."), other.rstrip(".")
            raise FileError(
                f"{tensors.where} holds only the {kept} of its model. Of models with two towers only whole ones can be "
                f"run here: save it with its {lost}."
            )


class _Tables:
    """The tables of words of a model, which are one where they are tied."""

    def __init__(self, family: Family, said: Settings, tensors: Tensors, spec: Spec) -> None:
        self.said = said.flag("tie_word_embeddings", family.usually_tied)
        self.tied = self.said or family.always_tied
        self._tensors = tensors
        first = family.towers[0]
        names = family.tables or (first.at + first.names.words, f"{family.head.decode}.weight")
        table = tensors.first(names if self.tied else names[:1], spec.vocabulary, spec.narrow or spec.width)
        self.shared = Words(tensors, table)

    def of(self, name: str) -> Words:
        """Return the table of a tower: its own, where the file has one, else the shared one."""
        array = self._tensors.own(name, self.shared.array, said=self.said)
        return self.shared if array is self.shared.array else Words(self._tensors, array)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads a tower."""

    tensors: Tensors
    spec: Spec
    names: TowerNames
    at: str

    def stack(self, words: Words, room: int) -> Stack:
        """Return the tower; its layers are read when they are run, those that share their weights once."""
        spec, names = self.spec, self.names
        fetchers: dict[tuple[str, float], Callable[[], Layer]] = {}
        for layer in spec.layers:
            if (layer.name, layer.scale) not in fetchers:
                fetchers[(layer.name, layer.scale)] = self._layer(layer)
        return Stack(
            spec,
            self._embedding(words),
            LazyLayers([fetchers[(layer.name, layer.scale)] for layer in spec.layers], room),
            self._norm(names.final_norm, spec.width)() if names.final_norm else None,
            self._relative(spec.buckets) if spec.buckets else None,
        )

    def _embedding(self, words: Words) -> Embedding:
        spec, names = self.spec, self.names
        d = spec.narrow or spec.width
        widen = None
        if spec.narrow:
            widen = self.tensors.fused(
                self.tensors.linear(self.at + names.widen, d, spec.width, bias=names.widen_has_bias)
            )
        return Embedding(
            spec,
            words,
            self._places(spec.places, spec.width if spec.places.is_wide else d) if spec.places else None,
            self.tensors.vector(self.at + names.kinds, spec.kinds, d)() if spec.kinds else None,
            self._norm(names.embedding_norm, d)() if names.embedding_norm else None,
            widen() if widen else None,
        )

    def _places(self, places: Places, d: int) -> Floats:
        name = self.at + self.names.places
        if self.names.has_waves and not self.tensors.has(name):
            return waves(places.rows, d)
        return self.tensors.vector(name, places.rows, d)()

    def _relative(self, buckets: Buckets) -> RelativePositions:
        table = self.tensors.vector(self.at + self.names.relative, buckets.number, self.spec.heads)
        return RelativePositions(table(), buckets.farthest, both_ways=not self.spec.is_causal)

    def _layer(self, layer: LayerSpec) -> Callable[[], Layer]:
        at, names = self.names.layer.format(layer.name), self.names
        attention = self._attention(at, names.attention, layer)
        cross = None if names.cross is None else self._attention(at, names.cross, layer)
        network = self._network(at, names.network)
        return lambda: Layer(self.spec, attention(), network(), cross() if cross else None)

    def _attention(self, at: str, names: AttentionNames, layer: LayerSpec) -> Callable[[], Attention]:
        spec, scale = self.spec, layer.scale
        d, inner, keys = spec.width, spec.heads * spec.head_width, spec.kv_heads * spec.head_width
        project = self._project(at, names, inner, keys)
        output = self.tensors.fused(self._linear(at + names.output, inner, d, "output"))
        norms = self._norms(at, names.norms) if layer.is_normed else Norms
        of_qk = self._qk_norms(at, names, inner, keys)
        return lambda: Attention(spec, scale, norms(), project(), output(), of_qk() if of_qk else None)

    def _project(self, at: str, names: AttentionNames, inner: int, keys: int) -> Callable[[], Linear]:
        """Return what reads the queries, keys and values of all heads as one matrix, in this order."""
        parts = zip(names.project, (inner, keys, keys), "qkv", strict=True)
        if len(names.project) == 1:
            parts = zip(names.project, (inner + 2 * keys,), "q", strict=True)
        read = self.tensors.fused(*(self._linear(at + name, self.spec.width, out, part) for name, out, part in parts))
        return (lambda: _by_part(read(), self.spec.heads)) if names.by_head else read

    def _qk_norms(
        self, at: str, names: AttentionNames, inner: int, keys: int
    ) -> Callable[[], tuple[FastNorm, FastNorm]] | None:
        kind, width = self.spec.qk_norm, self.spec.head_width
        if kind is QkNorm.NONE:
            return None
        widths = (inner, keys) if kind is QkNorm.WHOLE else (width, width)
        q, k = (self._norm(at + name, d) for name, d in zip(names.qk_norms, widths, strict=True))
        return lambda: (q(), k())

    def _network(self, at: str, names: NetworkNames) -> Callable[[], Network]:
        spec = self.spec
        into = (names.ungated,) if names.ungated and not spec.gated else names.up
        out = (1 + spec.gated) * spec.inner // len(into)
        up = self.tensors.fused(*(self._linear(at + name, spec.width, out, "up") for name in into))
        down = self.tensors.fused(self._linear(at + names.down, spec.inner, spec.width, "down"))
        norms = self._norms(at, names.norms)
        return lambda: Network(spec, norms(), up(), down())

    def _norms(self, at: str, names: tuple[str, ...]) -> Callable[[], Norms]:
        found = {
            place: self._norm(at + name, self.spec.width)
            for place, name in zip(self.spec.norm.place.value, names, strict=True)
        }
        return lambda: Norms(**{place: read() for place, read in found.items()})

    def _norm(self, name: str, width: int) -> Callable[[], FastNorm]:
        return self.tensors.norm(self.at + name, width, self.spec.norm)

    def _linear(self, name: str, d_in: int, d_out: int, projection: str) -> StoredLinear:
        has_bias = projection in self.spec.biases
        return self.tensors.linear(self.at + name, d_in, d_out, bias=has_bias, input_first=self.names.input_first)


def _by_part(found: Linear, heads: int) -> Linear:
    """Return a matrix that holds queries, keys and values head by head as one that holds all queries first."""

    def sorted_out(array: Floats) -> Floats:
        parts = array.reshape(*array.shape[:-1], heads, 3, -1)
        return np.ascontiguousarray(parts.swapaxes(-3, -2)).reshape(array.shape)

    weight = sorted_out(found.weight)
    return Linear(weight, None if found.bias is None else sorted_out(found.bias))


def _head(names: HeadNames, said: Settings, tensors: Tensors, words: _Tables, spec: Spec) -> Callable[[], Head] | None:
    """Return what fetches the head; None where the file has none."""
    classes, last = said.texts("architectures"), f"{names.decode}.weight"
    if names.dense:  # which models that tell classes may have too
        fills = any(map(tensors.has, (last, names.bias))) or any("MaskedLM" in name for name in classes)
        there = fills and tensors.has(f"{names.dense}.weight")
        return _masked_word_head(names, said, tensors, words, spec) if there else None
    predicts = not classes or any(mark in name for mark in LANGUAGE for name in classes)
    added = tensors.vector(names.bias, 1, spec.vocabulary) if names.bias and tensors.has(names.bias) else None
    if not tensors.has(last) and not (words.tied and predicts):
        return None
    table = words.shared.alike(tensors.own(last, words.shared.array, said=words.said))
    narrow = None
    if names.narrow and spec.narrow:
        narrow = tensors.fused(tensors.linear(names.narrow, spec.width, spec.narrow, bias=False))
    return lambda: Head(
        Linear(table().T, None if added is None else added()[0]),
        spec.logit_scale,
        spec.logit_cap,
        narrow() if narrow else None,
    )


def _masked_word_head(
    names: HeadNames, said: Settings, tensors: Tensors, words: _Tables, spec: Spec
) -> Callable[[], Head]:
    """Return what fetches a head that fills in masked words: a matrix, a norm, and the table of words."""
    d, shared = spec.narrow or spec.width, words.shared
    has_bias = not names.dense_bias or said.flag(names.dense_bias, False)
    dense = tensors.fused(tensors.linear(names.dense, spec.width, d, bias=has_bias))
    norm = tensors.norm(names.norm, d, spec.norm)
    decode, bias = f"{names.decode}.weight", f"{names.decode}.bias"
    last = tensors.own(decode, shared.array, said=True) if words.tied else tensors.array(decode, spec.vocabulary, d)
    table, added = shared.alike(last), None
    if not names.decode_bias or said.flag(names.decode_bias, True):
        added = tensors.own(bias, tensors.first((names.bias, bias), spec.vocabulary), said=words.tied)
    return lambda: Head(
        Linear(table().T, None if added is None else tensors.read(added)),
        spec.logit_scale,
        spec.logit_cap,
        dense(),
        names.activation or spec.activation,
        norm(),
    )
