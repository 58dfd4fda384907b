"""What ``analyze --by-context`` prints."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from steelyard.cli.run_and_answer import terminal_width


def print_contexts(directory: Path, *, as_json: bool, metric: str | None) -> None:
    """The figures of a record's contexts, or their data."""
    from steelyard.lab.answer.by_context import by_context
    from steelyard.report.answer.by_context import lines, render
    from steelyard.report.text.line import write
    from steelyard.store import Record

    with Record.open(directory) as record:
        found = by_context(record, metric=metric)
    if as_json:
        click.echo(render(found), nl=False)
    else:
        write(lines(found, terminal_width()), sys.stdout)
