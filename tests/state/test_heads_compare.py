"""Two setups side by side: their difference, compared with a subtraction, and the words for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.model import Stage, causal_mask, strictly_causal_mask
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import Encoding, GainKind, Projections, ToyRecipe
from attention_explorer.state.colour_scale import Contrast
from attention_explorer.state.heads import compare as heads_compare
from attention_explorer.state.heads.compare import compare_pictures
from attention_explorer.state.heads.differences import what_differs
from attention_explorer.state.heads.frame import heads_frame
from attention_explorer.state.heads.state import Aggregate, HeadsSetup, HeadsView, Hidden, MaskChoice, MaskKind

SIX = ToyRecipe(sentence="The cat sat on the mat")
CAUSAL, STRICT = MaskChoice(MaskKind.CAUSAL), MaskChoice(MaskKind.STRICT)


@pytest.mark.parametrize("rows_at_once", [1, 4, 100])
def test_the_difference_of_weights(monkeypatch: pytest.MonkeyPatch, rows_at_once: int) -> None:
    monkeypatch.setattr(heads_compare, "rows_of_a_block", lambda _: rows_at_once)
    a, b = heads_frame(HeadsSetup(SIX, mask=STRICT)), heads_frame(HeadsSetup(SIX, head=4, mask=CAUSAL))
    result = compare_pictures(a, b, HeadsView())
    expected = a.map.weights() - b.map.weights()  # masked weights are 0
    assert result.difference is not None
    hidden = ~(causal_mask(6) | strictly_causal_mask(6))
    np.testing.assert_array_equal(result.difference.masked, hidden)
    np.testing.assert_allclose(result.difference.values[~hidden], expected[~hidden], rtol=0, atol=1e-15)
    largest, mean = np.abs(expected).max(), np.abs(expected)[~hidden].mean()
    assert result.difference.scale.is_diverging
    assert (result.difference.scale.low, result.difference.scale.high) == pytest.approx((-largest, largest))
    assert result.words == (f"Largest absolute difference of a weight: {largest:.4g}; mean: {mean:.4g}, over 21 cells.")
    assert result.all_titles == ("A: head 1, strictly causal", "B: head 5, causal", "A − B")


def test_a_masked_score_has_no_difference() -> None:
    a, b = heads_frame(HeadsSetup(SIX)), heads_frame(HeadsSetup(SIX, head=4, mask=CAUSAL))
    result = compare_pictures(a, b, HeadsView(stage=Stage.MASKED))
    assert result.difference is not None
    np.testing.assert_array_equal(result.difference.masked, ~causal_mask(6))
    seen = causal_mask(6)
    expected = a.head_map.scores(stage=Stage.SCALED) - b.head_map.scores(stage=Stage.SCALED)
    np.testing.assert_allclose(result.difference.values[seen], expected[seen], rtol=1e-12)
    assert "of a score" in result.words


@pytest.mark.parametrize("contrast", list(Contrast))
def test_both_maps_have_one_scale_up_to_the_larger_end(contrast: Contrast) -> None:
    a, b = heads_frame(HeadsSetup(SIX, temperature=5.0)), heads_frame(HeadsSetup(SIX, temperature=0.2))
    result = compare_pictures(a, b, HeadsView(contrast=contrast))
    swapped = compare_pictures(b, a, HeadsView(contrast=contrast))
    assert result.a.scale == result.b.scale == swapped.a.scale
    largest = max(a.map.weights().max(), b.map.weights().max())
    expected = {
        Contrast.MAX: largest,
        Contrast.ROW: largest,  # rows scaled one by one could not be compared
        Contrast.PERCENTILE: max(np.percentile(frame.map.weights(), 98) for frame in (a, b)),
    }
    assert result.a.scale.high == pytest.approx(expected.get(contrast, 1.0))
    scores = compare_pictures(a, b, HeadsView(contrast=contrast, stage=Stage.SCORES))
    assert scores.a.scale.high == scores.b.scale.high == np.abs(a.head_map.scores()).max()


def test_maps_of_different_sizes_cannot_be_subtracted() -> None:
    a, b = heads_frame(HeadsSetup()), heads_frame(HeadsSetup(ToyRecipe(sentence="one two three")))
    result = compare_pictures(a, b, HeadsView())
    assert result.difference is None
    assert result.words == "A has 11 × 11 cells, B has 3 × 3: only maps of the same size can be subtracted."
    assert [picture.cells for picture in result.pictures] == [(11, 11), (3, 3)]
    assert len(result.all_titles) == 2


def test_where_one_has_no_scores_both_show_weights() -> None:
    a, b = heads_frame(HeadsSetup(SIX)), heads_frame(HeadsSetup(SIX, aggregate=Aggregate.MEAN))
    result = compare_pictures(a, b, HeadsView(stage=Stage.SCALED))
    np.testing.assert_array_equal(result.a.values, a.map.weights())
    assert "of a weight" in result.words


def test_hidden_keys_stay_hidden() -> None:
    a, b = heads_frame(HeadsSetup(SIX)), heads_frame(HeadsSetup(SIX, head=1))
    result = compare_pictures(a, b, HeadsView(hidden=Hidden.FIRST))
    assert result.difference is not None
    assert result.difference.masked[:, 0].all()
    assert not result.difference.masked[:, 1:].any()
    rest = [frame.map.weights()[:, 1:] for frame in (a, b)]
    expected = np.subtract(*(part / part.sum(axis=1, keepdims=True) for part in rest))
    np.testing.assert_allclose(result.difference.values[:, 1:], expected, rtol=1e-9, atol=1e-15)
    assert "over 30 cells" in result.words


def test_a_key_that_is_hidden_in_one_map_only_counts_as_0_there() -> None:
    a, b = (heads_frame(HeadsSetup(ToyRecipe(sentence=words, d_model=8, heads=1))) for words in ("a , c", "a b c"))
    found = compare_pictures(a, b, HeadsView(hidden=Hidden.PUNCTUATION)).difference
    assert found is not None
    assert not found.masked.any()
    np.testing.assert_array_equal(found.values[:, 1], -b.map.weights()[:, 1])


def test_tiles_show_the_difference_furthest_from_zero_and_words_know_all_cells() -> None:
    words = " ".join(f"word{i}" for i in range(20))
    a, b = (heads_frame(HeadsSetup(ToyRecipe(sentence=words, seed=seed))) for seed in (1, 2))
    result = compare_pictures(a, b, HeadsView(), (5, 4))
    assert result.difference is not None
    tiles = (a.map.weights() - b.map.weights()).reshape(5, 4, 4, 5).transpose(0, 2, 1, 3).reshape(5, 4, 20)
    furthest = np.take_along_axis(tiles, np.abs(tiles).argmax(axis=2)[..., None], axis=2)[..., 0]
    np.testing.assert_allclose(result.difference.values, furthest, rtol=1e-12)
    assert f"mean: {np.abs(tiles).mean():.4g}, over 400 cells" in result.words


def test_the_same_setup_twice() -> None:
    frame = heads_frame(HeadsSetup(SIX))
    result = compare_pictures(frame, frame, HeadsView())
    assert result.words.startswith("A and B are the same setup. Largest absolute difference of a weight: 0;")
    assert result.difference is not None
    assert not result.difference.values.any()


BASE = HeadsSetup(SIX)
HAND = HandMadeRecipe("The cat sat on the mat")
LONG = "a sentence of many words that goes on and on and ends with"


@pytest.mark.parametrize(
    ("a", "b", "titles"),
    [
        (BASE, BASE, ("A: the same as B", "B: the same as A")),
        (replace(BASE, head=2), replace(BASE, head=4, mask=CAUSAL), ("A: head 3", "B: head 5, causal")),
        (BASE, replace(BASE, mask=MaskChoice(MaskKind.WINDOW, 4)), ("A: no mask", "B: window 4")),
        (
            replace(BASE, mask=CAUSAL),
            replace(BASE, mask=replace(CAUSAL, hidden=frozenset({(1, 0)}), shown=frozenset({(0, 3), (0, 4)}))),
            ("A: causal", "B: causal, 1 cell hidden by hand, 2 cells shown by hand"),
        ),
        (  # as many cells, but other ones
            replace(BASE, mask=MaskChoice(hidden=frozenset({(0, 3)}))),
            replace(BASE, mask=MaskChoice(hidden=frozenset({(1, 3)}))),
            ("A: 1 cell hidden by hand (row 1, key 4)", "B: 1 cell hidden by hand (row 2, key 4)"),
        ),
        (BASE, replace(BASE, scaled=False, temperature=0.5), ("A: scaled, T = 1", "B: not scaled, T = 0.5")),
        (BASE, replace(BASE, hard=True), ("A: soft", "B: hard")),
        (  # hard attention knows no temperature: the numbers are the same
            replace(BASE, hard=True),
            replace(BASE, hard=True, temperature=2.0),
            ("A: the same as B", "B: the same as A"),
        ),
        (
            replace(BASE, recipe=replace(SIX, layers=2)),
            replace(BASE, recipe=replace(SIX, layers=2), layer=1),
            ("A: layer 1, head 1", "B: layer 2, head 1"),
        ),
        (  # a wish for what there is not: both show the only layer
            BASE,
            replace(BASE, layer=3),
            ("A: the same as B", "B: the same as A"),
        ),
        (  # one layer has no number
            BASE,
            replace(BASE, recipe=replace(SIX, layers=3), layer=2),
            ("A: head 1, 1 layer", "B: layer 3, head 1, 3 layers"),
        ),
        (
            BASE,
            replace(BASE, head=99),
            ("A: head 1", f"B: head {SIX.heads}"),
        ),
        (BASE, replace(BASE, aggregate=Aggregate.MEAN), ("A: head 1", "B: mean of heads")),
        (  # a mean has no head
            replace(BASE, aggregate=Aggregate.MEAN),
            replace(BASE, aggregate=Aggregate.MEAN, head=3, switched_off=frozenset({(0, 1), (0, 4)})),
            ("A: all heads on", "B: without heads 2 and 5"),
        ),
        (
            replace(BASE, aggregate=Aggregate.ROLLOUT),
            replace(BASE, aggregate=Aggregate.ROLLOUT, layer=2, identity=False),
            ("A: with identity", "B: without identity"),
        ),
        (replace(BASE, recipe=HAND), replace(BASE, recipe=HAND, head=1), ("A: previous token", "B: first token")),
        (BASE, replace(BASE, recipe=replace(SIX, seed=7)), ("A: seed 42", "B: seed 7")),
        (
            BASE,
            replace(BASE, recipe=replace(SIX, gain_kind=GainKind.NUMBER)),
            ("A: gain 1/√d_model", "B: gain 0.3"),
        ),
        (
            BASE,
            replace(BASE, recipe=replace(SIX, projections=Projections.TIED, encoding=Encoding.SINUSOIDAL)),
            ("A: random projections, no positions", "B: tied projections, sinusoidal positions"),
        ),
        (
            BASE,
            replace(BASE, recipe=replace(SIX, context="le chat")),
            ("A: on itself", "B: on “le chat”"),
        ),
        (
            HeadsSetup(ToyRecipe(sentence=f"{LONG} this")),
            HeadsSetup(ToyRecipe(sentence=f"{LONG} that")),
            ("A: “… this”", "B: “… that”"),
        ),
    ],
)
def test_what_differs_names_that_and_nothing_else(a: HeadsSetup, b: HeadsSetup, titles: tuple[str, str]) -> None:
    assert what_differs(a, b) == titles
    if titles[0] != "A: the same as B":
        titles = tuple(f"{letter}{title[1:]}" for letter, title in zip("AB", reversed(titles), strict=True))
    assert what_differs(b, a) == titles
