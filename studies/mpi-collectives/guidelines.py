"""Check the performance guidelines of MPI: a library of this machine, or a simulated machine.

    guidelines.py                              # Open MPI on 2 ranks, as guidelines.toml says
    guidelines.py --library mpich
    guidelines.py --only allreduce --preload ./slow.so
    guidelines.py --machine torus --ranks 16 64 256
    guidelines.py --machine fat-tree --selector impi --ranks 16 64

Prints rule by size: how many times what its replacement takes an operation takes, broken cells marked; then
broken rules in words. The exit code is 1 where a rule is broken.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from steelyard.claims.evidence import RulePointEvidence
from steelyard.claims.verdict import Checked, Instance, Verdict
from steelyard.errors import SteelyardError
from steelyard.lab.answer.check import check
from steelyard.lab.run.run import run
from steelyard.report.claims.phrases import WORST
from steelyard.report.claims.text import SIGNS, words
from steelyard.report.text.progress import ProgressLine
from steelyard.spec import Experiment, experiment
from steelyard.store import Record

HERE: Final = Path(__file__).resolve().parent
SPEC: Final = HERE / "guidelines.toml"
ONCE: Final = ("--warmup", "0", "--repetitions", "1", "--clocks", "one")
"""In the place of the last four words: a simulation repeats to the bit."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, judge and print; the exit code is that of the verdicts, or of the error."""
    asked = _parser().parse_args(arguments)
    try:
        planned = planned_experiment(asked)
        directory = asked.record or HERE / f"guidelines-{asked.machine or asked.library}.lab"
        line = ProgressLine(sys.stderr)
        try:
            run(planned, directory, watch=line.update)
        finally:
            line.clear()
        with Record.open(directory) as record:
            checked = check(record)
    except SteelyardError as error:
        print(f"error: {error.message}\n\nhint: {error.hint}", file=sys.stderr)
        return error.exit_code
    print(table(checked), *broken(checked), sep="\n")
    return checked.exit_code(strict=False)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--library", default="openmpi", help="as ./dev mpi builds it (default: openmpi)")
    parser.add_argument("--machine", help="simulate this one of studies/machines instead")
    parser.add_argument("--selector", help="with --machine: decide as this library does: ompi, mpich, impi")
    parser.add_argument("--only", metavar="OPERATION", help="only the guidelines of this one: allreduce")
    parser.add_argument("--ranks", type=int, nargs="+", metavar="P")
    parser.add_argument("--bytes", type=int, nargs="+", metavar="N", help="sizes, ascending multiples of 8")
    parser.add_argument("--blocks", type=int, metavar="N")
    parser.add_argument("--preload", type=Path, metavar="FILE", help="library in front of MPI")
    parser.add_argument("--record", type=Path, metavar="DIRECTORY")
    return parser


def planned_experiment(asked: argparse.Namespace) -> Experiment:
    """The spec with what the command line asks for; rules about sizes that are not measured are left out."""
    tables = tomllib.loads(SPEC.read_text(encoding="utf-8"))
    factors, program = tables["factors"], tables["program"]
    factors["implementation"] = ["smpi" if asked.machine else asked.library]
    if asked.machine:
        tables["launch"] = {"kind": "smpi", "ranks": "{p}", "platform": f"../machines/{asked.machine}"}
        if asked.selector:
            tables["launch"]["selector"] = asked.selector
        tables["design"] |= {"blocks": 1, "discard": 0}
        program["command"][-4:] = ONCE
    factors["p"] = asked.ranks or factors["p"]
    factors["bytes"] = asked.bytes or factors["bytes"]
    if asked.blocks:
        tables["design"]["blocks"] = asked.blocks
    if asked.preload:
        program["env"] = {"LD_PRELOAD": str(asked.preload.resolve())}
    tables["claims"] = [each for each in tables["claims"] if _applies(each, factors, asked.only)]
    if asked.only:
        ops = dict.fromkeys(name for each in tables["claims"] for name in _names(each))
        program["command"][4] = ",".join(ops)
    return experiment(source=str(HERE), **tables)


def _names(claim: Mapping[str, Any]) -> list[str]:
    """Levels that a rule names, those of its left side first."""
    return [name.strip() for side in claim["rule"].split("<=") for name in side.split("+")]


def _applies(claim: Mapping[str, Any], factors: Mapping[str, Sequence[object]], only: str | None) -> bool:
    """Whether the sizes of a claim are measured; with ``only``, whether its left side is this operation."""
    if claim["over"] in factors:
        return only is None and {*_names(claim)} <= {str(level) for level in factors[claim["over"]]}
    return only in (None, _names(claim)[0])


def table(checked: Checked) -> str:
    """Rule by size; of several numbers of ranks, the worst is shown."""
    verdicts = [each for each in checked.verdicts if getattr(each.claim, "over", "") == "op"]
    sizes = sorted({int(point.stratum["bytes"]) for each in verdicts for point in _points(each)})
    rows = [["", "rule", *(f"{size} B" for size in sizes)]]
    for verdict in verdicts:
        cells = [_cell(verdict, size) for size in sizes]
        rows.append([SIGNS[verdict.outcome], str(getattr(verdict.claim, "rule", "")), *cells])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) if i < 2 else cell.rjust(width) for i, (cell, width) in aligned)
        for row in rows
        if (aligned := list(enumerate(zip(row, widths, strict=True))))
    ]
    return "\n".join(line.rstrip() for line in lines)


def _points(verdict: Verdict) -> list[Instance]:
    return [each for each in verdict.instances if isinstance(each.evidence, RulePointEvidence)]


def _cell(verdict: Verdict, size: int) -> str:
    """``✗ 2.31``: sign and ratio of the worst point of this size."""
    points = [each for each in _points(verdict) if each.stratum["bytes"] == size]
    if not points:
        return ""
    worst = min(points, key=lambda each: (WORST[each.outcome], -_ratio(each)))
    return f"{SIGNS[worst.outcome]} {_ratio(worst):.2f}" if _ratio(worst) else SIGNS[worst.outcome]


def _ratio(point: Instance) -> float:
    found = point.evidence
    return (found.ratio or 0.0) if isinstance(found, RulePointEvidence) else 0.0


def broken(checked: Checked) -> list[str]:
    """The rules that are broken, in words; how many are open."""
    failing = [f"✗ {words(each)}" for each in checked.verdicts if each.outcome == "fails"]
    left = sum(each.outcome in ("not_resolved", "not_judged") for each in checked.verdicts)
    count = f"{len(failing)} of {len(checked.verdicts)} rules broken, {left} open"
    return ["", count, *failing]


if __name__ == "__main__":
    sys.exit(main())
