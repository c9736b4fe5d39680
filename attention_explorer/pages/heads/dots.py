"""The vectors of the tokens, compared: dot products beside cosines, and every product behind one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.map_picture import ColourScale, FloatArray, MapPicture, ScaleKind, score_scale
from attention_explorer.core.numerals import coordinate, parsed_number, plain
from attention_explorer.errors import ExplorerError
from attention_explorer.sources.recipe import Encoding, Projections, TokenVectors, ToyRecipe
from attention_explorer.sources.registry import recipe_as, source_of
from attention_explorer.sources.source import Ability, Recipe

MOST_COMPARED = 64
"""Vectors up to which all pairs are compared: more would be a picture without numbers."""

MOST_EDITED = 4096
"""Numbers up to which embeddings can be typed: each change keeps all of them in the history."""

MOST_TERMS = 6
"""Products of a pair that are written out."""


@dataclass(frozen=True, slots=True, eq=False)
class DotTable:
    """The vectors of all tokens and what their pairs have in common.

    Attributes
    ----------
    names : tuple of str
        The tokens of the sentence, then those of the second sentence if there is one.
    vectors : ndarray, (n, d_model)
        The embeddings without any encoding, whose projections are the queries and keys.
    dots, cosines : ndarray, (n, n)
        x_i·x_j, and that divided by both lengths; NaN where a length is 0.
    lengths : ndarray, (n,)
        ‖x_i‖.
    """

    names: tuple[str, ...]
    vectors: FloatArray
    dots: FloatArray
    cosines: FloatArray
    lengths: FloatArray

    def terms(self, first: int, second: int) -> FloatArray:
        """Return the products (d_model,) that add up to a dot product."""
        return np.asarray(self.vectors[first] * self.vectors[second])


def dot_table(recipe: Recipe) -> DotTable:
    """Compare the vectors of a recipe.

    Raises
    ------
    ExplorerError
        The heads were made by hand, or there are no vectors or too many.
    """
    vectors, names = _vectors(recipe)
    if not len(names):
        raise ExplorerError("There is no token to compare: type a sentence.")
    if len(names) > MOST_COMPARED:
        raise ExplorerError(
            f"Up to {MOST_COMPARED} vectors are compared, and there are {len(names)}: shorten the sentence."
        )
    lengths = np.sqrt((vectors**2).sum(axis=1))
    dots = vectors @ vectors.T
    product = lengths[:, None] * lengths[None, :]
    cosines = np.divide(dots, product, out=np.full_like(dots, np.nan), where=product > 0)
    return DotTable(names, vectors, dots, np.clip(cosines, -1.0, 1.0), lengths)


def _vectors(recipe: Recipe) -> tuple[FloatArray, tuple[str, ...]]:
    source = source_of(recipe)
    embedded = source.embeddings()
    if embedded is None:
        raise ExplorerError(source.traits.reason_against(Ability.EMBEDDINGS))
    x, context = embedded
    if source.context is None:
        return x, source.tokens
    return np.vstack([x, context]), source.tokens + source.context_tokens


# ---- Typing numbers ----


def reason_against_typing(recipe: Recipe) -> str:
    """Return why the embeddings of a recipe cannot be typed; empty if they can."""
    try:
        vectors, _ = _vectors(recipe)
    except ExplorerError as error:
        return str(error)
    if vectors.size > MOST_EDITED:
        return (
            f"Up to {MOST_EDITED} numbers can be typed, and these embeddings hold {vectors.size}: choose a smaller "
            "d_model or a shorter sentence."
        )
    return ""


def as_given(recipe: Recipe) -> ToyRecipe:
    """Return the recipe with its embeddings as numbers of its own, bit by bit those it has now.

    Raises
    ------
    ExplorerError
        There are none, or too many.
    """
    reason, toy = reason_against_typing(recipe), recipe_as(recipe, ToyRecipe)
    if reason or toy is None:
        raise ExplorerError(reason)
    vectors, names = _vectors(toy)
    surplus = toy.given[len(names) :] if toy.vectors is TokenVectors.GIVEN else ()
    rows = tuple(tuple(row) for row in vectors.tolist())
    return replace(toy, vectors=TokenVectors.GIVEN, given=rows + surplus)


def with_number(recipe: Recipe, row: int, column: int, text: str) -> ToyRecipe:
    """Return the recipe with one number of one embedding replaced by what was typed.

    Raises
    ------
    ExplorerError
        It is not a finite number, or the embeddings cannot be typed.
    """
    number = parsed_number(text)
    given = as_given(recipe)
    rows = [list(vector) for vector in given.given]
    rows[row][column] = number
    return replace(given, given=tuple(tuple(vector) for vector in rows))


# ---- Pictures and words ----


def dot_pictures(table: DotTable) -> tuple[MapPicture, MapPicture]:
    """Return dot products and cosines as maps; the cosines always from −1 to 1."""
    nowhere = np.zeros(table.dots.shape, np.bool_)
    dots = MapPicture(table.dots, nowhere, score_scale(table.dots, "dot product"), "", table.names, table.names)
    scale = ColourScale(ScaleKind.DIVERGING, -1.0, 1.0, "cosine")
    undirected = np.isnan(table.cosines)
    cosines = np.where(undirected, 0.0, table.cosines)
    return dots, MapPicture(
        cosines, undirected, scale, "", table.names, table.names, masked_word="no direction: length 0"
    )


def dot_words(table: DotTable, first: int, second: int) -> tuple[str, str]:
    """Return a dot product with its products, and the cosine with its lengths."""
    a, b, terms = table.vectors[first], table.vectors[second], table.terms(first, second)
    largest = np.argsort(-np.abs(terms), kind="stable")[:MOST_TERMS]
    order: list[int] = sorted(largest.tolist())
    factors = " + ".join(f"{_number(a[i])}·{_number(b[i])}" for i in order)
    products = _sum([float(terms[i]) for i in order])
    rest = len(terms) - len(order)
    if rest:
        left = float(terms.sum() - terms[order].sum())
        factors += " + …"
        products += f" {_signed(left)} ({rest} smaller products)"
    dot, pair = float(table.dots[first, second]), f"{table.names[first]} · {table.names[second]}"
    lengths = f"{plain(float(table.lengths[first]), 3)} · {plain(float(table.lengths[second]), 3)}"
    cosine = float(table.cosines[first, second])
    said = f"{plain(dot, 3)} ÷ ({lengths}) = {plain(cosine, 3)}"
    if np.isnan(cosine):
        said = "none, as a vector of length 0 has no direction"
    return f"{pair} = {factors} = {products} = {coordinate(dot, 5)}", f"cosine = {said}"


def _number(number: float) -> str:
    text = coordinate(float(number), 4)
    return f"({text})" if number < 0 else text


def _sum(terms: list[float]) -> str:
    text = coordinate(terms[0], 3)
    return " ".join([text, *(_signed(term) for term in terms[1:])])


def _signed(term: float) -> str:
    return f"{'−' if term < 0 else '+'} {coordinate(abs(term), 3)}"


def dot_verdict(table: DotTable) -> str:
    """Say whether some token matches another better than itself, and that length is why."""
    own = np.diag(table.dots)
    ahead = table.dots - own[:, None]
    np.fill_diagonal(ahead, -np.inf)
    if len(own) < 2:
        return "One vector alone: its dot product with itself is its length squared."
    row, column = (int(i) for i in np.unravel_index(int(np.argmax(ahead)), ahead.shape))
    if ahead[row, column] <= 0:
        return (
            "No token matches another better than itself. The dot product counts length as well as direction, the "
            "cosine direction alone."
        )
    one, other = table.names[row], table.names[column]
    return (
        f"Length counts too: {one} · {other} = {coordinate(float(table.dots[row, column]), 4)} is more than {one} · "
        f"{one} = {coordinate(float(own[row]), 4)}, so “{one}” matches “{other}” better than itself. The cosine of a "
        "vector with itself is always 1."
    )


def vectors_words(recipe: Recipe) -> str:
    """Say what the vectors are, and how the scores of the heads come from them; nothing where there are none."""
    toy = recipe_as(recipe, ToyRecipe)
    return "" if toy is None else _toy_words(toy)


def _toy_words(recipe: ToyRecipe) -> str:
    said = "These vectors are random."
    if recipe.vectors is TokenVectors.GIVEN:
        can_type = not reason_against_typing(recipe)
        said = "Double click a number to type another." if can_type else "These vectors were given as numbers."
    has_projections, is_encoded = recipe.projections is not Projections.IDENTITY, recipe.encoding is not Encoding.NONE
    if recipe.vectors is TokenVectors.BY_POSITION and has_projections:
        said += " Editing them makes a new W too: both are drawn from the same seed."
    if is_encoded:
        said += " The encoding of the positions is added to them."
    if has_projections:
        return f"{said} The scores of a head compare x·W_Q with x·W_K and not these vectors."
    if recipe.heads > 1:
        return f"{said} There are no projections: each head compares its own share of the features."
    if is_encoded:
        return f"{said} There are no projections: in the first layer the dot products of the sums are the raw scores."
    return f"{said} There are no projections: in the first layer the dot products are the raw scores."


def vectors_table(table: DotTable) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Return the vectors and all pairs, every digit, for a CSV file."""
    header = ("token", *(f"x{i + 1}" for i in range(table.vectors.shape[1])), *(f"· {name}" for name in table.names))
    cosines = tuple(f"cos {name}" for name in table.names)
    return (*header, *cosines), [
        (name, *vector, *dots, *own)
        for name, vector, dots, own in zip(
            table.names, table.vectors.tolist(), table.dots.tolist(), table.cosines.tolist(), strict=True
        )
    ]
