"""``steelyard history``."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli import completion
from steelyard.cli.options import fraction, json_option, metrics_option
from steelyard.cli.paths import InputPath, InputPlace, OutputFile, PathCommand, RecordDirectory
from steelyard.cli.run_and_answer import terminal_width
from steelyard.core.errors import UsageError
from steelyard.files.writing import write_output

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steelyard.lab.history.condensing import CondensedRecords
    from steelyard.results.history import History


@click.command(cls=PathCommand, short_help="Find what changed over records of many commits, and at which.")
@click.argument(
    "names",
    type=InputPlace(),
    metavar="RECORD|DIRECTORY|FILE|PLACE...",
    nargs=-1,
    required=True,
    shell_complete=completion.records,
)
@click.option(
    "--git",
    "by_git",
    is_flag=True,
    help="Order records by the commit ids in their names (default: by time).",
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
@click.option(
    "--reference",
    metavar="LABEL",
    help="Divide by this treatment of each record, which cancels drift of the machine.",
)
@metrics_option("Only these metrics (default: the primary one of the spec). Repeatable.")
@click.option(
    "--least",
    type=fraction,
    metavar="FRACTION",
    help="Ignore changes of level smaller than this, such as 2%.",
)
@click.option(
    "--alpha",
    type=fraction,
    default=0.01,
    show_default=True,
    metavar="FRACTION",
    help="Expected fraction of false alarms among reported changes.",
)
@click.option(
    "--ignore",
    "ignored",
    multiple=True,
    metavar="FACT",
    help="Treat machines that differ only in this fact as the same: kernel, … Repeatable.",
)
@click.option(
    "--collect",
    type=OutputFile(),
    metavar="FILE",
    help="Append summaries to FILE, which can then replace the records.",
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
    help="With --check: exit with 3 where records cannot be read, the last commits have none, or a series is"
    " not judged, wanders, or is too noisy to show a step of 10 % (or --least).",
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
@click.option(
    "--confirm",
    metavar="PROGRAM",
    help="With --check --git: measure the commits on both sides of each change for the worse side by side, as"
    " bisect does; PROGRAM is split into words, and {label} is a label of the series.",
)
@click.option("--build", default="", metavar="CMD", help="With --confirm: build a commit in its tree.")
@click.option(
    "-o",
    "--output",
    type=RecordDirectory(),
    metavar="NAME",
    help="With --confirm: directory of the records; an interrupted search goes on there.",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    names: tuple[Path | str, ...],
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
    confirm: str | None,
    build: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Find lasting changes over a series of records of one spec.

    They are changes of their level, of their scatter, of their slow runs; with the commits that may have made
    them.

    Takes records, directories of records, files that --collect wrote, and places that steelyard export --to
    wrote. Records that are being written or
    damaged are left out, and that is said; records of different specs are refused.

    With --check, exits with 1 if something has become worse and stays so, with 3 under --strict if that
    cannot be excluded. Records are made at different times: a change is suspected until --confirm shows it
    side by side, and one that does not show there fails nothing.

    \b
    steelyard history records/ --git
    steelyard history records/ --collect history.sqlite
    steelyard history history.sqlite --git --reference baseline
    steelyard history history.sqlite --git --check --html history.html
    steelyard history records/ --git --check --confirm './prog input' --build make
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.report.text.progress import Counting
    from steelyard.results.history import LARGEST_UNSEEN

    _refuse_unknown(ignored)
    _refuse_questions(collect, {"--check": check, "--html": html is not None, "--json": as_json})
    needs_check = {"--since": since, "--strict": strict, "--junit": junit, "--confirm": confirm}
    _refuse_alone(needs_check, "--check", check)
    _refuse_alone({"--build": build, "--output": output}, "--confirm", confirm)
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
    if confirm is not None:
        found = _confirmed(found, confirm, build, since, repo, output)
    smallest = least or LARGEST_UNSEEN
    code = found.exit_code(strict=strict, since=since, least=smallest) if check else 0
    if junit is not None:
        _save_junit(found, junit, since, strict=strict, least=smallest)
    if html is not None:
        _save_page(found, html)
    _print(found, as_json=as_json)
    if check and not as_json:
        from steelyard.report.history.words import check_words

        click.echo(f"\ncheck: {check_words(found, since, strict=strict, least=smallest)}")
    ctx.exit(code)


def _confirmed(
    found: History, program: str, build: str, since: str | None, repo: Path, output: Path | None
) -> History:
    import os

    from steelyard.cli.run_and_answer import as_a_whole, tell_beside, tell_records
    from steelyard.files.user_directories import propose_record
    from steelyard.lab.bisect.confirming import ConfirmRequest, confirm
    from steelyard.lab.compare.compare import split
    from steelyard.lab.history.repository import Repository

    directory = output or propose_record(os.environ, "bisect")
    request = ConfirmRequest(words=tuple(split(program)), build=build, since=since)
    with as_a_whole(output, directory) as line:
        tell = partial(tell_beside, line)
        confirmed = confirm(found, request, Repository(repo), directory, watch=line.update, tell=tell)
    if directory.exists():
        tell_records(directory, as_json=True)
    return confirmed


def _refuse_alone(options: Mapping[str, object], other: str, is_there: object) -> None:
    """Refuse options that mean nothing without another."""
    for option in (option for option, value in options.items() if value):
        if not is_there:
            raise UsageError(f"{option} needs {other}", hint=f"add {other}, or leave out {option}")


def _refuse_unknown(facts: tuple[str, ...]) -> None:
    from steelyard.lab.history.condensing import MACHINE

    if unknown := sorted({*facts} - {*MACHINE}):
        raise UsageError(
            f"--ignore {unknown[0]}: not a fact by which machines differ",
            hint=f"one of: {', '.join(MACHINE)}",
        )


def _refuse_questions(collect: Path | None, options: Mapping[str, bool]) -> None:
    for option in (option for option, is_there in options.items() if collect is not None and is_there):
        raise UsageError(
            f"--collect only adds records, but {option} asks what they show",
            hint=f"run steelyard history {collect} {option} after it",
        )


def _save_junit(found: History, file: Path, since: str | None, *, strict: bool, least: float) -> None:
    from steelyard.report.history.junit import render

    write_output(file, render(found, since, strict=strict, least=least))


def _save_page(found: History, file: Path) -> None:
    from steelyard.laboratory import Report

    Report([found]).save(file)


def _print(found: History, *, as_json: bool) -> None:
    if as_json:
        from steelyard.results.history import HISTORY

        click.echo(HISTORY.text(found), nl=False)
    else:
        from steelyard.report.history.text import lines
        from steelyard.report.text.line import write

        write(lines(found, terminal_width()), sys.stdout)


def _tell(file: Path, added: CondensedRecords) -> None:
    for each in added.left_out:
        click.echo(f"left out: {each.record} {each.why}", err=True)
    click.echo(f"{len(added.records)} records added to {file}", err=True)
