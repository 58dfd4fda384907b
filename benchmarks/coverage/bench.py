"""Whether intervals cover, families err and tests find as often as they say, by the product's own code.

``python benchmarks/coverage/bench.py [--quick] [--only SECTION ...] [--seed S] [--write]`` prints the tables
of docs/coverage.md as Markdown, every cell that misses its bound marked, and exits with 1 where one does.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import answered
import blocks
import doubtful
import extending
import families
import intervals
import limits
import noises
import numpy as np
import planned
import scipy
import sequential
import slow_runs
import stopping
from scipy.special import bdtr

from steelyard import __version__
from steelyard.stats.planning.power import POWER as TOLD
from steelyard.stats.planning.unseen import unseen_share

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "coverage.md"
MARK: Final = "<!-- made by: ./dev bench coverage --write -->"
END: Final = "<!-- end -->"
MOST: Final = 60
"""Blocks after which ``compare`` has no time left, where it is to be answered."""
WAITED: Final = 100
"""The same, where intervals beside verdicts are looked at."""
SPREAD: Final = 0.02
"""Of a block, where intervals beside verdicts are looked at."""
VERDICT_EFFECTS: Final = (0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0)
"""In spreads of a block."""
ENOUGH: Final = 30
"""Blocks from which on intervals are to hold where neighbours resemble each other."""

POWER: Final[dict[int, dict[str, dict[families.Procedure, float]]]] = {
    4: {
        "normal": {"protocol": 60.3, "Welch": 60.3, "Mann-Whitney": 56.8, "Brunner-Munzel": 61.3},
        "lognormal 0.5": {"protocol": 79.7, "Welch": 63.6, "Mann-Whitney": 79.7, "Brunner-Munzel": 81.4},
        "lognormal 1": {"protocol": 99.2, "Welch": 70.8, "Mann-Whitney": 99.2, "Brunner-Munzel": 98.8},
        "bimodal 70/30, 6 sd apart": {
            "protocol": 83.9, "Welch": 59.3, "Mann-Whitney": 83.9, "Brunner-Munzel": 82.8,
        },
        "normal, sd 1 and 4 in turns": {
            "protocol": 21.9, "Welch": 21.6, "Mann-Whitney": 21.4, "Brunner-Munzel": 21.6,
        },
    },
    8: {
        "normal": {"protocol": 38.6, "Welch": 38.7, "Mann-Whitney": 34.0, "Brunner-Munzel": 42.5},
        "lognormal 0.5": {"protocol": 57.9, "Welch": 41.1, "Mann-Whitney": 57.7, "Brunner-Munzel": 63.8},
    },
}  # fmt: skip
"""Percent found in an earlier, independent simulation of 3,000 families with SciPy, for comparison."""


class Report:
    """Collects lines, and counts what misses its bound."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.missed = 0

    def say(self, *lines: str) -> None:
        """Add lines, and show them."""
        self.lines += lines
        print("\n".join(lines), flush=True)

    def cell(self, figure: float, low: float, high: float, digits: int = 1) -> str:
        """A figure, bold and counted where it lies outside its bounds."""
        good = low <= figure <= high
        self.missed += not good
        return f"{figure:.{digits}f}" if good else f"**{figure:.{digits}f}**"

    def table(self, head: Sequence[str], rows: Iterator[Sequence[str]]) -> None:
        """A table in Markdown, row by row as it is found."""
        self.say("", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}")
        for row in rows:
            self.say(f"| {' | '.join(row)} |")


def slack(experiments: int, share: float, sure: float = 0.999) -> float:
    """Points by which a perfect tool may miss a bound at ``share`` by chance, all cells together."""
    k = int(experiments * share)
    while bdtr(k, experiments, share) < sure:
        k += 1
    return 100 * (k / experiments - share)


def interval_tables(report: Report, experiments: int, seed: int) -> None:
    """Coverage of 95 % intervals."""
    for in_blocks in (False, True):
        report.say(
            "",
            f"### Intervals, {'in blocks that share a disturbance of 30 %' if in_blocks else 'unpaired'}",
            "",
            f"Percent of {experiments:,} experiments whose 95 % interval covers the true ratio"
            f" ({experiments // 8:,} where the method draws). Unbounded intervals count as covering. Where"
            " some are unbounded, parentheses say what the bounded ones cover, and how many these are."
            f" Standard error: {intervals.standard_error(experiments):.2f} and"
            f" {intervals.standard_error(experiments // 8):.2f}.",
        )
        tables = intervals.rows(experiments, seed, blocks=in_blocks)
        methods = intervals.methods(blocks=in_blocks)

        def rows(
            tables: dict = tables,  # type: ignore[type-arg]
            methods: Sequence[str] = methods,
        ) -> Iterator[Sequence[str]]:
            for (shape, n), cells in tables.items():
                rates = []
                for method in methods:
                    if method not in cells:
                        rates.append("–")
                        continue
                    cell = cells[method]
                    off = slack(cell.experiments, 0.05)
                    most = 100 * (shape.most if n < 30 else 0.97)
                    bounded = shape.alike and (method == "means, log-delta" or method.startswith("geometric"))
                    low, high = (93 - off, most + off) if bounded else (0, 100)
                    rates.append(report.cell(cell.percent, low, high) + cell.bounded)
                yield (shape.name, str(n), *rates)

        report.table(("", "n", *methods), rows())


def family_tables(report: Report, count: int, seed: int) -> None:
    """False findings and power of the default design."""
    report.say(
        "",
        "### Families in randomised blocks: the default",
        "",
        f"First, percent of {count:,} families of equal treatments in which anything was called different"
        " at 5 % (30 blocks each; bound: 6). Then, percent found of the comparisons with one treatment"
        " that is slower by 0.75 s.",
    )

    def rows() -> Iterator[Sequence[str]]:
        for name in blocks.NULLS:
            cells = []
            for treatments in (4, 8):
                for over in ("all-pairs", "baseline"):
                    wrong = 100 * blocks.false_findings(name, treatments, count, seed, over) / count
                    cells.append(report.cell(wrong, 0, 6 + slack(count, 0.06)))
            result = [f"{blocks.power(name, k, count // 4, seed, 'all-pairs'):.0f}" for k in (4, 8)]
            yield (name, *cells, *result)

    head = (
        "",
        "any false, 4, all pairs",
        "4, baseline",
        "8, all pairs",
        "8, baseline",
        "found, 4",
        "found, 8",
    )
    report.table(head, rows())


def strata_table(report: Report, count: int, seed: int) -> None:
    """False findings over strata of equal programs."""
    report.say(
        "",
        "### Families over strata: the default",
        "",
        f"Percent of {count:,} experiments in which any of two equal programs was called different (bound:"
        " 6), 12 blocks in each stratum. With a family for each stratum it would be 1 − 0.95^strata.",
    )

    def rows() -> Iterator[Sequence[str]]:
        for strata in (4, 12, 24):
            wrong = 100 * blocks.false_over_strata(strata, count, seed) / count
            yield (
                str(strata),
                report.cell(wrong, 0, 6 + slack(count, 0.06)),
                f"{100 * (1 - 0.95**strata):.0f}",
            )

    report.table(("strata", "any false", "apart"), rows())


def doubtful_table(report: Report, count: int, seed: int) -> None:
    """Verdicts of the default over noises, those included that no method is made for."""
    report.say(
        "",
        "### Verdicts of the default, by the number of blocks",
        "",
        f"Percent of {count:,} comparisons of treatments that are equal in the geometric mean. *Withheld*:"
        " without a verdict. *Wrong*: judged, and the interval leaves out 1. *Held*: of those that are"
        " judged, the interval holds the ratio that could show. The last column has those held or withheld"
        " (bound: 93, and what chance makes). A mode that has not shown may be as frequent as every answer"
        " says (26 % of runs at 10 blocks, 9.5 % at 30). Then the ratio that could show is that of the"
        " other runs. Where neighbours resemble each other, fewer than 30 blocks tell little, and fewer"
        " than 20 only of the time of the run. There is no bound there.",
    )

    def rows() -> Iterator[Sequence[str]]:
        for name, sizes in doubtful.ROWS.items():
            for n in sizes:
                result = doubtful.count_outcomes(name, n, count, seed)
                unbound = not noises.NOISES[name].keeps_level and n < ENOUGH
                right = report.cell(result.right, 0 if unbound else 93 - slack(count, 0.07), 100)
                yield (
                    name,
                    str(n),
                    *(f"{item:.1f}" for item in (result.withheld, result.wrong, result.held)),
                    right,
                )

    report.table(("", "n", "withheld", "wrong", "held of judged", "held or withheld"), rows())


def sequential_tables(report: Report, count: int, seed: int) -> None:
    """Errors and price of looking until the verdict is decided."""
    report.say(
        "",
        "### Looking until the verdict is decided",
        "",
        f"The first column is the percent of {count:,} experiments that are called different at any look"
        f" although geometric means are equal. They have up to {sequential.CAP} blocks and looks at 4, 5,"
        " 6, 7, 8, 10, 12, 15, … (bound: 5, and what chance makes). The bound is 6 where one arm is"
        f" lognormal and the other normal with half of its spread. The others are of {count // 10:,}"
        f" experiments that `compare` looks at until it can answer, or until time is over at {MOST} blocks."
        " Of equal treatments: those called different at the end (bound as above). Of treatments that"
        " differ by one standard deviation of a block of normal noise (2.8 %): those decided, intervals at"
        " the end that hold the truth, those that do so beside a verdict (bound of both: 93), and mean"
        " blocks. All by the product itself. Modes are as above. Where differences wander there is no"
        " bound: few blocks tell of the time of the run.",
    )

    def rows() -> Iterator[Sequence[str]]:
        for name, noise in noises.NOISES.items():
            wrong = sequential.called(noise, seed, count, 4)
            equal = sequential.answered(noise, seed, count // 10, MOST, moved=0)
            result = sequential.answered(noise, seed, count // 10, MOST)
            low = 93 - slack(count // 10, 0.07) if noise.keeps_level else 0
            beside = result.held_beside_verdicts
            few = result.decided < 50
            yield (
                name,
                report.cell(wrong, 0, noise.most + slack(count, 0.05)),
                report.cell(equal.decided, 0, noise.most + slack(count // 10, 0.05)),
                f"{result.decided:.1f}",
                report.cell(result.held, low, 100),
                f"{beside:.1f}" if few else report.cell(beside, low, 100),
                f"{result.blocks:.0f}",
            )

    head = ("", "at any look", "at the end", "decided, moved", "held", "beside a verdict", "blocks")
    report.table(head, rows())


def beside_table(report: Report, count: int, seed: int) -> None:
    """Coverage beside a verdict."""
    report.say(
        "",
        "### Intervals beside a verdict",
        "",
        f"Of {count:,} normal experiments with a spread of 2 % a block, by t. `compare` looks at them"
        f" until it can answer, or until time is over at {WAITED} blocks. *Decided*: percent of all."
        " *Held*: percent of these whose interval holds the truth (bound where half are decided: 93, and"
        " what chance makes). The last column has mean blocks. Where few differences of a size are found,"
        " chance made these large, whatever the interval. *As they come*: Laplace, of mean size one"
        " standard deviation (s).",
    )
    at = answered.schedule(WAITED)
    drawn = answered.as_they_come(SPREAD, count)

    def rows() -> Iterator[Sequence[str]]:
        effects = {f"{item:g} s": item * SPREAD for item in VERDICT_EFFECTS} | {"as they come": drawn}
        for name, effect in effects.items():
            result = answered.simulate(effect, SPREAD, count, at, seed=seed)
            low = 93 - slack(round(count * result.called), 0.07) if result.called >= 0.5 else 0
            yield (
                name,
                f"{100 * result.called:.1f}",
                report.cell(100 * result.covered_beside_verdicts, low, 100),
                f"{result.mean_blocks:.0f}",
            )

    report.table(("difference", "decided", "held beside it", "blocks"), rows())
    report.say(
        "",
        f"Percent of {count:,} experiments of equal treatments that are called different where such a run"
        f" ends, at {MOST} blocks at the latest. By t and without any allowance (bound where differences"
        " are independent and symmetric: 6, and what chance makes).",
    )

    def equal() -> Iterator[Sequence[str]]:
        until = answered.schedule(MOST)
        for name, noise in noises.NOISES.items():
            old, new = noise.draw(np.random.default_rng([seed, MOST]), count, MOST)
            result = answered.simulate(0.0, SPREAD, count, until, values=old - new)
            bound = noise.keeps_level and not noise.mode and not name.startswith("one arm")
            most = 6 + slack(count, 0.06) if bound else 100
            yield (name, report.cell(100 * result.called, 0, most), f"{result.mean_blocks:.0f}")

    report.table(("", "called", "blocks"), equal())


def price_table(report: Report, count: int, seed: int) -> None:
    """Blocks that looking takes, and the fixed test."""
    report.say(
        "",
        "### Blocks until the verdict",
        "",
        f"{count:,} normal experiments, by t. Brackets have the ratio to the blocks of the fixed test with"
        " 80 % power. The columns are the mean until the verdict, which all reach; the blocks by which 80"
        " % have it; and the mean where the others are given up there. The last is a test of the same"
        " power. Bound of both means: 1.4 from one standard deviation on, with looks from 4 blocks on.",
    )

    def rows() -> Iterator[Sequence[str]]:
        for effect in sequential.EFFECTS:
            cells = [f"{effect:g} s", str(sequential.fixed(effect))]
            for first in (4, 10):
                result = sequential.price(effect, seed, count, first)
                most = 1.4 if first == 4 and effect >= 1 else 100
                cells += [
                    f"{result.mean:.1f} ({report.cell(result.mean / result.fixed, 0, most, 2)})",
                    f"{result.most} ({result.most / result.fixed:.2f})",
                    f"{result.given_up:.1f} ({report.cell(result.given_up / result.fixed, 0, most, 2)})",
                ]
            yield cells

    looks = ("mean, from {}", "80 % done, from {}", "given up, from {}")
    heads = (head.format(first) for first in (4, 10) for head in looks)
    report.table(("difference", "fixed, 80 %", *heads), rows())


def limit_tables(report: Report, count: int, seed: int) -> None:
    """Limits of a mean that hold wrongly, and rightly."""
    report.say(
        "",
        "### Limits of a mean",
        "",
        f"Percent of {count:,} experiments in which a limit holds although the mean is 1 % above it, by"
        " their number of runs (bound: 2.5, and what chance makes). The limit allows for slow runs that"
        " have not shown and last at most twice the mean. Rows in parentheses are outside of what is"
        " promised: longer slow runs, tails without a third moment, and neighbours that are correlated by"
        " 0.9.",
    )

    def wrongly() -> Iterator[Sequence[str]]:
        for name, runs in limits.ROWS.items():
            most = 2.5 + slack(count, 0.025) if runs.bound else 100
            cells = (report.cell(limits.wrong(name, n, count, seed), 0, most) for n in limits.SIZES)
            yield (name if runs.bound else f"({name})", *cells)

    report.table(("", *(f"{n} runs" for n in limits.SIZES)), wrongly())
    report.say(
        "",
        f"Percent of {count // 4:,} experiments of normal noise in which a limit holds that the mean keeps"
        " (bound: 80).",
    )

    def rightly() -> Iterator[Sequence[str]]:
        for below, n in limits.BELOW:
            cells = (
                report.cell(limits.right(below, spread, n, count // 4, seed), 80, 100)
                for spread in limits.SPREADS
            )
            yield (f"{100 * below:g} % below", str(n), *cells)

    report.table(("the mean", "runs", *(f"CV {100 * item:g} %" for item in limits.SPREADS)), rightly())


def slow_tables(report: Report, count: int, seed: int) -> None:
    """What stands beside the mean: wrong where it closes a gate, and how many it closes."""
    report.say(
        "",
        "### Slow runs: the typical run beside the mean",
        "",
        f"Percent of {count:,} experiments in which something is called worse than its margin (5 %),"
        " although mean and typical run just keep to it. Claims have 20 blocks (bound: 3.1, and what"
        f" chance makes). Benchmarks of a gate are looked at up to {slow_runs.GATE_BLOCKS} blocks (the same"
        f" bound), and so are {count // 10:,} of compare with a margin. Limits have 20 runs, and the margin"
        " is the value itself (bound: 3.8). Brackets say what the mean alone does. The last two columns"
        " are of changes as they come (Laplace, of mean size the margin): claims that fail, and of these"
        " the wrong ones. Where differences wander there is no bound: few blocks tell of the time of the"
        " run.",
    )

    def bound(most: float, experiments: int, arms: slow_runs.Arms) -> float:
        return most + slack(experiments, most / 100) if arms.bound else 100

    def cell(figures: tuple[float, float], most: float) -> str:
        return f"{report.cell(figures[0], 0, most)} ({figures[1]:.1f})"

    def wrongly() -> Iterator[Sequence[str]]:
        for name, arms in slow_runs.ROWS.items():
            compared = slow_runs.compared(arms, count // 10, seed)
            failing, wrong = slow_runs.given_a_verdict(arms, count, seed)
            yield (
                name,
                cell(slow_runs.claims(arms, count, seed), bound(3.1, count, arms)),
                cell(slow_runs.gated(arms, count, seed), bound(3.1, count, arms)),
                report.cell(compared, 0, bound(3.1, count // 10, arms)),
                cell(slow_runs.limits(arms, count, seed), bound(3.8, count, arms)),
                cell(slow_runs.limits(arms, count, seed, is_max=False), bound(3.8, count, arms)),
                f"{failing:.1f}",
                f"{wrong:.1f}",
            )

    report.table(("", "claims", "gate", "compare", "max", "min", "fail", "of these wrong"), wrongly())
    report.say(
        "",
        f"Percent of {count // 4:,} heads that take three times as long and pass “not slower by 5 %”. The"
        " reason is that so many of 20 runs of base are slow, 30 to 300 times (bound of one and two: 5).",
    )

    def openly() -> Iterator[Sequence[str]]:
        for slow in (1, 2, 3, 4):
            both, alone = slow_runs.opened(slow, count // 4, seed)
            yield (str(slow), report.cell(both, 0, 5 if slow < 3 else 100), f"{alone:.1f}")

    report.table(("slow runs of base", "pass", "pass by the mean alone"), openly())


def stopping_table(report: Report, count: int, seed: int) -> None:
    """Coverage where a precision ends the run."""
    report.say(
        "",
        "### Stopping on a precision",
        "",
        f"Percent of {count:,} experiments whose 95 % interval at the end holds the truth, or whose"
        " verdict is withheld there (bound: 93). Then the percent withheld, and mean blocks, of at most"
        f" {stopping.CAP}. By t; modes are as above.",
    )

    def rows() -> Iterator[Sequence[str]]:
        for name, (shape, halfwidth) in stopping.ROWS.items():
            cells = []
            for first in (10, 40):
                result = stopping.stop(shape, halfwidth, first, count, seed)
                right = report.cell(result.right, 93 - slack(count, 0.07), 100)
                cells += [right, f"{result.withheld:.1f}", f"{result.blocks:.0f}"]
            yield (name, f"{100 * halfwidth:g} %", *cells)

    head = ("", "half-width", "from 10", "withheld", "blocks", "from 40", "withheld", "blocks")
    report.table(head, rows())


def extending_table(report: Report, count: int, seed: int) -> None:
    """Errors where blocks are added while nothing shows."""
    report.say(
        "",
        "### Adding blocks to a record that has ended",
        "",
        f"Percent of {count:,} normal experiments called different at the first answer, after one"
        " extension and after five (bound: 5.5). Then, percent of intervals that hold the truth when"
        " nobody adds any more (bound: 94).",
    )

    def rows() -> Iterator[Sequence[str]]:
        for first, step, difference in ((10, 10, 0.0), (30, 30, 0.0), (30, 100, 0.0), (30, 30, 0.2)):
            shares = extending.called_different(
                np.random.default_rng(seed),
                extending.spending,
                first=first,
                step=step,
                difference=difference,
                experiments=count,
            )
            _, held = extending.covered(
                np.random.default_rng(seed), first=first, step=step, difference=difference, experiments=count
            )
            most = 100 if difference else 5.5 + slack(count, 0.055)
            yield (
                f"{first} + {step} each",
                f"{difference:g} s",
                *(report.cell(100 * shares[k], 0, most) for k in (0, 1, extending.MOST)),
                report.cell(100 * held, 94 - slack(count, 0.06), 100),
            )

    report.table(("blocks", "difference", "first", "one", "five", "held"), rows())


def planned_tables(report: Report, count: int, seed: int) -> None:
    """Power of what a plan says that blocks show, and of the blocks that it says are needed."""
    off = 2 + slack(count, 1 - TOLD)
    low, high = 100 * TOLD - off, 100 * TOLD + off
    report.say(
        "",
        "### What a plan says, and what shows",
        "",
        "The smallest difference that so many blocks are said to show with 80 % power, in standard"
        f" deviations of a block. Brackets have the percent of {count:,} experiments in which it shows, by"
        " the product itself (bound: 2 points, and what chance makes). Differences are normal and blocks"
        " independent.",
    )

    def shows() -> Iterator[Sequence[str]]:
        for n in planned.SIZES:
            cells = []
            for level, judge in planned.TESTS:
                least = planned.planned(level, judge).detectable(n)
                if least is None:
                    cells.append("–")
                    continue
                result = planned.share_found(least, n, count, seed, level=level, judge=judge)
                cells.append(f"{least:.2f} ({report.cell(result, low, high)})")
            yield (str(n), *cells)

    heads = (f"{100 * level:.2g} %{', median' * (judge == 'sign')}" for level, judge in planned.TESTS)
    report.table(("blocks", *heads), shows())
    report.say(
        "",
        "First, blocks that a difference is said to need, with the percent in which it shows with as many"
        " (bound: at least 80, as above) and with one fewer. Then, for a rule that asks for verdicts, the"
        f" look from {planned.FIRST} blocks on by which 80 % are said to be decided. Beside it are the"
        " percent that are (bound as above) and the percent by the look before. Last, the blocks by which"
        " equal programs are said to be equivalent within it in 90 %, and the percent that are (bound as"
        " above).",
    )

    def needed() -> Iterator[Sequence[str]]:
        for effect in planned.EFFECTS:
            n = planned.planned().units_needed(effect) or 0
            result = planned.share_found(effect, n, count, seed)
            fewer = planned.share_found(effect, n - 1, count, seed)
            looked = planned.decided(effect, count, seed)
            pairs = planned.pairs_to_be_equal(effect)
            equal = planned.equal(effect, pairs, count, seed)
            yield (
                f"{effect:g} s",
                str(n),
                report.cell(result, low, 100),
                report.cell(fewer, 0, high),
                str(looked.blocks),
                report.cell(looked.percent, low, 100),
                "–" if looked.before is None else report.cell(looked.before, 0, high),
                str(pairs),
                report.cell(equal, 88 - slack(count, 0.1), 100),
            )

    head = (
        "difference",
        "blocks",
        "found",
        "one fewer",
        "by look",
        "decided",
        "look before",
        "equal by",
        "found",
    )
    report.table(head, needed())


def procedure_tables(report: Report, count: int, seed: int) -> None:
    """Power of the unblocked procedures beside an independent simulation."""
    report.say(
        "",
        "### Procedures without blocks",
        "",
        f"Percent found of the pairs with one treatment moved by 0.75 s, in {count:,} families of 30 runs"
        " each (Holm over all pairs). Brackets have an independent simulation with SciPy (3,000 families)."
        " Bound: 3 points, and what chance makes.",
    )
    procedures: tuple[families.Procedure, ...] = ("protocol", "Welch", "Mann-Whitney", "Brunner-Munzel")
    by_name = {scenario.name: scenario for scenario in families.SCENARIOS}

    def rows() -> Iterator[Sequence[str]]:
        for treatments, shapes in POWER.items():
            for name, rates in shapes.items():
                shares = families.true_findings(by_name[name], count, treatments, seed)
                off = 3 + 100 * 2.5 * (0.25 / (count * (treatments - 1))) ** 0.5
                cells = [
                    f"{report.cell(100 * shares[item], rates[item] - off, rates[item] + off)} ({rates[item]})"
                    for item in procedures
                ]
                yield (name, str(treatments), *cells)

    report.table(("", "treatments", *procedures), rows())
    report.say(
        "",
        f"A mode that shows in a share of runs can go unseen: {100 * unseen_share(10):.0f} % at 10 runs,"
        f" {100 * unseen_share(30):.1f} % at 30, with a probability of 5 %.",
    )


SECTIONS: Final[dict[str, tuple[Callable[[Report, int, int], None], int]]] = {
    "intervals": (interval_tables, 8_000),
    "families": (family_tables, 1_000),
    "strata": (strata_table, 1_000),
    "verdicts": (doubtful_table, 600),
    "limits": (limit_tables, 4_000),
    "slow": (slow_tables, 4_000),
    "looks": (sequential_tables, 4_000),
    "beside": (beside_table, 4_000),
    "price": (price_table, 20_000),
    "stopping": (stopping_table, 5_000),
    "extending": (extending_table, 20_000),
    "planned": (planned_tables, 1_000),
    "procedures": (procedure_tables, 400),
}
"""Parts of the document, and the experiments of each cell."""


def written(text: str, head: str, sections: dict[str, list[str]]) -> str:
    """Return the document with the sections that were found in the place of its own, each below the head."""
    before, rest = text.split(MARK)
    tables, after = rest.split(END)
    parts = re.split(r"<!-- (\w+) -->\n", tables)
    result = dict(zip(parts[1::2], (part.strip("\n") for part in parts[2::2]), strict=True))
    result |= {
        name: f"{_wrapped(head)}\n\n" + "\n".join(map(_wrapped, lines)).strip("\n")
        for name, lines in sections.items()
    }
    parts = [f"<!-- {name} -->\n\n{result[name]}\n\n" for name in SECTIONS if name in result]
    return f"{before}{MARK}\n\n{''.join(parts)}{END}{after}"


def _wrapped(line: str) -> str:
    return line if line.startswith(("|", "#")) else textwrap.fill(line, 120, break_on_hyphens=False)


def main() -> int:
    """Simulate, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a quarter of the experiments")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), metavar="SECTION")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {DOCUMENT.name}")
    options = parser.parse_args()
    head = f"Seed {options.seed}, numpy {np.__version__}, scipy {scipy.__version__}, steelyard {__version__}."
    print(head)
    missed, result = 0, {}
    for name in options.only:
        make, experiments = SECTIONS[name]
        started, report = time.process_time(), Report()
        make(report, experiments // (4 if options.quick else 1), options.seed)
        missed, result[name] = missed + report.missed, report.lines
        print(f"\n{name}: {time.process_time() - started:.0f} s of CPU", file=sys.stderr)
        if options.write:
            text = DOCUMENT.read_text(encoding="utf-8")
            DOCUMENT.write_text(written(text, head, result), encoding="utf-8")
    print(f"\n{missed} cells outside their bounds", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
