"""What is called nearly uniform: the same on the note and on the wall, strict for few keys and for many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsSetup, MaskChoice, MaskKind
from attention_explorer.pages.heads.survey import CLOSE, EVEN, character, is_nearly_uniform, largest_excess, surveys_of
from attention_explorer.pages.heads.verdict import Kind, verdict
from attention_explorer.sources.recipe import GainKind, ToyRecipe


def judged(*rows: tuple[float, ...]) -> bool:
    """Judge a map by the definition, row after row."""
    evenness, excess = [], []
    for row in rows:
        seen = [weight for weight in row if weight >= 0]
        if len(seen) > 1:
            evenness.append(-sum(w * np.log(w) for w in seen if w > 0) / np.log(len(seen)))
        excess += [abs(len(seen) * weight - 1) for weight in seen]
    return is_nearly_uniform(float(np.mean(evenness)), max(excess))


def test_the_tutorials_that_look_at_nothing_are_flagged() -> None:
    for name, excess in (("four-token", 0.0725), ("three-token", 0.021)):
        frame = heads_frame(heads_preset(name).state.setup)
        found = verdict(frame)
        assert found.kind is Kind.EVEN, name
        assert found.head.excess == pytest.approx(excess, abs=5e-4)
        assert "Nearly uniform" in found.text
        assert character(surveys_of(frame)[0]) == "≈ even"


def test_a_clear_pattern_of_three_tokens_is_not_for_all_its_entropy() -> None:
    row = (0.42, 0.33, 0.25)
    evenness = -sum(w * np.log(w) for w in row) / np.log(3)
    assert evenness >= EVEN, "entropy alone would call it nearly uniform"
    assert not judged(row)
    assert judged((0.36, 0.33, 0.31))


def test_many_keys_with_one_several_times_its_share_are_not() -> None:
    row = (0.05, *[0.95 / 99] * 99)
    evenness = -sum(w * np.log(w) for w in row) / np.log(100)
    assert evenness >= EVEN
    assert not judged(row)


@pytest.mark.parametrize("n", [2, 3, 4, 11, 100])
def test_the_limit_is_a_share_of_the_even_share(n: int) -> None:
    def row(excess: float) -> tuple[float, ...]:
        first = (1 + excess) / n
        return (first, *[(1 - first) / (n - 1)] * (n - 1))

    assert judged(row(0.0))
    assert judged(row(0.1))
    assert not judged(row(CLOSE + 0.01))


def test_the_other_tutorials_and_a_raised_gain_are_not() -> None:
    for name in ("five-token", "dot-products", "multi-head", "pipeline", "random-words"):
        assert verdict(heads_frame(heads_preset(name).state.setup)).kind is not Kind.EVEN, name
    raised = heads_preset("three-token").state.with_recipe(gain=1.0)
    assert verdict(heads_frame(raised.setup)).kind is not Kind.EVEN


@given(st.integers(2, 9), st.sampled_from(list(MaskKind)), st.floats(0.01, 0.5), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_the_note_and_the_wall_agree(tokens: int, kind: MaskKind, gain: float, seed: int) -> None:
    recipe = ToyRecipe(
        sentence=" ".join("abcdefghi"[:tokens]), d_model=8, heads=1, seed=seed, gain_kind=GainKind.NUMBER, gain=gain
    )
    frame = heads_frame(HeadsSetup(recipe, MaskChoice(kind, 2)))
    weights, allowed = frame.map.weights(), frame.map.allowed()
    said = verdict(frame).kind is Kind.EVEN
    assert (character(surveys_of(frame)[0]) == "≈ even") == said
    rows = [tuple(np.where(seen, row, -1.0)) for row, seen in zip(weights, allowed, strict=True)]
    if (allowed.sum(axis=1) > 1).any():
        assert judged(*rows) == said
    else:
        assert not said, "no row has a choice"


@pytest.mark.parametrize(("gain", "even"), [(0.001, True), (0.3, False)])
def test_a_map_of_more_tokens_than_tiles_is_judged_too(gain: float, even: bool) -> None:
    sentence = " ".join(f"w{i}" for i in range(300))
    recipe = ToyRecipe(sentence=sentence, d_model=16, heads=1, gain_kind=GainKind.NUMBER, gain=gain)
    for mask in (MaskChoice(), MaskChoice(MaskKind.WINDOW, 40)):
        frame = heads_frame(HeadsSetup(recipe, mask))
        assert (character(surveys_of(frame)[0]) == "≈ even") == even
        assert (verdict(frame).kind is Kind.EVEN) == even


def test_rows_without_a_visible_key_have_no_excess() -> None:
    weights = np.array([[0.0, 0.0], [1.0, 0.0], [0.6, 0.4]])
    allowed = np.array([[False, False], [True, False], [True, True]])
    assert largest_excess(weights, allowed) == pytest.approx(0.2)
    assert largest_excess(weights[:1], allowed[:1]) == 0.0
    assert not is_nearly_uniform(float("nan"), 0.0)
