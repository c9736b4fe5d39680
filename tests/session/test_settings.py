"""What is remembered between two starts, and what happens when the file is damaged."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from attention_explorer.session.settings import ZOOM_STEPS, Settings, SettingsStore, ThemeChoice

OTHER = Settings(
    theme=ThemeChoice.DARK,
    zoom=1.25,
    page="heads",
    geometry=bytes(range(256)) + b'\n"\\;=',
    drawers=("lookup", "heads"),
    memory=256,
)


def loaded_from(path: Path, text: str | bytes) -> Settings:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return SettingsStore(path).load()


def test_without_a_file_there_are_defaults(settings_path: Path) -> None:
    assert SettingsStore(settings_path).load() == Settings()
    assert not settings_path.exists(), "looking is not writing"


def test_everything_comes_back(settings_path: Path) -> None:
    assert SettingsStore(settings_path).save(OTHER)
    assert settings_path.exists()
    assert SettingsStore(settings_path).load() == OTHER


def test_everything_comes_back_in_another_process(settings_path: Path) -> None:
    assert SettingsStore(settings_path).save(OTHER)
    script = (
        "import sys; from pathlib import Path\n"
        "from attention_explorer.session.settings import SettingsStore\n"
        "print(repr(SettingsStore(Path(sys.argv[1])).load()))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script, str(settings_path)], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == repr(OTHER)


@pytest.mark.parametrize("theme", list(ThemeChoice))
@pytest.mark.parametrize("zoom", ZOOM_STEPS)
def test_every_theme_and_size_comes_back(settings_path: Path, theme: ThemeChoice, zoom: float) -> None:
    settings = Settings(theme=theme, zoom=zoom)
    assert SettingsStore(settings_path).save(settings)
    loaded = SettingsStore(settings_path).load()
    assert loaded == settings
    assert type(loaded.theme) is ThemeChoice
    assert type(loaded.zoom) is float


def test_saving_again_replaces(settings_path: Path) -> None:
    assert SettingsStore(settings_path).save(OTHER)
    assert SettingsStore(settings_path).save(Settings())
    assert SettingsStore(settings_path).load() == Settings()


@pytest.mark.parametrize(
    "line",
    [
        "zoom=nan",
        "zoom=inf",
        "zoom=-1",
        "zoom=0",
        "zoom=1.3",
        "zoom=large",
        "zoom=",
        "zoom=true",
        'zoom="1,25"',
        "zoom=1.25, 2",
        "zoom=@Invalid()",
        "zoom=@Point(1 2)",
        "theme=pink",
        "theme=",
        "theme=Dark",
        "theme=light, dark",
        "theme=@Invalid()",
        "theme=@Size(1 2)",
        "geometry=text",
        "geometry=1",
        "geometry=a, b",
        "unknown=1",
    ],
)
def test_a_damaged_value_is_the_default_and_harms_no_other(settings_path: Path, line: str) -> None:
    name = line.partition("=")[0]
    good = {"theme": "dark", "zoom": "1.5", "page": "heads"}
    lines = [line, *(f"{key}={value}" for key, value in good.items() if key != name)]
    expected = replace(Settings(theme=ThemeChoice.DARK, zoom=1.5, page="heads"))
    if name in good:
        expected = replace(expected, **{name: getattr(Settings(), name)})
    assert loaded_from(settings_path, "[General]\n" + "\n".join(lines) + "\n") == expected


@pytest.mark.parametrize(
    "contents",
    [b"", b"\0" * 500, bytes(range(256)) * 8, b"[[[", b"theme", b"[General", b"\xff\xfe[\0G\0", b"{}", b"=\n=\n[]\n"],
    ids=repr,
)
def test_a_file_that_is_no_settings_file_is_as_none(settings_path: Path, contents: bytes) -> None:
    assert loaded_from(settings_path, contents) == Settings()


def test_saving_over_a_damaged_file_mends_it(settings_path: Path) -> None:
    settings_path.write_bytes(b"[General]\nzoom=nan\ntheme=pink\n")
    store = SettingsStore(settings_path)
    assert store.load() == Settings()
    assert store.save(OTHER)
    assert SettingsStore(settings_path).load() == OTHER


@pytest.mark.parametrize("name", ["page", "theme"])
def test_bytes_that_are_no_text_do_not_keep_the_program_from_starting(settings_path: Path, name: str) -> None:
    assert loaded_from(settings_path, f"[General]\n{name}=@ByteArray(\\xff\\xfe)\n") == Settings()


@pytest.mark.parametrize("value", ["a, b", "@Invalid()", "@Rect(1 2 3 4)"])
def test_a_page_that_is_no_text_is_the_default(settings_path: Path, value: str) -> None:
    assert loaded_from(settings_path, f"[General]\npage={value}\n").page == Settings().page


def test_where_nothing_can_be_written_nothing_is_raised(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    store = SettingsStore(in_the_way / "settings.ini")
    assert store.load() == Settings()
    assert store.save(OTHER) is False
    assert in_the_way.read_text() == "not a folder"


def test_a_folder_in_the_place_of_the_file_raises_nothing(tmp_path: Path) -> None:
    assert SettingsStore(tmp_path).load() == Settings()
    assert SettingsStore(tmp_path).save(OTHER) is False


def test_what_is_neither_true_nor_false_is_the_default(settings_path: Path) -> None:
    assert loaded_from(settings_path, "[General]\nreduced_motion=maybe\ngoes_on=maybe\n") == Settings()
    assert not Settings().reduced_motion
    assert Settings().goes_on


def test_a_file_that_is_opened_again_is_listed_once_and_first(settings_path: Path, tmp_path: Path) -> None:
    store, (first, second) = SettingsStore(settings_path), (tmp_path / "a.attn.json", tmp_path / "b.attn.json")
    for path in (first, second, first):
        store.remember(path)
    assert store.recent() == (first, second)


def test_settings_are_immutable_and_hashable() -> None:
    assert len({Settings(), Settings(), OTHER}) == 2
    with pytest.raises(AttributeError):
        Settings().zoom = 2.0  # type: ignore[misc]


ADD = """
import sys
from pathlib import Path
from attention_explorer.session.settings import SettingsStore
store = SettingsStore(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(3):
    store.remember(Path(sys.argv[2]) / f"{number}.attn.json")
"""


def test_windows_that_remember_at_the_same_time_lose_nothing(settings_path: Path, tmp_path: Path) -> None:
    others = [
        subprocess.Popen(
            [sys.executable, "-c", ADD, str(settings_path), str(tmp_path / name)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "abc"
    ]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
    for other in others:
        assert other.stdin is not None
        other.stdin.write("go\n")
        other.stdin.flush()
    for other in others:
        other.communicate(timeout=60)
        assert other.returncode == 0
    listed = SettingsStore(settings_path).recent()
    assert sorted(listed) == [tmp_path / name / f"{number}.attn.json" for name in "abc" for number in range(3)]


@pytest.mark.parametrize("value", ["much", "-1", "1e99", "nan"])
def test_memory_that_cannot_be_is_the_default(settings_path: Path, value: str) -> None:
    assert loaded_from(settings_path, f"[General]\nmemory={value}\n").memory == Settings().memory
