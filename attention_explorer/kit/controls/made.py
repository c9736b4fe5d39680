"""Words, buttons, rows and columns as the window has them, each made in a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QLayout, QPushButton, QVBoxLayout, QWidget

B = TypeVar("B", bound=QBoxLayout)

Part: TypeAlias = "QWidget | QLayout | tuple[QWidget | QLayout, int] | None"
"""Of a row or a column: with how much of the room that is left, or None for room that is left empty."""

_Flag = Qt.TextInteractionFlag


def words(
    text: str = "", style: str = "", *, wraps: bool = False, is_copied: bool = False, has_links: bool = False
) -> QLabel:
    """Return words in a style of the style sheet, which may wrap, be copied, or have links that a browser opens."""
    label = QLabel(text)
    label.setObjectName(style)
    label.setWordWrap(wraps)
    if is_copied:
        label.setTextInteractionFlags(_Flag.TextSelectableByMouse)
    if has_links:
        label.setTextInteractionFlags(_Flag.LinksAccessibleByMouse | _Flag.LinksAccessibleByKeyboard)
        label.setOpenExternalLinks(True)
    return label


def name_of(control: QWidget, text: str, tip: str = "") -> QLabel:
    """Return the name of a control, to stand beside it: the letter behind its & goes to the control."""
    label = QLabel(text)
    label.setBuddy(control)
    label.setToolTip(tip)
    return label


def button(
    text: str = "",
    tip: str = "",
    run: Callable[..., object] | SignalInstance | None = None,
    *,
    name: str = "",
    is_switch: bool = False,
) -> QPushButton:
    """Return a button that does something when it is clicked; ``name`` is what it is called where its words are few."""
    made = QPushButton(text)
    made.setToolTip(tip)
    made.setAccessibleName(name)
    made.setCheckable(is_switch)
    if run is not None:
        made.clicked.connect(run)
    return made


def in_row(*parts: Part, within: QWidget | None = None, space: int | None = None) -> QHBoxLayout:
    """Return parts side by side, without a margin; ``within`` a widget they are all of it."""
    return _filled(QHBoxLayout(), parts, within, space)


def in_column(*parts: Part, within: QWidget | None = None, space: int | None = None) -> QVBoxLayout:
    """Return parts below each other, without a margin; ``within`` a widget they are all of it."""
    return _filled(QVBoxLayout(), parts, within, space)


def _filled(layout: B, parts: tuple[Part, ...], within: QWidget | None, space: int | None) -> B:
    layout.setContentsMargins(0, 0, 0, 0)
    if within is not None:
        within.setLayout(layout)
    if space is not None:
        layout.setSpacing(space)
    for each in parts:
        part, stretch = each if isinstance(each, tuple) else (each, 0)
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, QWidget):
            layout.addWidget(part, stretch)
        else:
            layout.addLayout(part, stretch)
    return layout
