"""One row of scores: ways to mask it, which of them hide and which only seem to, and a constant on all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import BoolArray, FloatArray
from attention_explorer.core.numerals import percent, signed, size_text, subscript, weight_text
from attention_explorer.core.shuffle import rounding_of
from attention_explorer.core.words import capital
from attention_explorer.errors import ExplorerError
from attention_explorer.model import MaskFill, Stage, causal_mask, filled_weights, hard_weights, softmax
from attention_explorer.pages.heads.check_report import (
    MOST_LISTED,
    ROUNDING,
    Cell,
    CheckReport,
    CheckTable,
    Form,
    left_out,
    listed_rows,
    require_size,
    within,
)
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.parts import MaskDemo, Precision, fixed_precision
from attention_explorer.pages.heads.wording import one, query_name

# ---- Four ways to mask it ----

FILLS = tuple(MaskFill)
"""The order of the columns; the first is what this program does."""

FILL_TITLES = {
    MaskFill.MINUS_INFINITY: "−∞",
    MaskFill.LARGE_NEGATIVE: "−1e9",
    MaskFill.ADDED: "+(−1e9)",
    MaskFill.AFTER_SOFTMAX: "zeroed",
}
FILL_NAMES = {
    MaskFill.LARGE_NEGATIVE: "−1e9 instead of the score",
    MaskFill.ADDED: "−1e9 added to the score",
    MaskFill.AFTER_SOFTMAX: "zeroing after the softmax",
}

HIDDEN_MARK = "×"


@dataclass(frozen=True, slots=True, eq=False)
class MaskCheck:
    """One query under every way to mask."""

    name: str  # of the query
    keys: tuple[str, ...]
    scores: FloatArray  # scaled, (n_k,)
    visible: BoolArray  # (n_k,)
    precision: Precision
    weights: FloatArray  # (fills, n_k), a row for each of `FILLS`
    borrowed_mask: bool = False
    """Whether the setup has no mask, and a causal one stands in."""
    count: Count = Count.FROM_ONE

    @property
    def sums(self) -> tuple[float, ...]:
        """The sum of the weights, way by way."""
        return tuple(self.weights.astype(np.float64).sum(axis=1).tolist())

    @property
    def gaps(self) -> tuple[float, ...]:
        """How far the weights are from those of the first way; NaN where one is no number."""
        weights = self.weights.astype(np.float64)
        return tuple(np.abs(weights - weights[0]).max(axis=1).tolist())


_DEMO_SCORES = (0.5, -1.2, 2.0, 0.3)


def demo_check(demo: MaskDemo, precision: Precision = Precision.FLOAT64) -> MaskCheck:
    """Compute a row of scores that shows what goes wrong; in the precision that the example is about, if it is."""
    if demo is MaskDemo.LOW_SCORE:
        scores, visible = np.array([-2e9, 0.0]), np.array([True, False])
    else:
        scores, visible = np.array(_DEMO_SCORES), np.zeros(len(_DEMO_SCORES), np.bool_)
    precision = fixed_precision(demo) or precision
    keys = tuple(f"k{subscript(number + 1)}" for number in range(len(scores)))
    return MaskCheck(demo.value, keys, scores, visible, precision, _all_fills(scores, visible, 1.0, precision))


def mask_check(frame: HeadsFrame, row: int | None = None, precision: Precision = Precision.FLOAT64) -> MaskCheck:
    """Mask one row of the chosen head in every way; the last row that has a hidden key, if none is given.

    Without a mask, a causal one stands in.

    Raises
    ------
    ExplorerError
        No row has a hidden key even then, or there are too many tokens.
    """
    require_size(frame)
    mask = causal_mask(*frame.shape) if frame.mask is None else frame.mask
    asked = within(row, len(frame.queries))
    chosen = _last_hiding_row(mask) if asked is None else asked
    scores = frame.head_map.scores(one(chosen), stage=Stage.SCALED)[0]
    weights = _all_fills(scores, mask[chosen], frame.setup.temperature, precision)
    name = query_name(frame, chosen)
    return MaskCheck(name, frame.keys, scores, mask[chosen], precision, weights, frame.mask is None, frame.count)


def _last_hiding_row(mask: BoolArray) -> int:
    hiding = np.flatnonzero(~mask.all(axis=1))
    if not hiding.size:
        raise ExplorerError("No query has a hidden key: choose a mask, or type a longer sentence.")
    return int(hiding[-1])


def _all_fills(scores: FloatArray, visible: BoolArray, temperature: float, precision: Precision) -> FloatArray:
    with np.errstate(over="ignore"):  # beyond float16 a score becomes infinite: that is what would happen
        return np.concatenate(
            [
                filled_weights(scores[None], visible[None], fill, temperature=temperature, dtype=precision.value)
                for fill in FILLS
            ]
        )


def mask_report(frame: HeadsFrame, row: int | None = None, precision: Precision = Precision.FLOAT64) -> CheckReport:
    """Mask a row in every way and say which ways differ."""
    check = mask_check(frame, row, precision)
    said = check.visible.any() and np.isfinite(check.weights.astype(np.float64)).all()
    notes = [f"The row of {check.name} in {check.precision}." + f" {_NOTE}" * bool(said)]
    if check.borrowed_mask:
        notes.append("The setup has no mask, so a causal one is used here.")
    if frame.setup.hard:
        notes.append("The lookup of the setup is hard; this experiment takes the softmax all the same.")
    return CheckReport(_result(check), (_table(check),), tuple(notes))


_NOTE = "Masked before the softmax a row sums to 1; zeroed afterwards, what the hidden keys took is missing."


def demo_report(demo: MaskDemo, precision: Precision = Precision.FLOAT64) -> CheckReport:
    """Show a row for which the ways to mask disagree."""
    check = demo_check(demo, precision)
    always = "always " if fixed_precision(demo) is not None else ""
    notes = [f"An example, {always}in {check.precision}, not the setup. {_DEMO_NOTES[demo]}"]
    if always:
        notes.append("The precision cannot be changed: the example is about this one.")
    if check.precision is Precision.FLOAT16:
        notes.append("The largest number of float16 is 65504, so −1e9 becomes −∞.")
    return CheckReport(_demo_result(demo, check), (_table(check),), tuple(notes))


_DEMO_NOTES = {
    MaskDemo.FULLY_MASKED: (
        "A plain softmax gives NaN for −∞ here (−∞ − (−∞)); this program gives zeros and says that there is nothing to "
        "attend to. −1e9, where it is a number, is the same score for every key."
    ),
    MaskDemo.LOW_SCORE: "−1e9 is a score like any other: a visible key with a lower one gets less weight.",
    MaskDemo.ADDED_FLOAT32: (
        "Near 1e9 neighbouring float32 numbers are 64 apart, so adding −1e9 wipes the scores out. In float64 they "
        "survive, and the row attends as if there were no mask."
    ),
}


def _demo_result(demo: MaskDemo, check: MaskCheck) -> str:
    large, added = (check.weights[FILLS.index(fill)] for fill in (MaskFill.LARGE_NEGATIVE, MaskFill.ADDED))
    if np.isnan(large).any():
        return _not_numbers(demo, check)
    if demo is MaskDemo.FULLY_MASKED:
        return f"−1e9 gives each of the {len(large)} forbidden keys {float(large[0]):.2f}; −∞ gives them 0."
    if demo is MaskDemo.LOW_SCORE:
        return f"−1e9 puts {percent(float(large[1]))} of the weight on the masked key; −∞ puts none there."
    return f"Adding −1e9 in float32 makes all {len(added)} weights {float(added[0]):.2f}: the scores are lost."


def _not_numbers(demo: MaskDemo, check: MaskCheck) -> str:
    if demo is MaskDemo.FULLY_MASKED:
        return f"In {check.precision} −1e9 makes all {len(check.keys)} weights NaN; −∞ gives them 0."
    return (
        f"In {check.precision} the visible score of −2e9 is −∞ too, so no way to mask before the softmax has numbers."
    )


def _result(check: MaskCheck) -> str:
    if check.visible.all():
        return "No key is hidden from this query, so all ways agree: pin another row."
    gaps = dict(zip(FILLS, check.gaps, strict=True))
    sums = dict(zip(FILLS, check.sums, strict=True))
    if not check.visible.any():
        return (
            "Nothing is visible to this query: −∞ gives zeros here, −1e9 sums to "
            f"{_sum_text(sums[MaskFill.LARGE_NEGATIVE])} over forbidden keys."
        )
    if not np.isfinite(check.weights[0].astype(np.float64)).all():
        return f"These scores are beyond the range of {check.precision}: the weights are not numbers."
    others = (MaskFill.LARGE_NEGATIVE, MaskFill.ADDED)
    differing = [f"{FILL_NAMES[fill]} differs by {size_text(gaps[fill])}" for fill in others if gaps[fill]]
    agreed = "; ".join(differing) if differing else "−∞ and both kinds of −1e9 agree to the last bit"
    after = sums[MaskFill.AFTER_SOFTMAX]
    return f"{capital(agreed)}; zeroed after the softmax the row sums to {_sum_text(after)}."


def _sum_text(total: float) -> str:
    return weight_text(total) if np.isfinite(total) else "NaN"


def _table(check: MaskCheck) -> CheckTable:
    keys = _listed_keys(check)
    totals: tuple[tuple[Cell, ...], ...] = (("row sum", *check.sums), ("max diff.", *check.gaps))
    more = left_out(len(check.keys) - len(keys), "keys")
    title = f"Weights in {check.precision}; {HIDDEN_MARK} marks a hidden key"
    columns = (("key", Form.TEXT), *((FILL_TITLES[fill], Form.WEIGHT) for fill in FILLS))
    return CheckTable(columns, (*totals, *(_key_row(check, key) for key in keys)), title, 0, more=more)


def _key_row(check: MaskCheck, key: int) -> tuple[Cell, ...]:
    name = f"{check.count.number(key)} {' ' if check.visible[key] else HIDDEN_MARK + ' '}{check.keys[key]}"
    return name, *(float(weight) for weight in check.weights[:, key])


def _listed_keys(check: MaskCheck) -> list[int]:
    """Return the keys to list, in order: of many, those with the largest scores among the visible and the hidden."""
    if len(check.keys) <= MOST_LISTED:
        return list(range(len(check.keys)))
    by_score = np.argsort(-check.scores, kind="stable")
    half = MOST_LISTED // 2
    hidden = by_score[~check.visible[by_score]][:half]
    return sorted([*by_score[check.visible[by_score]][: MOST_LISTED - len(hidden)].tolist(), *hidden.tolist()])


# ---- Add a constant to every score of it: no weight moves ----


@dataclass(frozen=True, slots=True, eq=False)
class ConstantCheck:
    """One row of scores and its weights, before and after a constant was added."""

    row: int
    constant: float
    scores: FloatArray  # scaled, (n_k,)
    visible: BoolArray  # (n_k,)
    before: FloatArray  # weights, (n_k,)
    after: FloatArray  # weights of scores + constant, (n_k,)

    @property
    def gap(self) -> float:
        """How far any weight moved."""
        return float(np.abs(self.after - self.before).max())


def constant_check(frame: HeadsFrame, row: int | None, constant: float) -> ConstantCheck:
    """Add a constant to the scaled scores of a query of the chosen head; the last query, if none is given.

    Raises
    ------
    ExplorerError
        There are too many tokens, or none.
    """
    require_size(frame)
    asked = within(row, len(frame.queries))
    chosen = len(frame.queries) - 1 if asked is None else asked
    scores = frame.head_map.scores(one(chosen), stage=Stage.SCALED)[0]
    visible = np.ones(len(scores), np.bool_) if frame.mask is None else frame.mask[chosen]
    shifted = np.where(visible, scores + constant, -np.inf)
    after = hard_weights(shifted) if frame.setup.hard else softmax(shifted, temperature=frame.setup.temperature)
    return ConstantCheck(chosen, constant, scores, visible, frame.head_map.weights(one(chosen))[0], after)


def constant_report(frame: HeadsFrame, row: int | None, constant: float) -> CheckReport:
    """Add a constant to a row and say that the weights stay."""
    check = constant_check(frame, row, constant)
    name = query_name(frame, check.row)
    note = (
        "Only the differences between the scores of a row become weights. So a high score alone does not mean high "
        "relevance."
    )
    return CheckReport(_constant_in_words(check, name), (_constant_table(frame, check),), (note,))


def _constant_in_words(check: ConstantCheck, name: str) -> str:
    done = f"{signed(check.constant, 1)} on every score of {name}"
    if not check.visible.any():
        return f"{name} may attend to nothing: there is no weight to move."
    if check.gap < rounding_of(check.after, ROUNDING):
        return f"{done} moves no weight: what may differ is rounding."
    bits = np.finfo(check.after.dtype).nmant + 1
    return f"{done} moves a weight by {size_text(check.gap)}, as the sums are rounded to {bits} bits."


def _constant_table(frame: HeadsFrame, check: ConstantCheck) -> CheckTable:
    shown = listed_rows(len(check.scores), check.row)
    rows = tuple(
        (
            frame.count.listed(frame.keys, key),
            *(
                (float(check.scores[key]), float(check.scores[key] + check.constant))
                if check.visible[key]
                else ("masked", "masked")
            ),
            float(check.before[key]),
            float(check.after[key]),
        )
        for key in shown
    )
    columns = (
        ("key", Form.TEXT),
        ("score", Form.SIGNED),
        ("+ constant", Form.SIGNED),
        ("weight", Form.WEIGHT),
        ("after", Form.WEIGHT),
    )
    return CheckTable(columns, rows, more=left_out(len(check.scores) - len(shown), "keys"))
