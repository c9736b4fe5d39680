"""Against d_k on the Lab page: curves, the line that is dragged, words, files, and nothing told too early."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest
from heads_driver import numbers_in
from picture_on_canvas import PictureOnCanvas, says
from PySide6.QtCore import QPointF, Qt

from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.plot_marks import At
from attention_explorer.model.score_draws import ScoreSource
from attention_explorer.pages.lab.scores_growth import GrowthPoint, growth_picture
from attention_explorer.pages.lab.scores_state import GainRule, ScalingPicture, ScalingState
from attention_explorer.pages.lab.ui.why import SPREAD, AgainstD

FEW = ScalingState(picture=ScalingPicture.GROWTH, draws=150)


def measured_at(shown: PictureOnCanvas, d_k: int) -> GrowthPoint:
    """Return what was measured at a d_k."""
    (point,) = (point for point in shown.numbers.points if point.d_k == d_k)
    return cast(GrowthPoint, point)


@pytest.fixture
def show(qtbot: Any, hand: Any) -> Any:
    return lambda state: PictureOnCanvas(qtbot, hand, AgainstD(), state)


def test_the_line_is_dragged_from_d_k_to_d_k(show: Any) -> None:
    shown = show(FEW)
    shown.mouse.drag(shown.layout.place(64.0, 0.1), shown.layout.place(9.0, 0.1))
    assert shown.state.d_k == 8
    assert set(shown.labels) == {"Change d_k"}
    point = measured_at(shown, 8)
    assert {f"{point.raw.largest.value:.2f}", f"{point.scaled.largest.value:.2f}"} <= set(shown.texts())


def test_keys_and_clicks_move_it_too(show: Any) -> None:
    shown = show(FEW)
    shown.key(Qt.Key.Key_Left)
    assert shown.state.d_k == 48
    shown.click(shown.layout.place(15.0, 0.3))
    assert shown.state.d_k == 16
    assert AgainstD().is_quick(shown.state), "nothing is drawn anew for it"


def test_numbers_that_are_the_same_at_one_place_stand_there_once(show: Any) -> None:
    for d_k, times in ((1, 1), (64, 2)):
        shown = show(replace(FEW, d_k=d_k))
        point = measured_at(shown, d_k)
        numbers = {f"{part.largest.value:.2f}" for part in (point.raw, point.scaled)}
        assert sum(text in numbers for text in shown.texts()) == times


def test_a_place_tells_what_was_measured_at_the_nearest_d_k(show: Any) -> None:
    shown = show(FEW)
    point = measured_at(shown, 256)
    words = shown.point_at(shown.layout.place(250.0, 0.1))
    assert words.startswith("d_k = 256: largest weight ")
    assert words.endswith("divided by √256")
    raw, scaled = numbers_in(words)[1], numbers_in(words)[3]
    assert (raw, scaled) == pytest.approx((point.raw.largest.value, point.scaled.largest.value), abs=6e-3)
    spread = AgainstD().words(shown.numbers, Hit(SPREAD, At(256.0)))
    assert numbers_in(spread)[:2] == [256, pytest.approx(point.raw.std.value, abs=0.06)]
    assert spread.startswith("d_k = 256: spread ")
    assert spread.endswith("predicted 16 and 1")


@pytest.mark.parametrize(
    ("changes", "headline"),
    [
        ({}, "Weights sharpen with d_k. Divided by √d_k, they hardly do."),
        ({"source": ScoreSource.EMBEDDINGS}, "Weights sharpen with d_k, even divided by √d_k."),
        ({"source": ScoreSource.PROJECTED, "d_model": 64}, "Divided by √d_k or not: sharp at every d_k."),
        (
            {"source": ScoreSource.PROJECTED, "d_model": 64, "gain": 0.001, "rule": GainRule.NUMBER},
            "Divided by √d_k or not: d_k matters little.",
        ),
        ({"keys": 1}, "A single key has the weight 1 at every d_k."),
    ],
)
def test_what_stands_above_and_beside_it(show: Any, changes: dict[str, Any], headline: str) -> None:
    shown = show(replace(FEW, draws=60, **changes))
    assert shown.picture.headline(shown.numbers) == headline
    assert shown.words_beside() <= 50
    assert shown.picture.says(shown.numbers)[0] in shown.canvas.spoken()
    if shown.state.keys > 1:  # of one key both curves are one line
        assert shown.badly_written(360, 400) == []
        assert shown.badly_written(800, 540) == []


def test_all_that_was_measured_at_the_d_k_on_show_is_in_the_table() -> None:
    picture = growth_picture(replace(FEW, d_k=16))
    table = cast(Any, AgainstD().table(picture))
    point = picture.points[picture.nearest(16)]
    assert [column.title for column in table.columns] == ["measured", "as they come", "÷ √16"]
    rows = {name.replace("\N{NO-BREAK SPACE}", " "): cells for name, *cells in table.rows}
    assert rows["predicted spread"] == ["4.000", "1.000"]
    for name, quantity in (
        ("spread", "std"),
        ("beyond ±30", "tail"),
        ("largest weight", "largest"),
        ("rows over 99 %", "saturated"),
        ("entropy ÷ ln n", "entropy"),
        ("gradient", "gradient"),
        ("p (1 − p)", "slope"),
    ):
        measured = (getattr(each, quantity).value for each in (point.raw, point.scaled))
        assert all(map(says, rows[name], measured)), name
    assert "150 draws at each d_k. Seed 42." in AgainstD().says(picture)


def test_while_it_is_asked_for_nothing_tells(show: Any) -> None:
    shown = show(FEW)
    shown.canvas.withhold(True)
    before = shown.pixels()
    assert shown.texts() == ["Mean largest weight", "?"]
    assert shown.point_at(QPointF(400, 300)) == ""
    shown.show(replace(FEW, source=ScoreSource.EMBEDDINGS))
    assert (shown.pixels() == before).all()


def test_files_have_text_and_no_image(show: Any) -> None:
    shown = show(FEW)
    assert {"as they come", "divided by √d_k", "uniform: 1/6"} <= set(shown.figure_texts())
    assert next(iter(shown.picture.arrays(shown.numbers))) == "std_raw"
