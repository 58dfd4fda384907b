"""``steelyard merge``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.declared import Options, declare, take
from steelyard.cli.options import by_option, details_option, json_option, records_argument, strict_option
from steelyard.cli.paths import PathCommand, RecordDirectory
from steelyard.cli.run_and_answer import Shown, print_answer
from steelyard.core.errors import UsageError

if TYPE_CHECKING:
    from steelyard.lab.merge.machines import By


class MergeOptions(Options):
    """Options of ``steelyard merge``."""

    records: tuple[Path, ...] = records_argument
    output: Path | None = declare(
        "Keep the merged record, which every command reads (default: print the answer only).",
        "-o",
        metavar="NAME.lab",
        type=RecordDirectory(),
    )
    by: By = by_option
    details: bool = details_option
    as_json: bool = json_option
    strict: bool = strict_option


@click.command(
    cls=PathCommand, short_help="Answer from records of one spec on several machines: one verdict for all."
)
@take(MergeOptions)
@click.pass_context
def command(ctx: click.Context, options: MergeOptions) -> None:
    """Answer from RECORDs of one spec that several machines ran, as one experiment.

    Machines are drawn at random. The answer has one verdict over all of them, what to expect of the next
    machine, what more machines or blocks would gain, and which machines differ.

    Trials are known by the record that measured them: one that is given twice counts once. Exits with 1 if a
    claim of the spec fails over all machines.
    """
    from steelyard.lab.merge.merging import describe_repeated, merge, one_record
    from steelyard.lab.run.existing_record import find_record

    directories = [find_record(record) for record in options.records]
    if text := describe_repeated(directories):
        click.echo(text, err=True)
    if options.output is not None:
        if len({directory.resolve() for directory in directories}) == 1:
            raise UsageError(
                f"{options.records[0]}: one record is not merged with any", hint="name several records"
            )
        merge(directories, options.output, options.by)
        directories = [options.output]
    with one_record(directories, options.by) as directory:
        ctx.exit(
            print_answer(
                directory,
                Shown(details=options.details),
                as_json=options.as_json,
                strict=options.strict,
                is_temporary=directory not in directories,
            )
        )
