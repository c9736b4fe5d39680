"""The window with every array behind the Heads page, beside the page and always of the same numbers."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TypeAlias

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Signal
from PySide6.QtGui import QHideEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QComboBox, QDialog, QHBoxLayout, QLabel, QPushButton, QTabWidget, QVBoxLayout, QWidget

from attention_explorer.core.map_picture import MapPicture
from attention_explorer.kit.controls.discard import discard
from attention_explorer.kit.controls.panel_scroll import ColumnScroll, Scroll, bring_into_view
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.array import (
    ROLES,
    ArrayKind,
    HeadArray,
    array_picture,
    arrays_of,
    formula,
    projections,
    reason_against,
)
from attention_explorer.pages.heads.arrays import head_array
from attention_explorer.pages.heads.frame import HeadsFrame, head_name
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup
from attention_explorer.pages.heads.ui.array_detail import ArrayDetail
from attention_explorer.pages.heads.ui.array_grid import ArrayGrid
from attention_explorer.pages.heads.ui.embeddings_part import EmbeddingsPart
from attention_explorer.pages.heads.ui.it_table_part import ItTablePart
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import Deliver, Report, stoppable
from attention_explorer.session.requests import Requests, Standing

Piece = tuple[str, ArrayKind | None]


class FormulaBar(QWidget):
    """One line of symbols.

    Signals
    -------
    chosen : ArrayKind
        The array of the symbol that was clicked.
    """

    chosen = Signal(object)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._pieces: tuple[Piece, ...] = ()
        self._shown: list[QWidget] = []
        self.symbols: list[tuple[ArrayKind, QPushButton]] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addStretch(1)
        self.setAccessibleName(name)

    def show_formula(self, pieces: tuple[Piece, ...]) -> None:
        """Show these pieces; those with an array can be clicked."""
        if pieces == self._pieces:
            return
        self._pieces = pieces
        self.symbols = []
        for widget in self._shown:
            self._row.removeWidget(widget)
            discard(widget)
        self._shown = [QLabel(text) if kind is None else self._symbol(text, kind) for text, kind in pieces]
        for place, widget in enumerate(self._shown):
            self._row.insertWidget(place, widget)
        self.set_look(self._look)

    def _symbol(self, text: str, kind: ArrayKind) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(f"Show {kind} large")
        button.setAccessibleName(f"{text}: show {kind}")
        button.clicked.connect(lambda: self.chosen.emit(kind))
        self.symbols.append((kind, button))
        return button

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        px, theme = look.px, look.theme
        self._row.setSpacing(px(3))
        for kind, button in self.symbols:
            role = ROLES.get(kind)
            ink = theme.text if role is None else theme.ink_of_role(role)
            button.setStyleSheet(
                f"QPushButton {{ color: {ink}; font-weight: 600; border-radius: {px(5)}px;"
                f" padding: {px(1)}px {px(5)}px; min-height: {px(16)}px; }}"
            )


TITLE = "Arrays of the head"
WIDTH, HEIGHT = 1080, 740
"""Pixels at zoom 1, as far as the screen has them."""
LEAST_FOR_GRID = 150
MOST_TILES = 96
"""Rows and columns of a small picture."""
MOST_AT_ONCE = 2**15
"""Weights of all heads up to which everything is computed at once: 8 heads of 64 tokens, about 30 ms."""

Drawn: TypeAlias = dict[ArrayKind, tuple[HeadArray, MapPicture]]
"""Every array with its small picture."""


def _draw(frame: HeadsFrame, colours: str, report: Report, deliver: Deliver) -> None:
    """Compute every array of a frame with its small picture."""
    drawn: Drawn = {}
    kinds = arrays_of(frame)
    with stoppable(report) as tell:
        for kind in kinds:
            array = head_array(frame, kind)
            drawn[kind] = array, array_picture(array, colours, (MOST_TILES, MOST_TILES))
            tell(len(drawn) / len(kinds))
    deliver(drawn)


class ArraysWindow(QDialog):
    """All arrays of the chosen head as small pictures, one of them large; and the embeddings to type.

    It stays open beside the page and shows the frame that the page shows. It goes with the page.

    Signals
    -------
    refused : str
        Why something that was asked for cannot be done.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(TITLE)
        self._session, self._look = session, look
        self._frame: HeadsFrame | None = None
        self._colours = ""
        self._was_shown = False
        self._kind = ArrayKind.Q
        self._drawn: Drawn = {}
        self.requests: Requests[tuple[HeadsSetup, str]] = Requests(self)
        self.jobs = self.requests.jobs
        self._make_top()
        self._make_arrays()
        self.embeddings = EmbeddingsPart(session, look)
        self.it_table = ItTablePart(session, look)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Arrays, embeddings and the table for “it”")
        self._arrays_area = Scroll(self._arrays)
        self.tabs.addTab(self._arrays_area, "All arrays")
        self.tabs.addTab(ColumnScroll(self.embeddings), "Embeddings and dot products")
        self.tabs.addTab(ColumnScroll(self.it_table), "The table for “it”")
        self.warning = TextBlock(look, 1, "Why something cannot be done", ground="window")
        self.warning.hide()
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.tabs, 1)
        self._column.addWidget(self.warning)
        self._connect(session)
        self.set_look(look)
        parent.installEventFilter(self)

    # ---- Building ----

    def _make_top(self) -> None:
        self.head = QComboBox()
        self.head.setAccessibleName("Head")
        self.head.setToolTip("The head whose arrays these are; the page follows")
        self.head.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.head.activated.connect(self._on_head)
        self.formula = FormulaBar(self._look, "The formula of the head")
        self.projections = FormulaBar(self._look, "How queries, keys, values and the output are made")

    def _make_arrays(self) -> None:
        self._arrays = QWidget()
        self._rows = QVBoxLayout(self._arrays)
        top = QHBoxLayout()
        label = QLabel("head")
        label.setBuddy(self.head)
        top.addWidget(label)
        top.addWidget(self.head)
        top.addSpacing(12)
        top.addWidget(self.formula, 1)
        self.grid = ArrayGrid(self._look)
        self._grid_area = Scroll(self.grid)
        self._grid_area.setWidgetResizable(False)
        self.detail = ArrayDetail(self._look)
        self._both = QHBoxLayout()
        self._both.addWidget(self._grid_area)
        self._both.addWidget(self.detail, 1)
        self.reason = QLabel()
        self.reason.setWordWrap(True)
        self._rows.addLayout(top)
        self._rows.addWidget(self.projections)
        self._rows.addWidget(self.reason)
        self._rows.addLayout(self._both, 1)

    def _connect(self, session: Session) -> None:
        for source in (self.grid, self.formula, self.projections):
            source.chosen.connect(self.show_array)
        for key, step in (("N", 1), ("P", -1)):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.activated.connect(lambda step=step: self._step_head(step))
        # What is changed here is a step of the session too, and the menus of the main window do not hear these keys.
        for key, run in session.keys.items():
            QShortcut(QKeySequence(key), self).activated.connect(run)
        self.embeddings.refused.connect(self._on_refused)
        self.it_table.refused.connect(self._on_refused)
        self.requests.delivered.connect(self._on_delivered)
        self.requests.changed.connect(self._on_changed)
        self.requests.progressed.connect(lambda share: self.setWindowTitle(f"{TITLE}: computing … {share:.0%}"))
        self.tabs.currentChanged.connect(self._on_tab)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        px = look.px
        self._column.setContentsMargins(px(10), px(10), px(10), px(10))
        self._rows.setContentsMargins(px(8), px(8), px(8), px(8))
        for layout in (self._rows, self._both, self._column):
            layout.setSpacing(px(8))
        for part in (self.formula, self.projections, self.grid, self.embeddings, self.it_table, self.warning):
            part.set_look(look)
        self.detail.wear(look)
        self.head.setMinimumWidth(px(110))
        self._fit()

    def show_frame(self, frame: HeadsFrame) -> None:
        """Show the arrays of a frame."""
        colours = self._session.state.heads.view.colour_map
        if frame is self._frame and colours == self._colours:
            return
        self._frame, self._colours = frame, colours
        self.warning.hide()
        if self.isVisible():
            self._show()

    def showEvent(self, event: QEvent) -> None:
        if not self._was_shown:
            self._was_shown = True
            screen, px = self.screen().availableGeometry(), self._look.px
            self.resize(min(px(WIDTH), screen.width() - 40), min(px(HEIGHT), screen.height() - 60))
        self._show()

    def show_array(self, kind: ArrayKind) -> None:
        """Show one of the arrays large."""
        self._kind = kind
        self.tabs.setCurrentIndex(0)
        self._show()

    def _on_tab(self, _index: int) -> None:
        self.warning.hide()  # it was about another tab
        self._show()

    def _show(self) -> None:
        frame = self._frame
        if frame is None:
            return
        if self.tabs.currentIndex() == 1:
            self.embeddings.show_recipe(frame.setup.recipe, frame.count)
            return
        if self.tabs.currentIndex() == 2:
            self.it_table.show_frame(frame)
            return
        reason = reason_against(frame)
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))
        self._grid_area.setVisible(not reason)
        self.detail.setVisible(not reason)
        self._show_head(frame)
        self.formula.show_formula(formula(frame))
        self.formula.setVisible(not reason)
        pieces = projections(frame)
        self.projections.show_formula(pieces)
        self.projections.setVisible(bool(pieces))
        if not reason:
            self._show_arrays(frame)

    def _show_arrays(self, frame: HeadsFrame) -> None:
        """Show the arrays; where there are many numbers, once a worker has them, and what was shown stays till then."""
        at_once = frame.heads * frame.shape[0] * frame.shape[1] <= MOST_AT_ONCE
        request, work = (frame.setup, self._colours), partial(_draw, frame, self._colours)
        self.requests.want(request, work, at_once=at_once, replace=True)
        if self.requests.standing is Standing.CURRENT:
            self._show_kind(frame)

    def _on_delivered(self, _request: object, drawn: Drawn) -> None:
        frame = self._frame
        if frame is None:
            return
        self._drawn = drawn
        self.grid.show_arrays(drawn)
        self._show_kind(frame)
        self._fit()

    def _on_changed(self) -> None:
        if not self.requests.is_pending:
            self.setWindowTitle(TITLE)
        if self.requests.standing is Standing.REFUSED:
            self._on_refused(self.requests.reason)

    def _show_kind(self, frame: HeadsFrame) -> None:
        if self._kind not in self._drawn:
            self._kind = ArrayKind.Q
        self.grid.show_selected(self._kind)
        self.detail.show_array(frame, self._drawn[self._kind][0], self._colours)

    def hideEvent(self, event: QHideEvent) -> None:
        self.requests.leave()
        super().hideEvent(event)

    def _show_head(self, frame: HeadsFrame) -> None:
        names = [head_name(frame, frame.layer, head) for head in range(frame.heads)]
        with QSignalBlocker(self.head):
            if [self.head.itemText(i) for i in range(self.head.count())] != names:
                self.head.clear()
                self.head.addItems(names)
            self.head.setCurrentIndex(frame.head)

    def _fit(self) -> None:
        """Give the small pictures their width, where that leaves enough for the large one: else they scroll."""
        self.grid.resize(self.grid.sizeHint())
        bar = self._grid_area.verticalScrollBar().sizeHint().width()
        natural = self.grid.sizeHint().width() + bar + 4
        # Not from the width inside, which is known only later; a scroll bar of the whole may come and go.
        around = 2 * (self._column.contentsMargins().left() + self._rows.contentsMargins().left() + 2) + bar
        left = self.width() - around - self._both.spacing() - self.detail.minimumSizeHint().width()
        self._grid_area.setFixedWidth(min(natural, max(left, self._look.px(LEAST_FOR_GRID))))

    def focusNextPrevChild(self, forward: bool) -> bool:
        reached = super().focusNextPrevChild(forward)
        bring_into_view(self.focusWidget())
        return reached

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    # ---- What people do ----

    def _on_head(self, head: int) -> None:
        heads = self._session.state.heads.with_setup(head=head, aggregate=Aggregate.ONE)
        self._session.apply(replace(self._session.state, heads=heads), f"Show {self.head.itemText(head)}")

    def _step_head(self, step: int) -> None:
        head = self.head.currentIndex() + step
        if 0 <= head < self.head.count():
            self._on_head(head)

    def _on_refused(self, sentence: str) -> None:
        self.warning.set_text(TextLine(sentence, "loss_ink", bold=True))
        self.warning.show()
        self.refused.emit(sentence)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Hide and watched is self.parent():
            self.close()
        return super().eventFilter(watched, event)
