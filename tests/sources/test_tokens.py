"""Cutting sentences into tokens, in any script and from any broken text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_explorer.sources.tokens import MOST_MARKS, MOST_TOKENS, tokens_in


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("The cat sat on the mat.", ("The", "cat", "sat", "on", "the", "mat", ".")),
        ("It didn't: il s’est assis!", ("It", "didn't", ":", "il", "s’est", "assis", "!")),
        ("self-attention a--b 'x' dogs'", ("self-attention", "a", "-", "-", "b", "'", "x", "'", "dogs", "'")),
        ("3.14 1,000.5 2. v2.0 B2B x_y", ("3.14", "1,000.5", "2", ".", "v2.0", "B2B", "x_y")),
        ("(50%) #tag @you $5…", ("(", "50", "%", ")", "#", "tag", "@", "you", "$", "5", "…")),
        ("x₁² ½ ∑ ©", ("x₁²", "½", "∑", "©")),
        ("नमस्ते दुनिया।", ("नमस्ते", "दुनिया", "।")),
        ("مُحَمَّدٌ يقرأ، ٣٫١٤", ("مُحَمَّدٌ", "يقرأ", "،", "٣٫١٤")),
        ("שלום צה״ל", ("שלום", "צה״ל")),
        ("สวัสดี ครับ", ("สวัสดี", "ครับ")),
        ("ភាសា\u200bខ្មែរ", ("ភាសា", "ខ្មែរ")),
        ("한국어 말", ("한국어", "말")),
        ("我喜欢猫。", ("我", "喜", "欢", "猫", "。")),
        ("カタが ﾊﾞ 々ー", ("カ", "タ", "が", "ﾊﾞ", "々", "ー")),
        ("👨‍👩‍👧👍🏽❤️x", ("👨‍👩‍👧", "👍🏽", "❤️", "x")),
        ("🇫🇷🇩🇪🇫 1️⃣2️⃣ 🙂‍↔️", ("🇫🇷", "🇩🇪", "🇫", "1️⃣", "2️⃣", "🙂‍↔️")),
        ("🏴\U000e0067\U000e0062\U000e007f!", ("🏴\U000e0067\U000e0062\U000e007f", "!")),
        ("e\u0301t\u00e9 \u00e9", ("été", "é")),
        ("a\x00b c\u00add \u202bx\u202c \ufeffy z\u200dw", ("ab", "cd", "x", "y", "zw")),
        ("a\ud800b \uffff\U0001ffff", ("a", "\ufffd", "b", "\ufffd", "\ufffd")),
        (" \t\n\u00a0\u2028\u3000\u200b\u200d\ufe0f ", ()),
        ("", ()),
    ],
)
def test_table(sentence: str, tokens: tuple[str, ...]) -> None:
    assert tokens_in(sentence) == tokens


def test_no_more_than_the_most() -> None:
    assert tokens_in("a b " * MOST_TOKENS) == ("a", "b") * (MOST_TOKENS // 2)
    assert len(tokens_in("漢" * (MOST_TOKENS + 1))) == MOST_TOKENS
    assert len(tokens_in("." * (MOST_TOKENS - 1))) == MOST_TOKENS - 1


def test_towers_of_marks_are_cut() -> None:
    tower = "a" + "\u0316\u0317" * 500
    assert tokens_in(f"{tower} {tower}b") == (tower[: MOST_MARKS + 1], tower[: MOST_MARKS + 1] + "b")


NASTY = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cs", "Cf", "Cc", "Mn", "Me", "Mc", "So", "Sk"]),
        st.sampled_from("a1'-., #\u200d\ufe0f\u20e3🇫👍🏽漢\u0301\U000e0067\u00a0"),
    )
)


@given(NASTY)
def test_tokens_can_be_shown_and_saved(sentence: str) -> None:
    tokens = tokens_in(sentence)
    for token in tokens:
        assert token
        assert not any(character.isspace() for character in token)
        assert token.encode()
        categories = {unicodedata.category(character) for character in token}
        assert not categories & {"Cc", "Cs"}
        if "Cf" in categories:  # a joiner or a tag, inside an emoji
            assert categories & {"So", "Sk", "Sm", "Cn"}
    assert tokens_in(" ".join(tokens)) == tokens


@given(NASTY)
def test_no_letter_digit_or_punctuation_mark_is_lost(sentence: str) -> None:
    def visible(text: str) -> str:
        return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c)[0] in "LNP")

    assert visible("".join(tokens_in(sentence))) == visible(sentence)
