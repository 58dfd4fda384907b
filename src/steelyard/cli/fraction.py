"""``SHARE``: a part of a whole, as options take it."""

from __future__ import annotations

import click


def share(value: str | float) -> float:
    """A number between 0 and 1, both left out, also as a percentage: ``0.02``, ``2%``.

    Raises
    ------
    click.BadParameter
        It is none.
    """
    text = str(value).strip()
    try:
        number = float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is no share: write 0.02 or 2%") from None
    if not 0 < number < 1:
        raise click.BadParameter(f"{text} is not between 0 and 1: write 0.02 or 2%")
    return number
