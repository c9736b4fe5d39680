"""What a setup takes is told beforehand: where it is computed, and how many blocks there are to count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attention_explorer.model.checkpoint import watched
from attention_explorer.pages.heads.frame import blocks, heads_frame, is_quick
from attention_explorer.pages.heads.large_picture import large_picture
from attention_explorer.pages.heads.presets import HEADS_PRESETS
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState
from attention_explorer.pages.heads.survey import survey_heads
from attention_explorer.sources import toy
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.masked_layers import layers_and_mask
from attention_explorer.sources.recipe import ToyRecipe


def sentence(tokens: int) -> str:
    return " ".join(f"w{i}" for i in range(tokens))


@pytest.mark.parametrize(
    ("tokens", "d_model", "heads", "layers", "quick"),
    [
        (11, 64, 8, 1, True),
        (64, 64, 8, 1, True),
        (11, 64, 4, 4, True),
        (11, 64, 64, 1, False),  # 64 heads take 40 ms however few tokens there are
        (11, 64, 16, 4, False),
        (11, 512, 8, 1, False),  # a million numbers are drawn
        (512, 64, 8, 1, False),
    ],
)
def test_only_what_is_done_before_anybody_notices_is_quick(tokens, d_model, heads, layers, quick) -> None:
    setup = HeadsSetup(ToyRecipe(sentence(tokens), d_model=d_model, heads=heads, layers=layers))
    assert is_quick(setup) == quick


def test_every_preset_is_there_at_once() -> None:
    assert [ready.id for ready in HEADS_PRESETS if not is_quick(ready.state.setup)] == []


@pytest.mark.parametrize(
    "setup",
    [
        HeadsSetup(ToyRecipe(sentence(9), d_model=16, heads=2)),
        HeadsSetup(ToyRecipe(sentence(9), d_model=16, heads=4, layers=3)),
        HeadsSetup(ToyRecipe(sentence(700), d_model=8, heads=2, layers=2)),
        HeadsSetup(ToyRecipe(sentence(9), d_model=16, heads=4, layers=3), aggregate=Aggregate.ROLLOUT),
    ],
)
def test_as_many_blocks_are_passed_as_are_expected(setup: HeadsSetup) -> None:
    for kept in (heads_frame, layers_and_mask, toy._drawn_projections, toy._first_layer):
        kept.cache_clear()
    passed = 0

    def count() -> None:
        nonlocal passed
        passed += 1

    parts = []
    with watched(count):
        frame = heads_frame(setup)
        parts.append(passed)
        large_picture(replace(HeadsState(), setup=setup), frame, (100, 100))
        parts.append(passed - parts[0])
        wall = len(list(survey_heads(frame)))
        parts.append(passed - sum(parts))
    expected = blocks(setup)
    assert [expected.frame, expected.picture, expected.wall] == parts
    assert wall == setup.recipe.heads * setup.recipe.layers


def test_hand_made_heads_are_counted_too() -> None:
    setup = HeadsSetup(HandMadeRecipe())
    assert blocks(setup).wall == len(list(survey_heads(heads_frame(setup))))
