"""The Lookup page: the plane that is touched, from edge to edge, and what it comes to beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from attention_explorer.core.preset import Preset
from attention_explorer.core.role import Role
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.items.bars import NamedBars
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.picture import Panel
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.pictures.pointed_picture import NOWHERE
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.plane import Vector, around
from attention_explorer.pages.lookup.state import QUERY, LookupState, LookupView, Overlay, Part
from attention_explorer.pages.lookup.sums import key_name
from attention_explorer.pages.lookup.ui.canvas import LookupCanvas
from attention_explorer.pages.lookup.ui.descent_bar import DescentBar
from attention_explorer.pages.lookup.ui.overlays import OverlayButton, switch_overlay
from attention_explorer.pages.lookup.ui.pictures import WEIGHTS, PlanePicture
from attention_explorer.pages.lookup.ui.views import views
from attention_explorer.pages.ui.frame_page import FramePage
from attention_explorer.pages.ui.page import PageAction
from attention_explorer.pages.ui.session import Session

if TYPE_CHECKING:
    # Loaded when they are first needed: file formats and a table would delay the first picture.
    from attention_explorer.kit.export.figure import Figure
    from attention_explorer.pages.lookup.ui.numbers_table import NumbersTable

TABLE = "Numbers of the lookup"
"""What the table of exact numbers is called."""


class LookupPage(FramePage):
    """The views of a lookup: the plane, the way downhill, the weights by temperature."""

    name = "Lookup"
    part = "lookup"
    canvas: LookupCanvas
    gestures = (
        ("Drag a tip or a shaft", "move q, a key, a value or the target"),
        ("Shift while dragging", "snap to the 0.1 grid"),
        ("Ctrl while dragging, or the square handle", "change only the length"),
        ("Alt while dragging, or the round handle", "change only the angle (some desktops keep Alt for themselves)"),
        ("Esc while dragging", "put everything back"),
        ("Double click on the plane, or Insert", "add a key"),
        ("Delete", "remove the selected key"),
        ("Tab, Shift+Tab", "select the next or the previous vector"),
        ("Arrow keys", "nudge the selected vector by 0.1; Shift by 0.01, Ctrl by 0.5; with none (Esc), move the view"),
        ("Drag the plane, wheel, + and −", "move and zoom the view"),
        ("Home", "bring back the first view"),
        ("Right click", "menu for what is under the pointer"),
        ("Point at a bar, or click it", "see the arithmetic that made the weight; select its key"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        self._overlays: dict[object, OverlayButton] = {}
        self.homes: list[QPushButton] = []
        """By which the first view comes back, once the plane was moved or zoomed."""
        self.descent = DescentBar(session, look)
        self._table: NumbersTable | None = None
        super().__init__(session, look, parent)

    # ---- What the frame asks ----

    def make_views(self) -> tuple[View[Any], ...]:
        return views()

    def make_canvas(self) -> PicturesCanvas:
        return LookupCanvas(self.session, self.look, self._seen)

    def _seen(self) -> LookupState:
        """Return the state to draw: of a row of a head that is not there yet, the one before."""
        state, shown = self.session.state.lookup, self.requests.shown
        if state.row is None or shown is None or shown.state.row == state.row:
            return state
        before: LookupState = shown.state
        return before

    def controls_of(self, view: View[Any]) -> Sequence[QWidget]:
        if not isinstance(view.picture, PlanePicture):
            return ()
        button = self._overlays[view.id] = OverlayButton(self.session, self.look)
        home = QPushButton("Home view")
        home.setToolTip("Go back to the first view (Home)")
        home.clicked.connect(self.canvas.show_home)
        self.homes.append(home)
        return button, home

    def panel_of(self, view: View[Any], numbers: Any) -> Panel:  # noqa: ANN401 # a `LookupFrame`
        if isinstance(view.picture, PlanePicture):
            return view.picture.panel_about(numbers, self._explained(numbers))
        return super().panel_of(view, numbers)

    def example_of(self, view: View[Any], state: LookupState) -> Preset[Any] | None:
        if view.asked(state).row is None:
            return view.example(state)
        frame = self.canvas.picture
        if not isinstance(frame, LookupFrame) or frame.row is None or frame.row.of != state.row:
            return None
        return frame.row.hint

    def set_elsewhere(self, view: View[Any], state: LookupState) -> str:
        return super().set_elsewhere(view, state) if state.row is None else ""  # a row has the settings of its head

    # ---- Building ----

    def _build(self) -> None:
        super()._build()
        self.main.follow(self.descent)

    @property
    def table(self) -> NumbersTable:
        """The exact numbers, made when they are first looked at."""
        if self._table is None:
            from attention_explorer.pages.lookup.ui.numbers_table import NumbersTable

            self._table = NumbersTable(self.session, self.look)
            self._table.setAccessibleName(TABLE)
            self._table.hide()
            self._table.numbers.withhold(bool(self.withheld))
            self._table.numbers.refused.connect(self.refused)
            self._table.part_clicked.connect(self._on_table_part_clicked)
            self.card.body.addWidget(self._table)
        return self._table

    def _connect(self) -> None:
        super()._connect()
        for source in (self.canvas, self.descent):
            source.refused.connect(self.refused)
        self.canvas.travelled.connect(self._on_travelled)
        self.canvas.grabbed.connect(self.descent.stop)
        self.canvas.selection_changed.connect(self._on_selection_changed)
        self.canvas.place_menu_wanted.connect(self._on_place_menu_wanted)
        self.panel.items.spot_changed.connect(lambda _spot: self._explain())
        self.panel.items.clicked.connect(self._on_panel_clicked)
        self.note.find_wanted.connect(self.find_wanted)
        self.note.reopen_wanted.connect(self.reopen_wanted)

    def set_look(self, look: Look) -> None:
        if self._table is not None:
            self._table.set_look(look)
        self.descent.set_look(look)
        for button in self._overlays.values():
            button.set_look(look)
        super().set_look(look)

    # ---- Showing ----

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        self._keep_keyboard(new.lookup)
        super().render_state(old, new)
        self.canvas.render_state(old, new)
        if self.view.id is not LookupView.GRADIENT:
            self.descent.stop()  # q does not wander off out of sight
        self.descent.setVisible(self.view.id is LookupView.GRADIENT)
        self.descent.show_state(new.lookup)
        for home in self.homes:
            home.setVisible(new.lookup.camera is not None)
        self._show_what_is_there()

    def _keep_keyboard(self, state: LookupState) -> None:
        """Give the keyboard to Soft and Hard where the temperature is greyed, or Qt gives it to whatever is next."""
        hard = self.form_of(self.view).controls.get("hard")  # before the slider, in the order of Tab
        if hard is None or not self.view.main or not state.hard:
            return
        slider = self.main.slider_of(self.view)
        if slider.slider.hasFocus() or slider.box.hasFocus():
            hard.buttons[True].setFocus()  # type: ignore[attr-defined]

    @property
    def _is_there(self) -> bool:
        """Whether what the state asks for is on show."""
        shown = self.requests.shown
        return shown is not None and shown.state.row == self.session.state.lookup.row

    def _on_delivered(self, request: Any, ready: Any) -> None:  # noqa: ANN401 # as the base has it
        super()._on_delivered(request, ready)
        if request.state.row is not None:
            state = self.session.state
            self.bar.show_view(self.view, self.state.preset, self.example_of(self.view, self.state))
            self.canvas.render_state(state, state)
            self._show_what_is_there()

    def _show_what_is_there(self) -> None:
        """Show the table, and offer what asks for numbers, once there are any: a row of a head may not be there."""
        self._show_table()
        self.descent.setEnabled(self._is_there and not self.withheld)
        for button in self._overlays.values():
            button.setEnabled(self._is_there)

    def _show_numbers(self) -> None:
        """Show the table, if it is seen."""
        if self._table is not None and not self._table.isHidden():
            self.table.numbers.set_frame(lookup_frame(self.session.state.lookup))
            self.table.fit_height()
            self.card.body.activate()  # at once: who adds a key asks how much of the plane is left

    def begin_open(self, is_open: bool) -> None:
        super().begin_open(is_open)
        self._show_table()

    def _exchange(self, first: QWidget | None, *, is_open: bool) -> None:
        super()._exchange(first, is_open=is_open)
        self._show_table()

    def _show_table(self) -> None:
        """Show the exact numbers below the plane while everything else is shown beside it."""
        is_lookup = isinstance(self.canvas.picture, LookupFrame)  # words have a table of their own, in the drawer
        is_seen = is_lookup and self.is_open and not self.is_alone and self._is_there
        if is_seen or self._table is not None:
            self.table.setVisible(is_seen)
        self._show_numbers()

    def is_in_drawer(self, names: tuple[str, ...]) -> bool:
        return TABLE in names or super().is_in_drawer(names)

    def show_withheld(self) -> bool:
        self.descent.stop()
        self.descent.setEnabled(self._is_there and not self.withheld)  # nor by a key: a step tells where the slope is
        if self._table is not None:
            self._table.numbers.withhold(bool(self.withheld))
        return super().show_withheld()

    def _on_travelled(self) -> None:
        """Have the bars go along with the plane; what is written beside them is the end of the way."""
        numbers, weights = self.canvas.picture, self.canvas.scene().frame.weights.tolist()
        if not isinstance(self.view.picture, PlanePicture):
            return  # another view was chosen on the way
        if isinstance(numbers, LookupFrame) and len(numbers.weights) == len(weights):
            items = self.panel_of(self.view, numbers).items
            self.panel.items.show_items([item.at(weights) if isinstance(item, NamedBars) else item for item in items])

    # ---- Which key is written about ----

    def _explained(self, frame: LookupFrame) -> int | None:
        """Return the key whose weight is spelled out: that under the pointer or the selected one; None: no other."""
        spot: Any = self.panel.items.hovered
        selected = self.canvas.selected
        if isinstance(spot, Hit) and spot.item == WEIGHTS and spot.part < len(frame.weights):
            return int(spot.part)
        if selected is not None and selected.role in (Role.KEY, Role.VALUE) and selected.index < len(frame.weights):
            return selected.index
        return None

    def _explain(self) -> None:
        numbers = self.canvas.picture
        if isinstance(numbers, LookupFrame) and isinstance(self.view.picture, PlanePicture):
            self.show_panel_of(self.view, numbers)

    def _on_selection_changed(self, part: Part | None) -> None:
        is_seen = self._table is not None and not self._table.isHidden()
        if part is not None and is_seen and not self.table.hasFocus():
            row = self.table.numbers.row_of(part)
            if row is not None:
                self.table.setCurrentIndex(self.table.numbers.index(row, 0))
        self._explain()

    def _on_table_part_clicked(self, part: Part | None) -> None:
        if part is not None:
            self.canvas.select(part)

    def _on_panel_clicked(self, spot: Any) -> None:  # noqa: ANN401 # a Hit
        if spot != NOWHERE and spot.item == WEIGHTS:
            self.canvas.select(Part(Role.KEY, spot.part))

    # ---- What people do ----

    def _on_place_menu_wanted(self, where: QPoint, part: Part | None, at: Vector) -> None:
        menu = self.context_menu(part, at)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(where)

    def context_menu(self, part: Part | None, at: Vector) -> QMenu:
        """Return the menu for a part of the lookup, or for a place on the plane."""
        menu = QMenu(self)
        if part is not None:
            self.canvas.select(part)
            self._add_part_actions(menu, part)
        else:
            if self.session.state.lookup.row is None:
                menu.addAction("Add a key here", lambda: self.canvas.add_key(at))
            menu.addAction("Home view", self.canvas.show_home)
        menu.addSeparator()
        self.offer_taking(menu)
        return menu

    def _add_part_actions(self, menu: QMenu, part: Part) -> None:
        state = self.session.state.lookup
        if state.is_fixed(part):
            return
        if part.role in (Role.KEY, Role.VALUE):
            name = key_name(part.index)
            remove = menu.addAction(f"Delete {name} and its value", self.canvas.remove_selected)
            remove.setEnabled(len(state.entries) > 1)
        if not state.on_number_line(part):
            menu.addAction(f"Set the length of {part.symbol} to 1", lambda: self._set_unit_length(part))
            menu.addAction(f"Move {part.symbol} to the origin", lambda: self._move(part, (0.0, 0.0)))

    def _set_unit_length(self, part: Part) -> None:
        self._move(part, around(self.session.state.lookup.position(part), 1.0))

    def _move(self, part: Part, to: Vector) -> None:
        state = self.session.state
        self.session.apply(replace(state, lookup=state.lookup.moved(part, to)), f"Move {part.name}")

    def toggle_hard(self) -> None:
        """Switch between soft and hard lookup."""
        state = self.session.state
        hard = not state.lookup.hard
        self.session.apply(
            replace(state, lookup=replace(state.lookup, hard=hard)), "Hard lookup" if hard else "Soft lookup"
        )

    def toggle_other(self) -> None:
        """Draw the output of the other mode beside this one, or no longer."""
        shown = not self.session.state.lookup.shows(Overlay.OTHER)
        switch_overlay(self.session, Overlay.OTHER, shown)

    def equalise(self) -> None:
        """Move the query to the origin, where every score is 0 and every weight the same."""
        self._move(QUERY, (0.0, 0.0))

    def step_downhill(self) -> None:
        """Take one step of the descent."""
        self._go_downhill(self.descent.step)

    def play_downhill(self) -> None:
        """Let q walk downhill by itself, or stop it."""
        self._go_downhill(self.descent.play)

    def _go_downhill(self, button: Any) -> None:  # noqa: ANN401 # a push button
        """Press a button of the descent; q does not wander off where neither gradient nor target is shown."""
        if self.session.state.lookup.view is LookupView.GRADIENT:
            button.click()
        else:
            self.said.emit("The way downhill is in the view Gradient (Ctrl+2).")

    @classmethod
    def actions_offered(cls) -> tuple[PageAction, ...]:
        return (
            PageAction(
                "Hard or soft lookup", lambda page: page.toggle_hard(), "H", "Switch between arg max and softmax"
            ),
            PageAction(
                "Both modes", lambda page: page.toggle_other(), "B", "Draw the output of the other mode too, as a ghost"
            ),
            PageAction("Make all scores equal", lambda page: page.equalise(), "E", "Move the query to the origin"),
            PageAction(""),
            PageAction(
                "Step downhill", lambda page: page.step_downhill(), "S", "One step of gradient descent on the target"
            ),
            PageAction(
                "Play or pause", lambda page: page.play_downhill(), "P", "Take step after step until the slope is gone"
            ),
            PageAction(
                "Clear the trail",
                lambda page: page.canvas.clear_trail(),
                "C",
                "Forget past outputs and count jumps anew",
            ),
            PageAction(""),
            PageAction("Home view", lambda page: page.canvas.show_home(), "", "Go back to the first view"),
            PageAction(""),
            *cls.view_actions(views()),
        )

    def stop(self) -> None:
        self.descent.stop()

    def set_moves(self, moves: bool) -> None:
        super().set_moves(moves)
        self.descent.set_moves(moves)

    # ---- Taking it away ----

    def figure(self) -> Figure:
        if not isinstance(self.view.picture, PlanePicture):
            return super().figure()
        from attention_explorer.pages.lookup.ui.figure import LookupFigure

        return LookupFigure(self.session.state.lookup)
