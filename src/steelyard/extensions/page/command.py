"""``steelyard report``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.declared import Options, declare, take
from steelyard.cli.options import (
    against_option,
    declare_file,
    metric_option,
    places_argument,
    protocol_option,
)
from steelyard.cli.paths import OutputDirectory, PathCommand
from steelyard.core.errors import UsageError
from steelyard.files.urls import strip_secrets
from steelyard.files.writing import refuse_output


class ReportOptions(Options):
    """Options of ``steelyard report``."""

    records: tuple[Path | str, ...] = places_argument
    output: Path | None = declare_file(
        "File of the page (default: NAME.html beside the first record).", "-o", metavar="FILE.html"
    )
    figures: Path | None = declare(
        "Write every chart as SVG, PNG and PDF at the width of a column of a paper.",
        metavar="DIR",
        type=OutputDirectory(),
    )
    tables: Path | None = declare(
        "Write every table as Markdown, LaTeX (booktabs) and CSV, and models as Python and LaTeX.",
        metavar="DIR",
        type=OutputDirectory(),
    )
    only: tuple[str, ...] = declare(
        "Only the figures and tables of this name, as in effects or growth-1. Repeatable.", metavar="NAME"
    )
    archive: Path | None = declare_file(
        "Pack record, spec and the files that it names, host, page, trials and checksums into one file.",
        metavar="FILE.zip",
    )
    authors: tuple[str, ...] = declare(
        "For the archive's CITATION.cff. Repeatable.", "--author", metavar="NAME"
    )
    metric: str | None = metric_option("Report this metric instead of the primary one of the spec.")
    protocol: str | None = protocol_option
    against: str | None = against_option


@click.command(cls=PathCommand, short_help="Write a page, figures and tables of one record or several.")
@take(ReportOptions)
def command(options: ReportOptions) -> None:
    """Write one self-contained HTML page about RECORD (a directory NAME.lab, or its spec).

    It has the answer, every run, contexts, factors, scaling, the machine, and how to repeat it; also while it
    is still running. The records at a PLACE, which steelyard export --to wrote, are one.

    With --figures, --tables or --archive, no page is written unless -o names one.
    """
    from steelyard.extensions.page.report import report
    from steelyard.lab.places.place import is_place

    if options.only and not (options.figures or options.tables):
        raise UsageError("--only chooses among figures and tables", hint="give --figures DIR or --tables DIR")
    if options.authors and options.archive is None:
        raise UsageError("--author is for an archive", hint="give --archive FILE.zip")
    if options.archive is not None and any(is_place(record) for record in options.records):
        raise UsageError(
            "an archive packs a record, and a place has trials of several",
            hint="name the records themselves, or leave --archive out",
        )
    page = options.output or (
        None if options.figures or options.tables or options.archive else _place_beside(options.records[0])
    )
    if page is not None:
        refuse_output(page, "--output")
    answer = report(
        *options.records, metric=options.metric, protocol=options.protocol, against=options.against
    )
    for directory, write in ((options.figures, answer.figures), (options.tables, answer.tables)):
        if directory is not None:
            for file in write(directory, options.only):
                click.echo(file)
    if options.archive is not None:
        click.echo(answer.archive(options.archive, options.authors, tell=_tell_lacking))
    if page is not None:
        click.echo(answer.save(page))


def _tell_lacking(text: str) -> None:
    click.echo(f"not packed: {text}", err=True)


def _place_beside(record: Path | str) -> Path:
    if isinstance(record, str):
        raise UsageError(
            f"{strip_secrets(record)} has no page beside it", hint="say where the page is to be: -o FILE.html"
        )
    from steelyard.lab.run.existing_record import find_record

    return find_record(record).with_suffix(".html")
