"""A whole model: one tower, or an encoder and a decoder that looks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.dropout import Dropout
from attention_explorer.model.transformer.change import Change, Room, Taken, taken
from attention_explorer.model.transformer.changes import (
    AFTER,
    AROUND_ATTENTION,
    AROUND_NETWORK,
    AS_TRAINED,
    ATTENTION,
    BETWEEN,
    CROSS,
    ENCODER,
    HEAD,
    NETWORK,
    RESIDUAL,
    SCORES,
    SELF,
    WEIGHTS,
    Changes,
    K,
    LayerChanges,
    Q,
    Softmax,
    V,
)
from attention_explorer.model.transformer.embedding import Inputs
from attention_explorer.model.transformer.head import Head
from attention_explorer.model.transformer.of_heads import of_heads
from attention_explorer.model.transformer.stack import Stack, StackRun

DRAWS = {SELF: 0, ENCODER: 1000, CROSS: 2000}
"""The number that dropout takes for the lowest layer of each kind, so that no two leave out the same numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Transformer:
    """A model that is ready to run.

    Parameters
    ----------
    main : Stack
        The only tower, or the decoder.
    encoder : Stack, optional
        The tower that the decoder looks at.
    head : callable, optional
        Fetches what turns hidden states into logits.
    """

    main: Stack
    encoder: Stack | None = None
    head: Callable[[], Head] | None = None

    def run(
        self,
        given: Inputs,
        target: Inputs | None = None,
        *,
        changes: Iterable[Change] = (),
        off: object = (),
        masks: object = None,
        patterns: object = None,
        softmax: Softmax = AS_TRAINED,
        dropout: Dropout | None = None,
        since: TransformerRun | None = None,
        room: int,
        lazily: bool = False,
        insists: bool = True,
    ) -> TransformerRun:
        """Run all layers, or ``lazily`` each when it is first looked at.

        Parameters
        ----------
        given : Inputs
            The tokens, those of the encoder where there are two towers.
        target : Inputs, optional
            Those of the decoder.
        changes : iterable of Change
            What is altered, in this order.
        off, masks, patterns
            What is altered before that, as `of_heads` takes it.
        softmax : Softmax
            How scores become weights in all heads.
        dropout : Dropout, optional
            What is left out of all layers, as in a step of training; each tower draws anew, see `DRAWS`.
        since : TransformerRun, optional
            An unaltered run on the same tokens: what lies before the first change is not run again.
        room : int
            Bytes of weights to keep; those of other layers are computed again when they are looked at.
        insists : bool
            Whether one of the ``changes`` that changes nothing is refused.

        Returns
        -------
        TransformerRun

        Raises
        ------
        ArrayError
            If target is given to a model of one tower or missing for one of two, a change does not fit or changes
            nothing, since is of something else, the text is too long, or the numbers pass the range of float32.
        """
        if (self.encoder is None) != (target is None):
            raise ArrayError("target is for models of an encoder and a decoder, and these need it")
        rooms = self.rooms(len(given.ids), None if target is None else len(target.ids))
        short = taken(of_heads(off, masks, patterns, rooms), rooms, softmax, insists=False)
        altered = {
            kind: _both(short[kind], more, None if dropout is None else dropout.of_layer(DRAWS[kind]))
            for kind, more in taken(changes, rooms, insists=insists).items()
        }
        if since is not None:
            since.check_reuse(self, given, target)
        run = self._begun((given, target), altered, since, room)
        return run if lazily else run.whole()

    def rooms(self, n: int, n_target: int | None) -> dict[str, Room]:
        """Return how much there is of each kind of attention, for a text and a target of so many tokens."""
        if self.encoder is None or n_target is None:
            return {SELF: _room(self.main, n, n)}
        return {
            SELF: _room(self.main, n_target, n_target),
            ENCODER: _room(self.encoder, n, n),
            CROSS: _room(self.main, n_target, n),
        }

    def _begun(
        self,
        inputs: tuple[Inputs, Inputs | None],
        altered: Mapping[str, Taken],
        since: TransformerRun | None,
        room: int,
    ) -> TransformerRun:
        given, target = inputs
        old, old_encoder = (None, None) if since is None else (since.main, since.encoder)
        if self.encoder is None or target is None:
            run = StackRun(self.main, given, altered[SELF], room=room, since=old)
            return TransformerRun(run, None, self, inputs)
        if altered[ENCODER].first is None and old_encoder is not None:
            seen = old_encoder
        else:
            seen, old = StackRun(self.encoder, given, altered[ENCODER], room=room // 2, since=old_encoder), None
        decoded = StackRun(
            self.main,
            target,
            altered[SELF],
            cross=altered[CROSS],
            context=lambda: seen.hidden[-1],
            room=room // 2,
            since=old,
        )
        return TransformerRun(decoded, seen, self, inputs)


def _both(short: Taken, more: Taken, dropout: Dropout | None) -> Taken:
    """Return what is altered by both, and by dropout; the softmax is that of the first."""
    layers = dict(short.changes.layers)
    for layer, changes in more.changes.layers.items():
        for part, steps in changes.steps.items():
            for step in steps:
                layers[layer] = layers.get(layer, LayerChanges()).with_step(part, step)
    return Taken(Changes(layers, short.changes.softmax, dropout), more.paths)


def _room(stack: Stack, n_q: int, n_k: int) -> Room:
    return Room(len(stack.layers), stack.spec.heads, n_q, n_k, stack.spec.head_width, stack.spec.width)


@dataclass(frozen=True, slots=True, eq=False)
class TransformerRun:
    """What came out: a run through each tower, and what the head makes of it."""

    main: StackRun
    encoder: StackRun | None
    transformer: Transformer
    inputs: tuple[Inputs, Inputs | None]

    def whole(self) -> TransformerRun:
        """Run what is left of the layers, and return the run itself."""
        _ = self.main.hidden  # an encoder before, for the decoder looks at it
        return self

    def logits(self) -> Floats | None:
        """Compute the logits of all positions, (n, vocabulary); None without a head."""
        head = self.transformer.head
        return None if head is None else head()(self.main.hidden[-1])

    @property
    def is_altered(self) -> bool:
        """Whether anything was altered in it."""
        return self.main.is_altered or (self.encoder is not None and self.encoder.is_altered)

    def part(self, where: str, layer: int, kind: str = SELF) -> Floats:
        """Return what a layer computed of a part that `Change` names, as an array of its own.

        Returns
        -------
        ndarray
            (heads, n, d) of heads, of scores and weights (heads, n_q, n_k), and of layers (n, d_model).

        Raises
        ------
        ArrayError
            If there is no such tower or layer.
        """
        tower = self.encoder if kind == ENCODER else self.main
        if tower is None or (kind == CROSS and self.encoder is None) or not 0 <= layer < tower.count:
            raise ArrayError(f"there is no layer {layer} of the kind “{kind}”")
        run = tower.layer(layer)
        attention = run.cross if kind == CROSS and run.cross is not None else run.attention
        if where == SCORES:
            given, of = tower.surroundings(layer), tower.stack.layers[layer]
            cross = of.cross if kind == CROSS else None
            if cross is not None:
                return cross.scored(attention.q, attention.k, None)[0]
            return of.attention.scored(attention.q, attention.k, given.bias)[0]
        shared = len(attention.q) // len(attention.k)
        parts: dict[str, Callable[[], Floats]] = {
            Q: lambda: attention.q,
            K: lambda: np.repeat(attention.k, shared, axis=0),
            V: lambda: np.repeat(attention.v, shared, axis=0),
            WEIGHTS: lambda: attention.weights,
            HEAD: lambda: attention.mixed,
            ATTENTION: lambda: attention.output,
            NETWORK: lambda: run.network.output,
            RESIDUAL: lambda: run.residual,
            AROUND_ATTENTION: lambda: tower.surroundings(layer).around_attention(run.residual),
            BETWEEN: lambda: run.between,
            AROUND_NETWORK: lambda: tower.surroundings(layer).around_network(run.between),
            AFTER: lambda: run.output,
        }
        return parts[where]()

    def check_reuse(self, transformer: Transformer, given: Inputs, target: Inputs | None) -> None:
        """Refuse to be taken for the beginning of another run, where it is none.

        Raises
        ------
        ArrayError
            If it is of another model or of other tokens, or was altered itself.
        """
        if self.transformer is not transformer:
            raise ArrayError("since is a run of another model: give one of this model, or leave it out")
        if self.is_altered:
            raise ArrayError("since is a run that was changed itself: give one without changes")
        if not all(_same(mine, theirs) for mine, theirs in zip(self.inputs, (given, target), strict=True)):
            raise ArrayError("since is a run on other tokens: give one of the same text, or leave it out")


def _same(mine: Inputs | None, theirs: Inputs | None) -> bool:
    """Whether two towers are given the same."""
    if mine is None or theirs is None:
        return mine is theirs
    a, b = (np.zeros_like(each.ids) if each.types is None else each.types for each in (mine, theirs))
    return np.array_equal(mine.ids, theirs.ids) and np.array_equal(a, b)
