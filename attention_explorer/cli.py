"""The command line: opens the window, or draws figures and pages where there is no screen."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attention_explorer import __version__
from attention_explorer.commands.lesson import add_lesson
from attention_explorer.commands.listing import DEFAULT_SIZES, add_gallery, add_listings, draw_gallery
from attention_explorer.commands.output import add_texts, complain, encoded, page_named, refuse_texts, write_out
from attention_explorer.commands.render import add_render
from attention_explorer.commands.train import add_train
from attention_explorer.display import has_display
from attention_explorer.errors import ExplorerError, UsageError, did_you_mean, quoted
from attention_explorer.sources.circuits.command_line import COMMANDS as CIRCUITS
from attention_explorer.sources.circuits.command_line import add_commands, answered

if TYPE_CHECKING:
    # Loaded by the commands that need it: the command line answers without NumPy and Qt.
    from attention_explorer.rendering import Shown

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
    from attention_explorer.pages.registry import PARTS, preset_ids

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
    add_texts(run)
    add_render(commands, RENDER_EXAMPLES)
    add_gallery(commands)
    add_listings(commands)
    add_lesson(commands)
    add_train(commands)
    add_commands(commands)
    for name in CIRCUITS:
        commands.choices[name].set_defaults(carry_out=_ask)
    top.set_defaults(carry_out=_run)
    return top


def _add_run_options(command: argparse.ArgumentParser, default: str | None) -> None:
    command.add_argument("--preset", metavar="NAME", default=default, help="start with this preset")
    command.add_argument("--page", type=page_named, metavar="PAGE", default=default, help="start with this page")
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0 done, 1 it could not be done, 2 wrong usage."""
    try:
        options = parser().parse_args(arguments)
        return int(options.carry_out(options))
    except ExplorerError as error:
        complain(str(error))
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        complain("Stopped.")
        return 130  # what shells give for Ctrl+C


def _ask(options: argparse.Namespace) -> int:
    return write_out(encoded(f"{answered(options)}\n"))


def _run(options: argparse.Namespace) -> int:
    file: Path | None = getattr(options, "file", None)
    preset_name, page = options.preset, options.page or ""
    if preset_name is not None and file is not None:
        raise ExplorerError(f"The window opens on the file “{file}” or on the preset “{preset_name}”: name one.")
    from attention_explorer.pages.registry import find_preset

    model = _model_shown(file, page, getattr(options, "text", None), getattr(options, "target", None))
    if model is None and file is not None and file.suffix not in ("", ".json"):
        _refuse_other_files(file)
    ready = None if preset_name is None else find_preset(preset_name, page)
    if not has_display() and os.environ.get("QT_QPA_PLATFORM", "") not in ("offscreen", "minimal"):
        return _without_display(options.without_display)
    from attention_explorer.session import garbage, plain_imports

    garbage.hold()  # until the window is there: all that is made now is kept, and looking it through takes time
    plain_imports.install()
    from attention_explorer.app import run_window

    how = {"is_watched": options.watch, "from_zero": options.from_zero}
    shown = ready if model is None else model
    if shown is not None:
        return run_window(shown.state, None, shown.page, **how)
    return run_window(None, file, page, **how)


def _without_display(folder: Path | None) -> int:
    """Draw every page into a folder instead of opening a window, if one is named."""
    if folder is None:
        complain(
            "there is no display to open a window on. "
            "Use “attention-explorer gallery DIR” to render its pages to PNG files."
        )
        return 1
    write_out(encoded(f"There is no display to open a window on: rendering every page to {folder}/ instead.\n"))
    return draw_gallery(folder, DEFAULT_SIZES, "both")


def _model_shown(file: Path | None, page: str, text: str | None, target: str | None) -> Shown | None:
    """Return what a model shows, opened before there is a window; None if the file is none."""
    from attention_explorer.sources.model_recipe import model_at

    if file is None or model_at(file.absolute()) is None:
        refuse_texts(text, target)
        return None
    from attention_explorer.rendering import shown_by_model

    return shown_by_model(file.absolute(), page, text, target)


def _refuse_other_files(file: Path) -> None:
    """Refuse a file that is neither a session nor attention before there is a window."""
    from attention_explorer.pages.session_file import read_session
    from attention_explorer.sources.recorded_recipe import is_recording

    if is_recording(file):
        from attention_explorer.pages.heads.file_reading import refuse_hopeless

        refuse_hopeless(file.absolute())
    else:
        read_session(file.absolute())
