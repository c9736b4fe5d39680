"""The two lines above the pictures: what is typed and chosen there becomes state, numbers and pixels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from heads_driver import numbers_in, sequential
from people_driver import catch_up
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from attention_explorer.core.map_picture import Contrast
from attention_explorer.core.mask import what_hides
from attention_explorer.kit.theme import LIGHT
from attention_explorer.model import Stage
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.choices import MASKS
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import heads_preset
from attention_explorer.pages.heads.state import HeadsState, Hidden, MaskChoice, MaskKind, Picture
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.tokens import tokens_in
from attention_explorer.window.window import MainWindow

MODELS = Path(__file__).parents[1] / "data" / "models"
SENTENCE = HeadsState().setup.recipe.sentence
WORDS = tokens_in(SENTENCE)


@pytest.fixture
def bar(driver):
    return driver.controls


# ---- The sentence ----


def test_every_letter_changes_tokens_picture_wall_and_weights(driver, bar):
    bar.sentence.setFocus()
    for typed, letter in enumerate(" Yes", start=1):
        QTest.keyClicks(bar.sentence, letter)
        recipe = driver.heads.setup.recipe
        assert recipe.sentence == SENTENCE + " Yes"[:typed]
        assert bar.sentence.text() == recipe.sentence
        last = (recipe.sentence.split()[-1],) if typed > 1 else ()
        assert recipe.tokens == (*WORDS, *last)
        assert driver.canvas.frame.queries == recipe.tokens
        assert {*recipe.tokens} <= {*driver.texts()}
        n = len(recipe.tokens)
        assert {survey.pooled.values.shape for survey in driver.page.wall.surveys} == {(n, n)}
        weight = driver.weights[0, n - 1]
        assert driver.colour(0, n - 1) == sequential(weight / driver.weights.max())


def test_the_pinned_word_stays_pinned_while_words_are_typed_before_it(driver, bar):
    driver.click_cell(7, 1)
    assert (WORDS[7], WORDS[1]) == ("it", "cat")
    bar.sentence.setFocus()
    bar.sentence.setCursorPosition(len("The "))
    QTest.keyClicks(bar.sentence, "big ")
    assert driver.pin == (8, 2)
    assert [driver.frame.queries[8], driver.frame.keys[2]] == ["it", "cat"]
    assert driver.read == "“it” (9) attends to"
    driver.undo()
    assert driver.pin == (7, 1)


def test_a_typed_letter_leaves_the_controls_where_they_are(driver, bar):
    driver.type_into(bar.sentence, "one two")
    before = [each.geometry() for each in (bar.masks, bar.paint, driver.canvas, driver.page.panel)]
    QTest.keyClicks(bar.sentence, "s")
    assert driver.heads.setup.recipe.sentence == "one twos"
    assert [each.geometry() for each in (bar.masks, bar.paint, driver.canvas, driver.page.panel)] == before


def test_letters_typed_quickly_are_one_undo_step_and_slow_ones_are_not(driver, bar):
    bar.sentence.setFocus()
    for letter in " and then":
        driver.time += 0.9
        QTest.keyClicks(bar.sentence, letter)
    assert driver.steps == 1
    assert driver.undo_text == "Type"
    driver.time += 1.1
    QTest.keyClicks(bar.sentence, "!")
    assert driver.steps == 2
    driver.undo()
    assert bar.sentence.text() == SENTENCE + " and then"
    driver.undo()
    assert driver.heads == HeadsState()
    assert bar.sentence.text() == SENTENCE
    assert driver.canvas.frame.queries == WORDS


def test_an_empty_sentence_is_refused_in_words_and_everything_stays(driver, bar):
    before = driver.canvas.grab().toImage()
    bar.sentence.setFocus()
    bar.sentence.selectAll()
    driver.key(Qt.Key.Key_Backspace, widget=bar.sentence)
    assert bar.sentence.text() == ""
    assert bar.sentence.placeholderText() == "Type at least one word"
    assert "Type at least one word" in driver.told
    assert driver.heads == HeadsState()
    assert driver.steps == 0
    assert driver.canvas.grab().toImage() == before
    QTest.keyClicks(bar.sentence, "Go on")
    assert driver.heads.setup.recipe.tokens == ("Go", "on")
    assert driver.told == ""


@pytest.mark.parametrize("nothing", ["   ", "\u200b"])
def test_white_space_is_no_sentence_either(driver, bar, nothing):
    driver.paste_into(bar.sentence, nothing)
    assert "Type at least one word" in driver.told
    assert driver.heads == HeadsState()


def test_a_field_left_empty_says_again_what_is_shown(driver, bar):
    bar.sentence.setFocus()
    bar.sentence.selectAll()
    driver.key(Qt.Key.Key_Backspace, widget=bar.sentence)
    driver.canvas.setFocus()
    assert bar.sentence.text() == SENTENCE


def test_letters_that_are_shortcuts_elsewhere_are_letters_here(driver, bar):
    bar.sentence.setFocus()
    bar.sentence.selectAll()
    QTest.keyClicks(bar.sentence, "hnpb HNPB")
    assert driver.heads.setup.recipe.tokens == ("hnpb", "HNPB")
    assert driver.heads == HeadsState().with_recipe(sentence="hnpb HNPB")


def test_the_same_words_in_other_spaces_may_be_typed(driver, bar):
    weights = driver.weights
    bar.sentence.setFocus()
    bar.sentence.home(False)
    QTest.keyClicks(bar.sentence, "  ")
    assert bar.sentence.text() == "  " + SENTENCE
    assert bar.sentence.cursorPosition() == 2
    assert np.array_equal(driver.weights, weights)


def test_one_token_is_a_map_of_one_cell(driver, bar):
    driver.type_into(bar.sentence, "Yes")
    assert driver.weights.tolist() == [[1.0]]
    driver.hover(0, 0)
    assert driver.said == "query “Yes” (1) → key “Yes” (1): weight 1"
    assert driver.colour(0, 0) == sequential(1.0)


def test_any_script_can_be_pasted(driver, bar):
    driver.paste_into(bar.sentence, "Größe 猫 👩‍🚀 naïve")
    assert driver.heads.setup.recipe.tokens == ("Größe", "猫", "👩‍🚀", "naïve")
    assert {"Größe", "naïve"} <= set(driver.texts())


# ---- Presets ----


def test_looking_elsewhere_is_no_change_of_the_preset(driver, bar):
    driver.key(Qt.Key.Key_N)
    driver.choose(bar.contrast, Contrast.LOG)
    driver.click_cell(2, 2)
    assert driver.heads != HeadsState()
    assert bar.presets.currentText() == "Random heads"


def test_a_preset_keeps_what_was_kept_for_comparison(driver, bar):
    driver.keep()
    kept = driver.heads.other
    driver.choose(bar.presets, "hand-made")
    assert driver.heads.other == kept == HeadsState().setup


# ---- A second sentence ----


def test_a_second_sentence_gives_the_keys(driver, bar):
    assert not bar.context.isVisible()
    driver.press(bar.cross)
    assert bar.context.isVisible()
    assert bar.context.text() == SENTENCE
    assert driver.heads.setup.recipe.context == SENTENCE
    assert bar.context.hasFocus()
    assert bar.context.selectedText() == SENTENCE
    QTest.keyClicks(bar.context, "le chat")
    assert driver.frame.shape == (11, 2)
    assert driver.canvas.frame.keys == ("le", "chat")
    assert {"le", "chat", *WORDS} <= set(driver.texts())
    assert np.allclose(driver.weights.sum(axis=1), 1.0)
    assert driver.colour(10, 1) == sequential(driver.weights[10, 1] / driver.weights.max())
    assert bar.sentence.text() == SENTENCE


def test_switching_the_second_sentence_off_brings_the_first_picture_back(driver, bar):
    before = driver.weights
    driver.press(bar.cross)
    driver.paste_into(bar.context, "one two three")
    driver.press(bar.cross)
    assert driver.heads.setup.recipe.context is None
    assert not bar.context.isVisible()
    assert np.array_equal(driver.weights, before)
    driver.undo()
    assert bar.cross.isChecked()
    assert bar.context.text() == "one two three"


def test_hand_made_heads_have_others_for_two_sentences(driver, bar):
    driver.choose(bar.presets, "hand-made")
    driver.press(bar.cross)
    assert driver.frame.heads == 3
    assert driver.canvas.frame.head == 2, "the head that was chosen does not exist: the last one is shown"
    assert driver.heads.setup.head == 3, "and the wish is kept"


# ---- Masks ----


def _loop_mask(kind: MaskKind, n: int, size: int) -> np.ndarray:
    """What each mask means, cell by cell, in words of its own."""
    rules = {
        MaskKind.NONE: lambda i, j: True,
        MaskKind.CAUSAL: lambda i, j: j <= i,
        MaskKind.STRICT: lambda i, j: j < i,
        MaskKind.PADDING: lambda i, j: j < size,
        MaskKind.WINDOW: lambda i, j: abs(i - j) < size,
        MaskKind.CAUSAL_WINDOW: lambda i, j: i - size < j <= i,
        MaskKind.PREFIX: lambda i, j: j <= i or j < size,
        MaskKind.BLOCK: lambda i, j: i // size == j // size,
    }
    return np.array([[rules[kind](i, j) for j in range(n)] for i in range(n)])


@pytest.mark.parametrize("kind", [kind for kind in MaskKind if kind is not MaskKind.NONE])
def test_every_mask_hides_its_cells_and_renormalises_the_rest(driver, bar, kind):
    unmasked = driver.weights
    driver.choose(bar.masks, kind)
    choice = driver.heads.setup.mask
    assert choice.kind is kind
    assert bar.mask_size.isVisible() == kind.has_size
    allowed = _loop_mask(kind, 11, choice.size)
    assert not allowed.all(), "the default number makes the mask visible"
    assert np.array_equal(driver.frame.map.allowed(), allowed)
    left = unmasked * allowed
    total = left.sum(axis=1, keepdims=True)
    assert np.allclose(driver.weights, np.divide(left, total, out=np.zeros_like(left), where=total > 0))
    corners = [(0, 0), (0, 10), (5, 5), (10, 0), (10, 10)]
    expected = [
        sequential(driver.weights[cell] / driver.weights.max()) if allowed[cell] else LIGHT.masked for cell in corners
    ]
    assert driver.colours(*corners) == expected
    assert "masked" in driver.texts(), "the legend shows what a masked cell looks like"
    assert driver.steps == 1
    driver.choose(bar.masks, MaskKind.NONE)
    assert np.array_equal(driver.weights, unmasked)
    assert not bar.mask_size.isVisible()


@pytest.mark.parametrize("kind", [kind for kind in MaskKind if kind.has_size])
def test_the_number_of_a_mask_can_be_typed_and_stepped(driver, bar, kind):
    driver.choose(bar.masks, kind)
    driver.type_into(bar.mask_size, "5")
    assert driver.heads.setup.mask.size == 5
    assert np.array_equal(driver.frame.map.allowed(), _loop_mask(kind, 11, 5))
    driver.time += 2.0
    steps = driver.steps
    for _ in range(3):
        driver.key(Qt.Key.Key_Down, widget=bar.mask_size)
    assert driver.heads.setup.mask.size == 2
    assert np.array_equal(driver.canvas.frame.map.allowed(), _loop_mask(kind, 11, 2))
    assert driver.steps == steps + 1
    driver.undo()
    assert driver.heads.setup.mask.size == 5
    assert bar.mask_size.text() == "5", "as the tips of the masks call it"
    driver.type_into(bar.mask_size, "many")
    assert (driver.heads.setup.mask.size, bar.mask_size.text()) == (5, "many")
    driver.key(Qt.Key.Key_Escape, widget=bar.mask_size)
    assert bar.mask_size.text() == "5"


def test_a_mask_larger_than_the_sentence_hides_nothing(driver, bar):
    driver.choose(bar.masks, MaskKind.BLOCK)
    driver.type_into(bar.mask_size, "4096")
    assert driver.heads.setup.mask.size == 4096
    assert driver.frame.mask is None


def test_the_first_row_of_the_strict_mask_has_nothing_and_says_so(driver, bar):
    driver.choose(bar.masks, MaskKind.STRICT)
    assert driver.weights[0].tolist() == [0.0] * 11
    assert set(driver.colours(*((0, column) for column in range(11)))) == {LIGHT.masked}
    driver.hover(0, 0)
    hidden = "hidden by the strictly causal mask, the query may not attend to this key"
    assert driver.said == f"query “The” (1) → key “The” (1): {hidden}"
    assert driver.page.panel.title.text() == "“The” has nothing to attend to."
    assert driver.weights[1].tolist() == [1.0] + [0.0] * 10
    assert np.isfinite(driver.weights).all()


@pytest.mark.parametrize(("kind", "name"), [mask[:2] for mask in MASKS if mask[0] is not MaskKind.NONE])
def test_a_mask_is_called_in_sentences_what_the_list_calls_it(kind, name):
    assert kind in name
    assert f"the {kind} mask" in what_hides(MaskChoice(kind), (0, 1))


def test_masks_of_one_sequence_are_cut_for_two(driver, bar):
    driver.press(bar.cross)
    driver.paste_into(bar.context, "a b c")
    for kind in MaskKind:
        driver.choose(bar.masks, kind)
        assert driver.frame.map.allowed().shape == (11, 3)
        if kind not in (MaskKind.NONE, MaskKind.CAUSAL, MaskKind.STRICT, MaskKind.PADDING):
            assert np.array_equal(
                driver.frame.map.allowed(), _loop_mask(kind, 11, driver.heads.setup.mask.size)[:, :3]
            ), kind


def test_paint_stays_below_the_pointer_when_the_first_cell_is_painted(driver, bar):
    """Pressing it once more must end the painting and not press what came into its place."""
    driver.press(bar.paint)
    page = driver.page
    place = bar.paint.mapTo(page, bar.paint.rect().center())
    driver.click_cell(2, 3)
    QApplication.processEvents()
    assert bar.unpaint.isVisible()
    assert page.childAt(place) is bar.paint
    assert bar.unpaint.x() > bar.paint.x()


@pytest.mark.parametrize(("size", "zoom"), [((1280, 800), 1.0), ((640, 600), 1.0), ((1280, 800), 2.0)])
@pytest.mark.parametrize("ready", ["multi-head", "random-words"])
def test_the_sentence_can_be_read_in_a_narrow_window(open_heads, ready, size, zoom):
    driver = open_heads(heads_preset(ready).state, size=size, zoom=zoom)
    line = driver.page.subject.sentence.line
    assert line.tokens.texts[:6] == ("The", "cat", "sat", "on", "the", "mat")
    boxes = [line.box_of(token) for token in range(6)]
    assert all(not box.isEmpty() and box.right() <= line.width() for box in boxes)


def test_a_line_that_was_broken_for_a_longer_name_is_whole_again(open_heads):
    long, short = (HeadsState().with_setup(recipe=model_recipe(MODELS / name, SENTENCE)) for name in ("gpt2", "bert"))
    driver, other = (open_heads(heads, size=(800, 800), zoom=1.1) for heads in (long, short))
    broken = driver.page.main.height()
    driver.window.session.apply(replace(driver.window.session.state, heads=short), "Open a model")
    catch_up(driver.window)
    assert driver.page.main.height() == other.page.main.height() < broken
    assert driver.page.canvas.size() == other.page.canvas.size()


def test_the_sentence_keeps_the_keyboard_when_the_window_is_resized(open_heads):
    driver = open_heads()
    driver.controls.sentence.setFocus()
    driver.window.resize(640, 600)
    QApplication.processEvents()
    QTest.keyClicks(QApplication.focusWidget(), " Yes")
    assert driver.heads.setup.recipe.sentence == SENTENCE + " Yes"


def test_painted_cells_survive_another_mask_and_can_be_cleared(open_heads):
    painted = MaskChoice(MaskKind.CAUSAL, hidden=frozenset({(5, 0)}), shown=frozenset({(0, 5)}))
    driver = open_heads(HeadsState().with_setup(mask=painted))
    bar = driver.controls
    assert driver.frame.mask[0, 5]
    assert not driver.frame.mask[5, 0]
    driver.choose(bar.masks, MaskKind.NONE)
    assert driver.heads.setup.mask == MaskChoice(MaskKind.NONE, hidden=painted.hidden, shown=painted.shown)
    assert bar.masks.currentText() == "painted mask"
    assert np.argwhere(~driver.frame.mask).tolist() == [[5, 0]]
    assert driver.frame.mask[0, 5], "what was shown by hand stays shown"
    driver.press(bar.unpaint)
    assert bar.masks.currentText() == "no mask"
    assert driver.frame.mask is None
    assert not bar.unpaint.isVisible()
    driver.undo()
    assert bar.unpaint.isVisible()


# ---- What is shown how ----


@pytest.mark.parametrize("contrast", list(Contrast))
def test_every_contrast_puts_a_weight_where_its_colour_bar_says(driver, bar, contrast):
    driver.choose(bar.contrast, contrast)
    weights = driver.weights
    places = {
        Contrast.UNIT: weights,
        Contrast.MAX: weights / weights.max(),
        Contrast.ROW: weights / weights.max(axis=1, keepdims=True),
        Contrast.LOG: 1 + np.log10(np.maximum(weights, 1e-4)) / 4,
        Contrast.PERCENTILE: np.minimum(weights / np.percentile(weights, 98), 1.0),
    }[contrast]
    cells = [(0, 0), (3, 9), (6, 5), (7, 10), (10, 3)]
    assert driver.colours(*cells) == [sequential(places[cell]) for cell in cells]
    badge = driver.page.also.text()
    said = {
        Contrast.UNIT: "",
        Contrast.MAX: f"colours end at {weights.max():.3g}, the largest weight",
        Contrast.ROW: "each row is divided by its largest",
        Contrast.LOG: "powers of ten",
        Contrast.PERCENTILE: f"colours end at {np.percentile(weights, 98):.3g}, the 98th percentile",
    }[contrast]
    assert said in badge
    assert ("colours" in badge) == (contrast is not Contrast.UNIT)
    assert f"{weights[7, 10]:.3f}".removeprefix("0") in driver.texts(), "cells carry their weight, not their colour"


@pytest.mark.parametrize("stage", [Stage.SCORES, Stage.SCALED, Stage.MASKED])
def test_every_stage_is_drawn_around_zero_with_its_numbers(driver, bar, stage):
    driver.choose(bar.masks, MaskKind.CAUSAL)
    driver.choose(bar.stages, stage)
    scores = driver.frame.head_map.q @ driver.frame.head_map.k.T
    if stage is not Stage.SCORES:
        scores = scores / np.sqrt(8)
    seen = scores[np.tri(11, dtype=bool)] if stage is Stage.MASKED else scores
    end = np.abs(seen).max()
    cells = [(0, 0), (10, 10), (7, 2), (10, 0)]
    assert driver.colours(*cells) == [sequential((scores[cell] + end) / (2 * end), "brown-teal") for cell in cells]
    masked_now = stage is Stage.MASKED
    assert (driver.colour(0, 10) == LIGHT.masked) == masked_now
    assert not bar.contrast.isEnabled(), "the contrast is of weights"
    number = f"{scores[7, 2]:+.2f}".replace("-", "−")
    assert number in driver.texts()
    driver.hover(7, 2)
    score, weight = numbers_in(driver.said.split(": ")[1])
    assert score == pytest.approx(scores[7, 2], rel=5e-6)
    assert weight == pytest.approx(driver.weights[7, 2], rel=5e-6)
    driver.choose(bar.stages, Stage.WEIGHTS)
    assert bar.contrast.isEnabled()


def test_hidden_first_key_is_hatched_and_the_rest_renormalised_with_a_badge(driver, bar):
    weights = driver.weights
    driver.choose(bar.hidden, Hidden.FIRST)
    shown = weights[:, 1:] / weights[:, 1:].sum(axis=1, keepdims=True)
    assert driver.colour(4, 0) == LIGHT.masked
    assert driver.colour(4, 3) == sequential(shown[4, 2] / shown.max())
    assert "not the raw weights: first token hidden, rows renormalised" in driver.page.also.text()
    assert "hidden" in driver.texts()
    assert driver.back_text == "Change the hidden keys"
    driver.hover(4, 3)
    assert "(renormalised in the picture: " in driver.said
    assert numbers_in(driver.said.split("weight ")[1]) == pytest.approx([weights[4, 3], shown[4, 2]], rel=5e-6)
    assert np.array_equal(driver.weights, weights), "hiding is looking, not computing"
    driver.choose(bar.hidden, Hidden.NOTHING)
    assert "not the raw" not in driver.page.also.text()


def test_hidden_punctuation_finds_every_mark_and_only_marks(driver, bar):
    driver.paste_into(bar.sentence, "Well , yes ! it's")
    driver.choose(bar.hidden, Hidden.PUNCTUATION)
    ground = [driver.colour(2, column) == LIGHT.masked for column in range(5)]
    assert ground == [False, True, False, True, False]
    assert "punctuation hidden" in driver.page.also.text()


@pytest.mark.parametrize("picture", list(Picture))
def test_every_view_has_the_controls_that_mean_something_there(driver, bar, picture):
    driver.key(Qt.Key.Key_M)
    driver.show(Picture.LINES if picture is Picture.HEATMAP else picture)
    driver.show(picture)
    assert driver.heads.view.picture is picture
    page = driver.page
    names = {*page.form_of(page.view).controls, *page.drawer.form_of(page.view).controls, page.view.main}
    assert ("view.stage" in names) == (picture in (Picture.HEATMAP, Picture.COMPARE, Picture.MARKED))
    assert ("view.mass" in names) == (picture is Picture.LINES)
    assert ("view.step" in names) == (picture is Picture.ROW)
    assert ("experiment.check" in names) == (picture is Picture.CHECK)
    assert [button.isChecked() for button in bar.pictures.buttons.values()].count(True) == 1
    if picture not in (Picture.ALL, Picture.CHECK):
        assert {"cat", "mat"} <= set(driver.texts())


def test_the_share_of_the_lines_can_be_typed(driver, bar):
    driver.press(bar.pictures.buttons[Picture.LINES])
    mass = driver.page.main.slider_of(driver.page.view).box
    driver.type_into(mass, "0.5")
    assert driver.heads.view.mass == pytest.approx(0.5)
    falling = -np.sort(-driver.weights, axis=1)
    before = np.cumsum(falling, axis=1) - falling
    assert len(driver.canvas.numbers.picture.links) == int((before < 0.5).sum())
    driver.type_into(mass, "1")
    assert len(driver.canvas.numbers.picture.links) == 121
    steps = driver.steps
    driver.type_into(mass, "-5")
    assert driver.heads.view.mass == 1.0
    assert driver.steps == steps


def test_export_asks_for_a_file_and_writes_it(driver, bar, monkeypatch, tmp_path):
    asked = []

    def answer(_parent, title, start, _filters):
        asked.append((title, start))
        return str(tmp_path / "map.csv"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    driver.page.export()
    ((title, start),) = asked
    assert title == "Export: head 1 of 8"
    assert start.endswith("head-1-of-8.png")
    lines = (tmp_path / "map.csv").read_text(encoding="utf-8").splitlines()
    assert [float(cell) for cell in lines[1].split(",")[1:]] == driver.weights[0].tolist()
    assert str(tmp_path / "map.csv") in driver.told


def test_the_frames_of_presets_are_cached_between_page_and_figure(driver, bar):
    driver.choose(bar.presets, "hand-made")
    assert driver.canvas.frame is heads_frame(heads_preset("hand-made").state.setup)
    assert driver.page.figure().frame is driver.canvas.frame


def test_keys_can_be_hidden_only_where_that_changes_the_picture(driver, bar):
    assert "small maps show every key" in bar.hidden.toolTip()
    driver.choose(bar.stages, Stage.SCALED)
    for picture, reason in {Picture.HEATMAP: "Scores have no rows to renormalise", Picture.LINES: ""}.items():
        driver.show(picture)
        assert bar.hidden.isEnabled() == (not reason)
        assert reason in bar.hidden.toolTip()


@pytest.mark.parametrize("before", [1.0, 1.5])
def test_the_bar_is_as_high_as_in_a_new_window_of_that_size_of_letters(make_window, before):
    def window(zoom: float) -> MainWindow:
        return make_window(ExplorerState(), Settings(theme=ThemeChoice.LIGHT, page="heads", zoom=zoom), (798, 774))

    changed = window(before)
    changed.page.settle()
    changed.set_zoom(0.75)
    QApplication.processEvents()
    new = window(0.75)
    assert changed.page.bar.height() == new.page.bar.height()
    assert changed.page.canvas.size() == new.page.canvas.size()


def test_what_came_while_its_numbers_were_withheld_says_how_it_is_coloured(driver):
    driver.choose(driver.controls.contrast, Contrast.ROW)
    driver.page.withhold("Answer first.")
    driver.key(Qt.Key.Key_N)
    driver.page.settle()
    driver.page.withhold("")
    assert "each row is divided by its largest" in driver.page.also.text()


# ---- From scores to weights, and the colours ----


def test_soft_and_hard_and_scaled(driver, bar):
    hard = bar.hard
    driver.press(hard.buttons[True])
    assert driver.heads.setup.hard
    temperature = bar.temperature
    assert not temperature.box.isEnabled()
    assert "hard lookup has no temperature" in temperature.box.toolTip()
    driver.press(hard.buttons[False])
    assert temperature.box.isEnabled()
    driver.press(bar.scaled)
    assert not driver.heads.setup.scaled
    for _ in range(3):
        driver.undo()
    assert driver.heads == HeadsState()


def test_the_temperature_is_dragged_in_one_step_and_typed_exactly(driver, bar):
    slider = bar.temperature
    driver.key(Qt.Key.Key_Right, widget=slider.slider)
    assert driver.heads.setup.temperature > 1.0
    assert (driver.steps, driver.undo_text) == (1, "Change temperature")
    driver.undo()
    driver.type_into(slider.box, "0.25")
    assert driver.heads.setup.temperature == 0.25
    driver.type_into(slider.box, "0")
    assert driver.heads.setup.temperature == 0.25


def test_colours_and_row_sums_are_the_views(driver, bar):
    setup = driver.heads.setup
    driver.press(bar.colours.buttons["magma"])
    assert driver.heads.view.colour_map == "magma"
    driver.press(bar.row_sums)
    assert driver.heads.view.row_sums
    assert driver.heads.setup == setup
    driver.back()
    assert not bar.row_sums.isChecked()
