"""What ``run`` and ``compare`` share: run with progress, answer, exit code."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.spec.experiment import Experiment

if TYPE_CHECKING:
    from steelyard.lab.conductor import Watch
    from steelyard.report.progress import Progress


def terminal_width() -> int:
    """Columns of the terminal, 80 where there is none; tables grow no wider than 120, where eyes lose the
    line.
    """
    return min(120, max(60, shutil.get_terminal_size().columns))


def drawn_on(line: Progress) -> Watch:
    """What draws how far a run is."""
    return lambda at: line.update(at.blocks_done, at.blocks_wanted, at.remaining_s, at.what)


def conduct(experiment: Experiment, directory: Path, *, spec_text: str = "") -> None:
    """Run to the end, with a line of progress on a terminal."""
    from steelyard.lab.run import run
    from steelyard.report.progress import Progress

    line = Progress(sys.stderr)
    try:
        run(experiment, directory, spec_text=spec_text, watch=drawn_on(line))
    finally:
        line.clear()


def print_answer(
    directory: Path,
    *,
    as_json: bool,
    strict: bool,
    metric: str | None = None,
    protocol: str | None = None,
    against: str | None = None,
) -> int:
    """Print what the record says, and return the exit code: 3 under ``strict`` where that leaves something
    open.
    """
    from steelyard.lab.analyze import analyze
    from steelyard.store import Record

    with Record.open(directory) as record:
        answer = analyze(record, metric=metric, protocol=protocol, against=against)
    if as_json:
        from steelyard.report.json import render

        click.echo(render(answer), nl=False)
    else:
        from steelyard.report.line import write
        from steelyard.report.text import lines

        write(lines(answer, terminal_width()), sys.stdout)
    unresolved = any(each.verdict == "not_resolved" for each in answer.judged)
    if answer.protocol is not None:  # whose verdicts were asked for
        unresolved = any(each.difference == "not_resolved" for each in answer.protocol.pairs)
    return 3 if strict and (unresolved or answer.design.state == "precision_not_reached") else 0
