"""``steelyard observe``."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

import click

from steelyard.cli import completion_values as completing
from steelyard.cli.fraction import share
from steelyard.cli.options import input_option, json_option, output_option, timeout_option
from steelyard.cli.run_and_answer import as_a_whole, tell_records, terminal_width
from steelyard.errors import UsageError


@click.command(short_help="Find what a probe costs the program that it observes.")
@click.argument("command", metavar="COMMAND", shell_complete=completing.commands)
@click.option(
    "--probe",
    "names",
    multiple=True,
    metavar="NAME",
    shell_complete=completing.probes,
    help="A known probe: perf-stat, strace, ltrace, memcheck, cachegrind, callgrind, or preload, a library"
    " that counts calls of the allocator. May be repeated, as the next three.",
)
@click.option("--wrap", "wraps", multiple=True, metavar="CMD", help="Your own command before COMMAND.")
@click.option("--variable", "variables", multiple=True, metavar="NAME=VALUE", help="A variable that is set.")
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="WORD",
    help="What --build has for {probe}: -pg, --coverage, -DSTEELYARD_PROBES=4, …",
)
@click.option(
    "--build",
    metavar="CMD",
    help="Builds COMMAND for each probe: {build} is where it writes, {probe} the option."
    " steelyard_probe.h is found by #include.",
)
@click.option(
    "--counters",
    metavar="NAMES",
    default="",
    shell_complete=completing.counters,
    help="Events of the kernel to count in every run, with commas: cycles,instructions.",
)
@click.option(
    "--added",
    is_flag=True,
    help="Count the instructions that probes inside of the program add, by callgrind.",
)
@click.option(
    "--trace",
    "trace_ms",
    type=click.IntRange(min=1),
    metavar="MS",
    help="Also run every level under perf stat, read every MS milliseconds: what happens in the course of"
    " a run.",
)
@click.option(
    "--trace-events",
    metavar="NAMES",
    help="What is read, as perf names it, with commas (default: page-faults,instructions).",
)
@click.option(
    "--metric",
    default="wall_s",
    show_default=True,
    metavar="NAME",
    shell_complete=completing.metrics,
    help="Precise to half of --within.",
)
@click.option(
    "--within",
    type=share,
    default=0.01,
    show_default=True,
    metavar="SHARE",
    help="Change inside of which a program is called unperturbed.",
)
@click.option("--one-context", is_flag=True, help="Measure in one context, not in a new one for every block.")
@click.option(
    "-m",
    "--min-runs",
    type=click.IntRange(min=2),
    default=20,
    show_default=True,
    metavar="N",
    help="At least N runs of each.",
)
@click.option("--max-time", default="60 s", show_default=True, metavar="TIME", help="Stop after this.")
@input_option
@timeout_option
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", help="Of the order of runs (default: drawn)."
)
@output_option
@json_option
def command(
    command: str,
    names: tuple[str, ...],
    wraps: tuple[str, ...],
    variables: tuple[str, ...],
    options: tuple[str, ...],
    build: str | None,
    counters: str,
    added: bool,
    trace_ms: int | None,
    trace_events: str | None,
    metric: str,
    within: float,
    one_context: bool,
    min_runs: int,
    max_time: str,
    stdin: str | None,
    timeout: str | None,
    seed: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run COMMAND without a probe and with each of the probes, in randomised blocks: what does each change?

    First every probe is tried once: where the program then prints something else or ends otherwise, that is
    said, and nothing is compared.

    \b
    steelyard observe --probe strace --probe perf-stat './prog input'
    steelyard observe --build 'cc -O2 {probe} p.c -o {build}/p' \\
        --option=-pg --option=--coverage --added '{build}/p input'
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.lab.compare.compare import state_directory
    from steelyard.lab.compare.existing_record import earlier_seed
    from steelyard.lab.observe import Observing, observe
    from steelyard.lab.observe.probes import named, option, variable, wrapper
    from steelyard.lab.observe.tracing import EVENTS, Tracing
    from steelyard.report.observe.document import render
    from steelyard.report.observe.text import lines
    from steelyard.report.text.line import write
    from steelyard.units import parse_duration

    if trace_ms is None and trace_events is not None:
        raise UsageError("--trace-events without --trace", hint="--trace 10 reads them every 10 ms")
    events = EVENTS if trace_events is None else tuple(name for name in trace_events.split(",") if name)
    directory = output or state_directory(os.environ, "observe")
    if seed is None:
        seed = earlier_seed(directory / "observe.lab")
    asking = Observing(
        command=command,
        probes=(*map(named, names), *map(wrapper, wraps), *map(variable, variables), *map(option, options)),
        build=build,
        counters=tuple(name for name in counters.split(",") if name),
        metric=metric,
        contexts=not one_context,
        within=within,
        blocks=min_runs,
        max_time_s=parse_duration(max_time),
        added=added,
        trace=None if trace_ms is None else Tracing(trace_ms, events),
        stdin=stdin,
        timeout_s=None if timeout is None else parse_duration(timeout),
        seed=secrets.randbits(31) if seed is None else seed,
    )
    with as_a_whole(output, directory) as line:
        found = observe(asking, directory, watch=line.update)
    if as_json:
        click.echo(render(found), nl=False)
    else:
        write(lines(found, terminal_width()), sys.stdout)
    tell_records(directory, as_json=as_json)
