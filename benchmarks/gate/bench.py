"""Made-up suites of ten benchmarks, judged by ``steelyard gate``'s rule and by the rules of its peers.

``python benchmarks/gate/bench.py [--quick] [--seed N]`` with steelyard installed; half a minute, a tenth of
that with ``--quick``. ``--real`` measures real harnesses instead (``real.py``). Processes differ by 2 %
(lognormal); on the loud machine 5 % of them take a quarter longer, and the machine becomes 1 % slower in ten
minutes. Every rule gets as many processes as it asks for, all drawn from one machine. Exits with 1 where a
limit is missed.

Rules as their documentation has them: github-action-benchmark, one run each, alert above 200 % (and 110 %,
which many set); pytest-benchmark, one run each, ``--benchmark-compare-fail=mean:5%``; benchstat, ten runs of
base and then ten of head, Mann-Whitney at 0.05; criterion, one run each of 100 samples, a t test at 0.05 of
means beyond its noise threshold of 1 %.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from steelyard.core.look_schedule import looks_from
from steelyard.extensions.gate.allocation import BenchmarkOutlook, choose_next
from steelyard.extensions.gate.suite import (
    BenchmarkEvidence,
    SideValues,
    estimate_blocks,
    judge,
    look_again,
)
from steelyard.stats.sequential.looks import Looks

Floats = npt.NDArray[np.float64]

BENCHMARKS = 10
MARGIN = 0.03
RUN_S = 30.0
"""Seconds of a whole run of the suite by its harness's defaults; a process of the gate takes a tenth."""
BUDGET_S = 1.5 * 2 * RUN_S
"""Of the gate, by default."""
LIMIT_ALARMS = 0.05
LIMIT_FOUND = 0.95


class Machine(NamedTuple):
    """What disturbs runs: relative spread of processes, a share of slow ones, drift in a second."""

    name: str
    spread: float = 0.02
    slow: float = 0.0
    drift: float = 0.0

    def run(
        self, rng: np.random.Generator, changes: Floats, began_s: float, runs: int, run_s: float
    ) -> Floats:
        """Times of ``runs`` processes one after the other, a row each, as multiples of base's."""
        noise = rng.normal(0.0, self.spread, (runs, changes.size))
        noise += np.log(1.25) * (rng.random((runs, 1)) < self.slow)
        at_s = began_s + run_s * np.arange(runs)[:, np.newaxis]
        return np.exp(noise + self.drift * at_s) * (1 + changes)


QUIET = Machine("quiet")
LOUD = Machine("loud", slow=0.05, drift=0.01 / 600)
Rule = Callable[[np.random.Generator, Machine, Floats], tuple[list[bool], float]]
"""Which benchmarks are called slower, and seconds of machine time."""


def gate(rng: np.random.Generator, machine: Machine, changes: Floats) -> tuple[list[bool], float]:
    """Blocks in random order until all are decided or the budget is spent; what is decided runs no more, and
    what there is no time to decide waits.
    """
    evidence = [BenchmarkEvidence() for _ in changes]
    logs: list[list[tuple[float, float]]] = [[] for _ in changes]
    looks: list[tuple[int, ...]] = [() for _ in changes]
    runs = list(range(changes.size))
    one_s = 2 * RUN_S / 10 / changes.size
    clock_s = 0.0
    done = 0
    for look in looks_from(6):
        pair_s = one_s * len(runs)
        blocks = min(look - done, math.floor((BUDGET_S - clock_s) / pair_s))
        if blocks <= 0:
            break
        done += blocks
        for _ in range(blocks):
            pair = machine.run(rng, np.zeros(changes.size), clock_s, 2, pair_s / 2)
            first = int(rng.integers(2))
            head, base = np.log(pair[first] * (1 + changes)), np.log(pair[1 - first])
            for place in runs:
                logs[place].append((float(base[place]), float(head[place])))
            clock_s += pair_s
        is_last = done < look
        for place in runs:
            n = len(logs[place])
            looks[place] += (n,)
            so_far = Looks(looks[place], n if is_last else None)
            values = SideValues(*np.array(logs[place]).T)
            evidence[place] = look_again(evidence[place], values, so_far, MARGIN)
        decisions = [item.decision for item in judge(evidence, 0.05)]
        undecided = [place for place, each in enumerate(decisions) if each == "open"]
        if is_last or not undecided:
            break
        chosen = choose_next(
            [foresee(logs[place], one_s, 0.05 / len(undecided)) for place in undecided], BUDGET_S - clock_s
        )
        runs = [place for place, is_next in zip(undecided, chosen, strict=True) if is_next]
    return [decision == "slower" for decision in decisions], clock_s


def foresee(logs: list[tuple[float, float]], one_s: float, level: float) -> BenchmarkOutlook:
    """As a gate does, of a benchmark whose blocks take so many seconds each."""
    base, head = np.array(logs).T
    blocks = estimate_blocks(head - base, MARGIN, level)
    return BenchmarkOutlook(
        None if blocks is None else blocks * one_s, float(np.mean(head - base)) > math.log1p(MARGIN)
    )


def ratio_rule(limit: float) -> Rule:
    """One run of each, and an alert above the limit."""

    def rule(rng: np.random.Generator, machine: Machine, changes: Floats) -> tuple[list[bool], float]:
        base = machine.run(rng, np.zeros(changes.size), 0.0, 1, RUN_S)[0]
        head = machine.run(rng, changes, RUN_S, 1, RUN_S)[0]
        return list(head / base > limit), 2 * RUN_S

    return rule


def benchstat(rng: np.random.Generator, machine: Machine, changes: Floats) -> tuple[list[bool], float]:
    """Ten runs of base, then ten of head."""
    base = machine.run(rng, np.zeros(changes.size), 0.0, 10, RUN_S)
    head = machine.run(rng, changes, 10 * RUN_S, 10, RUN_S)
    p = stats.mannwhitneyu(base, head).pvalue
    return list((p < 0.05) & (np.median(head, axis=0) > np.median(base, axis=0))), 20 * RUN_S


def criterion(rng: np.random.Generator, machine: Machine, changes: Floats) -> tuple[list[bool], float]:
    """One process of each, 100 samples in it, which differ by a tenth of what processes differ by."""
    means = [
        machine.run(rng, these, at_s, 1, RUN_S)[0]
        for these, at_s in ((np.zeros(changes.size), 0.0), (changes, RUN_S))
    ]
    base, head = (mean * np.exp(rng.normal(0, machine.spread / 10, (100, mean.size))) for mean in means)
    p = stats.ttest_ind(base, head).pvalue
    return list((p < 0.05) & (head.mean(axis=0) / base.mean(axis=0) > 1.01)), 2 * RUN_S


RULES: dict[str, Rule] = {
    "steelyard gate": gate,
    "github-action-benchmark, 200 %": ratio_rule(2.0),
    "github-action-benchmark, 110 %": ratio_rule(1.1),
    "pytest-benchmark, mean:5%": ratio_rule(1.05),
    "benchstat, 10 runs": benchstat,
    "criterion": criterion,
}


def main() -> int:
    """Print a table, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--real", action="store_true", help="real harnesses, in place of made-up suites")
    parser.add_argument("--witness", action="store_true", help="many small gates of each harness")
    parser.add_argument(
        "--own-verdicts", action="store_true", help="verdicts of the harnesses themselves on equal programs"
    )
    parser.add_argument(
        "--gates",
        type=int,
        default=100,
        help="with --witness, --own-verdicts: equal gates, or comparisons, of each harness",
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=20,
        help="with --witness, --own-verdicts: of this piece; 0: the table",
    )
    parser.add_argument(
        "--harness",
        action="append",
        default=[],
        help="with --real, --witness, --own-verdicts: only this one",
    )
    parser.add_argument("--repeats", type=int, default=1, help="with --real")
    parser.add_argument("--busy", action="store_true", help="with --real: beside a process that computes")
    parser.add_argument("--max-time", help="with --real: budget of each gate, in place of its default")
    parser.add_argument(
        "--directory",
        type=Path,
        default=Path(tempfile.gettempdir(), "steelyard-bench-gate"),
        help="with --real, --witness, --own-verdicts: projects and results, from which it goes on",
    )
    options = parser.parse_args()
    if options.witness:
        from witness import witness

        return witness(options.harness, options.gates, options.directory, 60 * options.minutes)
    if options.own_verdicts:
        from own_verdicts import compare_verdicts

        return compare_verdicts(options.harness, options.gates, options.directory, 60 * options.minutes)
    if options.real:
        sys.path.append(str(Path(__file__).parents[1]))
        from neighbours import busy
        from real import measure_all

        limits = ["--max-time", options.max_time] if options.max_time else []
        with busy(int(options.busy)):
            return measure_all(
                options.harness, options.repeats, options.directory, busy=options.busy, options=limits
            )
    suites = 20 if options.quick else 200
    missed = False
    print(
        "| machine | rule | equal suites with an alarm, % | 5 % found, % | 10 % | 20 % | time, × two runs |"
    )
    print("|---|---|--:|--:|--:|--:|--:|")
    for machine, (name, rule) in itertools.product((QUIET, LOUD), RULES.items()):
        cells = []
        times = []
        for change in (0.0, 0.05, 0.1, 0.2):
            changes = np.zeros(BENCHMARKS)
            changes[-1] = change
            rng = np.random.default_rng([options.seed, round(1000 * change)])
            ends = [rule(rng, machine, changes) for _ in range(suites)]
            times += [seconds / (2 * RUN_S) for _, seconds in ends]
            counted = [called[-1] if change else any(called) for called, _ in ends]
            cells.append(float(np.mean(counted)))
        result = " | ".join(f"{100 * cell:.0f}" for cell in cells)
        print(f"| {machine.name} | {name} | {result} | {np.mean(times):.1f} |", flush=True)
        if rule is gate:
            missed |= cells[0] > LIMIT_ALARMS or (machine is QUIET and cells[2] < LIMIT_FOUND)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
