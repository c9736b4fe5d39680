"""A sentence in one language in, one in another out: encoder, and a decoder that attends to it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.decoder_layer import DecoderLayer, DecoderTrace
from attention_explorer.model.feed_forward import FeedForward
from attention_explorer.model.layer_stack import StackTrace
from attention_explorer.model.learning.embedding import Embedding, Tokens
from attention_explorer.model.learning.gradients import Gradients, decoder_gradient, stack_gradient
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
from attention_explorer.model.learning.sequence_network import (
    ReadOut,
    SequenceSetting,
    attended,
    first_embedding,
    first_stack,
    made_stack,
    read_out,
    read_out_gradient,
    run_stack,
)
from attention_explorer.model.multi_head import MultiHeadAttention
from attention_explorer.model.scalars import size_from
from attention_explorer.model.sublayer import NormPlacement

_SHARED = ("heads", "d_model", "d_ff", "hard", "scaled", "positions", "residual")
"""What encoder and decoder have in common."""


@dataclass(frozen=True, slots=True)
class TranslationSetting(SequenceSetting):
    """All that decides a translating network but its learned numbers.

    Attributes
    ----------
    context_vocabulary, context_places : int
        How many tokens the first language has, and its longest sentence.
    encoder_layers : int
        Layers of self-attention over that sentence; without any, the decoder attends to its embeddings.

    Notes
    -----
    The rest is of the decoder, as in `SequenceSetting`; it is causal in any case and has no norms.
    """

    context_vocabulary: int = 2
    context_places: int = 1
    encoder_layers: int = 1

    def checked(self) -> TranslationSetting:
        """Return the setting itself, or refuse sizes of which no network can be made."""
        SequenceSetting.checked(self)
        size_from(1, "layers", self.layers)
        self.of_encoder()
        if self.norm is not NormPlacement.NONE:
            raise ArrayError(f"norm must be 'none' in a translating network, not {self.norm.value!r}")
        if not (self.d_ff or self.residual):
            raise ArrayError("without hidden units the residual alone reaches the output: give d_ff, or keep it")
        return self

    def of_encoder(self) -> SequenceSetting:
        """Return the setting of the encoder alone."""
        return SequenceSetting(
            vocabulary=self.context_vocabulary,
            places=self.context_places,
            layers=self.encoder_layers,
            **{name: getattr(self, name) for name in _SHARED},
        ).checked()


class _Inside(NamedTuple):
    batch: Batch
    encoded: StackTrace
    decoded: tuple[DecoderTrace, ...]
    read: ReadOut


class TranslationNetwork(Network):
    """A transformer of encoder and decoder: Vaswani et al. 2017, figure 1.

    Parameters
    ----------
    setting : TranslationSetting
        Sizes and options.
    parameters : Parameters
        With the names of `first_parameters`.
    """

    def __init__(self, setting: TranslationSetting, parameters: Parameters) -> None:
        super().__init__(parameters)
        self.setting = setting.checked()
        given = parameters.under("encoder.")
        self.source_embedding = Embedding(given["w_e"], given.get("w_p"))
        self.encoder = made_stack(setting.of_encoder(), under("stack.", given))
        self.embedding = Embedding(parameters["w_e"], parameters.arrays.get("w_p"))
        self.layers = tuple(_made_decoder(setting, parameters.under(f"{at}.")) for at in range(setting.layers))

    @staticmethod
    def first_parameters(setting: TranslationSetting, numbers: np.random.RandomState) -> dict[str, Floats]:
        """Draw the numbers to begin with.

        Parameters
        ----------
        setting : TranslationSetting
            Sizes and options.
        numbers : RandomState
            NumPy's legacy random numbers, whose stream never changes.

        Returns
        -------
        dict of str to ndarray
            Those of the encoder under "encoder.", w_e and w_p of the second language, those of the decoder's layers
            under "0.self.", "0.cross." and so on, w_out and b_out.

        Raises
        ------
        ArrayError
            If a size is below 1, or the heads do not divide d_model.
        """
        below = setting.checked().of_encoder()
        encoder = first_embedding(below, numbers) | first_stack(below, numbers)
        found = {f"encoder.{name}": array for name, array in encoder.items()} | first_embedding(setting, numbers)
        for layer in range(setting.layers):
            for kind in ("self", "cross"):
                matrices = drawn_attention(numbers, setting.d_model)
                found |= {f"{layer}.{kind}.{name}": array for name, array in matrices.items()}
            network = drawn_network(numbers, setting.d_model, setting.d_ff)
            found |= {f"{layer}.{name}": array for name, array in network.items()}
        return found | {"w_out": drawn(numbers, setting.d_model, setting.answers), "b_out": np.zeros(setting.answers)}

    def __call__(self, batch: Batch, scoring: Scoring = AS_LEARNED) -> NetworkTrace:
        """Answer what a batch asks; see `Network`. The weights are those of the cross-attention."""
        encoded, decoded = self._run(batch, scoring)
        read = read_out(self.parameters, decoded[-1].output, batch.asked)
        weights = tuple(trace.cross_weights for trace in decoded)
        return NetworkTrace(read.logits, weights, _Inside(batch, encoded, decoded, read))

    def attended(self, batch: Batch, scoring: Scoring) -> tuple[Attended, ...]:
        """Return what each cross-attention compares; see `Network`. The mask is of the cross-attention alone."""
        return attended(layer.cross_attention.inside for layer in self._run(batch, scoring)[1])

    def _run(self, batch: Batch, scoring: Scoring) -> tuple[StackTrace, tuple[DecoderTrace, ...]]:
        """Encode and decode."""
        if batch.context is None:
            raise ArrayError("context must be given: the sentence to translate from")
        setting = self.setting
        without_mask = scoring._replace(mask=None)
        encoded = run_stack(setting.of_encoder(), self.encoder, self.source_embedding(batch.context), without_mask)
        own = 1.0 if not setting.scaled else 1.0 / math.sqrt(setting.d_model // setting.heads)
        scale = (own if scoring.scale is None else scoring.scale) / scoring.temperature
        x, decoded = self.embedding(batch.tokens), list[DecoderTrace]()
        for layer in self.layers:
            hard = setting.hard or scoring.hard
            decoded.append(layer(x, encoded.output, scale=scale, hard=hard, context_mask=scoring.mask))
            x = decoded[-1].output
        return encoded, tuple(decoded)

    def gradient(self, trace: NetworkTrace, d_logits: Floats) -> Gradients:
        """Differentiate by every parameter; see `Network`."""
        inside = cast("_Inside", trace.inside)
        last = inside.decoded[-1].output
        derivative, found = read_out_gradient(self.parameters, last, inside.read, d_logits)
        by_encoded = np.zeros_like(inside.encoded.output)
        for at in reversed(range(len(self.layers))):
            by_layer = decoder_gradient(self.layers[at], inside.decoded[at], derivative)
            derivative = by_layer.x
            by_encoded = by_encoded + by_layer.context
            found |= {f"{at}.{name}": gradient for name, gradient in by_layer.parameters.items()}
        found |= self.embedding.gradient(inside.batch.tokens, derivative)
        by_stack = stack_gradient(self.encoder, inside.encoded, by_encoded)
        encoder = {f"stack.{name}": gradient for name, gradient in by_stack.parameters.items()}
        encoder |= self.source_embedding.gradient(cast("Tokens", inside.batch.context), by_stack.x)
        return found | {f"encoder.{name}": gradient for name, gradient in encoder.items()}

    def over(self, parameters: Parameters) -> TranslationNetwork:
        """Return the same network over other parameters."""
        return TranslationNetwork(self.setting, parameters)

    def head_rows(self, layer: int, head: int) -> Floats:
        """Return the rows of w_o that a head of the cross-attention owns."""
        return self.head_parts(layer, head)[-1]

    def head_parts(self, layer: int, head: int) -> tuple[Floats, ...]:
        """Return own columns and rows of a head of the cross-attention; see `Network`."""
        return parts_of_head(self.parameters, f"{layer}.cross.", head, self.setting.heads)


def _made_decoder(setting: TranslationSetting, arrays: dict[str, Floats]) -> DecoderLayer:
    own, cross = (MultiHeadAttention(**under(f"{kind}.", arrays), heads=setting.heads) for kind in ("self", "cross"))
    empty = np.zeros((setting.d_model, 0), np.float32)
    given: dict[str, Any] = {name: arrays[name] for name in ("w1", "b1", "w2", "b2")} if setting.d_ff else {}
    network = FeedForward(**given) if given else FeedForward(empty, None, empty.T, None)
    return DecoderLayer(own, cross, network, norm=setting.norm, residual=setting.residual)
