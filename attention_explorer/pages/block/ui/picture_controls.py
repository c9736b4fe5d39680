"""What is changed below the pictures of depth, norm, linearity, future and cache: a part of the page's controls."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QPushButton, QWidget

from attention_explorer.kit.pictures.controls import PictureControls
from attention_explorer.pages.block.cache import decoded_shown
from attention_explorer.pages.block.future import changed_shown
from attention_explorer.pages.block.linear import FACTORS
from attention_explorer.pages.block.norm import LARGEST_SCALE, LEAST_SCALE, SCALES
from attention_explorer.pages.block.state import LARGEST_FACTOR, BlockPicture, BlockState
from attention_explorer.sources.tokens import tokens_in


class BlockPictureControls:
    """Makes the controls, of which those of the picture on show are visible. They keep no copy of the state."""

    def __init__(self, controls: PictureControls[BlockState]) -> None:
        """Make them within the controls of the page; each of ``lines`` is to be added to those."""
        self._controls = controls
        self.norm_scale = controls.sliding(
            "size of the row",
            "size of the row",
            "Standard deviation of the row before the norm. ε only matters where this is not much larger than ε or √ε.",
            lambda state, value: state.with_number("norm_scale", value, LEAST_SCALE, LARGEST_SCALE),
            SCALES,
        )
        self.factor = controls.sliding(
            "multiply by",
            "factor",
            "The factor for V alone, or for X. Linear means that the output is multiplied by the same factor.",
            lambda state, value: state.with_number("factor", value, -LARGEST_FACTOR, LARGEST_FACTOR),
            FACTORS,
        )
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
        self.lines: tuple[tuple[QWidget, ...], ...] = (
            (self.norm_scale, self.factor, self.changed_token, self.decoded, self.back, self.decode_next),
        )

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
        self.norm_scale.show_value(state.norm_scale, LARGEST_SCALE, LEAST_SCALE)
        self.factor.show_value(state.factor, LARGEST_FACTOR, -LARGEST_FACTOR)
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
            (self.norm_scale, picture is BlockPicture.NORM),
            (self.factor, picture is BlockPicture.LINEAR),
            (self.changed_token, picture is BlockPicture.FUTURE),
            (self.decoded, caching),
            (self.back, caching),
            (self.decode_next, caching),
        )
