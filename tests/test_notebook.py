"""In a real IPython kernel, as notebooks start it, on a machine without a display."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import pytest
from jupyter_client.manager import KernelManager
from PySide6.QtGui import QImage

import attention_explorer

if TYPE_CHECKING:
    from jupyter_client.blocking.client import BlockingKernelClient

ROOT = Path(attention_explorer.__file__).parents[1]
MOST_BYTES = 3_000_000
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "QT_QPA_PLATFORM")


class Kernel:
    """A kernel, cell by cell."""

    def __init__(self, client: BlockingKernelClient) -> None:
        self._client = client

    def run(self, cell: str) -> dict[str, Any]:
        """Run a cell and return what it shows, by kind; an error is under its name."""
        shown: dict[str, Any] = {}

        def take(message: dict[str, Any]) -> None:
            content = message["content"]
            if message["msg_type"] in ("execute_result", "display_data"):
                shown.update(content["data"])
            elif message["msg_type"] == "error":
                shown[content["ename"]] = content["evalue"]
            elif message["msg_type"] == "stream":
                shown[content["name"]] = shown.get(content["name"], "") + content["text"]

        self._client.execute_interactive(cell, timeout=120, output_hook=take)
        return shown

    def value(self, expression: str) -> str:
        """Return the value of an expression as text: the kernel answers."""
        return str(self.run(expression)["text/plain"])


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    """A kernel of its own, in an empty folder; the three lines up to the picture are not run yet."""
    environment = {name: value for name, value in os.environ.items() if name not in DISPLAYS}
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    folders = {"IPYTHONDIR": str(tmp_path / "ipython"), "JUPYTER_RUNTIME_DIR": str(tmp_path / "jupyter")}
    with TemporaryDirectory() as sockets:  # which take no long names
        manager = KernelManager(kernel_name="python3", transport="ipc", ip=f"{sockets}/kernel")
        manager.start_kernel(cwd=str(tmp_path), env={**environment, **folders, "PYTHONPATH": path})
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=120)
            yield Kernel(client)
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
            client.context.destroy()


def check_drawing(shown: dict[str, Any], tokens: str) -> None:
    assert set(shown) == {"image/svg+xml", "text/plain"}
    drawing = shown["image/svg+xml"]
    assert len(drawing) < MOST_BYTES
    words = {text.strip() for text in ElementTree.fromstring(drawing).itertext()}  # noqa: S314 # our own
    assert set(tokens) <= words


THREE_LINES = "import numpy as np\nimport attention_explorer\nattention_explorer.show(np.eye(4), list('abcd'))"


def test_three_lines_draw_a_head_and_an_error_leaves_the_kernel_alive(kernel: Kernel, tmp_path: Path) -> None:
    check_drawing(kernel.run(THREE_LINES), "abcd")
    large = kernel.run("attention_explorer.show(np.full((2, 3, 1500, 1500), 1 / 1500, np.float16))")
    assert set(large) == {"image/png", "text/plain"}
    pixels = base64.b64decode(large["image/png"])
    assert len(pixels) < MOST_BYTES
    assert QImage.fromData(pixels).width() > 300
    for cell in ("attention_explorer.show(3 * np.eye(4))", "attention_explorer.show(np.eye(4)).weights(0, 5)"):
        assert list(kernel.run(cell)) == ["ArrayError"]
    assert kernel.run("view = attention_explorer.show(np.eye(4)); view.save('head.npy'); view.save('head.pdf')") == {}
    np.testing.assert_array_equal(np.load(tmp_path / "head.npy"), np.eye(4))
    assert (tmp_path / "head.pdf").read_bytes().startswith(b"%PDF")
    platform = "__import__('PySide6.QtGui').QtGui.QGuiApplication.platformName()"
    assert kernel.value(platform) == "'offscreen'"


def test_beside_asyncio_and_from_threads(kernel: Kernel, tmp_path: Path) -> None:
    kernel.run(THREE_LINES.rpartition("\n")[0] + "\nview = attention_explorer.show(np.eye(4), list('abcd'))")
    kernel.run(
        "import asyncio\nticks = []\n"
        "async def tick():\n    while True:\n        ticks.append(1)\n        await asyncio.sleep(0.001)\n"
        "ticking = asyncio.ensure_future(tick())"
    )
    assert kernel.run("await asyncio.to_thread(view.save, 'before.svg')") == {}, "Qt does not run yet"
    check_drawing(kernel.run("view"), "abcd")
    assert kernel.run("await asyncio.to_thread(view.save, 'after.svg')") == {}
    assert (tmp_path / "before.svg").read_bytes() == (tmp_path / "after.svg").read_bytes()
    before = int(kernel.value("len(ticks)"))
    assert int(kernel.value("(await asyncio.sleep(0.1), len(ticks))[1]")) > before, "the loop goes on"
    error = kernel.run("await asyncio.to_thread(view.save, 'no/such/folder.svg')")
    assert list(error) == ["ExportError"]
    assert kernel.value("1 + 1") == "2"


def test_beside_the_event_loop_of_a_window(kernel: Kernel, tmp_path: Path) -> None:
    # The kernel's loop for Qt sometimes misses a message that comes while it starts, and waits for ever: waker ends it.
    kernel.run(
        "import os\nos.environ['QT_QPA_PLATFORM'] = 'offscreen'\n%gui qt6\n"
        "from PySide6.QtCore import QTimer\nfrom PySide6.QtWidgets import QApplication\nwaker = QTimer()\n"
        "waker.timeout.connect(get_ipython().kernel.app.qt_event_loop.quit)\nwaker.start(100)"
    )
    kernel.run("ticks, timer = [], QTimer()\ntimer.timeout.connect(lambda: ticks.append(1))\ntimer.start(1)")
    mine = kernel.value("id(QApplication.instance())")
    check_drawing(kernel.run(THREE_LINES), "abcd")
    kernel.run(
        "import threading\nview = attention_explorer.show(np.eye(4))\n"
        "thread = threading.Thread(target=view.save, args=['thread.png'])\nthread.start()\nthread.join()"
    )
    assert QImage(str(tmp_path / "thread.png")).width() > 100
    assert kernel.value("id(QApplication.instance())") == mine
    before = int(kernel.value("len(ticks)"))
    assert any(int(kernel.value("len(ticks)")) > before for _ in range(1000)), "the loop goes on between cells"
    assert list(kernel.run("attention_explorer.show([])")) == ["ArrayError"]


@pytest.mark.parametrize(
    "other",
    [
        "from PySide6.QtCore import QCoreApplication; other = QCoreApplication([])",  # which cannot draw
        "import sys, types; sys.modules['PyQt6.QtCore'] = types.ModuleType('PyQt6.QtCore')",  # a Qt of its own
    ],
)
def test_beside_a_qt_that_cannot_draw(kernel: Kernel, tmp_path: Path, other: str) -> None:
    kernel.run(other)
    check_drawing(kernel.run(THREE_LINES), "abcd")
    assert kernel.run("attention_explorer.show(np.eye(3)).save('head.png', dpi=100)") == {}
    assert QImage(str(tmp_path / "head.png")).width() > 100
    assert list(kernel.run("attention_explorer.show(np.eye(3)).save('head.gif')")) == ["UsageError"]
    assert kernel.value("'PySide6.QtWidgets' in __import__('sys').modules") == "False"
