"""Controls for what cannot be done now: greyed, and saying why."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

_OWN_TIP = "tip of a control that can be used"


def allow_unless(reason: str, *controls: QWidget) -> None:
    """Grey controls, with the reason for a tip; without one, let them be used with the tip that they had.

    A tip that changes while a control is greyed must be set before, or it is lost.
    """
    for control in controls:
        if control.property(_OWN_TIP) is None:
            control.setProperty(_OWN_TIP, control.toolTip())
        control.setEnabled(not reason)
        control.setToolTip(reason or str(control.property(_OWN_TIP)))
