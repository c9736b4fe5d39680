"""The program of the Heads page: from what goes in, or from queries and keys, to the map in the large picture."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from attention_explorer.core.mask import MaskKind
from attention_explorer.core.numerals import grouped
from attention_explorer.core.script import ARG_MAX, BY_WORD, LAYER_NORM, MASKED_SOFTMAX, SOFTMAX, Program, Script
from attention_explorer.errors import ExplorerError
from attention_explorer.model import QueryKeyMap, Stage
from attention_explorer.model.arrays import Bools
from attention_explorer.model.value_weighted import output_rows
from attention_explorer.pages.heads.frame import HeadsFrame, frame_to_show, head_name, heads_on
from attention_explorer.pages.heads.row import row_at
from attention_explorer.pages.heads.shown_map import (
    hidden_keys,
    is_renormalised,
    keys_left_out,
    lengths_shown,
    stage_shown,
)
from attention_explorer.pages.heads.state import Aggregate, HeadsState, HeadsView, Picture
from attention_explorer.sources.recipe import Encoding, Projections, TokenVectors, ToyRecipe
from attention_explorer.sources.registry import recipe_as

NO_SCORES = "Only the weights are known: there are no queries and keys to compute them from."
STARTS_AT_Q = "It begins with the queries and keys of {}: what they are made of is not in the program."
ONE_OF_SEVERAL = "It computes {}, one of the maps in the picture."
MOST_CELLS = 2**24
"""Cells of a map that a program loads, or loads the mask of: 128 MiB of numbers."""
MASKS = {
    MaskKind.CAUSAL: "np.tri(n_q, n_k, n_k - n_q, dtype=bool)  # True: may attend",
    MaskKind.STRICT: "np.tri(n_q, n_k, n_k - n_q - 1, dtype=bool)  # True: may attend",
}
"""How masks are made that need no array."""


def heads_program(state: HeadsState) -> Program:
    """Return the program of the map in the large picture.

    Raises
    ------
    ExplorerError
        The attention cannot be computed or read; the message says why.
    """
    frame, view = frame_to_show(state.setup), state.view
    if view.picture is Picture.STAGES and frame.aggregate is not Aggregate.ONE:
        frame = frame_to_show(replace(state.setup, aggregate=Aggregate.ONE))  # that picture shows one head all the same
    _check_room(frame)
    script = Script("heads", _title(frame))
    said = []
    if not all(isinstance(map_, QueryKeyMap) for map_ in frame.layers[frame.layer].maps):
        _from_weights(script, frame)
        if (stage := stage_shown(frame, view)) is not Stage.WEIGHTS:
            script.give(**{stage.value: frame.map.stage(stage)})
        said.append(NO_SCORES)
    elif (toy := _toy(frame)) is not None:
        said += _from_embeddings(script, frame, toy)
    else:
        said += _from_queries_and_keys(script, frame)
    main = _do_view(script, frame, view)
    if view.picture in (Picture.COMPARE, Picture.MARKED):
        said.append(ONE_OF_SEVERAL.format(_large(frame)))
    if view.picture is Picture.CHECK:
        said.append("The experiments with these weights are not in it.")
    return script.program(main, " ".join(said))


def _toy(frame: HeadsFrame) -> ToyRecipe | None:
    """Return how random heads were made, which a program can do again; None for what is given."""
    return recipe_as(frame.setup.recipe, ToyRecipe)


def _check_room(frame: HeadsFrame) -> None:
    """Refuse what would put a map of very many cells, or several, into the file beside the program."""
    maps = 1 if frame.aggregate is Aggregate.ONE else frame.heads
    cells = maps * frame.shape[0] * frame.shape[1]
    if cells > MOST_CELLS and _toy(frame) is None:
        raise ExplorerError(
            f"A program of this would need a file of {grouped(cells)} weights or masked cells, more than "
            f"{grouped(MOST_CELLS)}. Choose a shorter text or one head; Export writes the weights a part at a time."
        )


def _title(frame: HeadsFrame) -> str:
    words = " ".join(frame.queries)
    short = words if len(words) <= 60 else f"{words[:59]}…"
    large = _large(frame)
    return f"{large[0].upper()}{large[1:]}: {short}".replace("\\", "/").replace('"', "'")


def _large(frame: HeadsFrame) -> str:
    """Say what is in the large picture."""
    if frame.aggregate is Aggregate.ONE:
        return head_name(frame, frame.layer, frame.head)
    if frame.aggregate is Aggregate.ROLLOUT:
        return "rollout of all layers"
    return f"{frame.aggregate.words}, {frame.count.layer(frame.layer)}"


# ---- What it begins with ----


def _from_weights(script: Script, frame: HeadsFrame) -> None:
    if frame.aggregate is Aggregate.ONE:
        script.give("rows are queries", weights=frame.map.weights())
        script.do("""
            row_sums = weights.sum(axis=1)
            entropy = -(weights * np.log(np.where(weights > 0.0, weights, 1.0))).sum(axis=1)  # of each row, in nats
        """)
    elif frame.aggregate is Aggregate.ROLLOUT:
        _give_layers(script, frame)
    else:
        maps = frame.layers[frame.layer].maps
        script.give("(heads, queries, keys)", weights=np.stack([map_.weights() for map_ in maps]))
        _do_aggregate(script, frame)


def _give_layers(script: Script, frame: HeadsFrame) -> None:
    """Begin a rollout with the means of the layers, which nothing else of the program computes."""
    means = [
        np.mean([frame.layers[layer].maps[head].weights() for head in heads_on(frame.setup, heads, layer)], axis=0)
        for layer, heads in enumerate(frame.source.heads)
    ]
    script.give("(layers, queries, keys), the mean of the heads of each", layer_means=np.stack(means))
    _do_rollout(script, frame)


def _from_queries_and_keys(script: Script, frame: HeadsFrame) -> tuple[str, ...]:
    if frame.aggregate is Aggregate.ROLLOUT:
        _give_layers(script, frame)
        return ("It begins with the mean weights of each layer: of how they are made there is too much for a program.",)
    layer = frame.layers[frame.layer]
    q, k = layer.queries_and_keys
    one = frame.aggregate is Aggregate.ONE
    script.give("(queries, d_k)" if one else "(heads, queries, d_k)", q=q[frame.head] if one else q)
    script.give(k=k[frame.head] if one else k)
    has_bias = _give_bias(script, frame, one=one)
    _give_mask(script, frame)
    _do_function(script, frame)
    script.do("\n".join(_weight_lines(frame, has_bias=has_bias)))
    if not one:
        _do_aggregate(script, frame)
    return (STARTS_AT_Q.format("the head" if one else "the heads"),)


def _from_embeddings(script: Script, frame: HeadsFrame, recipe: ToyRecipe) -> tuple[str, ...]:
    """Begin with the vectors of the tokens and draw the matrices anew, layer after layer."""
    one = frame.aggregate is Aggregate.ONE
    said: tuple[str, ...] = ()
    x, context = frame.layers[0].inputs
    is_drawn = recipe.projections is not Projections.IDENTITY
    if is_drawn:
        script.given(f"stream = np.random.RandomState({recipe.seed})")
    if recipe.vectors is TokenVectors.BY_POSITION and recipe.encoding is Encoding.NONE and is_drawn:
        _draw_vectors(script, recipe)
    else:
        script.give("a row a token", x=x)
        if recipe.context is not None:
            script.give("the second sentence", context=context)
        if recipe.vectors is TokenVectors.BY_POSITION and is_drawn:
            script.given(f"stream.randn({(len(x) + (recipe.context is not None) * len(context)) * recipe.d_model})")
        said = (BY_WORD,) if recipe.vectors is TokenVectors.BY_WORD else ()
    sizes = recipe.d_model, recipe.heads, recipe.head_width, recipe.value_width
    script.given(f"d_model, heads, d_k, d_v = {', '.join(map(str, sizes))}")
    if is_drawn:
        script.give("the standard deviation of the matrices", gain=recipe.gain_number)
    _give_mask(script, frame)
    _do_function(script, frame)
    last = len(frame.layers) - 1 if frame.aggregate is Aggregate.ROLLOUT else frame.layer
    script.do("""
        def split(rows, width):  # (n, heads · width) to (heads, n, width)
            return rows.reshape(len(rows), heads, width).swapaxes(0, 1)
    """)
    if last:
        script.do(LAYER_NORM)
    if frame.aggregate is Aggregate.ROLLOUT:
        script.do("layer_means = []")
    _do_layers(script, frame, recipe, last)
    if frame.aggregate is Aggregate.ROLLOUT:
        _do_rollout(script, frame)
    elif one:
        script.do(
            f"scores, scaled, masked, weights, v = (a[{frame.head}] for a in (scores, scaled, masked, weights, v))"
        )
    else:
        _do_aggregate(script, frame)
    return said


def _draw_vectors(script: Script, recipe: ToyRecipe) -> None:
    scale = "" if recipe.embedding_scale == 1.0 else f" * {recipe.embedding_scale!r}"
    rows = len(recipe.tokens) + (0 if recipe.context is None else len(recipe.context_tokens))
    script.given(f"x = stream.randn({rows}, {recipe.d_model}){scale}  # a row a token")
    if recipe.context is not None:
        script.given(f"x, context = x[:{len(recipe.tokens)}], x[{len(recipe.tokens)}:]  # of both sentences")


def _do_layers(script: Script, frame: HeadsFrame, recipe: ToyRecipe, last: int) -> None:
    """Compute the layers up to the last that is needed, as a loop where they are several."""
    source = "x" if recipe.context is None else "context"
    lines = []
    if recipe.projections is Projections.IDENTITY:
        lines.append(f"q, k, v = split(x, d_k), split({source}, d_k), split({source}, d_v)  # no projections")
        out = "x + found"
    else:
        lines += [
            "w_q, w_k = (stream.randn(d_model, heads * d_k) * gain for _ in range(2))",
            "w_v, w_o = stream.randn(d_model, heads * d_v) * gain, stream.randn(heads * d_v, d_model) * gain",
            *["w_k = w_q"] * (recipe.projections is Projections.TIED),
            f"q, k, v = split(x @ w_q, d_k), split({source} @ w_k, d_k), split({source} @ w_v, d_v)",
        ]
        out = "x + found @ w_o"
    lines += _weight_lines(frame)
    if frame.aggregate is Aggregate.ROLLOUT:
        lines.append(f"layer_means.append({_mean_of_layer(frame)})")
    if not last:
        script.do("\n".join(lines))
        return
    lines += [
        "found = (weights @ v).swapaxes(0, 1).reshape(len(x), heads * d_v)  # what the heads found, side by side",
        f"if layer < {last}:",
        f"    x = layer_norm({out})",
    ]
    script.do("\n".join([f"for layer in range({last + 1}):", *(f"    {line}" for line in lines)]))


def _mean_of_layer(frame: HeadsFrame) -> str:
    if not frame.setup.switched_off:
        return "weights.mean(axis=0)"
    on = {layer: list(heads_on(frame.setup, heads, layer)) for layer, heads in enumerate(frame.source.heads)}
    return f"weights[{on!r}[layer]].mean(axis=0)"


# ---- Mask, scores, weights ----


def _give_mask(script: Script, frame: HeadsFrame) -> None:
    if frame.mask is None:
        return
    n_q, n_k = frame.shape
    chosen = frame.setup.mask
    if chosen.kind in MASKS and not chosen.is_painted and not frame.source.mask_words():
        script.given(f"n_q, n_k = {n_q}, {n_k}")
        script.given(f"allowed = {MASKS[chosen.kind]}")
    else:
        script.give("True: may attend", allowed=frame.mask)


def _give_bias(script: Script, frame: HeadsFrame, *, one: bool) -> bool:
    """Begin with what is added to the scores; return whether anything is."""
    maps = [map_ for map_ in frame.layers[frame.layer].maps if isinstance(map_, QueryKeyMap)]
    bias = maps[frame.head].bias() if one else np.stack([map_.bias() for map_ in maps])
    if bias.any():
        script.give("added to the scores", bias=bias)
    return bool(bias.any())


def _do_function(script: Script, frame: HeadsFrame) -> None:
    is_hidden = frame.mask is not None
    script.do(ARG_MAX if frame.setup.hard else MASKED_SOFTMAX if is_hidden else SOFTMAX)


def _weight_lines(frame: HeadsFrame, *, has_bias: bool = False) -> list[str]:
    setup = frame.setup
    bias = " + bias" * has_bias
    masked = f"np.where(allowed, scaled{bias}, -np.inf)" if frame.mask is not None else f"scaled{bias}"
    if setup.hard:
        weights = "arg_max(masked)"
    else:
        weights = "softmax(masked)" if setup.temperature == 1.0 else f"softmax(masked, {setup.temperature!r})"
    return [
        "scores = q @ k.swapaxes(-1, -2)",
        _scaling_line(frame.query_key_map),
        f"masked = {masked}",
        f"weights = {weights}  # every row sums to 1",
    ]


def _scaling_line(map_: QueryKeyMap) -> str:
    if map_.scale == 1.0:
        return "scaled = scores  # not divided by √d_k"
    if not math.isclose(map_.scale, 1.0 / math.sqrt(map_.q.shape[1]), rel_tol=1e-12):
        return f"scaled = scores * {map_.scale!r}  # the scale of the model itself"
    root = "np.sqrt(q.shape[-1])"
    return f"scaled = scores / {root if map_.dtype == np.float64 else f'np.{map_.dtype}({root})'}  # ÷ √d_k"


# ---- Several heads in one ----


def _do_aggregate(script: Script, frame: HeadsFrame) -> None:
    on = heads_on(frame.setup, frame.heads, frame.layer)
    some = "" if len(on) == frame.heads else f"[{list(on)}]"
    how = "max" if frame.aggregate is Aggregate.MAX else "mean"
    script.do(f"weights = weights{some}.{how}(axis=0)")


def _do_rollout(script: Script, frame: HeadsFrame) -> None:
    mixed = "(0.5 * mean + 0.5 * np.eye(len(mean)))" if frame.setup.identity else "mean"
    script.do(f"""
        weights = np.eye(len(layer_means[0]))  # Abnar & Zuidema 2020: W_L ⋯ W_2 W_1
        for mean in layer_means:
            weights = {mixed} @ weights
    """)


# ---- How it is shown ----


def _do_view(script: Script, frame: HeadsFrame, view: HeadsView) -> str:
    """Make of the weights what the picture shows of them; return the name of that."""
    if view.picture is Picture.ROW:
        return _do_row(script, frame, view)
    stage = stage_shown(frame, view)
    if view.picture is Picture.STAGES or stage is Stage.WEIGHTS:
        lengths = None if view.picture is Picture.STAGES else lengths_shown(frame, view)
        if lengths is not None:
            _do_lengths(script, frame)
        name = "weights" if lengths is None else "value_weighted"
        if view.picture is not Picture.STAGES:
            _do_hidden(script, frame, view, name)
        return name
    return stage.value


def _do_row(script: Script, frame: HeadsFrame, view: HeadsView) -> str:
    """Take the row that is looked at, or the column, and what it takes along."""
    steps = row_at(frame, view.row, view.column).steps
    at = steps.reading.index
    if not steps.reading.is_row:
        script.do(
            f"column_weights = weights[:, {at}]  # who attends to key {at}, counted from 0; they need not sum to 1"
        )
        return "column_weights"
    script.do(f"row_weights = weights[{at}]  # of query {at}, counted from 0")
    if steps.values is not None:
        if _toy(frame) is None:
            script.give("(keys, d_v)", v=steps.values)
        script.do("""
            weighted_values = row_weights[:, None] * v  # what each key adds
            row_output = weighted_values.sum(axis=0)
        """)
    return "row_weights"


def _do_lengths(script: Script, frame: HeadsFrame) -> None:
    """Multiply each column by how long what it weighs is."""
    layer, toy = frame.layers[frame.layer], _toy(frame)
    if toy is None:
        script.give("(keys, d_v)", v=layer.v[frame.head])
    if layer.attention is None:
        script.do("lengths = np.linalg.norm(v, axis=1)")
    elif toy is not None and toy.projections is not Projections.IDENTITY:
        rows = f"{frame.head} * d_v : {frame.head + 1} * d_v"
        script.do(f"lengths = np.linalg.norm(v @ w_o[{rows}], axis=1)  # ‖v·W_O‖ of each key")
    else:
        own = output_rows(layer.attention.w_o, len(layer.maps), frame.head)
        script.give("the rows of W_O that belong to the head", w_o=own)
        script.do("lengths = np.linalg.norm(v @ w_o, axis=1)  # ‖v·W_O‖ of each key")
    script.do("value_weighted = weights * lengths  # rows do not sum to 1")


def _do_hidden(script: Script, frame: HeadsFrame, view: HeadsView, name: str) -> None:
    """Take keys out of the picture."""
    if is_renormalised(frame, view):
        script.do(f"""
            shown = {_listed(~hidden_keys(frame, view.hidden))}  # keys; the rest of each row is renormalised
            weights = np.where(shown, weights, 0.0)
            weights = weights / np.where((total := weights.sum(axis=1, keepdims=True)) > 0.0, total, 1.0)
        """)
    if (left_out := keys_left_out(frame, view)).any():
        script.do(f"{name} = np.where({_listed(~left_out)}, {name}, 0.0)  # keys that are hidden")


def _listed(shown: Bools) -> str:
    """Write which keys are shown."""
    hidden = np.flatnonzero(~shown).tolist()
    return f"~np.isin(np.arange({len(shown)}), {hidden})"
