"""``steelyard history``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli import completion
from steelyard.cli.options import fraction, json_option, metrics_option
from steelyard.cli.paths import InputPath, OutputFile, PathCommand
from steelyard.cli.run_and_answer import terminal_width
from steelyard.errors import UsageError
from steelyard.files.writing import write_output

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steelyard.answers.history import History
    from steelyard.lab.history.condensing import Gathered


@click.command(cls=PathCommand, short_help="Find what changed over records of many commits, and at which.")
@click.argument(
    "names",
    type=InputPath(),
    metavar="RECORD|DIRECTORY|FILE...",
    nargs=-1,
    required=True,
    shell_complete=completion.records,
)
@click.option(
    "--git",
    "by_git",
    is_flag=True,
    help="Order records by the commits whose ids stand in their names (default: by time).",
)
@click.option(
    "--revision", metavar="REV", default="HEAD", show_default=True, help="With --git: its last commit."
)
@click.option(
    "--repo",
    type=InputPath(),
    metavar="DIR",
    default=Path(),
    help="With --git: the repository (default: the current directory).",
)
@click.option("--reference", metavar="LABEL", help="Divide by this treatment of each record: machines drift.")
@metrics_option("Only these metrics (default: the primary one of the spec). Repeatable.")
@click.option(
    "--least", type=fraction, metavar="FRACTION", help="Leave out changes of level by less, such as 2%."
)
@click.option(
    "--alpha",
    type=fraction,
    default=0.01,
    show_default=True,
    metavar="FRACTION",
    help="False alarms among the series that are said to change.",
)
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="FACT",
    help="Machines that differ in this fact only are one: kernel, … Repeatable.",
)
@click.option(
    "--collect",
    type=OutputFile(),
    metavar="FILE",
    help="Only add the records to this file of summaries, which stands for them from then on.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Exit with 1 where a metric has become worse and no later change undoes it.",
)
@click.option(
    "--since",
    metavar="COMMIT",
    help="With --check: only changes of this record or, with --git, of this commit, and of later ones;"
    " earlier ones are accepted.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="With --check: exit with 3 where a series is not judged, or drifts.",
)
@click.option(
    "--junit",
    type=OutputFile(),
    metavar="FILE",
    help="With --check: also write JUnit XML, a test case for each series.",
)
@click.option(
    "--html",
    type=OutputFile(),
    metavar="FILE",
    help="Also write a page: a chart for each series, with its changes and the commits that may have made"
    " them.",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[Path, ...],
    by_git: bool,
    revision: str,
    repo: Path,
    reference: str | None,
    metrics: tuple[str, ...],
    least: float | None,
    alpha: float,
    ignored: tuple[str, ...],
    collect: Path | None,
    check: bool,
    since: str | None,
    strict: bool,
    junit: Path | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Find lasting changes over a series of records of one spec: of their level, of their scatter, of their
    slow runs; with the commits that may have made them.

    Takes records, directories of records, and files that --collect wrote. Records that are being written or
    damaged are left out, and that is said; records of different specs are refused.

    With --check, exits with 1 if something has become worse and stays so, with 3 under --strict if a series
    is not judged or drifts.

    \b
    steelyard history records/ --git
    steelyard history records/ --collect history.sqlite
    steelyard history history.sqlite --git --reference baseline
    steelyard history history.sqlite --git --check --html history.html
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.lab.history.condensing import MACHINE
    from steelyard.report.text.progress import Counting

    if unknown := sorted({*ignored} - {*MACHINE}):
        raise UsageError(
            f"--ignore {unknown[0]}: not a fact by which machines differ",
            hint=f"one of: {', '.join(MACHINE)}",
        )
    if collect is not None:
        _refuse_questions(collect, {"--check": check, "--html": html is not None, "--json": as_json})
    for option, given in (("--since", since), ("--strict", strict), ("--junit", junit)):
        if given and not check:
            raise UsageError(f"{option} needs --check", hint=f"add --check, or leave out {option}")
    with Counting("records", sys.stderr) as counting:
        if collect is not None:
            from steelyard.lab.history.condensing import collect as add

            _tell(collect, add(collect, names, counting.update))
            return
        from steelyard.lab.history.history import HistoryRequest, first_since, history

        request = HistoryRequest(
            names=names,
            metrics=metrics,
            revision=revision if by_git else None,
            repository=repo,
            reference=reference,
            ignored=ignored,
            alpha=alpha,
            least=least or 0.0,
        )
        found = history(request, counting.update)
    if since is not None:
        since = first_since(found, request, since)
    code = found.exit_code(strict=strict, since=since) if check else 0
    _write(found, junit, html, since, strict=strict)
    _print(found, as_json=as_json)
    if check and not as_json:
        from steelyard.report.history.words import check_words

        click.echo(f"\ncheck: {check_words(found, since, strict=strict)}")
    ctx.exit(code)


def _refuse_questions(collect: Path, asked: Mapping[str, bool]) -> None:
    for option in (option for option, given in asked.items() if given):
        raise UsageError(
            f"--collect only adds records, and {option} asks what they show",
            hint=f"run steelyard history {collect} {option} after it",
        )


def _write(found: History, junit: Path | None, html: Path | None, since: str | None, *, strict: bool) -> None:
    if junit is not None:
        from steelyard.report.history.junit import render

        write_output(junit, render(found, since, strict=strict))
    if html is not None:
        from steelyard.laboratory import Report

        Report([found]).save(html)


def _print(found: History, *, as_json: bool) -> None:
    if as_json:
        from steelyard.answers.history import HISTORY

        click.echo(HISTORY.text(found), nl=False)
    else:
        from steelyard.report.history.text import lines
        from steelyard.report.text.line import write

        write(lines(found, terminal_width()), sys.stdout)


def _tell(file: Path, added: Gathered) -> None:
    for each in added.left_out:
        click.echo(f"left out: {each.record} {each.why}", err=True)
    click.echo(f"{len(added.records)} records added to {file}", err=True)
