"""What the Layer page says, against numbers computed another way."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.core.preset import preset_of
from attention_explorer.model import Initialiser as Rule
from attention_explorer.model import NormKind, NormPlacement
from attention_explorer.pages.lab.depth import TABLE
from attention_explorer.pages.lab.linear import linear_headline, linear_panel, linear_picture, linear_sentences
from attention_explorer.pages.lab.norm import norm_headline, norm_panel, norm_picture, norm_sentences
from attention_explorer.pages.lab.ui.views import views
from attention_explorer.pages.layer.diagram import DiagramPicture, diagram_picture
from attention_explorer.pages.layer.diagram_words import likeness_sentences, row_sentences
from attention_explorer.pages.layer.ui.views import views as of_layer
from attention_explorer.pages.layer.wording import layer_truths
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.choices import BlockPicture, Initialiser
from attention_explorer.pages.stack.stack import MOST_NUMBERS, check_sizes, count_numbers, most_layers
from attention_explorer.pages.stack.state import MOST_LAYERS, BlockState
from attention_explorer.pages.stack.wording import brief

BLOCK_PRESETS = preset_list("block")
block_preset = partial(preset_of, preset_list("block"))

Array = np.ndarray


VIEWS = {view.shown: view for view in (*views(lambda: None), *of_layer())}
"""By picture the views of Lab, and of the Layer page."""


def settings_words(state: BlockState) -> str:
    return VIEWS[state.picture].settings(state).replace("\N{NO-BREAK SPACE}", " ")


def verdict(state: BlockState) -> tuple[str, ...]:
    return layer_truths(state) if state.picture is BlockPicture.LAYER else VIEWS[state.picture].picture.truths


def preset(name: str) -> DiagramPicture:
    return diagram_picture(block_preset(name).state)


def mean_cosine(rows: Array) -> float:
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    pairs = [units[i] @ units[j] for i in range(len(rows)) for j in range(i)]
    return float(np.mean(pairs))


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def numbers(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"\d+\.\d+", text)]


# ---- Presets: what they tell people to look for is there ----


def test_the_pipeline_has_the_norms_it_names() -> None:
    ready = block_preset("pipeline")
    random = np.random.RandomState(42)
    angles = np.arange(6)[:, None] / 10000 ** (np.arange(0, 64, 2) / 64)
    x = random.randn(6, 64) * 0.5
    x[:, 0::2] += np.sin(angles)
    x[:, 1::2] += np.cos(angles)
    w_q, w_k, w_v, w_o = (random.randn(64, 64) * 0.3 for _ in range(4))
    heads = []
    for head in range(8):
        part = slice(8 * head, 8 * head + 8)
        heads.append(softmax((x @ w_q)[:, part] @ (x @ w_k)[:, part].T / 8**0.5) @ (x @ w_v)[:, part])
    output = np.concatenate(heads, axis=1) @ w_o
    np.testing.assert_allclose(diagram_picture(ready.state).chosen.first, output, atol=1e-12)
    told = numbers(ready.look_for)
    np.testing.assert_allclose(told[:6], np.linalg.norm(x, axis=1), atol=0.005)
    np.testing.assert_allclose(told[6:12], np.linalg.norm(output, axis=1), atol=0.005)


def test_self_attention_of_four_tokens_has_the_weights_it_names() -> None:
    ready = block_preset("self-attention")
    random = np.random.RandomState(0)
    x = random.randn(4, 8)
    w_q, w_k = random.randn(8, 8), random.randn(8, 8)
    weights = softmax(x @ w_q @ (x @ w_k).T / 8**0.5)
    picture = diagram_picture(ready.state)
    np.testing.assert_allclose(picture.chosen.first[0], weights, atol=1e-12)
    assert numbers(ready.look_for) == [round(float(largest), 3) for largest in weights.max(axis=1)]
    assert picture.box("x").shape == picture.box("attention_output").shape == (4, 8)
    assert "The largest of each row: 0.989, 0.535, 1.000, 0.928." in row_sentences(picture, picture.chosen)


def test_the_full_size_layer_has_the_standard_deviation_it_names() -> None:
    picture = preset("full")
    output = picture.box("output").array
    assert {f"{std:.7f}" for std in output.std(axis=-1).ravel()} == {"0.9999994"}
    assert "0.9999994" in block_preset("full").look_for
    (sentence,) = row_sentences(picture, picture.box("output"))
    assert sentence.endswith("standard deviation 0.9999994.")


def test_tokens_become_alike_for_want_of_the_residual_and_not_for_the_weights() -> None:
    without = block_preset("no-residual").state
    cosine = {
        (residual, rule): mean_cosine(
            diagram_picture(replace(without, residual=residual, initialiser=rule)).trace.output[0]
        )
        for residual in (True, False)
        for rule in (Initialiser.NUMBER, Initialiser.HE)
    }
    assert cosine[False, Initialiser.NUMBER] > 0.999
    assert cosine[True, Initialiser.NUMBER] < 0.2
    assert min(cosine[True, Initialiser.HE], cosine[False, Initialiser.HE]) > 0.999


def test_the_last_of_24_layers_says_what_is_so() -> None:
    state = block_preset("stack").state
    for residual in (True, False):
        picture = diagram_picture(replace(state, residual=residual))
        assert mean_cosine(picture.trace.output[0]) > 0.999
        small = diagram_picture(replace(state, residual=residual, initialiser=Initialiser.NUMBER, gain=0.02))
        assert (mean_cosine(small.trace.output[0]) < 0.2) == residual


# ---- The panel ----


@pytest.mark.parametrize("name", ["encoder", "gpt", "pipeline"])
def test_cosines_and_least_weights_are_right(name: str) -> None:
    picture = preset(name)
    (sentence,) = likeness_sentences(picture)
    expected = [mean_cosine(picture.trace.x[0]), mean_cosine(picture.trace.output[0])]
    np.testing.assert_allclose(numbers(sentence), expected, atol=0.0005)
    box = picture.box("weights")
    seen = [
        box.first[:, i, j].max()
        for i in range(len(picture.tokens))
        for j in range(len(picture.tokens))
        if picture.mask is None or picture.mask[i, j]
    ]
    assert f"at least {min(seen):.3f}" in row_sentences(picture, box)[-1]


def test_rms_norm_says_the_root_mean_square() -> None:
    picture = diagram_picture(BlockState(norm_kind=NormKind.RMS))
    (sentence,) = row_sentences(picture, picture.box("output"))
    found = np.sqrt(np.mean(picture.box("output").array ** 2, axis=-1))
    np.testing.assert_allclose(numbers(sentence), [found.min(), found.max()][: len(numbers(sentence))], atol=1e-6)
    assert row_sentences(picture, picture.box("x")) == ()


# ---- Linear ----


def test_one_token_is_linear_in_x_and_told_so() -> None:
    picture = linear_picture(BlockState(sentence="cat", picture=BlockPicture.LINEAR, factor=3.0))
    assert picture.by[1].error < 1e-9
    assert linear_headline(picture) == "One token: linear in V and in X."
    assert not any("not linear" in sentence for sentence in linear_sentences(picture))
    assert linear_panel(picture) == "One token has one weight, which is 1 whatever X is. Write a second word."
    assert "with one token its weight is 1, whatever X is" in verdict(picture.state)[0]


# ---- Future, norm, depth ----


def test_without_epsilon_its_place_is_nothing_to_speak_of() -> None:
    state = BlockState(eps=0.0, picture=BlockPicture.NORM)
    picture = norm_picture(state)
    np.testing.assert_allclose(picture.curves[True], picture.curves[False], rtol=1e-9)
    assert norm_headline(state) == "Without ε, rows of any size come out with 1."
    assert norm_panel(state) == "Both formulas divide by σ alone, so they are the same."
    assert "Without ε both divide by σ alone." in verdict(state)[0]


@pytest.mark.parametrize("eps", [1e-6, 1e-5, 1e-2, 1.0])
def test_what_epsilon_does_to_the_rows_it_names(eps: float) -> None:
    state = BlockState(eps=eps, picture=BlockPicture.NORM)
    picture = norm_picture(state)
    assert picture.output_std(True, eps**0.5) == pytest.approx(0.5**0.5, abs=1e-9)
    assert picture.output_std(False, eps) == pytest.approx(0.5, abs=1e-9)
    told = "brings a row with σ = √ε to 0.707, ÷ (σ + ε) one with σ = ε to 0.5."
    assert told in verdict(state)[0]
    panel = norm_panel(state).replace("\N{NO-BREAK SPACE}", " ")
    assert f"σ is near √ε = {brief(eps**0.5)}, beside it as soon as σ is near ε = {brief(eps)}." in panel
    assert norm_headline(state).startswith("Under the root" if eps < 0.1 else "ε shrinks small rows, wherever")


def test_the_verdict_on_depth_is_that_of_the_table() -> None:
    rows = {(row.rule, row.residual, row.norm): row for row in TABLE}
    he, post = Rule.HE, NormPlacement.POST
    assert all(0.3 < rows[he, residual, post].ratios[-1] < 3 for residual in (True, False))
    assert rows[he, True, NormPlacement.NONE].ratios[-1] > 1e14
    assert all(rows[he, residual, post].cosine == 1.0 for residual in (True, False))
    assert rows[Rule.GPT2, True, post].cosine < 0.1 < rows[Rule.GPT2, False, post].cosine
    none = NormPlacement.NONE
    assert rows[Rule.GPT2, False, none].ratios[-1] < 1e-10 < 0.5 < rows[Rule.GPT2, True, none].ratios[-1]
    told = " ".join(verdict(BlockState(picture=BlockPicture.DEPTH)))
    for said in (
        "with He’s weights a norm alone keeps the gradient, with or without the residual",
        "without a norm the gradient explodes in spite of the residual",
        "with He’s weights and post-norm all tokens are alike, with or without the residual",
        "With 0.02 the residual keeps them apart",
        "The residual prevents vanishing gradients with small weights and no norm",
    ):
        assert said in told


# ---- What stays true when settings are changed ----

SAID = (Path(__file__).parents[1] / "data" / "tutorial_sentences.txt").read_text("utf-8").lower()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("picture", BlockPicture)
def test_quotation_marks_stand_around_what_a_tutorial_says(picture: BlockPicture, causal: bool) -> None:
    told = [*verdict(BlockState(picture=picture, causal=causal)), *(ready.look_for for ready in BLOCK_PRESETS)]
    linear = linear_picture(BlockState())
    told += [linear_headline(linear), linear_panel(linear), *linear_sentences(linear)]
    for passage in re.findall(r"“([^”]*)”", " ".join(told)):
        assert passage.lower() in SAID


@pytest.mark.parametrize("kind", NormKind)
@pytest.mark.parametrize("eps", [0.0, 1e-6, 0.1])
@pytest.mark.parametrize("scale", [0.0, 1e-9, 1.0])
def test_rows_that_a_norm_leaves_short_are_excepted(kind: NormKind, eps: float, scale: float) -> None:
    state = BlockState(embedding_scale=scale, encoding=False, norm_kind=kind, eps=eps)
    lengths = diagram_picture(state).after
    (told,) = [line for line in verdict(state)[1:] if line.startswith("After the norm every row has")]
    assert "√64 = 8" in told
    if np.abs(lengths - 8.0).max() > 0.5:
        assert ("unless it hardly varied" if kind is NormKind.LAYER else "unless it was nearly 0") in told


@pytest.mark.parametrize(
    ("gain", "headline"), [(1e-6, "Linear in V, and here in X too"), (0.3, "Linear in V, not in X")]
)
def test_weights_that_stay_even_are_linear_in_x_and_told_so(gain: float, headline: str) -> None:
    state = BlockState(initialiser=Initialiser.NUMBER, gain=gain, factor=3.0, picture=BlockPicture.LINEAR)
    picture = linear_picture(state)
    follows = picture.by[1].error <= 1e-9 * float(np.abs(picture.by[1].expected).max())
    assert follows == (gain == 1e-6)
    assert linear_headline(picture) == f"{headline}."
    assert "In general it is not linear in X" in verdict(state)[0]


@pytest.mark.parametrize("eps", [0.0, 1e-6, 1.0])
def test_the_place_of_epsilon_has_one_name(eps: float) -> None:
    for inside in (True, False):
        state = BlockState(picture=BlockPicture.NORM, eps=eps, eps_inside_sqrt=inside)
        told = " ".join(
            [*norm_sentences(norm_picture(state)), norm_headline(state), norm_panel(state), *verdict(state)]
        )
        told += settings_words(state) + settings_words(BlockState(eps=eps))
        assert not re.search(r"\b(below|in the root)\b", told, re.IGNORECASE)


# ---- Settings under a picture ----

UNUSED = {
    BlockPicture.DEPTH: {"sentence": "dog", "batch": 3, "embedding_scale": 2.0, "layers": 5, "factor": 3.0},
    BlockPicture.NORM: {"sentence": "dog", "d_model": 32, "heads": 2, "layers": 5, "residual": False, "gain": 0.5},
    BlockPicture.FUTURE: {"causal": True, "factor": 3.0, "decoded": 5},
    BlockPicture.CACHE: {"causal": True, "changed_token": 1},
}
USED = {
    BlockPicture.LAYER: {"sentence": "dog", "d_model": 32, "causal": True, "seed": 7},
    BlockPicture.DEPTH: {"d_model": 32, "heads": 2, "residual": False, "causal": True, "seed": 7},
    BlockPicture.NORM: {"eps": 1e-3, "norm_kind": NormKind.RMS, "norm_scale": 0.1, "seed": 7},
    BlockPicture.LINEAR: {"factor": 3.0, "sentence": "dog", "causal": True},
    BlockPicture.FUTURE: {"changed_token": 1, "layers": 2},
    BlockPicture.CACHE: {"decoded": 5, "head": 2},
}


@pytest.mark.parametrize("picture", UNUSED)
def test_settings_leave_out_what_decides_nothing(picture: BlockPicture) -> None:
    state = BlockState(picture=picture)
    for name, value in UNUSED[picture].items():
        assert settings_words(replace(state, **{name: value})) == settings_words(state), name


@pytest.mark.parametrize("picture", BlockPicture)
def test_settings_name_what_decides_the_numbers(picture: BlockPicture) -> None:
    state = BlockState(picture=picture)
    for name, value in USED[picture].items():
        assert settings_words(replace(state, **{name: value})) != settings_words(state), name


@pytest.mark.parametrize(("eps", "text"), [(1e-5, "10⁻⁵"), (2e-6, "2·10⁻⁶"), (0.01, "0.01"), (0.0, "0"), (1.0, "1")])
def test_epsilon_is_written_as_people_write_it(eps: float, text: str) -> None:
    assert brief(eps) == text


def test_no_more_layers_than_there_is_room_for() -> None:
    wide = BlockState(d_model=512, d_ff=2048)
    most = most_layers(wide, MOST_LAYERS)
    assert 1 <= most < MOST_LAYERS
    check_sizes(replace(wide, layers=most))
    assert count_numbers(replace(wide, layers=most + 1)) > MOST_NUMBERS
    assert most_layers(BlockState(), 99) == MOST_LAYERS
    assert most_layers(BlockState(), 0) == 1
