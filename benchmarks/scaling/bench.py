"""Scaling models beside Extra-P in the same run: accuracy, calibration, real files held out, speed.

Options: ``--quick`` (a quarter of the rows, few functions), ``--count N`` (functions a row), ``--seed N``
(drawn where not given, and printed), ``--without-peer``, ``--environment DIR`` (where Extra-P lives),
``--data DIR`` (real files; repeatable), ``--library DIR`` (clones that ``library.toml`` names),
``--only accuracy|drawn|gates|rules|calibration|data|library|speed``.
"""

from __future__ import annotations

import argparse
import os
import secrets
from pathlib import Path

import accuracy
import calibration
import drawn
import extra_p
import gates
import holdout
import numpy as np
import public
import rules
import speed

FAMILIES = 75
COVERED = 90.0
PARTS = ("accuracy", "drawn", "gates", "rules", "calibration", "data", "library", "speed")
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "steelyard"


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--count", type=int, default=None)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--without-peer", action="store_true")
    parser.add_argument("--environment", type=Path, default=CACHE / f"extrap-{extra_p.VERSION}")
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--library", type=Path, default=None)
    parser.add_argument("--only", choices=PARTS, default=None)
    options = parser.parse_args()
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    beside = options.only in (None, "accuracy", "drawn", "data", "library") and not options.without_peer
    python = extra_p.environment(options.environment) if beside else None
    count = options.count or (40 if options.quick else 200)
    print(f"seed {seed}; {count} functions a row; shares of growth at the smallest p log-uniform, 1 to 99 %")
    if options.only in (None, "accuracy"):
        print_accuracy(np.random.default_rng(seed), count, python, quick=options.quick)
    if options.only in (None, "drawn"):
        print_drawn(np.random.default_rng(seed), count, python)
    if options.only in (None, "gates"):
        print_gates(np.random.default_rng(seed), count)
    if options.only in (None, "rules"):
        print_rules(np.random.default_rng(seed), count)
    if options.only in (None, "calibration"):
        print_calibration(np.random.default_rng(seed), count)
    if options.only in (None, "data"):
        print_data(options.data, python)
    if options.only in (None, "library") and options.library is not None:
        print_library(options.library, python)
    if options.only in (None, "speed"):
        print_speed(np.random.default_rng(seed), 10_000 if options.quick else 100_000)


def print_accuracy(rng: np.random.Generator, count: int, python: Path | None, *, quick: bool) -> None:
    """Families, then stated against observed probabilities over all of them."""
    print(
        f"\n{'family':<16} {'m':>3}  {'noise':<15} {'class':>6} {'exact':>6} {'error 4×':>9} {'covered':>8}"
        f" {'width':>7} {'open':>5} {'wrong':>6}   Extra-P: {'class':>6} {'exact':>6} {'error 4×':>9}"
    )
    stated: list[accuracy.Stated] = []
    for cell in accuracy.cells(quick=quick):
        row, verdicts = accuracy.judged(cell, rng, count, python)
        stated += verdicts
        beside = (
            "" if row.peer_class is None
            else f" {row.peer_class:15.1f} {row.peer_exact:6.1f} {row.peer_error:9.2f}"
        )  # fmt: skip
        print(
            f"{cell.label} {row.right_class:6.1f} {row.exact:6.1f} {row.error:9.2f} {row.covered:8.1f}"
            f" {row.width:6.2f}× {row.undecided:5.1f} {row.wrong:6.1f} {beside}",
            flush=True,
        )
    print("\nstated probability of a rank against observed, all families")
    for edge, mean, observed, cases in accuracy.bins(stated):
        print(f"  {edge:.1f} to {edge + 0.1:.1f}: stated {mean:.3f}, observed {observed:.3f}, n {cases}")


def print_drawn(rng: np.random.Generator, count: int, python: Path | None) -> None:
    """Families that a rule draws, and how many are behind or covered too little."""
    print(
        f"\n{'family':<60} {'error 4×':>9} {'covered':>8} {'class':>6}"
        f"   Extra-P: {'error 4×':>9} {'class':>6}"
    )
    result = []
    for family in drawn.drawn(rng, FAMILIES):
        rows = drawn.judged(family, rng, count, python)
        beside = (
            "" if rows.peer_error is None
            else f" {rows.peer_error:18.2f} {rows.peer_class:6.1f}{' behind' if rows.behind else ''}"
        )  # fmt: skip
        print(
            f"{family.label:<60} {rows.error:9.2f} {rows.covered:8.1f} {rows.right_class:6.1f}{beside}",
            flush=True,
        )
        result.append(rows)
    behind, few = sum(item.behind for item in result), sum(score.covered < COVERED for score in result)
    print(f"behind in {behind} of {FAMILIES}; below {COVERED:g} % covered in {few}")


def print_gates(rng: np.random.Generator, count: int) -> None:
    """How often an upper bound passes each truth, without and with ``--strict``."""
    print(f"\n{'truth':<10} {'at most':<8} {'passes':>7} {'strict':>7} {'fails':>7} {'open':>7}")
    for row in gates.rows(rng, count):
        shares = "".join(f" {item:7.1f}" for item in (row.passes, row.strict, row.fails, row.open))
        print(f"{row.truth:<10} {row.bound:<8}{shares}", flush=True)


def print_rules(rng: np.random.Generator, count: int) -> None:
    """How often the growth of rules holds and fails, by how both sides really grow."""
    print(f"\n{'left side':<26} {'holds':>7} {'fails':>7} {'wrong':>7}   wrong of stated")
    for relation in rules.RULES:
        row = rules.row(rng, relation, count)
        shares = "".join(f" {item:7.1f}" for item in (row.holds, row.fails, row.wrong, row.wrong_of_stated))
        print(f"{relation:<26}{shares}", flush=True)


def print_calibration(rng: np.random.Generator, count: int) -> None:
    """What ``sure`` says of ranks and of leads, and how often it is right."""
    print(f"\n{'points × runs':<14} {'of':<6} {'stated':>7} {'right':>7} {'n':>6}")
    for points, runs in calibration.SIZES:
        for item in calibration.bins(calibration.stated(rng, points, runs, count)):
            size = f"{points} × {runs}"
            print(
                f"{size:<14} {item.subject:<6} {item.stated:7.2f} {item.right:7.2f} {item.n:6d}", flush=True
            )


def print_data(directories: list[Path], python: Path | None) -> None:
    """Real files; nothing without ``--data``."""
    for directory in directories:
        heading = f"held out of {directory.name}"
        print(f"\n{heading:<54} {'n':>4} {'error':>7} {'covered':>8}   Extra-P: error")
        for item in holdout.held_out(directory, python):
            theirs = "" if item.peer_error is None else f"{item.peer_error:16.2f}"
            ours = f"{item.title:<54} {item.count:4d} {item.error:7.2f} {item.covered:8.1f}"
            print(ours, theirs, flush=True)


def print_library(directory: Path, python: Path | None) -> None:
    """Public series: errors beside laws of textbooks and Extra-P, and whether intervals hold."""
    for chosen in public.SETS:
        print(
            f"\n{chosen:<12} {'beyond':>6} {'n':>4} {'error':>7} {'a+b/p':>7} {'power':>7} {'Extra-P':>8}"
            f" {'held':>6} {'needed':>7}"
        )
        for kind, beyond, row in public.rows(directory, chosen, python):
            peer = f"{'–':>8}" if row.peer is None else f"{row.peer:8.1f}"
            print(
                f"{kind:<12} {beyond:6d} {row.count:4d} {row.error:7.1f} {row.amdahl:7.1f} {row.power:7.1f}"
                f" {peer} {row.covered:6.1f} {row.needed:6.2f}×",
                flush=True,
            )


def print_speed(rng: np.random.Generator, count: int) -> None:
    """CPU time, since machines are shared."""
    print(f"\nsearch, one parameter   {1e6 * speed.search_seconds(rng):8.1f} µs a function")
    print(f"search, two parameters  {1e3 * speed.search_two_seconds(rng):8.3f} ms a function")
    wall, cpu = speed.many_seconds(rng, count)
    print(f"{count:,} functions with intervals, series to models  {wall:6.2f} s, {cpu:.2f} s of CPU")
    wall, cpu = speed.file_seconds(rng)
    print(f"868 call paths × 2 metrics, the whole command  {wall:6.2f} s, {cpu:.2f} s of CPU")


if __name__ == "__main__":
    main()
