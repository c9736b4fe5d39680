"""Why ÷√d on the Lab page: two histograms, the bracket that is dragged, words, files, and nothing told too early."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from picture_on_canvas import PictureOnCanvas, says
from PySide6.QtCore import QPointF, Qt

from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.plot_marks import Handle
from attention_explorer.model.score_draws import EntryDistribution, ScoreSource
from attention_explorer.model.softmax import softmax
from attention_explorer.pages.lab.score_rows import score_pieces
from attention_explorer.pages.lab.scores import FIRST_ROWS, scores_numbers, scores_picture
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.lab.ui.why import END, MAPS, Why

FEW = ScalingState(draws=300)
STATES = {
    "drawn": FEW,
    "raw": replace(FEW, d_k=512, scaled=False),
    "held": replace(FEW, d_k=512, axis_d_k=64),
    "peaked": replace(FEW, d_k=2),
    "apart": replace(FEW, shared_axis=False),
    "with oneself": replace(FEW, source=ScoreSource.EMBEDDINGS, d_k=512, scaled=False),
    "signs": replace(FEW, keys=1, d_k=1, distribution=EntryDistribution.SIGNS),
    "projected": replace(FEW, source=ScoreSource.PROJECTED, gain=1.0, d_model=8),
}


@pytest.fixture
def show(qtbot: Any, hand: Any) -> Any:
    return lambda state: PictureOnCanvas(qtbot, hand, Why(), state)


def end_of(shown: PictureOnCanvas) -> QPointF:
    """Return where the end of the bracket is."""
    (handle,) = shown.item.of(Handle)
    place: QPointF = shown.layout.place(handle.x, handle.y)
    return place


def test_the_bracket_is_as_wide_as_the_scores_are_spread_and_is_dragged_to_another_d_k(show: Any) -> None:
    shown = show(FEW)
    std = shown.numbers.raw.summary.std.value
    assert {"as they come", f"± {std:.2f}", "divided by √64"} <= set(shown.texts())
    assert shown.layout.numbers(end_of(shown))[0] == pytest.approx(std)
    assert Why().words(shown.numbers, Hit("Scores", END)).startswith("d_k = 64: ")
    shown.mouse.drag(end_of(shown), shown.layout.place(16.0, 0.1))
    assert (shown.state.d_k, shown.state.axis_d_k) == (256, 64), "the axis stays as it was"
    assert set(shown.labels) == {"Change d_k"}
    assert shown.layout.numbers(end_of(shown))[0] == pytest.approx(16.0, rel=0.1)


def test_keys_go_to_the_next_d_k(show: Any) -> None:
    shown = show(replace(FEW, draws=5))
    shown.key(Qt.Key.Key_Right)
    assert shown.state.d_k == 96
    for _ in range(20):
        shown.key(Qt.Key.Key_Left)
    assert shown.state.d_k == 1


def test_a_place_tells_what_share_of_the_scores_is_there_as_they_come_and_divided(show: Any) -> None:
    shown = show(FEW)
    words = shown.point_at(shown.layout.place(0.1, 0.2))
    edges, share = shown.numbers.edges, shown.numbers.counts / shown.numbers.scores
    bin_ = int(np.searchsorted(edges, 0.1)) - 1
    assert f"as they come: {100 * share[bin_]:.1f}" in words
    assert "divided by √64: " in words
    assert words.count("predicted") == 2
    assert "divided by √64: hardly any at 20." in shown.point_at(shown.layout.place(20.0, 0.2))


def test_over_axes_of_their_own_each_tells_only_of_itself(show: Any) -> None:
    shown = show(STATES["apart"])
    raw, scaled = (shown.point_at(placed.layout.plot.center()) for placed in shown.layout)
    assert raw.startswith("as they come: ")
    assert "divided" not in raw
    assert scaled.startswith("divided by √64: ")
    ends = [placed.layout.across.high for placed in shown.layout]
    assert ends[0] == pytest.approx(8 * ends[1])


def test_whichever_is_spoken_of_decides_how_high_the_plot_is(show: Any) -> None:
    state = replace(FEW, d_k=512)
    scaled, raw = (show(replace(state, scaled=scaled)).layout.up.high for scaled in (True, False))
    assert scaled > 10 * raw


def test_what_lies_out_of_view_is_said(show: Any) -> None:
    held = show(STATES["held"])
    assert any("beyond the axis" in text for text in held.texts())
    assert any("beyond ±30" in text for text in held.texts())
    assert not any("beyond" in text for text in show(STATES["peaked"]).texts())


def test_the_panel_shows_the_weights_of_the_first_rows(show: Any) -> None:
    shown = show(FEW)
    panel = Why().panel(shown.numbers)
    maps = cast(Any, panel.items[1]).items
    assert [map_.picture.cells for map_ in maps] == [(FIRST_ROWS, 6)] * 2
    numbers = scores_numbers(shown.numbers)
    for map_, name in zip(maps, ("raw", "scaled"), strict=True):
        np.testing.assert_array_equal(map_.picture.values[0], numbers[f"first_row_weights_{name}"])
    words = Why().words(shown.numbers, Hit(MAPS[True], (3, 2)))
    score = float(shown.numbers.rows[3, 2])
    assert words.startswith(f"row 4, key 3: q·k = {score:.2f}".replace("-", "−"))
    assert f"{softmax(shown.numbers.rows[3] / 8.0)[2]:.4f}" in words


def test_all_that_was_measured_is_in_the_table() -> None:
    state = replace(FEW, d_k=16, source=ScoreSource.PROJECTED, gain=0.2, d_model=32)
    picture = scores_picture(state)
    raw = np.concatenate(list(score_pieces(state.setting, state.draws, state.seed)))
    table = cast(Any, Why().table(picture))
    assert [column.title for column in table.columns] == ["measured", "as they come", "÷ √16"]
    for column, scores in enumerate((raw, raw / 4.0), start=1):
        p = softmax(scores)
        largest = p.max(axis=-1)
        jacobians = p[..., None] * np.eye(p.shape[-1]) - p[..., None] * p[..., None, :]
        wanted = {
            "predicted spread": picture.of(column == 2).predicted_std,
            "spread": scores.std(),
            "beyond ±30": (abs(scores) > 30).mean(),
            "largest weight": largest.mean(),
            "rows over 99 %": (largest > 0.99).mean(),
            "weight on oneself": np.diagonal(p, axis1=1, axis2=2).mean(),
            "entropy ÷ ln n": -(p * np.log(p)).sum(axis=-1).mean() / np.log(p.shape[-1]),
            "gradient": np.linalg.norm(jacobians, axis=(-2, -1)).mean(),
            "p (1 − p)": np.median(largest * (1 - largest)),
        }
        shown = {row[0].replace("\N{NO-BREAK SPACE}", " "): row[column] for row in table.rows}
        assert shown.keys() == wanted.keys()
        for name, number in wanted.items():
            assert says(shown[name], float(number)), (name, shown[name], number)


def test_of_few_rows_there_are_as_many_as_were_drawn() -> None:
    assert len(scores_picture(replace(FEW, draws=3)).rows) == 3
    assert len(scores_picture(replace(FEW, draws=3, source=ScoreSource.EMBEDDINGS)).rows) == FIRST_ROWS


@pytest.mark.parametrize("name", STATES)
def test_words_are_few_and_whole_and_cover_nothing(show: Any, name: str) -> None:
    shown = show(STATES[name])
    assert shown.words_beside() <= 50
    assert shown.picture.says(shown.numbers)[0] in shown.canvas.spoken()
    assert shown.badly_written(360, 400) == []
    assert shown.badly_written(800, 540) == []


def test_while_it_is_asked_for_nothing_tells(show: Any) -> None:
    shown = show(FEW)
    shown.canvas.withhold(True)
    before = shown.pixels()
    assert shown.texts() == ["Scores", "?"]
    assert shown.point_at(QPointF(400, 300)) == ""
    shown.show(replace(FEW, d_k=2))
    assert (shown.pixels() == before).all()
    shown.key(Qt.Key.Key_Right)
    assert shown.state.d_k == 2
