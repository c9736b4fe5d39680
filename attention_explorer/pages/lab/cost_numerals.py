"""Large numbers as people read them: grouped in threes, bytes in KiB, MiB, GiB, operations in MFLOP, GFLOP."""

from __future__ import annotations

from attention_explorer.core.numerals import scientific

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
