"""What contexts change: the paper's rules and our claims on Figures 3 to 5."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec
from changes import Change, changes
from claims_of_probes import RUN, SMALLEST, percent
from declarations import Answer, Cause, Data, Verdict, runs_to_decide
from scipy.stats import binom, chi2, norm

from steelyard.api import (
    ByContext,
    ContextFinding,
    Contexts,
    Interval,
    Speedup,
    analyze,
    analyze_by_context,
    load,
)

HERE: Final = Path(__file__).resolve().parent
STAND_IN: Final = Cause(
    "stand-in", "Debian's libquantum, a driver of ours and another compiler are not SPEC's", f"{RUN}study.py"
)
SHORT, LONG = 200_000, 2_000_000
"""Rounds of events.c."""
STEADY: Final = 0.02
"""The largest coefficient of variation that is minimal: a third of the effect of Figure 1."""
PUBLISHED_GAIN: Final = 1.125
STEPS: Final = ("O0-O1", "O1-O2", "O2-O3")
PROGRAMS: Final = ("events", "nbody", "libquantum")
REAL: Final = ("perl", "mawk", "sqlite3")
AGAIN: Final = "../execution-time-variability/environment-again-blocks"
AGAIN_VALUES: Final = "../execution-time-variability/values/environment-again-blocks.csv"


def contexts(data: Data, part: str) -> ByContext:
    """A record by context."""

    def make() -> ByContext:
        with data.rebuilt(part) as record:
            return analyze_by_context(record)

    return data.remember(part, make)


def across(data: Data) -> dict[str, ContextFinding]:
    """``nbody O2-O3`` and all other pairs, over contexts."""
    return {
        _name(comparison.baseline.levels, comparison.treatment.levels): comparison
        for part in ("optimisation", "libquantum")
        for comparison in contexts(data, part).comparisons
    }


def by_default(data: Data) -> dict[str, tuple[float, Interval]]:
    """The same in the context of a user who shifts nothing: speedup and 95 % interval."""

    def make() -> dict[str, tuple[float, Interval]]:
        result = {}
        for part in ("optimisation", "libquantum"):
            experiment = load(HERE / f"{part}.toml")
            drawn = experiment.contexts.settings if experiment.contexts else {}
            fixed = Contexts({name: 0 if setting == "random" else setting for name, setting in drawn.items()})
            blocks = len({row["block"] for row in data.table(f"values/{part}-default.csv")})
            design = msgspec.structs.replace(experiment.design, blocks=blocks)
            alone = msgspec.structs.replace(experiment, contexts=fixed, design=design)
            with data.rebuilt(f"{part}-default", alone) as record:
                for item in analyze(record).judged:
                    assert isinstance(item.speedup, Speedup)  # noqa: S101 -- all ran in every block
                    assert item.ci95 is not None  # noqa: S101
                    result[_name(item.baseline.levels, item.treatment.levels)] = item.speedup.value, item.ci95
        return result

    return data.remember("default", make)


def _name(baseline: object, treatment: object) -> str:
    assert isinstance(baseline, dict)  # noqa: S101
    assert isinstance(treatment, dict)  # noqa: S101
    return f"{Path(str(treatment['file'])).stem} {baseline['opt']}-{treatment['opt']}"


def _interval(value: float, interval: Interval | None) -> str:
    return f"{value:.3f}" if interval is None else f"{value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def _combined(finding: ContextFinding) -> str:
    return _interval(finding.across.speedup, finding.across.interval)


def gain_by_means(data: Data) -> Answer:
    """Whether means gain at least half of what is published."""
    rows = data.table("values/libquantum-default.csv")
    means = {
        opt: statistics.fmean(float(row["cpu_s"]) for row in rows if row["opt"] == opt)
        for opt in ("O2", "O3")
    }
    gain = means["O2"] / means["O3"]
    half = 1 + (PUBLISHED_GAIN - 1) / 2
    return Answer(f"speedup {gain:.3f}", "holds" if gain >= half else "fails")


def gain(data: Data) -> Answer:
    """Whether -O3 is faster by at least half of what is published."""
    half = 1 + (PUBLISHED_GAIN - 1) / 2
    value, finding = by_default(data)["libquantum O2-O3"]
    verdict: Verdict = "holds" if finding.low > half else "fails" if finding.high < half else "not resolved"
    cause = None
    if verdict == "not resolved":
        needed = runs_to_decide(30, (finding.high - finding.low) / 2, max(abs(value - half), 0.005))
        cause = Cause("too few runs", f"{needed} blocks", f"{RUN}study.py")
    return Answer(_interval(value, finding), verdict, cause)


def vanishes(data: Data) -> Answer:
    """Whether the interval over contexts holds 1."""
    finding = across(data)["libquantum O2-O3"].across
    gone = finding.interval is None or not finding.interval.excludes(1)
    return Answer(f"{_interval(finding.speedup, finding.interval)} over all", "holds" if gone else "fails")


def artefact(data: Data) -> Answer:
    """Whether the default context gains, all contexts do not, and the two differ."""
    value, default = by_default(data)["libquantum O2-O3"]
    finding = across(data)["libquantum O2-O3"].across
    assert finding.interval is not None  # noqa: S101 -- 21 contexts
    text = f"by default {_interval(value, default)}, over all {_interval(finding.speedup, finding.interval)}"
    if default.low > 1 and finding.interval.excludes(1) and finding.speedup > 1:
        return Answer(text, "fails")
    if default.low <= 1:
        return Answer(text, "not resolved", STAND_IN)
    if separation(default, finding.interval) > 1:
        return Answer(text, "holds")
    half = math.log(finding.interval.high / finding.interval.low) / 2
    needed = runs_to_decide(finding.contexts, half, max(abs(math.log(value / finding.speedup)), 0.005))
    return Answer(text, "not resolved", Cause("too few runs", f"{needed} contexts", f"{RUN}study.py"))


def separation(first: Interval, second: Interval) -> float:
    """How far two 95 % intervals lie apart, in half-widths of the 95 % interval of their ratio."""
    middles = [math.log(finding.low * finding.high) / 2 for finding in (first, second)]
    halves = [math.log(finding.high / finding.low) / 2 for finding in (first, second)]
    return abs(middles[0] - middles[1]) / math.hypot(*halves)


def adjacent(data: Data) -> dict[str, tuple[float, Interval, ContextFinding]]:
    """By default and over all, of each step of each program."""
    default, every = by_default(data), across(data)
    return {
        name: (*default[name], every[name]) for name in (f"{p} {step}" for p in PROGRAMS for step in STEPS)
    }


def skewed_by_intervals(data: Data) -> Answer:
    """Whether the default interval leaves out the value over contexts for any pair."""
    result = [
        name for name, (_, finding, all_) in adjacent(data).items() if finding.excludes(all_.across.speedup)
    ]
    return Answer(
        f"the interval of the default context leaves out the value over contexts in {len(result)} of 9 pairs",
        "holds" if result else "fails",
    )


def skewed(data: Data) -> Answer:
    """Whether a default context differs from all contexts: Bonferroni over nine pairs."""
    pairs = adjacent(data)
    factor = float(norm.isf(0.025 / len(pairs))) / float(norm.isf(0.025))
    texts, furthest = [], 0.0
    for name, (value, default, finding) in pairs.items():
        assert finding.across.interval is not None  # noqa: S101
        apart = separation(default, finding.across.interval) / factor
        furthest = max(furthest, apart)
        if apart > 1:
            texts.append(f"{name} by default {_interval(value, default)}, over all {_combined(finding)}")
    if texts:
        return Answer("; ".join(texts), "holds")
    needed = math.ceil(21 / max(furthest, 0.05) ** 2)
    return Answer(
        "no pair differs", "not resolved", Cause("too few runs", f"{needed} contexts", f"{RUN}study.py")
    )


def votes(finding: ContextFinding) -> tuple[int, int]:
    """Contexts that say faster, and slower, by their own intervals."""
    return finding.across.sides.faster_alone or 0, finding.across.sides.slower_alone or 0


def opposed(name: str, data: Data) -> Answer:
    """Whether contexts of both signs are more than the 2.5 % of each that chance gives (α = 5 % each)."""
    finding = across(data)[name]
    counts, total = votes(finding), finding.across.contexts
    chance = [float(binom.sf(count - 1, total, 0.025)) for count in counts]
    text = f"{name}: {counts[0]} faster, {counts[1]} slower of {total}"
    if max(chance) < 0.05:
        return Answer(text, "holds")
    if max(counts) == total:
        return Answer(text, "fails")
    needed = total
    while float(binom.sf(max(1, min(counts)) * needed // total - 1, needed, 0.025)) >= 0.05:
        needed += total
    return Answer(text, "not resolved", Cause("too few runs", f"{needed} contexts", f"{RUN}study.py"))


def contradictory(data: Data) -> Answer:
    """Whether contexts contradict each other about libquantum."""
    return opposed("libquantum O1-O2", data)


def contradictory_events(data: Data) -> Answer:
    """Whether they do about events.c, all of whose contexts agree."""
    return opposed("events O1-O2", data)


def signs(data: Data) -> Answer:
    """Whether single contexts lie on both sides of 1."""
    singles = [single.speedup for single in across(data)["libquantum O1-O2"].across.singles]
    return Answer(
        f"{min(singles):.2f} to {max(singles):.2f}", "holds" if min(singles) < 1 < max(singles) else "fails"
    )


def spread(data: Data) -> Answer:
    """Whether contexts change the speedup of every pair: F tests, Bonferroni over nine."""
    resolved, texts, half = 0, [], 0.0
    for name, (_, _, finding) in adjacent(data).items():
        components = finding.across.components
        assert components is not None  # noqa: S101 -- three passes
        assert components.p is not None  # noqa: S101
        if components.p < 0.05 / 9:
            resolved += 1
        else:
            half = max(half, components.within)
            texts.append(f"not {name} (p {components.p:.2g})")
    text = "; ".join([f"{resolved} of 9 pairs", *texts])
    if resolved == len(PROGRAMS) * len(STEPS):
        return Answer(text, "holds")
    if resolved == 0 and half < SMALLEST:
        return Answer(text, "fails")
    needed = runs_to_decide(3, half, SMALLEST / 2) if half > SMALLEST / 2 else 6
    return Answer(text, "not resolved", Cause("too few runs", f"{needed} passes", f"{RUN}study.py"))


def streaks(data: Data) -> Answer:
    """Whether single contexts span 1 % or more for each pair."""
    spans = {
        name: max(single.speedup for single in finding.across.singles)
        / min(context.speedup for context in finding.across.singles)
        - 1
        for name, (_, _, finding) in adjacent(data).items()
    }
    narrow, wide = min(spans.values()), max(spans.values())
    return Answer(
        f"single contexts span {100 * narrow:.1f} to {100 * wide:.0f} %",
        "holds" if narrow >= SMALLEST else "fails",
    )


def variations(data: Data) -> dict[str, tuple[float, float, float]]:
    """Coefficients of variation at -O2 in the default context, with 95 % intervals by χ²."""
    result = {}
    for part in ("optimisation", "libquantum"):
        rows = [row for row in data.table(f"values/{part}-default.csv") if row["opt"] == "O2"]
        for file in {row["file"]: 0 for row in rows}:
            values = [float(row["cpu_s"]) for row in rows if row["file"] == file]
            cv, nu = statistics.stdev(values) / statistics.fmean(values), len(values) - 1
            low, high = (cv * math.sqrt(nu / float(chi2.isf(tail, nu))) for tail in (0.025, 0.975))
            result[Path(file).stem] = cv, low, high
    return result


def steady_by_means(data: Data) -> Answer:
    """Whether s / mean is below 2 % but for libquantum."""
    result = variations(data)
    ok = all(cv < STEADY for name, (cv, *_) in result.items() if name != "libquantum")
    return Answer(
        "; ".join(f"{name} {100 * cv:.1f} %" for name, (cv, *_) in result.items()), "holds" if ok else "fails"
    )


def steady(data: Data) -> Answer:
    """Whether all but libquantum vary by less than 2 %, and less than libquantum does."""
    result = variations(data)
    text = "; ".join(
        f"{name} [{100 * low:.1f}, {100 * high:.1f}] %" for name, (_, low, high) in result.items()
    )
    rest = [interval for name, interval in result.items() if name != "libquantum"]
    of_it = result["libquantum"]
    if all(high < min(STEADY, of_it[1]) for _, _, high in rest):
        return Answer(text, "holds")
    if any(low > min(STEADY, of_it[2]) for _, low, _ in rest):
        return Answer(text, "fails")
    half, near = max(((high - low) / 2, abs(STEADY - cv)) for cv, low, high in rest)
    needed = runs_to_decide(30, half, max(near, 0.001))
    return Answer(text, "not resolved", Cause("too few runs", f"{needed} blocks", f"{RUN}study.py"))


def lengths(data: Data, names: Iterable[str]) -> dict[str, list[tuple[int, float, Interval]]]:
    """Of each program: length of the environment, change over the mean of all, 95 % interval."""
    result = {}
    for profile in contexts(data, "environment").profiles:
        name = str(profile.treatment.levels["command"])
        if name in names:
            at = [
                (int(str(finding.settings["env_bytes"])), finding.ratio, finding.interval)
                for finding in profile.at
                if finding.interval is not None
            ]
            result[name] = sorted(at, key=lambda it: it[0])
    return result


def range_of(names: Sequence[str], data: Data) -> Answer:
    """Whether times over lengths of the environment span 1 % or more for one of these programs."""
    spans = {
        name: (min(ratio for _, ratio, _ in finding) - 1, max(ratio for _, ratio, _ in finding) - 1)
        for name, finding in lengths(data, names).items()
    }
    text = "; ".join(f"{name} {100 * low:+.1f} to {100 * high:+.1f} %" for name, (low, high) in spans.items())
    return Answer(text, "holds" if max(high - low for low, high in spans.values()) >= SMALLEST else "fails")


def range_of_perl(data: Data) -> Answer:
    """Whether those of perl do."""
    return range_of(["perl"], data)


def range_of_real(data: Data) -> Answer:
    """Whether those of a real program do."""
    return range_of(REAL, data)


def range_of_built(data: Data) -> Answer:
    """Whether those of the program that was built for it do."""
    return range_of(["stack split"], data)


def off_the_mean(data: Data) -> Answer:
    """Whether more lengths of perl leave out the mean than the 5 % that chance gives."""
    (result,) = lengths(data, ["perl"]).values()
    off = sum(finding.excludes(1) for _, _, finding in result)
    p = float(binom.sf(off - 1, len(result), 0.05))
    text = f"{off} of {len(result)} intervals leave out the mean (chance: p {p:.2g})"
    if p < 0.05:
        return Answer(text, "holds")
    if all(finding.low > 1 / (1 + SMALLEST) and finding.high < 1 + SMALLEST for _, _, finding in result):
        return Answer(text, "fails")
    half = max((finding.high - finding.low) / 2 for _, _, finding in result)
    needed = runs_to_decide(15, half, SMALLEST)
    return Answer(text, "not resolved", Cause("too few runs", f"{needed} passes", f"{RUN}study.py"))


def fresh(data: Data) -> Answer:
    """Whether two lengths of real programs that stood out elsewhere change CPU time by 1 % in fresh runs."""

    def make() -> list[Change]:
        experiment = load(HERE.parent / "execution-time-variability" / "environment-again.toml")
        pairs = (("python3", 1024, 256), ("sqlite3", 2746, 1551))
        with data.rebuilt(AGAIN, experiment) as record:
            return [
                change
                for program, length, second_length in pairs
                for change in changes(
                    analyze(record, metric="cpu_s", against={"env_bytes": second_length}).judged
                )
                if (change.levels["command"], change.levels["env_bytes"]) == (program, length)
            ]

    result = data.remember("again", make)
    text = "; ".join(f"{item.levels['command']} {percent(item)}" for item in result)
    if any(effect.rejected and (effect.low > SMALLEST or effect.high < -SMALLEST) for effect in result):
        return Answer(text, "holds")
    if all(effect.low > -SMALLEST and effect.high < SMALLEST for effect in result):
        return Answer(text, "fails")
    half, value = max(((effect.high - effect.low) / 2, abs(effect.value)) for effect in result)
    blocks = len({row["block"] for row in data.table(f"{AGAIN_VALUES}")})
    needed = runs_to_decide(blocks, half, max(abs(value - SMALLEST), SMALLEST / 10))
    command = ".venv/bin/python studies/execution-time-variability/run.py"
    return Answer(text, "not resolved", Cause("too few runs", f"{needed} blocks", command))


def both_ways(data: Data) -> Answer:
    """Whether longer environments make a program both faster and slower: two steps each way whose 95 %
    intervals do not meet.
    """
    (result,) = lengths(data, ["stack split"]).values()
    steps = [*itertools.pairwise(finding for _, _, finding in result)]
    up, down = sum(b.low > a.high for a, b in steps), sum(b.high < a.low for a, b in steps)
    text = f"of {len(steps)} steps to a longer environment {up} slow down, {down} speed up"
    if min(up, down) >= 2:
        return Answer(text, "holds")
    if max(up, down) >= 2 and min(up, down) == 0 and max(up, down) > len(steps) / 2:
        return Answer(text, "fails")
    half = max(math.log(finding.high / finding.low) / 2 for _, _, finding in result)
    needed = runs_to_decide(15, half, SMALLEST)
    return Answer(text, "not resolved", Cause("too few runs", f"{needed} passes", f"{RUN}study.py"))
