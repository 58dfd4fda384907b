"""``steelyard report``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.options import against_option, metric_option, places_argument, protocol_option
from steelyard.cli.paths import OutputDirectory, OutputFile, PathCommand
from steelyard.core.errors import UsageError
from steelyard.files.urls import strip_secrets
from steelyard.files.writing import refuse_output


@click.command(cls=PathCommand, short_help="Write a page, figures and tables of one record or several.")
@places_argument
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
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Only the figures and tables of this name, as in effects or growth-1. Repeatable.",
)
@click.option(
    "--archive",
    type=OutputFile(),
    metavar="FILE.zip",
    help="Pack record, spec, host, page, trials and checksums into one file.",
)
@click.option(
    "--author", "authors", multiple=True, metavar="NAME", help="For the archive's CITATION.cff. Repeatable."
)
@metric_option("Report this metric instead of the primary one of the spec.")
@protocol_option
@against_option
def command(
    records: tuple[Path | str, ...],
    output: Path | None,
    figures: Path | None,
    tables: Path | None,
    only: tuple[str, ...],
    archive: Path | None,
    authors: tuple[str, ...],
    metric: str | None,
    protocol: str | None,
    against: str | None,
) -> None:
    """Write one self-contained HTML page about RECORD (a directory NAME.lab, or its spec).

    It has the answer, every run, contexts, factors, scaling, the machine, and how to repeat it; also while it
    is still running. The records at a PLACE, which steelyard export --to wrote, are one.

    With --figures, --tables or --archive, no page is written unless -o names one.
    """
    from steelyard.lab.lake.places import is_lake
    from steelyard.laboratory import report

    if only and not (figures or tables):
        raise UsageError("--only chooses among figures and tables", hint="give --figures DIR or --tables DIR")
    if authors and archive is None:
        raise UsageError("--author is for an archive", hint="give --archive FILE.zip")
    if archive is not None and any(is_lake(record) for record in records):
        raise UsageError(
            "an archive packs a record, and a place has trials of several",
            hint="name the records themselves, or leave --archive out",
        )
    page = output or (None if figures or tables or archive else _beside(records[0]))
    if page is not None:
        refuse_output(page, "--output")
    made = report(*records, metric=metric, protocol=protocol, against=against)
    for directory, write in ((figures, made.figures), (tables, made.tables)):
        if directory is not None:
            for file in write(directory, only):
                click.echo(file)
    if archive is not None:
        click.echo(made.archive(archive, authors))
    if page is not None:
        click.echo(made.save(page))


def _beside(record: Path | str) -> Path:
    if isinstance(record, str):
        raise UsageError(
            f"{strip_secrets(record)} has no page beside it", hint="say where the page is to be: -o FILE.html"
        )
    from steelyard.lab.run.existing_record import find_record

    return find_record(record).with_suffix(".html")
