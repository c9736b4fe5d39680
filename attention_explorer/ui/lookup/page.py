"""The Lookup page: drag a query and watch a lookup blend or snap."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.session.session import Session
from attention_explorer.state.explorer import ExplorerState
from attention_explorer.state.lookup.frame import LookupFrame, lookup_frame
from attention_explorer.state.lookup.plane import Vector, around
from attention_explorer.state.lookup.presets import PRESETS, preset
from attention_explorer.state.lookup.state import LookupState, Overlay, Part
from attention_explorer.state.lookup.wording import (
    description,
    exponent_note,
    key_name,
    notices,
    output_sum,
    rescaled_note,
    spread_note,
    weight_sum,
)
from attention_explorer.state.role import Role
from attention_explorer.ui.controls.card import Card
from attention_explorer.ui.controls.panel_scroll import UNBOUNDED, ColumnScroll, Scroll
from attention_explorer.ui.controls.text_block import TextBlock, TextLine
from attention_explorer.ui.lookup.canvas import LookupCanvas
from attention_explorer.ui.lookup.controls import LookupControls
from attention_explorer.ui.lookup.gradient_card import GradientCard
from attention_explorer.ui.lookup.numbers_table import NumbersTable
from attention_explorer.ui.lookup.overlay_chips import OverlayChips
from attention_explorer.ui.lookup.weight_bars import WeightBars
from attention_explorer.ui.page import Page, PageAction
from attention_explorer.ui.theme import Look

if TYPE_CHECKING:
    # Loaded when they are first needed: drawing libraries and file formats would delay the first picture.
    from attention_explorer.ui.lookup.figure import LookupFigure
    from attention_explorer.ui.lookup.temperature_chart import TemperatureChart

PANEL_WIDTH = 440
NARROW_PAGE = 860
"""Below this width, in pixels at zoom 1, the panel goes below the plane and the page scrolls."""

TALL_PANEL = 1040
"""From this height on, in pixels at zoom 1, the chart has a place of its own instead of a tab."""

CANVAS_OVERLAYS = (
    Overlay.FIELD,
    Overlay.TIE,
    Overlay.ANGLE,
    Overlay.HULL,
    Overlay.CHAIN,
    Overlay.TRAIL,
    Overlay.LIMIT,
)


class LookupPage(Page):
    """The plane with its table, and beside it the controls, the weights, the sum and the gradient."""

    gestures = (
        ("Drag a tip or a shaft", "move q, a key, a value or the target"),
        ("Shift while dragging", "snap to the 0.1 grid"),
        ("Ctrl while dragging, or the square handle", "change only the length"),
        ("Alt while dragging, or the round handle", "change only the angle (some desktops keep Alt for themselves)"),
        ("Esc while dragging", "put everything back"),
        ("Double click on the plane, or Insert", "add a key"),
        ("Delete", "remove the selected key"),
        ("Tab, Shift+Tab", "select the next or the previous vector"),
        ("Arrow keys", "nudge the selected vector by 0.1; Shift by 0.01, Ctrl by 0.5"),
        ("Drag the plane, wheel, + and −", "move and zoom the view"),
        ("Home", "bring back the first view"),
        ("Right click", "menu for what is under the pointer"),
        ("Hover a bar", "see the arithmetic that made the weight"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(session, look, parent)
        self._explained: int | None = None
        self._chart: TemperatureChart | None = None
        self.canvas = LookupCanvas(session, look)
        self.table = NumbersTable(session, look)
        self.chips = OverlayChips(session, look, CANVAS_OVERLAYS)
        self.controls = LookupControls(session, look)
        self.bars = WeightBars(look)
        self.noticed = TextBlock(look, 3, "Worth noticing")
        self.sum = TextBlock(look, 5, "The sum with its numbers")
        self.gradient = GradientCard(session, look)
        self.tip = TextBlock(look, 3, "What to look for", ground="note")
        self._build()
        self._connect()
        self.set_look(look)

    # ---- Building ----

    def _build(self) -> None:
        content = QWidget()
        content.setObjectName("page")
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight, content)
        self._left = QVBoxLayout()
        self._left.addLayout(self._make_header())
        self._left.addWidget(self.canvas, 1)
        self._left.addWidget(self.chips)
        self._left.addWidget(self.table)
        self._columns.addLayout(self._left, 1)
        self._columns.addWidget(self._make_panel())
        # Scrolls only where the window is too small for two columns; see _arrange.
        self._page_scroll = Scroll(content)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._page_scroll)

    def _make_header(self) -> QHBoxLayout:
        title = QLabel("Lookup")
        title.setObjectName("title")
        self.presets = QComboBox()
        self.presets.setAccessibleName("Preset")
        self.presets.setToolTip("Ready-made lookups; each says what to look for")
        self.presets.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.presets.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.presets.setMinimumContentsLength(8)
        for ready in PRESETS:
            self.presets.addItem(ready.title, ready.id)
            self.presets.setItemData(self.presets.count() - 1, ready.look_for, Qt.ItemDataRole.ToolTipRole)
        self.presets.activated.connect(self._on_preset_activated)
        self.home = QPushButton("Home view")
        self.home.setToolTip("Show the part of the plane that the page began with (Home)")
        self.home.clicked.connect(self.canvas.show_home)
        self.export_button = QPushButton("Export…")
        self.export_button.setToolTip("Save the picture (PNG, SVG, PDF) or the numbers (CSV, JSON)")
        self.export_button.clicked.connect(self.export)
        self._header = QHBoxLayout()
        self._header.addWidget(title)
        self._header.addWidget(self.presets, 1)
        self._header.addWidget(self.home)
        self._header.addWidget(self.export_button)
        return self._header

    def _make_panel(self) -> ColumnScroll:
        self._cards = [
            Card(self.look),
            Card(self.look, "The sum, with your numbers"),
            Card(self.look, kind="note"),
        ]
        weights, sums, note = self._cards
        weights.body.addWidget(self.bars)
        weights.body.addWidget(self.noticed)
        sums.body.addWidget(self.sum)
        note.body.addWidget(self.tip)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Gradient and temperature")
        self.tabs.addTab(self.gradient, "Gradient")
        self._chart_place = QWidget()
        self._chart_place.setMaximumHeight(220)
        self._chart_card = Card(self.look, "Temperature")
        self._chart_card.hide()
        self.tabs.addTab(self._chart_place, "Temperature")
        self.tabs.setTabToolTip(0, "How the output moves when the query moves")
        self.tabs.setTabToolTip(1, "The weights at every temperature")
        self.tabs.currentChanged.connect(self._on_tab_changed)
        panel = QWidget()
        panel.setObjectName("panel")
        self._panel_column = QVBoxLayout(panel)
        for widget in (self.controls, weights, sums, self.tabs, note):
            self._panel_column.addWidget(widget)
        self._panel_column.addWidget(self._chart_card, 1)
        self._panel_column.addStretch(0)
        self._scroll = ColumnScroll(panel)
        return self._scroll

    def _connect(self) -> None:
        self.canvas.pointed.connect(self.said)
        for source in (self.canvas, self.table.numbers, self.controls.exact, self.gradient):
            source.refused.connect(self.refused)
        self.canvas.grabbed.connect(self.gradient.stop)
        self.canvas.selection_changed.connect(self._on_selection_changed)
        self.canvas.menu_wanted.connect(self._on_menu_wanted)
        self.table.part_clicked.connect(self._on_table_part_clicked)
        self.bars.row_hovered.connect(self._on_row_hovered)
        self.bars.row_clicked.connect(self._on_row_clicked)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        self.look = look
        px = look.px
        self._columns.setContentsMargins(px(14), px(10), px(6), px(10))
        self._columns.setSpacing(px(12))
        for column in (self._left, self._panel_column):
            column.setSpacing(px(8))
        self._panel_column.setContentsMargins(0, 0, px(8), 0)
        self._header.setSpacing(px(8))
        for card in (*self._cards, self._chart_card):
            card.set_look(look)
        for part in (self.canvas, self.table, self.chips, self.controls, self.bars, self.noticed, self.sum):
            part.set_look(look)
        self.gradient.set_look(look)
        self.tip.set_look(look)
        if self._chart is not None:
            self._chart.set_look(look)
        self._show(lookup_frame(self.session.state.lookup))
        self._arrange()

    def _arrange(self) -> None:
        """Put the panel beside the plane, or below it where the window is too narrow for both."""
        if self.width() < self.look.px(NARROW_PAGE):
            self._columns.setDirection(QBoxLayout.Direction.TopToBottom)
            self._scroll.setMinimumWidth(0)
            self._scroll.setMaximumWidth(self.width())
            needed = self._panel_column.heightForWidth(self.width() - self.look.px(40))
            self._scroll.setMinimumHeight(needed + self.look.px(8))
            self.canvas.setFixedHeight(min(self.look.px(360), self.height() - self.look.px(80)))
        else:
            self._columns.setDirection(QBoxLayout.Direction.LeftToRight)
            self._scroll.setMinimumHeight(0)
            self.canvas.setMinimumHeight(0)
            self.canvas.setMaximumHeight(UNBOUNDED)
            # A third of the width, but never less than the text needs.
            wanted = max(self.look.px(PANEL_WIDTH), round(self.width() * 0.3))
            self._scroll.setFixedWidth(min(wanted, self.look.px(PANEL_WIDTH * 1.5)))
        tall = self.height() >= self.look.px(TALL_PANEL)
        if tall == (self.tabs.count() == 2):
            self._give_chart_its_place(tall)

    def _give_chart_its_place(self, tall: bool) -> None:
        """Move the chart out of its tab where there is room to see both, and back where there is not."""
        if tall:
            self.tabs.removeTab(1)
            self._chart_card.body.addWidget(self._chart_place, 1)
            self._chart_place.show()
            QTimer.singleShot(0, self, self._make_chart)  # after the first frame: it takes a library to load
        else:
            self.tabs.addTab(self._chart_place, "Temperature")
        self._chart_card.setVisible(tall)
        self._chart_place.setMinimumHeight(self.look.px(260) if tall else self.look.px(200))
        self._chart_place.setMaximumHeight(UNBOUNDED if tall else self.look.px(220))

    def resizeEvent(self, event: object) -> None:
        self._arrange()

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        if old.lookup == new.lookup and old is not new:
            return
        self.canvas.render_state(old, new)
        if old is new or old.lookup.without_view() != new.lookup.without_view():
            self._show(lookup_frame(new.lookup))

    def _show(self, frame: LookupFrame) -> None:
        state = frame.state
        explained = self._explained_key(frame)
        self.controls.show_frame(frame)
        self.bars.set_frame(frame, explained)
        self.table.numbers.set_frame(frame)
        self.chips.show_state(state)
        if self.tabs.currentWidget() is self.gradient or self.gradient.is_playing:
            self.gradient.show_frame(frame)
        if self._chart is not None and self._chart.isVisible():
            self._chart.show_frame(frame)
        self.noticed.set_text(
            TextLine(spread_note(frame), size=12),
            *(TextLine(text, "muted", size=12) for text in notices(frame)[:1]),  # one: the card keeps its height
        )
        self._show_sum(frame, explained)
        self._show_preset(state)
        self.table.fit_height()

    def _show_sum(self, frame: LookupFrame, explained: int) -> None:
        first, *middle, last = weight_sum(frame, explained)
        self.sum.set_text(
            TextLine(first),
            *(TextLine(line) for line in middle),
            TextLine(last, "key_ink", bold=True),
            TextLine(output_sum(frame), "output_ink", bold=True),
            TextLine(rescaled_note(frame, explained), "muted", size=12),
        )
        self._cards[1].note.setText(exponent_note(frame))

    def _explained_key(self, frame: LookupFrame) -> int:
        """Return the key whose weight is spelled out: the hovered one, the selected one, or the heaviest."""
        selected = self.canvas.selected
        wanted = self._explained
        if wanted is None and selected is not None and selected.role in (Role.KEY, Role.VALUE):
            wanted = selected.index
        return wanted if wanted is not None and wanted < len(frame.weights) else int(frame.weights.argmax())

    def _show_preset(self, state: LookupState) -> None:
        ready = preset(state.preset)
        index = self.presets.findData(ready.id)
        # The query is there to be moved; with other keys or values the words below may no longer hold.
        changed = (state.entries, state.values) != (ready.state.entries, ready.state.values)
        self.presets.setItemText(index, ready.title + (" (changed)" if changed else ""))
        if self.presets.currentIndex() != index:
            self.presets.setCurrentIndex(index)
        self.tip.set_text(
            TextLine(f"{'Try, in the unchanged preset' if changed else 'Try'}: {ready.look_for}", size=12.5)
        )

    # ---- What people do ----

    def _on_preset_activated(self, index: int) -> None:
        ready = PRESETS[index]
        self.gradient.stop()
        self.session.apply(replace(self.session.state, lookup=ready.state), f"Load “{ready.title}”")

    def _on_tab_changed(self, index: int) -> None:
        if index == 1:
            self._make_chart()
        self._show(lookup_frame(self.session.state.lookup))

    def _make_chart(self) -> None:
        if self._chart is None:
            from attention_explorer.ui.lookup.temperature_chart import TemperatureChart

            self._chart = TemperatureChart(self.session, self.look)
            column = QVBoxLayout(self._chart_place)
            column.setContentsMargins(0, 0, 0, 0)
            column.addWidget(self._chart)
            self._chart.show()
        self._chart.show_frame(lookup_frame(self.session.state.lookup))

    def _on_selection_changed(self, part: Part | None) -> None:
        frame = lookup_frame(self.session.state.lookup)
        if part is not None:
            row = self.table.numbers.row_of(part)
            if row is not None and not self.table.hasFocus():
                self.table.setCurrentIndex(self.table.numbers.index(row, 0))
        explained = self._explained_key(frame)
        self.bars.set_frame(frame, explained)
        self._show_sum(frame, explained)

    def _on_table_part_clicked(self, part: Part | None) -> None:
        if part is not None:
            self.canvas.select(part)

    def _on_row_hovered(self, row: int | None) -> None:
        if row != self._explained:
            self._explained = row
            self._on_selection_changed(self.canvas.selected)

    def _on_row_clicked(self, row: int) -> None:
        self.canvas.select(Part(Role.KEY, row))

    def _on_menu_wanted(self, where: QPoint, part: Part | None, at: Vector) -> None:
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
            menu.addAction("Add a key here", lambda: self.canvas.add_key(at))
            menu.addAction("Home view", self.canvas.show_home)
        menu.addSeparator()
        menu.addAction("Copy picture", self.copy_picture)
        menu.addAction("Copy numbers", self.copy_numbers)
        menu.addAction("Export…", self.export)
        return menu

    def _add_part_actions(self, menu: QMenu, part: Part) -> None:
        state = self.session.state.lookup
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
        self.controls.set_hard(not self.session.state.lookup.hard)

    def equalise(self) -> None:
        """Move the query to the origin, where every score is 0 and every weight the same."""
        self._move(Part(Role.QUERY), (0.0, 0.0))

    def actions_offered(self) -> tuple[PageAction, ...]:
        return (
            PageAction("Hard or soft lookup", self.toggle_hard, "H", "Switch between arg max and softmax"),
            PageAction("Make all scores equal", self.equalise, "E", "Move the query to the origin"),
            PageAction(""),
            PageAction("Step downhill", self.gradient.step.click, "S", "One step of gradient descent on the target"),
            PageAction("Play or pause", self.gradient.play.click, "P", "Walk the query downhill to the target"),
            PageAction("Clear the trail", self.canvas.clear_trail, "C", "Forget past outputs"),
            PageAction(""),
            PageAction("Home view", self.canvas.show_home, "", "Show the first part of the plane again"),
        )

    def focus_first(self) -> None:
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def stop(self) -> None:
        self.gradient.stop()

    # ---- Taking it away ----

    def figure(self) -> LookupFigure:
        from attention_explorer.ui.lookup.figure import LookupFigure

        return LookupFigure(self.session.state.lookup)

    def description(self) -> str:
        """Return the page in words."""
        return description(lookup_frame(self.session.state.lookup))
