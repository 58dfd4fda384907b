"""One rank of IMB-MPI1, whose table rank 0 writes as lines of the protocol: the peer of the workload.

    mpirun -n 2 python3 imb.py LIBRARIES mpich [--bytes 800]

LIBRARIES is where ``./dev mpi`` puts MPI libraries. The benchmark is part of Intel MPI's, and starts with any
library of the same binary interface: the one asked for must be the one that it loads, which is looked up in
its memory map.

Of each rank it takes the mean over repetitions; ``t_avg`` is the mean of these over ranks, ``t_max`` the
largest. A barrier stands before every repetition (``-sync on``, its default) except those of Barrier itself.
Types of messages are those of the workload.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

OPS: Final = ("Barrier", "Bcast", "Reduce", "Allreduce", "Gather", "Allgather", "Alltoall")
RANK: Final = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")
METRICS: Final = ("mean_of_ranks_s", "mean_of_slowest_rank_s")
TITLE: Final = re.compile(r"# Benchmarking (\w+)")
SIZE: Final = re.compile(r"# #processes = (\d+)")
ROW: Final = re.compile(r"(?:(?P<bytes>\d+)\s+)?\d+\s+[\d.]+\s+(?P<t_max>[\d.]+)\s+(?P<t_avg>[\d.]+)")


def main() -> int:
    """Be one rank; the exit code is that of the benchmark, or 1 where its table is not what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("libraries", type=Path)
    parser.add_argument("implementation")
    parser.add_argument("--bytes", type=int, default=800)
    args = parser.parse_args()
    program = args.libraries / "impi" / "bin" / "IMB-MPI1"
    library = (args.libraries / args.implementation / "lib").resolve()
    env = {**os.environ, "LD_LIBRARY_PATH": str(library)}
    rank = next((os.environ[name] for name in RANK if name in os.environ), None)
    if not program.is_file() or rank is None:
        missing = f"{program} is missing: ./dev mpi impi" if rank is not None else "start it by mpirun"
        print(f"imb.py: {missing}", file=sys.stderr)
        return 1
    words = [str(program), "-npmin", "2", "-data_type", "double", "-red_data_type", "double"]
    with NamedTemporaryFile("w", suffix=".lengths") as lengths:
        lengths.write(f"{args.bytes}\n")
        lengths.flush()
        words += ["-msglen", lengths.name, *OPS]
        if rank != "0":
            return subprocess.run(words, env=env, close_fds=False, check=False).returncode
        # The starter speaks to its ranks over descriptors that they inherit.
        with subprocess.Popen(words, env=env, close_fds=False, stdout=subprocess.PIPE, text=True) as ran:
            assert ran.stdout is not None  # noqa: S101 -- it is a pipe
            first = ran.stdout.readline()
            loaded = libraries_of(ran.pid)
            table = first + ran.stdout.read()
        sys.stderr.write(table)
        if ran.returncode:
            return ran.returncode
    if not loaded or any(path.parent != library for path in loaded):
        print(f"imb.py: it ran with {loaded or 'no MPI'}, and not with that of {library}", file=sys.stderr)
        return 1
    result = list(lines(table, args.implementation))
    name = os.environ.get("STEELYARD_METRICS")
    with Path(name).open("a") if name else sys.stdout as to:
        to.writelines(json.dumps(line) + "\n" for line in result)
    return 0 if len(result) == len(METRICS) * len(OPS) else 1


def libraries_of(pid: int) -> set[Path]:
    """The MPI libraries that a process has in its memory."""
    mapped = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return {Path(line.split()[-1]) for line in mapped if re.search(r"/libmpi\.so[.\d]*$", line)}


def lines(table: str, implementation: str) -> Iterator[dict[str, object]]:
    """Two lines for each operation, with the labels that the workload has when it starts by a barrier."""
    op, ranks = "", 0
    for text in map(str.strip, table.splitlines()):
        if title := TITLE.fullmatch(text):
            op = title[1].lower()
        elif size := SIZE.fullmatch(text):
            ranks = int(size[1])
        elif op and (row := ROW.fullmatch(text)):
            labels = {
                "p": ranks,
                "implementation": implementation,
                "sync": "barrier",
                "op": op,
                "bytes": int(row["bytes"] or 0),
                "algorithm": "auto",
            }
            for metric, column in zip(METRICS, ("t_avg", "t_max"), strict=True):
                value_s = float(row[column]) * 1e-6
                yield {"steelyard": 1, "metric": metric, "unit": "s", "labels": labels, "values": [value_s]}


if __name__ == "__main__":
    sys.exit(main())
