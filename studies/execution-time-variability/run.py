"""Nogueira and Matias 2014: services, environment and affinity, beside what this machine shows.

``python studies/execution-time-variability/run.py [--directory LABS] [--size small|full] [--data DATA]``
needs steelyard, a C compiler with OpenMP, two CPUs and the programs of the specs. Each spec is run in the
order of the paper and in randomised blocks. Records lie in LABS (execution-time-variability.labs); a study
that was stopped goes on where it was. The small size takes seconds and shows nothing but that all of it runs.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import shutil
import statistics
import sys
import tomllib
from pathlib import Path
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace
from tables import Found, cells, counted, effects, measured, published

from steelyard.answers.status import Progress
from steelyard.errors import MachineError, SteelyardError
from steelyard.factorial.signs import sign_table
from steelyard.lab.answer.analyze import analyze
from steelyard.lab.demo import SOURCES
from steelyard.lab.run.run import run
from steelyard.lab.run.run_loop import Watch
from steelyard.report.plan.signs import lines as sign_lines
from steelyard.report.text.line import plain
from steelyard.report.text.progress import ProgressLine
from steelyard.spec import Experiment, experiment
from steelyard.spec.layout import lay_out
from steelyard.store import Record

HERE = Path(__file__).resolve().parent
SPECS = (
    "services",
    "services-built",
    "environment",
    "environment-built",
    "affinity",
    "affinity-openmp",
)
ORDERS = {"rows": "nogueira-matias-2014", "blocks": "randomized"}
METRICS = ("wall_s", "cpu_s")
RANDOM_SIZES = sorted(random.Random(2014).sample(range(4096), 8))
"""As many as the paper has, of any residue."""
SMALL = {"perl", "bc", "relax", "buckets", "stack_split"}
"""Programs of the small size."""


class Part(NamedTuple):
    """A record: a spec, an order, and sizes of the environment other than its own: drawn at random, or eight
    levels (``null``) of a variable of one length, which are one treatment eight times.
    """

    spec: str
    order: str
    sizes: Literal["", "random", "null"] = ""

    @property
    def name(self) -> str:
        """Of the record, and in the data."""
        return "-".join([self.spec, *([self.sizes] if self.sizes else []), self.order])


def parts() -> list[Part]:
    """All records. Random sizes only in blocks, which is how to look for an effect; nothing but the order in
    rows, which is where it might be taken for one.
    """
    found = []
    for spec in SPECS:
        found += [Part(spec, order) for order in ORDERS]
        if spec.startswith("environment"):
            found.append(Part(spec, "blocks", "random"))
    return [*found, Part("environment", "rows", "null")]


def question(part: Part, *, small: bool) -> Experiment:
    """The experiment of a part; the spec as it stands is the paper's order in full size."""
    tables: dict[str, Any] = tomllib.loads((HERE / f"{part.spec}.toml").read_text(encoding="utf-8"))
    tables["design"]["order"] = ORDERS[part.order]
    if part.sizes == "random":
        tables["factors"]["env_bytes"] = RANDOM_SIZES
    elif part.sizes == "null":
        del tables["factors"]["env_bytes"]
        tables["factors"]["copy"] = list(range(1, 9))
        tables["program"]["env"] = {"COPY": "{copy}"}
    if "build.sh" in tables["build"]["inputs"]:
        # Built again also when a program of the package changes, outside of the study.
        tables["build"]["inputs"].append(str(SOURCES / "stack_split.c"))
    if small:
        commands = tables["program"]["commands"]
        tables["program"]["commands"] = {name: commands[name] for name in commands if name in SMALL}
        tables["design"] |= {"blocks": 3, "discard": 0}
        for name, levels in tables["factors"].items():
            tables["factors"][name] = list(dict.fromkeys([levels[0], levels[-1]]))
    return experiment(source=HERE, **tables)


def refuse_missing_programs() -> None:
    """Before anything runs, all that is not here, by name."""
    wanted = {"cc"}
    for spec in SPECS:
        commands = tomllib.loads((HERE / f"{spec}.toml").read_text(encoding="utf-8"))["program"]["commands"]
        wanted |= {words[0] for words in commands.values() if not words[0].startswith("{")}
    if lacking := sorted(name for name in wanted if shutil.which(name) is None):
        raise MachineError(
            f"the study needs programs that are not here: {', '.join(lacking)}",
            hint=f"apt-get install {' '.join(Path(name).name.replace('cc', 'gcc') for name in lacking)}",
        )


def load_of(record: Record) -> dict[str, Any]:
    """How busy the machine was with everything, this study included."""
    loads = [batch.load_1min for batch in record.batches() if batch.load_1min is not None]
    deciles = statistics.quantiles(loads, n=10) if len(loads) > 1 else loads
    return {"load_1m_median": statistics.median(loads), "load_1m_deciles": [deciles[0], deciles[-1]]}


def study(at: Path, *, small: bool) -> tuple[dict[str, Any], list[Found]]:
    """All parts, with a line of progress on a terminal; the summary by part, and all cells."""
    refuse_missing_programs()
    line = ProgressLine(sys.stderr)
    summary: dict[str, Any] = {}
    found: list[Found] = []
    asked = parts()
    try:
        for number, part in enumerate(asked, 1):
            wanted = question(part, small=small)
            run(
                wanted,
                at / f"{part.name}.lab",
                watch=telling(line, f"blocks ({number}/{len(asked)} {part.name})"),
            )
            with Record.open(at / f"{part.name}.lab") as record:
                summary[part.name] = load_of(record)
                for metric in METRICS:
                    answer = analyze(record, metric=metric)
                    summary[part.name][metric] = counted(answer)
                    if part.spec == "services-built":
                        summary[part.name][metric]["effects"] = effects(answer)
                    found += cells(part.name, answer)
    finally:
        line.clear()
    return summary, found


def telling(line: ProgressLine, what: str) -> Watch:
    """The line of progress of one part."""

    def watch(progress: Progress) -> None:
        line.update(replace(progress, what=what))

    return watch


def signs() -> str:
    """The sign table of experiment 1, in the order of Yates; programs are strata and have no sign."""
    asked = question(Part("services-built", "rows"), small=False)
    factors = [factor for factor in asked.factors if factor.name != "command"]
    table = sign_table(lay_out(factors, asked.zips, asked.design))
    return plain(sign_lines(table, 100)) if table else ""


def rounded(value: Any) -> Any:
    """Four digits."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def main() -> int:
    """Run what is not finished, and print all tables: published, then ours."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--directory", type=Path, default=Path("execution-time-variability.labs"))
    parser.add_argument("--size", choices=("small", "full"), default="full")
    parser.add_argument(
        "--data", type=Path, help="also write summary.json and measured.csv to this directory"
    )
    given = parser.parse_args()
    try:
        summary, found = study(given.directory.absolute(), small=given.size == "small")
    except SteelyardError as error:
        sys.stderr.write(f"error: {error.message}\n" + (f"\nhint: {error.hint}\n" if error.hint else ""))
        return error.exit_code
    print("\n".join([signs(), *published(), *measured(found)]))
    for name, part in summary.items():
        for metric in METRICS:
            of = part[metric]
            print(
                f"{name}, {metric}: {of['before']} of {of['pairs']} pairs differ before Holm,"
                f" {of['after']} after; {of['default']} by the default analysis"
            )
    if given.data:
        given.data.mkdir(parents=True, exist_ok=True)
        (given.data / "summary.json").write_text(
            json.dumps(rounded(summary), indent=1) + "\n", encoding="utf-8"
        )
        with (given.data / "measured.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(Found._fields)
            writer.writerows(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
