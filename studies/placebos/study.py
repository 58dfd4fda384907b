#!/usr/bin/env python3
"""Published designs with sham arms: ``study.py [--data DIRECTORY]``.

Nothing is run: the runs of ``execution-time-variability``'s null are dealt out anew. Orders that
``values/`` has are not made again.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import kept_values  # noqa: E402 -- what studies share lies beside them
import rules  # noqa: E402
import sham  # noqa: E402
from sham import ARMS, METRIC, RUNS, Order, Series  # noqa: E402

from steelyard.api import Experiment, analyze, experiment  # noqa: E402

TURNS: Final = (15, 10, 6, 5, 3, 2, 1)
"""Shorter ones than the published, all of which divide 30."""
DRAWS: Final = 3
LENGTHS: Final = (2, 3, 5)
FAMILIES: Final = (*Order._fields, "program", "run_s", "pairs", "before", "after")
GAPS: Final = ("program", "gap", "pairs", "before", "after")
RULES: Final = (*Order._fields, "program", *rules.Rules._fields)
Row = Mapping[str, object]


def orders() -> list[Order]:
    """Every order: as published, in turns, in turns drawn anew, both ends with longer runs, and the published
    one with as few values as longer runs leave.
    """
    return [
        Order(RUNS),
        *(Order(turn) for turn in TURNS),
        *(Order(turn, drawn=True, seed=seed) for turn in TURNS for seed in range(1, DRAWS + 1)),
        *(Order(RUNS // length, length=length) for length in LENGTHS),
        *(Order(RUNS, used=RUNS // length) for length in LENGTHS),
        *(
            Order(1, drawn=True, seed=seed, length=length)
            for length in LENGTHS
            for seed in range(1, DRAWS + 1)
        ),
    ]


def question(programs: Iterable[str], runs: int) -> Experiment:
    """The published protocol over all pairs of arms of each program."""
    return experiment(
        name="sham arms",
        program={"command": ["true", "{program}", "{arm}"]},
        factors={"program": list(programs), "arm": list(range(1, ARMS + 1))},
        design={"order": "nogueira-matias-2014", "blocks": runs, "seed": 1},
        analysis={"protocol": "nogueira-matias-2014", "family": "all-pairs", "strata": ["program"]},
    )


def judge_pairs(series: Series, order: Order) -> Iterator[tuple[str, int, bool, bool]]:
    """Each pair: its program, how many arms apart, whether it differs before Holm and after."""
    runs = order.used or len(next(iter(series.values()))) // order.length // ARMS
    experiment = question(series, runs)
    with kept_values.rebuilt(HERE, "sham", experiment, [*sham.rows_of(series, order)]) as record:
        answer = analyze(record, metric=METRIC)
    assert answer.protocol is not None  # noqa: S101 -- the question has it
    for pair in answer.protocol.pairs:
        first, second = (int(side.levels["arm"]) for side in (pair.baseline, pair.treatment))
        yield str(pair.stratum["program"]), abs(first - second), pair.before, pair.after


def count_families(series: Series, order: Order) -> list[Row]:
    """Of each program, how many of its pairs differ."""
    pairs, before, after = Counter[str](), Counter[str](), Counter[str]()
    for program, _, is_before, is_after in judge_pairs(series, order):
        pairs[program] += 1
        before[program] += is_before
        after[program] += is_after
    return [
        {
            **order._asdict(),
            "program": program,
            "run_s": f"{sum(times) / len(times) * order.length:.4g}",
            "pairs": pairs[program],
            "before": before[program],
            "after": after[program],
        }
        for program, times in series.items()
    ]


def count_gaps(series: Series) -> list[Row]:
    """Of each program in the published order, how many pairs differ, by the runs between them."""
    pairs, before, after = (Counter[tuple[str, int]]() for _ in range(3))
    for program, distance, is_before, is_after in judge_pairs(series, Order(RUNS)):
        key = program, RUNS * (distance - 1)
        pairs[key] += 1
        before[key] += is_before
        after[key] += is_after
    return [
        {"program": key[0], "gap": key[1], "pairs": pairs[key], "before": before[key], "after": after[key]}
        for key in pairs
    ]


def apply_rules(series: Series, order: Order) -> list[Row]:
    """What the rules of four papers say of each program's arms."""
    return [
        {
            **order._asdict(),
            "program": program,
            **{
                key: f"{value:.4g}" if isinstance(value, float) else value
                for key, value in rules.judge_arms(sham.arms_of(times, order))._asdict().items()
            },
        }
        for program, times in series.items()
    ]


def add(file: Path, columns: Iterable[str], rows: Iterable[Row]) -> None:
    """Write rows at the end of a file, below a head where it is new."""
    is_new = not file.exists()
    with file.open("a", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, list(columns), lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerows(rows)


def kept_orders(file: Path) -> set[Order]:
    """Orders that a file has."""
    if not file.exists():
        return set()
    with file.open(newline="", encoding="utf-8") as lines:
        return {order_of(row) for row in csv.DictReader(lines)}


def order_of(row: Mapping[str, str]) -> Order:
    """The order of a row."""
    return Order(
        int(row["turn"]), row["drawn"] == "True", int(row["seed"]), int(row["length"]), int(row["used"])
    )


def main() -> int:
    """Make what is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=HERE / "values", help="where values are kept")
    data = parser.parse_args().data
    data.mkdir(parents=True, exist_ok=True)
    series = sham.read_series()
    if not (data / "gaps.csv").exists():
        add(data / "gaps.csv", GAPS, count_gaps(series))
    for name, columns, make in (
        ("families", FAMILIES, count_families),
        ("rules", RULES, apply_rules),
    ):
        file = data / f"{name}.csv"
        for order in orders():
            if order not in kept_orders(file) and (name == "families" or order[3:] == (1, 0)):
                add(file, columns, make(series, order))
                print(f"{name}: {order}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
