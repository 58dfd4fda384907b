#!/usr/bin/env python3
"""Draw the figures of the README from summary.json: ``python studies/have-it-right/figures.py``."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from charts import strips

from steelyard.api import Interval
from steelyard.api.charts import (
    BETTER,
    OPEN,
    WORSE,
    Changed,
    Chart,
    Estimated,
    draw_changes_chart,
    draw_figure_spec,
    draw_svg,
    forest,
    forest_rows,
)
from steelyard.api.text import Style

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HERE = Path(__file__).parent
WIDTH_PX = 620
DEFAULT, TOGETHER, PUBLISHED = "the default context", "all contexts together", "default context, published"
COLOURS: Final = {DEFAULT: OPEN, TOGETHER: BETTER, PUBLISHED: WORSE}
STYLES: Final[Mapping[str, Style]] = {"perturbed": "bad", "unperturbed": "good"}


def probes(part: Mapping[str, Any], name: str, title: str) -> Chart:
    """Change of CPU time under each probe, as in Figures 1 and 2."""
    changes = [
        Changed(
            probe.removeprefix("-DSTEELYARD_").replace("=", " ").lower(),
            1 + results["cpu_s"]["percent"] / 100,
            Interval(*(1 + bound / 100 for bound in results["cpu_s"]["ci95"])),
            STYLES.get(results["cpu_s"]["perturbation"], "open"),
            results["added_percent"] / 100 if name == "figure-2" else None,
        )
        for probe, results in part.items()
        if probe != "correlations"
    ]
    return draw_changes_chart(name, title, changes)


def contexts(summary: Mapping[str, Any], name: str, program: str, pairs: tuple[str, ...]) -> Chart:
    """Speedups in the default context, and over 21 contexts with the prediction of a further one."""
    part = "libquantum" if program == "libquantum" else "optimisation"
    result = []
    if program == "libquantum":
        low, _ = published("libquantum-default")
        result.append(Estimated("O2 to O3, the default context, published (Core 2)", 1 + low / 100, None))
    for pair in pairs:
        key = f"{program} {pair}"
        default = summary[f"{part} in the default context (Figure 4)"][key]
        every = summary[f"{part} (Figures 4 and 5)"][key]
        named = pair.replace("-", " to ")
        result += [
            Estimated(f"{named}, the default context", default["speedup"], Interval(*default["ci95"])),
            Estimated(
                f"{named}, all of 21 contexts (thin: a further one)",
                every["combined"],
                Interval(*every["ci95"]),
                "good" if every["ci95"][0] > 1 else "bad" if every["ci95"][1] < 1 else "open",
                prediction=Interval(*every["prediction95"]),
            ),
            Estimated(
                f"{named}, single contexts, least to largest", every["combined"], Interval(*every["single"])
            ),
        ]
    return Chart(name, program, "", forest(result, f"speedup of {program}"), {"rows": forest_rows(result)})


def single_contexts(summary: Mapping[str, Any], name: str, program: str) -> Chart:
    """Every single context of each pair of levels, beside the default one, all together, and the paper's."""
    part = "libquantum" if program == "libquantum" else "optimisation"
    pairs = {
        key: entry
        for key, entry in summary[f"{part} (Figures 4 and 5)"].items()
        if key.startswith(f"{program} ")
    }
    default = summary[f"{part} in the default context (Figure 4)"]
    ticks, marks = [], []
    for key, entry in pairs.items():
        label = key.removeprefix(f"{program} ").replace("-", " to ")
        ticks += [{"name": label, "x": speedup} for speedup in entry["each"]]
        marks += [
            {"name": label, "x": default[key]["speedup"], "what": DEFAULT},
            {"name": label, "x": entry["combined"], "what": TOGETHER},
        ]
    if program == "libquantum":
        low, _ = published("libquantum-default")
        marks.append({"name": "O2 to O3", "x": 1 + low / 100, "what": PUBLISHED})
    drawn = {entry["what"] for entry in marks}
    colours = {level: colour for level, colour in COLOURS.items() if level in drawn}
    return strips(name, ticks, marks, f"speedup of {program}, a tick for each context", colours=colours)


def lengths(part: Mapping[str, Any]) -> Chart:
    """Figure 3: run times over those without the variable or over the mean, from fastest to slowest."""
    low, high = published("perlbench-environment")
    result = [Estimated("perlbench, published (Pentium 4)", 1.0, Interval(1 + low / 100, 1 + high / 100))]
    for program in ("perl", "mawk", "sqlite3"):
        results = part[program]
        ends = Interval(1 + results["fastest_percent"] / 100, 1 + results["slowest_percent"] / 100)
        result.append(Estimated(f"{program}, {results['lengths']} lengths", 1.0, ends))
    spec = forest(result, "run time by length of the environment, fastest to slowest")
    return Chart("figure-3", "figure-3", "", spec, {"rows": forest_rows(result)})


def published(name: str) -> tuple[float, float]:
    """Lower and upper value of what the paper states, in percent."""
    with (HERE / "published.csv").open(newline="", encoding="utf-8") as file:
        line = next(line for line in csv.DictReader(file) if line["id"] == name)
    return float(line["low"]), float(line["high"])


def figures() -> Iterator[Chart]:
    """All of them."""
    summary = json.loads((HERE / "summary.json").read_text(encoding="utf-8"))
    yield probes(summary["counters (Figure 1)"], "figure-1", "hardware counters")
    yield probes(summary["software counters (Figure 2)"], "figure-2", "software counters")
    yield lengths(summary["environment (Figure 3)"])
    yield contexts(summary, "figure-4", "nbody", ("O2-O3",))
    yield contexts(summary, "figure-5", "events", ("O0-O1", "O1-O2", "O2-O3"))
    every = json.loads((HERE / "summary-xeon.json").read_text(encoding="utf-8"))
    yield single_contexts(every, "figure-4-contexts", "nbody")
    yield single_contexts(every, "figure-5-contexts", "events")
    yield single_contexts(every, "figure-libquantum-contexts", "libquantum")
    if "libquantum (Figures 4 and 5)" in summary:
        yield contexts(summary, "figure-libquantum", "libquantum", ("O0-O1", "O1-O2", "O2-O3"))


def main() -> None:
    """Write figure-N.svg beside this file."""
    for chart in figures():
        file = HERE / f"{chart.name}.svg"
        file.write_text(draw_svg(draw_figure_spec(chart, WIDTH_PX)), encoding="utf-8")
        print(file.relative_to(HERE.parents[1]))


if __name__ == "__main__":
    main()
