"""The table of the families says of each what its small models show."""

from __future__ import annotations

import re

from families_table import TABLE, written
from test_forward_pass import CLOSE_NUMBERS, CLOSE_T5

from attention_explorer.sources.models.families import FAMILIES
from attention_explorer.sources.models.gguf_families import ARCHITECTURES

NUMBER = re.compile(r"\d+e-\d+")


def test_the_table_is_as_it_would_be_written_now() -> None:
    """But for its deviations, which other processors have others of."""
    table = TABLE.read_text(encoding="utf-8")
    assert NUMBER.sub("?", table) == NUMBER.sub("?", written())
    rows = [line.split(" | ") for line in table.splitlines() if " | folder | " in line or " | .gguf | " in line]
    assert {row[0] for row in rows} == {f"| {name}" for name in FAMILIES}
    assert sum(row[1] == ".gguf" for row in rows) == len(ARCHITECTURES)
    assert all(float(row[2]) <= CLOSE_T5 and float(row[3]) <= CLOSE_NUMBERS for row in rows)
