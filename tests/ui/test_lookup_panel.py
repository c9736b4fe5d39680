"""Views, controls, overlays, bars and the sum: what is done to them becomes state, and the state is what they show."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from frame_driver import CTRL
from heads_driver import pixels
from lookup_driver import K1, K2, TITLES, LookupDriver
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from svg_reader import overlaps, text_places

from attention_explorer.core.numerals import percent
from attention_explorer.core.role import Role
from attention_explorer.core.weighing import SLIDER_STEPS, slider_to_temperature
from attention_explorer.kit.export.svg_file import svg_bytes
from attention_explorer.kit.items.bars import Bar, NamedBars
from attention_explorer.kit.items.item import Hit
from attention_explorer.kit.items.plot_marks import Curve, Handle, Label
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.presets import PRESETS, preset
from attention_explorer.pages.lookup.state import (
    HARD_HAS_NONE,
    OF_THE_GRADIENT,
    QUERY,
    LookupState,
    LookupView,
    Overlay,
    Part,
    ValueKind,
)
from attention_explorer.pages.lookup.ui.overlays import SAMPLE_HEIGHT, SAMPLE_WIDTH, draw_sample
from attention_explorer.pages.lookup.ui.plane_scene import BADGE_RADIUS
from attention_explorer.session.settings import Settings, ThemeChoice

PLANE, GRADIENT, TEMPERATURE, WORDS = LookupView


@pytest.fixture
def at(opens) -> LookupDriver:
    return opens()


# ---- Four views ----


def test_the_views_and_what_stands_around_each(at):
    main, seen = at.main, {}
    for view in LookupView:
        at.show(view)
        assert at.lookup.view is view
        assert at.view.id is view
        assert main.isVisible() is (view in (PLANE, TEMPERATURE))
        assert at.page.descent.isVisible() is (view is GRADIENT), "the way downhill in the place of the slider"
        assert view in (GRADIENT, WORDS) or at.main is main, "one temperature, one slider"
        seen[view] = (
            at.canvas.is_plane,
            at.page.descent.isVisible(),
            view in at.page._overlays and at.page._overlays[view].isVisible(),
            list(at.page.form_of(at.view).controls),
            list(at.drawer.form_of(at.view).controls),
        )
    assert seen == {
        PLANE: (True, False, True, ["hard"], ["values", "scaled"]),
        GRADIENT: (True, True, True, ["hard"], ["rate", "speed", "temperature", "values", "scaled"]),
        TEMPERATURE: (False, False, False, ["hard"], ["values", "scaled"]),
        WORDS: (
            False,
            False,
            False,
            ["words.sentence", "words.two", "words.second_shown"],
            [
                *("hard", "words.two", "words.second_shown", "words.shown", "words.gradients", "words.asks"),
                *("words.toward", "words.lexicon", "words.across", "words.up", "words.w_q", "words.w_k", "words.w_v"),
            ],
        ),
    }


def test_back_goes_through_the_views_and_undo_keeps_the_one_on_show(at):
    at.show(GRADIENT)
    at.press_hard()
    at.key(Qt.Key.Key_Plus)
    closer = at.lookup.camera
    assert (at.steps, at.looks) == (1, 2)
    at.undo()
    assert (at.lookup.hard, at.lookup.view, at.lookup.camera) == (False, GRADIENT, closer)
    at.show(TEMPERATURE)
    assert at.back_text == "Show Temperature"
    at.back()
    assert (at.lookup.view, at.lookup.camera) == (GRADIENT, closer)
    at.back()
    assert (at.lookup.view, at.lookup.camera) == (GRADIENT, None)
    at.back()
    assert at.lookup == LookupState()


def test_the_query_is_there_to_be_moved_and_the_example_stays(at):
    at.drag(QUERY, -1.0, 1.0)
    at.press_hard()
    assert at.example.currentText() == "Two keys, values are the keys"
    assert at.hint == preset("two-keys").look_for
    at.drag(K1, -1.0, -1.0)
    assert at.example.currentText() == "Two keys, values are the keys (changed)"
    assert at.hint == ""


def test_looking_in_another_way_is_no_change(at):
    at.switch(Overlay.CHAIN)
    at.key(Qt.Key.Key_Plus)
    assert at.lookup.camera is not None
    assert at.example.currentText() == "Two keys, values are the keys"


# ---- Soft, hard, the scale ----


def test_the_key_h_and_the_buttons_switch_between_hard_and_soft(at):
    at.key(Qt.Key.Key_H)
    hard = at.few("hard").buttons
    assert at.lookup.hard
    assert (hard[True].isChecked(), hard[False].isChecked()) == (True, False)
    assert "alpha_1 equals 1;" in at.sum
    assert at.panel_words()[0] == "k₁ takes everything"
    at.press_soft()
    assert not at.lookup.hard
    assert (hard[True].isChecked(), hard[False].isChecked()) == (False, True)
    assert "equals 0.9072;" in at.sum
    assert "= 0.907207." in at.notes
    at.press_hard()
    assert at.undo_text == "Switch soft and hard"


def test_scaling_shows_both_answers(at):
    assert "With ÷√d_k: α₁ = 0.833717" in at.notes
    at.press(at.field("scaled"))
    assert at.lookup.scaled
    assert "= 0.833717." in at.notes
    assert "Without ÷√d_k: α₁ = 0.907207" in at.notes
    at.page.open_drawer(False)
    assert "equals 0.8337;" in at.sum


def test_the_tip_of_the_scale_says_what_it_does_to_the_first_lookup(at):
    tip, frame = at.field("scaled").toolTip(), lookup_frame(LookupState())
    assert f"{frame.weights[0]:.1%} to {frame.rescaled.weights[0]:.1%}".replace("%", " %") in tip
    assert "a little" not in tip


@pytest.mark.parametrize("kind", list(ValueKind))
def test_the_kind_of_values_is_chosen_and_shown(at, kind):
    at.choose(at.field("values"), kind)
    assert at.lookup.values is kind
    assert (at.canvas.scene().line is not None) is (kind is ValueKind.NUMBERS)


def test_equal_scores_by_one_key(at):
    at.key(Qt.Key.Key_E)
    assert at.frame.weights.tolist() == [0.5, 0.5]
    assert at.panel_words()[0] == "k₁ and k₂ answer alike, 50 %"


# ---- The temperature ----


def test_the_slider_reaches_from_one_hundredth_to_one_hundred_and_undoes_as_one_step(at):
    slider = at.main.slider
    slider.setFocus()
    for _ in range(5):
        at.key(Qt.Key.Key_PageUp, widget=slider)
    assert at.lookup.temperature == 100.0
    assert at.frame.keys_in_effect > 1.999
    at.undo()
    assert at.lookup.temperature == 1.0
    at.key(Qt.Key.Key_Home, widget=slider)
    assert at.lookup.temperature == 0.01
    assert at.frame.weights.tolist() == pytest.approx([1.0, 0.0], abs=1e-12)
    assert [bar.text for bar in at.bars.bars] == ["100 %", "<1 %"], "e⁻²²⁸ is not 0"


def test_slider_positions_and_temperatures_agree():
    assert slider_to_temperature(0) == 0.01
    assert slider_to_temperature(SLIDER_STEPS) == 100.0
    assert slider_to_temperature(SLIDER_STEPS // 2) == 1.0
    temperatures = [slider_to_temperature(step) for step in range(SLIDER_STEPS + 1)]
    assert temperatures == sorted(set(temperatures)), "each step is another temperature, and a higher one"


def test_a_typed_temperature_is_exact(at):
    at.type_temperature("0.25")
    assert at.lookup.temperature == 0.25
    assert at.main.box.text() == "0.25"
    assert "= 0.999891." in at.notes
    assert at.steps == 1


def test_a_hard_lookup_has_no_temperature_and_says_why(at):
    slider, box = at.main.slider, at.main.box
    at.press_hard()
    for control in (slider, box):
        assert not control.isEnabled()
        assert control.toolTip() == HARD_HAS_NONE
    at.press_soft()
    for control in (slider, box):
        assert control.isEnabled()
        assert control.toolTip() != HARD_HAS_NONE


@pytest.mark.parametrize("name", ["slider", "box"])
def test_the_keyboard_stays_beside_a_slider_that_is_taken_away(at, name):
    """Qt would give it to whatever comes next."""
    at.press_hard()
    at.press_soft()
    getattr(at.main, name).setFocus()
    at.undo()
    assert at.lookup.hard
    assert QApplication.focusWidget() is at.few("hard").buttons[True]


def test_keys_belong_to_the_plane_again_once_a_temperature_was_entered(at):
    box = at.main.box
    at.press(box)
    QTest.keyClicks(at.window.focusWidget(), "abc")
    QTest.keyClick(at.window.focusWidget(), Qt.Key.Key_Return)
    assert at.window.focusWidget() is box, "what was refused is typed again"
    box.selectAll()
    for key in (Qt.Key.Key_2, Qt.Key.Key_Enter, Qt.Key.Key_H):
        QTest.keyClick(at.window.focusWidget(), key)
    assert (at.lookup.temperature, at.lookup.hard) == (2.0, True)


def test_plus_and_minus_zoom_the_plane_and_elsewhere_change_the_temperature(at):
    at.key(Qt.Key.Key_Plus)
    assert (at.lookup.temperature, at.lookup.camera is None) == (1.0, False)
    at.key(Qt.Key.Key_Home)
    at.show(TEMPERATURE)
    at.key(Qt.Key.Key_Plus)
    assert at.lookup.temperature > 1.0
    assert at.lookup.camera is None
    at.key(Qt.Key.Key_Minus)
    at.key(Qt.Key.Key_Minus)
    assert at.lookup.temperature < 1.0


# ---- What is drawn over the plane ----


@pytest.mark.parametrize("overlay", list(Overlay))
def test_every_overlay_is_listed_and_changes_the_picture(opens, overlay):
    """A legend that nothing in the picture answers to would be a lie."""
    state = replace(preset("long-key").state, query=(0.5, 1.1), overlays=frozenset(), target=(0.2, -0.8))
    at = opens(replace(state, trail=((0.2, 0.1), (0.3, 0.2), (0.9, 0.8))))
    before = at.pixels()
    at.switch(overlay)
    assert at.lookup.overlays == {overlay}
    assert at.pixels() != before
    assert at.overlays_offered()[TITLES[overlay]].isChecked()
    assert at.back_text == f"Show {TITLES[overlay].lower()}"
    at.switch(overlay)
    assert at.lookup.overlays == frozenset()
    assert not at.overlays_offered()[TITLES[overlay]].isChecked()
    assert at.back_text == f"Hide {TITLES[overlay].lower()}"


def test_the_list_names_every_overlay_and_ticks_what_is_drawn(at):
    offered = at.overlays_offered()
    assert list(offered) == [TITLES[overlay] for overlay in TITLES]
    assert set(TITLES) == set(Overlay)
    assert {text for text, action in offered.items() if action.isChecked()} == {"Weights", "Tie line", "Hull"}
    assert all(action.isEnabled() and action.toolTip() for action in offered.values())


def test_the_view_of_the_gradient_draws_gradient_and_target_and_lists_neither(at):
    assert not any(at.lookup.shows(overlay) for overlay in OF_THE_GRADIENT)
    at.show(GRADIENT)
    assert all(at.lookup.shows(overlay) for overlay in OF_THE_GRADIENT)
    assert list(at.overlays_offered()) == [TITLES[each] for each in TITLES if each not in OF_THE_GRADIENT]
    assert at.lookup.overlays == LookupState().overlays, "neither was switched on for good"


def test_what_cannot_be_drawn_is_greyed_with_the_reason(opens):
    at = opens(preset("quiz").state)
    offered = at.overlays_offered()
    for overlay in Overlay:
        action, is_no_use = offered[TITLES[overlay]], overlay in (Overlay.HULL, Overlay.CHAIN)
        assert action.isEnabled() is not is_no_use
        assert (action.toolTip() == "The values are plain numbers: they lie on a line.") is is_no_use
    at.choose(at.field("values"), ValueKind.KEYS)
    assert all(action.isEnabled() for action in at.overlays_offered().values())


def test_every_overlay_has_a_sample_of_its_own(qapp):
    samples = [QImage(SAMPLE_WIDTH, SAMPLE_HEIGHT, QImage.Format.Format_RGB32) for _ in range(len(Overlay) + 1)]
    for image, overlay in zip(samples, (None, *Overlay), strict=True):
        image.fill(Qt.GlobalColor.white)
        if overlay is not None:
            with QPainter(image) as painter:
                draw_sample(painter, overlay, QRectF(image.rect()), Look(LIGHT))
    assert len({bytes(image.constBits()) for image in samples}) == len(samples), "and none is empty"


# ---- The bars and the sum ----


@pytest.mark.parametrize("ready", PRESETS, ids=lambda ready: ready.id)
def test_the_bars_are_the_weights(opens, ready):
    at = opens(replace(ready.state, view=PLANE))
    at.press_soft()
    for _ in range(2):
        weights = at.frame.weights.tolist()
        assert [bar.share for bar in at.bars.bars] == weights
        assert [bar.text for bar in at.bars.bars] == [percent(weight) for weight in weights]
        assert [bar.is_strong for bar in at.bars.bars] == [i in at.frame.winners for i in range(len(weights))]
        at.press_hard()
    assert sorted(bar.share for bar in at.bars.bars)[-2:] == [0.0, 1.0]


def test_the_bars_follow_a_drag(at):
    mouse, seen = at.hand(), []
    mouse.press(at.place(QUERY))
    for x in (0.8, 0.2, -0.4):
        mouse.move(at.at(x, 0.6))
        assert [bar.share for bar in at.bars.bars] == at.frame.weights.tolist()
        seen.append(at.bars.bars[0].share)
    mouse.release()
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == 3


def test_pointing_at_a_bar_shows_the_arithmetic_of_its_weight(at):
    items = at.page.panel.items
    assert at.sum.startswith("alpha_1 equals")
    at.hand(items).move(at.bar_place(1))
    assert at.sum.startswith("alpha_2 equals the fraction with e to the power of 0.64,")
    assert "equals 0.0928;" in at.sum
    assert at.bars.chosen == 1
    assert at.said.startswith("k₂ = (−0.4, 2) · q·k₂ = +0.64 · weight 0.0927929531")
    QApplication.sendEvent(items, QEvent(QEvent.Type.Leave))
    assert at.sum.startswith("alpha_1 equals")
    assert at.bars.chosen is None


def test_clicking_a_bar_selects_its_key(at):
    at.click(at.bar_place(1), at.page.panel.items)
    assert at.selected == K2
    QApplication.sendEvent(at.page.panel.items, QEvent(QEvent.Type.Leave))
    assert at.sum.startswith("alpha_2 equals"), "of a key that is selected"


def test_the_arithmetic_of_a_key_is_had_by_the_keyboard(at):
    at.canvas.setFocus()
    at.key(Qt.Key.Key_Tab)
    at.key(Qt.Key.Key_Tab)
    assert at.selected == K2
    assert at.bars.chosen == 1
    assert at.sum.startswith("alpha_2 equals")
    at.key(Qt.Key.Key_Escape)
    assert at.bars.chosen is None
    assert at.sum.startswith("alpha_1 equals")


def test_the_first_screen_says_what_self_attention_does_with_values(at):
    """Beside “values = keys”, from which one might take a wrong rule; and it does not rank keys by distance."""
    assert at.field("values").currentText() == "values = keys"
    said = f"{at.notes} {at.sentence}"
    assert "keys with W_k and values with another matrix, W_v" in said
    assert "near" not in said
    assert "away" not in said


def test_a_hard_tie_is_explained_and_drawn(at):
    at.press_hard()
    before = at.canvas.grab().toImage()
    at.apply(replace(at.lookup, query=(0.6, 0.8)))
    assert "of the tied keys, the one picked: α₂ = 1." in at.notes, "k₁ · q is less in the last digit"
    assert at.sentence == "k₁ and k₂ tie to within rounding; the last digit decides for k₂."
    ring = (at.place(K2) - QPointF(BADGE_RADIUS + 8, 0)).toPoint()
    spots = [(ring.x() + dx, ring.y() + dy) for dx in (-1, 0, 1) for dy in range(-6, 7)]
    now = at.canvas.grab().toImage()
    assert [now.pixelColor(*spot) for spot in spots] != [before.pixelColor(*spot) for spot in spots]


def test_jumps_are_counted_as_a_drag_crosses_the_tie_line_and_c_begins_anew(at):
    at.key(Qt.Key.Key_H)
    assert "o has not jumped yet" in at.notes
    at.page.open_drawer(True)
    mouse = at.hand()
    mouse.press(at.place(QUERY))
    mouse.move(at.at(1.0, 1.4))
    assert "o has jumped once, by 3.00" in at.notes, "while the hand is at it"
    mouse.move(at.at(1.4, 0.6))
    mouse.release()
    assert "o has jumped 2 times, the last time by 3.00" in at.notes
    at.key(Qt.Key.Key_C)
    assert "o has not jumped yet" in at.notes
    at.undo()
    assert "2 times" in at.notes
    at.undo()
    assert "o has not jumped yet" in at.notes
    at.key(Qt.Key.Key_H)
    assert "jumped" not in at.notes


# ---- The weights by temperature ----


def test_the_curves_are_the_weights_at_every_temperature(opens):
    at = opens(preset("temperatures").state)
    curves = at.curves.of(Curve)
    assert len(curves) == 3
    for i in (0, 60, 120):
        there = lookup_frame(at.lookup.with_temperature(float(curves[0].x[i])))
        assert [float(curve.y[i]) for curve in curves] == pytest.approx(there.weights.tolist(), abs=1e-12)
    assert (curves[0].x[0], curves[0].x[-1]) == pytest.approx((0.01, 100.0))
    assert [label.text for label in at.curves.of(Label)] == ["k₁", "k₂", "k₃"]
    assert at.shown_title() == "At temperature 1, k₁ answers 67 %, k₂ 24 %"
    assert {"k₁", "k₂", "k₃"} <= set(at.texts())
    assert [bar.share for bar in at.bars.bars] == at.frame.weights.tolist()


def test_the_temperature_is_dragged_on_the_curves_as_one_step(at):
    at.show(TEMPERATURE)
    (handle,) = at.curves.of(Handle)
    assert handle.x == 1.0
    mouse = at.hand()
    mouse.press(at.on_curves(1.0))
    mouse.move(at.on_curves(0.5))
    mouse.move(at.on_curves(0.1))
    assert at.lookup.temperature == pytest.approx(0.1, rel=0.02)
    assert at.main.box.value() == at.lookup.temperature
    assert at.steps == 0
    mouse.release()
    assert (at.steps, at.undo_text) == (1, "Change temperature")
    (handle,) = at.curves.of(Handle)
    assert handle.x == at.lookup.temperature
    at.undo()
    assert (at.lookup.temperature, at.lookup.view) == (1.0, TEMPERATURE)
    assert at.curves.of(Handle)[0].x == 1.0


def test_pointing_at_the_curves_tells_every_weight_there(at):
    at.show(TEMPERATURE)
    said = at.point_at(at.on_curves(10.0))
    first, second = lookup_frame(at.lookup.with_temperature(10.0)).weights.tolist()
    assert said.startswith("temperature ")
    assert said.endswith(f": k₁ {percent(first)}, k₂ {percent(second)}")


def test_hard_curves_say_that_they_are_soft_and_have_no_handle(at):
    at.show(TEMPERATURE)
    assert len(at.curves.of(Handle)) == 1
    assert "soft weights" not in at.sentence
    at.key(Qt.Key.Key_H)
    assert at.curves.of(Handle) == []
    assert at.sentence == f"{HARD_HAS_NONE} These are the soft weights."
    weights = lookup_frame(replace(at.lookup, hard=False)).weights
    assert [float(curve.y[60]) for curve in at.curves.of(Curve)] == pytest.approx(weights.tolist())
    before = at.session.state
    at.hand().drag(at.on_curves(1.0), at.on_curves(0.1))
    assert at.session.state == before


# ---- The menu ----


def test_the_context_menu_offers_what_fits_the_place(at):
    on_key = [action.text() for action in at.page.context_menu(K2, (0.0, 0.0)).actions()]
    assert on_key[0] == "Delete k₂ and its value"
    at.page.context_menu(None, (0.5, -0.5)).actions()[0].trigger()
    assert at.lookup.keys[-1] == (0.5, -0.5)
    at.page.context_menu(QUERY, (0.0, 0.0)).actions()[0].trigger()
    x, y = at.lookup.query
    assert (x**2 + y**2) == pytest.approx(1.0)


def test_home_is_offered_once_the_view_was_moved(at):
    homes = at.page.homes
    assert not any(home.isVisible() for home in homes)
    at.key(Qt.Key.Key_Plus)
    (home,) = [home for home in homes if home.isVisible()]
    at.press(home)
    assert at.lookup.camera is None
    assert not any(home.isVisible() for home in homes)


# ---- Nothing on show is stale ----


def test_the_read_out_follows_undo_and_escape(at):
    at.drag(QUERY, -1.0, 1.0)
    assert at.said.startswith("q = (−1, 1)")
    at.key(Qt.Key.Key_Z, CTRL)
    assert at.said.startswith("q = (1.4, 0.6)")


def test_a_refusal_goes_with_the_next_change(at):
    at.page.refused.emit("That cannot be.")
    at.press_hard()
    assert at.told == ""


def test_a_refusal_outlives_the_next_move_of_the_mouse(at):
    at.page.refused.emit("That cannot be.")
    at.hand().move(QPointF(100, 100))
    assert at.told == "That cannot be."


# ---- The drawer and the table ----


def test_the_table_is_there_only_with_the_drawer(at):
    assert at.page._table is None, "nobody has looked at it"
    plane = at.canvas.height()
    at.press(at.page.panel.more)
    assert at.page.table.isVisible()
    assert at.canvas.height() < plane, "it takes its room from the plane"
    at.press(at.drawer.less)
    assert not at.page.table.isVisible()
    assert at.canvas.height() == plane
    at.key(Qt.Key.Key_H)
    at.press(at.page.panel.more)
    assert at.page.table.numbers.data(at.page.table.numbers.index(1, 0)) == "k₁"
    assert at.weights_told() == ["1.000000", "0.000000"], "what was changed meanwhile"


def test_a_window_that_opens_with_the_drawer_has_the_table(opens):
    at = opens(settings=Settings(theme=ThemeChoice.LIGHT, page="lookup", drawers=("lookup",)))
    assert at.page.is_open
    assert at.page.table.isVisible()
    assert at.weights_told() == ["0.907207", "0.092793"]


# ---- It fits ----


@pytest.mark.parametrize("name", [ready.id for ready in PRESETS if ready.state.view is not WORDS])
def test_the_whole_table_and_picture_fit_a_small_laptop(opens, name):
    at = opens(preset(name).state, size=(1280, 764))
    table, page = at.table, at.page
    QApplication.processEvents()
    assert page.rect().contains(table.mapTo(page, table.rect().bottomRight()))
    assert table.verticalScrollBar().maximum() == 0
    assert table.horizontalScrollBar().maximum() == 0
    heights = at.canvas.height(), table.height()
    at.canvas.select(K1)
    at.apply(at.lookup.moved(QUERY, (0.3, 0.2)))
    QApplication.processEvents()
    assert (at.canvas.height(), table.height()) == heights  # nothing jumps at the first change


# ---- Named bars by themselves ----

LOOK, BOX = Look(LIGHT), QRectF(10, 10, 300, 120)
BARS = NamedBars(
    "Weights",
    ("q·k", "weight α"),
    (
        Bar("k₁", 0.75, "+2.92", "75 %", "universe", is_strong=True),
        Bar("k₂", 0.25, "+0.64", "25 %", "the (1)"),
        Bar("k…", 0.0, "", "<1 %", "8 others"),
    ),
)
PLAIN = replace(BARS, bars=tuple(replace(bar, words="") for bar in BARS.bars))
LONG_WORDS = "a token that is far longer than any column could be"


def drawn(item: NamedBars, hit: Hit | None = None) -> np.ndarray:
    """Return the pixels of bars on their card, with something pointed at or not."""
    image = QImage(330, 200, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.card))
    layout = item.layout(LOOK, BOX)
    with QPainter(image) as painter:
        item.paint(painter, layout, LOOK)
        if hit is not None:
            item.mark(painter, layout, LOOK, hit)
    return pixels(image).copy()


def svg_texts(item: NamedBars) -> list[tuple[str, Any]]:
    def paint(painter: QPainter) -> None:
        item.paint(painter, item.layout(LOOK, BOX), LOOK, vector=True)

    return text_places(svg_bytes(paint, QSize(330, 200), 1.0, "", ""))


def test_bars_are_spoken_and_have_no_arrays():
    assert BARS.spoken() == "k₁ universe q·k +2.92, 75 %; k₂ the (1) q·k +0.64, 25 %; k… 8 others q·k , <1 %"
    assert PLAIN.spoken() == "k₁ q·k +2.92, 75 %; k₂ q·k +0.64, 25 %; k… q·k , <1 %"
    assert BARS.arrays() == {}


@pytest.mark.usefixtures("qapp")
def test_long_names_are_cut_and_write_over_nothing():
    long = replace(BARS, bars=(*BARS.bars[:2], replace(BARS.bars[2], words=LONG_WORDS)))
    for item in (BARS, long, PLAIN):
        texts = svg_texts(item)
        assert not overlaps(texts)
        assert {"k₁", "k₂", "+2.92", "75 %", "q·k", "weight"} <= {text for text, _ in texts}
        assert all(BOX.adjusted(-1, -1, 1, 1).contains(place.boundingRect()) for _, place in texts)
    (cut,) = [text for text, _ in svg_texts(long) if text.startswith("a token")]
    assert cut.endswith("…")
    assert LONG_WORDS.startswith(cut.removesuffix("…"))
    assert len(cut) < len(LONG_WORDS)


@pytest.mark.parametrize("words", ["X = E + P", "rabbit", "+ residual"])
@pytest.mark.usefixtures("qapp")
def test_short_names_of_bars_are_whole_however_wide_their_letters_are(words):
    alone = replace(BARS, bars=(replace(BARS.bars[0], symbol="", words=words),))
    assert words in {text for text, _ in svg_texts(alone)}


@pytest.mark.usefixtures("qapp")
def test_a_bar_is_as_long_as_its_share():
    layout, image = PLAIN.layout(LOOK, BOX), drawn(PLAIN)
    ink = int(LIGHT.key[1:], 16)
    for row, bar in zip(layout.rows, PLAIN.bars, strict=True):
        across = image[round(row.center().y())] & 0xFFFFFF
        track = slice(math.ceil(layout.track.left()), math.floor(layout.track.right()))
        assert int((across[track] == ink).sum()) == pytest.approx(bar.share * layout.track.width(), abs=3)
    assert PLAIN.at([0.1, 0.2, 0.7]).bars[2].share == 0.7
    assert [bar.text for bar in PLAIN.at([0.1, 0.2, 0.7]).bars] == [bar.text for bar in PLAIN.bars]


def test_keys_walk_through_the_weights_and_enter_selects_the_key(at, qtbot):
    bars = at.page.panel.items
    bars.setFocus()
    qtbot.keyClick(bars, Qt.Key.Key_Down)
    qtbot.keyClick(bars, Qt.Key.Key_Down)
    assert bars.hovered.part == 1
    assert at.said.startswith("k₂ = (−0.4, 2)")
    qtbot.keyClick(bars, Qt.Key.Key_Return)
    assert at.canvas.selected == Part(Role.KEY, 1)
