"""``steelyard observe``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click

from steelyard.cli import completion
from steelyard.cli.campaign import as_a_whole, tell_records
from steelyard.cli.declared import Options, declare, declare_argument, take
from steelyard.cli.options import (
    chosen_seed,
    declare_file,
    declare_fraction,
    input_option,
    json_option,
    max_time_option,
    metric_option,
    output_option,
    seed_option,
    split_names,
    timeout_option,
)
from steelyard.cli.paths import PathCommand
from steelyard.cli.terminal import show
from steelyard.core.errors import UsageError


def _list_probes() -> Iterable[str]:
    from steelyard.extensions.observe.probes import KNOWN

    return KNOWN


class ObserveOptions(Options):
    """Options of ``steelyard observe``."""

    command: str = declare_argument("COMMAND", complete=completion.commands)
    probes: tuple[str, ...] = declare(
        "A known probe: perf-stat, strace, ltrace, memcheck, cachegrind, callgrind, or preload (a library"
        " that counts calls of the allocator). May be repeated, as may the next three.",
        "--probe",
        metavar="NAME",
        complete=completion.complete_names(_list_probes),
    )
    wraps: tuple[str, ...] = declare("Put a command of your own before COMMAND.", "--wrap", metavar="CMD")
    variables: tuple[str, ...] = declare("Set an environment variable.", "--variable", metavar="NAME=VALUE")
    options: tuple[str, ...] = declare(
        "Put WORD in place of {probe} in --build: -pg, --coverage, -DSTEELYARD_PROBES=4, …",
        "--option",
        metavar="WORD",
    )
    build: str | None = declare(
        "Build COMMAND for each probe: {build} is where CMD writes, {probe} the option; steelyard_probe.h is"
        " found by #include.",
        metavar="CMD",
    )
    versus: str | None = declare(
        "Another command: also test whether a probe reverses which of the two is faster.", metavar="CMD"
    )
    files: tuple[str, ...] = declare(
        "A file that COMMAND writes, to be compared in every run. May be repeated; without it, files that"
        " COMMAND is seen to write in the current directory.",
        "--file",
        metavar="NAME",
    )
    counters: tuple[str, ...] = declare(
        "Kernel events to count in every run, separated by commas: cycles,instructions.",
        metavar="NAMES",
        default="",
        type=split_names,
        complete=completion.counters,
    )
    added: bool = declare("Count the instructions that probes inside the program add, by callgrind.")
    trace_ms: int | None = declare(
        "Also run every level under perf stat, read every MS milliseconds, to show the course of a run.",
        "--trace",
        metavar="MS",
        least=1,
    )
    trace_events: tuple[str, ...] | None = declare(
        "Events to trace, named as in perf list, separated by commas (default: page-faults,instructions).",
        metavar="NAMES",
        type=split_names,
    )
    metric: str = metric_option(
        "Metric that is measured to a precision of half of --within.", default="wall_s"
    )
    within: float = declare_fraction(
        "Largest change at which a program still counts as unperturbed.", default=0.01
    )
    one_context: bool = declare("Measure in one context instead of a new one for every block.")
    min_runs: int = declare("Run each level at least N times.", "-m", default=20, least=2)
    max_time_s: float = max_time_option("Stop after this, whatever the precision.", default="60 s")
    stdin: str | None = input_option
    timeout_s: float | None = timeout_option
    seed: int | None = seed_option
    output: Path | None = output_option
    html: Path | None = declare_file("Also write the page of steelyard report.")
    as_json: bool = json_option


@click.command(cls=PathCommand, short_help="Find what a probe costs the program it observes.")
@take(ObserveOptions)
def command(options: ObserveOptions) -> None:
    """Run COMMAND without a probe and with each of the probes, in randomised blocks, to find what each costs.

    What every run writes, to stdout, stderr and files, is compared with what the program writes alone: a
    probe under which it writes something else or ends differently is reported and left out.

    \b
    steelyard observe --probe strace --probe perf-stat './prog input'
    steelyard observe --build 'cc -O2 {probe} p.c -o {build}/p' \\
        --option=-pg --option=--coverage --added '{build}/p input'
    """  # noqa: D301 - click reads the character \b, not a backslash and a letter
    from steelyard.extensions.observe.observe import observe
    from steelyard.extensions.observe.probes import make_known_probe, option, variable, wrapper
    from steelyard.extensions.observe.request import ObserveRequest
    from steelyard.extensions.observe.results import OBSERVATION
    from steelyard.extensions.observe.text import lines
    from steelyard.extensions.observe.tracing import EVENTS, Tracing
    from steelyard.files.user_directories import propose_record

    if options.trace_ms is None and options.trace_events is not None:
        raise UsageError("--trace-events without --trace", hint="--trace 10 reads them every 10 ms")
    events = EVENTS if options.trace_events is None else options.trace_events
    directory = options.output or propose_record(os.environ, "observe")
    request = options.fill(
        ObserveRequest,
        probes=(
            *map(make_known_probe, options.probes),
            *map(wrapper, options.wraps),
            *map(variable, options.variables),
            *map(option, options.options),
        ),
        contexts=not options.one_context,
        blocks=options.min_runs,
        trace=None if options.trace_ms is None else Tracing(options.trace_ms, events),
        seed=chosen_seed(options.seed, directory / "observe.lab"),
    )
    with as_a_whole(options.output, directory) as line:
        observation = observe(request, directory, watch=line.update)
    show(
        lambda: OBSERVATION.text(observation),
        lambda width: lines(observation, width),
        as_json=options.as_json,
    )
    if options.html is not None:
        from steelyard.cli.page import save_page

        save_page(options.html, directory / "observe.lab", observation=observation)
    tell_records(directory, as_json=options.as_json)
