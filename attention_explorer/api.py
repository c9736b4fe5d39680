"""Attention from Python: arrays and files as views that are drawn, saved and opened in the window."""

from __future__ import annotations

import atexit
import json
import operator
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from attention_explorer import errors
from attention_explorer.core.counting import Count, refusals_counted
from attention_explorer.core.given_arrays import (
    WITH_TRANSFORMERS,
    Array,
    as_array,
    as_layers,
    as_texts,
    mapped,
    without_mask,
)
from attention_explorer.errors import ArrayError, ExportError
from attention_explorer.pages.circuits.state import CircuitsState
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.recorded import page_of
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.session_file import SUFFIX, write_session
from attention_explorer.rendering import render
from attention_explorer.sources.circuits.result import OPENERS, Shown
from attention_explorer.sources.handed_over import PREFIX, UNNAMED, file_name_of
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.models import load_model as load_model
from attention_explorer.sources.recorded_recipe import FileRecipe
from attention_explorer.sources.recorded_source import FileSource, file_recipe
from attention_explorer.sources.source import SENTENCE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MOST_DRAWN_AS_CELLS = 128
"""Tokens up to which a notebook is given a drawing; of more it is given pixels, which stay below 3 MB."""

_numbers = count()


class View:
    """Attention that can be drawn, saved and opened. Layers and heads count from 0.

    Parameters
    ----------
    recipe : FileRecipe
        The file that holds it.
    """

    def __init__(self, recipe: FileRecipe) -> None:
        self._recipe, self._source = recipe, FileSource(recipe)
        self._recording = self._source.recording

    @property
    def heads(self) -> tuple[int, ...]:
        """How many heads each layer has."""
        return self._source.heads

    @property
    def tokens(self) -> tuple[str, ...]:
        """One a query, to the letter."""
        return self._source.tokens

    @property
    def context_tokens(self) -> tuple[str, ...]:
        """One a key."""
        return self._source.context_tokens

    def __repr__(self) -> str:
        n_q, n_k = self._recording.shape
        heads = self.heads[0] if len(set(self.heads)) == 1 else self.heads
        return f"View({len(self.heads)} layers, {heads} heads, {n_q} × {n_k})"

    def weights(self, layer: int = 0, head: int = 0) -> Array:
        """Return the weights of a head, (n_q, n_k): exactly as they were given, or as ``rows`` made them.

        Raises
        ------
        ArrayError
            If there is no such layer or head.
        """
        layer, head = self._place(layer, head)
        found = self._recording.heads[layer][head]
        with refusals_counted(Count.FROM_ZERO):
            return found.map().weights() if found.weights is None else found.weights.read()

    def save(self, path: str | os.PathLike[str], *, layer: int = 0, head: int = 0, **options: Any) -> None:  # noqa: ANN401
        """Write a head to a file, as the window exports it.

        Parameters
        ----------
        path : str or path
            Its ending says what it becomes: a picture (png, svg, pdf), or numbers (csv, npy, npz, json).
        layer, head : int
            Which one, from 0.
        **options
            Those of `attention_explorer.render`: ``what="wall"`` for all heads, ``size``, ``dpi``, ``theme`` …

        Raises
        ------
        ExplorerError
            The file cannot be written, or an option does not fit.
        """
        _drawn(self._heads_page(layer, head), Path(path), **options)

    def open(self, layer: int = 0, head: int = 0) -> None:
        """Open the window on a head. A script waits until it is closed, a notebook goes on.

        Raises
        ------
        ArrayError
            If there is no such layer or head.
        """
        open_window(ExplorerState(heads=self._heads_page(layer, head)), "heads", Path(self._recipe.path).stem)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """Return what Jupyter shows: a drawing of the first head, or its pixels where there are many tokens."""
        if max(self._recording.shape) <= MOST_DRAWN_AS_CELLS:
            return {"image/svg+xml": _drawn(self._heads_page(0, 0), format="svg").decode(), "text/plain": repr(self)}
        return {"image/png": _drawn(self._heads_page(0, 0), format="png", dpi=100), "text/plain": repr(self)}

    def check(self) -> None:
        """Look at all numbers at once, which else are looked at when they are asked for.

        Raises
        ------
        ArrayError
            If a weight is not finite, below 0, or not 0 where the mask hides its key, or a row sums to more than 1.
        """
        recorded = [head for layer in self._recording.heads for head in layer if head.weights is not None]
        with refusals_counted(Count.FROM_ZERO):
            for head in recorded:
                for _ in head.map():
                    pass

    def _heads_page(self, layer: int, head: int) -> HeadsState:
        layer, head = self._place(layer, head)
        return page_of(self._recipe).with_setup(layer=layer, head=head, count=Count.FROM_ZERO)  # as Python does

    def _place(self, layer: int, head: int) -> tuple[int, int]:
        layer, head = _whole("layer", layer), _whole("head", head)
        if not 0 <= layer < len(self.heads):
            raise ArrayError(f"there is no layer {layer}: there are {len(self.heads)}, from 0")
        if not 0 <= head < self.heads[layer]:
            raise ArrayError(f"layer {layer} has no head {head}: it has {self.heads[layer]}, from 0")
        return layer, head


def show(
    weights: object = None,
    tokens: Sequence[str] | None = None,
    *,
    context_tokens: Sequence[str] | None = None,
    q: object = None,
    k: object = None,
    v: object = None,
    mask: ArrayLike | None = None,
    axes: str | None = None,
    batch: int | None = None,
    title: str | None = None,
    rows: str = "as they are",
) -> View:
    """Take attention from arrays.

    Parameters
    ----------
    weights : array_like, or one for each layer
        (n_q, n_k), (heads, n_q, n_k), (layers, heads, n_q, n_k) or (layers, batch, heads, n_q, n_k); or a tuple of
        (heads, n_q, n_k) or (batch, heads, n_q, n_k), as transformers returns with ``output_attentions=True``. Arrays
        of NumPy, and tensors of torch or JAX, on any device. A memory map that is given alone or with tokens is read
        where it lies, and the file must stay there; all else is copied. What a masked array hides counts as ``mask``.
    tokens, context_tokens : sequence of str, or of ids, optional
        One a query, and one a key if those are others; ids may be an array or a tensor.
    q, k, v : array_like, optional
        Queries, keys and values of the heads, (heads, n, d) or (layers, heads, n, d). Without weights these are
        computed from them, softmax(q·kᵀ ÷ √d_k), and stages and arithmetic can be seen.
    mask : array_like of bool, optional
        True where a query could attend.
    axes : str, optional
        One letter an axis of the weights: l layers, b batch, h heads, q queries, k keys. By default the sums of the
        rows tell.
    batch : int, optional
        Which sequence of the batch, from 0, if there are several.
    title : str, optional
        What the attention is called in captions and exports.
    rows : str
        How the rows of ``weights`` become weights: “as they are” by default; “softmax”, if they are scores, where −inf
        is a hidden key; “normalise”, each row divided by its sum.

    Returns
    -------
    View

    Raises
    ------
    ArrayError
        If something is no array, the rows of the weights sum to 1 along no axis, sizes do not fit each other, or a key
        that the mask hides has weight.

    Examples
    --------
    >>> import numpy as np
    >>> import attention_explorer
    >>> view = attention_explorer.show(np.eye(3), ["a", "b", "c"])
    >>> view.weights()[1]
    array([0., 1., 0.])
    """
    weights, visible = without_mask(weights)
    mask = visible if mask is None else mask
    place = mapped(weights)
    if place is not None and all(each is None for each in (q, k, v, mask, context_tokens)):
        recipe = _recipe_of(
            place.path, tokens, axes=axes, batch=batch, rows=rows, layout=place.layout, offset=place.offset
        )
        return View(replace(recipe, from_python=title or UNNAMED))
    named: dict[str, Array] = {}
    for name, given in (("weights", weights), ("q", q), ("k", k), ("v", v)):
        if given is not None:
            named |= _named(name, given)
    if not named:
        raise ArrayError(f"there is nothing to show: give weights, or q and k{WITH_TRANSFORMERS}")
    if mask is not None:
        named["mask"] = as_array("mask", mask)
    for name, texts in (("tokens", tokens), ("context_tokens", context_tokens)):
        if texts is not None:
            named[name] = np.array(as_texts(name, texts), dtype=np.str_)
    path = _private_folder() / f"{next(_numbers)}/{file_name_of(title or UNNAMED)}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **named)  # type: ignore[arg-type] # its stubs take the names for options
    view = View(replace(_recipe_of(path, axes=axes, batch=batch, rows=rows), from_python=title or UNNAMED))
    if mask is not None:
        view.check()
    return view


def load(
    path: str | os.PathLike[str],
    tokens: Sequence[str] | None = None,
    *,
    attention: str | None = None,
    axes: str | None = None,
    batch: int | None = None,
    rows: str = "as they are",
) -> View:
    """Take attention from a file.

    Parameters
    ----------
    path : str or path
        An .npz, .npy or .safetensors file.
    tokens : sequence of str, optional
        One a query, in place of those of the file.
    attention : str, optional
        What the weights are called in it; by default attention, attentions or weights, or the only array that can be.
    axes, batch, rows
        As for `show`.

    Returns
    -------
    View

    Raises
    ------
    ExplorerError
        If it cannot be read or holds no attention; also an OSError or a ValueError.
    """
    return View(_recipe_of(Path(path), tokens, attention=attention, axes=axes, batch=batch, rows=rows))


def _recipe_of(
    path: Path,
    tokens: Sequence[str] | None = None,
    *,
    attention: str | None = None,
    axes: str | None = None,
    batch: int | None = None,
    rows: str = "as they are",
    layout: str = "",
    offset: int = 0,
) -> FileRecipe:
    texts = () if tokens is None else as_texts("tokens", tokens)
    return file_recipe(
        path.absolute(),
        attention=attention or "",
        axes=axes or "",
        batch=None if batch is None else _whole("batch", batch),
        tokens=texts,
        layout=layout,
        offset=offset,
        rows=rows,
    )


def _whole(name: str, given: object) -> int:
    try:
        return operator.index(given)  # type: ignore[arg-type] # that is what is asked
    except TypeError:
        raise ArrayError(f"{name} is {given!r:.40}, but must be a whole number, counted from 0") from None


def _named(name: str, given: object) -> dict[str, Array]:
    """Name one array, or those of the layers: weights.0, weights.1 and so on."""
    layers, is_list = as_layers(name, given)
    return {f"{name}.{place}": layer for place, layer in enumerate(layers)} if is_list else {name: layers[0]}


_AS_INSTALLED = ("-P",)
"""Without the working folder among the modules: a random.py that lies there is not to be run in place of Python's."""


def open_window(state: ExplorerState, page: str, name: str = "Untitled") -> None:
    """Open the window, called ``name``, on a page of a state.

    A script waits until it is closed, a notebook goes on.
    """
    command = [sys.executable, *_AS_INSTALLED, "-m", "attention_explorer", str(_saved(state, page, name))]
    if _is_in_a_notebook():
        subprocess.Popen(command)  # noqa: S603 - this program
    else:
        subprocess.run(command, check=False)  # noqa: S603 - this program


def _is_in_a_notebook() -> bool:
    """Whether a kernel of IPython runs this; that its packages are loaded does not say so."""
    loaded = sys.modules.get("IPython")
    return loaded is not None and hasattr(loaded.get_ipython(), "kernel")


def open_result(shown: Shown) -> None:
    """Open the window on the view of the Circuits page that asks what a result answers."""
    text = shown.text or SENTENCE
    recipe = model_recipe(shown.path, text)
    page = replace(CircuitsState().with_model(recipe), count=Count.FROM_ZERO, **shown.fields)  # type: ignore[arg-type]
    open_window(ExplorerState(circuits=page), "circuits", shown.path.stem)


OPENERS.append(open_result)


def _session_with(page: HeadsState, name: str = "Untitled") -> Path:
    return _saved(ExplorerState(heads=page), "heads", name)


def _saved(state: ExplorerState, page: str, name: str) -> Path:
    path = _private_folder() / str(next(_numbers)) / f"{name}{SUFFIX}"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_session(path, state, page=page)
    return path


def _drawn(page: HeadsState, path: Path | None = None, **options: Any) -> bytes:  # noqa: ANN401
    """Render here or, where that cannot be, in a process of its own; return the contents of the file."""
    if _can_draw_here():
        return render(page, path, **options)
    target = path or _private_folder() / f"drawn-{next(_numbers)}"
    arguments = [str(_session_with(page)), str(target.absolute()), json.dumps(options)]
    done = subprocess.run(  # noqa: S603 - this program
        [sys.executable, *_AS_INSTALLED, "-c", _ELSEWHERE, *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        kind, _, said = done.stderr.strip().rpartition("\n")[2].partition(": ")
        raise getattr(errors, kind, ExportError)(said or f"The process that draws ended with code {done.returncode}.")
    return target.read_bytes()


_OTHER_QT = ("PyQt5.QtCore", "PyQt6.QtCore", "PySide2.QtCore")
"""Another library with a Qt of its own, which does not bear ours beside it."""

_ELSEWHERE = """
import json, sys, attention_explorer
try:
    attention_explorer.render(*sys.argv[1:3], **json.loads(sys.argv[3]))
except attention_explorer.ExplorerError as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""


def _can_draw_here() -> bool:
    """Whether Qt runs already and can draw, or can be started on this thread."""
    if any(name in sys.modules for name in _OTHER_QT):
        return False
    core, gui = (sys.modules.get(f"PySide6.{name}") for name in ("QtCore", "QtGui"))
    running = core and core.QCoreApplication.instance()
    if not running:
        return threading.current_thread() is threading.main_thread()
    return gui is not None and isinstance(running, gui.QGuiApplication)


@cache
def _private_folder() -> Path:
    """Return a folder that only this user can read; it is gone when Python ends."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
