"""Paragraphs as they are drawn: where no line may end."""

from __future__ import annotations

import pytest

from attention_explorer.ui.controls.text_block import JOINER, NO_BREAK, TextBlock, TextLine, unbroken
from attention_explorer.ui.theme import LIGHT, Look


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
