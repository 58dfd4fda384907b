"""Rules and claims on times, rounds, loads and memory of the sorts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Final

from declarations import Answer, Cause, Data, Judge
from rank_claims import Cell, Points, judge_ranks, medians, modelled
from ranking import describe, rank
from scipy.stats import mannwhitneyu

from steelyard.api.scaling import Method

HERE: Final = Path(__file__).resolve().parent
SPLITTER_BASED: Final = "values/splitter-based.csv"
RADIX_MINI: Final = "values/radix-mini.csv"
SEQUENTIAL: Final = "values/sequential.csv"
SHARES: Final = "values/shares.csv"
SCANS: Final = "values/scans.csv"
SIZES: Final = "values/sizes.csv"
ROUNDS: Final = "values/rounds.csv"
GAUSSIAN: Final = "values/gaussian.csv"
MEMORY: Final = "values/memory.csv"
GROUPS: Final = "values/groups.csv"
LOADS: Final = "values/loads.csv"
REAL: Final = "values/real.csv"
MEDIANS: Final = "values/medians.csv"
RANKS: Final = Cause(
    "machine",
    "a few hundred simulated ranks, where the paper has up to 2^16",
    ".venv/bin/python studies/parallel-sorting/study.py large",
)
PROBES: Final = Cause(
    "stand-in",
    "two rounds take many probes of a splitter, whose number the paper does not state",
    ".venv/bin/python studies/parallel-sorting/study.py rounds",
)
MOST_PROBES: Final = "64"
NEAR: Final = 0.05
"""Times and loads that differ by less are alike."""
LEAST_GAIN: Final = 5.0
"""Of all splitters together, which the study's `splitters.toml` claims."""
FLAT: Final = {"machine": "flat"}
FAT: Final = {"machine": "fat-tree"}


def read_points(file: str, **filters: str) -> Points:
    """Times of a whole sort by p."""
    return medians(file, "time_s", "p", phase="", **filters)


def phase(file: str, name: str, **filters: str) -> Points:
    """Times of a phase by p."""
    return medians(file, "phase_s", "p", phase=name, **filters)


def ranked(
    name: str,
    points: Mapping[str, Points],
    cell: Cell,
    method: Method,
    allowed: Iterable[str],
    command: str,
) -> Judge:
    """Whether the rank of each of several functions is one of these; open where one is undecided.

    A rank of none counts where growth is faster than expected.
    """

    def judge(data: Data) -> Answer:
        models = {
            parameter: modelled(data, f"{name} {parameter}", at, cell, method)
            for parameter, at in points.items()
        }
        return judge_ranks(models, allowed, Cause("too few runs", "a rank is undecided", command))

    return judge


def constant(data: Data) -> Answer:
    """Whether the local sort takes the same at every p, by the spread of its times."""
    times = [
        time
        for scan in ("library", "doubling")
        for time in phase(SCANS, "local_sort", scan=scan)(data).values()
    ]
    low, high = min(times), max(times)
    text = f"{1e6 * low:.3f} to {1e6 * high:.3f} µs at p = 4 … 128"
    return Answer(text, "holds" if high / low - 1 <= NEAR else "fails")


def _rounds(data: Data, **filters: str) -> dict[str, list[int]]:
    """Rounds of histogram sort by distribution."""
    rows = [row for row in data.table(ROUNDS) if row["rounds"]]
    rows = [row for row in rows if all(row[name] == level for name, level in filters.items())]
    return {
        distribution: [int(row["rounds"]) for row in rows if row["distribution"] == distribution]
        for distribution in ("uniform", "gaussian")
    }


def two_rounds(**filters: str) -> Judge:
    """Whether no run took more than two rounds."""

    def judge(data: Data) -> Answer:
        rounds = _rounds(data, **filters)
        text = ", ".join(f"{name} {min(counts)} to {max(counts)}" for name, counts in rounds.items())
        most = max(max(counts) for counts in rounds.values())
        return Answer(f"{text} rounds", "holds" if most <= 2 else "fails")

    return judge


def _both(data: Data) -> tuple[dict[float, float], dict[float, float]]:
    uniform, gaussian = (
        dict(read_points(GAUSSIAN, algorithm="histogram", distribution=distribution)(data))
        for distribution in ("uniform", "gaussian")
    )
    return uniform, gaussian


def same_model(method: Method) -> Judge:
    """Whether models of both distributions have one leading term."""
    cell = Cell("match", "p", "p")

    def judge(data: Data) -> Answer:
        growths = {
            name: modelled(
                data,
                f"same {name}",
                read_points(GAUSSIAN, algorithm="histogram", distribution=name),
                cell,
                method,
            ).growth()
            for name in ("uniform", "gaussian")
        }
        text = ", ".join(f"{name} {growth}" for name, growth in growths.items())
        return Answer(text, "holds" if len(set(growths.values())) == 1 else "fails")

    return judge


def same_times(data: Data) -> Answer:
    """Whether times of both distributions are alike at every p."""
    uniform, gaussian = _both(data)
    off = {p: gaussian[p] / uniform[p] - 1 for p in uniform}
    worst = max(off, key=lambda p: abs(off[p]))
    text = f"at most {100 * abs(off[worst]):.0f} % apart, at p = {worst:g}"
    return Answer(text, "holds" if abs(off[worst]) <= NEAR else "fails")


def _gains(data: Data, machine: str) -> dict[float, float]:
    single, together = (
        read_points(SPLITTER_BASED, algorithm="exact", schedule=schedule, machine=machine)(data)
        for schedule in ("sequential", "batched")
    )
    return {p: single[p] / together[p] for p in single if p in together}


def accumulates(data: Data) -> Answer:
    """Whether one splitter after the other costs at least so much more at p = 64, on the flat machine."""
    gain = _gains(data, "flat")[64.0]
    return Answer(
        f"{gain:.1f} × the time of all together at p = 64", "holds" if gain >= LEAST_GAIN else "fails"
    )


def accumulates_ever_more(data: Data) -> Answer:
    """Whether that factor grows at every step, on both machines."""
    texts, grows = [], True
    for machine in ("flat", "fat-tree"):
        gains = [gain for _, gain in sorted(_gains(data, machine).items())]
        texts.append(f"{machine} {gains[0]:.1f} to {gains[-1]:.1f} ×")
        grows &= all(before < after for before, after in pairwise(gains))
    return Answer(", ".join(texts), "holds" if grows else "fails")


def steps(data: Data) -> Answer:
    """Whether radix sort has 64 / k steps in every run."""
    names: dict[str, set[str]] = {}
    for row in data.table(RADIX_MINI):
        if row["algorithm"] == "radix" and row["rounds"]:
            names.setdefault(row["bits"], set()).add(row["rounds"])
    text = "; ".join(
        f"{'/'.join(sorted(counts))} steps for k = {bits}" for bits, counts in sorted(names.items())
    )
    right = all(counts == {str(64 // int(bits))} for bits, counts in names.items())
    return Answer(text, "holds" if right else "fails")


def memory_grows(data: Data) -> Answer:
    """Whether the counting step keeps more bytes with more bits and with more ranks, by messages."""
    by_bits = medians(MEMORY, "step_bytes", "bits", exchange="p2p", keys="1000", p="64")(data)
    by_ranks = medians(MEMORY, "step_bytes", "p", exchange="p2p", keys="1000", bits="8")(data)
    ratios = [max(sizes.values()) / sizes[min(sizes)] for sizes in (by_bits, by_ranks)]
    text = f"{ratios[0]:.2f} × from k = 1 to 8, {ratios[1]:.2f} × from p = 4 to 64"
    return Answer(text, "holds" if min(ratios) > 1 + NEAR else "fails")


CLOSE: Final = {"match": 0, "approximate": 1, "none": 2}


def _errors(data: Data) -> list[tuple[int, int, list[float], list[float]]]:
    """Errors of medians by a ternary tree and by a binary one of fewer elements, from small to large."""
    by_tree: dict[str, dict[int, list[float]]] = {}
    for row in data.table(MEDIANS):
        by_tree.setdefault(row["tree"], {}).setdefault(int(row["n"]), []).append(float(row["error"]))
    pairs = zip(by_tree["ternary"].items(), by_tree["binary"].items(), strict=True)
    return [(three, two, of_three, of_two) for (three, of_three), (two, of_two) in pairs]


def nearer_by_means(data: Data) -> Answer:
    """Whether a binary tree comes nearer to the median, on average at each size."""
    means = [(three, two, fmean(a), fmean(b)) for three, two, a, b in _errors(data)]
    text = "; ".join(
        f"{100 * b:.1f} % of {two} against {100 * a:.1f} % of {three}" for three, two, a, b in means
    )
    return Answer(text, "holds" if all(b < a for _, _, a, b in means) else "fails")


def nearer_by_ranks(data: Data) -> Answer:
    """Whether errors of the binary tree are smaller at each size (Mann and Whitney, Bonferroni)."""
    errors = _errors(data)
    smaller = [float(mannwhitneyu(b, a, alternative="less").pvalue) for _, _, a, b in errors]
    larger = [float(mannwhitneyu(b, a, alternative="greater").pvalue) for _, _, a, b in errors]
    level = 0.05 / len(errors)
    fewer, most = (sum(p < level for p in values) for values in (smaller, larger))
    text = f"smaller at {fewer}, larger at {most} of {len(errors)} sizes"
    if max(smaller) < level:
        return Answer(text, "holds")
    if min(larger) < level:
        return Answer(text, "fails")
    return Answer(
        text,
        "not resolved",
        Cause("too few runs", "4,000 draws", ".venv/bin/python studies/parallel-sorting/medians.py"),
    )


def with_a_torus(flat: Judge, torus: Judge) -> Judge:
    """The answer on the flat machine, with that of a torus of at most eight nodes written beside it."""

    def judge(data: Data) -> Answer:
        answer = flat(data)
        return answer._replace(text=f"{answer.text}; on a torus of at most eight nodes {torus(data).text}")

    return judge


def closer(method: Method, command: str) -> Judge:
    """Whether ranks with k = 8 are no worse than with k = 4 on either machine, and better on one."""

    def judge(data: Data) -> Answer:
        ranks, texts = {}, []
        for bits in ("4", "8"):
            for machine in ("fat-tree", "flat"):
                points = read_points(RADIX_MINI, algorithm="radix", bits=bits, machine=machine)
                cell = Cell("match", "log p", "p", "wide", "p^0.5")
                model = modelled(data, f"closer {bits} {machine}", points, cell, method)
                ranks[bits, machine] = rank(model)
                texts.append(f"k = {bits} {machine}: {describe(model)}")
        text = "; ".join(texts)
        if "undecided" in ranks.values():
            return Answer(text, "not resolved", Cause("too few runs", "a rank is undecided", command))
        pairs = [(CLOSE[ranks["4", machine]], CLOSE[ranks["8", machine]]) for machine in ("fat-tree", "flat")]
        better = all(eight <= four for four, eight in pairs) and any(eight < four for four, eight in pairs)
        return Answer(text, "holds" if better else "fails")

    return judge


def overtakes(machine: str) -> Judge:
    """Whether sample sort is slower than histogram sort on the most ranks, ever more in three steps."""

    def judge(data: Data) -> Answer:
        sample, histogram = (
            read_points(SPLITTER_BASED, algorithm=name, schedule="batched", machine=machine)(data)
            for name in ("sample", "histogram")
        )
        ratios = {p: sample[p] / histogram[p] for p in sorted(sample) if p in histogram}
        last = [*ratios.values()][-4:]
        behind = next((p for p, ratio in ratios.items() if ratio > 1), None)
        growing = all(before < after for before, after in pairwise(last))
        text = f"{machine}: {last[-1]:.2f} × at p = {max(ratios):g}" + (
            f", slower from p = {behind:g} on" if behind else ""
        )
        return Answer(text, "holds" if last[-1] > 1 and growing else "fails")

    return judge


def both_machines(judge: Callable[[str], Judge]) -> Judge:
    """Whether a claim holds on the flat machine and on the fat tree."""

    def together(data: Data) -> Answer:
        answers = [judge(machine)(data) for machine in ("flat", "fat-tree")]
        holds = all(answer.verdict == "holds" for answer in answers)
        return Answer("; ".join(answer.text for answer in answers), "holds" if holds else "fails")

    return together


def balanced(algorithm: str, most: float, *files: str) -> Judge:
    """Whether no run had a larger load than this, over the mean."""

    def judge(data: Data) -> Answer:
        loads = [
            float(row["load"])
            for file in files
            for row in data.table(file)
            if row["algorithm"] == algorithm and row["load"]
        ]
        text = f"largest load over the mean {min(loads):.3f} to {max(loads):.3f}, {len(loads)} runs"
        return Answer(text, "holds" if max(loads) <= most else "fails")

    return judge
