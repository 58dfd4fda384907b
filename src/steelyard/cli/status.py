"""``steelyard status``."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.options import json_option, record_argument
from steelyard.cli.run_and_answer import show


@click.command(short_help="Show the progress of a record.")
@record_argument
@json_option
def command(record: Path, as_json: bool) -> None:
    """Show how far RECORD (a directory NAME.lab, or its spec) is, what failed, and who runs it."""
    from steelyard.answers.status import STATUS
    from steelyard.lab.run.existing_record import find_record
    from steelyard.lab.run.status import status
    from steelyard.report.status import lines
    from steelyard.store import Record

    with Record.open(find_record(record)) as opened:
        found = status(opened)
    show(lambda: STATUS.text(found), lambda width: lines(found, width), as_json=as_json)
