"""Scaling models beside Extra-P in the same run: accuracy, calibration, speed.

Options: ``--quick`` (small samples), ``--seed N`` (drawn anew where not given, and printed), ``--without-
peer``, ``--environment DIR`` (where Extra-P lives), ``--collectives FILE`` (the CSV of Extra-P's
repository, for
real series).
"""

from __future__ import annotations

import argparse
import os
import secrets
from pathlib import Path

import accuracy
import calibration
import extra_p
import numpy as np
import speed

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "steelyard"


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--without-peer", action="store_true")
    parser.add_argument("--environment", type=Path, default=CACHE / f"extrap-{extra_p.VERSION}")
    parser.add_argument("--collectives", type=Path, default=None)
    options = parser.parse_args()
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    rng = np.random.default_rng(seed)
    python = None if options.without_peer else extra_p.environment(options.environment)
    each, pairs, outcomes = (4, 30, 40) if options.quick else (20, 200, 250)
    print(
        f"seed {seed}; {35 * each} functions and {10 * each} constants a row; p = 16 … 512, 5 repetitions\n"
    )
    print(
        f"{'noise':<18} {'tool':<17} {'exact (s.e.)':>13} {'within p^¼':>11} {'error 16×':>10}"
        f" {'constants':>10} {'ms':>8}"
    )
    for row, tool, found in accuracy.table(python, rng, each, 10 * each):
        print(
            f"{row:<18} {tool:<17} {found.exact:6.1f} ({found.se:.1f}) {found.near:10.1f} {found.error:10.2f}"
            f" {found.constants:10.1f} {1e3 * found.seconds:8.3f}",
            flush=True,
        )
    print("\n" + "\n".join(accuracy.two_parameter_table(python, rng, pairs)))
    found = calibration.synthetic(rng, outcomes)
    print("\n95 % intervals at 4 × the range, expectations drawn near the data's slope")
    print("\n".join(calibration.coverage_lines(found)))
    print("\nstated probability of a rank against observed")
    for edge, stated, observed, count in calibration.bins(found):
        print(f"  {edge:.1f} to {edge + 0.2:.1f}: stated {stated:.3f}, observed {observed:.3f}, n {count}")
    if options.collectives is not None:
        held, count, width = calibration.real_series(options.collectives)
        print(f"\nreal series, p = 512 left out: {held} of {count} held, median width {width:.2f} ×")
    points = np.array([(p, q) for p in accuracy.P_VALUES for q in accuracy.Q_VALUES])
    print(f"\nsearch, one parameter   {1e6 * speed.search_seconds(rng):8.1f} µs a function")
    print(f"search, two parameters  {1e3 * speed.search_two_seconds(rng, points):8.3f} ms a function")
    count = 10_000 if options.quick else 100_000
    print(f"{count:,} functions, series to models  {speed.many_seconds(rng, count):6.2f} s")
    print(f"a file of 868 call paths × 2 metrics, read, modelled, printed  {speed.file_seconds(rng):6.2f} s")


if __name__ == "__main__":
    main()
