"""Eyes for what every person must be able to see and reach: what can be on show, what is written on it and where."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QMenuBar,
    QTabBar,
    QWidget,
)
from writing_driver import name_of

from attention_explorer.pages.circuits.state import CircuitsView
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.aligned import with_other_recipe
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import HIDING, heads_preset
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, Picture
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.lab.state import LabState, LabView
from attention_explorer.pages.registry import find_preset, parts_of, presets_of
from attention_explorer.pages.row_as_lookup import as_lookup
from attention_explorer.pages.stack.choices import OF_BLOCK
from attention_explorer.pages.stack.learned import learned_block
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.training.state import TrainingView
from attention_explorer.sources.learned.box import BOX
from attention_explorer.sources.recipe import ToyRecipe

if TYPE_CHECKING:
    from attention_explorer.window.window import MainWindow

Show = Callable[["MainWindow"], None]


@dataclass(frozen=True)
class Scene:
    """Something that a page can show: its name, and what makes the page show it."""

    name: str
    show: Show


def scenes_of(page: str) -> list[Scene]:
    """Return every picture and tab of a page, and every open drawer."""
    if page == "lookup":
        views = views_of_lookup()
        drawers = (Scene(f"{view.name}, drawer", _with_drawer(view)) for view in views)
        return [*views, *drawers, Scene("way downhill", _down), Scene("row", _state(_a_row()))]
    first = first_state(page)
    if page == "heads":
        shown = [Scene(f"heads {picture}", _state(replace(first, heads=_with(first, picture)))) for picture in Picture]
        typed = with_other_recipe(first.heads, sentence="The big cat, she sat").with_view(picture=Picture.COMPARE)
        shown.append(Scene("heads compare two sentences", _state(replace(first, heads=typed))))
        hidden = replace(first, heads=heads_preset(HIDING).state.with_word(9, hide=True))
        shown.append(Scene("heads hidden word", _state(hidden)))
        drawers = [Scene(f"{view.name}, drawer", _with_drawer(view)) for view in shown[:2]]
        return [*shown, *drawers, Scene("heads search", _search(first))]
    if page == "training":
        learned = replace(first.training, step=8)
        views = [
            Scene(f"training {view}", _state(replace(first, training=replace(learned, view=view))))
            for view in TrainingView
        ]
        drawn = [Scene(f"{view.name}, drawer", _with_drawer(view)) for view in views[:1]]
        return [*views, *drawn, *(Scene(f"training {ready.id}", _state(ready.state)) for ready in presets_of(page))]
    if page == "circuits":
        asked = (replace(first, circuits=replace(first.circuits, view=view)) for view in CircuitsView)
        views = [Scene(f"circuits {state.circuits.view}", _state(state)) for state in asked]
        return [*views, *(Scene(f"{view.name}, drawer", _with_drawer(view)) for view in views)]
    if page == "lab":
        return [*views_of_lab(), *(Scene(f"{view.name}, drawer", _with_drawer(view)) for view in views_of_lab())]
    name = parts_of(page)[0]
    part = _quick(getattr(first, name))
    found = [
        Scene(f"{page} {picture}", _state(replace(first, **{name: replace(part, picture=picture)})))
        for picture in (OF_BLOCK if page == "layer" else type(part.picture))
    ]
    if page == "layer":
        learned = learned_block(*BOX["it"], "The cat sat on the mat because it was tired.")
        found.append(Scene("layer learned", _state(replace(first, block=learned))))
        found.append(Scene("layer drawer", _with_drawer(found[0])))
    return found


def views_of_lookup() -> list[Scene]:
    """Return every view of Lookup, with something in it that it is made for."""
    shown = (
        first_state("lookup"),
        _before_the_way(),
        find_preset("temperatures", "lookup").state,
        find_preset("two-heads", "lookup").state,
    )
    return [Scene(f"lookup {state.lookup.view}", _state(state)) for state in shown]


def _before_the_way() -> ExplorerState:
    """Return a target that q can walk to, from where it covers no number of an axis."""
    state = find_preset("descent", "lookup").state
    return replace(state, lookup=replace(state.lookup, query=(-0.5, 0.8)))


def _down(window: MainWindow) -> None:
    """Show a way downhill that has begun."""
    window.show_page("lookup")
    show_state(window, _before_the_way())
    for _ in range(2):
        QTest.mouseClick(window.page.descent.step, Qt.MouseButton.LeftButton)
    catch_up(window)


def views_of_lab() -> list[Scene]:
    """Return every view of Lab, as it starts."""
    start = ExplorerState()
    quick = replace(start, scaling=_quick(start.scaling), block=_quick(start.block))
    return [Scene(f"lab {view}", _state(replace(quick, lab=LabState(view)))) for view in LabView]


def _with_drawer(view: Scene) -> Show:
    def show(window: MainWindow) -> None:
        view.show(window)
        beside = window.page.panel.more
        more = beside if beside.isVisible() else window.page.more
        assert more.isVisible()
        QTest.mouseClick(more, Qt.MouseButton.LeftButton)
        catch_up(window)

    return show


def _a_row() -> ExplorerState:
    """Return a row of a head on the Lookup page, one whose keys and values lie apart."""
    setup = HeadsSetup(recipe=ToyRecipe(sentence="the cat sat on it .", seed=29, heads=1))
    return as_lookup(ExplorerState(heads=HeadsState(setup=setup)), heads_frame(setup), 3)


def _quick(part: Any) -> Any:
    """Return a state with what takes seconds to compute made smaller: what is drawn of it is the same."""
    if isinstance(part, BlockState):
        return replace(part, d_model=16, heads=2, d_ff=32)
    return replace(part, draws=200) if isinstance(part, ScalingState) else part


def first_state(page: str) -> ExplorerState:
    """Return the first preset of a page."""
    return next(iter(presets_of(page))).state


def with_all_changed(page: str) -> ExplorerState:
    """Return a state of the preset with the longest name, with the settings of another one."""
    longest = max(presets_of(page), key=lambda ready: len(ready.title))
    first = next(ready for ready in presets_of(page) if ready.part == longest.part)
    settings = replace(_quick(getattr(first.state, first.part)), preset=longest.id)
    return replace(longest.state, **{longest.part: settings})


def _with(state: ExplorerState, picture: Picture) -> object:
    heads = replace(state.heads, other=state.heads.setup) if picture is Picture.COMPARE else state.heads
    marked = frozenset({(0, 0), (0, 2), (0, 5)}) if picture is Picture.MARKED else frozenset()
    return heads.with_view(picture=picture, marked=marked)


def _search(state: ExplorerState) -> Show:
    """Show the search for tokens, some of which are hidden."""

    def show(window: MainWindow) -> None:
        show_state(window, replace(state, heads=state.heads.with_view(hidden_tokens=frozenset({"the"}))))
        window.page.search.open_row()
        QTest.keyClicks(window.page.search.field, "ca")
        catch_up(window)

    return show


def _state(state: ExplorerState) -> Show:
    return lambda window: show_state(window, state)


def show_state(window: MainWindow, state: ExplorerState) -> None:
    """Show a state as if it had been opened, and wait for all of it."""
    if hasattr(window.page, "drawer"):
        window.page.open_drawer(False)
    if hasattr(window.page, "search"):
        window.page.search.close_row()
    window.session.restart(state)
    catch_up(window)


def let_work() -> None:
    """Handle what has come, and let other threads run: `QTest.qWait` keeps the interpreter to itself meanwhile."""
    QApplication.processEvents()
    time.sleep(0.005)


def catch_up(window: MainWindow) -> None:
    """Wait until nothing is being computed and everything has its place."""
    for _ in range(2):
        for _ in range(3):
            QApplication.processEvents()
        for _ in range(12_000):
            if not is_busy(window):
                break
            let_work()
        assert not is_busy(window)
    QApplication.processEvents()


def is_busy(window: MainWindow) -> bool:
    """Whether a worker of the page has something to do."""
    page = window.page
    jobs = getattr(page, "jobs", None)
    return jobs is not None and jobs.is_busy()


# ---- What is on show ----


def widgets_shown(root: QWidget) -> Iterator[QWidget]:
    """Yield every widget that a person can see or scroll to, the outer ones first."""
    for child in root.findChildren(QWidget):
        if child.isVisible() and child.window() is root.window() and not child.size().isEmpty():
            yield child


# ---- Where it is ----


def misplaced(root: QWidget) -> list[str]:
    """Return widgets that stick out of their parent, or lie over a widget beside them."""
    found = []
    by_parent: dict[QWidget, list[QWidget]] = {}
    for widget in widgets_shown(root):
        parent = widget.parentWidget()
        if widget.isWindow() or parent is None or _floats(widget):
            continue
        by_parent.setdefault(parent, []).append(widget)
        if not _scrolls_its_content(parent) and not parent.rect().adjusted(-1, -1, 1, 1).contains(widget.geometry()):
            found.append(f"{name_of(widget)} at {widget.geometry().getRect()} leaves {name_of(parent)} {parent.size()}")
    for siblings in by_parent.values():
        for number, widget in enumerate(siblings):
            for other in siblings[:number]:
                shared = widget.geometry().intersected(other.geometry())
                if shared.width() > 1 and shared.height() > 1 and not _belong(widget, other):
                    found.append(f"{name_of(widget)} lies over {name_of(other)} by {shared.getRect()}")
    return found


def _floats(widget: QWidget) -> bool:
    """Whether a widget is meant to lie over others."""
    return type(widget).__name__ in ("RequestNote", "_Cover", "ComboBoxPrivateContainer", "QSizeGrip", "ZoomWindow")


def _scrolls_its_content(parent: QWidget) -> bool:
    return isinstance(parent.parentWidget(), QAbstractScrollArea)


def _belong(widget: QWidget, other: QWidget) -> bool:
    """Whether two widgets are parts of one control of Qt's own, which places them as it likes."""
    parent = widget.parentWidget()
    return isinstance(parent, (QAbstractScrollArea, QComboBox, QDoubleSpinBox, QTabBar, QMenuBar)) or (
        parent is not None and parent.inherits("QTabWidget")
    )


def in_window(widget: QWidget) -> QRect:
    """Return where a widget is in its window."""
    return QRect(widget.mapTo(widget.window(), QPoint()), widget.size())


# ---- The keyboard ----


def press_tab(window: QWidget, back: bool = False) -> QWidget | None:
    """Press Tab, or Shift+Tab, and return who has the keyboard now."""
    target = QApplication.focusWidget() or window
    key = Qt.Key.Key_Backtab if back else Qt.Key.Key_Tab
    QTest.keyClick(target, key, Qt.KeyboardModifier.ShiftModifier if back else Qt.KeyboardModifier.NoModifier)
    return QApplication.focusWidget()


# ---- Windows beside the page ----


def _help(window: MainWindow, tab: int) -> QWidget:
    from attention_explorer.tools.terms.ui.page import HelpWindow

    opened = HelpWindow(window)
    opened.show_tab(tab)
    return opened


def windows_beside(window: MainWindow) -> Iterator[QWidget]:
    """Show every other window that there is on the Heads page, one at a time."""
    from attention_explorer.kit.export.dialog import ExportDialog
    from attention_explorer.window.session_dialogs import about_dialog, error_dialog

    show_state(window, first_state("heads"))
    for make in (
        lambda: about_dialog(window),
        *(partial(_help, window, tab) for tab in range(4)),
        lambda: error_dialog(window, "ValueError: an example"),
        lambda: ExportDialog(window.page, window.page.figure()),
    ):
        dialog = make()
        dialog.show()
        QTest.qWait(30)  # a preview is painted a moment later
        QApplication.processEvents()
        yield dialog
        dialog.close()
