"""A norm with ε under the root and beside it, against the size of the row that goes in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import plain
from attention_explorer.model import NormKind
from attention_explorer.model.norm import Norm
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.stack.wording import brief

LEAST_SCALE, LARGEST_SCALE = 1e-7, 100.0
SCALES = (*(float(f"{factor}e{power}") for power in range(-7, 2) for factor in (1, 2, 5)), LARGEST_SCALE)
"""Where the slider stops."""
STEPS_PER_DECADE = 20
FEATURES = 16
CONSTANT = 0.5
"""Every number of the constant row."""
TUTORIAL_EPS = 1e-6
TUTORIAL_SCALES = (1e-3, 1e-4)
_IS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"  # what is equal stands in one line
MIDDLING = 0.1
"""From this ε on its root is not much larger than ε itself."""
NAMES = {True: "ε under the root", False: "ε beside the root"}
FORMULAS = {True: "÷ √(σ² + ε)", False: "÷ (σ + ε)"}


@dataclass(frozen=True, slots=True, eq=False)
class NormPicture:
    """Output against input, and one row before and after.

    Standard deviations of a row are those of the population; the rows have mean 0, so that RMS norm does the same.
    """

    state: BlockState
    scales: FloatArray
    """Standard deviations of what goes in, ascending, (k,)."""
    curves: dict[bool, FloatArray]
    """Standard deviations of what comes out, with ε under the root (True) or beside it, each (k,)."""
    row: FloatArray
    """The row that goes in, (features,)."""
    after: dict[bool, FloatArray]
    """What comes out of it."""
    constant_after: dict[bool, FloatArray]
    """What comes out of a row of one number repeated."""

    @property
    def scale(self) -> float:
        """The size of the row that is looked at."""
        return self.state.norm_scale

    def output_std(self, inside: bool, scale: float) -> float:
        """Return the standard deviation that comes out for one that goes in."""
        return float(normed(self.state, unit_row(self.state.seed) * scale, inside).std())


def unit_row(seed: int) -> FloatArray:
    """Return a drawn row (features,) with mean 0 and standard deviation 1."""
    drawn = np.random.RandomState(seed).randn(FEATURES)
    centred = drawn - drawn.mean()
    return np.asarray(centred / centred.std())


def normed(state: BlockState, rows: FloatArray, inside: bool) -> FloatArray:
    """Send rows (..., features) through the norm of a state, with ε under the root or beside it."""
    return Norm(state.norm_kind, eps=state.eps, eps_inside_sqrt=inside)(rows)


def norm_picture(state: BlockState, _tiles: tuple[int, int] = (0, 0)) -> NormPicture:
    """Compute both curves and both rows."""
    decades = np.log10(LARGEST_SCALE / LEAST_SCALE)
    scales = np.geomspace(LEAST_SCALE, LARGEST_SCALE, round(decades * STEPS_PER_DECADE) + 1)
    unit = unit_row(state.seed)
    rows, row, constant = scales[:, None] * unit, state.norm_scale * unit, np.full(FEATURES, CONSTANT)
    both = (True, False)
    return NormPicture(
        state,
        scales,
        {inside: normed(state, rows, inside).std(axis=-1) for inside in both},
        row,
        {inside: normed(state, row, inside) for inside in both},
        {inside: normed(state, constant, inside) for inside in both},
    )


def scale_at(number: float) -> float:
    """Return a size of the row near a number: two digits, within the range."""
    return min(max(float(f"{number:.1e}"), LEAST_SCALE), LARGEST_SCALE)


# ---- Words ----


def norm_name(state: BlockState) -> str:
    """Return what the norm is called."""
    return "Layer norm" if state.norm_kind is NormKind.LAYER else "RMS norm"


def norm_headline(state: BlockState) -> str:
    """Return what the curves of a norm show."""
    if state.eps == 0.0:
        return "Without ε, rows of any size come out with 1."
    if state.eps >= MIDDLING:
        return "ε shrinks small rows, wherever it stands."
    return "Under the root, ε shrinks larger rows too."


def norm_panel(state: BlockState) -> str:
    """Return the sentence beside the curves."""
    if state.eps == 0.0:
        return "Both formulas divide by σ alone, so they are the same."
    larger = "Much larger rows come out with 1 either way."
    if state.norm_kind is NormKind.RMS:
        larger = "These rows have mean 0: layer norm does the same."
    return (
        f"Under the root ε counts as soon as σ is near √ε{_IS}{brief(state.eps**0.5)}, beside it as soon as σ is near "
        f"ε{_IS}{brief(state.eps)}. {larger}"
    )


def norm_sentences(picture: NormPicture) -> tuple[str, ...]:
    """Return what the picture says."""
    state, scale = picture.state, picture.scale
    inside, beside = (picture.output_std(place, scale) for place in (True, False))
    sentences = [
        f"A row with standard deviation {brief(scale)} comes out with {plain(inside, 3)} if ε is under the root, and "
        f"with {plain(beside, 3)} if ε is beside it. The Layer picture has {NAMES[state.eps_inside_sqrt]}.",
        _tutorial(picture),
    ]
    largest = max(float(np.abs(picture.constant_after[place]).max()) for place in (True, False))
    if largest == 0:
        sentences.append("A row of one number repeated comes out as zeros either way: it is all mean.")
    else:
        values = " and ".join(plain(float(picture.constant_after[place][0]), 3) for place in (True, False))
        sentences.append(f"A row of {CONSTANT:g} repeated comes out as {values}: RMS norm does not subtract the mean.")
    return tuple(sentences)


def _tutorial(picture: NormPicture) -> str:
    """Return the numbers of a tutorial that puts ε = 10⁻⁶ beside the root."""
    state = replace(picture.state, eps=TUTORIAL_EPS)
    unit = unit_row(state.seed)
    first, second = (
        tuple(plain(float(normed(state, unit * scale, place).std()), 3) for place in (False, True))
        for scale in TUTORIAL_SCALES
    )
    large, small = (brief(scale) for scale in TUTORIAL_SCALES)
    return (
        f"With ε = 10⁻⁶, as in a tutorial, a row of {large} comes out with {first[0]} (ε beside the root) and "
        f"{first[1]} (under it), a row of {small} with {second[0]} and {second[1]}. At 1 they differ by less than a "
        "millionth."
    )


def norm_words(picture: NormPicture, scale: float) -> str:
    """Return what comes out for a row of some size."""
    found = " · ".join(f"{NAMES[place]} {plain(picture.output_std(place, scale), 4)}" for place in (True, False))
    return f"standard deviation in {brief(scale)}, out: {found}. Click to go there."


def bar_words(picture: NormPicture, feature: int) -> str:
    """Return one feature of the row before and after."""
    if not 0 <= feature < FEATURES:
        return ""
    after = " · ".join(
        f"{plain(float(picture.after[place][feature]), 4)} with {NAMES[place]}" for place in (True, False)
    )
    return f"feature {feature}: {picture.row[feature]:.4g} before; after {after}".replace("-", "−")


def norm_numbers(picture: NormPicture) -> dict[str, np.typing.NDArray[Any]]:
    """Return the numbers behind the picture."""
    return {
        "output_std_eps_under_root": picture.curves[True],
        "output_std_eps_beside_root": picture.curves[False],
        "input_std": picture.scales,
        "row": picture.row,
        "row_after_eps_under_root": picture.after[True],
        "row_after_eps_beside_root": picture.after[False],
    }
