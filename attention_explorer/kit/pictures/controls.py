"""What bars and controls around a large picture share: they show the state and turn what is done into a new one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.declared import Declaration, declarations
from attention_explorer.core.numerals import grouped
from attention_explorer.core.preset import Preset, preset_of
from attention_explorer.kit.controls.choice import Choice, ChoiceRow
from attention_explorer.kit.controls.flow_layout import FlowLayout
from attention_explorer.kit.controls.more_button import MoreButton
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.preset_box import PresetBox
from attention_explorer.kit.controls.sentence_field import SentenceField
from attention_explorer.kit.controls.sliding_number import SlidingNumber
from attention_explorer.kit.controls.whole_number_box import WholeNumberBox
from attention_explorer.kit.theme import Look
from attention_explorer.session.session import StateSession

S = TypeVar("S")


class PictureControls(QWidget, Generic[S]):
    """Lines of controls, wrapped where they do not fit. They keep no copy of the state.

    A subclass makes its lines in `build` and shows a state in `show_state`.

    Signals
    -------
    refused : str
        Why something cannot be done.
    """

    refused = Signal(str)

    def __init__(self, session: StateSession[Any], part: str, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.part, self.look = session, part, look
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._flows: list[FlowLayout] = []
        self._besides: list[QHBoxLayout] = []
        self._widths: list[tuple[QWidget, int]] = []
        self._sliders: list[SlidingNumber[S]] = []
        self.build()
        self.set_look(look)

    # ---- For the kinds of controls ----

    def build(self) -> None:
        """Make the controls, with `add_line`."""
        raise NotImplementedError

    def show_state(self, state: S) -> None:
        """Show the page's part of a state."""
        raise NotImplementedError

    # ---- Building ----

    def add_line(self, *widgets: QWidget) -> QWidget:
        """Add a line of widgets that wraps where it is too long."""
        line = QWidget()
        flow = FlowLayout(line)
        for widget in widgets:
            flow.addWidget(widget)
        self._flows.append(flow)
        self._column.addWidget(line)
        return line

    def labelled(self, title: str, *widgets: QWidget) -> QWidget:
        """Return controls with a label before them, whose tooltip is that of the first."""
        label = QLabel(title)
        label.setBuddy(widgets[0])
        label.setToolTip(widgets[0].toolTip())
        return self.beside(label, *widgets)

    def beside(self, *widgets: QWidget) -> QWidget:
        """Return controls in a row that stays together where the line wraps."""
        whole = QWidget()
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in widgets:
            row.addWidget(widget)
        self._besides.append(row)
        return whole

    def keep_width(self, widget: QWidget, width: int) -> None:
        """Give a widget a width, in pixels at zoom 1."""
        self._widths.append((widget, width))

    def whole_box(
        self,
        name: str,
        tip: str,
        bounds: tuple[int, int],
        on_change: Callable[[int], None],
        *,
        stops: Sequence[int] = (),
        width: int = 56,
    ) -> WholeNumberBox:
        """Return a field for a whole number from ``bounds``, whose arrows go from stop to stop."""
        box = WholeNumberBox(*bounds, name)
        box.set_stops(stops)
        box.setToolTip(f"{tip}\n{grouped(bounds[0])} to {grouped(bounds[1])}")
        box.valueChanged.connect(lambda value: on_change(round(value)))
        box.refused.connect(self.refused)
        self.keep_width(box, width)
        return box

    def number_box(
        self, name: str, tip: str, bounds: tuple[float, float], on_change: Callable[[float], None], width: int = 76
    ) -> NumberBox:
        """Return a field for any number from ``bounds``."""
        box = NumberBox(*bounds, name)
        box.setToolTip(tip)
        box.valueChanged.connect(on_change)
        box.refused.connect(self.refused)
        self.keep_width(box, width)
        return box

    @property
    def said(self) -> dict[str, Declaration]:
        """What is said of the fields of the page's part of the state, where they are declared."""
        return declarations(type(self.state))  # type: ignore[arg-type] # states are dataclasses

    def whole_field(self, field: str, name: str = "", width: int = 56) -> WholeNumberBox:
        """Return a field for a whole number of the state, as that is declared; ``name`` is said of it, or its label."""
        said = self.said[field]
        return self.whole_box(
            name or said.label,
            said.tip,
            (round(said.low), round(said.high)),
            lambda value: self.change(said.undo, field, **{field: value}),
            stops=[round(stop) for stop in said.stops],
            width=width,
        )

    def number_field(self, field: str, name: str = "", width: int = 76) -> NumberBox:
        """Return a field for any number of the state, as that is declared."""
        said = self.said[field]

        def set_to(value: float) -> None:
            self.change(said.undo, field, **{field: value})

        return self.number_box(name or said.label, said.tip, (said.low, said.high), set_to, width)

    def switch(self, title: str, tip: str, on_change: Callable[[bool], None]) -> QPushButton:
        """Return a button that is on or off."""
        button = QPushButton(title)
        button.setCheckable(True)
        button.setToolTip(tip)
        button.clicked.connect(on_change)
        return button

    def sliding(
        self, title: str, name: str, tip: str, change: Callable[[S, Any], S], stops: Sequence[float] = ()
    ) -> SlidingNumber[S]:
        """Return a slider with a field for the exact number; ``change`` gives the state at a number.

        With ``stops``, ascending, the slider goes from one of them to the next, and they need not be whole.
        """
        slider = SlidingNumber(self.session, self.part, title, name, tip, change, stops)
        slider.box.refused.connect(self.refused)
        self._sliders.append(slider)
        return slider

    def sentence_field(
        self,
        name: str,
        tip: str,
        field: str,
        nothing: str,
        width: int,
    ) -> SentenceField:
        """Return a line for the sentence in a field of the state; ``nothing`` is said where there is no word in it."""
        line = SentenceField(name, tip, lambda: str(getattr(self.state, field)), nothing)
        line.typed.connect(lambda text: self.change("Type", field, **{field: text}))
        line.refused.connect(self.refused)
        line.editingFinished.connect(self.session.commit)
        self.keep_width(line, width)
        return line

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self.look = look
        self._column.setSpacing(look.px(6))
        for flow in self._flows:
            flow.setSpacing(look.px(9))
        for row in self._besides:
            row.setSpacing(look.px(5))
        for widget, width in self._widths:
            widget.setFixedWidth(look.px(width))
        for slider in self._sliders:
            slider.set_look(look)

    def show_only(self, visible: Sequence[tuple[QWidget, bool]]) -> None:
        """Show the controls that the state needs and hide the others, without a flicker of the rest."""
        for widget, wanted in visible:
            # What lies in a line that is folded away is not visible either: only what was hidden itself counts.
            was_hidden = widget.isHidden() and widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)
            if was_hidden == wanted:
                widget.setVisible(wanted)

    # ---- Acting ----

    @property
    def state(self) -> S:
        """The page's part of the state."""
        found: S = getattr(self.session.state, self.part)
        return found

    def apply(self, state: S, label: str, merge: str = "") -> None:
        """Change the page's part of the state, as one step."""
        new = replace(self.session.state, **{self.part: state})
        self.session.apply(new, label, merge and f"{self.part} {merge}")

    def change(self, label: str, merge: str = "", **changes: object) -> None:
        """Change fields of the page's part of the state, as one step."""
        self.apply(replace(self.state, **changes), label, merge)  # type: ignore[type-var]


class PictureBar(PictureControls[S]):
    """The bar above a large picture. Its first line: the page's name, presets, the pictures, export.

    A subclass adds lines in `build_lines` and shows a state in `show_values`.

    Signals
    -------
    export_wanted
        The button was pressed.
    """

    export_wanted = Signal()

    page_title = ""
    presets: Sequence[Preset[Any]] = ()
    pictures: Sequence[Choice] = ()

    def build(self) -> None:
        title = QLabel(self.page_title)
        title.setObjectName("title")
        self.preset_box = PresetBox("Ready-made settings; each says what to look for", self.presets, self._load)
        self.picture_row = ChoiceRow("Picture", self.pictures, self.choose_picture)
        self.export_button = QPushButton("Export…")
        self.export_button.setToolTip("Save the picture (PNG, SVG, PDF) or the numbers (CSV, NPY, NPZ, JSON)")
        self.export_button.clicked.connect(self.export_wanted)
        self.more = MoreButton()
        self.more.toggled.connect(lambda _on: self._fold())
        self.add_line(title, self.preset_box, self.picture_row, self.export_button, self.more)
        self._rest, first = QWidget(), self._column
        self._column = QVBoxLayout(self._rest)  # for the lines to come
        self._column.setContentsMargins(0, 0, 0, 0)
        self.build_lines()
        first.addWidget(self._rest)
        first.setSpacing(0)  # in its place the rest has a margin, which goes away with it

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        self._column.setContentsMargins(0, look.px(6), 0, 0)
        self.preset_box.setFixedWidth(self.preset_box.widest(look))

    def be_low(self, low: bool) -> None:
        """Keep all lines but the first behind a button from now on, where a window has few of them; or show all."""
        if low == self.more.isHidden():
            self.more.setVisible(low)
            self._fold()

    def _fold(self) -> None:
        self.more.take_keyboard(self._rest)
        self._rest.setVisible(self.more.is_open)

    def build_lines(self) -> None:
        """Make the lines below the first."""
        raise NotImplementedError

    def show_values(self, state: S) -> None:
        """Show a state in the lines below the first."""
        raise NotImplementedError

    def preset_of(self, state: S) -> Preset[Any]:
        """Return the preset that a state was made from."""
        wanted = state.preset  # type: ignore[attr-defined]
        return next((ready for ready in self.presets if ready.id == wanted), self.presets[0])

    def show_state(self, state: S) -> None:
        self.picture_row.show_value(state.picture)  # type: ignore[attr-defined]
        self.preset_box.show_preset(self.preset_of(state).id, changed=self.is_changed(state))
        self.show_values(state)

    def is_changed(self, state: S) -> bool:
        """Whether the settings are no longer those of the preset; looking at it in another way is no change."""
        same: bool = state == replace(self.preset_of(state).state, picture=state.picture)  # type: ignore[attr-defined]
        return not same

    def _load(self, identifier: str) -> None:
        ready = preset_of(self.presets, identifier)
        self.apply(ready.state, f"Load “{ready.title}”")

    def choose_picture(self, value: object) -> None:
        """Show another picture, as one step."""
        kind = type(self.state.picture)  # type: ignore[attr-defined]
        self.change(f"Show {kind(str(value)).value}", picture=kind(str(value)))
