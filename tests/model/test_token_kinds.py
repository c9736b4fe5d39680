"""Which tokens name something."""

import pytest

from attention_explorer.model.token_kinds import is_content_word


@pytest.mark.parametrize("token", ["cat", "Ġriver", "▁tired", " Katze", "Größe"])
def test_words_that_name_something(token: str) -> None:
    assert is_content_word(token)


@pytest.mark.parametrize(
    "token", ["the", "ĠBecause", "It", "a", "x", ".", "42", "[CLS]", "<s>", "##s", "", "Ġ", "<unk>"]
)
def test_words_that_name_nothing(token: str) -> None:
    assert not is_content_word(token)
