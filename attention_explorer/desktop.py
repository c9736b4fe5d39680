"""Makes the program known to the user's desktop: in its menu, with its icon, for its session files.

Run as ``python -m attention_explorer.desktop install`` or ``uninstall``. Everything goes to the user's own data folder,
``$XDG_DATA_HOME`` or ``~/.local/share``, and nothing else there is touched.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from attention_explorer.core import files
from attention_explorer.core.files import make_folder, write_whole
from attention_explorer.errors import ExplorerError

PLACES = {
    "desktop/attention-explorer.desktop": "applications/attention-explorer.desktop",
    "desktop/attention-explorer.xml": "mime/packages/attention-explorer.xml",
    "icons/attention-explorer.svg": "icons/hicolor/scalable/apps/attention-explorer.svg",
}
"""From the bundled files to where they go below the data folder, as the specifications of freedesktop.org have it."""

UPDATES = (("update-mime-database", "mime"), ("update-desktop-database", "applications"))
"""What reads the folders anew, each where it is installed; desktops without them look by themselves."""


def data_home(environ: Mapping[str, str]) -> Path:
    """Return the folder for the user's data. A relative ``XDG_DATA_HOME`` counts as none: so the specification says."""
    named = Path(environ.get("XDG_DATA_HOME", ""))
    return named if named.is_absolute() else Path.home() / ".local" / "share"


def quoted(argument: str) -> str:
    """Return an argument for the ``Exec`` line: quoted, with what shells, the quotes and the line itself would read."""
    in_quotes = re.sub(r'(["`$\\])', r"\\\1", argument)
    return '"' + in_quotes.replace("\\", "\\\\").replace("%", "%%") + '"'


def desktop_entry(template: str, python: str) -> str:
    """Return the desktop entry that starts the program with this very Python, wherever it is called from."""
    if any(ord(character) < 32 for character in python):
        raise ExplorerError(f"No desktop entry can name {python!r}. Move the program to a folder without line breaks.")
    command = f"{quoted(python)} -P -m attention_explorer %f"  # -P: no folder of that name may come before it
    entry = re.sub(r"^Exec=.*$", lambda _: f"Exec={command}", template, flags=re.MULTILINE)
    tried = python.replace("\\", "\\\\")
    return re.sub(r"^TryExec=.*$", lambda _: f"TryExec={tried}", entry, flags=re.MULTILINE)


def install(folder: Path, python: str) -> list[Path]:
    """Put desktop entry, icon and file type below a data folder and return what was written.

    Raises
    ------
    ExplorerError
        A file cannot be written; the message says why.
    """
    written = []
    for source, target in PLACES.items():
        data = files.read_bytes(source)
        if source.endswith(".desktop"):
            data = desktop_entry(data.decode(), python).encode()
        path = folder / target
        make_folder(path.parent)
        write_whole(path, data)
        written.append(path)
    update(folder)
    return written


def uninstall(folder: Path) -> list[Path]:
    """Take away what `install` has put below a data folder and return what was there.

    Raises
    ------
    ExplorerError
        A file cannot be removed; the message says why.
    """
    removed = [path for target in PLACES.values() if os.path.lexists(path := folder / target)]
    for path in removed:
        try:
            path.unlink()
        except OSError as error:
            raise ExplorerError(f"“{path}” cannot be removed: {error.strerror}. Remove it yourself.") from error
    if removed:
        update(folder)
    return removed


def update(folder: Path) -> None:
    """Have the desktop read the folders anew.

    Raises
    ------
    ExplorerError
        One of its programs failed; the message has its words.
    """
    for program, part in UPDATES:
        found = shutil.which(program)
        if found is None or not (folder / part).is_dir():
            continue
        done = subprocess.run([found, str(folder / part)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ExplorerError(f"The files are in place, but {program} failed: {done.stderr.strip()}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code: 0 done, 1 it could not be done, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m attention_explorer.desktop", description="Menu entry and icon.")
    parser.add_argument("action", choices=("install", "uninstall"))
    action = parser.parse_args(arguments).action
    if sys.platform in ("darwin", "win32"):
        print("attention-explorer: desktop entries are for Linux and other free desktops.", file=sys.stderr)
        return 1
    folder = data_home(os.environ)
    try:
        paths = install(folder, sys.executable) if action == "install" else uninstall(folder)
    except ExplorerError as error:
        print(f"attention-explorer: {error}", file=sys.stderr)
        return 1
    for path in paths:
        print(f"{'wrote' if action == 'install' else 'removed'} {path}")
    if not paths:
        print(f"There was nothing to remove in {folder}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
