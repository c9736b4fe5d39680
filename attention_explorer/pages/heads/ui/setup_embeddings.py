"""The embeddings of the toy model, as rows of the parameter panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.whole_number_box import show_number
from attention_explorer.pages.heads.ui.setup_boxes import show_choice
from attention_explorer.pages.heads.ui.setup_model import DEFAULT, RecipeSection
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.recipe import LARGEST_FACTOR, Encoding, TokenVectors, ToyRecipe

TOKEN_VECTORS = (
    (TokenVectors.BY_WORD, "one vector per word"),
    (TokenVectors.BY_POSITION, "one vector per position"),
)
GIVEN = (TokenVectors.GIVEN, "given numbers")
ENCODINGS = ((Encoding.NONE, "none"), (Encoding.SINUSOIDAL, "sinusoidal"))


class EmbeddingsSection(RecipeSection):
    """What a token's vector depends on, how long it is, and what tells positions apart."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, "", parent)
        self._make_embeddings()

    # ---- Building ----

    def _make_embeddings(self) -> None:
        self.vectors = self.make_combo("Embeddings", TOKEN_VECTORS, self._on_vectors)
        self.add_row(
            "embeddings",
            "One vector per word: equal words have equal vectors, wherever they stand.\n"
            "One vector per position: every token has a vector of its own.",
            lambda: self.change("Reset embeddings", "vectors", vectors=DEFAULT.vectors),
            self.vectors,
        )
        self.scale = NumberBox(0.0, LARGEST_FACTOR, "Embedding scale")
        self.scale.setSingleStep(0.1)
        self.scale.refused.connect(self.refused)
        self.scale.valueChanged.connect(self._on_scale)
        self.case_sensitive = self.make_switch(
            "case-sensitive",
            "Case-sensitive words",
            "Whether “The” and “the” are two words, with a vector each.",
            self._on_case_sensitive,
        )
        self.add_row(
            "their scale",
            "The standard deviation of the entries of the random embeddings.\n"
            "Without positions, scores grow with its square, as queries and keys both grow with it.",
            lambda: self.change("Reset embedding scale", "embedding scale", embedding_scale=DEFAULT.embedding_scale),
            self.scale,
            self.case_sensitive,
        )
        self.encoding = self.make_combo("Position encoding", ENCODINGS, self._on_encoding)
        self.add_row(
            "positions",
            "Added to the embeddings to tell positions apart; without it, or a mask, a head cannot know\n"
            "the order of the words.\n"
            "Sinusoidal: sines and cosines of the position, as in “Attention Is All You Need”.",
            lambda: self.change("Reset position encoding", "encoding", encoding=DEFAULT.encoding),
            self.encoding,
        )
        self.keep_width(self.scale, 56)

    # ---- Showing ----

    def show_recipe(self, recipe: ToyRecipe) -> None:
        self._offer_given(recipe.vectors is TokenVectors.GIVEN or bool(recipe.given))
        show_choice(self.vectors, recipe.vectors)
        show_choice(self.encoding, recipe.encoding)
        show_number(self.scale, recipe.embedding_scale)
        self.case_sensitive.setChecked(recipe.case_sensitive)
        self.case_sensitive.setEnabled(recipe.vectors is TokenVectors.BY_WORD)

    def _offer_given(self, given: bool) -> None:
        at = self.vectors.findData(GIVEN[0])
        if given and at < 0:
            self.vectors.addItem(GIVEN[1], GIVEN[0])
        elif not given and at >= 0:
            self.vectors.removeItem(at)

    # ---- Acting ----

    def _on_vectors(self, index: int) -> None:
        kind, title = (*TOKEN_VECTORS, GIVEN)[index]
        self.change(f"Embeddings: {title}", vectors=kind)

    def _on_scale(self, scale: float) -> None:
        self.change("Change embedding scale", "embedding scale", embedding_scale=scale)

    def _on_case_sensitive(self, sensitive: bool) -> None:
        self.change("Tell case apart" if sensitive else "Ignore case", case_sensitive=sensitive)

    def _on_encoding(self, index: int) -> None:
        kind, title = ENCODINGS[index]
        self.change(f"Position encoding: {title}", encoding=kind)
