"""The left side of the Heads page: what is large, the order of the heads, and the wall of all of them."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.declared import declarations
from attention_explorer.kit.controls.choice import ChoiceBox
from attention_explorer.kit.controls.panel_scroll import ColumnScroll
from attention_explorer.kit.controls.steady import Steady
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame, can_roll_out
from attention_explorer.pages.heads.head_difference import compared_with
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, HeadsView, SortBy
from attention_explorer.pages.heads.survey import (
    HeadSurvey,
    first_threshold,
    threshold_words,
    wall_legend,
    why_unordered,
)
from attention_explorer.pages.heads.ui.head_wall import HeadWall
from attention_explorer.pages.heads.ui.wall_filter import WallFilter
from attention_explorer.pages.heads.ui.wall_legend import WallLegend
from attention_explorer.pages.ui.session import Session

SETUP, VIEW = declarations(HeadsSetup), declarations(HeadsView)
AGGREGATES = (
    (Aggregate.ONE, Aggregate.ONE.words, "The head that is chosen on the wall"),
    (
        Aggregate.MEAN,
        Aggregate.MEAN.words,
        "The mean over the heads of the layer that are switched on; its rows sum to 1.\n"
        "PyTorch’s nn.MultiheadAttention returns this mean too, unless average_attn_weights=False.\n"
        "Its numbers are others: it draws W_q, W_k, W_v by xavier_uniform_ (std 1/√(2·d_model))\n"
        "and has biases, which start at 0.",
    ),
    (Aggregate.MAX, Aggregate.MAX.words, "The largest weight of any head; its rows need not sum to 1"),
    (
        Aggregate.ROLLOUT,
        Aggregate.ROLLOUT.words,
        "How much of each token reaches the last layer: the layers multiplied (Abnar and Zuidema 2020)",
    ),
)
SORTS = (
    (SortBy.NUMBER, "by number", "In the order of the model"),
    (SortBy.ENTROPY, "by entropy", "The most spread out first"),
    (SortBy.EVENNESS, "by evenness", "The entropy as a share of the largest that there could be: 1 is even, 0 certain"),
    (SortBy.MAX_WEIGHT, "by largest weight", "The mean over the rows of their largest weight: the most decided first"),
    (SortBy.SATURATED, "by saturated rows", "The share of the rows with a weight above 0.95, the largest first"),
    (SortBy.SCORE_STD, "by spread of scores", "The standard deviation of the scaled scores, the largest first"),
    (SortBy.DISTANCE, "by distance", "Those that look furthest first"),
    (SortBy.SELF, "by weight on itself", "The weight of tokens on themselves, the largest first"),
    (SortBy.PREVIOUS, "by weight on previous", "The weight on the token before, the largest first"),
    (SortBy.FIRST, "by weight on first", "The weight on the first token, the largest first"),
    (SortBy.NEXT, "by weight on next", "The weight on the token after, the largest first"),
    (SortBy.BACK, "by k back", "The weight on the token a fixed distance before, 2 to 8, the largest first"),
    (SortBy.SAME, "by same token", "The weight on the same token elsewhere, the largest first"),
    (SortBy.SPECIAL, "by punctuation", "The weight on punctuation and special tokens, the largest first"),
    (SortBy.INDUCTION, "by induction", "The weight on what came after the same token earlier, the largest first"),
    (
        SortBy.DIFFERENCE,
        "by difference from B",
        "How much of each query’s weight lies elsewhere than in B, ½ Σ |A − B|, what changes most first.\n"
        "A head that moves much need not matter to the answer: switch it off and look at the next words.\n"
        "Against a head of the same setup kept as B, every head is compared with that one",
    ),
)


class WallSide(Steady):
    """The wall of heads with its colours, and above it what is large and in which order the heads stand."""

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chosen: tuple[str, int, int] | None = None
        self._compared = ""  # what the heads differ from, if they are arranged by that
        self._wanted: tuple[int, int] | None = None  # the head to be brought into view as soon as it is there
        self.wall = HeadWall(session, look)
        self.legend = WallLegend(look)
        self._make_controls()
        self._scroll = ColumnScroll(self.wall)
        self.wall.resized.connect(self._bring_into_view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        what = self._what = QHBoxLayout()
        what.addWidget(self.aggregate, 1)
        what.addWidget(self.only)
        column.addLayout(what)
        order = self._order = QHBoxLayout()
        order.addWidget(self.sort, 1)
        order.addWidget(self.reverse)
        order.addWidget(self.in_grid)
        column.addLayout(order)
        column.addWidget(self.filter)
        column.addWidget(self.note)
        column.addWidget(self.identity)
        column.addWidget(self.legend)
        column.addWidget(self._scroll, 1)

    def _make_controls(self) -> None:
        self.aggregate = ChoiceBox("What is large", SETUP["aggregate"].tip, AGGREGATES, self._on_aggregate_chosen)
        self.sort = ChoiceBox("Order of the heads", VIEW["sort"].tip, SORTS, self._on_sort_chosen)
        self.reverse = QPushButton("↓")
        self.reverse.setCheckable(True)
        self.reverse.setAccessibleName("Reverse the order of the heads")
        self.reverse.setToolTip(VIEW["reverse"].tip)
        self.reverse.clicked.connect(self.turn_round)
        self.only = QPushButton("▽")
        self.only.setCheckable(True)
        self.only.setAccessibleName("Only heads from a value on")
        self.only.setToolTip(VIEW["threshold"].tip)
        self.only.clicked.connect(self._on_only_clicked)
        self.filter = WallFilter(self._session)
        self.in_grid = QPushButton("▦")
        self.in_grid.setCheckable(True)
        self.in_grid.setAccessibleName("All heads in a grid, a line a layer")
        self.in_grid.setToolTip(VIEW["in_grid"].tip)
        self.in_grid.clicked.connect(self._on_grid_clicked)
        self.in_grid.hide()
        self.note = QLabel()
        self.note.setObjectName("muted")
        self.note.setAccessibleName("About the order of the heads")
        self.note.setWordWrap(True)
        self.note.hide()
        self.identity = QCheckBox(SETUP["identity"].label)
        self.identity.setToolTip(SETUP["identity"].tip)
        self.identity.clicked.connect(lambda on: self._setup(SETUP["identity"].undo, identity=on))
        self.identity.hide()

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        for row in (self._what, self._order):
            row.setSpacing(look.px(6))
        for button in (self.only, self.reverse, self.in_grid):
            button.setFixedWidth(look.px(34))
        self.filter.set_look(look)
        self.wall.set_look(look)
        self.legend.set_look(look)

    def show_frame(self, heads: HeadsState, frame: HeadsFrame) -> None:
        """Show what is chosen, and have the wall scroll to another head."""
        chosen = heads.preset, frame.layer, frame.head
        if chosen != self._chosen:
            self._chosen, self._wanted = chosen, (frame.layer, frame.head)
        self.wall.expect(frame)
        self._compared = compared_with(heads)
        self.aggregate.show_value(heads.setup.aggregate)
        self.aggregate.setToolTip(next(tip for value, _, tip in AGGREGATES if value is heads.setup.aggregate))
        self.aggregate.enable_values(lambda value: value is not Aggregate.ROLLOUT or can_roll_out(frame.layers))
        self.sort.show_value(heads.view.sort)
        self.sort.enable_values(lambda value: value is not SortBy.DIFFERENCE or heads.other is not None)
        self.reverse.setChecked(heads.view.reverse)
        self.reverse.setText("↑" if heads.view.reverse else "↓")
        self.only.setChecked(heads.view.threshold is not None)
        self.filter.show_threshold(heads.view.threshold)
        self.in_grid.setVisible(len(frame.source.heads) > 1)
        self.in_grid.setChecked(heads.view.in_grid)
        self.identity.setVisible(heads.setup.aggregate is Aggregate.ROLLOUT)
        self.identity.setChecked(heads.setup.identity)

    def show_surveys(self, frame: HeadsFrame, view: HeadsView, surveys: tuple[HeadSurvey, ...]) -> None:
        """Show these heads of a frame."""
        self.wall.show_surveys(frame, view, surveys)
        self.legend.show_legend(wall_legend(surveys, view))
        self._show_note(frame, surveys, view)
        self._bring_into_view()

    def forget(self) -> None:
        """Show no heads: there are none of what is wanted."""
        self._chosen = self._wanted = None
        self.wall.forget()
        self.legend.forget()

    def show_view(self, frame: HeadsFrame, view: HeadsView) -> None:
        """Show the same heads in another order."""
        self.wall.show_view(frame, view)
        self._show_note(frame, self.wall.all_surveys, view)

    def _show_note(self, frame: HeadsFrame, surveys: tuple[HeadSurvey, ...], view: HeadsView) -> None:
        compared = f"{self._compared[0].upper()}{self._compared[1:]}." if self._compared else ""
        said = (threshold_words(surveys, view.threshold), why_unordered(frame, surveys, view.sort), compared)
        self.note.setText("\n".join(filter(None, said)))
        self.note.setVisible(any(said))

    def scroll_to_chosen(self) -> None:
        """Bring the head that is chosen into view, now or when it comes."""
        if self._chosen is not None:
            self._wanted = self._chosen[1:]
            self._bring_into_view()

    def _bring_into_view(self) -> None:
        box = None if self._wanted is None else self.wall.place_of(*self._wanted)
        if box is None or box.bottom() > self.wall.height() + 1:
            return  # not there yet, or the wall has not grown yet: it will tell
        half = box.height() / 2 + self.wall.grid.gap
        self._scroll.ensureVisible(0, round(box.center().y()), 0, math.ceil(half))
        if self.wall.is_whole:
            self._wanted = None

    # ---- What people do ----

    def _on_aggregate_chosen(self, value: object) -> None:
        self._setup(f"Show {Aggregate(str(value)).words}", aggregate=value)

    def _on_sort_chosen(self, value: object) -> None:
        state = self._session.state
        self._session.apply(replace(state, heads=state.heads.with_view(sort=value)), VIEW["sort"].undo)

    def turn_round(self) -> None:
        """Have the order begin at its other end."""
        state = self._session.state
        heads = state.heads.with_view(reverse=not state.heads.view.reverse)
        self._session.apply(replace(state, heads=heads), VIEW["reverse"].undo)

    def _on_only_clicked(self, only: bool) -> None:
        state = self._session.state
        threshold = first_threshold(self.wall.all_surveys, state.heads.view.sort) if only else None
        label = VIEW["threshold"].undo if only else "All heads again"
        self._session.apply(replace(state, heads=state.heads.with_view(threshold=threshold)), label)

    def _on_grid_clicked(self, in_grid: bool) -> None:
        state = self._session.state
        heads = state.heads.with_view(in_grid=in_grid)
        label = VIEW["in_grid"].undo if in_grid else "Heads as thumbnails"
        self._session.apply(replace(state, heads=heads), label)

    def _setup(self, label: str, **changes: object) -> None:
        state = self._session.state
        self._session.apply(replace(state, heads=state.heads.with_setup(**changes)), label)
