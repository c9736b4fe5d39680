"""What is copied from the export dialog does not take the program down when it ends."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COPY_AND_END = """
import sys
from attention_explorer.app import make_application
from attention_explorer.state.explorer import ExplorerState
from attention_explorer.state.figure_options import FigureOptions
from attention_explorer.ui.export.clipboard import copy_figure
from attention_explorer.ui.page import PAGES

application = make_application()
for suffix in sys.argv[1:]:
    copy_figure(PAGES[0].figure(ExplorerState()), FigureOptions(suffix))
    application.processEvents()
if len(sys.argv) == 1:
    copy_figure(PAGES[0].figure(ExplorerState()), FigureOptions(".png"))
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
