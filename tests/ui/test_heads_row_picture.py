"""The row as one picture: clicked, pointed at, stepped through and written to files, with a real mouse and keys."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from picture_on_canvas import PictureOnCanvas, drawing_of, faults_of
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from svg_reader import text_places

from attention_explorer.core.mask import MaskChoice, MaskKind
from attention_explorer.kit.drawing.marks import colour_of
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.theme import DARK, LIGHT, Look
from attention_explorer.pages.heads.parts import Part
from attention_explorer.pages.heads.presets import HEADS_PRESETS, heads_preset
from attention_explorer.pages.heads.state import Aggregate, HeadsState
from attention_explorer.pages.heads.ui.row_item import RowCell
from attention_explorer.pages.heads.ui.row_picture import PRODUCTS, ROW, RowPicture, row_item, row_words


def state_of(preset: str = "learned-it", **view: object) -> HeadsState:
    return heads_preset(preset).state.with_view(**view)


@pytest.fixture
def shown(qtbot: Any, hand: Any) -> PictureOnCanvas:
    return PictureOnCanvas(qtbot, hand, RowPicture(), state_of())


def place(shown: PictureOnCanvas, line: int, part: Part | None = None, share: float = 0.5) -> QPointF:
    """Return where a line is, or a column of it."""
    layout = shown.laid.layout
    box = layout.line(line)
    if part is None:
        return QPointF(layout.box.left() + 4, box.center().y())
    at = next(i for i, column in enumerate(shown.item.steps.columns) if column.part is part)
    left, right = layout.columns[at].span
    return QPointF(left + share * (right - left), box.center().y())


# ---- What is seen ----


def test_all_of_the_row_is_there_at_first(shown: PictureOnCanvas) -> None:
    texts = shown.texts()
    for title in ("key", "q · k", "÷ √32", "exp", "weight ÷ 791.6", "output"):
        assert title in texts
    head = shown.numbers.frame.query_key_map
    assert f"{float(head.q[7] @ head.k[1]):+.3f}" in texts
    assert shown.picture.headline(shown.numbers) == "“it” asks, “cat” answers with 0.91."
    assert shown.words_beside() <= 60


def test_bars_are_as_long_as_their_weights(shown: PictureOnCanvas) -> None:
    pixels, layout = shown.pixels(), shown.laid.layout
    at = next(i for i, column in enumerate(shown.item.steps.columns) if column.numbers is not None)
    left, width = layout.columns[at].drawn
    blue = QColor(LIGHT.key).rgb() & 0xFFFFFF
    weights = shown.numbers.steps.reading.weights
    for line in (1, 5):
        row = pixels[round(layout.line(line).center().y()), round(left) : round(left + width)]
        assert np.count_nonzero(row == blue) == pytest.approx(width * weights[line] / weights.max(), abs=2)


def test_the_bars_of_the_output_have_the_scale_of_what_makes_it(shown: PictureOnCanvas) -> None:
    """At every feature the gold bar is the sum of the green ones."""
    steps = shown.numbers.steps
    total = sum(array for array in steps.columns[-1].arrays)
    np.testing.assert_allclose(total, steps.output, rtol=1e-6, atol=1e-9)
    layout, image = shown.laid.layout, QImage(900, 700, QImage.Format.Format_RGB32)
    image.fill(colour_of(LIGHT.card))
    with QPainter(image) as painter:
        shown.picture.paint(painter, shown.numbers, shown.laid, Look(LIGHT))
    left, width = layout.columns[-1].drawn
    greens = _heights(image, layout.place(1, (left, width)), LIGHT.value)
    golds = _heights(image, layout.place(len(steps.lines), (left, width)), LIGHT.output)
    assert max(greens) > 10
    assert max(golds) == pytest.approx(
        max(greens) * np.abs(steps.output).max() / np.abs(steps.columns[-1].arrays[1]).max(), abs=3
    )


def _heights(image: QImage, box: QRectF, colour: str) -> list[int]:
    ink = QColor(colour)
    near = lambda rgb: all(abs(a - b) < 60 for a, b in zip(QColor(rgb).getRgb()[:3], ink.getRgb()[:3], strict=True))  # noqa: E731
    return [
        sum(near(image.pixel(x, y)) for y in range(math.ceil(box.top()), math.floor(box.bottom())))
        for x in range(math.ceil(box.left()), math.floor(box.right()))
    ]


def test_a_masked_key_is_drawn_as_masked_and_not_as_zero(qtbot: Any, hand: Any) -> None:
    shown = PictureOnCanvas(qtbot, hand, RowPicture(), state_of("causal", row=4))
    assert shown.texts().count("−∞") == 6
    at = next(i for i, column in enumerate(shown.item.steps.columns) if column.numbers is not None)
    left, _ = shown.laid.layout.columns[at].drawn
    pixels = shown.pixels()
    for line, is_masked in ((4, False), (5, True)):
        y = round(shown.laid.layout.line(line).center().y()) + 5
        assert (pixels[y, round(left) + 2] == QColor(LIGHT.masked).rgb() & 0xFFFFFF) is np.bool_(is_masked)


def test_a_row_with_nothing_to_attend_to_says_so(qtbot: Any, hand: Any) -> None:
    state = state_of("causal", row=0).with_setup(mask=MaskChoice(MaskKind.STRICT))
    shown = PictureOnCanvas(qtbot, hand, RowPicture(), state)
    assert shown.picture.headline(shown.numbers) == "“The” has nothing to attend to."
    assert "Nothing to attend to" in " ".join(shown.picture.says(shown.numbers))
    assert "NaN" not in " ".join(shown.texts())


# ---- Step by step ----


def test_keys_walk_through_the_steps(shown: PictureOnCanvas) -> None:
    last = shown.state.last_step
    seen = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Home, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Right):
        shown.key(key)
        seen.append(min(shown.state.view.step, last))
    assert seen == [last - 1, 0, 1, last, last]
    assert set(shown.labels) == {"Go to another step"}


def test_every_step_changes_the_picture_and_says_what_happens(shown: PictureOnCanvas) -> None:
    before, said = None, set()
    for step in range(shown.state.last_step + 1):
        shown.show(shown.state.with_view(step=step))
        part, _ = shown.numbers.steps.moments[step]
        pixels = shown.pixels()
        if before is not None and part is not Part.MASK:  # here nothing is hidden, and that is said
            assert not np.array_equal(pixels, before), step
        before = pixels
        said.add(shown.picture.headline(shown.numbers))
        assert shown.picture.headline(shown.numbers) in shown.canvas.spoken()
    assert len(said) == shown.state.last_step + 1


def test_until_they_are_computed_numbers_are_not_there(shown: PictureOnCanvas) -> None:
    steps = shown.numbers.steps
    shown.show(shown.state.with_view(step=2))
    texts = shown.texts()
    raw = steps.columns[0].texts
    assert set(raw[:3]) <= set(texts)
    assert set(raw[3:]).isdisjoint(texts)
    assert "exp" not in texts
    shown.show(shown.state.with_view(step=99))
    assert "exp" in shown.texts()


# ---- Every number explains itself ----


def test_pointing_at_a_line_says_where_its_weight_comes_from(shown: PictureOnCanvas) -> None:
    said = shown.point_at(place(shown, 1, Part.WEIGHTS))
    frame = shown.numbers.frame
    head = frame.query_key_map
    raw = float(head.q[7] @ head.k[1])
    assert said.startswith("query “it” (8) → key “cat” (2): q₈ · k₂ = ")
    assert f"{raw:+.3f}" in said
    assert f"÷ √32 = {raw / math.sqrt(32):+.3f}" in said
    assert said.endswith(f"= {float(frame.map.weights()[7, 1]):.4f}")


def test_pointing_at_a_product_gives_both_its_factors(shown: PictureOnCanvas) -> None:
    column = shown.laid.layout.columns[0]
    left, width = column.drawn
    where = QPointF(left + width * 4.5 / 32, shown.laid.layout.line(1).center().y())
    head = shown.numbers.frame.query_key_map
    q, k = float(head.q[7, 4]), float(head.k[1, 4])
    said = shown.point_at(where)
    assert said.startswith("feature 5: ")
    numbers = [float(word.replace("−", "-")) for word in said.replace("=", " ").split() if _is_number(word)]
    assert numbers == pytest.approx([q, k, q * k], rel=1e-4)


def _is_number(word: str) -> bool:
    try:
        float(word.replace("−", "-"))
    except ValueError:
        return False
    return True


def test_pointing_at_what_goes_into_the_output_and_at_the_output(shown: PictureOnCanvas) -> None:
    steps = shown.numbers.steps
    left, width = shown.laid.layout.columns[-1].drawn
    x = left + width * 2.5 / len(steps.output)
    weight, value = float(steps.reading.weights[1]), float(steps.values[1, 2])
    said = shown.point_at(QPointF(x, shown.laid.layout.line(1).center().y()))
    assert said.startswith("feature 3: weight ")
    assert float(said.rpartition("= ")[2].replace("−", "-")) == pytest.approx(weight * value, rel=1e-4)
    said = shown.point_at(QPointF(x, shown.laid.layout.line(len(steps.lines)).center().y()))
    assert said.startswith("output of “it” (8), feature 3: ")
    assert "sum of all α · v" in said


def test_the_panel_has_the_arithmetic_of_the_chosen_key_as_formulas(shown: PictureOnCanvas) -> None:
    panel = shown.picture.panel(shown.numbers)
    assert panel.title == "“it” → “cat”: where 0.9090 comes from"
    lines = panel.formula.splitlines()
    assert lines[0].startswith("[q:query]{q_8} · [k:key]{k_2} = +")
    assert "{√32}" in lines[1]
    assert lines[-1].endswith("= 0.9090")
    assert panel.sentence.startswith("Why? ")
    words = row_words(shown.numbers, Hit(PRODUCTS, (2, 7)))
    assert words.startswith("feature 8: ")


@pytest.mark.parametrize(
    ("changes", "name", "value"),
    [
        ({"hard": True}, "weight", "1"),
        ({"aggregate": Aggregate.MEAN}, "mean", "0.9090"),
    ],
)
def test_without_a_softmax_the_arithmetic_is_a_list(
    qtbot: Any, hand: Any, changes: dict[str, Any], name: str, value: str
) -> None:
    shown = PictureOnCanvas(qtbot, hand, RowPicture(), state_of().with_setup(**changes))
    panel = shown.picture.panel(shown.numbers)
    assert panel.formula == ""
    assert (name, value) in panel.items[0].rows


@pytest.mark.parametrize("changes", [{"scaled": False}, {"temperature": 0.5}, {"temperature": 0.01}])
def test_formulas_say_temperature_and_what_is_subtracted(qtbot: Any, hand: Any, changes: dict[str, Any]) -> None:
    shown = PictureOnCanvas(qtbot, hand, RowPicture(), state_of("random-words").with_setup(**changes))
    formula = shown.picture.panel(shown.numbers).formula
    assert ("√" in formula) is changes.get("scaled", True)
    assert ("÷ 0.5" in formula) is (changes.get("temperature") == 0.5)
    assert "inf" not in formula
    assert "nan" not in formula


def test_a_click_pins_a_key_and_lets_it_go_again(shown: PictureOnCanvas) -> None:
    shown.click(place(shown, 5))
    assert (shown.state.view.row, shown.state.view.column) == (7, 5)
    assert shown.picture.panel(shown.numbers).title.startswith("“it” → “mat”")
    shown.click(place(shown, 5))
    assert shown.state.view.column is None
    assert set(shown.labels) == {"Pin a token"}


def test_a_column_of_the_map_pins_queries(qtbot: Any, hand: Any) -> None:
    shown = PictureOnCanvas(qtbot, hand, RowPicture(), state_of(row=None, column=1))
    assert "attends most to “cat”" in shown.picture.headline(shown.numbers)
    shown.click(place(shown, 7))
    assert (shown.state.view.row, shown.state.view.column) == (7, 1)


def test_arrow_keys_walk_down_the_keys(shown: PictureOnCanvas) -> None:
    shown.key(Qt.Key.Key_Down)
    shown.key(Qt.Key.Key_Down)
    assert shown.said.startswith("query “it” (8) → key “cat” (2)")


# ---- Files and rooms ----


@pytest.mark.parametrize("preset", [ready.id for ready in HEADS_PRESETS])
def test_every_preset_is_drawn_without_a_fault(preset: str) -> None:
    picture, state = RowPicture(), state_of(preset)
    numbers = picture.compute(state, (0, 0))
    for size in ((460, 420), (700, 560)):
        drawing = drawing_of(picture, numbers, size)
        assert faults_of(drawing, size) == [], size
    assert not {text for text, _ in text_places(drawing) if "nan" in text.lower()}


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("zoom", [1.0, 2.0])
@pytest.mark.parametrize("preset", ["learned-it", "learned-repeat", "minilm", "causal"])
def test_in_a_panel_no_text_is_cut_and_numbers_are_those_of_the_row(preset: str, zoom: float, theme: Any) -> None:
    numbers = RowPicture().compute(state_of(preset, step=3), (0, 0))
    item, look = row_item(numbers), Look(theme, zoom)
    box = QRectF(0, 0, look.px(300), 0)
    box.setHeight(item.height(look, box.width()))
    layout = item.layout(look, box)
    assert item.moment == len(numbers.steps.moments) - 1, "all of it is there, however far the large one is"
    spans = [placed.span for placed in layout.columns if placed.span is not None]
    assert spans == sorted(spans)
    assert spans[-1][1] <= box.right() + 1
    shares = next(
        place for column, place in zip(item.steps.columns, layout.columns, strict=True) if column.numbers is not None
    )
    assert shares.drawn is not None, "how heavy keys are is seen in any room"
    if numbers.steps.output is not None:
        assert layout.columns[-1].drawn is not None


def test_a_long_sentence_says_what_it_adds_up() -> None:
    state = heads_preset("multi-head").state
    sentence = " ".join(f"word{n}" for n in range(40))
    state = state.with_setup(recipe=replace(state.setup.recipe, sentence=sentence)).with_view(row=12, column=None)
    picture = RowPicture()
    numbers = picture.compute(state, (0, 0))
    assert "The last line adds up 25 more tokens of little weight." in picture.says(numbers)
    assert row_words(numbers, Hit(ROW, RowCell(15))).startswith("25 others together: weight ")
    assert len(picture.table(numbers).rows) == 40
    assert picture.lines(numbers).count == 40


def test_files_have_every_number_of_every_key(shown: PictureOnCanvas) -> None:
    arrays = shown.picture.numbers(shown.numbers)
    assert next(iter(arrays)) == "row_weights"
    np.testing.assert_allclose(arrays["row_weights"], shown.numbers.frame.map.weights()[7], rtol=1e-9)
    assert shown.picture.lines(shown.numbers).header[0] == "token"
    assert "cat" in shown.figure_texts()


def test_a_question_hides_the_row(shown: PictureOnCanvas) -> None:
    assert shown.picture.given(shown.numbers).names() == ()
    assert ROW in " ".join(line.text for line in shown.picture.withheld().notes(shown.numbers))
