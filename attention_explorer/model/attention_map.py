"""Attention as a view and not a table: rows and columns of a map when they are asked for.

A map of 32 768 tokens is 8 GiB, its queries and keys are 32 MiB. So a map is computed a block of rows at a time,
and nothing is kept but what is returned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from attention_explorer.errors import ArrayError
from attention_explorer.fields import choice
from attention_explorer.model.arrays import Bools, Floats, finite_array
from attention_explorer.model.attention import weighted_mean
from attention_explorer.model.map_selection import (
    ALL,
    Choice,
    Selection,
    chosen,
    count,
    row_blocks,
    without_single_axes,
)
from attention_explorer.model.map_summary import MapSummary, RowBlock, RowSummary, SummaryPass
from attention_explorer.model.map_survey import MapSurvey, surveys
from attention_explorer.model.patterns import Pattern, PatternPass, PatternScore
from attention_explorer.model.pooling import Pooled, TilePool


class Stage(StrEnum):
    """The stages of a map, in the order of computation; see `Attention`."""

    SCORES = "scores"
    SCALED = "scaled"
    MASKED = "masked"
    WEIGHTS = "weights"


class AttentionMap(ABC):
    """A map of n_q queries and n_k keys, of which any part can be had.

    Wherever rows and columns can be chosen, the choice is a slice of step 1, an array of positions or of a boolean for
    each, or one position, whose axis is dropped. Every method raises `ArrayError` for a choice outside the map.

    ``map[rows, cols]`` gives weights as NumPy indexes an array of them, negative positions and steps included, and
    ``np.asarray(map)`` all of them.
    """

    has_scores: ClassVar[bool] = False
    """Whether stages before the weights are known."""

    def __init__(self, shape: tuple[int, int], dtype: np.dtype[np.floating[Any]]) -> None:
        self._shape = shape
        self._dtype = dtype

    @property
    def n_q(self) -> int:
        """Number of queries, the rows."""
        return self._shape[0]

    @property
    def n_k(self) -> int:
        """Number of keys, the columns."""
        return self._shape[1]

    @property
    def shape(self) -> tuple[int, int]:
        """n_q, n_k."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """float32 or float64, of all that is returned but the summaries."""
        return self._dtype

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_q} × {self.n_k}, {', '.join([str(self.dtype), *self._described()])})"

    def __len__(self) -> int:
        return self.n_q

    def __iter__(self) -> Iterator[Floats]:
        for _, block in row_blocks(slice(0, self.n_q), self.n_k):
            yield from self.weights(block)

    def __getitem__(self, key: object) -> Floats:
        keys: Sequence[Any] = key if isinstance(key, tuple) else (key,)
        own, others = keys[0], keys[1:]
        try:
            if isinstance(own, np.ndarray) and own.dtype == np.bool_ and own.shape == self._shape:
                own, others = np.nonzero(own)[0], (np.nonzero(own)[1], *others)
            queries = np.arange(self.n_q)[own]
            if isinstance(own, slice):
                return np.asarray(self.weights(queries)[:, *others])
            needed, places = np.unique(queries, return_inverse=True)
            return np.asarray(self.weights(needed)[places.reshape(queries.shape), *others])
        except (IndexError, TypeError, ValueError) as error:
            raise ArrayError(f"a map of shape {self._shape} cannot be indexed by {key!r:.80}: {error}") from None

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ArrayError("the weights of a map are computed when they are asked for: copy=False cannot be had")
        return self.weights().astype(dtype or self._dtype, copy=False)

    def weights(self, rows: Choice = ALL, cols: Choice = ALL) -> Floats:
        """Compute weights.

        Parameters
        ----------
        rows, cols : int, slice or array of int or bool
            Which queries and which keys. Rows are normalised over all keys, also those not chosen.

        Returns
        -------
        ndarray, (rows, cols)
        """
        return self.stage(Stage.WEIGHTS, rows, cols)

    def scores(self, rows: Choice = ALL, cols: Choice = ALL, stage: Stage | str = Stage.SCORES) -> Floats:
        """Compute scores.

        Parameters
        ----------
        rows, cols : int, slice or array of int or bool
            Which queries and which keys.
        stage : Stage or str
            How far: "scores", "scaled", "masked" or "weights".

        Returns
        -------
        ndarray, (rows, cols)

        Raises
        ------
        ArrayError
            If the stage is unknown, or only weights are known.
        """
        return self.stage(stage, rows, cols)

    def stage(self, stage: Stage | str, rows: Choice = ALL, cols: Choice = ALL) -> Floats:
        """Compute a stage.

        Parameters
        ----------
        stage : Stage or str
            Which one: "scores", "scaled", "masked" or "weights".
        rows, cols : int, slice or array of int or bool
            Which queries and which keys.

        Returns
        -------
        ndarray, (rows, cols)
            The caller's own.

        Raises
        ------
        ArrayError
            If the stage is unknown, or only weights are known and another one is asked for.
        """
        stage = self._known(stage)
        queries, keys = chosen("rows", rows, self.n_q), chosen("cols", cols, self.n_k)
        whole: Floats | None = None
        for offset, block in row_blocks(queries, self.n_k):
            part = self._stage_part(stage, block, keys)
            if len(part) == count(queries):
                return without_single_axes(part, rows, cols)
            if whole is None:
                whole = np.empty((count(queries), count(keys)), part.dtype)
            whole[offset : offset + len(part)] = part
        return np.zeros((0, count(keys)), self._dtype) if whole is None else without_single_axes(whole, rows, cols)

    def allowed(self, rows: Choice = ALL, cols: Choice = ALL) -> Bools:
        """Tell who may attend to whom.

        Parameters
        ----------
        rows, cols : int, slice or array of int or bool
            Which queries and which keys.

        Returns
        -------
        ndarray of bool, (rows, cols)
            False where a mask, or a bias of −inf, hides the key; True where there is no mask.
        """
        queries, keys = chosen("rows", rows, self.n_q), chosen("cols", cols, self.n_k)
        allowed = np.ones((count(queries), count(keys)), np.bool_)
        for offset, block in row_blocks(queries, self.n_k):
            part = self._allowed_part(block)
            if part is not None:
                allowed[offset : offset + len(part)] = part[:, keys]
        return without_single_axes(allowed, rows, cols)

    def blocks(self) -> Iterator[tuple[int, RowBlock]]:
        """Compute what the summaries need of all rows, a block at a time.

        Yields
        ------
        offset : int
            How many rows came before.
        block : RowBlock
        """
        for offset, rows in row_blocks(slice(0, self.n_q), self.n_k):
            yield offset, self._block(rows)

    @property
    def kind(self) -> tuple[object, ...] | None:
        """What maps of one shape and dtype have in common that `block_of` takes; None where each is computed alone."""
        return None

    def block_of(self, maps: Sequence[AttentionMap]) -> RowBlock:
        """Compute all rows of several maps of the kind of this one as one array, which takes little more than one map.

        Parameters
        ----------
        maps : sequence of AttentionMap
            Small ones; this one may be among them.

        Returns
        -------
        RowBlock
            Its arrays (maps, n_q, n_k).
        """
        return RowBlock.stacked([block for map_ in maps for _, block in map_.blocks()])

    def row_summary(self, rows: Choice = ALL) -> RowSummary:
        """Summarise each of some rows.

        Parameters
        ----------
        rows : int, slice or array of int or bool
            Which queries.

        Returns
        -------
        RowSummary
            Arrays as long as `rows`.
        """
        taken = SummaryPass(self._shape)
        for _, block in row_blocks(chosen("rows", rows, self.n_q), self.n_k):
            taken.add(self._block(block))
        return taken.row_summary()

    def summary(self) -> MapSummary:
        """Summarise the map."""
        taken = SummaryPass(self._shape)
        for _, block in self.blocks():
            taken.add(block)
        return taken.summary()

    def pooled(self, stage: Stage | str, height: int, width: int, rows: Choice = ALL, cols: Choice = ALL) -> Pooled:
        """Reduce a stage to a picture.

        Parameters
        ----------
        stage : Stage or str
            Which one: "scores", "scaled", "masked" or "weights".
        height, width : int
            How many tiles there may be each way, at least 1; `tile_bounds` says which entries share one.
        rows, cols : int, slice or array of int or bool
            Which queries and which keys.

        Returns
        -------
        Pooled
            No larger than the choice. For raw and scaled scores nothing is masked.

        Raises
        ------
        ArrayError
            If the stage is unknown, or only weights are known and another one is asked for, or a size is below 1.
        """
        stage = self._known(stage)
        queries, keys = chosen("rows", rows, self.n_q), chosen("cols", cols, self.n_k)
        by_magnitude = stage is not Stage.WEIGHTS
        tiles = TilePool((count(queries), count(keys)), height, width, self._dtype, by_magnitude)
        hides = stage in (Stage.MASKED, Stage.WEIGHTS)
        for offset, block in row_blocks(queries, self.n_k):
            part = self._stage_part(stage, block, keys)
            allowed = self._allowed_part(block) if hides else None
            tiles.add(offset, part, None if allowed is None else np.ascontiguousarray(allowed[:, keys]))
        return tiles.pooled(0.0 if stage is Stage.WEIGHTS else -np.inf)

    def patterns(
        self, tokens: Sequence[str], context_tokens: Sequence[str] | None = None
    ) -> dict[Pattern, PatternScore]:
        """Measure how much the map follows each pattern.

        Parameters
        ----------
        tokens : sequence of str
            One a key, or in cross-attention one a query.
        context_tokens : sequence of str, optional
            In cross-attention one a key.

        Returns
        -------
        dict
            The score of every pattern, in their order; `PatternPass` says which keys belong to each.

        Raises
        ------
        ArrayError
            If there are not as many tokens.
        """
        taken = PatternPass(self._shape, tokens, context_tokens)
        for _, block in self.blocks():
            taken.add(block)
        return taken.scores()

    def survey(
        self,
        height: int,
        width: int,
        tokens: Sequence[str] | None = None,
        context_tokens: Sequence[str] | None = None,
    ) -> MapSurvey:
        """Reduce the weights to a picture, summarise the map and measure patterns, in one pass.

        Parameters
        ----------
        height, width : int
            How many tiles there may be each way, at least 1.
        tokens, context_tokens : sequence of str, optional
            As in ``patterns``.

        Returns
        -------
        MapSurvey

        Raises
        ------
        ArrayError
            If a size is below 1, or there are not as many tokens.
        """
        return next(surveys((self,), height, width, tokens, context_tokens))

    def output(self, v: npt.ArrayLike) -> Floats:
        """Mix values by the weights, block by block.

        Parameters
        ----------
        v : array_like, (n_k, d_v)
            One value a key.

        Returns
        -------
        ndarray, (n_q, d_v)

        Raises
        ------
        ArrayError
            If there are not n_k values, or one is not finite.
        """
        values = finite_array("v", v, "n_k", "d_v")
        if len(values) != self.n_k:
            raise ArrayError(f"v has shape {values.shape}, but the map has {self.n_k} keys: it must have as many rows")
        dtype = np.result_type(self._dtype, values)
        output = np.zeros((self.n_q, values.shape[1]), dtype)
        for offset, rows in row_blocks(slice(0, self.n_q), self.n_k):
            weights = self._stage_part(Stage.WEIGHTS, rows, slice(0, self.n_k)).astype(dtype, copy=False)
            output[offset : offset + len(weights)] = weighted_mean(weights, values.astype(dtype, copy=False))
        return output

    def asymmetry(self) -> float:
        """Measure how far the scaled scores are from symmetric: max |S − Sᵀ|.

        Returns
        -------
        float
            0 if looking is mutual; NaN if there are not as many queries as keys.

        Raises
        ------
        ArrayError
            If only weights are known.
        """
        self._known(Stage.SCALED)
        if self.n_q != self.n_k:
            return float("nan")
        largest = 0.0
        for _, rows in row_blocks(slice(0, self.n_q), self.n_k):
            rest = slice(rows.start, self.n_k) if isinstance(rows, slice) else rows
            across = self._stage_part(Stage.SCALED, rows, rest)  # (b, rest)
            down = self._stage_part(Stage.SCALED, rest, rows)  # (rest, b)
            with np.errstate(all="ignore"):  # beyond the float range a difference is inf or NaN
                largest = max(largest, float(np.abs(across - down.T).max()))
        return largest

    @abstractmethod
    def _stage_part(self, stage: Stage, rows: Selection, cols: Selection) -> Floats:
        """Compute a stage of one block of rows, (rows, cols), in an array of its own."""

    def _allowed_part(self, rows: Selection) -> Bools | None:
        """Tell who may attend to whom in one block of rows, (rows, n_k); None if all may."""
        return None

    def _described(self) -> list[str]:
        """Say what else there is to say of the map, in a word each."""
        return []

    def _block(self, rows: Selection) -> RowBlock:
        """Compute what the summaries need of one block of rows."""
        weights = self._stage_part(Stage.WEIGHTS, rows, slice(0, self.n_k))
        return RowBlock(rows, weights, self._allowed_part(rows))

    def _known(self, stage: Stage | str) -> Stage:
        """Take a stage, or its name, that this map knows."""
        stage = choice("stage", stage, Stage)
        if stage is not Stage.WEIGHTS and not self.has_scores:
            raise ArrayError(
                f"this map holds weights only, without the queries and keys that they came from: ask for "
                f"{Stage.WEIGHTS.name}, not {stage.name}"
            )
        return stage
