"""How many repetitions a measurement needs, predicted from a pilot as ReproMPI does (NREP).

``rounds.py guidelines-openmpi-pilot.lab`` prints them as CSV, by operation and size.

Of the repetitions of a launch the first 20 are looked at, then 40, 80, 160, …, until the relative standard
error of the mean is at most 2.5 % (``rse``), or until the means, or the medians, of the last three looks vary
by at most so much (``cov_mean``, ``cov_median``). S. Hunold, A. Carpen-Amarie: Reproducible MPI benchmarking
is still not as easy as you think, 2016 (reference 42 of DOI 10.1109/TPDS.2019.2896993, § 3.3.1).
"""

from __future__ import annotations

import csv
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf, sqrt
from pathlib import Path
from typing import Final, NamedTuple

from steelyard.api import Record

PILOT: Final = 1300
"""Repetitions of a pilot, and the most that are predicted."""
STEP: Final = 20
WINDOW: Final = 3
THRESHOLD: Final = 0.025


class Predicted(NamedTuple):
    """Repetitions that each method finds enough, as medians over launches; ``PILOT`` stands for more."""

    op: str
    bytes: int
    rse: int
    cov_mean: int
    cov_median: int


def looks(most: int) -> Iterator[int]:
    """20, 40, 80, 160, …: each time as many more as there are, up to ``most``."""
    end = STEP
    while end <= most:
        yield end
        end *= 2


def relative_standard_error(values: Sequence[float]) -> float:
    """Of the mean of all values."""
    return statistics.stdev(values) / sqrt(len(values)) / statistics.fmean(values)


def variation_of(summary: Callable[[Sequence[float]], float]) -> Callable[[Sequence[float]], float]:
    """Coefficient of variation of a summary after each of the last ``WINDOW`` looks."""

    def variation(values: Sequence[float]) -> float:
        ends = list(looks(len(values)))[-WINDOW:]
        if len(ends) < WINDOW:
            return inf
        summaries = [summary(values[:end]) for end in ends]
        return statistics.stdev(summaries) / statistics.fmean(summaries)

    return variation


METHODS: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "rse": relative_standard_error,
    "cov_mean": variation_of(statistics.fmean),
    "cov_median": variation_of(statistics.median),
}


def predict(values: Sequence[float], method: str, threshold: float = THRESHOLD) -> int:
    """The fewest repetitions that meet the threshold; ``PILOT`` where all of these do not."""
    spread = METHODS[method]
    return next((end for end in looks(len(values)) if spread(values[:end]) <= threshold), PILOT)


def pilots(record: Record) -> dict[tuple[str, int], list[list[float]]]:
    """Latencies in seconds of all repetitions, in order: a list for each launch, by operation and size."""
    result: dict[tuple[str, int], list[list[float]]] = {}
    for _, launch in record.stream_measurements():
        values: dict[tuple[str, int], list[float]] = {}
        for value in launch.values:
            if value.metric == "latency_s":
                place = (str(value.labels["op"]), int(value.labels["bytes"]))
                values.setdefault(place, []).append(value.value)
        for place, times in values.items():
            result.setdefault(place, []).append(times)
    return result


def predicted(record: Record) -> list[Predicted]:
    """Of each operation and size."""
    return [
        Predicted(
            op,
            size,
            *(round(statistics.median(predict(launch, method) for launch in launches)) for method in METHODS),
        )
        for (op, size), launches in pilots(record).items()
    ]


def largest(record: Record) -> int:
    """Of all operations and sizes, by the relative standard error."""
    return max(item.rse for item in predicted(record))


def main(arguments: Sequence[str]) -> int:
    """Print the predictions of a record."""
    with Record.open(Path(arguments[0])) as record:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(Predicted._fields)
        writer.writerows(predicted(record))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
