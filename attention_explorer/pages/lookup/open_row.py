"""A row of a head, opened: its query, keys and values in their planes, and what they are called."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.numerals import counted, percent
from attention_explorer.core.preset import Preset
from attention_explorer.errors import ExplorerError
from attention_explorer.model import QueryKeyMap
from attention_explorer.model.arrays import Floats
from attention_explorer.model.row_lookup import RowLookup, row_lookup
from attention_explorer.pages.lookup.plane import LARGEST_COORDINATE, Extent, Vector, convex_hull
from attention_explorer.pages.lookup.state import HeadRow, Overlay
from attention_explorer.sources.masked_layers import layers_and_mask, words_of_mask
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Ability, Source
from attention_explorer.sources.token_names import isolated, numbered_tokens, token_places

MOST_FIELD_WEIGHTS = 600_000
"""Of all places of the plane together: so many take about 20 ms."""
MOST_FIELD_KEYS = 1500
"""Of more keys the weights of too few places could be computed."""
SEES_NOTHING = "This query may attend to no key, so there is nothing to look up. Choose another row or mask."
_SMALLEST_HOME = 1e-6
"""Plane units that the first view is across at least."""


@dataclass(frozen=True, eq=False)
class OpenRow:
    """Everything that the reference leads to; n_k is the number of keys, hidden ones too.

    What would take long for many keys is found once.
    """

    of: HeadRow
    plane: RowLookup
    values: Floats  # (n_k, 2)
    border: tuple[int, ...]
    """The corners of the hull of the visible keys: without a bias no other key has the highest score anywhere."""
    hull: tuple[Vector, ...]
    """The corners of the hull of the visible values, counter-clockwise."""
    extent: Extent
    """The first view of the plane of queries and keys."""
    value_extent: Extent
    """What is seen of the plane of values."""

    @property
    def source(self) -> Source[Any]:
        """What the head comes from."""
        return source_of(self.of.recipe)

    @cached_property
    def visible(self) -> int:
        """How many keys the query may attend to."""
        return int(self.plane.allowed.sum())

    @property
    def entries(self) -> int:
        """How many keys are shown, the rest as one."""
        return len(self.plane.heaviest) + bool(len(self.plane.rest))

    def entry_of(self, key: int) -> int:
        """Return as which entry a key of the head is shown."""
        found = np.flatnonzero(self.plane.heaviest == key)
        return int(found[0]) if len(found) else len(self.plane.heaviest)

    @cached_property
    def has_bias(self) -> bool:
        """Whether anything is added to the scores of the row."""
        return bool(self.plane.bias.any())

    @cached_property
    def border_keys(self) -> tuple[Vector, ...]:
        """Where the keys of the border are."""
        return _points(self.plane.keys[list(self.border)])

    def field_columns(self, wished: int) -> int:
        """Return in how many columns the weights of all places are computed: the more keys, the fewer."""
        return min(wished, round(math.sqrt(1.5 * MOST_FIELD_WEIGHTS / self.visible)))

    # ---- In words ----

    def reason_against(self, overlay: Overlay) -> str:
        """Return why something cannot be drawn over the plane of a row; empty if it can."""
        if overlay is Overlay.ANGLE:
            return "Angles in this plane are not those of the head, whose keys reach out of it."
        if overlay is Overlay.TIE and self.has_bias:
            return "A bias is added to the scores, so keys do not tie on lines through the origin."
        if overlay is Overlay.FIELD and (self.visible > MOST_FIELD_KEYS or self.has_bias):
            return f"The weights of every place are computed for rows of up to {MOST_FIELD_KEYS} keys without a bias."
        return ""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The token of each entry, with its place where it comes more than once; the rest by its number."""
        keys = self._tokens[1]
        places = token_places(keys, self.of.count)
        named = tuple(f"{isolated(keys[key])}{places[key]}" for key in self.plane.heaviest.tolist())
        return (*named, counted(len(self.plane.rest), "other")) if len(self.plane.rest) else named

    def key_words(self, key: int) -> str:
        """Return a key of the head by its token and place: “cat” (2)."""
        return self.of.count.token(isolated(self._tokens[1][key]), key)

    @cached_property
    def title(self) -> str:
        """Which row of which head: row “it” (8) of layer 2, head 3."""
        layer, head, row, count = self.of.layer, self.of.head, self.of.row, self.of.count
        number = count.place(layer, head) if len(self.source.heads) > 1 else count.head(head)
        query = count.token(isolated(self._tokens[0][row]), row)
        return f"row {query} of {self.source.head_name(layer, head) or number}"

    @property
    def _tokens(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return numbered_tokens(self.source, self.source.labels, self.of.count)

    @property
    def exact_tokens(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tokens of queries and keys to the letter, for files."""
        exact = self.source.tokens, self.source.context_tokens
        return numbered_tokens(self.source, exact, self.of.count)

    @cached_property
    def origin(self) -> str:
        """Where the numbers come from, with the settings that made them: toy, random …, causal mask."""
        of, said = self.of, list(self.source.caption())
        if self.mask_words:
            said.append(f"mask: {self.mask_words}")
        if of.hard:
            said.append("hard lookup")
        elif of.temperature != 1.0:
            said.append(f"temperature {of.temperature:g}")
        if not of.scaled:
            said.append("not divided by √d_k")
        return ", ".join(said)

    @cached_property
    def mask_words(self) -> str:
        """Which mask there is; empty if none."""
        return self.source.mask_words() or words_of_mask(self.source, self.of.mask)

    @cached_property
    def hidden_words(self) -> str:
        """Say how many keys are masked; empty if none is."""
        hidden = len(self.plane.keys) - self.visible
        if not hidden:
            return ""
        by = f" ({self.mask_words})" if self.mask_words else ""
        weigh = "is masked, weighs 0 and is" if hidden == 1 else "are masked, weigh 0 and are"
        return f"{counted(hidden, 'key')} {weigh} not drawn{by}."

    @cached_property
    def hint(self) -> Preset[HeadRow]:
        """What it is called and what is to be seen in it, as a preset says it."""
        return Preset("", self.title[0].upper() + self.title[1:], self._look_for(), self.of)

    def _look_for(self) -> str:
        plane = self.plane
        scale = "divided by √d_k already" if self.of.scaled else "not divided by √d_k, as in the head"
        said = [
            "Drag q: the head would weigh like that for such a query"
            + (", and the rest goes on counting." if len(plane.rest) else "."),
            f"Every score and weight is the head’s own: x runs along q, {scale}; y shows {_share(plane.key_share)} of "
            f"how the keys differ besides. The plane of values shows {_share(plane.value_share)} of how they differ.",
            "A bias is added to the scores." * self.has_bias,
            self.hidden_words,
        ]
        return " ".join(words for words in said if words)


def _share(share: float) -> str:
    return "all" if share > 1.0 - 1e-9 else percent(share)


QUICK_OPERATIONS = 2.5e7
"""Multiplications that take less than about 20 ms; what takes more is done on a worker."""
_OF_A_KEY = 3000.0
"""What a key of the row takes, in multiplications."""


def is_quick(row: HeadRow) -> bool:
    """Whether a row is opened before anybody has to wait."""
    if opened_row.peek(row) is not None:
        return True
    source = source_of(row.recipe)
    return source.operations() + _OF_A_KEY * len(source.context_tokens) <= QUICK_OPERATIONS


@kept
def opened_row(row: HeadRow) -> OpenRow:
    """Find what a row refers to; cached, so that all its readers share one computation.

    Raises
    ------
    ExplorerError
        The head cannot be computed or read, has no such row, no scores or no values, or the row sees nothing.
    """
    source = source_of(row.recipe)
    layers, _ = layers_and_mask(row.recipe, row.mask, row.scaled, row.temperature, row.hard)
    if row.layer >= len(layers) or row.head >= source.heads[row.layer]:
        raise ExplorerError(f"There is no {row.count.place(row.layer, row.head)} in it: choose a row again.")
    layer = layers[row.layer]
    map_ = layer.maps[row.head]
    if not isinstance(map_, QueryKeyMap):
        raise ExplorerError(source.traits.reason_against(Ability.SCORES))
    if row.row >= map_.n_q:
        raise ExplorerError(f"There is no row {row.count.number(row.row)}: the head has {map_.n_q}.")
    plane = row_lookup(map_, row.row, layer.v[row.head])
    if not len(plane.heaviest) or plane.values is None:
        raise ExplorerError(SEES_NOTHING)
    seen = np.flatnonzero(plane.allowed)
    _check_reach(plane.query, plane.keys[seen], plane.values[seen])
    hull = convex_hull(_points(plane.values[seen]))
    return OpenRow(
        row,
        plane,
        plane.values,
        _corners(plane.keys, seen.tolist()),
        hull,
        _home(plane),
        _around(np.array(hull)),
    )


@lru_cache(maxsize=4)
def row_field(row: HeadRow, temperature: float, seen: Extent, columns: int) -> Floats:
    """Return the soft weights (rows, columns, entries) of a query at the centre of each cell; row 0 is the top."""
    opened = opened_row(row)
    columns = opened.field_columns(columns)
    rows = max(2, round(columns * seen.height / seen.width))
    x = seen.left + (np.arange(columns) + 0.5) * (seen.width / columns)
    y = seen.top - (np.arange(rows) + 0.5) * (seen.height / rows)
    places = np.stack(np.broadcast_arrays(x[None, :], y[:, None]), axis=-1)
    return opened.plane.shares(places, np.full(places.shape[:-1], temperature))


def _check_reach(*points: Floats) -> None:
    if max(float(np.abs(some).max()) for some in points) > LARGEST_COORDINATE:
        raise ExplorerError(
            f"This row cannot be drawn as a lookup: the plane ends {LARGEST_COORDINATE:.0f} units from its middle, and "
            "query, keys or values reach farther."
        )


def _points(rows: Floats) -> tuple[Vector, ...]:
    return tuple((x, y) for x, y in rows.tolist())


def _corners(keys: Floats, seen: list[int]) -> tuple[int, ...]:
    """Return the first key at each corner of the hull, in the order of the keys."""
    first: dict[Vector, int] = {}
    for key, point in zip(seen, _points(keys[seen]), strict=True):
        first.setdefault(point, key)
    return tuple(sorted(first[corner] for corner in convex_hull(tuple(first))))


def _home(plane: RowLookup) -> Extent:
    rest = plane.weights_at(plane.query).rest_key
    return _around(np.vstack((plane.query, plane.keys[plane.heaviest], *([] if rest is None else [rest]))))


def _around(points: Floats) -> Extent:
    """Return the part of a plane with these points and the origin, neither very flat nor very narrow."""
    low, high = np.minimum(points.min(axis=0), 0.0), np.maximum(points.max(axis=0), 0.0)
    middle, span = (low + high) / 2, high - low
    half = np.maximum(span, max(0.4 * float(span.max()), _SMALLEST_HOME)) / 2
    (left, bottom), (right, top) = (middle - half).tolist(), (middle + half).tolist()
    return Extent(left, right, bottom, top)
