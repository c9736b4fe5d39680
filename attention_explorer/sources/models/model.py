"""A model that was opened: text or ids go in, and what every layer computed comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np

from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.dropout import Dropout
from attention_explorer.model.scalars import size_from
from attention_explorer.model.transformer import (
    AS_TRAINED,
    Change,
    Inputs,
    Softmax,
    Stack,
    Transformer,
    TransformerRun,
    Twin,
    Writer,
    bare,
    together,
)
from attention_explorer.model.transformer.embedding import Ids
from attention_explorer.sources.circuits.asked import Circuits
from attention_explorer.sources.models.generated import Drawing, Written, written_ids
from attention_explorer.sources.models.names import model_name
from attention_explorer.sources.models.pooling import MODULES, POOLINGS
from attention_explorer.sources.models.tokeniser import Tokeniser, Tokens
from attention_explorer.sources.models.trace import Trace
from attention_explorer.sources.recorded.pieces import readable_piece

Text = str | tuple[str, str]
"""A text, or a pair of texts."""
FULL = "The text is as long as the model can read."
TINY = 1e-30
"""No length is divided by less."""
Given = Text | Tokens | Sequence[int] | Ids
"""What a model takes."""
Many = list[str] | list[tuple[str, str]] | list[Tokens] | list[list[int]] | list[Ids]
"""Several at once."""


class Model(Circuits):
    """A transformer with its tokeniser. All threads may use it.

    Parameters
    ----------
    path : Path
        The folder or file it was opened from.
    family : str
        What its configuration calls it: "bert".
    transformer : Transformer
        Its layers, read when they are run.
    tokeniser : Tokeniser
        Of its folder or file.
    start : int, optional
        The id that a decoder begins with that looks at an encoder.
    pooling : callable
        Says how one vector is made of a sentence, as `pooling_of`.
    room : int
        Bytes of attention that a trace keeps.
    notes : tuple of str
        What of the file is otherwise than its configuration says, a sentence each.
    dropout : Dropout, optional
        What each step of its training left out, as its configuration says.
    """

    def __init__(
        self,
        path: Path,
        family: str,
        transformer: Transformer,
        tokeniser: Tokeniser,
        start: int | None,
        room: int,
        pooling: Callable[[], str] = str,
        notes: tuple[str, ...] = (),
        dropout: Dropout | None = None,
    ) -> None:
        self.path, self.family, self.transformer = path, family, transformer
        self.name = model_name(path)
        """What people call it."""
        self.notes = notes
        """What of the file is otherwise than its configuration says, a sentence each."""
        self.dropout = dropout
        """What each step of its training left out of a layer; None where nothing was, or it does not say."""
        self._tokeniser, self._start, self._room, self._pooling = tokeniser, start, room, pooling

    def __repr__(self) -> str:
        main, encoder = self.transformer.main, self.transformer.encoder
        towers = f"{len(main.layers)} layers, {main.spec.heads} heads"
        if encoder is not None:
            towers = f"{len(encoder.layers)} + {towers}"
        noted = ", see .notes" if self.notes else ""
        return f"Model({self.path.name!r}, {self.family}, {towers}{noted})"

    def token(self, index: int) -> str:
        """Return how the vocabulary spells an id."""
        return self._tokeniser.token(index)

    def label(self, token: str) -> str:
        """Return a token as it is drawn: see `readable_piece`."""
        return readable_piece(token, of_bytes=self._tokeniser.cuts_bytes)

    def text_after(self, ids: tuple[int, ...], new: tuple[int, ...]) -> str:
        """Return what tokens write after others: see `Tokeniser.text_after`."""
        return self._tokeniser.text_after(ids, new)

    def followed(self, tokens: Tokens, ids: tuple[int, ...]) -> Tokens:
        """Return tokens of the main tower with more after them.

        Raises
        ------
        ExplorerError
            If there is no room for these: `FULL`.
        """
        if len(tokens) + len(ids) > self._longest(self.transformer.main):
            raise ExplorerError(FULL)
        return tokens.followed_by(ids, self._tokeniser)

    @property
    def mask(self) -> str:
        """How a masked word is written: "[MASK]"; empty where there is none."""
        return self._tokeniser.mask()

    @cached_property
    def pooling(self) -> str:
        """How one vector is made of a sentence: "mean", "cls" or "max"; empty if it is no sentence model.

        Raises
        ------
        FileError
            If it is one, but of a kind that is not known.
        """
        return self._pooling()

    def embed(self, text: Text) -> Floats:
        """Return the vector of a sentence, (d_model,), of length 1, as the files of a sentence model say.

        Raises
        ------
        ExplorerError
            If it is no sentence model; else as `__call__`.
        """
        if not self.pooling:
            raise ExplorerError(f"“{self.name}” is no sentence model: beside it lies no {MODULES} that says so.")
        given, _ = self.taken(text)
        found = POOLINGS[self.pooling](self.run(given, None, room=0).main.hidden[-1])
        return found / max(float(np.linalg.norm(found)), TINY)

    def tokenize(self, text: Text) -> Tokens:
        """Cut a text, or a pair of texts, into tokens, with the special tokens that belong to the model.

        Raises
        ------
        ExplorerError
            If the tokeniser is missing or does not fit the model, or the text is too long.
        """
        return self._tokeniser(text, self._entrance.spec.vocabulary)

    @overload
    def __call__(
        self,
        text: Given,
        target: Given | None = None,
        off: object = (),
        masks: object = None,
        *,
        patterns: object = None,
        changes: Iterable[Change] = (),
        since: Trace | None = None,
    ) -> Trace: ...

    @overload
    def __call__(
        self,
        text: Many,
        target: Given | Many | None = None,
        off: object = (),
        masks: object = None,
        *,
        patterns: object = None,
        changes: Iterable[Change] = (),
    ) -> list[Trace]: ...

    def __call__(
        self,
        text: Given | Many,
        target: Given | Many | None = None,
        off: object = (),
        masks: object = None,
        *,
        patterns: object = None,
        changes: Iterable[Change] = (),
        since: Trace | None = None,
    ) -> Trace | list[Trace]:
        """Run the model.

        Parameters
        ----------
        text : str, (str, str), sequence of int, or Tokens; or a list of these
            A text or a pair of texts, which get the special tokens of the tokeniser; or ids, taken as they are. A list
            of several is run at once, and gives a list.
        target : as text, optional
            What the decoder of an encoder–decoder is given. Text gets the token before it that decoders begin with;
            without a target that token stands alone. For a list of texts a list of as many, or one for all.
        off : iterable of (layer, head)
            Heads whose output is 0, counted from 0. In an encoder–decoder these are heads of the decoder's
            self-attention; ("encoder", layer, head) and ("cross", layer, head) are others.
        masks : mapping or array_like of bool, optional
            True where a query may attend, (n_q, n_k), by (layer, head) or by layer; or one array that broadcasts to
            (layers, heads, n_q, n_k). What the model hides itself stays hidden.
        patterns : mapping, optional
            Weights, (n_q, n_k), by (layer, head), that take the place of those of the head.
        changes : list of Change
            All else that is changed, one after the other: see `Change`. One that changes nothing is refused.
        since : Trace, optional
            An unchanged run of the same text: what lies before the first change is taken from it.

        Returns
        -------
        Trace, or a list of them

        Raises
        ------
        ArrayError
            If an id is none of the vocabulary, the text is too long, or something does not fit the model.
        FileError
            If weights cannot be read or are not finite.
        """
        given: dict[str, Any] = {"off": off, "masks": masks, "patterns": patterns, "changes": self.with_means(changes)}
        if _is_many(text):
            if since is not None:
                raise ArrayError("since is of one text, and several are given: leave it out")
            traces = [self.lazily(*each, **given) for each in _paired(text, target)]
            together(trace.run for trace in traces)
            return traces
        taken = self.taken(text, target)  # type: ignore[arg-type] # is one
        trace = self.traced(*taken, self.run(*taken, since=None if since is None else since.run, **given))
        trace.asked_of = (self.path, text) if isinstance(text, str) and target is None else None
        return trace

    def lazily(self, text: Given, target: Given | None = None, **given: Any) -> Trace:  # noqa: ANN401 - those of run
        """Return a trace of which layers are run when they are looked at; arguments are those of `run`."""
        taken = self.taken(text, target)
        return self.traced(*taken, self.run(*taken, **{"lazily": True, **given}))

    def traced(self, given: Tokens, aim: Tokens | None, run: TransformerRun) -> Trace:
        """Return what a run on tokens gives, with their names."""
        return Trace(run, given.tokens if aim is None else aim.tokens, given.tokens, self._tokeniser)

    def with_means(self, changes: Iterable[Change]) -> list[Change]:
        """Run the texts over which changes take a mean.

        Raises
        ------
        ArrayError
            As for a call; or if the changes are no list.
        """
        if not isinstance(changes, list | tuple):
            raise ArrayError(f"changes must be a list of Change(where, layer, …), not {changes!r:.60}")
        return [self._with_mean(each) if isinstance(each, Change) else each for each in changes]

    def _with_mean(self, change: Change) -> Change:
        if change.texts is None:
            return change
        if isinstance(change.texts, str) or not isinstance(change.texts, Sequence):
            raise ArrayError(f"{change}: texts must be a list of texts, not {change.texts!r:.40}")
        texts = [each if isinstance(each, Twin) else self(each) for each in change.texts]
        return replace(change, texts=texts)

    def generate(
        self,
        text: Given,
        tokens: int = 20,
        target: Given | None = None,
        *,
        temperature: float = 0.0,
        top_k: int = 50,
        seed: int = 0,
        changes: Iterable[Change] = (),
    ) -> Written:
        """Let a decoder write on. Keys and values of the tokens before are kept, so that each new one is run alone.

        Parameters
        ----------
        text, target
            As for a call; of an encoder–decoder it is the target that is written on.
        tokens : int
            How many to write, fewer if one of them ends the text.
        temperature : float
            At 0 each token is the most probable one; above, it is drawn from softmax(logits ÷ temperature).
        top_k : int
            From how many of the most probable tokens is drawn.
        seed : int
            Of what is drawn.
        changes : list of Change
            What is changed at every token: of all positions, and neither scores nor weights, for the text grows.

        Returns
        -------
        Written
            The text, and ids, tokens and their probabilities.

        Raises
        ------
        ArrayError
            If there is no room for so many tokens, a change does not fit, or a number is not what it should be.
        ExplorerError
            If the model is no decoder, or has no head.
        """
        given, aim = self.taken(text, target)
        before, count = given if aim is None else aim, size_from(0, "tokens", tokens)
        self._check_length("the text with what is written", len(before) + count, self.transformer.main)
        how = Drawing(temperature, top_k, seed).checked()
        writer = Writer(
            self.transformer, _inputs(given), None if aim is None else _inputs(aim), self.with_means(changes)
        )
        ids, probabilities = written_ids(writer, count, self._tokeniser.end, how, len(before))
        return Written(self._written(before.ids, ids), ids, Tokens.of_ids(ids, self._tokeniser).tokens, probabilities)

    def _written(self, before: tuple[int, ...], ids: tuple[int, ...]) -> str:
        """Return what ids write after others; empty where nothing can tell, as in a model without its tokeniser."""
        shown = ids[:-1] if ids and ids[-1] == self._tokeniser.end else ids
        with suppress(ExplorerError):
            return self._tokeniser.text_after(before, shown) if shown else ""
        return ""

    def taken(self, text: Given, target: Given | None = None) -> tuple[Tokens, Tokens | None]:
        """Take what a model is given, as `__call__`: the tokens of the text, and those that a decoder begins with."""
        return self._taken("text", text, self._entrance), self._target(target)

    def run(
        self,
        given: Tokens,
        target: Tokens | None,
        *,
        changes: Iterable[Change] = (),
        off: object = (),
        masks: object = None,
        patterns: object = None,
        softmax: Softmax = AS_TRAINED,
        dropout: Dropout | None = None,
        biases: bool = True,
        gains: bool = True,
        since: TransformerRun | None = None,
        room: int | None = None,
        lazily: bool = False,
        insists: bool = True,
    ) -> TransformerRun:
        """Run the model on tokens that were taken; as `Transformer.run`, with the model's own room if none is given.

        Without its ``biases`` or ``gains`` it is another model: see `bare`.
        """
        return bare(self.transformer, biases=biases, gains=gains).run(
            _inputs(given),
            None if target is None else _inputs(target),
            changes=changes,
            off=off,
            masks=masks,
            patterns=patterns,
            softmax=softmax,
            dropout=dropout,
            since=since,
            room=self._room if room is None else room,
            lazily=lazily,
            insists=insists,
        )

    @property
    def _entrance(self) -> Stack:
        """The tower that reads the text."""
        return self.transformer.encoder or self.transformer.main

    def _target(self, target: Given | None) -> Tokens | None:
        if self.transformer.encoder is None:
            if target is not None:
                raise ArrayError(f"target is for an encoder and decoder, but {self.family} is a single tower")
            return None
        if self._start is None:
            raise ExplorerError(f"“{self.path}” does not say with which token its decoder begins: give target as ids.")
        if target is None:
            return self._taken("target", (self._start,), self.transformer.main)
        if isinstance(target, str):
            target = self._tokeniser.written(target, self.transformer.main.spec.vocabulary)
            target = target.begun_with(self._start, self._tokeniser)
        return self._taken("target", target, self.transformer.main)

    def _taken(self, name: str, given: Given, stack: Stack) -> Tokens:
        """Return what was given as tokens that the tower can take."""
        if isinstance(given, str) or (isinstance(given, tuple) and given and isinstance(given[0], str)):
            tokens = self.tokenize(given)
        elif isinstance(given, Tokens):
            _checked_ids(name, given.ids, stack.spec.vocabulary)
            tokens = given
        else:
            tokens = Tokens.of_ids(_checked_ids(name, given, stack.spec.vocabulary), self._tokeniser)
        self._check_length(name, len(tokens.ids), stack)
        return tokens

    def _check_length(self, name: str, n: int, stack: Stack) -> None:
        """Refuse what would not fit: more tokens than positions, or than one layer's weights have room for."""
        if not n:
            raise ArrayError(f"{name} has no tokens: give at least one")
        longest = self._longest(stack)
        if n > longest:
            why = (
                "there are no more positions" if longest == stack.embedding.longest else "more would not fit in memory"
            )
            raise ArrayError(f"{name} has {n} tokens, but this model takes at most {longest}, as {why}: shorten it")

    def _longest(self, stack: Stack) -> int:
        by_memory = int((self._room / (4 * stack.spec.heads)) ** 0.5)
        return min(by_memory, stack.embedding.longest or by_memory)


def _is_many(given: object) -> bool:
    """Whether several texts are given; a list of numbers is one."""
    return isinstance(given, list) and any(isinstance(each, str | tuple | list | Tokens | np.ndarray) for each in given)


def _paired(texts: Any, targets: Any) -> list[tuple[Given, Given | None]]:  # noqa: ANN401 - whatever people give
    """Return each text with its target."""
    if not _is_many(targets):
        return [(text, targets) for text in texts]
    if len(targets) != len(texts):
        raise ArrayError(f"there are {len(texts)} texts, but {len(targets)} targets: give one for each, or one for all")
    return list(zip(texts, targets, strict=True))


def _inputs(tokens: Tokens) -> Inputs:
    types = np.array(tokens.type_ids) if any(tokens.type_ids) else None
    return Inputs(np.array(tokens.ids), types)


def _checked_ids(name: str, given: Any, vocabulary: int) -> tuple[int, ...]:  # noqa: ANN401 - whatever people give
    try:
        ids = np.asarray(given)
    except ValueError:
        ids = np.array(None)
    if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
        raise ArrayError(f"{name} must be a text, a pair of texts or one row of ids, not {given!r:.60}")
    if ids.size and not (ids.min() >= 0 and ids.max() < vocabulary):
        wrong = next(int(each) for each in ids if not 0 <= each < vocabulary)
        raise ArrayError(f"{name} has the id {wrong}, but the model knows those from 0 to {vocabulary - 1}")
    return tuple(int(each) for each in ids)
