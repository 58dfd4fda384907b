"""How often a treatment is better or worse, and whose slow runs keep a mean from saying so."""

from __future__ import annotations

from steelyard.report.text.label import plural, printable


def format_wait(needed: int, unit: str, bound: str) -> str:
    """``69 blocks would show slow runs that carry it over 3 %``."""
    return f"{plural(needed, unit)} would show slow runs that carry it over {bound}"


def format_typical(word: str, count: int, units: str, slow: str | None, slow_runs: int) -> str:
    """``slower in 19 of 20 blocks; one slow run of base``."""
    words = f"{word} in {count} of {units}"
    if slow is None:
        return words
    return (
        f"{words}; {'one slow run' if slow_runs == 1 else plural(slow_runs, 'slow run')} of {printable(slow)}"
    )
