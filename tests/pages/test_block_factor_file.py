"""Whatever the factor of the Linear picture can be set to, the session can be opened again."""

from __future__ import annotations

import pytest

from attention_explorer.pages.explorer import ExplorerState
from attention_explorer.pages.lab.linear import FACTORS
from attention_explorer.pages.session_file import session_bytes, session_from
from attention_explorer.pages.stack.state import LARGEST_FACTOR, BlockState


@pytest.mark.parametrize("factor", FACTORS)
def test_every_stop_of_the_slider_survives_a_file(factor: float) -> None:
    state = ExplorerState(block=BlockState(factor=factor))
    assert session_from(session_bytes(state), "lesson").state == state
    assert abs(factor) <= LARGEST_FACTOR
