"""The command line: opens the window, or draws figures and pages where there is no screen."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from attention_explorer import __version__
from attention_explorer.display import has_display
from attention_explorer.errors import ExplorerError, ExportError, UsageError, did_you_mean, full_stop, quoted
from attention_explorer.sources.circuits.command_line import COMMANDS as CIRCUITS
from attention_explorer.sources.circuits.command_line import add_commands, answered

if TYPE_CHECKING:
    # Loaded by the commands that need them: the command line answers without NumPy and Qt.
    from attention_explorer.core.figure_options import FigureOptions
    from attention_explorer.rendering import Shown

T = TypeVar("T")

DEFAULT_SIZES = [(1280, 800)]

EXAMPLES = """examples:
  attention-explorer                              open the window
  attention-explorer --preset long-key            open it with a preset of any page
  attention-explorer lesson.attn.json             open it with a saved session
  attention-explorer attention.npz                open it with the attention of your own model
  attention-explorer presets                      list the presets: page, name, title
  attention-explorer fields heads                 say what can be set on a page, field by field
  attention-explorer render long-key figure.pdf --size 89mm
  attention-explorer render lesson.attn.json heads.svg --page heads --no-title
  attention-explorer render pipeline weights.npz --page heads
  attention-explorer render stacked heads.pdf --what wall
  attention-explorer render attention.npz heads.pdf --what wall
  attention-explorer render attention.npz head.pdf --layer 2 --head 1 --what lines
  attention-explorer render - - --format png --dpi 300 < lesson.attn.json > figure.png
  attention-explorer lesson handout soft.lesson.toml soft.pdf
  attention-explorer lesson results class class.svg
  attention-explorer train it                     learn what “it” refers to, in a second or two
  attention-explorer train repeat --steps 300 --seed 1 out.npz
  attention-explorer detect MODEL                 which heads of a model look back, and which copy
  attention-explorer lens MODEL TEXT              what it would say if it ended after each layer
  attention-explorer gallery pictures             every page and preset as PNG files
  attention-explorer gallery pictures --size 2560x1440 --theme dark
"""

RENDER_EXAMPLES = "\n".join(["examples:", *(line for line in EXAMPLES.splitlines() if "explorer render" in line)])

EXIT_CODES = "exit codes: 0 done, 1 it could not be done (standard error says why), 2 wrong usage"

COMMANDS = ("run", "render", "gallery", "presets", "fields", "lesson", "train", *CIRCUITS)

STANDARD = "-"
"""Stands for standard input in the place of a session, and for standard output in that of a file."""


class _Parser(argparse.ArgumentParser):
    """Takes a file in the place of a command for one that is to be opened in the window."""

    def parse_known_args(  # type: ignore[override] # only with the kind of namespace that is used here
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As in the class above, with the command written out."""
        return super().parse_known_args(_with_command(sys.argv[1:] if args is None else list(args)), namespace)


class _Command(argparse.ArgumentParser):
    """A command whose words may stand behind its options, if it is `mixed`.

    Where a word may be missing, argparse alone takes one that comes later for one too many.
    """

    mixed = False

    def parse_known_args(  # type: ignore[override] # only with the kind of namespace that is used here
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As in the class above."""
        if not self.mixed:
            return super().parse_known_args(args, namespace)
        self.mixed = False  # the method below calls this one
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.mixed = True


def _with_command(arguments: list[str]) -> list[str]:
    """Return the arguments with ``run`` before a file that stands where a command would."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if arguments[at] in ("--preset", "--page", "--without-display", "--text", "--target") else 1
    if at >= len(arguments) or arguments[at] in COMMANDS:
        return arguments
    if not _is_file(arguments[at]):
        raise UsageError(_no_such_word(arguments[at]))
    return [*arguments[:at], "run", *arguments[at:]]


def _no_such_word(word: str) -> str:
    """Say that a word is no command and no file, and what may have been meant."""
    from attention_explorer.pages.ready_made import PARTS, preset_ids

    presets = [name for page in PARTS for name in preset_ids(page)]
    if word in presets:
        return f"{quoted(word)} is a preset: open the window with “--preset {word}”."
    otherwise = "“attention-explorer --help” lists the commands."
    advice = did_you_mean(word, COMMANDS, otherwise)
    if advice == otherwise:
        advice = did_you_mean(word, presets, otherwise)
        if advice != otherwise:
            advice += " A preset follows “--preset”."
    return f"There is no command or file {quoted(word)}. {advice}"


def _is_file(text: str) -> bool:
    from attention_explorer.core.files import looks_like_path

    return looks_like_path(text) or os.path.exists(text)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = _Parser(
        prog="attention-explorer",
        description="See and touch attention, the operation inside every transformer.",
        epilog=f"{EXAMPLES}\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"Attention Explorer {__version__}")
    _add_run_options(top, default=None)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Command)
    run = commands.add_parser("run", help="open the window (the default)")
    # What was said before the command stays said: here a missing option sets nothing.
    _add_run_options(run, default=argparse.SUPPRESS)
    run.add_argument(
        "file",
        type=Path,
        nargs="?",
        metavar="FILE",
        help="a session (.attn.json), attention (.npz, .npy, .safetensors) or a model (a folder, .gguf)",
    )
    _add_texts(run)
    _add_render(commands)
    _add_gallery(commands)
    presets = commands.add_parser("presets", help="list the presets: page, name and title, one on each line")
    presets.add_argument("--page", type=_page, metavar="PAGE", help="only those of this page")
    listed = commands.add_parser("fields", help="say of each field of a page, or of all, what it is and what it may be")
    listed.add_argument("page", type=_page, nargs="?", metavar="PAGE", help="only those of this page")
    _add_lesson(commands)
    _add_train(commands)
    add_commands(commands)
    return top


def _add_texts(command: argparse._ActionsContainer) -> None:
    command.add_argument("--text", metavar="TEXT", help="what a model reads")
    command.add_argument("--target", metavar="TEXT", help="what the decoder of BART or T5 writes: its cross-attention")


def _add_train(commands: argparse._SubParsersAction[_Command]) -> None:
    train = commands.add_parser(
        "train",
        help="have a tiny network learn a task, and print how well it does",
        description="Have a tiny network learn a task. It is measured on sentences that it never learned from.",
        epilog="tasks: it, dictionary, previous, repeat, reverse, sort, translation, brackets, die, own",
    )
    train.mixed = True
    train.add_argument("task", metavar="TASK", help="one of those below")
    train.add_argument(
        "out", type=Path, nargs="?", metavar="OUT", help="a file for what was learned, .npz, .safetensors"
    )
    train.add_argument("--steps", type=int, metavar="N", help="how many steps; by default as many as the task takes")
    train.add_argument(
        "--lines", type=Path, metavar="FILE", help="of the task own: a text file of lines “input -> answer”"
    )
    train.add_argument("--cut", choices=("words", "characters"), help="of the task own: into what lines are cut")
    for name, what in _LEARNED_NUMBERS.items():
        kind = float if name == "rate" else int
        train.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar="N", help=what, default=argparse.SUPPRESS)
    for name, (flag, what) in _LEARNED_SWITCHES.items():
        action = "store_true" if flag == name else "store_false"
        train.add_argument(f"--{flag}", dest=name, action=action, help=what, default=argparse.SUPPRESS)


_LEARNED_NUMBERS = {
    "seed": "seed of the first weights and of the sentences, 0 by default",
    "layers": "layers of attention",
    "heads": "heads of a layer",
    "d_model": "features of a token",
    "d_ff": "hidden units of the feed-forward network, 0 for none",
    "encoder_layers": "layers of a translation's encoder",
    "length": "tokens of a sentence",
    "batch": "sentences in a step",
    "rate": "the largest learning rate",
    "warm_up": "steps until the learning rate reaches it",
}
_LEARNED_SWITCHES = {
    "hard": ("hard", "let the best key take all: queries and keys then learn nothing"),
    "scaled": ("no-scale", "leave out the division by √d_k"),
    "positions": ("no-positions", "leave out the positions of tokens"),
    "residual": ("no-residual", "leave out the residual: the input of each layer, added to its output"),
}
"""By the field of the setup: the option that changes it, and what that does."""


def _add_lesson(commands: argparse._SubParsersAction[_Command]) -> None:
    lesson = commands.add_parser(
        "lesson", help="check a lesson that you are writing, print it, or see what a class knows"
    )
    tasks = lesson.add_subparsers(dest="task", metavar="TASK", required=True)
    check = tasks.add_parser("check", help="walk through a lesson and print its names and its answers")
    handout = tasks.add_parser("handout", help="write a lesson as a PDF to be printed: its questions, then the answers")
    for task in (check, handout):
        task.add_argument("file", type=Path, metavar="FILE", help="a lesson (.lesson.toml)")
    handout.add_argument("out", type=Path, metavar="OUT", help="a file ending in .pdf")
    results = tasks.add_parser(
        "results", help="draw who answered which of the thirty questions right, from a folder of results"
    )
    results.add_argument("folder", type=Path, metavar="FOLDER", help="where the files lie that Result… has written")
    results.add_argument(
        "out", type=Path, metavar="OUT", nargs="?", help="a .png, .svg or .pdf file; else results.png in the folder"
    )


def _add_run_options(command: argparse.ArgumentParser, default: str | None) -> None:
    command.add_argument("--preset", metavar="NAME", default=default, help="start with this preset")
    command.add_argument("--page", type=_page, metavar="PAGE", default=default, help="start with this page")
    command.add_argument(
        "--from-zero",
        action="store_true",
        default=False if default is None else default,
        help="count layers, heads and tokens from 0, as View → Count from 0 does",
    )
    command.add_argument(
        "--without-display",
        type=Path,
        metavar="DIR",
        default=default,
        help="where there is no display, render every page to PNG files in DIR instead of failing",
    )
    command.add_argument(
        "--watch",
        action="store_true",
        default=False if default is None else default,
        help="report on standard error what blocks the window for more than 50 ms (for developers)",
    )


def _add_gallery(commands: argparse._SubParsersAction[_Command]) -> None:
    gallery = commands.add_parser("gallery", help="draw every page with every preset to PNG files, without a screen")
    gallery.add_argument("folder", type=Path, metavar="DIR", help="where to put the files")
    gallery.add_argument(
        "--size",
        type=_size,
        action="append",
        metavar="WxH",
        help="size in pixels, 1280x800 by default; may be repeated",
    )
    gallery.add_argument("--theme", choices=("light", "dark", "both"), default="both", help="both by default")


def _add_render(commands: argparse._SubParsersAction[_Command]) -> None:
    render = commands.add_parser(
        "render",
        help="draw a session or a preset to a file, without a screen",
        description="Draw a session or a preset to a file, as the window exports it, or write its numbers.",
        epilog=RENDER_EXAMPLES,
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
    render.add_argument("--page", type=_page, metavar="PAGE", help="the page to draw; by default the saved one")
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
        "--size", type=_width, metavar="WIDTH", help="the width: 89mm, 3.5in, 1200px; by default its own"
    )
    render.add_argument("--dpi", type=_dpi, default=192.0, metavar="N", help="pixels per inch of a PNG, 192 by default")
    render.add_argument("--theme", choices=("print", "light", "dark"), default="print", help="print by default")
    render.add_argument(
        "--cells", choices=("auto", "rectangles", "image"), default="auto", help="how maps are drawn in SVG and PDF"
    )
    for part in ("title", "axis-names", "token-labels", "colour-bar", "caption"):
        render.add_argument(f"--no-{part}", action="store_true", help=f"leave out the {part.replace('-', ' ')}")


def _add_attention_options(render: argparse.ArgumentParser) -> None:
    heads = render.add_argument_group("the page heads")
    heads.add_argument("--layer", type=int, metavar="N", help="the layer, counted from 1, or from 0 with --from-zero")
    heads.add_argument("--head", type=int, metavar="N", help="the head, likewise")
    _add_texts(render.add_argument_group("models"))
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


# ---- Reading values ----


def _read(reader: Callable[[str], T], text: str) -> T:
    """Return what a reader makes of a value; what it refuses is wrong usage."""
    try:
        return reader(text)
    except ExplorerError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _page(text: str) -> str:
    from attention_explorer.pages.ready_made import page_id

    return _read(page_id, text)


def _width(text: str) -> object:
    from attention_explorer.core.figure_options import length_from

    return _read(length_from, text)


def _dpi(text: str) -> float:
    from attention_explorer.core.figure_options import resolution_from

    return _read(resolution_from, text)


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,4000})[x×]([0-9]{1,4000})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a size such as 1280x800")
    width, height = int(match[1]), int(match[2])
    if not (320 <= width <= 7680 and 240 <= height <= 4320):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is out of range: from 320x240 to 7680x4320")
    return width, height


# ---- Doing it ----


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0 done, 1 it could not be done, 2 wrong usage."""
    try:
        return _carry_out(parser().parse_args(arguments))
    except ExplorerError as error:
        _complain(str(error))
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        _complain("Stopped.")
        return 130  # what shells give for Ctrl+C


def _carry_out(options: argparse.Namespace) -> int:
    match options.command:
        case "gallery":
            return _gallery(options.folder, options.size or DEFAULT_SIZES, options.theme)
        case "render":
            return _render(options)
        case "presets":
            return _presets(options.page or "")
        case "fields":
            return _fields(options.page or "")
        case "train":
            return _train(options)
        case name if name in CIRCUITS:
            print(answered(options))
            return 0
        case "lesson":
            tasks = {"check": _check_lesson, "handout": _hand_out, "results": _draw_class}
            return tasks[options.task](options)
        case _:
            file = getattr(options, "file", None)
            how = {"is_watched": options.watch, "from_zero": options.from_zero}
            texts = getattr(options, "text", None), getattr(options, "target", None)
            return _run(options.preset, options.without_display, file, options.page, texts, how)


def _complain(sentence: str) -> None:
    print(f"attention-explorer: {sentence}", file=sys.stderr)


def _run(
    preset_name: str | None,
    without_display: Path | None,
    file: Path | None,
    page: str | None,
    texts: tuple[str | None, str | None],
    how: dict[str, bool],
) -> int:
    if preset_name is not None and file is not None:
        raise ExplorerError(f"The window opens on the file “{file}” or on the preset “{preset_name}”: name one.")
    from attention_explorer.pages.ready_made import find_preset

    model = _model_shown(file, page or "", *texts)
    if model is None and file is not None and file.suffix not in ("", ".json"):
        _refuse_other_files(file)
    ready = None if preset_name is None else find_preset(preset_name, page or "")
    if not has_display() and os.environ.get("QT_QPA_PLATFORM", "") not in ("offscreen", "minimal"):
        if without_display is None:
            _complain(
                "there is no display to open a window on. "
                "Use “attention-explorer gallery DIR” to render its pages to PNG files."
            )
            return 1
        _write_out(
            _encoded(f"There is no display to open a window on: rendering every page to {without_display}/ instead.\n")
        )
        return _gallery(without_display, DEFAULT_SIZES, "both")
    from attention_explorer.session import garbage

    garbage.hold()  # until the window is there: all that is made now is kept, and looking it through takes time
    from attention_explorer.app import run_window

    if model is not None:
        return run_window(model.state, None, model.page, **how)
    if ready is not None:
        return run_window(ready.state, None, ready.page, **how)
    return run_window(None, file, page or "", **how)


def _model_shown(file: Path | None, page: str, text: str | None, target: str | None) -> Shown | None:
    """Return what a model shows, opened before there is a window; None if the file is none."""
    from attention_explorer.sources.model_recipe import model_at

    if file is None or model_at(file.absolute()) is None:
        _refuse_texts(text, target)
        return None
    from attention_explorer.rendering import shown_by_model

    return shown_by_model(file.absolute(), page, text, target)


def _refuse_texts(text: str | None, target: str | None) -> None:
    if text is not None or target is not None:
        raise UsageError(
            "--text is what a model reads, and --target what it writes: name a model, a folder or a .gguf file."
        )


def _refuse_other_files(file: Path) -> None:
    """Refuse a file that is neither a session nor attention before there is a window."""
    from attention_explorer.pages.session_file import read_session
    from attention_explorer.sources.recorded_recipe import is_recording

    if is_recording(file):
        from attention_explorer.pages.heads.file_reading import refuse_hopeless

        refuse_hopeless(file.absolute())
    else:
        read_session(file.absolute())


def _gallery(folder: Path, sizes: list[tuple[int, int]], theme: str) -> int:
    from attention_explorer.app import run_gallery
    from attention_explorer.session.settings import ThemeChoice

    themes = [ThemeChoice.LIGHT, ThemeChoice.DARK] if theme == "both" else [ThemeChoice(theme)]
    paths = run_gallery(folder, sizes, themes)
    return _write_out(_encoded(f"{len(paths)} pictures in {folder}\n"))


def _presets(page: str) -> int:
    from attention_explorer.pages.ready_made import PAGE_IDS, presets_of

    ready = [each for name in ((page,) if page else PAGE_IDS) for each in presets_of(name)]
    width = max(len(each.id) for each in ready)
    lines = (f"{each.page:<9}  {each.id:<{width}}  {each.title}\n" for each in ready)
    return _write_out(_encoded("".join(lines)))


def _fields(page: str) -> int:
    from attention_explorer.pages.field_manual import field_manual

    return _write_out(_encoded(field_manual(page)))


def _train(options: argparse.Namespace) -> int:
    from attention_explorer.training import check_ending, report, started, write_model

    given = vars(options)
    if options.out is not None:
        check_ending(options.out)  # before, not after, it has learned
    sizes = {name: given[name] for name in (*_LEARNED_NUMBERS, *_LEARNED_SWITCHES) if name in given}
    if options.lines is not None:
        from attention_explorer.core.numerals import counted
        from attention_explorer.sources.learned.own_text import lines_from, text_in

        sizes["lines"], more = lines_from(text_in(options.lines))
        if more:
            _complain(f"Only the first lines are learned: {counted(more, 'line')} more are left out.")
    if options.cut is not None:
        sizes["cut"] = options.cut
    run = started(options.task, **sizes)
    for line in report(run, options.steps):
        if _write_out(_encoded(f"{line}\n")):
            return 1
    if options.out is not None:
        write_model(options.out, run.at())
    return 0


def _check_lesson(options: argparse.Namespace) -> int:
    from attention_explorer.tools.lessons.checking import looked_over

    return _write_out(_encoded(looked_over(options.file, _complain)))


def _hand_out(options: argparse.Namespace) -> int:
    from attention_explorer.tools.presenting.handout import read_items

    lesson, items = read_items(options.file)
    from attention_explorer.app import make_drawing_application
    from attention_explorer.tools.presenting.ui.figure import write_handout

    make_drawing_application()  # for its fonts
    write_handout(options.out, lesson, items)
    return 0


def _draw_class(options: argparse.Namespace) -> int:
    from attention_explorer.tools.lessons.class_results import asked_lines, class_from
    from attention_explorer.tools.lessons.shelf import bank

    people = class_from(options.folder, bank(), _complain)
    from attention_explorer.app import make_drawing_application
    from attention_explorer.tools.lessons.ui.results_figure import write_class

    make_drawing_application()  # for its fonts
    out = options.out or options.folder / "results.png"
    write_class(out, people, bank())
    return _write_out(_encoded(f"{out}\n{asked_lines(people, bank())}"))


def _render(options: argparse.Namespace) -> int:
    from attention_explorer.rendering import counted_from_zero, file_bytes, format_for, write_file

    path = None if options.out == STANDARD else Path(options.out)
    figure_options = _figure_options(options, format_for(path, options.format))
    shown = _shown(options.source, options.page or "", options)
    shown = _at_head(counted_from_zero(shown) if options.from_zero else shown, options)
    for sentence in shown.warnings:
        _complain(sentence)
    if path is None:
        return _write_out(file_bytes(shown, figure_options, options.what))
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
        _refuse_texts(options.text, options.target)
        tokens = () if options.tokens is None else _tokens_in(options.tokens)
        how = {"attention": options.attention, "axes": options.axes, "batch": options.batch, "tokens": tokens}
        return shown_by_recording(Path(source).absolute(), page, **how, rows=options.rows or "as they are")
    if options.attention or options.axes or options.rows or options.batch is not None or options.tokens:
        raise UsageError("--attention, --axes, --rows, --batch and --tokens are for files of attention.")
    if options.text is not None or options.target is not None:
        path = Path(source).absolute()
        if source == STANDARD or model_at(path) is None:
            _refuse_texts(options.text, options.target)
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


def _encoded(text: str) -> bytes:
    """Return words for standard output: a letter that its encoding does not have becomes a question mark."""
    return text.encode(getattr(sys.stdout, "encoding", None) or "utf-8", "replace")


def _write_out(data: bytes) -> int:
    """Write to standard output and return the exit code: 1 if its reader has gone, which is no error to speak of."""
    if sys.stdout is None:  # closed before the start, as ">&-" does
        raise ExportError("Standard output is closed. Name a file instead.")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        # At its end Python would try again to write what is left, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 1
        raise ExportError(f"Standard output takes no more: {error.strerror}. Make room, or name a file.") from error
    return 0
