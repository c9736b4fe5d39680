"""Changes that the large picture offers as buttons, where it shows little as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from attention_explorer.core.colour_scale import Contrast
from attention_explorer.core.map_picture import MapPicture
from attention_explorer.model import Stage
from attention_explorer.pages.heads.compare import Comparison
from attention_explorer.pages.heads.frame import HeadsFrame
from attention_explorer.pages.heads.large_picture import LargePicture
from attention_explorer.pages.heads.shown_map import lengths_shown, stage_shown
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, MaskChoice, MaskKind
from attention_explorer.sources.recorded_recipe import FileRecipe
from attention_explorer.sources.registry import recipe_as
from attention_explorer.sources.source import Ability

DARK = 0.02
"""Where the average weight is less than this share of the colour bar, a map is nearly all in its darkest colour."""

MOST_OFFERS = 2


@dataclass(frozen=True, slots=True)
class Offer:
    """A button: its text, a tip, the name of its undo step, and what it does.

    Without a change it asks how the file is to be read.
    """

    text: str
    tip: str
    label: str = ""
    change: Callable[[HeadsState], HeadsState] | None = None


@dataclass(frozen=True, slots=True)
class Offers:
    """Some buttons with the words before them."""

    words: str = ""
    buttons: tuple[Offer, ...] = ()


def offers_for(frame: HeadsFrame, heads: HeadsState, picture: LargePicture) -> Offers:
    """Return what a picture of a frame offers: another B while B is A, other colours where nearly all is dark."""
    if isinstance(picture, Comparison):
        return Offers("Compare with:", _other_setups(frame, heads.setup)) if picture.is_of_one_setup else Offers()
    if isinstance(picture, MapPicture) and _is_dark(frame, heads, picture):
        return Offers("Nearly all is dark. Try:", _COLOURS)
    return Offers()


def offers_for_refused(heads: HeadsState) -> Offers:
    """Return the question how a file is to be read of which a row is none of weights."""
    return Offers("A row is none of weights:", (_ASK,)) if recipe_as(heads.setup.recipe, FileRecipe) else Offers()


_ASK = Offer("How to read it…", "Say which axis is which, and whether rows are scores or parts of a sum")


# ---- What to compare with ----


def _other_setups(frame: HeadsFrame, setup: HeadsSetup) -> tuple[Offer, ...]:
    """Return the obvious things to compare a setup with, each as B."""
    traits, found = frame.source.traits, []
    if not traits.reason_against(Ability.MASKS):
        masked = frame.mask is not None
        name, mask = ("no mask", MaskChoice()) if masked else ("causal mask", MaskChoice(MaskKind.CAUSAL))
        found.append((name, replace(setup, mask=mask)))
    if setup.aggregate is not Aggregate.ONE:
        found.append(
            (f"{frame.count.head(frame.head)} alone", replace(setup, head=frame.head, aggregate=Aggregate.ONE))
        )
    elif frame.heads > 1:
        head = (frame.head + 1) % frame.heads
        found.append((frame.count.head(head), replace(setup, head=head)))
    if not traits.reason_against(Ability.SCORES):
        found.append(("soft lookup" if setup.hard else "hard lookup", replace(setup, hard=not setup.hard)))
    return tuple(_kept_as_b(text, other) for text, other in found[:MOST_OFFERS])


def _kept_as_b(text: str, other: HeadsSetup) -> Offer:
    tip = f"The same with {text} becomes B: A beside B, and A − B"
    return Offer(text, tip, f"Compare with {text}", lambda heads: replace(heads, other=other))


# ---- Colours ----


def _is_dark(frame: HeadsFrame, heads: HeadsState, picture: MapPicture) -> bool:
    if stage_shown(frame, heads.view) is not Stage.WEIGHTS or frame.setup.hard:
        return False  # what is not the best is 0 in hard lookup: no colours show more of it
    if lengths_shown(frame, heads.view) is not None:
        return False  # lengths are no shares of a whole
    if heads.view.contrast not in (Contrast.UNIT, Contrast.MAX):
        return False
    visible = np.array([frame.shape[1]]) if frame.mask is None else frame.mask.sum(axis=1)
    # Of the rows that see anything, each shares out 1. Not from the picture: it depends on the room there is.
    return float(np.count_nonzero(visible)) < DARK * picture.scale.high * float(visible.sum())


def _with_contrast(text: str, tip: str, contrast: Contrast) -> Offer:
    return Offer(text, tip, "Change the contrast", lambda heads: heads.with_view(contrast=contrast))


_COLOURS = (
    _with_contrast("log", "Powers of ten from 0.0001 to 1: small weights become visible", Contrast.LOG),
    _with_contrast("to 98 %", "End the bar where 98 % of the weights lie below", Contrast.PERCENTILE),
)
