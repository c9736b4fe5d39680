"""Session files: the whole state as JSON that people can read, check, edit and keep under version control.

A file names its format and version. Every field is written out, defaults too, so that a session shows the same after
the defaults have changed; a key that is missing has its default, so that a file written by hand may be short. A page
that cannot be read is left out, and the others are opened; what the file says of it is written back unless the page
has been changed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from attention_explorer import __version__
from attention_explorer.core.files import write_whole
from attention_explorer.core.json_text import Json, PlaceError, parsed, place_text, written
from attention_explorer.errors import ExplorerError, quoted
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.file_places import absolute_from, relative_to
from attention_explorer.pages.old_names import PAGES as OLD_PAGES
from attention_explorer.pages.old_names import PARTS, shown
from attention_explorer.pages.registry import PAGE_IDS, in_view
from attention_explorer.sources.model_recipe import CONFIG, GGUF
from attention_explorer.sources.recorded_recipe import ENDINGS

if TYPE_CHECKING:
    # Loaded when a session is read or written: types and limits of every field of every page.
    from attention_explorer.pages.session_codec import Decoder, Extra

SUFFIX = ".attn.json"
FORMAT = "attention-explorer-session"
VERSION = 1

MOST_BYTES = 4 * 1024 * 1024
"""A larger file is not read: a session takes some kilobytes, more if masks were painted or embeddings typed."""

Document = dict[str, Json]

MIGRATIONS: dict[int, Callable[[Document], Document]] = {}
"""From a version to the next: the function gets the document of that version and returns that of the one after it.

Add one when a field is renamed, moved or means something else, raise `VERSION`, and keep a file of the old version in
``tests/data/sessions/`` for ever. A field that is added needs none.
"""

_KEYS = ("format", "version", "program", "page", "file", "learning", "state")


@dataclass(frozen=True, slots=True)
class Opened:
    """What a session file holds.

    Attributes
    ----------
    state : ExplorerState
        What the window shows.
    page : str
        The page that was on show, by its id; empty if the file does not say.
    file : str
        Of a session that was kept by itself: the file it belongs to; empty if it has none.
    extra : Extra
        What this version does not know, and the pages that it cannot read, to be written back.
    warnings : tuple of str
        A sentence each on what is not as the file says.
    left_out : mapping of str to str
        The pages that cannot be read, which are as they start, each with the reason.
    """

    state: ExplorerState
    page: str = ""
    file: str = ""
    extra: Extra = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    def in_view(self, page: str = "") -> tuple[str, ExplorerState]:
        """Return a page, or the one it was saved on, and the state with that on show; errors as `registry.in_view`.

        A page that it was saved on shows what it showed then, whatever picture its part of the state names for Lab.
        """
        if not page and self.page in PAGE_IDS:
            return self.page, self.state
        return in_view(self.state, page or self.page)


# ---- Reading ----


def read_session(path: Path) -> Opened:
    """Read a session file.

    Raises
    ------
    ExplorerError
        One sentence that names the file, the place in it, and what to do: it is missing, unreadable, too large, no
        session, of a newer version, cut off or damaged, or a value has the wrong type or is out of range.
    """
    try:
        opened = session_from(_read_bytes(path), path.name)
        return _with_weights(replace(opened, state=absolute_from(opened.state, path)), path)
    except ExplorerError:
        if path.suffix.lower() in ("", ".json") or not os.path.isfile(path):
            raise
    attention, model = ", ".join(ENDINGS), f"a {GGUF} file, or a folder with {CONFIG}"
    kinds = f"neither as a session ({SUFFIX}) nor as attention ({attention}) nor as a model ({model})"
    raise ExplorerError(f"{quoted(path.name)} can be opened {kinds}.")


def _with_weights(opened: Opened, path: Path) -> Opened:
    """Take learned weights that lie beside a session, and say so where they cannot be taken."""
    training = opened.state.training
    if not training.step:
        return opened
    # Loaded for sessions alone in which something was learned.
    from attention_explorer.sources.learned.saved import take_beside

    reason = take_beside(path, SUFFIX, training.setup, training.step)
    return replace(opened, warnings=(*opened.warnings, reason)) if reason else opened


def read_session_stream(stream: BinaryIO, name: str) -> Opened:
    """Read a session from a stream, such as standard input; ``name`` and errors are as in `session_from`."""
    try:
        data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise _refused(name, f"it cannot be read ({error.strerror or error})", "Name a file instead") from error
    if len(data) > MOST_BYTES:
        raise _too_large(name, len(data))
    return session_from(data, name)


def session_from(data: bytes, name: str) -> Opened:
    """Make a session from the bytes of a file; ``name`` is for the message. Errors as in `read_session`."""
    try:
        text = data.decode("utf-8-sig")  # some editors put a byte order mark first
    except UnicodeDecodeError as error:
        raise _refused(name, f"it is not text in UTF-8 (byte {error.start})", _another(name)) from None
    try:
        return _opened(_brought_up_to_date(_checked(parsed(text))))
    except _ForeignError as error:
        raise _refused(name, str(error), _another(name)) from None
    except _NewerError as error:
        raise _refused(name, str(error), "Open it with a newer version of the program") from None
    except PlaceError as error:
        what = f"{place_text(_inner(error.place))} {error.what}".strip()
        raise _refused(name, what, "Correct it in a text editor, or open another copy") from None


def _another(name: str) -> str:
    """Return what to do with a file that is no session, whatever its name says."""
    return "Open another file" if name.endswith(SUFFIX) else f"Choose a file that ends in {SUFFIX}"


def _inner(place: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return a place without the key that all of the state is under."""
    return place[1:] if place[:1] == ("state",) and len(place) > 1 else place


class _ForeignError(Exception):
    """The file is not one of ours."""


class _NewerError(Exception):
    """The file is of a later version."""


def _refused(name: str, what: str, advice: str) -> ExplorerError:
    return ExplorerError(f"“{name}” cannot be opened: {what}. {advice}; nothing was changed.")


def _read_bytes(path: Path) -> bytes:
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise _refused(path.name, "it is a folder", "Choose a file in it; the folder of a model has a config.json")
        if not stat.S_ISREG(found.st_mode):
            raise _refused(path.name, "it is not an ordinary file", f"Choose a file that ends in {SUFFIX}")
        if found.st_size > MOST_BYTES:
            raise _too_large(path.name, found.st_size)
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)  # it may have grown meanwhile
    except FileNotFoundError:
        raise _refused(path.name, f"there is no such file in “{path.parent}”", "Choose another") from None
    except (OSError, ValueError) as error:  # ValueError: a character that no file name may have
        reason = getattr(error, "strerror", None) or str(error)
        raise _refused(path.name, f"it cannot be read ({reason})", "Choose a file you may read") from error
    if len(data) > MOST_BYTES:
        raise _too_large(path.name, len(data))
    return data


def _too_large(name: str, size: int) -> ExplorerError:
    megabytes = MOST_BYTES // 1024**2
    return _refused(
        name,
        f"it has {size / 1024**2:.0f} MB, and a session has at most {megabytes} MB",
        f"Choose a file that ends in {SUFFIX}",
    )


def _checked(document: Json) -> Document:
    """Return a document that is one of ours and of a version that can be read."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _ForeignError(f'it is no session of Attention Explorer, which would say "format": "{FORMAT}"')
    version = document.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise PlaceError(("version",), f"must be a whole number from 1 to {VERSION}")
    if version > VERSION:
        program = document.get("program")
        by = f", written by {program}" if isinstance(program, str) and len(program) < 100 else ""
        raise _NewerError(
            f"it has version {version} of the format{by}, and Attention Explorer {__version__} reads up to {VERSION}"
        )
    return document


def _brought_up_to_date(document: Document) -> Document:
    version = document["version"]
    if not isinstance(version, int):
        raise TypeError("The version has been checked.")
    for older in range(version, VERSION):
        document = MIGRATIONS[older](document)
    return document


def _opened(document: Document) -> Opened:
    from attention_explorer.pages.session_codec import Decoder

    if "state" not in document:
        raise PlaceError(("state",), "is missing")
    decoder = Decoder()
    state, errors = _readable_pages(document["state"], decoder)
    for key in document:
        if key not in _KEYS:
            decoder.keep((key,), document[key])
    left_out = {page: f"{place_text(_inner(error.place))} {error.what}" for page, error in errors.items()}
    said = (f"The page {page} cannot be read and is left out: {reason}." for page, reason in left_out.items())
    page, file, learning = (_envelope_text(document, key) for key in ("page", "file", "learning"))
    if page in PARTS.values() and "lab" in document["state"]:  # type: ignore[operator] # an object
        page = OLD_PAGES[page]  # another name, and the same picture
    elif page not in errors and (page in OLD_PAGES or "lab" not in document["state"]):  # type: ignore[operator]
        page, state = shown(page, state)  # as it was called before there was a page Lab
    warnings = *said, *decoder.warnings, *_on_learning(learning, _learned_with(state, document["state"], page))
    return Opened(state, page, file, decoder.extra, warnings, left_out)


def _on_learning(arithmetic: str, ours: str) -> Iterator[str]:
    """Say so where something was learned with another arithmetic than ours, which gives other numbers."""
    if ours not in ("", arithmetic):
        whose = f"the arithmetic {quoted(arithmetic)}" if arithmetic else "the arithmetic of an earlier version"
        yield (
            f"The models of this session were learned with {whose}. They are learned again here, "
            "so their numbers may differ from those that were saved, as a rule in the second or third digit."
        )


def _learned_with(state: ExplorerState, parts: Json, page: str) -> str:
    """Return the arithmetic with which the models of a state are learned here; empty if nobody has seen any.

    Circuits starts with a learned model: until it is on show or changed, no number of it was seen.
    """
    start = ExplorerState().counted(state.circuits.count)  # a setting changes it on all pages
    same = {part.name for part in fields(state) if getattr(state, part.name) == getattr(start, part.name)} - {page}
    if not isinstance(parts, dict) or not any(_is_learned(part) for name, part in parts.items() if name not in same):
        return ""
    from attention_explorer.model.learning.exact import ARITHMETIC

    return ARITHMETIC


def _is_learned(part: Json) -> bool:
    """Return whether any part of a state names a model after some steps of learning."""
    match part:
        case {"setup": dict(), "step": int(step)} if step > 0:
            return True
        case {"setup": dict(), "learned": int(learned)} if learned > 0:  # a step before the last one is on show
            return True
        case dict():
            return any(map(_is_learned, part.values()))
        case list():
            return any(map(_is_learned, part))
    return False


def _readable_pages(parts: Json, decoder: Decoder) -> tuple[ExplorerState, dict[str, PlaceError]]:
    """Return the state as far as it can be read, and what is wrong with the pages that cannot.

    Raises
    ------
    PlaceError
        No page can be read.
    """
    if not isinstance(parts, dict):
        return decoder.decoded(ExplorerState, parts, ("state",)), {}
    found: dict[str, Any] = {}
    errors: dict[str, PlaceError] = {}
    for page in (part.name for part in fields(ExplorerState) if part.name in parts):
        own = type(decoder)()
        try:
            found[page] = getattr(own.decoded(ExplorerState, {page: parts[page]}, ("state",)), page)
        except PlaceError as error:
            errors[page] = error
            decoder.extra["state", page] = parts[page]
            continue
        decoder.extra |= own.extra
        decoder.warnings += own.warnings
    if errors and not found:
        raise next(iter(errors.values()))
    unknown: Json = {key: part for key, part in parts.items() if key not in found and key not in errors}
    decoder.decoded(ExplorerState, unknown, ("state",))  # which says that they are unknown
    return ExplorerState(**found), errors


def _envelope_text(document: Document, key: str) -> str:
    value = document.get(key, "")
    if not isinstance(value, str):
        raise PlaceError((key,), "must be a text in quotes")
    return value


# ---- Writing ----


def session_bytes(state: ExplorerState, extra: Extra | None = None, *, page: str = "", file: str = "") -> bytes:
    """Return a session as the bytes of its file: the same for the same session.

    Raises
    ------
    ExplorerError
        A number is infinite or not a number, or the file would be larger than those that can be opened.
    """
    from attention_explorer.pages.session_codec import encoded

    document: Document = {"format": FORMAT, "version": VERSION, "program": f"Attention Explorer {__version__}"}
    document |= {key: text for key, text in (("page", page), ("file", file)) if text}
    try:
        parts = encoded(state)
        arithmetic = _learned_with(state, parts, page)
        document |= {"learning": arithmetic, "state": parts} if arithmetic else {"state": parts}
    except PlaceError as error:
        raise ExplorerError(
            f"The session cannot be saved: {place_text(error.place)} {error.what}. Give it a finite number first."
        ) from None
    for place, value in (extra or {}).items():
        _put_back(document, place, value, replace=_is_as_it_starts(state, place))
    data = written(document)
    if len(data) > MOST_BYTES:
        raise ExplorerError(
            f"The session cannot be saved: its file would have {len(data) / 1024**2:.1f} MB, and "
            f"at most {MOST_BYTES // 1024**2} MB are possible. Remove painted cells from a mask, or shorten a text."
        )
    return data


def _is_as_it_starts(state: ExplorerState, place: tuple[str, ...]) -> bool:
    """Whether a place is that of a page, which could not be read, and which nobody has changed since."""
    start = ExplorerState()
    is_page = len(place) == 2 and place[0] == "state" and hasattr(start, place[1])
    return is_page and getattr(state, place[1]) == getattr(start, place[1])


def _put_back(document: Document, place: tuple[str, ...], value: Json, *, replace: bool) -> None:
    """Put something unknown where it was, over what is there or not; where its surroundings are gone, so is it."""
    for step in place[:-1]:
        inner = document.get(step)
        if not isinstance(inner, dict):
            return
        document = inner
    if replace:
        document[place[-1]] = value
    else:
        document.setdefault(place[-1], value)


def write_session(
    path: Path,
    state: ExplorerState,
    extra: Extra | None = None,
    *,
    page: str = "",
    file: str = "",
    private: bool = False,
) -> None:
    """Write a session to a file, whole or not at all; if ``private``, for its owner alone.

    Raises
    ------
    ExplorerError
        The session cannot be saved or the file not be written; the message says why.
    """
    write_whole(path, session_bytes(relative_to(state, path), extra, page=page, file=file), private=private)
