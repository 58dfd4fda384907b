"""What *The Value of Variance* takes for granted, asked of its own kind of data: is it so?

``python studies/value-of-variance/assumptions.py`` writes ``ASSUMPTIONS.md`` from ``real-runs.csv`` (this
machine, ten runs of each point) and ``simulated-runs.csv`` (SimGrid, five): whether the times of both
algorithms are independent over sources, how often S ± σ covers, how many runs suffice, and whether times are
normal.
"""

from __future__ import annotations

import itertools
import math
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from scipy.stats import shapiro, t

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from runs import Run, read_runs  # noqa: E402

FILES: Final = {"real": HERE / "real-runs.csv", "simulated": HERE / "simulated-runs.csv"}
PAGE: Final = HERE / "ASSUMPTIONS.md"
WANTED: Final = 0.05
"""Half the width of an interval for the speedup, as a fraction."""
ALPHA: Final = 0.05
COLUMNS: Final = (
    *("runs", "runtime", "weight", "scale, p", "runs", "r over sources", "σ / S by Eq. 8", "with covariance"),
    *("own sources in S ± σ", "other runs in S ± σ", "runs for ± 5 %"),
)


class PairedRuns(NamedTuple):
    """The runs of both algorithms at one point, in the same order.

    Attributes
    ----------
    kla, delta : array of shape (runs, sources)
        Seconds.
    """

    runtime: str
    weight: int
    scale: int
    ranks: int
    kla: np.ndarray
    delta: np.ndarray


def pair_runs(runs: Sequence[Run]) -> Iterator[PairedRuns]:
    """Pair the runs of both algorithms by point; points with fewer than three pairs are left out."""
    by_point: dict[tuple[str, int, int, int], dict[str, dict[int, tuple[float, ...]]]] = {}
    for run in runs:
        point = run.runtime, run.weight, run.scale, run.ranks
        by_point.setdefault(point, {}).setdefault(run.order, {})[run.run] = run.seconds
    for point, by_order in sorted(by_point.items()):
        common = sorted(by_order.get("kla", {}).keys() & by_order.get("delta", {}).keys())
        if len(common) >= 3:
            kla, delta = (
                np.array([by_order[order][number] for number in common]) for order in ("kla", "delta")
            )
            yield PairedRuns(*point, kla, delta)


def correlate_sources(point: PairedRuns) -> float:
    """Correlation of both algorithms' times over the sources, each the mean of its runs (Pearson's r)."""
    return float(np.corrcoef(point.kla.mean(axis=0), point.delta.mean(axis=0))[0, 1])


def spread(point: PairedRuns, *, covariance: bool) -> float:
    """Relative σ of the speedup by Eq. 8, from the sources' spread; with the term of Eq. 6 that it drops."""
    kla, delta = point.kla.mean(axis=0), point.delta.mean(axis=0)
    square = (kla.std(ddof=1) / kla.mean()) ** 2 + (delta.std(ddof=1) / delta.mean()) ** 2
    if covariance:
        square -= 2 * float(np.cov(kla, delta)[0, 1]) / (kla.mean() * delta.mean())
    return math.sqrt(max(0.0, square))


class Covered(NamedTuple):
    """Counts of speedups that lie within S ± σ of a run, of so many."""

    sources: int
    of_sources: int
    runs: int
    of_runs: int


def count_covered(point: PairedRuns) -> Covered:
    """Count, for the interval of each run, the speedups of its own sources, and those of the other runs."""
    counts = np.zeros(4, dtype=int)
    means = point.kla.mean(axis=1) / point.delta.mean(axis=1)
    for i in range(means.size):
        kla, delta = point.kla[i], point.delta[i]
        sigma = means[i] * math.hypot(kla.std(ddof=1) / kla.mean(), delta.std(ddof=1) / delta.mean())
        of_source = kla / delta
        result = np.delete(means, i)
        counts += (
            int((abs(of_source - means[i]) <= sigma).sum()),
            of_source.size,
            int((abs(result - means[i]) <= sigma).sum()),
            result.size,
        )
    return Covered(*map(int, counts))


def count_needed_runs(point: PairedRuns) -> int:
    """Runs after which a 95 % interval for the speedup, by Student's t over runs, is within 5 %."""
    logs = np.log(point.kla.mean(axis=1) / point.delta.mean(axis=1))
    s = float(logs.std(ddof=1))
    return next(n for n in itertools.count(2) if t.ppf(0.975, n - 1) * s / math.sqrt(n) <= math.log1p(WANTED))


def count_not_normal(points: Sequence[PairedRuns], *, logarithms: bool) -> tuple[int, int]:
    """Count series of one source over runs whose normality is rejected (Shapiro-Wilk, Holm), and all."""
    series = [
        times[:, source] for point in points for times in point[-2:] for source in range(times.shape[1])
    ]
    p_values = sorted(float(shapiro(np.log(values) if logarithms else values).pvalue) for values in series)
    rejected = itertools.takewhile(
        lambda item: item[1] * (len(p_values) - item[0]) <= ALPHA, enumerate(p_values)
    )
    return len(list(rejected)), len(p_values)


def render() -> str:
    """The page."""
    points = dict(_read_points())
    lines = [
        "# What the paper takes for granted",
        "",
        "<!-- written by assumptions.py -->",
        "",
        *_answers(points),
        "",
        f"| {' | '.join(COLUMNS)} |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, of_kind in points.items():
        for point in of_kind:
            covered = count_covered(point)
            cells = (
                *(name, point.runtime, point.weight, f"{point.scale}, {point.ranks}", len(point.kla)),
                f"{correlate_sources(point):.2f}",
                *(f"{spread(point, covariance=added):.3f}" for added in (False, True)),
                f"{covered.sources / covered.of_sources:.0%}",
                f"{covered.runs / covered.of_runs:.0%}",
                count_needed_runs(point),
            )
            lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join([*lines, ""])


def _read_points() -> Iterator[tuple[str, list[PairedRuns]]]:
    """Points of each file; those with noise of links apart."""
    for name, file in FILES.items():
        runs = read_runs(file)
        for level in dict.fromkeys(run.links for run in runs):
            label = f"{name}, links {level:g}" if level else name
            yield label, list(pair_runs([run for run in runs if run.links == level]))


def _answers(points: dict[str, list[PairedRuns]]) -> Iterator[str]:
    simulated = [point for name, of_kind in points.items() if name != "real" for point in of_kind]
    correlations = {
        (name, runtime): sorted(correlate_sources(p) for p in of_kind if p.runtime == runtime)
        for name, of_kind in points.items()
        for runtime in sorted({p.runtime for p in of_kind})
    }
    correlated = "; ".join(
        f"{runtime} {name} {values[0]:.2f}, {statistics.median(values):.2f}, {values[-1]:.2f}"
        for (name, runtime), values in correlations.items()
    )
    yield (
        "1. **Are both times independent over sources (Eq. 8)?** r over the eight sources, least, median and"
        f" most: {correlated}. With the covariance that Eq. 6 has and Eq. 8 drops, σ is"
        f" {_median_change(points['real']):.2f} × Eq. 8's in the median real point,"
        f" {_median_change(simulated):.2f} × in the median simulated one."
    )
    covered = [count_covered(point) for of_kind in points.values() for point in of_kind]
    sources = sum(c.sources for c in covered) / sum(c.of_sources for c in covered)
    runs = sum(c.runs for c in covered) / sum(c.of_runs for c in covered)
    yield (
        f"2. **Does S ± σ cover 68 %?** Of the speedups of single sources {sources:.0%}; of the speedups of"
        f" other runs {runs:.0%}: σ is a spread over problem instances, and says little about the next run."
    )
    needed = {name: sorted(map(count_needed_runs, of_kind)) for name, of_kind in points.items()}
    yield (
        "3. **How many runs suffice** for a 95 % interval of the speedup within 5 % (Student's t over runs)? "
        + "; ".join(
            f"{name}: {values[0]} to {values[-1]}, median {statistics.median(values):.0f}"
            for name, values in needed.items()
        )
        + ". The paper's five suffice in "
        + "; ".join(
            f"{sum(value <= 5 for value in values)} of {len(values)} points {name}"
            for name, values in needed.items()
        )
        + "."
    )
    rejected, count = count_not_normal(points["real"], logarithms=False)
    logs, _ = count_not_normal(points["real"], logarithms=True)
    yield (
        f"4. **Are times normal?** Rejected for {rejected} of {count} series of ten real runs (Shapiro-Wilk,"
        f" Holm over all, 5 %), of logarithms for {logs}. Ten runs show coarse departures only."
    )


def _median_change(points: Sequence[PairedRuns]) -> float:
    return statistics.median(
        spread(point, covariance=True) / spread(point, covariance=False) for point in points
    )


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
