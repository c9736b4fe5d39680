"""What is ready-made, found by its name."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import get_args

import pytest

from attention_explorer.errors import ExplorerError
from attention_explorer.pages.explorer import ExplorerState, PageState
from attention_explorer.pages.heads.state import HeadsState
from attention_explorer.pages.lookup.presets import PRESETS
from attention_explorer.pages.lookup.state import LookupState
from attention_explorer.pages.ready_made import PAGE_IDS, find_preset, page_id, page_in_view, presets_of
from attention_explorer.pages.registry import PAGES


def test_the_pages_are_those_of_the_window_and_of_the_state():
    assert [page.id for page in PAGES] == list(PAGE_IDS)
    assert {field.name for field in fields(ExplorerState)} == set(PAGE_IDS)
    assert {type(getattr(ExplorerState(), page)) for page in PAGE_IDS} == set(get_args(PageState))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_presets_are_the_examples_of_their_page(page):
    ready = list(presets_of(page.id))
    assert [(each.id, each.state) for each in ready] == list(page.examples())
    assert len({each.id for each in ready}) == len(ready) > 3
    for each in ready:
        assert each.title
        assert each.look_for
        start = replace(each.state, **{page.id: getattr(ExplorerState(), page.id)})
        assert start == ExplorerState(), "the other pages are as they start"


def test_a_preset_is_found_by_its_name():
    assert find_preset("quiz").state.lookup == next(each.state for each in PRESETS if each.id == "quiz")
    assert find_preset("quiz") == find_preset("quiz", "lookup")
    assert find_preset("pipeline", "heads").page == "heads"
    assert find_preset("pipeline", "block").page == "block"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nonsense",), ["There is no preset “nonsense”.", "presets” lists them all"]),
        (("Causl",), ["There is no preset “Causl”. Did you mean “causal”?"]),
        (("quiz", "heads"), ["There is no preset “quiz” on the page heads. Name the page lookup."]),
        (("pipeline",), ["Several pages have a preset “pipeline”: heads, block.", "Name the page"]),
        (("quiz", "dance"), ["There is no page “dance”.", "lookup, heads, positions"]),
    ],
)
def test_what_there_is_not_is_said_in_words(arguments, words):
    with pytest.raises(ExplorerError) as caught:
        find_preset(*arguments)
    assert all(part in str(caught.value) for part in words)


def test_the_page_in_view_is_the_one_that_says_something():
    assert page_in_view(ExplorerState()) == "lookup"
    assert page_in_view(ExplorerState(heads=HeadsState().with_recipe(sentence="a b"))) == "heads"
    two = ExplorerState(lookup=LookupState(hard=True), heads=HeadsState().with_recipe(sentence="a b"))
    with pytest.raises(ExplorerError, match=r"several pages: lookup, heads\. Name the page"):
        page_in_view(two)


def test_page_ids():
    assert page_id("cost") == "cost"
    with pytest.raises(ExplorerError, match=r"There is no page “Cost”\. Did you mean “cost”\?"):
        page_id("Cost")
