"""What of a run is measured: a word, one word against another, or how badly its tokens are foretold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_explorer.errors import ArrayError, ExplorerError, quoted
from attention_explorer.model.arrays import Floats
from attention_explorer.model.softmax import softmax
from attention_explorer.model.transformer import Head, TransformerRun, log_probabilities

if TYPE_CHECKING:
    from attention_explorer.sources.models.trace import Trace

LOSS = "loss"
Word = str | int
"""A word of the vocabulary, or its id."""
Asked = Word | tuple[Word, Word] | Sequence[int]
"""A word, a pair of words, or positions the loss at which is asked."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of a run.

    Attributes
    ----------
    words : tuple of int
        One id, whose log probability is meant, or two, the logit of the first less that of the second; or none.
    positions : tuple of int
        Where; of a loss those of the tokens that are foretold, each one position earlier.
    targets : tuple of int
        The ids at those positions, of a loss.
    """

    words: tuple[int, ...]
    positions: tuple[int, ...]
    targets: tuple[int, ...] = ()

    @property
    def rows(self) -> tuple[int, ...]:
        """Whose hidden states are needed."""
        return tuple(at - 1 for at in self.positions) if self.targets else self.positions

    def of_logits(self, logits: Floats) -> float:
        """Return the number, for logits of the rows, (rows, vocabulary)."""
        if len(self.words) == 2:
            first, second = logits[0, list(self.words)].astype(np.float64)
            return float(first - second)
        logs = log_probabilities(logits, self.targets or self.words)
        return float(-logs.mean() if self.targets else logs[0])

    def of(self, run: TransformerRun, head: Head) -> float:
        """Return the number of a run."""
        return self.of_logits(head(run.main.hidden[-1][list(self.rows)]))

    def slope(self, logits: Floats) -> Floats:
        """Return the derivative by the logits of the rows, (rows, vocabulary)."""
        d = np.zeros_like(logits)
        if len(self.words) == 2:
            d[0, self.words[0]], d[0, self.words[1]] = 1.0, -1.0
            return d
        probabilities = np.stack([softmax(row) for row in logits])
        d[np.arange(len(d)), list(self.targets or self.words)] = 1.0
        found: Floats = (probabilities - d) / len(d) if self.targets else d - probabilities
        return found


def metric_of(trace: Trace, asked: object, position: int = -1) -> Metric:
    """Take what is asked of a text.

    Parameters
    ----------
    trace : Trace
        A run of the text.
    asked : str, int, (word, word), "loss" or a list of positions
        A word, whose log probability in nats is meant; a pair, of which the logit of the first less that of the second
        is; or the loss, the mean of −log p of the tokens at these positions, or at all but the first, in nats.
    position : int
        At which position words are asked: the last, or in a model that fills in words the masked one, if there is one.

    Returns
    -------
    Metric

    Raises
    ------
    ArrayError
        If a word is no token of the vocabulary, or there is no such position.
    ExplorerError
        If the model has no head, or its tokens are not foretold.
    """
    head_of(trace)
    if isinstance(asked, str) and asked == LOSS:
        return _loss(trace, list(range(1, len(trace.ids))))
    if isinstance(asked, list | range | np.ndarray):
        return _loss(trace, asked)
    words = asked if isinstance(asked, tuple) else (asked,)
    if len(words) not in (1, 2):
        raise ArrayError(f"metric must be a word, a pair of words or a list of positions, not {asked!r:.60}")
    return Metric(tuple(word_id(trace, word) for word in words), (place_of(trace, position),))


def head_of(trace: Trace) -> Callable[[], Head]:
    """Return what fetches the head.

    Raises
    ------
    ExplorerError
        If there is none.
    """
    head = trace.run.transformer.head
    if head is None:
        raise ExplorerError("The file holds no head, so the model predicts no words: ask a model that does.")
    return head


def place_of(trace: Trace, position: int) -> int:
    """Return a position from 0; the last one is the masked one in a model that fills in words.

    Raises
    ------
    ArrayError
        If there is no such token.
    """
    n = len(trace.ids)
    if isinstance(position, bool) or not isinstance(position, int | np.integer) or not -n <= position < n:
        raise ArrayError(f"there is no position {position!r:.40}: the text has {n} tokens, from 0 to {n - 1}")
    if position == -1 and not trace.run.main.stack.spec.is_causal:
        masked = [place for place, token in enumerate(trace.tokens) if token and token == trace.mask]
        return masked[0] if masked else n - 1
    return int(position) % n


def word_id(trace: Trace, word: object) -> int:
    """Return the id of a word: that of a word with a space before it, where the vocabulary has both.

    Raises
    ------
    ArrayError
        If it is no id of the vocabulary, or not one token.
    """
    vocabulary = trace.run.main.stack.spec.vocabulary
    if isinstance(word, int | np.integer) and not isinstance(word, bool):
        if not 0 <= word < vocabulary:
            raise ArrayError(f"there is no id {word}: the model knows those from 0 to {vocabulary - 1}")
        return int(word)
    if not isinstance(word, str):
        raise ArrayError(f"a word must be a text or an id, not {word!r:.60}")
    found = [trace.pieces(text) for text in ([word] if word.startswith(" ") else [f" {word}", word])]
    one = next((ids[0] for ids in found if len(ids) == 1), None)
    if one is None or one >= vocabulary:
        raise ArrayError(
            f"{quoted(word)} is {len(found[-1])} tokens, and only one can be asked for: give its first token, or an id"
        )
    return one


def _loss(trace: Trace, positions: Iterable[Any]) -> Metric:
    if not trace.run.main.stack.spec.is_causal:
        raise ExplorerError("This model sees the tokens that it would foretell, so it has no loss: give a word.")
    n = len(trace.ids)
    found = []
    for each in positions:
        if isinstance(each, bool) or not isinstance(each, int | np.integer) or not -n < each < n or each == 0:
            raise ArrayError(f"there is no loss at position {each!r:.40}: positions go from 1 to {n - 1}")
        found.append(int(each) % n)
    if not found:
        raise ArrayError("there is no position whose loss could be taken: give some, from 1 on")
    return Metric((), tuple(found), tuple(trace.ids[at] for at in found))
