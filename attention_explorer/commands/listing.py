"""What there is: `presets` and `fields` in words, and `gallery` as pictures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import StrEnum
from pathlib import Path
from textwrap import fill
from typing import Any, get_args

from attention_explorer.commands.output import encoded, page_named, size_from, write_out
from attention_explorer.core.declared import ANY_FINITE, Declaration, Kind, declarations, kind_of
from attention_explorer.fields import types_of
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.registry import ALL_PARTS, parts_of
from attention_explorer.sources.registry import KINDS
from attention_explorer.sources.source import Recipe

# ---- The fields of the state ----


WIDTH = 100
"""Characters of a line."""


def field_manual(page: str = "") -> str:
    """Return an entry for each field of a page, or of all: name, label, kind, what it may be, whether a view, tip."""
    hints = types_of(ExplorerState)
    parts = parts_of(page) if page else ALL_PARTS
    return "\n".join(entry for each in parts for entry in _of_class(hints[each], each, {}))


def _of_class(kind: Any, name: str, told: dict[Any, str], of: str = "") -> Iterator[str]:  # noqa: ANN401 # a dataclass
    """Yield the entries of a class that a name holds; ``told`` has the names of the classes that have theirs."""
    told[kind] = name
    hints = types_of(kind)
    for part, said in declarations(kind).items():
        found, hint = kind_of(kind, part), hints[part]
        item = "[0]" if found is Kind.LIST else ""
        inner = next((leaf for leaf in _leaves(hint) if is_dataclass(leaf)), None)
        also = f"Its fields are those of {told[inner]}." if inner in told else ""
        facts = (said.label, found.value, _may_be(said, hint), "view" if said.is_view else "subject")
        lines = " · ".join(filter(None, facts)), said.tip, also
        yield "\n".join((f"{name}.{part}{of}", *(_indented(line) for line in lines if line), ""))
        if inner is Recipe and not also:
            told[Recipe] = f"{name}.{part}"
            for recipe, called in KINDS.items():
                yield from _of_class(recipe, f"{name}.{part}", told, f" ({called})")
        elif inner is not None and not also:
            yield from _of_class(inner, f"{name}.{part}{item}", told, of)


def _indented(text: str) -> str:
    return fill(" ".join(text.split()), WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False)


def _leaves(hint: object) -> list[Any]:
    """Return the types that a type is made of."""
    inner = get_args(hint)
    return [leaf for each in inner for leaf in _leaves(each)] if inner else [hint]


def _value(value: str, called: str) -> str:
    return (value or "empty") + (f" ({called})" if called != value else "")


def _may_be(said: Declaration, hint: object) -> str:
    """Return the range, the choices or the number of items of a field; empty if nothing is said of them."""
    leaves = _leaves(hint)
    enum = next((leaf for leaf in leaves if isinstance(leaf, type) and issubclass(leaf, StrEnum)), None)
    named = enum or said.choices or (said.known() if said.known else ("off", "on") if bool in leaves else ())
    parts = [" | ".join(_value(str(value), said.called(str(value))) for value in named)]
    if {int, float} & set(leaves) and not named:
        is_open = said.low == -ANY_FINITE and said.high == ANY_FINITE
        parts.append("any number" if is_open else f"{said.low:.10g} to {said.high:.10g}")
    if said.most < sys.maxsize:
        parts.append(f"{said.fewest} to {said.most} items")
    if type(None) in leaves:
        parts.append("or none")
    return ", ".join(filter(None, parts))


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
