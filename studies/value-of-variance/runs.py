"""``Run``, what the paper calls a run, its speedups, and the files that hold them."""

from __future__ import annotations

import csv
import math
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from steelyard.api import Sample

FIGURES: Final = {
    ("hpx-5", 255): ("4", "5", "10"),
    ("hpx-5", 100): ("6", "7", "11"),
    ("am++", 100): ("8", "9", "12"),
    ("am++", 255): ("none", "none", "none"),
}
"""Where the paper shows run times, speedups and relative standard uncertainties of a runtime and a weight."""
ALGORITHMS: Final = ("kla", "delta")


class Run(NamedTuple):
    """A run of the paper: one algorithm from all sources once."""

    runtime: str
    order: str
    weight: int
    scale: int
    ranks: int
    run: int
    seconds: tuple[float, ...]
    """Of each source."""
    links: float | None = None
    """Noise of links; none where links are real."""

    @property
    def mean(self) -> float:
        """Average over the sources."""
        return statistics.mean(self.seconds)

    @property
    def s(self) -> float:
        """Standard deviation over the sources."""
        return statistics.stdev(self.seconds)

    @property
    def rsu(self) -> float:
        """As the figures of the paper show it: s over the mean."""
        return self.s / self.mean


def runs_of(samples: Sequence[Sample]) -> list[Run]:
    """By treatment and block; runs that miss a source are left out."""
    seconds: dict[tuple[Any, ...], dict[int, float]] = {}
    for sample in samples:
        levels, source = sample.treatment.levels, int(str(sample.labels["source"]))
        treatment = (levels["runtime"], levels["order"], levels["weight"], levels["scale"], levels["p"])
        noise = levels.get("links")
        for block, value in zip(sample.blocks, sample.values, strict=True):
            seconds.setdefault((*treatment, block, noise), {})[source] = value
    sources = max(map(len, seconds.values()))
    return [
        Run(*key, tuple(times[source] for source in sorted(times)), noise)
        for (*key, noise), times in sorted(seconds.items())
        if len(times) == sources
    ]


class Speedup(NamedTuple):
    """KLA over Δ-stepping in one run, with the spread of Eq. 10."""

    of: Run
    value: float
    spread: float


def speedups(runs: Sequence[Run]) -> list[Speedup]:
    """Of runs that both algorithms have."""
    by_key = {(run.order, run.links, *run[:1], *run[2:6]): run for run in runs}
    result = []
    for item in runs:
        kla = by_key.get(("kla", item.links, *item[:1], *item[2:6]))
        if item.order == "delta" and kla is not None:
            value = kla.mean / item.mean
            result.append(Speedup(item, value, value * math.hypot(kla.rsu, item.rsu)))
    return result


def write_runs(runs: Sequence[Run], path: Path) -> None:
    """Every value: a row for each run, a column for each source, and one for the noise of simulated links."""
    sources = max(len(run.seconds) for run in runs)
    noise = ["links"] if any(run.links is not None for run in runs) else []
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*Run._fields[:-2], *noise, *(f"source_{i + 1}_s" for i in range(sources))])
        for run in runs:
            level = [f"{run.links:g}"] if noise and run.links is not None else []
            writer.writerow([*run[:-2], *level, *(f"{value:.7g}" for value in run.seconds)])


def read_runs(path: Path) -> list[Run]:
    """What ``write_runs`` has written."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    runs = []
    for row in rows:
        weight, scale, ranks, run = (int(row[name]) for name in ("weight", "scale", "ranks", "run"))
        seconds = tuple(float(row[name]) for name in row if name.startswith("source_") and row[name])
        links = float(row["links"]) if "links" in row else None
        runs.append(Run(row["runtime"], row["order"], weight, scale, ranks, run, seconds, links))
    return runs


def figure_rows(runs: Sequence[Run]) -> list[dict[str, object]]:
    """``figures.csv``: the paper's figures number by number."""
    result: list[dict[str, object]] = []
    for run in runs:
        times, _, rsu = FIGURES[run.runtime, run.weight]
        common = _common(run)
        result.append({"figure": times, "what": f"{run.order} s", **common, "value": run.mean, "s": run.s})
        result.append({"figure": rsu, "what": f"{run.order} rsu", **common, "value": run.rsu, "s": ""})
    for speedup in speedups(runs):
        _, figure, _ = FIGURES[speedup.of.runtime, speedup.of.weight]
        common = _common(speedup.of)
        result.append(
            {"figure": figure, "what": "speedup", **common, "value": speedup.value, "s": speedup.spread}
        )
    return result


def _common(run: Run) -> dict[str, object]:
    """What a row of ``figures.csv`` is about."""
    links = {} if run.links is None else {"links": run.links}
    size = {"weight": run.weight, "scale": run.scale, "p": run.ranks}
    return {"runtime": run.runtime, **size, **links, "run": run.run}


def published(path: Path) -> Iterator[tuple[int, tuple[float, ...]]]:
    """Runs of Table 1 by number: the seconds of each instance."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield int(row["run"]), tuple(float(row[f"instance_{i}"]) for i in range(1, len(row)))
