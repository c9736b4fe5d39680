"""The right side of the Heads page: reading, setup and checks, and what these weights are worth."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.panel_scroll import UNBOUNDED, ColumnScroll
from attention_explorer.kit.controls.steady import Steady
from attention_explorer.kit.controls.text_block import TextBlock, TextLine
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.ui.reading_card import ReadingCard
from attention_explorer.pages.heads.verdict import Verdict
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.source import Source

if TYPE_CHECKING:
    # Loaded when their tabs are first opened: the page opens faster.
    from attention_explorer.pages.heads.ui.checks import HeadsChecks
    from attention_explorer.pages.heads.ui.next_tab import NextTab
    from attention_explorer.pages.heads.ui.setup import HeadsSetupPanel

TAB_TIPS = (
    "The weights of the row under the pointer, and where one of them comes from",
    "Heads, widths, seed, gain, scale, temperature, embeddings",
    "Experiments: shuffle the words, compare S with Sᵀ, four ways to mask",
    "What the model expects after the pinned query or in place of it, and how it goes on with the sentence",
    "How near the two sentences are to each other for the model",
)
NEXT = 3


class HeadsPanel(Steady):
    """Three tabs, of which only the one in view is filled, and a note below them.

    Setup and checks are made when they are first wanted: they are more than half of the widgets of the page.

    Signals
    -------
    refused : str
        Why something that was asked for in the setup cannot be done.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._look = session, look
        self._away: set[QWidget] = set()
        self.reading = ReadingCard(look)
        self._setup_area, self._checks_area = ColumnScroll(QWidget()), ColumnScroll(QWidget())
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Reading, setup and checks")
        self.tabs.addTab(self.reading, "Reading")
        self.tabs.addTab(self._setup_area, "Setup")
        self.tabs.addTab(self._checks_area, "Check")
        self._next_area = ColumnScroll(QWidget())
        self.tabs.addTab(self._next_area, "Next")
        self.tabs.setTabVisible(NEXT, False)  # for models that predict
        for index, tip in enumerate(TAB_TIPS[: self.tabs.count()]):
            self.tabs.setTabToolTip(index, tip)
        self._note = Card(look, kind="note")
        self._note.hide()  # until there is a frame to speak of
        self.note_text = TextBlock(look, 4, "What these weights are", ground="note")
        self._note.body.addWidget(self.note_text)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.addWidget(self.tabs, 1)
        self.column.addWidget(self._note)

    @cached_property
    def setup(self) -> HeadsSetupPanel:
        """Every number that decides what the maps are."""
        from attention_explorer.pages.heads.ui.setup import HeadsSetupPanel

        setup = HeadsSetupPanel(self._session, self._look)
        setup.refused.connect(self.refused)
        return setup

    @cached_property
    def checks(self) -> HeadsChecks:
        """Experiments with the heads."""
        from attention_explorer.pages.heads.ui.checks import HeadsChecks

        return HeadsChecks(self._session, self._look)

    @cached_property
    def next(self) -> NextTab:
        """What a model expects next."""
        from attention_explorer.pages.heads.ui.next_tab import NextTab

        tab = NextTab(self._session, self._look)
        tab.refused.connect(self.refused)
        return tab

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        for part in (self._note, self.note_text, self.reading):
            part.set_look(look)
        for area, made in (
            (self._setup_area, "setup"),
            (self._checks_area, "checks"),
            (self._next_area, "next"),
        ):
            if made in self.__dict__ and area is self.tabs.currentWidget():
                getattr(self, made).set_look(look)
            elif made in self.__dict__:
                panel: QWidget = getattr(self, made)
                area.takeWidget()  # Qt would style its many widgets along, seen or not
                if panel not in self._away:
                    self._away.add(panel)
                    self.destroyed.connect(panel.deleteLater)  # it has no parent now to be deleted with

    def _put(self, panel: HeadsSetupPanel | HeadsChecks | NextTab, area: ColumnScroll) -> None:
        """Show a panel in its tab, for the first time or after a change of looks."""
        if panel in self._away:
            self._away.remove(panel)
            self.destroyed.disconnect(panel.deleteLater)
            panel.set_look(self._look)
        if area.widget() is not panel:
            area.setWidget(panel)
            panel.show()

    def show_frame(self, heads: HeadsState, frame: HeadsFrame | None) -> None:
        """Show the numbers of a frame in the tab in view, unless it is the reading, which follows the pointer.

        Without a frame, there are only the settings to show.
        """
        page = self.tabs.currentIndex()
        if frame is not None:
            self._show_next(frame.source)
            page = self.tabs.currentIndex()
        if page == NEXT and frame is not None:
            self._put(self.next, self._next_area)
            self.next.show_frame(frame, heads.view.row)
        elif page == 1:
            self._put(self.setup, self._setup_area)
            self.setup.show_frame(frame)
        elif page == 2 and frame is not None:
            self._put(self.checks, self._checks_area)
            self.checks.show_frame(frame, heads.view.row)

    def stop_writing(self) -> None:
        """Have the model write no more, if it does."""
        if "next" in self.__dict__:
            self.next.writer.stop()

    def _show_next(self, source: Source[Any]) -> None:
        """Offer the last tab where there is something in it, under its name."""
        title = "Next" if source.predicts else "Cosine"
        if title != self.tabs.tabText(NEXT):
            self.tabs.setTabText(NEXT, title)
            self.tabs.setTabToolTip(NEXT, TAB_TIPS[NEXT if source.predicts else NEXT + 1])
        offers = source.predicts or source.is_sentence_model
        if offers != self.tabs.isTabVisible(NEXT):  # else Qt lays out the panel anew all the same
            self.tabs.setTabVisible(NEXT, offers)

    def forget(self) -> None:
        """Show nothing of a frame: there is none of what is wanted."""
        self._note.hide()
        self.reading.show_reason("")

    def show_spot(
        self,
        frame: HeadsFrame,
        spot: Spot,
        comparison: Comparison | None = None,
        *,
        is_raw: bool = False,
        names_head: bool = False,
    ) -> None:
        """Show what a spot says, if that is in view."""
        if self.tabs.currentIndex() == 0:
            self.reading.show_spot(frame, spot, comparison, is_raw=is_raw, names_head=names_head)

    def show_note(self, found: Verdict) -> None:
        """Say what the weights are worth."""
        self._note.show()
        self.note_text.set_text(TextLine(found.title, bold=True), TextLine(found.text, size=12.5))
        self.fit_note()

    def fit_note(self) -> None:
        """Give the note the height of its text: what it says is as important as what is above it."""
        margins = self._note.body.contentsMargins()
        inside = self.maximumWidth() if self.maximumWidth() < UNBOUNDED else self.width()
        inside -= margins.left() + margins.right() + 2
        self._note.setFixedHeight(self.note_text.heightForWidth(inside) + margins.top() + margins.bottom() + 2)
