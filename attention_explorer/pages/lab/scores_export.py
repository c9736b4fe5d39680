"""The numbers of the pictures of scores as files, with the settings they were made with."""

from __future__ import annotations

from dataclasses import asdict

from attention_explorer import __version__
from attention_explorer.core.numbers_export import Arrays, Numbers, array_table
from attention_explorer.errors import ExportError
from attention_explorer.pages.lab.scores_state import ScalingPicture, ScalingState
from attention_explorer.pages.lab.scores_wording import picture_title, settings_words

_AXES = {
    ScalingPicture.SCORES: "histogram: left edge, right edge, count; measured quantities: value, standard error",
    ScalingPicture.GROWTH: "one row for each d_k; measured quantities: value, standard error",
    ScalingPicture.BENCH: "row = query, column = key",
}


def scaling_numbers(state: ScalingState, arrays: Arrays) -> Numbers:
    """Return the arrays of a picture, the main one first; the table has a line a number.

    Raises
    ------
    ExportError
        There is nothing to export.
    """
    if not arrays:
        raise ExportError("There are no numbers to export yet. Wait for the picture.")
    bench_only = state.picture is ScalingPicture.BENCH
    settings = asdict(state)
    kept = ("picture", "bench", "preset") if bench_only else tuple(name for name in settings if name != "bench")
    parameters = {
        "program": f"Attention Explorer {__version__}",
        "what": f"{picture_title(state)}. {settings_words(state)}",
        "picture": state.picture.value,
        "axes": _AXES[state.picture],
        "settings": {name: settings[name] for name in kept},
    }
    return Numbers(array_table(arrays), {**parameters, **arrays}, arrays, parameters)
