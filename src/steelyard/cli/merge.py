"""``steelyard merge``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import by_option, details_option, json_option, records_argument, strict_option
from steelyard.cli.paths import PathCommand, RecordDirectory
from steelyard.cli.run_and_answer import Shown, print_answer
from steelyard.core.errors import UsageError

if TYPE_CHECKING:
    from steelyard.lab.merge.machines import By


@click.command(
    cls=PathCommand, short_help="Answer from records of one spec on several machines: one verdict for all."
)
@records_argument
@click.option(
    "-o",
    "--output",
    type=RecordDirectory(),
    metavar="NAME.lab",
    help="Keep the merged record, which every command reads (default: print the answer only).",
)
@by_option
@details_option
@json_option
@strict_option
@click.pass_context
def command(
    ctx: click.Context,
    records: tuple[Path, ...],
    output: Path | None,
    by: By,
    details: bool,
    as_json: bool,
    strict: bool,
) -> None:
    """Answer from RECORDs of one spec that several machines ran, as one experiment.

    Machines are drawn at random. The answer has one verdict over all of them, what to expect of the next
    machine, what more machines or blocks would gain, and which machines differ.

    Trials are known by the record that measured them: one that is given twice counts once. Exits with 1 if a
    claim of the spec fails over all machines.
    """
    from steelyard.lab.merge.merging import merge, one_record
    from steelyard.lab.run.existing_record import find_record

    directories = [find_record(record) for record in records]
    if output is not None:
        if len(directories) == 1:
            raise UsageError(f"{records[0]}: one record is not merged with any", hint="name several records")
        merge(directories, output, by)
        directories = [output]
    with one_record(directories, by) as directory:
        ctx.exit(
            print_answer(
                directory,
                Shown(details=details),
                as_json=as_json,
                strict=strict,
                is_temporary=directory not in directories,
            )
        )
