"""Commands that run several experiments: one line of progress, one hint, one directory of records."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.core.errors import InterruptedRunError

if TYPE_CHECKING:
    from steelyard.report.text.progress import ProgressLine


@contextmanager
def as_a_whole(output: Path | None, directory: Path) -> Iterator[ProgressLine]:
    """Show one line of progress for all experiments of a command.

    If one is interrupted, the hint repeats the whole command, with ``-o directory`` unless the user gave
    ``output``.
    """
    from steelyard.report.text.progress import ProgressLine

    line = ProgressLine(sys.stderr)
    try:
        yield line
    except InterruptedRunError as error:
        words = sys.argv[1:]
        end = words.index("--") if "--" in words else len(words)
        place = [] if output else ["-o", str(directory)]
        again = shlex.join([*words[:end], *place, *words[end:]])
        raise InterruptedRunError(error.message, hint=f"steelyard {again}") from None
    finally:
        line.clear()


def tell_records(directory: Path, *, as_json: bool) -> None:
    """Tell where the records of such a command are; on stderr beside a JSON document."""
    click.echo(f"records: {directory}" if as_json else f"\nrecords: {directory}", err=as_json)
