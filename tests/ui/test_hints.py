"""What to look for in an example: whole, in the drawer of every page, until something is changed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from people_driver import catch_up, show_state

from attention_explorer.kit.controls.choice import CHANGED
from attention_explorer.kit.pictures.pointed_picture import Change
from attention_explorer.pages.heads.state import MaskChoice, MaskKind
from attention_explorer.pages.lab.state import LabView
from attention_explorer.pages.registry import PAGE_IDS, presets_of

SIZES = ((1280, 800), (1024, 768))
IN_THE_FRAME = {
    "heads": lambda state: state.with_setup(mask=MaskChoice(MaskKind.CAUSAL)),
    "lookup": lambda state: replace(state.with_key_added((1.0, -1.0)), words=state.words.moved("question", (0.5, 0.5))),
    "positions": lambda state: state.with_sizes(length=37),
    "layer": lambda state: replace(state, seed=7),
    "lab": lambda state: replace(state, seed=7),
    "training": lambda state: state.with_setup(replace(state.setup, seed=77)),
    "circuits": lambda state: replace(state, seed=7),
}
"""A change after which a page in the frame shows none of its examples any more."""


@pytest.mark.parametrize("page_id", IN_THE_FRAME)
def test_in_the_frame_the_drawer_says_what_to_look_for_until_something_is_changed(page_window, page_id):
    assert {*PAGE_IDS} == {*IN_THE_FRAME}
    window = page_window(page_id)
    window.resize(*SIZES[-1])
    page, text = window.page, window.page.drawer.example
    for ready in presets_of(page_id):
        if ready.state.lab.view is LabView.AGAINST:
            continue  # which takes its time, and is said in the same place
        show_state(window, ready.state)
        page.open_drawer(True)
        catch_up(window)
        assert text.text() == ready.look_for, ready.id
        assert text.height() >= text.heightForWidth(text.width()), ready.id
    told, title = text.text(), page.bar.examples[page.view.id].currentText
    name = title()
    page.apply(Change(IN_THE_FRAME[page_id](page.state), "Change"))
    for step, is_changed in ((None, True), (window.session.undo, False), (window.session.redo, True)):
        if step is not None:
            step()
        catch_up(window)
        assert (text.text(), text.isVisible()) == (("", False) if is_changed else (told, True))
        assert title() == (f"{name}{CHANGED}" if is_changed else name)
    page.open_drawer(False)
