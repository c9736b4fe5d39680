"""What the readers of all families share: the sizes, attention and network of a layer, from settings and tensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attention_explorer.errors import FileError
from attention_explorer.model.transformer import ACTIVATIONS, Attention, Network
from attention_explorer.model.transformer.parts import FastNorm
from attention_explorer.sources.models.settings import Settings
from attention_explorer.sources.models.tensors import StoredLinear, Tensors

MOST_LAYERS = 1000
MOST_HEADS = 4096


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of the layers of a tower."""

    width: int
    """d_model."""
    inner: int
    """d_ff."""
    layers: int
    heads: int
    kv_heads: int
    head_width: int


def read_sizes(
    settings: Settings,
    *,
    width: str,
    inner: int | str,
    layers: str,
    heads: str,
    kv_heads: str = "",
    head_width: str = "",
) -> Sizes:
    """Return the sizes of a tower, each under the name that its family gives it.

    Raises
    ------
    FileError
        If one is missing, or heads do not divide what they share.
    """
    d_model, h = settings.whole(width), settings.whole(heads, most=MOST_HEADS)
    kv = settings.whole(kv_heads, h, most=MOST_HEADS) if kv_heads else h
    has_own = head_width and settings.has(head_width)
    if h % kv or (d_model % h and not has_own):
        raise FileError(
            f"{settings.where} says {h} heads, {kv} of them with keys, and a width of {d_model}, which do not divide "
            "each other: it is damaged."
        )
    return Sizes(
        d_model,
        inner if isinstance(inner, int) else settings.whole(inner),
        settings.whole(layers, most=MOST_LAYERS),
        h,
        kv,
        settings.whole(head_width) if has_own else d_model // h,
    )


def activation_of(settings: Settings, name: str) -> str:
    """Return the name of an activation, which must be one of `ACTIVATIONS`."""
    return settings.one_of(name, tuple(ACTIVATIONS))


def attention_of(
    tensors: Tensors,
    sizes: Sizes,
    norm: Callable[[], FastNorm],
    projections: tuple[StoredLinear, ...],
    output: StoredLinear,
    *,
    scale: float | None = None,
    window: int | None = None,
) -> Callable[[], Attention]:
    """Return what reads an attention whose tensors are checked; the scale is 1/√d unless it is given."""
    project, out = tensors.fused(*projections), tensors.fused(output)
    by = sizes.head_width**-0.5 if scale is None else scale
    return lambda: Attention(
        norm(), project(), out(), sizes.heads, sizes.kv_heads, sizes.head_width, scale=by, window=window
    )


def network_of(
    tensors: Tensors,
    norm: Callable[[], FastNorm],
    up: tuple[StoredLinear, ...],
    down: StoredLinear,
    activation: str,
) -> Callable[[], Network]:
    """Return what reads a network whose tensors are checked; two matrices ``up`` are a gate and what it gates."""
    into, out = tensors.fused(*up), tensors.fused(down)
    return lambda: Network(norm(), into(), out(), activation, gated=len(up) == 2)
