"""Pictures of what a model reads: where its answer is decided, who wrote it, which words made it, and twins."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from attention_explorer.core.map_picture import ColourScale, MapPicture, ScaleKind, score_scale
from attention_explorer.core.numerals import plain, signed
from attention_explorer.kit.items.bars import Bar, NamedBars
from attention_explorer.kit.items.map import RowsMap
from attention_explorer.kit.items.plot import Plot
from attention_explorer.kit.items.plot_marks import At, Axis, Bars, Line, Mark, Points, widened
from attention_explorer.kit.items.words import Reading, Readings
from attention_explorer.kit.picture import Arrays, Change, Hit, Item, Panel, Value
from attention_explorer.pages.circuits import said, seen
from attention_explorer.pages.circuits import said_of_text as told
from attention_explorer.pages.circuits.seen import DecidedSeen, TwinsSeen, WordsSeen, WritesSeen
from attention_explorer.pages.circuits.state import CircuitsState, PutIn
from attention_explorer.pages.circuits.ui.heads import AskedPicture, names_of, with_head
from attention_explorer.sources.circuits.asking import word_of

DECIDED, TOP, WRITES, WORDS, TWINS = (
    "Words by layer",
    "Most probable words",
    "What each part wrote",
    "What each word does",
    "What brings the answer over",
)


class Decided(AskedPicture):
    """Where it is decided: layers by words, in each cell the most probable next word."""

    compute = staticmethod(seen.decided_seen)
    headline = staticmethod(told.decided_headline)
    axes = "row (0: before the first layer), token, rank"
    truths = ("What is read off a lower layer was never meant to be read so: only the last row is the model’s own.",)

    def shape(self, numbers: DecidedSeen) -> tuple[int, ...]:
        return numbers.decided.probabilities.shape[:2]

    def item(self, numbers: DecidedSeen) -> Item[Any]:
        found = numbers.decided
        top = found.probabilities[:, :, 0]
        rows = tuple(told.row_name(numbers, row) for row in range(len(top)))
        scale = ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "probability")
        picture = MapPicture(top, np.zeros(top.shape, np.bool_), scale, "viridis", rows, found.tokens)
        words = tuple(tuple(cell[0] for cell in row) for row in found.words)
        title = "Said next, if it ended there"
        return RowsMap(
            DECIDED, picture, title=title, detail="measured", names_columns=True, words=words, chosen=numbers.cell
        )

    def panel(self, numbers: DecidedSeen) -> Panel:
        row, position = numbers.cell
        words, chances = numbers.decided.words[row][position], numbers.decided.probabilities[row, position].tolist()
        pairs = enumerate(zip(words, chances, strict=True))
        bars = tuple(Bar("", chance, plain(chance), "", word, at == 0) for at, (word, chance) in pairs)
        title = f"Next to “{word_of(numbers.decided.tokens[position])}”, {told.row_place(numbers, row)}"
        sentence = "The last norm and matrix read what is known so far. Click a cell: the other views ask there too."
        return Panel(title, (NamedBars(TOP, ("", "probability"), bars, "output"),), sentence)

    def says(self, _numbers: DecidedSeen) -> tuple[str, ...]:
        return (said.MEASURED,)

    def words(self, numbers: DecidedSeen, hit: Hit) -> str:
        row, position = hit.part if hit.item == DECIDED else numbers.cell
        return told.cell_words(numbers, row, position)

    def changed(self, state: CircuitsState, _numbers: object, hit: Hit, _to: Value) -> Change[CircuitsState] | None:
        if hit.item != DECIDED:
            return None
        row, position = hit.part
        return Change(replace(state, layer=max(row - 1, 0), position=position), "Ask at another token", "position")

    def arrays(self, numbers: DecidedSeen) -> Arrays:
        words = np.array(numbers.decided.words)
        return {
            "probabilities": numbers.decided.probabilities,
            "words": words,
            "tokens": np.array(numbers.decided.tokens),
        }


class Writes(AskedPicture):
    """Who writes it: bars that add up."""

    compute = staticmethod(seen.writes_seen)
    headline = staticmethod(told.writes_headline)
    says = staticmethod(lambda _numbers: (said.SPLIT,))

    def has(self, numbers: WritesSeen, hit: Hit) -> bool:
        at = _at(hit)
        return at is not None and at < len(told.parts(numbers))

    def item(self, numbers: WritesSeen) -> Item[Any]:
        parts = told.parts(numbers)
        values = [part.value for part in parts]
        so_far = np.cumsum(values)
        low, high = widened(min(0.0, float(so_far.min()), *values), max(0.0, float(so_far.max()), *values))
        places = tuple(float(at) for at in range(len(values)))
        ticks = tuple((float(at), part.short) for at, part in enumerate(parts))
        marks: list[Mark] = [Line(0.0, level=True, ink="axis", dash=(0.0, 0.0))]
        for name, ink, wanted in (("for the answer", "value", 1.0), ("against it", "loss", -1.0)):
            own = [at for at, value in enumerate(values) if value * wanted > 0.0]
            lows, highs = [at - 0.36 for at in own], [at + 0.36 for at in own]
            marks.append(Bars(lows, highs, [values[at] for at in own], name, ink, 0.85))
        marks.append(Points("sum so far", places, so_far.tolist(), size=3.5, is_joined=True))
        across = Axis(-0.5, len(values) - 0.5, "part, from below (measured)", ticks=ticks)
        up = Axis(low, high, "logits", grid=True)
        return Plot(WRITES, across, up, tuple(marks), snap=round, stops=places)

    def panel(self, numbers: WritesSeen) -> Panel:
        answer, found = numbers.written.answer, numbers.written.parts
        readings = (
            Reading(signed(found.total), "difference of logits"),
            Reading(plain(answer.probability), "its probability", "output_ink"),
        )
        title = told.asked_words(answer, numbers.state.count)
        return Panel(title, (Readings("The answer", readings, 26),), told.writes_sentence(numbers))

    def words(self, numbers: WritesSeen, hit: Hit) -> str:
        at = _at(hit)
        return told.writes_headline(numbers) if at is None else told.part_words(numbers, at)

    def changed(self, state: CircuitsState, numbers: WritesSeen, hit: Hit, _to: Value) -> Change[CircuitsState] | None:
        at = _at(hit)
        part = None if at is None else told.parts(numbers)[at]
        return None if part is None or part.head is None else with_head(state, part.head, state.count)

    def arrays(self, numbers: WritesSeen) -> Arrays:
        found = numbers.written.parts
        rest = np.array([found.embedding, found.rest, found.total])
        return {
            "heads": np.asarray(found.heads),
            "networks": np.asarray(found.networks),
            "embedding_biases_total": rest,
        }


def _at(hit: Hit) -> int | None:
    return round(hit.part.x) if hit.item == WRITES and isinstance(hit.part, At) else None


class Words(AskedPicture):
    """Which words made it: what is measured, the estimate, and how far that is off, under the sentence."""

    compute = staticmethod(seen.words_seen)
    headline = staticmethod(told.words_headline)
    axes = "token"
    truths = (
        "A gradient says what a small change would do. Where a softmax gives nearly all to one "
        "key, that is next to nothing.",
    )

    def shape(self, numbers: WordsSeen) -> tuple[int, ...]:
        return 3, len(told.tokens_of(numbers))

    def item(self, numbers: WordsSeen) -> Item[Any]:
        measured, estimate = told.made_arrays(numbers)
        rows = np.stack([measured, estimate, estimate - measured])
        names = "measured", "estimate", "off by"
        scale = score_scale(rows, "change of the answer")
        picture = MapPicture(rows, np.zeros(rows.shape, np.bool_), scale, "viridis", names, told.tokens_of(numbers))
        return RowsMap(
            WORDS, picture, title="Lost without the word", detail="run again, and gradient × input", names_columns=True
        )

    def panel(self, numbers: WordsSeen) -> Panel:
        measured, _ = told.made_arrays(numbers)
        answer, tokens = numbers.made.answer, told.tokens_of(numbers)
        order = np.argsort(-np.abs(measured), kind="stable")[:5].tolist()
        top = float(np.abs(measured).max()) or 1.0
        listed, named = numbers.state.count.listed, tuple(map(word_of, tokens))
        bars = tuple(
            Bar("", abs(float(measured[at])) / top, signed(float(measured[at])), "", listed(named, at)) for at in order
        )
        title = told.asked_words(answer, numbers.state.count)
        return Panel(
            title, (NamedBars("Largest, measured", ("", "measured"), bars, "key"),), told.words_sentence(numbers)
        )

    def says(self, _numbers: WordsSeen) -> tuple[str, ...]:
        return said.MEASURED, said.ESTIMATE

    def words(self, numbers: WordsSeen, hit: Hit) -> str:
        return told.word_words(numbers, hit.part[1]) if hit.item == WORDS else told.words_headline(numbers)

    def arrays(self, numbers: WordsSeen) -> Arrays:
        measured, estimate = told.made_arrays(numbers)
        return {"measured": measured, "estimate": estimate, "tokens": np.array(told.tokens_of(numbers))}


class Twins(AskedPicture):
    """What brings the answer of a sentence into its twin."""

    compute = staticmethod(seen.twins_seen)
    stream = staticmethod(seen.twins_stream)
    headline = staticmethod(told.twins_headline)
    axes = "layer, token or head"

    def shape(self, numbers: TwinsSeen) -> tuple[int, ...]:
        return numbers.brought.effect.shape

    def item(self, numbers: TwinsSeen) -> Item[Any]:
        found, state = numbers.brought, numbers.state
        missing = np.isnan(found.effect)
        rows, columns = names_of(state.count, found.effect.shape)
        if state.put_in is not PutIn.HEAD:
            rows = tuple(map(state.count.layer, range(len(rows))))
            pairs = zip(found.tokens, found.twin, strict=True)
            columns = tuple(
                word_of(own) if own == other else f"{word_of(other)}←{word_of(own)}" for own, other in pairs
            )
        values = np.where(missing, 0.0, found.effect)
        scale = ColourScale(ScaleKind.LINEAR, 0.0, 1.0, "of the way")
        picture = MapPicture(values, missing, scale, "viridis", rows, columns, masked_word="not measured yet")
        chosen = seen.head_in(state, found.effect.shape) if state.put_in is PutIn.HEAD else None
        return RowsMap(TWINS, picture, title="Put into the twin", detail="measured", names_columns=True, chosen=chosen)

    def panel(self, numbers: TwinsSeen) -> Panel:
        low, high = numbers.brought.ends
        at = said.largest(numbers.brought.effect)
        readings = [Reading(signed(low, 1), "the twin"), Reading(signed(high, 1), "the sentence")]
        if at is not None:
            after = low + float(numbers.brought.effect[at]) * (high - low)
            readings.insert(1, Reading(signed(after, 1), "best cell", "output_ink"))
        title = f"Logit of {said.over(numbers.brought.words)}"
        return Panel(title, (Readings("The answer moving", tuple(readings), 24),), told.twins_sentence(numbers))

    def says(self, _numbers: TwinsSeen) -> tuple[str, ...]:
        return (said.MEASURED,)

    def words(self, numbers: TwinsSeen, hit: Hit) -> str:
        return told.effect_words(numbers, *hit.part) if hit.item == TWINS else told.twins_headline(numbers)

    def changed(self, state: CircuitsState, _numbers: object, hit: Hit, _to: Value) -> Change[CircuitsState] | None:
        is_head = hit.item == TWINS and state.put_in is PutIn.HEAD
        return with_head(state, hit.part, state.count) if is_head else None

    def arrays(self, numbers: TwinsSeen) -> Arrays:
        return {"effect": numbers.brought.effect, "ends": np.array(numbers.brought.ends)}

    def told(self, numbers: TwinsSeen) -> dict[str, object]:
        return {"answers": list(numbers.brought.words), "tokens": list(numbers.brought.tokens)}
