"""The programs of the Positions page, one for each picture and kind of encoding."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.script import ROTARY, SINUSOIDS, SOFTMAX, Program, Script
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.positions.attention import is_added
from attention_explorer.pages.positions.kinds.registry import KINDS, kind_of
from attention_explorer.pages.positions.order import order_picture
from attention_explorer.pages.positions.said import picture_title
from attention_explorer.pages.positions.similarity import shows_distances
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.positions.table import (
    contents,
    pair_count,
    projections,
    reason_without_table,
    sampled_positions,
)
from attention_explorer.sources.recipe import ToyRecipe
from attention_explorer.sources.toy import token_embeddings

MOST_COMPARED = 256
"""Positions a side of the maps; of more every so many."""
_SHARED = {"sinusoids": SINUSOIDS, "rotary": ROTARY}
"""What the lines of several encodings, or of other pages too, call."""
DRAWN = (
    "Contents and projections are drawn from generators of their own, seeded with a SHA-256: NumPy alone cannot do "
    "that, so they are given."
)
_ONE_SHIFT = """
    turn, sines = np.zeros((d_model, d_model)), np.arange(0, d_model, 2)
    turn[sines, sines] = turn[sines + 1, sines + 1] = np.cos(advances)
    turn[sines, sines + 1], turn[sines + 1, sines] = np.sin(advances), -np.sin(advances)
    start, end = sinusoids(np.array([position, position + shift]), d_model, base)
    residual = np.linalg.norm(end - turn @ start)  # ‖PE(p + k) − R_k PE(p)‖
"""
_DISTANCES = """
    squares = (rows**2).sum(axis=1)
    distances = np.sqrt(np.maximum(squares[:, None] + squares - 2.0 * (rows @ rows.T), 0.0))
    np.fill_diagonal(distances, 0.0)
"""


def positions_program(state: PositionsState) -> Program:
    """Return the program of the picture on show.

    Raises
    ------
    ExplorerError
        There is nothing to compute for this kind of encoding; the message says why.
    """
    reason = reason_without_table(state)
    tables = PositionsPicture.ENCODING, PositionsPicture.CLOCKS
    kind = kind_of(state)
    if reason and ((state.picture in tables and not kind.has_slopes) or kind.needs_even):
        raise ExplorerError(reason)
    title = picture_title(state).replace('"', "'")
    script = Script("positions", f"{state.picture.value.capitalize()}, {state.kind.value}: {title}".rstrip(".") + ".")
    make = {
        PositionsPicture.ENCODING: _encoding,
        PositionsPicture.CLOCKS: _clocks,
        PositionsPicture.SIMILARITY: _similarity,
        PositionsPicture.ATTENTION: _attention,
        PositionsPicture.ORDER: _order,
    }[state.picture]
    return make(script, state)


# ---- The encoding itself ----


def _encoding(script: Script, state: PositionsState) -> Program:
    if kind_of(state).has_slopes:
        script.give(heads=state.heads, length=state.length)
        _do_helper(script, state)
        script.do("""
            places = np.arange(length)
            bias = slopes[:, None, None] * -np.abs(places[:, None] - places)  # added to the scores of each head
        """)
        return script.program("bias")
    _give_sizes(script, state)
    _do_encoding(script, state)
    if kind_of(state).turns:
        _do_wavelengths(script, state)
    return script.program("encoding")


def _clocks(script: Script, state: PositionsState) -> Program:
    if kind_of(state).no_clocks:
        raise ExplorerError(kind_of(state).no_clocks)
    _give_sizes(script, state)
    script.give(position=state.position_shown, shift=state.shift_shown)
    _do_encoding(script, state)
    _do_wavelengths(script, state)
    script.do("""
        rates = 2 * np.pi / wavelengths  # radians a position
        angles, advances = position * rates, shift * rates  # where the hands stand, and how far the shift turns them
    """)
    if not kind_of(state).adds:
        _do_helper(script, state)
        script.do(kind_of(state).turn_line(state))
    elif state.d_model % 2 == 0:
        script.do(_ONE_SHIFT)
    return script.program("angles")


def _do_wavelengths(script: Script, state: PositionsState) -> None:
    """Compute after how many positions each pair is round again."""
    script.do("wavelengths = 2 * np.pi * base ** (np.arange(0, d_model, 2) / d_model)  # in positions")
    pairs, turning = pair_count(state), kind_of(state).turning_pairs(pair_count(state))
    if turning < pairs:
        script.do(f"wavelengths[{turning}:] = np.inf  # these pairs stand still")


def _give_sizes(script: Script, state: PositionsState) -> None:
    script.give(length=state.length, d_model=state.d_model)
    script.give(**({"base": state.base} if kind_of(state).turns else {"seed": state.seed}))


def _do_helper(script: Script, state: PositionsState) -> None:
    """Define what the lines of the encoding call."""
    helper = kind_of(state).helper
    script.do(_SHARED.get(helper, helper))


def _do_encoding(script: Script, state: PositionsState) -> None:
    """Compute the table (length, d_model) of a kind that has one."""
    if kind_of(state).adds and kind_of(state).helper:
        _do_helper(script, state)
    script.do(kind_of(state).table_lines(state))


# ---- How alike positions are ----


def _similarity(script: Script, state: PositionsState) -> Program:
    _, step = sampled_positions(state.length, MOST_COMPARED)
    _give_content(script, state, scale=1.0, tokens=not is_added(state.kind))
    kind = kind_of(state)
    if kind.has_slopes:
        script.give(heads=state.heads, head=state.head_shown)
    elif kind.turns or kind.adds:
        _give_sizes(script, state)
    script.given(f"positions = np.arange(0, {state.length}, {step})")
    if is_added(state.kind):
        return _similarity_of_rows(script, state)
    script.do("offsets = np.arange(positions[-1] + 1)")
    if kind.helper:
        _do_helper(script, state)
    script.do(kind.alike_lines(state))
    return script.program("similarity", DRAWN)


def _similarity_of_rows(script: Script, state: PositionsState) -> Program:
    _do_encoding(script, state)
    script.do("rows = encoding[positions]")
    if shows_distances(state):
        script.do(_DISTANCES)
        name = "distances"
    else:
        script.do("similarity = rows @ rows.T")
        name = "similarity"
    script.do("after_projections = (rows @ w_q) @ (rows @ w_k).T")
    if shows_distances(state):
        script.do("curve = np.linalg.norm(encoding - encoding[0], axis=1)  # at offsets 0, 1, 2, …")
    else:
        script.do("curve = encoding @ encoding[0]  # at offsets 0, 1, 2, …")
    return script.program(name, DRAWN)


# ---- Attention ----


def _give_content(script: Script, state: PositionsState, scale: float, *, tokens: bool = True) -> None:
    """Begin with the vectors of a query and a key token, and the matrices."""
    if tokens:
        query, key = contents(state, scale)
        script.give("content of the query", query=np.array(query))
        script.give("content of the key", key=np.array(key))
    w_q, w_k = projections(state)
    script.give(w_q=w_q)
    script.give(w_k=w_k)


def _attention(script: Script, state: PositionsState) -> Program:
    _give_content(script, state, state.embedding_scale)
    added = is_added(state.kind)
    if state.concatenated and added:
        of_place, for_place = projections(state, "position")
        script.give("the position has matrices of its own", w_q_place=of_place)
        script.give(w_k_place=for_place)
    kind = kind_of(state)
    if kind.has_slopes:
        script.give(heads=state.heads, head=state.head_shown, length=state.length)
    elif kind.turns or added:
        _give_sizes(script, state)
    else:
        script.give(length=state.length)
    asking, asked = min(state.query_position, state.length - 1), state.position_shown
    script.give("positions of the query, and of the key of the terms", i=asking)
    script.give(j=asked)
    if added:
        _do_encoding(script, state)
    elif kind.helper:
        _do_helper(script, state)
    script.do(kind.score_lines(state))
    script.do(SOFTMAX)
    script.do(f"""
        weights = np.zeros(length)
        weights[:{"i + 1" if state.causal else "length"}] = softmax(scores[:{"i + 1" if state.causal else "length"}])
    """)
    script.do(f"""
        vectors = query, key{", encoding[i]" * added}  # both tokens{", and what is added" * added}
        norms = np.array([np.linalg.norm(vector) for vector in vectors])
    """)
    return script.program("weights", DRAWN)


# ---- Order ----


def _order(script: Script, state: PositionsState) -> Program:
    picture = order_picture(state)
    if picture.reason:
        raise ExplorerError(picture.reason)
    recipe = ToyRecipe(
        sentence=" ".join(picture.words),
        d_model=picture.d_model,
        heads=picture.heads,
        seed=state.seed,
        embedding_scale=state.embedding_scale,
    )
    script.give(words=picture.words)
    script.give("a row a word", x=token_embeddings(recipe)[0])
    script.give("which word stands at each place", order=np.array(picture.order))
    script.give(heads=picture.heads, seed=state.seed)
    kind = kind_of(state)
    if kind.turns:
        script.give(base=state.base)
    script.do("""
        n, d_model = x.shape
        stream, gain = np.random.RandomState(seed), 1 / np.sqrt(d_model)
        w_q, w_k, w_v, w_o = (stream.randn(d_model, d_model) * gain for _ in range(4))
    """)
    if kind.helper:
        _do_helper(script, state)
    for code in (SOFTMAX, _attend(state)):
        script.do(code)
    script.do(f"""
        (weights, before), (weights_of_shuffled, output_of_shuffled) = attend(x), attend(x[order])
        shuffled_output = before[order]
        error = np.abs(output_of_shuffled - shuffled_output).max()  # 0 but for rounding if order does not matter
        weights_before, weights_after = weights[{picture.head}], weights_of_shuffled[{picture.head}]
    """)
    note = (
        f"The other {2 * len(KINDS) - 1} lines of the table come from the same program with other positions and mask."
    )
    return script.program("weights_before", f"{DRAWN.replace('Contents and projections', 'The vectors')} {note}")


def _attend(state: PositionsState) -> str:
    """Return a function of vectors (n, d_model) that gives weights of all heads, and the output."""
    kind = kind_of(state)
    lines = [
        kind.added_line(state),
        "q, k, v = ((x @ w).reshape(n, heads, -1).swapaxes(0, 1) for w in (w_q, w_k, w_v))",
        kind.turned_line(state),
        "scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])",
        kind.bias_line(state),
    ]
    if state.causal:
        lines.append("scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)")
    lines += ["weights = softmax(scores)", "return weights, (weights @ v).swapaxes(0, 1).reshape(n, d_model) @ w_o"]
    return "\n".join(["def attend(x):", *(f"    {line}" for line in lines if line)])
