"""What every test needs: Qt off-screen, settings of its own, a window, and a hand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from collector_watch import collected_elsewhere, watch_the_collector
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid
from slow import slow_files

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.session import memory

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from attention_explorer.pages.explorer import ExplorerState
    from attention_explorer.session.watchdog import Watchdog
    from attention_explorer.window.window import MainWindow


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out the files that take long, unless they are named")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave a file out that takes long, where only the quick ones are wanted."""
    named = {Path(arg.partition("::")[0]).resolve() for arg in config.args}
    return True if config.getoption("--quick") and collection_path in slow_files() - named else None


@pytest.fixture(scope="session")
def qapp(qapp: QApplication) -> QApplication:
    """The application as the program makes it, with its font and style.

    Built on pytest-qt's own, which keeps it alive to the very end: widgets that are collected after the application is
    gone take the interpreter with them.
    """
    from attention_explorer.app import make_application

    return make_application()


@pytest.fixture(autouse=True)
def collects_on_the_gui_thread() -> Iterator[None]:
    """See that Python collects no garbage on another thread while a window lives."""
    watch_the_collector()
    yield
    found, collected_elsewhere[:] = list(collected_elsewhere), ()
    assert not found, "\n".join(found)


@pytest.fixture(autouse=True)
def cache_tidied() -> Iterator[None]:
    """Have a test keep no more than a window that shows nothing would, some seconds later."""
    yield
    CACHE.tidy(is_done=True)


@pytest.fixture(autouse=True, scope="module")
def memory_given_back() -> Iterator[None]:
    """Give back what a module has left, which takes too long for every test: a process runs hundreds of modules."""
    yield
    memory.give_back()


@pytest.fixture
def settings_path(tmp_path: Path) -> Path:
    """A settings file of the test's own."""
    return tmp_path / "settings.ini"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """Instead of opening windows, remember on what they would open: a state, a file, a page, and how."""
    from attention_explorer import app
    from attention_explorer.session import garbage

    calls: list[tuple[object, ...]] = []

    def run_window(*given: object, **how: bool) -> int:
        garbage.release()  # the command line holds the collector until the window is there
        calls.append((*given, how))
        return 7

    monkeypatch.setattr(app, "run_window", run_window)
    return calls


@pytest.fixture
def make_window(qtbot: QtBot, settings_path: Path) -> Iterator[Callable[..., MainWindow]]:
    """Open the real window on a state; what was opened so is closed at the end, and deleted with all its dialogs."""
    from attention_explorer.pages.ui.session import Session
    from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
    from attention_explorer.window.window import MainWindow

    made: list[MainWindow] = []

    def make(
        state: ExplorerState | None = None, settings: Settings | None = None, size: tuple[int, int] = (1280, 800)
    ) -> MainWindow:
        chosen = Settings(theme=ThemeChoice.LIGHT) if settings is None else settings
        window = MainWindow(Session(state), SettingsStore(settings_path), chosen)
        made.append(window)
        window.resize(*size)
        window.show()
        qtbot.waitExposed(window)
        window.activateWindow()
        window.page.focus_first()
        QApplication.processEvents()
        return window

    yield make
    # No other windows: some belong to other tests of the module, and pyqtgraph crashes where its own are deleted.
    for window in made:
        if isValid(window):
            window.close()
            window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def watchdog(qapp: QApplication) -> Iterator[Watchdog]:
    """Looks at what keeps the GUI thread, once it is started: to see what a test or a change costs.

    No test says how long anything may take: the machine may be busy. ``make bench ARGS=responsiveness`` does.
    """
    from attention_explorer.session.watchdog import Watchdog

    watchdog = Watchdog()
    yield watchdog
    watchdog.stop()


class Hand:
    """A hand on the mouse: sends the events that a real one would cause to a widget."""

    def __init__(self, widget: QWidget) -> None:
        self._widget = widget
        self._at = QPointF(0, 0)
        self._held = Qt.MouseButton.NoButton

    def _send(self, kind: QEvent.Type, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier) -> None:
        place = self._widget.mapToGlobal(self._at)
        event = QMouseEvent(kind, self._at, place, button, self._held, modifiers)
        QApplication.sendEvent(self._widget, event)

    def move(self, to: QPointF, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Move the pointer."""
        self._at = QPointF(to)
        self._send(QEvent.Type.MouseMove, Qt.MouseButton.NoButton, modifiers)

    def press(
        self,
        at: QPointF,
        button: Qt.MouseButton = Qt.MouseButton.LeftButton,
        modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:
        """Move there and press."""
        self.move(at, modifiers)
        self._held |= button
        self._send(QEvent.Type.MouseButtonPress, button, modifiers)

    def release(
        self,
        button: Qt.MouseButton = Qt.MouseButton.LeftButton,
        modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:
        """Let go."""
        self._held &= ~button
        self._send(QEvent.Type.MouseButtonRelease, button, modifiers)

    def drag(
        self,
        start: QPointF,
        end: QPointF,
        steps: int = 8,
        modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:
        """Press, move in steps, let go."""
        self.press(start, modifiers=modifiers)
        for i in range(1, steps + 1):
            self.move(start + (end - start) * (i / steps), modifiers)
        self.release(modifiers=modifiers)

    def double_click(self, at: QPointF, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Click twice, as Qt reports it: the second press is a double click."""
        self.press(at, modifiers=modifiers)
        self.release(modifiers=modifiers)
        self._held = Qt.MouseButton.LeftButton
        self._send(QEvent.Type.MouseButtonDblClick, Qt.MouseButton.LeftButton, modifiers)
        self.release(modifiers=modifiers)


@pytest.fixture
def hand() -> type[Hand]:
    """The class of hands: ``hand(widget)`` holds the mouse over a widget."""
    return Hand
