"""What the program remembers between two starts: how the window looked, never what was computed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QByteArray, QLockFile, QSettings

from attention_explorer.core.byte_cache import ON_SHOW_BYTES


class ThemeChoice(StrEnum):
    """Which colours the window wears."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


MOST_RECENT = 10

LONGEST_WAIT = 500
"""Milliseconds that one window waits for another that writes the list of recent files."""

LEAST_MEMORY, MOST_MEMORY = 64, 2**16

ZOOM_STEPS = (0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)


@dataclass(frozen=True, slots=True)
class Settings:
    """The remembered choices."""

    theme: ThemeChoice = ThemeChoice.SYSTEM
    zoom: float = 1.0
    page: str = "lookup"
    geometry: bytes = b""
    goes_on: bool = True
    """Whether the window starts where it was left."""
    reduced_motion: bool = False
    """Whether nothing moves by itself: what would play goes step by step."""
    from_zero: bool = False
    """Whether layers, heads and tokens are counted from 0."""
    memory: int = ON_SHOW_BYTES // 2**20
    """MiB that may be taken for what is on the screen or kept as B."""
    drawers: tuple[str, ...] = ()
    """The pages whose drawer with all other controls is open."""
    lessons: str = ""
    """How far the lessons have come, as `tools/lessons/progress.py` writes it."""


class SettingsStore:
    """Reads and writes `Settings` in an INI file.

    QSettings gives everything back as text or worse (False becomes 'false', which is true), so every read names its
    type, and whatever cannot be understood falls back to the default.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Use the file at ``path``, or the user's own settings file."""
        self._qsettings = (
            QSettings(
                QSettings.Format.IniFormat,
                QSettings.Scope.UserScope,
                "attention-explorer",
                "attention-explorer",
            )
            if path is None
            else QSettings(str(path), QSettings.Format.IniFormat)
        )

    def load(self) -> Settings:
        """Return what was stored, each value checked."""
        settings = Settings()
        theme = self._text("theme", settings.theme)
        if theme in {choice.value for choice in ThemeChoice}:
            settings = replace(settings, theme=ThemeChoice(theme))
        zoom = self._number("zoom", settings.zoom)
        if zoom in ZOOM_STEPS:
            settings = replace(settings, zoom=zoom)
        memory = self._number("memory", settings.memory)
        if LEAST_MEMORY <= memory <= MOST_MEMORY:
            settings = replace(settings, memory=round(memory))
        geometry = self._qsettings.value("geometry")
        return replace(
            settings,
            page=self._text("page", settings.page),
            lessons=self._text("lessons", settings.lessons),
            goes_on=self._switch("goes_on", settings.goes_on),
            drawers=tuple(self._text("drawers", "").split()),
            from_zero=self._switch("from_zero", settings.from_zero),
            reduced_motion=self._switch("reduced_motion", settings.reduced_motion),
            geometry=bytes(geometry.data()) if isinstance(geometry, QByteArray) else b"",
        )

    def save(self, settings: Settings) -> bool:
        """Store all settings; return whether the file could be written."""
        for field in fields(settings):
            stored = getattr(settings, field.name)
            if isinstance(stored, tuple):
                stored = " ".join(stored)  # QSettings gives a list of one back as a text, and an empty one as nothing
            self._qsettings.setValue(field.name, QByteArray(stored) if isinstance(stored, bytes) else stored)
        self._qsettings.sync()
        return self._qsettings.status() is QSettings.Status.NoError

    @property
    def is_new(self) -> bool:
        """Whether nothing was ever stored: the program starts for the first time."""
        return not self._qsettings.allKeys()

    def problem(self) -> str:
        """Return why nothing can be remembered until the next start; empty if it can."""
        if self._qsettings.isWritable():
            return ""
        return (
            f"“{self._qsettings.fileName()}” cannot be written: colours, size and recent files are not remembered. "
            "Make its folder writable."
        )

    # ---- Recent files ----

    def recent(self) -> tuple[Path, ...]:
        """Return the session files last opened or saved, the last first; another window may have added some."""
        self._qsettings.sync()
        try:
            names = json.loads(self._text("recent", "[]"))
        except ValueError:
            names = []
        listed = names if isinstance(names, list) else []
        return tuple(Path(name) for name in listed if isinstance(name, str) and name)[:MOST_RECENT]

    def remember(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        with self._alone():
            self._write_recent([path, *(other for other in self.recent() if other != path)])

    def forget(self, path: Path | None = None) -> None:
        """Take one file out of the recent ones, or all of them."""
        with self._alone():
            self._write_recent([] if path is None else [other for other in self.recent() if other != path])

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other windows from the list between reading and writing it, or one would lose what the other adds."""
        lock = QLockFile(f"{self._qsettings.fileName()}.recent.lock")
        lock.tryLock(LONGEST_WAIT)  # one that cannot be had is no reason not to remember
        try:
            yield
        finally:
            lock.unlock()

    def _write_recent(self, paths: list[Path]) -> None:
        # As one text too.
        self._qsettings.setValue("recent", json.dumps([str(path) for path in paths[:MOST_RECENT]]))
        self._qsettings.sync()

    # ---- Reading ----

    def _text(self, key: str, default: str) -> str:
        try:
            stored = self._qsettings.value(key, default)
        except UnicodeDecodeError:
            return default
        return stored if isinstance(stored, str) else default

    def _switch(self, key: str, default: bool) -> bool:
        # A bool as long as it was written by this process, a text when it has been read from the file.
        text = str(self._qsettings.value(key, default)).lower()
        return text == "true" if text in ("true", "false") else default

    def _number(self, key: str, default: float) -> float:
        try:
            number = float(str(self._qsettings.value(key, default)))
        except ValueError:  # UnicodeDecodeError is one too
            return default
        return default if math.isnan(number) else number
