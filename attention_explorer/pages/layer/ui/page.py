"""The Layer page: data on their way through a whole layer, and what its parts do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from attention_explorer.core.numbers_files import as_csv
from attention_explorer.core.preset import Preset
from attention_explorer.kit.controls.made import allow_unless
from attention_explorer.kit.form import Form
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.theme import Look
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.layer.diagram import DiagramPicture, grown_table
from attention_explorer.pages.layer.ui.views import views
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.learned import learned_settings, model_settings
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.subject import reason_against_subject, with_drawn_layer, with_subject
from attention_explorer.pages.ui.frame_page import FramePage
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.session import Session

OF_HEADS, DRAWN = "Layer of Heads", "A drawn layer"
OF_HEADS_TIP = "Draw the layer of what the Heads page shows: the same words, layer, head and row, weighed as there"
DRAWN_TIP = "Draw a layer of random weights again, of which every size and part can be changed"


class LayerPage(FramePage):
    """The diagram of a layer, what a mask keeps from the past, and decoding with a cache."""

    name = "Layer"
    part = "block"
    shown_by = "picture"
    gestures = (
        ("Point at a box of the diagram", "see its formula and a summary of its numbers in the status bar"),
        ("Click a box", "let it grow into its numbers"),
        ("Click a map above the diagram, or Page Up and Page Down", "show another head"),
        ("← and → on the diagram", "go from box to box; Home and End go to the first and the last"),
        ("Click the name of a token, or ↑ and ↓", "follow it through all boxes; Esc lets it go"),
        ("Click a knot on a line of the diagram", "cut the residual, or the network; again to put it back"),
        ("Click a cell of the box “mask” that has grown", "hide it, or show it again"),
        ("Point at a number of the box that has grown", "see the arithmetic that made it"),
        ("Future: click a row, or ↑ and ↓", "replace that token"),
        ("Cache: ← and →, Home, End, or click a row", "decode up to it"),
        ("+ and −", "a step of the main quantity, wherever the keyboard is"),
        ("Esc", "stop computing; the picture stays as it is"),
        ("Right click", "export, copy the picture, copy the numbers"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        self.subject = QPushButton()
        self._again: dict[Form[BlockState], QPushButton] = {}
        super().__init__(session, look, parent)
        self.subject.clicked.connect(self.turn_subject)

    def controls_of(self, view: View[Any]) -> Sequence[QWidget]:
        return (self.subject,) if view.id is BlockPicture.LAYER else ()

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        super().render_state(old, new)
        allow_unless(self.view.part.reasons_against(new.block, ("seed",))["seed"], self._again_of(self.drawer.form))
        is_model = new.block.model is not None
        reason = "" if is_model else reason_against_subject(new)
        self.subject.setText(DRAWN if is_model else OF_HEADS)
        self.subject.setEnabled(not reason)
        self.subject.setToolTip(reason or (DRAWN_TIP if is_model else OF_HEADS_TIP))

    def _again_of(self, form: Form[BlockState]) -> QPushButton:
        """Return the button beside the seed in the drawer that draws again, made when its form is first shown."""
        if form not in self._again:
            button = QPushButton("Draw again")
            button.setAccessibleName("Draw again, with the next seed")
            button.setToolTip("Draw all random numbers anew, with the next seed. What stays the same is no accident.")
            button.clicked.connect(self.draw_again)
            form.add_beside("seed", button)
            self._again[form] = button
        return self._again[form]

    def draw_again(self) -> None:
        """Draw all random numbers with the next seed; each time is a step, for the draw before may be wanted back."""
        block = self.session.state.block
        seed = (block.seed + 1) % (LARGEST_SEED + 1)
        self.session.apply(replace(self.session.state, block=replace(block, seed=seed)), "Draw again")

    def turn_subject(self) -> None:
        """Draw the layer of what Heads shows, or one from the seed again."""
        state = self.session.state
        drawn = state.block.model is not None
        self.session.apply(with_drawn_layer(state) if drawn else with_subject(state), DRAWN if drawn else OF_HEADS)

    def offer_taking(self, menu: QMenu) -> None:
        super().offer_taking(menu)
        numbers = self.canvas.picture
        if isinstance(numbers, DiagramPicture):
            title, copy = numbers.chosen.title, partial(_copy_grown, numbers)
            menu.addAction(f"Copy “{title}” as CSV", partial(self._say_or_refuse, copy))

    def make_views(self) -> tuple[View[Any], ...]:
        return views()

    def view_of(self, state: ExplorerState) -> View[Any]:
        return self.view_named(state.block.picture_shown)

    def example_of(self, view: View[Any], state: BlockState) -> Preset[Any] | None:
        """Return the example that a state is still that of; learned layers and models are one of their own."""
        if state.model_shown is not None:
            return model_settings(state.model_shown)
        return super().example_of(view, state) if state.learned is None else learned_settings(state.learned)

    def set_elsewhere(self, view: View[Any], state: BlockState) -> str:
        return "" if state.learned is not None or state.model_shown is not None else super().set_elsewhere(view, state)

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        return cls.view_actions(views())


def _copy_grown(numbers: DiagramPicture) -> str:
    table = grown_table(numbers)
    QGuiApplication.clipboard().setText(as_csv(table.header, table.rows()))
    return f"“{numbers.chosen.title}” is on the clipboard, with every digit."
