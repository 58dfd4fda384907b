"""``steelyard demo``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.campaign import as_a_whole
from steelyard.cli.declared import Options, declare, take
from steelyard.cli.options import declare_file
from steelyard.cli.paths import PathCommand, RecordDirectory
from steelyard.cli.terminal import terminal_width
from steelyard.core.errors import MachineError

if TYPE_CHECKING:
    from steelyard.extensions.demo.optimisation import Optimisation
    from steelyard.report.text.line import Line
    from steelyard.report.text.progress import ProgressLine
    from steelyard.results.interval import Interval

Shown = tuple[str, Callable[[], dict[str, Any]]]
"""What a part says, and what draws it."""
_ORDERS = {"sequential": "one after the other, as usual:", "randomized": "in randomised blocks:"}


class DemoOptions(Options):
    """Options of ``steelyard demo``."""

    output: Path | None = declare(
        "Directory of the records (default: a new one under the user's state directory).",
        "-o",
        metavar="DIRECTORY",
        type=RecordDirectory(),
    )
    figure: Path | None = declare_file("Also draw the results as one picture.", metavar="FILE.svg")


@click.command(cls=PathCommand, short_help="Show in about a minute how run times lie.")
@take(DemoOptions)
def command(options: DemoOptions) -> None:
    """Run three experiments on this machine, in about a minute, and say what they show.

    A command against itself; -O2 against -O3 in one context and in many; a program whose time depends on the
    length of its environment.
    """
    from steelyard.extensions.demo.text import findings, heading, indent
    from steelyard.files.user_directories import propose_record
    from steelyard.lab.run.existing_record import refuse_other_command

    if options.figure is not None:
        from steelyard.extensions.page.converter import converter

        converter()
    directory = options.output or propose_record(os.environ, "demo")
    refuse_other_command(directory, "demo")
    texts: list[str] = []
    panels: list[dict[str, Any]] = []
    parts = (
        ("A command against itself: nothing can differ", _make_itself),
        ("One program, -O2 against -O3: single contexts against many", _make_optimisation),
        ("One program, unchanged, in an environment of growing length", _make_stack),
    )
    with as_a_whole(options.output, directory) as progress:
        for number, (title, part) in enumerate(parts, 1):
            _write(heading(number, title))
            try:
                sentence, panel = part(directory, progress)
                texts.append(sentence)
                panels += [panel()] if options.figure is not None else []
            except MachineError as error:
                _write(indent(f"not shown here: {error.message}"))
                texts.append(f"Not shown here: {error.message}.")
            finally:
                progress.clear()
    _write(findings(texts, terminal_width()))
    if options.figure is not None:
        from steelyard.extensions.demo.figure import write_demo

        write_demo(options.figure, panels)
    click.echo(f"\nrecords: {directory}")


def _make_itself(directory: Path, progress: ProgressLine) -> Shown:
    from steelyard.extensions.demo.itself import compare_with_itself
    from steelyard.extensions.demo.text import render_share

    counts = {}
    for order in ("sequential", "randomized"):
        it = compare_with_itself(directory / f"itself-{order}.lab", order, _count(progress))
        progress.clear()
        _write(render_share(_ORDERS[order], it.called_different, it.comparisons, it.worst))
        counts[order] = it
    sequential, blocks = counts["sequential"], counts["randomized"]

    def panel() -> dict[str, Any]:
        from steelyard.extensions.demo.figure import itself_panel

        called = {
            "one after the other, as usual": sequential.called_different,
            "in randomised blocks": blocks.called_different,
        }
        return itself_panel(called, blocks.comparisons)

    text = (
        f"The same program was called different from itself in {sequential.called_different} of"
        f" {sequential.comparisons} comparisons when its runs came one after the other, and in"
        f" {blocks.called_different} of {blocks.comparisons} in randomised blocks; at the 5 % level,"
        f" {round(blocks.comparisons * 0.05)} are expected by chance."
    )
    return text, panel


def _make_optimisation(directory: Path, progress: ProgressLine) -> Shown:
    from steelyard.extensions.demo.optimisation import optimisation
    from steelyard.extensions.demo.text import speedup
    from steelyard.results.comparison import Speedup

    it = optimisation(directory, progress.update)
    progress.clear()
    measured = []
    for comparison in (*it.single, it.across):
        length = comparison.stratum.get("env_bytes")
        text = (
            f"environment {length:+} bytes:"
            if length is not None
            else f"across {it.contexts} random lengths:"
        )
        if isinstance(comparison.speedup, Speedup) and comparison.ci95:
            _write(speedup(text, comparison.speedup.value, comparison.ci95))
            measured.append((comparison.speedup.value, comparison.ci95))

    def panel() -> dict[str, Any]:
        from steelyard.extensions.demo.figure import optimisation_panel

        return optimisation_panel(it.single, it.across)

    return _describe_contexts(it, measured), panel


def _describe_contexts(it: Optimisation, measured: Sequence[tuple[float, Interval]]) -> str:
    from steelyard.report.text.digits import bounds, ratio

    *single, (across, around) = measured
    values = [value for value, _ in single]
    text = f"-O3 is {min(values):.2f} × to {max(values):.2f} × as fast as -O2"
    overall = f"across contexts it is {ratio(across, around)} × (95 % CI {bounds(across, around)})"
    if not it.aslr_off:
        return f"{text}; address randomisation could not be switched off, so no context was held; {overall}."
    if max(interval.low for _, interval in single) > min(interval.high for _, interval in single):
        return f"{text}, depending on nothing but a few bytes of environment; {overall}."
    return (
        f"{text} in four contexts, whose intervals overlap this time, so they are not told apart; {overall}."
    )


def _make_stack(directory: Path, progress: ProgressLine) -> Shown:
    from steelyard.extensions.demo.stack import STEP_BYTES, stack_lengths
    from steelyard.extensions.demo.text import picture

    it = stack_lengths(directory, progress.update)
    progress.clear()
    if it.missing:
        raise MachineError(it.missing)
    marks = ["#" if length.across_page else "o" if length.across_line else "." for length in it.lengths]
    _write(picture([length.wall_s for length in it.lengths], marks, STEP_BYTES))
    slow = sum(length.wall_s > 2 * it.typical_s for length in it.lengths)

    def panel() -> dict[str, Any]:
        from steelyard.extensions.demo.figure import stack_panel

        return stack_panel([length.wall_s for length in it.lengths], STEP_BYTES)

    text = (
        f"The length of the environment alone makes the same binary up to {it.ratio:.1f} × slower;"
        f" {slow} of {len(it.lengths)} lengths more than double its time."
    )
    return text, panel


def _count(progress: ProgressLine) -> Callable[[int, int], None]:
    from steelyard.results.status import Progress

    return lambda done, total: progress.update(Progress(done, total, 0.0, None, "comparisons"))


def _write(lines: Sequence[Line]) -> None:
    from steelyard.report.text.line import write

    write(lines, sys.stdout)
    sys.stdout.flush()
