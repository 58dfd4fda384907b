"""The judge of ``efficiency``: one test a scale, of a ratio of means against the least efficiency."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from steelyard.claims.draft import Draft, Undecided
from steelyard.claims.evidence import Evidence
from steelyard.claims.observed import Observed
from steelyard.claims.verdict import Instance
from steelyard.core.series import Series
from steelyard.core.units import Scalar
from steelyard.extensions.efficiency.claims import EfficiencyClaim
from steelyard.extensions.efficiency.estimand import log_error, measure_efficiency
from steelyard.extensions.efficiency.results import EfficiencyPoint, NotComputed
from steelyard.extensions.growth.scales_judging import chosen
from steelyard.results.interval import Interval
from steelyard.stats.distributions.student import t_quantile, two_sided_p


class EfficiencyEvidence(Evidence, frozen=True):
    """The efficiency at one scale, with its interval at ``level``."""

    metric: str
    parameter: str
    at: float
    efficiency: float | None
    interval: Interval | None
    level: float
    p: float | None
    launches: int
    reason: str | None = None


def judge_efficiency(claim: EfficiencyClaim, observed: Observed) -> Draft:
    """Test each scale up to the one that is named.

    Raises
    ------
    UsageError
        ``where`` leaves no function.
    """
    every = observed.series(claim.efficiency, (claim.parameter,) if claim.parameter else ())
    tested: list[Undecided] = []
    settled: list[Instance] = []
    for series in chosen(every, claim.where, f"efficiency = {claim.efficiency!r}: where"):
        answer = measure_efficiency(series, claim.scaling, claim.at_least)
        if isinstance(answer, NotComputed):
            settled.append(_open(series, series.labels, 0.0, answer.reason))
            continue
        name, scales = answer.parameter, [point.at for point in answer.points]
        open_from = answer.open_from
        last = (open_from or scales[-1]) if claim.up_to is None else claim.up_to
        if open_from is not None and open_from <= last:
            stratum = {**series.labels, name: _get_level(open_from)}
            settled.append(_open(series, stratum, open_from, answer.missing))
        elif last not in scales[1:]:
            measured = ", ".join(f"{scale:g}" for scale in scales)
            reason = f"{name} = {last:g} was not measured beyond the base ({measured} were)"
            settled.append(_open(series, {**series.labels, name: _get_level(last)}, last, reason))
            continue
        for point, observation in zip(answer.points[1:], series.points[1:], strict=False):
            if point.at > last:
                break
            stratum = {**series.labels, name: _get_level(point.at)}
            error = log_error(series.points[0], observation)
            if error is None:
                reason = "one value at a scale or at the base: nothing tells its spread"
                settled.append(_open(series, stratum, point.at, reason))
                continue
            tested.append(_test(series, point, stratum, claim.at_least, error))
    return Draft(tuple(tested), tuple(settled))


def _test(
    series: Series,
    point: EfficiencyPoint,
    stratum: Mapping[str, Scalar],
    least: float,
    error: tuple[float, float],
) -> Undecided:
    se, freedom = error
    distance = math.log(point.efficiency / least)
    exact = 0.0 if distance else 1.0
    p = two_sided_p(distance / se, freedom) if se else exact
    blank = EfficiencyEvidence(
        series.metric, series.parameters[0], point.at, point.efficiency, None, 0.0, p, point.launches
    )
    evidence = partial(_at_level, blank, point.efficiency, error)
    return Undecided(stratum, "holds" if distance >= 0 else "fails", p, evidence)


def _at_level(
    blank: EfficiencyEvidence, efficiency: float, error: tuple[float, float], level: float
) -> EfficiencyEvidence:
    se, freedom = error
    reach = t_quantile(freedom, level) * se if se else 0.0
    interval = Interval(efficiency * math.exp(-reach), efficiency * math.exp(reach))
    return replace(blank, interval=interval, level=level)


def _get_level(scale: float) -> Scalar:
    """Return a scale as factors have it: whole numbers without a point."""
    return int(scale) if scale.is_integer() else scale


def _open(series: Series, stratum: Mapping[str, Scalar], at: float, reason: str) -> Instance:
    name = series.parameters[0] if series.parameters else ""
    evidence = EfficiencyEvidence(series.metric, name, at, None, None, 0.05, None, 0, reason)
    return Instance(stratum, "not_judged", evidence)
