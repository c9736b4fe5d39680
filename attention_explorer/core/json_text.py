"""JSON that somebody else wrote, and in our own words why it cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


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
