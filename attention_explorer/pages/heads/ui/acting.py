"""What menu, keys and buttons of the Heads page do."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.circuits_elsewhere import NO_MODEL, head_in_circuits
from attention_explorer.pages.heads.frame import OTHER, HeadsFrame
from attention_explorer.pages.heads.state import Picture
from attention_explorer.pages.heads.ui.pointing import PointingPage
from attention_explorer.pages.heads.ui.row_player import RowPlayer, ask_for_film
from attention_explorer.pages.heads.ui.rows import FindRow, MapControls
from attention_explorer.pages.heads.ui.views import views
from attention_explorer.pages.row_as_lookup import as_lookup, reason_against_lookup
from attention_explorer.pages.subject import reason_against_subject, with_subject
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.session.requests import Standing
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability

if TYPE_CHECKING:
    # Loaded when something is exported: file formats would delay the first picture.
    from attention_explorer.kit.export.figure import Figure

ARRAYS_TIP = "Show every array behind the head on the Layer page: X, Q, K, scores, weights, A·V"
CIRCUITS, CIRCUITS_TIP = "Head in Circuits", "What the head does: switched off, and measured, on the Circuits page"
KEPT = "Kept as B. Change anything, then choose Compare."
_BEGUN = re.compile(r"L(\d{1,4}(H\d{0,4})?)?")
_NAME = re.compile(r"L(\d{1,4})H(\d{1,4})")
_COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


class TypedName:
    """Takes the letters of a name, one after the other; where the keyboard goes elsewhere, another name begins."""

    def __init__(self) -> None:
        self.text = ""
        """So much of a name has been typed, in capitals."""
        self._where: QWidget | None = None

    def claims(self, event: QKeyEvent) -> bool:
        """Whether a key is the H of a name, and not that for hard or soft; a key of no name ends what was begun."""
        is_here = QApplication.focusWidget() is self._where
        if event.key() == Qt.Key.Key_H and is_here and re.fullmatch(r"L\d{1,4}", self.text):
            return True
        if event.text().upper() not in "LH0123456789":  # a key that makes a capital of one has no text
            self.text = ""
        return False

    def take(self, event: QKeyEvent) -> bool:
        """Take a letter; return whether it belongs to a name. One that does not ends the name that was begun."""
        letter = "" if event.modifiers() & _COMMANDS else event.text().upper()
        where = QApplication.focusWidget()
        begun = self.text if where is self._where else ""
        self._where = where
        self.text = letter if letter == "L" else begun + letter
        if not letter or _BEGUN.fullmatch(self.text) is None:
            self.text = ""
        return bool(self.text)

    @property
    def place(self) -> tuple[int, int] | None:
        """The numbers of layer and head as they were typed; None while one is missing."""
        named = _NAME.fullmatch(self.text)
        return None if named is None else (int(named[1]), int(named[2]))


class ActingPage(PointingPage):
    """The page as far as it is told what to do."""

    search: FindRow
    map_controls: MapControls
    player: RowPlayer
    typed: TypedName
    gestures = (
        ("Click a token", "see what it looks at; double click, or Enter: type"),
        ("Click the eye below a token, Delete", "hide the word from the model that guesses; again: let it look"),
        ("Point at a cell", "light it up in every head; the arithmetic appears"),
        ("Click a cell or a label", "pin it; click again or Esc lets go"),
        ("Arrow keys", "walk from cell to cell"),
        ("R, C", "keep the whole row or column of the cell; again: the cell"),
        ("Wheel, + and −", "look closer (Ctrl+wheel where the page scrolls); drag to move; Home shows all"),
        ("Click a small map", "show that head large; arrow keys walk"),
        ("Double click a small map, W", "see in Circuits what the head does"),
        ("Type L7H3", "show layer 7, head 3 large"),
        ("Shift+click a small map, M", "mark the head: marked ones are laid side by side"),
        ("Ctrl+click a small map, Space", "leave the head out of mean, largest and rollout, or take it in again"),
        ("Right click, Paint the mask, then drag", "hide them or show them again; on a token, its row or column"),
        ("Esc while it computes", "stop; what is shown stays"),
        ("Right click", "export, copy the picture, copy the numbers"),
    )

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        act = PageAction
        return (
            act("Next head", lambda page: page.step_head(1), "N", "Show the next head large"),
            act("Previous head", lambda page: page.step_head(-1), "P", "Show the head before"),
            act("Reverse the order", lambda page: page.wall_side.turn_round(), "T", "Begin the heads at the other end"),
            act("Mark the head", lambda page: page.mark_head(), "M", "Mark it, to be laid side by side with others"),
            act("Find a token…", lambda page: page.search.open_row(), "Ctrl+F", "Find tokens, and hide them as keys"),
            act("Keep as B", lambda page: page.keep_for_comparison(), "B", "Keep this setup for comparison"),
            act(
                "Compare with a file…",
                lambda page: page.compare_wanted.emit(),
                "",
                "Open a file of attention as B, beside this",
            ),
            act(CIRCUITS, lambda page: page.show_in_circuits(), "W", CIRCUITS_TIP),
            act("Arrays in Layer", lambda page: page.show_arrays(), "A", ARRAYS_TIP),
            act("Pinned row as a lookup", lambda page: page.open_lookup(), "O", "Open its query and keys as a lookup"),
            act("Play a row", lambda page: page.toggle_play(), "Ctrl+Space", "Compute the pinned row step by step"),
            act("Hard or soft", lambda page: page.toggle_hard(), "H", "Switch between arg max and softmax"),
            act(""),
            act("Export all heads…", lambda page: page.export_wall(), "", "Save all heads as a picture or as numbers"),
            act("Show all", lambda page: page.canvas.show_all(), "", "Show the whole map again"),
            act(""),
            *cls.view_actions(views()),
        )

    # ---- Keys ----

    def event(self, event: QEvent) -> bool:
        # Qt asks so of every key, before whatever has the keyboard takes it.
        is_asked = event.type() is QEvent.Type.ShortcutOverride
        if is_asked and isinstance(event, QKeyEvent) and self.typed.claims(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the letters of a head's name, which nothing that has the keyboard has a use for."""
        if event.key() in (Qt.Key.Key_Shift, Qt.Key.Key_CapsLock):
            return
        if self._frame is not None and self.typed.take(event):
            self._go_to_typed(self._frame)
        elif event.key() == Qt.Key.Key_Space and self.view.id is Picture.ROW:
            self.toggle_play()
        elif event.key() == Qt.Key.Key_Escape and self.map_controls.paint.isChecked():
            self.map_controls.paint.setChecked(False)
        else:
            super().keyPressEvent(event)

    def _go_to_typed(self, frame: HeadsFrame) -> None:
        """Show the head whose name has been typed."""
        numbers = self.typed.place
        if numbers is None:
            self.said.emit(f"Go to {self.typed.text} …")
            return
        place = frame.count.index_of(numbers[0]), frame.count.index_of(numbers[1])
        if place in frame.places:
            self.said.emit("")  # no more “Go to …”
            self.wall.choose(*place)
        else:
            self.said.emit(f"There is no {self.typed.text}: layers and heads count {frame.count.value}.")

    def focus_first(self) -> None:
        first = self.wall if self.view.id is Picture.ALL else self.canvas
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    # ---- Heads ----

    def step_head(self, step: int) -> None:
        """Show large the head that is so many places on."""
        if self._frame is not None:
            places = self._frame.places
            at = places.index((self._frame.layer, self._frame.head)) + step
            self.wall.choose(*places[min(max(at, 0), len(places) - 1)])

    def mark_head(self) -> None:
        """Mark the head on show, or take its mark away."""
        if self._frame is not None:
            self.wall.mark(self._frame.layer, self._frame.head)

    def _on_opened(self) -> None:
        """Show the head that was clicked among all of them."""
        if self.view.id is Picture.ALL:
            setup = self.session.state.heads.setup
            self.canvas.come_from(self.wall.above.cells_of(setup.layer, setup.head))
            self.show_view(self.view_named(Picture.HEATMAP))

    # ---- What is computed ----

    def toggle_hard(self) -> None:
        """Switch between soft and hard lookup, where the weights are computed."""
        state = self.session.state
        reason = source_of(state.heads.setup.recipe).traits.reason_against(Ability.SCORES)
        if reason:
            self.refused.emit(reason)
            return
        hard = not state.heads.setup.hard
        heads = state.heads.with_setup(hard=hard)
        self.session.apply(replace(state, heads=heads), "Hard lookup" if hard else "Soft lookup")

    def keep_for_comparison(self) -> None:
        """Keep the setup as B, if it can be computed."""
        reason = self.requests.reason if self.requests.standing is Standing.REFUSED else ""
        if reason and not reason.startswith(OTHER):
            self.refused.emit(f"Not kept as B: {reason}")
            return
        state = self.session.state
        heads = replace(state.heads, other=state.heads.setup)
        self.session.apply(replace(state, heads=heads), "Keep as B")
        self.said.emit(KEPT)
        self._says_kept = True

    def toggle_play(self) -> None:
        """Compute the row before one's eyes, or stop; where nothing is to move by itself, take one step."""
        if self.view.id is not Picture.ROW:
            self.show_view(self.view_named(Picture.ROW))
        self.player.press()

    def _on_paint_toggled(self, on: bool) -> None:
        self.canvas.paints_mask = on
        self.canvas.setCursor(Qt.CursorShape.CrossCursor if on else Qt.CursorShape.ArrowCursor)
        if on:
            self.said.emit("Drag over cells to hide them or show them again; a token stands for its row or column.")

    # ---- Elsewhere ----

    def _refuses_to_tell(self) -> bool:
        """Say why nothing is told now, if that is so."""
        if self.withheld:
            self.refused.emit(self.withheld)
        return bool(self.withheld)

    def show_arrays(self) -> None:
        """Show every array behind the head on the Layer page, what is large here large there."""
        if self._frame is None or self._refuses_to_tell():
            return
        state = self.session.state
        reason = reason_against_subject(state)
        if reason:
            self.refused.emit(reason)
            return
        self.session.apply(with_subject(state, state.heads.view.stage), "Arrays in Layer")
        self.page_wanted.emit("layer")

    def show_in_circuits(self) -> None:
        """Ask in Circuits what the head on show does."""
        if self._frame is None or self._refuses_to_tell():
            return
        try:
            state = head_in_circuits(self.session.state)
        except ExplorerError as error:
            self.refused.emit(str(error))
            return
        self.session.apply(state, CIRCUITS)
        self.page_wanted.emit("circuits")

    def open_lookup(self) -> None:
        """Open the pinned row on the Lookup page."""
        if self._frame is None or self._refuses_to_tell():
            return
        try:
            state = as_lookup(self.session.state, self._frame, self.pinned.row)
        except ExplorerError as error:
            self.refused.emit(self._frame.count.recounted(str(error)))
            return
        self.session.apply(state, "Row as a lookup")
        self.page_wanted.emit("lookup")

    # ---- Taking it away ----

    def _on_menu_wanted(self, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Show all", self.canvas.show_all)
        if self.view.id is Picture.HEATMAP and self.map_controls.paint.isEnabled():
            menu.addAction("Paint the mask", lambda: self.map_controls.paint.setChecked(True))
        self.offer_taking(menu)
        menu.popup(where)

    def offer_taking(self, menu: QMenu) -> None:
        super().offer_taking(menu)
        menu.addAction("Export all heads…", self.export_wall)
        menu.addAction("Film of the row…", self.export_film)
        if self._frame is None:
            return
        menu.setToolTipsVisible(True)
        no_circuits = "" if source_of(self.session.state.heads.setup.recipe).can_be_asked else NO_MODEL
        for title, open_it, reason, tip in (
            (CIRCUITS, self.show_in_circuits, no_circuits, CIRCUITS_TIP),
            ("Arrays in Layer", self.show_arrays, reason_against_subject(self.session.state), ARRAYS_TIP),
            (
                "Pinned row as a lookup",
                self.open_lookup,
                reason_against_lookup(self._frame, self.pinned.row),
                "Open it on the Lookup page: its query and keys in a plane, to be moved",
            ),
        ):
            action = menu.addAction(title, open_it)
            action.setEnabled(not reason)
            action.setToolTip(reason or tip)

    def figure(self) -> Figure:
        from attention_explorer.pages.heads.ui.figure import HeadsFigure

        if self.view.id in (Picture.ROW, Picture.CHECK):
            return super().figure()
        return HeadsFigure(self.session.state.heads, is_wall=self.view.id is Picture.ALL)

    def export_wall(self) -> None:
        """Ask for a file and write all heads to it."""
        from attention_explorer.kit.export.dialog import export_with_dialog
        from attention_explorer.pages.heads.ui.figure import HeadsFigure

        self._say_or_refuse(lambda: export_with_dialog(self, HeadsFigure(self.session.state.heads, is_wall=True)))

    def export_film(self) -> None:
        """Ask for a file and write the row, step by step, as a film."""
        if not self._refuses_to_tell():
            ask_for_film(self)
