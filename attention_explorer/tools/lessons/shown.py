"""What lessons can ask of the pages of attention itself: Lookup, Heads, Training and Circuits, besides their fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from attention_explorer.core.numerals import subscript
from attention_explorer.errors import ExplorerError, did_you_mean, quoted
from attention_explorer.model.arrays import Bools, Floats
from attention_explorer.pages.heads.frame import HeadsFrame, frame_to_show
from attention_explorer.pages.heads.guess import guess_setup, guessed, without_word
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.heads.survey import survey_heads
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.lookup.words_plane import WordsNumbers, words_numbers
from attention_explorer.tools.lessons.expression import Chooser, ExpressionError, Group, Member, Members, Shown

# What other pages compute is imported where it is asked for: the lessons are loaded with the window.
if TYPE_CHECKING:
    from attention_explorer.model import AttentionMap, MapSummary
    from attention_explorer.pages.circuits.state import CircuitsState
    from attention_explorer.pages.training.state import TrainingState
    from attention_explorer.sources.learned.learned_model import Answer
    from attention_explorer.sources.source import Guess

T = TypeVar("T")


def lookup_members(state: LookupState) -> Members:
    """Return the numbers of the plane, and what its words come to."""
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


def heads_members(state: HeadsState) -> Members:
    """Return the map on show, its rows, what its head amounts to, and what the model says."""

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
    "saturated": ("saturated", "the share of sharp rows"),
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
    return [found.summary for found in survey_heads(frame, [(frame.layer, head) for head in range(frame.heads)])]


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


def training_members(state: TrainingState) -> Members:
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


def circuits_members(state: CircuitsState) -> Members:
    """Return what is known of the model; what nobody has measured so far is measured now."""
    # What runs trained models is loaded with the page.
    from attention_explorer.pages.circuits import said, seen
    from attention_explorer.sources.circuits.find import Finding

    def looks() -> seen.LooksSeen:
        return seen.looks_seen(state, (0, 0))

    def breaks() -> seen.BreaksSeen:
        return seen.breaks_seen(state, (0, 0))

    def found() -> Finding:
        return seen.found_seen(state, (0, 0)).finding

    def missed() -> str:
        at = said.worst(breaks())
        return "" if at is None else said.name(state.count, at)

    def heads() -> tuple[str, ...]:
        layers, count = looks().scores.shape
        return tuple(said.name(state.count, (layer, head)) for layer in range(layers) for head in range(count))

    def effect() -> float:
        given = breaks()
        return float(given.effect[given.head])

    losses = {
        "all_on": (lambda: found().all_on, "the loss on the copy"),
        "first": (lambda: found().first, "the loss the first time"),
        "without_back": (lambda: found().without_back, "the loss on the copy without those that look back"),
        "without_copy": (lambda: found().without_copy, "the loss on the copy without those that copy"),
        "score": (lambda: float(looks().scores[looks().head]), "how much of its attention the head gives there"),
        "effect": (effect, "what changes when the head is off"),
        "named": (lambda: len(looks().named), "how many heads are named for it"),
        "idle": (lambda: len(found().idle), "how many named heads are hardly missed alone"),
    }
    numbers = {name: _measured(read, words) for name, (read, words) in losses.items()}
    return {
        **numbers,
        "missed_most": lambda: Shown(missed(), "the head that is missed most"),
        "heads": lambda: Shown(heads(), "head"),
    }


def _measured(read: Callable[[], float], words: str) -> Callable[[], Shown]:
    return lambda: Shown(read(), words)
