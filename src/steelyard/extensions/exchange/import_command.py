"""``steelyard import``."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import declare_fraction, metric_option, read_duration
from steelyard.cli.paths import InputPath, PathCommand, RecordDirectory
from steelyard.core.errors import UsageError
from steelyard.report.text.label import join_names, plural, printable, shorten

if TYPE_CHECKING:
    from steelyard.extensions.exchange.variable_claims import VariableClaims
    from steelyard.store import Record

_MOST_NAMED = 4
"""Treatments with runs that failed that are named."""
_LONGEST_REASON = 60
"""Characters of a reason."""


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
    variable_margin: float | None = declare_fraction(
        "Claim that no variable of any test is worse than in the first file by more than this, such as 2%:"
        " `steelyard check` judges all of them as one family.",
        "--each",
        "variable_margin",
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
    unit: tuple[str, ...] = declare(
        "Tables: unit of the metrics, where the header says none, or the column that has it; or of one, as in"
        " COLUMN=UNIT. Repeatable.",
        metavar="[COLUMN=]UNIT",
    )
    failures: str = declare(
        "Runs that failed: leave comparisons with them open (refuse), leave them out (ignore), count what"
        " they took (count), as for a program whose exit code means something else, or count those that timed"
        " out as at least --limit (as-limit), which compares medians instance by instance.",
        choices=("refuse", "ignore", "count", "as-limit"),
        default="refuse",
        show_default=True,
    )
    limit: float | None = declare(
        "With --failures as-limit: the time, or value of the metric, at which runs were ended (default: that"
        " of the files, where they say it).",
        type=read_duration,
        metavar="TIME",
    )
    across_machines: bool = declare(
        "Compare files of several machines, which are refused otherwise: their values compare the machines."
    )
    better: tuple[str, ...] = declare(
        "Which way is better (default: by unit and name): lower, higher or neither, of one metric: NAME=SIDE;"
        " of every --value of a table: SIDE. Repeatable.",
        metavar="[NAME=]SIDE",
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
    from steelyard.extensions.exchange.imported import find_source, import_files, refuse_repeated
    from steelyard.extensions.exchange.importers import Chosen
    from steelyard.extensions.exchange.importers.columns import read_sides, read_units
    from steelyard.extensions.exchange.recording import Selection
    from steelyard.extensions.exchange.variable_claims import VariableClaims

    better, sides = read_sides(options.better, options.value or None)
    unit, units = read_units(options.unit, options.value)
    chosen = Chosen(
        options.value,
        options.by,
        unit,
        better,
        options.instance,
        options.seed,
        options.job,
        options.status,
        options.ok,
        sides,
        units,
    )
    if options.variable_margin is not None and (options.claims, options.compare) != (None, None):
        flag = "--claims" if options.claims is not None else "--compare"
        raise UsageError(f"--each makes the claims itself, and {flag} is given", hint="leave one of them out")
    if options.limit is not None and options.failures != "as-limit":
        raise UsageError("--limit needs --failures as-limit", hint="add it, or leave out --limit")
    sources = tuple(find_source(text) for text in options.files)
    refuse_repeated(sources)
    directory = options.output or sources[0].path.with_suffix(".lab")
    question = Selection(
        options.compare,
        options.against,
        options.metric,
        _read_claims(options.claims) if options.claims else (),
    )
    claims = None if options.variable_margin is None else VariableClaims(margin=options.variable_margin)
    record = import_files(
        sources,
        directory,
        form=options.form,
        chosen=chosen,
        question=question,
        policy=options.failures,  # type: ignore[arg-type]  # click checked it
        limit=options.limit,
        across_machines=options.across_machines,
        examine=examine_columns,
        claims=claims,
    )
    with record:
        for note in () if claims is None else _note_unclaimed(claims):
            record.add_warning("imported", note, 1)
        progress, warnings = record.progress(), record.warnings()
        treatments = len(record.treatments)
        failed = list(_word_failures(record))
    named = shlex.quote(str(directory))
    trials = f"{progress.trials:,} trial{'' if progress.trials == 1 else 's'}"
    click.echo(f"{named}: {trials} of {treatments:,} treatment{'' if treatments == 1 else 's'}")
    for text in failed:
        click.echo(f"- {text}")
    for warning in warnings:
        click.echo(f"- {warning.text}")
    click.echo(f"steelyard {'analyze' if claims is None else 'check'} {named}")


def _word_failures(record: Record) -> Iterator[str]:
    """Yield the number of runs that failed, and the first names, each with the reason."""
    failures = record.failures()
    labels = {treatment.id: treatment.label for treatment in record.treatments}
    texts = [
        f"{printable(labels[id_])} ({printable(shorten(entry.reason, _LONGEST_REASON))})"
        if entry.reason
        else printable(labels[id_])
        for id_, entry in failures.items()
        if entry.failed
    ]
    if texts:
        number = sum(entry.failed for entry in failures.values())
        total = sum(entry.attempted for entry in failures.values())
        verb = "failed or timed out" if any(entry.timed_out for entry in failures.values()) else "failed"
        yield f"{number:,} of {plural(total, 'run')} {verb}: {join_names(texts, _MOST_NAMED)}."


def _note_unclaimed(claims: VariableClaims) -> Iterator[str]:
    """Yield what no claim is about, for every answer."""
    lists = (
        (claims.gone, "Not judged, since only the first file has them:"),
        (claims.new, "Not judged, since the first file lacks them:"),
        (list(claims.unclear), "Not judged, since units do not say which way is better:"),
    )
    for names, text in lists:
        if names:
            yield f"{text} {', '.join(printable(name) for name in names)}"


def _read_claims(file: Path) -> list[Mapping[str, Any]]:
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
