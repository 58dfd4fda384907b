"""How a run came to its end, in a sentence: what was wanted, what was reached, and where it was looked at."""

from __future__ import annotations

from typing import Final

from steelyard.answers.analysis import DesignFacts
from steelyard.report.text.digits import percent
from steelyard.report.text.label import listed

MOST_LOOKS: Final = 6


def sentence(design: DesignFacts) -> str:
    """Empty where no stop rule looked, or the run goes on."""
    if design.target is None or design.reached is None or not design.looks:
        return ""
    if design.state not in ("complete", "precision_not_reached"):
        return ""
    shown = [str(blocks) for blocks in design.looks]
    if len(shown) > MOST_LOOKS:
        shown = [*shown[:2], "…", *shown[-2:]]
    at = listed(shown, MOST_LOOKS)
    rule = " (strict)" if design.strict else ""
    return (
        f"intervals reach at most {percent(design.reached)} to either side, {percent(design.target)}"
        f" wanted{rule}; looked at after {at} blocks"
    )
