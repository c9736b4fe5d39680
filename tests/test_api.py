"""`show` and `load`: arrays and files of other programs come back exactly, are drawn, saved and opened."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import attention_explorer
from attention_explorer import ArrayError, ExplorerError, api
from attention_explorer.pages.session_file import read_session
from attention_explorer.sources.registry import tokens_of
from attention_explorer.sources.source import Lookup

RNG = np.random.default_rng(11)
TOKENS = ["a", "b", "c", "d", "e"]


def weights_of(*shape: int) -> np.ndarray:
    exponentials = np.exp(RNG.standard_normal(shape))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


class Tensor:
    """As torch hands them out: on a device, with gradients, in a type that NumPy does not have."""

    def __init__(self, array: np.ndarray, dtype: str = "torch.float32", stage: int = 0) -> None:
        self._array, self.dtype, self._stage = array, dtype, stage

    def detach(self) -> Tensor:
        return Tensor(self._array, self.dtype, 1)

    def cpu(self) -> Tensor:
        assert self._stage == 1
        return Tensor(self._array, self.dtype, 2)

    def float(self) -> Tensor:
        return Tensor(self._array, "torch.float32", self._stage)

    def numpy(self) -> np.ndarray:
        assert (self._stage, self.dtype) == (2, "torch.float32")
        return self._array

    def __array__(self, *_how: object) -> np.ndarray:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


class ByDlpack:
    """What has nothing but the protocol that libraries share arrays by."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **how: object) -> object:
        return self._array.__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


# ---- What is given comes back ----


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(5, 5), (3, 5, 5), (2, 3, 5, 5), (2, 1, 3, 5, 5), (2, 4, 5, 7)])
def test_weights_come_back_exactly_in_their_own_type(shape, dtype):
    weights = weights_of(*shape).astype(dtype)
    view = attention_explorer.show(weights)
    one = weights.reshape(-1, *shape[-2:])
    assert sum(view.heads) == len(one)
    for place, (layer, head) in enumerate((layer, head) for layer, n in enumerate(view.heads) for head in range(n)):
        found = view.weights(layer, head)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, one[place])


@pytest.mark.parametrize("wrap", [np.asarray, Tensor, ByDlpack, lambda array: Tensor(array, "torch.bfloat16")])
def test_tensors_are_taken_as_they_are(wrap):
    layers = [weights_of(1, heads, 5, 5).astype(np.float32) for heads in (3, 2)]
    view = attention_explorer.show(tuple(map(wrap, layers)), TOKENS, title="Mine: 1/2")
    assert view.heads == (3, 2)
    assert view.tokens == view.context_tokens == tuple(TOKENS)
    np.testing.assert_array_equal(view.weights(1, 1), layers[1][0, 1])


@pytest.mark.parametrize("title", ["GPT-2: layer 3", "mine/../yours", "a? “b” <c>", "t" * 400, " .", None])
def test_a_title_is_kept_to_the_letter(tmp_path, title):
    view = attention_explorer.show(weights_of(2, 5, 5), TOKENS, title=title)
    view.save(tmp_path / "a.json")
    source = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["settings"]["source"]
    assert source == "handed over from Python" + (f" as “{title}”" if title else "")


def test_one_of_a_batch_is_chosen():
    layers = tuple(weights_of(2, 3, 5, 5) for _ in range(2))
    np.testing.assert_array_equal(attention_explorer.show(layers, batch=1).weights(1, 2), layers[1][1, 2])


def test_queries_and_keys_are_enough():
    q, k = RNG.standard_normal((2, 2, 5, 4))
    view = attention_explorer.show(q=q, k=k, tokens=TOKENS)
    scores = q[1] @ k[1].T / 2
    wanted = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(view.weights(0, 1), wanted, rtol=1e-12)


def test_axes_in_another_order_are_found_or_given():
    weights = weights_of(4, 5, 5)
    np.testing.assert_array_equal(attention_explorer.show(weights.swapaxes(1, 2)).weights(0, 2), weights[2])
    moved = np.moveaxis(weights, 0, -1)  # (queries, keys, heads)
    np.testing.assert_array_equal(attention_explorer.show(moved, axes="qkh").weights(0, 3), weights[3])


# ---- What cannot be taken ----


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "nothing to show"),
        ({"weights": (None, None)}, "attn_implementation"),
        ({"weights": "text.npz"}, "a file is opened by attention_explorer.load"),
        ({"weights": Path("text.npz")}, "a file is opened by attention_explorer.load"),
        ({"weights": []}, "weights is empty"),
        ({"weights": ()}, "weights is empty"),
        ({"weights": {"a": np.eye(2)}}, "a dict of a: give one of these"),
        ({"weights": [[np.eye(2)], [np.eye(2)]]}, "a list of lists of arrays"),
        ({"weights": weights_of(2, 2, 3, 5, 5)}, "say which, batch 0 to 1"),
        ({"weights": np.eye(3) * 1j}, "real numbers"),
        ({"weights": np.array([object()])}, "real numbers"),
        ({"weights": np.eye(3)[0]}, "axes"),
        ({"weights": np.zeros((0, 0))}, "no entries"),
        ({"weights": 3 * np.eye(3)}, "sum"),
        ({"weights": -np.eye(3)}, "-1"),
        ({"weights": np.full((3, 3), np.nan)}, "nan"),
        ({"weights": np.eye(3), "tokens": ["a"]}, "1 token for 3 queries"),
        ({"weights": np.eye(3), "tokens": list("abcd")}, "4 tokens for 3 queries"),
        ({"weights": np.eye(3), "axes": "lhqk"}, "axes"),
        ({"weights": weights_of(2, 3, 5, 5), "axes": "xyqk"}, "x"),
        ({"q": np.ones((2, 3, 4))}, "save q and k"),
        ({"weights": weights_of(2, 3, 5, 5), "mask": np.tri(5, dtype=bool)}, "which the mask hides"),
        ({"weights": weights_of(2, 1, 3, 5, 5), "batch": 0.0}, "batch is 0.0, but must be a whole number"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_words(arguments, reason):
    with pytest.raises(ExplorerError, match=reason) as caught:
        attention_explorer.show(**arguments)
    assert isinstance(caught.value, ValueError | OSError)


@pytest.mark.parametrize("place", [(2, 0), (0, 3), (-1, 0), (0, -1), (1.0, 0), (0, "1"), (None, 0)])
def test_a_head_that_there_is_not_is_refused(place):
    view = attention_explorer.show(weights_of(2, 3, 5, 5))
    for act in (view.weights, lambda layer, head: view.save("x.npy", layer=layer, head=head)):
        with pytest.raises(ArrayError, match=r"no (layer|head)|must be a whole number"):
            act(*place)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"what": "foo"}, "Choose one of: picture, map, lines, stages, compare, marked, row, check, wall."),
        ({"what": "line"}, "Did you mean “lines”"),
        ({"what": "stages"}, "Only the weights were recorded"),
        ({"theme": "pink"}, "There is no theme “pink”"),
    ],
)
def test_a_picture_that_there_is_not_is_refused_in_words(options, reason, tmp_path):
    with pytest.raises(ExplorerError, match=reason):
        attention_explorer.show(weights_of(5, 5)).save(tmp_path / "a.svg", **options)
    assert not list(tmp_path.iterdir())


def test_numbers_are_looked_at_when_they_are_asked_for_or_all_at_once(tmp_path):
    weights = weights_of(2, 3, 200, 200)
    weights[1, 2, 7, 5] = np.nan  # in a row that is not in the sample
    view = attention_explorer.show(weights)
    view.save(tmp_path / "other.npy", layer=1, head=1)
    for act in (view.check, lambda: view.save(tmp_path / "a.csv", layer=1, head=2)):
        with pytest.raises(ArrayError, match=r"layer 1, head 2 \(counted from 0\).* holds nan at index"):
            act()
    assert [path.name for path in tmp_path.iterdir()] == ["other.npy"]


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match="There is no file"):
        attention_explorer.load(tmp_path / "no.npz")


# ---- Drawn, saved, opened ----


@pytest.mark.usefixtures("qapp")
def test_a_head_is_saved_in_every_kind_of_file(tmp_path):
    weights = weights_of(2, 3, 5, 5).astype(np.float32)
    view = attention_explorer.show(weights, TOKENS, title="Mine")
    for ending in ("npy", "npz", "csv", "json", "svg", "png", "pdf"):
        view.save(tmp_path / f"head.{ending}", layer=1, head=2)
    np.testing.assert_array_equal(np.load(tmp_path / "head.npy"), weights[1, 2])
    assert json.loads((tmp_path / "head.json").read_text())["settings"]["source"] == "handed over from Python as “Mine”"
    assert "layer 1, head 2" in (tmp_path / "head.svg").read_text()
    view.save(tmp_path / "wall.svg", what="wall")
    assert "layer 1, head 2" in (tmp_path / "wall.svg").read_text()


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(("n", "kind"), [(1, "image/svg+xml"), (64, "image/svg+xml"), (300, "image/png")])
def test_a_notebook_is_given_a_picture_of_less_than_3_mb(n, kind):
    bundle = attention_explorer.show(weights_of(2, n, n))._repr_mimebundle_()
    assert set(bundle) == {kind, "text/plain"}
    assert len(bundle[kind]) < 3e6


@pytest.mark.parametrize("kernel", [False, True])
def test_a_script_waits_for_the_window_and_a_notebook_goes_on(monkeypatch, kernel):
    started: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(api.subprocess, "run", lambda command, **_how: started.append(("waits", command)))
    monkeypatch.setattr(api.subprocess, "Popen", lambda command: started.append(("goes on", command)))
    shell = SimpleNamespace(kernel=object()) if kernel else None
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    attention_explorer.show(weights_of(2, 3, 5, 5), TOKENS).open(1, 2)
    ((how, command),) = started
    assert how == ("goes on" if kernel else "waits")
    opened = read_session(Path(command[-1]))
    setup = opened.state.heads.setup
    assert (opened.page, setup.layer, setup.head) == ("heads", 1, 2)
    assert tokens_of(setup.recipe) == tuple(TOKENS)


def test_refusals_call_arguments_by_their_names_and_no_file_that_nobody_made():
    weights = weights_of(2, 5, 5)
    for given, said in (
        ((np.full((3, 3), np.nan),), "“weights” holds nan at index (0, 0)"),
        ((weights * 3,), "“weights” of shape (2, 5, 5): rows sum to"),
        ((weights, ["a"]), "1 token for 5 queries: give one for each, in “tokens”"),
    ):
        with pytest.raises(ArrayError) as refused:
            attention_explorer.show(*given)
        assert str(refused.value).startswith(said)
    with pytest.raises(ArrayError) as refused:
        attention_explorer.show(weights, list("abcde"), context_tokens=["a", "b"])
    assert str(refused.value) == "2 tokens for 5 keys: give one for each, in “context_tokens”"


IN_THE_WAY = "from pathlib import Path\nPath('ran').touch()\nraise ImportError"


def test_the_window_runs_nothing_that_lies_in_the_working_folder(monkeypatch, tmp_path):
    commands: list[list[str]] = []
    monkeypatch.setattr(api.subprocess, "run", lambda command, **_how: commands.append(command))
    attention_explorer.show(weights_of(2, 5, 5)).open()
    monkeypatch.undo()
    (tmp_path / "random.py").write_text(IN_THE_WAY)
    (command,) = commands
    done = subprocess.run([*command[:-1], "presets"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "two-keys" in done.stdout
    assert not (tmp_path / "ran").exists()


def test_the_window_is_called_by_the_title_that_was_given(monkeypatch, make_window):
    commands: list[list[str]] = []
    monkeypatch.setattr(api.subprocess, "run", lambda command, **_how: commands.append(command))
    attention_explorer.show(weights_of(2, 5, 5), title="My model").open()
    window = make_window()
    window.files.open(Path(commands[0][-1]))
    assert window.windowTitle().startswith("My model[*]")
    assert window.files.opened.path is None, "the file is gone when Python ends"


def test_arrays_are_kept_where_nobody_else_can_read_them():
    folder = api._private_folder()
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700


SCRIPT = """
import sys, threading
import numpy as np, attention_explorer
view = attention_explorer.show(np.eye(4), list("abcd"))
assert "PySide6" not in sys.modules, "arrays are taken without Qt"
print(api := __import__("attention_explorer.api").api._private_folder())
found = []
def save():
    view.save("out.npy")
    try:
        view.save("no/such/folder.svg")
    except attention_explorer.ExplorerError as error:
        found.append(str(error))
    try:
        view.save("out.svg", what="foo")
    except ValueError as error:
        found.append(str(error))
thread = threading.Thread(target=save)
thread.start(); thread.join()
assert "does not exist" in found[0], found
assert "Choose one of" in found[1], found
view.save("out.svg")
"""


def test_without_a_display_and_from_a_thread_files_are_written_and_what_was_kept_is_gone_at_the_end(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "QT_QPA_PLATFORM")}
    (tmp_path / "random.py").write_text(IN_THE_WAY)
    done = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists(), "what lies in the working folder is no module of Python's"
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), np.eye(4))
    assert (tmp_path / "out.svg").read_text().startswith("<?xml")
    assert not Path(done.stdout.strip()).exists()


# ---- Memory maps ----


def mapped_file(tmp_path: Path, kind: str, weights: np.ndarray) -> tuple[Path, np.memmap]:
    """Write weights as people map them, and map them."""
    path = tmp_path / "w.data"
    if kind == "npy":
        np.save(path.with_suffix(".npy"), weights)
        return path.with_suffix(".npy"), np.load(path.with_suffix(".npy"), mmap_mode="r")
    order = "F" if kind == "fortran" else "C"
    path.write_bytes(b"x" * 4100 + weights.tobytes(order))
    return path, np.memmap(path, weights.dtype, "r", 4100, weights.shape, order)


@pytest.mark.parametrize("kind", ["npy", "bare", "fortran"])
@pytest.mark.parametrize("part", [slice(None), 1], ids=["all of it", "a part"])
def test_a_memory_map_is_read_where_it_lies(tmp_path, kind, part):
    weights = weights_of(3, 2, 5, 5).astype(np.float32)
    path, array = mapped_file(tmp_path, kind, weights)
    view = attention_explorer.show(array[part], TOKENS)
    copied = kind == "fortran" and part == 1  # not one piece of the file
    assert (Path(view._recipe.path) == path) != copied
    assert view.tokens == ((*TOKENS,))
    expected = weights[part] if part == 1 else weights[2]
    found = view.weights(0 if part == 1 else 2, 1)
    np.testing.assert_array_equal(found, expected[1])
    if not copied:
        assert read_session(api._session_with(view._heads_page(0, 1))).state.heads.setup.recipe.path == str(path)


@pytest.mark.parametrize("beside", [{"mask": np.ones((5, 5), bool)}, {"context_tokens": TOKENS}])
def test_a_memory_map_with_more_beside_it_is_copied(tmp_path, beside):
    path, array = mapped_file(tmp_path, "npy", weights_of(2, 5, 5))
    assert Path(attention_explorer.show(array, TOKENS, **beside)._recipe.path) != path


def test_a_memory_map_that_is_not_what_the_file_holds_is_copied(tmp_path):
    path, array = mapped_file(tmp_path, "npy", weights_of(2, 5, 5))
    changed = np.load(path, mmap_mode="c")
    changed[:] = np.eye(5)
    np.testing.assert_array_equal(attention_explorer.show(changed).weights(), np.eye(5))
    before = np.array(array[0])
    path.rename(tmp_path / "elsewhere.npy")
    np.save(path, weights_of(2, 5, 5))
    np.testing.assert_array_equal(attention_explorer.show(array).weights(), before)


def test_a_memory_map_takes_no_memory(tmp_path):
    """A gigabyte, of which the disk holds 4 MB: each row has one number."""
    queries, keys = 1024, 2**18
    np.lib.format.open_memmap(tmp_path / "w.npy", "w+", np.float32, (queries, keys)).flush()
    array = np.load(tmp_path / "w.npy", mmap_mode="r")
    with (tmp_path / "w.npy").open("r+b") as file:
        for query in range(queries):
            file.seek(array.offset + 4 * (query * keys + 5))
            file.write(np.float32(1.0).tobytes())
    tracemalloc.start()
    view = attention_explorer.show(array)
    row = view._source.layers(Lookup())[0].maps[0].weights([7])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert view._recipe.path == str(tmp_path / "w.npy")
    assert row.argmax() == 5
    assert peak < 2**25


# ---- Tokens as numbers, and masked arrays ----


class Id:
    """A tensor without axes, as the rows of a tensor are: its text is not that of its number."""

    def __init__(self, number: int) -> None:
        self._number = number

    def item(self) -> int:
        return self._number

    def __str__(self) -> str:
        return f"tensor({self._number})"


class Ids(list):
    """A tensor of ids."""

    shape: tuple[int, ...] = (3,)


class Batch(list):
    shape = (1, 3)


IDS = Ids(map(Id, (101, 7, 102)))


@pytest.mark.parametrize("given", [IDS, list(IDS), Batch([IDS]), np.array([101, 7, 102]), np.array([[101, 7, 102]])])
def test_ids_are_labels_by_their_numbers(given):
    assert attention_explorer.show(np.eye(3), given).tokens == ("101", "7", "102")


def test_ids_of_several_sequences_are_refused():
    with pytest.raises(ArrayError, match=r"tokens has the shape \(2, 3\): give the tokens of one sequence"):
        attention_explorer.show(np.eye(3), np.zeros((2, 3), int))


def test_the_mask_of_a_masked_array_counts():
    causal = np.tril(np.ones((4, 4), bool))
    exact = np.where(causal, causal / causal.sum(axis=1, keepdims=True), 0.0)
    hidden = np.ma.masked_array(np.where(causal, exact, 0.3), ~causal)
    view = attention_explorer.show(hidden)
    np.testing.assert_array_equal(view.weights(), exact)
    map_ = view._source.layers(Lookup())[0].maps[0]
    np.testing.assert_array_equal(map_.allowed(slice(0, 4)), causal)
    with pytest.raises(ArrayError, match="a masked array, whose mask would be lost"):
        attention_explorer.show([hidden, hidden])
