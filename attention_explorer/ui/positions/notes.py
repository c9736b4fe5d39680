"""What the panel says beside three pictures of the Positions page: their true numbers in a few sentences."""

from __future__ import annotations

import numpy as np

from attention_explorer.state.numerals import plain, signed, size_text, weight_text
from attention_explorer.state.positions.attention import PositionAttentionPicture
from attention_explorer.state.positions.order import MOST_HEADS, WIDEST, OrderPicture, Outcome
from attention_explorer.state.positions.similarity import SimilarityPicture
from attention_explorer.state.positions.state import PositionKind
from attention_explorer.state.positions.table import FloatArray, ordinal
from attention_explorer.ui.controls.text_block import TextLine

TITLES = {
    PositionKind.NONE: "none",
    PositionKind.SINUSOIDAL: "added sinusoid",
    PositionKind.LEARNED: "learned, untrained",
    PositionKind.ROTARY: "rotary",
    PositionKind.ALIBI: "ALiBi",
}
MASKS = ("no mask", "causal mask")


# ---- Similarity ----


def similarity_notes(picture: SimilarityPicture) -> tuple[TextLine, ...]:
    """Return what the panel says."""
    if picture.reason:
        return (TextLine(picture.reason),)
    lines = [TextLine("How alike are two positions?", bold=True), TextLine(_opening(picture))]
    lines += [
        TextLine(text) for text in (_curve_words(picture), _projected_words(picture), _nearest_words(picture)) if text
    ]
    if picture.state.kind is PositionKind.SINUSOIDAL and picture.state.d_model % 2:
        lines.append(
            TextLine(
                "An odd d_model leaves a sine without its cosine: the product then depends on the place too.", "muted"
            )
        )
    return tuple(lines)


def _opening(picture: SimilarityPicture) -> str:
    if picture.is_distance and picture.state.kind is PositionKind.SINUSOIDAL:
        if picture.nearest is not None and picture.nearest.distance > 1e-6:
            return "Every position has a fingerprint of its own: off the diagonal no distance is 0."
        return "How far the vectors of every two positions are apart."
    return {
        PositionKind.NONE: "Without an encoding the product of a query and a key is the same wherever they stand.",
        PositionKind.SINUSOIDAL: "PE(p) · PE(p′) depends on the offset alone: every diagonal has one number.",
        PositionKind.LEARNED: "Drawn at random, before any training: each position is like itself and no other.",
        PositionKind.ROTARY: "One query and one key, turned to their places: the product depends on the offset alone.",
        PositionKind.ALIBI: "Nothing is added to the vectors. The bias falls in a straight line with the distance.",
    }[picture.state.kind]


def _curve_words(picture: SimilarityPicture) -> str:
    if picture.state.kind is not PositionKind.SINUSOIDAL or picture.curve is None or len(picture.curve) < 2:
        return ""
    if picture.is_distance:
        return _distance_words(picture, picture.curve)
    said = f"{plain(float(picture.curve[0]), 3)} with itself, {plain(float(picture.curve[1]), 3)} at offset 1."
    if picture.rises:
        some = ", ".join(map(str, picture.rises[:6])) + (" and more" if len(picture.rises) > 6 else "")
        said += f" It does not fall steadily with the distance: it rises at {some}."
    if 25 in picture.notable and picture.curve[25] > picture.curve[15]:
        said += (
            f" Offset 25 has {plain(float(picture.curve[25]), 3)}, offset 15 only {plain(float(picture.curve[15]), 3)}."
        )
    if picture.first_negative is not None:
        said += f" It first falls below 0 at offset {picture.first_negative}."
    return said


def _distance_words(picture: SimilarityPicture, curve: FloatArray) -> str:
    said = f"{plain(float(curve[1]), 4)} between neighbours, {plain(float(curve.max()), 4)} at most."
    if picture.rises:
        some = ", ".join(map(str, picture.rises[:6])) + (" …" if len(picture.rises) > 6 else "")
        said += f" Not ever more with the offset: it falls at {some}."
    return said


def _projected_words(picture: SimilarityPicture) -> str:
    if len(picture.spreads) < 2 or not picture.spreads[1].count:
        return ""
    spread = picture.spreads[1]
    if picture.state.kind is PositionKind.LEARNED:
        before = size_text(picture.spreads[0].range)
        after = size_text(spread.range)
        return f"Not relative: along offset 1 the numbers spread over {before}, after W_q, W_k over {after}."
    if picture.state.kind is PositionKind.SINUSOIDAL:
        return (
            f"After random W_q, W_k relative no longer: along offset 1 the numbers spread over "
            f"{size_text(spread.range)} (standard deviation {size_text(spread.std)}). Training may find weights that "
            "keep the offset; nothing forces it to."
        )
    if picture.state.kind is PositionKind.ROTARY:
        return (
            f"W_q, W_k come before the turning, so it stays so: along offset 1 a spread of {size_text(spread.range)}."
        )
    return ""


def _nearest_words(picture: SimilarityPicture) -> str:
    near = picture.nearest
    if near is None:
        return ""
    distance = plain(near.distance, 4)
    if near.by_offset:
        pair = "neighbours" if near.second == 1 else f"positions {near.second} apart"
        same = "no two positions share a vector" if near.distance > 1e-6 else "they cannot be told apart"
        return f"Smallest distance of two vectors: {distance}, of {pair}; {same}."
    among = "" if near.every == 1 else f" among every {ordinal(near.every)} position"
    return f"Smallest distance of two vectors{among}: {distance}, of positions {near.first} and {near.second}."


# ---- What it does to attention ----


def position_attention_notes(picture: PositionAttentionPicture) -> tuple[TextLine, ...]:
    """Return what the panel says."""
    lines = [TextLine("What it does to attention", bold=True)]
    if picture.reason:
        return (*lines, TextLine(picture.reason))
    words = (_attention_opening(picture), _weights_words(picture), _lengths_words(picture), _terms_words(picture))
    lines += [TextLine(text) for text in words if text]
    lines.append(
        TextLine(
            "The contents of query and key are the same everywhere: only the position makes a difference.", "muted"
        )
    )
    return tuple(lines)


def _attention_opening(picture: PositionAttentionPicture) -> str:
    return {
        PositionKind.NONE: "Without an encoding the score is the same at every distance.",
        PositionKind.SINUSOIDAL: "Each query has its own line: after W_q, W_k the distance alone does not decide.",
        PositionKind.LEARNED: "Untrained, it is small noise: the score hardly depends on the position.",
        PositionKind.ROTARY: "One line for every query: the score depends on the distance alone.",
        PositionKind.ALIBI: "One line for every query: each head takes its slope times the distance off the score.",
    }[picture.state.kind]


def _weights_words(picture: PositionAttentionPicture) -> str:
    visible = picture.weights[: picture.visible]
    best = int(np.argmax(visible))
    count = len(visible)
    if np.ptp(visible) < 1e-12:
        return f"Query {picture.query} gives each of {count} keys the weight {weight_text(float(visible[0]))}."
    return (
        f"Query {picture.query} gives key {best} most, {weight_text(float(visible[best]))}; "
        f"even would be {weight_text(1 / count)} for each of {count}."
    )


def _lengths_words(picture: PositionAttentionPicture) -> str:
    if len(picture.norms) < 3:
        return ""
    token, encoding = picture.norms[0].number, picture.norms[2].number
    root = picture.state.d_model**0.5
    said = f"The query token is {plain(token, 3)} long, its encoding {plain(encoding, 3)}"
    if picture.state.kind is PositionKind.SINUSOIDAL and picture.state.d_model % 2 == 0:
        said += f" = √({picture.state.d_model}/2)"
    said += ": the position outweighs the content." if encoding > token else "."
    return said + f" The paper multiplies embeddings by √d_model = {plain(root, 3)} first."


def _terms_words(picture: PositionAttentionPicture) -> str:
    if len(picture.terms) == 4:
        cross = picture.terms[1].number + picture.terms[2].number
        return f"Added, the score has four terms; those that mix content and position make {signed(cross, 3)} of it."
    if picture.state.concatenated and len(picture.terms) == 2 and len(picture.norms) == 3:
        return (
            "Side by side, each half with W_q, W_k of its own, there are no cross terms, and vectors are twice as wide "
            f"(÷ √{picture.width})."
        )
    return ""


# ---- Order ----


def order_notes(picture: OrderPicture) -> tuple[TextLine, ...]:
    """Return what the panel says."""
    lines = [TextLine("Shuffle the words", bold=True)]
    if picture.reason:
        return (*lines, TextLine(picture.reason))
    outcome = picture.outcomes[picture.shown]
    lines.append(TextLine("P shuffles the words, f is a layer of attention. Is f(PX) the rows of f(X) in the order P?"))
    lines.append(TextLine(_shown_words(outcome), bold=True))
    if outcome.found is not None:
        found = outcome.found
        moved, pooled = size_text(found.moved), size_text(found.pooled)
        lines.append(TextLine(f"The output as a whole changed by {moved}, the mean of its rows by {pooled}."))
    lines.append(TextLine("Attention alone is blind to order. An encoding tells it, and so does a causal mask."))
    lines.append(TextLine(_sizes(picture), "muted"))
    return tuple(lines)


def _shown_words(outcome: Outcome) -> str:
    return f"{TITLES[outcome.kind]}, {MASKS[outcome.causal]}: {outcome.verdict}."


def _sizes(picture: OrderPicture) -> str:
    said = f"Done with d_model {picture.d_model} and {picture.heads} head{'s' * (picture.heads != 1)}"
    if (picture.d_model, picture.heads) != (picture.state.d_model, picture.state.heads):
        said += (
            f" in place of {picture.state.d_model} and {picture.state.heads} (at most {WIDEST} and {MOST_HEADS} here)"
        )
    said += ", random weights"
    return said + (f"; {picture.left_out} words of the sentence are left out." if picture.left_out else ".")
