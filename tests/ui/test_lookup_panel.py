"""Controls, chips, presets, bars and the sum: what is done to them becomes state, and the state is what they show."""

from __future__ import annotations

from dataclasses import replace

import pytest
from heads_driver import widget_texts
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QPainter
from PySide6.QtWidgets import QApplication

from attention_explorer.core.role import Role
from attention_explorer.core.temperature import SLIDER_STEPS, slider_to_temperature, temperature_to_slider
from attention_explorer.kit.theme import LIGHT, Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.presets import PRESETS, preset
from attention_explorer.pages.lookup.state import LookupState, Overlay, Part, ValueKind
from attention_explorer.pages.lookup.ui.overlay_chips import SAMPLE_HEIGHT, SAMPLE_WIDTH, draw_sample
from attention_explorer.pages.lookup.ui.plane_scene import BADGE_RADIUS


@pytest.fixture
def window(make_window):
    return make_window()


def lookup(window) -> LookupState:
    return window.session.state.lookup


def click(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=button.rect().center())


def test_the_key_h_and_the_buttons_switch_between_hard_and_soft(window, qtbot):
    controls = window.page.controls
    qtbot.keyClick(window.page.canvas, Qt.Key.Key_H)
    assert lookup(window).hard
    assert controls.hard.isChecked()
    assert not controls.soft.isChecked()
    assert "α₁ = 1" in window.page.sum.text()
    click(qtbot, controls.soft)
    assert not lookup(window).hard
    assert "= 0.907207" in window.page.sum.text()


def test_scaling_shows_both_answers(window, qtbot):
    assert "with ÷√d_k: α₁ = 0.833717" in window.page.sum.text()
    click(qtbot, window.page.controls.scaled)
    assert lookup(window).scaled
    assert "= 0.833717" in window.page.sum.text()
    assert "without ÷√d_k: α₁ = 0.907207" in window.page.sum.text()


def test_the_slider_reaches_from_one_hundredth_to_one_hundred_and_undoes_as_one_step(window, qtbot):
    slider = window.page.controls.slider
    slider.setFocus()
    for _ in range(5):
        qtbot.keyClick(slider, Qt.Key.Key_PageUp)
    assert lookup(window).temperature == 100.0
    assert lookup_frame(lookup(window)).keys_in_effect > 1.999
    window.session.undo()
    assert lookup(window).temperature == 1.0
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    assert lookup(window).temperature == 0.01
    assert lookup_frame(lookup(window)).weights.tolist() == pytest.approx([1.0, 0.0], abs=1e-12)
    assert [text for text in widget_texts(window.page.bars) if "%" in text] == ["100 %", "<1 %"], "e⁻²²⁸ is not 0"


def test_slider_positions_and_temperatures_agree():
    assert slider_to_temperature(0) == 0.01
    assert slider_to_temperature(SLIDER_STEPS) == 100.0
    assert slider_to_temperature(SLIDER_STEPS // 2) == 1.0
    for step in range(SLIDER_STEPS + 1):
        assert temperature_to_slider(slider_to_temperature(step)) == step


def test_dragging_the_slider_is_one_undo_step(window, qtbot):
    slider = window.page.controls.slider
    slider.setSliderDown(True)
    for step in range(200, 260, 5):
        slider.setValue(step)
    assert len(window.session.history) == 0
    assert lookup(window).temperature > 3
    slider.setSliderDown(False)
    assert len(window.session.history) == 1
    window.session.undo()
    assert lookup(window).temperature == 1.0
    assert slider.value() == SLIDER_STEPS // 2


def test_double_click_resets_the_temperature(window, qtbot):
    controls = window.page.controls
    controls.exact.setValue(5.0)
    assert lookup(window).temperature == 5.0
    middle = QPointF(controls.slider.rect().center())
    event = QMouseEvent(
        QEvent.Type.MouseButtonDblClick,
        middle,
        controls.slider.mapToGlobal(middle),
        Qt.MouseButton.LeftButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(controls.slider, event)
    assert lookup(window).temperature == 1.0
    assert controls.exact.value() == 1.0


def test_a_typed_temperature_is_exact(window, qtbot):
    exact = window.page.controls.exact
    exact.setFocus()
    exact.selectAll()
    qtbot.keyClicks(exact, "0.25")
    qtbot.keyClick(exact, Qt.Key.Key_Return)
    assert lookup(window).temperature == 0.25
    assert "0.999891" in window.page.sum.text()


def test_hard_lookup_has_no_temperature(window):
    window.page.controls.set_hard(True)
    assert not window.page.controls.slider.isEnabled()


def test_the_keyboard_stays_beside_a_slider_that_is_taken_away(window):
    """Qt would give it to whatever comes next: a tab of another card."""
    controls = window.page.controls
    controls.set_hard(True)
    controls.set_hard(False)
    controls.slider.setFocus()
    window.session.undo()
    assert lookup(window).hard
    assert QApplication.focusWidget() is controls.hard


@pytest.mark.parametrize("kind", list(ValueKind))
def test_the_kind_of_values_is_chosen_and_shown(window, kind):
    values = window.page.controls.values
    index = values.findData(kind)
    values.setCurrentIndex(index)
    values.activated.emit(index)
    assert lookup(window).values is kind
    assert (window.page.canvas.scene().line is not None) is (kind is ValueKind.NUMBERS)


@pytest.mark.parametrize("overlay", list(Overlay))
def test_every_overlay_has_a_chip_that_changes_the_picture(make_window, qtbot, overlay):
    """A legend that nothing in the picture answers to would be a lie."""
    state = replace(preset("long-key").state, query=(0.5, 1.1), overlays=frozenset(), target=(0.2, -0.8))
    state = replace(state, trail=((0.2, 0.1), (0.3, 0.2), (0.9, 0.8)))
    window = make_window(ExplorerState(lookup=state))
    page = window.page
    chips = {**page.chips._chips, **page.gradient.chips._chips}
    before = page.canvas.grab().toImage()
    click(qtbot, chips[overlay])
    assert lookup(window).overlays == {overlay}
    page.canvas.setFocus()
    assert page.canvas.grab().toImage() != before
    click(qtbot, chips[overlay])
    assert lookup(window).overlays == frozenset()


def test_every_overlay_has_a_sample_of_its_own(qapp):
    samples = [QImage(SAMPLE_WIDTH, SAMPLE_HEIGHT, QImage.Format.Format_RGB32) for _ in range(len(Overlay) + 1)]
    for image, overlay in zip(samples, (None, *Overlay), strict=True):
        image.fill(Qt.GlobalColor.white)
        if overlay is not None:
            with QPainter(image) as painter:
                draw_sample(painter, overlay, QRectF(image.rect()), Look(LIGHT))
    assert len({bytes(image.constBits()) for image in samples}) == len(samples), "and none is empty"


@pytest.mark.parametrize("ready", PRESETS, ids=lambda ready: ready.id)
def test_every_preset_loads_says_what_to_look_for_and_undoes(window, ready):
    presets = window.page.presets
    index = presets.findData(ready.id)
    presets.setCurrentIndex(index)
    presets.activated.emit(index)
    assert lookup(window) == ready.state
    assert window.page.hint.text.text() == ready.look_for
    window.session.undo()
    assert lookup(window) == LookupState()
    assert presets.currentData() == "two-keys"


def test_hovering_a_bar_shows_the_arithmetic_of_its_weight(window, hand):
    bars = window.page.bars
    assert "α₁ =" in window.page.sum.text()
    hand(bars).move(QPointF(40, bars.sizeHint().height() - 8))
    assert "α₂ = e^0.64 ÷ (e^2.92 + e^0.64)" in window.page.sum.text()
    assert "= 0.092793" in window.page.sum.text()
    QApplication.sendEvent(bars, QEvent(QEvent.Type.Leave))
    assert "α₁ =" in window.page.sum.text()


def test_clicking_a_bar_selects_its_key(window, hand):
    bars = window.page.bars
    mouse = hand(bars)
    mouse.press(QPointF(40, bars.sizeHint().height() - 8))
    mouse.release()
    assert window.page.canvas.selected == Part(Role.KEY, 1)


def test_a_long_key_is_pointed_out(make_window):
    window = make_window(ExplorerState(lookup=preset("long-key").state))
    assert "k₁ points closer to q (cos 1.00 against 0.80), but k₂ is 2.5× as long" in window.page.noticed.text()


def test_the_first_screen_says_what_self_attention_does_with_values(window):
    """Beside “values = keys”, from which one might take a wrong rule; and it does not rank keys by distance."""
    assert window.page.controls.values.currentText() == "values = keys"
    assert "keys with W_k and values with another matrix, W_v" in window.page.noticed.text()
    assert "near" not in window.page.noticed.text()
    assert "away" not in window.page.noticed.text()


def test_the_tip_of_the_scale_says_what_it_does_to_the_first_lookup(window):
    tip = window.page.controls.scaled.toolTip()
    frame = lookup_frame(LookupState())
    assert f"{frame.weights[0]:.1%} to {frame.rescaled.weights[0]:.1%}".replace("%", " %") in tip
    assert "a little" not in tip


def test_the_dictionary_misses_and_then_finds(make_window):
    window = make_window(ExplorerState(lookup=preset("exact-miss").state))
    assert "A dict would find nothing: q misses k₁ by 1.00·10⁻⁷." in window.page.noticed.text()
    found = lookup(window).moved(Part(Role.QUERY), (1.0, 0.0))
    window.session.apply(replace(window.session.state, lookup=found), "Type query")
    assert "A dict would find k₁" in window.page.noticed.text()


def test_the_chart_follows_and_can_be_dragged(window, qtbot):
    page = window.page
    page.tabs.setCurrentIndex(1)
    chart = page.panel.chart
    weights = lookup_frame(lookup(window)).weights
    x, y = chart._curves[0].getOriginalDataset()
    assert y[len(x) // 2] == pytest.approx(weights[0])
    chart.marker.setValue(-1.0)
    chart.marker.sigDragged.emit(chart.marker)
    assert lookup(window).temperature == 0.1
    chart.marker.sigPositionChangeFinished.emit(chart.marker)
    assert len(window.session.history) == 1
    window.session.undo()
    assert chart.marker.value() == pytest.approx(0.0)


def test_the_chart_of_a_hard_lookup_says_that_its_curves_are_soft(window, qtbot):
    window.page.tabs.setCurrentIndex(1)
    chart = window.page.panel.chart
    assert not chart.note.isVisible()
    qtbot.keyClick(window.page.canvas, Qt.Key.Key_H)
    assert chart.note.isVisible()
    assert chart.note.text() == "hard: temperature has no effect; these are the soft weights"
    assert chart.note.text() in chart.spoken()


def test_a_tall_window_shows_gradient_and_chart_at_once(make_window, qtbot):
    window = make_window(size=(1920, 1400))
    page = window.page
    qtbot.waitUntil(lambda: page.panel.chart is not None and page.panel.chart.isVisible())
    assert page.gradient.isVisible()
    window.resize(1280, 800)
    QApplication.processEvents()
    assert page.tabs.count() == 2
    page.tabs.setCurrentIndex(1)
    assert page.panel.chart.isVisible()


def test_the_context_menu_offers_what_fits_the_place(window):
    page = window.page
    on_key = [action.text() for action in page.context_menu(Part(Role.KEY, 1), (0.0, 0.0)).actions()]
    assert on_key[0] == "Delete k₂ and its value"
    menu = page.context_menu(None, (0.5, -0.5))
    menu.actions()[0].trigger()
    assert lookup(window).keys[-1] == (0.5, -0.5)
    page.context_menu(Part(Role.QUERY), (0.0, 0.0)).actions()[0].trigger()
    x, y = lookup(window).query
    assert (x**2 + y**2) == pytest.approx(1.0)


def test_equal_scores_by_one_key(window, qtbot):
    qtbot.keyClick(window.page.canvas, Qt.Key.Key_E)
    assert lookup_frame(lookup(window)).weights.tolist() == [0.5, 0.5]


# ---- Typing numbers ----


def type_number(qtbot, box, text):
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, text)
    qtbot.keyClick(box, Qt.Key.Key_Return)


@pytest.mark.parametrize(("text", "temperature"), [("1,5", 1.5), ("0.0145", 0.0145), ("2e1", 20.0), (" 3 ", 3.0)])
def test_a_temperature_is_read_as_people_write_it(window, qtbot, text, temperature):
    type_number(qtbot, window.page.controls.exact, text)
    assert lookup(window).temperature == temperature


def test_keys_belong_to_the_plane_again_once_a_temperature_was_entered(window, qtbot):
    qtbot.mouseClick(window.page.controls.exact, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(window.focusWidget(), "abc")
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    assert window.focusWidget() is window.page.controls.exact, "what was refused is typed again"
    window.page.controls.exact.selectAll()
    for key in (Qt.Key.Key_2, Qt.Key.Key_Enter, Qt.Key.Key_H):
        qtbot.keyClick(window.focusWidget(), key)
    assert (lookup(window).temperature, lookup(window).hard) == (2.0, True)


@pytest.mark.parametrize("text", ["1e9", "-2", "0", "abc", "nan", "1,2,3"])
def test_a_temperature_that_cannot_be_is_refused_in_words(window, qtbot, text):
    with qtbot.waitSignal(window.page.refused) as refusal:
        type_number(qtbot, window.page.controls.exact, text)
    assert "number" in refusal.args[0]
    assert lookup(window).temperature == 1.0
    assert window.page.controls.exact.text() == text
    qtbot.keyClick(window.page.controls.exact, Qt.Key.Key_Escape)
    assert window.page.controls.exact.text() == "1"


def test_the_temperature_shown_is_the_one_used(window, qtbot):
    window.page.controls.slider.setValue(temperature_to_slider(0.0145))
    assert float(window.page.controls.exact.text()) == lookup(window).temperature != 0.01


def test_the_rate_reads_a_comma_too(make_window, qtbot):
    window = make_window(ExplorerState(lookup=preset("descent").state))
    type_number(qtbot, window.page.gradient.rate, "0,5")
    assert lookup(window).rate == 0.5


# ---- Nothing on show is stale ----


def test_the_read_out_follows_undo_and_escape(window, hand, qtbot):
    canvas = window.page.canvas
    mouse = hand(canvas)
    mouse.drag(canvas.scene().place(Part(Role.QUERY)), canvas.scene().point((-1.0, 1.0)))
    assert window._readout.text().startswith("q = (−1, 1)")
    qtbot.keyClick(canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window._readout.text().startswith("q = (1.4, 0.6)")


def test_a_refusal_goes_with_the_next_change(window):
    window.page.refused.emit("That cannot be.")
    window.page.controls.set_hard(True)
    assert window.statusBar().currentMessage() == ""


def test_a_refusal_outlives_the_next_move_of_the_mouse(window, hand):
    window.page.refused.emit("That cannot be.")
    hand(window.page.canvas).move(QPointF(100, 100))
    assert window.statusBar().currentMessage() == "That cannot be."


def test_a_changed_preset_says_so(window):
    assert window.page.presets.currentText() == "Two keys, values are the keys"
    window.page.canvas.add_key((0.5, 0.5))
    assert window.page.presets.currentText() == "Two keys, values are the keys (changed)"
    window.session.undo()
    assert window.page.presets.currentText() == "Two keys, values are the keys"


def test_a_hard_tie_is_explained_and_drawn(window):
    window.page.controls.set_hard(True)
    before = window.page.canvas.grab().toImage()
    tied = replace(lookup(window), query=(0.6, 0.8))
    window.session.apply(replace(window.session.state, lookup=tied), "Tie")
    assert "of the tied keys, the one picked:\nα₂ = 1" in window.page.sum.text(), "k₁ · q is less in the last digit"
    scene = window.page.canvas.scene()
    ring = (scene.place(Part(Role.KEY, 1)) - QPointF(BADGE_RADIUS + 8, 0)).toPoint()
    spots = [(ring.x() + dx, ring.y() + dy) for dx in (-1, 0, 1) for dy in range(-6, 7)]
    now = window.page.canvas.grab().toImage()
    assert [now.pixelColor(*spot) for spot in spots] != [before.pixelColor(*spot) for spot in spots]


# ---- It fits ----


@pytest.mark.parametrize("name", [ready.id for ready in PRESETS])
def test_the_whole_table_and_plane_fit_a_small_laptop(make_window, name):
    window = make_window(ExplorerState(lookup=preset(name).state), size=(1280, 764))
    page = window.page
    assert page._page_scroll.verticalScrollBar().maximum() == 0
    assert page.table.verticalScrollBar().maximum() == 0
    assert page.table.horizontalScrollBar().maximum() == 0
    heights = page.canvas.height(), page.table.height()
    QApplication.processEvents()
    page.canvas.select(Part(Role.KEY, 0))
    moved = lookup(window).moved(Part(Role.QUERY), (0.3, 0.2))
    window.session.apply(replace(window.session.state, lookup=moved), "Move")
    QApplication.processEvents()
    assert (page.canvas.height(), page.table.height()) == heights  # nothing jumps at the first change


def test_the_chart_fits_its_tab(window):
    window.page.tabs.setCurrentIndex(1)
    QApplication.processEvents()
    assert window.page.panel.chart.height() <= 220


def test_jumps_are_counted_as_a_drag_crosses_the_tie_line_and_c_begins_anew(window, hand, qtbot):
    canvas, noticed = window.page.canvas, window.page.noticed
    qtbot.keyClick(canvas, Qt.Key.Key_H)
    assert "o has not jumped yet" in noticed.text()
    scene = canvas.scene()
    mouse = hand(canvas)
    mouse.press(scene.place(Part(Role.QUERY)))
    mouse.move(scene.point((1.0, 1.4)))
    assert "o has jumped once, by 3.00" in noticed.text(), "while the hand is at it"
    mouse.move(scene.point((1.4, 0.6)))
    mouse.release()
    assert "o has jumped 2 times, the last time by 3.00" in noticed.text()
    qtbot.keyClick(canvas, Qt.Key.Key_C)
    assert "o has not jumped yet" in noticed.text()
    window.session.undo()
    assert "2 times" in noticed.text()
    window.session.undo()
    assert "o has not jumped yet" in noticed.text()
    qtbot.keyClick(canvas, Qt.Key.Key_H)
    assert "jumped" not in noticed.text()
