"""Numbers as axes show them, by the formats of d3 that charts use."""

from __future__ import annotations

import math
from typing import Final

_PREFIXES: Final = "yzafpnµm kMGTPEZY"
"""A factor of a thousand each; the blank is 1."""
_DIGITS: Final = 6


def format_number(value: float, form: str = "") -> str:
    """Return a number with a true minus sign.

    Parameters
    ----------
    form : str
        ``~g``: six digits without zeros at the end; ``~s``: the same with a prefix of SI; ``%``: in percent;
        empty: with commas.

    Raises
    ------
    ValueError
        Another format.
    """
    number = float(value)
    if form == "~s":
        text = _format_prefixed(number)
    elif form == "%":
        text = f"{float(f'{100 * number:.6g}'):,.10g}%"
    elif form in ("~g", ""):
        text = _format_plain(number, "," if form == "" else "")
    else:
        raise ValueError(f"the format {form!r} is not understood")
    return f"−{text[1:]}" if text.startswith("-") else text


def _format_plain(number: float, comma: str) -> str:
    size = abs(number)
    if size and not 1e-6 <= size < 1e6 and not (comma and size < 1e9 and number.is_integer()):
        mantissa, _, exponent = f"{number:.{_DIGITS - 1}e}".partition("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent):+d}"
    digits = _DIGITS - 1 - math.floor(math.log10(size)) if size else 0
    text = f"{number:{comma}.{max(0, digits)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _format_prefixed(number: float) -> str:
    if not number:
        return "0"
    rounded = float(f"{number:.{_DIGITS - 1}e}")
    power = min(8, max(-8, math.floor(math.log10(abs(rounded)) / 3 + 1e-12)))
    return f"{_format_plain(rounded / 1000.0**power, '')}{_PREFIXES[power + 8]}".strip()
