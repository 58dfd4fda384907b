"""The paper's own sizes, in virtual time: scale 14 to 18 on 16 to 256 ranks, 16 a node.

    ./dev mpi virtual
    .venv/bin/python studies/value-of-variance/papers.py                # goes on where it stopped
    .venv/bin/python studies/value-of-variance/papers.py --weight 100   # Figures 6 to 9, another two hours
    .venv/bin/python studies/value-of-variance/papers.py --table        # what there is, as README.md shows it

``papers-runs.csv`` has a row for each run and a column for each source. A run without noise is the control;
the five others draw for each rank how much slower it is, by 5 % in the mean: the median over the rows of one
rank in ``real-runs.csv`` of the standard deviation of runs over their mean is 5 %.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAM = ROOT / "build" / "workloads" / "virtual" / "bin" / "graph"
RUNS = HERE / "papers-runs.csv"
SIZES = ((14, 16), (15, 32), (16, 64), (17, 128), (18, 256))
WEIGHTS = ("255", "100")
SOURCES = 8
NOISY_RUNS = 5
RANK_NOISE = 0.05
KEYS = ("runtime", "order", "weight", "scale", "ranks", "noise", "run")
FIELDS = (*KEYS, "messages", "items", *(f"source_{i}_s" for i in range(1, SOURCES + 1)))

Key = tuple[str, ...]


def planned(weight: str) -> list[Key]:
    """Every run with weights to this, small ones first, the controls of a size before its noisy runs."""
    runs = [(0.0, 0), *((RANK_NOISE, run) for run in range(1, NOISY_RUNS + 1))]
    return [
        (runtime, order, weight, str(scale), str(ranks), str(noise), str(run))
        for scale, ranks in SIZES
        for noise, run in runs
        for runtime in ("am++", "hpx-5")
        for order in ("kla", "delta")
    ]


def measure(key: Key) -> dict[str, str]:
    """Run the program once, and return the row."""
    runtime, order, weight, scale, ranks, noise, run = key
    words = [str(PROGRAM), "sssp", "--generator", "rmat1", "--scale", scale, "--max-weight", weight]
    words += ["--order", order, "--delta", "1", "--k", "2", "--runtime", runtime, "--sources", str(SOURCES)]
    words += ["--no-filter", "--compute", "calibrated", "--ranks", ranks, "--rank-noise", noise]
    words += ["--noise-seed", run, "--network", f"virtual:{ROOT / 'studies' / 'machines' / 'gemini.json'}"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    times: dict[int, float] = {}
    totals = {"messages": 0.0, "items": 0.0}
    for line in map(json.loads, done.stdout.splitlines()):
        if line["metric"] == "time_s":
            times[line["labels"]["source"]] = line["values"][0]
        elif line["metric"] in totals:
            totals[line["metric"]] += line["values"][0]
    if len(times) != SOURCES:
        sys.exit(f"papers.py: {' '.join(words)} has timed {len(times)} of {SOURCES} sources\n{done.stderr}")
    row = dict(zip(KEYS, key, strict=True))
    row |= {name: f"{value:.0f}" for name, value in totals.items()}
    return row | {f"source_{i}_s": f"{time_s:.6g}" for i, time_s in sorted(times.items())}


def rows() -> list[dict[str, str]]:
    """What has been measured."""
    if not RUNS.exists():
        return []
    with RUNS.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run_all(weight: str) -> None:
    """Measure what is missing; each run is kept as soon as it is there."""
    have = {tuple(row[key] for key in KEYS) for row in rows()}
    with RUNS.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if not have:
            writer.writeheader()
        for key in planned(weight):
            if key not in have:
                writer.writerow(measure(key))
                file.flush()


def table(weight: str = WEIGHTS[0]) -> str:
    """Speedup of Δ = 1 over KLA (Eq. 7), its spread over the sources of a run (Eq. 10), and over runs."""
    runs: dict[Key, dict[str, list[float]]] = defaultdict(dict)
    for row in rows():
        if row["weight"] != weight:
            continue
        key = (row["runtime"], row["scale"], row["ranks"], row["noise"], row["run"])
        runs[key][row["order"]] = [float(row[f"source_{i}_s"]) for i in range(1, SOURCES + 1)]
    grouped: dict[Key, list[tuple[float, float, float, float]]] = defaultdict(list)
    for key, times in runs.items():
        if len(times) == len(("kla", "delta")):
            kla, delta = times["kla"], times["delta"]
            means = statistics.fmean(kla), statistics.fmean(delta)
            spreads = [statistics.stdev(item) / statistics.fmean(item) for item in (kla, delta)]
            speedup = means[0] / means[1]
            grouped[key[:4]].append((*means, speedup, speedup * sum(s * s for s in spreads) ** 0.5))
    lines = [
        "| runtime | scale, p | noise | runs | KLA, ms | Δ = 1, ms | speedup | ± (Eq. 10) |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (runtime, scale, ranks, noise), result in grouped.items():
        kla_s, delta_s, speedups, spreads = zip(*result, strict=True)
        level = "quiet" if float(noise) == 0 else f"{float(noise):.0%}"
        lines.append(
            f"| {runtime} | {scale}, {ranks} | {level} | {len(result)} "
            f"| {1e3 * statistics.fmean(kla_s):.3g} | {1e3 * statistics.fmean(delta_s):.3g} "
            f"| {span(speedups)} | {span(spreads)} |"
        )
    return "\n".join(lines)


def span(values: tuple[float, ...]) -> str:
    """Least and largest; one value where they look alike."""
    least, largest = f"{min(values):.3g}", f"{max(values):.3g}"
    return least if least == largest else f"{least} to {largest}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The paper's own sizes, in virtual time.")
    parser.add_argument("--table", action="store_true", help="write the table of what there is")
    parser.add_argument("--weight", choices=WEIGHTS, default=WEIGHTS[0], help="the largest (default: 255)")
    options = parser.parse_args()
    if options.table:
        print(table(options.weight))
    else:
        run_all(options.weight)
