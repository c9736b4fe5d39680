"""What was learned on the Training page is taken to other pages and into files, by real clicks."""

from __future__ import annotations

import csv
import errno
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from people_driver import catch_up
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox
from training_driver import TrainingDriver

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.presets import LEARNED
from attention_explorer.pages.session_file import read_session, write_session
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.training.state import TrainingState, TrainingView
from attention_explorer.sources.learned.model_file import read_model
from attention_explorer.sources.learned.run import Run

FIRST = TrainingState()
PLANE = replace(TrainingState().with_task("dictionary"), step=40)


@pytest.fixture
def to_file(monkeypatch, tmp_path: Path):
    """Have the file dialog answer with a name."""

    def answer(name: str) -> Path:
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), ""))
        return tmp_path / name

    return answer


def learned(state: TrainingState) -> Run:
    run = Run(state.setup)
    run.advance(state.step)
    return run


def press(at: TrainingDriver, title: str) -> None:
    """Choose it in the menu of Share."""
    at.take(title)
    catch_up(at.window)


# ---- On other pages ----


@pytest.mark.parametrize(
    ("task", "changes"),
    [
        ("it", {"step": 60, "layer": 1, "row": 3}),
        ("translation", {"step": 20}),
        ("repeat", {"step": 4, "layer": 0}),
        ("dictionary", {"step": 30}),
    ],
)
def test_the_heads_page_shows_the_weights_that_were_on_show(training, task, changes):
    state = replace(FIRST.with_task(task), **changes, view=TrainingView.MAP)
    at = training(state)
    shown, answer, row = at.map, at.canvas.picture.moment.answer, at.canvas.picture.row
    press(at, "Open in Heads")
    catch_up(at.window)
    assert at.window.settings.page == "heads"
    heads = at.window.session.state.heads
    assert (heads.setup.layer, heads.setup.head) == state.head_shown
    assert heads.view.row == row
    frame = at.page.canvas.frame
    assert [token.lower() for token in frame.queries] == list(answer.tokens)
    assert frame.keys[-1] == answer.context_tokens[-1]
    np.testing.assert_allclose(frame.head_map.weights(), shown.values, atol=2e-6)
    origin = frame.source.origin
    measured = learned(state).measured().accuracy
    assert origin.startswith(f"learned here: {state.task.title}, step {state.step}, seed {state.setup.seed}, ")
    assert origin.endswith(f"{round(100 * measured)} % right")
    assert (at.steps, at.undo_text) == (1, "Open in Heads")
    at.undo()
    assert at.window.session.state == ExplorerState(training=state)


def test_what_is_not_the_whole_network_stays_here_and_the_button_says_why(training):
    at = training()
    assert at.taking("Open in Heads") == (False, "Let it learn first: press Play.")
    at.window.session._restore(ExplorerState(training=replace(FIRST, step=20, off=frozenset({(0, 0)}))))
    catch_up(at.window)
    is_possible, why = at.taking("Open in Heads")
    assert not is_possible
    assert "Undo the changes in Break it first" in why
    at.window.session._restore(ExplorerState(training=replace(FIRST, step=20)))
    assert at.taking("Open in Heads")[0]


def test_a_sentence_that_is_no_question_is_refused_in_words(training):
    at = training(replace(FIRST, step=5, sentence="the cat purple"))
    press(at, "Open in Heads")
    assert "has not learned “purple”" in at.told
    assert at.window.settings.page == "training"
    assert at.steps == 0


def test_opening_another_page_stops_learning_and_takes_the_step_on_show(training, qtbot):
    at = training(replace(FIRST, step=2))
    at.key(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: at.window.session.state.training.step >= 4, timeout=60_000)
    page = at.page
    press(at, "Open in Heads")
    assert not page.player.is_running
    state = at.window.session.state
    assert state.heads.setup.recipe.step == state.training.step >= 4
    assert (at.steps, at.undo_text) == (2, "Open in Heads")


@pytest.mark.parametrize(("row", "scaled", "hard"), [(2, False, False), (-1, True, False), (0, False, True)])
def test_the_dictionary_stands_on_the_lookup_page_and_gives_the_same_weights(training, tmp_path, row, scaled, hard):
    state = replace(PLANE, view=TrainingView.MAP, row=row, setup=replace(PLANE.setup, scaled=scaled, hard=hard))
    at = training(state)
    expected = at.map.values[row]
    network = learned(state).at().network.parameters
    press(at, "Open in Lookup")
    assert at.window.settings.page == "lookup"
    lookup = at.window.session.state.lookup
    np.testing.assert_array_equal(lookup.keys, network["k"])
    np.testing.assert_array_equal(lookup.value_rows, network["q"])
    np.testing.assert_allclose(lookup_frame(lookup).weights, expected, atol=1e-5)
    example = at.page.bar.examples[at.page.view.id]
    assert (example.placeholderText(), example.currentIndex()) == ("A learned dictionary", -1)
    at.press(at.page.panel.more)
    assert at.page.drawer.example.text() == LEARNED.look_for
    assert at.page.drawer.example.isVisible()
    view = lookup.extent
    assert all(view.left < x < view.right and view.bottom < y < view.top for x, y in (*lookup.keys, lookup.query))
    write_session(tmp_path / "a.attn.json", at.window.session.state)
    assert read_session(tmp_path / "a.attn.json").state.lookup == lookup
    assert (at.steps, at.undo_text) == (1, "Open in Lookup")
    at.undo()
    assert at.window.session.state == ExplorerState(training=state)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (replace(FIRST, step=2), "choose that task"),
        (PLANE.with_setup(replace(PLANE.setup, length=13)), "up to 12 keys, and this dictionary 13"),
    ],
)
def test_what_cannot_stand_on_the_lookup_page_is_greyed_and_says_why(training, state, said):
    is_possible, why = training(state).taking("Open in Lookup")
    assert not is_possible
    assert said in why


# ---- Into files ----


@pytest.mark.parametrize(
    ("typed", "name"), [("a.npz", "a.npz"), ("a.safetensors", "a.safetensors"), ("a", "a.safetensors")]
)
def test_the_weights_of_the_step_are_saved(training, to_file, typed, name):
    at = training(replace(FIRST, step=12))
    path = to_file(typed).with_name(name)
    press(at, "Save weights…")
    assert at.told == f"Saved {path}"
    back = read_model(path)
    assert (back.setup, back.step) == (FIRST.setup, 12)
    expected = learned(replace(FIRST, step=12)).at().network.parameters.vector
    np.testing.assert_array_equal(back.network.parameters.vector, expected)
    assert list(path.parent.iterdir()) == [path]


def test_the_curves_are_saved_with_every_digit(training, to_file):
    state = replace(FIRST, step=13)
    at = training(state)
    path = to_file("curves.csv")
    press(at, "Save curves…")
    with path.open(newline="") as file:
        head, *rows = list(csv.reader(file))
    assert head == ["step", "loss", "accuracy", "weight", "training_loss", "training_accuracy"]
    curve = learned(state).curve()
    by_step = {int(row[0]): row[1:] for row in rows}
    assert len(by_step) == len(rows)
    assert set(range(13)) <= set(by_step)
    for place, step in enumerate(curve.steps.tolist()):
        found = [float(cell) for cell in by_step[step][:3]]
        assert found == [curve.loss[place], curve.accuracy[place], curve.weight[place]]
    for step in range(13):
        assert [float(cell) for cell in by_step[step][3:]] == [curve.training_loss[step], curve.training_accuracy[step]]
    between = set(range(13)) - set(curve.steps.tolist())
    assert between
    assert all(by_step[step][:3] == ["", "", ""] for step in between)


def test_the_curves_of_both_runs_are_saved(training, to_file):
    state = replace(FIRST, step=12, other=replace(FIRST.setup, hard=True))
    at = training(state)
    path = to_file("curves.csv")
    press(at, "Save curves…")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for prefix, setup in (("", state.setup), ("b_", state.other)):
        curve = learned(replace(state, setup=setup)).curve()
        found = [float(row[f"{prefix}training_loss"]) for row in rows[:12]]
        assert found == curve.training_loss[:12].tolist()
        measured = {int(row["step"]): float(row[f"{prefix}accuracy"]) for row in rows if row[f"{prefix}accuracy"]}
        assert [measured[step] for step in curve.steps.tolist()] == curve.accuracy.tolist()


def test_the_layer_page_shows_the_layers_of_the_step(training, tmp_path):
    state = replace(FIRST, step=60, layer=1, row=3, view=TrainingView.MAP)
    at = training(state)
    shown = at.map
    press(at, "Open in Layer")
    catch_up(at.window)
    assert at.window.settings.page == "layer"
    picture = at.page.canvas.picture
    assert (picture.chosen.name, picture.token) == ("weights", 3)
    np.testing.assert_allclose(picture.chosen.first[0], shown.values, atol=2e-6)
    block = at.window.session.state.block
    assert (block.learned.setup, block.learned.step) == (FIRST.setup, 60)
    assert at.page.bar.examples["layer"].placeholderText() == f"Learned: {FIRST.task.title}, step 60"
    caption = at.page.figure().caption
    assert f"{round(100 * learned(state).measured().accuracy)} % right" in caption
    write_session(tmp_path / "a.attn.json", at.window.session.state)
    assert read_session(tmp_path / "a.attn.json").state.block == block
    assert (at.steps, at.undo_text) == (1, "Open in Layer")
    at.undo()
    assert at.window.session.state == ExplorerState(training=state)


def test_what_was_learned_cannot_be_changed_on_the_layer_page(training):
    at = training(replace(FIRST, step=20))
    press(at, "Open in Layer")
    catch_up(at.window)
    page = at.page
    page.open_drawer(True)
    controls = {**page.form_of(page.view).controls, **page.drawer.form.controls}
    assert not any(controls[name].isVisible() for name in ("initialiser", "batch", "embedding_scale"))
    for name in ("d_model", "heads", "layers", "seed", "residual", "causal", "encoding", "norm"):
        assert not controls[name].isEnabled()
        assert "were learned with it" in controls[name].toolTip()
    for picture in (BlockPicture.FUTURE, BlockPicture.CACHE):
        at.press(page.bar.view_row.buttons[picture])
        catch_up(at.window)
        assert at.window.session.state.block.picture is picture
        assert at.page.requests.shown.state == at.window.session.state.block
    page.show_view(page.view_named(BlockPicture.LAYER))
    page.show_example(next(ready for ready in page.view.presets if ready.id == "gpt"))
    catch_up(at.window)
    d_model = page.drawer.form.controls["d_model"]
    assert d_model.isEnabled()
    assert d_model.toolTip().startswith("Features of a token")


def test_lab_draws_random_layers_beside_learned_ones_and_changes_none(training):
    at = training(replace(FIRST, step=20))
    press(at, "Open in Layer")
    catch_up(at.window)
    state = at.window.session.state
    at.window.session.apply(replace(state, lab=replace(state.lab, view=LabView.DEPTH)), "Show Depth")
    at.window.show_page("lab")
    catch_up(at.window)
    drawer = at.window.page.drawer
    at.window.page.open_drawer(True)
    assert "random stacks" in drawer.says.text()
    for name in ("layers", "d_model", "seed", "residual"):
        assert not drawer.form.controls[name].isEnabled()
        assert "were learned with it" in drawer.form.controls[name].toolTip()


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (FIRST, "press Play"),
        (replace(FIRST, step=5, off=frozenset({(0, 0)})), "Undo the changes in Break it first"),
        (replace(FIRST, step=5, setup=replace(FIRST.setup, hard=True)), "Layer draws a softmax"),
        (replace(FIRST.with_task("translation"), step=2), "second sentence"),
        (PLANE, "Layer draws layers"),
    ],
)
def test_what_cannot_be_drawn_as_a_block_is_greyed_and_says_why(training, state, said):
    is_possible, why = training(state).taking("Open in Layer")
    assert not is_possible
    assert said in why


@pytest.mark.parametrize("title", ["Save weights…", "Save curves…"])
def test_a_full_disk_is_said_and_leaves_what_was_there(training, to_file, monkeypatch, title):
    at = training(replace(FIRST, step=5))
    path = to_file({"Save weights…": "a.npz", "Save curves…": "a.csv"}[title])
    path.write_text("before")
    told: list[str] = []
    monkeypatch.setattr(QMessageBox, "warning", lambda _parent, _title, text: told.append(text))

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    press(at, title)
    assert "No space left on device" in told[0]
    assert path.read_text() == "before"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("title", "said"),
    [("Save weights…", ".npz or .safetensors"), ("Save curves…", "Choose a name that ends in .csv")],
)
def test_an_ending_that_is_no_format_is_refused(training, to_file, monkeypatch, title, said):
    at = training(replace(FIRST, step=5))
    path = to_file("a.docx")
    told: list[str] = []
    monkeypatch.setattr(QMessageBox, "warning", lambda _parent, _title, text: told.append(text))
    press(at, title)
    assert said in told[0]
    assert not path.exists()


def test_nothing_is_written_where_the_question_is_cancelled(training, monkeypatch):
    at = training(replace(FIRST, step=5))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    press(at, "Save weights…")
    assert not at.told
