"""Recipes of attention that was computed elsewhere: recordings in the box, and files."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from attention_explorer.core.declared import Kind, declared
from attention_explorer.sources.source import Recipe

ENDINGS = (".npz", ".npy", ".safetensors")
"""Of the files that can be opened."""


class Rows(StrEnum):
    """How the rows of a file, along its keys, become weights."""

    AS_THEY_ARE = "as they are"
    SOFTMAX = "softmax"
    """They hold scores: softmax over each row."""
    NORMALISE = "normalise"
    """Each row is divided by its sum."""


def is_recording(path: Path) -> bool:
    """Whether a file is to be opened as attention, by its name; all others are taken for sessions."""
    return path.suffix.lower() in ENDINGS


def size_declared() -> Any:  # noqa: ANN401 # takes the place of a default
    """Return the field of a recipe that holds the size of its file."""
    return _fact(0, "bytes", "How large the file was when it was opened", high=2**60)


def modified_declared() -> Any:  # noqa: ANN401 # takes the place of a default
    """Return the field of a recipe that holds the age of its file."""
    tip = "When the file had last been written when it was opened, in nanoseconds since 1970"
    return _fact(0, "last written", tip, high=2**63 - 1)


def digest_declared() -> Any:  # noqa: ANN401 # takes the place of a default
    """Return the field of a recipe that holds the digest of its file."""
    return _fact("", "digest", "SHA-256 of samples of the file when it was opened")


def _fact(default: object, label: str, tip: str, **said: Any) -> Any:  # noqa: ANN401 # takes the place of a default
    return declared(default, label, tip, "Open a file", kind=Kind.DERIVED, **said)


@dataclass(frozen=True, slots=True)
class BoxRecipe(Recipe):
    """A recording that comes with the program.

    Attributes
    ----------
    recording : str
        Its name, one of `RECORDINGS`.
    """

    recording: str = declared(
        "minilm-tired",
        "recording",
        "Which recording that comes with the program is looked into",
        "Open a recording",
        kind=Kind.REFERENCE,
        known=lambda: tuple(RECORDINGS),
    )


@dataclass(frozen=True, slots=True)
class FileRecipe(Recipe):
    """A file of weights, or of queries and keys; never what is in it.

    Attributes
    ----------
    path : str
        Where it is.
    size, modified_ns, digest : int, int, str
        What it was like when it was opened: see `FileReference`.
    attention : str
        What the weights are called in it; empty for what is found by itself.
    axes : str
        One letter an axis: l layers, b batch, h heads, q queries, k keys; empty for what the sums of the rows tell.
    batch : int
        Which sequence of the batch, from 0.
    is_causal : bool
        Whether keys after their query were hidden, in a file without a mask: a guess.
    given_tokens : tuple of str
        The tokens, if they are given beside the file; none for those of the file.
    difference : float, optional
        The largest between its weights and those that its queries and keys give, in a sample, if it has both.
    from_python : str
        What arrays were called that were handed over from Python; empty for a file of somebody's own.
    layout, offset : str, int
        Of an array that lies in a file of another kind, or in a part of one: see `open_arrays`.
    whole : str
        SHA-256 of all of it, if that was computed, as it is when a session is saved. It makes no other recipe.
    rows : Rows
        How its rows become weights.
    """

    path: str = declared("", "file", "The file that holds the attention", "Open a file", kind=Kind.REFERENCE)
    size: int = size_declared()
    modified_ns: int = modified_declared()
    digest: str = digest_declared()
    attention: str = declared(
        "", "array", "Which array holds the weights; empty for what is found", "Read another array", kind=Kind.REFERENCE
    )
    axes: str = declared(
        "",
        "axes",
        "One letter an axis: l layers, b batch, h heads, q queries (rows), k keys (columns)",
        "Read the axes otherwise",
        kind=Kind.REFERENCE,
    )
    batch: int = declared(0, "batch", "Which sequence of the batch, from 0", "Read another sequence", high=2**31)
    is_causal: bool = declared(
        False,  # the default
        "keys after their query are masked",
        "A weight of 0 alone does not say whether a key was hidden, or only given no weight",
        "Read the mask otherwise",
    )
    given_tokens: tuple[str, ...] = declared(
        (), "tokens", "The tokens, if they are not in the file", "Give the tokens", kind=Kind.LIST, most=2**16
    )
    difference: float | None = _fact(
        None, "difference", "The largest between its weights and those that its queries and keys give", high=2.0
    )
    from_python: str = _fact("", "from Python", "What arrays were called that were handed over from Python")
    layout: str = _fact("", "layout", "Of an array that lies in a file of another kind, or in a part of one")
    offset: int = _fact(0, "offset", "Where in its file such an array begins, in bytes", high=2**60)
    whole: str = _fact("", "digest of all", "SHA-256 of all of the file, if it was computed", is_compared=False)
    rows: Rows = declared(
        Rows.AS_THEY_ARE,
        "rows",
        "How the rows become weights: as they are, or the softmax of each, or each divided by its sum",
        "Read the rows otherwise",
    )

    @property
    def whose(self) -> str:
        """The file: a picture of another would be taken for one of this."""
        return self.path


@dataclass(frozen=True, slots=True)
class BoxRecording:
    """What is said of a recording in the box."""

    model: str
    title: str
    trained: str
    """What the model was trained for, as the end of a sentence."""
    is_causal: bool


_MINILM = ("all-MiniLM-L6-v2", "MiniLM", "to compare sentences", False)
_SMOLLM2 = ("SmolLM2-135M-Instruct", "SmolLM2", "to write the next token", True)


def _of(model: tuple[str, str, str, bool], word: str) -> BoxRecording:
    name, short, trained, is_causal = model
    return BoxRecording(name, f"Recorded: {short}, “{word}”", trained, is_causal)


RECORDINGS: dict[str, BoxRecording] = {
    f"{name}-{word}": _of(model, word)
    for name, model in (("minilm", _MINILM), ("smollm2", _SMOLLM2))
    for word in ("tired", "soft")
}
"""By name, which is that of the file below ``resources/recordings``."""
