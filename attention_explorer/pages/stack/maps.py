"""Arrays of tokens by features, or of tokens by tokens, as maps for the pictures of the Layer page."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.colour_scale import ColourScale, Contrast, FloatArray, ScaleKind, weight_scale
from attention_explorer.core.map_picture import MapPicture


def feature_map(values: FloatArray, tokens: tuple[str, ...], *, end: float = 0.0) -> MapPicture:
    """Return values (n, features) as a map around 0, whose colours end at ``end`` or at the largest number."""
    largest = end or float(np.abs(values).max(initial=0.0)) or 1.0
    scale = ColourScale(ScaleKind.DIVERGING, -largest, largest, "")
    names = tuple(str(feature) for feature in range(values.shape[1]))
    return MapPicture(values, np.zeros(values.shape, np.bool_), scale, "viridis", tokens, names)


def weight_map(weights: FloatArray, masked: np.typing.NDArray[np.bool_], tokens: tuple[str, ...]) -> MapPicture:
    """Return weights (rows, keys) as a map from 0 to 1; the first rows of all tokens."""
    scale = weight_scale(Contrast.UNIT, weights, masked)
    return MapPicture(weights, masked, scale, "viridis", tokens[: len(weights)], tokens[: weights.shape[1]])
