"""Numbers below zero have a minus sign wherever a widget writes one; a hyphen is shorter, and belongs to words."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QDoubleSpinBox, QLabel, QLineEdit, QWidget

from attention_explorer.pages.registry import PAGE_IDS, presets_of

HYPHEN = re.compile(r"(?<![\w.)\]-])-\d")


def texts_of(widget: QWidget) -> Iterator[str]:
    for each in widget.findChildren(QWidget):
        yield each.toolTip()
        yield each.accessibleDescription()
        if isinstance(each, QLabel | QAbstractButton | QLineEdit | QDoubleSpinBox):
            yield each.text()
        if isinstance(each, QComboBox):
            yield from (each.itemText(place) for place in range(each.count()))


@pytest.mark.parametrize("page", PAGE_IDS)
def test_no_number_has_a_hyphen(make_window, page):
    window, found = make_window(), []
    window.show_page(page)
    for ready in presets_of(page):
        window.show_preset(ready)
        if page == "lab":
            window.page.open_drawer(True)
        found += [text for text in texts_of(window) if HYPHEN.search(text)]
    assert not found, "\n".join(found)
