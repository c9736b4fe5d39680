"""What is loaded when the first picture is painted: nothing that is not needed for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

OPEN_AND_TELL = """
import sys
from attention_explorer import app, cli
from PySide6.QtCore import QTimer

class Window(app.MainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        QTimer.singleShot(0, self.tell)

    def tell(self):
        print(*sys.modules, flush=True)
        sys.stdout.close()
        QTimer.singleShot(0, app.QApplication.quit)
        self.tell = lambda: None

app.MainWindow = Window
sys.exit(cli.main(["run"]))
"""

NOT_AT_START = (
    # others' libraries, and parts of them
    "pyqtgraph",
    "matplotlib",
    "numpy.fft",
    "numpy.ma",
    "numpy.polynomial",
    "numpy.random",
    "numpy.testing",
    "PySide6.QtNetwork",
    "PySide6.QtPrintSupport",
    "PySide6.QtTest",
    # Python's own
    "asyncio",
    "concurrent",
    "csv",
    "hashlib",
    "multiprocessing",
    "xml",
    # ours: the other pages, and what is for files, pictures and dialogs
    "attention_explorer.rendering",
    "attention_explorer.sources.hand_made",
    "attention_explorer.sources.toy",
    "attention_explorer.pages.heads.frame",
    "attention_explorer.pages.session_codec",
    "attention_explorer.pages.layer.ui",
    "attention_explorer.window.session_dialogs",
    "attention_explorer.kit.export",
    "attention_explorer.window.gallery",
    "attention_explorer.pages.heads.ui",
    "attention_explorer.pages.lookup.ui.figure",
    "attention_explorer.pages.lookup.ui.numbers_table",
    "attention_explorer.pages.lookup.ui.plane_travel",
    "attention_explorer.kit.pictures.figure",
    "attention_explorer.kit.items.plot_marks",
    "attention_explorer.kit.items.map",
    "attention_explorer.kit.items.plot",
    "attention_explorer.kit.items.plot_drawing",
    "attention_explorer.kit.items.plot_words",
    "attention_explorer.kit.items.strips",
    "attention_explorer.kit.items.table",
    "attention_explorer.pages.lab.ui",
    "attention_explorer.pages.positions.ui",
)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    home = str(tmp_path_factory.mktemp("home"))
    places = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), home)
    done = subprocess.run(
        [sys.executable, "-c", OPEN_AND_TELL],
        cwd=Path(__file__).parents[2],
        env={**os.environ, **places, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.stdout.split()


def test_the_first_page_is_there(loaded: list[str]) -> None:
    assert {"attention_explorer.pages.lookup.ui.page", "attention_explorer.window.window"} <= set(loaded)


@pytest.mark.parametrize("name", NOT_AT_START)
def test_nothing_is_loaded_before_it_is_needed(loaded: list[str], name: str) -> None:
    """Whoever needs it imports it in the function that does, with a comment that says so."""
    assert not [module for module in loaded if module == name or module.startswith(f"{name}.")]
