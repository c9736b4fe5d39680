"""`train`, from Python and from the command line, and the files of what was learned."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import attention_explorer
from attention_explorer import ExplorerError, Trained, cli
from attention_explorer.commands.train import LEARNED_NUMBERS, LEARNED_SWITCHES
from attention_explorer.pages.session_file import read_session
from attention_explorer.sources.learned.model_file import read_model, write_model
from attention_explorer.sources.learned.run import Run
from attention_explorer.sources.learned.tasks import TASKS
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Lookup

SENTENCE = "the cat sat on the mat because it was tired"
SMALL = {"batch": 8, "length": 4, "d_model": 8, "seed": 3}


@pytest.fixture(scope="module")
def it() -> Trained:
    return attention_explorer.train("it", steps=100, seed=1)


def small(steps: int = 20) -> Trained:
    return attention_explorer.train("reverse", steps=steps, **SMALL)


def test_what_was_measured_and_what_is_looked_at(it: Trained) -> None:
    assert it.steps.tolist() == list(range(0, 101, 5))
    assert it.loss.shape == it.accuracy.shape == it.weight.shape == it.steps.shape
    assert it.accuracy[0] < 0.2 < 0.99 <= it.accuracy[-1] <= 1.0
    weights = it.weights(SENTENCE)
    assert [layer.shape for layer in weights] == [(1, 10, 10)] * 2
    np.testing.assert_allclose(weights[1].sum(axis=-1), 1.0, rtol=1e-5)
    assert weights[1][0, 7, 1] > 0.8 > 0.5 > it.weights(SENTENCE, step=0)[1][0, 7, 1]
    np.testing.assert_array_equal(it.weights(SENTENCE, step=100)[1], weights[1])
    assert it.ask(SENTENCE).answers == ("cat",)
    assert repr(it) == f"Trained('it', 100 steps, seed 1, accuracy {it.accuracy[-1]:.3f})"


def test_training_can_be_ended() -> None:
    asked = iter([False] * 5 + [True])
    run = attention_explorer.train("reverse", cancelled=lambda: next(asked), **SMALL)
    np.testing.assert_array_equal(run.weights("a b c d")[0], small(5).weights("a b c d")[0])


@pytest.mark.parametrize(
    ("task", "sizes", "said"),
    [
        ("its", {}, "There is no task 'its'. Did you mean “it”?"),
        ("it", {"layer": 1}, "There is no size 'layer'. Did you mean “layers”"),
        ("it", {"heads": 3}, "cannot be shared equally by 3 heads"),
        ("it", {"steps": -1}, "steps must be a whole number from 0 on, not -1"),
        ("it", {"steps": 2.5}, "steps must be a whole number from 0 on, not 2.5"),
        ("it", {"seed": "one"}, "seed must be a whole number"),
        ("reverse", {"rate": 1e12, "warm_up": 1, "steps": 50}, "Choose a smaller learning rate"),
    ],
)
def test_what_cannot_be_trained(task: str, sizes: dict[str, object], said: str) -> None:
    with pytest.raises(ExplorerError) as error:
        attention_explorer.train(task, **sizes)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("task", "sentence", "tokens", "context"),
    [
        ("reverse", None, ("a", "b", "c", "d", "e", "f", "g", "h"), None),
        ("translation", "the red car", ("start", "la", "voiture", "rouge"), "the red car"),
    ],
)
def test_the_window_opens_on_what_was_learned(
    task: str, sentence: str | None, tokens: tuple[str, ...], context: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr("attention_explorer.api.subprocess.run", lambda command, **_options: commands.append(command))
    run = attention_explorer.train(task, steps=3)
    run.open(sentence, step=2)
    recipe = read_session(Path(commands[0][-1])).state.heads.setup.recipe
    assert (recipe.setup, recipe.step, recipe.tokens, recipe.context) == (run.setup, 2, tokens, context)
    shown = source_of(recipe).layers(Lookup())[0].maps[0].weights()
    np.testing.assert_allclose(shown, run.weights(sentence or " ".join(tokens), step=2)[0][0], atol=2e-6)
    with pytest.raises(ExplorerError, match="not learned “Unfug”"):
        run.open("Unfug " * len((sentence or " ".join(tokens)).split()))


# ---- Files ----


@pytest.mark.parametrize("ending", [".npz", ".safetensors"])
@pytest.mark.parametrize("name", ["it", "translation", "dictionary"])
def test_a_model_comes_back_from_its_file(name: str, ending: str, tmp_path: Path) -> None:
    run = Run(TASKS[name].setup)
    run.advance(3)
    paths = [tmp_path / f"{place}{ending}" for place in "ab"]
    for path in paths:
        write_model(path, run.at())
    assert paths[0].read_bytes() == paths[1].read_bytes()
    back = read_model(paths[0])
    assert (back.setup, back.step) == (run.setup, 3)
    np.testing.assert_array_equal(back.network.parameters.vector, run.at().network.parameters.vector)


def test_other_programs_read_the_files(tmp_path: Path) -> None:
    """NumPy reads one, and the other is as the description of the format says, to the byte."""
    run = small()
    run.save(tmp_path / "a.npz", step=5)
    run.save(tmp_path / "a.safetensors", step=5)
    parameters = run.at(5).network.parameters
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert set(file) == {*parameters.arrays, "about"}
        about = json.loads(str(file["about"]))
        for name, array in parameters.arrays.items():
            np.testing.assert_array_equal(file[name], array)
    assert (about["step"], about["setup"]["seed"]) == (5, 3)
    assert about["accuracy"] == pytest.approx(run.at(5).measured().accuracy, abs=1e-6)

    data = (tmp_path / "a.safetensors").read_bytes()
    length = int.from_bytes(data[:8], "little")
    header, numbers = json.loads(data[8 : 8 + length]), data[8 + length :]
    assert json.loads(header.pop("__metadata__")["about"]) == about
    ends = 0
    for name, entry in header.items():
        start, stop = entry["data_offsets"]
        assert (start, entry["dtype"], ends % 4) == (ends, "F32", 0)
        found = np.frombuffer(numbers[start:stop], "<f4").reshape(entry["shape"])
        np.testing.assert_array_equal(found, parameters[name])
        ends = stop
    assert ends == len(numbers)
    assert length % 8 == 0


def changed(tmp_path: Path, about: object, **arrays: object) -> Path:
    """A file of a small model that says something else of itself, or holds other arrays; None for one too few."""
    path = tmp_path / "model.npz"
    small(2).save(path)
    with np.load(path) as file:
        held = dict(file)
    held |= arrays
    held["about"] = np.array(about if isinstance(about, str) else json.dumps(json.loads(str(held["about"])) | about))
    np.savez(path, **{name: array for name, array in held.items() if array is not None})
    return path


@pytest.mark.parametrize(
    ("about", "arrays", "said"),
    [
        ("{", {}, "does not say how it was learned in a way that can be read"),
        ("[" * 100_000, {}, "does not say how it was learned"),
        ("3", {}, "does not say how it was learned"),
        ({"step": -1}, {}, "must name a step from 0 on, not -1"),
        ({"step": "two"}, {}, "must name a step from 0 on"),
        ({"setup": {"task": "nothing"}}, {}, "There is no task 'nothing'"),
        ({"setup": {"task": "reverse", "d_model": 10**9}}, {}, "d_model must be from 1 to 256"),
        ({"setup": {"layers": "two"}}, {}, "layers must be a whole number"),
        ({}, {"w_out": None}, "“w_out” of “model.npz” must have shape (8, 16), but it is missing"),
        ({}, {"w_e": np.zeros((2, 2))}, "“w_e” of “model.npz” must have shape (16, 8), but it is (2, 2)"),
        ({}, {"b_out": np.full(16, np.nan)}, "numbers that are not finite"),
    ],
)
def test_files_that_are_no_learned_model(about: object, arrays: dict[str, object], said: str, tmp_path: Path) -> None:
    with pytest.raises(ExplorerError) as error:
        read_model(changed(tmp_path, about, **arrays))
    assert said in str(error.value)


def test_attention_is_no_learned_model(tmp_path: Path) -> None:
    np.savez(tmp_path / "attention.npz", attention=np.eye(3))
    with pytest.raises(ExplorerError, match=r"“attention\.npz” is no learned model"):
        read_model(tmp_path / "attention.npz")


def test_a_field_that_another_version_knows_is_left_aside(tmp_path: Path) -> None:
    setup = {"task": "reverse", **SMALL, "layers": 1, "rate": 0.01, "dropout": 0.1}
    assert read_model(changed(tmp_path, {"setup": setup})).setup == replace(TASKS["reverse"].setup, **SMALL)


@pytest.mark.parametrize("name", ["model.pt", "model", "model.npy"])
def test_endings_that_there_are_not(name: str, tmp_path: Path) -> None:
    with pytest.raises(ExplorerError, match=r"is written as \.npz or \.safetensors"):
        small(0).save(tmp_path / name)


def test_what_stood_there_stays_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(ExplorerError, match="does not exist"):
        small(0).save(tmp_path / "missing" / "model.npz")


# ---- The command line ----


def test_the_command_line_trains_and_writes(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    out = tmp_path / "model.safetensors"
    command = ["train", "reverse", "--steps", "30", "--length", "4", "--batch", "8", "--d-model", "8", "--seed", "3"]
    assert cli.main([*command, str(out)]) == 0
    lines = capsysbinary.readouterr().out.decode().splitlines()
    assert lines[0].startswith("Reverse. The row backwards")
    run = small(30)
    for line, step in zip(lines[2:6], (0, 10, 20, 30), strict=True):
        measured = run.at(step).measured()
        assert line.split() == [str(step), f"{measured.loss:.3f}", f"{measured.accuracy:.1%}", f"{measured.weight:.3f}"]
    assert lines[-2].startswith("Guessing is right 6.2%")
    assert lines[-1] == "Not learned: right answers had to reach 99%."
    np.testing.assert_array_equal(read_model(out).network.parameters.vector, run.at().network.parameters.vector)


def test_the_command_line_says_what_was_learned(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert cli.main(["train", "dictionary"]) == 0
    lines = capsysbinary.readouterr().out.decode().splitlines()
    assert len(lines) <= 4 + 14
    assert lines[-1] == "Learned."
    assert cli.main(["train", "die", "--steps", "1"]) == 0
    assert capsysbinary.readouterr().out.decode().splitlines()[-1].startswith("As good as chance")


VERBS = ("walk", "jump", "play", "call", "help", "look", "talk", "open", "wash", "push", "pull", "kick")
TINY = {"batch": 8, "d_model": 8, "d_ff": 0}


def test_lines_of_ones_own_are_learned_from_python() -> None:
    lines = [f"{verb} -> {verb}ed" for verb in VERBS]
    run = attention_explorer.train("own", lines=lines, steps=20, **TINY)
    assert run.setup.lines == tuple(lines)
    assert run.write("wall") == "".join(run.at().write(["wall"])[0])
    assert run.ask("walk").right == tuple("walked■")
    assert run.ask("walk").places == (4, 5, 6, 7, 8, 9, 10)
    with pytest.raises(ExplorerError, match="No line can be learned"):
        attention_explorer.train("own", lines=VERBS)
    with pytest.raises(ExplorerError, match="writes none behind a sentence"):
        small().write("a b c d")


def test_lines_of_ones_own_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "verbs.tsv", tmp_path / "verbs.npz"
    path.write_text("\n".join((*(f"{verb}\t{verb}ed" for verb in VERBS), "alone")), encoding="utf-8")
    assert cli.main(["train", "own", str(out), "--lines", str(path), "--steps", "10", "--d-model", "8"]) == 0
    said = capsys.readouterr().out
    for part in ("12 lines, cut into characters", "Line 13, “alone”, has no tab", "2 of 12 inputs", "±"):
        assert part in said
    model = read_model(out)
    assert model.setup.lines[0] == "walk\twalked"
    path.write_bytes(b"\0\1")
    assert cli.main(["train", "own", "--lines", str(path)]) == 1
    assert "is no text in UTF-8" in capsys.readouterr().err


def test_every_size_has_an_option() -> None:
    switches = ["--hard", "--no-scale", "--no-positions", "--no-residual"]
    options = cli.parser().parse_args(["train", "it", *switches, "--d-ff", "8"])
    assert (options.hard, options.scaled, options.positions, options.residual) == (True, False, False, False)
    assert (options.lines, options.cut) == (None, None)
    known = {*LEARNED_NUMBERS, *LEARNED_SWITCHES, "task", "lines", "cut"}
    assert known == set(attention_explorer.training.LearningSetup.__dataclass_fields__)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["its"], 1, "There is no task 'its'"),
        (["it", "model.pt"], 1, "is written as .npz or .safetensors"),
        (["it", "--heads", "5"], 1, "cannot be shared equally by 5 heads"),
        (["it", "--steps", "-1"], 1, "steps must be a whole number"),
    ],
)
def test_what_the_command_line_refuses(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["train", *arguments]) == code
    printed = capsys.readouterr()
    assert said in printed.err
    assert not printed.out
