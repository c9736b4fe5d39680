"""The card with the hint of the preset: the same on every page."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QToolButton, QWidget

from attention_explorer.core.preset import Preset
from attention_explorer.kit.controls.card import Card
from attention_explorer.kit.controls.preset_box import PresetBox
from attention_explorer.kit.controls.term_block import TermBlock
from attention_explorer.kit.controls.text_block import TextLine
from attention_explorer.kit.theme import Look


class HintCard(Card):
    """Shows what to look for in the preset chosen in a list, until it is closed or another preset is chosen.

    Changes of the settings leave it alone: hints are tasks of several steps. Whether it is closed is not part of the
    state, so undo does not bring it back; choosing the preset again does.

    Its ``parent`` is the page. Where on the page it stands, the page says by `stand_in`.
    """

    def __init__(self, look: Look, presets: PresetBox, parent: QWidget) -> None:
        self.text = TermBlock(look, 1, "Hint", ground="note")
        self.close_button = QToolButton()
        super().__init__(look, "Hint", kind="note", parent=parent)
        self._presets = presets
        self._ready: Preset[Any] | None = None
        self.close_button.setText("×")
        self.close_button.setObjectName("close")
        self.close_button.setAccessibleName("Close the hint")
        self.close_button.setToolTip("Close the hint. To see it again, choose the preset again.")
        self.close_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard to the picture
        self.close_button.clicked.connect(self._close)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # as high as its text, never cut
        self.head.addWidget(self.close_button)
        self.body.addWidget(self.text)
        # Wherever the page has put the button meanwhile; and Qt forgets the order of what takes no keyboard yet.
        self.text.searched.connect(lambda: self.setTabOrder(self.close_button, self.text))
        presets.shown.connect(self._show_preset)
        presets.activated.connect(lambda _index: self.show())

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        self.text.set_look(look)
        self.close_button.setFixedSize(look.px(22), look.px(22))
        self.body.setContentsMargins(look.px(12), look.px(5), look.px(6), look.px(7))
        self.body.setSpacing(look.px(1))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.isHidden():
            # Showing it lays out the page, and a picture of another size may be one of no preset, which hides the hint.
            # Qt then shows it all the same, takes it for hidden and would not hide it again.
            self.setAttribute(Qt.WidgetAttribute.WA_WState_Hidden, False)
            self.hide()

    def hasHeightForWidth(self) -> bool:
        return False  # asked by the layout of a page, it would make the whole page scroll

    def sizeHint(self) -> QSize:
        return self.body.sizeHint().grownBy(self.contentsMargins())  # the text asks for the height at its real width

    def stand_in(self, column: QBoxLayout, place: int, after: QWidget) -> None:
        """Take a place in a column, unless it stands there already; Tab reaches it after ``after``."""
        if column.indexOf(self) != place:
            closed = self.isHidden()
            column.insertWidget(place, self)
            self.setVisible(not closed)  # now: Qt would show it an event later, and lay out the page twice
            self.setTabOrder(after, self.close_button)
            self.setTabOrder(self.close_button, self.text)

    def _show_preset(self, ready: Preset[Any] | None, changed: bool) -> None:
        self.note.setText("for the preset as it starts" if changed else "")
        if ready is None:
            self.hide()
        if ready == self._ready:
            return
        self._ready = ready
        if ready is not None:
            self.text.set_text(TextLine(ready.look_for, size=12.5))
            self.show()

    def _close(self) -> None:
        if self.close_button.hasFocus():
            self._presets.setFocus()  # or Qt gives the keyboard to whatever comes next
        self.hide()
