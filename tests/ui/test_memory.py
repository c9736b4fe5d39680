"""Memory that a long text took is free again soon after something smaller is shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from heads_driver import sentence
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QInputDialog

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import HeadsSetup
from attention_explorer.session import memory, requests
from attention_explorer.session.settings import Settings, SettingsStore, ThemeChoice
from attention_explorer.window.gallery import window_image

LONG = 300


class Page:
    """The Heads page in a window, and how often memory was given back."""

    def __init__(self, window, qtbot, times: list[int]) -> None:
        self.page, self._session, self._qtbot, self._times = window.page, window.session, qtbot, times

    def show(self, tokens: int, d_model: int) -> HeadsSetup:
        """Show so many tokens, and wait until what they do not need is dropped."""
        state = self._session.state
        heads = state.heads.with_recipe(sentence=sentence(tokens), d_model=d_model)
        before = len(self._times)
        self._session.apply(replace(state, heads=heads), "Type")
        self.page.settle()
        self._qtbot.waitUntil(lambda: len(self._times) > before)
        return heads.setup

    def see_dropped(self, setup: HeadsSetup) -> None:
        """Wait until what a setup took is dropped: what was given back last may have been of an earlier picture."""
        self._qtbot.waitUntil(lambda: heads_frame.peek(setup) is None)


@pytest.fixture
def heads(make_window, qtbot, monkeypatch) -> Page:
    """Tidy at once, with a budget that the queries and keys of a long text do not fit in."""
    times: list[int] = []
    monkeypatch.setattr(requests, "TIDY_AFTER_MILLISECONDS", 1)
    monkeypatch.setattr(memory, "give_back", lambda: times.append(1))
    monkeypatch.setattr(CACHE, "other_bytes", 2**20)
    CACHE.clear()
    return Page(make_window(settings=Settings(theme=ThemeChoice.LIGHT, page="heads")), qtbot, times)


def test_what_a_long_text_took_is_dropped_when_a_short_one_is_shown(heads: Page) -> None:
    long = heads.show(LONG, 512)
    assert heads_frame.peek(long) is not None  # on show
    short = heads.show(5, 8)
    heads.see_dropped(long)
    assert heads_frame.peek(short) is not None
    assert CACHE.other_bytes_used <= CACHE.other_bytes


def test_what_is_kept_as_b_stays(heads: Page) -> None:
    long = heads.show(LONG, 512)
    frame = heads_frame(long)
    heads.page.keep_for_comparison()
    heads.show(5, 8)
    assert heads_frame.peek(long) is frame


def test_a_new_session_empties_the_cache(make_window) -> None:
    window = make_window()
    CACHE.put("large", "value")
    window.files.new()
    assert CACHE.get("large") is None


def test_the_budget_is_chosen_in_the_menu_and_remembered(make_window, monkeypatch, settings_path: Path) -> None:
    monkeypatch.setattr(CACHE, "on_show_bytes", CACHE.on_show_bytes)
    window = make_window()
    assert CACHE.on_show_bytes == 2**30
    monkeypatch.setattr(QInputDialog, "getInt", lambda *_: (2048, True))
    window._actions["memory"].trigger()
    assert CACHE.on_show_bytes == 2**31
    window.close()
    make_window(settings=SettingsStore(settings_path).load())
    assert CACHE.on_show_bytes == 2**31


def test_a_picture_for_the_gallery_leaves_no_window_behind(qapp: QApplication) -> None:
    before = set(QApplication.topLevelWidgets())
    window_image(ExplorerState(), "heads", QSize(800, 600), ThemeChoice.LIGHT)
    assert set(QApplication.topLevelWidgets()) <= before
