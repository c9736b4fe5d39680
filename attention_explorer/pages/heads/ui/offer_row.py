"""The buttons that a picture offers, with a few words before them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from attention_explorer.kit.controls.flow_layout import FlowLayout
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.offers import MOST_OFFERS, Offer, Offers
from attention_explorer.pages.ui.session import Session


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
