"""The views of the Circuits page: one question each."""

from __future__ import annotations

from functools import cache
from typing import Any

from attention_explorer.kit.frame.view import Part, Try, View, view_named
from attention_explorer.pages.circuits.state import (
    Breaks,
    CircuitsState,
    CircuitsView,
    Looks,
    PutIn,
    Reads,
    changed,
)
from attention_explorer.pages.circuits.ui.heads import AskedPicture, WhatBreaks, WhoLooks
from attention_explorer.pages.circuits.ui.of_text import Decided, Twins, Words, Writes
from attention_explorer.pages.circuits.ui.reads import Found, ReadsPicture
from attention_explorer.pages.preset_lists import preset_list

PART = Part("circuits", CircuitsState, preset_list("circuits"), changed, shown_by="view")
Tries = tuple[Try[CircuitsState], ...]
_ANSWER = ("sentence", "answer", "against", "position")
_OF_HEADS, _READ, _TWINS = ("look", "breaks", "seed"), ("sentence",), ("sentence", "twin", "put_in")
_BREAKS = (*_OF_HEADS, *_ANSWER)
"""What captions say; of an answer the headline does."""


@cache
def views() -> tuple[View[Any], ...]:
    """Return the views, in the order of the questions."""
    looks: Tries = (
        Try("Click another head", chosen=lambda state: (state.layer, state.head)),
        Try("Ask who looks at what followed", lambda state: state.look is Looks.INDUCTION, "look"),
        Try("Draw other random texts", light="seed", chosen=lambda state: state.seed),
    )
    breaks: Tries = (
        Try("Click the head that is missed most", lambda state: (state.layer, state.head) == (0, 3), fits=_is_of_four),
        Try("Measure the answer instead", lambda state: state.breaks is Breaks.ANSWER, "breaks"),
        Try("Measure the copy instead", lambda state: state.breaks is Breaks.COPY, "breaks"),
    )
    decided: Tries = (
        Try("Click a cell for its words", lambda state: state.position >= 0, chosen=lambda state: state.position),
        Try("Type another text", light="sentence", chosen=lambda state: state.sentence),
    )
    answer: Try[CircuitsState] = Try(
        "Ask for another answer", lambda state: bool(state.answer), "answer", chosen=lambda state: state.answer
    )
    writes: Tries = (
        answer,
        Try(
            "Take another word off it", lambda state: bool(state.against), "against", chosen=lambda state: state.against
        ),
    )
    reads: Tries = (
        Try("Click a head that copies", lambda state: state.layer > 0),
        Try("Read by values", lambda state: state.reads is Reads.VALUES, "reads"),
    )
    twins: Tries = (
        Try("Put in one head at a time", lambda state: state.put_in is PutIn.HEAD, "put_in"),
        Try("Put in all attention of a layer", lambda state: state.put_in is PutIn.ATTENTION, "put_in"),
    )
    found: Tries = (Try("Find it on another text", light="seed", chosen=lambda state: state.seed),)
    asks = (
        "Who looks like what: how much of its attention each head gives to one kind of place",
        "What breaks without a head, beside where it looks",
        "Where it is decided: what the model would say if it ended after a layer",
        "Who writes it: what each head and network wrote of an answer, in bars that add up",
        "Which words made an answer: measured, and the gradient’s estimate",
        "Who reads whom: what joins heads of different layers, by the weights",
        "What of a sentence brings its answer into a twin",
        "The circuit that copies, found, with what breaks without it",
    )
    ask = CircuitsView
    return (
        _view(ask.LOOKS, "Looks like", asks[0], WhoLooks(), ("look",), ("look", "seed"), looks),
        _view(ask.BREAKS, "What breaks", asks[1], WhatBreaks(), _OF_HEADS[:2], _BREAKS, breaks, _OF_HEADS),
        _view(ask.DECIDED, "Decided", asks[2], Decided(), ("sentence",), ("sentence", "position"), decided, _READ),
        _view(ask.WRITES, "Writes", asks[3], Writes(), _ANSWER[:2], _ANSWER, writes, _READ),
        _view(ask.WORDS, "Words", asks[4], Words(), _ANSWER[:2], _ANSWER, (answer,), _READ),
        _view(ask.READS, "Reads", asks[5], ReadsPicture(), ("reads",), ("reads",), reads),
        _view(ask.TWINS, "Twins", asks[6], Twins(), _TWINS, (*_TWINS, *_ANSWER[1:]), twins, _TWINS),
        _view(ask.FOUND, "Circuit", asks[7], Found(), ("seed",), ("seed",), found),
    )


def _view(
    name: CircuitsView, title: str, tip: str, picture: AskedPicture, *stands: tuple[Any, ...]
) -> View[CircuitsState]:
    return View(name, title, tip, PART, name, picture, "", *stands)


def view_of(name: CircuitsView) -> View[Any]:
    """Return a view by its name."""
    return view_named(views(), name)


def _is_of_four(state: CircuitsState) -> bool:
    return state.recipe == CircuitsState().recipe and state.breaks is Breaks.COPY
