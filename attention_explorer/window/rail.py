"""The rail at the left of the window: lessons and pages, and below them what takes back; and icons."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QButtonGroup, QToolButton, QVBoxLayout, QWidget

from attention_explorer.core import files
from attention_explorer.kit.controls.panel_scroll import ColumnScroll
from attention_explorer.kit.theme import Look

# ---- Icons ----
# Drawn from the SVG files of the program in the colour of the text beside them.


def icon(name: str, colour: str, size: int, strong: str | None = None) -> QIcon:
    """Return an icon in ``colour``, and in ``strong`` where it is checked; ``size`` in pixels."""
    result = QIcon()
    result.addPixmap(_pixmap(name, colour, size), QIcon.Mode.Normal, QIcon.State.Off)
    if strong is not None:
        result.addPixmap(_pixmap(name, strong, size), QIcon.Mode.Normal, QIcon.State.On)
    return result


def _pixmap(name: str, colour: str, size: int) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", colour).encode()))
    if not renderer.isValid():
        raise files.damaged(_file(name))
    # Drawn at twice the size, so that it stays sharp on screens with two pixels per point.
    pixmap = QPixmap(QSize(2 * size, 2 * size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, 2 * size, 2 * size))
    painter.end()
    pixmap.setDevicePixelRatio(2.0)
    return pixmap


@lru_cache(maxsize=32)
def _drawing(name: str) -> str:
    return files.read_text(_file(name))


def _file(name: str) -> str:
    return f"icons/{name}.svg"


def program_icon() -> QIcon:
    """Return the icon of the program."""
    return icon("attention-explorer", "#000000", 128)


WIDTH = 76
KNOWN_BY_ICON = ("back", "undo", "redo", "theme")
"""What loses its words before the pages do."""


class Rail(ColumnScroll):
    """Buttons below one another, each with an icon of its name.

    Attributes
    ----------
    buttons : dict of str to QToolButton
        By name.
    """

    def __init__(self) -> None:
        self._rail = QWidget()
        self._rail.setObjectName("rail")
        super().__init__(self._rail)
        # Many pages at a large size are higher than a small screen: then the rail scrolls and the window stays small.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._column = QVBoxLayout(self._rail)
        self._places = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
        self._tips: dict[str, str] = {}

    def add(self, name: str, title: str, tip: str, run: Callable[[], object]) -> QToolButton:
        """Add a button that does something."""
        button = QToolButton()
        button.setText(title)
        button.setToolTip(tip)
        button.setAccessibleName(title)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda _checked: run())
        self.buttons[name], self._tips[name] = button, tip
        self._column.addWidget(button)
        return button

    def add_place(self, name: str, title: str, tip: str, run: Callable[[], object]) -> None:
        """Add a button that shows a page, and stays down as long as that is on show."""
        button = self.add(name, title, tip, run)
        button.setCheckable(True)
        self._places.addButton(button)

    def add_stretch(self) -> None:
        """Let what follows stand at the bottom."""
        self._column.addStretch(1)

    def mark(self, name: str) -> None:
        """Show which page is on show."""
        self.buttons[name].setChecked(True)

    def enable(self, name: str, tip: str) -> None:
        """Say what a button would do now; an empty tip greys it, and its own is back."""
        self.buttons[name].setEnabled(bool(tip))
        self.buttons[name].setToolTip(tip or self._tips[name])

    def set_look(self, look: Look) -> None:
        """Put icons and sizes on everything."""
        self.setFixedWidth(look.px(WIDTH))
        self._column.setContentsMargins(look.px(7), look.px(10), look.px(7), look.px(8))
        self._column.setSpacing(look.px(3))
        for name, button in self.buttons.items():
            button.setIcon(icon(name, look.theme.muted, look.px(26), look.theme.text))
            button.setIconSize(QSize(look.px(26), look.px(26)))
            button.setFixedWidth(look.px(WIDTH - 14))

    def fit(self, height: int) -> None:
        """Leave out words where there are not so many pixels, those of pages last; the tips still say them."""
        for button in self.buttons.values():
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        for names in (KNOWN_BY_ICON, tuple(self.buttons)):
            if self._rail.sizeHint().height() > height:
                for name in names:
                    self.buttons[name].setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
