"""The loss of every step downhill, with a line at the present one that goes back along the way."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QWidget

from attention_explorer.core.numerals import counted, scientific
from attention_explorer.kit.chart import Chart, Curve
from attention_explorer.kit.theme import Look
from attention_explorer.pages.lookup.descent import losses
from attention_explorer.pages.lookup.state import LookupState

HEIGHT = 132


class LossChart(Chart):
    """A curve from the first step to the last."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, "Loss of every step", ("step", "loss L", ""), ("loss_ink", "muted"), parent)
        self.setToolTip("Drag the line, or use the arrow keys, to go back along the way of q")

    def set_look(self, look: Look) -> None:
        super().set_look(look)
        self.setFixedHeight(look.px(HEIGHT))

    def show_way(self, state: LookupState, place: int) -> None:
        """Show the losses of a descent, and at which of its steps q is."""
        found = losses(state)
        last = len(found) - 1
        words = f"from {scientific(float(found[0]))} to {scientific(float(found[-1]))} in {counted(last, 'step')}"
        curve = Curve("loss", np.arange(len(found)), found, "loss")
        self.show_curves([curve], (0.0, float(last)), (0.0, float(found.max()) or 1.0), words=words)
        self.show_line(float(place))
