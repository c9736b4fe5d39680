"""One sentence in, an answer at some of its places: embedding, a stack of layers, read-out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.fields import CheckedFields
from attention_explorer.model.arrays import Floats
from attention_explorer.model.attention_layer import AttentionLayer
from attention_explorer.model.encoder_layer import EncoderLayer
from attention_explorer.model.head_axis import check_width
from attention_explorer.model.layer_stack import EncoderStack, StackTrace
from attention_explorer.model.learning.embedding import Embedding, Tokens
from attention_explorer.model.learning.gradients import Gradients, linear_gradient, stack_gradient
from attention_explorer.model.learning.network import (
    AS_LEARNED,
    Attended,
    Batch,
    Network,
    NetworkTrace,
    Scoring,
    drawn,
    drawn_attention,
    drawn_network,
    parts_of_head,
)
from attention_explorer.model.learning.parameters import Parameters, under
from attention_explorer.model.linear import linear
from attention_explorer.model.masks import causal_mask
from attention_explorer.model.multi_head import MultiHeadTrace
from attention_explorer.model.scalars import size_from
from attention_explorer.model.sublayer import NormPlacement

FIRST_STD = 0.35
"""Of the vectors that tokens and places begin with. With 1, far fewer seeds learn what carries over to sentences
that were not seen: of five that learned what "it" refers to, two."""


@dataclass(frozen=True, slots=True)
class SequenceSetting(CheckedFields):
    """All that decides a network but its learned numbers.

    Attributes
    ----------
    vocabulary, answers : int
        How many tokens there are, and how many possible answers.
    places : int
        The longest sentence.
    layers, heads, d_model, d_ff : int
        Sizes; heads must divide d_model; without hidden units a layer is its attention alone.
    causal : bool
        Whether no token sees a later one.
    hard : bool
        Whether the best key takes all.
    scaled : bool
        Whether scores are divided by √d_k.
    positions : bool
        Whether there is a learned vector for each place.
    residual : bool
        Whether each sublayer's output is added to what came into it.
    norm : NormPlacement
        Where layer norms stand.
    """

    vocabulary: int = 2
    answers: int = 2
    places: int = 1
    layers: int = 1
    heads: int = 1
    d_model: int = 32
    d_ff: int = 0
    causal: bool = False
    hard: bool = False
    scaled: bool = True
    positions: bool = True
    residual: bool = True
    norm: NormPlacement = NormPlacement.NONE
    _refusal = ArrayError

    @property
    def scale(self) -> float | None:
        """The factor of the scores, as attention takes it."""
        return None if self.scaled else 1.0

    def checked(self) -> SequenceSetting:
        """Return the setting itself, or refuse sizes of which no network can be made."""
        for name in ("vocabulary", "answers", "places", "heads", "d_model"):
            size_from(1, name, getattr(self, name))
        for name in ("layers", "d_ff"):
            size_from(0, name, getattr(self, name))
        check_width("d_model", self.d_model, self.heads)
        return self


class ReadOut(NamedTuple):
    """What was read, and what was made of it.

    Attributes
    ----------
    asked : ndarray of int, (asked,)
        The places that were read, counted through all sentences.
    rows : ndarray, (asked, d_model)
        What was there.
    logits : ndarray, (asked, answers)
        A score for each possible answer.
    """

    asked: Tokens
    rows: Floats
    logits: Floats


class _Inside(NamedTuple):
    tokens: Tokens
    stack: StackTrace
    read: ReadOut


class SequenceNetwork(Network):
    """A transformer over one sentence: an encoder, or with a causal mask what a GPT is.

    Parameters
    ----------
    setting : SequenceSetting
        Sizes and options.
    parameters : Parameters
        With the names of `first_parameters`.
    """

    def __init__(self, setting: SequenceSetting, parameters: Parameters) -> None:
        super().__init__(parameters)
        self.setting = setting.checked()
        given = parameters.arrays
        self.embedding = Embedding(given["w_e"], given.get("w_p"))
        self.stack = made_stack(setting, parameters.under("stack."))

    @staticmethod
    def first_parameters(setting: SequenceSetting, numbers: np.random.RandomState) -> dict[str, Floats]:
        """Draw the numbers to begin with.

        Parameters
        ----------
        setting : SequenceSetting
            Sizes and options.
        numbers : RandomState
            NumPy's legacy random numbers, whose stream never changes.

        Returns
        -------
        dict of str to ndarray
            w_e and, with positions, w_p; those of the stack under "stack."; w_out and b_out of the read-out.

        Raises
        ------
        ArrayError
            If a size is below 1, or the heads do not divide d_model.
        """
        setting.checked()
        width = setting.d_model
        found = first_embedding(setting, numbers) | first_stack(setting, numbers)
        return found | {"w_out": drawn(numbers, width, setting.answers), "b_out": np.zeros(setting.answers)}

    def __call__(self, batch: Batch, scoring: Scoring = AS_LEARNED) -> NetworkTrace:
        """Answer what a batch asks; see `Network`."""
        trace = run_stack(self.setting, self.stack, self.embedding(batch.tokens), scoring)
        read = read_out(self.parameters, trace.output, batch.asked)
        return NetworkTrace(read.logits, trace.weights, _Inside(batch.tokens, trace, read))

    def gradient(self, trace: NetworkTrace, d_logits: Floats) -> Gradients:
        """Differentiate by every parameter; see `Network`."""
        inside = cast("_Inside", trace.inside)
        by_output, found = read_out_gradient(self.parameters, inside.stack.output, inside.read, d_logits)
        by_stack = stack_gradient(self.stack, inside.stack, by_output)
        found |= {f"stack.{name}": gradient for name, gradient in by_stack.parameters.items()}
        return found | self.embedding.gradient(inside.tokens, by_stack.x)

    def attended(self, batch: Batch, scoring: Scoring) -> tuple[Attended, ...]:
        """Return what each layer compares; see `Network`."""
        trace = run_stack(self.setting, self.stack, self.embedding(batch.tokens), scoring)
        return attended(layer.attention.inside for layer in trace.layers)

    def over(self, parameters: Parameters) -> SequenceNetwork:
        """Return the same network over other parameters."""
        return SequenceNetwork(self.setting, parameters)

    def head_rows(self, layer: int, head: int) -> Floats:
        """Return the rows of w_o that a head owns."""
        return self.head_parts(layer, head)[-1]

    def head_parts(self, layer: int, head: int) -> tuple[Floats, ...]:
        """Return a head's own columns and rows; see `Network`."""
        return parts_of_head(self.parameters, f"stack.{layer}.", head, self.setting.heads)


def first_embedding(setting: SequenceSetting, numbers: np.random.RandomState) -> dict[str, Floats]:
    """Draw the vectors of tokens and places.

    Parameters
    ----------
    setting, numbers
        As for `SequenceNetwork.first_parameters`.

    Returns
    -------
    dict of str to ndarray
        w_e, and w_p if there are positions; N(0, `FIRST_STD`²) each.
    """
    found: dict[str, Floats] = {"w_e": FIRST_STD * numbers.randn(setting.vocabulary, setting.d_model)}
    if setting.positions:
        found["w_p"] = FIRST_STD * numbers.randn(setting.places, setting.d_model)
    return found


def first_stack(setting: SequenceSetting, numbers: np.random.RandomState) -> dict[str, Floats]:
    """Draw the layers of a stack.

    Parameters
    ----------
    setting, numbers
        As for `SequenceNetwork.first_parameters`.

    Returns
    -------
    dict of str to ndarray
        stack.0.w_q and so on; with norms gain1, bias1 and, with a feed-forward network, gain2, bias2 of each layer.
    """
    found: dict[str, Floats] = {}
    for layer in range(setting.layers):
        parts = drawn_attention(numbers, setting.d_model) | drawn_network(numbers, setting.d_model, setting.d_ff)
        if setting.norm is not NormPlacement.NONE:
            for number in (1, 2) if setting.d_ff else (1,):
                parts |= {f"gain{number}": np.ones(setting.d_model), f"bias{number}": np.zeros(setting.d_model)}
        found |= {f"stack.{layer}.{name}": array for name, array in parts.items()}
    return found


def made_stack(setting: SequenceSetting, arrays: Mapping[str, Floats]) -> EncoderStack:
    """Make the layers over parameters.

    Parameters
    ----------
    setting : SequenceSetting
        Sizes and options.
    arrays : mapping of str to ndarray
        0.w_q and so on: what `first_stack` drew, of which the layers are views.

    Returns
    -------
    EncoderStack
    """
    return EncoderStack(_made_layer(setting, under(f"{layer}.", arrays)) for layer in range(setting.layers))


def _made_layer(setting: SequenceSetting, arrays: dict[str, Floats]) -> EncoderLayer:
    empty = np.zeros((setting.d_model, 0), np.float32)
    given: dict[str, Any] = {**arrays} if setting.d_ff else {**arrays, "w1": empty, "w2": empty.T}
    layer = EncoderLayer(**given, heads=setting.heads, norm=setting.norm, residual=setting.residual)
    return layer if setting.d_ff else AttentionLayer(layer)


def run_stack(setting: SequenceSetting, stack: EncoderStack, x: Floats, scoring: Scoring = AS_LEARNED) -> StackTrace:
    """Send embedded sentences through a stack, as a setting says.

    Parameters
    ----------
    setting : SequenceSetting
        Mask, scale, and whether attention is hard.
    stack : EncoderStack
        The layers.
    x : ndarray, (batch, n, d_model)
        The sentences.
    scoring : Scoring
        What is to be otherwise.

    Returns
    -------
    StackTrace
    """
    mask = scoring.mask
    if setting.causal:
        own = causal_mask(x.shape[-2])
        mask = own if mask is None else own & mask
    scale, hard = (setting.scale if scoring.scale is None else scoring.scale), setting.hard or scoring.hard
    return stack(x, mask=mask, scale=scale, temperature=scoring.temperature, hard=hard)


def attended(layers: Iterable[MultiHeadTrace]) -> tuple[Attended, ...]:
    """Take what layers of attention compared.

    Parameters
    ----------
    layers : iterable of MultiHeadTrace
        One a layer.

    Returns
    -------
    tuple of Attended
    """
    return tuple(Attended(layer.q, layer.k, layer.v) for layer in layers)


def read_out(parameters: Parameters, output: Floats, asked: Tokens) -> ReadOut:
    """Make the scores of the answers at the places that are asked.

    Parameters
    ----------
    parameters : Parameters
        With w_out, (d_model, answers), and b_out.
    output : ndarray, (batch, n, d_model)
        What is read.
    asked : ndarray of int, (asked,)
        The places, counted through all sentences; ascending, none twice.

    Returns
    -------
    ReadOut

    Raises
    ------
    ArrayError
        If a score leaves the float range.
    """
    rows = output.reshape(-1, output.shape[-1])
    if len(asked) < len(rows):
        rows = rows.take(asked, axis=0)
    return ReadOut(asked, rows, linear("output", rows, "w_out", parameters["w_out"], parameters["b_out"]))


def read_out_gradient(
    parameters: Parameters, output: Floats, read: ReadOut, d_logits: Floats
) -> tuple[Floats, Gradients]:
    """Pull a derivative by the logits back through w_out and b_out.

    Parameters
    ----------
    parameters, output
        As for `read_out`.
    read : ReadOut
        What it returned.
    d_logits : ndarray, (asked, answers)
        ∂L/∂logits.

    Returns
    -------
    by_output : ndarray, (batch, n, d_model)
    gradients : dict of str to ndarray
        w_out and b_out.
    """
    by_rows = d_logits @ parameters["w_out"].T
    if by_rows.size == output.size:  # all places were asked
        by_output: Floats = by_rows.reshape(output.shape)
    else:
        by_output = np.zeros(output.shape, output.dtype)
        by_output.reshape(-1, output.shape[-1])[read.asked] = by_rows
    return by_output, {"w_out": linear_gradient(read.rows, d_logits), "b_out": d_logits.sum(axis=0)}
