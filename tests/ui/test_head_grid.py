"""All heads of all layers in a grid: seen at once, chosen with mouse and keys, and by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from heads_driver import pixels, widget_texts
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from window_driver import copied_numbers

from attention_explorer.kit.drawing.colour_maps import pixels_of
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import frame_to_show
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.recorded import heads_of_file
from attention_explorer.pages.heads.state import HeadsState, HeadsView, Picture, SortBy
from attention_explorer.pages.heads.survey import surveys_of
from attention_explorer.pages.heads.ui.figure import HeadsFigure
from attention_explorer.pages.heads.ui.wall import with_edge
from attention_explorer.pages.heads.ui.wall_grid import WallGrid
from attention_explorer.pages.heads.ui.wall_picture import PrintedWall
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.recorded_source import RecordedSource


@pytest.fixture
def open_heads(make_window):
    def make(heads: HeadsState, size: tuple[int, int] = (1280, 800), *, is_all: bool = True):
        heads = heads.with_view(picture=Picture.ALL) if is_all else heads
        window = make_window(ExplorerState(heads=heads), Settings(theme=ThemeChoice.LIGHT, page="heads"), size)
        window.page.settle()
        QApplication.processEvents()
        return window

    return make


@pytest.fixture
def saved(tmp_path):
    def save(**arrays) -> HeadsState:
        np.savez(tmp_path / "model.npz", **arrays)
        return heads_of_file(tmp_path / "model.npz")

    return save


def chosen(window) -> tuple[int, int]:
    setup = window.session.state.heads.setup
    return setup.layer, setup.head


def middle(window, layer: int, head: int) -> QPoint:
    wall = window.page.wall
    return wall.box_of(wall.index_of(layer, head)).center().toPoint()


@pytest.mark.parametrize("size", [(1280, 800), (1024, 768)])
@pytest.mark.parametrize(("layers", "heads"), [(12, 12), (30, 9)])
def test_all_heads_are_seen_at_once(open_heads, saved, size, layers, heads):
    window = open_heads(saved(attention=np.full((layers, heads, 3, 3), 1 / 3)), size)
    wall, scroll = window.page.wall, window.page.wall_side._scroll
    assert wall.is_whole
    assert scroll.verticalScrollBar().maximum() == 0
    boxes = {(layer, head): wall.place_of(layer, head) for layer in range(layers) for head in range(heads)}
    assert all(wall.rect().contains(box.toAlignedRect()) for box in boxes.values())
    lines = (QRectF.left, QRectF.right) if wall.grid.is_sideways else (QRectF.top, QRectF.bottom)
    assert all(side(boxes[layer, 0]) == side(boxes[layer, heads - 1]) for layer in range(layers) for side in lines)
    assert min(box.width() for box in boxes.values()) >= 9


def test_a_head_is_chosen_with_the_mouse_and_the_arrows_walk_the_grid(open_heads):
    window = open_heads(heads_preset("minilm").state)
    wall = window.page.wall
    QTest.mouseClick(wall, Qt.MouseButton.LeftButton, pos=middle(window, 2, 7))
    assert chosen(window) == (2, 7)
    assert window.session.state.heads.view.picture is Picture.HEATMAP, "it grows"
    window.page.show_view(window.page.view_named(Picture.ALL))
    wall.setFocus()
    for key, place in (
        (Qt.Key.Key_Down, (3, 7)),
        (Qt.Key.Key_Right, (3, 8)),
        (Qt.Key.Key_Up, (2, 8)),
        (Qt.Key.Key_Left, (2, 7)),
    ):
        QTest.keyClick(wall, key)
        assert chosen(window) == place
    QTest.keyClick(wall, Qt.Key.Key_Return)
    assert window.session.state.heads.view.picture is Picture.HEATMAP
    assert window.page.canvas.frame.head == 7


@pytest.mark.parametrize("picture", Picture)
@pytest.mark.parametrize("in_grid", [False, True])
def test_typing_the_name_of_a_head_goes_to_it_wherever_the_keyboard_is(open_heads, picture, in_grid):
    heads = HeadsState().with_recipe(layers=3, heads=4).with_view(picture=picture, in_grid=in_grid)
    window = open_heads(heads, is_all=False)
    page = window.page
    page.settle()
    for place in (page.wall, page.canvas, page.panel.more):
        place.setFocus()
        QTest.keyClicks(place, "L3H4")
        assert chosen(window) == (2, 3)
        QTest.keyClicks(place, "l2h3")
        assert chosen(window) == (1, 2)
        said = []
        page.said.connect(said.append)
        QTest.keyClicks(place, "L7H1")
        assert said[-2:] == ["Go to L7H …", "There is no L7H1: layers and heads count from 1."]
        assert chosen(window) == (1, 2)
        QTest.keyClicks(place, "L2H3")
        assert said[-1] != "Go to L2H …", "it is there"
    assert not window.session.state.heads.setup.hard, "the H is a letter of the name"
    page.wall.setFocus()
    QTest.keyClick(page.wall, Qt.Key.Key_Space)  # what else the keys do, they still do
    assert window.session.state.heads.setup.switched_off == {(1, 2)}


def test_a_name_that_is_not_gone_on_with_leaves_the_keys_what_they_are(open_heads):
    window = open_heads(HeadsState().with_recipe(layers=3, heads=4))
    canvas, hard = window.page.canvas, lambda: window.session.state.heads.setup.hard
    canvas.setFocus()
    QTest.keyClicks(canvas, "LH")
    assert hard(), "without a layer the H is no letter of a name"
    QTest.keyClicks(canvas, "L2")
    window.page.wall.setFocus()
    QTest.keyClicks(window.page.wall, "H")
    assert not hard(), "the name was begun elsewhere"
    QTest.keyClicks(window.page.wall, "L2 H")
    assert hard()
    assert chosen(window) == (0, 0)


def test_a_name_typed_as_a_word_of_the_sentence_is_one(open_heads):
    window = open_heads(HeadsState().with_recipe(layers=3, heads=4))
    window.page.subject.sentence.edit()
    field = window.page.subject.sentence.field
    field.setFocus()
    QTest.keyClicks(field, "L2H3")
    assert chosen(window) == (0, 0)
    assert "L2H3" in field.text()


def test_shift_is_part_of_typing_a_capital_letter(open_heads):
    window = open_heads(heads_preset("minilm").state)
    wall = window.page.wall
    wall.setFocus()
    for letter in "L4H2":
        shift = Qt.KeyboardModifier.ShiftModifier if letter.isalpha() else Qt.KeyboardModifier.NoModifier
        if letter.isalpha():
            QTest.keyPress(wall, Qt.Key.Key_Shift)
        QTest.keyClick(wall, letter, shift)
        if letter.isalpha():
            QTest.keyRelease(wall, Qt.Key.Key_Shift)
    assert chosen(window) == (3, 1)
    assert not window.session.state.heads.setup.hard, "the H is a letter of the name"


def test_all_heads_are_as_large_as_there_is_room_and_come_back_as_a_strip(open_heads):
    window = open_heads(HeadsState().with_recipe(layers=3, heads=4), is_all=False)
    wall, page = window.page.wall, window.page
    narrow = wall.box_of(0).width()
    page.show_view(page.view_named(Picture.ALL))
    QApplication.processEvents()
    assert wall.box_of(0).width() > narrow
    assert not wall.grid.is_bare, "twelve heads have names"
    window.session.apply(ExplorerState(heads=window.session.state.heads.with_view(in_grid=True)), "A line a layer")
    QApplication.processEvents()
    assert (wall.grid.is_bare, wall.grid.shape[1]) == (True, 4)
    page.show_view(page.view_named(Picture.HEATMAP))
    QApplication.processEvents()
    assert wall.box_of(0).width() == narrow


def test_the_order_of_the_grid_is_that_of_the_wall(open_heads):
    heads = heads_preset("minilm").state
    window = open_heads(heads.with_view(sort=SortBy.PREVIOUS))
    assert window.page.wall.index_of(0, 2) == 0, "the head that looks at the token before"


def test_layers_of_different_head_counts_are_all_there(open_heads, saved):
    layers = {f"attention.{place}": np.full((heads, 3, 3), 1 / 3) for place, heads in enumerate((2, 4, 3))}
    window = open_heads(saved(**layers))
    wall = window.page.wall
    assert wall.is_whole
    assert [survey.place for survey in wall.surveys] == [
        (0, 0),
        (0, 1),
        *((1, h) for h in range(4)),
        (2, 0),
        (2, 1),
        (2, 2),
    ]
    QTest.mouseClick(wall, Qt.MouseButton.LeftButton, pos=middle(window, 1, 3))
    assert chosen(window) == (1, 3)
    assert "layer 2, head 4" in window.page.canvas.heading
    assert copied_numbers(window.page)


def test_the_numbers_are_painted_when_the_last_head_comes(open_heads, saved):
    window = open_heads(saved(attention=np.full((5, 4, 3, 3), 1 / 3)).with_view(in_grid=True))
    wall, frame, view = window.page.wall, window.page._frame, window.session.state.heads.view
    heads, painted = wall.all_surveys, []
    wall.forget()
    wall.show_surveys(frame, replace(view, row=None), heads[:7])
    wall.show_surveys(frame, replace(view, row=None), heads[:9])
    QApplication.processEvents()

    class Watch(QObject):
        def eventFilter(self, _widget, event):  # noqa: N802
            if event.type() is QEvent.Type.Paint:
                painted.append(event.region())
            return False

    watch = Watch()
    wall.installEventFilter(watch)
    wall.show_surveys(frame, replace(view, row=None), heads)
    QApplication.processEvents()
    wall.removeEventFilter(watch)
    above = QPoint(round(wall.box_of(3).center().x()), round(wall.grid.top / 2))
    assert any(region.contains(above) for region in painted)


def test_each_layer_of_an_uneven_model_has_a_numbered_line(open_heads, saved):
    layers = {f"attention.{place}": np.full((heads, 3, 3), 1 / 3) for place, heads in enumerate((2, 4, 3))}
    window = open_heads(saved(**layers).with_view(in_grid=True))
    page, wall = window.page, window.page.wall
    boxes = {place: wall.place_of(*place) for place in page._frame.places}
    assert len({box.top() for box in boxes.values()}) == 3
    assert all(boxes[place].top() == boxes[place[0], 0].top() for place in boxes)
    assert all(boxes[place].left() == boxes[1, place[1]].left() for place in boxes)
    assert all(wall.grid.index_at(box.center()) == wall.index_of(*place) for place, box in boxes.items())
    beyond = boxes[1, 3].center()
    beyond.setY(boxes[0, 0].center().y())
    assert wall.grid.index_at(beyond) is None, "the first layer has no fourth head"
    assert widget_texts(wall) == ["1", "2", "3", "4", "1", "2", "3"], "heads above, layers beside them"
    wall.setFocus()
    for key, place in (
        (Qt.Key.Key_Down, (1, 0)),
        *[(Qt.Key.Key_Right, (1, head)) for head in (1, 2, 3)],
        (Qt.Key.Key_Up, (0, 1)),
        (Qt.Key.Key_Right, (1, 0)),
        (Qt.Key.Key_Down, (2, 0)),
        (Qt.Key.Key_Down, (2, 2)),
    ):
        QTest.keyClick(wall, key)
        assert chosen(window) == place
    for _ in range(9):
        QTest.keyClick(wall, Qt.Key.Key_P)
    assert chosen(window) == (0, 0)


@pytest.mark.parametrize("width", [None, 360.0])
def test_a_figure_of_an_uneven_model_has_a_line_for_each_layer(qapp, saved, width):
    counts = (2, 5, 3)
    heads = saved(**{f"attention.{place}": np.full((count, 3, 3), 1 / 3) for place, count in enumerate(counts)})
    frame, look = frame_to_show(heads.setup), HeadsFigure(heads).look
    printed = PrintedWall(frame, heads.view, surveys_of(frame), width)
    size = printed.size(look)
    image = QImage(round(size[0]), round(size[1]), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    printed.paint(painter, printed.layout(look, QRectF(0, 0, *size)), look)
    painter.end()
    is_map = pixels(image) == pixels_of(np.full((1, 1), 1 / 3), None, heads.view.colour_map, "#000000")[0, 0] & 0xFFFFFF
    starts = [np.flatnonzero(np.diff(line, prepend=0) == 1) for line in is_map.astype(int)]
    lines = [tuple(line) for line, above in zip(starts[1:], starts, strict=False) if len(line) and not len(above)]
    assert [len(line) for line in lines[:3]] == list(counts)
    assert all(line == lines[1][: len(line)] for line in lines[:3]), "heads of a number stand below each other"


def test_how_the_wall_is_shown_computes_nothing_anew(open_heads):
    window = open_heads(heads_preset("minilm").state)
    before = window.page.requests.wanted
    heads = window.session.state.heads.with_view(in_grid=False, row=1)
    window.session.apply(ExplorerState(heads=heads), "Thumbnails")
    assert window.page.requests.wanted == before
    assert HeadsView().in_grid is False


def test_the_grid_asks_its_source_nothing_while_it_is_painted(open_heads, saved, monkeypatch):
    window = open_heads(saved(attention=np.full((5, 4, 3, 3), 1 / 3)).with_view(in_grid=True))
    wall = window.page.wall
    asked = []
    heads = RecordedSource.heads
    monkeypatch.setattr(RecordedSource, "heads", property(lambda self: (asked.append(self), heads.fget(self))[1]))
    before = pixels(wall.grab().toImage())
    few = len(asked)
    wall.forget_pixels()
    assert (pixels(wall.grab().toImage()) == before).all()
    assert few <= 3, "a person sees 270 heads of a large model painted"
    assert not wall._tiles


@pytest.mark.parametrize("is_sideways", [False, True])
def test_a_part_of_the_wall_has_the_heads_whose_frames_reach_into_it(is_sideways):
    grid = WallGrid((0, 5, 7, 12), 3.25, 20.0, 31.5, 40.5, 17.25, is_sideways=is_sideways)
    draw = np.random.default_rng(1)
    for left, top, width, height in zip(*draw.integers((-20, -20, 1, 1), (200,) * 4, (500, 4)).T.tolist(), strict=True):
        part = QRect(left, top, width, height)
        reach = [index for index in range(12) if with_edge(grid.box_of(index)).intersects(part)]
        assert list(grid.indices_in(part)) == reach
    everything = QRect(0, 0, 1000, 1000)
    assert list(grid.indices_in(everything)) == list(range(12))
    assert not list(grid.indices_in(QRect(0, 0, 10, 1000)))
    assert not list(grid.indices_in(QRect(50, 20, 0, 0))), "of a wall that is out of sight"
