"""A hand and an eye for pages in the frame: their views, few controls, main quantity, panel and drawer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pictures_driver import PicturesDriver
from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QSlider, QWidget

from attention_explorer.core.declared import value_of
from attention_explorer.kit.controls.choice import ChoiceBox, ChoiceRow
from attention_explorer.kit.controls.number_box import NumberBox
from attention_explorer.kit.controls.sentence_field import SentenceField

CTRL = Qt.KeyboardModifier.ControlModifier


class FrameDriver(PicturesDriver):
    """The window on a page in the frame."""

    is_patient = True

    # ---- What there is ----

    @property
    def view(self) -> Any:
        """The view on show."""
        return self.page.view

    @property
    def example(self) -> Any:
        """The list of examples of the view on show."""
        return self.page.bar.examples[self.view.id]

    @property
    def main(self) -> Any:
        """The slider of the main quantity."""
        return self.page.main.slider_of(self.view)

    @property
    def drawer(self) -> Any:
        return self.page.drawer

    @property
    def notes(self) -> str:
        """What the drawer says about the picture."""
        return self._opened(lambda: self.drawer.says.text())

    @property
    def verdict(self) -> str:
        """What the drawer says is true of the settings."""
        return self._opened(lambda: self.drawer.about.text())

    def _opened(self, read: Callable[[], str]) -> str:
        """Return a text of the drawer, which says nothing while it is closed."""
        was_open = self.page.is_open
        self.page.open_drawer(True)
        text = read().replace("\N{NO-BREAK SPACE}", " ")
        if not was_open:
            self.page.open_drawer(False)
        return text

    def panel_words(self) -> tuple[str, str]:
        """Return title and sentence of the panel."""
        panel = self.page.panel
        title, sentence = (part.text().replace("\N{NO-BREAK SPACE}", " ") for part in (panel.title, panel.sentence))
        return title, sentence

    @property
    def tries(self) -> dict[str, Any]:
        """By their words, what there is to try."""
        return {box.text(): box for box in self.page.panel.tries.boxes if not box.isHidden()}

    def few(self, name: str) -> Any:
        """Return one of the few controls that are always there."""
        return self.page.form_of(self.view).controls[name]

    def field(self, name: str) -> Any:
        """Return a control of the drawer, which is opened if it is not."""
        if not self.drawer.isVisible():
            self.press(self.page.panel.more)
        return self.drawer.form.controls[name]

    def value(self, name: str) -> Any:
        """Return what a field holds in the state of the view."""
        return value_of(self.state, name)

    # ---- The hand ----

    def show(self, view: object) -> None:
        """Press the button of a view, or choose it in the list where there are no buttons."""
        bar = self.page.bar
        if bar.view_row.isVisible():
            self.press(bar.view_row.buttons[view])
        else:
            self.choose(bar.view_box, view)

    def load(self, example: str) -> None:
        """Choose an example of the view on show."""
        self.choose(self.example, example)

    def choose(self, control: QWidget, value: object) -> None:
        """Choose a value by its button, or in its list."""
        if isinstance(control, ChoiceRow):
            self.press(control.buttons[value])
        else:
            super().choose(control, value)

    def set_by_hand(self, control: QWidget, text: str = "") -> None:
        """Set a control to something else, by the mouse and the keys; a number to ``text``, if it is given."""
        if isinstance(control, ChoiceRow):
            self.press(next(button for button in control.buttons.values() if not button.isChecked()))
        elif isinstance(control, QPushButton):
            self.press(control)
        elif text:
            self.type_into(control, text)
        else:
            self.click(QPointF(control.rect().center()), control)
            if isinstance(control, ChoiceBox):
                self._choose_another(control)
            elif isinstance(control, SentenceField):
                QTest.keyClicks(control, "s")
            elif isinstance(control, NumberBox):
                is_low = control.value() + 1 <= control.maximum()
                QTest.keyClick(control, Qt.Key.Key_Up if is_low else Qt.Key.Key_Down)
        self.acted()

    def _choose_another(self, box: ChoiceBox) -> None:
        box.hidePopup()  # which the click has opened
        self.window.activateWindow()
        QApplication.processEvents()
        QTest.keyClick(box, Qt.Key.Key_Down if box.currentIndex() == 0 else Qt.Key.Key_Home)

    def choose_in_menu(self, button: QPushButton, text: str) -> list[str]:
        """Open the menu of a button and click an entry; return the texts of all."""
        found: list[str] = []

        def click() -> None:
            menu = QApplication.activePopupWidget()
            assert isinstance(menu, QMenu)
            found.extend(action.text() for action in menu.actions())
            wanted = next(action for action in menu.actions() if action.text() == text)
            QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(wanted).center())

        QTimer.singleShot(0, button, click)
        self.press(button)
        return found

    def press_handle(self, slider: QSlider, by: float) -> Any:
        """Take the handle of a slider, move it so many pixels, and return the hand that still holds it."""
        mouse, start = self.hand(slider), self.handle_of(slider)
        mouse.press(start)
        mouse.move(start + QPointF(by, 0.0))
        return mouse
