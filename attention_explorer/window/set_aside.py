"""What was not saved when something else took its place: kept for a while, and offered among the recent files.

Each is an ordinary session file, ``aside-….attn.json``, in the user's folder for data of this program. Only the newest
few stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote, unquote

from attention_explorer.core.files import make_folder, remove
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.session_file import SUFFIX, write_session
from attention_explorer.window.open_session import OpenSession

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
