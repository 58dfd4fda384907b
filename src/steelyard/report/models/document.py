"""The document ``steelyard/models``. History: version 1, the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from steelyard.growth import Growth
from steelyard.report.models.follow_ups import NOTHING, After
from steelyard.scaling.litmus import Cause
from steelyard.scaling.model import NotModelled, ScalingModel, Term, lead_text
from steelyard.scaling.rules import RuleAnswer

FORMAT: Final = "steelyard/models"
VERSION: Final = 1


def render(
    models: Sequence[ScalingModel],
    failed: Sequence[NotModelled],
    rules: Sequence[RuleAnswer],
    causes: Sequence[Cause | None],
    after: After = NOTHING,
) -> str:
    """The document as indented text."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "models": [entry(model, blamed) for model, blamed in zip(models, causes, strict=True)],
        "rules": [
            {
                "rule": rule.rule, "verdict": rule.verdict, "probability": rule.probability,
                "breaks_at": rule.breaks_at, "measured": rule.measured,
            }
            for rule in rules
        ],
        "limits": [
            {
                "name": model.name, "metric": model.metric, "limit": found.limit,
                "parameter": found.parameter, "breaks_at": found.at,
                "interval95": [found.earliest, found.latest],
            }
            for model, found in after.limits
        ],
        "versus": [
            {
                "function": found.function.name, "other": found.other.name, "metric": found.function.metric,
                "at": dict(zip(found.function.parameters, found.at, strict=True)), "ratio": found.ratio,
                "interval95": [found.low, found.high], "larger": found.larger,
                "divergence": found.divergence.big_o(found.function.parameters[0]),
                "grows_faster": found.grows_faster, "grows_alike": found.grows_alike,
            }
            for found in after.versus
        ],
        "suggestions": [
            {
                "name": model.name, "metric": model.metric,
                "points": [
                    {
                        "at": dict(zip(model.parameters, one.at, strict=True)), "certainty": one.certainty,
                        "cost": one.cost, "settles": one.settles,
                    }
                    for one in found
                ],
            }
            for model, found in after.suggestions
        ],
        "not_modelled": [
            {"name": one.name, "metric": one.metric, "labels": dict(one.labels), "reason": one.reason}
            for one in failed
        ],
    }  # fmt: skip
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def entry(model: ScalingModel, blamed: Cause | None = None) -> dict[str, Any]:
    """One model."""
    v = model.validation
    return {
        "name": model.name,
        "labels": dict(model.labels),
        "metric": model.metric,
        "unit": model.unit,
        "parameters": list(model.parameters),
        "points": model.points,
        "launches": model.launches,
        "method": model.method,
        "aggregate": model.aggregate,
        "noise_law": model.noise_law,
        "model": model.text(),
        "growth": model.growth(),
        "terms": _terms(model.terms, model.parameters),
        "constant": model.constant,
        "segments": [
            {
                "start": s.start,
                "end": s.end,
                "constant": s.constant,
                "terms": _terms(s.terms, model.parameters),
            }
            for s in model.segments
        ],
        "posterior": model.posterior,
        "alternatives": [
            {"growth": lead_text(lead, model.parameters), "posterior": p} for lead, p in model.alternatives
        ],
        "lack_of_fit_p": model.lack_of_fit,
        "r2_adjusted": model.r2,
        "expectation": v.expectation if v else None,
        "deviation": v.deviation if v else None,
        "divergence": v.divergence.big_o(v.parameter) if v else None,
        "rank": v.rank if v else None,
        "rank_at": {v.parameter: v.scale, "rank": v.rank_at_scale} if v and v.scale is not None else None,
        "rank_probability": (
            {
                "match": v.probability.match,
                "approximate": v.probability.approximate,
                "none": v.probability.none,
            }
            if v
            else None
        ),
        "cause": blamed,
        "predictions": [
            {
                "at": dict(zip(model.parameters, p.at, strict=True)),
                "value": p.value,
                "interval95": [p.low, p.high] if p.low is not None else None,
            }
            for p in model.predictions
        ],
        "simulated": model.simulated,
        "warnings": [{"kind": w.kind, "words": w.words} for w in model.warnings],
    }


def _terms(terms: Sequence[Term], parameters: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "coefficient": term.coefficient,
            "exponents": {name: _exponents(g) for name, g in zip(parameters, term.growth, strict=True)},
        }
        for term in terms
    ]


def _exponents(growth: Growth) -> Mapping[str, str]:
    return {"power": str(growth.power), "log": str(growth.log), "exp2": str(growth.exp2)}
