"""Shuffle the tokens, and see whether the outputs are the same rows in another order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_explorer.core.byte_cache import kept
from attention_explorer.core.colour_scale import BoolArray, FloatArray
from attention_explorer.core.counting import Count
from attention_explorer.core.numerals import size_text
from attention_explorer.core.shuffle import ShuffleComparison, compared
from attention_explorer.errors import ExplorerError
from attention_explorer.model import causal_mask
from attention_explorer.pages.heads.check_function import TokenFunction, token_function
from attention_explorer.pages.heads.check_report import (
    Cell,
    CheckReport,
    CheckTable,
    Form,
    left_out,
    listed_rows,
    require_size,
    whole_layer,
)
from attention_explorer.pages.heads.frame import HeadsFrame, heads_frame
from attention_explorer.pages.heads.state import HeadsSetup

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
    require_size(frame)
    if sorted(order) != list(range(len(frame.queries))):
        raise ExplorerError(f"An order of {len(frame.queries)} tokens names each of them once, from 0 on.")
    return _shuffle_check(frame.setup, order)


@kept
def _shuffle_check(setup: HeadsSetup, order: tuple[int, ...]) -> ShuffleCheck:
    frame = heads_frame(setup)
    function = token_function(frame)
    names, masks, column = _masks(frame)
    encodings = (False, True) if function.can_encode else (False,)
    found = tuple(
        tuple(compared(_bound(function, mask, encoded), function.x, order) for mask in masks) for encoded in encodings
    )
    titles = ("no encoding", "encoding") if function.can_encode else ("as made",)
    words = tuple(frame.queries[token] for token in order)
    return ShuffleCheck(order, words, names, titles, found, (int(function.is_encoded), column))


def _bound(function: TokenFunction, mask: BoolArray | None, encoded: bool) -> Callable[[FloatArray], FloatArray]:
    return lambda x: function(x, function.context, mask, encoded=encoded)


def _masks(frame: HeadsFrame) -> tuple[tuple[str, ...], tuple[BoolArray | None, ...], int]:
    """Return the masks to try, by name, and which of them is the setup's."""
    causal = causal_mask(*frame.shape)
    names, masks = ("no mask", "causal"), (None, causal)
    if frame.mask is None:
        return names, masks, 0
    if np.array_equal(frame.mask, causal):
        return names, masks, 1
    return (*names, "this mask"), (*masks, frame.mask), 2


# ---- In words ----


def shuffle_report(frame: HeadsFrame, order: tuple[int, ...]) -> CheckReport:
    """Shuffle the tokens and say what came of it."""
    check = shuffle_check(frame, order)
    now = check.at_present
    return CheckReport(result_in_words(now), (_errors(check), _changes(now), _rows(check)), _notes(frame, check))


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


def _errors(check: ShuffleCheck) -> CheckTable:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *(found.error for found in line)) for name, line in zip(check.encodings, check.found, strict=True)
    )
    columns = (("", Form.TEXT), *((name, Form.SIZE) for name in check.masks))
    row, column = check.present
    return CheckTable(columns, rows, "Error max |f(PX) − P f(X)|; marked: this setup", row, column + 1)


def _changes(now: ShuffleComparison) -> CheckTable:
    rows = (
        ("f(PX) from P f(X)", now.error),
        ("f(PX) from f(X)", now.moved),
        ("mean of the rows of f(PX) from f(X)", now.pooled),
    )
    return CheckTable((("", Form.TEXT), ("max diff.", Form.SIZE)), rows, "This setup")


def _rows(check: ShuffleCheck) -> CheckTable:
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
    title = "Output rows: first feature, and largest error"
    return CheckTable(columns, rows, title, more=left_out(count - len(places), "rows"))
