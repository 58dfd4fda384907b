"""What statistics cost beside SciPy, which does the same in turns with it.

Options: ``--rounds N`` (200; the protocol takes a tenth of them), ``--seed N``.
"""

from __future__ import annotations

import argparse

import protocol
import resampling


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"from values to an interval, {resampling.RESAMPLES:,} resamples, n = {resampling.N}; milliseconds")
    print(f"{'':<26} {'SciPy BCa':>9}" + "".join(f" {f'{t} thread(s)':>13}" for t in resampling.THREADS))
    for row in resampling.rows(options.rounds, options.seed):
        cells = "".join(f" {ms:6.3f} {r:5.1f}×" for ms, r in zip(row.ours_ms, row.ratios, strict=True))
        print(f"{row.name:<26} {row.scipy_ms:9.2f}{cells}", flush=True)
    pairs = protocol.PROGRAMS * protocol.TREATMENTS * (protocol.TREATMENTS - 1) // 2
    print(
        f"\nthe protocol on {pairs} pairs of {protocol.N} runs; seconds of CPU, at most {protocol.LIMIT_S:g}"
    )
    print(f"{'':<26} {'SciPy, tests alone':>18} {'whole protocol':>14}  same p")
    for item in protocol.rows(max(3, options.rounds // 10), options.seed):
        agreement = "yes" if item.agree else "NO"
        print(f"{item.name:<26} {item.scipy_s:18.2f} {item.ours_s:14.2f}  {agreement}", flush=True)


if __name__ == "__main__":
    main()
