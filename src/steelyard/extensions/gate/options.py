"""Values of options that name a metric: ``--margin allocs=0``, ``--better hits=higher``."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.core.errors import UsageError
from steelyard.core.units import Better, read_side


def read_margins(texts: Sequence[str]) -> tuple[float | None, dict[str, float]]:
    """Return the margin of times, where there is one, and those of metrics by name.

    Raises
    ------
    UsageError
        One is no fraction, below 0 or given twice; that of times is 0.
    """
    general: float | None = None
    margins: dict[str, float] = {}
    for text in texts:
        name, sign, number = text.rpartition("=")
        value = _read_fraction(text, number if name or not sign else text)
        if sign and name not in margins:
            margins[name] = value
        elif not sign and general is None:
            general = value
        else:
            raise UsageError(f"--margin {text}: a second margin of one metric", hint="leave one of them out")
    if general == 0:
        raise UsageError("--margin 0: times never repeat to the digit", hint="--margin allocs=0, for a count")
    return general, margins


def read_sides(texts: Sequence[str]) -> dict[str, Better]:
    """Return which way is better, by metric.

    Raises
    ------
    UsageError
        One is neither lower nor higher.
    """
    sides: dict[str, Better] = {}
    for text in texts:
        name, _, word = text.rpartition("=")
        side = read_side(word)
        if not name or side is None or side == "neither":
            raise UsageError(f"--better {text}: NAME=lower or NAME=higher", hint="--better hits=higher")
        sides[name] = side
    return sides


def _read_fraction(text: str, number: str) -> float:
    try:
        value = float(number[:-1]) / 100 if number.endswith("%") else float(number)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise UsageError(
            f"--margin {text}: expected a fraction such as 0.02 or 2%, below 1", hint="--margin allocs=0"
        )
    return value
