"""The buttons that a picture offers, with a few words before them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from attention_explorer.session.session import Session
from attention_explorer.state.heads.offers import Offer, Offers
from attention_explorer.ui.controls.flow_layout import FlowLayout
from attention_explorer.ui.theme import Look


class OfferRow(QWidget):
    """Each button is one undo step; without an offer there is no row."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._words = QLabel()
        self._words.setObjectName("muted")
        self.buttons: dict[str, QPushButton] = {}
        self._offers: dict[str, Offer] = {}
        self._row = FlowLayout(self)
        self._row.addWidget(self._words)
        self.hide()

    def set_look(self, look: Look) -> None:
        """Apply the theme."""
        self._row.setSpacing(look.px(6))

    def show_offers(self, offers: Offers) -> None:
        """Show these offers."""
        self._words.setText(offers.words)
        for text in [text for text in self.buttons if text not in {offer.text for offer in offers.buttons}]:
            button = self.buttons.pop(text)
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        for offer in offers.buttons:
            self._button(offer.text).setToolTip(offer.tip)
        self._offers = {offer.text: offer for offer in offers.buttons}
        self.setVisible(bool(offers.buttons))

    def _button(self, text: str) -> QPushButton:
        if text not in self.buttons:
            button = self.buttons[text] = QPushButton(text)
            button.setAccessibleName(f"{self._words.text()} {text}")
            button.clicked.connect(lambda: self._take(self._offers[text]))
            self._row.addWidget(button)
        return self.buttons[text]

    def _take(self, offer: Offer) -> None:
        state = self._session.state
        self._session.apply(replace(state, heads=offer.change(state.heads)), offer.label)
