"""Session files changed anywhere, by bytes and by values: a valid state, or a sentence that names the place."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.session_file import Opened, session_bytes, session_from
from attention_explorer.pages.ui.session import Session
from attention_explorer.window.open_session import OpenSession

WHOLE = (Path(__file__).parent.parent / "data" / "sessions" / "version-1.attn.json").read_bytes()
DOCUMENT: dict[str, Any] = json.loads(WHOLE)

slow = settings(deadline=None, suppress_health_check=list(HealthCheck))


def places(part: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    return [at, *(place for key, inner in items for place in places(inner, (*at, key)))]


PLACES = places(DOCUMENT)[1:]

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, -1, 2**31, 2**63, 2**64, 10**30, -(10**30), 1e308, -1e308, 5e-324, 0.1, -0.0, 1e22]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.sampled_from(["", "\x00", "\ud800", "\u202e", "a" * 40_000, "w " * 10_000, "toy", "causal", "1", "NaN"]),
    st.recursive(
        st.none() | st.integers(-3, 3) | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    ),
    st.sampled_from([json.loads(json.dumps(DOCUMENT["state"][page])) for page in DOCUMENT["state"]]),
)


def outcome(data: bytes) -> Opened | str:
    """Return what a file holds, or why it is refused; in the second case nothing of it is shown."""
    try:
        opened = session_from(data, "odd.attn.json")
    except ExplorerError as error:
        said = str(error)
        assert said.startswith("“odd.attn.json” cannot be opened: ")
        assert said.endswith("nothing was changed.")
        assert len(said) < 700
        assert not any(ord(sign) < 32 for sign in said)
        said.encode("utf-8")
        return said
    again = session_from(session_bytes(opened.state, opened.extra), "again")
    assert (again.state, again.left_out) == (opened.state, opened.left_out)
    assert all(warning.endswith(".") for warning in opened.warnings)
    return opened


@settings(slow, max_examples=120)
@given(st.lists(st.tuples(st.sampled_from(PLACES), ODD), min_size=1, max_size=3))
def test_any_value_anywhere(changes: list[tuple[tuple[str | int, ...], Any]]) -> None:
    document = copy.deepcopy(DOCUMENT)
    for place, value in changes:
        part: Any = document
        try:
            for step in place[:-1]:
                part = part[step]
            part[place[-1]] = copy.deepcopy(value)
        except (KeyError, IndexError, TypeError):
            pass  # an earlier change took the surroundings away
    outcome(json.dumps(document).encode())


@pytest.mark.parametrize("value", [None, [], {}, "odd", -1.5, 10**30])
def test_a_wrong_value_is_named_by_its_place_wherever_it_is(value: Any) -> None:
    refused = 0
    for place in PLACES:
        if place[0] != "state" or len(place) < 3:
            continue
        document = copy.deepcopy(DOCUMENT)
        part: Any = document
        for step in place[:-1]:
            part = part[step]
        part[place[-1]] = value
        found = outcome(json.dumps(document).encode())
        named = [step for step in place if isinstance(step, str)][-1]
        assert value == 10**30 or not isinstance(found, str), "the other five pages are opened"
        for reason in [found] if isinstance(found, str) else found.left_out.values():
            refused += 1
            assert reason.startswith((f"{place[1]}.", "“odd.attn.json”", f"{place[1]} "))
            assert named in reason or str(place[-2]) in reason or "go together" in reason, place
    assert refused > 10


@settings(slow, max_examples=100)
@given(st.data())
def test_any_bytes_anywhere(data: st.DataObject) -> None:
    many = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(many) - 1))
        length = data.draw(st.integers(0, 12))
        many[at : at + length] = data.draw(st.binary(max_size=8) | st.sampled_from([b"{", b"]", b",", b'"', b"\xff"]))
    outcome(bytes(many))


@settings(slow, max_examples=100)
@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_anything_at_all(data: bytes) -> None:
    assert isinstance(outcome(data), str)


def test_the_session_that_is_open_is_untouched(tmp_path: Path, qapp) -> None:
    session = Session()
    opened = OpenSession(session, session)
    session.apply(ExplorerState(lookup=LookupState(hard=True)), "hard")
    before = (session.state, opened.path, opened.extra, len(session.history))
    path = tmp_path / "odd.attn.json"
    for data in (WHOLE[:-200], WHOLE.replace(b'"version": 1', b'"version": 0'), b"\x00" * 100):
        path.write_bytes(data)
        with pytest.raises(ExplorerError):
            opened.open(path)
        assert (session.state, opened.path, opened.extra, len(session.history)) == before
        assert path.read_bytes() == data
