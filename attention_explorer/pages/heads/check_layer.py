"""The layer as a function of its token vectors: shuffle them, or change one, and see what becomes of the outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import BoolArray, FloatArray
from attention_explorer.core.numerals import size_text
from attention_explorer.core.shuffle import ShuffleComparison, compared
from attention_explorer.errors import ExplorerError
from attention_explorer.model import causal_mask, layer_norm, sinusoidal_encoding
from attention_explorer.pages.heads.check_report import (
    Cell,
    CheckReport,
    CheckTable,
    Form,
    left_out,
    listed_rows,
    map_of,
    require_size,
    whole_layer,
)
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.wording import key_name, one
from attention_explorer.sources.layer import Layer

# ---- The layer as a function ----

MOST_CELLS = 2**22
"""Cells of all maps that one evaluation may compute: some tenths of a second."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenFunction:
    """Token vectors in, outputs out: all layers up to the shown one, or a hand-made head.

    The vectors of a toy model are its embeddings before any encoding. A hand-made head has no projections: the vector
    of its token is query, key and value side by side.
    """

    frame: HeadsFrame
    x: FloatArray  # (n_q, d)
    context: FloatArray | None  # (n_k, d) of the second sentence; None in self-attention

    @property
    def can_encode(self) -> bool:
        """Whether there is an encoding to add."""
        return self.frame.has_projections

    @property
    def is_encoded(self) -> bool:
        """Whether the setup adds it."""
        return self.frame.source.is_encoded

    def __call__(
        self, x: FloatArray, context: FloatArray | None, mask: BoolArray | None, *, encoded: bool
    ) -> FloatArray:
        """Compute the outputs (n_q, d_out) of these vectors; mask and encoding stay where they are."""
        if not self.can_encode:
            return self._hand_made(x, context, mask)
        if encoded:
            x = x + sinusoidal_encoding(*x.shape)
            context = None if context is None else context + sinusoidal_encoding(*context.shape)
        layers = self.frame.layers[: self.frame.layer + 1]
        for layer in layers[:-1]:
            x = layer_norm(x + self._projected(layer, x, context, mask))
        return self._projected(layers[-1], x, context, mask)

    def at_present(self, x: FloatArray, context: FloatArray | None) -> FloatArray:
        """Compute the outputs with the encoding and the mask of the setup."""
        return self(x, context, self.frame.mask, encoded=self.is_encoded)

    def _projected(self, layer: Layer, x: FloatArray, context: FloatArray | None, mask: BoolArray | None) -> FloatArray:
        if layer.attention is None:
            raise ExplorerError("A layer of this model has no projections: choose the toy model.")
        q, k, v = layer.attention.project(x, context)
        found = [map_of(self.frame, q[head], k[head], mask).output(v[head]) for head in range(len(q))]
        return layer.attention.project_output(np.stack(found))

    def _hand_made(self, x: FloatArray, context: FloatArray | None, mask: BoolArray | None) -> FloatArray:
        width = self.frame.head_width
        q, rest = x[:, :width], (x[:, width:] if context is None else context)
        return map_of(self.frame, q, rest[:, :width], mask).output(rest[:, width:])


def cells_of(frame: HeadsFrame) -> int:
    """Return how many weights one evaluation computes."""
    return frame.shape[0] * frame.shape[1] * (frame.heads * (frame.layer + 1) if frame.has_projections else 1)


def token_function(frame: HeadsFrame) -> TokenFunction:
    """Return the shown layer as a function of its token vectors.

    Raises
    ------
    ExplorerError
        There are too many tokens or heads to compute it several times over.
    """
    require_size(frame)
    embedded = frame.source.embeddings()
    if embedded is None:
        layer, head = frame.layers[frame.layer], frame.head
        queries, keys = layer.queries_and_keys
        q, rest = queries[head], np.hstack([keys[head], layer.v[head]])
        return TokenFunction(frame, q, rest) if frame.is_cross else TokenFunction(frame, np.hstack([q, rest]), None)
    cells = cells_of(frame)
    if cells > MOST_CELLS:
        raise ExplorerError(
            f"The {frame.heads * (frame.layer + 1)} heads up to here hold {cells / 1e6:.0f} million weights, and "
            f"this experiment takes up to {MOST_CELLS / 1e6:.0f} million: shorten the sentence or choose an earlier "
            "layer."
        )
    x, context = embedded
    return TokenFunction(frame, x, context if frame.is_cross else None)


# ---- Shuffle the tokens: are the outputs the same rows in another order? ----

MOST_WORDS = 24


@dataclass(frozen=True, slots=True, eq=False)
class ShuffleCheck:
    """One shuffle of the tokens, with and without an encoding and masks."""

    order: tuple[int, ...]
    words: tuple[str, ...]
    masks: tuple[str, ...]  # the names of the columns of `found`
    encodings: tuple[str, ...]  # and of the rows
    found: tuple[tuple[ShuffleComparison, ...], ...]
    present: tuple[int, int]  # row and column of the setup
    count: Count = Count.FROM_ONE

    @property
    def at_present(self) -> ShuffleComparison:
        """What the setup does."""
        row, column = self.present
        return self.found[row][column]


def shuffle_check(frame: HeadsFrame, order: tuple[int, ...]) -> ShuffleCheck:
    """Shuffle the token vectors of a frame; positions stay, so encoding and mask do not move with the tokens.

    In cross-attention only the queries are shuffled.

    Raises
    ------
    ExplorerError
        The order is none, or there are too many tokens or heads.
    """
    if sorted(order) != list(range(len(frame.queries))):
        raise ExplorerError(f"An order of {len(frame.queries)} tokens names each of them once, from 0 on.")
    function = token_function(frame)
    names, masks, column = _masks_to_try(frame)
    encodings = (False, True) if function.can_encode else (False,)
    found = tuple(
        tuple(compared(_bound(function, mask, encoded), function.x, order) for mask in masks) for encoded in encodings
    )
    titles = ("no encoding", "encoding") if function.can_encode else ("as made",)
    words = tuple(frame.queries[token] for token in order)
    return ShuffleCheck(order, words, names, titles, found, (int(function.is_encoded), column))


def _bound(function: TokenFunction, mask: BoolArray | None, encoded: bool) -> Callable[[FloatArray], FloatArray]:
    return lambda x: function(x, function.context, mask, encoded=encoded)


def _masks_to_try(frame: HeadsFrame) -> tuple[tuple[str, ...], tuple[BoolArray | None, ...], int]:
    """Return the masks to try, by name, and which of them is the setup's."""
    causal = causal_mask(*frame.shape)
    names, masks = ("no mask", "causal"), (None, causal)
    if frame.mask is None:
        return names, masks, 0
    if np.array_equal(frame.mask, causal):
        return names, masks, 1
    return (*names, "this mask"), (*masks, frame.mask), 2


def shuffle_report(frame: HeadsFrame, order: tuple[int, ...]) -> CheckReport:
    """Shuffle the tokens and say what came of it."""
    check = shuffle_check(frame, order)
    now = check.at_present
    return CheckReport(
        result_in_words(now), (_error_table(check), _change_of_all(now), _row_table(check)), _notes(frame, check)
    )


def result_in_words(found: ShuffleComparison) -> str:
    """Return whether the order of the tokens matters."""
    if found.is_equivariant:
        return f"Equivariant: the same rows in another order (error {size_text(found.error)})."
    return f"Order matters: error {size_text(found.error)}."


def _notes(frame: HeadsFrame, check: ShuffleCheck) -> tuple[str, ...]:
    words = " ".join(check.words[:MOST_WORDS]) + (" …" if len(check.words) > MOST_WORDS else "")
    first = f"Shuffled: “{words}”. The vectors move, the positions stay; f is {whole_layer(frame)}."
    if frame.is_cross:
        first += " Only the queries are shuffled, not the second sentence."
    if check.at_present.is_equivariant and check.at_present.is_still:
        return first, "Here every row takes the place of one just like it, so the output as a whole stays the same too."
    if check.at_present.is_equivariant:
        return (
            first,
            "Equivariant, not invariant: every token takes its output along, so the output as a whole is another "
            "one. Only a pooled output, such as the mean of the rows, is invariant.",
        )
    row, column = check.present
    held = ["the encoding"] * row + ["the mask"] * (column > 0)
    cause = f"{' and '.join(held)} belong{'s' * (len(held) == 1)} to the positions, not to the tokens"
    if not held:
        ties = "where keys tie, a hard lookup takes the first of them"
        cause = ties if frame.setup.hard else "these numbers depend on the order of the sums"
    return first, f"f(PX) is not P f(X): {cause}."


def _error_table(check: ShuffleCheck) -> CheckTable:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *(found.error for found in line)) for name, line in zip(check.encodings, check.found, strict=True)
    )
    columns = (("", Form.TEXT), *((name, Form.SIZE) for name in check.masks))
    row, column = check.present
    return CheckTable(columns, rows, "Error max |f(PX) − P f(X)|", row, column + 1)


def _change_of_all(now: ShuffleComparison) -> CheckTable:
    rows = (
        ("f(PX) from P f(X)", now.error),
        ("f(PX) from f(X)", now.moved),
        ("mean of the rows of f(PX) from f(X)", now.pooled),
    )
    return CheckTable((("", Form.TEXT), ("max diff.", Form.SIZE)), rows, "This setup")


def _row_table(check: ShuffleCheck) -> CheckTable:
    now = check.at_present
    count = len(check.order)
    errors = np.abs(now.of_shuffled - now.shuffled).max(axis=1).tolist()
    places = listed_rows(count)
    rows = tuple(
        (
            check.count.listed(check.words, place),
            str(check.count.number(check.order[place])),
            float(now.of_shuffled[place, 0]),
            float(now.shuffled[place, 0]),
            errors[place],
        )
        for place in places
    )
    columns = (
        ("row", Form.TEXT),
        ("was", Form.TEXT),
        ("f(PX)", Form.SIGNED),
        ("P f(X)", Form.SIGNED),
        ("error", Form.SIZE),
    )
    title = "Output rows: first feature, error"
    return CheckTable(columns, rows, title, more=left_out(count - len(places), "rows"))


# ---- Change one token: which outputs hear of it? ----

NOISE_SEED = 0
"""Of the noise: the same experiment gives the same numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class ChangeCheck:
    """What became of every output when one token was changed."""

    token: int
    amount: float
    changes: FloatArray  # (n_q,), max |new − old| of each output row; 0 means bit by bit the same

    @property
    def untouched(self) -> tuple[int, ...]:
        """The rows that did not change at all."""
        return tuple(np.flatnonzero(self.changes == 0.0).tolist())


def change_check(frame: HeadsFrame, token: int, amount: float = 1.0) -> ChangeCheck:
    """Add noise N(0, amount²) to the vector of one token and compute the outputs again.

    In cross-attention the token is one of the second sentence, whose keys and values are attended to.

    Raises
    ------
    ExplorerError
        There is no such token, or there are too many tokens or heads.
    """
    function = token_function(frame)
    if not 0 <= token < len(frame.keys):
        number, known = frame.count.number(token), frame.count.span(0, len(frame.keys))
        raise ExplorerError(f"There is no token {number}: choose one from {known}.")
    before = function.at_present(function.x, function.context)
    vectors = (function.x if function.context is None else function.context).copy()
    vectors[token] += amount * np.random.default_rng(NOISE_SEED).standard_normal(vectors.shape[1])
    changed = (vectors, None) if function.context is None else (function.x, vectors)
    after = function.at_present(*changed)
    return ChangeCheck(token, amount, np.abs(after - before).max(axis=1))


def change_report(frame: HeadsFrame, token: int, amount: float = 1.0) -> CheckReport:
    """Change a token and say which outputs change."""
    check = change_check(frame, token, amount)
    vector = "vector"
    if not frame.has_projections:
        vector = "key and value" if frame.is_cross else "query, key and value"
    note = (
        f"Noise of standard deviation {amount:g} is added to the {vector} of {key_name(frame, token)}. The bars "
        f"show the largest change in each row of {whole_layer(frame)}."
    )
    return CheckReport(_change_in_words(frame, check), (_change_table(frame, check),), (note,))


def _change_in_words(frame: HeadsFrame, check: ChangeCheck) -> str:
    count, still = len(check.changes), check.untouched
    name = key_name(frame, check.token)
    if not still:
        if count == 1:
            return f"The only output changes with {name}, by {size_text(float(check.changes[0]))}."
        least = f", the least by {size_text(float(check.changes.min()))}"
        visible = frame.mask is None or bool(frame.mask[:, check.token].all())
        return f"All {count} outputs change with {name}{least}{': it is visible to all of them' if visible else ''}."
    if len(still) == count:
        if _is_attended(frame, check.token):
            return "No output changes at all (exactly 0), though some queries attend to it: its value adds nothing."
        return f"No output changes at all (exactly 0): no query attends to {name}."
    rows = f"row{'s' * (len(still) > 1)} {_ranges(still, frame.count)}"
    do, rest = "do" if len(still) > 1 else "does", count - len(still)
    others = f"the other {rest} change" if rest > 1 else "the other one changes"
    return f"Of {count} outputs, {rows} {do} not change at all (exactly 0); {others} with {name}."


def _is_attended(frame: HeadsFrame, token: int) -> bool:
    layers = frame.layers[: frame.layer + 1]
    maps = (map_ for layer in layers for map_ in layer.maps) if frame.has_projections else (frame.head_map,)
    return any(map_.weights(cols=one(token)).any() for map_ in maps)


def _ranges(rows: tuple[int, ...], count: Count) -> str:
    """Return 1–3, 5 for the indices 0, 1, 2, 4 counted from 1; of many pieces the first few."""
    pieces: list[list[int]] = []
    for row in rows:
        if pieces and pieces[-1][1] == row - 1:
            pieces[-1][1] = row
        else:
            pieces.append([row, row])
    ends = ((count.number(first), count.number(last)) for first, last in pieces)
    named = [f"{first}" if first == last else f"{first}–{last}" for first, last in ends]
    return ", ".join(named[:4]) + (" …" if len(named) > 4 else "")


def _change_table(frame: HeadsFrame, check: ChangeCheck) -> CheckTable:
    count = len(check.changes)
    shown = listed_rows(count, None if frame.is_cross else check.token)
    largest = float(check.changes.max()) or 1.0
    rows = tuple((frame.count.listed(frame.queries, row), float(check.changes[row])) for row in shown)
    own = check.token - shown.start if not frame.is_cross else None
    return CheckTable(
        (("output row", Form.TEXT), ("max change", Form.SIZE)),
        rows,
        marked_row=own,
        bars=tuple(float(check.changes[row]) / largest for row in shown),
        more=left_out(count - len(shown), "rows"),
    )
