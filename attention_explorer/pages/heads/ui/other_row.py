"""What B of a comparison is: its head, and its sentences."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.kit.controls.sentence_field import SentenceField
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.compare import which_map
from attention_explorer.pages.heads.other import is_own_other, other_shown, with_other_recipe
from attention_explorer.pages.heads.presets import HEADS_PRESETS
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, Picture
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability

TIP = "What A is compared with: another head, another layer, an example or a file"


class OtherButton(QPushButton):
    """Shows which map B is; a press opens a menu with its heads, and with what else could be B.

    Signals
    -------
    files_wanted : QMenu
        The menu is to be filled with the files that could become B.
    """

    files_wanted = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setToolTip(TIP)
        self.clicked.connect(self._open_menu)

    def show_state(self, heads: HeadsState) -> None:
        """Name B."""
        name = f"B: {which_map(other_shown(heads))}"
        self.setText(f"{name} ▾")
        self.setAccessibleName(f"{name}. Choose another B")

    # ---- The menu ----

    def _open_menu(self) -> None:
        self.menu_of_now().popup(self.mapToGlobal(QPoint(0, self.height())))

    def menu_of_now(self) -> QMenu:
        """Return the menu for what is on show."""
        heads = self._session.state.heads
        other = other_shown(heads)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        counts = source_of(other.recipe).heads
        if len(counts) == 1:
            self._add_heads(menu.addMenu("Head of B"), other, 0)
        else:
            layers = menu.addMenu("Layer and head of B")
            for layer in range(len(counts)):
                self._add_layer(layers, other, layer)
        same = menu.addAction("Same head as A", self._take_head_of_a)
        same.setEnabled(_as_a(heads) not in (None, other))
        menu.addSeparator()
        presets = menu.addMenu("An example")
        for preset in HEADS_PRESETS:
            self._add(presets, preset.title, preset.state.setup, preset.title)
        self.files_wanted.emit(menu.addMenu("A file or a model"))
        return menu

    def _add_layer(self, layers: QMenu, other: HeadsSetup, layer: int) -> None:
        menu = layers.addMenu(other.count.layer(layer).capitalize())

        def fill() -> None:  # when it opens: a model may have a thousand heads
            if menu.isEmpty():
                self._add_heads(menu, other, layer)

        menu.aboutToShow.connect(fill)

    def _add_heads(self, menu: QMenu, other: HeadsSetup, layer: int) -> None:
        source = source_of(other.recipe)
        for head in range(source.heads[layer]):
            name = source.head_name(layer, head) or other.count.head(head).capitalize()
            chosen = replace(other, layer=layer, head=head, aggregate=Aggregate.ONE)
            action = self._add(menu, name, chosen, which_map(chosen))
            action.setCheckable(True)
            action.setChecked(chosen == other)

    def _add(self, menu: QMenu, text: str, setup: HeadsSetup, name: str) -> QAction:
        action = menu.addAction(text)
        action.triggered.connect(lambda: self._apply(setup, f"B: {name}"))
        return action

    # ---- What people do ----

    def _take_head_of_a(self) -> None:
        other = _as_a(self._session.state.heads)
        if other is not None:
            self._apply(other, "Same head as A")

    def _apply(self, other: HeadsSetup, label: str) -> None:
        state = self._session.state
        heads = replace(state.heads, other=other)
        if other_shown(heads) != other:  # as B of the preset it would follow A
            heads = replace(heads, preset="")
        self._session.apply(replace(state, heads=heads), label)


def _as_a(heads: HeadsState) -> HeadsSetup | None:
    """Return B with the layer and the head of A; None if it has no such head."""
    setup, other = heads.setup, other_shown(heads)
    counts = source_of(other.recipe).heads
    if setup.layer >= len(counts) or setup.head >= counts[setup.layer]:
        return None
    return replace(other, layer=setup.layer, head=setup.head, aggregate=setup.aggregate)


class OtherRow(QWidget):
    """Names B and lets another one be chosen or typed; on show with a comparison. The second is in the drawer.

    Signals
    -------
    refused : str
        Why a sentence cannot be used.
    """

    refused = Signal(str)

    def __init__(self, session: Session, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.button = OtherButton(session)
        self.sentence = self._field("Sentence of B", "Type the sentence of B, of any length", "sentence")
        self.context = self._field("Second sentence of B", "What keys and values of B come from", "context")
        self.second = QWidget()
        """The second sentence with its name, for the drawer."""
        named = QVBoxLayout(self.second)
        named.setContentsMargins(0, 0, 0, 0)
        named.addWidget(QLabel("second sentence of B"))
        named.addWidget(self.context)
        self.second.hide()  # until there is a comparison
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)  # alone it would be as wide as the page
        self._row.addWidget(self.sentence, 1)
        self.hide()

    def _field(self, name: str, tip: str, field: str) -> SentenceField:
        line = SentenceField(name, tip, lambda: getattr(other_shown(self._session.state.heads).recipe, field) or "")
        line.typed.connect(lambda text: self._on_typed(field, text))
        line.refused.connect(self.refused)
        line.editingFinished.connect(self._session.commit)
        return line

    def set_look(self, look: Look) -> None:
        """Apply the theme."""
        self._row.setSpacing(look.px(6))

    def show_state(self, heads: HeadsState) -> None:
        """Say what B is."""
        is_compared = heads.view.picture is Picture.COMPARE
        self.setVisible(is_compared)
        if not is_compared:
            self.second.hide()
            return  # B may be a file that would only be read for its words
        source = source_of(other_shown(heads).recipe)
        self.button.show_state(heads)
        allow_unless(source.traits.reason_against(Ability.TYPING), self.sentence, self.context)
        self.sentence.show_sentence(source.sentence)
        self.context.show_sentence(source.context or "")
        is_same = is_own_other(heads)  # a sentence typed now would be read twice: it is that of A
        self.sentence.setHidden(is_same)
        self.second.setHidden(is_same or source.context is None)
        self.updateGeometry()  # the layout around it keeps the height of when nothing was in it

    def _on_typed(self, field: str, text: str) -> None:
        state = self._session.state
        heads = with_other_recipe(state.heads, **{field: text})
        self._session.apply(replace(state, heads=heads), "Type B", merge=f"type {field} of B")
