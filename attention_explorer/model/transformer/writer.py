"""A decoder that writes: each new token is run alone, for keys and values of those before it are kept."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.transformer.change import Change, Taken, taken
from attention_explorer.model.transformer.changes import CROSS, ENCODER, SCORES, SELF, WEIGHTS
from attention_explorer.model.transformer.embedding import Inputs
from attention_explorer.model.transformer.layer import LayerRun, Surroundings
from attention_explorer.model.transformer.parts import normed
from attention_explorer.model.transformer.stack import StackRun, checked
from attention_explorer.model.transformer.transformer import Transformer

KeysValues = tuple[Floats, Floats]


class Writer:
    """A run of a decoder, to which tokens are added.

    Parameters
    ----------
    transformer : Transformer
        Of which the main tower sees no later tokens.
    given : Inputs
        What it reads.
    target : Inputs, optional
        What the decoder of two towers begins with.
    changes : iterable of Change
        What is altered at every token: of all positions, with a value that each of them can have.

    Attributes
    ----------
    hidden : ndarray, (d_model,)
        What left the tower at the last token.
    past : tuple of (ndarray, ndarray)
        Keys and values of all tokens so far, of each layer, (kv_heads, n, d).
    weights : tuple of ndarray
        Of the last token, of each layer, (heads, n).

    Raises
    ------
    ArrayError
        If the model is no decoder, a change does not fit, or the numbers pass the range of float32.
    """

    def __init__(
        self, transformer: Transformer, given: Inputs, target: Inputs | None = None, changes: Iterable[Change] = ()
    ) -> None:
        if not transformer.main.spec.is_causal:
            raise ArrayError("a model that sees later tokens writes none: generate is for decoders")
        self._transformer, self._stack = transformer, transformer.main
        self._changes = [_of_every_position(change) for change in changes]
        self._ids = (given if target is None else target).ids
        self._context = self._encoded(given) if target is not None else None
        self.past: tuple[KeysValues, ...] = ()
        self.weights: tuple[Floats, ...] = ()
        self._cross_past: list[KeysValues] = []
        self._taken: dict[int, dict[str, Taken]] = {}
        self._frequencies: list[Floats] = []
        self.hidden = self._run()

    def write(self, index: int) -> None:
        """Add a token.

        Raises
        ------
        ArrayError
            As when it is made.
        """
        self._ids = np.append(self._ids, index)
        self.hidden = self._run()

    def logits(self) -> Floats:
        """Return the logits of the token that comes next, (vocabulary,).

        Raises
        ------
        ArrayError
            If the model has no head.
        """
        if self._transformer.head is None:
            raise ArrayError("the model has no head, and so writes no tokens")
        logits: Floats = self._transformer.head()(self.hidden[None])[0]
        return logits

    def _encoded(self, given: Inputs) -> Floats | None:
        """Return what leaves the encoder."""
        encoder = self._transformer.encoder
        if encoder is None:
            raise ArrayError("target is for models of an encoder and a decoder")
        rooms = self._transformer.rooms(len(given.ids), len(self._ids))
        of_encoder = taken([change for change in self._changes if change.kind == ENCODER], rooms)[ENCODER]
        return StackRun(encoder, given, of_encoder, room=0).hidden[-1]

    def _altered(self, rows: int) -> dict[str, Taken]:
        """Return what is altered where so many tokens are run."""
        if rows not in self._taken:
            rooms = self._transformer.rooms(rows if self._context is None else len(self._context), rows)
            self._taken[rows] = taken(self._changes, rooms, insists=False)
        return self._taken[rows]

    def _run(self) -> Floats:
        """Run the tokens that were not run yet, and return what leaves the tower at the last one."""
        n = len(self._ids)
        frequencies = [layer.rope.frequencies(n) for layer in self._stack.spec.layers if layer.rope is not None]
        if self.past and not all(map(np.array_equal, frequencies, self._frequencies)):
            self.past = ()  # of a longer text positions turn otherwise: all keys do
        self._frequencies = frequencies
        start = n - 1 if self.past else 0
        x = self._stack.embedding(Inputs(self._ids))[start:]
        bias = None if self._stack.relative is None else self._stack.relative.bias(n, start)
        past, weights, cross_past = [], [], []
        for place in range(len(self._stack.layers)):
            checkpoint()
            run = self._layer(place, x, start, bias)
            checked(place, run.output)
            past.append((run.attention.k, run.attention.v))
            weights.append(run.attention.weights[:, -1].copy())  # those of a long text are let go of
            if run.cross is not None:
                cross_past.append((run.cross.k, run.cross.v))
            x = run.output
        self.past, self.weights, self._cross_past = tuple(past), tuple(weights), cross_past
        last: Floats = normed(self._stack.final_norm, x[-1:])[0]
        return last

    def _layer(self, place: int, x: Floats, start: int, bias: Floats | None) -> LayerRun:
        n, rope = start + len(x), self._stack.spec.layers[place].rope
        altered = self._altered(len(x))
        given = Surroundings(
            self._stack.visible(place, n, start),
            bias,
            None if rope is None else rope.turn(n, start),
            self._context,
            altered[SELF].changes.of(place),
            altered[CROSS].changes.of(place) if CROSS in altered else altered[SELF].changes.of(-1),
            self.past[place] if self.past else None,
            self._cross_past[place] if self._cross_past else None,
        )
        return self._stack.layers[place](x, given)


def _of_every_position(change: Change) -> Change:
    """Refuse a change that not every token can have.

    Raises
    ------
    ArrayError
        If it is one.
    """
    if not isinstance(change, Change):
        raise ArrayError(f"changes must be a list of Change(where, layer, …), but hold {change!r:.60}")
    if change.kind != ENCODER and (
        change.position is not None or change.where in (SCORES, WEIGHTS) or change.into is not None
    ):
        raise ArrayError(f"{change}: what is written grows, so only changes of all positions can be made of it")
    return change
