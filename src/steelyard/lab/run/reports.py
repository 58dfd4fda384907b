"""What a process of a harness wrote, read by the extension that knows the harness."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.core.errors import MachineError, UsageError
from steelyard.core.extension import find_harness, load
from steelyard.run.measure.extract.harness import HarnessReport, ReadOutput
from steelyard.spec.experiment import Experiment
from steelyard.spec.tables.metrics import PLAIN


def read_reports(text: str, origin: str, harness: str) -> Sequence[HarnessReport]:
    """Read every metric of every benchmark; one that Steelyard also measures itself is called ``own_NAME``.

    Raises
    ------
    UsageError
        The text is of another format, damaged, or in an unknown unit; or no extension knows the harness.
    """
    place = find_harness(harness)
    if place is None:
        raise UsageError(f"no installed extension reads what {harness} reports")
    read: ReadOutput = load(place)
    return read(text, origin, harness)


def refuse_unread(experiment: Experiment) -> None:
    """Refuse metrics of a harness that no extension knows, before anything runs.

    Raises
    ------
    MachineError
    """
    for metric in experiment.metrics:
        if metric.source is not None and metric.source not in PLAIN and find_harness(metric.source) is None:
            raise MachineError(
                f"metric {metric.name}: no installed extension reads what {metric.source} reports",
                hint="install Steelyard with its extensions, or give a pattern",
            )
