"""The experiments of the view *Check*: what there is, what to look for, and how they are carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.shuffle import shuffled_order
from attention_explorer.errors import ExplorerError
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.pages.heads.check_heads import broadcast_report, reshape_report, symmetry_report
from attention_explorer.pages.heads.check_layer import cells_of, change_report, shuffle_report
from attention_explorer.pages.heads.check_report import CheckReport, CheckTable, require_size, within
from attention_explorer.pages.heads.check_row import constant_report, demo_report, mask_report
from attention_explorer.pages.heads.frame import HeadsFrame, frame_to_show, heads_frame
from attention_explorer.pages.heads.parts import Check, Experiment
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState
from attention_explorer.pages.heads.verdict import verdict_report

MOST_AT_ONCE = 128
"""Tokens up to which all experiments are done, and not the chosen one alone."""

MOST_CELLS_AT_ONCE = 2**17
"""The same for the weights of all heads together: 8 heads of 128 tokens."""

MOST_QUICK_CELLS, FEW_CELLS = 2**14, 2**10
"""Weights of all heads up to which one experiment is over before anybody has to wait, and all of them are."""


class Trial(NamedTuple):
    """How an experiment is done.

    Attributes
    ----------
    look_for : str
        What to look for in it.
    report : callable
        (frame, settings, pinned query) -> what came out.
    settings : tuple of str
        Which settings have an effect.
    of_row : bool
        Whether the pinned query has one.
    of_layer : bool
        Whether all heads are computed.
    """

    look_for: str
    report: Callable[[HeadsFrame, Experiment, int | None], CheckReport]
    settings: tuple[str, ...] = ()
    of_row: bool = False
    of_layer: bool = False


def _shuffled(frame: HeadsFrame, given: Experiment, _row: int | None) -> CheckReport:
    require_size(frame)
    return shuffle_report(frame, shuffled_order(len(frame.queries), given.seed))


def _masked(frame: HeadsFrame, given: Experiment, row: int | None) -> CheckReport:
    if given.demo is not None:
        return demo_report(given.demo, given.precision)
    return mask_report(frame, row, given.precision)


def _changed(frame: HeadsFrame, given: Experiment, row: int | None) -> CheckReport:
    return change_report(frame, token_to_change(frame, given.token, row), given.amount)


TRIALS = {
    Check.WEIGHTS: Trial(
        "Are these weights learned, made by hand, or luck? Spread out evenly, or all on one key?",
        lambda frame, _given, _row: verdict_report(frame),
    ),
    Check.SHUFFLE: Trial(
        "Put the tokens in another order. Does each output stay with its token? Add an encoding or a causal mask and "
        "look again.",
        _shuffled,
        ("seed",),
        of_layer=True,
    ),
    Check.SYMMETRY: Trial(
        "Do two tokens attend to each other equally? Compare the scores with their transpose.",
        lambda frame, _given, row: symmetry_report(frame, row),
        of_row=True,
    ),
    Check.RESHAPE: Trial(
        "All heads in one product, then cut apart: the same as a loop over the heads, unless the transpose is "
        "forgotten.",
        lambda frame, _given, _row: reshape_report(frame),
        of_layer=True,
    ),
    Check.MASKING: Trial(
        "Write −∞ or −1e9 before the softmax, add −1e9, or zero the weights afterwards. Look at the row sums.",
        _masked,
        ("demo", "precision"),
        of_row=True,
    ),
    Check.CHANGE: Trial(
        "Add noise to one token. Which outputs change? Under a causal mask, none before it.",
        _changed,
        ("token", "amount"),
        of_row=True,
        of_layer=True,
    ),
    Check.CONSTANT: Trial(
        "Add the same number to every score of the row. Do the weights move?",
        lambda frame, given, row: constant_report(frame, row, given.constant),
        ("constant",),
        of_row=True,
    ),
    Check.BROADCAST: Trial(
        "Several sentences at once, each with a mask of its own. Without an axis for the heads, the masks fall on the "
        "heads instead.",
        lambda frame, _given, _row: broadcast_report(frame),
    ),
}


def essence(experiment: Experiment, row: int | None) -> tuple[Experiment, int | None]:
    """Return an experiment, and the pinned query, without what has no effect: equal ones need not be done again."""
    trial = TRIALS[experiment.check]
    settings = {name: getattr(experiment, name) for name in trial.settings}
    if settings.get("demo") is not None:
        settings["precision"] = experiment.precision_used
    is_of_row = trial.of_row and settings.get("demo") is None and settings.get("token") is None
    return Experiment(experiment.check, **settings), row if is_of_row else None


def token_to_change(frame: HeadsFrame, token: int | None, row: int | None) -> int:
    """Return the token that is changed: the chosen one, or else the pinned one, or else one in the middle."""
    count = len(frame.keys)
    pinned = None if frame.is_cross else within(row, count)
    for wish in (within(token, count), pinned):
        if wish is not None:
            return wish
    return count // 2


def needs_asking(frame: HeadsFrame, experiment: Experiment) -> bool:
    """Whether an experiment takes so long that it is done only when it is chosen."""
    if experiment.check is Check.WEIGHTS or (experiment.check is Check.MASKING and experiment.demo is not None):
        return False
    of_layer = TRIALS[experiment.check].of_layer
    return max(frame.shape) > MOST_AT_ONCE or (of_layer and cells_of(frame) > MOST_CELLS_AT_ONCE)


def carry_out(frame: HeadsFrame, experiment: Experiment, row: int | None = None) -> CheckReport:
    """Do an experiment; ``row`` is the pinned query.

    Raises
    ------
    ExplorerError
        It cannot be done with this setup; the message says why.
    """
    return TRIALS[experiment.check].report(frame, experiment, row)


@kept
def outcome(setup: HeadsSetup, experiment: Experiment, row: int | None) -> CheckReport | str:
    """Return what came out of an experiment, or why it cannot be done."""
    frame = heads_frame(setup)
    try:
        return carry_out(frame, experiment, row)
    except ExplorerError as error:
        return frame.count.recounted(str(error))


# ---- All of them, for the view ----


@dataclass(frozen=True, slots=True, eq=False)
class CheckNumbers:
    """What came out of the experiments so far.

    Attributes
    ----------
    frame : HeadsFrame
        What was experimented with.
    experiment : Experiment
        The chosen one, with all settings.
    found : mapping of Check to CheckReport or str
        Results, and the reasons of those that cannot be done; those to come are not in it.
    """

    frame: HeadsFrame
    experiment: Experiment
    found: Mapping[Check, CheckReport | str] = field(default_factory=dict)

    @property
    def chosen(self) -> CheckReport | None:
        """The report on the chosen one; None if it cannot be done."""
        found = self.found.get(self.experiment.check)
        return found if isinstance(found, CheckReport) else None

    @property
    def tables(self) -> tuple[CheckTable, ...]:
        """The tables of the chosen one, if there are any."""
        return () if self.chosen is None else self.chosen.tables

    def result(self, check: Check) -> str:
        """Return what came out of an experiment, in a sentence or two."""
        found = self.found.get(check)
        if found is None:
            waits = needs_asking(self.frame, replace(self.experiment, check=check))
            return "Choose it to have it done: here it takes a moment." if waits else "…"
        return found if isinstance(found, str) else found.result


def check_stream(heads: HeadsState, _pixels: tuple[int, int] = (0, 0)) -> Iterator[tuple[float, CheckNumbers]]:
    """Yield the share that is done and the results so far: the chosen experiment first, then the others.

    Raises
    ------
    ExplorerError
        The attention cannot be computed; the message says why.
    """
    frame, chosen = frame_to_show(heads.setup), heads.experiment
    found: dict[Check, CheckReport | str] = {}
    others = (replace(chosen, check=check) for check in Check if check is not chosen.check)
    wanted = [chosen, *(each for each in others if not needs_asking(frame, each))]
    for done, each in enumerate(wanted, start=1):
        checkpoint()
        found[each.check] = outcome(heads.setup, *essence(each, heads.view.row))
        yield done / len(wanted), CheckNumbers(frame, chosen, dict(found))


def check_numbers(heads: HeadsState, _pixels: tuple[int, int] = (0, 0)) -> CheckNumbers:
    """Return the results of all experiments, of a long sentence of the chosen one."""
    return list(check_stream(heads))[-1][1]


def is_quick(heads: HeadsState) -> bool:
    """Whether all results are there, or nearly so."""
    frame = heads_frame.peek(heads.setup)
    if frame is None or cells_of(frame) > MOST_QUICK_CELLS:
        return False
    if cells_of(frame) <= FEW_CELLS:
        return True
    asked = (essence(replace(heads.experiment, check=check), heads.view.row) for check in Check)
    return sum(outcome.peek(heads.setup, *each) is None for each in asked) <= 1
