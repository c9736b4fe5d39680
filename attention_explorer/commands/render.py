"""The command `render`: a figure, or its numbers, without a screen."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attention_explorer.commands.output import (
    add_texts,
    complain,
    dpi_from,
    page_named,
    refuse_texts,
    width_from,
    write_out,
)
from attention_explorer.errors import ExplorerError, UsageError, full_stop, quoted

if TYPE_CHECKING:
    # Loaded when something is drawn: the command line answers without NumPy and Qt.
    from attention_explorer.core.figure_options import FigureOptions
    from attention_explorer.rendering import Shown

STANDARD = "-"
"""Stands for standard input in the place of a session, and for standard output in that of a file."""


def add_render(commands: argparse._SubParsersAction[Any], examples: str) -> None:
    """Add the command, with lines of examples."""
    render = commands.add_parser(
        "render",
        help="draw a session or a preset to a file, without a screen",
        description="Draw a session or a preset to a file, as the window exports it, or write its numbers.",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    render.add_argument(
        "source",
        metavar="SOURCE",
        help="a session (.json), attention (.npz, .npy, .safetensors), a model (a folder, .gguf), a "
        "preset, or - for a session on standard input",
    )
    render.add_argument(
        "out",
        metavar="OUT",
        help="a file ending in .png, .svg, .pdf, .csv, .npy, .npz or .json, or - for standard output",
    )
    render.add_argument("--page", type=page_named, metavar="PAGE", help="the page to draw; by default the saved one")
    render.add_argument(
        "--what",
        default="",
        metavar="FIGURE",
        help="picture (the default); on the page heads also map, row, lines, stages, compare, marked, check, or wall, "
        "all heads",
    )
    _add_attention_options(render)
    render.add_argument("--from-zero", action="store_true", help="count layers, heads and tokens from 0, as code does")
    render.add_argument("--format", default="", metavar="KIND", help="png, svg …; needed if OUT has no such ending")
    render.add_argument(
        "--size", type=width_from, metavar="WIDTH", help="the width: 89mm, 3.5in, 1200px; by default its own"
    )
    render.add_argument(
        "--dpi", type=dpi_from, default=192.0, metavar="N", help="pixels per inch of a PNG, 192 by default"
    )
    render.add_argument("--theme", choices=("print", "light", "dark"), default="print", help="print by default")
    render.add_argument(
        "--cells", choices=("auto", "rectangles", "image"), default="auto", help="how maps are drawn in SVG and PDF"
    )
    for part in ("title", "axis-names", "token-labels", "colour-bar", "caption"):
        render.add_argument(f"--no-{part}", action="store_true", help=f"leave out the {part.replace('-', ' ')}")
    render.set_defaults(carry_out=_render)


def _add_attention_options(render: argparse.ArgumentParser) -> None:
    heads = render.add_argument_group("the page heads")
    heads.add_argument("--layer", type=int, metavar="N", help="the layer, counted from 1, or from 0 with --from-zero")
    heads.add_argument("--head", type=int, metavar="N", help="the head, likewise")
    add_texts(render.add_argument_group("models"))
    files = render.add_argument_group("files of attention")
    files.add_argument("--attention", default="", metavar="NAME", help="what the weights are called in the file")
    files.add_argument(
        "--axes",
        default="",
        metavar="LETTERS",
        help="the axes: l layers, b batch, h heads, q queries, k keys",
    )
    files.add_argument(
        "--rows",
        choices=("softmax", "normalise"),
        help="make weights of the rows: softmax of scores, or each row divided by its sum",
    )
    files.add_argument("--batch", type=int, metavar="N", help="which sequence of the batch, from 0")
    files.add_argument(
        "--tokens", type=Path, metavar="FILE", help="the tokens: a JSON list of texts, or one token on each line"
    )


def _render(options: argparse.Namespace) -> int:
    from attention_explorer.rendering import counted_from_zero, file_bytes, format_for, write_file

    path = None if options.out == STANDARD else Path(options.out)
    figure_options = _figure_options(options, format_for(path, options.format))
    shown = _shown(options.source, options.page or "", options)
    shown = _at_head(counted_from_zero(shown) if options.from_zero else shown, options)
    for sentence in shown.warnings:
        complain(sentence)
    if path is None:
        return write_out(file_bytes(shown, figure_options, options.what))
    write_file(shown, path, figure_options, options.what)
    return 0


def _at_head(shown: Shown, options: argparse.Namespace) -> Shown:
    """Return what is shown with the head that was asked for."""
    from dataclasses import replace

    from attention_explorer.core.counting import Count
    from attention_explorer.pages.heads.recorded import looking_at

    if options.layer is None and options.head is None:
        return shown
    if shown.page != "heads":
        raise UsageError("--layer and --head are for the page heads.")
    count = Count.FROM_ZERO if options.from_zero else Count.FROM_ONE
    layer, head = (None if number is None else count.index_of(number) for number in (options.layer, options.head))
    return replace(shown, state=replace(shown.state, heads=looking_at(shown.state.heads, layer, head)))


def _figure_options(options: argparse.Namespace, suffix: str) -> FigureOptions:
    from attention_explorer.core.figure_options import Cells, FigureOptions, FigureTheme

    return FigureOptions(
        suffix,
        options.dpi,
        options.size,
        FigureTheme(options.theme),
        title=not options.no_title,
        axis_names=not options.no_axis_names,
        token_labels=not options.no_token_labels,
        colour_bar=not options.no_colour_bar,
        caption=not options.no_caption,
        cells=Cells(options.cells),
    )


def _shown(source: str, page: str, options: argparse.Namespace) -> Shown:
    from attention_explorer.pages.session_file import read_session_stream
    from attention_explorer.rendering import shown_by, shown_by_model, shown_by_recording, shown_by_session
    from attention_explorer.sources.model_recipe import model_at
    from attention_explorer.sources.recorded_recipe import is_recording

    is_attention = source != STANDARD and is_recording(Path(source))
    if is_attention:
        refuse_texts(options.text, options.target)
        tokens = () if options.tokens is None else _tokens_in(options.tokens)
        how = {"attention": options.attention, "axes": options.axes, "batch": options.batch, "tokens": tokens}
        return shown_by_recording(Path(source).absolute(), page, **how, rows=options.rows or "as they are")
    if options.attention or options.axes or options.rows or options.batch is not None or options.tokens:
        raise UsageError("--attention, --axes, --rows, --batch and --tokens are for files of attention.")
    if options.text is not None or options.target is not None:
        path = Path(source).absolute()
        if source == STANDARD or model_at(path) is None:
            refuse_texts(options.text, options.target)
        return shown_by_model(path, page, options.text, options.target)
    if source != STANDARD:
        return shown_by(source, page)
    if sys.stdin is None:  # closed before the start, as "<&-" does
        raise ExplorerError("Standard input is closed. Name a session file instead of “-”.")
    return shown_by_session(read_session_stream(sys.stdin.buffer, "standard input"), page)


def _tokens_in(path: Path) -> tuple[str, ...]:
    """Read tokens: a JSON list of texts, or one on each line."""
    from attention_explorer.core.json_text import JsonTextError, json_from

    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ExplorerError(f"{quoted(str(path))} cannot be read as a list of tokens: {error.strerror}.") from None
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise ExplorerError(
            f"{quoted(str(path))} is not text: give the tokens as a JSON list of texts, or one on each line, in UTF-8."
        )
    try:
        listed = json_from(text) if path.suffix == ".json" or text.lstrip().startswith("[") else None
    except JsonTextError as error:
        if path.suffix == ".json":
            raise ExplorerError(f"{quoted(str(path))} is not a JSON list: {full_stop(str(error))}") from None
        listed = None  # lines, of which the first may be [CLS]
    if listed is None:
        listed = text.removesuffix("\n").split("\n") if text else []
    if not (isinstance(listed, list) and all(isinstance(token, str) for token in listed)):
        raise ExplorerError(f"{quoted(str(path))} must be a list of texts, one for each token.")
    return tuple(listed)
