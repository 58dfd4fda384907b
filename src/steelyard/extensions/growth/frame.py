"""Models as rows, for data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steelyard.extensions.growth.scaling.model import NotModelled, ScalingModel


def list_rows(models: Sequence[ScalingModel], failed: Sequence[NotModelled]) -> list[dict[str, Any]]:
    """One mapping for each function and metric; those without a model say why under ``refused``."""
    return [
        *map(_get_row, models),
        *(
            {"function": series.name, "metric": series.metric, **series.labels, "refused": series.reason}
            for series in failed
        ),
    ]


def _get_row(model: ScalingModel) -> dict[str, Any]:
    validation = model.validation
    return {
        "function": model.name,
        "metric": model.metric,
        **model.labels,
        "growth": model.growth(),
        "sure": model.growth_probability,
        "model": model.text(),
        "unit": model.unit,
        "points": model.points,
        "lack_of_fit_p": model.lack_of_fit,
        "expectation": None if validation is None else (validation.expectation or validation.at_most),
        "rank": None if validation is None else validation.rank,
        "rank_sure": model.rank_probability,
        "refused": None,
    }
