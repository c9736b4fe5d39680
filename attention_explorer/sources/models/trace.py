"""What a run of a model gives."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.scalars import size_from
from attention_explorer.model.softmax import softmax
from attention_explorer.model.transformer import SELF, LayerRun, TransformerRun, surprise
from attention_explorer.model.transformer.changes import HEAD
from attention_explorer.model.transformer.stack import Maps
from attention_explorer.sources.circuits.lens import Lens, lens
from attention_explorer.sources.circuits.metric import Asked, Word, head_of, metric_of
from attention_explorer.sources.circuits.result import R, Result, fields_of, is_pair, shown_as
from attention_explorer.sources.circuits.split import Contributions, Writers, contributions, writers
from attention_explorer.sources.circuits.words import TowersGradients, Words, gradients, words
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
        self.asked_of: tuple[Path, str] | None = None
        """The model and the text, if it is a text that the window can ask of; see `open` of results."""
        self.tokens, self.context_tokens = tokens, context_tokens

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the tokens; in an encoder–decoder those of the decoder."""
        given, target = self.run.inputs
        return tuple((given if target is None else target).ids.tolist())

    @property
    def context_ids(self) -> tuple[int, ...]:
        """Those of the text that an encoder read, or of the only tower."""
        return tuple(self.run.inputs[0].ids.tolist())

    @property
    def mask(self) -> str:
        """How the vocabulary spells a masked word; empty where it has none, or nothing can tell."""
        with suppress(ExplorerError):
            return self._tokeniser.mask()
        return ""

    def token(self, index: int) -> str:
        """Return how the vocabulary spells an id."""
        return self._tokeniser.token(index)

    def pieces(self, text: str) -> tuple[int, ...]:
        """Return the ids of a text without any special tokens: see `Tokeniser.pieces`."""
        return self._tokeniser.pieces(text)

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

    @property
    def surprise(self) -> Result:
        """How little each token was expected from those before it, −log₂ p in bits, (n,); NaN for the first.

        Raises
        ------
        ExplorerError
            If the model has no head, or sees the tokens that it would foretell.
        """
        head = head_of(self)()
        if not self.run.main.stack.spec.is_causal:
            raise ExplorerError("This model sees the tokens that it would foretell, so that none surprises it.")
        return Result(surprise(head, self.run.main.hidden[-1], self.ids), ("token",), {"token": self.tokens})

    # ---- Circuits ----

    @property
    def residual(self) -> Result:
        """What enters each layer, and what leaves the last, before the last norm, (layers + 1, n, d_model)."""
        run = self.run.main
        rows = [*run.hidden[:-1], run.layer(run.count - 1).output]
        return Result(np.stack(rows), ("layer", "token", "feature"), {"token": self.tokens})

    def heads(self, layer: int) -> Result:
        """Return what each head of a layer writes, (heads, n, d_model): its mixture times its part of W_O.

        With the bias of W_O, if there is one, they sum to what the attention writes.

        Raises
        ------
        ArrayError
            If there is no such layer.
        """
        mixed = self.part(HEAD, layer)
        matrix = self.run.main.stack.layers[layer].attention.output.weight
        wrote = mixed @ matrix.reshape(len(mixed), -1, matrix.shape[1])
        return Result(wrote, ("head", "token", "feature"), {"token": self.tokens})

    def lens(self, position: int = -1) -> Lens:
        """Look at the residual of a position through the last norm and matrix, before the first layer and after each.

        Parameters
        ----------
        position : int
            Of which token; the last, or in a model that fills in words the masked one, if there is one.

        Returns
        -------
        Lens
            Probability and rank of any word by layer; the last is what the model itself says.

        Raises
        ------
        ArrayError
            If there is no such position.
        ExplorerError
            If the model has no head.

        Notes
        -----
        nostalgebraist 2020 (the logit lens). What is read off lower layers was never meant to be read so.
        """
        return self._shown(lens(self, position), "decided", position=position)

    def contributions(self, answer: Word, against: Word | None = None, position: int = -1) -> Contributions:
        """Split the logit of a word, less that of another, into what each head and network wrote of it.

        Parameters
        ----------
        answer, against : str or int
            Words of one token, or ids.
        position : int
            As for `lens`.

        Returns
        -------
        Contributions
            ``heads`` (layers, heads), ``networks`` (layers,), ``embedding`` and ``rest``, which sum to the difference
            of logits, before these are capped. Norms divide by what they divided by in this run.

        Raises
        ------
        ArrayError
            If a word is not one token, there is no such position, or the run was changed.
        ExplorerError
            If the model has no head, or one with a network of its own, through which nothing sums.

        Notes
        -----
        Elhage et al. 2021 (direct logit attribution). What a part wrote straight to the answer, not what it does for it
        through later parts: `Model.knock_out` measures both.
        """
        return self._shown_for(contributions(self, answer, against, position), "writes", answer, against, position)

    def writers(self, layer: int, head: int, query: int, key: int) -> Writers:
        """Split a score q · k · scale of a head into what earlier heads, networks and the embedding wrote of it.

        Parameters
        ----------
        layer, head : int
            Whose score, from 0.
        query, key : int
            Of which tokens.

        Returns
        -------
        Writers
            ``key`` and ``query``, each of which sums to the score, before it is capped and biases of positions are
            added. Norms divide by what they divided by in this run.

        Raises
        ------
        ArrayError
            If there is no such head or token, or the run was changed.
        ExplorerError
            If queries and keys are normalised over all heads together.
        """
        return writers(self, layer, head, query, key)

    def words(self, answer: Word, against: Word | None = None, position: int = -1) -> Words:
        """Ask which words made an answer: the gradient's estimate, and what is measured without each word's values.

        Parameters
        ----------
        answer, against : str or int
            A word, whose log probability is meant; or two, the difference of whose logits is.
        position : int
            As for `lens`.

        Returns
        -------
        Words
            ``estimate`` and ``measured``, (tokens,) each; of two towers the decoder's tokens, then the encoder's.

        Raises
        ------
        ArrayError
            If a word is not one token, there is no such position, or the run was changed.
        ExplorerError
            If the model has no head.

        Notes
        -----
        Gradient × input: Denil et al. 2014. Values set to zero: after Mohebbi et al. 2023, here of all layers at once
        and by the answer. The two differ where a softmax is saturated.
        """
        return self._shown_for(words(self, answer, against, position), "words", answer, against, position)

    def _shown(self, result: R, view: str, **fields: object) -> R:
        if self.asked_of is None or self.run.is_altered:
            return result
        path, text = self.asked_of
        return shown_as(result, path, text, view=view, **fields)

    def _shown_for(self, result: R, view: str, answer: Word, against: Word | None, position: int) -> R:
        """Have a result know where the window shows it, which asks for one word against another."""
        pair = answer, against
        return self._shown(result, view, **fields_of(pair, {"position": position})) if is_pair(pair) else result

    def gradients(self, metric: Asked, position: int = -1) -> TowersGradients:
        """Pull the gradient of a number back to all that was computed: residuals, q, k, v, scores, weights, heads.

        Parameters
        ----------
        metric : str, int, (word, word), "loss" or a list of positions
            As for `Model.knock_out`.
        position : int
            As for `lens`.

        Returns
        -------
        TowersGradients
            ``main`` and ``encoder``, each with a `LayerGradient` for each layer.

        Raises
        ------
        ArrayError, ExplorerError
            As for `words`.
        """
        return gradients(self, metric_of(self, metric, position))
