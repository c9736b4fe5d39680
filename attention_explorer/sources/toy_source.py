"""The toy model as a source: random embeddings and projections, and what to say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from attention_explorer.core.numerals import counted
from attention_explorer.model import sinusoidal_encoding
from attention_explorer.sources.layer import Floats, Layer
from attention_explorer.sources.recipe import Encoding, GainKind, Projections, TokenVectors, ToyRecipe
from attention_explorer.sources.source import Lookup, Made, Traits
from attention_explorer.sources.toy import token_embeddings, toy_layers
from attention_explorer.sources.tutorials import ends_before_w_o
from attention_explorer.sources.typed_source import TypedSource

OF_A_HEAD = 9e5
"""What calling the functions takes for a head of a few tokens, in multiplications: about 0.6 ms."""
OF_A_DRAWN_NUMBER = 60.0
"""What drawing one number of a projection takes, in multiplications: about 40 ns."""

ROUNDING = 1e-9
"""A gain that spreads the scores by no more than this beyond 1 does not."""

_EMBEDDED_BY = {
    TokenVectors.BY_WORD: "the tokens: equal words have equal vectors",
    TokenVectors.BY_POSITION: "the tokens: every place has a vector of its own",
    TokenVectors.GIVEN: "the tokens: vectors given as numbers, missing ones drawn",
}

_SYMMETRIC_BY = {Projections.RANDOM: "", Projections.TIED: "W_k = W_q", Projections.IDENTITY: "k = q"}


class ToySource(TypedSource[ToyRecipe]):
    """Cooks a `ToyRecipe`."""

    @property
    def traits(self) -> Traits:
        made = Made.RANDOM if self.recipe.is_drawn else Made.GIVEN
        return Traits("toy model", f"toy, {self.recipe.origin}", made)

    @property
    def heads(self) -> tuple[int, ...]:
        return (self.recipe.heads,) * self.recipe.layers

    def layers(self, lookup: Lookup) -> Sequence[Layer]:
        return toy_layers(self.recipe, **lookup.weighing)

    def operations(self) -> float:
        recipe = self.recipe
        n_q, n_k = len(recipe.tokens), len(recipe.context_tokens)
        width = recipe.heads * recipe.head_width
        drawn = OF_A_DRAWN_NUMBER * 4.0 * recipe.d_model * width
        projections = 3.0 * (n_q + n_k) * recipe.d_model * width
        heads = recipe.heads * OF_A_HEAD + n_q * n_k * (2.0 * width + 60.0 * recipe.heads)
        return recipe.layers * (drawn + projections + heads)

    # ---- What goes in ----

    @property
    def is_encoded(self) -> bool:
        return self.recipe.encoding is not Encoding.NONE

    def embeddings(self) -> tuple[Floats, Floats]:
        return token_embeddings(replace(self.recipe, encoding=Encoding.NONE))

    def summands(self, place: int) -> Mapping[str, Floats]:
        if place or not self.is_encoded:
            return {}
        embedded = self.embeddings()[0]
        return {"embeddings": embedded, "positions": sinusoidal_encoding(*embedded.shape)}

    def formulas(self, place: int) -> Mapping[str, str]:
        recipe, drawn = self.recipe, f"random numbers of seed {self.recipe.seed}"
        entering = "LayerNorm(X + attention(X)) of the layer before"
        if not place:
            entering = "X = E + P" if self.is_encoded else _EMBEDDED_BY[recipe.vectors]
        own = "this program’s own: the output of the tutorial is A·V" if ends_before_w_o(recipe) else ""
        w_q, w_k = drawn, "the same matrix as W_Q" if recipe.projections is Projections.TIED else drawn
        if recipe.projections is Projections.IDENTITY:
            w_q = w_k = drawn = "the unit matrix: no projection"
        return {
            "embeddings": _EMBEDDED_BY[recipe.vectors],
            "x": entering,
            **{"w_q": w_q, "w_k": w_k, "w_v": drawn, "w_o": ", ".join(filter(None, (drawn, own)))},
            **({"attention_output": f"Concat·W_O; W_O is {own}"} if own else {}),
        }

    # ---- In words ----

    def caption(self) -> tuple[str, ...]:
        recipe = self.recipe
        said = [recipe.origin, f"d_model {recipe.d_model}", f"d_k {recipe.head_width}"]
        if recipe.value_width != recipe.head_width:
            said.append(f"d_v {recipe.value_width}")
        if recipe.is_drawn:
            said.append(f"seed {recipe.seed}")
        return tuple(said)

    def verdict(self) -> tuple[str, str]:
        recipe = self.recipe
        if recipe.projections is Projections.IDENTITY:
            return self._verdict_without_projections()
        if recipe.vectors is TokenVectors.GIVEN:
            return "These weights are random.", "The vectors are given, the projections are drawn: nothing was learned."
        luck = "a pattern that seems to make sense is luck."
        if recipe.projections is Projections.TIED:
            luck = f"{luck[:-1]}, except that a token tends to find itself, as W_k = W_q."
        return "These weights are random.", f"Nothing was learned, so {luck}"

    def _verdict_without_projections(self) -> tuple[str, str]:
        opening = "There are no projections: q = k = v = x"
        if self.recipe.vectors is not TokenVectors.GIVEN:
            return "These vectors are random.", f"{opening}, so a token tends to find itself."
        drawn = self.recipe.drawn_rows
        if drawn:
            some = f"{counted(drawn, 'vector')} {'are' if drawn > 1 else 'is'} missing and drawn at random"
            return "These weights come from given vectors.", f"{opening}. But {some}."
        return "These weights come from given vectors.", f"{opening}."

    def differences(self, other: ToySource) -> Iterator[tuple[str, str]]:
        yield from zip(_settings(self.recipe), _settings(other.recipe), strict=True)
        if self.recipe.given != other.recipe.given:
            yield "vectors of A", "vectors of B"

    # ---- What made the scores ----

    def predicted_score_std(self, layer: int, *, scaled: bool) -> float | None:
        return self.recipe.predicted_score_std(scaled) if layer == 0 else None

    def causes_of_long_scores(self, layer: int, x: Floats) -> tuple[str, ...]:
        # W of 1/√d_model and unit embeddings would spread them by 1.
        recipe = self.recipe
        if recipe.projections is Projections.IDENTITY:
            return ("the length of the vectors",)
        is_given, is_first = recipe.vectors is TokenVectors.GIVEN, layer == 0
        causes = {
            "the gain": recipe.d_model * recipe.gain_number**2 > 1.0 + ROUNDING,
            "the embedding scale": is_first and not is_given and recipe.embedding_scale > 1.0,
            "the length of the given vectors": is_first and is_given and float(np.square(x).mean()) > 1.0,
            "W_k = W_q, by which a token finds itself": recipe.projections is Projections.TIED,
        }
        return tuple(cause for cause, applies in causes.items() if applies)

    @property
    def tie(self) -> str:
        return "k = q" if self.recipe.projections is Projections.IDENTITY else "W_k = W_q"

    @property
    def symmetric_by(self) -> str:
        return _SYMMETRIC_BY[self.recipe.projections]


def _settings(recipe: ToyRecipe) -> tuple[str, ...]:
    gain = f"gain {recipe.gain:g}" if recipe.gain_kind is GainKind.NUMBER else f"gain {recipe.gain_kind.value}"
    return (
        f"seed {recipe.seed}",
        gain,
        f"d_model {recipe.d_model}",
        counted(recipe.heads, "head"),
        f"d_k {recipe.head_width}",
        "d_v = d_k" if recipe.value_width == recipe.head_width else f"d_v {recipe.value_width}",
        counted(recipe.layers, "layer"),
        f"embeddings × {recipe.embedding_scale:g}",
        f"vectors {recipe.vectors.value}",
        f"{recipe.projections.value} projections",
        "no positions" if recipe.encoding is Encoding.NONE else f"{recipe.encoding.value} positions",
        "case counts" if recipe.case_sensitive else "case ignored",
    )
