"""``steelyard export``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from steelyard.cli.options import metrics_option, parameters_option, record_argument
from steelyard.errors import UsageError

if TYPE_CHECKING:
    from steelyard.exchange import Format, SeriesFormat
    from steelyard.store import Record

_FORMATS: Final[dict[str, Format | SeriesFormat]] = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".txt": "extrap-text",
    ".json": "extrap-json",
}


@click.command(short_help="Write a record as CSV, JSON Lines, Parquet or Extra-P data.")
@record_argument
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(list(_FORMATS.values())),
    help="Format (default: by the file name; extrap-text is .txt, extrap-json .json).",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File to write (default: standard output).",
)
@click.option("--long", is_flag=True, help="Write one row per value instead of one per trial.")
@parameters_option("For Extra-P: a numeric factor or label (default: all that vary). Repeatable.")
@metrics_option("For Extra-P: a metric (default: the primary one of the spec). Repeatable.")
def command(
    record: Path,
    form: Format | SeriesFormat | None,
    output: Path | None,
    long: bool,
    parameters: tuple[str, ...],
    metrics: tuple[str, ...],
) -> None:
    """Write RECORD (a directory NAME.lab, or its spec) for other tools.

    One row per trial, failed and discarded ones included and marked: factors, context, block, place, status
    and all metrics with one value per trial. With --long, one row per value, with iterations and labels.

    For Extra-P, the same series that `steelyard model` uses: one value for each launch that counts at each
    point of the parameters, and one function for each combination of the other factors and labels.
    """
    from steelyard.exchange import export
    from steelyard.lab.run.existing_record import find_record
    from steelyard.store import Record

    chosen = form or _FORMATS.get(output.suffix if output else ".csv")
    if chosen is None:
        raise UsageError(
            f"{output} does not say which format",
            hint=f"name it {', '.join(list(_FORMATS)[:-1])} or .json, or give --format",
        )
    with Record.open(find_record(record)) as opened:
        match chosen:
            case "extrap-text" | "extrap-json":
                if long:
                    raise UsageError("--long is about rows; Extra-P's files have none", hint="leave it out")
                _export_series(opened, output, chosen, parameters, metrics)
            case "csv" | "jsonl" | "parquet":
                if parameters or metrics:
                    raise UsageError(
                        f"--parameter and --metric are for Extra-P, and {chosen} has all of them",
                        hint="leave them out, or --format extrap-json",
                    )
                export(opened, output, chosen, long=long)


def _export_series(
    record: Record,
    output: Path | None,
    form: SeriesFormat,
    parameters: tuple[str, ...],
    metrics: tuple[str, ...],
) -> None:
    from steelyard.exchange import export_series
    from steelyard.lab.answer.series_of_record import series_of_record

    series = series_of_record(record, parameters, metrics)
    export_series(series, output, form, directory=record.directory, unnamed=record.experiment.name)
