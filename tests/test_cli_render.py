"""``render``, ``presets`` and ``fields`` on the command line: files, streams, exit codes, and words when it fails."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import attention_explorer
from attention_explorer import app, cli, rendering
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.registry import ALL_PARTS, PAGE_IDS, find_preset, presets_in, presets_of
from attention_explorer.pages.session_file import MOST_BYTES, session_bytes, write_session
from attention_explorer.sources.source import SENTENCE

pytestmark = pytest.mark.usefixtures("qapp")

WITHOUT_DISPLAY = {
    name: value
    for name, value in os.environ.items()
    if name not in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "QT_QPA_PLATFORM")
}
BASH = shutil.which("bash") or ""
SESSION = ExplorerState(heads=HeadsState().with_recipe(sentence="the cat sat"))


def in_shell(command: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a line as a shell does, where there is no display."""
    program = f"{shlex.quote(sys.executable)} -m attention_explorer "
    line = command.replace("attention-explorer ", program)
    return subprocess.run([BASH, "-c", line], capture_output=True, check=False, env=WITHOUT_DISPLAY, cwd=cwd)


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def give_input(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


# ---- The program itself ----

EXAMPLES = [line.split("   ")[0].strip() for line in cli.EXAMPLES.splitlines() if "attention-explorer" in line]
RUN = [line for line in EXAMPLES if line.split()[1:2] in (["render"], ["presets"])]


@pytest.mark.skipif(not BASH, reason="the examples are lines for a POSIX shell")
@pytest.mark.parametrize("example", RUN)
def test_the_examples_of_the_help_run(example: str, tmp_path: Path) -> None:
    write_session(tmp_path / "lesson.attn.json", SESSION, page="heads")
    np.savez(tmp_path / "attention.npz", attention=np.full((2, 2, 3, 3), 1 / 3))
    given = set(tmp_path.iterdir())
    done = in_shell(example, tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    new = list(set(tmp_path.iterdir()) - given)
    if example.split()[1] == "presets":
        assert len(done.stdout.splitlines()) == sum(len(list(presets_of(page))) for page in PAGE_IDS)
    else:
        assert done.stdout == b""
        assert [path.name for path in new] == [word for word in example.split() if word == new[0].name]
        assert new[0].stat().st_size > 1000


def test_there_are_examples_of_both_commands() -> None:
    assert len(RUN) >= 5
    assert {line.split()[1] for line in RUN} == {"render", "presets"}


@pytest.mark.skipif(not BASH, reason="a line for a POSIX shell")
def test_another_process_draws_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "s.attn.json").write_bytes(session_bytes(SESSION, page="heads"))
    for kind in ("png", "pdf", "npz"):
        done = in_shell(f"attention-explorer render s.attn.json figure.{kind} --size 120mm", tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        drawn = attention_explorer.render(tmp_path / "s.attn.json", format=kind, size="120mm")
        assert (tmp_path / f"figure.{kind}").read_bytes() == drawn


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_output_that_nobody_takes(tmp_path: Path) -> None:
    for command in ("render quiz - --format svg", "presets"):
        done = in_shell(f"attention-explorer {command} > /dev/full", tmp_path)
        assert done.returncode == 1
        assert done.stderr.startswith(b"attention-explorer: Standard output takes no more: No space")
        assert done.stderr.count(b"\n") == 1
        done = in_shell(f"set -o pipefail; attention-explorer {command} | true", tmp_path)
        assert (done.returncode in (0, 1), done.stderr) == (True, b""), "who reads no more is not bothered"


# ---- What it understands ----


def test_standard_input_and_output(
    there: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    give_input(session_bytes(SESSION, page="heads"), monkeypatch)
    assert cli.main(["render", "-", "-", "--format", "csv"]) == 0
    out, err = capsysbinary.readouterr()
    assert out == attention_explorer.render(SESSION, format="csv")
    assert err == b""
    assert list(there.iterdir()) == []


def test_another_figure_of_the_page(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["render", "stacked", "wall.npz", "--what", "wall"]) == 0
    assert (there / "wall.npz").read_bytes() == attention_explorer.render("stacked", what="wall", format="npz")
    assert cli.main(["render", "quiz", "wall.png", "--what", "wall"]) == 2
    said = capsys.readouterr().err
    assert said == "attention-explorer: The page lookup has no “wall” to draw. Choose one of: picture.\n"
    assert not (there / "wall.png").exists()


def test_every_option_reaches_the_figure(there: Path) -> None:
    arguments = ["--size", "60mm", "--dpi", "100", "--theme", "dark", "--cells", "image"]
    leave_out = ["--no-title", "--no-axis-names", "--no-token-labels", "--no-colour-bar", "--no-caption"]
    assert cli.main(["render", "pipeline", "a.svg", "--page", "heads", *arguments, *leave_out]) == 0
    wishes = {"size": "60mm", "dpi": 100, "theme": "dark", "cells": "image"}
    parts = dict.fromkeys(("title", "axis_names", "token_labels", "colour_bar", "caption"), False)
    drawn = attention_explorer.render("pipeline", page="heads", format="svg", **wishes, **parts)
    assert (there / "a.svg").read_bytes() == drawn
    for part in parts:
        other = attention_explorer.render("pipeline", page="heads", format="svg", **wishes, **{**parts, part: True})
        assert other != drawn, part


def test_a_session_says_its_page_and_an_option_another(there: Path) -> None:
    write_session(there / "lesson.attn.json", SESSION, page="cost")
    assert cli.main(["render", "lesson.attn.json", "a.svg"]) == 0
    assert "Lab page" in (there / "a.svg").read_text(encoding="utf-8")
    assert cli.main(["render", "lesson.attn.json", "a.svg", "--page", "heads"]) == 0
    assert "Heads page" in (there / "a.svg").read_text(encoding="utf-8")


def test_presets_are_listed_by_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["presets"]) == 0
    rows = [line.split(maxsplit=2) for line in capsys.readouterr().out.splitlines()]
    assert rows == [[each.page, each.id, each.title] for page in PAGE_IDS for each in presets_of(page)]
    assert cli.main(["presets", "--page", "cost"]) == 0
    rows = [line.split(maxsplit=2) for line in capsys.readouterr().out.splitlines()]
    assert rows == [["lab", each.id, each.title] for each in presets_in("cost")], "by the name of a page that was"


def entries(capsys: pytest.CaptureFixture[str], *page: str) -> dict[str, str]:
    """Return what is said of each field, by its name, a line."""
    assert cli.main(["fields", *page]) == 0
    told = [entry.split("\n", 1) for entry in capsys.readouterr().out.strip().split("\n\n")]
    assert len({name for name, _ in told}) == len(told)
    return {name: " ".join(said.split()) for name, said in told}


def test_each_field_of_a_page_is_told_with_what_it_may_be(capsys: pytest.CaptureFixture[str]) -> None:
    told = entries(capsys, "cost")
    assert list(told) == [f"cost.{field.name}" for field in fields(CostState)]
    assert told["cost.layers"].startswith("layers · number · 1 to 1000 · subject L: layers of the model.")
    assert told["cost.picture"] == "picture · choice · layer | growth | reach | inputs · view Which picture is shown"
    assert told["cost.longest_measured"].startswith(
        "longest measured · choice · 512 | 1024 | 2048 | 4096 | 8192 · view"
    )
    assert {"lab.view", "scaling.d_k", "block.eps", *told} <= {*entries(capsys, "lab")}


def test_fields_within_fields_are_told_once_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    told = entries(capsys)
    assert tuple(dict.fromkeys(name.split(".")[0] for name in told)) == ALL_PARTS
    assert "list · 1 to 12 items" in told["lookup.entries"]
    assert "point · -1000000 to 1000000" in told["lookup.entries[0].key"]
    assert "after how many steps" in told["heads.setup.recipe.step (learned)"].lower()
    assert told["heads.other"].endswith("Its fields are those of heads.setup.")
    assert told["training.setup.hard"].startswith("lookup · switch · off (Soft) | on (Hard) · subject")
    assert not any(name.startswith("heads.other.") for name in told)


def test_what_a_session_says_in_vain_is_told(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_session(there / "lesson.attn.json", ExplorerState(), {("future",): 1}, page="lookup")
    assert cli.main(["render", "lesson.attn.json", "a.csv"]) == 0
    assert capsys.readouterr().err.startswith("attention-explorer: “future” is not known to this version")


def test_a_page_that_cannot_be_read_is_named_on_standard_error(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_session(there / "lesson.attn.json", SESSION, page="lookup")
    data = (there / "lesson.attn.json").read_bytes().replace(b'"kind": "toy"', b'"kind": "dump"')
    (there / "lesson.attn.json").write_bytes(data)
    assert cli.main(["render", "lesson.attn.json", "a.csv"]) == 0
    assert capsys.readouterr().err.startswith(
        "attention-explorer: The page heads cannot be read and is left out: heads."
    )
    assert cli.main(["render", "lesson.attn.json", "b.csv", "--page", "heads"]) == 1
    assert "The page heads of the session cannot be read" in capsys.readouterr().err
    assert not (there / "b.csv").exists()


def test_an_existing_file_is_replaced_and_kept_if_that_fails(
    there: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = there / "a.csv"
    path.write_text("old")
    assert cli.main(["render", "nonsense", "a.csv"]) == 1
    assert path.read_text() == "old"
    assert cli.main(["render", "quiz", "a.csv"]) == 0
    assert path.read_text().startswith("name,")

    def stopped(*_arguments: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(rendering, "write_file", stopped)
    capsys.readouterr()
    assert cli.main(["render", "quiz", "a.csv"]) == 130
    assert capsys.readouterr().err == "attention-explorer: Stopped.\n"
    assert path.read_text().startswith("name,")


# ---- What it refuses ----


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense", "a.png"], "There is no preset “nonsense”. “attention-explorer presets” lists them all."),
        (["causl", "a.png"], "There is no preset “causl”. Did you mean “causal”?"),
        (["quiz", "a.png", "--page", "cost"], "There is no preset “quiz” on the page cost. Name the page lookup."),
        ([".", "a.png"], "” cannot be opened: it is a folder."),
        (["no.txt", "a.png"], "“no.txt” cannot be opened: there is no such file"),
        (["no.npz", "a.png"], "no.npz”: was it moved or renamed?"),
        (["quiz", "no/such/a.png"], "The folder “no/such” does not exist."),
        (["quiz", "a.png", "--size", "5m m"], "is no width"),
        (["quiz", "a.png", "--size", "4m"], "is no width"),
        (["long", "a.csv", "--page", "positions"], "Choose fewer positions, dimensions or heads."),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    arguments: list[str], words: str, there: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = cli.main(["render", *arguments])
    except SystemExit as left:
        code = left.code
    out, err = capsys.readouterr()
    assert code == (2 if "width" in words else 1)
    assert out == ""
    assert "attention-explorer" in err
    assert words in err
    assert list(there.iterdir()) == [], "nothing is left behind"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a"], "Of “a”, which has no ending, the kind of file cannot be told. Give a format: png, svg"),
        (["-"], "Without the name of a file the kind of file cannot be told. Give a format: png, svg"),
        (["a.pgn"], "Files ending in “.pgn” cannot be written. Did you mean “.png”?"),
        (["a.png", "--format", "gif"], "Files ending in “.gif” cannot be written."),
        (["a.png", "--what", "nosuch"], "The page heads has no “nosuch” to draw. Choose one of: picture, map, lines,"),
        (["a.png", "--what", "wal"], "The page heads has no “wal” to draw. Did you mean “wall”?"),
    ],
)
def test_a_figure_or_a_format_that_there_is_not_is_wrong_usage(
    arguments: list[str], words: str, there: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["render", "causal", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"attention-explorer: {words}")
    assert said.count("\n") == 1
    assert list(there.iterdir()) == []


@pytest.mark.parametrize("command", [["render", "h.pdf", "a.png"], ["h.pdf"], ["run", "h.pdf"]])
def test_a_file_of_another_kind_is_named_as_such(
    command: list[str], there: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "run_window", None)
    attention_explorer.render("causal", "h.pdf")
    assert cli.main(command) == 1
    said = capsys.readouterr().err
    kinds = "neither as a session (.attn.json) nor as attention (.npz, .npy, .safetensors) "
    kinds += "nor as a model (a .gguf file, or a folder with config.json)"
    assert said == f"attention-explorer: “h.pdf” can be opened {kinds}.\n"


def test_what_the_program_exports_it_also_draws(there: Path) -> None:
    attention_explorer.render("causal", "h.npz")
    assert cli.main(["render", "h.npz", "again.npz"]) == 0
    with np.load("h.npz") as exported, np.load("again.npz") as again:
        for name in ("weights", "allowed", "queries", "keys"):
            np.testing.assert_array_equal(again[name], exported[name])


MODEL = Path(__file__).parent / "data" / "models" / "gpt2"


def test_a_model_is_drawn_on_a_text(there: Path) -> None:
    assert cli.main(["render", str(MODEL), "h.npz", "--text", "Hi there", "--layer", "2", "--head", "3"]) == 0
    trace = attention_explorer.load_model(MODEL)("Hi there")
    with np.load("h.npz") as written:
        np.testing.assert_allclose(written["weights"], trace.weights[1][2], atol=2e-6)
    attention_explorer.render(MODEL, "again.npz")
    with np.load("again.npz") as written:
        assert written["weights"].shape[0] == len(attention_explorer.load_model(MODEL).tokenize(SENTENCE))


@pytest.mark.parametrize("option", ["--text", "--target"])
@pytest.mark.parametrize(
    "command",
    [["render", "quiz", "a.png"], ["render", "h.npz", "a.png"], ["run", "quiz.attn.json"], ["run", "h.npz"], ["run"]],
)
def test_a_text_is_for_models(command: list[str], option: str, there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez("h.npz", attention=np.eye(3))
    assert cli.main([*command, option, "Hi"]) == 2
    assert "--text is what a model reads" in capsys.readouterr().err
    assert not Path("a.png").exists()


@pytest.mark.parametrize("name", ["bart", "t5"])
def test_the_decoder_of_a_model_is_drawn_on_a_target(there: Path, name: str) -> None:
    model = MODEL.with_name(name)
    texts = ["--text", "Hi there", "--target", "So it is"]
    assert cli.main(["render", str(model), "h.npz", *texts, "--layer", "2"]) == 0
    trace = attention_explorer.load_model(model)("Hi there", "So it is")
    assert trace.cross_weights is not None
    with np.load("h.npz") as written:
        np.testing.assert_allclose(written["weights"], trace.cross_weights[1][0], atol=2e-6)


def test_a_target_is_for_models_with_an_encoder(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["render", str(MODEL), "h.npz", "--target", "Hi"]) == 1
    assert "“gpt2” has no encoder beside a decoder" in capsys.readouterr().err


def test_the_window_opens_on_a_model(there: Path, opened: list[tuple[object, ...]]) -> None:
    assert cli.main([str(MODEL), "--text", "Hi there"]) == 7
    assert opened[0][0].heads.setup.recipe.sentence == "Hi there"


@pytest.mark.parametrize("command", [["h.npz"], ["run", "h.npz", "--page", "heads"]])
def test_the_window_opens_on_attention(
    command: list[str], there: Path, opened: list[tuple[object, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez("h.npz", attention=np.eye(3))
    assert cli.main(command) == 7
    assert [call[:2] for call in opened] == [(None, Path("h.npz"))]
    np.savez("h.npz", a=np.eye(3), b=np.eye(3))  # of which the window asks which one
    assert cli.main(command) == 7
    Path("h.npz").write_text("no arrays", encoding="utf-8")
    assert cli.main(command) == 1
    assert "h.npz" in capsys.readouterr().err
    assert len(opened) == 2


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "“standard input” cannot be opened: "),
        (b"\xff\xfe", "it is not text in UTF-8"),
        (b"[1, 2]", "it is no session of Attention Explorer"),
        (session_bytes(SESSION)[:-9], "cut off"),
        (b" " * (MOST_BYTES + 1), "a session has at most 4 MB"),
    ],
)
def test_input_that_is_no_session_is_refused(
    data: bytes, words: str, there: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give_input(data, monkeypatch)
    assert cli.main(["render", "-", "a.png"]) == 1
    assert words in capsys.readouterr().err
    assert list(there.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["render", "quiz"], "required: OUT"),
        (["render", "quiz", "a.png", "--page", "dance"], "There is no page “dance”. Choose one of: lookup, heads"),
        (["render", "quiz", "a.png", "--dpi", "many"], "“many” is not a resolution. Write dots per inch, like 300."),
        (["render", "quiz", "a.png", "--dpi", "1"], "A resolution of 1 dpi is out of reach. Give 24 to 2400."),
        (["render", "quiz", "a.png", "--dpi", "nan"], "A resolution of nan dpi is out of reach."),
        (["render", "quiz", "a.png", "--size", "0mm"], "A figure cannot be 0 mm wide."),
        (["render", "quiz", "a.png", "--size", "9000mm"], "A figure of 9000 mm is out of reach."),
        (["render", "quiz", "a.png", "--theme", "pink"], "invalid choice: 'pink'"),
        (["render", "quiz", "a.png", "--page", "Look"], "There is no page “Look”. Did you mean “lookup”?"),
        (["presets", "--page", "dance"], "There is no page “dance”."),
        (["fields", "dance"], "There is no page “dance”."),
        (["--page", "dance"], "There is no page “dance”."),
    ],
)
def test_wrong_usage_is_two(arguments: list[str], words: str, there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert words in capsys.readouterr().err
    assert list(there.iterdir()) == []


# ---- The window opens on what is listed ----


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--preset", "causal"], (find_preset("causal").state, None, "heads")),
        (["--preset", "pipeline", "--page", "block"], (find_preset("pipeline", "block").state, None, "layer")),
        (["run", "--preset", "gpt2"], (find_preset("gpt2").state, None, "lab")),
        (["--page", "cost"], (None, None, "cost")),
        (["--watch", "run", "--page", "cost"], (None, None, "cost")),
        (["run", "--watch", "--page", "cost"], (None, None, "cost")),
        (["--page", "cost", "lesson.attn.json"], (None, Path("lesson.attn.json"), "cost")),
    ],
)
def test_the_window_opens_on_a_preset_of_any_page(
    arguments: list[str],
    expected: tuple[object, ...],
    opened: list[tuple[object, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli, "has_display", lambda: True)
    assert cli.main(arguments) == 7
    how = {"is_watched": "--watch" in arguments, "from_zero": "--from-zero" in arguments}
    assert opened == [(*expected, how)]


# ---- Files of attention ----


@pytest.fixture
def model(there: Path) -> np.ndarray:
    """A file of 2 layers of 3 heads, named model.npz, and tokens beside it."""
    exponentials = np.exp(np.random.default_rng(4).standard_normal((2, 3, 4, 4)))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    np.savez("model.npz", mine=weights, other=np.ones(3))
    Path("tokens.txt").write_text("to\nbe\nor\nnot\n", encoding="utf-8")
    Path("tokens.json").write_text('["to", "be", "or", "not"]', encoding="utf-8")
    return weights


@pytest.mark.parametrize("counted", [["--layer", "2", "--head", "3"], ["--layer", "1", "--head", "2", "--from-zero"]])
def test_a_head_is_chosen_by_its_numbers(model: np.ndarray, counted: list[str]) -> None:
    assert cli.main(["render", "model.npz", "head.npy", *counted]) == 0
    np.testing.assert_array_equal(np.load("head.npy"), model[1, 2])


LINES = "[CLS]\nto\nbe\n[SEP]\n"


@pytest.mark.parametrize("brackets", [LINES, LINES.rstrip(), '["[CLS]", "to", "be", "[SEP]"]'])
def test_tokens_in_brackets_are_lines_or_a_list(model: np.ndarray, brackets: str) -> None:
    Path("brackets.txt").write_text(brackets, encoding="utf-8")
    assert cli.main(["render", "model.npz", "head.csv", "--tokens", "brackets.txt"]) == 0
    assert Path("head.csv").read_text(encoding="utf-8").splitlines()[0].endswith("[CLS],to,be,[SEP]")


@pytest.mark.parametrize("tokens", ["tokens.txt", "tokens.json"])
def test_tokens_are_given_beside_the_file(model: np.ndarray, tokens: str) -> None:
    assert cli.main(["render", "model.npz", "head.csv", "--tokens", tokens]) == 0
    assert Path("head.csv").read_text(encoding="utf-8").splitlines()[0].endswith("to,be,or,not")


def test_what_is_not_read_as_it_may_be_meant_is_said(model: np.ndarray, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez("objects.npz", attention=model, tokens=np.array(["to", "be", "or", "not"], dtype=object))
    np.save("columns.npy", model[0, 0].T)
    for name, words in (("objects.npz", "numbers stand for the tokens"), ("columns.npy", "columns sum to 1")):
        assert cli.main(["render", name, "head.npy"]) == 0
        (said,) = capsys.readouterr().err.splitlines()
        assert name in said
        assert words in said
        np.testing.assert_array_equal(np.load("head.npy"), model[0, 0])
    assert cli.main(["render", "columns.npy", "head.npy", "--axes", "kq"]) == 0
    assert not capsys.readouterr().err, "who says so is told nothing"
    assert cli.main(["render", "objects.npz", "head.npy", "--axes", "lhqk"]) == 0
    assert "numbers stand for the tokens" in capsys.readouterr().err


def test_axes_and_the_array_are_given(model: np.ndarray) -> None:
    np.savez("heads-last.npz", mine=np.moveaxis(model[0], 0, -1), attention=np.full((2, 2), 0.5))
    options = ["--attention", "mine", "--axes", "qkh", "--head", "2"]
    assert cli.main(["render", "heads-last.npz", "head.npy", *options]) == 0
    np.testing.assert_array_equal(np.load("head.npy"), model[0, 1])


@pytest.mark.parametrize("what", ["map", "lines", "wall", "compare", "marked"])
def test_a_picture_of_the_heads_is_chosen(model: np.ndarray, what: str) -> None:
    assert cli.main(["render", "model.npz", "a.svg", "--what", what]) == 0
    assert cli.main(["render", "model.npz", "b.svg"]) == 0
    assert (Path("a.svg").read_bytes() == Path("b.svg").read_bytes()) is (what == "map")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["model.npz", "a.svg", "--layer", "3"], 1, "There is no layer 3: there are 2, counted from 1."),
        (["model.npz", "a.svg", "--head", "0"], 1, "Layer 1 has no head 0: it has 3, counted from 1."),
        (["model.npz", "a.svg", "--what", "stages"], 1, "Only the weights were recorded"),
        (["model.npz", "a.svg", "--what", "foo"], 2, "picture, map, lines, stages, compare, marked, row, check, wall."),
        (["model.npz", "a.svg", "--tokens", "no.txt"], 1, "cannot be read as a list of tokens: No such file"),
        (["model.npz", "a.svg", "--tokens", "model.npz"], 1, "“model.npz” is not text"),
        (["model.npz", "a.svg", "--tokens", "one.json"], 1, "“one.json” must be a list of texts"),
        (["model.npz", "a.svg", "--tokens", "broken.json"], 1, "“broken.json” is not a JSON list: the text"),
        (["model.npz", "a.svg", "--tokens", "two.txt"], 1, "2 tokens for the 4 queries of “model.npz”"),
        (
            ["late-nan.npz", "a.csv", "--head", "3"],
            1,
            "explorer: arr_0 of layer 1, head 3 (counted from 1) of shape (200, 200) holds nan at index (7, 5)",
        ),
        (["late-nan.npz", "a.csv", "--head", "2", "--from-zero"], 1, "arr_0 of layer 0, head 2 (counted from 0) of"),
        (["late-nan.npz", "a.svg", "--head", "2", "--from-zero"], 1, "arr_0 of layer 0, head 2 (counted from 0) of"),
        (["model.npz", "a.svg", "--axes", "lhq"], 1, "axes"),
        (["model.npz", "a.svg", "--page", "cost"], 1, "is attention, which the page heads shows"),
        (["long-key", "a.svg", "--layer", "1"], 2, "are for the page heads"),
        (["causal", "a.svg", "--axes", "lhqk"], 2, "are for files of attention"),
    ],
)
def test_what_a_file_of_attention_has_not_is_said(
    model: np.ndarray, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str
) -> None:
    Path("two.txt").write_text("to\nbe\n", encoding="utf-8")
    Path("one.json").write_text('{"tokens": ["to", "be"]}', encoding="utf-8")
    Path("broken.json").write_text('["to", be]', encoding="utf-8")
    late = np.full((3, 200, 200), 1 / 200)
    late[2, 7, 5] = np.nan  # in a row that is not in the sample
    np.savez("late-nan.npz", late)
    assert cli.main(["render", *arguments]) == code
    assert said in capsys.readouterr().err
    assert not [path for path in Path().iterdir() if path.stem == "a"]
