"""The parameter panel of the Heads page: the toy model, the way from scores to weights, and the colours."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QLabel, QVBoxLayout, QWidget

from attention_explorer.core.declared import declarations
from attention_explorer.core.numerals import counted
from attention_explorer.core.temperature import (
    SLIDER_STEPS,
    slider_to_temperature,
    temperature_to_slider,
)
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.whole_number_box import show_number, show_position
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView
from attention_explorer.pages.heads.ui.setup_boxes import SetupSection, show_choice
from attention_explorer.pages.heads.ui.setup_embeddings import EmbeddingsSection
from attention_explorer.pages.heads.ui.setup_model import SizesSection
from attention_explorer.pages.heads.ui.setup_weights import ProjectionsSection
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability

DEFAULT_SETUP, DEFAULT_VIEW = HeadsSetup(), HeadsView()
SAID, SAID_OF_VIEW = declarations(HeadsSetup), declarations(HeadsView)


class HeadsSetupPanel(QWidget):
    """Every number that decides what the maps are. It shows the state and turns what is done to it into a new one.

    Signals
    -------
    refused : str
        Why something that was asked for cannot be done.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shown: HeadsState | None = None
        self.cannot = QLabel()
        self.cannot.setWordWrap(True)
        self.cannot.hide()
        self.counts = QLabel()
        self.counts.setWordWrap(True)
        self.counts.setAccessibleName("Layers and heads")
        self.counts.hide()
        self.sizes = SizesSection(session)
        self.weights = ProjectionsSection(session)
        self.embeddings = EmbeddingsSection(session)
        self.softmax = SoftmaxSection(session)
        self.picture = PictureSection(session)
        self._sections: tuple[SetupSection, ...] = (
            self.sizes,
            self.weights,
            self.embeddings,
            self.softmax,
            self.picture,
        )
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.cannot)
        self._column.addWidget(self.counts)
        for section in self._sections:
            section.refused.connect(self.refused)
            self._column.addWidget(section)
        self._column.addStretch(1)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._column.setContentsMargins(look.px(8), look.px(8), look.px(8), look.px(8))
        self._column.setSpacing(look.px(12))
        for section in self._sections:
            section.set_look(look)

    def show_frame(self, frame: HeadsFrame | None) -> None:
        """Show the settings of the session, and what the scores of a frame spread by, if there is one."""
        heads = self._session.state.heads
        if frame is not None:
            self.weights.show_spread(frame)  # first: it may come into view now, and would measure the frame before
        if heads != self._shown:
            for section in self._sections:
                section.show_state(heads)
            traits = source_of(heads.setup.recipe).traits
            reasons = [traits.reason_against(each) for each in (Ability.DRAWING, Ability.SCORES)]
            self.softmax.setEnabled(not reasons[1])
            self.softmax.setVisible(not reasons[1])
            self.counts.setText("" if not reasons[0] else _counts(source_of(heads.setup.recipe).heads))
            self.counts.setVisible(bool(reasons[0]))
            self.cannot.setText("\n".join(dict.fromkeys(filter(None, reasons))))
            self.cannot.setVisible(any(reasons))
            self._shown = heads


def _counts(heads: tuple[int, ...]) -> str:
    """Return how many layers of how many heads there are."""
    if len(heads) == 1:
        return f"{counted(heads[0], 'head')}."
    least, most = min(heads), max(heads)
    each = counted(most, "head") if least == most else f"{least} to {most} heads"
    return f"{counted(len(heads), 'layer')} of {each}."


class SoftmaxSection(SetupSection):
    """How scores become weights: soft or hard, scaled or not, and the temperature."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, "From scores to weights", parent)
        self._make_scaling()
        self._make_temperature()
        self._make_lookup()

    # ---- Building ----

    def _make_scaling(self) -> None:
        self.scaled = self.make_switch(
            SAID["scaled"].label, "Divide the scores by the square root of d_k", "", self._on_scaled
        )
        self.add_row("scores", SAID["scaled"].tip, self._reset_scaling, self.scaled)

    def _make_temperature(self) -> None:
        self.slider = self.make_slider("Temperature", SLIDER_STEPS, self._on_slider_moved)
        said = SAID["temperature"]
        self.exact = NumberBox(said.low, said.high, "Temperature, exact")
        self.exact.setSingleStep(0.1)
        self.exact.refused.connect(self.refused)
        self.exact.valueChanged.connect(self._on_exact_typed)
        self.add_row(said.label, said.tip, self._reset_temperature, self.slider, self.exact)
        self.keep_width(self.exact, 68)

    def _make_lookup(self) -> None:
        soft_tip = "Softmax: every visible key gets a share of the weight, and the shares sum to 1."
        hard_tip = "Arg max: the key with the highest score takes all the weight of its row."
        self.soft = self.make_switch("Soft", "Soft lookup", soft_tip, self._on_soft)
        self.hard = self.make_switch("Hard", "Hard lookup", hard_tip, self._on_hard)
        group = QButtonGroup(self)
        for button in (self.soft, self.hard):
            group.addButton(button)
        self.add_row(SAID["hard"].label, SAID["hard"].tip, self._reset_lookup, self.soft, self.hard)

    # ---- Showing ----

    def show_state(self, heads: HeadsState) -> None:
        setup = heads.setup
        (self.hard if setup.hard else self.soft).setChecked(True)
        self.scaled.setChecked(setup.scaled)
        show_position(self.slider, temperature_to_slider(setup.temperature))
        show_number(self.exact, setup.temperature)
        for widget in (self.slider, self.exact):
            widget.setEnabled(not setup.hard)

    # ---- Acting ----

    def _change(self, label: str, merge: str = "", **changes: object) -> None:
        self.apply(self.session.state.heads.with_setup(**changes), label, merge)

    def _on_soft(self, _checked: bool) -> None:
        self._change("Soft lookup", hard=False)

    def _on_hard(self, _checked: bool) -> None:
        self._change("Hard lookup", hard=True)

    def _on_scaled(self, scaled: bool) -> None:
        self._change("Divide by √d_k" if scaled else "Do not divide by √d_k", scaled=scaled)

    def _reset_lookup(self) -> None:
        self._change("Reset lookup", hard=DEFAULT_SETUP.hard)

    def _reset_scaling(self) -> None:
        self._change("Reset ÷√d_k", scaled=DEFAULT_SETUP.scaled)

    def _on_slider_moved(self, step: int) -> None:
        heads = self.session.state.heads.with_setup(temperature=slider_to_temperature(step))
        self.slide(self.slider, heads, SAID["temperature"].undo, "temperature")

    def _on_exact_typed(self, temperature: float) -> None:
        self._change("Type temperature", "temperature", temperature=temperature)

    def _reset_temperature(self) -> None:
        self._change("Reset temperature", "temperature", temperature=DEFAULT_SETUP.temperature)


class PictureSection(SetupSection):
    """How weights are coloured, and whether each row tells its sum; nothing here alters a number."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, "Picture", parent)
        colours, sums = SAID_OF_VIEW["colour_map"], SAID_OF_VIEW["row_sums"]
        self.colours = self.make_combo("Colour map", [(name, str(name)) for name in colours.choices], self._on_colours)
        self.row_sums = self.make_switch(sums.label, "Show the sum of each row", sums.tip, self._on_row_sums)
        self.add_row(colours.label, colours.tip, self._reset_colours, self.colours, self.row_sums)

    def show_state(self, heads: HeadsState) -> None:
        show_choice(self.colours, heads.view.colour_map)
        self.row_sums.setChecked(heads.view.row_sums)

    def _on_colours(self, index: int) -> None:
        name = self.colours.itemData(index)
        self.apply(self.session.state.heads.with_view(colour_map=name), f"Colours: {name}")

    def _on_row_sums(self, shown: bool) -> None:
        self.apply(self.session.state.heads.with_view(row_sums=shown), f"{'Show' if shown else 'Hide'} row sums")

    def _reset_colours(self) -> None:
        self.apply(self.session.state.heads.with_view(colour_map=DEFAULT_VIEW.colour_map), "Reset colours")
