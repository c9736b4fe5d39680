"""Any two compared in the window: sentences of two lengths, layers, heads, presets; B chosen and typed by hand."""

from __future__ import annotations

import csv
import io
import itertools
from dataclasses import replace

import numpy as np
import pytest
from heads_driver import numbers_in, sequential
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from window_driver import copied_numbers

from attention_explorer.core.counting import Count
from attention_explorer.kit.pictures.pointed_picture import NOWHERE
from attention_explorer.kit.theme import LIGHT
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, HeadsView, Picture
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import ToyRecipe

CAT = ToyRecipe(sentence="The cat sat", layers=2, heads=4, d_model=16)
COMPARED = HeadsState(HeadsSetup(CAT), HeadsView(picture=Picture.COMPARE), preset="")
BIG = replace(COMPARED, other=HeadsSetup(replace(CAT, sentence="The big cat sat"), layer=1))
"""Together: The, big (number 3 + 1), cat, sat."""
BIG_NUMBER = 4


def row(driver):
    return driver.page.other


def place(driver, map_: int, row: int, column: int) -> QPointF:
    """Where a cell of one of the maps is, counted among the tokens of both."""
    return driver.canvas.picture_layout.maps[map_].layout.rectangle(row, column).center()


def shown(driver):
    return driver.canvas.numbers.picture


# ---- Typing B ----


def test_a_sentence_typed_for_b_is_compared_letter_by_letter_and_undone_in_one_step(open_heads):
    driver = open_heads(COMPARED)
    field = row(driver).sentence
    assert field.text() == "The cat sat"
    QTest.mouseClick(field, Qt.MouseButton.LeftButton, pos=field.rect().center())
    QTest.keyClick(field, Qt.Key.Key_Home)
    QTest.keyClicks(field, "Look, ")
    assert driver.heads.other.recipe == replace(CAT, sentence="Look, The cat sat")
    assert driver.heads.setup.recipe == CAT, "A stays"
    a, b = (heads_frame(setup).map.weights() for setup in (driver.heads.setup, driver.heads.other))
    found = shown(driver).difference
    assert found.row_tokens == found.column_tokens == ("Look", ",", "The", "cat", "sat")
    np.testing.assert_allclose(found.values[2:, 2:], a - b[2:, 2:], atol=1e-12)
    assert found.masked[:2].all()
    assert found.masked[:, :2].all()
    texts = " ".join(driver.texts())
    assert "Only in B: “Look” “,”." in texts
    assert "over 9 cells that both have" in texts
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert driver.undo_text == "Type B"
    driver.undo()
    assert driver.heads == COMPARED
    assert field.text() == "The cat sat"


def test_b_without_a_word_is_not_used(open_heads):
    driver = open_heads(BIG)
    field = row(driver).sentence
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    assert driver.heads == BIG
    assert driver.told.startswith("Type at least one word")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == "The big cat sat"


def test_a_pinned_token_of_b_goes_with_what_is_typed(open_heads):
    driver = open_heads(BIG.with_view(row=BIG_NUMBER, column=0))
    field = row(driver).sentence
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Home)
    QTest.keyClicks(field, "Oh ")
    assert driver.pin == (BIG_NUMBER + 1, 0)
    assert driver.page.panel.title.text() == "B: “big” (3) attends to"


def test_a_pinned_token_of_b_stays_the_pinned_one_while_a_is_typed(open_heads):
    driver = open_heads(BIG.with_view(row=BIG_NUMBER, column=0))
    title = driver.page.panel.title.text()
    assert title == "B: “big” (2) attends to"
    field = driver.controls.sentence
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_End)
    QTest.keyClicks(field, " there")
    assert driver.pin == (BIG_NUMBER + 1, 0)
    assert driver.page.panel.title.text() == title
    QTest.keyClicks(field, " now")
    assert driver.pin == (BIG_NUMBER + 2, 0)
    assert driver.page.panel.title.text() == title
    driver.type_into(field, "The big cat")
    assert driver.page.panel.title.text() == "A: “big” (2) attends to", "A has it too"


def test_both_sentences_of_cross_attention_can_be_typed(open_heads):
    recipe = HandMadeRecipe("le chat", "The cat")
    driver = open_heads(replace(COMPARED, setup=HeadsSetup(recipe, head=2)))
    assert not row(driver).sentence.isVisible(), "it is that of A"
    assert not row(driver).context.isVisible()
    driver.press(driver.page.offers.buttons["head 1"])
    assert not row(driver).context.isVisible()
    driver.page.open_drawer(True)
    assert row(driver).context.isVisible()
    driver.type_into(row(driver).sentence, "le gros chat")
    driver.type_into(row(driver).context, "The fat cat")
    assert driver.heads.other.recipe == HandMadeRecipe("le gros chat", "The fat cat")
    found = shown(driver)
    assert found.a.row_tokens == ("le", "gros", "chat")
    assert found.a.column_tokens == ("The", "fat", "cat")
    assert "Only in B: queries “gros”, keys “fat”." in " ".join(driver.texts())
    driver.press(driver.controls.cross)
    assert row(driver).context.isVisible(), "B still has its own"


def test_the_row_of_b_is_there_with_a_comparison_only(open_heads):
    driver = open_heads(replace(BIG, view=HeadsView()))
    assert not row(driver).isVisible()
    driver.press(driver.controls.pictures.buttons[Picture.COMPARE])
    assert row(driver).isVisible()
    assert not row(driver).context.isVisible()


# ---- Choosing B ----


def opened_menu(driver) -> QMenu:
    driver.press(row(driver).button)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def choose(driver, *texts: str) -> None:
    """Open the menu of B and walk to an entry, with the keyboard alone."""
    menu = opened_menu(driver)
    for depth, text in enumerate(texts):
        for _ in menu.actions():
            if menu.activeAction() is not None and menu.activeAction().text() == text:
                break
            QTest.keyClick(menu, Qt.Key.Key_Down)
        assert menu.activeAction().text() == text
        if depth < len(texts) - 1:
            QTest.keyClick(menu, Qt.Key.Key_Right)
            menu = menu.activeAction().menu()
            assert menu.isVisible()
    QTest.keyClick(menu, Qt.Key.Key_Return)
    driver.window.activateWindow()
    QApplication.processEvents()


def test_another_head_and_another_layer_become_b(open_heads):
    driver = open_heads(COMPARED)
    assert row(driver).button.text() == "B: layer 1, head 1 ▾"
    choose(driver, "Layer and head of B", "Layer 2", "Head 3")
    assert driver.heads.other == HeadsSetup(CAT, layer=1, head=2)
    assert driver.heads.setup == HeadsSetup(CAT)
    assert row(driver).button.text() == "B: layer 2, head 3 ▾"
    assert row(driver).button.accessibleName().startswith("B: layer 2, head 3")
    assert shown(driver).titles == ("A: layer 1, head 1", "B: layer 2, head 3")
    assert driver.undo_text == "B: layer 2, head 3"
    driver.undo()
    assert driver.heads == COMPARED


def test_of_one_layer_the_heads_are_offered_with_their_names(open_heads):
    recipe = HandMadeRecipe("The cat sat on the mat")
    driver = open_heads(replace(COMPARED, setup=HeadsSetup(recipe)))
    menu = opened_menu(driver)
    heads = menu.actions()[0].menu()
    assert [action.text() for action in heads.actions()][:2] == ["previous token", "first token"]
    assert [action.isChecked() for action in heads.actions()][:2] == [True, False]
    menu.close()
    choose(driver, "Head of B", "first token")
    assert driver.heads.other == HeadsSetup(recipe, head=1)


def test_b_takes_the_head_of_a(open_heads):
    driver = open_heads(replace(BIG, setup=HeadsSetup(CAT, layer=1, head=2)))
    choose(driver, "Same head as A")
    assert driver.heads.other == HeadsSetup(replace(CAT, sentence="The big cat sat"), layer=1, head=2)
    menu = opened_menu(driver)
    (same,) = (action for action in menu.actions() if action.text() == "Same head as A")
    assert not same.isEnabled(), "it has it already"
    menu.close()
    driver = open_heads(replace(BIG, setup=HeadsSetup(replace(CAT, heads=8), head=7)))
    (same,) = (action for action in opened_menu(driver).actions() if action.text() == "Same head as A")
    assert not same.isEnabled(), "B has four heads"
    QApplication.activePopupWidget().close()


def test_the_head_of_a_preset_can_be_chosen_for_b_while_a_has_walked_on(open_heads):
    preset = heads_preset("minilm").state
    driver = open_heads(preset.with_view(picture=Picture.COMPARE).with_setup(layer=0, head=4))
    assert row(driver).button.text() == "B: layer 1, head 5 ▾", "B of the preset follows"
    choose(driver, "Layer and head of B", "Layer 4", "Head 2")
    assert row(driver).button.text() == "B: layer 4, head 2 ▾"
    b = shown(driver).frames[1]
    assert (b.setup.recipe, b.layer, b.head) == (preset.other.recipe, 3, 1)
    driver.key(Qt.Key.Key_N, widget=driver.canvas)
    assert (shown(driver).frames[0].head, shown(driver).frames[1].head) == (5, 1), "and stays"


def test_b_is_counted_as_everything_else(open_heads):
    driver = open_heads(COMPARED)
    driver.window.session.count_from(Count.FROM_ZERO)
    assert row(driver).button.text() == "B: layer 0, head 0 ▾"
    choose(driver, "Layer and head of B", "Layer 1", "Head 2")
    assert (driver.heads.other.layer, driver.heads.other.head) == (1, 2)
    assert driver.undo_text == "B: layer 1, head 2"


def test_a_mean_of_heads_is_named_and_no_head_is_ticked(open_heads):
    driver = open_heads(replace(COMPARED, other=HeadsSetup(CAT, aggregate=Aggregate.MEAN)))
    assert "mean of heads" in row(driver).button.text()
    menu = row(driver).button.menu_of_now()
    layer = menu.actions()[0].menu().actions()[0].menu()
    layer.aboutToShow.emit()
    assert not any(action.isChecked() for action in layer.actions())
    menu.close()


def test_a_preset_becomes_b_and_recorded_words_cannot_be_typed(open_heads):
    driver = open_heads(heads_preset("minilm").state.with_view(picture=Picture.COMPARE))
    title = heads_preset("smollm2").title
    choose(driver, "An example", title)
    assert driver.heads.other == heads_preset("smollm2").state.setup
    assert driver.undo_text == f"B: {title}"
    field = row(driver).sentence
    assert not field.isEnabled()
    assert field.toolTip().startswith("Recorded attention has its own words")
    found = shown(driver)
    assert "cat" in found.a.row_tokens
    assert found.difference is not None
    for said in (driver.page.also.text(), driver.page.figure().caption):
        assert "A: recorded from all-MiniLM" in said
        assert "B: recorded from SmolLM2" in said


# ---- Pointing at what only one has ----


def test_the_mouse_says_which_of_the_two_alone_has_a_token_and_pins_it(open_heads):
    driver = open_heads(BIG)
    canvas, b = driver.canvas, heads_frame(BIG.other).map.weights()
    driver.hand(canvas).move(place(driver, 0, 1, 3))
    assert driver.said.startswith("query “big” (2) → key “sat” (4): weight ")
    assert driver.said.endswith(", only in B")
    assert numbers_in(driver.said.split("weight")[1]) == pytest.approx([b[1, 3]], rel=5e-6)
    driver.click(place(driver, 2, 1, 3), canvas)
    assert driver.pin == (BIG_NUMBER, 2)
    title = driver.page.panel.title
    assert title.text() == "B: “big” (2) attends to"
    assert driver.page.wall.lit == NOWHERE, "the thumbnails are A's"
    driver.hand(canvas).move(place(driver, 1, 2, 1))
    assert driver.said.endswith(", only in B"), "the key is B's alone"
    assert title.text() == "A: “cat” (2) attends to"


def test_the_arrow_keys_walk_over_the_tokens_of_both(open_heads):
    driver = open_heads(BIG.with_view(row=0, column=0))
    canvas = driver.canvas
    canvas.setFocus()
    walked = []
    for _ in range(4):
        driver.key(Qt.Key.Key_Down, widget=canvas)
        walked.append(driver.pin[0])
    assert walked == [BIG_NUMBER, 1, 2, 2], "big stands between The and cat"
    for _ in range(4):
        driver.key(Qt.Key.Key_Right, widget=canvas)
    driver.key(Qt.Key.Key_Left, widget=canvas)
    driver.key(Qt.Key.Key_Left, widget=canvas)
    assert driver.pin == (2, BIG_NUMBER)
    driver.key(Qt.Key.Key_C, widget=canvas)
    assert driver.pin == (None, BIG_NUMBER)
    assert driver.said.startswith("key only “big” (2) in B")
    assert driver.page.panel.title.text() == "B: who attends to “big” (2)"
    driver.press(driver.controls.pictures.buttons[Picture.HEATMAP])
    assert driver.page.pinned.column == 2, "the last token of A"


def test_the_table_has_the_places_in_both(open_heads):
    driver = open_heads(BIG.with_view(row=BIG_NUMBER))
    driver.page.open_drawer(True)
    table = driver.page.drawer.table._items.items[0]
    header = [column.title for column in table.columns]
    assert header == ["token", "position in A", "position in B", "A weight", "B weight", "A − B"]
    assert [row[0] for row in table.rows] == ["The", "big", "cat", "sat"]
    assert [row[2] for row in table.rows] == ["1", "2", "3", "4"]
    assert {row[column] for row in table.rows for column in (3, 5)} == {""}
    (laid,) = driver.page.drawer.table._layout()
    driver.hand(driver.page.drawer.table).move(laid.layout.row(2).center())
    assert driver.said.startswith("“cat”: B weight 0.")


# ---- What is drawn, spoken and taken away ----


def test_what_a_map_does_not_have_is_hatched_on_the_bare_card_and_the_rest_is_not(open_heads):
    driver = open_heads(BIG)
    canvas = driver.canvas
    image = canvas.grab().toImage()

    def colours(map_: int, row: int, column: int) -> list[str]:
        box = canvas.picture_layout.maps[map_].layout.rectangle(row, column).toRect().adjusted(2, 2, -2, -2)
        places = itertools.product(range(box.left(), box.right()), range(box.top(), box.bottom()))
        return [image.pixelColor(*place).name() for place in places]

    for cell in ((1, 0), (1, 1), (3, 1)):
        for map_ in (0, 2):
            painted = colours(map_, *cell)
            assert painted.count(LIGHT.card) > 0.5 * len(painted)
            assert len(set(painted)) > 1, "hatched"
        painted = colours(1, *cell)
        weight = sequential(shown(driver).b.values[cell] / shown(driver).b.scale.high)
        assert painted.count(weight) > 0.3 * len(painted), "with a number in it"


def test_a_screen_reader_hears_which_tokens_have_no_counterpart(open_heads):
    driver = open_heads(BIG)
    said = driver.canvas.spoken()
    assert "Only in B: “big”. Largest absolute difference of a weight: " in said
    assert "over 9 cells that both have." in said
    assert said.endswith(driver.page.figure().description[-60:])


def test_the_numbers_are_copied_with_the_tokens_of_both_and_empty_cells(open_heads):
    driver = open_heads(BIG)
    header, *rows = csv.reader(io.StringIO(copied_numbers(driver.page)))
    assert header == ["map", "query", "The", "big", "cat", "sat"]
    a, b = (heads_frame(setup).map.weights() for setup in (BIG.setup, BIG.other))
    cells = [[float(cell) if cell else np.nan for cell in row[2:]] for row in rows]
    found, place_of_a = np.reshape(cells, (3, 4, 4)), np.ix_([0, 2, 3], [0, 2, 3])
    np.testing.assert_array_equal(found[0][place_of_a], a)
    np.testing.assert_array_equal(found[1], b)
    np.testing.assert_array_equal(found[2][place_of_a], a - b[place_of_a])
    assert np.isnan(found[[0, 2]]).sum() == 2 * 7


def test_without_a_common_token_both_are_shown_and_it_says_why_nothing_is_subtracted(open_heads):
    driver = open_heads(replace(COMPARED, other=HeadsSetup(replace(CAT, sentence="one two"))))
    assert len(driver.canvas.picture_layout.maps) == 2
    assert "A and B have no token in common" in " ".join(driver.texts())
    driver.hand(driver.canvas).move(place(driver, 0, 3, 0))
    assert driver.said == "“one” → “The”: no cell, as the query is only in B and the key only in A"
    copied_numbers(driver.page)
    assert driver.told == "The numbers are on the clipboard, as CSV."
