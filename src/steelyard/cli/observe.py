"""``steelyard observe``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from steelyard.cli import completion
from steelyard.cli.options import (
    chosen_seed,
    fraction,
    input_option,
    json_option,
    max_time_option,
    metric_option,
    output_option,
    seed_option,
    split_names,
    timeout_option,
)
from steelyard.cli.paths import OutputFile, PathCommand
from steelyard.cli.run_and_answer import as_a_whole, show, tell_records
from steelyard.core.errors import UsageError


@click.command(cls=PathCommand, short_help="Find what a probe costs the program it observes.")
@click.argument("command", metavar="COMMAND", shell_complete=completion.commands)
@click.option(
    "--probe",
    "known",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.probes,
    help="A known probe: perf-stat, strace, ltrace, memcheck, cachegrind, callgrind, or preload (a library"
    " that counts calls of the allocator). May be repeated, as may the next three.",
)
@click.option(
    "--wrap", "wraps", multiple=True, metavar="CMD", help="Put a command of your own before COMMAND."
)
@click.option(
    "--variable", "variables", multiple=True, metavar="NAME=VALUE", help="Set an environment variable."
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="WORD",
    help="Put WORD in place of {probe} in --build: -pg, --coverage, -DSTEELYARD_PROBES=4, …",
)
@click.option(
    "--build",
    metavar="CMD",
    help="Build COMMAND for each probe: {build} is where CMD writes, {probe} the option; steelyard_probe.h is"
    " found by #include.",
)
@click.option(
    "--versus",
    metavar="CMD",
    help="Another command: also test whether a probe reverses which of the two is faster.",
)
@click.option(
    "--file",
    "files",
    multiple=True,
    metavar="NAME",
    help="A file that COMMAND writes, to be compared in every run. May be repeated; without it, files that"
    " COMMAND is seen to write in the current directory.",
)
@click.option(
    "--counters",
    type=split_names,
    metavar="NAMES",
    default="",
    shell_complete=completion.counters,
    help="Kernel events to count in every run, separated by commas: cycles,instructions.",
)
@click.option(
    "--added",
    is_flag=True,
    help="Count the instructions that probes inside the program add, by callgrind.",
)
@click.option(
    "--trace",
    "trace_ms",
    type=click.IntRange(min=1),
    metavar="MS",
    help="Also run every level under perf stat, read every MS milliseconds, to show the course of a run.",
)
@click.option(
    "--trace-events",
    type=split_names,
    metavar="NAMES",
    help="Events to trace, named as in perf list, separated by commas (default: page-faults,instructions).",
)
@metric_option("Metric that is measured to a precision of half of --within.", default="wall_s")
@click.option(
    "--within",
    type=fraction,
    default=0.01,
    show_default=True,
    metavar="FRACTION",
    help="Largest change at which a program still counts as unperturbed.",
)
@click.option(
    "--one-context", is_flag=True, help="Measure in one context instead of a new one for every block."
)
@click.option(
    "-m",
    "--min-runs",
    type=click.IntRange(min=2),
    default=20,
    show_default=True,
    metavar="N",
    help="Run each level at least N times.",
)
@max_time_option("Stop after this, whatever the precision.", default="60 s")
@input_option
@timeout_option
@seed_option
@output_option
@click.option("--html", type=OutputFile(), metavar="FILE", help="Also write the page of steelyard report.")
@json_option
def command(
    command: str,
    known: tuple[str, ...],
    wraps: tuple[str, ...],
    variables: tuple[str, ...],
    options: tuple[str, ...],
    build: str | None,
    versus: str | None,
    files: tuple[str, ...],
    counters: tuple[str, ...],
    added: bool,
    trace_ms: int | None,
    trace_events: tuple[str, ...] | None,
    metric: str,
    within: float,
    one_context: bool,
    min_runs: int,
    max_time_s: float,
    stdin: str | None,
    timeout_s: float | None,
    seed: int | None,
    output: Path | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Run COMMAND without a probe and with each of the probes, in randomised blocks, to find what each costs.

    What every run writes, to stdout, stderr and files, is compared with what the program writes alone: a
    probe under which it writes something else or ends differently is reported and left out.

    \b
    steelyard observe --probe strace --probe perf-stat './prog input'
    steelyard observe --build 'cc -O2 {probe} p.c -o {build}/p' \\
        --option=-pg --option=--coverage --added '{build}/p input'
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.files.user_directories import propose_record
    from steelyard.lab.observe.observe import observe
    from steelyard.lab.observe.probes import named, option, variable, wrapper
    from steelyard.lab.observe.request import ObserveRequest
    from steelyard.lab.observe.tracing import EVENTS, Tracing
    from steelyard.report.observe.text import lines
    from steelyard.results.observation import OBSERVATION

    if trace_ms is None and trace_events is not None:
        raise UsageError("--trace-events without --trace", hint="--trace 10 reads them every 10 ms")
    events = EVENTS if trace_events is None else trace_events
    directory = output or propose_record(os.environ, "observe")
    request = ObserveRequest(
        command=command,
        probes=(*map(named, known), *map(wrapper, wraps), *map(variable, variables), *map(option, options)),
        build=build,
        versus=versus,
        files=files,
        counters=counters,
        metric=metric,
        contexts=not one_context,
        within=within,
        blocks=min_runs,
        max_time_s=max_time_s,
        added=added,
        trace=None if trace_ms is None else Tracing(trace_ms, events),
        stdin=stdin,
        timeout_s=timeout_s,
        seed=chosen_seed(seed, directory / "observe.lab"),
    )
    with as_a_whole(output, directory) as line:
        found = observe(request, directory, watch=line.update)
    show(lambda: OBSERVATION.text(found), lambda width: lines(found, width), as_json=as_json)
    if html is not None:
        from steelyard.laboratory import report

        report(directory / "observe.lab", observation=found).save(html)
    tell_records(directory, as_json=as_json)
