"""Pictures and numbers without a window: what `attention_explorer.render` and the command line have in common."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from attention_explorer.core.byte_cache import CACHE
from attention_explorer.core.counting import Count, refusals_counted
from attention_explorer.core.figure_options import USUAL_DPI, Cells, FigureOptions, FigureTheme, length_from
from attention_explorer.core.files import looks_like_path, write_whole
from attention_explorer.core.json_text import PlaceError, place_text
from attention_explorer.errors import ExplorerError, UsageError, did_you_mean, quoted
from attention_explorer.fields import types_of
from attention_explorer.pages.explorer import ExplorerState, PageState
from attention_explorer.pages.registry import find_preset, in_view, page_id, parts_of
from attention_explorer.pages.session_file import SUFFIX, Opened, read_session
from attention_explorer.sources.model_recipe import model_at
from attention_explorer.sources.recorded_recipe import is_recording

if TYPE_CHECKING:
    # Loaded with the first figure, for it starts Qt.
    from attention_explorer.kit.export.figure import Figure

Choice = TypeVar("Choice", bound=StrEnum)
Source = ExplorerState | PageState | str | os.PathLike[str]

_PART_OF: dict[type, str] = {kind: part for part, kind in types_of(ExplorerState).items()}


@dataclass(frozen=True, slots=True)
class Shown:
    """What is to be drawn: a state, the page that shows it, and what its file says that is not known here."""

    state: ExplorerState
    page: str
    warnings: tuple[str, ...] = ()


def shown_by(source: Source, page: str = "") -> Shown:
    """Return what a state, a preset or a session file shows, on ``page`` if it is named.

    A file ending in .npz, .npy or .safetensors is attention, of which the first head is shown; a folder or a .gguf file
    is a model, which reads a sentence of ours.

    A text is a file if it has an ending or a folder in it, else a preset, or a file if there is no such preset.

    Raises
    ------
    ExplorerError
        There is no such page, preset or file, the file cannot be read, or the page has to be named.
    """
    if isinstance(source, ExplorerState):
        return _within_limits(source, page)
    if type(source) in _PART_OF:
        part = _PART_OF[type(source)]
        own, state = in_view(replace(ExplorerState(), **{part: source}), part)  # type: ignore[arg-type] # of that part
        if page and page_id(page) not in (own, part):
            raise ExplorerError(f"A {type(source).__name__} is shown by the page {own}, not by {page}.")
        return _within_limits(state, own)
    if not isinstance(source, str | os.PathLike):
        raise ExplorerError(
            f"A value of type {type(source).__name__} cannot be drawn. "
            "Give a state, the name of a preset, or the path of a session or of a file of attention."
        )
    if not isinstance(source, str) or _is_file(source, page):
        path = Path(source).absolute()  # “.” has no name
        if model_at(path) is not None:
            return shown_by_model(path, page)
        return shown_by_recording(path, page) if is_recording(path) else shown_by_session(read_session(path), page)
    ready = find_preset(source, page and page_id(page))
    return Shown(ready.state, ready.page)


def _within_limits(state: ExplorerState, page: str) -> Shown:
    """Hold what was made by hand to what a session file may say; a name that is not known has its default.

    Raises
    ------
    ExplorerError
        A number is out of its range, or fields do not go together.
    """
    from attention_explorer.pages.session_codec import Decoder, encoded

    page, state = in_view(state, page)
    decoder = Decoder()
    found: dict[str, Any] = {}
    for name in parts_of(page):
        part: PageState = getattr(state, name)
        try:
            found[name] = decoder.decoded(type(part), encoded(part), ())
        except PlaceError as error:
            what = f"{place_text(error.place)} {error.what}".strip()
            raise ExplorerError(f"{type(part).__name__}: {what}.") from None
    return Shown(replace(state, **found), page, tuple(decoder.warnings))


def counted_from_zero(shown: Shown) -> Shown:
    """Return what is shown with layers, heads and tokens counted from 0."""
    return replace(shown, state=shown.state.counted(Count.FROM_ZERO))


def shown_by_recording(
    path: Path,
    page: str = "",
    *,
    attention: str = "",
    axes: str = "",
    batch: int | None = 0,
    tokens: Sequence[str] = (),
    rows: str = "as they are",
) -> Shown:
    """Return what a file of attention shows: its first head; options as for `attention_explorer.load`.

    Raises
    ------
    ExplorerError
        It cannot be read, holds no attention, or another page is named.
    """
    from attention_explorer.pages.heads.recorded import heads_of_file, warnings_of

    if page and page_id(page) != "heads":
        raise ExplorerError(f"“{path.name}” is attention, which the page heads shows, not {page}.")
    heads = heads_of_file(path, attention=attention, axes=axes, batch=batch, tokens=tokens, rows=rows)
    warnings_found = warnings_of(heads, are_axes_told=bool(axes))
    return Shown(replace(ExplorerState(), heads=heads), "heads", warnings_found)


def shown_by_model(path: Path, page: str = "", text: str | None = None, target: str | None = None) -> Shown:
    """Return what a model shows: its first head on a text, or on one of ours, and on what its decoder writes.

    Raises
    ------
    ExplorerError
        It cannot be opened, cannot read text, or another page is named.
    """
    from attention_explorer.pages.heads.recorded import heads_of_model

    if page and page_id(page) != "heads":
        raise ExplorerError(f"“{path.name}” is a model, which the page heads shows, not {page}.")
    heads = heads_of_model(model_at(path) or path, text, target)
    return Shown(replace(ExplorerState(), heads=heads), "heads")


def shown_by_session(opened: Opened, page: str = "") -> Shown:
    """Return what a session shows: on ``page``, on the page it was saved on, or on the only one that says something."""
    chosen = page or opened.page
    for name, reason in opened.left_out.items():
        if not chosen:
            raise ExplorerError(
                f"The session does not say which page to draw, and {name} cannot be read. Name the page."
            )
        if chosen == name:
            raise ExplorerError(
                f"The page {name} of the session cannot be read: {reason}. Correct that, or name another."
            )
    shown_on, state = opened.in_view(page)
    return Shown(state, shown_on, opened.warnings)


def _is_file(text: str, page: str) -> bool:
    if looks_like_path(text):
        return True
    try:
        if not text or not Path(text).exists():
            return False
    except OSError:  # a name too long for a file
        return False
    try:
        find_preset(text, page)
    except ExplorerError:
        return True
    return False


# ---- Writing ----


def format_for(path: Path | None, given: str = "") -> str:
    """Return the suffix of the kind of file that is asked for by name (``png`` or ``.png``) or by the path.

    Raises
    ------
    UsageError
        It is unknown, there is none, or the file would pass for a session.
    """
    from attention_explorer.kit.export.figure import EXPORT_FORMATS, format_of

    if path is not None and path.name.lower().endswith(SUFFIX):
        raise UsageError(f"“{path.name}” would pass for a session, and is to hold numbers. Leave out “.attn”.")
    suffix = f".{given.removeprefix('.')}" if given else ("" if path is None else path.suffix)
    if suffix:
        return format_of(suffix).suffix
    known = ", ".join(export_format.suffix.removeprefix(".") for export_format in EXPORT_FORMATS)
    where = "Without the name of a file" if path is None else f"Of “{path.name}”, which has no ending,"
    raise UsageError(f"{where} the kind of file cannot be told. Give a format: {known}.")


def file_bytes(shown: Shown, options: FigureOptions, what: str = "") -> bytes:
    """Return the contents of the file that the options describe: the same bytes that the window would write.

    ``what`` names one of the figures of the page; if it is empty, that is the large picture.

    Raises
    ------
    ExplorerError
        The page has no such figure, what is shown cannot be computed, the format is unknown, or the picture too large.
    """
    figure = _figure(shown, what)
    from attention_explorer.kit.export.figure import figure_bytes

    with refusals_counted(shown.state.heads.setup.count), _memory_given_back():
        return figure_bytes(figure, options)


def write_file(shown: Shown, path: Path, options: FigureOptions, what: str = "") -> None:
    """Write the contents of `file_bytes` to a file, whole or not at all; numbers are written as they are computed."""
    figure = _figure(shown, what)
    from attention_explorer.kit.export.figure import write_figure

    with refusals_counted(shown.state.heads.setup.count), _memory_given_back():
        write_figure(figure, path, options)


@contextmanager
def _memory_given_back() -> Iterator[None]:
    """Keep no more of what a picture is made of than the budget for what nobody sees: no window tidies up here."""
    try:
        yield
    finally:
        CACHE.tidy(is_done=True)


def _figure(shown: Shown, what: str) -> Figure:
    # Here Qt is started: importing the program must not do so.
    from attention_explorer.app import make_drawing_application
    from attention_explorer.pages.registry import PAGES, PICTURE

    make_drawing_application()
    (entry,) = (each for each in PAGES if each.id == shown.page)
    return entry.figure(shown.state, what or PICTURE)


def render(
    source: Source,
    out: str | os.PathLike[str] | BinaryIO | None = None,
    *,
    page: str = "",
    what: str = "",
    format: str = "",  # noqa: A002 - what NumPy, Matplotlib and the command line call it
    size: str = "",
    dpi: float = USUAL_DPI,
    theme: str = FigureTheme.PRINT,
    title: bool = True,
    axis_names: bool = True,
    colour_bar: bool = True,
    caption: bool = True,
    cells: str = Cells.AUTO,
    token_labels: bool = True,
    from_zero: bool = False,
) -> bytes:
    """Draw a state, a preset or a session, without a window, and return the contents of the file.

    The same session gives the same bytes each time on the same machine, and the same as the window and the command line
    write. Qt is started at the first call, off-screen unless the caller has an application already; who wants to open
    windows of their own makes it before.

    Parameters
    ----------
    source : ExplorerState, a state of one page, str or path
        What to draw: a state, the name of a preset, or the path of a session file. A text is a path if it ends in
        ``.json`` or has a folder in it, else a preset.
    out : str, path, binary file or None
        Where to write it, whole or not at all; None writes nothing.
    page : str
        The page to draw: ``lookup``, ``heads``, ``positions``, ``layer``, ``training``, ``circuits`` or ``lab``, of
        which ``scaling`` and ``cost`` are parts. By default that of the preset, the one that the session was saved on,
        or the only one whose part of the state is not as it starts.
    what : str
        Which figure of the page: ``picture``, the large one, by default; the page ``heads`` also has ``map``,
        ``row``, ``lines``, ``stages``, ``compare``, ``marked`` and ``check``, and ``wall``, all its heads.
    format : str
        ``png``, ``svg``, ``pdf``, ``csv``, ``npy``, ``npz`` or ``json``; by default as the path ends.
    size : str
        The width: ``89mm``, ``3.5in``, ``1200px``; by default what suits the figure.
    dpi : float
        Pixels per inch of a PNG.
    theme : str
        ``print``, ``light`` or ``dark``.
    title, axis_names, colour_bar, caption : bool
        Whether these are drawn.
    cells : str
        What the cells of maps become in SVG and PDF: ``auto``, ``rectangles`` or ``image``.
    token_labels : bool
        Whether the tokens stand beside maps and lines.
    from_zero : bool
        Whether layers, heads and tokens are counted from 0; else as the state says, which is from 1 unless it says so.

    Returns
    -------
    bytes
        The contents of the file.

    Raises
    ------
    ExplorerError
        A sentence that says what is wrong and what to do.

    Warns
    -----
    UserWarning
        A session file says something that this version does not know.

    Examples
    --------
    >>> import attention_explorer
    >>> drawing = attention_explorer.render("long-key", format="svg", size="89mm")
    >>> b'width="89mm"' in drawing
    True

    The numbers behind a picture, as the window computes them:

    >>> from attention_explorer import LookupState
    >>> text = attention_explorer.render(LookupState(hard=True), format="csv").decode()
    >>> text.splitlines()[0].startswith("name,")
    True
    """
    path, stream = (Path(out), None) if isinstance(out, str | os.PathLike) else (None, out)
    options = FigureOptions(
        format_for(path, format),
        dpi,
        length_from(size),
        _choice(FigureTheme, theme, "theme"),
        title,
        axis_names,
        colour_bar,
        caption,
        _choice(Cells, cells, "kind of cells"),
        token_labels,
    )
    shown = shown_by(source, page)
    if from_zero:
        shown = counted_from_zero(shown)
    for sentence in shown.warnings:
        warnings.warn(sentence, stacklevel=2)
    data = file_bytes(shown, options, what)
    if path is not None:
        write_whole(path, data)
    elif stream is not None:
        stream.write(data)
    return data


def _choice(kind: type[Choice], text: str, what: str) -> Choice:
    try:
        return kind(text)
    except ValueError:
        raise UsageError(f"There is no {what} {quoted(text)}. {did_you_mean(text, kind)}") from None
