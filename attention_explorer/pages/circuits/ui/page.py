"""The Circuits page: what heads do, proven by switching them off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.made import button
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.picture import Hit, Panel
from attention_explorer.kit.theme import Look
from attention_explorer.pages import circuits_elsewhere as elsewhere
from attention_explorer.pages.circuits import said
from attention_explorer.pages.circuits.state import CircuitsView
from attention_explorer.pages.circuits.ui.heads import HEAD_MAP
from attention_explorer.pages.circuits.ui.views import views
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.ui.frame_page import FramePage
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.registry import source_of

FIND = "Find the circuit"
FIND_TIP = "Find which heads look back, which copy, what joins them, and what breaks without them. Esc stops."
TAKE, TAKE_TIP = "Model of Heads", "Ask the model that is open in Heads, about what it reads there"


class CircuitsPage(FramePage):
    """The questions of the page, asked of one model."""

    name = "Circuits"
    part = "circuits"
    presented = ("title", "canvas")
    gestures = (
        ("Point at a picture", "see its numbers in the status bar"),
        ("Click a head, or arrow keys and Enter", "see its map; a click on the map opens the head in Heads"),
        ("Esc", "stop measuring; what was measured stays"),
        ("Right click", "export, copy the picture, copy the numbers"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        self.take_buttons: list[QPushButton] = []
        super().__init__(session, look, parent)
        self.panel.items.clicked.connect(self._on_panel_clicked)

    # ---- What the frame asks ----

    def make_views(self) -> tuple[View[Any], ...]:
        return views()

    def controls_of(self, view: View[Any]) -> Sequence[QWidget]:
        if view.id is CircuitsView.TWINS:
            return ()  # another model would have no twin
        take = button(TAKE, TAKE_TIP, self.take_from_heads)
        self.take_buttons.append(take)
        if view.id not in elsewhere.OF_HEADS:  # the others ask of a sentence: it is no part of what is found
            return (take,)
        return button(FIND, FIND_TIP, self.find_circuit), take

    def shown_without_example(self) -> str:
        return source_of(self.session.state.circuits.recipe).traits.kind

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        super().render_state(old, new)
        for take in self.take_buttons:  # the menu says why where there is none
            take.setHidden(bool(elsewhere.reason_against(new)))
        self._say_what_is_asked()

    def _say_what_is_asked(self) -> None:
        """Have title and panel speak of the question on show, also while the picture is still that of another."""
        shown = self.requests.shown
        if shown is None or self.withheld:
            return
        if self._view_for(shown.state) is self.view:
            self._show_title()
            self.show_panel_of(self.view, self.canvas.picture)
        elif self.requests.is_pending:
            self.title.set_text(TextLine(f"{self.view.title} …", bold=True, size=20))
            self.panel.show_panel(Panel(sentence=f"{self.view.tip}."))

    # ---- Acting ----

    def find_circuit(self) -> None:
        """Find the circuit, and show it."""
        self.focus_first()  # the button is not on the view that comes, and Esc is to be heard
        self.show_view(self.view_named(CircuitsView.FOUND))

    def take_from_heads(self) -> None:
        """Ask the model that is open in Heads."""
        try:
            state = elsewhere.from_heads(self.session.state)
        except ExplorerError as error:
            self.refused.emit(str(error))
        else:
            self.session.apply(state, "Ask the model of Heads")

    def open_in_heads(self) -> None:
        """Show the head that is looked at in Heads, on the same text."""
        state = self.state
        self.session.apply(elsewhere.in_heads(self.session.state, (state.layer, state.head)), "Open in Heads")
        self.page_wanted.emit("heads")

    def _on_panel_clicked(self, spot: Hit) -> None:
        if spot.item == HEAD_MAP:
            self.open_in_heads()

    def offer_taking(self, menu: QMenu) -> None:
        super().offer_taking(menu)
        menu.addSeparator()
        state = self.state
        name = said.name(state.count, (state.layer, state.head))
        menu.addAction(f"Open head {name} in Heads", self.open_in_heads)

    # ---- Menu ----

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        return (
            PageAction(FIND, lambda page: page.find_circuit(), "Ctrl+M", FIND_TIP),
            PageAction(TAKE, lambda page: page.take_from_heads(), "", TAKE_TIP),
            PageAction("Open in Heads", lambda page: page.open_in_heads(), "", "Show the head on show in Heads"),
            PageAction(""),
            *cls.view_actions(views()),
        )
