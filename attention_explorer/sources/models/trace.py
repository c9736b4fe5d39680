"""What a run of a model gives."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.scalars import size_from
from attention_explorer.model.softmax import softmax
from attention_explorer.model.transformer import SELF, LayerRun, TransformerRun
from attention_explorer.model.transformer.stack import Maps
from attention_explorer.sources.models.tokeniser import Tokeniser


class TopTokens(NamedTuple):
    """The most probable tokens of the vocabulary at every position, the best first."""

    ids: npt.NDArray[np.int64]
    """(n, k)."""
    tokens: tuple[tuple[str, ...], ...]
    """k for each position, as the vocabulary spells them."""
    probabilities: Floats
    """(n, k); of all the vocabulary they sum to 1."""


class Trace:
    """What a run of a model gives. In an encoder–decoder all but what is said otherwise is the decoder's.

    Parameters
    ----------
    run : TransformerRun
        What was computed.
    tokens, context_tokens : tuple of str
        Of the queries, and of the text that an encoder read.
    tokeniser : Tokeniser
        Of the model.
    """

    def __init__(
        self, run: TransformerRun, tokens: tuple[str, ...], context_tokens: tuple[str, ...], tokeniser: Tokeniser
    ) -> None:
        self.run, self._tokeniser = run, tokeniser
        self.tokens, self.context_tokens = tokens, context_tokens

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the tokens; in an encoder–decoder those of the decoder."""
        given, target = self.run.inputs
        return tuple((given if target is None else target).ids.tolist())

    def __repr__(self) -> str:
        heads = self.weights[0].shape[0]
        return f"Trace({len(self.tokens)} tokens, {len(self.weights)} layers, {heads} heads)"

    @property
    def weights(self) -> Maps:
        """The self-attention of each layer, (heads, n, n); computed again where there was no room to keep it."""
        return self.run.main.weights

    @property
    def encoder_weights(self) -> Maps | None:
        """The self-attention of the encoder; None in a model of one tower."""
        return None if self.run.encoder is None else self.run.encoder.weights

    @property
    def cross_weights(self) -> Maps | None:
        """What the decoder attends to in the encoder, (heads, n, m) by layer; None in a model of one tower."""
        return None if self.run.encoder is None else self.run.main.cross_weights

    @property
    def hidden(self) -> tuple[Floats, ...]:
        """What enters each layer, (n, d_model), and last what leaves the tower, after its last norm."""
        return self.run.main.hidden

    @property
    def encoder_hidden(self) -> tuple[Floats, ...] | None:
        """The same of the encoder; None in a model of one tower."""
        return None if self.run.encoder is None else self.run.encoder.hidden

    @cached_property
    def logits(self) -> Floats | None:
        """The numbers of the vocabulary at each position, (n, vocabulary); None if the file has no head for them."""
        return self.run.logits()

    def layer(self, place: int, *, encoder: bool = False) -> LayerRun:
        """Run one layer again, for everything that it computes: q, k, v, mixtures, the network.

        Parameters
        ----------
        place : int
            Which one, from 0.
        encoder : bool
            Whether it is one of the encoder.

        Raises
        ------
        ArrayError
            If there is none.
        """
        tower = self.run.encoder if encoder else self.run.main
        if tower is None or not 0 <= place < len(tower.weights):
            raise ArrayError(f"there is no layer {place}{' of an encoder' if encoder else ''}: layers count from 0")
        return tower.layer(place)

    def part(self, where: str, layer: int, kind: str = SELF) -> Floats:
        """Return what a layer computed of a part that `Change` names: see there.

        Returns
        -------
        ndarray
            (heads, n, d) of heads, keys and values too; of scores and weights (heads, n_q, n_k); else (n, d_model).

        Raises
        ------
        ArrayError
            If there is no such part, tower or layer.
        """
        return self.run.part(where, layer, kind)

    def top(self, k: int = 5) -> TopTokens:
        """Return the k most probable tokens at every position: those that come next, or fill a masked place.

        Raises
        ------
        ArrayError
            If k is less than 1.
        ExplorerError
            If the model has no head, and so predicts nothing.
        """
        if self.logits is None:
            raise ExplorerError("The file holds no head, so the model predicts no tokens.")
        count = min(size_from(1, "k", k), self.logits.shape[1])
        some = np.argpartition(-self.logits, count - 1, axis=1)[:, :count]
        order = np.argsort(-np.take_along_axis(self.logits, some, 1), axis=1, kind="stable")
        ids = np.take_along_axis(some, order, 1)
        probabilities = np.stack([softmax(row)[best] for row, best in zip(self.logits, ids, strict=True)])
        tokens = tuple(tuple(self._tokeniser.token(each) for each in row) for row in ids.tolist())
        return TopTokens(ids, tokens, probabilities)
