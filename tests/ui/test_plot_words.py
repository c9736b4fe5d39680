"""Words in a plot stand at their place and give way to one another; what stands above another shares its columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from writing_driver import Written, written_by

from attention_explorer.kit.items.plot import Plot, PlotLayout
from attention_explorer.kit.items.plot_marks import Axis, Bracket, Label, Line, Mark
from attention_explorer.kit.items.strips import Strip, Strips
from attention_explorer.kit.theme import LIGHT, Look

BOX = QRectF(0, 0, 400, 300)
LOOK = Look()

pytestmark = pytest.mark.usefixtures("qapp")


def plot_of(*marks: Mark, **settings: Any) -> Plot:
    across = Axis(0.0, 10.0, ticks=settings.pop("ticks", ()))
    return Plot("Plot", across, Axis(0.0, 1.0, is_bare=True), marks, **settings)


def written(plot: Plot) -> tuple[PlotLayout, dict[str, Written]]:
    layout = plot.layout(LOOK, BOX)
    lines = written_by(lambda painter: plot.paint(painter, layout, LOOK), BOX)
    return layout, {line.text: line for line in lines}


@pytest.mark.parametrize("anchor", [(0.0, 0.5), (0.5, 1.0), (1.0, 0.0)])
def test_fixed_words_stand_beside_their_place(anchor: tuple[float, float]) -> None:
    layout, lines = written(plot_of(Label(5.0, 0.5, "name\n± 1.00", fixed=True, anchor=anchor, gap=10.0)))
    place, box = layout.place(5.0, 0.5), lines["name"].box.united(lines["± 1.00"].box)
    assert lines["name"].box.bottom() <= lines["± 1.00"].box.top() + 3
    if anchor[0] != 0.5:
        assert abs(box.left() - place.x() - 10 if anchor[0] == 0 else place.x() - 10 - box.right()) < 3
    if anchor[1] == 0.5:
        assert box.center().y() == pytest.approx(place.y(), abs=3)
    else:
        assert box.bottom() < place.y() if anchor[1] else box.top() > place.y()


def test_words_stay_within_the_plot_and_never_cover_one_another() -> None:
    long = "words that would go on beyond the right end"
    layout, lines = written(
        plot_of(
            Label(9.0, 0.5, long, fixed=True),
            Label(8.5, 0.5, "covered", fixed=True),
            Label(9.0, 0.8, "free", fixed=True),
        )
    )
    assert lines[long].box.right() <= layout.plot.right() + 1
    assert "free" in lines
    assert "covered" not in lines


def test_the_words_of_a_line_make_way() -> None:
    level = Line(0.5, level=True, text="limit")
    alone, beside = (written(plot_of(level, *marks))[1] for marks in ((), (Label(10.0, 0.52, "100", fixed=True),)))
    assert alone["limit"].box.bottom() < beside["limit"].box.top()
    assert not beside["limit"].box.intersects(beside["100"].box)
    layout, lines = written(plot_of(Line(9.8, text="no room at the right")))
    assert lines["no room at the right"].box.right() < layout.place(9.8, 0.0).x()


def test_a_bracket_has_ends_where_it_ends() -> None:
    plot = plot_of(Bracket(2.0, 14.0, 0.5, "loss"))
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.card))
    painter, layout = QPainter(image), plot.layout(LOOK, BOX)
    plot.paint(painter, layout, LOOK)
    painter.end()
    red = np.frombuffer(image.constBits(), np.uint32).reshape(300, 400) & 0xFFFFFF == int(LIGHT.loss[1:], 16)
    columns = np.flatnonzero(red.any(axis=0))
    assert columns[0] == pytest.approx(layout.place(2.0, 0.0).x(), abs=2)
    assert columns[-1] == pytest.approx(layout.plot.right(), abs=2)
    heights = red.sum(axis=0)
    assert heights[columns[:3]].max() > 10
    assert heights[columns[3:]].max() < 4


def test_what_stands_above_one_another_shares_its_columns() -> None:
    ticks = tuple((number + 0.5, f"key {number}") for number in range(10))
    wide = Plot("Wide", Axis(0.0, 10.0, ticks=ticks), Axis(0.0, 1e4), (), margin=90.0).layout(LOOK, BOX).plot
    narrow = plot_of(margin=90.0).layout(LOOK, BOX).plot
    cells = Strips("Strips", (Strip("query 1", np.zeros(10)),), margin=90.0).layout(LOOK, BOX).cells
    assert (wide.left(), wide.right()) == (narrow.left(), narrow.right()) == (cells.left(), cells.right())


def test_ticks_of_words_are_left_out_only_where_they_have_no_room() -> None:
    few, many = (tuple((number + 0.5, f"key {number}") for number in range(0, 10, step)) for step in (2, 1))
    assert [text for text in written(plot_of(ticks=few))[1] if "key" in text] == [text for _, text in few]
    shown = [text for text in written(plot_of(ticks=many, margin=200.0))[1] if "key" in text]
    assert 2 <= len(shown) < 10
