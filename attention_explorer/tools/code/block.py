"""The programs of the Layer page: a layer, a stack of them, and what is tried on them."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.core.mask import MaskChoice
from attention_explorer.errors import ExplorerError
from attention_explorer.model import Activation, Dropout, NormKind, NormPlacement
from attention_explorer.pages.lab.depth import DRAWS, TOKENS, depth_setting
from attention_explorer.pages.lab.norm import FEATURES, LARGEST_SCALE, LEAST_SCALE, STEPS_PER_DECADE
from attention_explorer.pages.layer.cache import decoded_shown
from attention_explorer.pages.layer.diagram import diagram_picture
from attention_explorer.pages.layer.future import NOISE, changed_shown
from attention_explorer.pages.layer.wording import layer_title
from attention_explorer.pages.stack.choices import BlockPicture, Initialiser, LearnedStack
from attention_explorer.pages.stack.learned import learned_layers
from attention_explorer.pages.stack.stack import BIAS, GAIN, check_sizes, typed_arrays
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.tokens import tokens_in
from attention_explorer.tools.code.script import LEARNED, MASKED_SOFTMAX, SINUSOIDS, SOFTMAX, Program, Script

NO_GRADIENT = (
    "The gradient is not in the program: the way back through norm, network and attention takes twice as many lines. "
    "What becomes of the tokens is."
)
_DEVIATIONS = {
    Initialiser.HE: "np.sqrt(2 / d_in)",
    Initialiser.NORMALISED: "1 / np.sqrt(d_in)",
    Initialiser.XAVIER: "np.sqrt(2 / (d_in + d_out))",
}
_ACTIVATIONS = {
    Activation.RELU: """
        def activate(x):
            return np.maximum(x, 0.0)
    """,
    Activation.GELU: """
        def activate(x):  # x Φ(x); NumPy has no Φ, so the series Σ x^(2n + 1) ÷ (1 · 3 · … (2n + 1))
            z = np.clip(x, -9.0, 9.0)
            term, total = z, z
            for n in range(1, 150):
                term = term * z * z / (2 * n + 1)
                total = total + term
            return x * (0.5 + total * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi))
    """,
    Activation.GELU_TANH: """
        def activate(x):
            return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    """,
    Activation.SILU_GATED: """
        def activate(x):  # x ÷ (1 + e^−x)
            return 0.5 * x * (1 + np.tanh(0.5 * x))
    """,
}

_TITLES = {
    BlockPicture.FUTURE: "Replace a token: which rows change",
    BlockPicture.CACHE: "Decode token by token with a KV cache",
    BlockPicture.DEPTH: "Gradient and tokens against depth",
    BlockPicture.NORM: "What a norm does to rows of any size",
    BlockPicture.LINEAR: "Scale V, scale X: what follows",
}


def block_program(state: BlockState) -> Program:
    """Return the program of the picture on show.

    Raises
    ------
    ExplorerError
        The sizes do not go together, or a number leaves the float range.
    """
    if state.model_shown is not None:
        is_whole = not state.cut and state.drops is None and not state.lacks
        cut = "" if is_whole else " Nothing is cut or left out there."
        raise ExplorerError(f"This layer is that of what Heads shows, and so is its program: open Code there.{cut}")
    check_sizes(state)
    title = _TITLES.get(state.picture) or layer_title(state, state.layers)
    script = Script("block", title.replace('"', "'").rstrip(".") + ".")
    make = {
        BlockPicture.LAYER: _layer,
        BlockPicture.DEPTH: _depth,
        BlockPicture.NORM: _norm,
        BlockPicture.LINEAR: _linear,
        BlockPicture.FUTURE: _future,
        BlockPicture.CACHE: _cache,
    }[state.picture]
    program = make(script, state)
    return program if state.learned is None else replace(program, note=LEARNED)


# ---- What the pictures share ----


def _give_stack(script: Script, state: BlockState, *, one: bool = True) -> None:
    """Begin with the sizes, the vectors of the tokens and the matrices; of the first sequence alone, or of all."""
    tokens = tokens_in(state.sentence)
    script.given(f"words = {tokens!r}")
    script.given(f"n, d_model, heads, d_ff, layers = {len(tokens)}, {state.d_model}, {state.heads}, {state.d_ff}, "
                 f"{state.layers}")  # fmt: skip
    if state.learned is not None:
        _give_learned(script, state, state.learned, one=one)
        return
    script.give(seed=state.seed)
    if state.encoding:
        script.do(SINUSOIDS)
    script.do("stream = np.random.RandomState(seed)")
    _do_drawing(script, state)
    scale = "" if state.embedding_scale == 1.0 else f" * {state.embedding_scale!r}"
    first = "[0]" if one else ""
    script.do(f"x = stream.randn({state.batch}, n, d_model){first}{scale}  # a vector for each word")
    typed = {name: array for name, array in typed_arrays(state).items() if not one}
    if typed:
        script.give("typed", **typed)
    if "typed_x" in typed:
        script.do("x[0] = typed_x")
    if state.encoding:
        script.do("x = x + sinusoids(np.arange(n), d_model)")
    script.do("matrices = [draw_layer() for _ in range(layers)]")
    matrices = [f"typed_{name}" if f"typed_{name}" in typed else f"matrices[0][{at}]" for at, name in enumerate("qkv")]
    if typed.keys() - {"typed_x"}:
        script.do(f"matrices[0] = ({', '.join(matrices)}, *matrices[0][3:])")


def _give_learned(script: Script, state: BlockState, learned: LearnedStack, *, one: bool) -> None:
    """Begin with the vectors of the words and the matrices that were learned, and with the seed of any noise."""
    _, x, stack = learned_layers(learned, state.sentence)
    arrays = {"x": x[0] if one else x}
    for number, layer in enumerate(stack.layers):
        attention, network = layer.attention, layer.feed_forward
        named = {name: getattr(attention, name) for name in ("w_q", "w_k", "w_v", "w_o")}
        if state.feed_forward:
            named |= {"w_1": network.w1, "b_1": network.b1, "w_2": network.w2, "b_2": network.b2}
        arrays |= {f"{number}.{name}": array for name, array in named.items()}
    script.hold("what was learned: a vector for each word in its place, and matrices", arrays)
    script.give(seed=state.seed)
    script.do('x = data["x"]')
    names = ", ".join(f'"{name}"' for name in named)
    script.do(f'matrices = [[data[f"{{layer}}.{{name}}"] for name in ({names})] for layer in range(layers)]')


def _names(state: BlockState) -> str:
    """Return what the matrices of a layer are called, in their order."""
    names = "w_q, w_k, w_v, w_o"
    if state.learned is not None:
        return f"{names}, w_1, b_1, w_2, b_2" if state.feed_forward else names
    return ", ".join(
        (names, "w_1", "w_2", *(("w_3",) if state.activation is Activation.SILU_GATED else ()), *_more(state))
    )


def _more(state: BlockState) -> tuple[str, ...]:
    """Return what biases and gains of a layer that is drawn are called, in the order in which they are."""
    if state.learned is not None:
        return ()
    biases = ("b_q", "b_k", "b_v", "b_o", "b_1", "b_2") if state.has_biases else ()
    each = ("gain", "bias") if state.norm_kind is NormKind.LAYER else ("gain",)
    return *biases, *(f"{name}_{place}" for place in (1, 2) for name in each if state.has_gains)


def _do_drawing(script: Script, state: BlockState) -> None:
    deviation = _DEVIATIONS.get(state.initialiser, repr(state.gain))
    gated = ", draw(d_model, d_ff)" if state.activation is Activation.SILU_GATED else ""
    script.do(f"""
        def draw(d_in, d_out):
            return stream.randn(d_in, d_out) * {deviation}
    """)
    if _more(state):
        script.do("more = np.random.RandomState([seed, 1])")
        lines = [
            f"{name} = {f'1 + {GAIN} * more.randn' if 'gain' in name else f'{BIAS} * more.randn'}"
            f"({'d_ff' if name == 'b_1' else 'd_model'})"
            for name in _more(state)
        ]
        script.do(_indented("def draw_more():  # biases and gains", [*lines, f"return {', '.join(_more(state))}"]))
    script.do(f"""
        def draw_layer():  # W_q, W_k, W_v, W_O, W_1, W_2{", W_3" if gated else ""}
            square = [draw(d_model, d_model) for _ in range(4)]
            return *square, draw(d_model, d_ff), draw(d_ff, d_model){gated}{", *draw_more()" if _more(state) else ""}
    """)


def _do_functions(script: Script, state: BlockState) -> None:
    """Define what a layer is made of."""
    script.do(MASKED_SOFTMAX if state.picture is BlockPicture.LAYER and state.mask != MaskChoice() else SOFTMAX)
    if state.norm is not NormPlacement.NONE:
        _do_norm(script, state)
    if state.feed_forward:
        script.do(_ACTIVATIONS[state.activation])
    script.do("""
        def split(rows):  # (…, n, d_model) to (…, heads, n, d_k)
            return rows.reshape(*rows.shape[:-1], heads, -1).swapaxes(-2, -3)
    """)


def _divided(eps: float, *, inside: bool) -> str:
    return f"np.sqrt(mean_square + {eps!r})" if inside else f"(np.sqrt(mean_square) + {eps!r})"


def _do_norm(script: Script, state: BlockState) -> None:
    centred = "x - x.mean(axis=-1, keepdims=True)" if state.norm_kind is NormKind.LAYER else "x"
    gains = _of_norm(state, "", "gain", "bias")
    times = "" if not gains else " * gain + bias" if "bias" in gains else " * gain"
    script.do(f"""
        def norm(x{gains}):
            centred = {centred}
            mean_square = (centred**2).mean(axis=-1, keepdims=True)
            return centred / {_divided(state.eps, inside=state.eps_inside_sqrt)}{times}
    """)


def _of_norm(state: BlockState, place: str, *names: str) -> str:
    """Return what a norm is given besides the rows, of the first or the second."""
    if not state.has_gains:
        return ""
    given = names if state.norm_kind is NormKind.LAYER else names[:1]
    return "".join(f", {name}{place}" for name in given)


def _norm_of(state: BlockState, rows: str, place: int) -> str:
    return f"norm({rows}{_of_norm(state, f'_{place}', 'gain', 'bias')})"


_WEIGH = ("scores = q @ k.swapaxes(-1, -2)", "scaled = scores / np.sqrt(d_model // heads)")


def _body(state: BlockState, weigh: tuple[str, ...] = ()) -> tuple[list[str], str]:
    """Return the lines of one layer that reads ``x``, and the name of what it puts out.

    ``weigh`` makes ``weights`` of ``q`` and ``k``; that of the state if not given.
    """
    lines = [f"{_names(state)} = matrices[layer]"]
    lines += [f"attention_input = {_norm_of(state, 'x', 1)}"] if state.norm is NormPlacement.PRE else []
    read = "attention_input" if state.norm is NormPlacement.PRE else "x"
    biased = state.has_biases
    made = (f"split({read} @ w_{name}{f' + b_{name}' if biased else ''})" for name in "qkv")
    lines += [f"q, k, v = {', '.join(made)}", *(weigh or _weighed(state))]
    lines += [
        *_dropped(state, "weights", 0),
        "head_output = weights @ v",
        "concat = head_output.swapaxes(-2, -3).reshape(x.shape)",
        f"attention_output = concat @ w_o{' + b_o' if biased else ''}",
        *_dropped(state, "attention_output", 1),
    ]
    more, found = _wired(state, "x", "attention_output", "attention_sum", "middle", 1)
    lines += more
    return (lines, found) if not state.feed_forward else _with_network(state, lines, found)


def _with_network(state: BlockState, lines: list[str], middle: str) -> tuple[list[str], str]:
    pre = state.norm is NormPlacement.PRE
    lines += [f"feed_forward_input = {_norm_of(state, middle, 2)}"] if pre else []
    read = "feed_forward_input" if pre else middle
    of_hidden, of_output = ("", "") if state.learned is None and not state.has_biases else (" + b_1", " + b_2")
    lines.append(f"before_activation = {read} @ w_1{of_hidden}")
    if state.activation is Activation.SILU_GATED:
        lines += [f"linear_part = {read} @ w_3", "hidden = activate(before_activation) * linear_part"]
    else:
        lines.append("hidden = activate(before_activation)")
    lines += [*_dropped(state, "hidden", 2), f"feed_forward_output = hidden @ w_2{of_output}"]
    lines += _dropped(state, "feed_forward_output", 3)
    more, found = _wired(state, middle, "feed_forward_output", "feed_forward_sum", "output", 2)
    return lines + more, found


def _dropped(state: BlockState, name: str, place: int) -> tuple[str, ...]:
    """Return the line that leaves numbers out at one of the places of dropout."""
    return () if state.drops is None else (f"{name} = dropout({name}, layer, {place})",)


def _wired(state: BlockState, source: str, found: str, summed: str, normed: str, place: int) -> tuple[list[str], str]:
    """Return the residual and the norm after a sublayer, and what comes out of them."""
    lines = []
    if state.residual:
        lines, found = [f"{summed} = {source} + {found}"], summed
    if state.norm is NormPlacement.POST:
        lines, found = [*lines, f"{normed} = {_norm_of(state, found, place)}"], normed
    return lines, found


def _weighed(state: BlockState) -> tuple[str, ...]:
    if state.picture is BlockPicture.LAYER and state.allowed is not None and state.mask != MaskChoice():
        mask = "masked = np.where(allowed, scaled, -np.inf)"
        return *_WEIGH, mask, "weights = softmax(masked)  # every row sums to 1, or has nothing to attend to"
    if state.causal:
        mask = "masked = np.where(np.tri(n, dtype=bool), scaled, -np.inf)"
        return *_WEIGH, mask, "weights = softmax(masked)  # every row sums to 1"
    return *_WEIGH, "weights = softmax(scaled)  # every row sums to 1"


def _indented(first: str, lines: list[str]) -> str:
    return "\n".join([first, *(f"    {line}" for line in lines)])


# ---- The pictures ----


def _layer(script: Script, state: BlockState) -> Program:
    picture = diagram_picture(state)
    _give_stack(script, state, one=False)
    if state.mask != MaskChoice() and state.allowed is not None:
        script.give("who may attend to whom", allowed=state.allowed)
    _do_functions(script, state)
    if state.drops is not None:
        _do_dropout(script, state.drops)
    lines, found = _body(state)
    last = state.layer_shown
    if last:
        script.do(_indented(f"for layer in range({last + 1}):", [*lines, f"if layer < {last}:", f"    x = {found}"]))
    else:
        script.do("\n".join(lines).replace("[layer]", "[0]").replace(", layer, ", ", 0, "))
    script.do(f"norm_before, norm_after = np.linalg.norm(x[0], axis=-1), np.linalg.norm({found}[0], axis=-1)")
    return script.program(picture.chosen.name)


def _do_dropout(script: Script, drops: Dropout) -> None:
    script.do(f"""
        def dropout(x, layer, place):  # as in training: 0 with probability p, the rest × 1 ÷ (1 − p)
            kept = np.random.RandomState([{drops.seed}, layer, place]).random_sample(x.shape) >= {drops.weights!r}
            return np.where(kept, x / (1 - {drops.weights!r}), 0.0)
    """)


def _depth(script: Script, state: BlockState) -> Program:
    setting = depth_setting(state)
    script.given(f"n, d_model, heads, d_ff, layers = {TOKENS}, {setting.d_model}, {setting.heads}, {setting.d_ff}, "
                 f"{setting.layers}")  # fmt: skip
    if state.encoding:
        script.do(SINUSOIDS)
    _do_functions(script, full := replace(state, feed_forward=True))  # the survey always has it
    _do_drawing_of_depth(script, full)
    lines, found = _body(full)
    encoded = " + sinusoids(np.arange(n), d_model)" if state.encoding else ""
    script.do("token_cosines, token_norms = [], []")
    script.do(_indented(f"for draw_number in range({DRAWS}):", [
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
    _do_drawing(script, state)
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
    _give_stack(script, state)
    script.give("by which V, then X is multiplied", factor=state.factor)
    last = state.layer_shown
    alone = state if last else replace(state, feed_forward=False)
    _do_functions(script, alone)
    lines, found = _body(alone)
    if last:
        script.do(_indented(f"for layer in range({last}):", [*lines, f"x = {found}"]))
    script.do(f"w_q, w_k, w_v, w_o = matrices[{last}][:4]")
    script.do(_indented("def attend(x):", [
        "q, k, v = split(x @ w_q), split(x @ w_k), split(x @ w_v)",
        *_weighed(state),
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


def _future(script: Script, state: BlockState) -> Program:
    token = changed_shown(state)
    _give_stack(script, state)
    script.give("the token that is replaced, from 0", token=token)
    _do_functions(script, state)
    weigh = *_WEIGH, "weights = softmax(np.where(allowed, scaled, -np.inf))"
    lines, found = _body(state, weigh)
    script.do(_indented("def levels(x, allowed):  # the input, and the output of each layer", [
        "found = [x]",
        "for layer in range(layers):",
        *(f"    {line}" for line in lines),
        f"    x = {found}",
        "    found.append(x)",
        "return np.stack(found)",
    ]))  # fmt: skip
    script.do("""
        def moved(allowed):
            before, after = levels(x, allowed), levels(replaced, allowed)
            bits = before.view(np.uint64) != after.view(np.uint64)
            return np.abs(after - before).max(axis=-1), bits.sum(axis=-1)
    """)
    script.do(f"""
        replaced = x.copy()
        replaced[token] = np.random.RandomState([seed, token]).randn(d_model) * {NOISE!r}
        change_causal, numbers_moved_causal = moved(np.tri(n, dtype=bool))
        change_no_mask, numbers_moved_no_mask = moved(np.ones((n, n), dtype=bool))
    """)
    return script.program("change_causal")


def _cache(script: Script, state: BlockState) -> Program:
    decoded = decoded_shown(state)
    _give_stack(script, state)
    script.give("tokens so far", decoded=decoded)
    _do_functions(script, state)
    weigh = (
        "if caches is not None:  # one row is new, the others are kept",
        "    k, v = (np.concatenate((old, new), axis=1) for old, new in zip(caches[layer], (k, v)))",
        "    caches[layer] = k, v",
        "scores = q @ k.swapaxes(-1, -2) / np.sqrt(d_model // heads)",
        "weights = softmax(np.where(np.tri(*scores.shape[1:], k.shape[1] - q.shape[1], dtype=bool), scores, -np.inf))",
    )
    lines, found = _body(state, weigh)
    layer, head = state.layer_shown, state.head_shown
    script.do(_indented("def run(x, caches=None):  # through all layers", [
        "of_layers = []",
        "for layer in range(layers):",
        *(f"    {line}" for line in lines),
        f"    x = {found}",
        "    of_layers.append(weights)",
        "return x, of_layers",
    ]))  # fmt: skip
    script.do(f"""
        caches = [(np.zeros((heads, 0, d_model // heads)),) * 2 for _ in range(layers)]
        output_decoded, weights = np.zeros((decoded, d_model)), np.zeros((decoded, n))
        for t in range(decoded):
            row, of_layers = run(x[t : t + 1], caches)
            output_decoded[t], weights[t, : t + 1] = row[0], of_layers[{layer}][{head}, 0]
        k, v = (kept[{head}] for kept in caches[{layer}])
        output_full = run(x)[0][:decoded]  # all tokens at once, under a causal mask
    """)
    gated = state.activation is Activation.SILU_GATED
    network = f" + {6 if gated else 4} * d_model * d_ff" if state.feed_forward else ""
    script.do(f"""
        t, of_a_row = np.arange(1.0, n + 1), 8 * d_model**2{network}
        flops_with_cache = layers * (of_a_row + 4 * d_model * t)
        flops_without_cache = layers * (of_a_row * t + 4 * d_model * t**2)
    """)
    return script.program("k")
