"""What is said of weights that cannot be computed anew does not depend on what is wished for."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.model import causal_mask
from attention_explorer.pages.heads.alt_text import alt_text
from attention_explorer.pages.heads.compare import compare_pictures
from attention_explorer.pages.heads.export import difference_numbers, map_numbers, wall_numbers
from attention_explorer.pages.heads.frame import HeadsFrame, frame_to_show, heads_frame, other_frame
from attention_explorer.pages.heads.large_picture import large_picture
from attention_explorer.pages.heads.offers import offers_for
from attention_explorer.pages.heads.presets import heads_preset, is_changed, kept_by_hand, loaded
from attention_explorer.pages.heads.resolve import resolved
from attention_explorer.pages.heads.state import (
    Aggregate,
    HeadsSetup,
    HeadsState,
    HeadsView,
    MaskChoice,
    MaskKind,
    Picture,
)
from attention_explorer.pages.heads.verdict import verdict
from attention_explorer.pages.heads.wording import arithmetic, badges, cell_words, description, map_title, source_words
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.recorded_recipe import RECORDINGS, BoxRecipe
from attention_explorer.sources.recorded_source import file_recipe
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability, Recipe

WISHES = {
    "hard": (False, True),
    "temperature": (1.0, 0.5),
    "scaled": (True, False),
    "mask": (MaskChoice(), MaskChoice(MaskKind.CAUSAL, hidden=frozenset({(1, 0)}))),
}
COMBINED = [dict(zip(WISHES, values, strict=True)) for values in itertools.product(*WISHES.values())]


@pytest.fixture(scope="module")
def recipes(tmp_path_factory) -> dict[str, Recipe]:
    folder, rng = tmp_path_factory.mktemp("files"), np.random.default_rng(2)

    def saved(name: str, **arrays: np.ndarray) -> Recipe:
        np.savez(folder / name, **arrays)
        return file_recipe(folder / name)

    q, k = rng.standard_normal((2, 2, 5, 4))
    weights = np.exp(rng.standard_normal((2, 5, 5)))
    return {
        "toy": ToyRecipe("a b c a b", d_model=8, heads=2),
        "hand-made": HandMadeRecipe(),
        **{name: BoxRecipe(name) for name in RECORDINGS},
        "weights": saved("weights.npz", attention=weights / weights.sum(axis=-1, keepdims=True)),
        "vectors": saved("vectors.npz", q=q, k=k),
        "masked": saved("masked.npz", q=q, k=k, mask=causal_mask(5)),
    }


NAMES = ["toy", "hand-made", *RECORDINGS, "weights", "vectors", "masked"]


def said_of(heads: HeadsState) -> list[object]:
    """Return all that is said of a state: captions, titles, notes, descriptions and what exports write down."""
    frame, other = frame_to_show(heads.setup), other_frame(heads)
    comparison = compare_pictures(frame, other, heads.view)
    picture = large_picture(heads, frame, (64, 64))
    numbers = [map_numbers(frame, heads.view), wall_numbers(frame), difference_numbers(frame, other, heads.view)]
    return [
        source_words(frame),
        map_title(frame),
        frame.mask_words,
        description(frame, heads.view),
        [alt_text(heads.with_view(picture=kind)) for kind in (Picture.HEATMAP, Picture.LINES, Picture.COMPARE)],
        verdict(frame).title,
        verdict(frame).text,
        badges(frame, heads.view, picture) if heads.view.picture is Picture.HEATMAP else (),
        cell_words(frame, heads.view, 2, 1),
        arithmetic(frame, 2, 1),
        comparison.titles,
        comparison.words,
        [(offer.text, offer.tip) for offer in offers_for(frame, heads, comparison).buttons],
        [str({name: value for name, value in each.parameters.items() if name != "program"}) for each in numbers],
        is_changed(heads),
    ]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wish", WISHES)
def test_a_wish_is_spoken_of_where_it_alters_the_weights_and_nowhere_else(recipes, name, wish):
    recipe = recipes[name]
    lacks = source_of(recipe).traits.reason_against(Ability.MASKS if wish == "mask" else Ability.SCORES)
    plain = HeadsState(HeadsSetup(recipe), HeadsView(row=2, column=1), preset="")
    for others in COMBINED:
        without, with_it = (plain.with_setup(**{**others, wish: value}) for value in WISHES[wish])
        same = said_of(without) == said_of(with_it)
        alters = not np.array_equal(*(heads_frame(heads.setup).map.weights() for heads in (without, with_it)))
        if lacks:
            assert same
            assert not alters
        elif alters:
            assert not same


@pytest.mark.parametrize("name", RECORDINGS)
def test_what_is_compared_differs_in_no_wish(recipes, name):
    a, b = HeadsSetup(recipes[name]), HeadsSetup(recipes[name], **COMBINED[-1])
    heads = HeadsState(a, HeadsView(picture=Picture.COMPARE), b, preset="")
    picture = large_picture(heads, frame_to_show(a), (64, 64))
    assert picture.is_of_one_setup
    assert picture.titles == ("A: the same as B", "B: the same as A")
    offered = [offer.text for offer in offers_for(picture.frames[0], heads, picture).buttons]
    assert offered == ["head 2"]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_carried_out_is_carried_out_again_as_it_is(recipes, name):
    for wishes in COMBINED:
        once = resolved(HeadsSetup(recipes[name], **wishes))
        assert resolved(once) == once
        assert heads_frame(HeadsSetup(recipes[name], **wishes)).setup == once


# ---- B of a preset ----


@pytest.mark.parametrize("preset", ["minilm", "smollm2"])
@pytest.mark.parametrize("changes", [{"layer": 0, "head": 0}, {"aggregate": Aggregate.MEAN}])
def test_the_other_recording_of_a_preset_shows_the_same_head(preset, changes):
    walked = heads_preset(preset).state.with_setup(**changes)
    a, b = heads_frame(walked.setup), other_frame(walked)
    assert (a.layer, a.head, a.aggregate) == (b.layer, b.head, b.aggregate)
    picture = compare_pictures(a, b, walked.view)
    left, right = (frame.map.weights().astype(np.float64) for frame in (a, b))
    np.testing.assert_array_equal(picture.difference.values, left - right)  # twins: place by place
    assert not any("head" in title or "layer" in title for title in picture.titles)


def test_what_was_kept_by_hand_stays_where_it_is():
    ready = heads_preset("minilm").state
    kept = replace(ready, other=ready.setup).with_setup(layer=0, head=5)
    assert (other_frame(kept).layer, other_frame(kept).head) == (3, 1)
    assert kept_by_hand(kept) == ready.setup
    assert kept_by_hand(ready) is None
    assert loaded(heads_preset("causal"), kept).other == ready.setup
    assert loaded(heads_preset("causal"), ready).other is None


# ---- Rows without a choice ----


def saturated_frame(causal: bool) -> HeadsFrame:
    mask = MaskChoice(MaskKind.CAUSAL if causal else MaskKind.NONE)
    return heads_frame(HeadsSetup(ToyRecipe("a b c d e f", d_model=8, heads=1, seed=3), mask, temperature=0.02))


@pytest.mark.parametrize("causal", [True, False])
def test_rows_that_can_only_look_at_themselves_are_not_counted_and_that_is_said(causal):
    frame = saturated_frame(causal)
    weights = frame.map.weights()[1 if causal else 0 :]
    share = f"{np.mean(weights.max(axis=1) > 0.95):.0%}".replace("%", " %")
    which = "the rows that have a choice" if causal else "rows"
    assert f"{share} of {which} put more than 95 % on one key" in verdict(frame).text
