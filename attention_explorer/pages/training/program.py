"""The program of the Training page: the network as it is at the step on show, asked the sentence on show."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from attention_explorer.core.script import ARG_MAX, LEARNED, MASKED_SOFTMAX, Program, Script
from attention_explorer.model.learning import Batch
from attention_explorer.model.learning.plane_network import LOUDNESS, PlaneNetwork
from attention_explorer.model.learning.sequence_network import SequenceSetting
from attention_explorer.model.learning.translation_network import TranslationNetwork, TranslationSetting
from attention_explorer.model.sublayer import NormPlacement
from attention_explorer.pages.training.moment import allowed, broken_model
from attention_explorer.pages.training.state import TrainingState

OF_A = "It is A; show B alone for its own."


def training_program(state: TrainingState) -> Program:
    """Return the program of a step, trained that far where nobody has.

    Raises
    ------
    ExplorerError
        Nothing can learn with the setup, or the sentence is no question to the task.
    """
    model = broken_model(state.setup, state.step, state.broken)
    batch, network = model.task.question(state.sentence_shown, state.setup).batch, model.network
    script = Script("training", f"{model.task.title}, step {state.step}: {state.sentence_shown}".replace('"', "'"))
    parameters = {name: np.array(array) for name, array in network.parameters.arrays.items()}
    if isinstance(network, PlaneNetwork):
        _plane(script, state, batch, parameters)
    else:
        setting: Any = network.setting  # type: ignore[attr-defined]
        _sequence(script, state, batch, parameters, setting, is_pair=isinstance(network, TranslationNetwork))
    layer, _ = state.head_shown
    return script.program(f"weights_layer_{layer + 1}", LEARNED if state.other is None else f"{LEARNED} {OF_A}")


def _give_mask(script: Script, state: TrainingState, cells: tuple[int, int], *, causal: bool) -> bool:
    """Begin with who may attend to whom; return whether anything is hidden."""
    mask = allowed(cells, state.hidden)
    if mask.all() and not causal:
        return False
    if mask.all():
        script.given(f"allowed = np.tri({cells[0]}, dtype=bool)  # True: may attend")
    else:
        script.give("True: may attend", allowed=mask & np.tri(*cells, dtype=bool) if causal else mask)
    return True


def _do_weighing(script: Script, *, hard: bool) -> str:
    """Define how scores become weights; return the name of that."""
    script.do(MASKED_SOFTMAX)
    if hard:
        script.do(ARG_MAX)
    return "arg_max" if hard else "softmax"


def _plane(script: Script, state: TrainingState, batch: Batch, parameters: dict[str, npt.NDArray[Any]]) -> None:
    script.give("where the queries stand, and the keys", q=parameters["q"])
    script.give(k=parameters["k"])
    script.give("which query asks", tokens=batch.tokens[0])
    masked = _give_mask(script, state, (batch.tokens.shape[1], len(parameters["k"])), causal=False)
    weigh = _do_weighing(script, hard=state.setup.hard)
    script.do(f"scores = q[tokens] @ k.T{' / np.float32(np.sqrt(2))' * state.setup.scaled}")
    if masked:
        script.do("scores = np.where(allowed, scores, -np.inf)")
    script.do(f"""
        weights = {weigh}(scores)
        weights_layer_1 = weights[None]  # (heads, queries, keys)
        output = weights @ ({LOUDNESS!r} * np.eye(len(k), dtype=np.float32))  # a value is loud in its own answer
        probabilities = softmax(output)
    """)


def _sequence(
    script: Script,
    state: TrainingState,
    batch: Batch,
    parameters: dict[str, npt.NDArray[Any]],
    setting: SequenceSetting,
    *,
    is_pair: bool,
) -> None:
    script.hold("all that was learned, by name", parameters)
    script.give("the numbers of the words", tokens=batch.tokens[0])
    context = batch.context
    if context is not None:
        script.give("and of those that are looked at", context=context[0])
    script.give("the places that are asked", asked=batch.asked)
    script.given(f"layers, heads, d_model = {setting.layers}, {setting.heads}, {setting.d_model}")
    cells = batch.tokens.shape[1], (batch.tokens if context is None else context).shape[1]
    masked = _give_mask(script, state, cells, causal=setting.causal and not is_pair)
    weigh = _do_weighing(script, hard=setting.hard)
    _do_parts(script, setting, weigh)
    mask = "allowed" if masked else "True"
    if is_pair and isinstance(setting, TranslationSetting):
        _do_translation(script, setting, mask)
    else:
        _do_stack(script, setting, mask)
    script.do("probabilities = softmax(x[asked] @ data['w_out'] + data['b_out'])".replace("'", '"'))
    for layer in range(setting.layers):
        script.do(f"weights_layer_{layer + 1} = weights[{layer}]  # (heads, queries, keys)")


def _do_parts(script: Script, setting: SequenceSetting, weigh: str) -> None:
    """Define attention, and what else a layer has."""
    root = " / np.float32(np.sqrt(d_model // heads))" if setting.scaled else ""
    script.do("""
        def split(rows):  # (n, d_model) to (heads, n, d_k)
            return rows.reshape(len(rows), heads, -1).swapaxes(0, 1)
    """)
    script.do(f"""
        def attend(x, source, name, allowed):
            w_q, w_k, w_v, w_o = (data[name + part] for part in ("w_q", "w_k", "w_v", "w_o"))
            scores = split(x @ w_q) @ split(source @ w_k).swapaxes(1, 2){root}
            weights = {weigh}(np.where(allowed, scores, -np.inf))
            return weights, (weights @ split(source @ w_v)).swapaxes(0, 1).reshape(x.shape) @ w_o
    """)
    if setting.d_ff:
        script.do("""
            def network(x, name):
                w1, b1, w2, b2 = (data[name + part] for part in ("w1", "b1", "w2", "b2"))
                return np.maximum(x @ w1 + b1, 0.0) @ w2 + b2
        """)
    if setting.norm is not NormPlacement.NONE:
        script.do("""
            def norm(x, name, number):
                centred = x - x.mean(axis=-1, keepdims=True)
                normal = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(1e-5))
                return normal * data[f"{name}gain{number}"] + data[f"{name}bias{number}"]
        """)


def _embedded(setting: SequenceSetting, prefix: str, tokens: str) -> str:
    places = f' + data["{prefix}w_p"][: len({tokens})]' if setting.positions else ""
    return f'data["{prefix}w_e"][{tokens}]{places}'


def _stack_lines(setting: SequenceSetting, x: str, prefix: str, mask: str, collected: str) -> list[str]:
    """Return the lines of a layer of self-attention over ``x``, which it replaces."""
    kept = f"{x} + " if setting.residual else ""
    name = f'f"{prefix}{{layer}}."'
    read = f"norm({x}, {name}, 1)" if setting.norm is NormPlacement.PRE else x
    lines = [f"read = {read}", f"found, added = attend(read, read, {name}, {mask})", f"{x} = {kept}added"]
    lines += [f"{collected}.append(found)"] if collected else []
    lines += [f"{x} = norm({x}, {name}, 1)"] if setting.norm is NormPlacement.POST else []
    if setting.d_ff:
        inside = f"norm({x}, {name}, 2)" if setting.norm is NormPlacement.PRE else x
        lines.append(f"{x} = {kept}network({inside}, {name})")
        lines += [f"{x} = norm({x}, {name}, 2)"] if setting.norm is NormPlacement.POST else []
    return lines


def _do_stack(script: Script, setting: SequenceSetting, mask: str) -> None:
    lines = _stack_lines(setting, "x", "stack.", mask, "weights")
    script.do(f"x, weights = {_embedded(setting, '', 'tokens')}, []")
    script.do("\n".join(["for layer in range(layers):", *(f"    {line}" for line in lines)]))


def _do_translation(script: Script, setting: TranslationSetting, mask: str) -> None:
    encoder = setting.of_encoder()
    script.do(f"encoded = {_embedded(encoder, 'encoder.', 'context')}")
    if encoder.layers:
        lines = _stack_lines(encoder, "encoded", "encoder.stack.", "True", "")
        script.do("\n".join([f"for layer in range({encoder.layers}):", *(f"    {line}" for line in lines)]))
    kept = "x + " if setting.residual else ""
    script.do(f"x, weights = {_embedded(setting, '', 'tokens')}, []")
    lines = [
        "for layer in range(layers):",
        f'    x = {kept}attend(x, x, f"{{layer}}.self.", np.tri(len(x), dtype=bool))[1]',
        f'    found, added = attend(x, encoded, f"{{layer}}.cross.", {mask})',
        f"    x = {kept}added",
        "    weights.append(found)",
        *([f'    x = {kept}network(x, f"{{layer}}.")'] if setting.d_ff else []),
    ]
    script.do("\n".join(lines))
