"""The tensors of a model: found by name, checked against the configuration at once, read when they are needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from threading import RLock
from typing import NamedTuple

import numpy as np

from attention_explorer.core.byte_cache import KnowsItsArrays
from attention_explorer.errors import FileError, quoted
from attention_explorer.model.arrays import Floats, all_finite
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.norm import NormKind
from attention_explorer.model.transformer import FastNorm, Linear, NormSpec
from attention_explorer.model.transformer.embedding import Ids
from attention_explorer.sources.recorded.stored_array import StoredArray

_ROWS_AT_ONCE = 1024
"""That are compared; of the widest models these are 64 MB."""


class StoredLinear(NamedTuple):
    """A matrix in a file, (d_out, d_in) or the other way round, and its bias."""

    weight: StoredArray
    bias: StoredArray | None
    input_first: bool


class Tensors:
    """The tensors of a model.

    Parameters
    ----------
    where : str
        The folder or file, for messages.
    arrays : mapping of str to StoredArray
        By name.
    unfit : mapping of str to str
        Why others cannot be used.
    prefixes : tuple of str
        What names may begin with, in files of which task they were saved for.

    Attributes
    ----------
    notes : list of str
        What was found to be otherwise than the configuration says, a sentence each.
    """

    def __init__(
        self,
        where: str,
        arrays: Mapping[str, StoredArray],
        unfit: Mapping[str, str] | None = None,
        prefixes: tuple[str, ...] = (),
    ) -> None:
        self.where, self._arrays, self._unfit = where, arrays, unfit or {}
        self._prefixes = (*prefixes, "")
        self._used = set[str]()
        self.notes: list[str] = []

    def has(self, name: str) -> bool:
        """Whether there is a tensor of a name, with or without a prefix."""
        return self._full_name(name) in self._arrays

    def has_any(self, start: str) -> bool:
        """Whether the name of a tensor begins so, with or without a prefix."""
        starts = tuple(prefix + start for prefix in self._prefixes)
        return any(name.startswith(starts) for name in (*self._arrays, *self._unfit))

    def array(self, name: str, *shape: int) -> StoredArray:
        """Return a tensor that has the shape that the configuration asks for.

        Raises
        ------
        FileError
            If it is missing, has another shape, or holds no floating-point numbers.
        """
        full = self._full_name(name)
        self._used.add(full)
        if full in self._unfit:
            raise FileError(self._unfit[full])
        array = self._arrays.get(full)
        if array is None:
            raise FileError(
                f"{self.where} has no tensor {quoted(name)}: the configuration belongs to another model, or a file is "
                "missing."
            )
        if array.shape != shape:
            raise FileError(
                f"{quoted(full)} of {self.where} has the shape {list(array.shape)}, but the configuration asks for "
                f"{list(shape)}: the two belong to different models."
            )
        if array.dtype.kind != "f":
            raise FileError(f"{quoted(full)} of {self.where} holds {array.precision}, but weights are floating-point.")
        return array

    def first(self, names: Sequence[str], *shape: int) -> StoredArray:
        """Return the first tensor of some that are one and the same, of which a file need not hold all; as `array`."""
        return self.array(next(filter(self.has, names), names[0]), *shape)

    def own(self, name: str, other: StoredArray, *, said: bool) -> StoredArray:
        """Return a tensor if the file has it, else the other one that it is tied to; as `array`.

        Parameters
        ----------
        name : str
            Of the tensor.
        other : StoredArray
            What it is tied to.
        said : bool
            Whether the configuration says that they are tied. Then they are compared: of two that are equal the other
            one is returned, and two that are not get a note.
        """
        if not self.has(name):
            return other
        found = self.array(name, *other.shape)
        if not said or found is other:
            return found
        if _are_equal(found, other):
            return other
        self.notes.append(
            f"The file’s own “{found.name}” is used: it differs from “{other.name}”, though the configuration says "
            "that the two are one."
        )
        return found

    def vector(self, name: str, *shape: int) -> Callable[[], Floats]:
        """Return what reads a tensor, which is checked now."""
        array = self.array(name, *shape)
        return lambda: self.read(array)

    def linear(self, name: str, d_in: int, d_out: int, *, bias: bool = True, input_first: bool = False) -> StoredLinear:
        """Return a matrix with its bias, checked."""
        shape = (d_in, d_out) if input_first else (d_out, d_in)
        weight = self.array(f"{name}.weight", *shape)
        return StoredLinear(weight, self.array(f"{name}.bias", d_out) if bias else None, input_first)

    def fused(self, *parts: StoredLinear) -> Callable[[], Linear]:
        """Return what reads matrices of one input as one: y = (y₁, y₂, …). Biases that are missing are 0."""
        return lambda: Linear(self._side_by_side(parts), self._biases(parts))

    def norm(self, name: str, width: int, spec: NormSpec) -> Callable[[], FastNorm]:
        """Return what reads a norm; older files call its numbers gamma and beta."""
        old = self.has(f"{name}.gamma")
        gain = self.vector(f"{name}.{'gamma' if old else 'weight'}", width)
        has_bias = spec.kind is NormKind.LAYER and spec.has_bias
        bias = self.vector(f"{name}.{'beta' if old else 'bias'}", width) if has_bias else None
        more = np.float32(1.0 if spec.adds_one else 0.0)
        return lambda: FastNorm(spec.kind, gain() + more, None if bias is None else bias(), spec.eps)

    def read(self, array: StoredArray) -> Floats:
        """Read a tensor as float32.

        Raises
        ------
        FileError
            If a number is not finite.
        """
        return self.finite(array, array.read())

    def finite(self, array: StoredArray, numbers: np.ndarray) -> Floats:
        """Return what was read of a tensor as float32; as `read`."""
        with np.errstate(over="ignore", invalid="ignore"):  # looked for in the next line
            found: Floats = np.ascontiguousarray(numbers, dtype=np.float32)
        if not all_finite(found):
            raise FileError(
                f"{quoted(array.name)} of {self.where} holds NaN or infinity: the file is damaged, or training failed."
            )
        return found

    def check_rest(self, *ignored: str) -> None:
        """Make sure that no tensor is left over that would alter the result.

        Parameters
        ----------
        *ignored : str
            Patterns of those that do not: of other heads, and what can be computed.

        Raises
        ------
        FileError
            If one is; the message names it.
        """
        patterns = [re.compile(pattern) for pattern in ignored]
        for name in (*self._arrays, *self._unfit):
            short = next((name.removeprefix(p) for p in self._prefixes if name.startswith(p)), name)
            if name not in self._used and not any(pattern.fullmatch(short) for pattern in patterns):
                raise FileError(
                    f"{quoted(name)} of {self.where} is no tensor of a model as its configuration describes it, so it "
                    "would not be computed rightly."
                )

    def _full_name(self, name: str) -> str:
        known = (prefix + name for prefix in self._prefixes)
        return next((full for full in known if full in self._arrays or full in self._unfit), name)

    def _biases(self, parts: tuple[StoredLinear, ...]) -> Floats | None:
        if all(part.bias is None for part in parts):
            return None
        out = [part.weight.shape[1 if part.input_first else 0] for part in parts]
        found = (None if part.bias is None else self.read(part.bias) for part in parts)
        return np.concatenate(
            [np.zeros(d, np.float32) if bias is None else bias for d, bias in zip(out, found, strict=True)]
        )

    def _side_by_side(self, parts: tuple[StoredLinear, ...]) -> Floats:
        """Return (d_in, d_out₁ + d_out₂ + …), each part read once, to where it belongs."""
        if len(parts) == 1:
            return self._turned(self.read(parts[0].weight), parts[0])
        d_in, widths = parts[0].weight.shape[1], [part.weight.shape[0] for part in parts]
        every, start = np.empty((sum(widths), d_in), np.float32), 0
        for part, width in zip(parts, widths, strict=True):
            every[start : start + width] = self.read(part.weight)
            start += width
        return every.T

    @staticmethod
    def _turned(weight: Floats, part: StoredLinear) -> Floats:
        return weight if part.input_first else weight.T


def _are_equal(first: StoredArray, second: StoredArray) -> bool:
    """Whether two tensors of one shape hold the same numbers; read a few rows at a time, up to the first difference."""
    for start in range(0, len(first), _ROWS_AT_ONCE):
        checkpoint()
        rows = slice(start, start + _ROWS_AT_ONCE)
        if not np.array_equal(first[rows], second[rows]):
            return False
    return True


class Words(KnowsItsArrays):
    """The table of the embeddings: rows of it, or all of it where it serves as the last matrix too.

    Parameters
    ----------
    tensors : Tensors
        Those of the model.
    array : StoredArray
        (vocabulary, d).
    """

    def __init__(self, tensors: Tensors, array: StoredArray) -> None:
        self._tensors, self.array = tensors, array
        self._whole: Floats | None = None
        self._lock = RLock()

    @property
    def arrays(self) -> Collection[object]:
        """The whole table, where it was read."""
        return () if self._whole is None else (self._whole,)

    def __call__(self, ids: Ids) -> Floats:
        """Return the rows of some ids, (n, d), float32."""
        if self._whole is None:
            return self._tensors.finite(self.array, self.array[ids])
        return self._whole[ids]

    def alike(self, array: StoredArray) -> Callable[[], Floats]:
        """Return what reads all rows of a table: of this one, which is read once, or of another."""
        return self.whole if array is self.array else lambda: self._tensors.read(array)

    def whole(self) -> Floats:
        """Return all rows, (vocabulary, d), float32, read once."""
        with self._lock:
            if self._whole is None:
                self._whole = self._tensors.read(self.array)
            return self._whole
