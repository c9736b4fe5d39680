"""The Heads page: every head of a sentence, one of them large, and every number behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.session.session import Session
from attention_explorer.state.explorer import ExplorerState
from attention_explorer.state.heads import Aggregate, HeadsState, Picture, SortBy
from attention_explorer.state.heads_compare import Comparison
from attention_explorer.state.heads_frame import HeadsFrame, can_roll_out
from attention_explorer.state.heads_lines import LinePicture
from attention_explorer.state.heads_presets import heads_preset, is_changed
from attention_explorer.state.heads_stages import StagesPicture
from attention_explorer.state.heads_survey import wall_legend
from attention_explorer.state.heads_verdict import verdict
from attention_explorer.state.heads_wording import badges, cell_words, map_title, source_words, token_name
from attention_explorer.state.large_picture import LargePicture
from attention_explorer.state.map_picture import MapPicture
from attention_explorer.ui.card import Card
from attention_explorer.ui.choice import ChoiceBox
from attention_explorer.ui.head_wall import HeadWall, WallLegend
from attention_explorer.ui.heads_bar import HeadsBar
from attention_explorer.ui.heads_checks import HeadsChecks
from attention_explorer.ui.heads_loader import HeadsLoader, Order, Part
from attention_explorer.ui.heads_reading_card import ReadingCard
from attention_explorer.ui.heads_setup import HeadsSetupPanel
from attention_explorer.ui.heatmap_canvas import HeatmapCanvas
from attention_explorer.ui.map_widget import NOWHERE, MapWidget, Spot
from attention_explorer.ui.page import Page, PageAction
from attention_explorer.ui.picture_canvas import COMPARE, LINES, STAGES, PictureCanvas
from attention_explorer.ui.text_block import TextBlock, TextLine
from attention_explorer.ui.theme import Look

if TYPE_CHECKING:
    # Loaded when something is exported: file formats would delay the first picture.
    from attention_explorer.ui.figure import Figure

WALL_WIDTH = 268
PANEL_WIDTH = 344
NARROW_PAGE = 900
UNBOUNDED = 16_777_215  # QWIDGETSIZE_MAX, which PySide6 does not export

AGGREGATES = (
    (Aggregate.ONE, "one head", "The head that is chosen on the wall"),
    (Aggregate.MEAN, "mean of heads", "The mean over the heads of the layer that are switched on; its rows sum to 1"),
    (Aggregate.MAX, "largest of heads", "The largest weight any head gives; its rows do not sum to 1"),
    (
        Aggregate.ROLLOUT,
        "rollout",
        "How much of each token reaches the top: the layers multiplied (Abnar and Zuidema 2020)",
    ),
)
SORTS = tuple(
    (sort, f"by {sort.value}", tip)
    for sort, tip in (
        (SortBy.NUMBER, "In the order of the model"),
        (SortBy.ENTROPY, "The most spread out first"),
        (SortBy.MAX_WEIGHT, "The most decided first"),
        (SortBy.DISTANCE, "Those that look furthest first"),
        (SortBy.SELF, "By the weight that tokens give themselves"),
        (SortBy.PREVIOUS, "By the weight on the token before"),
        (SortBy.FIRST, "By the weight on the first token"),
    )
)


class Steady(QWidget):
    """A column that takes the height it is given: text that wraps inside must not make the whole page scroll."""

    def hasHeightForWidth(self) -> bool:
        return False


class HeadsPage(Page):
    """The wall of heads, the large picture, and beside it the reading, the setup and the checks."""

    gestures = (
        ("Point at a cell", "light it up in every head; the arithmetic appears"),
        ("Click a cell or a token", "pin it; click again or Esc lets go"),
        ("Arrow keys", "walk from cell to cell"),
        ("Wheel, + and −", "look closer; drag to move; Home shows all"),
        ("Click a thumbnail", "show that head large; arrow keys walk"),
        ("Ctrl+click a thumbnail, Space", "switch the head off or on"),
        ("Paint, then drag over cells", "hide them or show them again; on a token, its row or column"),
        ("Right click", "export, copy the picture, copy the numbers"),
    )

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(session, look, parent)
        self._frame: HeadsFrame | None = None
        self._last_order: Order | None = None
        self.loader = HeadsLoader(self)
        self.bar = HeadsBar(session, look)
        self.wall = HeadWall(session, look)
        self.canvas = HeatmapCanvas(session, look)
        self.reading = ReadingCard(look)
        self.setup = HeadsSetupPanel(session, look)
        self.checks = HeadsChecks(session, look)
        self._build()
        self._connect()
        self.set_look(look)

    # ---- Building ----

    def _build(self) -> None:
        content = QWidget()
        content.setObjectName("page")
        self._all = QVBoxLayout(content)
        self._all.addWidget(self.bar)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.addWidget(self._make_wall())
        self._columns.addWidget(self._make_picture_card(), 1)
        self._columns.addWidget(self._make_panel())
        self._all.addLayout(self._columns, 1)
        self._page_scroll = QScrollArea()
        self._page_scroll.setWidgetResizable(True)
        self._page_scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._page_scroll.setWidget(content)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._page_scroll)

    def _make_wall(self) -> QWidget:
        self._wall_side = QWidget()
        column = QVBoxLayout(self._wall_side)
        column.setContentsMargins(0, 0, 0, 0)
        self.aggregate = ChoiceBox(
            "What is large", "One head, or several in one picture", AGGREGATES, self._on_aggregate_chosen
        )
        self.sort = ChoiceBox(
            "Order of the heads", "The order of the thumbnails, the largest first", SORTS, self._on_sort_chosen
        )
        self.identity = QCheckBox("identity (½W + ½I)")
        self.identity.setToolTip(
            "Count the residual connection: every layer hands half of each token on unmixed.\n"
            "Without it the rollout is the plain product of the layers."
        )
        self.identity.clicked.connect(lambda on: self._setup("Rollout identity", identity=on))
        row = QHBoxLayout()
        row.addWidget(self.aggregate, 1)
        row.addWidget(self.sort, 1)
        self._wall_scroll = QScrollArea()
        self._wall_scroll.setWidgetResizable(True)
        self._wall_scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._wall_scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._wall_scroll.setWidget(self.wall)
        column.addLayout(row)
        column.addWidget(self.identity)
        self.legend = WallLegend(self.look)
        column.addWidget(self.legend)
        column.addWidget(self._wall_scroll, 1)
        return self._wall_side

    def _make_picture_card(self) -> QWidget:
        self._centre = Steady()
        column = QVBoxLayout(self._centre)
        column.setContentsMargins(0, 0, 0, 0)
        self.card = Card(self.look)
        self.title = TextBlock(self.look, 1, "What the large picture shows")
        self.badges = TextBlock(self.look, 1, "What to know about the colours")
        self.keep = QPushButton("Keep as B")
        self.keep.setToolTip("Keep this setup as B. Then change anything and compare: A beside B, and A − B.")
        self.keep.clicked.connect(self.keep_for_comparison)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.keep)
        self.pictures = QStackedWidget()
        self.lines = PictureCanvas(self.session, self.look, "Lines from queries to keys", LINES)
        self.stages = PictureCanvas(self.session, self.look, "Stages of the head", STAGES)
        self.comparison = PictureCanvas(self.session, self.look, "Comparison of A and B", COMPARE)
        self._widgets: dict[Picture, MapWidget] = {
            Picture.HEATMAP: self.canvas,
            Picture.LINES: self.lines,
            Picture.STAGES: self.stages,
            Picture.COMPARE: self.comparison,
        }
        for widget in self._widgets.values():
            self.pictures.addWidget(widget)
        self.card.body.addLayout(head)
        self.card.body.addWidget(self.badges)
        self.card.body.addWidget(self.pictures, 1)
        column.addWidget(self.card)
        return self._centre

    def _make_panel(self) -> QWidget:
        self._panel = Steady()
        self._panel_column = QVBoxLayout(self._panel)
        self._panel_column.setContentsMargins(0, 0, 0, 0)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Reading, setup and checks")
        self.tabs.addTab(self.reading, "Reading")
        self.tabs.addTab(self._scrolled(self.setup), "Setup")
        self.tabs.addTab(self._scrolled(self.checks), "Check")
        for index, tip in enumerate(
            (
                "The weights of the row under the pointer, and where one of them comes from",
                "Heads, widths, seed, gain, scale, temperature, embeddings",
                "Experiments: shuffle the words, compare S with Sᵀ, three ways to mask",
            )
        ):
            self.tabs.setTabToolTip(index, tip)
        self.tabs.currentChanged.connect(lambda _index: self._show_panel())
        self.note = Card(self.look, kind="note")
        self.note_text = TextBlock(self.look, 4, "What these weights are", ground="note")
        self.note.body.addWidget(self.note_text)
        self._panel_column.addWidget(self.tabs, 1)
        self._panel_column.addWidget(self.note)
        return self._panel

    def _scrolled(self, widget: QWidget) -> QScrollArea:
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(widget)
        return area

    def _connect(self) -> None:
        for source in (self.bar, self.setup):
            source.refused.connect(self.refused)
        self.bar.export_wanted.connect(self.export)
        self.bar.paint_toggled.connect(self._on_paint_toggled)
        self.loader.delivered.connect(self._on_delivered)
        self.loader.failed.connect(self.refused)
        self.loader.busy_changed.connect(self._on_busy_changed)
        self.canvas.window_changed.connect(self._load)
        for widget in self._widgets.values():
            widget.spot_changed.connect(self._on_spot_changed)
            widget.menu_wanted.connect(self._on_menu_wanted)
        self.wall.said.connect(self.said)
        self.reading.spot_hovered.connect(self._on_list_hovered)
        self.reading.spot_clicked.connect(self.canvas.pin)

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        self.look = look
        px = look.px
        self._all.setContentsMargins(px(14), px(10), px(12), px(10))
        self._all.setSpacing(px(8))
        self._columns.setSpacing(px(10))
        for part in (self.bar, self.wall, self.card, self.note, self.note_text, self.title, self.badges, self.reading):
            part.set_look(look)
        for other in (self.setup, self.checks, self.legend):
            other.set_look(look)
        for picture in self._widgets.values():
            picture.set_look(look)
        self._arrange()

    def _arrange(self) -> None:
        """Three columns, or one that scrolls where the window is too narrow."""
        px, narrow = self.look.px, self.width() < self.look.px(NARROW_PAGE)
        self._columns.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        wide = self.width() > px(1900)
        for side, width in ((self._wall_side, WALL_WIDTH), (self._panel, PANEL_WIDTH)):
            side.setMinimumWidth(0 if narrow else px(width * (1.4 if wide else 1)))
            side.setMaximumWidth(UNBOUNDED if narrow else px(width * (1.4 if wide else 1)))
        self._centre.setMinimumHeight(px(420) if narrow else 0)
        self._wall_side.setMinimumHeight(px(240) if narrow else 0)
        self._panel.setMinimumHeight(px(560) if narrow else 0)
        self._fit_note()

    def resizeEvent(self, event: object) -> None:
        self._arrange()

    def render_state(self, old: ExplorerState, new: ExplorerState) -> None:
        if old.heads == new.heads and old is not new:
            return
        self._load()
        if self._frame is not None:
            self._show_controls(new.heads, self._frame)
            self.wall.show_view(self._frame, new.heads.view)
            self._show_spots()

    def _load(self) -> None:
        """Compute what the state needs, if it is not what is shown already."""
        heads = self.session.state.heads
        order = Order.of(heads, self.canvas.seen, self.canvas.tiles)
        if order != self._last_order:
            self._last_order = order
            self.loader.load(order)

    def _on_delivered(self, order: Order, part: Part) -> None:
        heads = self.session.state.heads
        if isinstance(part, HeadsFrame):
            self._frame = part
            self._show_controls(heads, part)
            return
        if self._frame is None:
            return
        view = order.heads.view
        if isinstance(part, tuple):
            self.wall.show_surveys(self._frame, heads.view, part)
            self.legend.show_legend(wall_legend(part, view))
            return
        if isinstance(part, MapPicture):
            self.canvas.show_picture(self._frame, view, part)
        elif isinstance(part, LinePicture):
            self.lines.show_picture(self._frame, view, part)
        elif isinstance(part, StagesPicture):
            self.stages.show_picture(self._frame, view, part)
        else:
            self.comparison.show_picture(self._frame, view, part)
        self.pictures.setCurrentWidget(self._widgets[view.picture])
        self._show_title(self._frame, part)
        self._show_spots()

    def _show_controls(self, heads: HeadsState, frame: HeadsFrame) -> None:
        self.bar.show_frame(heads, frame)
        self.aggregate.show_value(heads.setup.aggregate)
        self.aggregate.enable_values(lambda value: value is not Aggregate.ROLLOUT or can_roll_out(frame.layers))
        self.sort.show_value(heads.view.sort)
        self.identity.setVisible(heads.setup.aggregate is Aggregate.ROLLOUT)
        self.identity.setChecked(heads.setup.identity)
        self._show_panel()
        self._show_note(heads, frame)

    def _show_title(self, frame: HeadsFrame, picture: LargePicture) -> None:
        self.title.set_text(TextLine(map_title(frame), bold=True, size=15))
        if isinstance(picture, Comparison):
            said: tuple[str, ...] = ("A is this setup, B the one you kept: change anything and watch the difference",)
        else:
            said = badges(frame, self.session.state.heads.view, picture) if isinstance(picture, MapPicture) else ()
        self.badges.set_text(TextLine("; ".join((*said, source_words(frame))), "muted", size=12))

    def _show_note(self, heads: HeadsState, frame: HeadsFrame) -> None:
        found = verdict(frame)
        ready = heads_preset(heads.preset)
        hint = ready.look_for if not is_changed(heads) else ""
        lines = [TextLine(found.title, bold=True), TextLine(found.text, size=12.5)]
        if hint:
            lines.append(TextLine(f"Try: {hint}", "muted", size=12.5))
        self.note_text.set_text(*lines)
        self._fit_note()

    def _fit_note(self) -> None:
        """Give the note the height of its text: what it says is as important as what is above it."""
        margins = self.note.body.contentsMargins()
        inside = self._panel.maximumWidth() if self._panel.maximumWidth() < UNBOUNDED else self._panel.width()
        inside -= margins.left() + margins.right() + 2
        self.note.setFixedHeight(self.note_text.heightForWidth(inside) + margins.top() + margins.bottom() + 2)

    def _show_panel(self) -> None:
        frame = self._frame
        if frame is None:
            return
        page = self.tabs.currentIndex()
        if page == 0:
            self._show_spots()
        elif page == 1:
            self.setup.show_frame(frame)
        else:
            self.checks.show_frame(frame, self.session.state.heads.view.row)

    # ---- Pointing ----

    @property
    def pinned(self) -> Spot:
        """What is pinned, as far as it lies on the map."""
        view = self.session.state.heads.view
        return Spot(view.row, view.column)

    def _show_spots(self) -> None:
        frame = self._frame
        if frame is None:
            return
        hovered = self._hovered()
        for widget in self._widgets.values():
            widget.set_spots(hovered, self.pinned)
        spot = hovered if hovered != NOWHERE else self.pinned
        self.wall.set_spot(spot)
        if self.tabs.currentIndex() == 0:
            self.reading.show_spot(frame, spot)

    def _hovered(self) -> Spot:
        widget = self.pictures.currentWidget()
        return widget.hovered if isinstance(widget, MapWidget) else NOWHERE

    def _on_spot_changed(self, spot: Spot) -> None:
        self._show_spots()
        self._say_spot(spot)

    def _on_list_hovered(self, spot: Spot | None) -> None:
        shown = self.pinned if spot is None else spot
        for widget in self._widgets.values():
            widget.set_spots(NOWHERE, shown)
        self.wall.set_spot(shown)
        self._say_spot(NOWHERE if spot is None else spot)

    def _say_spot(self, spot: Spot) -> None:
        frame = self._frame
        if frame is None or spot == NOWHERE:
            self.said.emit("")
        elif spot.row is not None and spot.column is not None:
            self.said.emit(cell_words(frame, self.session.state.heads.view, spot.row, spot.column))
        elif spot.row is not None:
            self.said.emit(f"query {token_name(frame.queries, spot.row)}: click to keep its row")
        elif spot.column is not None:
            self.said.emit(f"key {token_name(frame.keys, spot.column)}: click to see who attends to it")

    def _on_menu_wanted(self, where: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Show all", self.canvas.show_all)
        menu.addSeparator()
        menu.addAction("Copy picture", self.copy_picture)
        menu.addAction("Copy numbers", self.copy_numbers)
        menu.addAction("Export…", self.export)
        menu.addAction("Export all heads…", self.export_wall)
        menu.popup(where)

    # ---- What people do ----

    def _setup(self, label: str, **changes: object) -> None:
        state = self.session.state
        self.session.apply(replace(state, heads=state.heads.with_setup(**changes)), label)

    def _on_aggregate_chosen(self, value: object) -> None:
        self._setup(f"Show {Aggregate(str(value)).value}", aggregate=value)

    def _on_sort_chosen(self, value: object) -> None:
        state = self.session.state
        self.session.apply(replace(state, heads=state.heads.with_view(sort=value)), "Sort the heads")

    def keep_for_comparison(self) -> None:
        """Keep the setup as B."""
        state = self.session.state
        heads = replace(state.heads, other=state.heads.setup)
        self.session.apply(replace(state, heads=heads), "Keep as B")
        self.said.emit("Kept as B. Change anything, then choose Compare.")

    def _on_paint_toggled(self, on: bool) -> None:
        self.canvas.paints_mask = on
        self.canvas.setCursor(Qt.CursorShape.CrossCursor if on else Qt.CursorShape.ArrowCursor)
        if on:
            self.said.emit("Drag over cells to hide them or show them again; a token stands for its row or column.")

    def _on_busy_changed(self, busy: bool) -> None:
        self.said.emit("computing …" if busy else "")

    def actions_offered(self) -> tuple[PageAction, ...]:
        return (
            PageAction("Next head", lambda: self._step_head(1), "N", "Show the next head large"),
            PageAction("Previous head", lambda: self._step_head(-1), "P", "Show the head before"),
            PageAction("Keep as B", self.keep_for_comparison, "B", "Keep this setup for comparison"),
            PageAction("Hard or soft", self.toggle_hard, "H", "Switch between arg max and softmax"),
            PageAction(""),
            PageAction("Export all heads…", self.export_wall, "", "Save the wall of heads as a picture or as numbers"),
            PageAction("Show all", self.canvas.show_all, "", "Show the whole map again"),
        )

    def _step_head(self, step: int) -> None:
        if self._frame is not None:
            count = self._frame.heads
            at = self._frame.layer * count + self._frame.head + step
            at = min(max(at, 0), count * len(self._frame.layers) - 1)
            self.wall.choose(*divmod(at, count))

    def toggle_hard(self) -> None:
        """Switch between soft and hard lookup."""
        hard = not self.session.state.heads.setup.hard
        self._setup("Hard lookup" if hard else "Soft lookup", hard=hard)

    def focus_first(self) -> None:
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def stop(self) -> None:
        self.loader.jobs.cancel()

    # ---- Taking it away ----

    def figure(self) -> Figure:
        from attention_explorer.ui.heads_figure import HeadsFigure

        return HeadsFigure(self.session.state.heads, self.canvas.seen)

    def export_wall(self) -> None:
        """Ask for a file and write all heads to it."""
        from attention_explorer.ui.export_dialog import export_with_dialog
        from attention_explorer.ui.heads_figure import HeadsFigure

        self._say_or_refuse(lambda: export_with_dialog(self, HeadsFigure(self.session.state.heads, is_wall=True)))
