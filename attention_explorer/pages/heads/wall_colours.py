"""The colours of all heads: one scale for all of them, and what its bar says."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from attention_explorer.core.map_picture import (
    ColourScale,
    Contrast,
    MapPicture,
    ScaleKind,
    end_text,
    score_scale,
    weight_scale,
)
from attention_explorer.pages.heads.state import HeadsView
from attention_explorer.pages.heads.survey import HeadSurvey

_ENDS = {Contrast.MAX: "largest of all", Contrast.PERCENTILE: "98 % of each head"}
"""What the end of the wall’s colours is called, for those contrasts under which it depends on the weights."""


def wall_scale(surveys: Iterable[HeadSurvey], contrast: Contrast) -> ColourScale:
    """Return the colours of all thumbnails: the same weight has the same colour in every head.

    They end no lower than at three even shares, 3/n for n keys: else heads that are all even would look strong.
    """
    surveys = tuple(surveys)
    computed = [survey for survey in surveys if survey.is_computed]
    effects = [survey.effect for survey in computed if survey.effect is not None]
    if effects:
        return score_scale(np.nan_to_num(effects), "change of the answer")
    differences = [survey.signed.largest for survey in computed if survey.signed is not None]
    if differences:
        return score_scale(np.array(differences), "A − B")
    if contrast not in _ENDS or not computed:
        return weight_scale(contrast, np.zeros((1, 1)), np.zeros((1, 1), np.bool_))
    largest = max(survey.end_under(contrast) for survey in computed)
    top = min(max(largest, 3.0 / min(survey.shape[1] for survey in computed)), 1.0)
    what = _ENDS[contrast] if largest >= top else "3 even shares"
    if len(computed) + sum(bool(survey.refusal) for survey in surveys) < len(surveys):
        what = what.replace("of all", "so far")
    return ColourScale(ScaleKind.LINEAR, 0.0, top, "weight", end=f"{end_text(top)}, {what}" if top < 1.0 else "")


def wall_legend(surveys: tuple[HeadSurvey, ...], view: HeadsView) -> MapPicture:
    """Return a picture of no cells that holds what the colour bar of a wall says."""
    masked = np.array([any(survey.pooled.masked.any() for survey in surveys if survey.is_computed)])
    return MapPicture(np.zeros((0, 0)), masked, wall_scale(surveys, view.contrast), view.colour_map, (), ())
