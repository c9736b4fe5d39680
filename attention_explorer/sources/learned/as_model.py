"""A network that was learned here as a model like those on disk, so that circuits can be asked of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from attention_explorer.core.byte_cache import ON_SHOW_BYTES
from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model.arrays import Floats
from attention_explorer.model.learning.sequence_network import SequenceNetwork, SequenceSetting
from attention_explorer.model.norm import NormKind
from attention_explorer.model.sublayer import NormPlacement
from attention_explorer.model.transformer import (
    Attention,
    Embedding,
    Head,
    Layer,
    LayerSpec,
    Linear,
    Network,
    NormPlace,
    Norms,
    NormSpec,
    Places,
    Spec,
    Stack,
    Transformer,
)
from attention_explorer.sources.learned.learned_model import LearnedModel
from attention_explorer.sources.learned.vocabulary import Vocabulary
from attention_explorer.sources.models.model import Model
from attention_explorer.sources.models.tokeniser import Tokeniser, Tokens


def as_model(learned: LearnedModel) -> Model:
    """Return the same numbers as a `Model`, in float32.

    Raises
    ------
    ExplorerError
        If its network is no stack of ordinary layers over one sentence.
    """
    network, setup, task = learned.network, learned.setup, learned.task
    if not isinstance(network, SequenceNetwork) or not setup.layers:
        raise ExplorerError(
            f"The model that learned “{task.title}” is no stack of layers over one sentence: ask another."
        )
    if setup.hard or not setup.residual or network.setting.norm is not NormPlacement.NONE:
        raise ExplorerError(
            "Circuits are asked of models whose lookup is soft and whose layers have a residual: learn one with both."
        )
    words = task.vocabulary(setup)
    knows_words = task.answers(setup).words == words.words
    transformer = _transformer(network, has_head=knows_words)
    place = Path(f"{setup.task}, step {learned.step}")
    return Model(
        place, "learned here", transformer, _Words(words, lambda text: task.words_in(text, setup)), None, ON_SHOW_BYTES
    )


def _transformer(network: SequenceNetwork, *, has_head: bool) -> Transformer:
    setting = network.setting
    arrays = {name: np.asarray(array, np.float32) for name, array in network.parameters.arrays.items()}
    spec = _spec(setting)
    layers = [_layer(spec, arrays, f"stack.{place}.") for place in range(setting.layers)]
    table = arrays["w_e"]
    embedding = Embedding(spec, lambda ids: table[ids], arrays.get("w_p"))
    head = Head(Linear(arrays["w_out"], arrays["b_out"]))
    return Transformer(Stack(spec, embedding, layers), None, (lambda: head) if has_head else None)


def _spec(setting: SequenceSetting) -> Spec:
    width = setting.d_model // setting.heads
    scale = width**-0.5 if setting.scaled else 1.0
    return Spec(
        width=setting.d_model,
        inner=max(setting.d_ff, 1),
        heads=setting.heads,
        kv_heads=setting.heads,
        head_width=width,
        vocabulary=setting.vocabulary,
        layers=tuple(LayerSpec(str(place), scale) for place in range(setting.layers)),
        is_causal=setting.causal,
        norm=NormSpec(NormKind.LAYER, 1e-5, NormPlace.PRE),
        activation="relu",
        biases=frozenset({"up", "down"}),
        places=Places(setting.places) if setting.positions else None,
    )


def _layer(spec: Spec, arrays: dict[str, Floats], name: str) -> Layer:
    """Return a layer; one without a network has one of a single hidden unit that writes nothing."""

    def part(matrix: str, *empty: int) -> Floats:
        return arrays.get(f"{name}{matrix}", np.zeros(empty, np.float32))

    project = Linear(np.concatenate([part(matrix) for matrix in ("w_q", "w_k", "w_v")], axis=1))
    attention = Attention(spec, spec.layers[0].scale, Norms(), project, Linear(part("w_o")))
    up = Linear(part("w1", spec.width, 1), part("b1", 1))
    down = Linear(part("w2", 1, spec.width), part("b2", spec.width))
    return Layer(spec, attention, Network(spec, Norms(), up, down))


class _Words(Tokeniser):
    """Whole words, each a number of the vocabulary that a task has."""

    def __init__(self, words: Vocabulary, cut: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__("the task", lambda: None)
        self._words, self._cut = words, cut

    def __call__(self, text: str | tuple[str, str], vocabulary: int) -> Tokens:
        if not isinstance(text, str):
            raise ArrayError("this model reads one sentence, not a pair")
        return Tokens.of_ids(self.pieces(text), self)

    def pieces(self, text: str) -> tuple[int, ...]:
        return tuple(self._words.numbers(*self._cut(text)).tolist())

    def token(self, index: int) -> str:
        return self._words.words[index]

    def mask(self) -> str:
        return ""

    def text_after(self, _ids: tuple[int, ...], new: tuple[int, ...]) -> str:
        return f" {self._words.text(new)}"

    @property
    def cuts_bytes(self) -> bool:
        return False
