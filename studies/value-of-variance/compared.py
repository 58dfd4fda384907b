"""What our runs say of each statement of *The Value of Variance*.

By the paper's method: means and standard deviations over the eight sources of a run, speedups by Eq. 7 and
10. By ours: ``steelyard analyze`` with instances, whose answers are in ``summary.json``.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any, Final, NamedTuple

from beside import Comparison, Outcome

HERE: Final = Path(__file__).parent
TITLE: Final = "the value of variance"
PAPER: Final = (
    "J. S. Firoz, M. Zalewski, M. Barnas and A. Lumsdaine, *The Value of Variance*, ICPE 2016, DOI"
    " 10.1145/2851553.2851573."
)
ABOUT: Final = (
    "Ours: AM++ and HPX-5 are presets of [workloads/runtime](../../workloads/runtime/README.md). *Simulated*:"
    " 2 to 32 ranks, `simulated-runs.csv`; *the paper's sizes*: virtual time, 16 to 64 ranks,"
    " `papers-runs.csv`;"
    " *real*: one and two ranks of this machine, `real-runs.csv`. The paper's method is Eq. 5, 7 and"
    " 10 on each run"
    " of eight sources; ours is the analysis of all runs by instance, with 95 % intervals."
)
NAMES: Final = {"simulated": "simulated", "papers": "the paper's sizes", "real": "real"}


class Pair(NamedTuple):
    """A run of KLA and of Δ = 1 over the same sources, times in seconds."""

    part: str
    runtime: str
    weight: str
    scale: str
    run: str
    kla: tuple[float, ...]
    delta: tuple[float, ...]

    @property
    def speedup(self) -> float:
        """Eq. 7."""
        return fmean(self.kla) / fmean(self.delta)

    @property
    def sigma(self) -> float:
        """Eq. 10, with the standard deviations of single sources, as the paper's figures have them."""
        return self.speedup * math.hypot(cv(self.kla), cv(self.delta))


def cv(times: Sequence[float]) -> float:
    """Standard deviation over the mean."""
    return stdev(times) / fmean(times)


@cache
def pairs() -> tuple[Pair, ...]:
    """Every run of all three parts."""
    found = []
    for part in NAMES:
        halves: dict[tuple[str, ...], dict[str, tuple[float, ...]]] = {}
        with (HERE / f"{part}-runs.csv").open(newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                key = (line["runtime"], line["weight"], line["scale"], line.get("noise", ""), line["run"])
                times = tuple(float(line[f"source_{i}_s"]) for i in range(1, 9))
                halves.setdefault(key, {})[line["order"]] = times
        for (runtime, weight, scale, noise, run), its in halves.items():
            if len(its) == len(("kla", "delta")):
                found.append(Pair(part, runtime, weight, scale, noise + run, its["kla"], its["delta"]))
    return tuple(found)


def chosen(part: str, runtime: str, weight: str = "") -> list[Pair]:
    """Runs of a part on a runtime."""
    return [p for p in pairs() if (p.part, p.runtime) == (part, runtime) and weight in ("", p.weight)]


def span(values: Sequence[float], digits: int = 3) -> str:
    """Least and largest."""
    least, most = f"{min(values):.{digits}g}", f"{max(values):.{digits}g}"
    return least if least == most else f"{least} to {most}"


def each_part(value: Callable[[Pair], float], runtime: str, weight: str = "") -> str:
    """Spans of a value, part by part."""
    return "; ".join(
        f"{name}: {span([value(pair) for pair in found])}"
        for part, name in NAMES.items()
        if (found := chosen(part, runtime, weight))
    )


def published() -> dict[str, tuple[float, ...]]:
    """Table 1, by run."""
    with (HERE / "published.csv").open(newline="", encoding="utf-8") as file:
        return {
            line["run"]: tuple(float(line[f"instance_{i}"]) for i in range(1, 9))
            for line in csv.DictReader(file)
        }


def compare() -> dict[str, Comparison]:
    """All statements."""
    return {**_table(), **_figures(), **_statistics(), **_speedups(), **_sensitivity()}


def _table() -> dict[str, Comparison]:
    found = {}
    for run, times in published().items():
        others = [*times[:6], times[7]]
        more = 100 * (times[6] / fmean(times) - 1)
        more_than_others = 100 * (times[6] / fmean(others) - 1)
        found[f"table-1-{run}"] = Comparison(
            f"the printed values: mean {fmean(times):.1f} s, s / mean {cv(times):.3f};"
            f" instance 7 {more:+.0f} % of the mean, {more_than_others:+.0f} % of the others'",
            f"by Eq. 3 and 5: {cv(times) / math.sqrt(8):.3f}",
            "reproduced" if max(times) == times[6] and run == "5" else "contradicted",
            "computed again from the table"
            if run == "5"
            else "50 % is instance 7 of run 5 (48 %); in run 2 it took more than twice the average",
        )
    return found


def _verdicts(name: str) -> str:
    summary = json.loads((HERE / "summary.json").read_text(encoding="utf-8"))
    found: dict[str, list[str]] = {}
    for record, its in summary.items():
        for claim in its.get("claims", ()):
            if name in (claim["name"] or ""):
                found.setdefault(claim["verdict"].replace("_", " "), []).append(record.rpartition("-")[2])
    return "; ".join(f"{verdict} on {', '.join(ranks)} ranks" for verdict, ranks in found.items())


def _figures() -> dict[str, Comparison]:
    drawn = Comparison("the program's own classes", "workloads/agm", "reproduced", "implemented as defined")
    found = {f"figure-{n}": drawn for n in (1, 2, 3)}
    for figure, runtime, weight in ((4, "hpx-5", "255"), (6, "hpx-5", "100"), (8, "am++", "100")):
        ahead = {
            name: [p.speedup > 1 for p in its]
            for part, name in NAMES.items()
            if (its := chosen(part, runtime, weight))
        }
        text = "Δ = 1 faster in " + "; ".join(
            f"{sum(faster)} of {len(faster)} runs ({name})" for name, faster in ahead.items()
        )
        slower = chosen("simulated", "hpx-5", weight)
        quicker = {(p.scale, p.run): p for p in chosen("simulated", "am++", weight)}
        both = sum(
            fmean(quicker[p.scale, p.run].kla) < fmean(p.kla)
            and fmean(quicker[p.scale, p.run].delta) < fmean(p.delta)
            for p in slower
            if (p.scale, p.run) in quicker
        )
        if figure == 8:
            text += f"; both orders faster on AM++ in {both} of {len(slower)} runs (simulated)"
        found[f"figure-{figure}"] = Comparison(
            text,
            _verdicts("on HPX-5, Δ-stepping is faster" if runtime == "hpx-5" else "on AM++, Δ-stepping"),
            "not resolved",
            "real runs and the paper's sizes agree on HPX-5; simulated networks with noise decide the rest",
        )
    for figure, runtime, weight, low, high in (
        (5, "hpx-5", "255", 3, 11),
        (7, "hpx-5", "100", 3, 11),
        (9, "am++", "100", 1, 3),
    ):
        real = [p.speedup for p in chosen("real", runtime, weight)]
        inside = sum(low <= value <= high for value in real)
        found[f"figure-{figure}"] = Comparison(
            each_part(lambda p: p.speedup, runtime, weight),
            _ours("real", runtime, weight),
            "reproduced" if inside == len(real) else "not resolved",
            f"{inside} of {len(real)} real runs lie between {low} and {high}",
        )
    for figure, runtime, weight in ((10, "hpx-5", "255"), (11, "hpx-5", "100"), (12, "am++", "100")):
        runs = [p for part in NAMES for p in chosen(part, runtime, weight)]
        above = sum(cv(p.kla) > cv(p.delta) for p in runs)
        kla = [cv(p.kla) for p in runs]
        delta = [cv(p.delta) for p in runs]
        outcome: Outcome = "reproduced" if above > 0.9 * len(runs) else "not resolved"
        found[f"figure-{figure}"] = Comparison(
            f"s / mean: KLA {span(kla)}, Δ = 1 {span(delta)}",
            f"KLA's is larger in {above} of {len(runs)} runs",
            outcome,
            "what the paper plots as RSU is s / mean, as its 0.5 shows, not its Eq. 3",
        )
    return found


def _ours(part: str, runtime: str, weight: str) -> str:
    summary = json.loads((HERE / "summary.json").read_text(encoding="utf-8"))
    said = []
    for record, its in summary.items():
        if not record.startswith(part):
            continue
        for one in its["comparisons"]:
            where = one["stratum"]
            if where["runtime"] == runtime and str(where["weight"]) == weight:
                low, high = one["ci95"]
                said.append(f"{record}: {one['adjusted']['value']:.3g} [{low:.3g}, {high:.3g}]")
    return "; ".join(said)


def _statistics() -> dict[str, Comparison]:
    run_2 = published()["2"]
    every = pairs()
    inside = within = 0
    groups: dict[tuple[str, ...], list[Pair]] = {}
    for pair in every:
        groups.setdefault((pair.part, pair.runtime, pair.weight, pair.scale), []).append(pair)
    several = [its for its in groups.values() if len(its) >= 5]
    for its in several:
        inside += all(abs(a.speedup - b.speedup) <= b.sigma for a in its for b in its)
    total = 0
    for its in several:
        for pair in its:
            ratios = [k / d for k, d in zip(pair.kla, pair.delta, strict=True)]
            within += sum(abs(ratio - pair.speedup) <= pair.sigma for ratio in ratios)
            total += len(ratios)
    spread = [max(p.speedup for p in its) / min(p.speedup for p in its) - 1 for its in several]
    rel = {
        runtime: [p.sigma / p.speedup for p in every if p.runtime == runtime] for runtime in ("hpx-5", "am++")
    }
    return {
        "eq-5": Comparison(
            f"Table 1, run 2: s / mean {cv(run_2):.3f}, by Eq. 3 and 5 {cv(run_2) / math.sqrt(8):.3f}",
            "`steelyard` reports both, by name",
            "contradicted",
            "the paper's own figures and its 0.5 are of s, not of the mean",
        ),
        "eq-10": Comparison(
            "Eq. 10 on every run",
            "its `spread`; 95 % intervals of paired log ratios decide",
            "reproduced",
            "Eq. 10 takes KLA and Δ = 1 as uncorrelated, but they share the sources",
        ),
        "averages-inside": Comparison(
            f"in {inside} of {len(several)} groups of runs",
            "–",
            "reproduced" if inside == len(several) else "not resolved",
            "all three parts, every group of five or ten runs",
        ),
        "clusters": Comparison(
            f"largest over least of the runs of a group: {100 * min(spread):.1f} to"
            f" {100 * max(spread):.0f} % more, {100 * median(spread):.0f} % in the middle",
            "; ".join(
                f"runs carry up to {100 * max(_runs(part)):.0f} % of the variance ({NAMES[part]})"
                for part in ("simulated", "real")
            ),
            "reproduced",
        ),
        "68": Comparison(
            f"{100 * within / total:.0f} % of the ratios of single sources lie within ± σ",
            "intervals at 95 % are of the mean over sources",
            "reproduced" if 58 <= 100 * within / total <= 78 else "contradicted",
            "sources are shared, so that Eq. 10, which takes them as independent, is too wide or too narrow",
        ),
        "half": Comparison(
            "; ".join(f"{name} {100 * min(v):.0f} to {100 * max(v):.0f} %" for name, v in rel.items()),
            "Eq. 10 over the speedup, all parts",
            "contradicted",
            "no run reaches 50 %",
        )
        if max(max(v) for v in rel.values()) < 0.5
        else Comparison("", "", "not resolved"),
        "rsu-half": Comparison(
            f"Table 1, run 2: s / mean {cv(run_2):.3f}; RSU by Eq. 3 {cv(run_2) / math.sqrt(8):.3f}",
            f"ours: s / mean of KLA {span([cv(p.kla) for p in every])}",
            "contradicted",
            "0.5 is the coefficient of variation; the RSU that the paper defines is a √8-th of it",
        ),
        "instance-7": Comparison(
            f"Table 1, run 2: {100 * (run_2[6] / fmean(run_2) - 1):+.0f} %;"
            f" run 5: {100 * (published()['5'][6] / fmean(published()['5']) - 1):+.0f} %",
            "the source that carries most of the variance is named, with its share",
            "contradicted",
            "true of run 5, said of run 2",
        ),
    }


def _runs(part: str) -> list[float]:
    """What runs carry of the variance of each treatment."""
    summary = json.loads((HERE / "summary.json").read_text(encoding="utf-8"))
    return [
        sample["instances"]["runs"]
        for record, its in summary.items()
        if record.startswith(part)
        for sample in its["samples"]
        if sample.get("instances")
    ]


def _speedups() -> dict[str, Comparison]:
    every = pairs()
    hpx = [p for p in every if p.runtime == "hpx-5"]
    ahead = {
        name: (sum(p.speedup > 1 for p in its), len(its))
        for part, name in NAMES.items()
        if (its := chosen(part, "hpx-5"))
    }
    scales = sorted({p.scale for p in chosen("papers", "hpx-5")})
    means = {s: fmean(p.speedup for p in chosen("papers", "hpx-5") if p.scale == s) for s in scales}
    keyed = {(p.part, p.weight, p.scale, p.run): p for p in every if p.runtime == "am++"}
    twins = [(p, keyed[key]) for p in hpx if (key := (p.part, p.weight, p.scale, p.run)) in keyed]
    faster = sum(fmean(a.kla) < fmean(h.kla) and fmean(a.delta) < fmean(h.delta) for h, a in twins)
    smaller = sum(stdev(a.kla) < stdev(h.kla) and stdev(a.delta) < stdev(h.delta) for h, a in twins)
    one = {w: [p.speedup for p in chosen("real", "hpx-5", w)] for w in ("255", "100")}
    return {
        "weak": Comparison(
            "scale 14 to 18 on 16 to 256 ranks in virtual time; 11 to 15 on 2 to 32 simulated;"
            " real 13 and 14",
            "the same",
            "reproduced",
            "as simulated: a machine of 16 nodes was not there",
        ),
        "larger-s": Comparison(
            f"in {sum(stdev(p.kla) > stdev(p.delta) for p in hpx)} of {len(hpx)} runs",
            f"s / mean, too, in {sum(cv(p.kla) > cv(p.delta) for p in hpx)}",
            "reproduced",
        ),
        "delta-faster": Comparison(
            "; ".join(f"{name}: in {n} of {total} runs" for name, (n, total) in ahead.items()),
            _verdicts("on HPX-5, Δ-stepping is faster"),
            "not resolved",
            "in all real runs and at the paper's sizes; not on 8 and more simulated ranks with noise"
            " of links",
        ),
        "range": Comparison(
            each_part(lambda p: p.speedup, "hpx-5"),
            _verdicts("at least 3 times"),
            "contradicted",
            "the direction holds where the network is quiet; a factor of 3 is reached nowhere",
        ),
        "settles": Comparison(
            "the paper's sizes: " + ", ".join(f"scale {s}: {v:.2f}" for s, v in means.items()),
            "–",
            "not resolved",
            "it falls from one node to two and settles there, far below 6",
        ),
        "two-inputs": Comparison(
            f"real: weights to 255 {span(one['255'])}, to 100 {span(one['100'])}",
            "; ".join(
                f"simulated, to {w}: {span([p.speedup for p in chosen('simulated', 'hpx-5', w)])}"
                for w in ("255", "100")
            ),
            "reproduced",
        ),
        "faster-am": Comparison(f"in {faster} of {len(twins)} runs", "–", "reproduced"),
        "smaller-am": Comparison(
            f"in {smaller} of {len(twins)} runs",
            "s in seconds; s / mean is not smaller",
            "reproduced",
            "as absolute deviations of shorter times",
        ),
        "hpx-6": Comparison(
            each_part(lambda p: p.speedup, "hpx-5"),
            _ours("real", "hpx-5", "255"),
            "contradicted",
            "what an item costs over an epoch decides the factor; the paper states neither",
        ),
        "am-2": Comparison(
            each_part(lambda p: p.speedup, "am++"),
            _ours("real", "am++", "255"),
            "not resolved",
            "real runs lie within 2 ± 1; simulated ones have KLA ahead, since items are cheap there",
        ),
    }


def _sensitivity() -> dict[str, Comparison]:
    every = pairs()
    groups: dict[tuple[str, ...], list[Pair]] = {}
    for pair in every:
        if pair.part != "papers":
            groups.setdefault((pair.part, pair.runtime, pair.weight, pair.scale), []).append(pair)
    same = {"simulated": [0, 0], "real": [0, 0]}
    for key, its in groups.items():
        slowest = {max(range(8), key=lambda i, p=p: p.kla[i]) for p in its}  # type: ignore[misc]
        same[key[0]][0] += len(slowest) == 1
        same[key[0]][1] += 1
    counted = "; ".join(f"{part}: in {a} of {b} groups" for part, (a, b) in same.items())
    above = sum(cv(p.kla) > cv(p.delta) for p in every)
    am = [p for p in every if p.runtime == "am++"]
    largest = sorted(((cv(p.kla), "KLA") for p in every), reverse=True)
    top = sorted([*largest, *((cv(p.delta), "Δ") for p in every)], reverse=True)[:20]
    summary = json.loads((HERE / "summary.json").read_text(encoding="utf-8"))
    shares = [
        (s["levels"]["order"], s["instances"]["between"], s["instances"]["runs"])
        for record, its in summary.items()
        if record.startswith(("simulated", "real"))
        for s in its["samples"]
        if s.get("instances")
    ]
    of_kla = [100 * b for order, b, _ in shares if order == "kla"]
    of_delta = [100 * b for order, b, _ in shares if order == "delta"]
    work = {
        (i["order"], i["record"]): i["items"] for record, its in summary.items() for i in _work(record, its)
    }
    more = [
        work["kla", record] / items
        for (order, record), items in work.items()
        if order == "delta" and ("kla", record) in work
    ]
    return {
        "sources": Comparison(
            "the slowest source of KLA is the same in all runs " + counted,
            f"sources carry {span(of_kla)} % of the variance of KLA, {span(of_delta)} % of Δ = 1's",
            "reproduced",
        ),
        "consistent-7": Comparison(
            "one source is the slowest of KLA in all runs " + counted,
            "named by `analysis.instances`, with its share",
            "not resolved",
            "less so the larger the graph",
        ),
        "max-rsu": Comparison(
            f"of the 20 largest s / mean {sum(name == 'KLA' for _, name in top)} are KLA's",
            f"KLA's is larger in {above} of {len(every)} runs",
            "reproduced" if all(name == "KLA" for _, name in top) else "not resolved",
        ),
        "sensitive": Comparison(
            f"s / mean of KLA is the larger in {above} of {len(every)} runs",
            f"sources carry {median(of_kla):.0f} % of KLA's variance in the middle, {median(of_delta):.0f} %"
            " of Δ = 1's",
            "reproduced",
        ),
        "delta-steady": Comparison(
            f"s / mean of Δ = 1: {each_part(lambda p: cv(p.delta), 'hpx-5')}",
            f"on AM++: {each_part(lambda p: cv(p.delta), 'am++')}",
            "reproduced",
            "of HPX-5, which the paper says it of; real runs on AM++ are not steady",
        ),
        "close-am": Comparison(
            f"KLA over Δ = 1: {each_part(lambda p: cv(p.kla) / cv(p.delta), 'am++')}",
            f"within a factor of 2 in {sum(0.5 < cv(p.kla) / cv(p.delta) < 2 for p in am)} of {len(am)} runs",
            "not resolved",
            "close in real runs, far apart in simulated ones; scale 17 was not run",
        ),
        "asynchronous": Comparison(
            f"KLA works on {span(more, 2)} times as many useful items",
            "counts, simulated",
            "reproduced",
        ),
        "inform": Comparison(
            "instances stand out, and speedups of two inputs can be compared",
            "instances with their share of the variance; what carries over is the interval, not ± σ",
            "reproduced",
        ),
    }


def _work(record: str, its: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for sample in its["samples"]:
        if sample["metric"] == "items_useful" and record.startswith("simulated"):
            levels = sample["levels"]
            yield {
                "order": levels["order"],
                "record": f"{record} {levels['runtime']} {levels['weight']}",
                "items": sample["mean"],
            }


def findings() -> list[str]:
    """What the paper did not know."""
    run_2 = published()["2"]
    ratios = [cv(p.kla) / cv(p.delta) for p in pairs()]
    return [
        (
            f"The Value of Variance: its RSU of 0.5 is s / mean ({cv(run_2):.3f} of Table 1); by its own"
            " Eq. 3 and 5 it"
            f" is {cv(run_2) / math.sqrt(8):.3f}. Instance 7, said to take 50 % more than the average in"
            " run 2, takes"
            f" {100 * (run_2[6] / fmean(run_2) - 1):.0f} % more."
        ),
        (
            "What decides between Δ-stepping and KLA is the cost of an item over that of an epoch, which"
            " the paper states"
            " of neither runtime; the value of variance itself stands: s / mean of KLA is"
            f" {median(ratios):.1f} times that of Δ = 1 in the middle of all runs."
        ),
    ]
