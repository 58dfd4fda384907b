"""``steelyard compare``."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext, redirect_stdout
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from steelyard.cli import completion
from steelyard.cli.compare_line import CompareCommand
from steelyard.cli.compare_output import EXPORTS, UNITS, show_output, tell_context, write_exports
from steelyard.cli.compare_request import (
    check_counts,
    check_shell,
    experiment_of,
    hooks_as_options,
    list_counters,
    parameters_of,
    read_environment,
    read_exit_codes,
    read_input,
    read_metrics,
    record_named,
    stream_named,
    warn_of_shell,
)
from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import (
    chosen_seed,
    declare_file,
    declare_fraction,
    details_option,
    json_option,
    max_time_option,
    metric_option,
    read_duration,
    read_size,
    strict_option,
)
from steelyard.cli.paths import InputPath, RecordOrStream
from steelyard.cli.run_and_answer import Shown, pointing_to, print_answer, run_with_progress, show_answer
from steelyard.core.errors import UsageError
from steelyard.core.extension import list_modes, load
from steelyard.core.look_schedule import Until
from steelyard.files.writing import STDOUT
from steelyard.run.native import require_linux

if TYPE_CHECKING:
    from steelyard.spec import Experiment

_MODES: Final = tuple(list_modes().values())
"""Other answers than a comparison, of extensions."""


class CompareOptions(Options):
    """Options of ``steelyard compare``."""

    commands: tuple[str, ...] = declare_argument(
        "COMMAND...", nargs=-1, required=True, complete=completion.commands
    )
    names: tuple[str, ...] = declare(
        "Label of a command; once for each command.", "-n", "--name", "--command-name", metavar="NAME"
    )
    warmup: int = declare("Warm-up blocks, run first and left out of every result.", "-w", default=1, least=0)
    min_runs: int | None = declare(
        "Run each command at least N times (default: 10; 5 where several are so slow that 3 s have passed).",
        "-m",
        least=2,
    )
    max_runs: int | None = declare("Run each command at most N times.", "-M", least=2)
    runs: int | None = declare("Run each command exactly N times, whatever the precision.", "-r", least=1)
    max_time_s: float | None = max_time_option(
        "Stop after TIME even if undecided (default: 10 s, or 3 s of one command)."
    )
    until: Until | None = declare(
        "What ends the measurement: 'size', a verdict and a narrow interval; 'verdict', a verdict alone:"
        " sooner, with a wider interval.  [default: size]",
        choices=("size", "verdict"),
    )
    contexts: bool = declare(
        "Draw a new context for every block: a random length of the environment, with ASLR off."
    )
    parameters: tuple[tuple[str, str], ...] = declare(
        "Run with each of the VALUES (a,b,c) in place of {VAR}.",
        "-L",
        "--parameter-list",
        metavar="VAR VALUES",
        nargs=2,
    )
    scans: tuple[tuple[str, str, str], ...] = declare(
        "Run with each number from MIN to MAX in place of {VAR}, in steps of -D STEP (default: 1).",
        "-P",
        "--parameter-scan",
        metavar="VAR MIN MAX",
        nargs=3,
    )
    step: str | None = declare(
        "Step of --parameter-scan (default: 1).",
        "-D",
        "--parameter-step-size",
        metavar="STEP",
        hidden=True,
    )
    reference: str | None = declare(
        "Compare all COMMANDs with this one instead of with the first.", metavar="CMD", hidden=True
    )
    setup: tuple[str, ...] = declare("Shell command, untimed, before everything.", "-s", metavar="CMD")
    prepare: tuple[str, ...] = declare(
        "Shell command, untimed, before each run; give one, or one per COMMAND.",
        "-p",
        metavar="CMD",
    )
    conclude: tuple[str, ...] = declare(
        "Shell command, untimed, after each run; give one, or one per COMMAND.",
        "-C",
        metavar="CMD",
    )
    cleanup: tuple[str, ...] = declare("Shell command, untimed, after everything.", "-c", metavar="CMD")
    shell: str | None = declare(
        "Run the commands through SHELL -c (default: no shell); -S alone is --shell default, /bin/sh.",
        "-S",
        metavar="SHELL",
        callback=check_shell,
    )
    assignments: tuple[str, ...] = declare(
        "Set variables for all commands, split into words as a shell does; may name parameters.",
        "--env",
        metavar="NAME=VALUE ...",
    )
    no_shell: bool = declare("Run without a shell (already the default).", "-N", "no_shell", hidden=True)
    cpu_limit_s: float | None = declare(
        "Count a run whose processes together use more CPU time as failed.",
        "--cpu-limit",
        "cpu_limit_s",
        type=read_duration,
        metavar="TIME",
        hidden=True,
    )
    memory_limit_bytes: int | None = declare(
        "Count a run whose processes together need more memory as failed.",
        "--memory-limit",
        "memory_limit_bytes",
        type=read_size,
        metavar="SIZE",
        hidden=True,
    )
    isolate: bool = declare(
        "Give each run a file system of its own, /tmp included: what it writes is gone after it.",
        hidden=True,
    )
    no_network: bool = declare("Give each run no network but its own loopback.", hidden=True)
    ignore_failure: bool | tuple[int, ...] = declare(
        "Accept every end of a run; or, with =1,2, these exit codes.",
        "-i",
        "--ignore-failure",
        metavar="[=CODES]",
        callback=read_exit_codes,
    )
    stdin: str | None = declare(
        "Standard input of every run (default, and null: empty).",
        "--input",
        "stdin",
        type=InputPath(str),
        metavar="FILE",
        callback=read_input,
    )
    metric: str | None = metric_option("Metric to compare: wall_s, cpu_s, rss_bytes, … (default: wall_s).")
    listed_metrics: str | None = declare(
        "Show these too, with ratios and without verdicts: metrics of every run (cpu_s, rss_bytes, …) and"
        " counters (cycles, instructions, cache_misses, …); or a preset of hyperfine: default, time.",
        "--metrics",
        metavar="NAME,...",
    )
    margin: float | None = declare_fraction(
        "Smallest difference that matters; a smaller one is called equivalent."
    )
    confirms: bool = declare(
        "Of two records: measure their commands in turns, if both programs are as they were measured.",
        "--confirm",
        hidden=True,
    )
    across_libraries: bool = declare(
        "Of two records: judge although libraries or modules changed that unchanged programs load.",
        hidden=True,
    )
    output: Path | str | None = declare(
        "Directory of the record. As in hyperfine, null discards what the commands print, and pipe captures"
        " it (the default); ./FILE.txt has the standard output of the last run; inherit is refused.",
        "-o",
        metavar="NAME.lab",
        type=RecordOrStream(),
    )
    shows_output: bool = declare(
        "First run each command once, untimed, and show what it prints.", "--show-output", hidden=True
    )
    time_unit: str | None = declare(
        "Unit of times: microsecond, millisecond, second (default: what suits them).",
        "-u",
        metavar="UNIT",
        choices=UNITS,
        hidden=True,
    )
    sort: str = declare(
        "Order of the commands in the answer: as given (command, auto), or by mean-time.",
        metavar="ORDER",
        default="auto",
        show_default=False,
        choices=("auto", "command", "mean-time"),
        hidden=True,
    )
    export_json: Path | None = declare_file("Write the results as hyperfine 1 does, all times included.")
    export_csv: Path | None = declare_file(
        "Write a summary of each command as CSV, with hyperfine's columns."
    )
    export_markdown: Path | None = declare_file("Write a summary of each command as a Markdown table.")
    details: bool = details_option
    as_json: bool = json_option
    strict: bool = strict_option


AS_IN_HYPERFINE = (
    "As in hyperfine, also: -D STEP, -N, --reference CMD, --show-output, --sort ORDER, -u UNIT."
    " docs/coming-from-hyperfine.md describes them, and the keys of a spec that took the place of options."
    " Of two records, --confirm measures the commands in turns if both programs are as they were measured,"
    " and --across-libraries judges although libraries changed that unchanged programs load."
    " Limits of a run, and runs apart from the machine: --cpu-limit TIME, --memory-limit SIZE, --isolate,"
    " --no-network (docs/measuring.md)."
)


@click.command(
    cls=CompareCommand,
    short_help="Compare commands: which is faster, by how much, and how sure that is.",
    epilog=AS_IN_HYPERFINE,
)
@take(CompareOptions, *(load(mode.options) for mode in _MODES))
@click.pass_context
def command(ctx: click.Context, options: CompareOptions, *answers: Options) -> None:
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
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.files.user_directories import propose_record
    from steelyard.lab.compare.compare import BLOCKS, DEFAULT_SHELL, CompareRequest
    from steelyard.lab.run.existing_record import is_record

    metrics = read_metrics(options.listed_metrics, options.metric)
    output = Shown(
        metrics=metrics,
        details=options.details,
        time_unit=options.time_unit,
        by_mean=options.sort == "mean-time",
    )
    if len(options.commands) == 2 and all(is_record(Path(name)) for name in options.commands):
        if options.until is not None:
            raise UsageError(
                f"--until {options.until}: two records have the runs that they have",
                hint="leave --until out",
            )
        if metrics:
            raise UsageError(
                f"--metrics {options.listed_metrics}: two records are compared by one metric",
                hint=f"--metric {metrics[0]}",
            )
        ctx.exit(_confirm(options, output) if options.confirms else _compare_records(options, output))
    _refuse_without_records(options)
    require_linux()
    chosen = next((pair for pair in zip(_MODES, answers, strict=True) if pair[1].has_any()), None)
    if chosen is not None:
        load(chosen[0].refuse)(ctx)
    check_counts(options.min_runs, options.max_runs, options.runs)
    _refuse_until(options)
    commands = options.commands if options.reference is None else (options.reference, *options.commands)
    if options.no_shell and options.shell:
        raise UsageError("-N and --shell contradict each other", hint="leave one of them out")
    if options.shell is None and not options.no_shell:
        warn_of_shell(commands)
    named = record_named(options.output)
    exports = {form: file for form in EXPORTS if (file := getattr(options, form)) is not None}
    prints = STDOUT in exports.values()
    if prints and options.as_json:
        raise UsageError(
            "--json and an export to - both write a document to standard output",
            hint="give the export a FILE, or leave --json out",
        )
    directory = named or propose_record(os.environ, "compare").with_suffix(".lab")
    # Below the first look there is nothing to decide: so many runs, whatever the precision.
    fixed = options.runs or (options.max_runs if options.max_runs and options.max_runs < BLOCKS else None)
    request = options.fill(
        CompareRequest,
        commands=commands,
        parameters=parameters_of(options.parameters, options.scans, options.step),
        shell={None: None, "none": None, "default": DEFAULT_SHELL}.get(options.shell, options.shell),
        env=read_environment(options.assignments, commands),
        output=stream_named(options.output),
        discard=options.warmup,
        blocks=fixed or options.min_runs,
        max_blocks=options.max_runs,
        rel_halfwidth=None if fixed else "decided",
        counters=list_counters((options.metric or "wall_s", *metrics)),
        seed=chosen_seed(None, directory),
    )
    if chosen is not None:
        mode, mode_options = chosen
        answer = load(mode.answer)
        ctx.exit(answer(mode_options, request, runs=options.runs, output=named, as_json=options.as_json))
    experiment = experiment_of(request, options.scans)
    if options.shows_output:
        show_output(experiment, as_json=options.as_json or prints)
    with pointing_to(directory, answers=not options.as_json):
        with hooks_as_options(request):
            run_with_progress(experiment, directory)
        with redirect_stdout(sys.stderr) if prints else nullcontext():
            code = print_answer(directory, output, as_json=options.as_json, strict=options.strict)
        write_exports(directory, exports, options.time_unit, options.names)
    _tell_end(experiment, directory, err=options.as_json or prints)
    ctx.exit(code)


_EXAMPLES: Final = [mode.example for mode in _MODES if mode.example]
command.help = "\n".join((cleandoc(command.help or ""), *_EXAMPLES))


def _tell_end(experiment: Experiment, directory: Path, *, err: bool) -> None:
    """Print the scope of an answer for people, and where its record is."""
    if not err and (scope := tell_context(experiment)):
        click.echo(scope)
    click.echo(f"record: {directory}", err=err)


def _refuse_until(options: CompareOptions) -> None:
    """Refuse to wait for a verdict where there is none, or where the number of runs is fixed."""
    if options.until is None:
        return
    if options.runs is not None:
        raise UsageError(
            f"--runs {options.runs} is an exact number, so --until {options.until} has no meaning",
            hint="leave --until or --runs out",
        )
    parameters = parameters_of(options.parameters, options.scans, options.step)
    has_one_command = len(options.commands) + (options.reference is not None) < 2
    if has_one_command and all(len(values) < 2 for values in parameters.values()):
        raise UsageError(
            f"--until {options.until}: one command has no verdict",
            hint="give a second command, or leave --until out",
        )


def _refuse_without_records(options: CompareOptions) -> None:
    """Refuse options that only two records have."""
    if options.across_libraries:
        raise UsageError(
            "--across-libraries is for two records; commands are compared with the libraries that they load",
            hint="steelyard compare OLD.lab NEW.lab --across-libraries",
        )
    if options.confirms:
        raise UsageError(
            "--confirm is for two records; commands are measured in turns anyway",
            hint="steelyard compare OLD.lab NEW.lab --confirm",
        )


def _compare_records(options: CompareOptions, output: Shown) -> int:
    """Compare two records, print the answer, and return the exit code."""
    from steelyard.lab.compare.records import compare_records
    from steelyard.lab.run.existing_record import find_record

    old, new = (find_record(Path(name)) for name in options.commands)
    answer = compare_records(
        old,
        new,
        metric=options.metric,
        margin=options.margin,
        across_libraries=options.across_libraries,
    )
    return show_answer(answer, output, as_json=options.as_json, strict=options.strict)


def _confirm(options: CompareOptions, output: Shown) -> int:
    """Measure the commands of two records in turns, print the answer, and return the exit code."""
    from steelyard.files.user_directories import propose_record
    from steelyard.lab.compare.confirming import experiment_in_turns
    from steelyard.lab.run.existing_record import find_record

    directory = record_named(options.output) or propose_record(os.environ, "compare").with_suffix(".lab")
    old, new = (find_record(Path(name)) for name in options.commands)
    seed = chosen_seed(None, directory)
    experiment = experiment_in_turns(old, new, metric=options.metric, seed=seed)
    with pointing_to(directory, answers=not options.as_json):
        run_with_progress(experiment, directory)
        code = print_answer(directory, output, as_json=options.as_json, strict=options.strict)
    click.echo(f"record: {directory}", err=options.as_json)
    return code
