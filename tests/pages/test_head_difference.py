"""How much heads differ from the setup kept for comparison, measured again with loops."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.head_difference import compared_with, surveys_on_wall
from attention_explorer.pages.heads.state import (
    Aggregate,
    HeadsSetup,
    HeadsState,
    HeadsView,
    MaskChoice,
    MaskKind,
    SortBy,
    Threshold,
)
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.recorded_recipe import BoxRecipe
from attention_explorer.sources.registry import tokens_of

BY_DIFFERENCE = HeadsView(sort=SortBy.DIFFERENCE)
STACKED = HeadsSetup(ToyRecipe(sentence="the cat sat on it .", d_model=16, heads=4, layers=2))


def differences(a: HeadsSetup, b: HeadsSetup | None, view: HeadsView = BY_DIFFERENCE) -> list[float | None]:
    heads = HeadsState(a, view, b)
    return [survey.difference for survey in surveys_on_wall(heads, heads_frame(a))]


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Return the mean over the rows of half of what is between them, with loops."""
    rows = [
        0.5 * sum(abs(x - y) for x, y in zip(*pair, strict=True)) for pair in zip(a.tolist(), b.tolist(), strict=True)
    ]
    return sum(rows) / len(rows)


def all_weights(setup: HeadsSetup) -> list[np.ndarray]:
    frame = heads_frame(setup)
    return [frame.layers[layer].maps[head].weights() for layer, head in frame.places]


@pytest.mark.parametrize(
    "changes",
    [
        {"temperature": 3.0},
        {"mask": MaskChoice(MaskKind.CAUSAL)},
        {"mask": MaskChoice(MaskKind.STRICT)},
        {"hard": True},
    ],
)
def test_each_head_is_compared_with_its_own_in_another_setup(changes: dict[str, object]) -> None:
    other = replace(STACKED, layer=1, head=2, **changes)
    expected = [distance(a, b) for a, b in zip(all_weights(STACKED), all_weights(other), strict=True)]
    assert differences(STACKED, other) == pytest.approx(expected, rel=1e-12)
    assert all(0.0 < value <= 1.0 for value in expected)


@pytest.mark.parametrize("aggregate", [Aggregate.ONE, Aggregate.MEAN])
def test_every_head_is_compared_with_the_one_kept_of_the_same_heads(aggregate: Aggregate) -> None:
    other = replace(STACKED, layer=1, head=2, aggregate=aggregate)
    of_layer = all_weights(STACKED)[4:]
    kept = of_layer[2] if aggregate is Aggregate.ONE else sum(of_layer) / 4
    found = differences(replace(STACKED, head=1), other)
    assert found == pytest.approx([distance(weights, kept) for weights in all_weights(STACKED)], rel=1e-12, abs=1e-15)
    assert (found[6] == 0.0) == (aggregate is Aggregate.ONE)


def test_of_texts_of_different_length_the_tokens_that_both_have_count() -> None:
    other = replace(STACKED, recipe=replace(STACKED.recipe, sentence="the big cat sat on it"))
    in_a, in_b = [0, 1, 2, 3, 4], [0, 2, 3, 4, 5]  # big is new and the full stop is gone
    pairs = zip(all_weights(STACKED), all_weights(other), strict=True)
    expected = [distance(a[np.ix_(in_a, in_a)], b[np.ix_(in_b, in_b)]) for a, b in pairs]
    assert differences(STACKED, other) == pytest.approx(expected, rel=1e-12)


def test_recorded_heads_of_half_precision_are_subtracted_in_full() -> None:
    a, b = (HeadsSetup(BoxRecipe(name)) for name in ("minilm-soft", "minilm-tired"))
    same = [first == second for first, second in zip(tokens_of(a.recipe), tokens_of(b.recipe), strict=True)]
    assert same.count(False) == 1, "twins: the word that differs counts too"
    pairs = zip(all_weights(a), all_weights(b), strict=True)
    expected = [distance(x.astype(float), y.astype(float)) for x, y in pairs]
    assert differences(a, b) == pytest.approx(expected, rel=1e-12)


def test_without_a_counterpart_there_is_no_number() -> None:
    fewer = replace(STACKED, recipe=replace(STACKED.recipe, heads=2))
    found = differences(STACKED, fewer)
    assert [math.isnan(value) for value in found] == [False, False, True, True] * 2
    for other in (
        None,
        replace(STACKED, recipe=replace(STACKED.recipe, sentence="nothing alike")),
        HeadsSetup(ToyRecipe("")),
    ):
        assert all(math.isnan(value) for value in differences(STACKED, other))


def test_nothing_is_measured_that_nobody_asked_for() -> None:
    other = replace(STACKED, temperature=2.0)
    assert set(differences(STACKED, other, HeadsView(sort=SortBy.ENTROPY))) == {None}
    assert None not in differences(STACKED, other, HeadsView(threshold=Threshold(SortBy.DIFFERENCE, 0.1)))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (replace(STACKED, layer=1, head=2), "difference of each head from layer 2, head 3 (B)"),
        (replace(STACKED, aggregate=Aggregate.ROLLOUT), "difference of each head from rollout (B)"),
        (replace(STACKED, temperature=2.0), "difference of each head from its own in B (T = 2)"),
        (
            replace(STACKED, recipe=replace(STACKED.recipe, sentence="the cat")),
            "difference of each head from its own in B (“the cat”), on the tokens that both have",
        ),
        (
            replace(
                STACKED, recipe=replace(STACKED.recipe, sentence=f"{STACKED.recipe.sentence.rpartition(' ')[0]} x")
            ),
            "difference of each head from its own in B (…), place by place",
        ),
        (None, ""),
    ],
)
def test_it_is_said_from_what_they_differ(other: HeadsSetup | None, said: str) -> None:
    found = compared_with(HeadsState(STACKED, BY_DIFFERENCE, other))
    said, _, rest = said.partition("…")
    assert found.startswith(said)
    assert found.endswith(f"{rest}: how much moved, not how much it matters" if said else "")
    assert compared_with(HeadsState(STACKED, HeadsView(), other)) == ""
