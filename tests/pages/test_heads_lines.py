"""The links of the line view, compared with a loop that follows the definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.core.map_picture import Window
from attention_explorer.errors import ArrayError, ExplorerError
from attention_explorer.model import ArrayMap, Stage
from attention_explorer.pages.heads import lines as heads_lines
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.lines import line_legend, line_links, line_picture
from attention_explorer.pages.heads.state import HeadsSetup, HeadsView, Hidden, MaskChoice, MaskKind
from attention_explorer.sources.recipe import ToyRecipe


def by_definition(weights: np.ndarray, mass: float) -> set[tuple[int, int]]:
    """Take keys in falling order of weight, the first of equal ones first, until they hold the share."""
    taken = set()
    for i, row in enumerate(weights.tolist()):
        held = 0.0
        for j in sorted(range(len(row)), key=lambda j: (-row[j], j)):
            if row[j] == 0.0 or held > mass * sum(row) * (1 - 1e-6):
                break
            taken.add((i, j))
            held += row[j]
            if abs(held - mass * sum(row)) < 1e-6 * sum(row) and mass < 1:
                break
    return taken


def pairs(links: heads_lines.Links) -> set[tuple[int, int]]:
    return set(zip(links.row.tolist(), links.column.tolist(), strict=True))


@given(
    st.integers(0, 10_000), st.integers(1, 7), st.integers(1, 9), st.sampled_from([0.01, 0.3, 0.5, 0.77, 0.9, 0.999])
)
@settings(max_examples=60, deadline=None)
def test_links_are_those_of_the_definition(seed: int, n_q: int, n_k: int, mass: float) -> None:
    stream = np.random.default_rng(seed)
    weights = stream.integers(0, 4, (n_q, n_k)).astype(float) + stream.random((n_q, 1)) * (seed % 2)
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)
    links = line_links(ArrayMap(weights), range(n_q), range(n_k), mass)
    assert pairs(links) == by_definition(weights, mass)
    np.testing.assert_array_equal(links.weight, weights[links.row, links.column])
    assert (np.diff(links.weight) >= 0).all()
    assert links.empty_rows == tuple(np.flatnonzero(weights.sum(axis=1) == 0).tolist())


def test_all_of_the_mass_is_every_key_with_any_weight() -> None:
    weights = np.array([[0.5, 0.0, 0.5 - 1e-12, 1e-12], [0.0, 1.0, 0.0, 0.0]])
    assert pairs(line_links(ArrayMap(weights), range(2), range(4), 1.0)) == {(0, 0), (0, 2), (0, 3), (1, 1)}


def test_rounding_takes_no_further_key() -> None:
    weights = np.array([[0.6, 0.3, 0.1]], np.float32)  # 0.6 + 0.3 is a little more or less than 0.9
    assert pairs(line_links(ArrayMap(weights), range(1), range(3), 0.9)) == {(0, 0), (0, 1)}


def test_links_out_of_view_are_counted_and_keep_their_share() -> None:
    weights = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    links = line_links(ArrayMap(weights), range(1, 3), range(2), 0.75)
    assert pairs(links) == {(1, 1), (2, 0)}
    assert links.out_of_view == 1  # (2, 2): 0.6 of 0.75; of the equal keys that follow the first is taken
    assert links.left_out == 0


@pytest.mark.parametrize("rows_at_once", [1, 2, 3, 100])
def test_the_most_are_kept_by_query_first(monkeypatch: pytest.MonkeyPatch, rows_at_once: int) -> None:
    monkeypatch.setattr(heads_lines, "rows_of_a_block", lambda _: rows_at_once)
    weights = np.array([[0.4, 0.35, 0.25, 0.0], [0.97, 0.01, 0.01, 0.01], [0.3, 0.3, 0.2, 0.2], [0.0, 0.0, 0.0, 0.0]])
    links = line_links(ArrayMap(weights), range(4), range(4), 1.0, most=5)
    assert pairs(links) == {(0, 0), (1, 0), (2, 0), (0, 1), (2, 1)}
    assert links.left_out == 11 - 5
    assert links.empty_rows == (3,)
    fewer = line_links(ArrayMap(weights), range(4), range(4), 1.0, most=2)
    assert pairs(fewer) == {(0, 0), (1, 0)}  # the strongest of the strongest


def test_bad_requests_say_what_was_wrong() -> None:
    map_ = ArrayMap(np.eye(3))
    for mass in (0.0, -0.5, 1.5, float("nan")):
        with pytest.raises(ExplorerError, match="above 0 and at most 1"):
            line_links(map_, range(3), range(3), mass)
    with pytest.raises(ArrayError, match=r"rows is range\(0, 4\)"):
        line_links(map_, range(4), range(3), 0.9)
    with pytest.raises(ArrayError, match="columns is"):
        line_links(map_, range(3), range(0, 3, 2), 0.9)


def test_a_picture_has_the_tokens_in_view_and_leaves_hidden_keys_out() -> None:
    frame = heads_frame(HeadsSetup(ToyRecipe(sentence="The cat sat on the mat.")))
    picture = line_picture(frame, HeadsView(mass=1.0, hidden=Hidden.FIRST), Window(2, 5, 0, 4))
    assert (picture.row_tokens, picture.first_row) == (("sat", "on", "the"), 2)
    assert (picture.column_tokens, picture.first_column) == (("The", "cat", "sat", "on"), 0)
    assert set(picture.links.row.tolist()) == {2, 3, 4}
    assert set(picture.links.column.tolist()) == {1, 2, 3}
    weights = frame.map.weights()[:, 1:]
    weights /= weights.sum(axis=1, keepdims=True)
    expected = weights[picture.links.row, picture.links.column - 1]
    np.testing.assert_allclose(picture.links.weight, expected, rtol=1e-12)


def test_hidden_keys_are_not_called_nothing_and_the_share_is_that_of_the_rest() -> None:
    frame = heads_frame(HeadsSetup(ToyRecipe(sentence="The cat sat"), mask=MaskChoice(MaskKind.CAUSAL)))
    picture = line_picture(frame, HeadsView(mass=0.9, hidden=Hidden.FIRST, stage=Stage.SCALED))
    assert frame.map.weights()[0, 0] == 1.0
    assert (picture.links.empty_rows, picture.links.hidden_rows) == ((), (0,))
    said = "lines: the strongest keys of each query, together at least 90 % of what is left of its weight"
    assert line_legend(picture) == said
    assert line_legend(picture, notes_drawn=False) == f"{said}; all that 1 query attends to is hidden"
    assert "every key that is not hidden" in line_legend(replace(picture, mass=1.0))
    strict = heads_frame(HeadsSetup(ToyRecipe(sentence="The cat sat"), mask=MaskChoice(MaskKind.STRICT)))
    links = line_picture(strict, HeadsView(hidden=Hidden.FIRST)).links
    assert (links.empty_rows, links.hidden_rows) == ((0,), (1,)), "The sees nothing, cat only The"


def test_the_legend_says_what_is_not_drawn() -> None:
    frame = heads_frame(HeadsSetup(ToyRecipe(sentence="The cat sat"), mask=MaskChoice(MaskKind.STRICT)))
    picture = line_picture(frame, HeadsView(mass=0.9))
    said = "lines: the strongest keys of each query, together at least 90 % of its weight"
    assert line_legend(picture) == said
    assert line_legend(picture, notes_drawn=False) == f"{said}; 1 query has nothing to attend to"
    crowded = replace(picture, links=replace(picture.links, left_out=12345, out_of_view=7))
    assert line_legend(crowded) == f"{said}; 12\u00a0345 weaker ones are left out; 7 lead to keys out of view"
    assert "every key" in line_legend(replace(picture, mass=1.0))
