"""The parameter panel of the Heads page: what is done to it becomes state, and the state is what it shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QPushButton,
    QScrollArea,
    QSlider,
    QStyle,
    QStyleOptionSlider,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.core.declared import hint_of
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.choice import ChoiceRow
from attention_explorer.kit.theme import DARK, LIGHT, Look, palette, stylesheet
from attention_explorer.model import Stage
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.state import HeadsState, MaskChoice, MaskKind
from attention_explorer.pages.heads.ui import random_heads
from attention_explorer.pages.heads.ui.drawer_parts import DrawerParts
from attention_explorer.pages.heads.ui.random_heads import RandomHeads
from attention_explorer.pages.heads.verdict import verdict
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import GAINS, Encoding, GainKind, Projections, TokenVectors, ToyRecipe
from attention_explorer.sources.tutorials import TUTORIALS

NORMALISED = min(range(len(GAINS)), key=lambda step: abs(GAINS[step] - 0.125))
"""Where the slider stands for 1/√64."""


class Host(QWidget):
    """A page in small: the panel in a scroll area, told of every change."""

    def __init__(self, heads: HeadsState, look: Look, clock) -> None:
        super().__init__()
        self.session = Session(ExplorerState(heads=heads), clock)
        self.panel = DrawerParts(self.session, look)
        self.refusals: list[str] = []
        self.panel.refused.connect(self.refusals.append)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(self.panel)
        self.elsewhere = QPushButton("elsewhere")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.area)
        column.addWidget(self.elsewhere)
        self.session.changed.connect(self._show)
        self._show()

    def _show(self, *_states: ExplorerState) -> None:
        try:
            self.panel.show_frame(self.heads, heads_frame(self.heads.setup))
        except ExplorerError as error:  # which the page shows on the picture
            self.refusals.append(str(error))
            self.panel.show_frame(self.heads, None)

    @property
    def heads(self) -> HeadsState:
        return self.session.state.heads

    @property
    def recipe(self) -> ToyRecipe:
        recipe = self.heads.setup.recipe
        assert isinstance(recipe, ToyRecipe)
        return recipe

    @property
    def random(self) -> RandomHeads:
        return self.panel.random

    def box(self, field: str):
        """The control of a field of the recipe."""
        return self.random.form.controls[field]

    @property
    def steps(self) -> int:
        return len(self.session.history)


@pytest.fixture
def open_host(qtbot, qapp):
    """Open a host on a state; `clock` is what the session takes for the time."""
    hosts: list[Host] = []

    def make(heads: HeadsState | None = None, *, look: Look | None = None, size=(320, 760), clock=lambda: 0.0) -> Host:
        look = Look(LIGHT) if look is None else look
        qapp.setPalette(palette(look.theme))
        qapp.setStyleSheet(stylesheet(look))
        host = Host(HeadsState() if heads is None else heads, look, clock)
        hosts.append(host)
        host.resize(*size)
        host.show()
        qtbot.waitExposed(host)
        host.activateWindow()
        QApplication.processEvents()
        return host

    yield make
    # Deleted now, not some time: a style sheet is worked out for every widget there is.
    for host in hosts:
        host.close()
        host.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setStyleSheet("")


@pytest.fixture
def host(open_host) -> Host:
    return open_host()


def toy(**changes: object) -> HeadsState:
    return HeadsState().with_recipe(**changes)


def type_into(qtbot, box, text):
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, text)
    qtbot.keyClick(box, Qt.Key.Key_Return)


def click(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=button.rect().center())


def shown(host, field: str):
    """The value that is shown as chosen."""
    control = host.box(field)
    if isinstance(control, ChoiceRow):
        return next(value for value, button in control.buttons.items() if button.isChecked())
    return list(hint_of(ToyRecipe, field))[control.currentIndex()]


def choose(qtbot, host, field, value):
    """Choose by the keyboard, as long as it takes, or by its button."""
    control = host.box(field)
    if isinstance(control, ChoiceRow):
        click(qtbot, control.buttons[value])
    else:
        control.setFocus()
        qtbot.keyClick(control, Qt.Key.Key_Home)
        for _ in range(list(hint_of(ToyRecipe, field)).index(value)):
            qtbot.keyClick(control, Qt.Key.Key_Down)
    assert shown(host, field) is value


def of_kind(widget: QWidget, *kinds: type[QWidget]) -> list[QWidget]:
    return [child for child in widget.findChildren(QWidget) if isinstance(child, kinds)]


def label_of(section, title: str) -> QLabel:
    return next(label for label in section.findChildren(QLabel) if label.text() == title)


def handle_of(slider: QSlider) -> QPointF:
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    part = QStyle.SubControl.SC_SliderHandle
    box = slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider)
    return QPointF(box.center())


def wheel(widget: QWidget, notches: int) -> None:
    """Turn the wheel through the window, as only such an event goes on to the parents of the widget."""
    window = widget.window()
    place = widget.mapTo(window, widget.rect().center())
    QTest.wheelEvent(window.windowHandle(), QPointF(place), QPoint(0, 120 * notches))
    QApplication.processEvents()


# ---- Whole numbers ----


@pytest.mark.parametrize(
    ("name", "text", "field", "value", "undo_text"),
    [
        ("heads", "16", "heads", 16, "Change number of heads"),
        ("d_model", "128", "d_model", 128, "Change d_model"),
        ("head_width", "24", "d_k", 24, "Change d_k"),
        ("layers", "3", "layers", 3, "Change number of layers"),
        ("seed", "4294967295", "seed", 2**32 - 1, "Change seed"),
        ("seed", "0", "seed", 0, "Change seed"),
    ],
)
def test_a_typed_number_becomes_state_and_one_undo_step(host, qtbot, name, text, field, value, undo_text):
    box = host.box(name)
    before = box.text()
    type_into(qtbot, box, text)
    assert getattr(host.recipe, field) == value
    assert type(getattr(host.recipe, field)) is int
    assert box.text() == text
    assert (host.steps, host.session.undo_text) == (1, undo_text)
    host.session.undo()
    assert host.recipe == ToyRecipe()
    assert box.text() == before


def test_nothing_changes_while_a_number_is_being_typed(host, qtbot):
    box = host.box("d_model")
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "128")
    assert host.recipe.d_model == 64
    host.elsewhere.setFocus()
    assert host.recipe.d_model == 128


def test_a_change_elsewhere_leaves_what_is_being_typed(host, qtbot):
    box = host.box("seed")
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "12")
    host.session.apply(replace(host.session.state, heads=host.heads.with_setup(hard=True)), "Hard lookup")
    assert box.text() == "12"


def test_seven_heads_stay_in_the_field_though_the_page_has_to_refuse_them(host, qtbot):
    type_into(qtbot, host.box("heads"), "7")
    assert host.recipe == replace(ToyRecipe(), heads=7)
    assert host.steps == 1
    assert host.box("heads").text() == "7"
    assert len(host.refusals) == 1
    assert "7 heads" in host.refusals[0]
    assert "d_k" in host.refusals[0]  # the way out


def test_a_d_k_of_its_own_lets_seven_heads_be(host, qtbot):
    type_into(qtbot, host.box("head_width"), "9")
    type_into(qtbot, host.box("heads"), "7")
    assert (host.recipe.heads, host.recipe.d_k) == (7, 9)
    assert host.refusals == []
    click(qtbot, host.random.auto)  # 64 numbers cannot be shared by 7 heads
    assert host.recipe.d_k is None
    assert host.random.auto.isChecked()
    assert len(host.refusals) == 1


def test_arrows_step_heads_through_the_divisors_of_d_model(open_host, qtbot):
    host = open_host(toy(heads=4))
    seen = []
    for key in (Qt.Key.Key_Up,) * 5 + (Qt.Key.Key_Down,) * 7:
        qtbot.keyClick(host.box("heads"), key)
        seen.append(host.recipe.heads)
    assert seen == [8, 16, 32, 64, 64, 32, 16, 8, 4, 2, 1, 1]
    assert host.refusals == []
    host.session.undo()
    assert host.recipe.heads == 4


def test_arrows_step_heads_by_one_with_a_d_k_of_its_own(open_host, qtbot):
    host = open_host(toy(d_k=8))
    qtbot.keyClick(host.box("heads"), Qt.Key.Key_Up)
    assert host.recipe.heads == 9


def test_without_projections_heads_must_divide_d_model(open_host, qtbot):
    host = open_host(toy(d_k=8, projections=Projections.IDENTITY))
    qtbot.keyClick(host.box("heads"), Qt.Key.Key_Down)
    assert host.recipe.heads == 4  # heads of 8, which are not 64
    assert "Without projections" in host.refusals[0]


def test_arrows_step_d_model_through_the_multiples_of_heads(host, qtbot):
    qtbot.keyClick(host.box("d_model"), Qt.Key.Key_Up)
    assert host.recipe.d_model == 72
    qtbot.keyClick(host.box("d_model"), Qt.Key.Key_PageUp)
    assert host.recipe.d_model == 152
    qtbot.keyClick(host.box("d_model"), Qt.Key.Key_Down)
    assert host.recipe.d_model == 144


def test_an_arrow_goes_on_from_what_was_typed(host, qtbot):
    box = host.box("heads")
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "2")
    qtbot.keyClick(box, Qt.Key.Key_Up)
    assert host.recipe.heads == 4


def test_auto_shows_d_k_and_keeps_it_when_switched_off(host, qtbot):
    d_k, auto = host.box("head_width"), host.random.auto
    assert (d_k.text(), auto.text(), auto.isChecked()) == ("8", "auto: 64 ÷ 8", True)
    type_into(qtbot, host.box("heads"), "4")
    assert (d_k.text(), auto.text()) == ("16", "auto: 64 ÷ 4")
    click(qtbot, auto)
    assert host.recipe.d_k == 16
    assert (auto.text(), auto.isChecked()) == ("auto", False)
    click(qtbot, auto)
    assert host.recipe.d_k is None
    assert auto.isChecked()


def test_a_d_k_of_its_own_is_said_to_be_one_draw(host, qtbot):
    note = host.random.one_draw
    assert not note.isVisible()
    type_into(qtbot, host.box("head_width"), "64")
    assert note.isVisible()
    assert "see Lab" in note.text()


def test_one_wide_head_shows_its_width_and_is_told_what_d_k_may_be(open_host, qtbot):
    host = open_host(toy(heads=1, d_model=1024))
    assert host.box("head_width").text() == "1024"
    click(qtbot, host.random.auto)
    assert host.recipe.d_k is None
    assert "512" in host.refusals[0]


def test_draw_again_takes_the_next_seed_each_with_an_undo_step(host, qtbot):
    click(qtbot, host.random.again)
    click(qtbot, host.random.again)
    assert host.recipe.seed == 44
    assert (host.steps, host.session.undo_text) == (2, "Draw again")
    host.session.undo()
    assert (host.recipe.seed, host.box("seed").text()) == (43, "43")


def test_after_the_last_seed_comes_the_first(open_host, qtbot):
    host = open_host(toy(seed=2**32 - 1))
    assert host.box("seed").text() == "4294967295"
    click(qtbot, host.random.again)
    assert host.recipe.seed == 0


# ---- Gain ----


def test_slider_positions_and_gains_agree(open_host):
    assert (GAINS[0], GAINS[len(GAINS) // 2], GAINS[-1]) == (0.01, 0.1, 1.0)
    host = open_host()
    slider = host.random.gain.slider
    for gain, position in ((GAINS[0], 0), (GAINS[150], 150), (0.0, 0), (100.0, len(GAINS) - 1)):
        host.session.apply(replace(host.session.state, heads=toy(gain_kind=GainKind.NUMBER, gain=gain)), "Gain")
        assert slider.value() == position


def test_dragging_the_gain_previews_switches_to_a_number_and_is_one_undo_step(host, hand):
    slider = host.random.gain.slider
    mouse, start = hand(slider), handle_of(slider)
    mouse.press(start)
    seen = []
    for step in range(1, 6):
        mouse.move(start + QPointF(8 * step, 0))
        seen.append(host.recipe.gain)
    assert seen == sorted(set(seen))
    assert seen[-1] > 0.125
    assert host.recipe.gain_kind is GainKind.NUMBER
    assert host.box("gain_kind").currentText() == "own number"
    assert float(host.random.gain.box.text()) == seen[-1]
    assert host.steps == 0
    mouse.release()
    assert (host.steps, host.session.undo_text) == (1, "Change gain")
    host.session.undo()
    assert host.recipe == ToyRecipe()
    assert slider.value() == NORMALISED
    assert host.box("gain_kind").currentText() == "1/√d_model"


def test_escape_puts_a_drag_back(host, hand, qtbot):
    slider = host.random.gain.slider
    mouse, start = hand(slider), handle_of(slider)
    before, position = host.heads, slider.value()
    mouse.press(start)
    mouse.move(start + QPointF(30, 0))
    assert host.heads != before
    qtbot.keyClick(slider, Qt.Key.Key_Escape)
    assert host.heads == before
    mouse.release()
    assert (host.heads, slider.value(), host.steps) == (before, position, 0)


def test_arrow_keys_on_the_gain_join_into_one_step(host, qtbot):
    slider = host.random.gain.slider
    slider.setFocus()
    for _ in range(4):
        qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert host.recipe.gain == GAINS[NORMALISED + 4]
    assert host.steps == 1


def test_a_typed_gain_is_exact_and_may_lie_beyond_the_slider(host, qtbot):
    type_into(qtbot, host.random.gain.box, "2,5")
    assert (host.recipe.gain_kind, host.recipe.gain) == (GainKind.NUMBER, 2.5)
    assert host.random.gain.slider.value() == len(GAINS) - 1
    type_into(qtbot, host.random.gain.box, "-1")
    assert host.recipe.gain == 2.5
    assert "out of range" in host.refusals[0]


def test_he_shows_its_number(host, qtbot):
    choose(qtbot, host, "gain_kind", GainKind.HE)
    assert host.recipe.gain_kind is GainKind.HE
    assert float(host.random.gain.box.text()) == pytest.approx(np.sqrt(2 / 64), rel=1e-4)
    assert host.box("gain_kind").currentText() == "He, √(2/d_model)"
    assert host.session.undo_text == "Change gain"


def measured_std(frame: HeadsFrame) -> float:
    scores = frame.head_map.scores(stage=Stage.SCALED)
    allowed = frame.head_map.allowed()
    return float(np.std(scores if allowed is None else scores[np.broadcast_to(allowed, scores.shape)]))


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("mask", [MaskKind.NONE, MaskKind.CAUSAL])
def test_the_read_out_holds_prediction_and_measurement(open_host, scaled, mask):
    host = open_host(HeadsState().with_setup(scaled=scaled, mask=MaskChoice(mask)))
    predicted = 1.0 if scaled else np.sqrt(8)
    measured = measured_std(heads_frame(host.heads.setup))
    scores = "Scaled scores" if scaled else "Scores"
    assert (
        host.random.readout.text()
        == f"Entries of W: std 0.125. {scores}: std {predicted:.2f} predicted, {measured:.2f} here."
    )


def test_the_read_out_follows_the_drag(host, hand):
    slider = host.random.gain.slider
    mouse, start = hand(slider), handle_of(slider)
    mouse.press(start)
    mouse.move(start + QPointF(25, 0))
    expected = 64 * host.recipe.gain**2
    said = f"Entries of W: std {host.recipe.gain:.4g}. Scaled scores: std {expected:.2f} predicted"
    assert said in host.random.readout.text()
    mouse.release()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"projections": Projections.IDENTITY}, "No W: a score is x·x′. Scaled scores: std "),
        (
            {"projections": Projections.TIED, "encoding": Encoding.SINUSOIDAL},
            ". Scaled scores: no simple prediction, std ",
        ),
        ({"sentence": "a " * 300}, "Scaled scores: std 1.00 predicted."),
    ],
)
def test_the_read_out_says_what_it_cannot_tell(open_host, changes, text):
    host = open_host(toy(**changes))
    assert text in host.random.readout.text()
    assert (" here." in host.random.readout.text()) is ("sentence" not in changes)


def test_the_second_layer_is_measured_only(open_host):
    host = open_host(toy(layers=2).with_setup(layer=1))
    text = host.random.readout.text()
    assert "predicted" not in text
    assert f"{measured_std(heads_frame(host.heads.setup)):.2f} here." in text


def test_nothing_is_measured_while_nobody_sees_it(open_host, monkeypatch):
    measured = []
    monkeypatch.setattr(random_heads, "verdict", lambda frame: measured.append(frame) or verdict(frame))
    host = open_host()
    assert len(measured) >= 1
    measured.clear()
    host.hide()
    host.session.apply(replace(host.session.state, heads=host.heads.with_recipe(seed=7)), "Change seed")
    assert measured == []
    host.show()
    assert measured != []
    assert f"{measured_std(heads_frame(host.heads.setup)):.2f}" in host.random.readout.text()
    measured.clear()
    host.session.apply(replace(host.session.state, heads=host.heads.with_view(row_sums=True)), "Show row sums")
    assert measured == []


# ---- Choices ----


@pytest.mark.parametrize(
    ("field", "value"),
    [("projections", kind) for kind in Projections]
    + [("gain_kind", kind) for kind in GainKind]
    + [("vectors", kind) for kind in TokenVectors if kind is not TokenVectors.GIVEN]
    + [("encoding", kind) for kind in Encoding],
)
def test_every_choice_is_chosen_shown_and_undone(open_host, qtbot, field, value):
    host = open_host(clock=iter(range(0, 10_000, 10)).__next__)
    choose(qtbot, host, field, value)
    assert getattr(host.recipe, field) is value
    while host.session.can_undo:
        host.session.undo()
    assert host.recipe == ToyRecipe()
    assert shown(host, field) is getattr(ToyRecipe(), field)


def test_given_numbers_are_offered_where_there_are_some(open_host, qtbot):
    given = next(tutorial.recipe for tutorial in TUTORIALS if tutorial.recipe.vectors is TokenVectors.GIVEN)
    host = open_host(HeadsState().with_setup(recipe=given))
    vectors = host.box("vectors")
    assert vectors.currentText() == "given numbers"
    choose(qtbot, host, "vectors", TokenVectors.BY_WORD)
    assert host.recipe.vectors is TokenVectors.BY_WORD
    choose(qtbot, host, "vectors", TokenVectors.GIVEN)
    assert host.recipe == given
    host.session.apply(replace(host.session.state, heads=HeadsState()), "Start anew")
    offered = [vectors.itemText(i) for i in range(vectors.count()) if vectors.model().item(i).isEnabled()]
    assert offered == ["one vector per word", "one vector per position"]


def test_case_and_embedding_scale(host, qtbot):
    click(qtbot, host.box("case_sensitive"))
    assert not host.recipe.case_sensitive
    assert host.session.undo_text == "Switch case-sensitive"
    type_into(qtbot, host.box("embedding_scale"), "0.5")
    assert host.recipe.embedding_scale == 0.5
    assert "Scaled scores: std 0.25 predicted" in host.random.readout.text()
    choose(qtbot, host, "vectors", TokenVectors.BY_POSITION)
    assert not host.box("case_sensitive").isEnabled()  # no word has a vector of its own


# ---- Back to the default ----


@pytest.mark.parametrize(
    ("title", "changes", "undo_text"),
    [
        ("heads", {"heads": 16}, "Reset number of heads"),
        ("d_model", {"d_model": 128}, "Reset d_model"),
        ("d_k", {"d_k": 5}, "Reset d_k"),
        ("d_v", {"d_v": 5}, "Reset d_v"),
        ("layers", {"layers": 2}, "Reset number of layers"),
        ("seed", {"seed": 3}, "Reset seed"),
        ("projections", {"projections": Projections.TIED}, "Reset projections"),
        ("gain", {"gain_kind": GainKind.NUMBER, "gain": 0.7}, "Reset gain"),
        ("std of W", {"gain_kind": GainKind.HE}, "Change gain"),
        ("embeddings", {"vectors": TokenVectors.BY_POSITION}, "Reset embeddings"),
        ("their scale", {"embedding_scale": 2.0}, "Reset embedding scale"),
        ("positions", {"encoding": Encoding.SINUSOIDAL}, "Reset position encoding"),
    ],
)
def test_double_click_on_a_name_resets_what_it_names(open_host, hand, title, changes, undo_text):
    kept = {"sentence": "one two three", "case_sensitive": False}
    host = open_host(toy(**kept, **changes))
    label = label_of(host.random, title)
    hand(label).double_click(QPointF(label.rect().center()))
    assert host.recipe == ToyRecipe(**kept)
    assert (host.steps, host.session.undo_text) == (1, undo_text)


def test_double_click_on_the_slider_resets_it_in_one_step(open_host, hand):
    host = open_host(toy(gain_kind=GainKind.NUMBER, gain=0.7))
    slider, before = host.random.gain.slider, host.heads
    hand(slider).double_click(QPointF(10, slider.height() / 2))  # on the groove: the first press moves it
    assert host.recipe.gain_kind is GainKind.NORMALISED
    assert host.steps == 1
    host.session.undo()
    assert host.heads == before


# ---- Hand-made heads ----


def test_hand_made_heads_show_nothing_of_what_belongs_to_the_toy_model(open_host, qtbot):
    host = open_host()
    host.session.apply(ExplorerState(heads=HeadsState().with_setup(recipe=HandMadeRecipe())), "By hand")
    panel = host.panel
    assert panel.cannot.isVisible()
    assert panel.cannot.text() == "Hand-made heads have no random weights to draw."
    assert panel.counts.text() == "6 heads."
    controls = of_kind(panel.random, QAbstractSpinBox, QComboBox, QPushButton, QSlider, QLabel)
    assert len(controls) > 30
    assert not any(control.isEnabled() for control in controls)
    assert not panel.random.isVisible()


def test_the_toy_model_comes_back_with_all_its_controls(open_host, qtbot):
    host = open_host(HeadsState().with_setup(recipe=HandMadeRecipe()))
    host.session.apply(replace(host.session.state, heads=toy(heads=4)), "Random words")
    assert host.box("heads").isEnabled()
    assert not host.panel.cannot.isVisible()
    assert not host.panel.counts.isVisible()
    assert host.random.isVisible()
    assert host.box("heads").text() == "4"
    assert host.random.readout.isVisible()


def test_a_number_half_typed_when_the_toy_model_goes_away_is_dropped(host, qtbot):
    box = host.box("seed")
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "77")
    host.session.apply(
        replace(host.session.state, heads=host.heads.with_setup(recipe=HandMadeRecipe())), "Hand-made heads"
    )
    host.elsewhere.setFocus()
    assert host.heads.setup.recipe == HandMadeRecipe()


# ---- As a panel ----


def test_the_wheel_scrolls_the_panel_and_changes_a_control_only_with_the_keyboard_on_it(open_host):
    host = open_host(size=(320, 260))
    host.elsewhere.setFocus()
    bar = host.area.verticalScrollBar()
    for control in (host.box("heads"), host.box("d_model")):
        bar.setValue(0)
        wheel(control, -1)
        assert bar.value() > 0
    assert host.heads == HeadsState()
    bar.setValue(0)
    host.box("d_model").setFocus()
    wheel(host.box("d_model"), 1)
    assert host.recipe.d_model == 72


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_it_fits_a_narrow_tab_with_nothing_cut_off(open_host, theme, zoom):
    host = open_host(
        toy(seed=2**32 - 1, d_model=1024), look=Look(theme, zoom), size=(round(304 * zoom), round(760 * zoom))
    )
    assert host.panel.minimumSizeHint().width() <= 300 * zoom
    assert host.area.horizontalScrollBar().maximum() == 0
    for text in of_kind(host.panel, QLabel, QPushButton):
        if text.isVisible():
            assert text.width() >= text.minimumSizeHint().width(), text.text()
            assert text.height() >= text.heightForWidth(text.width()), text.text()
    for combo in host.panel.findChildren(QComboBox):
        widest = max(combo.fontMetrics().horizontalAdvance(combo.itemText(i)) for i in range(combo.count()))
        assert combo.width() >= widest + 36 * zoom, combo.accessibleName()  # padding and arrow
    for box in host.panel.findChildren(QAbstractSpinBox):
        line = box.lineEdit()
        assert line.width() >= line.fontMetrics().horizontalAdvance(line.text()), box.accessibleName()
