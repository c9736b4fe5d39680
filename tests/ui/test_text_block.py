"""Paragraphs as they are drawn: where no line may end, and the room they get."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from attention_explorer.kit.controls.text_block import JOINER, NO_BREAK, TextBlock, TextLine, unbroken
from attention_explorer.kit.theme import LIGHT, Look


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("it saves 50 % of the work", "50~%"),
        ("noise × 99 is added", "×~99"),
        ("1 048 576 numbers", "1~048~576"),
        ("from (2, 10, 512) to", "(2,~10,~512)"),
        ("σ = 1/√d_model cures it", f"1/{JOINER}√d_model"),
        ("both weights become 0.", "become~0."),
    ],
)
def test_what_belongs_together_stays_in_a_line(text: str, kept: str) -> None:
    assert kept.replace("~", NO_BREAK) in unbroken(text)
    assert unbroken(text).replace(NO_BREAK, " ").replace(JOINER, "") == text


def test_what_is_read_and_spoken_stays_as_it_was_written(qtbot) -> None:
    block = TextBlock(Look(LIGHT), 1, "A paragraph")
    qtbot.addWidget(block)
    block.set_text(TextLine("50 % of (2, 10)"))
    assert block.text() == block.accessibleDescription() == "50 % of (2, 10)"


def test_a_long_text_gets_its_room_while_a_short_one_is_still_to_be_laid_out(qtbot) -> None:
    whole, block = QWidget(), TextBlock(Look(LIGHT), 1, "A paragraph")
    qtbot.addWidget(whole)
    column = QVBoxLayout(whole)
    column.addWidget(block)
    column.addStretch(1)
    whole.resize(200, 400)
    whole.show()
    long = TextLine("as many words as need several lines of this block " * 3)
    block.set_text(long)
    QApplication.processEvents()
    assert block.height() == block.heightForWidth(block.width()) > 60
    block.set_text(TextLine("short"))
    column.sizeHint()  # as a layout around it asks, which then knows the height of the short one
    block.set_text(long)
    QApplication.processEvents()
    assert block.height() == block.heightForWidth(block.width())
