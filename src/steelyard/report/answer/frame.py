"""An answer as rows, for data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steelyard.results.document import plain

if TYPE_CHECKING:
    from steelyard.results.analysis import Answer


def list_rows(answer: Answer) -> list[dict[str, Any]]:
    """One mapping for each comparison, or for each sample where nothing is compared."""
    if not answer.comparisons:
        names = ("n", "mean", "median", "s", "u", "min", "max")
        return [
            {"treatment": sample.treatment.label, "metric": sample.metric.name}
            | {name: getattr(sample.summary, name) for name in names}
            for sample in answer.samples
        ]
    rows = []
    for comparison in answer.comparisons:
        ratio = plain(comparison)["speedup"]
        low, high = ratio["ci95"] or (None, None)
        rows.append(
            {
                "treatment": comparison.treatment.label,
                "baseline": comparison.baseline.label,
                "metric": comparison.metric.name,
                **comparison.labels,
                "speedup": ratio["value"],
                "low": low,
                "high": high,
                "p_holm": comparison.p_holm,
                "verdict": comparison.verdict,
                "blocks": comparison.blocks,
            }
        )
    return rows
