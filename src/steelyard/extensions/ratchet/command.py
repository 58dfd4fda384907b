"""``steelyard ratchet``."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import (
    build_option,
    declare_fraction,
    is_given,
    json_option,
    metric_option,
    repository_option,
)
from steelyard.cli.paths import PathCommand
from steelyard.cli.terminal import tell_beside, terminal_width

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from steelyard.extensions.ratchet.results import Ledger
    from steelyard.report.text.line import Line

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


class TryOptions(Options):
    """Options of ``steelyard ratchet try``."""

    words: tuple[str, ...] = declare_argument("[-- PROGRAM [ARGUMENT]...]", nargs=-1, type=click.UNPROCESSED)
    build: str = build_option(
        "Build a tree; {tree} is its path. With {layout}, a number to lay code out by, each block has"
        " builds of its own."
    )
    message: str = declare("A note about the change, for the ledger.", "-m", metavar="TEXT", default="")
    metric: str = metric_option("Metric to compare; smaller is better.", "wall_s")
    error: float = declare_fraction(
        "Expected fraction of false wins among all wins, over all tries.", default=0.05
    )
    margin: float = declare_fraction(
        "A win is faster by more than this, and by more than builds of one source differ.", default=0.01
    )
    blocks: int = declare(
        "Blocks of the first look; a confirmation takes three times as many.", default=10, least=5
    )
    any_output: bool = declare("Accept another output than that of HEAD at the first try.")
    repo: Path = repository_option
    as_json: bool = json_option


@group.command("try", cls=PathCommand, short_help="Measure the work tree against the best so far.")
@take(TryOptions)
@click.pass_context
def try_command(ctx: click.Context, options: TryOptions) -> None:
    """Measure the work tree, as it is now, against the best so far.

    The first try names the program and how it is built, and begins with HEAD as the best; later ones take all
    that from the ledger. The files are copied into a work tree of their own, so that editing may go on. Exits
    with 0 for a win and with 3 otherwise; an interrupted try of the same files goes on.
    """
    from steelyard.extensions.ratchet.ratchet import Ratchet, RatchetRequest
    from steelyard.extensions.ratchet.text import list_attempt
    from steelyard.extensions.repository.repository import Repository
    from steelyard.report.text.progress import ProgressLine

    request = options.fill(
        RatchetRequest,
        chosen=tuple(name for name in OF_LEDGER if is_given(ctx, name)),
    )
    line = ProgressLine(sys.stderr)
    try:
        ratchet = Ratchet(Repository(options.repo), watch=line.update, tell=partial(tell_beside, line))
        ledger = ratchet.try_tree(request, options.message)
    finally:
        line.clear()
    _show(ledger, list_attempt, as_json=options.as_json)
    ctx.exit(0 if ledger.attempts[-1].outcome == "faster" else 3)


class LedgerOptions(Options):
    """Options of what reads the ledger."""

    repo: Path = repository_option
    as_json: bool = json_option


@group.command("status", cls=PathCommand, short_help="Show what was tried, and the best so far.")
@take(LedgerOptions)
def show_status(options: LedgerOptions) -> None:
    """Show what was tried, and the best so far."""
    from steelyard.extensions.ratchet.ratchet import Ratchet
    from steelyard.extensions.ratchet.text import list_ledger
    from steelyard.extensions.repository.repository import Repository

    _show(Ratchet(Repository(options.repo)).read(), list_ledger, as_json=options.as_json)


@group.command("total", cls=PathCommand, short_help="Measure the best against the start, in fresh runs.")
@take(LedgerOptions)
def measure_total(options: LedgerOptions) -> None:
    """Measure the best against the start in fresh runs that decide nothing.

    Only changes that looked fast were kept, so the gains of their own runs are too large on average. These
    are not.
    """
    from steelyard.extensions.ratchet.ratchet import Ratchet
    from steelyard.extensions.ratchet.text import list_ledger
    from steelyard.extensions.repository.repository import Repository
    from steelyard.report.text.progress import ProgressLine

    line = ProgressLine(sys.stderr)
    try:
        ledger = Ratchet(Repository(options.repo), watch=line.update).measure_total()
    finally:
        line.clear()
    _show(ledger, list_ledger, as_json=options.as_json)


def _show(ledger: Ledger, lines: Lines, *, as_json: bool) -> None:
    from steelyard.extensions.ratchet.results import RATCHET
    from steelyard.report.text.line import write

    if as_json:
        click.echo(RATCHET.text(ledger, best=ledger.best), nl=False)
    else:
        write(lines(ledger, terminal_width()), sys.stdout)


command = group
