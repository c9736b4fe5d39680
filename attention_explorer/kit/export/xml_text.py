"""Text for XML: that of SVG files, and what PDF files say about themselves."""

from __future__ import annotations

import re

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def xml_text(text: str) -> str:
    """Return a text with a sign in place of each character that XML cannot hold: a token may be any character."""
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
