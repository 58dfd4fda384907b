"""``steelyard bisect``."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import click

from steelyard.cli.campaign import as_a_whole, tell_records
from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import (
    build_option,
    declare_fraction,
    json_option,
    metric_option,
    name_metric_option,
    repository_option,
    seed_option,
    strict_option,
)
from steelyard.cli.paths import PathCommand, RecordDirectory
from steelyard.cli.terminal import tell_beside, terminal_width


class BisectOptions(Options):
    """Options of ``steelyard bisect``."""

    good: str = declare_argument("GOOD")
    bad: str = declare_argument("BAD")
    words: tuple[str, ...] = declare_argument("-- PROGRAM [ARGUMENT]...", nargs=-1, type=click.UNPROCESSED)
    build: str = build_option(
        "Build a commit, in a work tree of its own; {tree} is its path. With {layout}, the number of a"
        " layout, each block is linked anew."
    )
    repo: Path = repository_option
    metric: str = metric_option("Metric to compare.", "wall_s")
    error: float = declare_fraction(
        "Probability of reporting a change that does not exist, or of missing the true commit.", default=0.05
    )
    blocks: int = declare(
        "Blocks of each comparison; a commit that stays open gets more.", default=5, least=3
    )
    seed: int | None = seed_option
    output: Path | None = declare(
        "Directory of the records; an interrupted search goes on there.",
        "-o",
        metavar="NAME",
        type=RecordDirectory(),
    )
    as_json: bool = json_option
    strict: bool = strict_option


@click.command(
    cls=PathCommand,
    short_help="Find the commit that changed a program's time, by measuring commits side by side.",
)
@take(BisectOptions)
@click.pass_context
def command(ctx: click.Context, options: BisectOptions) -> None:
    """Find which commit behind GOOD, up to BAD, changed PROGRAM.

    Both ends are compared first; if they differ, commits between them are built in work trees of their own
    and measured in randomised blocks with both ends, until few enough have a probability of 1 - --error
    together. A result that contradicts earlier ones makes the search back up. Commits that do not build are
    skipped. Builds of one source differ as well, by their layout: a commit is named only if the ends differ
    by more than the builds between them show. With {layout} in --build, each block is linked anew in a drawn
    order, so that no build is lucky. Exits with 3 under --strict if no commit is named.

    \b
    steelyard bisect v1.2 HEAD --build make -- ./prog input
    steelyard bisect v1.2 HEAD --build './configure && make' -- ./prog input
    steelyard bisect v1.2 HEAD \\
      --build 'make -B LDFLAGS=-Wl,--shuffle-sections=*={layout}' -- ./prog input
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.extensions.bisect.bisect import bisect
    from steelyard.extensions.bisect.request import BisectRequest, refuse_few
    from steelyard.extensions.bisect.results import BISECTION
    from steelyard.extensions.bisect.text import lines
    from steelyard.extensions.repository.repository import Repository
    from steelyard.files.user_directories import propose_record
    from steelyard.report.text.line import write

    refuse_few(options.words)
    directory = options.output or propose_record(os.environ, "bisect")
    repository = Repository(options.repo)
    request = options.fill(BisectRequest, place=str(repository.place))
    with as_a_whole(options.output, directory) as line:
        tell = partial(tell_beside, line)
        with name_metric_option():
            bisection = bisect(request, repository, directory, watch=line.update, tell=tell)
    if options.as_json:
        click.echo(BISECTION.text(bisection), nl=False)
    else:
        write(lines(bisection, terminal_width()), sys.stdout)
    tell_records(directory, as_json=options.as_json)
    ctx.exit(3 if options.strict and not bisection.is_named else 0)
