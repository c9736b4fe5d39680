"""Layers, heads and tokens are numbered from 1 or from 0, everywhere in the same way, and no number else changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import attention_explorer
from attention_explorer.core.counting import Count
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.alt_text import alt_text
from attention_explorer.pages.heads.export import map_numbers, wall_numbers
from attention_explorer.pages.heads.frame import frame_to_show, heads_frame
from attention_explorer.pages.heads.presets import has_own_other, heads_preset, is_changed
from attention_explorer.pages.heads.reading import column_reading, reading_table, row_reading
from attention_explorer.pages.heads.recorded import heads_of_file
from attention_explorer.pages.heads.state import Aggregate
from attention_explorer.pages.heads.verdict import verdict
from attention_explorer.pages.heads.wording import arithmetic, cell_words, description, map_title
from attention_explorer.pages.registry import PAGE_IDS, find_preset, in_view, preset_ids
from attention_explorer.pages.session_file import session_bytes, session_from

NUMBERED = re.compile(r"\b(?:layer|head|token) (\d+)|[”\u2069] \((\d+)\)|\b[qk]([₀-₉]+)", re.IGNORECASE)
"""Layers, heads and tokens by their number: “layer 4”, “it” (8), q₈."""

UNDER = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

FIGURES = [("heads", preset, "picture") for preset in ("minilm", "smollm2", "random-words", "stacked", "pipeline")]
FIGURES += [("heads", "stacked", "wall"), ("heads", "minilm", "wall"), ("positions", "alibi", "picture")]
FIGURES += [("block", preset, "picture") for preset in preset_ids("block")]
FIGURES += [("cost", preset, "picture") for preset in preset_ids("cost") if preset != "measure"]


def numbers_in(text: str) -> list[int]:
    """Return the numbers of layers, heads and tokens in a text, as they come."""
    return [int("".join(found).translate(UNDER)) for found in NUMBERED.findall(text)]


def one_less(text: str) -> str:
    """Return a text with those numbers each one less."""

    def renumbered(found: re.Match[str]) -> str:
        number = str(int("".join(filter(None, found.groups())).translate(UNDER)) - 1)
        under = number.translate({new: old for old, new in UNDER.items()})
        return re.sub(r"\d+", number, re.sub("[₀-₉]+", under, found[0]))

    return NUMBERED.sub(renumbered, text)


@pytest.mark.parametrize(("count", "first"), [(Count.FROM_ONE, 1), (Count.FROM_ZERO, 0)])
def test_numbers_and_indices_are_each_other_s_inverse(count: Count, first: int) -> None:
    assert [count.number(index) for index in range(3)] == [first, first + 1, first + 2]
    assert [count.index_of(count.number(index)) for index in range(3)] == [0, 1, 2]
    assert count.place(6, 2) == f"layer {6 + first}, head {2 + first}"
    assert count.token("it", 7) == f"“it” ({7 + first})"
    assert count.span(2, 9) == f"{2 + first} to {8 + first}"
    assert count.all_of(2) == (str(first), str(first + 1))


@pytest.fixture(params=["minilm", "smollm2", "stacked", "hand-made", "multi-head", "causal"])
def both(request: pytest.FixtureRequest) -> tuple[ExplorerState, ExplorerState]:
    state = find_preset(request.param, "heads").state
    return state, state.counted(Count.FROM_ZERO)


def said_of(state: ExplorerState) -> Iterator[str]:
    """Yield what is said of the Heads page with a cell pinned, of one head and of several."""
    for aggregate in Aggregate:
        heads = state.heads.with_setup(aggregate=aggregate).with_view(row=5, column=3)
        frame = frame_to_show(heads.setup)
        yield from (map_title(frame), cell_words(frame, heads.view, 5, 3), description(frame, heads.view))
        yield from (verdict(frame).title, verdict(frame).text, row_reading(frame, 5).title)
        yield from (step.name for step in arithmetic(frame, 5, 3))
        yield column_reading(frame, 3).title
        yield alt_text(heads).replace("counted from 0", "counted from 1")


def test_everything_said_counts_in_the_same_way(both: tuple[ExplorerState, ExplorerState]) -> None:
    from_one, from_zero = map(list, map(said_of, both))
    assert sum(len(numbers_in(text)) for text in from_one) > 8
    assert [one_less(text) for text in from_one] == from_zero


def test_the_numbers_that_are_computed_stay_as_they_are(both: tuple[ExplorerState, ExplorerState]) -> None:
    frames = [heads_frame(state.heads.setup) for state in both]
    assert frames[0].layers is frames[1].layers
    np.testing.assert_array_equal(*(frame.map.weights() for frame in frames))
    rows = [reading_table(frame, row_reading(frame, 5))[1] for frame in frames]
    assert [(token, place - 1, *numbers) for token, place, *numbers in rows[0]] == rows[1]
    assert not is_changed(both[1].heads)
    assert has_own_other(both[0].heads) == has_own_other(both[1].heads)


def test_exports_say_how_they_count(both: tuple[ExplorerState, ExplorerState]) -> None:
    found = [map_numbers(heads_frame(state.heads.setup), state.heads.view).parameters["settings"] for state in both]
    assert [each["head"] - each["counted_from"] for each in found] == [both[0].heads.setup.head] * 2
    assert [each["layer"] - each["counted_from"] for each in found] == [both[0].heads.setup.layer] * 2
    assert [each.pop("counted_from") for each in found] == [1, 0]
    headings = [wall_numbers(heads_frame(state.heads.setup)).table.header[0] for state in both]
    assert headings == ["head (from 1)", "head (from 0)"]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("page", "preset", "what"), FIGURES)
def test_figures_count_as_they_are_asked_to(page: str, preset: str, what: str) -> None:
    drawn = [
        attention_explorer.render(preset, page=page, what=what, format="svg", from_zero=from_zero, caption=False)
        for from_zero in (False, True)
    ]
    texts = [" ".join(re.findall(r">([^<]+)<", data.decode())) for data in drawn]
    from_one, from_zero = map(numbers_in, texts)
    assert [number - 1 for number in from_one] == from_zero
    assert 0 not in from_one


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("from_zero", [False, True])
@pytest.mark.parametrize(("preset", "what"), [("minilm", "picture"), ("minilm", "wall"), ("stacked", "wall")])
def test_a_caption_says_from_where_a_head_is_counted(preset: str, what: str, from_zero: bool) -> None:
    drawn = attention_explorer.render(preset, page="heads", what=what, format="svg", from_zero=from_zero).decode()
    said = " ".join(re.findall(r">([^<]+)<", drawn)).replace("\n", "")
    assert re.search(rf"layers\s+and\s+heads\s+counted\s+from\s+{int(not from_zero)}\.", said)


def test_tokens_without_words_are_their_numbers(tmp_path) -> None:
    np.save(tmp_path / "weights.npy", np.full((2, 3, 3), 1 / 3))
    state = ExplorerState(heads=heads_of_file(tmp_path / "weights.npy"))
    for count, names in ((Count.FROM_ONE, ("1", "2", "3")), (Count.FROM_ZERO, ("0", "1", "2"))):
        frame = heads_frame(state.counted(count).heads.setup)
        assert frame.queries == frame.keys == names
        assert frame.exact_tokens == (names, names)


def test_a_session_keeps_how_it_counts_and_that_alone_is_no_page_in_view() -> None:
    state = ExplorerState().counted(Count.FROM_ZERO)
    assert session_from(session_bytes(state), "a file").state == state
    assert in_view(state)[0] == PAGE_IDS[0]
    assert state.counted(Count.FROM_ONE) == ExplorerState()
    kept = replace(state, heads=heads_preset("minilm").state)
    assert in_view(kept.counted(Count.FROM_ZERO))[0] == "heads"
