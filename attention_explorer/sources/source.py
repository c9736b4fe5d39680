"""What attention comes from: a recipe names it, a source opens it, and whoever shows attention asks the source."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

from attention_explorer.core.declared import declared
from attention_explorer.errors import ExplorerError
from attention_explorer.fields import CheckedFields
from attention_explorer.sources.lookup import PLAIN as PLAIN
from attention_explorer.sources.lookup import LayerPart as LayerPart
from attention_explorer.sources.lookup import Lookup as Lookup

if TYPE_CHECKING:
    from attention_explorer.model import Dropout
    from attention_explorer.sources.decoding import Decoding, Levels
    from attention_explorer.sources.layer import Floats, Layer
    from attention_explorer.sources.models.model import Model
    from attention_explorer.sources.whole_layer import WholeLayer


@dataclass(frozen=True, slots=True)
class Recipe(CheckedFields):
    """Names a source in the state: a few small fields, never arrays."""

    @property
    def whole_words(self) -> bool:
        """Whether the tokens of a word are shown as one."""
        return False

    @property
    def whose(self) -> str:
        """What stays the same while settings change: a picture of it may stand until the one of others is computed."""
        return type(self).__name__


class TypedRecipe(Recipe):
    """Names a source that reads what somebody types, and knows its tokens by that alone."""

    __slots__ = ()

    if TYPE_CHECKING:  # fields of some recipes, and properties of others

        @property
        def sentence(self) -> str:
            """What the queries belong to, as text."""

        @property
        def context(self) -> str | None:
            """What the keys belong to, as text; None if queries and keys belong to the same tokens."""

        @property
        def tokens(self) -> tuple[str, ...]:
            """One a query."""

        @property
        def context_tokens(self) -> tuple[str, ...]:
            """One a key; `tokens` again where there is no context."""


MOST_WITH_ARRAYS = 512
"""Tokens up to which arrays are told: some hold a number for every pair, in every head."""
AS_RECORDED = "as recorded"
"""What most weights are that no scores lead to."""
SENTENCE = "The cat sat on the mat because it was tired."
"""What most sources read at first."""


def sentence_declared(default: str = SENTENCE) -> Any:  # noqa: ANN401 # takes the place of a default
    """Return the field of a recipe that holds what is typed: its tokens ask."""
    tip = "Type a sentence: words and punctuation become tokens"
    return declared(default, "sentence", tip, "Type", has_words=True)


def context_declared() -> Any:  # noqa: ANN401 # takes the place of a default
    """Return the field of a recipe that holds a second sentence, which is attended to; None for none."""
    tip = "The sentence that keys and values come from"
    return declared(None, "second sentence", tip, "Type", has_words=True)


R = TypeVar("R", bound=Recipe)


class Made(StrEnum):
    """How the numbers of a source came about."""

    RANDOM = "random"
    GIVEN = "given"
    BY_HAND = "made by hand"
    LEARNED = "learned"
    RECORDED = "recorded"


class Ability(StrEnum):
    """What some sources cannot do."""

    TYPING = "typing"
    """The sentences can be typed."""
    DRAWING = "drawing"
    """Sizes, seed and weights can be set."""
    EMBEDDINGS = "embeddings"
    """The vectors of the tokens are known."""
    SCORES = "scores"
    """Queries and keys are known, so there are stages, and mask, scale and temperature compute the weights anew."""
    MASKS = "masks"
    """A mask can be chosen."""
    SECOND_SENTENCE = "second sentence"
    """The keys can come from a second sentence."""
    VALUES = "values"
    """The values are known, so there are outputs."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What a source is, and what it cannot do.

    Attributes
    ----------
    kind : str
        What it is called where two are told apart: "toy model".
    origin : str
        Where its numbers come from, for captions, descriptions and exports.
    made : Made
        How the numbers came about.
    lacks : mapping of Ability to str
        Why it cannot do something, and what to choose instead; one sentence each.
    runs_without_heads : bool
        Whether all is computed anew without the heads that are off, so that later layers change too.
    """

    kind: str
    origin: str
    made: Made
    lacks: Mapping[Ability, str] = field(default_factory=dict)
    runs_without_heads: bool = False

    def reason_against(self, ability: Ability) -> str:
        """Return why a source cannot do something; empty if it can."""
        return self.lacks.get(ability, "")


class Predictions(NamedTuple):
    """The most probable tokens at a place."""

    tokens: tuple[str, ...]
    """As they are drawn, the best first."""
    probabilities: Floats
    """Of all the vocabulary they sum to 1."""
    vocabulary: int
    """How many tokens there are."""
    is_next: bool
    """Whether they come after the place, or stand in it."""
    ids: tuple[int, ...]
    """Their places in the vocabulary."""
    whose: object
    """Of which model: two that are equal have one vocabulary."""


class Guess(NamedTuple):
    """The one word that a model says of what it reads."""

    about: str
    """What it is about, before the word: “it” means."""
    word: str
    probability: float
    """Of all words it may say they sum to 1."""


class Source(ABC, Generic[R]):
    """Opens what a recipe names. What is not overridden says nothing.

    Parameters
    ----------
    recipe : Recipe
        Of the type that the source belongs to.
    """

    def __init__(self, recipe: R) -> None:
        self.recipe = recipe

    @property
    def is_open(self) -> bool:
        """Whether all that it is can be told without waiting; if not, `open` is for a worker."""
        return True

    def open(self) -> None:
        """Get ready what takes long, so that all that it is can be told: before that, what is told is preliminary.

        Raises
        ------
        ExplorerError
            If it cannot be opened.
        """

    @property
    @abstractmethod
    def traits(self) -> Traits:
        """What it is, and what it cannot do."""

    @property
    def origin(self) -> str:
        """Where the numbers come from, for captions and exports: the recipe alone decides it, what was measured too."""
        return self.traits.origin

    @property
    @abstractmethod
    def tokens(self) -> tuple[str, ...]:
        """One a query, to the letter; none if it cannot be opened."""

    @property
    @abstractmethod
    def context_tokens(self) -> tuple[str, ...]:
        """One a key."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What the queries belong to, as text."""

    @property
    @abstractmethod
    def context(self) -> str | None:
        """What the keys belong to, as text; None if queries and keys belong to the same tokens."""

    def reason_against_arrays(self) -> str:
        """Return why the arrays of its layers cannot be told; empty if they can."""
        longest = max(len(self.tokens), len(self.context_tokens))
        if longest > MOST_WITH_ARRAYS:
            most = f"Arrays are shown up to {MOST_WITH_ARRAYS} tokens"
            return f"{most}, and there are {longest}: shorten the sentence."
        lacking = self.traits.reason_against(Ability.SCORES)
        return lacking or ("" if longest else "There is no token, so there are no arrays: type a sentence.")

    def whole_layer(self, place: int, lookup: Lookup = PLAIN) -> WholeLayer:
        """Return every array of a layer that is known, of the last one for a place behind it; counted from 0.

        Raises
        ------
        ExplorerError
            Only its weights are known, there are too many tokens, or it cannot be opened.
        """
        from attention_explorer.sources.whole_layer import attention_layer  # nobody needs it for the first picture

        reason = self.reason_against_arrays()
        if reason:
            raise ExplorerError(reason)
        layers = self.layers(lookup)
        place = min(place, len(layers) - 1)
        return attention_layer(layers[place], lookup, self.summands(place), self.formulas(place))

    def summands(self, place: int) -> Mapping[str, Floats]:
        """Return what was added up to the input of a layer, by name: embeddings, and the encoding of the positions."""
        return {}

    def formulas(self, place: int) -> Mapping[str, str]:
        """Return how arrays of a layer were made, by their names, where its letters alone would not say it."""
        return dict.fromkeys(("q", "k", "v"), self.origin)

    @property
    def saved_steps(self) -> tuple[str, ...]:
        """What the saved steps of its training are called, in order, where there are others than this one."""
        return ()

    @property
    def saved_step(self) -> int:
        """Which of them it is, from 0."""
        return 0

    def at_saved_step(self, place: int) -> R:
        """Return the recipe of another of them, counted from 0, which reads the same.

        Raises
        ------
        ExplorerError
            If it cannot be read.
        """
        return self.recipe

    cuts_words = False
    """Whether a word may be several tokens, so that words can be shown in place of them."""

    @property
    def words(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The word that each token of queries and keys belongs to, counted from 0, also where words are shown.

        Raises
        ------
        ExplorerError
            If the source cannot be opened.
        """
        return tuple(range(len(self.tokens))), tuple(range(len(self.context_tokens)))

    @property
    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tokens of queries and keys as they are drawn: exact pieces may hold what cannot be seen."""
        return self.tokens, self.context_tokens

    @property
    def is_cross(self) -> bool:
        """Whether queries and keys are of different sentences."""
        return self.context is not None

    @property
    def second_words(self) -> str:
        """What the second sentence is, in front of its field."""
        return "keys and values come from"

    @property
    def are_numbers(self) -> tuple[bool, bool]:
        """Whether the tokens of queries and keys are only their numbers, as no words are known."""
        return False, False

    @property
    @abstractmethod
    def heads(self) -> tuple[int, ...]:
        """How many heads each layer has; known without running any."""

    @abstractmethod
    def layers(self, lookup: Lookup) -> Sequence[Layer]:
        """Return the layers, each run when it is first looked at.

        Raises
        ------
        ExplorerError
            If the recipe, or mask, scale or temperature do not fit; later, if a layer cannot be run.
        """

    # ---- What hides keys ----

    def mask_words(self) -> str:
        """Say which mask the weights were made with, as in “mask: causal”; empty where that of the setup counts."""
        return ""

    def weight_words(self) -> str:
        """Say what a weight is that no scores lead to, as the end of a sentence: “as recorded”."""
        return AS_RECORDED

    # ---- How long it takes ----

    def operations(self) -> float:
        """Estimate what all layers take, in multiplications."""
        n_q, n_k = len(self.tokens), len(self.context_tokens)
        return 8.0 * n_q * n_k * max(n_q, 16)

    def checkpoints(self) -> int:
        """Count the checkpoints that are passed before the first layer is made, as where a model is learned."""
        return 0

    # ---- What goes in ----

    @property
    def is_encoded(self) -> bool:
        """Whether an encoding of the positions is added to the embeddings."""
        return False

    def embeddings(self) -> tuple[Floats, Floats] | None:
        """Return x (n_q, d) and context (n_k, d) before any encoding, or None where there are no embeddings."""
        return None

    # ---- In words ----

    def caption(self) -> tuple[str, ...]:
        """Return where the numbers come from, with the settings that made them."""
        return (self.origin,)

    def head_name(self, layer: int, head: int) -> str:
        """Return what a head is called, where a number would not do; empty if it would."""
        return ""

    @abstractmethod
    def verdict(self) -> tuple[str, str]:
        """Return what the weights are worth, as a title and a sentence or two."""

    def pattern(self, head: int) -> str:
        """Say what a head was made to look for; empty if it was not made for anything."""
        return ""

    def gloss(self, head: int, row: int, column: int) -> str:
        """Say why a query of a head attends to a key as it does; empty if there is nothing to say."""
        return ""

    def differences(self, other: Self) -> Iterator[tuple[str, str]]:
        """Yield pairs of words for what two sources of this type may differ in; equal where they do not."""
        yield from ()

    # ---- What a model makes of it ----

    @property
    def can_be_cut(self) -> bool:
        """Whether parts of its layers can be cut out while it runs: see `Lookup.cut`."""
        return False

    @property
    def can_be_bare(self) -> bool:
        """Whether it can run without the biases and gains that its layers learned: see `Lookup.biases`."""
        return False

    @property
    def has_biases(self) -> bool:
        """Whether the matrices of its layers have learned biases; yes until it is open."""
        return self.can_be_bare

    @property
    def dropout(self) -> Dropout | None:
        """What was left out of its layers in each step of learning; None where nothing was, or nobody says so.

        Once it is open.
        """
        return None

    def reason_against_decoding(self) -> str:
        """Return why it cannot be decoded token by token with a cache; empty if it can, or nobody knows yet."""
        return (
            "A cache is kept by models that see no later words, as GPT-2 and SmolLM2: open one in Heads, or choose a "
            "drawn layer."
        )

    def decoding(self) -> Decoding:
        """Decode its tokens one after the other, as they are: nothing masked, cut or switched off. Once it is open.

        Raises
        ------
        ExplorerError
            If it cannot be decoded: see `reason_against_decoding`.
        """
        raise ExplorerError(self.reason_against_decoding())

    def levels(self, _token: int, _vector: Callable[[int], Floats]) -> Levels:
        """Run it as it is, and with another vector entering the first layer at a token. Once it is open.

        Parameters
        ----------
        token : int
            Of the queries, from 0.
        vector : callable
            Returns a vector of so many numbers.

        Raises
        ------
        ExplorerError
            If it cannot be run so.
        """
        raise ExplorerError(
            "A vector is replaced in models of one tower that run here, as GPT-2 and BERT: open one in Heads, or "
            "choose a drawn layer."
        )

    can_be_asked = False
    """Whether it is a model of which circuits are asked: see `model_to_ask`."""

    def model_to_ask(self) -> Model:
        """Return the model of which circuits are asked; on the worker, for it may have to be opened.

        Raises
        ------
        ExplorerError
            If there is none that can be run.
        """
        raise ExplorerError(
            "Circuits are asked of a model that can be run again: choose one learned here, or open one in Heads."
        )

    @property
    def predicts(self) -> bool:
        """Whether the model says what comes next, or what was masked."""
        return False

    def predictions(
        self, layers: Sequence[Layer], row: int, most: int, ids: tuple[int, ...] | None = None
    ) -> Predictions | None:
        """Return what is expected at a query; None where nothing is predicted.

        Parameters
        ----------
        layers : sequence of Layer
            Of this source.
        row, most : int
            The query, and how many of the most probable tokens are returned.
        ids : tuple of int, optional
            Tokens that are returned in place of these.
        """
        return None

    @property
    def guesses(self) -> bool:
        """Whether the model says one word of this sentence; known without running it."""
        return False

    def guess(self, layers: Sequence[Layer]) -> Guess | None:
        """Return what the model says, with all that is hidden from it; None where it says nothing.

        Parameters
        ----------
        layers : sequence of Layer
            Of this source.
        """
        return None

    @property
    def mask_token(self) -> str:
        """How a word is typed that the model is to fill in; empty where it fills in none."""
        return ""

    @property
    def writes(self) -> bool:
        """Whether the model foretells each token from those before it, and so can go on with the sentence."""
        return False

    def surprise(self, layers: Sequence[Layer]) -> Floats | None:
        """Return how little each token was expected, −log₂ p in bits, (n_q,), NaN for the first; None if it cannot.

        Parameters
        ----------
        layers : sequence of Layer
            Of this source.
        """
        return None

    def next_text(self, layers: Sequence[Layer], temperature: float, top_k: int, seed: int) -> str:
        """Return what the model writes next, one token; empty where it ends its text.

        Parameters
        ----------
        layers : sequence of Layer
            Of this source.
        temperature, top_k : float, int
            How the token is drawn: at 0 it is the most probable one, else of so many of the most probable.
        seed : int
            Of the draw: the same one writes the same.
        """
        return ""

    @property
    def is_sentence_model(self) -> bool:
        """Whether it makes one vector of a sentence."""
        return False

    def cosine(self) -> tuple[float, str] | None:
        """Return the cosine of the two sentences, each read by itself, and how their vectors came about.

        None where there is no second one.
        """
        return None

    # ---- What made the scores ----

    def predicted_score_std(self, layer: int, *, scaled: bool) -> float | None:
        """Predict the standard deviation of the scores of a layer over all draws, where that can be told."""
        return None

    def causes_of_long_scores(self, layer: int, x: Floats) -> tuple[str, ...]:
        """Return which settings spread the scores of a layer, whose input is x (n_q, d_model), further than 1."""
        return ()

    @property
    def tie(self) -> str:
        """What would make the scores symmetric."""
        return "k = q"

    @property
    def symmetric_by(self) -> str:
        """What makes them symmetric, if something does."""
        return ""
