"""A whole model: one tower, or an encoder and a decoder that looks at it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer.changes import AS_TRAINED, Changes, Room, Softmax, taken_changes
from attention_explorer.model.transformer.embedding import Inputs
from attention_explorer.model.transformer.head import Head
from attention_explorer.model.transformer.stack import CROSS, SELF, Stack, StackRun

ENCODER = "encoder"
"""The third kind of attention, beside those of a tower."""


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
        off: object = (),
        masks: object = None,
        patterns: object = None,
        softmax: Softmax = AS_TRAINED,
        room: int,
        lazily: bool = False,
    ) -> TransformerRun:
        """Run all layers, or ``lazily`` each when it is first looked at.

        Parameters
        ----------
        given : Inputs
            The tokens, those of the encoder where there are two towers.
        target : Inputs, optional
            Those of the decoder.
        off, masks, patterns
            What is altered, as `taken_changes` takes it.
        softmax : Softmax
            How scores become weights in all heads.
        room : int
            Bytes of weights to keep; those of other layers are computed again when they are looked at.

        Returns
        -------
        TransformerRun

        Raises
        ------
        ArrayError
            If target is given to a model of one tower or missing for one of two, a change does not fit, the text is too
            long, or the numbers pass the range of float32.
        """
        if (self.encoder is None) != (target is None):
            raise ArrayError("target is for models of an encoder and a decoder, and these need it")
        if self.encoder is None or target is None:
            n = len(given.ids)
            changes = _altered(off, masks, patterns, softmax, {SELF: _room(self.main, n, n)})
            run = TransformerRun(StackRun(self.main, given, changes[SELF], room=room), None, self.head)
            return run if lazily else run.whole()
        n, m = len(target.ids), len(given.ids)
        rooms = {SELF: _room(self.main, n, n), ENCODER: _room(self.encoder, m, m), CROSS: _room(self.main, n, m)}
        changes = _altered(off, masks, patterns, softmax, rooms)
        seen = StackRun(self.encoder, given, changes[ENCODER], room=room // 2)
        decoded = StackRun(
            self.main,
            target,
            changes[SELF],
            cross_changes=changes[CROSS],
            context=lambda: seen.hidden[-1],
            room=room // 2,
        )
        run = TransformerRun(decoded, seen, self.head)
        return run if lazily else run.whole()


def _altered(
    off: object, masks: object, patterns: object, softmax: Softmax, rooms: Mapping[str, Room]
) -> dict[str, Changes]:
    taken = taken_changes(off, masks, patterns, rooms)
    return {kind: replace(changes, softmax=softmax) for kind, changes in taken.items()}


def _room(stack: Stack, n_q: int, n_k: int) -> Room:
    return Room(len(stack.layers), stack.spec.heads, n_q, n_k)


@dataclass(frozen=True, slots=True, eq=False)
class TransformerRun:
    """What came out: a run through each tower, and what the head makes of it."""

    main: StackRun
    encoder: StackRun | None
    head: Callable[[], Head] | None

    def whole(self) -> TransformerRun:
        """Run what is left of the layers, and return the run itself."""
        _ = self.main.hidden  # an encoder before, for the decoder looks at it
        return self

    def logits(self) -> Floats | None:
        """Compute the logits of all positions, (n, vocabulary); None without a head."""
        return None if self.head is None else self.head()(self.main.hidden[-1])
