"""The programs of the Layer page: a layer, what of it knows the future, and decoding with a cache."""

from __future__ import annotations

from dataclasses import replace

from attention_explorer.core.mask import MaskChoice
from attention_explorer.core.script import LEARNED, Program, Script
from attention_explorer.errors import ExplorerError
from attention_explorer.model import Activation, Dropout
from attention_explorer.pages.layer.cache import decoded_shown
from attention_explorer.pages.layer.diagram import diagram_picture
from attention_explorer.pages.layer.future import NOISE, changed_shown
from attention_explorer.pages.layer.wording import layer_title
from attention_explorer.pages.stack.choices import BlockPicture
from attention_explorer.pages.stack.program import SCALED_SCORES, do_functions, give_stack, indented, layer_lines
from attention_explorer.pages.stack.stack import check_sizes
from attention_explorer.pages.stack.state import BlockState


def layer_program(state: BlockState) -> Program:
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
    title, make = {
        BlockPicture.LAYER: (layer_title(state, state.layers), _layer),
        BlockPicture.FUTURE: ("Replace a token: which rows change", _future),
        BlockPicture.CACHE: ("Decode token by token with a KV cache", _cache),
    }[state.picture]
    script = Script("block", title.replace('"', "'").rstrip(".") + ".")
    program = make(script, state)
    return program if state.learned is None else replace(program, note=LEARNED)


def _layer(script: Script, state: BlockState) -> Program:
    picture = diagram_picture(state)
    give_stack(script, state, one=False)
    if state.mask != MaskChoice() and state.allowed is not None:
        script.give("who may attend to whom", allowed=state.allowed)
    do_functions(script, state)
    if state.drops is not None:
        _do_dropout(script, state.drops)
    lines, found = layer_lines(state)
    last = state.layer_shown
    if last:
        script.do(indented(f"for layer in range({last + 1}):", [*lines, f"if layer < {last}:", f"    x = {found}"]))
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


def _future(script: Script, state: BlockState) -> Program:
    token = changed_shown(state)
    give_stack(script, state)
    script.give("the token that is replaced, from 0", token=token)
    do_functions(script, state)
    weigh = *SCALED_SCORES, "weights = softmax(np.where(allowed, scaled, -np.inf))"
    lines, found = layer_lines(state, weigh)
    script.do(indented("def levels(x, allowed):  # the input, and the output of each layer", [
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
    give_stack(script, state)
    script.give("tokens so far", decoded=decoded)
    do_functions(script, state)
    weigh = (
        "if caches is not None:  # one row is new, the others are kept",
        "    k, v = (np.concatenate((old, new), axis=1) for old, new in zip(caches[layer], (k, v)))",
        "    caches[layer] = k, v",
        "scores = q @ k.swapaxes(-1, -2) / np.sqrt(d_model // heads)",
        "weights = softmax(np.where(np.tri(*scores.shape[1:], k.shape[1] - q.shape[1], dtype=bool), scores, -np.inf))",
    )
    lines, found = layer_lines(state, weigh)
    layer, head = state.layer_shown, state.head_shown
    script.do(indented("def run(x, caches=None):  # through all layers", [
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
