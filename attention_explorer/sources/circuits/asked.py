"""What can be asked of a model: questions of its heads, each answered by running it or by its weights."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.transformer import CROSS, ENCODER, SELF, Head, HeadWeights, Transformer, head_weights
from attention_explorer.sources.circuits.composition import Composition, check_layers, composition
from attention_explorer.sources.circuits.copying import Copying, copying
from attention_explorer.sources.circuits.detect import Detected, detect
from attention_explorer.sources.circuits.effects import knock_out, patch
from attention_explorer.sources.circuits.find import Finding, finding, found_at
from attention_explorer.sources.circuits.metric import LOSS, Asked
from attention_explorer.sources.circuits.result import Result, fields_of, is_pair, shown_as
from attention_explorer.sources.circuits.survey import MOST, Survey, survey

if TYPE_CHECKING:
    from attention_explorer.sources.models.model import Given, Text
    from attention_explorer.sources.models.tokeniser import Tokens
    from attention_explorer.sources.models.trace import Trace


SHOWN_PARTS = ("residual", "attention", "network", "head")
"""What the window puts into a twin."""


class Circuits:
    """A model of which circuits are asked."""

    transformer: Transformer
    path: Path

    if TYPE_CHECKING:  # what runs it has these

        def __call__(self, text: Given, target: Given | None = None) -> Trace:
            """Run it."""

        def lazily(self, text: Given, target: Given | None = None) -> Trace:
            """Run it when its layers are looked at."""

        def tokenize(self, text: Text) -> Tokens:
            """Cut a text."""

    @property
    def final_norm(self) -> Callable[[Floats], Floats]:
        """What normalises the last hidden states, (…, d_model); what leaves them as they are where no norm does."""
        norm = self.transformer.main.final_norm
        return (lambda rows: rows) if norm is None else norm

    @property
    def unembed(self) -> Head:
        """What makes logits of normalised hidden states when it is called; its matrix is ``.decode.weight``.

        Raises
        ------
        ExplorerError
            If the file holds none.
        """
        if self.transformer.head is None:
            raise ExplorerError("The file holds no head, so the model predicts no words.")
        return self.transformer.head()

    def weights(self, layer: int, head: int, *, folded: bool = False, kind: str = SELF) -> HeadWeights:
        """Return the matrices of a head: W_Q, W_K, W_V, (d_model, d), and W_O, (d, d_model).

        Parameters
        ----------
        layer, head : int
            From 0; heads that share keys and values have the same of these.
        folded : bool
            Whether gain and bias of the norm before are part of them.
        kind : str
            "self"; in a model of two towers that is the decoder, and "encoder" and "cross" are the others.

        Returns
        -------
        HeadWeights

        Raises
        ------
        ArrayError
            If there is no such head.
        """
        stack = self.transformer.encoder if kind == ENCODER else self.transformer.main
        if stack is None or not (0 <= layer < len(stack.layers) and 0 <= head < stack.spec.heads):
            raise ArrayError(f"there is no head {head} in layer {layer} of the kind “{kind}”: both count from 0")
        part = stack.layers[layer].cross if kind == CROSS else stack.layers[layer].attention
        if part is None or kind not in (SELF, ENCODER, CROSS):
            raise ArrayError(f"the model has no attention of the kind “{kind}”")
        return head_weights(part, head, folded=folded, of_context=kind == CROSS)

    def detect(self, texts: Sequence[Given] | None = None, seed: int = 0, kind: str = SELF) -> Detected:
        """Score all heads by where they look: who looks like what.

        Parameters
        ----------
        texts : sequence of text, optional
            For the scores of previous, next, self, earlier and sink; the random ones if not given.
        seed : int
            Of four random texts, each of up to 40 tokens said twice.
        kind : str
            "self", or "encoder" in a model of two towers.

        Returns
        -------
        Detected
            (layers, heads) each: previous, next, self_, earlier, sink, duplicate, induction; ``even`` is what even
            weights would give, and ``named`` are the heads that exceed it by 0.3 or more.

        Raises
        ------
        ArrayError
            As for a call.

        Notes
        -----
        A pattern is not a function: `knock_out` says what breaks without a head.
        """
        found = detect(self, texts, seed, kind)
        is_asked = texts is None and kind == SELF
        return shown_as(found, self.path, "" if is_asked else None, view="looks", seed=seed)

    def knock_out(
        self,
        text: Given,
        metric: Asked,
        heads: Iterable[tuple[int, int]] | None = None,
        by: str = "zero",
        **options: Any,  # noqa: ANN401 - those of knock_out
    ) -> Result:
        """Switch heads off one by one, and measure what breaks.

        Parameters
        ----------
        text : as for a call
            The text.
        metric : str, int, (word, word), "loss" or a list of positions
            A word, whose log probability in nats is meant; a pair, of which the logit of the first less that of the
            second is; or the loss, the mean of −log p of the tokens at these positions, or of all but the first.
        heads : iterable of (layer, head), optional
            Which ones; all if not given.
        by : str
            "zero", or "mean": the head's mean over all tokens of ``texts``, or of the text itself.
        **options
            ``texts``; ``target`` of an encoder–decoder, and ``kind`` of its heads; ``position`` at which a word is
            asked, the last one if not given.

        Returns
        -------
        Result, (layers, heads)
            By how much the metric rises without the head; NaN of those that were not asked.

        Raises
        ------
        ArrayError
            If a head or word is none, or a text does not fit the model.
        ExplorerError
            If the model has no head for words.
        """
        found = knock_out(self, text, metric, heads, by, **options)
        if by != "zero" or options.keys() - {"position"} or (metric != LOSS and not is_pair(metric)):
            return found
        return shown_as(found, self.path, text, view="breaks", **fields_of(metric, options))

    def patch(
        self,
        text: Given,
        twin: Given,
        metric: Asked,
        where: str = "residual",
        **options: Any,  # noqa: ANN401 - those of patch
    ) -> Result:
        """Run a twin with values of the text put in, one place after the other: where is it decided.

        Parameters
        ----------
        text, twin : as for a call
            Of as many tokens.
        metric : str, int, (word, word), "loss" or a list of positions
            As for `knock_out`, of the text's tokens.
        where : str
            "residual", "around attention", "between", "around network", "after", "attention" or "network", by layer and
            position; or "head", "q", "k", "v", "scores" or "weights", by layer and head, all positions at once.
        **options
            ``target``, ``twin_target``, ``kind`` and ``position`` as for `knock_out`.

        Returns
        -------
        Result, (layers, tokens) or (layers, heads)
            0 is the twin's answer, 1 the text's.

        Raises
        ------
        ArrayError
            If the two have not as many tokens, or give the same answer; else as for `knock_out`.
        ExplorerError
            If the model has no head for words.

        Notes
        -----
        Meng et al. 2022; Wang et al. 2022.
        """
        found = patch(self, text, twin, metric, where, **options)
        if options.keys() - {"position"} or where not in SHOWN_PARTS or not (is_pair(metric) and isinstance(twin, str)):
            return found
        return shown_as(found, self.path, text, view="twins", twin=twin, put_in=where, **fields_of(metric, options))

    def composition(self) -> Composition:
        """Compare what each head writes with what each later head reads, by the weights alone.

        Returns
        -------
        Composition
            ``q``, ``k`` and ``v``, (layers, heads, layers, heads), who writes first; 0 is as random heads have it.

        Raises
        ------
        ExplorerError
            If there is one layer alone.

        Notes
        -----
        Elhage et al. 2021, “Composition”; gains of norms before the reader are folded in. Weights know nothing of how
        norms scale, of rotary positions, nor of what networks do between.
        """
        return shown_as(composition(self), self.path, "", view="reads")

    def copying(self, words: int = 512, seed: int = 0) -> Copying:
        """Ask of which heads the values raise, or lower, the very word that they look at.

        Parameters
        ----------
        words : int
            How many words are drawn, among which the order is.
        seed : int
            Of the draw.

        Returns
        -------
        Copying
            ``copies`` and ``suppresses``, (layers, heads): the share of words that are among the first, or last, five
            of norm(x) W_V W_O W_U, with x the word alone after the first layer.

        Raises
        ------
        ExplorerError
            If the model is no decoder, or has no head for words.

        Notes
        -----
        Wang et al. 2022, appendix; with bare embeddings the heads of trained models that copy do not show.
        """
        return copying(self, words, seed)

    def find_circuit(self, seed: int = 0, *, whole: bool = False) -> Finding:
        """Find the circuit that copies: which heads look back, which copy, and what breaks without them.

        Parameters
        ----------
        seed : int
            Of a random text that is said twice.
        whole : bool
            Whether every head is switched off; else those that are named, and ten others.

        Returns
        -------
        Finding
            ``previous``, ``induction`` and ``loss``, (layers, heads); ``joined``; ``back``, ``copy``, ``idle`` and
            ``others``, heads as (layer, head); and losses: ``all_on``, ``first``, ``without_back``, ``without_copy``.

        Raises
        ------
        ExplorerError
            If the model has one layer alone, foretells no tokens, or has no head for words.

        Notes
        -----
        Elhage et al. 2021; Olsson et al. 2022.
        """
        check_layers(self)
        return shown_as(found_at(finding(self, seed), whole=whole), self.path, "", view="found", seed=seed)

    def survey(
        self,
        path: str | os.PathLike[str],
        most: int = MOST,
        *,
        save: str | os.PathLike[str] | None = None,
        kind: str = SELF,
    ) -> Survey:
        """Look at what heads do over many texts, the lines of a file.

        Parameters
        ----------
        path : str or path
            A text in UTF-8, one text a line.
        most : int
            How many lines are read at most.
        save : str or path, optional
            An .npz file into which the sums go on the way: if it is there, the survey goes on where it stopped.
        kind : str
            As for `detect`.

        Returns
        -------
        Survey
            ``mean`` and ``spread``, (measures, layers, heads): previous, next, self_, earlier and sink as of `detect`,
            entropy in bits, and distance in tokens.

        Raises
        ------
        ExplorerError
            If a file cannot be read, or holds something else.

        Notes
        -----
        Clark et al. 2019, section 3.
        """
        return survey(self, Path(path), most, None if save is None else Path(save), kind)
