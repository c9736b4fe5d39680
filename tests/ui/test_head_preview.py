"""The head under the pointer, among all of them: shown large enough to read, beside what is pointed at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from heads_driver import pixels, widget_texts
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.heads.ui.head_wall import HeadWall
from attention_explorer.session.settings import Settings, ThemeChoice


@pytest.fixture
def open_wall(make_window, hand):
    def make(heads: HeadsState, size: tuple[int, int] = (1280, 800)) -> HeadWall:
        heads = heads.with_view(picture=Picture.ALL)
        window = make_window(ExplorerState(heads=heads), Settings(theme=ThemeChoice.LIGHT, page="heads"), size)
        window.page.settle()
        QApplication.processEvents()
        return window.page.wall

    return make


def place(wall: HeadWall, layer: int, head: int) -> QRectF:
    return wall.box_of(wall.index_of(layer, head))


def seen(wall: HeadWall) -> QImage:
    return wall.grab().toImage()


@pytest.mark.parametrize("size", [(1280, 800), (1024, 768)])
def test_the_head_under_the_pointer_is_shown_larger_beside_it(open_wall, hand, size) -> None:
    wall = open_wall(heads_preset("minilm").state, size)
    resting, room = seen(wall), QRectF(wall.rect())
    for layer, head in ((0, 0), (0, 11), (3, 2), (5, 10), (2, 5), (2, 6)):
        small = place(wall, layer, head)
        hand(wall).move(small.center())
        box = wall.above.preview
        assert box.width() > 1.6 * small.width()
        assert room.contains(box)
        assert not box.intersects(small)
        assert seen(wall).copy(box.toAlignedRect()) != resting.copy(box.toAlignedRect())
    hand(wall).move(QPointF(1, 1))
    assert wall.above.preview.isEmpty()
    assert seen(wall) == resting, "what it lay over is whole again"


def test_the_preview_stays_where_it_is_until_it_would_cover_what_is_pointed_at(open_wall, hand) -> None:
    wall = open_wall(heads_preset("minilm").state)
    boxes = []
    for head in (0, 3, 5, 11, 8, 6):
        hand(wall).move(place(wall, 2, head).center())
        boxes.append(wall.above.preview)
    right, left = boxes[0], boxes[3]
    assert left.right() < right.left()
    assert boxes == [right, right, right, left, left, left]


def test_its_cells_have_the_colours_of_the_small_map_and_no_number_of_another_head(open_wall, hand) -> None:
    wall = open_wall(heads_preset("minilm").state)
    hand(wall).move(place(wall, 0, 2).center())
    one_back = pixels(seen(wall).copy(wall.above.preview.toAlignedRect()))
    hand(wall).move(place(wall, 0, 0).center())
    other = pixels(seen(wall).copy(wall.above.preview.toAlignedRect()))
    yellow = 0xFDE725  # the end of the colours: a row of head 1.3 gives the token before nearly all
    share = [np.count_nonzero(image == yellow) for image in (one_back, other)]
    assert share[0] > 10 * max(share[1], 1)


def test_heads_that_are_large_anyway_have_none(open_wall, hand) -> None:
    wall = open_wall(HeadsState())
    hand(wall).move(place(wall, 0, 3).center())
    assert wall.survey_at(wall.hovered) is not None
    assert wall.above.preview.isEmpty()


def test_the_colours_of_all_heads_are_called_what_they_are(open_wall) -> None:
    start = heads_preset("minilm").state
    for heads, title in ((start, "weight"), (replace(start.with_view(signed=True), other=start.setup), "A − B")):
        wall = open_wall(heads)
        legend = wall.window().page.wall_side.legend
        assert title in widget_texts(legend)
        assert legend.accessibleDescription().startswith(title)
