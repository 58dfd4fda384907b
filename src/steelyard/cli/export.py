"""``steelyard export``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from steelyard.cli.options import record_argument
from steelyard.errors import UsageError

if TYPE_CHECKING:
    from steelyard.exchange import Format

_FORMATS: Final[dict[str, Format]] = {".csv": "csv", ".jsonl": "jsonl", ".parquet": "parquet"}


@click.command(short_help="Write a record as CSV, JSON Lines or Parquet.")
@record_argument
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl", "parquet"]),
    help="Default: as the file is named.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Default: standard output."
)
@click.option("--long", is_flag=True, help="One row for each value, instead of one for each trial.")
def command(record: Path, form: Format | None, output: Path | None, long: bool) -> None:
    """Write RECORD (a directory NAME.lab, or its spec) for other tools.

    One row a trial, failed and discarded ones included and marked: factors, context, block, place, status
    and all metrics that have one value a trial. With --long, one row a value, iterations and labels included.
    """
    from steelyard.exchange import export
    from steelyard.lab.records import find_record
    from steelyard.store import Record

    chosen = form or _FORMATS.get(output.suffix if output else ".csv")
    if chosen is None:
        raise UsageError(
            f"{output} does not say which format", hint="name it .csv, .jsonl or .parquet, or give --format"
        )
    with Record.open(find_record(record)) as opened:
        export(opened, output, chosen, long=long)
