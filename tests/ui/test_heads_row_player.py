"""Play: the row goes through its steps by itself, in the state; and as a film that another program reads."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PySide6.QtWidgets import QApplication

from attention_explorer.core.mask import MaskKind
from attention_explorer.errors import ExportError
from attention_explorer.kit.frame.view import Part, View
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.presets import HEADS_PRESETS, heads_preset
from attention_explorer.pages.heads.state import HeadsState, Picture, RowSpeed
from attention_explorer.pages.heads.ui.row_picture import RowPicture
from attention_explorer.pages.heads.ui.row_player import RowPlayer, row_film
from attention_explorer.pages.ui.session import Session
from attention_explorer.session.jobs import JobQueue

PART = Part("heads", HeadsState, HEADS_PRESETS, shown_by="view.picture")
VIEW = View(Picture.ROW, "Row", "One row", PART, Picture.ROW, RowPicture(), "view.step")


@pytest.fixture
def session() -> Session:
    heads = heads_preset("dot-products").state.with_view(speed=RowSpeed.FAST)
    return Session(ExplorerState(heads=heads))


@pytest.fixture
def player(session: Session, monkeypatch: Any) -> RowPlayer:
    monkeypatch.setattr(RowSpeed, "milliseconds", property(lambda _speed: 1))
    made = RowPlayer(session)
    made.seen = []  # type: ignore[attr-defined]
    session.changed.connect(lambda _old, new: made.seen.append(new.heads.view.step))  # type: ignore[attr-defined]
    return made


def test_it_plays_from_the_beginning_to_the_end_and_stops(player: RowPlayer, session: Session, qtbot: Any) -> None:
    last = session.state.heads.last_step
    with qtbot.waitSignal(player.running_changed):
        player.toggle()
    assert player.is_running
    qtbot.waitUntil(lambda: not player.is_running)
    assert player.seen == list(range(last + 1))
    player.toggle()
    qtbot.waitUntil(lambda: not player.is_running)
    assert player.seen == [*range(last + 1)] * 2, "once more, from the beginning"


def test_all_of_it_is_one_step_of_back_and_no_undo(player: RowPlayer, session: Session, qtbot: Any) -> None:
    before = session.state
    player.start()
    qtbot.waitUntil(lambda: not player.is_running)
    assert session.state != before
    assert not session.can_undo
    session.go_back()
    assert session.state == before


def test_a_person_takes_over(player: RowPlayer, session: Session, qtbot: Any) -> None:
    player.start()
    heads = session.state.heads
    masked = heads.with_setup(mask=replace(heads.setup.mask, kind=MaskKind.CAUSAL))
    session.apply(replace(session.state, heads=masked), "Change the mask")
    qtbot.waitUntil(lambda: not player.is_running)
    assert session.state.heads.setup.mask.kind is MaskKind.CAUSAL


def test_where_nothing_is_to_move_each_press_takes_one_step(player: RowPlayer, session: Session) -> None:
    last = session.state.heads.last_step
    for _ in range(3):
        player.step()
    assert player.seen == [0, 1, 2], "after the last step the first"
    session.apply(replace(session.state, heads=session.state.heads.with_view(step=last)), "Go")
    player.step()
    assert player.seen[-1] == 0
    assert not player.is_running


def written(heads: HeadsState, path: Path, qtbot: Any) -> bytes:
    """Write a film on a worker, while this thread paints."""
    contents, file = row_film(heads, VIEW, path), io.BytesIO()
    jobs, done = JobQueue(), list[object]()
    jobs.failed.connect(lambda _key, error: done.append(error))
    jobs.finished.connect(lambda _key: done.append(None))
    jobs.request("film", lambda report, _deliver: contents(file, report))
    qtbot.waitUntil(lambda: bool(done), timeout=60_000)
    jobs.stop()
    if isinstance(done[0], Exception):
        raise done[0]
    return file.getvalue()


@pytest.mark.parametrize("name", ["row.gif", "row.png"])
def test_the_film_has_a_picture_for_each_step(name: str, qtbot: Any, qapp: QApplication) -> None:
    heads = heads_preset("dot-products").state.with_view(speed=RowSpeed.STEADY)
    with Image.open(io.BytesIO(written(heads, Path(name), qtbot))) as film:
        pictures = []
        for step in range(film.n_frames):
            film.seek(step)
            pictures.append(np.asarray(film.convert("RGB")))
            assert film.info["duration"] == (1200 if step < film.n_frames - 1 else 2000)
    # Two steps that look alike, as a mask that hides nothing, may be one picture that is seen longer.
    assert len(pictures) == heads.last_step + 1
    assert not np.array_equal(pictures[0], pictures[-1])


def test_another_kind_of_file_is_refused(qtbot: Any, qapp: QApplication) -> None:
    with pytest.raises(ExportError, match=r"ends in \.gif or \.png"):
        written(heads_preset("dot-products").state, Path("row.jpg"), qtbot)
