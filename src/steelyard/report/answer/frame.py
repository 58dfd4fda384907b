"""An answer as rows, for data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steelyard.answers.document import plain

if TYPE_CHECKING:
    from steelyard.answers.analysis import Answer


def list_rows(answer: Answer) -> list[dict[str, Any]]:
    """One mapping for each comparison, or for each sample where nothing is compared."""
    if not answer.comparisons:
        names = ("n", "mean", "median", "s", "u", "min", "max")
        return [
            {"treatment": each.treatment.label, "metric": each.metric.name}
            | {name: getattr(each.summary, name) for name in names}
            for each in answer.samples
        ]
    found = []
    for each in answer.comparisons:
        ratio = plain(each)["speedup"]
        low, high = ratio["ci95"] or (None, None)
        found.append(
            {
                "treatment": each.treatment.label,
                "baseline": each.baseline.label,
                "metric": each.metric.name,
                **each.labels,
                "speedup": ratio["value"],
                "low": low,
                "high": high,
                "p_holm": each.p_holm,
                "verdict": each.verdict,
                "blocks": each.blocks,
            }
        )
    return found
