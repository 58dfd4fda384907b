"""What the runtime, and graph algorithms on it, cost beside programs that do the same.

Options: ``--rounds N``, ``--only NAME ...`` (of the rows below), and those of the peers. A peer is a program
that the user has built by its own instructions; without it the row has our figure and its limit alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from graph_rows import ROWS as GRAPH_ROWS
from measuring import build
from runtime_rows import ROWS as RUNTIME_ROWS

ROWS = {**RUNTIME_ROWS, **GRAPH_ROWS}


def main() -> int:
    """Print row by row what was measured; 1 where a limit is not met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=list(ROWS), default=list(ROWS))
    parser.add_argument(
        "--conveyors",
        metavar="PROGRAM",
        help="examples/histo of a conveyors tree, built for MPI and started by --conveyors-mpirun",
    )
    parser.add_argument("--conveyors-mpirun", metavar="PROGRAM", help="default: that of ./dev mpi openmpi")
    parser.add_argument("--gapbs", type=Path, metavar="DIRECTORY", help="with the programs of GAP")
    parser.add_argument(
        "--graph500", type=Path, metavar="PROGRAM", help="graph500_reference_bfs_sssp, for --graph500-mpirun"
    )
    parser.add_argument("--graph500-mpirun", metavar="PROGRAM", help="default: that of ./dev mpi mpich")
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help="time what has one rank or thread by its CPU time, ours and the peers' alike: where others are "
        "at work",
    )
    parser.add_argument("--scales", type=int, nargs="+", default=[16], help="of graphs (default: 16)")
    args = parser.parse_args()
    build("openmpi", "mpich")
    met = [ROWS[name](args) for name in args.only]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
