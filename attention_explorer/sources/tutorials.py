"""The worked examples of public tutorials, number for number."""

from __future__ import annotations

from dataclasses import dataclass

from attention_explorer.sources.recipe import Encoding, GainKind, Projections, TokenVectors, ToyRecipe


@dataclass(frozen=True, slots=True)
class Tutorial:
    """A worked example: what it is, how to cook it, and numbers to recognise it by."""

    id: str
    title: str
    recipe: ToyRecipe
    facts: str
    has_w_o: bool = True
    """Whether the tutorial projects the outputs of its heads; if not, its output is A·V, and W_O is this program's."""


_CAT = (0.9, 0.1, 0.8, 0.2)
_SAT = (0.1, 0.9, 0.3, 0.7)
_MAT = (0.8, 0.2, 0.7, 0.3)


def _seeded(sentence: str, d_model: int, heads: int, gain: float) -> ToyRecipe:
    return ToyRecipe(
        sentence=sentence,
        d_model=d_model,
        heads=heads,
        gain_kind=GainKind.NUMBER,
        gain=gain,
        vectors=TokenVectors.BY_POSITION,
    )


TUTORIALS: tuple[Tutorial, ...] = (
    Tutorial(
        "dot-products",
        "Three words as vectors of four numbers (tutorial)",
        ToyRecipe(
            sentence="cat sat mat",
            d_model=4,
            heads=1,
            vectors=TokenVectors.GIVEN,
            given=(_CAT, _SAT, _MAT),
            projections=Projections.IDENTITY,
        ),
        "Raw scores: cat · sat 0.56, cat · mat 1.36, sat · mat 0.68. Length counts too: mat · cat = 1.36 is more than "
        "mat · mat = 1.26.",
    ),
    Tutorial(
        "five-token",
        "Five tokens, one head (tutorial, seed 42)",
        _seeded("The cat sat on mat", 8, 1, 0.3),
        "Row “The”: .091 .382 .192 .193 .142. The scores are not symmetric: The → cat weighs .382, cat → The .470.",
        has_w_o=False,
    ),
    Tutorial(
        "four-token",
        "Four tokens, one head, small weights (tutorial, seed 42)",
        _seeded("the cat sat down", 8, 1, 0.1),
        "Row “the”: .235 .264 .246 .255. The gain of 0.1 makes scores so small that all weights are nearly even.",
        has_w_o=False,
    ),
    Tutorial(
        "three-token",
        "Three given tokens, d_k = 2 (tutorial, seed 42)",
        ToyRecipe(
            sentence="x₁ x₂ x₃",
            d_model=4,
            heads=1,
            d_k=2,
            gain_kind=GainKind.NUMBER,
            gain=0.1,
            vectors=TokenVectors.GIVEN,
            given=((1.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 1.0), (1.0, 1.0, 0.0, 0.0)),
        ),
        "Rows: .334 .333 .333, .335 .326 .339 and .334 .330 .337, all but even.",
        has_w_o=False,
    ),
    Tutorial(
        "multi-head",
        "Six tokens, eight heads (tutorial, seed 42)",
        _seeded("The cat sat on the mat", 64, 8, 0.3),
        "Head 0, first row: .807 .000 .186 .000 .001 .006. With d_model = 64 and a gain of 0.3 scores have "
        "a standard deviation of 5.76 (here 5.05), so most rows are nearly all or nothing.",
    ),
    Tutorial(
        "pipeline",
        "The whole pipeline with positions (tutorial, seed 42)",
        ToyRecipe(
            sentence="The cat sat on the mat",
            gain_kind=GainKind.NUMBER,
            gain=0.3,
            embedding_scale=0.5,
            vectors=TokenVectors.BY_POSITION,
            encoding=Encoding.SINUSOIDAL,
        ),
        "Norms before attention 6.24 7.10 7.07 7.63 6.26 6.39, after it 36.72 32.60 38.34 32.56 30.44 34.79: "
        "a gain of 0.3 makes vectors about five times as long.",
    ),
)


def ends_before_w_o(recipe: object) -> bool:
    """Tell whether a recipe is that of a tutorial which has no output projection.

    Parameters
    ----------
    recipe : object
        Any recipe.

    Returns
    -------
    bool
        Then A·V is the output of the tutorial, and what comes after it is this program's own.
    """
    return any(recipe == tutorial.recipe for tutorial in TUTORIALS if not tutorial.has_w_o)
