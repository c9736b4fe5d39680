"""The pictures of the Scaling page in one table."""

from __future__ import annotations

from typing import Any

from attention_explorer.kit.pictures.drawing import PictureDrawing, stacked_below
from attention_explorer.pages.scaling.bench import BenchPicture, bench_numbers, bench_picture
from attention_explorer.pages.scaling.growth import growth_numbers, growth_picture, growth_stream, is_measured
from attention_explorer.pages.scaling.scores import is_quick, scores_numbers, scores_picture, scores_stream
from attention_explorer.pages.scaling.state import ScalingPicture, ScalingState
from attention_explorer.pages.scaling.ui.bench_hand import (
    bench_click,
    bench_drag,
    bench_grab,
    bench_press,
    bench_spot,
    bench_words,
)
from attention_explorer.pages.scaling.ui.bench_layout import NARROW, bench_layout
from attention_explorer.pages.scaling.ui.growth_picture import (
    QUANTITIES,
    growth_click,
    growth_layout,
    growth_spot,
    growth_words,
    mark_growth,
    paint_growth,
)
from attention_explorer.pages.scaling.ui.notes import bench_notes, growth_notes, scores_notes
from attention_explorer.pages.scaling.ui.scores_layout import TABLE_BESIDE_FROM, scores_layout
from attention_explorer.pages.scaling.ui.scores_picture import (
    mark_scores,
    paint_scores,
    scores_parts,
    scores_spot,
    scores_words,
    with_d_k_moved,
)
from attention_explorer.pages.scaling.ui.softmax_bench_picture import mark_bench, paint_bench, paint_given_bench


def _bench_of(state: ScalingState, _tiles: tuple[int, int]) -> BenchPicture:
    return bench_picture(state.bench)


DRAWINGS: dict[ScalingPicture, PictureDrawing[ScalingState, Any, Any]] = {
    ScalingPicture.SCORES: PictureDrawing(
        scores_picture,
        scores_layout,
        paint_scores,
        mark_scores,
        scores_spot,
        scores_words,
        scores_notes,
        press=with_d_k_moved,
        is_quick=is_quick,
        stream=scores_stream,
        uses_pixels=False,
        numbers=scores_numbers,
        parts=scores_parts,
        height=stacked_below(TABLE_BESIDE_FROM, 1.35),
    ),
    ScalingPicture.GROWTH: PictureDrawing(
        growth_picture,
        growth_layout,
        paint_growth,
        mark_growth,
        growth_spot,
        growth_words,
        growth_notes,
        click=growth_click,
        press=with_d_k_moved,
        is_quick=is_measured,
        stream=growth_stream,
        uses_pixels=False,
        numbers=growth_numbers,
        parts=lambda _picture: tuple(title for _, title in QUANTITIES),
    ),
    ScalingPicture.BENCH: PictureDrawing(
        _bench_of,
        bench_layout,
        paint_bench,
        mark_bench,
        bench_spot,
        bench_words,
        bench_notes,
        click=bench_click,
        grab=bench_grab,
        drag=bench_drag,
        press=bench_press,
        uses_pixels=False,
        numbers=bench_numbers,
        height=stacked_below(NARROW, 1.35),
        paint_given=paint_given_bench,
    ),
}
