"""Rules of the paper and claims of ours on runs of eight sources: means, standard deviations, speedups."""

from __future__ import annotations

import math
import re
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Final, NamedTuple

from declarations import Answer, Cause, Data, Judge, Verdict, runs_to_decide
from scipy.stats import binom, chi2, f, t

from steelyard.api import KeptBlock, LabelledValue, Record, experiment, write_values
from steelyard.api.claims import RatioEvidence, check
from steelyard.api.text import Scalar

HERE: Final = Path(__file__).resolve().parent
RUN: Final = ".venv/bin/python studies/value-of-variance/study.py real --ranks 1,2"
SOURCES: Final = 8
REAL: Final = "real-runs.csv"
PAPERS: Final = "papers-runs.csv"
SIMULATED: Final = "simulated-runs.csv"
TABLE_1: Final = "published.csv"
STATED: Final = "statements.csv"
PLACES: Final = {
    REAL: "real",
    PAPERS: "the paper's sizes, simulated",
    SIMULATED: "a torus, simulated",
}
QUIET: Final = "0"
NOISY: Final = "0.3"
"""Levels of the noise of simulated links."""
NEAR: Final = 1.5
"""Speedups of two inputs are similar within this factor, half of what the paper's own range spans."""
SMALL: Final = 0.1
"""The largest s / mean that is small: a fifth of what the paper calls large."""
SIXTY_EIGHT: Final = (0.58, 0.78)
ROUGHLY_HALF: Final = (0.35, 0.65)


Levels = dict[str, Scalar]


class Pair(NamedTuple):
    """A run of KLA and of Δ = 1 over the same sources, times in seconds."""

    runtime: str
    weight: str
    scale: str
    ranks: str
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


def pairs(data: Data, name: str, runtime: str = "", weight: str = "", links: str = QUIET) -> list[Pair]:
    """Runs of a file that both orders have; simulated ones at a level of the noise of links."""
    halves: dict[tuple[str, ...], dict[str, tuple[float, ...]]] = {}
    for row in data.table(name):
        if row.get("links", links) != links:
            continue
        key = tuple(row[column] for column in ("runtime", "weight", "scale", "ranks", "run"))
        times = tuple(float(row[f"source_{i}_s"]) for i in range(1, SOURCES + 1))
        halves.setdefault(key, {})[row["order"]] = times
    return [
        Pair(*key, pairs_of["kla"], pairs_of["delta"])
        for key, pairs_of in halves.items()
        if len(pairs_of) == len(("kla", "delta")) and key[0].startswith(runtime) and weight in ("", key[1])
    ]


def groups(pairs_: Iterable[Pair]) -> dict[tuple[str, ...], list[Pair]]:
    """Runs of one runtime, weight and size."""
    by_key: dict[tuple[str, ...], list[Pair]] = {}
    for pair in pairs_:
        by_key.setdefault((pair.runtime, pair.weight, pair.scale, pair.ranks), []).append(pair)
    return by_key


def span(values: Iterable[float], digits: int = 3) -> str:
    """Least and largest."""
    every = [*values]
    return f"{min(every):.{digits}g} to {max(every):.{digits}g}"


def few(needed: int, unit: str) -> Cause:
    """Too few runs on this machine."""
    return Cause("too few runs", f"{needed} {unit}", RUN)


class Ratio(NamedTuple):
    """A speedup at one real size: the bounds that hold over sources and over runs."""

    low: float
    high: float

    def judge(self, by: float) -> Verdict:
        """Whether it is above a factor."""
        return "holds" if self.low > by else "fails" if self.high < by else "not resolved"


def intervals(data: Data, better: Levels, other: Levels, where: Levels) -> list[Ratio]:
    """Of real runs, a speedup by stratum: over sources by ``steelyard check``, over runs by Student's t.

    The wider bounds of both: a speedup must hold for other sources and in other runs.
    """

    def make() -> list[Ratio]:
        tables = tomllib.loads((HERE / "real.toml").read_text(encoding="utf-8"))
        claim = {"name": "claim", "faster": better, "than": other, "where": where}
        spec_ = experiment(source=HERE, **tables, claims=[claim])
        with tempfile.TemporaryDirectory() as place:
            write_values(Path(place) / "real.lab", spec_, _blocks(data), REAL)
            with Record.open(Path(place) / "real.lab") as record:
                (verdict,) = check(record).verdicts
        result = []
        for instance in verdict.instances:
            evidence = instance.evidence
            assert isinstance(evidence, RatioEvidence)  # noqa: S101 -- two treatments are compared
            assert evidence.interval is not None  # noqa: S101 -- ten runs
            low, high = over_runs(data, better, other, {**where, **instance.stratum})
            result.append(Ratio(min(low, evidence.interval.low), max(high, evidence.interval.high)))
        return result

    return data.remember(("intervals", repr((better, other, where))), make)


def over_runs(data: Data, better: Levels, other: Levels, stratum: Levels) -> tuple[float, float]:
    """95 % of the geometric mean over runs of the speedup of Eq. 7."""
    names = {"p": "ranks"}
    means: dict[bool, dict[str, float]] = {True: {}, False: {}}
    for is_better, levels in ((True, better), (False, other)):
        levels_wanted = {names.get(key, key): str(value) for key, value in {**stratum, **levels}.items()}
        for row in data.table(REAL):
            if all(row[key] == value for key, value in levels_wanted.items()):
                means[is_better][row["run"]] = fmean(
                    float(row[f"source_{i}_s"]) for i in range(1, SOURCES + 1)
                )
    logs = [math.log(means[False][run] / means[True][run]) for run in means[True]]
    low, high = mean_interval(logs)
    return math.exp(low), math.exp(high)


def _blocks(data: Data) -> list[KeptBlock]:
    blocks: dict[int, list[tuple[dict[str, Scalar], list[LabelledValue]]]] = {}
    for row in data.table(REAL):
        levels: dict[str, Scalar] = {
            "runtime": row["runtime"],
            "order": row["order"],
            **{name: int(row[name]) for name in ("weight", "scale")},
            "p": int(row["ranks"]),
        }
        values = [
            LabelledValue("time_s", float(row[f"source_{i}_s"]), {"source": i}) for i in range(1, SOURCES + 1)
        ]
        blocks.setdefault(int(row["run"]), []).append((levels, values))
    return [KeptBlock(blocks[run]) for run in sorted(blocks)]


KLA: Final[Levels] = {"order": "kla"}
DELTA: Final[Levels] = {"order": "delta"}
HPX: Final[Levels] = {"runtime": "hpx-5"}
AM: Final[Levels] = {"runtime": "am++"}


def faster(where: Levels, by: float = 1.0, better: Levels = DELTA, other: Levels = KLA) -> Judge:
    """Whether a treatment is faster by a factor at every real size."""

    def judge(data: Data) -> Answer:
        result = intervals(data, better, other, where)
        text = "; ".join(f"{answer.low:.2f} to {answer.high:.2f}" for answer in result)
        verdicts = {item.judge(by) for item in result}
        if verdicts == {"holds"}:
            return Answer(text, "holds")
        if "fails" in verdicts:
            return Answer(text, "fails")
        half = max((answer.high - answer.low) / 2 for answer in result)
        return Answer(text, "not resolved", few(runs_to_decide(10, half, 0.05 * by), "runs"))

    return judge


def within(where: Levels, low: float, high: float) -> Judge:
    """Whether the interval of every real size lies within bounds."""

    def judge(data: Data) -> Answer:
        result = intervals(data, DELTA, KLA, where)
        text = "; ".join(f"{item.low:.2f} to {item.high:.2f}" for item in result)
        if all(low < answer.low and answer.high < high for answer in result):
            return Answer(text, "holds")
        if any(answer.high < low or answer.low > high for answer in result):
            return Answer(text, "fails")
        half = max((answer.high - answer.low) / 2 for answer in result)
        return Answer(text, "not resolved", few(runs_to_decide(10, half, 0.1), "runs"))

    return judge


def every_run(
    names: Sequence[str],
    runtime: str,
    weight: str,
    ok: Callable[[Pair], bool],
    words: str,
    links: str = QUIET,
) -> Judge:
    """Whether something is so in every run of these files, simulated ones at this noise of links."""

    def judge(data: Data) -> Answer:
        texts, verdict = [], True
        for name in names:
            if result := pairs(data, name, runtime, weight, links):
                number = sum(map(ok, result))
                verdict = verdict and number == len(result)
                texts.append(f"{number} of {len(result)} runs ({PLACES[name]})")
        return Answer(f"{words} in " + "; ".join(texts), "holds" if verdict else "fails")

    return judge


def most_runs(runtime: str, weight: str, ok: Callable[[Pair], bool], words: str) -> Judge:
    """Whether something is so in more real runs than not, by sign tests over the runs of each group."""

    def judge(data: Data) -> Answer:
        result = groups(pairs(data, REAL, runtime, weight)).values()
        return signs(
            [sum(map(ok, pairs_of)) for pairs_of in result], [len(pairs_of) for pairs_of in result], words
        )

    return judge


def signs(counts: Sequence[int], totals: Sequence[int], words: str) -> Answer:
    """Sign tests with Bonferroni over groups."""
    level = 0.05 / len(counts)
    text = f"{words} in {', '.join(f'{n} of {total}' for n, total in zip(counts, totals, strict=True))} runs"
    above = [float(binom.sf(n - 1, total, 0.5)) < level for n, total in zip(counts, totals, strict=True)]
    below = [float(binom.cdf(n, total, 0.5)) < level for n, total in zip(counts, totals, strict=True)]
    if all(above):
        return Answer(text, "holds")
    if any(below):
        return Answer(text, "fails")
    return Answer(text, "not resolved", few(_runs_of_signs(counts, totals, level), "runs of each size"))


def _runs_of_signs(counts: Sequence[int], totals: Sequence[int], level: float) -> int:
    """Runs after which sign tests decide shares as those observed; thirty times as many at most."""
    shares = [max(n, total - n) / total for n, total in zip(counts, totals, strict=True)]
    runs = max(totals)
    while runs < 30 * max(totals) and any(
        float(binom.sf(math.floor(share * runs) - 1, runs, 0.5)) >= level for share in shares
    ):
        runs += 10
    return runs


def largest_is_klas(weight: str) -> Judge:
    """Whether the largest s / mean of each real size on HPX-5 is KLA's."""

    def judge(data: Data) -> Answer:
        result = groups(pairs(data, REAL, "hpx-5", weight)).values()
        largest = [
            (max(cv(pair.kla) for pair in pairs_of), max(cv(pair.delta) for pair in pairs_of))
            for pairs_of in result
        ]
        text = "; ".join(f"{kla:.3f} against {delta:.3f}" for kla, delta in largest)
        return Answer(text, "holds" if all(kla > delta for kla, delta in largest) else "fails")

    return judge


def mean_is_klas(data: Data) -> Answer:
    """Whether s / mean of KLA is the larger on average, in every real group."""
    means = [(fmean(cv(p.kla) for p in group), fmean(cv(p.delta) for p in group)) for group in _groups(data)]
    number = sum(kla > delta for kla, delta in means)
    return Answer(f"{number} of {len(means)} groups", "holds" if number == len(means) else "fails")


def twins(data: Data, name: str) -> list[tuple[Pair, Pair]]:
    """The same run on HPX-5 and on AM++."""
    keyed = {pair[1:5]: pair for pair in pairs(data, name, "am++")}
    return [(pair, keyed[pair[1:5]]) for pair in pairs(data, name, "hpx-5") if pair[1:5] in keyed]


def every_twin(names: Sequence[str], ok: Callable[[Pair, Pair], bool], words: str) -> Judge:
    """Whether something is so of every run on both runtimes."""

    def judge(data: Data) -> Answer:
        result = [ok(*pair) for name in names for pair in twins(data, name)]
        return Answer(f"{words} in {sum(result)} of {len(result)} runs", "holds" if all(result) else "fails")

    return judge


def smaller_spread(hpx: Pair, am: Pair) -> bool:
    """Standard deviations of both orders, in seconds."""
    return stdev(am.kla) < stdev(hpx.kla) and stdev(am.delta) < stdev(hpx.delta)


def faster_twin(hpx: Pair, am: Pair) -> bool:
    """Means of both orders."""
    return fmean(am.kla) < fmean(hpx.kla) and fmean(am.delta) < fmean(hpx.delta)


def smaller_sigma(hpx: Pair, am: Pair) -> bool:
    """The uncertainty of the speedup by Eq. 8."""
    return am.sigma < hpx.sigma


def most_twins(ok: Callable[[Pair, Pair], bool], words: str) -> Judge:
    """Whether something is so of most real runs, by sign tests over the runs of each size."""

    def judge(data: Data) -> Answer:
        by_size: dict[tuple[str, ...], list[bool]] = {}
        for hpx, am in twins(data, REAL):
            by_size.setdefault(hpx[1:4], []).append(ok(hpx, am))
        return signs([*map(sum, by_size.values())], [*map(len, by_size.values())], words)

    return judge


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """95 % of a mean over groups, by Student's t."""
    half = float(t.isf(0.025, len(values) - 1)) * stdev(values) / math.sqrt(len(values))
    return fmean(values) - half, fmean(values) + half


def inside(
    low: float, high: float, bounds: tuple[float, float], text: str, values: Sequence[float]
) -> Answer:
    """Whether an interval lies within bounds."""
    if bounds[0] < low and high < bounds[1]:
        return Answer(text, "holds")
    if high < bounds[0] or low > bounds[1]:
        return Answer(text, "fails")
    middle, half = (low + high) / 2, (high - low) / 2
    distance = max(min(abs(middle - bound) for bound in bounds), 0.01)
    return Answer(text, "not resolved", few(runs_to_decide(len(values), half, distance), "sizes and inputs"))


def both_inputs(data: Data) -> Answer:
    """Whether real speedups on HPX-5 with weights to 255 and to 100 are alike, within a factor of 1.5."""
    result = pairs(data, REAL, "hpx-5")
    keyed = {(pair.weight, pair.ranks, pair.run): pair.speedup for pair in result}
    ratios = {
        ranks: [
            math.log(keyed["255", ranks, pair.run] / keyed["100", ranks, pair.run])
            for pair in result
            if pair.weight == "255" and pair.ranks == ranks
        ]
        for ranks in dict.fromkeys(pair.ranks for pair in result)
    }
    ends = [mean_interval(logs) for logs in ratios.values()]
    text = "; ".join(f"{math.exp(low):.2f} to {math.exp(high):.2f} ×" for low, high in ends)
    limit = math.log(NEAR)
    if all(-limit < low and high < limit for low, high in ends):
        return Answer(text, "holds")
    if any(low > limit or high < -limit for low, high in ends):
        return Answer(text, "fails")
    half = max((high - low) / 2 for low, high in ends)
    return Answer(text, "not resolved", few(runs_to_decide(10, half, limit / 4), "runs"))


def means_of_inputs(data: Data) -> Answer:
    """Whether means over runs are alike."""
    means = {
        weight: fmean(pair.speedup for pair in pairs(data, REAL, "hpx-5", weight))
        for weight in ("255", "100")
    }
    ratio = means["255"] / means["100"]
    text = f"{means['255']:.2f} with weights to 255, {means['100']:.2f} with weights to 100"
    return Answer(text, "holds" if 1 / NEAR < ratio < NEAR else "fails")


def averages(data: Data) -> Answer:
    """Whether speedups of all real runs of a group lie within the σ of each."""
    result = groups(pairs(data, REAL)).values()
    number = sum(
        all(abs(a.speedup - b.speedup) <= b.sigma for a in pairs_of for b in pairs_of) for pairs_of in result
    )
    return Answer(
        f"{number} of {len(result)} groups of real runs", "holds" if number == len(result) else "fails"
    )


def clusters_by_rule(data: Data) -> Answer:
    """Whether runs of a group differ by less than σ on average."""
    shares = [stdev([p.speedup for p in group]) / fmean(p.sigma for p in group) for group in _groups(data)]
    return Answer(f"s of runs over σ: {span(shares)}", "holds" if max(shares) < 1 else "fails")


def clusters(data: Data) -> Answer:
    """Whether 95 % bounds of s over runs lie below σ in every group, by χ²."""
    ends = []
    for group in _groups(data):
        nu, s = len(group) - 1, stdev([p.speedup for p in group]) / fmean(p.sigma for p in group)
        ends.append(tuple(s * math.sqrt(nu / float(chi2.isf(tail, nu))) for tail in (0.025, 0.975)))
    text = f"upper bounds {span([high for _, high in ends])} σ"
    if all(high < 1 for _, high in ends):
        return Answer(text, "holds")
    if any(low > 1 for low, _ in ends):
        return Answer(text, "fails")
    low, high = max(ends, key=lambda it: it[1])
    distance = max(abs(1 - (low + high) / 2), 0.05)
    return Answer(text, "not resolved", few(runs_to_decide(10, (high - low) / 2, distance), "runs"))


def _groups(data: Data) -> list[list[Pair]]:
    return [*groups(pairs(data, REAL)).values()]


def settles(data: Data) -> Answer:
    """Whether speedups at the paper's sizes of two nodes and more lie between 3 and 9."""
    result = [pair for pair in pairs(data, PAPERS, "hpx-5", "255") if int(pair.scale) > 14]
    means = {
        scale: fmean(p.speedup for p in result if p.scale == scale) for scale in {p.scale: 0 for p in result}
    }
    text = ", ".join(f"scale {scale}: {value:.2f}" for scale, value in means.items())
    return Answer(text, "holds" if all(3 < value < 9 for value in means.values()) else "fails")


def coverage(data: Data) -> list[float]:
    """By group of real runs, the share of single sources whose ratio lies within ± σ."""
    shares = []
    for group in _groups(data):
        hits = [
            abs(kla / delta - pair.speedup) <= pair.sigma
            for pair in group
            for kla, delta in zip(pair.kla, pair.delta, strict=True)
        ]
        shares.append(sum(hits) / len(hits))
    return shares


def covers_by_rule(data: Data) -> Answer:
    """Whether ± σ covers about 68 %."""
    share = fmean(coverage(data))
    return Answer(f"{100 * share:.0f} %", "holds" if SIXTY_EIGHT[0] < share < SIXTY_EIGHT[1] else "fails")


def covers(data: Data) -> Answer:
    """Whether the 95 % interval of that share, over groups, lies between 58 and 78 %."""
    shares = coverage(data)
    low, high = mean_interval(shares)
    return inside(low, high, SIXTY_EIGHT, f"{100 * low:.0f} to {100 * high:.0f} %", shares)


def variability(data: Data, runtime: str) -> list[float]:
    """σ over the speedup, by real group."""
    return [
        fmean(p.sigma / p.speedup for p in group) for group in groups(pairs(data, REAL, runtime)).values()
    ]


def half_as_stated(data: Data) -> Answer:
    """Whether ± of the speedups of both runtimes, as § 5.2.3 has them, is about a half of their middles."""
    published = {row["id"]: row["published"] for row in data.table(STATED)}
    texts, shares = [], []
    for figure in ("figure-5", "figure-9"):
        middle, plus = map(float, re.findall(r"around ([\d.]+) ± ([\d.]+)", published[figure])[0])
        shares.append(plus / middle)
        texts.append(f"{plus:g} of {middle:g}: {100 * plus / middle:.0f} %")
    is_half = all(0.45 < share < 0.55 for share in shares)
    return Answer("; ".join(texts), "holds" if is_half else "fails")


def half(data: Data) -> Answer:
    """Whether it is in real runs: 95 % intervals over groups lie between 35 and 65 %."""
    answers = []
    for runtime in ("hpx-5", "am++"):
        values = variability(data, runtime)
        low, high = mean_interval(values)
        text = f"{runtime} {100 * low:.0f} to {100 * high:.0f} %"
        answers.append(inside(low, high, ROUGHLY_HALF, text, values))
    text = "; ".join(item.text for item in answers)
    verdicts = [answer.verdict for answer in answers]
    verdict: Verdict = (
        "fails" if "fails" in verdicts else "holds" if {*verdicts} == {"holds"} else "not resolved"
    )
    return Answer(text, verdict, next((part.cause for part in answers if part.cause), None))


def same_slowest(data: Data) -> Answer:
    """Whether one source is the slowest of KLA in every real run on HPX-5, weights to 100."""
    result = [*groups(pairs(data, REAL, "hpx-5", "100")).values()]
    most = []
    for pairs_of in result:
        slowest = [max(range(SOURCES), key=pair.kla.__getitem__) for pair in pairs_of]
        most.append(max(slowest.count(item) for item in slowest))
    totals = [len(pairs_of) for pairs_of in result]
    text = "one source in " + ", ".join(f"{n} of {total} runs" for n, total in zip(most, totals, strict=True))
    return Answer(text, "holds" if most == totals else "fails")


def sensitivity(data: Data) -> Answer:
    """Whether sources differ for both orders in every real group: F of sources by runs, Bonferroni."""
    weak_runs, total, weak = 0, 0, 0.0
    for group in _groups(data):
        for order in ("kla", "delta"):
            p = f_of_sources([pair.kla if order == "kla" else pair.delta for pair in group])
            total += 1
            weak_runs += p < 0.05 / (2 * len(_groups(data)))
            weak = max(weak, p)
    text = f"{weak_runs} of {total} (largest p {weak:.2g})"
    if weak_runs == total:
        return Answer(text, "holds")
    if weak_runs == 0:
        return Answer(text, "fails")
    return Answer(text, "not resolved", few(2 * max(map(len, _groups(data))), "runs"))


def f_of_sources(runs: Sequence[Sequence[float]]) -> float:
    """Probability of sources that differ as much by chance: two-way analysis of variance of logarithms."""
    logs = [[math.log(value) for value in run] for run in runs]
    result = fmean(value for run in logs for value in run)
    of_runs = [fmean(run) - result for run in logs]
    of_sources = [fmean(run[i] for run in logs) - result for i in range(SOURCES)]
    rest = sum(
        (logs[r][s] - result - of_runs[r] - of_sources[s]) ** 2
        for r in range(len(runs))
        for s in range(SOURCES)
    )
    nu, nu_rest = SOURCES - 1, (SOURCES - 1) * (len(runs) - 1)
    if rest == 0:
        return 0.0
    between = len(runs) * sum(source**2 for source in of_sources) / nu
    return float(f.sf(between / (rest / nu_rest), nu, nu_rest))


def deviates(data: Data) -> Answer:
    """Whether s / mean over sources is above 1 % for both orders, in every real run."""
    values = [cv(times) for pair in pairs(data, REAL) for times in (pair.kla, pair.delta)]
    return Answer(f"s / mean {span(values)}", "holds" if min(values) > 0.01 else "fails")


def steady_by_rule(data: Data) -> Answer:
    """Whether s / mean of Δ = 1 is below 10 % on average, on HPX-5."""
    values = [cv(pair.delta) for pair in pairs(data, REAL, "hpx-5")]
    return Answer(f"mean {fmean(values):.3f}", "holds" if fmean(values) < SMALL else "fails")


def steady(data: Data) -> Answer:
    """Whether its 95 % interval over groups is."""
    values = [fmean(cv(p.delta) for p in group) for group in groups(pairs(data, REAL, "hpx-5")).values()]
    low, high = mean_interval(values)
    return inside(low, high, (0, SMALL), f"{max(low, 0):.3f} to {high:.3f}", values)


def close(data: Data) -> Answer:
    """Whether s / mean of KLA is within a factor of 2 of that of Δ = 1 on AM++ at scale 17."""
    result = [p for p in pairs(data, PAPERS, "am++") if p.scale == "17"]
    ratios = [cv(p.kla) / cv(p.delta) for p in result]
    number = sum(0.5 < ratio < 2 for ratio in ratios)
    text = f"KLA over Δ = 1: {span(ratios)}; within 2 × in {number} of {len(result)} runs"
    return Answer(text, "holds" if 2 * number > len(result) else "fails")


def more_work(data: Data) -> Answer:
    """Whether KLA works on more items than Δ = 1, in every run at the paper's sizes."""
    items: dict[tuple[str, ...], dict[str, float]] = {}
    for row in data.table(PAPERS):
        key = tuple(row[column] for column in ("runtime", "weight", "scale", "ranks", "noise", "run"))
        items.setdefault(key, {})[row["order"]] = float(row["items"])
    ratios = [item["kla"] / item["delta"] for item in items.values()]
    return Answer(f"{span(ratios, 2)} times as many items", "holds" if min(ratios) > 1 else "fails")


def printed(data: Data, run: str) -> tuple[float, ...]:
    """A row of Table 1."""
    (row,) = (row for row in data.table(TABLE_1) if row["run"] == run)
    return tuple(float(row[f"instance_{i}"]) for i in range(1, SOURCES + 1))


def instance_7(data: Data) -> Answer:
    """Whether instance 7 took 40 to 60 % more than the mean in run 2."""
    times = printed(data, "2")
    excess = 100 * (times[6] / fmean(times) - 1)
    result = printed(data, "5")
    text = f"run 2: {excess:+.0f} %; run 5: {100 * (result[6] / fmean(result) - 1):+.0f} %"
    return Answer(text, "holds" if 40 < excess < 60 else "fails")


def instance_7_most(data: Data) -> Answer:
    """Whether instance 7 took longest in run 2, of the runs that are printed."""
    times = {row["run"]: float(row["instance_7"]) for row in data.table(TABLE_1)}
    text = ", ".join(f"run {run}: {time:.0f} s" for run, time in times.items())
    return Answer(text, "holds" if max(times, key=times.__getitem__) == "2" else "fails")


def instance_7_again(data: Data) -> Answer:
    """Whether instance 7 is the slowest of run 5."""
    times = printed(data, "5")
    place = times.index(max(times)) + 1
    return Answer(f"the slowest is instance {place}: {max(times):.1f} s", "holds" if place == 7 else "fails")


def uncertainty_of_run_2(data: Data) -> Answer:
    """Whether Eq. 3 with Eq. 5, s / √n over the mean, gives .45 to .55 in run 2."""
    times = printed(data, "2")
    value = cv(times) / math.sqrt(SOURCES)
    text = f"by Eq. 3 and 5 {value:.3f}; s / mean {cv(times):.3f}"
    return Answer(text, "holds" if 0.45 < value < 0.55 else "fails")
