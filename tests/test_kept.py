"""Whatever was saved opens, draws and holds the same numbers for good, by the names that it was saved with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kept import FOLDER, described, drawn, picture_path, presets, read_arrays, sessions, stem
from PIL import Image

from attention_explorer.pages.session_file import read_session
from attention_explorer.tools.lessons.names import PARTS
from attention_explorer.tools.lessons.rehearsing import looked_over

pytestmark = pytest.mark.usefixtures("qapp")

KEPT = read_arrays()
MOST_OTHER = 0.005
"""The share of pixels that may have another colour: letters and slanted lines are not the same on every machine."""
OTHER = 40
"""How far a channel of a pixel may be off."""
MEANS = 1e-4
"""How far a mean may be off, as a share of the mean of the absolute values."""
ROUNDING = 1e-13
"""How far it may be off in any case: errors of arithmetic are others on every processor."""


def test_every_preset_is_kept() -> None:
    assert set(presets()) <= set(map(stem, sessions())) == set(KEPT)


@pytest.mark.parametrize("path", sessions(), ids=stem)
def test_a_session_opens_and_is_drawn_as_when_it_was_saved(path: Path) -> None:
    opened = read_session(path)
    assert not opened.warnings
    assert not opened.left_out
    now = np.asarray(drawn(path), np.int16)
    then = np.asarray(Image.open(picture_path(path)).convert("RGB"), np.int16)
    assert now.shape == then.shape
    is_other = np.abs(now - then).max(axis=-1) > OTHER
    assert is_other.mean() <= MOST_OTHER


@pytest.mark.parametrize(
    ("path", "picture"),
    [pytest.param(path, picture, id=f"{stem(path)} {picture}") for path in sessions() for picture in KEPT[stem(path)]],
)
def test_a_picture_exports_the_same_arrays(path: Path, picture: str) -> None:
    now, then = described(path, picture), KEPT[stem(path)][picture]
    assert now.keys() == then.keys()
    for name, told in then.items():
        assert now[name].shape == told.shape
        assert now[name][1:] == pytest.approx(told[1:], rel=0, abs=max(MEANS * told.second, ROUNDING)), name


def test_a_lesson_that_names_everything_is_read_and_answered_as_when_it_was_written() -> None:
    path, complaints = FOLDER / "everything.lesson.toml", list[str]()
    told = looked_over(path, complaints.append)
    assert not complaints
    assert "= No." not in told
    text = path.read_text(encoding="utf-8")
    assert [name for name in PARTS if f'"{name}"' not in text] == []
