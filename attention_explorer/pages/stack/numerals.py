"""Sizes over many powers of ten, as the pictures of the Layer page write them."""

from __future__ import annotations

from attention_explorer.core.numerals import superscript


def brief(number: float) -> str:
    """Return a number of at least 0 in three digits at most: 0.5, 11.9, 0.00316, 10⁻⁵, 3.8·10⁴."""
    if number == 0 or 1e-3 <= float(f"{number:.3g}") < 1000:
        return f"{number:.3g}"
    text = f"{number:.2e}"
    mantissa, _, exponent = text.partition("e")
    power = "10" + superscript(int(exponent))
    digits = f"{float(mantissa):g}"
    return power if digits == "1" else f"{digits}·{power}"
