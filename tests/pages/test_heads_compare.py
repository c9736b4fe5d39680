"""Two setups side by side: their difference, compared with a subtraction, and the words for it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.core.map_picture import Contrast
from attention_explorer.core.numerals import scientific
from attention_explorer.model import Stage, causal_mask, strictly_causal_mask
from attention_explorer.model.pooling import tile_bounds
from attention_explorer.pages.heads import aligned
from attention_explorer.pages.heads.compare import compare_pictures, compared_sources, what_differs
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsView, Hidden, MaskChoice, MaskKind
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import Encoding, GainKind, Projections, ToyRecipe
from attention_explorer.sources.source import Recipe

SIX = ToyRecipe(sentence="The cat sat on the mat")
CAUSAL, STRICT = MaskChoice(MaskKind.CAUSAL), MaskChoice(MaskKind.STRICT)


@pytest.mark.parametrize("rows_at_once", [1, 4, 100])
def test_the_difference_of_weights(monkeypatch: pytest.MonkeyPatch, rows_at_once: int) -> None:
    monkeypatch.setattr(aligned, "rows_of_a_block", lambda _: rows_at_once)
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


CROSS = HandMadeRecipe("le chat dort", "The cat sleeps on the mat")
PAIRS = {  # two recipes, and which rows and columns of A and of B belong together
    "a word more": (
        ToyRecipe(sentence="The cat sat"),
        ToyRecipe(sentence="The big cat sat"),
        [(0, 0), (None, 1), (1, 2), (2, 3)],
        [(0, 0), (None, 1), (1, 2), (2, 3)],
    ),
    "another word": (
        ToyRecipe(sentence="The cat sat"),
        ToyRecipe(sentence="The dog sat"),
        [(0, 0), (1, 1), (2, 2)],
        [(0, 0), (1, 1), (2, 2)],
    ),
    "another word at another place": (
        ToyRecipe(sentence="The cat sat"),
        ToyRecipe(sentence="dog The sat"),
        [(None, 0), (0, 1), (1, None), (2, 2)],
        [(None, 0), (0, 1), (1, None), (2, 2)],
    ),
    "cross-attention": (
        CROSS,
        replace(CROSS, sentence="le gros chat dort", context="The cat sleeps on a mat"),
        [(0, 0), (None, 1), (1, 2), (2, 3)],
        [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)],
    ),
    "on itself and on another": (
        ToyRecipe(sentence="The cat sat"),
        ToyRecipe(sentence="The cat sat", context="cat sat down"),
        [(0, 0), (1, 1), (2, 2)],
        [(0, None), (1, 0), (2, 1), (None, 2)],
    ),
}


@pytest.mark.parametrize("stage", [Stage.SCALED, Stage.MASKED, Stage.WEIGHTS])
@pytest.mark.parametrize("mask", [MaskChoice(), MaskChoice(MaskKind.WINDOW, 2)])
@pytest.mark.parametrize("name", PAIRS)
def test_maps_of_two_sentences_are_compared_token_by_token(name: str, mask: MaskChoice, stage: Stage) -> None:
    first, second, rows, columns = PAIRS[name]
    a, b = (heads_frame(HeadsSetup(recipe, mask=mask, head=head)) for recipe, head in ((first, 2), (second, 1)))
    result = compare_pictures(a, b, HeadsView(stage=stage))
    numbers, seen = np.full((3, len(rows), len(columns)), np.nan), []
    for (i, row), (j, column) in itertools.product(enumerate(rows), enumerate(columns)):
        sides = []
        for side, frame in enumerate((a, b)):
            if row[side] is None or column[side] is None:
                continue
            cell = np.s_[row[side] : row[side] + 1], np.s_[column[side] : column[side] + 1]
            is_seen = stage is Stage.SCALED or bool(frame.map.allowed(*cell)[0, 0])
            sides.append((frame.map.stage(stage, *cell)[0, 0], is_seen))
            if is_seen:
                numbers[side, i, j] = sides[-1][0]
        enough = any if stage is Stage.WEIGHTS else all  # a masked weight is 0, a masked score is no number
        if len(sides) == 2 and enough(is_seen for _, is_seen in sides):
            numbers[2, i, j] = sides[0][0] - sides[1][0]
            seen.append(abs(numbers[2, i, j]))
    for picture, expected, absent in zip(result.pictures, numbers, absent_of(rows, columns), strict=True):
        found = np.where(picture.masked, np.nan, picture.values)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(picture.absent_tiles, absent)
        assert picture.row_tokens == tuple(named(a.queries, b.queries, *pair) for pair in rows)
        assert picture.column_tokens == tuple(named(a.keys, b.keys, *pair) for pair in columns)
    what = "weight" if stage is Stage.WEIGHTS else "score"
    of_all = not any(None in pair for pair in (*rows, *columns))
    assert result.words == (
        f"Largest absolute difference of a {what}: {scientific(max(seen))}; mean: {scientific(np.mean(seen))}, over "
        f"{len(seen)} cells{'' if of_all else ' that both have'}."
    )


def named(a: tuple[str, ...], b: tuple[str, ...], i: int | None, j: int | None) -> str:
    """Return what stands beside a row or column of A, of B, or of both."""
    words = dict.fromkeys(([] if i is None else [a[i]]) + ([] if j is None else [b[j]]))
    return " | ".join(words)


def absent_of(rows: list[tuple[int | None, int | None]], columns: list[tuple[int | None, int | None]]) -> np.ndarray:
    """Return which cells A, B and their difference do not have, (3, m_q, m_k)."""
    lacks = [[[each[side] is None for each in axis] for side in (0, 1)] for axis in (rows, columns)]
    a, b = (np.logical_or.outer(lacks[0][side], lacks[1][side]) for side in (0, 1))
    return np.array([a, b, a | b])


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("The cat sat", "The big cat sat", "Only in B: “big”."),
        ("The cat sat", "dog The sat", "Only in A: “cat”; only in B: “dog”."),
        ("The cat sat", "The dog sat", "Compared by place: “cat” with “dog”."),
        ("The a b c d e", "The f g h i j", "Compared by place: 5 tokens differ."),
        (CROSS, replace(CROSS, context="The cat sleeps on a mat"), "Compared by place: keys “the” with “a”."),
        ("p q r s t end", "end", "Only in A: 5 tokens."),
        (CROSS, replace(CROSS, context="The cat sleeps"), "Only in A: keys “on” “the” “mat”."),
        (
            CROSS,
            replace(CROSS, sentence="le gros chat dort", context="The fat cat sleeps on the mat"),
            "Only in B: queries “gros”, keys “fat”.",
        ),
    ],
)
def test_what_only_one_has_is_said(a: str | Recipe, b: str | Recipe, said: str) -> None:
    frames = (heads_frame(HeadsSetup(ToyRecipe(sentence=r) if isinstance(r, str) else r)) for r in (a, b))
    assert compare_pictures(*frames, HeadsView()).spoken.startswith(f"{said} Largest absolute difference")


@pytest.mark.parametrize(
    ("a", "b", "what"),
    [
        (ToyRecipe(sentence="The cat"), ToyRecipe(sentence="one two three"), "token"),
        (ToyRecipe(sentence="The cat", context="a b"), ToyRecipe(sentence="The cat", context="c"), "key"),
        (ToyRecipe(sentence="The cat", context="a b"), ToyRecipe(sentence="A dog", context="a b"), "query"),
    ],
)
def test_without_a_common_token_there_is_no_difference(a: ToyRecipe, b: ToyRecipe, what: str) -> None:
    frames = heads_frame(HeadsSetup(a)), heads_frame(HeadsSetup(b))
    result = compare_pictures(*frames, HeadsView())
    assert result.difference is None
    assert result.words.startswith(f"A and B have no {what} in common")
    assert len(result.all_titles) == len(result.pictures) == 2
    for frame, picture in zip(frames, result.pictures, strict=True):
        own = picture.values[~picture.masked].reshape(frame.shape)
        np.testing.assert_array_equal(own, frame.map.weights())


@pytest.mark.parametrize("tiles", [(5, 4), (3, 9), (40, 40)])
def test_tiles_of_two_sentences_are_absent_where_all_their_tokens_are(tiles: tuple[int, int]) -> None:
    words = [f"w{i}" for i in range(30)]
    a, b = (heads_frame(HeadsSetup(ToyRecipe(sentence=" ".join(each)))) for each in (words, [*words[:7], *words[19:]]))
    result = compare_pictures(a, b, HeadsView(), tiles)
    assert result.difference is not None
    lacks = np.isin(np.arange(30), np.arange(7, 19))
    whole = np.full((30, 30), np.nan)
    whole[np.ix_(~lacks, ~lacks)] = a.map.weights()[np.ix_(~lacks, ~lacks)] - b.map.weights()
    bounds = [tile_bounds(30, most) for most in tiles]
    for i, j in np.ndindex(*result.difference.values.shape):
        rows, columns = (slice(edges[at], edges[at + 1]) for edges, at in zip(bounds, (i, j), strict=True))
        tile = whole[rows, columns]
        assert result.difference.absent_tiles[i, j] == (lacks[rows].all() or lacks[columns].all())
        assert result.difference.masked[i, j] == np.isnan(tile).all()
        if not np.isnan(tile).all():
            furthest = tile.flat[np.nanargmax(np.abs(tile))]
            assert result.difference.values[i, j] == pytest.approx(furthest, rel=1e-9)


def test_sources_and_masks_are_said_once_where_they_are_the_same() -> None:
    a, b = HeadsSetup(SIX, mask=CAUSAL), HeadsSetup(SIX, mask=CAUSAL, head=3)
    random = "random weights, d_model 64, d_k 8, seed 42"
    hand = replace(b, recipe=HAND, head=0)
    for first, second, said in (
        (a, b, (random, "mask: causal")),
        (a, replace(b, mask=STRICT), (random, "mask of A: causal", "mask of B: strictly causal")),
        (a, hand, (f"A: {random}", "B: hand-made heads, not learned", "mask: causal")),
        (replace(a, mask=MaskChoice()), b, (random, "mask of B: causal")),
    ):
        assert compared_sources(compare_pictures(heads_frame(first), heads_frame(second), HeadsView())) == said


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
    a, b = (heads_frame(HeadsSetup(ToyRecipe(sentence=words, d_model=8, heads=1))) for words in ("a b", "c a b"))
    found = compare_pictures(a, b, HeadsView(hidden=Hidden.FIRST)).difference
    assert found is not None
    np.testing.assert_array_equal(found.absent_tiles, [[True] * 3, [True, False, False], [True, False, False]])
    np.testing.assert_array_equal(found.masked, found.absent_tiles)
    rest = b.map.weights()[1:, 1:]
    np.testing.assert_allclose(found.values[1:, 1], -rest[:, 0] / rest.sum(axis=1), rtol=1e-12)


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
