"""What is open: which file it belongs to, whether anything has changed since; and what gave way to something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from PySide6.QtCore import QObject, Signal

from attention_explorer.core.declared import is_same_subject
from attention_explorer.core.files import make_folder, remove
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.file_places import with_files
from attention_explorer.pages.session_file import SUFFIX, Opened, read_session, write_session
from attention_explorer.pages.ui.session import Session
from attention_explorer.sources.handed_over import is_handed_over
from attention_explorer.sources.recorded_recipe import FileRecipe

if TYPE_CHECKING:
    from attention_explorer.pages.session_codec import Extra


UNTITLED = "Untitled"


class OpenSession(QObject):
    """The file behind a `Session`.

    Signals
    -------
    changed
        Another file is open, or whether something is unsaved is no longer what it was.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._saved = session.state
        self._opened: list[ExplorerState] = []
        self._before = session.state
        self._extra: Extra = {}
        self.path: Path | None = None
        self.given_name = ""
        """The title that was given to what has no file of its own; empty if none was."""
        self._was_changed = False
        session.changed.connect(self._on_changed)

    @property
    def state(self) -> ExplorerState:
        """What is shown; or the person's own work, while something else is shown in its place."""
        return self._session.state if self._session.aside is None else self._session.aside

    @property
    def extra(self) -> Extra:
        """What the file holds beside the state, unknown to this version."""
        return self._extra

    @property
    def is_changed(self) -> bool:
        """Whether it is about something else than was saved, or than came of a file that was opened and not touched."""
        return self._is_change(self.state)

    def _is_change(self, state: ExplorerState) -> bool:
        counted = self._session.counted
        known = map(counted, (self._saved, *self._opened))
        return not any(is_same_subject(counted(state), each) for each in known)

    @property
    def name(self) -> str:
        """The name of the file, or what stands in for it."""
        return (self.given_name or UNTITLED) if self.path is None else self.path.name

    def begin(self) -> None:
        """Begin a new session without a file."""
        self._adopt(ExplorerState(), ExplorerState(), None, {})

    def open(self, path: Path) -> Opened:
        """Show what a file holds; the history begins anew.

        A file of which a page cannot be read stays as it is: the session has no file then, and is saved under a name
        that somebody chooses. So is one that Python opens the window with, for that is gone when Python ends.

        Raises
        ------
        ExplorerError
            The file cannot be read; nothing has changed.
        """
        opened = read_session(path)
        given = path.name.removesuffix(SUFFIX).replace(UNTITLED, "") if is_handed_over(path) else ""
        self._adopt(opened.state, opened.state, _path_of(opened, path), opened.extra, given)
        return opened

    def restore(self, kept: Opened, saved: ExplorerState, path: Path | None) -> None:
        """Show what was kept of a session whose file, if it has one, holds ``saved``."""
        self._adopt(kept.state, saved, _path_of(kept, path), kept.extra)

    def opened_untouched(self) -> None:
        """Take what is shown since the last change for nothing that could be lost: it can be opened again.

        In a session with a file of its own it is a change of that, and after other changes these could be lost.
        """
        if self.path is None and not self._is_change(self._before):
            self._opened.append(self._session.state)
            self._announce()

    def save(self, path: Path, page: str, files: Mapping[FileRecipe, FileRecipe] = MappingProxyType({})) -> None:
        """Write the session to a file, which it belongs to from now on; ``files`` are named there in place of others.

        Raises
        ------
        ExplorerError
            It cannot be written; nothing has changed.
        """
        self._session.commit()
        state = self._session.state
        write_session(path, with_files(state, files), self._extra, page=page)
        self._saved, self._opened, self.path = state, [], path
        self._announce()

    def _adopt(
        self, state: ExplorerState, saved: ExplorerState, path: Path | None, extra: Extra, given_name: str = ""
    ) -> None:
        # First what it is compared with, so that nothing flickers while the state changes.
        self._saved, self._opened, self.path, self._extra = saved, [], path, dict(extra)
        self.given_name = given_name
        self._session.restart(state)
        self._announce()

    def _on_changed(self, old: ExplorerState, _new: ExplorerState) -> None:
        self._before = old
        if self.is_changed != self._was_changed:
            self._announce()

    def _announce(self) -> None:
        self._was_changed = self.is_changed
        self.changed.emit()


def _path_of(opened: Opened, path: Path | None) -> Path | None:
    return None if opened.left_out or (path is not None and is_handed_over(path)) else path


PREFIX = "aside-"
MOST = 5
"""That are kept, of all windows."""
_LONGEST_NAME = 60
_TIME = "%Y%m%d-%H%M%S-%f"


@dataclass(frozen=True, slots=True)
class Aside:
    """One session that was set aside: its file, what it was called, and when that was."""

    path: Path
    name: str
    time: datetime


class SetAside:
    """The sessions that were set aside in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, opened: OpenSession, page: str) -> Aside | None:
        """Set aside what is open; None if it cannot be kept: a full disk, a folder that may not be written to."""
        now, name = datetime.now(), opened.name[:_LONGEST_NAME]
        aside = Aside(self._folder / f"{PREFIX}{now:{_TIME}}-{quote(name, safe=' ')}{SUFFIX}", name, now)
        file = str(opened.path or "")
        try:
            make_folder(self._folder, private=True)
            write_session(aside.path, opened.state, opened.extra, page=page, file=file, private=True)
        except ExplorerError:
            return None
        for old in self.all()[MOST:]:
            remove(old.path)
        return aside

    def all(self) -> list[Aside]:
        """Return what was set aside, the newest first."""
        found = [_aside(path) for path in self._folder.glob(f"{PREFIX}*{SUFFIX}")]
        return sorted((each for each in found if each is not None), key=lambda each: each.time, reverse=True)

    def forget(self, *asides: Aside) -> None:
        """Delete some of them."""
        for each in asides:
            remove(each.path)


def _aside(path: Path) -> Aside | None:
    """Return what the name of a file says; None for one that was not written here."""
    day, second, fraction, name = (*path.name.removeprefix(PREFIX).removesuffix(SUFFIX).split("-", 3), *[""] * 4)[:4]
    try:
        time = datetime.strptime(f"{day}-{second}-{fraction}", _TIME)
    except ValueError:
        return None
    return Aside(path, unquote(name), time)
