"""The toy model: random embeddings, random projections, honest attention.

Everything random comes from `numpy.random.RandomState`, whose stream is frozen for ever (NEP 19), so a seed means
the same numbers on every machine, and those of the tutorials that call `np.random.seed`.

==============  ================================================================================================
by position     RandomState(seed): randn(n_q, d_model), with a context randn(n_k, d_model), then the projections
by word, given  RandomState(seed): the projections alone; a word's vector comes from a stream of its own, seeded
                with the SHA-256 of seed and word
projections     a layer: W_q, W_k randn(d_model, heads · d_k), W_v randn(d_model, heads · d_v), W_O randn(heads · d_v,
                d_model), all times the gain; layer after layer. If W_k is tied to W_q it is drawn all the same, so
                W_v stays
==============  ================================================================================================
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from threading import Lock

import numpy as np
import numpy.typing as npt

from attention_explorer.core.byte_cache import kept
from attention_explorer.model import MultiHeadAttention, RowMask, layer_norm, sinusoidal_encoding
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.sources.layer import Floats, Layer, Values
from attention_explorer.sources.layers import Layers
from attention_explorer.sources.recipe import Encoding, Projections, TokenVectors, ToyRecipe, checked


def toy_layers(
    recipe: ToyRecipe,
    *,
    mask: npt.ArrayLike | RowMask | None = None,
    scale: float | None = None,
    temperature: float = 1.0,
    hard: bool = False,
) -> Layers:
    """Cook a recipe.

    Parameters
    ----------
    recipe : ToyRecipe
        What to draw.
    mask : array_like of bool, (n_q, n_k), or RowMask, optional
        True where a query may attend, or a function that gives rows of that; the same in all heads and layers.
    scale : float, optional
        Factor of the scores, 1/√d_k if not given.
    temperature : float
        Divides the scores in the softmax; ignored if `hard`.
    hard : bool
        Whether the best key takes all.

    Returns
    -------
    Layers
        `recipe.layers` of them. The first is made here; the weights of a layer are computed when the next is looked at.

    Raises
    ------
    ExplorerError
        If the recipe cannot be cooked, or mask, scale or temperature do not fit; later, when a layer is looked at, if
        its numbers leave the range of floats.

    Notes
    -----
    Between layers x ← LayerNorm(x + Attention(x)), the post-norm of Vaswani et al. 2017, section 3.1, without
    learned gain and bias and without the feed-forward layers. In cross-attention the context stays the same.
    """
    projections = _projections_of(checked(recipe))

    def make(layers: Sequence[Layer], place: int) -> Layer:
        if place == 0:
            return _first_layer(recipe).with_maps(mask, scale, temperature, hard)
        x = _frozen(layer_norm(_after_attention(layers[place - 1])))
        context = x if recipe.context is None else layers[0].inputs[1]
        return _projected(x, context, projections[place]).with_maps(mask, scale, temperature, hard)

    layers = Layers(len(projections), make, projections)
    _ = layers[0]  # here, and not later, is it said that a mask or a temperature does not fit
    return layers


def token_embeddings(recipe: ToyRecipe) -> tuple[Floats, Floats]:
    """Return what goes into the first layer.

    Parameters
    ----------
    recipe : ToyRecipe
        What to draw.

    Returns
    -------
    x : ndarray, (n_q, d_model)
        The embeddings of the sentence, with the encoding if there is one; read-only.
    context : ndarray, (n_k, d_model)
        Those of the context, or `x` itself in self-attention; read-only.

    Raises
    ------
    ExplorerError
        If the recipe cannot be cooked.
    """
    return _first_layer(checked(recipe)).inputs


# ---- Embeddings ----


def _embeddings(recipe: ToyRecipe) -> tuple[Floats, Floats]:
    queries = len(recipe.tokens)
    tokens = recipe.tokens if recipe.context is None else recipe.tokens + recipe.context_tokens
    if recipe.vectors is TokenVectors.BY_POSITION:
        stream = np.random.RandomState(recipe.seed)
        rows: Floats = stream.randn(len(tokens), recipe.d_model) * recipe.embedding_scale
    elif recipe.vectors is TokenVectors.GIVEN:
        rows = _given_rows(recipe, len(tokens))
    else:
        words = tokens if recipe.case_sensitive else tuple(token.casefold() for token in tokens)
        vectors = [_drawn_vector(recipe.seed, f"word {word}", recipe.d_model) for word in words]
        rows = _stacked(vectors, recipe.d_model) * recipe.embedding_scale
    x, context = rows[:queries], rows[queries:]
    if recipe.encoding is Encoding.SINUSOIDAL:
        x = x + sinusoidal_encoding(len(x), recipe.d_model)
        context = context + sinusoidal_encoding(len(context), recipe.d_model)
    x = _frozen(x)
    return x, x if recipe.context is None else _frozen(context)


def _given_rows(recipe: ToyRecipe, count: int) -> Floats:
    """Take the given rows as they are, and draw those that are missing."""
    rows: list[Floats] = [np.array(row, dtype=np.float64) for row in recipe.given[:count]]
    missing = range(len(rows), count)
    rows += [_drawn_vector(recipe.seed, f"row {i}", recipe.d_model) * recipe.embedding_scale for i in missing]
    return _stacked(rows, recipe.d_model)


def _stacked(rows: list[Floats], d_model: int) -> Floats:
    return np.stack(rows) if rows else np.zeros((0, d_model))


# Sown anew for every word: ten times as fast as a new generator. The lock is for frames made on other threads.
_word_stream = np.random.RandomState(0)
_word_lock = Lock()


@kept
def _drawn_vector(seed: int, name: str, d_model: int) -> Floats:
    """Draw N(0, 1) for a name, independent of all other names: (d_model,)."""
    digest = hashlib.sha256(f"{seed} {name}".encode()).digest()
    with _word_lock:
        _word_stream.seed(np.frombuffer(digest, dtype="<u4").astype(np.uint32))
        return _frozen(_word_stream.randn(d_model))


# ---- Projections ----


def _projections_of(recipe: ToyRecipe) -> tuple[MultiHeadAttention, ...]:
    """Return the projections of every layer."""
    if recipe.projections is Projections.IDENTITY:
        return (_identity(recipe.d_model, recipe.heads),) * recipe.layers
    drawn_before = 0
    if recipe.vectors is TokenVectors.BY_POSITION:
        tokens = len(recipe.tokens) + (0 if recipe.context is None else len(recipe.context_tokens))
        drawn_before = tokens * recipe.d_model
    return _drawn_projections(
        recipe.seed,
        drawn_before,
        recipe.d_model,
        recipe.heads,
        recipe.head_width,
        recipe.value_width,
        recipe.gain_number,
        recipe.layers,
        recipe.projections is Projections.TIED,
    )


@kept
def _drawn_projections(
    seed: int, drawn_before: int, d_model: int, heads: int, d_k: int, d_v: int, gain: float, layers: int, tied: bool
) -> tuple[MultiHeadAttention, ...]:
    stream = np.random.RandomState(seed)
    stream.randn(drawn_before)
    width, values = heads * d_k, heads * d_v
    drawn = []
    for _ in range(layers):
        w_q, w_k, w_v = (_drawn_matrix(stream, d_model, columns, gain) for columns in (width, width, values))
        w_o = _drawn_matrix(stream, values, d_model, gain)
        drawn.append(MultiHeadAttention(w_q, w_q if tied else w_k, w_v, w_o, heads))
    return tuple(drawn)


def _drawn_matrix(stream: np.random.RandomState, rows: int, columns: int, gain: float) -> Floats:
    checkpoint()
    return _frozen(stream.randn(rows, columns) * gain)


@kept
def _identity(d_model: int, heads: int) -> MultiHeadAttention:
    eye = _frozen(np.eye(d_model))
    return MultiHeadAttention(eye, eye, eye, eye, heads)


# ---- Layers ----


@kept
def _first_layer(recipe: ToyRecipe) -> Layer:
    """Project the embeddings, without maps: no mask and no temperature changes that."""
    x, context = _embeddings(recipe)
    return _projected(x, context, _projections_of(recipe)[0])


def _projected(x: Floats, context: Floats, attention: MultiHeadAttention) -> Layer:
    q, k = (_frozen(part) for part in attention.project_queries_keys(x, context))
    values = Values(lambda: _frozen(attention.project_values(context)))
    return Layer((), x, context, q, k, values, attention)


def _after_attention(layer: Layer) -> Floats:
    """Add what attention found to what came in: (n_q, d_model). Head by head, as n_q × n_k may be large."""
    x = layer.inputs[0]
    if layer.attention is None:
        return x
    found = np.stack([head.output(v) for head, v in zip(layer.maps, layer.v, strict=True)])  # (heads, n_q, d_v)
    return x + layer.attention.project_output(found)


def _frozen(array: npt.NDArray[np.floating]) -> Floats:
    """Make an array read-only: it is shared between all who ask."""
    frozen: Floats = np.asarray(array, dtype=np.float64)
    frozen.flags.writeable = False
    return frozen
