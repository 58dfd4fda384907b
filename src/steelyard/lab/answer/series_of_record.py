"""From a record to series.

There is one for each metric, label and combination of the factors that are not modelled over.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from steelyard.core.errors import UsageError
from steelyard.core.sample import Sample
from steelyard.core.series import Series, series_of
from steelyard.core.units import Scalar, is_number
from steelyard.results.flags import missing_not_by_chance
from steelyard.store import Reading


def series_of_record(
    record: Reading, parameters: Sequence[str], metrics: Sequence[str] = ()
) -> tuple[Series, ...]:
    """Make series, one value a launch; ``parameters`` are numeric factors or labels (default: all that vary).

    Raises
    ------
    UsageError
        A parameter that is neither a factor nor a label, or is not numeric.
    """
    names_of = tuple(metrics) or (record.experiment.analysis.metric,)
    with record.snapshot():
        samples = [sample for metric in names_of for sample in record.samples(metric)]
    ignored = record.experiment.analysis.failures == "ignore"
    return series_of_samples(samples, parameters, record.directory, ignore_failures=ignored)


def series_of_samples(
    samples: Sequence[Sample], parameters: Sequence[str], place: Path, *, ignore_failures: bool = False
) -> tuple[Series, ...]:
    """Make series from samples.

    ``place`` is what errors call the record. With ``ignore_failures``, failed runs do not mark a series as
    censored.

    Raises
    ------
    UsageError
        Nothing numeric is varied, or a parameter has no number in some treatment.
    """
    names = tuple(parameters) or _get_numeric(samples)
    if not names:
        raise UsageError(
            f"{place} varies nothing numeric",
            hint="give a factor numeric levels, as in threads = [1, 2, 4, 8]",
        )
    groups: dict[tuple[str, tuple[tuple[str, Scalar], ...]], list[tuple[tuple[float, ...], Sample]]] = {}
    for sample in samples:
        levels = _get_levels(sample)
        at = tuple(_compute_coordinate(levels, name, place) for name in names)
        rest = tuple(sorted((k, v) for k, v in levels.items() if k not in names))
        groups.setdefault((sample.metric.name, rest), []).append((at, sample))
    functions = (
        _make_series(metric, rest, group, names, samples) for (metric, rest), group in groups.items()
    )
    return (
        tuple(replace(series, censored=False, lost_at=()) for series in functions)
        if ignore_failures
        else tuple(functions)
    )


def _get_levels(sample: Sample) -> dict[str, Scalar]:
    return {**sample.treatment.levels, **sample.labels}


def _get_numeric(samples: Sequence[Sample]) -> tuple[str, ...]:
    levels: dict[str, set[Scalar]] = {}
    for sample in samples:
        for name, level in _get_levels(sample).items():
            levels.setdefault(name, set()).add(level)
    return tuple(n for n, v in levels.items() if len(v) > 1 and all(is_number(level) for level in v))


def _compute_coordinate(levels: dict[str, Scalar], name: str, place: Path) -> float:
    level = levels.get(name)
    if level is None or not is_number(level):
        text = ", ".join(k for k, v in levels.items() if is_number(v)) or "none"
        problem = "unknown" if level is None else f"{level!r} is not a number:"
        raise UsageError(
            f"{place}: {problem} parameter {name}", hint=f"name a numeric factor or label: {text}"
        )
    return float(level)


def _make_series(
    metric: str,
    rest: tuple[tuple[str, Scalar], ...],
    points: list[tuple[tuple[float, ...], Sample]],
    names: tuple[str, ...],
    samples: Sequence[Sample],
) -> Series:
    varying = [(k, v) for k, v in rest if len({_get_levels(s).get(k) for s in samples}) > 1]
    unit = points[0][1].metric.unit
    kinds = {sample.provenance for _, sample in points}
    simulated = "simulated" in kinds
    series = series_of(
        "/".join(str(v) for _, v in varying),
        names,
        [at for at, _ in points],
        [sample.values.tolist() for _, sample in points],
        metric=metric,
        unit=unit,
        labels=dict(varying),
        counts=simulated,
    )
    is_censored = missing_not_by_chance([sample for _, sample in points])
    failed_at = dict.fromkeys(at for at, sample in points if sample.failures.share)
    return replace(
        series,
        simulated=simulated,
        crowded="crowded" in kinds,
        censored=is_censored,
        lost_at=tuple(failed_at) if is_censored else (),
        better=points[0][1].metric.better,
    )
