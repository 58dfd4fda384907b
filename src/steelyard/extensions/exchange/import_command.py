"""``steelyard import``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import metric_option
from steelyard.cli.paths import InputPath, PathCommand, RecordDirectory
from steelyard.core.errors import UsageError

if TYPE_CHECKING:
    from steelyard.extensions.exchange.imported import ImportSource


class ImportOptions(Options):
    """Options of ``steelyard import``."""

    files: tuple[str, ...] = declare_argument("[NAME=]FILE...", nargs=-1, required=True)
    output: Path | None = declare(
        "Directory of the record (default: named like the first file, beside it).",
        "-o",
        metavar="NAME.lab",
        type=RecordDirectory(),
    )
    form: str | None = declare(
        "Format of the files (default: detected); also one that another package adds.",
        "-f",
        "--format",
        metavar="FORMAT",
    )
    metric: str | None = metric_option("Primary metric (default: the first of the files).")
    compare: str | None = declare(
        "Factor whose levels are compared (default: the file, where there are several; else the commands of"
        " hyperfine and the treatments of a table).",
        metavar="FACTOR",
    )
    against: str | None = declare("Level with which they are compared (default: the first).", metavar="LEVEL")
    claims: Path | None = declare(
        "TOML file with the [[claims]] that `steelyard check` is to judge.", metavar="FILE", type=InputPath()
    )
    value: tuple[str, ...] = declare("Tables: column of a metric. Repeatable.", metavar="COLUMN")
    by: tuple[str, ...] = declare(
        "Tables: column that distinguishes treatments. Repeatable.", metavar="COLUMN"
    )
    instance: str | None = declare(
        "Tables: column of the problem instance: treatments are compared instance by instance.",
        metavar="COLUMN",
    )
    seed: str | None = declare(
        "Tables: column that numbers the runs of a treatment on an instance.", metavar="COLUMN"
    )
    job: str | None = declare(
        "Tables: column of the job (default: one called job, jobid, …): the mean of each is one value; ''"
        " counts each row.",
        metavar="COLUMN",
    )
    status: str | None = declare(
        "Tables: column of what became of a run, in words or exit codes (default: status, outcome, state,"
        " exit_code, …).",
        metavar="COLUMN",
    )
    ok: tuple[str, ...] = declare(
        "Tables: word of that column for a run that went well. Repeatable.", metavar="WORD"
    )
    unit: str | None = declare(
        "Tables: unit of the metrics, where the header says none, or the column that has it.", metavar="UNIT"
    )
    failures: str = declare(
        "Runs that failed: leave comparisons with them open (refuse), leave them out (ignore), or count what"
        " they took (count), as for a program whose exit code means something else.",
        choices=("refuse", "ignore", "count"),
        default="refuse",
        show_default=True,
    )
    across_machines: bool = declare(
        "Compare files of several machines, which are refused otherwise: their values compare the machines."
    )
    better: tuple[str, ...] = declare(
        "Tables: which way is better (default: by unit and name): lower, higher or neither, of every --value"
        " or of one: COLUMN=SIDE. Repeatable.",
        metavar="[COLUMN=]SIDE",
    )


@click.command(cls=PathCommand, short_help="Make a record of what another tool measured.")
@take(ImportOptions)
def command(options: ImportOptions) -> None:
    """Make a record of FILE..., to be analysed, checked, modelled and exported like any other.

    Reads the files of hyperfine, Google Benchmark, pyperf, pytest-benchmark, Criterion (the directory
    target/criterion), go test -bench, BenchmarkDotNet, JMH, ReFrame, nanobench, the Intel MPI Benchmarks and
    OSU's; HPL, STREAM, NCCL's tests, fio, iperf3, wrk, k6, pgbench, sysbench, ClickBench, BenchExec, ReBench,
    Ramble, exaCB, llama-bench, MLPerf and HdrHistogram; and tables: CSV, TSV and what `jube result` prints.

    Several files are compared with the first. The benchmarks of one file are a list of results. Files of the
    same NAME are sessions of the same, and the mean of each is one value:

      steelyard import old=a.json old=b.json new=c.json new=d.json -o change.lab

    Nothing in such a file pairs its values, but for rounds of zenbench, so that tests are unpaired and assume
    that nothing drifted; a mean alone gets no verdict.
    """
    from steelyard.extensions.exchange.covariates import examine_columns
    from steelyard.extensions.exchange.imported import import_files
    from steelyard.extensions.exchange.importers import Chosen
    from steelyard.extensions.exchange.importers.columns import read_sides
    from steelyard.extensions.exchange.recording import Selection

    better, sides = read_sides(options.better, options.value)
    chosen = Chosen(
        options.value,
        options.by,
        options.unit,
        better,
        options.instance,
        options.seed,
        options.job,
        options.status,
        options.ok,
        sides,
    )
    sources = tuple(_find_source(text) for text in options.files)
    _refuse_repeated(sources)
    directory = options.output or sources[0].path.with_suffix(".lab")
    question = Selection(
        options.compare,
        options.against,
        options.metric,
        _get_claims(options.claims) if options.claims else (),
    )
    record = import_files(
        sources,
        directory,
        form=options.form,
        chosen=chosen,
        question=question,
        policy=options.failures,  # type: ignore[arg-type]  # click checked it
        across_machines=options.across_machines,
        examine=examine_columns,
    )
    with record:
        progress, warnings = record.progress(), record.warnings()
        treatments = len(record.treatments)
    named = shlex.quote(str(directory))
    trials = f"{progress.trials:,} trial{'' if progress.trials == 1 else 's'}"
    click.echo(f"{named}: {trials} of {treatments:,} treatment{'' if treatments == 1 else 's'}")
    for warning in warnings:
        click.echo(f"- {warning.text}")
    click.echo(f"steelyard analyze {named}")


def _refuse_repeated(sources: Sequence[ImportSource]) -> None:
    """Refuse a file that is named twice: its values would count as so many more."""
    places: set[Path] = set()
    for source in sources:
        place = source.path.resolve()
        if place in places:
            raise UsageError(
                f"{source.path} is named twice: its values would count as a further session",
                hint="name each file once",
            )
        places.add(place)


def _find_source(text: str) -> ImportSource:
    from steelyard.extensions.exchange.imported import ImportSource

    name, sign, path = text.partition("=")
    if sign and name and not Path(text).exists():
        return ImportSource(name, Path(path))
    return ImportSource(Path(text).stem, Path(text))


def _get_claims(file: Path) -> list[Mapping[str, Any]]:
    import tomllib

    from steelyard.spec import read_spec

    try:
        tables = tomllib.loads(read_spec(file))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: {error}", hint="write [[claims]] in TOML, as in a spec") from None
    if set(tables) != {"claims"} or not isinstance(tables["claims"], list):
        text = ", ".join(sorted(set(tables) - {"claims"})) or "nothing"
        raise UsageError(
            f"{file}: expected [[claims]] alone, got {text}", hint="docs/checking.md has all kinds"
        )
    claims: list[Mapping[str, Any]] = tables["claims"]
    return claims
