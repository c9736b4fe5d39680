"""What is what in a file of arrays: the weights, queries, keys and values, the mask and the tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from attention_explorer.core.json_text import JsonTextError, json_from
from attention_explorer.errors import ArrayError, FileError, did_you_mean, quoted
from attention_explorer.sources.recorded.array_file import ArrayFile
from attention_explorer.sources.recorded.axes import FEWEST_AXES, MOST_AXES, guess_axes
from attention_explorer.sources.recorded.stored_array import StoredArray

NAMES = ("attention", "attentions", "weights")
"""What weights are called, if it is to be known without looking at them."""
COMPUTED = "q, k"
"""Chosen in place of the name of weights: those are to be computed, though there are some."""
_MASKS = ("mask", "allowed")
_TOKENS, _CONTEXT_TOKENS = ("tokens", "queries"), ("context_tokens", "keys")
"""The second of each is what this program's own exports call them."""
_UNNAMED = "arr"
"""What numpy.savez calls arrays that are given without names: arr_0, arr_1, …"""
_NAMED_OTHERWISE = re.compile(r"(q|k|v|mask|allowed|tokens|context_tokens)([._/]?\d+)?")
_MOST_LISTED = 8


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file holds of attention."""

    path: Path
    name: str
    """What the weights are called; empty if they are to be computed from queries and keys."""
    attention: tuple[StoredArray, ...]
    """The weights: one array, one for each layer if `is_list`, or none."""
    is_list: bool
    q: tuple[StoredArray, ...]
    """Queries: one array, one for each layer, or none; so are keys and values."""
    k: tuple[StoredArray, ...]
    v: tuple[StoredArray, ...]
    mask: StoredArray | None
    """True, or 1, where a query may attend."""
    tokens: tuple[str, ...] | None
    """Exact pieces, of the queries and, if there are no others, of the keys."""
    context_tokens: tuple[str, ...] | None
    notes: tuple[str, ...]
    """What was left aside, and why: sentences."""
    has_own_tokens: bool = True
    """Whether the tokens are in the file, and not given beside it."""
    missed: tuple[str, ...] = ()
    """Those of them on arrays that would have been used."""

    @property
    def packed_bytes(self) -> int:
        """Bytes of all arrays that have to be unpacked as a whole before any part of them can be read."""
        arrays = (*self.attention, *self.q, *self.k, *self.v, *(() if self.mask is None else (self.mask,)))
        return sum(array.nbytes for array in arrays if array.whole_at_once)


def contents_of(file: ArrayFile, attention: str | None = None) -> Contents:
    """Tell what is what in a file.

    Parameters
    ----------
    file : ArrayFile
        The file.
    attention : str, optional
        What the weights are called, or the name that their layers share. If not given, it is attention, attentions or
        weights, or the only array of real numbers that can be weights.

    Returns
    -------
    Contents

    Raises
    ------
    FileError
        If there are no weights, nor queries and keys, or several arrays could be weights.
    """
    q, k, v = (_one_or_layers(file, name)[0] for name in "qkv")
    notes = []
    if bool(q) != bool(k):
        notes.append(f"“{file.path.name}” has {'q' if q else 'k'} alone: scores take both, q and k.")
        q = k = ()
    if attention == COMPUTED and not q:
        raise FileError(f"“{file.path.name}” has no q and k from which weights could be computed: choose its weights.")
    name = "" if attention == COMPUTED else attention or _name_of_weights(file, has_scores=bool(q))
    weights, is_list = _one_or_layers(file, name) if name else ((), len(q) > 1)
    if name and not weights:
        raise FileError(file.unfit.get(name) or _not_there(file, name))
    missed = tuple(_missed(file, name) for name in (*_TOKENS, *_CONTEXT_TOKENS, *"qkv") if name in file.unfit)
    if any(name in file.unfit for name in _MASKS):
        raise FileError(next(file.unfit[name] for name in _MASKS if name in file.unfit))
    tokens, context = _tokens(file, _TOKENS), _tokens(file, _CONTEXT_TOKENS)
    mask = next((file.arrays[each] for each in _MASKS if each in file.arrays), None)
    return Contents(
        path=file.path,
        name=name,
        attention=weights,
        is_list=is_list,
        q=q,
        k=k,
        v=v,
        mask=mask,
        tokens=tokens,
        context_tokens=None if context == tokens else context,
        notes=(*notes, *missed, *(said for name, said in file.unfit.items() if _missed(file, name) not in missed)),
        missed=(*notes, *missed),
    )


def _missed(file: ArrayFile, name: str) -> str:
    if name in (*_TOKENS, *_CONTEXT_TOKENS):
        said = file.unfit[name].partition(": ")[0].partition(";")[0]
        return f"{said}: numbers stand for the tokens. Save text, as in np.array({name}, dtype=str)."
    return file.unfit[name]


def _one_or_layers(file: ArrayFile, name: str) -> tuple[tuple[StoredArray, ...], bool]:
    """Return an array by its name, or those of the layers that share it, and whether it is these."""
    if name in file.arrays:
        return (file.arrays[name],), False
    layers = _layers(file.arrays, name)
    numbers = sorted(layers)
    if not numbers:
        return (), False
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))) or numbers[0] > 1:
        missing = next(n for n in range(numbers[-1]) if n not in layers and n != 0) if numbers[-1] > 1 else 0
        raise FileError(
            f"“{file.path.name}” has layers {quoted(name)} up to number {numbers[-1]}, but none of number {missing}: "
            "number them without gaps from 0 or 1 on."
        )
    return tuple(layers[number] for number in numbers), True


def _layers(arrays: Mapping[str, StoredArray], name: str) -> dict[int, StoredArray]:
    pattern = re.compile(re.escape(name) + r"[._/]?(\d{1,6})")
    found = {entry: pattern.fullmatch(entry) for entry in arrays}
    return {int(match[1]): arrays[entry] for entry, match in found.items() if match}


def layers_by_name(arrays: Iterable[StoredArray]) -> dict[str, tuple[StoredArray, ...]]:
    """Return the arrays that stand for the layers of one, by the name that they share: as in a.0, a.1 and so on."""
    known = {array.name: array for array in arrays}
    bases = dict.fromkeys(name.rstrip("0123456789").rstrip("._/") for name in known)
    found = {base: _layers(known, base) for base in bases if base and base not in known}
    return {
        base: tuple(layers[number] for number in sorted(layers))
        for base, layers in found.items()
        if len(layers) > 1 and sorted(layers) == list(range(min(layers), min(layers) + len(layers))) and min(layers) < 2
    }


def _name_of_weights(file: ArrayFile, *, has_scores: bool) -> str:
    """Return what the weights are called; nothing if there are none but queries and keys."""
    named = [name for name in NAMES if name in file.arrays or name in file.unfit or _layers(file.arrays, name)]
    if len(named) == 1:
        return named[0]
    could_be = named or [name for name, array in file.arrays.items() if _could_be_weights(array)]
    fitting = [name for name in could_be if _fits(file, name)] if len(could_be) > 1 else could_be
    if len(fitting) == 1:
        return fitting[0]
    if not named and _are_layers(file, fitting):
        return _UNNAMED
    if has_scores and not fitting:
        return ""
    if not could_be:
        raise FileError(_nothing(file))
    raise FileError(
        f"“{file.path.name}” has several arrays that could be weights: {_listed(file, fitting or could_be)}. Choose "
        "one by its name, or call it attention."
    )


def _could_be_weights(array: StoredArray) -> bool:
    is_named_otherwise = _NAMED_OTHERWISE.fullmatch(array.name) is not None
    return array.dtype.kind == "f" and FEWEST_AXES <= array.ndim <= MOST_AXES and not is_named_otherwise


def _fits(file: ArrayFile, name: str) -> bool:
    try:
        arrays, is_list = _one_or_layers(file, name)
        return not guess_axes(arrays, is_list=is_list).problems
    except (ArrayError, FileError):
        return False


def _are_layers(file: ArrayFile, names: Sequence[str]) -> bool:
    """Tell whether arrays without names are the layers of one model, as after numpy.savez(path, *attentions)."""
    layers = _layers(file.arrays, _UNNAMED)
    shapes = [array.shape for array in layers.values()]
    one_sequence = all(len(shape) == 3 or (len(shape) == 4 and shape[0] == 1) for shape in shapes)
    alike = len({(len(shape), shape[-2:]) for shape in shapes}) == 1
    return len(names) > 1 and {array.name for array in layers.values()} == set(names) and one_sequence and alike


def _tokens(file: ArrayFile, names: Sequence[str]) -> tuple[str, ...] | None:
    for name in names:
        found = file.texts.get(name)
        if isinstance(found, tuple):
            return found
        if isinstance(found, str):
            return _from_text(file, name, found)
        array = file.arrays.get(name)
        if name == names[0] and array is not None:
            if array.ndim != 1 or array.dtype.kind not in "iu":
                raise FileError(f"{quoted(name)} of “{file.path.name}” holds no text: save it as np.array(tokens).")
            return tuple(map(str, array.read().tolist()))  # the numbers that a tokenizer gives its pieces
    return None


def _from_text(file: ArrayFile, name: str, text: str) -> tuple[str, ...]:
    try:
        listed = json_from(text)
    except JsonTextError:
        listed = None
    if isinstance(listed, list) and all(isinstance(item, str) for item in listed):
        return tuple(listed)
    raise FileError(f"{quoted(name)} of “{file.path.name}” is one text: give a text for each token, as a list.")


# ---- Words ----


def _listed(file: ArrayFile, names: Sequence[str]) -> str:
    arrays = {name: file.arrays.get(name) for name in names[:_MOST_LISTED]}
    items = [quoted(name) + (f" {array.shape} {array.precision}" if array else "") for name, array in arrays.items()]
    return ", ".join(items) + (f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else "")


def _nothing(file: ArrayFile) -> str:
    if not file.arrays and file.unfit:
        return next(iter(file.unfit.values()))
    nameless = _nameless(file)
    if nameless is not None:
        return (
            f"“{file.path.name}” holds no weights, but numbers of shape {nameless.shape}, {nameless.precision}. Save "
            "floating-point numbers with 2 to 5 axes, or q and k in an .npz file."
        )
    return (
        f"“{file.path.name}” holds no weights: {_listed(file, list(file.arrays))}. Save them under the name attention, "
        "as real numbers with 2 to 5 axes, or save q and k."
    )


def _nameless(file: ArrayFile) -> StoredArray | None:
    """Return the only array of a file that gives it no name, as .npy does."""
    array = next(iter(file.arrays.values())) if len(file.arrays) == 1 else None
    return array if array is not None and array.called != array.name else None


def _not_there(file: ArrayFile, name: str) -> str:
    if _nameless(file) is not None:
        return f"“{file.path.name}” has no names in it, and so no {quoted(name)}: leave the name out."
    what = did_you_mean(name, file.arrays, otherwise=f"It has {_listed(file, list(file.arrays))}.")
    return f"“{file.path.name}” has no array {quoted(name)}. {what}"
