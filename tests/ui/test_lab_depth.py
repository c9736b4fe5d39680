"""Depth on the Lab page: dragged, stepped, pointed at, streamed and ended, withheld, and written to files."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any, cast

import numpy as np
import pytest
from picture_on_canvas import PictureOnCanvas, drawing_of, faults_of
from PySide6.QtCore import QPointF, QRectF, Qt

from attention_explorer.core.preset import preset_of
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.plot import Plot, PlotLayout
from attention_explorer.kit.items.plot_marks import At, Label, Points
from attention_explorer.kit.picture import NOTHING
from attention_explorer.kit.pictures.request import PictureRequest, work_for
from attention_explorer.kit.theme import Look
from attention_explorer.model import NormPlacement
from attention_explorer.pages.lab.depth import DRAWS, TABLE, is_measured
from attention_explorer.pages.lab.ui.layers import LIKENESS, Depth
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.choices import Initialiser
from attention_explorer.pages.stack.wording import brief

block_preset = partial(preset_of, preset_list("block"))

HE: dict[str, Any] = {"initialiser": Initialiser.HE, "norm": NormPlacement.POST}


@pytest.fixture
def shown(qtbot: Any, hand: Any) -> PictureOnCanvas:
    return PictureOnCanvas(qtbot, hand, Depth(), block_preset("depth").state)


def test_the_line_at_the_layers_is_dragged_and_stepped(shown: PictureOnCanvas) -> None:
    assert "× 1.02" in shown.texts()
    survey = shown.numbers.survey
    start, end = (shown.laid.layout.place(depth, 1e-30) for depth in (24, 9.2))
    shown.mouse.drag(start, end)
    assert (shown.state.layers, shown.labels[-1]) == (9, "Stack 9 layers")
    assert shown.numbers.survey is survey, "a line has moved, nothing was drawn anew"
    shown.key(Qt.Key.Key_Right)
    assert shown.state.layers == 10
    shown.click(shown.laid.layout.place(1.1, 1e-60))
    assert (shown.state.layers, shown.labels[-1]) == (1, "Stack 1 layer")
    told = len(shown.labels)
    shown.key(Qt.Key.Key_Left)
    assert len(shown.labels) == told, "there is always a layer"


def test_dragged_away_and_back_it_is_where_it_was(shown: PictureOnCanvas) -> None:
    hand, place = shown.mouse, shown.laid.layout.place
    hand.press(place(24, 1e-30))
    hand.move(place(5, 1e-30))
    hand.move(place(24, 1e-30))
    hand.release()
    assert shown.state.layers == 24


def test_pointing_tells_all_numbers_of_a_depth(shown: PictureOnCanvas) -> None:
    words = shown.point_at(shown.laid.layout.place(11.8, 1e-50))
    assert words.startswith("12 layers: gradient × 1.01 (")
    assert "mean cosine of the tokens 0.0" in words
    assert "median of 7 draws" in words
    assert Depth().words(shown.numbers, Hit(LIKENESS, At(12.0))) == words
    measured = shown.point_at(shown.laid.layout.place(12, 7.6e-38))
    assert measured == (
        "Measured with PyTorch after 1, 6, 12 and 24 layers, 0.02, no residual, no norm: "
        "3·10⁻⁴, 1.4·10⁻¹⁹, 7.6·10⁻³⁸, 1.1·10⁻⁷⁴; cosine 1.000."
    )


def test_stacks_measured_elsewhere_are_drawn_where_they_differ() -> None:
    state = block_preset("depth").state
    wanted = {
        "whole": (state, {"0.02, no residual, no norm", "0.02, residual, no norm"}),
        "cut": (replace(state, residual=False), {"0.02, residual, no norm", "0.02, no residual, no norm"}),
        "he": (replace(state, **HE), {"He, residual, no norm", "He, residual, pre-norm", "He, residual, post-norm"}),
        "other": (replace(state, initialiser=Initialiser.XAVIER), set()),
    }
    for each, titles in wanted.values():
        plot = Depth().item(Depth().compute(each, (0, 0)))
        drawn = {points.name for points in plot.of(Points)} - {"this many layers"}
        assert drawn == titles
        named = {label.text for label in plot.of(Label)}
        assert {title.partition(", ")[2] for title in titles} <= named


def test_all_that_was_measured_elsewhere_is_in_the_table(shown: PictureOnCanvas) -> None:
    table = cast(Any, shown.picture.table(shown.numbers))
    assert [column.title for column in table.columns[1:]] == ["1", "6", "12", "24", "cosine"]
    assert len(table.rows) == len(TABLE)
    (marked,) = [number for number, row in enumerate(table.rows) if row[0].startswith("▸")]
    assert table.rows[marked] == ("▸ 0.02, residual, no norm", "1", "1", "1.01", "1.02", "0.017")
    said = [shown.picture.words(shown.numbers, Hit(table.name, row)) for row in range(len(TABLE))]
    assert [row for row, words in enumerate(said) if "these settings" in words] == [marked]
    assert said[marked].endswith(
        "0.02, residual, no norm: 1, 1, 1.01, 1.02; cosine 0.017. It has these settings, but other random numbers."
    )
    other = replace(shown.state, causal=True, encoding=True)
    words = shown.picture.words(shown.picture.compute(other, (0, 0)), Hit(table.name, marked))
    assert words.endswith("It has these settings, except for: positions, a causal mask.")


def test_what_is_left_after_all_layers_is_said(shown: PictureOnCanvas) -> None:
    survey, (gradient, likeness) = shown.numbers.survey, shown.picture.says(shown.numbers)
    cosine, ratios = float(np.median(survey.token_cosines[:, 24])), survey.gradient_ratios[:, 24]
    assert gradient == f"From stack to stack the gradient is multiplied by {ratios.min():.3g} to {ratios.max():.3g}."
    assert likeness == f"The tokens that come out have a mean cosine of {cosine:.3f}: the tokens stay apart."
    assert gradient in shown.canvas.spoken()
    assert likeness in shown.canvas.spoken()


@pytest.mark.parametrize(
    ("changes", "headline"),
    [
        ({}, "The gradient gets through"),
        ({"residual": False}, "The gradient vanishes"),
        (HE | {"norm": NormPlacement.NONE}, "The gradient explodes"),
        (HE | {"norm": NormPlacement.PRE, "layers": 3}, "The gradient gets through"),
    ],
)
def test_what_stands_above_and_beside_it(qtbot: Any, hand: Any, changes: dict[str, Any], headline: str) -> None:
    shown = PictureOnCanvas(qtbot, hand, Depth(), replace(block_preset("depth").state, **changes))
    ratio = brief(float(np.median(shown.numbers.survey.gradient_ratios[:, 24])))
    assert shown.picture.headline(shown.numbers) == f"{headline}: × {ratio} after 24 layers."
    assert shown.words_beside() <= 50
    for size in ((360, 330), (800, 540)):
        assert faults_of(drawing_of(shown.picture, shown.numbers, size), size) == []


def test_without_numbers_it_says_why(qtbot: Any, hand: Any) -> None:
    shown = PictureOnCanvas(
        qtbot, hand, Depth(), replace(block_preset("depth").state, initialiser=Initialiser.NUMBER, gain=1e12)
    )
    (told,) = shown.texts()
    assert told.endswith("make the numbers smaller. Smaller weights do that, or a norm.")
    assert told == shown.picture.reason(shown.numbers)
    assert shown.picture.title(shown.numbers) == NOTHING
    assert told in shown.canvas.spoken()
    assert shown.point_at(QPointF(300, 200)) == ""
    shown.key(Qt.Key.Key_Left)
    assert shown.labels == []


def test_it_grows_by_a_stack_at_a_time_and_can_be_ended() -> None:
    class EndedError(Exception):
        pass

    state, picture = replace(block_preset("depth").state, seed=731), Depth()
    work = work_for(PictureRequest(state, (0, 0)), picture)
    ready: list[Any] = []
    passed = count()

    def report(_share: float) -> None:
        if len(ready) == 2:
            raise EndedError
        next(passed)

    with pytest.raises(EndedError):
        work(report, ready.append)
    assert [each.picture.draws for each in ready] == [1, 2]
    assert next(passed) > 10, "it can be stopped within a stack"
    assert not picture.is_quick(state)
    assert not is_measured(state)
    work(lambda _share: None, ready.append)
    assert ready[-1].picture.draws == DRAWS
    assert picture.is_quick(replace(state, layers=7)), "how many layers the page has alters no number"


def test_while_it_is_asked_for_nothing_tells(shown: PictureOnCanvas) -> None:
    shown.canvas.withhold(True)
    before = shown.pixels()
    assert shown.texts() == ["Gradient against depth", "?"]
    assert shown.point_at(QPointF(300, 200)) == ""
    shown.state = replace(shown.state, residual=False, layers=2)
    shown.show()
    assert (shown.pixels() == before).all()


def test_the_likeness_beside_it_has_the_same_depths(shown: PictureOnCanvas) -> None:
    (small,) = shown.picture.panel(shown.numbers).items[1:]
    title, plot = cast(Any, small).items
    assert isinstance(plot, Plot)
    layout = plot.layout(Look(), QRectF(0, 0, 336, 150))
    assert isinstance(layout, PlotLayout)
    assert plot.hit(layout, layout.place(6.3, 0.5)) == Hit(LIKENESS, At(6))
    assert "cosine" in title.text
