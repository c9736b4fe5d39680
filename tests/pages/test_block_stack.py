"""What goes through the Layer page: the tutorials' numbers, and what is refused in words."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from attention_explorer.core.mask import MaskChoice, MaskKind, mask_of
from attention_explorer.core.preset import preset_of
from attention_explorer.errors import ExplorerError
from attention_explorer.model import Activation, NormPlacement
from attention_explorer.pages.lab.linear import linear_picture
from attention_explorer.pages.preset_lists import preset_list
from attention_explorer.pages.stack.choices import BlockPicture, Initialiser
from attention_explorer.pages.stack.stack import block_stack, block_trace, count_numbers, is_quick
from attention_explorer.pages.stack.state import BlockState

block_preset = partial(preset_of, preset_list("block"))

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "reference_sources.json").read_text(encoding="utf-8"))


def test_the_pipeline_is_that_of_the_tutorial() -> None:
    case = REFERENCE["seed001_pipeline"]
    trace = block_trace(block_preset("pipeline").state)
    np.testing.assert_allclose(np.linalg.norm(trace.x[0], axis=-1), case["norms_before"], rtol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(trace.output[0], axis=-1), case["norms_after"], rtol=1e-9)
    assert trace.layers[0].attention.inside.scaled.std() == pytest.approx(3.77, abs=0.005)


def test_the_full_size_layer_is_that_of_the_tutorial() -> None:
    state = block_preset("full").state
    drawn, trace = block_stack(state), block_trace(state)
    assert drawn.stack.parameter_count() == 3_148_288
    assert trace.x.shape == trace.output.shape == (2, 10, 512)
    assert abs(trace.output.mean(axis=-1)).max() < 1e-15
    assert trace.output.std(axis=-1) == pytest.approx(0.9999994, abs=1e-7)
    assert trace.layers[0].feed_forward.inside.zero_share == pytest.approx(0.5, abs=0.03)


def test_looking_elsewhere_draws_nothing_anew() -> None:
    state = BlockState(layers=2)
    looked = replace(state, box="q", head=3, token=2, layer=1, picture=BlockPicture.CACHE, preset="gpt")
    assert block_trace(looked) is block_trace(state)
    assert block_stack(looked) is block_stack(state)
    assert block_stack(replace(state, seed=1)) is not block_stack(state)


@pytest.mark.parametrize("change", [{"residual": False}, {"norm": NormPlacement.PRE}, {"causal": True}, {"eps": 1e-3}])
def test_a_switch_moves_no_random_number(change: dict[str, object]) -> None:
    state = BlockState()
    one, other = block_stack(state), block_stack(replace(state, **change))  # type: ignore[arg-type]
    np.testing.assert_array_equal(one.x, other.x)
    np.testing.assert_array_equal(one.stack.layers[0].feed_forward.w2, other.stack.layers[0].feed_forward.w2)


def test_without_the_network_the_weights_of_attention_stay() -> None:
    state = BlockState(layers=2)
    whole, half = block_stack(state), block_stack(replace(state, feed_forward=False))
    for one, other in zip(whole.stack.layers, half.stack.layers, strict=True):
        np.testing.assert_array_equal(one.attention.w_o, other.attention.w_o)
    trace = block_trace(replace(state, feed_forward=False))
    np.testing.assert_array_equal(trace.layers[0].output, block_trace(state).layers[0].attention.output)


def test_positions_are_added_and_can_be_left_out() -> None:
    with_, without = block_stack(BlockState()), block_stack(BlockState(encoding=False))
    np.testing.assert_array_equal(with_.embeddings, without.x)
    assert with_.x[0, 0, 1] - with_.embeddings[0, 0, 1] == pytest.approx(1.0)  # cos 0


def test_the_mask_is_there_only_if_it_is_wanted() -> None:
    assert block_stack(BlockState()).mask is None
    mask = block_stack(BlockState(causal=True)).mask
    assert mask is not None
    np.testing.assert_array_equal(mask, np.tril(np.ones((6, 6), bool)))


@pytest.mark.parametrize("initialiser", Initialiser)
def test_every_initialiser_has_its_size(initialiser: Initialiser) -> None:
    state = BlockState(d_model=256, d_ff=512, initialiser=initialiser, gain=0.02)
    found = block_stack(state).stack.layers[0].feed_forward.w1.std()
    expected = {
        Initialiser.NUMBER: 0.02,
        Initialiser.HE: (2 / 256) ** 0.5,
        Initialiser.NORMALISED: (1 / 256) ** 0.5,
        Initialiser.XAVIER: (2 / 768) ** 0.5,
    }[initialiser]
    assert found == pytest.approx(expected, rel=0.02)


def test_heads_that_do_not_divide_are_refused_in_words() -> None:
    with pytest.raises(ExplorerError, match=r"7 heads cannot share 64 .* 64 ÷ 7 = 9\.14 .* by 4 or 8 heads"):
        block_stack(BlockState(heads=7))
    with pytest.raises(ExplorerError, match="13 can be shared by 1 or 13 heads"):
        block_trace(BlockState(d_model=13, heads=5))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sentence": " "}, "0 tokens: write at least one"),
        ({"sentence": "a " * 129}, "129 tokens, and there is room for 128"),
        ({"d_model": 1024, "d_ff": 4096, "layers": 24}, "fewer layers"),
    ],
)
def test_what_cannot_be_is_refused_in_words(change: dict[str, object], said: str) -> None:
    with pytest.raises(ExplorerError, match=said):
        block_trace(replace(BlockState(), **change))  # type: ignore[arg-type]


def test_what_is_quick_is_counted() -> None:
    assert is_quick(BlockState())
    assert not is_quick(block_preset("full").state)
    gated = BlockState(activation=Activation.SILU_GATED)
    assert count_numbers(gated) == count_numbers(BlockState()) + 64 * 256


# ---- Biases and gains ----


def test_biases_and_gains_move_no_matrix_and_are_added_where_they_belong() -> None:
    plain, more = BlockState(layers=2), BlockState(layers=2, biases=True, gains=True)
    for before, after in zip(block_stack(plain).stack.layers, block_stack(more).stack.layers, strict=True):
        for name in ("w_q", "w_k", "w_v", "w_o"):
            np.testing.assert_array_equal(getattr(before.attention, name), getattr(after.attention, name))
        np.testing.assert_array_equal(before.feed_forward.w1, after.feed_forward.w1)
        assert before.norms[0].gain is None
        assert after.norms[0].gain is not None
    layer, trace = block_stack(more).stack.layers[0], block_trace(more).layers[0]
    inside, attention = trace.attention.inside, layer.attention
    q = trace.x @ attention.w_q + attention.b_q
    np.testing.assert_allclose(inside.q, q.reshape(1, 6, 8, 8).swapaxes(1, 2), atol=1e-12)
    rows = trace.attention.summed
    normed = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + more.eps)
    np.testing.assert_allclose(trace.attention.output, normed * layer.norms[0].gain + layer.norms[0].bias, atol=1e-12)


def test_pictures_of_lab_have_neither_biases_nor_gains() -> None:
    state = BlockState(biases=True, gains=True, picture=BlockPicture.LINEAR)
    assert block_stack(state).stack.layers[0].attention.b_q is None
    assert block_stack(state) is block_stack(replace(state, biases=False, gains=False))
    assert linear_picture(state).by[0].error == linear_picture(replace(state, biases=False)).by[0].error


# ---- Masks ----


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kind", MaskKind)
def test_every_mask_hides_what_it_says_and_rows_sum_to_one_or_nothing(kind: MaskKind, causal: bool) -> None:
    choice = MaskChoice(kind, 2, hidden=frozenset({(3, 1)}))
    state = BlockState(causal=causal, mask=choice)
    own = mask_of(choice, 6, 6)
    allowed = own & np.tri(6, dtype=bool) if causal else own
    np.testing.assert_array_equal(block_stack(state).mask, allowed)
    weights = block_trace(state).layers[0].attention.inside.weights
    assert not weights[..., ~allowed].any()
    np.testing.assert_allclose(weights.sum(axis=-1), np.broadcast_to(allowed.any(axis=-1), weights.shape[:-1]))


def test_other_pictures_know_nothing_of_the_mask_of_the_diagram() -> None:
    for picture in (BlockPicture.FUTURE, BlockPicture.CACHE, BlockPicture.LINEAR):
        state = BlockState(picture=picture, mask=MaskChoice(MaskKind.WINDOW, 2))
        assert block_stack(state).mask is None
