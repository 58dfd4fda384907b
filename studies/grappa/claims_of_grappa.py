"""Rules and claims on what our runtime gives: rates, times, counts, and intervals of real runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from declarations import Answer, Data, Judge, Verdict, judge_interval
from scipy import stats

IN_MEMORY: Final = ("values/uts-memory.csv", "values/uts-memory-deep.csv")
REAL_TREES: Final = "values/real.csv"
BFS: Final = "values/bfs.csv"
REAL_GRAPH: Final = "values/real-graph.csv"
BUFFERS: Final = "values/buffers.csv"
PING: Final = "values/ping.csv"
AGGREGATOR: Final = "values/aggregator.csv"
RESPONSE: Final = "values/response.csv"
REAL_TASKS: Final = "values/real-tasks.csv"
THRESHOLD: Final = "values/threshold.csv"
CHUNKS: Final = "values/chunks.csv"
SCREENING: Final = "values/screening.csv"
SCREENING_UTS: Final = "values/screening-uts.csv"
RUN: Final = ".venv/bin/python studies/grappa/study.py "
BEYOND: Final = 0.05
"""What differs by less is alike."""
TREES: Final = ("T1", "T2", "T3")
Key = tuple[str, ...]
Where = Mapping[str, str]


def values_by(data: Data, file: str, metric: str, *names: str, **where: str) -> dict[Key, list[float]]:
    """Values of a metric by these levels, block by block, of the rows with those."""
    result: dict[Key, list[float]] = {}
    for row in data.table(file):
        if row[metric] and all(row[name] == level for name, level in where.items()):
            result.setdefault(tuple(row[name] for name in names), []).append(float(row[metric]))
    if not result:
        raise LookupError(f"{file} has no {metric} where {where}")
    return result


def medians(data: Data, file: str, metric: str, *names: str, **filters: str) -> dict[Key, float]:
    """Their medians."""
    return {
        key: statistics.median(values)
        for key, values in values_by(data, file, metric, *names, **filters).items()
    }


def interval(logs: Sequence[float]) -> tuple[float, float, float]:
    """A mean ratio and its 95 % interval (t over blocks), from logarithms."""
    mean = statistics.fmean(logs)
    if len(set(logs)) == 1:
        return math.exp(mean), math.exp(mean), math.exp(mean)
    ends = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    return math.exp(mean), math.exp(ends.low), math.exp(ends.high)


def paired(over: Sequence[float], under: Sequence[float]) -> tuple[float, float, float]:
    """The ratio of two treatments, block by block."""
    return interval([math.log(upper / lower) for upper, lower in zip(over, under, strict=True)])


def beside(
    text: str, low: float, high: float, bounds: tuple[float, float], runs: int, command: str
) -> Answer:
    """Whether an interval of runs lies between two bounds."""
    return judge_interval(text, (low, high), bounds, runs, command, " runs")


def worst(answers: Sequence[Answer]) -> Answer:
    """Several statements that have to hold together."""
    order: tuple[Verdict, ...] = ("fails", "not resolved", "holds")
    first = min(answers, key=lambda answer: order.index(answer.verdict))
    return first._replace(text="; ".join(answer.text for answer in answers))


def rates_in_memory(data: Data, tree: str) -> dict[int, float]:
    """Million nodes a second by ranks, with the tree in memory."""
    for file in IN_MEMORY:
        if any(row["tree"] == tree for row in data.table(file)):
            rates = medians(data, file, "rate", "p", tree=tree)
            return {
                int(p): 1e-6 * rate for (p,), rate in sorted(rates.items(), key=lambda item: int(item[0][0]))
            }
    raise LookupError(tree)


def poorest_in_memory(data: Data) -> Answer:
    """Whether the binomial tree has the lowest rate on 8 ranks."""
    rates = {tree: rates_in_memory(data, tree)[8] for tree in ("T1L", "T2L", "T3L")}
    text = "8 ranks, M nodes/s: " + ", ".join(f"{tree} {rate:.3g}" for tree, rate in rates.items())
    return Answer(text, "holds" if min(rates, key=lambda tree: rates[tree]) == "T3L" else "fails")


def poorest_real(data: Data) -> Answer:
    """Whether its rate on two real ranks is below that of either other tree, block by block."""
    rates = {tree: values_by(data, REAL_TREES, "rate", p="2", tree=tree)[()] for tree in TREES}
    answers = []
    for tree_name in ("T1", "T2"):
        mean, low, high = paired(rates["T3"], rates[tree_name])
        text = f"T3 {mean:.2f} × [{low:.2f}, {high:.2f}] of {tree_name}'s rate on two real ranks"
        answers.append(beside(text, low, high, (0, 1), len(rates["T3"]), RUN + "real"))
    return worst(answers)


def near(of_rates: str, published: float, factor: float) -> Judge:
    """Whether a simulated rate lies within a factor of the published one."""

    def judge(data: Data) -> Answer:
        rates = rates_in_memory(data, "T1L")
        rate = rates[60] if of_rates == "rate" else (rates[60] - rates[32]) / (60 - 32)
        unit = "M/s on 60 ranks" if of_rates == "rate" else "M/s a rank from 32 to 60"
        within = published / factor <= rate <= published * factor
        return Answer(f"{rate:.3g} {unit}", "holds" if within else "fails")

    return judge


def ever_less(data: Data) -> Answer:
    """Whether rates grow at every step to 128 ranks, and a rank adds less at each."""
    rates = rates_in_memory(data, "T1L")
    gains = [(rates[q] - rates[p]) / (q - p) for p, q in pairwise(rates)]
    text = (
        f"T1L on {', '.join(map(str, rates))} ranks:"
        f" {', '.join(f'{rate:.0f}' for rate in rates.values())} M/s"
    )
    grows = all(step > 0 for step in gains) and all(before > after for before, after in pairwise(gains))
    return Answer(text, "holds" if grows else "fails")


def two_ranks_gain(data: Data) -> Answer:
    """Whether two real ranks have a higher rate than one, of each tree."""
    answers = []
    for tree in TREES:
        by_p = values_by(data, REAL_TREES, "rate", "p", tree=tree)
        mean, low, high = paired(by_p["2",], by_p["1",])
        text = f"{tree} {mean:.2f} × [{low:.2f}, {high:.2f}] on two real ranks"
        answers.append(beside(text, low, high, (1, math.inf), len(by_p["1",]), RUN + "real"))
    return worst(answers)


def fewer_full(data: Data) -> Answer:
    """Whether ever fewer messages of T1L leave since they were full, from 8 ranks on."""
    shares = {}
    for p in ("8", "32", "60", "128"):
        full, sent = (
            medians(data, IN_MEMORY[0], metric, tree="T1L", p=p)[()]
            for metric in ("flushes_full", "messages")
        )
        shares[p] = full / sent
    text = "of T1L's messages full: " + ", ".join(f"{100 * share:.1f} %" for share in shares.values())
    return Answer(text, "holds" if all(a > b for a, b in pairwise(shares.values())) else "fails")


def harder_to_fill(data: Data) -> Answer:
    """Whether the fraction of full messages of the same updates never rises with ranks, and falls by half."""
    shares = medians(data, BUFFERS, "full_fraction", "p")
    shares_by_ranks = [share for _, share in sorted(shares.items(), key=lambda item: int(item[0][0]))]
    text = "full: " + ", ".join(f"{share:.2f}" for share in shares_by_ranks)
    falls = (
        all(before >= after for before, after in pairwise(shares_by_ranks))
        and shares_by_ranks[-1] < shares_by_ranks[0] / 2
    )
    return Answer(text, "holds" if falls else "fails")


def emptier(data: Data) -> Answer:
    """Whether the bytes of a mean message fall with them."""
    sizes = medians(data, BUFFERS, "mean_message_bytes", "p")
    sizes_by_ranks = [size for _, size in sorted(sizes.items(), key=lambda item: int(item[0][0]))]
    text = f"{sizes_by_ranks[0]:.0f} to {sizes_by_ranks[-1]:.0f} bytes of a mean message"
    return Answer(text, "holds" if sizes_by_ranks[-1] < sizes_by_ranks[0] / 2 else "fails")


def effect(file: str, knob: str, title: str, command: str, *, least: float | None = None) -> Judge:
    """Whether the second level of a knob is faster over all others: above ``least``, or by an interval."""

    def judge(data: Data) -> Answer:
        rows = data.table(file)
        low_level = min({row[knob] for row in rows}, key=float)
        by_block: dict[str, list[float]] = {}
        for row in rows:
            sign = -1.0 if row[knob] == low_level else 1.0
            by_block.setdefault(row["block"], []).append(sign * math.log(float(row["time_s"])))
        logs = [-2 * statistics.fmean(block_logs) for block_logs in by_block.values()]
        mean, low, high = interval(logs)
        text = f"{title}: {mean:.2f} × [{low:.2f}, {high:.2f}] as fast"
        if least is not None:
            return Answer(text, "holds" if mean > least else "fails")
        return beside(text, low, high, (1, math.inf), len(logs), command)

    return judge


def searches_scale(data: Data) -> Answer:
    """Whether breadth-first search at scale 20 is faster on 128 ranks than on any fewer, simulated."""
    rates: dict[int, float] = {}
    for (p,), values in values_by(data, BFS, "teps", "p", scale="20").items():
        rates[int(p)] = 1e-6 * max(values)
    chosen = {p: rates[p] for p in (1, 8, 32, 96, 128)}
    text = (
        f"{', '.join(f'{rate:.0f}' for rate in chosen.values())} MTEPS on {', '.join(map(str, chosen))} ranks"
    )
    return Answer(text, "holds" if all(a < b for a, b in pairwise(chosen.values())) else "fails")


def two_ranks_search(data: Data) -> Answer:
    """Whether two real ranks search faster than one, by tasks."""
    rates = values_by(data, REAL_GRAPH, "teps_harmonic_mean", "p", op="bfs", way="--blocking")
    mean, low, high = paired(rates["2",], rates["1",])
    text = f"{mean:.2f} × [{low:.2f}, {high:.2f}] on two real ranks"
    return beside(text, low, high, (1, math.inf), len(rates["1",]), RUN + "real-graph")


def _bandwidth(data: Data, op: str, payload: str) -> list[float]:
    return values_by(data, PING, "bandwidth", op=op, payload=payload)[()]


def _peak(data: Data) -> float:
    return max(medians(data, PING, "bandwidth", "payload", op="mpi").values())


def share(op: str, payload: str, least: float, most: float, *, by_rule: bool) -> Judge:
    """Whether real messages of this size use such a share of the peak: the median, or a 95 % interval."""

    def judge(data: Data) -> Answer:
        rates, peak = _bandwidth(data, op, payload), _peak(data)
        middle = statistics.median(rates) / peak
        if by_rule:
            text = f"{100 * middle:.2g} % of the peak of two ranks"
            return Answer(text, "holds" if least <= middle <= most else "fails")
        mean, low, high = (end / peak for end in interval([math.log(rate) for rate in rates]))
        text = f"{100 * mean:.2g} % [{100 * low:.2g}, {100 * high:.2g}]"
        return beside(text, low, high, (least, most), len(rates), RUN + "ping")

    return judge


def largest_share(op: str, most: float) -> Judge:
    """Whether messages of no size use more of the peak."""

    def judge(data: Data) -> Answer:
        peak = _peak(data)
        shares = {
            payload: rate / peak
            for (payload,), rate in medians(data, PING, "bandwidth", "payload", op=op).items()
        }
        payload = max(shares, key=lambda size: shares[size])
        text = f"at most {100 * shares[payload]:.0f} %, of {payload} bytes"
        return Answer(text, "holds" if shares[payload] <= most else "fails")

    return judge


def times_raw(least: float, *, by_rule: bool) -> Judge:
    """Whether aggregation sends 32 bytes so many times faster than raw messages, on real ranks."""

    def judge(data: Data) -> Answer:
        aggregated, raw = (_bandwidth(data, op, "32") for op in ("aggregated", "raw"))
        if by_rule:
            ratio = statistics.median(aggregated) / statistics.median(raw)
            return Answer(f"{ratio:.1f} × on real ranks", "holds" if ratio >= least else "fails")
        mean, low, high = paired(aggregated, raw)
        text = f"{mean:.1f} × [{low:.1f}, {high:.1f}]"
        return beside(text, low, high, (least, math.inf), len(raw), RUN + "ping")

    return judge


def mean_size(least: float, most: float) -> Judge:
    """Whether messages of breadth-first search have so many bytes on average before aggregation."""

    def judge(data: Data) -> Answer:
        means = {}
        for p in ("32", "96"):
            counts = {
                int(end): values[0]
                for (end,), values in values_by(
                    data, AGGREGATOR, "items_by_bytes", "up_to", p=p, active_tasks="3072", buffer_bytes="4096"
                ).items()
            }
            means[p] = sum(end * count for end, count in counts.items()) / sum(counts.values())
        text = ", ".join(f"at most {mean:.0f} bytes on {p} ranks" for p, mean in means.items())
        inside = all(least <= mean <= most for mean in means.values())
        return Answer(text, "holds" if inside else "fails")

    return judge


def aggregator_gains(least: float, *tasks: str) -> Judge:
    """Whether the aggregator makes the search of scale 20 on 96 ranks so many times faster."""

    def judge(data: Data) -> Answer:
        times = medians(data, AGGREGATOR, "time_s", "buffer_bytes", "active_tasks", p="96")
        gains = {block_logs: times["0", block_logs] / times["4096", block_logs] for block_logs in tasks}
        text = ", ".join(f"{gain:.1f} × with {int(block_logs):,} tasks" for block_logs, gain in gains.items())
        return Answer(text, "holds" if min(gains.values()) >= least else "fails")

    return judge


def _grid(data: Data, p: str) -> dict[str, dict[str, float]]:
    """Times by tasks and flush age."""
    grid: dict[str, dict[str, float]] = {}
    for (tasks, age), time in medians(data, RESPONSE, "time_s", "active_tasks", "flush_age", p=p).items():
        grid.setdefault(tasks, {})[age] = time
    return grid


def later(*tasks: str) -> Judge:
    """Whether the best flush age on 96 ranks is longer than on 32."""

    def judge(data: Data) -> Answer:
        texts, verdict = [], True
        for block_logs in tasks:
            ages = {
                p: min((grid := _grid(data, p)[block_logs]), key=lambda age, grid=grid: grid[age])
                for p in ("32", "96")
            }  # type: ignore[misc]
            texts.append(
                f"{int(block_logs):,} tasks: {1e3 * float(ages['32']):g} and {1e3 * float(ages['96']):g} ms"
            )
            verdict &= float(ages["96"]) > float(ages["32"])
        return Answer("best on 32 and 96 ranks, " + "; ".join(texts), "holds" if verdict else "fails")

    return judge


def _least(data: Data, p: str) -> dict[str, float]:
    return {tasks: min(times.values()) for tasks, times in _grid(data, p).items()}


def more_tasks_on_96(data: Data) -> Answer:
    """Whether 16,000 tasks beat 8,192 by more than 5 % on 96 ranks, and not on 32."""
    gains = {p: (best := _least(data, p))["8192"] / best["16000"] - 1 for p in ("32", "96")}
    text = "; ".join(
        f"{p} ranks: 16,000 are {100 * gain:.0f} % faster than 8,192" for p, gain in gains.items()
    )
    return Answer(text, "holds" if gains["96"] > BEYOND >= gains["32"] else "fails")


def enough_later(data: Data) -> Answer:
    """Whether the fewest tasks that are within 5 % of the best are more on 96 ranks than on 32."""
    fewest = {}
    for p in ("32", "96"):
        best = _least(data, p)
        fewest[p] = min(
            int(tasks) for tasks, time in best.items() if time <= (1 + BEYOND) * min(best.values())
        )
    text = f"{fewest['32']:,} tasks suffice on 32 ranks, {fewest['96']:,} on 96"
    return Answer(text, "holds" if fewest["96"] > fewest["32"] else "fails")


def few_tasks_cost(data: Data) -> Answer:
    """Whether 1,024 tasks take more than 5 % longer than 16,000 on 32 ranks and on 96."""
    ratios = {p: (best := _least(data, p))["1024"] / best["16000"] for p in ("32", "96")}
    text = "; ".join(
        f"{p} ranks: 1,024 tasks take {ratio:.1f} × as long as 16,000" for p, ratio in ratios.items()
    )
    return Answer(text, "holds" if min(ratios.values()) > 1 + BEYOND else "fails")


def many_tasks_cost(*, by_rule: bool) -> Judge:
    """Whether 64 tasks are faster than 65,536 on two real ranks."""

    def judge(data: Data) -> Answer:
        rates = values_by(data, REAL_TASKS, "teps_harmonic_mean", "active_tasks", p="2")
        few, many = rates["64",], rates["65536",]
        if by_rule:
            ratio = statistics.median(few) / statistics.median(many)
            return Answer(
                f"64 are {ratio:.1f} × as fast as 65,536", "holds" if ratio > 1 + BEYOND else "fails"
            )
        mean, low, high = paired(few, many)
        text = f"{mean:.2f} × [{low:.2f}, {high:.2f}]"
        return beside(text, low, high, (1, math.inf), len(few), RUN + "real-tasks")

    return judge


def about_ten(data: Data) -> Answer:
    """Whether a steal from geometric trees takes 5 to 20 nodes on average."""
    items, steals = (
        medians(data, CHUNKS, metric, "tree", chunk="0") for metric in ("items_stolen", "steals")
    )
    means = {tree: items[tree,] / steals[tree,] for (tree,) in items}
    text = "; ".join(f"{tree}: {mean:.1f} nodes a steal" for tree, mean in means.items())
    inside = all(5 <= mean <= 20 for tree, mean in means.items() if not tree.startswith("T3"))
    return Answer(text, "holds" if inside else "fails")


def chunks_matter(data: Data) -> Answer:
    """Whether the best chunk and the worst differ by more than 5 % in every tree."""
    texts, matters = [], True
    for tree in sorted({row["tree"] for row in data.table(CHUNKS)}):
        times = medians(data, CHUNKS, "time_s", "chunk", tree=tree)
        loss = max(times.values()) / min(times.values()) - 1
        (best,) = min(times, key=lambda key: times[key])
        texts.append(f"{tree}: best {best}, the worst {100 * loss:.0f} % slower")
        matters &= loss > BEYOND
    return Answer("; ".join(texts), "holds" if matters else "fails")


def _thresholds(data: Data) -> Iterator[tuple[str, dict[int, float]]]:
    for age in sorted({row["flush_age"] for row in data.table(THRESHOLD)}, key=float):
        times = medians(data, THRESHOLD, "time_s", "loop_threshold", flush_age=age)
        yield age, {int(level): time for (level,), time in times.items()}


def best_threshold(least: int, most: int) -> Judge:
    """Whether the best loop threshold lies between these at each flush age."""

    def judge(data: Data) -> Answer:
        texts, inside = [], True
        for age, times in _thresholds(data):
            best = min(times, key=lambda level, times=times: times[level])  # type: ignore[misc]
            texts.append(f"flush age {1e6 * float(age):g} µs: best at {best}")
            inside &= least <= best <= most
        return Answer("; ".join(texts), "holds" if inside else "fails")

    return judge


def amortises(data: Data) -> Answer:
    """Whether the best threshold is more than 5 % faster than 1 at each flush age."""
    texts, gains = [], []
    for age, times in _thresholds(data):
        gains.append(times[1] / min(times.values()))
        texts.append(f"{1e6 * float(age):g} µs: {gains[-1]:.2f} × as fast as 1")
    return Answer("; ".join(texts), "holds" if min(gains) > 1 + BEYOND else "fails")


def few_iterations_pay(data: Data) -> Answer:
    """Whether each threshold from 2 to 8 is faster than 1 at each flush age."""
    texts, gains = [], []
    for age, times in _thresholds(data):
        ratios = [times[1] / times[level] for level in (2, 4, 8)]
        gains += ratios
        texts.append(f"{1e6 * float(age):g} µs: {min(ratios):.2f} to {max(ratios):.2f} × as fast as 1")
    return Answer("; ".join(texts), "holds" if min(gains) > 1 else "fails")
