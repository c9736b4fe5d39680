"""Pictures of how heads work together: who reads whom, and the circuit that was found."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from attention_explorer.core import numbers_export
from attention_explorer.core.numerals import plain, signed
from attention_explorer.kit.drawing.text_table import Column
from attention_explorer.kit.items.bars import Bar, NamedBars
from attention_explorer.kit.items.item import Arrays, Hit, Item, Value
from attention_explorer.kit.items.table import Table
from attention_explorer.kit.picture import Panel
from attention_explorer.kit.pictures.drawing import Change
from attention_explorer.pages.circuits import said, seen
from attention_explorer.pages.circuits import said_of_text as told
from attention_explorer.pages.circuits.seen import FoundSeen, ReadsSeen
from attention_explorer.pages.circuits.state import CircuitsState, Reads
from attention_explorer.pages.circuits.ui.asked import AskedPicture
from attention_explorer.pages.circuits.ui.graph import Edge, HeadGraph
from attention_explorer.pages.circuits.ui.heads import losses, with_head

READS, PAIRS, FOUND = "Who reads whom", "Joined most", "The heads of the circuit"
MOST_EDGES, MOST_PAIRS = 48, 5
"""Lines of the graph, and pairs beside it."""
INKS = {Reads.KEYS: "key", Reads.QUERIES: "query", Reads.VALUES: "value"}
COLUMNS = (
    Column("head", is_bold=True),
    Column("one back", is_right=True),
    Column("at what followed", is_right=True),
    Column("loss when off", is_right=True),
    Column("what it is", rank=1),
)


class ReadsPicture(AskedPicture):
    """Who reads whom, by the weights alone."""

    compute = staticmethod(seen.reads_seen)
    headline = staticmethod(told.reads_headline)
    axes = "writing layer, writing head, reading layer, reading head"
    truths = (
        "Weights know nothing of rotary positions, of how norms scale, nor of what networks do between.",
        "0 is what random heads of this size have.",
    )

    def shape(self, numbers: ReadsSeen) -> tuple[int, ...]:
        return numbers.scores.shape[:2]

    def item(self, numbers: ReadsSeen) -> Item[Any]:
        scores, count = numbers.scores, numbers.state.count
        pairs = told.strongest(scores, MOST_EDGES)
        top = pairs[0][2] if pairs else 1.0
        edges = tuple(Edge(writer, reader, score / top) for writer, reader, score in reversed(pairs))
        layers, heads = scores.shape[:2]
        names = tuple(tuple(said.name(count, (layer, head)) for head in range(heads)) for layer in range(layers))
        rows = tuple(map(count.layer, range(layers)))
        return HeadGraph(READS, rows, names, edges, numbers.head, INKS[numbers.state.reads])

    def panel(self, numbers: ReadsSeen) -> Panel:
        pairs, count = told.strongest(numbers.scores, MOST_PAIRS), numbers.state.count
        top = pairs[0][2] if pairs else 1.0
        bars = tuple(
            Bar("", score / top, signed(score), "", f"{said.name(count, writer)} → {said.name(count, reader)}")
            for writer, reader, score in pairs
        )
        items = (NamedBars(PAIRS, ("", "above chance"), bars, INKS[numbers.state.reads]),) if bars else ()
        by = told.READ_BY[numbers.state.reads]
        sentence = (
            f"How much of what a head writes a later one reads by its {by}, less what random heads have. From the "
            "weights alone: nothing was run. What breaks measures it."
        )
        return Panel(PAIRS, items, sentence)

    def says(self, numbers: ReadsSeen) -> tuple[str, ...]:
        return said.OF_WEIGHTS, said.how_counted(numbers.state.count)

    def words(self, numbers: ReadsSeen, hit: Hit) -> str:
        return told.pair_words(numbers, hit.part if hit.item == READS else numbers.head)

    def changed(self, state: CircuitsState, _numbers: object, hit: Hit, _to: Value) -> Change[CircuitsState] | None:
        return with_head(state, hit.part, state.count) if hit.item == READS else None

    def arrays(self, numbers: ReadsSeen) -> Arrays:
        return {numbers.state.reads.value: numbers.scores}


class Found(AskedPicture):
    """The circuit that copies: who looks back, who copies, and what breaks without them."""

    compute = staticmethod(seen.found_seen)
    stream = staticmethod(seen.found_stream)
    headline = staticmethod(said.found_headline)
    truths = ("Found on one random text that is said twice: other seeds can give other numbers.",)

    def item(self, numbers: FoundSeen) -> Item[Any]:
        found = numbers.finding
        rows = tuple(_row(numbers, head) for head in _heads(numbers))
        inks = tuple("key" if each in found.back else "value" if each in found.copy else "" for each in _heads(numbers))
        return Table(FOUND, COLUMNS, rows, inks)

    def panel(self, numbers: FoundSeen) -> Panel:
        found = numbers.finding
        named = (
            ("all on", found.all_on),
            (f"{len(found.others)} others", said.mean_loss_of_others(found)),
            ("back off", found.without_back),
            ("copy off", found.without_copy),
            ("first time", found.first),
        )
        return Panel("Loss on the copy", (losses(named),), said.found_in_short(numbers))

    def says(self, numbers: FoundSeen) -> tuple[str, ...]:
        return *said.found_sentences(numbers), said.MEASURED, said.how_counted(numbers.state.count)

    def words(self, numbers: FoundSeen, hit: Hit) -> str:
        if hit.item != FOUND or hit.part >= len(_heads(numbers)):
            return " ".join(said.found_sentences(numbers))
        head = _heads(numbers)[hit.part]
        row = dict(zip((column.title for column in COLUMNS), _row(numbers, head), strict=True))
        told_of = f"looks one back {row['one back']}, at what followed {row['at what followed']}"
        place = numbers.state.count.place(*head)
        return f"{place}: {told_of}; loss on the copy when off {row['loss when off']}. {said.MEASURED}"

    def changed(self, state: CircuitsState, numbers: FoundSeen, hit: Hit, _to: Value) -> Change[CircuitsState] | None:
        return with_head(state, _heads(numbers)[hit.part], state.count) if hit.item == FOUND else None

    def has(self, numbers: FoundSeen, hit: Hit) -> bool:
        return hit.item == FOUND and hit.part < len(_heads(numbers))

    def arrays(self, numbers: FoundSeen) -> Arrays:
        found = numbers.finding
        arrays = {"loss": found.loss, "previous": found.previous, "induction": found.induction, "joined": found.joined}
        return {name: np.asarray(array) for name, array in arrays.items()}

    def told(self, numbers: FoundSeen) -> dict[str, object]:
        found = numbers.finding
        named = {name: [list(each) for each in heads] for name, heads in found.named_heads().items()}
        known = {"all_on": found.all_on, "first": found.first}
        off = {"without_back": found.without_back, "without_copy": found.without_copy}
        return {**named, **known, **{name: loss for name, loss in off.items() if not math.isnan(loss)}}

    def lines(self, numbers: FoundSeen) -> numbers_export.Table:
        found = numbers.finding
        rows = []
        for head in _heads(numbers):
            scores = (float(np.asarray(array)[head]) for array in (found.previous, found.induction, found.loss))
            rows.append((*head, *scores, said.verdict(found, head)))
        return numbers_export.Table.of(("layer", "head", "previous", "induction", "loss_off", "it"), rows)


def _heads(numbers: FoundSeen) -> list[tuple[int, int]]:
    """Return the heads of the table: who looks back, who copies, and the others."""
    found = numbers.finding
    return list(dict.fromkeys((*found.back, *found.copy, *found.others)))


def _row(numbers: FoundSeen, head: tuple[int, int]) -> tuple[str, ...]:
    found = numbers.finding
    loss = float(np.asarray(found.loss)[head])
    scores = (plain(float(np.asarray(array)[head])) for array in (found.previous, found.induction))
    off = "…" if math.isnan(loss) else plain(loss)
    return said.name(numbers.state.count, head), *scores, off, said.verdict(found, head)
