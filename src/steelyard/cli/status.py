"""``steelyard status``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.declared import Options, take
from steelyard.cli.options import json_option, records_argument
from steelyard.cli.terminal import show


class StatusOptions(Options):
    """Options of ``steelyard status``."""

    records: tuple[Path, ...] = records_argument
    as_json: bool = json_option


@click.command(short_help="Show the progress of a record, or of several.")
@take(StatusOptions)
def command(options: StatusOptions) -> None:
    """Show how far RECORD (a directory NAME.lab, or its spec) is, what failed, and who runs it.

    Several of one spec are shown each by itself and all together, in which a trial that two of them have
    counts once.
    """
    from steelyard.lab.answer.status import status
    from steelyard.lab.run.existing_record import find_record
    from steelyard.report.status import format_together, lines
    from steelyard.results.status import STATUS, STATUSES
    from steelyard.store import Record

    directories = [find_record(record) for record in options.records]
    if len(directories) > 1:
        from steelyard.lab.merge.progress import sum_statuses

        several = sum_statuses(directories)
        show(
            lambda: STATUSES.text(several),
            lambda width: format_together(several, width),
            as_json=options.as_json,
        )
        return
    with Record.open(directories[0]) as opened:
        standing = status(opened)
    show(lambda: STATUS.text(standing), lambda width: lines(standing, width), as_json=options.as_json)
