"""The small language of lessons: what it comes to, what its names are called, and all that it refuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attention_explorer.core.named import ExpressionError
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.frame import heads_frame
from attention_explorer.pages.heads.state import MaskChoice, MaskKind
from attention_explorer.pages.lookup.frame import lookup_frame
from attention_explorer.tools.lessons.expression import expression
from attention_explorer.tools.lessons.names import names_in, with_fields

START = ExplorerState()
NAMES = names_in(START)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 - 4 / 8", 6.5),
        ("-(2 - 5)", 3.0),
        ("abs(-2) + min(3, 1, 2) * max(4, 5)", 7.0),
        ("1 < 2 <= 2 != 3", True),
        ("1 < 2 < 2", False),
        ("not (1 > 2) and ('a' == 'a' or 1 / 0 > 1)", True),
        ("lookup.temperature", 1.0),
        ("lookup.hard", False),
        ("lookup.values == 'keys'", True),
        ("heads.setup.mask.kind", "none"),
        ("heads.setup.recipe.d_model == heads.setup.recipe.heads * 8", True),
        ("lookup.query[1]", 0.6),
        ('heads.row("it").most == max(heads.row(7).weights[0], heads.row("it").most)', True),
        ("scaling.d_k > cost.layers", True),
    ],
)
def test_it_comes_to(text: str, value: object) -> None:
    assert expression(text).value(NAMES) == value


def test_numbers_are_those_of_the_pages() -> None:
    frame = lookup_frame(START.lookup)
    for index in range(2):
        assert expression(f"lookup.weights[{index}]").value(NAMES) == frame.weights[index]
        assert expression(f"lookup.keys[1][{index}]").value(NAMES) == frame.keys[1, index]
    masked = replace(START, heads=START.heads.with_setup(mask=MaskChoice(MaskKind.CAUSAL)))
    heads, names = heads_frame(masked.heads.setup), names_in(masked)
    np.testing.assert_array_equal(expression("heads.weights").value(names), heads.map.weights())
    row = heads.queries.index("it")
    best = heads.keys[heads.map.weights()[row].argmax()]
    assert expression('heads.row("it").top').value(names) == best
    assert expression(f"heads.row({row}).masked[{row + 1}] and not heads.masked[{row}][0]").value(names) is True


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("lookup.weights[1] > 0.5", [("lookup.weights[1]", "α₂")]),
        ("lookup.query[0] < lookup.output[1]", [("lookup.query[0]", "x of q"), ("lookup.output[1]", "y of o")]),
        ("abs(lookup.temperature)", [("lookup.temperature", "temperature, from 0.01 to 100")]),
        ("heads.weights[1][2] > 0", [("heads.weights[1][2]", "the weight of query 1 on key 2")]),
        ("heads.row('it').top == 'cat'", [("heads.row('it').top", "the key that “it” attends to most")]),
        ("not lookup.hard", [("lookup.hard", "hard: on or off")]),
    ],
)
def test_each_name_is_called_what_the_window_calls_it(text: str, names: list[tuple[str, str]]) -> None:
    assert list(expression(text).words(NAMES)) == names
    assert expression(text).names == tuple(name for name, _ in names)


@pytest.mark.parametrize(
    "text",
    [
        *("", "1 +", "lookup.weights[", "a b", "\0", "(" * 400, "1" * 501, "1e400 > 0", "9" * 400),
        *("__import__('os')", "open('x')", "().__class__", "[1, 2]", "{}", "lambda: 1", "1 if 2 else 3"),
        *(
            "lookup.weights[0:1]",
            "lookup.weights[x]",
            "lookup.weights[-1]",
            "lookup.weights[True]",
            "2 ** 9 ** 9",
            "1 // 2",
        ),
        *(
            "x := 1",
            "f'{1}'",
            "b'x'",
            "1j",
            "None",
            "...",
            "abs(1, 2)",
            "max(1)",
            "min(*[1])",
            "abs(x=1)",
            "1 is 1",
            "1 in 2",
        ),
        *(
            "heads.row()",
            "heads.row(1, 2)",
            "heads.row(1.5)",
            "heads.row(lookup)",
            "(1).real",
            "'a'.join",
            "await x",
            "~1",
        ),
        "+".join("1" * 200),
    ],
)
def test_whatever_else_is_refused_before_it_is_run(text: str) -> None:
    with pytest.raises(ExpressionError):
        expression(text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("lookup.wieghts[0] > 1", "Did you mean “weights”"),
        ("lokup.weights[0]", "Did you mean “lookup”"),
        ("lookup.weights[2]", "there are 2, from 0 to 1"),
        ("lookup.weights[0][0]", "an index too many"),
        ("lookup.temperature[0]", "an index too many"),
        ("lookup.weights > 1", "say which"),
        ("lookup", "is no number"),
        ("heads.row", "is no number"),
        ('heads.row("dog").top', "there is no token “dog”"),
        ("heads.row(99).most", "there is no row 99"),
        ('lookup.weights("a")', "takes nothing in brackets"),
        ("lookup.temperature.x", "has nothing called “x”"),
        ("1 / (lookup.temperature - 1)", "divides by zero"),
        ("1e200 * 1e200", "is not finite"),
        ("lookup.values > 1", "compares a text with a number"),
        ("lookup.values + 1", "is a text"),
        ("heads.context_tokens", "there is no"),
        ("lookup.__class__", "there is no"),
    ],
)
def test_what_does_not_fit_the_state_is_said(text: str, what: str) -> None:
    with pytest.raises(ExpressionError, match=what):
        expression(text).value(NAMES)


def test_a_number_is_no_condition() -> None:
    with pytest.raises(ExpressionError, match="is no condition"):
        expression("lookup.temperature").holds(NAMES)


# ---- Fields that are set ----


def test_fields_are_set_as_a_session_file_would() -> None:
    changed = with_fields(
        START,
        {"lookup.query": [1, 0], "lookup.entries[1].number": 7, "lookup.overlays": ["hull"], "heads.setup.hard": True},
    )
    assert changed.lookup.query == (1.0, 0.0)
    assert changed.lookup.entries[1].number == 7.0
    assert changed.lookup.overlays == frozenset({"hull"})
    assert changed.heads.setup.hard
    assert with_fields(changed, {"lookup.query": [1.4, 0.6]}) == replace(
        changed, lookup=replace(changed.lookup, query=(1.4, 0.6))
    )


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("lookup.temprature", 1, "Did you mean “temperature”"),
        ("lokup.temperature", 1, "Did you mean “lookup”"),
        ("lookup.temperature", 1000, "must be from 0.01 to 100"),
        ("lookup.temperature", "hot", "must be a number"),
        ("lookup.entries[2].key", [1, 1], "It has 2 items"),
        ("lookup.temperature.x", 1, "It has no parts"),
        ("lookup.query", [1, 2, 3], "must have 2"),
        ("lookup.entries[0]", {"key": [1, 1], "value": [1, 1], "number": 1, "x": 1}, "not known to this version"),
        ("lookup.preset", "nothing", "names “nothing”"),
        ("", 1, "is no name of a field"),
        ("[0]", 1, "is no name of a field"),
        ("lookup temperature", 1, "is no name of a field"),
        ("heads.setup.recipe", {"kind": "file", "path": "/etc/x.npz"}, "reads no files"),
    ],
)
def test_what_cannot_be_set_is_said(name: str, value: object, what: str) -> None:
    with pytest.raises(ExplorerError, match=what):
        with_fields(START, {name: value})
