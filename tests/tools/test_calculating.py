"""Sums that are typed as an answer, against Python's own arithmetic."""

from __future__ import annotations

import math

import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.tools.lessons.expression import calculated


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.4", 1.4),
        ("−0,4", -0.4),
        ("1e-3", 1e-3),
        ("e", math.e),
        ("e^4 / (e^4 + e^2 + 1)", math.exp(4) / (math.exp(4) + math.exp(2) + 1)),
        ("2·3 + e^2", 6 + math.exp(2)),
        ("3 × 2 ÷ 4 − 1", 0.5),
        ("-(1 + 2)**2", -9.0),
        ("2^0.5", math.sqrt(2)),
        ("48 : 4", 12.0),
    ],
)
def test_a_sum_is_a_number(text: str, number: float) -> None:
    assert calculated(text) == pytest.approx(number, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    ["x", "1 +", "1,5 + 2", "f(2)", "e.real", "'a' * 9", "[1]", "1 if 1 else 2", "True", "(" * 150 + ")" * 150,
     "+".join("1" * 90), "9^9^9^9", "1/0", "(-1)^0.5", "1 " * 200, "e" * 300, "1_0 + 1j", "__import__"],
)  # fmt: skip
def test_what_is_none_is_refused_in_words(text: str) -> None:
    with pytest.raises(ExplorerError, match=r"."):
        calculated(text)
