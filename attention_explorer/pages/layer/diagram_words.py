"""The diagram of a layer in words: a box with its formula and numbers, a cell with the arithmetic that made it."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.mask import what_hides
from attention_explorer.core.numerals import MINUS, compact, grouped, percent, plain, scientific
from attention_explorer.model import Activation, NormKind
from attention_explorer.model.arrays import Floats
from attention_explorer.model.depth import mean_token_cosine
from attention_explorer.pages.layer.boxes import Box, Form
from attention_explorer.pages.layer.diagram import DiagramPicture, shape_trace
from attention_explorer.pages.layer.wording import layer_truths
from attention_explorer.pages.stack.learned import recipe_of
from attention_explorer.pages.stack.wording import ACTIVATION_NAMES
from attention_explorer.sources.registry import source_of


def short(number: float) -> str:
    """Return a number in at most eight characters, however small or large it is."""
    if number != 0.0 and abs(number) < 1e-3:
        return (MINUS if number < 0 else "") + scientific(abs(number))
    return compact(number)


def signed_short(number: float) -> str:
    """Return the same with its sign."""
    text = short(number)
    return text if text.startswith(MINUS) else f"+{text}"


def box_words(picture: DiagramPicture, box: Box) -> str:
    """Explain a box in a line: what it is, its shape, its formula and what its numbers are like."""
    found = box.summary
    zeros = (
        f"; {percent(found.zeros)} zeros"
        if found.zeros and box.name in ("hidden", "weights", "before_activation")
        else ""
    )
    sequences = "" if picture.state.batch == 1 else f", {picture.state.batch} sequences"
    return (
        f"{box.what} {box.shape_text}{sequences}: {box.formula}. Mean {short(found.mean)}, std {short(found.std)}, "
        f"{short(found.low)} to {short(found.high)}{zeros}"
    )


def token_name(picture: DiagramPicture, index: int) -> str:
    """Return “cat” (2)."""
    return picture.state.count.token(picture.tokens[index], index)


def cell_words(picture: DiagramPicture, box: Box, head: int, row: int, column: int) -> str:
    """Explain a number: where it is, and the arithmetic that made it, with the numbers."""
    where = token_name(picture, row)
    if box.form is Form.KEYS:
        where += f" → {token_name(picture, column)}"
    else:
        where += f", feature {column}"
    if box.has_heads:
        where = f"{picture.state.count.head(head)}, {where}"
    return f"{box.what}, {where}: {_arithmetic(picture, box, head, row, column)}"


def _arithmetic(picture: DiagramPicture, box: Box, head: int, row: int, column: int) -> str:
    if box.form is Form.KEYS:
        return _key_arithmetic(picture, box, head, row, column)
    value = float(box.part(head)[row, column])
    made = f"= {signed_short(value)}"
    if box.name == "head_output":
        weights, values = (picture.box(name).part(head) for name in ("weights", "v"))
        return f"{_largest_terms(weights[row], values[:, column])} {made}"
    if picture.trace is None:
        return signed_short(value)
    state = picture.state
    match box.name:
        case "x":
            if picture.embeddings is None:
                return signed_short(value)
            embedding = float(picture.embeddings[0, row, column])
            return f"E {signed_short(embedding)} and P {signed_short(value - embedding)} {made}"
        case "q" | "k" | "v":
            feature = head * (state.d_model // state.heads) + column
            source = picture.box(box.sources[0]).title
            bias = None if picture.layer is None else getattr(picture.layer.attention, f"b_{box.name}")
            added = "" if bias is None else f", and {signed_short(float(bias[feature]))} of b_{box.name}"
            return f"row of {source} · column {feature} of W_{box.name}, {state.d_model} products{added} {made}"
        case "concat":
            width = state.d_model // state.heads
            return f"feature {column % width} of {state.count.head(column // width)} {made}"
        case "attention_output" | "before_activation" | "linear_part" | "feed_forward_output":
            return f"{_product_words(picture, box.name, column)} {made}"
        case "attention_sum" | "feed_forward_sum":
            inner = picture.box("attention_output" if box.name == "attention_sum" else "feed_forward_output")
            around = picture.box(next(way.start for way in picture.residuals if way.end == box.name))
            way, found = (float(each.first[row, column]) for each in (around, inner))
            return f"{signed_short(way)} from the residual and {signed_short(found)} from the sublayer {made}"
        case "hidden":
            return _activation_arithmetic(picture, row, column, value)
    return f"{_norm_arithmetic(picture, box, row, column)} {made}"


def _key_arithmetic(picture: DiagramPicture, box: Box, head: int, row: int, column: int) -> str:
    width = picture.box("q").first.shape[-1]
    score, scaled = (float(picture.box(name).part(head)[row, column]) for name in ("scores", "scaled"))
    hidden = picture.mask is not None and not picture.mask[row, column]
    if box.name == "scores":
        return f"q·k, {width} products = {signed_short(score)}"
    if box.name == "scaled":
        return f"{signed_short(score)} {box.title} = {signed_short(scaled)}"
    if hidden:
        causal = column > row and (picture.state.causal or picture.trace is None)
        why = "comes later" if causal else f"is hidden {what_hides(picture.state.mask, (row, column))}"
        return f"{token_name(picture, column)} {why}: −∞, weight exactly 0"
    if box.name == "masked":
        return f"may attend, so it stays {signed_short(scaled)}"
    line = picture.box(box.sources[0]).part(head)[row]
    top = float(line.max())
    share, total = float(np.exp(line[column] - top)), float(np.exp(line - top).sum())
    weight = float(box.part(head)[row, column])
    return f"e^({signed_short(scaled)} − {signed_short(top)}) ÷ {total:.3f} = {share:.4f} ÷ {total:.3f} = {weight:.4f}"


def _largest_terms(weights: Floats, values: Floats) -> str:
    """Return the largest products of a weighted sum, as in 0.62·(+1.2) + 0.20·(−0.4) + …, in words for a line."""
    order = np.argsort(-np.abs(weights * values), kind="stable")[:3]
    terms = " + ".join(f"{weights[j]:.3f}·({signed_short(float(values[j]))})" for j in order.tolist())
    return terms if len(weights) <= len(order) else f"{terms} + …"


def _product_words(picture: DiagramPicture, name: str, column: int) -> str:
    state = picture.state
    left, matrix, count = {
        "attention_output": ("row of concat", "W_O", state.d_model),
        "before_activation": ("row", "W₁", state.d_model),
        "linear_part": ("row", "W₃", state.d_model),
        "feed_forward_output": ("hidden units", "W₂", state.d_ff),
    }[name]
    network = None if picture.layer is None else picture.layer.feed_forward
    biases = {} if network is None else {"before_activation": network.b1, "feed_forward_output": network.b2}
    if picture.layer is not None:
        biases["attention_output"] = picture.layer.attention.b_o
    bias = biases.get(name)
    added = "" if bias is None else f", and {signed_short(float(bias[column]))} of {matrix.replace('W', 'b')}"
    return f"{left} · column {column} of {matrix}, {count} products{added}"


def _activation_arithmetic(picture: DiagramPicture, row: int, column: int, value: float) -> str:
    activation, boxes = picture.state.activation, {each.name: each for each in picture.boxes}
    z = signed_short(float(boxes["before_activation"].first[row, column]))
    if activation is Activation.RELU:
        return f"max(0, {z}) = {signed_short(value)}"
    if "linear_part" in boxes:
        other = signed_short(float(boxes["linear_part"].first[row, column]))
        return f"SiLU({z}) times {other} = {signed_short(value)}"
    return f"{ACTIVATION_NAMES[activation]} of {z} = {signed_short(value)}"


def _norm_arithmetic(picture: DiagramPicture, box: Box, row: int, column: int) -> str:
    line = picture.box(box.sources[0]).first[row]
    state, number = picture.state, float(line[column])
    mean = float(line.mean()) if state.norm_kind is NormKind.LAYER else 0.0
    square = float(np.mean((line - mean) ** 2))
    divisor = np.sqrt(square + state.eps) if state.eps_inside_sqrt else np.sqrt(square) + state.eps
    top = (
        f"({signed_short(number)} − mean {signed_short(mean)})"
        if state.norm_kind is NormKind.LAYER
        else signed_short(number)
    )
    return f"{top} ÷ {short(float(divisor))}{_learned_by_norm(picture, box, column)}"


def _learned_by_norm(picture: DiagramPicture, box: Box, column: int) -> str:
    """Return gain and bias of a feature, if the norm has any."""
    if picture.layer is None:
        return ""
    norm = picture.layer.norms[box.name in ("feed_forward_input", "output")]
    gain = "" if norm.gain is None else f" · gain {signed_short(float(norm.gain[column]))}"
    return gain if norm.bias is None else f"{gain}, and bias {signed_short(float(norm.bias[column]))}"


def row_words(picture: DiagramPicture, box: Box, row: int) -> str:
    """Say how long a token's row is in a box, over all heads."""
    array = box.first[..., row, :]
    finite = array[np.isfinite(array)]
    return f"{token_name(picture, row)}, {box.what}: norm {short(float(np.linalg.norm(finite)))}"


MOST_LISTED = 8
"""Rows whose largest weights are listed."""
NORMED = ("attention_input", "middle", "feed_forward_input", "output")
"""The boxes that a norm has made."""


def row_sentences(picture: DiagramPicture, box: Box) -> tuple[str, ...]:
    """Say what is true of the rows of weights, and of the rows that a norm has made."""
    if box.name == "weights":
        return "Every row sums to 1.", *_largest_sentence(picture, box), *_best_head_sentence(picture, box)
    if box.name not in NORMED or picture.trace is None:
        return ()
    if picture.state.norm_kind is NormKind.RMS:
        return (f"Every row: root mean square {_span(np.sqrt(np.square(box.array).mean(axis=-1)))}.",)
    away = float(np.abs(box.array.mean(axis=-1)).max())
    mean = "0" if away == 0.0 else f"0 but for {scientific(away)}" if away < 1e-3 else f"up to {short(away)}"
    return (f"Every row: mean {mean}, standard deviation {_span(box.array.std(axis=-1))}.",)


def _span(values: Floats) -> str:
    """Return the smallest and the largest of numbers that may be close to 1, with seven digits."""
    low, high = f"{float(values.min()):.7f}", f"{float(values.max()):.7f}"
    return low if low == high else f"{low} to {high}"


def _largest_sentence(picture: DiagramPicture, box: Box) -> tuple[str, ...]:
    if len(picture.tokens) > MOST_LISTED:
        return ()
    largest = box.part(picture.head).max(axis=-1).tolist()
    head = f" in {picture.state.count.head(picture.head)}" if picture.heads > 1 else ""
    return (f"The largest of each row{head}: {', '.join(plain(weight, 3) for weight in largest)}.",)


def _best_head_sentence(picture: DiagramPicture, box: Box) -> tuple[str, ...]:
    if picture.heads == 1:
        return ()
    best = box.first.max(axis=0)  # (query, key), over the heads
    least = float(best.min() if picture.mask is None else best[picture.mask].min())
    pairs = "every pair" if picture.mask is None else "every pair that the mask allows"
    return (f"For {pairs} some head gives a weight of at least {short(least)}.",)


def likeness_sentences(picture: DiagramPicture) -> tuple[str, ...]:
    """Say how alike the tokens are as they come in and as they leave; nothing of one token, or of zeros."""
    enter, leave = picture.boxes[0].first, picture.boxes[-1].first
    if len(picture.tokens) < 2 or not (picture.before.all() and picture.after.all()):
        return ()
    before, after = (plain(mean_token_cosine(rows), 3) for rows in (enter, leave))
    return (f"Mean cosine of two tokens: {before} before the layer, {after} after it.",)


def norm_words(picture: DiagramPicture, row: int) -> str:
    """Say how long a token's row is before and after the layer."""
    before, after = float(picture.before[row]), float(picture.after[row])
    growth = f", {after / before:.2f} times" if before > 0.0 else ""
    return f"{token_name(picture, row)}: norm {before:.4g} before the layer, {after:.4g} after it{growth}"


def token_path(picture: DiagramPicture) -> tuple[tuple[str, float], ...]:
    """Return the norm of the followed token's row in every box that holds a row of features for it."""
    token = picture.token
    if token is None:
        return ()
    return tuple(
        (box.title, float(np.linalg.norm(box.first[..., token, :])))
        for box in picture.boxes
        if box.form is not Form.KEYS
    )


def parameter_words(picture: DiagramPicture) -> str:
    """Count the learned numbers of the layer shown, and of all."""
    counts, layers = dict(picture.sizes), picture.layers
    total = sum(counts.values())
    parts = f"attention {grouped(counts['attention'])}"
    if counts["feed_forward"]:
        parts += f", feed-forward {grouped(counts['feed_forward'])}"
    whole = f"; {layers} layers {grouped(layers * total)}" if layers > 1 else ""
    return f"{grouped(total)} parameters: {parts}{whole}"


# ---- Panel and drawer ----


def panel_sentence(picture: DiagramPicture) -> str:
    """Return what stands beside the diagram: the box that is looked at, or what the followed token reads."""
    token, box = picture.token, picture.chosen
    if token is None:
        return f"{box.formula}. {box.shape_text}: mean {short(box.summary.mean)}, std {short(box.summary.std)}."
    row = picture.box("weights").part(picture.head)[token]
    best = int(np.argmax(row))
    where = picture.state.count.head(picture.head)
    said = f"In {where} it reads {token_name(picture, best)} most: {plain(float(row[best]), 3)}."
    values = np.linalg.norm(picture.box("v").part(picture.head), axis=-1)
    arriving = int(np.argmax(row * values))
    if arriving != best:
        said += (
            f" But the value of that is short ({short(float(values[best]))}): most of what arrives is from "
            f"{token_name(picture, arriving)} ({short(float(values[arriving]))})."
        )
    return said


def layer_sentences(picture: DiagramPicture) -> tuple[str, ...]:
    """Return what the drawer says of the box that is looked at, of the token that is followed and of the layer."""
    box, found = picture.chosen, picture.chosen.summary
    number = picture.boxes.index(box) + 1
    share = next((each.summary.zeros for each in picture.boxes if each.name == "hidden"), 0.0)
    way = ", ".join(f"{title} {short(norm)}".replace(" ", "\N{NO-BREAK SPACE}") for title, norm in token_path(picture))
    lines = (
        f"Box {number} of {len(picture.boxes)}: {box.what} {box.shape_text}. {box.formula}.",
        f"mean {short(found.mean)}, standard deviation {short(found.std)}; norm {short(found.norm)}, of a row "
        f"{short(found.row_norm)} on average; range {short(found.low)} to {short(found.high)}.",
        f"{percent(found.masked)} masked: −∞, not counted here." if found.masked else "",
        *row_sentences(picture, box),
        f"{token_name(picture, picture.token)} from box to box: {way}." if picture.token is not None else "",
        *_origin_sentences(picture),
        f"Shapes: {shape_trace(picture)}.",
        *likeness_sentences(picture),
        f"{percent(share)} of the hidden units are exactly 0." if share else "",
        f"{parameter_words(picture)}.",
        *(layer_truths(picture.state) if picture.trace is not None else ()),
    )
    return tuple(filter(None, lines))


def _origin_sentences(picture: DiagramPicture) -> tuple[str, ...]:
    """Return how the layers were learned, if they were."""
    recipe = recipe_of(picture.state)
    if recipe is not None:
        origin = source_of(recipe).origin
        return (f"{origin[0].upper()}{origin[1:]}.",)
    return () if picture.state.model_shown is None else source_of(picture.state.model_shown).verdict()
