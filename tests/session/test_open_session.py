"""What is open: its file, whether anything is unsaved, and the list of recent files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.session_file import read_session
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.settings import MOST_RECENT, Settings, SettingsStore
from attention_explorer.window.open_session import OpenSession

FIRST = ExplorerState()
HARD = ExplorerState(lookup=LookupState(hard=True))
WARM = ExplorerState(lookup=LookupState(temperature=5.0))


@pytest.fixture
def session(qapp) -> Session:
    return Session()


@pytest.fixture
def opened(session: Session) -> OpenSession:
    return OpenSession(session, session)


@pytest.fixture
def told(opened: OpenSession) -> list[tuple[str, bool]]:
    """What everybody who listens has been told."""
    told: list[tuple[str, bool]] = []
    opened.changed.connect(lambda: told.append((opened.name, opened.is_changed)))
    return told


def test_nothing_is_changed_at_first(opened: OpenSession) -> None:
    assert (opened.is_changed, opened.name, opened.path) == (False, "Untitled", None)


def test_a_start_on_another_state_is_no_change(qapp) -> None:
    assert not OpenSession(Session(HARD)).is_changed


def test_a_change_is_told_once_and_its_undoing_too(session, opened, told) -> None:
    session.preview(HARD, "one")
    session.preview(WARM, "two")
    session.commit()
    assert told == [("Untitled", True)]
    session.undo()
    assert told[1:] == [("Untitled", False)]
    assert not opened.is_changed


def test_saving_and_opening(session, opened, told, tmp_path: Path) -> None:
    path = tmp_path / "a.attn.json"
    session.apply(HARD, "hard")
    opened.save(path, "heads")
    assert told == [("Untitled", True), ("a.attn.json", False)]
    assert session.can_undo, "saving is no reason to forget"
    session.apply(WARM, "warm")
    assert opened.is_changed
    found = opened.open(path)
    assert (found.page, session.state, opened.is_changed) == ("heads", HARD, False)
    assert not session.can_undo, "the history of another session is over"
    assert not session.history.can_redo


def test_what_came_of_a_file_and_was_not_touched_is_nothing_to_save(session, opened, told) -> None:
    session.apply(HARD, "Open a file")
    opened.opened_untouched()
    session.apply(WARM, "Open another")
    opened.opened_untouched()
    assert (told[-1], opened.is_changed) == (("Untitled", False), False)
    session.undo()
    assert (session.state, opened.is_changed) == (HARD, False)
    session.apply(replace(WARM, lookup=LookupState(temperature=6.0)), "touch")
    assert opened.is_changed


def test_a_file_opened_over_changes_does_not_hide_them(session, opened) -> None:
    session.apply(WARM, "warm")
    session.apply(HARD, "Open a file")
    opened.opened_untouched()
    assert opened.is_changed, "what was warm is in no file"


def test_a_file_opened_in_a_session_with_a_name_is_a_change_of_it(session, opened, tmp_path: Path) -> None:
    opened.save(tmp_path / "a.attn.json", "heads")
    session.apply(HARD, "Open a file")
    opened.opened_untouched()
    assert opened.is_changed


def test_a_preview_is_saved_as_it_is_shown(session, opened, tmp_path: Path) -> None:
    session.preview(HARD, "drag")
    opened.save(tmp_path / "a.attn.json", "")
    assert read_session(tmp_path / "a.attn.json").state == HARD
    session.revert()
    assert session.state == HARD
    assert not opened.is_changed


def test_a_file_that_cannot_be_opened_changes_nothing(session, opened, told, tmp_path: Path) -> None:
    (tmp_path / "bad.attn.json").write_text("{")
    session.apply(HARD, "hard")
    del told[:]
    with pytest.raises(ExplorerError):
        opened.open(tmp_path / "bad.attn.json")
    assert (session.state, session.can_undo, opened.path, told) == (HARD, True, None, [])


def test_a_file_that_cannot_be_written_leaves_it_unsaved(session, opened, tmp_path: Path) -> None:
    session.apply(HARD, "hard")
    with pytest.raises(ExplorerError):
        opened.save(tmp_path / "none" / "a.attn.json", "")
    assert opened.is_changed
    assert opened.path is None


def test_a_new_session_forgets_file_history_and_unknown_keys(session, opened, tmp_path: Path) -> None:
    path = tmp_path / "a.attn.json"
    opened.save(path, "")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"note": "keep me"}))
    opened.open(path)
    session.apply(HARD, "hard")
    opened.save(path, "")
    assert json.loads(path.read_text())["note"] == "keep me"
    session.apply(WARM, "warm")
    opened.begin()
    assert (session.state, opened.path, opened.is_changed, session.can_undo) == (FIRST, None, False, False)
    opened.save(tmp_path / "b.attn.json", "")
    assert "note" not in json.loads((tmp_path / "b.attn.json").read_text())


def test_a_restart_shows_the_state_without_a_history(session: Session) -> None:
    seen = []
    session.changed.connect(lambda old, new: seen.append((old, new)))
    session.preview(HARD, "drag")
    session.restart(WARM)
    assert seen == [(FIRST, HARD), (HARD, WARM)]
    assert not session.is_previewing
    session.undo()
    session.revert()
    assert session.state == WARM


# ---- Recent files ----


def test_recent_files_the_last_first_and_each_once(settings_path: Path) -> None:
    store = SettingsStore(settings_path)
    assert store.recent() == ()
    for name in ("a", "b, c", "ü [x].attn.json", "a"):
        store.remember(Path(name))
    assert store.recent() == (Path("a"), Path("ü [x].attn.json"), Path("b, c"))
    assert SettingsStore(settings_path).recent() == store.recent()
    store.forget(Path("b, c"))
    assert store.recent() == (Path("a"), Path("ü [x].attn.json"))
    store.forget()
    assert store.recent() == ()


def test_recent_files_are_not_many(settings_path: Path) -> None:
    store = SettingsStore(settings_path)
    for number in range(MOST_RECENT + 5):
        store.remember(Path(f"{number}"))
    assert store.recent() == tuple(Path(f"{number}") for number in range(MOST_RECENT + 4, 4, -1))


def test_two_windows_add_to_one_list(settings_path: Path) -> None:
    one, other = SettingsStore(settings_path), SettingsStore(settings_path)
    one.remember(Path("a"))
    other.remember(Path("b"))
    assert one.recent() == (Path("b"), Path("a"))
    one.save(Settings())
    assert other.recent() == (Path("b"), Path("a")), "saving the settings takes nothing away"


@pytest.mark.parametrize("text", ["nonsense", "3", '"a"', "[1, null, {}]", '[""]', '{"a": 1}'])
def test_a_damaged_list_is_empty(settings_path: Path, text: str) -> None:
    store = SettingsStore(settings_path)
    store._qsettings.setValue("recent", text)
    assert store.recent() == ()
    store.remember(Path("a"))
    assert store.recent() == (Path("a"),)


def test_whether_to_go_on_comes_back(settings_path: Path) -> None:
    assert Settings().goes_on
    for goes_on in (False, True):
        SettingsStore(settings_path).save(replace(Settings(), goes_on=goes_on))
        assert SettingsStore(settings_path).load().goes_on is goes_on
