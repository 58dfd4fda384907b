"""``steelyard ratchet``."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.options import (
    build_option,
    fraction,
    is_given,
    json_option,
    metric_option,
    repository_option,
)
from steelyard.cli.paths import PathCommand
from steelyard.cli.run_and_answer import tell_beside, terminal_width

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from steelyard.report.text.line import Line
    from steelyard.results.ratchet import Ledger

    Lines = Callable[[Ledger, int], Sequence[Line]]

OF_LEDGER = ("build", "metric", "error", "margin", "blocks", "any_output")
"""Options that the first try writes into the ledger."""


@click.group(
    "ratchet",
    short_help="Try many changes in a row and keep what is faster, with one error over all of them.",
)
def group() -> None:
    """Try many changes in a row and keep what is faster, with one error over all of them.

    Change the files, then try. A win becomes the best, which the next change is measured against; put the
    files of a change that did not win back yourself. The ledger is in .steelyard/ratchet of the repository,
    which git does not see; each change is kept as refs/steelyard/ratchet/N.

    \b
    steelyard ratchet try --build make -- ./prog input
    steelyard ratchet try -m 'unroll the inner loop'
    steelyard ratchet status
    steelyard ratchet total
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter


@group.command("try", cls=PathCommand, short_help="Measure the work tree against the best so far.")
@click.argument("words", metavar="[-- PROGRAM [ARGUMENT]...]", nargs=-1, type=click.UNPROCESSED)
@build_option("Build a tree; {tree} is its path.")
@click.option("-m", "--message", default="", metavar="TEXT", help="A note about the change, for the ledger.")
@metric_option("Metric to compare; smaller is better.", "wall_s")
@click.option(
    "--error",
    type=fraction,
    default=0.05,
    show_default=True,
    metavar="FRACTION",
    help="Expected fraction of false wins among all wins, over all tries.",
)
@click.option(
    "--margin",
    type=fraction,
    default=0.01,
    show_default=True,
    metavar="FRACTION",
    help="A win is faster by more than this: builds of one source differ too, by their layout.",
)
@click.option(
    "--blocks",
    type=click.IntRange(min=5),
    default=10,
    show_default=True,
    metavar="N",
    help="Blocks of the first look; a confirmation takes three times as many.",
)
@click.option("--any-output", is_flag=True, help="Accept another output than that of HEAD at the first try.")
@repository_option
@json_option
@click.pass_context
def try_command(
    ctx: click.Context,
    words: tuple[str, ...],
    build: str,
    message: str,
    metric: str,
    error: float,
    margin: float,
    blocks: int,
    any_output: bool,
    repo: Path,
    as_json: bool,
) -> None:
    """Measure the work tree, as it is now, against the best so far.

    The first try names the program and how it is built, and begins with HEAD as the best; later ones take all
    that from the ledger. The files are copied into a work tree of their own, so that editing may go on. Exits
    with 0 for a win and with 3 otherwise; an interrupted try of the same files goes on.
    """
    from steelyard.lab.history.repository import Repository
    from steelyard.lab.ratchet.ratchet import Ratchet, RatchetRequest
    from steelyard.report.ratchet import list_attempt
    from steelyard.report.text.progress import ProgressLine

    request = RatchetRequest(
        words=words,
        build=build,
        metric=metric,
        error=error,
        margin=margin,
        blocks=blocks,
        any_output=any_output,
        chosen=tuple(name for name in OF_LEDGER if is_given(ctx, name)),
    )
    line = ProgressLine(sys.stderr)
    try:
        ratchet = Ratchet(Repository(repo), watch=line.update, tell=partial(tell_beside, line))
        ledger = ratchet.try_tree(request, message)
    finally:
        line.clear()
    _show(ledger, list_attempt, as_json=as_json)
    ctx.exit(0 if ledger.attempts[-1].outcome == "faster" else 3)


@group.command("status", cls=PathCommand, short_help="Show what was tried, and the best so far.")
@repository_option
@json_option
def show_status(repo: Path, as_json: bool) -> None:
    """Show what was tried, and the best so far."""
    from steelyard.lab.history.repository import Repository
    from steelyard.lab.ratchet.ratchet import Ratchet
    from steelyard.report.ratchet import list_ledger

    _show(Ratchet(Repository(repo)).read(), list_ledger, as_json=as_json)


@group.command("total", cls=PathCommand, short_help="Measure the best against the start, in fresh runs.")
@repository_option
@json_option
def measure_total(repo: Path, as_json: bool) -> None:
    """Measure the best against the start in fresh runs that decide nothing.

    Only changes that looked fast were kept, so the gains of their own runs are too large on average. These
    are not.
    """
    from steelyard.lab.history.repository import Repository
    from steelyard.lab.ratchet.ratchet import Ratchet
    from steelyard.report.ratchet import list_ledger
    from steelyard.report.text.progress import ProgressLine

    line = ProgressLine(sys.stderr)
    try:
        ledger = Ratchet(Repository(repo), watch=line.update).measure_total()
    finally:
        line.clear()
    _show(ledger, list_ledger, as_json=as_json)


def _show(ledger: Ledger, lines: Lines, *, as_json: bool) -> None:
    from steelyard.report.text.line import write
    from steelyard.results.ratchet import RATCHET

    if as_json:
        click.echo(RATCHET.text(ledger, best=ledger.best), nl=False)
    else:
        write(lines(ledger, terminal_width()), sys.stdout)


command = group
