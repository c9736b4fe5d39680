"""A form: for each kind of declared field a control that shows it, sets it, refuses what does not fit, and says why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from attention_explorer.core.declared import Kind, declared, derived, with_value
from attention_explorer.errors import ExplorerError
from attention_explorer.kit.controls.choice import ChoiceBox, ChoiceRow
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.form import Form, Written
from attention_explorer.kit.frame.view import Part
from attention_explorer.kit.theme import LIGHT, Look


class Size(StrEnum):
    SMALL = "small"
    MIDDLE = "middle"
    LARGE = "large"


@dataclass(frozen=True)
class Inner:
    depth: int = declared(1, "depth", "How deep it is", "Change the depth", low=1, high=9)


@dataclass(frozen=True)
class Example:
    width: int = declared(
        8, "width", "How wide it is", "Change the width", low=1, high=64, stops=(1, 2, 4, 8, 16, 32, 64)
    )
    share: float = declared(0.5, "share", "How much of it is used", "Change the share", high=1.0)
    size: Size = declared(Size.SMALL, "size", "How large it is", "Choose the size", names={"large": "huge"})
    parts: int = declared(2, "parts", "How many there are", "Choose the parts", choices=(1, 2, 4, 8, 16))
    on: bool = declared(True, "on", "Whether it runs", "Switch it")
    side: bool = declared(False, "side", "Where it stands", "Move it", names={"off": "left", "on": "right"})
    place: bool = declared(
        False, "place", "Where it ends", "End it", names={"off": "before the first", "on": "after the last"}
    )
    sentence: str = declared("the cat", "sentence", "What goes in", "Type", forbids=lambda state: _why(state))
    row: tuple[float, ...] = declared(
        (1.0, 2.0), "row", "Numbers with commas between", "Type numbers", kind=Kind.LIST, shown=lambda state: state.on
    )
    inner: Inner = declared(Inner, "inner", "What is inside", "Change what is inside")

    @property
    @derived("rest", "What the share leaves, in percent", "Change the rest", high=100)
    def rest(self) -> int:
        return round(100 - 100 * self.share)


def _why(state: Example) -> str:
    return "" if state.on else "It is off. Turn it on."


def change(state: Example, name: str, value: Any) -> Example:
    if name == "rest":
        if value == 13:
            raise ExplorerError("13 is no rest. Choose another number.")
        return replace(state, share=1 - value / 100)
    return with_value(state, name, value)


def read_row(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ExplorerError(f"“{text}” is no row.") from None


NAMES = ("width", "share", "size", "parts", "on", "side", "place", "sentence", "row", "inner.depth", "rest")
WRITTEN = {"row": Written(lambda row: ", ".join(f"{each:g}" for each in row), read_row)}


class Shown:
    """A form on the screen, with what it sets kept as its state."""

    def __init__(self, qtbot, **how: Any) -> None:
        self.state = Example()
        self.labels: list[str] = []
        self.merges: list[str] = []
        self.refused: list[str] = []
        self.form = Form(Example, NAMES, Look(LIGHT), change, written=WRITTEN, **how)
        self.form.changed.connect(self._on_changed)
        self.form.refused.connect(self.refused.append)
        qtbot.addWidget(self.form)
        self.form.show_state(self.state)
        self.form.show()
        qtbot.waitExposed(self.form)

    def _on_changed(self, state: Example, label: str, merge: str) -> None:
        self.labels.append(label)
        self.merges.append(merge)
        self.put(state)

    def put(self, state: Example) -> None:
        self.state = state
        self.form.show_state(state)

    def control(self, name: str) -> Any:
        return self.form.controls[name]

    def type_into(self, name: str, text: str, key: Qt.Key = Qt.Key.Key_Return) -> None:
        field = self.control(name)
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, key)

    def press(self, button: QWidget) -> None:
        assert button.isVisible()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=button.rect().center())


@pytest.fixture
def shown(qtbot) -> Shown:
    return Shown(qtbot, in_column=True)


# ---- Each kind of field ----


def test_a_whole_number_is_typed_or_goes_from_stop_to_stop(shown) -> None:
    shown.type_into("width", "24")
    QTest.keyClick(shown.control("width"), Qt.Key.Key_Up)
    assert shown.state.width == 32
    QTest.keyClick(shown.control("width"), Qt.Key.Key_Down)
    assert shown.state.width == 16
    assert shown.labels == ["Change the width"] * 3
    assert shown.merges == ["width"] * 3, "keys that follow each other are one step"
    assert shown.control("width").toolTip() == "How wide it is\n1 to 64"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [("width", "65", "whole number from 1 to 64"), ("width", "2.5", "whole number"), ("share", "2", "from 0 to 1")],
)
def test_a_number_that_does_not_fit_is_refused_and_stays_until_it_is_given_up(shown, name, text, said) -> None:
    before = shown.control(name).text()
    shown.type_into(name, text)
    assert said in shown.refused[-1]
    assert shown.control(name).text() == text
    assert shown.state == Example()
    QTest.keyClick(shown.control(name), Qt.Key.Key_Escape)
    assert shown.control(name).text() == before
    assert shown.state == Example()


def test_a_number_is_read_as_people_write_it(shown) -> None:
    shown.type_into("share", "0,25")
    assert shown.state.share == 0.25
    assert shown.control("share").text() == "0.25"
    shown.type_into("share", "2e-5")
    assert shown.control("share").text() == "0.00002"


def test_a_choice_of_few_is_a_row_of_buttons_with_their_names(shown) -> None:
    row = shown.control("size")
    assert isinstance(row, ChoiceRow)
    assert [button.text() for button in row.buttons.values()] == ["small", "middle", "huge"]
    shown.press(row.buttons[Size.LARGE])
    assert shown.state.size is Size.LARGE
    assert row.buttons[Size.LARGE].isChecked()
    shown.press(shown.control("side").buttons[True])
    assert shown.state.side is True
    assert shown.control("side").buttons[True].text() == "right"


def test_a_choice_of_many_is_a_list_that_keys_walk(shown) -> None:
    box = shown.control("parts")
    assert isinstance(box, ChoiceBox)
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_End)
    assert shown.state.parts == 16
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert shown.state.parts == 8
    assert box.currentText() == "8"


def test_in_a_column_long_names_are_in_a_list(shown) -> None:
    box = shown.control("place")
    assert isinstance(box, ChoiceBox)
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    assert shown.state.place is True


def test_a_switch_is_a_button_that_stays_down(shown) -> None:
    button = shown.control("on")
    assert isinstance(button, QPushButton)
    assert button.isChecked()
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert not shown.state.on
    assert not button.isChecked()
    assert shown.merges == [""]


def test_a_sentence_is_used_letter_by_letter_and_never_empty(shown) -> None:
    field = shown.control("sentence")
    field.setFocus()
    field.end(False)
    QTest.keyClicks(field, " s")
    assert shown.state.sentence == "the cat s"
    assert set(shown.merges) == {"sentence"}, "letters that follow each other are one step"
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    assert "at least one word" in shown.refused[-1]
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == shown.state.sentence == "the cat s"


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Tab])
def test_a_list_is_written_and_read_at_the_end(shown, key) -> None:
    line = shown.control("row")
    shown.type_into("row", "3,4 ,5", key)
    assert shown.state.row == (3.0, 4.0, 5.0)
    assert line.text() == "3, 4, 5"
    shown.type_into("row", "3, 4,5", key)
    assert line.text() == "3, 4, 5"
    assert len(shown.labels) == 1
    shown.type_into("row", "3, x", key)
    assert shown.refused == ["“3, x” is no row."]
    assert line.text() == "3, x"  # which can be mended
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert line.text() == "3, 4, 5"


def test_what_is_being_written_stays_until_it_is_given_up(shown) -> None:
    line = shown.control("row")
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "7, 8")
    shown.put(replace(shown.state, width=4))
    assert line.text() == "7, 8"
    QTest.keyClick(line, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert line.text() == "1, 2"
    assert shown.labels == []


def test_a_field_of_a_part_is_set_by_its_dotted_name(shown) -> None:
    shown.type_into("inner.depth", "5")
    assert shown.state.inner.depth == 5
    assert shown.labels == ["Change the depth"]


def test_what_is_derived_sets_what_it_follows_from(shown) -> None:
    shown.type_into("rest", "20")
    assert shown.state.share == pytest.approx(0.8)
    assert shown.labels == ["Change the rest"]
    shown.put(replace(shown.state, share=0.4))
    assert shown.control("rest").text() == "60"
    shown.type_into("rest", "13")
    assert shown.refused == ["13 is no rest. Choose another number."]
    assert shown.control("rest").text() == "60"


# ---- Showing ----


def test_a_state_that_is_shown_sets_nothing(shown) -> None:
    shown.put(Example(32, 0.75, Size.MIDDLE, 4, True, True, True, "a bird", (9.0,), Inner(3)))
    assert shown.labels == []
    texts = {name: control.text() for name, control in shown.form.controls.items() if hasattr(control, "text")}
    numbers = {"width": "32", "share": "0.75", "inner.depth": "3", "rest": "25"}
    assert texts == {**numbers, "on": "on", "sentence": "a bird", "row": "9"}
    assert shown.control("size").buttons[Size.MIDDLE].isChecked()
    assert shown.control("parts").currentText() == "4"


def test_what_does_nothing_is_gone_and_what_cannot_be_set_says_why(shown) -> None:
    field = shown.control("sentence")
    shown.put(replace(shown.state, on=False))
    assert not shown.control("row").isVisible()
    assert not field.isEnabled()
    assert field.toolTip() == "It is off. Turn it on."
    shown.put(replace(shown.state, on=True))
    assert shown.control("row").isVisible()
    assert field.isEnabled()
    assert field.toolTip() == "What goes in"


def test_a_part_forbids_more_than_its_fields_do_in_controls_and_in_the_picture(qtbot) -> None:
    def reasons(state: Example) -> dict[str, str]:
        return {"width": "" if state.on else "Elsewhere it is fixed.", "sentence": ""}

    part = Part("example", Example, (), change, WRITTEN, reasons=reasons)
    off = Example(on=False)
    form = part.form(NAMES, Look(LIGHT))
    qtbot.addWidget(form)
    form.show_state(off)
    assert form.controls["width"].toolTip() == "Elsewhere it is fixed."
    assert form.controls["sentence"].toolTip() == "It is off. Turn it on."
    assert part.reason_against_change(off, replace(off, width=9)) == "Elsewhere it is fixed."
    assert part.reason_against_change(off, replace(off, sentence="a dog")) == "It is off. Turn it on."
    assert part.reason_against_change(off, replace(off, share=0.1)) == ""
    assert part.reason_against_change(Example(), replace(Example(), width=9)) == ""


@pytest.mark.parametrize(
    ("name", "changes", "label"),
    [
        ("width", {"width": 32}, "Reset width"),
        ("parts", {"parts": 16}, "Reset parts"),
        ("rest", {"share": 0.2}, "Reset rest"),
        ("inner.depth", {"inner": Inner(7)}, "Reset depth"),
        ("sentence", {"sentence": "a dog"}, "Reset sentence"),
    ],
)
def test_a_double_click_on_the_label_puts_a_field_back(shown, name, changes, label) -> None:
    shown.put(replace(shown.state, **changes))
    own = next(each for each in shown.form.findChildren(QLabel) if each.buddy() is shown.control(name))
    assert "Double click" in own.toolTip()
    QTest.mouseDClick(own, Qt.MouseButton.LeftButton, pos=own.rect().center())
    assert (shown.state, shown.labels, shown.merges) == (Example(), [label], [""])


def test_what_cannot_be_set_is_not_put_back(shown) -> None:
    shown.put(replace(shown.state, on=False, sentence="a dog"))
    own = next(each for each in shown.form.findChildren(QLabel) if each.buddy() is shown.control("sentence"))
    QTest.mouseDClick(own, Qt.MouseButton.LeftButton, pos=own.rect().center())
    assert shown.state.sentence == "a dog"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("widTH", ["width"]),
        ("how deep", ["inner.depth"]),
        ("inner", ["inner.depth"]),
        ("how many there", ["parts"]),
        ("nothing like it", []),
    ],
)
def test_fields_are_found_by_label_tip_and_name(shown, words, found) -> None:
    shown.form.search_for(words)
    assert [name for name in NAMES if shown.control(name).isVisible()] == found
    shown.form.search_for("")
    assert all(shown.control(name).isVisible() for name in NAMES)


def test_the_search_does_not_show_what_does_nothing(shown) -> None:
    shown.put(replace(shown.state, on=False))
    shown.form.search_for("row")
    assert not shown.control("row").isVisible()


def test_every_control_has_a_name_and_a_tip_and_fields_a_label_beside_them(shown) -> None:
    for name in NAMES:
        control = shown.control(name)
        said = shown.form.said(name)
        parts = list(control.buttons.values()) if isinstance(control, ChoiceRow) else [control]
        for part in parts:
            assert said.tip in part.toolTip()
            assert said.label in (part.accessibleName() or part.text())
        if isinstance(control, NumberBox | QLineEdit | ChoiceBox):
            (label,) = [each for each in shown.form._labels if each.buddy() is control]
            assert label.text() == said.label


def test_in_a_line_what_says_itself_what_it_is_has_no_label(qtbot) -> None:
    shown = Shown(qtbot, most_buttons=2)
    assert isinstance(shown.control("size"), ChoiceBox)
    assert shown.control("on").parent() is shown.form
    assert shown.control("width").parent() is not shown.form
