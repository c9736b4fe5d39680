"""What the pages with one large picture get from their frame, whichever page it is."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace

import pytest
from heads_driver import painted_texts, pixels
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QBoxLayout

from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.items.item import Item
from attention_explorer.kit.picture import Laid, Picture
from attention_explorer.kit.pictures.canvas import PicturesCanvas
from attention_explorer.kit.pictures.pointed_picture import NOWHERE, Spot
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lab.state import LabState, LabView
from attention_explorer.session.settings import Settings, ThemeChoice

PAGES = ("positions", "layer", "lab")


@pytest.fixture
def open_page(make_window):
    def make(page: str, state: ExplorerState | None = None, size: tuple[int, int] = (1280, 800)):
        settings = Settings(theme=ThemeChoice.LIGHT, page=page)
        window = make_window(ExplorerState() if state is None else state, settings, size)
        window.page.settle()
        QApplication.processEvents()
        return window

    return make


@pytest.mark.parametrize("page", PAGES)
def test_in_a_narrow_window_one_thing_scrolls_and_not_one_within_another(open_page, qtbot, page):
    window = open_page(page)
    shown = window.page
    assert shown._columns.direction() is QBoxLayout.Direction.LeftToRight
    for wide in (900, 700, 800):
        window.resize(wide, 650)
        QApplication.processEvents()
        assert shown._columns.direction() is QBoxLayout.Direction.TopToBottom
        bar = shown._panel_scroll.verticalScrollBar()
        qtbot.waitUntil(lambda bar=bar: bar.maximum() == 0)
        assert shown._panel_scroll.height() - shown.panel.sizeHint().height() < 100  # no higher than what it says
    window.resize(1280, 800)
    QApplication.processEvents()
    assert shown._columns.direction() is QBoxLayout.Direction.LeftToRight
    assert shown._panel_scroll.minimumHeight() == 0


@pytest.mark.parametrize("field", ["sentence", "other_sentence"])
@pytest.mark.parametrize("in_drawer", [False, True])
def test_an_undone_sentence_is_shown_though_its_line_has_the_keyboard(open_page, field, in_drawer):
    window = open_page("lab", ExplorerState(lab=LabState(LabView.INPUTS)))
    page, before = window.page, getattr(window.session.state.cost, field)
    page.open_drawer(in_drawer)
    line = (page.drawer.form if in_drawer else page.form_of(page.view)).controls[field]
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "we saw her")
    assert getattr(window.session.state.cost, field) == "we saw her"
    window.session.undo()
    assert line.text() == before
    window.page.canvas.setFocus()  # which must not type it again
    assert getattr(window.session.state.cost, field) == before


# ---- The canvas ----


def paint_ground(painter: QPainter, picture, _layout, _look) -> None:
    painter.fillRect(QRectF(0, 0, 40, 40), colour_of("#0072B2" if picture[0] else "#009E73"))


def paint_front(painter: QPainter, picture, _layout, _look) -> None:
    painter.fillRect(QRectF(50 + 10 * picture[1], 0, 10, 40), colour_of("#D55E00"))


def paint_both(painter: QPainter, picture, layout, look, *, vector: bool = False) -> None:
    paint_ground(painter, picture, layout, look)
    paint_front(painter, picture, layout, look)


@dataclass(frozen=True)
class Squares(Item[QRectF]):
    """The same as an item, of which the front moves."""

    name: str
    ground: int
    front: int | None
    painted: list[int] = field(compare=False)
    """The grounds that were painted, one after the other."""

    def paint(self, painter: QPainter, layout: QRectF, look: Look, *, vector: bool = False) -> None:
        self.painted.append(self.ground)
        paint_ground(painter, (self.ground, self.front), layout, look)
        self.paint_moving(painter, layout, look)

    def resting(self) -> Squares:
        return replace(self, front=None)

    def paint_moving(self, painter: QPainter, layout: QRectF, look: Look) -> None:
        if self.front is not None:
            paint_front(painter, (self.ground, self.front), layout, look)


class Whole(Picture):
    """A picture whose numbers are a pair: (what the ground shows, where the front is)."""

    def __init__(self, rooms: list[QRectF] | None = None) -> None:
        self.rooms = [] if rooms is None else rooms

    def layout(self, _numbers, _look, room):
        self.rooms.append(room)
        return room

    def paint(self, painter: QPainter, numbers, laid, look, *, vector: bool = False) -> None:
        paint_both(painter, numbers, laid, look)

    def mark(self, *_) -> None:
        pass

    def spot_at(self, _numbers, laid, place):
        return Spot(int(place.x()) // 10) if laid.contains(place) else NOWHERE

    def words(self, numbers, hit) -> str:
        return f"{numbers} at {hit.row}"

    def notes(self, _numbers):
        return ()


class Layered(Whole):
    """The same, laid out as an item."""

    def __init__(self, grounds: list[int]) -> None:
        super().__init__()
        self.grounds = grounds

    def layout(self, numbers, look, room):
        return Laid(Squares("squares", *numbers, self.grounds), room, look)


class Stage:
    """A canvas with such a picture."""

    def __init__(self, qtbot) -> None:
        self.grounds = list[int]()
        self.whole, self.layered = Whole(), Layered(self.grounds)
        self.canvas = PicturesCanvas(Look(LIGHT), "Test", lambda: None)
        qtbot.addWidget(self.canvas)
        self.canvas.resize(200, 100)
        self.canvas.show()

    def drawn(self, drawing, picture):
        self.canvas.show_picture(drawing, picture)
        return pixels(self.canvas.grab().toImage()).tolist()


@pytest.fixture
def stage(qtbot) -> Stage:
    return Stage(qtbot)


def test_before_the_first_picture_the_canvas_says_that_it_is_computing(stage):
    assert painted_texts(stage.canvas.paint_picture) == ["computing …"]
    assert stage.canvas.words() == ""
    stage.drawn(stage.whole, (0, 0))
    assert painted_texts(stage.canvas.paint_picture) == []


def test_the_ground_is_painted_once_for_many_fronts_and_looks_like_the_whole(stage):
    for front in range(3):
        assert stage.drawn(stage.layered, (0, front)) == stage.drawn(stage.whole, (0, front))
    assert stage.grounds == [0]
    assert stage.drawn(stage.layered, (1, 0)) == stage.drawn(stage.whole, (1, 0))
    assert stage.grounds == [0, 1]


def test_a_picture_is_laid_out_when_it_is_painted_or_pointed_at(stage, hand):
    rooms = []
    stage.drawn(Whole(rooms), (1, 2))
    rooms.clear()
    for width in (310, 320, 330):
        stage.canvas.resize(width, 200)
    assert not rooms
    stage.canvas.grab()
    stage.canvas.grab()
    assert rooms == [stage.canvas.room]
    stage.canvas.resize(340, 200)
    hand(stage.canvas).move(QPointF(100, 100))
    assert rooms[1:] == [stage.canvas.room]


def test_the_same_picture_is_not_painted_anew_but_in_another_drawing_it_is(stage):
    picture = (0, 1)
    stage.drawn(stage.whole, picture)
    kept = stage.canvas._kept
    stage.drawn(stage.whole, picture)
    assert stage.canvas._kept is kept
    stage.drawn(stage.layered, picture)
    assert stage.canvas._kept is not kept


def test_a_spot_of_one_kind_of_picture_is_forgotten_in_another(stage):
    stage.drawn(stage.whole, (0, 0))
    place = QPointF(35, 50)
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(QEvent.Type.MouseMove, place, place, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(stage.canvas, event)
    assert stage.canvas.words() == "(0, 0) at 3"
    stage.canvas.show_picture(stage.whole, (0, 2))
    assert stage.canvas.words() == "(0, 2) at 3"
    stage.canvas.show_picture(stage.layered, (0, 2))
    assert stage.canvas.words() == ""


# ---- The worker ----


def test_a_step_from_a_picture_that_was_cancelled_is_left_to_the_worker(positions, monkeypatch):
    """Quick is a step only from the picture on show, which has all that takes long."""
    from attention_explorer.pages.positions.state import PositionsPicture

    positions.open(picture=PositionsPicture.ATTENTION)
    picture = positions.view.picture
    gate, compute = threading.Event(), picture.compute

    def held_up(*order):
        gate.wait(10)
        return compute(*order)

    monkeypatch.setattr(picture, "compute", held_up)
    positions.is_patient = False
    positions.type_into(positions.field("length"), "8192")
    positions.key(Qt.Key.Key_Escape)
    gate.set()
    positions.settle()
    assert positions.picture.state.length == 64
    positions.canvas.setFocus()
    positions.key(Qt.Key.Key_Right)
    assert positions.page.jobs.is_busy()
    positions.settle()
    assert positions.picture.state.length == 8192
    assert positions.picture.key == 6
    assert "length = 8192" in positions.view.settings(positions.picture.state).replace("\xa0", " ")
