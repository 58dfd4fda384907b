"""``steelyard clean``."""

from __future__ import annotations

import os

import click

from steelyard.cli.declared import Options, declare, take
from steelyard.cli.options import json_option, read_duration
from steelyard.cli.terminal import show


class CleanOptions(Options):
    """Options of ``steelyard clean``."""

    older_than_s: float = declare(
        "Age from which they are listed, or removed; 1h at least.",
        "--older-than",
        "older_than_s",
        type=read_duration,
        metavar="TIME",
        default="30d",
        show_default=True,
    )
    yes: bool = declare("Remove them. Without it, nothing is removed.")
    as_json: bool = json_option


@click.command(short_help="List old records, trees and builds of this user, and remove them.")
@take(CleanOptions)
@click.pass_context
def command(ctx: click.Context, options: CleanOptions) -> None:
    """List what compare, gate, bisect and other commands left, with its size and age.

    It lies in ~/.local/state/steelyard and ~/.cache/steelyard/build (or below $XDG_STATE_HOME and
    $XDG_CACHE_HOME): records without a name, searches and gates with their trees, builds. With --yes it is
    removed. Ages count from the latest change; those of builds, which stay for a day at least, from the
    latest run that used them.

    What another program put there stays, and so do links, and what a process runs in or writes. Records
    with a name of your own (-o, run) lie elsewhere, and so does the ledger of ratchet. Exits with 1 where
    something is kept that was to be removed.

    \b
    steelyard clean
    steelyard clean --older-than 7d --yes
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.extensions.clean.clean import clean
    from steelyard.extensions.clean.results import CLEANING
    from steelyard.extensions.clean.text import lines

    cleaning = clean(os.environ, options.older_than_s, remove=options.yes)
    show(lambda: CLEANING.text(cleaning), lambda width: lines(cleaning, width), as_json=options.as_json)
    ctx.exit(1 if any(leftover.fate == "kept" for leftover in cleaning.leftovers) else 0)
