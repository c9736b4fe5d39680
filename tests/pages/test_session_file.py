"""Session files: what is written comes back, and whatever is wrong with a file is said in a sentence."""

from __future__ import annotations

import json
import os
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from session_states import states

from attention_explorer.errors import ExplorerError
from attention_explorer.pages import session_file
from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.heads.state import HeadsSetup, HeadsState, MaskChoice
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.registry import PAGE_IDS, presets_of
from attention_explorer.pages.session_codec import encoded
from attention_explorer.pages.session_file import MOST_BYTES, read_session, session_bytes, session_from, write_session
from attention_explorer.sources.hand_made_recipe import HandMadeRecipe

SESSIONS = Path(__file__).parents[1] / "data" / "sessions"


def document(state: ExplorerState | None = None) -> dict[str, Any]:
    return json.loads(session_bytes(ExplorerState() if state is None else state))


def changed(place: str, to: object) -> bytes:
    """Return the file of the first state with one value replaced, by its dotted place."""
    whole = document()
    part: Any = whole
    *above, last = (int(step) if step.isdigit() else step for step in place.split("."))
    for step in above:
        part = part[step]
    part[last] = to
    return json.dumps(whole).encode()


def refusal(data: bytes) -> str:
    with pytest.raises(ExplorerError) as caught:
        session_from(data, "x.attn.json")
    text = str(caught.value)
    assert text.startswith("“x.attn.json” cannot be opened: ")
    assert text.endswith("; nothing was changed.")
    return text


# ---- There and back ----


@pytest.mark.parametrize(
    ("name", "state"),
    [(f"{page}-{ready.id}", ready.state) for page in PAGE_IDS for ready in presets_of(page)],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_example_comes_back(name: str, state: ExplorerState) -> None:
    opened = session_from(session_bytes(state), name)
    assert opened.state == state
    assert (opened.warnings, opened.extra) == ((), {})


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(states())
def test_any_state_comes_back(state: ExplorerState) -> None:
    data = session_bytes(state)
    opened = session_from(data, "any")
    assert opened.state == state
    assert not opened.warnings
    assert session_bytes(opened.state) == data, "stable"


def test_a_file_comes_back_with_its_page(tmp_path: Path) -> None:
    path = tmp_path / "lesson.attn.json"
    write_session(path, ExplorerState(heads=HeadsState(setup=HeadsSetup(recipe=HandMadeRecipe()))), page="heads")
    opened = read_session(path)
    assert isinstance(opened.state.heads.setup.recipe, HandMadeRecipe)
    assert opened.page == "heads"
    assert os.listdir(tmp_path) == ["lesson.attn.json"]


def test_the_file_is_for_people() -> None:
    text = session_bytes(ExplorerState()).decode()
    assert '\n      "query": [1.4, 0.6],\n' in text
    assert '"gain_kind": "1/√d_model"' in text
    assert max(map(len, text.splitlines())) <= 120
    assert text.endswith("}\n")


def test_floats_are_exact_and_whole_ones_stay_floats() -> None:
    query = (0.1 + 0.2, 5e-324)
    lookup = session_from(session_bytes(ExplorerState(lookup=LookupState(query=query))), "x").state.lookup
    assert lookup.query == query
    found = session_from(changed("state.lookup.temperature", to=2), "x").state.lookup.temperature
    assert (found, type(found)) == (2.0, float)


def test_many_cells_are_written_in_order_and_come_back() -> None:
    cells = frozenset((row * row % 4096, row) for row in range(4096))
    shown = frozenset((0, column) for column in range(5000, 5003))
    state = ExplorerState(heads=HeadsState(setup=HeadsSetup(mask=MaskChoice(hidden=cells))))
    data = session_bytes(state)
    listed = json.loads(data)["state"]["heads"]["setup"]["mask"]["hidden"]
    assert listed == sorted(list(cell) for cell in cells)
    assert max(map(len, data.decode().splitlines())) <= 120
    assert data.decode().count("\n") < 4096 / 4, "several cells stand on a line"
    assert session_from(data, "x").state == state
    assert encoded(shown) == [[0, 5000], [0, 5001], [0, 5002]]


def test_sets_of_other_things_are_written_in_order_too() -> None:
    assert encoded(frozenset({(1, "b"), (1, "a")})) == [[1, "a"], [1, "b"]]
    assert encoded(frozenset({(2,), (1, 5)})) == [[1, 5], [2]]
    assert encoded(frozenset({(True, 2), (0, 3)})) == [[0, 3], [True, 2]]
    assert encoded(frozenset()) == []


def test_half_a_character_becomes_a_replacement() -> None:
    state = ExplorerState(heads=HeadsState(setup=HeadsSetup(recipe=HandMadeRecipe("a \ud800 \ud83d\ude00 b"))))
    recipe = session_from(session_bytes(state), "x").state.heads.setup.recipe
    assert recipe.sentence == "a \ufffd 😀 b"


def test_what_is_missing_has_its_default() -> None:
    short = {"format": session_file.FORMAT, "version": 1, "state": {"lookup": {"query": [3, 4]}}}
    opened = session_from(json.dumps(short).encode(), "short")
    assert opened.state == ExplorerState(lookup=LookupState(query=(3.0, 4.0)))
    assert opened.warnings == ()


def test_whole_numbers_in_a_list_of_numbers_become_numbers_with_a_point() -> None:
    typed = {"format": session_file.FORMAT, "version": 1, "state": {"lookup": {"trail": [[3, 4]]}}}
    trail = session_from(json.dumps(typed).encode(), "typed").state.lookup.trail
    assert repr(trail) == "((3.0, 4.0),)", "as if it had been drawn: the same file comes out"


def test_a_byte_order_mark_is_no_harm() -> None:
    assert session_from(b"\xef\xbb\xbf" + session_bytes(ExplorerState()), "x").state == ExplorerState()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_what_json_cannot_hold_is_not_written(number: float, tmp_path: Path) -> None:
    state = ExplorerState(lookup=LookupState(trail=((0.0, number),)))
    with pytest.raises(ExplorerError, match=r"lookup\.trail\[0\]\[1\] is -?(nan|inf)"):
        write_session(tmp_path / "x.attn.json", state)
    assert os.listdir(tmp_path) == []


def test_what_could_not_be_opened_again_is_not_written() -> None:
    rows = tuple((float(i),) * 1000 for i in range(1000))
    setup = replace(HeadsSetup(), recipe=replace(HeadsSetup().recipe, given=rows))
    with pytest.raises(ExplorerError, match=r"would have \d\.\d MB, and at most 4 MB are possible"):
        session_bytes(ExplorerState(heads=HeadsState(setup=setup)))


# ---- What is wrong with a value, and where ----

WRONG: list[tuple[str, object, str]] = [
    ("state.lookup.camera", {"left": 0, "right": 1, "bottom": 1, "top": 0}, "camera must have its left below its"),
    ("state.lookup.camera", {"left": 0, "right": 1e-300, "bottom": 0, "top": 1e-300}, "camera is 1e-300 units"),
    ("state.lookup.camera", {"left": 0, "right": 1e300, "bottom": 0, "top": 1}, "camera.right is 1e+300, but"),
    ("state.lookup.camera", {"left": 1e9, "right": 1e9 + 1, "bottom": 0, "top": 1}, "a camera whose middle lies"),
    ("state.lookup.camera", {"left": 1e6, "right": 1e6 + 1e-8, "bottom": 0, "top": 1e-8}, "far out it must be 1e-05"),
    ("state.lookup.trail", [[0, 0]] * 241, "lookup.trail has 241 items, but must have from 0 to 240"),
    ("state.lookup.trail", [[0, 1e7]], "lookup.trail[0][1] is 10000000.0, but must be from -2000000 to 2000000"),
    ("state.lookup.trail", [[0, 1], [2]], "lookup has a trail whose points must have 2 numbers each, as the values"),
    ("state.heads.setup.temperature", 1000, "heads.setup.temperature is 1000, but must be from 0.01 to 100"),
    ("state.heads.setup.temperature", "warm", "heads.setup.temperature is “warm”, but must be a number"),
    ("state.heads.setup.temperature", True, "heads.setup.temperature is true, but must be a number"),
    ("state.heads.setup.temperature", None, "heads.setup.temperature is null, but must be a number"),
    ("state.heads.setup.hard", 1, "heads.setup.hard is 1, but must be true or false"),
    ("state.heads.setup.layer", 1.0, "heads.setup.layer is 1.0, but must be a whole number"),
    ("state.heads.setup.layer", -1, "heads.setup.layer is -1, but must be from 0 to 1023"),
    ("state.heads.setup.layer", 10**30, "heads.setup.layer is a whole number beyond all ranges"),
    (
        "state.heads.setup.recipe.kind",
        "gpt",
        "recipe.kind is “gpt”, but must be “toy”, “hand-made”, “in the box”, “file”, “learned” or “model”",
    ),
    ("state.heads.setup.recipe.kind", [], "recipe.kind is a list, but must be “toy”"),
    ("state.heads.setup.recipe", {}, "heads.setup.recipe.kind is missing"),
    ("state.heads.setup.recipe", None, "heads.setup.recipe is null, but must be an object in braces"),
    ("state.heads.setup.recipe.layers", 10**9, "recipe.layers is 1000000000, but must be from 1 to 24"),
    ("state.heads.setup.recipe.sentence", 5, "recipe.sentence is 5, but must be a text in quotes"),
    ("state.heads.setup.recipe.sentence", "x" * 40_000, "recipe.sentence has 40000 characters"),
    ("state.heads.setup.recipe.sentence", " \n", "recipe.sentence has no words, but must have one at least"),
    ("state.heads.setup.recipe.context", "", "recipe.context has no words"),
    ("state.positions.sentence", "", "positions.sentence has no words"),
    ("state.cost.other_sentence", "", "cost.other_sentence has no words"),
    ("state.heads.setup.mask.kind", "random", "mask.kind is “random”, but must be “none”, “causal”"),
    ("state.heads.setup.mask.hidden", [[1]], "mask.hidden[0] has 1 items, but must have 2"),
    ("state.heads.setup.mask.hidden", [[1, 2], [1, 2]], "mask.hidden holds an item twice"),
    ("state.heads.setup.mask.hidden", [[0, 4096]], "mask.hidden[0][1] is 4096, but must be from 0 to 4095"),
    ("state.heads.setup.mask", {"hidden": [[0, 1]], "shown": [[0, 1]]}, "mask has the cell [0, 1] both"),
    ("state.heads.view.colour_map", "jet", "colour_map is “jet”, but must be “viridis”, “cividis” or “magma”"),
    ("state.heads.setup.mask.hidden", [[0, 1], [0, True]], "mask.hidden[1][1] is true, but must be a whole"),
    ("state.heads.setup.mask.hidden", [[0, 1], [0, 1.0]], "mask.hidden[1][1] is 1.0, but must be a whole"),
    ("state.heads.setup.mask.hidden", [[0, 1], 2], "mask.hidden[1] is 2, but must be a list of 2"),
    ("state.heads.setup.recipe.given", [[1, 2], [3, "x"]], "recipe.given[1][1] is “x”, but must be a number"),
    ("state.heads.setup.recipe.given", [[1, 2], [3, True]], "recipe.given[1][1] is true, but must be a number"),
    ("state.heads.setup.mask.hidden", [[0, 1], [2**70, 0]], "mask.hidden[1][0] is a whole number beyond"),
    ("state.heads.view.window", 5, "heads.view.window is 5, but must be an object in braces"),
    ("state.heads.view.window", {"top": 0, "left": 0, "right": 3}, "heads.view.window.bottom is missing"),
    (
        "state.heads.view.window",
        {"top": -1, "bottom": 2, "left": 0, "right": 3},
        "heads.view.window.top is -1, but must be from 0 to 4095",
    ),
    (
        "state.heads.view.window",
        {"top": 2, "bottom": 2, "left": 0, "right": 3},
        "heads.view.window must have its top above its bottom and its left before its right",
    ),
    ("state.heads.view.row", "first", "heads.view.row is “first”, but must be a whole number"),
    ("state.lookup.entries", [], "lookup.entries has 0 items, but must have from 1 to 12"),
    ("state.lookup.entries.1", {"key": [1, 2]}, "lookup.entries[1].value is missing"),
    ("state.lookup.entries.1.key", [1, 2e6], "lookup.entries[1].key[1] is 2000000.0, but must be from -1000000"),
    ("state.lookup.overlays", "field", "lookup.overlays is “field”, but must be a list"),
    ("state.lookup.extent.right", -9, "lookup.extent must have its left below its right"),
    ("state.lookup.extent.right", 1e9, "lookup.extent is 1000000003.0 units across"),
    ("state.lookup", [1, 2], "lookup is a list, but must be an object in braces"),
    ("state.positions.dimensions", list(range(9)), "positions.dimensions has 9 items, but must have from 0 to 8"),
    ("state.scaling.draws", 10**12, "scaling.draws is 1000000000000, but must be from 1 to 100000"),
    ("state.scaling.bench.rows", [[1, 2], [3]], "scaling.bench must have rows of one length"),
    ("state.cost.longest_measured", 5000, "cost.longest_measured is 5000, but must be 512, 1024"),
    ("state", None, "state is null, but must be an object in braces"),
    ("page", 3, "page must be a text in quotes"),
    ("version", "1", "version must be a whole number"),
    ("version", 0, "version must be a whole number"),
    ("version", True, "version must be a whole number"),
]


@pytest.mark.parametrize(("place", "value", "said"), WRONG, ids=[said for _, _, said in WRONG])
def test_a_wrong_value_is_named_with_its_place(place: str, value: object, said: str) -> None:
    data = changed(place, to=value)
    page = f"{place}..".split(".")[1]
    if not page or "beyond" in said:  # which is no JSON that we read
        text = refusal(data)
        assert said in text
        assert "Correct it in a text editor, or open another copy" in text
        return
    opened, whole = session_from(data, "x.attn.json"), session_from(json.dumps(document()).encode(), "x")
    assert said in opened.left_out[page]
    assert opened.warnings == (f"The page {page} cannot be read and is left out: {opened.left_out[page]}.",)
    assert opened.state == replace(whole.state, **{page: getattr(ExplorerState(), page)}), "the others are as they were"


def test_what_is_said_of_a_page_that_cannot_be_read_is_written_back_until_it_is_changed() -> None:
    data = changed("state.heads.setup.recipe.kind", to="dump")
    opened = session_from(data, "x.attn.json")
    assert list(opened.left_out) == ["heads"]
    written = json.loads(session_bytes(opened.state, opened.extra))
    assert written["state"] == json.loads(data)["state"], "nothing is lost, neither of that page nor of the others"
    assert session_from(json.dumps(written).encode(), "again") == opened
    changed_since = replace(opened.state, heads=opened.state.heads.with_setup(temperature=2.0))
    again = session_from(session_bytes(changed_since, opened.extra), "again")
    assert (again.state, again.left_out, again.warnings) == (changed_since, {}, ())


def test_several_pages_are_left_out_each_with_its_reason_and_a_file_of_no_other_is_refused() -> None:
    whole = document()
    whole["state"]["cost"]["n"], whole["state"]["lookup"] = -1, []
    opened = session_from(json.dumps(whole).encode(), "x.attn.json")
    assert list(opened.left_out) == ["lookup", "cost"]
    assert len(opened.warnings) == 2
    whole["state"] = {"cost": whole["state"]["cost"]}
    assert "cost.n is -1" in refusal(json.dumps(whole).encode())


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_finite_number(number: str) -> None:
    data = changed("state.lookup.rate", to="HERE").replace(b'"HERE"', number.encode())
    assert "lookup.rate is no finite number" in refusal(data)


def test_a_key_that_stands_there_twice() -> None:
    data = session_bytes(ExplorerState()).replace(b'"hard": false,', b'"hard": false, "hard": true,', 1)
    assert "lookup.hard stands there more than once" in refusal(data)


# ---- What this version does not know ----


def test_unknown_keys_are_kept_and_named(tmp_path: Path) -> None:
    whole = document()
    whole["note"] = {"by": "a teacher", "seen": [1, 2.5, None]}
    whole["state"]["heads"]["setup"]["future.key"] = "ü"
    whole["state"]["dance"] = {"steps": 3}
    opened = session_from(json.dumps(whole).encode(), "x")
    assert opened.state == ExplorerState()
    assert len(opened.warnings) == 3
    assert "“state.heads.setup.future.key” is not known to this version of the program" in " ".join(opened.warnings)
    again = replace(opened.state, lookup=LookupState(hard=True))
    write_session(tmp_path / "x.attn.json", again, opened.extra)
    saved = json.loads((tmp_path / "x.attn.json").read_bytes())
    assert saved["note"] == whole["note"]
    assert saved["state"]["heads"]["setup"]["future.key"] == "ü"
    assert saved["state"]["dance"] == {"steps": 3}
    assert saved["state"]["lookup"]["hard"] is True
    assert read_session(tmp_path / "x.attn.json").extra == opened.extra


def test_unknown_keys_that_cannot_be_kept_are_named() -> None:
    whole = document()
    whole["state"]["lookup"]["entries"][1]["label"] = "home"
    opened = session_from(json.dumps(whole).encode(), "x")
    assert opened.extra == {}
    assert [text for text in opened.warnings if "lookup.entries[1].label" in text and "is lost when you save" in text]


def test_where_the_surroundings_are_gone_so_is_what_was_in_them() -> None:
    extra = {("state", "heads", "other", "future"): 1, ("state", "heads", "setup", "hard"): "not this"}
    assert session_bytes(ExplorerState(), extra) == session_bytes(ExplorerState())


def test_a_preset_that_is_gone_is_no_reason_to_refuse() -> None:
    opened = session_from(changed("state.heads.preset", to="of-tomorrow"), "x")
    assert opened.state == ExplorerState()
    assert opened.warnings == (
        "state.heads.preset names “of-tomorrow”, which this version does not have: “random-words” stands in for it.",
    )


# ---- What is no session ----


@pytest.mark.parametrize("data", [b"[]", b"{}", b"3", b'"text"', b"null", b'{"format": "notebook", "version": 4}'])
def test_json_that_is_not_ours(data: bytes) -> None:
    assert "it is no session of Attention Explorer" in refusal(data)


@pytest.mark.parametrize("data", [b"", b" \n", b"\xef\xbb\xbf"])
def test_an_empty_file(data: bytes) -> None:
    assert "the file is empty" in refusal(data)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0", '{"format": "ü"}'.encode("latin-1"), b"\xff\xfe{\0"])
def test_what_is_no_text(data: bytes) -> None:
    assert "it is not text in UTF-8 (byte" in refusal(data)


def test_what_is_no_json() -> None:
    assert "the text is no JSON in line 1, column 1" in refusal(b"# Notes\n")
    broken = session_bytes(ExplorerState()).replace(b'"hard": false,', b'"hard": maybe,', 1)
    assert "the text is no JSON in line 1" in refusal(broken)


@pytest.mark.parametrize("share", [0.1, 0.35, 0.5, 0.77, 0.99])
def test_a_file_that_was_cut_off(share: float) -> None:
    data = session_bytes(ExplorerState())
    text = refusal(data[: round(len(data) * share)])
    assert "cut off" in text or "is no JSON in line" in text or "UTF-8" in text


def test_a_file_cut_off_at_a_line_says_so() -> None:
    lines = session_bytes(ExplorerState()).splitlines(keepends=True)
    assert "the text ends too early, in line" in refusal(b"".join(lines[:20]))


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("depth", [30, 900, 200_000])
def test_deep_nesting(opening: str, depth: int) -> None:
    deep = opening * depth + "1" + {"[": "]", '{"a":': "}"}[opening] * depth
    text = refusal(changed("note", to="HERE").replace(b'"HERE"', deep.encode()))
    assert "are nested more than 24 deep" in text


def test_a_number_with_too_many_digits() -> None:
    text = refusal(changed("state.cost.n", to="HERE").replace(b'"HERE"', b"9" * 100_000))
    assert "a number with thousands of digits" in text


def test_a_newer_version_names_itself() -> None:
    whole = document() | {"version": 7, "program": "Attention Explorer 9.1", "state": "unreadable"}
    text = refusal(json.dumps(whole).encode())
    assert "it has version 7 of the format, written by Attention Explorer 9.1, and Attention Explorer" in text
    assert "Open it with a newer version of the program" in text


# ---- What is no file ----


def unreadable(path: Path) -> str:
    with pytest.raises(ExplorerError) as caught:
        read_session(path)
    assert path.name[:20] in str(caught.value)
    return str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    assert f"there is no such file in “{tmp_path}”" in unreadable(tmp_path / "x.attn.json")


def test_a_folder(tmp_path: Path) -> None:
    assert "it is a folder" in unreadable(tmp_path)


def test_a_gigabyte_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.attn.json"
    with path.open("wb") as file:
        file.truncate(1024**3)  # holes: it takes no room
    monkeypatch.setattr(Path, "open", lambda *_arguments: pytest.fail("it was opened"))
    assert "it has 1024 MB, and a session has at most 4 MB" in unreadable(path)


def test_one_byte_too_many(tmp_path: Path) -> None:
    path = tmp_path / "x.attn.json"
    path.write_bytes(session_bytes(ExplorerState()).ljust(MOST_BYTES))
    assert read_session(path).state == ExplorerState()
    path.write_bytes(path.read_bytes() + b" ")
    assert "at most 4 MB" in unreadable(path)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "x.attn.json"
    path.write_bytes(session_bytes(ExplorerState()))
    path.chmod(0)
    assert "it cannot be read (Permission denied)" in unreadable(path)


def test_a_refusal_by_the_system_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.attn.json"
    path.write_bytes(session_bytes(ExplorerState()))

    def refuse(*_arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert "it cannot be read (Permission denied). Choose a file you may read" in unreadable(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.attn.json")
    assert "it is not an ordinary file" in unreadable(tmp_path / "x.attn.json")


def test_names_that_no_file_may_have() -> None:
    assert "it cannot be read" in unreadable(Path("x\0.attn.json"))
    assert "it cannot be read" in unreadable(Path("x" * 400))


# ---- Versions ----


def is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and is_part(part[key], whole[key]) for key in part)
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(is_part, part, whole))
    return type(part) is type(whole) and part == whole


@pytest.mark.parametrize("version", range(1, session_file.VERSION + 1))
def test_every_version_there_ever_was_can_be_read(version: int) -> None:
    path = SESSIONS / f"version-{version}.attn.json"
    opened = read_session(path)
    assert opened.warnings == ()
    assert opened.page == "layer", "which was called “block”"
    assert opened.state != ExplorerState()


def test_version_1_holds_what_it_held() -> None:
    path = SESSIONS / "version-1.attn.json"
    written = json.loads(path.read_bytes())
    assert written["version"] == 1
    state = read_session(path).state
    assert state.lookup.query == (-0.1, 1 / 3)
    assert state.heads.setup.recipe.sentence == "Der Bär läuft 🐻, sagt “она” — 猫。"
    assert state.heads.setup.mask.hidden == {(0, 1), (2, 0)}
    assert isinstance(state.heads.other.recipe, HandMadeRecipe)
    assert state.positions.embedding_scale == 5.656854249492381
    assert state.scaling.bench.rows == ((1.0, 2.0, 3.0), (-2000.0, 0.5, 12.25))
    if session_file.VERSION == 1:
        assert is_part(written["state"], encoded(state)), "every value in the file is in the state"


def test_older_versions_are_brought_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    def rename(old: dict[str, Any]) -> dict[str, Any]:
        old["state"]["lookup"]["temperature"] = old["state"]["lookup"].pop("warmth")
        return old

    def double(old: dict[str, Any]) -> dict[str, Any]:
        old["state"]["lookup"]["temperature"] *= 2
        return old

    whole = document()
    whole["state"]["lookup"]["warmth"] = whole["state"]["lookup"].pop("temperature") + 2.0
    monkeypatch.setattr(session_file, "VERSION", 3)
    monkeypatch.setattr(session_file, "MIGRATIONS", {1: rename, 2: double})
    opened = session_from(json.dumps(whole).encode(), "x")
    assert opened.state == ExplorerState(lookup=LookupState(temperature=6.0))
    assert opened.warnings == ()


def test_every_older_version_has_a_way_up() -> None:
    assert sorted(session_file.MIGRATIONS) == list(range(1, session_file.VERSION))


# ---- Damage ----


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return a file as a bad disk, a broken download or a hasty hand would leave it."""
    kind = chance.randrange(5)
    if kind == 0:  # some bits
        many = bytearray(data)
        for _ in range(chance.choice([1, 1, 2, 10, 100])):
            many[chance.randrange(len(many))] ^= 1 << chance.randrange(8)
        return bytes(many)
    if kind == 1:
        return data[: chance.randrange(len(data))]
    if kind == 2:  # a piece is lost, or stands there twice
        start, end = sorted(chance.randrange(len(data)) for _ in range(2))
        return data[:start] + data[end:] if chance.random() < 0.5 else data[:end] + data[start:]
    whole = json.loads(data)
    for _ in range(chance.choice([1, 1, 3])):
        swap(whole, chance)
    return json.dumps(whole).encode()


def swap(part: Any, chance: random.Random) -> None:
    """Put something else in the place of a part, anywhere below."""
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        key = chance.choice(keys)
        if not isinstance(part[key], dict | list) or not part[key] or chance.random() < 0.2:
            break
        part = part[key]
    others = [None, True, -1, 0, 1e300, -1e-300, 10**18, "", "x", "0", [], {}, [[]], [1], {"kind": "toy"}, "√"]
    part[key] = chance.choice(others)


@pytest.mark.parametrize("seed", range(200))
def test_damage_is_refused_in_words_or_does_no_harm(seed: int) -> None:
    data = damaged((SESSIONS / "version-1.attn.json").read_bytes(), random.Random(seed))  # noqa: S311 - no secret
    said, opened = "", None
    try:
        opened = session_from(data, "damaged.attn.json")
    except ExplorerError as error:
        said = str(error)
    if opened is None:
        assert said.startswith("“damaged.attn.json” cannot be opened: ")
        assert "\n" not in said
        assert len(said) < 600
    else:
        again = session_from(session_bytes(opened.state, opened.extra), "again")
        assert again.state == opened.state


def test_a_file_that_is_called_a_session_is_not_to_be_called_one() -> None:
    for data in (b"\x89PNG\r\n", b'{"format": "another"}'):
        with pytest.raises(ExplorerError, match="Open another file"):
            session_from(data, "picture.attn.json")
        with pytest.raises(ExplorerError, match=r"Choose a file that ends in \.attn\.json"):
            session_from(data, "picture.png")
