"""What is said of names that there are not, and errors that are kept."""

from __future__ import annotations

import gc
import weakref

import pytest

from attention_explorer.errors import LostFileError, did_you_mean

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


def test_an_error_that_is_kept_keeps_nobody_who_has_met_it() -> None:
    kept = LostFileError("There is no file “a.npz”.", "a.npz", is_there=False)

    class Window: ...

    def meet() -> weakref.ref[Window]:
        window = Window()
        with pytest.raises(LostFileError, match=r"a\.npz") as met:
            raise kept.again()
        assert (met.value.path, met.value.is_there) == ("a.npz", False)
        return weakref.ref(window)

    known = meet()
    gc.collect()
    assert known() is None
    assert kept.__traceback__ is None
