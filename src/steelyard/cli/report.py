"""``steelyard report``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli import completion
from steelyard.cli.options import against_option, metric_option, protocol_option
from steelyard.cli.paths import InputPath, OutputDirectory, OutputFile, PathCommand
from steelyard.errors import UsageError
from steelyard.files.writing import refuse_output


@click.command(cls=PathCommand, short_help="Write a page, figures and tables of one record or several.")
@click.argument(
    "records",
    type=InputPath(),
    metavar="RECORD...",
    nargs=-1,
    required=True,
    shell_complete=completion.records,
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE.html",
    help="File of the page (default: NAME.html beside the first record).",
)
@click.option(
    "--figures",
    type=OutputDirectory(),
    metavar="DIR",
    help="Write every chart as SVG, PNG and PDF at the width of a column of a paper.",
)
@click.option(
    "--tables",
    type=OutputDirectory(),
    metavar="DIR",
    help="Write every table as Markdown, LaTeX (booktabs) and CSV, and models as Python and LaTeX.",
)
@metric_option("Report this metric instead of the primary one of the spec.")
@protocol_option
@against_option
def command(
    records: tuple[Path, ...],
    output: Path | None,
    figures: Path | None,
    tables: Path | None,
    metric: str | None,
    protocol: str | None,
    against: str | None,
) -> None:
    """Write one self-contained HTML page about RECORD (a directory NAME.lab, or its spec): the answer, every
    run, contexts, factors, scaling, the machine, and how to repeat it; also while it is still running.

    With --figures or --tables, no page is written unless -o names one.
    """
    from steelyard.laboratory import report

    page = output or (None if figures or tables else _beside(records[0]))
    if page is not None:
        refuse_output(page, "--output")
    made = report(*records, metric=metric, protocol=protocol, against=against)
    for directory, write in ((figures, made.figures), (tables, made.tables)):
        if directory is not None:
            for file in write(_made(directory)):
                click.echo(file)
    if page is not None:
        click.echo(made.save(page))


def _beside(record: Path) -> Path:
    from steelyard.lab.run.existing_record import find_record

    return find_record(record).with_suffix(".html")


def _made(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{directory}: cannot be made: {error.strerror}", hint="name a directory that you may write"
        ) from None
    return directory
