"""Pieces of tokenizers as people can read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_explorer.sources.recorded import readable_piece


@pytest.mark.parametrize(
    ("piece", "label"),
    [
        ("the", "the"),
        ("Ġthe", "␣the"),
        ("Ġ", "␣"),
        ("ĠĠĠ", "␣␣␣"),
        ("Ċ", "↵"),
        ("ĊĊ", "↵↵"),
        ("ĉ", "⇥"),
        ("cafÃ©", "café"),
        ("ĠâĢĶ", "␣—"),
        ("æĹ¥", "日"),
        ("âĢ", "âĢ"),
        ("é", "é"),
        ("日本", "日本"),
        ("##ing", "-ing"),
        ("##", "##"),
        ("#", "#"),
        ("▁word", "␣word"),
        ("▁", "␣"),
        ("<0x0A>", "↵"),
        ("<0x41>", "A"),
        ("<0xE2>", "0xE2"),
        ("<0x00>", "�"),
        ("ing</w>", "ing␣"),
        ("</w>", "</w>"),
        ("[CLS]", "[CLS]"),
        ("<|endoftext|>", "<|endoftext|>"),
        ("</s>", "</s>"),
        (" a\tb\r\n", "␣a⇥b␍↵"),
        ("a\u202eb\ud800", "a�b�"),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
        ("", "∅"),
    ],
)
def test_table(piece: str, label: str) -> None:
    assert readable_piece(piece) == label


@given(st.text())
def test_any_text_has_a_label_on_one_line(piece: str) -> None:
    label = readable_piece(piece)
    assert label
    assert len(label.splitlines()) == 1
    assert " " not in label
    label.encode()
