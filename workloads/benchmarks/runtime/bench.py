"""Tasks in a global address space: UTS beside its reference, aggregation, and what a waiting task costs.

Options: ``--rounds N``, ``--only NAME ...`` (of the rows below), and the peers. A peer is a program that the
user has built by its own instructions; without it the row has our figure alone.

Rates of one rank are by CPU time, which other programs on the machine disturb least; those of two
ranks are by elapsed time.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from measuring import build
from message_rows import ROWS as MESSAGE_ROWS
from uts_rows import ROWS as UTS_ROWS

ROWS = {**UTS_ROWS, **MESSAGE_ROWS}


def main() -> int:
    """Print row by row what was measured; 1 where a limit is not met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=list(ROWS), default=list(ROWS))
    parser.add_argument("--trees", nargs="+", default=["T1", "T2", "T3"], choices=["T1", "T2", "T3"])
    parser.add_argument(
        "--uts", type=Path, metavar="PROGRAM", help="the sequential program of the UTS reference, 1.1 or 2.1"
    )
    parser.add_argument(
        "--uts-mpi",
        type=Path,
        metavar="PROGRAM",
        help="its MPI work stealing, built for --mpi-peer's library",
    )
    parser.add_argument("--mpi-peer", default="openmpi", choices=["openmpi", "mpich"])
    args = parser.parse_args()
    for peer in (args.uts, args.uts_mpi):
        if peer is not None and not peer.is_file():
            parser.error(f"{peer} is not a program; build the UTS reference by its own instructions")
    build("openmpi", "mpich")
    met = [ROWS[name](args) for name in args.only]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
