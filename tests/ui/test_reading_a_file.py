"""The question how a file is read, with mouse and keys: axes as chips, heads as maps, and what becomes of the rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from heads_driver import panel_says
from PySide6.QtCore import QEvent, QPointF, Qt, QUrl
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from window_driver import drop

from attention_explorer.core.numerals import readable
from attention_explorer.model import softmax
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.sources.recorded_recipe import Rows
from attention_explorer.window.axis_chips import AxisChip
from attention_explorer.window.reading_dialog import ReadingDialog

RNG = np.random.default_rng(2)
SCORES = RNG.normal(size=(2, 3, 6, 6)) * 2
WEIGHTS = softmax(SCORES)


@pytest.fixture
def window(make_window):
    return make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="heads"))


def asked(window) -> ReadingDialog:
    """Return the dialog, when it has read the file."""
    (dialog,) = (each for each in window.findChildren(ReadingDialog) if each.isVisible())
    assert dialog.working.jobs.wait(20)
    QApplication.processEvents()
    return dialog


@pytest.fixture
def ask(window, qtbot, tmp_path):
    """Open a file in the window, and ask how it is read if nobody asks by himself."""

    def dialog_of(array: np.ndarray, **others: np.ndarray) -> ReadingDialog:
        path, before = tmp_path / "a.npz", window.session.state
        np.savez(path, attention=array, **others)
        assert drop(window, QUrl.fromLocalFile(str(path)))

        def is_asked() -> bool:
            return any(each.isVisible() for each in window.findChildren(ReadingDialog))

        qtbot.waitUntil(lambda: is_asked() or window.session.state != before, timeout=20_000)
        if not is_asked():
            window.page.settle()
            window.files.ask_how_to_read()
        return asked(window)

    return dialog_of


def words(dialog: ReadingDialog) -> list[str]:
    return [" ".join(chip.words) for chip in dialog.axes.chips]


def spoken(widget: QWidget, kind: QAccessible.Text = QAccessible.Text.Name) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(kind)


def middle(chip: AxisChip) -> QPointF:
    return QPointF(chip.rect().center())


def drag(hand, dialog: ReadingDialog, start: int, end: int) -> None:
    chips = dialog.axes.chips
    to = chips[start].mapFromGlobal(chips[end].mapToGlobal(chips[end].rect().center()))
    hand(chips[start]).drag(middle(chips[start]), QPointF(to))


def press(dialog: ReadingDialog, rows: Rows) -> None:
    QTest.mouseClick(dialog.rows.buttons[rows], Qt.MouseButton.LeftButton)


def opened(window, dialog: ReadingDialog):
    QTest.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    window.page.settle()
    return window.session.state.heads.setup.recipe


def test_axes_are_chips_with_their_lengths_and_what_they_are(window, ask) -> None:
    dialog = ask(WEIGHTS[:, None])
    assert words(dialog) == ["2 layers", "1 in batch", "3 heads", "6 queries", "6 keys"]
    assert [spoken(chip) for chip in dialog.axes.chips[2:4]] == ["Axis 3 of 5: 3 heads", "Axis 4 of 5: 6 queries"]
    assert "changes places" in spoken(dialog.axes.chips[0], QAccessible.Text.Description)
    assert dialog.axes.said.text() == 'axes="lbhqk"'
    assert dialog.sums.text() == "Rows sum to 1."
    assert not dialog.rows.isVisible(), "they are weights"
    assert not dialog.batch.isVisible(), "there is one sequence"


def test_a_chip_is_dragged_onto_another_and_what_they_mean_changes_places(window, ask, hand) -> None:
    dialog = ask(WEIGHTS)
    assert words(dialog)[2:] == ["6 queries", "6 keys"]
    drag(hand, dialog, 2, 3)
    assert dialog.axes.letters == "lhkq"
    assert words(asked(window))[2:] == ["6 keys", "6 queries"]
    np.testing.assert_array_equal(dialog.heads.shown[0].picture.values, WEIGHTS[0, 0].T)
    assert dialog.sums.text().endswith("these are no weights.")
    assert not dialog.open_button.isEnabled()
    drag(hand, dialog, 3, 2)
    np.testing.assert_array_equal(asked(window).heads.shown[0].picture.values, WEIGHTS[0, 0])
    assert opened(window, dialog).axes == "lhqk"


def test_the_maps_follow_the_hand_and_escape_puts_all_back(window, ask, hand) -> None:
    dialog = ask(WEIGHTS)
    first, *_, last = dialog.axes.chips
    mouse = hand(first)
    mouse.press(middle(first))
    for chip in dialog.axes.chips[1:]:
        mouse.move(QPointF(first.mapFromGlobal(chip.mapToGlobal(chip.rect().center()))))
    assert dialog.axes.letters == "khql", "only two change places"
    assert last.is_held
    assert asked(window).heads.shown[-1].name == "L6 H3"
    QTest.keyClick(first, Qt.Key.Key_Escape)
    mouse.release()
    assert (asked(window).axes.letters, dialog.isVisible()) == ("lhqk", True)
    np.testing.assert_array_equal(dialog.heads.shown[0].picture.values, WEIGHTS[0, 0])


def test_a_meaning_walks_with_the_arrow_keys_and_takes_the_keyboard_with_it(window, ask) -> None:
    dialog = ask(WEIGHTS)
    dialog.axes.setFocus()
    assert dialog.axes.chips[0].hasFocus()
    QTest.keyClick(dialog.axes.chips[0], Qt.Key.Key_Right)
    assert (dialog.axes.letters, dialog.axes.chips[1].hasFocus()) == ("hlqk", True)
    QTest.keyClick(dialog.axes.chips[1], Qt.Key.Key_Left)
    QTest.keyClick(dialog.axes.chips[0], Qt.Key.Key_Left)
    assert (dialog.axes.letters, dialog.axes.chips[0].hasFocus()) == ("lhqk", True)
    assert asked(window).open_button.isEnabled()


def test_letters_are_typed_from_chip_to_chip(window, ask) -> None:
    dialog = ask(WEIGHTS)
    dialog.axes.chips[0].setFocus()
    for letter in "hlqk":
        QTest.keyClick(QApplication.focusWidget(), letter)
    assert dialog.axes.letters == "hlqk"
    assert asked(window).heads.shown[-1].name == "L3 H2"
    assert opened(window, dialog).axes == "hlqk"


def test_a_click_offers_what_an_axis_can_be(window, ask) -> None:
    dialog = ask(WEIGHTS)
    QTest.mouseClick(dialog.axes.chips[0], Qt.MouseButton.LeftButton)
    texts = {action.text(): action for action in dialog.axes.menu.actions()}
    assert list(texts) == ["Layers", "Batch", "Heads", "Queries", "Keys"]
    assert [text for text, action in texts.items() if action.isChecked()] == ["Layers"]
    texts["Batch"].trigger()
    dialog.axes.menu.close()
    assert words(asked(window))[0] == "2 in batch"
    assert dialog.batch.isVisible()
    dialog.batch.setFocus()
    QTest.keyClick(dialog.batch, Qt.Key.Key_Up)
    np.testing.assert_array_equal(asked(window).heads.shown[1].picture.values, WEIGHTS[1, 1])
    assert (opened(window, dialog).axes, dialog.batch.value()) == ("bhqk", 1)


def test_what_would_leave_no_keys_is_not_offered(window, ask) -> None:
    dialog = ask(WEIGHTS)
    QTest.keyClick(dialog.axes.chips[3], Qt.Key.Key_Space)
    enabled = {action.text(): action.isEnabled() for action in dialog.axes.menu.actions()}
    dialog.axes.menu.close()
    assert enabled == {"Layers": True, "Batch": False, "Heads": True, "Queries": True, "Keys": True}


def test_an_array_for_each_layer_has_no_axis_of_layers(window, ask) -> None:
    arrays = {f"w.{number}": layer for number, layer in enumerate(WEIGHTS)}
    dialog = ask(np.ones(3), **arrays)
    dialog.array.setFocus()
    QTest.keyClick(dialog.array, Qt.Key.Key_Home)
    assert words(asked(window)) == ["3 heads", "6 queries", "6 keys"]
    assert dialog.axes.before.text() == "2 layers of"
    assert "l" not in dialog.axes.meanings


def test_scores_lead_to_a_softmax(window, ask) -> None:
    dialog = ask(SCORES)
    assert dialog.rows.isVisible()
    assert "look like scores" in dialog.offer.text()
    assert not dialog.open_button.isEnabled()
    press(dialog, Rows.SOFTMAX)
    assert asked(window).sums.text() == "Rows sum to 1."
    np.testing.assert_allclose(dialog.heads.shown[0].picture.values, WEIGHTS[0, 0])
    recipe = opened(window, dialog)
    assert recipe.rows is Rows.SOFTMAX
    np.testing.assert_allclose(window.page._frame.map.weights(), WEIGHTS[0, 0])
    assert "softmax of the numbers in the file, taken here" in window.statusBar().currentMessage()
    window.files.ask_how_to_read()
    again = asked(window)
    assert again.rows.buttons[Rows.SOFTMAX].isChecked()
    press(again, Rows.AS_THEY_ARE)
    assert not asked(window).open_button.isEnabled()


def test_rows_are_divided_by_their_sums_and_numbers_below_0_are_refused(window, ask) -> None:
    dialog = ask(7 * WEIGHTS)
    assert dialog.sums.text() == "Rows sum to 7: these are no weights."
    press(dialog, Rows.NORMALISE)
    asked(window)
    assert opened(window, dialog).rows is Rows.NORMALISE
    np.testing.assert_allclose(window.page._frame.map.weights(), WEIGHTS[0, 0])
    window.files.ask_how_to_read()
    again = asked(window)
    np.testing.assert_allclose(again.heads.shown[0].picture.values, WEIGHTS[0, 0])


def test_a_sum_is_not_taken_of_numbers_below_0(window, ask) -> None:
    dialog = ask(SCORES)
    press(dialog, Rows.NORMALISE)
    assert "none below 0" in asked(window).reasons.text()
    assert not dialog.open_button.isEnabled()
    assert dialog.rows.isVisible()


def test_pointing_at_a_map_says_the_number(window, ask, hand) -> None:
    dialog = ask(WEIGHTS, tokens=np.array(list("abcdef")))
    quiet = dialog.seen.text()
    _, layout = dialog.heads.items()[0]
    hand(dialog.heads).move(layout.rectangle(1, 2).center())
    assert dialog.seen.text() == f"L1 H1: “b” (query) → “c” (key): {readable(float(WEIGHTS[0, 0, 1, 2]))}"
    QApplication.sendEvent(dialog.heads, QEvent(QEvent.Type.Leave))
    assert dialog.seen.text() == quiet
    said = spoken(dialog.heads, QAccessible.Text.Description)
    assert "L1 H1" in said
    assert "Rows sum to 1" in said


@pytest.mark.parametrize(("factor", "said"), [(1, "largest"), (-1, "furthest from 0")])
def test_pointing_at_a_tile_says_which_of_its_numbers_it_shows(window, ask, hand, factor, said) -> None:
    numbers = np.full((1, 2, 4, 960), 0.7 * factor)
    numbers[0, 0, 0, 7] = 3 * factor
    dialog = ask(numbers)
    _, layout = dialog.heads.items()[0]
    hand(dialog.heads).move(layout.rectangle(0, 4).center())
    assert dialog.seen.text() == f"head 1: “1” (query) → “5” (key): {said} here {readable(3.0 * factor)}"


def test_a_dialog_is_as_high_as_what_it_shows_and_nothing_is_cut_off(window, ask) -> None:
    dialog = ask(SCORES)
    assert abs(dialog.height() - dialog.layout().totalHeightForWidth(dialog.width())) < 12
    for chip in dialog.axes.chips:
        assert chip.width() >= chip.sizeHint().width()
    for label in (dialog.sums, dialog.seen, dialog.offer, dialog.reasons):
        assert label.height() >= label.heightForWidth(label.width())


def test_where_a_row_is_none_of_weights_it_is_asked_how_to_read_them(window, tmp_path, qtbot) -> None:
    weights = softmax(RNG.normal(size=(1, 2, 300, 300)))
    weights[0, 1, 137] *= 7  # none of the rows that are looked at when it is opened
    np.savez(tmp_path / "odd.npz", attention=weights)
    before = window.session.state
    assert drop(window, QUrl.fromLocalFile(str(tmp_path / "odd.npz")))
    qtbot.waitUntil(lambda: window.session.state != before, timeout=20_000)
    window.page.settle()
    assert "How to read it…" not in window.page.offers.buttons
    window.session.apply(with_head(window.session.state, 1), "Show another head")
    window.page.settle()
    assert "sums to 7" in panel_says(window.page)
    offers = window.page.offers
    assert offers.isVisible()
    QTest.mouseClick(offers.buttons["How to read it…"], Qt.MouseButton.LeftButton)
    dialog = asked(window)
    assert dialog.sums.text() == "Rows sum to 1.", "of the rows that are looked at"
    assert "sums to 7" in dialog.offer.text()
    press(dialog, Rows.NORMALISE)
    qtbot.waitUntil(lambda: not dialog.offer.isVisible(), timeout=20_000)
    opened(window, dialog)
    np.testing.assert_allclose(window.page._frame.map.weights()[137].sum(), 1.0)
    assert "How to read it…" not in offers.buttons


def with_head(state: ExplorerState, head: int) -> ExplorerState:
    return replace(state, heads=state.heads.with_setup(head=head))
