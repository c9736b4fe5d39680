"""The File menu: new, open, save; the title of the window; and what becomes of unsaved work that gives way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QObject, QStandardPaths, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from attention_explorer.errors import ExplorerError
from attention_explorer.kit.message import LESSON
from attention_explorer.pages.old_names import PARTS
from attention_explorer.pages.registry import PAGE_IDS
from attention_explorer.pages.session_file import SUFFIX, Opened, read_session
from attention_explorer.session.jobs import Working
from attention_explorer.session.later import later
from attention_explorer.session.memory import empty
from attention_explorer.session.settings import SettingsStore
from attention_explorer.sources.handed_over import is_handed_over
from attention_explorer.sources.model_recipe import shows_attention
from attention_explorer.window.keeper import Keeper
from attention_explorer.window.open_session import OpenSession
from attention_explorer.window.recordings import LostFiles, Recordings, prepare

if TYPE_CHECKING:
    from attention_explorer.sources.saved_files import SavedFiles
    from attention_explorer.window.keeper import LeftOver
    from attention_explorer.window.open_session import Aside
    from attention_explorer.window.window import MainWindow

PROGRAM = "Attention Explorer"
NOT_IN_A_LESSON = "A lesson is open. Leave it first: your own work comes back then, and can be saved."


class SessionFiles(QObject):
    """What a window does with session files.

    Without a `Keeper` nobody is asked when the window closes: it is one that a program draws pictures with.
    """

    def __init__(self, window: MainWindow, store: SettingsStore) -> None:
        super().__init__(window)
        self._window, self._store = window, store
        self.opened = OpenSession(window.session, self)
        self.keeper: Keeper | None = None
        self._may_close = False
        self.recordings = Recordings(window, self._on_recording_opened, self.could_not_open)
        self.saving = Working(self)
        self.lost = LostFiles(window, lambda why: self._say("Not opened", why))
        self.recent_menu = QMenu("Open &recent", window)
        self.recent_menu.aboutToShow.connect(self._fill_recent)
        self.opened.changed.connect(self._show_title)
        self._show_title()

    def _show_title(self) -> None:
        self._window.setWindowTitle(f"{self.opened.name}[*] — {PROGRAM}")
        self._window.setWindowFilePath("" if self.opened.path is None else str(self.opened.path))
        self._window.setWindowModified(self.opened.is_changed)

    # ---- The menu ----

    def new(self) -> None:
        """Begin a new session."""
        self._in_place_of_what_is_unsaved(self._begin)

    def _begin(self) -> bool:
        self._window.page.stop()
        empty()
        self.opened.begin()
        return True

    def ask_what_to_open(self) -> None:
        """Ask for a file and open it."""
        from attention_explorer.window.session_dialogs import ask_which_to_open

        ask_which_to_open(self._window, self._folder(), self.open)

    def ask_what_to_compare(self) -> None:
        """Ask for a file of attention, and show it as B on the Heads page."""
        from attention_explorer.window.session_dialogs import ask_which_to_compare

        ask_which_to_compare(self._window, self._folder(), self.recordings.compare_with)

    def add_what_to_compare(self, menu: QMenu) -> None:
        """Add to a menu the files of attention that were opened lately, each to be B, and the way to others."""
        paths = [path for path in self._store.recent() if shows_attention(path)]
        self._add_files(menu, paths, self.recordings.compare_with)
        if paths:
            menu.addSeparator()
        menu.addAction("&Open…", self.ask_what_to_compare)
        menu.addAction("&Model on this computer…", lambda: self.ask_which_model(self.recordings.compare_with))

    def ask_which_model(self, then: Callable[[Path], object] | None = None) -> None:
        """Ask which model to open, of those on this computer or in a folder, or to compare with."""
        from attention_explorer.window.model_dialog import ModelDialog

        ModelDialog(self._window, self._window.look, self._folder(), self._store.recent(), then or self.open).open()

    def ask_how_to_read(self, refused: str = "") -> None:
        """Ask how the file of attention that is open is to be read; ``refused`` says what is wrong with it so far."""
        self.recordings.ask_again(refused)

    def open(self, path: Path) -> None:
        """Open a session, for which what is unsaved is set aside, or attention or a model, which can be undone."""
        path = path.absolute()
        if path.name.endswith(LESSON):
            self._window.tools.offers.start_file(path)
        elif shows_attention(path):
            self.recordings.open(path)
        elif not self._window.page.take_file(path):
            self._in_place_of_what_is_unsaved(lambda: self._open(path))

    def _open(self, path: Path) -> bool:
        """Open a session; return whether that could be done."""
        self._window.page.stop()
        # A large mask takes a moment to be read; computing what it shows has a progress bar of its own.
        QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            found = self.opened.open(path)
        except ExplorerError as error:
            self.could_not_open(path, str(error))
            return False
        finally:
            QGuiApplication.restoreOverrideCursor()
        self._remember(path)
        self._show_found(found)
        self.lost.check()
        return True

    def _remember(self, path: Path) -> None:
        if not is_handed_over(path):  # what Python handed over is gone when that ends
            self._store.remember(path)

    def _on_recording_opened(self, path: Path) -> None:
        self._remember(path)
        self.opened.opened_untouched()

    def could_not_open(self, path: Path, why: str) -> None:
        """Say why a file was not opened."""
        if not path.exists():
            self._store.forget(path)
        self._say("Not opened", why)

    def _show_found(self, found: Opened) -> None:
        readable = [page for page in PAGE_IDS if not {page, PARTS.get(page)} & {*found.left_out}]
        page = readable[0] if found.page in found.left_out else found.page
        if page:
            self._window.show_page(page)
        self._window.session.views.clear()  # the page that was open before is none of this session
        if found.left_out:
            pages = " and ".join(found.left_out)
            stays = "The file stays as it is: saving asks for another name."
            text = "\n\n".join((*found.warnings[:6], stays))
            self._say(f"Opened without the page {pages}", text)
        elif found.warnings:
            self._say("Opened, but not everything was understood", "\n\n".join(found.warnings[:6]), is_error=False)

    def save(self, then: Callable[[], object] = lambda: None) -> None:
        """Save to the file that is open, or ask for one; go on with ``then`` when that is done."""
        if self._window.tools.has_lesson:
            self._window.tell(NOT_IN_A_LESSON)
        elif self.opened.path is None:
            self.save_as(then)
        else:
            self._save(self.opened.path, then)

    def save_as(self, then: Callable[[], object] = lambda: None) -> None:
        """Ask for a file and save to it; go on with ``then`` when that is done."""
        from attention_explorer.window.session_dialogs import ask_where_to_save

        if self._window.tools.has_lesson:
            self._window.tell(NOT_IN_A_LESSON)
            return
        path = self.opened.path
        name = self.opened.given_name or self._window.settings.page
        start = self._folder() / f"{name}{SUFFIX}" if path is None else path
        ask_where_to_save(self._window, start, lambda chosen: self._save(chosen, then))

    def _save(self, path: Path, then: Callable[[], object]) -> None:
        path = path.absolute()

        def save(files: SavedFiles) -> None:
            try:
                self.opened.save(path, self._window.settings.page, files.others)
            except ExplorerError as error:
                self._say("Not saved", str(error))
                return
            self._store.remember(path)
            self._window.tell(f"Saved {path.name}")
            if files.problems:
                self._say("Saved, but not with everything", "\n\n".join(files.problems))
            then()

        self._window.tell(f"Saving {path.name} …")
        self._window.session.commit()
        prepare(self.saving, self._window.session.state, path, save, lambda why: self._say("Not saved", why))

    def _fill_recent(self) -> None:
        self.recent_menu.clear()
        paths, asides = self._store.recent(), [] if self.keeper is None else self.keeper.asides()
        self._add_files(self.recent_menu, paths, self.open)
        if not (paths or asides):
            self.recent_menu.addAction("No session has been opened or saved yet").setEnabled(False)
            return
        self.recent_menu.addSeparator()
        for aside in asides:
            name = aside.name.replace("&", "&&")
            action = self.recent_menu.addAction(f"{name}, not saved, {aside.time:%d %B, %H:%M}")
            action.setStatusTip("What was open when something else took its place; it is kept here for a while")
            action.triggered.connect(partial(self._bring_back, aside))
        self.recent_menu.addSeparator()
        self.recent_menu.addAction("&Clear the list").triggered.connect(lambda: self._clear_recent(asides))

    def _clear_recent(self, asides: Sequence[Aside]) -> None:
        self._store.forget()
        for aside in asides:
            self._forget(aside)

    def _add_files(self, menu: QMenu, paths: Sequence[Path], use: Callable[[Path], object]) -> None:
        for number, path in enumerate(paths, 1):
            name = path.name.replace("&", "&&")
            action = menu.addAction(f"&{number} {name}" if number < 10 else name)
            action.setStatusTip(str(path))
            action.triggered.connect(lambda _checked=False, path=path: use(path))

    def set_goes_on(self, goes_on: bool) -> None:
        """Choose whether the window starts where it was left."""
        self._window.settings = replace(self._window.settings, goes_on=goes_on)

    def _folder(self) -> Path:
        """Return the folder of the open file, or of the last one, or the one for documents, or home."""
        near = [path.parent for path in (self.opened.path, *self._store.recent()[:1]) if path is not None]
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        return next((folder for folder in (*near, Path(documents)) if folder.is_dir()), Path.home())

    # ---- Dropped on the window ----

    def dropped_file(self, data: QMimeData) -> Path | None:
        """Return the one file that is being dragged; none if it is something else."""
        urls = data.urls() if data.hasUrls() else []
        return Path(urls[0].toLocalFile()) if len(urls) == 1 and urls[0].isLocalFile() else None

    def drop(self, data: QMimeData) -> bool:
        """Open what was dropped, once the drag is over; return whether it is a file."""
        path = self.dropped_file(data)
        if path is not None:
            later(self, lambda: self.open(path))
        return path is not None

    # ---- Beginning and end ----

    def start(self, folder: Path, path: Path | None = None, *, goes_on: bool = True) -> None:
        """Begin to keep what is unsaved in ``folder``, and show what is to be seen first.

        That is the file at ``path``, or what a crashed window has left if it is wanted, or what was open last.
        """
        window = self._window
        self.keeper = Keeper(folder, window.session, self.opened, lambda: window.settings.page)
        self.keeper.failed.connect(window.tell)
        problem = self._store.problem()
        if problem:
            self._when_shown(lambda: window.tell(problem))
        if path is not None:
            self.open(path)
            return
        keeper, goes_on = self.keeper, goes_on and window.settings.goes_on
        left = keeper.left_over()
        if left is not None:
            self._offer(keeper, left, goes_on=goes_on)
        elif goes_on:
            self._go_on(keeper)

    def _go_on(self, keeper: Keeper) -> None:
        found = keeper.go_on()
        if found is not None:
            self._show_found(found)
            self.lost.check()

    def _offer(self, keeper: Keeper, left: LeftOver, *, goes_on: bool) -> None:
        from attention_explorer.window.session_dialogs import offer_left_over

        def take() -> None:
            self._window.page.stop()
            keeper.take(left)
            self._show_found(left.kept)

        def not_that(settle: Callable[[], None]) -> None:
            settle()
            if goes_on:
                self._go_on(keeper)

        self._when_shown(
            lambda: offer_left_over(
                self._window, left, take, lambda: not_that(left.forget), lambda: not_that(left.lock.unlock)
            )
        )

    def keep_now(self) -> None:
        """Keep what is not saved, and the settings, at once: the program is about to be ended from outside."""
        if self.keeper is not None:
            self.keeper.keep()
        self._window.tools.keep_recording()
        self._store.save(self._window.settings)

    def may_close(self) -> bool:
        """Return whether the window may close now; if not, the question why has been put."""
        if self.keeper is None:
            return True
        if not self._may_close and self.opened.is_changed:
            kept = self._window.settings.goes_on and self.keeper.keep_for_next_start()
            if not kept:
                self._ask(self._close, self.keeper.set_aside())
                return False
        self._may_close = True
        self.keeper.end(goes_on=self._window.settings.goes_on)
        return True

    def _close(self) -> None:
        self._may_close = True
        self._window.close()

    def _in_place_of_what_is_unsaved(self, go_on: Callable[[], bool]) -> None:
        """Go on, which returns whether it was done, after setting aside what is unsaved; ask only if that fails."""
        self._window.tools.leave_lesson()  # whose state is not what would be lost
        if not self.opened.is_changed:
            go_on()
            return
        aside = None if self.keeper is None else self.keeper.set_aside()
        if aside is None:
            self._ask(go_on, None)
        elif go_on():
            self._window.tell(f"{aside.name} was not saved: File, Open recent brings it back.")
        else:
            self._forget(aside)

    def _ask(self, go_on: Callable[[], object], aside: Aside | None) -> None:
        """Ask whether to save; what was set aside for this stays only if it is not saved."""
        from attention_explorer.window.session_dialogs import ask_to_save

        def save() -> None:
            self._forget(aside)
            self.save(go_on)

        name, cancel = self.opened.name, partial(self._forget, aside)
        ask_to_save(self._window, name, save, go_on, cancel, is_kept=aside is not None)

    def _forget(self, aside: Aside | None) -> None:
        if aside is not None and self.keeper is not None:
            self.keeper.forget(aside)

    def _bring_back(self, aside: Aside) -> None:
        """Show what was set aside; it is kept as any other unsaved work from now on."""
        try:
            found = read_session(aside.path)  # before anything else is set aside, for which the oldest may go
        except ExplorerError as error:
            self._say("Not opened", str(error))
            return

        def show() -> bool:
            if self.keeper is None:
                return False
            self._window.page.stop()
            self.keeper.restore(found)
            self._forget(aside)
            self._show_found(found)
            self.lost.check()
            return True

        self._in_place_of_what_is_unsaved(show)

    def _say(self, title: str, text: str, *, is_error: bool = True) -> None:
        from attention_explorer.kit.message import say

        self._when_shown(lambda: say(self._window, title, text, is_error=is_error))

    def _when_shown(self, work: Callable[[], object]) -> None:
        """Do what needs the window on the screen, at once or as soon as it is."""
        if self._window.isVisible():
            work()
        else:
            later(self, work)
