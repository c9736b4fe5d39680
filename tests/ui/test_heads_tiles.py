"""A map with more cells than the screen has pixels: the largest weight is on the screen, and the note is true."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import sequential
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from attention_explorer.core.mask import MaskChoice, MaskKind
from attention_explorer.kit.drawing.heatmap import paint_cells
from attention_explorer.kit.drawing.heatmap_layout import layout_of
from attention_explorer.kit.theme import Look
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.shown_map import map_picture
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, HeadsView
from attention_explorer.sources.recipe import ToyRecipe

LONG = HeadsSetup(ToyRecipe(sentence=" ".join(f"w{i}" for i in range(600)), heads=1, d_model=16))


def tiles_said(text: str) -> tuple[int, int]:
    height, width = re.search(r"600 × 600 cells in (\d+) × (\d+) tiles", text).groups()
    return int(height), int(width)


def names_in(image: QImage, box: QRectF) -> set[str]:
    """The colours of the pixels of a box."""
    area = image.copy(box.toAlignedRect()).convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(area.constBits(), np.uint32).reshape(area.height(), -1)
    return {f"#{pixel & 0xFFFFFF:06x}" for pixel in np.unique(pixels).tolist()}


@pytest.mark.parametrize("width", [1280, 1311])
def test_the_largest_weight_of_a_long_sentence_is_on_the_screen(driver, qtbot, width):
    session, canvas, size = driver.window.session, driver.canvas, driver.window.size()
    session.apply(replace(session.state, heads=HeadsState(LONG)), "Six hundred tokens")
    qtbot.waitUntil(lambda: canvas.frame is not None and canvas.frame.shape == (600, 600), timeout=20_000)
    try:
        driver.window.resize(width, 800)
        qtbot.waitUntil(lambda: not driver.page.requests.is_pending, timeout=20_000)
        cells, ratio = canvas.map_layout.cells, canvas.devicePixelRatioF()
        height, wide = tiles_said(driver.page.also.text())
        assert (height, wide) == canvas.map_picture.values.shape
        assert height <= cells.height() * ratio < height + 1
        assert wide <= cells.width() * ratio < wide + 1
        assert canvas.map_picture.values.max() == driver.weights.max()
        assert sequential(1.0) in names_in(canvas.grab().toImage(), cells)
    finally:
        driver.window.resize(size)


@pytest.mark.parametrize(("left", "side"), [(10.0, 431.0), (10.5, 430.5), (3.25, 207.9)])
def test_every_tile_is_in_the_image_wherever_it_begins(left, side):
    picture, look = map_picture(heads_frame(LONG), HeadsView()), Look()
    layout = replace(layout_of(picture, look, QRectF(0, 0, 700, 700)), cells=QRectF(left, left, side, side))
    image = QImage(500, 500, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    paint_cells(painter, picture, layout, look)
    painter.end()
    few = picture.fitted(int(side), int(side))
    drawn = image.copy(round(left), round(left), int(side), int(side))
    pixels = np.frombuffer(drawn.constBits(), np.uint32).reshape(int(side), int(side))
    brightest = np.argwhere(pixels & 0xFFFFFF == int(sequential(1.0)[1:], 16)).tolist()
    assert list(divmod(int(few.values.argmax()), int(side))) in brightest


@pytest.mark.parametrize("mask", [MaskChoice(), MaskChoice(MaskKind.CAUSAL)])
def test_a_picture_in_fewer_tiles_knows_which_cells_share_one(mask):
    frame = heads_frame(replace(LONG, mask=mask))
    picture, weights = map_picture(frame, HeadsView(), tiles=(256, 200)), frame.map.weights()
    few = picture.fitted(90, 70)
    assert few.values.shape == (90, 70)
    for cell in ((0, 0), (299, 411), (599, 599), tuple(np.argwhere(weights == weights.max())[0].tolist())):
        rows, columns = few.tile_of(*cell)
        assert cell[0] in rows
        assert cell[1] in columns
        place = tuple(int(np.searchsorted(ends, at, "right")) - 1 for ends, at in zip(few.tiles_end, cell, strict=True))
        assert few.values[place] == weights[rows.start : rows.stop, columns.start : columns.stop].max()
        assert few.masked[place] == (few.values[place] == 0.0), "softmax gives every cell that is seen some weight"
