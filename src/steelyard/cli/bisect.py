"""``steelyard bisect``."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import click

from steelyard.cli.options import (
    build_option,
    build_shell_option,
    fraction,
    json_option,
    metric_option,
    repository_option,
    seed_option,
    strict_option,
)
from steelyard.cli.paths import PathCommand, RecordDirectory
from steelyard.cli.run_and_answer import as_a_whole, tell_beside, tell_records, terminal_width


@click.command(
    cls=PathCommand,
    short_help="Find the commit that changed a program's time, by measuring commits side by side.",
)
@click.argument("good", metavar="GOOD")
@click.argument("bad", metavar="BAD")
@click.argument("words", metavar="-- PROGRAM [ARGUMENT]...", nargs=-1, type=click.UNPROCESSED)
@build_option("Build a commit, in a work tree of its own; {tree} is its path.")
@build_shell_option
@repository_option
@metric_option("Metric to compare.", "wall_s")
@click.option(
    "--error",
    type=fraction,
    default=0.05,
    show_default=True,
    metavar="FRACTION",
    help="Probability of reporting a change that does not exist, or of missing the true commit.",
)
@click.option(
    "--blocks",
    type=click.IntRange(min=3),
    default=5,
    show_default=True,
    metavar="N",
    help="Blocks of each comparison; a commit that stays open gets more.",
)
@seed_option
@click.option(
    "-o",
    "--output",
    type=RecordDirectory(),
    metavar="NAME",
    help="Directory of the records; an interrupted search goes on there.",
)
@json_option
@strict_option
@click.pass_context
def command(
    ctx: click.Context,
    good: str,
    bad: str,
    words: tuple[str, ...],
    build: str,
    shell: bool,
    repo: Path,
    metric: str,
    error: float,
    blocks: int,
    seed: int | None,
    output: Path | None,
    as_json: bool,
    strict: bool,
) -> None:
    """Find which commit behind GOOD, up to BAD, changed PROGRAM.

    Both ends are compared first; if they differ, commits between them are built in work trees of their own
    and measured in randomised blocks with both ends, until few enough have a probability of 1 - --error
    together. A result that contradicts earlier ones makes the search back up. Commits that do not build are
    skipped. Builds of one source differ as well, by their layout: a commit is named only if the ends differ
    by more than the builds between them show. Exits with 3 under --strict if no commit is named.

    \b
    steelyard bisect v1.2 HEAD --build make -- ./prog input
    steelyard bisect v1.2 HEAD --build './configure && make' -S -- ./prog input
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.files.user_directories import propose_record
    from steelyard.lab.bisect.bisect import bisect
    from steelyard.lab.bisect.request import BisectRequest, refuse_few
    from steelyard.lab.history.repository import Repository
    from steelyard.report.bisection import lines
    from steelyard.report.text.line import write
    from steelyard.results.bisection import BISECTION

    refuse_few(words)
    directory = output or propose_record(os.environ, "bisect")
    request = BisectRequest(
        good=good,
        bad=bad,
        words=words,
        build=build,
        shell=shell,
        metric=metric,
        error=error,
        blocks=blocks,
        seed=seed,
    )
    with as_a_whole(output, directory) as line:
        tell = partial(tell_beside, line)
        found = bisect(request, Repository(repo), directory, watch=line.update, tell=tell)
    if as_json:
        click.echo(BISECTION.text(found), nl=False)
    else:
        write(lines(found, terminal_width()), sys.stdout)
    tell_records(directory, as_json=as_json)
    ctx.exit(3 if strict and not found.is_named else 0)
