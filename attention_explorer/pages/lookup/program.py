"""The program of the Lookup page."""

from __future__ import annotations

import numpy as np

from attention_explorer.core.script import Program, Script
from attention_explorer.core.weighing import HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.numbers import LookupFrame, sampled
from attention_explorer.pages.lookup.open_row import OpenRow
from attention_explorer.pages.lookup.state import LookupState, LookupView, Overlay, ValueKind
from attention_explorer.pages.lookup.words_plane import PREFIXES, WordsNumbers, words_numbers
from attention_explorer.pages.lookup.words_state import MATRICES

ROW_NOTE = (
    "It begins with the points of the plane: x runs along the query of the head, y where its keys differ most "
    "besides. How these come from the queries and keys of the head is not in the program."
)


def lookup_program(state: LookupState) -> Program:
    """Return the program of a lookup.

    Raises
    ------
    ExplorerError
        The row of a head that the state names cannot be computed or read.
    """
    if state.view is LookupView.WORDS:
        return _words(state)
    frame = lookup_frame(state)
    if state.view is LookupView.TEMPERATURE:
        return _by_temperature(state, frame)
    return _plain(state) if frame.row is None else _row(state, frame.row)


def _plain(state: LookupState) -> Program:
    script = Script("lookup", f"{_kind(state)} lookup: one query and its keys.")
    _give_keys(script, state)
    if state.values is ValueKind.KEYS:
        script.given("values = keys  # each value is its key")
    else:
        script.give(values=np.array(state.value_rows))
    _give_settings(script, state)
    script.do("""
        scores = keys @ query
        lengths = np.linalg.norm(keys, axis=1) * np.linalg.norm(query)
        cosines = np.divide(scores, lengths, out=np.full(len(keys), np.nan), where=lengths > 0)
    """)
    _scale(script, state)
    _weigh(script, state, "scaled", "weights")
    script.do("""
        contributions = weights[:, None] * values
        output = weights @ values
        entropy = -(weights[weights > 0] * np.log(weights[weights > 0])).sum()
    """)
    _do_other(script, state, "scaled", "values")
    _differentiate(script, state, "keys", "values", "weights")
    return script.program("output")


def _row(state: LookupState, row: OpenRow) -> Program:
    script = Script("lookup", f"{_kind(state)} lookup: {_title(row)}.")
    _give_row(script, state, row)
    script.give(values_of_head=row.values)
    _give_settings(script, state)
    _score_row(script, row)
    _weigh(script, state, "all_scores", "all_weights")
    _name_weights(script, row)
    script.do("output = all_weights @ values_of_head")
    _do_other(script, state, "all_scores", "values_of_head")
    _differentiate(script, state, "keys_of_head", "values_of_head", "all_weights")
    return script.program("output", ROW_NOTE)


def _by_temperature(state: LookupState, frame: LookupFrame) -> Program:
    """Return the program of the weights against the temperature: it has a row for each key."""
    row, samples = frame.row, len(sampled(frame)[0])
    script = Script("lookup", f"The weights at many temperatures: {'one query' if row is None else _title(row)}.")
    if row is None:
        scores, weights = "scaled", "weights"
        _give_keys(script, state)
        script.do("scores = keys @ query")
        _scale(script, state)
    else:
        scores, weights = "all_scores", "all_weights"
        _give_row(script, state, row)
        _score_row(script, row)
    script.do(f"""
        temperature = np.geomspace({LOWEST_TEMPERATURE}, {HIGHEST_TEMPERATURE}, {samples})
        e = np.exp(({scores}[:, None] - {scores}.max()) / temperature)  # less the largest, so that nothing overflows
        {weights} = e / e.sum(axis=0)
    """)
    if row is None:
        return script.program("weights")
    _name_weights(script, row)
    return script.program("weights", ROW_NOTE)


def _words(state: LookupState) -> Program:
    """Return the program of words in the plane: the row of one of them, and where it moves."""
    numbers = words_numbers(state)
    script = Script("words", f"Words as points: {numbers.word!a} asks all others, and moves.")
    script.give(", ".join(numbers.tokens), points=numbers.points)
    script.give("the word that asks, from 0", asks=numbers.asking)
    if numbers.state.gradients:
        script.give("where it is to go", target=numbers.target)
    for prefix, head in zip(PREFIXES, numbers.heads, strict=False):
        for name in MATRICES:
            script.give(**{prefix + name: np.asarray(getattr(head.matrices, name))})
        script.do(f"""
            {prefix}queries = points @ {prefix}w_q
            {prefix}keys = points @ {prefix}w_k
            {prefix}values = points @ {prefix}w_v
            {prefix}scores = {prefix}keys @ {prefix}queries[asks]
            {prefix}scaled = {prefix}scores / np.sqrt(2)
        """)
        _weigh_words(script, prefix, state.hard)
        script.do(f"{prefix}handed_over = {prefix}weights @ {prefix}values")
    script.do(f"output = {' + '.join(prefix + 'handed_over' for prefix in PREFIXES[: len(numbers.heads)])}")
    script.do("moved = points[asks] + output")
    if numbers.state.gradients:
        _differentiate_words(script, numbers, state.hard)
    return script.program("moved")


def _weigh_words(script: Script, prefix: str, hard: bool) -> None:
    scaled, weights = f"{prefix}scaled", f"{prefix}weights"
    if hard:
        script.do(f"{weights} = np.eye(len(points))[{scaled}.argmax()]  # the best key takes all")
        return
    script.do(f"""
        {weights} = np.exp({scaled} - {scaled}.max())  # less the largest, so that nothing overflows
        {weights} /= {weights}.sum()
    """)


def _differentiate_words(script: Script, numbers: WordsNumbers, hard: bool) -> None:
    """Find how the loss grows with the query that asks, and with every key and value."""
    script.do("residual = moved - target  # the slope of the loss 0.5 * (residual ** 2).sum()")
    for prefix in PREFIXES[: len(numbers.heads)]:
        by_score = f"{prefix}weights * (({prefix}values - {prefix}handed_over) @ residual) / np.sqrt(2)"
        script.do(f"""
            {prefix}by_score = {"np.zeros(len(points))  # a hard lookup has no slope" if hard else by_score}
            {prefix}d_loss_d_query = {prefix}by_score @ {prefix}keys
            {prefix}d_loss_d_keys = np.outer({prefix}by_score, {prefix}queries[asks])
            {prefix}d_loss_d_values = np.outer({prefix}weights, residual)
        """)


def _give_keys(script: Script, state: LookupState) -> None:
    script.give(query=np.array(state.query), keys=np.array(state.keys))


def _scale(script: Script, state: LookupState) -> None:
    script.do("scaled = scores / np.sqrt(2)  # ÷ √d_k" if state.scaled else "scaled = scores  # not divided by √d_k")


def _title(row: OpenRow) -> str:
    return row.title.replace("“", "'").replace("”", "'")


def _give_row(script: Script, state: LookupState, row: OpenRow) -> None:
    plane = row.plane
    script.give("the scale of the head is in it", query=np.array(state.query))
    script.give(keys_of_head=plane.keys)
    if row.has_bias:
        script.give("added to the scores", bias=plane.bias)
    if not plane.allowed.all():
        script.give("False is masked", allowed=plane.allowed)
    script.give("the keys that are drawn one by one, from 0", named=plane.heaviest)


def _score_row(script: Script, row: OpenRow) -> None:
    script.do("all_scores = keys_of_head @ query" + " + bias" * row.has_bias)
    if not row.plane.allowed.all():
        script.do("all_scores = np.where(allowed, all_scores, -np.inf)")


def _name_weights(script: Script, row: OpenRow) -> None:
    """Find the weights that are drawn: those of some keys, and of all others together."""
    if len(row.plane.rest):
        script.do("""
            others = np.delete(all_weights, named, axis=0).sum(axis=0, keepdims=True)
            weights = np.concatenate([all_weights[named], others])
        """)
    else:
        script.do("weights = all_weights[named]")


def _kind(state: LookupState) -> str:
    return "Hard" if state.hard else "Soft"


def _give_settings(script: Script, state: LookupState) -> None:
    if not state.hard or state.shows(Overlay.OTHER):
        script.give(temperature=state.temperature)
    if state.shows(Overlay.TARGET):
        script.give(target=np.array(state.target_row))


def _weigh(script: Script, state: LookupState, scores: str, weights: str) -> None:
    """Turn scores into weights of these names."""
    if state.hard:
        script.do(f"""
            {weights} = np.zeros(len({scores}))
            {weights}[{scores}.argmax()] = 1.0  # the best key takes all, the first among equals
        """)
    else:
        script.do(f"""
            e = np.exp(({scores} - {scores}.max()) / temperature)  # less the largest, so that nothing overflows
            {weights} = e / e.sum()
        """)


def _do_other(script: Script, state: LookupState, scores: str, values: str) -> None:
    """Find the output of the other mode where that is shown."""
    if not state.shows(Overlay.OTHER):
        return
    if state.hard:
        script.do(f"""
            e = np.exp(({scores} - {scores}.max()) / temperature)
            other_output = e / e.sum() @ {values}  # if the lookup were soft
        """)
    else:
        script.do(f"other_output = {values}[{scores}.argmax()]  # if the lookup were hard")


def _differentiate(script: Script, state: LookupState, keys: str, values: str, weights: str) -> None:
    """Find how the output moves with the query, and the loss where there is a target."""
    if state.hard:
        script.do(f"d_{weights}_d_query = np.zeros({keys}.shape)  # a hard lookup has no slope")
    else:
        width = " / np.sqrt(2)" if state.scaled and state.row is None else ""
        script.do(f"d_{weights}_d_query = {weights}[:, None] * ({keys} - {weights} @ {keys}) / temperature{width}")
    script.do(f"d_output_d_query = ({values} - output).T @ d_{weights}_d_query")
    if state.shows(Overlay.TARGET):
        script.do("""
            loss = 0.5 * ((output - target) ** 2).sum()
            d_loss_d_query = d_output_d_query.T @ (output - target)  # Step goes against it
        """)
