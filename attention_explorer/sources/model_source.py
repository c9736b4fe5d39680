"""A trained model as a source: run here, on the sentence that is typed, and what to say of it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ExplorerError
from attention_explorer.model import ArrayMap, Dropout
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.softmax import softmax
from attention_explorer.model.transformer import (
    AS_TRAINED,
    CROSS,
    ENCODER,
    SELF,
    Change,
    Head,
    Inputs,
    Softmax,
    Stack,
    TransformerRun,
    surprise,
)
from attention_explorer.model.transformer.attention import Attention
from attention_explorer.model.transformer.changes import AROUND_ATTENTION, AROUND_NETWORK, NETWORK
from attention_explorer.model.transformer.layer import Layer as ModelLayer
from attention_explorer.model.word_map import WordMap, word_starts
from attention_explorer.sources.decoding import Decoding, Levels, decoding_of, levels_of
from attention_explorer.sources.layer import Layer, Values
from attention_explorer.sources.model_pass import Known, ModelLayers, Pass
from attention_explorer.sources.model_reader import ModelReader
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.models import Model
from attention_explorer.sources.models.adapter import base_of
from attention_explorer.sources.models.folder import folder_settings
from attention_explorer.sources.models.names import name_by_place
from attention_explorer.sources.models.reference import model_reference
from attention_explorer.sources.models.sampling import drawn_tokens, whole_text
from attention_explorer.sources.recorded.pieces import SPACE
from attention_explorer.sources.source import PLAIN, Ability, Guess, LayerPart, Lookup, Made, Predictions, Traits
from attention_explorer.sources.whole_layer import WholeLayer, whole_layer

BYTES_OF_A_WEIGHT = 2.0
"""More or less: from half a byte to four."""
OF_A_LAYER = 4e6
"""What calling the functions of a layer takes, in multiplications."""
QUICK = 4e9
"""Multiplications up to which a model says its guess unasked, as that takes all layers: half a second or so."""
SHORT = 2**27
"""Tokens times the bytes of a layer up to which a run takes one core: 18 tokens of MiniLM. A second core gains little
there, and the threads of OpenBLAS spin after each product, on the core that handles keys and paints."""

_OTHERS = "choose random heads"
_LACKS = {
    Ability.DRAWING: f"The weights of a model are those of its file: {_OTHERS} to draw some.",
    Ability.EMBEDDINGS: f"The vectors of a model's tokens are not typed: {_OTHERS} to type some.",
}
_NO_SECOND = "A second sentence is for models that read in both directions, or have an encoder and a decoder."
_POOLED = {
    "mean": "the mean of what leaves the last layer at all tokens",
    "cls": "what leaves the last layer at the first token",
    "max": "the largest of what leaves the last layer, of all tokens",
}
"""How a vector is made of a sentence, by the names of `POOLINGS`."""
_OF_TOKENS = "Scores and values belong to tokens: switch “whole words” off to see them."
_BY_WORD = "whole words: weights summed over the tokens of a key, their mean over those of a query"
_NO_PLAIN_SCORES = (
    "The scores of this model are not q·k ÷ √d_k alone, so only its weights are shown, as they were computed."
)


def model_recipe(path: Path, sentence: str | None = None, target: str | None = None) -> ModelRecipe:
    """Look at a model, and name it so that it can be opened again.

    Parameters
    ----------
    path : Path
        A folder or a .gguf file.
    sentence : str, optional
        What it is to read.
    target : str, optional
        What the decoder of an encoder–decoder has written.

    Returns
    -------
    ModelRecipe

    Raises
    ------
    ExplorerError
        If it cannot be opened, its tokeniser cannot be used, or it has no decoder beside an encoder for a target.
    """
    if path.is_dir():
        folder_settings(base_of(path))  # says what is missing in one that is no model
    found = model_reference(path)
    recipe = ModelRecipe(str(path), found.size, found.modified_ns, found.digest)
    if sentence is not None:
        recipe = replace(recipe, sentence=sentence)
    source = ModelSource(recipe)
    source.checked()
    if target is None:
        return recipe
    if source.model.transformer.encoder is None:
        raise ExplorerError(
            f"“{source.model.name}” has no encoder beside a decoder, as BART and T5 have, and so takes no target: give "
            "the whole text as that which it reads."
        )
    recipe = replace(recipe, sentence=target, context=recipe.sentence)
    ModelSource(recipe).checked()
    return recipe


class ModelSource(ModelReader):
    """Runs a model. What cannot be opened or read says so when its layers are asked for.

    Until it is opened, which takes a moment, little is said of it: heads, tokens and what it can do.
    """

    can_be_asked = True

    def model_to_ask(self) -> Model:
        return self.model

    @property
    def _stack(self) -> Stack:
        """The tower whose attention is shown."""
        transformer = self.model.transformer
        return transformer.encoder if self._kind == ENCODER and transformer.encoder else transformer.main

    def _stack_if_open(self) -> Stack | None:
        return self._stack if self.is_open else None

    @property
    def heads(self) -> tuple[int, ...]:
        stack = self._stack_if_open()
        return (1,) if stack is None else (stack.spec.heads,) * len(stack.layers)

    def layers(self, lookup: Lookup) -> Sequence[Layer]:
        stack = self._stack
        hidden = _as_array(lookup.mask, len(self.tokens), len(self.context_tokens))
        if hidden is not None and self.recipe.whole_words:
            hidden = hidden[np.ix_(*self.words)]
        is_short = max(map(len, self._cut)) * stack.layers[0].nbytes <= SHORT
        run = self._run(lookup, hidden)
        known = Pass(run, self._kind, with_weights=not stack.spec.divides_by_root, is_short=is_short)

        def make(_layers: Sequence[Layer], place: int) -> Layer:
            return self._layer(known(place), place, hidden, lookup)

        return ModelLayers(len(stack.layers), make, known, self.model, lambda more: self._run(lookup, hidden, more))

    @property
    def can_be_cut(self) -> bool:
        return self._kind != CROSS  # the way around a look at the encoder is another

    @property
    def can_be_bare(self) -> bool:
        return True

    @property
    def has_biases(self) -> bool:
        stack = self._stack_if_open()
        return stack is None or bool(stack.spec.biases)

    @property
    def dropout(self) -> Dropout | None:
        model = self._model_if_open
        return None if model is None or self._kind == CROSS else model.dropout

    def levels(self, token: int, vector: Callable[[int], Floats]) -> Levels:
        if self.model.transformer.encoder is not None:
            return super().levels(token, vector)
        given, spec = self._cut[0], self._stack.spec
        change = Change("residual", 0, position=token, value=vector(spec.width))
        return levels_of(change, spec, lambda changes: self.model.run(given, None, changes=changes, room=0))

    def reason_against_decoding(self) -> str:
        stack = self._stack_if_open()
        is_decoder = stack is None or (self.model.transformer.encoder is None and stack.spec.is_causal)
        return "" if is_decoder else super().reason_against_decoding()

    def decoding(self) -> Decoding:
        if self.reason_against_decoding():
            return super().decoding()
        return decoding_of(self.model.transformer, Inputs(np.asarray(self._cut[0].ids)))

    def reason_against_arrays(self) -> str:
        return ""  # scores of another kind than q·k are told as they are

    def whole_layer(self, place: int, lookup: Lookup = PLAIN) -> WholeLayer:
        hidden = _as_array(lookup.mask, len(self._cut[0]), len(self._cut[1]))
        run = self._run(lookup, hidden)
        tower = run.encoder if self._kind == ENCODER and run.encoder is not None else run.main
        place = min(place, tower.count - 1)
        layer, given, is_cross = tower.stack.layers[place], tower.surroundings(place), self._kind == CROSS
        told = self._formulas(layer, place)
        return whole_layer(layer, tower.layer(place), given, lookup, hidden, is_cross=is_cross, formulas=told)

    def _run(self, lookup: Lookup, hidden: Bools | None, more: tuple[int, ...] = ()) -> TransformerRun:
        """Return a run, with ``more`` tokens after what was written; to these, what the mask allows the last one."""
        (given, aim), stack, kind = self._given, self._stack, self._kind
        if aim is None:
            given = self.model.followed(given, more)
        else:
            aim = self.model.followed(aim, more)
        if hidden is not None:
            hidden = np.pad(hidden, ((0, len(more)), (0, len(more) * (kind == SELF))), mode="edge")
        places = product((kind,), range(len(stack.layers)), range(stack.spec.heads))
        masks = None if hidden is None else dict.fromkeys(places, hidden)
        off = [(kind, *place) for place in lookup.off]
        softmax = self._softmax(lookup)
        # No room for weights: maps compute them from queries and keys, or `known` keeps them.
        changes = [
            Change(part, layer, kind=kind) for layer in range(len(stack.layers)) for part in _parts_cut(lookup, layer)
        ]
        return self.model.run(
            given,
            aim,
            changes=changes,
            off=off,
            masks=masks,
            softmax=softmax,
            dropout=lookup.dropout,
            biases=lookup.biases,
            gains=lookup.gains,
            room=0,
            lazily=True,
        )

    def _softmax(self, lookup: Lookup) -> Softmax:
        if not self._stack.spec.divides_by_root:
            return AS_TRAINED
        unscaled = 1.0 if lookup.scale is None else lookup.scale * math.sqrt(self._stack.spec.head_width)
        return Softmax(1.0 if lookup.hard else unscaled / lookup.temperature, lookup.hard)

    def _layer(self, known: Known, place: int, hidden: Bools | None, lookup: Lookup) -> Layer:
        shared = len(known.q) // len(known.k)
        k = np.repeat(known.k, shared, axis=0)
        values = Values(lambda: np.repeat(known.v, shared, axis=0))
        mask = _both(self._own_mask(place), hidden)
        if known.weights is None:
            layer = Layer((), q=known.q, k=k, values=values, shared=shared)
            layer = layer.with_maps(**{**lookup.weighing, "mask": mask})
        else:
            layer = Layer(tuple(ArrayMap(weights, mask=mask) for weights in known.weights), values=values)
        if not self.recipe.whole_words:
            return layer
        return Layer(tuple(WordMap(map_, *self.words) for map_ in layer.maps))

    def operations(self) -> float:
        stack = self._stack_if_open()
        if stack is None:
            return math.inf  # it may take long to open
        n_q, n_k = map(len, self._cut) if self._can_tell else (0, 0)
        of_maps = 60.0 * sum(self.heads) * n_q * n_k
        return self.recipe.size / BYTES_OF_A_WEIGHT * n_k + len(stack.layers) * OF_A_LAYER + of_maps

    # ---- What hides keys ----

    def _own_mask(self, layer: int) -> Bools | None:
        return None if self._kind == CROSS else self._stack.visible(layer, len(self._cut[0]))

    def mask_words(self) -> str:
        stack = self._stack_if_open()
        return "causal" if stack is not None and stack.spec.is_causal and self._kind == SELF else ""

    # ---- What the model makes of it ----

    @property
    def predicts(self) -> bool:
        stack = self._stack_if_open()
        return stack is not None and self.model.transformer.head is not None and self._kind != ENCODER

    def predictions(
        self, layers: Sequence[Layer], row: int, most: int, ids: tuple[int, ...] | None = None
    ) -> Predictions | None:
        if self.recipe.whole_words and self.predicts:  # where its last token stands
            row = bisect_right(self.words[0], row) - 1
        return self._expected(layers, row, most, ids)

    def _expected(
        self, layers: Sequence[Layer], row: int, most: int, ids: tuple[int, ...] | None = None
    ) -> Predictions | None:
        """Return what is expected at a token."""
        head = self.model.transformer.head if self.predicts else None
        if head is None or not isinstance(layers, ModelLayers):
            return None
        logits = _logits(head, layers.known.last_hidden, row)
        probabilities = softmax(logits)
        best = np.argsort(-probabilities, kind="stable")[:most] if ids is None else np.array(ids, np.intp)
        tokens, places = tuple(self.model.label(self.model.token(int(each))) for each in best), tuple(best.tolist())
        return Predictions(tokens, probabilities[best], len(logits), self._stack.spec.is_causal, places, self._key)

    @property
    def _place_of_guess(self) -> int | None:
        """The token at which the model says something by itself: the last, or the first that is to be filled in."""
        tokens = self._cut[0].tokens if self.predicts and self._can_tell else ()
        if self.writes:
            return len(tokens) - 1 if tokens else None
        return tokens.index(self.mask_token) if self.mask_token in tokens else None

    @property
    def guesses(self) -> bool:
        return self._place_of_guess is not None and self.operations() <= QUICK

    def guess(self, layers: Sequence[Layer]) -> Guess | None:
        place = self._place_of_guess
        found = None if place is None else self._expected(layers, place, 1)
        if found is None:
            return None
        about = "the next word" if found.is_next else f"in place of {self.mask_token}"
        return Guess(about, found.tokens[0].lstrip(SPACE) or found.tokens[0], float(found.probabilities[0]))

    @property
    def mask_token(self) -> str:
        return self.model.mask if self.predicts and not self._stack.spec.is_causal else ""

    @property
    def writes(self) -> bool:
        return self.predicts and self._stack.spec.is_causal

    def surprise(self, layers: Sequence[Layer]) -> Floats | None:
        head = self.model.transformer.head if self.writes else None
        if head is None or not isinstance(layers, ModelLayers):
            return None
        bits = surprise(head(), layers.known.last_hidden, self._cut[0].ids)
        return np.add.reduceat(bits, word_starts(self.words[0])) if self.recipe.whole_words else bits

    def next_text(self, layers: Sequence[Layer], temperature: float, top_k: int, seed: int) -> str:
        head = self.model.transformer.head if self.writes else None
        if head is None or not isinstance(layers, ModelLayers):
            return ""
        written = self._cut[0].ids

        def drawn(more: tuple[int, ...]) -> npt.NDArray[np.int64]:
            hidden = layers.with_more(more).main.hidden[-1] if more else layers.known.last_hidden
            draw = np.random.default_rng((seed, len(written) + len(more)))
            return drawn_tokens(_logits(head, hidden, -1), temperature, top_k, draw)

        found = (whole_text(partial(self.model.text_after, written), drawn, int(index)) for index in drawn(()))
        return next((text for text in found if text is not None), "")

    @property
    def is_sentence_model(self) -> bool:
        if not self.is_open:
            return False
        try:
            return bool(self.model.pooling)
        except ExplorerError:
            return False

    def cosine(self) -> tuple[float, str] | None:
        recipe, model = self.recipe, self.model
        if recipe.context is None or not model.pooling:
            return None
        found = float(model.embed(recipe.sentence) @ model.embed(recipe.context))
        return found, _POOLED[model.pooling]

    # ---- In words ----

    @property
    def _name(self) -> str:
        model = self._model_if_open
        return name_by_place(Path(self.recipe.path)) if model is None else model.name

    @property
    def traits(self) -> Traits:
        stack, lacks = self._stack_if_open(), dict(_LACKS)
        if stack is None or (self.model.transformer.encoder is None and stack.spec.is_causal):
            lacks[Ability.SECOND_SENTENCE] = _NO_SECOND
        if stack is not None and not stack.spec.divides_by_root:
            lacks[Ability.SCORES] = _NO_PLAIN_SCORES
        if self.recipe.whole_words:
            lacks |= dict.fromkeys((Ability.SCORES, Ability.VALUES), _OF_TOKENS)
        origin = f"computed here by the model “{self._name}”"
        return Traits(f"“{self._name}”", origin, Made.LEARNED, lacks, runs_without_heads=True)

    def caption(self) -> tuple[str, ...]:
        stack = self._stack_if_open()
        if stack is None:
            return (self.traits.origin,)
        pair = " of two sentences" if self.recipe.context is not None else ""
        kinds = {SELF: f"self-attention{pair}", ENCODER: "self-attention of the encoder", CROSS: "cross-attention"}
        said = self.traits.origin, f"{self.model.family}, {kinds[self._kind]}", "float32"
        return (*said, _BY_WORD) if self.recipe.whole_words else said

    def weight_words(self) -> str:
        return "of whole words" if self.recipe.whole_words else super().weight_words()

    def verdict(self) -> tuple[str, str]:
        said = f"“{self._name}” read the sentence. What a head looks at does not say what the model needs it for."
        if self.mask_words():
            said += " A token sees itself and those before it, and cannot know what comes later."
        if self.is_open:
            said = " ".join((said, *self.model.notes))
        return "These weights were computed by a model.", said

    def formulas(self, place: int) -> Mapping[str, str]:
        return self._formulas(self._stack.layers[place], place)

    def _formulas(self, found: ModelLayer, place: int) -> Mapping[str, str]:
        part = (found.cross if self._kind == CROSS else None) or found.attention
        return {name: self._made_by(part, name.upper(), place) for name in ("q", "k", "v")}

    def _made_by(self, part: Attention, name: str, place: int) -> str:
        """Return how "Q", "K" or "V" of an attention are made."""
        stack = self._stack
        of_encoder = self._kind == CROSS and name != "Q"
        x, what = ("X′", "what leaves the encoder") if of_encoder else ("X", "what enters the layer")
        if self._kind == CROSS and not of_encoder:
            x, what = "Y", "what the written words made of each other in the layer"
        what += f" of “{self._name}”"
        if part.norms.before is not None and not of_encoder:
            what += ", after its norm"
        said = f"{name} = {x}·W_{name}{' + b' if part.project.bias is not None else ''}"
        if part.qk_norms is not None and name != "V":
            said += ", then normalised"
        if self._kind != CROSS and stack.spec.layers[place].rope is not None and name != "V":
            said += ", then turned by its token’s position (rotary)"
        return f"{said}; {x} is {what}"

    def differences(self, other: ModelSource) -> Iterator[tuple[str, str]]:
        yield self._name, other._name
        if self.recipe.path != other.recipe.path and self._name == other._name:
            yield self.recipe.path, other.recipe.path


def _logits(head: Callable[[], Head], hidden: Floats, row: int) -> Floats:
    logits: Floats = head()(hidden[row][None])[0]
    return logits


def _parts_cut(lookup: Lookup, layer: int) -> tuple[str, ...]:
    """Return what of a layer is set to zero in a run. Without its network a layer is attention alone, and its way."""
    no_network = (layer, LayerPart.NETWORK) in lookup.cut
    ways = (AROUND_ATTENTION,) if no_network else (AROUND_ATTENTION, AROUND_NETWORK)
    is_cut = (layer, LayerPart.RESIDUAL) in lookup.cut
    return (*(ways if is_cut else ()), *((NETWORK,) if no_network else ()))


def _as_array(mask: object, n_q: int, n_k: int) -> Bools | None:
    """Return a mask as an array, (n_q, n_k)."""
    if mask is None:
        return None
    rows = mask(0, n_q) if callable(mask) else mask
    return np.broadcast_to(np.asarray(rows), (n_q, n_k))


def _both(own: Bools | None, chosen: Bools | None) -> Bools | None:
    if own is None or chosen is None:
        return chosen if own is None else own
    return own & chosen
