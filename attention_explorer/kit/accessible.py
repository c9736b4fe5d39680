"""What screen readers are told about pictures: that they are pictures, and what they show, in words.

Qt knows only its own widgets; one that paints itself is a nameless area to it. A widget of ours says by
``accessible_role`` what it is, and by a method ``spoken`` what it shows. That is asked for when somebody listens, not
at every change: the words of a large picture take longer than painting it.
"""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

PICTURE = QAccessible.Role.Graphic
WORDS = QAccessible.Role.StaticText


class _SpokenWidget(QAccessibleWidget):
    """The interface of a widget that says by itself what it is and what it shows."""

    def text(self, kind: QAccessible.Text) -> str:
        widget = self.widget()
        if kind is QAccessible.Text.Description and hasattr(widget, "spoken"):
            return sentences(getattr(widget, "reason", ""), widget.spoken())
        return super().text(kind)


def _interface_of(_class_name: str, of: QObject) -> QAccessibleInterface | None:
    role = getattr(type(of), "accessible_role", None)
    if role is None or not isinstance(of, QWidget):
        return None  # Qt knows what to say
    return _SpokenWidget(of, role)


@cache
def install() -> None:
    """Have Qt ask our widgets; once for the application, however often it is called."""
    QAccessible.installFactory(_interface_of)


def tell_changed(widget: QWidget) -> None:
    """Tell who listens that a widget shows something else now."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleEvent(widget, QAccessible.Event.DescriptionChanged))


def announce(widget: QWidget, sentence: str) -> None:
    """Have a screen reader say a sentence now."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, sentence))


def sentences(*parts: str) -> str:
    """Join what is to be said to sentences, leaving out what is empty."""
    said = (part.strip() for part in parts)
    return " ".join(part if part.endswith((".", "?", "!", ":")) else f"{part}." for part in said if part)
