"""A hand and an eye for the pages that show one large picture at a time: Positions, Layer and Lab."""

from __future__ import annotations

from typing import Any

from heads_driver import painted_texts
from people_driver import let_work
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication, QSlider, QStyle, QStyleOptionSlider
from window_driver import WindowDriver


class PicturesDriver(WindowDriver):
    """The window on a page of pictures."""

    is_patient = False
    """Whether the picture is waited for after each thing that the hand did."""

    def acted(self) -> None:
        if self.is_patient:
            self.settle()

    def settle(self) -> None:
        """Wait until nothing is being computed any more."""
        for _ in range(12_000):
            if not self.page.jobs.is_busy():
                break
            let_work()
        assert not self.page.jobs.is_busy()
        QApplication.processEvents()

    @property
    def bar(self) -> Any:
        """The controls above the picture."""
        return self.page.bar

    @property
    def controls(self) -> Any:
        """The controls below the picture."""
        return self.page.controls

    @property
    def state(self) -> Any:
        """The page's part of the state."""
        return self.page.state

    @property
    def picture(self) -> Any:
        """The numbers that are drawn."""
        return self.canvas.picture

    @property
    def layout(self) -> Any:
        """Where they are drawn."""
        return self.canvas.picture_layout

    @property
    def said(self) -> str:
        return super().said.replace("\N{NO-BREAK SPACE}", " ")

    @property
    def notes(self) -> str:
        """What the panel says about the picture."""
        return self.page.panel.notes_text.text().replace("\N{NO-BREAK SPACE}", " ")

    @property
    def verdict(self) -> str:
        """What the panel says is true of the settings."""
        return self.page.panel.verdict_text.text()

    def texts(self) -> list[str]:
        """What is written in the picture, without its marks."""
        return painted_texts(self.canvas.paint_picture)

    def point_at(self, place: QPointF) -> str:
        """Rest the pointer on a place of the picture, and return what the status bar says."""
        self.hand().move(place)
        return self.said

    def show_picture(self, picture: object) -> None:
        """Press the button of a picture."""
        self.press(self.bar.picture_row.buttons[picture])

    # ---- Sliders ----

    def handle_of(self, slider: QSlider) -> QPointF:
        option = QStyleOptionSlider()
        slider.initStyleOption(option)
        part = QStyle.SubControl.SC_SliderHandle
        return QPointF(slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider).center())

    def drag_slider(self, slider: QSlider, by: float) -> None:
        """Take the handle, move it so many pixels, let go."""
        assert slider.isVisible()
        start = self.handle_of(slider)
        self.hand(slider).drag(start, start + QPointF(by, 0.0))
