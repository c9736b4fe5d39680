"""The panel beside the plane: controls, weights, the sum, gradient and temperature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QTabWidget, QVBoxLayout, QWidget

from attention_explorer.core.role import Role
from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.panel_scroll import UNBOUNDED, PanelScroll
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import Part
from attention_explorer.pages.lookup.ui.controls import LookupControls
from attention_explorer.pages.lookup.ui.gradient_card import GradientCard
from attention_explorer.pages.lookup.ui.weight_bars import WeightBars
from attention_explorer.pages.lookup.wording import (
    exponent_note,
    notices,
    output_sum,
    rescaled_note,
    spread_note,
    weight_sum,
)
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.later import later

if TYPE_CHECKING:
    # Loaded when it is first needed: a drawing library would delay the first picture.
    from attention_explorer.pages.lookup.ui.temperature_chart import TemperatureChart

WIDTH = 440
NOT_YET = "weights = ?    o = ?"
"""Stands in place of all numbers while they are asked for."""


class LookupPanel(PanelScroll):
    """Shows a `LookupFrame` in numbers and words; its controls make new states."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        body = QWidget()
        body.setObjectName("panel")
        super().__init__(body, parent)
        self._session, self._look = session, look
        self._hovered: int | None = None
        self._withheld = False
        self._selected: Part | None = None
        self.chart: TemperatureChart | None = None
        self.controls = LookupControls(session, look)
        self.bars = WeightBars(look)
        self.noticed = TextBlock(look, 3, "Worth noticing")
        self.sum = TextBlock(look, 5, "The sum with its numbers")
        self.gradient = GradientCard(session, look)
        self._build(body)
        self.bars.row_hovered.connect(self._on_row_hovered)

    # ---- Building ----

    def _build(self, body: QWidget) -> None:
        weights = Card(self._look)
        self._sum_card = Card(self._look, "The sum, with your numbers")
        self._chart_card = Card(self._look, "Temperature")
        self._chart_card.hide()
        self._cards = (weights, self._sum_card, self._chart_card)
        weights.body.addWidget(self.bars)
        weights.body.addWidget(self.noticed)
        self._sum_card.body.addWidget(self.sum)
        self._unknown = Card(self._look, "What comes out")
        self._unknown.body.addWidget(QLabel(NOT_YET))
        self._unknown.hide()
        self._computed = QWidget()
        self._inner = QVBoxLayout(self._computed)
        self._inner.setContentsMargins(0, 0, 0, 0)
        for widget in (weights, self._sum_card, self._make_tabs()):
            self._inner.addWidget(widget)
        self._inner.addWidget(self._chart_card, 1)
        self._inner.addStretch(0)
        self.column = QVBoxLayout(body)
        self.column.addWidget(self.controls)
        self.column.addWidget(self._unknown)
        self.column.addWidget(self._computed, 1)
        self.column.addStretch(0)

    def _make_tabs(self) -> QTabWidget:
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Gradient and temperature")
        self.tabs.addTab(self.gradient, "Gradient")
        self._chart_place = QWidget()
        self._chart_place.setMaximumHeight(220)
        self.tabs.addTab(self._chart_place, "Temperature")
        self.tabs.setTabToolTip(0, "How the output moves when the query moves")
        self.tabs.setTabToolTip(1, "The weights at every temperature")
        self.tabs.currentChanged.connect(self._on_tab_changed)
        return self.tabs

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        self._inner.setSpacing(look.px(8))
        self.column.setSpacing(look.px(8))
        self.column.setContentsMargins(0, 0, look.px(8), 0)
        for card in (*self._cards, self._unknown):
            card.set_look(look)
        for part in (self.controls, self.bars, self.noticed, self.sum, self.gradient):
            part.set_look(look)
        if self.chart is not None:
            self.chart.set_look(look)

    def withhold(self, withheld: bool) -> None:
        """Show “?” in place of weights, sum, gradient and temperature chart, or show them again."""
        self._withheld = withheld
        self._computed.setHidden(withheld)
        self._unknown.setVisible(withheld)
        self.gradient.setDisabled(withheld)  # nor by a key: a step tells where the slope is

    # ---- Its place on the page ----

    def stand_below(self, width: int) -> None:
        """Take a whole page of this width, as high as all that is said."""
        self.setMinimumWidth(0)
        self.setMaximumWidth(width)
        self.be_whole(True)

    def stand_beside(self, width: int) -> None:
        """Take a third of a page of this width, but never less than the text needs."""
        self.be_whole(False)
        wanted = max(self._look.px(WIDTH), round(width * 0.3))
        self.setFixedWidth(min(wanted, self._look.px(WIDTH * 1.5)))

    def give_chart_its_place(self, tall: bool) -> None:
        """Move the chart out of its tab where there is room to see both, and back where there is not."""
        if tall is (self.tabs.count() == 2):
            self._move_chart(tall)
        self._chart_place.setMinimumHeight(self._look.px(260 if tall else 160))
        self._chart_place.setMaximumHeight(UNBOUNDED if tall else self._look.px(220))

    def _move_chart(self, tall: bool) -> None:
        if tall:
            self.tabs.removeTab(1)
            self._chart_card.body.addWidget(self._chart_place, 1)
            self._chart_place.show()
            later(self, self._make_chart)  # after the first frame: it takes a library to load
        else:
            self.tabs.addTab(self._chart_place, "Temperature")
        self._chart_card.setVisible(tall)

    def _on_tab_changed(self, index: int) -> None:
        if index == 1:
            self._make_chart()
        self.show_frame(self._frame, self._selected)

    def _make_chart(self) -> None:
        if self.chart is None:
            from attention_explorer.pages.lookup.ui.temperature_chart import TemperatureChart

            self.chart = TemperatureChart(self._session, self._look)
            column = QVBoxLayout(self._chart_place)
            column.setContentsMargins(0, 0, 0, 0)
            column.addWidget(self.chart)
            self.chart.show()
        self.chart.show_frame(self._frame)

    # ---- Showing ----

    @property
    def _frame(self) -> LookupFrame:
        return lookup_frame(self._session.state.lookup)

    def show_frame(self, frame: LookupFrame, selected: Part | None) -> None:
        """Show the numbers of a lookup, of which a part is selected."""
        self.controls.show_frame(frame)
        if self._withheld:
            return
        if self.tabs.currentWidget() is self.gradient or self.gradient.is_playing:
            self.gradient.show_frame(frame)
        if self.chart is not None and self.chart.isVisible():
            self.chart.show_frame(frame)
        self.noticed.set_text(
            TextLine(spread_note(frame), size=12),
            *(TextLine(text, "muted", size=12) for text in notices(frame)[:1]),  # one: the card keeps its height
        )
        self.explain(frame, selected)

    def explain(self, frame: LookupFrame, selected: Part | None) -> None:
        """Spell out the weight of the hovered key, of the selected one, or of the heaviest."""
        self._selected = selected
        if self._withheld:
            return
        wanted = self._hovered
        if wanted is None and selected is not None and selected.role in (Role.KEY, Role.VALUE):
            wanted = selected.index
        key = wanted if wanted is not None and wanted < len(frame.weights) else int(frame.weights.argmax())
        self.bars.set_frame(frame, key)
        first, *middle, last = weight_sum(frame, key)
        self.sum.set_text(
            TextLine(first),
            *(TextLine(line) for line in middle),
            TextLine(last, "key_ink", bold=True),
            TextLine(output_sum(frame), "output_ink", bold=True),
            *(() if self._look.few else (TextLine(rescaled_note(frame, key), "muted", size=12),)),
        )
        self._sum_card.note.setText(exponent_note(frame))

    def _on_row_hovered(self, row: int | None) -> None:
        if row != self._hovered:
            self._hovered = row
            self.explain(self._frame, self._selected)
