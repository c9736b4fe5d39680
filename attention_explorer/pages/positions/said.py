"""What the Positions page says: titles, what a row comes to, and its true numbers in whole sentences."""

from __future__ import annotations

import math

import numpy as np

from attention_explorer.core.map_picture import FloatArray
from attention_explorer.core.numerals import coordinate, counted, plain, signed, size_text, weight_text
from attention_explorer.model.alibi import alibi_slopes
from attention_explorer.pages.positions.attention import PositionAttentionPicture
from attention_explorer.pages.positions.kinds.alibi import slope_words
from attention_explorer.pages.positions.kinds.kind import wavelength_text
from attention_explorer.pages.positions.kinds.registry import KINDS, PositionKind, kind_of
from attention_explorer.pages.positions.order import MOST_HEADS, WIDEST, OrderPicture, Outcome
from attention_explorer.pages.positions.similarity import SimilarityPicture, is_wavy
from attention_explorer.pages.positions.state import PositionsPicture, PositionsState
from attention_explorer.pages.positions.table import encoding_at, ordinal, pair_count, wavelength

PICTURE_TITLES = {
    PositionsPicture.ENCODING: "",
    PositionsPicture.CLOCKS: "as clocks",
    PositionsPicture.SIMILARITY: "how alike two positions are",
    PositionsPicture.ATTENTION: "what it does to attention",
    PositionsPicture.ORDER: "shuffling the words",
}


def picture_title(state: PositionsState) -> str:
    """Return what the large picture shows."""
    what = PICTURE_TITLES[state.picture]
    return kind_of(state).name + (f": {what}" if what else "")


# ---- The encoding ----


def row_sentence(state: PositionsState) -> str:
    """Return what the numbers of the position of a state come to.

    Raises
    ------
    ArrayError
        The base takes the angles beyond the range of the floats.
    """
    if kind_of(state).has_slopes:
        slopes = alibi_slopes(state.heads)
        ends = " to ".join(dict.fromkeys((slope_words(float(slopes.max())), slope_words(float(slopes.min())))))
        return f"{ends} off the score for each position of distance."
    return kind_of(state).norm(state, float(np.linalg.norm(row_of(state))))


def row_of(state: PositionsState) -> FloatArray:
    """Return the numbers of the position of a state, (d_model,)."""
    found = encoding_at(state, np.asarray([state.position_shown]), np.arange(state.d_model))
    return np.asarray(found[0])


def encoding_says(state: PositionsState) -> tuple[str, ...]:
    """Return what else is true of the numbers of an encoding."""
    kind, found = kind_of(state), kind_of(state).verdict(state)
    truths = found.title, found.text
    if kind.has_slopes:
        added = "Added to the score q·k ÷ √d_k before the softmax: −slope · |i − j|."
        return (added, *truths, "Click a line or its name to see the map of that head.")
    if not kind.turns:
        return ("Columns have no wavelength, and a row is like the next only by chance.", *truths)
    last, power = pair_count(state) - 1, f"{coordinate(state.base)}^(2i/{state.d_model})"
    longest = f", {wavelength_text(wavelength(state, state.d_model - 1))} for i = {last}" if last else ""
    return (
        kind.made.replace("{}", power),
        f"Also written p · exp(−2i · ln {coordinate(state.base)} / {state.d_model}): the same angle.",
        f"Wavelength 2π · {power}: {wavelength_text(wavelength(state, 0))} for i = 0{longest}.",
        *truths,
        "Click a column to draw its wave; click a row’s number or a wave to move there.",
    )


TITLES = {kind: found.title for kind, found in KINDS.items()}
TITLES_BESIDE = {kind: found.title_beside or found.title for kind, found in KINDS.items()}
MASKS = ("no mask", "causal mask")


# ---- Similarity ----


def similarity_headline(picture: SimilarityPicture) -> str:
    """Return what the maps show."""
    if picture.is_distance and is_wavy(picture.state):
        if picture.nearest is not None and picture.nearest.distance > 1e-6:
            return "Every position has a fingerprint of its own: off the diagonal no distance is 0."
        return "How far apart the vectors of any two positions are."
    if _has_lone_sine(picture):
        return "PE(p) · PE(p′): the larger, the more alike two positions are to attention."
    return kind_of(picture.state).alike


def similarity_sentence(picture: SimilarityPicture) -> str:
    """Return the sentence beside the maps."""
    state = picture.state
    if picture.is_distance:
        return _nearest_words(picture)
    head = state.count.head(state.head_shown).capitalize()
    return kind_of(state).why_alike.format(head=head)


def similarity_says(picture: SimilarityPicture) -> tuple[str, ...]:
    """Return what else is true of the maps."""
    found = [_curve_words(picture), _projected_words(picture)]
    if not picture.is_distance:
        found.append(_nearest_words(picture))
    if _has_lone_sine(picture):
        found.append("d_model is odd: the last sine has no cosine, so the offset alone does not decide.")
    return tuple(filter(None, found))


def _has_lone_sine(picture: SimilarityPicture) -> bool:
    return is_wavy(picture.state) and picture.state.d_model % 2 == 1


def _curve_words(picture: SimilarityPicture) -> str:
    if not is_wavy(picture.state) or picture.curve is None or len(picture.curve) < 2:
        return ""
    if picture.is_distance:
        return _distance_words(picture, picture.curve)
    here, next_to_it = (plain(float(value), 3) for value in picture.curve[:2])
    said = f"{here} with itself, {next_to_it} at offset 1."
    if _has_lone_sine(picture):
        said = f"Position 0 has {here} with itself and {next_to_it} with position 1."
    if picture.rises:
        said += f" It does not always fall with the distance: it rises at {_offsets(picture.rises)}."
    if 25 in picture.notable and picture.curve[25] > picture.curve[15]:
        said += (
            f" Offset 25 has {plain(float(picture.curve[25]), 3)}, offset 15 only {plain(float(picture.curve[15]), 3)}."
        )
    if picture.first_negative is not None:
        said += f" It first falls below 0 at offset {picture.first_negative}."
    return said


def _distance_words(picture: SimilarityPicture, curve: FloatArray) -> str:
    nearest, furthest = plain(float(curve[1]), 4), plain(float(curve.max()), 4)
    said = f"{nearest} between neighbours, {furthest} at most."
    if _has_lone_sine(picture):
        said = f"From position 0 it is {nearest} to position 1, and {furthest} at most."
    if picture.rises:
        said += f" It does not always grow with the distance: it falls at {_offsets(picture.rises)}."
    return said


def _offsets(found: tuple[int, ...]) -> str:
    """Return offsets as they are listed, the first six of many."""
    some = ", ".join(map(str, found[:6])) + (" and more" if len(found) > 6 else "")
    return f"offset {some}" if len(found) == 1 else f"offsets {some}"


def _projected_words(picture: SimilarityPicture) -> str:
    if len(picture.spreads) < 2 or picture.spreads[1].count < 2:
        return ""
    first, then = picture.spreads
    least = "at least " if picture.step > 1 else ""  # only some of the positions were compared
    before, after = least + size_text(first.range), least + size_text(then.range)
    if kind_of(picture.state).is_drawn:
        return (
            "The offset alone does not decide: along offset 1 the numbers spread over "
            f"{before}, after W_q and W_k over {after}."
        )
    if _has_lone_sine(picture):
        return f"Along offset 1 the numbers spread over {before}, after random W_q and W_k over {after}."
    if is_wavy(picture.state):
        return (
            "After random W_q and W_k the offset alone no longer decides: along offset 1 the numbers spread over "
            f"{after} (standard deviation {size_text(then.std)}). Training may find weights that keep the offset; "
            "nothing forces it to."
        )
    if kind_of(picture.state).turns:
        return (
            "W_q and W_k act before the turning, so this holds after them too: along offset 1 the numbers spread over "
            f"{size_text(then.range)}, which is rounding."
        )
    return ""


def _nearest_words(picture: SimilarityPicture) -> str:
    near = picture.nearest
    if near is None:
        return ""
    distance = plain(near.distance, 4)
    if near.by_offset:
        pair = "neighbours" if near.second == 1 else f"positions {near.second} apart"
        same = "No two positions share a vector." if near.distance > 1e-6 else "They cannot be told apart."
        return f"The two closest vectors are {distance} apart: those of {pair}. {same}"
    among = "" if near.every == 1 else f" among every {ordinal(near.every)} position"
    return f"The two closest vectors{among} are {distance} apart: those of positions {near.first} and {near.second}."


# ---- What it does to attention ----


def titles_of(picture: PositionAttentionPicture) -> dict[PositionKind, str]:
    """Return what the kinds are called in a picture: an encoding is added to embeddings or put beside them."""
    return TITLES_BESIDE if picture.state.concatenated else TITLES


def attention_headline(picture: PositionAttentionPicture) -> str:
    """Return what the encoding does to scores."""
    return picture.reason or _attention_opening(picture)


def attention_sentence(picture: PositionAttentionPicture) -> str:
    """Return the sentence beside the weights."""
    return picture.reason or _weights_words(picture)


def attention_says(picture: PositionAttentionPicture) -> tuple[str, ...]:
    """Return what else is true of scores and weights."""
    same = "Query and key have the same content everywhere: only their positions make a difference."
    words = () if picture.reason else (_lengths_words(picture), _terms_words(picture))
    return tuple(filter(None, (*words, same)))


def _attention_opening(picture: PositionAttentionPicture) -> str:
    varies = size_text(float(np.ptp(picture.scores)))
    return kind_of(picture.state).scores.format(varies=varies)


def _weights_words(picture: PositionAttentionPicture) -> str:
    visible = picture.weights[: picture.visible]
    best = int(np.argmax(visible))
    count = len(visible)
    if count == 1:
        return f"Query {picture.query} sees only itself: the weight is 1."
    if np.ptp(visible) < 1e-12:
        return (
            f"Query {picture.query} attends to each of {count} keys with the weight {weight_text(float(visible[0]))}."
        )
    return (
        f"Query {picture.query} attends most to key {best}, with {weight_text(float(visible[best]))}; "
        f"an even share of {count} keys would be {weight_text(1 / count)}."
    )


def _lengths_words(picture: PositionAttentionPicture) -> str:
    if len(picture.norms) < 3:
        return ""
    token, encoding = picture.norms[0].number, picture.norms[2].number
    state, root = picture.state, picture.state.d_model**0.5
    said = f"The query token is {plain(token, 3)} long, its encoding {plain(encoding, 3)}"
    if is_wavy(state) and state.d_model % 2 == 0:
        said += f" = √({state.d_model}/2)"
    said += ": the encoding is longer than the token." if encoding > token else "."
    if math.isclose(state.embedding_scale, root):
        return said + f" Embeddings are multiplied by √d_model = {plain(root, 3)}, as in the paper."
    return said + f" The paper multiplies embeddings by √d_model = {plain(root, 3)} first."


def _terms_words(picture: PositionAttentionPicture) -> str:
    if len(picture.terms) == 4:
        cross = picture.terms[1].number + picture.terms[2].number
        return f"The score has four terms; the two that mix content and position come to {signed(cross, 3)} together."
    if picture.state.concatenated and len(picture.terms) == 2 and len(picture.norms) == 3:
        return (
            "Content and encoding stand side by side, each with its own W_q and W_k: no term mixes them, and queries "
            f"are twice as wide (÷ √{picture.width})."
        )
    return ""


# ---- Order ----


def order_headline(picture: OrderPicture) -> str:
    """Return what shuffling the words does to the outputs."""
    outcome = picture.outcomes[picture.shown]
    if outcome.found is None:
        return f"{TITLES[outcome.kind].capitalize()} {outcome.reason}."
    if outcome.is_equivariant:
        return "Shuffled words, the same outputs shuffled: order is lost."
    return "Shuffled words give other outputs: order matters."


def order_sentence(_picture: OrderPicture) -> str:
    """Return the sentence beside the maps."""
    return "Attention alone is blind to order. An encoding changes that, and so does a causal mask."


def order_says(picture: OrderPicture) -> tuple[str, ...]:
    """Return what else came out."""
    outcome, moved = picture.outcomes[picture.shown], tuple[str, ...]()
    if outcome.found is not None:
        moved = (
            f"The output changed by up to {size_text(outcome.found.moved)}, the mean of its rows by up to "
            f"{size_text(outcome.found.pooled)}.",
        )
    return (
        "P shuffles the rows of X, and f is a layer of attention. Is f(PX) just f(X) with its rows shuffled?",
        _shown_words(outcome),
        *moved,
        _sizes(picture),
    )


def outcome_words(picture: OrderPicture, number: int) -> str:
    """Return one outcome of the table."""
    outcome = picture.outcomes[number]
    return f"{TITLES[outcome.kind]}, {MASKS[outcome.causal]}: max |f(PX) − P f(X)| · {outcome.verdict}"


def _shown_words(outcome: Outcome) -> str:
    return f"{TITLES[outcome.kind]}, {MASKS[outcome.causal]}: {outcome.verdict}."


def _sizes(picture: OrderPicture) -> str:
    done = f"Done with d_model {picture.d_model} and {counted(picture.heads, 'head')}"
    if (picture.d_model, picture.heads) != (picture.state.d_model, picture.state.heads):
        wanted = f"{picture.state.d_model} and {picture.state.heads}"
        done += f" instead of {wanted} (here at most {WIDEST} and {MOST_HEADS}, and the heads share d_model equally)"
    left_out = ""
    if picture.left_out:
        words = "the last word is" if picture.left_out == 1 else f"the last {picture.left_out} words are"
        left_out = f"; {words} left out"
    return f"{done}, with random weights{left_out}."
