"""The command `lesson`: lessons are checked and printed, and the results of a class drawn."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from attention_explorer.commands.output import complain, encoded, write_out


def add_lesson(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command."""
    lesson = commands.add_parser(
        "lesson", help="check a lesson that you are writing, print it, or see what a class knows"
    )
    tasks = lesson.add_subparsers(dest="task", metavar="TASK", required=True)
    check = tasks.add_parser("check", help="walk through a lesson and print its names and its answers")
    handout = tasks.add_parser("handout", help="write a lesson as a PDF to be printed: its questions, then the answers")
    for task, carry_out in ((check, _check_lesson), (handout, _hand_out)):
        task.set_defaults(carry_out=carry_out)
        task.add_argument("file", type=Path, metavar="FILE", help="a lesson (.lesson.toml)")
    handout.add_argument("out", type=Path, metavar="OUT", help="a file ending in .pdf")
    results = tasks.add_parser(
        "results", help="draw who answered which of the thirty questions right, from a folder of results"
    )
    results.set_defaults(carry_out=_draw_class)
    results.add_argument("folder", type=Path, metavar="FOLDER", help="where the files lie that Result… has written")
    results.add_argument(
        "out", type=Path, metavar="OUT", nargs="?", help="a .png, .svg or .pdf file; else results.png in the folder"
    )


def _check_lesson(options: argparse.Namespace) -> int:
    from attention_explorer.tools.lessons.rehearsing import looked_over

    return write_out(encoded(looked_over(options.file, complain)))


def _hand_out(options: argparse.Namespace) -> int:
    from attention_explorer.tools.presenting.handout import read_items

    lesson, items = read_items(options.file)
    from attention_explorer.app import make_drawing_application
    from attention_explorer.tools.presenting.ui.figure import write_handout

    make_drawing_application()  # for its fonts
    write_handout(options.out, lesson, items)
    return 0


def _draw_class(options: argparse.Namespace) -> int:
    from attention_explorer.tools.lessons.reading import bank
    from attention_explorer.tools.lessons.results import asked_lines, class_from

    people = class_from(options.folder, bank(), complain)
    from attention_explorer.app import make_drawing_application
    from attention_explorer.tools.lessons.ui.results_figure import write_class

    make_drawing_application()  # for its fonts
    out = options.out or options.folder / "results.png"
    write_class(out, people, bank())
    return write_out(encoded(f"{out}\n{asked_lines(people, bank())}"))
