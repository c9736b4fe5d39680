"""The layers and heads of a file, as attention maps: each is read where it lies, when it is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from attention_explorer.core.numerals import counted
from attention_explorer.errors import ArrayError
from attention_explorer.model import ArrayMap, AttentionMap, QueryKeyMap, RowArray, RowMask
from attention_explorer.sources.handed_over import is_handed_over
from attention_explorer.sources.recorded.axes import hides_keys
from attention_explorer.sources.recorded.contents import Contents
from attention_explorer.sources.recorded.head_array import HeadArray
from attention_explorer.sources.recorded.head_stack import HeadStack, check_sizes
from attention_explorer.sources.recorded.masks import causal_rows, head_mask
from attention_explorer.sources.recorded.row_weights import RowWeights, keys_in_sight
from attention_explorer.sources.recorded.stored_array import StoredArray
from attention_explorer.sources.recorded_recipe import Rows

MOST_HEADS = 2**16
"""Of all layers together."""


@dataclass(frozen=True, slots=True)
class RecordedHead:
    """One head of a file. Nothing of it is read before it is asked for."""

    weights: RowArray | None
    """(n_q, n_k); None if they are computed from `q` and `k`."""
    q: HeadArray | None
    """(n_q, d_k), with `k`, (n_k, d_k)."""
    k: HeadArray | None
    v: HeadArray | None
    """(n_k, d_v)"""
    mask: RowMask | None
    """True where a query may attend."""
    name: str = "weights"
    """What its weights are called in messages."""
    is_guess: bool = False
    """Whether the mask is a guess, which the weights may contradict."""

    @property
    def shape(self) -> tuple[int, int]:
        """n_q, n_k."""
        if self.weights is not None:
            return self.weights.shape
        return (0 if self.q is None else self.q.shape[0]), (0 if self.k is None else self.k.shape[0])

    def map(self) -> AttentionMap:
        """Return the map: the recorded weights, or what queries and keys give.

        Raises
        ------
        ArrayError
            If queries or keys are not finite; weights and mask are looked at later, as `ArrayMap` says.
        """
        if self.weights is not None:
            return ArrayMap(self.weights, mask=self.mask, is_guess=self.is_guess, name=self.name)
        return self.scores_map()

    def scores_map(self) -> QueryKeyMap:
        """Return the map that queries and keys give, with 1/√d_k as the scale.

        Raises
        ------
        ArrayError
            If they are not there, or not finite.
        """
        if self.q is None or self.k is None:
            raise ArrayError("there are no queries and keys of this head: save them as q and k, beside its weights")
        return QueryKeyMap(self.q.read(), self.k.read(), mask=self.mask)


def layers_of(
    contents: Contents,
    axes: str = "",
    *,
    batch: int | None = 0,
    is_causal: bool = False,
    rows: Rows = Rows.AS_THEY_ARE,
) -> tuple[tuple[RecordedHead, ...], ...]:
    """Return the heads of every layer.

    Parameters
    ----------
    contents : Contents
        What is what in the file.
    axes : str
        One letter an axis of the weights; not used if there are only queries and keys.
    batch : int or None
        Which sequence of the batch, from 0 on; None if there should be only one.
    is_causal : bool
        Whether keys after their query are hidden, if the file has no mask.
    rows : Rows
        How the rows become weights: scores of −inf are hidden then, if nothing else is.

    Returns
    -------
    tuple of tuple of RecordedHead
        By layer; layers may differ in their number of heads.

    Raises
    ------
    ArrayError
        If axes, batch, sizes or the number of tokens do not fit each other.
    """
    weights = HeadStack(contents.attention, "qk", contents.is_list, batch, axes) if contents.attention else None
    q, k, v = (_stack_beside(contents, arrays, batch) for arrays in (contents.q, contents.k, contents.v))
    leading = weights or q
    if leading is None or (k is None and weights is None):
        raise ArrayError(f"“{contents.path.name}” holds neither weights nor queries and keys")
    counts = leading.heads
    if sum(counts) > MOST_HEADS:
        raise ArrayError(f"{sum(counts)} heads, more than {MOST_HEADS}, would be shown: are the axes right?")
    n_q, n_k = leading.rows_and_columns
    if k is not None and weights is None:
        n_k = k.rows_and_columns[0]
    check_sizes(q, k, v, (n_q, n_k), counts)
    check_tokens(contents, n_q, n_k)
    is_made = weights is not None and rows is not Rows.AS_THEY_ARE
    has_infinite = is_made and rows is Rows.SOFTMAX and contents.mask is None and not is_causal
    has_infinite = has_infinite and hides_keys(contents.attention, axes)

    def head(layer: int, number: int) -> RecordedHead:
        def part(stack: HeadStack | None) -> HeadArray | None:
            return None if stack is None else stack.head(layer, number, counts[layer])

        mask = causal_rows(n_q, n_k) if is_causal else None
        if contents.mask is not None:
            sizes = {"l": len(counts), "b": leading.batch_size, "h": counts[layer], "q": n_q, "k": n_k}
            mask = head_mask(contents.mask, axes, sizes, {"l": layer, "b": batch or 0, "h": number})
        name = contents.name  # whoever counts from 0 knows it by these words: see `Count.recounted`
        if sum(counts) > 1:
            name = f"{name or 'layer'} {'of layer ' * bool(name)}{layer + 1}, head {number + 1} (counted from 1)"
        table: RowArray | None = part(weights)
        if table is not None and is_made:
            mask = keys_in_sight(table) if has_infinite else mask
            table = RowWeights(table, rows, mask, name)
        is_guess = is_causal and contents.mask is None and not is_made
        return RecordedHead(table, part(q), part(k), part(v), mask, name, is_guess)

    return tuple(tuple(head(layer, number) for number in range(count)) for layer, count in enumerate(counts))


def check_tokens(contents: Contents, n_q: int, n_k: int) -> None:
    """Make sure that there is a token for each query and each key, if there are any.

    Raises
    ------
    ArrayError
        If there are too few or too many.
    """
    name, tokens, context = contents.path.name, contents.tokens, contents.context_tokens
    if tokens is not None and len(tokens) != n_q:
        given = counted(len(tokens), "token")
        if is_handed_over(contents.path):
            raise ArrayError(f"{given} for {n_q} queries: give one for each, in “tokens”")
        if not contents.has_own_tokens:
            raise ArrayError(f"{given} for the {n_q} queries of “{name}”: give one for each")
        raise ArrayError(f"“{name}” has {given} for {n_q} queries: give one for each, in “tokens”")
    if context is not None and len(context) != n_k:
        given = counted(len(context), "token")
        if is_handed_over(contents.path):
            raise ArrayError(f"{given} for {counted(n_k, 'key')}: give one for each, in “context_tokens”")
        raise ArrayError(f"“{name}” has {given} for {n_k} keys: give one for each, in “context_tokens”")


def _stack_beside(contents: Contents, arrays: tuple[StoredArray, ...], batch: int | None) -> HeadStack | None:
    """Take queries, keys or values apart, which stand beside weights or in their place."""
    is_list = len(arrays) > 1 or (contents.is_list and len(contents.attention) == 1)
    return HeadStack(arrays, "nd", is_list, batch) if arrays else None
