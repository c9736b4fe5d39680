"""The row beside the map: what is pointed at or pinned is read there, and its numbers explain themselves."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import painted_texts
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtWidgets import QApplication

from attention_explorer.core.numerals import parsed_number
from attention_explorer.kit.items.item import Hit
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import Aggregate, HeadsState, MaskKind, Picture
from attention_explorer.pages.heads.ui.row_item import RowCell
from attention_explorer.pages.heads.ui.row_picture import ROW, RowPicture, row_words
from attention_explorer.pages.heads.wording import arithmetic


def show(driver, heads: HeadsState) -> None:
    session = driver.window.session
    session.apply(replace(session.state, heads=heads), "Show")


def placed(driver):
    """The row beside the map, with where everything of it is."""
    (found,) = [each for each in driver.page.panel.items._layout() if each.item.name == ROW]
    return found


def point_at_line(driver, line: int) -> str:
    row = placed(driver)
    box = row.layout.line(line)
    driver.hand(driver.page.panel.items).move(QPointF(box.left() + 4, box.center().y()))
    return driver.said


def written(driver) -> list[str]:
    return painted_texts(driver.page.panel.items.paint_picture)


def steps(driver, row: int, column: int) -> list[tuple[str, str]]:
    return [(step.name, step.value) for step in arithmetic(driver.frame, row, column)]


def number(text: str) -> float:
    return float(text.replace("−", "-"))


# ---- The row ----


def test_the_pinned_row_stands_beside_the_map(driver):
    weights = driver.weights[7]
    row = placed(driver).item.steps
    np.testing.assert_allclose(row.columns[-2].numbers, weights, rtol=1e-9)
    texts = written(driver)
    assert set(driver.frame.keys) <= set(texts)
    assert {f"{weight:.2f}" for weight in weights} <= set(texts)
    assert driver.page.panel.title.text().startswith("“it” asks, “")
    assert driver.read == "“it” (8) attends to"


def test_who_cannot_see_hears_all_weights(driver):
    said = driver.page.panel.items.spoken()
    assert "weight: " in said
    for token, weight in zip(driver.frame.keys, driver.weights[7], strict=True):
        assert f"{token} {weight:.4f}" in said


def test_pointing_at_the_map_reads_that_row_and_leaving_the_pinned_one(driver):
    driver.hover(2, 4)
    assert (driver.read, driver.read_cell) == ("“sat” (3) attends to", (2, 4))
    assert placed(driver).item.chosen == 4
    driver.leave()
    assert driver.read == "“it” (8) attends to"


def test_a_column_is_read_down_its_queries(driver):
    driver.hand().move(driver.column_label(3))
    row = placed(driver).item.steps
    np.testing.assert_allclose(row.columns[-1].numbers, driver.weights[:, 3], rtol=1e-9)
    assert row.lines == driver.frame.queries


def test_masked_tokens_are_grey_and_have_no_weight(driver):
    driver.choose(driver.controls.masks, MaskKind.CAUSAL)
    driver.hover(4, 0)
    steps_of_row = placed(driver).item.steps
    assert steps_of_row.reading.masked.tolist() == [False] * 5 + [True] * 6
    assert steps_of_row.columns[-2].brief[5:] == ("0",) * 6


def test_a_click_on_a_line_pins_the_cell(driver):
    row = placed(driver)
    box = row.layout.line(2)
    driver.click(QPointF(box.left() + 4, box.center().y()), driver.page.panel.items)
    assert driver.pin == (7, 2)
    assert driver.read_cell == (7, 2)


def test_a_line_says_where_its_weight_comes_from(driver):
    said = point_at_line(driver, 4)
    assert said.startswith("query “it” (8) → key “the” (5): q₈ · k₅ = ")
    for name, value in steps(driver, 7, 4):
        assert f"{name} = {value}" in said


def test_pointing_at_a_line_lights_its_cell_everywhere(driver):
    point_at_line(driver, 5)
    lit = driver.canvas.lit
    assert (lit.row, lit.column) == (7, 5)
    assert (driver.page.wall.lit.row, driver.page.wall.lit.column) == (7, 5)
    assert driver.pin == (7, None)
    assert driver.read == "“it” (8) attends to"
    QApplication.sendEvent(driver.page.panel.items, QEvent(QEvent.Type.Leave))
    lit = driver.canvas.lit
    assert (lit.row, lit.column) == (7, None)
    assert driver.said == ""


def test_a_click_on_a_line_of_a_column_pins_the_query(driver):
    driver.click(driver.column_label(3))
    driver.leave()
    for line in (4, 9):  # on the way another one is pointed at
        point_at_line(driver, line)
    box = placed(driver).layout.line(9)
    driver.click(QPointF(box.left() + 4, box.center().y()), driver.page.panel.items)
    assert driver.pin == (9, 3)


def test_a_click_on_a_line_beside_the_stages_pins_too(driver):
    driver.show(Picture.STAGES)
    box = placed(driver).layout.line(2)
    driver.click(QPointF(box.left() + 4, box.center().y()), driver.page.panel.items)
    assert driver.pin == (7, 2)


def test_a_word_that_comes_again_is_listed_with_its_place(driver):
    driver.paste_into(driver.controls.sentence, "the cat and the dog")
    assert placed(driver).item.steps.lines == ("the (1)", "cat", "and", "the (4)", "dog")


def test_a_long_word_that_comes_again_is_cut_short_and_its_place_is_not(driver):
    word = "Donaudampfschifffahrtsgesellschaft"
    driver.paste_into(driver.controls.sentence, f"{word} und {word}")
    cut = [text for text in written(driver) if text.startswith("Donau")]
    assert len(cut) == 2
    assert all("…" in text for text in cut)
    assert [text[-3:] for text in cut] == ["(1)", "(3)"]


def test_of_a_long_sentence_the_heaviest_have_a_line(driver):
    driver.paste_into(driver.controls.sentence, " ".join(f"w{i}" for i in range(64)))
    driver.click(driver.row_label(7))
    row = placed(driver).item.steps
    assert row.lines[-1] == "49 others"
    heaviest = int(driver.weights[7].argmax())
    assert heaviest in row.named
    assert row_words(driver.page.row_beside(), Hit(ROW, RowCell(15))).startswith("49 others together: weight ")


def test_why_a_hand_made_head_looks_there_is_said(driver):
    show(driver, heads_preset("hand-made").state)
    driver.click_cell(7, 5)
    driver.leave()
    assert "Most likely referent — “it” = mat" in driver.page.panel.sentence.text()


# ---- The arithmetic ----


def test_the_arithmetic_is_that_of_the_weight(driver):
    head = driver.frame.head_map
    raw = float(head.q[2] @ head.k[4])
    scaled = head.q[2] @ head.k.T / math.sqrt(8)
    total = float(np.exp(scaled).sum())
    shown = steps(driver, 2, 4)
    assert [name for name, _ in shown[:3]] == ["q₃ · k₅", "÷ √8", "exp"]
    assert number(shown[0][1]) == pytest.approx(raw, abs=5e-4)
    assert number(shown[1][1]) == pytest.approx(scaled[4], abs=5e-4)
    assert number(shown[2][1]) == pytest.approx(math.exp(scaled[4]), rel=1e-3)
    assert shown[3][0].startswith("÷ row sum ")
    assert number(shown[3][0].split()[-1]) == pytest.approx(total, rel=1e-3)
    assert number(shown[3][1]) == pytest.approx(math.exp(scaled[4]) / total, abs=5e-5)
    assert len(shown) == 4


def test_the_arithmetic_of_a_masked_cell_ends_at_the_mask(driver):
    driver.choose(driver.controls.masks, MaskKind.CAUSAL)
    assert steps(driver, 2, 4)[2:] == [("hidden by the causal mask", "−∞"), ("weight", "0")]
    driver.hover(2, 4)
    assert point_at_line(driver, 4).endswith("hidden by the causal mask = −∞; weight = 0")
    assert steps(driver, 4, 2)[2] == ("mask", "allowed")


def test_the_arithmetic_of_a_hard_lookup_has_no_exp(driver):
    driver.key(Qt.Key.Key_H)
    row = driver.weights[2]
    assert sorted(row.tolist()) == [0.0] * 10 + [1.0]
    assert steps(driver, 2, int(row.argmax()))[-2:] == [("largest of its row?", "yes"), ("weight", "1")]
    assert steps(driver, 2, int(row.argmin()))[-2:] == [("largest of its row?", "no"), ("weight", "0")]
    driver.key(Qt.Key.Key_H)


def test_temperature_and_scale_are_in_the_arithmetic(driver):
    show(driver, HeadsState().with_setup(temperature=0.5, scaled=False))
    head = driver.frame.head_map
    raw = head.q[2] @ head.k.T
    names = [name for name, _ in steps(driver, 2, 4)]
    assert names[:2] == ["q₃ · k₅", "÷ temperature 0.5"]
    assert number(steps(driver, 2, 4)[1][1]) == pytest.approx(raw[4] / 0.5, abs=5e-4)
    expected = math.exp(raw[4] / 0.5) / np.exp(raw / 0.5).sum()
    assert number(steps(driver, 2, 4)[-1][1].replace("·10⁻⁵", "e-5")) == pytest.approx(expected, rel=1e-2)


def test_scores_too_large_for_exp_are_said_relative_to_the_largest(driver):
    show(driver, HeadsState().with_setup(temperature=0.01))
    assert any("the row’s largest" in name for name, _ in steps(driver, 2, 4))
    assert all("inf" not in value and "nan" not in value for _, value in steps(driver, 2, 4))


def test_the_mean_lists_the_weight_of_every_head_that_is_on(driver):
    show(driver, HeadsState().with_setup(aggregate=Aggregate.MEAN))
    each = [map_.weights()[2, 4] for map_ in driver.frame.layers[0].maps]
    expected = [(f"head {head}", f"{weight:.4f}") for head, weight in enumerate(each, start=1)]
    assert steps(driver, 2, 4) == [*expected, ("mean", f"{np.mean(each):.4f}")]
    show(driver, HeadsState().with_setup(aggregate=Aggregate.MEAN, switched_off=frozenset({(0, 2)})))
    shown = dict(steps(driver, 2, 4))
    assert "head 3" not in shown, "it is switched off"
    assert shown["head 4"] == f"{each[3]:.4f}"


# ---- Large, step by step ----


def test_its_view_shows_the_row_large_and_play_goes_through_it(driver):
    driver.click_cell(3, 1)
    driver.leave()
    driver.show(Picture.ROW)
    numbers = driver.canvas.picture
    assert numbers.cell == (3, 1)
    driver.window.set_reduced_motion(True)
    driver.press(driver.page.play)
    driver.window.set_reduced_motion(False)
    assert driver.canvas.picture.moment == 0, "from the end it begins anew, and takes one step"
    assert driver.page.title.text() == driver.canvas.picture.steps.caption(0)


def test_the_table_in_the_drawer_holds_every_stage_with_every_digit(driver):
    driver.click_cell(4, 1)
    driver.leave()
    row = driver.page.row_beside()
    picture = RowPicture()
    table = picture.table(row)
    head = driver.frame.head_map
    raw = head.q[4] @ head.k.T
    for line in range(11):
        said = picture.words(row, Hit(table.name, line))
        scores = [number(part.rpartition(" ")[2]) for part in said.partition(": ")[2].split(", ")]
        expected = [raw[line], raw[line] / math.sqrt(8), raw[line] / math.sqrt(8), driver.weights[4, line]]
        assert scores == pytest.approx(expected, rel=1e-9)
        assert parsed_number(table.rows[line][-1]) == pytest.approx(driver.weights[4, line], abs=5e-5)


def test_the_products_sum_to_the_raw_score_in_files(driver):
    show(driver, heads_preset("dot-products").state)
    tokens = [token.casefold() for token in driver.frame.queries]
    driver.click_cell(tokens.index("cat"), tokens.index("mat"))
    driver.leave()
    arrays = RowPicture().numbers(driver.page.row_beside())
    assert arrays["products"][tokens.index("mat")].sum() == pytest.approx(1.36, abs=1e-9), "as the tutorial prints it"
    np.testing.assert_allclose(arrays["products"].sum(axis=1), arrays["row_scores"], rtol=1e-12)
