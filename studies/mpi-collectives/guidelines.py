"""Check the performance guidelines of MPI: libraries of this machine, or simulated machines.

    guidelines.py                              # Open MPI on 2 ranks, as guidelines.toml says
    guidelines.py --library openmpi mpich impi --keep
    guidelines.py --only allreduce --preload ./slow.so
    guidelines.py --machine torus --selector default impi --ranks 16 64 256 --bytes 8 800

Prints rule by size for each: how many times what its replacement takes an operation takes, broken cells
marked; then broken rules in words. ``--keep`` puts the cells into guidelines.csv. An interrupted check goes
on where it stopped. The exit code is 1 where a rule is broken.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import cells
import rounds

from steelyard.api import Experiment, InterruptedRunError, Record, SteelyardError, experiment, run
from steelyard.api.claims import Checked, check
from steelyard.api.text import ProgressLine

HERE: Final = Path(__file__).resolve().parent
SPEC: Final = HERE / "guidelines.toml"
OVER_RANKS: Final = HERE / "monotony.toml"
ONCE: Final = ("--warmup", "0", "--repetitions", "1", "--clocks", "one")
"""In the place of the last four words: a simulation repeats to the bit. Results are verified, too."""
DEFAULT: Final = "default"
"""The selector that SimGrid has where none is named."""

CRASHES: Final[Mapping[str, frozenset[str]]] = {"ompi": frozenset({"bcast_by_allgatherv"})}
"""Operations at which SimGrid 3.32 ends by a damaged heap, by selector: an Allgatherv to which one rank alone
sends, as Open MPI would choose it. They and their rules are left out.
"""


class Target(NamedTuple):
    """What is checked: a library here, or a simulated machine that decides as ``selector``."""

    library: str
    machine: str | None = None
    selector: str = DEFAULT

    @property
    def name(self) -> str:
        """``mpich``, ``torus`` or ``torus@impi``, which decides as Intel MPI does."""
        if self.machine is None:
            return self.library
        return self.machine if self.selector == DEFAULT else f"{self.machine}@{self.selector}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, judge and print; the exit code is that of the verdicts, or of the last error."""
    parser = _parser()
    args = parser.parse_args(arguments)
    targets = list(_targets(args))
    if args.machine and args.preload:
        parser.error(
            "--preload: SimGrid binds a program to its own MPI first; a library is checked without it"
        )
    if args.record and len(targets) > 1:
        parser.error("--record is that of a single library or machine")
    code = 0
    for target in targets:
        try:
            checked = _measured(target, args)
        except SteelyardError as error:
            print(f"error: {target.name}: {error.message}\n\nhint: {error.hint}", file=sys.stderr)
            code = error.exit_code
            if isinstance(error, InterruptedRunError):
                break
            continue
        if len(targets) > 1:
            print(f"\n## {target.name}\n")
        print(cells.table(checked), *cells.broken(checked), sep="\n", flush=True)
        if args.keep:
            cells.keep(target.name, cells.cells_of(target.name, checked))
        code = max(code, checked.exit_code(strict=False))
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--library", nargs="+", default=["openmpi"], help="as ./dev mpi builds them (default: openmpi)"
    )
    parser.add_argument("--machine", nargs="+", default=[], help="simulate these of studies/machines instead")
    parser.add_argument(
        "--selector",
        nargs="+",
        default=[DEFAULT],
        help="with --machine: decide as these libraries do: default, ompi, mpich, mvapich2, impi",
    )
    parser.add_argument("--only", metavar="OPERATION", help="only the guidelines of this one: allreduce")
    parser.add_argument("--ranks", type=int, nargs="+", metavar="P")
    parser.add_argument("--bytes", type=int, nargs="+", metavar="N", help="sizes, ascending multiples of 8")
    parser.add_argument("--blocks", type=int, metavar="N")
    parser.add_argument("--repetitions", type=int, metavar="N", help="of a library (default: 200)")
    parser.add_argument(
        "--predict", action="store_true", help="predict the repetitions in a launch at each size first"
    )
    parser.add_argument(
        "--sync",
        choices=("window", "barrier", "round-time"),
        help="how ranks of a library start together (default: window, which a busy machine spoils)",
    )
    parser.add_argument("--preload", type=Path, metavar="FILE", help="library in front of MPI")
    parser.add_argument("--record", type=Path, metavar="DIRECTORY", help="of a single target")
    parser.add_argument("--keep", action="store_true", help="put the cells into guidelines.csv")
    return parser


def _targets(options: argparse.Namespace) -> Iterator[Target]:
    for machine in options.machine:
        for selector in options.selector:
            yield Target("smpi", machine, selector)
    if not options.machine:
        yield from map(Target, options.library)


def _measured(target: Target, options: argparse.Namespace) -> Checked:
    directory = options.record or HERE / f"guidelines-{target.name}.lab"
    repetitions = options.repetitions
    if options.predict and target.machine is None:
        pilot = directory.with_name(f"{directory.stem}-pilot.lab")
        _run(planned_experiment(target, options, rounds.PILOT, blocks=2), pilot)
        with Record.open(pilot) as record:
            repetitions = rounds.largest(record)
        print(f"{target.name}: {repetitions} repetitions, as predicted", file=sys.stderr)
    _run(planned_experiment(target, options, repetitions, blocks=options.blocks), directory)
    with Record.open(directory) as record:
        return check(record)


def _run(planned: Experiment, directory: Path) -> None:
    line = ProgressLine(sys.stderr)
    try:
        run(planned, directory, watch=line.update)
    finally:
        line.clear()


def planned_experiment(
    target: Target, options: argparse.Namespace, repetitions: int | None, blocks: int | None
) -> Experiment:
    """The spec with what the command line asks for; rules about levels that are not measured are left out."""
    tables = tomllib.loads(SPEC.read_text(encoding="utf-8"))
    tables["claims"] += tomllib.loads(OVER_RANKS.read_text(encoding="utf-8"))["claims"]
    factors, program = tables["factors"], tables["program"]
    factors["implementation"] = [target.library]
    if repetitions:
        program["command"][-1] = str(repetitions)
    if options.sync:
        program["command"][1:1] = ("--sync", options.sync)
    if target.machine:
        tables["launch"] = {"kind": "smpi", "ranks": "{p}", "platform": f"../machines/{target.machine}"}
        if target.selector != DEFAULT:
            tables["launch"]["selector"] = target.selector
        tables["design"] |= {"blocks": 1, "discard": 0}
        program["command"][-4:] = ONCE
        program["timeout"] = "30 min"
    factors["p"] = options.ranks or factors["p"]
    factors["bytes"] = options.bytes or factors["bytes"]
    if blocks:
        tables["design"]["blocks"] = blocks
    if options.preload:
        program["env"] = {"LD_PRELOAD": str(options.preload.resolve())}
    out = CRASHES.get(target.selector, frozenset())
    tables["claims"] = [
        item
        for item in tables["claims"]
        if _applies(item, factors, options.only) and not out & {*_names(item)}
    ]
    place = program["command"].index("--ops") + 1
    ops = program["command"][place].split(",")
    if options.only:
        ops = list(dict.fromkeys(name for claim in tables["claims"] for name in _names(claim)))
    program["command"][place] = ",".join(op for op in ops if op not in out)
    return experiment(source=str(HERE), **tables)


def _names(claim: Mapping[str, Any]) -> list[str]:
    """Levels that a rule names, those of its left side first."""
    return [name.strip() for side in claim["rule"].split("<=") for name in side.split("+")]


def _applies(claim: Mapping[str, Any], factors: Mapping[str, Sequence[object]], only: str | None) -> bool:
    """Whether the levels of a claim are measured; with ``only``, whether its left side is this operation."""
    if claim["over"] in factors:
        return only is None and {*_names(claim)} <= {str(level) for level in factors[claim["over"]]}
    return only in (None, _names(claim)[0])


if __name__ == "__main__":
    sys.exit(main())
