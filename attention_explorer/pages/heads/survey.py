"""Every head at a glance: a small picture of its weights and what they amount to."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.map_picture import BoolArray, Contrast, FloatArray, weight_end
from attention_explorer.core.numerals import counted, plain, signed
from attention_explorer.errors import ArrayError
from attention_explorer.model import MapSummary, Pooled
from attention_explorer.model.map_summary import SummaryPass
from attention_explorer.model.map_survey import surveys
from attention_explorer.model.patterns import Pattern, PatternScore
from attention_explorer.model.pooling import tile_bounds
from attention_explorer.pages.heads.alike import alike_order
from attention_explorer.pages.heads.frame import HeadsFrame, head_name, keys_seen
from attention_explorer.pages.heads.state import SortBy, Threshold
from attention_explorer.sources.source import Made

# ---- Nearly uniform ----
# Entropy alone does not do: it is flat at its top, so three weights of .42, .33 and .25, a pattern that anybody sees,
# have 98 % of the largest entropy; and with many keys 98 % leaves room for some with several times their share. So
# two things are asked for, both on a scale that is free of the number of keys:
# - the mean of entropy ÷ ln n over the rows, n the keys that a row sees, is at least `EVEN`; - no weight is further
# from an even share 1/n than `CLOSE` times that share, |w − 1/n| ÷ (1/n) = |n·w − 1|.
# The tutorials whose small gains hide that nothing is looked at have 0.07 (four tokens, no weight further than 0.018
# from 1/4) and 0.02 (three tokens, 0.007 from 1/3) of the share.


EVEN = 0.98
CLOSE = 0.25


def is_nearly_uniform(evenness: float, excess: float) -> bool:
    """Whether weights with this mean of entropy ÷ ln n and this largest |n·w − 1| look at nothing; NaN is no."""
    return evenness >= EVEN and excess <= CLOSE


def largest_excess(weights: FloatArray, allowed: BoolArray) -> float:
    """Return the largest |n·w − 1| over the visible weights (n_q, n_k), n the visible keys of the row; 0 if none is."""
    visible = allowed.sum(axis=1, keepdims=True)
    return float(np.abs(weights * visible - 1.0).max(where=allowed, initial=0.0))


# ---- A head surveyed ----


MOST_MEASURED = 64 * 64
"""Cells up to which patterns are measured of all heads, at about 0.1 ms each."""

CLEAR, FEWEST_QUERIES = 0.5, 3
"""From this score on, and of so many queries, a pattern is named on a thumbnail."""

THUMBNAIL_TILES = 128
"""The most rows and columns of a thumbnail's picture; its widget is about as large."""


class Signed(NamedTuple):
    """The weights of a head less those of the same head of B."""

    pooled: Pooled
    """At most 128 × 128 tiles: of each the difference furthest from 0."""
    largest: float
    """The largest of all, without its sign."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadSurvey:
    """A head on the wall."""

    layer: int
    head: int
    name: str
    pooled: Pooled  # at most 128 × 128 tiles of weights
    summary: MapSummary
    shape: tuple[int, int]
    """Queries and keys."""
    mask: BoolArray | None
    """Of its frame."""
    is_computed: bool = True
    """Whether there are numbers; if not, only its place is known."""
    patterns: Mapping[Pattern, PatternScore] = field(default_factory=dict)
    """How much of its weight falls on the keys of known patterns; empty where that was not measured."""
    is_coming: bool = False
    """Whether it has no numbers because they are being computed now."""
    refusal: str = ""
    """Why there are no numbers and never will be, if that is so."""
    difference: float | None = None
    """How much it differs from B, 0 to 1; None as long as that is not measured, NaN where there is nothing to compare.

    See `head_difference`.
    """
    signed: Signed | None = None
    """A − B, where the heads are shown as that."""
    effect: float | None = None
    """What the answer changes by without it; NaN if that was not measured yet, None where it is not asked for."""
    _ends: dict[Contrast, float] = field(default_factory=dict, repr=False)

    @property
    def place(self) -> tuple[int, int]:
        """Layer and head."""
        return self.layer, self.head

    @property
    def excess(self) -> float:
        """The largest |n·w − 1| of its weights w, n the keys their query sees; of tiles, at least the largest n·w − 1.

        Infinite where the entropy tells already that the weights are not nearly uniform.
        """
        return _excess(self.pooled, self.shape, self.mask) if self.summary.evenness >= EVEN else math.inf

    @property
    def shown(self) -> Pooled:
        """The numbers of its small picture: one alone where heads are coloured by their effect."""
        if self.effect is not None:
            return Pooled(np.array([[np.nan_to_num(self.effect)]]), np.array([[math.isnan(self.effect)]]))
        return self.pooled if self.signed is None else self.signed.pooled

    def end_under(self, contrast: Contrast) -> float:
        """Return where its colours would end under a contrast if it were alone: looked for when it is asked for."""
        if contrast not in self._ends:
            self._ends[contrast] = weight_end(contrast, *self.pooled)
        return self._ends[contrast]


def survey_heads(
    frame: HeadsFrame, places: Iterable[tuple[int, int]] | None = None, seconds: float = 0.0
) -> Iterator[HeadSurvey]:
    """Yield heads, all of them unless places are given: with many tokens each takes long.

    Those of a layer are surveyed together, and those of further layers that are run within so many seconds.
    """
    tokens = _measured_tokens(frame)
    left = list(frame.places if places is None else places)
    while left:
        some = _run(frame, left, seconds)
        yield from _surveyed(frame, tokens, left[:some])
        left = left[some:]


def head_survey(frame: HeadsFrame, layer: int, head: int) -> HeadSurvey:
    """Return the small picture and the summary of a head; of one whose numbers are no weights, why they are none."""
    return next(survey_heads(frame, [(layer, head)]))


def _run(frame: HeadsFrame, places: Sequence[tuple[int, int]], seconds: float) -> int:
    """Run layers for so long, one at least; return how many of the places are in them."""
    until, count = time.monotonic() + seconds, 0
    for layer, of_layer in groupby(places, itemgetter(0)):
        count += len(list(of_layer))
        with suppress(ArrayError):  # said of each of its heads
            _ = frame.layers[layer].maps
        if time.monotonic() >= until:
            break
    return count


def _surveyed(
    frame: HeadsFrame, tokens: tuple[tuple[str, ...], ...], places: Sequence[tuple[int, int]]
) -> Iterator[HeadSurvey]:
    """Yield heads that are surveyed together; where one of them is at fault, the others without it."""
    done = 0
    try:
        maps = [frame.layers[layer].maps[head] for layer, head in places]
        for (layer, head), found in zip(places, surveys(maps, THUMBNAIL_TILES, THUMBNAIL_TILES, *tokens), strict=True):
            pooled, summary, patterns = found
            name = head_name(frame, layer, head)
            yield HeadSurvey(layer, head, name, pooled, summary, frame.shape, frame.mask, patterns=patterns)
            done += 1
    except ArrayError as error:
        rest = places[done:]
        if len(rest) == 1:
            yield not_computed(frame, *rest[0], frame.count.recounted(str(error)))
            return
        half = len(rest) // 2
        for part in (rest[:half], rest[half:]):
            yield from _surveyed(frame, tokens, part)


def _measured_tokens(frame: HeadsFrame) -> tuple[tuple[str, ...], ...]:
    """Return the tokens of the keys, or those of queries and keys in cross-attention; none if nothing is measured.

    Patterns are measured where they mean something or take no time.
    """
    n_q, n_k = frame.shape
    if frame.source.traits.made not in (Made.LEARNED, Made.RECORDED) and n_q * n_k > MOST_MEASURED:
        return ()
    queries, keys = frame.exact_tokens
    return (queries, keys) if frame.is_cross else (keys,)


def not_computed(frame: HeadsFrame, layer: int, head: int, refusal: str = "") -> HeadSurvey:
    """Return a head that nobody has looked at yet, or that was refused: it has a place and a name, and no numbers."""
    n_q, n_k = (min(length, THUMBNAIL_TILES) for length in frame.shape)
    nothing = Pooled(np.zeros((n_q, n_k)), np.ones((n_q, n_k), np.bool_))
    name, no_rows = head_name(frame, layer, head), SummaryPass(frame.shape).summary()
    return HeadSurvey(layer, head, name, nothing, no_rows, frame.shape, frame.mask, is_computed=False, refusal=refusal)


def coming(frame: HeadsFrame, layer: int, head: int) -> HeadSurvey:
    """Return a head that is being computed: of a long map that takes long, and its place is not to be empty."""
    return replace(not_computed(frame, layer, head), is_coming=True)


def _excess(pooled: Pooled, shape: tuple[int, int], mask: BoolArray | None) -> float:
    """Return how far weights are from an even share, from the small picture: no map is computed a second time."""
    if pooled.values.shape == shape:
        return largest_excess(pooled.values, ~pooled.masked)
    # A tile knows its largest weight, but not whose it is: at least the row's with the fewest keys.
    visible = keys_seen(mask, shape)
    fewest = np.minimum.reduceat(visible, tile_bounds(len(visible), len(pooled.values))[:-1])
    return float((pooled.values * fewest[:, None] - 1.0).max(where=~pooled.masked, initial=0.0))


@kept
def surveys_of(frame: HeadsFrame) -> tuple[HeadSurvey, ...]:
    """Return all heads at once."""
    return tuple(survey_heads(frame))


_SPECIAL = "marks"


class _Measure(NamedTuple):
    """What heads are sorted by: on a thumbnail, of a head, and why no head may have it."""

    short: str
    of: str | Pattern
    undefined: str = "no query attends to anything"


_MEASURES = {
    SortBy.ENTROPY: _Measure("H", "entropy"),
    SortBy.EVENNESS: _Measure("even", "evenness", "no query sees more than one key"),
    SortBy.MAX_WEIGHT: _Measure("mean max", "max_weight"),
    SortBy.SATURATED: _Measure("sharp", "saturated"),
    SortBy.SCORE_STD: _Measure("std", "score_std", "the scores of these heads are not known"),
    SortBy.DISTANCE: _Measure("dist", "distance"),
    SortBy.SELF: _Measure("self", "self_mass"),
    SortBy.PREVIOUS: _Measure("prev", "previous_mass"),
    SortBy.FIRST: _Measure("first", "first_mass"),
    SortBy.NEXT: _Measure("next", Pattern.NEXT, "no query sees the token after it"),
    SortBy.BACK: _Measure("back", Pattern.BACK, "the queries do not look far enough back"),
    SortBy.SAME: _Measure("same", Pattern.SAME, "no query sees its own token elsewhere"),
    SortBy.SPECIAL: _Measure(_SPECIAL, Pattern.SPECIAL, "no query sees punctuation or a special token"),
    SortBy.INDUCTION: _Measure("induction", Pattern.INDUCTION, "no query sees what came after the same token earlier"),
    SortBy.DIFFERENCE: _Measure(
        "differs", "difference", "nothing is kept as B with which these heads could be compared"
    ),
}
_PATTERNS = {sort: measure.of for sort, measure in _MEASURES.items() if isinstance(measure.of, Pattern)}


def in_order(surveys: tuple[HeadSurvey, ...], sort: SortBy, *, reverse: bool = False) -> tuple[HeadSurvey, ...]:
    """Return the heads in an order: by number, likeness, what they do, or a summary, the largest first; or the reverse.

    Heads that have no such summary, or no numbers to be alike in, are the last either way; those with the same one
    stand by number.
    """
    if sort is SortBy.NUMBER:
        return tuple(sorted(surveys, key=lambda survey: survey.place, reverse=reverse))
    if sort is SortBy.ALIKE:
        return _alike_together(surveys, reverse)
    if sort is SortBy.DOING:
        return _by_doing(surveys, reverse)
    values = {survey: _measure(survey, sort) for survey in surveys}
    by_number = sorted(surveys, key=lambda survey: survey.place)
    with_number = [survey for survey in by_number if not math.isnan(values[survey])]
    ordered = sorted(with_number, key=lambda survey: (-values[survey], survey.place), reverse=reverse)
    return (*ordered, *(survey for survey in by_number if math.isnan(values[survey])))


def _alike_together(surveys: tuple[HeadSurvey, ...], reverse: bool) -> tuple[HeadSurvey, ...]:
    by_number = sorted(surveys, key=lambda survey: survey.place)
    there = [survey for survey in by_number if survey.is_computed]
    order = alike_order([survey.pooled.values for survey in there])
    return (
        *(there[index] for index in (order[::-1] if reverse else order)),
        *(survey for survey in by_number if not survey.is_computed),
    )


def _by_doing(surveys: tuple[HeadSurvey, ...], reverse: bool) -> tuple[HeadSurvey, ...]:
    """Return those that do the same one after the other, the clearest first, and last those that do nothing clear."""
    by_number = sorted(surveys, key=lambda survey: survey.place)
    found = {survey: _standing_out(survey) for survey in by_number if survey.is_computed}
    clear = [survey for survey in found if found[survey][0]]
    clearest = {name: max(mass for other, mass in found.values() if other == name) for name, _ in found.values()}

    def rank(survey: HeadSurvey) -> tuple[float, str, float]:
        name, mass = found[survey]
        return -clearest[name], name, -mass

    ordered = sorted(clear, key=rank)
    rest = (survey for survey in by_number if survey not in found or not found[survey][0])
    return (*(ordered[::-1] if reverse else ordered), *rest)


def _measure(survey: HeadSurvey, sort: SortBy) -> float:
    """Return the number that heads are sorted by; NaN where there is none."""
    if sort in _PATTERNS:
        return survey.patterns.get(_PATTERNS[sort], PatternScore()).score
    if sort is SortBy.DIFFERENCE:
        return math.nan if survey.difference is None else survey.difference
    return float(getattr(survey.summary, _MEASURES[sort].of))


def meets(survey: HeadSurvey, threshold: Threshold | None) -> bool:
    """Whether a head is looked at; one without the number is not, once there is a threshold."""
    if threshold is None or not threshold.by.is_measured:
        return True
    value = _measure(survey, threshold.by)
    return value <= threshold.value if threshold.at_most else value >= threshold.value


def threshold_words(surveys: Sequence[HeadSurvey], threshold: Threshold | None) -> str:
    """Say how many heads are looked at, of those whose numbers have come; empty without a threshold."""
    if threshold is None:
        return ""
    computed = [survey for survey in surveys if survey.is_computed]
    many = counted(len(computed), "head") + (" so far" if len(computed) < len(surveys) else "")
    return f"{sum(meets(survey, threshold) for survey in computed)} of {many}"


def first_threshold(surveys: Sequence[HeadSurvey], sort: SortBy) -> Threshold:
    """Return the threshold to begin with: half of the heads have as much of what they are sorted by, or of entropy."""
    by = sort if sort.is_measured else SortBy.ENTROPY
    values = [_measure(survey, by) for survey in surveys]
    there = [value for value in values if not math.isnan(value)]
    return Threshold(by, float(f"{np.median(there):.2g}") if there else 0.0)


def why_unordered(frame: HeadsFrame, surveys: tuple[HeadSurvey, ...], sort: SortBy) -> str:
    """Say why no head has the number that heads are to be sorted by; empty where one has it, or may have it yet."""
    if not (sort.is_measured and surveys):
        return ""
    if not all(each.is_computed and math.isnan(_measure(each, sort)) for each in surveys):
        return ""
    if sort is SortBy.DIFFERENCE and any(survey.difference is None for survey in surveys):
        return ""  # they are being compared
    reason = _MEASURES[sort].undefined
    if sort in _PATTERNS and not surveys[0].patterns:
        reason = "in long texts, patterns are measured only of heads that were learned or recorded"
    elif frame.is_cross and sort in (SortBy.NEXT, SortBy.BACK, SortBy.INDUCTION):
        reason = "queries have no position among the keys of a second sentence"
    return f"In order of number: {reason}."


def _short(survey: HeadSurvey, sort: SortBy) -> str:
    if sort is not SortBy.BACK:
        return _MEASURES[sort].short
    back = survey.patterns.get(Pattern.BACK, PatternScore()).back
    return "back" if back is None else f"{back} back"


def measure_text(survey: HeadSurvey, sort: SortBy) -> str:
    """Return the summary a wall is sorted by, or coloured; where it is sorted by none, the entropy."""
    if survey.effect is not None and not sort.is_measured:
        return f"off {'…' if math.isnan(survey.effect) else signed(survey.effect)}"
    sort = sort if sort.is_measured else SortBy.ENTROPY
    return f"{_short(survey, sort)} {_said(_measure(survey, sort))}"


def _said(value: float) -> str:
    return "–" if math.isnan(value) else plain(value)


def character(survey: HeadSurvey) -> str:
    """Return what stands out about a head, if anything does: where most of its weight goes, or that it is even."""
    name, mass = _standing_out(survey)
    return f"{name} {plain(mass)}" if mass else name


def _standing_out(survey: HeadSurvey) -> tuple[str, float]:
    """Return what stands out about a head, and how much of its weight goes there, 0 where it goes to no one place."""
    summary = survey.summary
    if is_nearly_uniform(summary.evenness, survey.excess):
        return "≈ even", 0.0
    masses = [(summary.self_mass, "self"), (summary.previous_mass, "prev"), (summary.first_mass, "first")]
    for sort, pattern in _PATTERNS.items():
        found = survey.patterns.get(pattern, PatternScore())
        if found.queries >= FEWEST_QUERIES and found.score > 2.0 * found.chance:
            masses.append((found.score, _short(survey, sort)))
    clear = [each for each in masses if each[0] >= CLEAR]
    # Punctuation and special tokens are many keys, the first among them: named where nothing narrower is.
    clear = [each for each in clear if each[1] != _SPECIAL] or clear
    if clear:
        mass, name = max(clear, key=lambda each: each[0])
        return name, mass
    return ("sharp" if summary.saturated >= 0.2 else ""), 0.0


_LOOKS_ELSEWHERE = (Pattern.NEXT, Pattern.BACK, Pattern.SAME, Pattern.INDUCTION)


def clarity(survey: HeadSurvey) -> float:
    """Return how clearly a head looks at one kind of token, 0 to 1: its most weight on the keys of a known pattern.

    The first token, punctuation and the token itself do not count: heads rest there that have nothing to look for.
    """
    found = [survey.patterns.get(pattern, PatternScore()) for pattern in _LOOKS_ELSEWHERE]
    scores = [each.score for each in found if each.queries >= FEWEST_QUERIES]
    return max((each for each in (survey.summary.previous_mass, *scores) if not math.isnan(each)), default=0.0)


_DOES = {"self": "itself", "prev": "one back", "first": "first token", "next": "next token", "same": "same token"}
"""What a head does, by how `character` says it."""


def doing(survey: HeadSurvey) -> str:
    """Return in a word or two what a head does, where that was measured and is clear; else nothing."""
    found = character(survey).removeprefix("≈ ")
    word = found.rpartition(" ")[0] or found
    return _DOES.get(word, word)


def pattern_words(survey: HeadSurvey, *, short: bool = False) -> str:
    """Say which pattern a head follows most, how clearly, and, unless it is to be short, of what and what that means.

    Empty if none was measured, or none is followed more than even weights would follow it.
    """
    found = [
        (score.score, pattern, score)
        for pattern, score in survey.patterns.items()
        if score.queries >= FEWEST_QUERIES and score.score > score.chance
    ]
    if not found:
        return ""
    _, pattern, best = max(found, key=lambda each: each[0])
    name = f"{best.back} back" if pattern is Pattern.BACK else pattern.value
    said, even = f"most like “{name}”: {plain(best.score)}", f"(even weights: {plain(best.chance)})"
    if short:
        return f"{said} {even}"
    queries = "1 query" if best.queries == 1 else f"{best.queries} queries"
    return f"{said} of the weight of {queries} {even}. {pattern.meaning}"


# ---- In words ----


def line_words(survey: HeadSurvey) -> str:
    """Return what a line has room for of the summary of a head."""
    if not survey.is_computed:
        return f"{survey.name}: {not_yet(survey)}"
    pattern = _effect_words(survey) or _difference_words(survey) or pattern_words(survey, short=True)
    return "; ".join(filter(None, (_measures(survey), pattern, _empty_words(survey))))


def summary_words(survey: HeadSurvey) -> str:
    """Return the summary of a head in words."""
    if not survey.is_computed:
        return f"{survey.name}: {survey.refusal or not_yet(survey)}"
    summary = survey.summary
    text = (
        f"{_measures(survey)}, mean distance {plain(summary.distance)}, weight on "
        f"itself {plain(summary.self_mass)}, on the previous token {plain(summary.previous_mass)}, "
        f"on the first {plain(summary.first_mass)}"
    )
    return "; ".join(
        filter(
            None, (_effect_words(survey), text, pattern_words(survey), _difference_words(survey), _empty_words(survey))
        )
    )


def not_yet(survey: HeadSurvey) -> str:
    """Return why there are no numbers yet."""
    return "being computed …" if survey.is_coming else "not computed yet"


def _measures(survey: HeadSurvey) -> str:
    """Return how spread the weights of a head are."""
    summary = survey.summary
    return f"{survey.name}: entropy {plain(summary.entropy)} nats, mean of the row maxima {plain(summary.max_weight)}"


def _difference_words(survey: HeadSurvey) -> str:
    """Return how much a head differs from B; empty if that was not measured."""
    if survey.difference is None or math.isnan(survey.difference):
        return ""
    return f"{plain(survey.difference)} of each query’s weight lies elsewhere than in B"


def _effect_words(survey: HeadSurvey) -> str:
    """Return what the answer changes by without a head; empty if that was not measured."""
    if survey.effect is None or math.isnan(survey.effect):
        return ""
    return f"{survey.name} off: the answer changes by {signed(survey.effect, 4)}, measured"


def _empty_words(survey: HeadSurvey) -> str:
    empty = survey.summary.empty_rows
    return f"{counted(empty, 'row')} with nothing to attend to" if empty else ""
