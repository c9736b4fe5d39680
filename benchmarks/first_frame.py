"""A process of its own: opens a window, prints when its first picture is painted, and ends.

``python -m benchmarks.first_frame program`` opens the program as its command line does, and prints as well which
modules of others it had loaded by then, and which of Qt's classes it knew, as ``PySide6.QtGui:QFont``.
``… bare NAME …`` loads those and opens an empty window.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Each window loads Qt when its turn comes: PySide's import hook makes every import after it slower.
    from PySide6.QtGui import QPaintEvent

SIZE = (1280, 800)
NOT_OURS_TO_LOAD = ("attention_explorer", "benchmarks")


def main() -> int:
    """Run the window that is asked for."""
    kind, *names = sys.argv[1:]
    return _program() if kind == "program" else _bare(names)


def _program() -> int:
    from attention_explorer import cli

    # What the command line does before it loads the window, which is changed here to tell when it is painted. In its
    # order: from the first import of `session` on PySide reads the source of each module, until `plain_imports`.
    importlib.import_module("attention_explorer.pages.registry")
    from attention_explorer.session import garbage, plain_imports

    garbage.hold()
    plain_imports.install()
    from PySide6.QtCore import QTimer

    from attention_explorer import app
    from attention_explorer.window.window import MainWindow

    class Window(MainWindow):
        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
            super().paintEvent(event)
            QTimer.singleShot(0, report)

    app.MainWindow = Window  # type: ignore[attr-defined]
    return cli.main(["run"])


def _bare(names: list[str]) -> int:
    for name in names:
        module, _, kind = name.partition(":")
        loaded = importlib.import_module(module)
        if kind:
            getattr(loaded, kind)  # PySide makes a class when it is first asked for
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

    class Window(QMainWindow):
        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
            super().paintEvent(event)
            QTimer.singleShot(0, report)

    application = QApplication(sys.argv[:1])
    window = Window()
    window.setCentralWidget(QWidget())
    window.resize(*SIZE)
    window.show()
    return application.exec()


def report() -> None:
    """Print the time on the clock that all processes share, and what is loaded, and end without further ado.

    A timer that has run out is served when the picture is whole: parents and children are painted in one go.
    """
    print(time.perf_counter(), *_modules_of_others(), *_classes_of_qt(), flush=True)
    os._exit(0)


def _modules_of_others() -> list[str]:
    """Return the installed modules that were loaded, in order; those of Python itself are everybody's own business."""
    return [
        name
        for name, module in sys.modules.items()
        if "site-packages" in (getattr(module, "__file__", None) or "") and name.split(".")[0] not in NOT_OURS_TO_LOAD
    ]


def _classes_of_qt() -> list[str]:
    """Return the classes of Qt that our modules have imported."""
    ours = [module for name, module in sys.modules.items() if name.startswith("attention_explorer")]
    kinds = {value for module in ours for value in vars(module).values() if isinstance(value, type)}
    own = (kind for kind in kinds if kind.__module__.startswith("PySide6") and "." not in kind.__qualname__)
    return sorted(f"{kind.__module__}:{kind.__name__}" for kind in own)  # an enum comes with the class that it is in


if __name__ == "__main__":
    sys.exit(main())
