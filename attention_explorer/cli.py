"""The command line: opens the window, or renders its pages where there is no screen."""

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from attention_explorer import __version__
from attention_explorer.display import has_display
from attention_explorer.errors import ExplorerError

DEFAULT_SIZES = [(1280, 800)]

EXAMPLES = """examples:
  attention-explorer                              open the window
  attention-explorer --preset long-key            open it with a ready-made lookup
  attention-explorer gallery pictures             every page and preset as PNG files
  attention-explorer gallery pictures --size 2560x1440 --theme dark
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="attention-explorer",
        description="See and touch attention, the operation inside every transformer.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"Attention Explorer {__version__}")
    _add_run_options(top, default=None)
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    run = commands.add_parser("run", help="open the window (the default)")
    # What was said before the command stays said: here a missing option sets nothing.
    _add_run_options(run, default=argparse.SUPPRESS)
    gallery = commands.add_parser("gallery", help="render every page and preset to PNG files, without a screen")
    gallery.add_argument("folder", type=Path, metavar="DIR", help="where to put the files")
    gallery.add_argument(
        "--size",
        type=_size,
        action="append",
        metavar="WxH",
        help="size in pixels, 1280x800 by default; may repeat",
    )
    gallery.add_argument("--theme", choices=("light", "dark", "both"), default="both", help="both by default")
    return top


def _add_run_options(command: argparse.ArgumentParser, default: str | None) -> None:
    command.add_argument("--preset", metavar="NAME", default=default, help="start with this ready-made lookup")
    command.add_argument(
        "--without-display",
        type=Path,
        metavar="DIR",
        default=default,
        help="where there is no display, render every page to PNG files in DIR instead of failing",
    )


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)[x×](\d+)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"“{text}” is not a size such as 1280x800")
    width, height = int(match[1]), int(match[2])
    if not (320 <= width <= 7680 and 240 <= height <= 4320):
        raise argparse.ArgumentTypeError(f"“{text}” is out of range: from 320x240 to 7680x4320")
    return width, height


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code: 0 done, 1 it could not be done, 2 wrong usage."""
    options = parser().parse_args(arguments)
    try:
        if options.command == "gallery":
            return _gallery(options.folder, options.size or DEFAULT_SIZES, options.theme)
        return _run(options.preset, options.without_display)
    except ExplorerError as error:
        print(f"attention-explorer: {error}", file=sys.stderr)
        return 1


def _run(preset_name: str | None, without_display: Path | None) -> int:
    from attention_explorer.state.explorer import ExplorerState
    from attention_explorer.state.presets import preset

    state = ExplorerState(lookup=preset(preset_name).state) if preset_name else None
    if not has_display() and os.environ.get("QT_QPA_PLATFORM", "") not in ("offscreen", "minimal"):
        if without_display is None:
            print(
                "attention-explorer: there is no display to open a window on. "
                "Use “attention-explorer gallery DIR” to render its pages to PNG files.",
                file=sys.stderr,
            )
            return 1
        print(f"There is no display to open a window on: rendering every page to {without_display}/ instead.")
        return _gallery(without_display, DEFAULT_SIZES, "both")
    gc.disable()  # until the window is there: all that is made at the start is kept, and looking it through takes time
    from attention_explorer.app import run_window

    return run_window(state)


def _gallery(folder: Path, sizes: list[tuple[int, int]], theme: str) -> int:
    from attention_explorer.app import run_gallery
    from attention_explorer.session.settings import ThemeChoice

    themes = [ThemeChoice.LIGHT, ThemeChoice.DARK] if theme == "both" else [ThemeChoice(theme)]
    paths = run_gallery(folder, sizes, themes)
    print(f"{len(paths)} pictures in {folder}")
    return 0
