"""``limit``: a mean stays within a bound; predicted where the scale was not measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from steelyard.claims.draft import Draft, Undecided
from steelyard.claims.evidence import BreaksEvidence, MeanEvidence
from steelyard.claims.mean import Mean, Runs, Tail, mean_of, runs_of, tail_of
from steelyard.claims.observed import Observed, has, levels_of
from steelyard.claims.verdict import Instance
from steelyard.core.errors import UsageError
from steelyard.core.extension import find_predictor, load
from steelyard.core.sample import Sample
from steelyard.core.series import Series
from steelyard.core.units import Scalar, is_number
from steelyard.results.interval import Interval
from steelyard.results.undefined import Undefined
from steelyard.spec.claims.limit import Limit
from steelyard.stats.compare.bound import refute
from steelyard.stats.compare.judgement import Judgement, Outcome

LEAST_POINTS = 3
"""Of a parameter, before its growth is looked at unasked."""


def judge_limit(claim: Limit, observed: Observed) -> Draft:
    """Judge by the interval of each mean, or by that of a prediction.

    Raises
    ------
    UsageError
        ``at`` names what no treatment has.
    """
    samples = observed.samples(claim.limit)
    levels, scale = _divide(claim, samples)
    if scale and claim.quantile is not None:
        raise UsageError(
            f"limit = {claim.limit!r}: quantile = {claim.quantile:g} at a scale that was not measured",
            hint="leave out quantile: a model predicts the mean; or name levels that were measured",
        )
    if scale:
        every = observed.series(claim.limit, tuple(scale))
        series = [member for member in every if has(member.labels, levels)]
        return Draft(
            settled=tuple(
                _predict(claim, member, scale, reason=_find_reason(member, samples, claim, observed))
                for member in series
            )
        )
    chosen = [sample for sample in samples if has(levels_of(sample), levels)]
    tested = tuple(_test(claim, sample, levels, observed) for sample in chosen)
    return Draft(tested, breaks=() if claim.at or claim.quantile else _get_breaks(claim, samples, observed))


def _divide(claim: Limit, samples: Sequence[Sample]) -> tuple[dict[str, Scalar], dict[str, float]]:
    """Levels of ``at``, divided into measured ones and scales that were not measured."""
    levels: dict[str, Scalar] = {}
    scale: dict[str, float] = {}
    for name, level in claim.at.items():
        measured = list(dict.fromkeys(v for s in samples if (v := levels_of(s).get(name)) is not None))
        if any(level == value for value in measured):
            levels[name] = level
        elif measured and all(map(is_number, (level, *measured))):
            scale[name] = float(level)
        else:
            text = ", ".join(map(str, measured[:8])) or "none"
            raise UsageError(
                f"limit = {claim.limit!r}: nothing was measured at {name} = {level!r}",
                hint=f"name a level of {name} that was measured: {text}",
            )
    return levels, scale


def _test(claim: Limit, sample: Sample, levels: Mapping[str, Scalar], observed: Observed) -> Undecided:
    sequential = observed.order == "sequential"
    mean = (
        mean_of(sample, sequential=sequential)
        if claim.quantile is None
        else tail_of(sample, claim.quantile, sequential=sequential)
    )
    bound = _bound(claim)
    failed = _any_failed([sample], claim, observed)
    judgement, refutation = _judge_mean(claim, mean, sample, bound), None
    runs = runs_of(sample, sequential=sequential) if claim.quantile is None else None
    if isinstance(runs, Runs):
        side: Literal["above", "below"] = "above" if claim.max is not None else "below"
        refutation = refute(runs.values, bound, side, in_time=runs.by != "context")
        judgement = refutation.close(judgement, observed.declared(claim.limit).alpha)
    p = judgement.p
    stratum = {name: level for name, level in levels_of(sample).items() if name not in levels}

    def evidence(level: float) -> MeanEvidence:
        estimate = None if isinstance(mean, Undefined) else mean
        is_decided = not failed and p is not None and p <= level
        reason = mean.reason if isinstance(mean, Undefined) and not is_decided else None
        return MeanEvidence(
            metric=sample.metric,
            treatment=sample.treatment.label,
            mean=estimate.value if estimate else None,
            s=estimate.s if estimate else None,
            u=estimate.u if estimate else None,
            interval=_compute_interval(estimate, bound, level) if estimate else None,
            level=level,
            p=p,
            n=estimate.n if estimate else refutation.n if refutation else 0,
            by=estimate.by if estimate else runs.by if isinstance(runs, Runs) else "block",
            reason="failures" if failed else reason,
            quantile=claim.quantile,
            unseen=mean.unseen(level) if isinstance(mean, Mean) and mean.slow_towards(bound) else None,
            units_needed=_compute_units_needed(mean, bound, level) if isinstance(mean, Mean) else None,
            decided_by=judgement.by if is_decided else None,
            beyond=refutation.beyond if refutation else None,
            median=refutation.median if refutation else None,
            scope=observed.scope(sample),
        )

    if failed or p is None:
        return Undecided(stratum, None, 1.0, evidence)
    return Undecided(stratum, judgement.indicated, p, evidence)


def _judge_mean(claim: Limit, mean: Mean | Tail | Undefined, sample: Sample, bound: float) -> Judgement:
    """Judge by the mean, or the quantile, alone."""
    if isinstance(mean, Undefined):
        return Judgement("not_resolved", None, None, None, 0.05, None)
    # At the bound itself, equal values keep it: "at most" is kept by what is equal.
    indicated: Literal["holds", "fails"] = "holds" if _is_kept(claim, mean.value) else "fails"
    if sample.provenance == "simulated" and mean.s == 0:
        p = 0.0  # A simulation gives the same value again, however often it is asked.
    else:
        p = 2.0 ** (1 - mean.n) if isinstance(mean, Mean) and mean.s == 0 else mean.p_of(bound)
    return Judgement("not_resolved", indicated, p, p, 0.05, None)


def _compute_interval(estimate: Mean | Tail, bound: float, level: float) -> Interval | None:
    """Return the interval, without unseen slow runs where the bound lies on the other side.

    They would speak for the verdict.
    """
    if isinstance(estimate, Tail) or estimate.s == 0 or estimate.slow_towards(bound):
        return estimate.interval(level)
    return estimate.observed_interval(level)


def _compute_units_needed(mean: Mean, bound: float, level: float) -> int | None:
    """Units that would decide by the runs that were seen; ``None`` where unseen ones leave nothing open."""
    if (
        not mean.slow_towards(bound)
        or mean.p_of_slow(bound) <= level
        or not mean.observed_interval(level).excludes(bound)
    ):
        return None
    return -(-mean.runs_to_exclude(bound, level) * mean.n // mean.runs)


def _is_kept(claim: Limit, value: float) -> bool:
    return value <= _bound(claim) if claim.max is not None else value >= _bound(claim)


def _any_failed(samples: Sequence[Sample], claim: Limit, observed: Observed) -> bool:
    """Return whether runs that failed (for want of memory, or of time) may be those beyond the limit."""
    ignored = observed.declared(claim.limit).failures == "ignore"
    return not ignored and any(sample.failures.failed for sample in samples)


def _is_failed(series: Series, samples: Sequence[Sample], claim: Limit, observed: Observed) -> bool:
    """Whether runs failed at any point of a series."""
    return _any_failed(
        [sample for sample in samples if has(levels_of(sample), series.labels)], claim, observed
    )


def _bound(claim: Limit) -> float:
    bound = claim.max if claim.max is not None else claim.min
    if bound is None:
        raise ValueError("a limit has max or min")
    return bound


def _find_reason(
    series: Series, samples: Sequence[Sample], claim: Limit, observed: Observed
) -> Literal["failures", "contexts"] | None:
    """Return why a prediction decides nothing: runs failed, or share a context that a model does not know."""
    if _is_failed(series, samples, claim, observed):
        return "failures"
    sequential = observed.order == "sequential"
    runs = [
        runs_of(sample, sequential=sequential) for sample in samples if has(levels_of(sample), series.labels)
    ]
    return "contexts" if any(isinstance(part, Runs) and part.by == "context" for part in runs) else None


def _predict(claim: Limit, series: Series, scale: Mapping[str, float], *, reason: str | None) -> Instance:
    predictor = find_predictor()
    if predictor is None:
        place = ", ".join(f"{name} = {level:g}" for name, level in scale.items())
        raise UsageError(
            f"limit = {claim.limit!r}: {place} was not measured, and no extension predicts values",
            hint="name levels that were measured",
        )
    interval, evidence = load(predictor.predict)(claim.limit, series, scale, reason=reason)
    return Instance(series.labels, "not_resolved" if reason else _make_outcome(claim, interval), evidence)


def _make_outcome(claim: Limit, interval: Interval | None) -> Outcome:
    if interval is None:
        return "not_resolved"
    bound = _bound(claim)
    below, above = interval.high <= bound, interval.low > bound
    if claim.min is not None:
        below, above = interval.low >= bound, interval.high < bound
    return "holds" if below else "fails" if above else "not_resolved"


def _get_breaks(claim: Limit, samples: Sequence[Sample], observed: Observed) -> tuple[BreaksEvidence, ...]:
    """Scale from which each function passes the upper bound, where something that is a number was varied."""
    parameter = claim.parameter or _find_only_number(samples)
    predictor = find_predictor()
    if claim.max is None or parameter is None or predictor is None:
        return ()
    cross = load(predictor.cross)
    crossings = (
        cross(series, claim.max, parameter)
        for series in observed.series(claim.limit, (parameter,))
        if not _is_failed(series, samples, claim, observed)
    )
    return tuple(crossing for crossing in crossings if crossing is not None)


def _find_only_number(samples: Sequence[Sample]) -> str | None:
    """Return what alone was varied over enough numbers to show growth.

    ``None`` where that is nothing or several.
    """
    levels: dict[str, set[Scalar]] = {}
    for sample in samples:
        for name, level in levels_of(sample).items():
            levels.setdefault(name, set()).add(level)
    numbers = [n for n, levels in levels.items() if len(levels) > 1 and all(map(is_number, levels))]
    return numbers[0] if len(numbers) == 1 and len(levels[numbers[0]]) >= LEAST_POINTS else None
