"""What the families read from a configuration in the same way: sizes, layers, windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypedDict

from attention_explorer.errors import FileError, quoted
from attention_explorer.model.transformer import ACTIVATIONS, LayerSpec, Rope, Spec
from attention_explorer.sources.models.settings import Settings

MOST_LAYERS = 1000
MOST_HEADS = 4096
FULL, SLIDING = "full_attention", "sliding_attention"
"""The kinds of layers: those that see all, and those with a window."""


class Sizes(TypedDict):
    """The sizes of a `Spec`."""

    width: int
    inner: int
    heads: int
    kv_heads: int
    head_width: int


def read_sizes(
    said: Settings, width: str, inner: int | str, heads: str, kv_heads: str = "", head_width: str = ""
) -> Sizes:
    """Return the sizes of a tower, each under the name that its family gives it.

    Raises
    ------
    FileError
        If one is missing, or heads do not divide what they share.
    """
    d_model, h = said.whole(width), said.whole(heads, most=MOST_HEADS)
    kv = said.whole(kv_heads, h, most=MOST_HEADS) if kv_heads else h
    has_own = head_width and said.has(head_width)
    if h % kv or (d_model % h and not has_own):
        raise FileError(
            f"{said.where} says {h} heads, {kv} of them with keys, and a width of {d_model}, which do not divide "
            "each other: it is damaged."
        )
    return Sizes(
        width=d_model,
        inner=inner if isinstance(inner, int) else said.whole(inner),
        heads=h,
        kv_heads=kv,
        head_width=said.whole(head_width) if has_own else d_model // h,
    )


def read_activation(said: Settings, name: str, default: str | None = None) -> str:
    """Return the name of an activation, which must be one of `ACTIVATIONS`."""
    return said.one_of(name, tuple(ACTIVATIONS), default)


def read_count(said: Settings, name: str, default: int | None = None) -> int:
    """Return how many layers there are."""
    return said.whole(name, default, most=MOST_LAYERS)


def layers_alike(count: int, scale: float, rope: Rope | None = None) -> tuple[LayerSpec, ...]:
    """Return layers that differ in nothing but their weights."""
    return tuple(LayerSpec(str(place), scale, rope=rope) for place in range(count))


def read_biases(said: Settings, name: str, *projections: str) -> frozenset[str]:
    """Return projections that have a bias if the configuration says so."""
    return frozenset(projections if said.flag(name, False) else ())


def with_rope(spec: Spec, rope: Rope) -> Spec:
    """Return a tower all layers of which turn queries and keys."""
    return replace(spec, layers=tuple(layer._replace(rope=rope) for layer in spec.layers))


def with_windows(spec: Spec, windows: Sequence[int | None]) -> Spec:
    """Return a tower whose layers have windows."""
    layers = (layer._replace(window=window) for layer, window in zip(spec.layers, windows, strict=True))
    return replace(spec, layers=tuple(layers))


def read_windows(said: Settings, count: int) -> tuple[int | None, ...]:
    """Return how many keys a query sees in each layer, as Qwen2 says it: by a list, or from some layer on.

    What a configuration leaves out is what transformers takes then, which wrote it: windows of 4096 from layer 28 on.

    Raises
    ------
    FileError
        If there are other kinds of layers, not one for each, or windows without their size.
    """
    use, first = said.flag("use_sliding_window", False), said.whole("max_window_layers", 28, least=0)
    has_size = use and not said.is_null("sliding_window")
    size = said.whole("sliding_window", 4096 if has_size else 1)
    usual = tuple(SLIDING if has_size and place >= first else FULL for place in range(count))
    kinds = read_kinds(said, usual)
    if SLIDING in kinds and not has_size:
        raise FileError(f"{said.where} has windows without their size: it is damaged.")
    return tuple(size if kind == SLIDING else None for kind in kinds)


def read_kinds(said: Settings, usual: Sequence[str]) -> tuple[str, ...]:
    """Return the kind of each layer, of which there are two; the usual ones where nothing says it.

    Raises
    ------
    FileError
        If there are other kinds, or not one for each layer.
    """
    kinds = said.texts("layer_types") or tuple(usual)
    unknown = next((kind for kind in kinds if kind not in (FULL, SLIDING)), None)
    if unknown is not None:
        raise FileError(
            f"{said.where} says that there is a layer of the type {quoted(unknown)}, which this program cannot run. It "
            f"runs {FULL} and {SLIDING}."
        )
    if len(kinds) != len(usual):
        raise FileError(
            f"{said.where} has {len(usual)} layers, but {len(kinds)} {quoted('layer_types')}: it is damaged."
        )
    return kinds


def every(number: int, count: int, *, first: int = 1) -> tuple[str, ...]:
    """Return kinds of layers of which every so many-th sees all; ``first`` is the number of the bottom one."""
    return tuple(SLIDING if place % number else FULL for place in range(first, first + count))


def with_kinds(spec: Spec, kinds: Sequence[str], window: int, ropes: Mapping[str, Rope]) -> Spec:
    """Return a tower whose layers are of two kinds: with and without a window, each with a rotation of its own."""
    sizes = {FULL: None, SLIDING: window}
    layers = (
        layer._replace(window=sizes[kind], rope=ropes[kind]) for layer, kind in zip(spec.layers, kinds, strict=True)
    )
    return replace(spec, layers=tuple(layers))
