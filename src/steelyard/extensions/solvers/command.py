"""``steelyard solvers``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import json_option, read_duration
from steelyard.cli.paths import OutputDirectory, PathCommand
from steelyard.cli.terminal import show
from steelyard.core.errors import UsageError


class SolversOptions(Options):
    """Options of ``steelyard solvers``."""

    files: tuple[str, ...] = declare_argument("[NAME=]RUNS...", nargs=-1, required=True)
    instance: str | None = declare("Column, or factor, of the problem instance.", metavar="COLUMN")
    solver: str | None = declare("Column, or factor, of the solver.", metavar="COLUMN")
    seed: str | None = declare(
        "Column that tells runs of one solver on one instance apart.", metavar="COLUMN"
    )
    status: str | None = declare("Column of what became of a run.", metavar="COLUMN")
    time: str | None = declare("Column, or metric, of the time.", metavar="COLUMN")
    solved: tuple[str, ...] = declare(
        "Word of the status of a solved run. Repeatable.", metavar="WORD", multiple=True
    )
    unit: str | None = declare(
        "Unit of the times (default: the one that the column's name ends with, as in time_ms; else s).",
        choices=("s", "ms", "us"),
    )
    limit_s: float | None = declare(
        "Time limit (default: at which runs timed out, or that of the record). A run that took longer counts"
        " as timed out.",
        "--limit",
        "limit_s",
        type=read_duration,
        metavar="TIME",
    )
    par: int = declare(
        "Limits that a run counts as which was not solved.", least=1, default=2, show_default=True
    )
    against: str | None = declare(
        "Solver with which the others are compared (default: the first).", metavar="SOLVER"
    )
    figures: Path | None = declare(
        "Write the cactus plot and the scatter plots there, as SVG.", type=OutputDirectory(), metavar="DIR"
    )
    as_json: bool = json_option


@click.command(cls=PathCommand, short_help="Compare solvers over problem instances under a time limit.")
@take(SolversOptions)
def command(options: SolversOptions) -> None:
    """Compare solvers over problem instances, where runs may time out or fail.

    RUNS is CSV or TSV with a row a run: instance, solver, status (ok, timeout, failed, …), time, and a seed
    where a solver ran several times on one instance. Columns with usual names need no option. Or it is a
    record NAME.lab that declares its instances: each run that it has, under the time limit of its programs.
    Or it is a file of another tool, such as BenchExec's XML.

    Several files are those of several solvers, called by NAME or by their names; files of one NAME are
    further runs of the same solver. A table may have a column of the solver instead.

    No run is left out: one that was not solved counts as --par limits (PAR2, PAR10). The verdict is about
    instances like these: the signs of the differences of an instance are flipped, and solvers are one family.

    \b
    steelyard solvers runs.csv
    steelyard solvers study.lab
    steelyard solvers old=cbmc-6.3.xml.bz2 new=cbmc-6.4.xml.bz2
    steelyard solvers runs.csv --solver tool --time cputime --limit 1h --par 10
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.extensions.exchange.imported import find_source, refuse_repeated
    from steelyard.extensions.page.figures import draw_figure
    from steelyard.extensions.solvers.charts import draw_charts
    from steelyard.extensions.solvers.files import read_files
    from steelyard.extensions.solvers.judging import answer
    from steelyard.extensions.solvers.records import read_campaign
    from steelyard.extensions.solvers.results import SOLVERS
    from steelyard.extensions.solvers.table import SCALES, Roles
    from steelyard.extensions.solvers.text import lines
    from steelyard.files.writing import write_output
    from steelyard.store import Record

    scale = None if options.unit is None else SCALES[options.unit]
    roles = Roles(
        options.instance, options.solver, options.seed, options.status, options.time, options.solved, scale
    )
    sources = [find_source(text) for text in options.files]
    if len(sources) == 1 and sources[0].path.is_dir():
        _refuse_options_of_tables(options)
        with Record.open(sources[0].path) as record:
            campaign = read_campaign(record, roles, options.limit_s)
    else:
        refuse_repeated(sources)
        campaign = read_files(sources, roles, options.limit_s)
    solvers = answer(campaign, against=options.against, penalty=options.par)
    if options.figures is not None:
        options.figures.mkdir(parents=True, exist_ok=True)
        for chart in draw_charts(solvers, campaign):
            write_output(options.figures / f"{chart.name}.svg", draw_figure(chart).encode())
    show(lambda: SOLVERS.text(solvers), lambda width: lines(solvers, width), as_json=options.as_json)


def _refuse_options_of_tables(options: SolversOptions) -> None:
    """Refuse what a record says itself."""
    chosen = {
        "--seed": options.seed is not None,
        "--status": options.status is not None,
        "--solved": bool(options.solved),
        "--unit": options.unit is not None,
    }
    name = next((name for name, is_chosen in chosen.items() if is_chosen), None)
    if name is not None:
        raise UsageError(
            f"{name} is an option of tables: a record says what became of its runs",
            hint="leave it out, or steelyard export RECORD -o runs.csv",
        )
