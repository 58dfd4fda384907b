"""Rules and claims on pairs that a protocol calls different: shares over programs, families, tests."""

from __future__ import annotations

import csv
import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from declarations import Answer, Cause, Data, Judge, judge_interval
from scipy import stats

HERE: Final = Path(__file__).resolve().parent
SUMMARY: Final = "nas-summary.json"
MEASURED: Final = "nas-measured.csv"
BUILT: Final = "summary.json"
RESPONSE: Final = "elapsed_s"
"""The paper's: what `time` prints, in steps of 10 ms."""
TOLERANCE: Final = 15
"""Percentage points within which a share of pairs counts as the published one: a cell has steps of 10."""
LEVEL: Final = 0.05
RUN: Final = (
    "NPB_ROOT=CHECKOUT/NPB3.3-OMP .venv/bin/python studies/execution-time-variability/run.py --programs nas"
    " --size long"
)
Programs = Mapping[str, Mapping[str, Any]]


def percent(part: int, total: int) -> float:
    """A share in percent."""
    return 100 * part / total


def of(part: int, total: int) -> str:
    """A share with its counts."""
    return f"{part} of {total} ({percent(part, total):.0f} %)"


def part_of(data: Data, part: str, metric: str = RESPONSE) -> Mapping[str, Any]:
    """What was found of a part by one clock."""
    part_result: Mapping[str, Any] = data.document(SUMMARY)[part][metric]
    return part_result


def programs_of(data: Data, part: str, opt: str = "", metric: str = RESPONSE) -> Programs:
    """The programs of a part, those of one optimisation where it is named."""
    programs: Programs = part_of(data, part, metric)["programs"]
    return {name: row for name, row in programs.items() if name.endswith(opt)}


def total(programs: Programs, key: str) -> str:
    """Pairs that differ, of all pairs of these programs."""
    return of(sum(row[key] for row in programs.values()), sum(row["pairs"] for row in programs.values()))


@cache
def published(table: str, opt: str = "") -> dict[tuple[str, str], float]:
    """Percentages of a table of the paper."""
    with (HERE / "published.csv").open(newline="", encoding="utf-8") as file:
        return {
            (line["first"], line["second"]): float(line["percent"])
            for line in csv.DictReader(file)
            if line["table"] == table and line["opt"] == opt
        }


def mean_of(table: str, opt: str) -> float:
    """The mean share of a published table, in percent."""
    return statistics.fmean(published(table, opt).values())


def exact(count: int, trials: int) -> tuple[float, float]:
    """The 95 % interval of a share, in percent (Clopper and Pearson)."""
    ends = stats.binomtest(count, trials).proportion_ci(0.95)
    return 100 * ends.low, 100 * ends.high


def mean_is_near(stated: float, part: str, opt: str, key: str) -> Judge:
    """Whether the mean share of pairs that differ is near the published one."""

    def judge(data: Data) -> Answer:
        programs = programs_of(data, part, opt)
        mean = statistics.fmean(percent(row[key], row["pairs"]) for row in programs.values())
        text = f"{total(programs, key)}, the paper {stated:.0f} %"
        return Answer(text, "holds" if abs(mean - stated) <= TOLERANCE else "fails")

    return judge


def interval_is_near(stated: float, part: str, opt: str, key: str) -> Judge:
    """Whether so does the 95 % t interval over programs."""

    def judge(data: Data) -> Answer:
        programs = programs_of(data, part, opt)
        shares = [percent(row[key], row["pairs"]) for row in programs.values()]
        mean, half = statistics.fmean(shares), _half_width(shares)
        text = f"{mean:.0f} % ± {half:.0f} over {len(shares)} programs (t, 95 %)"
        return judge_interval(
            text, (mean - half, mean + half), (stated - TOLERANCE, stated + TOLERANCE), len(shares), RUN
        )

    return judge


def _half_width(values: Sequence[float]) -> float:
    spread = statistics.stdev(values)
    return float(stats.t.ppf(0.975, len(values) - 1)) * spread / math.sqrt(len(values))


def removed_is_near(stated: float, name: str) -> Judge:
    """Whether Holm removes the published share of a program's findings."""

    def judge(data: Data) -> Answer:
        row = programs_of(data, "nas-environment-rows")[name]
        if not row["before"]:
            return Answer("no findings", "fails")
        share = percent(row["before"] - row["after"], row["before"])
        text = f"{row['before']} → {row['after']}: {share:.0f} %"
        return Answer(text, "holds" if abs(share - stated) <= TOLERANCE else "fails")

    return judge


def removed_interval(stated: float, name: str, cause: Cause) -> Judge:
    """Whether so does the exact interval of that share; open without findings."""

    def judge(data: Data) -> Answer:
        row = programs_of(data, "nas-environment-rows")[name]
        if not row["before"]:
            return Answer("no findings", "not resolved", cause)
        low, high = exact(row["before"] - row["after"], row["before"])
        text = f"[{low:.0f}, {high:.0f}] % of {row['before']} findings"
        least, most = max(0.0, stated - TOLERANCE), min(100.0, stated + TOLERANCE)
        return judge_interval(text, (low, high), (least, most), row["before"], RUN)

    return judge


def family_error(data: Data) -> Answer:
    """Whether at most 5 % of families of equal treatments keep a false finding, by the paper's order."""
    programs = programs_of(data, "nas-environment-null-rows")
    wrong = sum(row["after"] > 0 for row in programs.values())
    text = f"{wrong} of {len(programs)} families of one treatment keep a false finding"
    return Answer(text, "holds" if wrong <= LEVEL * len(programs) else "fails")


def family_error_interval(data: Data) -> Answer:
    """Whether the exact interval of that share lies at or below 5 %."""
    programs = programs_of(data, "nas-environment-null-rows")
    wrong = sum(row["after"] > 0 for row in programs.values())
    low, high = exact(wrong, len(programs))
    text = f"[{low:.0f}, {high:.0f}] % of families"
    if low > 100 * LEVEL:
        return Answer(text, "fails")
    if high <= 100 * LEVEL:
        return Answer(text, "holds")
    return Answer(text, "not resolved", Cause("too few runs", "72 programs without one show 5 %", RUN))


def more_than_null(data: Data) -> Answer:
    """Whether more pairs of sizes differ after Holm than of one treatment in the same order."""
    sizes, null = (part_of(data, f"nas-environment-{part}") for part in ("rows", "null-rows"))
    text = f"{of(sizes['after'], sizes['pairs'])}; one treatment {of(null['after'], null['pairs'])}"
    is_more = sizes["after"] / sizes["pairs"] > null["after"] / null["pairs"]
    return Answer(text, "holds" if is_more else "fails")


def stack_moves(data: Data) -> Answer:
    """Whether more pairs of random sizes of a program built for it differ, in blocks, than 5 %."""
    programs = data.document(BUILT)["environment-built-random-blocks"]["cpu_s"]["programs"]
    split = [row for name, row in programs.items() if name.startswith("stack")]
    after, pairs = (sum(row[key] for row in split) for key in ("after", "pairs"))
    p = stats.binomtest(after, pairs, LEVEL, alternative="greater").pvalue
    text = f"`stack_split` in blocks: {of(after, pairs)}, p = {p:.2g}"
    return Answer(text, "holds" if p <= LEVEL else "fails")


def none_in(part: str) -> Judge:
    """Whether at most 5 % of pairs differ after Holm."""

    def judge(data: Data) -> Answer:
        mean = part_of(data, part)
        text = of(mean["after"], mean["pairs"])
        return Answer(text, "holds" if mean["after"] <= LEVEL * mean["pairs"] else "fails")

    return judge


def any_in(part: str, opt: str = "") -> Judge:
    """Whether more than 5 % of pairs differ after Holm."""

    def judge(data: Data) -> Answer:
        programs = programs_of(data, part, opt)
        after, pairs = (sum(row[key] for row in programs.values()) for key in ("after", "pairs"))
        return Answer(of(after, pairs), "holds" if after > LEVEL * pairs else "fails")

    return judge


def share_beyond(part: str, key: str, least: float) -> Judge:
    """Whether the lower end of the t interval over programs is above a share, in percent."""

    def judge(data: Data) -> Answer:
        programs = programs_of(data, part)
        shares = [percent(row[key], row["pairs"]) for row in programs.values()]
        mean, half = statistics.fmean(shares), _half_width(shares)
        text = f"{mean:.1f} % ± {half:.1f} over {len(shares)} programs (t, 95 %)"
        return judge_interval(text, (mean - half, mean + half), (least, math.inf), len(shares), RUN)

    return judge


def _cells(data: Data, part: str) -> list[dict[str, str]]:
    return [row for row in data.table(MEASURED) if (row["part"], row["metric"]) == (part, RESPONSE)]


def _opt(treatment: str) -> str:
    return treatment[-2:]


def changed(data: Data, *, optimisation: bool) -> tuple[int, int, int]:
    """Programs that differ before and after Holm, of all, in cells of one or of two optimisations."""
    cells = [
        row
        for row in _cells(data, "nas-services-rows")
        if (_opt(row["first"]) != _opt(row["second"])) == optimisation
    ]
    before, after, programs = (sum(int(row[key]) for row in cells) for key in ("before", "after", "programs"))
    return before, after, programs


def cells_are_near(stated: float, *, optimisation: bool) -> Judge:
    """Whether the share of cells of one kind that differ is near the published one."""

    def judge(data: Data) -> Answer:
        before, _, programs = changed(data, optimisation=optimisation)
        near = abs(percent(before, programs) - stated) <= TOLERANCE
        return Answer(of(before, programs), "holds" if near else "fails")

    return judge


def effects_are_near(least: float, most: float, factor: str) -> Judge:
    """Whether an effect is resolved, in blocks, in such a share of programs (exact interval, percent)."""

    def judge(data: Data) -> Answer:
        effects = part_of(data, "nas-services-blocks")["effects"]
        resolved = {name: row[factor] for name, row in effects.items() if row.get(factor, {}).get("resolved")}
        low, high = exact(len(resolved), len(effects))
        named = ", ".join(f"{name.upper()} {effect['ratio']:.2f} ×" for name, effect in resolved.items())
        text = f"{len(resolved)} of {len(effects)} programs [{low:.0f}, {high:.0f}] %: {named or 'none'}"
        return judge_interval(text, (low, high), (least, most), len(effects), RUN)

    return judge


def any_effect(factor: str) -> Judge:
    """Whether an effect is resolved in any program, after Holm over all effects."""

    def judge(data: Data) -> Answer:
        effects = part_of(data, "nas-services-blocks")["effects"]
        named = [
            f"{name.upper()} ({row[factor]['ratio']:.3f})"
            for name, row in effects.items()
            if row.get(factor, {}).get("resolved")
        ]
        text = f"{len(named)} of {len(effects)} programs{': ' if named else ''}{', '.join(named)}"
        return Answer(text, "holds" if named else "fails")

    return judge


def level_matters(data: Data) -> Answer:
    """Whether more than 5 % of pairs of one optimisation differ after Holm."""
    _, after, programs = changed(data, optimisation=False)
    return Answer(of(after, programs), "holds" if after > LEVEL * programs else "fails")


def holm_changes(part: str, programs: int) -> Judge:
    """Whether Holm changes a verdict of so many programs."""

    def judge(data: Data) -> Answer:
        rows = programs_of(data, part)
        changed_by = sum(row["after"] < row["before"] for row in rows.values())
        lost = sum(row["before"] - row["after"] for row in rows.values())
        text = f"{lost} pairs, of {changed_by} of {len(rows)} programs"
        return Answer(text, "holds" if changed_by == programs else "fails")

    return judge


def least_share(part: str, least: float, opts: Iterable[str] = ("",)) -> Judge:
    """Whether every pair of treatments differs in such a share of programs, in percent."""

    def judge(data: Data) -> Answer:
        texts, verdicts = [], []
        for opt in opts:
            cells = [row for row in _cells(data, part) if row["stratum"] == opt]
            shares = [percent(int(row["before"]), int(row["programs"])) for row in cells]
            texts.append(f"{min(shares):.0f} to {max(shares):.0f} %{f' at -{opt}' if opt else ''}")
            verdicts.append(min(shares) >= least)
        return Answer(", ".join(texts), "holds" if all(verdicts) else "fails")

    return judge


def _of_0_and_2048(data: Data, part: str) -> list[int]:
    return [
        int(row["before"])
        for opt in ("O2", "O3")
        for row in _cells(data, part)
        if row["stratum"] == opt and {row["first"], row["second"]} == {"0", "2048"}
    ]


def more_at_o3(data: Data) -> Answer:
    """Whether sizes 0 and 2048 differ for three programs more at -O3."""
    two, three = _of_0_and_2048(data, "nas-environment-rows")
    return Answer(f"{two} and {three} of 10", "holds" if three - two >= 3 else "fails")


def lowered(data: Data, opt: str) -> tuple[int, int]:
    """Pairs of sizes that Holm lowers, of all."""
    cells = [row for row in _cells(data, "nas-environment-rows") if row["stratum"] == opt]
    return sum(int(row["after"]) < int(row["before"]) for row in cells), len(cells)


def holm_lowers(opt: str, stated: int) -> Judge:
    """Whether Holm lowers the published number of pairs of sizes, within four."""

    def judge(data: Data) -> Answer:
        lower, pairs = lowered(data, opt)
        return Answer(f"{lower} of {pairs} pairs", "holds" if abs(lower - stated) <= 4 else "fails")

    return judge


def chosen_tests(data: Data, part: str, metric: str = RESPONSE) -> Counter[str]:
    """Tests that the protocol chose, over all programs of a part."""
    used = Counter[str]()
    for row in programs_of(data, part, metric=metric).values():
        used.update(row["tests"])
    return used


def say(tests: Counter[str]) -> str:
    """Tests with their shares."""
    return ", ".join(f"{name} {percent(n, tests.total()):.0f} %" for name, n in tests.most_common())


def mostly_ranks(least: float, *parts: str, metric: str = RESPONSE, welch: bool = True) -> Judge:
    """Whether such a share of comparisons takes the Mann-Whitney test, and none Welch's unless allowed."""

    def judge(data: Data) -> Answer:
        used = Counter[str]()
        for part in parts:
            used.update(chosen_tests(data, part, metric))
        enough = percent(used["mann-whitney"], used.total()) >= least
        return Answer(say(used), "holds" if enough and (welch or not used["welch"]) else "fails")

    return judge


def means_are_used(part: str, student: float, welch: float, metric: str = RESPONSE) -> Judge:
    """Whether Student's and Welch's tests are used, for up to such percentages of comparisons."""

    def judge(data: Data) -> Answer:
        used = chosen_tests(data, part, metric)
        shares = [percent(used[name], used.total()) for name in ("student", "welch")]
        both = 0 < shares[0] <= student and 0 < shares[1] <= welch
        return Answer(say(used), "holds" if both else "fails")

    return judge


def all_removed(metric: str, least: int) -> Judge:
    """Whether Holm removes all findings of some program that had so many."""

    def judge(data: Data) -> Answer:
        rows = programs_of(data, "nas-environment-rows", metric=metric)
        named = [name for name, row in rows.items() if row["before"] >= least and row["after"] == 0]
        text = f"all of {', '.join(name.upper() for name in named) or 'no program'}"
        return Answer(text, "holds" if named else "fails")

    return judge


def most_extreme(data: Data, part: str) -> tuple[str, int, int]:
    """The size that is most often the slowest or most often the fastest of a program at an optimisation."""
    times: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in data.table(f"values/{part}.csv"):
        sizes = times.setdefault((row["command"], row["opt"]), {})
        sizes.setdefault(row["env_bytes"], []).append(float(row[RESPONSE]))
    ends = Counter[tuple[str, str]]()
    for sizes in times.values():
        means = {size: statistics.fmean(values) for size, values in sizes.items()}
        for name, end in (("slowest", max(means.values())), ("fastest", min(means.values()))):
            named = [size for size, mean in means.items() if mean == end]
            ends.update([(name, named[0])] if len(named) == 1 else ())
    (name, size), most = ends.most_common(1)[0]
    return f"{size} bytes {name}", most, len(times)


def no_size_by_count(part: str) -> Judge:
    """Whether no size is the slowest or the fastest in more than half of the cases."""

    def judge(data: Data) -> Answer:
        size, most, cases = most_extreme(data, part)
        text = f"{size} in {most} of {cases} cases, the most"
        return Answer(text, "holds" if 2 * most <= cases else "fails")

    return judge


def no_size_by_interval(part: str) -> Judge:
    """Whether the exact interval of the most frequent size's share lies below a half."""

    def judge(data: Data) -> Answer:
        size, most, cases = most_extreme(data, part)
        low, high = exact(most, cases)
        text = f"{size} in {most} of {cases} cases [{low:.0f}, {high:.0f}] %"
        if high < 50:
            return Answer(text, "holds")
        if low > 50:
            return Answer(text, "fails")
        return Answer(text, "not resolved", Cause("too few runs", f"{4 * cases} cases", RUN))

    return judge
