"""What depth does to gradients and tokens, with the switches of the page, beside a table measured elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_explorer.core.byte_cache import Kept
from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import plain
from attention_explorer.errors import ArrayError
from attention_explorer.model import (
    Activation,
    DepthSurvey,
    NormKind,
    NormPlacement,
    StackSetting,
    sinusoidal_encoding,
    survey_depth,
)
from attention_explorer.model import Initialiser as Rule
from attention_explorer.model.checkpoint import checkpoint
from attention_explorer.model.scalars import LARGEST_SEED
from attention_explorer.pages.stack.stack import stack_setting
from attention_explorer.pages.stack.state import MOST_LAYERS, BlockState
from attention_explorer.pages.stack.wording import brief

TOKENS, DRAWS = 10, 7
"""As many as the table was measured with."""
WIDE, HEADS, HIDDEN = 64, 4, 256
"""The sizes of the table; wider stacks are measured with them too."""
DEPTHS = (1, 6, 12, 24)
"""The depths of the table."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of the table."""

    rule: Rule
    residual: bool
    norm: NormPlacement
    ratios: tuple[float, float, float, float]
    """‖∂L/∂input‖ / ‖∂L/∂output‖ of stacks of 1, 6, 12 and 24 layers, the median of 7."""
    cosine: float
    """Mean cosine of the tokens after 24 layers."""

    @property
    def title(self) -> str:
        """What it was measured with, in words."""
        rule = "He" if self.rule is Rule.HE else "0.02"
        norm = "no norm" if self.norm is NormPlacement.NONE else f"{self.norm.value}-norm"
        return f"{rule}, {'' if self.residual else 'no '}residual, {norm}"

    @property
    def cells(self) -> tuple[str, ...]:
        """The row in columns: what it was measured with, the gradient at each of `DEPTHS`, the cosine."""
        return self.title, *map(brief, self.ratios), plain(self.cosine, 3)


_NONE, _POST, _PRE = NormPlacement.NONE, NormPlacement.POST, NormPlacement.PRE
TABLE = (
    TableRow(Rule.HE, True, _POST, (1.75, 0.99, 0.48, 0.88), 1.0),
    TableRow(Rule.HE, True, _PRE, (3.50, 9.2, 11.9, 19.3), 0.889),
    TableRow(Rule.HE, False, _POST, (1.90, 1.09, 0.91, 0.90), 1.0),
    TableRow(Rule.HE, True, _NONE, (4.37, 3.8e4, 1.5e8, 8.6e14), 1.0),
    TableRow(Rule.GPT2, True, _POST, (1.04, 1.01, 1.01, 1.01), 0.007),
    TableRow(Rule.GPT2, False, _NONE, (3.0e-4, 1.4e-19, 7.6e-38, 1.1e-74), 1.0),
    TableRow(Rule.GPT2, True, _NONE, (1.00, 1.00, 1.01, 1.02), 0.017),
    TableRow(Rule.GPT2, False, _POST, (1.01, 0.58, 0.87, 0.76), 1.0),
)
"""“Gradient through depth”: d_model 64, 4 heads, d_ff 256, 10 tokens, ReLU, no mask and no positions, by PyTorch."""


@dataclass(frozen=True, slots=True, eq=False)
class DepthPicture:
    """What was measured so far, at depths 0 to 24."""

    state: BlockState
    setting: StackSetting
    survey: DepthSurvey | None
    """One row a draw; None if there is a reason."""
    reason: str = ""
    """Why there is nothing to draw."""

    @property
    def depths(self) -> FloatArray:
        """0 to 24, as floats for an axis."""
        return np.arange(self.setting.layers + 1, dtype=np.float64)

    @property
    def draws(self) -> int:
        """How many stacks have been drawn."""
        return 0 if self.survey is None else len(self.survey.gradient_ratios)

    @property
    def is_complete(self) -> bool:
        """Whether all stacks have been drawn, or none can be."""
        return self.survey is None or self.draws >= DRAWS

    @property
    def row(self) -> int | None:
        """The row of the table that the switches are those of."""
        return row_that_applies(self.state)

    def values(self, quantity: str) -> FloatArray:
        """Return a field of `DepthSurvey`, (draws, depths)."""
        return np.asarray(getattr(self.survey, quantity))

    def median(self, quantity: str, depth: int) -> float:
        """Return the median of the draws at a depth."""
        return float(np.median(self.values(quantity)[:, depth]))


def depth_setting(state: BlockState) -> StackSetting:
    """Return the stack that is measured: that of the page with 24 layers, and no wider than the table's."""
    setting = replace(stack_setting(state), layers=MOST_LAYERS)
    if state.d_model > WIDE or state.d_ff > HIDDEN or state.d_model % state.heads:
        setting = replace(setting, d_model=WIDE, heads=HEADS, d_ff=HIDDEN)
    return setting


def row_that_applies(state: BlockState) -> int | None:
    """Return which row of the table has the initialiser, the residual and the norm of a state, if one has."""
    wanted = (_rule(state), state.residual, state.norm)
    found = (number for number, row in enumerate(TABLE) if (row.rule, row.residual, row.norm) == wanted)
    return next(found, None)


def rows_beside(state: BlockState) -> tuple[TableRow, ...]:
    """Return the rows of the table that have the initialiser of a state, but another residual or norm."""
    same = row_that_applies(state)
    return tuple(row for number, row in enumerate(TABLE) if row.rule == _rule(state) and number != same)


def _rule(state: BlockState) -> Rule | float:
    initialiser = stack_setting(state).initialiser
    return Rule.GPT2 if initialiser == float(Rule.GPT2.value) else initialiser


def differences(state: BlockState) -> tuple[str, ...]:
    """Say in what a state differs from what the table was measured with, apart from its rows."""
    setting = depth_setting(state)
    found = {
        f"d_model {setting.d_model}, {setting.heads} heads, d_ff {setting.d_ff}": (
            (setting.d_model, setting.heads, setting.d_ff) != (WIDE, HEADS, HIDDEN)
        ),
        "positions": state.encoding,
        "a causal mask": state.causal,
        setting.activation.value: setting.activation is not Activation.RELU,
        "RMS norm": setting.norm_kind is NormKind.RMS and setting.norm is not NormPlacement.NONE,
    }
    return tuple(name for name, differs in found.items() if differs)


# ---- Measuring ----


_kept: Kept[DepthPicture] = Kept()


def _key(state: BlockState) -> tuple[StackSetting, bool, bool, int]:
    """Return what decides the numbers."""
    return depth_setting(state), state.causal, state.encoding, state.seed


def is_measured(state: BlockState) -> bool:
    """Whether all has been measured already."""
    return _kept.get(_key(state)) is not None


def depth_picture(state: BlockState, _tiles: tuple[int, int] = (0, 0)) -> DepthPicture:
    """Return the picture of all draws."""
    kept = _kept.get(_key(state))
    if kept is not None:
        return replace(kept, state=state)
    return [picture for _, picture in depth_stream(state) if picture is not None][-1]


def depth_stream(state: BlockState, _tiles: tuple[int, int] = (0, 0)) -> Iterator[tuple[float, DepthPicture | None]]:
    """Yield the share done with a picture of the draws so far: one stack more each time."""
    setting = depth_setting(state)
    added = sinusoidal_encoding(TOKENS, setting.d_model) if state.encoding else None
    surveys: list[DepthSurvey] = []
    for draw in range(DRAWS):
        seed = (state.seed + draw) % (LARGEST_SEED + 1)
        try:
            survey = survey_depth(
                setting,
                tokens=TOKENS,
                draws=1,
                seed=seed,
                causal=state.causal,
                encoding=added,
                report=lambda _share: checkpoint(),
            )
        except ArrayError as error:
            why = f"{str(error)[0].upper()}{str(error)[1:]}. Smaller weights do that, or a norm."
            picture = DepthPicture(state, setting, None, why)
            _kept.keep(_key(state), picture)
            yield 1.0, picture
            return
        surveys.append(survey)
        picture = DepthPicture(state, setting, DepthSurvey(*map(np.concatenate, zip(*surveys, strict=True))))
        if draw == DRAWS - 1:
            _kept.keep(_key(state), picture)
        yield (draw + 1) / DRAWS, picture


# ---- Words ----


def stack_words(state: BlockState) -> str:
    """Return the switches that depth is about: residual and norm."""
    norm = "no norm" if state.norm is NormPlacement.NONE else f"{state.norm.value}-norm"
    return f"{'' if state.residual else 'no '}residual, {norm}"


def depth_headline(picture: DepthPicture) -> str:
    """Return what becomes of the gradient."""
    layers = picture.setting.layers
    ratio = picture.median("gradient_ratios", layers)
    what = "vanishes" if ratio < 1e-3 else "explodes" if ratio > 1e3 else "gets through"
    return f"The gradient {what}: × {brief(ratio)} after {layers} layers."


def depth_panel(picture: DepthPicture) -> str:
    """Return the sentence beside the curves of a stack."""
    draws = f"The line is the median of {picture.draws} random stacks, in grey lie all of them."
    has_squares = rows_beside(picture.state) or picture.row is not None
    return draws + " Squares were measured with PyTorch." * bool(has_squares)


def depth_sentences(picture: DepthPicture) -> tuple[str, ...]:
    """Return what else the picture says."""
    last = picture.setting.layers
    cosine = picture.median("token_cosines", last)
    sentences = [
        f"From stack to stack the gradient is multiplied by {_spread(picture, 'gradient_ratios', last)}.",
        f"The tokens that come out have a mean cosine of {plain(cosine, 3)}: {_likeness(cosine)}.",
    ]
    if picture.setting.d_model != picture.state.d_model or picture.setting.d_ff != picture.state.d_ff:
        sentences.append("The stack in the other pictures has other sizes, which would take too long here.")
    if not picture.state.feed_forward:
        sentences.append("Measured with the feed-forward network, which is switched off in the other pictures.")
    return tuple(sentences)


def row_words(picture: DepthPicture, row: TableRow) -> str:
    """Return a row of the table, and whether it can be compared with the picture."""
    ratios = ", ".join(map(brief, row.ratios))
    said = f"Measured with PyTorch after 1, 6, 12 and 24 layers, {row.title}: {ratios}; cosine {plain(row.cosine, 3)}"
    if picture.row is None or TABLE[picture.row] is not row:
        return f"{said}."
    others = ", ".join(differences(picture.state))
    return f"{said}. It has these settings{f', except for: {others}' if others else ', but other random numbers'}."


def depth_words(picture: DepthPicture, depth: int) -> str:
    """Return what was measured at a depth."""
    if not 0 <= depth <= picture.setting.layers:
        return ""
    ratio, cosine = picture.median("gradient_ratios", depth), picture.median("token_cosines", depth)
    return (
        f"{depth} layer{'' if depth == 1 else 's'}: gradient × {brief(ratio)} "
        f"({_spread(picture, 'gradient_ratios', depth)}) · mean cosine of the tokens {plain(cosine, 3)} "
        f"({_spread(picture, 'token_cosines', depth)}) · median of {picture.draws} draws"
    )


def _likeness(cosine: float) -> str:
    if cosine > 0.99:
        return "all tokens have become alike"
    return "the tokens have grown alike" if cosine > 0.5 else "the tokens stay apart"


def _spread(picture: DepthPicture, quantity: str, depth: int) -> str:
    values = picture.values(quantity)[:, depth]
    write = brief if quantity == "gradient_ratios" else lambda value: plain(value, 3)
    return f"{write(float(values.min()))} to {write(float(values.max()))}"


def depth_numbers(picture: DepthPicture) -> dict[str, np.typing.NDArray[Any]]:
    """Return the numbers behind the picture, each (draws, depths)."""
    if picture.survey is None:
        return {}
    return {**picture.survey._asdict(), "depth": picture.depths}
