"""One sentence in, an answer at some of its places: embedding, a stack of layers, read-out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.fields import CheckedFields
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.attention_layer import AttentionLayer
from attention_explorer.model.encoder_layer import EncoderLayer
from attention_explorer.model.head_axis import check_width
from attention_explorer.model.layer_stack import EncoderStack
from attention_explorer.model.learning.exact import NormalDraws
from attention_explorer.model.learning.network import (
    AS_LEARNED,
    Batch,
    Network,
    NetworkTrace,
    Scoring,
    Tokens,
    Work,
    drawn,
    drawn_attention,
    drawn_network,
    embedded,
    parts_of_head,
    read_out,
)
from attention_explorer.model.learning.parameters import Parameters, under
from attention_explorer.model.learning.tape import Looked, Value
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

    @property
    def stack(self) -> EncoderStack:
        """The layers as `model/` has them, over the same numbers."""
        return made_stack(self.setting, self.parameters.under("stack."))

    @staticmethod
    def first_parameters(setting: SequenceSetting, numbers: NormalDraws) -> dict[str, Floats]:
        """Draw the numbers to begin with.

        Parameters
        ----------
        setting : SequenceSetting
            Sizes and options.
        numbers : NormalDraws
            Random numbers.

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

    def __call__(self, batch: Batch, scoring: Scoring = AS_LEARNED, *, is_learning: bool = False) -> NetworkTrace:
        """Answer what a batch asks; see `Network`."""
        work = Work(self.arithmetic(batch), self.parameters, scoring, is_learning=is_learning)
        x = run_stack(work, self.setting, "stack.", embedded(work, "", batch.tokens), batch.asked)
        return read_out(work, x)

    def over(self, parameters: Parameters) -> SequenceNetwork:
        """Return the same network over other parameters."""
        return SequenceNetwork(self.setting, parameters)

    def head_rows(self, layer: int, head: int) -> Floats:
        """Return the rows of w_o that a head owns."""
        return self.head_parts(layer, head)[-1]

    def head_parts(self, layer: int, head: int) -> tuple[Floats, ...]:
        """Return a head's own columns and rows; see `Network`."""
        return parts_of_head(self.parameters, f"stack.{layer}.", head, self.setting.heads)


def first_embedding(setting: SequenceSetting, numbers: NormalDraws) -> dict[str, Floats]:
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


def first_stack(setting: SequenceSetting, numbers: NormalDraws) -> dict[str, Floats]:
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


def run_stack(work: Work, setting: SequenceSetting, prefix: str, x: Value, asked: Tokens | None = None) -> Value:
    """Send embedded sentences through a stack, as a setting says, and note what its layers look at.

    Parameters
    ----------
    work : Work
        With the parameters of the layers.
    setting : SequenceSetting
        Sizes and options.
    prefix : str
        What stands before their names, as in prefix + "0.w_q".
    x : Value, (batch, n, d_model)
        The sentences.
    asked : ndarray of int, (asked,), optional
        The places that are wanted, counted through all sentences; what follows the last attention is computed for
        them alone.

    Returns
    -------
    Value, (batch, n, d_model) or (asked, d_model)
    """
    rows = work.tape.rows
    for layer in range(setting.layers):
        name = f"{prefix}{layer}."
        before = _normed(work, setting, name, 1, x, NormPlacement.PRE)
        looked = look(work, setting, name, before, before, work.scoring.mask, causal=setting.causal)
        work.looked.append(looked)
        found = looked.output
        if asked is not None and layer == setting.layers - 1:
            x, found = rows(x, asked), rows(found, asked)
        x = _after(work, setting, name, 1, x, work.tape.linear(found, work[f"{name}w_o"]))
        if setting.d_ff:
            before = _normed(work, setting, name, 2, x, NormPlacement.PRE)
            x = _after(work, setting, name, 2, x, feed_forward(work, name, before))
    return x if asked is None or setting.layers else rows(x, asked)


def look(
    work: Work, setting: SequenceSetting, name: str, x: Value, context: Value, mask: Bools | None, *, causal: bool
) -> Looked:
    """Let every place of a sequence attend to a context: Vaswani et al. 2017, section 3.2.2, all but W_O.

    Parameters
    ----------
    work : Work
        With name + w_q, w_k and w_v; its scoring comes before that of the setting.
    setting : SequenceSetting
        Heads, scale, and whether attention is hard.
    name : str
        What stands before the names of the matrices.
    x : Value, (batch, n_q, d_model)
        Where queries come from.
    context : Value, (batch, n_k, d_model)
        Where keys and values come from.
    mask : ndarray of bool, (n_q, n_k), or None
        True where a query may attend.
    causal : bool
        Whether, besides, no place sees a later one.

    Returns
    -------
    Looked

    Raises
    ------
    ArrayError
        If mask, scale or temperature do not fit.
    """
    q = work.tape.linear(x, work[f"{name}w_q"])
    k, v = (work.tape.linear(context, work[f"{name}{matrix}"]) for matrix in ("w_k", "w_v"))
    return work.attention(q, k, v, setting.heads, mask=mask, causal=causal, scale=setting.scale, hard=setting.hard)


def feed_forward(work: Work, name: str, x: Value) -> Value:
    """Send every place through max(x W₁ + b₁, 0) W₂ + b₂: Vaswani et al. 2017, eq. 2.

    Parameters
    ----------
    work : Work
        With name + w1, b1, w2 and b2.
    name : str
        What stands before their names.
    x : Value, (batch, n, d_model)
        What comes in.

    Returns
    -------
    Value, (batch, n, d_model)
    """
    hidden = work.tape.relu(work.tape.linear(x, work[f"{name}w1"], work[f"{name}b1"]))
    return work.tape.linear(hidden, work[f"{name}w2"], work[f"{name}b2"])


def _after(work: Work, setting: SequenceSetting, name: str, number: int, x: Value, found: Value) -> Value:
    """Return what leaves a sublayer: with its residual and its norm, where there are."""
    summed = work.tape.add(x, found) if setting.residual else found
    return _normed(work, setting, name, number, summed, NormPlacement.POST)


def _normed(work: Work, setting: SequenceSetting, name: str, number: int, x: Value, placement: NormPlacement) -> Value:
    """Return layer norm number 1 or 2 of a value, if this is where norms stand."""
    if setting.norm is not placement:
        return x
    return work.tape.norm(x, work[f"{name}gain{number}"], work[f"{name}bias{number}"])
