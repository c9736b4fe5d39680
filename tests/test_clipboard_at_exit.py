"""What is copied from the export dialog does not take the program down when it ends."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COPY_AND_END = """
import sys
from attention_explorer.app import make_application
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.core.figure_options import FigureOptions
from attention_explorer.kit.export.writing import NumbersCopier, copy_picture
from attention_explorer.pages.registry import PAGES
from PySide6.QtWidgets import QWidget

application = make_application()
widget, figure = QWidget(), PAGES[0].figure(ExplorerState())
copier = NumbersCopier(widget)
for suffix in sys.argv[1:]:
    if suffix in (".csv", ".json"):
        copier.copy(figure, suffix)
        assert copier.jobs.wait(20) and application.clipboard().text()
    else:
        copy_picture(figure, FigureOptions(suffix))
    application.processEvents()
if len(sys.argv) == 1:
    copy_picture(figure, FigureOptions(".png"))
    application.clipboard().setText("something else")
print("copied")
"""


@pytest.mark.parametrize("suffixes", [[".png"], [".svg"], [".csv"], [".pdf", ".json", ".png"], []], ids=str)
def test_the_program_ends_well_with_a_figure_on_the_clipboard(suffixes: list[str]) -> None:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    ended = subprocess.run(
        [sys.executable, "-c", COPY_AND_END, *suffixes], env=environment, capture_output=True, text=True, timeout=120
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "copied\n", "")
