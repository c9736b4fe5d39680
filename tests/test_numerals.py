"""Numbers as text: short, signed, never telling an untruth."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_explorer.core.numerals import (
    MINUS,
    compact,
    coordinate,
    full,
    percent,
    plain,
    readable,
    scientific,
    signed,
    subscript,
    vector,
)

quick = settings(max_examples=50, deadline=None)

_ASCII = str.maketrans("−∞₀₁₂₃₄₅₆₇₈₉⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-i0123456789-0123456789")


def parsed(text: str) -> float:
    """Return the number that a text says, in whichever of the notations."""
    mantissa, _, exponent = text.translate(_ASCII).replace("i", "inf").partition("·10")
    return float(mantissa) * 10.0 ** int(exponent or 0)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.7772969, "+1.78"),
        (-0.4, "−0.40"),
        (0.0, "+0.00"),
        (-0.0, "+0.00"),
        (-0.004, "+0.00"),
        (-0.0051, "−0.01"),
        (0.004, "+0.00"),
        (-1e-300, "+0.00"),
        (99999.0, "+99999.00"),
        (123456.0, "+1.23·10⁵"),
        (-1e6, "−1.00·10⁶"),
        (1e300, "+1.00·10³⁰⁰"),
        (math.inf, "+∞"),
        (-math.inf, "−∞"),
    ],
)
def test_signed_and_plain(number: float, text: str) -> None:
    assert signed(number) == text
    assert plain(number) == text.removeprefix("+")


@pytest.mark.parametrize(
    ("number", "decimals", "text"),
    [(2.92, 0, "+3"), (0.36702731561088264, 3, "+0.367"), (-0.0004, 3, "+0.000"), (-12.68942, 4, "−12.6894")],
)
def test_signed_with_other_decimals(number: float, decimals: int, text: str) -> None:
    assert signed(number, decimals) == text


def test_signed_nan_has_no_sign() -> None:
    assert signed(math.nan) == plain(math.nan) == "nan"


@quick
@given(st.floats(-1e12, 1e12), st.integers(1, 4))
def test_short_texts_say_the_number_to_their_decimals(number: float, decimals: int) -> None:
    for text in (signed(number, decimals), plain(number, decimals)):
        tolerance = 0.5000001 * 10.0**-decimals if abs(number) < 1e5 else 0.0051 * abs(number)
        assert abs(parsed(text) - number) <= tolerance
        assert "-" not in text.replace("e-", ""), "a minus sign is typeset as one"
        assert not (text.startswith(MINUS) and parsed(text) == 0), "nothing has no minus sign"
    assert signed(number, decimals).removeprefix("+") == plain(number, decimals)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1.0"),
        (-0.1, "−0.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (0.907207046882843, "0.907207046882843"),
        (1e-7, "1e−07"),
        (-0.0, "−0.0"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "nan"),
    ],
)
def test_full(number: float, text: str) -> None:
    assert full(number) == text


@quick
@given(st.floats(allow_nan=False))
def test_full_reads_back_as_the_same_float(number: float) -> None:
    assert parsed(full(number)) == number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.4, "1.4"),
        (-0.4, "−0.4"),
        (2.0, "2"),
        (0.0, "0"),
        (-3.0, "−3"),
        (1.0000001, "1.0000001"),
        (0.1 + 0.2, "0.3"),
        (1 / 3, "0.3333333"),
        (-2 / 3, "−0.6666667"),
        (1e-7, "1e−07"),
        (1e6, "1000000"),
        (-1e6, "−1000000"),
        (123456.789, "123456.8"),
    ],
)
def test_coordinates(number: float, text: str) -> None:
    assert coordinate(number) == text


@pytest.mark.parametrize("number", [1.0000001, 12.000001])
def test_a_negative_coordinate_has_as_many_digits_as_a_positive_one(number: float) -> None:
    positive = coordinate(number)
    assert coordinate(-number) == MINUS + positive


@quick
@given(st.floats(-1e6, 1e6))
def test_coordinates_keep_seven_digits(number: float) -> None:
    assert parsed(coordinate(number)) == pytest.approx(number, rel=5.1e-7, abs=0)


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.907207, "91 %"),
        (0.092793, "9 %"),
        (0.5, "50 %"),
        (1e-300, "<1 %"),
        (0.0049, "<1 %"),
        (0.0051, "1 %"),
        (0.9949, "99 %"),
        (0.9951, ">99 %"),
        (math.nextafter(1.0, 0.0), ">99 %"),
    ],
)
def test_percent(weight: float, text: str) -> None:
    assert percent(weight) == text


@pytest.mark.parametrize("weight", [0.005, 0.995])
def test_half_a_percent_is_neither_nothing_nor_all(weight: float) -> None:
    assert percent(weight) not in ("0 %", "100 %")


@quick
@given(st.floats(0, 1).filter(lambda w: w not in (0.005, 0.995)))
def test_percent_is_0_or_100_only_for_0_and_1(weight: float) -> None:
    assert (percent(weight) == "0 %") == (weight == 0)
    assert (percent(weight) == "100 %") == (weight == 1)
    if percent(weight)[0].isdigit():
        assert int(percent(weight)[:-2]) == pytest.approx(weight * 100, abs=0.5000001)


def test_vectors() -> None:
    assert vector((1.7772969, 0.36702)) == "(+1.78, +0.37)"
    assert vector((-0.001, -2.0), 1) == "(+0.0, −2.0)"
    assert vector((12.689414213699951,)) == "+12.69"
    assert vector((12.689414213699951,), 3) == "+12.689"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (18.5412, "18.54"),
        (0.001, "0.001"),
        (0.12345678, "0.1235"),
        (999.94, "999.9"),
        (1234.56, "1234.6"),
        (99999.0, "99999.0"),
        (2.0611536e-9, "2.06·10⁻⁹"),
        (0.000999, "9.99·10⁻⁴"),
        (123456.0, "1.23·10⁵"),
        (1.7976931348623157e308, "1.80·10³⁰⁸"),
        (5e-324, "4.94·10⁻³²⁴"),
    ],
)
def test_scientific(number: float, text: str) -> None:
    assert scientific(number) == text


@quick
@given(st.floats(1e-300, 1e300))
def test_scientific_says_the_number_to_three_digits(number: float) -> None:
    assert parsed(scientific(number)) == pytest.approx(number, rel=5.01e-3)


@pytest.mark.parametrize(("index", "text"), [(0, "₀"), (1, "₁"), (12, "₁₂"), (1234567890, "₁₂₃₄₅₆₇₈₉₀")])
def test_subscripts(index: int, text: str) -> None:
    assert subscript(index) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.7772969, "+1.777"),
        (-0.0001, "+0.000"),
        (12.689414, "+12.689"),
        (-123.456, "−123.46"),
        (-1424.2, "−1424.2"),
        (-123456.789, "−123457"),
        (-1.23456e11, "−1.2·10¹¹"),
        (1e300, "+1.0·10³⁰⁰"),
    ],
)
def test_compact_numbers_keep_their_sign_and_are_short(number: float, text: str) -> None:
    assert compact(number, sign=True) == text
    assert len(text) <= 10
    assert compact(number) == text.removeprefix("+")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0693729998515538, "0.0693730"),
        (0.5, "0.5"),
        (-2.0, "−2"),
        (0.99999999999, "1.00000"),
        (-1234.56789, "−1234.57"),
        (123456.789, "123457"),
        (1234567.8, "1.23457·10⁶"),
        (3.2e-65, "3.2·10⁻⁶⁵"),
        (-3.26042001e-65, "−3.26042·10⁻⁶⁵"),
        (-math.inf, "−∞"),
        (math.nan, "nan"),
    ],
)
def test_a_readable_number_has_six_digits_and_one_kind_of_exponent(number: float, text: str) -> None:
    assert readable(number) == text


@pytest.mark.parametrize(("number", "text"), [(999_999.0, "999999"), (1e6, "1.0·10⁶"), (-2_340_000.0, "−2.3·10⁶")])
def test_from_a_million_on_a_compact_number_has_an_exponent(number: float, text: str) -> None:
    assert compact(number) == text
