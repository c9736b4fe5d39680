"""What there is: `presets` and `fields` in words, and `gallery` as pictures."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from attention_explorer.commands.output import encoded, page_named, size_from, write_out


def add_listings(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the commands."""
    presets = commands.add_parser("presets", help="list the presets: page, name and title, one on each line")
    presets.add_argument("--page", type=page_named, metavar="PAGE", help="only those of this page")
    presets.set_defaults(carry_out=_presets)
    listed = commands.add_parser("fields", help="say of each field of a page, or of all, what it is and what it may be")
    listed.add_argument("page", type=page_named, nargs="?", metavar="PAGE", help="only those of this page")
    listed.set_defaults(carry_out=_fields)


def _presets(options: argparse.Namespace) -> int:
    from attention_explorer.pages.registry import PAGE_IDS, presets_of

    ready = [each for name in ((options.page,) if options.page else PAGE_IDS) for each in presets_of(name)]
    width = max(len(each.id) for each in ready)
    lines = (f"{each.page:<9}  {each.id:<{width}}  {each.title}\n" for each in ready)
    return write_out(encoded("".join(lines)))


def _fields(options: argparse.Namespace) -> int:
    from attention_explorer.pages.field_manual import field_manual

    return write_out(encoded(field_manual(options.page or "")))


# ---- The gallery ----


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
