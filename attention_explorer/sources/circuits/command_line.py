"""What is asked of a model from the command line; answering without NumPy until something is asked."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attention_explorer.errors import UsageError

if TYPE_CHECKING:
    from attention_explorer.sources.models import Model

DETECT, KNOCK_OUT, PATCH, LENS, ATTRIBUTE, SURVEY = "detect", "knock-out", "patch", "lens", "attribute", "survey"
COMMANDS = {
    DETECT: "score every head by where it looks: the token before, the same one, what followed it, the first one",
    KNOCK_OUT: "switch every head off, one by one, and print what that does to a word or to the loss",
    PATCH: "run a twin of a text with values of the text put in: where the answer is decided",
    LENS: "print what a model would say next if it ended after each of its layers",
    ATTRIBUTE: "print which heads wrote an answer, and which words made it",
    SURVEY: "look at what heads do over the lines of a file, on average and how that differs",
}


def add_commands(commands: argparse._SubParsersAction[Any]) -> None:
    """Add the commands to those of the program."""
    for name, what in COMMANDS.items():
        command = commands.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}. All counts from 0.")
        command.add_argument("model", type=Path, metavar="MODEL", help="a folder, or a .gguf file")
        if name not in (DETECT, SURVEY):
            command.add_argument("text", metavar="TEXT", help="what the model reads")
            command.add_argument("--target", metavar="TEXT", help="what the decoder of BART or T5 has written")
            command.add_argument(
                "--position", type=int, default=-1, metavar="N", help="which token, by default the last"
            )
        if name == PATCH:
            command.add_argument("twin", metavar="TWIN", help="a text of as many tokens, into which values are put")
        _add_own(name, command)
        command.add_argument("--out", type=Path, metavar="FILE", help="write the numbers too, .csv or .npz")


def _add_own(name: str, command: argparse.ArgumentParser) -> None:
    if name in (KNOCK_OUT, PATCH, ATTRIBUTE):
        command.add_argument("--word", metavar="WORD", help="the answer, one token")
        command.add_argument("--against", metavar="WORD", help="the answer less this one, by logits")
    if name == KNOCK_OUT:
        command.add_argument("--by", choices=("zero", "mean"), default="zero", help="what takes the head's place")
    if name == PATCH:
        command.add_argument("--where", default="residual", metavar="PART", help="residual, attention, network, head …")
    if name == DETECT:
        command.add_argument(
            "--text", action="append", metavar="TEXT", help="instead of random tokens; may be repeated"
        )
        command.add_argument("--seed", type=int, default=0, metavar="N", help="of the random tokens, 0 by default")
    if name == SURVEY:
        command.add_argument("file", type=Path, metavar="FILE", help="a text, one sentence a line")
        command.add_argument("--most", type=int, default=10_000, metavar="N", help="lines at most, 10000 by default")
        command.add_argument("--save", type=Path, metavar="FILE", help="keep sums here (.npz), and go on with them")
    if name == LENS:
        command.add_argument("--word", metavar="WORD", help="print this word's probability and rank as well")


def answered(options: argparse.Namespace) -> str:
    """Return the answer as text, after it was written to the file that was named.

    Raises
    ------
    ExplorerError
        If the model cannot be opened or cannot be asked that.
    """
    from attention_explorer.sources.models import load_model  # NumPy comes with it

    if options.out is not None and options.out.suffix.lower() not in (".csv", ".npz"):
        raise UsageError(f"“{options.out.name}” is no file of numbers: name one that ends in .csv or .npz.")
    model = load_model(options.model)
    results = _results(model, options)
    for place, result in enumerate(results):
        if options.out is not None:
            result.save(options.out if not place else options.out.with_stem(f"{options.out.stem}-{place + 1}"))
    return "\n\n".join(map(str, results))


def _results(model: Model, options: argparse.Namespace) -> list[Any]:
    """Return what is printed, and saved."""
    match options.command:
        case "detect":
            return [model.detect(options.text, options.seed)]
        case "knock-out":
            asked = "loss" if options.word is None else _asked(options)
            how = {"target": options.target, "position": options.position}
            return [model.knock_out(options.text, asked, by=options.by, **how)]
        case "patch":
            how = {"target": options.target, "position": options.position}
            return [model.patch(options.text, options.twin, _asked(options), options.where, **how)]
        case "survey":
            return [model.survey(options.file, options.most, save=options.save)]
        case "lens":
            lens = model(options.text, options.target).lens(options.position)
            return [lens] if options.word is None else [lens, lens.probability(options.word), lens.rank(options.word)]
        case _:
            _asked(options)
            trace = model(options.text, options.target)
            of_word = options.word, options.against, options.position
            return [trace.contributions(*of_word), trace.words(*of_word)]


def _asked(options: argparse.Namespace) -> str | tuple[str, str]:
    """Return the word that is asked, or the pair."""
    if options.word is None:
        raise UsageError("Name the answer: --word WORD, and --against WORD if another one is to be taken off.")
    return options.word if options.against is None else (options.word, options.against)
