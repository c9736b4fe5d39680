"""The list of ready-made settings of a page, which says whether those on show have been changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from attention_explorer.core.preset import Preset, preset_of
from attention_explorer.kit.controls.choice import MOST_ENTRIES, ChoiceBox
from attention_explorer.kit.theme import Look

CHANGED = " (changed)"
"""Stands behind the name of a preset whose settings are no longer its own."""


class PresetBox(ChoiceBox):
    """A list of presets; ``chosen`` is called with the name of the one that a person picks.

    Signals
    -------
    shown : (Preset or None, bool)
        The preset that the settings on show come from, if they come from one, and whether they have been changed since;
        also when both are as before.
    """

    shown = Signal(object, bool)

    def __init__(
        self, tip: str, presets: Sequence[Preset[Any]], chosen: Callable[[str], None], parent: QWidget | None = None
    ) -> None:
        choices = [(ready.id, ready.title, ready.look_for) for ready in presets]
        super().__init__("Example", tip, choices, lambda identifier: chosen(str(identifier)), parent)
        self._presets = presets
        self._measured: tuple[Look, int] | None = None
        for index, ready in enumerate(presets):
            self.setItemData(index, ready.id)
        self.setMaxVisibleItems(max(len(presets), MOST_ENTRIES))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def show_preset(self, identifier: str, *, changed: bool, otherwise: str = "") -> None:
        """Show a preset without telling anybody, and whether the settings are still its own.

        Where there is no identifier, what they come from is no preset, and `otherwise` says what it is.
        """
        for index, ready in enumerate(self._presets):
            title = ready.title + (CHANGED if changed and ready.id == identifier else "")
            if title != self.itemText(index):
                self.setItemText(index, title)
        self.setPlaceholderText(otherwise)
        if identifier:
            self.show_value(identifier)
        else:
            self.setCurrentIndex(-1)
        self.shown.emit(preset_of(self._presets, identifier) if identifier else None, changed)

    def show_other(self, settings: Preset[Any]) -> None:
        """Show settings that are in no list, with what is to be seen in them."""
        self.setPlaceholderText(settings.title)
        self.setCurrentIndex(-1)
        self.shown.emit(settings, False)

    def widest(self, look: Look) -> int:
        """Return the pixels for each preset that was changed: in more or fewer, all beside it would move."""
        if self._measured is None or self._measured[0] is not look:  # a bar asks with every letter that is typed
            self._measured = look, self.width_for((f"{ready.title}{CHANGED}" for ready in self._presets), look)
        return self._measured[1]
