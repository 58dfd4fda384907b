"""Real files: the largest points of a parameter held out, at least twice beyond what is fitted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import extra_p
import numpy as np

from steelyard.core.series import CsvColumns
from steelyard.extensions.exchange.files import read_series
from steelyard.extensions.growth.scaling import Question, ScalingModel, Series, model_all, series_of

LEAST_FITTED = 3
BEYOND = 2.0
COLUMNS = {"mpi_collectives.csv": CsvColumns("median", ("Ranks",), ("mpi", "variable"), unit="us")}
"""Of tables whose columns nobody can guess."""
SUFFIXES = (".json", ".jsonl", ".txt", ".extra-p", ".csv")


@dataclass(frozen=True, slots=True)
class Held:
    """Hold-outs of one file, metric and way to cut it; errors are medians of |predicted / measured - 1|."""

    title: str
    count: int
    error: float
    covered: float
    peer_error: float | None


def held_out(directory: Path, python: Path | None) -> Iterator[Held]:
    """Every file of a directory that can be read, by metric: slices along each parameter, and all of them."""
    for path in sorted(directory.iterdir()):
        if path.suffix not in SUFFIXES or (path.suffix == ".csv" and path.name not in COLUMNS):
            continue
        series = read_series(path, COLUMNS.get(path.name))
        for metric in dict.fromkeys(item.metric for item in series):
            group = [item for item in series if item.metric == metric]
            for place, name in enumerate(group[0].parameters):
                cuts = [cut for item in group for cut in _slices(item, place)]
                if cuts:
                    yield _held(f"{path.name} {metric}, along {name}", cuts, python)
            if len(group[0].parameters) > 1:
                cuts = [cut for item in group for cut in _cut_all(item)]
                if cuts:
                    yield _held(f"{path.name} {metric}, {len(group[0].parameters)} parameters", cuts, python)


@dataclass(frozen=True, slots=True)
class Cut:
    """A series without its largest points, and one of those."""

    fitted: Series
    at: tuple[float, ...]
    value: float


def _slices(series: Series, place: int) -> Iterator[Cut]:
    """Along one parameter, the others at each of their levels."""
    rows: dict[tuple[float, ...], list[tuple[float, tuple[float, ...]]]] = {}
    for point in series.points:
        rest = point.at[:place] + point.at[place + 1 :]
        rows.setdefault(rest, []).append((point.at[place], point.values))
    for row in rows.values():
        row.sort()
        largest, values = row[-1]
        fitted = [item for item in row if item[0] * BEYOND <= largest]
        mean = float(np.mean(values))
        if len(fitted) >= LEAST_FITTED and mean > 0:
            shorter = series_of(
                series.name, [series.parameters[place]], [[p] for p, _ in fitted], [v for _, v in fitted],
                counts=series.counts,
            )  # fmt: skip
            yield Cut(shorter, (largest,), mean)


def _cut_all(series: Series) -> Iterator[Cut]:
    """All parameters, with the largest of the first held out."""
    largest = max(point.at[0] for point in series.points)
    fitted = [point for point in series.points if point.at[0] * BEYOND <= largest]
    levels = [{point.at[k] for point in fitted} for k in range(len(series.parameters))]
    if min(map(len, levels)) < LEAST_FITTED:
        return
    item = series_of(
        series.name,
        series.parameters,
        [p.at for p in fitted],
        [p.values for p in fitted],
        counts=series.counts,
    )
    for point in series.points:
        mean = float(np.mean(point.values))
        if point.at[0] == largest and mean > 0:
            yield Cut(item, point.at, mean)


def _held(cut_kind: str, cuts: list[Cut], python: Path | None) -> Held:
    errors, covered, theirs = [], [], []
    for cut in cuts:
        target = dict(zip(cut.fitted.parameters, cut.at, strict=True))
        result = model_all([cut.fitted], Question(targets=(target,)))[0]
        if not isinstance(result, ScalingModel):
            continue
        prediction = result.predictions[0]
        errors.append(abs(prediction.value / cut.value - 1))
        covered.append(prediction.low is not None and prediction.high is not None
                       and prediction.low <= cut.value * (1 + 1e-9)
                       and cut.value * (1 - 1e-9) <= prediction.high)  # fmt: skip
        if python is not None:
            theirs.append((cut, len(errors)))
    return Held(
        cut_kind,
        len(errors),
        100 * float(np.median(errors)),
        100 * float(np.mean(covered)),
        100 * _peer_error(python, [cut for cut, _ in theirs]) if python is not None else None,
    )


def _peer_error(python: Path, cuts: list[Cut]) -> float:
    """Extra-P's; those that share their points and repetitions are one call."""
    groups: dict[tuple[tuple[tuple[float, ...], int], ...], list[Cut]] = {}
    for cut in cuts:
        key = tuple((point.at, len(point.values)) for point in cut.fitted.points)
        groups.setdefault(key, []).append(cut)
    errors: list[float] = []
    for key, group in groups.items():
        least = min(count for _, count in key)
        points = np.array([at for at, _ in key])
        values = np.array([[point.values[:least] for point in cut.fitted.points] for cut in group])
        targets = np.array(list(dict.fromkeys(cut.at for cut in group)))
        models, _ = extra_p.run(python, points, values, targets)
        place = {tuple(target): number for number, target in enumerate(targets.tolist())}
        errors += [
            abs(result.predictions[place[cut.at]] / cut.value - 1)
            for cut, result in zip(group, models, strict=True)
        ]
    return float(np.median(errors))
