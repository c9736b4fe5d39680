"""The validation table of circuits: each method, what it is compared with, and the largest deviation from that."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from attention_explorer.model.transformer import Change
from attention_explorer.sources.circuits.detect import random_texts
from attention_explorer.sources.circuits.lens import decided
from attention_explorer.sources.models import Model, Trace, load_model

MODELS = Path(__file__).parents[1] / "data" / "models"
FAMILIES = "gpt2", "llama", "qwen3"
IDS, TWIN = [5, 17, 3, 29, 1, 7, 22, 5], [5, 17, 30, 29, 1, 7, 22, 6]
A, B = 11, 23
AGAIN, WHOLE, NUDGED, SUMS, MATRICES = (
    "each place run anew, from the first layer",
    "all layers through the last norm and matrix",
    "finite differences of the whole run",
    "the number that the model computed",
    "products of whole matrices",
)
HEADER = ("method", "compared with", "families", "numbers", "largest deviation", "bound", "")
STEP = 1e-2
"""Of finite differences, in float32."""
Pairs = Iterator[tuple[npt.ArrayLike, npt.ArrayLike]]


@dataclass(frozen=True)
class Row:
    """A method with its reference: pairs of what it gives and what it should be, and how far these may be apart."""

    method: str
    reference: str
    bound: float
    pairs: Callable[[Model], Pairs]
    families: tuple[str, ...] = FAMILIES


def _answer(trace: Trace, position: int = -1) -> float:
    assert trace.logits is not None
    row = trace.logits[position].astype(np.float64)
    return float(row[A] - row[B])


def _loss(trace: Trace, positions: range) -> float:
    assert trace.logits is not None
    wide = trace.logits.astype(np.float64)
    logs = wide - wide.max(1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(1, keepdims=True))
    return -float(np.mean([logs[at - 1, trace.ids[at]] for at in positions]))


def _shape(model: Model) -> tuple[int, int]:
    return len(model.transformer.main.layers), model.transformer.main.spec.heads


def _detect(model: Model) -> Pairs:
    found, shape = model.detect([IDS]), _shape(model)
    weights = np.stack([*model(IDS).weights]).astype(np.float64)
    n = len(IDS)
    yield found.previous, [[w[range(1, n), range(n - 1)].mean() for w in layer] for layer in weights]
    yield found.sink, [[w[1:, 0].mean() for w in layer] for layer in weights]
    total = np.zeros(shape)
    texts = random_texts(model, 0)
    for text in texts:
        half = len(text) // 2
        for layer, maps in enumerate(model(text).weights):
            total[layer] += [w[range(half, 2 * half), range(1, half + 1)].mean() / len(texts) for w in maps]
    yield found.induction, total


def _knock_out(model: Model) -> Pairs:
    before = _answer(model(IDS))
    shape = _shape(model)
    truth = [[_answer(model(IDS, off=[(a, b)])) - before for b in range(shape[1])] for a in range(shape[0])]
    yield model.knock_out(IDS, (A, B)), truth


def _patch(model: Model) -> Pairs:
    text, twin = model(IDS), model(TWIN)
    low, high = _answer(twin), _answer(text)
    truth = np.zeros((_shape(model)[0], len(IDS)))
    for layer, at in np.ndindex(truth.shape):
        change = Change("residual", layer, position=at, value=text.part("residual", layer)[at])
        run = model.run(*model.taken(TWIN), changes=[change], insists=False)
        truth[layer, at] = (_answer(model.traced(*model.taken(TWIN), run)) - low) / (high - low)
    yield model.patch(IDS, TWIN, (A, B)), truth


def _lens(model: Model) -> Pairs:
    trace = model(IDS)
    norm, matrix = model.final_norm, model.unembed.decode.weight.astype(np.float64)
    rows = [norm(row[-1][None])[0] for row in trace.hidden[:-1]] + [trace.hidden[-1][-1]]
    logits = np.stack(rows).astype(np.float64) @ matrix
    powers = np.exp(logits - logits.max(1, keepdims=True))
    truth = powers / powers.sum(1, keepdims=True)
    yield trace.lens().probabilities, truth
    yield decided(trace, 1).probabilities[:, -1, 0], truth.max(axis=1)


def _contributions(model: Model) -> Pairs:
    trace = model(IDS)
    found = trace.contributions(A, B)
    yield found.total, _answer(trace)
    yield found.sum(), _answer(trace)


def _writers(model: Model) -> Pairs:
    trace = model(IDS)
    scores = np.stack([trace.part("scores", layer) for layer in range(_shape(model)[0])])
    last = len(scores) - 1
    for head, (query, key) in product(range(_shape(model)[1]), ((7, 2), (5, 5), (3, 0))):
        found = trace.writers(last, head, query, key)
        yield [found.key.sum(), found.query.sum()], [scores[last, head, query, key]] * 2


def _words(model: Model) -> Pairs:
    trace = model(IDS)
    layers = list(range(_shape(model)[0]))
    truth = [_answer(trace) - _answer(model(IDS, changes=[Change("v", layers, position=at)])) for at in range(len(IDS))]
    yield trace.words(A, B).measured, truth


def _gradients(model: Model) -> Pairs:
    trace = model(IDS)
    given = trace.gradients((A, B)).main
    draw = np.random.default_rng(0)
    for layer, at in ((0, 2), (1, 7)):
        way = draw.standard_normal(trace.hidden[0].shape[1]).astype(np.float32)
        way /= np.float32(np.linalg.norm(way))
        ends = [
            _answer(model(IDS, changes=[Change("residual", layer, position=at, value=sign * STEP * way, how="add")]))
            for sign in (1.0, -1.0)
        ]
        yield given.layers[layer].residual[at] @ way, (ends[0] - ends[1]) / (2 * STEP)


def _composition(model: Model) -> Pairs:
    found = model.composition()
    for low, high in ((0, 1), (0, len(model.transformer.main.layers) - 1)):
        for a, b in product(range(_shape(model)[1]), repeat=2):
            writer, reader = (model.weights(*at, folded=True) for at in ((low, a), (high, b)))
            wrote = writer.v.astype(np.float64) @ writer.o
            read = reader.k.astype(np.float64) @ reader.q.T
            share = np.linalg.norm(wrote @ read) / (np.linalg.norm(wrote) * np.linalg.norm(read))
            yield found.k[low, a, high, b] + found.random, share


def _copying(model: Model) -> Pairs:
    found, words = model.copying(words=20, seed=1), 20
    ids = np.random.default_rng(1).permutation(model.transformer.main.spec.vocabulary)[:words]
    norm, main = model.transformer.main.final_norm, model.transformer.main
    assert norm is not None
    after = np.stack([model([int(word)]).part("after", 0)[0] for word in ids]).astype(np.float64)
    truth = np.zeros(_shape(model))
    for layer, head in np.ndindex(truth.shape):
        of, before = model.weights(layer, head), main.layers[layer].attention.norms.before
        rows = after if before is None else before(after.astype(np.float32)).astype(np.float64)
        wrote = (rows @ of.v + of.v_bias) @ of.o
        wrote = wrote - wrote.mean(1, keepdims=True) if norm.kind.value == "layer" else wrote
        logits = (wrote * norm.gain) @ model.unembed.decode.weight[:, ids]
        truth[layer, head] = np.mean((logits > np.diagonal(logits)[:, None]).sum(1) < 5)
    yield np.round(np.asarray(found.copies) * words), np.round(truth * words)


def _survey(model: Model) -> Pairs:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.txt"
        lines = ["the cat sat", "a cat on the mat", "it was"]
        path.write_text("\n".join(lines), encoding="utf-8")
        found = model.survey(path)
    of_lines = [np.asarray(model.detect([line]).previous) for line in lines]
    yield found.mean[0], np.mean(of_lines, axis=0)
    yield found.spread[0], np.std(of_lines, axis=0)


def _find(model: Model) -> Pairs:
    found = model.find_circuit(whole=True)
    text = random_texts(model, 0)[0]
    copy = range(len(text) // 2 + 1, len(text))
    shape = _shape(model)
    yield found.all_on, _loss(model(text), copy)
    yield found.first, _loss(model(text), range(1, len(text) // 2))
    truth = [[_loss(model(text, off=[(a, b)]), copy) for b in range(shape[1])] for a in range(shape[0])]
    yield found.loss, truth


ROWS = (
    Row("detect", "loops over rows of the attention", 1e-5, _detect),
    Row("knock_out", AGAIN, 2e-4, _knock_out),
    Row("patch", AGAIN, 5e-3, _patch),
    Row("lens", WHOLE, 1e-5, _lens),
    Row("contributions", SUMS, 2e-4, _contributions),
    Row("writers", SUMS, 2e-4, _writers),
    Row("words: measured", AGAIN, 2e-4, _words),
    Row("gradients", NUDGED, 2e-2, _gradients),
    Row("composition", MATRICES, 1e-5, _composition),
    Row("copying", "word by word", 1.0, _copying),
    Row("survey", "line by line", 1e-5, _survey, FAMILIES[:2]),
    Row("find_circuit", AGAIN, 2e-4, _find),
)


@dataclass(frozen=True)
class Found:
    """What a row has found: how many numbers, and the largest deviation."""

    row: Row
    numbers: int
    deviation: float

    @property
    def is_fine(self) -> bool:
        """Whether there was something to compare, and it is within the bound."""
        return self.numbers > 0 and self.deviation <= self.row.bound

    def cells(self) -> tuple[str, ...]:
        """Return its line of the table."""
        amounts = f"{self.deviation:.1e}", f"≤ {self.row.bound:g}", "ok" if self.is_fine else "TOO FAR"
        return self.row.method, self.row.reference, ", ".join(self.row.families), str(self.numbers), *amounts


def validated(row: Row) -> Found:
    """Compare a method with its reference on every family."""
    numbers, deviation = 0, 0.0
    for name in row.families:
        for ours, truth in row.pairs(load_model(MODELS / name)):
            mine, wanted = (np.asarray(each, np.float64) for each in (ours, truth))
            apart = float(np.abs(mine - wanted).max()) if mine.shape == wanted.shape else float("inf")
            numbers, deviation = numbers + mine.size, max(deviation, float("inf") if np.isnan(apart) else apart)
    return Found(row, numbers, deviation)


def validation_table(found: list[Found]) -> str:
    """Return the aligned table."""
    lines = [HEADER, *(each.cells() for each in found)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
