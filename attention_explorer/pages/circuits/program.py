"""The programs of the Circuits page: what its pictures show, made of what was measured by running the model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attention_explorer.core.script import Program, Script
from attention_explorer.pages.circuits import said_of_text as told
from attention_explorer.pages.circuits import seen
from attention_explorer.pages.circuits.state import CircuitsState, CircuitsView, Looks
from attention_explorer.sources.circuits import asking

RUNS = (
    "Each number that it is given is a run of the whole model, which is not in the program: in Python, what "
    "attention_explorer.load_model returns has detect, knock_out, patch, composition and find_circuit."
)


def circuits_program(state: CircuitsState) -> Program:
    """Return the program of the view on show; what it needs is measured here, if nobody has done so before.

    Raises
    ------
    ExplorerError
        The page cannot show the state either; the message says why.
    """
    script = Script("circuits", f"Circuits, {state.view}: {state.sentence}".replace('"', "'").replace("\n", " ")[:90])
    main = _PROGRAMS[state.view](script, state)
    return script.program(main, RUNS)


def _looks(script: Script, state: CircuitsState) -> str:
    ids, weights = asking.random_attention(state.of_model, state.seed)
    name = state.look.value.rstrip("_")
    script.give("four random texts, each said twice", ids=ids)
    script.give("the attention of each: text, layer, head, query, key", weights=weights)
    script.given("n = ids.shape[1]")
    script.given("i, j = np.indices((n, n))  # query, key")
    script.given(_PLACES[state.look])
    script.do("""
        places = np.broadcast_to(places, (len(ids), n, n))
        rows = places.any(axis=2).sum()  # a row counts only if there is such a place
    """)
    script.do(f'{name} = np.einsum("tlhij,tij->lh", weights, places) / max(rows, 1)')
    return name


_PLACES = {
    Looks.PREVIOUS: "places = j == i - 1",
    Looks.NEXT: "places = j == i + 1",
    Looks.SELF: "places = j == i",
    Looks.SINK: "places = (j == 0) & (i > 0)",
    Looks.EARLIER: "places = (ids[:, :, None] == ids[:, None, :]) & (j < i)",
    Looks.DUPLICATE: "places = (j == i - n // 2) & (i >= n // 2)",
    Looks.INDUCTION: "places = (j == i - n // 2 + 1) & (i >= n // 2)",
}


def _breaks(script: Script, state: CircuitsState) -> str:
    found = seen.breaks_seen(state, (0, 0))
    script.give("with one head off, by layer and head", off=found.effect + found.before)
    script.give("with all on", all_on=found.before)
    script.do("effect = off - all_on")
    return "effect"


def _decided(script: Script, state: CircuitsState) -> str:
    found = seen.decided_seen(state, (0, 0)).decided
    script.give("of the five most probable words, by row, token and rank", logs=np.log(found.probabilities))
    script.do("probabilities = np.exp(logs)")
    return "probabilities"


def _writes(script: Script, state: CircuitsState) -> str:
    found = seen.writes_seen(state, (0, 0)).written.parts
    script.give("what each head wrote, by layer and head", heads=np.asarray(found.heads))
    script.give("what each network wrote, by layer", networks=np.asarray(found.networks))
    script.give("the words themselves", embedding=found.embedding)
    script.give("and all biases", biases=found.rest)
    script.do("total = heads.sum() + networks.sum() + embedding + biases  # the difference of the two logits")
    return "heads"


def _words(script: Script, state: CircuitsState) -> str:
    measured, estimate = told.made_arrays(seen.words_seen(state, (0, 0)))
    script.give("without the values of each word, by how much the answer sinks", measured=measured)
    script.give("gradient × input of each word", estimate=estimate)
    script.do("off = estimate - measured")
    return "measured"


def _reads(script: Script, state: CircuitsState) -> str:
    found, name = asking.composed(state.of_model), state.reads.value
    shares = np.asarray(found.arrays()[name]) + found.random
    script.give("‖writer · reader‖ ÷ (‖writer‖ ‖reader‖), by layer and head of both", shares=shares)
    script.give("what random heads have", random=found.random)
    script.do(f"{name} = shares - random")
    return name


def _twins(script: Script, state: CircuitsState) -> str:
    found = seen.twins_seen(state, (0, 0)).brought
    low, high = found.ends
    script.give("the difference of logits with one value put in", moved=low + found.effect * (high - low))
    script.give("in the twin, and in the sentence", ends=np.array(found.ends))
    script.do("effect = (moved - ends[0]) / (ends[1] - ends[0])  # 0 is the twin's answer, 1 the sentence's")
    return "effect"


def _found(script: Script, state: CircuitsState) -> str:
    found = seen.found_seen(state, (0, 0)).finding
    loss = np.asarray(found.loss)
    script.give("the loss on the copy with one head off, by layer and head", loss=loss)
    script.give("with all on, and the first time", all_on=found.all_on, first=found.first)
    script.give("the heads that look back or copy", named=np.array(found.back + found.copy, np.int64).reshape(-1, 2))
    script.do("idle = [head for head in map(tuple, named) if loss[head] - all_on < 0.05 * (first - all_on)]")
    return "loss"


_PROGRAMS: dict[CircuitsView, Callable[[Script, CircuitsState], str]] = {
    CircuitsView.LOOKS: _looks,
    CircuitsView.BREAKS: _breaks,
    CircuitsView.DECIDED: _decided,
    CircuitsView.WRITES: _writes,
    CircuitsView.WORDS: _words,
    CircuitsView.READS: _reads,
    CircuitsView.TWINS: _twins,
    CircuitsView.FOUND: _found,
}
