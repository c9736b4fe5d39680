"""The Block page: data on their way through a whole layer, and what its parts do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.pictures.drawing import PictureDrawing
from attention_explorer.kit.pictures.notes_panel import notes_of
from attention_explorer.pages.block.ui.bar import PICTURES, BlockBar
from attention_explorer.pages.block.ui.controls import BlockControls
from attention_explorer.pages.block.ui.pictures import block_drawing
from attention_explorer.pages.block.wording import picture_title, verdict
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.picture_page import PicturesPage

if TYPE_CHECKING:
    # Loaded when something is exported: file formats would delay the first picture.
    from attention_explorer.kit.export.figure import Figure


class BlockPage(PicturesPage[BlockState]):
    """The bar, one of three pictures with its controls, and beside it what it says and what is true."""

    part = "block"
    gestures = (
        ("Point at a box of the diagram", "see its formula and a summary of its numbers in the status bar"),
        ("Click a box", "draw it large, in the head that was clicked"),
        ("← and → on the diagram", "go from box to box; Home and End go to the first and the last"),
        ("Click a row of the large map, or ↑ and ↓", "follow that token through all boxes; Esc lets it go"),
        ("Page Up and Page Down on the diagram", "show another head"),
        ("Point at a number of the large map", "see the arithmetic that made it"),
        ("Future: click a token, or ↑ and ↓", "replace that token"),
        ("Cache: ← and →, Home, End, or click a token", "decode up to it"),
        ("Esc", "stop computing; the picture stays as it is"),
        ("Right click", "export, copy the picture, copy the numbers"),
    )
    narrow_below = 1060
    least_heights = (470, 560)

    def own(self, state: ExplorerState) -> BlockState:
        return replace(state.block, picture=state.block.picture_shown)

    def drawing_of(self, state: BlockState) -> PictureDrawing[BlockState, Any, Any]:
        return block_drawing(state.picture)

    def title_of(self, state: BlockState) -> str:
        return picture_title(state)

    def verdict_of(self, state: BlockState) -> tuple[TextLine, ...]:
        return notes_of(verdict(state))

    def make_bar(self) -> BlockBar:
        return BlockBar(self.session, self.part, self.look)

    def make_controls(self) -> BlockControls:
        return BlockControls(self.session, self.part, self.look)

    # ---- What people do ----

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        return cls.picture_actions(PICTURES)

    # ---- Taking it away ----

    def figure(self) -> Figure:
        from attention_explorer.pages.block.ui.figure import block_figure

        return block_figure(self.state, self.finished_picture())
