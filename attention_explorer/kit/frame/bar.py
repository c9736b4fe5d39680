"""The line above the picture, the same on every page: name, example, views, and what is done with the picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from attention_explorer.core.preset import Preset
from attention_explorer.kit.controls.choice import ChoiceBox, ChoiceRow, PresetBox
from attention_explorer.kit.controls.made import button, give_up_room, in_row, keep_out_of_sight, words
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.theme import Look

EXAMPLE_WIDTH, MORE_EXAMPLE, LEAST_EXAMPLE = 220, 60, 90
"""Pixels at zoom 1 of the list of examples, and where there is little room."""


class FrameBar(QWidget):
    """Name, example, views, Code, Share, Present.

    Signals
    -------
    example_wanted : Preset
        An example was chosen.
    view_wanted : StrEnum
        Another view was chosen.
    code_wanted, present_wanted
        A button was pressed.
    share_wanted : QMenu
        The menu is to be filled with what can be taken away.
    """

    example_wanted = Signal(object)
    view_wanted = Signal(object)
    code_wanted = Signal()
    present_wanted = Signal()
    share_wanted = Signal(object)

    def __init__(self, title: str, views: Sequence[View[Any]], look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look, self._views = look, tuple(views)
        self.title = words(title, "title")
        self._presets: dict[object, dict[str, Preset[Any]]] = {
            view.id: {ready.id: ready for ready in view.presets} for view in views
        }
        self.examples = {view.id: self._box(self._presets[view.id]) for view in views}
        self._example = self.examples[views[0].id]  # that of the view on show
        self._keeps_examples = False
        choices = [(view.id, view.title, view.tip) for view in views]
        self.view_row = ChoiceRow("View", choices, self.view_wanted.emit)
        self.view_box = ChoiceBox("View", "Which picture is shown", choices, self.view_wanted.emit)
        self.buttons = QWidget()
        self.code = button("Code", "The NumPy program that computes what is on show", self.code_wanted)
        self.share = button("Share", "Copy the picture or its numbers, or write them to a file")
        tip = "Show the picture large, to a room (F5); F2: a caption, Esc: ends it"
        self.present = button("Present", tip, self.present_wanted)
        in_row(self.code, self.share, self.present, within=self.buttons)
        menu = QMenu(self.share)
        menu.aboutToShow.connect(lambda: self._fill(menu))
        self.share.setMenu(menu)
        views_shown = self.view_row, self.view_box
        self._row = in_row(self.title, *self.examples.values(), None, *views_shown, None, self.buttons, within=self)
        self.set_look(look)

    def _box(self, presets: dict[str, Preset[Any]]) -> PresetBox:
        tip = "Examples; each says what to look for"
        box = PresetBox(tip, tuple(presets.values()), lambda name: self.example_wanted.emit(presets[name]))
        box.hide()
        return box

    def _fill(self, menu: QMenu) -> None:
        menu.clear()
        self.share_wanted.emit(menu)

    def set_look(self, look: Look) -> None:
        """Wear another size."""
        self._look = look
        self._row.setSpacing(look.px(10))
        for box in self.examples.values():
            box.setFixedWidth(min(box.widest(look), look.px(EXAMPLE_WIDTH)))

    def show_view(self, view: View[Any], example: str, ready: Preset[Any] | None, otherwise: str = "Examples") -> None:
        """Show which view is on show, and which example its settings come from: ``ready`` unless they were changed.

        Where they come from none, ``otherwise`` says what is on show.
        """
        if self.window().focusWidget() in self.view_row.buttons.values():
            self.view_row.buttons[view.id].setFocus()  # another had the keyboard, and Back was pressed
        self.view_row.show_value(view.id)
        self.view_box.show_value(view.id)
        own = self.examples[view.id]
        known = self._presets[view.id]
        if ready is not None and not {example, ready.id} <= known.keys():
            own.show_other(ready)
        else:
            own.show_preset(example if example in known else "", changed=ready is None, otherwise=otherwise)
        self._example = own
        self._show_examples()

    def fit(self, width: int) -> None:
        """Show the views as buttons where there is room for them in so many pixels, else as a list."""
        # With room kept for the widest list of examples: views that become a list and back would be looked for.
        wide = self._look.px(EXAMPLE_WIDTH)
        widest = max(box.widest(self._look) for box in self.examples.values())
        example = min(widest, wide)
        taken = self.title.sizeHint().width() + self.buttons.sizeHint().width() + example + 5 * self._row.spacing()
        spare = width - taken - self.view_row.sizeHint().width()
        has_room = spare >= 0
        self.view_row.setVisible(has_room)
        self.view_box.setVisible(not has_room)
        left = width - taken + example - self.view_box.sizeHint().width()
        whole = min(widest, wide + min(max(spare // 2, 0), self._look.px(MORE_EXAMPLE)))
        for box in self.examples.values():  # all alike, or the views would move with the view that is chosen
            box.setFixedWidth(whole if has_room else max(min(whole, left), self._look.px(LEAST_EXAMPLE)))

    @property
    def chooser(self) -> QWidget:
        """By which the views are chosen now."""
        return self.view_box if self.view_row.isHidden() else self.view_row

    def keep_examples_to_themselves(self, hidden: bool) -> None:
        """Hide what says what is to be seen while a question is open: examples are named after it."""
        self._keeps_examples = hidden
        self._show_examples()

    def _show_examples(self) -> None:
        for box in self.examples.values():
            if box is self._example:
                keep_out_of_sight(self._keeps_examples, box)
            else:
                give_up_room(box)
                box.hide()
