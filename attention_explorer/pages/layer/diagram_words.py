"""The diagram of a layer in words: a box with its formula and numbers, a cell with the arithmetic that made it."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.mask import mask_of, what_hides
from attention_explorer.core.numerals import MINUS, compact, coordinate, full, grouped, percent, plain, scientific
from attention_explorer.model import Activation, NormKind
from attention_explorer.model.arrays import Floats
from attention_explorer.model.depth import mean_token_cosine
from attention_explorer.pages.layer.boxes import Box, Form, Rows, shape_words
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


def key_name(picture: DiagramPicture, index: int) -> str:
    """Return the same of a key."""
    return picture.state.count.token(picture.keys[index], index)


def row_name(picture: DiagramPicture, box: Box, row: int) -> str:
    """Return the same of the row of a box; of a matrix, which feature it is."""
    if box.rows is Rows.FEATURES:
        return f"feature {row}"
    return (key_name if box.rows is Rows.KEYS else token_name)(picture, row)


def cell_words(picture: DiagramPicture, box: Box, head: int, row: int, column: int) -> str:
    """Explain a number: where it is, and the arithmetic that made it, with the numbers; else the number alone."""
    made = _arithmetic(picture, box, head, row, column)
    return f"{_place(picture, box, head, row, column)}: {made or signed_short(float(box.part(head)[row, column]))}"


def number_words(picture: DiagramPicture, box: Box, head: int, row: int, column: int) -> str:
    """Say a number with every digit, where it is, and the arithmetic that made it."""
    number, made = full(float(box.part(head)[row, column])), _arithmetic(picture, box, head, row, column)
    said = "; ".join(filter(None, (number, made))) if number != f"{MINUS}∞" else made
    return f"{_place(picture, box, head, row, column)}: {said}"


def _place(picture: DiagramPicture, box: Box, head: int, row: int, column: int) -> str:
    """Return where a number is."""
    where = row_name(picture, box, row)
    if box.form is Form.KEYS:
        where += f" → {key_name(picture, column)}"
    else:
        where += f"{' →' if box.form is Form.MATRIX else ','} feature {column}"
    if box.has_heads:
        where = f"{picture.head_name(head)}, {where}"
    return f"{box.what}, {where}"


def _arithmetic(picture: DiagramPicture, box: Box, head: int, row: int, column: int) -> str:
    """Return what made a number, with what dropout did to it; empty where that is not known."""
    holes, value = box.holes(head), float(box.part(head)[row, column])
    if holes is None:
        return _made(picture, box, head, row, column, value)
    if holes[row, column]:
        return "left out by dropout: 0"
    before = _made(picture, box, head, row, column, value / box.factor)
    is_hidden = box.form is Form.KEYS and picture.mask is not None and not picture.mask[row, column]
    grown = "" if is_hidden else f"× {coordinate(box.factor, 4)} by dropout = {short(value)}"
    return ", ".join(filter(None, (before, grown)))


def _made(picture: DiagramPicture, box: Box, head: int, row: int, column: int, value: float) -> str:
    """Return the arithmetic of a number, which dropout has not yet multiplied."""
    if box.form is Form.KEYS:
        return _key_arithmetic(picture, box, head, row, column, value)
    made = f"= {signed_short(value)}"
    if box.name == "head_output":
        weights, values = (picture.box(name).part(head) for name in ("weights", "v"))
        return f"{_largest_terms(weights[row], values[:, column])} {made}"
    if picture.trace is None:
        said = _arithmetic_of_matrices(picture, box, row, column)
        return f"{said} {made}" if said else ""
    state = picture.state
    match box.name:
        case "x":
            if picture.embeddings is None:
                return ""
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
            return f"feature {column % width} of {picture.head_name(column // width)} {made}"
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


def _arithmetic_of_matrices(picture: DiagramPicture, box: Box, row: int, column: int) -> str:
    """Return what a number of what Heads shows is made of, where that is in other boxes; else nothing."""
    if box.name == "x" and picture.has("embeddings", "positions"):
        parts = (float(picture.box(name).first[row, column]) for name in ("embeddings", "positions"))
        return "E {} and P {}".format(*map(signed_short, parts))
    if box.name == "concat":
        width = picture.box("head_output").first.shape[-1]
        return f"feature {column % width} of {picture.head_name(column // width)}"
    if box.name in ("q", "k", "v") and picture.has(f"w_{box.name}", *box.sources):
        source = picture.box(box.sources[0])
        letter = f"W_{box.name.upper()}"
        return f"row of {source.title} · column {column} of {letter}, {source.first.shape[-1]} products"
    if box.name == "attention_output" and picture.has("w_o"):
        return f"row of concat · column {column} of W_O, {picture.box('concat').first.shape[-1]} products"
    return ""


def _why_hidden(picture: DiagramPicture, row: int, column: int) -> str:
    chosen, state = mask_of(picture.state.mask, len(picture.tokens), len(picture.keys)), picture.state
    is_chosen = chosen is not None and not chosen[row, column]
    if column > row and (state.causal if picture.trace is not None else not is_chosen):
        return "comes later"
    return f"is hidden {what_hides(state.mask, (row, column))}" if is_chosen else "is not looked at by this model"


def _key_arithmetic(picture: DiagramPicture, box: Box, head: int, row: int, column: int, value: float) -> str:
    width = picture.box("q").first.shape[-1]
    score, scaled = (float(picture.box(name).part(head)[row, column]) for name in ("scores", "scaled"))
    hidden = picture.mask is not None and not picture.mask[row, column]
    if box.name == "scores":
        return f"q·k, {width} products = {signed_short(score)}"
    if box.name == "scaled":
        return f"{signed_short(score)} {box.title} = {signed_short(scaled)}"
    if hidden:
        return f"{key_name(picture, column)} {_why_hidden(picture, row, column)}: −∞, weight exactly 0"
    if box.name == "masked":
        return f"may attend, so it stays {signed_short(scaled)}"
    return _softmax_arithmetic(picture, head, row, column, value)


def _softmax_arithmetic(picture: DiagramPicture, head: int, row: int, column: int, weight: float) -> str:
    temperature = picture.lookup.temperature
    line = picture.box(picture.box("weights").sources[0]).part(head)[row]
    top, score = float(line.max()), float(line[column])
    if picture.lookup.hard:
        return f"{signed_short(score)}, and the largest of the row is {signed_short(top)}: weight {weight:.4f}"
    share, total = float(np.exp((score - top) / temperature)), float(np.exp((line - top) / temperature).sum())
    divided = "" if temperature == 1.0 else f" ÷ {coordinate(temperature, 4)}"
    power = f"({signed_short(score)} − {signed_short(top)}){divided}"
    power = f"({power})" if divided else power
    return f"e^{power} ÷ {total:.3f} = {share:.4f} ÷ {total:.3f} = {weight:.4f}"


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
    return f"{row_name(picture, box, row)}, {box.what}: norm {short(float(np.linalg.norm(finite)))}"


_LIBRARY = (
    "As in a library: you come with a question (query), compare it with the label of every book (key), and take more "
    "from the books (values) the better their labels fit."
)
ROLES = {
    "q": f"A query says what its token looks for. Where it was learned, no word may exist for that. {_LIBRARY}",
    "k": f"A key says what its token can be found by; each query is compared with all keys. {_LIBRARY}",
    "v": f"A value is what its token hands over once it is found. {_LIBRARY}",
}
"""What the three roles of a token mean, by their boxes."""
MOST_LISTED = 8
"""Rows whose largest weights are listed."""
AS_IN_TRAINING = "Bare cells are left out, as in training; a model in use leaves out nothing."
NORMED = ("attention_input", "middle", "feed_forward_input", "output")
"""The boxes that a norm has made."""


def row_sentences(picture: DiagramPicture, box: Box) -> tuple[str, ...]:
    """Say what is true of the rows of weights, and of the rows that a norm has made."""
    if box.name == "weights":
        has_empty = picture.mask is not None and not picture.mask.any(axis=-1).all()
        sums = "Every row sums to 1, but a row that may look at nothing." if has_empty else "Every row sums to 1."
        if box.left_out is not None:
            totals = box.array.sum(axis=-1)
            sums = (
                f"The sums of rows go from {short(float(totals.min()))} to {short(float(totals.max()))}: dropout acts "
                "behind the softmax. Their mean over many draws is 1."
            )
        return sums, *_largest_sentence(picture, box), *_best_head_sentence(picture, box)
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
    head = f" in {picture.head_name(picture.head)}" if picture.heads > 1 else ""
    return (f"The largest of each row{head}: {', '.join(plain(weight, 3) for weight in largest)}.",)


def _best_head_sentence(picture: DiagramPicture, box: Box) -> tuple[str, ...]:
    if picture.heads == 1:
        return ()
    best = box.first.max(axis=0)  # (query, key), over the heads
    least = float(best.min() if picture.mask is None else best[picture.mask].min())
    pairs = "every pair" if picture.mask is None else "every pair that the mask allows"
    return (f"For {pairs} some head gives a weight of at least {short(least)}.",)


def _shape_sentence(picture: DiagramPicture, box: Box) -> tuple[str, ...]:
    """Say why what comes out has the shape of what went in, or need not have it."""
    if box.name not in ("head_output", "attention_output") or not picture.has("x", "head_output"):
        return ()
    found, x = (picture.box(name).first.shape[-2:] for name in ("head_output", "x"))
    if found == x:
        return (f"The output {shape_words(found)} has the shape of the input X.",)
    said = f"A·V {shape_words(found)} need not have the shape of X {shape_words(x)}"
    if not picture.has("attention_output"):
        return (f"{said}.",)
    what = "it" if picture.heads == 1 else "all heads, side by side,"
    back = picture.box("attention_output").first.shape
    return (f"{said}: W_O brings {what} back to {shape_words(back)}.",)


def likeness_sentences(picture: DiagramPicture) -> tuple[str, ...]:
    """Say how alike the tokens are as they come in and as they leave; nothing of one token, or of zeros."""
    ways = [box.first for box in picture.boxes if box.form is Form.FEATURES and box.rows is Rows.QUERIES]
    if not picture.has("x") or not ways:
        return ()
    enter, leave = picture.box("x").first, ways[-1]
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
        if box.form is not Form.KEYS and has_row_of(picture, box)
    )


def has_row_of(picture: DiagramPicture, box: Box) -> bool:
    """Whether a box has a row for each token that looks."""
    return box.rows is Rows.QUERIES or (box.rows is Rows.KEYS and picture.keys == picture.tokens)


def parameter_words(picture: DiagramPicture) -> str:
    """Count the learned numbers of the layer shown, and of all."""
    counts, layers = dict(picture.sizes), picture.layers
    if not counts:
        return ""
    total = sum(counts.values())
    parts = f"attention {grouped(counts['attention'])}"
    if counts["feed_forward"]:
        parts += f", feed-forward {grouped(counts['feed_forward'])}"
    whole = f"; {layers} layers {grouped(layers * total)}" if layers > 1 else ""
    return f"{grouped(total)} parameters: {parts}{whole}."


# ---- Panel and drawer ----


def panel_sentence(picture: DiagramPicture) -> str:
    """Return what stands beside the diagram: the box that is looked at, or what the followed token reads."""
    token, box = picture.token, picture.chosen
    otherwise = (*(() if picture.state.drops is None else (AS_IN_TRAINING,)), *_lacking_sentences(picture))
    more = "".join(f" {each}" for each in otherwise)
    if token is None:
        mean, deviation = short(box.summary.mean), short(box.summary.std)
        return f"{box.formula}. {box.shape_text}: mean {mean}, std {deviation}.{more}"
    row = picture.box("weights").part(picture.head)[token]
    best = int(np.argmax(row))
    where = picture.head_name(picture.head)
    said = f"In {where} it reads {key_name(picture, best)} most: {plain(float(row[best]), 3)}."
    if not row.any():
        said = f"In {where} it may look at nothing: all its weights are 0."
    if picture.box("weights").left_out is not None:
        said += f" Its weights sum to {short(float(row.sum()))}, not 1."
    if not picture.has("v"):
        return said + more
    values = np.linalg.norm(picture.box("v").part(picture.head), axis=-1)
    arriving = int(np.argmax(row * values))
    if arriving != best:
        said += (
            f" But the value of that is short ({short(float(values[best]))}): most of what arrives is from "
            f"{key_name(picture, arriving)} ({short(float(values[arriving]))})."
        )
    return said + more


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
        ROLES.get(box.name, ""),
        *_shape_sentence(picture, box),
        *row_sentences(picture, box),
        f"{token_name(picture, picture.token)} from box to box: {way}." if picture.token is not None else "",
        *_origin_sentences(picture),
        f"Shapes: {shape_trace(picture)}.",
        *likeness_sentences(picture),
        f"{percent(share)} of the hidden units are exactly 0." if share else "",
        parameter_words(picture),
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


def _lacking_sentences(picture: DiagramPicture) -> tuple[str, ...]:
    """Return what a model has learned and runs without, if anything."""
    lacks = " and ".join(picture.state.lacks)
    return (f"All layers run without {lacks}.",) if lacks else ()
