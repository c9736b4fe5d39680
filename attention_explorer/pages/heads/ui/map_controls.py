"""Painting the mask by hand: the two buttons in the drawer."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from attention_explorer.core.mask import MaskChoice
from attention_explorer.kit.controls.possible import allow_unless
from attention_explorer.pages.heads.resolve import resolved
from attention_explorer.pages.heads.state import HeadsState, Picture
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability

PAINT_TIP = (
    "Paint your own mask: drag over cells of the map to hide them, or to show them again.\n"
    "On a token: its whole row or column."
)


class MapControls(QObject):
    """A button that lets cells be painted, and one that forgets them.

    Signals
    -------
    paint_toggled : bool
        The mask is to be painted by hand, or no longer.
    """

    paint_toggled = Signal(bool)

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.paint = QPushButton("Paint")
        self.paint.setCheckable(True)
        self.paint.setAccessibleName("Paint the mask")
        self.paint.setToolTip(PAINT_TIP)
        self.paint.toggled.connect(self.paint_toggled)
        self.unpaint = QPushButton("Clear")
        self.unpaint.setToolTip("Forget the cells painted by hand")
        self.unpaint.setAccessibleName("Clear the painted cells")
        self.unpaint.clicked.connect(self._on_unpaint_clicked)
        self.unpaint.hide()

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        """The buttons, in their order."""
        return self.paint, self.unpaint

    def show_state(self, heads: HeadsState) -> None:
        """Show whether anything is painted, and can be."""
        no_masks = source_of(heads.setup.recipe).traits.reason_against(Ability.MASKS)
        is_map = heads.view.picture is Picture.HEATMAP  # which alone can be painted on
        allow_unless(no_masks, self.paint, self.unpaint)
        self.paint.setVisible(is_map)
        if no_masks or not is_map:
            self.paint.setChecked(False)
        mask: MaskChoice = resolved(heads.setup).mask
        self.unpaint.setVisible(mask.is_painted)

    def _on_unpaint_clicked(self) -> None:
        state = self._session.state
        heads = state.heads.with_setup(mask=state.heads.setup.mask.without_paint())
        self._session.apply(replace(state, heads=heads), "Clear the painted cells")
