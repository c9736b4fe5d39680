"""Replace one token, and see which rows of the output move: with and without a causal mask, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import Kept
from attention_explorer.core.counting import Count
from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import size_text
from attention_explorer.errors import ArrayError
from attention_explorer.model import EncoderStack, causal_mask
from attention_explorer.model.arrays import Bools
from attention_explorer.pages.stack.learned import steps_to_learn
from attention_explorer.pages.stack.stack import QUICK_NUMBERS, block_stack, check_sizes, count_numbers, without_view
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.registry import source_of
from attention_explorer.sources.source import Recipe

NOISE = 99.0
"""What the noise is multiplied by, as the tutorials' check does."""
ROUNDING = 1e-3
"""Of a model in float32, whose largest scores decide how its softmax sums."""
PASSES = 4
"""Through the stack: before and after, with and without the mask."""


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """What a replaced token changes at every level: the input, then the output of each layer."""

    width: int
    """Numbers of a row."""
    change: FloatArray
    """Largest change in a row, (levels, n)."""
    numbers: np.typing.NDArray[np.intp]
    """How many numbers of a row have other bits, (levels, n)."""

    def same_rows(self, level: int) -> int:
        """Return how many rows are bit for bit the same."""
        return int((self.numbers[level] == 0).sum())


@dataclass(frozen=True, slots=True, eq=False)
class FuturePicture:
    """What moves without a mask (False) and with a causal one (True); of a model, with its own alone."""

    state: BlockState
    tokens: tuple[str, ...]
    moved: dict[bool, Moved]
    reason: str = ""
    """Why there is nothing to compare."""

    @property
    def token(self) -> int:
        """The token that is replaced, counted from 0."""
        return changed_shown(self.state, len(self.tokens))

    @property
    def layers(self) -> int:
        """How many layers there are."""
        return self.state.layer_count

    @property
    def largest(self) -> float:
        """The largest change anywhere, at least 1e-300."""
        return max(1e-300, *(float(moved.change.max()) for moved in self.moved.values()))

    @property
    def smallest(self) -> float:
        """The smallest change that is one."""
        found = [float(m.change[m.change > 0].min()) for m in self.moved.values() if (m.change > 0).any()]
        return min(found, default=self.largest)


def changed_shown(state: BlockState, count: int | None = None) -> int:
    """Return the token that is replaced, or the last there is, counted from 0."""
    return min(max(state.changed_token, 0), (state.token_count if count is None else count) - 1)


_kept: Kept[FuturePicture] = Kept()


def is_quick(state: BlockState) -> bool:
    """Whether the comparison takes less than about 20 ms."""
    if _kept.get(_key(state)) is not None:
        return True
    if state.model_shown is not None:
        return False
    return PASSES * count_numbers(state) <= QUICK_NUMBERS and not steps_to_learn(state)


def _key(state: BlockState) -> BlockState:
    """Return what decides the numbers; the page's own mask does not, for both are compared."""
    token, shown = changed_shown(state), state.model_shown
    if shown is not None:  # as it is: nothing is masked or cut
        return BlockState(model=shown, changed_token=token, seed=state.seed)
    return replace(without_view(state), causal=False, changed_token=token)


def future_picture(state: BlockState, _tiles: tuple[int, int] = (0, 0)) -> FuturePicture:
    """Replace the token and compare.

    Raises
    ------
    ExplorerError
        The sizes of the state do not go together, or the model cannot be run so.
    """
    shown = state.model_shown
    if shown is None:
        check_sizes(state)
    else:
        source_of(shown).open()  # then its tokens are known
    kept = _kept.get(_key(state))
    if kept is None:
        kept = _compared(state) if shown is None else _of_model(state, shown)
        _kept.keep(_key(state), kept)
    return replace(kept, state=state)


def _compared(state: BlockState) -> FuturePicture:
    whole = block_stack(state)
    before, token = whole.x[0], changed_shown(state, len(whole.tokens))
    after = before.copy()
    after[token] = _noise(state, token, before.shape[1])
    try:
        masks = {False: None, True: causal_mask(len(before))}
        moved = {causal: _moved(whole.stack, before, after, mask) for causal, mask in masks.items()}
    except ArrayError as error:
        return FuturePicture(state, whole.tokens, {}, f"There is nothing to compare: {error}.")
    return FuturePicture(state, whole.tokens, moved)


def _of_model(state: BlockState, recipe: Recipe) -> FuturePicture:
    source, token = source_of(recipe), changed_shown(state)
    before, after, is_causal = source.levels(token, lambda width: _noise(state, token, width).astype(np.float32))
    return FuturePicture(state, source.labels[0], {is_causal: _differing(before, after)})


def _noise(state: BlockState, token: int, width: int) -> FloatArray:
    """Return noise of its own: not the numbers that the embeddings began with."""
    return np.random.RandomState([state.seed, token]).randn(width) * NOISE


def _moved(stack: EncoderStack, before: FloatArray, after: FloatArray, mask: Bools | None) -> Moved:
    return _differing(stack(before, mask=mask).levels, stack(after, mask=mask).levels)


def _differing(before: Sequence[FloatArray], after: Sequence[FloatArray]) -> Moved:
    pairs = list(zip(before, after, strict=True))
    return Moved(
        before[0].shape[-1],
        np.stack([np.abs(new - old).max(axis=-1) for old, new in pairs]).astype(np.float64),
        np.stack([(_bits(new) != _bits(old)).sum(axis=-1) for old, new in pairs]),
    )


def _bits(array: FloatArray) -> np.typing.NDArray[np.uint64]:
    """Return the bits of float64 numbers: −0 and 0 differ, two equal NaNs do not."""
    return np.ascontiguousarray(array, np.float64).view(np.uint64)


# ---- Words ----


def level_name(level: int, count: Count) -> str:
    """Return what a level is: the input, or the output of a layer."""
    return "X" if level == 0 else count.layer(level - 1)


def count_text(picture: FuturePicture, causal: bool) -> str:
    """Return how many rows of the output stay the same."""
    count, same = len(picture.tokens), picture.moved[causal].same_rows(-1)
    if not same:
        return "the only row changes" if count == 1 else f"all {count} rows change"
    return f"{count - same} of {count} rows change, {same} {'keeps' if same == 1 else 'keep'} every bit"


def future_sentences(picture: FuturePicture) -> tuple[str, ...]:
    """Return what the panel says, the headline first."""
    if picture.reason:
        return "Numbers too large or too small", picture.reason
    word, place, count = picture.tokens[picture.token], picture.state.count.number(picture.token), len(picture.tokens)
    through = f"all {picture.layers} layers" if picture.layers > 1 else "the layer"
    held, free = True, _free_sentence(picture)
    if True in picture.moved:
        held = bool((picture.moved[True].numbers[:, : picture.token] == 0).all())
    sentences = [
        _headline(picture, held),
        f"The vector of “{word}” ({place} of {count}) is replaced by noise × {NOISE:g}, and both runs go through "
        f"{through}.",
        _causal_sentence(picture, held) if True in picture.moved else free,
    ]
    if picture.state.model_shown is None:
        own = "the causal" if picture.state.causal else "no"
        sentences += [free, f"The other pictures have {own} mask; here both are shown."]
    return tuple(sentences)


def _free_sentence(picture: FuturePicture) -> str:
    if False not in picture.moved:
        return ""
    reaches = "reaches" if picture.moved[False].same_rows(-1) == 0 else "does not reach"
    return f"Without a mask {count_text(picture, False)}: the change {reaches} every row."


def _headline(picture: FuturePicture, held: bool) -> str:
    if True not in picture.moved:
        return "Every token sees every other"
    if picture.token == 0:
        return "The first token has no past"
    if not held and _is_rounding(picture):
        return "Earlier rows change by rounding alone"
    return "Earlier rows do not change" if held else "Earlier rows change"


def _causal_sentence(picture: FuturePicture, held: bool) -> str:
    if picture.token == 0:
        later = "Replace a later one." if len(picture.tokens) > 1 else "Write a second word."
        return f"Under a causal mask every token sees the first one: every row may change. {later}"
    rows = "the row before it stays" if picture.token == 1 else f"the {picture.token} rows before it stay"
    if held:
        return (
            f"Under a causal mask {rows} the same bit for bit, after every layer: masked weights are exactly 0, and 0 "
            "times noise is 0."
        )
    if _is_rounding(picture):
        most = size_text(float(picture.moved[True].change[:, : picture.token].max()))
        return f"Under a causal mask {rows} the same but for rounding, {most} at most."
    return "Under a causal mask a row before it has changed, which should not happen."


def _is_rounding(picture: FuturePicture) -> bool:
    """Whether rows before the token change, and by no more than sums of float32 do that are taken otherwise."""
    most = float(picture.moved[True].change[:, : picture.token].max(initial=0.0))
    return picture.state.model_shown is not None and 0.0 < most < ROUNDING


def future_words(picture: FuturePicture, causal: bool, token: int, level: int | None = None) -> str:
    """Return what happens to a row at a level, the output if none is given."""
    if not picture.moved or not 0 <= token < len(picture.tokens):
        return ""
    moved, at = picture.moved[causal], picture.layers if level is None else level
    if not 0 <= at < len(moved.change):
        return ""
    mask = "causal" if causal else "no mask"
    count = picture.state.count
    place = (
        f"{count.token(picture.tokens[token], token)}, {mask}, {f'after {count.layer(at - 1)}' if at else 'input X'}"
    )
    numbers, width = int(moved.numbers[at, token]), moved.width
    if numbers == 0:
        return f"{place}: all {width} numbers are the same bit for bit. Click to replace this token."
    change = size_text(float(moved.change[at, token]))
    return f"{place}: {numbers} of {width} numbers differ, by up to {change}. Click to replace this token."


def future_numbers(picture: FuturePicture) -> dict[str, np.typing.NDArray[Any]]:
    """Return the numbers behind the picture, each (levels, n)."""
    if not picture.moved:
        return {}
    names = {True: "causal", False: "no_mask"}
    named = [(names[causal], moved) for causal, moved in picture.moved.items()]
    return {
        **{f"change_{name}": moved.change for name, moved in named},
        **{f"numbers_moved_{name}": moved.numbers for name, moved in named},
        "tokens": np.asarray(picture.tokens),
    }
