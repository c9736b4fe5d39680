"""Numbers as people read them: short, signed and tabular; the full value is for the read-out and for copying."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from attention_explorer.errors import ExplorerError, quoted

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MINUS = "−"


def subscript(index: int) -> str:
    """Return a number as subscript digits: 12 → ₁₂."""
    return str(index).translate(SUBSCRIPTS)


def counted(count: int, noun: str) -> str:
    """Return how many there are of something: 1 head, 8 heads, 0 heads."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(words: Iterable[str], most: int | None = None) -> str:
    """Return words as a sentence lists them: a, b and c; of more than ``most``, the first, and how many more."""
    shown = list(words)
    if most is not None and len(shown) > most:
        shown = [*shown[:most], f"{len(shown) - most} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def superscript(exponent: int) -> str:
    """Return a number as superscript digits: −12 → ⁻¹²."""
    return str(exponent).translate(_SUPERSCRIPTS)


def signed(number: float, decimals: int = 2) -> str:
    """Return +1.78 or −0.40; a number that rounds to nothing has a plus sign; very large ones in powers of ten."""
    if math.isnan(number):
        return "nan"
    return ("+" if number >= 0 or _rounds_to_zero(number, decimals) else MINUS) + _magnitude(number, decimals)


def plain(number: float, decimals: int = 2) -> str:
    """Return 1.78 or −0.40."""
    return (MINUS if number < 0 and not _rounds_to_zero(number, decimals) else "") + _magnitude(number, decimals)


def _rounds_to_zero(number: float, decimals: int) -> bool:
    return abs(number) < 0.5 * 10.0**-decimals


def _magnitude(number: float, decimals: int) -> str:
    if math.isinf(number):
        return "∞"
    return f"{abs(number):.{decimals}f}" if not abs(number) >= 1e5 else _in_powers_of_ten(abs(number), 2)


def full(number: float) -> str:
    """Return the shortest text that reads back as the same float64."""
    return repr(float(number)).replace("-", MINUS).replace("inf", "∞")


def exact(number: float) -> str:
    """Return the same without a decimal point where there is nothing behind it: 6, 0, −2.5."""
    return "0" if number == 0 else full(number).removesuffix(".0")


def coordinate(number: float, digits: int = 7) -> str:
    """Return a coordinate exactly where that is short (1.4, and with 7 digits 1.0000001), else to so many digits."""
    exact = full(number)
    short = len(exact.removeprefix(MINUS)) <= digits + 2
    return exact.removesuffix(".0") if short else f"{number:.{digits}g}".replace("-", MINUS)


def readable(number: float, digits: int = 6) -> str:
    """Return a number to read: exactly where that is short (0.5), else with so many digits: 0.0693730, 3.26042·10⁻⁶⁵.

    Zeros at the end say that there are digits behind them: 1.00000 is not 1.
    """
    text, size, sign = exact(number), abs(number), MINUS * (number < 0)
    if not math.isfinite(number) or number == 0:
        return text
    if 1e-4 <= size < 10.0**digits:
        is_short = sum(letter.isdigit() for letter in text.removeprefix(f"{sign}0.")) <= digits
        return text if is_short else sign + f"{size:#.{digits}g}".removesuffix(".")
    mantissa, _, power = _in_powers_of_ten(size, digits - 1).partition("·")
    is_short = float(f"{size:.{digits - 1}e}") == size
    return f"{sign}{mantissa.rstrip('0').removesuffix('.') if is_short else mantissa}·{power}"


def _in_powers_of_ten(size: float, decimals: int) -> str:
    mantissa, exponent = f"{size:.{decimals}e}".split("e")
    return f"{mantissa}·10{superscript(int(exponent))}"


def compact(number: float, *, sign: bool = False) -> str:
    """Return a number in few characters: +1.777, −1424.2, −1.2·10¹¹; the larger, the fewer decimals."""
    size = abs(number)
    if size < 1e3:
        return (signed if sign else plain)(number, 3 if size < 100 else 2)
    text = f"{size:.1f}" if size < 1e4 else f"{size:.0f}"
    if size >= 1e6:
        text = _in_powers_of_ten(size, 1)
    return (MINUS if number < 0 else "+" if sign else "") + text


def percent(weight: float) -> str:
    """Return a weight as a whole percentage; never 0 % or 100 % for a weight that is neither."""
    if 0 < weight <= 0.005:
        return "<1 %"
    if 0.995 <= weight < 1:
        return ">99 %"
    return f"{round(weight * 100)} %"


def grouped(number: int) -> str:
    """Return a whole number with every digit: 1024, −10, 1 048 576."""
    text = str(number) if abs(number) < 10_000 else f"{number:,}".replace(",", "\N{NO-BREAK SPACE}")
    return text.replace("-", MINUS)


def vector(components: tuple[float, ...], decimals: int = 2) -> str:
    """Return (+1.78, +0.37), or +12.69 for a single number."""
    text = ", ".join(signed(component, decimals) for component in components)
    return text if len(components) == 1 else f"({text})"


def weight_text(weight: float, decimals: int = 4) -> str:
    """Return a weight: 0.3817; 0 and 1 only for exactly these, and <0.0001 for what would round to 0."""
    if weight in (0.0, 1.0):
        return exact(weight)
    smallest = 10.0**-decimals
    return f"<{smallest:.{decimals}f}" if 0 < weight < 0.5 * smallest else plain(weight, decimals)


def round_step(least: float) -> float:
    """Return the smallest of 1, 2, 5 × 10ⁿ that is no smaller than so much, but for rounding."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-12))


def size_text(size: float) -> str:
    """Return how large a difference is: 0, 3.38, 0.961 or 3.55·10⁻¹⁵; 0 is written only for exactly 0."""
    if size == 0:
        return "0"
    if not math.isfinite(size):
        return "NaN" if math.isnan(size) else "∞"
    if not 1e-3 <= size < 1e5:
        return scientific(size)
    return plain(size, 3 if size < 1 else 2 if size < 100 else 1)


def scientific(number: float, decimals: int = 2) -> str:
    """Return a positive number with four significant digits: 18.54, or in powers of ten: 2.06·10⁻⁹."""
    if number == 0 or 1e-3 <= number < 1e5:
        return f"{number:.4g}" if number < 1000 else f"{number:.1f}"
    return _in_powers_of_ten(number, decimals)


def parsed_number(text: str) -> float:
    """Read a number as people type it: "1.4", "−0.4", "1,4", "1e-3".

    Raises
    ------
    ExplorerError
        It is not a finite number, or could be two.
    """
    cleaned = _SPACE_BETWEEN_GROUPS.sub("", text.strip()).translate(_AS_PYTHON_WRITES)
    if _MAY_BE_THOUSANDS.fullmatch(cleaned):
        raise ExplorerError(
            f"{quoted(text)} can be read in two ways: type {cleaned.replace(',', '')} or {cleaned.replace(',', '.')}."
        )
    if cleaned.count(",") == 1 and "." not in cleaned:
        cleaned = cleaned.replace(",", ".")
    try:
        number = math.nan if "_" in cleaned else float(cleaned)  # 1_000 is a number to Python alone
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise ExplorerError(f"{quoted(text)} is not a number. Type one such as 1.4 or −0.25.")
    if math.isinf(number):
        what = "is too large a number" if any(map(str.isdigit, cleaned)) else "is not a finite number"
        raise ExplorerError(f"{quoted(text)} {what}. Type one such as 1.4 or −0.25.")
    return number + 0.0  # −0 is 0


_AS_PYTHON_WRITES = str.maketrans("−﹣－٫，．", "---.,.")
_SPACE_BETWEEN_GROUPS = re.compile(r"(?<=\d)\s(?=\d{3}(?!\d))|(?<=^[-+−])\s+")
"""That of 1 048 576, as the program writes it too, and one after a sign; 3 4 is two numbers, pasted together."""
_MAY_BE_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")
"""1,250 is a thousand and more in one country and one and a quarter in the next."""


# ---- Large numbers ----
# Grouped in threes, bytes in KiB, MiB, GiB, operations in MFLOP, GFLOP.


SPACE = "\N{NO-BREAK SPACE}"
_BYTES = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_THOUSANDS = ("", "k", "M", "G", "T", "P", "E", "Z")


def three_digits(number: float) -> str:
    """Return a number from 0 to below 10000 with three digits, or all before its point: 4.69, 37.3, 1023."""
    return f"{number:.0f}" if number >= 999.5 else f"{number:.3g}"


def memory_words(count: int) -> str:
    """Return bytes as 4 MiB, 4.69 GiB, 37.3 GiB: one KiB is 1024 bytes."""
    return _in_units(count, 1024, _BYTES)


def operation_words(count: float) -> str:
    """Return operations as 17.7 GFLOP."""
    return f"{short_count(count)}FLOP"


def short_count(count: float) -> str:
    """Return a number as 1.05 M, with the unit to follow at once."""
    return _in_units(count, 1000, _THOUSANDS)


def _in_units(count: float, step: int, units: tuple[str, ...]) -> str:
    """Return a number in the first unit in which it is below ``step``, each being ``step`` times the one before."""
    size = float(count)
    for unit in units[:-1]:
        if size < step - 0.5:
            return f"{three_digits(size)}{SPACE}{unit}"
        size /= step
    return f"{three_digits(size) if size < 1e4 else scientific(size)}{SPACE}{units[-1]}"


def ratio_words(ratio: float) -> str:
    """Return a factor as × 4, × 2.364."""
    return f"×{SPACE}{f'{ratio:.3f}'.rstrip('0').rstrip('.')}"


def measured_ratio(ratio: float) -> str:
    """Return a factor between two times, which has no more than two digits worth saying: × 3.7."""
    return f"×{SPACE}{ratio:.1f}" if ratio < 9.95 else f"×{SPACE}{ratio:.0f}"


def share_words(share: float) -> str:
    """Return a share of the whole: 11.4 %, <0.1 %."""
    if 0 < share < 0.0005:
        return f"<0.1{SPACE}%"
    if 0.9995 <= share < 1:
        return f">99.9{SPACE}%"
    return f"{100 * share:.1f}{SPACE}%"


def time_words(seconds: float) -> str:
    """Return a time as 0.84 ms, 12.3 ms, 1.54 s."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.3g}{SPACE}µs"
    return f"{seconds * 1e3:.3g}{SPACE}ms" if seconds < 0.9995 else f"{three_digits(seconds)}{SPACE}s"
