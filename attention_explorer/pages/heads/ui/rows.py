"""The rows above the map: what finds tokens, B of a comparison, what the picture offers, and painting the mask."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QMenu, QPushButton, QVBoxLayout, QWidget

from attention_explorer.core.mask import MaskChoice
from attention_explorer.kit.controls.made import FlowLayout, allow_unless
from attention_explorer.kit.controls.number_box import UndoKeys
from attention_explorer.kit.controls.sentence_field import SentenceField
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.aligned import is_own_other, other_shown, with_other_recipe
from attention_explorer.pages.heads.compare import which_map
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.offers import MOST_OFFERS, Offer, Offers
from attention_explorer.pages.heads.presets import HEADS_PRESETS
from attention_explorer.pages.heads.resolve import resolved
from attention_explorer.pages.heads.shown_map import HIDING
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, HeadsView, Picture
from attention_explorer.pages.heads.token_search import Found, find_tokens, found_words, named, with_hidden
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability

HIDE_TIP = "Take these tokens out of the keys in the picture. The other weights stay, so rows sum to what is left."


class FindRow(QWidget):
    """Finds tokens while they are typed; Enter goes on to the next, Esc closes.

    Signals
    -------
    found : Spot
        The token to be shown.
    closed
        The keyboard is free for the picture again.
    """

    found = Signal(object)
    closed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._frame: HeadsFrame | None = None
        self._found = Found()
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find a token")
        self.field.setAccessibleName("Find a token")
        self.field.setToolTip("A part of a token; Enter goes to the next one, Shift+Enter to the one before")
        self.field.textEdited.connect(self._on_edited)
        UndoKeys(self.field, lambda: False)
        self.field.installEventFilter(self)
        self.count = QLabel()
        self.count.setObjectName("muted")
        self.hide_tokens = QPushButton("Hide")
        self.hide_tokens.clicked.connect(self._on_hide_clicked)
        self.show_all = QPushButton("Show all")
        self.show_all.setToolTip("Show all keys again")
        self.show_all.clicked.connect(lambda: self._hide(self._view.hidden_tokens, hide=False))
        self.close_button = QPushButton("×")
        self.close_button.setAccessibleName("Close the search")
        self.close_button.setToolTip("Close the search (Esc); what is hidden stays hidden")
        self.close_button.clicked.connect(self.close_row)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.field, 1)
        for part in (self.count, self.hide_tokens, self.show_all, self.close_button):
            self._row.addWidget(part)
        self.hide()

    # ---- Showing ----

    def set_look(self, look: Look) -> None:
        """Wear other colours or another size."""
        self._row.setSpacing(look.px(6))
        self.close_button.setFixedWidth(look.px(30))

    def show_frame(self, frame: HeadsFrame, heads: HeadsState) -> None:
        """Look for the same in these tokens, and show what is hidden of them."""
        self._frame = frame
        if self.isHidden():
            return
        self._found = find_tokens(frame, self.field.text())
        keys, view = self._found.keys, heads.view
        self.count.setText(found_words(self._found, view) if self.field.text().strip() else "")
        self.field.setAccessibleDescription(self.count.text())
        are_hidden = bool(keys) and keys <= view.hidden_tokens
        self.hide_tokens.setText("Show" if are_hidden else "Hide")
        self.hide_tokens.setAccessibleName(f"{self.hide_tokens.text()} {named(keys)} as keys")
        reason = "" if view.picture in HIDING else "Every key is shown here: hide keys in the map or the lines."
        self.hide_tokens.setEnabled(bool(keys) and not reason)
        self.hide_tokens.setToolTip(reason or (f"{HIDE_TIP}\n{named(keys)}" if keys else HIDE_TIP))
        self.show_all.setVisible(bool(view.hidden_tokens))

    # ---- What people do ----

    def open_row(self) -> None:
        """Show the row and give it the keyboard."""
        self.show()
        if self._frame is not None:
            self.show_frame(self._frame, self._session.state.heads)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def close_row(self) -> None:
        """Forget what was looked for; what is pinned and hidden stays."""
        self.hide()
        self.closed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self.field or event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._go(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.close_row()
        else:
            return False
        return True

    @property
    def _view(self) -> HeadsView:
        return self._session.state.heads.view

    def _on_edited(self) -> None:
        if self._frame is not None:
            self.show_frame(self._frame, self._session.state.heads)
            self._go(0)

    def _go(self, step: int) -> None:
        """Show the next token that was found (1), the one before (−1), or the first from what is pinned on (0)."""
        place = self._found.next_of(self._view, step)
        if place is not None:
            self.found.emit(Spot(*place))

    def _on_hide_clicked(self) -> None:
        self._hide(self._found.keys, hide=not self._found.keys <= self._view.hidden_tokens)

    def _hide(self, tokens: frozenset[str], *, hide: bool) -> None:
        state = self._session.state
        heads = state.heads.with_view(**with_hidden(state.heads.view, tokens, hide=hide))
        self._session.apply(replace(state, heads=heads), f"{'Hide' if hide else 'Show'} {named(tokens)}")


# ---- Painting the mask ----


PAINT_TIP = (
    "Paint your own mask: drag over cells of the map to hide them, or to show them again.\n"
    "On a token: its whole row or column."
)


class MapControls(QObject):
    """A button that lets cells be painted, and one that forgets them.

    Signals
    -------
    paint_toggled : bool
        The mask is to be painted by hand, or no longer.
    """

    paint_toggled = Signal(bool)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.paint = QPushButton("Paint")
        self.paint.setCheckable(True)
        self.paint.setAccessibleName("Paint the mask")
        self.paint.setToolTip(PAINT_TIP)
        self.paint.toggled.connect(self.paint_toggled)
        self.unpaint = QPushButton("Clear")
        self.unpaint.setToolTip("Forget the cells painted by hand")
        self.unpaint.setAccessibleName("Clear the painted cells")
        self.unpaint.clicked.connect(self._on_unpaint_clicked)
        self.unpaint.hide()

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """The buttons, in their order."""
        return self.paint, self.unpaint

    def show_state(self, heads: HeadsState) -> None:
        """Show whether anything is painted, and can be."""
        no_masks = source_of(heads.setup.recipe).traits.reason_against(Ability.MASKS)
        is_map = heads.view.picture is Picture.HEATMAP  # which alone can be painted on
        allow_unless(no_masks, self.paint, self.unpaint)
        self.paint.setVisible(is_map)
        if no_masks or not is_map:
            self.paint.setChecked(False)
        mask: MaskChoice = resolved(heads.setup).mask
        self.unpaint.setVisible(mask.is_painted)

    def _on_unpaint_clicked(self) -> None:
        state = self._session.state
        heads = state.heads.with_setup(mask=state.heads.setup.mask.without_paint())
        self._session.apply(replace(state, heads=heads), "Clear the painted cells")


# ---- Offers ----


class OfferRow(QWidget):
    """Each button is one undo step; without an offer there is no row.

    The buttons are there from the beginning: Tab reaches what is made later after everything else.

    Signals
    -------
    reading_wanted
        It is to be asked how the file is to be read.
    """

    reading_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._offers: tuple[Offer, ...] = ()
        self._words = QLabel()
        self._words.setObjectName("muted")
        self._row = FlowLayout(self)
        self._row.addWidget(self._words)
        self._buttons = [self._make_button(place) for place in range(MOST_OFFERS)]
        self.hide()

    def _make_button(self, place: int) -> QPushButton:
        button = QPushButton()
        button.clicked.connect(lambda: self._take(self._offers[place]))
        self._row.addWidget(button)
        return button

    @property
    def buttons(self) -> dict[str, QPushButton]:
        """The buttons of the offers on show, by their text."""
        return {offer.text: button for offer, button in zip(self._offers, self._buttons, strict=False)}

    def set_look(self, look: Look) -> None:
        """Apply the theme."""
        self._row.setSpacing(look.px(6))

    def show_offers(self, offers: Offers) -> None:
        """Show these offers."""
        self._offers = offers.buttons
        self._words.setText(offers.words)
        for place, button in enumerate(self._buttons):
            button.setVisible(place < len(offers.buttons))
        for offer, button in zip(offers.buttons, self._buttons, strict=False):
            button.setText(offer.text)
            button.setAccessibleName(f"{offers.words} {offer.text}")
            button.setToolTip(offer.tip)
        self.setVisible(bool(offers.buttons))

    def _take(self, offer: Offer) -> None:
        state = self._session.state
        if offer.change is None:
            self.reading_wanted.emit()
        else:
            self._session.apply(replace(state, heads=offer.change(state.heads)), offer.label)


# ---- B of a comparison ----


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
