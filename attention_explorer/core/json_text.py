"""JSON read strictly, and why it cannot be read in our own words; as session files have it, and for people to read."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias, cast


class JsonTextError(ValueError):
    """A text is no JSON; the message says why, as a sentence without its end."""


class JsonTooDeepError(JsonTextError):
    """Lists or objects are nested by the hundred."""


def json_from(data: bytes | str, made_of: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None = None) -> Any:  # noqa: ANN401 # whatever stands there
    """Parse JSON.

    Parameters
    ----------
    data : bytes or str
        The text; bytes in UTF-8, -16 or -32.
    made_of : callable, optional
        What makes objects of the keys and values that stand in them; dictionaries are made otherwise.

    Raises
    ------
    JsonTextError
        It is none, is nested too deeply, or holds a number with thousands of digits; also what ``made_of`` raises.
    """
    try:
        text = data if isinstance(data, str) else data.decode(json.detect_encoding(data))
    except UnicodeDecodeError:
        raise JsonTextError("it is no text") from None
    try:
        return json.loads(text, object_pairs_hook=made_of)
    except json.JSONDecodeError as error:
        raise JsonTextError(_syntax_words(text, error)) from None
    except RecursionError:
        raise JsonTooDeepError("its lists or objects are nested too deeply") from None
    except JsonTextError:
        raise
    except ValueError:  # an integer with more digits than Python reads
        raise JsonTextError("it holds a number with thousands of digits") from None


def _syntax_words(text: str, error: json.JSONDecodeError) -> str:
    if not text.strip():
        return "it is empty"
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return f"the text ends too early, in line {error.lineno}: it seems to have been cut off"
    return f"the text is no JSON in line {error.lineno}, column {error.colno}"


# ---- Session files ----
# JSON as session files have it: read strictly, with the place of whatever is wrong; written for people to read.


Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

Place: TypeAlias = tuple[str | int, ...]
"""The way from the top of a document to a part of it: keys, and positions in lists from 0."""

DEEPEST = 24
"""Levels of lists and objects within each other; the state itself has nine."""

LARGEST_INTEGER = 2**63
LINE_LENGTH = 100


class PlaceError(Exception):
    """Something in the text is not as it should be: where, what it is, and what is wanted."""

    def __init__(self, place: Place, what: str) -> None:
        super().__init__(what)
        self.place, self.what = place, what


class _Object(dict[str, Json]):
    """An object of the text, and the keys that stand in it twice."""

    repeated: tuple[str, ...] = ()


def place_text(place: Place) -> str:
    """Return a place as people write it: ``lookup.entries[3].key``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return text.removeprefix(".")


def parsed(text: str) -> Json:
    """Parse JSON.

    Raises
    ------
    PlaceError
        It is no JSON, ends too early, is nested too deeply, names a key twice, or holds a number that no float can
        hold.
    """
    if not text.strip():
        raise PlaceError((), "the file is empty")
    try:
        document: Json = json_from(text, _object)
    except JsonTooDeepError:
        raise PlaceError((), f"lists or objects are nested more than {DEEPEST} deep") from None
    except JsonTextError as error:
        raise PlaceError((), str(error)) from None
    if not _is_sound(document):
        for place, part in _parts(document):
            _check_part(place, part)
    return document


def _object(pairs: list[tuple[str, Json]]) -> _Object:
    made = _Object(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        made.repeated = tuple(dict.fromkeys(key for key in keys if keys.count(key) > 1))
    return made


def _is_sound(document: Json) -> bool:
    """Whether `_check_part` has nothing against any part: a kind at a time, which takes a tenth of the time."""
    waiting: list[tuple[int, list[Any]]] = [(0, [document])]
    while waiting:
        depth, parts = waiting.pop()
        kinds = set(map(type, parts))
        if len(kinds) > 1:
            waiting.extend((depth, [part for part in parts if type(part) is kind]) for kind in kinds)
            continue
        if kinds & {list, _Object}:
            if depth > DEEPEST or any(part.repeated for part in parts if isinstance(part, _Object)):
                return False
            inner = parts if list in kinds else [part.values() for part in parts]
            waiting.append((depth + 1, list(chain.from_iterable(inner))))
        elif not _are_in_range(parts):
            return False
    return True


def _are_in_range(parts: list[Any]) -> bool:
    """Whether parts of one kind, and neither lists nor objects, hold no number that is out of all ranges."""
    if parts and type(parts[0]) is float:
        return all(map(math.isfinite, parts))
    if parts and type(parts[0]) is int:
        return bool(-LARGEST_INTEGER <= min(parts) <= max(parts) <= LARGEST_INTEGER)
    return True


def _parts(document: Json) -> Iterator[tuple[Place, Json]]:
    """Yield the document and all its parts with their places, those above before those below."""
    waiting: list[tuple[Place, Json]] = [((), document)]
    while waiting:
        place, part = waiting.pop()
        yield place, part
        if isinstance(part, dict):
            waiting.extend(((*place, key), value) for key, value in part.items())
        elif isinstance(part, list):
            waiting.extend(((*place, index), value) for index, value in enumerate(part))


def _check_part(place: Place, part: Json) -> None:
    if isinstance(part, dict | list) and len(place) > DEEPEST:
        raise PlaceError(place[:3], f"lists or objects are nested more than {DEEPEST} deep")
    if isinstance(part, _Object) and part.repeated:
        raise PlaceError((*place, part.repeated[0]), "stands there more than once")
    if isinstance(part, float) and not math.isfinite(part):
        raise PlaceError(place, "is no finite number")
    if isinstance(part, int) and abs(part) > LARGEST_INTEGER:
        raise PlaceError(place, "is a whole number beyond all ranges")


# ---- Writing ----


def well_formed(text: str) -> str:
    """Return a text with U+FFFD in the place of halves of characters, which no file can hold."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def written(document: Json) -> bytes:
    """Return a document as UTF-8: an indented line a key, short lists on one line; always the same for the same."""
    # A half of a pair of surrogates has no UTF-8, but JSON has a spelling for it.
    return (_pretty(document, 0, in_list=False) + "\n").encode("utf-8", "backslashreplace")


def _pretty(value: Json, indent: int, *, in_list: bool) -> str:
    if not isinstance(value, dict | list) or not value:
        return _flat(value)
    # Each part takes three characters at least: long lists are not written out just to see that they are long.
    if (in_list or isinstance(value, list)) and 3 * len(value) <= LINE_LENGTH:
        flat = _flat(value)
        if len(flat) + indent <= LINE_LENGTH:
            return flat
    inner, outer = " " * (indent + 2), " " * indent
    if isinstance(value, dict):
        lines = [f"{_flat(key)}: {_pretty(part, indent + 2, in_list=False)}" for key, part in value.items()]
        return "{\n" + ",\n".join(inner + line for line in lines) + f"\n{outer}}}"
    items = _rows_of_numbers(value, indent + 2) or [_pretty(part, indent + 2, in_list=True) for part in value]
    lines = items if any("\n" in item for item in items) else _filled(items, LINE_LENGTH - indent - 2)
    return "[\n" + ",\n".join(inner + line for line in lines) + f"\n{outer}]"


def _rows_of_numbers(rows: list[Json], indent: int) -> list[str]:
    """Return the items of a list of short lists of numbers, such as painted cells; none if it is anything else."""
    if set(map(type, rows)) != {list}:
        return []
    lists = cast("list[list[Json]]", rows)
    if not set(map(type, chain.from_iterable(lists))) <= {int, float}:
        return []
    items = [repr(row) for row in lists]  # which is their JSON: all floats are finite by now
    return items if max(map(len, items)) + indent <= LINE_LENGTH else []


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def _flat(value: Json) -> str:
    # Most of a large file is numbers, and an encoder takes ten times as long to say the same.
    return repr(value) if type(value) is float or type(value) is int else _ENCODER.encode(value)


def _filled(items: Sequence[str], width: int) -> list[str]:
    """Return the items with commas between them, as many on a line as fit."""
    lines: list[list[str]] = [[]]
    length = 0
    for item in items:
        if lines[-1] and length + len(item) > width:
            lines.append([])
            length = 0
        lines[-1].append(item)
        length += len(item) + 2
    return [", ".join(line) for line in lines]
