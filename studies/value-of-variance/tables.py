"""The tables of README.md, from the files that the study has written."""

from __future__ import annotations

import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from runs import ALGORITHMS, Run, speedups

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from parts import table

Summary = Mapping[str, Any]
NAMES: Final = {"kla": "KLA", "delta": "Δ = 1"}


def times(runs: Sequence[Run]) -> str:
    """Run times with s, adjusted speedups and relative spreads: least and largest of the runs."""
    head = ["runtime", "weights to", "scale, p", "runs", "KLA, ms", "Δ = 1, ms", "speedup", "± (Eq. 10)"]
    rows = []
    for key, part in _by_treatment(runs):
        result = speedups(key)
        rows.append([
            *_place(key[0]), str(len(result)), *map(_milliseconds, part),
            _span([item.value for item in result]), _span([run_.spread for run_ in result]),
            *(_span([run.rsu for run in some]) for some in part),
        ])  # fmt: skip
    return table([*head, "s / mean: KLA", "Δ = 1"], rows)


def slowest(runs: Sequence[Run]) -> str:
    """The source that took longest in a run, with how many runs, and how much more than the others' mean."""
    rows = []
    for key, part in _by_treatment(runs):
        rows.append([*_place(key[0]), *(cell for some in part for cell in (_slowest(some), _excess(some)))])
    head = ["runtime", "weights to", "scale, p", "slowest: KLA", "over the others", "slowest: Δ = 1", "over"]
    return table(head, rows)


def instances(summary: Summary) -> str:
    """Where the variance lies: sources, runs, or the rest; and the source that carries most."""
    rows = []
    for name, part in summary.items():
        for sample in part["samples"]:
            if (drill := sample.get("instances")) is not None:
                largest = max(drill["shares"], key=lambda value: value["share"])
                rows.append([
                    name, _words(sample["levels"]), f"{sample['n']}",
                    *(f"{abs(drill[key]):.1%}" for key in ("between", "runs", "rest")),
                    f"{largest['level']} ({largest['share']:.0%})",
                    f"{largest['mean'] / sample['mean'] - 1:+.0%}",
                ])  # fmt: skip
    head = ["record", "treatment", "n", "sources", "runs", "rest", "the source that carries most", "its mean"]
    return table(head, rows)


def comparisons(summary: Summary) -> str:
    """Speedups over all runs, source by source, with their verdicts."""
    rows = []
    for name, part in summary.items():
        for comparison in part["comparisons"]:
            adjusted = comparison["adjusted"]
            rows.append([
                name, _words(comparison["stratum"]), comparison["treatment"], f"{adjusted['value']:.3g}",
                f"{adjusted['u']:.2g}", f"{adjusted['spread']:.2g}", _interval(comparison["ci95"]),
                comparison["verdict"].replace("_", " "),
            ])  # fmt: skip
    head = ["record", "where", "against the baseline", "S", "u", "spread", "95 %", "verdict"]
    return table(head, rows)


def ratios(summary: Summary) -> str:
    """§ 5.2.3: the speedup on one runtime over that on the other."""
    rows = [
        [name, ratio["reference"], f"{ratio['factor']} = {ratio['level']}", f"{ratio['value']:.3g}",
         _interval(ratio["ci95"]), ratio["change"].replace("_", " ")]
        for name, part in summary.items()
        for ratio in part["ratios"]
    ]  # fmt: skip
    return table(["record", "speedup", "over that on", "ratio", "95 %", "it is"], rows)


def counts(summary: Summary) -> str:
    """Work: means over sources and runs."""
    metrics = ("items_useful", "items_superseded", "items_rejected", "messages", "epochs")
    result: dict[tuple[str, str], dict[str, float]] = {}
    for name, part in summary.items():
        for sample in part["samples"]:
            if sample["metric"] in metrics:
                result.setdefault((name, _words(sample["levels"])), {})[sample["metric"]] = sample["mean"]
    rows = [
        [*key, *(f"{counts_of[metric]:,.0f}" if metric in counts_of else "" for metric in metrics)]
        for key, counts_of in result.items()
    ]
    return table(["record", "treatment", *metrics], rows)


def claims(summary: Summary) -> str:
    """What the paper states, judged."""
    rows = [
        [
            name,
            claim["name"],
            claim["verdict"].replace("_", " "),
            claim["words"].removeprefix(f"{claim['name']}: "),
        ]
        for name, part in summary.items()
        for claim in part["claims"]
    ]
    return table(["record", "statement", "verdict", "evidence"], rows)


def effects(summary: Summary) -> str:
    """Main effects and interactions, as ratios."""
    rows = [
        [name, _words(effect["stratum"]), " × ".join(effect["factors"]),
         "" if effect["ratio"] is None else f"{effect['ratio']:.3g}",
         _interval(effect["ci95"]), f"{effect['share']:.1%}"]
        for name, part in summary.items()
        for effect in part["effects"]
    ]  # fmt: skip
    head = ["record", "where", "effect", "second over first, as a speedup", "95 %", "of the variation"]
    return table(head, rows)


def table_1(rows: Iterable[tuple[int, tuple[float, ...]]]) -> str:
    """Table 1 of the paper, with what follows from it."""
    lines = []
    for run, seconds in rows:
        mean, s = statistics.mean(seconds), statistics.stdev(seconds)
        excess = max(seconds) / statistics.mean(sorted(seconds)[:-1]) - 1
        place = 1 + seconds.index(max(seconds))
        lines.append(
            f"Table 1, run {run}: mean {mean:.1f} s, s {s:.1f} s, s / mean {s / mean:.3f}, RSU (Eq. 3) "
            f"{s / mean / len(seconds) ** 0.5:.3f}; instance {place} took {max(seconds) / mean - 1:+.0%} "
            f"of the mean, {excess:+.0%} of the others' mean"
        )
    return "\n".join(lines)


def _by_treatment(runs: Sequence[Run]) -> list[tuple[list[Run], list[list[Run]]]]:
    """Runs of each runtime, weight and size that both algorithms have; all of them, and by algorithm."""
    result = []
    for key in dict.fromkeys((run.runtime, run.weight, run.scale, run.ranks) for run in runs):
        runs_of_key = [item for item in runs if (item.runtime, item.weight, item.scale, item.ranks) == key]
        by_order = [[item for item in runs_of_key if item.order == order] for order in ALGORITHMS]
        if all(by_order):
            result.append((runs_of_key, by_order))
    return result


def _place(run: Run) -> tuple[str, str, str]:
    return run.runtime, str(run.weight), f"{run.scale}, {run.ranks}"


def _milliseconds(runs: Sequence[Run]) -> str:
    """Mean over runs, and the mean of their s."""
    mean = 1e3 * statistics.mean(run.mean for run in runs)
    return f"{mean:.3g} (s {1e3 * statistics.mean(item.s for item in runs):.2g})"


def _span(values: Sequence[float]) -> str:
    low, high = f"{min(values):.3g}", f"{max(values):.3g}"
    return low if low == high else f"{low} to {high}"


def _slowest(runs: Sequence[Run]) -> str:
    """The sources, numbered from 1, that took longest in a run, with how many runs."""
    counter = Counter(1 + run.seconds.index(max(run.seconds)) for run in runs)
    return ", ".join(f"{source} ({count} of {len(runs)})" for source, count in counter.most_common())


def _excess(runs: Sequence[Run]) -> str:
    """By how much the slowest source of a run exceeds the mean of the others."""
    excesses = [max(run.seconds) / statistics.mean(sorted(run.seconds)[:-1]) - 1 for run in runs]
    low, high = f"{min(excesses):+.0%}", f"{max(excesses):+.0%}"
    return low if low == high else f"{low} to {high}"


def _words(levels: Mapping[str, object]) -> str:
    """What is not in the name of a record."""
    named = {name: level for name, level in levels.items() if name not in ("p", "scale", "links")}
    return ", ".join(f"{name} {level}" for name, level in named.items())


def _interval(bounds: Sequence[float] | None) -> str:
    return "" if bounds is None else f"{bounds[0]:.3g} to {bounds[1]:.3g}"
