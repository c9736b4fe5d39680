"""Which rows move when one token is replaced: every level of the stack as a column, with and without a mask."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from attention_explorer.core.map_picture import SEQUENTIAL, ColourScale, FloatArray, MapPicture, ScaleKind
from attention_explorer.core.numerals import size_text
from attention_explorer.kit.drawing.colour_maps import pixels_of, readable_ink
from attention_explorer.kit.drawing.heatmap_layout import HeatmapLayout
from attention_explorer.kit.drawing.marks import colour_of, text_size
from attention_explorer.kit.items.columns import Above, Beside
from attention_explorer.kit.items.item import TURNS, Hit, Value
from attention_explorer.kit.items.map import RowsMap
from attention_explorer.kit.items.words import Reading, Readings, Title
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.pointed_picture import Change
from attention_explorer.kit.theme import Look
from attention_explorer.pages.layer import future
from attention_explorer.pages.layer.future import NOISE, FuturePicture, changed_shown
from attention_explorer.pages.stack.learned import steps_to_learn
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.stack.wording import model_parts, stack_parts

MASKS = {True: "What changes with the mask", False: "What changes without the mask"}
LEVELS = 18
"""Pixels at zoom 1 of the names of the levels."""
SAME = "="
LEGEND = "= same bits; else the largest change, on a log scale"


@dataclass(frozen=True, slots=True, eq=False)
class ChangeMap(RowsMap):
    """How far each row has moved at each level: grey where every bit is as it was, else the brighter the more.

    Attributes
    ----------
    texts : tuple of tuple of str
        What stands in each cell, row by row, where there is room.
    """

    texts: tuple[tuple[str, ...], ...] = ()

    def layout(self, look: Look, box: QRectF) -> HeatmapLayout:
        layout = super(ChangeMap, self).layout(look, box)
        return replace(layout, cells=layout.cells.adjusted(0, look.px(LEVELS), 0, 0))

    def paint_values(self, painter: QPainter, layout: HeatmapLayout, look: Look, *, vector: bool) -> None:
        picture, gap = self.picture, 1.0 if min(layout.cell_width, layout.cell_height) >= look.px(7) else 0.0
        pixels = pixels_of(picture.positions, picture.masked, picture.colour_map, look.theme.track)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setFont(look.font(12))
        widest = max(text_size(look.font(12), text)[0] for row in self.texts for text in row)
        writes = widest + 4 <= layout.cell_width and look.px(14) <= layout.cell_height
        for row, texts in enumerate(self.texts):
            for column, text in enumerate(texts):
                cell, pixel = layout.rectangle(row, column), int(pixels[row, column])
                painter.fillRect(cell.adjusted(0, 0, -gap, -gap), QColor.fromRgb(pixel))
                if writes or (text == SAME and min(layout.cell_width, layout.cell_height) >= look.px(11)):
                    painter.setPen(colour_of(look.theme.muted) if text == SAME else readable_ink(pixel))
                    painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)
        self._paint_levels(painter, layout, look)

    def _paint_levels(self, painter: QPainter, layout: HeatmapLayout, look: Look) -> None:
        painter.setFont(look.font(12))
        painter.setPen(colour_of(look.theme.muted))
        names = self.picture.column_tokens
        if any(text_size(look.font(12), name)[0] > layout.cell_width for name in names):
            names = tuple(name.removeprefix("layer ") for name in names)
        taken = -1.0
        for column, name in enumerate(names):
            middle, half = layout.rectangle(0, column).center().x(), text_size(look.font(12), name)[0] / 2 + 2
            if middle - half > taken:
                place = QRectF(middle - half, layout.cells.top() - look.px(LEVELS), 2 * half, look.px(LEVELS - 1))
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, name)
                taken = middle + half


class Future(Picture[BlockState, FuturePicture]):
    """Both masks beside one another; a click on a row, or Up and Down, replaces another token."""

    truths = (
        "“The model literally cannot attend to future tokens”: true to the last bit under a causal mask. Masked "
        "weights are exactly 0, and everything else works position by position.",
        "Without a mask a change can reach every row: each token attends to the one replaced, if only a little.",
    )
    follows = False
    compute = staticmethod(future.future_picture)
    is_quick = staticmethod(future.is_quick)
    checkpoints = staticmethod(steps_to_learn)
    arrays = staticmethod(future.future_numbers)

    def made_of(self, state: BlockState) -> tuple[str, ...]:
        replaced = f"token {state.count.number(changed_shown(state))} replaced by noise × {NOISE:g}"
        if state.model_shown is not None:  # what is masked or cut in the diagram is not here
            return *model_parts(BlockState(model=state.model_shown), state.model_shown), replaced, state.count.words
        return *stack_parts(state), "with a causal mask and without one", replaced, state.count.words

    def headline(self, numbers: FuturePicture) -> str:
        return future.future_sentences(numbers)[0] + "."

    def says(self, numbers: FuturePicture) -> tuple[str, ...]:
        return future.future_sentences(numbers)[3:]

    def item(self, numbers: FuturePicture) -> Above:
        maps = tuple(self._map(numbers, causal) for causal in (True, False) if causal in numbers.moved)
        return Above((Beside(maps, narrow=520), Title("What cells mean", LEGEND, "muted", 12.0, bold=False)), gap=6.0)

    def _map(self, numbers: FuturePicture, causal: bool) -> ChangeMap:
        moved, state = numbers.moved[causal], numbers.state
        same, shares = (moved.numbers == 0).T, _shares(numbers, moved.change.T)
        names = tuple(future.level_name(level, state.count) for level in range(numbers.layers + 1))
        low, high = numbers.smallest, numbers.largest
        scale = ColourScale(ScaleKind.LINEAR, low, high, "largest change of a row (log)", end=size_text(high))
        texts = tuple(
            tuple(SAME if kept else size_text(float(change)) for change, kept in zip(row, keeps, strict=True))
            for row, keeps in zip(moved.change.T, same, strict=True)
        )
        return ChangeMap(
            MASKS[causal],
            MapPicture(low + shares * (high - low), same, scale, SEQUENTIAL[0], numbers.tokens, names),
            title="Causal mask" if causal else "No mask",
            detail=future.count_text(numbers, causal),
            framed_row=numbers.token,
            texts=texts,
            has_bar=False,
        )

    def panel(self, numbers: FuturePicture) -> Panel:
        readings = tuple(
            Reading(str(numbers.moved[causal].same_rows(-1)), f"rows stay, {'causal' if causal else 'no mask'}")
            for causal in (True, False)
            if causal in numbers.moved
        )
        word = numbers.state.count.token(numbers.tokens[numbers.token], numbers.token)
        sentences = future.future_sentences(numbers)
        return Panel(f"{word} is replaced", (Readings("Rows that stay", readings, size=24.0),), sentences[2])

    def words(self, numbers: FuturePicture, hit: Hit) -> str:
        return future.future_words(numbers, hit.item == MASKS[True], *hit.part)

    def changed(self, state: BlockState, numbers: FuturePicture, hit: Hit, _to: Value) -> Change[BlockState] | None:
        return _replaced(state, hit.part[0], len(numbers.tokens))

    def press(self, state: BlockState, numbers: FuturePicture, key: int) -> Change[BlockState] | None:
        step, count = sum(TURNS.get(key, (0, 0))), len(numbers.tokens)
        return _replaced(state, changed_shown(state, count) + step, count) if step else None


def _replaced(state: BlockState, token: int, count: int) -> Change[BlockState] | None:
    held = min(max(token, 0), count - 1)
    if held == changed_shown(state, count):
        return None
    return Change(replace(state, changed_token=held), f"Replace token {state.count.number(held)}", "replaced token")


def _shares(numbers: FuturePicture, change: FloatArray) -> FloatArray:
    """Return where changes stand on the colour bar, whose ends are powers of the smallest and largest."""
    low, high = np.log(numbers.smallest), np.log(numbers.largest)
    return np.asarray(np.clip((np.log(np.maximum(change, 1e-300)) - low) / max(high - low, 1e-9), 0.0, 1.0))
