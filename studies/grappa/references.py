"""Breadth-first search and betweenness beside Graph500 and GAP: one randomised run, the same edges and roots.

    .venv/bin/python studies/grappa/references.py --gapbs DIRECTORY --graph500 PROGRAM

The references are built by their own instructions: a checkout of the GAP Benchmark Suite in which make has
run, and graph500_reference_bfs_sssp of Graph500's reference code (version 3), with the starter of its MPI
library. One that is not given is left out. An interrupted run goes on where it stopped; tables go to stdout,
as Markdown.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

from steelyard import Laboratory
from steelyard.api import Experiment, MachineError, Record, SteelyardError, experiment

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import launching  # noqa: E402 -- what studies share lies beside them
import parts  # noqa: E402
import search  # noqa: E402

ROOT: Final = HERE.parents[1]
MPI: Final = ROOT / ".cache" / "mpi"
MILLION: Final = 1e-6
ROOTS: Final = {"bfs": 64, "bc": 8}
"""Graph500 has 64."""


def question(prepared: search.Prepared, blocks: int | None = None) -> Experiment:
    """The experiment, with the references that are here."""
    tables: dict[str, Any] = tomllib.loads((HERE / "references.toml").read_text(encoding="utf-8"))
    words, factors, design = tables["program"]["command"], tables["factors"], tables["design"]
    words[words.index("--prepared") + 1] = str(prepared.directory)
    if not prepared.gapbs:
        factors["way"].remove("gap")
    if not prepared.graph500:
        factors["way"].remove("graph500")
        del design["exclude"]
    if blocks is not None:
        design["blocks"] = blocks
    return experiment(source=HERE, **tables)


def there(path: Path, hint: str) -> str:
    """The whole name of a program.

    Raises
    ------
    MachineError
        There is none.
    """
    if not path.is_file():
        raise MachineError(f"{path} is missing", hint=hint)
    return str(path.absolute())


def references(options: argparse.Namespace) -> dict[str, str]:
    """The programs of the references that are given; says which are left out.

    Raises
    ------
    MachineError
        One is given, and not there.
    """
    result = {}
    if options.graph500 is None:
        print("graph500 is left out: --graph500 PROGRAM names it", file=sys.stderr)
    else:
        result["graph500"] = there(options.graph500, "--graph500 is graph500_reference_bfs_sssp")
        result["graph500_mpirun"] = there(
            options.graph500_mpirun, "--graph500-mpirun is the starter that it needs"
        )
    if options.gapbs is None:
        print("gap is left out: --gapbs DIRECTORY names a checkout of it", file=sys.stderr)
    else:
        for program in ("bfs", "bc", "converter"):
            there(options.gapbs / program, "--gapbs is a checkout in which make has run")
        result["gapbs"] = str(options.gapbs.absolute())
    return result


def prepare(options: argparse.Namespace) -> search.Prepared:
    """Look for the programs, draw roots, and write the edges for GAP.

    Raises
    ------
    MachineError
        A program is missing.
    """
    directory: Path = options.prepared.absolute()
    graph = there(ROOT / "build" / "workloads" / "openmpi" / "bin" / "graph", "./dev mpi openmpi")
    result = references(options)
    directory.mkdir(parents=True, exist_ok=True)
    mpirun = str(MPI / "openmpi" / "bin" / "mpirun")
    roots, edges = drawn(mpirun, graph, options.scale)
    prepared = search.Prepared(directory, options.scale, mpirun, graph, roots, edges, **result)
    if prepared.gapbs:
        convert(prepared)
    prepared.write()
    return prepared


def drawn(mpirun: str, graph: str, scale: int) -> tuple[dict[str, list[int]], dict[str, int]]:
    """The first roots of Graph500, by operation, and how many edges their components have."""
    words = ["bfs", "--scale", str(scale), "--sources", str(max(ROOTS.values()))]
    result = launching.lines(launching.output([mpirun, "-n", "1", graph, *words]))
    values = {
        metric: [int(line["values"][0]) for line in result if line["metric"] == metric]
        for metric in ("root", "edges")
    }
    edges = {str(root): count for root, count in zip(values["root"], values["edges"], strict=True)}
    return {op: values["root"][:count] for op, count in ROOTS.items()}, edges


def convert(prepared: search.Prepared) -> None:
    """Write the edges as GAP reads them fastest, without weights."""
    text, plain = (prepared.directory / f"edges.{suffix}" for suffix in ("wel", "el"))
    words = ["generate", "--scale", str(prepared.scale), "--output", str(text)]
    launching.output([prepared.mpirun, "-n", "1", prepared.graph, *words])
    with text.open() as weighted, plain.open("w") as written:
        written.writelines(f"{' '.join(line.split()[:2])}\n" for line in weighted)
    converter = str(Path(prepared.gapbs, "converter"))
    launching.output([converter, "-f", str(plain), "-s", "-b", str(prepared.directory / "edges.sg")])
    text.unlink()
    plain.unlink()


def tables(record: Record) -> str:
    """Rates over ranks or threads."""
    rates = parts.values(record, "teps_harmonic_mean", ("op", "way"), "p", factor=MILLION)
    return f"MTEPS:\n\n{rates}"


def main() -> int:
    """Prepare, run what is not finished yet, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gapbs", type=Path, metavar="DIRECTORY")
    parser.add_argument("--graph500", type=Path, metavar="PROGRAM")
    parser.add_argument(
        "--graph500-mpirun",
        type=Path,
        default=MPI / "mpich" / "bin" / "mpirun",
        metavar="STARTER",
        help="default: that of ./dev mpi mpich",
    )
    parser.add_argument("--record", type=Path, default=HERE / "references.lab", metavar="NAME.lab")
    parser.add_argument("--prepared", type=Path, default=ROOT / "build" / "references", metavar="DIRECTORY")
    parser.add_argument("--scale", type=int, default=16)
    parser.add_argument("--blocks", type=int, metavar="N", help="in place of the spec's")
    args = parser.parse_args()
    try:
        laboratory = Laboratory(question(prepare(args), args.blocks), record=args.record)
        laboratory.run()
        with laboratory.open() as record:
            print(tables(record))
        print(f"\n```text\n{laboratory.analyze()}\n```")
    except SteelyardError as error:
        sys.stderr.write(error.explain())
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
