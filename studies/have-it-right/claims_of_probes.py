"""What probes change: the paper's rules and our claims on Figures 1 and 2, and on validation."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from changes import Change, changes
from declarations import Answer, Cause, Data, Judge, runs_to_decide
from scipy.stats import spearmanr

from steelyard.api import analyze
from steelyard.api.claims import RatioEvidence, check

RUN: Final = ".venv/bin/python studies/have-it-right/"
SMALLEST: Final = 0.01
"""The least change of CPU time that counts as one, where the paper names 1 to 6 %."""
DRAMATIC: Final = 0.02
"""The least change that is dramatic: the paper's smallest bars are as large."""
NO_BEARING: Final = 0.5
"""Rank correlations below it leave most of one amount open where the other is known."""
SHORT: Final = 200_000
"""Rounds of events.c."""
LONG: Final = 2_000_000


def percent(change: Change) -> str:
    """With its interval."""
    return f"{100 * change.value:+.1f} % [{100 * change.low:.1f}, {100 * change.high:.1f}]"


def extent(changes: Sequence[Change]) -> str:
    """The least and the largest, and how many are different after Holm."""
    values = [100 * item.value for item in changes]
    different = sum(change.rejected for change in changes)
    return f"{min(values):+.1f} to {max(values):+.1f} %, {different} of {len(changes)} different"


def some_change(changes: Sequence[Change], runs: int, command: str) -> Answer:
    """Whether any of some changes is one: Holm over all of them; none where each lies within ±1 %."""
    text = extent(changes)
    if any(item.rejected for item in changes):
        return Answer(text, "holds")
    half = max((change.high - change.low) / 2 for change in changes)
    if all(max(-change.low, change.high) < SMALLEST for change in changes):
        return Answer(text, "fails")
    needed = runs_to_decide(runs, half, SMALLEST)
    return Answer(text, "not resolved", Cause("too few runs", f"{needed} blocks would decide", command))


def counters(data: Data, *, rounds: int, calls: int, counted: bool = True) -> list[Change]:
    """What one to six counters in events.c change, against the program without any."""

    def make() -> list[Change]:
        with data.rebuilt("inside") as record:
            return [*changes(analyze(record).judged)]

    return [
        item
        for item in data.remember("inside", make)
        if (item.levels["rounds"], item.levels["calls"]) == (rounds, calls)
        and (item.levels["counters"] != 0) == counted
    ]


def twice(data: Data) -> Answer:
    """One program twice: no counters, with calls and without, which is the same code."""
    result = [
        counter
        for rounds in (SHORT, LONG)
        for counter in counters(data, rounds=rounds, calls=1, counted=False)
    ]
    return some_change(result, 40, f"{RUN}probes.py inside")


def means_of_counters(data: Data) -> Answer:
    """Means of CPU time over all runs, the paper's method: the largest change over one to six counters."""
    rows = [row for row in data.table("values/inside.csv") if row["rounds"] == str(SHORT)]
    means = {
        key: statistics.fmean(float(row["cpu_s"]) for row in rows if (row["counters"], row["calls"]) == key)
        for key in {(row["counters"], row["calls"]) for row in rows}
    }
    moved = [means[str(count), "1"] / means["0", "0"] - 1 for count in range(1, 7)]
    largest = max(map(abs, moved))
    return Answer(f"up to {100 * largest:.1f} %", "holds" if largest >= SMALLEST else "fails")


def changed_by_counters(data: Data) -> Answer:
    """Whether some number of counters changes CPU time in short runs."""
    return some_change(counters(data, rounds=SHORT, calls=1), 40, f"{RUN}probes.py inside")


def changed_by_code(data: Data) -> Answer:
    """Whether code of counters that never runs changes CPU time."""
    result = [counter for rounds in (SHORT, LONG) for counter in counters(data, rounds=rounds, calls=0)]
    return some_change(result, 40, f"{RUN}probes.py inside")


def directions(data: Data) -> Answer:
    """Whether counters make one program both faster and slower, with their calls and without."""
    result = [
        counter
        for rounds in (SHORT, LONG)
        for calls in (0, 1)
        for counter in counters(data, rounds=rounds, calls=calls)
    ]
    faster, slower = (
        sum(change.rejected and change.value * sign > 0 for change in result) for sign in (-1, 1)
    )
    text = f"{faster} faster, {slower} slower of {len(result)}, by Holm"
    if faster and slower:
        return Answer(text, "holds")
    if all(change.low > 0 for change in result) or all(change.high < 0 for change in result):
        return Answer(text, "fails")
    half = max((item.high - item.low) / 2 for item in result)
    needed = runs_to_decide(40, half, SMALLEST)
    cause = Cause("too few runs", f"{needed} blocks would show 1 % either way", f"{RUN}probes.py inside")
    return Answer(text, "not resolved", cause)


def means_either_way(data: Data) -> Answer:
    """Whether changes of means have both signs."""
    result = [counter.value for rounds in (SHORT, LONG) for counter in counters(data, rounds=rounds, calls=1)]
    return Answer(
        f"{100 * min(result):+.1f} to {100 * max(result):+.1f} %",
        "holds" if min(result) < 0 < max(result) else "fails",
    )


class Placed(NamedTuple):
    """A program with software counters at some places: what they add, and what they change."""

    added: float
    change: Change


def placed(data: Data) -> list[Placed]:
    """All of them."""

    def make() -> list[Placed]:
        counted = {
            (row["sites"], row["place"]): float(row["instructions"]) for row in data.table("values/added.csv")
        }
        with data.rebuilt("places") as record:
            result = [*changes(analyze(record).judged)]
        keys = [(str(item.levels["sites"]), str(item.levels["place"])) for item in result]
        return [
            Placed(counted[key] / counted["0", key[1]] - 1, change)
            for key, change in zip(keys, result, strict=True)
        ]

    return data.remember("places", make)


def small_places(data: Data) -> list[Placed]:
    """Those that add no more instructions than the paper's."""
    return [item for item in placed(data) if 0 < item.added <= DRAMATIC]


def software_by_means(data: Data) -> Answer:
    """Whether the largest change by software counters is the larger."""
    software = max(abs(item.change.value) for item in placed(data))
    hardware = max(abs(counter.value) for counter in counters(data, rounds=SHORT, calls=1))
    text = f"{100 * software:.1f} % by software, {100 * hardware:.1f} % by hardware counters"
    return Answer(text, "holds" if software > hardware else "fails")


def software_by_intervals(data: Data) -> Answer:
    """Whether the largest change by software counters lies above the largest by counters of the kernel."""
    software = max((item.change for item in placed(data)), key=lambda it: it.value)
    hardware = max(counters(data, rounds=SHORT, calls=1), key=lambda it: it.value)
    text = f"CPU time: {percent(software)} against {percent(hardware)}"
    if software.low > hardware.high:
        return Answer(text, "holds")
    if software.high < hardware.low:
        return Answer(text, "fails")
    half = (software.high - software.low + hardware.high - hardware.low) / 2
    needed = runs_to_decide(40, half, max(abs(software.value - hardware.value), SMALLEST / 2))
    return Answer(
        text, "not resolved", Cause("too few runs", f"{needed} blocks", f"{RUN}probes.py inside places")
    )


def amounts(data: Data) -> tuple[float, float, float]:
    """Rank correlation of added instructions and change where little is added, with its 95 % interval."""
    few = small_places(data)
    rho = float(spearmanr([it.added for it in few], [abs(it.change.value) for it in few]).statistic)
    return rho, *fisher(rho, len(few))


def fisher(rho: float, points: int) -> tuple[float, float]:
    """95 % of a rank correlation: Fisher's z with the variance of Bonett and Wright 2000."""
    z = math.atanh(max(-0.999, min(0.999, rho)))
    half = 1.96 * math.sqrt((1 + rho**2 / 2) / (points - 3))
    return math.tanh(z - half), math.tanh(z + half)


def unrelated(text: str, low: float, high: float, cause: Cause) -> Answer:
    """Whether a rank correlation is below .5 either way."""
    if low > -NO_BEARING and high < NO_BEARING:
        return Answer(text, "holds")
    if low > 0 or high < 0:
        return Answer(text, "fails")
    return Answer(text, "not resolved", cause)


def both_of(*judges: Judge) -> Judge:
    """Whether each of several holds; fails where one does."""

    def judge(data: Data) -> Answer:
        answers = [item(data) for item in judges]
        text = "; ".join(answer.text for answer in answers)
        for verdict in ("fails", "not resolved"):
            if answer_of_verdict := next((answer for answer in answers if answer.verdict == verdict), None):
                return answer_of_verdict._replace(text=text)
        return Answer(text, "holds")

    return judge


def bearing(data: Data) -> Answer:
    """Whether the instructions that are added leave open what they change."""
    rho, low, high = amounts(data)
    text = f"ρ {rho:.2f} [{low:.2f}, {high:.2f}] of {len(small_places(data))} programs"
    half = (math.atanh(high) - math.atanh(low)) / 2
    needed = runs_to_decide(len(small_places(data)), half, math.atanh(NO_BEARING))
    return unrelated(
        text, low, high, Cause("too few runs", f"{needed} drawings of places", f"{RUN}probes.py added places")
    )


def steps_down(data: Data) -> Answer:
    """Whether the change falls anywhere while instructions grow."""
    few = sorted(small_places(data), key=lambda it: it.added)
    falls = sum(b.change.value < a.change.value for a, b in itertools.pairwise(few))
    return Answer(
        f"{falls} of {len(few) - 1} steps to more instructions take less time", "holds" if falls else "fails"
    )


def light_and_heavy(data: Data) -> tuple[list[float], list[float]]:
    """Changes of CPU time with the least and the most sites counted, by place."""
    changes_of: dict[str, dict[int, float]] = {}
    for item in placed(data):
        sites, place = (item.change.levels[name] for name in ("sites", "place"))
        changes_of.setdefault(str(place), {})[int(str(sites))] = item.change.value
    rows = [by_sites for by_sites in changes_of.values() if len(by_sites) > 1]
    least, most = min(min(row) for row in rows), max(max(row) for row in rows)
    both = [row for row in rows if least in row and most in row]
    return [row[least] for row in both], [row[most] for row in both]


def ordered_differently(data: Data) -> Answer:
    """Whether the place that changes most with few sites is another than with many."""
    light, heavy = light_and_heavy(data)
    first, second = light.index(max(light)) + 1, heavy.index(max(heavy)) + 1
    text = f"most at place {first} with few sites, at place {second} with many"
    return Answer(text, "holds" if first != second else "fails")


def light_tells_heavy(data: Data) -> Answer:
    """Whether changes with few sites leave open what many sites change."""
    light, heavy = light_and_heavy(data)
    rho = float(spearmanr(light, heavy).statistic)
    low, high = fisher(rho, len(light))
    needed = math.ceil(
        3 + (1.96 / max(0.05, abs(math.atanh(NO_BEARING) - math.atanh(min(abs(rho), 0.99))))) ** 2
    )
    cause = Cause("too few runs", f"{needed} places would decide", f"{RUN}probes.py places")
    return unrelated(f"ρ {rho:.2f} [{low:.2f}, {high:.2f}] of {len(light)} places", low, high, cause)


def metrics(data: Data) -> tuple[list[float], list[float]]:
    """Changes in percent of CPU time and of branch misses, by the share of counted places."""
    result = data.document("summary.json")["software counters (Figure 2)"]
    by_probe = [changes for name, changes in result.items() if name != "correlations"]
    time, misses = (
        [changes[metric]["percent"] for changes in by_probe] for metric in ("cpu_s", "branch_misses")
    )
    return time, misses


def different_largest(data: Data) -> Answer:
    """Whether two metrics order the programs differently."""
    time, misses = metrics(data)
    text = f"CPU time up to {max(time):+.1f} %, branch misses {min(misses):+.1f} to {max(misses):+.1f} %"
    ordered = [x for _, x in sorted(zip(time, misses, strict=True))]
    return Answer(text, "fails" if ordered == sorted(ordered) else "holds")


def around(data: Data) -> dict[str, list[Change]]:
    """What counters change around four programs, with their calls, by program."""

    def make() -> list[Change]:
        with data.rebuilt("calls") as record:
            return [*changes(analyze(record).judged)]

    result: dict[str, list[Change]] = {}
    for item in data.remember("calls", make):
        if item.levels["counters"] != 0 and item.levels["calls"] == 1:
            result.setdefault(Path(str(item.levels["file"])).stem, []).append(item)
    return result


def most_programs(data: Data) -> Answer:
    """Whether eleven of twelve programs change by 1 % or more."""
    by_program = around(data)
    moved = sum(any(abs(it.value) >= SMALLEST for it in changes) for changes in by_program.values())
    text = f"{moved} of {len(by_program)} programs change by 1 % or more"
    return Answer(text, "holds" if 12 * moved >= 11 * len(by_program) else "fails")


def dramatic(data: Data) -> Answer:
    """Whether most programs change by 2 % or more for some number of counters."""
    by_program = around(data)
    beyond = sum(
        any(it.low > DRAMATIC or it.high < -DRAMATIC for it in changes) for changes in by_program.values()
    )
    below = sum(
        all(it.low > -DRAMATIC and it.high < DRAMATIC for it in changes) for changes in by_program.values()
    )
    text = "; ".join(f"{name} {extent(changes)}" for name, changes in by_program.items())
    text += f"; beyond 2 %: {beyond}, within: {below}"
    if 2 * beyond > len(by_program):
        return Answer(text, "holds")
    if 2 * below >= len(by_program):
        return Answer(text, "fails")
    half = max((it.high - it.low) / 2 for changes in by_program.values() for it in changes)
    needed = runs_to_decide(60, half, SMALLEST / 2)
    return Answer(text, "not resolved", Cause("too few runs", f"{needed} blocks", f"{RUN}probes.py calls"))


def told_apart(data: Data) -> Answer:
    """Whether of two beliefs stated before the runs one holds and one fails."""
    with data.rebuilt("validation") as record:
        verdicts = {str(verdict.claim.name): verdict.outcome for verdict in check(record).verdicts}
    text = "; ".join(f"{name}: {outcome.replace('_', ' ')}" for name, outcome in verdicts.items())
    if set(verdicts.values()) == {"holds", "fails"}:
        return Answer(text, "holds")
    cause = Cause("stand-in", "these beliefs are not one right and one wrong", f"{RUN}study.py")
    return Answer(text, "not resolved", cause)


def effects_follow(data: Data) -> Answer:
    """Whether one cause changes the time without the probe and another does not."""
    with data.rebuilt("validation") as record:
        evidence = [instance.evidence for verdict in check(record).verdicts for instance in verdict.instances]
    ratios = [
        changes.ratio
        for changes in evidence
        if isinstance(changes, RatioEvidence) and changes.ratio is not None
    ]
    times = ratios[1::2]
    return Answer(
        "CPU time without the probe: " + ", ".join(f"{ratio:.2f} ×" for ratio in times),
        "holds" if max(times, default=1) >= 1.2 > min(times, default=1) else "fails",
    )
