"""Recorded attention as a source: what was computed elsewhere, read where it lies, and what to say of it."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from attention_explorer.core import files
from attention_explorer.errors import ArrayError, ExplorerError, LostFileError, did_you_mean, quoted
from attention_explorer.sources.handed_over import UNNAMED, is_handed_over
from attention_explorer.sources.layer import Layer
from attention_explorer.sources.layers import Layers
from attention_explorer.sources.recorded import (
    Agreement,
    AxesGuess,
    Contents,
    FileReference,
    change_since,
    contents_of,
    examine_axes,
    guess_axes,
    judged,
    largest_difference,
    layers_of,
    open_arrays,
    readable_piece,
    reference_to,
)
from attention_explorer.sources.recorded.axes import LETTERS
from attention_explorer.sources.recorded.pieces import SPACE
from attention_explorer.sources.recorded_recipe import RECORDINGS, BoxRecipe, FileRecipe, Rows
from attention_explorer.sources.recording import Recording
from attention_explorer.sources.source import Ability, Lookup, Made, R, Source, Traits

OF_A_WEIGHT = 60.0
"""What a weight takes until it is drawn, in multiplications."""
OF_A_PACKED_BYTE = 6.0
"""What a byte of a compressed array takes until it is unpacked."""

_NO_SCORES = "Only the weights were recorded, not the queries and keys that they came from."
_LACKS = {
    Ability.TYPING: "Recorded attention has its own words: choose random heads to type others.",
    Ability.DRAWING: "Recorded heads have no random weights to draw.",
    Ability.EMBEDDINGS: "The vectors of the tokens were not recorded: choose random heads to type some.",
    Ability.VALUES: "The values were not recorded.",
    Ability.SCORES: _NO_SCORES,
    Ability.MASKS: _NO_SCORES,
}


class RecordedSource(Source[R]):
    """Hands out weights that were computed elsewhere. What cannot be opened says so when its layers are asked for."""

    @abstractmethod
    def _open(self) -> Recording:
        """Open the recording; an ExplorerError says why that cannot be done."""

    def __init__(self, recipe: R) -> None:
        super().__init__(recipe)
        self._opened: Recording | ExplorerError | None = None

    @property
    def recording(self) -> Recording:
        """The recording, opened when it is first asked for; an ExplorerError if it cannot be.

        A file that could not be opened is tried again when its layers are asked for, and not for every word about it.
        """
        if self._opened is None:
            try:
                self._opened = self._open()
            except ExplorerError as error:
                self._opened = error.again()
        if isinstance(self._opened, ExplorerError):
            raise self._opened.again()
        return self._opened

    def _if_open(self) -> Recording | None:
        try:
            return self.recording
        except ExplorerError:
            return None

    @cached_property
    def _pieces(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        recording = self._if_open()
        if recording is None:
            return (), ()
        (n_q, n_k), contents = recording.shape, recording.contents
        tokens = contents.tokens or tuple(map(str, range(1, n_q + 1)))
        if contents.context_tokens is not None:
            return tokens, contents.context_tokens
        return tokens, tokens if n_q == n_k else tuple(map(str, range(1, n_k + 1)))

    @property
    def tokens(self) -> tuple[str, ...]:
        return self._pieces[0]

    @property
    def context_tokens(self) -> tuple[str, ...]:
        return self._pieces[1]

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        tokens, context = self._pieces
        of_tokens = tuple(map(readable_piece, tokens))
        return of_tokens, of_tokens if context is tokens else tuple(map(readable_piece, context))

    @cached_property
    def are_numbers(self) -> tuple[bool, bool]:
        recording = self._if_open()
        if recording is None:
            return False, False
        (n_q, n_k), contents = recording.shape, recording.contents
        has_keys = contents.context_tokens is not None or (bool(contents.tokens) and n_q == n_k)
        return not contents.tokens, not has_keys

    @cached_property
    def sentence(self) -> str:
        return _joined(self.labels[0])

    @cached_property
    def context(self) -> str | None:
        return None if self.tokens == self.context_tokens else _joined(self.labels[1])

    @property
    def heads(self) -> tuple[int, ...]:
        recording = self._if_open()
        return (1,) if recording is None else tuple(map(len, recording.heads))

    def layers(self, lookup: Lookup) -> Sequence[Layer]:
        if isinstance(self._opened, ExplorerError):
            self._opened = None
            for said in (
                "_pieces",
                "labels",
                "sentence",
                "context",
                "are_numbers",
                "lacks",
            ):  # of a file that could not be opened
                self.__dict__.pop(said, None)
        recording = self.recording
        return Layers(len(recording.heads), lambda _layers, place: recording.layer(place, lookup))

    @cached_property
    def lacks(self) -> dict[Ability, str]:
        """Why it cannot do what it cannot."""
        recording = self._if_open()
        if recording is None:
            return _LACKS
        if not recording.has_scores:
            lacks = {
                each: why for each, why in _LACKS.items() if each is not Ability.VALUES or not recording.contents.v
            }
            if recording.agreement is None:
                return lacks
            return lacks | dict.fromkeys((Ability.SCORES, Ability.MASKS), _difference_words(recording.agreement))
        able = {Ability.SCORES, Ability.MASKS} | ({Ability.VALUES} if recording.contents.v else set())
        own = {Ability.MASKS: "The file has a mask of its own."} if recording.has_mask else {}
        return {each: why for each, why in _LACKS.items() if each not in able} | own

    def operations(self) -> float:
        recording = self._if_open()
        packed = 0 if recording is None else recording.contents.packed_bytes
        weights = sum(self.heads) * len(self.tokens) * len(self.context_tokens)
        return OF_A_WEIGHT * weights + OF_A_PACKED_BYTE * packed

    # ---- What hides keys ----

    def mask_words(self) -> str:
        recording = self._if_open()
        if recording is None or not recording.has_mask:
            return ""
        return "causal, guessed from weights of 0" if recording.is_causal else "recorded with the weights"


def _difference_words(found: Agreement) -> str:
    return (
        f"Its queries and keys give other weights than were recorded, by up to {found.difference:.2g} in a sample: "
        "something else took part, such as a rotation or a bias. “How the file is read…” can show theirs."
    )


def _joined(labels: tuple[str, ...]) -> str:
    """Put pieces together: with their own spaces, if they have any."""
    apart = " ".join(labels)
    if f" {SPACE}" in f" {apart}":  # at the start of a label: in labels there are no spaces
        return "".join(labels).replace(SPACE, " ").strip()
    return apart


class BoxSource(RecordedSource[BoxRecipe]):
    """Opens a recording that comes with the program."""

    def _open(self) -> Recording:
        name = self.recipe.recording
        if name not in RECORDINGS:
            raise ExplorerError(f"There is no recording “{name}” in the box: choose another.")
        contents = contents_of(open_arrays(files.path(f"recordings/{name}.npz")))
        is_causal = RECORDINGS[name].is_causal
        return Recording(contents, layers_of(contents, "lhqk", is_causal=is_causal), is_causal)

    @property
    def traits(self) -> Traits:
        found = RECORDINGS.get(self.recipe.recording)
        model = "an unknown recording" if found is None else f"recorded from {found.model} (Apache-2.0), float16"
        return Traits("recording" if found is None else found.title, model, Made.RECORDED, _LACKS)

    def mask_words(self) -> str:
        return "causal" if super().mask_words() else ""

    def verdict(self) -> tuple[str, str]:
        found = RECORDINGS[self.recipe.recording]
        said = (
            f"{found.model} was trained {found.trained}. What a head looks at does not say what the model needs it for."
        )
        return "These weights were learned, and recorded.", said


def file_recipe(
    path: Path,
    *,
    attention: str = "",
    axes: str = "",
    batch: int | None = 0,
    tokens: Sequence[str] = (),
    is_causal: bool | None = None,
    layout: str = "",
    offset: int = 0,
    rows: str = Rows.AS_THEY_ARE,
) -> FileRecipe:
    """Look at a file, tell what is what in it, and name it so that it can be opened again.

    Parameters
    ----------
    path : Path
        An .npz, .npy or .safetensors file.
    attention : str
        What the weights are called in it, if that is not to be found out.
    axes : str
        One letter an axis of the weights, if the sums of the rows are not to tell.
    batch : int or None
        Which sequence of the batch, from 0; None if there should be only one.
    tokens : sequence of str
        The tokens, in place of those of the file.
    is_causal : bool, optional
        Whether keys after their query were hidden; by default it is guessed from weights of exactly 0.
    layout, offset : str, int
        Of an array that lies in a file of another kind, or in a part of one: see `open_arrays`.
    rows : str
        How its rows become weights: “as they are”, “softmax”, or “normalise”, each divided by its sum; one of `Rows`.

    Returns
    -------
    FileRecipe

    Raises
    ------
    ExplorerError
        If it cannot be read, holds no weights, or the rows of the weights sum to 1 along no axis.
    """
    made = rows_called(rows)
    reference = reference_to(path)
    contents = _with_tokens(contents_of(open_arrays(path, layout, offset), attention or None), tuple(tokens))
    if contents.attention:
        guess = what_speaks_for(contents, axes, made)
        axes, guessed = guess.checked(), guess.is_causal and contents.mask is None
        is_causal = guessed if is_causal is None else is_causal
    elif made is not Rows.AS_THEY_ARE:
        raise ArrayError(f"rows is {quoted(made)}, but “{path.name}” has no weights: they are computed from q and k")
    heads = layers_of(contents, axes, batch=batch, is_causal=bool(is_causal), rows=made)
    return FileRecipe(
        str(path),
        reference.size,
        reference.modified_ns,
        reference.digest,
        contents.name or attention,
        axes,
        batch or 0,
        bool(is_causal),
        tuple(tokens),
        largest_difference(contents, heads),
        path.stem if is_handed_over(path) else "",
        layout,
        offset,
        rows=made,
    )


def rows_called(name: str) -> Rows:
    """Return how rows become weights, by its name.

    Raises
    ------
    ArrayError
        There is no such way.
    """
    try:
        return Rows(name)
    except ValueError:
        raise ArrayError(f"rows is {quoted(str(name))}. {did_you_mean(str(name), list(Rows))}") from None


def what_speaks_for(contents: Contents, axes: str = "", rows: Rows = Rows.AS_THEY_ARE) -> AxesGuess:
    """Return what the axes of some weights are, as somebody says or as a guess, and what speaks for it.

    Raises
    ------
    ArrayError
        If the letters do not fit the shape.
    """
    if axes:
        return examine_axes(contents.attention, axes, is_list=contents.is_list, rows=rows)
    return guess_axes(contents.attention, is_list=contents.is_list, rows=rows)


def _with_tokens(contents: Contents, tokens: tuple[str, ...]) -> Contents:
    return replace(contents, tokens=tokens, has_own_tokens=False) if tokens else contents


_WEIGHT_WORDS = {
    Rows.AS_THEY_ARE: "as recorded",
    Rows.SOFTMAX: "softmax of the numbers in the file, taken here",
    Rows.NORMALISE: "its number in the file divided by the sum of the row, here",
}
_TITLES = {
    Rows.AS_THEY_ARE: "These weights were {}.",
    Rows.SOFTMAX: "These weights are the softmax, taken here, of numbers that were {}.",
    Rows.NORMALISE: "These weights are numbers that were {}, each row divided by its sum, here.",
}
_MADE = {
    Rows.SOFTMAX: "softmax, taken here, of numbers ",
    Rows.NORMALISE: "each row divided by its sum, here: numbers ",
}
"""What stands before the origin of numbers that are no weights yet."""
_MADE_OF = {
    Rows.AS_THEY_ARE: "of the rows looked at, all or most sum to 1",
    Rows.SOFTMAX: "each row is the softmax of the numbers in the file, taken here",
    Rows.NORMALISE: "each row of the file is divided by its sum, here",
}


class FileSource(RecordedSource[FileRecipe]):
    """Opens a file, if it is still what it was."""

    def _open(self) -> Recording:
        recipe = self.recipe
        path = Path(recipe.path)
        change = change_since(FileReference(path, recipe.size, recipe.modified_ns, recipe.digest), recipe.whole)
        if change is not None:
            is_there = os.access(path, os.R_OK) and path.is_file()
            if recipe.from_python and is_handed_over(path):
                gone = f"{self._called} was handed over from Python, and is no longer there: hand it over again."
                raise LostFileError(gone, recipe.path, is_there=False)
            what = "Open it as it is now, or find the one that it was." if is_there else "Find it, or open another."
            raise LostFileError(f"{change} {what}", recipe.path, is_there=is_there)
        file = open_arrays(path, recipe.layout, recipe.offset)
        contents = _with_tokens(contents_of(file, recipe.attention or None), recipe.given_tokens)
        heads = layers_of(contents, recipe.axes, batch=recipe.batch, is_causal=recipe.is_causal, rows=recipe.rows)
        is_causal = recipe.is_causal and contents.mask is None
        return Recording(contents, heads, is_causal, judged(contents, recipe.difference))

    @property
    def traits(self) -> Traits:
        return Traits(self._called, self._origin, Made.RECORDED, self.lacks)

    @property
    def _called(self) -> str:
        return f"“{self.recipe.from_python or Path(self.recipe.path).name}”"

    @property
    def _missed(self) -> tuple[str, ...]:
        recording = self._if_open()
        return () if recording is None else recording.contents.missed

    def warnings(self, *, are_axes_told: bool) -> tuple[str, ...]:
        """Return what of the file is not read as somebody may have meant it, in sentences."""
        axes = self.recipe.axes
        if are_axes_told or not axes or axes.index("q") < axes.index("k"):
            return self._missed
        turned = f"{self._called} has its keys before its queries: columns sum to 1, and are drawn as rows."
        return (turned, *self._missed)

    @property
    def _beside_the_weights(self) -> tuple[str, ...]:
        """What there is to say of queries and keys where there are weights too."""
        recording = self._if_open()
        if recording is None or recording.agreement is None:
            return ()
        if not recording.agreement.holds:
            return (_difference_words(recording.agreement),)
        within = f"{recording.agreement.difference:.1g}"
        return (
            f"Its queries and keys give these weights too, within {within} in a sample: scores are computed of them.",
        )

    @property
    def _origin(self) -> str:
        made = _MADE.get(self.recipe.rows, "")
        if not self.recipe.from_python:
            return f"{made}recorded in {self._called}"
        return f"{made}handed over from Python" + ("" if self.recipe.from_python == UNNAMED else f" as {self._called}")

    def weight_words(self) -> str:
        return _WEIGHT_WORDS[self.recipe.rows]

    def mask_words(self) -> str:
        if self.recipe.rows is Rows.AS_THEY_ARE or not super().mask_words():
            return super().mask_words()
        recording = self.recording
        if recording.contents.mask is not None:
            return "recorded beside the numbers"
        return "causal" if recording.is_causal else "−inf among the scores"

    def verdict(self) -> tuple[str, str]:
        recipe, called = self.recipe, self._called
        if not recipe.axes:
            said = f"{called} has queries and keys: softmax(q·kᵀ ÷ √d_k)."
            return "These weights come from recorded vectors.", " ".join((said, *self._missed))
        axes = ", ".join(LETTERS[letter] for letter in recipe.axes)
        said = f"{called} has the axes {axes}: {_MADE_OF[recipe.rows]}."
        if recipe.is_causal and recipe.rows is not Rows.AS_THEY_ARE:
            said += " Keys after their query were hidden before that."
        elif recipe.is_causal:
            said += " Where all keys after a query have weights of exactly 0, they are taken to be masked: a guess."
        said = " ".join((said, *self._beside_the_weights, *self._missed))
        came = "handed over from Python" if recipe.from_python else "recorded"
        return _TITLES[recipe.rows].format(came), said
