"""What the tests of pages share: windows on Heads, Layer, Positions and Training, and a gate that holds up a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import shiboken6
from frame_driver import FrameDriver
from heads_driver import Gate, HeadsDriver, busy
from item_wrappers import kept_windows, stray_items
from layer_driver import LayerDriver
from lookup_driver import LookupDriver
from people_driver import catch_up
from positions_driver import PositionsDriver
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QDialog
from training_driver import TrainingDriver
from window_driver import window_on

from attention_explorer.kit import tween
from attention_explorer.kit.export.dialog import ExportDialog
from attention_explorer.kit.theme import Look
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.lab.state import LabState, LabView
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.training.state import TrainingState
from attention_explorer.session.settings import Settings, ThemeChoice
from attention_explorer.window.window import MainWindow


@pytest.fixture(autouse=True)
def accepted_as_it_stands(monkeypatch) -> None:
    """Accept the export window as it opens: nobody is there to press its buttons. Its own tests press them."""
    monkeypatch.setattr(ExportDialog, "exec", lambda _dialog: QDialog.DialogCode.Accepted)


@pytest.fixture(autouse=True)
def nothing_on_its_way(monkeypatch, qapp) -> None:
    """Show at once what was chosen: a picture on its way would be another one in every run.

    There is an application for every test: without one a chart that is drawn ends the process.
    """
    monkeypatch.setattr(tween, "MILLISECONDS", 0)


@pytest.fixture(autouse=True, scope="module")
def nothing_dead_is_kept() -> Iterator[None]:
    """See that Python keeps no window of the modules before, and no item of a layout that Qt has deleted."""
    assert not kept_windows()  # that of the last test of all is still kept by pytest when its module ends
    yield
    assert not stray_items()


@pytest.fixture(autouse=True, scope="module")
def shared_fonts_are_left_alone() -> Iterator[None]:
    """See that nobody has altered a font that all pictures share."""
    yield
    look = Look()
    sizes = [(size, bold) for size in range(8, 41) for bold in (False, True)]
    assert [(look.font(size, bold=bold).pixelSize(), bold) for size, bold in sizes] == sizes


@pytest.fixture
def open_layer(make_window, hand) -> Callable[..., LayerDriver]:
    """Open a window of the test's own on the Layer page in a state."""

    def make(block: BlockState | None = None, size: tuple[int, int] = (1280, 800), **settings) -> LayerDriver:
        state = ExplorerState(block=BlockState() if block is None else block)
        window = make_window(state, Settings(**{"theme": ThemeChoice.LIGHT, "page": "layer", **settings}), size)
        driver = LayerDriver(window, hand)
        driver.settle()
        return driver

    return make


@pytest.fixture
def open_heads(make_window, hand) -> Callable[..., HeadsDriver]:
    """Open a window of the test's own on the Heads page in a state."""

    def make(
        heads: HeadsState | None = None,
        *,
        theme: ThemeChoice = ThemeChoice.LIGHT,
        zoom: float = 1.0,
        size: tuple[int, int] = (1280, 800),
    ) -> HeadsDriver:
        state = ExplorerState(heads=HeadsState() if heads is None else heads)
        window = make_window(state, Settings(theme=theme, zoom=zoom, page="heads"), size)
        return HeadsDriver(window, hand)

    return make


def shared_window(folders: pytest.TempPathFactory, page: str) -> Iterator[Callable[[], MainWindow]]:
    """Yield what gives the window on a page that the tests of a module share, a new one if a test closed it."""
    made: list[MainWindow] = []

    def make() -> MainWindow:
        made.append(window_on(page, folders.mktemp("settings") / "settings.ini"))
        return made[-1]

    yield lambda: next((window for window in made if shiboken6.isValid(window)), None) or make()
    for window in made:
        if shiboken6.isValid(window):
            window.close()
            window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(scope="module")
def windows(qapp, tmp_path_factory) -> Iterator[Callable[[], MainWindow]]:
    """Gives the window that the tests of a module share, a new one if a test closed it."""
    yield from shared_window(tmp_path_factory, "heads")


@pytest.fixture
def driver(windows, hand) -> HeadsDriver:
    """The page as it is first shown: eleven tokens, eight random heads.

    The window is that of the test before, for making one takes longer than most tests. As it is a function of its
    state, putting the state back makes it as new; only what is no state is put back by hand.
    """
    driver = HeadsDriver(windows(), hand)
    driver.begin_anew()
    return driver


@pytest.fixture
def gate(monkeypatch) -> Iterator[Gate]:
    """A gate before the large picture of everything that is computed on the worker."""
    from attention_explorer.pages.heads.ui import pictures

    gate, compute = Gate(), pictures.large_picture

    def held_up(*arguments):
        gate.wait()
        return compute(*arguments)

    monkeypatch.setattr(pictures, "large_picture", held_up)
    yield gate
    gate.open()


@pytest.fixture
def wait(qtbot):
    """Wait until the worker of a window has nothing more to do."""
    return lambda driver: qtbot.waitUntil(lambda: not busy(driver), timeout=60_000)


# ---- Every page ----


@pytest.fixture(scope="module")
def pages_shown(qapp, tmp_path_factory) -> Iterator[Callable[[str], MainWindow]]:
    """Gives the window on a page that the tests of a module share, made when it is first asked for."""
    made: dict[str, tuple[Iterator[Callable[[], MainWindow]], Callable[[], MainWindow]]] = {}

    def give(page: str) -> MainWindow:
        if page not in made:
            windows = shared_window(tmp_path_factory, page)
            made[page] = windows, next(windows)
        return made[page][1]()

    yield give
    for windows, _ in made.values():
        next(windows, None)  # closes it


@pytest.fixture
def page_window(pages_shown) -> Callable[[str], MainWindow]:
    """Gives the window on a page as it is first shown: light, at 100 %, 1280 × 800."""

    def give(page: str) -> MainWindow:
        window = pages_shown(page)
        window.set_theme(ThemeChoice.LIGHT)
        window.set_zoom(1.0)
        window.set_reduced_motion(False)
        window.resize(1280, 800)
        window.activateWindow()
        catch_up(window)
        return window

    return give


# ---- The Lookup page ----


@pytest.fixture
def opens(make_window, hand) -> Callable[..., LookupDriver]:
    """Open a window of the test's own on a lookup, by default that which it opens with."""
    return lambda lookup=None, **how: LookupDriver.open(make_window, hand, lookup, **how)


# ---- The Positions page ----


@pytest.fixture(scope="module")
def positions_windows(qapp, tmp_path_factory) -> Iterator[Callable[[], MainWindow]]:
    """Gives the window on the Positions page that the tests of a module share, a new one if a test closed it."""
    yield from shared_window(tmp_path_factory, "positions")


@pytest.fixture
def positions(positions_windows, hand) -> PositionsDriver:
    """The page as it is first shown: the sinusoidal encoding of 64 positions and 64 dimensions."""
    driver = PositionsDriver(positions_windows(), hand)
    driver.begin_anew()
    return driver


# ---- The Lab page ----


@pytest.fixture
def open_lab(make_window, hand) -> Callable[..., FrameDriver]:
    """Open a window of the test's own on a view of the Lab page, with other parts of the state if they are given."""

    def make(
        view: LabView = LabView.COST, size: tuple[int, int] = (1280, 800), *, zoom: float = 1.0, **parts: object
    ) -> FrameDriver:
        settings = Settings(theme=ThemeChoice.LIGHT, page="lab", zoom=zoom)
        driver = FrameDriver(make_window(ExplorerState(lab=LabState(view), **parts), settings, size), hand)
        driver.settle()
        return driver

    return make


# ---- The Training page ----


@pytest.fixture
def training(make_window, hand) -> Callable[..., TrainingDriver]:
    """Open a window of the test's own on the Training page in a state, with all that it shows."""

    def make(state: TrainingState | None = None, size: tuple[int, int] = (1280, 800)) -> TrainingDriver:
        shown = ExplorerState(training=TrainingState() if state is None else state)
        window = make_window(shown, Settings(theme=ThemeChoice.LIGHT, page="training"), size)
        catch_up(window)
        return TrainingDriver(window, hand)

    return make
