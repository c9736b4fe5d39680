"""The experiments of the Heads page: what there is, what to look for, and how one is carried out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from attention_explorer.core.shuffle import shuffled_order
from attention_explorer.pages.heads.check_broadcast import broadcast_report
from attention_explorer.pages.heads.check_change import change_report
from attention_explorer.pages.heads.check_constant import constant_report
from attention_explorer.pages.heads.check_function import cells_of
from attention_explorer.pages.heads.check_mask import MaskDemo, Precision, demo_report, fixed_precision, mask_report
from attention_explorer.pages.heads.check_report import CheckReport, require_size, within
from attention_explorer.pages.heads.check_reshape import reshape_report
from attention_explorer.pages.heads.check_shuffle import shuffle_report
from attention_explorer.pages.heads.check_symmetry import symmetry_report
from attention_explorer.pages.heads.frame import HeadsFrame

MOST_AT_ONCE = 128
"""Tokens up to which an experiment is done without being asked for."""

MOST_CELLS_AT_ONCE = 2**17
"""The same for the weights of all heads together: 8 heads of 128 tokens."""

MOST_QUICK_CELLS = 2**14
"""The same for what is over before anybody has to wait, about 30 ms: 8 heads of 45 tokens."""


class Check(StrEnum):
    """An experiment."""

    SHUFFLE = "Shuffle"
    SYMMETRY = "S and Sᵀ"
    RESHAPE = "Reshape"
    MASKING = "Four ways to mask"
    CHANGE = "Change a token"
    CONSTANT = "Add a constant"
    BROADCAST = "A mask for each sequence"


LOOK_FOR = {
    Check.SHUFFLE: (
        "Put the tokens in another order. Does each output stay with its token? Add an encoding or a causal mask and "
        "look again."
    ),
    Check.SYMMETRY: "Do two tokens attend to each other equally? Compare the scores with their transpose.",
    Check.RESHAPE: "All heads in one product, then cut apart: the same as a loop over the heads, unless the transpose "
    "is forgotten.",
    Check.MASKING: "Write −∞ or −1e9 before the softmax, add −1e9, or zero the weights afterwards. Look at the row "
    "sums.",
    Check.CHANGE: "Add noise to one token. Which outputs change? Under a causal mask, none before it.",
    Check.CONSTANT: "Move the slider to add the same number to every score of the row. Do the weights move?",
    Check.BROADCAST: "Several sentences at once, each with a mask of its own. Without an axis for the heads, the "
    "masks fall on the heads instead.",
}


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment with its settings; those of the others have no effect."""

    check: Check = Check.SHUFFLE
    seed: int = 0
    """Of the shuffled order."""
    row: int | None = None
    """The pinned query, an example for S and Sᵀ, for masking and for the constant."""
    precision: Precision = Precision.FLOAT64
    demo: MaskDemo | None = None
    """An example instead of a row of the setup."""
    token: int | None = None
    """The token to change; the pinned one, or one in the middle, if not chosen."""
    amount: float = 1.0
    constant: float = 5.0
    """What is added to the scores of the row."""

    @property
    def precision_used(self) -> Precision:
        """The precision that counts: that of the example, if it is about one."""
        return fixed_precision(self.demo) or self.precision

    @property
    def essence(self) -> Experiment:
        """The experiment without what has no effect on it: equal ones need not be done again."""
        match self.check:
            case Check.SHUFFLE:
                return Experiment(self.check, seed=self.seed)
            case Check.RESHAPE:
                return Experiment(self.check)
            case Check.SYMMETRY:
                return Experiment(self.check, row=self.row)
            case Check.MASKING if self.demo is not None:
                return Experiment(self.check, demo=self.demo, precision=self.precision_used)
            case Check.MASKING:
                return Experiment(self.check, row=self.row, precision=self.precision)
            case Check.CHANGE:
                return Experiment(self.check, row=self.row, token=self.token, amount=self.amount)
            case Check.CONSTANT:
                return Experiment(self.check, row=self.row, constant=self.constant)
            case Check.BROADCAST:
                return Experiment(self.check)


def token_to_change(frame: HeadsFrame, experiment: Experiment) -> int:
    """Return the token that an experiment changes."""
    count = len(frame.keys)
    pinned = None if frame.is_cross else within(experiment.row, count)
    for wish in (within(experiment.token, count), pinned):
        if wish is not None:
            return wish
    return count // 2


def needs_asking(frame: HeadsFrame, experiment: Experiment) -> bool:
    """Whether an experiment takes so long that it is done only when asked for."""
    if experiment.check is Check.MASKING and experiment.demo is not None:
        return False
    whole_layer = experiment.check in (Check.SHUFFLE, Check.RESHAPE, Check.CHANGE)
    return max(frame.shape) > MOST_AT_ONCE or (whole_layer and cells_of(frame) > MOST_CELLS_AT_ONCE)


def is_quick(frame: HeadsFrame, experiment: Experiment) -> bool:
    """Whether an experiment is over before anybody has to wait."""
    return (experiment.check is Check.MASKING and experiment.demo is not None) or cells_of(frame) <= MOST_QUICK_CELLS


def carry_out(frame: HeadsFrame, experiment: Experiment) -> CheckReport:
    """Do an experiment.

    Raises
    ------
    ExplorerError
        It cannot be done with this setup; the message says why.
    """
    if experiment.check is Check.MASKING and experiment.demo is not None:
        return demo_report(experiment.demo, experiment.precision)
    require_size(frame)
    match experiment.check:
        case Check.SHUFFLE:
            return shuffle_report(frame, shuffled_order(len(frame.queries), experiment.seed))
        case Check.SYMMETRY:
            return symmetry_report(frame, experiment.row)
        case Check.RESHAPE:
            return reshape_report(frame)
        case Check.MASKING:
            return mask_report(frame, experiment.row, experiment.precision)
        case Check.CHANGE:
            return change_report(frame, token_to_change(frame, experiment), experiment.amount)
        case Check.CONSTANT:
            return constant_report(frame, experiment.row, experiment.constant)
        case Check.BROADCAST:
            return broadcast_report(frame)
