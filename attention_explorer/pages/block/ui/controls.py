"""The controls below the picture of the Block page: what each picture needs, and no more."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker

from attention_explorer.kit.controls.whole_number_box import show_number
from attention_explorer.kit.pictures.controls import PictureControls
from attention_explorer.pages.block.ui.picture_controls import BlockPictureControls
from attention_explorer.pages.stack.state import MOST_HEADS, MOST_LAYERS, BlockPicture, BlockState


class BlockControls(PictureControls[BlockState]):
    """All controls below the picture, of which those of the picture on show are visible."""

    # ---- Building ----

    def build(self) -> None:
        self._build_input()
        self._build_view()
        self._build_experiments()

    def _build_input(self) -> None:
        self.sentence = self.sentence_field(
            "Sentence",
            self.said["sentence"].tip,
            "sentence",
            "The sentence has no tokens: write at least one.",
            230,
        )
        self.batch = self.whole_field("batch", "Batch", width=40)
        self.embedding_scale = self.number_field("embedding_scale", "Standard deviation of the embeddings", width=52)
        self.batch_row = self.labelled("batch", self.batch)
        self.scale_row = self.labelled("embeddings ×", self.embedding_scale)

    def _build_view(self) -> None:
        self.layer = self.whole_box(
            "Layer shown",
            "Which layer of the stack is shown",
            (0, MOST_LAYERS),
            lambda value: self.change("Show another layer", "look layer", layer=self.state.count.index_of(value)),
            width=44,
        )
        self.head = self.whole_box(
            "Head shown",
            "Which head is drawn large. Page Up and Page Down on the picture change it too.",
            (0, MOST_HEADS),
            lambda value: self.change("Show another head", "look head", head=self.state.count.index_of(value)),
            width=44,
        )
        self.layer_row = self.labelled("layer shown", self.layer)
        self.head_row = self.labelled("head", self.head)
        self.input_line = self.add_line(
            self.labelled("sentence", self.sentence), self.batch_row, self.scale_row, self.layer_row, self.head_row
        )

    def _build_experiments(self) -> None:
        self.experiments = BlockPictureControls(self)
        self.experiment_lines = [self.add_line(*line) for line in self.experiments.lines]

    # ---- Showing ----

    def show_state(self, state: BlockState) -> None:
        self.sentence.show_sentence(state.sentence)
        show_number(self.batch, state.batch)
        show_number(self.embedding_scale, state.embedding_scale)
        for box, number, highest in (
            (self.layer, state.layer_shown, state.layers),
            (self.head, state.head_shown, state.heads),
        ):
            with QSignalBlocker(box):  # a range that shrinks moves the number, and the wish is to stay
                box.setRange(state.count.first, state.count.number(highest - 1))
            show_number(box, state.count.number(number))
        self.experiments.show_state(state)
        self._show_parts(state)

    def _show_parts(self, state: BlockState) -> None:
        picture = state.picture
        visible = self.experiments.visible(state)
        layer = picture is BlockPicture.LAYER
        self.show_only(
            (
                (self.input_line, picture not in (BlockPicture.NORM, BlockPicture.DEPTH)),
                (self.batch_row, layer and state.learned is None),
                (self.scale_row, state.learned is None),
                (
                    self.layer_row,
                    state.layers > 1 and picture in (BlockPicture.LAYER, BlockPicture.LINEAR, BlockPicture.CACHE),
                ),
                (self.head_row, state.heads > 1 and picture in (BlockPicture.LAYER, BlockPicture.CACHE)),
                *visible,
                *((line, any(wanted for _, wanted in visible)) for line in self.experiment_lines),
            )
        )
