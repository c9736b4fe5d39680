"""Whether a display answers, before Qt is asked."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from attention_explorer import display as displays

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="abstract Unix sockets are Linux's")


@pytest.fixture
def sockets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory whose path is short enough for a Unix socket."""
    return tmp_path_factory.mktemp("x")


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A Unix socket for the test to bind; closed afterwards."""
    with socket.socket(socket.AF_UNIX) as server:
        yield server


def listen(server: socket.socket, address: str) -> None:
    server.bind(address)
    server.listen()


@linux_only
class TestHasDisplay:
    @pytest.mark.parametrize("display", [":7", ":7.0", "unix:7"])
    def test_listening_socket(self, display: str, sockets: Path, listener: socket.socket) -> None:
        listen(listener, str(sockets / "X7"))
        assert displays.has_display({"DISPLAY": display}, sockets)
        assert not displays.has_display({"DISPLAY": display.replace("7", "8")}, sockets)

    def test_abstract_socket(self, sockets: Path, listener: socket.socket) -> None:
        listen(listener, f"\0{sockets}/X7")
        assert displays.has_display({"DISPLAY": ":7"}, sockets)
        assert not displays.has_display({"DISPLAY": ":8"}, sockets)

    def test_dead_socket_left_behind(self, sockets: Path, listener: socket.socket) -> None:
        listen(listener, str(sockets / "X7"))
        listener.close()
        assert (sockets / "X7").exists()
        assert not displays.has_display({"DISPLAY": ":7"}, sockets)

    @pytest.mark.parametrize("environ", [{}, {"DISPLAY": ""}, {"DISPLAY": "nonsense"}])
    def test_no_display_named(self, environ: dict[str, str], sockets: Path) -> None:
        assert not displays.has_display(environ, sockets)

    @pytest.mark.parametrize("display", ["localhost:10.0", "far.example:0"])
    def test_remote_display_is_believed(self, display: str, sockets: Path) -> None:
        assert displays.has_display({"DISPLAY": display}, sockets)

    def test_wayland(self, sockets: Path, listener: socket.socket) -> None:
        environ = {"WAYLAND_DISPLAY": "wayland-3", "XDG_RUNTIME_DIR": str(sockets)}
        assert not displays.has_display(environ, sockets)
        listen(listener, str(sockets / "wayland-3"))
        assert displays.has_display(environ, sockets)
        assert displays.has_display({"WAYLAND_DISPLAY": str(sockets / "wayland-3")}, sockets)

    def test_dead_wayland_falls_back_to_x11(self, sockets: Path, listener: socket.socket) -> None:
        listen(listener, str(sockets / "X7"))
        environ = {"WAYLAND_DISPLAY": "wayland-3", "XDG_RUNTIME_DIR": str(sockets), "DISPLAY": ":7"}
        assert displays.has_display(environ, sockets)

    def test_the_process_environment_is_the_default(
        self, sockets: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        monkeypatch.setenv("DISPLAY", ":7")
        assert not displays.has_display(x11_sockets=sockets)
        listen(listener, str(sockets / "X7"))
        assert displays.has_display(x11_sockets=sockets)


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_mac_and_windows_always_have_a_display(system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", system)
    assert displays.has_display({}, tmp_path)
