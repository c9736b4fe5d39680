"""Files written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from attention_explorer.core.files import make_folder, write_whole
from attention_explorer.errors import ExplorerError, ExportError

not_on_windows = pytest.mark.skipif(sys.platform == "win32", reason="permissions and inodes are POSIX's")


@pytest.fixture
def umask() -> Iterator[None]:
    """Whatever a test does to the umask is undone."""
    before = os.umask(0)
    os.umask(before)
    yield
    os.umask(before)


def test_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    data = bytes(range(256)) * 1000
    write_whole(path, data)
    assert path.read_bytes() == data
    assert os.listdir(tmp_path) == ["figure.png"], "no temporary file is left"


def test_an_empty_file(tmp_path: Path) -> None:
    write_whole(tmp_path / "empty", b"")
    assert (tmp_path / "empty").read_bytes() == b""


@pytest.mark.parametrize("name", ["o = Σ α·v.png", " leading space", "two.dots.svg", ".hidden", "100 %s.csv", "ö" * 60])
def test_names_people_give(tmp_path: Path, name: str) -> None:
    write_whole(tmp_path / name, b"x")
    assert os.listdir(tmp_path) == [name]


def test_an_old_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    path.write_bytes(b"a much longer file than the new one")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["figure.png"]


@not_on_windows
def test_whoever_reads_the_old_file_reads_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    path.write_bytes(b"old, and whole")
    with path.open("rb") as reader:
        write_whole(path, b"new")
        assert reader.read() == b"old, and whole", "the old bytes were not written over"
    assert path.read_bytes() == b"new"


def test_the_new_bytes_are_elsewhere_until_they_are_all_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    seen = []

    def look(_descriptor: int) -> None:
        others = [other for other in tmp_path.iterdir() if other != path]
        seen.append((path.read_bytes(), [other.read_bytes() for other in others]))

    monkeypatch.setattr(os, "fsync", look)
    write_whole(path, b"new")
    assert seen == [(b"old", [b"new"])], "in the same folder, so that renaming is one act"


@not_on_windows
@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664), (0, 0o666)])
def test_permissions_are_those_of_any_new_file(tmp_path: Path, mask: int, mode: int) -> None:
    os.umask(mask)
    path = tmp_path / "figure.png"
    write_whole(path, b"x")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    (tmp_path / "other").write_bytes(b"")
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode
    assert os.umask(mask) == mask, "the umask is as it was"


@not_on_windows
@pytest.mark.usefixtures("umask")
def test_what_is_private_only_its_owner_reads(tmp_path: Path) -> None:
    os.umask(0)
    folder = tmp_path / "data" / "sessions"
    for _ in range(2):  # also one that an earlier version has made for everybody
        make_folder(folder, private=True)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        write_whole(folder / "kept", b"x", private=True)
        assert stat.S_IMODE((folder / "kept").stat().st_mode) == 0o600
        folder.chmod(0o755)
        (folder / "kept").chmod(0o644)


# ---- What was left behind ----

KILLED = """
import os, signal, sys
from pathlib import Path
from attention_explorer.core.files import write_whole

def die(file):
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)

write_whole(Path(sys.argv[1]), die)
"""
YESTERDAY = 25 * 3600


@not_on_windows
def test_what_a_killed_program_has_left_goes_with_a_later_file(tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    for _ in range(2):
        assert subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False).returncode < 0
    old, young = sorted(tmp_path.iterdir())
    os.utime(old, (time.time() - YESTERDAY,) * 2)
    write_whole(path, b"whole")
    assert sorted(tmp_path.iterdir()) == [young, path], "somebody may still be writing to the other"


@pytest.mark.parametrize("name", [".abcdefgh.part", "attention-explorer-abcdefgh.part", ".attention-explorer-a.part"])
def test_no_file_of_anybody_else_goes(tmp_path: Path, name: str) -> None:
    (tmp_path / "others").mkdir()
    for kept in (tmp_path / name, tmp_path / "others" / ".attention-explorer-abcdefgh.part"):
        kept.write_bytes(b"x")
        os.utime(kept, (time.time() - YESTERDAY,) * 2)
    (tmp_path / ".attention-explorer-12345678.part").mkdir()
    write_whole(tmp_path / "figure.png", b"whole")
    assert len(list(tmp_path.rglob("*"))) == 5


# ---- What goes wrong ----


def full_disk(_descriptor: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(ExportError) as caught:
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["figure.png"], "no temporary file is left"
    assert "figure.png" in str(caught.value)
    assert os.strerror(errno.ENOSPC) in str(caught.value)
    assert isinstance(caught.value.__cause__, OSError)


def test_a_full_disk_makes_no_half_of_a_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(ExportError):
        write_whole(tmp_path / "figure.png", b"new")
    assert os.listdir(tmp_path) == []


def test_a_name_that_cannot_be_taken_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> Path:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(ExportError, match=os.strerror(errno.EACCES)):
        write_whole(tmp_path / "figure.png", b"new")
    assert os.listdir(tmp_path) == []


def test_an_interruption_leaves_nothing_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_descriptor: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "figure.png"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["figure.png"]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ExportError) as caught:
        write_whole(tmp_path / "none" / "figure.png", b"x")
    assert str(tmp_path / "none") in str(caught.value)
    assert "does not exist" in str(caught.value)
    assert os.listdir(tmp_path) == [], "no folder is made unasked"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(ExportError):
        write_whole(tmp_path / "file" / "figure.png", b"x")
    assert (tmp_path / "file").read_bytes() == b"x"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    with pytest.raises(ExportError, match=r"is a folder"):
        write_whole(tmp_path / "figures", b"x")
    assert os.listdir(tmp_path) == ["figures"]
    assert os.listdir(tmp_path / "figures") == []


@not_on_windows
def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ExportError, match=os.strerror(errno.EACCES)):
            write_whole(tmp_path / "figure.png", b"x")
    finally:
        tmp_path.chmod(0o700)


def test_a_name_too_long_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(ExportError):
        write_whole(tmp_path / ("a" * 300), b"x")


def test_the_longest_name_that_the_system_takes(tmp_path: Path) -> None:
    (tmp_path / ("a" * 255)).write_bytes(b"")
    write_whole(tmp_path / ("a" * 255), b"x")
    assert os.listdir(tmp_path) == ["a" * 255]


def test_the_error_is_one_that_is_shown_to_people(tmp_path: Path) -> None:
    with pytest.raises(ExplorerError, match=r"\.$"):
        write_whole(tmp_path, b"x")


# ---- Folders ----


def test_folders_are_made_with_those_above_them_and_once(tmp_path: Path) -> None:
    folder = tmp_path / "one" / "two"
    make_folder(folder)
    (folder / "kept").write_bytes(b"x")
    make_folder(folder)
    assert os.listdir(folder) == ["kept"]


@pytest.mark.parametrize("name", ["file", "file/folder", "a" * 300])
def test_folders_that_cannot_be_made_are_refused_in_words(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(ExportError, match=r"cannot be made: .+\. Choose another\.$"):
        make_folder(tmp_path / name)
    assert os.listdir(tmp_path) == ["file"]


def test_an_existing_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "figure.svg"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_behind_a_link_it_is_the_file_that_changes(tmp_path: Path) -> None:
    target, link = tmp_path / "figure.svg", tmp_path / "link.svg"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_name_that_no_file_may_have_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="could not be written"):
        write_whole(tmp_path / "a\0b.svg", b"x")


# ---- What a file must not take the place of ----


@not_on_windows
def test_a_pipe_stays_what_it_is(tmp_path: Path) -> None:
    # As /dev/null would, on which nothing is tried here: root would lose it if the test failed.
    os.mkfifo(tmp_path / "pipe.svg")
    (tmp_path / "link.svg").symlink_to("pipe.svg")
    for name in ("pipe.svg", "link.svg"):
        with pytest.raises(ExportError, match="is not an ordinary file and stays as it is"):
            write_whole(tmp_path / name, b"x")
    assert stat.S_ISFIFO((tmp_path / "pipe.svg").stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["link.svg", "pipe.svg"]


def test_a_write_protected_file_stays_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figure.svg"
    path.write_bytes(b"old")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)  # root may write to any file
    with pytest.raises(ExportError, match="is write-protected"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"


@not_on_windows
def test_links_that_lead_nowhere_are_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "lost").symlink_to(tmp_path / "none" / "file")
    for name, why in (("circle", "the link leads round in a circle"), ("lost", "No such file")):
        with pytest.raises(ExportError, match=f"could not be written.*{why}"):
            write_whole(tmp_path / name, b"x")
    with pytest.raises(ExportError, match="cannot be made"):
        make_folder(tmp_path / "circle" / "folder")
    assert sorted(os.listdir(tmp_path)) == ["circle", "lost"]


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_names_with_characters_that_no_name_may_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(ExportError, match="could not be written"):
        write_whole(tmp_path / name, b"x")
    with pytest.raises(ExportError, match="cannot be made"):
        make_folder(tmp_path / name)
    assert os.listdir(tmp_path) == []


@not_on_windows
def test_a_limit_on_the_size_of_files_leaves_the_old_one(tmp_path: Path) -> None:
    """As a full disk: the system takes some bytes and then no more, at the real boundary."""
    (tmp_path / "figure.png").write_bytes(b"old")
    program = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from attention_explorer.errors import ExportError\n"
        "from attention_explorer.core.files import write_whole\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n"
        "    write_whole(Path(sys.argv[1]), bytes(100_000))\n"
        "except ExportError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "figure.png")], capture_output=True, text=True, check=False
    )
    assert "“figure.png” could not be written" in done.stdout
    assert done.stderr == ""
    assert (tmp_path / "figure.png").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["figure.png"]
