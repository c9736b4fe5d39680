"""The real window on a real display, moved by X events: ``python -m tests.real_window``.

The tests send Qt its events and look at what it draws off-screen. Here the program starts as it does for a person, on
an X server of its own. A pointer outside of it drags q, and what is looked at are the pixels of the screen:

- before and after, which must differ where q and o were and are, and be the same again after Ctrl+Z;
- after, beside what is drawn off-screen of the session that was saved of it;
- the picture exported from the window, beside that of ``attention-explorer render``.

Nothing waits for a time: each step is taken once the one before is seen to have come.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

ROOT = Path(__file__).parents[1]
NEEDED = ("Xvfb", "xdotool")
SECONDS = 30.0
"""How long one step may take on a busy machine."""
TO = (0.4, 0.9)
"""Where q is dragged to, in the plane."""
STEPS = 6
DIFFERS = 64
"""Levels of 256 by which a pixel is another one: two platforms draw the edges of letters a little differently."""
PAIRS = (("after", "off-screen", 0.005), ("exported", "rendered", 0.002))
"""What is to be the same, and which share of the pixels may differ on two platforms; without the drag 1 % do."""
AROUND = 16
"""Pixels around the middle of a mark that are looked at."""

Pixels = npt.NDArray[np.int16]
Place = tuple[int, int]


# ---- In the program ----


class Person:
    """Somebody at the screen: looks at its pixels, and moves the pointer by X events."""

    def __init__(self, window: Any, folder: Path) -> None:  # the main window
        self.window, self.folder = window, folder

    def until(self, what: str, condition: Callable[[], object]) -> None:
        """Let the program work until something has come, which is said in words if it never does."""
        from PySide6.QtWidgets import QApplication

        end = time.monotonic() + SECONDS
        while not condition():
            if time.monotonic() > end:
                raise SystemExit(f"After {SECONDS:g} s it was still not so that {what}.")
            QApplication.processEvents()
            time.sleep(0.005)

    def place(self, position: Any) -> Place:  # numbers in the plane
        """Return where a place of the plane is in the window."""
        canvas = self.window.page.canvas
        at = canvas.mapTo(self.window, canvas.scene().point(tuple(position)).toPoint())
        return at.x(), at.y()

    def plane(self, pixels: Pixels) -> Pixels:
        """Return that part of a picture of the window where the plane is."""
        canvas = self.window.page.canvas
        at = canvas.mapTo(self.window, canvas.rect().topLeft())
        return pixels[at.y() : at.y() + canvas.height(), at.x() : at.x() + canvas.width()]

    def move(self, to: Place) -> None:
        """Move the pointer to a place of the window."""
        from PySide6.QtCore import QPoint
        from PySide6.QtGui import QCursor

        there = self.window.mapToGlobal(QPoint(*to))
        xdotool("mousemove", there.x(), there.y())
        self.until("the pointer has moved", lambda: QCursor.pos() == there)

    def hold(self, held: bool) -> None:
        """Press the button of the mouse, or let go."""
        from PySide6.QtCore import Qt
        from PySide6.QtGui import QGuiApplication

        xdotool("mousedown" if held else "mouseup", 1)
        left = Qt.MouseButton.LeftButton
        self.until("the button is heard of", lambda: held == bool(QGuiApplication.mouseButtons() & left))

    def keep_screen(self, name: str) -> None:
        """Put the pointer aside, and keep what the screen shows of the window once it shows it twice."""
        self.move((self.window.width() - 2, self.window.height() - 2))
        self.until("everything is computed", lambda: not self.window.page.jobs.is_busy())
        seen: list[object] = []

        def is_as_before() -> bool:
            seen.append(self.window.screen().grabWindow(0, *self.window.geometry().getRect()).toImage())
            return len(seen) > 1 and seen[-1] == seen[-2]

        self.until("the screen stays as it is", is_as_before)
        seen[-1].save(str(self.folder / f"{name}.png"))


def xdotool(*words: object) -> None:
    """Send an event to the X server."""
    subprocess.run([shutil.which("xdotool") or "", *map(str, words)], check=True)


def output_of(state: Any) -> list[float]:  # an ExplorerState
    """Return where o is in the plane."""
    from attention_explorer.pages.lookup.frame import lookup_frame

    output: list[float] = lookup_frame(state.lookup).output.tolist()
    return output


def drag(window: Any, folder: Path) -> None:
    """Drag q, look at what comes of it, save it, and take it back."""
    from attention_explorer.kit.export.figure import write_figure
    from attention_explorer.pages.session_file import write_session

    person, session = Person(window, folder), window.session
    person.until("the window is there", window.windowHandle().isExposed)
    xdotool("windowfocus", int(window.winId()))  # as a window manager does
    person.until("it has the keyboard", window.isActiveWindow)
    first = session.state
    person.keep_screen("before")
    start, end = person.place(first.lookup.query), person.place(TO)
    marks = {"q": start, "o": person.place(output_of(first))}

    person.move(start)
    person.hold(True)
    for share in np.linspace(0.0, 1.0, STEPS)[1:]:
        last = output_of(session.state)
        person.move((round(start[0] + (end[0] - start[0]) * share), round(start[1] + (end[1] - start[1]) * share)))
        person.until("o moves with q", partial(lambda last: output_of(session.state) != last, last))
    person.hold(False)
    person.until("q is where it was dragged to", lambda: np.allclose(session.state.lookup.query, TO, atol=0.03))
    person.until("that is one step", lambda: len(session.history) == 1 and session.undo_text == "Move query")
    person.keep_screen("after")
    before, after = (read(folder / f"{name}.png") for name in ("before", "after"))
    for name, at in {**marks, "q, dragged,": end, "o, moved,": person.place(output_of(session.state))}.items():
        if share_of_others(around(before, at), around(after, at)) < 0.05:
            raise SystemExit(f"{name} is not drawn anew at {at}.")
    write_session(folder / "after.attn.json", session.state, page="lookup")
    write_figure(window.page.figure(), folder / "exported.png")

    xdotool("key", "ctrl+z")
    person.until("Ctrl+Z takes it back", lambda: session.state == first)
    person.keep_screen("undone")
    if share_of_others(person.plane(before), person.plane(read(folder / "undone.png"))):
        raise SystemExit(f"The plane is drawn otherwise after Ctrl+Z: look at undone.png in {folder}")


def in_the_window(folder: Path) -> int:
    """Start the program, and drag q once it runs."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from attention_explorer import app
    from attention_explorer.window.window import MainWindow

    def act() -> None:
        code = 1
        try:
            drag(next(each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow)), folder)
            code = 0
        finally:
            QApplication.exit(code)

    application = app.make_application()
    QTimer.singleShot(0, application, act)
    return app.run_window(page="lookup")


def off_the_screen(folder: Path) -> int:
    """Draw the session that was saved, without a screen."""
    from PySide6.QtCore import QSize

    from attention_explorer.app import make_application
    from attention_explorer.pages.session_file import read_session
    from attention_explorer.session.settings import ThemeChoice
    from attention_explorer.window.gallery import window_image

    make_application()
    state = read_session(folder / "after.attn.json").state
    size = QSize(*Image.open(folder / "after.png").size)
    window_image(state, "lookup", size, ThemeChoice.LIGHT).save(str(folder / "off-screen.png"))
    return 0


# ---- Beside it ----


def read(path: Path) -> Pixels:
    """Return the pixels of a file, (height, width, 3)."""
    return np.asarray(Image.open(path).convert("RGB"), dtype=np.int16)


def around(pixels: Pixels, at: Place) -> Pixels:
    """Return the pixels around a place."""
    return pixels[at[1] - AROUND : at[1] + AROUND, at[0] - AROUND : at[0] + AROUND]


def share_of_others(one: Pixels, other: Pixels) -> float:
    """Return which share of the pixels of two pictures is not the same."""
    if one.shape != other.shape:
        raise SystemExit(f"The pictures have different sizes: {one.shape} and {other.shape}.")
    return float((np.abs(one - other).max(axis=2) > DIFFERS).mean())


def compared(folder: Path) -> list[str]:
    """Return what was found of each two pictures that should be the same; end with a sentence if they are not."""
    found = []
    for one, other, most in PAIRS:
        share = share_of_others(read(folder / f"{one}.png"), read(folder / f"{other}.png"))
        found.append(f"{one} and {other} {share:.2%}")
        if share > most:
            raise SystemExit(f"“{one}” and “{other}” differ in {share:.2%} of their pixels: look at them in {folder}")
    return found


@contextmanager
def x_server() -> Iterator[str]:
    """Start an X server and yield the name of its display, which it chooses itself."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        try:
            with open(reading, encoding="ascii") as answer:
                yield f":{answer.readline().strip()}"
        finally:
            server.terminate()


def start(step: str, folder: Path, **environment: str) -> None:
    """Do one of the steps above in a process of its own, with a home of its own."""
    home = {name: str(folder / name) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    command = [sys.executable, "-m", "tests.real_window", step, str(folder)]
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **home, **environment}, timeout=300)


def main() -> int:
    """Give the window a display and a home of its own, and compare what was drawn."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        sys.stdout.write(f"The real window was not tried: there is no {' and no '.join(missing)} here.\n")
        return 0
    began = time.perf_counter()
    folder = Path(tempfile.mkdtemp(prefix="real-window-"))
    with x_server() as display:
        start("in_the_window", folder, DISPLAY=display, QT_QPA_PLATFORM="xcb")
    start("off_the_screen", folder, QT_QPA_PLATFORM="offscreen")
    render = ("-m", "attention_explorer", "render", folder / "after.attn.json", folder / "rendered.png")
    subprocess.run([sys.executable, *render], check=True, cwd=ROOT)
    found = compared(folder)
    shutil.rmtree(folder)  # of a run that failed the pictures are kept
    sys.stdout.write(
        f"q dragged on the screen; other pixels: {', '.join(found)} ({time.perf_counter() - began:.0f} s)\n"
    )
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 3:
        sys.exit({"in_the_window": in_the_window, "off_the_screen": off_the_screen}[sys.argv[1]](Path(sys.argv[2])))
    sys.exit(main())
