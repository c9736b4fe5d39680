"""The Scaling page: why scores are divided by √d_k, with real statistics, and what the softmax does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.pictures.drawing import PictureDrawing
from attention_explorer.pages.scaling.state import ScalingState
from attention_explorer.pages.scaling.ui.bar import PICTURES, ScalingBar
from attention_explorer.pages.scaling.ui.controls import ScalingControls
from attention_explorer.pages.scaling.ui.notes import verdict_lines
from attention_explorer.pages.scaling.ui.pictures import DRAWINGS
from attention_explorer.pages.scaling.wording import picture_title
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.picture_page import PicturesPage

if TYPE_CHECKING:
    # Loaded when something is exported: file formats would delay the first picture.
    from attention_explorer.kit.export.figure import Figure


class ScalingPage(PicturesPage[ScalingState]):
    """The bar, one of three pictures with its controls, and beside it what it says and what is true."""

    part = "scaling"
    narrow_below = 980
    least_heights = 400, 480
    gestures = (
        ("Point at a picture", "see its numbers in the status bar, with their errors"),
        ("← and → on the picture", "go to another d_k; on the bench, to another key"),
        ("Click a curve", "choose that d_k"),
        ("Drag a score bar", "move it; Esc puts it back"),
        ("↑ and ↓ on the bench", "move the score by 0.1; Page Up and Page Down by 1"),
        ("Click a row of weights", "look at that query closely"),
        ("Esc", "stop drawing; the picture stays as it is"),
        ("Right click", "export, copy the picture, copy the numbers"),
    )

    def drawing_of(self, state: ScalingState) -> PictureDrawing[ScalingState, Any, Any]:
        return DRAWINGS[state.picture]

    def title_of(self, state: ScalingState) -> str:
        return picture_title(state)

    def verdict_of(self, state: ScalingState) -> tuple[TextLine, ...]:
        return verdict_lines(state)

    def make_bar(self) -> ScalingBar:
        return ScalingBar(self.session, self.part, self.look)

    def make_controls(self) -> ScalingControls:
        return ScalingControls(self.session, self.part, self.look)

    # ---- What people do ----

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        return cls.picture_actions(PICTURES)

    # ---- Taking it away ----

    def figure(self) -> Figure:
        from attention_explorer.pages.scaling.ui.figure import scaling_figure

        state, shown = self.state, self.finished_picture()
        if shown is None and not self.drawing_of(state).is_quick(state):
            raise ExplorerError(
                "Not all draws have been made yet. Wait for the picture or choose fewer draws, then export it."
            )
        return scaling_figure(state, shown)
