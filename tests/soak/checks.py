"""What must be true of the program at any moment, whatever was done to it. A check raises `Broken` with a sentence."""

from __future__ import annotations

import ctypes
import gc
import re
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path

import numpy as np
from heads_driver import pixels, widget_texts
from item_wrappers import kept_windows, stray_items
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel, QMainWindow, QWidget

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.core.declared import with_view_of
from attention_explorer.kit.controls.number_box import REFUSED, NumberBox
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.ui.page import HeadsPage
from attention_explorer.pages.lab.ui.page import LabPage
from attention_explorer.pages.lookup.state import QUERY
from attention_explorer.pages.lookup.ui.page import LookupPage
from attention_explorer.pages.session_file import session_bytes, session_from
from attention_explorer.pages.training.ui.page import TrainingPage
from attention_explorer.pages.ui.frame_page import FramePage
from attention_explorer.pages.ui.page import Page, RequestingPage
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import JobQueue
from attention_explorer.session.requests import STILL, Requests, Standing
from attention_explorer.session.settings import SettingsStore
from attention_explorer.sources.registry import source_of
from attention_explorer.window.window import MainWindow
from soak.world import World

NOT_FOR_PEOPLE = re.compile(r"(?<!\w)(nan|None|-inf|inf)(?!\w)")
"""What Python says of a value that was forgotten."""
QUOTED = re.compile(r"“[^”]*”?")
"""What a person has typed, or what a tutorial says."""


class Broken(Exception):  # noqa: N818 - what is broken is the program
    """Something that is always true is not."""


# ---- The state ----


def state_survives_a_file(world: World) -> None:
    """The state of the window is the same when it has been a session file in between."""
    state = world.window.session.state
    again = session_from(session_bytes(state), "soak").state
    _same_bits(again, state, "A session file changes the state")


def nothing_is_held(world: World) -> None:
    """With no button pressed, and nothing moving by itself, all that is shown belongs to the history."""
    window, session = world.window, world.window.session
    window.page.stop()
    window.page.render_state(session.state, session.state)  # as when the page is shown again
    world.settle()
    if session.is_previewing:
        raise Broken(f"“{session.undo_text}” was never ended: neither kept nor taken back.")


def undo_leads_back(world: World) -> None:
    """Undo leads to the subject that the history began with, bit for bit, and redo to the last; Back keeps it."""
    session, history = world.window.session, world.window.session.history
    at, last = history.index, session.state
    while history.can_undo:
        world.turn(session.undo)
    first = session.counted(world.first)  # what is counted from is a setting, which undo leaves
    _same_bits(with_view_of(session.state, first), first, "Undo leads to something else than it began with")
    for _ in range(at):
        world.turn(session.redo)
    _same_bits(with_view_of(session.state, last), last, "Redo leads to something else than was left")
    while session.views.can_undo:
        world.turn(session.go_back)
    while session.views.can_redo:
        world.turn(session.go_forward)
    _same_bits(with_view_of(session.state, last), last, "Back and Forward lead to something else than was left")
    if history.index != at:
        raise Broken(f"Redo leads to step {history.index} instead of {at}.")
    world.settle()


def _same_bits(found: ExplorerState, wanted: ExplorerState, what: str) -> None:
    """See that two states are the same to the last bit: −0 is not 0, and 1 is not 1.0."""
    here, there = _parts(found, "state"), _parts(wanted, "state")
    if here != there:
        differing = sorted(set(here) ^ set(there))
        raise Broken(
            f"{what}:\n" + "\n".join(f"  {'is' if part in here else 'should be'} {part}" for part in differing)
        )


def _parts(value: object, name: str) -> list[str]:
    """Return every single value in a state with its place."""
    if is_dataclass(value):
        return [part for field in fields(value) for part in _parts(getattr(value, field.name), f"{name}.{field.name}")]
    if isinstance(value, frozenset):
        return [f"{name} {each!r}" for each in sorted(value, key=repr)]
    return [f"{name} {value!r}"]


# ---- What is drawn ----


def words_are_for_people(world: World) -> None:
    """No label and no picture says nan or None, nor does a field but for what was typed there and refused."""
    _forget_the_pointer(world, world.window)
    said = [each.text() for each in world.window.findChildren(QLabel) if each.isVisible()]
    said += [each.text() for each in world.window.findChildren(QAbstractButton) if each.isVisible()]
    said += widget_texts(world.window.page)
    refused = {box.text() for box in world.window.findChildren(NumberBox) if box.property(REFUSED)}
    typed = repr(world.window.session.state)  # a person may name a token so
    for text in said:
        found = NOT_FOR_PEOPLE.search(QUOTED.sub("", text))
        is_own = text in refused or (found and found[0] in re.findall(r"'[^']*'", typed))
        if found and not is_own and not _is_typed(found[0], world):
            raise Broken(f"“{found[0]}” stands in “{text}”")


def _is_typed(word: str, world: World) -> bool:
    """Whether somebody has typed that as a word of a sentence, or offers it as an answer in a lesson."""
    player = vars(world.window.tools).get("lessons")  # None before the first lesson
    step = None if player is None or player.place is None else player.place.now
    if step is not None and step.answer is not None and any(word in option.say for option in step.answer.options):
        return True
    state = world.window.session.state
    source = source_of(state.heads.setup.recipe)
    cost = state.cost
    others = state.block.sentence, state.positions.sentence, cost.sentence, cost.other_sentence
    return any(word in (sentence or "") for sentence in (source.sentence, source.context, *others))


def picture_is_that_of_the_state(world: World) -> None:
    """With the worker at rest, the picture on show is the one that the state asks for, or the page says why not."""
    page = world.window.page
    if world.is_busy() or world.waits_for_a_moment(world.window) or not world.is_open:
        return  # nothing is asked of a window that was closed
    for requests in world.window.findChildren(Requests):
        if requests.is_pending:
            raise Broken(f"Nothing is under way, but somebody waits for {requests.wanted}")
        if requests.standing is Standing.CURRENT and (requests.is_old or not requests.is_whole):
            raise Broken(f"On show is\n{requests.shown}\nand is taken for\n{requests.wanted}")
    if not isinstance(page, RequestingPage):
        return
    if page.requests.wanted != page.request_now() or page.requests.standing is Standing.LEFT:
        raise Broken(f"The state asks for\n{page.request_now()}\nbut the page asked for\n{page.requests.wanted}")
    dimmed = (each for each in page.note.covers if page.requests.is_old or not each.goes_on)
    is_bright = any(cover.isHidden() > cover.over.isHidden() for cover in dimmed)
    if page.requests.misleads and is_bright and not _names_unknown_words(page):
        raise Broken(f"A picture is not dimmed although it is none of the state: {page.requests.sentence}")


def _names_unknown_words(page: Page) -> bool:
    """Whether it is said beside the sentence that words of it are unknown, and what is on show: that stays bright."""
    return isinstance(page, HeadsPage) and page.subject.unknown_words.isVisibleTo(page)  # lessons may cover it


def window_shows_its_state(world: World) -> None:
    """A new window with the same state draws the same picture and says the same, or refuses it with the same words."""
    window = world.window
    world.leave_presentation()
    window.tools.leave_lesson()  # both change the room of the picture, and go with the window
    window.tools.show_recording(False)
    window.show_page_again()  # the list of lessons, or the steps of one that is recorded, stand in its place
    if isinstance(window.page, RequestingPage):
        window.page.requests.resume()  # what was stopped is not the same there
    _forget_the_pointer(world, window)
    settings = replace(window.settings, geometry=b"")  # one that was closed in full screen would begin in it
    other = MainWindow(Session(window.session.state), SettingsStore(world.folder / "of a new window.ini"), settings)
    try:
        other.show()
        other.resize(window.size())
        _settle_both(world, other)
        _forget_the_pointer(world, other)
        _settle_both(world, other)
        if not _both_refuse(window.page, other.page):
            _compare(world, window.page, other.page)
    finally:
        other.close()
        other.deleteLater()
        window.tools.show_recording(True)
        world.turn(window.activateWindow)
        window.page.focus_first()
        world.settle()


def _both_refuse(page: Page, other: Page) -> bool:
    """Whether both refuse the state; then there is an older picture here, and none there."""
    # A new window has no earlier picture to speak of.
    if page.reason_against_taking.removesuffix(f" {STILL}") != other.reason_against_taking:
        raise Broken(f"A new window says “{other.reason_against_taking}” instead of “{page.reason_against_taking}”")
    return bool(page.reason_against_taking)


def _settle_both(world: World, other: MainWindow) -> None:
    for _ in range(2):
        other.page.settle()
        world.settle_wholly(other)


def _forget_the_pointer(world: World, window: MainWindow) -> None:
    """Take away what is shown of the mouse, the keyboard and what is looked at closely: all that is no state."""
    page = window.page
    if isinstance(page, HeadsPage):
        page.search.close_row()  # it takes room from the picture
    focus = QApplication.focusWidget()
    if focus is not None:
        focus.clearFocus()
    for widget in page.findChildren(QWidget):
        QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))
    if isinstance(page, TrainingPage):
        page.canvas.let_go()
    if isinstance(page, LabPage):
        page.measurement = None  # seconds belong to the machine and to the moment
    if isinstance(page, LookupPage):
        page.canvas.select(QUERY)  # the arithmetic of a key that is selected is written beside the plane
    if isinstance(page, FramePage):
        page.open_drawer(False)
        page.drawer.search.clear()
        page.panel.tries._done.clear()  # what was tried stays ticked as long as the window is open
        page.render_state(window.session.state, window.session.state)
    world.settle_wholly(window)


def _picture_of(page: Page) -> QWidget:
    """Return what shows the picture: among all heads their wall, the large map is hidden there."""
    return page.wall_side.wall if isinstance(page, HeadsPage) and not page.canvas.isVisible() else page.canvas


def _compare(world: World, page: Page, other: Page) -> None:
    mine, its = _picture_of(page), _picture_of(other)
    if mine.size() != its.size():
        raise Broken(f"The picture is {mine.size()} large, and {its.size()} in a new window {world.window.size()}.")
    first, second = pixels(mine.grab().toImage()), pixels(its.grab().toImage())
    if not np.array_equal(first, second):
        rows, columns = np.nonzero(first != second)
        for name, image in (("old", mine), ("new", its)):
            image.grab().save(str(world.folder / f"{name}.png"))
        raise Broken(
            f"{len(rows)} pixels differ from those of a new window, within {columns.min()},{rows.min()} "
            f"and {columns.max()},{rows.max()}: see old.png and new.png in {world.folder}."
        )
    said, says = _words(page), _words(other)
    if said != says:
        raise Broken(f"A new window says other words:\n{_without(said, says)}\nhere, there\n{_without(says, said)}")


def _words(page: Page) -> list[str]:
    return [each.text() for each in page.findChildren(QLabel) if each.isVisible() and each.window() is page.window()]


def _without(words: list[str], others: list[str]) -> list[str]:
    return [word for word in words if word not in others]


def only_windows_are_windows(_world: World) -> None:
    """What is shown on its own is a window or a dialog, a list or a tip: not a part of one that has lost its place."""
    for each in QApplication.topLevelWidgets():
        is_one = isinstance(each, (QMainWindow, QDialog)) or each.windowType() is not Qt.WindowType.Window
        if each.isVisible() and not is_one:
            raise Broken(f"{each} stands on the screen as a window of its own.")


def no_dead_item_is_kept(_world: World) -> None:
    """Python holds no item of a layout that Qt has deleted."""
    found = stray_items()
    if found:
        raise Broken(f"Qt has deleted {found}, and Python does not know.")


def no_closed_window_is_kept(world: World) -> None:
    """Nothing refers to a window that was closed, with all that it held."""
    world.collect()
    if kept_windows():
        raise Broken(f"{kept_windows()} windows were closed and are kept.")


# ---- What is used up ----


@dataclass(frozen=True, slots=True)
class Usage:
    """What the process holds at one moment."""

    memory: float
    """MiB of memory."""
    known: float
    """MiB of it that may be held: the cache up to its budget, the clipboard, and the pixels of the window."""
    steps: int
    """Steps of both histories."""
    nones: int
    """References to None; the same for ever where None is immortal."""
    objects: int
    """QObjects of the window."""
    widgets: int
    tops: int
    """Windows, shown or not."""
    threads: int
    """Without those that work for the window: there are as many as pages and dialogs have computed something."""

    @property
    def unknown(self) -> float:
        """MiB of memory that nobody accounts for: the interpreter, libraries, widgets, and what leaks."""
        return self.memory - self.known


def usage(world: World) -> Usage:
    """Measure what the process holds, after giving back what nobody needs."""
    world.collect()
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    return Usage(
        _resident(),
        _known(world) / 2**20,
        len(world.window.session.history) + len(world.window.session.views),
        sys.getrefcount(None),
        len(world.window.findChildren(QObject)),
        len(QApplication.allWidgets()),
        len(QApplication.topLevelWidgets()),
        threading.active_count() - sum(has_thread(queue) for queue in world.window.findChildren(JobQueue)),
    )


def has_thread(queue: JobQueue) -> bool:
    """Whether a queue has begun its thread."""
    return queue._worker._thread is not None


def _known(world: World) -> int:
    """Return the bytes that are held on purpose; the pixels of the window thrice, for a picture keeps two layers."""
    window, data = world.window, QApplication.clipboard().mimeData()
    clipboard = QApplication.clipboard().image().sizeInBytes()
    if data is not None and not data.hasImage():  # None before anything was copied
        clipboard += sum(data.data(kind).size() for kind in data.formats())
    cached = min(CACHE.other_bytes_used, CACHE.other_bytes)
    return cached + clipboard + 3 * 4 * window.width() * window.height()


def _resident() -> float:
    """Return the memory of the process in MiB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 2**20


CHECKS: tuple[tuple[float, Callable[[World], None]], ...] = (
    (1.0, nothing_is_held),
    (1.0, picture_is_that_of_the_state),
    (1.0, state_survives_a_file),
    (0.5, words_are_for_people),
    (0.7, window_shows_its_state),
    (0.2, undo_leads_back),
    (0.3, no_dead_item_is_kept),
    (0.3, no_closed_window_is_kept),
)
"""Each with how often it is made; the costly ones not always, but for the end."""
