"""The programs of the Lab page: of scores, of what attention costs, and of what a layer does to its numbers."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.core.script import LEARNED, SINUSOIDS, Program, Script
from attention_explorer.model import NormKind, NormPlacement
from attention_explorer.pages.lab.cost_program import cost_program
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.depth import DRAWS, TOKENS, depth_setting
from attention_explorer.pages.lab.norm import FEATURES, LARGEST_SCALE, LEAST_SCALE, STEPS_PER_DECADE
from attention_explorer.pages.lab.scores_program import scaling_program
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.program import (
    do_drawing,
    do_functions,
    give_stack,
    indented,
    layer_lines,
    weigh_lines,
)
from attention_explorer.pages.stack.stack import check_sizes
from attention_explorer.pages.stack.state import BlockState

NO_GRADIENT = (
    "The gradient is not in the program: the way back through norm, network and attention takes twice as many lines. "
    "What becomes of the tokens is."
)


def lab_program(state: ScalingState | CostState | BlockState) -> Program:
    """Return the program of the picture on show; an ExplorerError if its settings do not go together."""
    if isinstance(state, ScalingState):
        return scaling_program(state)
    return cost_program(state) if isinstance(state, CostState) else _layers(state)


def _layers(state: BlockState) -> Program:
    check_sizes(state)
    title, make = {
        BlockPicture.DEPTH: ("Gradient and tokens against depth", _depth),
        BlockPicture.NORM: ("What a norm does to rows of any size", _norm),
        BlockPicture.LINEAR: ("Scale V, scale X: what follows", _linear),
    }[state.picture]
    program = make(Script("block", f"{title}."), state)
    return program if state.learned is None else replace(program, note=LEARNED)


def _depth(script: Script, state: BlockState) -> Program:
    setting = depth_setting(state)
    script.given(f"n, d_model, heads, d_ff, layers = {TOKENS}, {setting.d_model}, {setting.heads}, {setting.d_ff}, "
                 f"{setting.layers}")  # fmt: skip
    if state.encoding:
        script.do(SINUSOIDS)
    do_functions(script, full := replace(state, feed_forward=True))  # the survey always has it
    _do_drawing_of_depth(script, full)
    lines, found = layer_lines(full)
    encoded = " + sinusoids(np.arange(n), d_model)" if state.encoding else ""
    script.do("token_cosines, token_norms = [], []")
    script.do(indented(f"for draw_number in range({DRAWS}):", [
        f"stream = np.random.RandomState({state.seed} + draw_number)",
        f"x = stream.randn(n, d_model){encoded}",
        "levels, matrices = [x], [draw_layer() for _ in range(layers)]",
        "for layer in range(layers):",
        *(f"    {line}" for line in lines),
        f"    x = {found}",
        "    levels.append(x)",
        "token_cosines.append([mean_cosine(level) for level in levels])",
        "token_norms.append([np.linalg.norm(level, axis=-1).mean() for level in levels])",
    ]))  # fmt: skip
    script.do("token_cosines, token_norms = np.array(token_cosines), np.array(token_norms)  # (draws, layers + 1)")
    return script.program("token_cosines", NO_GRADIENT)


def _do_drawing_of_depth(script: Script, state: BlockState) -> None:
    do_drawing(script, state)
    script.do("""
        def mean_cosine(rows):  # of all pairs of different tokens
            units = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
            cosines = units @ units.T
            return (cosines.sum() - np.trace(cosines)) / (n * (n - 1))
    """)


def _norm(script: Script, state: BlockState) -> Program:
    steps = f"round(np.log10({LARGEST_SCALE!r} / {LEAST_SCALE!r}) * {STEPS_PER_DECADE}) + 1"
    script.give(seed=state.seed, eps=state.eps)
    script.give("the standard deviation of the row", norm_scale=state.norm_scale)
    centred = "rows - rows.mean(axis=-1, keepdims=True)" if state.norm_kind is NormKind.LAYER else "rows"
    script.do(f"""
        def norm(rows, eps_under_root):
            centred = {centred}
            mean_square = (centred**2).mean(axis=-1, keepdims=True)
            return centred / (np.sqrt(mean_square + eps) if eps_under_root else np.sqrt(mean_square) + eps)
    """)
    script.do(f"""
        unit = np.random.RandomState(seed).randn({FEATURES})
        unit = unit - unit.mean()
        unit = unit / unit.std()
        input_std = np.geomspace({LEAST_SCALE!r}, {LARGEST_SCALE!r}, {steps})
        output_std_eps_under_root = norm(input_std[:, None] * unit, True).std(axis=-1)
        output_std_eps_beside_root = norm(input_std[:, None] * unit, False).std(axis=-1)
        row = norm_scale * unit
        row_after_eps_under_root, row_after_eps_beside_root = norm(row, True), norm(row, False)
    """)
    return script.program("output_std_eps_under_root")


def _linear(script: Script, state: BlockState) -> Program:
    give_stack(script, state)
    script.give("by which V, then X is multiplied", factor=state.factor)
    last = state.layer_shown
    alone = state if last else replace(state, feed_forward=False)
    do_functions(script, alone)
    lines, found = layer_lines(alone)
    if last:
        script.do(indented(f"for layer in range({last}):", [*lines, f"x = {found}"]))
    script.do(f"w_q, w_k, w_v, w_o = matrices[{last}][:4]")
    script.do(indented("def attend(x):", [
        "q, k, v = split(x @ w_q), split(x @ w_k), split(x @ w_v)",
        *weigh_lines(state),
        "return weights, v, output_of(weights, v)",
    ]))  # fmt: skip
    script.do("""
        def output_of(weights, v):
            return (weights @ v).swapaxes(0, 1).reshape(n, d_model) @ w_o
    """)
    if state.norm is NormPlacement.PRE:
        script.do("x = norm(x)  # what attention reads")
    script.do("""
        weights, v, output = attend(x)
        scaled_output = factor * output
        output_of_scaled_v = output_of(weights, factor * v)  # the same weights, other values
        output_of_scaled_x = attend(factor * x)[2]
        difference_v, difference_x = output_of_scaled_v - scaled_output, output_of_scaled_x - scaled_output
    """)
    return script.program("difference_x")
