"""A sentence in one language in, one in another out: encoder, and a decoder that attends to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.errors import ArrayError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.learning.exact import NormalDraws
from attention_explorer.model.learning.network import (
    AS_LEARNED,
    Batch,
    Network,
    NetworkTrace,
    Scoring,
    Work,
    drawn,
    drawn_attention,
    drawn_network,
    embedded,
    parts_of_head,
    read_out,
)
from attention_explorer.model.learning.parameters import Parameters
from attention_explorer.model.learning.sequence_network import (
    SequenceSetting,
    feed_forward,
    first_embedding,
    first_stack,
    look,
    run_stack,
)
from attention_explorer.model.learning.tape import Value
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

    @staticmethod
    def first_parameters(setting: TranslationSetting, numbers: NormalDraws) -> dict[str, Floats]:
        """Draw the numbers to begin with.

        Parameters
        ----------
        setting : TranslationSetting
            Sizes and options.
        numbers : NormalDraws
            Random numbers.

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

    def __call__(self, batch: Batch, scoring: Scoring = AS_LEARNED, *, is_learning: bool = False) -> NetworkTrace:
        """Answer what a batch asks; see `Network`. Weights and mask are those of the cross-attention."""
        if batch.context is None:
            raise ArrayError("context must be given: the sentence to translate from")
        setting, of_encoder = self.setting, scoring._replace(mask=None)
        work = Work(self.arithmetic(batch), self.parameters, of_encoder, is_learning=is_learning)
        x = embedded(work, "encoder.", batch.context)
        context = run_stack(work, setting.of_encoder(), "encoder.stack.", x)
        work.looked.clear()
        x = embedded(work, "", batch.tokens)
        for layer in range(setting.layers):
            own = look(work, setting, f"{layer}.self.", x, x, None, causal=True)
            x = self._after(work, x, work.tape.linear(own.output, work[f"{layer}.self.w_o"]))
            cross = look(work, setting, f"{layer}.cross.", x, context, scoring.mask, causal=False)
            work.looked.append(cross)
            found = cross.output
            if layer == setting.layers - 1:  # what follows is wanted at the places that are asked
                x, found = (work.tape.rows(each, batch.asked) for each in (x, found))
            x = self._after(work, x, work.tape.linear(found, work[f"{layer}.cross.w_o"]))
            if setting.d_ff:
                x = self._after(work, x, feed_forward(work, f"{layer}.", x))
        return read_out(work, x)

    def _after(self, work: Work, x: Value, found: Value) -> Value:
        return work.tape.add(x, found) if self.setting.residual else found

    def over(self, parameters: Parameters) -> TranslationNetwork:
        """Return the same network over other parameters."""
        return TranslationNetwork(self.setting, parameters)

    def head_rows(self, layer: int, head: int) -> Floats:
        """Return the rows of w_o that a head of the cross-attention owns."""
        return self.head_parts(layer, head)[-1]

    def head_parts(self, layer: int, head: int) -> tuple[Floats, ...]:
        """Return own columns and rows of a head of the cross-attention; see `Network`."""
        return parts_of_head(self.parameters, f"{layer}.cross.", head, self.setting.heads)
