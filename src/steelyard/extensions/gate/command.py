"""``steelyard gate``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from steelyard.cli import completion
from steelyard.cli.campaign import as_a_whole, tell_records
from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import (
    build_option,
    declare_file,
    declare_fraction,
    json_option,
    max_time_option,
    read_duration,
    repository_option,
    seed_option,
    strict_option,
    timeout_option,
)
from steelyard.cli.paths import InputPath, PathCommand, RecordDirectory
from steelyard.cli.terminal import show, tell_beside
from steelyard.core.errors import ProgramError, SteelyardError, UsageError
from steelyard.extensions.exchange.table_options import TableOptions
from steelyard.extensions.gate.options import read_margins, read_sides
from steelyard.files.writing import protecting, write_output

if TYPE_CHECKING:
    from steelyard.extensions.gate.request import GateRequest
    from steelyard.extensions.gate.results import Gate, Shard

HARNESSES = (
    "cargo",
    "go",
    "pytest-codspeed",
    "pytest-benchmark",
    "asv",
    "vitest",
    "tinybench",
    "mitata",
    "hyperfine",
    "jmh",
    "benchmarkdotnet",
    "google-benchmark",
    "nanobench",
    "catch2",
    "bencher",
    "github-action-benchmark",
    "time",
)
"""As ``steelyard.extensions.gate.harnesses`` has them, which a test compares: the help loads none of them."""


class WordsBehindDashes(PathCommand):
    """A command whose revisions stand before ``--``, and the command of a harness behind it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what is behind the first ``--``: a later one belongs to the harness."""
        end = args.index("--") if "--" in args else len(args)
        ctx.meta["words"] = tuple(args[end + 1 :])
        return super().parse_args(ctx, args[:end])

    def invoke(self, ctx: click.Context) -> Any:
        """Protect files that the command of the harness or of the build names, as other inputs."""
        words = (*ctx.meta["words"], *ctx.params["build"].split())
        with protecting(map(Path, words)):
            return super().invoke(ctx)


def split_names(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the names of lists with commas, each once."""
    return tuple(dict.fromkeys(name for value in values for name in value.split(",") if name))


class GateOptions(Options):
    """Options of ``steelyard gate``."""

    revisions: tuple[str, ...] = declare_argument("[BASE [HEAD]] [-- HARNESS COMMAND...]", nargs=-1)
    is_tip: bool = declare(
        "Compare with BASE itself (default: with the commit where HEAD left it).", "--base-tip"
    )
    build: str = build_option("Build a tree before its benchmarks run in it.")
    harness: str | None = declare(
        f"The harness, where the command does not show it: {', '.join(HARNESSES)}.",
        metavar="NAME",
        choices=HARNESSES,
    )
    is_timed: bool = declare("No harness: time the whole program.", "--time")
    repo: Path = repository_option
    base_dir: Path | None = declare(
        "Sources of base, in place of a revision.", metavar="DIR", type=InputPath()
    )
    head_dir: Path | None = declare(
        "Sources of head, in place of a revision.", metavar="DIR", type=InputPath()
    )
    metrics: tuple[str, ...] = declare(
        "Metrics to judge, as in time,allocs (default: the time that the harness reports).",
        "--metric",
        metavar="NAME,...",
        callback=split_names,
        complete=completion.metrics,
    )
    reported: tuple[str, ...] = declare(
        "Metrics to show beside those; they decide nothing.",
        "--report",
        metavar="NAME,...",
        callback=split_names,
    )
    margins: tuple[str, ...] = declare(
        "Changes up to this are equivalent, of all metrics or of one, as in allocs=1% (default: that of the"
        " last --qualify here, else 3%; of counts 0).",
        "--margin",
        metavar="[METRIC=]FRACTION",
    )
    better: tuple[str, ...] = declare(
        "Which way is better, of a metric that no harness knows: NAME=lower or NAME=higher.",
        "--better",
        metavar="NAME=SIDE",
    )
    max_time_s: float | None = max_time_option(
        "Budget of measurement for the whole suite (default: 1.5 times what the harness takes for both"
        " sides)."
    )
    timeout_s: float | None = timeout_option
    wait_quiet_s: float | None = declare(
        "Wait at most TIME until other programs leave the CPUs alone, then begin all the same.",
        "--wait-quiet",
        type=read_duration,
        metavar="TIME",
    )
    allow_failures: int = declare(
        "Processes of HEAD that may fail: their blocks are left out.", default=0, least=0
    )
    layout: bool = declare(
        "Link both sides anew for each block, in a drawn order: by go's linker, or by {layout} in --build."
    )
    shard: str | None = declare(
        "Gate a part of the suite, in one job of several: 2/4 is the second of four; --merge joins them.",
        metavar="NUMBER/COUNT",
    )
    merged: tuple[Path, ...] = declare(
        "Measure nothing: join the JSON of all shards to one verdict.",
        "--merge",
        metavar="FILE",
        type=InputPath(),
        multiple=True,
    )
    are_reports: bool = declare(
        "Measure nothing: BASE and HEAD are folders of reports that another tool wrote.", "--reports"
    )
    explain: bool = declare(
        "Sample the benchmarks that are slower, by perf, and name the functions that make them so."
    )
    validate: bool = declare(
        "With --explain: put the lines of BASE that have these functions back into HEAD, and measure what is"
        " left of the difference."
    )
    qualify: bool = declare(
        "Measure two builds of BASE side by side, and say how often the gate is wrong on this machine."
    )
    sessions: int = declare("With --qualify: gates to run.", default=5, least=2)
    slow_down: float = declare_fraction("With --qualify: slow-down to plant.", default=0.1)
    seed: int | None = seed_option
    output: Path | None = declare(
        "Directory of the records; an interrupted gate goes on there.",
        "-o",
        metavar="NAME",
        type=RecordDirectory(),
    )
    unchanged: bool = declare(
        "Fail where a benchmark is better than the margin, too: for sizes and counts that are to stay."
    )
    junit: Path | None = declare_file("Also write the verdicts as JUnit XML.")
    sarif: Path | None = declare_file("Also write every benchmark that is not green as SARIF.")
    markdown: Path | None = declare_file("Also write Markdown, for a comment on the change.")
    page: Path | None = declare_file("Also write a page.", metavar="FILE.html")
    github: bool = declare("Also annotate the change in GitHub Actions, on stderr.")
    as_json: bool = json_option
    strict: bool = strict_option


@click.command(
    cls=WordsBehindDashes,
    short_help="Gate a change with the benchmarks that a project has, base against head.",
    options_metavar="[OPTIONS]",
)
@take(GateOptions, TableOptions)
@click.pass_context
def command(ctx: click.Context, options: GateOptions, tables: TableOptions) -> None:
    """Run the benchmarks of BASE and HEAD (default: HEAD) in turns, and say of each whether it is slower.

    Without a command, the harness that the project has is found, with its build; without BASE, the default
    branch of origin. The line that says so is printed first. Compared is the commit where HEAD left BASE.

    Both revisions are checked out and built in work trees of their own. Processes of the harness, and not of
    cargo or go, run in randomised blocks; each benchmark is slower, faster, equivalent within the margin, or
    open when the budget is spent. What is decided runs no more.

    Exits with 1 if a benchmark is slower, 6 if one of base is gone, 3 under --strict if one is open, 5 if a
    build or a run fails, 7 if the harness reports nothing that can be read.

    \b
    steelyard gate
    steelyard gate main -- cargo bench
    steelyard gate main -- go test -bench . ./...
    steelyard gate main -- python -m pytest benchmarks/
    steelyard gate v1.2 --build 'make bench' -- build/bench
    steelyard gate --base-dir old --head-dir new --time -- ./program input
    steelyard gate --reports nights/before nights/after
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.extensions.gate.request import MARGIN, GateRequest

    words: tuple[str, ...] = ctx.meta["words"]
    files = {
        "--junit": options.junit,
        "--sarif": options.sarif,
        "--markdown": options.markdown,
        "--page": options.page,
    }
    if options.qualify and (texts := [flag for flag, file in files.items() if file is not None]):
        raise UsageError(
            f"{texts[0]} and --qualify: it judges no change that could be written",
            hint="leave one of them out",
        )
    if options.are_reports or any(vars(tables).values()):
        with _errors_written(files, github=options.github):
            code = _judge_reports(ctx, options, tables)
        ctx.exit(code)
    if options.merged:
        with _errors_written(files, github=options.github):
            answer = _merge(ctx, options)
        _write(files, answer, strict=options.strict, github=options.github)
        ctx.exit(answer.exit_code(strict=options.strict))
    if options.is_timed and options.harness not in (None, "time"):
        raise UsageError(f"--time and --harness {options.harness}", hint="leave one of them out")
    base, head, are_directories = _choose_sides(options)
    build, notes = options.build, _note_base(options, base)
    if not words:
        words, build = _find_command(options, base, notes)
    margin, margins = read_margins(options.margins)
    request = options.fill(
        GateRequest,
        margin=MARGIN if margin is None else margin,
        count_margin=0.0 if margin is None else margin,
        margins=margins,
        better=read_sides(options.better),
        base=base,
        head=head,
        words=words,
        build=build,
        are_directories=are_directories,
        harness="time" if options.is_timed else options.harness,
        shard=None if options.shard is None else _parse_shard(options),
    )
    if options.validate and not options.explain:
        raise UsageError(
            "--validate puts to the test what --explain names, and nothing is explained",
            hint="add --explain",
        )
    if options.explain:
        from steelyard.extensions.gate.explaining import refuse_unexplainable

        refuse_unexplainable()
    if options.qualify:
        _run_qualification(request, options)
        ctx.exit(0)
    with _errors_written(files, github=options.github):
        answer = _run_gate(request, options, notes, has_margin=margin is not None)
    _write(files, answer, strict=options.strict, github=options.github)
    ctx.exit(answer.exit_code(strict=options.strict))


def _parse_shard(options: GateOptions) -> Shard:
    from steelyard.extensions.gate.shards import parse_shard

    if options.qualify:
        raise UsageError("--shard and --qualify", hint="leave one of them out")
    return parse_shard(str(options.shard))


def _merge(ctx: click.Context, options: GateOptions) -> Gate:
    """Join the answers of shards, and print the one of all."""
    from steelyard.extensions.gate.results import GATE
    from steelyard.extensions.gate.shards import read_shards
    from steelyard.extensions.gate.text import list_lines

    if options.revisions or ctx.meta["words"] or options.shard or options.qualify:
        raise UsageError(
            "--merge measures nothing", hint="steelyard gate --merge shard-1.json --merge shard-2.json"
        )
    answer = read_shards(options.merged)
    show(
        lambda: GATE.text(answer),
        lambda width: list_lines(answer, width, strict=options.strict),
        as_json=options.as_json,
    )
    return answer


def _judge_reports(ctx: click.Context, options: GateOptions, tables: TableOptions) -> int:
    """Judge reports that are there already, print the verdicts, and return the exit code."""
    import tempfile

    from steelyard.extensions.exchange.importers.contents import identifier
    from steelyard.extensions.gate.reports import ReportsRequest, gate_reports
    from steelyard.extensions.gate.reports_text import list_report_lines
    from steelyard.extensions.gate.request import MARGIN
    from steelyard.report.claims import junit, markdown
    from steelyard.report.claims.document import render

    if not options.are_reports:
        raise UsageError(
            "--value, --by and --unit are about reports", hint="add --reports, or leave them out"
        )
    if len(options.revisions) != 2:
        raise UsageError(
            f"--reports: two folders are needed, got {len(options.revisions)}",
            hint="steelyard gate --reports nights/before nights/after",
        )
    refused = {
        "a command": bool(ctx.meta["words"]),
        "--qualify": options.qualify,
        "--merge": bool(options.merged),
        "--explain": options.explain,
        "--shard": options.shard is not None,
        "--layout": options.layout,
        "--build": bool(options.build),
        "--sarif": options.sarif is not None,
        "--page": options.page is not None,
        "--github": options.github,
        "--report": bool(options.reported),
        "--unchanged": options.unchanged,
        "--base-tip": options.is_tip,
        "--base-dir": options.base_dir is not None,
        "--head-dir": options.head_dir is not None,
        "--harness": options.harness is not None,
        "--time": options.is_timed,
        "--validate": options.validate,
        "--wait-quiet": options.wait_quiet_s is not None,
        "--max-time": options.max_time_s is not None,
        "--timeout": options.timeout_s is not None,
        "--seed": options.seed is not None,
    }
    for name in (name for name, is_there in refused.items() if is_there):
        raise UsageError(
            f"--reports measures nothing, and {name} is about measuring", hint=f"leave out {name}"
        )
    margin, margins = read_margins(options.margins)
    sides = read_sides(options.better)
    base, head = map(Path, options.revisions)
    request = ReportsRequest(
        base=base,
        head=head,
        metrics=options.metrics,
        margin=MARGIN if margin is None else margin,
        margins=margins,
        better={identifier(name): side for name, side in sides.items()},
        allow_failures=options.allow_failures,
        chosen=tables.choose(sides=sides),
    )
    with tempfile.TemporaryDirectory() as scratch:
        answer = gate_reports(request, options.output or Path(scratch) / "reports.lab")
    code, troubles = answer.exit_code(strict=options.strict), answer.list_troubles(strict=options.strict)
    for file, renderer in ((options.junit, junit.render), (options.markdown, markdown.render)):
        if file is not None:
            write_output(file, renderer([answer.checked], troubles, strict=options.strict))
    show(
        lambda: render(
            [answer.checked], code, {name: ProgramError(reason) for name, reason in troubles.items()}
        ),
        lambda width: list_report_lines(answer, width),
        as_json=options.as_json,
    )
    return code


def _choose_sides(options: GateOptions) -> tuple[str, str, bool]:
    """Return base and head, and whether they are directories."""
    revisions, base_dir, head_dir = options.revisions, options.base_dir, options.head_dir
    if base_dir is not None or head_dir is not None:
        if revisions:
            raise UsageError(
                f"revisions ({' '.join(revisions)}) and directories", hint="name one or the other"
            )
        if options.qualify:
            return str(head_dir or base_dir), str(head_dir or base_dir), True
        if base_dir is None or head_dir is None:
            raise UsageError("one directory of two", hint="--base-dir OLD --head-dir NEW")
        return str(base_dir), str(head_dir), True
    if len(revisions) > 2:
        raise UsageError(
            f"{len(revisions)} revisions: one or two are needed", hint="steelyard gate main -- cargo bench"
        )
    if not revisions:
        from steelyard.extensions.gate.detecting import find_base
        from steelyard.extensions.repository.repository import Repository

        revisions = ("HEAD",) if options.qualify else (find_base(Repository(options.repo)),)
    if options.qualify:
        return revisions[-1], revisions[-1], False
    return revisions[0], revisions[1] if len(revisions) > 1 else "HEAD", False


def _note_base(options: GateOptions, base: str) -> list[str]:
    """Return what is to be known of a base that nobody named."""
    from steelyard.extensions.gate.detecting import describe_base
    from steelyard.extensions.repository.repository import Repository

    if options.revisions or options.base_dir or options.head_dir or options.qualify:
        return []
    note = describe_base(Repository(options.repo), base)
    return [note] if note else []


def _find_command(options: GateOptions, base: str, notes: list[str]) -> tuple[tuple[str, ...], str]:
    """Return the command and the build of the harness that the project has, and say which line that is.

    What the line leaves out is added to ``notes``.
    """
    from steelyard.extensions.gate.detecting import describe_nested, find_candidate
    from steelyard.extensions.repository.repository import Repository

    directory = options.head_dir or options.repo
    top = None if options.head_dir else Repository(directory).find_top()
    candidate = find_candidate(directory, base, top)
    if options.build:
        candidate = replace(candidate, build=options.build)
    click.echo(candidate.format_line(base), err=True)
    if (note := describe_nested(directory, base)) is not None:
        notes.append(note)
        click.echo(note, err=True)
    return candidate.words, candidate.build


def _run_gate(request: GateRequest, options: GateOptions, notes: Sequence[str], *, has_margin: bool) -> Gate:
    """Gate, and print the answer."""
    from steelyard.extensions.gate.gate import gate
    from steelyard.extensions.gate.qualification import load_qualification
    from steelyard.extensions.gate.results import GATE
    from steelyard.extensions.gate.text import list_lines
    from steelyard.extensions.repository.repository import Repository
    from steelyard.files.user_directories import propose_record

    repository = None if request.are_directories else Repository(options.repo)
    qualification = load_qualification(request, repository)
    if not has_margin and qualification is not None:
        request = replace(request, margin=qualification.margin)
    directory = options.output or propose_record(os.environ, "gate")
    with as_a_whole(options.output, directory) as line:
        answer = gate(
            request,
            repository,
            directory,
            watch=line.update,
            tell=partial(tell_beside, line),
            qualification=qualification,
            notes=notes,
        )
    show(
        lambda: GATE.text(answer),
        lambda width: list_lines(answer, width, strict=options.strict),
        as_json=options.as_json,
    )
    tell_records(directory, as_json=options.as_json)
    return answer


def _run_qualification(request: GateRequest, options: GateOptions) -> None:
    """Qualify the gate on this machine, and print what was found."""
    from steelyard.extensions.gate.qualification import qualify
    from steelyard.extensions.gate.results import QUALIFICATION
    from steelyard.extensions.gate.text import list_qualification
    from steelyard.extensions.repository.repository import Repository
    from steelyard.files.user_directories import propose_record

    repository = None if request.are_directories else Repository(options.repo)
    directory = options.output or propose_record(os.environ, "gate")
    with as_a_whole(options.output, directory) as line:
        answer = qualify(
            request,
            repository,
            directory,
            sessions=options.sessions,
            slow_down=options.slow_down,
            watch=line.update,
            tell=partial(tell_beside, line),
        )
    show(
        lambda: QUALIFICATION.text(answer),
        lambda width: list_qualification(answer, width),
        as_json=options.as_json,
    )
    tell_records(directory, as_json=options.as_json)


def _write(files: dict[str, Path | None], answer: Gate, *, strict: bool, github: bool) -> None:
    from steelyard.extensions.gate import github as annotations
    from steelyard.extensions.gate import junit, markdown, page, sarif

    renderers: dict[str, Callable[[], str]] = {
        "--junit": lambda: junit.render(answer, strict=strict),
        "--sarif": lambda: sarif.render(answer, strict=strict),
        "--markdown": lambda: markdown.render(answer, strict=strict),
        "--page": lambda: page.render(answer, strict=strict),
    }
    for flag, file in files.items():
        if file is not None:
            write_output(file, renderers[flag]())
    if github:
        click.echo(annotations.render(answer, strict=strict), nl=False, err=True)


@contextmanager
def _errors_written(files: dict[str, Path | None], *, github: bool) -> Iterator[None]:
    """Write an error to the files: a build server reads none of an earlier run, and no green by absence."""
    try:
        yield
    except SteelyardError as error:
        _write_error(files, error, github=github)
        raise


def _write_error(files: dict[str, Path | None], error: SteelyardError, *, github: bool) -> None:
    from steelyard.extensions.gate import github as annotations
    from steelyard.extensions.gate import junit, markdown, page, sarif

    modules = {"--junit": junit, "--sarif": sarif, "--markdown": markdown, "--page": page}
    for flag, file in files.items():
        if file is not None:
            write_output(file, modules[flag].render_error(error.message, error.hint))
    if github:
        click.echo(annotations.render_error(error.message, error.hint), nl=False, err=True)
