"""Future and cache in the window: keys, clicks, sliders, worker and undo; and what they draw, in every room."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from layer_driver import LayerDriver
from picture_on_canvas import PictureOnCanvas, drawing_of, faults_of
from PySide6.QtCore import QPointF, Qt

from attention_explorer.core.preset import preset_of
from attention_explorer.kit.drawing.text_table import Column, paint_table, table_layout
from attention_explorer.kit.pictures.pointed_picture import NOWHERE
from attention_explorer.kit.theme import Look
from attention_explorer.model import NormPlacement
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.layer.cache import table_rows
from attention_explorer.pages.layer.future import is_quick
from attention_explorer.pages.layer.ui.cache import COMPARED, MAPS, WORK, Cache
from attention_explorer.pages.layer.ui.future import MASKS, SAME, Future
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.choices import BlockPicture, Initialiser
from attention_explorer.session.settings import Settings, ThemeChoice

block_preset = partial(preset_of, preset_list("block"))

PICTURES = {"future": Future(), "cache": Cache()}
LONG = "the quick brown fox jumps over the lazy dog and then sleeps for a very long time under the old tree"


@pytest.fixture
def open_layer(make_window, hand):
    def make(preset: str, **changes) -> LayerDriver:
        state = replace(block_preset(preset).state, **changes)
        window = make_window(ExplorerState(block=state), Settings(theme=ThemeChoice.LIGHT, page="layer"))
        driver = LayerDriver(window, hand)
        driver.settle()
        return driver

    return make


@pytest.fixture
def on_canvas(qtbot, hand):
    def make(name: str, **changes) -> PictureOnCanvas:
        return PictureOnCanvas(qtbot, hand, PICTURES[name], replace(block_preset(name).state, **changes))

    return make


# ---- Decoding ----


def test_decoding_goes_on_by_key_and_click_and_undo_takes_it_back(open_layer) -> None:
    driver = open_layer("cache")
    driver.key(Qt.Key.Key_Right)
    assert (driver.state.decoded, driver.picture.decoded) == (4, 4)
    assert driver.undo_text == "Decode 4 tokens"
    driver.key(Qt.Key.Key_Left)
    driver.key(Qt.Key.Key_Left)
    assert driver.picture.decoded == 2
    driver.key(Qt.Key.Key_End)
    assert driver.state.decoded == 6
    driver.key(Qt.Key.Key_Right)
    assert driver.state.decoded == 6
    driver.key(Qt.Key.Key_Home)
    assert driver.state.decoded == 1
    keys = driver.item(MAPS[0])
    driver.click(keys.layout.rectangle(4, 1).center())
    assert driver.state.decoded == 5
    while driver.window.session.history.can_undo:
        driver.window.session.undo()
    driver.settle()
    assert driver.picture.decoded == 3


def test_the_bars_of_the_steps_are_dragged(open_layer) -> None:
    driver = open_layer("cache")
    plot = driver.item(WORK).layout
    driver.hand().drag(plot.place(3, 0), plot.place(5.2, 0))
    assert driver.state.decoded == 5


@pytest.mark.parametrize(
    ("preset", "text", "field", "value"), [("future", "2", "changed_token", 1), ("cache", "6", "decoded", 6)]
)
def test_exact_numbers_are_typed(open_layer, preset: str, text: str, field: str, value: int) -> None:
    driver = open_layer(preset)
    driver.type_into(driver.main.box, text)
    assert getattr(driver.state, field) == value
    assert getattr(driver.picture.state, field) == value
    assert driver.undo_text


def test_cells_stay_where_they_are_while_the_cache_grows(on_canvas) -> None:
    pictures = [on_canvas("cache", decoded=decoded) for decoded in (2, 5)]
    early, late = (picture.placed(MAPS[0]).layout for picture in pictures)
    assert early.rectangle(1, 0) == late.rectangle(1, 0)


@pytest.mark.parametrize("layers", [2, 24])
def test_the_drawer_compares_work_with_and_without_a_cache(open_layer, layers: int) -> None:
    driver = open_layer("cache", layers=layers)
    table = driver.view.picture.table(driver.picture)
    assert table.name == COMPARED
    assert table.rows == table_rows(driver.picture)


def test_decoded_is_what_attention_over_all_tokens_gives(open_layer) -> None:
    driver = open_layer("cache")
    assert "The result is the same" in driver.notes
    arrays = driver.view.picture.numbers(driver.picture)
    np.testing.assert_allclose(arrays["output_decoded"], arrays["output_full"], atol=1e-9)


# ---- Replacing ----


def test_a_click_replaces_the_token_and_the_panel_says_so(open_layer) -> None:
    driver = open_layer("future")
    found = driver.item(MASKS[True])
    driver.click(found.layout.rectangle(1, 0).center())
    assert driver.state.changed_token == 1
    assert driver.panel_words()[0] == "“cat” (2) is replaced"
    driver.key(Qt.Key.Key_Down)
    assert driver.panel_words()[0] == "“sat” (3) is replaced"
    driver.key(Qt.Key.Key_Up)
    assert driver.undo_text == "Replace token 2"


def test_rows_before_the_replaced_one_keep_every_bit(on_canvas) -> None:
    future = on_canvas("future")
    texts = future.texts()
    assert texts.count(SAME) >= 8
    assert future.placed(MASKS[True]).item.detail == "2 of 6 rows change, 4 keep every bit"
    assert future.placed(MASKS[False]).item.detail == "all 6 rows change"
    said = future.point_at(future.placed(MASKS[True]).layout.rectangle(0, 1).center())
    assert said.endswith("all 64 numbers are the same bit for bit. Click to replace this token.")


def test_future_without_numbers_says_why(on_canvas) -> None:
    future = on_canvas("future", norm=NormPlacement.NONE, initialiser=Initialiser.NUMBER, gain=1e20, layers=24)
    assert future.texts()[0].startswith("There is nothing to compare")


def test_large_stacks_are_computed_on_the_worker(open_layer) -> None:
    sizes = {"d_model": 256, "d_ff": 1024, "layers": 4, "seed": 9}
    assert not is_quick(replace(block_preset("future").state, **sizes))
    driver = open_layer("future", **sizes)
    assert is_quick(driver.state)  # it is kept now


def test_the_panel_of_the_view_before_is_read_while_the_next_is_computed(open_layer, hand) -> None:
    driver = open_layer("encoder", d_model=256, d_ff=1024, layers=4, seed=11)
    page, said = driver.window.page, list[str]()
    page.said.connect(said.append)
    page.show_view(page.view_named(BlockPicture.FUTURE))
    assert page.requests.is_pending
    bars, down = page.panel.items, range(page.panel.items.height())
    bar = next(at for at in (QPointF(bars.width() / 2, y) for y in down) if bars.spot_at(at) != NOWHERE)
    hand(bars).move(bar)
    assert said[-1].startswith("“The”")
    driver.settle()


def test_a_layer_that_lab_shows_is_a_diagram_here(open_layer) -> None:
    driver = open_layer("norm")
    assert driver.view.title == "Layer"
    driver.key(Qt.Key.Key_Right)
    assert driver.state.box == "q"


# ---- Both, in every room ----


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("size", [(760, 520), (1500, 1100), (556, 430)])
def test_nothing_is_cut_or_written_over(on_canvas, name: str, size: tuple[int, int]) -> None:
    assert not on_canvas(name).badly_written(*size)


@pytest.mark.parametrize("name", PICTURES)
def test_many_tokens_layers_and_heads_fit_too(on_canvas, name: str) -> None:
    picture = on_canvas(name, sentence=LONG, layers=24, d_model=128, heads=16, d_ff=128)
    assert not picture.badly_written(830, 560)


@pytest.mark.parametrize("name", PICTURES)
def test_a_drawing_is_of_words_and_shapes(qapp, name: str) -> None:
    numbers = PICTURES[name].compute(block_preset(name).state, (0, 0))
    assert not faults_of(drawing_of(PICTURES[name], numbers, (900, 680)), (900, 680))


@pytest.mark.parametrize("name", PICTURES)
def test_every_spot_has_words(on_canvas, name: str) -> None:
    picture = on_canvas(name)
    said = {picture.point_at(QPointF(x, y)) for x in range(60, 800, 37) for y in range(20, 540, 29)}
    assert len(said) > 10


@pytest.mark.parametrize("name", PICTURES)
def test_numbers_to_take_away_are_arrays(name: str) -> None:
    arrays = PICTURES[name].numbers(PICTURES[name].compute(block_preset(name).state, (0, 0)))
    assert len(arrays) >= 3
    assert all(isinstance(array, np.ndarray) and array.size and not array.dtype.hasobject for array in arrays.values())


@pytest.mark.parametrize("width", [120, 200, 400])
def test_a_table_cuts_its_words_and_never_its_numbers(qapp, width: int) -> None:
    from heads_driver import painted_texts
    from PySide6.QtCore import QRectF

    columns, row = (Column("name"), Column("number", is_right=True)), ("a name that is long", "1.19 million")
    layout = table_layout(Look(), QRectF(0, 0, width, 60), columns, (row,), row_height=19)
    assert row[1] in painted_texts(lambda painter: paint_table(painter, layout, Look()))
    assert layout.shown[-1][1] + layout.shown[-1][2] <= width + 0.5
