"""What a process of a harness wrote, read by the readers of its files, for a metric of a spec."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from steelyard.core.units import BUILTIN
from steelyard.run.measure.extract.harness import HarnessReport


def read_reports(text: str, origin: str, form: str) -> Sequence[HarnessReport]:
    """Every metric of every benchmark; one that Steelyard also measures itself is called ``own_NAME``.

    Raises
    ------
    UsageError
        The text is of another format, damaged, or in an unknown unit.
    """
    # Readers of a dozen formats, which few runs need.
    from steelyard.extensions.exchange.importers import read_output
    from steelyard.extensions.exchange.importers.identity import find_namesakes, qualify

    contents = read_output(text, origin, form)
    series = qualify(contents.series)
    left_out = {**contents.skipped, **find_namesakes(series)}
    skipped = [HarnessReport(name, "", "", (), skipped=why) for name, why in left_out.items()]
    failed = [
        HarnessReport(runs.title, "", "", (), skipped=runs.reason or "it failed", is_failure=True)
        for runs in contents.failures
        if runs.title not in left_out
    ]
    return (
        skipped
        + failed
        + [
            HarnessReport(
                entry.title,
                f"own_{entry.metric}" if entry.metric in BUILTIN else entry.metric,
                entry.unit,
                tuple(chain.from_iterable(entry.values)),
                entry.better,
            )
            for entry in series
            # One that failed in some repetitions is not known by those in which it went well.
            if entry.title not in left_out
        ]
    )
