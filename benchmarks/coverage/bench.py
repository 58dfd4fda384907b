"""Whether intervals cover, families err and tests find as often as they say, by the product's own code.

``python benchmarks/coverage/bench.py [--quick] [--seed S] [--write]`` prints the tables of docs/coverage.md
as Markdown, with every cell that misses its bound marked, and exits with 1 where one does.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import blocks
import families
import intervals
import numpy as np
import scipy
from scipy.special import bdtr

from steelyard import __version__
from steelyard.stats.planning.unseen import unseen_share

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "coverage.md"
MARK: Final = "<!-- made by: ./dev bench coverage --write -->"

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

    def cell(self, percent: float, low: float, high: float) -> str:
        """A figure, bold and counted where it lies outside its bounds."""
        good = low <= percent <= high
        self.missed += not good
        return f"{percent:.1f}" if good else f"**{percent:.1f}**"

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
            f"Percent of {experiments:,} experiments ({experiments // 8:,} where the method draws) whose 95 %"
            f" interval covers the true ratio; standard error {intervals.standard_error(experiments):.2f} and"
            f" {intervals.standard_error(experiments // 8):.2f}.",
        )
        found = intervals.rows(experiments, seed, blocks=in_blocks)
        methods = intervals.methods(blocks=in_blocks)

        def rows(
            found: dict = found,  # type: ignore[type-arg]
            methods: Sequence[str] = methods,
        ) -> Iterator[Sequence[str]]:
            for (shape, n), cells in found.items():
                shown = []
                for method in methods:
                    if method not in cells:
                        shown.append("–")
                        continue
                    cell = cells[method]
                    off = slack(cell.experiments, 0.05)
                    most = 100 * (shape.most if n < 30 else 0.97)
                    bounded = shape.alike and (method == "means, log-delta" or method.startswith("geometric"))
                    low, high = (93 - off, most + off) if bounded else (0, 100)
                    shown.append(report.cell(cell.percent, low, high))
                yield (shape.name, str(n), *shown)

        report.table(("", "n", *methods), rows())


def family_tables(report: Report, count: int, seed: int) -> None:
    """False findings and power of the default design."""
    report.say(
        "",
        "### Families in randomised blocks: the default",
        "",
        f"Percent of {count:,} families of equal treatments, 30 blocks each, in which anything was called"
        " different at 5 % (bound: 6); and percent found of the comparisons with one treatment that is slower"
        " by 0.75 s.",
    )

    def rows() -> Iterator[Sequence[str]]:
        for name in blocks.NULLS:
            cells = []
            for treatments in (4, 8):
                for over in ("all-pairs", "baseline"):
                    wrong = 100 * blocks.false_findings(name, treatments, count, seed, over) / count
                    cells.append(report.cell(wrong, 0, 6 + slack(count, 0.06)))
            found = [f"{blocks.power(name, k, count // 4, seed, 'all-pairs'):.0f}" for k in (4, 8)]
            yield (name, *cells, *found)

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


def procedure_tables(report: Report, count: int, seed: int) -> None:
    """Power of the unblocked procedures beside an independent simulation."""
    report.say(
        "",
        "### Procedures without blocks",
        "",
        f"Percent found of the pairs with one treatment moved by 0.75 s, {count:,} families, n = 30, Holm"
        " over all pairs; in brackets an independent simulation with SciPy (3,000 families). Bound: 3 points"
        " and what chance makes.",
    )
    procedures: tuple[families.Procedure, ...] = ("protocol", "Welch", "Mann-Whitney", "Brunner-Munzel")
    by_name = {scenario.name: scenario for scenario in families.SCENARIOS}

    def rows() -> Iterator[Sequence[str]]:
        for treatments, shapes in POWER.items():
            for name, known in shapes.items():
                found = families.true_findings(by_name[name], count, treatments, seed)
                off = 3 + 100 * 2.5 * (0.25 / (count * (treatments - 1))) ** 0.5
                cells = [
                    f"{report.cell(100 * found[each], known[each] - off, known[each] + off)} ({known[each]})"
                    for each in procedures
                ]
                yield (name, str(treatments), *cells)

    report.table(("", "treatments", *procedures), rows())


def main() -> int:
    """Simulate, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a quarter of the experiments")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {DOCUMENT.name}")
    options = parser.parse_args()
    share = 4 if options.quick else 1
    start = time.monotonic()
    report = Report()
    report.say(
        f"Seed {options.seed}, numpy {np.__version__}, scipy {scipy.__version__}, steelyard {__version__}."
        " Bold: outside its bound by more than chance explains (probability 0.001 for a perfect tool)."
    )
    interval_tables(report, 8_000 // share, options.seed)
    family_tables(report, 2_000 // share, options.seed)
    procedure_tables(report, 400 // share, options.seed)
    report.say(
        "",
        f"A mode that shows in a share of runs can go unseen: {100 * unseen_share(10):.0f} % at 10 runs,"
        f" {100 * unseen_share(30):.1f} % at 30, with a probability of 5 %.",
    )
    print(f"\n{report.missed} cells outside their bounds; {time.monotonic() - start:.0f} s", file=sys.stderr)
    if options.write:
        text = DOCUMENT.read_text(encoding="utf-8")
        before, after = text.split(MARK)[0], text.split("<!-- end -->")[-1]
        DOCUMENT.write_text(
            f"{before}{MARK}\n\n" + "\n".join(report.lines) + f"\n\n<!-- end -->{after}", encoding="utf-8"
        )
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
