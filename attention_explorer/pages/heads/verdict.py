"""What the weights on show are worth: drawn at random or made by hand, nearly uniform or saturated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from attention_explorer.core.byte_cache import Kept
from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import percent, plain, scientific
from attention_explorer.core.words import capital
from attention_explorer.errors import ArrayError
from attention_explorer.model import AttentionMap, Stage
from attention_explorer.model.map_summary import SATURATED
from attention_explorer.pages.heads.check_report import Cell, CheckReport, CheckTable, Form
from attention_explorer.pages.heads.frame import HeadsFrame, head_name
from attention_explorer.pages.heads.survey import EVEN, is_nearly_uniform, largest_excess
from attention_explorer.pages.heads.wording import are_short
from attention_explorer.sources.source import Made

Rows = slice | np.typing.NDArray[np.intp]

OFTEN_SATURATED = 0.2
"""From this share of decided rows on, a map is called saturated."""

WIDE = 2.0
"""Scores with this standard deviation or more saturate a softmax at temperature 1."""

MOST_FOR_LAYER = 128
"""Tokens up to which all heads of the layer are looked at."""

MOST_CELLS = 2**17
"""Weights that are looked at; of larger maps a sample of rows, spread evenly over them."""

ROUNDING = 1e-9
"""Weights closer than this to an even share are it: the rest is rounding."""

FEWEST_ROWS = 16
"""Rows of a map that are looked at in any case."""


class Kind(StrEnum):
    """How the weight is spread."""

    PLAIN = "plain"
    EVEN = "nearly uniform"
    SATURATED = "saturated"


@dataclass(frozen=True, slots=True)
class Spread:
    """How one head, or several, spread their weight. Rows with a single visible key have no choice and do not count."""

    evenness: float  # mean of entropy ÷ ln(visible keys); NaN if no row has a choice
    saturated: float  # share of the rows with a weight above 0.95; NaN likewise
    deviation: float  # the largest distance of a visible weight from an even share; NaN if evenness is low
    excess: float  # the largest of those distances as a multiple of the even share; NaN likewise
    score_std: float  # of the visible scaled scores of a head; of several heads the root mean square
    is_sample: bool = False
    """Whether only some of the rows were looked at."""
    all_choose: bool = True
    """Whether every row that was looked at has a choice."""

    @property
    def kind(self) -> Kind:
        """Nearly uniform, saturated, or neither; NaN is neither."""
        if is_nearly_uniform(self.evenness, self.excess):
            return Kind.EVEN
        return Kind.SATURATED if self.saturated >= OFTEN_SATURATED else Kind.PLAIN


@dataclass(frozen=True, slots=True)
class Verdict:
    """A title and a few sentences for the note, and the numbers behind them."""

    title: str
    text: str
    head: Spread
    layer: Spread | None
    """All heads of the layer; None if there is one head, or too many tokens."""
    predicted_std: float | None
    """What the gain makes of the scores, if that can be told."""

    @property
    def kind(self) -> Kind:
        """That of the layer where it is known, else of the head."""
        return self.head.kind if self.layer is None else self.layer.kind


def verdict(frame: HeadsFrame) -> Verdict:
    """Judge the weights of a frame. Quick for any number of tokens: of large maps some rows are looked at."""
    found = _verdicts.get(frame.setup)
    if found is None:
        # By the frame itself: the one that its setup leads to may have to be learned again by now.
        found = _judged(frame)
        _verdicts.keep(frame.setup, found)
    return found


_verdicts = Kept[Verdict]()
"""By the setup of the frame."""


def _judged(frame: HeadsFrame) -> Verdict:
    maps = frame.layers[frame.layer].maps
    head = spread_of((frame.head_map,))
    whole = len(maps) > 1 and max(frame.shape) <= MOST_FOR_LAYER
    layer = _spread_of_layer(maps) if whole else None
    predicted = frame.source.predicted_score_std(frame.layer, scaled=frame.setup.scaled)
    title, opening = frame.source.verdict()
    spread = _spread_in_words(frame, head, layer, predicted)
    said = (opening, *_pattern(frame, head), *spread, _short_rows(frame), _no_choice(frame))
    return Verdict(title, " ".join(sentence for sentence in said if sentence), head, layer, predicted)


def _spread_of_layer(maps: Sequence[AttentionMap]) -> Spread | None:
    try:
        return spread_of(maps)
    except ArrayError:  # one of the other heads holds no weights, which is said where it is looked at
        return None


def spread_of(maps: Sequence[AttentionMap]) -> Spread:
    """Summarise one head, or several of one shape together."""
    rows = _rows_looked_at(maps[0], len(maps))
    parts = [_part_of(map_, rows) for map_ in maps]
    evenness, largest = (np.concatenate(column) for column in zip(*(part[:2] for part in parts), strict=True))
    variances = np.array([variance for _, _, variance in parts])
    mean_evenness = _mean(evenness)
    even = mean_evenness >= EVEN
    deviations = [_deviation(map_, rows) for map_ in maps] if even else [(math.nan, math.nan)]
    return Spread(
        mean_evenness,
        _mean(largest > SATURATED),
        max(deviation for deviation, _ in deviations),
        max(excess for _, excess in deviations),
        math.sqrt(_mean(variances)),
        is_sample=not isinstance(rows, slice),
        all_choose=len(evenness) == len(maps) * len(np.arange(maps[0].n_q)[rows]),
    )


def _part_of(map_: AttentionMap, rows: Rows) -> tuple[FloatArray, FloatArray, float]:
    """Return evenness and largest weight of each row that has a choice, and the variance of all visible scores."""
    allowed = map_.allowed(rows)
    visible = allowed.sum(axis=1)
    choice = visible > 1
    summary = map_.row_summary(rows)
    evenness = summary.entropy[choice] / np.log(visible[choice])
    scores = map_.scores(rows, stage=Stage.SCALED)[allowed] if map_.has_scores else np.zeros(0)
    return evenness, summary.max_weight[choice], score_std(scores) ** 2


def score_std(scores: FloatArray) -> float:
    """Return the standard deviation of some scores (m,): 0 of those that only rounding tells apart, NaN of none."""
    if not scores.size:
        return math.nan
    std = float(scores.std())
    return std if std > ROUNDING * float(np.abs(scores).max()) else 0.0


def _deviation(map_: AttentionMap, rows: Rows) -> tuple[float, float]:
    """Return how far a visible weight is from an even share of its row, at most, and how many such shares."""
    allowed, weights = map_.allowed(rows), map_.weights(rows)
    share = 1.0 / np.maximum(allowed.sum(axis=1), 1)[:, None]
    deviation = float(np.abs(weights - share).max(where=allowed, initial=0.0))
    return deviation, largest_excess(weights, allowed)


def _rows_looked_at(map_: AttentionMap, maps: int) -> Rows:
    most = max(MOST_CELLS // max(maps * map_.n_k, 1), FEWEST_ROWS)
    if map_.n_q <= most:
        return slice(0, map_.n_q)
    return np.linspace(0, map_.n_q - 1, most).astype(np.intp)


def _mean(values: np.typing.NDArray[np.floating] | np.typing.NDArray[np.bool_]) -> float:
    return float(np.mean(values)) if values.size else math.nan


# ---- In words ----


def verdict_report(frame: HeadsFrame) -> CheckReport:
    """Return what the weights are worth as the result of an experiment, with the numbers behind it."""
    found = verdict(frame)
    spreads = (found.head,) if found.layer is None else (found.head, found.layer)
    numbers = (
        ("entropy ÷ ln(keys), mean", tuple(spread.evenness for spread in spreads)),
        ("rows with a weight above 0.95", tuple(spread.saturated for spread in spreads)),
        ("scaled scores, std", tuple(spread.score_std for spread in spreads)),
    )
    known: tuple[tuple[Cell, ...], ...] = tuple((name, *row) for name, row in numbers if not all(map(math.isnan, row)))
    names = ("this head", "all heads")[: len(spreads)]
    columns = (("", Form.TEXT), *((name, Form.SIZE) for name in names))
    std = found.predicted_std
    predicted = () if std is None else (f"Predicted std of scores: {_short_number(std)}.",)
    table = CheckTable(columns, known, "How the weight is spread")
    return CheckReport(f"{found.title} {found.text}", (table,) if known else (), predicted)


def _pattern(frame: HeadsFrame, head: Spread) -> tuple[str, ...]:
    """Return what a head made by hand looks for, and what may come between."""
    if frame.source.traits.made is not Made.BY_HAND:
        return ()
    if not frame.is_one_head:
        return ("Each head has a simple pattern.",)
    said = [frame.source.pattern(frame.head)]
    if frame.setup.hard:
        said.append("The lookup is hard: where keys tie, as they do without a preference, the first takes all.")
    if frame.mask is not None:
        said.append("The mask comes first: what it hides gets no weight, whatever a token looks for.")
    elif head.kind is Kind.EVEN and frame.setup.temperature > 1.0 and not frame.setup.hard:
        said.append(f"Temperature {frame.setup.temperature:g} leaves hardly anything of it.")
    return tuple(said)


def _no_choice(frame: HeadsFrame) -> str:
    """Say which rows say nothing about attention: those without a key, or with a single one everywhere."""
    n_q, n_k = frame.shape
    empty = 0 if frame.mask is None else int(np.count_nonzero(~frame.mask.any(axis=1)))
    if empty:
        who = "The only query" if n_q == 1 else f"{empty} of {n_q} queries"
        return f"{who} {'has' if empty == 1 else 'have'} nothing to attend to: all weights there are 0."
    return "There is a single key, so every weight is 1." if n_k == 1 and n_q else ""


def _short_rows(frame: HeadsFrame) -> str:
    """Say which rows of recorded weights sum to less than 1, though they attend to something."""
    if frame.source.traits.made is not Made.RECORDED or not frame.is_one_head:
        return ""
    map_ = frame.layers[frame.layer].maps[frame.head]
    rows = _rows_looked_at(map_, 1)
    sums = map_.weights(rows).sum(axis=-1, dtype=np.float64)
    short = np.flatnonzero(are_short(sums))
    if not len(short):
        return ""
    least = int(short[np.argmin(sums[short])])
    place = int(np.arange(map_.n_q)[rows][least])
    sampled = "" if isinstance(rows, slice) else "sampled "
    what = "One row sums" if len(short) == 1 else f"{len(short)} of {len(sums)} {sampled}rows sum"
    return (
        f"{what} to less than 1, that of {frame.count.token(frame.queries[place], place)} to {sums[least]:.3g}: the "
        "weights are drawn as they are. Softmax gives rows that sum to 1; dropout, in the train() mode of a model, and "
        "keys that were cut off do not."
    )


def _spread_in_words(frame: HeadsFrame, head: Spread, layer: Spread | None, predicted: float | None) -> tuple[str, ...]:
    if frame.source.traits.made is Made.BY_HAND:
        return ()
    if frame.setup.hard:
        rows = "row" if frame.mask is None or frame.mask.any(axis=1).all() else "row that sees any key"
        return (f"The lookup is hard: every {rows} puts all its weight on one key.",)
    own = capital(head_name(frame, frame.layer, frame.head))
    if layer is None:
        sentence = _sentence(frame, head, predicted)
        return (sentence,) if frame.heads == 1 or not sentence else (f"{own}: {sentence[0].lower()}{sentence[1:]}",)
    whole = _sentence(frame, layer, predicted, within=" within the heads")
    if whole:
        where = f" of {frame.count.layer(frame.layer)}" if len(frame.layers) > 1 else ""
        whole = f"All {frame.heads} heads{where}: {whole[0].lower()}{whole[1:]}"
    if not frame.is_one_head or head.kind is Kind.PLAIN:
        return (whole,)
    if head.kind is layer.kind:
        return whole, f"{own}: {_short(head)}."
    sentence = _sentence(frame, head, predicted)
    return whole, f"{own}: {sentence[0].lower()}{sentence[1:]}"


def _sentence(frame: HeadsFrame, spread: Spread, predicted: float | None, within: str = "") -> str:
    if spread.kind is Kind.PLAIN:
        return ""
    score = "scaled score" if frame.setup.scaled else "score"
    std = "" if math.isnan(spread.score_std) else f"{score} std{within} {_short_number(spread.score_std)}"
    if spread.kind is Kind.EVEN:
        expected = "" if predicted is None else f" (predicted {_short_number(predicted)})"
        std = f"{std}{expected}" if std else ""
        share = f"1/{frame.shape[1]}" if frame.mask is None else "an even share"
        if spread.deviation < ROUNDING:
            every = "every weight" if frame.mask is None else "every visible weight"
            return f"Uniform: {every} is {share}{'; ' * bool(std)}{std}."
        largest = _deviation_text(spread.deviation)
        sampled = " in sampled rows" if spread.is_sample else ""
        warm = frame.setup.temperature
        divided = f", divided by the temperature {warm:g}" if warm > 1.0 else ""
        parts = (f"Nearly uniform: the largest deviation from {share}{sampled} is {largest}", std)
        return f"{', '.join(part for part in parts if part)}{divided}."
    expected = "" if predicted is None else f", predicted {_short_number(predicted)}"
    said = f"{percent(spread.saturated)} of {_rows_that_count(spread)} put more than 95 % on one key."
    if frame.source.traits.made not in (Made.RANDOM, Made.GIVEN):
        return said
    return f"{said} That is due to {_cause(frame, spread)}, not to anything learned: {std}{expected}."


def _rows_that_count(spread: Spread) -> str:
    rows = f"{'sampled ' * spread.is_sample}rows"
    return rows if spread.all_choose else f"the {rows} that have a choice"


def _cause(frame: HeadsFrame, spread: Spread) -> str:
    """Return what made the rows decided; where nothing else did, the luck of the draw."""
    setup = frame.setup
    causes = ["the low temperature"] if setup.temperature < 1.0 else []
    scaled_std = spread.score_std if setup.scaled else spread.score_std / math.sqrt(frame.head_width)
    if scaled_std >= WIDE:
        causes += frame.source.causes_of_long_scores(frame.layer, frame.layers[frame.layer].inputs[0])
    if not setup.scaled and frame.head_width > 1:
        causes.append("the missing ÷ √d_k")
    otherwise = "the luck of the draw" if frame.source.traits.made is Made.RANDOM else "a few given numbers"
    return " and ".join(causes) or otherwise


def _short(spread: Spread) -> str:
    if spread.kind is Kind.EVEN:
        return "uniform" if spread.deviation < ROUNDING else f"at most {_deviation_text(spread.deviation)} off"
    return f"{percent(spread.saturated)} of its {'rows' if spread.all_choose else 'own'}"


def _deviation_text(deviation: float) -> str:
    """Return three significant digits, as the hints print them: 0.0181."""
    return f"{deviation:.3g}" if deviation >= 5e-4 else scientific(deviation)


def _short_number(number: float) -> str:
    if 0.0 < abs(number) < 5e-4:
        return scientific(number)
    return plain(number, 3 if abs(number) < 1.0 else 2) if number else "0"
