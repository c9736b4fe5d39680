"""What is changed below the pictures of future and cache: a part of the page's controls."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QPushButton, QWidget

from attention_explorer.kit.pictures.controls import PictureControls
from attention_explorer.pages.block.cache import decoded_shown
from attention_explorer.pages.block.future import changed_shown
from attention_explorer.pages.stack.state import BlockPicture, BlockState
from attention_explorer.sources.tokens import tokens_in


class BlockPictureControls:
    """Makes the controls, of which those of the picture on show are visible. They keep no copy of the state."""

    def __init__(self, controls: PictureControls[BlockState]) -> None:
        """Make them within the controls of the page; each of ``lines`` is to be added to those."""
        self._controls = controls
        self.changed_token = controls.sliding(
            "replace token",
            "replaced token",
            "The token whose vector is replaced by noise × 99. You can also click a token in the picture.",
            lambda state, value: replace(state, changed_token=round(value) - 1),
        )
        self.decoded = controls.sliding(
            "decoded",
            "decoded tokens",
            "How many tokens have been decoded, one after the other. ← and → on the picture do the same.",
            lambda state, value: replace(state, decoded=round(value)),
        )
        self.back = self._step("◂ One back", "Forget the newest token (←)", -1)
        self.decode_next = self._step("Decode next ▸", "Send the next token through all layers (→)", 1)
        self.lines: tuple[tuple[QWidget, ...], ...] = ((self.changed_token, self.decoded, self.back, self.decode_next),)

    def _step(self, title: str, tip: str, by: int) -> QPushButton:
        button = QPushButton(title)
        button.setToolTip(tip)
        button.setAccessibleName(title.strip("◂▸ "))
        button.clicked.connect(lambda: self._decode(by))
        return button

    def _decode(self, by: int) -> None:
        state = self._controls.state
        count = min(max(decoded_shown(state) + by, 1), len(tokens_in(state.sentence)))
        if count != state.decoded:
            self._controls.change("Decode the next token" if by > 0 else "Go one token back", "decoded", decoded=count)

    def show_state(self, state: BlockState) -> None:
        """Show a state."""
        count = max(len(tokens_in(state.sentence)), 1)
        number = state.count.number
        self.changed_token.show_value(number(changed_shown(state)), number(count - 1), number(0))
        self.decoded.show_value(decoded_shown(state), count, 1)
        self.back.setEnabled(decoded_shown(state) > 1)
        self.decode_next.setEnabled(decoded_shown(state) < count)

    def visible(self, state: BlockState) -> tuple[tuple[QWidget, bool], ...]:
        """Return which of the controls the state needs, for `show_only`."""
        picture = state.picture
        caching = picture is BlockPicture.CACHE
        return (
            (self.changed_token, picture is BlockPicture.FUTURE),
            (self.decoded, caching),
            (self.back, caching),
            (self.decode_next, caching),
        )
