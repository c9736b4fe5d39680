"""Whether there is a display to open a window on: Qt answers one that is gone by aborting the process."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

X11_SOCKETS = Path("/tmp/.X11-unix")  # noqa: S108 - the place X itself prescribes


def has_display(environ: Mapping[str, str] | None = None, x11_sockets: Path = X11_SOCKETS) -> bool:
    """Tell whether a window can be shown.

    With X11 and Wayland the environment names the display, and it may name one that is gone: then Qt would
    abort the process. So a display on this machine has to take a connection; one on another is believed.
    """
    if sys.platform in ("darwin", "win32"):
        return True
    env = os.environ if environ is None else environ
    wayland = env.get("WAYLAND_DISPLAY")
    if wayland and answers(str(Path(env.get("XDG_RUNTIME_DIR", "/")) / wayland)):
        return True
    display = re.fullmatch(r"(?P<host>.*):(?P<number>\d+)(\.\d+)?", env.get("DISPLAY", ""))
    if display is None:
        return False
    if display["host"] not in ("", "unix"):
        return True
    path = str(x11_sockets / f"X{display['number']}")
    return answers(path) or answers("\0" + path)


def answers(address: str) -> bool:
    """Tell whether somebody listens on a Unix socket."""
    import socket  # only where a display is named: it takes a while to load

    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(2)
        try:
            client.connect(address)
        except OSError:
            return False
    return True
