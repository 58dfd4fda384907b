"""Part (d): real latencies by library and operation, and how they stand to what IMB-MPI1 reports.

Every interval is the laboratory's: a launch is the unit, and what stood in one block is compared within it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from steelyard.api import Record, Sample, Undefined, estimate_ratio, find_median_interval

ALPHA: Final = 0.05
REPORTED: Final = ("window", "latency_quantile_s")
PEER: Final = ("imb", "mean_of_ranks_s")
STEPS: Final = {
    "as reported": (REPORTED, PEER),
    "quantile → mean": (REPORTED, ("window", "mean_of_slowest_rank_s")),
    "slowest rank → all": (("window", "mean_of_slowest_rank_s"), ("window", "mean_of_ranks_s")),
    "window → barrier": (("window", "mean_of_ranks_s"), ("barrier", "mean_of_ranks_s")),
    "same → IMB": (("barrier", "mean_of_ranks_s"), PEER),
}
"""From what the workload reports to what IMB reports: the product of the last four is the first."""

Key = tuple[str, str, str, str]
"""Command, metric, library, operation."""


def tables(record: Record) -> str:
    """Medians of launches, then the ratio to IMB-MPI1 and what it is made of."""
    metrics = sorted({metric for step in STEPS.values() for _, metric in step})
    samples = {key_of(sample): sample for metric in metrics for sample in record.samples(metric)}
    titles = "### Medians of launches", "### IMB-MPI1 over the workload"
    return "\n\n".join([titles[0], "\n".join(medians(samples)), titles[1], "\n".join(against_peer(samples))])


def key_of(sample: Sample) -> Key:
    """What a sample is of."""
    levels = sample.treatment.levels
    command, library = str(levels["command"]), str(levels["implementation"])
    return command, sample.metric.name, library, str(sample.labels["op"])


def medians(samples: Mapping[Key, Sample]) -> Sequence[str]:
    """Of what the workload reports, in microseconds, with the interval of the sign test."""
    rows = [
        "| library | operation | median of launches, µs | 95 % interval | launches |",
        "|---|---|---|---|---|",
    ]
    for (command, metric, library, op), sample in samples.items():
        if (command, metric) != REPORTED:
            continue
        values = np.asarray(sample.values, dtype=np.float64)
        result = find_median_interval(sample, ALPHA)
        interval = f"{1e6 * result.low:.2f} … {1e6 * result.high:.2f}" if result else "too few launches"
        rows.append(f"| {library} | {op} | {1e6 * np.median(values):.2f} | {interval} | {values.size} |")
    return rows


def against_peer(samples: Mapping[Key, Sample]) -> Sequence[str]:
    """Median ratios of the blocks, one column a step."""
    rows = [f"| library | operation | {' | '.join(STEPS)} |", "|---" * (2 + len(STEPS)) + "|"]
    pairs = [(library, op) for command, metric, library, op in samples if (command, metric) == PEER]
    for library, op in pairs:
        cells = [ratio(samples[*old, library, op], samples[*new, library, op]) for old, new in STEPS.values()]
        rows.append(f"| {library} | {op} | {' | '.join(cells)} |")
    return rows


def ratio(old: Sample, new: Sample) -> str:
    """Old over new with its 95 % interval, or why there is none."""
    result = estimate_ratio(old, new, "median_ratio")
    if isinstance(result, Undefined):
        return result.reason
    interval = result.interval(ALPHA)
    bounds = f" ({interval.low:.2f} … {interval.high:.2f})" if interval else ""
    return f"{result.value:.2f}{bounds}"
