"""What typed letters find, and in which order."""

from __future__ import annotations

import pytest

from attention_explorer.tools.search.ui.panel import Entry, found

ENTRIES = (
    Entry("Example · Heads", "Causal mask", "Each row sees the keys up to its own"),
    Entry("Example · Layer", "Pre-norm with a mask, GPT style", "The norm stands before attention"),
    Entry("Term", "mask", "What is masked gets a score of −∞", ("masks",)),
    Entry("Term", "RoPE", "Queries and keys are turned", ("rotary", "rotary position embedding")),
    Entry("Command", "Unmask all", "Nothing is hidden any more"),
    Entry("Page", "Positions", "See how a transformer knows where a token stands"),
)


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("mask", ["mask", "Causal mask", "Pre-norm with a mask, GPT style", "Unmask all"]),
        ("  MASK ca ", ["Causal mask"]),
        ("cau", ["Causal mask"]),
        ("norm", ["Pre-norm with a mask, GPT style"]),
        ("rot emb", ["RoPE"]),
        ("turned", ["RoPE"]),
        ("term", ["mask", "RoPE"]),
        ("pos", ["Positions", "RoPE"]),
        ("xyz", []),
        ("", [entry.title for entry in ENTRIES]),
    ],
)
def test_beginnings_come_first_then_words_then_other_names_then_all_else(text: str, titles: list[str]) -> None:
    assert [entry.title for entry in found(ENTRIES, text)] == titles
