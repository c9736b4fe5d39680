"""What the dotted names of lessons stand for: the one place where lessons meet the states and numbers of the pages.

A name is that of a field of the state (`lookup.temperature`), or of a number that a page shows (`lookup.weights[1]`).
Fields are found by themselves; what else a page offers stands in a table of this file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args

import numpy as np

from attention_explorer.core.declared import declarations
from attention_explorer.core.numerals import subscript
from attention_explorer.core.session_json import Json, PlaceError, place_text
from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.fields import types_of
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.pages.explorer import ExplorerState, PageState
from attention_explorer.pages.file_places import files_of
from attention_explorer.pages.heads.frame import HeadsFrame, frame_to_show
from attention_explorer.pages.heads.guess import guess_setup, guessed, without_word
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.survey import head_survey
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.lookup.words_plane import WordsNumbers, words_numbers
from attention_explorer.pages.ready_made import ALL_PARTS
from attention_explorer.pages.session_codec import Decoder, encoded
from attention_explorer.tools.lessons.expression import Chooser, ExpressionError, Group, Member, Shown

# What other pages compute is imported where it is asked for: the lessons are loaded with the window.
if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from attention_explorer.model import AttentionMap, MapSummary, ModelSize
    from attention_explorer.pages.circuits.state import CircuitsState
    from attention_explorer.pages.lab.bench import BenchPicture
    from attention_explorer.pages.lab.cost_state import CostState
    from attention_explorer.pages.lab.scores_state import ScalingState
    from attention_explorer.pages.layer.boxes import Box
    from attention_explorer.pages.layer.diagram import DiagramPicture
    from attention_explorer.pages.positions.clocks import ClocksPicture
    from attention_explorer.pages.positions.state import PositionsState
    from attention_explorer.pages.stack.state import BlockState
    from attention_explorer.pages.training.state import TrainingState
    from attention_explorer.sources.learned.learned_model import Answer
    from attention_explorer.sources.source import Guess

T = TypeVar("T")
Members: TypeAlias = "dict[str, Callable[[], Member]]"

_SYMBOLS = ("d_k", "d_model", "d_ff")
"""Fields that are called as the formulas have it."""
_STEP = re.compile(r"\.?([a-z_]+)|\[([0-9]{1,6})\]")


def names_in(state: ExplorerState) -> Group:
    """Return all that has a name in a state, page by page; nothing is computed before it is asked for."""
    return Group({page: partial(_page, state, page) for page in ALL_PARTS})


def _page(state: ExplorerState, page: str) -> Group:
    shown: PageState = getattr(state, page)
    return Group({**_fields(shown), **_SHOWN.get(page, _nothing)(shown)})


def _nothing(_state: object) -> Members:
    return {}


# ---- Fields ----


def _fields(value: DataclassInstance) -> Members:
    members: Members = {}
    for part in fields(value):
        if _has_a_name(getattr(value, part.name)):
            members[part.name] = partial(_field, value, part.name)
    return members


def _has_a_name(value: object) -> bool:
    """Whether a field is a number, a text, a switch, a row of them, or has fields of its own."""
    if isinstance(value, frozenset):
        return False
    if isinstance(value, tuple):
        return not any(is_dataclass(item) for item in value) and len(set(map(np.shape, value))) <= 1
    return True


def _field(owner: DataclassInstance, name: str) -> Member:
    value = getattr(owner, name)
    if is_dataclass(value) and not isinstance(value, type):
        return Group(_fields(value))
    if value is None or isinstance(value, StrEnum):
        value = "none" if value is None else value.value
    return Shown(value, _field_words(type(owner), name))


def spelled(field: str) -> str:
    """Return what a field is called in a sentence: “head width”, but “d_k”."""
    return field if field in _SYMBOLS else field.replace("_", " ")


def _field_words(kind: type[DataclassInstance], name: str) -> str:
    """Say what a field may be: “temperature, from 0.01 to 100”."""
    words, hint = spelled(name), types_of(kind)[name]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return f"{words}: {' | '.join(hint)}"
    if hint is bool:
        return f"{words}: on or off"
    said = declarations(kind).get(name)
    if said is None or not {hint, *get_args(hint)} & {int, float}:
        return words
    if said.choices:
        return f"{words}: {' | '.join(map(str, said.choices))}"
    return f"{words}, from {said.low:g} to {said.high:g}"


def with_fields(state: ExplorerState, changes: Mapping[str, Any]) -> ExplorerState:
    """Return a state in which some fields are others.

    Parameters
    ----------
    state : ExplorerState
        What they are changed in.
    changes : mapping of str to bool, int, float, str or list
        By their dotted names, as in ``{"lookup.query": [1, 0], "lookup.entries[0].number": 10}``. Where there may be
        nothing, as for a row that is pinned, "none" says so.

    Returns
    -------
    ExplorerState
        As if it had been read from a session file, so types and ranges are those of the window.

    Raises
    ------
    ExplorerError
        There is no such field, which is said of each, a line for one; or it cannot hold that; or it names a file, of
        which lessons read none.
    """
    if not changes:
        return state
    document, faults = encoded(state), []
    for name, value in changes.items():
        try:
            _put(document, name, value, state)
        except ExplorerError as error:
            faults.append(str(error))
    if faults:
        raise ExplorerError("\n".join(faults))
    decoder = Decoder()
    try:
        changed = decoder.decoded(ExplorerState, document, ())
    except PlaceError as error:
        raise ExplorerError(f"{place_text(error.place)} {error.what}.") from None
    if decoder.warnings:
        raise ExplorerError(decoder.warnings[0])
    refuse_files(changed, but=files_of(state))
    return changed


def _put(document: Json, name: str, value: object, state: ExplorerState) -> None:
    steps = _steps(name)
    part: Any = document
    for depth, step in enumerate(steps):
        known = part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        if step not in known:
            before = place_text(steps[:depth]) or "the state"
            names = list(known) if isinstance(part, dict) else []
            otherwise = "" if names else f"It has {len(known)} items." if isinstance(part, list) else "It has no parts."
            if depth == 1 and step in _page(state, before).members:
                otherwise = f"It is computed, and cannot be set. Fields are: {', '.join(names)}."
            near = did_you_mean(str(step), names, otherwise) if depth else did_you_mean(str(step), ALL_PARTS)
            raise ExplorerError(f"There is no {quoted(name)}: {before} has no {quoted(str(step))}. {near}")
        if depth < len(steps) - 1:
            part = part[step]
    is_none = value == "none" and not isinstance(part[steps[-1]], str)  # an encoded choice is a text of its own
    part[steps[-1]] = None if is_none else value


def _steps(name: str) -> tuple[str | int, ...]:
    found = list(_STEP.finditer(name))
    if not found or "".join(match[0] for match in found) != name or name.startswith((".", "[")):
        raise ExplorerError(f"{quoted(name)} is no name of a field, such as “lookup.temperature”.")
    return tuple(match[1] or int(match[2]) for match in found)


def refuse_files(state: ExplorerState, but: Collection[str] = ()) -> None:
    """Refuse a state that names a file of attention, but for those that somebody has opened who takes the lesson."""
    if not set(files_of(state)).issubset(but):
        raise ExplorerError("A lesson reads no files of attention: it shows what is in the program.")


# ---- What pages show ----


def _lookup(state: LookupState) -> Members:
    frame = lookup_frame(state)
    width = frame.values.shape[1]

    def number(read: Callable[[LookupFrame], Any], name: str | Callable[..., str]) -> Callable[[], Member]:
        return lambda: Shown(read(frame), name)

    return {
        "query": number(lambda f: np.asarray(f.state.query), _coordinate("q")),
        "keys": number(lambda f: f.keys, _coordinate("k", is_row=True)),
        "value_rows": number(lambda f: f.values, _coordinate("v", width, is_row=True)),
        "scores": number(lambda f: f.attention.scores, lambda *i: f"q·k{_digit(i)}"),
        "scaled_scores": number(lambda f: f.attention.scaled, lambda *i: f"q·k{_digit(i)} as softmax takes it"),
        "weights": number(lambda f: f.weights, lambda *i: f"α{_digit(i)}"),
        "output": number(lambda f: f.output, _coordinate("o", width)),
        "contributions": number(lambda f: f.contributions, _coordinate("αv", width, is_row=True)),
        "cosines": number(lambda f: f.cosines, lambda *i: f"cos(q, k{_digit(i)})"),
        "slope": number(lambda f: f.gradient_norm, "how fast o moves with q"),
        "query_length": number(lambda f: f.query_length, "|q|"),
        "key_lengths": number(lambda f: f.key_lengths, lambda *i: f"|k{_digit(i)}|"),
        "winner": number(lambda f: f.winners[0], "the key with the highest score, from 0"),
        "tied": number(lambda f: len(f.winners) > 1, "whether the highest scores are equal"),
        "found": number(lambda f: f.exact_match is not None, "whether a key equals q"),
        "entropy": number(lambda f: f.entropy, "entropy of the weights, in nats"),
        "target": number(lambda f: np.asarray(f.state.target_row), _coordinate("t", width)),
        "loss": number(lambda f: f.loss, "½|o − t|²"),
        "loss_gradient": number(lambda f: f.loss_gradient, _coordinate("∂L/∂q")),
        "jump": number(lambda f: f.jump, "how far o can jump"),
        "value_gradients": number(_value_gradients, _coordinate("∂L/∂v", width, is_row=True)),
        "is_row": number(lambda f: f.row is not None, "whether a row of a head is looked up in"),
        **_words_of(state),
    }


def _words_of(state: LookupState) -> Members:
    """Return what the words in the plane come to; of two heads that of the one on show."""

    def number(read: Callable[[WordsNumbers], Any], name: str | Callable[..., str]) -> Callable[[], Member]:
        return lambda: Shown(read(words_numbers(state)), name)

    def word(symbol: str) -> Callable[..., str]:
        return lambda *at: f"{symbol} of word {at[0]}" if at else symbol

    def of_word(symbol: str) -> Callable[..., str]:
        return lambda *at: f"{'xy'[at[1]]} of the {symbol} of word {at[0]}" if len(at) == 2 else symbol

    return {
        "tokens_in_plane": number(lambda n: n.tokens, "word"),
        "asking_word": number(lambda n: n.asking, "the word that asks, from 0"),
        "word_points": number(lambda n: n.points, of_word("features")),
        "word_queries": number(lambda n: n.head.queries, of_word("query")),
        "word_keys": number(lambda n: n.head.keys, of_word("key")),
        "word_values": number(lambda n: n.head.values, of_word("value")),
        "word_scores": number(lambda n: n.head.attention.scores, word("q·k")),
        "word_weights": number(lambda n: n.head.weights, word("weight")),
        "handed_over": number(lambda n: n.head.attention.output, _coordinate("what the head hands over")),
        "word_output": number(lambda n: n.output, _coordinate("o")),
        "word_moved": number(lambda n: n.moved, _coordinate("word + o")),
        "distance_before": number(lambda n: n.distances[0], "distance before"),
        "distance_after": number(lambda n: n.distances[1], "distance after"),
    }


def _value_gradients(frame: LookupFrame) -> Floats:
    """Return ∂L/∂v_j = α_j (o − t) of the loss ½|o − t|², (n, d_v)."""
    return np.outer(frame.weights, frame.residual)


def _digit(indices: tuple[int, ...]) -> str:
    return subscript(indices[0] + 1) if indices else ""


def _coordinate(symbol: str, width: int = 2, *, is_row: bool = False) -> Callable[..., str]:
    """Return what names number j of a vector, or (i, j) of rows of them: “x of k₁”; a plain number has no x."""

    def name(*indices: int) -> str:
        which = symbol + (_digit(indices[:1]) if is_row else "")
        axis = indices[1:] if is_row else indices
        return f"{'xy'[axis[0]]} of {which}" if axis and width == 2 else which

    return name


def _heads(state: HeadsState) -> Members:
    def shown(read: Callable[[HeadsFrame], Any], name: str | Callable[..., str]) -> Callable[[], Member]:
        return lambda: Shown(_of_page(state, read), name)

    def pair(what: str) -> Callable[..., str]:
        return lambda *at: f"{what} of query {at[0]} on key {at[1]}" if len(at) == 2 else what

    return {
        "tokens": shown(lambda f: f.queries, "token"),
        "keys": shown(lambda f: f.keys, "key"),
        "layer": shown(lambda f: f.layer, "the layer on show, from 0"),
        "head": shown(lambda f: f.head, "the head on show, from 0"),
        "weights": shown(lambda f: f.map.weights(), pair("the weight")),
        "scores": shown(lambda f: f.query_key_map.scores(), pair("the score")),
        "masked": shown(_masked, pair("whether the mask hides the key")),
        "row_sums": shown(lambda f: f.map.weights().sum(axis=1), "the sum of row"),
        "column_sums": shown(lambda f: f.map.weights().sum(axis=0), "the sum of column"),
        "head_count": shown(lambda f: f.heads, "how many heads the layer has"),
        "head_width": shown(lambda f: f.head_width, "d_k, how wide a head is"),
        "guess": lambda: _said(_of_page(state, lambda _: _guess(state))),
        "without": lambda: Chooser(partial(_without, state)),
        "row": lambda: Chooser(partial(_row, state)),
        "of_head": lambda: _of_head(state),
        "of_heads": lambda: _of_heads_of_layer(state),
    }


def _guess(state: HeadsState) -> Guess | None:
    found = guessed(guess_setup(state.setup))
    return None if found is None else found.now


def _said(found: Guess | None) -> Shown:
    if found is None:
        raise ExpressionError("what reads the sentence guesses no word of it")
    return Shown(found.word, f"what the model says: {found.about} …")


def _without(state: HeadsState, which: str | int) -> Group:
    """Return what the model says with one more word hidden from it."""
    column = _place(_of_page(state, lambda f: f.keys), which)
    return Group({"guess": lambda: _said(_of_page(state, lambda _: without_word(state, column)))})


_LOOKS = {
    "itself": ("self_mass", "the mean weight of a token on itself"),
    "previous": ("previous_mass", "the mean weight on the token before"),
    "first": ("first_mass", "the mean weight on the first token"),
    "largest": ("max_weight", "the mean largest weight of a row"),
    "saturated": ("saturated", "the share of saturated rows"),
    "entropy": ("entropy", "the mean entropy of the rows, in nats"),
    "spread": ("score_std", "the standard deviation of the scaled scores"),
}
"""By name, what a head's map amounts to: the field of its summary, and what it is called."""


def _of_head(state: HeadsState) -> Group:
    """Return what the head on show amounts to."""
    surveyed = _surveyed(state)
    place = _of_page(state, lambda f: f.head)
    return Group(
        {
            name: lambda field=field, words=words: Shown(getattr(surveyed[place], field), words)  # type: ignore[misc]
            for name, (field, words) in _LOOKS.items()
        }
    )


def _of_heads_of_layer(state: HeadsState) -> Group:
    """Return the same of all heads of the layer on show, one number a head."""
    surveyed = _surveyed(state)

    def all_of(field: str, words: str) -> Shown:
        numbers = np.asarray([getattr(summary, field) for summary in surveyed])
        return Shown(numbers, lambda *at: f"{words}: head {at[0] + 1}" if at else words)

    return Group({name: partial(all_of, field, words) for name, (field, words) in _LOOKS.items()})


def _surveyed(state: HeadsState) -> list[MapSummary]:
    frame = _of_page(state, lambda found: found)
    return [head_survey(frame, frame.layer, head).summary for head in range(frame.heads)]


def _of_page(state: HeadsState, read: Callable[[HeadsFrame], T]) -> T:
    try:
        return read(frame_to_show(state.setup))
    except ExpressionError:
        raise
    except ExplorerError as error:
        raise ExpressionError(f"the page Heads refuses its settings: {error}") from error


def _masked(frame: HeadsFrame) -> Bools:
    return np.zeros(frame.shape, bool) if frame.mask is None else ~frame.mask


def _row(state: HeadsState, which: str | int) -> Group:
    """Return the row of a query, which is named by its token, the first of them, or by its number from 0."""
    frame = _of_page(state, lambda found: found)
    row = _place(frame.queries, which)
    weights = frame.map.weights(slice(row, row + 1))[0]
    token = quoted(frame.queries[row])

    def on_first() -> Shown:
        tops = [_top(each, row) for layer in frame.layers for each in layer.maps]
        return Shown(tops.count(0), f"in how many heads {token} attends most to the first token")

    return Group(
        {
            **_weights_of_row(token, frame.keys, weights),
            "heads_on_first": on_first,
            "heads": lambda: Shown(len(frame.places), "how many heads there are"),
            "masked": lambda: Shown(
                _masked(frame)[row],
                lambda *i: (
                    f"whether the mask hides {quoted(frame.keys[i[0]])} from {token}"
                    if i
                    else f"what the mask hides from {token}"
                ),
            ),
        }
    )


def _place(tokens: Sequence[str], which: str | int) -> int:
    if isinstance(which, str) and which not in tokens:
        raise ExpressionError(f"there is no token {quoted(which)}. {did_you_mean(which, tokens)}")
    row = tokens.index(which) if isinstance(which, str) else which
    if not 0 <= row < len(tokens):
        raise ExpressionError(f"there is no row {which}: there are {len(tokens)}, from 0")
    return row


def _weights_of_row(token: str, keys: Sequence[str], weights: Floats) -> Members:
    best = int(weights.argmax())
    return {
        "weights": lambda: Shown(
            weights, lambda *i: f"the weight of {token} on {quoted(keys[i[0]])}" if i else f"the row of {token}"
        ),
        "top": lambda: Shown(keys[best], f"the key that {token} attends to most"),
        "top_index": lambda: Shown(best, f"the key that {token} attends to most, from 0"),
        "most": lambda: Shown(weights[best], f"the largest weight of {token}"),
    }


def _top(attention: AttentionMap, row: int) -> int:
    return int(attention.weights(slice(row, row + 1))[0].argmax())


def _scaling(state: ScalingState) -> Members:
    from attention_explorer.pages.lab.bench import bench_picture
    from attention_explorer.pages.lab.scores import scores_picture

    def drawn(what: str, words: str, *, scaled: bool) -> Callable[[], Member]:
        kind = "scaled" if scaled else "raw"
        return lambda: Shown(getattr(scores_picture(state).of(scaled).summary, what).value, words.format(kind))

    def bench(read: Callable[[BenchPicture], Any], name: str | Callable[..., str]) -> Callable[[], Member]:
        return lambda: Shown(read(bench_picture(state.bench)), name)

    numbers: Members = {}
    for scaled, kind in ((False, "raw"), (True, "scaled")):
        numbers[f"{kind}_std"] = partial(_predicted_std, state, scaled=scaled)
        numbers[f"{kind}_largest"] = drawn("largest", "the mean largest weight of {} scores", scaled=scaled)
        numbers[f"{kind}_saturated"] = drawn("saturated", "the share of saturated rows of {} scores", scaled=scaled)
    return {
        **numbers,
        "bench_scores": bench(lambda b: b.scores[b.row], lambda *i: f"score {_number(i)}".strip()),
        "bench_weights": bench(lambda b: b.weights[b.row].astype(float), lambda *i: f"weight {_number(i)}".strip()),
        "bench_largest": bench(lambda b: b.weights.astype(float).max(axis=1), lambda *i: f"row {_number(i)}".strip()),
        "bench_gap": bench(lambda b: b.gap, "the largest score minus the second"),
        "bench_slope": bench(lambda b: b.slope, "p (1 − p) of the largest weight p"),
        "bench_fault": bench(lambda b: b.fault.value, "sound | NaN | all zero"),
    }


def _predicted_std(state: ScalingState, *, scaled: bool) -> Shown:
    words = f"the predicted standard deviation of {'scaled' if scaled else 'raw'} scores"
    return Shown(state.setting.predicted_std(scaled), words)


def _number(indices: tuple[int, ...]) -> str:
    return str(indices[0] + 1) if indices else ""


def _positions(state: PositionsState) -> Members:
    from attention_explorer.model import alibi_slopes
    from attention_explorer.pages.positions.clocks import clocks_picture
    from attention_explorer.pages.positions.order import order_picture
    from attention_explorer.pages.positions.similarity import similarity_picture

    def hands() -> ClocksPicture:
        picture = clocks_picture(state, (0, 0))
        if picture.reason:
            raise ExpressionError(picture.reason)
        return picture

    def clocks(read: Callable[[ClocksPicture], Any], words: str) -> Callable[[], Member]:
        return lambda: Shown(read(hands()), lambda *i: f"{words} {_number(i)}".strip())

    def slope() -> float:
        return float(alibi_slopes(state.heads)[state.head_shown])

    def curve() -> Shown:
        found = similarity_picture(state).curve
        if found is None:
            raise ExpressionError("this kind of encoding has no vectors to compare")
        return Shown(found, lambda *i: f"how alike two positions are that are {i[0]} apart" if i else "how alike")

    return {
        "angles": clocks(lambda c: c.angles, "the angle at the position, in radians, of hand"),
        "advances": clocks(lambda c: c.advances, "what the shift adds to the angle, in radians, of hand"),
        "wavelengths": clocks(lambda c: c.lengths, "after how many positions it is round, hand"),
        "alike": curve,
        "is_equivariant": lambda: Shown(
            (lambda picture: picture.outcomes[picture.shown].is_equivariant)(order_picture(state)),
            "whether shuffled words give the same outputs, shuffled",
        ),
        "slope": lambda: Shown(slope(), "what ALiBi takes off a score for each position"),
        "penalty": lambda: Shown(slope() * state.shift_shown, "what ALiBi takes off so far away"),
    }


def _block(state: BlockState) -> Members:
    from attention_explorer.model.depth import mean_token_cosine
    from attention_explorer.pages.layer.diagram import diagram_picture

    def picture() -> DiagramPicture:
        try:
            return diagram_picture(state)
        except ExplorerError as error:
            raise ExpressionError(f"the page Layer refuses its settings: {error}") from error

    def array(name: str | int) -> Group:
        boxes = {box.name: box for box in picture().boxes}
        if name not in boxes:
            raise ExpressionError(f"the layer has no array {quoted(str(name))}. {did_you_mean(str(name), boxes)}")
        return _array(boxes[str(name)])

    return {
        "array": lambda: Chooser(array),
        "tokens": lambda: Shown(picture().tokens, "token"),
        "token_count": lambda: Shown(len(picture().tokens), "how many tokens there are"),
        "likeness": lambda: Shown(
            mean_token_cosine(picture().boxes[-1].first), "the mean cosine of two tokens that come out"
        ),
        "norms_before": lambda: Shown(picture().before, "the length of what goes in, token"),
        "norms_after": lambda: Shown(picture().after, "the length of what comes out, token"),
    }


def _array(box: Box) -> Group:
    """Return the shape of an array of the layer, and what its numbers are like."""
    summary, rows = box.summary, np.where(np.isfinite(box.first), box.first, 0.0)
    return Group(
        {
            "shape": lambda: Shown(box.shape, f"the shape of {box.what}, place"),
            "count": lambda: Shown(int(np.prod(box.shape)), f"how many numbers {box.what} has"),
            "mean": lambda: Shown(summary.mean, f"the mean of {box.what}"),
            "std": lambda: Shown(summary.std, f"the standard deviation of {box.what}"),
            "zeros": lambda: Shown(summary.zeros, f"which share of {box.what} is 0"),
            "row_means": lambda: Shown(rows.mean(axis=-1), f"the mean of {box.what}, row"),
            "row_stds": lambda: Shown(rows.std(axis=-1), f"the standard deviation of {box.what}, row"),
        }
    )


def _cost(state: CostState) -> Members:
    from attention_explorer.pages.lab.cost_layer import layer_picture

    def counted(read: Callable[[ModelSize], float], words: str) -> Callable[[], Member]:
        return lambda: Shown(read(sizes()), words)

    def sizes() -> ModelSize:
        cost = layer_picture(state).cost
        if cost is None:
            raise ExpressionError(f"Cost on the page Lab refuses its settings: {layer_picture(state).reason}")
        return cost

    def growth(read: Callable[[ModelSize], float], words: str) -> Callable[[], Member]:
        return counted(lambda size: read(size.at(2 * size.tokens)) / read(size), f"{words} when n doubles")

    return {
        "matrix": counted(lambda size: size.matrix_elements, "how many weights the map of one head has"),
        "matrix_bytes": counted(lambda size: size.matrix_bytes, "the bytes of one map"),
        "cache": counted(lambda size: size.cache_elements, "how many numbers the KV cache has"),
        "parameters": counted(lambda size: size.parameters, "how many numbers are learned"),
        "matrix_growth": growth(lambda size: size.matrix_elements, "how much larger a map gets"),
        "layer_growth": growth(_layer_operations, "how much more a layer computes"),
    }


def _layer_operations(size: ModelSize) -> float:
    return size.projection_flops + size.score_flops + size.weighted_value_flops + size.feed_forward_flops


def _training(state: TrainingState) -> Members:
    """Return what is known of a step; where nobody has learned so far, it is learned now."""
    from attention_explorer.pages.training.moment import MomentRequest, accuracy_at, answer_at, trained

    def answer() -> Answer:
        return answer_at(*MomentRequest.of(state).asked_at(state.step))

    def accuracy() -> Shown:
        share = accuracy_at(state.setup, state.step, state.broken)
        return Shown(share, "the share of right answers to sentences never seen")

    def weight() -> Shown:
        run = trained(state.setup, state.step)
        found = run.trial.measure(run.at(state.step).network).weight
        return Shown(math.nan if found is None else found, "the weight of the best head on what answers")

    def row(which: str | int) -> Group:
        layer, head = state.head_shown
        asked = answer()
        place = _place(asked.tokens, which)
        weights = asked.weights[layer][head][place]
        return Group(_weights_of_row(quoted(asked.tokens[place]), asked.context_tokens, weights))

    return {
        "accuracy": accuracy,
        "weight": weight,
        "answer": lambda: Shown(answer().answers[-1], "what it answers"),
        "right_answer": lambda: Shown(answer().right[-1] or "", "what is right"),
        "words": lambda: Shown(answer().context_tokens, "the words it looks at, word"),
        "row": lambda: Chooser(row),
        "heads_off": lambda: Shown(len(state.broken.off), "how many heads are off"),
    }


def _circuits(state: CircuitsState) -> Members:
    from attention_explorer.tools.lessons.circuit_names import circuits_members

    return {**circuits_members(state)}


_SHOWN: Mapping[str, Callable[[Any], Members]] = {
    "lookup": _lookup,
    "heads": _heads,
    "scaling": _scaling,
    "positions": _positions,
    "block": _block,
    "cost": _cost,
    "training": _training,
    "circuits": _circuits,
}
"""By page: what it shows besides its fields. Another page gets a function here when a lesson asks for its numbers."""
