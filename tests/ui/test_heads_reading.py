"""The reading beside the map: bars, arithmetic, and the tables of exact numbers."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import numbers_in, pixels, widget_texts
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from attention_explorer.core.numerals import padded
from attention_explorer.kit.controls import numbers_dialog
from attention_explorer.kit.controls.numbers_dialog import NumbersDialog
from attention_explorer.kit.theme import LIGHT
from attention_explorer.model import Stage
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import Aggregate, HeadsState, MaskKind
from attention_explorer.pages.heads.ui.token_bars import ROW_HEIGHT
from attention_explorer.pages.heads.why import why, why_short
from attention_explorer.session.settings import Settings, ThemeChoice

CTRL = Qt.KeyboardModifier.ControlModifier

# The off-screen platform says this whenever a dialog or a combo box opens.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def reading(driver):
    return driver.page.reading


def show(driver, heads: HeadsState) -> None:
    session = driver.window.session
    session.apply(replace(session.state, heads=heads), "Show")


def bar_place(reading, token: int) -> QPointF:
    return QPointF(60, reading.bars.top_of(token) + ROW_HEIGHT / 2)


def listed(reading) -> list[tuple[str, str]]:
    """The tokens and numbers of the list, as painted."""
    texts = widget_texts(reading.bars)
    return list(zip(texts[::2], texts[1::2], strict=True))


def steps(reading) -> list[tuple[str, str]]:
    """The lines of the arithmetic, as painted."""
    texts = widget_texts(reading.steps)
    return list(zip(texts[::2], texts[1::2], strict=True))


SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def dialog_of(driver) -> NumbersDialog:
    (dialog,) = [child for child in driver.window.findChildren(NumbersDialog) if child.isVisible()]
    dialog.activateWindow()
    QApplication.processEvents()
    return dialog


def table_of(dialog: NumbersDialog) -> list[list[str]]:
    """The words and, from the tool tips, every digit of the numbers; what is shown is the same, rounded."""
    model = dialog.table.model()
    items = [[model.index(row, column) for column in range(model.columnCount())] for row in range(model.rowCount())]
    cells = [[(item.data(Qt.ItemDataRole.ToolTipRole), item.data()) for item in row] for row in items]
    for exact, text in (cell for row in cells for cell in row if cell[0]):
        mantissa, _, power = text.strip("\u2007\u2008").partition("·10")
        shown = number(mantissa) * 10.0 ** int(power.translate(SUPERSCRIPTS) or 0)
        assert shown == pytest.approx(number(exact), rel=5e-3)
        assert shown == pytest.approx(number(exact), rel=5e-6, abs=5e-5)
    return [[exact or text for exact, text in row] for row in cells]


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf"))


# ---- The list ----


def test_the_list_shows_the_pinned_row_the_heaviest_first(driver, reading):
    weights = driver.weights[7]
    order = np.argsort(-weights, kind="stable")
    expected = [(driver.frame.keys[column], f"{weights[column]:.4f}") for column in order]
    assert listed(reading) == expected
    assert reading.title.text() == "“it” (8) attends to"
    entropy = -float(np.sum(weights * np.log(weights)))
    assert reading.note.text() == f"sum 1.0000 · entropy {entropy:.2f} nats"


def test_bars_are_as_long_as_their_weights(driver, reading):
    image = pixels(reading.bars.grab().toImage())
    blue = QColor(LIGHT.key).rgb() & 0xFFFFFF
    lengths = [
        np.count_nonzero(image[round(reading.bars.top_of(column) + ROW_HEIGHT / 2)] == blue) for column in range(11)
    ]
    weights = driver.weights[7]
    heaviest = int(weights.argmax())
    assert lengths[heaviest] > 80
    for column in range(11):
        assert lengths[column] == pytest.approx(lengths[heaviest] * weights[column] / weights.max(), abs=3)


def test_masked_tokens_are_last_and_say_so(driver, reading):
    driver.choose(driver.page.bar.masks, MaskKind.CAUSAL)
    driver.hover(4, 0)
    rows = listed(reading)
    assert [value for _, value in rows[5:]] == ["masked"] * 6
    assert {token for token, _ in rows[5:]} == {"mat", "because", "it", "was", "tired", "."}
    assert sum(float(value) for _, value in rows[:5]) == pytest.approx(1.0, abs=3e-4)


def test_a_column_is_read_down_its_queries(driver, reading):
    driver.hand().move(driver.column_label(3))
    weights = driver.weights[:, 3]
    order = np.argsort(-weights, kind="stable")
    assert listed(reading) == [(driver.frame.queries[row], f"{weights[row]:.4f}") for row in order]
    assert reading.note.text() == f"sum {weights.sum():.4f}: columns need not sum to 1"


def test_pointing_at_the_list_lights_the_cell_everywhere(driver, reading):
    mouse = driver.hand(reading.bars)
    mouse.move(bar_place(reading, 5))
    assert driver.said.startswith("query “it” (8) → key “mat” (6): weight ")
    assert numbers_in(driver.said.split("weight")[1]) == pytest.approx([driver.weights[7, 5]], rel=5e-6)
    assert (driver.canvas.marked.row, driver.canvas.marked.column) == (7, 5)
    assert (driver.page.wall._spot.row, driver.page.wall._spot.column) == (7, 5)
    assert driver.pin == (7, None)
    QApplication.sendEvent(reading.bars, QEvent(QEvent.Type.Leave))
    assert (driver.canvas.marked.row, driver.canvas.marked.column) == (7, None)
    assert driver.said == ""


def test_a_click_in_the_list_pins_the_cell(driver, reading):
    driver.click(bar_place(reading, 2), reading.bars)
    assert driver.pin == (7, 2)
    QApplication.sendEvent(reading.bars, QEvent(QEvent.Type.Leave))
    assert reading.cell_title.text() == driver.cell_title(7, 2)
    assert listed(reading)[0][0] == driver.frame.keys[driver.weights[7].argmax()]


def is_in_view(reading, token: int) -> bool:
    top = reading.bars.mapTo(reading._scroll.viewport(), QPoint(0, reading.bars.top_of(token))).y()
    return 0 <= top <= reading._scroll.viewport().height() - ROW_HEIGHT


def test_the_list_scrolls_to_the_key_that_is_pinned_or_pointed_at(driver, reading, make_window):
    lightest, heaviest = int(driver.weights[7].argmin()), int(driver.weights[7].argmax())
    for column in (lightest, heaviest, lightest):
        driver.hover(7, column)
        assert is_in_view(reading, column)
    assert not is_in_view(reading, heaviest)
    state = ExplorerState(heads=driver.heads.with_view(row=7, column=lightest))
    window = make_window(state, Settings(theme=ThemeChoice.LIGHT, page="heads"), (1024, 768))
    window.page.settle()
    assert is_in_view(window.page.reading, lightest)


def test_a_click_in_the_list_of_a_column_pins_the_query(driver, reading):
    driver.click(driver.column_label(3))
    driver.leave()
    driver.click(bar_place(reading, 9), reading.bars)
    assert driver.pin == (9, 3)


# ---- The arithmetic ----


def test_the_arithmetic_is_that_of_the_weight(driver, reading):
    driver.hover(2, 4)
    head = driver.frame.head_map
    raw = float(head.q[2] @ head.k[4])
    scaled = head.q[2] @ head.k.T / math.sqrt(8)
    total = float(np.exp(scaled).sum())
    shown = steps(reading)
    assert [name for name, _ in shown[:3]] == ["q₃ · k₅", "÷ √8", "exp"]
    assert number(shown[0][1]) == pytest.approx(raw, abs=5e-4)
    assert number(shown[1][1]) == pytest.approx(scaled[4], abs=5e-4)
    assert number(shown[2][1]) == pytest.approx(math.exp(scaled[4]), rel=1e-3)
    assert shown[3][0].startswith("÷ row sum ")
    assert number(shown[3][0].split()[-1]) == pytest.approx(total, rel=1e-3)
    assert number(shown[3][1]) == pytest.approx(math.exp(scaled[4]) / total, abs=5e-5)
    assert len(shown) == 4


def test_the_arithmetic_of_a_masked_cell_ends_at_the_mask(driver, reading):
    driver.choose(driver.page.bar.masks, MaskKind.CAUSAL)
    driver.hover(2, 4)
    assert steps(reading)[2:] == [("hidden by the causal mask", "−∞"), ("weight", "0")]
    assert reading.cell_title.text() == "“sat” → “the”: hidden by the causal mask"
    driver.hover(4, 2)
    assert steps(reading)[2] == ("mask", "allowed")


def test_the_arithmetic_of_a_hard_lookup_has_no_exp(driver, reading):
    driver.key(Qt.Key.Key_H)
    assert driver.heads.setup.hard
    row = driver.weights[2]
    assert sorted(row.tolist()) == [0.0] * 10 + [1.0]
    driver.hover(2, int(row.argmax()))
    assert steps(reading)[-2:] == [("largest of its row?", "yes"), ("weight", "1")]
    driver.hover(2, int(row.argmin()))
    assert steps(reading)[-2:] == [("largest of its row?", "no"), ("weight", "0")]
    driver.key(Qt.Key.Key_H)
    assert not driver.heads.setup.hard


def test_temperature_and_scale_are_in_the_arithmetic(driver, reading):
    show(driver, HeadsState().with_setup(temperature=0.5, scaled=False))
    driver.hover(2, 4)
    head = driver.frame.head_map
    raw = head.q[2] @ head.k.T
    names = [name for name, _ in steps(reading)]
    assert names[:2] == ["q₃ · k₅", "÷ temperature 0.5"]
    assert number(steps(reading)[1][1]) == pytest.approx(raw[4] / 0.5, abs=5e-4)
    expected = math.exp(raw[4] / 0.5) / np.exp(raw / 0.5).sum()
    assert number(steps(reading)[-1][1].replace("·10⁻⁵", "e-5")) == pytest.approx(expected, rel=1e-2)


def test_scores_too_large_for_exp_are_said_relative_to_the_largest(driver, reading):
    show(driver, HeadsState().with_setup(temperature=0.01))
    driver.hover(2, 4)
    assert any("the row’s largest" in name for name, _ in steps(reading))
    assert all("inf" not in value and "nan" not in value for _, value in steps(reading))


def test_the_mean_lists_the_weight_of_every_head(driver, reading):
    driver.choose(driver.page.aggregate, Aggregate.MEAN)
    driver.hover(2, 4)
    each = [map_.weights()[2, 4] for map_ in driver.frame.layers[0].maps]
    assert steps(reading) == [
        *((f"head {head}", f"{weight:.4f}") for head, weight in enumerate(each, start=1)),
        ("mean", f"{np.mean(each):.4f}"),
    ]
    assert not reading.products_button.isVisible()


def test_the_mean_names_the_heads_that_are_left(driver, reading):
    driver.choose(driver.page.aggregate, Aggregate.MEAN)
    wall = driver.page.wall
    driver.click(wall.box_of(2).center(), wall, CTRL)
    driver.hover(2, 4)
    shown = dict(steps(reading))
    assert "head 3" not in shown, "it is switched off"
    assert shown["head 4"] == f"{driver.frame.layers[0].maps[3].weights()[2, 4]:.4f}"


def test_the_gloss_says_why_where_a_head_was_made_by_hand(driver, reading):
    show(driver, heads_preset("hand-made").state)
    driver.hover(7, 5)
    assert reading.gloss.text() == "Most likely referent — “it” = mat"
    driver.key(Qt.Key.Key_P)
    driver.hover(7, 5)
    assert reading.gloss.text() == "Why? All products of query and key are 0."


def test_the_largest_products_say_why_and_their_table_says_it_in_full(driver, reading):
    driver.click_cell(7, 1)
    driver.leave()
    terms = driver.frame.head_map.q[7] * driver.frame.head_map.k[1]
    first, second = (np.argsort(-np.abs(terms))[:2] + 1).tolist()
    assert reading.gloss.text() == why_short(driver.frame, 7, 1)
    assert f"{terms[first - 1]:+.3g} from feature {first}" in reading.gloss.text()
    assert f"−{-terms[second - 1]:.3g} from {second}." in reading.gloss.text()
    driver.press(reading.products_button)
    dialog = dialog_of(driver)
    assert why(driver.frame, 7, 1) in " ".join(label.text() for label in dialog.findChildren(QLabel))
    dialog.close()
    driver.choose(driver.page.bar.masks, MaskKind.CAUSAL)
    driver.hover(2, 5)
    assert reading.gloss.text() == "", "it is hidden, whatever its products"


# ---- The tables ----


def test_the_table_of_a_row_holds_every_stage_with_every_digit(driver, reading):
    driver.click_cell(4, 1)
    driver.leave()
    driver.press(reading.table_button)
    dialog = dialog_of(driver)
    assert dialog.windowTitle() == "“the” (5) attends to"
    rows = table_of(dialog)
    head = driver.frame.head_map
    raw = head.q[4] @ head.k.T
    assert [row[0] for row in rows] == list(driver.frame.keys)
    assert [row[1] for row in rows] == [str(i) for i in range(1, 12)]
    shown = np.array([[number(cell) for cell in row[2:]] for row in rows])
    assert shown[:, 0] == pytest.approx(raw, rel=1e-12)
    assert shown[:, 1] == pytest.approx(raw / math.sqrt(8), rel=1e-12)
    assert np.array_equal(shown[:, 2], shown[:, 1])
    assert shown[:, 3] == pytest.approx(driver.weights[4], rel=1e-12)
    assert shown[:, 3].sum() == pytest.approx(1.0, abs=1e-12)
    dialog.close()


def test_the_table_copies_as_csv_by_button_and_by_keyboard(driver, reading):
    driver.choose(driver.page.bar.masks, MaskKind.CAUSAL)
    driver.click_cell(2, 0)
    driver.leave()
    driver.press(reading.table_button)
    dialog = dialog_of(driver)
    shown = table_of(dialog)
    clipboard = QGuiApplication.clipboard()
    copy = next(button for button in dialog.findChildren(QPushButton) if button.text() == "Copy as CSV")
    clipboard.setText("")
    driver.press(copy)
    text = clipboard.text()
    clipboard.setText("")
    QTest.keyClick(dialog.table, Qt.Key.Key_C, CTRL)
    assert clipboard.text() == text
    header, *rows = csv.reader(io.StringIO(text))
    assert header == ["token", "position", "raw score", "scaled score", "masked score", "weight"]
    for row, cells in zip(rows, shown, strict=True):
        assert [row[0], int(row[1])] == [cells[0], int(cells[1])]
        assert [float(cell) for cell in row[2:]] == [number(cell) for cell in cells[2:]]
    assert [float(row[4]) for row in rows[3:]] == [-math.inf] * 8
    assert [float(row[5]) for row in rows[3:]] == [0.0] * 8
    close = next(button for button in dialog.findChildren(QPushButton) if button.text() == "Close")
    driver.press(close)
    assert [child for child in driver.window.findChildren(NumbersDialog) if child.isVisible()] == []


def test_of_a_long_table_only_what_is_in_view_is_made_into_text(open_heads, monkeypatch):
    driver = open_heads(HeadsState().with_recipe(sentence=" ".join(["a", "b"] * 700)))
    driver.page.settle()
    made = []
    monkeypatch.setattr(numbers_dialog, "padded", lambda *given: made.append(given) or padded(*given))
    driver.press(driver.page.reading.table_button)
    dialog = dialog_of(driver)
    assert (dialog.table.model().rowCount(), dialog.table.model().columnCount()) == (1400, 6)
    assert 0 < len(made) < 1400, "of 5600 numbers"
    dialog.table.scrollToBottom()
    QApplication.processEvents()
    weight = dialog.table.model().index(1399, 5)
    assert dialog.table.visualRect(weight).isValid()
    assert pytest.approx(driver.weights[-1, -1]) in [number for number, _ in made]
    assert len(made) < 2800
    dialog.close()


def test_the_table_of_a_column_and_of_a_mean(driver, reading):
    driver.click(driver.column_label(3))
    driver.leave()
    driver.press(reading.table_button)
    dialog = dialog_of(driver)
    assert dialog.windowTitle() == "who attends to “on” (4)"
    assert [number(row[-1]) for row in table_of(dialog)] == pytest.approx(driver.weights[:, 3], rel=1e-12)
    raw = driver.frame.head_map.stage(Stage.SCORES)[:, 3]
    assert [number(row[2]) for row in table_of(dialog)] == pytest.approx(raw, rel=1e-12)
    dialog.close()
    driver.choose(driver.page.aggregate, Aggregate.MEAN)
    driver.press(reading.table_button)
    dialog = dialog_of(driver)
    assert dialog.table.model().columnCount() == 3, "several heads in one have no scores"
    assert [number(row[-1]) for row in table_of(dialog)] == pytest.approx(driver.weights[:, 3], rel=1e-12)
    dialog.close()


def test_the_products_sum_to_the_raw_score(driver, reading):
    driver.click_cell(4, 1)
    driver.leave()
    assert reading.products_button.text() == "8 products…"
    driver.press(reading.products_button)
    dialog = dialog_of(driver)
    *rows, last = table_of(dialog)
    head = driver.frame.head_map
    for i, row in enumerate(rows):
        assert row[0] == str(i + 1)
        expected = [head.q[4, i], head.k[1, i], head.q[4, i] * head.k[1, i]]
        assert [number(cell) for cell in row[1:]] == expected
    assert last[0] == "sum"
    assert number(last[3]) == pytest.approx(float(head.q[4] @ head.k[1]), rel=1e-12)
    assert number(last[3]) == pytest.approx(math.fsum(number(row[3]) for row in rows), rel=1e-12)
    QTest.keyClick(dialog.table, Qt.Key.Key_C, CTRL)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "feature,query,key,product"
    assert len(lines) == 10
    assert float(lines[1].split(",")[3]) == float(head.q[4, 0] * head.k[1, 0])
    dialog.close()


def test_the_products_of_the_tutorial_are_those_it_prints(driver, reading):
    show(driver, heads_preset("dot-products").state)
    tokens = [token.casefold() for token in driver.frame.queries]
    row, column = tokens.index("cat"), tokens.index("mat")
    driver.click_cell(row, column)
    driver.leave()
    assert reading.products_button.text() == "4 products…"
    driver.press(reading.products_button)
    dialog = dialog_of(driver)
    assert number(table_of(dialog)[-1][3]) == pytest.approx(1.36, abs=1e-9)
    dialog.close()


def test_a_word_that_comes_again_is_listed_with_its_place(driver, reading):
    driver.paste_into(driver.page.bar.sentence, "the cat and the dog")
    said = widget_texts(reading.bars)
    assert [said[at + 1] for at, text in enumerate(said) if text == "the"] == ["(1)", "(4)"]
    assert {"(2)", "(3)", "(5)"}.isdisjoint(said)
    described = reading.bars.accessibleDescription()
    weights = driver.frame.map.weights()[int(re.search(r"\((\d)\) attends to", described)[1]) - 1]
    among_three = [place for place in np.argsort(-weights)[:3] if place in (0, 3)]
    assert among_three
    told = re.findall(r"the \((\d)\) (\d\.\d{3})", described)
    assert told == [(str(place + 1), f"{weights[place]:.3f}") for place in among_three]


def test_a_long_word_that_comes_again_is_cut_short_and_its_place_is_not(driver, reading):
    word = "Donaudampfschifffahrtsgesellschaft"
    driver.paste_into(driver.page.bar.sentence, f"{word} und {word}")
    said = widget_texts(reading.bars)
    assert {"(1)", "(3)"} <= set(said)
    assert word not in said
    assert sum(text.startswith("Donau") and text.endswith("…") for text in said) == 2


def test_the_list_scrolls_to_all_tokens(driver, reading):
    driver.paste_into(driver.page.bar.sentence, " ".join(f"w{i}" for i in range(64)))
    driver.key(Qt.Key.Key_Escape)
    assert len(listed(reading)) == 64
    assert reading.bars.height() == 64 * ROW_HEIGHT
    assert reading._scroll.verticalScrollBar().maximum() > 0
