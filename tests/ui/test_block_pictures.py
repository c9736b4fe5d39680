"""Future and cache as they are painted: in every room, under the pointer, and in files."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from heads_driver import painted_texts
from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from writing_driver import written_on

from attention_explorer.kit.drawing.text_table import Column, paint_table, table_layout
from attention_explorer.kit.pictures.drawing import PictureDrawing
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import DARK, LIGHT, Look
from attention_explorer.model import NormPlacement
from attention_explorer.pages.block.cache import table_rows
from attention_explorer.pages.block.ui.cache_picture import SPAN, cache_drawing
from attention_explorer.pages.block.ui.future_picture import future_drawing
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.stack.presets import block_preset
from attention_explorer.pages.stack.state import BlockState, Initialiser
from attention_explorer.session.settings import Settings, ThemeChoice

pytestmark = pytest.mark.usefixtures("qapp")

DRAWINGS: dict[str, PictureDrawing[BlockState, Any, Any]] = {
    "future": future_drawing(),
    "cache": cache_drawing(),
}
SPOTS = {
    "future": Spot(2, 1),
    "cache": Spot(1, SPAN + 3),
}
LONG = "the quick brown fox jumps over the lazy dog and then sleeps for a very long time under the old tree"
ROOMS = [(760, 520, 1.0), (1500, 1100, 1.0), (480, 520, 1.0), (1100, 330, 1.0), (1200, 900, 2.0)]


def state_of(name: str) -> BlockState:
    return block_preset(name).state


def painted(
    name: str, state: BlockState, look: Look = Look(), size: tuple[int, int] = (760, 520), spot: Spot = NOWHERE
) -> np.ndarray:
    """Paint on a card with a margin all around, and return the pixels as 0xRRGGBB, (height, width)."""
    drawing, (width, height) = DRAWINGS[name], size
    picture = drawing.compute(state, (0, 0))
    layout = drawing.layout(picture, look, QRectF(20, 20, width - 40, height - 40))
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(look.theme.card))
    painter = QPainter(image)
    drawing.paint(painter, picture, layout, look)
    if spot != NOWHERE:
        drawing.mark(painter, picture, layout, look, spot)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint32).reshape(height, width).copy() & 0xFFFFFF


def layout_of(name: str, state: BlockState) -> tuple[Any, Any]:
    drawing = DRAWINGS[name]
    picture = drawing.compute(state, (0, 0))
    return picture, drawing.layout(picture, Look(), QRectF(0, 0, 760, 520))


def texts_of(name: str, state: BlockState) -> list[str]:
    picture, layout = layout_of(name, state)
    return painted_texts(lambda painter: DRAWINGS[name].paint(painter, picture, layout, Look()))


@pytest.mark.parametrize("name", DRAWINGS)
@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_it_stays_within_its_room(name: str, room: tuple[int, int, float], theme: Any) -> None:
    width, height, zoom = room
    pixels = painted(name, state_of(name), Look(theme, zoom), (width, height))
    ground = int(theme.card[1:], 16)
    inked = pixels != ground
    assert inked.sum() > 2000
    # Frames around what is pointed at, and ends of axes, may reach a few pixels out.
    assert not inked[:10].any() and not inked[-10:].any()  # noqa: PT018 - one border
    assert not inked[:, :10].any() and not inked[:, -10:].any()  # noqa: PT018


@pytest.mark.parametrize("name", DRAWINGS)
def test_many_tokens_layers_and_heads_fit_too(name: str) -> None:
    state = replace(state_of(name), sentence=LONG, layers=24, d_model=128, heads=16, d_ff=128)
    inked = painted(name, state) != int(LIGHT.card[1:], 16)
    assert inked.sum() > 2000
    assert not inked[:10].any() and not inked[:, -10:].any() and not inked[-10:].any()  # noqa: PT018


@pytest.mark.parametrize("name", DRAWINGS)
def test_what_is_pointed_at_is_marked_and_said(name: str) -> None:
    state = state_of(name)
    assert (painted(name, state) != painted(name, state, spot=SPOTS[name])).any()
    picture, layout = layout_of(name, state)
    drawing = DRAWINGS[name]
    assert drawing.words(picture, SPOTS[name])
    assert drawing.words(picture, NOWHERE) == ""
    assert drawing.spot_at(picture, layout, QPointF(-50, -50)) == NOWHERE
    assert drawing.notes(picture)[0].bold


@pytest.mark.parametrize("name", DRAWINGS)
def test_every_spot_has_words_and_can_be_marked(name: str) -> None:
    drawing, state = DRAWINGS[name], state_of(name)
    picture, layout = layout_of(name, state)
    image = QImage(760, 520, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    found = {drawing.spot_at(picture, layout, QPointF(x, y)) for x in range(0, 760, 23) for y in range(0, 520, 17)}
    for spot in found - {NOWHERE}:
        assert drawing.words(picture, spot), spot
        drawing.mark(painter, picture, layout, Look(), spot)
    painter.end()
    assert len(found) > 10


@pytest.mark.parametrize("name", DRAWINGS)
def test_files_have_text_and_no_images(name: str) -> None:
    picture, layout = layout_of(name, state_of(name))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    painter = QPainter(generator)
    DRAWINGS[name].paint(painter, picture, layout, Look(), vector=True)
    painter.end()
    root = ET.fromstring(bytes(buffer.data().data()))  # noqa: S314  # our own output
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f".//{space}text")) > 8
    assert not root.findall(f".//{space}image")


@pytest.mark.parametrize("name", DRAWINGS)
def test_numbers_to_take_away_are_arrays(name: str) -> None:
    drawing = DRAWINGS[name]
    arrays = drawing.numbers(drawing.compute(state_of(name), (0, 0)))
    assert len(arrays) >= 3
    assert all(isinstance(array, np.ndarray) and array.size and not array.dtype.hasobject for array in arrays.values())


# ---- Each picture ----


def test_future_replaces_the_token_that_is_clicked() -> None:
    drawing, state = DRAWINGS["future"], state_of("future")
    picture, layout = layout_of("future", state)
    half = layout.halves[1]
    change = drawing.click(state, picture, layout, half.cell(1, 0).center())
    assert (change.state.changed_token, change.label) == (1, "Replace token 2")
    assert drawing.click(state, picture, layout, half.cell(4, 0).center()) is None  # it is replaced already
    assert drawing.press(state, picture, Qt.Key.Key_Up).state.changed_token == 3
    assert drawing.press(state, picture, Qt.Key.Key_Down).state.changed_token == 5
    texts = texts_of("future", state)
    assert texts.count("same bits") == 4
    assert "2 of 6 rows change, 4 keep every bit" in texts
    assert "all 6 rows change" in texts
    assert drawing.words(picture, Spot(0, 1)).endswith(
        "all 64 numbers are the same bit for bit. Click to replace this token."
    )


def test_future_without_numbers_says_why() -> None:
    state = replace(state_of("future"), norm=NormPlacement.NONE, initialiser=Initialiser.NUMBER, gain=1e20, layers=24)
    assert texts_of("future", state)[0].startswith("There is nothing to compare")


def test_cache_steps_by_key_and_click() -> None:
    drawing, state = DRAWINGS["cache"], state_of("cache")
    picture, layout = layout_of("cache", state)
    keys = {Qt.Key.Key_Right: 4, Qt.Key.Key_Left: 2, Qt.Key.Key_Home: 1, Qt.Key.Key_End: 6}
    for key, decoded in keys.items():
        assert drawing.press(state, picture, key).state.decoded == decoded
    assert drawing.press(replace(state, decoded=6), picture, Qt.Key.Key_Right) is None
    assert drawing.click(state, picture, layout, layout.chips[4].center()).state.decoded == 5
    assert drawing.click(state, picture, layout, layout.step(1).center()).state.decoded == 2
    assert drawing.click(state, picture, layout, layout.maps[0].whole.center()) is None
    texts = texts_of("cache", state)
    assert {"K of head 1", "V of head 1", "weights", "(3, 8)", "(3, 6)"} <= set(texts)


def test_cache_cells_stay_where_they_are_while_it_grows() -> None:
    _, early = layout_of("cache", replace(state_of("cache"), decoded=2))
    _, late = layout_of("cache", replace(state_of("cache"), decoded=5))
    for before, after in zip(early.maps, late.maps, strict=True):
        assert before.whole == after.whole
        assert before.layout.rectangle(1, 0) == after.layout.rectangle(1, 0)


@pytest.mark.parametrize("size", [(1280, 800), (1024, 768)])
@pytest.mark.parametrize("layers", [2, 24])
def test_cache_table_shows_every_number_in_full(make_window, size: tuple[int, int], layers: int) -> None:
    state = ExplorerState(block=replace(state_of("cache"), layers=layers))
    window = make_window(state, Settings(theme=ThemeChoice.LIGHT, page="block"), size)
    window.page.settle()
    texts = [line.text for line in written_on(window.page.canvas)]
    picture = DRAWINGS["cache"].compute(state.block, (0, 0))
    assert {number for _, *numbers in table_rows(picture) for number in numbers} <= set(texts)
    assert not [text for text in texts if text.endswith("…")]


@pytest.mark.parametrize("width", [120, 200, 400])
def test_a_table_cuts_its_words_and_never_its_numbers(width: int) -> None:
    columns, row = (Column("name"), Column("number", is_right=True)), ("a name that is long", "1.19 million")
    layout = table_layout(Look(), QRectF(0, 0, width, 60), columns, (row,), row_height=19)
    assert row[1] in painted_texts(lambda painter: paint_table(painter, layout, Look()))
    assert layout.shown[-1][1] + layout.shown[-1][2] <= width + 0.5


@pytest.mark.parametrize("name", ["future", "cache"])
def test_a_large_window_is_filled(name: str) -> None:
    drawing, state = DRAWINGS[name], state_of(name)
    picture = drawing.compute(state, (0, 0))
    layout = drawing.layout(picture, Look(), QRectF(0, 0, 1850, 1150))
    if name == "future":
        cells = [half.cells for half in layout.halves]
        room = 1150
    else:
        cells = [map_.whole for map_ in layout.maps]
        room = 1150 / 1.4
    assert all(box.height() > 0.6 * room for box in cells)
    assert all(box.right() <= 1850 for box in cells)
