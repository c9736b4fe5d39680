"""The stages of a head and the shapes of its layer, compared with a run of the whole layer."""

from __future__ import annotations

import numpy as np
import pytest

from attention_explorer.core.map_picture import Contrast, ScaleKind
from attention_explorer.core.role import Role
from attention_explorer.model import Stage, causal_mask
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.stages import layer_shapes, stage_pictures, stage_steps, stages_picture
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsView, MaskChoice, MaskKind
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe
from attention_explorer.sources.recipe import ToyRecipe

CAUSAL = MaskChoice(MaskKind.CAUSAL)


def test_shapes_are_those_of_the_layer() -> None:
    recipe = ToyRecipe(sentence="The cat sat on the mat", context="le chat est", d_model=24, heads=3, d_k=5)
    frame = heads_frame(HeadsSetup(recipe))
    layer = frame.layers[0]
    assert layer.attention is not None
    trace = layer.attention(layer.x, layer.context)
    shapes = {box.name: box.shape for box in layer_shapes(frame)}
    assert shapes == {
        "X": trace.x.shape,
        "context": trace.context.shape,
        "Q": trace.q.shape,
        "K": trace.k.shape,
        "V": trace.v.shape,
        "scores": trace.scores.shape,
        "÷ √5": (),
        "softmax": trace.weights.shape,
        "· V": trace.head_output.shape,
        "concat": trace.concat.shape,
        "W_O": layer.attention.w_o.shape,
        "output": trace.output.shape,
    }


def test_the_chain_of_the_default_layer() -> None:
    frame = heads_frame(HeadsSetup(mask=CAUSAL, temperature=0.5))
    boxes = layer_shapes(frame)
    assert [box.name for box in boxes] == [
        *("X", "Q", "K", "V", "scores", "÷ √8", "mask", "÷ 0.5", "softmax", "· V", "concat", "W_O", "output")
    ]
    assert [box.role for box in boxes[1:4]] == [Role.QUERY, Role.KEY, Role.VALUE]
    assert [box.name for box in boxes if box.beside] == ["K", "V", "W_O"]
    assert boxes[0].shape == boxes[-1].shape == (11, 64)


def test_hand_made_heads_have_no_projections() -> None:
    frame = heads_frame(HeadsSetup(HandMadeRecipe("The cat sat"), hard=True, scaled=False))
    names = [box.name for box in layer_shapes(frame)]
    assert names == ["Q", "K", "V", "scores", "arg max", "· V"]


@pytest.mark.parametrize(
    ("setup", "steps"),
    [
        (HeadsSetup(), ("÷ √8 = ÷ 2.83", "no mask", "softmax over each row")),
        (HeadsSetup(ToyRecipe(d_k=16), scaled=False), ("not scaled", "no mask", "softmax over each row")),
        (HeadsSetup(ToyRecipe(d_k=16)), ("÷ √16 = ÷ 4", "no mask", "softmax over each row")),
        (
            HeadsSetup(mask=CAUSAL, temperature=0.5),
            ("÷ √8 = ÷ 2.83", "mask: 55 cells hidden", "÷ T = 0.5, then softmax"),
        ),
        (
            HeadsSetup(mask=MaskChoice(hidden=frozenset({(0, 1)})), hard=True, temperature=3.0),
            ("÷ √8 = ÷ 2.83", "mask: 1 cell hidden", "arg max of each row"),
        ),
    ],
)
def test_steps_say_what_is_done(setup: HeadsSetup, steps: tuple[str, str, str]) -> None:
    assert stage_steps(heads_frame(setup)) == steps


def test_pictures_show_each_stage_of_the_head() -> None:
    frame = heads_frame(HeadsSetup(mask=CAUSAL, head=5))
    pictures = stage_pictures(frame, HeadsView(contrast=Contrast.MAX, colour_map="magma"))
    masked_stages = (Stage.MASKED, Stage.WEIGHTS)
    for stage, picture in zip(Stage, pictures, strict=True):
        np.testing.assert_array_equal(picture.values, frame.layers[0].maps[5].stage(stage))
        np.testing.assert_array_equal(picture.masked, ~causal_mask(11) & (stage in masked_stages))
    raw, scaled, masked, weights = pictures
    assert raw.scale.high == np.abs(raw.values).max() == pytest.approx(scaled.scale.high * np.sqrt(8))
    assert (masked.scale.low, masked.scale.high) == (scaled.scale.low, scaled.scale.high)
    assert weights.scale.kind is ScaleKind.LINEAR
    assert weights.scale.high == weights.values.max()
    assert weights.colour_map == "magma"


def test_an_aggregate_shows_the_stages_of_its_head() -> None:
    one = heads_frame(HeadsSetup(head=2))
    mean = heads_frame(HeadsSetup(ToyRecipe(layers=2), head=2, layer=1, aggregate=Aggregate.MEAN))
    assert stages_picture(one, HeadsView()).note == ""
    picture = stages_picture(mean, HeadsView(), (4, 4))
    assert picture.note == "Several heads in one have weights only: these are the stages of layer 2, head 3."
    assert picture.layer_heading == "the whole layer 2 of 2"
    assert picture.layer_badge == "8 heads × 11 × 11"
    assert [stage.values.shape for stage in picture.pictures] == [(4, 4)] * 4
