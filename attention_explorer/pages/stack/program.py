"""The program of a stack of layers: what the programs of Layer and of Lab have in common."""

from __future__ import annotations

from attention_explorer.core.mask import MaskChoice
from attention_explorer.core.script import MASKED_SOFTMAX, SINUSOIDS, SOFTMAX, Script
from attention_explorer.model import Activation, NormKind, NormPlacement
from attention_explorer.pages.stack.choices import BlockPicture, Initialiser, LearnedStack
from attention_explorer.pages.stack.learned import learned_layers
from attention_explorer.pages.stack.stack import BIAS, GAIN, typed_arrays
from attention_explorer.pages.stack.state import BlockState
from attention_explorer.sources.tokens import tokens_in

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
SCALED_SCORES = ("scores = q @ k.swapaxes(-1, -2)", "scaled = scores / np.sqrt(d_model // heads)")
"""The first lines of attention."""


def give_stack(script: Script, state: BlockState, *, one: bool = True) -> None:
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
    do_drawing(script, state)
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


def do_drawing(script: Script, state: BlockState) -> None:
    """Define how the matrices of a layer are drawn, and its biases and gains."""
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
        script.do(indented("def draw_more():  # biases and gains", [*lines, f"return {', '.join(_more(state))}"]))
    script.do(f"""
        def draw_layer():  # W_q, W_k, W_v, W_O, W_1, W_2{", W_3" if gated else ""}
            square = [draw(d_model, d_model) for _ in range(4)]
            return *square, draw(d_model, d_ff), draw(d_ff, d_model){gated}{", *draw_more()" if _more(state) else ""}
    """)


def do_functions(script: Script, state: BlockState) -> None:
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


def layer_lines(state: BlockState, weigh: tuple[str, ...] = ()) -> tuple[list[str], str]:
    """Return the lines of one layer that reads ``x``, and the name of what it puts out.

    ``weigh`` makes ``weights`` of ``q`` and ``k``; that of the state if not given.
    """
    lines = [f"{_names(state)} = matrices[layer]"]
    lines += [f"attention_input = {_norm_of(state, 'x', 1)}"] if state.norm is NormPlacement.PRE else []
    read = "attention_input" if state.norm is NormPlacement.PRE else "x"
    biased = state.has_biases
    made = (f"split({read} @ w_{name}{f' + b_{name}' if biased else ''})" for name in "qkv")
    lines += [f"q, k, v = {', '.join(made)}", *(weigh or weigh_lines(state))]
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


def weigh_lines(state: BlockState) -> tuple[str, ...]:
    """Return the lines that make ``weights`` of ``q`` and ``k``, under the mask of the state."""
    if state.picture is BlockPicture.LAYER and state.allowed is not None and state.mask != MaskChoice():
        mask = "masked = np.where(allowed, scaled, -np.inf)"
        return *SCALED_SCORES, mask, "weights = softmax(masked)  # every row sums to 1, or has nothing to attend to"
    if state.causal:
        mask = "masked = np.where(np.tri(n, dtype=bool), scaled, -np.inf)"
        return *SCALED_SCORES, mask, "weights = softmax(masked)  # every row sums to 1"
    return *SCALED_SCORES, "weights = softmax(scaled)  # every row sums to 1"


def indented(first: str, lines: list[str]) -> str:
    """Return a first line with the others below it, indented."""
    return "\n".join([first, *(f"    {line}" for line in lines)])
