"""What is altered while a layer runs: the arrays that it computes, at some heads and rows, as they are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.dropout import Dropout, DropoutPlace

Q, K, V, SCORES, WEIGHTS, HEAD, ATTENTION = "q", "k", "v", "scores", "weights", "head", "attention"
NETWORK, RESIDUAL, BETWEEN, AFTER = "network", "residual", "between", "after"
AROUND_ATTENTION, AROUND_NETWORK = "around attention", "around network"
OF_HEADS = (Q, K, V, SCORES, WEIGHTS, HEAD)
"""Parts that each head has: (heads, n, d), and of scores and weights (heads, n_q, n_k)."""
OF_ATTENTION = (*OF_HEADS, ATTENTION)
OF_ROWS = (ATTENTION, NETWORK, RESIDUAL, AROUND_ATTENTION, BETWEEN, AROUND_NETWORK, AFTER)
"""Parts that a layer has as a whole: (n, d_model)."""
PARTS = (*OF_HEADS, *OF_ROWS)
HIDDEN = "hidden"
"""The hidden units of a network, (n, d_ff), which dropout alone alters."""
_DROPPED = {
    WEIGHTS: DropoutPlace.WEIGHTS,
    ATTENTION: DropoutPlace.ATTENTION,
    HIDDEN: DropoutPlace.HIDDEN,
    NETWORK: DropoutPlace.NETWORK,
}
SELF, ENCODER, CROSS = "self", "encoder", "cross"
"""The kinds of attention, by which heads are named: of the only tower or the decoder, and of the others."""


class Softmax(NamedTuple):
    """How scores become weights, where that is not as the model was trained."""

    factor: float = 1.0
    """What the scores, biases included, are multiplied by before: 1 ÷ temperature."""
    hard: bool = False
    """Whether the best key takes all, the first of several."""


AS_TRAINED = Softmax()
Index = tuple[npt.NDArray[np.integer[Any]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One alteration of an array.

    Attributes
    ----------
    at : tuple of ndarray of int
        Which heads and rows, or which rows, as of `numpy.ix_`; empty for all.
    value : ndarray, optional
        float32, of the shape of what is altered, or broadcasts to it; None of a step that only hides.
    adds : bool
        Whether it is added, else it is put in its place.
    visible : ndarray of bool, optional
        Of scores: False where they are −∞.
    said : str
        What to call it in the refusal of a step that changes nothing; empty for one that may.
    """

    at: Index
    value: Floats | None
    adds: bool = False
    visible: Bools | None = None
    said: str = ""

    def __call__(self, array: Floats, factor: float = 1.0) -> None:
        """Alter an array in place; the value is multiplied by a factor before."""
        if self.value is None:
            return
        place = self.at or ...
        old, value = array[place], self.value if factor == 1.0 else self.value * np.float32(factor)
        new = old + value if self.adds else np.broadcast_to(value, old.shape)
        if self.said and self.visible is None and np.array_equal(old, new):
            raise ArrayError(f"{self.said} changed nothing: what it puts there is there already")
        array[place] = new


class Altering(Protocol):
    """What a layer asks while it runs."""

    @property
    def softmax(self) -> Softmax:
        """How scores become weights."""

    @property
    def dropout(self) -> Dropout | None:
        """What is left out, after all else."""

    def touches(self, *parts: str) -> bool:
        """Whether one of these parts is altered."""

    @property
    def sets_scores(self) -> bool:
        """Whether scores become others, beside those that are hidden."""

    def altered(self, part: str, array: Floats, factor: float = 1.0) -> Floats:
        """Alter a part where it is, and return it."""

    def visible(self, visible: Bools | None, shape: tuple[int, ...]) -> Bools | None:
        """Return who may attend to whom in maps of a shape: (…, n_q, n_k); None for all to all."""


@dataclass(frozen=True, slots=True, eq=False)
class LayerChanges:
    """What is altered in one layer, or in its look at another tower."""

    steps: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)
    softmax: Softmax = AS_TRAINED
    dropout: Dropout | None = None
    """What is left out, after all else."""

    def touches(self, *parts: str) -> bool:
        """Whether one of these parts is altered."""
        return any(part in self.steps for part in parts)

    @property
    def sets_scores(self) -> bool:
        """Whether scores become others, beside those that are hidden."""
        return any(step.value is not None for step in self.steps.get(SCORES, ()))

    def altered(self, part: str, array: Floats, factor: float = 1.0) -> Floats:
        """Alter a part where it is, and return it."""
        for step in self.steps.get(part, ()):
            step(array, factor)
        if self.dropout is not None and part in _DROPPED:
            array[...] = self.dropout(_DROPPED[part], array)
        return array

    def visible(self, visible: Bools | None, shape: tuple[int, ...]) -> Bools | None:
        """Return who may attend to whom: (n_q, n_k), or (heads, n_q, n_k) where heads differ; None for all to all."""
        steps = [step for step in self.steps.get(SCORES, ()) if step.visible is not None]
        if not steps:
            return visible
        every = np.broadcast_to(np.True_ if visible is None else visible, shape).copy()
        for step in steps:
            _hide(every, step)
        return every

    def with_step(self, part: str, step: Step) -> LayerChanges:
        """Return these and one more."""
        return replace(self, steps={**self.steps, part: (*self.steps.get(part, ()), step)})


def _hide(every: Bools, step: Step) -> None:
    """Hide what a step hides, (heads, n_q, n_k)."""
    place = step.at or ...
    new = every[place] & np.asarray(step.visible)
    if step.said and step.value is None and np.array_equal(new, every[place]):
        raise ArrayError(f"{step.said} changed nothing: the model hides all that it hides")
    every[place] = new


NOTHING = LayerChanges()


@dataclass(frozen=True, slots=True, eq=False)
class BatchChanges:
    """What is altered in a layer that runs several texts or variants at once: those of each, along the first axis."""

    items: Sequence[Altering]

    @property
    def softmax(self) -> Softmax:
        """How scores become weights, in all of them."""
        return self.items[0].softmax

    @property
    def dropout(self) -> Dropout | None:
        """What is left out, in all of them."""
        return self.items[0].dropout

    def touches(self, *parts: str) -> bool:
        """Whether one of these parts is altered in one of them."""
        return any(item.touches(*parts) for item in self.items)

    @property
    def sets_scores(self) -> bool:
        """Whether scores of one of them become others."""
        return any(item.sets_scores for item in self.items)

    def altered(self, part: str, array: Floats, factor: float = 1.0) -> Floats:
        """Alter a part of each where it is, and return it."""
        for item, of_item in zip(self.items, array, strict=True):
            item.altered(part, of_item, factor)
        return array

    def visible(self, visible: Bools | None, shape: tuple[int, ...]) -> Bools | None:
        """Return who may attend to whom: (n_q, n_k), or (items, heads, n_q, n_k) where they differ."""
        found = [item.visible(visible, shape) for item in self.items]
        if all(each is visible for each in found):
            return visible
        return np.stack([np.broadcast_to(np.True_ if each is None else each, shape) for each in found])


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What is altered in all layers of a tower.

    Attributes
    ----------
    layers : mapping of int to LayerChanges
        By layer.
    softmax : Softmax
        Of all heads.
    dropout : Dropout or None
        What is left out, as in a step of training; its layer is that of the lowest.
    """

    layers: Mapping[int, LayerChanges] = field(default_factory=dict)
    softmax: Softmax = AS_TRAINED
    dropout: Dropout | None = None

    def of(self, layer: int) -> LayerChanges:
        """Return those of one layer."""
        found = self.layers.get(layer, NOTHING)
        if self.softmax == AS_TRAINED and self.dropout is None:
            return found
        return LayerChanges(found.steps, self.softmax, self.dropout_of(layer))

    def dropout_of(self, layer: int) -> Dropout | None:
        """Return what is left out of one layer."""
        return None if self.dropout is None else self.dropout.of_layer(self.dropout.layer + layer)

    @property
    def first(self) -> int | None:
        """The lowest layer that is not as it was; None if all are."""
        as_trained = self.softmax == AS_TRAINED and self.dropout is None
        return min(self.layers, default=None) if as_trained else 0
