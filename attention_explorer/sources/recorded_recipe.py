"""Recipes of attention that was computed elsewhere: recordings in the box, and files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from attention_explorer.sources.source import Recipe

ENDINGS = (".npz", ".npy", ".safetensors")
"""Of the files that can be opened."""


def is_recording(path: Path) -> bool:
    """Whether a file is to be opened as attention, by its name; all others are taken for sessions."""
    return path.suffix.lower() in ENDINGS


@dataclass(frozen=True, slots=True)
class BoxRecipe(Recipe):
    """A recording that comes with the program.

    Attributes
    ----------
    recording : str
        Its name, one of `RECORDINGS`.
    """

    recording: str = "minilm-tired"


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
    """

    path: str = ""
    size: int = 0
    modified_ns: int = 0
    digest: str = ""
    attention: str = ""
    axes: str = ""
    batch: int = 0
    is_causal: bool = False
    given_tokens: tuple[str, ...] = ()
    difference: float | None = None
    from_python: str = ""
    layout: str = ""
    offset: int = 0
    whole: str = field(default="", compare=False)

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
