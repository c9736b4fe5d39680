"""The drawer: every other control of a view, with a search line, and all that is said of its picture."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QComboBox,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.kit.controls.made import Card, button, in_column, in_row, words
from attention_explorer.kit.controls.text_block import TermBlock, TextBlock, TextLine
from attention_explorer.kit.form import Form
from attention_explorer.kit.frame.panel import ItemsWidget
from attention_explorer.kit.frame.view import View
from attention_explorer.kit.items.item import Item
from attention_explorer.kit.theme import Look


class Drawer(QWidget):
    """All fields of a view below one another, and what is said at length.

    Signals
    -------
    changed : (state, undo label, merge)
        Somebody has set a field, as `Form.changed` says.
    refused : str
        What was typed does not fit.
    closed
        The drawer is to be put away.
    """

    changed = Signal(object, str, str)
    refused = Signal(str)
    closed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._forms: dict[object, Form[Any]] = {}
        self.card = Card(look)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a setting")
        self.search.setAccessibleName("Find a setting")
        self.search.setToolTip("Words of a setting’s name or tip: only those that have them are shown")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search)
        self.nothing = words("No setting of this view has these words.", wraps=True)
        self.nothing.hide()
        self.less = button("Less", "Put this away (Esc)", self.closed)
        self.example_title = words("This example", "cardTitle")
        self.says_title = words("What the picture says", "cardTitle")
        self.example = TermBlock(look, 2, "This example")
        self.says = TextBlock(look, 3, "What the picture says")
        self.about = TextBlock(look, 3, "What is true of these settings")
        self.table = ItemsWidget(look, "All numbers")
        self.card.body.addLayout(in_row((self.search, 1), self.less))
        self._place = QVBoxLayout()
        self.card.body.addLayout(self._place)
        self._added: list[QWidget] = []  # what sets no declared field
        self.card.body.addWidget(self.nothing)
        for part in (self.says_title, self.says, self.table, self.example_title, self.example, self.about):
            self.card.body.addWidget(part)
        self.card.body.addStretch(1)
        self.column = in_column((self.card, 1), within=self)
        self._view: View[Any]

    @property
    def parts(self) -> tuple[QWidget, ...]:
        """What Tab reaches, from top to bottom."""
        return self.search, self.less, self.form, *self._added, self.says, self.table, self.example, self.about

    def add(self, widget: QWidget) -> None:
        """Add a widget of the page below the forms, for what is no declared field."""
        self._added.append(widget)
        self.card.body.insertWidget(self.card.body.indexOf(self.nothing), widget)

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._look = look
        parts: list[Any] = [self.card, self.example, self.says, self.about, self.table, *self._forms.values()]
        for part in parts:
            part.set_look(look)
        self.card.body.setSpacing(look.px(9))

    def form_of(self, view: View[Any]) -> Form[Any]:
        """Return the form of a view, made when it is first asked for."""
        if view.id not in self._forms:
            form = view.part.form(view.more, self._look, in_column=True)
            form.changed.connect(self.changed)
            form.refused.connect(self.refused)
            self._forms[view.id] = form
            self._place.addWidget(form)
            form.show()  # now: Qt would show it an event later, and what is to be lit in it is looked for at once
        return self._forms[view.id]

    @property
    def form(self) -> Form[Any]:
        """The fields of the view on show."""
        return self.form_of(self._view)

    def show_view(self, view: View[Any]) -> None:
        """Have the fields of a view; a form is made when it is first seen."""
        if view is getattr(self, "_view", None):
            return
        self._view = view
        for own, form in self._forms.items():
            form.setVisible(own == view.id)
        if self.search.text() and not self.form.search_for(self.search.text()):
            self.search.clear()  # it was looked for in another view

    def show_state(self, state: Any) -> None:  # noqa: ANN401 # of the part of the view
        """Show the fields of a state."""
        self.form.show_state(state)
        if self.search.text():
            self._search(self.search.text())

    def _search(self, words: str) -> None:
        found = self.form.search_for(words)
        for widget in self._added:
            widget.setVisible(not words or has_words(widget, words))
        self.nothing.setHidden(found or any(not widget.isHidden() for widget in self._added))

    def show_words(self, says: tuple[TextLine, ...], example: str, about: tuple[str, ...]) -> None:
        """Show what is said of picture, example and settings."""
        self.says.set_text(*says)
        self.example.set_text(TextLine(example))
        self.about.set_text(*map(TextLine, about))
        self.about.setVisible(bool(about))
        for part in (self.example, self.example_title):
            part.setVisible(bool(example))

    def show_table(self, item: Item[Any] | None) -> None:
        """Show the numbers of a picture as a table, where it has one."""
        self.table.show_items(() if item is None else (item,))


def has_words(widget: QWidget, words: str) -> bool:
    """Return whether the labels, names or tips in a widget have some words in them."""
    parts = (widget, *widget.findChildren(QWidget))
    texts = (
        f"{getattr(part, 'text', str)()} {part.accessibleName()} {part.toolTip()}".casefold()
        for part in parts
        if isinstance(part, QLabel | QAbstractButton | QLineEdit | QComboBox | QAbstractSlider)
    )
    return any(all(word in text for word in words.casefold().split()) for text in texts)
