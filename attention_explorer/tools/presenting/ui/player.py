"""Shows the picture of the window to a room: large, alone with its caption, one scene after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QFileDialog, QLayout, QLineEdit, QWidget

from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.kit.accessible import announce
from attention_explorer.kit.controls.made import give_up_room, words
from attention_explorer.kit.message import say
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import PAGES, PageEntry
from attention_explorer.pages.session_file import SUFFIX, read_session
from attention_explorer.pages.ui.page import Page
from attention_explorer.session.jobs import Deliver, JobQueue, Report, stoppable
from attention_explorer.session.later import later
from attention_explorer.session.session import Place
from attention_explorer.tools.host import Host

# ---- Scenes ----
# Session files, to be shown one after another.


@dataclass(frozen=True, slots=True)
class Scene:
    """What is shown at a time: a state and its page, and what it is called."""

    title: str
    state: ExplorerState
    page: str


def scenes_of(paths: Sequence[Path]) -> tuple[Scene, ...]:
    """Return the scenes in some session files, in their order.

    Raises
    ------
    ExplorerError
        One of them cannot be read, or not all of it, or says something on several pages and not which one it is about.
    """
    return tuple(_scene(path) for path in paths)


def _scene(path: Path) -> Scene:
    opened = read_session(path.absolute())
    if opened.left_out:
        page, reason = next(iter(opened.left_out.items()))
        raise ExplorerError(f"The page {page} of {quoted(path.name)} cannot be read: {reason}.")
    page, state = opened.in_view()
    return Scene(path.name.removesuffix(SUFFIX), state, page)


NARROWEST, LOWEST = 740, 560
"""Pixels at 100 % that a picture and its caption need at least: what there is more of makes everything larger."""
CARD = 60
"""Pixels at 100 % of the card of a lesson, which stands above the picture."""
LARGEST = 2.5
STEPPING = {"PgDown": 1, "PgUp": -1}


class Presenter(QObject):
    """Presents what a window shows; its parent is the window. What is open comes back as it was."""

    def __init__(self, window: Host) -> None:
        super().__init__(window)
        self._window = window
        self.is_on = False
        self.scenes: tuple[Scene, ...] = ()
        self.at = 0
        self._hidden: list[QWidget] = []
        self._alone: set[Page] = set()
        self._shortcuts: list[QShortcut] = []
        self._own_captions: dict[tuple[str, str], str] = {}
        """What was typed below which picture, by page or scene and by picture, until the window is closed."""
        self._was = Qt.WindowState.WindowNoState
        self._own: Place[ExplorerState] | None = None
        """The person's own work; None if no scenes are shown."""
        self._caption = words("", "caption", wraps=True)
        self._caption.setAccessibleName("Caption")
        self._line = QLineEdit()
        self._line.setObjectName("ownCaption")
        self._line.setAccessibleName("Caption of your own")
        self._line.setPlaceholderText("A caption of your own")
        self._line.setToolTip("A caption of your own (F2); Enter or Esc leaves the line")
        self._line.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._line.textEdited.connect(self._on_written)
        self._line.editingFinished.connect(self._leave_line)
        self.jobs = JobQueue(self)
        self.jobs.delivered.connect(self._on_caption)
        window.session.changed.connect(self._on_changed)
        window.turned.connect(self._on_turned)
        window.worn.connect(self._wear)

    # ---- Beginning and ending ----

    def toggle(self) -> None:
        """Begin, or end."""
        if self.is_on:
            self.leave()
        else:
            self._enter()

    def ask(self) -> None:
        """Ask for session files, and show one after another in the order of their names."""
        chosen, _ = QFileDialog.getOpenFileNames(
            self._window, "Present sessions, in the order of their names", "", f"Sessions (*{SUFFIX} *.json)"
        )
        if chosen:
            self.start([Path(name) for name in sorted(chosen)])

    def start(self, paths: list[Path]) -> None:
        """Show session files one after another; what cannot be read is said before anything changes."""
        try:
            scenes = scenes_of(paths)
        except ExplorerError as error:
            say(self._window, "Not presented", str(error))
            return
        window = self._window
        window.tools.leave_lesson()
        self.leave()
        window.session.commit()
        self._own = window.session.place
        self.scenes, self.at = scenes, 0
        self._enter()
        self._show_scene()

    def _enter(self) -> None:
        window = self._window
        window.show_page_again()
        self.is_on, self._was = True, window.windowState()
        window.setWindowState(self._was | Qt.WindowState.WindowFullScreen)
        window.installEventFilter(self)
        self._enlarge()
        window.activateWindow()  # taking the whole screen can cost it the keyboard
        window.page.focus_first()

    def leave(self) -> None:
        """End: everything is as it was before."""
        if not self.is_on:
            return
        window = self._window
        self.is_on = False
        window.removeEventFilter(self)
        self._forget_shortcuts()
        self._show_all()
        for part in (self._line, self._caption):
            part.hide()
            part.setParent(None)
        for page in self._alone:
            page.stand_alone(False)
        self._alone.clear()
        window.set_bare(0.0)
        window.setWindowState(self._was)
        self._put_back()
        window.tools.show_recording(True)
        window.page.render_state(window.session.state, window.session.state)
        window.page.focus_first()

    def _put_back(self) -> None:
        """Show the person's own work again, with the histories that it had."""
        if self._own is not None:
            own, self._own, self.scenes = self._own, None, ()
            self._window.session.return_to(own, "Leave the presentation")
            self._window.show_page(own.page)

    # ---- Keys ----

    def _make_shortcuts(self) -> None:
        """Have the keys of presenting, and those of the page on show: the menus that have them are hidden."""
        self._forget_shortcuts()
        page = self._window.page
        keys: dict[str, Callable[[], object]] = {
            each.shortcut: partial(each.run, page) for each in page.actions_offered() if each.shortcut
        }
        keys |= {"Esc": self._escape, "F5": self.leave, "F2": self.write_caption, **self._window.session.keys}
        if self.scenes or self._window.tools.lesson_card is not None:  # else the page may have a use for these keys
            keys |= {key: partial(self.step, steps) for key, steps in STEPPING.items()}
        for key, run in keys.items():
            shortcut = QShortcut(QKeySequence(key), self._window)
            shortcut.activated.connect(run)
            self._shortcuts.append(shortcut)

    def _forget_shortcuts(self) -> None:
        for shortcut in self._shortcuts:
            shortcut.setEnabled(False)
            shortcut.deleteLater()
        self._shortcuts = []

    def _escape(self) -> None:
        if self._line.hasFocus():
            self._leave_line()
        elif self._window.session.is_previewing:
            self._window.session.revert()
        else:
            self.leave()

    def step(self, steps: int) -> None:
        """Go so many scenes on; in a lesson press the button that leads there, if it is there."""
        card = self._window.tools.lesson_card
        if self.scenes:
            at = min(max(self.at + steps, 0), len(self.scenes) - 1)
            if at != self.at:
                self.at = at
                self._show_scene()
        elif card is not None:
            button = card.next if steps > 0 else card.back
            if button.isVisible():
                button.click()

    def _show_scene(self) -> None:
        scene, window = self.scenes[self.at], self._window
        window.page.stop()
        window.session.apply(scene.state, f"Scene {self.at + 1}")
        window.show_page(scene.page)
        announce(self._caption, f"Scene {self.at + 1} of {len(self.scenes)}: {scene.title}")

    # ---- What is seen ----

    def _enlarge(self) -> None:
        """Make everything as large as the window allows."""
        window = self._window
        card = window.tools.lesson_card
        lowest = LOWEST + (0 if card is None else CARD)
        wanted = min(window.width() / NARROWEST, window.height() / lowest, LARGEST)
        self._hide_rest()
        window.set_bare(round(max(wanted, window.settings.zoom, 0.5), 2))
        self._on_turned()

    def _on_turned(self) -> None:
        if self.is_on:
            self._show_all()
            self._window.page.stand_alone(True)
            self._alone.add(self._window.page)
            self._make_shortcuts()
            self._hide_rest()
            self._show_line()
            self._ask_caption()
            later(self, self._hide_rest)  # what has found its place a moment later

    def _on_changed(self, _old: ExplorerState, _new: ExplorerState) -> None:
        if self.is_on:
            self._hide_rest()
            if not self._line.hasFocus():
                self._show_line()
            self._ask_caption()

    def _wear(self) -> None:
        if self.is_on:
            for words in (self._line, self._caption):
                self._window.stand_below(words)  # which gives it its size
            self._show_line()
            later(self, self._hide_rest)

    def _hide_rest(self) -> None:
        if self.is_on:
            for widget in list(_beside(self._window.page)):
                give_up_room(widget)
                if not widget.isHidden():
                    self._hidden.append(widget)
                    widget.hide()
            self._window.tools.show_recording(False)

    def _show_all(self) -> None:
        for widget in self._hidden:
            widget.show()
        self._hidden = []
        if self._window.page.withheld:
            self._window.page.show_withheld()  # an answer that is asked for stays out of sight

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # Qt's name
        """Follow the size of the window."""
        if event.type() is QEvent.Type.Resize:
            later(self, self._resized)
        return super().eventFilter(watched, event)

    def _resized(self) -> None:
        if self.is_on:
            self._enlarge()

    # ---- A caption of one's own ----

    def write_caption(self) -> None:
        """Let a caption be typed below the picture on show."""
        self._line.show()
        self._line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def _what_is_shown(self) -> tuple[str, str]:
        scene = self.scenes[self.at].title if self.scenes else ""
        return scene or self._window.settings.page, self._window.page.picture_name

    def _on_written(self, text: str) -> None:
        self._own_captions[self._what_is_shown] = text

    def _show_line(self) -> None:
        """Show what was typed below the picture on show, if anything was."""
        text = self._own_captions.get(self._what_is_shown, "").strip()
        if text != self._line.text():
            self._line.setText(text)
        self._line.setVisible(bool(text) or self._line.hasFocus())

    def _leave_line(self) -> None:
        if self._line is QApplication.focusWidget():
            self._window.page.focus_first()
        self._show_line()

    # ---- The caption ----

    def _ask_caption(self) -> None:
        """Have the caption of the figure worked out on the worker: of a long text it takes a while."""
        window = self._window
        if window.page.withheld:  # it would tell what is asked for
            self.jobs.cancel()
            self._on_caption(None, "")
            return
        entry = next(entry for entry in PAGES if entry.id == window.settings.page)
        state = window.session.state
        self.jobs.request((entry.id, state), partial(_work_out, entry, state))

    def _on_caption(self, _key: object, caption: str) -> None:
        place = f"{self.at + 1} / {len(self.scenes)}   {self.scenes[self.at].title}. " if self.scenes else ""
        self._caption.setText(f"{place}{caption}")
        self._caption.setVisible(self.is_on and bool(self._caption.text()))


def _work_out(entry: PageEntry, state: ExplorerState, report: Report, deliver: Deliver) -> None:
    with stoppable(report):
        try:
            caption = getattr(entry.figure(state), "caption", "")
            deliver(caption() if callable(caption) else caption)
        except ExplorerError:
            deliver("")  # the page says why there is no picture


def _beside(page: Page) -> Iterator[QWidget]:
    """Yield what stands beside what is presented, in the layouts from the picture up to the page."""
    shown = {getattr(page, name) for name in page.presented}
    kept = {widget for name in page.presented for widget in _up_to(page, getattr(page, name))}
    for around in (page, *kept):
        yield from (widget for widget in _in_layout(around) if widget not in kept and around not in shown)


def _up_to(page: Page, widget: QWidget | None) -> Iterator[QWidget]:
    while widget is not None and widget is not page:
        yield widget
        widget = widget.parentWidget()


def _in_layout(around: QWidget) -> Iterator[QWidget]:
    """Yield the widgets in the layout of a widget and in those within it.

    The layouts are asked where a widget is, not what they hold: PySide keeps what `itemAt` returns when Qt has long
    deleted it, and whatever then gets its place in memory takes the process with it.
    """
    outer = around.layout()
    layouts = [] if outer is None else [outer, *outer.findChildren(QLayout)]
    for child in around.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if any(layout.indexOf(child) >= 0 for layout in layouts):
            yield child
