"""A page whose pictures are computed for requests, at once or on a worker."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from attention_explorer.kit.pictures.request_note import RequestNote
from attention_explorer.pages.ui.page import Page
from attention_explorer.session.requests import Requests, Standing


class RequestingPage(Page):
    """What such pages share. A subclass makes ``requests`` and ``note`` and connects `on_requests_changed`."""

    requests: Requests[Any]
    note: RequestNote

    def request_now(self) -> Hashable:
        """Return what the present state asks for."""
        raise NotImplementedError

    def say_spot(self) -> None:
        """Say what the pointer is over; the picture is a new one."""
        raise NotImplementedError

    def on_requests_changed(self) -> None:
        """Say in the status bar how the newest request stands, as far as the note does not."""
        if self.requests.standing is Standing.REFUSED:
            self.refused.emit(self.requests.reason)
        elif self.requests.standing is Standing.CURRENT:
            self.say_spot()

    @property
    def reason_against_taking(self) -> str:
        return self.requests.sentence if self.requests.misleads else ""

    def cancel(self) -> bool:
        """Stop what is being computed; return whether there was something. The old picture stays."""
        return self.requests.stop()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape or not self.cancel():
            super().keyPressEvent(event)

    def leave(self) -> None:
        super().leave()
        self.requests.leave()

    def settle(self, seconds: float = 30.0) -> None:
        self.requests.jobs.wait(seconds)
