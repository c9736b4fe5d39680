"""A trained model as a source: run here, on the sentence that is typed, and what to say of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from attention_explorer.core.byte_cache import CACHE, kept
from attention_explorer.errors import ExplorerError
from attention_explorer.model import ArrayMap, AttentionMap
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.model.one_core import one_core
from attention_explorer.model.softmax import softmax
from attention_explorer.model.transformer import (
    AS_TRAINED,
    CROSS,
    ENCODER,
    SELF,
    AttentionRun,
    Head,
    Softmax,
    Stack,
    TransformerRun,
)
from attention_explorer.model.transformer.attention import Attention
from attention_explorer.model.transformer.stack import StackRun
from attention_explorer.sources.layer import Layer, Values
from attention_explorer.sources.layers import Layers
from attention_explorer.sources.model_recipe import ModelRecipe
from attention_explorer.sources.models import Model, Tokens, load_model
from attention_explorer.sources.models.folder import folder_settings, weights_of
from attention_explorer.sources.models.names import name_by_place
from attention_explorer.sources.models.sampling import drawn_tokens, whole_text
from attention_explorer.sources.recorded import FileReference, change_since, reference_to
from attention_explorer.sources.recorded.pieces import SPACE
from attention_explorer.sources.source import PLAIN, Ability, Guess, Lookup, Made, Predictions, Source, Traits
from attention_explorer.sources.whole_layer import WholeLayer, whole_layer

KEPT_BYTES = 2**28
"""Queries, keys and values that stay with the layers; of more, a layer is run again when it is looked at."""
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
        folder_settings(path)  # says what is missing in one that is no model
    found = reference_to(weights_of(path))
    told = {} if sentence is None else {"sentence": sentence}
    recipe = ModelRecipe(str(path), found.size, found.modified_ns, found.digest, **told)
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


_in_use: WeakValueDictionary[tuple[str, int, int, str], Model] = WeakValueDictionary()
"""Models that somebody still looks at, even if the cache had no room to keep them: none is in memory twice."""


@kept
def _opened(path: str, size: int, modified_ns: int, digest: str) -> Model:
    """Open a model if it is still what it was; what was read of its weights counts and is dropped like all else."""
    key = path, size, modified_ns, digest
    model = _in_use.get(key)
    if model is None:
        change = change_since(FileReference(weights_of(Path(path)), size, modified_ns, digest))
        if change is not None:
            raise ExplorerError(f"{change} Open the model again to see what it does now.")
        model = load_model(path, weight_bytes=CACHE.on_show_bytes)
        with suppress(ExplorerError):  # said where a text is cut
            model.tokenize("a")  # the tokeniser is made here, on the thread that opens, and not when somebody types
        _in_use[key] = model
    return model


class Known(NamedTuple):
    """What is kept of an attention."""

    q: Floats
    k: Floats
    v: Floats
    weights: Floats | None
    """Only where they cannot be had from q and k."""

    @property
    def nbytes(self) -> int:
        """Its bytes."""
        return sum(array.nbytes for array in self if array is not None)


class Pass:
    """A run of a model, as far up as somebody looks; of one kind of attention, what was computed.

    Parameters
    ----------
    run : TransformerRun
        One that runs its layers when they are looked at.
    kind : str
        Which one is wanted.
    with_weights : bool
        Whether weights are kept beside queries, keys and values.
    is_short : bool
        Whether one core is enough.
    """

    def __init__(self, run: TransformerRun, kind: str, *, with_weights: bool, is_short: bool) -> None:
        self.run, self._kind, self._with_weights, self._is_short = run, kind, with_weights, is_short
        self._kept: dict[int, Known] = {}
        self._room = KEPT_BYTES

    def __call__(self, place: int) -> Known:
        """Return what a layer's attention computed."""
        with self._cores():
            self._tower.reach(place + 1, self._keep)
            if place in self._kept:
                return self._kept[place]
            again = self._tower.layer(place)
        found = again.cross if self._kind == CROSS else again.attention
        if found is None:
            raise ExplorerError(f"The model has no {self._kind} attention.")
        return self._known(found)

    @property
    def last_hidden(self) -> Floats:
        """What leaves the tower, (n, d_model)."""
        tower = self._tower
        with self._cores():
            tower.reach(tower.count, self._keep)
        return tower.hidden[-1]

    def _cores(self) -> AbstractContextManager[None]:
        return one_core() if self._is_short else nullcontext()

    @property
    def _tower(self) -> StackRun:
        seen = self.run.encoder
        return seen if self._kind == ENCODER and seen is not None else self.run.main

    def _keep(self, kind: str, place: int, run: AttentionRun) -> None:
        if kind != (CROSS if self._kind == CROSS else SELF):
            return
        known = self._known(run)
        if known.nbytes <= self._room:
            self._room -= known.nbytes
            self._kept[place] = known

    def _known(self, run: AttentionRun) -> Known:
        return Known(run.q, run.k, run.v, run.weights if self._with_weights else None)


class ModelLayers(Layers):
    """The layers of a run, the run itself, and the model, whose weights are in memory as long as it is looked at.

    Parameters
    ----------
    count, make
        As `Layers`.
    known : Pass
        The run.
    model : Model
        What runs.
    with_more : callable
        (ids) -> a run of the same kind with these tokens after those that are there.
    """

    def __init__(
        self,
        count: int,
        make: Callable[[Sequence[Layer], int], Layer],
        known: Pass,
        model: Model,
        with_more: Callable[[tuple[int, ...]], TransformerRun],
    ) -> None:
        super().__init__(count, make)
        self.known, self.model, self.with_more = known, model, with_more


class ModelSource(Source[ModelRecipe]):
    """Runs a model. What cannot be opened or read says so when its layers are asked for.

    Until it is opened, which takes a moment, little is said of it: heads, tokens and what it can do.
    """

    @property
    def _key(self) -> tuple[str, int, int, str]:
        recipe = self.recipe
        return recipe.path, recipe.size, recipe.modified_ns, recipe.digest

    @property
    def model(self) -> Model:
        """The model, opened if it is not; an ExplorerError if it cannot be. The cache keeps it, not the source."""
        return _opened(*self._key)

    can_be_asked = True

    def model_to_ask(self) -> Model:
        return self.model

    @property
    def _model_if_open(self) -> Model | None:
        return _opened.peek(*self._key) or _in_use.get(self._key)

    @property
    def is_open(self) -> bool:
        return self._model_if_open is not None

    def open(self) -> None:
        _ = self.model

    def checked(self) -> None:
        """Make sure that the model can be opened and read text.

        Raises
        ------
        ExplorerError
            If not.
        """
        self._given  # noqa: B018 - cuts the sentence

    @cached_property
    def _given(self) -> tuple[Tokens, Tokens | None]:
        """What the entrance reads, and what a decoder writes."""
        recipe, model = self.recipe, self.model
        if recipe.context is None or (model.transformer.encoder is None and model.transformer.main.spec.is_causal):
            return model.taken(recipe.sentence)
        if model.transformer.encoder is None:
            return model.taken((recipe.sentence, recipe.context))
        return model.taken(recipe.context, recipe.sentence)

    @property
    def _can_tell(self) -> bool:
        """Whether there are tokens, and the model is open."""
        try:
            return self.is_open and bool(self._given)
        except ExplorerError:
            return False

    @cached_property
    def _cut(self) -> tuple[Tokens, Tokens]:
        """The tokens of queries and keys."""
        given, aim = self._given
        return (aim, given) if self._kind == CROSS and aim is not None else (given, given)

    @property
    def tokens(self) -> tuple[str, ...]:
        return self._cut[0].tokens if self._can_tell else ()

    @property
    def context_tokens(self) -> tuple[str, ...]:
        return self._cut[1].tokens if self._can_tell else ()

    @property
    def sentence(self) -> str:
        return self.recipe.sentence

    @property
    def context(self) -> str | None:
        return self.recipe.context

    @property
    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        queries, keys = (
            tuple(map(self.model.label, pieces)) if pieces else () for pieces in (self.tokens, self.context_tokens)
        )
        return queries, keys

    @property
    def _kind(self) -> str:
        """Which attention is shown."""
        if self.model.transformer.encoder is None:
            return SELF
        return ENCODER if self.recipe.context is None else CROSS

    @property
    def is_cross(self) -> bool:
        return self.is_open and self._kind == CROSS

    @property
    def second_words(self) -> str:
        return super().second_words if not self.is_open or self._kind != SELF else "second sentence"

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
        hidden = _as_array(lookup.mask, len(self._cut[0]), len(self._cut[1]))
        is_short = max(map(len, self._cut)) * stack.layers[0].nbytes <= SHORT
        run = self._run(lookup, hidden)
        known = Pass(run, self._kind, with_weights=not stack.spec.divides_by_root, is_short=is_short)

        def make(_layers: Sequence[Layer], place: int) -> Layer:
            return self._layer(known(place), place, hidden, lookup)

        return ModelLayers(len(stack.layers), make, known, self.model, lambda more: self._run(lookup, hidden, more))

    def reason_against_arrays(self) -> str:
        return ""  # scores of another kind than q·k are told as they are

    def whole_layer(self, place: int, lookup: Lookup = PLAIN) -> WholeLayer:
        hidden = _as_array(lookup.mask, len(self._cut[0]), len(self._cut[1]))
        run = self._run(lookup, hidden)
        tower = run.encoder if self._kind == ENCODER and run.encoder is not None else run.main
        place = min(place, tower.count - 1)
        layer, given, is_cross = tower.stack.layers[place], tower.surroundings(place), self._kind == CROSS
        told = self.formulas(place)
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
        return self.model.run(given, aim, off=off, masks=masks, softmax=softmax, room=0, lazily=True)

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
            return layer.with_maps(**{**lookup.weighing, "mask": mask})
        maps: tuple[AttentionMap, ...] = tuple(ArrayMap(weights, mask=mask) for weights in known.weights)
        return Layer(maps, values=values)

    def operations(self) -> float:
        stack = self._stack_if_open()
        if stack is None:
            return math.inf  # it may take long to open
        n_q, n_k = len(self.tokens), len(self.context_tokens)
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
        """The query at which the model says something by itself: the last, or the first that is to be filled in."""
        tokens = self.tokens if self.predicts else ()
        if self.predicts and self._stack.spec.is_causal:
            return len(tokens) - 1 if tokens else None
        return tokens.index(self.mask_token) if self.mask_token in tokens else None

    @property
    def guesses(self) -> bool:
        return self._place_of_guess is not None and self.operations() <= QUICK

    def guess(self, layers: Sequence[Layer]) -> Guess | None:
        place = self._place_of_guess
        found = None if place is None else self.predictions(layers, place, 1)
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
        origin = f"computed here by the model “{self._name}”"
        return Traits(f"“{self._name}”", origin, Made.LEARNED, lacks, runs_without_heads=True)

    def caption(self) -> tuple[str, ...]:
        stack = self._stack_if_open()
        if stack is None:
            return (self.traits.origin,)
        pair = " of two sentences" if self.recipe.context is not None else ""
        kinds = {SELF: f"self-attention{pair}", ENCODER: "self-attention of the encoder", CROSS: "cross-attention"}
        return self.traits.origin, f"{self.model.family}, {kinds[self._kind]}", "float32"

    def verdict(self) -> tuple[str, str]:
        said = f"“{self._name}” read the sentence. What a head looks at does not say what the model needs it for."
        if self.mask_words():
            said += " A token sees itself and those before it, and cannot know what comes later."
        if self.is_open:
            said = " ".join((said, *self.model.notes))
        return "These weights were computed by a model.", said

    def formulas(self, place: int) -> Mapping[str, str]:
        found = self._stack.layers[place]
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
