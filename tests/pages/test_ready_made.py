"""What is ready-made, found by its name."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from attention_explorer.core.preset import preset_of
from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState, PageState
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.lab.cost_state import CostState
from attention_explorer.pages.lab.scores_state import ScalingState
from attention_explorer.pages.lab.state import LabState, LabView
from attention_explorer.pages.lookup.presets import PRESETS
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.registry import (
    ALL_PARTS,
    PAGES,
    PARTS,
    find_preset,
    in_view,
    page_id,
    presets_in,
    presets_of,
)
from attention_explorer.pages.stack.state import BlockState


def test_the_parts_are_those_of_the_state():
    assert {type(getattr(ExplorerState(), part)) for part in ALL_PARTS} == set(get_args(PageState))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_presets_are_the_examples_of_their_page(page):
    ready = list(presets_of(page.id))
    assert len({each.id for each in ready}) == len(ready) > 3
    for each in ready:
        assert each.title
        assert each.look_for
        start = replace(each.state, lab=LabState(), **{each.part: getattr(ExplorerState(), each.part)})
        assert start == ExplorerState(), "the other pages are as they start"


def test_a_preset_is_found_by_its_name():
    assert find_preset("quiz").state.lookup == next(each.state for each in PRESETS if each.id == "quiz")
    assert find_preset("quiz") == find_preset("quiz", "lookup")
    assert find_preset("pipeline", "heads").page == "heads"
    assert find_preset("pipeline", "block").page == "layer"
    assert find_preset("pipeline", "block") == find_preset("pipeline", "layer")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nonsense",), ["There is no preset “nonsense”.", "presets” lists them all"]),
        (("Causl",), ["There is no preset “Causl”. Did you mean “causal”?"]),
        (("quiz", "heads"), ["There is no preset “quiz” on the page heads. Name the page lookup."]),
        (("pipeline",), ["Several pages have a preset “pipeline”: heads, layer.", "Name the page"]),
        (("encodr", "layer"), ["There is no preset “encodr” on the page layer. Did you mean “encoder”?"]),
        (("encoder", "lookup"), ["There is no preset “encoder” on the page lookup. Name the page layer."]),
        (("quiz", "dance"), ["There is no page “dance”.", "lookup, heads, positions"]),
    ],
)
def test_what_there_is_not_is_said_in_words(arguments, words):
    with pytest.raises(ExplorerError) as caught:
        find_preset(*arguments)
    assert all(part in str(caught.value) for part in words)


@pytest.mark.parametrize(("part", "identifier", "view"), [("cost", "reach", "reach"), ("block", "norm", "norm")])
def test_a_preset_of_a_page_that_is_no_more_is_shown_by_lab(part, identifier, view):
    ready = find_preset(identifier, part)
    assert (ready.page, ready.part, ready.state.lab.view) == ("lab", part, view)
    assert ready == find_preset(identifier, "lab")


def test_lab_stays_where_it_is_asked_for_whatever_layer_shows():
    """A lesson on Lab opened Layer, after a click on one of its boxes."""
    layer = replace(ExplorerState(), block=BlockState(head=1))
    assert in_view(layer, "lab") == ("lab", layer)
    assert in_view(layer) == ("layer", layer)
    cost = replace(layer, cost=CostState(windowed=True))
    assert in_view(cost, "lab") == ("lab", replace(cost, lab=LabState(LabView.COST)))


@pytest.mark.parametrize("part", PARTS)
def test_every_preset_is_on_one_page(part):
    pages = {page.id: list(presets_of(page.id)) for page in PAGES}
    for ready in presets_in(part):
        assert [page for page, found in pages.items() if ready in found] == [ready.page]


@pytest.mark.parametrize("part", PARTS)
def test_presets_of_a_part_are_told_apart_and_found_by_their_names(part):
    ready = list(presets_in(part))
    for told in ("id", "title", "state"):
        assert len({getattr(each, told) for each in ready}) == len(ready), "hashable, too"
    for each in ready:
        assert find_preset(each.id, part) == each
        assert getattr(each.state, part).preset == each.id
        assert not each.title.endswith(".")
        assert each.look_for.endswith((".", "?"))
    assert getattr(ready[0].state, part) == getattr(ExplorerState(), part), "it opens with the first"


@pytest.mark.parametrize("part", PARTS)
def test_a_name_that_a_part_does_not_have_lists_those_it_has(part):
    ready = list(presets_in(part))
    with pytest.raises(ExplorerError) as caught:
        preset_of(ready, "nonsense")
    assert all(each.id in str(caught.value) for each in ready)


def test_a_part_that_is_named_is_put_on_show_in_lab():
    state = ExplorerState(scaling=ScalingState(picture="softmax bench"))
    assert in_view(state) == ("lab", replace(state, lab=LabState("softmax")))
    assert in_view(state, "cost") == ("lab", replace(state, lab=LabState("cost")))
    both = replace(state, cost=CostState(n=5), lab=LabState("reach"))
    assert in_view(both) == in_view(both, "lab") == ("lab", both), "as it says itself"


def test_the_page_in_view_is_the_one_that_says_something():
    assert in_view(ExplorerState())[0] == "lookup"
    assert in_view(ExplorerState(heads=HeadsState().with_recipe(sentence="a b")))[0] == "heads"
    two = ExplorerState(lookup=LookupState(hard=True), heads=HeadsState().with_recipe(sentence="a b"))
    with pytest.raises(ExplorerError, match=r"several pages: lookup, heads\. Name the page"):
        in_view(two)


def test_page_ids():
    assert page_id("cost") == "cost"
    with pytest.raises(ExplorerError, match=r"There is no page “Labb”\. Did you mean “lab”\?"):
        page_id("Labb")
