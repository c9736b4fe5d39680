"""What rests is painted once: only what moves is painted anew, and what is seen is the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from heads_driver import pixels
from picture_on_canvas import PictureOnCanvas
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest

from attention_explorer.kit.items.item import is_alike
from attention_explorer.kit.items.plot_marks import Curve, Handle
from attention_explorer.kit.pictures.pointed_picture import PointedPicture
from attention_explorer.pages.lab.ui.views import views as lab_views
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.positions.ui.views import view_of
from attention_explorer.pages.preset_lists import preset_list

POSITIONS_PRESETS = preset_list("positions")

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def grounds(monkeypatch: pytest.MonkeyPatch) -> list[PointedPicture]:
    """Return of whom the ground was painted, again and again."""
    found = list[PointedPicture]()
    painted = PointedPicture._ground_of

    def count(self, *arguments):
        found.append(self)
        return painted(self, *arguments)

    monkeypatch.setattr(PointedPicture, "_ground_of", count)
    return found


def painted_whole(canvas) -> np.ndarray:
    """Return the pixels of a picture that is painted in one go."""
    laid, pixmap = canvas.picture_layout, canvas.empty_pixmap()
    painter = QPainter(pixmap)
    laid.item.paint(painter, laid.layout, laid.look)
    painter.end()
    return pixels(pixmap.toImage().convertToFormat(QImage.Format.Format_RGB32)).copy()


def off(canvas) -> float:
    """Return which share of the pixels of a canvas are not those of its picture painted in one go."""
    seen = pixels(canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32))
    return float((seen != painted_whole(canvas)).mean())


@pytest.mark.parametrize("ready", POSITIONS_PRESETS, ids=lambda ready: ready.id)
def test_ground_and_what_moves_over_it_are_the_picture(qtbot, hand, ready) -> None:
    at = PictureOnCanvas(qtbot, hand, view_of(ready.state.picture).picture, ready.state)
    assert off(at.canvas) == 0.0


@pytest.mark.parametrize("view", lab_views(lambda: None), ids=lambda view: view.title)
def test_so_it_is_in_the_lab(qtbot, hand, view) -> None:
    state = view.of(view.presets[0].state)
    at = PictureOnCanvas(qtbot, hand, view.picture, state)
    assert off(at.canvas) == 0.0


@pytest.mark.parametrize("kind", [PositionKind.SINUSOIDAL, PositionKind.LEARNED, PositionKind.ROTARY])
def test_moving_the_position_leaves_map_and_waves_alone(qtbot, hand, grounds, kind) -> None:
    state = PositionsState(kind, position=20)
    at = PictureOnCanvas(qtbot, hand, view_of(PositionsPicture.ENCODING).picture, state)
    before = pixels(at.canvas.grab().toImage()).copy()
    assert len(grounds) == 1
    at.show(replace(state, position=41))
    assert (pixels(at.canvas.grab().toImage()) != before).any()
    assert off(at.canvas) == 0.0
    assert len(grounds) == 1
    at.show(replace(state, position=41, length=50))
    at.canvas.grab()
    assert len(grounds) == 2


def test_what_rests_is_painted_anew_in_another_room_and_after_it_was_hidden(qtbot, hand, grounds) -> None:
    at = PictureOnCanvas(qtbot, hand, view_of(PositionsPicture.CLOCKS).picture, PositionsState(d_model=16))
    at.canvas.grab()
    at.canvas.resize(700, 500)
    at.canvas.grab()
    assert len(grounds) == 2
    at.canvas.forget_pixels()
    assert off(at.canvas) == 0.0
    assert len(grounds) == 3


def test_a_dragged_slider_paints_no_map_and_no_face(page_window, grounds) -> None:
    window = page_window("positions")
    for view in (PositionsPicture.ENCODING, PositionsPicture.CLOCKS):
        window.page.show_view(view_of(view))
        slider = window.page.main.slider_of(window.page.view).slider
        window.page.canvas.grab()
        slider.setFocus()
        del grounds[:]
        for _ in range(5):
            QTest.keyClick(slider, Qt.Key.Key_Right)
            window.page.canvas.grab()
        assert window.page.canvas not in grounds
        assert off(window.page.canvas) == 0.0


def test_arrays_are_alike_by_their_numbers() -> None:
    x = np.arange(4.0)
    assert is_alike(Curve(x, x), Curve(x.copy(), x.copy()))
    assert not is_alike(Curve(x, x), Curve(x, x + 1))
    assert not is_alike(Curve(x, x), Curve(x[:3], x[:3]))
    assert is_alike(Curve(x, np.full(4, np.nan)), Curve(x, np.full(4, np.nan)))
    assert not is_alike((Handle("a", 1.0),), (Handle("a", 2.0),))
    assert not is_alike((1.0,), (1.0, 2.0))
    assert not is_alike(1.0, None)
