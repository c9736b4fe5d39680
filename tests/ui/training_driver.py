"""A hand and an eye for the Training page: real events go in, the state comes out."""

from __future__ import annotations

from window_driver import WindowDriver

from attention_explorer.pages.training.state import TrainingState


class TrainingDriver(WindowDriver):
    """The window on the Training page, or on the one to which something was taken from there."""

    @property
    def training(self) -> TrainingState:
        """The page's part of the state."""
        return self.window.session.state.training
