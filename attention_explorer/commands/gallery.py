"""The command `gallery`: every page with every preset as PNG files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from attention_explorer.commands.output import encoded, page_named, size_from, write_out

DEFAULT_SIZES = [(1280, 800)]


def add_gallery(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command."""
    gallery = commands.add_parser("gallery", help="draw every page with every preset to PNG files, without a screen")
    gallery.add_argument("folder", type=Path, metavar="DIR", help="where to put the files")
    gallery.add_argument(
        "--size",
        type=size_from,
        action="append",
        metavar="WxH",
        help="size in pixels, 1280x800 by default; may be repeated",
    )
    gallery.add_argument("--theme", choices=("light", "dark", "both"), default="both", help="both by default")
    gallery.add_argument("--page", type=page_named, metavar="PAGE", help="one page; by default all of them")
    gallery.set_defaults(carry_out=_gallery)


def _gallery(options: argparse.Namespace) -> int:
    return draw_gallery(options.folder, options.size or DEFAULT_SIZES, options.theme, options.page or "")


def draw_gallery(folder: Path, sizes: list[tuple[int, int]], theme: str, page: str = "") -> int:
    """Draw all, or one page, into a folder, and say how many pictures there are; return the exit code."""
    from attention_explorer.app import run_gallery
    from attention_explorer.session.settings import ThemeChoice

    themes = [ThemeChoice.LIGHT, ThemeChoice.DARK] if theme == "both" else [ThemeChoice(theme)]
    paths = run_gallery(folder, sizes, themes, page)
    return write_out(encoded(f"{len(paths)} pictures in {folder}\n"))
