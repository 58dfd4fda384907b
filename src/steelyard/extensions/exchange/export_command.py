"""``steelyard export``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from steelyard.cli.declared import Options, declare, take
from steelyard.cli.options import by_option, declare_file, metrics_option, parameters_option, records_argument
from steelyard.cli.paths import OutputPlace, PathCommand
from steelyard.core.errors import RecordError, UsageError

if TYPE_CHECKING:
    from steelyard.extensions.exchange import Format, PeerFormat, SeriesFormat
    from steelyard.lab.merge.machines import By
    from steelyard.store import Record

_FORMATS: Final[dict[str, Format | SeriesFormat]] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".txt": "extrap-text",
    ".json": "extrap-json",
}
_PEERS: Final[tuple[PeerFormat, ...]] = (
    "hyperfine",
    "hyperfine-2",
    "benchstat",
    "bencher",
    "github-action-benchmark",
)


class ExportOptions(Options):
    """Options of ``steelyard export``."""

    records: tuple[Path, ...] = records_argument
    by: By = by_option
    form: Format | SeriesFormat | PeerFormat | None = declare(
        "csv, tsv, jsonl, parquet, arrow, extrap-text, extrap-json (default: by the file name: .txt is"
        " extrap-text, .json extrap-json), hyperfine (schema 1), hyperfine-2, benchstat, bencher or"
        " github-action-benchmark.",
        "-f",
        "--format",
        metavar="FORMAT",
        choices=[*_FORMATS.values(), *_PEERS],
    )
    output: Path | None = declare_file("File to write (default: standard output).", "-o")
    place: Path | str | None = declare(
        "Add the records, each by itself, to a directory or URL of Parquet files, which analyze, report and"
        " history read.",
        "--to",
        metavar="PLACE",
        type=OutputPlace(),
    )
    long: bool = declare("Write one row per value instead of one per trial.")
    parameters: tuple[str, ...] = parameters_option(
        "For Extra-P: a numeric factor or label (default: all that vary). Repeatable."
    )
    metrics: tuple[str, ...] = metrics_option(
        "For all but tables: a metric (default: the primary one of the spec). Repeatable."
    )


@click.command(
    cls=PathCommand, short_help="Write a record for other tools: tables, Extra-P, hyperfine, benchstat, …"
)
@take(ExportOptions)
@click.pass_context
def command(ctx: click.Context, options: ExportOptions) -> None:
    """Write RECORD (a directory NAME.lab, or its spec) for other tools.

    Several of one spec are merged first, as by steelyard merge.

    One row per trial, failed and discarded ones included and marked: factors, context, block, place, status
    and all metrics with one value per trial. With --long, one row per value, with iterations and labels.

    For Extra-P, the same series that `steelyard model` uses: one value for each launch that counts at each
    point of the parameters, and one function for each combination of the other factors and labels.

    hyperfine's JSON and benchstat's text have all launches of complete blocks; the Bencher Metric Format and
    the JSON of github-action-benchmark have means.

    With --to, directories of records may be named too. A record that is there already as it is is left alone,
    one that has changed is replaced.
    """
    if options.place is not None:
        of_files = {
            "--format": options.form,
            "--output": options.output,
            "--long": options.long,
            "--parameter": options.parameters,
            "--metric": options.metrics,
        }
        if refused := [flag for flag, value in of_files.items() if value]:
            raise UsageError(
                f"{refused[0]} has no meaning for --to, which writes all of a record", hint="leave it out"
            )
        ctx.exit(_export_to(options.records, options.place))
    from steelyard.extensions.exchange import export, export_for_peers
    from steelyard.lab.merge.merging import one_record
    from steelyard.lab.run.existing_record import find_record
    from steelyard.store import Record

    chosen = options.form or _FORMATS.get(options.output.suffix if options.output else ".csv")
    if chosen is None:
        raise UsageError(
            f"{options.output} does not say which format",
            hint=f"name it {', '.join(list(_FORMATS)[:-1])} or .json, or give --format",
        )
    directories = [find_record(record) for record in options.records]
    with one_record(directories, options.by) as directory, Record.open(directory) as opened:
        opened.refuse_edited()
        match chosen:
            case "extrap-text" | "extrap-json":
                if options.long:
                    raise UsageError("--long is about rows; Extra-P's files have none", hint="leave it out")
                _export_series(opened, options.output, chosen, options.parameters, options.metrics)
            case "csv" | "tsv" | "jsonl" | "parquet" | "arrow":
                if options.parameters or options.metrics:
                    raise UsageError(
                        f"--parameter and --metric choose, and {chosen} has all of them",
                        hint="leave them out, or --format extrap-json",
                    )
                export(opened, options.output, chosen, long=options.long)
            case _:
                if options.long or options.parameters:
                    raise UsageError(
                        f"--long and --parameter have no meaning for {chosen}", hint="leave them out"
                    )
                export_for_peers(opened, options.output, chosen, options.metrics)


def _export_to(records: tuple[Path, ...], place: Path | str) -> int:
    """Add records to a place, say which could not be, and return the exit code."""
    import sys

    from steelyard.lab.places.asking import write_records
    from steelyard.lab.run.existing_record import find_record
    from steelyard.report.text.progress import Counting

    with Counting("records", sys.stderr) as counting:
        done = write_records([find_record(record) for record in records], place, counting.update)
    for entry in done.left_out:
        click.echo(f"left out: {entry.record} {entry.why}", err=True)
    unchanged = f", {done.unchanged} there already" if done.unchanged else ""
    click.echo(f"{done.place}: {done.written} records written{unchanged}", err=True)
    return RecordError.exit_code if done.left_out else 0


def _export_series(
    record: Record,
    output: Path | None,
    form: SeriesFormat,
    parameters: tuple[str, ...],
    metrics: tuple[str, ...],
) -> None:
    from steelyard.extensions.exchange import export_series
    from steelyard.lab.answer.series_of_record import series_of_record

    series = series_of_record(record, parameters, metrics)
    export_series(series, output, form, unnamed=record.experiment.name)
