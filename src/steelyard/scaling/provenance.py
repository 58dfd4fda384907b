"""What may be said of a model, by where its values come from."""

from __future__ import annotations

from dataclasses import replace

from steelyard.scaling.model import ModelWarning, NotModelled, RankAnswer, ScalingModel
from steelyard.series import Series

_SIMULATED = "simulated: values of a machine that was computed, and no measurement"
_CROWDED = "more ranks than CPUs: times are the work of all ranks together, and no rank is stated"


def of_provenance(answer: ScalingModel | NotModelled, series: Series) -> ScalingModel | NotModelled:
    """The answer, with a word on simulated values; without a rank where ranks shared CPUs."""
    if isinstance(answer, NotModelled):
        return answer
    if series.simulated:
        answer = replace(answer, warnings=(*answer.warnings, ModelWarning("simulated", _SIMULATED)))
    if not series.crowded:
        return answer
    found = answer.validation
    if found is not None:
        there: RankAnswer | None = None if found.rank_at_scale is None else "undecided"
        found = replace(found, rank="undecided", rank_at_scale=there)
    warnings = (*answer.warnings, ModelWarning("crowded", _CROWDED))
    return replace(answer, validation=found, warnings=warnings)
