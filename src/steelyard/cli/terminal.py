"""What a command writes to the terminal: lines as wide as it, a JSON document, a sentence beside progress."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from steelyard.report.text.line import Line
    from steelyard.report.text.progress import ProgressLine


def terminal_width() -> int:
    """Columns of the terminal, 80 without one; at most 120, beyond which eyes lose the line."""
    return min(120, max(60, shutil.get_terminal_size().columns))


def tell_beside(line: ProgressLine, text: str) -> None:
    """Say a sentence on stderr, above a line of progress."""
    from steelyard.report.text.label import wrap

    line.clear()
    click.echo("\n".join(wrap(text, terminal_width(), rest="  ")), err=True)


def show(document: Callable[[], str], lines: Callable[[int], Sequence[Line]], *, as_json: bool) -> None:
    """Print a JSON document, or lines as wide as the terminal allows."""
    if as_json:
        click.echo(document(), nl=False)
        return
    from steelyard.report.text.line import write

    write(lines(terminal_width()), sys.stdout)
