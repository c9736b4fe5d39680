"""Which model to open: those that other programs keep on this computer, or any folder or file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.kit.controls.made import words
from attention_explorer.kit.theme import Look
from attention_explorer.session.jobs import Working
from attention_explorer.sources.models.found import FoundModel, find_models, size_words
from attention_explorer.window.session_dialogs import ask_for_gguf, ask_for_model_folder

COLUMNS = ("Model", "Kind", "Size", "In memory", "Kept by")
_ROLE = Qt.ItemDataRole.UserRole
SEARCHING = "Looking where programs keep their models …"
NOTHING = "No model was found where programs keep them. Choose a folder or a .gguf file."
FOUND = "Models on this computer. Nothing is downloaded, and no code of a model is run."


class ModelDialog(QDialog):
    """Lists models, and opens one.

    Parameters
    ----------
    parent : QWidget
        The window.
    look : Look
        Its size.
    start : Path
        The folder in which files are looked for.
    used : sequence of Path
        What was opened before, models among it.
    then : callable
        Called with the path of the model that was chosen.
    """

    def __init__(
        self, parent: QWidget, look: Look, start: Path, used: Sequence[Path], then: Callable[[Path], object]
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Open a model")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._start, self._then, self._gap = start, then, look.px(20)
        self.said = words(SEARCHING, wraps=True)
        self.list = QTreeWidget()
        self.list.setAccessibleName("Models on this computer")
        self.list.setHeaderLabels(COLUMNS)
        self.list.setRootIsDecorated(False)
        self.list.setMinimumSize(look.px(640), look.px(280))
        self.list.itemSelectionChanged.connect(self._allow)
        self.list.itemActivated.connect(lambda _item, _column: self._open_chosen())
        self.buttons = QDialogButtonBox()
        role = QDialogButtonBox.ButtonRole
        self.open_button = self.buttons.addButton("&Open", role.AcceptRole)
        self.buttons.addButton("&Folder…", role.ActionRole).clicked.connect(self._ask_for_folder)
        self.buttons.addButton("&GGUF file…", role.ActionRole).clicked.connect(self._ask_for_file)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self._open_chosen)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for widget in (self.said, self.list, self.buttons):
            column.addWidget(widget)
        self._allow()
        self.working = Working(self)
        self.working.find_out(lambda: find_models(used=used), self._on_found)

    # ---- What was found ----

    def _on_found(self, found: tuple[FoundModel, ...]) -> None:
        self.said.setText(FOUND if found else NOTHING)
        for model in found:
            needed = f"{size_words(model.needed)}{'' if model.fits else ', slow'}"
            item = QTreeWidgetItem([model.name, model.family or "?", size_words(model.size), needed, model.place])
            item.setData(0, _ROLE, str(model.path))
            for place in (2, 3):
                item.setTextAlignment(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            for place in range(len(COLUMNS)):
                item.setToolTip(place, model.reason or str(model.path))
            if not model.reason:
                item.setToolTip(3, memory_words(model))
            item.setDisabled(bool(model.reason))
            self.list.addTopLevelItem(item)
        for place in range(len(COLUMNS) - 1):  # the last takes the rest
            self.list.resizeColumnToContents(place)
            self.list.setColumnWidth(place, self.list.columnWidth(place) + self._gap)
        first = self.list.topLevelItem(0)
        if first is not None and not first.isDisabled():
            self.list.setCurrentItem(first)
            self.list.setFocus()

    # ---- Choosing ----

    def _allow(self) -> None:
        self.open_button.setEnabled(bool(self.list.selectedItems()))

    def _open_chosen(self) -> None:
        for item in self.list.selectedItems():
            self._open(Path(str(item.data(0, _ROLE))))

    def _ask_for_folder(self) -> None:
        ask_for_model_folder(self, self._start, self._open)

    def _ask_for_file(self) -> None:
        ask_for_gguf(self, self._start, self._open)

    def _open(self, path: Path) -> None:
        self.accept()
        self._then(path)


def memory_words(model: FoundModel) -> str:
    """Say what the weights take in memory, and what happens if that is too much."""
    room = size_words(CACHE.on_show_bytes)
    if model.fits:
        return f"The weights take about {size_words(model.needed)} of the {room} that are set aside, and stay there."
    return (
        f"The weights take about {size_words(model.needed)}, more than the {room} that are set aside:\n"
        "the rest is read again for every text. View → Memory sets aside more."
    )
