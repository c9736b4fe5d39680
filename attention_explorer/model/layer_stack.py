"""Layers on top of each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats, finite_array, not_a_mask
from attention_explorer.model.derivatives import derivative_by_output
from attention_explorer.model.dropout import Dropout
from attention_explorer.model.encoder_layer import EncoderLayer, EncoderTrace
from attention_explorer.model.kv_cache import KVCache
from attention_explorer.model.norm import Norm
from attention_explorer.model.rotary import RotaryPositions


class StackTrace(NamedTuple):
    """A stack of layers with every intermediate.

    Attributes
    ----------
    x : ndarray, (..., n, d_model)
        What came in.
    layers : tuple of EncoderTrace
        One a layer, the lowest first.
    output : ndarray, (..., n, d_model)
        That of the last layer, through the last norm if there is one.
    """

    x: Floats
    layers: tuple[EncoderTrace, ...]
    output: Floats

    @property
    def weights(self) -> tuple[Floats, ...]:
        """The attention weights of every layer, each (..., heads, n, n)."""
        return tuple(layer.weights for layer in self.layers)

    @property
    def levels(self) -> tuple[Floats, ...]:
        """What goes into the first layer and what comes out of each: one array more than layers."""
        return (self.x, *(layer.output for layer in self.layers))


@dataclass(frozen=True, init=False, eq=False, repr=False)
class EncoderStack:
    """Layers of one width, each taking what the one before puts out.

    Parameters
    ----------
    layers : iterable of EncoderLayer
        The lowest first; none at all is allowed.
    last_norm : Norm, optional
        Applied to what the last layer puts out, as pre-norm stacks do.

    Raises
    ------
    ArrayError
        If the layers differ in width.

    Notes
    -----
    Vaswani et al. 2017, section 3.1, where N = 6; the last norm is that of Radford et al. 2019 (GPT-2), section
    2.3.
    """

    layers: tuple[EncoderLayer, ...]
    last_norm: Norm | None

    def __init__(self, layers: Iterable[EncoderLayer], last_norm: Norm | None = None) -> None:
        held = tuple(layers)
        widths = [layer.d_model for layer in held]
        if len(set(widths)) > 1:
            raise ArrayError(f"the layers have widths {widths}: they must all take d_model = {widths[0]} features")
        if last_norm is not None and held:
            last_norm.check_width(widths[0])
        object.__setattr__(self, "layers", held)
        object.__setattr__(self, "last_norm", last_norm)

    def __repr__(self) -> str:
        return f"EncoderStack({len(self.layers)} layers{f', each {self.layers[0]!r}' if self.layers else ''})"

    def __call__(
        self,
        x: npt.ArrayLike,
        *,
        mask: npt.ArrayLike | None = None,
        bias: npt.ArrayLike | None = None,
        scale: float | None = None,
        temperature: float = 1.0,
        hard: bool = False,
        positions: RotaryPositions | None = None,
        dropout: Dropout | None = None,
    ) -> StackTrace:
        """Send sequences through all layers.

        Parameters
        ----------
        x : array_like, (..., n, d_model)
            One sequence, or a batch of them.
        mask, bias, scale, temperature, hard, positions
            As for `EncoderLayer`, the same in every layer.
        dropout : Dropout, optional
            What is left out, as in a step of learning: each layer draws anew, as `Dropout.of_layer` its number.

        Returns
        -------
        StackTrace

        Raises
        ------
        ArrayError
            As for `EncoderLayer`.
        """
        start = finite_array("x", not_a_mask("x", x), "...", "n", "d_model")
        traces: list[EncoderTrace] = []
        for place, layer in enumerate(self.layers):
            found = layer(
                traces[-1].output if traces else start,
                mask=mask,
                bias=bias,
                scale=scale,
                temperature=temperature,
                hard=hard,
                positions=positions,
                dropout=None if dropout is None else dropout.of_layer(place),
            )
            traces.append(found)
        return self._finished(start, traces)

    def decode(
        self,
        x: npt.ArrayLike,
        caches: Sequence[KVCache] | None = None,
        *,
        mask: npt.ArrayLike | None = None,
        bias: npt.ArrayLike | None = None,
        scale: float | None = None,
        temperature: float = 1.0,
        positions: RotaryPositions | None = None,
    ) -> tuple[StackTrace, tuple[KVCache, ...]]:
        """Send the newest tokens through all layers, causally, each with its cache.

        Parameters
        ----------
        x : array_like, (..., m, d_model)
            The newest tokens.
        caches : sequence of KVCache, optional
            One a layer, as this method returned them for the tokens before; none at the start.
        mask, bias, scale, temperature, positions
            As for `EncoderLayer.decode`, the same in every layer.

        Returns
        -------
        trace : StackTrace
            The last m rows of a call with `causal_mask` and the same options, up to rounding.
        caches : tuple of KVCache
            For the next step.

        Raises
        ------
        ArrayError
            As for `EncoderLayer.decode`, or if there are not as many caches as layers.
        """
        start = finite_array("x", not_a_mask("x", x), "...", "m", "d_model")
        before: Sequence[KVCache | None] = [None] * len(self.layers) if caches is None else caches
        if len(before) != len(self.layers):
            raise ArrayError(f"{len(before)} caches were given for {len(self.layers)} layers: give one for each")
        traces: list[EncoderTrace] = []
        grown: list[KVCache] = []
        for layer, cache in zip(self.layers, before, strict=True):
            below = traces[-1].output if traces else start
            trace, longer = layer.decode(
                below, cache, mask=mask, bias=bias, scale=scale, temperature=temperature, positions=positions
            )
            traces.append(trace)
            grown.append(longer)
        return self._finished(start, traces), tuple(grown)

    def reverse(self, trace: StackTrace, d_output: npt.ArrayLike) -> tuple[Floats, ...]:
        """Pull a derivative by the output back through all layers: the exact gradient, by hand.

        Parameters
        ----------
        trace : StackTrace
            What a call of this stack returned.
        d_output : array_like, (..., n, d_model)
            ∂L/∂output of any number L.

        Returns
        -------
        tuple of ndarray, each (..., n, d_model)
            ∂L by each of ``trace.levels``: by the input first, by what the last layer puts out last.

        Raises
        ------
        ArrayError
            As for `EncoderLayer.reverse`.
        """
        derivative = derivative_by_output(d_output, trace.output)
        if self.last_norm is not None:
            derivative = self.last_norm.reverse(trace.levels[-1], derivative)
        downwards = [derivative]
        for layer, passed in zip(reversed(self.layers), reversed(trace.layers), strict=True):
            downwards.append(layer.reverse(passed, downwards[-1]))
        return tuple(reversed(downwards))

    def parameter_count(self) -> int:
        """Count the learned numbers of all layers and of the last norm."""
        last = 0 if self.last_norm is None else self.last_norm.parameter_count()
        return last + sum(sum(layer.parameter_counts().values()) for layer in self.layers)

    def _finished(self, x: Floats, traces: list[EncoderTrace]) -> StackTrace:
        output = traces[-1].output if traces else x
        return StackTrace(x, tuple(traces), output if self.last_norm is None else self.last_norm(output))
