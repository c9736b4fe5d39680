"""The map being learned as a film: asked for by real keys and clicks, and read by Pillow."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from training_driver import TrainingDriver

from attention_explorer.kit.export.figure import encoded
from attention_explorer.pages.training.state import TrainingState, TrainingView
from attention_explorer.pages.training.ui import animation
from attention_explorer.pages.training.ui.animation import numbers_at, painted_frame, steps_shown
from attention_explorer.pages.training.ui.views import training_figure

STATE = replace(TrainingState(), step=60)


@pytest.fixture
def ask(training, monkeypatch, tmp_path: Path):
    """Open the page, ask for an animation of so many pictures, and answer where it is to be written."""

    def make(state: TrainingState, count: int, name: str) -> TrainingDriver:
        at = training(state)
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), ""))
        at.take("Animation…")
        dialog = at.page.animation_dialog
        dialog.box.setFocus()
        dialog.box.selectAll()
        QTest.keyClicks(dialog.box, str(count))
        at.press(dialog.save)
        return at

    return make


def expected(state: TrainingState, step: int) -> np.ndarray:
    """The pixels of the picture that the page exports of a step, (height, width, 3)."""
    with Image.open(io.BytesIO(encoded(training_figure(replace(state, step=step)), ".png"))) as picture:
        return np.asarray(picture.convert("RGB"))


@pytest.mark.parametrize(
    ("state", "count"),
    [
        (STATE, 7),
        (replace(TrainingState().with_task("dictionary"), step=3), 30),
        (replace(STATE, off=frozenset({(0, 0)}), view=TrainingView.BREAK), 2),
        (replace(STATE, view=TrainingView.HELD_OUT), 2),
    ],
)
@pytest.mark.parametrize("name", ["film.gif", "film.png"])
def test_the_film_has_a_picture_for_each_step(ask, tmp_path, state, count, name):
    at = ask(state, count, name)
    assert at.told == f"Saved {tmp_path / name}"
    steps = steps_shown(state.step, count)
    assert (steps[0], steps[-1], len(steps)) == (0, state.step, min(count, state.step + 1))
    with Image.open(tmp_path / name) as film:
        assert film.n_frames == len(steps)
        assert film.format == {"gif": "GIF", "png": "PNG"}[name[-3:]]
        assert film.info["loop"] == 0
        for place, step in enumerate(steps):
            film.seek(place)
            pixels, wanted = np.asarray(film.convert("RGB")), expected(state, step)
            assert pixels.shape == wanted.shape
            assert film.info["duration"] == (2000 if step == state.step else 100)
            if film.format == "PNG":
                assert np.array_equal(pixels, wanted)
            else:  # of 256 colours
                assert np.abs(pixels.astype(int) - wanted).mean() < 0.2
    assert list(tmp_path.glob("film*")) == [tmp_path / name]


def test_what_is_asked_for_is_said_before(ask):
    at = ask(STATE, 11, "film.gif")
    at.take("Animation…")
    dialog = at.page.animation_dialog
    dialog.activateWindow()
    QApplication.processEvents()
    dialog.box.setFocus()
    dialog.box.selectAll()
    QTest.keyClicks(dialog.box, "11")
    QTest.keyClick(dialog.box, Qt.Key.Key_Tab)
    assert dialog.says.text() == "11 pictures from step 0 to step 60, 3 seconds; then it starts again."
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not at.told.startswith("Cancelled")


def test_cancelled_halfway_nothing_is_written(ask, tmp_path, monkeypatch, qtbot):
    """The third picture waits until somebody has pressed Cancel."""
    painted = []

    def held_up(*given):
        painted.append(given)
        return painted_frame(*given)

    def cancel() -> None:
        for box in QApplication.topLevelWidgets():
            if isinstance(box, QMessageBox) and box.isVisible():
                QTest.mouseClick(box.button(QMessageBox.StandardButton.Cancel), Qt.MouseButton.LeftButton)
                return
        QTimer.singleShot(20, cancel)

    monkeypatch.setattr(animation, "painted_frame", held_up)
    monkeypatch.setattr(animation, "numbers_at", _Slow(4))
    QTimer.singleShot(400, cancel)
    at = ask(STATE, 30, "film.gif")
    assert at.told == "Cancelled: nothing was written."
    assert 0 < len(painted) < 30
    qtbot.waitUntil(lambda: not list(tmp_path.glob(".film*")) and not list(tmp_path.glob(".*.part")), timeout=20_000)
    assert not (tmp_path / "film.gif").exists()


class _Slow:
    """Computes what is drawn, but after some only when the work is told to end."""

    def __init__(self, quick: int) -> None:
        self._left = quick

    def __call__(self, state: TrainingState) -> object:
        self._left -= 1
        if self._left < 0:
            QTest.qSleep(50)  # on the worker
        return numbers_at(state)


def test_of_several_runs_there_is_no_film(training):
    at = training(replace(STATE, view=TrainingView.SEEDS))
    assert at.taking("Animation…") == (False, "Seeds shows several runs: choose another view.")


@pytest.mark.parametrize("name", ["film.png", "film.jpg"])
def test_what_cannot_be_written_is_said(ask, tmp_path, monkeypatch, name):
    told: list[str] = []
    monkeypatch.setattr(QMessageBox, "warning", lambda _parent, _title, text: told.append(text))

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    ask(STATE, 3, name)
    assert {"film.png": "No space left", "film.jpg": "ends in .gif or .png"}[name] in told[0]
    assert not list(tmp_path.glob("*film*"))
    assert not list(tmp_path.glob(".*.part"))


def test_pillow_is_loaded_only_when_a_film_is_made():
    code = "import sys, attention_explorer.pages.training.ui.page, attention_explorer.pages.training.ui.animation\n"
    subprocess.run([sys.executable, "-c", code + "assert 'PIL' not in sys.modules"], check=True)
