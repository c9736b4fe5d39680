"""The growth charts: which chart is where, what its lines stand for, and what is said of a point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from svg_reader import text_places

from attention_explorer.kit.export.svg_file import svg_bytes
from attention_explorer.kit.pictures.pointed_picture import Spot
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.scaling.growth import STOPS, GrowthPicture, growth_picture
from attention_explorer.pages.scaling.rows import Measure
from attention_explorer.pages.scaling.state import ScalingPicture, ScalingState
from attention_explorer.pages.scaling.ui.growth_picture import growth_layout, growth_words, paint_growth

LOOK, SIZE = Look(LIGHT), QSize(900, 700)
STATE = ScalingState(picture=ScalingPicture.GROWTH, draws=8, keys=4)

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture(scope="module")
def picture() -> GrowthPicture:
    return growth_picture(STATE)


def test_the_charts_are_read_like_a_text(picture: GrowthPicture) -> None:
    layout = growth_layout(picture, LOOK, QRectF(0, 0, SIZE.width(), SIZE.height()))
    first, second, third, fourth = (chart.box for chart in layout.charts)
    assert first.right() < second.left()
    assert first.bottom() < third.top()
    assert (fourth.left(), fourth.top()) == (second.left(), third.top())


def test_uniform_weights_are_one_over_the_number_of_keys(picture: GrowthPicture) -> None:
    layout = growth_layout(picture, LOOK, QRectF(0, 0, SIZE.width(), SIZE.height()))
    figure = svg_bytes(lambda p: paint_growth(p, picture, layout, LOOK), SIZE, 1.0, "growth", "")
    middle = {text: place.boundingRect().center() for text, place in text_places(figure)}
    plot = layout.charts[1].plot
    height = plot.bottom() - 0.25 / 1.04 * plot.height()  # 1/4, on an axis from 0 to 1.04
    assert middle["uniform: 1/4"].y() == pytest.approx(height, abs=16)


def test_the_prediction_of_raw_scores_is_that_of_raw_scores(picture: GrowthPicture) -> None:
    """Products of 64 independent entries of spread 1 have a spread of √64 = 8, and 1 once divided by it."""
    said = growth_words(picture, Spot(0, STOPS.index(64)))
    raw, scaled = said.split(" · ")[:2]
    assert raw.endswith("(predicted 8)")
    assert scaled.endswith("(predicted 1)")


def test_whiskers_reach_two_standard_errors(picture: GrowthPicture) -> None:
    point = picture.point_at(64)
    assert point is not None
    point = replace(
        point,
        raw=replace(point.raw, largest=Measure(0.5, 0.1)),
        scaled=replace(point.scaled, largest=Measure(0.9, 0.0)),
    )
    alone = replace(picture, state=replace(STATE, d_k=1), points=(point,))
    layout = growth_layout(alone, LOOK, QRectF(0, 0, SIZE.width(), SIZE.height()))
    image = QImage(SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.card))
    painter = QPainter(image)
    paint_growth(painter, alone, layout, LOOK)
    painter.end()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(SIZE.height(), SIZE.width())
    chart = layout.charts[1]

    def is_drawn(value: float) -> bool:
        at = QPointF(chart.x(64), chart.y(value))
        return bool((pixels[round(at.y()), round(at.x()) - 1 : round(at.x()) + 2] != QColor(LIGHT.card).rgb()).any())

    assert [is_drawn(value) for value in (0.33, 0.37, 0.63, 0.67)] == [True] * 4
    assert [is_drawn(value) for value in (0.27, 0.73)] == [False] * 2
