"""Every page says what somebody has read: titles, read-outs, what to try, alt texts, captions and refusals."""

from __future__ import annotations

import pytest
from said import differences, said_now, same

from attention_explorer.pages.registry import PAGE_IDS


@pytest.mark.parametrize("page", PAGE_IDS)
def test_a_page_says_what_was_approved(page_window, page: str) -> None:
    changed = differences(page, said_now(page, page_window(page)))
    assert not changed, "\n".join(("Read it, then: python -m tests.kept", *changed))


def test_numbers_may_differ_by_their_last_digit_alone() -> None:
    assert same("weight 0.312 of 7", "weight 0.313 of 7")
    assert not same("weight 0.312 of 7", "weight 0.314 of 7")
    assert not same("weight 0.312", "weight 0.31")
    assert same("cosine 1", "cosine 1.0000")
    assert not same("cosine 1", "cosine 1.2000")
    assert not same("1.2·10⁻³", "1.2·10⁻⁴")
    assert not same("7 heads", "8 heads")
    assert not same("a weight 0.312", "weight 0.312")
