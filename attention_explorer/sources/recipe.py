"""The recipe of the toy model: a sentence, sizes, a seed, and what is drawn from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from attention_explorer.core.counting import MOST_TOKENS
from attention_explorer.core.declared import ANY_FINITE, Kind, declared, derived
from attention_explorer.errors import ExplorerError
from attention_explorer.model import split_heads
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.sources.source import TypedRecipe, context_declared, sentence_declared
from attention_explorer.sources.tokens import tokens_in

LARGEST_D_MODEL = 1024
MOST_HEADS = 64
LARGEST_D_K = 512
MOST_LAYERS = 24
LARGEST_FACTOR = 100.0
MOST_NUMBERS = 2**26
"""Entries of all projections, embeddings, queries, keys and values together: half a gibibyte as float64."""


GAINS = tuple(float(f"{10 ** (step / 100 - 2):.3g}") for step in range(201))
"""The gains of a slider, from 0.01 to 1: equal steps multiply by equal factors."""
NO_W = "There are no projections, so there is no W."
NO_WORDS = "No word has a vector of its own."
_D_K_TIP = (
    "How many numbers a query and a key of one head have.\n"
    "auto: d_model ÷ heads, as in “Attention Is All You Need”. A number of your own fits any number of heads."
)
_D_V_TIP = (
    "How many numbers a value of one head has. Queries and keys must be of one length, values need not:\n"
    "the output of a head then has d_v numbers per token, and W_O brings it back to d_model."
)
_GAIN_TIP = (
    "The standard deviation of the entries of W. 1/√d_model keeps scaled scores near ±1;\n"
    "a larger gain spreads them, until one key takes nearly all the weight of each row."
)


class TokenVectors(StrEnum):
    """What a token's embedding depends on."""

    BY_WORD = "by word"
    """The word and the seed only: equal words share a vector."""
    BY_POSITION = "by position"
    """Every position has a vector of its own, one random stream for all."""
    GIVEN = "given"
    """The rows of the recipe."""


class Projections(StrEnum):
    """How queries, keys and values come from the embeddings."""

    RANDOM = "random"
    TIED = "tied"
    """W_k is W_q, so the scores of self-attention are symmetric (the weights are not)."""
    IDENTITY = "identity"
    """No projection: Q = K = V = X."""


class GainKind(StrEnum):
    """What decides the standard deviation of the entries of the projections."""

    NUMBER = "number"
    HE = "√(2/d_model)"
    NORMALISED = "1/√d_model"


class Encoding(StrEnum):
    """What is added to the embeddings to tell positions apart."""

    NONE = "none"
    SINUSOIDAL = "sinusoidal"


@dataclass(frozen=True, slots=True)
class ToyRecipe(TypedRecipe):
    """Everything that decides the numbers of a toy model. `checked` tells which numbers do not do.

    Attributes
    ----------
    sentence : str
        Its tokens make the queries, and without `context` the keys and values too.
    context : str or None
        The second sentence of cross-attention: its tokens make the keys and values.
    case_sensitive : bool
        Whether "The" and "the" are two words; matters for vectors by word only.
    d_model : int
        Length of an embedding.
    heads : int
        Attention heads of a layer.
    d_k : int or None
        Length of a query and key of one head; None is d_model ÷ heads.
    d_v : int or None
        Length of a value of one head; None is that of a query.
    layers : int
        Attention layers.
    seed : int
        Of NumPy's legacy random numbers, whose stream never changes.
    gain_kind : GainKind
        What decides the standard deviation of the entries of W.
    gain : float
        That standard deviation itself, if `gain_kind` is NUMBER.
    embedding_scale : float
        Standard deviation of the entries of the random embeddings.
    vectors : TokenVectors
        What the embeddings depend on.
    given : tuple of tuple of float
        Embeddings of the tokens, d_model numbers each, used as they are if `vectors` is GIVEN: first those of
        the sentence, then those of the context. Rows beyond the last token are left out; a token without a row
        gets a random one, which depends on the seed and its position only.
    projections : Projections
        How queries, keys and values come from the embeddings.
    encoding : Encoding
        What is added to the embeddings of each sentence.
    """

    sentence: str = sentence_declared()
    context: str | None = context_declared()
    case_sensitive: bool = declared(
        True,
        "case-sensitive",
        "Whether “The” and “the” are two words, with a vector each.",
        "Switch case-sensitive",
        forbids=lambda recipe: "" if recipe.vectors is TokenVectors.BY_WORD else NO_WORDS,
    )
    d_model: int = declared(
        64,
        "d_model",
        "How many numbers stand for a token.\nThe arrow keys go to the next number that the heads can share.",
        "Change d_model",
        low=1,
        high=LARGEST_D_MODEL,
    )
    heads: int = declared(
        8,
        "heads",
        "Heads look up side by side, each with projections of its own.\n"
        "They share the d_model features. The arrow keys go to the next number that divides d_model.",
        "Change number of heads",
        low=1,
        high=MOST_HEADS,
    )
    d_k: int | None = declared(
        None,
        "d_k",
        _D_K_TIP,
        "Change d_k",
        low=1,
        high=LARGEST_D_K,
    )
    d_v: int | None = declared(
        None,
        "d_v",
        _D_V_TIP,
        "Change d_v",
        low=1,
        high=LARGEST_D_K,
    )
    layers: int = declared(
        1,
        "layers",
        "Layers of attention. Each adds what it found to what came in and normalises the sum;\n"
        "the next one looks at that.",
        "Change number of layers",
        low=1,
        high=MOST_LAYERS,
    )
    seed: int = declared(
        42,
        "seed",
        "The same seed draws the same numbers on every machine, those of NumPy’s RandomState.",
        "Change seed",
        high=LARGEST_SEED,
    )
    gain_kind: GainKind = declared(
        GainKind.NORMALISED,
        "gain",
        _GAIN_TIP,
        "Change gain",
        names={"√(2/d_model)": "He, √(2/d_model)", "number": "own number"},
        forbids=lambda recipe: NO_W if recipe.projections is Projections.IDENTITY else "",
    )
    gain: float = declared(
        0.3,
        "std of W",
        _GAIN_TIP,
        "Change gain",
        high=LARGEST_FACTOR,
        stops=GAINS,
        forbids=lambda recipe: NO_W if recipe.projections is Projections.IDENTITY else "",
    )
    embedding_scale: float = declared(
        1.0,
        "their scale",
        "The standard deviation of the entries of the random embeddings.\n"
        "Without positions, scores grow with its square, as queries and keys both grow with it.",
        "Change embedding scale",
        high=LARGEST_FACTOR,
    )
    vectors: TokenVectors = declared(
        TokenVectors.BY_WORD,
        "embeddings",
        "One vector per word: equal words have equal vectors, wherever they stand.\n"
        "One vector per position: every token has a vector of its own.",
        "Change the embeddings",
        names={
            "by word": "one vector per word",
            "by position": "one vector per position",
            "given": "given numbers",
        },
    )
    given: tuple[tuple[float, ...], ...] = declared(
        (),
        "given numbers",
        "The embeddings of the tokens, if they are given and not drawn",
        "Edit the embeddings",
        kind=Kind.LIST,
        low=-ANY_FINITE,
        most=2 * MOST_TOKENS,
    )
    projections: Projections = declared(
        Projections.RANDOM,
        "projections",
        "How queries, keys and values come from the embeddings X: Q = X·W_q, K = X·W_k, V = X·W_v.\n"
        "Tied: the scores are symmetric, the weights need not be. None: a score is a product of two embeddings.",
        "Change the projections",
        names={
            "random": "random W_q, W_k, W_v",
            "tied": "W_q = W_k (tied)",
            "identity": "none: Q = K = V = X",
        },
    )
    encoding: Encoding = declared(
        Encoding.NONE,
        "positions",
        "Added to the embeddings to tell positions apart; without it, or a mask, a head cannot know\n"
        "the order of the words.\n"
        "Sinusoidal: sines and cosines of the position, as in “Attention Is All You Need”.",
        "Change the position encoding",
    )

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens that ask, one a query."""
        return tokens_in(self.sentence)

    @property
    def context_tokens(self) -> tuple[str, ...]:
        """The tokens that are attended to, one a key: those of the context, or the same as `tokens`."""
        return tokens_in(self.sentence if self.context is None else self.context)

    @property
    @derived(
        "d_k",
        _D_K_TIP,
        "Change d_k",
        low=1,
        high=LARGEST_D_K,
        ends=lambda recipe: (1, max(LARGEST_D_K, recipe.head_width)),
    )
    def head_width(self) -> int:
        """d_k: features of a query and key of one head."""
        return self.d_model // self.heads if self.d_k is None else self.d_k

    @property
    @derived(
        "d_v",
        _D_V_TIP,
        "Change d_v",
        low=1,
        high=LARGEST_D_K,
        ends=lambda recipe: (1, max(LARGEST_D_K, recipe.value_width)),
    )
    def value_width(self) -> int:
        """d_v: features of a value of one head."""
        return self.head_width if self.d_v is None else self.d_v

    @property
    def gain_number(self) -> float:
        """σ_w: the standard deviation of the entries of the projections."""
        if self.gain_kind is GainKind.HE:
            return math.sqrt(2.0 / self.d_model)  # He et al. 2015, eq. 10
        if self.gain_kind is GainKind.NORMALISED:
            return 1.0 / math.sqrt(self.d_model)
        return self.gain

    @property
    def drawn_rows(self) -> int:
        """How many of the given vectors are missing, so that random ones stand in; 0 if none are given."""
        if self.vectors is not TokenVectors.GIVEN:
            return 0
        count = len(self.tokens) + (0 if self.context is None else len(self.context_tokens))
        return max(count - len(self.given), 0)

    @property
    def is_drawn(self) -> bool:
        """Whether any number depends on the seed."""
        given = self.vectors is TokenVectors.GIVEN and not self.drawn_rows
        return not (given and self.projections is Projections.IDENTITY)

    @property
    def origin(self) -> str:
        """Where vectors and projections come from, in a few words."""
        if self.vectors is TokenVectors.GIVEN:
            vectors = f"given vectors ({self.drawn_rows} more drawn)" if self.drawn_rows else "given vectors"
        else:
            vectors = "random vectors"
        if self.projections is Projections.IDENTITY:
            return f"{vectors}, no projections"
        tied = ", W_k = W_q" if self.projections is Projections.TIED else ""
        if self.vectors is TokenVectors.GIVEN:
            return f"{vectors}, random projections{tied}"
        return f"random weights{tied}"

    def predicted_score_std(self, scaled: bool = True) -> float | None:
        """Predict the standard deviation of the score of two different words over all draws.

        Parameters
        ----------
        scaled : bool
            Of the scores divided by √d_k, or of the raw products.

        Returns
        -------
        float or None
            For the first layer. None where there is no draw or no simple prediction: without projections, with
            given embeddings, and with tied projections of encoded embeddings (whose scores have a mean that
            depends on the distance).

        Notes
        -----
        With independent W_q and W_k of entries N(0, σ_w²), each of the d_k products that make a score has, for
        given x_i and x_j, mean 0 and variance σ_w⁴ ‖x_i‖² ‖x_j‖², and no two are correlated. The embeddings are
        independent, and ‖x‖² has the mean d_model · m, where m = s² is the embedding scale squared, plus ½ with
        the sinusoidal encoding (sin² + cos² = 1 for every pair). So Var(q·k) = d_k (d_model m σ_w²)², exactly
        but for the encoding with an odd d_model; √d_k scales it away: the scaled scores have the standard
        deviation d_model · m · σ_w² whatever d_k is.

        If W_k is W_q, the products are correlated: each has, given the embeddings, mean σ_w² x_i·x_j and
        variance σ_w⁴ (‖x_i‖² ‖x_j‖² + (x_i·x_j)²). As (x_i·x_j)² has the mean d_model s⁴,
        Var(q·k) = d_k d_model (d_model + 1 + d_k) s⁴ σ_w⁴.

        A word with itself scores higher: ‖x‖⁴ has the mean d_model (d_model + 2) s⁴, and if W_k is W_q, the score
        itself has the mean √d_k d_model s² σ_w².
        """
        encoded = self.encoding is Encoding.SINUSOIDAL
        tied = self.projections is Projections.TIED
        if self.projections is Projections.IDENTITY or self.vectors is TokenVectors.GIVEN or (tied and encoded):
            return None
        mean_square = self.embedding_scale**2 + (0.5 if encoded else 0.0)
        std = self.d_model * mean_square * self.gain_number**2
        if tied:
            std *= math.sqrt(1.0 + (1.0 + self.head_width) / self.d_model)
        return std if scaled else std * math.sqrt(self.head_width)


def checked(recipe: ToyRecipe) -> ToyRecipe:
    """Refuse a recipe that cannot be cooked.

    Parameters
    ----------
    recipe : ToyRecipe
        Any.

    Returns
    -------
    ToyRecipe
        The same.

    Raises
    ------
    ExplorerError
        If a number is outside its range, the heads do not divide d_model, the given rows do not fit, or the
        whole would not fit into memory (`MOST_NUMBERS`).
    """
    _require_integer("d_model", recipe.d_model, 1, LARGEST_D_MODEL)
    _require_integer("The number of heads", recipe.heads, 1, MOST_HEADS)
    _require_integer("The number of layers", recipe.layers, 1, MOST_LAYERS)
    _require_integer("The seed", recipe.seed, 0, LARGEST_SEED)
    _require_factor("The gain", recipe.gain)
    _require_factor("The embedding scale", recipe.embedding_scale)
    _require_widths_that_fit(recipe)
    if recipe.vectors is TokenVectors.GIVEN:
        _require_rows_that_fit(recipe)
    _require_room(recipe)
    return recipe


def _require_integer(name: str, value: int, lowest: int, highest: int) -> None:
    if not lowest <= value <= highest:
        raise ExplorerError(f"{name} must be a whole number from {lowest} to {highest}, not {value!r}.")


def _require_factor(name: str, value: float) -> None:
    if not 0.0 <= value <= LARGEST_FACTOR:
        raise ExplorerError(f"{name} must be a number from 0 to {LARGEST_FACTOR:g}, not {value!r}.")


def _require_widths_that_fit(recipe: ToyRecipe) -> None:
    width, remainder = divmod(recipe.d_model, recipe.heads)
    if recipe.d_k is not None:
        _require_integer("d_k", recipe.d_k, 1, LARGEST_D_K)
    if recipe.d_k is None:
        try:
            split_heads(np.empty((0, recipe.d_model)), recipe.heads)  # refuses in the model's own words
        except ExplorerError as error:
            if recipe.projections is Projections.IDENTITY:
                raise
            raise ExplorerError(f"{str(error).rstrip('.')}, or give d_k a number of its own.") from error
    elif recipe.projections is Projections.IDENTITY and (remainder or recipe.d_k != width):
        raise ExplorerError(
            f"Without projections the heads share the d_model = {recipe.d_model} features of a token, but "
            f"{recipe.heads} heads of d_k = {recipe.head_width} would need {recipe.heads * recipe.head_width}: choose "
            "a number of heads that divides d_model and leave d_k open, or choose random projections."
        )
    if recipe.d_v is not None:
        _require_integer("d_v", recipe.d_v, 1, LARGEST_D_K)
        if recipe.projections is Projections.IDENTITY and recipe.d_v != recipe.head_width:
            raise ExplorerError(
                f"Without projections the values are the features of the tokens, {recipe.head_width} a head, and d_v "
                f"is {recipe.d_v}: leave d_v open, or choose random projections."
            )


def _require_rows_that_fit(recipe: ToyRecipe) -> None:
    for i, row in enumerate(recipe.given):
        numbers: tuple[object, ...] = row
        if len(row) != recipe.d_model:
            raise ExplorerError(
                f"Vector {i + 1} of {len(recipe.given)} has {len(row)} numbers, but d_model is {recipe.d_model}: give "
                "every token d_model numbers, or change d_model."
            )
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
                raise ExplorerError(
                    f"Vector {i + 1} of {len(recipe.given)} holds {number!r}: give finite numbers only."
                )


def _require_room(recipe: ToyRecipe) -> None:
    width, values = recipe.heads * recipe.head_width, recipe.heads * recipe.value_width
    tokens = len(recipe.tokens) + (0 if recipe.context is None else len(recipe.context_tokens))
    numbers = recipe.layers * (2 * recipe.d_model * (width + values) + tokens * (recipe.d_model + 2 * width + values))
    if numbers > MOST_NUMBERS:
        raise ExplorerError(
            f"This model would hold {numbers / 1e6:.0f} million numbers, and at most {MOST_NUMBERS / 1e6:.0f} million "
            "fit: choose fewer layers, a smaller d_model or d_k, or a shorter sentence."
        )
