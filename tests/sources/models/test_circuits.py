"""What is asked of heads, against loops that run the whole model anew, on every family."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from families_of_fixtures import CAPPED, DECODERS, FAMILIES, IDS, PAIRS, TARGET, TWIN, opened, target_of
from oracles import MODELS

from attention_explorer.errors import ArrayError, ExplorerError, ExportError
from attention_explorer.sources.circuits.result import Result
from attention_explorer.sources.models import Change, Model, Trace, load_model

FORETELLING = (*DECODERS, *PAIRS)
WITH_WORDS = (*FORETELLING, "bert-words", "distilbert", "roberta", "albert")
A, B = 11, 23
CLOSE = 2e-4


def traced(name: str) -> Trace:
    return opened(name)(IDS, target_of(name))


def logits_of(trace: Trace) -> np.ndarray:
    assert trace.logits is not None
    return trace.logits.astype(np.float64)


def log_probability(trace: Trace, position: int, word: int) -> float:
    row = logits_of(trace)[position]
    return float(row[word] - row.max() - np.log(np.exp(row - row.max()).sum()))


# ---- Of a run ----


@pytest.mark.parametrize("name", FAMILIES)
def test_what_heads_write_sums_to_what_the_attention_writes(name: str) -> None:
    trace = traced(name)
    bias = trace.run.main.stack.layers[1].attention.output.bias
    whole = trace.heads(1).sum(axis=0) + (0.0 if bias is None else bias)
    np.testing.assert_allclose(whole, trace.layer(1).attention.output, atol=CLOSE)
    residual = trace.residual
    assert residual.axes == ("layer", "token", "feature")
    np.testing.assert_array_equal(residual[:-1], trace.hidden[:-1])
    np.testing.assert_allclose(opened(name).final_norm(np.asarray(residual[-1])), trace.hidden[-1], atol=1e-5)


@pytest.mark.parametrize("name", FORETELLING)
def test_the_surprise_of_a_token_is_what_the_model_says_of_it_before_it_has_read_it(name: str) -> None:
    trace, target = traced(name), target_of(name)
    read = IDS if target is None else target
    assert np.isnan(trace.surprise[0])
    assert trace.surprise.axes == ("token",)
    assert trace.surprise.labels == {"token": trace.tokens}
    for end in range(1, len(read)):
        before = opened(name)(read[:end]) if target is None else opened(name)(IDS, target[:end])
        expected = -log_probability(before, -1, read[end]) / np.log(2.0)
        assert trace.surprise[end] == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("name", WITH_WORDS)
def test_a_lens_shows_what_the_model_would_say_if_it_ended_there(name: str) -> None:
    trace, model = traced(name), opened(name)
    lens, n = trace.lens(position=2), len(trace.residual)
    for layer in range(n):
        row = model.unembed(model.final_norm(trace.residual[layer, 2][None].view(np.ndarray)))[0].astype(np.float64)
        expected = np.exp(row - row.max()) / np.exp(row - row.max()).sum()
        np.testing.assert_allclose(lens.probabilities[layer], expected, atol=1e-5)
        assert lens.rank(A)[layer] == (lens.probabilities[layer] > lens.probabilities[layer, A]).sum()
        assert lens.top(2)[layer][0] == trace.token(int(np.argmax(expected)))
    assert float(lens.probability(A)[-1]) == pytest.approx(np.exp(log_probability(trace, 2, A)), rel=1e-3)
    assert "the most probable word by layer" in repr(lens)


@pytest.mark.parametrize("name", [name for name in FORETELLING if name != CAPPED])
@pytest.mark.parametrize("against", [None, B])
def test_contributions_sum_to_the_difference_of_logits(name: str, against: int | None) -> None:
    trace = traced(name)
    found, row = trace.contributions(A, against, position=-2), logits_of(trace)[-2]
    expected = row[A] - (0.0 if against is None else row[against])
    assert found.total == pytest.approx(expected, abs=CLOSE)
    assert found.sum() == pytest.approx(expected, abs=CLOSE)
    assert (found.cross is not None) == (name in PAIRS)


@pytest.mark.parametrize("name", ["gpt2", "llama", "qwen3", "mistral", "t5"])
def test_a_contribution_is_what_was_written_through_the_last_norm_and_matrix(name: str) -> None:
    """Where norms stand before: mixture · W_O · gain ÷ the last norm · (W_U[a] − W_U[b])."""
    trace, model = traced(name), opened(name)
    found, last = trace.contributions(A, B), trace.residual[-1, -1].astype(np.float64)
    norm, head = trace.run.main.stack.final_norm, model.unembed
    assert norm is not None
    centred = name == "gpt2"
    root = np.sqrt(np.mean((last - last.mean() * centred) ** 2) + norm.eps)
    way = (head.decode.weight[:, A] - head.decode.weight[:, B]).astype(np.float64) * head.scale
    for layer in range(len(trace.weights)):
        for wrote, number in (
            *zip(trace.heads(layer)[:, -1], found.heads[layer], strict=True),
            (trace.layer(layer).network.output[-1], found.networks[layer]),
        ):
            wrote = np.asarray(wrote, np.float64)
            assert number == pytest.approx(((wrote - wrote.mean() * centred) * norm.gain / root) @ way, abs=CLOSE)


@pytest.mark.parametrize("name", FAMILIES)
def test_writers_of_a_score_sum_to_it(name: str) -> None:
    trace, main = traced(name), opened(name).transformer.main
    layer = len(main.layers) - 1
    scale = main.spec.layers[layer].scale
    q, k = (trace.part(part, layer).astype(np.float64) for part in "qk")
    for head, query, key in ((0, 3, 1), (3, 2, 2)):
        found = trace.writers(layer, head, query, key)
        expected = scale * float(q[head, query] @ k[head, key])
        for side in (found.key, found.query):
            assert side.total == pytest.approx(expected, rel=1e-4, abs=1e-4)
            assert side.sum() == pytest.approx(expected, rel=1e-3, abs=1e-3)
            assert not side.heads[layer].any(), "nothing above has written"


@pytest.mark.parametrize("name", ["llama", "qwen3", "gpt2"])
def test_a_writer_wrote_what_goes_when_its_part_is_taken_out_of_the_key(name: str) -> None:
    """While norms divide as they did: by the whole model, with the writer's part scaled by a little."""
    trace, model, little = traced(name), opened(name), 1e-2
    found, before = trace.writers(1, 2, 6, 4), trace.part("scores", 1)[2, 6, 4].astype(np.float64)
    wrote = np.asarray(trace.heads(0)[1, 4], np.float64)
    row = trace.residual[1, 4].astype(np.float64)
    centred = row - row.mean() * (name == "gpt2")
    part = wrote - wrote.mean() * (name == "gpt2")
    along = (part @ centred) / (centred @ centred)  # what of it makes the norm divide otherwise
    value = little * (wrote - along * row)
    after = model(IDS, changes=[Change("residual", 1, position=4, value=value, how="add", into=(1, 2, "k"))])
    expected = (after.part("scores", 1)[2, 6, 4].astype(np.float64) - before) / little
    whole = trace.writers(1, 2, 6, 4).key
    own = float(found.key.heads[0, 1]) - along * (float(whole.total) - whole.rest)
    if name != "qwen3":  # whose keys have a norm of their own
        assert own == pytest.approx(expected, rel=0.05, abs=2e-3)
    assert np.isfinite(own)


@pytest.mark.parametrize("name", WITH_WORDS)
def test_words_are_estimated_by_small_moves_and_measured_by_running_anew(name: str) -> None:
    model, target = opened(name), target_of(name)
    trace, n = traced(name), len(target or IDS)
    found = trace.words(A, B, position=2)
    row = logits_of(trace)[2]
    assert len(found.measured) == n + (len(IDS) if name in PAIRS else 0)
    layers = list(range(len(trace.weights)))
    for place in range(n):
        silent = logits_of(model(IDS, target, changes=[Change("v", layers, position=place)]))[2]
        assert found.measured[place] == pytest.approx((row[A] - row[B]) - (silent[A] - silent[B]), abs=CLOSE)
        moves = []
        for by in (1e-2, -1e-2):
            value = by * trace.hidden[0][place]
            moved = logits_of(
                model(IDS, target, changes=[Change("residual", 0, position=place, value=value, how="add")])
            )
            moves.append(moved[2, A] - moved[2, B])
        slope = (moves[0] - moves[1]) / 2e-2
        assert found.estimate[place] == pytest.approx(slope, rel=0.05, abs=0.02 * (1.0 + np.abs(found.estimate).max()))
    for place in range(len(IDS) if name in PAIRS else 0):
        every = {"encoder": list(range(len(trace.encoder_weights or ()))), "cross": layers}
        silent_changes = [Change("v", of, position=place, kind=kind) for kind, of in every.items()]
        silent = logits_of(model(IDS, target, changes=silent_changes))[2]
        assert found.measured[n + place] == pytest.approx((row[A] - row[B]) - (silent[A] - silent[B]), abs=CLOSE)


# ---- Of a model ----


def metrics_of(name: str) -> list[tuple[object, object]]:
    """Return what is asked, and a function of a trace that computes it in another way."""
    last = len(target_of(name) or IDS) - 1
    asked: list[tuple[object, object]] = [
        (A, lambda trace: log_probability(trace, last, A)),
        ((A, B), lambda trace: logits_of(trace)[last, A] - logits_of(trace)[last, B]),
    ]
    if name in FORETELLING:
        asked.append(
            ([1, -1], lambda trace: -np.mean([log_probability(trace, at - 1, trace.ids[at]) for at in (1, last)]))
        )
    return asked


@pytest.mark.parametrize("name", WITH_WORDS)
def test_what_breaks_without_a_head_is_what_the_model_run_without_it_says(name: str) -> None:
    model, target = opened(name), target_of(name)
    before = model(IDS, target)
    shape = len(before.weights), len(before.weights[0])
    for asked, number in metrics_of(name):
        found = model.knock_out(IDS, asked, target=target)
        assert found.shape == shape
        assert found.axes == ("layer", "head")
        for place in product(*map(range, shape)):
            expected = number(model(IDS, target, off=[place])) - number(before)  # type: ignore[operator]
            assert found[place] == pytest.approx(expected, abs=CLOSE)
    some = model.knock_out(IDS, A, heads=[(1, 2)], by="mean", target=target)
    mean = before.part("head", 1)[2].mean(axis=0)
    after = model(IDS, target, changes=[Change("head", 1, 2, value=mean)])
    last = len(before.ids) - 1
    assert some[1, 2] == pytest.approx(log_probability(after, last, A) - log_probability(before, last, A), abs=CLOSE)
    assert np.isnan(np.asarray(some)).sum() == some.size - 1


@pytest.mark.parametrize("name", WITH_WORDS)
@pytest.mark.parametrize("where", ["residual", "network", "head", "v"])
def test_what_is_put_into_a_twin_is_put_in_by_running_it_anew(name: str, where: str) -> None:
    model, target = opened(name), target_of(name)
    twin_target = None if target is None else (0, 7, 30, 7)
    text, twin = model(IDS, target), model(TWIN, twin_target)
    found = model.patch(IDS, TWIN, (A, B), where, target=target, twin_target=twin_target)

    def number(trace: Trace) -> float:
        return float(logits_of(trace)[-1, A] - logits_of(trace)[-1, B])

    for place in np.ndindex(found.shape):
        layer, at = place
        value = text.part(where, layer)[at]
        change = (
            Change(where, layer, at, value=value)
            if where in ("head", "v")
            else Change(where, layer, position=at, value=value)
        )
        run = model.run(*model.taken(TWIN, twin_target), changes=[change], insists=False)
        after = number(model.traced(*model.taken(TWIN, twin_target), run))
        expected = (after - number(twin)) / (number(text) - number(twin))
        assert found[place] == pytest.approx(expected, abs=5e-3)
    if where == "residual" and name in DECODERS:
        whole = model.patch(IDS, TWIN, (A, B), "after")
        assert whole[-1, -1] == pytest.approx(1.0, abs=1e-3), "all of the answer is there"
        assert np.abs(np.asarray(whole[-1, :-1])).max() < 1e-3


@pytest.mark.parametrize("name", FAMILIES)
def test_heads_are_detected_by_where_they_look(name: str) -> None:
    model = opened(name)
    texts = [IDS, TWIN[:5]]
    found = model.detect([list(each) for each in texts])
    shape = found.previous.shape
    sums = {key: np.zeros(shape) for key in ("previous", "next", "self_", "earlier", "sink")}
    rows = dict.fromkeys(sums, 0)
    for text in texts:
        weights = np.stack(list(model(text, text if name in PAIRS else None).weights))
        for i in range(len(text)):
            places = {"previous": [i - 1], "next": [i + 1], "self_": [i], "sink": [0] if i else []}
            places["earlier"] = [j for j in range(i) if text[j] == text[i]]
            for key, seen in places.items():
                seen = [j for j in seen if 0 <= j < len(text)]
                rows[key] += bool(seen)
                sums[key] += weights[:, :, i, seen].sum(axis=-1)
    for key, total in sums.items():
        np.testing.assert_allclose(getattr(found, key), total / rows[key], atol=1e-5)
    assert found.even["self_"] <= 1.0


@pytest.mark.parametrize("name", ["llama", "t5", "bert"])
def test_heads_that_know_what_was_said_before_are_detected_in_repeated_random_tokens(name: str) -> None:
    model = opened(name)
    stack = model.transformer.encoder or model.transformer.main
    found = model.detect(seed=3)
    draw, vocabulary = np.random.default_rng(3), stack.spec.vocabulary
    length = min(40, (stack.embedding.longest or 80) // 2)
    induction, duplicate = np.zeros(found.induction.shape), np.zeros(found.induction.shape)
    for _ in range(4):
        once = draw.integers(vocabulary // 4, vocabulary, length).tolist()
        weights = np.stack(list(model(once * 2, once * 2 if name in PAIRS else None).weights))
        for i in range(length, 2 * length):
            induction += weights[:, :, i, i - length + 1] / (4 * length)
            duplicate += weights[:, :, i, i - length] / (4 * length)
    np.testing.assert_allclose(found.induction, induction, atol=1e-5)
    np.testing.assert_allclose(found.duplicate, duplicate, atol=1e-5)


def test_of_random_weights_nothing_is_named() -> None:
    tied = sorted(path for path in (MODELS / "tied").iterdir() if (path / "config.json").exists())
    models = [*map(opened, FAMILIES), *map(load_model, tied)]
    assert len(models) >= 20
    for model in models:
        for kind in ("self", "encoder") if model.transformer.encoder is not None else ("self",):
            named = model.detect(kind=kind).named
            assert not any(named.values()), f"{model.name}: {named}"


def dense(model: Model, layer: int, head: int) -> dict[str, np.ndarray]:
    of = {key: value.astype(np.float64) for key, value in model.weights(layer, head, folded=True)._asdict().items()}
    return {"ov": of["v"] @ of["o"], "q": of["q"] @ of["k"].T, "k": of["k"] @ of["q"].T, "v": of["v"] @ of["o"]}


@pytest.mark.parametrize("name", ["llama", "bert", "gpt2", "t5"])
def test_composition_is_that_of_the_whole_matrices(name: str) -> None:
    model = opened(name)
    found = model.composition()
    layers, heads = found.q.shape[:2]
    for low, a, high, b in product(range(layers), range(heads), range(layers), range(heads)):
        for part in "qkv":
            number = getattr(found, part)[low, a, high, b]
            if low >= high:
                assert np.isnan(number)
                continue
            writer, reader = dense(model, low, a)["ov"], dense(model, high, b)[part]
            expected = np.linalg.norm(writer @ reader) / (np.linalg.norm(writer) * np.linalg.norm(reader))
            assert number + found.random == pytest.approx(expected, abs=1e-4)
    assert 0.0 < found.random < 1.0


@pytest.mark.parametrize("name", ["llama", "gpt2", "qwen3"])
def test_copying_is_counted_word_by_word(name: str) -> None:
    model = opened(name)
    found = model.copying(words=20, seed=1)
    ids = np.random.default_rng(1).permutation(model.transformer.main.spec.vocabulary)[:20]
    norm, head = model.transformer.main.final_norm, model.unembed
    assert norm is not None
    for layer, which in product(range(len(model.transformer.main.layers)), range(4)):
        copies = lowers = 0
        of, part = model.weights(layer, which), model.transformer.main.layers[layer].attention
        for word in ids:
            row = (
                model([int(word)]).hidden[1][0]
                if len(model.transformer.main.layers) > 1
                else model([int(word)]).hidden[0][0]
            )
            entering = part.norms.before(row) if part.norms.before else row
            wrote = (entering @ of.v + of.v_bias) @ of.o
            wrote = (wrote - wrote.mean() if name == "gpt2" else wrote) * norm.gain
            logits = wrote @ head.decode.weight[:, ids]
            own = logits[ids.tolist().index(word)]
            copies += int((logits > own + 1e-6 * abs(own)).sum() < 5)
            lowers += int((logits < own - 1e-6 * abs(own)).sum() < 5)
        assert abs(found.copies[layer, which] - copies / 20) <= 0.051
        assert abs(found.suppresses[layer, which] - lowers / 20) <= 0.051


# ---- What results are ----


def test_results_know_their_axes_print_and_are_saved(tmp_path: Path) -> None:
    result = Result(np.arange(6.0).reshape(2, 3), ("layer", "token"), {"token": ("a", "b", "c")})
    assert repr(result).splitlines()[0] == "layer (2) × token (3)"
    assert repr(result).splitlines()[1].split() == ["a", "b", "c"]
    assert repr(result).splitlines()[3].split() == ["1", "3", "4", "5"]
    assert (result + 1).axes == ("layer", "token")
    assert result[0].axes == (), "one row is another array"
    assert "array" in repr(result[0])
    result.save(tmp_path / "r.csv")
    lines = (tmp_path / "r.csv").read_text().splitlines()
    assert lines[:2] == ["layer,token,value", "0,a,0.0"]
    assert lines[-1] == "1,c,5.0"
    result.save(tmp_path / "r.npz")
    with np.load(tmp_path / "r.npz") as stored:
        np.testing.assert_array_equal(stored["values"], result)
        assert stored["axes"].tolist() == ["layer", "token"]
        assert stored["labels_token"].tolist() == ["a", "b", "c"]
    with pytest.raises(ExportError, match=r"saved as \.csv or \.npz"):
        result.save(tmp_path / "r.txt")
    with pytest.raises(ArrayError, match="lost the names"):
        result[0].save(tmp_path / "r.csv")


def test_many_results_are_saved_as_one(tmp_path: Path) -> None:
    found = opened("llama").detect()
    assert "induction: layer (3) × head (4)" in repr(found)
    found.save(tmp_path / "found.csv")
    lines = (tmp_path / "found.csv").read_text().splitlines()
    assert lines[0] == "result,layer,head,value"
    assert len(lines) == 1 + 7 * 12
    parts = traced("t5").contributions(A)
    parts.save(tmp_path / "parts.npz")
    with np.load(tmp_path / "parts.npz") as stored:
        assert {"heads", "networks", "cross", "heads_axes"} <= set(stored)
    parts.save(tmp_path / "parts.csv")
    assert "result,layer,value" in (tmp_path / "parts.csv").read_text()
    large = Result(np.arange(400.0).reshape(20, 20), ("layer", "head"))
    assert "…" in repr(large)
    assert "at layer 1, head 1, feature 1" in repr(
        Result(np.arange(8.0).reshape(2, 2, 2), ("layer", "head", "feature"))
    )


@pytest.mark.parametrize(
    ("name", "ask", "reason"),
    [
        ("bert", lambda model: model.knock_out(IDS, A), "no head"),
        ("bert", lambda model: model(IDS).lens(), "no head"),
        ("bert-words", lambda model: model(IDS).contributions(A), "network of its own"),
        (CAPPED, lambda model: model(IDS).contributions(A), "capped at ±"),
        ("bert-words", lambda model: model.knock_out(IDS, "loss"), "sees the tokens"),
        ("bert-words", lambda model: model(IDS).surprise, "none surprises it"),
        ("bert", lambda model: model(IDS).surprise, "no head"),
        ("llama", lambda model: model.knock_out(IDS, 999), "no id 999"),
        ("llama", lambda model: model.knock_out(IDS, "the cat sat on"), "only one can be asked"),
        ("llama", lambda model: model.knock_out(IDS, None), "a text or an id"),
        ("llama", lambda model: model.knock_out(IDS, (1, 2, 3)), "a pair of words"),
        ("llama", lambda model: model.knock_out(IDS, [0]), "no loss at position 0"),
        ("llama", lambda model: model.knock_out(IDS, []), "no position"),
        ("llama", lambda model: model.knock_out(IDS, A, heads=[3]), "a list of"),
        ("llama", lambda model: model.knock_out(IDS, A, heads=[(9, 0)]), "no layer 9"),
        ("llama", lambda model: model.knock_out(IDS, A, by="noise"), "by is"),
        ("llama", lambda model: model.knock_out(IDS, A, position=20), "no position 20"),
        ("llama", lambda model: model.patch(IDS, IDS[:-1], A), "as many tokens"),
        ("llama", lambda model: model.patch(IDS, IDS, A), "the same answer"),
        ("llama", lambda model: model.patch(IDS, TWIN, A, "heads"), "where must be one of"),
        ("llama", lambda model: model(IDS, off=[(0, 0)]).words(A), "without changes"),
        ("llama", lambda model: model(IDS, off=[(0, 0)]).contributions(A), "without changes"),
        ("llama", lambda model: model(IDS).writers(3, 0, 0, 0), "no layer 3"),
        ("llama", lambda model: model(IDS).writers(0, 4, 0, 0), "no head 4"),
        ("llama", lambda model: model(IDS).writers(0, 0, 8, 0), "no position 8"),
        ("llama", lambda model: model.weights(0, 4), "no head 4"),
        ("llama", lambda model: model.weights(0, 0, kind="cross"), "kind"),
        ("llama", lambda model: model.detect([]), "no text"),
        ("llama", lambda model: model.detect(kind="cross"), "kind is"),
        ("t5", lambda model: model.copying(), "a decoder alone"),
        ("bert", lambda model: model.unembed, "no head"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_gets_a_sentence(name: str, ask, reason: str) -> None:
    with pytest.raises(ExplorerError, match=reason):
        ask(opened(name))


def test_weights_of_a_head_of_every_kind_make_what_it_made() -> None:
    model, trace = opened("t5"), traced("t5")
    for kind in ("self", "encoder", "cross"):
        tower = trace.run.encoder if kind == "encoder" else trace.run.main
        assert tower is not None
        of, mixed = model.weights(1, 2, kind=kind), trace.part("head", 1, kind)[2]
        run = tower.layer(1)
        output = run.cross.output if kind == "cross" and run.cross is not None else run.attention.output
        others = sum(trace.part("head", 1, kind)[head] @ model.weights(1, head, kind=kind).o for head in (0, 1, 3))
        np.testing.assert_allclose(mixed @ of.o + others, output, atol=CLOSE)
    assert target_of("t5") == TARGET
