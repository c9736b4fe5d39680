"""The embeddings of the toy model, as rows of the parameter panel."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.whole_number_box import show_number
from attention_explorer.pages.heads.ui.setup_boxes import show_choice
from attention_explorer.pages.heads.ui.setup_model import SAID, RecipeSection
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.recipe import Encoding, TokenVectors, ToyRecipe

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
        self.add_field_row("vectors", self.vectors)
        self.scale = NumberBox(SAID["embedding_scale"].low, SAID["embedding_scale"].high, "Embedding scale")
        self.scale.setSingleStep(0.1)
        self.scale.refused.connect(self.refused)
        self.scale.valueChanged.connect(self._on_scale)
        self.case_sensitive = self.make_switch(
            SAID["case_sensitive"].label,
            "Case-sensitive words",
            SAID["case_sensitive"].tip,
            self._on_case_sensitive,
        )
        self.add_field_row("embedding_scale", self.scale, self.case_sensitive, called="embedding scale")
        self.encoding = self.make_combo("Position encoding", ENCODINGS, self._on_encoding)
        self.add_field_row("encoding", self.encoding, called="position encoding")
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
        self.change(SAID["embedding_scale"].undo, "embedding_scale", embedding_scale=scale)

    def _on_case_sensitive(self, sensitive: bool) -> None:
        self.change("Tell case apart" if sensitive else "Ignore case", case_sensitive=sensitive)

    def _on_encoding(self, index: int) -> None:
        kind, title = ENCODINGS[index]
        self.change(f"Position encoding: {title}", encoding=kind)
