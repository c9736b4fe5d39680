"""The program of the Lookup page."""

from __future__ import annotations

import numpy as np

from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.pages.lookup.open_row import OpenRow
from attention_explorer.pages.lookup.state import LookupState, Overlay, ValueKind
from attention_explorer.tools.code.script import Program, Script


def lookup_program(state: LookupState) -> Program:
    """Return the program of a lookup.

    Raises
    ------
    ExplorerError
        The row of a head that the state names cannot be computed or read.
    """
    frame = lookup_frame(state)
    return _plain(state) if frame.row is None else _row(state, frame.row)


def _plain(state: LookupState) -> Program:
    script = Script("lookup", f"{_kind(state)} lookup: one query and its keys.")
    script.give(query=np.array(state.query), keys=np.array(state.keys))
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
    script.do("scaled = scores / np.sqrt(2)  # ÷ √d_k" if state.scaled else "scaled = scores  # not divided by √d_k")
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
    plane, is_masked = row.plane, not row.plane.allowed.all()
    title = row.title.replace("“", "'").replace("”", "'")
    script = Script("lookup", f"{_kind(state)} lookup: {title}.")
    script.give("the scale of the head is in it", query=np.array(state.query))
    script.give(keys_of_head=plane.keys, values_of_head=row.values)
    if row.has_bias:
        script.give("added to the scores", bias=plane.bias)
    if is_masked:
        script.give("False is masked", allowed=plane.allowed)
    script.give("the keys that are drawn one by one, from 0", named=plane.heaviest)
    _give_settings(script, state)
    script.do("all_scores = keys_of_head @ query" + " + bias" * row.has_bias)
    if is_masked:
        script.do("all_scores = np.where(allowed, all_scores, -np.inf)")
    _weigh(script, state, "all_scores", "all_weights")
    if len(plane.rest):
        script.do("weights = np.append(all_weights[named], np.delete(all_weights, named).sum())  # and all others")
    else:
        script.do("weights = all_weights[named]")
    script.do("output = all_weights @ values_of_head")
    _do_other(script, state, "all_scores", "values_of_head")
    _differentiate(script, state, "keys_of_head", "values_of_head", "all_weights")
    note = (
        "It begins with the points of the plane: x runs along the query of the head, y where its keys differ most "
        "besides. How these come from the queries and keys of the head is not in the program."
    )
    return script.program("output", note)


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
            d_loss_d_query = d_output_d_query.T @ (output - target)  # Descend goes against it
        """)
