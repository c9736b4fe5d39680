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


@pytest.mark.parametrize(
    ("piece", "label"),
    [
        ("ĠðŁĺ", "␣0xF09F98"),
        ("Ĭ", "0x8A"),
        ("é", "0xE9"),
        ("¤", "0xA4"),
        ("aâĢ", "a0xE280"),
        ("ĠcafÃ©", "␣café"),
        ("ï¸ı", "U+FE0F"),
        ("âĿ¤ï¸ı", "❤\ufe0f"),
        ("日", "日"),
        ("the", "the"),
        ("<|endoftext|>", "<|endoftext|>"),
    ],
)
def test_of_a_tokenizer_of_bytes_a_part_of_a_character_is_shown_as_its_bytes(piece: str, label: str) -> None:
    assert readable_piece(piece, of_bytes=True) == label


@given(piece=st.text(), of_bytes=st.booleans())
def test_any_text_has_a_label_on_one_line(piece: str, *, of_bytes: bool) -> None:
    label = readable_piece(piece, of_bytes=of_bytes)
    assert label
    assert len(label.splitlines()) == 1
    assert " " not in label
    label.encode()
