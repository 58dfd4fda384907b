"""What may be said of a model, by where its values come from."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from steelyard.core.series import Series
from steelyard.extensions.growth.scaling.model import ModelWarning, NotModelled, RankAnswer, ScalingModel

_SIMULATED = "simulated: values of a computed machine, not a measurement"
_CENSORED = (
    "runs timed out, or failed more often at some points than at others: the remaining runs are a biased"
    " sample; no rank is given"
)
SHOWN: Final = 3
"""Missing values that are named."""
CROWDED = "oversubscribed (more ranks than CPUs): times are not judged"


def describe_missing(series: Series) -> str:
    """Say why values of an incomplete series are missing: the scales without a value, or failures."""
    if not series.lost:
        return "failures"
    text = ", ".join(series.lost[:SHOWN]) + (
        f" and {len(series.lost) - SHOWN} more" if len(series.lost) > SHOWN else ""
    )
    return f"no value: {text}"


def note_provenance(answer: ScalingModel | NotModelled, series: Series) -> ScalingModel | NotModelled:
    """Return the answer, with a word on simulated values.

    It has no rank where ranks shared CPUs, or where runs are missing that were not missed by chance.
    """
    if isinstance(answer, NotModelled):
        return answer
    if series.simulated:
        answer = replace(answer, warnings=(*answer.warnings, ModelWarning("simulated", _SIMULATED)))
    notes = [ModelWarning("crowded", f"{CROWDED}; no rank is given")] if series.crowded else []
    notes += [ModelWarning("failures", _CENSORED)] if series.censored else []
    if series.lost:
        notes.append(ModelWarning("left_out", f"{describe_missing(series)}; no rank is given"))
    if not notes:
        return answer
    validation = answer.validation
    if validation is not None:
        rank_there: RankAnswer | None = None if validation.rank_at_scale is None else "undecided"
        validation = replace(validation, rank="undecided", rank_at_scale=rank_there)
    return replace(answer, validation=validation, warnings=(*answer.warnings, *notes))
