"""The programs of the pages: each is run in an empty namespace, and gives what the page exports, digit by digit."""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_explorer.core.mask import MaskChoice, MaskKind
from attention_explorer.core.preset import preset_of
from attention_explorer.core.script import MOST_PRINTED, Program, Script, literal
from attention_explorer.errors import ExplorerError
from attention_explorer.model import Stage
from attention_explorer.model.score_draws import EntryDistribution, ScoreSource
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.presets import HEADS_PRESETS
from attention_explorer.pages.heads.state import Aggregate, HeadsSetup, HeadsState, Hidden, Picture
from attention_explorer.pages.lab.cost_state import CostPicture, CostState, Quantity, Scope
from attention_explorer.pages.lab.scores_state import BenchState, GainRule, ScalingPicture, ScalingState
from attention_explorer.pages.lab.scores_state import Precision as BenchPrecision
from attention_explorer.pages.lookup.state import LookupState, LookupView, Overlay, ValueKind
from attention_explorer.pages.positions.clocks import clocks_picture
from attention_explorer.pages.positions.kinds.registry import PositionKind
from attention_explorer.pages.positions.state import Likeness, PositionsPicture, PositionsState, RotaryLayout
from attention_explorer.pages.registry import PAGE_IDS, PAGES, ReadyMade, in_view, presets_of
from attention_explorer.pages.row_as_lookup import as_lookup
from attention_explorer.pages.stack.choices import BlockPicture, Initialiser
from attention_explorer.pages.stack.learned import learned_block
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.pages.training.presets import TRAINING_PRESETS
from attention_explorer.sources.learned.box import BOX
from attention_explorer.sources.learned.tasks import TASKS
from attention_explorer.sources.model_source import model_recipe
from attention_explorer.sources.recipe import Encoding, Projections, TokenVectors, ToyRecipe
from attention_explorer.sources.recorded_recipe import BoxRecipe
from attention_explorer.tools.code.programs import DIFFERENCES, program_of

ROUNDING = {np.dtype(np.float32): 2e-6, np.dtype(np.float16): 0.0}
"""How far the numbers of a type may be from those of the page, as a share of the largest."""
NOISE = {"difference_v"}
"""What is nothing but rounding: no two ways of computing it agree on that."""
OTHERS = {
    "heads": {"queries", "keys"},
    "lookup": {"places"},
    "positions": set[str](),
}
"""What exports call as a program calls something else: tokens, or places counted from 1."""


def run(program: Program, folder: Any) -> dict[str, Any]:
    """Run a program where nothing is but what Python itself has; return all that it has made."""
    if program.data:
        np.savez(folder / f"{program.name}.npz", allow_pickle=False, **program.data)
    made: dict[str, Any] = {"__builtins__": builtins}
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        exec(compile(program.text, program.name, "exec"), made)  # noqa: S102 - what a person would do with it
    return made


def compare(page: str, state: ExplorerState, folder: Any, least: int = 1) -> Program:
    """Run the program of a page and compare all that has the name of an exported array with that."""
    page, state = in_view(state, page)
    program = program_of(page, state)
    made = run(program, folder)
    exported = next(entry for entry in PAGES if entry.id == page).figure(state).numbers().arrays
    same = [name for name in exported if name in made and name not in OTHERS.get(page, ())]
    assert len(same) >= least
    assert program.main in same or state.positions.picture is PositionsPicture.CLOCKS
    for name in same:
        agree(name, np.asarray(exported[name]), np.asarray(made[name]))
    return program


def agree(name: str, shown: np.ndarray, made: np.ndarray) -> None:
    """Compare numbers to the last digit but rounding, and what is printed of them to a unit of its last digit."""
    assert made.shape == shown.shape, name
    if shown.dtype.kind not in "fc":
        assert made.tolist() == shown.tolist(), name
        return
    finite = np.abs(shown[np.isfinite(shown)])
    scale = float(finite.max(initial=0.0))
    rounding = ROUNDING.get(shown.dtype, 1e-12)
    if name in NOISE:
        assert np.abs(made).max() <= 1e-11 * max(scale, 1.0)
        return
    np.testing.assert_allclose(
        made.astype(np.float64), shown.astype(np.float64), rtol=rounding, atol=rounding * scale, err_msg=name
    )
    counts = np.isfinite(shown) & (np.abs(shown) > 1e-9 * scale)  # what is 0 but for rounding is printed as rounding
    here, there = shown[counts].astype(np.float64), made[counts].astype(np.float64)
    printed = 4 if shown.dtype == np.float32 else 6
    assert (np.abs(here - there) <= 10.0 ** (np.floor(np.log10(np.abs(here))) + 1 - printed)).all(), name


def few_draws(state: ExplorerState) -> ExplorerState:
    """Return a state that takes no seconds: the program draws as often as the page."""
    return replace(state, scaling=replace(state.scaling, draws=90))


@pytest.mark.parametrize(
    "ready",
    [ready for page in PAGE_IDS for ready in presets_of(page) if (page, ready.id) != ("positions", "long")],
    ids=lambda ready: f"{ready.page}-{ready.id}",
)
def test_every_preset_has_a_program_that_gives_its_numbers(ready: ReadyMade, tmp_path) -> None:
    program = compare(ready.page, few_draws(ready.state), tmp_path)
    imports = [node for node in ast.walk(ast.parse(program.text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imports] == ["import numpy as np"]
    assert max(map(len, program.text.splitlines())) <= 120


LOOKUPS = (
    {"hard": True},
    {"scaled": True, "temperature": 0.37},
    {"values": ValueKind.NUMBERS, "overlays": frozenset({Overlay.TARGET}), "temperature": 3.0},
    {"values": ValueKind.VECTORS, "hard": True, "overlays": frozenset({Overlay.TARGET})},
    {"overlays": frozenset({Overlay.OTHER}), "temperature": 2.0},
    {"overlays": frozenset({Overlay.OTHER}), "temperature": 2.0, "hard": True},
    {"query": (0.0, 0.0)},
    {"query": (900000.0, -123.456)},
    {"view": LookupView.GRADIENT, "overlays": frozenset[Overlay]()},
)


@pytest.mark.parametrize("changes", LOOKUPS)
def test_lookups_of_every_kind(changes: dict[str, Any], tmp_path) -> None:
    compare("lookup", ExplorerState(lookup=replace(LookupState(), **changes)), tmp_path, least=10)


@pytest.mark.parametrize(
    "changes", [{}, {"hard": True, "overlays": frozenset({Overlay.OTHER})}, {"temperature": 2.0, "query": (0.4, -1.3)}]
)
@pytest.mark.parametrize("preset", ["random-words", "causal", "learned-it", "translation"])
def test_a_row_of_a_head(preset: str, changes: dict[str, Any], tmp_path) -> None:
    heads = preset_of(HEADS_PRESETS, preset).state
    state = as_lookup(ExplorerState(heads=heads), heads_frame(heads.setup), 2)
    compare("lookup", replace(state, lookup=replace(state.lookup, **changes)), tmp_path, least=5)


@pytest.mark.parametrize("hard", [False, True])  # where the curves are those of the soft lookup
@pytest.mark.parametrize("preset", ["", "random-words", "causal", "learned-it", "translation"])
def test_the_weights_at_every_temperature(preset: str, hard: bool, tmp_path) -> None:
    state = ExplorerState(lookup=replace(LookupState(), scaled=True))
    if preset:
        heads = preset_of(HEADS_PRESETS, preset).state
        state = as_lookup(ExplorerState(heads=heads), heads_frame(heads.setup), 2)
    shown = replace(state.lookup, view=LookupView.TEMPERATURE, hard=hard)
    program = compare("lookup", replace(state, lookup=shown), tmp_path, least=2)
    assert program.main == "weights"


PAINTED = MaskChoice(MaskKind.CAUSAL, hidden=frozenset({(2, 1), (4, 4)}), shown=frozenset({(0, 3)}))
NOTHING_SEEN = MaskChoice(MaskKind.STRICT)
WORDS = "the cat saw the dog because it was near"
RECIPES = (
    ToyRecipe(WORDS, layers=3, d_model=24, heads=4),
    ToyRecipe(WORDS, vectors=TokenVectors.BY_POSITION, d_model=20, heads=2, d_v=7, embedding_scale=1.7),
    ToyRecipe(WORDS, vectors=TokenVectors.BY_POSITION, encoding=Encoding.SINUSOIDAL, d_model=16, heads=4, layers=2),
    ToyRecipe(WORDS, projections=Projections.TIED, d_model=12, heads=3, d_k=5, seed=7),
    ToyRecipe(WORDS, projections=Projections.IDENTITY, d_model=8, heads=2, layers=2),
    ToyRecipe("le chat noir", context=WORDS, vectors=TokenVectors.BY_POSITION, d_model=16, heads=4, layers=2),
    ToyRecipe("a b", d_model=4, heads=1, vectors=TokenVectors.GIVEN, given=((1.0, 0.5, 0.0, 2.0), (0.1, 1, 1, 1))),
)
SETUPS = (
    {"layer": 2, "head": 1},
    {"aggregate": Aggregate.MEAN, "layer": 1},
    {"aggregate": Aggregate.MAX, "switched_off": frozenset({(0, 0), (1, 1)})},
    {"mask": PAINTED, "temperature": 0.5, "scaled": False},
    {"mask": NOTHING_SEEN, "hard": True, "head": 1},
    {"mask": MaskChoice(MaskKind.WINDOW, 2), "layer": 1},
)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("changes", SETUPS)
def test_random_heads_however_they_are_made(recipe: ToyRecipe, changes: dict[str, Any], tmp_path) -> None:
    compare("heads", ExplorerState(heads=HeadsState(HeadsSetup(recipe, **changes))), tmp_path)


@pytest.mark.parametrize("identity", [True, False])
@pytest.mark.parametrize("recipe", [RECIPES[0], RECIPES[2], BoxRecipe()])
def test_a_rollout(recipe: Any, identity: bool, tmp_path) -> None:
    off = frozenset({(0, 1)})
    setup = HeadsSetup(recipe, aggregate=Aggregate.ROLLOUT, identity=identity, switched_off=off)
    compare("heads", ExplorerState(heads=HeadsState(setup)), tmp_path)


@pytest.mark.parametrize("preset", ["random-words", "hand-made", "learned-repeat", "learned-translation", "minilm"])
@pytest.mark.parametrize(
    "changes",
    [
        *({"stage": stage} for stage in Stage),
        {"picture": Picture.STAGES},
        {"picture": Picture.ROW},
        {"picture": Picture.ROW, "row": None, "column": 1},
        {"hidden": Hidden.FIRST},
        {"hidden": Hidden.PUNCTUATION, "hidden_tokens": frozenset({"cat", "a"})},
        {"value_weighted": True, "hidden": Hidden.FIRST},
        {"picture": Picture.LINES, "hidden_tokens": frozenset({"cat", "a"})},
    ],
)
def test_however_a_head_is_shown(preset: str, changes: dict[str, Any], tmp_path) -> None:
    state = preset_of(HEADS_PRESETS, preset).state
    if preset == "minilm" and changes.get("picture") is Picture.STAGES:
        pytest.skip("Only its weights were recorded: the page has no stages to show either.")
    compare("heads", ExplorerState(heads=state.with_view(**changes)), tmp_path)


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "t5", "bart"])
@pytest.mark.parametrize(
    "changes",
    [
        {"layer": 1, "head": 2},
        {"aggregate": Aggregate.MEAN, "mask": MaskChoice(MaskKind.WINDOW, 3)},
        {"aggregate": Aggregate.ROLLOUT},
        {"hard": True},
        {"temperature": 0.5, "scaled": False},
    ],
)
def test_heads_of_trained_models(name: str, changes: dict[str, Any], tmp_path) -> None:
    recipe = model_recipe(Path(__file__).parents[1] / "data" / "models" / name, WORDS)
    compare("heads", ExplorerState(heads=HeadsState(HeadsSetup(recipe, **changes))), tmp_path)


def test_a_map_that_would_fill_a_disk_has_no_program(monkeypatch) -> None:
    monkeypatch.setattr("attention_explorer.pages.heads.program.MOST_CELLS", 100)
    with pytest.raises(ExplorerError, match="Choose a shorter text or one head"):
        program_of("heads", ExplorerState(heads=preset_of(HEADS_PRESETS, "minilm").state))
    assert program_of("heads", ExplorerState(heads=preset_of(HEADS_PRESETS, "random-words").state)).text


def test_recorded_weights_say_that_nothing_computes_them() -> None:
    program = program_of("heads", ExplorerState(heads=preset_of(HEADS_PRESETS, "minilm").state))
    assert "Only the weights are known" in program.note
    assert set(program.data) == {"weights"}


POSITIONS = (
    {},
    {"causal": True, "concatenated": True, "layout": RotaryLayout.INTERLEAVED, "likeness": Likeness.DISTANCE,
     "heads": 6, "head": 4, "d_model": 30, "length": 23, "embedding_scale": 2.5, "base": 100.0},
    {"causal": True, "embedding_scale": 8.0, "length": 5, "position": 3, "shift": 2, "sentence": "one two three"},
)  # fmt: skip


@pytest.mark.parametrize("picture", list(PositionsPicture))
@pytest.mark.parametrize("kind", list(PositionKind))
@pytest.mark.parametrize("changes", POSITIONS)
def test_positions_of_every_kind(
    kind: PositionKind, picture: PositionsPicture, changes: dict[str, Any], tmp_path
) -> None:
    state = PositionsState(kind=kind, picture=picture, **changes)
    whole = ExplorerState(positions=state)
    turns = kind in (PositionKind.SINUSOIDAL, PositionKind.ROTARY, PositionKind.PARTIAL)
    has_table = kind is not PositionKind.NONE
    if (picture is PositionsPicture.CLOCKS and not turns) or (picture is PositionsPicture.ENCODING and not has_table):
        with pytest.raises(ExplorerError, match=r"encoding|clocks"):
            program_of("positions", whole)
        return
    compare("positions", whole, tmp_path)


@pytest.mark.parametrize("kind", [PositionKind.SINUSOIDAL, PositionKind.ROTARY, PositionKind.PARTIAL])
def test_the_hands_of_the_clocks(kind: PositionKind, tmp_path) -> None:
    state = PositionsState(kind=kind, picture=PositionsPicture.CLOCKS, position=7, shift=5, d_model=12)
    made, shown = run(program_of("positions", ExplorerState(positions=state)), tmp_path), clocks_picture(state, (9, 9))
    assert shown.matrix is not None
    for name, numbers in (("angles", shown.angles), ("advances", shown.advances), ("turn", shown.matrix.values)):
        agree(name, np.asarray(numbers), made[name])


BLOCKS = (
    {"norm": "pre", "causal": True, "layers": 3, "layer": 2, "activation": "silu_gated", "batch": 2, "head": 3,
     "initialiser": Initialiser.XAVIER},
    {"norm": "none", "residual": False, "feed_forward": False, "layers": 2, "layer": 1, "encoding": False,
     "initialiser": Initialiser.NUMBER, "gain": 0.1, "embedding_scale": 2.0},  # with 0.3 last digits decide ties
    {"norm": "post", "norm_kind": "rms", "eps_inside_sqrt": False, "eps": 1e-3, "activation": "gelu", "layers": 2,
     "initialiser": Initialiser.NORMALISED, "causal": True, "token": 2, "changed_token": 1, "decoded": 5},
    {"activation": "gelu_tanh", "residual": False, "d_model": 96, "d_ff": 100, "heads": 6, "layers": 2, "layer": 1,
     "factor": -3.0},
    {"biases": True, "gains": True, "norm": "pre", "layers": 2, "layer": 1, "causal": True},
    {"biases": True, "gains": True, "norm": "post", "norm_kind": "rms", "activation": "silu_gated"},
    {"sentence": "a b", "d_model": 2, "heads": 2, "d_ff": 8, "layers": 2, "batch": 2,
     "typed_x": ((1.0, 0.5), (0.0, 2.0)), "typed_k": ((1.0, 0.0), (0.25, -1.0))},
    {"dropout": True, "dropout_rate": 0.3, "dropout_seed": 5, "layers": 2, "layer": 1, "causal": True, "batch": 2},
    {"dropout": True, "dropout_rate": 0.5, "feed_forward": False, "norm": "pre"},
    {"mask": MaskChoice(MaskKind.PREFIX, 2, hidden=frozenset({(0, 0), (0, 1)})), "causal": True},
)  # fmt: skip


@pytest.mark.parametrize("picture", list(BlockPicture))
@pytest.mark.parametrize("changes", BLOCKS)
def test_blocks_of_every_kind(picture: BlockPicture, changes: dict[str, Any], tmp_path) -> None:
    compare("block", ExplorerState(block=BlockState(picture=picture, **changes)), tmp_path, least=2)


LEARNED_BLOCKS = (
    learned_block(*BOX["it"], "The cat sat on the mat because it was tired."),
    replace(learned_block(*BOX["repeat"], "a b c a b"), layer=1),
    replace(
        learned_block(replace(TASKS["reverse"].setup, length=4, d_model=8, heads=2, d_ff=6, layers=2), 3, "a b c d"),
        layer=1,
    ),
)


@pytest.mark.parametrize("picture", sorted({*BlockPicture} - {BlockPicture.DEPTH, BlockPicture.NORM}))
@pytest.mark.parametrize("state", LEARNED_BLOCKS)
def test_blocks_that_were_learned(picture: BlockPicture, state: BlockState, tmp_path) -> None:
    program = compare("block", ExplorerState(block=replace(state, picture=picture)), tmp_path, least=2)
    assert "how it was learned is not in the program" in program.note


@pytest.mark.parametrize("picture", [ScalingPicture.SCORES, ScalingPicture.GROWTH])
@pytest.mark.parametrize("source", list(ScoreSource))
@pytest.mark.parametrize("distribution", list(EntryDistribution))
def test_scores_that_are_drawn(
    picture: ScalingPicture, source: ScoreSource, distribution: EntryDistribution, tmp_path
) -> None:
    rule = GainRule.HE if distribution is EntryDistribution.LAPLACE else GainRule.NUMBER
    state = ScalingState(
        picture=picture, source=source, distribution=distribution, draws=45, d_k=12, d_model=10, rule=rule
    )
    compare("scaling", ExplorerState(scaling=state), tmp_path, least=16)


@pytest.mark.parametrize("precision", list(BenchPrecision))
@pytest.mark.parametrize("subtract_max", [True, False])
@pytest.mark.parametrize("over_queries", [True, False])
def test_the_softmax_bench(precision: BenchPrecision, subtract_max: bool, over_queries: bool, tmp_path) -> None:
    rows = ((2.0, 1.0, 0.0), (12.0, -3.0, 90.0), (-800.0, 5.5, 0.25))
    bench = BenchState(rows, 1, 0, 1.5, -0.5, precision, subtract_max, over_queries)
    state = ScalingState(picture=ScalingPicture.BENCH, bench=bench)
    compare("scaling", ExplorerState(scaling=state), tmp_path, least=9)


@pytest.mark.parametrize("picture", list(CostPicture))
@pytest.mark.parametrize("quantity", list(Quantity))
@pytest.mark.parametrize("scope", list(Scope))
@pytest.mark.parametrize("windowed", [True, False])
def test_costs(picture: CostPicture, quantity: Quantity, scope: Scope, windowed: bool, tmp_path) -> None:
    state = CostState(n=96, window=32, windowed=windowed, picture=picture, quantity=quantity, scope=scope, decay=0.7)
    compare("cost", ExplorerState(cost=state), tmp_path)


@pytest.mark.parametrize("preset", ["it", "it-hard", "dictionary", "translation-mixed", "brackets"])
def test_a_step_that_was_learned_and_broken(preset: str, tmp_path) -> None:
    state = replace(
        preset_of(TRAINING_PRESETS, preset).state,
        step=6,
        off=frozenset({(0, 0)}) if preset == "brackets" else frozenset(),
        hidden=frozenset({(1, 0), (3, 2)}),
    )
    program = compare("training", ExplorerState(training=state), tmp_path, least=2)
    assert "how it was learned is not in the program" in program.note


def test_what_cannot_be_shown_has_no_program() -> None:
    for page, state in (
        ("block", ExplorerState(block=BlockState(heads=5))),
        ("cost", ExplorerState(cost=CostState(heads=5))),
        ("positions", ExplorerState(positions=PositionsState(picture=PositionsPicture.ORDER, sentence="one"))),
        ("heads", ExplorerState(heads=HeadsState(HeadsSetup(ToyRecipe(""))))),
    ):
        with pytest.raises(ExplorerError):
            program_of(page, state)


# ---- Numbers as text ----

NUMBERS = hnp.arrays(
    st.sampled_from((np.float64, np.float32, np.float16, np.int64, np.int32, np.bool_)),
    hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4),
)


@settings(max_examples=150, deadline=None)
@given(NUMBERS)
def test_an_array_is_read_back_to_the_last_bit(array: np.ndarray) -> None:
    again = eval(literal(array), {"np": np})  # noqa: S307 - what was written a line above
    assert (again.dtype, again.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(again, array)
    assert array.dtype.kind != "f" or (np.signbit(again) == np.signbit(array))[~np.isnan(array)].all()


@pytest.mark.parametrize("value", [1, 0.1, -0.0, float("inf"), True, "l'été", ("a",), (), (1.5, "b"), np.array(["é"])])
def test_other_values_are_read_back(value: object) -> None:
    again = eval(literal(value), {"np": np})  # noqa: S307
    assert np.array_equal(again, value)
    assert type(again) is type(value)


@pytest.mark.parametrize("value", [None, [1.0], np.array([None]), np.array([1j])])
def test_nothing_else_is_written(value: object) -> None:
    with pytest.raises(TypeError):
        literal(value)


def test_many_numbers_go_into_the_file_beside_it_whatever_that_is_called(tmp_path) -> None:
    script = Script("lookup", "A test")
    script.give(few=np.arange(MOST_PRINTED) / 3, many=np.arange(MOST_PRINTED + 1) / 3)
    script.do("total = few.sum() + many.sum()")
    program = script.program("total").named("l'été")
    assert set(program.data) == {"many"}
    made = run(program, tmp_path)
    assert (tmp_path / "l'été.npz").exists()
    assert made["total"] == pytest.approx(sum(range(32)) / 3 + sum(range(33)) / 3)


def test_what_pytorch_does_otherwise_names_what_people_trip_over() -> None:
    said = " ".join(" ".join(row) for row in DIFFERENCES)
    for word in ("average_attn_weights", "attn_mask", "xavier_uniform_", "bias=False", "batch_first"):
        assert word in said
