"""``steelyard history``."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli import completion
from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import declare_file, declare_fraction, json_option, metrics_option
from steelyard.cli.paths import InputPath, InputPlace, OutputPlace, PathCommand, RecordDirectory
from steelyard.cli.terminal import terminal_width
from steelyard.core.errors import RecordError, UsageError
from steelyard.extensions.exchange.table_options import TableOptions
from steelyard.files.urls import strip_secrets
from steelyard.files.writing import write_output

if TYPE_CHECKING:
    from collections.abc import Mapping

    from steelyard.extensions.history.gathering import CondensedRecords
    from steelyard.extensions.history.results import History
    from steelyard.lab.places.contents import Exported


class HistoryOptions(Options):
    """Options of ``steelyard history``."""

    names: tuple[Path | str, ...] = declare_argument(
        "RECORD|DIRECTORY|FILE|PLACE...",
        type=InputPlace(),
        nargs=-1,
        required=True,
        complete=completion.records,
    )
    by_git: bool = declare("Order records by the commit ids in their names (default: by time).", "--git")
    revision: str = declare("With --git: its last commit.", metavar="REV", default="HEAD")
    repo: Path = declare(
        "With --git: the repository (default: the current directory).",
        metavar="DIR",
        default=Path(),
        show_default=False,
        type=InputPath(),
    )
    reference: str | None = declare(
        "Divide by this treatment of each record, which cancels drift of the machine.", metavar="LABEL"
    )
    metrics: tuple[str, ...] = metrics_option(
        "Only these metrics (default: the primary one of the spec). Repeatable."
    )
    least: float | None = declare_fraction("Ignore changes of level smaller than this, such as 2%.")
    alpha: float = declare_fraction("Expected fraction of false alarms among reported changes.", default=0.01)
    ignored: tuple[str, ...] = declare(
        "Treat machines that differ only in this fact as the same: kernel, … Repeatable.",
        "--ignore",
        metavar="FACT",
    )
    collect: Path | None = declare_file("Append summaries to FILE, which can then replace the records.")
    place: Path | str | None = declare(
        "Add reports, each with all of its values and failures, to a directory or URL of Parquet files, which"
        " history reads.",
        "--to",
        metavar="PLACE",
        type=OutputPlace(),
    )
    check: bool = declare("Exit with 1 where a metric has become worse and no later change undoes it.")
    since: str | None = declare(
        "With --check: only changes of this record or, with --git, of this commit, and of later ones;"
        " earlier ones are accepted.",
        metavar="COMMIT",
    )
    strict: bool = declare(
        "With --check: exit with 3 where records cannot be read, the last commits have none, or a series is"
        " not judged, wanders, or is too noisy to show a step of 10 % (or --least)."
    )
    junit: Path | None = declare_file("With --check: also write JUnit XML, a test case for each series.")
    html: Path | None = declare_file(
        "Also write a page: a chart for each series, with its changes and the commits that may have made"
        " them."
    )
    confirm: str | None = declare(
        "With --check --git: measure the commits on both sides of each change for the worse side by side, as"
        " bisect does; PROGRAM is split into words, and {label} is a label of the series.",
        metavar="PROGRAM",
    )
    build: str = declare("With --confirm: build a commit in its tree.", metavar="CMD", default="")
    output: Path | None = declare(
        "With --confirm: directory of the records; an interrupted search goes on there.",
        "-o",
        metavar="NAME",
        type=RecordDirectory(),
    )
    better: tuple[str, ...] = declare(
        "Reports: which way is better (default: by unit and name): lower, higher or neither, of every --value"
        " of tables, or of one metric: NAME=SIDE. Repeatable.",
        metavar="[NAME=]SIDE",
    )
    as_json: bool = json_option


@click.command(cls=PathCommand, short_help="Find what changed over records of many commits, and at which.")
@take(HistoryOptions, TableOptions)
@click.pass_context
def command(ctx: click.Context, options: HistoryOptions, tables: TableOptions) -> None:
    """Find lasting changes over a series of records of one spec.

    They are changes of their level, of their scatter, of their slow runs; with the commits that may have made
    them.

    Takes records, directories of records, files that --collect wrote, places that steelyard export --to
    wrote, and folders of reports that another tool wrote, one for each night or commit. Records that are
    being written or damaged are left out, and that is said; records of different specs are refused.

    With --check, exits with 1 if something has become worse and stays so, with 3 under --strict if that
    cannot be excluded. Records are made at different times: a change is suspected until --confirm shows it
    side by side, and one that does not show there fails nothing.

    \b
    steelyard history records/ --git
    steelyard history records/ --collect history.sqlite
    steelyard history history.sqlite --git --reference baseline
    steelyard history history.sqlite --git --check --html history.html
    steelyard history records/ --git --check --confirm './prog input' --build make
    steelyard history reports/ --check --strict
    steelyard history reports/ --to lake
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.extensions.exchange.importers.columns import read_sides
    from steelyard.extensions.history.results import LARGEST_UNSEEN
    from steelyard.report.text.progress import Counting

    _refuse_unknown(options.ignored)
    questions = {"--check": options.check, "--html": options.html is not None, "--json": options.as_json}
    if options.collect is not None:
        _refuse_questions("--collect", str(options.collect), questions | {"--to": options.place is not None})
    if options.place is not None:
        _refuse_questions("--to", strip_secrets(str(options.place)), questions)
    needs_check = {
        "--since": options.since,
        "--strict": options.strict,
        "--junit": options.junit,
        "--confirm": options.confirm,
    }
    chosen = tables.choose(*read_sides(options.better))
    _refuse_alone(needs_check, "--check", options.check)
    _refuse_alone({"--build": options.build, "--output": options.output}, "--confirm", options.confirm)
    with Counting("records", sys.stderr) as counting:
        if options.collect is not None:
            from steelyard.extensions.history.gathering import collect as add

            _tell(options.collect, add(options.collect, options.names, counting.update, chosen))
            return
        if options.place is not None:
            from steelyard.extensions.history.gathering import export_reports

            ctx.exit(_tell_export(export_reports(options.names, options.place, chosen, counting.update)))
        from steelyard.extensions.history.history import HistoryRequest, first_since, history

        request = options.fill(
            HistoryRequest,
            revision=options.revision if options.by_git else None,
            repository=options.repo,
            chosen=chosen,
        )
        result = history(request, counting.update)
    since = None if options.since is None else first_since(result, request, options.since)
    if options.confirm is not None:
        result = _confirm(result, options.confirm, options.build, since, options.repo, options.output)
    smallest = options.least or LARGEST_UNSEEN
    code = result.exit_code(strict=options.strict, since=since, least=smallest) if options.check else 0
    if options.junit is not None:
        _save_junit(result, options.junit, since, strict=options.strict, least=smallest)
    if options.html is not None:
        _save_page(result, options.html)
    _print(result, as_json=options.as_json)
    if options.check and not options.as_json:
        from steelyard.extensions.history.words import check_words

        click.echo(f"\ncheck: {check_words(result, since, strict=options.strict, least=smallest)}")
    ctx.exit(code)


def _confirm(
    result: History, program: str, build: str, since: str | None, repo: Path, output: Path | None
) -> History:
    import os

    from steelyard.cli.campaign import as_a_whole, tell_records
    from steelyard.cli.terminal import tell_beside
    from steelyard.extensions.history.confirming import ConfirmRequest, confirm
    from steelyard.extensions.repository.repository import Repository
    from steelyard.files.user_directories import propose_record
    from steelyard.lab.compare.compare import split

    directory = output or propose_record(os.environ, "bisect")
    request = ConfirmRequest(words=tuple(split(program)), build=build, since=since)
    with as_a_whole(output, directory) as line:
        tell = partial(tell_beside, line)
        confirmed = confirm(result, request, Repository(repo), directory, watch=line.update, tell=tell)
    if directory.exists():
        tell_records(directory, as_json=True)
    return confirmed


def _refuse_alone(options: Mapping[str, object], option: str, is_there: object) -> None:
    """Refuse options that mean nothing without another."""
    for flag in (flag for flag, value in options.items() if value):
        if not is_there:
            raise UsageError(f"{flag} needs {option}", hint=f"add {option}, or leave out {flag}")


def _refuse_unknown(facts: tuple[str, ...]) -> None:
    from steelyard.lab.summary.condensing import MACHINE

    if unknown := sorted({*facts} - {*MACHINE}):
        raise UsageError(
            f"--ignore {unknown[0]}: not a fact by which machines differ",
            hint=f"one of: {', '.join(MACHINE)}",
        )


def _refuse_questions(option: str, place: str, options: Mapping[str, bool]) -> None:
    for flag in (flag for flag, is_there in options.items() if is_there):
        raise UsageError(
            f"{option} only adds records, but {flag} asks for more",
            hint=f"run steelyard history {place} {flag} after it",
        )


def _save_junit(result: History, file: Path, since: str | None, *, strict: bool, least: float) -> None:
    from steelyard.extensions.history.junit import render

    write_output(file, render(result, since, strict=strict, least=least))


def _save_page(result: History, file: Path) -> None:
    from steelyard.cli.page import save_page

    save_page(file, result)


def _print(result: History, *, as_json: bool) -> None:
    if as_json:
        from steelyard.extensions.history.results import HISTORY

        click.echo(HISTORY.text(result), nl=False)
    else:
        from steelyard.extensions.history.text import lines
        from steelyard.report.text.line import write

        write(lines(result, terminal_width()), sys.stdout)


def _tell(file: Path, added: CondensedRecords) -> None:
    for out in added.left_out:
        click.echo(f"left out: {out.record} {out.why}", err=True)
    click.echo(f"{len(added.records)} records added to {file}", err=True)


def _tell_export(done: Exported) -> int:
    """Say what was written and what could not be read, and return the exit code."""
    from steelyard.extensions.history.reports import UNREAD

    for out in done.left_out:
        click.echo(f"left out: {out.record} {out.why}", err=True)
    unchanged = f", {done.unchanged} there already" if done.unchanged else ""
    click.echo(f"{done.place}: {done.written} reports written{unchanged}", err=True)
    return RecordError.exit_code if any(out.why.startswith(UNREAD) for out in done.left_out) else 0
