"""``steelyard compare``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from steelyard.cli import completion
from steelyard.cli.compare_null import (
    ValuesAfterEquals,
    build_option,
    calibrate,
    comparisons_option,
    contexts_option,
    null_option,
    objects_option,
    refuse_without_meaning,
)
from steelyard.cli.compare_output import UNITS, show_output, with_exports, write_exports
from steelyard.cli.compare_request import (
    check_counts,
    check_shell,
    experiment_of,
    hint_at_shell,
    hooks_as_options,
    list_counters,
    parameters_of,
    read_environment,
    read_metrics,
    record_named,
)
from steelyard.cli.options import (
    chosen_seed,
    details_option,
    fraction,
    ignore_failure_option,
    input_option,
    json_option,
    max_time_option,
    metric_option,
    protocol_option,
    seed_option,
    strict_option,
    timeout_option,
)
from steelyard.cli.paths import RecordDirectory
from steelyard.cli.run_and_answer import Shown, pointing_to, print_answer, run_with_progress, show_answer
from steelyard.core.errors import UsageError
from steelyard.run.runner.native import require_linux


@click.command(
    cls=ValuesAfterEquals,
    short_help="Compare commands: which is faster, by how much, and how sure that is.",
)
@click.argument("commands", nargs=-1, required=True, metavar="COMMAND...", shell_complete=completion.commands)
@click.option(
    "-n",
    "--name",
    "--command-name",
    "names",
    multiple=True,
    metavar="NAME",
    help="Label of a command; once for each command.",
)
@click.option(
    "-w",
    "--warmup",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="N",
    help="Warm-up blocks, run first and left out of every result.",
)
@click.option(
    "-m",
    "--min-runs",
    type=click.IntRange(min=2),
    metavar="N",
    help="Run each command at least N times (default: 10; 5 where several are so slow that 3 s have passed).",
)
@click.option(
    "-M", "--max-runs", type=click.IntRange(min=2), metavar="N", help="Run each command at most N times."
)
@click.option(
    "-r",
    "--runs",
    type=click.IntRange(min=2),
    metavar="N",
    help="Run each command exactly N times, whatever the precision.",
)
@click.option(
    "--precision",
    type=fraction,
    metavar="FRACTION",
    help="Continue until the 95 % interval of every speedup has this relative half-width (default: until"
    " every verdict is decided, and its interval narrow: a tenth of the effect, or 1 %).",
)
@max_time_option(
    "Stop after this, whatever is open (default: 10 s, or 3 s of one command; with --precision 3 min)."
)
@contexts_option
@click.option(
    "-L",
    "--parameter-list",
    "parameters",
    nargs=2,
    multiple=True,
    metavar="VAR VALUES",
    help="Run with each of the VALUES (a,b,c) in place of {VAR}.",
)
@click.option(
    "-P",
    "--parameter-scan",
    "scans",
    nargs=3,
    multiple=True,
    metavar="VAR MIN MAX",
    help="Run with each number from MIN to MAX in place of {VAR}.",
)
@click.option(
    "-D",
    "--parameter-step-size",
    "step",
    metavar="STEP",
    help="Step of --parameter-scan (default: 1).",
)
@click.option(
    "--reference", metavar="CMD", help="Compare all COMMANDs with this one instead of with the first."
)
@click.option(
    "-s", "--setup", multiple=True, metavar="CMD", help="Shell command, untimed, before everything."
)
@click.option(
    "-p",
    "--prepare",
    multiple=True,
    metavar="CMD",
    help="Shell command, untimed, before each run; of as many as commands, each before its own.",
)
@click.option(
    "-C",
    "--conclude",
    multiple=True,
    metavar="CMD",
    help="Shell command, untimed, after each run; of as many as commands, each after its own.",
)
@click.option(
    "-c", "--cleanup", multiple=True, metavar="CMD", help="Shell command, untimed, after everything."
)
@click.option(
    "-S",
    "--shell",
    metavar="SHELL",
    callback=check_shell,
    help="Run the commands through SHELL -c (default: no shell); -S alone is --shell default, /bin/sh.",
)
@click.option(
    "--env",
    "assignments",
    multiple=True,
    metavar="NAME=VALUE ...",
    help="Set variables for all commands, split into words as a shell does; may name parameters.",
)
@click.option(
    "-N",
    "no_shell",
    is_flag=True,
    help="Run without a shell (already the default; accepted for hyperfine compatibility).",
)
@ignore_failure_option
@input_option
@timeout_option
@metric_option("Metric to compare: wall_s, cpu_s, rss_bytes, … (default: wall_s).")
@click.option(
    "--metrics",
    "listed_metrics",
    metavar="NAME,...",
    help="Show these too, with ratios and without verdicts: metrics of every run (cpu_s, rss_bytes, …) and"
    " counters (cycles, instructions, cache_misses, …); or a preset of hyperfine: default, time.",
)
@click.option(
    "--margin",
    type=fraction,
    metavar="FRACTION",
    help="Smallest difference that matters; a smaller one is called equivalent.",
)
@click.option(
    "--confirm",
    "confirms",
    is_flag=True,
    help="Of two records: measure their commands in turns, if both programs are as they were measured.",
)
@seed_option
@null_option
@comparisons_option
@build_option
@objects_option
@protocol_option
@click.option(
    "-o",
    "--output",
    type=RecordDirectory(),
    metavar="NAME.lab",
    help="Directory of the record. As in hyperfine, null discards what the commands print, and pipe captures"
    " it (the default); inherit is refused.",
)
@click.option(
    "--show-output",
    "shows_output",
    is_flag=True,
    help="First run each command once, untimed, and show what it prints.",
)
@click.option(
    "-u",
    "--time-unit",
    type=click.Choice(UNITS),
    metavar="UNIT",
    help="Unit of times: microsecond, millisecond, second (default: what suits them).",
)
@click.option(
    "--sort",
    type=click.Choice(("auto", "command", "mean-time")),
    default="auto",
    metavar="ORDER",
    help="Order of the commands in the answer: as given (command, auto), or by mean-time.",
)
@with_exports
@details_option
@json_option
@strict_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    commands: tuple[str, ...],
    names: tuple[str, ...],
    warmup: int,
    min_runs: int | None,
    max_runs: int | None,
    runs: int | None,
    precision: float | None,
    max_time_s: float | None,
    contexts: str | None,
    parameters: tuple[tuple[str, str], ...],
    scans: tuple[tuple[str, str, str], ...],
    step: str | None,
    reference: str | None,
    setup: tuple[str, ...],
    prepare: tuple[str, ...],
    conclude: tuple[str, ...],
    cleanup: tuple[str, ...],
    shell: str | None,
    assignments: tuple[str, ...],
    no_shell: bool,
    ignore_failure: bool,
    stdin: str | None,
    timeout_s: float | None,
    metric: str | None,
    listed_metrics: str | None,
    margin: float | None,
    confirms: bool,
    seed: int | None,
    null: str | None,
    comparisons: int | None,
    build: str | None,
    objects: str | None,
    protocol: str | None,
    output: Path | None,
    shows_output: bool,
    time_unit: str | None,
    sort: str,
    details: bool,
    as_json: bool,
    strict: bool,
    **exports: Path | None,
) -> None:
    """Run the COMMANDs in random order, block by block, and compare each with the first.

    Stops when that is answered or 10 s have passed.

    A command is one argument, so quote it; it is split into words as a shell does. Its output is captured
    and not shown. Two records (OLD.lab NEW.lab) in place of commands are compared as they are, or measured
    in turns (--confirm).

    \b
    steelyard compare './old input' './new input'
    steelyard compare -L n 1000,2000 './sort {n}'
    steelyard compare --shell default 'sort a | uniq' 'sort -u a'
    steelyard compare --contexts './prog-O2' './prog-O3'
    steelyard compare --null './prog input'
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.files.user_directories import propose_record
    from steelyard.lab.compare.compare import BLOCKS, DEFAULT_SHELL, CompareRequest, split
    from steelyard.lab.run.existing_record import is_record

    metrics = read_metrics(listed_metrics, metric)
    shown = Shown(metrics=metrics, details=details, time_unit=time_unit, by_mean=sort == "mean-time")
    if len(commands) == 2 and all(is_record(Path(each)) for each in commands):
        if metrics:
            raise UsageError(
                f"--metrics {listed_metrics}: two records are compared by one metric",
                hint=f"--metric {metrics[0]}",
            )
        if confirms:
            ctx.exit(_confirm(commands, metric, seed, output, shown, as_json=as_json, strict=strict))
        ctx.exit(_compute_records(commands, metric, margin, shown, as_json=as_json, strict=strict))
    if confirms:
        raise UsageError(
            "--confirm is for two records; commands are measured in turns anyway",
            hint="steelyard compare OLD.lab NEW.lab --confirm",
        )
    require_linux()
    _refuse_apart(commands, null, comparisons, contexts, build, objects)
    if null is not None:
        refuse_without_meaning(ctx)
    check_counts(min_runs, max_runs, runs, precision)
    commands = commands if reference is None else (reference, *commands)
    if no_shell and shell:
        raise UsageError("-N and --shell contradict each other", hint="leave one of them out")
    if shell is None and not no_shell:
        hint_at_shell(commands)
    named = record_named(output)
    wanted = {form: file for form, file in exports.items() if file is not None}
    directory = named or propose_record(os.environ, "compare").with_suffix(".lab")
    # Below the first look there is nothing to decide: so many runs, whatever the precision.
    fixed = runs or (max_runs if max_runs and max_runs < BLOCKS else None)
    request = CompareRequest(
        commands=commands,
        names=names,
        parameters=parameters_of(parameters, scans, step),
        shell={None: None, "none": None, "default": DEFAULT_SHELL}.get(shell, shell),
        env=read_environment(assignments, commands),
        prepare=prepare,
        conclude=conclude,
        setup=setup,
        cleanup=cleanup,
        stdin=stdin,
        output="null" if output == Path("null") else "capture",
        contexts="layout" if contexts == "layout" else contexts is not None,
        build=build,
        objects=tuple(split(objects)) if objects else (),
        ignore_failure=ignore_failure,
        timeout_s=timeout_s,
        discard=warmup,
        blocks=fixed or min_runs,
        max_blocks=max_runs,
        rel_halfwidth=None if fixed else precision or "decided",
        max_time_s=max_time_s,
        metric=metric or "wall_s",
        counters=list_counters((metric or "wall_s", *metrics)),
        margin=margin,
        seed=chosen_seed(seed, directory),
    )
    if null is not None:
        code = calibrate(
            null,
            request,
            runs=runs,
            comparisons=comparisons,
            output=named,
            as_json=as_json,
        )
        ctx.exit(code)
    experiment = experiment_of(request, scans)
    if shows_output:
        show_output(experiment, as_json=as_json)
    with pointing_to(directory, answers=not as_json):
        with hooks_as_options(request):
            run_with_progress(experiment, directory)
        code = print_answer(directory, shown, as_json=as_json, strict=strict, protocol=protocol)
        write_exports(directory, wanted, time_unit)
    click.echo(f"record: {directory}", err=as_json)
    ctx.exit(code)


def _refuse_apart(
    commands: Sequence[str],
    null: str | None,
    comparisons: int | None,
    contexts: str | None,
    build: str | None,
    objects: str | None,
) -> None:
    """Refuse options that stand without what they are about."""
    from steelyard.lab.compare.compare import BUILD_HINT

    if comparisons is not None and null is None:
        raise UsageError(
            f"--comparisons {comparisons} needs --null",
            hint=f"steelyard compare --null --comparisons {comparisons} {commands[0]!r}",
        )
    if null is not None and contexts == "layout":
        raise UsageError(
            "--contexts=layout has no meaning with --null: --null=layout draws layouts",
            hint=f"steelyard compare --null=layout {BUILD_HINT}",
        )
    if (build is not None or objects is not None) and ("layout" not in (null, contexts) or build is None):
        raise UsageError(
            "--build and --objects are for --contexts=layout and --null=layout, which link a program in"
            " several orders",
            hint=f"steelyard compare --contexts=layout {BUILD_HINT}",
        )


def _compute_records(
    names: Sequence[str],
    metric: str | None,
    margin: float | None,
    shown: Shown,
    *,
    as_json: bool,
    strict: bool,
) -> int:
    """Compare two records, print the answer, and return the exit code."""
    from steelyard.lab.compare.records import compare_records
    from steelyard.lab.run.existing_record import find_record

    old, new = (find_record(Path(name)) for name in names)
    return show_answer(
        compare_records(old, new, metric=metric, margin=margin), shown, as_json=as_json, strict=strict
    )


def _confirm(
    names: Sequence[str],
    metric: str | None,
    seed: int | None,
    output: Path | None,
    shown: Shown,
    *,
    as_json: bool,
    strict: bool,
) -> int:
    """Measure the commands of two records in turns, print the answer, and return the exit code."""
    from steelyard.files.user_directories import propose_record
    from steelyard.lab.compare.confirming import experiment_in_turns
    from steelyard.lab.run.existing_record import find_record

    directory = record_named(output) or propose_record(os.environ, "compare").with_suffix(".lab")
    old, new = (find_record(Path(name)) for name in names)
    experiment = experiment_in_turns(old, new, metric=metric, seed=chosen_seed(seed, directory))
    with pointing_to(directory, answers=not as_json):
        run_with_progress(experiment, directory)
        code = print_answer(directory, shown, as_json=as_json, strict=strict)
    click.echo(f"record: {directory}", err=as_json)
    return code
