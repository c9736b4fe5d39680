"""The commands `presets` and `fields`: what there is, in words."""

from __future__ import annotations

import argparse
from typing import Any

from attention_explorer.commands.output import encoded, page_named, write_out


def add_listings(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the commands."""
    presets = commands.add_parser("presets", help="list the presets: page, name and title, one on each line")
    presets.add_argument("--page", type=page_named, metavar="PAGE", help="only those of this page")
    presets.set_defaults(carry_out=_presets)
    listed = commands.add_parser("fields", help="say of each field of a page, or of all, what it is and what it may be")
    listed.add_argument("page", type=page_named, nargs="?", metavar="PAGE", help="only those of this page")
    listed.set_defaults(carry_out=_fields)


def _presets(options: argparse.Namespace) -> int:
    from attention_explorer.pages.ready_made import PAGE_IDS, presets_of

    ready = [each for name in ((options.page,) if options.page else PAGE_IDS) for each in presets_of(name)]
    width = max(len(each.id) for each in ready)
    lines = (f"{each.page:<9}  {each.id:<{width}}  {each.title}\n" for each in ready)
    return write_out(encoded("".join(lines)))


def _fields(options: argparse.Namespace) -> int:
    from attention_explorer.pages.field_manual import field_manual

    return write_out(encoded(field_manual(options.page or "")))
