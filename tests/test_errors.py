"""What is said of names that there are not."""

from __future__ import annotations

import pytest

from attention_explorer.errors import did_you_mean

KNOWN = ("causal", "causal-2", "pipeline", "Stacked", "tutorial-three-words")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("causl", "Did you mean “causal” or “causal-2”?"),
        ("pipelin", "Did you mean “pipeline”?"),
        ("STACKED", "Did you mean “Stacked”?"),
        ("words", "Did you mean “tutorial-three-words”?"),
        ("zzz", "Choose one of: causal, causal-2, pipeline, Stacked, tutorial-three-words."),
        ("", "Choose one of: causal, causal-2, pipeline, Stacked, tutorial-three-words."),
    ],
)
def test_the_nearest_names_are_offered_else_all(wrong: str, said: str) -> None:
    assert did_you_mean(wrong, KNOWN) == said


def test_where_none_is_near_something_else_may_be_said() -> None:
    assert did_you_mean("zzz", KNOWN, "See the list.") == "See the list."
    assert did_you_mean("causl", KNOWN, "See the list.").startswith("Did you mean")
