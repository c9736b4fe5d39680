"""The command `train`: a tiny network learns a task."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from attention_explorer.commands.output import complain, encoded, write_out

LEARNED_NUMBERS = {
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
LEARNED_SWITCHES = {
    "hard": ("hard", "let the best key take all: queries and keys then learn nothing"),
    "scaled": ("no-scale", "leave out the division by √d_k"),
    "positions": ("no-positions", "leave out the positions of tokens"),
    "residual": ("no-residual", "leave out the residual: the input of each layer, added to its output"),
}
"""By the field of the setup: the option that changes it, and what that does."""


def add_train(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the command."""
    train = commands.add_parser(
        "train",
        help="have a tiny network learn a task, and print how well it does",
        description="Have a tiny network learn a task. It is measured on sentences that it never learned from.",
        epilog="tasks: it, dictionary, previous, repeat, reverse, sort, translation, brackets, die, own",
    )
    train.mixed = True
    train.set_defaults(carry_out=_train)
    train.add_argument("task", metavar="TASK", help="one of those below")
    train.add_argument(
        "out", type=Path, nargs="?", metavar="OUT", help="a file for what was learned, .npz, .safetensors"
    )
    train.add_argument("--steps", type=int, metavar="N", help="how many steps; by default as many as the task takes")
    train.add_argument(
        "--lines", type=Path, metavar="FILE", help="of the task own: a text file of lines “input -> answer”"
    )
    train.add_argument("--cut", choices=("words", "characters"), help="of the task own: into what lines are cut")
    for name, what in LEARNED_NUMBERS.items():
        kind = float if name == "rate" else int
        train.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar="N", help=what, default=argparse.SUPPRESS)
    for name, (flag, what) in LEARNED_SWITCHES.items():
        action = "store_true" if flag == name else "store_false"
        train.add_argument(f"--{flag}", dest=name, action=action, help=what, default=argparse.SUPPRESS)


def _train(options: argparse.Namespace) -> int:
    from attention_explorer.training import check_ending, report, started, write_model

    given = vars(options)
    if options.out is not None:
        check_ending(options.out)  # before, not after, it has learned
    sizes = {name: given[name] for name in (*LEARNED_NUMBERS, *LEARNED_SWITCHES) if name in given}
    if options.lines is not None:
        from attention_explorer.core.numerals import counted
        from attention_explorer.sources.learned.own_text import lines_from, text_in

        sizes["lines"], more = lines_from(text_in(options.lines))
        if more:
            complain(f"Only the first lines are learned: {counted(more, 'line')} more are left out.")
    if options.cut is not None:
        sizes["cut"] = options.cut
    run = started(options.task, **sizes)
    for line in report(run, options.steps):
        if write_out(encoded(f"{line}\n")):
            return 1
    if options.out is not None:
        write_model(options.out, run.at())
    return 0
