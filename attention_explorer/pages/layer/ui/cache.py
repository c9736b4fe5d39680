"""Decoding with a KV cache: keys and values that grow by a row, what each step costs, and what comes out."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

from attention_explorer.core.numerals import percent
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.columns import Above, Beside
from attention_explorer.kit.items.item import Hit, Item, Value
from attention_explorer.kit.items.map import RowsMap
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import At, Axis, Bars, Handle, Mark
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.items.words import Reading, Readings
from attention_explorer.kit.picture import Panel, Picture
from attention_explorer.kit.pictures.pointed_picture import Change
from attention_explorer.pages.layer import cache
from attention_explorer.pages.layer.cache import CachePicture, decoded_shown, flops_text, with_decoded
from attention_explorer.pages.stack.learned import steps_to_learn
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.stack.wording import model_parts, stack_parts

MAPS = "Keys kept", "Values kept", "Weights of each step"
WORK, COMPARED = "Arithmetic of each step", "With the cache, and without"
INKS = ("key_ink", "value_ink", "text")


class Cache(Picture[BlockState, CachePicture]):
    """Keys, values and weights of the tokens so far, above what each step costs; Left and Right decode."""

    truths = (
        "A cache changes the work, not the result. Under a causal mask the keys and values of earlier tokens never "
        "change, so they can be kept. That takes memory.",
    )
    follows = False
    compute = staticmethod(cache.cache_picture)
    is_quick = staticmethod(cache.is_quick)
    checkpoints = staticmethod(steps_to_learn)
    arrays = staticmethod(cache.cache_numbers)

    def made_of(self, state: BlockState) -> tuple[str, ...]:
        layer = () if state.layer_count == 1 else (state.count.layer(state.layer_shown),)
        head = () if state.head_count == 1 else (state.count.head(state.head_shown),)
        shown = f"{decoded_shown(state)} of {state.token_count} tokens"
        counted = (state.count.words,) if layer or head else ()
        shown_model = state.model_shown
        plain = BlockState(model=shown_model, count=state.count)  # what is masked or cut in the diagram is not here
        parts = stack_parts(state) if shown_model is None else model_parts(plain, shown_model)
        return *parts, "decoded causally", shown, *layer, *head, *counted

    def is_step(self, shown: BlockState, wanted: BlockState) -> bool:
        """Whether all steps have been decoded already."""
        return cache.is_known(wanted)

    def headline(self, numbers: CachePicture) -> str:
        return cache.cache_sentences(numbers)[0] + "."

    def says(self, numbers: CachePicture) -> tuple[str, ...]:
        return cache.cache_sentences(numbers)[2:]

    def item(self, numbers: CachePicture) -> Above:
        head = numbers.state.count.head(numbers.state.head_shown)
        titles = f"K of {head}", f"V of {head}", "weights"
        width, count = numbers.decoding.k[0].shape[2], numbers.state.count
        details = (
            *(f"({numbers.decoded}, {width})  feature 0…{width - 1} →",) * 2,
            f"({numbers.decoded}, {len(numbers.tokens)})  key {count.first}…{count.number(len(numbers.tokens) - 1)} →",
        )
        maps = tuple(
            RowsMap(name, map_, title=title, detail=detail, ink=ink, framed_row=numbers.decoded - 1, has_bar=False)
            for name, map_, title, detail, ink in zip(MAPS, numbers.maps, titles, details, INKS, strict=True)
        )
        return Above((Beside(maps, narrow=420), self._work(numbers)), (0.66, 0.34))

    def _work(self, numbers: CachePicture) -> Plot:
        steps, top = len(numbers.tokens), float(numbers.work.anew.max())
        first = numbers.state.count.first
        places = [float(first + step) for step in range(steps)]
        marks = list[Mark]()
        for tops, name, ink, opacity in (
            (numbers.work.anew, "without the cache", "muted", 0.35),
            (numbers.work.cached, "with the cache", "text", 0.85),
        ):
            for start, end, faint in ((0, numbers.decoded, 1.0), (numbers.decoded, steps, 0.3)):
                if start < end:
                    lows, highs = [x - 0.36 for x in places[start:end]], [x + 0.36 for x in places[start:end]]
                    said = "" if start else name
                    marks.append(Bars(lows, highs, tops[start:end].tolist(), said, ink, opacity * faint))
        marks.append(Handle("decoded", places[numbers.decoded - 1], stops=places))
        across = Axis(first - 0.5, first + steps - 0.5, "token decoded", is_whole=True)
        return Plot(WORK, across, Axis(0.0, 1.08 * top, "FLOPs a step"), tuple(marks), snap=round)

    def panel(self, numbers: CachePicture) -> Panel:
        kept = flops_text(float(numbers.numbers_held))
        readings = Reading(percent(numbers.saved), "of FLOPs saved"), Reading(kept, "numbers kept")
        word = numbers.state.count.token(numbers.tokens[numbers.decoded - 1], numbers.decoded - 1)
        sentence = cache.cache_sentences(numbers)[1]
        return Panel(f"{word} came last", (Readings("Saved and kept", readings, size=24.0),), sentence)

    def words(self, numbers: CachePicture, hit: Hit) -> str:
        if hit.item == WORK:
            first = numbers.state.count.first
            step = round(hit.part.x) - first if isinstance(hit.part, At) else numbers.decoded - 1
            return cache.step_words(numbers, step)
        return cache.cache_words(numbers, MAPS.index(hit.item), *hit.part) if hit.item in MAPS else ""

    def table(self, numbers: CachePicture) -> Item[Any]:
        columns = Column(""), Column("with cache", is_right=True, is_bold=True), Column("without", is_right=True)
        return Table(COMPARED, columns, cache.table_rows(numbers), fills=False)

    def changed(self, state: BlockState, _numbers: CachePicture, hit: Hit, to: Value) -> Change[BlockState] | None:
        """Decode up to the row that is clicked, or the step."""
        if hit.item == WORK:
            return None if to is None else _decoded(state, round(to[0]) - state.count.first + 1)
        return _decoded(state, hit.part[0] + 1) if hit.item in MAPS else None

    def press(self, state: BlockState, numbers: CachePicture, key: int) -> Change[BlockState] | None:
        """Right decodes the next token, left forgets the newest; Home and End go to the ends."""
        now = decoded_shown(state)
        wanted = {
            Qt.Key.Key_Right: now + 1,
            Qt.Key.Key_Left: now - 1,
            Qt.Key.Key_Home: 1,
            Qt.Key.Key_End: len(numbers.tokens),
        }.get(Qt.Key(key))
        return None if wanted is None else _decoded(state, wanted)


def _decoded(state: BlockState, decoded: int) -> Change[BlockState] | None:
    new = with_decoded(state, decoded)
    if new.decoded == decoded_shown(state):
        return None
    return Change(new, f"Decode {new.decoded} token{'' if new.decoded == 1 else 's'}", "decoded")
