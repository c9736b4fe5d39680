"""The stages of a map as a picture of the frame: pointed at, pinned, and written to files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from picture_on_canvas import PictureOnCanvas, drawing_of
from PySide6.QtCore import QPointF, Qt
from svg_reader import text_places

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.items.item import Hit
from attention_explorer.model import Stage
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import Aggregate, HeadsState
from attention_explorer.pages.heads.ui.row_item import RowCell
from attention_explorer.pages.heads.ui.row_picture import ROW
from attention_explorer.pages.heads.ui.stages import STAGES, ShapeChain, Stages


def state_of(preset: str = "causal", **view: object) -> HeadsState:
    return heads_preset(preset).state.with_view(**view)


@pytest.fixture
def shown(qtbot: Any, hand: Any) -> PictureOnCanvas:
    return PictureOnCanvas(qtbot, hand, Stages(), state_of())


def cell(shown: PictureOnCanvas, number: int, row: int, column: int) -> QPointF:
    return shown.laid.layout.maps[number].layout.rectangle(row, column).center()


def test_pointing_at_a_cell_gives_its_number_at_each_stage(shown: PictureOnCanvas) -> None:
    map_ = shown.numbers.frame.head_map
    for number, stage in enumerate(Stage):
        said = shown.point_at(cell(shown, number, 4, 2))
        assert said.startswith("query “the” (5) → key “sat” (3): ")
        value = float(map_.stage(stage)[4, 2])
        assert f"{value:.4f}".lstrip("-")[:5] in said.replace("−", ""), stage
    assert "hidden by the causal mask" in shown.point_at(cell(shown, 3, 2, 5))
    assert "later hidden" in shown.point_at(cell(shown, 0, 2, 5))


def test_a_click_pins_the_cell_and_the_row_beside_it_follows(shown: PictureOnCanvas) -> None:
    shown.click(cell(shown, 3, 4, 2))
    assert (shown.state.view.row, shown.state.view.column) == (4, 2)
    (row,) = shown.picture.panel(shown.numbers).items
    assert row.name == ROW
    assert (row.steps.reading.index, row.chosen) == (4, 2)
    change = shown.picture.changed(shown.state, shown.numbers, Hit(ROW, RowCell(1)), None)
    assert (change.state.view.row, change.state.view.column) == (4, 1)


def test_keys_walk_through_the_cells(shown: PictureOnCanvas) -> None:
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Left):
        shown.key(key)
    assert shown.said.startswith("query “cat” (2) → key “The” (1): weight ")


def test_a_mark_lights_the_same_cell_in_every_map(shown: PictureOnCanvas) -> None:
    shown.mouse.move(QPointF(1, 1))
    before = shown.pixels()
    shown.mouse.move(cell(shown, 1, 4, 2))
    changed = np.argwhere(shown.pixels() != before)
    for number in range(4):
        box = shown.laid.layout.maps[number].layout.rectangle(4, 2).adjusted(-4, -4, 4, 4)
        inside = [(y, x) for y, x in changed.tolist() if box.contains(QPointF(x, y))]
        assert inside, number


def test_the_chain_stands_in_the_drawer_and_in_figures_below_the_maps(shown: PictureOnCanvas) -> None:
    assert "concat" not in shown.texts()
    texts = [text for text, _ in text_places(drawing_of(shown.picture, shown.numbers, (800, 640)))]
    assert "concat" in texts
    chain = shown.picture.table(shown.numbers)
    assert isinstance(chain, ShapeChain)
    assert "softmax (8, 11, 11)" in chain.spoken()


def test_what_it_says(shown: PictureOnCanvas) -> None:
    assert shown.picture.headline(shown.numbers) == "÷ √8 = ÷ 2.83, mask: 55 cells hidden, softmax over each row."
    assert shown.words_beside() <= 60
    several = shown.picture.compute(shown.state.with_setup(aggregate=Aggregate.MEAN), (0, 0))
    assert any(said.startswith("Several heads in one have weights only") for said in shown.picture.says(several))


def test_files_have_all_stages(shown: PictureOnCanvas) -> None:
    arrays = shown.picture.numbers(shown.numbers)
    assert next(iter(arrays)) == "weights"
    map_ = shown.numbers.frame.head_map
    for stage in Stage:
        np.testing.assert_allclose(arrays[stage.value], map_.stage(stage), rtol=1e-9)
    assert not arrays["allowed"][2, 5]


def test_recorded_weights_have_no_stages() -> None:
    with pytest.raises(ExplorerError, match="Only the weights were recorded"):
        Stages().compute(state_of("minilm"), (0, 0))


def test_a_question_hides_all_of_it(shown: PictureOnCanvas) -> None:
    given = shown.picture.withheld()
    assert given.words(shown.numbers, Hit(STAGES, (3, 4, 2))) == ""
